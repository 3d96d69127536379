"""The Gymnasium environment: seeds, endings, rewards, feedback, bad input, copies."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import data_equivalence

import strategic_env  # noqa: F401
from agents import FixedSequence, L2Cost, Noisy, Separable, Truthful, WeightedL1Cost
from agents.boundary import FLOAT64_EPS, on_boundary
from strategic_env import StrategicClassificationEnv
from strategic_env.games.registration import environment_id
from strategic_env.games.strategic.description import STRATEGIC
from strategic_env.games.strategic.rules import judge

Env = Any


def make(**options: Any) -> Env:
    return StrategicClassificationEnv(Separable(3), L2Cost(0.3), **options)


def play(env: Env, rounds: int, seed: int = 0) -> list[Any]:
    """Random classifiers that do not depend on the environment."""
    rng = np.random.default_rng(seed)
    shape = env.action_space.shape
    return [env.step(rng.uniform(-1, 1, shape).astype(env.action_space.dtype)) for _ in range(rounds)]


@pytest.mark.parametrize("name", STRATEGIC)
def test_the_horizon_truncates_and_never_terminates(name: str) -> None:
    env = gymnasium.make(environment_id(name), horizon=3).unwrapped
    env.reset(seed=0)
    endings = [(step[2], step[3]) for step in play(env, 3)]
    assert endings == [(False, False), (False, False), (False, True)]
    with pytest.raises(ResetNeeded, match="the episode is over"):
        play(env, 1)
    env.reset()
    play(env, 3)


def test_a_horizon_of_one_is_an_episode() -> None:
    env = make(horizon=1)
    env.reset(seed=0)
    assert play(env, 1)[0][3] is True


def test_a_step_before_the_first_reset_is_refused() -> None:
    with pytest.raises(ResetNeeded, match="no episode"):
        play(make(), 1)


@pytest.mark.parametrize("name", STRATEGIC)
@pytest.mark.parametrize("observation", ["dict", "flat"])
@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_in_mid_episode_continue_identically(
    name: str, observation: str, duplicate: Callable[[Env], Env]
) -> None:
    env = gymnasium.make(environment_id(name), observation=observation)
    env.reset(seed=11)
    play(env, 70)
    twin = duplicate(env)
    assert data_equivalence(play(env, 100, seed=1), play(twin, 100, seed=1), exact=True)
    assert data_equivalence(env.reset(), twin.reset(), exact=True)
    assert data_equivalence(play(env, 10), play(twin, 10), exact=True)


def test_seeds_games_and_episodes_differ_and_repeat() -> None:
    def arrivals(seed: int | None, game: int = 0, env: Env = None) -> bytes:
        env = env or make()
        env.reset(seed=seed, options={"game": game})
        return np.array([step[4]["true_features"] for step in play(env, 20)]).tobytes()

    assert arrivals(1) == arrivals(1)
    assert len({arrivals(seed, game) for seed in range(3) for game in range(3)}) == 9
    env = make()
    episodes = [arrivals(1, env=env), arrivals(None, env=env), arrivals(None, env=env)]
    assert len(set(episodes)) == 3
    again = make()
    assert episodes == [arrivals(1, env=again), arrivals(None, env=again), arrivals(None, env=again)]
    assert arrivals(None, game=2, env=env) == arrivals(1, game=2)


def test_a_generator_of_the_users_own_seeds_the_game() -> None:
    def first(bit_seed: int) -> Any:
        env = make()
        env.np_random = np.random.default_rng(bit_seed)
        env.reset()
        return play(env, 3)[0][4]["true_features"].tolist()

    assert first(1) == first(1) != first(2)


def test_a_population_seed_keeps_the_hyperplane_and_changes_arrivals() -> None:
    env = make(population_seed=4)
    separators, firsts = [], []
    for _ in range(3):
        env.reset()
        assert env.game is not None
        separators.append(tuple(env.game.arrivals.separator))
        firsts.append(tuple(play(env, 1)[0][4]["true_features"]))
    assert len(set(separators)) == 1
    assert len(set(firsts)) == 3


def test_true_points_are_those_that_will_arrive() -> None:
    env = make()
    env.reset(seed=3)
    features, labels = env.true_points(100)
    steps = play(env, 100)
    assert (features == np.array([step[4]["true_features"] for step in steps])).all()
    assert (labels == np.array([step[4]["true_label"] for step in steps])).all()


def test_the_flat_form_shows_the_same_numbers() -> None:
    flat, plain = make(observation="flat"), make()
    flat.reset(seed=2)
    plain.reset(seed=2)
    rng = np.random.default_rng(0)
    for _ in range(200):
        action = rng.uniform(-1, 1, 4).astype(np.float32)
        vector, mapping = flat.step(action)[0], plain.step(action.astype(np.float64))[0]
        together = np.concatenate([mapping[key] for key in ("classifier", "features", "label", "prediction", "round")])
        assert vector.dtype == np.float32
        assert (vector == together.astype(np.float32)).all()


def test_hidden_labels_are_zero_and_only_for_the_rejected() -> None:
    env = make(feedback="apple_tasting", reward="observed")
    env.reset(seed=0)
    hidden = 0
    for observation, reward, _, _, info in play(env, 300):
        accepted = observation["prediction"][0] == 1
        assert observation["label"][0] == (info["true_label"] if accepted else 0)
        assert reward == (-1 if info["mistake"] and accepted else 0)
        hidden += not accepted
    assert hidden > 50


@pytest.mark.parametrize("reward", ["mistake", "accuracy", "hinge"])
def test_rewards(reward: str) -> None:
    env = make(reward=reward)
    env.reset(seed=0)
    for observation, got, _, _, info in play(env, 200):
        score = observation["classifier"] @ np.append(observation["features"], 1)
        hinge = -max(0.0, 1 - info["true_label"] * score / np.linalg.norm(observation["classifier"]))
        expected = {"mistake": -float(info["mistake"]), "accuracy": 1.0 - info["mistake"], "hinge": hinge}[reward]
        assert type(got) is float
        assert got == pytest.approx(expected, abs=1e-12)


def test_the_hinge_stays_finite_for_any_published_array() -> None:
    env = make(reward="hinge")
    env.reset(seed=0)
    for weights in (0.0, 5e-324, 1e-200, 1.0):
        for bias in (-1.0, -5e-324, 0.0, 1.0):
            assert -2.5 <= env.step(np.array([weights, 0.0, 0.0, bias]))[1] <= 0.0


def test_info_levels() -> None:
    keys = {"true_features", "true_label", "moved", "cost", "mistake", "mistakes"}
    for level, expected in (("none", set()), ("outcome", {"moved", "mistake"}), ("full", keys)):
        env = make(info_level=level)
        env.reset(seed=0)
        assert set(play(env, 1)[0][4]) == expected


def test_nothing_that_is_returned_shares_memory_with_another_call() -> None:
    env = make()
    action = np.array([0.5, 0.0, 0.0, 0.1])
    returned = [env.reset(seed=0)[0]]
    for _ in range(3):
        observation, _, _, _, info = env.step(action)
        returned.append(observation | {"true_features": info["true_features"]})
    for i, one in enumerate(returned):
        for other in returned[i + 1 :]:
            for a in one.values():
                assert not np.shares_memory(a, action)
                assert not any(np.shares_memory(a, b) for b in other.values())


def test_publishing_nothing_accepts_everybody_or_nobody() -> None:
    env = make()
    env.reset(seed=0)
    for bias, prediction in ((0.0, 1), (1.0, 1), (5e-324, 1), (-5e-324, -1), (-1.0, -1)):
        observation, _, _, _, info = env.step(np.array([0.0, 0.0, 0.0, bias]))
        assert observation["prediction"][0] == prediction
        assert not info["moved"]


def test_only_the_direction_of_the_action_matters() -> None:
    rng = np.random.default_rng(0)
    for factor in (2.0**-1, 2.0**-30, 2.0**-1000):
        one, other = make(), make()
        one.reset(seed=1)
        other.reset(seed=1)
        for _ in range(100):
            action = rng.uniform(-1, 1, 4)
            first, second = one.step(action), other.step(action * factor)
            for key in ("features", "prediction", "label"):
                assert (first[0][key] == second[0][key]).all()
            assert first[4]["cost"] == pytest.approx(second[4]["cost"], abs=1e-12)


BAD_ACTIONS = [
    ([0.0, 0.0, 0.0], "action must have shape \\(4,?\\), got \\(3,\\)"),
    (np.zeros(3), "action must have shape \\(4,?\\), got \\(3,\\)"),
    ([[0.0, 0.0, 0.0, 0.0]], "action must have shape \\(4,?\\), got \\(1, 4\\)"),
    (0.0, "action must have shape \\(4,?\\), got \\(\\)"),
    ([0.0, np.nan, 0.0, 0.0], "action must be finite, got nan"),
    (np.array([0.0, np.nan, 0.0, 0.0]), "entries in \\[-1, 1\\], got .*nan|action must be finite, got nan"),
    (np.array([0.0, np.inf, 0.0, 0.0]), "entries in \\[-1, 1\\], got .*inf|action must be finite, got inf"),
    ([0.0, 1.0000001, 0.0, 0.0], "entries in \\[-1, 1\\]"),
    ([0.0, 0.0, 0.0, -2.0], "entries in \\[-1, 1\\]"),
    (["a", "b", "c", "d"], "action must hold real numbers"),
    (["0.5", "0.1", "0", "0"], "action must hold real numbers"),
    ([True, False, True, False], "action must hold real numbers"),
    (None, "action must hold real numbers"),
    ([1 + 1j, 0, 0, 0], "action must hold real numbers"),
]


@pytest.mark.parametrize(("action", "message"), BAD_ACTIONS, ids=range(len(BAD_ACTIONS)))
@pytest.mark.parametrize("observation", ["dict", "flat"])
def test_a_bad_action_is_one_clear_error_and_not_a_round(action: Any, message: str, observation: str) -> None:
    env = make(observation=observation)
    env.reset(seed=0)
    with pytest.raises((ValueError, TypeError), match=message):
        env.step(action)
    clean = make(observation=observation)
    clean.reset(seed=0)
    assert data_equivalence(play(env, 5), play(clean, 5), exact=True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"horizon": 0}, "horizon must be at least 1, got 0"),
        ({"horizon": 1.5}, "horizon must be an integer"),
        ({"horizon": 2**25, "observation": "flat"}, "horizon must be at most"),
        ({"reward": "profit"}, "reward must be one of 'mistake', 'accuracy', 'hinge', 'observed', got 'profit'"),
        ({"feedback": "none"}, "feedback must be one of 'full', 'apple_tasting', got 'none'"),
        ({"observation": "image"}, "observation must be one of"),
        ({"info_level": "all"}, "info_level must be one of"),
        ({"render_mode": "svg"}, "render_mode must be one of"),
        ({"population_seed": -1}, "population_seed must be at least 0"),
    ],
    ids=str,
)
def test_bad_options_are_one_clear_error(options: dict[str, Any], message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        make(**options)


def test_a_new_seed_begins_with_game_0() -> None:
    env = make()
    env.reset(seed=1, options={"game": 2})
    env.reset(seed=1)
    fresh = make()
    fresh.reset(seed=1)
    assert data_equivalence(play(env, 5), play(fresh, 5), exact=True)


def test_a_refused_reset_changes_nothing() -> None:
    env, twin = make(), make()
    for one in (env, twin):
        one.reset(seed=3)
    with pytest.raises(ValueError, match="options"):
        env.reset(seed=9, options={"gmae": 1})
    assert data_equivalence(play(env, 5), play(twin, 5), exact=True)
    assert data_equivalence(env.reset(), twin.reset(), exact=True)


def test_gymnasium_flattens_to_the_same_vector() -> None:
    flat, wrapped = make(observation="flat"), gymnasium.wrappers.FlattenObservation(make())
    flat.reset(seed=0)
    wrapped.reset(seed=0)
    for _ in range(20):
        action = np.array([0.5, 0.25, -0.5, 0.0], dtype=np.float32)
        assert (flat.step(action)[0] == wrapped.step(action.astype(np.float64))[0].astype(np.float32)).all()


def test_the_name_of_a_scenario_cannot_be_replaced() -> None:
    with pytest.raises(ValueError, match="KnownL2 has no option 'name'"):
        gymnasium.make(environment_id("KnownL2"), name="KnownL1")


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: StrategicClassificationEnv(None, L2Cost(0.3)), "population must be a Population"),
        (lambda: StrategicClassificationEnv(Separable(3), 0.3), "cost must be a Cost"),
        (lambda: make(individual=Truthful), "individual must have a method report"),
        (lambda: make(individual="truthful"), "individual must have a method report"),
        (lambda: make(knowledge=5), "knowledge must be a mapping"),
        (lambda: StrategicClassificationEnv(Separable(3), L2Cost([0.1, 0.2])), "alpha must be the same for every"),
        (
            lambda: StrategicClassificationEnv(Separable(3), L2Cost(1e16)),
            "alpha must be at most 10000 times the radius",
        ),
        (
            lambda: StrategicClassificationEnv(Separable(3, alpha=(0.1, 0.2)), L2Cost(0.3)),
            "cost must be L2Cost\\(0.2\\)",
        ),
        (lambda: StrategicClassificationEnv(Separable(3, 1e40), L2Cost(1), observation="flat"), "at most 1e\\+30"),
    ],
    ids=range(9),
)
def test_parts_that_do_not_fit_are_one_clear_error(build: Callable[[], Env], message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        build()


@pytest.mark.parametrize("answer", [None, [1.0], [1.0, 2.0, np.nan], "abc", [1.0, 2.0, 3.0, 4.0]])
def test_a_strange_report_is_one_clear_error(answer: Any) -> None:
    class Strange(Truthful):
        def report(self, features: Any, *_: Any) -> Any:
            features[:] = 7.0  # a copy: the truth stays
            return answer

    env = make(individual=Strange())
    env.reset(seed=0)
    with pytest.raises((ValueError, TypeError), match="the individual's report must"):
        play(env, 1)


def test_individuals_may_differ_in_their_reach() -> None:
    population = Separable(3, alpha=(0.1, 0.4))
    for pool in (None, 40):
        population = Separable(3, alpha=(0.1, 0.4), pool=pool)
        env = StrategicClassificationEnv(population, L2Cost(0.4), horizon=3000)
        env.reset(seed=0)
        distances = []
        for observation, _, _, _, info in play(env, 3000):
            if info["moved"]:
                distances.append(np.linalg.norm(observation["features"] - info["true_features"]) / info["cost"])
        assert 0.1 * (1 - 1e-9) <= min(distances) and max(distances) <= 0.4 * (1 + 1e-9)
        assert max(distances) - min(distances) > 0.2


def test_reset_refuses_what_it_does_not_know() -> None:
    with pytest.raises(ValueError, match="options must be among 'game', got \\['gmae'\\]"):
        make().reset(options={"gmae": 1})
    with pytest.raises(ValueError, match="options\\['game'\\] must be at least 0"):
        make().reset(options={"game": -1})


def test_costs_must_fit_the_population() -> None:
    with pytest.raises(ValueError, match="alpha has 2 coordinates, but the features have 3"):
        StrategicClassificationEnv(Separable(3), WeightedL1Cost([0.1, 0.2]))


def test_truthful_individuals_never_move() -> None:
    env = make(individual=Truthful())
    env.reset(seed=0)
    for observation, _, _, _, info in play(env, 200):
        assert (observation["features"] == info["true_features"]).all()
        assert not info["moved"] and info["cost"] == 0
        accepted = observation["classifier"] @ np.append(info["true_features"], 1) >= 0
        assert observation["prediction"][0] == (1 if accepted else -1)


@pytest.mark.parametrize("cost", [L2Cost(0.3), WeightedL1Cost([0.4, 0.0, 0.1])])
def test_noisy_individuals_stay_in_the_observation_space(cost: Any) -> None:
    env = StrategicClassificationEnv(Separable(3), cost, individual=Noisy(0.2))
    exact = StrategicClassificationEnv(Separable(3), cost)
    env.reset(seed=0)
    exact.reset(seed=0)
    for noisy, plain in zip(play(env, 300), play(exact, 300), strict=True):
        miss = np.abs(noisy[0]["features"] - plain[0]["features"])
        assert miss.max() <= 0.2 * (1 + 1e-12)
        if cost.norm == 1:
            assert miss[1] == 0
        assert noisy[0] in env.observation_space


@pytest.mark.parametrize("cost", [L2Cost(0.3), WeightedL1Cost([0.4, 0.0, 0.1]), L2Cost(5.0)])
def test_judging_the_report_agrees_with_judging_the_truth(cost: Any) -> None:
    """Both ways of deciding agree on every best response, and every mover is recognised on the boundary."""
    env = StrategicClassificationEnv(Separable(3), cost, horizon=5000)
    env.reset(seed=1)
    movers = 0
    for observation, _, _, _, info in play(env, 5000):
        accepted = judge(
            observation["classifier"], info["true_features"], observation["features"], float(cost.alpha.max())
        )
        assert accepted == (observation["prediction"][0] == 1)
        if info["moved"]:
            movers += 1
            assert on_boundary(observation["classifier"], observation["features"], float(cost.alpha.max()), FLOAT64_EPS)
    assert movers > 300


def test_the_fixed_sequences_of_the_paper() -> None:
    env = StrategicClassificationEnv(FixedSequence([([-0.5, -1.0], -1)], [([0.0, -1.0], 1)]), L2Cost(0.5))
    env.reset()
    observation, _, _, _, info = env.step(np.array([1.0, 0.0, 0.0]))
    assert observation["features"].tolist() == [0.0, -1.0]
    assert info["moved"] and info["cost"] == 1.0, "a cost of exactly 1 still moves"
    observation, _, _, _, info = env.step(np.array([1.0, 0.0, 0.0]))
    assert observation["features"].tolist() == [0.0, -1.0]
    assert not info["moved"], "who stands on the boundary is accepted and stays"
