"""What learners of centres in the plane still believe possible, as outlines to draw."""

from functools import singledispatch
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from agents.foundation.typing import Float
from learners.search.centres_bodies import CentresBodiesState
from learners.search.centres_ellipsoids import CentresState
from learners.search.density_centres import DensityCentresState
from learners.search.ellipsoids import explore
from learners.search.lifting import INNER
from learners.search.pairs import RADIUS
from learners.search.zero_sum import helmert

STEPS = 120
DEVIATIONS = 2.0


class Belief(NamedTuple):
    """Where the difference ``x_label - x_other`` of two centres may lie: the corners (m, 2) of a region."""

    label: int
    other: int
    outline: Float


def beliefs_of(state: Any) -> list[Belief]:
    """Return what the first game of a state believes of each pair of centres; nothing where that is no plane's.

    Knowledge sets are those at the scale at which the last query was explored; densities are shown two standard
    deviations wide.
    """
    if getattr(state, "features", np.empty((0, 0))).shape[1:] != (2,) or int(getattr(state, "kind", [-1])[0]) != INNER:
        return []
    pairs = combinations(range(state.scores.shape[1]), 2)
    return [Belief(*pair, outline) for pair, outline in zip(pairs, _outlines(state), strict=False)]


def circle() -> Float:
    """Return points (STEPS, 2) of the unit circle."""
    angles = np.linspace(0.0, 2.0 * np.pi, STEPS)
    return np.column_stack([np.cos(angles), np.sin(angles)])


@singledispatch
def _outlines(state: Any) -> list[Float]:
    """Return an outline for each pair."""
    return []


@_outlines.register(CentresState)
def _of_ellipsoids(state: CentresState) -> list[Float]:
    query, found = state.query[0], []
    for centres, factors in zip(state.weights[0], state.factors[0], strict=True):
        most = RADIUS * float(np.linalg.norm(query))
        scale = int(explore(centres, factors, state.thresholds[0], query, most, np.empty(2))[0])
        found.append(centres[scale] + circle() @ factors[scale].T)
    return found


@_outlines.register(CentresBodiesState)
def _of_bodies(state: CentresBodiesState) -> list[Float]:
    from scipy.spatial import ConvexHull  # heavy

    found = []
    for body in state.bodies[0]:
        scale = body.explore(state.query[0])[0]
        points = body.points(body.scales[scale]) if body.scales else RADIUS * circle()
        found.append(points[ConvexHull(points).vertices])
    return found


@_outlines.register(DensityCentresState)
def _of_density(state: DensityCentresState) -> list[Float]:
    classes, mean = state.scores.shape[1], state.centroid[0]
    points, spread = state.points[0], state.covariance[0]
    if len(points):
        offset = points - mean
        spread = (state.masses[0, :, np.newaxis] * offset).T @ offset
    found = []
    for label, other in combinations(range(classes), 2):
        weights = [helmert(label, axis) - helmert(other, axis) for axis in range(classes - 1)]
        difference = np.kron(np.array(weights), np.eye(2))  # (2, D)
        root = np.linalg.cholesky(difference @ spread @ difference.T + 1e-18 * np.eye(2))
        found.append(difference @ mean + DEVIATIONS * circle() @ root.T)
    return found
