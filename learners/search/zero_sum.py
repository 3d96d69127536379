"""Centres whose sum is zero, in coordinates of their own: only differences of centres decide who is nearest."""

import math

import numpy as np

from agents.foundation.compiled import inlined, loop
from agents.foundation.lanes import length
from agents.foundation.typing import Float

# Shorter queries than this compare no centres: nothing is learned from them.
SHORTEST_QUERY = 1e-150


@inlined
def helmert(label: int, axis: int) -> float:
    """Return one coordinate of a label in the orthonormal basis (Helmert's) of the space of K numbers of sum zero.

    The rows E_i of all labels satisfy ``<E_i, E_j> = 1[i = j] - 1 / K``; with two labels they are +-1 / sqrt 2.
    """
    if label > axis + 1:
        return 0.0
    scale = 1.0 / math.sqrt((axis + 1.0) * (axis + 2.0))
    return -(axis + 1.0) * scale if label == axis + 1 else scale


@inlined
def has_direction(features: Float) -> bool:
    """Return whether a query is long enough to compare centres."""
    return length(features) >= SHORTEST_QUERY


@loop
def write_direction(features: Float, out: Float) -> None:
    """Write ``q / |q|`` to ``out`` (d,); a power of two scales q beforehand, so that any other changes no bit."""
    largest = 0.0
    for value in features:
        largest = max(largest, abs(value))
    exponent = math.frexp(largest)[1]
    for i in range(features.shape[0]):
        out[i] = math.ldexp(features[i], -exponent)
    norm = length(out)
    for i in range(features.shape[0]):
        out[i] /= norm


@loop
def write_comparison(direction: Float, label: int, other: int, factor: float, out: Float) -> None:
    """Write ``factor`` times the unit vector ``(E_label - E_other) / sqrt 2 (x) direction`` to ``out`` (D,)."""
    d = direction.shape[0]
    for axis in range(out.shape[0] // d):
        step = factor * (helmert(label, axis) - helmert(other, axis)) / math.sqrt(2.0)
        for i in range(d):
            out[axis * d + i] = step * direction[i]


@loop
def write_centres(coordinates: Float, out: Float) -> None:
    """Write the centres (K, d) of sum zero whose coordinates are given, (D,) with ``D = (K - 1) d``."""
    classes, d = out.shape
    for label in range(classes):
        for i in range(d):
            out[label, i] = 0.0
        for axis in range(classes - 1):
            share = helmert(label, axis)
            for i in range(d):
                out[label, i] += share * coordinates[axis * d + i]


def coordinates_of(centres: Float) -> Float:
    """Return the coordinates (D,) of centres (K, d), their mean subtracted."""
    classes, d = centres.shape
    basis = np.array([[helmert(label, axis) for axis in range(classes - 1)] for label in range(classes)])
    return np.asarray((basis.T @ centres).reshape((classes - 1) * d))
