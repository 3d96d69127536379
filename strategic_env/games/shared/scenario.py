"""What the bench needs of a scenario, whatever is played there."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Self

import gymnasium as gym
from gymnasium.vector import VectorEnv

from agents.foundation.checks import perhaps
from learners.policy import Policy
from learners.strategic.base import Truth

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
        A key of `strategic_env.games.registration.SCENARIOS`, or a name of your own.
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
    manipulable : bool
        Whether individuals can manipulate what the learner sees.
    reference : str or None
        Name of the contestant that regret is against.
    game_options : mapping
        Options of every scenario of the game besides those of its builder, as in `OF_EVERY_GAME`.
    environment_options : tuple of str
        Options of `make`; those of `make_vec` are `vector_options`.
    """

    game: ClassVar[str]
    manipulable: ClassVar[bool]
    reference: ClassVar[str | None] = None
    game_options: ClassVar[Mapping[str, str]]
    environment_options: ClassVar[tuple[str, ...]]
    name: str
    setting: Any
    horizon: int
    knowledge: Mapping[str, object]
    options: Mapping[str, object]
    truth: Truth | None

    @classmethod
    def vector_options(cls) -> tuple[str, ...]:
        """Return the options of `make_vec`, besides the number of games."""
        return (*cls.environment_options, "autoreset_mode")

    @abstractmethod
    def make(self, **options: object) -> gym.Env[Any, Any]:
        """Make the environment."""

    @abstractmethod
    def make_vec(self, num_envs: int, **options: object) -> VectorEnv[Any, Any, Any]:
        """Make the vector environment of N games."""

    @abstractmethod
    def lasting(self, rounds: int) -> Self:
        """Return the same scenario with episodes of so many rounds."""

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

    @property
    def proved(self) -> Truth | None:
        """The truth, where the theorems' assumptions hold."""
        return self.truth

    @abstractmethod
    def why_no_bound(self) -> str:
        """Say why no contestant has a bound on its mistakes."""


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


def begin(learner: Policy[Any], dim: int) -> None:
    """Begin a game of so many features and forget it.

    Raises
    ------
    ValueError
        If the learner is made for another number, or needs more memory than there is.
    """
    try:
        learner.initial_state(1, dim)
    except MemoryError as error:
        raise ValueError(f"{learner!r} needs more memory than there is for {dim:,} features: {error}") from error


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
