"""Queries labelled by the nearest of K hidden centres: what compiled code knows of them, and how far centres are.

A `CentreSource` says how queries come and which of their labels are told wrongly, in any game; `CentresDrawn` holds
what N games have drawn of it, and what they count. `agents.populations.centre_queries` and
`agents.populations.centre_labels` have the rules.
"""

import math
from typing import NamedTuple

import numpy as np

from agents.foundation.compiled import loop
from agents.foundation.lanes import dot
from agents.foundation.typing import Float, Int, Key

SPHERE, BALL, NEAR_BOUNDARY, ROWS, PERCEPTRON, ADAPTIVE = range(6)
RANDOM, EARLY, LATE = range(3)
INNER = 0.0  # in place of a power: nearest by inner product
# What `CentresDrawn.judged` and ``counted`` hold.
LOSS, LEAD, TOLD, ROBUST, SIZE = range(5)
ROBUST_MISTAKES, WRONG_LABELS, SIZE_OF_WRONG_LABELS = range(1, 4)


class CentreSource(NamedTuple):
    """How queries come, and how they are labelled and told: all that compiled code needs to know.

    Attributes
    ----------
    classes : int
        K, the number of centres.
    power : float
        p of the distance ``|q - x|_p``; `INNER`: the nearest centre has the largest inner product.
    exponent : float
        Of the loss, on how much nearer the nearest centre is than the one that was named.
    query : int
        ``SPHERE`` or ``BALL`` (uniform), ``NEAR_BOUNDARY``, ``ROWS`` (given ones, pass after pass), ``PERCEPTRON`` (an
        adversary of a Perceptron), ``ADAPTIVE`` (one of whoever plays).
    margin : float
        Mistakes at queries with at least this lead are robust; the lead of an adversary's larger queries.
    levels : int
        To so many equally spaced values in [-1, 1] every coordinate is rounded; 0: not at all.
    pool : int
        So many queries are drawn beforehand and come at random; 0: every query is new.
    noise : float
        Probability that the label told is drawn uniformly from all K.
    corruption, pattern : int
        How many labels of an episode are told wrongly, and which: ``RANDOM``, ``EARLY`` or ``LATE``.
    rounds : int
        Of an episode.
    places : ndarray, shape (d,), int64
        0, 1, ..., d - 1.
    rows : ndarray, shape (M, d)
    origin : ndarray, shape (1 or 0, 2), uint64
        The key that centres and pool are drawn from; the game's own where there is none.
    """

    classes: int
    power: float
    exponent: float
    query: int
    margin: float
    levels: int
    pool: int
    noise: float
    corruption: int
    pattern: int
    rounds: int
    places: Int
    rows: Float
    origin: Key

    def nothing_drawn(self, games: int) -> "CentresDrawn":
        """Return what so many games have drawn before they begin."""
        centres = games, self.classes, len(self.places)
        return CentresDrawn(
            keys=np.zeros((games, 2), dtype=np.uint64),
            origins=np.zeros((games, 2), dtype=np.uint64),
            centres=np.zeros(centres),
            gaps=np.zeros(centres[:2]),
            judged=np.zeros((games, 5)),
            counted=np.zeros((games, 4)),
            weights=np.zeros(centres if self.query == PERCEPTRON else (games, 0, 0)),
            scratch=np.zeros((games, 3, len(self.places))),
        )


class CentresDrawn(NamedTuple):
    """What N games have drawn, and what they count.

    Attributes
    ----------
    keys, origins : ndarray, shape (N, 2), uint64
        Of the episode, and of its population.
    centres : ndarray, shape (N, K, d)
    gaps : ndarray, shape (N, K)
        How much farther each centre is from the query that is shown than the nearest one.
    judged : ndarray, shape (N, 5)
        Of the last round: ``LOSS``; ``LEAD``, the smallest gap of another centre; ``TOLD``, the label that was told;
        ``ROBUST``, whether it was a robust mistake; ``SIZE``, the gap of the label that was told.
    counted : ndarray, shape (N, 4)
        Over all rounds: ``LOSS``, ``ROBUST_MISTAKES``, ``WRONG_LABELS``, and their total gap.
    weights : ndarray, shape (N, K, d)
        Of the Perceptron that queries are aimed at; (N, 0, 0) where there is none.
    scratch : ndarray, shape (N, 3, d)
        Two ends of a segment, and the last query that was aimed.
    """

    keys: Key
    origins: Key
    centres: Float
    gaps: Float
    judged: Float
    counted: Float
    weights: Float
    scratch: Float


@loop
def farness(power: float, centre: Float, query: Float) -> float:
    """Return how far a centre is from a query: minus the inner product, or the distance ``|q - x|_p``."""
    if power == INNER:
        return -dot(centre, query)
    total = 0.0
    for i in range(query.shape[0]):
        step = abs(query[i] - centre[i])
        total += step * step if power == 2.0 else math.pow(step, power)
    return math.sqrt(total) if power == 2.0 else math.pow(total, 1.0 / power)


@loop
def write_gaps(source: CentreSource, centres: Float, query: Float, gaps: Float) -> int:
    """Write how much farther each centre is than the nearest to ``gaps`` (K,), and return the nearest (the lowest)."""
    nearest = 0
    for k in range(source.classes):
        gaps[k] = farness(source.power, centres[k], query)
        if gaps[k] < gaps[nearest]:
            nearest = k
    least = gaps[nearest]
    for k in range(source.classes):
        gaps[k] -= least
    return nearest


@loop
def smallest_other(gaps: Float, label: int) -> float:
    """Return the smallest of the gaps (K,) but that of ``label``."""
    least = np.inf
    for k in range(gaps.shape[0]):
        if k != label:
            least = min(least, gaps[k])
    return least


@loop
def farthest(gaps: Float) -> int:
    """Return the label with the largest gap; the lowest among ties."""
    worst = 0
    for k in range(gaps.shape[0]):
        if gaps[k] > gaps[worst]:
            worst = k
    return worst
