"""A normal distribution in place of a log-concave density: factors of one direction keep mean and covariance exact."""

import math

import numpy as np
from numpy.polynomial.hermite_e import hermegauss

from agents.foundation.compiled import compiled
from agents.foundation.lanes import dot, length
from agents.foundation.typing import Float

NODES, MASSES = (np.ascontiguousarray(part) for part in hermegauss(40))
MASSES /= MASSES.sum()


@compiled
def multiply_gauss(centroid: Float, covariance: Float, factor: Float, capped: bool, most: float) -> float:
    """Multiply the density by ``phi(x) = 1 + <factor, x>``, or min(1, phi), and match mean and covariance, in place.

    Parameters
    ----------
    centroid : ndarray, shape (D,)
        The mean; it stays in the unit ball.
    covariance : ndarray, shape (D, D)
        Symmetric positive definite, and stays so.
    factor : ndarray, shape (D,)
        Shorter than 1.
    capped : bool
        Whether phi is at most 1.
    most : float
        Nothing happens where the mean of phi exceeds this.

    Returns
    -------
    float
        Logarithm of the mean Z of phi; 0 where nothing happens.
    """
    d = factor.shape[0]
    pull = np.empty(d)
    for i in range(d):
        pull[i] = dot(covariance[i], factor)
    mean, deviation = dot(factor, centroid), np.sqrt(dot(factor, pull))
    total = first = second = 0.0
    for i in range(NODES.shape[0]):
        node = NODES[i]
        value = max(0.0, 1.0 + mean + deviation * node)
        mass = MASSES[i] * (min(1.0, value) if capped else value)
        total += mass
        first += mass * node
        second += mass * node * node
    if total > most or deviation == 0.0:
        return 0.0
    first /= total
    shrink = (second / total - first * first - 1.0) / (deviation * deviation)
    for i in range(d):
        centroid[i] += first / deviation * pull[i]
        for j in range(d):
            covariance[i, j] += shrink * (pull[i] * pull[j])
    norm = length(centroid)
    if norm > 1.0:
        for i in range(d):
            centroid[i] /= norm
    return math.log(total)
