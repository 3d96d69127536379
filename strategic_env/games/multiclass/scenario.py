"""Named multiclass scenarios: a population, a feedback graph, and what a learner is told."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from agents.foundation.checks import count, one_of
from agents.foundation.typing import Int, Key
from learners.multiclass.base import MulticlassLearner
from learners.policy import Policy, begin
from strategic_env.games.multiclass.builders import MULTICLASS_BUILDERS
from strategic_env.games.multiclass.options import knowledge_of
from strategic_env.games.multiclass.rollout import play_keys
from strategic_env.games.multiclass.rules import MulticlassSetting
from strategic_env.games.multiclass.single import OnlineMulticlassEnv
from strategic_env.games.multiclass.vector import OnlineMulticlassVectorEnv
from strategic_env.games.shared.columns import Column
from strategic_env.games.shared.rollout import Rollout
from strategic_env.games.shared.scenario import (
    OF_EVERY_GAME,
    BenchScenario,
    check_description,
    check_game,
    refuse_unknown,
)


def check_labels(learner: Policy[Any], scenario: BenchScenario) -> None:
    """Make sure that a learner of labels can play a scenario whose setting is a `MulticlassSetting`.

    Raises
    ------
    ValueError
        If it is made for another game, or another number of labels or actions.
    """
    check_game(learner, scenario)
    graph = scenario.setting.graph
    if not isinstance(learner, MulticlassLearner) or learner.classes != graph.classes:
        raise ValueError(f"{learner!r} must be made for the {graph.classes} classes of {scenario.name}")
    if learner.nodes > graph.nodes:
        raise ValueError(f"{learner!r} must play one of {graph.nodes} actions of {scenario.name}")
    begin(learner, scenario.setting.dim)


@dataclass(frozen=True)
class MulticlassScenario(BenchScenario):
    """A named game of online multiclass classification with its options.

    Attributes
    ----------
    name : str
        One of those that `strategic-env list` shows, or a name of your own.
    setting : MulticlassSetting
        Population and feedback graph.
    horizon : int
        Rounds per episode.
    knowledge : dict
        What a learner is told.
    options : dict
        The options that were given, all JSON.

    Examples
    --------
    >>> from agents import GaussianMixture
    >>> from learners import FeedbackGraph
    >>> from strategic_env import MulticlassScenario, MulticlassSetting, rollout
    >>> setting = MulticlassSetting(population=GaussianMixture(dim=2, classes=3), graph=FeedbackGraph.named("full", 3))
    >>> mine = MulticlassScenario("mine", setting, horizon=200, knowledge={"classes": 3})
    >>> rollout("multiclass-perceptron", mine, games=3).mistakes.tolist()
    [9, 62, 39]
    """

    name: str
    setting: MulticlassSetting
    horizon: int
    knowledge: Mapping[str, object]
    options: Mapping[str, object] = field(default_factory=dict)

    game = "multiclass"
    truth = None
    game_options = OF_EVERY_GAME
    metadata = OnlineMulticlassEnv.metadata
    builders = MULTICLASS_BUILDERS
    table = (
        Column(
            "error_rate",
            "error\nrate",
            ".1%",
            "error rate: share of rounds that were mistakes.",
            "mistakes",
            "rounds",
        ),
    )
    loss_is_mistakes = True
    environment_options = ("reward", "observation", "info_level")

    def __post_init__(self) -> None:
        """Check what the setting has not checked."""
        check_description(self, MulticlassSetting)
        count("horizon", self.horizon, minimum=1)

    @classmethod
    def named(cls, name: str, /, **options: object) -> Self:
        """Return a multiclass scenario by name.

        Raises
        ------
        ValueError
            For an unknown name or option, or a value outside its limits.
        """
        one_of("scenario", name, tuple(MULTICLASS_BUILDERS))
        parts = cls.built(name, options)
        if not isinstance(options.get("feedback", ""), str):
            # As JSON, from which the same graph can be made again.
            options["feedback"] = parts.graph.adjacency.astype(int).tolist()
        setting = MulticlassSetting(
            population=parts.population,
            graph=parts.graph,
            population_seed=options.get("population_seed"),  # type: ignore[arg-type]  # it is checked there
        )
        horizon = count("horizon", options.get("horizon", parts.horizon), minimum=1)
        return cls(name, setting, horizon, knowledge_of(setting, horizon), options)

    def make(self, **options: object) -> OnlineMulticlassEnv:
        """Make the environment; ``options`` are ``reward``, ``observation``, ``info_level``."""
        refuse_unknown(options, self.environment_options, self.name)
        return OnlineMulticlassEnv(**self._parts(), **options)  # type: ignore[arg-type]

    def make_vec(self, num_envs: int, **options: object) -> OnlineMulticlassVectorEnv:
        """Make the vector environment of N games; ``options`` as for `make`, and ``autoreset_mode``."""
        refuse_unknown(options, self.vector_options(), self.name)
        return OnlineMulticlassVectorEnv(num_envs=num_envs, **self._parts(), **options)  # type: ignore[arg-type]

    def check_learner(self, learner: Policy[Any]) -> None:
        """Make sure that a learner can play.

        Raises
        ------
        ValueError
            If it is made for another game, or another number of labels or actions.
        """
        check_labels(learner, self)

    def suits(self, learner: type[Policy[Any]]) -> bool:
        """Whether a learner is made for what the graph shows."""
        return issubclass(learner, MulticlassLearner) and learner.made_for(self.setting.graph)

    def in_compiled_code(self) -> bool:
        """Whether points come by compiled rules: all do."""
        return True

    def play(
        self,
        learner: Policy[Any],
        keys: Key,
        rounds: int,
        checkpoints: Int,
        threads: int = 1,
        progress: Callable[[Rollout], object] | None = None,
    ) -> Rollout:
        """Let a learner play the episodes whose keys (N, 2) are given, in compiled code."""
        return play_keys(learner, self.setting, keys, rounds, checkpoints, threads, progress)

    def why_no_bound(self) -> str:
        """Say that the theorems bound something else."""
        return "no bounds: the theorems bound mistakes by the losses of a comparator that nobody knows"
