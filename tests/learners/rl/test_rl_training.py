"""Training: the same seed gives the same policy, even if it is killed in between; seeds that others use stay unseen."""

import csv
import json
import os
import shutil
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
from agents.foundation.files import write_csv
from agents.foundation.streams import game_keys, seed_words
from learners.rl import Settings, Training, load, read_settings, train, training_folder
from learners.rl import training as module
from learners.rl.training import HELD_OUT_SEEDS, LARGEST_TRAINING_SEED, TRAINING_SEEDS, Progress, mistakes_in_games
from learners.rl.training_folder import Evaluation, TrainingFolder
from strategic_env.games.shared.vector import GamesEnv

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
    monkeypatch.setattr(module, "MOST_HELD_OUT_GAMES", 4)
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

    with zipfile.ZipFile(folder / training_folder.CHECKPOINT) as archive:
        inner = zipfile.ZipFile(io.BytesIO(archive.read(module.MODEL)))
        weights = torch.load(io.BytesIO(inner.read("policy.pth")), weights_only=True)
    numbers = {name: value.tolist() for name, value in weights.items()}
    return (folder / training_folder.POLICY).read_bytes(), (folder / training_folder.EVALUATIONS).read_text(), numbers


@pytest.mark.parametrize("algorithm", ["ppo", "ppo_lstm", "sac", "tqc"])
def test_an_interrupted_training_ends_as_if_nothing_had_happened(algorithm: str, tmp_path: Path) -> None:
    settings = tiny(algorithm)
    train(settings, ID, tmp_path / "whole", options=OPTIONS)
    with pytest.raises(Stopped):
        train(settings, ID, tmp_path / "parts", options=OPTIONS, progress=stop_after(settings.timesteps // 2 + 20))
    assert (tmp_path / "parts" / training_folder.EVALUATIONS).read_text().count("\n") == 4, (
        "the header, and 0, 1/4, 1/2"
    )
    train(settings, ID, tmp_path / "parts", options=OPTIONS)
    assert results(tmp_path / "parts") == results(tmp_path / "whole")
    assert (tmp_path / "whole" / training_folder.EVALUATIONS).read_text().count("\n") == 6


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

training.MOST_HELD_OUT_GAMES, training.CHECKPOINTS = 4, 4
print("begun", flush=True)
training.train(here.tiny("ppo"), here.ID, {folder!r}, options=here.OPTIONS, progress=lambda _: here.time.sleep({pause}))
"""


def test_a_killed_training_loses_no_more_than_a_checkpoint(tmp_path: Path) -> None:
    folder = tmp_path / "killed"
    program = KILLED.format(tests=str(Path(__file__).parent), folder=str(folder), pause=0.05)
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    evaluations, deadline = folder / training_folder.EVALUATIONS, time.monotonic() + 300.0
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
    assert (
        train(tiny("ppo"), ID, tmp_path, options=OPTIONS, progress=stop_after(0)) == tmp_path / training_folder.POLICY
    )
    assert {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == before


def test_another_training_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Stopped):
        train(tiny("ppo"), ID, tmp_path, options=OPTIONS, progress=stop_after(150))
    with pytest.raises(ValueError, match=r"holds a training with seed 0, not 1: choose another folder"):
        train(tiny("ppo"), ID, tmp_path, options=OPTIONS, seed=1)
    with pytest.raises(ValueError, match=r"holds a training with options\.horizon 20, not 30: choose another folder"):
        train(tiny("ppo"), ID, tmp_path, options=OPTIONS | {"horizon": 30})
    (tmp_path / training_folder.SETTINGS).write_text("[")
    with pytest.raises(ValueError, match=r"settings\.json must hold the settings of a training"):
        train(tiny("ppo"), ID, tmp_path, options=OPTIONS)


def test_a_training_that_failed_at_once_gives_way_to_another(tmp_path: Path) -> None:
    wrong = replace(tiny("ppo"), arguments=tiny("ppo").arguments | {"learning_rate": 1e10})
    with pytest.raises(RuntimeError, match=r"PPO failed after .* rounds: ValueError: .*"):
        train(wrong, ID, tmp_path / "one", options=OPTIONS)
    (tmp_path / "one" / "checkpoint.zip.1-2.unfinished").write_bytes(b"left by a process that was killed")
    for folder in ("one", "whole"):
        train(tiny("ppo"), ID, tmp_path / folder, options=OPTIONS)
    assert results(tmp_path / "one") == results(tmp_path / "whole")
    assert not list((tmp_path / "one").glob("*.unfinished"))


@pytest.mark.parametrize("name", ["tensorboard_log", "device"])
def test_arguments_that_are_trainings_business_are_refused(name: str, tmp_path: Path) -> None:
    given = replace(tiny("ppo"), arguments=tiny("ppo").arguments | {name: "logs"})
    with pytest.raises(ValueError, match=f"^arguments must leave {name} to training$"):
        Training(given, ID, tmp_path / "new", options=OPTIONS)
    assert not (tmp_path / "new").exists()


def test_the_order_and_kind_of_numbers_of_settings_do_not_matter(tmp_path: Path) -> None:
    with pytest.raises(Stopped):
        train(tiny("ppo"), ID, tmp_path, options={"dim": 3, "horizon": 20, "radius": 1.0}, progress=stop_after(150))
    train(tiny("ppo"), ID, tmp_path, options={"radius": 1, "horizon": 20, "dim": 3})
    with pytest.raises(ValueError, match=r"holds a training with options\.population_seed nothing, not None"):
        train(tiny("ppo"), ID, tmp_path, options={"radius": 1, "horizon": 20, "dim": 3, "population_seed": None})


@pytest.mark.parametrize("missing", [training_folder.CHECKPOINT, training_folder.EVALUATIONS])
def test_it_goes_on_wherever_it_was_killed(missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = TrainingFolder._write

    def fail(self: TrainingFolder, name: str, content: bytes) -> None:
        if name == missing:
            raise Stopped
        write(self, name, content)

    def fail_table(path: Path, *content: Any) -> None:
        if path.name == missing:
            raise Stopped
        write_csv(path, *content)

    with monkeypatch.context() as killed:
        killed.setattr(TrainingFolder, "_write", fail)
        killed.setattr(training_folder, "write_csv", fail_table)
        with pytest.raises(Stopped):
            train(tiny("ppo"), ID, tmp_path / "parts", options=OPTIONS)
    for folder in ("parts", "whole"):
        train(tiny("ppo"), ID, tmp_path / folder, options=OPTIONS)
    assert results(tmp_path / "parts") == results(tmp_path / "whole")


def test_an_interrupted_object_is_not_used_again(tmp_path: Path) -> None:
    training = Training(tiny("ppo"), ID, tmp_path, options=OPTIONS)
    with pytest.raises(Stopped):
        training.run(stop_after(150))
    with pytest.raises(RuntimeError, match=r"was interrupted: make another Training"):
        training.run()
    assert Training(tiny("ppo"), ID, tmp_path, options=OPTIONS).run() == tmp_path / training_folder.POLICY


@pytest.mark.parametrize(("total", "rollout"), [(256, 64), (161, 32), (1284, 64), (10_035_200, 102_400), (7, 1)])
def test_marks_are_made_once_each(total: int, rollout: int) -> None:
    progress, made = Progress(0, total), 0
    for timesteps in range(0, total + rollout, rollout):
        if timesteps >= progress.next_mark():
            progress.evaluations.append(Evaluation(timesteps, 0.0, 0.0))
            made += 1
            assert progress.next_mark() > timesteps
    assert made <= module.CHECKPOINTS + 2


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != training_folder.LOCK}


def test_nothing_of_others_is_touched(tmp_path: Path) -> None:
    bench = tmp_path / "bench"
    strategic_env.evaluate(["perceptron"], "KnownL2", seeds=1, rounds=5, out=bench)
    (bench / "bounds.csv.unfinished").write_text("what somebody else goes on from")
    begun = tmp_path / "begun"
    with pytest.raises(Stopped):
        train(tiny("ppo"), ID, begun, options=OPTIONS, progress=stop_after(150))
    (begun / training_folder.EVALUATIONS).unlink()
    kept = copied(begun, tmp_path / "kept", training_folder.SETTINGS, training_folder.POLICY)
    with pytest.raises(Stopped):
        train(tiny("ppo"), ID, tmp_path / "new", options=OPTIONS, progress=stop_after(0))
    for folder, message in (
        (bench, r"settings\.json must hold the settings of a training: choose another folder"),
        (begun, r"holds a training with seed 0, not 1: choose another folder"),
        (kept, r"holds a training with seed 0, not 1: choose another folder"),
    ):
        before = contents(folder)
        with pytest.raises(ValueError, match=message):
            train(tiny("ppo"), ID, folder, options=OPTIONS, seed=1)
        assert contents(folder) == before
    for content in ((begun / training_folder.POLICY).read_bytes(), b"mine"):
        (kept / training_folder.POLICY).write_bytes(content)
        with pytest.raises(ValueError, match=r"has lost all but the policy|must name a policy that"):
            train(tiny("ppo"), ID, kept, options=OPTIONS)
        assert (kept / training_folder.POLICY).read_bytes() == content
    (tmp_path / "log-from-0.csv").write_text("mine")
    with pytest.raises(ValueError, match=r"holds log-from-0\.csv without settings\.json: choose another folder"):
        train(tiny("ppo"), ID, tmp_path, options=OPTIONS)
    train(tiny("ppo"), ID, tmp_path / "new", options=OPTIONS, seed=1)
    assert load(tmp_path / "new").about["training"]["seed"] == 1, "what has only begun gives way"


def test_what_a_caller_raises_is_not_the_algorithms_failure(tmp_path: Path) -> None:
    def fail(progress: Progress) -> None:
        raise ValueError("my own mistake")

    with pytest.raises(ValueError, match=r"^my own mistake$"):
        train(tiny("ppo"), ID, tmp_path, options=OPTIONS, progress=fail)


def test_episodes_of_off_policy_training_are_rounded_to(tmp_path: Path) -> None:
    arguments = tiny("sac").arguments | {"train_freq": [2, "episode"], "gradient_steps": 1}
    settings = replace(tiny("sac"), games=1, timesteps=100, arguments=arguments)
    assert Training(settings, ID, tmp_path, options=OPTIONS).progress.total == 120


def copied(source: Path, target: Path, *names: str) -> Path:
    """Return a folder with some files of another one."""
    target.mkdir()
    for name in names:
        shutil.copy(source / name, target / name)
    return target


def test_a_folder_that_lost_something_is_not_trained_over(tmp_path: Path) -> None:
    train(tiny("ppo"), ID, tmp_path / "done", options=OPTIONS)
    with pytest.raises(Stopped):
        train(tiny("ppo"), ID, tmp_path / "begun", options=OPTIONS, progress=stop_after(150))
    train(tiny("ppo"), ID, tmp_path / "other", options=OPTIONS, seed=1)
    for name in (training_folder.SETTINGS, training_folder.CHECKPOINT, training_folder.EVALUATIONS):
        shutil.copy(tmp_path / "done" / name, tmp_path / "other" / name)
    train(tiny("ppo"), ID, tmp_path / "narrow", options=OPTIONS | {"dim": 2})
    shutil.copy(tmp_path / "narrow" / training_folder.POLICY, tmp_path / "other" / training_folder.POLICY)
    settings, checkpoint, policy, evaluations = (
        training_folder.SETTINGS, training_folder.CHECKPOINT, training_folder.POLICY, training_folder.EVALUATIONS,
    )  # fmt: skip
    whole = copied(tmp_path / "done", tmp_path / "a", settings, policy, evaluations)
    assert train(tiny("ppo"), ID, whole, options=OPTIONS, progress=stop_after(0)) == whole / policy, "it is done"
    for name, source, kept, message in (
        ("b", "done", (settings, checkpoint, evaluations), r"has lost the policy of its training: delete the folder"),
        ("c", "begun", (settings, policy, evaluations), r"has lost the checkpoint of its training: delete the folder"),
        ("e", "other", (settings, checkpoint, evaluations, policy), r"has lost the policy of its training"),
        (
            "d",
            "done",
            (checkpoint, policy),
            r"holds checkpoint\.zip, policy\.zip without settings\.json: choose another",
        ),
    ):
        folder = copied(tmp_path / source, tmp_path / name, *kept)
        before = {path.name: path.read_bytes() for path in folder.iterdir()}
        with pytest.raises(ValueError, match=message):
            train(tiny("ppo"), ID, folder, options=OPTIONS)
        assert {path.name: path.read_bytes() for path in folder.iterdir() if path.name in before} == before


@pytest.mark.parametrize("content", [b"garbage", b"another"], ids=["garbage", "another"])
def test_a_checkpoint_that_is_none_is_refused(content: bytes, tmp_path: Path) -> None:
    with pytest.raises(Stopped):
        train(tiny("ppo"), ID, tmp_path / "one", options=OPTIONS, progress=stop_after(0))
    if content == b"another":
        with pytest.raises(Stopped):
            train(tiny("ppo"), ID, tmp_path / "two", options=OPTIONS, seed=1, progress=stop_after(0))
        content = (tmp_path / "two" / training_folder.CHECKPOINT).read_bytes()
    (tmp_path / "one" / training_folder.CHECKPOINT).write_bytes(content)
    with pytest.raises(ValueError, match=r"checkpoint\.zip is (no checkpoint of a|of another) training"):
        train(tiny("ppo"), ID, tmp_path / "one", options=OPTIONS)


def test_two_do_not_train_in_one_folder(tmp_path: Path) -> None:
    first = Training(tiny("ppo"), ID, tmp_path, options=OPTIONS)
    with pytest.raises(ValueError, match=r"is in use: another training goes on there"):
        Training(tiny("ppo"), ID, tmp_path, options=OPTIONS)
    first.run()
    assert Training(tiny("ppo"), ID, tmp_path, options=OPTIONS).progress.done


@pytest.mark.parametrize(
    ("change", "options", "environment", "message"),
    [
        ({"arguments": {"policy": "CnnPolicy"}}, {}, ID, r"PPO cannot be built with these hyper-parameters: "),
        ({"normalize": {"norm_obs": False, "colour": 1}}, {}, ID, r"PPO cannot be built .*unexpected keyword.*colour"),
        (
            {"timesteps": 64},
            {},
            ID,
            r"timesteps must be at least 65, got 64: they are rounded up to whole rollouts of 64 rounds "
            r"\(16 in each of 4 games\), after each of which the policy learns, and it takes at least 2 of them",
        ),
        ({}, {"info_level": "full"}, ID, r"options must leave info_level to training"),
        ({}, {"alpha": np.float64(0.3)}, "strategic_env/UnknownL2-v0", r"must be told alpha"),
        ({}, {"population_seed": {1}}, ID, r"population_seed must be an integer"),
        ({}, {}, "strategic_env/Bandit-v0", r"environment of strategic classification"),
        ({}, {}, "KnownL2", r"environment must be one of strategic_env, got 'KnownL2'"),
    ],
    ids=["policy", "normalize", "timesteps", "options", "untold", "value", "game", "unknown"],
)
def test_what_cannot_be_trained_leaves_the_folder_as_it_was(
    change: dict[str, Any], options: dict[str, Any], environment: str, message: str, tmp_path: Path
) -> None:
    settings = replace(tiny("ppo"), **change)
    if "arguments" in change:
        settings = replace(settings, arguments=tiny("ppo").arguments | change["arguments"])
    own = OPTIONS if environment == ID else {}
    with pytest.raises((TypeError, ValueError), match=message):
        train(settings, environment, tmp_path / "new", options=own | options)
    assert not (tmp_path / "new").exists()


def test_off_policy_training_must_outlast_its_idle_rounds(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"timesteps must be at least 49, got 48: .* whole rollouts of 16 rounds"):
        train(replace(tiny("sac"), timesteps=48), ID, tmp_path, options=OPTIONS)


def test_training_ends_with_a_whole_rollout_and_logs_what_the_algorithm_says(tmp_path: Path) -> None:
    seen: list[Progress] = []
    train(replace(tiny("ppo"), timesteps=140), ID, tmp_path, options=OPTIONS, progress=seen.append)
    assert (seen[-1].total, seen[-1].timesteps, seen[-1].evaluations[-1].timesteps) == (192, 192, 192)
    with (tmp_path / "log-from-0.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["time/total_timesteps"] for row in rows] == ["64", "128", "192"]
    rates = [float(row["train/learning_rate"]) for row in rows if row["train/learning_rate"]]
    assert all(rate >= 0.0 for rate in rates) and rates[0] > rates[-1]
    assert {"train/loss", "train/approx_kl", "held_out/mistakes"} <= rows[0].keys()


def test_observations_may_be_normalised_and_the_policy_keeps_that(tmp_path: Path) -> None:
    settings = replace(tiny("ppo"), normalize={"norm_obs": True, "norm_reward": False})
    train(settings, ID, tmp_path / "whole", options=OPTIONS)
    with pytest.raises(Stopped):
        train(settings, ID, tmp_path / "parts", options=OPTIONS, progress=stop_after(150))
    train(settings, ID, tmp_path / "parts", options=OPTIONS)
    assert results(tmp_path / "parts") == results(tmp_path / "whole")
    policy = load(tmp_path / "whole" / training_folder.POLICY)
    assert policy.about["normalisation"]["mean"] != [0.0] * 20
    again = mistakes_in_games(policy, ID, 4, HELD_OUT_SEEDS, **OPTIONS)
    assert again.mean() == policy.about["training"]["held_out_mistakes"]


def test_training_and_evaluations_play_games_of_their_own_seeds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seeds: list[int] = []
    reset = GamesEnv.reset

    def noted(self: Any, *, seed: int | None = None, options: Any = None) -> Any:
        if seed is not None:
            seeds.append(seed)
        return reset(self, seed=seed, options=options)

    monkeypatch.setattr(GamesEnv, "reset", noted)
    with pytest.raises(Stopped):
        train(tiny("ppo"), ID, tmp_path, options=OPTIONS, seed=5, progress=stop_after(1))
    assert set(seeds) == {2**32 + 5, 2**33 + 5}


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
