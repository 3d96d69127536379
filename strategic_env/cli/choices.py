"""What people choose on the command line: a named scenario, or a table of their own."""

import importlib
import inspect
import os
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from learners.policy import Policy
from learners.strategic.estimators import from_estimator, learns_by_itself
from strategic_env.bench.arguments import parse_learner, parse_settings
from strategic_env.bench.contestants import Contestant, contestant
from strategic_env.games import scenarios
from strategic_env.games.shared.scenario import BenchScenario, refuse_unknown
from strategic_env.games.strategic.own_table import from_table

TABLES = ".csv"


def chosen_scenario(
    name: str,
    options: Mapping[str, object],
    label: str | None,
    alpha: Sequence[str],
    groups: str | None,
    note: Callable[[str], object],
) -> BenchScenario:
    """Return the scenario of this name, or one whose individuals are the rows of this CSV file.

    Parameters
    ----------
    name : str
        Of a scenario or, as it ends in ``.csv``, of a file.
    options : mapping
        Of the scenario, or of `strategic_env.from_table`.
    label, alpha
        Of a table only.
    groups
        A column, or shares as JSON.
    note : callable
        Is told what `from_table` warns of.

    Raises
    ------
    TypeError, ValueError, OSError
        If they do not fit, or as `strategic_env.scenario` or `strategic_env.from_table`.
    """
    apart = {} if groups is None else parse_settings([f"groups={groups}"])
    if apart and "groups" in options:
        raise ValueError("groups must be given as --groups, got it as --set")
    if not name.lower().endswith(TABLES):
        if label is not None or alpha:
            raise ValueError(f"--label and --alpha are for a table, a file that ends in {TABLES}, got {name!r}")
        return scenarios.scenario(name, **apart | dict(options))
    if label is None:
        raise ValueError(f"a table needs --label COLUMN, the column that says whom to accept, got {name} without it")
    refuse_unknown(options, [key for key in inspect.signature(from_table).parameters if key != "table"], name)
    own = {"label": label, "alpha": reaches_of(alpha)} | apart
    if twice := options.keys() & own.keys():
        raise ValueError(f"{min(twice)} must be given as --{min(twice)}, got it as --set")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = from_table(name, **own | dict(options))  # type: ignore[arg-type]  # which checks them
    for warning in caught:
        note(str(warning.message))
    return found


def chosen_learner(text: str, scenario: BenchScenario) -> Contestant:
    """Return a learner by name, or one of somebody's own class, ``MODULE:CLASS[:KEY=VALUE,...]``, with its parameters.

    The class may lie in a module of the current folder. Parameters that its constructor names and the scenario tells
    need not be given. A linear classifier of scikit-learn or river plays as `learners.from_estimator` says.

    Raises
    ------
    TypeError, ValueError, ImportError
        If there is no such learner, module or class, or it cannot be made or play.
    """
    module, _, rest = text.partition(":")
    name, _, parameters = rest.partition(":")
    if not name or "=" in name:
        named, given = parse_learner(text)
        return contestant(named, scenario, **given)
    kind = _imported(module, name)
    given = parse_learner(f"{name}:{parameters}" if parameters else name)[1]
    if issubclass(kind, Policy):
        return replace(contestant(kind.from_knowledge(scenario.knowledge, **given), scenario), label=text)
    taken = inspect.signature(kind).parameters
    refuse_unknown(given, list(taken), text)
    if learns_by_itself(kind):  # whose parameters mean something else
        return replace(contestant(from_estimator(kind(**given)), scenario), label=text)
    told = {key: value for key, value in scenario.knowledge.items() if key in taken}
    return replace(contestant(kind(**told | given), scenario), label=text)


def _imported(module: str, name: str) -> type[Any]:
    """Return a class of a module, which may lie in the current folder."""
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        kind = getattr(importlib.import_module(module), name, None)
    except ImportError:
        raise
    except Exception as error:  # a module may do anything
        raise ImportError(f"{module} cannot be imported: {type(error).__name__}: {error}") from error
    if not isinstance(kind, type):
        raise ValueError(f"a learner must read NAME, or MODULE:CLASS; {module} has no class {name!r}")
    return kind


def reaches_of(alpha: Sequence[str]) -> float | dict[str, float]:
    """Return the reaches that ``--alpha`` gives: one of all columns, or some by name.

    Raises
    ------
    ValueError
        If one is not of the form COLUMN=REACH, or a column comes twice.
    """
    if len(alpha) == 1 and (reach := _number(alpha[0])) is not None:
        return reach
    reaches: dict[str, float] = {}
    for text in alpha:
        column, _, given = text.rpartition("=")
        reach = _number(given)
        if not column or reach is None:
            raise ValueError(f"--alpha must read COLUMN=REACH, or REACH for every column, got {text!r}")
        if column in reaches:
            raise ValueError(f"--alpha must name a column once, got {column!r} twice")
        reaches[column] = reach
    return reaches


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
