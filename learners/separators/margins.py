"""Margins of a sample: of a given hyperplane, the best one, and the best linear rule where no hyperplane separates.

A classifier is one array (d+1,), the weights and then the bias; it accepts a point z when ``w.z + b >= 0``.
"""

import numpy as np
from numpy.typing import ArrayLike

from agents.foundation.checks import LARGEST, finite_array, finite_features, finite_number, flag, hyperplane, signs
from agents.foundation.typing import Bool, Float
from learners.separators.solvers import RELATIVE_GAP, least_hinge_loss, shortest_normals, widest_separator


def radius(features: ArrayLike) -> float:
    """Return the radius R of a sample: the largest norm of a point.

    Parameters
    ----------
    features : array_like, shape (n, d)
        The points.

    Raises
    ------
    TypeError
        If they are not real numbers.
    ValueError
        If the shape does not fit, or a number is NaN, infinite or out of range (see `agents.foundation.checks`).

    Examples
    --------
    >>> from learners import margins
    >>> margins.radius([[1.0, 0.0], [3.0, 4.0]])
    5.0
    """
    return _longest(finite_features("features", features))


def distance(weights: ArrayLike, bias: float, features: ArrayLike, labels: ArrayLike) -> Float:
    """Return the distance of every point to a hyperplane, ``y (w.z + b) / |w|``: negative on the wrong side.

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
    ndarray of float64, shape (n,)

    Raises
    ------
    TypeError
        If an argument does not hold real numbers.
    ValueError
        If a shape does not fit, a number is NaN, infinite or out of range (see `agents.foundation.checks`), a label is
        neither -1 nor +1, or w is zero.

    Examples
    --------
    >>> from learners import margins
    >>> margins.distance([3.0, 4.0], -5.0, features=[[3.0, 4.0], [0.0, 0.0]], labels=[1, -1])
    array([4., 1.])
    """
    features, labels = _sample(features, labels)
    weights = finite_array("weights", weights, (features.shape[1],))
    bias = finite_number("bias", bias)
    if not weights.any():
        raise ValueError("weights must not be all zero, since no hyperplane belongs to them")
    scaled = hyperplane("hyperplane", np.append(weights, bias))
    return np.asarray(labels * (features @ scaled[:-1] + scaled[-1]) / np.linalg.norm(scaled[:-1]))


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
        If a shape does not fit, a number is NaN, infinite or out of range (see `agents.foundation.checks`), a label is
        neither -1 nor +1, or w is zero.

    Examples
    --------
    >>> from learners import margins
    >>> margins.margin([3.0, 4.0], -5.0, features=[[3.0, 4.0], [0.0, 0.0]], labels=[1, -1])
    1.0
    """
    return float(distance(weights, bias, features, labels).min())


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
        If a shape does not fit, a number is NaN, infinite or out of range, or a label is neither -1 nor +1.
    ArithmeticError
        If the bounds from above and below do not meet.

    References
    ----------
    Lawson, Hanson (1995), Solving Least Squares Problems, chapter 23 (least distance programming).

    Examples
    --------
    >>> from learners import margins
    >>> margins.max_margin([[0.0, 0.0], [2.0, 0.0]], [-1, 1])  # accepts x with x_1 >= 1
    array([ 1.,  0., -1.])
    >>> print(margins.max_margin([[0.0], [1.0], [2.0]], [1, -1, 1]))
    None
    """
    features, labels = _sample(features, labels)
    if flag("bias", bias) and abs(labels.sum()) == labels.size:
        return _one_sided(features, labels[0])
    points, labels, _ = _distinct(features, labels, np.ones(labels.size))
    centre = (points.min(axis=0) + points.max(axis=0)) / 2 if bias else np.zeros(points.shape[1])
    points -= centre
    scale = np.abs(points).max()
    if scale == 0.0:
        return None
    best = widest_separator(points / scale, labels, bias)
    if best is None:
        return None
    return np.append(best.normal, best.offset * scale - best.normal @ centre if bias else 0.0)


