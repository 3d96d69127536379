"""A feedback graph drawn with matplotlib: an arrow from every action to every label that it shows."""

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, FancyArrowPatch
from matplotlib.path import Path

from agents.foundation.pictures import blank_figure
from agents.foundation.typing import Float

if TYPE_CHECKING:
    from learners.feedback.graph import FeedbackGraph

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
SMALLEST, GREEDY = "smallest dominating set", "a dominating set (greedy)"


def drawn(graph: "FeedbackGraph") -> Figure:
    """Return the picture of a graph."""
    figure = blank_figure(figsize=(9.0, 6.0), dpi=100)
    axes = figure.add_axes((0.02, 0.02, 0.6, 0.85))
    axes.set_aspect("equal")
    axes.set_axis_off()
    axes.set(xlim=(-1.42, 1.42), ylim=(-1.34, 1.34))
    places, size = places_of(graph)
    fills, outlines = kinds_of(graph)
    members, what = dominating(graph)
    rings = [size * (RING if node in members else 1.0) for node in range(graph.nodes)]
    draw_edges(axes, graph, places, rings)
    for node, (place, fill, outline) in enumerate(zip(places.tolist(), fills, outlines, strict=True)):
        axes.add_patch(Circle(place, size, zorder=3, **FILL[fill], **OUTLINE[outline]))
        name = QUERY if node == graph.classes else str(node)
        colour = "white" if FILL[fill]["facecolor"] == BLUE else INK
        axes.text(place[0], place[1], name, color=colour, fontsize=115 * size, ha="center", va="center_baseline")
        if node in members:
            axes.add_patch(Circle(place, RING * size, fill=False, edgecolor=ORANGE, linewidth=2.4, zorder=3))
    draw_legend(axes, set(fills), set(outlines), what)
    draw_title(figure, graph, what, len(members))
    return figure


def places_of(graph: "FeedbackGraph") -> tuple[Float, float]:
    """Return the nodes' places (n, 2), labels clockwise on the unit circle and a query in its middle, and radius."""
    turns = 2.0 * np.pi * np.arange(graph.classes) / graph.classes
    places = np.zeros((graph.nodes, 2))
    places[: graph.classes] = np.column_stack([np.sin(turns), np.cos(turns)])
    return places, min(0.13, 2.0 / graph.classes)


def kinds_of(graph: "FeedbackGraph") -> tuple[list[str], list[str]]:
    """Return of every node the key of its fill and of its outline."""
    everything, some, nothing = FILL
    strong, weak, query = OUTLINE
    shown = graph.reveals.sum(axis=1)
    fills = np.select([shown == graph.classes, shown > 0], [everything, some], nothing).tolist()
    outlines = [strong if kind == "strong" else weak for kind in graph.label_observability]
    return fills, [*outlines, query][: graph.nodes]


def dominating(graph: "FeedbackGraph") -> tuple[list[int], str]:
    """Return the smallest dominating set or, where it cannot be found, the greedy one; and what it is."""
    try:
        return graph.dominating_set.tolist(), SMALLEST
    except RuntimeError:
        return graph.greedy_dominating_set.tolist(), GREEDY


def draw_edges(axes: Axes, graph: "FeedbackGraph", places: Float, rings: list[float]) -> None:
    """Draw an arrow for every edge, from rim to rim; those of a pair that shows each other are bent apart."""
    both = graph.adjacency & graph.adjacency.T
    rims = [axes.add_patch(Circle(place, ring, alpha=0.0)) for place, ring in zip(places.tolist(), rings, strict=True)]
    style: dict[str, Any] = {"arrowstyle": "-|>", "color": GREY, "alpha": 0.8, "shrinkA": 0, "shrinkB": 0, "zorder": 1}
    style["mutation_scale"] = 75 * min(rings)
    for tail, head in np.argwhere(graph.adjacency).tolist():
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


def draw_title(figure: Figure, graph: "FeedbackGraph", dominating_set: str, members: int) -> None:
    """Write what the graph is, and its numbers."""
    name = f"{graph.name.replace('_', ' ')}: {graph.classes} classes{' and a query' * graph.has_query}"
    most = "" if dominating_set == SMALLEST else "at most "
    numbers = f"domination number {most}{members}, {graph.observability}ly observable"
    figure.text(0.03, 0.94, name, fontsize=15, color=INK, weight="bold")
    figure.text(0.03, 0.895, f"{numbers}; an arrow leads to what an action shows", fontsize=12, color=GREY)
