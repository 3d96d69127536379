"""The command line: ``strategic-env list | run | report | board | train | reproduce | explore | sweep | warm``."""

import importlib.metadata
import json
import logging
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import Progress, TaskID

from strategic_env.bench.arguments import parse_settings
from strategic_env.cli import sweep as sweeps
from strategic_env.cli.board import BOARDS, board
from strategic_env.cli.compare import compare
from strategic_env.cli.output import (
    DONE,
    FAILED,
    NOTHING,
    WRONG_USAGE,
    errors,
    failed,
    folder_named,
    progress_bar,
    usage,
)
from strategic_env.cli.report import report
from strategic_env.cli.run import RUNS, run
from strategic_env.cli.tune import tune
from strategic_env.report.output import plain_console, standard_streams

if TYPE_CHECKING:
    from learners.rl import training

app = typer.Typer(
    name="strategic-env",
    help="Learners meet people who react to them.",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(sweeps.app, name="sweep")
TRAININGS = """
strategic-env train ppo MetaL2 --out trained

strategic-env train sac KnownL2 --set dim=5 --set population_seed=3 --timesteps 50000

strategic-env run MetaL2 --learner sb3:path=trained --learner strategic-perceptron-l2
"""
INTERRUPTED_BY_TYPER = 130


class _Notes(logging.Handler):
    """Shows what the packages log, such as that something compiles, as lines of the command's own."""

    def emit(self, record: logging.LogRecord) -> None:
        try:
            errors.print(record.getMessage(), style="dim")
        except Exception:
            self.handleError(record)


def main() -> None:
    """Run the command line; every error is one line on stderr."""
    notes, shown = logging.getLogger("agents"), _Notes()
    notes.addHandler(shown)
    notes.setLevel(logging.INFO)
    try:
        with standard_streams():
            sys.exit(_status())
    finally:
        notes.removeHandler(shown)


def _status() -> int:
    try:
        status: int = app(prog_name="strategic-env", standalone_mode=False) or DONE
        sys.stdout.flush()
    except (KeyboardInterrupt, typer.Abort):
        status = INTERRUPTED_BY_TYPER
    except (OSError, MemoryError) as error:
        status = failed(f"error: {str(error) or 'not enough memory'}", FAILED)
    except Exception as error:
        # Typer's own usage errors; their base class is not public.
        if not hasattr(error, "format_message"):
            raise
        status = failed(f"error: {error.format_message().removeprefix('Invalid value: ')}", WRONG_USAGE)
    if status == INTERRUPTED_BY_TYPER:
        status = failed(f"interrupted: {NOTHING}", FAILED)
    return status


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"strategic-env {importlib.metadata.version('strategic-env')}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _main(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Learners meet people who react to them."""
    if context.invoked_subcommand is None:
        print(context.get_help())


@app.command("list")
def list_names(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="A scenario or learner, to show in full.")] = None,
) -> None:
    """Show every scenario and learner with one line each, or the options of one."""
    from strategic_env.cli import listing

    if name is None:
        listing.show_all(plain_console())
    else:
        with usage():
            listing.show_one(name, plain_console())


app.command(epilog=RUNS)(run)
app.command()(report)
app.command()(compare)
app.command(epilog=BOARDS)(board)


@app.command(epilog=TRAININGS)
def train(
    algorithm: Annotated[str, typer.Argument(metavar="ALGO", help="`ppo`, `ppo_lstm` (recurrent), `sac` or `tqc`.")],
    scenario: Annotated[str, typer.Argument(metavar="SCENARIO", help="Its name; `strategic-env list` shows all.")],
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="An option of the scenario, or its reward; may be repeated."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of everything that is random in training.")] = 0,
    timesteps: Annotated[
        int | None,
        typer.Option(min=1, help="Rounds, rounded up to whole rollouts; as the hyper-parameters say by default."),
    ] = None,
    hyperparameters: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="YAML in the format of rl-zoo3, which says what the policy sees, too; the package's by default.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(parser=folder_named, metavar="DIR", help="Folder; ALGO-SCENARIO-SEED by default."),
    ] = None,
    tensorboard: Annotated[
        bool, typer.Option("--tensorboard", help="Log for TensorBoard, too: `tensorboard --logdir DIR`.")
    ] = False,
) -> None:
    """Train a policy, to `run` beside the paper's learners: `--learner sb3:path=DIR/policy.zip`.

    An interrupted or killed training goes on at its last checkpoint, with the same command, and ends as if nothing had
    happened.
    """
    from strategic_env.cli.train import prepare

    with usage():
        prepared = prepare(
            algorithm,
            scenario,
            parse_settings(settings or []),
            seed=seed,
            timesteps=timesteps,
            hyperparameters=hyperparameters,
            out=out,
        )
    progress = prepared.training.progress
    folder = prepared.training.folder.path
    options = ", ".join(f"{key}={json.dumps(value)}" for key, value in prepared.options.items()) or "no options"
    if progress.done:
        errors.print(f"{folder}: this training is done", style="dim")
    else:
        since = f", going on after {progress.timesteps:,}" if progress.timesteps else ""
        work = f"{algorithm} on {scenario} with {options}: {progress.total:,} rounds{since}"
        errors.print(work, style="dim")
    try:
        with progress_bar() as bar:
            task = bar.add_task("evaluating", total=progress.total)
            policy = prepared.training.run(_told_by(bar, task, len(progress.evaluations)), tensorboard=tensorboard)
    except KeyboardInterrupt:
        begun = f"{folder} keeps the last checkpoint; the same command goes on from there"
        raise typer.Exit(failed(f"interrupted: {begun if progress.evaluations else NOTHING}", FAILED)) from None
    except RuntimeError as error:
        raise typer.Exit(failed(f"error: {error}", FAILED)) from error
    print(prepared.summary())
    errors.print(f"saved {policy}", style="dim")


