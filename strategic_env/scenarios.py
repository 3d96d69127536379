"""Named scenarios: a population, its cost of manipulation, the feedback, and what a learner is told."""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from agents.checks import count, one_of
from agents.costs import L2, Cost, L2Cost, WeightedL1Cost
from agents.populations import DataSet, FiniteKnown, FixedSequence, Population, Separable, standardised
from agents.typing import Float
from learners.base import Truth
from strategic_env import german_credit
from strategic_env.game import FEEDBACK, Setting
from strategic_env.registration import SCENARIOS
from strategic_env.single import StrategicClassificationEnv, knowledge_of

ENVIRONMENT_OPTIONS = ("reward", "observation", "info_level", "render_mode")
GAME_OPTIONS = ("feedback", "horizon", "population_seed")


@dataclass(frozen=True)
class Scenario:
    """A named game with its options.

    Attributes
    ----------
    name : str
        A key of `strategic_env.registration.SCENARIOS`.
    options : dict
        The options that were given, all JSON.
    setting : Setting
        Population, cost, feedback.
    horizon : int
        Rounds per episode.
    knowledge : dict
        What a learner is told.
    truth : Truth or None
        What the theorems' bounds depend on; None where no hyperplane separates the labels.
    """

    name: str
    setting: Setting
    horizon: int
    knowledge: dict[str, object]
    truth: Truth | None
    options: dict[str, object] = field(default_factory=dict)

    def make(self, **options: object) -> StrategicClassificationEnv:
        """Make the environment; ``options`` are ``reward``, ``observation``, ``info_level``, ``render_mode``."""
        _refuse_unknown(options, ENVIRONMENT_OPTIONS, self.name)
        setting = self.setting
        return StrategicClassificationEnv(
            setting.population,
            setting.cost,
            individual=setting.individual,
            feedback=setting.feedback,
            population_seed=setting.population_seed,
            horizon=self.horizon,
            knowledge=self.knowledge,
            **options,  # type: ignore[arg-type]
        )


def scenario(name: str, **options: object) -> Scenario:
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
    build = _BUILDERS[name]
    own = tuple(inspect.signature(build).parameters)
    _refuse_unknown(options, (*own, *GAME_OPTIONS), name)
    parts = build(**{key: value for key, value in options.items() if key in own})
    population_seed = options.get("population_seed")
    setting = Setting(
        population=parts.population,
        cost=parts.cost,
        feedback=one_of("feedback", options.get("feedback", "full"), tuple(FEEDBACK)),
        population_seed=None if population_seed is None else count("population_seed", population_seed),
    )
    horizon = count("horizon", options.get("horizon", 1000), minimum=1)
    knowledge = knowledge_of(parts.population, parts.cost)
    return Scenario(name, setting, horizon, knowledge, _truth(parts), dict(options))


def make(name: str, **options: object) -> StrategicClassificationEnv:
    """Make the environment of a scenario: Gymnasium's entry point for every registered id."""
    of_environment = {key: options.pop(key) for key in ENVIRONMENT_OPTIONS if key in options}
    return scenario(name, **options).make(**of_environment)


@dataclass(frozen=True)
class _Parts:
    """A population and its cost, and the separator [w*, b*] of its true points where it does not know one itself."""

    population: Population
    cost: Cost
    separator: Float | None = None


def _known_l2(
    *,
    dim: int = 2,
    margin: float = 0.1,
    radius: float = 1.0,
    bias: float = 0.0,
    alpha: float = 0.3,
    noise: float = 0.0,
    pool: int | None = None,
) -> _Parts:
    return _Parts(Separable(dim, radius, margin, bias=bias, pool=pool, noise=noise), _shared(L2Cost(alpha)))


def _known_l1(
    *,
    dim: int = 2,
    margin: float = 0.1,
    radius: float = 1.0,
    bias: float = 0.0,
    alpha: ArrayLike = 0.3,
    noise: float = 0.0,
    pool: int | None = None,
) -> _Parts:
    population = Separable(dim, radius, margin, bias=bias, pool=pool, nonnegative=True, noise=noise)
    return _Parts(population, _shared(WeightedL1Cost(alpha), dim))


_A1, _B1, _C1 = ((-1.0, 0.0), -1.0), ((0.0, -1.0), 1.0), ((-0.5, -1.0), -1.0)


