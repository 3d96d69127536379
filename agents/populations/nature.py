"""Arrival orders that try to hurt: nature sees the published classifier before it picks who arrives."""

import math
from abc import abstractmethod

import numpy as np
from numpy.typing import ArrayLike

from agents.costs import L2, respond
from agents.foundation.checks import LARGEST_LENGTH, LARGEST_SIZE, count, finite_features, finite_length, signs
from agents.foundation.compiled import compiled
from agents.foundation.lanes import length
from agents.foundation.typing import Float, Int, Key
from agents.foundation.unchangeable import ReadOnly
from agents.populations.arrivals import BLOCK, Arrivals
from agents.populations.finite import FixedSequence
from agents.populations.population import Population


@compiled
def first_error(
    norm: int, classifier: Float, features: Float, labels: Float, budgets: Float, start: int, report: Float
) -> int:
    """Return the first individual from ``start`` on, cyclically, on whom the classifier errs; -1 if there is none.

    ``features`` (M, d), ``labels`` (M,), ``budgets`` with M rows or one that all share; ``report`` (d,) is overwritten.
    """
    size = features.shape[0]
    for k in range(size):
        row = (start + k) % size
        budget = budgets[row if budgets.shape[0] > 1 else 0]
        accepted, _, _ = respond(norm, classifier, features[row], budget, report)
        if accepted != (labels[row] > 0.0):
            return int(row)
    return -1


@compiled
def farthest_negative(classifier: Float, alpha: float, radius: float, margin: float, features: Float) -> bool:
    """Place a negative individual where it just reaches acceptance, and gains the learner as little as possible.

    Its first coordinate is ``-margin`` (w* is the first axis), its norm the radius, and its distance from the boundary
    alpha. Returns whether there is such a place; if so it is written to ``features`` (d,), d >= 3.
    """
    d = features.shape[0]
    weights = classifier[:d]
    rest = 0.0
    for i in range(1, d):
        rest += weights[i] * weights[i]
    rest = math.sqrt(rest)
    sideways = math.sqrt(radius * radius - margin * margin)
    if length(weights) == 0.0 or rest == 0.0:
        along = 0.0
    else:
        # A hair closer than alpha: rounding must not put it out of reach.
        wanted = -classifier[d] - (alpha - 1e-9 * radius) * length(weights) + margin * weights[0]
        along = wanted / rest
        if abs(along) > sideways:
            return False
    features[0] = -margin
    for i in range(1, d):
        features[i] = along * weights[i] / rest if rest > 0.0 else 0.0
    # The remaining length goes along an axis orthogonal to the weights' part outside w*.
    smallest = 1
    for i in range(2, d):
        if abs(weights[i]) < abs(weights[smallest]):
            smallest = i
    free = math.sqrt(sideways * sideways - along * along)
    share = weights[smallest] / rest if rest > 0.0 else 0.0
    tall = math.sqrt(1.0 - share * share)
    for i in range(1, d):
        unit = ((1.0 if i == smallest else 0.0) - share * (weights[i] / rest if rest > 0.0 else 0.0)) / tall
        features[i] += free * unit
    return True


class AdaptiveArrivals(Arrivals):
    """Individuals who are picked when the classifier is known."""

    def __init__(self, features: Float) -> None:
        self.features = features

    @abstractmethod
    def meet(self, round: int, classifier: Float, norm: int, budgets: Float) -> tuple[int, float]:
        """Pick who arrives in round ``round``: a row of ``features``, and its label."""

    @property
    def index(self) -> Int:
        """Row of nobody yet."""
        return np.arange(BLOCK)

    @property
    def label(self) -> Float:
        """Label of nobody yet."""
        return np.zeros(BLOCK)

    def fill(self, first: int) -> None:
        """Do nothing: nobody is picked before a classifier is published."""

    def points(self, rounds: int) -> tuple[Float, Float]:
        """Refuse: who arrives depends on what is published.

        Raises
        ------
        ValueError
            Always.
        """
        raise ValueError("nature picks who arrives when it sees the classifier: there are no points before the rounds")


class GreedyArrivals(AdaptiveArrivals):
    """The first member on whom the classifier errs, counted from whoever came last; else the next in line."""

    def __init__(self, features: Float, labels: Float) -> None:
        super().__init__(features)
        self._labels, self._next = labels, 0
        self._report = np.empty(features.shape[1])

    def meet(self, round: int, classifier: Float, norm: int, budgets: Float) -> tuple[int, float]:
        """Pick a member on whom the classifier errs, if there is one."""
        row = first_error(norm, classifier, self.features, self._labels, budgets, self._next, self._report)
        row = self._next if row < 0 else row
        self._next = (row + 1) % len(self._labels)
        return row, float(self._labels[row])


