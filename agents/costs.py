"""Costs of manipulation, described by how far the value of being accepted (1) carries.

Compiled functions take ``norm`` (2 for l2, 1 for weighted l1) and one individual's ``budget``: (1,) holding alpha for
l2, (d,) holding alpha_i for weighted l1.
"""

import math
from abc import abstractmethod
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from agents.boundary import scale, scaled_score
from agents.foundation.checks import (
    LARGEST,
    LARGEST_REPORT,
    finite_array,
    finite_reaches,
    finite_rows,
    plain_array,
    shown,
)
from agents.foundation.compiled import compiled, inlined, loop
from agents.foundation.lanes import copy, length
from agents.foundation.typing import Float
from agents.foundation.unchangeable import Unchangeable

L1, L2 = 1, 2


@inlined
def _steepest(weights: Float, factor: float, budget: Float) -> int:
    """As `steepest`, for weights times a factor; entries beyond the budget's are left out."""
    largest, chosen = 0.0, -1
    for i in range(budget.shape[0]):
        rise = budget[i] * abs(weights[i] * factor)
        if rise > largest:
            largest, chosen = rise, i
    if chosen >= 0:
        return chosen
    for i in range(budget.shape[0]):  # nobody gains anything by moving
        if budget[i] > 0.0:
            return i
    return -1


@loop
def farthest(budget: Float) -> float:
    """Return the largest alpha_i of a budget (d,): how far anybody moves along one coordinate."""
    largest = 0.0
    for i in range(budget.shape[0]):
        largest = max(largest, budget[i])
    return largest


@loop
def steepest(weights: Float, budget: Float) -> int:
    """Return the coordinate with the largest ``alpha_i |w_i|``: the lowest such index among those that can move.

    Returns -1 where nothing can move (all alpha_i are 0).
    """
    return _steepest(weights, 1.0, budget)


class Prepared(NamedTuple):
    """What an answer needs of a classifier alone, whoever answers, if all have the same cost or it is l2.

    Attributes
    ----------
    factor : float
        What the classifier is multiplied with (`agents.boundary.scale`).
    squared_norm : float
        Of the weights times the factor.
    growth : float
        By how much ``w.x`` grows for each unit of alpha: ``|w|`` for l2, ``|w_k|`` for weighted l1.
    chosen : int
        k, the steepest coordinate for weighted l1; -1 for l2, or if none can move.
    """

    factor: float
    squared_norm: float
    growth: float
    chosen: int


@inlined
def prepare(norm: int, classifier: Float, budget: Float) -> Prepared:
    """Prepare answers to a published classifier (d + 1,)."""
    factor, squared_norm = scale(classifier)
    if norm == L2:
        return Prepared(factor, squared_norm, math.sqrt(squared_norm), -1)
    chosen = _steepest(classifier, factor, budget)
    return Prepared(factor, squared_norm, abs(classifier[chosen] * factor) if chosen >= 0 else 0.0, chosen)


@inlined
def reach_of(prepared: Prepared, budget: Float) -> float:
    """Return by how much an individual raises ``w.x`` for a cost of 1."""
    return float(budget[max(prepared.chosen, 0)] * prepared.growth)


@inlined
def gap_and_reach(prepared: Prepared, classifier: Float, features: Float, budget: Float) -> tuple[float, float]:
    """Return how far an individual is from acceptance, ``-(w.z + b)``, and how far it gets for a cost of 1."""
    return -scaled_score(classifier, prepared.factor, features), reach_of(prepared, budget)


@inlined
def moves(gap: float, reach: float) -> bool:
    """Whether an individual moves: it is not accepted as it is, and acceptance lies within its reach."""
    return (gap > 0.0) & (gap <= reach)


