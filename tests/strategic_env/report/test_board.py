"""The board: its numbers against hand-counted ones, what is refused, its files, and when it is stale."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from strategic_env.bench.contestants import contestants_of
from strategic_env.bench.evaluation import Results
from strategic_env.bench.playing import Run
from strategic_env.games.scenarios import scenario
from strategic_env.report import standard
from strategic_env.report.board import BoardRow, board
from strategic_env.report.board_page import page, read_board, write_board
from strategic_env.sweep import grid
from strategic_env.sweep.planning import cells_of

NAIVE, ORACLE, STRATEGIC = "perceptron", "best-fixed-classifier", "strategic-perceptron-l2"
# Mistakes of four seeds on games of two and of five features; the reference makes none on the first.
SMALL = {NAIVE: [38, 42, 40, 40], ORACLE: [0, 0, 0, 0], STRATEGIC: [10, 20, 10, 20]}
LARGE = {NAIVE: [90, 110, 100, 100], ORACLE: [20, 20, 18, 22], "margin-perceptron": [60, 120, 60, 60]}
KEPT = Path(__file__).parents[3] / "docs" / "board" / "board.csv"
TINY = {
    "two": "rounds: 20\nseeds: 2\nscenarios: [KnownL2]\nlearners: [perceptron, best-fixed-classifier]\n",
    "all": "seeds: 2\nscenarios: [KnownL2, Bandit]\nwithout: {sb3: it was trained elsewhere, banditron: dull}\n",
}


def results_of(dim: int, counts: dict[str, list[int]]) -> Results:
    game = scenario("KnownL2", **({} if dim == 2 else {"dim": dim}))
    runs = [
        Run(label, seed, mistakes=number, loss=float(number), curve=[number])
        for label, numbers in counts.items()
        for seed, number in enumerate(numbers)
    ]
    return Results(game, 200, [0, 1, 2, 3], [200], contestants_of(list(counts), game), runs)


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Ship two suites that take no time, and play in this process."""
    for name, text in TINY.items():
        (tmp_path / f"{name}.yaml").write_text(text, encoding="utf-8")
        monkeypatch.setitem(grid.SUITES, name, tmp_path / f"{name}.yaml")
    monkeypatch.setattr(standard, "work", partial(standard.work, engine="serial"))


def test_the_numbers_are_what_one_counts_by_hand() -> None:
    (group,) = board([results_of(2, SMALL), results_of(5, LARGE)])
    assert (group.game, group.baseline, group.scenarios) == ("strategic", NAIVE, ["KnownL2", "KnownL2, dim=5"])
    rows = {(row.learner, row.scenario): row for row in group.rows}
    row = rows[STRATEGIC, "KnownL2"]
    assert (row.counts, row.seeds, row.rounds) == ([10, 20, 10, 20], [0, 1, 2, 3], 200)
    assert row.mistakes.value == 15.0  # the middle half: 10 and 20
    assert row.score and row.score.value == 0.625  # 25 of the 40 that lie between
    assert row.fewer and row.fewer.value == 1.0
    other = rows["margin-perceptron", "KnownL2, dim=5"]
    assert other.score and other.score.value == 0.5  # 60: 40 of 80
    assert other.fewer and other.fewer.value == 0.75  # the 120 lies above all
    assert rows[NAIVE, "KnownL2"].fewer is None


def test_standings_hold_what_each_learner_played_the_best_first() -> None:
    (group,) = board([results_of(2, SMALL), results_of(5, LARGE)])
    assert [(one.learner, one.scenarios) for one in group.standings] == [
        (ORACLE, 2),
        (STRATEGIC, 1),
        ("margin-perceptron", 1),
        (NAIVE, 2),
    ]


def test_without_the_two_ends_there_is_no_score_and_without_a_baseline_no_probability() -> None:
    (group,) = board([results_of(2, {name: SMALL[name] for name in (ORACLE, STRATEGIC)})])
    assert group.baseline is None
    assert all(row.score is None and row.fewer is None for row in group.rows)
    assert "normalised score: 0 is" not in page([group])


def spoilt(**change: Any) -> Results:
    """Return results in which one run of the strategic Perceptron is another."""
    good = results_of(2, SMALL)
    runs = [replace(run, **change) if (run.learner, run.seed) == (STRATEGIC, 2) else run for run in good.runs]
    return replace(good, runs=runs)


@pytest.mark.parametrize(
    ("results", "why"),
    [
        (spoilt(versions={}), "do not say with which versions"),
        (spoilt(versions={"strategic-env": "0.0.1"}), "different versions"),
        (spoilt(seed=7), "no run with 1 of 4 seeds, such as 2"),
        (spoilt(error="it fell asleep"), "failed with seed 2: it fell asleep"),
    ],
)
def test_rows_that_nobody_could_play_again_are_refused(results: Results, why: str) -> None:
    with pytest.raises(ValueError, match=f"{STRATEGIC} on KnownL2.*{why}"):
        board([results])


