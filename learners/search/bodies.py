"""Knowledge sets that are the bodies themselves, at many scales: exact polytopes, and clouds of samples.

Every stored half-space ``<a, u> >= b`` with ``|a| = 1`` is moved back by the scale's slack z, so that a body holds the
hidden point with the ball of radius z around it, and one more cut adds one more half-space. Cutting at the median, less
a slab that holds a quarter at most, leaves three quarters of the explored scale's volume: its logarithm falls by
``ln(4 / 3)`` at least.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np

from agents.foundation.typing import Float
from learners.search.ellipsoids import thresholds_of

LEAST_DROP = math.log(4.0 / 3.0)


class Body(ABC):
    """What a hidden point of the ball of radius r may be, at all scales; a scale is made when it is first explored.

    Parameters
    ----------
    dim : int
        d.
    radius : float
        r.

    Attributes
    ----------
    thresholds, slacks : ndarray, shape (S,)
    cuts : list of (ndarray, float)
        All half-spaces ``<a, u> >= b`` so far, a of length 1.
    lies : int
        Half-spaces that left no room at some scale, which did not believe them.
    """

    dimensions: ClassVar[tuple[int, int]]

    def __init__(self, dim: int, radius: float) -> None:
        least, most = self.dimensions
        if not least <= dim <= most:
            raise ValueError(f"{type(self).__name__} must have from {least} to {most} dimensions, got {dim}")
        self.dim, self.radius = dim, radius
        self.thresholds = thresholds_of(radius)
        self.slacks = self.thresholds / (4.0 * dim)
        self.scales: list[Any] = []
        self.cuts: list[tuple[Float, float]] = []
        self.lies = 0

    def __eq__(self, other: object) -> bool:
        """Whether two bodies have heard the same."""
        return isinstance(other, Body) and len(self.cuts) == len(other.cuts) and all(
            bound == level and (normal == direction).all()
            for (normal, bound), (direction, level) in zip(self.cuts, other.cuts, strict=True)
        )  # fmt: skip

    __hash__ = None  # type: ignore[assignment]  # it changes

    @abstractmethod
    def _whole(self, scale: int) -> Any:
        """Return the scale's body before any cut."""

    @abstractmethod
    def _cut(self, found: Any, scale: int, normal: Float, bound: float) -> Any:
        """Return what a half-space leaves of a body; None if that is nothing."""

    @abstractmethod
    def _is_wide(self, values: Float, threshold: float) -> bool:
        """Whether a body whose points have these values along a query is explored."""

    @abstractmethod
    def _reach(self, values: Float) -> tuple[float, float]:
        """Return between which values all points of the body lie."""

    @abstractmethod
    def points(self, found: Any) -> Float:
        """Return points (m, d) that say how far the body extends."""

    @abstractmethod
    def share(self, scale: int, normal: Float, bound: float) -> float:
        """Return what share of a scale's volume has ``<a, u> >= b``."""

    @abstractmethod
    def log_volume(self, scale: int) -> float:
        """Return the logarithm of a scale's volume over that of the ball of its slack."""

    def _at(self, scale: int) -> Any:
        """Return a scale's body, made of all cuts so far if it is new."""
        while len(self.scales) <= scale:
            place = len(self.scales)
            found = self._whole(place)
            for normal, bound in self.cuts:
                left = self._cut(found, place, normal, bound - self.slacks[place])
                found = found if left is None else left
            self.scales.append(found)
        return self.scales[scale]

    def explore(self, query: Float) -> tuple[int, float, float]:
        """Return the coarsest scale that is wide along a query, -1 if none is, and between what its value lies."""
        most = self.radius * float(np.linalg.norm(query))
        low, high = -most, most
        if most <= self.thresholds[-1]:
            return -1, low, high
        for scale, threshold in enumerate(self.thresholds):
            values = self.points(self._at(scale)) @ query
            least, largest = self._reach(values)
            low, high = max(low, least), min(high, largest)
            if self._is_wide(values, threshold):
                return scale, low, high
        return -1, low, high

    def keep(self, query: Float, side: float, offset: float) -> None:
        """Learn that ``side <x, u> >= side offset``."""
        norm = float(np.linalg.norm(query))
        if norm < 1e-150:
            return
        normal, bound = side * query / norm, side * offset / norm
        kept = [self._cut(found, i, normal, bound - self.slacks[i]) for i, found in enumerate(self.scales)]
        self.lies += any(found is None for found in kept)
        self.scales = [old if new is None else new for old, new in zip(self.scales, kept, strict=True)]
        self.cuts.append((normal, bound))

    def median(self, scale: int, query: Float, low: float, high: float) -> float:
        """Return the value that halves a scale's volume along a query, by bisection."""
        norm = float(np.linalg.norm(query))
        for _ in range(40):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if self.share(scale, query / norm, middle / norm) > 0.5 else (low, middle)
        return 0.5 * (low + high)

    def potential(self, exponent: float) -> float:
        """Return what exploring can still cost, as `learners.search.ellipsoids.potential`."""
        worth = (2.0 * self.thresholds) ** exponent
        return float(sum(worth[i] * max(0.0, self.log_volume(i)) for i in range(len(worth))) / LEAST_DROP)


def are_bodies(bodies: Iterable[object], dim: int) -> bool:
    """Whether all of these are bodies of so many dimensions."""
    return all(isinstance(body, Body) and body.dim == dim for body in bodies)


def log_ball(dim: int, radius: float) -> float:
    """Return the logarithm of a ball's volume."""
    return 0.5 * dim * math.log(math.pi) - math.lgamma(0.5 * dim + 1.0) + dim * math.log(radius)
