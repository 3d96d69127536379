"""Named scenarios of contextual search: queries, a hidden point, and what a learner is told."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from agents.foundation.checks import count, one_of
from agents.foundation.typing import Int, Key
from learners.policy import Policy, begin
from strategic_env.games.search.builders import HORIZON, SEARCH_BUILDERS
from strategic_env.games.search.options import knowledge_of
from strategic_env.games.search.rollout import play_keys
from strategic_env.games.search.setting import SearchSetting
from strategic_env.games.search.single import ContextualSearchEnv
from strategic_env.games.search.vector import ContextualSearchVectorEnv
from strategic_env.games.shared.columns import Column
from strategic_env.games.shared.rollout import Rollout
from strategic_env.games.shared.scenario import BenchScenario, check_description, check_game, refuse_unknown


@dataclass(frozen=True)
class SearchScenario(BenchScenario):
    """A named game of contextual search with its options.

    Attributes
    ----------
    name : str
        One of those that `strategic-env list` shows, or a name of your own.
    setting : SearchSetting
        Queries, point, loss.
    horizon : int
        Rounds per episode.
    knowledge : dict
        What a learner is told.
    options : dict
        The options that were given, all JSON.

    Examples
    --------
    >>> from agents import HiddenPoint
    >>> from strategic_env import SearchScenario, SearchSetting, rollout
    >>> mine = SearchScenario("mine", SearchSetting(population=HiddenPoint(dim=2)), horizon=200, knowledge={})
    >>> bool((rollout("contextual-search", mine, games=3).loss < 10.0).all())
    True
    """

    name: str
    setting: SearchSetting
    horizon: int
    knowledge: Mapping[str, object]
    options: Mapping[str, object] = field(default_factory=dict)

    game = "search"
    truth = None
    game_options = {"horizon": "rounds of an episode"}  # noqa: RUF012
    metadata = ContextualSearchEnv.metadata
    builders = SEARCH_BUILDERS
    columns = ("wrong_answers",)
    table = (Column("loss_mean", "loss", ".3f", "loss: mean total.", "loss", "runs"),)
    environment_options = ("observation", "info_level")

    def __post_init__(self) -> None:
        """Check what the setting has not checked."""
        check_description(self, SearchSetting)
        count("horizon", self.horizon, minimum=1)
        self.setting.check_horizon(self.horizon)

    @classmethod
    def named(cls, name: str, /, **options: object) -> Self:
        """Return a scenario of contextual search by name.

        Raises
        ------
        ValueError
            For an unknown name or option, or a value outside its limits.
        """
        one_of("scenario", name, tuple(SEARCH_BUILDERS))
        setting = cls.built(name, options)
        horizon = count("horizon", options.get("horizon", HORIZON), minimum=1)
        return cls(name, setting, horizon, knowledge_of(setting, horizon), options)

    def make(self, **options: object) -> ContextualSearchEnv:
        """Make the environment; ``options`` are ``observation``, ``info_level``."""
        refuse_unknown(options, self.environment_options, self.name)
        return ContextualSearchEnv(**self._parts(), **options)  # type: ignore[arg-type]

    def make_vec(self, num_envs: int, **options: object) -> ContextualSearchVectorEnv:
        """Make the vector environment of N games; ``options`` as for `make`, and ``autoreset_mode``."""
        refuse_unknown(options, self.vector_options(), self.name)
        return ContextualSearchVectorEnv(num_envs=num_envs, **self._parts(), **options)  # type: ignore[arg-type]

    def check_learner(self, learner: Policy[Any]) -> None:
        """Make sure that a learner can play.

        Raises
        ------
        ValueError
            If it is made for another game, or another number of features, or an adversary cannot ask it.
        """
        check_game(learner, self)
        if self.setting.asks_the_learner and not learner.has_rules():
            raise ValueError(f"{learner!r} must have compiled rules, which query='adversary' asks")
        begin(learner, self.setting.dim)

    def in_compiled_code(self) -> bool:
        """Whether queries come by compiled rules: all do."""
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

    @property
    def horizon_decides(self) -> bool:
        """Whether wrong answers are spread over the horizon."""
        return bool(self.setting.corruption)

    def counted(self, info: Mapping[str, Any]) -> dict[str, float]:
        """Return what a round adds to the `columns`, from its full info."""
        return {"wrong_answers": int(info["wrong_answer"])}

    def limits(self) -> dict[str, dict[str, float]]:
        """Return of each of the `columns` how many times what else a run counts it is at most."""
        return {"wrong_answers": {"rounds": 1.0}}

    def why_no_bound(self) -> str:
        """Say that the theorems bound something else."""
        return "no bounds: the theorems bound losses, not mistakes"
