"""What learners with a log-concave density over the unit ball share: its body, and what a factor does to it."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from agents.foundation.compiled import compiled
from agents.foundation.lanes import copy
from agents.foundation.typing import Float, Key
from learners.search.cloud import disc_nodes, multiply_cloud, scatter
from learners.search.gauss import multiply_gauss
from learners.search.rejuvenation import effective, rejuvenate

GAUSS, PARTICLE, DISC = BODIES = ("gauss", "particle", "disc")
# Factors that particles remember one by one: with more, what one round costs and keeps would grow with the horizon.
HISTORY = 512
LARGEST_PARTICLE_DIMENSION = 40
FEWEST_PARTICLES = 8


@compiled
def multiply(state: Any, game: int, factor: Float, capped: bool, most: float) -> float:
    """Multiply one game's density by ``phi(x) = 1 + <factor, x>``, or min(1, phi), unless its mean exceeds ``most``.

    Return the logarithm of the mean Z of phi; 0 where nothing happens. The state has the fields of `body_fields`.
    """
    points = state.points[game]
    if points.shape[0] == 0:
        return multiply_gauss(state.centroid[game], state.covariance[game], factor, capped, most)
    masses = state.masses[game]
    fall = multiply_cloud(points, masses, factor, capped, most, state.centroid[game])
    capacity, place = state.history.shape[1], state.remembered[game]
    if capacity > 0 and fall != 0.0:
        copy(factor, state.history[game, place])
        state.caps[game, place] = capped
        state.remembered[game] = place + 1
        if 2.0 * effective(masses) < masses.shape[0] or place + 1 == capacity:
            rejuvenate(state, game)
    return fall


def body_fields(body: str, particles: int, keys: Sequence[Key], dim: int) -> dict[str, Any]:
    """Return the fields of the uniform density over the unit ball of R^D, for games with these keys.

    ``centroid`` (n, D); ``covariance`` (n, D, D) of the normal body, or else a root of the particles' own;
    ``points`` (n, N, D) and ``masses`` (n, N) of a cloud; ``history`` (n, M, D) and ``caps`` (n, M) of the
    ``remembered`` (n,) factors, ``anchor`` (n, D) and ``whitening`` (n, D, D) of the older ones, and ``moves`` (n,),
    how often particles have moved.
    """
    games, memory = len(keys), HISTORY if body == PARTICLE else 0
    nodes, shares = disc_nodes() if body == DISC else (np.empty((0, dim)), np.empty(0))
    if body == PARTICLE:
        nodes, shares = np.empty((particles, dim)), np.full(particles, 1.0 / particles)
    points = np.repeat(nodes[np.newaxis], games, axis=0)
    if body == PARTICLE:
        for key, cloud in zip(keys, points, strict=True):
            scatter(key, cloud)
    return {
        "centroid": np.zeros((games, dim)),
        "covariance": np.repeat(np.eye(dim)[np.newaxis] / (dim + 2.0), games, axis=0),
        "points": points,
        "masses": np.repeat(shares[np.newaxis], games, axis=0),
        "history": np.zeros((games, memory, dim)),
        "caps": np.zeros((games, memory), dtype=np.bool_),
        "remembered": np.zeros(games, dtype=np.int64),
        "anchor": np.zeros((games, dim)),
        "whitening": np.zeros((games, dim, dim)),
        "moves": np.zeros(games, dtype=np.int64),
    }
