"""The Strategic Perceptron: raise the bar by what individuals can reach, learn from surrogate points.

Algorithm 2 (l2 costs), Algorithm 3 (weighted l1 costs) and its form with an intercept (Section 7).
"""

import math
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from agents.boundary import scale
from agents.costs import L1, L2, Cost, L2Cost, WeightedL1Cost, farthest, steepest
from agents.foundation.checks import finite_length, finite_reaches, flag, one_of
from agents.foundation.compiled import compiled
from agents.foundation.lanes import copy, dot, length
from agents.foundation.typing import Bool, Float
from learners import bounds
from learners.strategic.base import Learner, Truth
from learners.strategic.rules import concerns, learn, publish, rule_of, write_published
from learners.strategic.surrogates import may_have_moved, subtract_pull, write_raised, write_surrogate

# Whose surrogate points differ from their reports: negatives accepted on the boundary, or all that are accepted.
SURROGATES = ("boundary", "always")


class StrategicL2State(NamedTuple):
    """What one game has learned.

    Attributes
    ----------
    weights : ndarray, shape (n, d)
    alpha : ndarray, shape (n,)
    nonnegative, always : ndarray, shape (n,), bool
        Whether weights are kept at 0 or more, and whether every accepted negative is taken for a mover.
    """

    weights: Float
    alpha: Float
    nonnegative: Bool
    always: Bool


@rule_of(StrategicL2State, concerns)
def _concerns_l2(state: StrategicL2State, game: int, prediction: float, label: float) -> bool:
    return label != 0.0 and label != prediction


@rule_of(StrategicL2State, learn)
def _learn_l2(
    state: StrategicL2State, game: int, features: Float, prediction: float, label: float, classifier: Float, eps: float
) -> bool:
    if label == 0.0 or label == prediction:
        return False
    d = features.shape[0]
    surrogate, weights = np.empty(d), state.weights[game]
    if state.always[game]:
        copy(features, surrogate)
        if label < 0.0 and scale(classifier)[1] > 0.0:
            subtract_pull(L2, classifier, state.alpha[game : game + 1], surrogate)
    else:
        write_surrogate(L2, classifier, features, label, state.alpha[game : game + 1], eps, surrogate)
    for i in range(d):
        weights[i] += label * surrogate[i]
        if state.nonnegative[game]:
            weights[i] = max(0.0, weights[i])
    return True


@rule_of(StrategicL2State, publish)
def _publish_l2(state: StrategicL2State, game: int, out: Float) -> None:
    weights = state.weights[game]
    write_published(weights, -state.alpha[game] * length(weights), out)


