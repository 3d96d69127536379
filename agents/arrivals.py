"""Who arrives in which round: compiled rules, each a function of (key, round) alone.

An `Arrivals` is one episode of a population. It computes a block of rounds ahead, which only saves calls: what a round
draws does not depend on what was computed before.
"""

import math
from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np

from agents import streams
from agents.boundary import dot, length
from agents.compiled import compiled
from agents.typing import Float, Int, Key

BLOCK = 64
IN_ORDER, AT_RANDOM, SHUFFLED = range(3)
# -log of the smallest positive uniform number of 53 bits is 36.7.
LARGEST_EXPONENT = 37.0


@compiled
def member(order: int, key: Key, moment: int, size: int, head: int) -> int:
    """Return which member of a finite population arrives in a round.

    ``IN_ORDER``: the first ``head`` once, then the others over and over. ``AT_RANDOM``: uniform, independent.
    ``SHUFFLED``: pass after pass over all members, each pass in its own random order.
    """
    if order == IN_ORDER:
        return moment if moment < head else head + (moment - head) % (size - head)
    if order == AT_RANDOM:
        return streams.random_index(key, streams.ARRIVALS, moment, size)
    return streams.shuffled_index(key, streams.ARRIVALS, moment, size)


@compiled
def fill_members(order: int, key: Key, first: int, head: int, labels: Float, index: Int, label: Float) -> None:
    """Fill ``index`` and ``label`` (BLOCK,) for the rounds from ``first`` on; ``labels`` (M,) are the members'."""
    for k in range(index.shape[0]):
        index[k] = member(order, key, first + k, labels.shape[0], head)
        label[k] = labels[index[k]]


@compiled
def flip_labels(key: Key, noise: float, first: int, label: Float) -> None:
    """Flip each label with probability ``noise``."""
    for k in range(label.shape[0]):
        if streams.uniform(key, streams.NOISE, first + k) < noise:
            label[k] = -label[k]


@compiled
def height(heights: Float, slopes: Float, exponent: float) -> float:
    """Inverse distribution function of the height in a cap of the ball, from its table (cubic Hermite).

    ``exponent`` is ``-log`` of a uniform number; knots are equally spaced over [0, LARGEST_EXPONENT].
    """
    step = LARGEST_EXPONENT / (heights.shape[0] - 1)
    k = min(int(exponent / step), heights.shape[0] - 2)
    s = exponent / step - k
    rise = heights[k + 1] - heights[k]
    bend = slopes[k] * step * (1.0 - s) ** 2 + rise * s * (3.0 - 2.0 * s) - slopes[k + 1] * step * s * (1.0 - s)
    return float(heights[k] + s * bend)


@compiled
def separable_individual(
    key: Key,
    purpose: int,
    moment: int,
    direction: Float,
    radius: float,
    positive_share: float,
    heights: Float,
    slopes: Float,
    features: Float,
) -> float:
    """Draw an individual uniformly from the two caps of a ball beyond the margin; return its label.

    No rejection: first the side, then the height along ``direction`` (d,) from its truncated marginal (``heights`` and
    ``slopes`` hold a row for the negative and one for the positive side), then a uniform point of the slice at that
    height, written to ``features`` (d,).
    """
    d = direction.shape[0]
    bits = streams.philox(key, purpose, moment, 0)
    positive = streams.unit(bits[0]) < positive_share
    label = 1.0 if positive else -1.0
    side = 1 if positive else 0
    t = height(heights[side], slopes[side], -math.log(1.0 - streams.unit(bits[1])))
    streams.fill_normals(key, purpose, moment, features)
    stretch = 0.0
    if d > 1:
        along = dot(features, direction)
        for i in range(d):
            features[i] -= along * direction[i]
        inside = math.sqrt(max(0.0, 1.0 - t * t)) * streams.unit(bits[2]) ** (1.0 / (d - 1))
        stretch = radius * inside / length(features)
    for i in range(d):
        features[i] = stretch * features[i] + radius * label * t * direction[i]
    return label


@compiled
def fill_separable(
    key: Key,
    purpose: int,
    first: int,
    direction: Float,
    radius: float,
    positive_share: float,
    heights: Float,
    slopes: Float,
    features: Float,
    labels: Float,
) -> None:
    """Draw ``len(labels)`` individuals, the k-th at moment ``first + k``."""
    for k in range(labels.shape[0]):
        labels[k] = separable_individual(
            key, purpose, first + k, direction, radius, positive_share, heights, slopes, features[k]
        )


class Arrivals(ABC):
    """The individuals of one episode, a block of rounds at a time.

    Attributes
    ----------
    features : ndarray, shape (M, d)
        True features that ``index`` points into.
    index : ndarray, shape (BLOCK,), int64
        Row of ``features`` of each round of the block.
    label : ndarray, shape (BLOCK,)
        True label of each round of the block, noise included.
    separator : ndarray (d + 1,) or None
        ``[w*, b*]`` with ``|w*| = 1`` where the population knows one.
    """

    def __init__(self, key: Key, features: Float, noise: float, separator: Float | None) -> None:
        self.features = features
        self.separator = separator
        self.index = np.arange(BLOCK)
        self.label = np.empty(BLOCK)
        self._key, self._noise = key, noise

    def fill(self, first: int) -> None:
        """Compute the block that begins with round ``first`` (rounds count from 0)."""
        self._draw(first)
        if self._noise > 0.0:
            flip_labels(self._key, self._noise, first, self.label)

    @abstractmethod
    def _draw(self, first: int) -> None:
        """Fill the block before label noise."""

    def points(self, rounds: int) -> tuple[Float, Float]:
        """Return the true features (rounds, d) and labels (rounds,) of the episode's first rounds."""
        features = np.empty((rounds, self.features.shape[1]))
        labels = np.empty(rounds)
        for first in range(0, rounds, BLOCK):
            self.fill(first)
            n = min(BLOCK, rounds - first)
            features[first : first + n] = self.features[self.index[:n]]
            labels[first : first + n] = self.label[:n]
        return features, labels


class MemberArrivals(Arrivals):
    """Members of a finite population, in an ``order``; ``head`` as for `member`."""

    def __init__(
        self,
        key: Key,
        features: Float,
        labels: Float,
        order: int,
        head: int = 0,
        noise: float = 0.0,
        separator: Float | None = None,
    ) -> None:
        super().__init__(key, features, noise, separator)
        self._labels, self._order, self._head = labels, order, head

    def _draw(self, first: int) -> None:
        fill_members(self._order, self._key, first, self._head, self._labels, self.index, self.label)


class Caps(NamedTuple):
    """The two parts of a ball beyond a margin, one on each side of a hyperplane (rows: negative, positive side)."""

    radius: float
    positive_share: float
    heights: Float
    slopes: Float


class FreshArrivals(Arrivals):
    """A new individual every round, from the two caps of a ball (see `separable_individual`)."""

    def __init__(self, key: Key, caps: Caps, noise: float, separator: Float) -> None:
        super().__init__(key, np.empty((BLOCK, separator.size - 1)), noise, separator)
        self._direction, self._caps = separator[:-1], caps

    def _draw(self, first: int) -> None:
        fill_separable(self._key, streams.ARRIVALS, first, self._direction, *self._caps, self.features, self.label)
