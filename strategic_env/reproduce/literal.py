"""Statements that fail as printed, each with an instance that shows it and on which the corrected one holds."""

import math
from collections.abc import Callable
from itertools import islice
from typing import Any

import numpy as np

from agents.costs import Cost, L2Cost, WeightedL1Cost
from agents.populations.finite import FixedSequence
from agents.populations.nature import orthonormal_negatives
from learners import bounds
from learners.strategic.base import Learner
from learners.strategic.biased import BiasedL2
from learners.strategic.strategic_perceptron import BiasedL1, StrategicPerceptronL1, StrategicPerceptronL2
from learners.strategic.unknown_cost import next_estimate
from strategic_env.games.strategic.setting import Setting
from strategic_env.reproduce.rounds import play
from strategic_env.reproduce.rows import BoundRow, Shares, row

ROUNDS = 15_000
# Example 2 in units of its radius: the separator through 3/4 has margin 1/4.
EXAMPLE_2 = (([-1.0, 0.0], -1.0), ([1.0, 0.0], 1.0), ([0.5, 0.0], -1.0))
# A drift along the first axis brings the mistake on the second one back. The best separator is (9, 13).
DRIFT = (([1.0, 0.0], 1.0), ([0.3, -0.9], -1.0))
DRIFT_MARGIN = 9.0 / math.sqrt(250.0)


def mistakes_of(learner: Learner[Any], population: FixedSequence, cost: Cost) -> int:
    """Count the mistakes of the first rounds."""
    game = play(learner, Setting(population=population, cost=cost))
    return sum(played.round.mistake for played in islice(game, ROUNDS))


def _line(statement: str, section: str, instance: str, printed: float, resolved: float, runs: int = 1) -> BoundRow:
    """Return a line: the share of its bound that a statement reaches as printed, and the resolved one instead."""
    shares = Shares(printed, None), Shares(resolved, None)
    line = row(statement, f"{section}, as printed", runs, shares[0], "resolved", shares[1])
    return line._replace(instance=instance)


def corollary_1() -> BoundRow:
    """Print the bracket without its square: two orthogonal negatives far from the origin are more mistakes."""
    radius, least = 100.0, 1.0
    margin = radius / math.sqrt(2.0)
    mistakes = mistakes_of(StrategicPerceptronL2(least), orthonormal_negatives(2, radius), L2Cost(least))
    without_square = 4.0 * (radius + least + margin / 2.0) / margin**2
    squared = bounds.estimated_alpha_l2(radius, margin, least, printed=True)
    shares = mistakes / without_square, mistakes / squared
    return _line("Corollary 1, not squared", "Section 6", "two orthogonal negatives, R = 100", *shares)


def theorem_2() -> BoundRow:
    """Correct and break ties in every round: the drift never ends, and mistakes grow like the root of the rounds."""
    alpha = [0.1, 0.0]
    bound = bounds.strategic_l1(1.0, DRIFT_MARGIN, max(alpha), 2, printed=True)
    literal, resolved = (
        mistakes_of(StrategicPerceptronL1(alpha, 1.0, literal=form), FixedSequence([], DRIFT), WeightedL1Cost(alpha))
        for form in (True, False)
    )
    instance = "(1, 0) +, (0.3, -0.9) -, alpha = (0.1, 0)"
    return _line("Theorem 2, every round", "Section 4", instance, literal / bound, resolved / bound)


def theorem_3(ratio: float = 1024.0, alphas: int = 2001) -> BoundRow:
    """Forget estimates that were too large: more phases than a single logarithm allows, at R / gamma = ``ratio``."""
    allowed = 2.0 * math.ceil(math.log2(2.0 * ratio - 1.0)) + 2.0
    literal, resolved = (
        max(_phases(alpha, ratio, form) for alpha in np.linspace(0.0, ratio, alphas).tolist()) for form in (True, False)
    )
    instance = f"R / gamma = {ratio:,.0f}, worst of {alphas:,} alphas"
    return _line("Theorem 3, phases / (2L + 2)", "Section 5.1", instance, literal / allowed, resolved / allowed, alphas)


def _phases(alpha: float, ratio: float, literal: bool) -> int:
    """Count phases with margin 1 and radius ``ratio`` if every wrong estimate is found out."""
    low, high, estimate, phases = 0.0, math.inf, 0.0, 1
    while not alpha - 0.5 <= estimate <= alpha:
        too_large = estimate > alpha
        low, high = (low, estimate) if too_large else (estimate, high)
        estimate = next_estimate(low, high, estimate, too_large, 1.0, ratio, literal)
        phases += 1
    return phases


def theorem_4(scale: float = 0.01) -> BoundRow:
    """Space origins by a share gamma/2 of the segment: in small units there are hundreds of them, not a dozen."""
    radius, margin, alpha = scale, 0.25 * scale, 0.5 * scale
    block = FixedSequence([], [([scale * x for x in features], label) for features, label in EXAMPLE_2])
    bound = bounds.biased_l2(radius, margin, alpha, printed=True)
    literal, resolved = (
        mistakes_of(BiasedL2(alpha, radius, margin, literal=form), block, L2Cost(alpha)) for form in (True, False)
    )
    instance = f"Example 2 times {scale:g}, alpha = {alpha:g}"
    return _line("Theorem 4, spacing gamma/2", "Section 7", instance, literal / bound, resolved / bound)


def l1_with_bias() -> BoundRow:
    """Correct the fake coordinate, too: Example 2 needs a negative intercept, and never gets it."""
    alpha = [0.5, 0.5]
    bound = bounds.strategic_l1_with_bias(1.0, max(alpha), 2, 4.0, -3.0, printed=True)
    literal, resolved = (
        mistakes_of(BiasedL1(alpha, 1.0, literal=form), FixedSequence([], EXAMPLE_2), WeightedL1Cost(alpha))
        for form in (True, False)
    )
    instance = "Example 2, alpha = (0.5, 0.5)"
    return _line("l1 with bias, corrected", "Section 7", instance, literal / bound, resolved / bound)


LITERAL: tuple[Callable[[], BoundRow], ...] = (corollary_1, theorem_2, theorem_3, theorem_4, l1_with_bias)
