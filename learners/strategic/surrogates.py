"""Surrogate points of either cost: what a learner puts in the place of a report that may have been moved.

Definitions 1 and 2 of the Strategic Perceptron paper in one: a negative individual on the published boundary may have
come from as far as its reach, so its surrogate point is the report less the whole *pull*: ``alpha w / |w|`` for l2
costs, ``alpha_i e_i`` (with the sign of ``w_i``) for weighted l1 costs. Every other report is its own surrogate point.
"""

import math
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agents.boundary import FLOAT64_EPS, on_boundary, scale
from agents.costs import L1, L2, Cost, L2Cost, WeightedL1Cost, farthest, reach, steepest
from agents.foundation.checks import finite_length, finite_reaches, flag, one_of
from agents.foundation.compiled import loop
from agents.foundation.lanes import copy
from agents.foundation.typing import Float
from learners.strategic.base import Learner, Truth
from learners.strategic.rules import write_published

State = TypeVar("State", bound=tuple[NDArray[np.generic], ...])


@loop
def write_surrogate(
    norm: int, classifier: Float, features: Float, label: float, budget: Float, eps: float, out: Float
) -> None:
    """Write the surrogate point of one report.

    Parameters
    ----------
    norm : int
        2 for l2 costs, 1 for weighted l1 costs.
    classifier : ndarray, shape (d + 1,)
        What was published.
    features : ndarray, shape (d,)
        The report.
    label : float
        -1 or +1.
    budget : ndarray, shape (1,) or (d,)
        alpha, or alpha_i.
    eps : float
        Machine epsilon of the coarsest dtype that the numbers went through.
    out : ndarray, shape (d,)
        Overwritten.
    """
    copy(features, out)
    if may_have_moved(classifier, features, label, farthest(budget), eps):
        subtract_pull(norm, classifier, budget, out)


@loop
def may_have_moved(classifier: Float, features: Float, label: float, reach_scale: float, eps: float) -> bool:
    """Whether a report is a negative individual's on the published boundary (``reach_scale`` as for `on_boundary`)."""
    return label < 0.0 and on_boundary(classifier, features, reach_scale, eps)


@loop
def subtract_pull(norm: int, classifier: Float, budget: Float, point: Float) -> None:
    """Take the point (d,) as far back as whoever stands on the boundary may have come, in place."""
    d = point.shape[0]
    if norm == L2:
        factor, squared_norm = scale(classifier)
        shift = budget[0] / math.sqrt(squared_norm)
        for i in range(d):
            point[i] -= shift * (classifier[i] * factor)
    else:
        chosen = steepest(classifier[:d], budget)
        if chosen >= 0:
            point[chosen] -= budget[chosen] if classifier[chosen] >= 0.0 else -budget[chosen]


@loop
def write_raised(weights: Float, intercept: float, norm: int, budget: Float, out: Float) -> None:
    """Write the published classifier ``[w, b - reach(w)]`` (d + 1,): it labels reports as ``[w, b]`` labels truths."""
    write_published(weights, intercept - reach(norm, weights, budget), out)


def has_the_reaches(state: Any, game: int) -> bool:
    """Whether ``alpha`` holds a reach for each coordinate if the cost reads them: a rule for `stays_inside`."""
    return bool(state.norm[game] == L2 or state.alpha.shape[1] == state.weights.shape[1])


@loop
def write_constant(accept: bool, out: Float) -> None:
    """Write the classifier without weights that accepts everybody, or nobody: in either case nobody moves."""
    for i in range(out.shape[0]):
        out[i] = 0.0
    if not accept:
        out[-1] = -1.0


def surrogate_point(cost: Cost | None, classifier: Float, report: Float, label: float, reach_scale: float) -> Float:
    """Return the point (d,) that a learner takes a report for.

    Parameters
    ----------
    cost : Cost or None
        What it takes individuals' cost to be (`Learner.believed_cost`); None: every report is its own surrogate point.
    classifier : ndarray, shape (d + 1,)
        What was published.
    report : ndarray, shape (d,)
    label : float
        -1 or +1.
    reach_scale : float
        The largest distance that anybody moves.
    """
    surrogate = report.copy()
    if cost is not None:
        budget = cost.budgets(report.size)[0]
        if may_have_moved(classifier, report, label, max(reach_scale, farthest(budget)), FLOAT64_EPS):
            subtract_pull(cost.norm, classifier, budget, surrogate)
    return surrogate


def cost_of(cost: str, alpha: ArrayLike) -> Cost:
    """Return the manipulation cost that all individuals share.

    Parameters
    ----------
    cost : str
        ``"l2"`` or ``"l1"``.
    alpha : float or array_like, shape (d,)
        alpha for l2, a number or alpha_i for weighted l1; at least 0.

    Raises
    ------
    TypeError, ValueError
        If it is neither cost, or alpha is not such numbers.
    """
    if one_of("cost", cost, ("l2", "l1")) == "l2":
        return L2Cost(finite_length("alpha", alpha))
    return WeightedL1Cost(finite_reaches("alpha", alpha, axes=1))


class SurrogateLearner(Learner[State]):
    """A learner that uses nothing of a cost but its surrogate points and its reach, so that it fits either.

    Parameters
    ----------
    alpha : float or array_like, shape (d,)
        How far an individual moves for the value of being accepted: one number for l2 costs, one for each coordinate
        (or for all) for weighted l1 costs; at least 0.
    cost : str
        ``"l2"`` or ``"l1"``.
    bias : bool
        Learn an intercept.
    """

    requires: ClassVar[tuple[str, ...]] = ("alpha", "cost")

    def __init__(self, alpha: ArrayLike, cost: str = "l2", bias: bool = False) -> None:
        self._cost = cost_of(cost, alpha)
        self.bias = flag("bias", bias)
        self.parameters = {"alpha": self._cost.alpha.tolist(), "cost": cost, "bias": self.bias}

    def believed_cost(self, state: State) -> Cost:
        """Return the cost that it was told."""
        return self._cost

    def intercept_of(self, state: State) -> float | None:
        """Return the intercept, with a bias."""
        return float(getattr(state, "intercept")[0]) if self.bias else None  # noqa: B009  (a State is any named tuple)

    def _budgets(self, games: int, dim: int) -> Float:
        """Return alpha for each game: (games, 1) for l2, (games, dim) for weighted l1."""
        return np.repeat(self._cost.budgets(dim), games, axis=0)

    def _applies(self, truth: Truth) -> bool:
        """Whether everybody moves as the learner was told, around a separator that it can represent.

        For weighted l1 costs the separator must have no negative weight, as in Theorem 2.
        """
        if truth.cost != ("l1" if self._cost.norm == L1 else "l2") or not truth.one_cost:
            return False
        told = tuple(self._cost.budgets(truth.dim)[0].tolist()) == truth.alpha
        return told and (self.bias or truth.intercept == 0.0) and (truth.cost == "l2" or truth.nonnegative)
