"""Counts that no machine could serve, and objects of every kind instead of numbers: one line says what is wrong."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import gymnasium
import numpy as np
import pandas as pd
import pytest

import strategic_env
from agents import LabelledData, Separable, TangentAdversary, orthonormal_negatives
from agents.foundation.checks import (
    LARGEST_LENGTH,
    LARGEST_SIZE,
    count,
    finite_array,
    finite_features,
    finite_length,
    finite_number,
    finite_reaches,
    finite_rows,
    flag,
    one_of,
    shown,
    signs,
)
from learners import FeedbackGraph, MulticlassPerceptron, SecondOrderStrategicPerceptron, StrategicPerceptronL2, bounds
from learners.catalogue import learner_class
from learners.strategic.passes import sweep
from strategic_env import check_vector_env, evaluate, rollout, scenario
from strategic_env.bench.contestants import all_contestants
from strategic_env.multi_agent import env, parallel_env
from strategic_env.report import scores

SAMPLE = [[1.0, 0.0], [-1.0, 0.0]], [1, -1]
SCORES = [[0.1, 0.2], [0.3, 0.4]]


def begun(name: str) -> Any:
    made = gymnasium.make(name).unwrapped
    made.reset(seed=0)
    return made


# What takes a count, by the name that errors give it.
COUNTS: list[tuple[str, Callable[[Any], object]]] = [
    ("dim", lambda number: scenario("KnownL2", dim=number)),
    ("dim", lambda number: gymnasium.make("strategic_env/Bandit-v0", dim=number)),
    ("dim", lambda number: scenario("Bandit", population="mixture", dim=number)),
    ("dim", TangentAdversary),
    ("dim", orthonormal_negatives),
    ("pool", lambda number: scenario("KnownL1", pool=number)),
    ("classes", lambda number: scenario("Bandit", classes=number)),
    ("classes", lambda number: scenario("FeedbackGraph", population="mixture", classes=number)),
    ("classes", lambda number: LabelledData([[1.0], [2.0]], [0, 1], number)),
    ("classes", lambda number: FeedbackGraph.named("full", number)),
    ("classes", MulticlassPerceptron),
    ("horizon", lambda number: scenario("KnownL2", horizon=number)),
    ("horizon", lambda number: scenario("Spam", horizon=number)),
    ("num_envs", lambda number: gymnasium.make_vec("strategic_env/KnownL2-v0", number)),
    ("num_envs", lambda number: gymnasium.make_vec("strategic_env/Spam-v0", number)),
    ("rounds", lambda number: begun("strategic_env/KnownL2-v0").true_points(number)),
    ("rounds", lambda number: begun("strategic_env/Bandit-v0").true_points(number)),
    ("games", lambda number: rollout("perceptron", "KnownL2", number)),
    ("rounds", lambda number: rollout("perceptron", "KnownL2", rounds=number)),
    ("threads", lambda number: rollout("perceptron", "KnownL2", threads=number)),
    ("seeds", lambda number: evaluate(["perceptron"], "KnownL2", number)),
    ("rounds", lambda number: evaluate(["perceptron"], "KnownL2", 1, number)),
    ("resamples", lambda number: scores.interquartile_mean(SCORES, resamples=number)),
    ("resamples", lambda number: scores.performance_profile(SCORES, [0.1, 0.2], resamples=number)),
    ("individuals", lambda number: parallel_env(individuals=number)),
    ("max_cycles", lambda number: env(max_cycles=number)),
    ("num_envs", lambda number: check_vector_env("strategic_env/KnownL2-v0", num_envs=number)),
    ("steps", lambda number: check_vector_env("strategic_env/KnownL2-v0", steps=number)),
    ("limit", lambda number: sweep(StrategicPerceptronL2(0.3), *SAMPLE, limit=number)),
    ("samples", lambda number: bounds.generalisation(1.0, 0.1, number)),
]


@pytest.mark.parametrize(("name", "take"), COUNTS, ids=[f"{name}-{at}" for at, (name, _) in enumerate(COUNTS)])
def test_a_count_that_no_machine_could_serve_is_refused_at_once(name: str, take: Callable[[Any], object]) -> None:
    for number in (2**63, 2**64, np.uint64(2**64 - 1), 10**400):
        with pytest.raises(ValueError, match=rf"^{name} must be at most \d+, got "):
            take(number)


def test_seeds_are_those_that_every_form_of_the_game_knows() -> None:
    largest = 2**128 - 1
    assert scenario("KnownL2", population_seed=largest).setting.population_seed == largest
    for refused in (
        lambda: scenario("KnownL2", population_seed=largest + 1),
        lambda: evaluate(["perceptron"], "KnownL2", [largest + 1]),
        lambda: scores.interquartile_mean(SCORES, seed=largest + 1),
        lambda: learner_class("gappletron")(FeedbackGraph.named("full", 2), seed=10**5000),
    ):
        with pytest.raises(ValueError, match=rf"seeds? must be at most {largest}, got "):
            refused()


def test_what_does_fit_is_not_refused() -> None:
    assert Separable(LARGEST_LENGTH, margin=1e-4).dim == LARGEST_LENGTH
    assert Separable(2, pool=LARGEST_SIZE // 2).pool == LARGEST_SIZE // 2
    assert gymnasium.make_vec("strategic_env/KnownL2-v0", 100_000).num_envs == 100_000
    assert len(parallel_env(individuals=100).possible_agents) == 101


def test_a_learner_that_needs_more_memory_than_there_is_is_one_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: object, games: int, dim: int) -> None:
        raise MemoryError("Unable to allocate 8.00 TiB")

    monkeypatch.setattr(SecondOrderStrategicPerceptron, "initial_state", full)
    with pytest.raises(ValueError, match=r"needs more memory than there is for 2 features: Unable to allocate 8"):
        evaluate(["second-order-strategic-perceptron"], "KnownL2", 1, 5)
    players, skipped = all_contestants(scenario("KnownL2"))
    assert "second-order-strategic-perceptron" in skipped and "perceptron" in {one.name for one in players}


class Broken:
    """An object that cannot be printed."""

    def __repr__(self) -> str:
        raise RuntimeError


def itself() -> list[Any]:
    found: list[Any] = [1.0]
    found.append(found)
    return found


def deep() -> list[Any]:
    found: list[Any] = [1.0]
    for _ in range(3000):
        found = [found]
    return found


STRANGE: dict[str, Callable[[], object]] = {
    "ragged": lambda: [1, [2]],
    "itself": itself,
    "deep": deep,
    "broken": Broken,
    "objects": lambda: np.array([0.1, 0.2], dtype=object),
    "table of objects": lambda: np.array([[0.1, 0.2], [0.3, 0.4]], dtype=object),
    "span": lambda: np.timedelta64(3, "D"),
    "date": lambda: np.datetime64("2020"),
    "complex": lambda: np.complex64(0.3),
    "masked": lambda: np.ma.array([0.1, 0.2], mask=[0, 1]),
    "series": lambda: pd.Series(["a", "b"]),
    "table": lambda: pd.DataFrame({"a": ["x", "y"]}),
    "missing": lambda: pd.NA,
    "decimal": lambda: Decimal("0.3"),
    "bytes": lambda: b"3",
    "set": lambda: {1, 2},
    "generator": lambda: (number for number in (0.1, 0.2)),
    "mapping": lambda: {"a": 1},
    "text": lambda: "3",
    "class": lambda: int,
}
CHECKS: dict[str, Callable[[Any], object]] = {
    "number": lambda value: finite_number("it", value),
    "length": lambda value: finite_length("it", value),
    "count": lambda value: count("it", value),
    "flag": lambda value: flag("it", value),
    "one of": lambda value: one_of("it", value, ("x", "y")),
    "array": lambda value: finite_array("it", value, (None,)),
    "rows": lambda value: finite_rows("it", value),
    "features": lambda value: finite_features("it", value),
    "reaches": lambda value: finite_reaches("it", value, 2),
    "signs": lambda value: signs("it", value),
    # Where a user meets them.
    "alpha": lambda value: scenario("KnownL2", alpha=value),
    "reaches of a scenario": lambda value: scenario("KnownL1", alpha=value),
    "interval": lambda value: scenario("HeterogeneousL2", alpha=value),
    "printed": lambda value: bounds.strategic_l2(1.0, 0.1, 0.3, printed=value),
    "bound": lambda value: bounds.admits(value, 3),
    "learner": learner_class,
    "sample": lambda value: sweep(StrategicPerceptronL2(0.3), value, value),
    "player": lambda value: sweep(value, *SAMPLE),
    "cost": lambda value: sweep(StrategicPerceptronL2(0.3), *SAMPLE, value),
    "scenario": lambda value: strategic_env.scenario(value),
    "player of a rollout": lambda value: rollout(value, "KnownL2"),
    "scenario of a rollout": lambda value: rollout("perceptron", value),
    "progress": lambda value: rollout("perceptron", "KnownL2", rounds=1, progress=value),
    "player of the bench": lambda value: evaluate([value], "KnownL2", 1, 5),
    "scenario of the bench": lambda value: evaluate(["perceptron"], value, 1, 5),
    "reset": lambda value: begun("strategic_env/KnownL2-v0").reset(options=value),
}


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("kind", STRANGE)
def test_what_is_no_number_is_one_line(kind: str, check: str) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        CHECKS[check](STRANGE[kind]())
    message = str(caught.value)
    assert "\n" not in message and len(message) < 700
    assert " must " in message


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.array([0.1, 0.2], dtype=object), "it must hold real numbers, got an array of objects: astype(float) makes"),
        (
            pd.Series([0.1, 0.2], dtype=object),
            "it must hold real numbers, got an array of objects: astype(float) makes",
        ),
        (
            np.array([0.1, Decimal(1)], dtype=object),
            "it must hold real numbers, got Decimal('1') at index (1,) (object)",
        ),
        ([1, [2]], "it must be a rectangular array, got [1, [2]]"),
        (itself(), "it must be a rectangular array, got [1.0, [...]]"),
        (deep(), "it must be a rectangular array, got a list that cannot be printed"),
        ([Broken()], "it must hold real numbers, got a Broken that cannot be printed at index (0,) (object)"),
    ],
    ids=range(7),
)
def test_lists_and_arrays_of_objects_are_told_what_to_do(value: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        finite_array("it", value, (None,))
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("value", [np.array(2), np.array(0.3), np.ma.masked], ids=str)
def test_an_array_of_no_axes_is_no_list(value: Any) -> None:
    for take in (
        lambda: evaluate(value, "KnownL2", 1, 5),
        lambda: evaluate(["perceptron"], "KnownL2", value, 5),
        lambda: rollout("perceptron", "KnownL2", checkpoints=value),
    ):
        with pytest.raises(TypeError, match=r"must be (a|an integer or a) (list|sequence) of"):
            take()


def test_a_value_is_shown_in_one_line_and_text_as_it_is() -> None:
    assert shown(np.eye(2)) == "array([[1., 0.], [0., 1.]])"
    assert shown("a  b\n") == repr("a  b\n")
    assert len(shown("x" * 1000)) == 103
