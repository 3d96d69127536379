"""The solvers behind the margins of a sample: nearest points of convex hulls, and the least hinge loss."""

from operator import attrgetter
from typing import NamedTuple

import numpy as np

from agents.foundation.typing import Float

# The best margin is certified from both sides, to this relative gap and the rounding of a dot product.
RELATIVE_GAP = 1e-8
# Price of the weights' l1 norm (features scaled to [-1, 1]) against an average example's hinge loss.
L1_PRICE = 1e-3
# Solves of the nearest-point problem: two are the rule with a bias, one is without.
ROUNDS = 6
# Value of the fake coordinate that carries the bias, in units of the sample's radius.
FAKE_COORDINATE = 10.0


class Separator(NamedTuple):
    """A unit normal, the best offset for it, and the margin of the two."""

    normal: Float
    offset: float
    margin: float


def widest_separator(points: Float, labels: Float, bias: bool) -> Separator | None:
    """Solve ``max_margin`` for points within [-1, 1]^d.

    Least squares answers most precisely if the margin is about 1 and the hyperplane passes through the origin (where
    the fake coordinate has no price), so each round starts from what the last one found.
    """
    rounding = 16 * (points.shape[1] + 8) * np.finfo(float).eps * np.linalg.norm(points, axis=1).max()
    best = found = Separator(np.zeros(points.shape[1]), 0.0, -np.inf)
    above, distance = np.inf, 1.0
    for _ in range(ROUNDS):
        shares = nearest_points((points + found.offset * found.normal) / distance, labels, bias)
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


def nearest_points(points: Float, labels: Float, bias: bool) -> Float:
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


def shortest_normals(rows: Float, least: Float) -> list[Float]:
    """Return what may be the shortest w with ``rows @ w >= least``; nothing if there is none shorter than about 30.

    Least distance programming by non-negative least squares, most precise if the shortest w has a norm of about 1; then
    the shortest w with equality in its support, which undoes the solver's rounding.
    """
    from scipy.optimize import nnls  # half a second to import

    target = np.append(np.zeros(rows.shape[1]), 1.0)
    try:
        shares, _ = nnls(np.vstack([rows.T, least]), target, maxiter=10 * least.size + 1000)
    except RuntimeError as error:
        raise ArithmeticError(f"non-negative least squares did not end on {least.size} points") from error
    missing = 1.0 - float(least @ shares)  # 1 / (1 + |w|^2)
    if missing <= 1e-3:
        return []
    support = shares > 0.0
    return [rows.T @ shares / missing, np.asarray(np.linalg.lstsq(rows[support], least[support], rcond=None)[0])]


def _equidistant(points: Float, labels: Float, bias: bool) -> Float:
    """Return the shortest w with ``y (w.z + b) = 1`` on all the support points, which undoes the solver's rounding."""
    if bias:
        points, labels = points[1:] - points[0], labels[1:] - labels[0]
    return np.asarray(np.linalg.lstsq(points, labels, rcond=None)[0])


def _separator(normal: Float, points: Float, labels: Float, bias: bool) -> Separator:
    """Return a direction with its best offset and their margin."""
    norm = np.linalg.norm(normal)
    if norm == 0.0:
        return Separator(normal, 0.0, -np.inf)
    normal = normal / norm
    scores = points @ normal
    if not bias:
        return Separator(normal, 0.0, float(np.min(labels * scores)))
    lowest, highest = float(scores[labels > 0.0].min()), float(scores[labels < 0.0].max())
    return Separator(normal, -(lowest + highest) / 2.0, (lowest - highest) / 2.0)


def least_hinge_loss(points: Float, labels: Float, importance: Float) -> tuple[Float, float]:
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
