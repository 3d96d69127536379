"""Slack ellipsoids at many scales: a knowledge set in any number of dimensions, in closed form.

Scale i has a threshold ``e_i`` and a slack ``z_i = e_i / (8 d)``. Its ellipsoid ``c + B {|u| <= 1}`` begins as the ball
of radius ``r + z_i`` and holds the hidden point together with the ball of radius z_i around it: a half-space that is
known to hold the point is moved back by z_i before it cuts. So its volume never falls below that ball's, while a cut
that is not shallower than ``-1 / (4 d)`` takes a fixed share of it (`least_drop`): each scale errs a bounded number of
times, however many rounds there are. A query is *explored* at the coarsest scale whose ellipsoid is wider in its
direction than e_i; all coarser ones are thinner than ``e_(i - 1) = 2 e_i``, which bounds the loss. Where even the
finest is thin, a round loses at most its threshold, 2e-9 of the radius, and nothing pays for it.

B is kept, and not ``A = B B^T``, whose axes of 1 and 1e-9 would leave nothing of the shorter one. In one dimension
ellipsoids are intervals, and the same formulas hold.
"""

import math

import numpy as np

from agents.foundation.compiled import inlined, loop
from agents.foundation.lanes import dot, length
from agents.foundation.typing import Float

SCALES = 31
# A slack is this part of its threshold, over the dimension.
SLACK = 0.125


def thresholds_of(radius: float) -> Float:
    """Return the thresholds ``e_i = 2 r 2^-i`` (S,) for a hidden point in the ball of radius r."""
    return np.asarray(2.0 * radius * 0.5 ** np.arange(SCALES))


def first_ellipsoids(games: tuple[int, ...], radius: float, slacks: Float, dim: int) -> tuple[Float, Float, Float]:
    """Return centres (..., S, d), factors (..., S, d, d) and log-volumes (..., S) before the first cut.

    A log-volume is that over the ball of radius z.
    """
    shape, reach = (*games, len(slacks)), radius + slacks
    factors = np.broadcast_to(reach[:, np.newaxis, np.newaxis] * np.eye(dim), (*shape, dim, dim)).copy()
    volumes = np.broadcast_to(dim * np.log(reach / slacks), shape).copy()
    return np.zeros((*shape, dim)), factors, volumes


@loop
def whiten(factor: Float, query: Float, out: Float) -> float:
    """Write ``B^T x`` over its length to ``out`` (d,) and return the length: half of the ellipsoid's width along x."""
    d = out.shape[0]
    for j in range(d):
        out[j] = 0.0
    for i in range(d):
        for j in range(d):
            out[j] += query[i] * factor[i, j]
    half = length(out)
    if half > 0.0:
        for j in range(d):
            out[j] /= half
    return half


@inlined
def depth_of(middle: float, half: float, side: float, offset: float, slack: float) -> float:
    """Return how deep ``side <x, u> >= side offset - slack`` cuts: 0 through the centre, 1 touches the far end."""
    return (side * (offset - middle) - slack) / half


@loop
def log_ratio(depth: float, d: int) -> float:
    """Return the logarithm of the volume that a cut leaves, as a share; 0 for one that is too shallow to help."""
    if depth <= -1.0 / d:
        return 0.0
    ratio = math.log(d * (1.0 - depth) / (d + 1.0))
    if d > 1:
        ratio += 0.5 * (d - 1) * math.log(d * d * (1.0 - depth * depth) / (d * d - 1.0))
    return ratio


@loop
def least_drop(d: int) -> float:
    """Return how much the log-volume falls at least, where the explored scale's centre is cut off."""
    return -log_ratio(-2.0 * SLACK / d, d)


@loop
def cut(centre: Float, factor: Float, direction: Float, side: float, depth: float) -> None:
    """Turn one ellipsoid into the smallest one around what a half-space leaves of it, in place.

    Parameters
    ----------
    centre : ndarray, shape (d,)
    factor : ndarray, shape (d, d)
        B.
    direction : ndarray, shape (d,)
        What `whiten` wrote.
    side : float
        -1 or +1: where the half-space lies.
    depth : float
        Above ``-1 / d`` and below 1.
    """
    d = centre.shape[0]
    step = side * (1.0 + d * depth) / (d + 1.0)
    along = d * (1.0 - depth) / (d + 1.0)
    across = math.sqrt(d * d * (1.0 - depth * depth) / (d * d - 1.0)) if d > 1 else along
    for i in range(d):
        row = factor[i]
        reach = dot(row, direction)
        centre[i] += step * reach
        for j in range(d):
            row[j] = across * row[j] + (along - across) * reach * direction[j]


@loop
def cut_all(
    centres: Float, factors: Float, volumes: Float, slacks: Float, query: Float, side: float, offset: float, room: Float
) -> int:
    """Cut every scale by ``side <x, u> >= side offset``, relaxed by its slack, where that makes it smaller.

    Parameters
    ----------
    centres, factors, volumes : ndarray, shapes (S, d), (S, d, d), (S,)
        Changed in place.
    slacks : ndarray, shape (S,)
        z.
    query : ndarray, shape (d,)
        x.
    side, offset : float
    room : ndarray, shape (d,)
        Overwritten.

    Returns
    -------
    int
        1 if some scale has no room for the hidden point there: somebody lied. It is left as it is; else 0.
    """
    d, norm, lies = query.shape[0], length(query), 0
    for scale in range(centres.shape[0]):
        half = whiten(factors[scale], query, room)
        if not half > 0.0:
            continue
        depth = depth_of(dot(centres[scale], query), half, side, offset, slacks[scale] * norm)
        if half * (1.0 - depth) < slacks[scale] * norm:
            lies = 1
        elif -1.0 / d < depth < 1.0:
            cut(centres[scale], factors[scale], room, side, depth)
            volumes[scale] += log_ratio(depth, d)
    return lies


@loop
def explore(
    centres: Float, factors: Float, thresholds: Float, query: Float, most: float, room: Float
) -> tuple[int, float, float, float, float]:
    """Find the scale at which a query is explored, and what all scales up to it say.

    Parameters
    ----------
    centres, factors, thresholds : ndarray, shapes (S, d), (S, d, d), (S,)
    query : ndarray, shape (d,)
    most : float
        The value's size is at most this.
    room : ndarray, shape (d,)
        Overwritten.

    Returns
    -------
    scale : int
        -1 if every scale is thin.
    low, high : float
        Where the value lies.
    middle, half : float
        Of the explored scale, else of the last one.
    """
    low, high, middle, half = -most, most, 0.0, 0.0
    for scale in range(centres.shape[0]):
        middle, half = dot(centres[scale], query), whiten(factors[scale], query, room)
        low, high = max(low, middle - half), min(high, middle + half)
        if 2.0 * half > thresholds[scale]:
            return scale, low, high, middle, half
    return -1, low, high, middle, half


@loop
def potential(volumes: Float, thresholds: Float, exponent: float, d: int) -> float:
    """Return what exploring can still cost, loss to the exponent: ``sum_i (2 e_i)^exponent ln(Vol / Vol(z_i B)) / c``.

    The log-volume of a scale falls by at least c (`least_drop`) whenever its centre is cut off.
    """
    total = 0.0
    for scale in range(volumes.shape[0]):
        total += (2.0 * thresholds[scale]) ** exponent * max(0.0, volumes[scale])
    return total / least_drop(d)
