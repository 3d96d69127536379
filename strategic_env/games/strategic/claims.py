"""What the truth of a scenario claims, held against its setting: bounds are shown of what is verified only."""

from collections.abc import Iterator
from typing import Any

from agents.costs import L2
from agents.populations.finite import FiniteKnown
from agents.populations.nature import GreedyAdversary, TangentAdversary
from agents.populations.population import Population
from agents.populations.separable import Separable
from agents.responses.beliefs import Lagged
from agents.responses.individuals import BestResponse
from agents.responses.miss import Missing
from learners.bounds import RELATIVE_SLACK
from learners.separators import margins
from learners.strategic.base import Truth, checked_truth
from strategic_env.games.strategic.setting import Setting

# What the truth says, and what the setting has.
Claim = tuple[str, object, object]


def facts_of(individual: object) -> dict[str, Any] | None:
    """Return what a truth says of how people answer (fields of `Truth`); None where no theorem is about them."""
    if type(individual) is BestResponse:
        return {"response": individual.option}
    if type(individual) is Missing:
        return {"response": individual.option, "miss": (individual.low, individual.high)}
    if type(individual) is Lagged:
        return {"response": individual.option, "lag": individual.lag}
    return None


def effect_facts(setting: Setting) -> dict[str, Any]:
    """Return what a truth says of what moving changes, where a mask of zeros is none, and of when labels come."""
    mask = () if setting.improvement is None else tuple(setting.improvement.mask(setting.dim).tolist())
    return {"improvement": mask if any(mask) else None, "delay": setting.delay}


def check_truth(truth: Truth, setting: Setting) -> None:
    """Make sure that a truth is that of a setting, as far as that can be told (`unverified`).

    Raises
    ------
    TypeError, ValueError
        If it is not.
    """
    for what, said, found in _claims(checked_truth(truth), setting):
        if said != found:
            raise ValueError(
                f"truth must be that of the setting: it says {what} {said}, the setting has {found}; "
                "with another setting, give another truth, or None to see no bounds"
            )


def unverified(population: Population) -> str | None:
    """Say why nobody can tell whether a truth is that of a population; None where it is verified."""
    if isinstance(population, (Separable, TangentAdversary)) or _members_are_given(population):
        return None
    return (
        f"no bounds: no separator of {type(population).__name__} is known, so that its truth cannot be verified "
        "(of given members, of Separable and of TangentAdversary it is)"
    )


def _members_are_given(population: Population) -> bool:
    return isinstance(population, (FiniteKnown, GreedyAdversary))


def _claims(truth: Truth, setting: Setting) -> Iterator[Claim]:
    population = setting.population
    yield "cost", truth.cost, "l2" if setting.norm == L2 else "l1"
    yield "dim", truth.dim, population.dim
    yield "alpha", tuple(truth.alpha), tuple(setting.budgets()[0].tolist())
    yield "alpha_min", truth.alpha_min, None if population.alpha is None else (population.alpha[0],)
    yield "noise", 0.0, population.noise
    for what, found in ((facts_of(setting.individual) or {}) | effect_facts(setting)).items():
        yield what, getattr(truth, what), found
    yield "radius", truth.radius, _at_least(truth.radius, population.radius)
    # Of given members the truth may know more than the population: how far they keep in fact.
    if population.margin is not None and not _members_are_given(population):
        yield "margin", truth.margin, _at_most(truth.margin, population.margin)
    if isinstance(population, Separable):
        yield "intercept", truth.intercept, population.bias
        yield "nonnegative", truth.nonnegative, truth.nonnegative and population.nonnegative
    elif isinstance(population, TangentAdversary):
        yield "intercept", truth.intercept, 0.0
    elif isinstance(population, (FiniteKnown, GreedyAdversary)):
        yield from _of_members(truth, population)


def _of_members(truth: Truth, population: FiniteKnown | GreedyAdversary) -> Iterator[Claim]:
    """Yield what is not true of given members: that some hyperplane keeps the margin from them."""
    sample = population.features, population.labels
    try:
        if margins.attains(*sample, truth.margin, intercept=truth.intercept, nonnegative=truth.nonnegative):
            return
        best = margins.max_margin(*sample, bias=False) if truth.intercept == 0.0 else None
    except ArithmeticError as error:
        yield "margin", truth.margin, f"none that can be verified ({error})"
        return
    found = 0.0 if best is None else margins.margin(best[:-1], 0.0, *sample)
    if truth.intercept == 0.0 and truth.margin > found:
        yield "margin", truth.margin, found
        return
    sign = "weights that are not negative" if truth.nonnegative else "any weights"
    yield "margin", truth.margin, f"no such hyperplane with intercept {truth.intercept} and {sign}"


def _at_least(said: float, found: float) -> float:
    """Return what the setting has, up to rounding, if the truth may say more."""
    return said if said >= found * (1.0 - RELATIVE_SLACK) else found


def _at_most(said: float, found: float) -> float:
    """Return what the setting has, up to rounding, if the truth may say less."""
    return said if said <= found * (1.0 + RELATIVE_SLACK) else found
