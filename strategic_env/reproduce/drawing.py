"""How the figures are drawn: panels with a classifier, who stands where, and who moves. Needs matplotlib."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from numpy.typing import ArrayLike

from agents.foundation.pictures import blank_figure
from agents.foundation.typing import Float
from strategic_env.games.strategic.rendering.picture import (
    ACCEPTED,
    COLOUR,
    GREY,
    INK,
    MARKER,
    REACHABLE,
    draw_boundary,
)
from strategic_env.games.strategic.rendering.scene import Boundary

PANEL, DOTS_PER_INCH = 5.4, 110  # inches
DOTTED, DASHED = (0, (1, 2)), (0, (4, 4))
SURROGATE: dict[str, Any] = {
    "marker": "s", "markersize": 10, "color": "white", "markeredgecolor": INK, "markeredgewidth": 1.8
}  # fmt: skip
OF_SURROGATES = (
    Line2D([], [], linestyle="none", **SURROGATE, label="surrogate point"),
    Line2D([], [], color=INK, linestyle=DASHED, linewidth=1.2, marker=">", label="from report to surrogate"),
)


class Person(NamedTuple):
    """An individual in a panel: name, true point, label, report (None: has not arrived), and where the name stands."""

    name: str
    true: Float
    label: float
    report: Float | None = None
    beside: tuple[float, float] = (10.0, 8.0)


def boundary_of(classifier: Float, alpha: float) -> Boundary:
    """Return a classifier ``[w, b]`` in units of distance, with what l2 individuals reach."""
    norm = float(np.linalg.norm(classifier[:-1]))
    if norm == 0.0:
        return Boundary(classifier[:-1], float(classifier[-1]), 0.0)
    return Boundary(classifier[:-1] / norm, float(classifier[-1]) / norm, alpha)


def pair(point: ArrayLike) -> tuple[float, float]:
    """Return a point of the plane as matplotlib wants it."""
    x, y = np.asarray(point, dtype=np.float64).tolist()
    return x, y


def panels(
    rows: int, columns: int, title: str, width: float = PANEL, height: float = PANEL
) -> tuple[Figure, list[Axes]]:
    """Return a figure of panels of a size in inches, with room for titles above and a legend below."""
    inches = width * columns, height * rows + 1.9
    figure = blank_figure(figsize=inches, dpi=DOTS_PER_INCH)
    axes = figure.subplots(rows, columns, squeeze=False)
    figure.subplots_adjust(
        left=0.75 / inches[0], right=1.0 - 0.15 / inches[0], bottom=1.25 / inches[1], top=1.0 - 0.85 / inches[1],
        hspace=0.22, wspace=0.18,
    )  # fmt: skip
    figure.text(0.15 / inches[0], 1.0 - 0.3 / inches[1], title, fontsize=14, color=INK, weight="bold", va="center")
    return figure, list(axes.ravel())


def frame(axes: Axes, title: str, low: ArrayLike, high: ArrayLike) -> None:
    """Prepare a panel between two corners."""
    (left, bottom), (right, top) = np.asarray(low), np.asarray(high)
    axes.set_xlim(left, right)
    axes.set_ylim(bottom, top)
    axes.set_aspect("equal")
    axes.set_xlabel("x1", fontsize=11, color=GREY)
    axes.set_ylabel("x2", fontsize=11, color=GREY, labelpad=0)
    axes.set_title(title, fontsize=12.5, color=INK, loc="left", pad=8)
    axes.tick_params(labelsize=10, color=GREY, labelcolor=GREY)
    axes.locator_params(nbins=6)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(GREY)
    axes.axhline(0.0, color="#DDDDDD", linewidth=0.8, zorder=0)
    axes.axvline(0.0, color="#DDDDDD", linewidth=0.8, zorder=0)


def line(axes: Axes, boundary: Boundary, distance: float, style: Any, width: float = 1.4) -> None:
    """Draw the line at a signed distance from a boundary."""
    foot = (distance - boundary.offset) * boundary.normal
    along = np.array([-boundary.normal[1], boundary.normal[0]])
    axes.axline(pair(foot), pair(foot + along), color=INK, linewidth=width, linestyle=style, zorder=1)


def arrow(axes: Axes, start: ArrayLike, end: ArrayLike, colour: str = INK, style: str = "-|>", **more: Any) -> None:
    """Draw an arrow."""
    shape: dict[str, Any] = {"arrowstyle": style, "mutation_scale": 15.0, "linewidth": 2.0, "color": colour}
    axes.annotate("", pair(end), pair(start), arrowprops=shape | {"shrinkA": 0, "shrinkB": 0} | more, zorder=5)


def normal(axes: Axes, boundary: Boundary, at: ArrayLike, size: float, name: str = "w") -> None:
    """Draw the positive direction of a boundary, from a point on it."""
    start = np.asarray(at, dtype=np.float64)
    start = start - boundary.distance(start) * boundary.normal
    arrow(axes, start, start + size * boundary.normal, GREY)
    write(axes, name, start + 1.2 * size * boundary.normal, GREY, ha="center", va="center")


def write(axes: Axes, text: str, at: ArrayLike, colour: str = INK, **style: Any) -> None:
    """Write a text at a point, on white."""
    paper = {"facecolor": "white", "alpha": 0.75, "linewidth": 0, "pad": 1.0}
    axes.text(*pair(at), text, fontsize=11, color=colour, zorder=6, bbox=paper, **style)


def people(axes: Axes, everybody: Sequence[Person]) -> None:
    """Draw individuals: true points solid, moves as arrows to a ring at the report."""
    for person in everybody:
        colour, marker = COLOUR[person.label], MARKER[person.label]
        axes.plot(*person.true, marker, markersize=11, color=colour, markeredgecolor="white", zorder=4)
        axes.annotate(
            person.name, pair(person.true), person.beside, textcoords="offset points", fontsize=12, color=colour,
            zorder=6, weight="bold",
        )  # fmt: skip
        if person.report is not None and (person.report != person.true).any():
            ring: dict[str, Any] = {
                "markersize": 17,
                "color": "none",
                "markeredgecolor": colour,
                "markeredgewidth": 2.2,
            }
            axes.plot(*person.report, marker, **ring, zorder=3)
            arrow(axes, person.true, person.report)


def mistake(axes: Axes, at: ArrayLike, beside: tuple[float, float] = (0.0, -26.0)) -> None:
    """Say that the classifier errs on a report."""
    axes.annotate(
        "\u2717 mistake", pair(at), beside, textcoords="offset points", fontsize=12, color=INK, zorder=8,
        ha="center", weight="bold",
    )  # fmt: skip


def shade(axes: Axes, boundary: Boundary) -> None:
    """Shade whom a classifier accepts and who is close enough to move."""
    if boundary.exists:
        draw_boundary(axes, boundary)
    else:
        axes.text(0.5, 0.94, boundary.verdict, transform=axes.transAxes, ha="center", fontsize=12, color=INK)


def surrogate(axes: Axes, report: Float, point: Float, aside: Float) -> None:
    """Draw a surrogate point, and an arrow beside the way that leads there from the report."""
    axes.plot(*point, **SURROGATE, zorder=5)
    arrow(axes, report + aside, point + aside, linestyle=DASHED, linewidth=1.2)


def legend(figure: Figure, *more: Line2D) -> None:
    """Explain the signs below the panels."""
    solid: dict[str, Any] = {"linestyle": "none", "markersize": 10, "markeredgecolor": "white"}
    handles = [
        Line2D([], [], marker=MARKER[1.0], color=COLOUR[1.0], **solid, label="positive"),
        Line2D([], [], marker=MARKER[-1.0], color=COLOUR[-1.0], **solid, label="negative"),
        Line2D([], [], marker="o", linestyle="none", markersize=13, markerfacecolor="none", markeredgecolor=GREY,
               markeredgewidth=2.0, label="reports after a move"),
        Patch(**ACCEPTED, label="accepted"),
        Patch(**REACHABLE, label="close enough to move"),
        Line2D([], [], color=INK, linewidth=2.2, label="classifier"),
        *more,
    ]  # fmt: skip
    figure.legend(handles=handles, loc="lower center", ncols=min(4, len(handles)), frameon=False, fontsize=11)
