"""Margins of a sample: of a given hyperplane, the best one, and the best linear rule where no hyperplane separates.

A classifier is one array (d+1,), the weights and then the bias; it accepts a point z when ``w.z + b >= 0``.
"""

from operator import attrgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from agents.checks import finite_array, finite_number, signs
from agents.typing import Float

# The best margin is certified from both sides, to this relative gap and the rounding of a dot product.
RELATIVE_GAP = 1e-8
# Price of the weights' l1 norm (features scaled to [-1, 1]) against an average example's hinge loss.
L1_PRICE = 1e-3
# Solves of the nearest-point problem: two are the rule with a bias, one is without.
ROUNDS = 6
# Value of the fake coordinate that carries the bias, in units of the sample's radius.
FAKE_COORDINATE = 10.0


class _Separator(NamedTuple):
    """A unit normal, the best offset for it, and the margin of the two."""

    normal: Float
    offset: float
    margin: float


def margin(weights: ArrayLike, bias: float, features: ArrayLike, labels: ArrayLike) -> float:
    """Return the margin of a hyperplane: the smallest ``y (w.z + b) / |w|``, negative if it separates badly.

    Parameters
    ----------
    weights : array_like, shape (d,)
        Normal vector w of the hyperplane, not zero; its length does not matter (b scales with it).
    bias : float
        Offset b.
    features : array_like, shape (n, d)
        The points.
    labels : array_like, shape (n,)
        Their labels, -1 or +1.

    Returns
    -------
    float
        The signed distance of the point that is closest to the wrong side, or furthest on it.

    Raises
    ------
    TypeError
        If an argument does not hold real numbers.
    ValueError
        If a shape does not fit, a number is NaN or infinite, a label is neither -1 nor +1, or w is zero.
    """
    features, labels = _sample(features, labels)
    weights = finite_array("weights", weights, (features.shape[1],))
    bias = finite_number("bias", bias)
    if not weights.any():
        raise ValueError("weights must not be all zero, since no hyperplane belongs to them")
    # A power of two rounds nothing, and keeps the norm's squares within range.
    exponent = -int(np.frexp(np.abs(weights).max())[1])
    weights = np.ldexp(weights, exponent)
    norm = np.linalg.norm(weights)
    return float(np.min(labels * (features @ weights + np.ldexp(bias, exponent))) / norm)


def max_margin(features: ArrayLike, labels: ArrayLike, *, bias: bool = True) -> Float | None:
    """Find the hyperplane of largest margin: the hard-margin support vector machine.

    The margin is half the distance between the convex hulls of the two classes (without a bias: the distance of the
    origin from the hull of all ``y z``). Lawson and Hanson's non-negative least squares finds the nearest points; their
    distance bounds every margin from above, the returned classifier's own margin bounds the best one from below,
    and the two must meet to a relative 1e-8 (beyond the rounding of a dot product, which matters for margins
    below 1e-5 of the sample's radius).

    Parameters
    ----------
    features : array_like, shape (n, d)
        The points; repeated ones count once.
    labels : array_like, shape (n,)
        Their labels, -1 or +1.
    bias : bool, optional
        Whether the hyperplane may miss the origin.

    Returns
    -------
    ndarray of float64, shape (d + 1,), or None
        Weights of norm 1 and the bias (0 without one); None if no hyperplane has a margin that rounding lets one
        tell from 0. If all labels are equal, ``bias=True`` has no largest margin: the answer is then a hyperplane
        across the first axis with everybody on the right side, one to three radii away.

    Raises
    ------
    TypeError
        If an argument does not hold real numbers.
    ValueError
        If a shape does not fit, a number is NaN or infinite, or a label is neither -1 nor +1.
    ArithmeticError
        If the bounds from above and below do not meet.

    References
    ----------
    Lawson, Hanson (1995), Solving Least Squares Problems, chapter 23 (least distance programming).
    """
    features, labels = _sample(features, labels)
    if bias and abs(labels.sum()) == labels.size:
        return _one_sided(features, labels[0])
    points, labels, _ = _distinct(features, labels, np.ones(labels.size))
    # Half the sum of the extremes, in the order that cannot overflow.
    centre = points.min(axis=0) / 2 + points.max(axis=0) / 2 if bias else np.zeros(points.shape[1])
    points -= centre
    scale = np.abs(points).max()
    if scale == 0.0:
        return None
    best = _widest_separator(points / scale, labels, bias)
    if best is None:
        return None
    return np.append(best.normal, best.offset * scale - best.normal @ centre if bias else 0.0)


