"""Rows on whole processes: how long a start takes, what compiling costs, and whether memory grows."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from benchmarks.measure import FEWEST_PAIRS, Budget, Measurement, Reach, Row, Unavailable

FEW, MANY = 10**6, 10**8
FIRST_RESULT = """
from strategic_env.bench.rollout import rollout
print(rollout("strategic-perceptron-l2", "KnownL2", games=64).mistakes.sum())
"""
RESIDENT_MEMORY = """
from pathlib import Path
from strategic_env.bench.rollout import rollout
for rounds in ({few}, {many}):
    rollout("strategic-perceptron-l2", "KnownL2", games=1, rounds=rounds)
    print(int(Path("/proc/self/statm").read_text().split()[1]))
"""


FIRST_STEP = """
import gymnasium, numpy, strategic_env
env = gymnasium.make("strategic_env/KnownL2-v0")
env.reset(seed=0)
env.step(numpy.array([1.0, 0.0, -0.2]))
"""
SMALL_FUNCTION = """
import gymnasium, numba, numpy
numba.njit(lambda left, right: left @ right)(numpy.ones(3), numpy.ones(3))
"""
COLD: dict[str, tuple[list[str], float]] = {
    "step": (["-c", FIRST_STEP], 5.0),
    "rollout": (["-c", FIRST_RESULT], 8.0),
    "run": (["-m", "strategic_env", "run", "GermanCredit", "--out", "results"], 18.0),  # the README's first command
}


def rows() -> list[Row]:
    """Return all rows."""
    return [
        Row("processes/start", Reach("<=", 0.5), _start),
        *(Row(f"cold/{name}", Reach("<=", limit), partial(_cold, name)) for name, (_, limit) in COLD.items()),
        Row("processes/memory", Reach("<=", 1.05), _memory),
    ]


def _run(arguments: list[str], cache: str | None = None, folder: str | None = None) -> str:
    """Return what Python prints with these arguments, on these packages, in any folder."""
    found = os.pathsep.join([os.getcwd(), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"PYTHONPATH": found} | ({} if cache is None else {"NUMBA_CACHE_DIR": cache})
    done = subprocess.run([sys.executable, *arguments], env=environment, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return done.stdout


def _pairs(budget: Budget, pair: Callable[[], list[float]]) -> NDArray[np.float64]:
    pairs: list[list[float]] = []
    end = time.perf_counter() + budget.seconds
    while len(pairs) < budget.pairs and (len(pairs) < FEWEST_PAIRS or time.perf_counter() < end):
        pairs.append(pair())
    return np.array(pairs)


def _start(budget: Budget) -> Measurement:
    def pair() -> list[float]:
        with tempfile.TemporaryDirectory() as cache:
            first, second = (_seconds(["-c", FIRST_RESULT], time.perf_counter, cache) for _ in range(2))
        return [second, first]

    sides = ("second start", "first start, which compiles")
    return Measurement(sides, _pairs(budget, pair), "s per process", "wall")


def _cold(name: str, budget: Budget) -> Measurement:
    def pair() -> list[float]:
        return [_fresh(COLD[name][0]), _fresh(["-c", SMALL_FUNCTION])]

    sides = (f"first {name}", "Numba's import, and one small function compiled")
    return Measurement(sides, _pairs(budget, pair), "s per process", "cpu")


def _fresh(arguments: list[str]) -> float:
    """Return the CPU time of a process that finds neither compiled code nor files of its own."""
    with tempfile.TemporaryDirectory() as cache, tempfile.TemporaryDirectory() as folder:
        return _seconds(arguments, _cpu_of_children, cache, folder)


def _seconds(arguments: list[str], read: Callable[[], float], cache: str, folder: str | None = None) -> float:
    start = read()
    _run(arguments, cache, folder)
    return read() - start


def _cpu_of_children() -> float:
    used = os.times()
    return used.children_user + used.children_system


def _memory(budget: Budget) -> Measurement:
    if not os.path.exists("/proc/self/statm"):
        raise Unavailable("resident memory is read from /proc, which only Linux has")
    page = os.sysconf("SC_PAGE_SIZE")
    pairs = []
    for _ in range(min(FEWEST_PAIRS, budget.pairs)):
        few, many = (int(pages) * page for pages in _run(["-c", RESIDENT_MEMORY.format(few=FEW, many=MANY)]).split())
        pairs.append([many, few])
    sides = (f"after {MANY:.0e} rounds", f"after {FEW:.0e} rounds")
    return Measurement(sides, np.array(pairs, dtype=np.float64), "bytes", "none")
