"""The points as a table with fields to add, change and delete them: everything that clicks do, by keyboard."""

from collections.abc import Callable
from typing import Any

import panel as pn

from strategic_env.explorer.page.style import FIELDS, TEXT, WIDE, WIDGET
from strategic_env.explorer.setup import NEGATIVE, POSITIVE, Point
from strategic_env.explorer.words import fraction

SIGNS = {POSITIVE: "+", NEGATIVE: "−"}


class PointTable:
    """Fields and buttons for one point at a time, above a table of all.

    An editable table of Panel's would not let go of the keyboard's focus.

    Parameters
    ----------
    on_edit : callable
        Called with all points after a change.
    """

    def __init__(self, on_edit: Callable[[tuple[Point, ...]], None]) -> None:
        self._on_edit = on_edit
        self._points: tuple[Point, ...] = ()
        self._showing = False
        style = {"stylesheets": [WIDGET], "sizing_mode": "stretch_width", "margin": 0}
        self.x1, self.x2 = (pn.widgets.FloatInput(name=name, value=0.0, step=0.1, **style) for name in ("x1", "x2"))
        self.which = pn.widgets.Select(name="Point to change or delete", options={}, styles=WIDE, **style)
        self.which.param.watch(lambda event: self._fill(), "value")
        acts: list[Callable[[], None]] = [
            *(lambda label=label: self._put(len(self._points), label) for label in SIGNS),
            *(lambda label=label: self._put(self.which.value, label) for label in SIGNS),
            self._delete,
            lambda: self._on_edit(()),
        ]
        names = [f"{act} {sign}" for act in ("Add point", "Make it") for sign in SIGNS.values()]
        self.buttons = [pn.widgets.Button(name=name, **style) for name in (*names, "Delete it", "Clear all points")]
        for button, act in zip(self.buttons, acts, strict=True):
            button.on_click(lambda event, act=act: act())
        self._table = pn.pane.HTML("", stylesheets=[TEXT], sizing_mode="stretch_width", margin=(8, 0))
        add, change = self.buttons[:2], self.buttons[2:]
        fields = pn.Column(
            self.x1, self.x2, *add, self.which, *change, stylesheets=[FIELDS], sizing_mode="stretch_width", margin=0
        )
        self.view = pn.Column(fields, self._table, sizing_mode="stretch_width", margin=(8, 0))

    def show(self, points: tuple[Point, ...]) -> None:
        """Show points."""
        if points == self._points:
            return
        at, self._points = self.which.value, points
        names = {f"x{number} = ({x1:g}, {x2:g})": number - 1 for number, (x1, x2, _) in enumerate(points, start=1)}
        last = len(points) - 1
        self._showing = True
        self.which.param.update(options=names, value=None if last < 0 else min(last if at is None else at, last))
        self._showing = False
        rows = "".join(
            f"<tr><td>x{number}</td><td>{fraction(x1)}</td><td>{fraction(x2)}</td><td>{SIGNS[label]}</td></tr>"
            for number, (x1, x2, label) in enumerate(points, start=1)
        )
        head = "<tr><th>point</th><th>x1</th><th>x2</th><th>label</th></tr>"
        self._table.object = (
            '<div class="ex-log" style="--log: 230px" tabindex="0" role="region" aria-label="points">'
            f"<table><thead>{head}</thead><tbody>{rows}</tbody></table></div>"
        )

    def _fill(self) -> None:
        """Show the place of the chosen point in the fields."""
        if not self._showing and self.which.value is not None:
            self.x1.value, self.x2.value, _ = self._points[self.which.value]

    def _put(self, at: Any, label: float) -> None:
        """Put a point where the fields say, in the place of another or after the last; an empty field says 0."""
        if at is not None:
            point = float(self.x1.value or 0.0), float(self.x2.value or 0.0), label
            self._on_edit((*self._points[:at], point, *self._points[at + 1 :]))

    def _delete(self) -> None:
        at = self.which.value
        if at is not None:
            self._on_edit(self._points[:at] + self._points[at + 1 :])
