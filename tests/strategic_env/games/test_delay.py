"""Labels that come late: what is told when, in four forms of one game; the bounds, and where a bound of none fails."""

from typing import Any

import numpy as np
import pytest

from agents import BestResponse, FixedSequence, L2Cost, Noisy, Separable
from learners import EchoChecking, Perceptron, StrategicPerceptronL2
from learners.bounds import delayed_l2
from strategic_env import RecordedGame, Setting, rollout, scenario
from strategic_env.games.strategic.delay import Late, ManyLate
from strategic_env.games.strategic.scenario import Scenario
from strategic_env.multi_agent import env, parallel_env, play

GAMES, SEED = 2, 7
slow = pytest.mark.slow


def single_rounds(one: Any, learner: Any, game: int) -> tuple[list[Any], Any, int]:
    """Return what was shown after each round, the learner's state afterwards, and its mistakes."""
    single, state, steps, mistakes = one.make(), None, [], 0
    seen, _ = single.reset(seed=SEED, options={"game": game})
    for _ in range(one.horizon):
        action, state = learner.predict(seen, state)
        seen, reward, _, _, info = single.step(action)
        mistakes += info["mistake"]
        steps.append((action, seen, reward, single.last))
    return steps, learner.predict(seen, state)[1], mistakes


@pytest.mark.parametrize("observation", ["dict", "flat"])
def test_what_happened_is_told_late_and_rewards_are_not(observation: str) -> None:
    one, plain = scenario("KnownL2", delay=3, horizon=20), scenario("KnownL2", horizon=20)
    rng = np.random.default_rng(0)
    actions = rng.uniform(-1.0, 1.0, (20, 3))
    late, prompt = one.make(observation=observation), plain.make(observation=observation)
    start, _ = late.reset(seed=1)
    prompt.reset(seed=1)
    told = [late.step(action) for action in actions.astype(late.action_space.dtype)]
    happened = [prompt.step(action) for action in actions.astype(late.action_space.dtype)]
    flat = (lambda seen: seen) if observation == "flat" else (lambda seen: np.concatenate([*seen.values()]))
    for round, (now, then) in enumerate(zip(told, happened, strict=True)):
        expected = start if round < 3 else happened[round - 3][0]
        assert (flat(now[0]) == flat(expected)).all() and late.observation_space.contains(now[0])
        assert now[1] == then[1] and now[4].keys() == then[4].keys() and now[4]["mistake"] == then[4]["mistake"]
        assert now[2:4] == then[2:4]


CASES: list[tuple[str, dict[str, Any], Any]] = [
    ("DelayedL2", {"horizon": 150, "noise": 0.1}, StrategicPerceptronL2(0.3)),
    (
        "DelayedL2",
        {"horizon": 150, "delay": 1, "pool": 30, "dim": 5},
        EchoChecking("strategic-perceptron-l2", alpha=0.3),
    ),
    ("KnownL1", {"horizon": 100, "delay": 70, "feedback": "apple_tasting", "noise": 0.1}, Perceptron()),
    ("ImprovingL2", {"horizon": 100, "delay": 2}, Perceptron()),
    ("GroupsL2", {"horizon": 130, "delay": 2}, Perceptron()),
]
RARE = [
    ("DelayedL2", {"horizon": 100, "lottery": [0.1, 0.9], "feedback": "apple_tasting"}, Perceptron()),
    ("DelayedL2", {"horizon": 100, "response": "noisy", "improvement": 0.5}, Perceptron()),
    ("DelayedL2", {"horizon": 100, "response": "dark", "window": 10}, Perceptron()),
    ("DelayedL2", {"horizon": 100, "response": "lagged", "lag": 3}, Perceptron()),
]


@pytest.mark.parametrize(
    ("name", "options", "learner"), [*CASES, *(pytest.param(*case, marks=slow) for case in RARE)], ids=str
)
def test_all_forms_are_one_game(name: str, options: dict[str, Any], learner: Any) -> None:
    one = scenario(name, **options)
    result = rollout(learner, one, GAMES, seed=SEED, checkpoints=range(1, one.horizon + 1))
    envs, state = one.make_vec(GAMES, info_level="full"), None
    seen, _ = envs.reset(seed=SEED)
    singles = [single_rounds(one, learner, game) for game in range(GAMES)]
    mistakes = np.zeros((GAMES, one.horizon), dtype=np.int64)
    for round in range(one.horizon):
        action, state = learner.predict(seen, state)
        seen, rewards, _, _, infos = envs.step(action)
        mistakes[:, round] = infos["mistake"]
        for game, (steps, _, _) in enumerate(singles):
            assert (steps[round][0] == action[game]).all() and steps[round][2] == rewards[game]
            assert all((steps[round][1][key] == seen[key][game]).all() for key in seen)
    state = learner.predict(seen, state)[1]
    assert (result.curves == mistakes.cumsum(axis=1)).all() and mistakes.any()
    for game, (_, alone, count) in enumerate(singles):
        assert result.mistakes[game] == count
        for field, mine, theirs in zip(result.state._fields, result.state, alone, strict=True):
            assert mine[game].tobytes() == theirs[0].tobytes(), field
            assert mine[game].tobytes() == getattr(state, field)[game].tobytes(), field


