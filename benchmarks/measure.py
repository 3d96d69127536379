"""The two sides of a ratio, measured in alternation."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

# One side of one pair is measured for at least this long: the first milliseconds after a switch find cold caches.
SECONDS_PER_SIDE = 0.03
FEWEST_PAIRS = 3
# CPU time leaves out what others do on the machine; threads and starts of processes need a clock on the wall.
CLOCKS: dict[str, Callable[[], float]] = {"cpu": time.process_time, "wall": time.perf_counter}


class Unavailable(Exception):
    """Why a row cannot be measured here, and what would help."""


class Budget(NamedTuple):
    """How many pairs to measure at most; after ``seconds``, no more than `FEWEST_PAIRS`."""

    pairs: int
    seconds: float


class Side(NamedTuple):
    """One side of a ratio: a call, and how many units (such as rounds) it works off."""

    label: str
    run: Callable[[], object]
    units: int = 1


class Reach(NamedTuple):
    """What the median of a ratio must reach."""

    sign: str
    limit: float

    def holds(self, ratio: float) -> bool:
        """Whether a ratio reaches it."""
        return ratio >= self.limit if self.sign == ">=" else ratio <= self.limit

    def __str__(self) -> str:
        return f"{self.sign} {self.limit:g}"


@dataclass(frozen=True)
class Measurement:
    """The pairs of one row.

    Attributes
    ----------
    sides : tuple of str
        What the numerator and the denominator of the ratio are.
    values : ndarray, shape (pairs, 2)
        Seconds per unit of both sides in each pair; bytes where memory is compared.
    unit : str
        What ``values`` count per, such as ``"s per round"``.
    clock : str
        ``"cpu"``, ``"wall"`` or ``"none"``.
    threads : str
        How many each side uses.
    """

    sides: tuple[str, str]
    values: NDArray[np.float64]
    unit: str
    clock: str
    threads: str = "1"

    @property
    def ratios(self) -> NDArray[np.float64]:
        """The ratio of each pair."""
        return np.asarray(self.values[:, 0] / self.values[:, 1])


@dataclass(frozen=True)
class Row:
    """One ratio: its name, what it must reach, and how to measure it."""

    name: str
    reach: Reach
    measure: Callable[[Budget], Measurement]


def alternate(
    numerator: Side, denominator: Side, budget: Budget, *, unit: str, clock: str = "cpu", threads: str = "1"
) -> Measurement:
    """Measure pairs of both sides, one after the other; who comes first changes from pair to pair."""
    sides, read = (numerator, denominator), CLOCKS[clock]
    calls = [_calls(side, read) for side in sides]
    end = time.perf_counter() + budget.seconds
    pairs: list[list[float]] = []
    while len(pairs) < budget.pairs and (len(pairs) < FEWEST_PAIRS or time.perf_counter() < end):
        pair = [0.0, 0.0]
        for side in (0, 1) if len(pairs) % 2 else (1, 0):
            pair[side] = _time(sides[side], calls[side], read) / (calls[side] * sides[side].units)
        pairs.append(pair)
    return Measurement((numerator.label, denominator.label), np.array(pairs), f"s per {unit}", clock, threads)


def _calls(side: Side, read: Callable[[], float]) -> int:
    """Return how many calls last long enough; the first call compiles."""
    side.run()
    return max(1, math.ceil(SECONDS_PER_SIDE / max(_time(side, 1, read), 1e-9)))


def _time(side: Side, calls: int, read: Callable[[], float]) -> float:
    start = read()
    for _ in range(calls):
        side.run()
    return read() - start
