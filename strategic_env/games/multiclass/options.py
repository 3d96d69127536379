"""What the single and the vector environment share: their options, their spaces, and what goes in and out."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from gymnasium import spaces

from agents.foundation.checks import one_of, shown
from agents.foundation.typing import Bool, Float, Int, Numbers
from agents.populations.labelled import MulticlassPopulation
from learners.feedback.graph import FeedbackGraph
from learners.multiclass.observation import Layout
from strategic_env.games.multiclass.rules import REWARDS, MulticlassSetting, Outcomes
from strategic_env.games.shared.spaces import (
    INFO_LEVELS,
    Knowledge,
    Observation,
    as_float32,
    checked_horizon,
    checked_knowledge,
    observation_space,
)

Action: TypeAlias = Any  # an integer, or a vector of them


class MulticlassInterface:
    """The options of an environment, checked, and the spaces that follow from them.

    Parameters
    ----------
    population, graph, population_seed
        See `strategic_env.games.multiclass.rules.MulticlassSetting`.
    horizon, reward, observation, info_level, knowledge
        See `strategic_env.games.multiclass.single.OnlineMulticlassEnv`.

    Attributes
    ----------
    setting : MulticlassSetting
    knowledge : dict
        What a learner is told.
    observation_space, action_space : Space
        Of one game.
    layout : Layout
        Of an observation.
    observe : callable
        Returns what a learner sees, from one vector (d + K + 2,) or from rows of them.
    """

    def __init__(
        self,
        population: MulticlassPopulation,
        graph: FeedbackGraph,
        *,
        reward: str,
        horizon: int,
        population_seed: int | None,
        observation: str,
        info_level: str,
        knowledge: Knowledge | None,
    ) -> None:
        self.setting = MulticlassSetting(population=population, graph=graph, population_seed=population_seed)
        self.flat = one_of("observation", observation, ("dict", "flat")) == "flat"
        self.horizon = checked_horizon(horizon, self.flat)
        self.reward = one_of("reward", reward, REWARDS)
        self.info_level = one_of("info_level", info_level, INFO_LEVELS)
        self.knowledge = checked_knowledge(knowledge_of(self.setting, self.horizon) if knowledge is None else knowledge)
        self.observation_space = make_observation_space(self.setting, self.horizon, self.flat)
        self.action_space = spaces.Discrete(graph.nodes)
        self.layout = Layout(population.dim, population.classes)
        self.observe: Callable[[Float], Observation] = as_float32 if self.flat else self.layout.split

    def published(self, action: Action, shape: tuple[int, ...]) -> Int:
        """Return actions as a contiguous int64 array.

        Raises
        ------
        TypeError, ValueError
            If they are no integers in this shape.
        """
        try:
            array = np.asarray(action)
        except ValueError as error:
            raise ValueError(f"action must be a rectangular array of integers, got {shown(action)}") from error
        if array.dtype.kind not in "iu" or isinstance(action, np.ma.MaskedArray):
            raise TypeError(f"action must hold integers, got {shown(action)}")
        if array.dtype == np.uint64 and (array > np.iinfo(np.int64).max).any():
            raise ValueError(f"action must hold 64-bit integers with a sign, got {shown(action)}")
        if array.shape != shape:
            raise ValueError(f"action must have shape {shape}, got {array.shape}")
        return np.ascontiguousarray(array, dtype=np.int64)

    def infos(self, outcomes: Outcomes, mistakes: Int) -> dict[str, Float | Int | Bool]:
        """Return the hidden truth of a round of N games, as much of it as the level says; arrays (N,)."""
        if self.info_level == "none":
            return {}
        if self.info_level == "outcome":
            return {"mistake": outcomes.mistake}
        return {"true_label": outcomes.true_label, "mistake": outcomes.mistake, "mistakes": mistakes.copy()}


def make_observation_space(setting: MulticlassSetting, horizon: int, flat: bool) -> spaces.Space[Any]:
    """Return the observation space of one game; all bounds are finite."""
    population, graph = setting.population, setting.graph
    # A point that is drawn back to the radius may be rounded beyond it.
    rounding = 1e-9 * population.radius
    bounds: dict[str, tuple[Numbers, Numbers]] = {
        "action": (np.full(1, -1.0), np.full(1, graph.nodes - 1.0)),
        "features": (np.minimum(population.low - rounding, 0.0), np.maximum(population.high + rounding, 0.0)),
        "feedback": (np.full(graph.classes, -1.0), np.ones(graph.classes)),
        "round": (np.zeros(1), np.full(1, float(horizon))),
    }
    return observation_space(bounds, flat)


def knowledge_of(setting: MulticlassSetting, horizon: int) -> dict[str, object]:
    """Return everything that a learner can be told: ``graph``, ``classes``, ``radius`` and ``horizon``."""
    return {
        "graph": setting.graph,
        "classes": setting.graph.classes,
        "radius": setting.population.radius,
        "horizon": horizon,
    }
