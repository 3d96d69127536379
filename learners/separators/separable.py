"""The part of a sample that a hyperplane separates with a margin: many of the rows, and the separator."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from agents.foundation.checks import finite_features, finite_length, signs
from agents.foundation.typing import Bool, Float

# Sizes of columns, of which the solver takes smaller ones for 0, and refuses larger ones.
SOLVED = 1e-9, 1e14


class SeparableRows(NamedTuple):
    """Rows that a linear separator classifies with a margin, and the separator that proves it.

    Attributes
    ----------
    keep : ndarray (n,) of bool
        True where ``label * (features @ w + b)`` is at least the margin.
    separator : ndarray (d + 1,) of float64
        The classifier ``[w_1 .. w_d, b]``, with every ``w_j >= 0`` and ``|w| = 1``.
    """

    keep: Bool
    separator: Float


def separable_rows(features: ArrayLike, labels: ArrayLike, margin: float) -> SeparableRows:
    """Find many rows that one separator with non-negative weights classifies with the margin.

    The most rows are hard to find. This takes the separator of least hinge loss, by linear programming, and fits it
    again to the rows that it classifies with the margin, for as long as that keeps more of them.

    Parameters
    ----------
    features : array_like (n, d)
        Standardised, and oriented so that larger is better. The margin is lost if the kept rows are standardised anew.
    labels : array_like (n,)
        -1 or +1.
    margin : float
        The least distance to the separator, greater than 0.

    Returns
    -------
    SeparableRows
        The rows and their separator.

    Raises
    ------
    TypeError
        If an argument does not hold real numbers.
    ValueError
        If shapes, labels or margin are not as above, if weights of 0 fit best, or if no rows of both labels are left.

    References
    ----------
    Theorem 2 of the Strategic Perceptron (weighted l1 costs) asks for non-negative weights; its extension in Section 7
    allows the intercept.
    """
    points = finite_features("features", features)
    sizes = np.abs(points).max(axis=0)
    for size in sizes[((sizes > 0.0) & (sizes < SOLVED[0])) | (sizes > SOLVED[1])]:
        raise ValueError(f"features must be standardised: from {SOLVED[0]:g} to {SOLVED[1]:g} in size, got {size}")
    sides = signs("labels", labels, len(points))
    distance = finite_length("margin", margin, above=0.0)
    best = _separate(points, sides, distance, np.ones(len(points), dtype=np.bool_))
    if not _holds_both(sides[best.keep]):
        raise ValueError(f"margin must be small enough to keep rows of both labels, got {margin}")
    while True:
        again = _separate(points, sides, distance, best.keep)
        if again.keep.sum() <= best.keep.sum() or not _holds_both(sides[again.keep]):
            return best
        best = again


def _holds_both(sides: Float) -> bool:
    return bool((sides > 0).any() and (sides < 0).any())


def _separate(points: Float, sides: Float, margin: float, fitted: Bool) -> SeparableRows:
    """Fit a separator to the ``fitted`` rows and keep every row that it classifies with the margin."""
    separator = _least_hinge(points[fitted], sides[fitted])
    length = np.linalg.norm(separator[:-1])
    if length == 0.0:
        raise ValueError("features must tell the labels apart when larger is better, got best weights of 0")
    separator = separator / length
    return SeparableRows(sides * (points @ separator[:-1] + separator[-1]) >= margin, separator)


def _least_hinge(points: Float, sides: Float) -> Float:
    """Return the ``[w, b]`` with ``w >= 0`` that minimises ``sum max(0, 1 - y (w.x + b))``.

    The unknowns of the linear program are w, b and one slack per row, which stands in no other row.
    """
    from scipy import sparse  # on first use: importing scipy is slow
    from scipy.optimize import linprog

    count, dim = points.shape
    scored = sides[:, np.newaxis] * np.column_stack([points, np.ones(count)])
    solution = linprog(
        np.concatenate([np.zeros(dim + 1), np.ones(count)]),
        A_ub=-sparse.hstack([sparse.csc_array(scored), sparse.eye_array(count)], format="csc"),
        b_ub=-np.ones(count),
        bounds=[(0, None)] * dim + [(None, None)] + [(0, None)] * count,
        method="highs",
    )
    if solution.x is None:
        raise RuntimeError(f"the linear program found no separator: {solution.message}")
    return np.append(np.maximum(solution.x[:dim], 0.0), solution.x[dim])
