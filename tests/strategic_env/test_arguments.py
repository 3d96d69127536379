"""Arguments of every kind where others are expected: one line names the argument, before any work."""

import math
import os
from collections.abc import Callable
from itertools import count, repeat
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

from agents import L2Cost, Separable
from agents.foundation.tables import csv_table
from learners import Certificate, MulticlassPerceptron, Perceptron, StrategicPerceptronL2, Truth
from learners.policy import Policy
from strategic_env import MulticlassScenario, Results, Scenario, Setting, evaluate, report, rollout, scenario
from strategic_env.bench.arguments import parse_learner, parse_settings
from strategic_env.multi_agent import SeatEnv, env, parallel_env
from strategic_env.report import comparison
from strategic_env.report.curves import plot

ENDLESS: list[tuple[str, Callable[[], object]]] = [
    ("seeds must hold at most 1,048,576", lambda: evaluate(["perceptron"], "KnownL2", range(2**62))),
    ("seeds must hold at most 1,048,576", lambda: evaluate(["perceptron"], "KnownL2", range(2**70))),
    ("seeds must hold at most 1,048,576", lambda: evaluate(["perceptron"], "KnownL2", count())),  # type: ignore[arg-type]
    ("learners must hold at most 1,048,576", lambda: evaluate(repeat("perceptron"), "KnownL2", 1, 2)),
    ("checkpoints must hold at most 6", lambda: rollout("perceptron", "KnownL2", 1, 5, checkpoints=range(1, 2**62))),
    ("checkpoints must hold at most 6", lambda: rollout("perceptron", "KnownL2", 1, 5, checkpoints=count(1))),  # type: ignore[arg-type]
    (
        "classifier must hold at most 134,217,728",
        lambda: StrategicPerceptronL2.from_knowledge({"alpha": 1.0}) and _array(),
    ),
    ("seed must hold one seed for each of 2 games", lambda: _vector().reset(seed=range(2**70))),
]


def _array() -> object:
    from agents.foundation.checks import finite_array

    return finite_array("classifier", range(2**62), (None,))


def _vector() -> Any:
    return scenario("KnownL2").make_vec(2)


@pytest.mark.parametrize(("message", "work"), ENDLESS, ids=range(len(ENDLESS)))
def test_a_sequence_is_measured_before_it_is_walked(message: str, work: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=message):
        work()


@pytest.mark.parametrize(
    ("checkpoints", "problem"),
    [
        (3, "checkpoints must be a sequence of integers, got 3"),
        ([0, 2], "checkpoints must be at least 1, got 0"),
        ([2, 6], "checkpoints must be at most 5, got 6"),
        ([2, 2], r"checkpoints must increase, got \[2, 2\]"),
        ([3, 2, 5], r"checkpoints must increase, got \[3, 2, 5\]"),
        ([1.5], "checkpoints must be an integer"),
    ],
)
def test_checkpoints_increase_within_the_rounds(checkpoints: Any, problem: str) -> None:
    with pytest.raises((TypeError, ValueError), match=problem):
        rollout("perceptron", "KnownL2", 1, 5, checkpoints=checkpoints)


def test_the_first_and_the_last_round_are_checkpoints() -> None:
    assert rollout("perceptron", "KnownL2", 2, 5, checkpoints=[1, 2, 5]).curves.shape == (2, 3)


def test_progress_must_be_a_function_before_anything_is_played(tmp_path: Path) -> None:
    for play in (
        lambda: evaluate(["perceptron"], "KnownL2", 1, 5, out=tmp_path / "out", progress=3),  # type: ignore[arg-type]
        lambda: rollout("perceptron", "KnownL2", 1, 5, progress=3),  # type: ignore[arg-type]
    ):
        with pytest.raises(TypeError, match=r"^progress must be a function of the .*, got 3$"):
            play()
    assert not list(tmp_path.iterdir())


def test_more_threads_than_any_machine_has_cores_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^threads must be at most 1024, got 1025$"):
        rollout("perceptron", "KnownL2", 2000, 1, threads=1025)


@pytest.mark.parametrize("name", ["\ud800", "a\0"])
def test_what_no_file_can_be_called_is_refused_before_any_work(name: str, tmp_path: Path) -> None:
    place = f"{tmp_path}/{name}"
    results = evaluate(["perceptron"], "KnownL2", 1, 2)
    for name_of, work in (
        ("folder", lambda: Results.load(place)),
        ("folder", lambda: report.save(results, place)),
        ("out", lambda: evaluate(["perceptron"], "KnownL2", 1, 2, out=place)),
        ("path", lambda: plot(results, f"{place}.png")),
    ):
        with pytest.raises(ValueError, match=rf"^{name_of} must be .*, got "):
            work()
    assert not list(tmp_path.iterdir())


def test_only_a_comparison_is_shown() -> None:
    with pytest.raises(TypeError, match=r"^comparison must be what compare returns, got 3$"):
        comparison.show(3)  # type: ignore[arg-type]


