"""Populations whose members are given: sequences and data sets."""

import os
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from agents.foundation.checks import (
    finite_array,
    finite_features,
    finite_length,
    finite_reaches,
    flag,
    hyperplane,
    shown,
    signs,
)
from agents.foundation.tables import read_table
from agents.foundation.typing import Float, Key
from agents.foundation.unchangeable import ReadOnly
from agents.populations.arrivals import Arrivals, SourceArrivals
from agents.populations.population import Population, _probability
from agents.populations.sources import IN_ORDER, SHUFFLED, Source, members

# A column that varies less, in units of its size, keeps no more than three digits beyond rounding: it is constant.
ROUNDING = 1e-12


class FiniteKnown(Population):
    """A population whose members are given."""

    features, labels = ReadOnly(), ReadOnly()

    def _describe(self, features: Float, labels: Float) -> None:
        self._features, self._labels = features, labels
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

    Examples
    --------
    >>> from agents import FixedSequence
    >>> from agents.foundation.streams import game_key
    >>> population = FixedSequence(head=[([0.0, 5.0], 1)], block=[([3.0, 4.0], 1), ([-1.0, 0.0], -1)])
    >>> population.dim, population.radius
    (2, 5.0)
    >>> features, labels = population.arrivals(game_key(seed=0)).points(5)
    >>> labels
    array([ 1.,  1., -1.,  1., -1.])
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
        return members(self._features, self._labels, IN_ORDER, self.head)


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
    names : sequence of str, optional
        Of the columns; those of a DataFrame by default. Errors and pictures show them.
    alpha : array_like, shape (n,), optional
        The l2 reach of each row's individual, where they differ; the game's cost is then ``L2Cost`` of the largest.

    Attributes
    ----------
    kept : ndarray, shape (m,)
        The numbers of the rows that are kept.

    Raises
    ------
    ValueError
        For NaN, shapes that do not fit, numbers out of range (see `agents.foundation.checks`), labels other than -1 and
        +1, no rows, a constant column (if standardised).

    Examples
    --------
    >>> from agents import DataSet
    >>> from agents.foundation.streams import game_key
    >>> population = DataSet([[20.0, 1.0], [40.0, 3.0]], labels=[-1, 1])
    >>> population.features
    array([[-1., -1.],
           [ 1.,  1.]])
    >>> features, labels = population.arrivals(game_key(seed=0)).points(2)  # a pass
    >>> sorted(labels.tolist())
    [-1.0, 1.0]
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
        names: Sequence[str] | None = None,
        alpha: ArrayLike | None = None,
    ) -> None:
        columns = list(getattr(features, "columns", ()) if names is None else names)
        self.names = tuple(map(str, columns))
        rows = finite_features("features", features)
        if names is not None and len(columns) != rows.shape[1]:
            raise ValueError(f"names must hold one for each of {rows.shape[1]} columns, got {shown(names)}")
        marks = signs("labels", labels, len(rows))
        if flag("standardise", standardise):
            rows = standardised(rows, columns)
        if (separator is None) != (margin is None):
            raise ValueError("separator and margin go together: give both or neither")
        self.noise = _probability(noise)
        self.margin, self.separator = None, None
        reaches = None if alpha is None else finite_reaches("alpha", finite_array("alpha", alpha, (len(rows),)), 1)
        self.kept = np.arange(len(rows))
        if separator is not None:
            self.margin = finite_length("margin", margin, above=0.0)
            self.separator = _unit_normal(finite_array("separator", separator, (rows.shape[1] + 1,)))
            self.kept = np.flatnonzero(marks * (rows @ self.separator[:-1] + self.separator[-1]) >= self.margin)
            kept = self.kept
            if not len(kept):
                raise ValueError(f"margin must leave at least one row, got {margin}")
            rows, marks = np.ascontiguousarray(rows[kept]), marks[kept]
            reaches = None if reaches is None else reaches[kept]
        self._describe(rows, marks)
        self._budgets = None if reaches is None else reaches[:, np.newaxis].copy()
        if reaches is not None:
            if not reaches.any():
                raise ValueError("alpha must be above 0 for somebody, got zeros: L2Cost(0.0) says that nobody can move")
            self.alpha = float(reaches.min()), float(reaches.max())

    @classmethod
    def from_csv(
        cls,
        path: str | os.PathLike[str],
        *,
        label: str,
        positive: object,
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
        positive : object
            The entry of that column that means +1, as a text or a number; every other entry means -1.
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
        source = members(self._features, self._labels, SHUFFLED, noise=self.noise)
        if self._budgets is None:
            return source
        return source._replace(budgets=self._budgets, reaches=np.array(self.alpha))


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
