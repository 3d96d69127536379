"""The vector environment: N games at once, each number for number what a single environment plays."""

import copy
import itertools
import pickle
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import DictInfoToList, NormalizeReward, RecordEpisodeStatistics

from agents import BestResponse, GreedyAdversary, L2Cost, Noisy, Separable, TangentAdversary, Truthful, WeightedL1Cost
from agents.populations.arrivals import BLOCK
from strategic_env import StrategicClassificationEnv, scenario
from strategic_env.conformance.vector_checker import check_vector_env
from strategic_env.games.registration import environment_id
from strategic_env.games.strategic.description import STRATEGIC
from strategic_env.games.strategic.many_games import games_of
from strategic_env.games.strategic.setting import Setting
from strategic_env.games.strategic.vector import StrategicClassificationVectorEnv

Env = Any
Maker = Callable[..., Env]
NEXT_STEP, SAME_STEP, DISABLED = AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP, AutoresetMode.DISABLED
MODES = pytest.mark.parametrize("mode", list(AutoresetMode), ids=lambda mode: mode.value)
INDIVIDUALS = ("noisy", "truthful", "boastful")
OF_ENVIRONMENT = ("observation", "reward", "info_level", "render_mode")
SEQUENCES = "Example1", "Example1L1", "Example2", "Example3"
SEQUENCES += "OverlookedExample", "MissExample", "LagExample", "HarmedExample"
WITHOUT_RANDOMNESS = (*SEQUENCES, "greedy adversary", "tangent adversary")


class Boastful:
    """An individual of a user's own: reports more than is true, a little more every round."""

    slack = 1.0

    def report(self, features: Any, classifier: Any, cost: Any, key: Any, round: int) -> Any:
        return features + (round % 7) / 7 * np.sign(classifier[:-1])


class Elsewhere(Separable):
    """Its individuals are those of another key, which its parent's compiled form does not know."""

    def arrivals(self, key: Any, population_key: Any = None) -> Any:
        return super().arrivals(key ^ np.uint64(1), population_key)


def parts_of_a_user(kind: str) -> dict[str, Any]:
    """Populations and individuals that only Python knows how to play."""
    rng = np.random.default_rng(0)
    points, cost = rng.uniform(-1, 1, (30, 3)), L2Cost(0.3)
    return {
        "greedy adversary": {"population": GreedyAdversary(points, np.where(points[:, 0] > 0, 1, -1)), "cost": cost},
        "tangent adversary": {"population": TangentAdversary(), "cost": cost},
        "elsewhere": {"population": Elsewhere(3, pool=20), "cost": cost},
        "noisy": {"population": Separable(3), "cost": WeightedL1Cost([0.3, 0.0, 0.2]), "individual": Noisy(0.1)},
        "truthful": {"population": Separable(3, pool=20), "cost": cost, "individual": Truthful()},
        "boastful": {"population": Separable(3), "cost": cost, "individual": Boastful(), "feedback": "apple_tasting"},
    }[kind]


def forms(game: str, **options: Any) -> tuple[Maker, Maker]:
    """What makes the single form, and what makes the vector form, of a scenario or of a user's own game."""
    if game in STRATEGIC:
        of_scenario = {key: options.pop(key) for key in set(options) - set(OF_ENVIRONMENT)}
        one = scenario(game, **of_scenario)
        return partial(one.make, **options), partial(one.make_vec, **options)
    options = parts_of_a_user(game) | options
    return partial(StrategicClassificationEnv, **options), partial(StrategicClassificationVectorEnv, **options)


GAMES: dict[str, tuple[str, dict[str, Any]]] = {
    "new individuals": ("KnownL2", {"dim": 3, "noise": 0.2}),
    "their own reaches": ("HeterogeneousL2", {"feedback": "apple_tasting", "reward": "observed"}),
    "a pool each": ("KnownL1", {"pool": 10, "reward": "hinge"}),
    "one pool": ("KnownL2", {"pool": 10, "population_seed": 4, "observation": "flat"}),
    "one hyperplane": ("BiasedL1", {"population_seed": 2, "reward": "accuracy"}),
    "applicants": ("GermanCredit", {"noise": 0.1}),
    "groups": ("GroupsL2", {"dim": 3}),
    "a sequence": ("Example2", {}),
    **{kind: (kind, {}) for kind in ("greedy adversary", "tangent adversary", "elsewhere", *INDIVIDUALS)},
}
games = pytest.mark.parametrize("game", GAMES)


def game_forms(game: str, **options: Any) -> tuple[Maker, Maker]:
    name, own = GAMES[game]
    return forms(name, **own | options)


