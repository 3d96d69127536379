"""The command line: ``strategic-env list | run | report | train | reproduce | explore | sweep | warm``."""

import importlib.metadata
import json
import logging
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import Progress, TaskID

from strategic_env.bench.arguments import parse_seeds, parse_settings
from strategic_env.cli import sweep as sweeps
from strategic_env.cli.output import DONE, FAILED, WRONG_USAGE, errors, failed, note, progress_bar, usage
from strategic_env.report.output import plain_console, standard_streams

if TYPE_CHECKING:
    from learners.rl import training
    from strategic_env.bench.contestants import Contestant
    from strategic_env.bench.evaluation import Results
    from strategic_env.games.shared.scenario import BenchScenario

app = typer.Typer(
    name="strategic-env",
    help="Learners meet people who react to them.",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(sweeps.app, name="sweep")
EXAMPLES = """
strategic-env run GermanCredit --out results

strategic-env run KnownL2 --set dim=10 --set margin=0.05 --rounds 5000

strategic-env run KnownL1 --learner perceptron:bias=true --learner biased-l1 --seeds 3 --json

strategic-env run mydata.csv --label repaid --alpha savings=0.5 --alpha income=0.2 --set orient=auto
"""
TRAININGS = """
strategic-env train ppo MetaL2 --out trained

strategic-env train sac KnownL2 --set dim=5 --set population_seed=3 --timesteps 50000

strategic-env run MetaL2 --learner sb3:path=trained --learner strategic-perceptron-l2
"""
INTERRUPTED_BY_TYPER = 130
NOTHING = "nothing had finished"


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


def _folder(text: str) -> Path:
    if not text:
        raise typer.BadParameter("--out must name a folder, got ''")
    return Path(text)


@app.command(epilog=EXAMPLES)
def run(
    scenario: Annotated[
        str,
        typer.Argument(metavar="SCENARIO", help="Its name; `strategic-env list` shows all. Or a table, FILE.csv."),
    ],
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="An option of the scenario, or of `strategic_env.from_table` for a table; may be repeated.",
        ),
    ] = None,
    label: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Of a table: the column that says whom to accept.")
    ] = None,
    alpha: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=REACH",
            help="Of a table: how many standard deviations people can move a column; may be repeated.",
        ),
    ] = None,
    groups: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Of a table: who belongs to which group; no learner sees it.")
    ] = None,
    learner: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME[:KEY=VALUE,...]",
            help="A learner and its parameters, or a class of your own, MODULE:CLASS[:KEY=VALUE,...]; may be repeated. "
            "Default: all that are told enough.",
        ),
    ] = None,
    seeds: Annotated[
        str,
        typer.Option(metavar="N|A-B,...", help="How many seeds (10: 0 to 9), or which (5-9: 5 to 9, both; 0,3,7-9)."),
    ] = "10",
    rounds: Annotated[
        int | None, typer.Option(min=1, help="Rounds per run; the scenario's horizon by default.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(parser=_folder, metavar="DIR", help="Folder for curves (CSV), picture (PNG) and finished runs."),
    ] = None,
    jobs: Annotated[
        int, typer.Option(min=1, help="Processes that play at the same time; above 1 it needs the extra `sweep`.")
    ] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of the table.")] = False,
) -> None:
    """Let learners meet a scenario's individuals; print a table of mistakes, save curves and a picture.

    Runs that DIR already holds are not repeated: an interrupted command goes on, and learners and seeds can be added.
    """
    from agents.foundation.checks import MOST_CORES, count
    from strategic_env.bench import contestants
    from strategic_env.bench.engines import Processes
    from strategic_env.bench.playing import seed_numbers
    from strategic_env.cli.choices import chosen_learner, chosen_scenario

    with usage("--"):
        numbers = seed_numbers(parse_seeds(seeds))
        count("jobs", jobs, maximum=MOST_CORES)
    with usage():
        chosen = chosen_scenario(scenario, parse_settings(settings or []), label, alpha or [], groups, note)
        chosen = chosen if rounds is None else chosen.lasting(rounds)
        skipped: list[str] = []
        if learner:
            players = [chosen_learner(text, chosen) for text in learner]
            if hungry := contestants.unsuited(players, chosen):
                errors.print(f"{', '.join(hungry)}: learns from labels that this feedback hides", style="dim")
            players = players if as_json else contestants.with_reference(players, chosen)
        else:
            players, skipped = contestants.all_contestants(chosen)
        contestants.check_labels(players)
        if jobs > 1:
            Processes(jobs)  # says what is missing before any work
    if skipped:
        why = (
            "made for another cost or feedback, or told too little here; `strategic-env list NAME` says what one needs"
        )
        errors.print(f"without {', '.join(skipped)}: {why}", style="dim")
    _run(chosen, players, numbers, out, jobs, as_json)