def test_one_seed_and_one_scenario_twice_are_refused() -> None:
    good = results_of(2, SMALL)
    with pytest.raises(ValueError, match="one seed only"):
        board([replace(good, seeds=[0], runs=[run for run in good.runs if run.seed == 0])])
    with pytest.raises(ValueError, match="different scenarios, got KnownL2 2 times"):
        board([good, good])
    with pytest.raises(TypeError, match="results must be a list"):
        board([])


def test_the_table_says_all_and_is_read_as_it_was_written(tmp_path: Path) -> None:
    groups = board([results_of(2, SMALL), results_of(5, LARGE)])
    html, table = write_board(groups, tmp_path / "out", ["Left out: nobody."])
    assert read_board(table) == [row for group in groups for row in group.rows]
    text = html.read_text(encoding="utf-8")
    for part in ("seeds 0 to 3", "200 rounds", "numpy", "Left out: nobody.", "margin-perceptron", "data:image/png"):
        assert part in text
    assert "<script" not in text and "http" not in text


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("0 1 2 3", "", "a count for each seed"),
        ("0 1 2 3", "0 1 2", "a count for each seed"),
        ("0 1 2 3", "0 1 2 x", "line 2, is no row"),
        ("scenario", "place", "holds no board"),
    ],
)
def test_tables_without_seeds_or_of_another_kind_are_refused(old: str, new: str, why: str, tmp_path: Path) -> None:
    table = write_board(board([results_of(2, SMALL)]), tmp_path)[1]
    table.write_text(table.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    with pytest.raises(ValueError, match=why):
        read_board(table)


def test_a_table_without_versions_is_refused(tmp_path: Path) -> None:
    groups = board([results_of(2, SMALL)])
    groups[0].rows[1].versions.clear()
    with pytest.raises(ValueError, match="line 3, must hold mistakes, a count for each seed, and versions"):
        read_board(write_board(groups, tmp_path)[1])


def rewritten(table: Path, at: int, **change: Any) -> list[BoardRow]:
    """Return the rows of a table, one of them changed."""
    rows = read_board(table)
    rows[at] = replace(rows[at], **change)
    return rows


def test_a_suite_is_played_kept_and_found_stale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    results, left_out = standard.play_suite(tmp_path / "suite", suite="two")
    assert [(one.scenario.name, one.rounds, one.seeds) for one in results] == [("KnownL2", 20, [0, 1])]
    assert not left_out
    table = write_board(board(results), tmp_path / "out")[1]
    assert not list(standard.staleness(table, suite="two"))

    def stale(**change: Any) -> list[str]:
        rows = rewritten(table, 0, **change)
        monkeypatch.setattr(standard, "read_board", lambda file: rows)
        return list(standard.staleness(table, suite="two"))

    first = read_board(table)[0]
    old = {"sources": "of yesterday"}
    assert not stale(versions=old)  # played again, and the same
    wrong = first.counts[0] + 1
    (line,) = stale(versions=old, counts=[wrong, *first.counts[1:]])
    assert f"{first.kind} on {first.name} for 20 rounds: {wrong} mistakes with seed 0 then" in line
    (line,) = stale(seeds=[0, 5])
    assert "played with other seeds" in line
    assert [line.rpartition(" is ")[2] for line in stale(rounds=30)] == [
        "not on the board",
        "on the board, not in the suite",
    ]


def test_the_standard_suite_holds_every_learner_that_fits_some_scenario() -> None:
    asked = grid.read_grid(standard.SUITE)
    cells, left_out = cells_of(asked)
    assert len(cells) > 200
    names = {line.partition(":")[0] for line in left_out}
    assert names >= set(asked.without) and not names & {cell.learner for cell in cells}


def test_a_suite_or_a_grid_without_learners_takes_all_but_some() -> None:
    cells, left_out = cells_of(grid.read_grid("all"))
    names = {cell.learner for cell in cells}
    assert left_out[:2] == ["sb3: it was trained elsewhere", "banditron: dull"]
    assert "biased-l1: no scenario here tells it enough" in left_out[2:]
    assert {NAIVE, ORACLE, "gappletron"} <= names and not names & {"sb3", "banditron"}
    asked = {"seeds": 2, "scenarios": ["KnownL2"]}
    for without, why in (({"perceptrons": ""}, "perceptrons"), (["sb3"], "without must name learners")):
        with pytest.raises((TypeError, ValueError), match=why):
            grid.read_grid({**asked, "without": without})
    with pytest.raises(ValueError, match="name some, or leave some out"):
        grid.read_grid({**asked, "learners": ["perceptron"], "without": {"sb3": ""}})


@pytest.mark.slow
def test_the_kept_board_is_what_the_standard_suite_plays_now() -> None:
    assert not list(standard.staleness(KEPT))
