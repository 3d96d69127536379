"""One round as a picture, in a window, or in a few lines of text.

One or two features are drawn as they are. More are projected on the classifier's normal: the signed distance from the
boundary against the length of what remains. Matplotlib is imported only to draw.
"""

import sys
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.arrivals import BLOCK
from agents.boundary import rescaled
from agents.typing import Float
from strategic_env.game import Game, Round, Setting

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WINDOW, FRAMES_PER_SECOND = "strategic_env", 4
INCHES, DOTS_PER_INCH = (9.0, 6.0), 100
PLACE = (0.09, 0.11, 0.58, 0.75)  # of the axes: left, bottom, width, height
# Colours of Okabe and Ito, which colour-blind readers tell apart; the markers say the same again.
INK, GREY, BLUE, VERMILION = "#222222", "#6E6E6E", "#0072B2", "#D55E00"
ACCEPTED: dict[str, Any] = {"facecolor": "#009E73", "alpha": 0.16, "linewidth": 0}
REACHABLE: dict[str, Any] = {"facecolor": "#F0C800", "alpha": 0.36, "linewidth": 0}
COLOUR, MARKER = {1.0: BLUE, -1.0: VERMILION}, {1.0: "o", -1.0: "s"}
# A boundary farther away than any population reaches cannot be seen; the cap keeps squares finite.
FARTHEST = 1e150
HALF_STRIP = 30  # columns of text on either side of the boundary


