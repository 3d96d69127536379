"""A round drawn with matplotlib: the boundary, who is within reach of it, and the move of the one who arrived."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from numpy.typing import NDArray

from agents.foundation.pictures import blank_figure
from agents.foundation.typing import Float
from strategic_env.games.strategic.rendering.scene import Boundary, Frame, GameShown, Scene, caption, headline, scene_of
from strategic_env.games.strategic.rules import Round
from strategic_env.games.strategic.setting import Setting

INCHES, DOTS_PER_INCH = (9.0, 6.0), 100
PLACE = (0.09, 0.11, 0.58, 0.75)  # of the axes: left, bottom, width, height
# Colours of Okabe and Ito, which colour-blind readers tell apart; the markers say the same again.
INK, GREY, BLUE, VERMILION = "#222222", "#6E6E6E", "#0072B2", "#D55E00"
ACCEPTED: dict[str, Any] = {"facecolor": "#009E73", "alpha": 0.16, "linewidth": 0}
REACHABLE: dict[str, Any] = {"facecolor": "#F0C800", "alpha": 0.36, "linewidth": 0}
COLOUR, MARKER = {1.0: BLUE, -1.0: VERMILION}, {1.0: "o", -1.0: "s"}


def pixels(setting: Setting, last: Round | None, game: GameShown | None) -> NDArray[np.uint8]:
    """Return the picture of a round (H, W, 3)."""
    figure = blank_figure(figsize=INCHES, dpi=DOTS_PER_INCH)
    canvas: Any = figure.canvas
    draw(figure, setting, last, game)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba(), dtype=np.uint8)[..., :3].copy()


def draw(figure: Figure, setting: Setting, last: Round | None, game: GameShown | None) -> None:
    """Draw a round on an empty figure."""
    scene = scene_of(setting, last, game)
    axes = axes_of(figure, scene.frame)
    draw_frame(axes, scene.frame)
    draw_round(axes, scene, last, game)


def axes_of(figure: Figure, frame: Frame) -> Axes:
    """Return empty axes."""
    axes = figure.add_axes(PLACE, facecolor="white")
    axes.set_xlim(frame.low[0], frame.high[0])
    axes.set_ylim(frame.low[1], frame.high[1])
    if frame.equal:
        axes.set_aspect("equal", anchor="W")
        axes.apply_aspect()
    return axes


def draw_frame(axes: Axes, frame: Frame) -> None:
    """Draw axes and legend. It explains every sign, also those that a round does not need."""
    axes.set_xlabel(frame.names[0], fontsize=13, color=INK)
    axes.set_ylabel(frame.names[1], fontsize=13, color=INK)
    axes.tick_params(labelsize=11, color=INK, labelcolor=INK)
    axes.locator_params(nbins=7)
    axes.grid(False)
    axes.spines[:].set_color(INK)
    axes.spines[["top", "right"]].set_visible(False)
    for axis, spine in ((axes.xaxis, "bottom"), (axes.yaxis, "left")):
        if not axis.get_label_text():
            axis.set_visible(False)
            axes.spines[spine].set_visible(False)
    solid: dict[str, Any] = {"linestyle": "none", "markersize": 11, "markeredgecolor": "white"}
    ring: dict[str, Any] = {"marker": "o", "markersize": 16, "markerfacecolor": "none", "markeredgewidth": 2.4}
    handles = [
        Patch(**ACCEPTED, label="accepted"),
        Line2D([], [], color=INK, linewidth=2.2, label="decision boundary"),
        Patch(**REACHABLE, label="close enough to move"),
        Line2D([], [], marker=MARKER[1.0], color=COLOUR[1.0], **solid, label="qualified (label +1)"),
        Line2D([], [], marker=MARKER[-1.0], color=COLOUR[-1.0], **solid, label="unqualified (label -1)"),
        Line2D([], [], marker="o", color=GREY, **solid, label="true features"),
        Line2D([], [], linestyle="none", markeredgecolor=GREY, **ring, label="reported features"),
    ]
    axes.legend(
        handles=handles,
        loc="upper left",
        bbox_to_anchor=(1.02, 1.0),
        labelspacing=1.0,
        fontsize=12,
        labelcolor=INK,
        frameon=False,
    )


def draw_round(axes: Axes, scene: Scene, last: Round | None, game: GameShown | None) -> None:
    """Draw all that a round brings."""
    if scene.boundary is not None and scene.boundary.exists:
        draw_boundary(axes, scene.boundary)
    elif scene.boundary is not None:
        if scene.boundary.offset >= 0.0:
            axes.axvspan(*axes.get_xlim(), **ACCEPTED)
        axes.set_title(scene.boundary.verdict, y=0.93, fontsize=13, color=INK)
    if last is not None:
        draw_individual(axes, last, scene.points)
    axes.figure.text(0.03, 0.945, headline(last, game), fontsize=15, color=INK, weight="bold")
    axes.figure.text(0.03, 0.9, caption(last), fontsize=12, color=GREY)


def draw_boundary(axes: Axes, boundary: Boundary) -> None:
    """Shade the accepted side and the zone from which it is within reach."""
    low, high = np.transpose([axes.get_xlim(), axes.get_ylim()])
    middle, size = (low + high) / 2.0, float(np.linalg.norm(high - low))
    along = size * np.array([-boundary.normal[1], boundary.normal[0]])

    def line(distance: float) -> list[Float]:
        """Return the ends of the line at a signed distance from the boundary, or at the edge of what is in sight."""
        shift = max(-size, min(distance - boundary.distance(middle), size))
        return [middle + shift * boundary.normal + end for end in (-along, along)]

    for far, style in ((np.inf, ACCEPTED), (-boundary.reach, REACHABLE)):
        axes.fill(*np.transpose(line(0.0) + line(far)[::-1]), **style)
    axes.plot(*np.transpose(line(-boundary.reach)), color=INK, linewidth=1.0, linestyle=(0, (4, 4)))
    axes.plot(*np.transpose(line(0.0)), color=INK, linewidth=2.2)


def draw_individual(axes: Axes, last: Round, points: Float) -> None:
    """Draw the true features (solid), the reported ones (a ring), the move between them and the prediction."""
    true, report = points.tolist()
    colour, marker = COLOUR[last.true_label], MARKER[last.true_label]
    axes.plot(*true, marker, markersize=11, color=colour, markeredgecolor="white", zorder=4)
    axes.plot(*report, marker, markersize=17, color="none", markeredgecolor=colour, markeredgewidth=2.4, zorder=4)
    start, end = axes.transData.transform(points)
    if last.moved:
        # A head longer than the arrow would point backwards.
        head = min(14.0, float(np.hypot(*(end - start))))
        arrow = dict(arrowstyle="-|>", mutation_scale=head, linewidth=2.0, color=INK, shrinkA=0, shrinkB=0)
        axes.annotate("", report, true, arrowprops=arrow, zorder=5)
    up = bool(end[1] > start[1] - 1.0)  # the prediction stands where the arrow does not come from
    style: dict[str, Any] = {"fontsize": 13, "weight": "bold", "color": INK, "zorder": 5}
    style |= {"ha": "center", "va": "bottom" if up else "top", "textcoords": "offset points"}
    paper = {"facecolor": "white", "alpha": 0.7, "linewidth": 0, "pad": 1.5}
    axes.annotate("accepted" if last.accepted else "rejected", report, (0, 14 if up else -14), bbox=paper, **style)
