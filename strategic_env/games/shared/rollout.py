"""What rollouts of every game share: their result, games shared among threads, and chunks of rounds.

Progress is told, and an interrupt felt, between two chunks.
"""

import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.foundation.checks import LARGEST_SIZE, count, entries_of, is_many, shown
from agents.foundation.typing import Float, Int

# Games that one call plays: an interrupt is felt between two calls.
MOST_GAMES = 256
# Long enough that calls cost nothing, short enough that an interrupt is felt at once.
SECONDS_PER_CHUNK = 0.2


@dataclass(frozen=True)
class Rollout:
    """N games of one learner on one scenario.

    Attributes
    ----------
    rounds : int
        Played so far.
    mistakes : ndarray, shape (N,), int64
    loss : ndarray, shape (N,)
        Minus the sum of rewards.
    columns : mapping of ndarray, shape (N,)
        What else the game counts, by name; each is an attribute, too. In strategic classification: ``manipulations``,
        individuals who moved; ``qualified``, those whose true label is +1; ``qualified_cost``, what these paid.
    checkpoints : ndarray, shape (C,), int64
        Rounds at which curves are kept.
    curves : ndarray, shape (N, C), int64
        Mistakes up to each checkpoint; 0 at those that lie ahead.
    state : NamedTuple of arrays
        What the learner knows after the last round, that one included: in a loop over an environment, what its
        ``predict`` returns when it is shown the last observation, too.

    Examples
    --------
    >>> from strategic_env import rollout
    >>> played = rollout("strategic-perceptron-l2", "KnownL2", games=3, rounds=500, checkpoints=[100, 500])
    >>> played.mistakes.tolist(), played.manipulations.tolist(), played.curves.tolist()
    ([7, 4, 1], [77, 83, 72], [[2, 7], [2, 4], [1, 1]])
    """

    rounds: int
    mistakes: Int
    loss: Float
    columns: Mapping[str, NDArray[Any]]
    checkpoints: Int
    curves: Int
    state: tuple[NDArray[Any], ...]

    def __getattr__(self, name: str) -> NDArray[Any]:
        """Return one of the columns."""
        columns: Mapping[str, NDArray[Any]] = self.__dict__.get("columns", {})
        if name not in columns:
            raise AttributeError(f"a rollout of this game has no {name!r}; it counts {', '.join(columns) or 'no more'}")
        return columns[name]


def shares_of(games: int, threads: int) -> list[Int]:
    """Return the numbers of N games in parts, each for one call."""
    return np.array_split(np.arange(games), max(min(threads, games), -(-games // MOST_GAMES)))


def play_in_chunks(
    plays: Iterable[Callable[..., None]], rounds: int, block: int, threads: int, report: Callable[[int], object]
) -> int:
    """Play all rounds of several shares of games.

    Parameters
    ----------
    plays : iterable of callable
        ``play(first=..., last=...)`` plays the rounds ``first`` to ``last`` of one share.
    rounds : int
    block : int
        Every chunk but the last is so many rounds long, or a multiple.
    threads : int
        Processor cores to share them among.
    report : callable
        Called after each chunk with the rounds played so far; if it returns False, that was the last one.

    Returns
    -------
    int
        The rounds played.
    """
    plays, played, blocks = list(plays), 0, 1
    with ThreadPoolExecutor(threads) if threads > 1 else nullcontext() as pool:
        each: Callable[..., Iterable[None]] = map if pool is None else pool.map
        while played < rounds:
            start, last = time.perf_counter(), min(rounds, played + blocks * block)
            for _ in each(partial(_play, first=played, last=last), plays):
                pass
            played = last
            going_on = report(played)
            if going_on is not None and not going_on:
                break
            if time.perf_counter() - start < SECONDS_PER_CHUNK / 2.0:
                blocks *= 2
    return played


def _play(play: Callable[..., None], first: int, last: int) -> None:
    play(first=first, last=last)


def checked_checkpoints(checkpoints: Iterable[int], rounds: int) -> Int:
    """Return increasing rounds, from 1 to ``rounds``, as an array (C,).

    Raises
    ------
    TypeError
        If they are no integers.
    ValueError
        If one is out of range, or they do not increase.
    """
    if not is_many(checkpoints):
        raise TypeError(f"checkpoints must be a sequence of integers, got {shown(checkpoints)}")
    entries = entries_of("checkpoints", checkpoints, min(rounds + 1, LARGEST_SIZE))
    marks = [count("checkpoints", mark, minimum=1, maximum=rounds) for mark in entries]
    if any(later <= earlier for earlier, later in zip(marks, marks[1:], strict=False)):
        raise ValueError(f"checkpoints must increase, got {marks}")
    return np.array(marks, dtype=np.int64)