class StrategicPerceptronL2(Learner[StrategicL2State]):
    """Algorithm 2: accepts ``w.x / |w| >= alpha``; a rejected-worthy mover is learned from where it may have come.

    A negative individual accepted on the boundary may have moved by up to alpha, so its surrogate point
    ``x - alpha w / |w|`` is subtracted (Definition 1); every other mistake adds ``y x``.

    Parameters
    ----------
    alpha : float
        How far an individual moves for the value of being accepted, at least 0.
    nonnegative : bool
        Raise negative weights to 0 after every mistake: for separators without negative weights, where moving some
        features improves whoever moves.
    surrogate : str
        ``"boundary"``: as printed, only negatives on the boundary may have moved. ``"always"``: every accepted
        negative may have, as where people overshoot.

    Warnings
    --------
    Where no hyperplane separates the true points nothing is promised: on Example 3 it errs in every round. Where only
    the accepted are labelled it never hears of a wrongly rejected individual, and may reject for ever (`AcceptedOnlyL2`
    explores). An alpha above the true one, or more than half the margin below it, voids the bound.

    Notes
    -----
    At most ``R^2 |w*|^2`` mistakes (Theorem 1, sharpened) on true points that a hyperplane through the origin
    separates, if every label is revealed. The same bound holds where moving improves whoever moves, if it improves all
    features alike, or w* has no negative weight and ``nonnegative`` is set; and with ``surrogate="always"`` for people
    who overshoot within their budget. Told D rounds late, it makes at most ``1 + 2 D`` times as many mistakes.

    References
    ----------
    Ahmadi, Beyhaghi, Blum, Naggita (2021), The Strategic Perceptron, EC: Algorithm 2, Theorem 1.

    Examples
    --------
    The first mistake leads to ``w = (2, 0)``; the second individual then moves to (1, -2), which counts as (0, -2):

    >>> from agents import L2Cost
    >>> from learners import StrategicPerceptronL2, passes
    >>> learner, cost = StrategicPerceptronL2(alpha=1.0), L2Cost(1.0)
    >>> training = passes.sweep(learner, [[-2.0, 0.0], [0.5, -2.0]], labels=[-1, -1], cost=cost)
    >>> training.updates, training.state.weights
    (2, array([[2., 2.]]))
    """

    name = "strategic-perceptron-l2"
    only_mistakes = True
    state_class = StrategicL2State
    summary = "Strategic Perceptron for known l2 costs (Algorithm 2)"
    requires = ("alpha",)
    cost = "l2"

    def __init__(
        self,
        alpha: float,
        *,
        nonnegative: bool = False,
        surrogate: Annotated[str, "boundary or always"] = "boundary",
    ) -> None:
        self.alpha = finite_length("alpha", alpha)
        self.nonnegative = flag("nonnegative", nonnegative)
        self.always = one_of("surrogate", surrogate, SURROGATES) == "always"
        chosen = {"nonnegative": self.nonnegative, "surrogate": surrogate}
        usual = {"nonnegative": False, "surrogate": "boundary"}
        self.parameters = {"alpha": self.alpha} | {key: chosen[key] for key in chosen if chosen[key] != usual[key]}

    def initial_state(self, games: int, dim: int) -> StrategicL2State:
        """Return zero weights for each game."""
        return StrategicL2State(
            np.zeros((games, dim)),
            np.full(games, self.alpha),
            np.full(games, self.nonnegative),
            np.full(games, self.always),
        )

    def believed_cost(self, state: StrategicL2State) -> Cost:
        """Return the cost that it was told."""
        return L2Cost(float(state.alpha[0]))

    def bound(self, truth: Truth, *, printed: bool = False) -> float | None:
        """Return Theorem 1's bound, or Corollary 1's where alphas lie in ``[alpha, alpha + gamma/2]``; else None."""
        game = truth.game_of("response", "improvement", "delay")
        if game is None or truth.cost != "l2" or truth.intercept != 0.0 or (self.nonnegative and not truth.nonnegative):
            return None
        least, largest = min(game.alpha_min or game.alpha), max(game.alpha)
        if game != game.game_of():
            told = least == largest == self.alpha and not printed
            return self._bound_beyond(game) if told else None
        if least == largest == self.alpha:
            return bounds.strategic_l2(truth.radius, truth.margin, self.alpha, printed=printed)
        if self.alpha <= least and largest - self.alpha <= truth.margin / 2.0 * (1.0 + bounds.RELATIVE_SLACK):
            return bounds.estimated_alpha_l2(truth.radius, truth.margin, self.alpha, printed=printed)
        return None

    def _bound_beyond(self, truth: Truth) -> float | None:
        """Return the bound where people improve or overshoot, or the learner is told late; None where none is known."""
        if truth.delay:
            return bounds.delayed_l2(truth.radius, truth.margin, truth.delay)
        improving = truth.improvement is not None and (self.nonnegative or len(set(truth.improvement)) == 1)
        overshooting = truth.response == "miss" and truth.miss[0] >= 0.0 and self.always
        if improving or overshooting:
            return bounds.strategic_l2(truth.radius, truth.margin, self.alpha)
        return None


class StrategicL1State(NamedTuple):
    """What one game has learned.

    Attributes
    ----------
    weights : ndarray, shape (n, d)
    intercept : ndarray, shape (n,)
    alpha : ndarray, shape (n, d)
    radius : ndarray, shape (n,)
    fake : ndarray, shape (n,)
        Value of the fake coordinate: 1 with an intercept, else 0.
    scale_free, literal : ndarray, shape (n,), bool
    """

    weights: Float
    intercept: Float
    alpha: Float
    radius: Float
    fake: Float
    scale_free: Bool
    literal: Bool


@compiled
def scale_free_step(norm: float, size: float) -> float:
    """Return the step that breaks ties, proportional to the data: ``size^2 / (4 |w| + 4 size)``.

    ``size`` is what no surrogate point is longer than. The step adds at most ``0.5625 size^2`` to ``|w|^2``.
    """
    return size * size / (4.0 * (norm + size)) if size > 0.0 else 0.0


@rule_of(StrategicL1State, concerns)
def _concerns_l1(state: StrategicL1State, game: int, prediction: float, label: float) -> bool:
    return (label != 0.0 and label != prediction) or bool(state.literal[game])


