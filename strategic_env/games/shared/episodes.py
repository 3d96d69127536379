"""Which episode, of which game of which seed, is played: one count for every form of every game."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.random import Generator

from agents.foundation.checks import LARGEST_SEED, count, shown
from agents.foundation.streams import game_keys, seed_words
from agents.foundation.typing import Int, Key

ALONE = np.zeros(1, dtype=np.int64)


class Episodes:
    """Which episode each of N games plays.

    Parameters
    ----------
    games : int
        N.
    seed : int
        Of the games that are never given another; the i-th plays game i of it, unless it is asked for another.
    """

    def __init__(self, games: int, seed: int) -> None:
        self._seeds = np.tile(seed_words(seed), (games, 1))
        self._numbers = np.arange(games)
        # The first episode is yet to begin.
        self._episodes = np.full(games, -1)

    def begin(self, rows: Int, seeds: Sequence[int | None], numbers: Sequence[int | None]) -> Key:
        """Let an episode begin in ``rows`` (n,), and return its key in each (n, 2).

        It is the next one of the row's game. Where ``seeds`` (n,) hold a seed, it is the first one of that seed's game
        0, or of the one that ``numbers`` (n,) hold; where only the latter hold another game, of that one.
        """
        self._episodes[rows] += 1
        for row, seed, number in zip(rows.tolist(), seeds, numbers, strict=True):
            if seed is not None:
                self._seeds[row] = seed_words(seed)
                self._numbers[row], self._episodes[row] = number or 0, 0
            elif number is not None and number != self._numbers[row]:
                self._numbers[row], self._episodes[row] = number, 0
        keys = np.empty((len(rows), 2), dtype=np.uint64)
        game_keys(self._seeds[rows], self._numbers[rows], self._episodes[rows], keys)
        return keys

    def begin_alone(self, seed: int | None, number: int | None) -> Key:
        """Let an episode of the only game begin, and return its key (2,); see `begin`."""
        key: Key = self.begin(ALONE, [seed], [number])[0]
        return key

    def follow(self, rows: Int) -> Key:
        """Let the next episode begin in ``rows`` (n,), and return its key in each (n, 2)."""
        nothing = [None] * len(rows)
        return self.begin(rows, nothing, nothing)


def keys_of_games(seed: int, games: int) -> Key:
    """Return the keys (N, 2) of the first episodes of the first N games of a seed."""
    return Episodes(games, seed).follow(np.arange(games))


def asked_game(options: Mapping[str, Any] | None) -> int | None:
    """Return which game of the seed the options of a reset ask for, if they do.

    Raises
    ------
    TypeError, ValueError
        If the options are none, or the game is no number from 0 on.
    """
    if options is not None and not isinstance(options, Mapping):
        raise TypeError(f"options must be a dict, got {shown(options)}")
    return None if options is None or "game" not in options else count("options['game']", options["game"])


def checked_seed(seed: object) -> int | None:
    """Return the seed of a reset as an int; None where none is given.

    Raises
    ------
    TypeError, ValueError
        If it is no integer, or out of range.
    """
    return None if seed is None else count("seed", seed, maximum=LARGEST_SEED)


class Seeded(Protocol):
    """An environment with Gymnasium's generator."""

    @property
    def np_random(self) -> Generator:
        """The generator."""

    @property
    def np_random_seed(self) -> int | None:
        """The seed that it was made with; -1 (or None) where nobody knows."""


def seed_of(env: Seeded) -> int:
    """Return the seed of Gymnasium's generator; draw one from it where a user brought a generator of their own."""
    seed = env.np_random_seed
    return seed if seed is not None and seed >= 0 else int(env.np_random.integers(2**63))
