"""The one table in other forms, figures of one's own, and the same from the command line."""

import csv
import io
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from command_line import command
from matplotlib.figure import Figure

from strategic_env import Results, evaluate, report
from strategic_env.bench.arguments import parse_seeds
from strategic_env.report import panels
from strategic_env.report.curves import BANDS


@pytest.fixture(scope="module")
def two() -> list[Results]:
    learners = ["perceptron", "strategic-perceptron-l2", "best-fixed-classifier"]
    return [evaluate(learners, name, seeds=4, rounds=60) for name in ("KnownL2", "Example1")]


def test_a_frame_holds_the_numbers_of_the_table_the_runs_and_the_curves(two: list[Results]) -> None:
    table = report.to_frame(two)
    assert table.scenario.tolist() == ["KnownL2"] * 3 + ["Example1"] * 3
    mean = np.mean([run.mistakes for run in two[0].of(two[0].contestants[1])])
    assert table.mistakes_mean[1] == mean and {"regret", "manipulators", "bound"} <= set(table.columns)
    runs = report.to_frame(two, "runs")
    assert len(runs) == 24 and runs.mistakes.tolist() == [run.mistakes for one in two for run in one.runs]
    curves = report.to_frame(two[0], "curves")
    assert len(curves) == 3 * 4 * 60 and curves.groupby(["learner", "seed"]).mistakes.last().sum() == sum(
        run.mistakes for run in two[0].runs
    )
    with pytest.raises(ValueError, match="what must be one of 'table', 'runs', 'curves', got 'all'"):
        report.to_frame(two, "all")
    with pytest.raises(TypeError, match="results must be what evaluate or Results.load returns, or a list of such"):
        report.to_frame([])


def test_markdown_and_latex_say_what_the_table_says(two: list[Results], capsys: pytest.CaptureFixture[str]) -> None:
    report.show(two[0])
    shown = [line.split() for line in capsys.readouterr().out.splitlines() if line.startswith("strategic-perc")][0]
    markdown, latex = report.to_markdown(two[0]).splitlines(), report.to_latex(two[0]).splitlines()
    row = next(line for line in markdown if "strategic-perceptron" in line)
    assert [cell.strip() for cell in row.strip("|").split("|")] == shown
    row = next(line for line in latex if "strategic-perceptron" in line)
    assert [cell.strip().replace(r"\%", "%") for cell in row.removesuffix(r" \\").split("&")] == shown


def test_several_results_get_a_column_for_the_scenario(two: list[Results]) -> None:
    head, _, *lines = report.to_markdown(two).splitlines()
    assert head.startswith("| scenario | learner | mean |") and len(lines) == 6
    assert report.to_latex(two).startswith(r"\begin{tabular}{llrr")


def test_a_panel_for_each_scenario_names_every_learner_once(two: list[Results]) -> None:
    last = [
        replace(one, checkpoints=[60], runs=[replace(run, curve=run.curve[-1:]) for run in one.runs]) for one in two
    ]
    curves, ends = panels._drawn(two, "min-max"), panels._drawn(last, "min-max")
    names = ["perceptron", "strategic-perceptron-l2", "best-fixed-classifier (reference)"]
    assert [text.get_text() for text in curves.legends[0].get_texts()] == names and not ends.legends
    assert [label.get_text() for label in ends.axes[0].get_yticklabels()] == names
    assert [axes.get_title(loc="left") for axes in ends.axes] == ["KnownL2", "Example1"]


def test_more_scenarios_than_a_picture_has_room_for_are_refused(two: list[Results], tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="a picture has 1 to 16 panels, one for each scenario, got 18"):
        report.plot_panels(two * 9, tmp_path / "a.png")
    assert not list(tmp_path.iterdir())


def test_special_characters_are_escaped(two: list[Results]) -> None:
    odd = r"50% & a_b #1 {x} ~^\ | $"
    contestants = [replace(two[0].contestants[0], label=odd), *two[0].contestants[1:]]
    results = replace(two[0], contestants=contestants)
    assert r"50% & a_b #1 {x} ~^\ \| $ |" in report.to_markdown(results)
    expected = r"50\% \& a\_b \#1 \{x\} \textasciitilde{}\textasciicircum{}\textbackslash{} | \$ &"
    assert expected in report.to_latex(results)


