"""What the bench needs of a scenario, whatever is played there."""

import inspect
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Annotated, Any, ClassVar, Self

import gymnasium as gym
import numpy as np
from gymnasium.vector import VectorEnv

from agents.foundation.checks import perhaps, shown
from agents.foundation.typing import Int, Key
from learners.policy import Policy
from learners.strategic.base import Truth
from strategic_env.games.shared.columns import Column
from strategic_env.games.shared.rollout import Rollout

# What `strategic-env list NAME` says of options that several scenarios have, and of those that all of them have.
Noise = Annotated[float, "chance that a label is wrong"]
OF_EVERY_GAME = {
    "horizon": "rounds of an episode",
    "population_seed": "null: another population in every episode",
}


class BenchScenario(ABC):
    """A named game with its options: a dataclass with at least these fields.

    Attributes
    ----------
    name : str
        One of those that `strategic-env list` shows, or a name of your own.
    setting : Setting or MulticlassSetting
        What is played.
    horizon : int
        Rounds per episode.
    knowledge : mapping
        What a learner is told.
    options : mapping
        The options that were given, all JSON.
    truth : Truth or None
        What the theorems' bounds on mistakes depend on.
    game : str
        Which learners can play: those with the same `learners.policy.Policy.game`.
    reference : str or None
        Name of the contestant that regret is against.
    metadata : mapping
        Of its single environment.
    builders : mapping
        What makes the parts of each named scenario; the keywords are its own options.
    game_options : mapping
        Options of every scenario of the game besides those of its builder, as in `OF_EVERY_GAME`.
    game_defaults : mapping
        What these are if nobody gives others, where no scenario has its own.
    columns : tuple of str
        What its runs count besides mistakes and losses (`counted`).
    table : tuple of Column
        What its tables show besides mistakes, regret and bounds.
    groups : tuple of str
        Of whom its runs count apart what ``group_table`` divides, in columns that are called ``WHAT[GROUP]``.
    group_table : tuple of Column
        What its tables show of groups.
    loss_is_mistakes : bool
        Whether the default reward is minus the mistake.
    trainable : bool
        Whether policies can be trained there.
    environment_options : tuple of str
        Options of `make`; those of `make_vec` are `vector_options`.
    """

    game: ClassVar[str]
    reference: ClassVar[str | None] = None
    metadata: ClassVar[Mapping[str, Any]] = {}
    builders: ClassVar[Mapping[str, Callable[..., Any]]]
    game_options: ClassVar[Mapping[str, str]]
    game_defaults: ClassVar[Mapping[str, object]] = {}
    table: ClassVar[tuple[Column, ...]] = ()
    group_table: ClassVar[tuple[Column, ...]] = ()
    loss_is_mistakes: ClassVar[bool] = False
    trainable: ClassVar[bool] = False
    environment_options: ClassVar[tuple[str, ...]]
    name: str
    setting: Any
    horizon: int
    knowledge: Mapping[str, object]
    options: Mapping[str, object]
    truth: Truth | None

    def _repr_html_(self) -> str:
        import strategic_env  # tables stand above scenarios, which reach them by way of the face

        return strategic_env.report.scenario_sheet(self).to_html()

    @property
    def columns(self) -> tuple[str, ...]:
        """What its runs count besides mistakes and losses."""
        return ()

    @property
    def groups(self) -> tuple[str, ...]:
        """The names of the groups that are told apart."""
        return ()

    @classmethod
    def vector_options(cls) -> tuple[str, ...]:
        """Return the options of `make_vec`, besides the number of games."""
        return (*cls.environment_options, "autoreset_mode")

    @classmethod
    @abstractmethod
    def named(cls, name: str, /, **options: object) -> Self:
        """Return a scenario of this game by name, as `strategic_env.scenario` does."""

    @classmethod
    def own_options(cls, name: str) -> tuple[str, ...]:
        """Return the names of the options that a scenario takes."""
        return tuple(dict.fromkeys([*inspect.signature(cls.builders[name]).parameters, *cls.game_options]))

    @classmethod
    def defaults(cls, name: str) -> dict[str, object]:
        """Return the options that a scenario takes, with the values that they have if nobody gives others."""
        chosen, parameters = cls.named(name), inspect.signature(cls.builders[name]).parameters
        told = {**cls.game_defaults} | {"horizon": chosen.horizon, "population_seed": chosen.setting.population_seed}
        found = told | {option: parameter.default for option, parameter in parameters.items()}
        return {option: found[option] for option in cls.own_options(name)}

    @classmethod
    def built(cls, name: str, options: Mapping[str, object]) -> Any:
        """Return the parts of a named scenario.

        Raises
        ------
        ValueError
            For an unknown option, or a value outside its limits.
        """
        refuse_unknown(options, cls.own_options(name), name)
        own = inspect.signature(cls.builders[name]).parameters
        return cls.builders[name](**{key: value for key, value in options.items() if key in own})

    @abstractmethod
    def make(self, **options: object) -> gym.Env[Any, Any]:
        """Make the environment."""

    @abstractmethod
    def make_vec(self, num_envs: int, **options: object) -> VectorEnv[Any, Any, Any]:
        """Make the vector environment of N games."""

    def _parts(self) -> dict[str, Any]:
        """Return the options of an environment that a scenario settles."""
        setting = {part.name: getattr(self.setting, part.name) for part in fields(self.setting) if part.init}
        return setting | {"horizon": self.horizon, "knowledge": self.knowledge}

    def lasting(self, rounds: int) -> Self:
        """Return the same scenario with episodes of so many rounds, which learners that are told the horizon hear."""
        told = {"horizon": rounds} if "horizon" in self.knowledge else {}
        return replace(self, horizon=rounds, knowledge={**self.knowledge, **told})  # type: ignore[type-var]

    @abstractmethod
    def check_learner(self, learner: Policy[Any]) -> None:
        """Make sure that a learner of this package can play.

        Raises
        ------
        ValueError
            If it is made for another game, or another number of features or labels.
        """

    def suits(self, learner: type[Policy[Any]]) -> bool:
        """Whether a learner that can play has something to learn from, and so takes part by default."""
        return True

    def rivals(self) -> tuple[str, ...] | None:
        """Return the names of who takes part by default; None: all learners of the game that want to."""
        return None

    @property
    def proved(self) -> Truth | None:
        """The truth, where the theorems' assumptions hold."""
        return self.truth

    @property
    def horizon_decides(self) -> bool:
        """Whether what is played depends on the horizon, so that an episode cut short is another game."""
        return False

    def numbers_of_a_game(self) -> int:
        """Return about how many numbers a game holds, which limits how many games are played at once."""
        return int(self.setting.population.dim)

    @abstractmethod
    def in_compiled_code(self) -> bool:
        """Whether compiled code knows who arrives, and how they answer."""

    @abstractmethod
    def play(
        self,
        learner: Policy[Any],
        keys: Key,
        rounds: int,
        checkpoints: Int,
        threads: int = 1,
        progress: Callable[[Rollout], object] | None = None,
    ) -> Rollout:
        """Let a learner play the episodes whose keys (N, 2) are given, in compiled code.

        Parameters
        ----------
        learner : Policy
            One with compiled rules that can play (`check_learner`).
        keys : ndarray, shape (N, 2), uint64
        rounds : int
        checkpoints : ndarray, shape (C,), int64
            Rounds after which to note the mistakes so far.
        threads : int
            Processor cores to share the games among.
        progress : callable, optional
            Called now and then with the `Rollout` so far; if it returns False, the rollout ends there.
        """

    def counted(self, info: Mapping[str, Any]) -> dict[str, float]:
        """Return what a round adds to the `columns`, from its full info."""
        return {}

    def limits(self) -> dict[str, dict[str, float]]:
        """Return of each of the `columns` how many times what else a run counts, or ``"rounds"``, it is at most."""
        return dict.fromkeys(self.columns, {})

    def reference_learner(self, seed: int, rounds: int) -> Policy[Any]:
        """Return the contestant that regret is against, made from what a run's seed holds."""
        raise NotImplementedError(f"{self.name} has no reference")

    @abstractmethod
    def why_no_bound(self) -> str:
        """Say why no contestant has a bound on its mistakes."""


