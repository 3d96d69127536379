"""Bounds of learners that keep a knowledge set at many scales: loss without a horizon, without a margin."""

import math

from agents.foundation.checks import count, finite_number

# Scales of the ellipsoids, and binary digits after which a sum over all scales no longer changes.
SCALES, DIGITS = 31, 80.0
HALVING = math.log(4.0 / 3.0)


def steiner_potential(dim: int, exponent: float = 1.0) -> float:
    """Bound the total loss, to the exponent, of contextual search that halves bodies thickened at every scale.

    It is ``d / ln(4 / 3) sum_i 2^(-i a) ln(1 + 8 d 2^i)`` over all scales from i = -1: ``O(d log d)``.

    Assumption: the hidden point and all queries lie in the unit ball, and answers are true.
    Source: Theorem 2.1 of Paes Leme, Podimata, Schneider (2021), with the constants of an own proof.

    Parameters
    ----------
    dim : int
        d, at least 1.
    exponent : float
        a, above 0.

    Raises
    ------
    TypeError, ValueError
        If an argument is of another kind or outside its limits.

    Examples
    --------
    >>> from learners import bounds
    >>> [round(bounds.steiner_potential(dim), 1) for dim in (2, 3, 5, 10, 20)]
    [79.3, 134.8, 258.7, 611.6, 1413.6]
    """
    dim, exponent = count("dim", dim, minimum=1), finite_number("exponent", exponent, minimum=1e-2)
    last = math.ceil(DIGITS / exponent)
    terms = (2.0 ** (-exponent * i) * (math.log(8.0 * dim) + math.log(2.0) * i) for i in range(64, last))
    first = (2.0 ** (-exponent * i) * math.log1p(8.0 * dim * 2.0**i) for i in range(-1, 64))
    return dim / HALVING * (math.fsum(first) + math.fsum(terms))


def slack_ellipsoids(dim: int, exponent: float = 1.0, radius: float = 2.0) -> float:
    """Bound the total loss, to the exponent, of slack ellipsoids: ``sum_i (2 e_i)^a n_i``, ``O(d^2 log d)``.

    At each of 31 scales ``e_i = 2 r 2^-i`` and ``z_i = e_i / (8 d)``; ``n_i = d ln((r + z_i) / z_i) / c`` rounds err at
    it, where c is what a cut of depth ``-1 / (4 d)`` takes from the logarithm of the volume. Rounds beyond the finest
    one lose ``(2^-29 r)^a`` each at most and are not counted.

    Assumption: the hidden point lies in the ball of the radius (1 for contextual search, 2 for the difference of two
    centres in the unit ball), queries in the unit ball, and answers are true.
    Source: *own*.

    Parameters
    ----------
    dim : int
        d, at least 1.
    exponent : float
        a, above 0.
    radius : float
        r, above 0.

    Raises
    ------
    TypeError, ValueError
        If an argument is of another kind or outside its limits.

    Examples
    --------
    >>> from learners import bounds
    >>> [round(bounds.slack_ellipsoids(dim)) for dim in (2, 3, 5, 10)]
    [602, 1602, 5233, 24952]
    """
    dim, exponent = count("dim", dim, minimum=1), finite_number("exponent", exponent, above=0.0)
    radius = finite_number("radius", radius, above=0.0)
    widths = [2.0 * radius * 0.5**scale for scale in range(SCALES)]
    return math.fsum((2.0 * width) ** exponent * explorations(dim, width, radius) for width in widths)


def explorations(dim: int, width: float, radius: float) -> float:
    """Return how often one slack ellipsoid that explores from a width on can err."""
    slack = width / (8.0 * dim)
    depth = -1.0 / (4.0 * dim)
    ratio = math.log(dim * (1.0 - depth) / (dim + 1.0))
    if dim > 1:
        ratio += 0.5 * (dim - 1) * math.log(dim * dim * (1.0 - depth * depth) / (dim * dim - 1.0))
    return dim * math.log1p(radius / slack) / -ratio


def one_scale_ellipsoid(dim: int, margin: float, radius: float = 2.0) -> float:
    """Bound the mistakes beyond a known margin of one slack ellipsoid: ``O(d^2 log(d / margin))``.

    Assumption: as for `slack_ellipsoids`; other queries may lie as near the boundary as they like.
    Source: *own*.

    Parameters
    ----------
    dim : int
        d, at least 1.
    margin : float
        gamma, above 0.
    radius : float
        r, above 0.

    Raises
    ------
    TypeError, ValueError
        If an argument is of another kind or outside its limits.

    Examples
    --------
    >>> from learners import bounds
    >>> [round(bounds.one_scale_ellipsoid(dim, margin=0.1)) for dim in (2, 5, 10)]
    [67, 527, 2370]
    """
    dim, margin = count("dim", dim, minimum=1), finite_number("margin", margin, above=0.0)
    return explorations(dim, 2.0 * margin, finite_number("radius", radius, above=0.0))


def one_scale_body(dim: int, margin: float) -> float:
    """Bound the mistakes beyond a known margin of one exact body: ``d ln(1 + 4 d / margin) / ln(4 / 3)``.

    Assumption: as for `one_scale_ellipsoid`, with r = 2.
    Source: *own*.

    Parameters
    ----------
    dim : int
        d, at least 1.
    margin : float
        gamma, above 0.

    Raises
    ------
    TypeError, ValueError
        If an argument is of another kind or outside its limits.

    Examples
    --------
    >>> from learners import bounds
    >>> [int(bounds.one_scale_body(dim, margin=0.1)) for dim in (2, 5, 10)]
    [30, 92, 208]
    """
    dim, margin = count("dim", dim, minimum=1), finite_number("margin", margin, above=0.0)
    return dim * math.log1p(4.0 * dim / margin) / HALVING


def all_pairs(classes: int, of_a_pair: float) -> float:
    """Bound what k centres lose in expectation, if each pair of them has a potential: ``k (k - 1)`` times it.

    Assumption: of each pair, ``D[i, j] + D[j, i] >= L[i, j]`` (P1), and labels are those of the nearest centres.
    Source: Theorem 3.5 of Paes Leme, Podimata, Schneider (2021).

    Parameters
    ----------
    classes : int
        k, at least 2.
    of_a_pair : float
        The bound of two centres, such as `slack_ellipsoids`.

    Raises
    ------
    TypeError, ValueError
        If an argument is of another kind or outside its limits.

    Examples
    --------
    >>> from learners import bounds
    >>> round(bounds.all_pairs(3, bounds.slack_ellipsoids(dim=2)))
    3609
    """
    classes = count("classes", classes, minimum=2)
    return classes * (classes - 1) * finite_number("of_a_pair", of_a_pair, minimum=0.0)
