"""Bounds for individuals who do not manipulate: the classic Perceptron and the perceptron lecture."""

import math

import numpy as np
from numpy.typing import ArrayLike

from agents.foundation.checks import count, finite_number
from learners.bounds.common import (
    RELATIVE_SLACK,
    ceiling,
    radius_in_margins,
    separator_with_bias,
    square,
)
from learners.separators.margins import distance


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

    Examples
    --------
    >>> from learners import bounds
    >>> bounds.novikoff(radius=1.0, margin=0.5)
    4.0
    """
    return square(radius_in_margins(radius, margin))


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

    Examples
    --------
    >>> from learners import bounds
    >>> bounds.novikoff_with_bias(radius=0.75, weights_norm=3.0, bias=4.0)
    39.0625
    """
    radius, weights_norm, bias = separator_with_bias(radius, weights_norm, bias)
    return square(math.hypot(radius, 1.0) * math.hypot(weights_norm, bias))


def margin_perceptron(radius: float, margin: float, threshold: float, learning_rate: float = 1.0) -> float:
    """Bound the updates of the perceptron that updates while ``y w.x < rho0``: (R^2 + 2 rho0 / eta) / rho^2.

    Assumption: a hyperplane through the origin separates the points with the margin, and nobody manipulates.
    Source: the lecture's margin perceptron (Sheet 4, Exercise 1), printed there for eta = 1. Printed. Other than for
    the Perceptron the learning rate matters: an update adds at most eta^2 R^2 + 2 eta rho0 to |w|^2, and at least
    eta rho to w's length along the separator's normal. Mistakes are updates, so the bound holds for them too.

    Parameters
    ----------
    radius : float
        Largest norm of a point, greater than 0.
    margin : float
        rho, the margin of a separator through the origin, greater than 0 and at most ``radius``.
    threshold : float
        rho0, at least 0; 0 stands for updates while ``y w.x <= 0``, and gives Novikoff's bound.
    learning_rate : float, optional
        eta, greater than 0.

    Raises
    ------
    ValueError
        If an argument is NaN, infinite or outside its limits.

    Examples
    --------
    >>> from learners import bounds
    >>> bounds.margin_perceptron(radius=1.0, margin=0.5, threshold=1.0)
    12.0
    >>> bounds.margin_perceptron(radius=1.0, margin=0.5, threshold=1.0, learning_rate=2.0)
    8.0
    """
    ratio = radius_in_margins(radius, margin)
    threshold = finite_number("threshold", threshold, minimum=0.0)
    learning_rate = finite_number("learning_rate", learning_rate, above=0.0)
    return square(ratio) + 2.0 * threshold / learning_rate / margin / margin


def freund_schapire(radius: float, margin: float, slack: float) -> float:
    """Bound the updates of one pass of the Perceptron over points that nothing need separate: ((R + D) / rho)^2.

    Assumption: nobody manipulates, every point comes once (over several passes, D sums over all their rounds), and D
    belongs to a w of norm 1; without either the bound is wrong.
    Source: Freund and Schapire (1999), as in the lecture. Printed. Holds for both tie conventions.

    Parameters
    ----------
    radius : float
        Largest norm of a point, greater than 0.
    margin : float
        rho, greater than 0: any distance that the points are asked to keep from the hyperplane of w.
    slack : float
        D, how far they fall short of it (:func:`hinge_slack`), at least 0.

    Raises
    ------
    ValueError
        If an argument is NaN, infinite or outside its limits, or if no point of that radius falls so little short: it
        needs ``radius + slack >= margin``.

    Examples
    --------
    >>> from learners import bounds
    >>> bounds.freund_schapire(radius=1.0, margin=0.5, slack=1.0)
    16.0
    """
    radius = finite_number("radius", radius, above=0.0)
    margin = finite_number("margin", margin, above=0.0)
    slack = finite_number("slack", slack, minimum=0.0)
    if radius + slack < margin * (1.0 - RELATIVE_SLACK):
        raise ValueError(f"slack must be at least margin - radius = {margin!r} - {radius!r}, got {slack!r}")
    return square((radius + slack) / margin)


