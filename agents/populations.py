"""Where individuals come from: fixed sequences, separable balls, data sets."""

import csv
import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from agents import streams
from agents.arrivals import (
    AT_RANDOM,
    IN_ORDER,
    LARGEST_EXPONENT,
    SHUFFLED,
    Arrivals,
    Caps,
    FreshArrivals,
    MemberArrivals,
    fill_separable,
)
from agents.checks import count, finite_array, finite_number, signs
from agents.typing import Float, Key

KNOTS = 1024
# Features beyond this could overflow when squared.
LARGEST_FEATURE = 1e100


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
    """

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


class FiniteKnown(Population):
    """A population whose members are given."""

    def _describe(self, features: Float, labels: Float) -> None:
        if np.abs(features).max() > LARGEST_FEATURE:
            raise ValueError(f"features must be at most {LARGEST_FEATURE} in size, got {np.abs(features).max()}")
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
    """

    margin = None
    noise = 0.0

    def __init__(
        self, head: Sequence[tuple[Sequence[float], float]] = (), block: Sequence[tuple[Sequence[float], float]] = ()
    ) -> None:
        if not len(block):
            raise ValueError("block must hold at least one individual, got none")
        individuals = [*head, *block]
        features = finite_array("features", [z for z, _ in individuals], (None, None))
        self._describe(features, signs("labels", [y for _, y in individuals]))
        self.head = len(head)

    def arrivals(self, key: Key, population_key: Key | None = None) -> Arrivals:
        """Return the sequence from its beginning."""
        return MemberArrivals(key, self.features, self.labels, IN_ORDER, self.head)


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
        For NaN, shapes that do not fit, labels other than -1 and +1, no rows, a constant column (if standardised).
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
        rows = finite_array("features", features, (None, None))
        marks = signs("labels", labels, len(rows))
        if standardise:
            rows = standardised(rows, names)
        if (separator is None) != (margin is None):
            raise ValueError("separator and margin go together: give both or neither")
        self.noise = _probability(noise)
        self.margin, self.separator = None, None
        if separator is not None:
            self.margin = finite_number("margin", margin, above=0.0)
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
        with open(path, newline="", encoding="utf-8") as file:
            header, *body = list(csv.reader(file)) or [[]]
        if label not in header:
            raise ValueError(f"label must be one of the columns {', '.join(header)}, got {label!r}")
        if not body:
            raise ValueError(f"{os.fspath(path)} must hold at least one row, got none")
        at = header.index(label)
        for row, entries in enumerate(body, start=2):
            if len(entries) != len(header):
                raise ValueError(f"{os.fspath(path)}, row {row} must have {len(header)} fields, got {len(entries)}")
        features = [
            [_parse(entry, path, row, name) for name, entry in zip(header, entries, strict=True) if name != label]
            for row, entries in enumerate(body, start=2)
        ]
        marks = [1.0 if entries[at] == positive else -1.0 for entries in body]
        if not any(entries[at] == positive for entries in body):
            raise ValueError(f"positive must occur in the column {label!r}, got {positive!r}")
        return cls(features, marks, standardise=standardise, noise=noise)

    def arrivals(self, key: Key, population_key: Key | None = None) -> Arrivals:
        """Return passes over the rows in random orders."""
        return MemberArrivals(key, self.features, self.labels, SHUFFLED, noise=self.noise, separator=self.separator)


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
    ) -> None:
        self.dim = count("dim", dim, minimum=1)
        self.radius = finite_number("radius", radius, above=0.0, maximum=LARGEST_FEATURE)
        self.bias = finite_number("bias", bias)
        self.margin = finite_number("margin", margin, above=0.0, below=self.radius - abs(self.bias))
        self.pool = None if pool is None else count("pool", pool, minimum=1)
        self.nonnegative = nonnegative
        self.noise = _probability(noise)
        self.high = np.full(self.dim, self.radius)
        self.low = -self.high
        self._caps = _caps(self.dim, self.radius, self.margin, self.bias)

    def arrivals(self, key: Key, population_key: Key | None = None) -> Arrivals:
        """Draw the hyperplane (and the pool), then let individuals arrive."""
        source = key if population_key is None else population_key
        separator = np.append(self._direction(source), self.bias)
        if self.pool is None:
            return FreshArrivals(key, self._caps, self.noise, separator)
        features, labels = np.empty((self.pool, self.dim)), np.empty(self.pool)
        fill_separable(source, streams.POPULATION, 1, separator[:-1], *self._caps, features, labels)
        return MemberArrivals(key, features, labels, AT_RANDOM, noise=self.noise, separator=separator)

    def _direction(self, key: Key) -> Float:
        """Draw w* uniformly from the sphere, or from its non-negative part."""
        direction = np.empty(self.dim)
        streams.fill_normals(key, streams.POPULATION, 0, direction)
        direction /= np.linalg.norm(direction)
        return np.abs(direction) if self.nonnegative else direction


