"""Learners as policies: explicit state, batches, Stable-Baselines3's evaluation."""

import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from learner_games import LEARNERS_AND_SCENARIOS, run
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.vec_env import DummyVecEnv

import strategic_env
from learners import (
    AcceptedOnlyL2,
    BestFixedClassifier,
    Learner,
    MarginPerceptron,
    Perceptron,
    StrategicPerceptronL1,
    StrategicPerceptronL2,
    Truth,
)
from learners.catalogue import build, learners_of
from learners.strategic.rules import write_published
from strategic_env.games.registration import environment_id

CASES = pytest.mark.parametrize(("learner", "scenario"), LEARNERS_AND_SCENARIOS, ids=lambda case: str(case))


@CASES
def test_stable_baselines3_evaluates_every_learner(learner: Learner[Any], scenario: str) -> None:
    envs = DummyVecEnv([lambda: gymnasium.make(environment_id(scenario), horizon=50)] * 3)
    envs.seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "Evaluation environment is not wrapped", UserWarning)
        rewards, lengths = evaluate_policy(learner, envs, n_eval_episodes=6, return_episode_rewards=True)  # type: ignore[arg-type]
    assert lengths == [50] * 6
    assert all(-50 <= reward <= 0 for reward in rewards)  # type: ignore[union-attr]


@CASES
def test_the_flat_form_is_learned_with_the_tolerance_of_float32(learner: Learner[Any], scenario: str) -> None:
    env = gymnasium.make(environment_id(scenario), observation="flat")
    observation, _ = env.reset(seed=0)
    state: Any = None
    for _ in range(300):
        action, state = learner.predict(observation, state)
        assert action.dtype == np.float32
        observation, *_ = env.step(action)
    _, record = run(learner, scenario, 300)
    mistakes = int(env.unwrapped.game.mistakes)  # type: ignore[attr-defined]
    assert abs(mistakes - sum(mistake for _, mistake in record)) <= 10


def test_float32_learners_stay_within_theorem_1() -> None:
    for seed in range(5):
        env = gymnasium.make(environment_id("KnownL2"), observation="flat", dim=10, alpha=0.5, horizon=2000)
        observation, _ = env.reset(seed=seed)
        learner, state = StrategicPerceptronL2(0.5), None
        for _ in range(2000):
            action, state = learner.predict(observation, state)
            observation, *_ = env.step(action)
        assert env.unwrapped.game.mistakes <= 100  # type: ignore[attr-defined]


def test_nothing_is_learned_without_a_label_or_a_round() -> None:
    learner = Perceptron()
    base = {"features": [1.0, 2.0], "prediction": [1.0], "label": [-1.0], "classifier": [0.0, 0.0, 0.0], "round": [1.0]}
    for change in ({"label": [0.0]}, {"round": [0.0]}, {"label": [1.0]}):
        _, state = learner.predict(base | change)
        assert (state.weights == 0).all()
    _, state = learner.predict(base)
    assert state.weights.tolist() == [[-1.0, -2.0]]


@pytest.mark.parametrize("exponent", range(-149, 150, 7))
def test_publishing_is_a_power_of_two(exponent: int) -> None:
    rng = np.random.default_rng(exponent + 200)
    for dim in (1, 2, 10, 100):
        for _ in range(20):
            weights = rng.standard_normal(dim) * 10.0**exponent
            intercept = float(rng.standard_normal() * 10.0 ** rng.integers(-20, 20) * np.linalg.norm(weights))
            out = np.empty(dim + 1)
            write_published(weights, intercept, out)
            assert np.abs(out).max() <= 1
            factor = (out[:-1] / weights)[0]
            assert np.frexp(factor)[0] == 0.5
            assert (out == np.append(weights, intercept) * factor).all()


def test_publishing_without_weights() -> None:
    out = np.empty(3)
    for weights in (np.zeros(2), np.full(2, 1e-200)):
        write_published(weights, -1e-300, out)
        assert out.tolist() == [0, 0, -1]
        write_published(weights, 3.0, out)
        assert out.tolist() == [0, 0, 0]


