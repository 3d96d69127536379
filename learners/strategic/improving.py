"""The improving Perceptron: moving changes who people are, so that a mistake shows a true point near the bar."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from agents.costs import L2, reach
from agents.foundation.checks import finite_reaches, shown
from agents.foundation.lanes import dot, length
from agents.foundation.typing import Float, Int
from learners import bounds
from learners.strategic.base import Learner, Truth
from learners.strategic.phases import NO_WEIGHTS
from learners.strategic.rules import concerns, learn, publish, rule_of, stays_inside, write_published
from learners.strategic.surrogates import cost_of, has_the_reaches


class ImprovingState(NamedTuple):
    """What one game has learned.

    Attributes
    ----------
    weights : ndarray, shape (n, d)
    alpha : ndarray, shape (n, 1) or (n, d)
    norm : ndarray, shape (n,), int64
        2 for l2 costs, 1 for weighted l1 costs.
    """

    weights: Float
    alpha: Float
    norm: Int


rule_of(ImprovingState, stays_inside)(has_the_reaches)


@rule_of(ImprovingState, concerns)
def _concerns(state: ImprovingState, game: int, prediction: float, label: float) -> bool:
    return label != 0.0 and label != prediction


@rule_of(ImprovingState, learn)
def _learn(
    state: ImprovingState, game: int, features: Float, prediction: float, label: float, classifier: Float, eps: float
) -> bool:
    weights, size = state.weights[game], length(features)
    if label == 0.0 or label == prediction or size == 0.0:
        return False
    before = length(weights)
    # Without weights everybody is accepted: the first mistake is a negative.
    along = dot(weights, features) / size if before > 0.0 else -label * size
    for i in range(features.shape[0]):
        weights[i] -= along * (features[i] / size)
    if length(weights) <= NO_WEIGHTS * before:  # what is left of a w along x is rounding
        for i in range(features.shape[0]):
            weights[i] = 0.0
    return True


@rule_of(ImprovingState, publish)
def _publish(state: ImprovingState, game: int, out: Float) -> None:
    weights = state.weights[game]
    write_published(weights, -reach(state.norm[game], weights, state.alpha[game]) / 2.0, out)


class ImprovingPerceptron(Learner[ImprovingState]):
    """Accepts ``w.x >= reach(w) / 2``, and after a mistake takes away what w has along the report.

    For people whose true features follow their report, all of them, so that a report tells the truth when it is
    labelled. The bar stands half of the reach above w's hyperplane: whoever is accepted is as far above it, and whoever
    is rejected, since it was out of reach, as far below. So no mistake is near that hyperplane, and what is left of w
    is shorter by a fixed factor, while w.w* does not fall. It accepts everybody until its first mistake, on some
    negative x; then w is -x.

    Parameters
    ----------
    alpha : float or array_like, shape (d,)
        How far an individual moves for the value of being accepted: one number for l2 costs, one for each coordinate
        (or for all) for weighted l1 costs; at least 0.
    cost : str
        ``"l2"`` or ``"l1"``.
    improvement : float or array_like, shape (d,)
        Which share of a move changes the true features, too: nothing but 1 will do.

    Raises
    ------
    ValueError
        If moving improves people in part only: nothing is known of that.

    Warnings
    --------
    Moving must change all of the true features, for everybody, and everybody must be able to move: with a share below 1
    it refuses to play. It needs a hyperplane through the origin.

    Notes
    -----
    At most ``1 + 2 ln(R / gamma) / ln(1 + alpha^2 / (4 R^2))`` mistakes for l2 costs (`learners.bounds.improving_l2`;
    for l1 costs `learners.bounds.improving_l1`) on points that a hyperplane through the origin separates before they
    move, if every label is revealed. It is told neither R nor gamma.

    References
    ----------
    Blum, Frieze, Kannan, Vempala (1998), A polynomial-time algorithm for learning noisy linear threshold functions,
    for the step.

    Examples
    --------
    >>> import numpy as np
    >>> from learners import ImprovingPerceptron, passes
    >>> learner, start = ImprovingPerceptron(alpha=0.5), np.array([[0.6, -0.3]])
    >>> state = learner.initial_state(games=1, dim=2)._replace(weights=start)
    >>> mistake = {"features": [-0.1, -0.9], "prediction": [1.0], "label": [-1.0], "classifier": [0.6, -0.3, -0.17]}
    >>> _, state = learner.predict(mistake | {"round": [1.0]}, state)
    >>> state.weights.round(4)
    array([[ 0.6256, -0.0695]])
    """

    name = "improving-perceptron"
    only_mistakes = True
    state_class = ImprovingState
    summary = "for people whom moving improves: a mistake takes away what w has along the report"
    requires = ("alpha", "cost", "improvement")

    def __init__(self, alpha: ArrayLike, cost: str = "l2", improvement: ArrayLike = 1.0) -> None:
        if (finite_reaches("improvement", improvement, axes=1) != 1.0).any():
            raise ValueError(f"improvement must be 1 in every feature, got {shown(improvement)}")
        self._cost = cost_of(cost, alpha)
        self.parameters = {"alpha": self._cost.alpha.tolist(), "cost": cost, "improvement": 1.0}

    def initial_state(self, games: int, dim: int) -> ImprovingState:
        """Return zero weights for each game."""
        return ImprovingState(
            np.zeros((games, dim)),
            np.repeat(self._cost.budgets(dim), games, axis=0),
            np.full(games, self._cost.norm, dtype=np.int64),
        )

    def bound(self, truth: Truth, *, printed: bool = False) -> float | None:
        """Return the bound where moving improves people in all features, and all can move; else None."""
        game, told = truth.game_of("improvement"), self.parameters["cost"] == truth.cost
        if printed or not told or game is None or truth.intercept != 0.0 or not truth.one_cost or not all(truth.alpha):
            return None
        reaches = tuple(self._cost.budgets(truth.dim)[0].tolist())
        if reaches != truth.alpha or truth.improvement is None or set(truth.improvement) != {1.0}:
            return None
        if self._cost.norm == L2:
            return bounds.improving_l2(truth.radius, truth.margin, truth.alpha[0])
        return bounds.improving_l1(truth.radius, truth.margin, truth.alpha)
