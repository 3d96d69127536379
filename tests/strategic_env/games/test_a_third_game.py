"""A game is a value: one that is added to the list of games, and its learners, appears everywhere."""

import json
from collections.abc import Iterator
from pathlib import Path

import gymnasium
import pytest
import rock_paper_scissors
from rich.console import Console
from typer.testing import CliRunner

from learners import catalogue
from strategic_env import evaluate, report, rollout, scenario
from strategic_env.cli.commands import app
from strategic_env.games import registration

ID = "strategic_env/AlwaysTheSame-v0"


@pytest.fixture(autouse=True)
def third_game() -> Iterator[None]:
    """Add a line to the list of games, and one to that of learners' rooms."""
    registration.GAMES.append(rock_paper_scissors.GAME)
    catalogue.ROOMS.append("rock_paper_scissors")
    registration.register_all()
    yield
    registration.GAMES.remove(rock_paper_scissors.GAME)
    catalogue.ROOMS.remove("rock_paper_scissors")
    del gymnasium.registry[ID]


def test_it_is_listed() -> None:
    everything = CliRunner().invoke(app, ["list"]).output
    for line in ("Scenarios of rock, paper, scissors", "AlwaysTheSame", "beat-the-last"):
        assert line in everything
    assert "opponent" in CliRunner().invoke(app, ["list", "AlwaysTheSame"]).output


def test_gymnasium_makes_it() -> None:
    env = gymnasium.make(ID, opponent=rock_paper_scissors.PAPER)
    env.reset(seed=0)
    assert env.step(rock_paper_scissors.SCISSORS)[1] == 0.0


def test_a_rollout_plays_it_and_counts_its_columns() -> None:
    played = rollout("beat-the-last", "AlwaysTheSame", games=3, rounds=10)
    assert played.mistakes.tolist() == played.draws.tolist() == [1, 1, 1]


def test_the_bench_plays_it_and_reports_show_it(tmp_path: Path) -> None:
    results = evaluate(["beat-the-last"], scenario("AlwaysTheSame"), seeds=2, rounds=10, out=tmp_path)
    assert [run.columns for run in results.runs] == [{"draws": 1}] * 2
    with (tmp_path / "table.txt").open("w") as file:
        report.show(results, Console(file=file, width=100))
    assert "beat-the-last" in (tmp_path / "table.txt").read_text()


def test_the_command_line_runs_it(tmp_path: Path) -> None:
    completed = CliRunner().invoke(
        app, ["run", "AlwaysTheSame", "--seeds", "2", "--rounds", "10", "--out", str(tmp_path), "--json"]
    )
    assert completed.exit_code == 0
    (entry,) = json.loads(completed.stdout)["results"]
    assert (entry["learner"], entry["mistakes"]) == ("beat-the-last", [1, 1])
    assert "beat-the-last" in CliRunner().invoke(app, ["report", str(tmp_path)]).output
