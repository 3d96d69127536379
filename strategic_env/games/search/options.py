"""What the single and the vector environment share: their options, their spaces, and what goes in and out."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from gymnasium import spaces

from agents.foundation.typing import Bool, Float, Int, Numbers
from agents.populations.centres import HiddenPoint
from learners.search.observation import Layout
from learners.strategic.observation import real_numbers
from strategic_env.games.search.rules import Outcomes
from strategic_env.games.search.setting import SearchSetting
from strategic_env.games.shared.spaces import Knowledge, Observation, Options, as_float32, observation_space


@dataclass(frozen=True, kw_only=True)
class SearchOptions(Options):
    """The options of an environment, checked, and the spaces that follow from them.

    Attributes
    ----------
    population, exponent, corruption, corruption_pattern, population_seed
        See `strategic_env.SearchSetting`.
    horizon, observation, info_level, knowledge
        See `strategic_env.ContextualSearchEnv`.
    """

    population: HiddenPoint
    exponent: float
    corruption: int
    corruption_pattern: str
    horizon: int
    population_seed: int | None
    observation: str
    info_level: str
    knowledge: Knowledge | None

    def __post_init__(self) -> None:
        """Check every option."""
        self.setting  # noqa: B018
        self._check_shared()
        self.setting.check_horizon(self.horizon)
        if self.setting.asks_the_learner:
            raise ValueError(
                "query must not be 'adversary' in an environment: that one asks whoever plays, as "
                "strategic_env.rollout and strategic-env run can with learners that have compiled rules"
            )
        self.spaces  # noqa: B018

    @cached_property
    def setting(self) -> SearchSetting:
        """Which queries come, and what a guess costs."""
        return SearchSetting(
            population=self.population,
            exponent=self.exponent,
            corruption=self.corruption,
            corruption_pattern=self.corruption_pattern,
            population_seed=self.population_seed,
        )

    @property
    def told(self) -> dict[str, object]:
        """What a learner is told."""
        return dict(knowledge_of(self.setting, self.horizon) if self.knowledge is None else self.knowledge)

    @cached_property
    def layout(self) -> Layout:
        """How an observation is laid out."""
        return Layout(self.setting.dim)

    @cached_property
    def observe(self) -> Callable[[Float], Observation]:
        """What makes an observation of one vector (d + 3,), or of rows of them."""
        return as_float32 if self.flat else self.layout.split

    @cached_property
    def spaces(self) -> tuple[spaces.Space[Any], spaces.Space[Any]]:
        """Of observations and of actions of one game; all bounds are finite."""
        ones, rounding = np.ones(self.setting.dim), 1.0 + 1e-9
        bounds: dict[str, tuple[Numbers, Numbers]] = {
            "answer": (np.full(1, -1.0), np.ones(1)),
            "features": (-rounding * ones, rounding * ones),
            "guess": (np.full(1, -1.0), np.ones(1)),
            "round": (np.zeros(1), np.full(1, float(self.horizon))),
        }
        dtype: Any = np.float32 if self.flat else np.float64
        return observation_space(bounds, self.flat), spaces.Box(-1.0, 1.0, (1,), dtype)

    def published(self, action: Any, shape: tuple[int, ...]) -> Float:
        """Return guesses as a contiguous float64 array of this shape, which ends with (1,), flattened.

        Raises
        ------
        TypeError, ValueError
            If they are no real numbers in this shape.
        """
        array = real_numbers("action", action)
        if array.shape != shape:
            raise ValueError(f"action must have shape {shape}, got {array.shape}")
        return np.ascontiguousarray(array, dtype=np.float64).ravel()

    def infos(self, outcomes: Outcomes, mistakes: Int) -> dict[str, Float | Int | Bool]:
        """Return the hidden truth of a round of N games, as much of it as the level says; arrays (N,)."""
        if self.info_level == "none":
            return {}
        if self.info_level == "outcome":
            return {"mistake": outcomes.mistake, "loss": outcomes.loss}
        told: dict[str, Float | Int | Bool] = {"value": outcomes.value, "wrong_answer": outcomes.wrong_answer}
        return told | {"mistake": outcomes.mistake, "loss": outcomes.loss, "mistakes": mistakes.copy()}


def knowledge_of(setting: SearchSetting, horizon: int) -> dict[str, object]:
    """Return everything that a learner can be told: ``radius``, ``exponent``, ``margin`` and ``horizon``."""
    population = setting.population
    told: dict[str, object] = {
        "radius": population.radius,
        "exponent": float(setting.exponent),
        "margin": population.margin,
    }
    return told | {"horizon": horizon}