def check_description(scenario: BenchScenario, setting: type) -> None:
    """Make sure that a scenario of one's own can be shown and saved: its name, setting, knowledge and options.

    Raises
    ------
    TypeError, ValueError
        If one is of another kind, the name is no line of text, or an option is not finite.
    """
    name = scenario.name
    if not isinstance(name, str):
        raise TypeError(f"name must be a text, got {shown(name)}")
    if not name.strip() or not name.isprintable():
        raise ValueError(f"name must be one line of text that can be printed, got {shown(name)}")
    if not isinstance(scenario.setting, setting):
        raise TypeError(f"setting must be a {setting.__name__}, got {shown(scenario.setting)}")
    for what, given in (("knowledge", scenario.knowledge), ("options", scenario.options)):
        if not isinstance(given, Mapping) or not all(isinstance(key, str) for key in given):
            raise TypeError(f"{what} must be a dict with names as keys, got {shown(given)}")
    for option, value in scenario.options.items():
        if not _is_finite(value):
            raise ValueError(f"options[{option!r}] must be finite, got {shown(value)}")


def _is_finite(value: object) -> bool:
    """Whether a value of an option holds no NaN and no infinity, which JSON cannot say."""
    if isinstance(value, np.ndarray | np.generic):
        return value.dtype.kind != "f" or bool(np.isfinite(value).all())
    if isinstance(value, list | tuple):
        return all(map(_is_finite, value))
    return not isinstance(value, float) or math.isfinite(value)


def check_game(learner: Policy[Any] | type[Policy[Any]], scenario: BenchScenario) -> None:
    """Make sure that a learner is made for the game of a scenario.

    Raises
    ------
    ValueError
        If it is not.
    """
    if learner.game != scenario.game:
        raise ValueError(
            f"{learner.name} is a learner of {learner.game} classification; {scenario.name} is of {scenario.game} "
            "classification"
        )


def refuse_unknown(options: Mapping[str, object], allowed: Sequence[str], name: str) -> None:
    """Make sure that a scenario has all options that are given.

    Raises
    ------
    ValueError
        If it has not.
    """
    for option in options:
        if option not in allowed:
            names = ", ".join(sorted(allowed))
            raise ValueError(f"{name} has no option {option!r}; its options are {names}{perhaps(option, allowed)}")
