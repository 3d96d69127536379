"""Bounds of the maximum-margin learners on surrogate points, which the paper does not contain."""

from agents.foundation.checks import finite_number
from learners.bounds.common import radius_in_margins, square


def max_margin_l2(radius: float, margin: float) -> float:
    """Bound the mistakes of a maximum-margin learner through the origin for l2 costs: (R / gamma)^2.

    Assumption: a hyperplane through the origin separates the *true* points with the margin; individuals best-respond
    with one budget that the learner knows, whatever it is.
    Source: own (`learners.strategic.max_margin` has the proof). Sharpened; the same as the sharpened Theorem 1.
    Attained by the same stream: the negatives -e_1 .. -e_d force d mistakes.
    Derivation: every mistake adds at least 1 / |x~|^2 to 1 / |w|^2, where the surrogate point x~ of a mistake is not
    longer than R (as for :func:`strategic_l2`), and |w| never falls below gamma.

    Parameters
    ----------
    radius : float
        Largest norm of a true point, greater than 0.
    margin : float
        Margin of a separator of the true points through the origin, greater than 0 and at most ``radius``.

    Raises
    ------
    ValueError
        If an argument is NaN, infinite or outside its limits.

    Examples
    --------
    >>> from learners import bounds
    >>> bounds.max_margin_l2(radius=1.0, margin=0.5)
    4.0
    """
    return square(radius_in_margins(radius, margin))


def max_margin_l1(radius: float, margin: float, alpha: float) -> float:
    """Bound the mistakes of a maximum-margin learner through the origin, weighted l1 costs: ((R + alpha) / gamma)^2.

    Assumption: a hyperplane through the origin whose normal has no negative coordinate separates the *true* points
    with the margin; individuals best-respond with the budgets that the learner knows.
    Source: own (`learners.strategic.max_margin` has the proof). Sharpened. No stream is known that attains it.
    Derivation: as for :func:`max_margin_l2`, but a surrogate point ``x - alpha_i e_i`` may be as long as R + alpha.

    Parameters
    ----------
    radius : float
        Largest norm of a true point, greater than 0.
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
    >>> bounds.max_margin_l1(radius=1.0, margin=0.5, alpha=0.5)
    9.0
    """
    ratio = radius_in_margins(radius, margin)
    return square(ratio + finite_number("alpha", alpha, minimum=0.0) / margin)


def max_margin_with_bias(radius: float, margin: float, alpha: float) -> float:
    """Bound the mistakes of a maximum-margin learner with an intercept, either cost: 4 ((R + alpha) / gamma)^2 - 2.

    Assumption: a hyperplane separates the *true* points with the margin, for weighted l1 costs one whose normal has no
    negative coordinate; individuals best-respond with the budgets that the learner knows.
    Source: own (`learners.strategic.max_margin` has the proof). Sharpened. No stream is known that attains it.
    Derivation: the first individual of each label costs at most a mistake. From then on w joins the hulls of the
    surrogate points of either label, whose diameter D is at most 2 (R + alpha), so 1 / |w|^2 begins at 1 / D^2; every
    mistake adds 1 / (4 D^2), and |w| never falls below 2 gamma.

    Parameters
    ----------
    radius : float
        Largest norm of a true point, greater than 0.
    margin : float
        Margin of a separator of the true points, greater than 0 and at most ``radius``.
    alpha : float
        How far value 1 carries an individual: alpha, or the largest alpha_i; at least 0.

    Raises
    ------
    ValueError
        If an argument is NaN, infinite or outside its limits.

    Examples
    --------
    >>> from learners import bounds
    >>> bounds.max_margin_with_bias(radius=1.0, margin=0.5, alpha=0.5)
    34.0
    """
    return 4.0 * max_margin_l1(radius, margin, alpha) - 2.0
