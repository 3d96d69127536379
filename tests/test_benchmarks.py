"""The benchmarks measure what they say, on two sides of known cost, and their command runs."""

import csv
import json
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Self

import pytest

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT))  # the benchmarks are not installed; the end leaves what is installed in front

from benchmarks import __main__ as command  # noqa: E402
from benchmarks import against, measure  # noqa: E402
from benchmarks.measure import Budget, Measurement, Reach, Row, Side, Unavailable, alternate  # noqa: E402

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


# A tree with the benchmarks that every commit has, where time passes only in the sides' own calls.
TREE = {
    "__init__": "",
    "measure": """
        from typing import NamedTuple
        class Unavailable(Exception): pass
        class Budget(NamedTuple):
            pairs: int
            seconds: float
        class Side(NamedTuple):
            label: str
            run: object
            units: int = 1
        class Row(NamedTuple):
            name: str
            reach: object
            measure: object
        class Clock:
            now = 0.0
        CLOCKS = {"cpu": lambda: Clock.now}
        def alternate(*arguments, **keywords): raise AssertionError("replaced before rows import it")
        """,
    "__main__": """
        from types import SimpleNamespace
        from benchmarks.measure import FEWEST_PAIRS, Clock, Row, Side, Unavailable, alternate
        def side(seconds):
            def run(): Clock.now += seconds
            return Side("side", run, 2)
        def in_one(budget):
            print("hello from a library")
            alternate(side({ours}), side({theirs}), budget, unit="step")
        def processes(budget):
            assert FEWEST_PAIRS == budget.pairs == 1
            return SimpleNamespace(values={(0, 1): {ours}}, unit="s per process", clock="wall", threads="1")
        def missing(budget): raise Unavailable("no library")
        def _chosen(patterns):
            small, large = SimpleNamespace(sign="<="), SimpleNamespace(sign=">=")
            return [Row("ours-first", small, in_one), Row("ours-second", large, in_one), Row("{own}", small, in_one),
                    Row("processes", large, processes), Row("missing", small, missing)]
        """,
}


def tree(folder: Path, own: str, ours: float, theirs: float) -> against.Tree:
    """Write a tree whose sides take so long, and which has a row of its own."""
    (folder / "benchmarks").mkdir(parents=True)
    for name, text in TREE.items():
        text = text.replace("{own}", own).replace("{ours}", str(ours)).replace("{theirs}", str(theirs))
        (folder / "benchmarks" / f"{name}.py").write_text(textwrap.dedent(text), encoding="utf-8")
    return against.Tree(folder.name, folder, folder / "compiled")


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Row]:
    tmp_path = tmp_path_factory.mktemp("trees")
    now, then = tree(tmp_path / "now", "new", 3.0, 10.0), tree(tmp_path / "then", "old", 2.0, 40.0)
    return {row.name: row for row in against.rows(now, then)}


@pytest.mark.parametrize(
    ("row", "pair", "unit"),
    [
        ("ours-first", [1.5, 1.0], "s per step"),
        ("ours-second", [5.0, 20.0], "s per step"),
        ("processes", [3.0, 2.0], "s per process"),
    ],
)
def test_two_commits_are_compared_by_the_side_that_is_ours(
    compared: dict[str, Row], row: str, pair: list[float], unit: str
) -> None:
    measured = compared[row].measure(Budget(2 * against.STARTS, 60.0))
    assert measured.values.tolist() == [pair] * 2 * against.STARTS
    assert measured.sides == ("now", "then") and measured.unit == unit


@pytest.mark.parametrize(
    ("row", "reason"),
    [("new", "then has no such row"), ("old", "now has no such row"), ("missing", "then: no library")],
)
def test_rows_that_a_side_lacks_are_named(compared: dict[str, Row], row: str, reason: str) -> None:
    with pytest.raises(Unavailable, match=reason):
        compared[row].measure(Budget(3, 0.0))


def test_turns_of_two_commits_alternate_in_several_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    turns, starts = list[str](), list[str]()

    class Process:
        def __enter__(self) -> Self:
            return self

        def __exit__(self, *_: object) -> None:
            pass

    def start(tree: against.Tree, row: str) -> Process:
        starts.append(tree.name)
        return Process()

    def turn(process: Process, tree: against.Tree) -> tuple[float, tuple[str, str, str]]:
        turns.append(tree.name)
        return 1.0, ("s per step", "cpu", "1")

    monkeypatch.setattr(against, "_turn", turn)
    monkeypatch.setattr(against.Tree, "start", start)
    now, then = (against.Tree(name, ROOT, ROOT) for name in ("now", "then"))
    measured: Measurement = against._compared("row", now, then, Budget(6, 60.0))
    assert starts == ["now", "then"] * against.STARTS
    assert turns == ["then", "now", "now", "then"] * against.STARTS
    assert measured.ratios.tolist() == [1.0] * 6


def test_the_tree_of_a_commit_lasts_as_long_as_it_is_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def git(*arguments: str) -> str:
        command = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b", *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    git("init", "--quiet")
    (tmp_path / "file").write_text("then")
    git("add", "file")
    git("commit", "--quiet", "-m", "one")
    (tmp_path / "file").write_text("now")
    monkeypatch.setattr(against, "ROOT", tmp_path)
    with against.trees("HEAD") as (now, then):
        assert (now.sources / "file").read_text() == "now" and (then.sources / "file").read_text() == "then"
        assert now.name == f"{then.name}-dirty" and now.cache != then.cache
    assert not then.sources.exists() and len(git("worktree", "list").splitlines()) == 1
    with pytest.raises(Unavailable, match="no commit is named 'HEAD~1'"), against.trees("HEAD~1"):
        pass


def test_what_fits_no_row_of_either_commit_is_one_clear_error() -> None:
    with pytest.raises(SystemExit, match="no row matches 'vectors'"):
        command._named([Row("vector/pool/64", Reach("<=", 1.0), lambda budget: pytest.fail("measured"))], ["vectors"])
