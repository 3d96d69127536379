"""Who answers another classifier, or is shifted: worked numbers, what is believed when, how reports are judged."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents import (
    BestResponse,
    Collective,
    FixedSequence,
    InTheDark,
    L2Cost,
    Lagged,
    Misperceiving,
    Noisy,
    WeightedL1Cost,
)
from agents.foundation import streams
from agents.responses.answers import NEVER, answer_seat
from agents.responses.individuals import Terms
from agents.responses.judging import judge
from agents.responses.vector import close_window, hear
from strategic_env import StrategicClassificationEnv

PERSON, PUBLISHED = np.array([0.2, 0.1]), np.array([0.6, 0.8, -0.5])
REACH = 0.5
KEY = streams.game_key(3)
NUMBERS = st.floats(-1.0, 1.0).map(lambda value: round(value, 6))


def played(individual: Any, *classifiers: Any, label: float = -1.0) -> Any:
    """Let the worked person come again and again; return observation and info of the last round."""
    population = FixedSequence([], [(PERSON.tolist(), label)])
    env = StrategicClassificationEnv(population, L2Cost(REACH), individual=individual)
    env.reset(seed=0)
    for classifier in classifiers:
        observation, _, _, _, info = env.step(np.array(classifier))
    return observation, info


def score(observation: Any) -> float:
    return float(PUBLISHED @ np.append(observation["features"], 1.0))


def test_who_misperceives_moves_pays_and_is_rejected() -> None:
    observation, info = played(Misperceiving(perception=[4 / 3, 0.75]), PUBLISHED)
    assert observation["features"] == pytest.approx([0.424, 0.268]) and score(observation) == pytest.approx(-0.0312)
    assert info["moved"] and info["cost"] == pytest.approx(0.56) and observation["prediction"][0] == -1.0


def test_who_is_behind_answers_what_was() -> None:
    observation, info = played(Lagged(1), [1.0, 0.0, -0.25], PUBLISHED)
    assert observation["features"] == pytest.approx([0.25, 0.1]) and score(observation) == pytest.approx(-0.27)
    assert info["moved"] and observation["prediction"][0] == -1.0
    assert played(Lagged(1), [1.0, 0.0, -0.25], PUBLISHED, PUBLISHED)[0]["features"] == pytest.approx([0.38, 0.34])


def test_who_is_in_the_dark_answers_what_separates_the_means() -> None:
    response = InTheDark(5).response(Terms(2, 1.0, REACH), 1, 4)
    response.heard[0] = [[0.4, 0.0, 2.0], [0.8, 0.4, 1.0]]
    report = np.empty(2)
    budget = np.array([REACH])
    found = answer_seat(response, 1, 5, 2, PUBLISHED, PERSON, budget, 0.0, report)
    assert response.belief[0] == pytest.approx([0.6, 0.4, -0.38])
    assert report == pytest.approx([0.4538, 0.2692], abs=1e-4) and found.moved and not found.accepted
    assert PUBLISHED @ np.append(report, 1.0) == pytest.approx(-0.0123, abs=1e-4)


def test_noise_may_shift_to_acceptance() -> None:
    response = Noisy(0.05).response(Terms(2, 1.0, REACH + 0.05), 1, 4)
    response.draws[0, 0] = 0.2, 0.9
    report = np.empty(2)
    found = answer_seat(response, 0, 0, 2, PUBLISHED, PERSON, np.array([REACH]), 0.0, report)
    assert report == pytest.approx([0.35, 0.38]) and found.accepted
    assert PUBLISHED @ np.append(report, 1.0) == pytest.approx(0.014)
    assert np.isnan(found.step) and found.cost == pytest.approx(np.hypot(0.15, 0.28) / REACH)


def test_a_collective_shifts_whatever_is_published() -> None:
    observation, info = played(Collective(1.0, [0.0, 0.3]), PUBLISHED)
    assert observation["features"] == pytest.approx([0.2, 0.4]) and score(observation) == pytest.approx(-0.06)
    assert info["moved"] and info["cost"] == pytest.approx(0.6) and observation["prediction"][0] == -1.0
    for label, expected in ((-1.0, [0.38, 0.34]), (1.0, [0.2, 0.4])):
        observation, _ = played(Collective(1.0, [0.0, 0.3], "qualified"), PUBLISHED, label=label)
        assert observation["features"] == pytest.approx(expected)


@pytest.mark.parametrize(
    "individual",
    [
        Misperceiving([1.0, 1.0]),
        Misperceiving(misperception=0.0),
        Noisy(0.0),
        Lagged(0),
        Lagged(9),
        Collective(0.0, [1, 0]),
    ],
    ids=repr,
)
@given(z=st.tuples(NUMBERS, NUMBERS), classifier=st.tuples(NUMBERS, NUMBERS, NUMBERS), l1=st.booleans())
def test_responses_without_their_error_are_best_responses_bit_for_bit(
    individual: Any, z: Any, classifier: Any, l1: bool
) -> None:
    cost = WeightedL1Cost([0.3, 0.7]) if l1 else L2Cost(0.5)
    features, published = np.array(z), np.array(classifier)
    expected = BestResponse().report(features, published, cost, KEY, 2)
    assert individual.report(features, published, cost, KEY, 2).tobytes() == expected.tobytes()


@given(lag=st.integers(0, 6), steps=st.lists(st.tuples(st.integers(1, 4), st.integers(0, 3)), max_size=40))
def test_the_classifier_of_some_rounds_ago_is_believed_in(lag: int, steps: list[tuple[int, int]]) -> None:
    """Whenever it is asked for: every round, or only when something may have changed."""
    published = [0.0]
    for rounds, value in steps:
        published += [published[-1]] * (rounds - 1) + [float(value)]
    heard, times, belief = np.zeros((lag + 2, 1)), np.zeros(lag + 4, np.int64), np.zeros(1)
    skipping, now, due, seen = (np.zeros((lag + 2, 1)), np.zeros(lag + 4, np.int64)), np.zeros(1), 0, -1.0
    for t, value in enumerate(published):
        hear(heard, times, lag, t, np.array([value]), belief)
        assert belief[0] == published[max(0, t - lag)]
        if value != seen or t >= due:
            due, seen = hear(*skipping, lag, t, np.array([value]), now), value
        assert now[0] == belief[0] and due > t
    assert hear(heard, times, lag, len(published) + lag, np.array([published[-1]]), belief) == NEVER


def test_a_window_without_both_sides_leaves_everybody_truthful() -> None:
    belief, times = np.ones(3), np.zeros(4, np.int64)
    for sums in ([[0.0, 0.0, 0.0], [1.0, 1.0, 2.0]], [[1.0, 0.0, 1.0], [2.0, 0.0, 2.0]]):
        kept = np.array(sums)
        assert close_window(kept, times, 4, 0, belief) == 4 and (belief == 0.0).all() and (kept == 0.0).all()
        kept[:] = sums
        assert close_window(kept, times, 4, 3, belief) == 4 and (kept == sums).all()
        assert close_window(kept, times, 4, 4, belief) == 8 and (belief == 0.0).all()


@pytest.mark.parametrize("cost", [L2Cost(0.5), WeightedL1Cost([0.5, 0.3])], ids=repr)
def test_who_moves_for_another_classifier_is_judged_by_the_report(cost: Any) -> None:
    """Also where both are the same up to rounding."""
    rng, budgets, report = np.random.default_rng(0), cost.budgets(2)[0], np.empty(2)
    terms, moved, near = Terms(2, 1.5, 0.5), 0, 0
    for k in range(3000):
        errors = rng.standard_normal(2) * 10.0 ** rng.uniform(-17, 0)
        response = Misperceiving(1.0 + errors).response(terms, 1, 4)
        features, published = rng.uniform(-1, 1, 2), np.append(rng.standard_normal(2), 0.0)
        published[2] = -published[:2] @ features - rng.uniform(0.0, 0.3)
        found = answer_seat(response, 0, 0, cost.norm, published, features, budgets, 0.0, report)
        assert found.accepted == judge(published, features, report, 0.5), k
        assert found.cost == pytest.approx(cost.cost(features, report), rel=1e-6)
        moved += found.moved
        near += bool(found.moved) and abs(published @ np.append(report, 1.0)) < 1e-12
    assert moved > 1000 and near > 100


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Misperceiving(), "one of perception and misperception must be given, got perception=None and"),
        (lambda: Misperceiving([1.0], 0.1), "one of perception and misperception must be given"),
        (lambda: Misperceiving([np.nan]), "perception must be finite"),
        (lambda: Misperceiving(misperception=-1.0), "misperception must be at least 0.0, got -1.0"),
        (lambda: Misperceiving([1.0]).response(Terms(2, 1.0, 1.0), 1, 4), "perception must hold 2 numbers"),
        (lambda: Lagged(-1), "lag must be at least 0, got -1"),
        (lambda: InTheDark(0), "window must be at least 1, got 0"),
        (lambda: Collective(1.1, [0.0]), "share must be at most 1.0, got 1.1"),
        (lambda: Collective(0.5, [0.0], "some"), "members must be one of 'all', 'qualified', got 'some'"),
        (lambda: Collective(0.5, [0.0]).response(Terms(2, 1.0, 1.0), 1, 4), "signal must hold 2 numbers"),
    ],
)
def test_bad_parameters_are_refused(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}"):
        make()


@pytest.mark.parametrize("make", [lambda: Lagged(1.5), lambda: InTheDark(0.5)])  # type: ignore[arg-type]
def test_rounds_are_whole(make: Any) -> None:
    with pytest.raises(TypeError, match="must be an integer|whole"):
        make()
