"""``strategic-env report``: what folders of runs and of sweeps hold."""

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from strategic_env.cli.output import errors, usage

Folders: TypeAlias = Annotated[
    list[Path],
    typer.Argument(metavar="DIR...", exists=True, file_okay=False, help="What `run --out`, or a sweep, left."),
]


def report(
    folders: Folders,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object for each DIR instead of the table.")
    ] = False,
    form: Annotated[
        str | None, typer.Option("--format", metavar="FORM", help="Print `markdown`, `latex` or `csv`, of all DIRs.")
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw the curves, in a panel for each scenario: .png, .pdf or .svg."),
    ] = None,
    band: Annotated[
        str, typer.Option(metavar="BAND", help="Of the picture: `min-max`, `quantiles` or `bootstrap`.")
    ] = "min-max",
    groups: Annotated[bool, typer.Option("--groups", help="Add a row for each group of people to the table.")] = False,
) -> None:
    """Show all runs that every DIR holds, whoever played them, and write nothing but the picture asked for.

    What a run left undone, the same `run` finishes.
    """
    from strategic_env.cli.showing import drawn, fail_with, loaded, show, written
    from strategic_env.report.group_rows import check_grouped

    with usage():
        if as_json and form is not None:
            raise ValueError("--json and --format exclude each other")
        if groups and (as_json or form is not None):
            raise ValueError("--groups is for the table: --json and --format csv tell of groups where there are some")
        results = [one for folder in folders for one in loaded(folder)]
        for one in results if groups else ():
            check_grouped(one)
        text = None if form is None else written(results, form)
        saved = None if picture is None else drawn(results, picture, band)
    if text is not None:
        print(text)
    else:
        for one in results:
            show(one, None, as_json, groups=groups)
    if saved is not None:
        errors.print(f"saved {saved}", style="dim")
    for one in results:
        fail_with(one)
