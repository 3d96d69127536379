"""The second-order perceptron on surrogate points: Algorithm 2 with weights that know how the points are spread."""

import math
from typing import NamedTuple

import numpy as np

from agents.costs import L2, Cost, L2Cost
from agents.foundation.checks import finite_length, finite_number
from agents.foundation.compiled import compiled
from agents.foundation.lanes import length
from agents.foundation.typing import Float
from learners.strategic.base import Learner
from learners.strategic.rules import concerns, learn, publish, rule_of, write_published
from learners.strategic.surrogates import write_surrogate


class SecondOrderState(NamedTuple):
    """What one game has learned.

    Attributes
    ----------
    weights : ndarray, shape (n, d)
        ``w = A^-1 b``, where A is the regularisation times the identity plus the sum of ``x~ x~^T`` over mistakes, and
        b the sum of ``y x~``.
    factor : ndarray, shape (n, d, d)
        U, upper triangular, with ``U^T U = A``.
    target : ndarray, shape (n, d)
        ``U w``.
    alpha : ndarray, shape (n, 1)
        How far individuals move.
    """

    weights: Float
    factor: Float
    target: Float
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
    surrogate = np.empty(features.shape[0])
    write_surrogate(L2, classifier, features, label, state.alpha[game], eps, surrogate)
    append_row(state.factor[game], state.target[game], surrogate, label)
    solve_triangular(state.factor[game], state.target[game], state.weights[game])
    return True


@compiled
def append_row(factor: Float, target: Float, row: Float, value: float) -> None:
    """Rotate one more equation ``row.w = value`` of a least-squares problem into its triangular form, in place.

    ``row`` (d,) is overwritten. Updates of ``A^-1`` itself would lose what is small in A.
    """
    d = row.shape[0]
    for i in range(d):
        diagonal = np.hypot(factor[i, i], row[i])
        cosine, sine = factor[i, i] / diagonal, row[i] / diagonal
        factor[i, i] = diagonal
        for j in range(i + 1, d):
            above = factor[i, j]
            factor[i, j] = cosine * above + sine * row[j]
            row[j] = cosine * row[j] - sine * above
        above = target[i]
        target[i] = cosine * above + sine * value
        value = cosine * value - sine * above


@compiled
def solve_triangular(factor: Float, target: Float, weights: Float) -> None:
    """Write the solution w of ``U w = target``, from the last row up."""
    d = target.shape[0]
    for i in range(d - 1, -1, -1):
        rest = target[i]
        for j in range(i + 1, d):
            rest -= factor[i, j] * weights[j]
        weights[i] = rest / factor[i, i]


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
        What A begins with, from 1e-40 to 1e40, in units of the features' squares. The larger it is, the closer the rule
        comes to Algorithm 2; the smaller, the closer w to the shortest least-squares solution of all ``w.x~ = y``.
        Less than about 1e-15 of the features' squares is lost in rounding once no w solves them all.

    Warnings
    --------
    Its surrogate points need not be separable where the true points are: five individuals in four dimensions show it. A
    round takes time, and a game memory, of order d^2, and it gains only once there are many more mistakes than
    dimensions.

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

    Examples
    --------
    >>> from agents import L2Cost
    >>> from learners import SecondOrderStrategicPerceptron, passes
    >>> learner, cost = SecondOrderStrategicPerceptron(alpha=0.5, regularisation=1.0), L2Cost(0.5)
    >>> training = passes.sweep(learner, [[-2.0, 0.0], [2.0, 0.0]], labels=[-1, 1], cost=cost)
    >>> training.updates, training.state.weights  # 2 / (1 + 2 * 2)
    (1, array([[0.4, 0. ]]))
    """

    name = "second-order-strategic-perceptron"
    state_class = SecondOrderState
    summary = "second-order perceptron on surrogate points, known l2 costs"
    requires = ("alpha",)
    cost = "l2"

    def __init__(self, alpha: float, regularisation: float = 0.1) -> None:
        self.alpha = finite_length("alpha", alpha)
        self.regularisation = finite_number("regularisation", regularisation, minimum=1e-40, maximum=1e40)
        self.parameters = {"alpha": self.alpha, "regularisation": self.regularisation}

    def initial_state(self, games: int, dim: int) -> SecondOrderState:
        """Return zero weights for each game."""
        factor = np.repeat(math.sqrt(self.regularisation) * np.eye(dim)[np.newaxis], games, axis=0)
        return SecondOrderState(
            weights=np.zeros((games, dim)),
            factor=factor,
            target=np.zeros((games, dim)),
            alpha=np.full((games, 1), self.alpha),
        )

    def believed_cost(self, state: SecondOrderState) -> Cost:
        """Return the cost that it was told."""
        return L2Cost(self.alpha)