def hinge_slack(weights: ArrayLike, features: ArrayLike, labels: ArrayLike, margin: float) -> float:
    """Return how far points fall short of a margin, D: the root of ``sum max(0, rho - y w.x / |w|)^2``.

    Source: the lecture's outlook; :func:`freund_schapire` depends on it.

    Parameters
    ----------
    weights : array_like, shape (d,)
        Normal vector w of a hyperplane through the origin, not zero; its length does not matter.
    features : array_like, shape (n, d)
        The points, each as often as it comes.
    labels : array_like, shape (n,)
        Their labels, -1 or +1.
    margin : float
        rho, greater than 0.

    Raises
    ------
    TypeError
        If an argument does not hold real numbers.
    ValueError
        If a shape does not fit, a number is NaN or infinite, a label is neither -1 nor +1, w is zero, or the margin is
        not greater than 0.

    Examples
    --------
    >>> from learners import bounds
    >>> bounds.hinge_slack([2.0, 0.0], features=[[-2.0, 0.0], [-3.0, 0.0], [5.0, 0.0]], labels=[1, 1, 1], margin=1.0)
    5.0
    """
    margin = finite_number("margin", margin, above=0.0)
    return float(np.linalg.norm(np.maximum(0.0, margin - distance(weights, 0.0, features, labels))))


def generalisation(radius: float, margin: float, samples: int) -> float:
    """Bound the probability that a perceptron trained on n points errs on the next: (R / rho)^2 / (n + 1).

    Assumption: the n + 1 points are drawn independently from one distribution, all whose points have a norm of at most
    R and are separated with the margin by a hyperplane through the origin; nobody manipulates; the perceptron counts
    ties ``y w.x = 0`` as mistakes and is trained until a sweep makes none.
    Source: the lecture's Theorem 2, with R and rho of the distribution in place of the expectation over samples.
    Printed. A tie on the next point counts as an error; the ball of radius R is the one around the origin. Says nothing
    where it exceeds 1.

    Parameters
    ----------
    radius : float
        Largest norm of a point, greater than 0.
    margin : float
        Margin of a separator through the origin, greater than 0 and at most ``radius``.
    samples : int
        n, the number of points trained on, at least 0.

    Raises
    ------
    TypeError
        If ``samples`` is not an integer.
    ValueError
        If an argument is NaN, infinite or outside its limits.

    Examples
    --------
    >>> from learners import bounds
    >>> bounds.generalisation(radius=1.0, margin=0.5, samples=99)
    0.04
    """
    return novikoff(radius, margin) / (count("samples", samples) + 1)


def samples_for_error(radius: float, margin: float, error: float) -> int:
    """Return the smallest number of points for which :func:`generalisation` is at most an error.

    Assumption and source: as there. Printed.

    Parameters
    ----------
    radius : float
        Largest norm of a point, greater than 0.
    margin : float
        Margin of a separator through the origin, greater than 0 and at most ``radius``.
    error : float
        Allowed probability of an error, greater than 0 and at most 1.

    Raises
    ------
    ValueError
        If an argument is NaN, infinite or outside its limits, or if the answer exceeds the float64 range.

    Examples
    --------
    >>> from learners import bounds
    >>> bounds.samples_for_error(radius=1.0, margin=0.5, error=0.04)
    99
    """
    needed = ceiling(novikoff(radius, margin) / finite_number("error", error, above=0.0, maximum=1.0))
    if math.isinf(needed):
        raise ValueError(
            f"radius^2 / (margin^2 error) must lie within the float64 range, got radius {radius!r}, "
            f"margin {margin!r} and error {error!r}"
        )
    return int(needed) - 1