def random_actions(env: Env, steps: int, seed: int = 0) -> Any:
    """Random classifiers that do not depend on the environment, (steps, N, d + 1)."""
    rng = np.random.default_rng(seed)
    return rng.uniform(-1, 1, (steps, *env.action_space.shape)).astype(env.action_space.dtype)


def play(env: Env, steps: int, seed: int = 0) -> list[Any]:
    return [env.step(action) for action in random_actions(env, steps, seed)]


def pickled(env: Env) -> Env:
    return pickle.loads(pickle.dumps(env))


def same(found: Any, expected: Any) -> bool:
    """Whether two returned structures are equal bit for bit, in their dtypes too."""
    if isinstance(expected, dict):
        return found.keys() == expected.keys() and all(same(found[key], expected[key]) for key in expected)
    if isinstance(expected, tuple | list):
        return len(found) == len(expected) and all(map(same, found, expected))
    if isinstance(expected, np.ndarray) and expected.dtype == object:
        return found.dtype == object and same(list(found), list(expected))
    if expected is None:
        return found is None
    a, b = np.asarray(found), np.asarray(expected)
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def row(value: Any, i: int) -> Any:
    return {key: column[i] for key, column in value.items()} if isinstance(value, dict) else value[i]


def info_of(infos: dict[str, Any], i: int) -> dict[str, Any]:
    """What the infos of all games say of game i."""
    names = [key for key in infos if not key.startswith("_")]
    assert set(infos) == {*names, *(f"_{name}" for name in names)}, "every key has its mask"
    told = {name: row(infos[name], i) for name in names if infos[f"_{name}"][i]}
    hidden = {name: row(infos[name], i) for name in names if name not in told}
    assert blank(hidden), f"nothing is shown where the mask says that nothing is told: {hidden}"
    return told


def blank(value: Any) -> bool:
    """Whether a value, or all that a dictionary holds, is zeros or nothing."""
    return all(map(blank, value.values())) if isinstance(value, dict) else not np.any(value)


class Row:
    """One game of a vector environment, played by a single environment as the autoreset mode says."""

    def __init__(self, env: Env, mode: AutoresetMode):
        self.env, self.mode, self.over = env, mode, False

    def reset(self, seed: int | None = None, game: int | None = None) -> Any:
        self.over = False
        options = {} if game is None else {"game": game}
        self.shown, info = self.env.reset(seed=seed, options=options)
        assert info == {}
        return self.shown

    def step(self, action: Any) -> tuple[Any, float, bool, dict[str, Any]]:
        """Observation, reward, truncation, and info with what SAME_STEP adds."""
        if self.over and self.mode is NEXT_STEP:
            return self.reset(), 0.0, False, {}
        self.shown, reward, _, truncated, info = self.env.step(action)
        self.over = truncated
        if truncated and self.mode is SAME_STEP:
            last = {"final_obs": self.shown, "final_info": info}
            return self.reset(), reward, True, last
        return self.shown, reward, truncated, info


def assert_equal_step(found: Any, rows: Sequence[Row], action: Any) -> None:
    observation, rewards, terminated, truncated, infos = found
    assert not terminated.any() and rewards.dtype == np.float64
    for i, one in enumerate(rows):
        shown, reward, over, info = one.step(action[i])
        assert same(row(observation, i), shown), f"row {i}: observation"
        assert (rewards[i], truncated[i]) == (reward, over), f"row {i}: reward, truncation"
        told = info_of(infos, i)
        if "final_info" in told:
            told["final_info"] = info_of(infos["final_info"], i)
        assert same(told, {key: plain(value) for key, value in info.items()}), f"row {i}: info"


def plain(value: Any) -> Any:
    """A Python number as the vector form's arrays hold it."""
    if isinstance(value, dict):
        return {key: plain(entry) for key, entry in value.items()}
    return np.asarray(value)[()] if np.isscalar(value) else value


# The rules of Gymnasium


def check(name: str, make: Maker, single: Maker) -> None:
    skip = ["variety"] if name in WITHOUT_RANDOMNESS else []
    check_vector_env(make, single=single, num_envs=2, skip=skip)


