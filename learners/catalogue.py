"""Every learner by its name on the command line."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from agents.foundation.checks import perhaps, shown
from learners.policy import Policy, build_class
from learners.rl.saved_policy import SavedPolicy

# Modules whose ``LEARNERS`` are the named learners of a game, in the order of tables.
ROOMS = ["learners.strategic.catalogue", "learners.multiclass.catalogue", "learners.search.catalogue"]


def all_learners() -> dict[str, type[Policy[Any]]]:
    """Return the class of every learner by its name."""
    classes = [learner for room in ROOMS for learner in import_module(room).LEARNERS]
    return {learner.name: learner for learner in (*classes, SavedPolicy)}


def learners_of(game: str) -> dict[str, type[Policy[Any]]]:
    """Return who takes part by default in a game (`learners.policy.Policy.game`): classes by their names."""
    return {name: learner for name, learner in all_learners().items() if learner.game == game and learner.defaults}


def learner_class(name: str) -> type[Policy[Any]]:
    """Return the class of a learner.

    Raises
    ------
    ValueError
        If there is none of this name.
    """
    known = all_learners()
    if not isinstance(name, str) or name not in known:
        several = f"the {len(known)} that `strategic-env list` shows, such as {', '.join([*known][:6])}"
        raise ValueError(f"learner must be one of {several}, got {shown(name)}{perhaps(name, [*known])}")
    return known[name]


def build(name: str, knowledge: Mapping[str, object], /, **parameters: object) -> Policy[Any]:
    """Build a learner from what a scenario tells and explicit parameters.

    Raises
    ------
    ValueError
        For an unknown learner or parameter, or one that is told too little.
    """
    return build_class(learner_class(name), knowledge, parameters)
