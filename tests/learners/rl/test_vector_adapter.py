"""Gymnasium's vector environments as Stable-Baselines3's: endings, infos, seeds, and training on them."""

import importlib
import sys
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv, VectorWrapper
from gymnasium.vector.utils import batch_space
from gymnasium.wrappers.vector import RecordEpisodeStatistics
from stable_baselines3 import PPO
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv, VecMonitor, VecNormalize

import learners.rl
import strategic_env  # noqa: F401
from learners import StrategicPerceptronL2
from learners.rl import GymnasiumVecEnv

SAME_STEP, DISABLED = AutoresetMode.SAME_STEP, AutoresetMode.DISABLED
MODES = pytest.mark.parametrize("mode", [SAME_STEP, DISABLED], ids=["same_step", "disabled"])
TINY = {"n_steps": 16, "batch_size": 16, "n_epochs": 2, "device": "cpu", "policy_kwargs": {"net_arch": [8]}}

LENGTHS = np.array([2, 3, 4])
TERMINATES, TRUNCATES = np.array([True, False, True]), np.array([False, True, True])


class Scripted(VectorEnv[Any, Any, Any]):
    """Three games of 2, 3 and 4 steps that observe [game, episode, step]; all arrays that it returns are used again.

    The first terminates, the second is truncated, the third both. ``form`` is of the observation: an array, or a
    dictionary; ``batched`` reports last observations as one batch instead of an object array. A reset of some games
    tells nothing of the others.
    """

    def __init__(self, mode: object, form: str = "array", batched: bool = False, render_mode: str | None = None):
        self.num_envs = 3
        self.metadata = {"autoreset_mode": mode, "render_fps": 7}
        self.render_mode = render_mode
        whole, step = spaces.Box(0.0, 99.0, (3,)), spaces.Discrete(99)
        self.single_observation_space = whole if form == "array" else spaces.Dict({"whole": whole, "step": step})
        self.observation_space = batch_space(self.single_observation_space, 3)
        self.single_action_space = spaces.Box(-1.0, 1.0, (2,))
        self.action_space = batch_space(self.single_action_space, 3)
        self.form, self.batched = form, batched
        self.now, self.last = self.table(), self.table()
        self.odd = np.zeros((3, 2))
        self.episode, self.count = np.zeros(3, np.int64), np.zeros(3, np.int64)
        self.resets: list[tuple[int | None, dict[str, Any] | None]] = []
        self.pictures = 0

    def table(self) -> dict[str, Any]:
        return {"whole": np.zeros((3, 3), np.float32), "step": np.zeros(3, np.int64)}

    def observe(self, table: dict[str, Any]) -> Any:
        table["whole"][:] = np.column_stack([np.arange(3), self.episode, self.count])
        table["step"][:] = self.count
        return table if self.form == "dict" else table["whole"]

    def begin(self, mask: Any) -> dict[str, Any]:
        self.episode[mask] += 1
        self.count[mask] = 0
        return {"begun": self.episode.copy(), "_begun": mask}

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        self.resets.append((seed, options))
        mask = (options or {}).get("reset_mask", np.ones(3, np.bool_))
        infos = self.begin(mask)
        observation = self.observe(self.now)
        for values in self.now.values():
            values[~mask] = 98
        return observation, infos

    def final(self, over: Any) -> Any:
        observation = self.observe(self.last)
        if self.batched:
            return observation
        objects = np.full(3, None, dtype=object)
        for game in np.flatnonzero(over):
            objects[game] = part(observation, game)
        return objects

    def step(self, actions: Any) -> Any:
        self.count += 1
        count, over = self.count.copy(), self.count == LENGTHS
        self.odd[:] = np.outer(count, [1.0, 2.0])
        infos = {
            "step": count, "_step": np.ones(3, np.bool_),
            "odd": self.odd, "_odd": count % 2 == 1,
            "nested": {"half": count / 2, "_half": count > 1}, "_nested": count > 1,
        }  # fmt: skip
        if self.metadata["autoreset_mode"] == SAME_STEP and over.any():
            final = {"final_obs": self.final(over), "_final_obs": over, "final_info": infos, "_final_info": over}
            infos = {key: values & ~over if key[0] == "_" else values for key, values in infos.items()}
            infos |= final | self.begin(over)
        return self.observe(self.now), np.full(3, 0.25), over & TERMINATES, over & TRUNCATES, infos

    def render(self) -> tuple[Any, ...]:
        self.pictures += 1
        return tuple(np.full((2, 2, 3), game, np.uint8) for game in range(3))


