"""Results as a table, a JSON object, CSV files and a picture."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, fields
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from rich.console import Console
from rich.text import Text

from agents.foundation.checks import file_path, flag
from agents.foundation.files import made_folder, write_csv
from strategic_env.bench.contestants import Contestant
from strategic_env.bench.encoding import plain
from strategic_env.bench.evaluation import Results
from strategic_env.bench.playing import Run
from strategic_env.bench.saved import CURVES, PICTURE, SUMMARY, refuse_strangers
from strategic_env.games.shared.columns import Column
from strategic_env.report.curves import plot
from strategic_env.report.group_rows import cells, check_grouped, group_lines, in_files, names_in_files, of_everybody
from strategic_env.report.layout import MISSING, print_learners
from strategic_env.report.output import encodable, plain_console
from strategic_env.report.sheets import Line, Sheet
from strategic_env.report.summary import (
    HOW_THE_REFERENCE_IS_MADE,
    Row,
    bound_failures,
    bound_of,
    bound_text,
    checked_results,
    counted,
    failure_text,
    finished,
    how_played,
    missing_text,
    reference_of,
    rows,
    seeds_text,
    shown_name,
    title,
)

# Tables with groups leave out other columns: there would be no room for them.
BESIDE_GROUPS = ("mean", "regret", "bound")
GAP_NOTE = "gap: the largest group less the smallest; a learner's own line is of everybody."

Shown: TypeAlias = tuple[str, Callable[[Row], str]]  # a heading, and what a row shows below it


def show(results: Results, console: Console | None = None, *, groups: bool = False) -> None:
    """Print the table to the terminal, or to another console; columns that would be empty are left out.

    ``groups`` adds a row for each group of the scenario (`docs/burden.md`), and one for the gap between them.

    Examples
    --------
    >>> from strategic_env import evaluate, report
    >>> results = evaluate(["perceptron", "strategic-perceptron-l2"], "KnownL2", seeds=2, rounds=300)
    >>> report.show(results)
    KnownL2: mistakes in 300 rounds, over 2 seeds
                                                    bound          cost
    learner                  mean  min  max  bound   used  moved   paid
    ───────────────────────────────────────────────────────────────────
    perceptron               41.5   40   43      -      -  14.3%  0.011
    strategic-perceptron-l2   3.0    2    4    100   3.0%  14.7%  0.097
    ...
    """
    console = console or plain_console()
    shown = sheet(results, groups=groups)
    console.print(Text(encodable(shown.title, console), style="bold"))
    print_learners(console, shown.headings[1:], shown.lines)
    notes = Text(encodable("\n".join(["", *shown.notes]), console))
    notes.highlight_regex(r"(?m)^[a-z ]+:", "bold")
    console.print(notes)


def sheet(results: Results, *, groups: bool = False) -> Sheet:
    """Return the table as a value; columns that would be empty are left out.

    ``groups`` as of `show`.

    Raises
    ------
    ValueError
        If there are no groups to show.

    Examples
    --------
    >>> from strategic_env import evaluate, report
    >>> table = report.sheet(evaluate(["strategic-perceptron-l2"], "KnownL2", seeds=2, rounds=300))
    >>> table.title, table.lines[0].cells[:3]
    ('KnownL2: mistakes in 300 rounds, over 2 seeds', ['3.0', '2', '4'])
    """
    summary = rows(checked_results(results))
    columns = columns_of([results], summary)
    headings, notes = [heading for heading, _ in columns], _notes(results, summary)
    lines = [
        Line(shown_name(contestant), [show_cell(row) for _, show_cell in columns], _below(row, results))
        for contestant, row in zip(results.contestants, summary, strict=True)
    ]
    if flag("groups", groups):
        headings, lines = with_groups(results, headings, lines)
        notes = [note for note in notes if note not in {one.note for one in results.scenario.table}]
        notes[-1:-1] = [one.note for one in results.scenario.group_table] + [GAP_NOTE]
    what = f"{title(results)}: mistakes in {counted(results.rounds, 'round')}, over {seeds_text(results)}"
    return Sheet(what, ["learner", *headings], lines, notes)


def with_groups(results: Results, headings: Sequence[str], lines: Sequence[Line]) -> tuple[list[str], list[Line]]:
    """Return headings and lines with the measures of groups, each group's in a line of its own."""
    check_grouped(results)
    table = results.scenario.group_table
    kept = [at for at, heading in enumerate(headings) if heading in BESIDE_GROUPS]
    found: list[Line] = []
    for contestant, line in zip(results.contestants, lines, strict=True):
        own = [line.cells[at] for at in kept]
        found.append(Line(line.name, [*own, *cells(table, of_everybody(results, contestant))], line.below))
        found += group_lines(results, contestant, [""] * len(kept))
    return [*(headings[at] for at in kept), *(one.heading for one in table)], found