@pytest.mark.parametrize("plain", [dict, MappingProxyType])
@pytest.mark.parametrize("learner", [Perceptron(), MulticlassPerceptron(classes=3)], ids=["strategic", "multiclass"])
def test_more_features_than_memory_holds_are_refused_before_they_are_copied(learner: Any, plain: Any) -> None:
    def zeros(columns: int) -> Any:
        return np.broadcast_to(0.0, (2**40, columns))

    entries = {"features": 2, "classifier": 3, "feedback": 3, "action": 1, "prediction": 1, "label": 1, "round": 1}
    with pytest.raises(ValueError, match=r"^features must hold at most 134,217,728 numbers, got shape \(10995"):
        learner.predict(plain({key: zeros(columns) for key, columns in entries.items()}))


def test_states_of_many_games_that_need_more_memory_than_there_is_are_one_clear_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begin = Perceptron.initial_state

    def full(self: Perceptron, games: int, dim: int) -> Any:
        if games > 1:
            raise MemoryError("Unable to allocate")
        return begin(self, games, dim)

    monkeypatch.setattr(Perceptron, "initial_state", full)
    with pytest.raises(
        ValueError, match=r"Perceptron.* needs more memory than there is for 20 games of 3 features: Una"
    ):
        rollout("perceptron", scenario("KnownL2", dim=3), games=20, rounds=2)


@pytest.mark.parametrize(
    "make",
    [
        lambda: scenario("KnownL2").make(),
        lambda: scenario("Bandit").make(),
        lambda: scenario("KnownL2").make_vec(2),
        lambda: env("KnownL2"),
        lambda: parallel_env("KnownL2"),
        lambda: SeatEnv(env("KnownL2"), "individual_0", {"learner_0": Perceptron()}),
    ],
)
@pytest.mark.parametrize("seed", [True, np.True_, 2**200, -1, np.int64(-1), "a", 1.0])
def test_every_form_of_a_game_checks_seeds_alike(make: Callable[[], Any], seed: object) -> None:
    made = make()
    with pytest.raises((TypeError, ValueError), match=r"^seed must be (an integer|at least 0|at most \d+), got "):
        made.reset(seed=seed)
    made.reset(seed=2**128 - 1)
    made.reset(seed=np.int64(3))


SETTING = Setting(population=Separable(2), cost=L2Cost(0.5))


