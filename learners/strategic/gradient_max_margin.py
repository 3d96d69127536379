"""The first-order form of the strategic maximum-margin learner: one step on the segment to each new proxy."""

from typing import NamedTuple

import numpy as np

from agents.foundation.lanes import copy, dot
from agents.foundation.typing import Bool, Float, Int
from learners.separators.shortest_vector import write_member
from learners.strategic.max_margin import MaxMarginLearner
from learners.strategic.rules import learn, publish, rule_of, stays_inside
from learners.strategic.surrogates import has_the_reaches, write_constant, write_raised, write_surrogate


class GradientMaxMarginState(NamedTuple):
    """What one game keeps.

    Attributes
    ----------
    weights : ndarray, shape (n, d)
    intercept : ndarray, shape (n,)
        Without the raise for manipulation.
    positive, negative : ndarray, shape (n, d)
        A weighted mean of the positive and of the negative proxies; the weights are their difference. Without an
        intercept it is their sums, with shares that add up to 1 together.
    seen : ndarray, shape (n, 2), bool
        Whether there has been a negative individual, and a positive one.
    alpha : ndarray, shape (n, 1) or (n, d)
    norm : ndarray, shape (n,), int64
        2 for l2 costs, 1 for weighted l1 costs.
    bias : ndarray, shape (n,), bool
    """

    weights: Float
    intercept: Float
    positive: Float
    negative: Float
    seen: Bool
    alpha: Float
    norm: Int
    bias: Bool


rule_of(GradientMaxMarginState, stays_inside)(has_the_reaches)


@rule_of(GradientMaxMarginState, learn)
def _learn(
    state: GradientMaxMarginState,
    game: int,
    features: Float,
    prediction: float,
    label: float,
    classifier: Float,
    eps: float,
) -> bool:
    if label == 0.0:
        return False
    d = features.shape[0]
    positive, negative, seen, bias = state.positive[game], state.negative[game], state.seen[game], state.bias[game]
    side, same, other = (1, positive, negative) if label > 0.0 else (0, negative, positive)
    proxy, path = np.empty(d), np.empty(d)
    write_surrogate(state.norm[game], classifier, features, label, state.alpha[game], eps, proxy)
    first = not seen[side]
    alone = first and (bias or not seen[1 - side])
    seen[side] = True
    if alone:
        copy(proxy, same)
    elif bias and not seen[1 - side]:
        return first
    else:
        for i in range(d):
            path[i] = (label * same[i] if bias else state.weights[game, i]) - label * proxy[i]
        along = dot(state.weights[game], path)
        if along <= 0.0:
            return first  # the first of a side ends a constant classifier, even if it changes no weight
        share = min(1.0, along / dot(path, path))
        for i in range(d):
            same[i] += share * (proxy[i] - same[i])
            other[i] *= 1.0 if bias else 1.0 - share
    write_member(positive - negative, state.norm[game], state.weights[game])
    if bias:
        state.intercept[game] = -(dot(state.weights[game], positive) + dot(state.weights[game], negative)) / 2.0
    return True


@rule_of(GradientMaxMarginState, publish)
def _publish(state: GradientMaxMarginState, game: int, out: Float) -> None:
    negative, positive = state.seen[game, 0], state.seen[game, 1]
    if negative and (positive or not state.bias[game]):
        write_raised(state.weights[game], state.intercept[game], state.norm[game], state.alpha[game], out)
    else:
        write_constant(not negative, out)


class GradientMaxMargin(MaxMarginLearner[GradientMaxMarginState]):
    """Moves its weights to the shortest vector on the way to each new proxy, and keeps nothing else.

    That is the first step that `StrategicMaxMargin` would take, in constant memory and a time proportional to d. It
    approaches the maximum margin from below, slowly (the method of Gilbert, or of Frank and Wolfe with an exact step).

    Parameters
    ----------
    alpha : float or array_like, shape (d,)
        How far an individual moves for the value of being accepted: one number for l2 costs, one for each coordinate
        (or for all) for weighted l1 costs; at least 0.
    cost : str
        ``"l2"`` or ``"l1"``.
    bias : bool
        Learn an intercept.

    Warnings
    --------
    Where no hyperplane separates the true points nothing is promised, as for `StrategicMaxMargin`; and it comes to a
    narrow margin slowly.

    Notes
    -----
    *Proved*: the bounds of `StrategicMaxMargin`, by the same proof. *Measured only*: that it usually errs more often
    than `StrategicMaxMargin` and less often than Algorithm 2.

    References
    ----------
    Shen, Ho-Nguyen, Giang-Tran, Kilinc-Karzan (2024), arXiv:2403.18176: their first-order learner goes over all proxies
    in each round, with steps ``1 / sqrt t``.
    Gilbert (1966), An iterative procedure for computing the minimum of a quadratic form on a convex set.

    Examples
    --------
    >>> from agents import WeightedL1Cost
    >>> from learners import GradientMaxMargin, passes
    >>> learner, cost = GradientMaxMargin(0.5, cost="l1", bias=True), WeightedL1Cost(0.5)
    >>> training = passes.sweep(learner, [[0.0, 0.0], [2.0, 0.0]], labels=[-1, 1], cost=cost)
    >>> training.updates, training.state.weights, training.state.intercept  # x_1 >= 1, before the raise
    (2, array([[2., 0.]]), array([-2.]))
    """

    name = "gradient-max-margin"
    state_class = GradientMaxMarginState
    summary = "maximum-margin learner in constant memory: one step to each new surrogate point"

    def initial_state(self, games: int, dim: int) -> GradientMaxMarginState:
        """Return the state of each game in which nobody has been seen."""
        return GradientMaxMarginState(
            weights=np.zeros((games, dim)),
            intercept=np.zeros(games),
            positive=np.zeros((games, dim)),
            negative=np.zeros((games, dim)),
            seen=np.zeros((games, 2), dtype=np.bool_),
            alpha=self._budgets(games, dim),
            norm=np.full(games, self._cost.norm, dtype=np.int64),
            bias=np.full(games, self.bias),
        )
