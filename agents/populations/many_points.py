"""N games of points with labels, and what compiled code asks of their source: its class selects the rule.

A source is a named tuple that says how the points of a population come, in any game; what N games have drawn of it is
another. Each kind has a rule for all three questions below (`agents.foundation.selection.rule_of`).
"""

from functools import singledispatch
from typing import Any, Protocol

import numpy as np

from agents.foundation.compiled import loop
from agents.foundation.selection import INLINED, PLAIN
from agents.foundation.typing import Float, Int, Key


class Drawing(Protocol):
    """What N games have drawn of a source."""

    @property
    def keys(self) -> Key:
        """The key of each game's episode (N, 2)."""


class Coming(Protocol):
    """How points with labels come."""

    @property
    def classes(self) -> int:
        """K."""

    @property
    def places(self) -> Int:
        """0, 1, ..., d - 1."""

    def nothing_drawn(self, games: int) -> Drawing:
        """Return what so many games have drawn before they begin."""


@singledispatch
def begin_population(source: Any, drawn: Any, game: int, scratch: Float) -> None:
    """Draw the population of one game; ``scratch`` (d,) is overwritten."""
    raise NotImplementedError(f"no rule begins a {type(source).__name__}")


@singledispatch
def draw(source: Any, drawn: Any, game: int, round: int, features: Float) -> int:
    """Write the point of one round to ``features`` (d,) and return its label, from 0 to K - 1.

    Rounds are drawn in order, from 0 on.
    """
    raise NotImplementedError(f"no rule draws from a {type(source).__name__}")


@singledispatch
def judge(source: Any, drawn: Any, game: int, round: int, action: int, label: int) -> tuple[int, float]:
    """Return the label that feedback shows of the point that was drawn last, and the loss of an action there."""
    raise NotImplementedError(f"no rule judges what comes from a {type(source).__name__}")


INLINED.update({begin_population, draw, judge})
PLAIN.update({begin_population, draw, judge})


@loop
def fill_points(source: Coming, drawn: Drawing, game: int, first: int, features: Float, labels: Int) -> None:
    """Write the points of one game's rounds from ``first`` on to ``features`` (n, d), and their ``labels`` (n,)."""
    for k in range(labels.shape[0]):
        labels[k] = draw(source, drawn, game, first + k, features[k])


@loop
def begin_games(source: Coming, drawn: Drawing, games: Int, scratch: Float) -> None:
    """Draw the population of each of the ``games`` (n,)."""
    for game in games:
        begin_population(source, drawn, game, scratch)


class ManyPoints:
    """What N games draw of a population.

    Parameters
    ----------
    source : Coming
    games : int
        N.

    Attributes
    ----------
    source : Coming
    drawn : Drawing
    """

    def __init__(self, source: Coming, games: int) -> None:
        self.source = source
        self.drawn = source.nothing_drawn(games)

    def begin(self, games: Int, keys: Key) -> None:
        """Let an episode begin in each of ``games`` (n,), whose keys are ``keys`` (n, 2)."""
        self.drawn.keys[games] = keys
        begin_games(self.source, self.drawn, games, np.empty(len(self.source.places)))

    def points(self, game: int, rounds: int) -> tuple[Float, Int]:
        """Return the points (rounds, d) of one game's first rounds, and their labels (rounds,)."""
        features, labels = np.empty((rounds, len(self.source.places))), np.empty(rounds, dtype=np.int64)
        fill_points(self.source, self.drawn, game, 0, features, labels)
        return features, labels