def columns_of(results: Sequence[Results], summary: Sequence[Row]) -> list[Shown]:
    """Return the columns of numbers that a table of these rows has, in any form: those that would be empty are not."""
    tables = {one.name: one for each in results for one in each.scenario.table}.values()
    added: list[Shown] = [(one.heading, partial(_added, one)) for one in tables]
    return [column for column in [*_COLUMNS, *added] if any(cell != MISSING for cell in map(column[1], summary))]


def _below(row: Row, results: Results) -> list[Text]:
    """Return what is to be said below a learner's numbers."""
    failed = Text(f"  {row.failed} of {seeds_text(results)} failed", style="red")
    return [failed] * (row.failed > 0) + [Text(f"  {missing_text(row, results)}")] * (row.missing > 0)


def _number(value: float | None, form: str) -> str:
    return MISSING if value is None else format(value, form)


def _mean(value: float | None, sign: str) -> str:
    """Write a mean number of mistakes, from 1,000 on without decimals, so that the table stays narrow."""
    return _number(value, f"{sign},.1f" if value is None or abs(value) < 1000.0 else f"{sign},.0f")


def _added(column: Column, row: Row) -> str:
    return _number(row.columns.get(column.name), column.form)


# The heading of every column of numbers of any game, and how it shows a row.
_COLUMNS: list[Shown] = [
    ("mean", lambda row: _mean(row.mistakes_mean, "")),
    ("min", lambda row: _number(row.mistakes_min, ",d")),
    ("max", lambda row: _number(row.mistakes_max, ",d")),
    ("regret", lambda row: _mean(row.regret, "+")),
    ("bound", lambda row: MISSING if row.bound is None else bound_text(row.bound)),
    ("bound\nused", lambda row: _number(row.bound_used, ".1%")),
]


def _notes(results: Results, summary: Sequence[Row]) -> list[str]:
    """Return the lines below the table."""
    scenario = results.scenario
    if scenario.reference is None:
        notes = ["regret: not shown; the bench has no best fixed classifier for this game."]
    elif reference_of(results) is None:
        notes = [f"regret: not shown; it is against {scenario.reference}, which was not asked for."]
    else:
        notes = [f"reference: {HOW_THE_REFERENCE_IS_MADE}."]
        notes.append("regret: mean mistakes minus the reference's; below 0 where a learner beats it.")
    if any(row.bound is not None for row in summary):
        notes.append(f"bound: the theorem's on mistakes, sharpened; {MISSING} where none applies.")
        notes.append("bound used: mean mistakes / bound.")
    else:
        notes.append(f"{scenario.why_no_bound()}.")
    notes += [f"{' '.join(text.split())}." for text in bound_failures(results)]
    notes += [column.note for column in scenario.table]
    notes.append(f"played: {how_played(results)}.")
    if results.unused_lines:
        notes.append(f"not used: {unused_text(results)}.")
    return notes + [
        f"{failure_text(row, results)}: {' '.join((row.error or '').split())}" for row in summary if row.failed
    ]


def unused_text(results: Results) -> str:
    """Say how many lines of a folder's files tell nothing, and what becomes of them."""
    lines = counted(results.unused_lines, "line")
    return f"{lines} of the folder's files, torn, damaged or changed; evaluating again plays those runs again"


def to_json(results: Results) -> dict[str, object]:
    """Return the object that ``strategic-env run --json`` prints.

    Numbers of a run that failed or is missing, and bounds that do not apply or are infinite, are None.

    Returns
    -------
    dict
        ``scenario``, ``options``, ``rounds``, ``seeds`` and ``results``: for each learner its ``label``, name,
        explicit ``parameters``, ``bound``, ``printed_bound``, ``error`` and, one per seed, ``mistakes``, ``loss``,
        ``cpu_seconds`` and what the game counts besides, such as ``manipulations``.

    Examples
    --------
    >>> from strategic_env import evaluate, report
    >>> told = report.to_json(evaluate(["strategic-perceptron-l2"], "KnownL2", seeds=2, rounds=300))
    >>> told["scenario"], told["rounds"], told["results"][0]["mistakes"], told["results"][0]["bound"]
    ('KnownL2', 300, [2, 4], 100.0)
    """
    return {
        "scenario": checked_results(results).scenario.name,
        "options": plain(results.scenario.options),
        "rounds": results.rounds,
        "seeds": plain(results.seeds),
        "results": [_entry(results, contestant) for contestant in results.contestants],
    }


