"""The view: everything of the page, for one visitor."""

import asyncio
import html
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import panel as pn

from strategic_env.explorer import compilation, examples
from strategic_env.explorer.facts import Bounds, Facts, sentence
from strategic_env.explorer.page.curve import Curve
from strategic_env.explorer.page.fields import Fields
from strategic_env.explorer.page.files import Files
from strategic_env.explorer.page.plane import Plane
from strategic_env.explorer.page.style import BUTTONS, GRID, SECTIONS, TEXT, WIDGET, legend
from strategic_env.explorer.page.table import PointTable
from strategic_env.explorer.session import Session
from strategic_env.explorer.setup import NEGATIVE, POSITIVE, Point, Setup
from strategic_env.explorer.worksheet import Worksheet

OWN = "my own points"
CLICKS = {"adds +": POSITIVE, "adds −": NEGATIVE, "deletes": None}
# Milliseconds between two pictures, and rounds between them.
SPEEDS = {"1 a second": (1000, 1), "3 a second": (333, 1), "10 a second": (100, 1), "100 a second": (100, 10),
          "fastest": (50, 100)}  # fmt: skip
NEWEST = 60  # rounds of the log that are shown
REFUSED = (ValueError, TypeError, ArithmeticError)
COMPILING = "Compiling for this learner, the first time only: up to a minute."

# Panel waits 50 ms before it tells the server of a new value, and clicks overtake it: they would act on the old one.
pn.reactive.Syncable._debounce = 0


