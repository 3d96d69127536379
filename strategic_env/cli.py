"""The command line: ``strategic-env list | run | report``."""

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from strategic_env.registration import SCENARIOS

if TYPE_CHECKING:
    from strategic_env.evaluation import Contestant
    from strategic_env.scenarios import Scenario

app = typer.Typer(
    name="strategic-env",
    help="Learners meet people who react to them.",
    add_completion=False,
    pretty_exceptions_enable=False,
)
errors = Console(stderr=True, soft_wrap=True, highlight=False)

DONE, FAILED, WRONG_USAGE = range(3)


def main() -> None:
    """Run the command line; every error is one line on stderr."""
    try:
        sys.exit(app(standalone_mode=False) or DONE)
    except Exception as error:
        # Typer's own usage errors; their base class is not public.
        if not hasattr(error, "format_message"):
            raise
        errors.print(f"error: {error.format_message().removeprefix('Invalid value: ')}", style="red", markup=False)
        sys.exit(WRONG_USAGE)


@app.callback(invoke_without_command=True)
def _main(context: typer.Context) -> None:
    """Learners meet people who react to them."""
    if context.invoked_subcommand is None:
        print(context.get_help())


@app.command("list")
def list_names() -> None:
    """Show every scenario and learner with one line each."""
    from learners.catalogue import LEARNERS

    console = Console()
    for title, lines in (
        ("Scenarios", SCENARIOS),
        ("Learners", {name: learner.summary for name, learner in LEARNERS.items()}),
    ):
        table = Table(
            title=title, title_justify="left", title_style="bold", show_header=False, box=None, padding=(0, 2)
        )
        table.add_column(no_wrap=True, style="cyan")
        table.add_column()
        for name, summary in lines.items():
            table.add_row(name, summary)
        console.print(table)


@app.command()
def run(
    scenario: Annotated[str, typer.Argument(metavar="SCENARIO", help="Its name; `strategic-env list` shows all.")],
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="An option of the scenario; may be repeated.")
    ] = None,
    learner: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME[:KEY=VALUE,...]",
            help="A learner and its parameters; may be repeated. Default: all that are told enough.",
        ),
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, help="Number of seeds.")] = 10,
    rounds: Annotated[
        int | None, typer.Option(min=1, help="Rounds per run; the scenario's horizon by default.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(file_okay=False, help="Folder for curves (CSV), picture (PNG) and finished runs.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of the table.")] = False,
) -> None:
    """Let learners meet a scenario's individuals; print a table of mistakes, save curves and a picture.

    Runs that OUT already holds with the same settings are not repeated, so an interrupted command resumes.
    """
    from strategic_env import evaluation, scenarios

    try:
        chosen = scenarios.scenario(scenario, **parse_settings(settings or []))
        skipped: list[str] = []
        if learner:
            contestants = [evaluation.contestant(name, chosen, **given) for name, given in map(parse_learner, learner)]
        else:
            contestants, skipped = evaluation.all_contestants(chosen)
        evaluation.check_labels(contestants)
    except (ValueError, TypeError) as error:
        raise typer.BadParameter(str(error)) from error
    for reason in skipped:
        errors.print(f"skipped: {reason}", style="dim", markup=False)
    _run(chosen, contestants, list(range(seeds)), rounds, out, as_json)


@app.command()
def report(
    folder: Annotated[Path, typer.Argument(metavar="DIR", exists=True, file_okay=False, help="What `run --out` left.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of the table.")] = False,
) -> None:
    """Show the results of an earlier run again, after finishing what it left undone."""
    from strategic_env import evaluation

    try:
        chosen, contestants, seeds, rounds = evaluation.load_settings(folder)
    except (ValueError, TypeError, OSError) as error:
        raise typer.BadParameter(f"DIR must hold the results of a run, got {folder}: {error}") from error
    _run(chosen, contestants, seeds, rounds, folder, as_json)


def parse_settings(settings: Sequence[str]) -> dict[str, object]:
    """Turn ``["key=value", ...]`` into keywords; values are JSON where they can be, else text.

    Raises
    ------
    ValueError
        If one is not of this form or a key comes twice.
    """
    parsed: dict[str, object] = {}
    for text in settings:
        key, equals, value = text.partition("=")
        if not equals or not key.isidentifier():
            raise ValueError(f"a setting must read KEY=VALUE, got {text!r}")
        if key in parsed:
            raise ValueError(f"a setting must be given once, got {key!r} twice")
        try:
            parsed[key] = json.loads(value)
        except json.JSONDecodeError:
            parsed[key] = {"True": True, "False": False, "None": None}.get(value, value)
    return parsed


def parse_learner(text: str) -> tuple[str, dict[str, object]]:
    """Turn ``"name:key=value,key=[1,2]"`` into a name and its parameters; commas in brackets do not separate."""
    name, _, rest = text.partition(":")
    parts = re.split(r",(?![^\[]*\])", rest) if rest else []
    return name, parse_settings(parts)


def _run(
    scenario: "Scenario",
    contestants: "Sequence[Contestant]",
    seeds: Sequence[int],
    rounds: int | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Evaluate with a progress bar, then show and save the results."""
    from strategic_env import report as reports
    from strategic_env.evaluation import evaluate

    if out is not None:
        from strategic_env.extras import require_plot

        try:
            require_plot()  # before the work, not after it
        except ImportError as error:
            raise typer.BadParameter(str(error)) from error
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    try:
        with Progress(*columns, console=errors, transient=True) as bar:
            task = bar.add_task(scenario.name, total=len(contestants) * len(seeds))
            results = evaluate(contestants, scenario, seeds, rounds, out=out, progress=lambda _: bar.advance(task))
    except KeyboardInterrupt:
        kept = f"finished runs are kept in {out}; the same command goes on from there" if out else "nothing was saved"
        errors.print(f"interrupted: {kept}", style="red", markup=False)
        raise typer.Exit(FAILED) from None
    if as_json:
        print(json.dumps(reports.to_json(results), allow_nan=False))
    else:
        reports.show(results, Console())
    if out is not None:
        saved = reports.save(results, out)
        errors.print(f"saved {', '.join(str(path) for path in saved)}", style="dim", markup=False)
    if any(run.error for run in results.runs):
        raise typer.Exit(FAILED)
