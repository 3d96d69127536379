"""Where points with one of K labels come from: texts of made-up words, Gaussian mixtures, data sets.

Labels are 0, 1, ..., K - 1. A population is drawn from a key, then its points are; nobody manipulates them.
"""

import math
from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from agents.foundation.checks import (
    LARGEST_COUNT,
    LARGEST_LENGTH,
    count,
    finite_array,
    finite_features,
    finite_length,
    finite_number,
    flag,
    plain_array,
    shown,
)
from agents.foundation.typing import Float, Int, Key
from agents.foundation.unchangeable import ReadOnly, Unchangeable
from agents.populations.finite import standardised
from agents.populations.labelled_points import (
    DATA,
    MIXTURE,
    NO_WORDS,
    WORDS,
    PointSource,
    Words,
    check_classes,
    check_point_source,
    check_points,
    classes_of,
)
from agents.populations.limits import Limits, check_features, check_unchanged, copied, is_own, limits_of
from agents.populations.many_points import Coming, ManyPoints

NO_ORIGIN = np.empty((0, 2), dtype=np.uint64)


class MulticlassPopulation(Unchangeable):
    """A source of points with labels.

    Attributes
    ----------
    dim : int
        Number of features d.
    classes : int
        Number of labels K, at least 2.
    radius : float
        The largest norm of a point.
    low, high : ndarray, shape (d,)
        Bounds of the points.
    noise : float
        Probability that a label is replaced by one drawn uniformly from all K, which may be the same.

    Notes
    -----
    Of a population of your own, games check these attributes and all that its methods return before they play it.
    Those of this package cannot be changed once they are made.

    Examples
    --------
    Points of your own, by way of a population that is there:

    >>> import numpy as np
    >>> from agents import LabelledData, MulticlassPopulation
    >>> from agents.foundation.streams import game_key
    >>> class TwoPoints(MulticlassPopulation):
    ...     dim, classes, radius, noise = 1, 2, 1.0, 0.0
    ...     low, high = np.array([-1.0]), np.array([1.0])
    ...     def source(self, population_key=None):
    ...         return LabelledData([[-1.0], [1.0]], labels=[0, 1]).source(population_key)
    >>> features, labels = TwoPoints().points(game_key(seed=0), rounds=2)
    >>> features[:, 0] == 2.0 * labels - 1.0
    array([ True,  True])
    """

    dim: int
    classes: int
    radius: float
    low: Float
    high: Float
    noise: float

    @abstractmethod
    def source(self, population_key: Key | None = None) -> Coming:
        """Return how points come in any game, in a form for compiled code.

        Parameters
        ----------
        population_key : ndarray, shape (2,), uint64, optional
            Draws the population itself (`agents.foundation.streams.game_key`); each game's own key by default.
        """

    def points(self, key: Key, rounds: int, population_key: Key | None = None) -> tuple[Float, Int]:
        """Return the points (rounds, d) and labels (rounds,), int64, of the episode with this key."""
        many = ManyPoints(played_point_source(self, self.source(population_key)), 1)
        many.begin(np.zeros(1, dtype=np.int64), key[np.newaxis])
        return many.points(0, rounds)


def multiclass_limits(population: MulticlassPopulation) -> Limits:
    """Return what a population says of its points, and check its number of classes.

    Raises
    ------
    TypeError, ValueError
        If an attribute is missing, or is not what `MulticlassPopulation` says.
    """
    count("the population's classes", getattr(population, "classes", None), minimum=2, maximum=LARGEST_COUNT)
    return limits_of(population)


def played_point_source(population: MulticlassPopulation, source: Coming, made_with: Limits | None = None) -> Coming:
    """Return the source that a population returned, in a form that a game can play; it must say what it was made with.

    Raises
    ------
    TypeError, ValueError
        If it is no source, or holds what compiled code cannot take or what the population denies.
    """
    if not is_own(population):
        return source
    if not isinstance(source, PointSource):
        raise TypeError(f"the population's source() must return a PointSource, got {shown(source)}")
    limits, classes = multiclass_limits(population), population.classes
    if made_with is not None:
        check_unchanged(population, made_with)
    check_point_source(source)
    check_points(source, made_with or limits, classes)
    # Compiled code knows them as floats, and nobody else knows the arrays.
    return copied(source)._replace(noise=limits.noise, spread=float(source.spread), radius=float(source.radius))


def played_points(population: MulticlassPopulation, points: tuple[Float, Int], rounds: int) -> tuple[Float, Int]:
    """Return the points (rounds, d) and labels (rounds,) that a population returned, if they are what it says.

    Raises
    ------
    TypeError, ValueError
        If they are not.
    """
    if not is_own(population):
        return points
    if not isinstance(points, tuple) or len(points) != 2:
        raise TypeError(f"the population's points() must return features and labels, got {shown(points)}")
    features = plain_array("the points' features", points[0], (rounds, population.dim))
    check_features("the points' features", features, multiclass_limits(population))
    labels = plain_array("the points' labels", points[1], (rounds,), np.int64)
    check_classes("the points' labels", labels, population.classes)
    return features, labels


