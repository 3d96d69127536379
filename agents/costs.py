"""Costs of manipulation, described by how far the value of being accepted (1) carries.

Compiled functions take ``norm`` (2 for l2, 1 for weighted l1) and one individual's ``budget``: (1,) holding alpha for
l2, (d,) holding alpha_i for weighted l1.
"""

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import ArrayLike

from agents.boundary import copy, dot, length, rescaled, score
from agents.checks import finite_array, finite_rows
from agents.compiled import compiled
from agents.typing import Float

L1, L2 = 1, 2


@compiled
def steepest(weights: Float, budget: Float) -> int:
    """Return the coordinate with the largest ``alpha_i |w_i|``: the lowest such index among those that can move.

    Returns -1 where nothing can move (all alpha_i are 0).
    """
    best, chosen = -1.0, -1
    for i in range(weights.shape[0]):
        gain = budget[i] * abs(weights[i])
        if budget[i] > 0.0 and gain > best:
            best, chosen = gain, i
    return chosen


@compiled
def reach(norm: int, weights: Float, budget: Float) -> float:
    """Return ``max {w.delta : cost(delta) <= 1}``: alpha |w| for l2, ``max alpha_i |w_i|`` for weighted l1."""
    if norm == L2:
        return float(budget[0]) * length(weights)
    chosen = steepest(weights, budget)
    return float(budget[chosen] * abs(weights[chosen])) if chosen >= 0 else 0.0


@compiled
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
    d = features.shape[0]
    copy(features, report)
    classifier = rescaled(classifier)
    weights = classifier[:d]
    gap = -score(classifier, features)
    if gap <= 0.0:
        return True, False, 0.0
    within = reach(norm, weights, budget)
    if gap > within:
        return False, False, 0.0
    if norm == L2:
        step = gap / dot(weights, weights)
        for i in range(d):
            report[i] += step * weights[i]
    else:
        chosen = steepest(weights, budget)
        report[chosen] += gap / weights[chosen]
    return True, True, gap / within


@compiled
def respond_all(norm: int, classifiers: Float, features: Float, budgets: Float, reports: Float) -> None:
    """Answer for each of n individuals; ``classifiers`` and ``budgets`` have n rows, or one that all share."""
    for k in range(features.shape[0]):
        classifier = classifiers[k if classifiers.shape[0] > 1 else 0]
        budget = budgets[k if budgets.shape[0] > 1 else 0]
        respond(norm, classifier, features[k], budget, reports[k])


class Cost(ABC):
    """What changing one's features costs, in units of the value of being accepted."""

    norm: int
    alpha: Float

    @abstractmethod
    def budgets(self, dim: int) -> Float:
        """Return the budgets in compiled form: (1 or n, 1) for l2, (1 or n, dim) for weighted l1."""

    @abstractmethod
    def cost(self, z: ArrayLike, x: ArrayLike) -> float | Float:
        """Return what it costs to report ``x`` instead of ``z``; both (d,) or (n, d)."""

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
        """
        weights = finite_array("w", w, (None,))
        # A power of two keeps squares in range and rounds nothing: a gap of exactly this reach still moves.
        exponent = np.frexp(np.abs(weights).max())[1]
        scaled = np.ldexp(weights, -exponent)
        budgets = self.budgets(weights.size)
        reaches = np.ldexp([reach(self.norm, scaled, budget) for budget in budgets], exponent)
        return reaches if self._individual else float(reaches[0])

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
            The cheapest accepted point where that costs at most 1 (a cost of exactly 1 still moves), else ``z``.

        Raises
        ------
        ValueError
            If shapes do not fit, or a number is NaN or infinite.
        """
        features, many = finite_rows("z", z)
        n, dim = features.shape
        published, _ = finite_rows("classifier", classifier, dim + 1)
        budgets = self.budgets(dim)
        for name, rows in (("classifier", published), ("alpha", budgets)):
            if len(rows) not in (1, n):
                raise ValueError(f"{name} must hold one row, or one for each of {n} individuals, got {len(rows)}")
        reports = np.empty_like(features)
        respond_all(self.norm, published, features, budgets, reports)
        return reports if many else reports[0]

    @property
    @abstractmethod
    def _individual(self) -> bool:
        """Whether budgets differ from individual to individual."""


class L2Cost(Cost):
    """Euclidean cost ``|x - z| / alpha``.

    Parameters
    ----------
    alpha : float or array_like, shape (n,)
        How far an individual moves for the value of being accepted, at least 0; one for all or one each.
    """

    norm = L2

    def __init__(self, alpha: ArrayLike) -> None:
        self.alpha = _reaches(alpha, (None,) if np.ndim(alpha) else ())

    def __repr__(self) -> str:
        return f"L2Cost(alpha={self.alpha.tolist()})"

    def budgets(self, dim: int) -> Float:
        """Return (1, 1), or (n, 1) where budgets differ."""
        return self.alpha.reshape(-1, 1)

    def cost(self, z: ArrayLike, x: ArrayLike) -> float | Float:
        """Return ``|x - z| / alpha``: a float for (d,), (n,) for (n, d); infinite for a move with alpha 0."""
        distances = np.linalg.norm(_moves(z, x), axis=-1)
        return _float_if_one(_price(distances, self.alpha))

    @property
    def _individual(self) -> bool:
        return self.alpha.ndim == 1


class WeightedL1Cost(Cost):
    """Weighted l1 cost ``sum |x_i - z_i| / alpha_i``.

    Parameters
    ----------
    alpha : array_like, shape (d,) or (n, d)
        How far each coordinate can be moved for the value of being accepted, at least 0 (0: it cannot move); one row
        for all or one each. A number stands for the same alpha in every coordinate.
    """

    norm = L1

    def __init__(self, alpha: ArrayLike) -> None:
        self.alpha = _reaches(alpha, (None,) * min(np.ndim(alpha), 2))

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
        return self.alpha.reshape(-1, dim)

    def cost(self, z: ArrayLike, x: ArrayLike) -> float | Float:
        """Return ``sum |x_i - z_i| / alpha_i``: a float for (d,), (n,) for (n, d); infinite if what cannot move did."""
        moves = np.abs(_moves(z, x))
        self.budgets(moves.shape[-1])
        return _float_if_one(_price(moves, self.alpha).sum(axis=-1))

    @property
    def _individual(self) -> bool:
        return self.alpha.ndim == 2


def _reaches(alpha: ArrayLike, shape: tuple[None, ...]) -> Float:
    """Check reaches: finite and at least 0."""
    array = finite_array("alpha", alpha, shape)
    if (array < 0).any():
        raise ValueError(f"alpha must be at least 0, got {array[array < 0][0]}")
    return array


def _moves(z: ArrayLike, x: ArrayLike) -> Float:
    """Return ``x - z`` after checking both."""
    start, many = finite_rows("z", z)
    moves = finite_array("x", x, start.shape if many else start.shape[1:]) - start
    return moves if many else moves[0]


def _price(distance: Float, alpha: Float) -> Float:
    """Return ``distance / alpha``, with 0 for no move and infinity for a move with alpha 0."""
    distance, alpha = np.broadcast_arrays(distance, alpha)
    movable = alpha > 0
    return np.where(movable, distance / np.where(movable, alpha, 1.0), np.where(distance > 0, np.inf, 0.0))


def _float_if_one(values: Float) -> float | Float:
    return float(values) if np.ndim(values) == 0 else values
