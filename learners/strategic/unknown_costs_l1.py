"""An attempt at the paper's first open problem: weighted l1 costs of which nobody tells any coordinate."""

from typing import NamedTuple

import numpy as np

from agents.boundary import score, tolerance
from agents.costs import L1, Cost, WeightedL1Cost, steepest
from agents.foundation.checks import finite_length
from agents.foundation.compiled import compiled
from agents.foundation.lanes import dot, length
from agents.foundation.typing import Float
from learners.strategic.base import Learner
from learners.strategic.rules import learn, publish, rule_of
from learners.strategic.strategic_perceptron import scale_free_step
from learners.strategic.surrogates import write_raised, write_surrogate

# Surrogate points are no longer than this many R: |z| <= R, a move along one coordinate, a pull along another.
LONGEST_SURROGATE = 1.0 + 2.0**0.5


class UnknownCostsL1State(NamedTuple):
    """What one game has found.

    Attributes
    ----------
    weights : ndarray, shape (n, d)
    upper : ndarray, shape (n, d)
        What each alpha_i is at most.
    radius, margin : ndarray, shape (n,)
        As told.
    """

    weights: Float
    upper: Float
    radius: Float
    margin: Float


@rule_of(UnknownCostsL1State, learn)
def _learn(
    state: UnknownCostsL1State,
    game: int,
    features: Float,
    prediction: float,
    label: float,
    classifier: Float,
    eps: float,
) -> bool:
    d = features.shape[0]
    weights, upper, radius = state.weights[game], state.upper[game], state.radius[game]
    tightened = prediction < 0.0 and tighten(upper, classifier, features, radius, eps)
    if label == 0.0 or label == prediction:
        return tightened
    if label > 0.0 and dot(weights, features) > state.margin[game] / 2.0 * length(weights):
        return tightened  # the bar was too high, not w wrong
    surrogate = np.empty(d)
    write_surrogate(L1, classifier, features, label, upper, eps, surrogate)
    eta = scale_free_step(length(weights), LONGEST_SURROGATE * radius)
    for i in range(d):
        weights[i] = max(0.0, weights[i] + label * surrogate[i])
    favourite = steepest(weights, upper)
    if favourite >= 0:
        weights[favourite] += eta
    return True


@compiled
def tighten(upper: Float, classifier: Float, report: Float, radius: float, eps: float) -> bool:
    """Lower the upper bounds by what a rejected report proves; return whether one fell.

    Who stays at a distance ``gap`` below the boundary cannot afford it along any coordinate: ``alpha_i w_i < gap``.
    """
    d = report.shape[0]
    slack = tolerance(length(classifier[:d]), float(classifier[d]), length(report), radius, d, eps)
    gap = slack - score(classifier, report)
    fell = False
    for i in range(d):
        if classifier[i] > 0.0 and gap < upper[i] * classifier[i]:
            upper[i] = gap / classifier[i]
            fell = True
    return fell


@rule_of(UnknownCostsL1State, publish)
def _publish(state: UnknownCostsL1State, game: int, out: Float) -> None:
    write_raised(state.weights[game], 0.0, L1, state.upper[game], out)


class UnknownCostsL1(Learner[UnknownCostsL1State]):
    """Algorithm 3 with upper bounds of all alpha_i in their place, which every rejected report lowers.

    The bounds begin at R. A rejected report x did not move, so its distance to the boundary was more than anybody can
    make: ``alpha_i < (threshold - w.x) / w_i`` for every i at once. A rejected positive individual with
    ``w.x > gamma/2 |w|`` is a mistake of the bounds, not of w, and changes nothing else. Every other mistake is learned
    from as in Algorithm 3, with pull ``upper_i e_i`` along the coordinate that looks best under the bounds.

    Parameters
    ----------
    radius : float
        R, the largest norm of true features; no alpha_i exceeds it.
    margin : float
        gamma, the margin of a separator through the origin without negative weights; at most R.

    Warnings
    --------
    It has no bound, for the problem is open: where two coordinates look equally good, nothing tells along which one
    somebody has moved. Individuals who do not best-respond may lower a bound below its alpha_i, for good.

    Notes
    -----
    *Proved*, if individuals best-respond: no bound ever falls below its alpha_i. At most ``2 d R / gamma`` mistakes are
    mistakes of the bounds, since each lowers one of them by gamma/2. And if W of the updates pulled a mover along
    another coordinate than the one it moved along, there are at most
    ``(2.5 (1 + sqrt 2) R / gamma + sqrt(2 W alpha / gamma))^2`` others, alpha being the largest: such a pull loses at
    most ``alpha / gamma`` of w.w*, every update gains 1, and |w|^2 grows as in Theorem 2.

    *Not proved*: that W is bounded. Where two coordinates look equally good, nothing that the learner sees tells along
    which one a negative individual moved. So the open problem stays open, though no stream is known that keeps W
    growing. *Measured* (``docs/beyond_the_paper.md``): on random arrivals W is about 1, and there are one and a half
    times to twice as many mistakes as with Algorithm 3, which is told every alpha_i; greedy adversaries over small
    pools of individuals run out of mistakes.

    Examples
    --------
    The positive individual is rejected at the bounds 2 and 1.5, and each time proves one that is 0.5 less:

    >>> from agents import WeightedL1Cost
    >>> from learners import UnknownCostsL1, passes
    >>> learner, cost = UnknownCostsL1(radius=2.0, margin=0.5), WeightedL1Cost([0.6])
    >>> training = passes.sweep(learner, [[-1.0], [0.5]], labels=[-1, 1], cost=cost)
    >>> training.updates, training.state.upper
    (3, array([[1.]]))
    """

    name = "unknown-costs-l1"
    state_class = UnknownCostsL1State
    summary = "Strategic Perceptron for weighted l1 costs that nobody tells (open problem, no bound)"
    requires = ("radius", "margin")
    cost = "l1"

    def __init__(self, radius: float, margin: float) -> None:
        self.radius = finite_length("radius", radius, above=0.0)
        self.margin = finite_length("margin", margin, above=0.0, maximum=self.radius)
        self.parameters = {"radius": self.radius, "margin": self.margin}

    def initial_state(self, games: int, dim: int) -> UnknownCostsL1State:
        """Return zero weights for each game, and R for every bound."""
        return UnknownCostsL1State(
            weights=np.zeros((games, dim)),
            upper=np.full((games, dim), self.radius),
            radius=np.full(games, self.radius),
            margin=np.full(games, self.margin),
        )

    def believed_cost(self, state: UnknownCostsL1State) -> Cost:
        """Return the cost with the upper bounds as reaches."""
        return WeightedL1Cost(state.upper[0].tolist())

    def findings(self, state: UnknownCostsL1State) -> dict[str, float]:
        """Return what each alpha_i is at most."""
        return {f"alpha_{i} is at most": value for i, value in enumerate(state.upper[0].tolist(), start=1)}
