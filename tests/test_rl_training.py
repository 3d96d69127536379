"""Training: the same seed gives the same policy, even if it is killed in between; seeds that others use stay unseen."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import strategic_env  # noqa: F401
from agents.streams import game_keys, seed_words
from learners.rl import Settings, load, read_settings, train
from learners.rl import training as module
from learners.rl.training import HELD_OUT_SEEDS, LARGEST_TRAINING_SEED, TRAINING_SEEDS, Progress, mistakes_in_games

ID = "strategic_env/KnownL2-v0"
OPTIONS = {"dim": 3, "horizon": 20}
SHORT = {"ppo": {"n_steps": 16, "batch_size": 32, "n_epochs": 2}, "sac": {"learning_starts": 40, "buffer_size": 500}}
SHORT |= {"ppo_lstm": SHORT["ppo"], "tqc": SHORT["sac"]}


class Stopped(Exception):
    """Somebody interrupted."""


def tiny(algorithm: str) -> Settings:
    """Return settings for a training of a second: four checkpoints."""
    whole = read_settings(algorithm, "default")
    network = whole.arguments["policy_kwargs"] | {"net_arch": [8]}
    arguments = whole.arguments | SHORT[algorithm] | {"policy_kwargs": network}
    return replace(whole, timesteps=256 if "ppo" in algorithm else 160, games=4, arguments=arguments)


@pytest.fixture(autouse=True)
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "HELD_OUT_GAMES", 4)
    monkeypatch.setattr(module, "CHECKPOINTS", 4)


def stop_after(timesteps: int) -> Any:
    def stop(progress: Progress) -> None:
        if progress.timesteps >= timesteps:
            raise Stopped

    return stop


def results(folder: Path) -> tuple[bytes, str, dict[str, Any]]:
    """Return the policy, the evaluations, and the parameters that the optimiser reached in the end."""
    import io
    import zipfile

    import torch

    with zipfile.ZipFile(folder / module.CHECKPOINT) as archive:
        inner = zipfile.ZipFile(io.BytesIO(archive.read(module.MODEL)))
        weights = torch.load(io.BytesIO(inner.read("policy.pth")), weights_only=True)
    numbers = {name: value.tolist() for name, value in weights.items()}
    return (folder / module.POLICY).read_bytes(), (folder / module.EVALUATIONS).read_text(), numbers


@pytest.mark.parametrize("algorithm", ["ppo", "ppo_lstm", "sac", "tqc"])
def test_an_interrupted_training_ends_as_if_nothing_had_happened(algorithm: str, tmp_path: Path) -> None:
    settings = tiny(algorithm)
    train(settings, ID, tmp_path / "whole", options=OPTIONS)
    with pytest.raises(Stopped):
        train(settings, ID, tmp_path / "parts", options=OPTIONS, progress=stop_after(settings.timesteps // 2 + 20))
    assert (tmp_path / "parts" / module.EVALUATIONS).read_text().count("\n") == 4, "the header, and 0, 1/4, 1/2"
    train(settings, ID, tmp_path / "parts", options=OPTIONS)
    assert results(tmp_path / "parts") == results(tmp_path / "whole")
    assert (tmp_path / "whole" / module.EVALUATIONS).read_text().count("\n") == 6


def test_another_seed_is_another_policy_and_training_changes_it(tmp_path: Path) -> None:
    settings = tiny("ppo")
    numbers = []
    for seed in (0, 1):
        train(settings, ID, tmp_path / str(seed), options=OPTIONS, seed=seed)
        numbers.append(results(tmp_path / str(seed))[2])
    with pytest.raises(Stopped):
        train(settings, ID, tmp_path / "begun", options=OPTIONS, progress=stop_after(0))
    untrained = results(tmp_path / "begun")[2]
    assert numbers[0] != numbers[1] and numbers[0] != untrained and numbers[0].keys() == untrained.keys()


KILLED = """
import sys
import strategic_env
from learners.rl import training
sys.path.insert(0, {tests!r})
import test_rl_training as here

