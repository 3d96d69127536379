"""The bound of the second-order perceptron over centres, with and without wrong labels."""

import math

from agents.foundation.checks import count, finite_number


def second_order_centres(
    dim: int, classes: int, norm: float, mistakes: int, regularisation: float = 0.1, wrong: float = 0.0,
    opposed: float | None = None,
) -> float:  # fmt: skip
    """Bound the loss, against the true labels and over all rounds: A + 2 L + sqrt(L (lam |X|^2 + 4 P)).

    Here ``L = D ln(1 + 2 n / (lam D))`` with ``D = (K - 1) d``. Without wrong labels it is ``2 L + sqrt(lam L) |X|``.

    Assumption: none on queries of norm at most 1 and on labels; the truth are centres, and a label is as wrong as the
    true centre is nearer, ``<q, x_true - x_label>``.
    Source: *own*. With ``b = sum g`` over the mistakes, ``b' A^-1 b <= L``, and ``<X, b>`` is the loss less what wrong
    labels add and hide.

    Parameters
    ----------
    dim, classes : int
        d and K.
    norm : float
        |X|: the Frobenius norm of the centres, their mean subtracted; at least 0.
    mistakes : int
        n, against the labels shown.
    regularisation : float, optional
        lam, above 0.
    wrong : float, optional
        A: how wrong the labels were, summed.
    opposed : float, optional
        P: what the updates on wrong labels took from ``<X, b>``, summed where negative; at most A, which it is by
        default.

    Raises
    ------
    TypeError, ValueError
        If an argument is of another kind or outside its limits.

    Examples
    --------
    >>> from learners import bounds
    >>> round(bounds.second_order_centres(dim=5, classes=2, norm=0.7, mistakes=36), 1)
    50.9
    >>> round(bounds.second_order_centres(dim=5, classes=2, norm=0.7, mistakes=60, wrong=40.0), 1)
    161.1
    """
    free = (count("classes", classes, minimum=2) - 1) * count("dim", dim, minimum=1)
    lam = finite_number("regularisation", regularisation, above=0.0)
    norm, wrong = finite_number("norm", norm, minimum=0.0), finite_number("wrong", wrong, minimum=0.0)
    against = wrong if opposed is None else finite_number("opposed", opposed, minimum=0.0, maximum=wrong)
    logarithm = free * math.log1p(2.0 * count("mistakes", mistakes) / (lam * free))
    return wrong + 2.0 * logarithm + math.sqrt(logarithm * (lam * norm * norm + 4.0 * against))