def part(observation: Any, game: int) -> Any:
    if isinstance(observation, dict):
        return {key: values[game] for key, values in observation.items()}
    return observation[game]


def expected_info(game: int, step: int) -> dict[str, Any]:
    """What a game says at a step of its episode, apart from the ending."""
    info: dict[str, Any] = {"step": step}
    if step % 2 == 1:
        info["odd"] = np.array([1.0, 2.0]) * step
    if step > 1:
        info["nested"] = {"half": step / 2}
    over = step == LENGTHS[game]
    return info | {"TimeLimit.truncated": bool(over and game == 1)}


@pytest.mark.parametrize("batched", [False, True], ids=["objects", "batch"])
@pytest.mark.parametrize("form", ["array", "dict"])
@MODES
def test_every_step_is_what_the_script_says(mode: AutoresetMode, form: str, batched: bool) -> None:
    def seen(game: int, episode: int, step: int) -> Any:
        whole = np.array([game, episode, step], np.float32)
        return whole if form == "array" else {"whole": whole, "step": step}

    env = GymnasiumVecEnv(Scripted(mode, form, batched))
    observation = env.reset()
    assert env.reset_infos == [{"begun": 1}] * 3
    pairs = [(part(observation, game), seen(game, 1, 0)) for game in range(3)]
    begun = [1, 1, 1]
    for time in range(12):
        observation, rewards, dones, infos = env.step(np.zeros((3, 2)))
        assert rewards.dtype == np.float32 and rewards.tolist() == [0.25] * 3
        for game, length in enumerate(LENGTHS.tolist()):
            episode, step = 1 + time // length, 1 + time % length
            info = expected_info(game, step)
            assert dones[game] == (step == length)
            if step == length:
                info["terminal_observation"] = seen(game, episode, step)
                begun[game] += 1
            now = seen(game, episode + 1, 0) if step == length else seen(game, episode, step)
            pairs += [(part(observation, game), now), (infos[game], info)]
        assert env.reset_infos == [{"begun": episode} for episode in begun]
    for found, wanted in pairs:  # only now: nothing may have been overwritten
        np.testing.assert_equal(found, wanted)


def both(
    make: Callable[[], gymnasium.Env[Any, Any]], games: int, mode: AutoresetMode
) -> tuple[GymnasiumVecEnv, DummyVecEnv]:
    adapted = GymnasiumVecEnv(SyncVectorEnv([make] * games, autoreset_mode=mode))
    return adapted, DummyVecEnv([make] * games)


@pytest.mark.parametrize(
    "name, options",
    [
        ("CartPole-v1", {"max_episode_steps": 15}),
        ("strategic_env/KnownL2-v0", {"horizon": 5}),
        ("strategic_env/KnownL2-v0", {"horizon": 5, "observation": "flat", "info_level": "outcome"}),
    ],
    ids=["cart_pole", "dict", "flat"],
)
@MODES
def test_it_steps_like_a_dummy_vec_env(mode: AutoresetMode, name: str, options: dict[str, Any]) -> None:
    adapted, dummy = both(lambda: gymnasium.make(name, **options), 3, mode)
    assert adapted.observation_space == dummy.observation_space and adapted.action_space == dummy.action_space
    adapted.action_space.seed(5)
    assert list(adapted.seed(7)) == list(dummy.seed(7))
    assert data_equivalence(adapted.reset(), dict_or_array(dummy.reset()), exact=True)
    endings = 0
    for _ in range(60):
        actions = np.array([adapted.action_space.sample() for _ in range(3)])
        found, wanted = adapted.step(actions), dummy.step(actions)
        assert data_equivalence(found[0], dict_or_array(wanted[0]), exact=True)
        for place in (1, 2):
            assert data_equivalence(found[place], wanted[place], exact=True)
        assert data_equivalence(found[3], wanted[3], exact=True)
        assert data_equivalence(adapted.reset_infos, dummy.reset_infos, exact=True)
        endings += int(found[2].sum())
    assert endings >= 9
    assert data_equivalence(adapted.reset(), dict_or_array(dummy.reset()), exact=True)


