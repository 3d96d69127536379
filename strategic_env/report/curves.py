"""A picture of cumulative mistakes with the theorems' bounds; matplotlib is imported only to draw it."""

import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from agents.foundation.checks import one_of, shown
from agents.foundation.pictures import blank_figure, drawing, picture_path
from agents.foundation.pictures import save_picture as save
from agents.foundation.typing import Float
from learners.catalogue import all_learners, learners_of
from learners.strategic.fixed import BestFixedClassifier, ConstantClassifier
from strategic_env.bench.contestants import Contestant, parameters_of
from strategic_env.bench.evaluation import Results
from strategic_env.games.registration import scenario_names
from strategic_env.report.scores import RESAMPLES
from strategic_env.report.summary import (
    HOW_THE_REFERENCE_IS_MADE,
    bound_of,
    bound_text,
    checked_results,
    failure_text,
    finished,
    missing_text,
    reference_of,
    rows,
    seeds_text,
    shown_name,
    title,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Colours of Okabe and Ito without yellow, which colour-blind readers tell apart, and two that are darker.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7A1F5C", "#7F7F00")
# Those who do not learn are grey and black.
GREY, BLACK = "#6E6E6E", "#222222"
SOLID, DASHED, DOTTED = "-", "--", ":"
STYLES = (SOLID, "-.", DASHED, DOTTED)
Look: TypeAlias = tuple[str, str]
REFERENCE: Look = (BLACK, DASHED)
LOOKS: tuple[Look, ...] = tuple((colour, style) for style in STYLES for colour in COLOURS)
STILL = (ConstantClassifier.name, BestFixedClassifier.name)
MIN_MAX, QUANTILES, BOOTSTRAP = "min-max", "quantiles", "bootstrap"
BANDS = {
    MIN_MAX: "band from minimum to maximum",
    QUANTILES: "band of the middle half",
    BOOTSTRAP: "band of the mean's 95% bootstrap interval",
}
# Learners that end this many times apart are told apart on logarithmic axes only.
FAR_APART = 30.0
# A bound this many times higher than the highest curve would squash the curves: linear and logarithmic axes.
ROOM, LOGARITHMIC_ROOM = 3.0, 30.0


def plot(
    results: Results, path: str | Path | None = None, *, ax: "Axes | None" = None, band: str = MIN_MAX
) -> "Axes | None":
    """Draw cumulative mistakes with the theorems' bounds, as a PNG, PDF or SVG, or into a figure of one's own.

    Axes are logarithmic where some learners stop and others err for ever. A bound far above all curves is only told.

    Parameters
    ----------
    results : Results
    path : path, optional
        The file; its end says the format.
    ax : matplotlib.axes.Axes, optional
        Where to draw instead, with the settings of that figure and without a title; ``ax.legend()`` names the curves.
    band : str
        What is drawn around the means over seeds: ``"min-max"``, ``"quantiles"`` (the middle half) or ``"bootstrap"``
        (the mean's 95% interval).

    Returns
    -------
    Axes or None
        The axes that were given.

    Raises
    ------
    TypeError, ValueError
        If the results are none, the path is none or ends otherwise, both or neither of path and axes are given, or the
        band is unknown.
    ImportError
        If matplotlib is missing.
    DrawingFailed
        If it fails.

    Examples
    --------
    >>> import matplotlib.figure
    >>> from strategic_env import evaluate, report
    >>> results = evaluate(["strategic-perceptron-l2"], "KnownL2", seeds=3, rounds=300)
    >>> axes = matplotlib.figure.Figure(figsize=(3.3, 2.2)).subplots()
    >>> report.plot(results, ax=axes, band="bootstrap").get_ylabel()
    'mistakes so far'
    """
    if path is not None and ax is not None:
        raise ValueError("path or ax must be given, and not both: a file to write, or axes to draw into")
    if ax is None:
        picture_path(path)  # type: ignore[arg-type]  # which says what a path is
    one_of("band", band, tuple(BANDS))
    checked_results(results)
    if ax is not None:
        return draw_into(ax, results, band, looks_of(results.contestants))
    with drawing():
        save_picture(_drawn(results, band), path)  # type: ignore[arg-type]
    return None


def draw_into(axes: "Axes", results: Results, band: str, looks: Mapping[str, Look]) -> "Axes":
    """Draw curves and bounds into axes of somebody's own, whose looks are their own business."""
    if not hasattr(axes, "fill_between"):
        raise TypeError(f"ax must be axes of matplotlib, got {shown(axes)}")
    curves = curves_of(results, band, looks)
    logarithmic = _far_apart(curves)
    if logarithmic:
        axes.set_xscale("log")
        axes.set_yscale("symlog", linthresh=1.0, linscale=0.5)
    _draw_curves(axes, results.checkpoints, curves, from_origin=not logarithmic)
    highest = max([1.0, *(float(curve.most[-1]) for curve in curves)])
    for curve in curves:
        if curve.bound is not None and curve.bound <= highest * (LOGARITHMIC_ROOM if logarithmic else ROOM):
            axes.axhline(curve.bound, color=curve.colour, linewidth=1.1, linestyle=(0, (1, 1.5)))
    axes.set_xlim(1 if logarithmic else 0, max(2, results.rounds))
    axes.set_xlabel("round")
    axes.set_ylabel("mistakes so far")
    return axes


def _drawn(results: Results, band: str = MIN_MAX) -> "Figure":
    figure = blank_figure(figsize=(9.6, 5.6))
    axes = figure.add_axes((0.08, 0.12, 0.62, 0.74))
    curves = curves_of(results, band, looks_of(results.contestants))
    logarithmic = _far_apart(curves)
    highest = max([1.0, *(float(curve.most[-1]) for curve in curves)])
    limit = highest * (LOGARITHMIC_ROOM if logarithmic else ROOM)
    bounds = [(curve.bound, curve.colour) for curve in curves if curve.bound is not None and curve.bound <= limit]
    top = max([highest, *(bound for bound, _ in bounds)])
    _draw_axes(axes, results, top, logarithmic, band)
    _draw_curves(axes, results.checkpoints, curves, from_origin=not logarithmic)
    for bound, colour in bounds:
        axes.axhline(bound, color=colour, linewidth=1.1, linestyle=(0, (1, 1.5)))
    _draw_names(axes, curves, limit)
    return figure


def save_picture(figure: "Figure", path: str | Path) -> None:
    """Save a picture, cut to what is drawn, at once or not at all."""
    save(figure, path, dpi=150, bbox_inches="tight", pad_inches=0.15)


@dataclass(frozen=True)
class Curve:
    """What the picture shows of one contestant; ``mean``, ``least``, ``most`` over seeds have shape (checkpoints,)."""

    name: str
    colour: str
    style: str
    mean: Float
    least: Float
    most: Float
    bound: float | None


def curves_of(results: Results, band: str, looks: Mapping[str, Look]) -> list[Curve]:
    """Summarise the runs that did not fail; a contestant without any is left out."""
    curves = []
    for contestant in results.contestants:
        seeds = np.array([run.curve for run in finished(results.of(contestant))], dtype=np.float64)
        if len(seeds):
            spread = seeds.mean(axis=0), *_band(seeds, band)
            bound = bound_of(results, contestant)
            curves.append(Curve(shown_name(contestant), *looks[contestant.label], *spread, bound))
    return curves


def _band(seeds: Float, band: str) -> tuple[Float, Float]:
    """Return the lower and the upper end (checkpoints,) of the band around the mean of curves (seeds, checkpoints)."""
    if band == MIN_MAX:
        return seeds.min(axis=0), seeds.max(axis=0)
    if band == QUANTILES:
        low, high = np.quantile(seeds, (0.25, 0.75), axis=0)
        return low, high
    shares = np.random.default_rng(0).multinomial(len(seeds), np.full(len(seeds), 1 / len(seeds)), RESAMPLES)
    low, high = np.quantile(shares @ seeds / len(seeds), (0.025, 0.975), axis=0)
    return low, high


def looks_of(contestants: Sequence[Contestant]) -> dict[str, Look]:
    """Return colour and line style of every label: a learner without parameters looks the same in all pictures.

    Its forms for l1 and l2 costs, which do not meet, share a look. All others get what is left, in the colour of
    their learner where it can be.
    """
    known = all_learners()
    game = next((known[one.name].game for one in contestants if one.name in known), "strategic")
    families = [family for family in dict.fromkeys(map(_family, learners_of(game))) if family not in STILL]
    fixed, free = dict(zip(families, LOOKS, strict=False)), list(LOOKS[len(families) :])
    looks: dict[str, Look] = {}
    for one in contestants:
        family = _family(one.name)
        look = fixed.get(family) if one.label == one.name else None
        if one.learner is None:
            look = REFERENCE
        elif (constant := parameters_of(one.learner, ConstantClassifier)) is not None:
            look = (GREY, SOLID if constant.get("accept", True) else DOTTED)
        if look is None or look in looks.values():
            colour = fixed[family][0] if family in fixed else None
            look = next((other for other in free if other[0] == colour), free[0] if free else LOOKS[-1])
            free = [other for other in free if other != look]
        looks[one.label] = look
    return looks


def _family(name: str) -> str:
    return re.sub("-l[12](-single)?$", "", name)


def _far_apart(curves: Sequence[Curve]) -> bool:
    """Tell whether linear axes would show some learners as a flat line at the bottom."""
    last = [float(curve.mean[-1]) for curve in curves if (curve.colour, curve.style) != REFERENCE]
    return bool(last) and max(last) > FAR_APART * max(1.0, min(last))


def _draw_axes(axes: "Axes", results: Results, top: float, logarithmic: bool, band: str) -> None:
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
    plain_axes(axes)
    lines = _subtitle(results, band)
    write_above(axes, "\n".join(lines))
    axes.set_title(title(results), loc="left", fontsize=15, fontweight="bold", pad=8 + 15 * len(lines))


def plain_axes(axes: "Axes") -> None:
    """Leave a frame of two sides, and a grid behind what is drawn."""
    axes.tick_params(labelsize=11)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(GREY)
    axes.grid(color="#E4E4E4", linewidth=0.8)
    axes.set_axisbelow(True)


def write_above(axes: "Axes", text: str) -> None:
    """Write lines between a picture and its title."""
    axes.text(0.0, 1.02, text, transform=axes.transAxes, fontsize=10.5, color=GREY, va="bottom")


def _subtitle(results: Results, band: str) -> list[str]:
    """Return what the scenario is, what is drawn, and what is not."""
    table = rows(results)
    known, name = scenario_names(), results.scenario.name
    lines = [known[name]] if name in known else []
    over = seeds_text(results)
    lines.append(f"mean of {over}, {BANDS[band]}" if len(results.seeds) > 1 else over)
    if reference_of(results) is not None:
        lines.append(f"reference: {HOW_THE_REFERENCE_IS_MADE}")
    if not any(row.bound is not None for row in table):
        lines.append(results.scenario.why_no_bound())
    lines += [failure_text(row, results) for row in table if row.failed]
    return lines + [f"{row.learner}: {missing_text(row, results)}" for row in table if row.missing]


def _draw_curves(axes: "Axes", checkpoints: Sequence[int], curves: Sequence[Curve], *, from_origin: bool) -> None:
    """Draw every mean on top of all bands, which are the paler the more there are."""
    start, opacity = [0.0] if from_origin else [], 0.8 / max(5, len(curves))
    for curve in curves:
        rounds, mean, least, most = (
            np.array([*start, *values]) for values in (checkpoints, curve.mean, curve.least, curve.most)
        )
        axes.fill_between(rounds, least, most, color=curve.colour, alpha=opacity, linewidth=0, zorder=1)
        axes.plot(rounds, mean, color=curve.colour, linestyle=curve.style, linewidth=2.0, label=curve.name)


def _draw_names(axes: "Axes", curves: Sequence[Curve], limit: float) -> None:
    """Write each curve's name and last mean, and each bound up to ``limit``, right of the axes close to its height."""
    names = []
    for curve in curves:
        lines = _wrapped(curve.name, 36)
        lines[0] += f"  {curve.mean[-1]:,.1f}"
        if curve.bound is not None and curve.bound <= limit:
            text = "\n".join(_wrapped(f"bound of {curve.name}", 36))
            names.append((curve.bound, f"{text}  {bound_text(curve.bound)}", curve.colour, ":", "normal"))
        elif curve.bound is not None:
            lines.append(f"(bound {bound_text(curve.bound)})")
        names.append((float(curve.mean[-1]), "\n".join(lines), curve.colour, curve.style, "bold"))
    names.sort()
    to_axes = axes.transData + axes.transAxes.inverted()
    heights = [float(to_axes.transform((1.0, value))[1]) for value, *_ in names]
    places = _apart(heights, [0.05 * (1 + text.count("\n")) for _, text, *_ in names])
    frame = axes.transAxes
    for (_, text, colour, style, weight), height, place in zip(names, heights, places, strict=True):
        axes.plot([1.005, 1.03], [height, place], color=colour, linewidth=0.8, transform=frame, clip_on=False)
        sample = (1.03, 1.09)  # its look, as in a legend
        axes.plot(sample, [place, place], color=colour, linestyle=style, linewidth=1.8, transform=frame, clip_on=False)
        axes.text(1.1, place, text, color=colour, fontsize=10.5, fontweight=weight, transform=frame, va="center")


def _wrapped(label: str, width: int) -> list[str]:
    """Break a label that is longer at its hyphens, and put its parameters on lines of their own."""
    if len(label) <= width:
        return [label]
    name, _, parameters = label.partition(":")
    details = textwrap.wrap(parameters.replace(", ", ",").replace(",", ", "), width - 2)
    return [*textwrap.wrap(name, width), *(f"  {line}" for line in details)]


def _apart(heights: Sequence[float], sizes: Sequence[float]) -> list[float]:
    """Move ascending heights apart, so that labels of these sizes do not overlap and none is above the axes."""
    gaps = [(lower + upper) / 2 for lower, upper in pairwise(sizes)]
    places = list(heights)
    for at, gap in enumerate(gaps):
        places[at + 1] = max(places[at + 1], places[at] + gap)
    for at in reversed(range(len(places))):
        places[at] = min(places[at], places[at + 1] - gaps[at] if at < len(gaps) else 1.0)
    return places
