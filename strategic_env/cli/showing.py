"""What commands read of folders, print, draw and save there."""

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path

import typer

from agents.foundation.checks import one_of
from agents.foundation.pictures import DrawingFailed
from strategic_env.bench.evaluation import Results
from strategic_env.cli.output import FAILED, errors, note
from strategic_env.report import tables
from strategic_env.report.curves import plot
from strategic_env.report.exports import to_latex, to_markdown
from strategic_env.report.panels import plot_panels
from strategic_env.report.summary import title
from strategic_env.sweep.reading import found_in

FORMS = ("markdown", "latex", "csv")


def loaded(folder: Path) -> list[Results]:
    """Return what a folder holds, of a run or of each scenario of a sweep, and say what the sweep lacks.

    Raises
    ------
    OSError, ValueError
        If it holds no results, with its name.
    """
    try:
        results, lacking = found_in(folder)
    except (OSError, ValueError) as error:
        raise ValueError(f"DIR must hold the results of a run, got {folder}: {error}") from error
    if lacking:
        note(lacking)
    return results


def written(results: Sequence[Results], form: str) -> str:
    """Return the table of all results as a text.

    Raises
    ------
    ValueError
        If there is no such form.
    """
    chosen = one_of("--format", form, FORMS)
    return {"markdown": to_markdown, "latex": to_latex, "csv": _csv}[chosen](results)


def drawn(results: Sequence[Results], picture: Path, band: str) -> Path:
    """Draw the curves of one scenario, or a panel for each of several, and return where.

    Raises
    ------
    ValueError
        As `strategic_env.report.plot` or `strategic_env.report.plot_panels`.
    """
    try:
        if len(results) > 1 or len(results[0].checkpoints) == 1:
            plot_panels(results, picture, band=band)
        else:
            plot(results[0], picture, band=band)
    except DrawingFailed as error:
        raise ValueError(str(error)) from error
    return picture


def _csv(results: Sequence[Results]) -> str:
    text = io.StringIO()
    names = list(dict.fromkeys(name for one in results for name in tables.records(one)[0]))
    writer = csv.DictWriter(text, ["scenario", *names], lineterminator="\n")
    writer.writeheader()
    for one in results:
        writer.writerows({"scenario": title(one), **line} for line in tables.records(one)[1])
    return text.getvalue().rstrip("\n")


def show(results: Results, out: Path | None, as_json: bool, *, groups: bool = False) -> None:
    """Save all that the folder holds, then print the results: neither failure costs the other."""
    try:
        if out is not None:
            _save(Results.load(out), out)  # with the runs of everybody who played there
    finally:
        if as_json:
            print(json.dumps(tables.to_json(results), allow_nan=False))
            if results.unused_lines:
                errors.print(f"not used: {tables.unused_text(results)}", style="dim")
        else:
            tables.show(results, groups=groups)


def fail_with(*every: Results) -> None:
    """End with status 1 if a run failed."""
    if any(run.error for results in every for run in results.runs):
        raise typer.Exit(FAILED)


def _save(results: Results, out: Path) -> None:
    """Save the results; all but the picture, where it cannot be drawn."""
    try:
        saved = ", ".join(str(path) for path in tables.save(results, out))
    except (ImportError, DrawingFailed) as error:
        saved = f"{out} without the picture: {error}"
    errors.print(f"saved {saved}", style="dim")
