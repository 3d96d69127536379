"""Results as a table, a JSON object, CSV files and a picture."""

import csv
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import asdict, fields
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from learners.fixed import BestFixedClassifier
from strategic_env.evaluation import Contestant, Results, Run
from strategic_env.plotting import plot
from strategic_env.summary import (
    Row,
    bound_text,
    failure_text,
    finite,
    plain,
    reference_of,
    rows,
    seeds_text,
    shown_name,
    title,
    why_no_bound,
    wrapped,
)

CURVES, SUMMARY, PICTURE = "curves.csv", "summary.csv", "mistakes.png"
MISSING = "-"


def show(results: Results, console: Console) -> None:
    """Print the table; columns that would be empty are left out, and the caption says why."""
    summary = rows(results)
    columns = [column for column in _columns() if any(cell != MISSING for cell in map(column[1], summary))]
    cells = [[show_cell(row) for _, show_cell in columns] for row in summary]
    widths = [
        max(map(len, [*heading.split("\n"), *(line[at] for line in cells)])) for at, (heading, _) in enumerate(columns)
    ]
    room = max(12, console.width - sum(widths) - 2 * len(widths))  # what two blanks before every number leave
    caption = Text("\n" + "\n".join(_notes(results, summary)))
    caption.highlight_regex(r"(?m)^[a-z ]+:", "bold")
    table = Table(
        box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold",
        title=Text(title(results), style="bold"), title_justify="left", caption=caption, caption_justify="left",
    )  # fmt: skip
    table.add_column("\nlearner", no_wrap=True)
    for (heading, _), width in zip(columns, widths, strict=True):
        table.add_column(heading, justify="right", no_wrap=True, min_width=width)
    for contestant, row, line in zip(results.contestants, summary, cells, strict=True):
        table.add_row(_label_cell(contestant, row, len(results.seeds), room), *line)
    console.print(table)


def _columns() -> list[tuple[str, Callable[[Row], str]]]:
    """Return the heading of every column of numbers, and how it shows a row."""
    return [
        ("mistakes\nmean", lambda row: _number(row.mistakes_mean, ",.1f")),
        ("\nmin", lambda row: _number(row.mistakes_min, ",d")),
        ("\nmax", lambda row: _number(row.mistakes_max, ",d")),
        ("\nregret", lambda row: _number(row.regret, "+,.1f")),
        ("\nbound", lambda row: MISSING if row.bound is None else bound_text(row.bound)),
        ("bound\nused", lambda row: _number(row.bound_used, ".1%")),
        ("\nmoved", lambda row: _number(row.manipulators, ".1%")),
        ("cost\npaid", lambda row: _number(row.qualified_cost, ".3f")),
    ]


def _number(value: float | None, form: str) -> str:
    return MISSING if value is None else format(value, form)


def _label_cell(contestant: Contestant, row: Row, seeds: int, width: int) -> Text:
    text = Text("\n".join(wrapped(shown_name(contestant), width)))
    if row.failed:
        text.append("\n" + "\n".join(textwrap.wrap(f"{row.failed} of {seeds} failed", width)), style="red")
    return text


def _notes(results: Results, summary: Sequence[Row]) -> list[str]:
    """Return the lines of the table's caption."""
    notes = [f"mistakes: in {results.rounds:,} rounds, over {seeds_text(results)}."]
    if reference_of(results) is None:
        notes.append(f"no regret: the reference ({BestFixedClassifier.name}) takes no part.")
    else:
        notes.append(f"reference: {BestFixedClassifier.name}, made from the true points; not always the best.")
        notes.append("regret: mean mistakes minus the reference's.")
    if any(row.bound is not None for row in summary):
        notes.append(f"bound: the theorem's on mistakes, sharpened; {MISSING} where none applies.")
        notes.append("bound used: mean mistakes / bound.")
    else:
        notes.append(f"{why_no_bound(results)}.")
    notes.append("moved: share of arrivals that manipulated.")
    notes.append("cost paid: by an average arrival of label +1; being accepted is worth 1.")
    return notes + [
        f"{failure_text(row, results)}: {' '.join((row.error or '').split())}" for row in summary if row.failed
    ]


def to_json(results: Results) -> dict[str, object]:
    """Return the object that ``strategic-env run --json`` prints.

    Numbers of a run that failed, and bounds that do not apply or are infinite, are None.

    Returns
    -------
    dict
        ``scenario``, ``options``, ``rounds``, ``seeds`` and ``results``: for each learner its name, explicit
        ``parameters``, ``bound``, ``printed_bound``, ``error`` and, one per seed, ``mistakes``, ``loss``,
        ``manipulations``, ``cpu_seconds``.
    """
    return {
        "scenario": results.scenario.name,
        "options": plain(results.scenario.options),
        "rounds": results.rounds,
        "seeds": plain(results.seeds),
        "results": [_entry(results, contestant) for contestant in results.contestants],
    }


def _entry(results: Results, contestant: Contestant) -> dict[str, object]:
    runs = results.of(contestant)

    def per_seed(value: Callable[[Run], float]) -> list[object]:
        return [None if run.error is not None else plain(value(run)) for run in runs]

    return {
        "learner": contestant.name,
        "parameters": plain(contestant.parameters),
        "mistakes": per_seed(lambda run: run.mistakes),
        "loss": per_seed(lambda run: run.loss),
        "manipulations": per_seed(lambda run: run.manipulations),
        "bound": finite(results.bound(contestant)),
        "printed_bound": finite(results.bound(contestant, printed=True)),
        "cpu_seconds": per_seed(lambda run: run.cpu_seconds),
        "error": next((run.error for run in runs if run.error is not None), None),
    }


def write_curves(results: Results, path: str | Path) -> None:
    """Write every curve as CSV: learner, seed, round, mistakes up to that round."""
    with Path(path).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("learner", "seed", "round", "mistakes"))
        for run in results.runs:
            # The curve of a run that failed stops early.
            points = zip(results.checkpoints, run.curve, strict=False)
            writer.writerows((run.learner, run.seed, step, mistakes) for step, mistakes in points)


def write_summary(results: Results, path: str | Path) -> None:
    """Write the table as CSV, one line per learner, the fields of `Row`; empty where a number is None."""
    with Path(path).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Row)])
        writer.writeheader()
        writer.writerows(asdict(row) for row in rows(results))


def save(results: Results, folder: str | Path) -> list[Path]:
    """Write the curves, the table and the picture to a folder, and return their paths.

    Raises
    ------
    ImportError
        If matplotlib is missing.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    writers = {CURVES: write_curves, SUMMARY: write_summary, PICTURE: plot}
    for name, write in writers.items():
        write(results, folder / name)
    return [folder / name for name in writers]
