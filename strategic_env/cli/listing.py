"""What there is to run: every scenario and learner in one line, or one of them in full."""

import inspect
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from agents.foundation.checks import perhaps
from learners.catalogue import all_learners, learner_class
from learners.feedback.graph import FeedbackGraph
from learners.rl.saved_policy import SavedPolicy
from learners.strategic.base import Learner
from learners.strategic.fixed import BestFixedClassifier
from strategic_env.bench.encoding import plain
from strategic_env.games.registration import GAMES, scenario_names
from strategic_env.games.scenarios import scenario
from strategic_env.report.summary import shortened


def show_all(console: Console) -> None:
    """Print every scenario and learner with one line each."""
    shown: set[str] = set()
    for game in GAMES:
        _show(console, f"Scenarios of {game.title}", game.scenarios)
        if game.name not in shown:
            _show(console, f"Learners of {game.title}", _summaries(game.name))
        shown.add(game.name)
    console.print("strategic-env list NAME shows the options of one.", style="dim", highlight=False)


def _summaries(game: str) -> dict[str, str]:
    return {name: learner.summary for name, learner in all_learners().items() if learner.game == game}


def show_one(name: str, console: Console) -> None:
    """Print the options of a scenario with their defaults and what it tells, or the parameters of a learner.

    A learner may be called by its class, too.

    Raises
    ------
    ValueError
        If there is neither a scenario nor a learner of this name.
    """
    names = all_learners()
    classes = {kind.__name__: own for own, kind in names.items()}
    if name in scenario_names():
        _show_scenario(name, console)
        if name in classes:
            console.print(f"The learner of this name is {classes[name]}.", highlight=False)
    elif name in names or name in classes:
        _show_learner(classes.get(name, name), console)
    else:
        guess = perhaps(name, [*scenario_names(), *names, *classes])
        raise ValueError(f"NAME must be a scenario or a learner that `strategic-env list` shows, got {name!r}{guess}")


def _show_scenario(name: str, console: Console) -> None:
    chosen = scenario(name)
    build = chosen.builders[name]
    console.print(f"{name}: {scenario_names()[name]}", highlight=False)
    forms = {key: f"  ({form})" for key, form in ({**chosen.game_options} | forms_of(build)).items()}
    options = {option: _text(value) + forms.get(option, "") for option, value in chosen.defaults(name).items()}
    _show(console, "Options, --set KEY=VALUE", options)
    _show(console, "What it tells a learner", {key: _told(value) for key, value in chosen.knowledge.items()})
    console.print(f"gymnasium.make takes these options and {', '.join(chosen.environment_options)}.", highlight=False)


def _show_learner(name: str, console: Console) -> None:
    chosen = learner_class(name)
    untold = "from the run's true points" if chosen is BestFixedClassifier else "what the scenario tells"
    parameters = {
        key: untold if key in chosen.requires else _text(default) for key, default in _defaults(chosen).items()
    }
    parameters |= {key: f"{parameters[key]}  ({form})" for key, form in forms_of(chosen).items()}
    console.print(f"{name}: {chosen.summary}", highlight=False)
    _show(console, f"Parameters, --learner {name}:KEY=VALUE,...", parameters or {"none": ""})
    if issubclass(chosen, Learner):
        _show(console, "Theory", {"costs": chosen.cost or "any", "bound": _bound(chosen)})
    home = "learners.rl" if chosen is SavedPolicy else "learners"
    console.print(f"In Python: {home}.{chosen.__name__}, whose help() says more.", highlight=False)


def _bound(chosen: type[Learner[Any]]) -> str:
    """Return the first line that a learner's bound says of itself."""
    source = inspect.getdoc(chosen.bound) if chosen.bound is not Learner.bound else None
    bound = (source or "none").partition("\n")[0].removeprefix("Return ").removesuffix(".").replace("``", "")
    return re.sub(r"\bNone\b", "none", bound)


def _defaults(function: Callable[..., object]) -> dict[str, object]:
    return {name: parameter.default for name, parameter in inspect.signature(function).parameters.items()}


def forms_of(function: Callable[..., object]) -> dict[str, str]:
    """Return what the annotations of a function say of the form of its parameters."""
    annotations = {name: parameter.annotation for name, parameter in inspect.signature(function).parameters.items()}
    return {name: kind.__metadata__[0] for name, kind in annotations.items() if hasattr(kind, "__metadata__")}


def _told(value: object) -> str:
    return repr(value).strip("<>") if isinstance(value, FeedbackGraph) else _text(value)


def _text(value: object) -> str:
    return "must be given" if value is inspect.Parameter.empty else shortened(json.dumps(plain(value)))


def _show(console: Console, title: str, lines: Mapping[str, str]) -> None:
    console.print(Text(title, style="bold"))
    table = Table(show_header=False, box=None, padding=(0, 2))
    table.add_column(no_wrap=True, style="cyan")
    table.add_column()
    for name, text in lines.items():
        table.add_row(Text(name), Text(text))
    console.print(table)