def _counted(name: str, run: Run) -> float:
    return run.columns[name]


def _entry(results: Results, contestant: Contestant) -> dict[str, object]:
    runs = results.of(contestant)
    done = {run.seed: run for run in finished(runs)}

    def per_seed(value: Callable[[Run], float]) -> list[object]:
        return [plain(value(done[seed])) if seed in done else None for seed in results.seeds]

    counted = {name: per_seed(partial(_counted, name)) for name in results.scenario.columns}
    return {
        "label": contestant.label,
        "learner": contestant.name,
        "parameters": plain(contestant.parameters),
        "mistakes": per_seed(lambda run: run.mistakes),
        "loss": per_seed(lambda run: run.loss),
        **counted,
        **in_files(results, contestant),
        "bound": bound_of(results, contestant),
        "printed_bound": bound_of(results, contestant, printed=True),
        "cpu_seconds": per_seed(lambda run: run.cpu_seconds),
        "error": next((run.error for run in runs if run.error is not None), None),
    }


def write_curves(results: Results, path: str | Path) -> None:
    """Write every curve as CSV, at once or not at all: learner, seed, round, mistakes up to that round.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from strategic_env import evaluate, report
    >>> results = evaluate(["strategic-perceptron-l2"], "KnownL2", seeds=1, rounds=300)
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "curves.csv"
    ...     report.write_curves(results, file)
    ...     lines = file.read_text().splitlines()
    >>> lines[0], lines[-1]
    ('learner,seed,round,mistakes', 'strategic-perceptron-l2,0,300,2')
    """
    lines = (
        (run.learner, run.seed, step, mistakes)
        for run in checked_results(results).runs
        # The curve of a run that failed stops early.
        for step, mistakes in zip(results.checkpoints, run.curve, strict=False)
    )
    write_csv(file_path("path", path), ("learner", "seed", "round", "mistakes"), lines)


def write_summary(results: Results, path: str | Path) -> None:
    """Write the table as CSV, at once or not at all: one line per learner, as `Row` says; empty for None.

    Examples
    --------
    >>> import csv
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from strategic_env import evaluate, report
    >>> results = evaluate(["strategic-perceptron-l2"], "KnownL2", seeds=2, rounds=300)
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "summary.csv"
    ...     report.write_summary(results, file)
    ...     (line,) = csv.DictReader(file.read_text().splitlines())
    >>> line["learner"], line["mistakes_mean"], line["bound"]
    ('strategic-perceptron-l2', '3.0', '100.0')
    """
    header, lines = records(checked_results(results))
    write_csv(file_path("path", path), header, ([line[name] for name in header] for line in lines))


def records(results: Results) -> tuple[list[str], list[dict[str, Any]]]:
    """Return the names of the table's numbers, unrounded, and what each learner has of them."""
    lines = [asdict(row) for row in rows(results)]
    for line, contestant in zip(lines, results.contestants, strict=True):
        line["columns"] |= in_files(results, contestant)
    names = [field.name for field in fields(Row) if field.name != "columns"]
    names += [*(column.name for column in results.scenario.table), *names_in_files(results)]
    return names, [line | line.pop("columns") for line in lines]


def save(results: Results, folder: str | Path) -> list[Path]:
    """Write the curves, the table and the picture to a folder, and return their paths.

    Raises
    ------
    FileExistsError
        If the folder holds files of these names that are of something else, or links; then nothing is written.
    ImportError, DrawingFailed
        If matplotlib is missing or fails; all but the picture is written.
    TypeError, ValueError
        If the folder is no path.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from strategic_env import evaluate, report
    >>> results = evaluate(["strategic-perceptron-l2"], "KnownL2", seeds=1, rounds=300)
    >>> with TemporaryDirectory() as folder:
    ...     files = report.save(results, folder)
    >>> [file.name for file in files]
    ['curves.csv', 'summary.csv', 'mistakes.png']
    """
    checked_results(results)
    folder = made_folder("folder", file_path("folder", folder))
    refuse_strangers(folder)
    writers: dict[str, Callable[[Results, Path], object]] = {
        CURVES: write_curves,
        SUMMARY: write_summary,
        PICTURE: plot,
    }
    for name, write in writers.items():
        write(results, folder / name)
    return [folder / name for name in writers]
