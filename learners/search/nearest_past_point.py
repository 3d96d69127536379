"""Convex sets: the label of the nearest point so far, which no geometry improves on much."""

from typing import NamedTuple

import numpy as np

from agents.foundation.checks import LARGEST_LENGTH, count
from agents.foundation.lanes import copy
from agents.foundation.typing import Float, Int, Key
from learners.multiclass.label_learner import LabelLearner
from learners.multiclass.observation import revealed_label
from learners.multiclass.rules import distribute, update
from learners.multiclass.scores import leader, write_mixture
from learners.strategic.rules import rule_of, stays_inside


class NearestPastPointState(NamedTuple):
    """What one game has learned.

    Attributes
    ----------
    weights : ndarray, shape (n, M, d)
        The points that it remembers.
    features, probabilities, scores, key, episode, decided : ndarray
        See `learners.multiclass.rules`; a score is minus the distance to the nearest point of a label.
    labels : ndarray, shape (n, M), int64
    seen : ndarray, shape (n,), int64
        Points so far.
    """

    weights: Float
    features: Float
    probabilities: Float
    scores: Float
    key: Key
    episode: Int
    decided: Int
    labels: Int
    seen: Int


@rule_of(NearestPastPointState, stays_inside)
def _stays_inside(state: NearestPastPointState, game: int) -> bool:
    for label in state.labels[game]:
        if not 0 <= label < state.scores.shape[1]:
            return False
    return bool(state.seen[game] >= 0)


@rule_of(NearestPastPointState, distribute, allocates=False)
def _distribute(state: NearestPastPointState, game: int) -> None:
    points, features, scores = state.weights[game], state.features[game], state.scores[game]
    scores[:] = -1e300  # a label without a point is farther than any
    for place in range(min(state.seen[game], points.shape[0])):
        square = 0.0
        for i in range(features.shape[0]):
            square += (features[i] - points[place, i]) * (features[i] - points[place, i])
        label = state.labels[game, place]
        # What is no number must not hide behind a comparison.
        if not -np.sqrt(square) <= scores[label]:
            scores[label] = -np.sqrt(square)
    write_mixture(leader(scores), 0.0, scores.shape[0], state.probabilities[game])


@rule_of(NearestPastPointState, update, allocates=False)
def _update(state: NearestPastPointState, game: int, action: int, feedback: Float) -> None:
    label = revealed_label(feedback)
    if label < 0:
        return
    place = state.seen[game] % state.weights.shape[1]
    copy(state.features[game], state.weights[game, place])
    state.labels[game, place] = label
    state.seen[game] += 1


class NearestPastPoint(LabelLearner[NearestPastPointState]):
    """Plays the label of the nearest point whose label it has seen; the lowest label before there is any.

    Parameters
    ----------
    classes : int
        Number of labels K.
    memory : int
        How many points it remembers, at least 1: the last ones.

    Warnings
    --------
    It remembers every point that it is allowed to: time and memory grow with the rounds. On two convex sets of five
    dimensions or more no learner's loss is bounded, and so it is not here.

    Notes
    -----
    A mistake costs at most the distance to the nearest past point, whatever sets the labels stand for; as long as it
    remembers all points, the sum is of order ``T^(1 - 1/d)`` over T queries in the unit ball (own). For convex sets no
    learner is better than of order ``T^((d - 4) / (d - 2))`` (Section 5 of the paper).

    References
    ----------
    Paes Leme, Schneider (2021), Margin-independent online multiclass learning via convex geometry, Section 5, for the
    game.

    Examples
    --------
    >>> from learners import NearestPastPoint
    >>> learner = NearestPastPoint(classes=2)
    >>> label, state = learner.predict({"features": [0.5], "feedback": [-1, -1], "action": [-1], "round": [0]})
    >>> seen = {"features": [0.4], "feedback": [0, 1], "action": [label], "round": [1]}
    >>> label, state = learner.predict(seen, state)
    >>> int(label), round(float(state.scores[0, 1]), 3)
    (1, -0.1)
    """

    name = "nearest-past-point"
    state_class = NearestPastPointState
    summary = "the label of the nearest past point, for convex sets"
    defaults = ()  # a scenario of convex sets names it

    def __init__(self, classes: int, memory: int = 10_000) -> None:
        super().__init__(classes)
        self.memory = count("memory", memory, minimum=1, maximum=LARGEST_LENGTH)
        self.parameters["memory"] = self.memory

    def _weights_shape(self, dim: int) -> tuple[int, ...]:
        return self.memory, dim

    def initial_state(self, games: int, dim: int) -> NearestPastPointState:
        """Return a memory without a point for each game."""
        begun = self._beginning(games, dim) | {"weights": np.zeros((games, self.memory, dim))}
        return NearestPastPointState(
            **begun,
            labels=np.zeros((games, self.memory), dtype=np.int64),
            seen=np.zeros(games, dtype=np.int64),
        )
