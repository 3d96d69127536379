"""How people answer: worked numbers, what every response keeps to, and what compiled answers are beside a plain one."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents import BestResponse, BudgetLimited, L2Cost, Missing, Quantal, Truthful, WeightedL1Cost
from agents.foundation import streams
from agents.responses.individuals import CompiledIndividual, compiled_response

# Person P: how far it stands from acceptance, how far it gets, what moving costs, where it lands.
PERSON, PUBLISHED = np.array([0.2, 0.1]), np.array([0.6, 0.8, -0.5])
L2, L1 = L2Cost(0.5), WeightedL1Cost([0.6, 0.25])
KEYS = st.integers(0, 2**64 - 1).map(lambda word: np.array([word, 7], dtype=np.uint64))
NUMBERS = st.floats(-1.0, 1.0).map(lambda value: round(value, 6))


def key_with(purpose: int, low: float, high: float) -> Any:
    """Return a key whose number of round 0 lies in an interval."""
    for word in range(10_000):
        key = np.array([word, 1], dtype=np.uint64)
        if low <= streams.scalar(key, purpose, 0) <= high:
            return key
    raise AssertionError("no such key")


def report(individual: Any, cost: Any = L2, key: Any = None, round: int = 0) -> Any:
    return individual.report(PERSON, PUBLISHED, cost, np.zeros(2, np.uint64) if key is None else key, round)


@pytest.mark.parametrize(("cost", "expected"), [(L2, [0.38, 0.34]), (L1, [0.7, 0.1])])
def test_the_worked_person_best_responds(cost: Any, expected: list[float]) -> None:
    price = {L2: 0.6, L1: 0.3 / 0.36}[cost]
    for one in (BestResponse(), BudgetLimited(price + 1e-9), Quantal(0.0), Missing(0.0, 0.0)):
        assert report(one, cost) == pytest.approx(expected)
    for one in (Truthful(), BudgetLimited(price - 1e-9)):
        assert (report(one, cost) == PERSON).all()


def test_the_worked_person_moves_as_often_as_a_quantal_response_says() -> None:
    for chance, moves in ((0.9, False), (0.8, True)):  # a reach of 0.2803 and of 0.3614, and a gap of 0.3
        key = key_with(streams.REACTION, chance - 1e-3, chance + 1e-3)
        assert (report(Quantal(0.2), key=key) != PERSON).any() == moves
    key = streams.game_key(0)
    for temperature in (0.05, 0.2, 1.0):
        found = [bool((report(Quantal(temperature), key=key, round=t) != PERSON).any()) for t in range(4_000)]
        expected = 1.0 / (1.0 + math.exp(-(1.0 - 0.6) / temperature))
        assert np.mean(found) == pytest.approx(expected, abs=4.0 * math.sqrt(expected * (1.0 - expected) / 4_000))


def test_the_worked_person_misses() -> None:
    short = report(Missing(-0.1, 0.2), key=key_with(streams.LANDING, 0.25 - 1e-4, 0.25 + 1e-4))
    assert PUBLISHED @ np.append(short, 1.0) == pytest.approx(-0.025, abs=1e-4)
    assert L2.cost(PERSON, short) == pytest.approx(0.55, abs=1e-3)
    beyond = report(Missing(-0.1, 0.2), key=key_with(streams.LANDING, 0.5 - 1e-4, 0.5 + 1e-4))
    assert beyond == pytest.approx([0.41, 0.38], abs=1e-3) and L2.cost(PERSON, beyond) == pytest.approx(0.7, abs=1e-3)


@given(z=st.tuples(NUMBERS, NUMBERS), classifier=st.tuples(NUMBERS, NUMBERS, NUMBERS), key=KEYS, l1=st.booleans())
def test_responses_without_their_noise_are_best_responses_bit_for_bit(
    z: Any, classifier: Any, key: Any, l1: bool
) -> None:
    cost = WeightedL1Cost([0.3, 0.7]) if l1 else L2Cost(0.5)
    features, published = np.array(z), np.array(classifier)
    for round in (0, 5):
        plain = BestResponse().report(features, published, cost, key, round)
        for other in (BudgetLimited(1.0), Quantal(0.0), Missing(0.0, 0.0)):
            assert other.report(features, published, cost, key, round).tobytes() == plain.tobytes(), other


@given(
    z=st.tuples(NUMBERS, NUMBERS),
    classifier=st.tuples(NUMBERS, NUMBERS, NUMBERS),
    low=NUMBERS,
    high=NUMBERS,
    key=KEYS,
    l1=st.booleans(),
)
def test_nobody_who_misses_pays_too_much_or_moves_backwards(
    z: Any, classifier: Any, low: float, high: float, key: Any, l1: bool
) -> None:
    cost = WeightedL1Cost([0.3, 0.7]) if l1 else L2Cost(0.5)
    features, published = np.array(z), np.array(classifier)
    plain = BestResponse().report(features, published, cost, key, 3)
    missed = Missing(min(low, high), max(low, high)).report(features, published, cost, key, 3)
    assert cost.cost(features, missed) <= 1.0 + 1e-9
    if (plain == features).all():
        assert (missed == features).all()
    assert published[:2] @ (missed - features) >= -1e-12


def test_draws_do_not_depend_on_what_is_published() -> None:
    key, other_one = streams.game_key(1), np.array([0.6, 0.8, -0.45])
    one = [report(Missing(0.0, 0.1), key=key, round=t) @ PUBLISHED[:2] - 0.5 for t in range(8)]
    other = [Missing(0.0, 0.1).report(PERSON, other_one, L2, key, t) @ other_one[:2] - 0.45 for t in range(8)]
    assert len({round(score, 9) for score in one}) == 8
    assert one == pytest.approx(other, abs=1e-12)


def test_a_class_of_ones_own_answers_in_python_or_compiled_code_as_it_says() -> None:
    class Own(BestResponse):
        def report(self, *arguments: Any) -> Any:
            return np.zeros(2)

    class Compiled(Own):
        def response(self, *arguments: Any) -> Any:
            return Truthful().response(*arguments)

    assert [compiled_response(one) for one in (BestResponse(), Own(), Compiled(), object())] == [
        True, False, True, False,
    ]  # fmt: skip
    assert isinstance(Compiled(), CompiledIndividual)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Quantal(-0.1), "temperature must be at least 0.0, got -0.1"),
        (lambda: Quantal(math.nan), "temperature must be finite, got nan"),
        (lambda: Missing(0.2, 0.1), "low must be at most high, got low 0.2 and high 0.1"),
        (lambda: Missing(math.inf, 0.1), "low must be finite, got inf"),
    ],
)
def test_bad_parameters_are_refused(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}"):
        make()
