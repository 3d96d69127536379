"""Two commits in one run: our side of each row as it is now over the same of another commit, turn by turn.

Each side has a process of its own, in its own tree, so that both meet the same noise of the machine; both compile into
caches that are kept for the run. Times differ by how arrays happen to lie in memory, so every row is started anew.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.measure import Budget, Measurement, Reach, Row, Unavailable

ROOT, TURNS = Path(__file__).parents[1], Path(__file__).with_name("turns.py")
# Of both processes, for each row.
STARTS = 3
NO_SLOWER = Reach("<=", 1.05)


class Tree(NamedTuple):
    """The sources of a commit, or those at work, and where what they compile is kept."""

    name: str
    sources: Path
    cache: Path

    def start(self, *row: str) -> subprocess.Popen[str]:
        """Start a process on the tree's own benchmarks."""
        environment = os.environ | {"PYTHONPATH": str(self.sources), "NUMBA_CACHE_DIR": str(self.cache)}
        command = [sys.executable, "-P", str(TURNS), *row]
        return subprocess.Popen(
            command, cwd=self.sources, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def names(self) -> list[str]:
        """Return the names of its rows."""
        with self.start() as process:
            names, _ = process.communicate()
        if process.returncode:
            raise Unavailable(f"the benchmarks of {self.name} do not run")
        return names.rstrip("\n").split("\t")


@contextmanager
def trees(commit: str) -> Iterator[tuple[Tree, Tree]]:
    """Yield the tree at work and, as long as the context lasts, that of a commit."""
    then = _git("rev-parse", "--verify", "--quiet", "--short", "--end-of-options", f"{commit}^{{commit}}")
    if not then:
        raise Unavailable(f"--against: no commit is named {commit!r}")
    now = _git("describe", "--always", "--dirty", "--exclude", "*")
    with tempfile.TemporaryDirectory() as folder:
        sources, caches = Path(folder) / then, Path(folder) / "compiled"
        _git("worktree", "add", "--quiet", "--detach", str(sources), then)
        try:
            yield Tree(now, ROOT, caches / "now"), Tree(then, sources, caches / "then")
        finally:
            _git("worktree", "remove", "--force", str(sources))


def _git(*arguments: str) -> str:
    """Return what git says; nothing where it refuses."""
    return subprocess.run(["git", "-C", str(ROOT), *arguments], stdout=subprocess.PIPE, text=True).stdout.strip()


def rows(now: Tree, then: Tree) -> list[Row]:
    """Return a row for every name that either side has."""
    here, there = now.names(), then.names()
    lacks = {name: then for name in here if name not in there} | {name: now for name in there if name not in here}
    return [
        Row(name, NO_SLOWER, partial(_lacking, lacks[name]) if name in lacks else partial(_compared, name, now, then))
        for name in dict.fromkeys(here + there)
    ]


def _lacking(tree: Tree, budget: Budget) -> Measurement:
    raise Unavailable(f"{tree.name} has no such row")


def _compared(name: str, now: Tree, then: Tree, budget: Budget) -> Measurement:
    """Measure pairs of turns, a share of them in each start."""
    values, about = list[list[float]](), ("", "", "")
    for _ in range(STARTS):
        with now.start(name) as ours, then.start(name) as theirs:
            end, first = float("inf"), len(values)
            while len(values) - first < max(1, budget.pairs // STARTS) and time.perf_counter() < end:
                pair = [0.0, 0.0]
                for side in (0, 1) if len(values) % 2 else (1, 0):
                    pair[side], about = _turn((ours, theirs)[side], (now, then)[side])
                if len(values) == first:  # which compiled
                    end = time.perf_counter() + budget.seconds / STARTS
                values.append(pair)
    return Measurement((now.name, then.name), np.array(values), *about)


def _turn(process: subprocess.Popen[str], tree: Tree) -> tuple[float, tuple[str, str, str]]:
    """Return the seconds of a turn, and their unit, the clock and the threads."""
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write("\n")
    process.stdin.flush()
    fields = process.stdout.readline().rstrip("\n").split("\t")
    if len(fields) == 1:
        raise Unavailable(f"{tree.name}: {fields[0] or 'does not run'}")
    seconds, unit, clock, threads = fields
    return float(seconds), (unit, clock, threads)
