"""What `gymnasium.make` and `make_vec` do with Gymnasium's own options, and how options that are none are answered."""

import json
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import data_equivalence

import strategic_env  # noqa: F401
from strategic_env.cli.train import prepare
from strategic_env.games.registration import environment_id, scenario_names
from strategic_env.games.scenarios import scenario
from strategic_env.games.strategic.description import STRATEGIC
from strategic_env.multi_agent import env, parallel_env, raw_env


@pytest.mark.parametrize("name", STRATEGIC)
def test_frames_can_be_collected_as_of_gymnasiums_own_environments(name: str) -> None:
    for mode, kind in (("rgb_array_list", np.ndarray), ("ansi_list", str)):
        one = gymnasium.make(environment_id(name), render_mode=mode)
        again = gymnasium.make(EnvSpec.from_json(one.spec.to_json()))  # type: ignore[union-attr]
        for made in (one, again):
            made.reset(seed=0)
            made.step(np.zeros(made.action_space.shape or 0))
            frames: Any = made.render()
            assert [type(frame) for frame in frames] == [kind] * 2
            assert made.unwrapped.render_mode == mode.removesuffix("_list")


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize("name", [name for name in scenario_names() if not scenario(name).horizon_decides])
def test_fewer_steps_than_the_horizon_end_episodes_in_every_form(name: str, mode: str) -> None:
    native = gymnasium.make_vec(environment_id(name), 2, max_episode_steps=3, info_level="none", autoreset_mode=mode)
    separate = gymnasium.make_vec(
        environment_id(name),
        2,
        vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": mode},
        max_episode_steps=3,
        info_level="none",
    )
    found, expected = (envs.reset(seed=[4, 9]) for envs in (native, separate))
    assert data_equivalence(found[0], expected[0], exact=True)
    native.action_space.seed(0)
    ended = 0
    for _ in range(9):
        action = native.action_space.sample()
        found, expected = native.step(action), separate.step(action)
        # What `final_obs` holds is compared by `check_vector_env`.
        assert data_equivalence(list(found[:4]), list(expected[:4]), exact=True)
        ended += int(found[3].sum())
    assert ended == (4 if mode == "NextStep" else 6)


@pytest.mark.parametrize(("name", "options"), [("ConvexSets", {}), ("NearestNeighbor", {"corruption": 5})])
def test_games_that_the_horizon_decides_are_not_cut_short(name: str, options: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=f"{name} plays another game with fewer rounds: say horizon=3, not"):
        gymnasium.make_vec(environment_id(name), 2, max_episode_steps=3, **options)
    whole = gymnasium.make_vec(environment_id(name), 2, max_episode_steps=1000, **options)
    assert whole.unwrapped.horizon == 1000  # type: ignore[attr-defined]


def test_where_autoreset_is_disabled_fewer_steps_end_an_episode_too() -> None:
    games = gymnasium.make_vec("strategic_env/KnownL2-v0", 2, max_episode_steps=2, autoreset_mode="Disabled")
    games.reset(seed=0)
    assert [games.step(np.zeros((2, 3)))[3].tolist() for _ in range(2)] == [[False, False], [True, True]]
    again = gymnasium.make_vec(games.spec)  # type: ignore[arg-type]
    assert again.unwrapped.horizon == 2  # type: ignore[attr-defined]


@pytest.mark.parametrize(("steps", "horizon"), [(None, 7), (-1, 7), (7, 7), (8, 7), (10**15, 7), (6, 6), (1, 1)])
def test_the_smaller_of_horizon_and_steps_holds(steps: int | None, horizon: int) -> None:
    games = gymnasium.make_vec("strategic_env/KnownL2-v0", 2, horizon=7, max_episode_steps=steps)
    assert games.unwrapped.horizon == horizon  # type: ignore[attr-defined]


@pytest.mark.parametrize("steps", [0, -2, 1.5, True, "3", np.array([1, 2])])
def test_steps_that_are_no_count_are_one_clear_error(steps: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="max_episode_steps must be"):
        gymnasium.make_vec("strategic_env/KnownL2-v0", 2, max_episode_steps=steps)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: gymnasium.make("strategic_env/KnownL2-v0", obsevation="flat"),
            "its options are alpha, .*observation.*render_mode, .*reward, .*; did you mean 'observation'",
        ),
        (lambda: gymnasium.make("strategic_env/Bandit-v0", Info_Level="none"), "did you mean 'info_level'"),
        (lambda: gymnasium.make_vec("strategic_env/Spam-v0", infolevel="none"), "did you mean 'info_level'"),
        (lambda: gymnasium.make_vec("strategic_env/Spam-v0", autoreset="x"), "did you mean 'autoreset_mode'"),
        (lambda: strategic_env.scenario("KnownL2", margins=0.1), "did you mean 'margin'"),
        (lambda: strategic_env.scenario("Bandit", class_=3), "did you mean 'classes'"),
        (lambda: strategic_env.evaluate(["perceptron:bais=true"], "KnownL2"), "did you mean 'bias'"),
        (lambda: env(natur=True), "KnownL2 has no option 'natur'; .*nature_sees.*; did you mean 'nature'"),
        (lambda: raw_env("KnownL1", maxcycles=3), "KnownL1 has no option 'maxcycles'; .*did you mean 'max_cycles'"),
        (lambda: parallel_env(individual=3), "did you mean 'individuals'"),
        (lambda: prepare("ppo", "KnownL2", {"rewrd": "accuracy"}), "did you mean 'reward'"),
    ],
    ids=range(11),
)
def test_a_misspelt_option_is_answered_with_all_there_are_and_the_nearest(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


def test_options_survive_a_specification_in_json() -> None:
    made = gymnasium.make_vec("strategic_env/KnownL2-v0", 2, max_episode_steps=5, dim=3)
    assert json.loads(made.spec.to_json())["kwargs"]["max_episode_steps"] == 5  # type: ignore[union-attr]
