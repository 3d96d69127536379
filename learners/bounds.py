"""Mistake bounds: every theorem as a function of what it depends on.

``radius`` is R, the largest norm of a true point z; ``margin`` is gamma, the smallest distance of a true point to a
separator's hyperplane; the papers' vector w* has norm 1 / gamma and ``y (z.w* + b) >= 1`` on every point. A bound is
a real number (infinite where it exceeds the float64 range) and holds for the number of mistakes: compare with
:func:`admits`.

A *printed* bound is the paper's own formula; a *sharpened* one is a smaller number that its proof gives.

References
----------
Novikoff (1962), On convergence proofs for perceptrons.
Ahmadi, Beyhaghi, Blum, Naggita (2021), The Strategic Perceptron, for all theorems, lemmas and extensions named here.
"""

import math

from agents.checks import count, finite_number

# Formulas and margins are rounded: 4 (3.6 / 0.4)^2 is 324, but 323.99999999999994 in float64.
RELATIVE_SLACK = 1e-12


def admits(bound: float, mistakes: int) -> bool:
    """Tell whether a number of mistakes respects a bound, up to the bound's rounding.

    Parameters
    ----------
    bound : float
        What a function of this module returned; infinity admits everything.
    mistakes : int
        The number of mistakes, at least 0.

    Raises
    ------
    ValueError
        If the bound is negative or NaN, or the number of mistakes negative.
    """
    if not bound >= 0.0:
        raise ValueError(f"bound must be at least 0, got {bound!r}")
    return count("mistakes", mistakes, minimum=0) <= bound * (1.0 + RELATIVE_SLACK)


def novikoff(radius: float, margin: float) -> float:
    """Bound the mistakes of the classic Perceptron on truthful individuals: (R / gamma)^2.

    Assumption: a hyperplane through the origin separates the points with the margin, and nobody manipulates.
    Source: Novikoff (1962); Section 2.2 of the paper. Printed. Attained, for example by orthogonal points of equal
    norm and label. The learning rate and the dimension do not enter.

    Parameters
    ----------
    radius : float
        Largest norm of a point, greater than 0.
    margin : float
        Margin of a separator through the origin, greater than 0 and at most ``radius``.

    Raises
    ------
    ValueError
        If an argument is NaN, infinite or outside its limits.
    """
    return _square(_radius_in_margins(radius, margin))


def novikoff_with_bias(radius: float, weights_norm: float, bias: float) -> float:
    """Bound the mistakes of the Perceptron with a fake coordinate 1: (R^2 + 1)(|w*|^2 + b^2).

    Assumption: ``y (z.w* + b) >= 1`` for every point, and nobody manipulates.
    Source: Extension 1 with Novikoff's bound for the points (z, 1) and the separator (w*, b). Printed.

    Parameters
    ----------
    radius : float
        Largest norm of a point z, without the fake coordinate; at least 0.
    weights_norm : float
        Norm of w*, at least 0.
    bias : float
        The separator's b, of either sign.

    Raises
    ------
    ValueError
        If an argument is NaN, infinite or outside its limits, or if no point of that radius can satisfy the
        assumption: it needs ``radius * weights_norm + |bias| >= 1``.
    """
    radius, weights_norm, bias = _separator_with_bias(radius, weights_norm, bias)
    return _square(math.hypot(radius, 1.0) * math.hypot(weights_norm, bias))


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
    """
    ratio = _radius_in_margins(radius, margin)
    alpha = finite_number("alpha", alpha, minimum=0.0)
    return _square(ratio + alpha / margin) if printed else _square(ratio)


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
    """
    _radius_in_margins(radius, margin)
    alpha = finite_number("alpha", alpha, minimum=0.0)
    dim = count("dim", dim, minimum=1)
    # A mistake makes |w|^2 grow by at most 1 + factor (R + alpha)^2, and w.w* by at least 1.
    factor = dim + 1 if printed else 1
    return _square(math.hypot(1.0, math.sqrt(factor) * (radius + alpha)) / margin)


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
    """
    radius, weights_norm, bias = _separator_with_bias(radius, weights_norm, bias)
    alpha = finite_number("alpha", alpha, minimum=0.0)
    dim = count("dim", dim, minimum=1)
    if printed:
        growth = math.hypot(1.0, math.sqrt(dim + 1) * (radius + alpha + 1.0))
        return _square(growth * (weights_norm + abs(bias)))
    return _square(math.hypot(math.sqrt(2.0), radius + alpha) * math.hypot(weights_norm, bias))


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
    """
    return finite_number("radius", radius, minimum=0.0) + finite_number("alpha_j", alpha_j, minimum=0.0)


def _square(number: float) -> float:
    return number * number  # ``**`` raises where the product overflows to infinity


def _radius_in_margins(radius: float, margin: float) -> float:
    """Return R / gamma, which is at least 1 once a separator through the origin exists."""
    radius = finite_number("radius", radius, above=0.0)
    margin = finite_number("margin", margin, above=0.0)
    if margin > radius * (1.0 + RELATIVE_SLACK):
        raise ValueError(
            f"margin must be at most the radius {radius!r}, since a separator through the origin is at most "
            f"that far from a point, got {margin!r}"
        )
    return max(1.0, radius / margin)


def _separator_with_bias(radius: float, weights_norm: float, bias: float) -> tuple[float, float, float]:
    """Check that some point z of the radius can satisfy ``y (z.w* + b) >= 1``."""
    radius = finite_number("radius", radius, minimum=0.0)
    weights_norm = finite_number("weights_norm", weights_norm, minimum=0.0)
    bias = finite_number("bias", bias)
    reached = radius * weights_norm + abs(bias)
    if reached < 1.0 - RELATIVE_SLACK:
        raise ValueError(
            f"weights_norm and bias must satisfy radius * weights_norm + |bias| >= 1, got "
            f"{radius!r} * {weights_norm!r} + {abs(bias)!r} = {reached!r}"
        )
    return radius, weights_norm, bias