def standardised(features: Float, names: Iterable[str] = ()) -> Float:
    """Bring every column (n, d) to mean 0 and standard deviation 1.

    Raises
    ------
    ValueError
        If a column is constant.
    """
    constant = np.flatnonzero(np.ptp(features, axis=0) == 0.0)
    if constant.size:
        name = dict(enumerate(names)).get(int(constant[0]), int(constant[0]))
        raise ValueError(f"features must vary to be standardised, got a constant column {name!r}")
    return np.asarray((features - features.mean(axis=0)) / features.std(axis=0))


def _caps(dim: int, radius: float, margin: float, bias: float) -> Caps:
    """Tabulate the truncated marginals of the two sides."""
    sides = [_cap((margin + sign * bias) / radius, dim) for sign in (1.0, -1.0)]
    (negative, positive) = (share for share, _, _ in sides)
    return Caps(
        radius,
        positive / (negative + positive),
        np.array([heights for _, heights, _ in sides]),
        np.array([slopes for _, _, slopes in sides]),
    )


def _cap(lowest: float, dim: int) -> tuple[float, Float, Float]:
    """Return the share of the unit ball above height ``lowest``, and a table of the heights' inverse distribution.

    A height t has density proportional to (1 - t^2)^((d-1)/2), so t^2 follows a beta distribution. The table is in
    y = -log(share above t / share of the cap): smooth up to the pole, and dt/dy is the inverse hazard rate.
    """
    shape = (dim + 1) / 2
    above = 0.5 * float(special.betainc(shape, 0.5, 1.0 - lowest**2))
    share = above if lowest >= 0.0 else 1.0 - above
    remaining = share * np.exp(-np.linspace(0.0, LARGEST_EXPONENT, KNOTS))
    if remaining[-1] < np.finfo(float).tiny:
        raise ValueError(f"margin must leave more of the ball: with dim {dim} hardly anybody is beyond {lowest}")
    tail = 2.0 * np.minimum(remaining, 1.0 - remaining)
    complement = special.betaincinv(shape, 0.5, tail)
    heights = np.copysign(np.sqrt(special.betainccinv(0.5, shape, tail)), 0.5 - remaining)
    density = complement ** ((dim - 1) / 2) / special.beta(0.5, shape)
    with np.errstate(divide="ignore", over="ignore"):
        slopes = remaining / density
    # Three times the secant keeps a cubic monotone where the slope is infinite (a cap that is nearly the ball).
    secants = np.diff(heights) * (KNOTS - 1) / LARGEST_EXPONENT
    slopes[:-1] = np.minimum(slopes[:-1], 3.0 * secants)
    slopes[1:] = np.minimum(slopes[1:], 3.0 * secants)
    return share, heights, slopes


def _unit_normal(classifier: Float) -> Float:
    norm = np.linalg.norm(classifier[:-1])
    if norm == 0.0:
        raise ValueError("separator must have weights that are not all 0")
    return np.asarray(classifier / norm)


def _probability(noise: float) -> float:
    return finite_number("noise", noise, minimum=0.0, maximum=1.0)


def _parse(entry: str, path: str | os.PathLike[str], row: int, column: str) -> float:
    try:
        return float(entry)
    except ValueError:
        raise ValueError(f"{os.fspath(path)}, row {row}, column {column!r} must be a number, got {entry!r}") from None