def dict_or_array(observation: Any) -> Any:
    return dict(observation) if isinstance(observation, dict) else observation


@MODES
def test_a_seed_and_options_hold_for_one_reset(mode: AutoresetMode) -> None:
    games = Scripted(mode)
    env = GymnasiumVecEnv(games)
    env.seed(5)
    env.set_options({"size": 2})
    env.reset()
    env.reset()
    assert games.resets == [(5, {"size": 2}), (None, None)]
    env.seed()
    env.reset()
    assert isinstance(games.resets[-1][0], int)


@MODES
def test_truncated_games_bootstrap_from_their_true_last_observation(mode: AutoresetMode) -> None:
    env = GymnasiumVecEnv(Scripted(mode))
    model = PPO("MlpPolicy", env, learning_rate=0.0, gamma=0.5, **TINY | {"n_steps": 12, "batch_size": 36})
    model.learn(36)
    wanted = np.full((12, 3), 0.25, np.float32)
    for step in (2, 5, 8, 11):  # where the second game is cut; the others end by themselves
        last = np.array([[1.0, 1 + step // 3, 3.0]], np.float32)
        wanted[step, 1] += 0.5 * model.policy.predict_values(model.policy.obs_to_tensor(last)[0]).item()
    np.testing.assert_allclose(model.rollout_buffer.rewards, wanted, rtol=1e-6)


def strategic(observation: str, **options: Any) -> GymnasiumVecEnv:
    return GymnasiumVecEnv(
        gymnasium.make_vec(
            "strategic_env/KnownL2-v0",
            num_envs=2,
            vectorization_mode="sync",
            vector_kwargs={"autoreset_mode": "SameStep"},
            horizon=10,
            observation=observation,
            **options,
        )
    )


def test_the_same_seed_trains_the_same_policy_on_float64_dictionaries() -> None:
    first, second, other = (
        PPO("MultiInputPolicy", strategic("dict"), seed=seed, **TINY).learn(64).policy.state_dict()
        for seed in (1, 1, 2)
    )
    assert all((first[key] == second[key]).all() for key in first)
    assert any((first[key] != other[key]).any() for key in first)


def test_it_trains_below_wrappers_and_is_evaluated() -> None:
    env = VecNormalize(VecMonitor(strategic("flat")))
    model = PPO("MlpPolicy", env, seed=1, **TINY).learn(100)
    assert len(model.ep_info_buffer) == 12
    assert {episode["l"] for episode in model.ep_info_buffer} == {10}
    env.training = False
    returns, lengths = evaluate_policy(model, env, n_eval_episodes=3, return_episode_rewards=True)
    assert lengths == [10, 10, 10] and all(-10 <= value <= 0 for value in returns)


def test_a_learner_is_evaluated_as_in_a_dummy_vec_env() -> None:
    def play(env: VecEnv) -> Any:
        env.seed(3)
        learner = StrategicPerceptronL2(alpha=0.2)
        return evaluate_policy(learner, VecMonitor(env), n_eval_episodes=4, return_episode_rewards=True)

    adapted, dummy = both(lambda: gymnasium.make("strategic_env/KnownL2-v0", alpha=0.2, horizon=30), 2, SAME_STEP)
    assert play(adapted) == play(dummy)


@MODES
def test_episode_statistics_of_gymnasium_are_passed_on(mode: AutoresetMode) -> None:
    env = GymnasiumVecEnv(RecordEpisodeStatistics(Scripted(mode)))
    env.reset()
    ended: set[int] = set()
    for _ in range(4):
        _, _, dones, infos = env.step(np.zeros((3, 2)))
        for game in set(np.flatnonzero(dones).tolist()) - ended:
            episode = infos[game]["episode"]
            assert (episode["r"], episode["l"]) == (0.25 * LENGTHS[game], LENGTHS[game])
            assert set(episode) == {"r", "l", "t"} and set(env.reset_infos[game]) == {"begun"}
            ended.add(game)
        assert all("episode" not in infos[game] for game in np.flatnonzero(~dones))
    assert ended == {0, 1, 2}


class Named(VectorWrapper):
    """A wrapper with a name."""

    name = "outer"

    def call(self, word: str) -> str:
        self.word = word
        return word.upper()


def test_the_games_answer_through_their_vector_environment() -> None:
    games = Named(Scripted(SAME_STEP))
    env = GymnasiumVecEnv(games)
    assert env.get_attr("name") == ["outer"] * 3 and env.get_attr("form", [0, 2]) == ["array"] * 2
    assert env.has_attr("form") and not env.has_attr("gravity")
    env.set_attr("name", "new")
    env.set_attr("form", "dict", indices=range(3))
    assert (games.name, games.unwrapped.form) == ("new", "dict")
    assert env.env_method("call", "hello") == ["HELLO"] * 3 and games.word == "hello"
    assert env.env_is_wrapped(Monitor) == [False] * 3 and env.env_is_wrapped(Monitor, 1) == [False]
    env.close()
    assert games.closed


def test_a_part_of_the_games_cannot_be_changed() -> None:
    env = GymnasiumVecEnv(Scripted(SAME_STEP))
    with pytest.raises(ValueError, match=r"indices must name all 3 games.*got \[0\]"):
        env.set_attr("form", "dict", indices=0)
    with pytest.raises(ValueError, match=r"indices must name all 3 games.*got \[0, 1\]"):
        env.env_method("observe", indices=[0, 1])
    with pytest.raises(ValueError, match="indices must be at most 2, got 3"):
        env.get_attr("form", [3])
    with pytest.raises(AttributeError, match="gravity"):
        env.get_attr("gravity")


def test_pictures_are_tiled() -> None:
    env = GymnasiumVecEnv(Scripted(SAME_STEP, render_mode="rgb_array"))
    image = env.render()
    assert env.metadata["render_fps"] == 7 and env.render_mode == "rgb_array"
    assert image is not None and image[::2, ::2, 0].tolist() == [[0, 1], [2, 0]]
    shown = Scripted(SAME_STEP, render_mode="human")
    assert GymnasiumVecEnv(shown).render() is None and shown.pictures == 1
    with pytest.warns(UserWarning, match="rgb_array"):
        assert GymnasiumVecEnv(Scripted(SAME_STEP)).get_images() == [None] * 3


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, None, "SameStep"], ids=["next_step", "none", "text"])
def test_other_autoreset_modes_are_refused_with_what_to_pass(mode: object) -> None:
    with pytest.raises(ValueError, match="SAME_STEP or DISABLED.*autoreset_mode='SameStep' to gymnasium.make_vec"):
        GymnasiumVecEnv(Scripted(mode))


def test_native_cart_pole_is_refused() -> None:
    with pytest.raises(ValueError, match="got AutoresetMode.NEXT_STEP"):
        GymnasiumVecEnv(gymnasium.make_vec("CartPole-v1", num_envs=2, vectorization_mode="vector_entry_point"))


def test_what_is_no_vector_environment_is_refused() -> None:
    with pytest.raises(TypeError, match="vector_env must be a gymnasium.vector.VectorEnv"):
        GymnasiumVecEnv(gymnasium.make("CartPole-v1"))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "space", [spaces.Tuple([spaces.Discrete(2)]), spaces.Dict(inner=spaces.Dict(x=spaces.Discrete(2)))], ids=type
)
def test_structured_observations_are_refused(space: spaces.Space[Any]) -> None:
    games = Scripted(SAME_STEP)
    games.single_observation_space = space
    with pytest.raises(TypeError, match="vector_env must have observations in a Box"):
        GymnasiumVecEnv(games)


