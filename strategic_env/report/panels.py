"""Results of several scenarios in one picture, a panel for each; matplotlib is imported only to draw it."""

import math
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from agents.foundation.checks import one_of
from agents.foundation.pictures import blank_figure, drawing, picture_path
from strategic_env.bench.evaluation import Results
from strategic_env.report.curves import (
    BANDS,
    GREY,
    MIN_MAX,
    Curve,
    curves_of,
    draw_into,
    looks_of,
    plain_axes,
    save_picture,
)
from strategic_env.report.summary import checked_results, counted, shown_name, title

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST = 16  # panels that a page has room for
COLUMNS = 4


def plot_panels(results: Sequence[Results], path: str | Path, *, band: str = MIN_MAX) -> None:
    """Draw a panel for each result, in which a learner looks the same everywhere, as a PNG, PDF or SVG.

    A panel holds curves or, where only the last round was kept, as sweeps do by default, each learner's mistakes.

    Parameters
    ----------
    results : sequence of Results
        At most 16.
    path : path
        Its end says the format.
    band : str
        As of `strategic_env.report.plot`.

    Raises
    ------
    TypeError, ValueError
        If there are none, or too many, or as `strategic_env.report.plot`.
    ImportError
        If matplotlib is missing.
    DrawingFailed
        If it fails.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from strategic_env import evaluate, report, scenario
    >>> games = [scenario("KnownL2", margin=margin) for margin in (0.1, 0.2)]
    >>> results = [evaluate(["strategic-perceptron-l2"], game, seeds=2, rounds=300) for game in games]
    >>> with TemporaryDirectory() as folder:
    ...     report.plot_panels(results, Path(folder) / "both.png")
    ...     [file.name for file in Path(folder).iterdir()]
    ['both.png']
    """
    picture_path(path)
    one_of("band", band, tuple(BANDS))
    several = [checked_results(one) for one in results]
    if not 0 < len(several) <= MOST:
        raise ValueError(f"a picture has 1 to {MOST} panels, one for each scenario, got {len(several):,}")
    with drawing():
        save_picture(_drawn(several, band), path)


def _drawn(several: Sequence[Results], band: str) -> "Figure":
    contestants = list({one.label: one for each in several for one in each.contestants}.values())
    names, looks = [shown_name(one) for one in contestants], looks_of(contestants)
    across = min(COLUMNS, math.ceil(math.sqrt(len(several))))
    down = math.ceil(len(several) / across)
    height = max(2.4, 0.9 + 0.3 * len(names))
    figure = blank_figure(figsize=(3.6 * across, height * down), layout="constrained")
    legend: dict[str, Artist] = {}
    for at, one in enumerate(several):
        axes = figure.add_subplot(down, across, at + 1)
        axes.set_title("\n".join(textwrap.wrap(title(one), 44)), loc="left", fontsize=10, fontweight="bold")
        if len(one.checkpoints) > 1:
            draw_into(axes, one, band, looks)
        else:
            _draw_last(axes, one, curves_of(one, band, looks), names)
            if at % across > 0:
                axes.tick_params(labelleft=False)
        plain_axes(axes)
        handles, labels = axes.get_legend_handles_labels()
        legend |= zip(labels, handles, strict=True)
    figure.supxlabel(f"mean over seeds, {BANDS[band]}", fontsize=9, color=GREY)
    if legend:
        place = {"loc": "outside lower center", "ncols": across, "frameon": False}
        figure.legend(legend.values(), legend.keys(), **place)  # type: ignore[call-overload]
    return figure


def _draw_last(axes: "Axes", results: Results, curves: Sequence[Curve], names: Sequence[str]) -> None:
    """Draw each learner's mistakes after the last round on a line of its own."""
    for curve in curves:
        place, mean = names.index(curve.name), curve.mean[-1]
        ends = curve.least[-1], curve.most[-1]
        axes.plot(ends, [place] * 2, color=curve.colour, linewidth=7, alpha=0.35, solid_capstyle="butt")
        axes.plot(mean, place, marker="|", markersize=12, markeredgewidth=2.5, color=curve.colour)
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_xlim(left=0)
    axes.set_xlabel(f"mistakes in {counted(results.rounds, 'round')}")
