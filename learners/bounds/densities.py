"""Bounds on the loss of learners that keep a density, whatever share of the labels is wrong."""

import math

from agents.foundation.checks import count, finite_number, flag


def homothety(dim: int, factors: int) -> float:
    """Bound what a point of a convex body can gain over the mean, summed over all factors: D ln(e (1 + N / D)).

    Assumption: a density begins uniform over a convex body of D dimensions, and each of N factors phi that multiply it
    is concave and at least 0 on the body; the gain is ``ln(phi(x) / Z)``, where Z is the mean of phi.
    Source: *own*, by the homothety argument that bounds universal portfolios.

    Parameters
    ----------
    dim : int
        D, at least 1.
    factors : int
        N, at least 0.

    Raises
    ------
    TypeError, ValueError
        If an argument is no integer or outside its limits.

    Examples
    --------
    >>> from learners import bounds
    >>> bounds.homothety(dim=2, factors=0)
    2.0
    >>> round(bounds.homothety(dim=2, factors=2000), 2)
    15.82
    """
    dim, factors = count("dim", dim, minimum=1), count("factors", factors)
    return dim * (1.0 + math.log1p(factors / dim))


def price_of_lies(slope: float) -> float:
    """Return rho, what a wrong label costs a density in units of how wrong it is: ln(1 / (1 - b)) / ln(1 + b)."""
    return -math.log1p(-slope) / math.log1p(slope)


def density_centres(
    dim: int,
    classes: int,
    norm: float,
    factors: int,
    wrong: float = 0.0,
    gained: float = 0.0,
    slope: float = 2.0 / 3.0,
    capped: bool = False,
) -> float:
    """Bound the loss, against the true labels and over all rounds, of a density over K centres.

    It is ``sqrt 2 |X| / ln(1 + b) (D ln(e (1 + N / D)) - G) + r A`` with ``D = (K - 1) d``, ``r = rho`` for affine
    factors alone and ``1 + rho`` with capped ones, where ``rho = ln(1 / (1 - b)) / ln(1 + b)``.

    Assumption: none on queries and labels. The truth are centres that a label of the nearest one belongs to; a wrong
    label is as wrong as the true centre is nearer, ``<q, x_true - x_label> / |q|``; losses are divided by |q|, too.
    Source: *own*; the body must be exact (a disc), and for particles the error of the drawing is added.

    Parameters
    ----------
    dim, classes : int
        d and K.
    norm : float
        |X|: the Frobenius norm of the centres, their mean subtracted; at least 0.
    factors : int
        N: affine factors alone (mistakes against the labels shown), or all factors where capped ones are used.
    wrong : float, optional
        A: how wrong the labels were, summed.
    gained : float, optional
        G: the sum of ``-ln Z`` over the capped factors of rounds whose label was true: a bound a posteriori.
    slope : float, optional
        b, between 0 and 1.
    capped : bool, optional
        Whether capped factors are used.

    Raises
    ------
    TypeError, ValueError
        If an argument is of another kind or outside its limits.

    Examples
    --------
    >>> from learners import bounds
    >>> round(bounds.density_centres(dim=5, classes=2, norm=0.7, factors=26), 1)
    27.4
    >>> round(bounds.density_centres(dim=5, classes=2, norm=0.7, factors=60, wrong=40.0), 1)
    120.6
    """
    free = (count("classes", classes, minimum=2) - 1) * count("dim", dim, minimum=1)
    slope = finite_number("slope", slope, above=0.0, below=1.0)
    norm, wrong = finite_number("norm", norm, minimum=0.0), finite_number("wrong", wrong, minimum=0.0)
    potential = homothety(free, factors) - finite_number("gained", gained, minimum=0.0)
    price = price_of_lies(slope) + flag("capped", capped)
    return math.sqrt(2.0) * norm / math.log1p(slope) * max(0.0, potential) + price * wrong


def density_search(dim: int, rounds: int, lost: float = 0.0, slope: float = 2.0 / 3.0) -> float:
    """Bound the total loss of contextual search by a density with steps ``b / (|u| + |<u, c>|)``.

    It is ``(2 / ln(1 + b)) d ln(e (1 + T / d)) + (1 + rho) L``, where ``rho = ln(1 / (1 - b)) / ln(1 + b)`` and L is
    the loss in the rounds whose answer was false.

    Assumption: none on queries and answers; the hidden point lies in the unit ball.
    Source: *own*. A true answer to a guess that is off by ``l`` gains at least ``ln(1 + b l / 2)``, hence
    ``ln(1 + b) l / 2``; a false one costs at most ``ln(1 / (1 - b))`` times the same share.

    Parameters
    ----------
    dim, rounds : int
        d and T.
    lost : float, optional
        L.
    slope : float, optional
        b, between 0 and 1.

    Raises
    ------
    TypeError, ValueError
        If an argument is of another kind or outside its limits.

    Examples
    --------
    >>> from learners import bounds
    >>> round(bounds.density_search(dim=2, rounds=2000), 1)
    61.9
    """
    slope = finite_number("slope", slope, above=0.0, below=1.0)
    lost = finite_number("lost", lost, minimum=0.0)
    return 2.0 / math.log1p(slope) * homothety(dim, rounds) + (1.0 + price_of_lies(slope)) * lost
