"""Banditron: the Perceptron that hears only whether it was right."""

import math
from typing import Annotated, NamedTuple

import numpy as np

from agents.foundation.checks import LARGEST_SEED, count, finite_length, flag
from agents.foundation.typing import Bool, Float, Int, Key
from learners.feedback.graph import FeedbackGraph
from learners.multiclass.base import MulticlassLearner, exploration_of, self_revealing
from learners.multiclass.descent import beginning, has_the_gradients, learn_gradient
from learners.multiclass.losses import SPECIAL_HINGE, write_slopes
from learners.multiclass.observation import HIDDEN, LABEL
from learners.multiclass.rules import distribute, update
from learners.multiclass.scores import add_to_row, leader, played_outcome, write_leading
from learners.strategic.rules import rule_of, stays_inside


class BanditronState(NamedTuple):
    """What one game has learned.

    Attributes
    ----------
    weights, features, probabilities, scores, key, episode, decided : ndarray
        See `learners.multiclass.rules`.
    descent, norm, memory, slopes, gradients : ndarray
        See `learners.multiclass.descent.beginning`.
    gamma : ndarray, shape (n,)
    weighted : ndarray, shape (n,), bool
        Whether it descends on the importance-weighted hinge loss.
    """

    weights: Float
    features: Float
    probabilities: Float
    scores: Float
    key: Key
    episode: Int
    decided: Int
    descent: Int
    norm: Float
    memory: Float
    slopes: Float
    gradients: Float
    gamma: Float
    weighted: Bool


rule_of(BanditronState, stays_inside)(has_the_gradients)


@rule_of(BanditronState, distribute, allocates=False)
def _distribute(state: BanditronState, game: int) -> None:
    write_leading(state, game, state.gamma[game])


@rule_of(BanditronState, update, allocates=False)
def _update(state: BanditronState, game: int, action: int, feedback: Float) -> None:
    outcome, scores = played_outcome(feedback, action), state.scores[game]
    if outcome == HIDDEN:
        return
    right = outcome == LABEL
    if not state.weighted[game]:
        add_to_row(state.weights[game], leader(scores), -1.0, state.features[game])
        if right:
            add_to_row(state.weights[game], action, 1.0 / state.probabilities[game, action], state.features[game])
    elif right:
        write_slopes(SPECIAL_HINGE, math.inf, scores, action, state.slopes[game])  # above no margin: the plain hinge
        learn_gradient(state, game, 1.0 / state.probabilities[game, action])


class Banditron(MulticlassLearner[BanditronState]):
    """Explores with probability gamma, and makes the Perceptron's update with an estimate of the label's part.

    It subtracts x from the leader's weights, and adds ``x / p(y)`` to those of the label y if it played it.

    Parameters
    ----------
    graph : FeedbackGraph
        One where each label reveals at least whether it was right, such as bandit feedback.
    horizon : int, optional
        T, for ``gamma = T^(-1/3)``.
    gamma : float, optional
        Exploration, in (0, 1].
    importance_weighted : bool
        Descend instead on the hinge loss of the label, if it was played, divided by ``p(y)``, with the steps of
        adaptive online gradient descent: the form that the Gappletron paper compares with.
    norm : float
        Scale of these steps, above 0.
    seed : int
        Of its draws.

    Warnings
    --------
    It explores at one rate for ever, also where the labels can be separated: of T rounds about ``T^(2/3)`` are lost by
    that. It must know the horizon, or a rate.

    References
    ----------
    Kakade, Shalev-Shwartz, Tewari (2008), Efficient bandit algorithms for online multiclass prediction, ICML.

    Examples
    --------
    >>> from learners import Banditron, FeedbackGraph
    >>> graph = FeedbackGraph.named("bandit", classes=4)
    >>> learner = Banditron(graph, gamma=0.2)
    >>> label, state = learner.predict({"features": [1.0], "feedback": [-1, -1, -1, -1], "action": [-1], "round": [0]})
    >>> state.probabilities
    array([[0.85, 0.05, 0.05, 0.05]])
    """

    name = "banditron"
    state_class = BanditronState
    summary = "Banditron: multiclass Perceptron for bandit feedback"
    requires = ("graph",)
    welcomes = ("horizon",)

    def __init__(
        self,
        graph: FeedbackGraph,
        horizon: Annotated[int | None, "null: what the scenario tells"] = None,
        gamma: Annotated[float | None, "null: T^(-1/3)"] = None,
        importance_weighted: bool = False,
        norm: float = 1.0,
        seed: int = 0,
    ) -> None:
        self.graph = self_revealing(graph, self.name)
        self.classes, self.nodes = graph.classes, graph.nodes
        self.gamma = exploration_of(self.name, gamma, horizon, -1.0 / 3.0)
        self.importance_weighted = flag("importance_weighted", importance_weighted)
        self.norm = finite_length("norm", norm, above=0.0)
        self.seed = count("seed", seed, maximum=LARGEST_SEED)
        self.parameters = {
            "graph": graph, "horizon": horizon, "gamma": gamma, "importance_weighted": self.importance_weighted,
            "norm": self.norm, "seed": self.seed,
        }  # fmt: skip

    def initial_state(self, games: int, dim: int) -> BanditronState:
        """Return zero weights for each game."""
        return BanditronState(
            **self._beginning(games, dim),
            **beginning("adaptive", self.norm, games, self.classes, dim),
            gamma=np.full(games, self.gamma),
            weighted=np.full(games, self.importance_weighted),
        )