class _Texts(MulticlassPopulation):
    """Points of 0 and 1 that are made by `Words`."""

    # Every number of `Words` is a multiple of the unit that the number of features is made of.
    _features_per_unit: ClassVar[int]
    _words_per_unit: ClassVar[Words]

    def __init__(self, dim: int = 80, classes: int = 9, *, noise: float = 0.0) -> None:
        self.dim = count("dim", dim, minimum=1, maximum=LARGEST_LENGTH)
        unit, rest = divmod(self.dim, self._features_per_unit)
        if rest:
            raise ValueError(f"dim must be a multiple of {self._features_per_unit}, got {dim}")
        self._words = words = Words(*(unit * number for number in self._words_per_unit))
        self.classes = count("classes", classes, minimum=2, maximum=classes_of(words))
        self.noise = _probability(noise)
        self.radius = math.sqrt(words.most - words.lacking + words.tail)
        self.low, self.high = np.zeros(self.dim), np.ones(self.dim)

    def source(self, population_key: Key | None = None) -> PointSource:
        """Return how texts are made."""
        return _source(WORDS, self, population_key)._replace(words=self._words)


class Prototypes(_Texts):
    """Texts that hold all words of their class and as many others: SynSep, or with noise SynNonSep, of Gappletron.

    With n = d / 40: of 10 n words each class owns n to 5 n, no two classes the same; a text uses all of its class, and
    5 n of 30 n others, which say nothing. Without noise, classes are linearly separable (`separator`).

    Parameters
    ----------
    dim : int
        Number of features d, a multiple of 40.
    classes : int
        Number of labels K.
    noise : float
        Probability that a label is replaced by one drawn uniformly from all K.

    Raises
    ------
    ValueError
        For numbers out of range, or more classes than have distinct words easily.

    References
    ----------
    van der Hoeven, Fusco, Cesa-Bianchi (2021), Beyond bandit feedback in online multiclass classification, Appendix F.

    Examples
    --------
    >>> from agents import Prototypes
    >>> from agents.foundation.streams import game_key
    >>> population, key = Prototypes(dim=40, classes=3), game_key(seed=0)
    >>> features, labels = population.points(key, rounds=100)
    >>> (features @ population.separator(key).T).argmax(axis=1).tolist() == labels.tolist()
    True
    """

    _features_per_unit = 40
    _words_per_unit = Words(head=10, least=1, most=5, lacking=0, tail=5)

    def separator(self, key: Key) -> Float:
        """Return weights (K, d) under which every point of the population with this key scores highest by its label.

        Row k is ``[2 p, -|p| / tail]`` with p the words of class k: the constant number of words in the tail serves as
        an intercept. Then ``score = |p'|^2 - |p' - p|^2`` at a point with the words p', so each margin is at least 1.
        """
        many = ManyPoints(self.source(), 1)
        many.begin(np.zeros(1, dtype=np.int64), key[np.newaxis])
        drawn: Any = many.drawn
        weights = np.zeros((self.classes, self.dim))
        for row, owned, size in zip(weights, drawn.owned[0], drawn.sizes[0], strict=True):
            row[owned[:size]] = 2.0
            row[self._words.head :] = -size / self._words.tail
        return weights


class Keywords(_Texts):
    """Texts that lack some words of their class: the documents that Kakade et al. made up for the Banditron.

    With n = d / 80: of 24 n words each class owns 4 n to 8 n; a text lacks n of its class, and uses 4 n of 56 n others,
    which say nothing. Theirs have d = 400.

    Parameters
    ----------
    dim : int
        Number of features d, a multiple of 80.
    classes, noise
        As for `Prototypes`.

    Raises
    ------
    ValueError
        As `Prototypes`.

    References
    ----------
    Kakade, Shalev-Shwartz, Tewari (2008), Efficient bandit algorithms for online multiclass prediction, Section 6.

    Examples
    --------
    >>> from agents import Keywords
    >>> from agents.foundation.streams import game_key
    >>> features, labels = Keywords(dim=80, classes=3).points(game_key(seed=0), rounds=5)
    >>> features[:, 24:].sum(axis=1)  # words that say nothing
    array([4., 4., 4., 4., 4.])
    """

    _features_per_unit = 80
    _words_per_unit = Words(head=24, least=4, most=8, lacking=1, tail=4)


