"""Hyper-parameters in rl-zoo3's format: what is read, and what is refused in one line."""

from pathlib import Path
from typing import Any

import gymnasium
import pytest

import strategic_env  # noqa: F401
from learners.rl import read_settings
from learners.rl.policy import algorithm_class
from learners.rl.settings import ALGORITHMS, FOLDER, _parsed, settings

WRAPPER = {"learners.rl.ViewedEnv": {"view": "coefficients"}}
ENTRY: dict[str, Any] = {"n_timesteps": 1e4, "policy": "MlpPolicy", "env_wrapper": [WRAPPER]}


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_entry_of_the_package_is_understood(algorithm: str) -> None:
    entries = _parsed(FOLDER / f"{algorithm}.yml")
    assert "default" in entries
    for environment in entries:
        read = read_settings(algorithm, environment)
        assert read.timesteps > 0 and read.games > 0 and callable(read.built()["learning_rate"])
        if environment != "default":
            gymnasium.make_vec(environment, num_envs=1, **read.options)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_algorithms_go_by_the_names_of_rl_zoo3(algorithm: str) -> None:
    assert algorithm_class(ALGORITHMS[algorithm]).__name__.lower().removeprefix("recurrent") in algorithm


def test_an_environment_without_an_entry_gets_the_default() -> None:
    assert read_settings("ppo", "strategic_env/BiasedL2-v0") == read_settings("ppo", "default")


def test_an_entry_is_split_into_what_it_is_for(tmp_path: Path) -> None:
    file = tmp_path / "own.yml"
    file.write_text(
        "my/Env-v0:\n  n_timesteps: !!float 1e6\n  n_envs: 8\n  policy: MlpPolicy\n  learning_rate: lin_3e-4\n"
        "  gamma: 0.9\n  normalize: {norm_obs: false}\n  env_kwargs: {dim: 5}\n"
        "  env_wrapper:\n    - learners.rl.ViewedEnv:\n        view: statistics\n"
    )
    read = read_settings("ppo", "my/Env-v0", file)
    assert (read.timesteps, read.games, read.view, read.options) == (1_000_000, 8, "statistics", {"dim": 5})
    assert read.normalize == {"norm_obs": False, "gamma": 0.9}, "rewards are discounted as the algorithm does"
    assert read.arguments == {"policy": "MlpPolicy", "learning_rate": "lin_3e-4", "gamma": 0.9}
    rate = read.built()["learning_rate"]
    assert (rate(1.0), rate(0.5), rate(0.0)) == (3e-4, 1.5e-4, 0.0)


def test_without_a_wrapper_observations_stay_flat() -> None:
    assert settings("ppo", {"n_timesteps": 1e4, "policy": "MlpPolicy"}).view == "flat"


def test_a_list_is_a_frequency_as_stable_baselines3_wants_it() -> None:
    assert settings("sac", ENTRY | {"train_freq": [1, "episode"]}).built()["train_freq"] == (1, "episode")


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"n_timesteps": None}, r"n_timesteps must be an integer, got None"),
        ({"n_timesteps": 1.5}, r"n_timesteps must be an integer, got 1.5"),
        ({"n_envs": 0}, r"n_envs must be at least 1, got 0"),
        ({"frame_stack": 4}, r"ppo has no hyper-parameter 'frame_stack' here; it has policy, "),
        ({"seed": 1}, r"ppo has no hyper-parameter 'seed' here"),
        ({"normalize": True}, r"normalize must say norm_obs: false, .* got True"),
        ({"learning_rate": "cos_3e-4"}, r"learning_rate must be .* such as lin_3e-4, got 'cos_3e-4'"),
        ({"learning_rate": "lin_fast"}, r"learning_rate must be .* such as lin_3e-4, got 'lin_fast'"),
        ({"env_kwargs": 3}, r"env_kwargs must be a mapping, got 3"),
        ({"env_wrapper": "gymnasium.Wrapper"}, r"env_wrapper must be learners.rl.ViewedEnv with its view"),
        ({"env_wrapper": {"learners.rl.ViewedEnv": {"view": "x"}}}, r"view must be one of 'flat', .* got 'x'"),
    ],
    ids=str,
)
def test_what_is_wrong_is_named(changed: dict[str, Any], message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        settings("ppo", ENTRY | changed)


def test_an_unknown_algorithm_is_refused() -> None:
    with pytest.raises(ValueError, match=r"algorithm must be one of 'ppo', 'ppo_lstm', 'sac', 'tqc', got 'dqn'"):
        read_settings("dqn", "default")


@pytest.mark.parametrize(
    "text", ["a: [", "- 1\n", "other:\n  policy: MlpPolicy\n"], ids=["no_yaml", "list", "no_entry"]
)
def test_a_file_that_says_something_else_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "own.yml"
    file.write_text(text)
    with pytest.raises(ValueError, match=r"own\.yml must "):
        read_settings("ppo", "strategic_env/KnownL2-v0", file)