@pytest.mark.parametrize("name", STRATEGIC)
def test_every_scenario_keeps_to_the_conventions_in_every_mode(name: str) -> None:
    one = scenario(name, horizon=3)
    check(name, partial(one.make_vec, info_level="full"), partial(one.make, info_level="full"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("observation", "level"), [("dict", "none"), ("dict", "outcome"), ("flat", "outcome"), ("flat", "full")]
)
@pytest.mark.parametrize("name", STRATEGIC)
def test_every_id_keeps_to_the_conventions_in_every_mode(name: str, observation: str, level: str) -> None:
    options = {"horizon": 3, "observation": observation, "info_level": level}
    make, single = (partial(made, environment_id(name), **options) for made in (gymnasium.make_vec, gymnasium.make))
    check(name, make, single)


@pytest.mark.slow
@pytest.mark.parametrize("game", ["greedy adversary", "tangent adversary", "elsewhere", *INDIVIDUALS])
def test_games_of_a_user_keep_to_the_conventions_in_every_mode(game: str) -> None:
    single, vector = game_forms(game, horizon=3, info_level="full")
    check(game, vector, single)


@pytest.mark.parametrize(
    "wrap", [RecordEpisodeStatistics, NormalizeReward, DictInfoToList], ids=lambda wrap: wrap.__name__
)
@MODES
def test_gymnasiums_wrappers_see_what_they_see_of_single_environments(mode: AutoresetMode, wrap: Maker) -> None:
    name, options = environment_id("KnownL2"), {"horizon": 4, "info_level": "full"}
    native = wrap(gymnasium.make_vec(name, num_envs=3, autoreset_mode=mode, **options))
    sync = wrap(SyncVectorEnv([partial(gymnasium.make, name, **options)] * 3, autoreset_mode=mode))
    assert same(native.reset(seed=[3, 1, 2]), sync.reset(seed=[3, 1, 2]))
    for t, action in enumerate(random_actions(native, 14)):
        found, expected = native.step(action), sync.step(action)
        for infos in (found[4], expected[4]):
            if wrap is RecordEpisodeStatistics and "episode" in infos:
                assert (infos["episode"].pop("t") >= 0).all()
                infos["episode"].pop("_t", None)
        assert same(found[:4], expected[:4]), f"step {t}"
        assert len(found[4]) == len(expected[4])
        for i in range(3):
            told = [infos[i] if wrap is DictInfoToList else row_info(infos, i) for infos in (found[4], expected[4])]
            assert same(*told), f"step {t}, row {i}"
        if mode is DISABLED and found[3].all():
            mask = {"reset_mask": found[3]}
            assert same(native.reset(options=mask), sync.reset(options=mask))


def row_info(infos: dict[str, Any], i: int) -> dict[str, Any]:
    """Of nested dictionaries too, whose own masks may be missing."""
    names = [key for key in infos if not key.startswith("_") and infos.get(f"_{key}", [True] * (i + 1))[i]]
    return {key: row_info(infos[key], i) if isinstance(infos[key], dict) else infos[key][i] for key in names}


@pytest.mark.parametrize("name", STRATEGIC)
def test_a_specification_makes_the_same_environment_again(name: str) -> None:
    own = {"horizon": 3, "feedback": "apple_tasting"}
    for mode in AutoresetMode:
        rest = {"info_level": "none", "reward": "accuracy", "autoreset_mode": mode.value}
        first = gymnasium.make_vec(environment_id(name), num_envs=2, **own, **rest)
        assert first.spec is not None
        again = gymnasium.make_vec(first.spec)
        from_text = gymnasium.make_vec(EnvSpec.from_json(first.spec.to_json()))
        first.reset(seed=8)
        expected = play(first, 3)
        for other in (scenario(name, **own).make_vec(2, **rest), again, from_text):
            assert type(other) is type(first) and other.num_envs == 2 and other.metadata == first.metadata
            other.reset(seed=8)
            assert same(play(other, 3), expected)


def test_environments_in_different_modes_share_no_metadata() -> None:
    envs = [gymnasium.make_vec(environment_id("KnownL2"), num_envs=2, autoreset_mode=mode) for mode in AutoresetMode]
    assert [env.metadata["autoreset_mode"] for env in envs] == list(AutoresetMode)
    for env, other in itertools.combinations(envs, 2):
        assert env.metadata is not other.metadata
    single = gymnasium.make(environment_id("KnownL2"))
    assert "autoreset_mode" not in single.metadata
    assert single.metadata["render_modes"] == envs[1].metadata["render_modes"]


# One seed, many games


def test_reset_without_a_seed_begins_other_games_each_time() -> None:
    seen = set()
    for _ in range(3):
        env = scenario("KnownL2").make_vec(3)
        env.reset()
        seen |= {tuple(features) for features in play(env, 1)[0][0]["features"]}
    assert len(seen) == 9


def test_every_generator_of_a_users_own_begins_a_game_of_its_own_in_both_forms() -> None:
    seen = []
    for seed in range(40):
        for env in (scenario("KnownL2").make(), scenario("KnownL2").make_vec(1)):
            env.unwrapped.np_random = np.random.default_rng(seed)
            env.reset()
            seen.append(tuple(np.ravel(play(env, 1)[0][0]["features"])))
    assert seen[::2] == seen[1::2] and len(set(seen)) == 40


@MODES
@games
def test_row_i_is_game_i_of_the_seed_over_episodes(game: str, mode: AutoresetMode) -> None:
    single, vector = game_forms(game, horizon=5, info_level="full")
    env, rows = vector(num_envs=3, autoreset_mode=mode), [Row(single(), mode) for _ in range(3)]
    shown, infos = env.reset(seed=11)
    assert infos == {}
    for i, one in enumerate(rows):
        assert same(row(shown, i), one.reset(11, i))
    for action in random_actions(env, 16):
        assert_equal_step(env.step(action), rows, action)
        if mode is DISABLED and rows[0].over:
            shown, _ = env.reset(options={"reset_mask": np.ones(3, bool)})
            for i, one in enumerate(rows):
                assert same(row(shown, i), one.reset())


@pytest.mark.parametrize("game", ["new individuals", "a pool each", "one pool", "applicants", "their own reaches"])
def test_whole_episodes_are_equal_across_the_blocks_that_arrivals_come_in(game: str) -> None:
    single, vector = game_forms(game, horizon=150, info_level="full")
    env, rows = vector(num_envs=2), [Row(single(), NEXT_STEP) for _ in range(2)]
    env.reset(seed=0)
    for i, one in enumerate(rows):
        one.reset(0, i)
    for action in random_actions(env, 320):
        assert_equal_step(env.step(action), rows, action)


@MODES
@pytest.mark.parametrize("game", ["new individuals", "a pool each", "one pool", "greedy adversary", "noisy"])
@pytest.mark.parametrize(("horizon", "chance"), [(4, 0.1), (90, 0.006)], ids=["short", "long"])
def test_games_at_different_rounds_do_not_disturb_each_other(
    game: str, mode: AutoresetMode, horizon: int, chance: float
) -> None:
    """Masked resets at random, with and without seeds, copies and pickles: rows stay single environments."""
    single, vector = game_forms(game, horizon=horizon, info_level="full")
    env, rows = vector(num_envs=4, autoreset_mode=mode), [Row(single(), mode) for _ in range(4)]
    env.reset(seed=[5, 6, 5, 0])
    for one, seed in zip(rows, (5, 6, 5, 0), strict=True):
        one.reset(seed)
    rng, ends = np.random.default_rng(1), 0
    for t, action in enumerate(random_actions(env, 200 if horizon == 4 else 300)):
        over = np.array([one.over for one in rows])
        mask = (rng.random(4) < chance) | (over & (mode is DISABLED))
        if mask.any():
            seeds = [None if rng.random() < 0.6 else int(rng.integers(2**40)) for _ in rows]
            chosen = {0: None, 1: seeds, 2: int(rng.integers(100))}[int(rng.integers(3))]
            shown, infos = env.reset(seed=chosen, options={"reset_mask": mask})
            assert infos == {}
            for i, one in enumerate(rows):
                if mask[i] and isinstance(chosen, list):
                    one.reset(chosen[i])
                elif mask[i]:
                    one.reset(chosen, None if chosen is None else i)
                assert same(row(shown, i), one.shown), "a row outside the mask keeps its observation"
        if t % 30 == 20:
            env = copy.deepcopy(env) if t % 60 == 20 else pickled(env)
        found = env.step(action)
        ends += np.count_nonzero(found[3])
        assert_equal_step(found, rows, action)
    assert ends > 4 and len({one.env.unwrapped.game.round for one in rows}) > 1


@pytest.mark.parametrize("game", ["new individuals", "their own reaches", "groups", "noisy"])
def test_outcomes_of_games_that_do_not_play_are_zeros(game: str) -> None:
    setting = game_forms(game)[0]().unwrapped.setting
    played = games_of(setting, "accuracy", 3, "full")
    played.begin(np.arange(3), np.arange(6, dtype=np.uint64).reshape(3, 2))
    actions, active = np.tile(np.append(np.eye(setting.population.dim)[0], 0.1), (3, 1)), np.array([True, False, True])
    for rounds in range(1, 6):
        outcomes = played.play(actions, active)
        assert played.rounds.tolist() == [rounds, 0, rounds]
        assert all(not column[1].any() for column in (*outcomes[:-1], *outcomes.aside.values()))
        assert all(outcomes.observation[i].any() and outcomes.true_features[i].any() for i in (0, 2))


@pytest.mark.parametrize("individual", [BestResponse(), Truthful()], ids=repr)
def test_a_game_knows_the_reach_of_whoever_came_last(individual: Any) -> None:
    setting = Setting(population=Separable(3, alpha=(0.1, 0.5)), cost=L2Cost(0.5), individual=individual)
    keys = np.arange(4, dtype=np.uint64).reshape(2, 2)
    played = games_of(setting, "mistake", 2, "full")
    played.begin(np.arange(2), keys)
    for t in range(130):
        if t % BLOCK == 0:
            arriving = [setting.arrivals(key) for key in keys]
            for each in arriving:
                each.fill(t)
        played.play(np.tile([1.0, 0.0, 0.0, -0.1], (2, 1)), np.ones(2, bool))
        reaches = [float(each.budgets[each.index[t % BLOCK], 0]) for each in arriving if each.budgets is not None]
        assert [played.cost_of(i).alpha for i in range(2)] == reaches and len(set(reaches)) == 2


def test_games_seeds_and_episodes_differ_and_repeat() -> None:
    def firsts(seed: int, env: Env) -> list[tuple[float, ...]]:
        env.reset(seed=seed)
        steps = play(env, 6)  # three episodes of 2 rounds
        return [tuple(features) for step in steps[::2] for features in step[4]["true_features"]]

    env = scenario("KnownL2", horizon=2).make_vec(4, info_level="full", autoreset_mode=SAME_STEP)
    seen = [point for seed in range(4) for point in firsts(seed, env)]
    assert len(set(seen)) == 4 * 4 * 3
    fresh = scenario("KnownL2", horizon=2).make_vec(4, info_level="full", autoreset_mode=SAME_STEP)
    assert firsts(2, fresh) == seen[24:36]


@pytest.mark.parametrize("seed", [0, 2**32 - 1, 2**32, 2**64 + 5, 2**128 - 1])
def test_large_seeds_are_those_of_the_single_form(seed: int) -> None:
    single, vector = game_forms("new individuals", info_level="full")
    env, listed, rows = vector(num_envs=2), vector(num_envs=2), [Row(single(), NEXT_STEP) for _ in range(3)]
    env.reset(seed=seed)
    listed.reset(seed=[seed, 1])
    rows[0].reset(seed, 0), rows[1].reset(seed, 1), rows[2].reset(1)
    for action in random_actions(env, 3):
        found = listed.step(action)
        assert_equal_step(env.step(action), rows[:2], action)
        assert same(row(found[0], 0), rows[0].shown)
        assert same(row(found[0], 1), rows[2].step(action[1])[0])


@MODES
@pytest.mark.parametrize("game", ["new individuals", "greedy adversary"])
def test_one_game_alone(game: str, mode: AutoresetMode) -> None:
    single, vector = game_forms(game, horizon=3, info_level="full")
    env, rows = vector(num_envs=1, autoreset_mode=mode), [Row(single(), mode)]
    env.reset(seed=4)
    rows[0].reset(4)
    for action in random_actions(env, 3 if mode is DISABLED else 10):
        assert_equal_step(env.step(action), rows, action)


@pytest.mark.parametrize("duplicate", [copy.deepcopy, pickled], ids=["copy", "pickle"])
@games
def test_copies_in_mid_episode_continue_identically(game: str, duplicate: Maker) -> None:
    _, vector = game_forms(game, horizon=90)
    env = vector(num_envs=3)
    env.reset(seed=11)
    play(env, 70)
    twin = duplicate(env)
    assert same(play(env, 30, seed=1), play(twin, 30, seed=1)), "over the end of the episode"
    assert same(env.reset(), twin.reset())
    assert same(play(env, 5), play(twin, 5))


def returned_arrays(value: Any) -> list[Any]:
    """All arrays of numbers in a returned structure."""
    if isinstance(value, dict | tuple):
        return [
            array for part in (value.values() if isinstance(value, dict) else value) for array in returned_arrays(part)
        ]
    return [value] if isinstance(value, np.ndarray) and value.dtype != object else []


@MODES
@pytest.mark.parametrize("game", ["new individuals", "noisy"])
def test_writing_into_what_a_step_returned_changes_nothing(game: str, mode: AutoresetMode) -> None:
    env, clean = (game_forms(game, horizon=3, info_level="full")[1](num_envs=2, autoreset_mode=mode) for _ in range(2))
    assert same(env.reset(seed=2), clean.reset(seed=2))
    for action in random_actions(env, 8):
        found, expected = env.step(action), clean.step(action)
        assert same(found, expected)
        assert not np.shares_memory(found[3], found[4].get("_final_obs", 0)), "a wrapper may change its flags"
        for array in returned_arrays(found):
            array[...] = 1
        if mode is DISABLED and expected[3].all():
            mask = {"reset_mask": np.ones(2, bool)}
            assert same(env.reset(options=mask), clean.reset(options=mask))


@pytest.mark.parametrize("level", ["none", "outcome", "full"])
@games
def test_infos_tell_no_more_than_was_asked_for_and_change_nothing(game: str, level: str) -> None:
    keys = {"none": set(), "outcome": {"moved", "mistake"}, "full": {"moved", "mistake", "mistakes", "cost"}}[level]
    keys |= {"group", "least_cost"} if (game, level) == ("groups", "full") else set()
    _, vector = game_forms(game)
    env, full = vector(num_envs=2, info_level=level), vector(num_envs=2, info_level="full")
    env.reset(seed=1), full.reset(seed=1)
    for found, expected in zip(play(env, 10), play(full, 10), strict=True):
        assert same(found[:4], expected[:4])
        names = {key for key in found[4] if not key.startswith("_")}
        assert names - {"true_features", "true_label"} == keys
        assert ("true_label" in names) == ("true_features" in names) == (level == "full")
        assert same(found[4], {key: expected[4][key] for key in found[4]})


def test_the_vector_form_tells_the_outcome_unless_asked() -> None:
    env = scenario("KnownL2").make_vec(2)
    env.reset(seed=0)
    assert {key for key in play(env, 1)[0][4] if not key.startswith("_")} == {"moved", "mistake"}
    assert env.unwrapped.knowledge == scenario("KnownL2").make().unwrapped.knowledge


# Pictures


@pytest.mark.parametrize("game", ["new individuals", "one hyperplane", "applicants", "greedy adversary"])
@pytest.mark.parametrize("render_mode", ["ansi", "rgb_array"])
def test_there_is_a_picture_of_every_game(game: str, render_mode: str) -> None:
    single, vector = game_forms(game, render_mode=render_mode)
    env, singles = vector(num_envs=2), [single(), single()]
    assert env.render_mode == render_mode and render_mode in env.metadata["render_modes"]
    env.reset(seed=6)
    for i, one in enumerate(singles):
        one.reset(seed=6, options={"game": i})
    for action in random_actions(env, 3):
        env.step(action)
        for i, one in enumerate(singles):
            one.step(action[i])
    frames = env.render()
    assert isinstance(frames, tuple) and len(frames) == 2
    for frame, one in zip(frames, singles, strict=True):
        expected = one.render()
        assert frame == expected if render_mode == "ansi" else same(frame, expected)
    assert str(frames[0]) != str(frames[1]) or not np.array_equal(frames[0], frames[1])
    env.close()


@MODES
def test_pictures_keep_up_with_resets(mode: AutoresetMode) -> None:
    single, vector = game_forms("their own reaches", render_mode="ansi", horizon=3)
    env, rows = vector(num_envs=2, autoreset_mode=mode), [Row(single(), mode) for _ in range(2)]
    env.reset(seed=6)
    for i, one in enumerate(rows):
        one.reset(6, i)
    for t, action in enumerate(random_actions(env, 8)):
        mask = np.array([one.over and mode is DISABLED for one in rows]) | (np.arange(2) == (t == 1))
        if t == 1 or mask.any():
            env.reset(options={"reset_mask": mask})
            for i in np.flatnonzero(mask):
                rows[i].reset()
        assert env.render() == tuple(one.env.render() for one in rows), "after the reset"
        env.step(action)
        for i, one in enumerate(rows):
            one.step(action[i])
        assert env.render() == tuple(one.env.render() for one in rows), f"step {t}"


# Bad input is one clear error, and no round


BAD_ACTIONS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "not a number": (lambda a: put(a, (1, 0), np.nan), r"in \[-1, 1\], got .*nan.* in game 1"),
    "infinite": (lambda a: put(a, (2, 1), -np.inf), r"in \[-1, 1\], got .*-inf.* in game 2"),
    "outside the box": (lambda a: put(a, (1, 2), 1.0000001), r"in \[-1, 1\], got .*1\.0000001.* in game 1"),
    "a row short": (lambda a: a[:-1], r"action must have shape \(3, 4\), got \(2, 4\)"),
    "a column short": (lambda a: a[:, :-1], r"action must have shape \(3, 4\), got \(3, 3\)"),
    "flattened": (lambda a: a.ravel(), r"action must have shape \(3, 4\), got \(12,\)"),
    "of one game": (lambda a: a[0], r"action must have shape \(3, 4\), got \(4,\)"),
    "booleans": (lambda a: a > 0, "action must hold real numbers"),
    "complex": (lambda a: a + 0j, "action must hold real numbers"),
    "texts": (lambda a: a.astype(str), "action must hold real numbers"),
    "objects": (lambda a: a.astype(object), "action must hold real numbers"),
    "nothing": (lambda a: None, "action must hold real numbers"),
}


