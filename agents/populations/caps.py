"""The two parts of a ball beyond a margin: their tables, and individuals drawn from them uniformly."""

import math
from typing import NamedTuple

import numpy as np
from scipy import special

from agents.foundation import streams
from agents.foundation.compiled import inlined
from agents.foundation.lanes import dot
from agents.foundation.typing import Float, Key

KNOTS = 1024
# -log of the smallest positive uniform number of 53 bits is 36.7.
LARGEST_EXPONENT = 37.0
# A share of the ball that has a logarithm, beyond every exponent of the table.
NOTHING = 1e-300


class Caps(NamedTuple):
    """The two parts of a ball beyond a margin, one on each side of a hyperplane (rows: negative, positive side).

    ``limits`` holds what `height` calls lowest, share, complement and start.
    """

    radius: float
    positive_share: float
    limits: Float
    heights: Float
    slopes: Float


# For populations without any.
NO_CAPS = Caps(0.0, 0.0, np.zeros((2, 4)), np.zeros((2, 2)), np.zeros((2, 2)))


def tabulate_caps(dim: int, radius: float, margin: float, bias: float) -> Caps:
    """Tabulate the truncated marginals of the two sides."""
    sides = [_cap((margin + sign * bias) / radius, dim) for sign in (1.0, -1.0)]
    limits, heights, slopes = (np.array(rows) for rows in zip(*sides, strict=True))
    return Caps(radius, limits[1, 1] / limits[:, 1].sum(), limits, heights, slopes)


def _cap(lowest: float, dim: int) -> tuple[Float, Float, Float]:
    """Return the limits of the part of the unit ball above height ``lowest``, and a table of heights with their slopes.

    A height t has density proportional to (1 - t^2)^((d-1)/2), so t^2 follows a beta distribution. The table holds the
    height h >= 0 above which lies the share exp(-y) / 2 of the ball: it is smooth in y, and dh/dy is the inverse hazard
    rate. It begins at ``lowest``, or at the centre where the part reaches beyond it.
    """
    shape = (dim + 1) / 2
    tail = 0.5 * float(special.betainc(shape, 0.5, (1.0 - lowest) * (1.0 + lowest)))
    share, complement = (tail, 1.0 - tail) if lowest >= 0.0 else (1.0 - tail, tail)
    if share * math.exp(-LARGEST_EXPONENT) < np.finfo(float).tiny:
        raise ValueError(
            f"margin and bias must leave more of the ball: with dim {dim}, next to nobody is beyond {lowest} radii"
        )
    start = max(0.0, -math.log(2.0 * share))
    doubled = np.exp(-start - np.linspace(0.0, LARGEST_EXPONENT, KNOTS))
    heights = np.sqrt(special.betainccinv(0.5, shape, doubled))
    density = special.betaincinv(shape, 0.5, doubled) ** ((dim - 1) / 2) / special.beta(0.5, shape)
    return np.array([lowest, share, complement, start]), heights, 0.5 * doubled / density


@inlined
def height(uniform: float, limits: Float, heights: Float, slopes: Float) -> float:
    """Inverse distribution function of the height in a part of the ball, at a uniform number in [0, 1).

    Whichever side of the height is the smaller one is computed without a difference of nearly equal numbers.
    """
    lowest, share, complement, start = limits[0], limits[1], limits[2], limits[3]
    above = share * (1.0 - uniform)
    if above <= 0.5:
        t = interpolated(heights, slopes, -math.log(2.0 * above) - start)
    else:
        below = max(complement + share * uniform, NOTHING)
        t = -interpolated(heights, slopes, -math.log(2.0 * below) - start)
    return float(max(lowest, t))


@inlined
def interpolated(heights: Float, slopes: Float, exponent: float) -> float:
    """Cubic Hermite interpolation of a table whose knots are equally spaced over [0, LARGEST_EXPONENT]."""
    step = LARGEST_EXPONENT / (heights.shape[0] - 1)
    position = min(max(exponent / step, 0.0), heights.shape[0] - 1.0)
    k = min(int(position), heights.shape[0] - 2)
    s = position - k
    rise = heights[k + 1] - heights[k]
    rest = 1.0 - s
    bend = slopes[k] * step * (rest * rest) + rise * s * (3.0 - 2.0 * s) - slopes[k + 1] * step * s * rest
    return float(heights[k] + s * bend)


@inlined
def separable_individual(
    key: Key,
    purpose: int,
    round: int,
    direction: Float,
    caps: Caps,
    features: Float,
) -> float:
    """Draw an individual uniformly from the two caps of a ball beyond the margin; return its label.

    No rejection: first the side, then the height along ``direction`` (d,) from its truncated marginal, then a uniform
    point of the slice at that height (Barthe, Guedon, Mendelson and Naor, "A probabilistic approach to the geometry of
    the l_p^n ball", 2005), written to ``features`` (d,).
    """
    d = direction.shape[0]
    bits = streams.philox(key, purpose, round, 0)
    side = 1 if streams.unit(bits[0]) < caps.positive_share else 0
    label = 2.0 * side - 1.0
    t = height(streams.unit(bits[1]), caps.limits[side], caps.heights[side], caps.slopes[side])
    streams.fill_normals(key, purpose, round, features)
    stretch, lift = 0.0, caps.radius * label * t
    if d > 1:
        along = dot(features, direction)
        for i in range(d):
            features[i] -= along * direction[i]
        # Normals over the root of their squared norm plus twice an exponential number are uniform in a ball.
        squares = dot(features, features) - 2.0 * math.log(1.0 - streams.unit(bits[2]))
        stretch = caps.radius * math.sqrt(max(0.0, 1.0 - t * t) / squares)
    for i in range(d):
        features[i] = stretch * features[i] + lift * direction[i]
    return label
