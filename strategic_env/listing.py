"""What there is to run: every scenario and learner in one line, or one of them in full."""

import inspect
import json
import re
from collections.abc import Callable, Mapping

from rich.console import Console
from rich.table import Table
from rich.text import Text

from learners.base import Learner
from learners.catalogue import LEARNERS
from learners.fixed import BestFixedClassifier
from strategic_env.builders import BUILDERS
from strategic_env.encoding import plain
from strategic_env.registration import SCENARIOS
from strategic_env.scenarios import ENVIRONMENT_OPTIONS, own_options, scenario
from strategic_env.summary import shortened


def show_all(console: Console) -> None:
    """Print every scenario and learner with one line each."""
    _show(console, "Scenarios", SCENARIOS)
    _show(console, "Learners", {name: learner.summary for name, learner in LEARNERS.items()})
    console.print("strategic-env list NAME shows the options of one.", style="dim", highlight=False)


def show_one(name: str, console: Console) -> None:
    """Print the options of a scenario with their defaults and what it tells, or the parameters of a learner.

    A learner may be called by its class, too.

    Raises
    ------
    ValueError
        If there is neither a scenario nor a learner of this name.
    """
    classes = {learner.__name__: own for own, learner in LEARNERS.items()}
    if name in SCENARIOS:
        _show_scenario(name, console)
        if name in classes:
            console.print(f"The learner of this name is {classes[name]}.", highlight=False)
    elif name in LEARNERS or name in classes:
        _show_learner(classes.get(name, name), console)
    else:
        raise ValueError(f"NAME must be a scenario or a learner that `strategic-env list` shows, got {name!r}")


def _show_scenario(name: str, console: Console) -> None:
    chosen = scenario(name)
    setting = chosen.setting
    defaults = _defaults(BUILDERS[name]) | {
        "feedback": setting.feedback, "horizon": chosen.horizon, "population_seed": setting.population_seed
    }  # fmt: skip
    console.print(f"{name}: {SCENARIOS[name]}", highlight=False)
    forms = {key: f"  ({form})" for key, form in _forms(BUILDERS[name]).items()}
    options = {option: _text(defaults[option]) + forms.get(option, "") for option in own_options(name)}
    _show(console, "Options, --set KEY=VALUE", options)
    _show(console, "What it tells a learner", {key: _text(value) for key, value in chosen.knowledge.items()})
    console.print(f"gymnasium.make takes these options and {', '.join(ENVIRONMENT_OPTIONS)}.", highlight=False)


def _show_learner(name: str, console: Console) -> None:
    chosen = LEARNERS[name]
    untold = "from the run's true points" if chosen is BestFixedClassifier else "what the scenario tells"
    parameters = {
        key: untold if key in chosen.requires else _text(default) for key, default in _defaults(chosen).items()
    }
    source = inspect.getdoc(chosen.bound) if chosen.bound is not Learner.bound else None
    bound = (source or "none").partition("\n")[0].removeprefix("Return ").removesuffix(".").replace("``", "")
    bound = re.sub(r"\bNone\b", "none", bound)
    console.print(f"{name}: {chosen.summary}", highlight=False)
    _show(console, f"Parameters, --learner {name}:KEY=VALUE,...", parameters or {"none": ""})
    _show(console, "Theory", {"costs": chosen.cost or "any", "bound": bound})
    console.print(f"In Python: learners.{chosen.__name__}, whose help() says more.", highlight=False)


def _defaults(function: Callable[..., object]) -> dict[str, object]:
    return {name: parameter.default for name, parameter in inspect.signature(function).parameters.items()}


def _forms(function: Callable[..., object]) -> dict[str, str]:
    """Return what the annotations of a function say of the form of its parameters."""
    annotations = {name: parameter.annotation for name, parameter in inspect.signature(function).parameters.items()}
    return {name: kind.__metadata__[0] for name, kind in annotations.items() if hasattr(kind, "__metadata__")}


def _text(value: object) -> str:
    return shortened(json.dumps(plain(value)))


def _show(console: Console, title: str, lines: Mapping[str, str]) -> None:
    console.print(Text(title, style="bold"))
    table = Table(show_header=False, box=None, padding=(0, 2))
    table.add_column(no_wrap=True, style="cyan")
    table.add_column()
    for name, text in lines.items():
        table.add_row(name, Text(text))
    console.print(table)
