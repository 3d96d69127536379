"""Where individuals come from: fixed sequences, separable balls, data sets."""

import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from agents.arrivals import Arrivals, SourceArrivals, draw_direction, draw_pool
from agents.caps import tabulate_caps
from agents.checks import (
    LARGEST_LENGTH,
    LARGEST_SIZE,
    count,
    finite_array,
    finite_features,
    finite_length,
    finite_number,
    flag,
    hyperplane,
    interval,
    shown,
    signs,
)
from agents.sources import AT_RANDOM, IN_ORDER, NEW, SHUFFLED, Source, members
from agents.tables import read_table
from agents.typing import Float, Key

# A column that varies less, in units of its size, keeps no more than three digits beyond rounding: it is constant.
ROUNDING = 1e-12


class Population(ABC):
    """A source of individuals (true features and label).

    Attributes
    ----------
    dim : int
        Number of features d.
    radius : float
        R, the largest norm of true features.
    low, high : ndarray, shape (d,)
        Bounds of the true features.
    margin : float or None
        Distance that every individual keeps from a hyperplane that separates the labels, where known.
    noise : float
        Probability that a label is flipped.
    alpha : tuple of float or None
        Smallest and largest l2 reach, where individuals differ.

    Notes
    -----
    A population of your own needs these attributes and `arrivals`. Games check them, and all that its methods return
    (`agents.limits`), before compiled code reads it: what does not fit raises a TypeError or ValueError that names it.
    """

    alpha: tuple[float, float] | None = None
    dim: int
    radius: float
    low: Float
    high: Float
    margin: float | None
    noise: float

    @abstractmethod
    def arrivals(self, key: Key, population_key: Key | None = None) -> Arrivals:
        """Return the individuals of one episode.

        Parameters
        ----------
        key : ndarray, shape (2,), uint64
            The episode's key (`agents.streams.game_key`).
        population_key : ndarray, shape (2,), uint64, optional
            Draws the population itself; ``key`` by default, a fixed one to meet the same population again.
        """

    def source(self, population_key: Key | None = None) -> Source | None:
        """Return how individuals arrive in any game, in a form for compiled code.

        None, the default, where only `arrivals` knows: then the fast forms play game by game in Python.
        """
        return None


class FiniteKnown(Population):
    """A population whose members are given."""

    def _describe(self, features: Float, labels: Float) -> None:
        self.features, self.labels = features, labels
        self.dim = features.shape[1]
        self.radius = float(np.linalg.norm(features, axis=1).max())
        self.low, self.high = features.min(axis=0), features.max(axis=0)


class FixedSequence(FiniteKnown):
    """A head, then a block of individuals over and over.

    Parameters
    ----------
    head, block : sequence of (features, label)
        Features (d,), label -1 or +1. ``block`` must hold at least one individual, ``head`` may be empty.

    Raises
    ------
    TypeError
        If they are no sequences of pairs, or a pair does not hold real numbers.
    ValueError
        For an empty block, NaN, features of different lengths or out of range, labels other than -1 and +1.
    """

    margin = None
    noise = 0.0

    def __init__(
        self, head: Sequence[tuple[Sequence[float], float]] = (), block: Sequence[tuple[Sequence[float], float]] = ()
    ) -> None:
        individuals = _pairs("head", head) + _pairs("block", block)
        if not len(block):
            raise ValueError("block must hold at least one individual, got none")
        features = finite_features("features", [z for z, _ in individuals])
        self._describe(features, signs("labels", [y for _, y in individuals]))
        self.head = len(head)

    def arrivals(self, key: Key, population_key: Key | None = None) -> Arrivals:
        """Return the sequence from its beginning."""
        return SourceArrivals(self.source(), key)

    def source(self, population_key: Key | None = None) -> Source:
        """Return how the sequence goes."""
        return members(self.features, self.labels, IN_ORDER, self.head)


