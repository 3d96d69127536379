"""Hyper-parameters in rl-zoo3's format: what is read, and what is refused in one line."""

import os
from datetime import date
from pathlib import Path
from typing import Any

import gymnasium
import pytest
import torch

import strategic_env  # noqa: F401
from learners.rl import read_settings
from learners.rl.saved_policy import algorithm_class
from learners.rl.settings import ALGORITHMS, FOLDER, _parsed, schedule, settings

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
        ({"tensorboard_log": "logs"}, r"ppo has no hyper-parameter 'tensorboard_log' here"),
        ({"normalize": 3}, r"normalize must be a mapping, got 3"),
        ({"normalize": "__import__('os').system('true')"}, r"normalize must be a mapping, or text such as dict\(a=1\)"),
        ({"policy_kwargs": "dict(net_arch=[open('x')])"}, r"policy_kwargs must be a mapping, or text such as"),
        ({"policy_kwargs": "dict(**{})"}, r"policy_kwargs must be a mapping, or text such as"),
        ({"policy_kwargs": [64]}, r"policy_kwargs must be a mapping, got \[64\]"),
        ({"policy_kwargs": {"activation_fn": "nn.Nothing"}}, r"activation_fn must be one of torch, such as nn\.ReLU"),
        ({"policy_kwargs": {"activation_fn": "os.system"}}, r"activation_fn must be one of torch, such as nn\.ReLU"),
        ({"policy": "MlpPolcy"}, r"policy must be one of 'MlpPolicy', got 'MlpPolcy'; did you mean"),
        ({"policy": None}, r"policy must be one of 'MlpPolicy', got None"),
        ({"learning_rate": "cos_3e-4"}, r"learning_rate must be .* such as lin_3e-4, got 'cos_3e-4'"),
        ({"learning_rate": "lin_fast"}, r"learning_rate must be .* such as lin_3e-4, got 'lin_fast'"),
        ({"learning_rate": "lin_1_0"}, r"learning_rate must be .* such as lin_3e-4, got 'lin_1_0'"),
        ({"learning_rate": "lin_nan"}, r"learning_rate must be .* such as lin_3e-4, got 'lin_nan'"),
        ({"learning_rate": "lin_-1"}, r"learning_rate must be greater than 0\.0, got -1\.0"),
        ({"learning_rate": "lin_1e999"}, r"learning_rate must be finite, got inf"),
        ({"learning_rate": -1}, r"learning_rate must be greater than 0\.0, got -1"),
        ({"clip_range": -1}, r"clip_range must be greater than 0\.0, got -1"),
        ({"gamma": 2}, r"gamma must be at most 1\.0, got 2"),
        ({"gamma": "abc"}, r"gamma must be a number, got 'abc'"),
        ({"n_epochs": 0}, r"n_epochs must be at least 1, got 0"),
        ({"n_epochs": True}, r"n_epochs must be an integer, got True"),
        ({"batch_size": 1.5}, r"batch_size must be an integer, got 1\.5"),
        ({"batch_size": float("inf")}, r"batch_size must be finite, got inf"),
        ({"batch_size": None}, r"batch_size must be an integer, got None"),
        ({"ent_coef": "auto"}, r"ent_coef must be a number, got 'auto'"),
        ({"ent_coef": "lin_0.1"}, r"ent_coef must be a number, got 'lin_0\.1'"),
        ({"learing_rate": 1}, r"ppo has no hyper-parameter 'learing_rate' here; .*; did you mean 'learning_rate'\?"),
        ({"normalize": {"norm_obs": "no"}}, r"normalize\.norm_obs must be True or False, got 'no'"),
        ({"normalize": {"clip_obs": -1}}, r"normalize\.clip_obs must be greater than 0\.0, got -1"),
        ({"normalize": {"gamma": 0.5}}, r"normalize must be one of 'norm_obs', .* got 'gamma'"),
        ({"policy_kwargs": "dict(a=1, a=2)"}, r"policy_kwargs must be a mapping, or text such as"),
        ({"policy_kwargs": "dict(activation_fn=torch.nn.Tanh)"}, r"got 'dict.*: torch\.nn\.Tanh is no literal"),
        ({"policy_kwargs": {"activation_fn": "nn.GLU"}}, r"activation_fn must be one of torch, such as nn\.ReLU"),
        ({"policy_kwargs": {"activation_fn": "nn.Module"}}, r"activation_fn must be one of torch, such as nn\.ReLU"),
        ({"policy_kwargs": {"net_arch": {"pi": [8], "qf": [8]}}}, r"net_arch must name pi and vf, got 'qf'"),
        ({"policy_kwargs": {"net_arch": [0]}}, r"net_arch must be at least 1, got 0"),
        ({"policy_kwargs": {"net_arch": "wide"}}, r"net_arch must hold lists of widths, got 'wide'"),
        ({"env_kwargs": {"a": [[0] * 200] * 100}}, r"env_kwargs must hold at most 10,000 values"),
        ({"use_sde": "false"}, r"use_sde must be True or False, got 'false'"),
        ({"target_kl": date(2026, 1, 1)}, r"target_kl must hold numbers, text, lists and mappings, got datetime\.date"),
        ({"env_kwargs": 3}, r"env_kwargs must be a mapping, got 3"),
        ({"env_kwargs": {1: 2}}, r"env_kwargs must have names as keys, got 1"),
        ({"env_wrapper": "gymnasium.Wrapper"}, r"env_wrapper must be learners.rl.ViewedEnv with its view"),
        ({"env_wrapper": {"learners.rl.ViewedEnv": None}}, r"env_wrapper must be learners.rl.ViewedEnv with its view"),
        ({"env_wrapper": {"learners.rl.ViewedEnv": ["view"]}}, r"env_wrapper must be learners.rl.ViewedEnv with its"),
        ({"env_wrapper": {"learners.rl.ViewedEnv": {"view": "x"}}}, r"view must be one of 'flat', .* got 'x'"),
    ],
    ids=str,
)
def test_what_is_wrong_is_named(changed: dict[str, Any], message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        settings("ppo", ENTRY | changed)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"train_freq": 0}, r"train_freq must be at least 1, got 0"),
        ({"train_freq": []}, r"train_freq must be an integer, got \[\]"),
        ({"train_freq": [4, "round"]}, r"train_freq must be one of 'step', 'episode', got 'round'"),
        ({"train_freq": [1, "episode"], "n_envs": 8}, r"train_freq must count steps where n_envs is 8"),
        ({"gradient_steps": 0}, r"gradient_steps must be -1 or at least 1, got 0"),
        ({"ent_coef": "auto_inf"}, r"ent_coef must be a number, got 'auto_inf'"),
        ({"target_entropy": "nan"}, r"target_entropy must be a number, got 'nan'"),
        ({"action_noise": "normal"}, r"sac has no hyper-parameter 'action_noise' here"),
        ({"policy_kwargs": {"net_arch": {"pi": [8], "vf": [8]}}}, r"net_arch must name pi and qf, got 'vf'"),
    ],
    ids=str,
)
def test_what_is_wrong_off_policy_is_named(changed: dict[str, Any], message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        settings("sac", ENTRY | changed)
    read = settings("sac", ENTRY | {"ent_coef": "auto_0.1", "target_entropy": "auto", "train_freq": 2})
    assert read.arguments["ent_coef"] == "auto_0.1"


def test_what_holds_itself_is_refused() -> None:
    endless: list[object] = []
    endless.append(endless)
    with pytest.raises(ValueError, match=r"env_kwargs must (not hold itself|hold at most)"):
        settings("ppo", ENTRY | {"env_kwargs": {"a": endless}})


def test_text_of_the_zoo_is_read_and_not_executed() -> None:
    text = "dict(net_arch=dict(pi=[8, 4], vf=(8,)), activation_fn=nn.ReLU, log_std_init=-2, ortho_init=False)"
    read = settings("ppo", ENTRY | {"policy_kwargs": text, "normalize": "{'norm_obs': True, 'norm_reward': False}"})
    built = read.built()["policy_kwargs"]
    assert built == {
        "net_arch": {"pi": [8, 4], "vf": [8]}, "activation_fn": torch.nn.ReLU, "log_std_init": -2, "ortho_init": False,
    }  # fmt: skip
    assert read.normalize == {"norm_obs": True, "norm_reward": False, "gamma": 0.99}
    assert settings("ppo", ENTRY | {"normalize": True, "gamma": 0.5}).normalize == {"gamma": 0.5}
    assert settings("ppo", ENTRY | {"normalize": False}).normalize == {}


def test_numbers_that_yaml_takes_for_text_are_numbers() -> None:
    read = settings(
        "ppo", ENTRY | {"n_timesteps": "1e6", "learning_rate": "3e-4", "batch_size": 64.0, "n_steps": "1e2"}
    )
    assert read.timesteps == 1_000_000 and read.arguments["learning_rate"] == 3e-4
    assert [type(read.arguments[name]) for name in ("batch_size", "n_steps")] == [int, int]
    nested = settings(
        "sac", ENTRY | {"gradient_steps": 8.0, "normalize": {"epsilon": "1e-8"}, "env_kwargs": {"a": "1"}}
    )
    assert nested.arguments["gradient_steps"] == 8 and type(nested.arguments["gradient_steps"]) is int
    assert nested.normalize["epsilon"] == 1e-8 and nested.options == {"a": "1"}, "quoted text stays text"


def test_a_schedule_never_climbs() -> None:
    rate = schedule("learning_rate", "lin_0.5")
    assert [rate(left) for left in (1.0, 0.5, 0.0, -0.1)] == [0.5, 0.25, 0.0, 0.0]


def test_a_name_that_is_no_id_is_refused() -> None:
    with pytest.raises(ValueError, match=r"environment must be an id such as strategic_env/KnownL2-v0, got 'KnownL2'"):
        read_settings("ppo", "KnownL2")


def test_an_unknown_algorithm_is_refused() -> None:
    with pytest.raises(ValueError, match=r"algorithm must be one of 'ppo', 'ppo_lstm', 'sac', 'tqc', got 'dqn'"):
        read_settings("dqn", "default")


@pytest.mark.parametrize(
    "text",
    [
        "a: [",
        "- 1\n",
        "other:\n  policy: MlpPolicy\n",
        "default: 3\n",
        "a: " + "[" * 5000,
        "a: !!python/object:os.x {}",
        "a: !!bool maybe",
        "a: 2020-99-99",
        "default: {a: 1, a: 2}",
    ],
    ids=["no_yaml", "list", "no_entry", "no_mapping", "deep", "object", "bool", "date", "twice"],
)
def test_a_file_that_says_something_else_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "own.yml"
    file.write_text(text)
    with pytest.raises(ValueError, match=r"own\.yml.* must "):
        read_settings("ppo", "strategic_env/KnownL2-v0", file)


@pytest.mark.parametrize("path", ["", ".", "nothing.yml"])
def test_what_is_no_file_is_refused(path: str) -> None:
    with pytest.raises(FileNotFoundError, match=r"hyper-parameters must be a YAML file, got"):
        read_settings("ppo", "strategic_env/KnownL2-v0", path)


def test_a_pipe_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.yml")
    with pytest.raises(FileNotFoundError, match=r"hyper-parameters must be a YAML file, got '.*', which is no file$"):
        read_settings("ppo", "strategic_env/KnownL2-v0", tmp_path / "pipe.yml")