@rule_of(StrategicL1State, learn)
def _learn_l1(
    state: StrategicL1State, game: int, features: Float, prediction: float, label: float, classifier: Float, eps: float
) -> bool:
    d = features.shape[0]
    weights, alpha, fake, literal = state.weights[game], state.alpha[game], state.fake[game], state.literal[game]
    norm = math.sqrt(dot(weights, weights) + state.intercept[game] * state.intercept[game])
    step = 0.0 if label == prediction else label
    # As printed, Algorithm 3 corrects and breaks ties in every round, and Section 7 corrects the fake coordinate.
    if step == 0.0 and not (literal and fake == 0.0 and norm > 0.0):
        return False
    reach_scale = farthest(alpha)
    size = state.radius[game] + fake + reach_scale
    eta = scale_free_step(norm, size) if state.scale_free[game] else 1.0 / (4.0 * norm + 8.0 * size + 2.0)
    surrogate = features.copy()
    if may_have_moved(classifier, features, label, reach_scale, eps):
        subtract_pull(L1, classifier, alpha, surrogate)
    for i in range(d):
        # Correction: no weight below 0, so that nobody gains by making a feature worse.
        weights[i] = max(0.0, weights[i] + step * surrogate[i])
    state.intercept[game] += step * fake
    if literal:
        state.intercept[game] = max(0.0, state.intercept[game])
    # Tie-break: a unique best direction, so that it is known along which coordinate movers moved.
    favourite = steepest(weights, alpha)
    if favourite >= 0:
        weights[favourite] += eta
    return True


@rule_of(StrategicL1State, publish)
def _publish_l1(state: StrategicL1State, game: int, out: Float) -> None:
    write_raised(state.weights[game], state.intercept[game], L1, state.alpha[game], out)


class StrategicPerceptronL1(Learner[StrategicL1State]):
    """Algorithm 3: accepts ``w.x >= max alpha_i w_i`` and keeps ``w >= 0`` with a unique best direction to move.

    On a mistake: add ``y x~`` (a negative individual on the boundary counts as ``x - alpha_i e_i``, Definition 2),
    raise negative weights to 0, then add eta to the weight with the largest ``alpha_i w_i`` (the lowest index among
    ties, movable coordinates only), with ``eta = 1 / (4 |w| + 8 (R + max alpha) + 2)`` and |w| before the update.

    Parameters
    ----------
    alpha : float or array_like, shape (d,)
        How far each coordinate moves for the value of being accepted, at least 0.
    radius : float
        R, the largest norm of true features.
    scale_free : bool
        Break ties with ``eta = (R + max alpha)^2 / (4 |w| + 4 (R + max alpha))``, so that the unit in which features
        are measured does not matter. Not in the paper.
    literal : bool
        Correct and break ties in every round, as printed: then mistakes may never end.

    Warnings
    --------
    A separator with a negative weight is out of reach: no weight falls below 0. Where only the accepted are labelled it
    may reject for ever. ``literal=True`` drifts, and never ceases to err on two individuals (Theorem 2 as printed).

    Notes
    -----
    At most ``(1 + (R + max alpha)^2) |w*|^2`` mistakes (Theorem 2, sharpened) on true points that a hyperplane through
    the origin separates whose weights are not negative, if every label is revealed; ``scale_free`` at most
    ``1.5625 (R + max alpha)^2 |w*|^2``.

    References
    ----------
    Ahmadi, Beyhaghi, Blum, Naggita (2021), The Strategic Perceptron, EC: Algorithm 3, Theorem 2.

    Examples
    --------
    >>> from agents import WeightedL1Cost
    >>> from learners import StrategicPerceptronL1, passes
    >>> learner, cost = StrategicPerceptronL1(alpha=[1.0, 0.0], radius=2.0), WeightedL1Cost([1.0, 0.0])
    >>> training = passes.sweep(learner, [[-2.0, 0.0], [1.0, 1.0]], labels=[-1, 1], cost=cost)
    >>> training.updates, training.state.weights.round(3)  # eta is 1 / 26
    (1, array([[2.038, 0.   ]]))
    """

    name = "strategic-perceptron-l1"
    only_mistakes = True
    state_class = StrategicL1State
    summary = "Strategic Perceptron for known weighted l1 costs (Algorithm 3)"
    requires = ("alpha", "radius")
    cost = "l1"
    fake = 0.0

    def __init__(self, alpha: ArrayLike, radius: float, *, scale_free: bool = False, literal: bool = False) -> None:
        self._cost = WeightedL1Cost(finite_reaches("alpha", alpha, axes=1))
        self.radius = finite_length("radius", radius)
        self.scale_free, self.literal = flag("scale_free", scale_free), flag("literal", literal)
        self.parameters = {
            "alpha": self._cost.alpha.tolist(), "radius": self.radius,
            "scale_free": self.scale_free, "literal": self.literal,
        }  # fmt: skip

    def initial_state(self, games: int, dim: int) -> StrategicL1State:
        """Return zero weights for each game.

        Raises
        ------
        ValueError
            If alpha has another number of coordinates.
        """
        return StrategicL1State(
            np.zeros((games, dim)),
            np.zeros(games),
            np.repeat(self._cost.budgets(dim), games, axis=0),
            np.full(games, self.radius),
            np.full(games, self.fake),
            np.full(games, self.scale_free),
            np.full(games, self.literal),
        )

    def believed_cost(self, state: StrategicL1State) -> Cost:
        """Return the cost that it was told."""
        return WeightedL1Cost(state.alpha[0].tolist())

    def bound(self, truth: Truth, *, printed: bool = False) -> float | None:
        """Return Theorem 2's bound; None for other costs, negative weights of w* or a hyperplane off the origin."""
        # Where moving improves people by a separator without negative weights, nobody of label +1 is harmed.
        game = truth.game_of("improvement")
        if game is None or not self._applies(game) or truth.intercept != 0.0:
            return None
        truth = game
        if self.scale_free:
            return None if printed else bounds.strategic_l1_scale_free(self.radius, truth.margin, max(truth.alpha))
        return bounds.strategic_l1(truth.radius, truth.margin, max(truth.alpha), truth.dim, printed=printed)

    def _applies(self, truth: Truth) -> bool:
        told = truth.cost == "l1" and not self.literal and bool((self._cost.budgets(truth.dim)[0] == truth.alpha).all())
        return told and truth.one_cost and truth.nonnegative and self.radius >= truth.radius


