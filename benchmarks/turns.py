"""Our side of one row of some commit, a turn at a time: `benchmarks.against` starts this file in that commit's tree.

It finds the tree's own ``benchmarks``, and needs of them what every commit has: rows with a name, a limit and a way to
measure, and `alternate` with its sides and clocks. Without a row it prints the names of all. With one it answers each
line that it reads with the seconds of a turn, their unit, the clock and the threads; or says why it cannot.
"""

import math
import os
import sys
from typing import Any

from benchmarks import measure

SECONDS_PER_TURN = 0.03
ANSWERS = os.fdopen(os.dup(1), "w")  # pygame greets on standard output


class Turns:
    """In place of `measure.alternate`: our side alone, which is the one that the limit wants to be small."""

    def __init__(self, ours: int) -> None:
        self.ours = ours

    def __call__(self, *arguments: Any, unit: str, clock: str = "cpu", threads: str = "1") -> None:
        """Answer until there is nothing more to read."""
        side, read = arguments[self.ours], measure.CLOCKS[clock]
        side.run()  # compiles
        calls = max(1, math.ceil(SECONDS_PER_TURN / max(_seconds(side, 1, read), 1e-9)))
        answer(_seconds(side, calls, read) / (calls * side.units), f"s per {unit}", clock, threads)
        for _ in sys.stdin:
            answer(_seconds(side, calls, read) / (calls * side.units), f"s per {unit}", clock, threads)
        sys.exit()


def _seconds(side: Any, calls: int, read: Any) -> float:
    start = read()
    for _ in range(calls):
        side.run()
    return float(read() - start)


def answer(*fields: object) -> None:
    """Write a line."""
    print(*fields, sep="\t", file=ANSWERS, flush=True)


def main(name: str | None = None) -> None:
    """Name the rows, or serve one."""
    turns = Turns(0)
    os.dup2(2, 1)
    # Before the rows' modules take them: one pair at a time where processes are measured, not sides in one.
    measure.alternate, measure.FEWEST_PAIRS = turns, 1  # type: ignore[assignment]
    from benchmarks.__main__ import _chosen

    rows = {row.name: row for row in _chosen([])}
    if name is None:
        return answer(*rows)
    turns.ours = 1 if rows[name].reach.sign == ">=" else 0
    try:
        for _ in sys.stdin:
            measured: Any = rows[name].measure(measure.Budget(1, 0.0))
            answer(measured.values[0, turns.ours], measured.unit, measured.clock, measured.threads)
    except measure.Unavailable as reason:
        answer(reason)


if __name__ == "__main__":
    main(*sys.argv[1:])