class TangentArrivals(AdaptiveArrivals):
    """Negative individuals at the very end of their reach; a positive one where there is no such place."""

    def __init__(self, dim: int, radius: float, margin: float) -> None:
        super().__init__(np.zeros((BLOCK, dim)))
        self.separator = np.eye(1, dim + 1)[0]
        self._radius, self._margin = radius, margin

    def meet(self, round: int, classifier: Float, norm: int, budgets: Float) -> tuple[int, float]:
        """Place the individual of this round."""
        row = round % BLOCK
        features = self.features[row]
        if norm != L2:
            raise ValueError("a tangent adversary needs l2 costs")
        if farthest_negative(classifier, float(budgets[0, 0]), self._radius, self._margin, features):
            return row, -1.0
        features[:] = 0.0
        features[0] = self._radius
        return row, 1.0


class GreedyAdversary(Population):
    """Picks, from a pool, somebody on whom the published classifier errs, if there is one.

    Parameters
    ----------
    features : array_like, shape (M, d)
        True features of the pool.
    labels : array_like, shape (M,)
        -1 or +1.

    Examples
    --------
    >>> import numpy as np
    >>> from agents import GreedyAdversary, L2Cost
    >>> from agents.foundation.streams import game_key
    >>> nature, cost = GreedyAdversary([[1.0], [-1.0]], labels=[1, -1]).arrivals(game_key(seed=0)), L2Cost(alpha=0.5)
    >>> accepts_everybody = np.array([0.0, 0.0])
    >>> nature.meet(0, accepts_everybody, cost.norm, cost.budgets(dim=1))  # row 1 of the pool, who is negative
    (1, -1.0)
    """

    margin = None
    noise = 0.0
    features, labels = ReadOnly(), ReadOnly()

    def __init__(self, features: ArrayLike, labels: ArrayLike) -> None:
        self._features = finite_features("features", features)
        self._labels = signs("labels", labels, len(self._features))
        self.dim = self.features.shape[1]
        self.radius = float(np.linalg.norm(self.features, axis=1).max())
        self.low, self.high = self.features.min(axis=0), self.features.max(axis=0)

    def arrivals(self, key: Key, population_key: Key | None = None) -> Arrivals:
        """Return the adversary at its start."""
        return GreedyArrivals(self._features, self._labels)


class TangentAdversary(Population):
    """Builds, every round, the negative individual that helps the learner least (l2 costs, three or more features).

    It lies at the margin of ``w* = e_1``, on the sphere of the radius, and just within reach of the boundary.
    Algorithm 2 then gains exactly ``gamma`` along w* and R^2 of squared norm with every mistake, so it makes
    ``(R / gamma)^2`` of them up to rounding: Theorem 1's sharpened bound. With a tiny margin every round is a mistake
    (a poison stream).

    Parameters
    ----------
    dim : int
        At least 3.
    radius : float
        R.
    margin : float
        gamma, less than R.

    Examples
    --------
    >>> import numpy as np
    >>> from agents import L2Cost, TangentAdversary
    >>> from agents.foundation.streams import game_key
    >>> nature, cost = TangentAdversary(margin=0.6).arrivals(game_key(seed=0)), L2Cost(alpha=0.5)
    >>> row, label = nature.meet(0, np.zeros(4), cost.norm, cost.budgets(dim=3))
    >>> nature.features[row], label  # of norm 1
    (array([-0.6,  0.8,  0. ]), -1.0)
    """

    noise = 0.0
    margin: float

    def __init__(self, dim: int = 3, radius: float = 1.0, margin: float = 0.1) -> None:
        self.dim = count("dim", dim, minimum=3, maximum=LARGEST_LENGTH)
        self.radius = finite_length("radius", radius, above=0.0)
        self.margin = finite_length("margin", margin, above=0.0, below=self.radius)
        self.high = np.full(self.dim, self.radius)
        self.low = -self.high

    def arrivals(self, key: Key, population_key: Key | None = None) -> Arrivals:
        """Return the adversary at its start."""
        return TangentArrivals(self.dim, self.radius, self.margin)


def orthonormal_negatives(dim: int, radius: float = 1.0) -> FixedSequence:
    """Return the negatives ``-R e_1, -R e_2, ...`` over and over: d mistakes of Algorithm 2, its bound, for any alpha.

    Their best separator is the diagonal, with margin ``R / sqrt(d)``.

    Examples
    --------
    >>> from agents import orthonormal_negatives
    >>> orthonormal_negatives(dim=2).features
    array([[-1., -0.],
           [-0., -1.]])
    """
    size = count("dim", dim, minimum=1, maximum=math.isqrt(LARGEST_SIZE))
    rows = -finite_length("radius", radius, above=0.0) * np.eye(size)
    return FixedSequence([], [(row.tolist(), -1.0) for row in rows])
