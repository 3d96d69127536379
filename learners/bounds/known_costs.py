"""Bounds for individuals whose manipulation costs the learner knows: the same for all (Sections 3, 4 and 7)."""

import math

from agents.foundation.checks import count, finite_number, flag
from learners.bounds.common import ceiling, floor, radius_in_margins, separator_with_bias, square


def strategic_l2(radius: float, margin: float, alpha: float, *, printed: bool = False) -> float:
    """Bound the mistakes of the Strategic Perceptron for l2 costs of known budget (Algorithm 2).

    Assumption: a hyperplane through the origin separates the *true* points with the margin; individuals best-respond
    with the budget ``alpha`` that the learner knows.
    Source: Theorem 1. Printed: ((R + alpha) / gamma)^2, attained at alpha = 0 only. Sharpened (default):
    (R / gamma)^2 for every alpha, since a surrogate point that enters an update is never longer than R: it is an
    unmoved point, or the projection of the true one on the plane orthogonal to w. Attained for every alpha: the
    negatives -e_1 .. -e_d force d mistakes.

    Parameters
    ----------
    radius : float
        Largest norm of a true point, greater than 0.
    margin : float
        Margin of a separator of the true points through the origin, greater than 0 and at most ``radius``.
    alpha : float
        How far value 1 carries an individual, at least 0.
    printed : bool, optional
        Return the paper's formula instead of the sharpened one.

    Raises
    ------
    ValueError
        If an argument is NaN, infinite or outside its limits.

    Examples
    --------
    >>> from learners import bounds
    >>> bounds.strategic_l2(radius=1.0, margin=0.5, alpha=0.5)
    4.0
    >>> bounds.strategic_l2(radius=1.0, margin=0.5, alpha=0.5, printed=True)
    9.0
    """
    ratio = radius_in_margins(radius, margin)
    alpha = finite_number("alpha", alpha, minimum=0.0)
    return square(ratio + alpha / margin) if flag("printed", printed) else square(ratio)


def strategic_l1(radius: float, margin: float, alpha: float, dim: int, *, printed: bool = False) -> float:
    """Bound the mistakes of the Strategic Perceptron for weighted l1 costs of known budgets (Algorithm 3).

    Assumption: a hyperplane through the origin whose normal has no negative coordinate separates the *true* points
    with the margin; individuals best-respond with the budgets that the learner knows; the step that breaks ties is
    the paper's eta (or shorter), in the data's own units: the bound is not invariant to their scale.
    Source: Theorem 2. Printed: (1 + (d + 1)(R + alpha)^2) / gamma^2. Sharpened (default): (1 + (R + alpha)^2) /
    gamma^2, since the correction step projects on the non-negative orthant and never makes w longer. No stream is
    known that attains it.

    Parameters
    ----------
    radius : float
        Largest norm of a true point, greater than 0.
    margin : float
        Margin of a separator of the true points through the origin, greater than 0 and at most ``radius``.
    alpha : float
        The largest budget alpha_i, at least 0.
    dim : int
        Number of features, at least 1; only the printed formula depends on it.
    printed : bool, optional
        Return the paper's formula instead of the sharpened one.

    Raises
    ------
    TypeError
        If ``dim`` is not an integer.
    ValueError
        If an argument is NaN, infinite or outside its limits.

    Examples
    --------
    >>> from learners import bounds
    >>> round(bounds.strategic_l1(radius=1.0, margin=0.5, alpha=1.0, dim=2), 6)
    20.0
    >>> round(bounds.strategic_l1(radius=1.0, margin=0.5, alpha=1.0, dim=2, printed=True), 6)
    52.0
    """
    radius_in_margins(radius, margin)
    alpha = finite_number("alpha", alpha, minimum=0.0)
    dim = count("dim", dim, minimum=1)
    # A mistake makes |w|^2 grow by at most 1 + factor (R + alpha)^2, and w.w* by at least 1.
    factor = dim + 1 if flag("printed", printed) else 1
    return square(math.hypot(1.0, math.sqrt(factor) * (radius + alpha)) / margin)


def strategic_l1_scale_free(radius: float, margin: float, alpha: float) -> float:
    """Bound the mistakes of Algorithm 3 with a step that grows with the data: 1.5625 ((R + alpha) / gamma)^2.

    Assumption: as for :func:`strategic_l1`, but the step that breaks ties is
    ``(R + alpha)^2 / (4 |w| + 4 (R + alpha))``, with |w| before the update.
    Source: own; Theorem 2 with another step. Sharpened; the same in all units of the data.
    Derivation: w.w* gains at least 1 a mistake, and |w|^2 at most c^2 + c^2 / 2 + c^2 / 16 with c = R + alpha, for the
    surrogate point is no longer than c, the correction lengthens no w, and a step eta along a coordinate of a w no
    longer than |w| + c costs at most 2 eta (|w| + c) + eta^2.

    Parameters
    ----------
    radius : float
        R as the learner is told: at least the largest norm of a true point, greater than 0.
    margin : float
        Margin of a separator of the true points through the origin, greater than 0 and at most ``radius``.
    alpha : float
        The largest budget alpha_i, at least 0.

    Raises
    ------
    ValueError
        If an argument is NaN, infinite or outside its limits.

    Examples
    --------
    >>> from learners import bounds
    >>> bounds.strategic_l1_scale_free(radius=1.0, margin=0.5, alpha=1.0)
    25.0
    """
    ratio = radius_in_margins(radius, margin)
    return 1.5625 * square(ratio + finite_number("alpha", alpha, minimum=0.0) / margin)


