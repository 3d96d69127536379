"""Online gradient descent on the hinge loss of surrogate points: for individuals whom no hyperplane separates."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from agents.costs import L1
from agents.foundation.checks import finite_length
from agents.foundation.lanes import dot
from agents.foundation.typing import Bool, Float, Int
from learners.strategic.rules import learn, publish, rule_of, stays_inside
from learners.strategic.surrogates import SurrogateLearner, has_the_reaches, write_raised, write_surrogate

# Steps are this share of the ball's radius over the root of the gradients' squares. The bound is smallest at sqrt 2
# (five eighths of what it is at 1/2), but steps of 1/2 err less often on every stream that was measured.
STEP = 0.5


class GradientState(NamedTuple):
    """What one game has learned.

    Attributes
    ----------
    weights : ndarray, shape (n, d)
    intercept : ndarray, shape (n,)
        Without the raise for manipulation.
    squares : ndarray, shape (n,)
        Sum of the squared norms of all gradients so far.
    largest_norm : ndarray, shape (n,)
        Radius of the ball that holds ``[w, b]``.
    alpha : ndarray, shape (n, 1) or (n, d)
    norm : ndarray, shape (n,), int64
        2 for l2 costs, 1 for weighted l1 costs.
    bias : ndarray, shape (n,), bool
    """

    weights: Float
    intercept: Float
    squares: Float
    largest_norm: Float
    alpha: Float
    norm: Int
    bias: Bool


rule_of(GradientState, stays_inside)(has_the_reaches)


@rule_of(GradientState, learn)
def _learn(
    state: GradientState, game: int, features: Float, prediction: float, label: float, classifier: Float, eps: float
) -> bool:
    if label == 0.0:
        return False
    d = features.shape[0]
    weights, fake = state.weights[game], 1.0 if state.bias[game] else 0.0
    surrogate = np.empty(d)
    write_surrogate(state.norm[game], classifier, features, label, state.alpha[game], eps, surrogate)
    if label * (dot(weights, surrogate) + state.intercept[game]) >= 1.0:
        return False
    state.squares[game] += dot(surrogate, surrogate) + fake
    if state.squares[game] == 0.0:
        return False  # everything was 0 so far
    step = label * STEP * state.largest_norm[game] / math.sqrt(state.squares[game])
    for i in range(d):
        weights[i] += step * surrogate[i]
        if state.norm[game] == L1:
            weights[i] = max(0.0, weights[i])
    state.intercept[game] += step * fake
    size = math.sqrt(dot(weights, weights) + state.intercept[game] * state.intercept[game])
    if size > state.largest_norm[game]:
        shrink = state.largest_norm[game] / size
        for i in range(d):
            weights[i] *= shrink
        state.intercept[game] *= shrink
    return True


@rule_of(GradientState, publish)
def _publish(state: GradientState, game: int, out: Float) -> None:
    write_raised(state.weights[game], state.intercept[game], state.norm[game], state.alpha[game], out)


class StrategicGradient(SurrogateLearner[GradientState]):
    """Descends on the hinge loss ``max(0, 1 - y (w.x~ + b))`` of each surrogate point, in a ball of fixed radius.

    A round with a loss adds ``eta y x~`` to w (and ``eta y`` to b), where eta is half the ball's radius over the root
    of the sum of all squared gradients so far; weighted l1 costs then raise negative weights to 0, and ``[w, b]`` is
    shortened to the radius where it is longer. The published classifier is raised by what individuals can reach.

    Parameters
    ----------
    alpha : float or array_like, shape (d,)
        How far an individual moves for the value of being accepted: one number for l2 costs, one for each coordinate
        (or for all) for weighted l1 costs; at least 0.
    cost : str
        ``"l2"`` or ``"l1"``.
    bias : bool
        Learn an intercept.
    largest_norm : float
        D, the largest norm of ``[w, b]``, from 1e-100 to 1e100. A separator of margin gamma has norm ``1 / gamma``
        where its hinge losses are all 0, so D competes with separators of margin ``1 / D``.

    Warnings
    --------
    It competes with separators of margin ``1 / largest_norm`` only; `AdaptiveGradient` needs no such number. It has no
    bound in terms of the true points, not even where a hyperplane separates them.

    Notes
    -----
    *Proved*, for any individuals: with ``G^2`` the sum of the squared gradients, the mistakes satisfy
    ``M <= sum_t max(0, 1 - y_t (u.x~_t + c)) + 4.5 D G`` for every ``|[u, c]| <= D`` (with ``u >= 0`` for l1 costs).
    A mistake has ``y (w.x~ + b) <= 0``, by Lemma 2, hence a hinge loss of at least 1; and the regret of gradient
    descent with steps ``s D / G_t`` in a ball of diameter 2D is at most ``(2 / s + s) D G``. As ``G <= X sqrt T`` for
    surrogate points no longer than X, the mistakes' rate approaches the best average hinge loss.

    *Remark of the paper worked out*: for Algorithm 2 itself, summing over its M mistakes only,
    ``M - sum hinge(u) <= u.w <= |u| R sqrt M``, since Lemma 2 and ``|x~| <= R`` need no separator. So
    ``M <= (|u| R / 2 + sqrt(|u|^2 R^2 / 4 + L))^2`` with L the hinge loss of any u on those surrogate points.

    *Not proved*: anything about the true points. Surrogate points depend on what was published, and on inseparable data
    they may be worse than the true points (the paper's second open problem).

    References
    ----------
    Zinkevich (2003), Online convex programming and generalized infinitesimal gradient ascent.
    Streeter, McMahan (2010), Less regret via online conditioning, for the step sizes.

    Examples
    --------
    >>> from agents import L2Cost
    >>> from learners import StrategicGradient, passes
    >>> learner, cost = StrategicGradient(alpha=0.5, largest_norm=4.0), L2Cost(0.5)
    >>> training = passes.sweep(learner, [[-2.0, 0.0], [2.0, 0.0]], labels=[-1, 1], cost=cost)
    >>> training.updates, training.state.weights  # eta is 4 / 2 / 2
    (1, array([[2., 0.]]))
    """

    name = "strategic-gradient"
    state_class = GradientState
    summary = "online gradient descent on the hinge loss of surrogate points, for inseparable data"

    def __init__(self, alpha: ArrayLike, cost: str = "l2", bias: bool = False, largest_norm: float = 5.0) -> None:
        super().__init__(alpha, cost, bias)
        self.largest_norm = finite_length("largest_norm", largest_norm, above=0.0)
        self.parameters["largest_norm"] = self.largest_norm

    def initial_state(self, games: int, dim: int) -> GradientState:
        """Return zero weights for each game."""
        return GradientState(
            weights=np.zeros((games, dim)),
            intercept=np.zeros(games),
            squares=np.zeros(games),
            largest_norm=np.full(games, self.largest_norm),
            alpha=self._budgets(games, dim),
            norm=np.full(games, self._cost.norm, dtype=np.int64),
            bias=np.full(games, self.bias),
        )
