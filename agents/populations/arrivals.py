"""Who arrives in which round: compiled rules, each a function of (key, round) alone.

A `Source` says how the individuals of a population arrive, in any game; `Arrivals` are those of one episode of one
game, `ManyArrivals` those of N games. Both compute a block of rounds ahead, which only saves calls: what a round draws
does not depend on what was computed before.
"""

from abc import ABC, abstractmethod

import numpy as np

from agents.foundation import streams
from agents.foundation.compiled import compiled, inlined, loop
from agents.foundation.lanes import length
from agents.foundation.typing import Float, Int, Key
from agents.populations.caps import Caps, separable_individual
from agents.populations.groups import share_of
from agents.populations.limits import checked_block
from agents.populations.sources import AT_RANDOM, IN_ORDER, NEW, SHUFFLED, Source, check_source

BLOCK = 64


@inlined
def fill_members(order: int, key: Key, first: int, size: int, head: int, index: Int) -> None:
    """Fill ``index`` (n,) with the members who arrive in the rounds from ``first`` on.

    ``IN_ORDER``: the first ``head`` of ``size`` once, then the others over and over. ``AT_RANDOM``: uniform,
    independent. ``SHUFFLED``: pass after pass over all members, each pass in its own random order. ``NEW``: numbers.
    """
    if order == AT_RANDOM:
        streams.fill_random_indices(key, streams.ARRIVALS, first, size, index)
        return
    for k in range(index.shape[0]):
        round = first + k
        if order == IN_ORDER:
            index[k] = round if round < head else head + (round - head) % (size - head)
        elif order == SHUFFLED:
            index[k] = streams.shuffled_index(key, streams.ARRIVALS, round, size)
        else:
            index[k] = round


@inlined
def draw_alpha(reaches: Float, key: Key, round: int) -> float:
    """Draw an individual's alpha uniformly from an interval (2,)."""
    least, largest = reaches
    return float(least + (largest - least) * streams.uniform(key, streams.REACH, round))


@compiled
def draw_direction(key: Key, nonnegative: bool, direction: Float) -> None:
    """Draw w* (d,) uniformly from the sphere, or from its non-negative part."""
    streams.fill_normals(key, streams.POPULATION, 0, direction)
    norm = length(direction)
    for i in range(direction.shape[0]):
        direction[i] = (abs(direction[i]) if nonnegative else direction[i]) / norm


@inlined
def fill_block(
    source: Source,
    caps: Caps | None,
    key: Key,
    direction: Float,
    first: int,
    place: int,
    index: Int,
    label: Float,
    features: Float,
    budgets: Float,
) -> None:
    """Let the individuals of one game's rounds from ``first`` on arrive.

    Parameters
    ----------
    source : Source
    caps : Caps or None
        Those of the source; None where its individuals are given, so that nothing is compiled which draws some.
    key : ndarray, shape (2,), uint64
        Of the game.
    direction : ndarray, shape (d,)
        w* of the game, where its population has caps.
    first, place : int
        First round, and the row of ``features`` (and ``budgets``) for whoever is computed first.
    index : ndarray, shape (n,), int64
        Overwritten with the row of ``features`` that each individual stands in.
    label : ndarray, shape (n,)
        Overwritten with the true labels, noise included.
    features, budgets : ndarray, shape (M, d) and (M, 1)
        The source's own, unless individuals are computed: then rows from ``place`` on are overwritten.
    """
    fill_members(source.order, key, first, source.size, source.head, index)
    for k in range(index.shape[0]):
        row = index[k]
        if caps is None:
            label[k] = source.labels[row]
        else:
            index[k] = place + k
            label[k] = draw_individual(source, caps, key, direction, row, index[k], features, budgets)
        if source.noise > 0.0 and streams.uniform(key, streams.NOISE, first + k) < source.noise:
            label[k] = -label[k]