def strategic_l1_with_bias(
    radius: float, alpha: float, dim: int, weights_norm: float, bias: float, *, printed: bool = False
) -> float:
    """Bound the mistakes of Algorithm 3 with a fake coordinate 1 that it neither corrects nor chooses as direction.

    Assumption: ``y (z.w* + b) >= 1`` for every *true* point, where w* has no negative coordinate and b any sign;
    individuals best-respond with the budgets that the learner knows; eta as for :func:`strategic_l1`.
    Source: Section 7. Printed: (1 + (d + 1)(R + alpha + 1)^2)(|w*| + |b|)^2, with |b| where the paper has b (with a
    negative b its formula can be 0). Sharpened (default): (2 + (R + alpha)^2)(|w*|^2 + b^2).
    Derivation: (w, b).(w*, b*) gains at least 1 a mistake, and |(w, b)|^2 at most |(x~, 1)|^2 + 1 <= (R + alpha)^2 + 2,
    for the correction lengthens no w and the tie-breaking step, in a true coordinate, costs less than 1.

    Parameters
    ----------
    radius : float
        Largest norm of a true point z, without the fake coordinate; at least 0.
    alpha : float
        The largest budget alpha_i, at least 0.
    dim : int
        Number of features without the fake coordinate, at least 1; only the printed formula depends on it.
    weights_norm : float
        Norm of w*, at least 0.
    bias : float
        The separator's b, of either sign.
    printed : bool, optional
        Return the paper's formula instead of the sharpened one.

    Raises
    ------
    TypeError
        If ``dim`` is not an integer.
    ValueError
        If an argument is NaN, infinite or outside its limits, or if no point of that radius can satisfy the
        assumption: it needs ``radius * weights_norm + |bias| >= 1``.

    Examples
    --------
    >>> from learners import bounds
    >>> round(bounds.strategic_l1_with_bias(radius=1.0, alpha=1.0, dim=2, weights_norm=2.0, bias=1.0), 6)
    30.0
    >>> round(bounds.strategic_l1_with_bias(radius=1.0, alpha=1.0, dim=2, weights_norm=2.0, bias=1.0, printed=True), 6)
    252.0
    """
    radius, weights_norm, bias = separator_with_bias(radius, weights_norm, bias)
    alpha = finite_number("alpha", alpha, minimum=0.0)
    dim = count("dim", dim, minimum=1)
    if flag("printed", printed):
        growth = math.hypot(1.0, math.sqrt(dim + 1) * (radius + alpha + 1.0))
        return square(growth * (weights_norm + abs(bias)))
    return square(math.hypot(math.sqrt(2.0), radius + alpha) * math.hypot(weights_norm, bias))


def strategic_l1_with_bias_scale_free(radius: float, alpha: float, weights_norm: float, bias: float) -> float:
    """Bound the mistakes of Algorithm 3 with a fake coordinate 1 and a step that grows with the data.

    Assumption: as for :func:`strategic_l1_with_bias`, but the step that breaks ties is that of
    :func:`strategic_l1_scale_free` with R + 1 in place of R.
    Source: own. Sharpened: 1.5625 (R + 1 + alpha)^2 (|w*|^2 + b^2).
    Derivation: that of :func:`strategic_l1_scale_free` for the points (z, 1), which are no longer than R + 1, and the
    separator (w*, b).

    Parameters
    ----------
    radius : float
        R as the learner is told: at least the largest norm of a true point z, without the fake coordinate; at least 0.
    alpha : float
        The largest budget alpha_i, at least 0.
    weights_norm : float
        Norm of w*, at least 0.
    bias : float
        The separator's b, of either sign.

    Raises
    ------
    ValueError
        If an argument is NaN, infinite or outside its limits, or if no point of that radius can satisfy the
        assumption: it needs ``radius * weights_norm + |bias| >= 1``.

    Examples
    --------
    >>> from learners import bounds
    >>> bounds.strategic_l1_with_bias_scale_free(radius=1.0, alpha=1.0, weights_norm=1.2, bias=1.6)
    56.25
    """
    radius, weights_norm, bias = separator_with_bias(radius, weights_norm, bias)
    return strategic_l1_scale_free(radius + 1.0, 1.0 / math.hypot(weights_norm, bias), alpha)


