"""Multiclass Perceptrons: first order in three variants, and second order with a diagonal matrix."""

from typing import Annotated, NamedTuple

import numpy as np

from agents.foundation.checks import finite_number, one_of
from agents.foundation.compiled import compiled
from agents.foundation.typing import Float, Int, Key
from learners.multiclass.label_learner import LabelLearner, play_leader
from learners.multiclass.observation import revealed_label
from learners.multiclass.rules import distribute, update
from learners.multiclass.scores import add_to_row, leader, write_mixture
from learners.strategic.rules import rule_of

DEMOTIONS = ("leader", "uniform", "one_vs_all")
LEADER, UNIFORM, ONE_VS_ALL = range(3)


class MulticlassPerceptronState(NamedTuple):
    """What one game has learned.

    Attributes
    ----------
    weights, features, probabilities, scores, key, episode, decided : ndarray
        See `learners.multiclass.rules`.
    demotes : ndarray, shape (n,), int64
        Place in `DEMOTIONS`.
    """

    weights: Float
    features: Float
    probabilities: Float
    scores: Float
    key: Key
    episode: Int
    decided: Int
    demotes: Int


rule_of(MulticlassPerceptronState, distribute, allocates=False)(play_leader)


@rule_of(MulticlassPerceptronState, update, allocates=False)
def _update(state: MulticlassPerceptronState, game: int, action: int, feedback: Float) -> None:
    label, kind = revealed_label(feedback), state.demotes[game]
    weights, scores, features = state.weights[game], state.scores[game], state.features[game]
    if label < 0 or (kind != ONE_VS_ALL and leader(scores) == label):
        return
    if kind != ONE_VS_ALL or scores[label] <= 0.0:
        add_to_row(weights, label, 1.0, features)
    if kind == LEADER:
        add_to_row(weights, leader(scores), -1.0, features)
        return
    # Who would have had to score less: than the label, or than 0.
    level, wrong = scores[label] if kind == UNIFORM else 0.0, 0
    for other in range(scores.shape[0]):
        wrong += other != label and scores[other] >= level
    for other in range(scores.shape[0]):
        if other != label and scores[other] >= level:
            add_to_row(weights, other, -1.0 / wrong if kind == UNIFORM else -1.0, features)


class MulticlassPerceptron(LabelLearner[MulticlassPerceptronState]):
    """On a mistake it adds x to the weights of the label, and takes it from those that scored too much.

    Parameters
    ----------
    classes : int
        Number of labels K.
    demotes : str
        From whom: ``"leader"``, whom it played; ``"uniform"``, all that score at least as much as the label, in equal
        parts; ``"one_vs_all"``: every label is a Perceptron of its own that tells it from the others, so that x is
        added to the label's weights if its score is at most 0, and taken from every other that scores at least 0.

    Warnings
    --------
    It needs to be shown the label in every round. Queries that are aimed at it (``query="adversary"`` of
    `NearestNeighbor`, with two centres and three features) are mistakes in every round.

    References
    ----------
    Crammer, Singer (2003), Ultraconservative online algorithms for multiclass problems, JMLR 3.

    Examples
    --------
    >>> from learners import MulticlassPerceptron
    >>> learner = MulticlassPerceptron(classes=3)
    >>> label, state = learner.predict({"features": [1.0, 0.0], "feedback": [-1, -1, -1], "action": [-1], "round": [0]})
    >>> seen = {"features": [0.0, 1.0], "feedback": [0, 0, 1], "action": [label], "round": [1]}
    >>> label, state = learner.predict(seen, state)
    >>> state.weights[0]
    array([[-1.,  0.],
           [ 0.,  0.],
           [ 1.,  0.]])
    """

    name = "multiclass-perceptron"
    state_class = MulticlassPerceptronState
    summary = "multiclass Perceptron, for full information"

    def __init__(self, classes: int, demotes: Annotated[str, f"one of {', '.join(DEMOTIONS)}"] = "leader") -> None:
        super().__init__(classes)
        self.demotes = one_of("demotes", demotes, DEMOTIONS)
        self.parameters["demotes"] = demotes

    def initial_state(self, games: int, dim: int) -> MulticlassPerceptronState:
        """Return zero weights for each game."""
        demotes = np.full(games, DEMOTIONS.index(self.demotes))
        return MulticlassPerceptronState(**self._beginning(games, dim), demotes=demotes)