class BiasedL1(StrategicPerceptronL1):
    """Algorithm 3 with an intercept (Section 7): the weight of a fake coordinate 1 that nobody can move.

    The fake coordinate is neither corrected nor chosen as a direction, so intercepts may be negative.

    Parameters
    ----------
    alpha : float or array_like, shape (d,)
        As for `StrategicPerceptronL1`.
    radius : float
        R without the fake coordinate, which adds at most 1.
    scale_free : bool
        As for `StrategicPerceptronL1`, with R + 1 for R.
    literal : bool
        Correct the fake coordinate, too, as the printed reduction does: then intercepts cannot be negative.

    Warnings
    --------
    A separator with a negative weight, other than the intercept, is out of reach. ``literal=True`` finds no negative
    intercept, and errs for ever on Example 2.

    References
    ----------
    Ahmadi, Beyhaghi, Blum, Naggita (2021), The Strategic Perceptron, EC: Section 7.

    Examples
    --------
    >>> from agents import WeightedL1Cost
    >>> from learners import BiasedL1, passes
    >>> learner, cost = BiasedL1(alpha=[1.0, 0.0], radius=2.0), WeightedL1Cost([1.0, 0.0])
    >>> training = passes.sweep(learner, [[-2.0, 0.0], [1.0, 1.0]], labels=[-1, 1], cost=cost)
    >>> training.updates, training.state.weights.round(3), training.state.intercept  # eta is 1 / 34
    (1, array([[2.029, 0.   ]]), array([-1.]))
    """

    name = "biased-l1"
    summary = "Strategic Perceptron for weighted l1 costs with an intercept (Section 7)"
    fake = 1.0

    def intercept_of(self, state: StrategicL1State) -> float:
        """Return the weight of the fake coordinate."""
        return float(state.intercept[0])

    def bound(self, truth: Truth, *, printed: bool = False) -> float | None:
        """Return the bound of Section 7; None for other costs or negative weights of w*."""
        game = truth.game_of("improvement")
        if game is None or not self._applies(game):
            return None
        truth = game
        alpha, norm, bias = max(truth.alpha), 1.0 / truth.margin, truth.intercept / truth.margin
        if self.scale_free:
            return None if printed else bounds.strategic_l1_with_bias_scale_free(self.radius, alpha, norm, bias)
        return bounds.strategic_l1_with_bias(truth.radius, alpha, truth.dim, norm, bias, printed=printed)
