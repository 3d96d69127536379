"""Labels that come late: after a round the learner sees what happened some rounds ago, and only then learns from it.

Everything else is immediate: infos, rewards, and what is counted.
"""

from collections import deque

import numpy as np

from agents.foundation.checks import LARGEST_SIZE
from agents.foundation.typing import Bool, Float, Int

# Beyond, nobody has room for what is yet to be told.
LARGEST_DELAY = 100_000


class Late:
    """What one game is still to tell.

    Parameters
    ----------
    delay : int
        D.
    nothing : ndarray
        What is told before there is anything to tell: the observation of a reset.
    """

    def __init__(self, delay: int, nothing: Float) -> None:
        self._delay, self._nothing = delay, nothing
        self._pending: deque[Float] = deque()

    def tell(self, seen: Float) -> Float:
        """Return what is told now that ``seen`` has happened."""
        self._pending.append(seen)
        return self._pending.popleft() if len(self._pending) > self._delay else self._nothing.copy()


def room_for(delay: int, games: int, size: int) -> Float:
    """Return room for what N games are still to tell, observations of so many numbers: (N, D + 1, size).

    Raises
    ------
    ValueError
        If there is not so much.
    """
    if games * (delay + 1) * size > LARGEST_SIZE:
        raise ValueError(f"delay must leave room for observations of {games} games, got {delay}")
    return np.zeros((games, delay + 1, size))


class ManyLate:
    """What N games are still to tell, each at a round of its own.

    Parameters
    ----------
    delay, games, size : int
        D, N, and how many numbers an observation has.
    """

    def __init__(self, delay: int, games: int, size: int) -> None:
        self._delay, self._ring = delay, room_for(delay, games, size)

    def tell(self, seen: Float, rounds: Int, active: Bool) -> Float:
        """Return what is told (N, size) after the round that made ``rounds`` (N,) over, in which ``seen`` happened.

        Zeros where there is nothing to tell, and of games that are not ``active`` (N,).
        """
        places, told = self._delay + 1, np.zeros(seen.shape)
        playing = np.flatnonzero(active)
        last = rounds[playing] - 1
        self._ring[playing, last % places] = seen[playing]
        due = last >= self._delay
        told[playing[due]] = self._ring[playing[due], (last[due] - self._delay) % places]
        return told
