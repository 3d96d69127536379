"""Who arrives in which round: compiled rules, each a function of (key, round) alone.

An `Arrivals` is one episode of a population. It computes a block of rounds ahead, which only saves calls: what a round
draws does not depend on what was computed before.
"""

from abc import ABC, abstractmethod

import numpy as np

from agents import streams
from agents.caps import Caps, fill_separable
from agents.compiled import compiled
from agents.typing import Float, Int, Key

BLOCK = 64
IN_ORDER, AT_RANDOM, SHUFFLED = range(3)


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
def fill_budgets(key: Key, first: int, least: float, largest: float, budgets: Float) -> None:
    """Draw each ``alpha`` (n, 1) uniformly from ``[least, largest]``, the k-th at moment ``first + k``."""
    for k in range(budgets.shape[0]):
        budgets[k, 0] = least + (largest - least) * streams.uniform(key, streams.REACH, first + k)


@compiled
def flip_labels(key: Key, noise: float, first: int, label: Float) -> None:
    """Flip each label with probability ``noise``."""
    for k in range(label.shape[0]):
        if streams.uniform(key, streams.NOISE, first + k) < noise:
            label[k] = -label[k]


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
    budgets : ndarray, shape (M, 1), or None
        alpha of each row of ``features``, where individuals differ.
    """

    budgets: Float | None = None

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


class FreshArrivals(Arrivals):
    """A new individual every round, from the two caps of a ball (see `agents.caps`)."""

    def __init__(
        self, key: Key, caps: Caps, noise: float, separator: Float, alpha: tuple[float, float] | None = None
    ) -> None:
        super().__init__(key, np.empty((BLOCK, separator.size - 1)), noise, separator)
        self._direction, self._caps, self._alpha = separator[:-1], caps, alpha
        self.budgets = None if alpha is None else np.empty((BLOCK, 1))

    def _draw(self, first: int) -> None:
        fill_separable(self._key, streams.ARRIVALS, first, self._direction, *self._caps, self.features, self.label)
        if self._alpha is not None and self.budgets is not None:
            fill_budgets(self._key, first, *self._alpha, self.budgets)
