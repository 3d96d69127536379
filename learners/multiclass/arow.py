"""AROW: adaptive regularisation of weights, with a diagonal matrix for each label."""

from typing import NamedTuple

import numpy as np

from agents.foundation.checks import finite_number
from agents.foundation.compiled import compiled
from agents.foundation.typing import Float, Int, Key
from learners.multiclass.label_learner import LabelLearner, play_leader
from learners.multiclass.losses import margin
from learners.multiclass.observation import revealed_label
from learners.multiclass.rules import distribute, update
from learners.multiclass.scores import best_other
from learners.strategic.rules import rule_of


class ArowState(NamedTuple):
    """What one game has learned.

    Attributes
    ----------
    weights, features, probabilities, scores, key, episode, decided : ndarray
        See `learners.multiclass.rules`.
    confidence : ndarray, shape (n, K, d)
        Diagonal S: the variance of each weight.
    regularisation : ndarray, shape (n,)
        r.
    """

    weights: Float
    features: Float
    probabilities: Float
    scores: Float
    key: Key
    episode: Int
    decided: Int
    confidence: Float
    regularisation: Float


rule_of(ArowState, distribute, allocates=False)(play_leader)


@rule_of(ArowState, update, allocates=False)
def _update(state: ArowState, game: int, action: int, feedback: Float) -> None:
    label, scores = revealed_label(feedback), state.scores[game]
    if label < 0:
        return
    hinge, wrong = 1.0 - margin(scores, label), best_other(scores, label)
    if hinge <= 0.0:
        return
    spread = _spread(state, game, label) + _spread(state, game, wrong)
    shrink = 1.0 / (spread + state.regularisation[game])
    _learn_row(state, game, label, hinge * shrink, shrink)
    _learn_row(state, game, wrong, -hinge * shrink, shrink)


@compiled
def _spread(state: ArowState, game: int, label: int) -> float:
    """Return ``x' S x`` of one label."""
    features, confidence, total = state.features[game], state.confidence[game, label], 0.0
    for i in range(features.shape[0]):
        total += confidence[i] * features[i] * features[i]
    return total


@compiled
def _learn_row(state: ArowState, game: int, label: int, step: float, shrink: float) -> None:
    """Move one label's weights by ``step S x`` and let S shrink."""
    features, weights, confidence = state.features[game], state.weights[game, label], state.confidence[game, label]
    for i in range(features.shape[0]):
        scaled = confidence[i] * features[i]
        weights[i] += step * scaled
        confidence[i] -= shrink * scaled * scaled


class Arow(LabelLearner[ArowState]):
    """Where the label's margin is below 1, it moves weights by as much as they are still uncertain.

    With k the best other label, l the hinge loss and ``b = 1 / (x' (S_y + S_k) x + r)``: ``W^y += l b S_y x``,
    ``W^k -= l b S_k x``, and both S lose ``b (S x)^2`` on their diagonals, which begin at 1.

    Parameters
    ----------
    classes : int
        Number of labels K.
    regularisation : float
        r, above 0.

    Warnings
    --------
    It needs to be shown the label in every round. Its certainty only grows, so that it follows a change of the
    population ever more slowly.

    References
    ----------
    Crammer, Kulesza, Dredze (2009), Adaptive regularization of weight vectors, NeurIPS.

    Examples
    --------
    >>> from learners import Arow
    >>> learner = Arow(classes=3)
    >>> label, state = learner.predict({"features": [1.0, 0.0], "feedback": [-1, -1, -1], "action": [-1], "round": [0]})
    >>> seen = {"features": [0.0, 1.0], "feedback": [0, 0, 1], "action": [label], "round": [1]}
    >>> label, state = learner.predict(seen, state)
    >>> state.weights[0].round(3)
    array([[-0.333,  0.   ],
           [ 0.   ,  0.   ],
           [ 0.333,  0.   ]])
    >>> state.confidence[0].round(3)
    array([[0.667, 1.   ],
           [1.   , 1.   ],
           [0.667, 1.   ]])
    """

    name = "arow"
    state_class = ArowState
    summary = "AROW with a diagonal matrix, for full information"

    def __init__(self, classes: int, regularisation: float = 1.0) -> None:
        super().__init__(classes)
        self.regularisation = finite_number("regularisation", regularisation, above=0.0)
        self.parameters["regularisation"] = self.regularisation

    def initial_state(self, games: int, dim: int) -> ArowState:
        """Return zero weights for each game."""
        return ArowState(
            **self._beginning(games, dim),
            confidence=np.ones((games, self.classes, dim)),
            regularisation=np.full(games, self.regularisation),
        )
