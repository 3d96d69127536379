"""Spaces of observations, and the options that every environment checks in the same way."""

import inspect
from collections.abc import Mapping
from typing import Any, Self, TypeAlias

import numpy as np
from gymnasium import spaces

from agents.foundation.checks import LARGEST_COUNT, count, one_of, shown
from agents.foundation.typing import Float, Numbers

Observation: TypeAlias = dict[str, Numbers] | Numbers
Knowledge: TypeAlias = Mapping[str, object]

INFO_LEVELS = ("none", "outcome", "full")
# Float32 counts rounds exactly up to here.
LONGEST_FLAT_HORIZON = 2**24
LARGEST_FLAT_FEATURE = 1e30


def checked_horizon(horizon: int, flat: bool) -> int:
    """Return the rounds of an episode, which the observations must be able to count.

    Raises
    ------
    TypeError, ValueError
        If it is no integer, or out of range.
    """
    return count("horizon", horizon, minimum=1, maximum=LONGEST_FLAT_HORIZON if flat else LARGEST_COUNT)


def as_float32(vector: Float) -> Observation:
    """Return numbers as a flat observation shows them."""
    return vector.astype(np.float32)


def observation_space(bounds: Mapping[str, tuple[Numbers, Numbers]], flat: bool) -> spaces.Space[Any]:
    """Return the space of observations with these entries, each with its lower and upper bounds.

    Raises
    ------
    ValueError
        If features are too large for float32, which a flat observation is made of.
    """
    if not flat:
        return spaces.Dict({key: spaces.Box(*pair, dtype=np.float64) for key, pair in bounds.items()})
    low, high = bounds["features"]
    if max(high.max(), -low.min()) > LARGEST_FLAT_FEATURE:
        raise ValueError(f"features must be at most {LARGEST_FLAT_FEATURE:g} in size for observation='flat'")
    lows, highs = (np.concatenate([pair[end] for pair in bounds.values()]).astype(np.float32) for end in (0, 1))
    return spaces.Box(np.nextafter(lows, -np.inf), np.nextafter(highs, np.inf), dtype=np.float32)


class Options:
    """What the frozen options of an environment of any game have in common; a subclass names them all.

    Attributes
    ----------
    observation : str
        ``"dict"`` or ``"flat"``.
    info_level : str
        ``"none"``, ``"outcome"`` or ``"full"``.
    horizon : int
        Rounds of an episode.
    knowledge : mapping or None
        What a learner is told; everything by default.
    """

    observation: str
    info_level: str
    horizon: int
    knowledge: Knowledge | None

    @classmethod
    def of(cls, arguments: Mapping[str, Any]) -> Self:
        """Return the options that are among the arguments of a constructor, which spells them for its users."""
        return cls(**{name: arguments[name] for name in inspect.signature(cls).parameters})

    def _check_shared(self) -> None:
        """Check what every game has."""
        one_of("observation", self.observation, ("dict", "flat"))
        one_of("info_level", self.info_level, INFO_LEVELS)
        checked_horizon(self.horizon, self.flat)
        if self.knowledge is not None and not isinstance(self.knowledge, Mapping):
            raise TypeError(f"knowledge must be a mapping, got {shown(self.knowledge)}")

    @property
    def flat(self) -> bool:
        """Whether observations are flat."""
        return self.observation == "flat"
