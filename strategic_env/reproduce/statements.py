"""What the paper states of its examples beyond their rounds, and what is found here."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from agents.costs import Cost, L2Cost
from agents.foundation.streams import game_key
from agents.populations.finite import FixedSequence
from learners.separators import margins
from strategic_env.games.strategic.game import Game
from strategic_env.games.strategic.scenario import Scenario
from strategic_env.games.strategic.setting import Setting
from strategic_env.reproduce.paper import Example
from strategic_env.reproduce.result import number, same
from strategic_env.reproduce.rounds import Played


class Statement(NamedTuple):
    """A sentence of the paper, its number, what is found here, whether they agree, and why not where that is known."""

    text: str
    paper: str
    here: str
    agrees: bool
    reason: str = ""


def statements(example: Example, chosen: Scenario, lines: Sequence[Played]) -> list[Statement]:
    """Check what the paper states of an example; ``lines`` are the rounds of the learner that fails."""
    more = _OF_EXAMPLE[example.scenario](example, chosen) if example.scenario in _OF_EXAMPLE else []
    return [_never_ends(chosen, lines), *more]


def _never_ends(chosen: Scenario, lines: Sequence[Played]) -> Statement:
    mistakes = [round for round, line in enumerate(lines, start=1) if line.round.mistake]
    here = f"{len(mistakes):,} in {len(lines):,} rounds, the last in round {mistakes[-1]:,}"
    return Statement(
        "number of mistakes", "unbounded", here, len(lines) - mistakes[-1] < members_of(chosen).labels.size
    )


def _example_1(example: Example, chosen: Scenario) -> list[Statement]:
    population = members_of(chosen)
    distance = abs(float(margins.distance([1.0, 1.0], 0.0, population.features[1:2], population.labels[1:2])[0]))
    wrong = errors(example, population, chosen.setting.cost, [1.0, 0.5, 0.0])
    return [
        Statement(
            "distance of B from the boundary of (1, 1)", "sqrt(2)/2", number(distance), same(distance, 2.0**0.5 / 2.0)
        ),
        Statement("w = (1, 0.5) errs on", "nobody", wrong, wrong == "nobody"),
    ]


def _example_2(example: Example, chosen: Scenario) -> list[Statement]:
    population = members_of(chosen)
    best = margins.max_margin(population.features, population.labels)
    margin = None if best is None else margins.margin(best[:-1], best[-1], population.features, population.labels)
    here = "none exists" if margin is None else f"one with margin {number(margin)} exists"
    return [Statement("a linear separator of the true points", "exists", here, margin is not None)]


def _example_3(example: Example, chosen: Scenario) -> list[Statement]:
    population, cost = members_of(chosen), chosen.setting.cost
    alpha = float(cost.alpha)
    readings = (
        ("where nobody moves", L2Cost(0.0), [1.0, 0.0, 0.0], ""),
        ("with the threshold alpha, where they move", cost, [1.0 / alpha, 0.0, -1.0], ""),
        (
            "with the threshold 0, where they move",
            cost,
            [1.0, 0.0, 0.0],
            "the statement needs one of the other readings",
        ),
    )
    found = [(text, errors(example, population, reading, w), reason) for text, reading, w, reason in readings]
    return [Statement(f"w* = (1, 0) errs on, {text}", "z0", wrong, wrong == "z0", why) for text, wrong, why in found]


_OF_EXAMPLE: dict[str, Callable[[Example, Scenario], list[Statement]]] = {
    "Example1": _example_1,
    "Example2": _example_2,
    "Example3": _example_3,
}


def errors(example: Example, population: FixedSequence, cost: Cost, classifier: Sequence[float]) -> str:
    """Name the members on whom a fixed classifier errs."""
    once = FixedSequence([], list(zip(population.features.tolist(), population.labels.tolist(), strict=True)))
    game, published = Game(Setting(population=once, cost=cost), game_key(0)), np.array(classifier)
    mistakes = [bool(game.play(published)[-1]) for _ in example.members]
    return ", ".join(name for name, mistake in zip(example.members, mistakes, strict=True) if mistake) or "nobody"


def members_of(chosen: Scenario) -> FixedSequence:
    """Return the individuals of an example."""
    population = chosen.setting.population
    assert isinstance(population, FixedSequence)
    return population
