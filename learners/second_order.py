"""The second-order perceptron on surrogate points: Algorithm 2 with weights that know how the points are spread."""

from typing import NamedTuple

import numpy as np

from agents.boundary import dot, length
from agents.checks import finite_length, finite_number
from agents.costs import L2
from agents.typing import Float
from learners.base import Learner
from learners.rules import concerns, learn, publish, rule_of, write_published
from learners.surrogates import write_surrogate


class SecondOrderState(NamedTuple):
    """What one game has learned.

    Attributes
    ----------
    weights : ndarray, shape (n, d)
        ``A^-1 b``.
    inverse : ndarray, shape (n, d, d)
        ``A^-1``, where A is the regularisation times the identity plus the sum of ``x~ x~^T`` over mistakes.
    alpha : ndarray, shape (n, 1)
        How far individuals move.
    """

    weights: Float
    inverse: Float
    alpha: Float


@rule_of(SecondOrderState, concerns)
def _concerns(state: SecondOrderState, game: int, prediction: float, label: float) -> bool:
    return label != 0.0 and label != prediction


@rule_of(SecondOrderState, learn)
def _learn(
    state: SecondOrderState, game: int, features: Float, prediction: float, label: float, classifier: Float, eps: float
) -> bool:
    if label == 0.0 or label == prediction:
        return False
    d = features.shape[0]
    surrogate, direction = np.empty(d), np.empty(d)
    write_surrogate(L2, classifier, features, label, state.alpha[game], eps, surrogate)
    weights, inverse = state.weights[game], state.inverse[game]
    for i in range(d):
        direction[i] = dot(inverse[i], surrogate)
    stretch = 1.0 + dot(surrogate, direction)
    # Sherman and Morrison: the new A^-1 is A^-1 less the square of this direction, and A^-1 b follows it.
    step = (label - dot(weights, surrogate)) / stretch
    for i in range(d):
        weights[i] += step * direction[i]
        for j in range(d):
            inverse[i, j] -= direction[i] * direction[j] / stretch
    return True


@rule_of(SecondOrderState, publish)
def _publish(state: SecondOrderState, game: int, out: Float) -> None:
    weights = state.weights[game]
    write_published(weights, -state.alpha[game, 0] * length(weights), out)


class SecondOrderStrategicPerceptron(Learner[SecondOrderState]):
    """Algorithm 2 with the weights ``w = A^-1 b`` of the second-order perceptron on surrogate points.

    Every mistake adds ``y x~`` to b and ``x~ x~^T`` to A, which begins as ``regularisation`` times the identity. The
    classifier is ``w.x / |w| >= alpha`` as in Algorithm 2, and so is the surrogate point.

    Parameters
    ----------
    alpha : float
        How far an individual moves for the value of being accepted, at least 0.
    regularisation : float
        What A begins with, greater than 0, in units of the features' squares. The larger it is, the closer the rule
        comes to Algorithm 2.

    Notes
    -----
    *Proved*, for any true points, separable or not: with ``c(u)`` the hinge loss ``sum max(0, 1 - y u.x~)`` over the
    M mistakes' surrogate points, every u satisfies ``M <= c(u) + sqrt((u^T A u) ln(det A / regularisation^d))``. The
    proof of Cesa-Bianchi, Conconi and Gentile needs ``y w.x~ <= 0`` at every mistake, which Lemma 2 gives for any
    weights, since it concerns the individuals' responses alone.

    *Not proved*: that the surrogate points are separable where the true points are. Lemma 1 gives this as long as
    ``w.w* >= 0``. In Algorithm 2 w is a sum of surrogate points, so it holds by induction. Here
    ``w = sum c_i y_i x~_i`` with ``c = (regularisation I + K)^-1 1`` (K holds the products of the ``y_i x~_i``), and
    some ``c_i`` may be negative: five points in four dimensions lead to ``w.w* < 0`` and to a surrogate point on the
    wrong side of w* (``docs/beyond_the_paper.md``). So there is no bound in terms of the true points' margin.

    References
    ----------
    Cesa-Bianchi, Conconi, Gentile (2005), A second-order perceptron algorithm, SIAM Journal on Computing 34(3).
    """

    name = "second-order-strategic-perceptron"
    state_class = SecondOrderState
    summary = "second-order perceptron on surrogate points, known l2 costs"
    requires = ("alpha",)
    cost = "l2"

    def __init__(self, alpha: float, regularisation: float = 0.1) -> None:
        self.alpha = finite_length("alpha", alpha)
        self.regularisation = finite_number("regularisation", regularisation, above=0.0)
        self.parameters = {"alpha": self.alpha, "regularisation": self.regularisation}

    def initial_state(self, games: int, dim: int) -> SecondOrderState:
        """Return zero weights for each game."""
        inverse = np.repeat(np.eye(dim)[np.newaxis] / self.regularisation, games, axis=0)
        return SecondOrderState(np.zeros((games, dim)), inverse, np.full((games, 1), self.alpha))
