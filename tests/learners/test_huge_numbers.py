"""Finite but huge numbers, and damaged states: what a learner publishes is in the action box, or it refuses."""

import copy
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from seen_rounds import CLASSES, GAMES, NAMES, built, seen

from agents import L2Cost
from agents.foundation.checks import LARGEST_REPORT
from learners import Certificate, StrategicPerceptronL2
from learners.policy import Policy
from learners.strategic.base import Truth
from strategic_env import StrategicClassificationEnv, scenario
from strategic_env.multi_agent import GreedyNature, UniformNature

SIZES = (1e99, 1e100, 1e101, 1e154, 1e308, 1e-320)
DAMAGE = (1e101, 1e154, 1e308, -1e308, 1e-320, math.nan, math.inf, -math.inf)


def is_playable(learner: Policy[Any], action: Any) -> bool:
    """Whether an action is one that the environment accepts."""
    if learner.game == "strategic":
        return bool((np.abs(action) <= 1.0).all())
    return bool((np.asarray(action) >= 0).all() and (np.asarray(action) <= CLASSES).all())


@pytest.mark.parametrize("games", [None, GAMES])
@pytest.mark.parametrize("name", NAMES)
def test_features_are_played_or_refused(name: str, games: int | None) -> None:
    learner = built(name)
    for size in SIZES:
        draws, action, state = np.random.default_rng(0), None, None
        for round in range(8):
            observation = seen(learner, draws, action, games, round, size)
            if size > LARGEST_REPORT and observation["features"].any():
                with pytest.raises(
                    ValueError, match=r"^features must be finite and at most 3e\+100 in size, got [^\n]*$"
                ):
                    learner.predict(observation, state)
                break
            action, state = learner.predict(observation, state)
            assert is_playable(learner, action)
        assert (round == 7) is (size <= LARGEST_REPORT)


def damaged(state: Any) -> Iterator[tuple[str, Any]]:
    """Yield copies of a state with damage in the second game: in one number, or in a whole field."""
    for place, field in enumerate(state):
        if field.dtype.kind == "f" and field.size:
            for number in DAMAGE:
                for where in ((1, *[0] * (field.ndim - 1)), 1):
                    other = copy.deepcopy(state)
                    other[place][where] = number
                    yield f"{state._fields[place]}[{where}] = {number}", other


@pytest.mark.parametrize("rounds", [1, 8])
@pytest.mark.parametrize("name", NAMES)
def test_a_damaged_state_leads_to_an_error_or_to_what_can_be_played(name: str, rounds: int) -> None:
    learner = built(name)
    draws, action, state = np.random.default_rng(1), None, None
    for round in range(rounds):
        action, state = learner.predict(seen(learner, draws, action, GAMES, round), state)
    refused = set()
    for what, other in damaged(state):
        last, later = action, np.random.default_rng(2)
        try:
            for round in range(rounds, rounds + 4):
                last, other = learner.predict(seen(learner, later, last, GAMES, round), other)
                assert is_playable(learner, last), what
        except ValueError as error:
            assert str(error) in (
                f"state is damaged: what {name} makes of it in game 1 is NaN, infinite or out of range",
                f"state is damaged: {name} would divide by 0",
            ), what
            refused.add(what)
    assert refused or name in ("constant-classifier",)


@pytest.mark.parametrize("games", [None, GAMES])
@pytest.mark.parametrize("name", [name for name in NAMES if name != "constant-classifier"])
def test_weights_that_are_no_numbers_are_refused_at_once(name: str, games: int | None) -> None:
    learner = built(name)
    draws, action, state = np.random.default_rng(3), None, None
    for round in range(12):
        action, state = learner.predict(seen(learner, draws, action, games, round), state)
    observation = seen(learner, draws, None, games, 0)
    observation["features"][...] = 1e10
    for number in (math.nan, math.inf, 1e308):
        other: Any = copy.deepcopy(state)
        other.weights[...] = number
        with pytest.raises(ValueError, match=r"^state is damaged: [^\n]* in game 0 is NaN, infinite or out of range$"):
            learner.predict(observation, other)


