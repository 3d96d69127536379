"""SOBA: a second-order Perceptron for bandit feedback, with a diagonal matrix."""

import math
from typing import Annotated, NamedTuple

import numpy as np

from agents.foundation.checks import LARGEST_SEED, count, finite_number, one_of
from agents.foundation.compiled import compiled
from agents.foundation.typing import Bool, Float, Int, Key
from learners.feedback.graph import FeedbackGraph
from learners.multiclass.base import MulticlassLearner, exploration_of, self_revealing
from learners.multiclass.observation import LABEL
from learners.multiclass.rules import distribute, update
from learners.multiclass.scores import best_other, leader, played_outcome, write_leading
from learners.strategic.rules import rule_of


class SobaState(NamedTuple):
    """What one game has learned.

    Attributes
    ----------
    weights, features, probabilities, scores, key, episode, decided : ndarray
        See `learners.multiclass.rules`; the weights are ``theta / A``.
    curvature, theta : ndarray, shape (n, K, d)
        Diagonal A, and minus the sum of gradients.
    gamma : ndarray, shape (n,)
        Exploration where it is fixed.
    adaptive : ndarray, shape (n,), bool
    margins : ndarray, shape (n,)
        Sum of the m of all updates: they may not pay in total.
    gains : ndarray, shape (n,)
        Sum of ``z' A^-1 z`` of all updates, for adaptive exploration.
    """

    weights: Float
    features: Float
    probabilities: Float
    scores: Float
    key: Key
    episode: Int
    decided: Int
    curvature: Float
    theta: Float
    gamma: Float
    adaptive: Bool
    margins: Float
    gains: Float


@rule_of(SobaState, distribute, allocates=False)
def _distribute(state: SobaState, game: int) -> None:
    rate = state.gamma[game]
    if state.adaptive[game]:
        rate = min(1.0, math.sqrt(state.scores.shape[1] * (1.0 + state.gains[game]) / (1.0 + state.decided[game])))
    write_leading(state, game, rate)


@rule_of(SobaState, update, allocates=False)
def _update(state: SobaState, game: int, action: int, feedback: Float) -> None:
    if played_outcome(feedback, action) != LABEL:
        return
    scores, chance = state.scores[game], state.probabilities[game, action]
    if chance == 0.0:
        return  # somebody else chose the action
    wrong = best_other(scores, action)
    # With g = (e_wrong - e_action) (x) x / p and z = sqrt(p) g.
    along = (scores[wrong] - scores[action]) / chance
    spread = _spread(state, game, action, chance) + _spread(state, game, wrong, chance)
    margin = (chance * along * along + 2.0 * along) / (1.0 + spread)
    if leader(scores) != action or state.margins[game] + margin >= 0.0:
        state.margins[game] += margin
        state.gains[game] += _learn_row(state, game, action, chance, 1.0) + _learn_row(state, game, wrong, chance, -1.0)


@compiled
def _spread(state: SobaState, game: int, label: int, chance: float) -> float:
    """Return one row's part of ``z' A^-1 z``."""
    features, curvature, total = state.features[game], state.curvature[game, label], 0.0
    for i in range(features.shape[0]):
        total += features[i] * features[i] / curvature[i]
    return total / chance


@compiled
def _learn_row(state: SobaState, game: int, label: int, chance: float, sign: float) -> float:
    """Take the gradient's step in one row; return its part of ``z' A^-1 z`` after it."""
    features, curvature = state.features[game], state.curvature[game, label]
    theta, weights = state.theta[game, label], state.weights[game, label]
    for i in range(features.shape[0]):
        curvature[i] += features[i] * features[i] / chance
        theta[i] += sign * features[i] / chance
        weights[i] = theta[i] / curvature[i]
    return _spread(state, game, label, chance)


class SobaDiagonal(MulticlassLearner[SobaState]):
    """Explores around its leader, and after a right guess makes a second-order update against the best wrong label.

    It updates where the leader was wrong, and otherwise while the sum of the updates' margins does not become negative.

    Parameters
    ----------
    graph : FeedbackGraph
        One where each label reveals at least whether it was right, such as bandit feedback.
    horizon : int, optional
        T, for ``gamma = T^(-1/2)``.
    gamma : float, optional
        Exploration, in (0, 1].
    exploration : str
        ``"fixed"``: gamma. ``"adaptive"``: ``min(1, sqrt(K (1 + sum of z' A^-1 z) / t))`` in round t.
    regularisation : float
        The first curvature, above 0.
    seed : int
        Of its draws.

    Warnings
    --------
    Its curvature is diagonal, which the proof of the full matrix does not cover. With ``exploration="fixed"`` it must
    know the horizon, or a rate.

    References
    ----------
    Beygelzimer, Orabona, Zhang (2017), Efficient online bandit multiclass learning with O(sqrt T) regret, ICML.

    Examples
    --------
    >>> from learners import FeedbackGraph, SobaDiagonal
    >>> graph = FeedbackGraph.named("bandit", classes=4)
    >>> learner = SobaDiagonal(graph, gamma=0.2)
    >>> label, state = learner.predict({"features": [1.0], "feedback": [-1, -1, -1, -1], "action": [-1], "round": [0]})
    >>> state.probabilities
    array([[0.85, 0.05, 0.05, 0.05]])
    """

    name = "soba-diag"
    state_class = SobaState
    summary = "SOBA with a diagonal matrix: second-order Perceptron for bandit feedback"
    requires = ("graph",)
    welcomes = ("horizon",)

    def __init__(
        self,
        graph: FeedbackGraph,
        horizon: Annotated[int | None, "null: what the scenario tells"] = None,
        gamma: Annotated[float | None, "null: T^(-1/2)"] = None,
        exploration: Annotated[str, "fixed or adaptive"] = "fixed",
        regularisation: float = 1.0,
        seed: int = 0,
    ) -> None:
        self.graph = self_revealing(graph, self.name)
        self.classes, self.nodes = graph.classes, graph.nodes
        self.exploration = one_of("exploration", exploration, ("fixed", "adaptive"))
        if exploration == "adaptive" and gamma is not None:
            raise ValueError(f"gamma belongs to exploration='fixed', got gamma={gamma!r} for 'adaptive'")
        self.gamma = 1.0 if exploration == "adaptive" else exploration_of(self.name, gamma, horizon, -0.5)
        self.regularisation = finite_number("regularisation", regularisation, above=0.0)
        self.seed = count("seed", seed, maximum=LARGEST_SEED)
        self.parameters = {
            "graph": graph, "horizon": horizon, "gamma": gamma, "exploration": exploration,
            "regularisation": self.regularisation, "seed": self.seed,
        }  # fmt: skip

    def initial_state(self, games: int, dim: int) -> SobaState:
        """Return zero weights for each game."""
        shape = (games, self.classes, dim)
        return SobaState(
            **self._beginning(games, dim),
            curvature=np.full(shape, self.regularisation),
            theta=np.zeros(shape),
            gamma=np.full(games, self.gamma),
            adaptive=np.full(games, self.exploration == "adaptive"),
            margins=np.zeros(games),
            gains=np.zeros(games),
        )
