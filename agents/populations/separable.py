"""Individuals whom a hyperplane separates with a margin, drawn uniformly from what is left of a ball."""

from collections.abc import Sequence
from typing import Self

import numpy as np

from agents.foundation.checks import (
    LARGEST_LENGTH,
    LARGEST_SIZE,
    count,
    finite_array,
    finite_length,
    finite_number,
    finite_reaches,
    flag,
    interval,
)
from agents.foundation.typing import Float, Key
from agents.populations.arrivals import Arrivals, SourceArrivals, draw_direction, draw_pool
from agents.populations.caps import tabulate_caps
from agents.populations.groups import Groups
from agents.populations.population import Population, _probability
from agents.populations.sources import AT_RANDOM, NEW, Source


class Separable(Population):
    """Individuals uniform in a ball, given a distance of at least ``margin`` from a random hyperplane.

    Parameters
    ----------
    dim : int
        Number of features.
    radius : float
        R, the ball's radius.
    margin : float
        Least distance of an individual from the hyperplane, greater than 0.
    bias : float
        The hyperplane is ``{z : w*.z + bias = 0}`` with ``|w*| = 1``.
    pool : int, optional
        Draw this many individuals at the start and let them arrive at random; by default everybody is new.
    nonnegative : bool
        Whether ``w*`` has no negative coordinate, as Theorem 2 of the Strategic Perceptron needs.
    noise : float
        Probability that a label is flipped when its individual arrives.
    alpha : tuple of float, optional
        Give every individual an l2 reach of its own, uniform over this interval.
    alpha_of_groups : tuple of Groups and sequence of float, optional
        Give every individual the l2 reach of its group: groups that are drawn by shares, and a reach for each. Needs
        that everybody is new.

    Raises
    ------
    ValueError
        For numbers out of range (see `agents.foundation.checks`), ``|bias| + margin >= radius``, or a side of the
        hyperplane with next to nothing of the ball beyond the margin.

    Examples
    --------
    >>> import numpy as np
    >>> from agents import Separable
    >>> from agents.foundation.streams import game_key
    >>> arrivals = Separable(dim=2, radius=1.0, margin=0.1).arrivals(game_key(seed=0))
    >>> features, labels = arrivals.points(1000)
    >>> distances = labels * (features @ arrivals.separator[:-1] + arrivals.separator[-1])
    >>> bool((distances >= 0.1).all()), bool((np.linalg.norm(features, axis=1) <= 1.0).all())
    (True, True)
    """

    margin: float

    def __init__(
        self,
        dim: int = 2,
        radius: float = 1.0,
        margin: float = 0.1,
        *,
        bias: float = 0.0,
        pool: int | None = None,
        nonnegative: bool = False,
        noise: float = 0.0,
        alpha: tuple[float, float] | None = None,
        alpha_of_groups: tuple[Groups, Sequence[float]] | None = None,
    ) -> None:
        self.dim = count("dim", dim, minimum=1, maximum=LARGEST_LENGTH)
        self.radius = finite_length("radius", radius, above=0.0)
        self.bias = finite_number("bias", bias)
        self.margin = finite_length("margin", margin, above=0.0)
        if abs(self.bias) + self.margin >= self.radius:
            raise ValueError(
                f"|bias| + margin must be less than radius, got bias {bias}, margin {margin} and radius {radius}"
            )
        self.pool = None if pool is None else count("pool", pool, minimum=1, maximum=LARGEST_SIZE // self.dim)
        self.nonnegative = flag("nonnegative", nonnegative)
        self.noise = _probability(noise)
        self.alpha = None if alpha is None else interval("alpha", alpha)
        self._tiers = np.empty((2, 0))
        if alpha_of_groups is not None:
            if alpha is not None or pool is not None:
                raise ValueError(
                    "alpha_of_groups leaves no alpha and no pool: everybody is new, with the group's reach"
                )
            self.groups, reaches = alpha_of_groups
            self._tiers = _tiers(self.groups, reaches)
            self.alpha = float(self._tiers[1].min()), float(self._tiers[1].max())
        self.high = np.full(self.dim, self.radius)
        self.low = -self.high
        self._caps = tabulate_caps(self.dim, self.radius, self.margin, self.bias)
        self._shared: Source | None = None

    def grouped(self, groups: Groups) -> Self:
        """Return the same population with other groups, which decide nothing."""
        if self._tiers.shape[1]:
            raise ValueError("groups must stay those whose reaches differ (alpha_of_groups)")
        return super().grouped(groups)

    def arrivals(self, key: Key, population_key: Key | None = None) -> Arrivals:
        """Draw the hyperplane (and the pool), then let individuals arrive."""
        source = self.source(population_key)
        if len(source.features):
            return SourceArrivals(source, key, np.append(self._direction(source.origin[0]), self.bias))
        return SourceArrivals(source, key, bias=self.bias)

    def source(self, population_key: Key | None = None) -> Source:
        """Return how individuals arrive; a pool that all games share is drawn once and kept."""
        frozen = np.empty((0, 2), dtype=np.uint64) if population_key is None else population_key[np.newaxis]
        if self._shared is None or not np.array_equal(self._shared.origin, frozen):
            order, size = (NEW, 0) if self.pool is None else (AT_RANDOM, self.pool)
            source = Source(
                order, 0, size, self.noise, np.empty((0, self.dim)), np.empty(0), np.empty((0, 1)),
                self._caps, self.nonnegative, np.array(self.alpha or (0.0, 0.0)), frozen,
                self._tiers,
            )  # fmt: skip
            self._shared = source if self.pool is None or population_key is None else self._drawn(source)
        return self._shared

    def __getstate__(self) -> dict[str, object]:
        """Leave out the pool that was drawn: it says nothing new, and equal populations must look equal."""
        return self.__dict__ | {"_shared": None}

    def _drawn(self, source: Source) -> Source:
        """Draw all members of a pool."""
        features, labels = np.empty((source.size, self.dim)), np.empty(source.size)
        budgets = np.empty((0 if self.alpha is None else source.size, 1))
        key = source.origin[0]
        draw_pool(source, key, self._direction(key), features, labels, budgets)
        return source._replace(features=features, labels=labels, budgets=budgets)

    def _direction(self, key: Key) -> Float:
        direction = np.empty(self.dim)
        draw_direction(key, self.nonnegative, direction)
        return direction


def _tiers(groups: Groups, reaches: Sequence[float]) -> Float:
    """Return the shares of groups, summed up, and the reach of each: (2, G)."""
    if groups.shares is None:
        raise ValueError(f"alpha_of_groups must have groups that are drawn by shares, got {groups!r}")
    alpha = finite_reaches("alpha", finite_array("alpha", reaches, (None,)), 1)
    if len(alpha) != len(groups.names):
        raise ValueError(f"alpha must hold one reach for each of {len(groups.names)} groups, got {alpha.tolist()}")
    if not alpha.any():
        raise ValueError("alpha must be above 0 for some group, got zeros")
    return np.array([groups.table().upto, alpha])