class GaussianMixture(MulticlassPopulation):
    """Points normal around the centre of their class, which is drawn uniformly from the unit sphere.

    Parameters
    ----------
    dim : int
        Number of features d.
    classes : int
        Number of labels K.
    spread : float
        Standard deviation of each coordinate, greater than 0.
    noise : float
        Probability that a label is replaced by one drawn uniformly from all K.

    Raises
    ------
    ValueError
        For numbers out of range.

    Notes
    -----
    So that all is bounded, points farther from 0 than ``1 + spread (sqrt(d) + 6)``, about one in 10^8, are drawn back
    to that radius.

    Examples
    --------
    >>> from agents import GaussianMixture
    >>> from agents.foundation.streams import game_key
    >>> population = GaussianMixture(dim=4, classes=3, spread=0.25)
    >>> features, labels = population.points(game_key(seed=0), rounds=100)
    >>> features.shape, sorted(set(labels.tolist())), population.radius
    ((100, 4), [0, 1, 2], 3.0)
    """

    def __init__(self, dim: int = 80, classes: int = 9, *, spread: float = 0.2, noise: float = 0.0) -> None:
        self.dim = count("dim", dim, minimum=1, maximum=LARGEST_LENGTH)
        self.classes = count("classes", classes, minimum=2, maximum=LARGEST_LENGTH)
        self.spread = finite_length("spread", spread, above=0.0, maximum=1e90)
        self.noise = _probability(noise)
        self.radius = 1.0 + self.spread * (math.sqrt(self.dim) + 6.0)
        self.high = np.full(self.dim, self.radius)
        self.low = -self.high

    def source(self, population_key: Key | None = None) -> PointSource:
        """Return how points spread."""
        return _source(MIXTURE, self, population_key)._replace(spread=self.spread, radius=self.radius)


class LabelledData(MulticlassPopulation):
    """Real points: pass after pass over the rows, each pass in its own random order.

    Parameters
    ----------
    features : array_like or DataFrame, shape (n, d)
        Numeric features.
    labels : array_like, shape (n,)
        Integers from 0 to K - 1.
    classes : int, optional
        K; by default one more than the largest label.
    standardise : bool
        Whether to bring every column to mean 0 and standard deviation 1.
    intercept : bool
        Whether to append a feature that is always 1, since linear learners of labels have no intercept of their own.
    noise : float
        Probability that a label is replaced by one drawn uniformly from all K.

    Raises
    ------
    TypeError, ValueError
        For NaN, shapes that do not fit, labels that are none, numbers out of range (see `agents.foundation.checks`), no
        rows, a constant column (if standardised).

    Examples
    --------
    >>> from agents import LabelledData
    >>> population = LabelledData([[20.0], [40.0]], labels=[0, 1], intercept=True)
    >>> population.features
    array([[-1.,  1.],
           [ 1.,  1.]])
    >>> population.classes, population.dim
    (2, 2)
    """

    features, labels = ReadOnly(), ReadOnly()

    def __init__(
        self,
        features: ArrayLike,
        labels: ArrayLike,
        classes: int | None = None,
        *,
        standardise: bool = True,
        intercept: bool = False,
        noise: float = 0.0,
    ) -> None:
        rows = finite_features("features", features)
        marks = finite_array("labels", labels, (len(rows),))
        strange = marks[(marks < 0.0) | (marks != np.floor(marks)) | (marks >= LARGEST_LENGTH)]
        if strange.size:
            raise ValueError(f"labels must be integers from 0 on, got {strange[0]}")
        if flag("standardise", standardise):
            rows = standardised(rows, list(getattr(features, "columns", ())))
        if flag("intercept", intercept):
            rows = np.column_stack([rows, np.ones(len(rows))])
        largest = int(marks.max())
        self.classes = (
            max(2, largest + 1)
            if classes is None
            else count("classes", classes, minimum=max(2, largest + 1), maximum=LARGEST_LENGTH)
        )
        self._features, self._labels = np.ascontiguousarray(rows), marks.astype(np.int64)
        self.dim = rows.shape[1]
        self.radius = float(np.linalg.norm(rows, axis=1).max())
        self.low, self.high = rows.min(axis=0), rows.max(axis=0)
        self.noise = _probability(noise)

    def source(self, population_key: Key | None = None) -> PointSource:
        """Return how the rows follow each other."""
        return _source(DATA, self, population_key)._replace(features=self._features, labels=self._labels)


def _source(kind: int, population: MulticlassPopulation, population_key: Key | None) -> PointSource:
    """Return a source whose kind's own fields are yet to be filled in."""
    dim = population.dim
    return PointSource(
        kind=kind,
        classes=population.classes,
        noise=population.noise,
        words=NO_WORDS,
        spread=0.0,
        radius=population.radius,
        places=np.arange(dim),
        features=np.empty((0, dim)),
        labels=np.empty(0, dtype=np.int64),
        origin=NO_ORIGIN if population_key is None else population_key[np.newaxis],
    )


def _probability(noise: float) -> float:
    return finite_number("noise", noise, minimum=0.0, maximum=1.0)