@pytest.mark.parametrize("individual", [BestResponse(), Noisy(0.1)], ids=repr)
def test_many_agents_play_the_same_game(individual: Any) -> None:
    plain = scenario("DelayedL2", horizon=80)
    setting = Setting(population=Separable(2, noise=0.1), cost=L2Cost(0.3), individual=individual, delay=4)
    one = Scenario("late", setting, 80, plain.knowledge, None, {})
    steps, _, mistakes = single_rounds(one, Perceptron(), 0)
    for game in (env(one), parallel_env(one, lag=0)):
        record = play(game, {"learner_0": Perceptron(), "individual_0": individual}, rounds=80, seed=SEED)
        assert (record.classifiers == np.array([last.classifier for *_, last in steps])).all()
        assert record.mistakes.sum() == mistakes


def test_threads_and_blocks_make_no_difference() -> None:
    one, learner = scenario("DelayedL2", noise=0.2, horizon=700), StrategicPerceptronL2(0.3)
    first, second = (rollout(learner, one, 5, threads=threads) for threads in (1, 2))
    alone = rollout(learner, one, 1)
    assert first.state.weights.tobytes() == second.state.weights.tobytes()
    assert (first.mistakes == second.mistakes).all() and first.mistakes[0] == alone.mistakes[0]


def test_no_delay_is_todays_bits() -> None:
    learner = StrategicPerceptronL2(0.3)
    one, other = (rollout(learner, scenario("KnownL2", noise=0.1, **more), 2) for more in ({}, {"delay": 0}))
    assert one.state.weights.tobytes() == other.state.weights.tobytes() and (one.mistakes == other.mistakes).all()
    assert scenario("KnownL2").truth == scenario("DelayedL2", delay=0).truth


def test_a_new_episode_tells_nothing_of_the_last() -> None:
    one = scenario("KnownL2", delay=2, horizon=5)
    single, envs = one.make(), one.make_vec(2)
    action = np.array([0.5, 0.5, -0.1])
    for _ in range(2):
        single.reset(seed=1)
        seen = [single.step(action)[0]["round"][0] for _ in range(5)]
        assert seen == [0.0, 0.0, 1.0, 2.0, 3.0]
    envs.reset(seed=1)
    shown = [envs.step(np.stack([action, action]))[0]["round"][:, 0].tolist() for _ in range(12)]
    assert shown == [[k, k] for k in (0, 0, 1, 2, 3, 0, 0, 0, 1, 2, 3, 0)]


# What is proved, and what is not


def test_the_same_person_again_and_again_costs_d_more_mistakes() -> None:
    """The bound without delay is 1 here: nobody could do with fewer than D + 1, and Algorithm 2 makes no more."""
    individuals = [((-1.0, 0.0), -1.0)]
    for delay in (0, 1, 5):
        setting = Setting(population=FixedSequence([], individuals), cost=L2Cost(0.3), delay=delay)
        one = Scenario("again", setting, 50, {}, None, {})
        for learner in (StrategicPerceptronL2(0.3), EchoChecking("strategic-perceptron-l2", alpha=0.3)):
            assert rollout(learner, one, 1).mistakes[0] == delay + 1 <= delayed_l2(1.0, 1.0, delay)


@pytest.mark.parametrize(
    ("rounds", "games"), [pytest.param(3_000, 5, id="short"), pytest.param(1_000_000, 3, id="long", marks=slow)]
)
@pytest.mark.parametrize("delay", [1, 20])
def test_no_bound_is_violated(delay: int, rounds: int, games: int) -> None:
    one = scenario("DelayedL2", delay=delay, margin=0.05, horizon=rounds)
    as_it_is, checking = StrategicPerceptronL2(0.3), EchoChecking("strategic-perceptron-l2", alpha=0.3)
    for learner, factor in ((as_it_is, 1 + 2 * delay), (checking, 1 + delay)):
        bound = learner.bound(one.truth)
        assert bound == pytest.approx(factor * 400.0)
        assert (rollout(learner, one, games, seed=3).mistakes <= bound).all()
    assert Perceptron().bound(one.truth) is None


def test_a_recorded_game_tells_late_too() -> None:
    one = scenario("DelayedL2", noise=0.1, horizon=60)
    recorded = RecordedGame(StrategicPerceptronL2(0.3), one.setting, seed=3)
    mistakes = sum(recorded.play().round.mistake for _ in range(60))
    assert mistakes == rollout(StrategicPerceptronL2(0.3), one, 1, seed=3).mistakes[0]


def test_scenarios_tell_the_delay() -> None:
    one = scenario("DelayedL2")
    assert one.setting.delay == 5 == one.knowledge["delay"]
    assert one.truth is not None and one.truth.delay == 5 and one.truth.improvement is None


# What is refused, and small parts


@pytest.mark.parametrize("delay", [-1, 1.5, float("nan"), "2", True, None, 100_001])
def test_what_is_no_delay_is_refused(delay: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="delay must be") as caught:
        scenario("KnownL2", delay=delay)
    assert "\n" not in str(caught.value)


def test_a_delay_beyond_all_memory_is_refused() -> None:
    with pytest.raises(ValueError, match="delay must leave room for observations of 2000 games, got 100000"):
        scenario("KnownL2", delay=100_000).make_vec(2000)


def test_nothing_is_told_before_there_is_anything() -> None:
    late = Late(2, np.zeros(1))
    assert [float(late.tell(np.array([float(k)]))[0]) for k in range(1, 6)] == [0.0, 0.0, 1.0, 2.0, 3.0]
    many = ManyLate(1, 2, 1)
    active = np.array([True, False])
    told = [many.tell(np.array([[k], [9.0]]), np.array([k, 0]), active).tolist() for k in (1, 2, 3)]
    assert told == [[[0.0], [0.0]], [[1.0], [0.0]], [[2.0], [0.0]]]