def require_plot() -> None:
    """Raise an ImportError that says what to install where matplotlib is missing."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise ImportError('drawing needs matplotlib: pip install "strategic-env[plot]"') from error


def render(mode: str, setting: Setting, last: Round | None, game: Game | None) -> NDArray[np.uint8] | str | None:
    """Show a round.

    Parameters
    ----------
    mode : str
        ``"rgb_array"``, ``"ansi"`` or ``"human"``.
    setting : Setting
        The rules.
    last : Round or None
        The round; None before the first.
    game : Game or None
        The game whose latest round ``last`` is.

    Returns
    -------
    ndarray (H, W, 3) of uint8, str or None
        The picture; the text; or None after showing the picture in a window (without a display: printing the text).

    Raises
    ------
    ImportError
        If matplotlib is missing and ``mode`` is not ``"ansi"``.
    """
    if mode == "ansi":
        return text(setting, last, game)
    require_plot()
    if mode == "rgb_array":
        return picture(setting, last, game)
    if not show(setting, last, game):
        print(text(setting, last, game))
    return None


def close() -> None:
    """Close the window, if there is one."""
    if "matplotlib.pyplot" in sys.modules:
        from matplotlib import pyplot

        pyplot.close(WINDOW)


class Boundary(NamedTuple):
    """A classifier in units of distance.

    Attributes
    ----------
    normal : ndarray, shape (d,)
        ``w / |w|``; zeros where ``w = 0``.
    offset : float
        ``b / |w|``; b where ``w = 0``.
    reach : float
        From how far away the individual who arrived reaches the boundary.
    """

    normal: Float
    offset: float
    reach: float

    @property
    def exists(self) -> bool:
        """Whether some points are accepted and others not."""
        return bool(self.normal.any())

    def distance(self, features: Float) -> float:
        """Return the signed distance of features (d,); those at 0 or more are accepted."""
        return float(self.normal @ features) + self.offset

    @property
    def verdict(self) -> str:
        """Whom a classifier without a boundary accepts."""
        return f"w = 0: {'everybody' if self.offset >= 0.0 else 'nobody'} is accepted"


def boundary_of(setting: Setting, last: Round, game: Game | None) -> Boundary:
    """Return the boundary that was published in a round."""
    classifier = rescaled(last.classifier)
    weights, intercept = classifier[:-1], float(classifier[-1])
    norm = float(np.linalg.norm(weights))
    if norm == 0.0:
        return Boundary(weights, intercept, 0.0)
    reaches = np.atleast_1d(setting.cost.reach(weights / norm))
    row = 0 if game is None or reaches.size == 1 else game.arrivals.index[(game.round - 1) % BLOCK]
    return Boundary(weights / norm, max(-FARTHEST, min(intercept / norm, FARTHEST)), float(reaches[row]))


def headline(last: Round | None, game: Game | None) -> str:
    """Say in one line what happened."""
    if last is None:
        return "round 0: nobody has arrived yet"
    who = "qualified" if last.true_label > 0.0 else "unqualified"
    what = f"{'moved' if last.moved else 'stayed'}, {'accepted' if last.accepted else 'rejected'}"
    verdict = "mistake" if last.mistake else "correct"
    count = "" if game is None else f" ({game.mistakes} mistake{'' if game.mistakes == 1 else 's'})"
    return f"round {last.observation[-1]:.0f}: {who}, {what} - {verdict}{count}"


def caption(last: Round | None) -> str:
    """Say what the headline and the picture do not."""
    if last is None:
        return "no classifier has been published yet"
    paid = f"paid {last.cost:.2f}, where being accepted is worth 1" if last.moved else "reported the true features"
    return paid if last.revealed else f"{paid}; the learner does not see the label"


def text(setting: Setting, last: Round | None, game: Game | None) -> str:
    """Return a round in a few lines of text."""
    if last is None:
        return f"{headline(last, game)}\n  {caption(last)}"
    boundary = boundary_of(setting, last, game)
    farthest = setting.population.radius + setting.reach_scale
    true, report = (boundary.distance(point) for point in (last.true_features, last.report))
    report = 0.0 if abs(report) < 1e-9 * farthest else report  # a mover's rounding is nothing to look at
    lines = [
        headline(last, game),
        f"  {caption(last)}",
        f"  published  w = {numbers(last.classifier[:-1])}, b = {last.classifier[-1]:.4g}",
        f"  true       {numbers(last.true_features)}, label {last.true_label:+.0f}",
        f"  reported   {numbers(last.report)}, prediction {1 if last.accepted else -1:+d}",
    ]
    if not boundary.exists:
        return "\n".join([*lines, f"  {boundary.verdict}"])
    distances = f"  distance   true {true:+.4g}, reported {report:+.4g}, reach {boundary.reach:.4g}"
    return "\n".join([*lines, distances, *strip(true, report, boundary.reach, farthest)])


def numbers(vector: Float) -> str:
    """Return a vector in one line, the middle of a long one left out."""
    return np.array2string(vector, precision=4, threshold=12, edgeitems=5, max_line_width=10_000, separator=", ")


def strip(true: float, report: float, reach: float, farthest: float) -> tuple[str, str]:
    """Draw signed distances from the boundary, which is in the middle of a line that ends at ``farthest``."""
    cell = max(farthest, abs(true), abs(report)) / HALF_STRIP

    def column(distance: float) -> int:
        # Rounded away from the boundary, so that only what lies on it is drawn on it.
        return HALF_STRIP + int(np.sign(distance) * min(np.ceil(abs(distance) / cell), HALF_STRIP))

    first = column(-reach)
    line = list("." * first + "~" * (HALF_STRIP - first) + "|" + "+" * HALF_STRIP)
    line[column(true)] = "T"
    line[column(report)] = "B" if column(report) == column(true) else "R"
    signs = ". rejected  ~ within reach  | boundary  + accepted  T true  R reported  B both"
    return f"  {''.join(line)}", f"  {signs}"


class Frame(NamedTuple):
    """What of a plane is shown: all that stays the same from picture to picture."""

    low: tuple[float, float]
    high: tuple[float, float]
    names: tuple[str, str]
    equal: bool


class View(NamedTuple):
    """A plane, and the boundary and the points (true and reported features, (2, 2); none: (0, 2)) in it."""

    frame: Frame
    boundary: Boundary | None
    points: Float


def view_of(setting: Setting, last: Round | None, game: Game | None) -> View:
    """Choose the plane to draw in."""
    dim = setting.population.dim
    boundary = None if last is None else boundary_of(setting, last, game)
    points = np.empty((0, dim)) if last is None else np.array([last.true_features, last.report])
    if dim > 2:
        return projection(setting, boundary, points)
    move = setting.cost.budgets(dim).max(axis=0) + setting.individual.slack
    low, high = setting.population.low - move, setting.population.high + move
    if dim == 2:
        return View(frame_of(low, high, points, ("feature 1", "feature 2"), equal=True), boundary, points)
    if boundary is not None:
        boundary = boundary._replace(normal=np.append(boundary.normal, 0.0))
    points = np.column_stack([points, np.zeros(len(points))])
    return View(frame_of(np.append(low, -1.0), np.append(high, 1.0), points, ("the feature", "")), boundary, points)


def projection(setting: Setting, boundary: Boundary | None, points: Float) -> View:
    """Project points (k, d) on the normal: distance from the boundary, length of the component orthogonal to it."""
    names = ("signed distance from the boundary", "length of the component along the boundary")
    across = np.zeros(len(points))
    if boundary is not None:
        across = points @ boundary.normal
        points = points - np.outer(across, boundary.normal)
        if boundary.exists:
            across, boundary = across + boundary.offset, Boundary(np.array([1.0, 0.0]), 0.0, boundary.reach)
        else:
            names, boundary = ("", "length of the features"), boundary._replace(normal=np.zeros(2))
    points = np.column_stack([across, np.linalg.norm(points, axis=1)])
    longest = setting.population.radius + setting.reach_scale
    # One direction out of many holds little of a point's length; who stands out doubles the range.
    widest = min(1.0, 3.0 / np.sqrt(setting.population.dim)) * longest
    widest *= 2.0 ** np.ceil(np.log2(max(1.0, np.abs(across).max(initial=0.0) / widest)))
    frame = frame_of(np.array([-widest, 0.0]), np.array([widest, longest]), points, names)
    return View(frame, boundary, points)


def frame_of(low: Float, high: Float, points: Float, names: tuple[str, str], equal: bool = False) -> Frame:
    """Leave some space around bounds (2,): the same in every round, unless somebody stands outside."""
    low, high = np.min([low, *points], axis=0), np.max([high, *points], axis=0)
    span = np.where(high > low, high - low, (high - low).max() or 1.0)
    start, end = (low + high) / 2.0 - 0.55 * span, (low + high) / 2.0 + 0.55 * span
    # Only on equal scales do moves look perpendicular, but very different ranges would leave one axis no room.
    equal = equal and bool(span.max() <= 3.0 * span.min())
    return Frame((float(start[0]), float(start[1])), (float(end[0]), float(end[1])), names, equal)


def picture(setting: Setting, last: Round | None, game: Game | None) -> NDArray[np.uint8]:
    """Return the picture of a round (H, W, 3)."""
    view = view_of(setting, last, game)

    def draw(figure: "Figure") -> None:
        axes = axes_of(figure, view.frame)
        axes.set_axis_off()
        draw_round(axes, view, last, game)

    return np.ascontiguousarray(pixels(draw, backdrop(view.frame))[..., :3])


@lru_cache(maxsize=4)
def backdrop(frame: Frame) -> NDArray[np.uint8]:
    """Return what pictures share, axes and legend (H, W, 4): drawing these takes most of the time."""
    return pixels(lambda figure: draw_frame(axes_of(figure, frame), frame))


def pixels(draw: "Callable[[Figure], None]", behind: NDArray[np.uint8] | None = None) -> NDArray[np.uint8]:
    """Return what ``draw`` draws on a figure, on white or on the image ``behind`` (H, W, 4)."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=INCHES, dpi=DOTS_PER_INCH, facecolor="white")
    canvas: Any = FigureCanvasAgg(figure)
    renderer = canvas.get_renderer()
    draw(figure)
    if behind is not None:
        figure.patch.set_visible(False)
        renderer.draw_image(renderer.new_gc(), 0, 0, behind[::-1])  # from the bottom up
    figure.draw(renderer)
    return np.array(renderer.buffer_rgba(), dtype=np.uint8)