def attains(
    features: ArrayLike, labels: ArrayLike, margin: float, *, intercept: float = 0.0, nonnegative: bool = False
) -> bool:
    """Tell whether a hyperplane with a given intercept keeps a margin: ``y (w.z + b) >= margin`` with ``|w| <= 1``.

    That is what the mistake bounds assume of w* = w / margin. The margin may exceed the best one by a relative 1e-8; it
    must be large enough, for the radius of the sample, to be told from rounding.

    Parameters
    ----------
    features : array_like, shape (n, d)
        The points.
    labels : array_like, shape (n,)
        Their labels, -1 or +1.
    margin : float
        Greater than 0.
    intercept : float, optional
        b, for weights of norm 1.
    nonnegative : bool, optional
        Whether no weight may be negative.

    Raises
    ------
    TypeError
        If an argument does not hold real numbers.
    ValueError
        If a shape does not fit, a number is NaN, infinite or out of range, or a label is neither -1 nor +1.
    ArithmeticError
        If the solver does not end.

    References
    ----------
    Lawson, Hanson (1995), Solving Least Squares Problems, chapter 23 (least distance programming).

    Examples
    --------
    >>> from learners import margins
    >>> features, labels = [[-2.0, 0.0], [1.0, 0.0]], [-1, 1]
    >>> margins.attains(features, labels, 1.0), margins.attains(features, labels, 1.5)
    (True, False)
    >>> margins.attains(features, labels, 1.5, intercept=0.5)
    True
    """
    features, labels = _sample(features, labels)
    margin = finite_number("margin", margin, above=0.0)
    intercept = finite_number("intercept", intercept)
    scale = max(_longest(features), abs(intercept))
    rounding = 16 * (features.shape[1] + 8) * np.finfo(float).eps
    if scale == 0.0 or margin <= rounding * scale:
        return False
    rows, least = labels[:, None] * (features / scale), (margin - labels * intercept) / scale
    slack = RELATIVE_GAP * margin / scale + rounding
    if flag("nonnegative", nonnegative):
        rows = np.vstack([rows, np.eye(features.shape[1])])
        least = np.append(least, np.zeros(features.shape[1]))
    if (least <= 0.0).all():
        return True  # w = 0: all labels are equal, and the intercept alone keeps the margin
    shortest = (normal / max(1.0, float(np.linalg.norm(normal))) for normal in shortest_normals(rows, least))
    return any(bool((rows @ normal >= least - slack).all()) for normal in shortest)


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
        If a shape does not fit, a number is NaN, infinite or out of range, a label is neither -1 nor +1, or a weight is
        negative.
    ArithmeticError
        If the solver fails, or its answer's duality gap exceeds a relative 1e-6.

    Examples
    --------
    >>> from learners import margins
    >>> features, labels = [[-2.0], [-1.0], [-0.5], [0.5], [1.0], [2.0]], [-1, -1, 1, -1, 1, 1]
    >>> margins.soft_margin(features, labels)
    array([1., 0.])
    """
    features, labels = _sample(features, labels)
    importance = np.ones(labels.size)
    if weights is not None:
        importance = finite_array("weights", weights, (labels.size,), largest=LARGEST)
    if importance.min() < 0.0 or not importance.any():
        raise ValueError(f"weights must be at least 0 and not all 0, got a minimum of {importance.min()}")
    counted = importance > 0.0
    points, labels, importance = _distinct(features[counted], labels[counted], importance[counted])
    if abs(labels.sum()) == labels.size:
        return _one_sided(points, labels[0])
    centre = (points.min(axis=0) + points.max(axis=0)) / 2
    points -= centre
    scale = np.abs(points).max(axis=0)
    scale[scale == 0.0] = 1.0  # a constant feature, which gets no weight
    normal, offset = least_hinge_loss(points / scale, labels, importance / importance.mean())
    if not normal.any():
        return _one_sided(points + centre, 1.0 if offset >= 0.0 else -1.0)
    normal = normal / scale
    largest = np.abs(normal).max()  # its square may be out of range
    size = largest * np.linalg.norm(normal / largest)
    return np.append(normal / size, offset / size - normal / size @ centre)


def leave_one_out(features: ArrayLike, labels: ArrayLike) -> float:
    """Return the share of points on which a perceptron errs that is trained on all the others.

    The perceptron starts at 0, counts ties ``y w.z = 0`` as mistakes, and sweeps over the points in their order until
    a sweep makes none. On average over samples, the share is the error on a new point after training on n - 1. It is
    at most the number of mistakes on the whole sample, divided by n: a point without a mistake there changes nothing
    when it is left out. So only the others cost a training, of up to R^2 / rho^2 mistakes.

    Parameters
    ----------
    features : array_like, shape (n, d)
        The points.
    labels : array_like, shape (n,)
        Their labels, -1 or +1.

    Raises
    ------
    TypeError
        If an argument does not hold real numbers.
    ValueError
        If a shape does not fit, a number is NaN, infinite or out of range, a label is neither -1 nor +1, or no
        hyperplane through the origin separates the points: the perceptron would sweep forever.

    References
    ----------
    Perceptron lecture, proof of Theorem 2; `learners.bounds.generalisation` is the bound that follows.

    Examples
    --------
    >>> from learners import margins
    >>> margins.leave_one_out([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [1, 1, 1])
    0.6666666666666666
    """
    features, labels = _sample(features, labels)
    if max_margin(features, labels, bias=False) is None:
        raise ValueError("features must be separable by a hyperplane through the origin, and are not")
    signed = labels[:, None] * features
    _, updated = _sweep_until_clean(signed)
    others = ((np.delete(signed, k, axis=0), signed[k]) for k in np.flatnonzero(updated))
    return float(sum(_sweep_until_clean(rest)[0] @ left_out <= 0.0 for rest, left_out in others) / len(signed))


def _sweep_until_clean(signed: Float) -> tuple[Float, Bool]:
    """Return the weights (d,) of a perceptron trained on points ``y z`` (n, d), and which points it erred on (n,)."""
    weights = np.zeros(signed.shape[1])
    updated = np.zeros(len(signed), dtype=bool)
    position = 0
    while (wrong := np.flatnonzero(signed @ weights <= 0.0)).size:
        # The first one from here on, else from the start of the next sweep: until then nothing changes.
        chosen = wrong[np.searchsorted(wrong, position) % wrong.size]
        weights += signed[chosen]
        updated[chosen] = True
        position = chosen + 1
    return weights, updated


def _sample(features: ArrayLike, labels: ArrayLike) -> tuple[Float, Float]:
    """Return checked copies of points (n, d) and labels (n,)."""
    points = finite_features("features", features)
    return points, signs("labels", labels, len(points))


def _longest(points: Float) -> float:
    """Return the largest norm of a point."""
    return float(np.linalg.norm(points, axis=1).max())


def _distinct(points: Float, labels: Float, importance: Float) -> tuple[Float, Float, Float]:
    """Merge equal examples, and add up their importance."""
    table = np.column_stack([points, labels]) + 0.0  # -0.0 becomes 0.0: equal rows have equal bytes
    rows = table.view(np.dtype((np.void, table.itemsize * table.shape[1]))).ravel()
    _, first, group = np.unique(rows, return_index=True, return_inverse=True)
    return points[first], labels[first], np.bincount(group, weights=importance).astype(np.float64)


def _one_sided(points: Float, label: float) -> Float:
    """Return a hyperplane across the first axis with all points on the label's side, one to three radii away."""
    classifier = np.zeros(points.shape[1] + 1)
    classifier[0] = 1.0
    classifier[-1] = 2.0 * (_longest(points) or 0.5) * label
    return classifier
