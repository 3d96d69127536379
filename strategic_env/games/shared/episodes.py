"""Which episode, of which game of which seed, is played: seeds become keys here."""

from collections.abc import Sequence

import numpy as np

from agents.foundation.streams import game_keys, seed_words
from agents.foundation.typing import Int, Key


class Episodes:
    """Which episode, of which game of which seed, each of N games plays.

    Parameters
    ----------
    games : int
        N.
    seed : int
        Of the games that are never given another.
    """

    def __init__(self, games: int, seed: int) -> None:
        self._seeds = np.tile(seed_words(seed), (games, 1))
        self._numbers = np.arange(games)
        # The first episode is yet to begin.
        self._episodes = np.full(games, -1)

    def begin(self, rows: Int, seeds: Sequence[int | None], shared: bool = False) -> None:
        """Let the next episode begin in ``rows``; the first one of a new seed where ``seeds`` (N,) hold one.

        Of a ``shared`` seed, game i plays game i; of its own one, game 0.
        """
        self._episodes[rows] += 1
        for row in rows.tolist():
            if (seed := seeds[row]) is not None:
                self._seeds[row] = seed_words(seed)
                self._numbers[row] = row if shared else 0
                self._episodes[row] = 0

    def keys(self, rows: Int) -> Key:
        """Return the keys (n, 2) of the episodes that ``rows`` (n,) play."""
        keys = np.empty((len(rows), 2), dtype=np.uint64)
        game_keys(self._seeds[rows], self._numbers[rows], self._episodes[rows], keys)
        return keys