@pytest.mark.parametrize("seed, error", [(-1, ValueError), (1.5, TypeError), ("1", TypeError)])
def test_seeds_are_checked(seed: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="seed must be"):
        GymnasiumVecEnv(Scripted(SAME_STEP)).seed(seed)


def test_options_are_the_same_for_all_games() -> None:
    with pytest.raises(TypeError, match="options must be one dict"):
        GymnasiumVecEnv(Scripted(SAME_STEP)).set_options([{}, {}, {}])


class Broken(VectorWrapper):
    """Changes infos."""

    def __init__(self, games: VectorEnv[Any, Any, Any], without: str = "", **more: Any):
        super().__init__(games)
        self.without, self.more = without, more

    def step(self, actions: Any) -> Any:
        *rest, infos = super().step(actions)
        return *rest, {key: value for key, value in infos.items() if key.lstrip("_") != self.without} | self.more


def test_a_lost_last_observation_is_an_error() -> None:
    env = GymnasiumVecEnv(Broken(Scripted(SAME_STEP), without="final_obs"))
    env.reset()
    env.step(np.zeros((3, 2)))
    with pytest.raises(ValueError, match=r"infos\['final_obs'\], got nothing for game 0"):
        env.step(np.zeros((3, 2)))


@pytest.mark.parametrize("value", [1.0, np.zeros(2)], ids=["number", "short"])
def test_infos_that_are_not_by_game_are_an_error(value: object) -> None:
    env = GymnasiumVecEnv(Broken(Scripted(SAME_STEP), speed=value))
    env.reset()
    with pytest.raises(ValueError, match=r"infos\['speed'\] must have shape \(3, ...\)"):
        env.step(np.zeros((3, 2)))


