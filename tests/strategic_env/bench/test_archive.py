"""Saved runs: what determines a result is its key, and what a file holds is trusted only as far as it can be."""

import importlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents import Truthful
from learners import BestFixedClassifier, Perceptron
from strategic_env import Results, Scenario, evaluate, scenario
from strategic_env.bench import archive, evaluation
from strategic_env.bench.contestants import contestant


class Constant:
    """Publishes one classifier for ever; has nothing but the method."""

    def __init__(self, *classifier: float) -> None:
        self.classifier = np.array(classifier)

    def predict(self, observation: Any, state: Any, episode_start: Any, deterministic: bool) -> tuple[Any, Any]:
        return self.classifier, state


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The labels of the runs that were played, not found."""
    labels: list[str] = []
    real = evaluation.play

    def play(one: Any, *arguments: Any) -> Any:
        labels.append(one.label)
        return real(one, *arguments)

    monkeypatch.setattr(evaluation, "play", play)
    yield labels


def run(out: Path, learner: Any = "perceptron", chosen: str | Scenario = "KnownL2", rounds: int = 30) -> list[int]:
    return evaluate([learner], chosen, seeds=2, rounds=rounds, out=out).runs[0].curve


def test_learners_and_seeds_can_be_added(tmp_path: Path, played: list[str]) -> None:
    first = evaluate(["perceptron"], "KnownL2", seeds=2, rounds=30, out=tmp_path)
    more = evaluate(["constant-classifier", "perceptron"], "KnownL2", seeds=[1, 7, 0], rounds=30, out=tmp_path)
    assert played == ["perceptron"] * 2 + ["constant-classifier"] * 3 + ["perceptron"]
    assert more.runs[3] == first.runs[1] and more.runs[5] == first.runs[0]
    assert Results.load(tmp_path).seeds == [0, 1, 7]


@pytest.mark.parametrize(
    ("other", "rounds", "message"),
    [
        (scenario("BiasedL2"), 30, 'scenario "KnownL2" instead of "BiasedL2"'),
        (scenario("KnownL2", dim=3), 30, 'options {} instead of {"dim": 3}'),
        (scenario("KnownL2"), 40, "rounds 30 instead of 40"),
        (
            replace(scenario("KnownL2"), setting=scenario("KnownL2", dim=3).setting, truth=None),
            30,
            "another population",
        ),
        (
            replace(scenario("KnownL2"), setting=replace(scenario("KnownL2").setting, individual=Truthful())),
            30,
            "individual",
        ),
    ],
    ids=["scenario", "options", "rounds", "population", "individual"],
)
def test_a_folder_holds_the_results_of_one_setting(tmp_path: Path, other: Scenario, rounds: int, message: str) -> None:
    run(tmp_path)
    before = (tmp_path / "settings.json").read_bytes()
    with pytest.raises(ValueError, match="holds results of something else") as raised:
        run(tmp_path, chosen=other, rounds=rounds)
    assert message in str(raised.value) and str(tmp_path) in str(raised.value)
    assert (tmp_path / "settings.json").read_bytes() == before


def test_the_order_of_options_does_not_matter(tmp_path: Path, played: list[str]) -> None:
    run(tmp_path, chosen=scenario("KnownL2", dim=3, margin=0.2))
    run(tmp_path, chosen=scenario("KnownL2", margin=0.2, dim=3))
    assert len(played) == 2


def test_a_key_tells_learners_apart(tmp_path: Path) -> None:
    class Other(Perceptron):
        """Has the name of another learner."""

    game = scenario("KnownL2")
    saved = archive.Archive(tmp_path, game, 30)
    learners = [
        "perceptron", Perceptron(bias=True), Other(), Constant(1.0, 0.0, 0.0), Constant(0.0, 1.0, 0.0),
        BestFixedClassifier([1.0, 0.0, 0.0]), BestFixedClassifier([0.0, 1.0, 0.0]), "best-fixed-classifier",
    ]  # fmt: skip
    keys = [saved.key(contestant(one, game)) for one in learners]
    assert None not in keys and len(set(map(str, keys))) == len(keys)
    assert saved.key(contestant(Perceptron(), game)) == keys[0]
    typed = type("Typed", (Perceptron,), {"__module__": "typed_in"})
    assert saved.key(contestant(typed(), game)) is None, "a class without a source may be anything"


def test_a_run_is_repeated_after_a_change_anywhere_in_the_project(
    tmp_path: Path, played: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run(tmp_path)
    monkeypatch.setattr(archive, "project_digest", lambda: "other sources")
    run(tmp_path)
    assert len(played) == 4


OWN = """
from agents import BestResponse
from learners import Perceptron

