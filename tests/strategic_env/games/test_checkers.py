"""The official checkers of Gymnasium and Stable-Baselines3, with every warning an error, on every registered id."""

import warnings
from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.wrappers import PassiveEnvChecker
from stable_baselines3.common.env_checker import check_env as check_env_of_sb3

import strategic_env  # noqa: F401
from strategic_env.games.centres.description import CENTRES
from strategic_env.games.multiclass.description import MULTICLASS
from strategic_env.games.registration import environment_id, scenario_names
from strategic_env.games.search.description import SEARCH
from strategic_env.games.strategic.description import STRATEGIC

IDS = [environment_id(name) for name in scenario_names()]
STRATEGIC_IDS, MULTICLASS_IDS = ([environment_id(name) for name in names] for names in (STRATEGIC, MULTICLASS))
MARGIN_INDEPENDENT_IDS = [environment_id(name) for name in (*CENTRES, *SEARCH)]
OPTIONS: list[dict[str, Any]] = [
    {},
    {"feedback": "apple_tasting", "reward": "observed", "info_level": "outcome"},
    {"reward": "hinge", "info_level": "none", "horizon": 7},
    {"reward": "accuracy", "population_seed": 3},
    {"observation": "flat"},
]
MULTICLASS_OPTIONS: list[dict[str, Any]] = [
    {},
    {"noise": 0.1, "reward": "observed", "info_level": "outcome"},
    {"reward": "accuracy", "population_seed": 3, "info_level": "none", "horizon": 7},
    {"observation": "flat"},
]


@pytest.fixture(autouse=True)
def no_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("name", STRATEGIC_IDS)
def test_gymnasium_accepts_every_id(name: str, options: dict[str, Any]) -> None:
    check_env(gymnasium.make(name, **options).unwrapped, skip_render_check=bool(options))


@pytest.mark.parametrize("options", MULTICLASS_OPTIONS, ids=str)
@pytest.mark.parametrize("name", MULTICLASS_IDS)
def test_gymnasium_accepts_every_multiclass_id(name: str, options: dict[str, Any]) -> None:
    check_env(gymnasium.make(name, **options).unwrapped)


@pytest.mark.parametrize("options", [{}, {"population_seed": 3, "horizon": 7}, {"observation": "flat"}], ids=str)
@pytest.mark.parametrize("name", MARGIN_INDEPENDENT_IDS)
def test_gymnasium_accepts_every_margin_independent_id(name: str, options: dict[str, Any]) -> None:
    check_env(gymnasium.make(name, **options).unwrapped, skip_render_check=bool(options))


@pytest.mark.parametrize("name", [*MULTICLASS_IDS, *(environment_id(name) for name in CENTRES)])
def test_stable_baselines3_accepts_every_multiclass_dictionary(name: str) -> None:
    check_env_of_sb3(gymnasium.make(name).unwrapped, warn=True)


@pytest.mark.parametrize("name", IDS)
def test_stable_baselines3_accepts_every_flat_id(name: str) -> None:
    check_env_of_sb3(gymnasium.make(name, observation="flat").unwrapped, warn=True)


@pytest.mark.parametrize("name", IDS)
def test_the_passive_checker_has_nothing_to_say_over_an_episode(name: str) -> None:
    env = PassiveEnvChecker(gymnasium.make(name, horizon=60, disable_env_checker=True).unwrapped)
    env.action_space.seed(1)
    observation, _ = env.reset(seed=1)
    over = False
    while not over:
        assert observation in env.observation_space
        observation, _, terminated, over, _ = env.step(env.action_space.sample())
        assert terminated is False
    assert observation in env.observation_space


@pytest.mark.parametrize("name", IDS)
def test_two_environments_agree_exactly_and_survive_their_spec(name: str) -> None:
    first = gymnasium.make(name)
    assert first.spec is not None
    second = gymnasium.make(type(first.spec).from_json(first.spec.to_json()))
    first.action_space.seed(5)
    assert data_equivalence(first.reset(seed=5), second.reset(seed=5), exact=True)
    for _ in range(100):
        action = first.action_space.sample()
        assert data_equivalence(first.step(action), second.step(action), exact=True)


def test_an_environment_can_be_made_without_the_import() -> None:
    """In a worker process: the id names the module to import."""
    envs = gymnasium.make_vec(
        "strategic_env:strategic_env/KnownL2-v0",
        num_envs=2,
        vectorization_mode="async",
        vector_kwargs={"context": "spawn"},
    )
    try:
        observation, _ = envs.reset(seed=3)
        envs.step(np.tile([0.5, 0.5, 0.0], (2, 1)))
        assert observation["features"].shape == (2, 2)
    finally:
        envs.close()
