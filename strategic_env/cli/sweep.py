"""``strategic-env sweep plan | work | status | table``."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from strategic_env.cli.output import DONE, FAILED, errors, failed, note, progress_bar, usage

app = typer.Typer(help="Many scenarios, learners and seeds, on many machines.", no_args_is_help=True)
Folder = Annotated[Path, typer.Option("--out", metavar="DIR", help="The sweep's folder.")]
Place = Annotated[Path, typer.Argument(metavar="DIR", help="The sweep's folder.")]
PLANS = """
strategic-env sweep plan grid.yaml --out phases

strategic-env sweep work phases

sbatch --array=0-99 --wrap 'strategic-env sweep work phases --shard $SLURM_ARRAY_TASK_ID/100'
"""


@app.command(epilog=PLANS)
def plan(
    grid: Annotated[Path, typer.Argument(metavar="GRID.yaml", help="Scenarios, learners, seeds and rounds.")],
    out: Folder,
    chunk_seconds: Annotated[float, typer.Option(help="How long a chunk of work takes at most.")] = 30.0,
) -> None:
    """Check everything, and freeze it; again on the same folder, plan what is missing."""
    from strategic_env import sweep

    with usage():
        planned = sweep.plan(grid, out, chunk_seconds=chunk_seconds, progress=note)
    for line in planned.left_out:
        note(f"left out: {line}")
    if planned.file is None:
        print("nothing to add: every row had been planned before")
    else:
        print(f"{planned.rows:,} rows of {planned.cells:,} cells in {planned.chunks:,} chunks: {planned.file}")


@app.command()
def work(
    out: Place,
    engine: Annotated[str, typer.Option(help="`processes`, `serial`, `dask` or `ray`.")] = "processes",
    address: Annotated[str | None, typer.Option(help="Of Dask's scheduler or Ray's head.")] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="As many as there are cores by default.")] = None,
    shard: Annotated[str | None, typer.Option(metavar="I/N", help="Only this share, from 0/N to N-1/N.")] = None,
    limit: Annotated[float | None, typer.Option(metavar="SECONDS", help="End a chunk that takes longer.")] = None,
    tries: Annotated[int, typer.Option(min=1, help="How often a chunk that kills its worker is begun.")] = 3,
    retry_errors: Annotated[bool, typer.Option("--retry-errors", help="Play failed rows again.")] = False,
    keep_going: Annotated[bool, typer.Option("--keep-going", help="Even if all of the first chunk fails.")] = False,
) -> None:
    """Play what is planned and missing; any number of machines may do so at the same time."""
    from strategic_env import sweep

    with progress_bar() as bar, usage(but=(OSError,)):
        task = bar.add_task(str(out), total=None)
        outcome = sweep.work(
            out,
            engine=engine,
            workers=workers,
            address=address,
            shard=shard,
            limit=limit,
            tries=tries,
            retry_errors=retry_errors,
            keep_going=keep_going,
            progress=lambda done, total: bar.update(task, completed=done, total=total),
        )
    for line in outcome.lost:
        failed(f"lost: {line}", FAILED)
    if outcome.errors:
        failed(f"{outcome.errors:,} rows failed: the column `error` of the table says why", FAILED)
    if outcome.conflicts:
        failed(f"{outcome.conflicts:,} chunks differ from what was there: {out / 'conflicts'} keeps both", FAILED)
    if outcome.stopped:
        failed(f"stopped: {outcome.stopped}", FAILED)
    errors.print(f"{outcome.played:,} chunks played", style="dim")
    raise typer.Exit(DONE if outcome.done else FAILED)


@app.command()
def status(
    out: Place,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Say how far it has come, while others work or not."""
    from strategic_env import sweep

    with usage():
        found = sweep.status(out)
    if as_json:
        print(json.dumps(asdict(found)))
        return
    print(f"{found.finished_rows:,} of {found.rows:,} rows, {found.finished_chunks:,} of {found.chunks:,} chunks")
    for number, what in ((found.errors, "rows failed"), (found.conflicts, "conflicts"), (found.old_plans, "old plans")):
        if number:
            print(f"{number:,} {what}")
    for chunk, why in found.lost.items():
        print(f"lost: {chunk}: {why}")


@app.command()
def table(
    out: Place,
    file: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="`table.parquet` in the folder by default.")
    ] = None,
    partial: Annotated[bool, typer.Option("--partial", help="Although rows are missing.")] = False,
) -> None:
    """Write all rows to one Parquet file, whose bytes do not depend on who played them."""
    from strategic_env import sweep

    with usage():
        print(sweep.table(out, file, partial=partial))
