"""``strategic-env run``: learners meet a scenario's individuals."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from strategic_env.bench.arguments import parse_seeds, parse_settings
from strategic_env.cli.output import FAILED, NOTHING, errors, failed, folder_named, note, progress_bar, usage

if TYPE_CHECKING:
    from strategic_env.bench.contestants import Contestant
    from strategic_env.bench.evaluation import Results
    from strategic_env.games.shared.scenario import BenchScenario

RUNS = """
strategic-env run GermanCredit --out results

strategic-env run KnownL2 --set dim=10 --set margin=0.05 --rounds 5000

strategic-env run KnownL1 --learner perceptron:bias=true --learner biased-l1 --seeds 3 --json

strategic-env run mydata.csv --label repaid --alpha savings=0.5 --alpha income=0.2 --set orient=auto
"""


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
        str | None,
        typer.Option(
            metavar="COLUMN|SHARES",
            help="Who belongs to which group: a column of the data, or shares such as [0.5,0.5]. No learner sees it; "
            "the table gets a row for each group.",
        ),
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
        typer.Option(
            parser=folder_named, metavar="DIR", help="Folder for curves (CSV), picture (PNG) and finished runs."
        ),
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


def _run(
    scenario: "BenchScenario",
    contestants: "Sequence[Contestant]",
    seeds: Sequence[int],
    out: Path | None,
    jobs: int,
    as_json: bool,
) -> None:
    """Evaluate, then save and show the results."""
    from strategic_env.cli.showing import fail_with, show

    finished: list[str] = []
    try:
        if out is not None:
            from strategic_env.bench.archive import Archive

            with usage("--out: "):
                Archive(out, scenario, scenario.horizon)  # before the work, not after it
        results = _evaluate(scenario, contestants, seeds, out, jobs, finished)
        show(results, out, as_json, groups=bool(scenario.groups))
    except KeyboardInterrupt:
        kept = f"finished runs are kept in {out}; the same command goes on from there" if out else "nothing was saved"
        raise typer.Exit(failed(f"interrupted: {kept if finished else NOTHING}", FAILED)) from None
    fail_with(results)


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
