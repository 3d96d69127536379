"""A feedback graph drawn with matplotlib: an arrow from every action to every label that it shows."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, FancyArrowPatch
from matplotlib.path import Path

from agents.foundation.pictures import blank_figure
from agents.foundation.typing import Bool, Float, Int

# Colours of Okabe and Ito, which colour-blind readers tell apart.
INK, GREY, BLUE, SKY, ORANGE = "#222222", "#6E6E6E", "#0072B2", "#CFE6F5", "#D55E00"
QUERY = "?"
RING = 1.35  # radii of a node
Looks: TypeAlias = dict[str, dict[str, Any]]
FILL: Looks = {
    "shows every label": {"facecolor": BLUE},
    "shows some labels": {"facecolor": SKY},
    "shows nothing": {"facecolor": "white"},
}
OUTLINE: Looks = {
    "strongly observable label": {"edgecolor": INK, "linestyle": "-", "linewidth": 1.8},
    "weakly observable label": {"edgecolor": INK, "linestyle": (0, (2, 1.5)), "linewidth": 1.8},
    "query: no label": {"edgecolor": GREY, "linestyle": "-", "linewidth": 0.8},
}


def drawn(
    title: str, numbers: str, adjacency: Bool, reveals: Bool, observability: Sequence[str], dominating: Int, what: str
) -> Figure:
    """Return the picture of a graph.

    Parameters
    ----------
    title, numbers : str
        What the graph is, and its numbers.
    adjacency : ndarray, shape (n, n), bool
    reveals : ndarray, shape (n, K), bool
        Which labels each node shows.
    observability : sequence of str
        ``"strong"`` or ``"weak"``, of every label.
    dominating : ndarray of int64
        The members of the dominating set that is marked, and ``what`` to call it.
    """
    figure = blank_figure(figsize=(9.0, 6.0), dpi=100)
    axes = figure.add_axes((0.02, 0.02, 0.6, 0.85))
    axes.set_aspect("equal")
    axes.set_axis_off()
    axes.set(xlim=(-1.42, 1.42), ylim=(-1.34, 1.34))
    nodes, classes = reveals.shape
    members = dominating.tolist()
    places, size = places_of(classes, nodes)
    fills, outlines = kinds_of(reveals, observability)
    rings = [size * (RING if node in members else 1.0) for node in range(nodes)]
    draw_edges(axes, adjacency, places, rings)
    for node, (place, fill, outline) in enumerate(zip(places.tolist(), fills, outlines, strict=True)):
        axes.add_patch(Circle(place, size, zorder=3, **FILL[fill], **OUTLINE[outline]))
        name = QUERY if node == classes else str(node)
        colour = "white" if FILL[fill]["facecolor"] == BLUE else INK
        axes.text(place[0], place[1], name, color=colour, fontsize=115 * size, ha="center", va="center_baseline")
        if node in members:
            axes.add_patch(Circle(place, RING * size, fill=False, edgecolor=ORANGE, linewidth=2.4, zorder=3))
    draw_legend(axes, set(fills), set(outlines), what)
    figure.text(0.03, 0.94, title, fontsize=15, color=INK, weight="bold")
    figure.text(0.03, 0.895, f"{numbers}; an arrow leads to what an action shows", fontsize=12, color=GREY)
    return figure


def places_of(classes: int, nodes: int) -> tuple[Float, float]:
    """Return the nodes' places (n, 2), labels clockwise on the unit circle and a query in its middle, and radius."""
    turns = 2.0 * np.pi * np.arange(classes) / classes
    places = np.zeros((nodes, 2))
    places[:classes] = np.column_stack([np.sin(turns), np.cos(turns)])
    return places, min(0.13, 2.0 / classes)


def kinds_of(reveals: Bool, observability: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return of every node the key of its fill and of its outline."""
    everything, some, nothing = FILL
    strong, weak, query = OUTLINE
    shown = reveals.sum(axis=1)
    fills = np.select([shown == reveals.shape[1], shown > 0], [everything, some], nothing).tolist()
    outlines = [strong if kind == "strong" else weak for kind in observability]
    return fills, [*outlines, query][: len(reveals)]


def draw_edges(axes: Axes, adjacency: Bool, places: Float, rings: list[float]) -> None:
    """Draw an arrow for every edge, from rim to rim; those of a pair that shows each other are bent apart."""
    both = adjacency & adjacency.T
    rims = [axes.add_patch(Circle(place, ring, alpha=0.0)) for place, ring in zip(places.tolist(), rings, strict=True)]
    style: dict[str, Any] = {"arrowstyle": "-|>", "color": GREY, "alpha": 0.8, "shrinkA": 0, "shrinkB": 0, "zorder": 1}
    style["mutation_scale"] = 75 * min(rings)
    for tail, head in np.argwhere(adjacency).tolist():
        if tail == head:
            arrow = FancyArrowPatch(path=loop(places[tail], rings[tail]), **style)
        else:
            bend = "arc3,rad=0.12" if both[tail, head] else "arc3,rad=0"
            ends = {"posA": places[tail], "posB": places[head], "patchA": rims[tail], "patchB": rims[head]}
            arrow = FancyArrowPatch(connectionstyle=bend, **ends, **style)
        axes.add_patch(arrow)


def loop(place: Float, ring: float) -> Path:
    """Return the way from a node to itself, outside of the circle of labels."""
    outwards = float(np.arctan2(place[1], place[0])) if place.any() else np.pi / 2.0
    turns, lengths = outwards + np.array([0.5, 0.65, -0.65, -0.5]), ring * np.array([1.0, 2.6, 2.6, 1.0])
    curve = place + lengths[:, np.newaxis] * np.column_stack([np.cos(turns), np.sin(turns)])
    return Path(curve, [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4])


def draw_legend(axes: Axes, fills: set[str], outlines: set[str], dominating_set: str) -> None:
    """Explain what is in the picture."""
    dot: dict[str, Any] = {"linestyle": "none", "marker": "o", "markersize": 15}
    ring: dict[str, Any] = {"markerfacecolor": "none", "markeredgecolor": ORANGE, "markeredgewidth": 2.4}
    handles = [
        Line2D([], [], **dot, markerfacecolor=look["facecolor"], markeredgecolor=INK, label=f"action that {name}")
        for name, look in FILL.items()
        if name in fills
    ]
    handles += [
        Line2D([], [], color=look["edgecolor"], linestyle=look["linestyle"], linewidth=2.0, label=name)
        for name, look in OUTLINE.items()
        if name in outlines
    ]
    handles.append(Line2D([], [], **dot, **ring, label=dominating_set))
    place: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.0, 0.95)}
    axes.legend(handles=handles, **place, labelspacing=1.1, fontsize=12, labelcolor=INK, frameon=False)
