"""The strategic maximum-margin learner: the widest separator of the surrogate points (proxies) seen so far.

The weights are the shortest vector of a convex set, the normal of the widest separator
(`learners.separators.shortest_vector`).

The proof is the same in all four cases. (1) ``w.w* > 0``, since w* has a positive product with every member of the
set (for l1, as ``w* >= 0``): so Lemma 1 holds, and w* separates the proxies as it separates the true points. (2) Hence
``|w|`` stays at least gamma (2 gamma with an intercept). (3) On a mistake ``y (w.s + b) <= 0`` (Lemma 2), and the
segment from w to the new proxy alone holds a vector w' with ``1/|w'|^2 >= 1/|w|^2 + 1/D^2``, where no mistake's proxy
is longer than D (with an intercept ``1/(4 D^2)``, where D is the proxies' diameter). (4) Nothing ever lengthens w.
Together these bound the mistakes. An exact solution is not needed: a step along that segment, then any shorter w.
"""

from typing import NamedTuple

import numpy as np

from agents.foundation.compiled import compiled
from agents.foundation.lanes import copy, dot
from agents.foundation.typing import Bool, Float, Int
from learners import bounds
from learners.separators.shortest_vector import PRECISION, free_row, shorten, step_towards
from learners.strategic.base import Truth
from learners.strategic.rules import learn, publish, rule_of, stays_inside
from learners.strategic.surrogates import (
    State,
    SurrogateLearner,
    has_the_reaches,
    write_constant,
    write_raised,
    write_surrogate,
)


class MaxMarginState(NamedTuple):
    """What one game keeps.

    Attributes
    ----------
    weights : ndarray, shape (n, d)
        The shortest vector.
    intercept : ndarray, shape (n,)
        Without the raise for manipulation.
    points : ndarray, shape (n, 2 d + 4, d)
        Proxies.
    labels : ndarray, shape (n, 2 d + 4)
        Theirs; 0 marks an empty row.
    shares : ndarray, shape (n, 2 d + 4)
        Of each proxy in the shortest vector: they add up to 1 over all proxies, or over each label with an intercept.
    alpha : ndarray, shape (n, 1) or (n, d)
    norm : ndarray, shape (n,), int64
        2 for l2 costs, 1 for weighted l1 costs.
    bias : ndarray, shape (n,), bool
    """

    weights: Float
    intercept: Float
    points: Float
    labels: Float
    shares: Float
    alpha: Float
    norm: Int
    bias: Bool


rule_of(MaxMarginState, stays_inside)(has_the_reaches)


@rule_of(MaxMarginState, learn)
def _learn(
    state: MaxMarginState, game: int, features: Float, prediction: float, label: float, classifier: Float, eps: float
) -> bool:
    if label == 0.0:
        return False
    labels, shares, points, weights = state.labels[game], state.shares[game], state.points[game], state.weights[game]
    norm, bias, intercept = state.norm[game], state.bias[game], state.intercept[game]
    proxy = np.empty(features.shape[0])
    write_surrogate(norm, classifier, features, label, state.alpha[game], eps, proxy)
    if holds(labels, label):
        # With an intercept, the first of each label have to do until there are both.
        widest = dot(weights, weights) / (2.0 if bias else 1.0)
        wide = label * (dot(weights, proxy) + intercept) >= (1.0 - PRECISION) * widest
        if wide or (bias and not holds(labels, -label)):
            return False
    row = free_row(labels, shares, points, weights, intercept)
    copy(proxy, points[row])
    labels[row] = label
    step_towards(labels, shares, points, weights, bias, row)
    state.intercept[game] = shorten(labels, shares, points, weights, norm, bias)
    return True


@rule_of(MaxMarginState, publish)
def _publish(state: MaxMarginState, game: int, out: Float) -> None:
    negative, positive = holds(state.labels[game], -1.0), holds(state.labels[game], 1.0)
    if negative and (positive or not state.bias[game]):
        write_raised(state.weights[game], state.intercept[game], state.norm[game], state.alpha[game], out)
    else:
        write_constant(not negative, out)


@compiled
def holds(labels: Float, label: float) -> bool:
    """Whether a proxy of this label is kept."""
    for row in range(labels.shape[0]):
        if labels[row] == label:
            return True
    return False


class MaxMarginLearner(SurrogateLearner[State]):
    """What the two maximum-margin learners share: their bound."""

    def bound(self, truth: Truth, *, printed: bool = False) -> float | None:
        """Return the maximum-margin learners' bound; None as printed, or where its assumptions fail."""
        game = truth.game_of()
        if printed or game is None or not self._applies(game):
            return None
        if self.bias:
            return bounds.max_margin_with_bias(game.radius, game.margin, max(game.alpha))
        if game.cost == "l2":
            return bounds.max_margin_l2(game.radius, game.margin)
        return bounds.max_margin_l1(game.radius, game.margin, max(game.alpha))


class StrategicMaxMargin(MaxMarginLearner[MaxMarginState]):
    """Publishes the maximum-margin separator of its proxies, raised by what individuals can reach.

    It accepts everybody until the first negative individual; with an intercept, then nobody until the first positive
    one. A proxy is kept, and the separator solved for again (to 1%), only if its margin falls short of the present one;
    ``2 d + 4`` are kept at most, twice as many as a widest separator rests on.

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
    Where no hyperplane separates the true points, its weights vanish and nothing is promised: with an intercept it errs
    in half of the rounds of Example 3. A round with a new proxy takes time of order d^2.

    Notes
    -----
    *Proved* (this module's docstring), if every label is revealed: at most ``R^2 / gamma^2`` mistakes, as Algorithm 2,
    where a hyperplane through the origin separates the true points; with an intercept at most
    ``4 (R + alpha)^2 / gamma^2 - 2`` for a hyperplane anywhere, where Theorem 4 has a cube. Weighted l1 costs need
    ``w* >= 0``. Where no hyperplane separates the true points, the hulls meet, w vanishes, and nothing is promised.

    References
    ----------
    Shen, Ho-Nguyen, Giang-Tran, Kilinc-Karzan (2024), arXiv:2403.18176, for the learner.
    Mitchell, Dem'yanov, Malozemov (1974), Finding the point of a polyhedron closest to the origin.

    Examples
    --------
    >>> from agents import L2Cost
    >>> from learners import StrategicMaxMargin, passes
    >>> learner, cost = StrategicMaxMargin(alpha=0.5, bias=True), L2Cost(0.5)
    >>> training = passes.sweep(learner, [[0.0, 0.0], [2.0, 0.0]], labels=[-1, 1], cost=cost)
    >>> training.updates, training.state.weights, training.state.intercept  # x_1 >= 1, before the raise
    (2, array([[2., 0.]]), array([-2.]))
    """

    name = "strategic-max-margin"
    state_class = MaxMarginState
    summary = "maximum-margin separator of the surrogate points, known l2 or weighted l1 costs"

    def initial_state(self, games: int, dim: int) -> MaxMarginState:
        """Return the state of each game without proxies."""
        rows = 2 * dim + 4
        return MaxMarginState(
            weights=np.zeros((games, dim)),
            intercept=np.zeros(games),
            points=np.zeros((games, rows, dim)),
            labels=np.zeros((games, rows)),
            shares=np.zeros((games, rows)),
            alpha=self._budgets(games, dim),
            norm=np.full(games, self._cost.norm, dtype=np.int64),
            bias=np.full(games, self.bias),
        )