def _example1(*, alpha: float = 0.5) -> _Parts:
    return _sequence(FixedSequence([_A1], [_B1, _C1]), _shared(L2Cost(alpha)))


def _example1_l1(*, alpha: ArrayLike = (0.6, 0.0)) -> _Parts:
    return _sequence(FixedSequence([_A1], [_B1, _C1]), _shared(WeightedL1Cost(alpha), 2))


def _example2(*, alpha: float = 0.5) -> _Parts:
    population = FixedSequence([((-1.0, 0.0), -1.0)], [((1.0, 0.0), 1.0), ((0.5, 0.0), -1.0)])
    return _sequence(population, _shared(L2Cost(alpha)))


def _example3(*, alpha: float = 5.0) -> _Parts:
    block = [((-1.0, -7.0), -1.0), ((3.0, 2.0), 1.0), ((-1.0, 7.0), -1.0), ((3.0, -2.0), 1.0)]
    return _sequence(FixedSequence([((4.0, 3.0), -1.0)], block), _shared(L2Cost(alpha)))


def _german_credit(
    *, alpha: ArrayLike | None = None, separable: bool = False, margin: float | None = None, noise: float = 0.0
) -> _Parts:
    """By default all rows; ``separable=True`` keeps those that a separator classifies with ``margin`` (0.1)."""
    if not isinstance(separable, bool):
        raise TypeError(f"separable must be True or False, got {separable!r}")
    if margin is not None and not separable:
        raise ValueError(f"margin needs separable=True, got margin={margin!r} without it")
    data = german_credit.load()
    cost = _shared(WeightedL1Cost(data.alphas if alpha is None else alpha), data.features.shape[1])
    if not separable:
        return _Parts(DataSet(data.features, data.labels, noise=noise), cost)
    distance = 0.1 if margin is None else margin
    features = standardised(data.features, data.names)
    rows = german_credit.separable_rows(features, data.labels, distance)
    population = DataSet(
        features, data.labels, standardise=False, separator=rows.separator, margin=distance, noise=noise
    )
    return _Parts(population, cost, population.separator)


_BUILDERS: dict[str, Callable[..., _Parts]] = {
    "KnownL2": _known_l2,
    "KnownL1": _known_l1,
    "Example1": _example1,
    "Example1L1": _example1_l1,
    "Example2": _example2,
    "Example3": _example3,
    "GermanCredit": _german_credit,
}


def own_options(name: str) -> tuple[str, ...]:
    """Return the names of the options that a scenario takes."""
    return (*inspect.signature(_BUILDERS[name]).parameters, *GAME_OPTIONS)


def _shared(cost: Cost, dim: int = 1) -> Cost:
    """Check that one alpha holds for everybody, and fits."""
    if len(cost.budgets(dim)) != 1:
        raise ValueError(f"alpha must be the same for every individual, got {cost.alpha.tolist()}")
    return cost


def _sequence(population: FiniteKnown, cost: Cost) -> _Parts:
    """Find what separates a few given individuals: a line through the origin if there is one."""
    from learners import margins

    separator = margins.max_margin(population.features, population.labels, bias=False)
    if separator is None:
        separator = margins.max_margin(population.features, population.labels)
    return _Parts(population, cost, separator)


def _truth(parts: _Parts) -> Truth | None:
    """Return what the bounds depend on, or None where the labels are not separable."""
    population, cost = parts.population, parts.cost
    margin, intercept, nonnegative = population.margin, 0.0, False
    if isinstance(population, Separable):
        intercept, nonnegative = population.bias, population.nonnegative
    elif parts.separator is not None and isinstance(population, FiniteKnown):
        intercept, nonnegative = float(parts.separator[-1]), bool((parts.separator[:-1] >= 0.0).all())
        if margin is None:
            scores = population.features @ parts.separator[:-1] + intercept
            margin = float(np.min(population.labels * scores))
    if margin is None or population.noise > 0.0:
        return None
    kind = "l2" if cost.norm == L2 else "l1"
    return Truth(kind, population.dim, population.radius, margin, intercept, float(cost.alpha.max()), nonnegative)


def _refuse_unknown(options: dict[str, object], allowed: Sequence[str], name: str) -> None:
    for option in options:
        if option not in allowed:
            raise ValueError(f"{name} has no option {option!r}; its options are {', '.join(sorted(allowed))}")