BASE = {"features": [1.0, 2.0], "prediction": [1.0], "label": [-1.0], "classifier": [0.6, 0.8, 0.0], "round": [1.0]}


@pytest.mark.parametrize("exponent", [-1060, -600, -500, -100])
def test_a_tiny_classifier_pulls_as_any_multiple_of_it(exponent: int) -> None:
    learner = StrategicPerceptronL2(0.5)
    classifier = np.array([0.75, 0.25, -1.0])
    states = []
    for scale in (0, exponent):
        observation = BASE | {"features": [1.0, 1.0], "classifier": np.ldexp(classifier, scale)}
        states.append(learner.predict(observation)[1])
    assert (states[1].weights == states[0].weights).all()
    assert np.isfinite(states[0].weights).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"classifier": [1e101, 0.0, 0.0]}, r"^classifier must be finite and at most 1e\+100 in size, got \[1e\+101"),
        (
            {"round": [1e17]},
            r"^round must be finite and at least 0, and at most 9,007,199,254,740,992, got \[1e\+17\]$",
        ),
        ({"features": [0.0, -1e101]}, r"^features must be finite and at most 3e\+100 in size, got \[0.0, -1e\+101\]$"),
    ],
)
def test_every_number_of_an_observation_has_a_range(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        StrategicPerceptronL2(0.5).predict(BASE | change)


def test_what_is_wrong_with_a_thousand_games_is_said_in_one_short_line() -> None:
    with pytest.raises(ValueError, match="features must be finite") as error:
        StrategicPerceptronL2(0.5).predict(np.full((1000, 8), [0.0] * 3 + [1e200] * 2 + [1.0, 1.0, 1.0]))
    assert len(str(error.value)) < 200


def test_the_largest_reports_of_the_game_are_read() -> None:
    game = scenario("KnownL2", radius=1e100, margin=1e98, alpha=1e100, horizon=200)
    learner, env, state = StrategicPerceptronL2(1e100), game.make(), None
    observation, _ = env.reset(seed=0)
    largest = 0.0
    for _ in range(200):
        action, state = learner.predict(observation, state)
        observation, *_ = env.step(action)
        largest = max(largest, np.abs(observation["features"]).max())
    assert largest > 1e100


class Liar:
    """An individual who reports what no float can square."""

    slack = 0.0

    def report(self, true_features: Any, classifier: Any, cost: Any, key: Any, round: int) -> Any:
        return np.full_like(true_features, 1e200)


def test_readers_of_reports_outside_the_learners_refuse_them_too() -> None:
    too_large = r"must be at most (1|3)e\+100 in size, got 1e\+200 at index"
    with pytest.raises(ValueError, match=f"the individual's report {too_large}"):
        env = StrategicClassificationEnv(scenario("KnownL2").setting.population, L2Cost(0.3), individual=Liar())
        env.reset(seed=0)
        env.step(np.zeros(3))
    learner = StrategicPerceptronL2(0.3)
    certificate = Certificate(learner, [1.0, 0.0, 0.0], Truth("l2", 2, 1.0, 0.1, 0.0, (0.3,), True))
    _, state = learner.predict(BASE)
    with pytest.raises(ValueError, match="features must be finite and at most 3e"):
        certificate.check(BASE | {"features": [1e200, 0.0]}, [0.0, 0.0], state)
    with pytest.raises(ValueError, match=f"true_features {too_large}"):
        certificate.check(BASE, [1e200, 0.0], state)
    pool = {"features": np.full((1, 2), 1e200), "budgets": [[0.3]], "labels": [1.0], "classifier": [1.0, 0.0, 0.0]}
    with pytest.raises(ValueError, match=f"features {too_large}"):
        GreedyNature().predict(pool)
    with pytest.raises(ValueError, match="round must be at most"):
        UniformNature().predict({"labels": [1.0], "round": [1e300]})
