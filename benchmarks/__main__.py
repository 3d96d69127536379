"""Measure every ratio, or those that are named: ``python -m benchmarks [--against COMMIT] [ROW ...]``."""

import argparse
import os
import subprocess
import sys
import tempfile
from fnmatch import fnmatchcase
from pathlib import Path

from benchmarks.against import rows as compared
from benchmarks.against import trees
from benchmarks.machine import ONE_THREAD, describe, load
from benchmarks.measure import Budget, Row, Unavailable
from benchmarks.results import HEADER, Result, save
from strategic_env.report.output import standard_streams

FULL, QUICK = Budget(pairs=31, seconds=15.0), Budget(pairs=3, seconds=0.0)
# These make OpenBLAS believe in another processor than there is.
UNSET = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
PREPARED = "STRATEGIC_ENV_BENCHMARKS"


def main() -> int:
    """Parse the command line and measure; the status is 0 whether or not the ratios reach what they must."""
    options = _options()
    try:
        if PREPARED not in os.environ:
            return _in_a_prepared_process()
        with standard_streams():  # whose reader may leave
            return _measure(options)
    except KeyboardInterrupt:
        return 130


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Speed, as ratios of two sides.")
    parser.add_argument("rows", nargs="*", metavar="ROW", help="such as vector, 'vector/*/64' or fused/floor-drawn")
    parser.add_argument(
        "--against", metavar="COMMIT", help="compare our sides with those of a commit of this repository"
    )
    parser.add_argument("--quick", action="store_true", help="three pairs per row: a look, no result")
    parser.add_argument("--list", action="store_true", help="print the names of the rows")
    parser.add_argument(
        "--out", type=Path, default=Path("results"), help="folder for benchmarks.csv and .json, or against.*"
    )
    return parser.parse_args()


def _in_a_prepared_process() -> int:
    """Run the same command with single-threaded libraries and, unless one is named, an empty cache for Numba.

    Numba's own cache may hold what has been edited since.
    """
    inherited = {name: value for name, value in os.environ.items() if name not in UNSET}
    with tempfile.TemporaryDirectory() as cache:
        environment = {"NUMBA_CACHE_DIR": cache} | inherited | ONE_THREAD | {PREPARED: "1"}
        return subprocess.run([sys.executable, "-m", "benchmarks", *sys.argv[1:]], env=environment).returncode


def _measure(options: argparse.Namespace) -> int:
    if options.against is None:
        return _report(_chosen(options.rows), "benchmarks", options)
    try:
        with trees(options.against) as (now, then):
            return _report(_named(compared(now, then), options.rows), "against", options)
    except Unavailable as reason:
        sys.exit(str(reason))


def _report(rows: list[Row], name: str, options: argparse.Namespace) -> int:
    if options.list:
        print(*(f"{row.name:26} {row.reach}" for row in rows), sep="\n")
        return 0
    machine, results = describe(), list[Result]()
    print(*(f"{name}: {value}" for name, value in machine.items()), sep="\n")
    print(HEADER, flush=True)
    for row in rows:
        busy = load()
        try:
            results.append(Result(row, row.measure(QUICK if options.quick else FULL), busy))
        except Unavailable as reason:
            results.append(Result(row, str(reason), busy))
        save(options.out / name, machine, results)
        print(results[-1].line(), flush=True)
    missed = [result.row.name for result in results if result.reached is False]
    print(f"{sum(result.reached is True for result in results)} reached, {len(missed)} missed: {', '.join(missed)}")
    return 0


def _chosen(patterns: list[str]) -> list[Row]:
    """Return the rows that are named; all if none is."""
    from benchmarks import (
        fused,
        libraries,
        multi_agent,
        multiclass,
        policies,
        processes,
        responses,
        single,
        sweeps,
        training,
        vector,
    )

    parts = (
        vector,
        single,
        policies,
        fused,
        libraries,
        processes,
        multi_agent,
        multiclass,
        training,
        sweeps,
        responses,
    )
    return _named([row for part in parts for row in part.rows()], patterns)


def _named(rows: list[Row], patterns: list[str]) -> list[Row]:
    """Return the rows whose name, or the beginning of it, matches one of the patterns; all if there are none."""
    for pattern in patterns:
        if not any(_matches(row, pattern) for row in rows):
            sys.exit(f"no row matches {pattern!r}; python -m benchmarks --list names them")
    return [row for row in rows if not patterns or any(_matches(row, pattern) for pattern in patterns)]


def _matches(row: Row, pattern: str) -> bool:
    return fnmatchcase(row.name, pattern) or fnmatchcase(row.name, f"{pattern}/*")


if __name__ == "__main__":
    sys.exit(main())
