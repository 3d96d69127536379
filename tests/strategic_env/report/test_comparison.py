"""Learners compared over several scenarios: the table against hand-counted numbers, its words, its pictures."""

import io
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from agents.foundation.typing import Float
from strategic_env.bench.contestants import contestants_of
from strategic_env.bench.evaluation import Results, evaluate
from strategic_env.bench.playing import Run
from strategic_env.games.scenarios import scenario
from strategic_env.report import profiles
from strategic_env.report.comparison import compare, mistakes_of, show
from strategic_env.report.curves import looks_of
from strategic_env.report.profiles import plot_intervals, plot_profiles
from strategic_env.report.scores import Estimate

PNG = b"\x89PNG\r\n\x1a\n"
NAIVE, ORACLE, STRATEGIC = "perceptron", "best-fixed-classifier", "strategic-perceptron-l2"
# Mistakes of four seeds on two scenarios.
COUNTS = {
    NAIVE: [[38, 42, 40, 40], [90, 110, 100, 100]],
    ORACLE: [[0, 0, 0, 0], [20, 20, 18, 22]],
    STRATEGIC: [[10, 20, 10, 20], [60, 100, 60, 60]],
}


def results_of(dim: int, counts: dict[str, list[int]]) -> Results:
    game = scenario("KnownL2", dim=dim)
    runs = [
        Run(label, seed, mistakes=number, loss=float(number), curve=[number])
        for label, numbers in counts.items()
        for seed, number in enumerate(numbers)
    ]
    seeds = list(range(len(next(iter(counts.values())))))
    named = {label: label if label in COUNTS else "margin-perceptron" for label in counts}
    return Results(game, 200, seeds, [200], contestants_of(named, game), runs)


def both(counts: dict[str, list[list[int]]] = COUNTS) -> list[Results]:
    return [results_of(dim, {label: numbers[at] for label, numbers in counts.items()}) for at, dim in enumerate((2, 5))]


def test_the_table_is_what_one_counts_by_hand() -> None:
    comparison = compare(both(), resamples=300)
    assert [row.learner for row in comparison.rows] == list(COUNTS)
    assert comparison.mistakes[STRATEGIC].tolist() == [[10, 60], [20, 100], [10, 60], [20, 60]]
    # Between 40 and 0, and between 100 and 20.
    assert comparison.scores[STRATEGIC].tolist() == [[0.75, 0.5], [0.5, 0.0], [0.75, 0.5], [0.5, 0.5]]
    naive, oracle, strategic = comparison.rows
    assert strategic.mistakes.value == (20 + 20 + 60 + 60) / 4
    assert strategic.score.value == 0.5
    assert strategic.improvement is not None
    # On the second scenario 100 mistakes lose against one of four, and tie with two.
    assert strategic.improvement.value == (1 + (3 * 4 + 1 + 2 / 2) / 16) / 2
    assert naive.improvement is None and naive.ratio is None
    assert strategic.ratio is not None and oracle.ratio is not None
    assert strategic.ratio.value == strategic.mistakes.value / naive.mistakes.value
    assert strategic.ratio.low <= strategic.ratio.value <= strategic.ratio.high < 1.0
    assert oracle.score.value == 1.0 and oracle.improvement == (1.0, 1.0, 1.0)


def test_another_baseline_may_be_named() -> None:
    row = compare(both(), STRATEGIC, resamples=50).rows[0]
    assert row.learner == NAIVE and row.improvement is not None and row.improvement.value < 0.1
    never_errs = compare([both()[0]], ORACLE, resamples=50)
    assert never_errs.rows[0].ratio is None and never_errs.rows[0].improvement == (0.0, 0.0, 0.0)