class Explorer:
    """The view of one visitor.

    Parameters
    ----------
    name : str
        Of the example that is loaded, or `OWN`.
    setup : Setup
    problem : str
        What to say first, if something has gone wrong.

    Attributes
    ----------
    view : panel.Column
        To be served, or shown in a notebook.
    session : Session or None
        None while nothing can be played.
    """

    def __init__(self, name: str, setup: Setup, problem: str = "") -> None:
        self._document = pn.state.curdoc
        self.session: Session | None = None
        self.setup, self._problem, self._ticking = setup, problem, None
        self.plane = Plane(
            lambda x, y, near: self._later(self._click, x, y, near), lambda places: self._later(self._move, places)
        )
        self.curve = Curve()
        self.fields = Fields(lambda: self._later(self._settings))
        self.table = PointTable(lambda points: self._later(self._edit, points))
        self.files = Files(self)
        self._texts = {part: _text(part) for part in ("say", "cards", "log", "legend")}
        self._widgets(name)
        self.view = self._layout()
        self.load(setup, fresh=True)

    def _later(self, act: Callable[..., None], *arguments: Any) -> None:
        """Act after all that the visitor did before has arrived."""
        if self._document is None:
            act(*arguments)
        else:
            self._document.add_next_tick_callback(partial(act, *arguments))

    def _widgets(self, name: str) -> None:
        style = {"stylesheets": [WIDGET], "margin": 0, "sizing_mode": "stretch_width"}
        self.example = pn.widgets.Select(name="Example", options=[*examples.NAMES, OWN], value=name, **style)
        self.clicks = pn.widgets.RadioBoxGroup(name="A click", options=list(CLICKS), inline=True, **style)
        self.speed = pn.widgets.DiscreteSlider(name="Speed of Run", options=list(SPEEDS), value="10 a second", **style)
        acts = {"Step": self._step, "Sweep": self._sweep, "Run": self._run, "Back": self._back, "Reset": self._reset}
        self.buttons = {name: pn.widgets.Button(name=name, **style) for name in acts}
        self.buttons["Step"].button_type = "primary"
        for key, act in acts.items():
            self.buttons[key].on_click(lambda event, act=act: self._later(act))
        self.example.param.watch(lambda event: self._later(self._choose), "value")

    def _layout(self) -> Any:
        """Return all parts in a grid of either width."""
        column = partial(pn.Column, sizing_mode="stretch_width", margin=0)
        heading = pn.pane.HTML("<h1>Learners meet people who react to them</h1>", stylesheets=[TEXT], margin=0)
        clicks = pn.Row(
            pn.pane.HTML("A click", margin=(0, 8, 0, 0), stylesheets=[TEXT]), self.clicks, margin=(4, 0), align="center"
        )
        parts = {
            "title": pn.FlexBox(
                heading, column(self.example, max_width=420), justify_content="space-between", align_items="end",
                margin=0, sizing_mode="stretch_width",
            ),
            "say": self._texts["say"],
            "plane": column(
                pn.pane.Bokeh(self.plane.figure, sizing_mode="stretch_width", margin=0), clicks, self._texts["legend"]
            ),
            "run": column(
                column(*self.buttons.values(), stylesheets=[BUTTONS]), column(self.speed, margin=(4, 0, 0, 0))
            ),
            "cards": self._texts["cards"],
            "log": self._texts["log"],
            "curve": column(pn.pane.Bokeh(self.curve.figure, sizing_mode="stretch_width", margin=0)),
            "more": column(
                *(
                    column(pn.pane.HTML(f"<h2>{title}</h2>", stylesheets=[TEXT], margin=0), content)
                    for title, content in (
                        ("Learner and people", self.fields.view), ("Points", self.table.view),
                        ("Files and links", self.files.view),
                    )
                ),
                stylesheets=[SECTIONS],
            ),
        }  # fmt: skip
        for area, part in parts.items():
            part.styles = {"grid-area": area, "min-width": "0"}
        return pn.Column(*parts.values(), stylesheets=[GRID], sizing_mode="stretch_width", margin=0)

    def load(self, setup: Setup, *, fresh: bool) -> None:
        """Begin with a setup; ``fresh`` fits the plane to its points."""
        self._stop()
        self.setup, self.session = setup, None
        with pn.io.hold():
            self.fields.show(setup)
            self.table.show(setup.points)
            self.plane.show_points(setup, fresh=fresh)
            self._texts["legend"].object = legend(not setup.nobody_moves)
        if self._document is None or not setup.points or compilation.is_ready(setup):
            self._begin(setup)
        else:
            self._show(COMPILING)
            done = asyncio.ensure_future(compilation.prepare(setup))
            done.add_done_callback(lambda _: self._later(self._begin, setup))

    def _begin(self, setup: Setup) -> None:
        """Make the run, unless another setup was loaded meanwhile."""
        if setup is not self.setup:
            return
        try:
            self.session = session = Session(setup)
            self._facts, self.worksheet = Facts(session), Worksheet(session)
        except REFUSED as error:
            self.session, self._problem = None, self._problem or str(error)
        self._show()

    def _show(self, message: str = "") -> None:
        """Show the round that the session shows; a problem is told once."""
        session, problem = self.session, self._problem
        self._problem = ""
        with pn.io.hold():
            self._texts["say"].object = self._said(message, problem)
            self.plane.show_round(session)
            bounds = Bounds(None, None) if session is None else self._facts.bounds
            self.curve.show(session, bounds)
            self._texts["cards"].object = "" if session is None else _cards(self._facts)
            self._texts["log"].object = "" if session is None else _log(session, self.worksheet)
            self.buttons["Run"].name = "Stop" if self._ticking else "Run"
            for button in self.buttons.values():
                button.disabled = session is None

    def _said(self, message: str, problem: str) -> str:
        kind = "ex-say"
        if problem:
            kind, text = "ex-say ex-wrong", problem
        elif message or self.session is None:
            text = message
        else:
            text, last = sentence(self.session), self.session.last
            kind += " ex-clean" if self.session.clean else ""
            kind += " ex-wrong" if last is not None and self.session.is_mistake(last) else ""
        return f'<div class="{kind}" role="status">{html.escape(text)}</div>'

    # What the visitor does.

    def tell(self, problem: str) -> None:
        """Say what went wrong; nothing else changes."""
        self._problem = problem
        self._show()

    def _step(self) -> None:
        self._stop()
        if self.session is not None:
            self.session.step()
        self._show()

    def _sweep(self) -> None:
        self._stop()
        if self.session is not None:
            while self.session.step() and not self.session.between_sweeps:
                pass
        self._show()

    def _back(self) -> None:
        self._stop()
        if self.session is not None:
            self.session.back()
        self._show()

    def _reset(self) -> None:
        self._stop()
        if self.session is not None:
            self.session.reset()
        self._show()

    def _run(self) -> None:
        """Run until a clean sweep, or stop."""
        if self._ticking is not None:
            self._stop()
            self._show()
        elif self.session is not None:
            period, _ = SPEEDS[self.speed.value]
            self._ticking = pn.state.add_periodic_callback(self._tick, period=period)
            self._tick()

    def _tick(self) -> None:
        session = self.session
        if session is None or self._ticking is None:
            return
        for _ in range(SPEEDS[self.speed.value][1]):
            # A clean sweep ends the run; who runs on from one wants another.
            if not session.step() or session.clean:
                self._stop()
                break
        self._show()

    def _stop(self) -> None:
        """End a run that goes on."""
        if self._ticking is not None:
            self._ticking.stop()
            self._ticking = None

    def _choose(self) -> None:
        if self.example.value != OWN:
            self.load(examples.example(self.example.value), fresh=True)

    def _settings(self) -> None:
        try:
            changed = self.fields.applied(self.setup)
        except REFUSED as error:
            self.tell(str(error))
            return
        if changed != self.setup:
            self.load(changed, fresh=False)

    def _click(self, x: float, y: float, near: int | None) -> None:
        label, points = CLICKS[self.clicks.value], self.setup.points
        if label is None and near is not None:
            self._edit(points[:near] + points[near + 1 :])
        elif label is not None and near is None:
            self._edit((*points, (x, y, label)))

    def _move(self, places: Sequence[tuple[int, float, float]]) -> None:
        """Take over what was dragged or deleted in the plane; numbers that stayed keep all their digits."""
        points, rounded = self.setup.points, self.plane.rounded
        kept = [
            points[number] if points[number][:2] == (x, y) else (rounded(x), rounded(y), points[number][2])
            for number, x, y in places
            if number < len(points)
        ]
        if tuple(kept) != points:
            self._edit(tuple(kept))

    def _edit(self, points: tuple[Point, ...]) -> None:
        """Go on with other points."""
        try:
            changed = replace(self.setup, points=points, head=min(self.setup.head, max(0, len(points) - 1)))
        except REFUSED as error:
            self.tell(str(error))
            return
        self.example.value = OWN
        self.load(changed, fresh=not self.setup.points)

    def take(self, setup: Setup) -> None:
        """Go on with points from a file."""
        self.example.value = OWN
        self.load(setup, fresh=True)


