"""A game as data: what it is called, which scenarios it has, and where the rest of it is found on first use."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from strategic_env.games.shared.scenario import BenchScenario


@dataclass(frozen=True)
class Game:
    """What is known of a game without importing what it needs.

    Attributes
    ----------
    name : str
        Which learners can play: those with the same `learners.policy.Policy.game`.
    title : str
        What it is called in text.
    scenarios : mapping
        Of each named scenario, what it is, in one line.
    scenario_class : str
        ``module:Class`` of its scenarios, which know everything else of the game.
    """

    name: str
    title: str
    scenarios: Mapping[str, str]
    scenario_class: str

    @property
    def kind(self) -> "type[BenchScenario]":
        """The class of its scenarios, imported on first use."""
        module, name = self.scenario_class.split(":")
        found: type[BenchScenario] = getattr(import_module(module), name)
        return found
