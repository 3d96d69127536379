"""Adversaries that know the learner: worse than random streams, and for some theorems as bad as the bound allows."""

import math
from collections.abc import Callable
from itertools import islice
from typing import Any, NamedTuple

from agents.costs import L2Cost
from agents.populations.nature import GreedyAdversary, TangentAdversary, orthonormal_negatives
from agents.populations.population import Population
from learners import bounds
from learners.strategic.base import Learner
from learners.strategic.biased import BiasedL2
from learners.strategic.perceptron import Perceptron
from learners.strategic.strategic_perceptron import StrategicPerceptronL2
from learners.strategic.unknown_cost import UnknownCostL2, UnknownMarginL2
from strategic_env.games.strategic.setting import Setting
from strategic_env.reproduce.rounds import play
from strategic_env.reproduce.rows import Shares


class Attack(NamedTuple):
    """What an adversary reached: its name, the mistakes, and the printed and the sharpened bound where there are."""

    adversary: str
    mistakes: int
    printed: float | None
    sharpened: float | None

    @property
    def shares(self) -> Shares:
        """Mistakes / bound."""
        return Shares(*(None if bound is None else self.mistakes / bound for bound in (self.printed, self.sharpened)))


def mistakes_against(learner: Learner[Any], population: Population, alpha: float, rounds: int) -> int:
    """Count the mistakes of the first rounds of a game with l2 costs."""
    setting = Setting(population=population, cost=L2Cost(alpha))
    return sum(played.round.mistake for played in islice(play(learner, setting), rounds))


def _tangent(learner: Learner[Any], ratio: float, alpha: float, rounds: int) -> int:
    """Play against the tangent adversary of radius 1 and margin 1 / ratio, in three dimensions."""
    return mistakes_against(learner, TangentAdversary(3, 1.0, 1.0 / ratio), alpha, rounds)


def theorem_1() -> Attack:
    """Reach Theorem 1's sharpened bound up to the last mistake."""
    ratio, alpha = 20, 0.5
    mistakes = _tangent(StrategicPerceptronL2(alpha), ratio, alpha, 2 * ratio**2)
    told = 1.0, 1.0 / ratio, alpha
    return Attack("tangent", mistakes, bounds.strategic_l2(*told, printed=True), bounds.strategic_l2(*told))


def estimated_alpha() -> Attack:
    """Let everybody move gamma/2 farther than the learner thinks: Proposition 1, and Corollary 1's worst case."""
    ratio, alpha = 20, 0.5
    told = 1.0, 1.0 / ratio, alpha - 0.5 / ratio
    mistakes = _tangent(StrategicPerceptronL2(told[-1]), ratio, alpha, 4 * ratio**2)
    return Attack("tangent", mistakes, bounds.estimated_alpha_l2(*told, printed=True), bounds.estimated_alpha_l2(*told))


def overestimated_alpha() -> Attack:
    """Let the estimate be a hair too large: no report gives it away, and Proposition 2 is reached like Theorem 1."""
    ratio, alpha = 20, 0.5
    told = 1.0, 1.0 / ratio, alpha + 1e-7
    mistakes = _tangent(StrategicPerceptronL2(told[-1]), ratio, alpha, 2 * ratio**2)
    return Attack("tangent", mistakes, bounds.too_large_alpha_l2(*told, printed=True), bounds.too_large_alpha_l2(*told))


def unknown_cost() -> Attack:
    """Let everybody move as far as R: Algorithm 4 begins with the estimate 0 and has the longest way to go."""
    ratio = 1.5
    told = 1.0, 1.0 / ratio
    most = bounds.unknown_cost_l2(*told)
    mistakes = _tangent(UnknownCostL2(*told), ratio, 1.0, int(most))
    return Attack("tangent", mistakes, bounds.unknown_cost_l2(*told, printed=True), most)


def unknown_margin() -> Attack:
    """Play as against `unknown_cost`, with a margin that has to be guessed."""
    ratio = 2
    most = bounds.unknown_margin_l2(1.0, 1.0 / ratio)
    return Attack("tangent", _tangent(UnknownMarginL2(1.0), ratio, 1.0, int(most)), None, most)


def biased() -> Attack:
    """Put the separator next to the positive individual: Algorithm 5 tries every other origin first, in one dimension.

    With the origin p too far below, the two innermost individuals lie on one side of it, and one of them is an error.
    """
    ratio = 8
    told = 1.0, 1.0 / ratio, 0.0
    population = GreedyAdversary([[-1.0], [1.0], [1.0 - 2.0 / ratio]], [-1.0, 1.0, -1.0])
    most = bounds.biased_l2(*told)
    mistakes = mistakes_against(BiasedL2(0.0, *told[:2]), population, 0.0, int(most) + 100)
    return Attack("greedy", mistakes, bounds.biased_l2(*told, printed=True), most)


def novikoff() -> Attack:
    """Let the classic Perceptron meet orthonormal negatives: all are mistakes, and their number is the bound."""
    dim = 9
    mistakes = mistakes_against(Perceptron(), orthonormal_negatives(dim), 0.0, 3 * dim)
    return Attack("orthonormal", mistakes, bounds.novikoff(1.0, 1.0 / math.sqrt(dim)), None)


ATTACKS: dict[str, Callable[[], Attack]] = {
    "Theorem 1": theorem_1,
    "Proposition 1": estimated_alpha,
    "Corollary 1, squared": estimated_alpha,
    "Proposition 2": overestimated_alpha,
    "Theorem 3 (Algorithm 4)": unknown_cost,
    "Theorem 3, unknown margin": unknown_margin,
    "Theorem 4 (Algorithm 5)": biased,
    "Novikoff, paper's ties": novikoff,
    "Novikoff, lecture's ties": novikoff,
}
