"""``strategic-env board``."""

from pathlib import Path
from typing import Annotated

import typer

from strategic_env.cli.output import FAILED, errors, failed, progress_bar, usage

BOARDS = """
strategic-env board german separable --out board

strategic-env board suite --standard --out docs/board

strategic-env board --check docs/board/board.csv
"""
Folders = Annotated[
    list[Path] | None,
    typer.Argument(metavar="DIR...", file_okay=False, help="What `run --out`, or a sweep, left."),
]
Out = Annotated[Path, typer.Option("--out", metavar="FOLDER", help="Where board.html and board.csv are written.")]


def board(
    folders: Folders = None,
    out: Out = Path("board"),
    standard: Annotated[
        bool,
        typer.Option("--standard", help="First play what DIR lacks of the standard suite: all learners; minutes."),
    ] = False,
    check: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Instead: is this board.csv what the standard suite plays now?")
    ] = None,
) -> None:
    """Make a page of learners x scenarios, with intervals, versions and seeds, and a table of its numbers.

    Rows that do not say with which seeds and versions they were played are refused.
    """
    given = folders or []
    with usage():
        if check is not None and (given or standard):
            raise ValueError("--check FILE is asked for alone, without DIR or --standard")
        if check is None and (not given or (standard and len(given) > 1)):
            raise ValueError("board needs DIR... with results, one DIR with --standard, or --check FILE")
    if check is not None:
        _check(check)
    else:
        _write(given, out, standard)


def _write(folders: list[Path], out: Path, standard: bool) -> None:
    from strategic_env.cli.showing import loaded
    from strategic_env.report.board import board as made
    from strategic_env.report.board_page import write_board
    from strategic_env.report.standard import play_suite

    notes: list[str] = []
    with usage(), progress_bar() as bar:
        if standard:
            task = bar.add_task("standard suite", total=None)
            try:
                results, left_out = play_suite(
                    folders[0], lambda done, total: bar.update(task, completed=done, total=total)
                )
            except RuntimeError as error:
                raise typer.Exit(failed(f"error: {error}", FAILED)) from error
            notes = [f"Left out: {line}." for line in left_out]
        else:
            results = [one for folder in folders for one in loaded(folder)]
        files = write_board(made(results), out, notes)
    errors.print(f"saved {', '.join(map(str, files))}", style="dim")


def _check(file: Path) -> None:
    from strategic_env.report.standard import staleness

    with usage(), progress_bar() as bar:
        task = bar.add_task("playing again", total=None)
        found = list(staleness(file, lambda done, total: bar.update(task, completed=done, total=total)))
    for line in found:
        failed(f"stale: {line}", FAILED)
    if found:
        again = f"strategic-env board suite --standard --out {file.parent}"
        raise typer.Exit(failed(f"make it again: {again}", FAILED))
    print(f"{file} is up to date")
