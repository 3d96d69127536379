"""Who takes part: named learners, learners, and whatever else predicts, under the labels that tables and plots show."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from learners.base import Learner
from learners.catalogue import DEFAULTS, build
from learners.fixed import BestFixedClassifier
from strategic_env.encoding import plain
from strategic_env.scenarios import Scenario


class Policy(Protocol):
    """What the bench needs of a learner: Stable-Baselines3's ``predict``.

    It is called with the observation, the state that it returned last (None before the first round), None and True,
    and answers with the action and its next state. Its ``name``, if it has one, labels its results.
    """

    def predict(self, observation: Any, state: Any, episode_start: Any, deterministic: bool, /) -> tuple[Any, Any]:
        """Return the next action and state."""


@dataclass(frozen=True)
class Contestant:
    """A learner under the label that tables and plots show.

    Attributes
    ----------
    label : str
        Its name, with the parameters that were given explicitly.
    name : str
    parameters : dict
        The explicit parameters.
    learner : Policy or None
        None for the reference, which is built from each run's true points.
    """

    label: str
    name: str
    parameters: dict[str, object]
    learner: Policy | None


def contestant(learner: str | Policy | Contestant, scenario: Scenario, /, **parameters: object) -> Contestant:
    """Return a learner, or a named one built from what the scenario tells and ``parameters``, ready to take part.

    Raises
    ------
    ValueError
        As `learners.catalogue.build`; or if it cannot begin a game of as many features as the scenario has.
    TypeError
        If it cannot predict.
    """
    if isinstance(learner, Contestant):
        return learner
    if isinstance(learner, str):
        return _named(learner, scenario, parameters)
    if isinstance(learner, type) or not callable(getattr(learner, "predict", None)):
        raise TypeError(
            "a learner must be a name, or an object with a method predict(observation, state, episode_start, "
            f"deterministic), got {learner!r}"
        )
    name = getattr(learner, "name", None)
    name = name if isinstance(name, str) else type(learner).__name__
    if isinstance(learner, Learner):
        _fit(learner, scenario)
        return Contestant(repr(learner), name, learner.parameters, learner)
    return Contestant(name, name, {}, learner)


def _named(name: str, scenario: Scenario, parameters: dict[str, object]) -> Contestant:
    shown = ",".join(f"{key}={json.dumps(plain(value))}" for key, value in parameters.items())
    label = f"{name}:{shown}" if shown else name
    if label == BestFixedClassifier.name:
        return Contestant(label, name, {}, None)
    learner = build(name, scenario.knowledge, **parameters)
    _fit(learner, scenario)
    return Contestant(label, name, parameters, learner)


def _fit(learner: Learner[Any], scenario: Scenario) -> None:
    """Begin a game and forget it: some numbers of a learner must be as many as there are features."""
    learner.initial_state(1, scenario.setting.population.dim)


def all_contestants(scenario: Scenario) -> tuple[list[Contestant], list[str]]:
    """Return every learner that is made for the scenario's cost and told enough, and the names of the others."""
    chosen, skipped = [], []
    for name, parameters in DEFAULTS:
        try:
            chosen.append(contestant(name, scenario, **parameters))
        except ValueError:
            skipped.append(name)
    return chosen, skipped


def with_reference(contestants: Sequence[Contestant], scenario: Scenario) -> list[Contestant]:
    """Return the contestants and, where it is not among them, the reference, which regret is against."""
    missing = all(one.learner is not None for one in contestants)
    return [*contestants, *([contestant(BestFixedClassifier.name, scenario)] if missing else [])]


def check_labels(contestants: Sequence[Contestant]) -> None:
    """Make sure that results can tell the contestants apart.

    Raises
    ------
    ValueError
        If two have the same label, or there are none.
    """
    labels = [one.label for one in contestants]
    if not labels:
        raise ValueError("learners must hold at least one learner, got none")
    for label in labels:
        if labels.count(label) > 1:
            raise ValueError(f"learners must differ, got {label!r} {labels.count(label)} times")
