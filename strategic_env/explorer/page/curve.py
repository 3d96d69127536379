"""The cumulative mistakes of a run, with the bounds that apply."""

from typing import Any

from bokeh.models import ColumnDataSource, Label, Range1d, Span
from bokeh.plotting import figure

from strategic_env.explorer.facts import Bounds
from strategic_env.explorer.page.style import FIGURE, GREY, INK, NEGATIVE, PALE, POSITIVE
from strategic_env.explorer.session import Session
from strategic_env.reproduce.result import number

MOST_MARKS = 400  # of the curve; more would not be seen
ROOM = 3.0  # a bound this many times higher than the curve is told, not drawn


class Curve:
    """A figure of mistakes against rounds."""

    def __init__(self) -> None:
        self._x, self._y = Range1d(0, 1), Range1d(0, 1)
        self.figure = drawn = figure(
            name="curve", x_range=self._x, y_range=self._y, height=190, sizing_mode="stretch_width", tools="",
            toolbar_location=None, x_axis_label="round", y_axis_label="mistakes so far", min_border_right=12,
            stylesheets=[FIGURE],
        )  # fmt: skip
        drawn.toolbar.logo = None
        drawn.grid.grid_line_color, drawn.outline_line_color = PALE, None
        for axis in (*drawn.xaxis, *drawn.yaxis):
            axis.minor_tick_line_color, axis.axis_label_text_font_style = None, "normal"
        self._source = ColumnDataSource({"x": [0], "y": [0]})
        drawn.step("x", "y", source=self._source, mode="after", line_color=POSITIVE, line_width=3)
        self._spans = [
            Span(dimension="width", line_color=NEGATIVE, line_dash=dash, line_width=2, visible=False)
            for dash in ([2, 3], [8, 4])
        ]
        self._names = [
            Label(x=4, x_units="screen", y=0, text="", text_font_size="12px", text_color=INK, visible=False)
            for _ in self._spans
        ]
        self._far = Label(
            x=4, x_units="screen", y=0, y_units="screen", text="", text_font_size="12px", text_color=GREY, visible=False
        )
        for renderer in (*self._spans, *self._names, self._far):
            drawn.add_layout(renderer)

    def show(self, session: Session | None, bounds: Bounds) -> None:
        """Show the rounds up to the one that is shown."""
        shown, tallies = (0, []) if session is None else (session.shown, session.tallies)
        stride = max(1, shown // MOST_MARKS)
        rounds = sorted({*range(0, shown + 1, stride), shown})
        heights = [tallies[at].mistakes if tallies else 0 for at in rounds]
        data: dict[str, Any] = {"x": rounds, "y": heights}
        if dict(self._source.data) != data:
            self._source.data = data
        values = _distinct(bounds)
        near = [(name, value) for name, value in values if value <= max(ROOM * heights[-1], 12.0)]
        self._x.update(start=0, end=max(12, shown))
        self._y.update(start=0, end=1.2 * max([5.0, heights[-1], *(value for _, value in near)]))
        for at, (span, label) in enumerate(zip(self._spans, self._names, strict=True)):
            drawn = at < len(near)
            span.visible = label.visible = drawn
            if drawn:
                name, value = near[at]
                span.location = label.y = value
                label.text = f"{name} {number(value)}"
        far = [f"{name} {value:,.0f}" for name, value in values if (name, value) not in near]
        self._far.visible = bool(far)
        self._far.text, self._far.y = f"above: {', '.join(far)}", 125


def _distinct(bounds: Bounds) -> list[tuple[str, float]]:
    """Return the bounds that there are, one name for both where they agree."""
    printed, sharpened = bounds
    if printed is not None and sharpened is not None and abs(printed - sharpened) <= 1e-9 * printed:
        return [("bound", sharpened)]
    pairs = (("bound", sharpened), ("bound as printed", printed))
    return [(name, value) for name, value in pairs if value is not None]
