"""A density as a cloud of weighted points: fixed ones that integrate polynomials exactly, or particles that move."""

import math

import numpy as np

from agents.foundation.compiled import compiled, loop
from agents.foundation.lanes import dot, length
from agents.foundation.streams import fill_normals, uniform
from agents.foundation.typing import Float, Key

# A purpose of random numbers far from those of games and of actions.
POINTS = 201
# Nodes of the disc in the square of the radius, and in the angle: polynomials of degree 254 are integrated exactly.
RADII, ANGLES = 64, 256


@compiled
def multiply_cloud(points: Float, masses: Float, factor: Float, capped: bool, most: float, centroid: Float) -> float:
    """Multiply the density by ``phi(x) = 1 + <factor, x>``, or min(1, phi), in place.

    Parameters
    ----------
    points : ndarray, shape (N, D)
        In the unit ball.
    masses : ndarray, shape (N,)
        Of sum 1, and stay so.
    factor : ndarray, shape (D,)
        Shorter than 1.
    capped : bool
        Whether phi is at most 1.
    most : float
        Nothing happens where the mean of phi exceeds this.
    centroid : ndarray, shape (D,)
        Overwritten by the mean of the points.

    Returns
    -------
    float
        Logarithm of the mean Z of phi; 0 where nothing happens.
    """
    values = np.empty(masses.shape[0])
    total = 0.0
    for j in range(masses.shape[0]):
        value = 1.0 + dot(factor, points[j])
        values[j] = masses[j] * (min(1.0, value) if capped else value)
        total += values[j]
    if total > most:
        return 0.0
    for j in range(masses.shape[0]):
        masses[j] = values[j] / total
    write_mean(points, masses, centroid)
    return math.log(total)


@loop
def write_mean(points: Float, masses: Float, out: Float) -> None:
    """Write the mean of weighted points (N, D) to ``out`` (D,)."""
    for i in range(out.shape[0]):
        out[i] = 0.0
    for j in range(masses.shape[0]):
        for i in range(out.shape[0]):
            out[i] += masses[j] * points[j, i]


@compiled
def scatter(key: Key, points: Float) -> None:
    """Draw ``points`` (N, D) uniformly from the unit ball."""
    for j in range(points.shape[0]):
        point = points[j]
        fill_normals(key, POINTS, j, point)
        level = 1.0 - uniform(key, POINTS, j)  # in (0, 1]
        scale = math.exp(math.log(level) / point.shape[0]) / length(point)
        for i in range(point.shape[0]):
            point[i] *= scale


def disc_nodes() -> tuple[Float, Float]:
    """Return points (N, 2) and masses (N,) that integrate polynomials over the unit disc: Gauss times trapezoids."""
    nodes, masses = np.polynomial.legendre.leggauss(RADII)
    radii, angles = np.sqrt((1.0 + nodes) / 2.0), 2.0 * np.pi * np.arange(ANGLES) / ANGLES
    points = radii[:, np.newaxis, np.newaxis] * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return points.reshape(-1, 2), np.repeat(masses / (2.0 * ANGLES), ANGLES)
