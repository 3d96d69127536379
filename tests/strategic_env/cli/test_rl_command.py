"""``strategic-env train``: what it says, what it leaves, and what it refuses before any work."""

import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from learners.rl import load
from strategic_env.bench.arguments import parse_learner
from strategic_env.cli import train

TINY = """default:
  env_wrapper:
    - learners.rl.ViewedEnv:
        view: coefficients
  env_kwargs: {dim: 3}
  n_timesteps: 128
  n_envs: 4
  policy: MlpPolicy
  n_steps: 16
  batch_size: 32
  learning_rate: lin_1e-3
  policy_kwargs: {net_arch: [4]}
"""


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    file = tmp_path / "tiny.yml"
    file.write_text(TINY)
    return file


def command(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", "-m", "strategic_env", "train", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=300,
    )


def test_a_training_leaves_a_policy_that_plays(tiny: Path, tmp_path: Path) -> None:
    options = ("--set", "horizon=10", "--seed", "3")
    asked = ("ppo", "KnownL2", *options, "--hyperparameters", tiny, "--out", tmp_path / "out")
    completed = command(*asked)
    assert completed.returncode == 0, completed.stderr
    said, how = completed.stdout.splitlines()
    assert "mistakes per held-out game (the best of 3 evaluations, after " in said
    out = tmp_path / "out"
    assert how == f"strategic-env run KnownL2 --set dim=3 --set horizon=10 --learner sb3:path={out}"
    assert "ppo on KnownL2 with dim=3, horizon=10: 128 rounds" in completed.stderr
    assert "\n64 rounds: " in completed.stderr, "progress, a line for each evaluation"
    again = command(*asked)
    assert again.stdout == completed.stdout and f"{out}: this training is done" in again.stderr
    policy = load(tmp_path / "out")
    training = policy.about["training"]
    assert (training["seed"], training["options"]) == (3, {"dim": 3, "horizon": 10})
    refused = command(*asked, "--set", "alpha=0.2")
    assert refused.returncode == 2 and "holds a training with options.alpha nothing, not 0.2" in refused.stderr
    assert refused.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("dqn", "KnownL2"), r"algorithm must be one of 'ppo', 'ppo_lstm', 'sac', 'tqc', got 'dqn'"),
        (("ppo", "Nobody"), r"scenario must be one of .* got 'Nobody'"),
        (
            ("ppo", "Bandit"),
            r"policies are trained for scenarios of strategic classification; Bandit is of multiclass classification",
        ),
        (("ppo", "UnknownL2"), r"a policy with the view 'coefficients' must be told alpha"),
        (("ppo", "KnownL2", {"colour": 1}), r"KnownL2 has no option 'colour'"),
        (("ppo", "KnownL2", {"reward": "gold"}), r"reward must be one of .* got 'gold'"),
        (("ppo", "KnownL2", {"observation": "flat"}), r"KnownL2 has no option 'observation'"),
    ],
    ids=["algorithm", "scenario", "game", "untold", "option", "reward", "observation"],
)
def test_what_is_wrong_is_named_before_any_work(
    arguments: tuple[str, str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=message):
        train.prepare(*arguments)
    assert not list(tmp_path.iterdir())


def test_what_is_given_overrides_the_hyper_parameters(tiny: Path, tmp_path: Path) -> None:
    options = {"dim": np.int64(2), "reward": "hinge", "population_seed": 3}
    prepared = train.prepare("ppo", "KnownL2", options, timesteps=200, hyperparameters=tiny, out=tmp_path / "a b")
    assert prepared.options == {"dim": 2, "population_seed": 3} and prepared.training.progress.total == 256
    assert prepared.training.run().name == "policy.zip"
    first, second = prepared.summary().splitlines()
    assert first.endswith(" untrained)")
    expected = f"strategic-env run KnownL2 --set population_seed=3 --learner 'sb3:path={tmp_path / 'a b'}'"
    assert second == expected, "what is as it is by default is left out"
    assert load(tmp_path / "a b").about["training"]["options"] == {"dim": 2, "reward": "hinge", "population_seed": 3}


def test_the_folder_is_named_after_the_training(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert train.prepare("ppo", "BiasedL2", seed=4).training.folder.path == Path("ppo-BiasedL2-4")


@pytest.mark.parametrize("folder", ["meta-l2", "1", "true", "1e3", "a,b", "[1]", "~", 'a "b" c=d', 'a",b', 'a\\"b[,'])
def test_the_command_that_is_printed_plays_whatever_the_folder_is_called(
    folder: str, tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    prepared = train.prepare("ppo", "KnownL2", hyperparameters=tiny, out=folder)
    words = shlex.split(prepared.command())
    name, parameters = parse_learner(words[words.index("--learner") + 1])
    assert name == "sb3" and Path(parameters["path"]).resolve() == tmp_path / folder  # type: ignore[arg-type]
    prepared.training.folder.release()
