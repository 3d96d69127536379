"""What the single and the vector environment share: their options, their spaces, and what goes in and out."""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, TypeAlias

import numpy as np
from gymnasium import spaces

from agents.foundation.checks import one_of, shown
from agents.foundation.typing import Bool, Float, Int, Numbers
from agents.populations.labelled import MulticlassPopulation
from learners.feedback.graph import FeedbackGraph
from learners.multiclass.observation import Layout
from strategic_env.games.multiclass.rules import REWARDS, MulticlassSetting, Outcomes
from strategic_env.games.shared.spaces import Knowledge, Observation, Options, as_float32, observation_space

Action: TypeAlias = Any  # an integer, or a vector of them


class LabelOptions(Options):
    """The options of an environment whose learner names labels, checked, and the spaces that follow from them.

    Attributes
    ----------
    setting : MulticlassSetting
        Which points come, and what actions show of their labels.
    reward : str
    rewards : tuple of str
        What the reward may be.
    """

    reward: str
    rewards: ClassVar[tuple[str, ...]]

    def __post_init__(self) -> None:
        """Check every option, and that they fit each other."""
        self.setting  # noqa: B018  (it checks its parts when it is made, like the spaces)
        self._check_shared()
        one_of("reward", self.reward, self.rewards)
        self.spaces  # noqa: B018

    @cached_property
    @abstractmethod
    def setting(self) -> MulticlassSetting:
        """Which points come, and what actions show of their labels."""

    @abstractmethod
    def infos(self, outcomes: Any, mistakes: Int) -> dict[str, Float | Int | Bool]:
        """Return the hidden truth of a round of N games, as much of it as the level says; arrays (N,)."""

    @property
    def told(self) -> dict[str, object]:
        """What a learner is told."""
        return dict(knowledge_of(self.setting, self.horizon) if self.knowledge is None else self.knowledge)

    @cached_property
    def layout(self) -> Layout:
        """How an observation is laid out."""
        return Layout(self.setting.dim, self.setting.graph.classes)

    @cached_property
    def observe(self) -> Callable[[Float], Observation]:
        """What makes an observation of one vector (d + K + 2,), or of rows of them."""
        return as_float32 if self.flat else self.layout.split

    @cached_property
    def spaces(self) -> tuple[spaces.Space[Any], spaces.Space[Any]]:
        """Of observations and of actions of one game; all bounds are finite."""
        population, graph = self.setting.population, self.setting.graph
        # A point that is drawn back to the radius may be rounded beyond it.
        rounding = 1e-9 * population.radius
        bounds: dict[str, tuple[Numbers, Numbers]] = {
            "action": (np.full(1, -1.0), np.full(1, graph.nodes - 1.0)),
            "features": (np.minimum(population.low - rounding, 0.0), np.maximum(population.high + rounding, 0.0)),
            "feedback": (np.full(graph.classes, -1.0), np.ones(graph.classes)),
            "round": (np.zeros(1), np.full(1, float(self.horizon))),
        }
        return observation_space(bounds, self.flat), spaces.Discrete(graph.nodes)

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


@dataclass(frozen=True, kw_only=True)
class MulticlassOptions(LabelOptions):
    """The options of an environment, checked.

    Attributes
    ----------
    population, graph, population_seed
        See `strategic_env.MulticlassSetting`.
    horizon, reward, observation, info_level, knowledge
        See `strategic_env.OnlineMulticlassEnv`.
    """

    population: MulticlassPopulation
    graph: FeedbackGraph
    reward: str
    horizon: int
    population_seed: int | None
    observation: str
    info_level: str
    knowledge: Knowledge | None

    rewards = REWARDS

    @cached_property
    def setting(self) -> MulticlassSetting:
        """Which points come, and what actions show of their labels."""
        return MulticlassSetting(population=self.population, graph=self.graph, population_seed=self.population_seed)

    def infos(self, outcomes: Outcomes, mistakes: Int) -> dict[str, Float | Int | Bool]:
        """Return the hidden truth of a round of N games, as much of it as the level says; arrays (N,)."""
        if self.info_level == "none":
            return {}
        if self.info_level == "outcome":
            return {"mistake": outcomes.mistake}
        return {"true_label": outcomes.true_label, "mistake": outcomes.mistake, "mistakes": mistakes.copy()}


def knowledge_of(setting: MulticlassSetting, horizon: int) -> dict[str, object]:
    """Return everything that a learner can be told: ``graph``, ``classes``, ``radius`` and ``horizon``."""
    return {
        "graph": setting.graph,
        "classes": setting.graph.classes,
        "radius": setting.population.radius,
        "horizon": horizon,
    }