def put(array: Any, place: tuple[int, int], value: float) -> Any:
    array = array.copy()
    array[place] = value
    return array


@pytest.mark.parametrize("bad", BAD_ACTIONS)
@pytest.mark.parametrize("game", ["new individuals", "noisy"])
def test_a_bad_action_is_one_clear_error_and_nobody_plays(game: str, bad: str) -> None:
    change, message = BAD_ACTIONS[bad]
    _, vector = game_forms(game, info_level="full", horizon=4)
    env, clean = vector(num_envs=3), vector(num_envs=3)
    env.reset(seed=0), clean.reset(seed=0)
    play(env, 1), play(clean, 1)
    with pytest.raises((ValueError, TypeError), match=message):
        env.step(change(random_actions(env, 1)[0]))
    assert same(play(env, 6), play(clean, 6))


@pytest.mark.parametrize("bad", ["a column short", "texts"])
@pytest.mark.parametrize("game", ["new individuals", "noisy"])
def test_a_bad_action_in_the_step_after_an_episode_leaves_the_reset_to_come(game: str, bad: str) -> None:
    change, message = BAD_ACTIONS[bad]
    env, clean = (game_forms(game, horizon=2)[1](num_envs=3) for _ in range(2))
    for one in (env, clean):
        one.reset(seed=0)
        assert play(one, 2)[-1][3].all()
    with pytest.raises((ValueError, TypeError), match=message):
        env.step(change(random_actions(env, 1)[0]))
    assert same(play(env, 4), play(clean, 4))


