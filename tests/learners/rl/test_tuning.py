"""The search for hyper-parameters, and what a training tells trackers."""

import csv
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from stable_baselines3.common.callbacks import BaseCallback

import strategic_env  # noqa: F401
from learners.rl import Settings, Training, read_settings, train, training, tune
from learners.rl.tuning import Range, around, read_ranges

ID = "strategic_env/KnownL2-v0"
ARGUMENTS = {
    "policy": "MlpPolicy", "n_steps": 8, "batch_size": 32, "n_epochs": 1, "learning_rate": "lin_1e-3", "ent_coef": 0.0,
    "policy_kwargs": {"net_arch": [8]},
}  # fmt: skip
TINY = Settings("ppo", "statistics", 64, 4, {"norm_obs": False, "gamma": 0.99}, {"horizon": 8}, ARGUMENTS)


@pytest.fixture(autouse=True)
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "MOST_HELD_OUT_GAMES", 4)
    monkeypatch.setattr(training, "CHECKPOINTS", 2)


def test_a_search_keeps_its_trials_goes_on_and_writes_what_training_reads(tmp_path: Path) -> None:
    ranges, told = {"learning_rate": Range(1e-4, 1e-2), "n_epochs": Range(1, 3)}, list[int]()
    best = tune(TINY, ID, tmp_path, trials=2, ranges=ranges, progress=lambda trial, _: told.append(trial))
    again = tune(TINY, ID, tmp_path, trials=3, ranges=ranges, progress=lambda trial, _: told.append(trial))
    assert told == [0, 1, 2], "the first two trials are not repeated"
    rows = list(csv.DictReader((tmp_path / "trials.csv").read_text().splitlines()))
    assert [row["trial"] for row in rows] == ["0", "1", "2"]
    assert len({row["learning_rate"] for row in rows}) == 3, "the search draws on, not anew"
    least = min(rows, key=lambda row: float(row["mistakes"]))
    assert float(least["learning_rate"]) == again["learning_rate"] and set(best) == set(ranges)
    read = read_settings("ppo", ID, tmp_path / "best.yml")
    assert read.arguments["n_epochs"] == again["n_epochs"]
    assert read.arguments["learning_rate"] == f"lin_{again['learning_rate']!r}", "a schedule stays one"
    assert (read.view, read.games, read.normalize, read.options) == ("statistics", 4, TINY.normalize, {"horizon": 8})
    assert list(yaml.safe_load((tmp_path / "best.yml").read_text())) == [ID]


def test_trials_that_failed_are_no_trials(tmp_path: Path) -> None:
    """Too few rounds for one rollout: the right number of them, in the same folder, is tried whole."""
    with pytest.raises(ValueError, match="every trial failed"):
        tune(replace(TINY, timesteps=8), ID, tmp_path, trials=2)
    told: list[int] = []
    tune(TINY, ID, tmp_path, trials=1, progress=lambda trial, _: told.append(trial))
    assert told == [2]


def test_the_default_ranges_lie_around_what_is_there() -> None:
    assert around(TINY) == {"learning_rate": Range(0.00025, 0.004)}
    assert set(around(read_settings("ppo", ID))) >= {"learning_rate"}


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["learning_rate"], "ranges must read NAME=LOW..HIGH, each name once, got 'learning_rate'"),
        (["a=1..2", "a=1..3"], "each name once"),
        (["a=1"], "a range must read LOW..HIGH, got '1'"),
        (["a=x..2"], "a range must read LOW..HIGH"),
        (["a=2..1"], "the high end of a range must be greater than 2, got 1"),
    ],
)
def test_ranges_of_another_form_are_refused(texts: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_ranges(texts)


def test_a_range_of_no_argument_and_a_missing_optuna_are_refused_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert read_ranges(["a=1..20", "b=1e-4..1"]) == {"a": Range(1, 20), "b": Range(1e-4, 1)}
    with pytest.raises(ValueError, match="ppo has no hyper-parameter 'learning_rat' here"):
        tune(TINY, ID, tmp_path, ranges={"learning_rat": Range(0.1, 0.2)})
    assert not list(tmp_path.iterdir())
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(ImportError, match=r'tuning needs Optuna: pip install "strategic-env\[tune\]"'):
        tune(TINY, ID, tmp_path)


def test_a_training_tells_tensorboard_and_callbacks_and_ends_as_without(tmp_path: Path) -> None:
    class Count(BaseCallback):
        rollouts = 0

        def _on_step(self) -> bool:
            return True

        def _on_rollout_end(self) -> None:
            self.rollouts += 1

    counted: Any = Count()
    told = train(TINY, ID, tmp_path / "told", callbacks=[counted], tensorboard=True)
    assert counted.rollouts == 2 and list((tmp_path / "told" / "tensorboard").glob("events.out.tfevents.*"))
    assert told.read_bytes() == train(TINY, ID, tmp_path / "plain").read_bytes()


def test_a_missing_tensorboard_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from stable_baselines3.common import logger

    monkeypatch.setattr(logger, "SummaryWriter", None)
    one = Training(TINY, ID, tmp_path / "a")
    with pytest.raises(
        ImportError, match=r'logging for TensorBoard needs tensorboard: pip install "strategic-env\[rl\]"'
    ):
        one.run(tensorboard=True)
