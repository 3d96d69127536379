"""One game, round by round, with what is learned from each."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from agents.foundation.typing import Float
from learners.strategic.base import Learner
from strategic_env.games.strategic.record import RecordedGame
from strategic_env.games.strategic.rules import Round
from strategic_env.games.strategic.setting import Setting


class Played(NamedTuple):
    """A round and what the learner made of it.

    Attributes
    ----------
    round : Round
    member : int
        Who arrived: a row of the population's features, where it has any.
    surrogate : ndarray (d,) or None
        The point that a mistake is learned from; None where there is no mistake.
    weights : ndarray (d,) or (d + 1,)
        After the round, with the intercept where the learner has one.
    state : NamedTuple of arrays
        After the round; the next round overwrites it.
    """

    round: Round
    member: int
    surrogate: Float | None
    weights: Float
    state: Any


def play(learner: Learner[Any], setting: Setting) -> Iterator[Played]:
    """Play one game of a learner for ever."""
    game, biased = RecordedGame(learner, setting), bool(getattr(learner, "bias", False))
    while True:
        line = game.play()
        weights = np.append(line.weights, line.intercept or 0.0) if biased else line.weights
        surrogate = line.surrogate if line.round.mistake else None
        yield Played(line.round, line.member, surrogate, weights, game.state)
