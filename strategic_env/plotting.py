"""A picture of cumulative mistakes with the theorems' bounds; matplotlib is imported only to draw it."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from agents.typing import Float
from learners.fixed import ConstantClassifier
from strategic_env.evaluation import Results
from strategic_env.extras import require_plot
from strategic_env.registration import SCENARIOS
from strategic_env.summary import (
    bound_text,
    failure_text,
    finished,
    finite,
    reference_of,
    rows,
    seeds_text,
    shown_name,
    title,
    why_no_bound,
    wrapped,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Colours of Okabe and Ito, which colour-blind readers tell apart; those who do not learn are grey and black.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
GREY, BLACK = "#6E6E6E", "#222222"
LINES, DASHED = ("-", "-.", ":"), "--"
# Learners that end this many times apart are told apart on logarithmic axes only.
FAR_APART = 30.0
# A bound this many times higher than the highest curve would squash the curves: linear and logarithmic axes.
ROOM, LOGARITHMIC_ROOM = 3.0, 30.0


def plot(results: Results, path: str | Path) -> None:
    """Draw cumulative mistakes with the theorems' bounds, as one PNG.

    Axes are logarithmic where some learners stop and others err for ever. A bound far above all curves is only told.

    Raises
    ------
    ImportError
        If matplotlib is missing.
    """
    require_plot()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.6, 5.6), facecolor="white")
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0.08, 0.12, 0.62, 0.74))
    curves = _curves(results)
    logarithmic = _far_apart(curves)
    highest = max([1.0, *(float(curve.most[-1]) for curve in curves)])
    limit = highest * (LOGARITHMIC_ROOM if logarithmic else ROOM)
    bounds = [(curve.bound, curve.colour) for curve in curves if curve.bound is not None and curve.bound <= limit]
    top = max([highest, *(bound for bound, _ in bounds)])
    _draw_axes(axes, results, top, logarithmic)
    for curve in curves:
        _draw_curve(axes, results.checkpoints, curve, from_origin=not logarithmic)
    for bound, colour in bounds:
        axes.axhline(bound, color=colour, linewidth=1.1, linestyle=(0, (1, 1.5)))
    _draw_names(axes, curves, limit)
    figure.savefig(path, dpi=150, bbox_inches="tight", pad_inches=0.15)


@dataclass(frozen=True)
class _Curve:
    """What the picture shows of one contestant; ``mean``, ``least``, ``most`` over seeds have shape (checkpoints,)."""

    name: str
    colour: str
    style: str
    mean: Float
    least: Float
    most: Float
    bound: float | None


def _curves(results: Results) -> list[_Curve]:
    """Summarise the runs that did not fail; a contestant without any is left out."""
    curves, learning = [], 0
    for contestant in results.contestants:
        colour, style = COLOURS[learning % len(COLOURS)], LINES[learning // len(COLOURS) % len(LINES)]
        if contestant.learner is None:
            colour, style = BLACK, DASHED
        elif isinstance(contestant.learner, ConstantClassifier):
            colour, style = GREY, LINES[0 if contestant.learner.accept else -1]
        else:
            learning += 1
        seeds = np.array([run.curve for run in finished(results.of(contestant))], dtype=np.float64)
        if len(seeds):
            spread = seeds.mean(axis=0), seeds.min(axis=0), seeds.max(axis=0)
            curves.append(_Curve(shown_name(contestant), colour, style, *spread, finite(results.bound(contestant))))
    return curves


def _far_apart(curves: Sequence[_Curve]) -> bool:
    """Tell whether linear axes would show some learners as a flat line at the bottom."""
    last = [float(curve.mean[-1]) for curve in curves if curve.style != DASHED]
    return bool(last) and max(last) > FAR_APART * max(1.0, min(last))


def _draw_axes(axes: "Axes", results: Results, top: float, logarithmic: bool) -> None:
    from matplotlib.ticker import FuncFormatter

    if logarithmic:
        axes.set_xscale("log")
        axes.set_yscale("symlog", linthresh=1.0, linscale=0.5)  # 0 mistakes have a place, too
        axes.set_ylim(-0.15, 1.3 * top)
    else:
        axes.set_ylim(-0.02 * top, 1.04 * top)
    axes.set_xlim(1 if logarithmic else 0, max(2, results.rounds))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
    axes.set_xlabel("round", fontsize=12)
    axes.set_ylabel("mistakes so far", fontsize=12)
    axes.tick_params(labelsize=11)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(GREY)
    axes.grid(color="#E4E4E4", linewidth=0.8)
    axes.set_axisbelow(True)
    lines = _subtitle(results)
    axes.text(0.0, 1.02, "\n".join(lines), transform=axes.transAxes, fontsize=10.5, color=GREY, va="bottom")
    axes.set_title(title(results), loc="left", fontsize=15, fontweight="bold", pad=8 + 15 * len(lines))


def _subtitle(results: Results) -> list[str]:
    """Return what the scenario is, what is drawn, and what is not."""
    table = rows(results)
    lines = [SCENARIOS[results.scenario.name]] if results.scenario.name in SCENARIOS else []
    over = seeds_text(results)
    lines.append(f"mean of {over}, band from minimum to maximum" if len(results.seeds) > 1 else over)
    if reference_of(results) is not None:
        lines[-1] += "; reference: a fixed classifier made from the true points"
    if not any(row.bound is not None for row in table):
        lines.append(why_no_bound(results))
    return lines + [failure_text(row, results) for row in table if row.failed]


def _draw_curve(axes: "Axes", checkpoints: Sequence[int], curve: _Curve, *, from_origin: bool) -> None:
    start = [0.0] if from_origin else []
    rounds, mean, least, most = (
        np.array([*start, *values]) for values in (checkpoints, curve.mean, curve.least, curve.most)
    )
    axes.fill_between(rounds, least, most, color=curve.colour, alpha=0.16, linewidth=0)
    axes.plot(rounds, mean, color=curve.colour, linestyle=curve.style, linewidth=2.0)


def _draw_names(axes: "Axes", curves: Sequence[_Curve], limit: float) -> None:
    """Write each curve's name and last mean, and each bound up to ``limit``, right of the axes close to its height."""
    names = []
    for curve in curves:
        lines = wrapped(curve.name, 36)
        lines[0] += f"  {curve.mean[-1]:,.1f}"
        if curve.bound is not None and curve.bound <= limit:
            text = "\n".join(wrapped(f"bound of {curve.name}", 36))
            names.append((curve.bound, f"{text}  {bound_text(curve.bound)}", curve.colour, "normal"))
        elif curve.bound is not None:
            lines.append(f"(bound {bound_text(curve.bound)})")
        names.append((float(curve.mean[-1]), "\n".join(lines), curve.colour, "bold"))
    names.sort()
    to_axes = axes.transData + axes.transAxes.inverted()
    heights = [float(to_axes.transform((1.0, value))[1]) for value, *_ in names]
    places = _apart(heights, [0.055 * (1 + text.count("\n")) for _, text, *_ in names])
    frame = axes.transAxes
    for (_, text, colour, weight), height, place in zip(names, heights, places, strict=True):
        axes.plot([1.005, 1.03], [height, place], transform=frame, color=colour, linewidth=1.0, clip_on=False)
        axes.text(1.04, place, text, transform=frame, color=colour, fontsize=11, fontweight=weight, va="center")


def _apart(heights: Sequence[float], sizes: Sequence[float]) -> list[float]:
    """Move ascending heights apart, so that labels of these sizes do not overlap and none is above the axes."""
    gaps = [(lower + upper) / 2 for lower, upper in pairwise(sizes)]
    places = list(heights)
    for at, gap in enumerate(gaps):
        places[at + 1] = max(places[at + 1], places[at] + gap)
    for at in reversed(range(len(places))):
        places[at] = min(places[at], places[at + 1] - gaps[at] if at < len(gaps) else 1.0)
    return places
