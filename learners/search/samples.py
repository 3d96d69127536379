"""Sampled knowledge sets: clouds that hit-and-run keeps uniform, for up to about twenty dimensions."""

import math
from typing import Any, NamedTuple

import numpy as np

from agents.foundation.typing import Float
from learners.search.bodies import Body, log_ball

SAMPLES = 200
STEPS = 20


class Cloud(NamedTuple):
    """Points (m, d) of a ball that satisfy ``A u >= b``, and the estimated logarithm of its share of the ball."""

    points: Float
    normals: Float
    bounds: Float
    log_share: float


class SampledBody(Body):
    """A cloud of points, uniform over each scale's body: for those that a cut removes, others walk in.

    A scale is explored where the standard deviation of the values exceeds ``e_i / (d + 2)``: a body is at most d + 2
    times as wide. Slacks are a quarter of that. A half-space that removes no point is not believed to cut. Each step
    of a walk goes to a random place of a chord whose direction has the cloud's covariance.

    Parameters
    ----------
    dim : int
    radius : float
    seed : sequence of int
        Of its draws.
    """

    dimensions = (1, 64)

    def __init__(self, dim: int, radius: float, seed: Any) -> None:
        super().__init__(dim, radius)
        self.slacks = self.thresholds / (4.0 * (dim + 2.0))
        self.draws = np.random.default_rng(seed)

    def _whole(self, scale: int) -> Cloud:
        rows = self.draws.standard_normal((SAMPLES, self.dim))
        rows *= self.draws.random((SAMPLES, 1)) ** (1.0 / self.dim) / np.linalg.norm(rows, axis=1, keepdims=True)
        return Cloud(rows * (self.radius + self.slacks[scale]), np.empty((0, self.dim)), np.empty(0), 0.0)

    def points(self, found: Any) -> Float:
        """Return the cloud."""
        return np.asarray(found.points)

    def _reach(self, values: Float) -> tuple[float, float]:
        far = 0.5 * (self.dim + 2.0) * float(values.std())
        middle = float(values.mean())
        return middle - far, middle + far

    def _is_wide(self, values: Float, threshold: float) -> bool:
        return bool(values.std() * (self.dim + 2.0) > threshold)

    def _cut(self, found: Any, scale: int, normal: Float, bound: float) -> Any:
        inside = found.points @ normal >= bound
        kept = int(inside.sum())
        if kept == len(inside):
            return found
        if kept == 0:
            return None
        normals, bounds = np.vstack([found.normals, normal]), np.append(found.bounds, bound)
        points = found.points.copy()
        starts = points[inside][self.draws.integers(0, kept, len(points) - kept)]
        reach = self.radius + self.slacks[scale]
        points[~inside] = self._walked(starts, points[inside], normals, bounds, reach)
        return Cloud(points, normals, bounds, found.log_share + math.log(kept / len(inside)))

    def _walked(self, starts: Float, cloud: Float, normals: Float, bounds: Float, reach: float) -> Float:
        """Return where hit-and-run leads from some points, in directions that are spread as the cloud is."""
        spread = cloud - cloud.mean(axis=0)
        for _ in range(STEPS):
            mix = self.draws.standard_normal((len(starts), len(spread)))
            ways = mix @ spread + 1e-3 * spread.std() * self.draws.standard_normal(starts.shape)
            ways /= np.maximum(np.linalg.norm(ways, axis=1, keepdims=True), 1e-300)
            along = (starts * ways).sum(axis=1)
            root = np.sqrt(np.maximum(along**2 - (starts**2).sum(axis=1) + reach**2, 0.0))
            low, high = -along - root, -along + root
            with np.errstate(divide="ignore", invalid="ignore"):
                limits = (bounds - starts @ normals.T) / (slopes := ways @ normals.T)
            low = np.maximum(low, np.where(slopes > 0.0, limits, -np.inf).max(axis=1, initial=-np.inf))
            high = np.minimum(high, np.where(slopes < 0.0, limits, np.inf).min(axis=1, initial=np.inf))
            far = low + self.draws.random(len(starts)) * np.maximum(high - low, 0.0)
            starts = starts + far[:, np.newaxis] * ways
        return starts

    def share(self, scale: int, normal: Float, bound: float) -> float:
        """Return what share of a scale's cloud has ``<a, u> >= b``."""
        return float((self._at(scale).points @ normal >= bound).mean())

    def median(self, scale: int, query: Float, low: float, high: float) -> float:
        """Return the median of a scale's cloud along a query."""
        return float(np.median(self._at(scale).points @ query))

    def log_volume(self, scale: int) -> float:
        """Return an estimate of the logarithm of a scale's volume over that of the ball of its slack.

        Scales that nothing has explored yet are taken for as much of their ball as the finest one that something has.
        """
        ball = log_ball(self.dim, self.radius + self.slacks[scale]) - log_ball(self.dim, self.slacks[scale])
        return float(ball + self._at(min(scale, max(0, len(self.scales) - 1))).log_share)
