"""The two parts of a ball beyond a margin: their tables, and individuals drawn from them uniformly."""

import math
from typing import NamedTuple

import numpy as np
from scipy import special

from agents import streams
from agents.boundary import dot, length
from agents.compiled import compiled
from agents.typing import Float, Key

KNOTS = 1024
# -log of the smallest positive uniform number of 53 bits is 36.7.
LARGEST_EXPONENT = 37.0


class Caps(NamedTuple):
    """The two parts of a ball beyond a margin, one on each side of a hyperplane (rows: negative, positive side)."""

    radius: float
    positive_share: float
    heights: Float
    slopes: Float


def tabulate_caps(dim: int, radius: float, margin: float, bias: float) -> Caps:
    """Tabulate the truncated marginals of the two sides."""
    sides = [_cap((margin + sign * bias) / radius, dim) for sign in (1.0, -1.0)]
    (negative, positive) = (share for share, _, _ in sides)
    return Caps(
        radius,
        positive / (negative + positive),
        np.array([heights for _, heights, _ in sides]),
        np.array([slopes for _, _, slopes in sides]),
    )


def _cap(lowest: float, dim: int) -> tuple[float, Float, Float]:
    """Return the share of the unit ball above height ``lowest``, and a table of the heights' inverse distribution.

    A height t has density proportional to (1 - t^2)^((d-1)/2), so t^2 follows a beta distribution. The table is in
    y = -log(share above t / share of the cap): smooth up to the pole, and dt/dy is the inverse hazard rate.
    """
    shape = (dim + 1) / 2
    above = 0.5 * float(special.betainc(shape, 0.5, 1.0 - lowest**2))
    share = above if lowest >= 0.0 else 1.0 - above
    remaining = share * np.exp(-np.linspace(0.0, LARGEST_EXPONENT, KNOTS))
    if remaining[-1] < np.finfo(float).tiny:
        raise ValueError(f"margin must leave more of the ball: with dim {dim} hardly anybody is beyond {lowest}")
    tail = 2.0 * np.minimum(remaining, 1.0 - remaining)
    complement = special.betaincinv(shape, 0.5, tail)
    heights = np.copysign(np.sqrt(special.betainccinv(0.5, shape, tail)), 0.5 - remaining)
    density = complement ** ((dim - 1) / 2) / special.beta(0.5, shape)
    with np.errstate(divide="ignore", over="ignore"):
        slopes = remaining / density
    # Three times the secant keeps a cubic monotone where the slope is infinite (a cap that is nearly the ball).
    secants = np.diff(heights) * (KNOTS - 1) / LARGEST_EXPONENT
    slopes[:-1] = np.minimum(slopes[:-1], 3.0 * secants)
    slopes[1:] = np.minimum(slopes[1:], 3.0 * secants)
    return share, heights, slopes


@compiled
def height(heights: Float, slopes: Float, exponent: float) -> float:
    """Inverse distribution function of the height in a cap of the ball, from its table (cubic Hermite).

    ``exponent`` is ``-log`` of a uniform number; knots are equally spaced over [0, LARGEST_EXPONENT].
    """
    step = LARGEST_EXPONENT / (heights.shape[0] - 1)
    k = min(int(exponent / step), heights.shape[0] - 2)
    s = exponent / step - k
    rise = heights[k + 1] - heights[k]
    bend = slopes[k] * step * (1.0 - s) ** 2 + rise * s * (3.0 - 2.0 * s) - slopes[k + 1] * step * s * (1.0 - s)
    return float(heights[k] + s * bend)


@compiled
def separable_individual(
    key: Key,
    purpose: int,
    moment: int,
    direction: Float,
    radius: float,
    positive_share: float,
    heights: Float,
    slopes: Float,
    features: Float,
) -> float:
    """Draw an individual uniformly from the two caps of a ball beyond the margin; return its label.

    No rejection: first the side, then the height along ``direction`` (d,) from its truncated marginal (``heights`` and
    ``slopes`` hold a row for the negative and one for the positive side), then a uniform point of the slice at that
    height, written to ``features`` (d,).
    """
    d = direction.shape[0]
    bits = streams.philox(key, purpose, moment, 0)
    positive = streams.unit(bits[0]) < positive_share
    label = 1.0 if positive else -1.0
    side = 1 if positive else 0
    t = height(heights[side], slopes[side], -math.log(1.0 - streams.unit(bits[1])))
    streams.fill_normals(key, purpose, moment, features)
    stretch = 0.0
    if d > 1:
        along = dot(features, direction)
        for i in range(d):
            features[i] -= along * direction[i]
        inside = math.sqrt(max(0.0, 1.0 - t * t)) * streams.unit(bits[2]) ** (1.0 / (d - 1))
        stretch = radius * inside / length(features)
    for i in range(d):
        features[i] = stretch * features[i] + radius * label * t * direction[i]
    return label


@compiled
def fill_separable(
    key: Key,
    purpose: int,
    first: int,
    direction: Float,
    radius: float,
    positive_share: float,
    heights: Float,
    slopes: Float,
    features: Float,
    labels: Float,
) -> None:
    """Draw ``len(labels)`` individuals, the k-th at moment ``first + k``."""
    for k in range(labels.shape[0]):
        labels[k] = separable_individual(
            key, purpose, first + k, direction, radius, positive_share, heights, slopes, features[k]
        )