training.HELD_OUT_GAMES, training.CHECKPOINTS = 4, 4
print("begun", flush=True)
training.train(here.tiny("ppo"), here.ID, {folder!r}, options=here.OPTIONS, progress=lambda _: here.time.sleep({pause}))
"""


def test_a_killed_training_loses_no_more_than_a_checkpoint(tmp_path: Path) -> None:
    folder = tmp_path / "killed"
    program = KILLED.format(tests=str(Path(__file__).parent), folder=str(folder), pause=0.05)
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    evaluations, deadline = folder / module.EVALUATIONS, time.monotonic() + 300.0
    while not evaluations.exists() or evaluations.read_text().count("\n") < 4:
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    assert process.wait(60) == -signal.SIGKILL
    process.stdout.close()  # type: ignore[union-attr]
    reached: list[int] = []
    train(tiny("ppo"), ID, folder, options=OPTIONS, progress=lambda progress: reached.append(progress.timesteps))
    assert 64 < reached[0] <= 256, "it does not begin anew"
    train(tiny("ppo"), ID, tmp_path / "whole", options=OPTIONS)
    assert results(folder) == results(tmp_path / "whole")


def test_a_finished_training_is_not_repeated(tmp_path: Path) -> None:
    train(tiny("ppo"), ID, tmp_path, options=OPTIONS)
    before = {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    assert train(tiny("ppo"), ID, tmp_path, options=OPTIONS, progress=stop_after(0)) == tmp_path / module.POLICY
    assert {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == before


def test_another_training_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Stopped):
        train(tiny("ppo"), ID, tmp_path, options=OPTIONS, progress=stop_after(0))
    with pytest.raises(ValueError, match=r"holds a training with seed 0, not 1: choose another folder"):
        train(tiny("ppo"), ID, tmp_path, options=OPTIONS, seed=1)
    with pytest.raises(ValueError, match=r"holds a training with options .*20.*, not .*30"):
        train(tiny("ppo"), ID, tmp_path, options=OPTIONS | {"horizon": 30})
    (tmp_path / module.SETTINGS).write_text("[")
    with pytest.raises(ValueError, match=r"settings\.json must hold the settings of a training"):
        train(tiny("ppo"), ID, tmp_path, options=OPTIONS)


def test_training_evaluation_and_everybody_else_use_other_seeds() -> None:
    ranges = [range(base, base + LARGEST_TRAINING_SEED + 1) for base in (0, TRAINING_SEEDS, HELD_OUT_SEEDS)]
    assert all(one.stop <= other.start for one, other in zip(ranges, ranges[1:], strict=False))
    words = np.array([seed_words(seed) for base in (0, TRAINING_SEEDS, HELD_OUT_SEEDS) for seed in (base, base + 1)])
    keys = np.empty((len(words), 2), dtype=np.uint64)
    game_keys(words, np.zeros(len(words), dtype=np.int64), np.zeros(len(words), dtype=np.int64), keys)
    assert len(np.unique(keys, axis=0)) == len(keys)


def test_the_best_evaluation_is_kept_with_everything_that_made_it(tmp_path: Path) -> None:
    seen: list[Progress] = []
    file = train(tiny("ppo"), ID, tmp_path, options=OPTIONS, seed=7, progress=seen.append)
    evaluations = seen[-1].evaluations
    best = min(evaluations, key=lambda one: (one.mistakes, -one.timesteps))
    about = load(file).about
    said = about["training"]
    assert (said["timesteps"], said["held_out_mistakes"]) == (best.timesteps, best.mistakes)
    assert (said["environment"], said["seed"], said["options"]) == (ID, 7, OPTIONS)
    assert (about["algorithm"], about["view"], about["dim"], about["horizon"]) == ("PPO", "coefficients", 3, 20)
    assert said["settings"] == json.loads(json.dumps(said["settings"])) and "torch" in said["versions"]
    again = mistakes_in_games(load(file), ID, 4, HELD_OUT_SEEDS + 7, **OPTIONS)
    assert again.mean() == best.mistakes


def test_a_seed_beyond_its_range_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"seed must be at most 4294967295, got 4294967296"):
        train(tiny("ppo"), ID, tmp_path, options=OPTIONS, seed=2**32)