class DataSet(FiniteKnown):
    """Real individuals: pass after pass over the rows, each pass in its own random order.

    Parameters
    ----------
    features : array_like or DataFrame, shape (n, d)
        Numeric features.
    labels : array_like, shape (n,)
        -1 or +1.
    standardise : bool
        Whether to bring every column to mean 0 and standard deviation 1.
    separator : array_like, shape (d + 1,), optional
        ``[w, b]`` in the units of the (standardised) features. With ``margin``, only the rows that it classifies
        correctly at a distance of at least ``margin`` are kept.
    margin : float, optional
        See ``separator``.
    noise : float
        Probability that a label is flipped when its individual arrives.

    Raises
    ------
    ValueError
        For NaN, shapes that do not fit, numbers out of range (see `agents.checks`), labels other than -1 and +1, no
        rows, a constant column (if standardised).
    """

    def __init__(
        self,
        features: ArrayLike,
        labels: ArrayLike,
        *,
        standardise: bool = True,
        separator: ArrayLike | None = None,
        margin: float | None = None,
        noise: float = 0.0,
    ) -> None:
        names = list(getattr(features, "columns", ()))
        rows = finite_features("features", features)
        marks = signs("labels", labels, len(rows))
        if flag("standardise", standardise):
            rows = standardised(rows, names)
        if (separator is None) != (margin is None):
            raise ValueError("separator and margin go together: give both or neither")
        self.noise = _probability(noise)
        self.margin, self.separator = None, None
        if separator is not None:
            self.margin = finite_length("margin", margin, above=0.0)
            self.separator = _unit_normal(finite_array("separator", separator, (rows.shape[1] + 1,)))
            kept = marks * (rows @ self.separator[:-1] + self.separator[-1]) >= self.margin
            if not kept.any():
                raise ValueError(f"margin must leave at least one row, got {margin}")
            rows, marks = np.ascontiguousarray(rows[kept]), marks[kept]
        self._describe(rows, marks)

    @classmethod
    def from_csv(
        cls,
        path: str | os.PathLike[str],
        *,
        label: str,
        positive: str,
        standardise: bool = True,
        noise: float = 0.0,
    ) -> "DataSet":
        """Read a CSV file with a header; every column but ``label`` must be numeric.

        Parameters
        ----------
        path : str or path-like
            The file.
        label : str
            Name of the column that holds the label.
        positive : str
            The entry of that column that means +1; every other entry means -1.
        standardise, noise
            As for the class.
        """
        features, marks = read_table(path, label, positive)
        return cls(features, marks, standardise=standardise, noise=noise)

    def arrivals(self, key: Key, population_key: Key | None = None) -> Arrivals:
        """Return passes over the rows in random orders."""
        return SourceArrivals(self.source(), key, self.separator)

    def source(self, population_key: Key | None = None) -> Source:
        """Return how the rows follow each other."""
        return members(self.features, self.labels, SHUFFLED, noise=self.noise)