@pytest.mark.parametrize("game", ["new individuals", "noisy"])
def test_actions_of_games_that_are_reset_are_not_looked_at_but_those_of_others_are(game: str) -> None:
    env, clean = (game_forms(game, horizon=2)[1](num_envs=2) for _ in range(2))
    for one in (env, clean):
        one.reset(seed=0)
        play(one, 1)
        one.reset(options={"reset_mask": np.array([False, True])})
        assert play(one, 1)[0][3].tolist() == [True, False]
    good = random_actions(env, 1)[0]
    with pytest.raises(ValueError, match="in game 1"):
        env.step(put(good, (1, 0), np.nan))
    assert same(env.step(put(good, (0, 0), np.nan)), clean.step(good))
    assert same(play(env, 3), play(clean, 3))


def test_other_numbers_are_taken_for_what_they_are() -> None:
    _, vector = game_forms("new individuals")
    actions = np.array([[1, 0, 0, 0], [0, -1, 0, 1], [0, 0, 0, -1]])
    kinds = [actions.astype(float), actions, actions.tolist(), actions.astype(np.float32), np.asfortranarray(actions)]
    results = []
    for given in kinds:
        env = vector(num_envs=3)
        env.reset(seed=0)
        results.append(env.step(given))
    assert all(same(other, results[0]) for other in results[1:])


