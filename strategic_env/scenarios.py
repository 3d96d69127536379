"""Named scenarios: a population, its cost of manipulation, the feedback, and what a learner is told."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Self

import gymnasium as gym
from gymnasium.vector import VectorEnv

from agents.foundation.checks import count, one_of, shown
from agents.responses.individuals import BestResponse
from learners.policy import Policy
from learners.strategic.base import Truth
from learners.strategic.fixed import BestFixedClassifier
from strategic_env.bench_scenario import OF_EVERY_GAME, BenchScenario, begin, check_game, refuse_unknown
from strategic_env.builders import BUILDERS, truth_of
from strategic_env.claims import check_truth, unverified
from strategic_env.game import FEEDBACK, Setting
from strategic_env.interface import knowledge_of
from strategic_env.multiclass.builders import MULTICLASS_BUILDERS
from strategic_env.multiclass.scenarios import MulticlassScenario, multiclass_scenario
from strategic_env.multiclass.single import OnlineMulticlassEnv
from strategic_env.registration import MULTICLASS, SCENARIOS, STRATEGIC, VECTOR
from strategic_env.single import StrategicClassificationEnv
from strategic_env.vector import StrategicClassificationVectorEnv


@dataclass(frozen=True)
class Scenario(BenchScenario):
    """A named game of strategic classification with its options.

    Attributes
    ----------
    name : str
        A key of `strategic_env.registration.STRATEGIC`, or a name of your own.
    setting : Setting
        Population, cost, feedback.
    horizon : int
        Rounds per episode.
    knowledge : dict
        What a learner is told.
    truth : Truth or None
        What the theorems' bounds depend on; None where no hyperplane separates the labels, or nobody knows. It is held
        against the setting; where nobody can tell, as of a population of your own, no bounds are shown.
    options : dict
        The options that were given, all JSON.

    Raises
    ------
    ValueError
        If the truth is not that of the setting: bounds would be shown that do not hold.
    """

    name: str
    setting: Setting
    horizon: int
    knowledge: dict[str, object]
    truth: Truth | None
    options: dict[str, object] = field(default_factory=dict)

    game = "strategic"
    manipulable = True
    reference = BestFixedClassifier.name
    game_options = {"feedback": f"one of {', '.join(FEEDBACK)}"} | OF_EVERY_GAME
    environment_options = ("reward", "observation", "info_level", "render_mode")

    def __post_init__(self) -> None:
        """Check that the parts fit each other."""
        count("horizon", self.horizon, minimum=1)
        if self.truth is not None:
            check_truth(self.truth, self.setting)

    @property
    def proved(self) -> Truth | None:
        """The truth, where the theorems' assumptions hold and it is verified."""
        return None if self._voided() else self.truth

    def make(self, **options: object) -> StrategicClassificationEnv:
        """Make the environment; ``options`` are ``reward``, ``observation``, ``info_level``, ``render_mode``."""
        refuse_unknown(options, self.environment_options, self.name)
        return StrategicClassificationEnv(**self._parts(), **options)  # type: ignore[arg-type]

    def make_vec(self, num_envs: int, **options: object) -> StrategicClassificationVectorEnv:
        """Make the vector environment of N games; ``options`` as for `make`, and ``autoreset_mode``."""
        refuse_unknown(options, self.vector_options(), self.name)
        return StrategicClassificationVectorEnv(num_envs=num_envs, **self._parts(), **options)  # type: ignore[arg-type]

    def lasting(self, rounds: int) -> Self:
        """Return the same scenario with episodes of so many rounds."""
        return replace(self, horizon=rounds)

    def check_learner(self, learner: Policy[Any]) -> None:
        """Make sure that a learner can play: begin a game and forget it.

        Raises
        ------
        ValueError
            If it is made for another game, or another number of features.
        """
        check_game(learner, self)
        begin(learner, self.setting.population.dim)

    def why_no_bound(self) -> str:
        """Say which assumption of the theorems fails."""
        return self._voided() or "no bounds: no theorem of these learners applies here"

    def _voided(self) -> str | None:
        """Say what voids the bounds of all learners; None if nothing does."""
        setting = self.setting
        if setting.feedback != "full":
            return f"no bounds: the theorems need every label, but feedback is {setting.feedback}"
        if type(setting.individual) is not BestResponse:
            return f"no bounds: the theorems need best responses, but individuals are {setting.individual!r}"
        if self.truth is None:
            return "no bounds: no hyperplane is known to separate the labels"
        return unverified(setting.population)

    def _parts(self) -> dict[str, Any]:
        setting = self.setting
        return {
            "population": setting.population,
            "cost": setting.cost,
            "individual": setting.individual,
            "feedback": setting.feedback,
            "population_seed": setting.population_seed,
            "horizon": self.horizon,
            "knowledge": self.knowledge,
        }


def scenario(name: str, /, **options: object) -> BenchScenario:
    """Return a scenario by name.

    Parameters
    ----------
    name : str
        Such as ``"KnownL2"`` (`strategic_env.registration.SCENARIOS` has them all).
    **options
        ``horizon``, ``population_seed``, and the scenario's own: ``dim``, ``noise``, ``feedback``, ``margin``,
        ``radius``, ``bias``, ``alpha``, ``pool``, ``separable``, ``classes``, ``population``, where they apply.

    Returns
    -------
    Scenario or MulticlassScenario

    Raises
    ------
    ValueError
        For an unknown name or option, or a value outside its limits.
    """
    one_of("scenario", name, tuple(SCENARIOS))
    return multiclass_scenario(name, **options) if name in MULTICLASS else strategic_scenario(name, **options)