@inlined
def draw_individual(
    source: Source, caps: Caps, key: Key, direction: Float, row: int, place: int, features: Float, budgets: Float
) -> float:
    """Compute a new individual, or member ``row`` of a pool, into row ``place``; return the label."""
    new = source.order == NEW
    purpose, round = (streams.ARRIVALS, row) if new else (streams.POPULATION, 1 + row)
    if source.tiers.shape[1] > 0:
        budgets[place, 0] = source.tiers[1, share_of(source.tiers[0], streams.scalar(key, streams.GROUP, round))]
    elif source.reaches[1] > 0.0:
        budgets[place, 0] = draw_alpha(source.reaches, key, round)
    return separable_individual(key, purpose, round, direction, caps, features[place])


@loop
def draw_pool(source: Source, key: Key, direction: Float, features: Float, labels: Float, budgets: Float) -> None:
    """Compute every member of a pool: ``features`` (M, d), ``labels`` (M,) and, where they differ, ``budgets``."""
    for row in range(labels.shape[0]):
        labels[row] = draw_individual(source, source.caps, key, direction, row, row, features, budgets)


@loop
def begin_games(source: Source, keys: Key, games: Int, directions: Float) -> None:
    """Draw w* for each of the ``games`` (n,) from its row of ``keys`` (N, 2) into its row of ``directions`` (N, d)."""
    for game in games:
        drawn_from = source.origin[0] if source.origin.shape[0] > 0 else keys[game]
        draw_direction(drawn_from, source.nonnegative, directions[game])


@loop
def fill_games(
    source: Source,
    caps: Caps | None,
    keys: Key,
    directions: Float,
    rounds: Int,
    index: Int,
    label: Float,
    features: Float,
    budgets: Float,
    wanted: int,
) -> int:
    """Fill the blocks of all games that stand at the first round of one; return for how many rounds that suffices.

    ``rounds`` (N,) are those that come next; ``index`` and ``label`` (N, n) hold a block of n rounds of each game, n a
    power of two, of which the first ``wanted`` are filled.
    """
    size = index.shape[1]
    nearest = size
    for game in range(rounds.shape[0]):
        at = rounds[game] & (size - 1)
        if at == 0:
            fill_block(
                source,
                caps,
                keys[game],
                directions[game],
                rounds[game],
                game * size,
                index[game, :wanted],
                label[game, :wanted],
                features,
                budgets,
            )
        nearest = min(nearest, size - at)
    return int(nearest)


class ManyArrivals:
    """The individuals of N games, a block of rounds at a time.

    Parameters
    ----------
    source : Source
    games : int
        N.
    block : int
        Rounds computed at a time: a power of two, at least 4 unless everybody is new.

    Attributes
    ----------
    features : ndarray, shape (M, d)
        True features that ``index`` points into.
    index : ndarray, shape (N, block), int64
        Row of ``features`` of each round of each game's block.
    label : ndarray, shape (N, block)
        True labels, noise included.
    budgets : ndarray, shape (M, 1), or None
        alpha of each row of ``features``, where individuals differ.
    own_budgets : ndarray, shape (M, 1)
        The same; without rows where they do not differ.
    keys : ndarray, shape (N, 2), uint64
    directions : ndarray, shape (N, d)
        w* of each game, where its population has caps.
    """

    def __init__(self, source: Source, games: int, block: int) -> None:
        check_source(source)
        dim = source.features.shape[1]
        self.source = source
        self.index = np.zeros((games, block), dtype=np.int64)
        self.label = np.zeros((games, block))
        self.keys = np.zeros((games, 2), dtype=np.uint64)
        self.directions = np.zeros((games, dim))
        self.features, self.own_budgets = source.features, source.budgets
        differ = source.reaches[1] > 0.0
        self._caps = None if len(self.features) else source.caps
        if self._caps is not None:
            self.features = np.zeros((games * block, dim))
            self.own_budgets = np.zeros((games * block if differ else 0, 1))
        self.budgets = self.own_budgets if differ else None

    @property
    def computed(self) -> bool:
        """Whether individuals are computed, from a w* of each game."""
        return self._caps is not None

    def begin(self, games: Int, keys: Key) -> None:
        """Let an episode begin in each of ``games`` (n,), whose keys are ``keys`` (n, 2)."""
        self.keys[games] = keys
        if self._caps is not None:
            begin_games(self.source, self.keys, games, self.directions)

    def fill(self, rounds: Int, wanted: int | None = None) -> int:
        """Compute the blocks that begin with a game's next round (N,); return for how many rounds that suffices.

        Only the first ``wanted`` rounds of the block, if given: a multiple of 4, unless everybody is new.
        """
        return int(
            fill_games(
                self.source,
                self._caps,
                self.keys,
                self.directions,
                rounds,
                self.index,
                self.label,
                self.features,
                self.own_budgets,
                self.index.shape[1] if wanted is None else wanted,
            )
        )


