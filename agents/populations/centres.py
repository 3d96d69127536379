"""Populations whose points are labelled by the nearest of K hidden centres."""

import numpy as np
from numpy.typing import ArrayLike

from agents.foundation.checks import (
    LARGEST_LENGTH,
    LARGEST_SIZE,
    count,
    finite_features,
    finite_length,
    finite_number,
    one_of,
)
from agents.foundation.typing import Float, Key
from agents.foundation.unchangeable import ReadOnly
from agents.populations import centre_labels, centre_queries  # noqa: F401  (the rules of these sources)
from agents.populations.centre_source import BALL, INNER, NEAR_BOUNDARY, PERCEPTRON, RANDOM, ROWS, SPHERE, CentreSource
from agents.populations.labelled import NO_ORIGIN, MulticlassPopulation

SIMILARITIES = ("inner", "euclidean")
QUERIES = ("sphere", "ball", "near_boundary", "adversary", "data")
POINT_QUERIES = ("sphere", "ball", "data", "adversary")
_KINDS = dict(zip(QUERIES, (SPHERE, BALL, NEAR_BOUNDARY, PERCEPTRON, ROWS), strict=True))
# Beyond this power the largest coordinate alone decides, as far as float64 can tell.
LARGEST_POWER = 64.0


class HiddenCentres(MulticlassPopulation):
    """Queries whose label is the nearest of K centres, which are drawn uniformly from the unit ball.

    Parameters
    ----------
    dim : int, optional
        Number of features d: 3, or those of ``data``.
    centres : int
        K, the number of labels.
    similarity : str
        What is nearest: the largest inner product (``"inner"``), or the smallest Euclidean distance (``"euclidean"``).
    p : float, optional
        At least 1: in place of a similarity, the smallest distance ``|q - x|_p`` is nearest. Even, unless queries have
        ``levels``.
    query : str
        How queries come: uniform on the unit sphere (``"sphere"``) or in the unit ball (``"ball"``); where the nearest
        centre leads by 1e-6 to 1e-1, evenly in logarithms (``"near_boundary"``); from an adversary of a Perceptron,
        with leads of the margin and of 1e-6 (``"adversary"``); rows of ``data``, pass after pass in random orders
        (``"data"``).
    margin : float
        A query is robust if the nearest centre leads by at least this.
    levels : int, optional
        Round every coordinate to the nearest of so many equally spaced values in [-1, 1], at least 2.
    pool : int, optional
        Draw this many queries at the start and let them come at random; by default every query is new.
    data : array_like, shape (M, d), optional
        Queries, to be scaled into the unit ball by their largest norm; for ``query="data"`` alone.
    noise : float
        Probability that the label told is replaced by one drawn uniformly from all K.

    Attributes
    ----------
    p : float or None
        Of the distance; None for inner products.
    is_lp : bool
        Whether p was given.

    Raises
    ------
    TypeError, ValueError
        For numbers out of range (see `agents.foundation.checks`), unknown names, or options that exclude each other.

    Notes
    -----
    Near the boundary and from adversaries, queries have norm 1 for inner products, and lie in the unit ball otherwise.
    The adversary knows the centres and the Perceptron (`learners.MulticlassPerceptron`), not who plays. With two
    centres and inner products in three dimensions or more, its queries are those that the Perceptron errs on in every
    round, about ``sqrt(T) |x_0 - x_1| / margin`` times at the margin; otherwise it takes one of 60 random ones that
    the Perceptron gets wrong.

    Examples
    --------
    >>> import numpy as np
    >>> from agents import HiddenCentres
    >>> from agents.foundation.streams import game_key
    >>> population, key = HiddenCentres(dim=2, centres=3, similarity="euclidean"), game_key(seed=0)
    >>> queries, labels = population.points(key, rounds=100)
    >>> distances = np.linalg.norm(queries[:, np.newaxis] - population.hidden(key), axis=2)
    >>> bool((distances.argmin(axis=1) == labels).all())
    True
    """

    data = ReadOnly()

    def __init__(
        self,
        dim: int | None = None,
        centres: int = 3,
        *,
        similarity: str = "inner",
        p: float | None = None,
        query: str = "sphere",
        margin: float = 0.1,
        levels: int | None = None,
        pool: int | None = None,
        data: ArrayLike | None = None,
        noise: float = 0.0,
    ) -> None:
        self.query = one_of("query", query, QUERIES)
        self._data = np.empty((0, 0)) if data is None else _in_unit_ball(finite_features("data", data))
        if (data is None) == (query == "data"):
            raise ValueError(f"data must be given for query='data' and for no other, got query={query!r}")
        columns = 3 if data is None else self._data.shape[1]
        self.dim = columns if dim is None else count("dim", dim, minimum=1, maximum=LARGEST_LENGTH)
        if data is not None and self.dim != columns:
            raise ValueError(f"dim must be {columns}, as the data has, got {dim}")
        self.classes = count("centres", centres, minimum=2, maximum=LARGEST_SIZE // self.dim)
        self.similarity = one_of("similarity", similarity, SIMILARITIES)
        self.is_lp = p is not None
        euclidean = 2.0 if similarity == "euclidean" else None
        self.p = euclidean if p is None else finite_number("p", p, minimum=1.0, maximum=LARGEST_POWER)
        self.margin = finite_length("margin", margin, above=0.0)
        self.noise = finite_number("noise", noise, minimum=0.0, maximum=1.0)
        self.levels = None if levels is None else count("levels", levels, minimum=2, maximum=LARGEST_LENGTH)
        self.pool = None if pool is None else count("pool", pool, minimum=1, maximum=LARGEST_SIZE)
        self._check_together()
        # Rounding to levels may lead out of the ball, but never out of the cube.
        reach = 0.0 if self.levels is None else np.sqrt(self.dim) / (self.levels - 1)
        self.radius = float(min(np.sqrt(self.dim), 1.0 + reach))
        self.high = np.ones(self.dim)
        self.low = -self.high

    def _check_together(self) -> None:
        """Check options against each other."""
        if self.levels is None and self.p is not None and self.p % 2.0:
            raise ValueError(f"p must be even unless queries have levels, got {self.p:g} without levels")
        if self.query in ("near_boundary", "adversary"):
            if self.levels is not None:
                raise ValueError(f"levels must not be given for query={self.query!r}, which needs finer queries")
            if self.dim < 2 and self.p is None:
                raise ValueError(f"dim must be at least 2 for query={self.query!r} and inner products, got {self.dim}")
        if self.pool is not None and self.query in ("adversary", "data"):
            raise ValueError(f"pool must not be given for query={self.query!r}, which draws none, got {self.pool}")

    def hidden(self, key: Key) -> Float:
        """Return the centres (K, d) of the population with this key."""
        centres = np.empty((self.classes, self.dim))
        for place, centre in enumerate(centres):
            centre_queries.draw_centre(key, place, centre)
        return centres

    def source(self, population_key: Key | None = None) -> CentreSource:
        """Return how queries come, and how they are labelled."""
        return CentreSource(
            classes=self.classes,
            power=INNER if self.p is None else self.p,
            exponent=1.0,
            query=_KINDS[self.query],
            margin=self.margin,
            levels=self.levels or 0,
            pool=self.pool or 0,
            noise=self.noise,
            corruption=0,
            pattern=RANDOM,
            rounds=1,
            places=np.arange(self.dim),
            rows=self._data if self.query == "data" else np.empty((0, self.dim)),
            origin=NO_ORIGIN if population_key is None else population_key[np.newaxis],
        )


class HiddenPoint(HiddenCentres):
    """Queries to a hidden point, drawn uniformly from the unit ball, whose inner products with them are to be guessed.

    Parameters
    ----------
    dim : int, optional
        Number of features d: 3, or those of ``data``.
    query : str
        How queries come: ``"sphere"``, ``"ball"`` or ``"data"``, as for `HiddenCentres`; or from an adversary that asks
        whoever plays for guesses, and takes the one of 60 random queries where the guess misses most
        (``"adversary"``).
    margin : float
        A guess that misses by at least this is a mistake.
    pool : int, optional
        Draw this many queries at the start and let them come at random; by default every query is new.
    data : array_like, shape (M, d), optional
        Queries, to be scaled into the unit ball by their largest norm; for ``query="data"`` alone.

    Raises
    ------
    TypeError, ValueError
        For numbers out of range, or an unknown name.

    Examples
    --------
    >>> from agents import HiddenPoint
    >>> from agents.foundation.streams import game_key
    >>> HiddenPoint(dim=4).hidden(game_key(seed=0)).shape
    (1, 4)
    """

    def __init__(
        self,
        dim: int | None = None,
        *,
        query: str = "sphere",
        margin: float = 0.1,
        pool: int | None = None,
        data: ArrayLike | None = None,
    ) -> None:
        super().__init__(dim, query=one_of("query", query, POINT_QUERIES), margin=margin, pool=pool, data=data)
        self.classes = 1


def _in_unit_ball(rows: Float) -> Float:
    """Scale rows (M, d) so that the longest has norm 1."""
    norm = np.linalg.norm(rows, axis=1).max()
    if norm == 0.0:
        raise ValueError("data must hold a row that is not 0, got none")
    # Rounding may leave it a little longer.
    scaled = rows / (norm * (1.0 + 1e-12))
    return np.ascontiguousarray(np.clip(scaled, -1.0, 1.0))