def test_a_missing_pandas_names_the_extra(two: list[Results], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r'a frame needs pandas: pip install "strategic-env\[data\]"'):
        report.to_frame(two)


@pytest.mark.parametrize("band", BANDS)
def test_a_band_lies_around_the_mean_in_axes_of_ones_own(two: list[Results], band: str) -> None:
    axes = Figure().subplots()
    assert report.plot(two[0], ax=axes, band=band) is axes and axes.get_title() == ""
    curves = np.array([run.curve for run in two[0].of(two[0].contestants[0])], dtype=float)
    (line,) = [each for each in axes.lines if each.get_label() == "perceptron"]
    np.testing.assert_allclose(line.get_ydata()[-60:], curves.mean(axis=0))  # type: ignore[index]
    corners: Any = axes.collections[0].get_paths()[0].vertices
    last = corners[corners[:, 0] == 60, 1]
    assert last.min() <= curves[:, -1].mean() <= last.max() and last.min() >= curves[:, -1].min()
    if band == "min-max":
        assert (last.min(), last.max()) == (curves[:, -1].min(), curves[:, -1].max())
    if band == "quantiles":
        np.testing.assert_allclose((last.min(), last.max()), np.quantile(curves[:, -1], (0.25, 0.75)))


def test_where_to_draw_must_be_said_once(two: list[Results], tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="path must be a str or a Path, got None"):
        report.plot(two[0])
    with pytest.raises(ValueError, match="path or ax must be given, and not both"):
        report.plot(two[0], tmp_path / "a.png", ax=Figure().subplots())
    with pytest.raises(TypeError, match="ax must be axes of matplotlib, got 3"):
        report.plot(two[0], ax=3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="band must be one of 'min-max', 'quantiles', 'bootstrap', got 'sd'"):
        report.plot(two[0], tmp_path / "a.png", band="sd")


@pytest.mark.parametrize(
    ("text", "seeds"), [("10", 10), ("5-9", [5, 6, 7, 8, 9]), ("7,", [7]), ("0,3,7-9", [0, 3, 7, 8, 9])]
)
def test_seeds_are_how_many_or_which(text: str, seeds: int | list[int]) -> None:
    assert parse_seeds(text) == seeds


@pytest.mark.parametrize("text", ["", "a", "-1", "9-5", "1-", "1,,2", "1.5"])
def test_seeds_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="seeds must be a number, or which .5-9, or 0,3,7-9., got"):
        parse_seeds(text)


def test_the_command_line_reports_compares_and_draws_several_folders(tmp_path: Path) -> None:
    learners = ["perceptron", "best-fixed-classifier", "strategic-perceptron-l2"]
    for dim in (2, 3):
        from strategic_env import scenario

        evaluate(learners, scenario("KnownL2", dim=dim), seeds=range(5, 8), rounds=200, out=tmp_path / f"d{dim}")
    told = command("report", "d2", "d3", "--format", "csv", "--picture", "a.png", folder=tmp_path)
    assert told.returncode == 0 and (tmp_path / "a.png").stat().st_size > 1000
    lines = list(csv.DictReader(io.StringIO(told.stdout)))
    assert [line["scenario"] for line in lines] == ["KnownL2, dim=2"] * 3 + ["KnownL2, dim=3"] * 3
    assert pd.read_csv(io.StringIO(told.stdout)).runs.tolist() == [3] * 6
    told = command("report", "d2", "--format", "latex", "--picture", "a.pdf", "--band", "bootstrap", folder=tmp_path)
    assert told.stdout.startswith(r"\begin{tabular}") and (tmp_path / "a.pdf").stat().st_size > 1000
    told = command("compare", "d2", "d3", "--profiles", "p.png", "--intervals", "i.png", folder=tmp_path)
    assert told.returncode == 0 and "normalised" in told.stdout, told.stderr
    assert all((tmp_path / name).stat().st_size > 1000 for name in ("p.png", "i.png"))
    told = command("compare", "d2", "--baseline", "nobody", folder=tmp_path)
    assert told.returncode == 2 and "baseline must be one of" in told.stderr


def test_a_range_of_seeds_and_the_completion_of_shells_on_the_command_line(tmp_path: Path) -> None:
    told = command("run", "Example1", "--learner", "perceptron", "--seeds", "5-7", "--rounds", "5", "--json")
    assert '"seeds": [5, 6, 7]' in told.stdout, told.stderr
    assert "--show-completion" in command("--help").stdout
