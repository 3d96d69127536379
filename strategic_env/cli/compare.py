"""``strategic-env compare``: learners over several scenarios, with intervals."""

from pathlib import Path
from typing import Annotated

import typer

from strategic_env.cli.output import errors, usage
from strategic_env.cli.report import Folders


def compare(
    folders: Folders,
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