FACTOR = 1.0  # what a rule outside of the class may depend on

class Base:
    def predict(self, observation, state, episode_start, deterministic):
        return self.publish(observation), None

class Own(Base):
    publish = None

class Learner(Perceptron):
    pass

class Individual(BestResponse):
    pass
"""


def test_a_run_is_repeated_after_a_change_in_a_module_of_ones_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "own_module_of_this_test.py"
    source.write_text(OWN, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    own = importlib.import_module(source.stem)
    game = scenario("KnownL2")
    others = replace(game, setting=replace(game.setting, individual=own.Individual()))
    cases = [(own.Own(), game), (own.Learner(), game), ("perceptron", others)]

    def keys() -> list[dict[str, Any] | None]:
        return [
            archive.Archive(tmp_path / str(at), met, 30).key(contestant(learner, met))
            for at, (learner, met) in enumerate(cases)
        ]

    before = keys()
    source.write_text(OWN.replace("1.0", "2.0"), encoding="utf-8")
    assert all(old is not None and old != new for old, new in zip(before, keys(), strict=True))


def test_an_object_that_cannot_be_pickled_plays_anew(tmp_path: Path, played: list[str]) -> None:
    learner = Constant(1.0, 0.0, 0.0)
    learner.extra = lambda: None  # type: ignore[attr-defined]
    run(tmp_path, learner)
    run(tmp_path, learner)
    assert played == ["Constant"] * 4
    assert not (tmp_path / "runs.jsonl").read_bytes(), "without a key a run is found by nobody, or by everybody"


def test_options_and_parameters_need_not_be_json(tmp_path: Path, played: list[str]) -> None:
    game = scenario("KnownL1", alpha=np.array([0.3, 0.2]), dim=np.int64(2))
    learner = contestant("strategic-perceptron-l1", game, alpha=np.array([0.3, 0.2]))
    assert learner.label == "strategic-perceptron-l1:alpha=[0.3, 0.2]"
    evaluate([learner], game, seeds=1, rounds=10)
    evaluate([learner], game, seeds=1, rounds=10, out=tmp_path)
    kept = Results.load(tmp_path)
    assert kept.scenario.options == {"alpha": [0.3, 0.2], "dim": 2}
    assert kept.contestants[0].parameters == {"alpha": [0.3, 0.2]}
    evaluate([learner], game, seeds=1, rounds=10, out=tmp_path)
    assert len(played) == 2


def test_what_cannot_be_pickled_matters_only_where_results_are_kept(tmp_path: Path) -> None:
    class Local(Truthful):
        """Cannot be found by its name."""

    game = scenario("KnownL2")
    game = replace(game, setting=replace(game.setting, individual=Local()))
    assert evaluate(["perceptron"], game, seeds=1, rounds=10).runs[0].error is None
    with pytest.raises(ValueError, match="results can be kept only of a setting that can be pickled"):
        run(tmp_path, chosen=game)


@pytest.mark.parametrize(("kept", "again"), [(-20, 1), (1, 2)], ids=["in the second run", "after one byte"])
def test_a_torn_last_line_spoils_nothing(tmp_path: Path, played: list[str], kept: int, again: int) -> None:
    run(tmp_path)
    runs = tmp_path / "runs.jsonl"
    runs.write_bytes(runs.read_bytes()[:kept])
    run(tmp_path)
    mended = runs.read_bytes()
    run(tmp_path)
    assert len(played) == 2 + again and runs.read_bytes() == mended, "what is whole is left alone"


def test_a_run_without_a_mistake_is_found_again_in_a_folder_below_a_new_one(tmp_path: Path, played: list[str]) -> None:
    folder = tmp_path / "new" / "folder"
    for _ in range(2):
        assert run(folder, "best-fixed-classifier") == [0] * 30
    assert len(played) == 2


@pytest.mark.parametrize("line", [b"\xff\xfe{}\n", b"[" * 100_000 + b"\n", b"\x00\n", b"\n\n"], ids=repr)
def test_bytes_that_are_no_json_are_ignored(tmp_path: Path, played: list[str], line: bytes) -> None:
    first = run(tmp_path)
    runs = tmp_path / "runs.jsonl"
    runs.write_bytes(line + runs.read_bytes() + line)
    assert run(tmp_path) == first
    assert len(played) == 2
