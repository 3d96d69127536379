"""Rows on whole processes: how long a start takes, and whether memory grows."""

import os
import subprocess
import sys
import tempfile
import time

import numpy as np

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


def rows() -> list[Row]:
    """Return all rows."""
    return [Row("processes/start", Reach("<=", 0.5), _start), Row("processes/memory", Reach("<=", 1.05), _memory)]


def _run(program: str, cache: str | None = None) -> str:
    environment = os.environ | ({} if cache is None else {"NUMBA_CACHE_DIR": cache})
    command = [sys.executable, "-c", program]
    return subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout


def _start(budget: Budget) -> Measurement:
    pairs: list[list[float]] = []
    end = time.perf_counter() + budget.seconds
    while len(pairs) < budget.pairs and (len(pairs) < FEWEST_PAIRS or time.perf_counter() < end):
        with tempfile.TemporaryDirectory() as cache:
            seconds = []
            for _ in range(2):
                start = time.perf_counter()
                _run(FIRST_RESULT, cache)
                seconds.append(time.perf_counter() - start)
        pairs.append(seconds[::-1])
    return Measurement(("second start", "first start, which compiles"), np.array(pairs), "s per process", "wall")


def _memory(budget: Budget) -> Measurement:
    if not os.path.exists("/proc/self/statm"):
        raise Unavailable("resident memory is read from /proc, which only Linux has")
    page = os.sysconf("SC_PAGE_SIZE")
    pairs = []
    for _ in range(min(FEWEST_PAIRS, budget.pairs)):
        few, many = (int(pages) * page for pages in _run(RESIDENT_MEMORY.format(few=FEW, many=MANY)).split())
        pairs.append([many, few])
    sides = (f"after {MANY:.0e} rounds", f"after {FEW:.0e} rounds")
    return Measurement(sides, np.array(pairs, dtype=np.float64), "bytes", "none")
