"""What can be loaded: the lecture's tasks, the paper's examples, counterexamples, and every scenario of the plane."""

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from agents.costs import L1
from agents.foundation.checks import one_of
from agents.foundation.streams import game_key
from agents.foundation.typing import Float
from agents.populations.finite import FixedSequence
from agents.populations.nature import orthonormal_negatives
from strategic_env.explorer.setup import Point, Setup
from strategic_env.games.strategic.builders import BUILDERS
from strategic_env.games.strategic.scenario import Scenario
from strategic_env.reproduce.lecture import HAND, MARGIN, X5
from strategic_env.reproduce.literal import DRIFT, EXAMPLE_2

FIRST = "Lecture: the perceptron by hand"
DRAWN = 100  # individuals, where a population has no end
# Which learner a scenario is about, where it is not the one of its cost.
ABOUT = {
    "Example1": "perceptron",
    "Example1L1": "perceptron",
    "Example2": "biased-l2",
    "UnknownL2": "unknown-l2",
    "UnknownL1Single": "unknown-l1-single",
    "BiasedL2": "biased-l2",
    "BiasedL1": "biased-l1",
}
Pairs = Sequence[tuple[Sequence[float], float]]


def _points(features: Float, labels: Float) -> tuple[Point, ...]:
    return tuple((float(x1), float(x2), float(label)) for (x1, x2), label in zip(features, labels, strict=True))


def _pairs(pairs: Pairs, scale: float = 1.0) -> tuple[Point, ...]:
    return tuple((scale * x1, scale * x2, label) for (x1, x2), label in pairs)


def _lecture() -> dict[str, Setup]:
    more = np.concatenate([MARGIN[0], X5[0]]), np.concatenate([MARGIN[1], X5[1]])
    return {
        FIRST: Setup(_points(*HAND)),
        "Lecture: margin and mistake bound": Setup(_points(*MARGIN)),
        "Lecture: the same with x5": Setup(_points(*more)),
        "Lecture: labels that contradict each other": Setup(((1.0, 0.0, 1.0), (1.0, 0.0, -1.0))),
    }


def _counterexamples() -> dict[str, Setup]:
    tight = orthonormal_negatives(2)
    printed, small = "Counterexample: ", 0.01
    return {
        "Theorem 1 is tight: orthonormal negatives": Setup(
            _points(tight.features, tight.labels), learner="strategic-l2", alpha=(0.5,)
        ),
        f"{printed}Theorem 2 as printed": Setup(
            _pairs(DRIFT), learner="strategic-l1-printed", cost="l1", alpha=(0.1, 0.0)
        ),
        f"{printed}Theorem 4 as printed, small units": Setup(
            _pairs(EXAMPLE_2, small), learner="biased-l2-printed", alpha=(0.5 * small,)
        ),
        f"{printed}Section 7 as printed": Setup(
            _pairs(EXAMPLE_2), learner="biased-l1-printed", cost="l1", alpha=(0.5, 0.5)
        ),
    }


@lru_cache(maxsize=32)
def from_scenario(name: str) -> Setup:
    """Return the individuals of a named scenario of two features, and a learner for them.

    Of a population without end, the first `DRAWN`.

    Raises
    ------
    ValueError
        If there is no such scenario of the strategic game, it has other than two features, or reaches differ.
    """
    own = inspect.signature(BUILDERS[one_of("scenario", name, tuple(BUILDERS))]).parameters
    chosen = Scenario.named(name, **({"dim": 2} if "dim" in own else {}))
    setting = chosen.setting
    if setting.dim != 2:
        raise ValueError(f"the explorer shows two features; {name} has {setting.dim}")
    if setting.population.alpha is not None:
        raise ValueError(f"the explorer's individuals all reach equally far; those of {name} differ")
    population, head = setting.population, 0
    if isinstance(population, FixedSequence):
        features, labels, head = population.features, population.labels, population.head
    else:
        features, labels = setting.arrivals(game_key(0)).points(DRAWN)
    alpha, cost = tuple(setting.budgets()[0].tolist()), "l1" if setting.norm == L1 else "l2"
    setup = Setup(_points(features, labels), head=head, cost=cost, alpha=alpha)
    return replace(setup, learner=ABOUT.get(name, f"strategic-{cost}"), bias=False)


PAPER = {
    "Paper: Example 1": "Example1",
    "Paper: Example 1, weighted l1": "Example1L1",
    "Paper: Example 2": "Example2",
    "Paper: Example 3": "Example3",
}
SCENARIOS = ("KnownL2", "KnownL1", "UnknownL2", "UnknownL1Single", "BiasedL2", "BiasedL1", "MetaL2")
GIVEN: Mapping[str, Setup] = _lecture() | _counterexamples()
NAMES = (
    *(name for name in GIVEN if name.startswith("Lecture")),
    *PAPER,
    *(name for name in GIVEN if not name.startswith("Lecture")),
    *(f"Scenario: {name}" for name in SCENARIOS),
)


def example(name: str) -> Setup:
    """Return an example by its name in `NAMES`.

    Raises
    ------
    ValueError
        If there is none.
    """
    one_of("example", name, NAMES)
    if name in GIVEN:
        return GIVEN[name]
    return from_scenario(PAPER.get(name) or name.removeprefix("Scenario: "))


def loaded(what: str | None) -> tuple[str, Any]:
    """Return the name of an example, and its setup, for the name of a scenario; the first one for none."""
    if what is None:
        return FIRST, example(FIRST)
    names = {scenario: shown for shown, scenario in PAPER.items()}
    return names.get(what, f"Scenario: {what}"), from_scenario(what)