def strategic_scenario(name: str, /, **options: object) -> Scenario:
    """Return a scenario of strategic classification by name, as `scenario` does.

    Raises
    ------
    ValueError
        As there; and if the scenario is of another game.
    """
    one_of("scenario", name, tuple(STRATEGIC))
    build = BUILDERS[name]
    own = tuple(inspect.signature(build).parameters)
    refuse_unknown(options, (*own, *Scenario.game_options), name)
    parts = build(**{key: value for key, value in options.items() if key in own})
    setting = Setting(
        population=parts.population,
        cost=parts.cost,
        feedback=options.get("feedback", "full"),  # type: ignore[arg-type]  # Setting checks both
        population_seed=options.get("population_seed"),  # type: ignore[arg-type]
    )
    horizon = count("horizon", options.get("horizon", parts.horizon), minimum=1)
    known = knowledge_of(parts.population, parts.cost)
    knowledge = {key: value for key, value in known.items() if key not in parts.hidden} | dict(parts.told)
    return Scenario(name, setting, horizon, knowledge, truth_of(parts), dict(options))


def make(name: str, /, **options: object) -> gym.Env[Any, Any]:
    """Make the environment of a scenario; ``options`` are those of `scenario` and of its ``make``."""
    of_environment, own = _apart(name, options, kind_of(name).environment_options)
    return scenario(name, **own).make(**of_environment)


def make_vec(
    name: str, /, num_envs: int = 1, max_episode_steps: int | None = None, **options: object
) -> VectorEnv[Any, Any, Any]:
    """Make the vector environment of a scenario; ``options`` are those of `scenario` and of its ``make_vec``.

    Fewer ``max_episode_steps`` than the horizon become the horizon; -1 changes nothing, as in `gymnasium.make`.
    """
    of_environment, own = _apart(name, options, kind_of(name).vector_options())
    chosen = scenario(name, **own)
    if max_episode_steps is not None and not (type(max_episode_steps) is int and max_episode_steps == -1):
        chosen = chosen.lasting(min(chosen.horizon, count("max_episode_steps", max_episode_steps, minimum=1)))
    return chosen.make_vec(num_envs, **of_environment)


def _apart(
    name: str, options: Mapping[str, object], names: Sequence[str]
) -> tuple[dict[str, object], dict[str, object]]:
    """Return the options of these names, and those of the scenario."""
    one_of("scenario", name, tuple(SCENARIOS))
    refuse_unknown(options, (*own_options(name), *names), name)
    named = {key: value for key, value in options.items() if key in names}
    return named, {key: value for key, value in options.items() if key not in names}


def kind_of(name: str) -> type[BenchScenario]:
    """Return the class of a named scenario."""
    return MulticlassScenario if name in MULTICLASS else Scenario


class EntryPoint:
    """What `gymnasium.make` calls for a scenario; it asks for the render modes first, to wrap what collects frames."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.metadata = (OnlineMulticlassEnv if name in MULTICLASS else StrategicClassificationEnv).metadata

    def __call__(self, **options: object) -> gym.Env[Any, Any]:
        """Make the environment."""
        return make(self._name, **options)


def __getattr__(name: str) -> Callable[..., gym.Env[Any, Any] | VectorEnv[Any, Any, Any]]:
    """Return Gymnasium's entry points of a scenario: attributes, so that no option can replace its name."""
    if name in SCENARIOS:
        return EntryPoint(name)
    if (single := name.removesuffix(VECTOR)) in SCENARIOS:
        return partial(make_vec, single)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def builder_of(name: str) -> Callable[..., object]:
    """Return what makes the parts of a named scenario; its keywords are the scenario's own options."""
    return MULTICLASS_BUILDERS[name] if name in MULTICLASS else BUILDERS[name]


def own_options(name: str) -> tuple[str, ...]:
    """Return the names of the options that a scenario takes."""
    return (*inspect.signature(builder_of(name)).parameters, *kind_of(name).game_options)


def defaults_of(name: str) -> dict[str, object]:
    """Return the options that a scenario takes, with the values that they have if nobody gives others."""
    chosen, parameters = scenario(name), inspect.signature(builder_of(name)).parameters
    told = {"feedback": "full", "horizon": chosen.horizon, "population_seed": chosen.setting.population_seed}
    found = told | {option: parameter.default for option, parameter in parameters.items()}
    return {option: found[option] for option in own_options(name)}


def playable(wanted: str | BenchScenario) -> BenchScenario:
    """Return a scenario, or the one of this name.

    Raises
    ------
    TypeError
        If it is neither.
    ValueError
        If there is none of this name.
    """
    chosen = scenario(wanted) if isinstance(wanted, str) else wanted
    if not isinstance(chosen, BenchScenario):
        raise TypeError(f"scenario must be a name or a Scenario, got {shown(wanted)}")
    return chosen