def show(setting: Setting, last: Round | None, game: Game | None) -> bool:
    """Draw a round in the window; return False where no window can be opened."""
    from matplotlib import pyplot

    if not pyplot.fignum_exists(WINDOW):
        try:
            opened = pyplot.figure(WINDOW, figsize=INCHES, dpi=DOTS_PER_INCH, facecolor="white")
        except ImportError:  # a window system was asked for, and there is no display
            return False
        if opened.canvas.required_interactive_framework is None:
            pyplot.close(opened)
            return False
    figure, view = pyplot.figure(WINDOW), view_of(setting, last, game)
    figure.clear()
    axes = axes_of(figure, view.frame)
    draw_frame(axes, view.frame)
    draw_round(axes, view, last, game)
    with pyplot.rc_context({"figure.raise_window": False}):  # leave the focus with whoever has it
        pyplot.pause(1.0 / FRAMES_PER_SECOND)
    return True


def axes_of(figure: "Figure", frame: Frame) -> "Axes":
    """Return empty axes."""
    axes = figure.add_axes(PLACE, facecolor="white")
    axes.set_xlim(frame.low[0], frame.high[0])
    axes.set_ylim(frame.low[1], frame.high[1])
    if frame.equal:
        axes.set_aspect("equal", anchor="W")
        axes.apply_aspect()
    return axes


def draw_frame(axes: "Axes", frame: Frame) -> None:
    """Draw axes and legend. It explains every sign, also those that a round does not need."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

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


def draw_round(axes: "Axes", view: View, last: Round | None, game: Game | None) -> None:
    """Draw all that a round brings."""
    if view.boundary is not None and view.boundary.exists:
        draw_boundary(axes, view.boundary)
    elif view.boundary is not None:
        if view.boundary.offset >= 0.0:
            axes.axvspan(*axes.get_xlim(), **ACCEPTED)
        axes.set_title(view.boundary.verdict, y=0.93, fontsize=13, color=INK)
    if last is not None:
        draw_individual(axes, last, view.points)
    axes.figure.text(0.03, 0.945, headline(last, game), fontsize=15, color=INK, weight="bold")
    axes.figure.text(0.03, 0.9, caption(last), fontsize=12, color=GREY)


def draw_boundary(axes: "Axes", boundary: Boundary) -> None:
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


def draw_individual(axes: "Axes", last: Round, points: Float) -> None:
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