class Separable(Population):
    """Individuals uniform in a ball, given a distance of at least ``margin`` from a random hyperplane.

    Parameters
    ----------
    dim : int
        Number of features.
    radius : float
        R, the ball's radius.
    margin : float
        Least distance of an individual from the hyperplane, greater than 0.
    bias : float
        The hyperplane is ``{z : w*.z + bias = 0}`` with ``|w*| = 1``.
    pool : int, optional
        Draw this many individuals at the start and let them arrive at random; by default everybody is new.
    nonnegative : bool
        Whether ``w*`` has no negative coordinate, as Theorem 2 of the Strategic Perceptron needs.
    noise : float
        Probability that a label is flipped when its individual arrives.
    alpha : tuple of float, optional
        Give every individual an l2 reach of its own, uniform over this interval.

    Raises
    ------
    ValueError
        For numbers out of range (see `agents.checks`), ``|bias| + margin >= radius``, or a side of the hyperplane with
        next to nothing of the ball beyond the margin.
    """

    margin: float

    def __init__(
        self,
        dim: int = 2,
        radius: float = 1.0,
        margin: float = 0.1,
        *,
        bias: float = 0.0,
        pool: int | None = None,
        nonnegative: bool = False,
        noise: float = 0.0,
        alpha: tuple[float, float] | None = None,
    ) -> None:
        self.dim = count("dim", dim, minimum=1, maximum=LARGEST_LENGTH)
        self.radius = finite_length("radius", radius, above=0.0)
        self.bias = finite_number("bias", bias)
        self.margin = finite_length("margin", margin, above=0.0)
        if abs(self.bias) + self.margin >= self.radius:
            raise ValueError(
                f"|bias| + margin must be less than radius, got bias {bias}, margin {margin} and radius {radius}"
            )
        self.pool = None if pool is None else count("pool", pool, minimum=1, maximum=LARGEST_SIZE // self.dim)
        self.nonnegative = flag("nonnegative", nonnegative)
        self.noise = _probability(noise)
        self.alpha = None if alpha is None else interval("alpha", alpha)
        self.high = np.full(self.dim, self.radius)
        self.low = -self.high
        self._caps = tabulate_caps(self.dim, self.radius, self.margin, self.bias)
        self._shared: Source | None = None

    def arrivals(self, key: Key, population_key: Key | None = None) -> Arrivals:
        """Draw the hyperplane (and the pool), then let individuals arrive."""
        source = self.source(population_key)
        if len(source.features):
            return SourceArrivals(source, key, np.append(self._direction(source.origin[0]), self.bias))
        return SourceArrivals(source, key, bias=self.bias)

    def source(self, population_key: Key | None = None) -> Source:
        """Return how individuals arrive; a pool that all games share is drawn once and kept."""
        frozen = np.empty((0, 2), dtype=np.uint64) if population_key is None else population_key[np.newaxis]
        if self._shared is None or not np.array_equal(self._shared.origin, frozen):
            order, size = (NEW, 0) if self.pool is None else (AT_RANDOM, self.pool)
            source = Source(
                order, 0, size, self.noise, np.empty((0, self.dim)), np.empty(0), np.empty((0, 1)),
                self._caps, self.nonnegative, np.array(self.alpha or (0.0, 0.0)), frozen,
            )  # fmt: skip
            self._shared = source if self.pool is None or population_key is None else self._drawn(source)
        return self._shared

    def __getstate__(self) -> dict[str, object]:
        """Leave out the pool that was drawn: it says nothing new, and equal populations must look equal."""
        return self.__dict__ | {"_shared": None}

    def _drawn(self, source: Source) -> Source:
        """Draw all members of a pool."""
        features, labels = np.empty((source.size, self.dim)), np.empty(source.size)
        budgets = np.empty((0 if self.alpha is None else source.size, 1))
        key = source.origin[0]
        draw_pool(source, key, self._direction(key), features, labels, budgets)
        return source._replace(features=features, labels=labels, budgets=budgets)

    def _direction(self, key: Key) -> Float:
        direction = np.empty(self.dim)
        draw_direction(key, self.nonnegative, direction)
        return direction


def standardised(features: Float, names: Iterable[str] = ()) -> Float:
    """Bring every column (n, d) to mean 0 and standard deviation 1.

    Raises
    ------
    ValueError
        If a column is constant, up to rounding.
    """
    constant = np.flatnonzero(np.ptp(features, axis=0) <= ROUNDING * np.abs(features).max(axis=0))
    if constant.size:
        name = dict(enumerate(names)).get(int(constant[0]), int(constant[0]))
        raise ValueError(f"features must vary to be standardised, got a constant column {name!r}")
    return np.asarray((features - features.mean(axis=0)) / features.std(axis=0))


def _pairs(name: str, individuals: Sequence[Any]) -> list[Any]:
    """Return the individuals if each is a pair of features and a label."""
    if not isinstance(individuals, (list, tuple)):
        raise TypeError(f"{name} must be a list of pairs (features, label), got {shown(individuals)}")
    for individual in individuals:
        if not isinstance(individual, (list, tuple)) or len(individual) != 2:
            raise TypeError(f"{name} must be a list of pairs (features, label), got {shown(individual)} in it")
    return list(individuals)


def _unit_normal(classifier: Float) -> Float:
    scaled = hyperplane("separator", classifier)
    return np.asarray(scaled / np.linalg.norm(scaled[:-1]))


def _probability(noise: float) -> float:
    return finite_number("noise", noise, minimum=0.0, maximum=1.0)
