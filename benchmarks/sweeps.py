"""Rows on sweeps: what rows cost beside a bare rollout of the same games, and what a second process gains."""

import tempfile
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks.measure import CLOCKS, Budget, Measurement, Reach, Row, Unavailable
from strategic_env import sweep
from strategic_env.bench.rollout import rollout
from strategic_env.games.scenarios import scenario

LEARNERS, MARGINS, ROUNDS = ("perceptron", "strategic-perceptron-l2"), (0.05, 0.1), 1000
CELLS = len(LEARNERS) * len(MARGINS)
PAIRS = {10**5: 3, 10**6: 1}  # a million rows take minutes, and less noise
SHARED = 4 * 10**5  # rows that keep two processes busy for much longer than they take to start


def rows() -> list[Row]:
    """Return all rows."""
    return [
        *(Row(f"sweep/rollout/{number}", Reach("<=", 1.03), partial(_rollout, number)) for number in PAIRS),
        Row("sweep/processes", Reach(">=", 1.8), _processes),
    ]


def _rollout(number: int, budget: Budget) -> Measurement:
    """Compare a sweep's rows with rollouts, a cell in each, in CPU time."""

    def bare() -> None:
        for margin in MARGINS:
            for learner in LEARNERS:
                rollout(learner, scenario("KnownL2", margin=margin), seeds=range(number // CELLS), rounds=ROUNDS)

    sides = ("sweep, engine serial", "bare rollouts")
    turns = (lambda: _swept(number, "cpu", engine="serial"), lambda: _spent("cpu", bare))
    return Measurement(sides, _pairs(turns, PAIRS[number], number), "s per row", "cpu")


def _processes(budget: Budget) -> Measurement:
    """Compare one process with two, from the start of the work to its end."""
    try:
        import loky  # noqa: F401
    except ImportError as error:
        raise Unavailable('several processes need the extra "sweep"') from error
    turns = tuple(partial(_swept, SHARED, "wall", workers=workers) for workers in (1, 2))
    sides = ("one process", "two processes")
    return Measurement(sides, _pairs(turns, min(3, budget.pairs), SHARED), "s per row", "wall", "1 and 2")


def _pairs(turns: tuple[Callable[[], float], ...], pairs: int, number: int) -> "np.ndarray[Any, np.dtype[np.float64]]":
    """Return seconds per row of both sides; who comes first changes from pair to pair."""
    _swept(CELLS, "cpu", engine="serial")  # compiles
    found = np.empty((pairs, 2))
    for pair in range(pairs):
        for side in (0, 1) if pair % 2 else (1, 0):
            found[pair, side] = turns[side]() / number
    return found


def _swept(number: int, clock: str, **how: Any) -> float:
    """Plan a sweep of so many rows, and return how long its work takes."""
    places = [{"name": "KnownL2", "grid": {"margin": list(MARGINS)}}]
    grid = {"rounds": ROUNDS, "seeds": number // CELLS, "scenarios": places, "learners": list(LEARNERS)}
    with tempfile.TemporaryDirectory() as folder:
        sweep.plan(grid, folder)
        return _spent(clock, partial(sweep.work, folder, **how))


def _spent(clock: str, run: Callable[[], object]) -> float:
    start = CLOCKS[clock]()
    run()
    return CLOCKS[clock]() - start