def test_scores_are_normalised_with_learners_whatever_they_are_called() -> None:
    names = {"naive": NAIVE, "oracle": ORACLE, NAIVE: STRATEGIC}
    results = [evaluate(names, "KnownL2", seeds=4, rounds=200)]
    plain = compare([evaluate([NAIVE, ORACLE, STRATEGIC], "KnownL2", seeds=4, rounds=200)], resamples=50)
    renamed = compare(results, resamples=50)
    assert renamed.baseline == "naive" and [row.learner for row in renamed.rows] == list(names)
    assert [row.score for row in renamed.rows] == [row.score for row in plain.rows]
    learner = contestants_of({NAIVE: "strategic-perceptron-l2", ORACLE: ORACLE}, results[0].scenario)
    posing = evaluate([replace(learner[0], name=NAIVE), learner[1]], "KnownL2", seeds=2, rounds=20)
    with pytest.raises(ValueError, match=r"results must hold 'perceptron'"):
        compare([posing])


def test_policies_of_one_recipe_are_the_runs_of_one_learner() -> None:
    policies = {"seed 0": ([4, 6, 4, 6], [2, 2, 2, 2]), "seed 1": ([7, 7, 7, 7], [1, 3, 1, 3])}
    comparison = compare(both({**COUNTS, **policies}), trained={"ppo": list(policies)}, resamples=50)
    assert [row.learner for row in comparison.rows] == [*COUNTS, "ppo"]
    np.testing.assert_array_equal(comparison.mistakes["ppo"], [[5.0, 2.0], [7.0, 2.0]])
    assert comparison.rows[-1].improvement is None, "means are not compared with single games"
    with pytest.raises(ValueError, match=r"baseline must be one of 'perceptron', .* got 'ppo'"):
        compare(both({**COUNTS, **policies}), "ppo", trained={"ppo": list(policies)})
    stream = io.StringIO()
    show(comparison, Console(file=stream, width=70))
    assert "2 or 4 runs on each" in stream.getvalue()
    assert re.search(r"ppo +[\d.]+ \[", stream.getvalue()), "numbers are shown where there is little room"


def test_show_names_the_numbers_the_scenarios_and_both_ends_of_the_score() -> None:
    stream = io.StringIO()
    show(compare(both(), resamples=50), Console(file=stream, width=120))
    text = stream.getvalue()
    assert "2 scenarios and 4 runs on each" in text and "KnownL2, dim=2; KnownL2, dim=5" in text
    line = next(line for line in text.splitlines() if line.startswith(STRATEGIC))
    assert re.search(r"40\.0 \[[\d.]+, [\d.]+\] +0\.50 \[[\d.]+, [\d.]+\] +9\d% \[\d+%, \d+%\]", line)
    assert next(line for line in text.splitlines() if line.startswith(NAIVE)).rstrip().endswith("-")


def failing() -> list[Results]:
    first, second = both()
    runs = [replace(run, error="ValueError: no idea") if run.seed == 1 else run for run in second.runs]
    return [first, replace(second, runs=runs)]


def without(label: str) -> list[Results]:
    return both({name: counts for name, counts in COUNTS.items() if name != label})


