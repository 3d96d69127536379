"""A round of nearest centres drawn with matplotlib: cells, centres, the query, and what a learner would name."""

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from agents.foundation.pictures import blank_figure
from agents.foundation.typing import Float, Int
from learners.search.beliefs import Belief

INCHES, DOTS_PER_INCH = (7.0, 6.0), 100
GRID, REACH = 81, 1.15
# Of Okabe and Ito, which colour-blind readers tell apart; labels beyond the last begin anew.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#F0E442")
INK = "#222222"
Answer = Callable[[Float], Int]


@dataclass(frozen=True)
class Shown:
    """What a picture shows.

    Attributes
    ----------
    centres : ndarray, shape (M, d)
        Or points that are known.
    labels : ndarray, shape (M,), int64
        Theirs.
    query : ndarray, shape (d,)
        To be labelled now.
    nearest : callable
        The label of each of n points (n, d).
    named : callable or None
        What a learner would name there, if one is watched.
    beliefs : sequence of Belief
        What it still believes possible, in the plane.
    dots : str
        What the centres are called.
    caption : str
        About the last round.
    """

    centres: Float
    labels: Int
    query: Float
    nearest: Answer
    named: Answer | None
    beliefs: Sequence[Belief]
    dots: str
    caption: str


def pixels(shown: Shown) -> NDArray[np.uint8]:
    """Return the picture (H, W, 3)."""
    figure = blank_figure(figsize=INCHES, dpi=DOTS_PER_INCH)
    canvas: Any = figure.canvas
    if shown.beliefs:
        figure.set_size_inches(2.0 * INCHES[0], INCHES[1])
        draw(figure.add_axes((0.05, 0.1, 0.43, 0.78)), shown)
        draw_beliefs(figure.add_axes((0.55, 0.1, 0.43, 0.78)), shown)
    else:
        draw(figure.add_axes((0.09, 0.1, 0.86, 0.78)), shown)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba(), dtype=np.uint8)[..., :3].copy()


def draw(axes: Axes, shown: Shown) -> None:
    """Draw the plane of two features or, of more, the one through 0, the query and the two centres nearest to it."""
    from matplotlib.colors import ListedColormap

    first, second = plane = plane_of(shown)
    steps = np.linspace(-REACH, REACH, GRID)
    across, up = np.meshgrid(steps, steps)
    points = across.reshape(-1, 1) * first + up.reshape(-1, 1) * second
    colours = [COLOURS[label % len(COLOURS)] for label in range(shown.labels.max() + 1)]
    span = -REACH, REACH, -REACH, REACH
    cells = shown.nearest(points).reshape(GRID, GRID)
    axes.imshow(
        cells, origin="lower", extent=span, alpha=0.25, cmap=ListedColormap(colours), vmin=-0.5,
        vmax=len(colours) - 0.5, interpolation="nearest",
    )  # fmt: skip
    if shown.named is not None:
        named = shown.named(points).reshape(GRID, GRID)
        for label in range(len(colours)):
            if 0 < (named == label).sum() < named.size:
                axes.contour(across, up, named == label, [0.5], colors=INK, linestyles="dashed", linewidths=1.2)
    for label, centre in zip(shown.labels, shown.centres @ np.transpose(plane), strict=True):
        axes.plot(*centre, "o", color=colours[label], markersize=11, markeredgecolor="white")
        axes.annotate(str(label), centre, (8, 6), textcoords="offset points", color=INK, fontsize=12)
    axes.plot(*(shown.query @ np.transpose(plane)), "*", color=INK, markersize=17, markeredgecolor="white")
    circle = np.linspace(0.0, 2.0 * np.pi, 200)
    axes.plot(np.cos(circle), np.sin(circle), color=INK, linewidth=0.6)
    axes.set_xlim(-REACH, REACH)
    axes.set_ylim(-REACH, REACH)
    axes.set_aspect("equal")
    two = shown.centres.shape[1] == 2
    axes.set_xlabel("first feature" if two else "along the query")
    axes.set_ylabel("second feature" if two else "across it, from one centre to the next")
    watched = "" if shown.named is None else ", dashed: what the learner would name"
    axes.set_title(f"{shown.caption}\nstar: the query, dots: {shown.dots}{watched}", loc="left", fontsize=10)


def draw_beliefs(axes: Axes, shown: Shown) -> None:
    """Draw where the difference of each pair of centres may lie, and where it does."""
    for place, (label, other, outline) in enumerate(shown.beliefs):
        colour, true = COLOURS[place % len(COLOURS)], shown.centres[label] - shown.centres[other]
        axes.fill(*outline.T, facecolor=colour, edgecolor=colour, alpha=0.3)
        axes.plot(*true, "+", color=colour, markersize=13, markeredgewidth=2.5)
        axes.annotate(f"{label} - {other}", true, (8, 6), textcoords="offset points", color=INK, fontsize=11)
    axes.set_aspect("equal")
    axes.set_xlabel("first feature")
    axes.set_ylabel("second feature")
    title = "differences of centres that the learner believes possible"
    axes.set_title(f"{title}\n(at the query's scale, or two deviations); +: the truth", loc="left", fontsize=10)


def plane_of(shown: Shown) -> tuple[Float, Float]:
    """Return two orthonormal vectors (d,) that span the plane; zeros where there is no second one."""
    centres, query = shown.centres, shown.query
    d = len(query)
    if d <= 2:
        basis = np.eye(2, d)
        return basis[0], basis[1]
    norm = np.linalg.norm(query)
    first = query / norm if norm > 0.0 else np.eye(d)[0]
    order = np.argsort(np.linalg.norm(centres - query, axis=1))
    second = centres[order[0]] - centres[order[min(1, len(order) - 1)]]
    second = second - (second @ first) * first
    length = np.linalg.norm(second)
    return first, second / length if length > 0.0 else np.zeros(d)


def answers_of(learner: Any, state: Any, classes: int) -> Answer:
    """Return what a learner would name at each of n points (n, d), asked one by one with a copy of its state."""

    def named(points: Float) -> Int:
        own = copy.deepcopy(state)
        labels = np.empty(len(points), dtype=np.int64)
        for place, point in enumerate(points):
            # Before the first round there is nothing to learn.
            seen = {"action": [-1.0], "features": point, "feedback": [-1.0] * classes, "round": [0.0]}
            labels[place], own = learner.predict(seen, own)
        return labels

    return named