@MODES
def test_a_step_before_the_first_reset_is_refused(mode: AutoresetMode) -> None:
    for game in ("new individuals", "noisy"):
        env = game_forms(game)[1](num_envs=2, autoreset_mode=mode)
        with pytest.raises(ResetNeeded, match="reset"):
            play(env, 1)
        with pytest.raises(ResetNeeded, match="without a mask"):
            env.reset(options={"reset_mask": np.array([True, False])})


@pytest.mark.parametrize("game", ["new individuals", "noisy"])
def test_where_autoreset_is_disabled_a_finished_game_waits_and_so_do_the_others(game: str) -> None:
    _, vector = game_forms(game, horizon=3, info_level="full")
    env, clean = (vector(num_envs=2, autoreset_mode=DISABLED) for _ in range(2))
    for one in (env, clean):
        one.reset(seed=0)
        play(one, 2)
        one.reset(options={"reset_mask": np.array([False, True])})
        assert play(one, 1)[0][3].tolist() == [True, False]
    with pytest.raises(ResetNeeded, match="episode of game 0 is over"):
        play(env, 1)
    for one in (env, clean):
        one.reset(options={"reset_mask": np.array([True, False])})
    assert same(play(env, 2), play(clean, 2))


BAD_RESETS: list[tuple[dict[str, Any], str]] = [
    ({"seed": -1}, "seed must be at least 0, got -1"),
    ({"seed": 1.5}, "seed must be an integer, got 1.5"),
    ({"seed": True}, "seed must be an integer, got True"),
    ({"seed": 2**128}, "seed must be at most"),
    ({"seed": "seed"}, "seed must"),
    ({"seed": [1, 2]}, "seed must hold one seed for each of 3 games, got 2"),
    ({"seed": [1, 2, 3, 4]}, "seed must hold one seed for each of 3 games, got 4"),
    ({"seed": [1, -2, 3]}, "seed must be at least 0, got -2"),
    ({"seed": [1, 2, 0.5]}, "seed must be an integer, got 0.5"),
    ({"seed": [1, 2, 2**128]}, "seed must be at most"),
    (
        {"options": {"reset_mask": [True, False, True]}},
        r"options\['reset_mask'\] must be a boolean array of shape \(3,\)",
    ),
    ({"options": {"reset_mask": np.ones(2, bool)}}, r"options\['reset_mask'\] must be a boolean array of shape \(3,\)"),
    ({"options": {"reset_mask": np.ones(3)}}, r"options\['reset_mask'\] must be a boolean array of shape \(3,\)"),
    ({"options": {"reset_mask": np.zeros(3, bool)}}, r"options\['reset_mask'\] must name at least one game"),
    ({"options": {"mask": np.ones(3, bool)}}, r"options must be among 'reset_mask', got \['mask'\]"),
    ({"options": {"game": 1}}, r"options must be among 'reset_mask', got \['game'\]"),
    ({"seed": 7, "options": {"mask": 1}}, "options must be among"),
    ({"seed": 7, "options": {"reset_mask": 1}}, r"options\['reset_mask'\] must be"),
    ({"seed": [7, 7, -1], "options": {"reset_mask": np.array([True, False, False])}}, "seed must be at least 0"),
    ({"options": [1]}, "options must be a dict"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD_RESETS, ids=range(len(BAD_RESETS)))
def test_a_refused_reset_changes_nothing(arguments: dict[str, Any], message: str) -> None:
    env, clean = (scenario("KnownL2", horizon=4).make_vec(3) for _ in range(2))
    for one in (env, clean):
        one.reset(seed=3)
        play(one, 2)
    with pytest.raises((ValueError, TypeError), match=message):
        env.reset(**arguments)
    assert same(play(env, 6), play(clean, 6))
    assert same(env.reset(), clean.reset())
    assert same(play(env, 2), play(clean, 2))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_envs": 0}, "num_envs must be at least 1, got 0"),
        ({"num_envs": 2.0}, "num_envs must be an integer"),
        ({"autoreset_mode": "Never"}, "autoreset_mode must be one of 'NextStep', 'SameStep', 'Disabled', got 'Never'"),
        ({"autoreset_mode": None}, "autoreset_mode must be one of"),
        ({"info_level": "all"}, "info_level must be one of"),
        ({"observation": "image"}, "observation must be one of"),
        ({"reward": "profit"}, "reward must be one of"),
        ({"horizon": 0}, "horizon must be at least 1, got 0"),
        ({"render_mode": "svg"}, "render_mode must be one of"),
        ({"vector": True}, "no option 'vector'"),
    ],
    ids=str,
)
def test_bad_options_are_one_clear_error(options: dict[str, Any], message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        gymnasium.make_vec(environment_id("KnownL2"), **{"num_envs": 2} | options)


def test_what_users_write_into_observations_is_not_shown_again() -> None:
    for name in ("KnownL2", "Bandit"):
        games = scenario(name).make_vec(3, autoreset_mode="Disabled")
        games.reset(seed=0)
        steps = [games.step(games.action_space.sample())[0]]
        for row in range(3):
            expected = {key: one.copy() for key, one in steps[-1].items()}
            for one in steps[-1].values():
                one[:] = 77.0
            steps.append(games.reset(options={"reset_mask": np.arange(3) == row})[0])
            for key, one in steps[-1].items():
                assert one[row + 1 :].tolist() == expected[key][row + 1 :].tolist()


@pytest.mark.parametrize("observation", ["dict", "flat"])
def test_a_classifier_that_is_refused_in_the_last_game_changes_no_game(observation: str) -> None:
    refusing, other = (
        gymnasium.make_vec("strategic_env/KnownL2-v0", num_envs=20, observation=observation, info_level="full", pool=30)
        for _ in range(2)
    )
    for env in (refusing, other):
        env.reset(seed=1)
    good = np.tile([0.5, -0.5, 0.1], (20, 1)).astype(np.float32 if observation == "flat" else np.float64)
    bad = good.copy()
    bad[-1, 0] = 2.0
    for _ in range(3):  # the first rounds, then the usual ones
        with pytest.raises(ValueError, match=r"entries in \[-1, 1\], got \[2.0, .*\] in game 19"):
            refusing.step(bad)
        assert all(map(same, refusing.step(good), other.step(good)))