def test_infos_without_a_mask_are_everybodys() -> None:
    env = GymnasiumVecEnv(Broken(Scripted(SAME_STEP), speed=np.arange(3)))
    env.reset()
    assert [info["speed"] for info in env.step(np.zeros((3, 2)))[3]] == [0, 1, 2]


def test_without_stable_baselines3_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "learners.rl.vector_adapter")
    monkeypatch.setitem(sys.modules, "stable_baselines3.common.vec_env.base_vec_env", None)
    package = importlib.import_module("learners.rl")
    monkeypatch.delattr(package, "GymnasiumVecEnv", raising=False)
    assert "GymnasiumVecEnv" in package.__all__ and set(package.__all__) <= set(dir(package))
    with pytest.raises(ImportError, match=r'needs stable-baselines3: pip install "strategic-env\[rl\]"'):
        _ = learners.rl.GymnasiumVecEnv


def native(mode: str, **options: Any) -> GymnasiumVecEnv:
    name = "strategic_env/KnownL2-v0"
    return GymnasiumVecEnv(gymnasium.make_vec(name, num_envs=3, autoreset_mode=mode, horizon=5, **options))


@pytest.mark.parametrize("observation", ["dict", "flat"])
def test_native_games_of_one_seed_step_like_single_environments(observation: str) -> None:
    adapted = [native(mode, observation=observation, info_level="full") for mode in ("SameStep", "Disabled")]
    singles = [gymnasium.make("strategic_env/KnownL2-v0", horizon=5, observation=observation) for _ in range(3)]
    for env in adapted:
        env.seed(7)
        env.reset()
    for game, single in enumerate(singles):
        single.reset(seed=7, options={"game": game})
    actions = np.random.default_rng(0).uniform(-1, 1, (12, 3, 3)).astype(adapted[0].action_space.dtype)
    for action in actions:
        first, second = (env.step(action) for env in adapted)
        assert all(data_equivalence(*pair, exact=True) for pair in zip(first, second, strict=True))
        for game, single in enumerate(singles):
            last, reward, _, truncated, info = single.step(action[game])
            assert (first[1][game], first[2][game]) == (np.float32(reward), truncated)
            found = first[3][game]
            assert found.pop("TimeLimit.truncated") is truncated
            if truncated:
                np.testing.assert_equal(found.pop("terminal_observation"), last)
                last, _ = single.reset()
            np.testing.assert_equal(part(first[0], game), last)
            np.testing.assert_equal(found, info)


def test_native_games_train_the_same_policy_from_the_same_seed() -> None:
    first, second, other = (
        PPO("MultiInputPolicy", native("SameStep"), seed=seed, **TINY).learn(96).policy.state_dict()
        for seed in (1, 1, 2)
    )
    assert all((first[key] == second[key]).all() for key in first)
    assert any((first[key] != other[key]).any() for key in first)


def test_a_learner_is_evaluated_on_native_games_as_on_single_environments() -> None:
    """Where autoreset is disabled; on one game, since which game ends first decides which episodes count."""
    name, learner = "strategic_env/KnownL2-v0", StrategicPerceptronL2(alpha=0.2)
    returns = []
    for env in (
        GymnasiumVecEnv(gymnasium.make_vec(name, num_envs=1, autoreset_mode="Disabled", alpha=0.2, horizon=30)),
        DummyVecEnv([lambda: gymnasium.make(name, alpha=0.2, horizon=30)]),
    ):
        env.seed(3)
        returns.append(evaluate_policy(learner, VecMonitor(env), n_eval_episodes=4, return_episode_rewards=True))
    assert returns[0] == returns[1] and len(set(returns[0][0])) > 1
