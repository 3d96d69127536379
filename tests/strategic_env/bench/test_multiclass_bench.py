"""The bench on multiclass scenarios: who takes part, what is counted, saved and shown."""

import csv
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from agents import Prototypes
from learners import FeedbackGraph, Perceptron
from learners.catalogue import learners_of
from learners.multiclass.gappletron import Gappletron
from strategic_env import MulticlassScenario, MulticlassSetting, Results, evaluate, report, rollout, scenario
from strategic_env.bench import evaluation
from strategic_env.bench.contestants import all_contestants, contestant, unsuited, with_reference
from strategic_env.games import scenarios
from strategic_env.games.multiclass.description import MULTICLASS
from strategic_env.games.strategic.description import STRATEGIC
from strategic_env.report import curves as plotting
from strategic_env.report.summary import rows, shortened

SMALL: dict[str, Any] = {"dim": 40, "classes": 4}
LEARNED = ["gappletron", "banditron"]


@pytest.fixture(scope="module")
def results() -> Results:
    return evaluate(LEARNED, scenario("Bandit", **SMALL), seeds=2, rounds=300)


def table(results: Results) -> str:
    console = Console(file=StringIO(), width=110)
    report.show(results, console)
    return console.file.getvalue()  # type: ignore[attr-defined]


def test_error_rates_are_shown_and_nothing_of_manipulation(results: Results) -> None:
    for row, one in zip(rows(results), results.contestants, strict=True):
        mistakes = [run.mistakes for run in results.of(one)]
        assert 0 < min(mistakes) and max(mistakes) < 300
        assert row.columns == {"error_rate": pytest.approx(sum(mistakes) / 600)}
        assert (row.mistakes_mean, row.regret, row.bound, row.failed) == (sum(mistakes) / 2, None, None, 0)
    text = table(results)
    assert "rate" in text and "error rate: share of rounds that were mistakes." in text
    assert "the bench has no best fixed classifier for this game" in text
    assert not any(word in text for word in ("moved", "paid", "reference:", "bound used"))
    assert "played: in compiled code" in text


def test_json_and_files_say_the_same(results: Results, tmp_path: Path) -> None:
    shown = json.loads(json.dumps(report.to_json(results), allow_nan=False))
    assert (shown["scenario"], shown["options"], shown["rounds"]) == ("Bandit", SMALL, 300)
    first = shown["results"][0]
    assert "manipulations" not in first
    assert first["mistakes"] == [run.mistakes for run in results.of(results.contestants[0])] == first["loss"]
    report.save(results, tmp_path)
    lines = list(csv.DictReader((tmp_path / "summary.csv").read_text(encoding="utf-8").splitlines()))
    assert [float(line["error_rate"]) for line in lines] == [row.columns["error_rate"] for row in rows(results)]
    assert all("manipulators" not in line for line in lines)


@pytest.mark.parametrize("name", MULTICLASS)
def test_every_multiclass_learner_that_is_told_enough_takes_part(name: str) -> None:
    one = scenario(name)
    chosen, skipped = all_contestants(one)
    assert {other.name for other in chosen} | set(skipped) == set(learners_of("multiclass"))
    names = {other.name for other in chosen}
    assert "gappletron" in names and ("arow" in names) is (name == "FullInformation"), "AROW needs every label"
    assert with_reference(chosen, one) == chosen, "there is no reference"
    looks = plotting.looks_of(chosen)
    assert len(set(looks.values())) == len(chosen)


@pytest.mark.parametrize("name", ["KnownL2", "GermanCredit"])
def test_strategic_scenarios_meet_strategic_learners_only(name: str) -> None:
    chosen, skipped = all_contestants(scenario(name))
    assert {other.name for other in chosen} | set(skipped) == set(learners_of("strategic"))


def test_learners_of_another_game_are_refused() -> None:
    bandit, known = scenario("Bandit", **SMALL), scenario("KnownL2")
    gappletron = Gappletron(FeedbackGraph.named("bandit", 4))
    for learner, game in (("perceptron", bandit), (Perceptron(), bandit), ("gappletron", known), (gappletron, known)):
        for refuse in (contestant, rollout, lambda one, where: evaluate([one], where)):
            with pytest.raises(ValueError, match="is a learner of .* classification; .* is of .* classification"):
                refuse(learner, game)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="best-fixed-classifier is a learner of strategic classification"):
        contestant("best-fixed-classifier", bandit)


def test_learners_of_other_classes_or_actions_are_refused() -> None:
    for graph, message in (
        (FeedbackGraph.named("bandit", 5), "must be made for the 4 classes of Bandit"),
        (FeedbackGraph.named("label_efficient", 4), "must play one of 4 actions of Bandit"),
    ):
        with pytest.raises(ValueError, match=message):
            contestant(Gappletron(graph), scenario("Bandit", **SMALL))


class Looped(Gappletron):
    """The same learner, as one that has no compiled rules."""

    name = "looped"

    def predict(self, *arguments: Any, **options: Any) -> Any:
        return super().predict(*arguments, **options)


def test_a_loop_over_the_environment_counts_the_same() -> None:
    one = scenario("LabelEfficient", **SMALL, noise=0.1)
    learners = [kind.from_knowledge(one.lasting(120).knowledge) for kind in (Gappletron, Looped)]
    fused, looped = evaluate(learners, one, seeds=[4], rounds=120).runs
    assert (fused.fused, looped.fused) == (True, False) and fused.error is looped.error is None
    assert (fused.mistakes, fused.loss, fused.curve) == (looped.mistakes, looped.loss, looped.curve)
    assert fused.columns == looped.columns == {}


