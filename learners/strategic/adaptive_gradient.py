"""Gradient descents of many norms and rates at once, mixed as they did: nobody needs to set either by hand."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from agents.costs import L1
from agents.foundation.checks import finite_length
from agents.foundation.compiled import loop
from agents.foundation.lanes import dot
from agents.foundation.typing import Float, Int
from learners.strategic.rules import learn, publish, rule_of, stays_inside
from learners.strategic.surrogates import SurrogateLearner, has_the_reaches, write_raised, write_surrogate

# Norms are 1, 2, 4, ..., 256 over the radius, rates a quarter, a half and 1.
NORMS, RATES = 9, 3
EXPERTS = NORMS * RATES
# The coordinate that carries the intercept is this share of the radius: small, since most separators pass near the
# middle of standardised features.
FAKE = 0.2


class AdaptiveState(NamedTuple):
    """What one game has learned; k is the number of descents (27).

    Attributes
    ----------
    weights : ndarray, shape (n, d)
        Of the mixture.
    intercept : ndarray, shape (n,)
        Of the mixture, without the raise for manipulation.
    descents : ndarray, shape (n, k, d)
        Weights of each descent.
    intercepts : ndarray, shape (n, k)
    squares : ndarray, shape (n, k)
        Sums of the squared norms of each descent's gradients.
    losses : ndarray, shape (n, k)
        Sums of each descent's hinge losses.
    shares : ndarray, shape (n, k)
        Of the descents in the mixture; they sum to 1.
    gap : ndarray, shape (n,)
        Sum of the mixability gaps.
    radius : ndarray, shape (n,)
    alpha : ndarray, shape (n, 1) or (n, d)
    norm : ndarray, shape (n,), int64
        2 for l2 costs, 1 for weighted l1 costs.
    """

    weights: Float
    intercept: Float
    descents: Float
    intercepts: Float
    squares: Float
    losses: Float
    shares: Float
    gap: Float
    radius: Float
    alpha: Float
    norm: Int


rule_of(AdaptiveState, stays_inside)(has_the_reaches)


@loop
def _largest_norm(descent: int, radius: float) -> float:
    return float(2.0 ** (descent // RATES) / radius)


@loop
def _rate(descent: int) -> float:
    return float(2.0 ** (descent % RATES - (RATES - 1)))


@loop
def _step(
    weights: Float, intercept: float, point: Float, fake: float, step: float, largest_norm: float, positive: bool
) -> float:
    """Take one step towards a point, in place, and return the intercept: back into the ball where it leads out."""
    for i in range(weights.shape[0]):
        weights[i] += step * point[i]
        if positive:
            weights[i] = max(0.0, weights[i])
    intercept += step * fake * fake
    size = float(np.hypot(math.sqrt(dot(weights, weights)), intercept / fake))
    if size <= largest_norm:
        return intercept
    for i in range(weights.shape[0]):
        weights[i] *= largest_norm / size
    return intercept * (largest_norm / size)


@loop
def _mixability_gap(shares: Float, fresh: Float, gap: float) -> float:
    """Return by how much the mean of fresh losses exceeds what their mixture loses, ``-ln(sum p e^(-eta l)) / eta``."""
    least = math.inf
    for k in range(EXPERTS):
        if shares[k] > 0.0:
            least = min(least, fresh[k])
    eta = math.log(EXPERTS) / gap if gap > 0.0 else math.inf
    excess, total = 0.0, 0.0  # above the least, in which equal losses cancel out
    for k in range(EXPERTS):
        if shares[k] > 0.0:
            excess += shares[k] * (fresh[k] - least)
            total += shares[k] * math.exp(-eta * (fresh[k] - least)) if gap > 0.0 else 0.0
    return max(0.0, excess + math.log(total) / eta) if gap > 0.0 else excess


@loop
def _write_shares(losses: Float, gap: float, shares: Float) -> None:
    """Write AdaHedge's shares: proportional to ``e^(-eta L)`` with ``eta = ln k / gap``; at first, all to the best."""
    least, total = math.inf, 0.0
    for k in range(EXPERTS):
        least = min(least, losses[k])
    for k in range(EXPERTS):
        if gap > 0.0:
            shares[k] = math.exp((least - losses[k]) * (math.log(EXPERTS) / gap))
        else:
            shares[k] = 1.0 if losses[k] == least else 0.0
        total += shares[k]
    for k in range(EXPERTS):
        shares[k] /= total


