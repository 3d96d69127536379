"""What the single and the vector environment share: their options, their spaces, and what goes in and out."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from gymnasium import spaces

from agents.costs import L2, Cost
from agents.foundation.checks import finite_array, one_of
from agents.foundation.typing import Float, Numbers
from agents.populations.population import Population
from agents.responses.effects import Improvement
from agents.responses.individuals import BestResponse, Individual
from learners.strategic.observation import Layout
from strategic_env.games.shared.spaces import Knowledge, Observation, Options, as_float32, observation_space
from strategic_env.games.strategic.rules import REWARDS
from strategic_env.games.strategic.setting import Setting

Action: TypeAlias = Numbers

RENDER_MODES = ("human", "rgb_array", "ansi")


@dataclass(frozen=True, kw_only=True)
class StrategicOptions(Options):
    """The options of an environment, checked, and the spaces that follow from them.

    Attributes
    ----------
    population, cost, individual, feedback, population_seed, improvement, delay
        See `strategic_env.Setting`.
    horizon, reward, observation, info_level, knowledge, render_mode
        See `strategic_env.StrategicClassificationEnv`.
    """

    population: Population
    cost: Cost
    individual: Individual | None
    feedback: str
    reward: str
    horizon: int
    population_seed: int | None
    improvement: Improvement | None
    delay: int
    observation: str
    info_level: str
    knowledge: Knowledge | None
    render_mode: str | None

    def __post_init__(self) -> None:
        """Check every option, and that they fit each other."""
        self.setting  # noqa: B018  (it checks its parts when it is made, like the spaces)
        self._check_shared()
        one_of("reward", self.reward, REWARDS)
        if self.render_mode is not None:
            one_of("render_mode", self.render_mode, RENDER_MODES)
        self.spaces  # noqa: B018

    @cached_property
    def setting(self) -> Setting:
        """Who arrives, what manipulation costs them, how they answer, and what is revealed."""
        return Setting(
            population=self.population,
            cost=self.cost,
            individual=self.individual or BestResponse(),
            feedback=self.feedback,
            population_seed=self.population_seed,
            improvement=self.improvement,
            delay=self.delay,
        )

    @property
    def told(self) -> dict[str, object]:
        """What a learner is told."""
        return dict(knowledge_of(self.population, self.cost) if self.knowledge is None else self.knowledge)

    @cached_property
    def layout(self) -> Layout:
        """How an observation is laid out."""
        return Layout(self.setting.dim)

    @cached_property
    def observe(self) -> Callable[[Float], Observation]:
        """What makes an observation of one vector (2 d + 4,), or of rows of them."""
        return as_float32 if self.flat else self.layout.split

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """Of actions."""
        return np.dtype(np.float32 if self.flat else np.float64)

    @cached_property
    def spaces(self) -> tuple[spaces.Space[Any], spaces.Space[Any]]:
        """Of observations and of actions of one game."""
        return make_spaces(self.setting, self.horizon, self.flat)

    def published(self, action: Action, shape: tuple[int, ...]) -> Action:
        """Return actions in the dtype of the action space, contiguous.

        Raises
        ------
        TypeError, ValueError
            If they are no finite numbers in this shape.
        """
        if type(action) is not np.ndarray or action.dtype is not self.dtype:
            action = finite_array("action", action, shape).astype(self.dtype)
        if action.shape != shape:
            raise ValueError(f"action must have shape {shape}, got {action.shape}")
        return action if action.flags.carray else action.copy()


def make_spaces(setting: Setting, horizon: int, flat: bool) -> tuple[spaces.Space[Any], spaces.Space[Any]]:
    """Return the observation and the action space of one game; all bounds are finite."""
    population, dim = setting.population, setting.dim
    move = setting.budgets().max(axis=0) * (1.0 + 1e-9) + setting.slack
    rounding = 1e-9 * population.radius
    low, high = np.minimum(population.low - move - rounding, 0.0), np.maximum(population.high + move + rounding, 0.0)
    bounds = {
        "classifier": (-np.ones(dim + 1), np.ones(dim + 1)),
        "features": (low, high),
        "label": (-np.ones(1), np.ones(1)),
        "prediction": (-np.ones(1), np.ones(1)),
        "round": (np.zeros(1), np.full(1, float(horizon))),
    }
    action_space = spaces.Box(-1.0, 1.0, (dim + 1,), np.float32 if flat else np.float64)
    return observation_space(bounds, flat), action_space


def knowledge_of(population: Population, cost: Cost) -> dict[str, object]:
    """Return everything that a learner can be told: ``cost``, ``alpha``, ``radius`` and, where known, ``margin``."""
    alpha = cost.alpha.item() if cost.norm == L2 and cost.alpha.size == 1 else cost.budgets(population.dim)[0].tolist()
    told: dict[str, object] = {"cost": "l2" if cost.norm == L2 else "l1", "alpha": alpha, "radius": population.radius}
    return told | ({} if population.margin is None else {"margin": population.margin})