FOLDERS = typer.Argument(metavar="DIR...", exists=True, file_okay=False, help="What `run --out`, or a sweep, left.")


@app.command()
def report(
    folders: Annotated[list[Path], FOLDERS],
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object for each DIR instead of the table.")
    ] = False,
    form: Annotated[
        str | None, typer.Option("--format", metavar="FORM", help="Print `markdown`, `latex` or `csv`, of all DIRs.")
    ] = None,
    picture: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the curves of one DIR: .png, .pdf or .svg.")
    ] = None,
    band: Annotated[
        str, typer.Option(metavar="BAND", help="Of the picture: `min-max`, `quantiles` or `bootstrap`.")
    ] = "min-max",
) -> None:
    """Show all runs that every DIR holds, whoever played them, and write nothing but the picture asked for.

    What a run left undone, the same `run` finishes.
    """
    from strategic_env.cli.showing import drawn, loaded, written

    with usage():
        if as_json and form is not None:
            raise ValueError("--json and --format exclude each other")
        results = [one for folder in folders for one in loaded(folder)]
        text = None if form is None else written(results, form)
        saved = None if picture is None else drawn(results, picture, band)
    if text is not None:
        print(text)
    else:
        for one in results:
            _show(one, None, as_json)
    if saved is not None:
        errors.print(f"saved {saved}", style="dim")
    for one in results:
        _fail_with(one)


@app.command()
def compare(
    folders: Annotated[list[Path], FOLDERS],
    baseline: Annotated[
        str | None, typer.Option(metavar="LEARNER", help="Whom others should improve on; the classic Perceptron.")
    ] = None,
    profiles: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw performance profiles: .png, .pdf or .svg.")
    ] = None,
    intervals: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the intervals of normalised scores: .png, .pdf or .svg.")
    ] = None,
) -> None:
    """Compare the learners of several DIRs, one for each scenario, with intervals; docs/evaluation.md says how."""
    from strategic_env.cli.showing import loaded
    from strategic_env.report import comparison as comparisons
    from strategic_env.report.curves import looks_of
    from strategic_env.report.profiles import plot_intervals, plot_profiles

    with usage():
        results = [one for folder in folders for one in loaded(folder)]
        comparison = comparisons.compare(results, baseline)
        looks = looks_of(results[0].contestants)
        if profiles is not None:
            plot_profiles(comparison.scores, profiles, looks=looks)
        if intervals is not None:
            scores = {row.learner: row.score for row in comparison.rows}
            plot_intervals(scores, intervals, xlabel="normalised score", looks=looks)
    comparisons.show(comparison)
    if saved := [str(path) for path in (profiles, intervals) if path is not None]:
        errors.print(f"saved {', '.join(saved)}", style="dim")


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
        typer.Option(parser=_folder, metavar="DIR", help="Folder; ALGO-SCENARIO-SEED by default."),
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


@app.command()
def tune(
    algorithm: Annotated[str, typer.Argument(metavar="ALGO", help="`ppo`, `ppo_lstm` (recurrent), `sac` or `tqc`.")],
    scenario: Annotated[str, typer.Argument(metavar="SCENARIO", help="Its name; `strategic-env list` shows all.")],
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="An option of the scenario, or its reward; may be repeated."),
    ] = None,
    ranges: Annotated[
        list[str] | None,
        typer.Option(
            "--range",
            metavar="NAME=LOW..HIGH",
            help="A hyper-parameter to search; may be repeated. Default: a few, around the shipped ones.",
        ),
    ] = None,
    trials: Annotated[int, typer.Option(min=1, help="How many trainings there are to be in DIR.")] = 20,
    timesteps: Annotated[int | None, typer.Option(min=1, help="Rounds of each training.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the search and of each training.")] = 0,
    hyperparameters: Annotated[
        Path | None, typer.Option(metavar="FILE", help="YAML of what stays as it is; the package's by default.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(parser=_folder, metavar="DIR", help="Folder; tune-ALGO-SCENARIO by default.")
    ] = None,
) -> None:
    """Search for hyper-parameters with Optuna; `train --hyperparameters DIR/best.yml` trains with the best.

    An interrupted search goes on with the same command.
    """
    from strategic_env.cli.train import searched

    with usage():
        search = searched(
            algorithm, scenario, parse_settings(settings or []), ranges or [], timesteps, hyperparameters, out
        )
        best = search(trials=trials, seed=seed, progress=lambda trial, found: note(f"trial {trial}: {found:.2f}"))
    print(", ".join(f"{name}={value:.4g}" for name, value in best.items()))


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


