"""The plane: points, the line that was faced, who can reach it, and what was learned."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from bokeh.models import Arrow, ColumnDataSource, PointDrawTool, Range1d, VeeHead
from bokeh.plotting import figure

from agents.foundation.typing import Float
from strategic_env.explorer.page.style import AFTER, BEFORE, COLOURS, FIGURE, INK, MARKERS, PALE, SURROGATE, ZONE
from strategic_env.explorer.session import Session
from strategic_env.explorer.setup import Setup

NAMED = 30  # more points have no names beside them
ROOM = 1.8  # of the longest point, on either side of the origin
LONGEST = 0.88  # of an arrow, in halves of the plane
NEAR = 0.05  # of the half plane: a click that close to a point is a click on it
NOTHING: Mapping[str, list[Any]] = {"x": [], "y": []}
SEGMENT: Mapping[str, list[Any]] = {"x0": [], "y0": [], "x1": [], "y1": []}


class Plane:
    """A square figure with everything of one round.

    Parameters
    ----------
    on_click : callable
        Called with x, y of a click, and the number of the point that is there or None.
    on_edit : callable
        Called with the new places [(x, y), ...] of the points, after one was dragged or deleted.
    """

    def __init__(
        self,
        on_click: Callable[[float, float, int | None], None],
        on_edit: Callable[[list[tuple[int, float, float]]], None],
    ) -> None:
        self.half = 1.0
        self._x, self._y = Range1d(-1, 1), Range1d(-1, 1)
        self.figure = drawn = figure(
            name="plane", x_range=self._x, y_range=self._y, match_aspect=True, aspect_ratio=1.0,
            sizing_mode="scale_width", tools="", toolbar_location=None, min_border=0,
            stylesheets=[FIGURE],
        )  # fmt: skip
        drawn.toolbar.logo = None
        for axis in (*drawn.xaxis, *drawn.yaxis):
            axis.fixed_location, axis.axis_line_color, axis.major_tick_line_color = 0, "#9AA1A9", "#9AA1A9"
            axis.minor_tick_line_color, axis.major_label_text_color = None, "#5C636B"
        drawn.grid.grid_line_color, drawn.outline_line_color = PALE, "#C4C9CF"
        self._sources: dict[str, ColumnDataSource] = {}
        self._draw()
        self._writing = False
        self._points = self._sources["points"]
        self._points.on_change("data", self._edited)
        self._on_click, self._on_edit = on_click, on_edit
        drawn.on_event("tap", self._tapped)

    def _source(self, name: str, empty: Mapping[str, list[Any]]) -> ColumnDataSource:
        self._sources[name] = source = ColumnDataSource({key: list(value) for key, value in empty.items()})
        return source

    def _draw(self) -> None:
        """Lay the glyphs over each other; whatever they show, they are always there."""
        drawn = self.figure
        drawn.patch(
            "x", "y", source=self._source("zone", NOTHING), fill_color=ZONE, fill_alpha=0.16, line_color=None,
            hatch_pattern="/", hatch_color=ZONE, hatch_alpha=0.55, hatch_scale=14,
        )  # fmt: skip
        lines = {"line_color": INK, "line_width": 2.5}
        drawn.segment("x0", "y0", "x1", "y1", source=self._source("next", SEGMENT), line_dash=[5, 5], **lines)
        drawn.segment("x0", "y0", "x1", "y1", source=self._source("faced", SEGMENT), **lines)
        for name, colour, dash in (("before", BEFORE, [6, 4]), ("after", AFTER, []), ("move", INK, [])):
            head = VeeHead(size=12, fill_color=colour, line_color=colour)
            drawn.add_layout(
                Arrow(
                    end=head, source=self._source(name, SEGMENT), x_start="x0", y_start="y0", x_end="x1", y_end="y1",
                    line_color=colour, line_width=2 if name == "move" else 3, line_dash=dash,
                )
            )  # fmt: skip
        # The cross lies below its point, and is larger.
        drawn.scatter(
            "x", "y", source=self._source("mistake", NOTHING), marker="x", size=42, line_color=INK,
            line_width=3.5,
        )  # fmt: skip
        marks = {**NOTHING, "marker": [], "colour": []}
        shown = drawn.scatter(
            "x", "y", source=self._source("points", {**marks, "number": [], "name": []}), marker="marker", size=14,
            fill_color="colour", line_color="white", line_width=1.5, name="points",
        )  # fmt: skip
        shown.nonselection_glyph = shown.selection_glyph = None
        drawn.scatter(
            "x", "y", source=self._source("arrived", NOTHING), marker="circle", size=23, fill_alpha=0.0, line_color=INK,
            line_width=2,
        )  # fmt: skip
        drawn.scatter(
            "x", "y", source=self._source("report", marks), marker="marker", size=19, fill_alpha=0.0,
            line_color="colour", line_width=2.5,
        )  # fmt: skip
        drawn.scatter(
            "x", "y", source=self._source("surrogate", NOTHING), marker="diamond", size=20, fill_alpha=0.0,
            line_color=SURROGATE, line_width=2.5,
        )  # fmt: skip
        drawn.text(
            "x", "y", text="name", source=self._sources["points"], x_offset=10, y_offset=-8, text_font_size="13px",
            text_color=INK,
        )  # fmt: skip
        drag = PointDrawTool(renderers=[shown], add=False)
        drawn.add_tools(drag)
        # A tap that selects a point would let it be dragged along with the next one.
        drawn.toolbar.active_drag, drawn.toolbar.active_tap = drag, None

    def _put(self, name: str, data: Mapping[str, Any]) -> None:
        """Send new data of a glyph, if they are new."""
        source, sent = self._sources[name], {key: list(values) for key, values in data.items()}
        if {key: list(values) for key, values in source.data.items()} != sent:
            source.data = sent

    def show_points(self, setup: Setup, *, fresh: bool) -> None:
        """Show the points of a setup; ``fresh`` fits the plane to them, else it only grows."""
        points = setup.points
        longest = max((math.hypot(x, y) for x, y, _ in points), default=1.0) or 1.0
        reach = 0.0 if setup.nobody_moves else max(setup.alpha)
        half = max(ROOM * longest, 1.15 * (longest + reach))
        self.half = half if fresh else max(half, self.half)
        for axis in (self._x, self._y):
            axis.update(start=-self.half, end=self.half)
        named = len(points) <= NAMED
        self._writing = True
        try:
            self._put(
                "points",
                {
                    "x": [x for x, _, _ in points],
                    "y": [y for _, y, _ in points],
                    "marker": [MARKERS[label] for _, _, label in points],
                    "colour": [COLOURS[label] for _, _, label in points],
                    "number": list(range(len(points))),
                    "name": [f"x{at}" if named else "" for at in range(1, len(points) + 1)],
                },
            )
            self._points.selected.indices = []
        finally:
            self._writing = False

    def show_round(self, session: Session | None) -> None:
        """Show the last round that a session shows."""
        last = None if session is None else session.last
        faced = None if session is None else session.game.published if last is None else last.round.classifier
        self._put("faced", self._line(faced))
        self._put("zone", NOTHING if session is None else self._zone(session, faced))
        if session is None or last is None:
            for name in ("next", "before", "after", "move", "arrived", "mistake", "report", "surrogate"):
                self._put(name, {key: [] for key in self._sources[name].data})
            return
        played = last.round
        self._put("next", self._line(_following(session)) if last.updated else SEGMENT)
        self._put("before", self._arrow(last.weights_before) if last.updated else SEGMENT)
        self._put("after", self._arrow(last.weights))
        self._put("arrived", _at(played.true_features))
        self._put("mistake", _at(played.true_features) if session.is_mistake(last) else NOTHING)
        marks = {"marker": [MARKERS[played.true_label]], "colour": [COLOURS[played.true_label]]}
        moved = bool(played.moved)
        self._put("move", _segment(played.true_features, played.report) if moved else SEGMENT)
        self._put("report", _at(played.report) | marks if moved else {**NOTHING, "marker": [], "colour": []})
        other = bool((last.surrogate != played.report).any())
        self._put("surrogate", _at(last.surrogate) if other and played.mistake else NOTHING)

    def _line(self, classifier: Float | None) -> Mapping[str, Any]:
        """Return the line of a classifier, longer than the plane; nothing where there is none."""
        if classifier is None or not classifier[:-1].any():
            return SEGMENT
        foot, along, _ = _frame(classifier)
        return _segment(foot - 3.0 * self.half * along, foot + 3.0 * self.half * along)

    def _zone(self, session: Session, classifier: Float | None) -> Mapping[str, Any]:
        """Return the strip from which the line can be reached."""
        if classifier is None or not classifier[:-1].any() or session.setup.nobody_moves:
            return NOTHING
        foot, along, normal = _frame(classifier)
        far = foot - float(np.max(session.scenario.setting.cost.reach(normal))) * normal
        ends = 3.0 * self.half * along
        corners = np.array([foot - ends, foot + ends, far + ends, far - ends])
        return {"x": corners[:, 0].tolist(), "y": corners[:, 1].tolist()}

    def _arrow(self, weights: Float) -> Mapping[str, Any]:
        """Return weights as an arrow from the origin, shortened where they would leave the plane."""
        length = float(np.linalg.norm(weights))
        if length == 0.0:
            return SEGMENT
        return _segment(np.zeros(2), weights * min(1.0, LONGEST * self.half / length))

    def nearest(self, x: float, y: float) -> int | None:
        """Return the number of the point at a place, if there is one."""
        data = self._points.data
        distances = [math.hypot(x - px, y - py) for px, py in zip(data["x"], data["y"], strict=True)]
        if not distances or min(distances) > NEAR * self.half:
            return None
        return int(np.argmin(distances))

    def rounded(self, value: float) -> float:
        """Return a coordinate as people would write it: in tenths of the plane's power of ten."""
        decimals = 1 - math.floor(math.log10(self.half))
        return round(value, decimals) + 0.0

    def _tapped(self, event: Any) -> None:
        self._on_click(self.rounded(event.x), self.rounded(event.y), self.nearest(event.x, event.y))

    def _edited(self, attribute: str, old: Any, new: Any) -> None:
        if not self._writing:
            places = zip(new["number"], new["x"], new["y"], strict=True)
            self._on_edit([(int(number), float(x), float(y)) for number, x, y in places])


def _following(session: Session) -> Float:
    """Return the classifier that is published after the round that is shown."""
    rounds = session.game.rounds
    return rounds[session.shown].round.classifier if session.shown < len(rounds) else session.game.published


def _frame(classifier: Float) -> tuple[Float, Float, Float]:
    """Return the point of a line that is nearest to the origin, its direction, and its normal."""
    normal = classifier[:-1] / np.linalg.norm(classifier[:-1])
    foot = -classifier[-1] / np.linalg.norm(classifier[:-1]) * normal
    return foot, np.array([-normal[1], normal[0]]), normal


def _at(point: Float) -> dict[str, Any]:
    return {"x": [float(point[0])], "y": [float(point[1])]}


def _segment(start: Float, end: Float) -> dict[str, Any]:
    (x0, y0), (x1, y1) = start.tolist(), end.tolist()
    return {"x0": [x0], "y0": [y0], "x1": [x1], "y1": [y1]}