class Arrivals(ABC):
    """The individuals of one episode, a block of rounds at a time.

    All arrays are C-contiguous; those of float are float64.

    Attributes
    ----------
    features : ndarray, shape (M, d)
        True features that ``index`` points into.
    separator : ndarray (d + 1,) or None
        ``[w*, b*]`` with ``|w*| = 1`` where the population knows one.
    budgets : ndarray, shape (M, 1), or None
        alpha of each row of ``features``, where individuals differ.

    Examples
    --------
    Two individuals in turn, in blocks of 64 rounds. Games check each block before they play it:

    >>> import numpy as np
    >>> from agents import Arrivals
    >>> class InTurn(Arrivals):
    ...     features = np.array([[-1.0], [1.0]])
    ...     index, label = np.zeros(64, dtype=np.int64), np.ones(64)
    ...     def fill(self, first):
    ...         self.index = (first + np.arange(64)) % 2
    ...         self.label = 2.0 * self.index - 1.0
    >>> features, labels = InTurn().points(3)
    >>> labels
    array([-1.,  1., -1.])
    """

    features: Float
    separator: Float | None = None
    budgets: Float | None = None

    @property
    @abstractmethod
    def index(self) -> Int:
        """Row of ``features`` of each round of the block: shape (BLOCK,), int64."""

    @property
    @abstractmethod
    def label(self) -> Float:
        """True label of each round of the block, noise included: shape (BLOCK,)."""

    @abstractmethod
    def fill(self, first: int) -> None:
        """Compute the block that begins with round ``first`` (rounds count from 0)."""

    def points(self, rounds: int) -> tuple[Float, Float]:
        """Return the true features (rounds, d) and labels (rounds,) of the episode's first rounds.

        Raises
        ------
        TypeError, ValueError
            If the arrays of a block are not what they should be.
        """
        features = np.empty((rounds, self.features.shape[1]))
        labels = np.empty(rounds)
        for first in range(0, rounds, BLOCK):
            self.fill(first)
            block, n = checked_block(self, BLOCK), min(BLOCK, rounds - first)
            features[first : first + n], labels[first : first + n] = block.features[:n], block.labels[:n]
        return features, labels


class SourceArrivals(Arrivals):
    """The individuals of one episode that a source lets arrive.

    Parameters
    ----------
    source : Source
    key : ndarray, shape (2,), uint64
        The episode's key.
    separator : ndarray, shape (d + 1,), optional
        ``[w*, b*]`` where the population is given one.
    bias : float, optional
        b* where w* is the direction of the caps.
    """

    def __init__(self, source: Source, key: Key, separator: Float | None = None, bias: float | None = None) -> None:
        self._games = games = ManyArrivals(source, 1, BLOCK)
        games.begin(np.zeros(1, dtype=np.int64), key[np.newaxis])
        self.features, self.budgets = games.features, games.budgets
        self.separator = separator if bias is None else np.append(games.directions[0], bias)

    # Views, made when asked for: a copy of this object would not keep them views.
    @property
    def index(self) -> Int:
        """Row of ``features`` of each round of the block."""
        return np.asarray(self._games.index[0])

    @property
    def label(self) -> Float:
        """True label of each round of the block."""
        return np.asarray(self._games.label[0])

    def fill(self, first: int) -> None:
        """Compute the block that begins with round ``first``, a multiple of its length."""
        self._games.fill(np.full(1, first))