def soft_margin(features: ArrayLike, labels: ArrayLike, weights: ArrayLike | None = None) -> Float:
    """Find the linear rule of least hinge loss: the soft-margin separator of a sample that no hyperplane separates.

    Minimises the weighted sum of ``max(0, 1 - y (w.z + b))`` plus 0.001 times the l1 norm of the weights, with
    every feature centred and scaled to [-1, 1] and the examples' weights scaled to mean 1: enough to make the optimum
    finite, too little to compete with the loss of one average example. A linear program, solved by HiGHS in its dual
    form (one row per feature rather than per example) and checked by its duality gap.

    Parameters
    ----------
    features : array_like, shape (n, d)
        The points; repeated ones add their weights.
    labels : array_like, shape (n,)
        Their labels, -1 or +1.
    weights : array_like, shape (n,), optional
        How often each example counts, at least 0 and not all 0; once each by default.

    Returns
    -------
    ndarray of float64, shape (d + 1,)
        Weights of norm 1, and the bias. If a constant rule is the best one, the answer is a hyperplane across the
        first axis with everybody on that side, one to three radii away.

    Raises
    ------
    TypeError
        If an argument does not hold real numbers.
    ValueError
        If a shape does not fit, a number is NaN or infinite, a label is neither -1 nor +1, or a weight is negative.
    ArithmeticError
        If the solver fails, or its answer's duality gap exceeds a relative 1e-6.
    """
    features, labels = _sample(features, labels)
    importance = np.ones(labels.size) if weights is None else finite_array("weights", weights, (labels.size,))
    if importance.min() < 0.0 or not importance.any():
        raise ValueError(f"weights must be at least 0 and not all 0, got a minimum of {importance.min()}")
    counted = importance > 0.0
    points, labels, importance = _distinct(features[counted], labels[counted], importance[counted])
    if abs(labels.sum()) == labels.size:
        return _one_sided(points, labels[0])
    centre = points.min(axis=0) / 2 + points.max(axis=0) / 2
    points -= centre
    scale = np.abs(points).max(axis=0)
    scale[scale == 0.0] = 1.0  # a constant feature, which gets no weight
    normal, offset = _least_hinge_loss(points / scale, labels, importance / importance.mean())
    if not normal.any():
        return _one_sided(points + centre, 1.0 if offset >= 0.0 else -1.0)
    unit = scale.max()
    normal *= unit / scale
    normal, offset = normal / np.linalg.norm(normal), offset * unit / np.linalg.norm(normal)
    return np.append(normal, offset - normal @ centre)


def _sample(features: ArrayLike, labels: ArrayLike) -> tuple[Float, Float]:
    """Return checked copies of points (n, d) and labels (n,)."""
    points = finite_array("features", features, (None, None))
    return points, signs("labels", labels, len(points))


def _distinct(points: Float, labels: Float, importance: Float) -> tuple[Float, Float, Float]:
    """Merge equal examples, and add up their importance."""
    table = np.column_stack([points, labels]) + 0.0  # -0.0 becomes 0.0: equal rows have equal bytes
    rows = table.view(np.dtype((np.void, table.itemsize * table.shape[1]))).ravel()
    _, first, group = np.unique(rows, return_index=True, return_inverse=True)
    return points[first], labels[first], np.bincount(group, weights=importance).astype(np.float64)


def _one_sided(points: Float, label: float) -> Float:
    """Return a hyperplane across the first axis with all points on the label's side, one to three radii away."""
    largest = np.abs(points).max()
    radius = largest * np.linalg.norm(points / largest, axis=1).max() if largest > 0.0 else 0.5
    classifier = np.zeros(points.shape[1] + 1)
    classifier[0] = 1.0
    classifier[-1] = 2.0 * radius * label
    return classifier


