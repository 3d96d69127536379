"""One seat as a Gymnasium environment: the official checkers, equality with `play`, episodes, errors, training."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env, data_equivalence
from stable_baselines3 import PPO
from stable_baselines3.common.env_checker import check_env as check_env_of_sb3

from agents import BestResponse
from learners import Perceptron
from strategic_env.multi_agent import Record, SeatEnv, UniformNature, env, parallel_env, play, raw_env

POLICIES: dict[str, Any] = {
    "learner_0": Perceptron(),
    "nature_0": UniformNature(seed=5),
    "individual_0": BestResponse(),
}
SEATS = ("learner_0", "nature_0", "individual_0")


def seat(agent: str, **options: Any) -> SeatEnv:
    others = {other: policy for other, policy in POLICIES.items() if other != agent}
    return SeatEnv(raw_env("KnownL2", nature=True, pool=20, max_cycles=15, **options), agent, others)


def actions(record: Record, agent: str, one: SeatEnv) -> list[Any]:
    """Return what an agent has done in a record."""
    if agent == "nature_0":
        one.reset(seed=5)
        pool = one.turns.game.pool.features
        return [int((pool == features).all(axis=1).argmax()) for features in record.true_features]
    return list(record.classifiers if agent == "learner_0" else record.reports)


@pytest.mark.filterwarnings("ignore:.*we recommend using a symmetric and normalized space:UserWarning")
@pytest.mark.parametrize("agent", SEATS)
def test_gymnasium_accepts_every_seat(agent: str) -> None:
    check_env(seat(agent), skip_render_check=True)  # without an id there are no other render modes to make


@pytest.mark.parametrize("agent", SEATS)
def test_stable_baselines3_accepts_every_padded_seat(agent: str) -> None:
    check_env_of_sb3(seat(agent, pad_spaces=True), warn=False)


@pytest.mark.parametrize("agent", SEATS)
def test_a_seat_plays_the_rounds_of_play(agent: str) -> None:
    """Whoever does from outside what a policy did, sees and is paid what the policy saw and was paid."""
    one = seat(agent)
    record = play(one.turns, POLICIES, seed=5)
    doings = actions(record, agent, one)
    one.reset(seed=5)
    rewards, over = [], False
    for k, action in enumerate(doings):
        assert not over
        _, reward, terminated, over, info = one.step(action)
        rewards.append(reward)
        assert not terminated
        assert info == one.turns.infos[agent]
        assert (one.turns.last_rounds[0].report == record.reports[k]).all()
    assert over
    assert rewards == record.rewards[agent].tolist()
    assert record.mistakes.any()
    assert not record.mistakes.all()


def test_the_individual_sees_who_it_is_and_what_it_faces() -> None:
    one = seat("individual_0")
    record = play(one.turns, POLICIES, seed=5)
    observation, info = one.reset(seed=5)
    for k, report in enumerate(record.reports):
        assert info["arrival"] == k
        assert (observation["features"] == record.true_features[k]).all()
        assert (observation["classifier"] == record.classifiers[k]).all()
        observation, _, _, _, info = one.step(report)


@pytest.mark.parametrize("wrapped", [env, raw_env])
def test_the_others_begin_anew_with_every_episode(wrapped: Any) -> None:
    one = SeatEnv(wrapped("KnownL2", max_cycles=6), "individual_0", {"learner_0": Perceptron()})

    def episode(**options: Any) -> list[Any]:
        seen = [one.reset(**options)]
        for _ in range(6):
            seen.append(one.step(seen[-1][0]["features"]))
        return seen

    first, second = episode(seed=3), episode()
    assert not data_equivalence(first, second)
    assert data_equivalence(episode(seed=3), first, exact=True)
    assert data_equivalence(episode(), second, exact=True)
    assert data_equivalence(episode(seed=3, options={"game": 0}), first, exact=True)


@pytest.mark.parametrize(
    "duplicate", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))], ids=["copy", "pickle"]
)
@pytest.mark.parametrize("agent", SEATS)
def test_a_copy_in_mid_episode_continues_identically(agent: str, duplicate: Callable[[SeatEnv], SeatEnv]) -> None:
    one = seat(agent)
    one.reset(seed=2)
    for _ in range(4):
        one.step(one.action_space.sample())
    twin, doings = duplicate(one), [one.action_space.sample() for _ in range(11)]
    assert data_equivalence(*([each.step(action) for action in doings] for each in (one, twin)), exact=True)
    assert data_equivalence(one.reset(), twin.reset(), exact=True)


def test_stable_baselines3_trains_a_seat_and_its_policy_plays() -> None:
    one = SeatEnv(raw_env("KnownL2", max_cycles=20), "individual_0", {"learner_0": Perceptron()})
    model = PPO("MultiInputPolicy", one, n_steps=32, batch_size=32, gamma=0.0, seed=0, device="cpu").learn(32)
    for trained in (model, model.policy):
        record = play(raw_env("KnownL2"), {"learner_0": Perceptron(), "individual_0": trained}, rounds=5, seed=1)
        assert len(record.reports) == 5


def test_no_step_before_the_first_reset_or_after_the_end() -> None:
    one = SeatEnv(raw_env("KnownL2", max_cycles=1), "learner_0", {"individual_0": BestResponse()})
    with pytest.raises(ResetNeeded, match="call reset"):
        one.step(np.zeros(3))
    one.reset(seed=0)
    assert one.step(np.zeros(3))[3]
    with pytest.raises(ResetNeeded, match="call reset"):
        one.step(np.zeros(3))


class Failing:
    """Fails at its second turn."""

    def predict(self, observation: Any, state: Any = None, *_: Any) -> tuple[Any, Any]:
        if state:
            raise RuntimeError("no idea")
        return np.zeros(3), True


@pytest.mark.parametrize("pad_spaces", [False, True])
def test_after_the_failure_of_another_nobody_acts_in_its_place(pad_spaces: bool) -> None:
    one = SeatEnv(raw_env("KnownL2", pad_spaces=pad_spaces), "individual_0", {"learner_0": Failing()})
    one.reset(seed=0)
    report = np.zeros(one.action_space.shape)
    with pytest.raises(RuntimeError, match="no idea"):
        one.step(report)
    with pytest.raises(ResetNeeded, match="another's turn"):
        one.step(report)
    one.reset()
    assert one.turns.agent_selection == "individual_0"


def test_a_refused_action_changes_nothing() -> None:
    one = SeatEnv(raw_env("KnownL2"), "learner_0", {"individual_0": BestResponse()})
    before, _ = one.reset(seed=0)
    with pytest.raises(ValueError, match="entries in"):
        one.step(np.full(3, np.nan))
    assert data_equivalence(one.step(np.zeros(3))[0]["round"], np.ones(1))
    assert before["round"] == 0.0


def test_a_picture_of_the_last_round_is_drawn() -> None:
    one = SeatEnv(raw_env("KnownL2", render_mode="ansi"), "learner_0", {"individual_0": BestResponse()})
    one.reset(seed=0)
    one.step(np.zeros(3))
    assert one.render() == one.turns.render()
    one.close()


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((gymnasium.Env(), "learner_0", {}), TypeError, "env must be a turn-based environment"),
        ((parallel_env("KnownL2"), "learner_0", {}), TypeError, "env must be a turn-based environment"),
        ((raw_env("KnownL2"), "nature_0", {}), ValueError, "agent must be one of"),
        ((raw_env("KnownL2"), "learner_0", {}), ValueError, "policies must be for individual_0"),
        (
            (raw_env("KnownL2"), "individual_0", {"learner_0": Perceptron(), "individual_0": BestResponse()}),
            ValueError,
            "policies must be for learner_0, got learner_0, individual_0",
        ),
    ],
    ids=["no game", "parallel", "unknown agent", "missing policy", "policy too many"],
)
def test_errors_say_what_is_allowed(arguments: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        SeatEnv(*arguments)


def test_a_policy_that_does_not_fit_its_agent_is_refused() -> None:
    with pytest.raises(TypeError, match="the policy of learner_0"):
        SeatEnv(raw_env("KnownL2"), "individual_0", {"learner_0": BestResponse()})