class SecondOrderPerceptronState(NamedTuple):
    """What one game has learned.

    Attributes
    ----------
    weights, features, probabilities, scores, key, episode, decided : ndarray
        See `learners.multiclass.rules`; the weights are what was added up, without the matrix.
    curvature : ndarray, shape (n, K, d)
        Diagonal A.
    """

    weights: Float
    features: Float
    probabilities: Float
    scores: Float
    key: Key
    episode: Int
    decided: Int
    curvature: Float


@rule_of(SecondOrderPerceptronState, distribute, allocates=False)
def _distribute_second_order(state: SecondOrderPerceptronState, game: int) -> None:
    scores, features = state.scores[game], state.features[game]
    for label in range(scores.shape[0]):
        scores[label] = _scaled_score(state.weights[game, label], state.curvature[game, label], features)
    write_mixture(leader(scores), 0.0, scores.shape[0], state.probabilities[game])


@compiled
def _scaled_score(weights: Float, curvature: Float, features: Float) -> float:
    """Return the score under a matrix that the features already belong to."""
    total = 0.0
    for i in range(features.shape[0]):
        total += weights[i] * features[i] / (curvature[i] + features[i] * features[i])
    return total


@rule_of(SecondOrderPerceptronState, update, allocates=False)
def _update_second_order(state: SecondOrderPerceptronState, game: int, action: int, feedback: Float) -> None:
    label, best = revealed_label(feedback), leader(state.scores[game])
    if label < 0 or label == best:
        return
    features, curvature = state.features[game], state.curvature[game]
    add_to_row(state.weights[game], label, 1.0, features)
    add_to_row(state.weights[game], best, -1.0, features)
    for i in range(features.shape[0]):
        curvature[label, i] += features[i] * features[i]
        curvature[best, i] += features[i] * features[i]


class SecondOrderPerceptron(LabelLearner[SecondOrderPerceptronState]):
    """Scores ``theta_k (A_k + x^2)^-1 x``; on a mistake, x moves from the leader's theta to the label's, and A grows.

    Parameters
    ----------
    classes : int
        Number of labels K.
    regularisation : float
        The first A, above 0.

    Warnings
    --------
    It needs to be shown the label in every round. Its matrix is diagonal here, which the proof of the full one does not
    cover.

    References
    ----------
    Cesa-Bianchi, Conconi, Gentile (2005), A second-order Perceptron algorithm, SIAM Journal on Computing 34(3); here
    with a diagonal matrix for each label.

    Examples
    --------
    >>> from learners import SecondOrderPerceptron
    >>> learner = SecondOrderPerceptron(classes=3)
    >>> label, state = learner.predict({"features": [1.0, 0.0], "feedback": [-1, -1, -1], "action": [-1], "round": [0]})
    >>> seen = {"features": [0.0, 1.0], "feedback": [0, 0, 1], "action": [label], "round": [1]}
    >>> label, state = learner.predict(seen, state)
    >>> state.weights[0]
    array([[-1.,  0.],
           [ 0.,  0.],
           [ 1.,  0.]])
    >>> state.curvature[0]
    array([[2., 1.],
           [1., 1.],
           [2., 1.]])
    """

    name = "second-order-perceptron"
    state_class = SecondOrderPerceptronState
    summary = "second-order multiclass Perceptron with a diagonal matrix, for full information"

    def __init__(self, classes: int, regularisation: float = 1.0) -> None:
        super().__init__(classes)
        self.regularisation = finite_number("regularisation", regularisation, above=0.0)
        self.parameters["regularisation"] = self.regularisation

    def initial_state(self, games: int, dim: int) -> SecondOrderPerceptronState:
        """Return zero weights for each game."""
        curvature = np.full((games, self.classes, dim), self.regularisation)
        return SecondOrderPerceptronState(**self._beginning(games, dim), curvature=curvature)
