"""Particles that have become uneven are drawn anew, and moved by slice steps that keep the density as it is."""

import math
from typing import Any

import numpy as np

from agents.foundation.compiled import compiled, loop
from agents.foundation.lanes import dot, length
from agents.foundation.streams import fill_normals, philox, uniform, unit
from agents.foundation.typing import Bool, Float, Key
from learners.search.cloud import write_mean

RESAMPLING, DIRECTIONS, SLICES = 202, 203, 204
STEPS = 4  # of each particle
SHARED = 32  # directions in a step; particle j takes number j % SHARED, so that copies of one part
MOST_ATTEMPTS = 64
SMALLEST_FACTOR, SMALLEST_PRODUCT = 1e-100, 1e-200


@compiled
def effective(masses: Float) -> float:
    """Return how many particles of equal mass are as good as these."""
    return 1.0 / dot(masses, masses)


@compiled
def rejuvenate(state: Any, game: int) -> None:
    """Draw the particles of one game anew by their masses, and let each make its steps.

    The density is the product of the factors in ``state.history`` and of a normal one in whose place older factors
    have been: a full history is taken for the normal density with the mean and covariance of its particles.
    """
    points, masses, centroid, key = state.points[game], state.masses[game], state.centroid[game], state.key[game]
    root, number = state.covariance[game], state.moves[game]
    state.moves[game] = number + 1
    write_root(points, masses, centroid, root)
    resample(points, masses, uniform(key, RESAMPLING, number))
    if state.remembered[game] == state.history.shape[1]:
        state.remembered[game] = 0
        state.anchor[game] = centroid
        write_inverse(root, state.whitening[game])
    remembered = state.remembered[game]
    history, caps = state.history[game, :remembered], state.caps[game, :remembered]
    directions = np.empty((SHARED, centroid.shape[0]))
    along = np.empty((SHARED, remembered))
    values = np.empty((points.shape[0], remembered))
    for j in range(points.shape[0]):
        for t in range(remembered):
            values[j, t] = 1.0 + dot(history[t], points[j])
    for step in range(number * STEPS, (number + 1) * STEPS):
        for shared in range(SHARED):
            write_direction_in(root, key, step * SHARED + shared, directions[shared])
            for t in range(remembered):
                along[shared, t] = dot(history[t], directions[shared])
        for j in range(points.shape[0]):
            move(
                points[j], directions[j % SHARED], values[j], along[j % SHARED], caps,
                state.anchor[game], state.whitening[game], key, step * points.shape[0] + j,
            )  # fmt: skip
    write_mean(points, masses, centroid)


@compiled
def write_root(points: Float, masses: Float, centroid: Float, out: Float) -> None:
    """Write the lower triangular root of the covariance of weighted points (N, D) to ``out`` (D, D)."""
    d = centroid.shape[0]
    out[:] = 0.0
    for j in range(masses.shape[0]):
        for i in range(d):
            share = masses[j] * (points[j, i] - centroid[i])
            for k in range(i + 1):
                out[i, k] += share * (points[j, k] - centroid[k])
    for i in range(d):
        for k in range(i):
            rest = out[i, k] - dot(out[i, :k], out[k, :k])
            out[i, k] = rest / out[k, k]
        # What rounding leaves of a direction in which the particles agree must not be 0.
        out[i, i] = np.sqrt(max(out[i, i] - dot(out[i, :i], out[i, :i]), 1e-14 * out[i, i] + 1e-200))


@compiled
def write_inverse(root: Float, out: Float) -> None:
    """Write the inverse of a lower triangular matrix (D, D) to ``out``."""
    d = root.shape[0]
    out[:] = 0.0
    for k in range(d):
        out[k, k] = 1.0 / root[k, k]
        for i in range(k + 1, d):
            rest = 0.0
            for j in range(k, i):
                rest -= root[i, j] * out[j, k]
            out[i, k] = rest / root[i, i]


@compiled
def resample(points: Float, masses: Float, level: float) -> None:
    """Draw as many particles by their masses, systematically: one level in [0, 1) places all N equidistant marks."""
    n = masses.shape[0]
    old, place, total = points.copy(), 0, masses[0]
    for j in range(n):
        while total * n < j + level and place < n - 1:
            place += 1
            total += masses[place]
        points[j] = old[place]
    masses[:] = 1.0 / n


@compiled
def write_direction_in(root: Float, key: Key, number: int, out: Float) -> None:
    """Write a normal vector with the covariance whose root is given to ``out`` (D,)."""
    normals = np.empty(out.shape[0])
    fill_normals(key, DIRECTIONS, number, normals)
    for i in range(out.shape[0]):
        out[i] = dot(root[i, : i + 1], normals[: i + 1])


@compiled
def move(
    point: Float,
    direction: Float,
    values: Float,
    along: Float,
    caps: Bool,
    anchor: Float,
    whitening: Float,
    key: Key,
    number: int,
) -> None:
    """Move one particle along a direction by a slice step; ``values`` (n,) of the factors move with it."""
    d = point.shape[0]
    offset, start, change = point - anchor, np.empty(d), np.empty(d)
    for i in range(d):
        start[i] = dot(whitening[i, : i + 1], offset[: i + 1])
        change[i] = dot(whitening[i, : i + 1], direction[: i + 1])
    square, product, speed = dot(start, start), dot(start, change), dot(change, change)
    low, high = chord(point, direction)
    level = log_product(values, along, caps, 0.0) - 0.5 * square
    level += math.log(1.0 - unit(philox(key, SLICES, number, 0)[1]))
    for attempt in range(MOST_ATTEMPTS):
        way = low + (high - low) * unit(philox(key, SLICES, number, attempt)[0])
        if log_product(values, along, caps, way) - 0.5 * (square + way * (2.0 * product + way * speed)) >= level:
            break
        if way < 0.0:
            low = way
        else:
            high = way
    else:
        return
    for i in range(d):
        start[i] = point[i] + way * direction[i]
    if length(start) <= 1.0:
        point[:] = start
        for t in range(values.shape[0]):
            values[t] += way * along[t]


@loop
def chord(point: Float, direction: Float) -> tuple[float, float]:
    """Return how far a point may go back and ahead along a direction inside the unit ball."""
    speed, product = dot(direction, direction), dot(point, direction)
    root = np.sqrt(max(0.0, product * product + speed * (1.0 - dot(point, point))))
    return (-product - root) / speed, (root - product) / speed


@loop
def log_product(values: Float, along: Float, caps: Bool, way: float) -> float:
    """Return the logarithm of the product of all factors where a particle has gone that way."""
    total, product = 0.0, 1.0
    for t in range(values.shape[0]):
        value = values[t] + way * along[t]
        if value < 1.0 or not caps[t]:
            product *= max(value, SMALLEST_FACTOR)
            if product < SMALLEST_PRODUCT:
                total += math.log(product)
                product = 1.0
    return total + math.log(product)
