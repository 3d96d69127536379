"""Tables, JSON, CSV files and pictures of results."""

import csv
import io
import json
import math
import re
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from agents import Noisy
from learners import ConstantClassifier, Perceptron
from learners.catalogue import learners_of
from strategic_env import evaluate
from strategic_env.bench.contestants import Contestant, all_contestants, contestant
from strategic_env.bench.evaluation import Results
from strategic_env.bench.playing import Run
from strategic_env.games.scenarios import scenario
from strategic_env.report import curves as plotting
from strategic_env.report import summary
from strategic_env.report import tables as report

PNG = b"\x89PNG\r\n\x1a\n"
STRATEGIC, REFERENCE, ACCEPT_ALL = "strategic-perceptron-l2", "best-fixed-classifier", "constant-classifier"


NOTHING = {"manipulations": 0, "qualified": 0, "qualified_cost": 0.0}


def run(learner: str, seed: int, curve: list[int], **counts: float) -> Run:
    columns = NOTHING | counts
    return Run(learner, seed, curve[-1], loss=float(curve[-1]), columns=columns, curve=curve, cpu_seconds=0.5)


def shares(manipulators: float | None, qualified_cost: float | None) -> dict[str, float | None]:
    return {"manipulators": manipulators, "qualified_cost": qualified_cost}


@pytest.fixture
def results() -> Results:
    """Three contestants, two seeds, four rounds, on KnownL2, whose sharpened bound is (1 / 0.5)^2 = 4."""
    game = scenario("KnownL2", margin=0.5, alpha=0.25)
    runs = [
        run(ACCEPT_ALL, 3, [0, 1, 1, 2], qualified=2),
        run(ACCEPT_ALL, 5, [1, 2, 3, 3], qualified=1),
        run(REFERENCE, 3, [0, 0, 0, 0], manipulations=1, qualified=2, qualified_cost=0.6),
        run(REFERENCE, 5, [0, 1, 1, 1], manipulations=0, qualified=1, qualified_cost=0.0),
        run(STRATEGIC, 3, [1, 1, 1, 1], manipulations=2, qualified=2, qualified_cost=0.5),
        run(STRATEGIC, 5, [0, 0, 0, 0], manipulations=1, qualified=1, qualified_cost=1.0),
    ]
    contestants = [contestant(name, game) for name in (ACCEPT_ALL, REFERENCE, STRATEGIC)]
    return Results(game, 4, [3, 5], [1, 2, 3, 4], contestants, runs)


def with_error(results: Results, learner: str, *seeds: int) -> Results:
    """Let the runs of a learner fail in round 2."""
    runs = [
        replace(one, mistakes=one.curve[0], curve=one.curve[:1], error=f"ValueError: seed {one.seed}\nis [bad]")
        if one.learner == learner and one.seed in seeds
        else one
        for one in results.runs
    ]
    return replace(results, runs=runs)


def without(results: Results, learner: str) -> Results:
    return replace(
        results,
        contestants=[one for one in results.contestants if one.label != learner],
        runs=[one for one in results.runs if one.learner != learner],
    )


def table(results: Results, width: int = 80) -> str:
    file = io.StringIO()
    report.show(results, Console(file=file, width=width))
    return file.getvalue()