@inlined
def write_report(
    prepared: Prepared, classifier: Float, features: Float, gap: float, moved: bool, report: Float
) -> None:
    """Write the report (d,) of an individual who moves across its gap, or stays; without a branch for l2 costs."""
    if prepared.chosen < 0:
        step = gap / prepared.squared_norm if moved else 0.0
        for i in range(report.shape[0]):
            report[i] = features[i] + step * (classifier[i] * prepared.factor)
        return
    copy(features, report)
    if moved:
        report[prepared.chosen] += gap / (classifier[prepared.chosen] * prepared.factor)


@inlined
def reach(norm: int, weights: Float, budget: Float) -> float:
    """Return ``max {w.delta : cost(delta) <= 1}``: alpha |w| for l2, ``max alpha_i |w_i|`` for weighted l1."""
    if norm == L2:
        return float(budget[0] * length(weights))
    chosen = steepest(weights, budget)
    return float(budget[chosen] * abs(weights[chosen])) if chosen >= 0 else 0.0


@inlined
def respond(norm: int, classifier: Float, features: Float, budget: Float, report: Float) -> tuple[bool, bool, float]:
    """Best response of one individual: the cheapest accepted point if it costs at most 1, else the true features.

    Parameters
    ----------
    norm : int
        2 for l2, 1 for weighted l1.
    classifier : ndarray, shape (d + 1,)
        ``[w, b]`` as published.
    features : ndarray, shape (d,)
        True features.
    budget : ndarray, shape (1,) or (d,)
        alpha, or alpha_i.
    report : ndarray, shape (d,)
        Overwritten with the answer.

    Returns
    -------
    accepted : bool
    moved : bool
    cost : float
        What the individual paid, in [0, 1].
    """
    prepared = prepare(norm, classifier, budget)
    gap, reach = gap_and_reach(prepared, classifier, features, budget)
    moved = moves(gap, reach)
    write_report(prepared, classifier, features, gap, moved, report)
    return gap <= reach, moved, gap / reach if moved else 0.0


@loop
def least_cost(norm: int, classifier: Float, features: Float, budget: Float) -> float:
    """Return what acceptance takes at least, also beyond 1: 0 for who is accepted, infinite for who cannot move."""
    gap, reach = gap_and_reach(prepare(norm, classifier, budget), classifier, features, budget)
    if gap <= 0.0:
        return 0.0
    return gap / reach if reach > 0.0 else math.inf


@compiled
def respond_all(norm: int, classifiers: Float, features: Float, budgets: Float, reports: Float) -> None:
    """Answer for each of n individuals; ``classifiers`` and ``budgets`` have n rows, or one that all share."""
    for k in range(features.shape[0]):
        classifier = classifiers[k if classifiers.shape[0] > 1 else 0]
        budget = budgets[k if budgets.shape[0] > 1 else 0]
        respond(norm, classifier, features[k], budget, reports[k])


