"""Bounds for people who answer in other ways than by best responses, and for learners that are told late."""

import math
from collections.abc import Sequence

from agents.foundation.checks import count, finite_array, finite_number
from learners.bounds.common import radius_in_margins, square


def improving_l2(radius: float, margin: float, alpha: float) -> float:
    """Bound the mistakes of the improving Perceptron for l2 costs: moving changes the true features, too.

    Assumption: a hyperplane through the origin separates the points *before* they move with the margin; whoever moves
    becomes what it reports, all features of it, and is labelled as the separator labels that.
    Source: own; the step is that of Blum, Frieze, Kannan, Vempala. Sharpened:
    ``1 + 2 ln(R / gamma) / ln(1 + alpha^2 / (4 R^2))``, about ``(8 R^2 / alpha^2) ln(R / gamma)``.
    Derivation: a mistake's report x has ``cos^2(w, x) >= sigma^2 = alpha^2 / (4 R^2 + alpha^2)``, for the bar stands at
    half of the reach. The step takes w's part along x away: |w|^2 shrinks by the factor ``1 - sigma^2`` at least, while
    w.w* does not fall, which is at least gamma/R of the first |w|.

    Parameters
    ----------
    radius : float
        Largest norm of a true point before it moves, greater than 0.
    margin : float
        Margin of a separator of the true points through the origin, greater than 0 and at most ``radius``.
    alpha : float
        How far value 1 carries an individual, greater than 0.

    Raises
    ------
    ValueError
        If an argument is NaN, infinite or outside its limits.

    Examples
    --------
    >>> from learners import bounds
    >>> round(bounds.improving_l2(radius=1.0, margin=0.01, alpha=0.3)), bounds.strategic_l2(1.0, 0.01, alpha=0.3)
    (415, 10000.0)
    """
    ratio = radius_in_margins(radius, margin)
    sine = finite_number("alpha", alpha, above=0.0) / (2.0 * radius)
    return 1.0 + _steps(ratio, math.log1p(square(sine)))


def improving_l1(radius: float, margin: float, alpha: Sequence[float]) -> float:
    """Bound the mistakes of the improving Perceptron for weighted l1 costs of which every coordinate can move.

    Assumption: as for :func:`improving_l2`; the separator's weights may have any sign.
    Source: own. Sharpened: ``1 + 2 ln(R / gamma) / -ln(1 - sigma^2)`` with
    ``sigma = 1 / (2 (R + max alpha) sqrt(sum alpha_i^-2))``.
    Derivation: that of :func:`improving_l2`, for the reach is at least ``|w| / sqrt(sum alpha_i^-2)`` and no report is
    longer than ``R + max alpha``.

    Parameters
    ----------
    radius : float
        Largest norm of a true point before it moves, greater than 0.
    margin : float
        Margin of a separator of the true points through the origin, greater than 0 and at most ``radius``.
    alpha : sequence of float
        The budgets alpha_i, all greater than 0.

    Raises
    ------
    ValueError
        If an argument is NaN, infinite or outside its limits.

    Examples
    --------
    >>> from learners import bounds
    >>> round(bounds.improving_l1(radius=1.0, margin=0.1, alpha=[0.5, 0.5]), 1)
    330.3
    """
    ratio = radius_in_margins(radius, margin)
    reaches = finite_array("alpha", alpha, (None,))
    if not (reaches > 0.0).all():
        raise ValueError(f"alpha must be greater than 0 in every coordinate, got {reaches.tolist()}")
    least = 1.0 / math.sqrt(float((1.0 / reaches**2).sum()))
    sine = least / (2.0 * (radius + float(reaches.max())))
    return 1.0 + _steps(ratio, -math.log1p(-square(sine)))


def improving_worst_case(radius: float, margin: float, alpha: float) -> float:
    """Bound the mistakes of the improving Perceptron where people become any accepted point within l2 reach.

    Assumption: as for :func:`improving_l2`, but a mover chooses any point that the learner accepts and that costs at
    most 1, the worst one for the learner, and is seen there.
    Source: own. Sharpened: that of :func:`improving_l1` with ``sigma = alpha / (2 (R + alpha))``.

    Parameters
    ----------
    radius, margin, alpha : float
        As for :func:`improving_l2`.

    Raises
    ------
    ValueError
        If an argument is NaN, infinite or outside its limits.

    Examples
    --------
    >>> from learners import bounds
    >>> round(bounds.improving_worst_case(radius=1.0, margin=0.1, alpha=0.5), 1)
    164.5
    """
    ratio = radius_in_margins(radius, margin)
    alpha = finite_number("alpha", alpha, above=0.0)
    return 1.0 + _steps(ratio, -math.log1p(-square(alpha / (2.0 * (radius + alpha)))))


def _steps(ratio: float, shrinking: float) -> float:
    """Return how many steps shorten w by the ratio if each takes so much of the logarithm of |w|^2."""
    return 2.0 * math.log(ratio) / shrinking if shrinking > 0.0 else (0.0 if ratio == 1.0 else math.inf)


def delayed_l2(radius: float, margin: float, delay: int) -> float:
    """Bound the mistakes of Algorithm 2 if every observation reaches it D rounds late: (1 + 2 D) (R / gamma)^2.

    Assumption: as for :func:`learners.bounds.strategic_l2`; what the learner sees after a round is the whole
    observation of D rounds before.
    Source: own. Derivation: a mistake's surrogate point was judged by weights that lack at most D updates, none of them
    longer than R: ``|w|^2`` grows by at most ``R^2 + 2 D R^2``, and w.w* by at least 1.

    Parameters
    ----------
    radius : float
        Largest norm of a true point, greater than 0.
    margin : float
        Margin of a separator of the true points through the origin, greater than 0 and at most ``radius``.
    delay : int
        D, at least 0.

    Raises
    ------
    TypeError
        If ``delay`` is not an integer.
    ValueError
        If an argument is NaN, infinite or outside its limits.

    Examples
    --------
    >>> from learners import bounds
    >>> bounds.delayed_l2(radius=1.0, margin=0.5, delay=5)
    44.0
    """
    return (1.0 + 2.0 * count("delay", delay)) * square(radius_in_margins(radius, margin))


def waiting(bound: float, rounds: int) -> float:
    """Bound the mistakes of a learner that does not learn from so many rounds after each update: (1 + rounds) B.

    Assumption: the learner inside changes at a mistake only, and the rounds that it learns from are those of the game
    that its bound B is for: people who lag L rounds behind know the classifier of a learner that publishes it for L
    rounds first; feedback that is D rounds late and echoes the published classifier is what an update leads to.
    Source: own. Derivation: at most B mistakes are learned from, and each is followed by at most ``rounds`` others.

    Parameters
    ----------
    bound : float
        B, at least 0; may be infinite.
    rounds : int
        At least 0.

    Raises
    ------
    TypeError
        If ``rounds`` is not an integer.
    ValueError
        If an argument is outside its limits.

    Examples
    --------
    >>> from learners import bounds
    >>> bounds.waiting(100.0, rounds=3)
    400.0
    """
    if bound != math.inf:
        bound = finite_number("bound", bound, minimum=0.0)
    return bound * (1 + count("rounds", rounds))