def correction(radius: float, alpha_j: float) -> float:
    """Bound what one correction step of Algorithm 3 adds to coordinate j: R + alpha_j.

    Assumption: as for :func:`strategic_l1`. Source: Lemma 3. Printed.

    Parameters
    ----------
    radius : float
        Largest norm of a true point, at least 0.
    alpha_j : float
        The coordinate's budget, at least 0.

    Raises
    ------
    ValueError
        If an argument is NaN, infinite or negative.

    Examples
    --------
    >>> from learners import bounds
    >>> bounds.correction(radius=1.0, alpha_j=0.5)
    1.5
    """
    return finite_number("radius", radius, minimum=0.0) + finite_number("alpha_j", alpha_j, minimum=0.0)


def lemma_7(radius: float, margin: float, alpha: float, *, printed: bool = False) -> float:
    """Bound the mistakes of Algorithm 5 around an origin close to the separator.

    Assumption: a hyperplane separates the *true* points with the margin, the origin p lies on the segment between two
    of them and at most gamma/2 from the hyperplane; individuals best-respond with the budget ``alpha`` that the
    learner knows.
    Source: Lemma 7. Printed: 4 ((2R + alpha) / gamma)^2, which the algorithm allows every origin. Sharpened (default):
    16 (R / gamma)^2, since a surrogate point that enters an update is never longer than |z - p| <= 2R (as for
    :func:`strategic_l2`), while w.w* gains at least 1/2.

    Parameters
    ----------
    radius : float
        Largest norm of a true point, greater than 0.
    margin : float
        Margin of a separator of the true points, greater than 0 and at most ``radius``.
    alpha : float
        How far value 1 carries an individual, at least 0.
    printed : bool, optional
        Return the paper's formula instead of the sharpened one.

    Raises
    ------
    ValueError
        If an argument is NaN, infinite or outside its limits.

    Examples
    --------
    >>> from learners import bounds
    >>> bounds.lemma_7(radius=1.0, margin=0.5, alpha=0.5)
    64.0
    >>> bounds.lemma_7(radius=1.0, margin=0.5, alpha=0.5, printed=True)
    100.0
    """
    ratio = radius_in_margins(radius, margin)
    alpha = finite_number("alpha", alpha, minimum=0.0)
    return 4.0 * square(2.0 * ratio + (alpha / margin if flag("printed", printed) else 0.0))


def biased_l2(radius: float, margin: float, alpha: float, *, printed: bool = False) -> float:
    """Bound the mistakes of Algorithm 5 for l2 costs and a separator that may miss the origin.

    Assumption: a hyperplane separates the *true* points with the margin; individuals best-respond with the budget
    ``alpha`` that the learner knows; origins are gamma/2 apart (the printed share gamma/2 of the segment breaks the
    theorem).
    Source: Theorem 4. Printed: 16 R (2R + alpha)^2 / gamma^3, that is 4R / gamma times the printed Lemma 7.
    Sharpened (default): 2 + (G - 1) (floor(B) + 1) + floor(16 (R / gamma)^2), with B the printed Lemma 7 (the
    algorithm's own budget, which does not change) and G = ceil(4R / gamma) - 2 origins.
    Derivation: x- and x+ cost a mistake each. They are at least gamma from the hyperplane and at most 2R apart, so the
    hyperplane crosses their segment at t with gamma <= t <= 2R - gamma, and number ceil(2t / gamma) <= G of the
    origins 0, gamma/2, gamma .. is at most gamma/2 below it. Each origin given up costs floor(B) + 1; this one is
    never given up, for the sharpened Lemma 7 is at most B.

    Parameters
    ----------
    radius : float
        R as the learner is told: at least the largest norm of a true point, greater than 0.
    margin : float
        gamma as the learner is told: at most the margin of a separator of the true points; greater than 0 and at
        most ``radius``.
    alpha : float
        How far value 1 carries an individual, at least 0.
    printed : bool, optional
        Return the paper's formula instead of the sharpened one.

    Raises
    ------
    ValueError
        If an argument is NaN, infinite or outside its limits.

    Examples
    --------
    >>> from learners import bounds
    >>> bounds.biased_l2(radius=1.0, margin=0.5, alpha=0.5)
    571.0
    >>> bounds.biased_l2(radius=1.0, margin=0.5, alpha=0.5, printed=True)
    800.0
    """
    ratio = radius_in_margins(radius, margin)
    budget = lemma_7(radius, margin, alpha, printed=True)
    if flag("printed", printed):
        return 4.0 * ratio * budget
    origins = ceiling(4.0 * ratio) - 2.0
    return 2.0 + (origins - 1.0) * (floor(budget) + 1.0) + floor(lemma_7(radius, margin, alpha))