@app.command()
def explore(
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="SCENARIO|DIR",
            help="A scenario of two features, or what `run --out` left; by default the lecture's task.",
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
    what: Annotated[str, typer.Argument(metavar="WHAT", help="`examples`, `bounds`, `lecture` or `gappletron`.")],
    out: Annotated[
        Path, typer.Option(parser=_folder, metavar="DIR", help="Folder for pictures, tables and a copy of the text.")
    ] = Path("reproduced"),
    runs: Annotated[
        int | None,
        typer.Option(min=1, help="`bounds`: random streams for every bound (3,000); `gappletron`: repetitions (10)."),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A small form, in two minutes; `gappletron` only.")] = False,
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


def _run(
    scenario: "BenchScenario",
    contestants: "Sequence[Contestant]",
    seeds: Sequence[int],
    out: Path | None,
    jobs: int,
    as_json: bool,
) -> None:
    """Evaluate, then save and show the results."""
    finished: list[str] = []
    try:
        if out is not None:
            from strategic_env.bench.archive import Archive

            with usage("--out: "):
                Archive(out, scenario, scenario.horizon)  # before the work, not after it
        results = _evaluate(scenario, contestants, seeds, out, jobs, finished)
        _show(results, out, as_json)
    except KeyboardInterrupt:
        kept = f"finished runs are kept in {out}; the same command goes on from there" if out else "nothing was saved"
        raise typer.Exit(failed(f"interrupted: {kept if finished else NOTHING}", FAILED)) from None
    _fail_with(results)


def _fail_with(*every: "Results") -> None:
    """End with status 1 if a run failed."""
    if any(run.error for results in every for run in results.runs):
        raise typer.Exit(FAILED)


def _evaluate(
    scenario: "BenchScenario",
    contestants: "Sequence[Contestant]",
    seeds: Sequence[int],
    out: Path | None,
    jobs: int,
    finished: list[str],
) -> "Results":
    """Evaluate with a progress bar; where nobody would see it move, say once what is going on."""
    from strategic_env.bench.evaluation import evaluate
    from strategic_env.report.summary import counted

    def advance(label: str) -> None:
        finished.append(label)
        bar.update(task, advance=1)

    total = len(contestants) * len(seeds)
    if not errors.is_terminal:
        work = f"{counted(total, 'run')} of {counted(scenario.horizon, 'round')}"
        errors.print(f"{scenario.name}: {work}")
    with progress_bar() as bar:
        task = bar.add_task(scenario.name, total=total)
        return evaluate(contestants, scenario, seeds, out=out, jobs=jobs, progress=advance)


def _show(results: "Results", out: Path | None, as_json: bool) -> None:
    """Save all that the folder holds, then print the results: neither failure costs the other."""
    from strategic_env.bench.evaluation import Results
    from strategic_env.report import tables as reports

    try:
        if out is not None:
            _save(Results.load(out), out)  # with the runs of everybody who played there
    finally:
        if as_json:
            print(json.dumps(reports.to_json(results), allow_nan=False))
            if results.unused_lines:
                errors.print(f"not used: {reports.unused_text(results)}", style="dim")
        else:
            reports.show(results)


def _save(results: "Results", out: Path) -> None:
    """Save the results; all but the picture, where it cannot be drawn."""
    from agents.foundation.pictures import DrawingFailed
    from strategic_env.report.tables import save

    try:
        saved = ", ".join(str(path) for path in save(results, out))
    except (ImportError, DrawingFailed) as error:
        saved = f"{out} without the picture: {error}"
    errors.print(f"saved {saved}", style="dim")