class Cost(Unchangeable):
    """What changing one's features costs, in units of the value of being accepted.

    Examples
    --------
    >>> from agents import L2Cost, WeightedL1Cost
    >>> L2Cost(alpha=10.0).cost([0.0, 0.0], [3.0, 4.0]), WeightedL1Cost(alpha=10.0).cost([0.0, 0.0], [3.0, 4.0])
    (0.5, 0.7)
    >>> L2Cost(alpha=10.0).reach([3.0, 4.0]), WeightedL1Cost(alpha=10.0).reach([3.0, 4.0])
    (50.0, 40.0)
    """

    norm: int
    alpha: Float

    @abstractmethod
    def budgets(self, dim: int) -> Float:
        """Return the budgets in compiled form: (1 or n, 1) for l2, (1 or n, dim) for weighted l1."""

    def cost(self, z: ArrayLike, x: ArrayLike) -> float | Float:
        """Return what it costs to report ``x`` instead of ``z``.

        Parameters
        ----------
        z, x : array_like, shape (d,) or (n, d)
            True features and reports of one or of many individuals.

        Returns
        -------
        float or ndarray (n,)
            ``|x - z| / alpha`` for l2, ``sum |x_i - z_i| / alpha_i`` for weighted l1; infinite if what cannot move did.

        Raises
        ------
        ValueError
            If shapes do not fit, or a number is NaN, infinite or out of range (1e100 for ``z``, 3e100 for ``x``).
        """
        start, many = finite_rows("z", z, largest=LARGEST)
        end = finite_array("x", x, start.shape if many else start.shape[1:], largest=LARGEST_REPORT)
        distances = np.abs(end - start)
        if self.norm == L2:
            distances = np.hypot.reduce(distances, axis=1, keepdims=True)  # squares of tiny moves would vanish
        alpha = np.broadcast_to(self._budgets_of(start), distances.shape)
        immovable = np.where(distances > 0.0, np.inf, 0.0)
        prices = np.divide(distances, alpha, out=immovable, where=alpha > 0.0).sum(axis=1)
        return prices if many else float(prices[0])

    def reach(self, w: ArrayLike) -> float | Float:
        """Return how much an individual can add to ``w.x`` for a cost of 1.

        Parameters
        ----------
        w : array_like, shape (d,)
            Weights of a classifier.

        Returns
        -------
        float or ndarray (n,)
            ``alpha |w|`` for l2, ``max alpha_i |w_i|`` for weighted l1; one per individual if budgets differ.

        Raises
        ------
        ValueError
            If a weight is NaN or infinite, shapes do not fit, or the reach exceeds the float64 range.
        """
        weights = finite_array("w", w, (None,))
        # A power of two keeps squares in range and rounds nothing: a gap of exactly this reach still moves.
        exponent = np.frexp(np.abs(weights).max())[1]
        scaled = np.ldexp(weights, -exponent)
        budgets = self.budgets(weights.size)
        with np.errstate(over="ignore"):
            values = np.ldexp([reach(self.norm, scaled, budget) for budget in budgets], exponent)
        if np.isinf(values).any():
            raise ValueError(f"w must have a reach within the float64 range, got {np.abs(weights).max()}")
        return values if self._individual else float(values[0])

    def best_response(self, z: ArrayLike, classifier: ArrayLike) -> Float:
        """Return what individuals report to a published classifier.

        Parameters
        ----------
        z : array_like, shape (d,) or (n, d)
            True features of one or of many individuals.
        classifier : array_like, shape (d + 1,) or (n, d + 1)
            ``[w, b]``: accepts x iff ``w.x + b >= 0``; one for all, or one each.

        Returns
        -------
        ndarray, the shape of ``z``
            The cheapest accepted point where that costs at most 1 (a cost of exactly 1 still moves, where nothing is
            rounded: ``docs/numerics.md``), else ``z``.

        Raises
        ------
        ValueError
            If shapes do not fit, a number is NaN or infinite, or a feature larger than 1e100.
        """
        features, many = finite_rows("z", z, largest=LARGEST)
        published, _ = finite_rows("classifier", classifier, features.shape[1] + 1)
        _one_or_each("classifier", published, len(features))
        reports = np.empty_like(features)
        respond_all(self.norm, published, features, self._budgets_of(features), reports)
        return reports if many else reports[0]

    def _budgets_of(self, features: Float) -> Float:
        """Return the budgets of individuals with these features (n, d): one row, or one each."""
        return _one_or_each("alpha", self.budgets(features.shape[1]), len(features))

    @property
    @abstractmethod
    def _individual(self) -> bool:
        """Whether budgets differ from individual to individual."""


