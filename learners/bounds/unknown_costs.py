"""Bounds for individuals whose manipulation costs the learner does not know, or that differ (Sections 5 and 6)."""

import math

from agents.foundation.checks import finite_number, flag
from learners.bounds.common import RELATIVE_SLACK, floor, radius_in_margins, square


def estimated_alpha_l2(radius: float, margin: float, alpha: float, *, printed: bool = False) -> float:
    """Bound the mistakes of Algorithm 2 with an estimate a' that is at most gamma/2 below every individual's alpha.

    Assumption: a hyperplane through the origin separates the *true* points with the margin; individual t best-responds
    with a budget alpha_t that the learner need not know, ``a' <= alpha_t <= a' + gamma/2``.
    Source: Proposition 1 (one alpha for all) and Corollary 1 (a' is the smallest alpha; as printed, it lacks the
    square). Printed: 4 ((R + a' + gamma/2) / gamma)^2. Sharpened (default): 4 (R / gamma)^2, since a surrogate point
    that enters an update is never longer than R (as for :func:`strategic_l2`), while w.w* gains at least 1/2. Not known
    to be attained: 2.54 in place of 4 has been reached.

    Parameters
    ----------
    radius : float
        Largest norm of a true point, greater than 0.
    margin : float
        Margin of a separator of the true points through the origin, greater than 0 and at most ``radius``.
    alpha : float
        The estimate a' that the learner uses, at least 0.
    printed : bool, optional
        Return the paper's formula (squared) instead of the sharpened one.

    Raises
    ------
    ValueError
        If an argument is NaN, infinite or outside its limits.

    Examples
    --------
    >>> from learners import bounds
    >>> bounds.estimated_alpha_l2(radius=1.0, margin=0.5, alpha=0.5)
    16.0
    >>> bounds.estimated_alpha_l2(radius=1.0, margin=0.5, alpha=0.5, printed=True)
    49.0
    """
    ratio = radius_in_margins(radius, margin)
    alpha = finite_number("alpha", alpha, minimum=0.0)
    return 4.0 * square(ratio + alpha / margin + 0.5) if flag("printed", printed) else 4.0 * square(ratio)


def too_large_alpha_l2(radius: float, margin: float, alpha: float, *, printed: bool = False) -> float:
    """Bound the mistakes of Algorithm 2 with an estimate a' above alpha, up to the report that shows it.

    Assumption: a hyperplane through the origin separates the *true* points with the margin; individuals best-respond
    with a budget less than a'; the run ends at the first report x with ``0 < w.x / |w| < a'``.
    Source: Proposition 2. Printed: ((R + a') / gamma)^2 + 1. Sharpened (default): (R / gamma)^2 + 1, since a surrogate
    point that enters an update is never longer than R (as for :func:`strategic_l2`). Attained.

    Parameters
    ----------
    radius : float
        Largest norm of a true point, greater than 0.
    margin : float
        Margin of a separator of the true points through the origin, greater than 0 and at most ``radius``.
    alpha : float
        The estimate a' that the learner uses, at least 0.
    printed : bool, optional
        Return the paper's formula instead of the sharpened one.

    Raises
    ------
    ValueError
        If an argument is NaN, infinite or outside its limits.

    Examples
    --------
    >>> from learners import bounds
    >>> bounds.too_large_alpha_l2(radius=1.0, margin=0.5, alpha=0.5)
    5.0
    >>> bounds.too_large_alpha_l2(radius=1.0, margin=0.5, alpha=0.5, printed=True)
    10.0
    """
    ratio = radius_in_margins(radius, margin)
    alpha = finite_number("alpha", alpha, minimum=0.0)
    return square(ratio + (alpha / margin if flag("printed", printed) else 0.0)) + 1.0


def unknown_cost_l2(radius: float, margin: float, *, printed: bool = False) -> float:
    """Bound the mistakes of Algorithm 4, which brackets the unknown alpha of l2 costs.

    Assumption: a hyperplane through the origin separates the *true* points with the margin; individuals best-respond
    with one budget ``alpha <= R``; the learner keeps the upper end of its bracket (as printed, it forgets it, and a
    single logarithm is not proved).
    Source: Theorem 3, of which the paper prints the order N^2 log N only, with N = R / gamma. Printed: its proof with
    explicit constants, (2L + 2) (floor((4N + 1)^2) + 1), where L = ceil(log2 max(1, 2N - 1)). Sharpened (default):
    max(L + 1, 2L) (floor(16 N^2) + 1) + floor(4 N^2), for the same learner with the same budgets.
    Derivation: the doubled estimates 0, gamma/2, gamma .. are at most L + 1 times too small, for then
    ``a' < alpha - gamma/2``. The first that is too large leaves a bracket of at most 2^(L-1) gamma/2, which
    stays above gamma/2 and is halved by each of the at most L - 2 further failures. A phase that fails as too small
    has ``a' < R - gamma/2``, so its budget 4 ((R + a' + gamma/2) / gamma)^2 is below 16 N^2; one that fails as too
    large costs at most N^2 + 1 (:func:`too_large_alpha_l2`); the phase that does not fail at most 4 N^2
    (:func:`estimated_alpha_l2`).

    Parameters
    ----------
    radius : float
        R as the learner is told: at least the largest norm of a true point, and alpha; greater than 0.
    margin : float
        gamma as the learner is told: at most the margin of a separator of the true points through the origin;
        greater than 0 and at most ``radius``.
    printed : bool, optional
        Return the proof's explicit constants instead of the sharpened ones.

    Raises
    ------
    ValueError
        If an argument is NaN, infinite or outside its limits.

    Examples
    --------
    >>> from learners import bounds
    >>> bounds.unknown_cost_l2(radius=1.0, margin=0.5)
    276.0
    >>> bounds.unknown_cost_l2(radius=1.0, margin=0.5, printed=True)
    492.0
    """
    ratio = radius_in_margins(radius, margin)
    if flag("printed", printed):
        return (2.0 * _doublings(ratio) + 2.0) * (floor(square(4.0 * ratio + 1.0)) + 1.0)
    return _failing_phases(ratio) * (floor(16.0 * square(ratio)) + 1.0) + floor(4.0 * square(ratio))


