"""The Strategic Perceptron where only the labels of accepted individuals are revealed (apple tasting)."""

import math
from typing import NamedTuple

import numpy as np

from agents.costs import L2, Cost, L2Cost
from agents.foundation.checks import LARGEST_SEED, count, finite_length, finite_number
from agents.foundation.lanes import dot, length
from agents.foundation.streams import game_key, uniform
from agents.foundation.typing import Float, Int, Key
from learners.strategic.base import RandomizedLearner
from learners.strategic.rules import learn, publish, rule_of
from learners.strategic.surrogates import write_constant, write_raised, write_surrogate

# A purpose far from those of `agents.foundation.streams`: a learner and a game with the same seed draw independent
# numbers.
EXPLORATION = 100


class AcceptedOnlyState(NamedTuple):
    """What one game has learned.

    Attributes
    ----------
    weights : ndarray, shape (n, d)
    alpha : ndarray, shape (n, 1)
        How far individuals move.
    exploration : ndarray, shape (n,)
        A round t explores with probability ``min(1, exploration / sqrt t)``.
    key : ndarray, shape (n, 2), uint64
        Random stream of the episode.
    episode, published : ndarray, shape (n,), int64
        Number of the game's episode, and classifiers published in it.
    """

    weights: Float
    alpha: Float
    exploration: Float
    key: Key
    episode: Int
    published: Int


@rule_of(AcceptedOnlyState, learn)
def _learn(
    state: AcceptedOnlyState, game: int, features: Float, prediction: float, label: float, classifier: Float, eps: float
) -> bool:
    d = features.shape[0]
    weights = state.weights[game]
    if length(classifier[:d]) == 0.0:
        # Everybody was accepted and nobody moved: what Algorithm 2 would have predicted of these true features.
        prediction = 1.0 if dot(weights, features) >= 0.0 else -1.0
    if label == 0.0 or label == prediction:
        return True  # whether to explore is drawn anew
    surrogate = np.empty(d)
    write_surrogate(L2, classifier, features, label, state.alpha[game], eps, surrogate)
    for i in range(d):
        weights[i] += label * surrogate[i]
    return True


@rule_of(AcceptedOnlyState, publish)
def _publish(state: AcceptedOnlyState, game: int, out: Float) -> None:
    state.published[game] += 1
    round = state.published[game]
    if uniform(state.key[game], EXPLORATION, round) * math.sqrt(round) < state.exploration[game]:
        write_constant(True, out)
    else:
        write_raised(state.weights[game], 0.0, L2, state.alpha[game], out)


class AcceptedOnlyL2(RandomizedLearner[AcceptedOnlyState]):
    """Algorithm 2 that now and then accepts everybody, to see whom it would have rejected.

    In round t it publishes "accept everybody" with probability ``min(1, exploration / sqrt t)``, else what Algorithm 2
    would. Nobody moves in an exploring round, so it shows true features with their label, and Algorithm 2 learns from
    them as if it had predicted and been told. In other rounds it can learn only from negative individuals whom it
    accepted.

    Parameters
    ----------
    alpha : float
        How far an individual moves for the value of being accepted, at least 0.
    exploration : float
        How much it explores, greater than 0.
    seed : int
        Of the rounds that explore.

    Warnings
    --------
    It never ceases to explore, so that its mistakes grow with the root of the rounds where Algorithm 2, told every
    label, would come to rest.

    Notes
    -----
    *Lost*: Theorem 1. Algorithm 2 alone never hears of a wrongly rejected individual, and may reject for ever; with
    exploration, mistakes grow with the horizon T.

    *Proved*, where a hyperplane through the origin separates the true points: at most ``R^2 / gamma^2`` *updates*, for
    each is one of Algorithm 2. And in expectation over the rounds that explore, for arrivals that do not depend on the
    coming one, at most ``(1 + sqrt T / exploration) R^2 / gamma^2 + 2 exploration sqrt T`` mistakes: exploring costs at
    most one mistake a round; a wrongly accepted individual leads to an update; and a wrongly rejected one was equally
    likely to come in a round that explores with probability ``p >= exploration / sqrt T``, and to lead to an update
    there, so that ``1 / p`` times the updates bound the expected number of wrongly rejected ones.

    *Measured*: on random arrivals exploring costs a little more than it finds; it is for the worst case.

    References
    ----------
    Helmbold, Littlestone, Long (2000), Apple tasting, Information and Computation 161(2), for learning by acceptance.

    Examples
    --------
    >>> from learners import AcceptedOnlyL2
    >>> learner = AcceptedOnlyL2(alpha=0.5, exploration=2.0)  # accepts everybody in its first four rounds
    >>> nothing = {"features": [0.0], "prediction": [0.0], "label": [0.0], "classifier": [0.0, 0.0], "round": [0.0]}
    >>> classifier, state = learner.predict(nothing)
    >>> mistake = {"features": [-2.0], "prediction": [1.0], "label": [-1.0], "classifier": classifier, "round": [1.0]}
    >>> classifier, state = learner.predict(mistake, state)
    >>> classifier, state.weights
    (array([0., 0.]), array([[2.]]))
    """

    name = "accepted-only-l2"
    state_class = AcceptedOnlyState
    summary = "Strategic Perceptron for labels of the accepted only, known l2 costs; explores at random"
    requires = ("alpha",)
    cost = "l2"

    def __init__(self, alpha: float, exploration: float = 0.1, seed: int = 0) -> None:
        self.alpha = finite_length("alpha", alpha)
        self.exploration = finite_number("exploration", exploration, above=0.0)
        self.seed = count("seed", seed, maximum=LARGEST_SEED)
        self.parameters = {"alpha": self.alpha, "exploration": self.exploration, "seed": self.seed}

    def initial_state(self, games: int, dim: int) -> AcceptedOnlyState:
        """Return zero weights for each game, and the stream of its first episode."""
        return AcceptedOnlyState(
            weights=np.zeros((games, dim)),
            alpha=np.full((games, 1), self.alpha),
            exploration=np.full(games, self.exploration),
            key=np.array([game_key(self.seed, game) for game in range(games)]),
            episode=np.zeros(games, dtype=np.int64),
            published=np.zeros(games, dtype=np.int64),
        )

    def believed_cost(self, state: AcceptedOnlyState) -> Cost:
        """Return the cost that it was told."""
        return L2Cost(self.alpha)

    def begin_episode(self, state: AcceptedOnlyState, game: int, key: Key) -> None:
        """Give a new episode a random stream of its own."""
        state.key[game] = key