def lines(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def test_rows(results: Results) -> None:
    accept_all, reference, strategic = summary.rows(results)
    assert accept_all == summary.Row(ACCEPT_ALL, 2.5, 2, 3, 2.0, None, None, shares(0.0, 0.0), 0, None, runs=2)
    paid = shares(1 / 8, pytest.approx(0.2))
    assert reference == summary.Row(REFERENCE, 0.5, 0, 1, 0.0, None, None, paid, 0, None, runs=2)
    assert strategic == summary.Row(STRATEGIC, 0.5, 0, 1, 0.0, 4.0, 0.125, shares(3 / 8, 0.5), 0, None, runs=2)


def test_regret_is_by_seed_and_may_be_negative(results: Results) -> None:
    failed = with_error(results, REFERENCE, 3)
    assert [row.regret for row in summary.rows(failed)] == [2.0, 0.0, -1.0]  # seed 5 alone
    assert all(row.regret is None for row in summary.rows(with_error(results, REFERENCE, 3, 5)))


def test_without_a_reference_there_is_no_regret(results: Results) -> None:
    alone = without(results, REFERENCE)
    assert all(row.regret is None for row in summary.rows(alone))
    assert "regret: not shown; it is against best-fixed-classifier, which was not asked for." in table(alone, 120)
    assert "regret" not in table(alone).partition("─")[0]


def test_a_failed_seed_does_not_count(results: Results) -> None:
    failed = with_error(results, STRATEGIC, 3)
    row = summary.rows(failed)[2]
    error = "ValueError: seed 3\nis [bad]"
    expected = summary.Row(STRATEGIC, 0.0, 0, 0, -1.0, 4.0, 0.0, shares(1 / 4, 1.0), 1, error, runs=1)
    assert row == expected
    shown = table(failed)
    assert "1 of 2 seeds failed" in shown
    assert f"{STRATEGIC} failed on 1 of 2 seeds: ValueError: seed 3 is [bad]" in " ".join(shown.split())


def test_a_learner_that_always_fails_has_a_row(results: Results) -> None:
    failed = with_error(results, STRATEGIC, 3, 5)
    row = summary.rows(failed)[2]
    error = "ValueError: seed 3\nis [bad]"
    expected = summary.Row(STRATEGIC, None, None, None, None, 4.0, None, shares(None, None), 2, error)
    assert row == expected
    assert "2 of 2 seeds failed" in table(failed)


def test_a_table_is_shown_though_everybody_failed(results: Results) -> None:
    for one in results.contestants:
        results = with_error(results, one.label, 3, 5)
    assert table(results).count("2 of 2 seeds failed") == len(results.contestants)


class Unlucky(Perceptron):
    """Has a theorem whose numbers overflow."""

    def bound(self, truth: Any, *, printed: bool = False) -> float | None:
        raise OverflowError("too\nlarge")


def test_a_bound_that_fails_loses_no_results(results: Results, tmp_path: Path) -> None:
    unlucky = replace(results.contestants[2], learner=Unlucky())
    failing = replace(results, contestants=[*results.contestants[:2], unlucky])
    assert f"bound of {STRATEGIC}: fails with OverflowError: too large." in table(failing, 120)
    assert report.to_json(failing)["results"][2]["bound"] is None  # type: ignore[index]
    assert len(report.save(failing, tmp_path)) == 3


def test_nobody_qualified(results: Results) -> None:
    runs = [replace(one, columns=NOTHING) for one in results.runs]
    assert all(row.columns["qualified_cost"] is None for row in summary.rows(replace(results, runs=runs)))


NUMBERS = ("+2.0", "12.5%", "37.5%", "0.500")
HEADINGS = ("learner", "mean", "min", "max", "regret", "bound", "used", "moved", "cost", "paid")


@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_table_fits(results: Results, width: int) -> None:
    shown = table(results, width)
    assert all(len(line) <= width for line in shown.splitlines())
    assert "…" not in shown
    for text in (*NUMBERS, *HEADINGS, "4 rounds, over 2 seeds"):
        assert text in " ".join(shown.split())
    for name in ("constant-classifier (accepts all)", "best-fixed-classifier (reference)", STRATEGIC):
        assert any(line.startswith(name) for line in shown.splitlines())


def test_the_table_of_every_learner_has_one_line_each_at_80_columns(results: Results) -> None:
    game = scenario("KnownL2")
    everybody, _ = all_contestants(game)
    ends = [500 if one.label == ACCEPT_ALL else 0 if one.label == REFERENCE else 95 for one in everybody]
    runs = [
        run(one.label, 3, [0, end], qualified=2, qualified_cost=0.2) for one, end in zip(everybody, ends, strict=True)
    ]
    shown = table(Results(game, 1000, [3], [1, 1000], everybody, runs))
    body = shown.partition("─\n")[2].partition("\n\n")[0].splitlines()
    assert [line.split()[0] for line in body] == [one.label for one in everybody]
    assert all(len(line) <= 80 and line.split()[-1] == "0.100" for line in body)


def test_a_narrow_console_loses_nothing(results: Results) -> None:
    shown = table(results, 20)
    assert all(text in shown for text in (*NUMBERS, *HEADINGS))


def test_notes_use_the_whole_width(results: Results) -> None:
    notes = table(results, 200).partition("\n\n")[2].splitlines()
    assert all(re.match("[a-z ]+: .*[.]$", line) for line in notes), "every note is one line"


def test_one_is_singular(results: Results) -> None:
    one_round = [run(one.learner, 3, one.curve[:1]) for one in results.runs if one.seed == 3]
    shown = table(replace(results, rounds=1, checkpoints=[1], seeds=[3], runs=one_round))
    assert "mistakes in 1 round, over 1 seed\n" in shown


def test_a_long_label_has_its_own_line(results: Results) -> None:
    game = results.scenario
    long = contestant("perceptron", game, bias=True, learning_rate=0.1234567890123456789)
    runs = [*results.runs, run(long.label, 3, [100_000] * 4), run(long.label, 5, [200_000] * 4)]
    shown = table(replace(results, contestants=[*results.contestants, long], runs=runs))
    assert all(len(line) <= 80 for line in shown.splitlines())
    assert "…" not in shown
    assert "perceptron:bias=true,learning_rate=0.12345678901234568" in shown.splitlines()
    assert " 150,000 " in shown and " +150,000 " in shown


def test_long_lists_are_shortened(results: Results) -> None:
    game = scenario("KnownL1", dim=20, alpha=[0.25] * 20)
    long = contestant("strategic-perceptron-l1", game, alpha=[0.25] * 20, radius=1.0)
    assert summary.title(replace(results, scenario=game)) == "KnownL1, dim=20, alpha=[0.25, 0.25, ... 20 numbers]"
    assert summary.shown_name(long) == "strategic-perceptron-l1:alpha=[0.25, 0.25, ... 20 numbers],radius=1.0"
    assert summary.shown_name(contestant("perceptron", game, bias=True)) == "perceptron:bias=true"


def test_learners_built_in_python_are_readable(results: Results) -> None:
    names = [
        summary.shown_name(contestant(one, results.scenario)) for one in (Perceptron(bias=True), ConstantClassifier())
    ]
    assert names == ["Perceptron(bias=True, learning_rate=1.0, ties='paper')", "ConstantClassifier(accept=True)"]


def test_the_caption_says_why_there_are_no_bounds(results: Results) -> None:
    def caption(results: Results) -> str:
        return " ".join(table(results).split())

    hidden = replace(results, scenario=scenario("KnownL2", margin=0.5, alpha=0.25, feedback="apple_tasting"))
    assert "no bounds: the theorems need every label, but feedback is apple_tasting." in caption(hidden)
    noisy = replace(results, scenario=scenario("KnownL2", noise=0.1))
    assert "no bounds: no hyperplane is known to separate the labels." in caption(noisy)
    setting = replace(results.scenario.setting, individual=Noisy(0.1))
    noisy = replace(results, scenario=replace(results.scenario, setting=setting))
    assert "no bounds: the theorems need best responses, but individuals are Noisy(scale=0.1)." in caption(noisy)
    assert "no bounds: no theorem of these learners applies here." in caption(without(results, STRATEGIC))


def test_json(results: Results) -> None:
    shown = json.loads(json.dumps(report.to_json(results), allow_nan=False))
    assert {key: shown[key] for key in shown if key != "results"} == {
        "scenario": "KnownL2",
        "options": {"margin": 0.5, "alpha": 0.25},
        "rounds": 4,
        "seeds": [3, 5],
    }
    assert shown["results"][2] == {
        "label": STRATEGIC,
        "learner": STRATEGIC,
        "parameters": {},
        "mistakes": [1, 0],
        "loss": [1.0, 0.0],
        "manipulations": [2, 1],
        "qualified": [2, 1],
        "qualified_cost": [0.5, 1.0],
        "bound": 4.0,
        "printed_bound": 6.25,
        "cpu_seconds": [0.5, 0.5],
        "error": None,
    }
    assert [one["bound"] for one in shown["results"]] == [None, None, 4.0]


def test_json_of_a_failure(results: Results) -> None:
    entry = report.to_json(with_error(results, STRATEGIC, 5))["results"][2]  # type: ignore[index]
    assert entry["mistakes"] == [1, None] and entry["cpu_seconds"] == [0.5, None]
    assert entry["error"] == "ValueError: seed 5\nis [bad]"


def test_json_holds_nothing_that_it_cannot_encode(results: Results, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Results, "bound", lambda *_, printed=False: math.inf)
    odd = replace(results.contestants[2], parameters={"alpha": np.array([0.5, np.nan]), "n": np.int64(3), "of": int})
    runs = [replace(one, loss=math.nan) for one in results.runs]
    shown = report.to_json(replace(results, contestants=[*results.contestants[:2], odd], runs=runs))
    entry = json.loads(json.dumps(shown, allow_nan=False))["results"][2]
    assert entry["parameters"] == {"alpha": [0.5, None], "n": 3, "of": "<class 'int'>"}
    assert entry["loss"] == [None, None]
    assert entry["bound"] is None and entry["printed_bound"] is None
    assert "no bounds" in table(results)


def test_curves(results: Results, tmp_path: Path) -> None:
    report.write_curves(with_error(results, STRATEGIC, 5), tmp_path / "curves.csv")
    heading, *body = lines(tmp_path / "curves.csv")
    assert heading == ["learner", "seed", "round", "mistakes"]
    assert body[4:8] == [[ACCEPT_ALL, "5", step, count] for step, count in ("11", "22", "33", "43")]
    assert len(body) == 5 * 4 + 1  # the run that failed has one round


def test_summary(results: Results, tmp_path: Path) -> None:
    report.write_summary(results, tmp_path / "summary.csv")
    heading, accept_all, _, strategic = lines(tmp_path / "summary.csv")
    assert heading == [
        "learner", "mistakes_mean", "mistakes_min", "mistakes_max", "regret", "bound", "bound_used", "failed", "error",
        "runs", "missing", "manipulators", "qualified_cost",
    ]  # fmt: skip
    assert accept_all == [ACCEPT_ALL, "2.5", "2", "3", "2.0", "", "", "0", "", "2", "0", "0.0", "0.0"]
    assert strategic == [STRATEGIC, "0.5", "0", "1", "0.0", "4.0", "0.125", "0", "", "2", "0", "0.375", "0.5"]


def far_apart(results: Results) -> Results:
    """One learner errs in each of 1,000 rounds, another stops: the picture's axes become logarithmic."""
    curves = {ACCEPT_ALL: [1, 10, 100, 1000], REFERENCE: [0] * 4, STRATEGIC: [1, 3, 3, 3]}
    runs = [run(one.learner, one.seed, curves[one.learner]) for one in results.runs]
    return replace(results, rounds=1000, checkpoints=[1, 10, 100, 1000], runs=runs)


def test_plot(results: Results, tmp_path: Path) -> None:
    one_round = [run(one.learner, 3, one.curve[:1]) for one in results.runs if one.seed == 3]
    shown = {
        "logarithmic": far_apart(results),
        "failed": with_error(results, STRATEGIC, 3, 5),
        "empty": with_error(replace(results, contestants=results.contestants[2:]), STRATEGIC, 3, 5),
        "one round": replace(results, rounds=1, checkpoints=[1], seeds=[3], runs=one_round),
    }
    for name, some in shown.items():
        path = tmp_path / f"{name}.png"
        plotting.plot(some, path)
        assert path.read_bytes().startswith(PNG), name


def test_every_contestant_has_a_look_of_its_own(results: Results) -> None:
    for name in ("KnownL2", "KnownL1", "BiasedL2", "UnknownL1Single", "GermanCredit"):
        game = scenario(name)
        everybody, _ = all_contestants(game)
        others = [contestant("perceptron", game, learning_rate=rate) for rate in (2.0, 3.0, 4.0)]
        own = [Contestant(f"own {number}", "own", {}, Perceptron()) for number in range(5)]
        looks = plotting.looks_of([*everybody, *others, *own])
        assert len(set(looks.values())) == len(looks) == len(everybody) + 8


def test_a_learner_looks_the_same_in_all_pictures(results: Results) -> None:
    everybody, _ = all_contestants(results.scenario)
    looks = plotting.looks_of(everybody)
    for one in everybody:
        alone = plotting.looks_of([one])[one.label]
        assert alone == looks[one.label]
        if one.label in learners_of("strategic") and one.label not in plotting.STILL:
            variant = replace(one, label=f"{one.label}:x=1")
            assert plotting.looks_of([variant, one])[one.label] == alone
    assert looks["perceptron"][0] == looks["perceptron:bias=true"][0]


def test_labels_are_moved_apart() -> None:
    heights, sizes = [0.0, 0.01, 0.5, 0.98, 0.99, 1.0], [0.05, 0.1, 0.05, 0.05, 0.05, 0.1]
    places = plotting._apart(heights, sizes)
    gaps = [(lower + upper) / 2 for lower, upper in pairwise(sizes)]
    assert all(upper - lower >= gap - 1e-12 for (lower, upper), gap in zip(pairwise(places), gaps, strict=True))
    assert places[2] == 0.5 and places[-1] == 1.0
    assert plotting._apart([], []) == []


def test_save(results: Results, tmp_path: Path) -> None:
    paths = report.save(results, tmp_path / "new")
    assert [path.name for path in paths] == ["curves.csv", "summary.csv", "mistakes.png"]
    assert all(path.parent == tmp_path / "new" and path.stat().st_size > 0 for path in paths)


def test_without_matplotlib(results: Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"strategic-env\[plot\]"):
        plotting.plot(results, tmp_path / "mistakes.png")
    with pytest.raises(ImportError, match=r"strategic-env\[plot\]"):
        report.save(results, tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"curves.csv", "summary.csv"}
    assert table(results)


def test_show_prints_to_the_terminal_by_default(results: Results, capsys: pytest.CaptureFixture[str]) -> None:
    report.show(results)
    assert STRATEGIC in capsys.readouterr().out


def test_the_table_says_how_games_were_played(capsys: pytest.CaptureFixture[str]) -> None:
    class Plain:
        name = "plain"

        def predict(self, observation: Any, state: Any, episode_start: Any, deterministic: bool) -> Any:
            return np.zeros_like(observation["classifier"]), None

    for learners, words in (
        (["perceptron"], "played: in compiled code, with"),
        ([Plain()], "played: in a loop"),
        (["perceptron", Plain()], "in compiled code, but plain in a loop"),
    ):
        report.show(evaluate(learners, "KnownL2", seeds=1, rounds=5))
        assert words in " ".join(capsys.readouterr().out.split())
