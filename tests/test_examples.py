"""The examples run as their first line says, and those that train reach what they claim."""

import importlib
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

FOLDER = Path(__file__).parents[1] / "examples"
EXAMPLES = sorted(path for path in FOLDER.glob("*.py") if not path.name.startswith("train_"))
# The smallest trainings: one rollout each.
TRAININGS: dict[str, dict[str, Any]] = {
    "train_individual": {"steps": 1, "games": 2},
    "train_nature": {"steps": 1},
    "train_both": {"steps": 1, "phases": 2, "games": 2},
}


@pytest.fixture
def examples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(FOLDER)


def load(name: str) -> ModuleType:
    return importlib.import_module(name)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_example_runs(path: Path, tmp_path: Path) -> None:
    result = subprocess.run(
        [sys.executable, "-W", "error", path], capture_output=True, text=True, cwd=tmp_path, timeout=300
    )
    assert result.returncode == 0, result.stderr
    assert "mistakes" in result.stdout


def test_every_training_is_tried() -> None:
    assert {path.stem for path in FOLDER.glob("train_*.py")} == set(TRAININGS)


@pytest.mark.usefixtures("examples")
@pytest.mark.parametrize("name", TRAININGS)
def test_the_training_runs(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    load(name).main(**TRAININGS[name])
    assert len(capsys.readouterr().out.splitlines()) >= 4


@pytest.mark.usefixtures("examples")
@pytest.mark.parametrize("name", TRAININGS)
def test_without_stable_baselines3_the_error_says_what_to_install(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "stable_baselines3", None)
    with pytest.raises(ImportError, match=r"strategic-env\[rl\]"):
        load(name).main()


@pytest.mark.slow
@pytest.mark.usefixtures("examples")
def test_the_trained_individual_responds_almost_best() -> None:
    utilities = load("train_individual").main()
    assert utilities["best response"] - utilities["trained"] <= 0.05
    assert utilities["best response"] - utilities["truthful"] > 0.1  # there was something to learn


@pytest.mark.slow
@pytest.mark.usefixtures("examples")
def test_the_trained_nature_hurts_more_than_the_greedy_adversary() -> None:
    mistakes = load("train_nature").main()
    assert mistakes["uniform"] < mistakes["greedy adversary"] < mistakes["trained"] <= mistakes["bound"]


@pytest.mark.slow
@pytest.mark.usefixtures("examples")
def test_two_who_are_trained_agree_with_each_other_only() -> None:
    played = load("train_both").main()
    assert played["in turns"][0][0] > 0.4
    assert played["in turns"][-1][0] < 0.02
    assert played["others"][0][0] > 0.1