def _told_by(bar: Progress, task: TaskID, begun: int) -> "Callable[[training.Progress], None]":
    """Return what shows a training: the bar or, where nobody sees it move, a line for each new evaluation."""
    from strategic_env.cli.train import described

    told = begun

    def tell(progress: "training.Progress") -> None:
        nonlocal told
        bar.update(task, completed=progress.timesteps, description=described(progress))
        if not errors.is_terminal and len(progress.evaluations) > told:
            told = len(progress.evaluations)
            errors.print(f"{progress.evaluations[-1].timesteps:,} rounds: {described(progress)}")

    return tell


app.command()(tune)


@app.command()
def explore(
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="SCENARIO|DIR",
            help="A scenario of two features, or what `run --out`, or a sweep, left; by default the lecture's task.",
        ),
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Where to listen; 0 for any free port.")] = 5006,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")] = True,
) -> None:
    """Serve a page on this machine: see a learner and its individuals step by step, or the results of a run."""
    from strategic_env.cli import explore as explorer

    with usage():
        page = explorer.page_for(what)
    explorer.serve(page, port, browser)


@app.command()
def reproduce(
    what: Annotated[
        str,
        typer.Argument(
            metavar="WHAT",
            help="`examples`, `bounds`, `lecture`, `responses`, `gappletron` or `margin-independent`.",
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(parser=folder_named, metavar="DIR", help="Folder for pictures, tables and a copy of the text."),
    ] = Path("reproduced"),
    runs: Annotated[
        int | None,
        typer.Option(
            min=1, help="`bounds`: streams for every bound (3,000); `responses`: games (100); the last two: seeds (10)."
        ),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A small form of the last three, in minutes.")] = False,
) -> None:
    """Compute again what the papers print, and compare: examples and figures, bounds, tasks, experiments."""
    from agents.foundation.files import UNFINISHED
    from agents.foundation.pictures import DrawingFailed
    from strategic_env.reproduce import Request, reproduction, show, text_in

    with usage():
        chosen = reproduction(what, runs, quick)
        copy = text_in(out, what)
    if not errors.is_terminal:
        errors.print(f"{what}: computing")
    try:
        with progress_bar() as bar:
            task = bar.add_task(what, total=None)
            request = Request(out, runs, lambda done, total: bar.update(task, completed=done, total=total), quick)
            result = chosen(request)
    except (ImportError, DrawingFailed) as error:
        raise typer.BadParameter(str(error)) from error
    except KeyboardInterrupt:
        kept = [str(path) for path in sorted(out.glob(f"*{UNFINISHED}")) if path.stat().st_size > 0]
        found = f"{', '.join(kept)} keeps what had finished" if kept else NOTHING
        raise typer.Exit(failed(f"interrupted: {found}", FAILED)) from None
    show(result, copy)
    errors.print(f"saved {', '.join(str(path) for path in [*result.files, copy])}", style="dim")
    for line in result.unexpected:
        failed(f"unexpected: {line}", FAILED)
    if result.unexpected:
        raise typer.Exit(FAILED)


@app.command()
def warm(
    scenarios: Annotated[
        list[str] | None,
        typer.Argument(metavar="[SCENARIO]...", help="Their names; all that `strategic-env list` shows by default."),
    ] = None,
) -> None:
    """Compile ahead what `run SCENARIO` needs, and environments of one game and of many, on all processor cores.

    What is compiled is kept on disk, where every later process finds it.
    """
    from strategic_env.bench.warming import warm
    from strategic_env.games.registration import scenario_names
    from strategic_env.games.scenarios import kind_of

    names = list(dict.fromkeys(scenarios or scenario_names()))
    with usage():
        for name in names:
            kind_of(name)
    if not errors.is_terminal:
        errors.print(f"compiling for {', '.join(names)}")
    try:
        with progress_bar() as bar:
            task = bar.add_task("compiling", total=None)
            warm(names, lambda what, total: bar.update(task, advance=1, total=total, description=what))
    except KeyboardInterrupt:
        raise typer.Exit(failed("interrupted: what had been compiled is kept", FAILED)) from None