REFUSED: dict[str, tuple[Callable[[], object], type[Exception], str]] = {
    "none": (lambda: compare([]), ValueError, "at least one scenario, got none"),
    "no list": (lambda: compare(both()[0]), TypeError, "results must be a list of Results"),  # type: ignore[arg-type]
    "baseline": (lambda: compare(both(), "sb3"), ValueError, "baseline must be one of 'perceptron'"),
    "no perceptron": (lambda: compare(without(NAIVE), STRATEGIC), ValueError, "results must hold 'perceptron'"),
    "no reference": (lambda: compare(without(ORACLE)), ValueError, "results must hold 'best-fixed-classifier'"),
    "learners": (lambda: compare([both()[0], without(STRATEGIC)[1]]), ValueError, "the same learners"),
    "seeds": (
        lambda: compare([both()[0], results_of(5, {label: [1, 2] for label in COUNTS})]),
        ValueError,
        "as many seeds, got ['perceptron', 'best-fixed-classifier', 'strategic-perceptron-l2'] with 4",
    ),
    "failed": (lambda: compare(failing()), ValueError, "got perceptron on KnownL2, dim=5 with seed 1: ValueError: no"),
    "twice": (lambda: compare([*both(), both()[0]]), ValueError, "of different scenarios, got KnownL2, dim=2 2 times"),
    "many labels": (
        lambda: compare([evaluate(["banditron"], "Bandit", seeds=2, rounds=5)]),
        ValueError,
        "results must be of strategic classification, got Bandit",
    ),
    "no mapping": (lambda: compare(both(), trained=["a"]), TypeError, "trained must be a mapping from recipes"),  # type: ignore[arg-type]
    "recipe of text": (
        lambda: compare(both(), trained={"ppo": "ab"}),
        ValueError,
        "trained['ppo'] must hold at least two",
    ),
    "recipe of none": (
        lambda: compare(both(), trained={"ppo": []}),
        ValueError,
        "trained['ppo'] must hold at least two",
    ),
    "recipe of one": (lambda: compare(both(), trained={"ppo": [STRATEGIC]}), ValueError, "must hold at least two"),
    "policy twice": (
        lambda: compare(both(), trained={"ppo": [STRATEGIC, STRATEGIC]}),
        ValueError,
        "trained['ppo'] must be one of 'perceptron', 'best-fixed-classifier', got 'strategic-perceptron-l2'",
    ),
    "recipe like a learner": (
        lambda: compare(both(), trained={NAIVE: [STRATEGIC, ORACLE]}),
        ValueError,
        "trained['perceptron'] must not have the name of a learner",
    ),
    "recipe": (
        lambda: compare(both(), trained={"ppo": ["sb3", "sb4"]}),
        ValueError,
        "trained['ppo'] must be one of 'perceptron'",
    ),
    "equal": (
        lambda: compare(both({**COUNTS, ORACLE: COUNTS[NAIVE]})),
        ValueError,
        "best-fixed-classifier must make fewer mistakes than perceptron",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_compared_is_refused(case: str) -> None:
    call, kind, message = REFUSED[case]
    with pytest.raises(kind, match=re.escape(message)):
        call()


def test_mistakes_follow_the_labels_not_the_order_of_learners() -> None:
    first, second = both()
    by_learner = [run for one in second.contestants[::-1] for run in second.of(one)]
    turned = replace(second, contestants=second.contestants[::-1], runs=by_learner)
    np.testing.assert_equal(mistakes_of([first, turned]), mistakes_of([first, second]))


@pytest.fixture
def scores() -> dict[str, Float]:
    return compare(both(), resamples=50).scores


def test_profiles_are_drawn_where_the_shares_are(
    scores: dict[str, Float], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    axes = caught_axes(monkeypatch)
    looks = looks_of(both()[0].contestants)
    plot_profiles(scores, tmp_path / "profiles.png", looks=looks, resamples=50)
    assert (tmp_path / "profiles.png").read_bytes().startswith(PNG)
    lines = {str(line.get_label()).split()[0]: line for line in axes[0].lines}
    assert list(lines) == [ORACLE, STRATEGIC, NAIVE]  # by interquartile mean
    limits, shares = lines[STRATEGIC].get_data()
    assert np.interp(0.6, limits, shares) == 2 / 8 and shares[0] == 1.0 and shares[-1] == 0.0
    assert (lines[STRATEGIC].get_color(), lines[STRATEGIC].get_linestyle()) == looks[STRATEGIC]
    plot_profiles({"a": [[1.0], [1.0]]}, tmp_path / "flat.png", thresholds=[0.0, 2.0], xlabel="reward", resamples=5)
    assert axes[1].get_xlim() == (0.0, 2.0) and axes[1].get_xlabel() == "reward"


def test_intervals_are_drawn_as_long_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    axes = caught_axes(monkeypatch)
    plot_intervals({"a": Estimate(2.0, 1.0, 4.0), "b": Estimate(3.0, 3.0, 3.0)}, tmp_path / "a.png", xlabel="mistakes")
    assert (tmp_path / "a.png").read_bytes().startswith(PNG)
    bar, mark = axes[0].lines[:2]
    assert list(bar.get_xdata()) == [1.0, 4.0] and bar.get_solid_capstyle() == "butt"
    assert list(mark.get_xdata()) == [2.0]
    assert [tick.get_text() for tick in axes[0].get_yticklabels()] == ["a", "b"]


def test_names_are_drawn_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    axes = caught_axes(monkeypatch)
    strange = ["_hidden", "a$b$c", "$a_b^{$"]
    values = {label: [[1.0 + 1e-13 * place, 2.0], [3.0, 4.0]] for place, label in enumerate(strange)}
    plot_profiles(values | {"one task": [[1.0], [2.0]]}, tmp_path / "a.PNG", resamples=5)
    assert (tmp_path / "a.PNG").read_bytes().startswith(PNG)
    named = {text.get_text().split("  ")[0] for text in axes[0].get_legend().get_texts()}
    assert named == {*strange, "one task"} and "2 runs of each of 1 or 2 tasks" in axes[0].texts[0].get_text()
    plot_profiles({"a": [[1.0], [1.0 + 1e-15]]}, tmp_path / "b.png", resamples=5)
    plot_intervals({label: Estimate(1e-5, 0.0, 1e-4) for label in strange}, tmp_path / "c.png", xlabel="mistakes")
    assert "1e-05" in axes[2].texts[0].get_text()


def caught_axes(monkeypatch: pytest.MonkeyPatch) -> list:  # type: ignore[type-arg]
    caught, make = [], profiles._figure

    def keep(height: float) -> object:
        figure, axes = make(height)
        caught.append(axes)
        return figure, axes

    monkeypatch.setattr(profiles, "_figure", keep)
    return caught


def test_nothing_to_draw_and_missing_looks_are_refused(scores: dict[str, Float], tmp_path: Path) -> None:
    path = tmp_path / "refused.png"
    with pytest.raises(ValueError, match="at least one learner to draw, got none"):
        plot_profiles({}, path)
    with pytest.raises(ValueError, match="at least one learner to draw, got none"):
        plot_intervals({}, path, xlabel="mistakes")
    with pytest.raises(ValueError, match=r"looks must hold every learner, got none for \['best-fixed-classifier'"):
        plot_profiles(scores, path, looks={NAIVE: ("#000000", "-")})
    with pytest.raises(ValueError, match="scores of a must be finite"):
        plot_profiles({"a": [[np.nan], [1.0]]}, path)
    with pytest.raises(ValueError, match="thresholds must be at least two and ascend"):
        plot_profiles(scores, path, thresholds=[1.0, 0.0])
    with pytest.raises(ValueError, match="estimate of a must be finite"):
        plot_intervals({"a": Estimate(np.nan, 0.0, 1.0)}, path, xlabel="mistakes")
    with pytest.raises(ValueError, match="estimate of a must lie in its interval, got"):
        plot_intervals({"a": Estimate(1.0, 3.0, -3.0)}, path, xlabel="mistakes")
    (tmp_path / "folder.png").mkdir()
    for strange in ("folder.png", "nowhere/a.png"):
        with pytest.raises(OSError):
            plot_profiles(scores, tmp_path / strange, resamples=5)
    assert not path.exists()


def test_without_matplotlib(scores: dict[str, Float], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"strategic-env\[plot\]"):
        plot_profiles(scores, tmp_path / "profiles.png")
    with pytest.raises(ImportError, match=r"strategic-env\[plot\]"):
        plot_intervals({"a": Estimate(2.0, 1.0, 4.0)}, tmp_path / "a.png", xlabel="mistakes")
