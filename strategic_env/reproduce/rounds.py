"""One game, round by round, with what is learned from each."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from agents.boundary import FLOAT64_EPS, on_boundary
from agents.costs import L2, Cost, steepest
from agents.foundation.streams import game_key
from agents.foundation.typing import Float
from agents.populations.arrivals import BLOCK
from learners.strategic.base import Learner
from learners.strategic.observation import Layout
from strategic_env.games.strategic.game import Game
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
    game = Game(setting, game_key(0))
    biased = bool(getattr(learner, "bias", False))
    classifier, state = learner.predict(np.zeros(Layout(setting.dim).size))
    while True:
        played = Round(*game.play(np.asarray(classifier, dtype=np.float64)))
        classifier, state = learner.predict(played.observation, state)
        weights = np.append(state.weights[0], state.intercept[0] if biased else [])
        surrogate = surrogate_of(learner, setting.cost, played) if played.mistake else None
        yield Played(played, int(game.arrivals.index[(game.round - 1) % BLOCK]), surrogate, weights, state)


def surrogate_of(learner: Learner[Any], cost: Cost, played: Round) -> Float:
    """Return the point that a learner takes a report for, when it knows the cost (Definitions 1 and 2).

    For a negative individual on the boundary: the farthest point from where it may have come. A learner that is made
    for no cost takes every report at face value.
    """
    report, weights = played.report.copy(), played.classifier[:-1]
    if learner.cost is None or played.true_label > 0.0:
        return report
    if not on_boundary(played.classifier, report, float(cost.alpha.max()), FLOAT64_EPS):
        return report
    budget = cost.budgets(report.size)[0]
    if cost.norm == L2:
        return np.asarray(report - budget[0] * weights / np.linalg.norm(weights))
    direction = steepest(weights, budget)
    report[direction] -= budget[direction]
    return report
