"""``strategic-env train``: what it says, what it leaves, and what it refuses before any work."""

import subprocess
import sys
from pathlib import Path

import pytest

from learners.rl import load
from strategic_env import train

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
    assert completed.stdout.count("\n") == 1 and "mistakes per held-out game" in completed.stdout
    policy = load(tmp_path / "out" / "policy.zip")
    training = policy.about["training"]
    assert (training["seed"], training["options"]) == (3, {"dim": 3, "horizon": 10})
    refused = command(*asked, "--set", "alpha=0.2")
    assert refused.returncode == 2 and "holds a training with options" in refused.stderr
    assert refused.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("dqn", "KnownL2"), r"algorithm must be one of 'ppo', 'ppo_lstm', 'sac', 'tqc', got 'dqn'"),
        (("ppo", "Nobody"), r"scenario must be one of .* got 'Nobody'"),
        (("ppo", "Bandit"), r"scenario must be one of .* got 'Bandit'"),
        (("ppo", "KnownL2", {"colour": 1}), r"KnownL2 has no option 'colour'"),
        (("ppo", "KnownL2", {"reward": "gold"}), r"reward must be one of .* got 'gold'"),
        (("ppo", "KnownL2", {"observation": "flat"}), r"KnownL2 has no option 'observation'"),
    ],
    ids=["algorithm", "scenario", "game", "option", "reward", "observation"],
)
def test_what_is_wrong_is_named_before_any_work(
    arguments: tuple[str, str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=message):
        train.plan(*arguments)
    assert not list(tmp_path.iterdir())


def test_a_plan_says_what_is_given_on_top_of_the_hyper_parameters(tiny: Path, tmp_path: Path) -> None:
    planned = train.plan(
        "ppo", "KnownL2", {"dim": 2, "reward": "hinge"}, timesteps=64, hyperparameters=tiny, out=tmp_path / "a"
    )
    assert planned.options == {"dim": 2, "reward": "hinge"} and planned.settings.timesteps == 64
    assert train.carry_out(planned).name == "policy.zip"
    assert "before" in train.summary(planned.folder)


def test_the_folder_is_named_after_the_training(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert train.plan("ppo", "BiasedL2", seed=4).folder == Path("ppo-BiasedL2-4")
