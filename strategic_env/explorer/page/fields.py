"""The fields of the settings: who learns, how people answer, in which order they come."""

import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import panel as pn

from strategic_env.explorer.page.style import FIELDS, WIDE, WIDGET
from strategic_env.explorer.setup import LEARNERS, RESPONSES, Setup
from strategic_env.games.strategic.builders import ADVERSARY, LISTED, SHUFFLED

COSTS = {"l2: straight, alpha far": "l2", "weighted l1: along one coordinate": "l1"}
ORDER = {
    "as listed, over and over": LISTED,
    "shuffled in every sweep": SHUFFLED,
    "an adversary: whoever it errs on": ADVERSARY,
}


def alpha_of(text: str) -> tuple[float, ...]:
    """Return one reach or several, as people write them.

    Raises
    ------
    ValueError
        If it is none.
    """
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise ValueError(f"alpha must be a number, or two with a comma, got {text!r}") from None


class Fields:
    """Widgets that show the settings of a setup, and tell when somebody changes one.

    Parameters
    ----------
    on_change : callable
        Called without arguments after a visitor's change, not after `show`.
    """

    def __init__(self, on_change: Callable[[], None]) -> None:
        style = {"stylesheets": [WIDGET], "sizing_mode": "stretch_width", "margin": 0}
        self.learner = pn.widgets.Select(
            name="Learner", options={one.title: key for key, one in LEARNERS.items()}, styles=WIDE, **style
        )
        self.response = pn.widgets.Select(
            name="How people answer", options={one.title: key for key, one in RESPONSES.items()}, **style
        )
        self.amount = pn.widgets.FloatInput(name="share", start=0.0, end=1.0, step=0.1, **style)
        self.cost = pn.widgets.Select(name="What moving costs", options=COSTS, **style)
        self.alpha = pn.widgets.TextInput(name="alpha, their reach", **style)
        self.order = pn.widgets.Select(name="Order of arrival", options=ORDER, **style)
        self.bias = pn.widgets.Checkbox(name="learn a bias", **style)
        self.learning_rate = pn.widgets.FloatInput(name="Learning rate η", step=0.5, **style)
        self.threshold = pn.widgets.FloatInput(name="Margin ρ₀ to update below", step=0.5, **style)
        self._all: dict[str, Any] = {
            name: widget for name, widget in vars(self).items() if isinstance(widget, pn.widgets.Widget)
        }
        self.view = pn.Column(*self._all.values(), stylesheets=[FIELDS], sizing_mode="stretch_width", margin=0)
        self._showing = False
        self._on_change = on_change
        for widget in self._all.values():
            widget.param.watch(self._changed, "value")

    def _changed(self, event: Any) -> None:
        if not self._showing:
            self._on_change()

    def show(self, setup: Setup) -> None:
        """Show the settings of a setup, and only the fields that mean something for it."""
        self._showing = True
        try:
            for name, widget in self._all.items():
                value = getattr(setup, name)
                widget.value = ", ".join(f"{number:g}" for number in value) if name == "alpha" else value
            own = inspect.signature(setup.choice.kind).parameters
            for name in ("bias", "learning_rate", "threshold"):
                self._all[name].visible = name in own
            answer = RESPONSES[setup.response]
            self.amount.visible, self.amount.name = bool(answer.amount), answer.amount or "amount"
        finally:
            self._showing = False

    def applied(self, setup: Setup) -> Setup:
        """Return a setup with the settings that the fields show.

        Raises
        ------
        TypeError, ValueError
            If one is outside its limits.
        """
        chosen = {name: widget.value for name, widget in self._all.items()} | {"alpha": alpha_of(self.alpha.value)}
        return replace(setup, **chosen)