def _text(part: str) -> Any:
    return pn.pane.HTML("", stylesheets=[TEXT], sizing_mode="stretch_width", margin=0, name=part)


def _cards(facts: Facts) -> str:
    cards = "".join(
        f'<div class="ex-card"><span>{html.escape(name)}</span><b>{html.escape(value)}</b>'
        f"<span>{html.escape(note)}</span></div>"
        for name, value, note in (*facts.of_run(), *facts.of_points())
    )
    proof = "".join(f"<li>{html.escape(line)}</li>" for line in facts.proof())
    return f'<div class="ex-cards">{cards}</div><ul class="ex-proof">{proof}</ul>'


def _log(session: Session, worksheet: Worksheet) -> str:
    """Return the newest rounds as a table, the last one on top."""
    head = "".join(f"<th>{html.escape(heading)}</th>" for heading in worksheet.headings)
    rows = []
    for at in range(session.shown - 1, max(-1, session.shown - 1 - NEWEST), -1):
        marks = ["ex-newest"] * (at == session.shown - 1)
        marks += ["ex-mistake"] * session.is_mistake(session.game.rounds[at])
        cells = "".join(f"<td>{html.escape(text)}</td>" for text in worksheet.line(at))
        rows.append(f'<tr class="{" ".join(marks)}">{cells}</tr>')
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    return f'<div class="ex-log" tabindex="0" role="region" aria-label="worksheet">{table}</div>'