@pytest.mark.parametrize(("observation", "policy"), [("flat", "MlpPolicy"), ("dict", "MultiInputPolicy")])
def test_policies_of_stable_baselines_can_take_part(observation: str, policy: str) -> None:
    stable_baselines3 = pytest.importorskip("stable_baselines3")
    one = scenario("Bandit", **SMALL)
    model = stable_baselines3.PPO(
        policy, one.make(observation=observation), n_steps=64, batch_size=64, seed=0, device="cpu"
    )
    (run,) = evaluate([model], one, seeds=1, rounds=30).runs
    assert run.error is None and 0 < run.mistakes <= 30


@contextmanager
def counting(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    played: list[Any] = []
    play = evaluation.play

    def noted(*arguments: Any) -> Any:
        played.append(arguments)
        return play(*arguments)

    with monkeypatch.context() as patched:
        patched.setattr(evaluation, "play", noted)
        yield played


def test_finished_runs_are_kept_and_known_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options = {**SMALL, "feedback": [[1, 1, 0, 0], [0, 0, 1, 1], [1, 0, 0, 0], [0, 0, 0, 1]]}
    one = scenario("FeedbackGraph", **options)
    with counting(monkeypatch) as played:
        first = evaluate(["gappletron"], one, seeds=2, rounds=50, out=tmp_path)
        assert len(played) == 2
    with counting(monkeypatch) as played:
        again = evaluate(["gappletron"], scenario("FeedbackGraph", **options), seeds=2, rounds=50, out=tmp_path)
        assert not played
        assert again.runs == first.runs == Results.load(tmp_path).runs
        other = Gappletron(FeedbackGraph.named("bandit", 4))
        evaluate([other], one, seeds=2, rounds=50, out=tmp_path)
        assert len(played) == 2, "a learner of another graph is another learner"
    for changed in (scenario("FeedbackGraph", **SMALL), scenario("FeedbackGraph", **options, noise=0.1)):
        with pytest.raises(ValueError, match="holds results of something else"):
            evaluate(["gappletron"], changed, seeds=2, rounds=50, out=tmp_path)


def test_a_setting_of_ones_own_can_be_evaluated(tmp_path: Path) -> None:
    setting = MulticlassSetting(population=Prototypes(40, 3), graph=FeedbackGraph.named("cyclic", 3))
    one = MulticlassScenario("mine", setting, 80, {"graph": setting.graph, "classes": 3})
    runs = evaluate(["gappletron"], one, seeds=1, out=tmp_path).runs
    assert runs[0].error is None and len(runs[0].curve) == 80
    with pytest.raises(ValueError, match="holds results of something else: another population, cost or individual"):
        frozen = replace(one, setting=replace(setting, population_seed=1))
        evaluate(["gappletron"], frozen, seeds=1, out=tmp_path)


def test_a_matrix_in_the_options_is_cut_short() -> None:
    matrix = np.eye(9, dtype=int).tolist()
    assert shortened(f"feedback={matrix}") == "feedback=[[1, 0, 0, 0, 0, 0, 0, 0, 0], ... 9 lists]"
    assert shortened("feedback=[[0, 1], [1, 1]]") == "feedback=[[0, 1], [1, 1]]"


def test_names_of_the_two_games_differ_and_hide_no_entry_point() -> None:
    assert not {*STRATEGIC, *MULTICLASS} & set(vars(scenarios)), "Gymnasium would find that instead of the scenario"
    assert not set(STRATEGIC) & set(MULTICLASS) and not set(learners_of("strategic")) & set(learners_of("multiclass"))


@pytest.mark.parametrize("kind", ["graph", "networkx", "array"])
def test_a_graph_in_the_options_is_kept_as_json(kind: str, tmp_path: Path) -> None:
    import networkx

    graph = FeedbackGraph.named("random", 4, probability=0.4, seed=1)
    feedback = {
        "graph": graph,
        "networkx": networkx.from_numpy_array(graph.adjacency.astype(int), create_using=networkx.DiGraph),
        "array": graph.adjacency,
    }[kind]
    one = scenario("FeedbackGraph", **SMALL, feedback=feedback)
    assert isinstance(one, MulticlassScenario) and one.setting.graph == graph
    assert one.options["feedback"] == graph.adjacency.astype(int).tolist()
    evaluate(["gappletron"], one, seeds=1, rounds=5, out=tmp_path)
    assert Results.load(tmp_path).scenario.options == {**SMALL, "feedback": graph.adjacency.astype(int).tolist()}


def test_who_learns_from_hidden_labels_is_named_when_asked_for() -> None:
    hidden, shown = scenario("AppleTasting", dim=40, classes=3), scenario("FullInformation", dim=40, classes=3)
    for one, found in ((hidden, ["arow"]), (shown, [])):
        assert unsuited([contestant(name, one) for name in ("gappletron", "arow")], one) == found


def test_a_misspelt_learner_is_guessed() -> None:
    with pytest.raises(ValueError, match="got 'gapletron'; did you mean 'gappletron'\\?"):
        contestant("gapletron", scenario("AppleTasting", dim=40, classes=3))
