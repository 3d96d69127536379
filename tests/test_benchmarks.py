"""The benchmarks measure what they say, on two sides of known cost, and their command runs."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT))  # the benchmarks are not installed; the end leaves what is installed in front

from benchmarks import __main__ as command  # noqa: E402
from benchmarks import measure  # noqa: E402
from benchmarks.measure import Budget, Reach, Side, alternate  # noqa: E402

ROW = "single/dict/d2"


def run(*options: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "benchmarks", *map(str, options)], capture_output=True, text=True, cwd=ROOT, timeout=300
    )


class Clock:
    """Time that passes only in the sides' own calls."""

    def __init__(self) -> None:
        self.now, self.turns = 0.0, list[str]()

    def side(self, label: str, seconds: float, units: int) -> Side:
        def work() -> None:
            self.now += seconds
            self.turns.append(label)

        return Side(label, work, units)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setitem(measure.CLOCKS, "cpu", lambda: clock.now)
    return clock


def test_a_ratio_is_of_seconds_per_unit(clock: Clock) -> None:
    measured = alternate(clock.side("a", 8.0, 4), clock.side("b", 1.0, 2), Budget(5, 60.0), unit="round")
    assert measured.values.tolist() == [[2.0, 0.5]] * 5
    assert measured.ratios.tolist() == [4.0] * 5


def test_who_comes_first_changes_from_pair_to_pair(clock: Clock) -> None:
    alternate(clock.side("a", 1.0, 1), clock.side("b", 1.0, 1), Budget(4, 60.0), unit="round")
    assert clock.turns[-8:] == ["b", "a", "a", "b", "b", "a", "a", "b"]


def test_what_is_fast_is_called_until_the_turn_is_long_enough(clock: Clock) -> None:
    fast = measure.SECONDS_PER_SIDE / 4.0
    measured = alternate(clock.side("a", fast, 1), clock.side("b", 1.0, 1), Budget(1, 60.0), unit="round")
    assert measured.values[0, 0] == pytest.approx(fast)
    assert clock.turns[-5:] == ["b", "a", "a", "a", "a"]


def test_without_time_there_are_still_a_few_pairs(clock: Clock) -> None:
    measured = alternate(clock.side("a", 1.0, 1), clock.side("b", 1.0, 1), Budget(31, 0.0), unit="round")
    assert len(measured.values) == measure.FEWEST_PAIRS


def test_the_limit_itself_is_reached() -> None:
    assert Reach(">=", 2.0).holds(2.0) and not Reach(">=", 2.0).holds(1.9)
    assert Reach("<=", 2.0).holds(2.0) and not Reach("<=", 2.0).holds(2.1)


def test_openblas_is_not_told_of_another_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, str] = {}

    def look(arguments: list[str], env: dict[str, str]) -> subprocess.CompletedProcess[str]:
        seen.update(env)
        return subprocess.CompletedProcess(arguments, 0)

    monkeypatch.setattr(command.subprocess, "run", look)
    monkeypatch.setattr(sys, "argv", ["benchmarks", "single"])
    monkeypatch.delenv(command.PREPARED, raising=False)
    for name in command.UNSET:
        monkeypatch.setenv(name, "Haswell")
    assert command.main() == 0
    assert seen[command.PREPARED] == "1" and not seen.keys() & set(command.UNSET)


def test_a_row_is_measured_printed_and_saved(tmp_path: Path) -> None:
    completed = run(ROW, "--quick", "--out", tmp_path)
    assert completed.returncode == 0, completed.stderr
    saved = json.loads((tmp_path / "benchmarks.json").read_text(encoding="utf-8"))
    assert {"processor", "cores", "load", "versions", "threads"} <= saved["machine"].keys()
    (row,) = saved["rows"]
    assert row["row"] == ROW and len(row["values"]) == row["pairs"] == 3
    assert row["minimum"] <= row["ratio"] <= row["maximum"]
    assert row["reached"] == (row["ratio"] <= 0.5)
    with (tmp_path / "benchmarks.csv").open(encoding="utf-8", newline="") as file:
        (line,) = csv.DictReader(file)
    assert float(line["ratio"]) == row["ratio"]
    printed = next(text for text in completed.stdout.splitlines() if text.startswith(ROW))
    assert f"{row['ratio']:.3g}" in printed and ("yes" in printed) == row["reached"]


def test_an_unknown_row_is_one_clear_error() -> None:
    completed = run("vectors")
    assert completed.returncode == 1
    assert completed.stderr == "no row matches 'vectors'; python -m benchmarks --list names them\n"