BASE = {"features": [1.0, 2.0], "prediction": [1.0], "label": [-1.0], "classifier": [0.0, 0.0, 0.0], "round": [1.0]}
BAD_OBSERVATIONS: list[tuple[Any, str]] = [
    (np.zeros(7), "flat observation must have shape"),
    (np.zeros((2, 2, 8)), "flat observation must have shape"),
    (np.full(8, np.nan), "classifier must be finite"),
    ({"features": [1.0, 2.0]}, "it lacks classifier, label, prediction, round"),
    (BASE | {"features": 1.0}, "features must have shape"),
    (BASE | {"features": [1.0, np.nan]}, "features must be finite"),
    (BASE | {"features": [1.0, np.inf]}, "features must be finite"),
    (BASE | {"features": ["1", "2"]}, "features must hold real numbers"),
    (BASE | {"features": [1j, 2]}, "features must hold real numbers"),
    (BASE | {"features": np.ma.masked_array([1.0, 2.0], [True, False])}, "features must hold real numbers"),
    (BASE | {"classifier": [0.0]}, "classifier must have shape"),
    (BASE | {"classifier": [0.0, np.nan, 0.0]}, "classifier must be finite"),
    (BASE | {"prediction": [1.0, 1.0]}, "prediction must have shape"),
    (BASE | {"label": [7.0]}, "label must be -1, \\+1, or 0"),
    (BASE | {"label": [0.5]}, "label must be -1, \\+1, or 0"),
    (BASE | {"label": [None]}, "label must hold real numbers"),
    (BASE | {"round": [-1.0]}, "round must be finite and at least 0"),
    (BASE | {"round": [np.nan]}, "round must be finite and at least 0"),
]