@pytest.mark.parametrize(
    ("changes", "kind", "message"),
    [
        ({"name": ""}, ValueError, "name must be one line of text"),
        ({"name": " "}, ValueError, "name must be one line of text"),
        ({"name": "a\nb"}, ValueError, r"name must be one line of text that can be printed, got 'a\\nb'"),
        ({"name": None}, TypeError, "name must be a text, got None"),
        ({"setting": None}, TypeError, "setting must be a Setting, got None"),
        ({"knowledge": None}, TypeError, "knowledge must be a dict with names as keys, got None"),
        ({"knowledge": {1: 2}}, TypeError, "knowledge must be a dict with names as keys"),
        ({"options": None}, TypeError, "options must be a dict with names as keys, got None"),
        ({"options": {"x": math.nan}}, ValueError, r"options\['x'\] must be finite, got nan"),
        ({"options": {"x": [1.0, (math.inf,)]}}, ValueError, r"options\['x'\] must be finite"),
        ({"options": {"x": np.array([np.nan])}}, ValueError, r"options\['x'\] must be finite"),
    ],
)
def test_a_scenario_of_ones_own_can_be_shown_and_saved(
    changes: dict[str, Any], kind: type[Exception], message: str
) -> None:
    parts = {"name": "a", "setting": SETTING, "horizon": 10, "knowledge": {}, "truth": None, "options": {"x": [1, "y"]}}
    assert Scenario(**parts).name == "a"  # type: ignore[arg-type]
    with pytest.raises(kind, match=message):
        Scenario(**parts | changes)
    multiclass = scenario("Bandit")
    parts |= {"setting": multiclass.setting} | changes
    del parts["truth"]
    with pytest.raises(kind, match=message.replace("a Setting", "a MulticlassSetting")):
        MulticlassScenario(**parts)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "work",
    [
        report.show,
        report.to_json,
        lambda results: report.save(results, "d"),
        lambda results: report.write_curves(results, "c.csv"),
        lambda results: report.write_summary(results, "s.csv"),
        lambda results: plot(results, "z.png"),
    ],
)
def test_what_is_no_results_is_refused_before_anything_is_written(
    work: Callable[[Any], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for wrong in (None, [evaluate(["perceptron"], "KnownL2", 1, 2)], "results"):
        with pytest.raises(TypeError, match=r"^results must be what evaluate or Results.load returns, got "):
            work(wrong)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("learner", [None, "perceptron", Perceptron])
def test_a_certificate_watches_a_learner(learner: Any) -> None:
    truth = Truth("l2", dim=1, radius=2.0, margin=1.0, intercept=0.0, alpha=(0.5,), nonnegative=False)
    with pytest.raises(TypeError, match="^learner must be one whose proof is known, got "):
        Certificate(learner, [1.0, 0.0], truth)


ITSELF: list[Any] = []
ITSELF.append(ITSELF)
NOTHING = {"features": [0.0, 0.0], "prediction": [0.0], "label": [0.0], "classifier": [0.0] * 3, "round": [0.0]}
FIRST = {"features": [0.0, 0.0], "feedback": [-1.0] * 3, "action": [-1.0], "round": [0.0]}


def _learners() -> list[tuple[Policy[Any], dict[str, Any]]]:
    graph = scenario("Bandit", classes=3, population="mixture", dim=2)
    multiclass = next(one.learner for one in evaluate(["banditron"], graph, 1, 1).contestants)
    assert isinstance(multiclass, Policy)
    return [(StrategicPerceptronL2(0.5), NOTHING), (multiclass, FIRST)]


@pytest.mark.filterwarnings("error")
def test_an_entry_that_is_no_array_of_numbers_is_named() -> None:
    for learner, observation in _learners():
        for key in observation:
            for wrong in ([[1.0], [1.0, 2.0]], ITSELF):
                with pytest.raises(ValueError, match=f"^{key} must be a rectangular array, got "):
                    learner.predict(observation | {key: wrong})
            huge = np.full(np.shape(observation[key]), np.longdouble("1e4000"))
            with pytest.raises(ValueError, match=f"^{key} must be "):
                learner.predict(observation | {key: huge})


def test_episode_starts_are_checked_with_a_state_and_without() -> None:
    for learner, observation in _learners():
        _, state = learner.predict(observation)
        for current in (None, state):
            for wrong in ([[True], [True, False]], ITSELF, "x", 1, [True, False], [1.0]):
                with pytest.raises(ValueError, match="^episode_start must be 1 booleans, got "):
                    learner.predict(observation, current, wrong)
            for right in (None, True, [False], np.array([True])):
                learner.predict(observation, current, right)


def test_a_state_of_a_subclass_is_refused_before_compiled_code_sees_it() -> None:
    for learner, observation in _learners():
        _, state = learner.predict(observation)
        mine = type("Mine", (type(state),), {})(*state)
        with pytest.raises(TypeError, match=r"^state must be a \w+ of [\w-]+, got Mine$"):
            learner.predict(observation, mine)


def test_a_learner_without_the_parameters_that_a_colon_announces_is_refused() -> None:
    with pytest.raises(ValueError, match=r"a learner must read NAME or NAME:KEY=VALUE,..., got 'perceptron:'"):
        parse_learner("perceptron:")
    with pytest.raises(ValueError, match="a learner must read NAME"):
        evaluate(["perceptron:"], "KnownL2", 1, 2)


def test_a_key_that_a_locale_of_ascii_escapes_is_read_as_typed() -> None:
    assert parse_settings(["ä=1".encode().decode("ascii", "surrogateescape")]) == {"ä": 1}


@pytest.mark.parametrize("answer", [None, 1, (1,), [np.zeros(3), None]])
def test_a_learner_must_return_an_action_and_a_state(answer: object) -> None:
    class Silent:
        def predict(self, *arguments: object) -> object:
            return answer

    (run,) = evaluate({"silent": Silent()}, "KnownL2", 1, 2).runs  # type: ignore[dict-item]
    assert run.error is not None
    assert run.error.startswith("TypeError: predict must return (action, state), got ")


@pytest.mark.parametrize("part", ["population", "cost", "individual"])
def test_an_error_is_one_line_whatever_was_given(part: str) -> None:
    parts: dict[str, Any] = {"population": Separable(2), "cost": L2Cost(0.1), part: np.zeros((50, 50))}
    with pytest.raises(TypeError, match=rf"^{part} must .*, got array\(\[\[0.*\.\.\.$"):
        Setting(**parts)


def test_an_array_of_a_state_that_is_of_another_kind_is_told_by_its_dtype() -> None:
    learner = StrategicPerceptronL2(0.3)
    state = learner.initial_state(9, 9)
    with pytest.raises(TypeError, match=r"^state.weights must be an array of float64, got ndarray of >f8$"):
        learner.check_state(state._replace(weights=state.weights.astype(">f8")), 9, 9)
    with pytest.raises(TypeError, match=r"^state.alpha must be an array of float64, got None$"):
        learner.check_state(state._replace(alpha=None), 9, 9)  # type: ignore[arg-type]


def test_a_pipe_in_place_of_a_table_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(OSError, match=r"pipe.csv must be a CSV file, got a pipe, socket or device$"):
        csv_table(str(tmp_path / "pipe.csv"))
