"""``strategic-env board``: from folders of runs to a page and a table, and what is refused."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from strategic_env import evaluate
from strategic_env.bench.saved import append
from strategic_env.cli.commands import app


def command(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, ["board", *map(str, arguments)])


def words(result: Result) -> str:
    return " ".join(result.output.replace("│", " ").split())


def played(folder: Path, seeds: int) -> Path:
    evaluate(["perceptron", "best-fixed-classifier"], "KnownL2", seeds=seeds, rounds=50, out=folder)
    return folder


def test_a_folder_of_runs_becomes_a_page_and_a_table(tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert command(played(tmp_path / "runs", seeds=2), "--out", out).exit_code == 0
    assert {path.name for path in out.iterdir()} == {"board.html", "board.csv"}
    result = command("--check", out / "board.csv")
    assert result.exit_code == 1
    assert "is on the board, not in the suite" in result.output and "make it again: " in result.output


def test_runs_of_one_seed_or_that_do_not_say_their_versions_make_no_board(tmp_path: Path) -> None:
    one = command(played(tmp_path / "one", seeds=1), "--out", tmp_path / "out")
    assert one.exit_code == 2 and "one seed only" in words(one)
    runs = played(tmp_path / "runs", seeds=2) / "runs.jsonl"
    records = [json.loads(line) for line in runs.read_text(encoding="utf-8").splitlines()]
    runs.unlink()
    for one in records:  # as an earlier release left them
        append(runs, {name: value for name, value in one.items() if name not in ("versions", "check")})
    silent = command(runs.parent, "--out", tmp_path / "out")
    assert silent.exit_code == 2 and "with which versions" in words(silent)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ([], "board needs DIR..."),
        (["a", "--check", "board.csv"], "--check FILE is asked for alone"),
        (["a", "b", "--standard"], "one DIR with --standard"),
        (["nowhere"], "nowhere"),
        (["--check", "nowhere.csv"], "nowhere.csv"),
    ],
)
def test_wrong_usage_is_one_line(
    arguments: list[str], why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = command(*arguments)
    assert result.exit_code == 2 and why in words(result) and "Traceback" not in result.output
