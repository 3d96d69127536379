"""Exact knowledge sets: polygons by clipping, and polytopes of three and four dimensions along their edges."""

from typing import Any, NamedTuple

import numpy as np

from agents.foundation.typing import Float
from learners.search.bodies import Body, log_ball

# Sides of the polygon around the first disc.
SIDES = 48
# A cut that takes less than this part of a body's width is left out: the slack would make a face of every round. One
# that takes a quarter of the volume takes at least 1 / (4 d) of the width.
SHALLOW = 1.0 / 64.0
# How far a vertex may lie off a face, and two vertices apart, to be taken for on it, and for one.
ON_FACE = 1e-11


class Polytope(NamedTuple):
    """Vertices (m, d), in order if d = 2, and from three dimensions on the faces ``A u >= b`` that hold them."""

    vertices: Float
    normals: Float
    bounds: Float


class ExactBody(Body):
    """A polytope, which is its own width; the first one is a polygon or cube around the ball."""

    dimensions = (2, 4)

    def _whole(self, scale: int) -> Polytope:
        reach, axes = self.radius + self.slacks[scale], np.eye(self.dim)
        if self.dim == 2:
            angles = 2.0 * np.pi * np.arange(SIDES) / SIDES
            ring = np.column_stack([np.cos(angles), np.sin(angles)])
            return Polytope(reach / np.cos(np.pi / SIDES) * ring, np.empty((0, 2)), np.empty(0))
        corners = np.meshgrid(*[[-reach, reach]] * self.dim, indexing="ij")
        vertices = np.stack(corners, axis=-1).reshape(-1, self.dim)
        return Polytope(vertices, np.vstack([axes, -axes]), np.full(2 * self.dim, -reach))

    def points(self, found: Any) -> Float:
        """Return the vertices."""
        return np.asarray(found.vertices)

    def _reach(self, values: Float) -> tuple[float, float]:
        return float(values.min()), float(values.max())

    def _is_wide(self, values: Float, threshold: float) -> bool:
        return bool(values.max() - values.min() > threshold)

    def _cut(self, found: Any, scale: int, normal: Float, bound: float) -> Any:
        values = found.vertices @ normal
        if bound - values.min() < SHALLOW * (values.max() - values.min()):
            return found
        return clipped(found, normal, bound)

    def share(self, scale: int, normal: Float, bound: float) -> float:
        """Return what share of a scale's volume has ``<a, u> >= b``, exactly."""
        whole = self._at(scale)
        part = clipped(whole, normal, bound)
        return 0.0 if part is None else 1.0 if part is whole else volume(part.vertices) / volume(whole.vertices)

    def log_volume(self, scale: int) -> float:
        """Return the logarithm of a scale's volume over that of the ball of its slack."""
        return float(np.log(volume(self._at(scale).vertices))) - log_ball(self.dim, float(self.slacks[scale]))


def clipped(whole: Polytope, normal: Float, bound: float) -> Polytope | None:
    """Return what ``<a, u> >= b`` leaves of a polytope: the same one if all, None if nothing."""
    vertices, normals, bounds = whole
    values = vertices @ normal - bound
    inside = values >= 0.0
    if inside.all():
        return whole
    if values.max() <= ON_FACE:
        return None
    if vertices.shape[1] == 2:
        return whole._replace(vertices=_clipped_polygon(vertices, values, inside))
    # Two vertices with d - 1 faces in common are the ends of an edge.
    on_face = np.abs(vertices @ normals.T - bounds) <= ON_FACE
    shared = on_face[inside].astype(np.int64) @ on_face[~inside].T.astype(np.int64)
    first, second = np.nonzero(shared >= vertices.shape[1] - 1)
    near, far = values[inside][first], values[~inside][second]
    crossings = vertices[inside][first] + (near / (near - far))[:, np.newaxis] * (
        vertices[~inside][second] - vertices[inside][first]
    )
    corners = np.concatenate([vertices[inside], crossings])
    _, once = np.unique(np.round(corners / ON_FACE), axis=0, return_index=True)
    corners, normals, bounds = corners[once], np.vstack([normals, normal]), np.append(bounds, bound)
    held = (np.abs(corners @ normals.T - bounds) <= ON_FACE).any(axis=0)
    return Polytope(corners, normals[held], bounds[held])


def _clipped_polygon(vertices: Float, values: Float, inside: Any) -> Float:
    """Return the corners of a polygon, in order, and where its sides cross the line."""
    following = np.roll(values, -1)
    crossing = inside != (following >= 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(crossing, values / (values - following), 0.0)
    crossed = vertices + share[:, np.newaxis] * (np.roll(vertices, -1, axis=0) - vertices)
    corners = np.stack([vertices, crossed], axis=1)
    return np.asarray(corners[np.stack([inside, crossing], axis=1)])


def volume(vertices: Float) -> float:
    """Return the volume of the convex hull of vertices (m, d); of a polygon, they must be in order."""
    if vertices.shape[1] == 2:
        (x, y), (u, v) = vertices.T, np.roll(vertices, -1, axis=0).T
        return 0.5 * abs(float(np.sum(x * v - u * y)))
    from scipy.spatial import ConvexHull  # heavy

    # Whitened, since Qhull knows no thin bodies.
    spread = vertices - vertices.mean(axis=0)
    _, sizes, axes = np.linalg.svd(spread, full_matrices=False)
    return float(ConvexHull(spread @ axes.T / sizes).volume * np.prod(sizes))
