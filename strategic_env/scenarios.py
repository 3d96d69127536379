"""Named scenarios: a population, its cost of manipulation, the feedback, and what a learner is told."""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from agents.checks import count, one_of
from agents.costs import L2
from agents.populations import FiniteKnown
from learners.base import Truth
from strategic_env.builders import BUILDERS, truth_of
from strategic_env.game import Setting
from strategic_env.interface import knowledge_of
from strategic_env.registration import SCENARIOS, VECTOR
from strategic_env.single import StrategicClassificationEnv
from strategic_env.vector import StrategicClassificationVectorEnv

ENVIRONMENT_OPTIONS = ("reward", "observation", "info_level", "render_mode")
VECTOR_OPTIONS = (*ENVIRONMENT_OPTIONS, "autoreset_mode")
GAME_OPTIONS = ("feedback", "horizon", "population_seed")


@dataclass(frozen=True)
class Scenario:
    """A named game with its options.

    Attributes
    ----------
    name : str
        A key of `strategic_env.registration.SCENARIOS`, or a name of your own.
    setting : Setting
        Population, cost, feedback.
    horizon : int
        Rounds per episode.
    knowledge : dict
        What a learner is told.
    truth : Truth or None
        What the theorems' bounds depend on; None where no hyperplane separates the labels, or nobody knows.
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

    def __post_init__(self) -> None:
        """Check that the parts fit each other."""
        count("horizon", self.horizon, minimum=1)
        for what, said, found in self._claims():
            if said != found:
                raise ValueError(
                    f"truth must be that of the setting: it says {what} {said}, the setting has {found}; "
                    "with another setting, give another truth, or None to see no bounds"
                )

    def _claims(self) -> list[tuple[str, object, object]]:
        """Return what the truth says, and what the setting has."""
        truth, population, cost = self.truth, self.setting.population, self.setting.cost
        if truth is None:
            return []
        least = None if population.alpha is None else (population.alpha[0],)
        claims: list[tuple[str, object, object]] = [
            ("cost", truth.cost, "l2" if cost.norm == L2 else "l1"),
            ("dim", truth.dim, population.dim),
            ("alpha", tuple(truth.alpha), tuple(cost.budgets(population.dim)[0].tolist())),
            ("alpha_min", truth.alpha_min, least),
            ("noise", 0.0, population.noise),
            ("radius", truth.radius, max(truth.radius, population.radius)),
        ]
        # Of given members the truth may know more than the population: how far they keep in fact.
        if population.margin is not None and not isinstance(population, FiniteKnown):
            claims.append(("margin", truth.margin, min(truth.margin, population.margin)))
        return claims

    def make(self, **options: object) -> StrategicClassificationEnv:
        """Make the environment; ``options`` are ``reward``, ``observation``, ``info_level``, ``render_mode``."""
        _refuse_unknown(options, ENVIRONMENT_OPTIONS, self.name)
        return StrategicClassificationEnv(**self._parts(), **options)  # type: ignore[arg-type]

    def make_vec(self, num_envs: int, **options: object) -> StrategicClassificationVectorEnv:
        """Make the vector environment of N games; ``options`` as for `make`, and ``autoreset_mode``."""
        _refuse_unknown(options, VECTOR_OPTIONS, self.name)
        return StrategicClassificationVectorEnv(num_envs=num_envs, **self._parts(), **options)  # type: ignore[arg-type]

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


def scenario(name: str, /, **options: object) -> Scenario:
    """Return a scenario by name.

    Parameters
    ----------
    name : str
        Such as ``"KnownL2"`` (`strategic_env.registration.SCENARIOS` has them all).
    **options
        ``horizon``, ``feedback``, ``population_seed``, and the scenario's own: ``dim``, ``margin``, ``radius``,
        ``bias``, ``alpha``, ``noise``, ``pool``, ``separable``, where they apply.

    Raises
    ------
    ValueError
        For an unknown name or option, or a value outside its limits.
    """
    one_of("scenario", name, tuple(SCENARIOS))
    build = BUILDERS[name]
    own = tuple(inspect.signature(build).parameters)
    _refuse_unknown(options, (*own, *GAME_OPTIONS), name)
    parts = build(**{key: value for key, value in options.items() if key in own})
    setting = Setting(
        population=parts.population,
        cost=parts.cost,
        feedback=options.get("feedback", "full"),  # type: ignore[arg-type]  # Setting checks both
        population_seed=options.get("population_seed"),  # type: ignore[arg-type]
    )
    horizon = count("horizon", options.get("horizon", 1000), minimum=1)
    known = knowledge_of(parts.population, parts.cost)
    knowledge = {key: value for key, value in known.items() if key not in parts.hidden} | dict(parts.told)
    return Scenario(name, setting, horizon, knowledge, truth_of(parts), dict(options))


def make(name: str, /, **options: object) -> StrategicClassificationEnv:
    """Make the environment of a scenario; ``options`` are those of `scenario` and of `Scenario.make`."""
    of_environment = {key: options.pop(key) for key in ENVIRONMENT_OPTIONS if key in options}
    return scenario(name, **options).make(**of_environment)


def make_vec(name: str, /, num_envs: int = 1, **options: object) -> StrategicClassificationVectorEnv:
    """Make the vector environment of a scenario; ``options`` are those of `scenario` and of `Scenario.make_vec`."""
    of_environment = {key: options.pop(key) for key in VECTOR_OPTIONS if key in options}
    return scenario(name, **options).make_vec(num_envs, **of_environment)


def __getattr__(name: str) -> Callable[..., StrategicClassificationEnv | StrategicClassificationVectorEnv]:
    """Return Gymnasium's entry points of a scenario: attributes, so that no option can replace its name."""
    if name in SCENARIOS:
        return partial(make, name)
    if (single := name.removesuffix(VECTOR)) in SCENARIOS:
        return partial(make_vec, single)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def own_options(name: str) -> tuple[str, ...]:
    """Return the names of the options that a scenario takes."""
    return (*inspect.signature(BUILDERS[name]).parameters, *GAME_OPTIONS)


def _refuse_unknown(options: dict[str, object], allowed: Sequence[str], name: str) -> None:
    for option in options:
        if option not in allowed:
            raise ValueError(f"{name} has no option {option!r}; its options are {', '.join(sorted(allowed))}")