@rule_of(AdaptiveState, learn)
def _learn(
    state: AdaptiveState, game: int, features: Float, prediction: float, label: float, classifier: Float, eps: float
) -> bool:
    if label == 0.0:
        return False
    d, norm, fake = features.shape[0], state.norm[game], FAKE * state.radius[game]
    surrogate, fresh = np.empty(d), np.empty(EXPERTS)
    write_surrogate(norm, classifier, features, label, state.alpha[game], eps, surrogate)
    squares, losses, shares = state.squares[game], state.losses[game], state.shares[game]
    size = dot(surrogate, surrogate) + fake * fake
    for k in range(EXPERTS):
        weights = state.descents[game, k]
        fresh[k] = max(0.0, 1.0 - label * (dot(weights, surrogate) + state.intercepts[game, k]))
        if fresh[k] > 0.0:
            squares[k] += size
            largest = _largest_norm(k, state.radius[game])
            step = label * _rate(k) * largest / math.sqrt(squares[k])
            state.intercepts[game, k] = _step(
                weights, state.intercepts[game, k], surrogate, fake, step, largest, norm == L1
            )
        losses[k] += fresh[k]
    state.gap[game] += _mixability_gap(shares, fresh, state.gap[game])
    _write_shares(losses, state.gap[game], shares)
    state.intercept[game] = dot(shares, state.intercepts[game])
    for i in range(d):
        state.weights[game, i] = 0.0
    for k in range(EXPERTS):
        if shares[k] > 0.0:
            for i in range(d):
                state.weights[game, i] += shares[k] * state.descents[game, k, i]
    return True


@rule_of(AdaptiveState, publish)
def _publish(state: AdaptiveState, game: int, out: Float) -> None:
    write_raised(state.weights[game], state.intercept[game], state.norm[game], state.alpha[game], out)


class AdaptiveGradient(SurrogateLearner[AdaptiveState]):
    """Mixes 27 gradient descents on the hinge loss of surrogate points: nine norms, three rates, no number by hand.

    Each descent is a `StrategicGradient` with an intercept, of largest norm D = 1, 2, 4, ... or 256 over the radius,
    and steps of a quarter, half or all of D over the root of its squared gradients. What is published is their mean by
    shares that AdaHedge gives them, as their hinge losses went, raised by what individuals can reach.

    Parameters
    ----------
    alpha : float or array_like, shape (d,)
        How far an individual moves for the value of being accepted: one number for l2 costs, one for each coordinate
        (or for all) for weighted l1 costs; at least 0.
    cost : str
        ``"l2"`` or ``"l1"``.
    radius : float
        Largest norm of true features, above 0: the unit of everything else. Half or double of it changes little.

    Warnings
    --------
    It has no bound in terms of the true points: where a hyperplane separates them, `StrategicMaxMargin` comes to rest
    after a number of mistakes that is proved, and this may go on.

    Notes
    -----
    *Proved*, for any individuals: with L_k the hinge losses of descent k so far and Delta the sum of the mixability
    gaps, the mistakes are at most ``min_k L_k + 2 Delta`` (`mistakes_at_most`). All descents meet the same surrogate
    points, those of the published classifier. A mistake has ``y (w.x~ + b) <= 0`` for the mixture [w, b], by Lemma 2,
    hence a hinge loss of at least 1; the mixture's loss is at most the mean of the descents' by their shares, since the
    loss is convex; and AdaHedge's regret is at most ``2 Delta``. In turn, with G_k^2 the sum of descent k's squared
    gradients, D its norm and s its rate, ``L_k <= sum hinge(u) + (2 / s + s) D G_k`` for every ``|u| <= D``, where the
    intercept counts in units of a fifth of the radius (and ``u >= 0`` for l1 costs).

    *Not proved*: anything about the true points, as for `StrategicGradient`.

    References
    ----------
    de Rooij, van Erven, Grunwald, Koolen (2014), Follow the leader if you can, hedge if you must, for AdaHedge.
    Streeter, McMahan (2010), Less regret via online conditioning, for the step sizes.

    Examples
    --------
    >>> from learners import AdaptiveGradient
    >>> from strategic_env import rollout
    >>> learner = AdaptiveGradient(alpha=0.3, radius=1.0)
    >>> played = rollout(learner, "KnownL2", games=3, rounds=500)
    >>> (played.mistakes <= learner.mistakes_at_most(played.state)).tolist()
    [True, True, True]
    """

    name = "adaptive-gradient"
    state_class = AdaptiveState
    summary = "gradient descents of many norms and rates, mixed as they did: for inseparable data"
    requires = ("alpha", "cost", "radius")

    def __init__(self, alpha: ArrayLike, cost: str = "l2", radius: float = 1.0) -> None:
        super().__init__(alpha, cost, bias=True)
        self.radius = finite_length("radius", radius, above=0.0)
        del self.parameters["bias"]
        self.parameters["radius"] = self.radius

    def initial_state(self, games: int, dim: int) -> AdaptiveState:
        """Return zero weights and even shares for each game."""
        return AdaptiveState(
            weights=np.zeros((games, dim)),
            intercept=np.zeros(games),
            descents=np.zeros((games, EXPERTS, dim)),
            intercepts=np.zeros((games, EXPERTS)),
            squares=np.zeros((games, EXPERTS)),
            losses=np.zeros((games, EXPERTS)),
            shares=np.full((games, EXPERTS), 1.0 / EXPERTS),
            gap=np.zeros(games),
            radius=np.full(games, self.radius),
            alpha=self._budgets(games, dim),
            norm=np.full(games, self._cost.norm, dtype=np.int64),
        )

    def mistakes_at_most(self, state: AdaptiveState) -> Float:
        """Return a bound (n,) on the mistakes so far among the rounds whose label was shown: see the notes."""
        return np.asarray(state.losses.min(axis=1) + 2.0 * state.gap)
