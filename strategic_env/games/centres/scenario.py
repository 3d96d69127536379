"""Named scenarios of nearest centres: queries, hidden centres, and what a learner is told."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

from agents.foundation.checks import one_of
from agents.foundation.typing import Int, Key
from agents.populations.centres import HiddenCentres
from learners.multiclass.base import MulticlassLearner
from learners.policy import Policy
from strategic_env.games.centres.builders import CENTRE_BUILDERS
from strategic_env.games.centres.options import knowledge_of
from strategic_env.games.centres.setting import CentreSetting
from strategic_env.games.centres.single import NearestCentreEnv
from strategic_env.games.centres.vector import NearestCentreVectorEnv
from strategic_env.games.multiclass.rollout import play_keys
from strategic_env.games.multiclass.scenario import check_labels
from strategic_env.games.shared.columns import Column
from strategic_env.games.shared.rollout import Rollout
from strategic_env.games.shared.scenario import BenchScenario, check_description, refuse_unknown

RIVALS = ("multiclass-perceptron", "second-order-centres", "k-centres", "density-centres", "chebyshev-halving")
RIVALS_OF_COINS = ("multiclass-perceptron", "nearest-past-point")


@dataclass(frozen=True)
class CentreScenario(BenchScenario):
    """A named game of nearest centres with its options.

    Attributes
    ----------
    name : str
        One of those that `strategic-env list` shows, or a name of your own.
    setting : CentreSetting
        Queries, centres, wrong labels.
    horizon : int
        Rounds per episode: those of the setting.
    knowledge : dict
        What a learner is told.
    options : dict
        The options that were given, all JSON.

    Examples
    --------
    >>> from agents import HiddenCentres
    >>> from strategic_env import CentreScenario, CentreSetting, rollout
    >>> setting = CentreSetting(population=HiddenCentres(dim=2), horizon=200)
    >>> mine = CentreScenario("mine", setting, horizon=200, knowledge={"classes": 3})
    >>> played = rollout("multiclass-perceptron", mine, games=3)
    >>> played.mistakes.tolist(), played.loss.round(2).tolist(), played.robust_mistakes.tolist()
    ([26, 28, 18], [6.6, 5.84, 3.0], [17, 15, 8])
    """

    name: str
    setting: CentreSetting
    horizon: int
    knowledge: Mapping[str, object]
    options: Mapping[str, object] = field(default_factory=dict)

    game = "multiclass"
    truth = None
    game_options = {}  # noqa: RUF012  (a builder's are all of them)
    metadata = NearestCentreEnv.metadata
    builders = CENTRE_BUILDERS
    columns = ("robust_mistakes", "wrong_labels", "size_of_wrong_labels")
    table = (
        Column("loss_mean", "loss", ".3f", "loss: mean total, against the true labels.", "loss", "runs"),
        Column(
            "robust_mistakes_mean",
            "robust\nmistakes",
            ".1f",
            "robust mistakes: mean number of those where the nearest centre leads by the margin.",
            "robust_mistakes",
            "runs",
        ),
    )
    environment_options = ("reward", "observation", "info_level", "render_mode")

    def __post_init__(self) -> None:
        """Check what the setting has not checked."""
        check_description(self, CentreSetting)
        if self.horizon != self.setting.horizon:
            raise ValueError(f"horizon must be the setting's {self.setting.horizon}, got {self.horizon}")

    @classmethod
    def named(cls, name: str, /, **options: object) -> Self:
        """Return a scenario of nearest centres by name.

        Raises
        ------
        ValueError
            For an unknown name or option, or a value outside its limits.
        """
        one_of("scenario", name, tuple(CENTRE_BUILDERS))
        setting = cls.built(name, options)
        return cls(name, setting, setting.horizon, knowledge_of(setting), options)

    def make(self, **options: object) -> NearestCentreEnv:
        """Make the environment; ``options`` are ``reward``, ``observation``, ``info_level``, ``render_mode``."""
        refuse_unknown(options, self.environment_options, self.name)
        return NearestCentreEnv(**self._parts(), **options)  # type: ignore[arg-type]

    def make_vec(self, num_envs: int, **options: object) -> NearestCentreVectorEnv:
        """Make the vector environment of N games; ``options`` as for `make`, and ``autoreset_mode``."""
        refuse_unknown(options, self.vector_options(), self.name)
        return NearestCentreVectorEnv(num_envs=num_envs, **self._parts(), **options)  # type: ignore[arg-type]

    @classmethod
    def vector_options(cls) -> tuple[str, ...]:
        """Return the options of `make_vec`: there are no pictures of many games."""
        return "reward", "observation", "info_level", "autoreset_mode"

    def lasting(self, rounds: int) -> Self:
        """Return the same scenario with episodes of so many rounds, which learners that are told the horizon hear."""
        told = {"horizon": rounds} if "horizon" in self.knowledge else {}
        setting = replace(self.setting, horizon=rounds)
        return replace(self, horizon=rounds, setting=setting, knowledge={**self.knowledge, **told})

    def check_learner(self, learner: Policy[Any]) -> None:
        """Make sure that a learner can play.

        Raises
        ------
        ValueError
            If it is made for another game, or another number of labels, or an adversary cannot ask it.
        """
        check_labels(learner, self)
        if self.setting.asks_the_learner and not learner.has_rules():
            raise ValueError(f"{learner!r} must have compiled rules, which adversary='adaptive' asks")

    def suits(self, learner: type[Policy[Any]]) -> bool:
        """Whether a learner is made for full information."""
        return issubclass(learner, MulticlassLearner) and learner.made_for(self.setting.graph)

    def rivals(self) -> tuple[str, ...]:
        """Return who takes part by default."""
        return RIVALS if isinstance(self.setting.population, HiddenCentres) else RIVALS_OF_COINS

    @property
    def horizon_decides(self) -> bool:
        """Whether wrong labels are spread over the horizon, or points know of later ones."""
        return bool(self.setting.corruption) or not isinstance(self.setting.population, HiddenCentres)

    def numbers_of_a_game(self) -> int:
        """Return about how many numbers a game holds."""
        points = self.setting.graph.classes + 3
        if not isinstance(self.setting.population, HiddenCentres):
            points += self.horizon + 1
        return int(self.setting.dim * points)

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
        return play_keys(learner, self.lasting(rounds).setting, keys, rounds, checkpoints, threads, progress)

    def counted(self, info: Mapping[str, Any]) -> dict[str, float]:
        """Return what a round adds to the `columns`, from its full info."""
        wrong = info["told_label"] != info["true_label"]
        return {
            "robust_mistakes": int(info["robust_mistake"]),
            "wrong_labels": int(wrong),
            "size_of_wrong_labels": info["size_of_wrong_label"],
        }

    def limits(self) -> dict[str, dict[str, float]]:
        """Return of each of the `columns` how many times what else a run counts it is at most."""
        return {
            "robust_mistakes": {"mistakes": 1.0, "rounds": 1.0},
            "wrong_labels": {"rounds": 1.0},
            "size_of_wrong_labels": {},
        }

    def why_no_bound(self) -> str:
        """Say that the theorems bound something else."""
        return "no bounds: the theorems bound losses, not mistakes"