def _widest_separator(points: Float, labels: Float, bias: bool) -> _Separator | None:
    """Solve ``max_margin`` for points within [-1, 1]^d.

    Least squares answers most precisely if the margin is about 1 and the hyperplane passes through the origin (where
    the fake coordinate has no price), so each round starts from what the last one found.
    """
    rounding = 16 * (points.shape[1] + 8) * np.finfo(float).eps * np.linalg.norm(points, axis=1).max()
    best = found = _Separator(np.zeros(points.shape[1]), 0.0, -np.inf)
    above, distance = np.inf, 1.0
    for _ in range(ROUNDS):
        shares = _nearest_points((points + found.offset * found.normal) / distance, labels, bias)
        nearest = (labels * shares) @ points
        distance = float(np.linalg.norm(nearest))
        above = min(above, distance)
        if above <= rounding:
            return None
        support = shares > 0.0
        candidates = (nearest, _equidistant(points[support], labels[support], bias))
        found = max((_separator(normal, points, labels, bias) for normal in candidates), key=attrgetter("margin"))
        best = max(best, found, key=attrgetter("margin"))
        if above - best.margin <= 1e-3 * RELATIVE_GAP * above + 1e-2 * rounding:
            return best
    if above - best.margin > RELATIVE_GAP * above + rounding:
        raise ArithmeticError(f"the best margin lies between {best.margin} and {above} of the scale, and is not found")
    return best if best.margin > 0.0 else None


def _nearest_points(points: Float, labels: Float, bias: bool) -> Float:
    """Return every point's share (n,) in the nearest points of the two hulls: the best normal is ``sum share y z``.

    They are the multipliers of the shortest w with ``y (w.z + b) >= 1``, brought to a sum of 1.
    """
    from scipy.optimize import nnls  # half a second to import

    rows = [labels[:, None] * points]
    if bias:
        rows.append(FAKE_COORDINATE * np.abs(points).max() * labels[:, None])
    rows.append(np.ones((labels.size, 1)))
    system = np.hstack(rows).T
    target = np.zeros(len(system))
    target[-1] = 1.0
    try:
        shares, _ = nnls(system, target, maxiter=10 * labels.size + 1000)
    except RuntimeError as error:
        raise ArithmeticError(f"non-negative least squares did not end on {labels.size} points") from error
    if not bias:
        return np.asarray(shares / shares.sum())
    positive = labels > 0.0
    return np.asarray(shares / (2.0 * np.where(positive, shares[positive].sum(), shares[~positive].sum())))


def _equidistant(points: Float, labels: Float, bias: bool) -> Float:
    """Return the shortest w with ``y (w.z + b) = 1`` on all the support points, which undoes the solver's rounding."""
    if bias:
        points, labels = points[1:] - points[0], labels[1:] - labels[0]
    return np.asarray(np.linalg.lstsq(points, labels, rcond=None)[0])


def _separator(normal: Float, points: Float, labels: Float, bias: bool) -> _Separator:
    """Return a direction with its best offset and their margin."""
    norm = np.linalg.norm(normal)
    if norm == 0.0:
        return _Separator(normal, 0.0, -np.inf)
    normal = normal / norm
    scores = points @ normal
    if not bias:
        return _Separator(normal, 0.0, float(np.min(labels * scores)))
    lowest, highest = float(scores[labels > 0.0].min()), float(scores[labels < 0.0].max())
    return _Separator(normal, -(lowest + highest) / 2.0, (lowest - highest) / 2.0)


def _least_hinge_loss(points: Float, labels: Float, importance: Float) -> tuple[Float, float]:
    """Solve ``soft_margin`` for points within [-1, 1]^d: maximise ``sum a`` over the multipliers a of the examples.

    They are at most the examples' importance, balance the two classes, and no feature's ``|sum a y z_j|`` exceeds the
    price of the weights. The weights and the bias are the multipliers of these constraints.
    """
    from scipy.optimize import linprog  # half a second to import

    signed = (labels[:, None] * points).T
    dim = len(signed)
    result = linprog(
        -np.ones(labels.size),
        A_ub=np.vstack([signed, -signed]),
        b_ub=np.full(2 * dim, L1_PRICE),
        A_eq=labels[None, :],
        b_eq=np.zeros(1),
        bounds=[(0.0, most) for most in importance],
        method="highs",
    )
    if result.status != 0 or result.x is None:
        raise ArithmeticError(f"the linear program of the soft margin failed: {result.message}")
    normal = result.ineqlin.marginals[dim:] - result.ineqlin.marginals[:dim]
    offset = -float(result.eqlin.marginals[0])
    loss = importance @ np.maximum(0.0, 1.0 - labels * (points @ normal + offset)) + L1_PRICE * np.abs(normal).sum()
    below = float(result.x.sum())
    if loss - below > 1e-6 * max(1.0, loss):
        raise ArithmeticError(f"the least hinge loss lies between {below} and {loss}, and could not be found")
    return normal, offset