def unknown_margin_l2(radius: float, margin: float) -> float:
    """Bound the mistakes of Algorithm 4 with guessed margins R, R/2, R/4 .., of which each is refuted before the next.

    Assumption: as for :func:`unknown_cost_l2`, but the learner knows R only. It gives a guess up at more than T
    mistakes, T being the printed :func:`unknown_cost_l2` of the guess, or once no alpha is left for it.
    Source: Section 5.1, of which the paper prints the order only. The sum of T + 1 over the guesses above gamma, plus
    the sharpened :func:`unknown_cost_l2` of the first guess that is not: all its evidence is right, so it stays.
    Derivation of T + 1: the learner does not count a mistake on a report that shows an estimate to be too large, but
    right or wrong, the guess R / 2^k has at most 2k + 3 phases (k + 3 estimates 0, gamma/2, gamma .. R, and k halvings
    of the bracket) of floor(B(a')) + 1 mistakes, with B(a') = 4 (2^k + a' 2^k / R + 1/2)^2 <= (4 2^k + 1)^2. From
    k = 1 on that is less than T; the three phases of k = 0 cost at most 10 + 17 + 26 = T + 1.

    Parameters
    ----------
    radius : float
        R as the learner is told: at least the largest norm of a true point, and alpha; greater than 0.
    margin : float
        Margin of a separator of the true points through the origin, greater than 0 and at most ``radius``.

    Raises
    ------
    ValueError
        If an argument is NaN, infinite or outside its limits.

    Examples
    --------
    >>> from learners import bounds
    >>> bounds.unknown_margin_l2(radius=1.0, margin=0.5)
    329.0
    """
    if math.isinf(square(radius_in_margins(radius, margin))):
        return math.inf
    guess, given_up = radius, 0.0
    while guess > margin * (1.0 + RELATIVE_SLACK):
        given_up += unknown_cost_l2(radius, guess, printed=True) + 1.0
        guess /= 2.0
    return given_up + unknown_cost_l2(radius, guess)


def unknown_cost_l1_single(radius: float, margin: float) -> float:
    """Bound the mistakes of Algorithm 4 for unknown weighted l1 costs of which only one coordinate's is finite.

    Assumption: a hyperplane through the origin whose normal is not negative in the movable coordinate separates the
    *true* points with the margin; individuals best-respond with one budget ``alpha <= R``; a phase with the estimate
    a' may make B(a') = 4 ((R + max(a', gamma/2)) / gamma)^2 mistakes.
    Source: Section 5.2, which does not work it out; the paper has no formula. With N = R / gamma and L as for
    :func:`unknown_cost_l2`: max(L + 1, 2L) (floor((4N - 1)^2) + 1) + floor(16 N^2).
    Derivation: reports on the boundary are ``x = z + beta e`` with ``0 <= beta <= alpha``, so a surrogate point
    ``x - a' e`` is not longer than R + max(a', alpha - a'). With ``alpha - gamma/2 <= a' <= alpha``, w.w* gains at
    least 1/2 a mistake, so B(a') <= 16 N^2 bounds the phase that does not fail. The search is that of
    :func:`unknown_cost_l2`: a phase that fails as too small has ``a' < R - gamma/2``, so B(a') <= (4N - 1)^2; one that
    fails as too large costs at most ((R + a') / gamma)^2 + 1 <= 4 N^2 + 1, which is not more.

    Parameters
    ----------
    radius : float
        R as the learner is told: at least the largest norm of a true point, and alpha; greater than 0.
    margin : float
        gamma as the learner is told: at most the margin of a separator of the true points through the origin;
        greater than 0 and at most ``radius``.

    Raises
    ------
    ValueError
        If an argument is NaN, infinite or outside its limits.

    Examples
    --------
    >>> from learners import bounds
    >>> bounds.unknown_cost_l1_single(radius=1.0, margin=0.5)
    264.0
    """
    ratio = radius_in_margins(radius, margin)
    return _failing_phases(ratio) * (floor(square(4.0 * ratio - 1.0)) + 1.0) + floor(16.0 * square(ratio))


def _doublings(ratio: float) -> float:
    """Return L, how many estimates gamma/2, gamma .. may be too small: those below R - gamma/2."""
    most = max(1.0, (2.0 * ratio - 1.0) * (1.0 - RELATIVE_SLACK))
    return float(math.ceil(math.log2(most))) if math.isfinite(most) else math.inf


def _failing_phases(ratio: float) -> float:
    """Return how many phases of a bracketing search fail at most."""
    return max(_doublings(ratio) + 1.0, 2.0 * _doublings(ratio))