class L2Cost(Cost):
    """Euclidean cost ``|x - z| / alpha``.

    Parameters
    ----------
    alpha : float or array_like, shape (n,)
        How far an individual moves for the value of being accepted: 0, or from 1e-100 to 1e100; one for all or one
        each.

    Examples
    --------
    >>> from agents import L2Cost
    >>> cost = L2Cost(alpha=2.0)
    >>> cost.best_response([0.0, 0.0], classifier=[1.0, 0.0, -1.5])  # accepts x with x_1 >= 1.5
    array([1.5, 0. ])
    >>> cost.cost([0.0, 0.0], [1.5, 0.0])
    0.75
    >>> cost.best_response([0.0, 0.0], classifier=[1.0, 0.0, -2.5])  # out of reach
    array([0., 0.])
    """

    norm = L2

    def __init__(self, alpha: ArrayLike) -> None:
        self.alpha = finite_reaches("alpha", alpha, axes=1)

    def __repr__(self) -> str:
        return f"L2Cost(alpha={self.alpha.tolist()})"

    def budgets(self, dim: int) -> Float:
        """Return (1, 1), or (n, 1) where budgets differ."""
        return self.alpha.reshape(-1, 1).copy()  # whoever asks may write into it

    @property
    def _individual(self) -> bool:
        return self.alpha.ndim == 1


class WeightedL1Cost(Cost):
    """Weighted l1 cost ``sum |x_i - z_i| / alpha_i``.

    Parameters
    ----------
    alpha : array_like, shape (d,) or (n, d)
        How far each coordinate can be moved for the value of being accepted: 0 (it cannot move), or from 1e-100 to
        1e100; one row for all or one each. A number stands for the same alpha in every coordinate.

    Examples
    --------
    >>> from agents import WeightedL1Cost
    >>> cost = WeightedL1Cost(alpha=[2.0, 0.0])  # nobody can change the second feature
    >>> cost.best_response([0.0, 0.0], classifier=[1.0, 3.0, -1.5])  # accepts x with x_1 + 3 x_2 >= 1.5
    array([1.5, 0. ])
    >>> cost.cost([0.0, 0.0], [1.5, 0.0])
    0.75
    """

    norm = L1

    def __init__(self, alpha: ArrayLike) -> None:
        self.alpha = finite_reaches("alpha", alpha, axes=2)

    def __repr__(self) -> str:
        return f"WeightedL1Cost(alpha={self.alpha.tolist()})"

    def budgets(self, dim: int) -> Float:
        """Return (1, dim), or (n, dim) where budgets differ.

        Raises
        ------
        ValueError
            If alpha has another number of coordinates.
        """
        if self.alpha.ndim == 0:
            return np.full((1, dim), float(self.alpha))
        if self.alpha.shape[-1] != dim:
            raise ValueError(f"alpha has {self.alpha.shape[-1]} coordinates, but the features have {dim}")
        return self.alpha.reshape(-1, dim).copy()

    @property
    def _individual(self) -> bool:
        return self.alpha.ndim == 2


class CostTerms(NamedTuple):
    """What compiled code is told of a cost: ``norm``, and copies of ``alpha`` and of the budgets (1 or n, 1 or d)."""

    norm: int
    alpha: Float
    budgets: Float


def cost_terms(cost: Cost, dim: int) -> CostTerms:
    """Ask a cost, which may be somebody's own, what it says of ``dim`` features, and check it.

    Raises
    ------
    TypeError, ValueError
        If norm, alpha or budgets are not what `Cost` says.
    """
    norm, alpha = cost.norm, cost.alpha
    if type(norm) is not int or norm not in (L1, L2):
        raise ValueError(f"the cost's norm must be {L1} (weighted l1) or {L2} (l2), got {shown(norm)}")
    if not isinstance(alpha, np.ndarray):
        raise TypeError(f"the cost's alpha must be a NumPy array, got {shown(alpha)}")
    budgets = plain_array("the cost's budgets", cost.budgets(dim), (None, 1 if norm == L2 else dim))
    reaches = finite_reaches("the cost's alpha", alpha, 2)
    return CostTerms(norm, reaches, finite_reaches("the cost's budgets", budgets, 2))


def _one_or_each(name: str, rows: Float, individuals: int) -> Float:
    """Return the rows if there is one for all, or one for each individual."""
    if len(rows) not in (1, individuals):
        raise ValueError(f"{name} must hold one row, or one for each of {individuals} individuals, got {len(rows)}")
    return rows