@pytest.mark.parametrize(("observation", "message"), BAD_OBSERVATIONS, ids=range(len(BAD_OBSERVATIONS)))
def test_a_bad_observation_is_one_clear_error(observation: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        Perceptron().predict(observation)


@pytest.mark.parametrize("starts", ["abc", [np.nan], 5, {}, [True, False, True]], ids=str)
def test_bad_episode_starts_are_one_clear_error(starts: Any) -> None:
    observation = np.zeros((2, 8))
    _, state = Perceptron().predict(observation)
    with pytest.raises(ValueError, match="episode_start must be 2 booleans"):
        Perceptron().predict(observation, state, episode_start=starts)


def test_a_state_that_compiled_code_would_misread_is_refused() -> None:
    observation = np.zeros((3, 2 * 16 + 4))
    learner = StrategicPerceptronL1(np.full(16, 0.3), 1.0)
    _, state = learner.predict(observation)
    strange = [
        {"weights": np.asfortranarray(np.ones((3, 16)))},
        {"weights": np.ones((3, 32))[:, ::2]},
        {"weights": np.ones((3, 16), dtype=np.float32)},
        {"weights": np.ones((3, 16), dtype=np.int64)},
        {"weights": [[0.0] * 16] * 3},
        {"alpha": np.ones((3, 1))},
        {"intercept": np.zeros(0)},
        {"fake": None},
    ]
    frozen = state.weights.copy()
    frozen.flags.writeable = False
    for change in [*strange, {"weights": frozen}]:
        with pytest.raises((ValueError, TypeError), match=f"state.{next(iter(change))} must be|state must hold"):
            learner.predict(observation, state._replace(**change))
    learner.predict(observation, state)


@pytest.mark.parametrize("cast", [np.float32, np.float64, list])
def test_float32_numbers_are_recognised_in_any_dtype(cast: Any) -> None:
    """Movers who were rounded to float32 lie on the boundary only up to float32's rounding, whatever holds them now."""
    env = gymnasium.make(
        environment_id("KnownL2"), observation="flat", dim=10, margin=0.05, alpha=0.5, pool=100, horizon=3000
    )
    observation, _ = env.reset(seed=0)
    learner, state = StrategicPerceptronL2(0.5), None
    for _ in range(3000):
        seen = [float(value) for value in observation] if cast is list else observation.astype(cast)
        action, state = learner.predict(seen, state)
        observation, *_ = env.step(action)
    assert env.unwrapped.game.mistakes <= 60  # type: ignore[attr-defined]


def test_a_state_of_other_games_is_refused() -> None:
    observation = np.zeros((3, 8))
    _, state = Perceptron().predict(observation)
    with pytest.raises(ValueError, match="state must hold 2 games"):
        Perceptron().predict(observation[:2], state)
    with pytest.raises(ValueError, match="state must hold 3 games with 3 features"):
        Perceptron().predict(np.zeros((3, 10)), state)
    for other in (StrategicPerceptronL2(0.3), AcceptedOnlyL2(0.3)):
        with pytest.raises(TypeError, match="state must be a .*State of .*, got PerceptronState"):
            other.predict(observation, state)


BAD_LEARNERS = [
    (lambda: Perceptron(learning_rate=0.0), "learning_rate must be at least 1e-40"),
    (lambda: Perceptron(bias=1), "bias must be True or False, got 1"),  # type: ignore[arg-type]
    (lambda: StrategicPerceptronL2(-0.1), "alpha must be at least 0"),
    (lambda: StrategicPerceptronL2(float("nan")), "alpha must be finite"),
    (lambda: StrategicPerceptronL1([0.1, -0.1], 1.0), "alpha must be at least 0"),
    (lambda: StrategicPerceptronL1([0.1], float("inf")), "radius must be finite"),
    (lambda: StrategicPerceptronL1([0.1], 1.0).initial_state(1, 2), "alpha has 1 coordinates"),
    (lambda: BestFixedClassifier([0.1, np.inf]), "classifier must be finite"),
    (lambda: BestFixedClassifier([0.1, 0.2]).initial_state(1, 2), "classifier must have shape \\(3,\\)"),
    (lambda: build("perceptrno", {}), "learner must be one of .*perceptron.*, got 'perceptrno'"),
    (lambda: build("perceptron", {}, eta=1), "perceptron has no parameter 'eta'; it has bias, learning_rate"),
    (lambda: build("strategic-perceptron-l1", {"alpha": 1.0}), "must be told radius; the scenario tells alpha"),
    (lambda: build("strategic-perceptron-l2", {"alpha": 1.0, "cost": "l1"}), "made for l2 costs; the scenario has l1"),
]


@pytest.mark.parametrize(("make", "message"), BAD_LEARNERS, ids=[message for _, message in BAD_LEARNERS])
def test_bad_parameters_are_one_clear_error(make: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        make()


def test_explicit_parameters_override_what_the_scenario_tells() -> None:
    learner = build("strategic-perceptron-l2", {"alpha": 0.3, "cost": "l2"}, alpha=0.1)
    assert learner.parameters == {"alpha": 0.1}
    assert learner.bound(Truth("l2", 2, 1.0, 0.1, 0.0, (0.3,), True)) is None, "Theorem 1 needs the true alpha"


def test_the_perceptron_is_bounded_only_where_nobody_can_move() -> None:
    still = Truth("l2", 2, 1.0, 0.1, 0.0, (0.0,), True)
    assert Perceptron().bound(still) == pytest.approx(100)
    assert Perceptron().bound(still._replace(alpha=(0.3,))) is None
    assert Perceptron().bound(still._replace(intercept=0.2)) is None
    assert Perceptron(bias=True).bound(still._replace(intercept=0.2)) == pytest.approx(2 * (100 + 4))
    careful = MarginPerceptron(threshold=1.0, learning_rate=0.5)  # (R^2 + 2 rho0 / eta) / rho^2
    assert careful.bound(still._replace(radius=6.0, margin=2.0)) == pytest.approx(10)
    assert careful.bound(still._replace(alpha=(0.3,))) is None


def test_every_learner_has_a_name_of_its_own_and_one_line() -> None:
    assert len(learners_of("strategic")) == 20
    for name, learner in learners_of("strategic").items():
        assert learner.name == name == name.lower()
        assert "\n" not in learner.summary


def test_the_reference_makes_no_mistake_where_a_separator_exists() -> None:
    for name in ("KnownL2", "KnownL1", "Example1", "Example1L1", "Example2"):
        results = strategic_env.evaluate(["best-fixed-classifier"], name, seeds=2, rounds=300)
        assert [run.mistakes for run in results.runs] == [0, 0]


def test_the_reference_beats_accepting_everybody_on_inseparable_data() -> None:
    results = strategic_env.evaluate(["best-fixed-classifier", "constant-classifier"], "GermanCredit", seeds=1)
    reference, constant = (run.mistakes for run in results.runs)
    assert constant == 300
    assert reference == 222  # whatever the order, everybody comes once
