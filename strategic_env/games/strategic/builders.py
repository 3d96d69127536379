"""What each scenario is made of: its population, its cost, and what it tells.

The keywords of a builder are the scenario's own options.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike

from agents.costs import L1, L2, Cost, L2Cost, WeightedL1Cost
from agents.foundation.checks import count, finite_array, finite_features, finite_length, flag, one_of, shown, signs
from agents.foundation.typing import Float
from agents.populations.finite import DataSet, FiniteKnown, FixedSequence, standardised
from agents.populations.groups import Groups
from agents.populations.nature import GreedyAdversary
from agents.populations.population import Population
from agents.populations.separable import Separable
from learners.separators.separable import separable_rows
from learners.strategic.base import Truth
from strategic_env.data.adult import ADULT
from strategic_env.data.coded import CodedTable
from strategic_env.data.german_credit import GERMAN_CREDIT
from strategic_env.data.phishing import PHISHING
from strategic_env.games.shared.scenario import Noise

# What `strategic-env list NAME` says of these options.
OneReach = Annotated[float, "a number"]
Reaches = Annotated[ArrayLike, "a number for all coordinates, or a list of one each"]
DataReaches = Annotated[ArrayLike | None, "null for those of the data, a number, or a list of one each"]
Pool = Annotated[int | None, "how many individuals there are; null: somebody new in every round"]
DataMargin = Annotated[float | None, "needs separable=true; null: 0.1"]
Interval = Annotated[ArrayLike, "an interval, [smallest, largest]"]
Shares = Annotated[ArrayLike, "shares that sum to 1"]
GroupReaches = Annotated[Sequence[float], "a number for each group"]


Members = FiniteKnown | GreedyAdversary  # populations of given individuals
# In which order given points arrive: as listed, over and over; shuffled anew in every pass; whoever it errs on first.
ORDERS = LISTED, SHUFFLED, ADVERSARY = "listed", "shuffled", "adversary"


@dataclass(frozen=True)
class Parts:
    """What a scenario is made of.

    Attributes
    ----------
    population : Population
    cost : Cost
    separator : ndarray (d + 1,) or None
        ``[w*, b*]`` of the true points where the population does not know one itself.
    hidden : sequence of str
        What a learner is not told of `strategic_env.games.strategic.options.knowledge_of`.
    told : mapping
        What it is told besides.
    columns : mapping of str to Groups
        What people can be grouped by.
    horizon : int
        Rounds per episode, unless an option says otherwise.
    """

    population: Population
    cost: Cost
    separator: Float | None = None
    hidden: Sequence[str] = ()
    told: Mapping[str, object] = field(default_factory=dict)
    horizon: int = 1000
    columns: Mapping[str, Groups] = field(default_factory=dict)


def _known_l2(
    *,
    dim: int = 2,
    margin: float = 0.1,
    radius: float = 1.0,
    bias: float = 0.0,
    alpha: OneReach = 0.3,
    noise: Noise = 0.0,
    pool: Pool = None,
) -> Parts:
    return Parts(Separable(dim, radius, margin, bias=bias, pool=pool, noise=noise), _l2(alpha))


def _known_l1(
    *,
    dim: int = 2,
    margin: float = 0.1,
    radius: float = 1.0,
    bias: float = 0.0,
    alpha: Reaches = 0.3,
    noise: Noise = 0.0,
    pool: Pool = None,
) -> Parts:
    population = Separable(dim, radius, margin, bias=bias, pool=pool, nonnegative=True, noise=noise)
    return Parts(population, _l1(alpha, dim))


def _unknown_l2(*, dim: int = 2, margin: float = 0.1, radius: float = 1.0, alpha: OneReach = 0.3) -> Parts:
    return _hiding(_known_l2(dim=dim, margin=margin, radius=radius, alpha=alpha), "alpha")


def _unknown_l1_single(*, dim: int = 2, margin: float = 0.1, radius: float = 1.0, alpha: OneReach = 0.3) -> Parts:
    """Only the first coordinate moves."""
    reaches = np.zeros(Separable(dim, radius, margin).dim)
    reaches[0] = finite_length("alpha", alpha)
    population = Separable(dim, radius, margin, nonnegative=True)
    return _hiding(Parts(population, WeightedL1Cost(reaches), told={"direction": 0}), "alpha")


def _heterogeneous_l2(
    *, dim: int = 2, margin: float = 0.1, radius: float = 1.0, alpha: Interval = (0.3, 0.35)
) -> Parts:
    """Every individual has an alpha of its own, uniform over the interval."""
    try:
        shape = np.shape(alpha)
    except (ValueError, RecursionError):
        shape = ()  # a list of lists that differ in length, or that holds itself
    if shape != (2,):
        raise ValueError(f"alpha must be an interval [smallest, largest], got {shown(alpha)}")
    least, largest = finite_array("alpha", alpha, (2,)).tolist()
    population = Separable(dim, radius, margin, alpha=(least, largest))
    told = {"alpha_min": least, "alpha_max": largest}
    return _hiding(Parts(population, L2Cost(largest), told=told), "alpha")


def _groups_l2(
    *,
    dim: int = 2,
    margin: float = 0.1,
    radius: float = 1.0,
    groups: Shares = (0.5, 0.5),
    alpha: GroupReaches = (0.3, 0.15),
) -> Parts:
    """Everybody of a group reaches equally far; who belongs to which is drawn."""
    drawn = Groups.drawn(groups)
    population = Separable(dim, radius, margin, alpha_of_groups=(drawn, alpha))
    least, largest = population.alpha or (0.0, 0.0)
    told = {"alpha_min": least, "alpha_max": largest, "groups": list(drawn.shares or ())}
    return _hiding(Parts(population, L2Cost(largest), told=told), "alpha")


def _improving_l2(
    *,
    dim: int = 2,
    margin: float = 0.02,
    radius: float = 1.0,
    bias: float = 0.0,
    alpha: OneReach = 0.3,
    noise: Noise = 0.0,
    pool: Pool = None,
) -> Parts:
    """Moving makes people better, and a small margin hurts a learner that does not know."""
    return _known_l2(dim=dim, margin=margin, radius=radius, bias=bias, alpha=alpha, noise=noise, pool=pool)


def _improving_l1(
    *,
    dim: int = 2,
    margin: float = 0.02,
    radius: float = 1.0,
    bias: float = 0.0,
    alpha: Reaches = 0.3,
    noise: Noise = 0.0,
    pool: Pool = None,
) -> Parts:
    return _known_l1(dim=dim, margin=margin, radius=radius, bias=bias, alpha=alpha, noise=noise, pool=pool)


def _harmed_example(*, alpha: OneReach = 1.0) -> Parts:
    """Who moves along a classifier moves away from the separator, of normal (0.6, 0.8), in the one real feature."""
    individuals = [((0.6, -0.8), -1.0), ((0.2, 0.16), 1.0)]
    return Parts(FixedSequence(individuals[:1], individuals[1:]), _l2(alpha), np.array([0.6, 0.8, 0.0]))


def _meta_l2(*, dim: int = 5, margin: float = 0.1, radius: float = 1.0, alpha: OneReach = 0.3) -> Parts:
    """Every episode has another population of the same kind, too short to learn slowly."""
    return replace(_known_l2(dim=dim, margin=margin, radius=radius, alpha=alpha), horizon=200)


def _biased_l2(
    *, dim: int = 2, margin: float = 0.1, radius: float = 1.0, bias: float = 0.5, alpha: OneReach = 0.3
) -> Parts:
    return _known_l2(dim=dim, margin=margin, radius=radius, bias=bias, alpha=alpha)


def _biased_l1(
    *, dim: int = 2, margin: float = 0.1, radius: float = 1.0, bias: float = 0.5, alpha: Reaches = 0.3
) -> Parts:
    return _known_l1(dim=dim, margin=margin, radius=radius, bias=bias, alpha=alpha)


def _miss_example(*, alpha: OneReach = 1.0) -> Parts:
    """Everybody who moves lands half a unit beyond the boundary; a plane of normal (0.6, 0.8) separates them."""
    individuals = [((-1.0, -0.5), -1.0), ((0.5, -0.5), -1.0)]
    return Parts(FixedSequence(individuals[:1], individuals), _l2(alpha), np.array([0.6, 0.8, 0.0]))


def _overlooked_example(*, alpha: OneReach = 1.0) -> Parts:
    """Everybody overlooks the second feature; a plane of normal (0.6, 0.8) separates them."""
    return Parts(FixedSequence([((-1.0, -1.0), -1.0)], [((0.0, 1.0), 1.0)]), _l2(alpha), np.array([0.6, 0.8, 0.0]))


def _lag_example(*, alpha: OneReach = 1.0) -> Parts:
    """Everybody answers the classifier of one round ago; a plane of normal (0.6, 0.8) separates them."""
    individuals = [((-1.0, 1.0), 1.0), ((-1.0, 0.5), -1.0)]
    return Parts(FixedSequence([((-1.0, -1.0), -1.0)], individuals), _l2(alpha), np.array([0.6, 0.8, 0.0]))


_A1, _B1, _C1 = ((-1.0, 0.0), -1.0), ((0.0, -1.0), 1.0), ((-0.5, -1.0), -1.0)


def _example1(*, alpha: OneReach = 0.5) -> Parts:
    return _sequence(FixedSequence([_A1], [_B1, _C1]), _l2(alpha))


def _example1_l1(*, alpha: Reaches = (0.6, 0.0)) -> Parts:
    return _sequence(FixedSequence([_A1], [_B1, _C1]), _l1(alpha, 2))


def _example2(*, alpha: OneReach = 0.5) -> Parts:
    population = FixedSequence([((-1.0, 0.0), -1.0)], [((1.0, 0.0), 1.0), ((0.5, 0.0), -1.0)])
    return _sequence(population, _l2(alpha))


def _example3(*, alpha: OneReach = 5.0) -> Parts:
    block = [((-1.0, -7.0), -1.0), ((3.0, 2.0), 1.0), ((-1.0, 7.0), -1.0), ((3.0, -2.0), 1.0)]
    return _sequence(FixedSequence([((4.0, 3.0), -1.0)], block), _l2(alpha))


def _german_credit(
    *, alpha: DataReaches = None, separable: bool = False, margin: DataMargin = None, noise: Noise = 0.0
) -> Parts:
    return _people(GERMAN_CREDIT, alpha, separable, margin, noise)


def _phishing(
    *, alpha: DataReaches = None, separable: bool = False, margin: DataMargin = None, noise: Noise = 0.0
) -> Parts:
    return _people(PHISHING, alpha, separable, margin, noise)


def _adult(
    *, alpha: DataReaches = None, separable: bool = False, margin: DataMargin = None, noise: Noise = 0.0
) -> Parts:
    return _people(ADULT, alpha, separable, margin, noise)


def _people(table: CodedTable, alpha: DataReaches, separable: bool, margin: DataMargin, noise: Noise) -> Parts:
    """By default all rows; ``separable=True`` keeps those that a separator classifies with ``margin`` (0.1)."""
    if not flag("separable", separable) and margin is not None:
        raise ValueError(f"margin needs separable=True, got margin={margin!r} without it")
    data = table.load()
    cost = _l1(data.alphas if alpha is None else alpha, data.features.shape[1])
    columns = table.groups_of()
    if not separable:
        return Parts(DataSet(data.features, data.labels, noise=noise), cost, columns=columns)
    distance = 0.1 if margin is None else finite_length("margin", margin, above=0.0)
    features = standardised(data.features, data.names)
    separator = _separator_of(table, distance)
    population = DataSet(features, data.labels, standardise=False, separator=separator, margin=distance, noise=noise)
    kept = {name: groups.among(population.kept) for name, groups in columns.items()}
    return Parts(population, cost, population.separator, columns=kept)


def grouped_as(parts: Parts, name: str, groups: object) -> Population:
    """Return the population of a named scenario, grouped by a column of its data or by shares, if it is to be.

    Raises
    ------
    TypeError, ValueError
        If there is no such column, or they are no shares.
    """
    if groups is None or parts.population.groups is not None:
        return parts.population
    if not isinstance(groups, str):
        return parts.population.grouped(Groups.drawn(groups))  # type: ignore[arg-type]  # which checks them
    if not parts.columns:
        raise ValueError(
            f"groups must be shares that sum to 1 in {name}, whose people have no column for them, got {groups!r}"
        )
    return parts.population.grouped(parts.columns[one_of("groups", groups, tuple(parts.columns))])


@lru_cache(maxsize=16)
def _separator_of(table: CodedTable, margin: float) -> tuple[float, ...]:
    """Return what separates many people with the margin: found once, since that takes seconds."""
    data = table.load()
    rows = separable_rows(standardised(data.features, data.names), data.labels, margin)
    return tuple(rows.separator.tolist())


BUILDERS: dict[str, Callable[..., Parts]] = {
    "KnownL2": _known_l2,
    "KnownL1": _known_l1,
    "UnknownL2": _unknown_l2,
    "UnknownL1Single": _unknown_l1_single,
    "HeterogeneousL2": _heterogeneous_l2,
    "BiasedL2": _biased_l2,
    "BiasedL1": _biased_l1,
    "MetaL2": _meta_l2,
    "ImprovingL2": _improving_l2,
    "ImprovingL1": _improving_l1,
    "DelayedL2": _known_l2,
    "QuantalL2": _known_l2,
    "DarkL2": _known_l2,
    "LotteryL2": _known_l2,
    "CollectiveL2": _known_l2,
    "OverlookedExample": _overlooked_example,
    "MissExample": _miss_example,
    "LagExample": _lag_example,
    "HarmedExample": _harmed_example,
    "GroupsL2": _groups_l2,
    "Example1": _example1,
    "Example1L1": _example1_l1,
    "Example2": _example2,
    "Example3": _example3,
    "GermanCredit": _german_credit,
    "Phishing": _phishing,
    "Adult": _adult,
}


# How people answer unless the options say otherwise; best responses elsewhere.
PEOPLE: dict[str, dict[str, object]] = {
    "QuantalL2": {"response": "quantal", "temperature": 0.2},
    "DarkL2": {"response": "dark", "window": 50},
    "LotteryL2": {"lottery": [0.1, 1.0]},
    "CollectiveL2": {"response": "collective", "collective": 0.1, "members": "all"},
    "OverlookedExample": {"response": "misperceived", "perception": [1.0, 0.0]},
    "MissExample": {"response": "miss", "miss": [0.5, 0.5]},
    "LagExample": {"response": "lagged", "lag": 1},
}


# What moving changes unless the options say otherwise; nothing elsewhere.
EFFECTS: dict[str, dict[str, object]] = {
    "ImprovingL2": {"improvement": 1.0},
    "ImprovingL1": {"improvement": 1.0},
    "HarmedExample": {"improvement": [1.0, 0.0]},
    "DelayedL2": {"delay": 5},
}


def _hiding(parts: Parts, *hidden: str) -> Parts:
    return replace(parts, hidden=hidden)


def _l2(alpha: float) -> Cost:
    """Return the cost that everybody has."""
    return L2Cost(finite_length("alpha", alpha))


def _l1(alpha: ArrayLike, dim: int) -> Cost:
    """Return the cost that everybody has, if alpha fits."""
    cost = WeightedL1Cost(alpha)
    if len(cost.budgets(dim)) != 1:
        raise ValueError(f"alpha must be the same for every individual, got {cost.alpha.tolist()}")
    return cost


def _sequence(population: Members, cost: Cost) -> Parts:
    """Find what separates a few given individuals: a line through the origin if there is one."""
    from learners.separators import margins

    separator = margins.max_margin(population.features, population.labels, bias=False)
    if separator is None:
        separator = margins.max_margin(population.features, population.labels)
    return Parts(population, cost, separator)


def of_points(features: ArrayLike, labels: ArrayLike, cost: Cost, head: int, order: str) -> Parts:
    """Return what a scenario of given points is made of; it tells the margin and the only direction, too.

    Raises
    ------
    TypeError, ValueError
        If they are no sample, the order is none of `ORDERS`, or a head does not leave a block or fit the order.
    """
    points = finite_features("features", features)
    marks = signs("labels", labels, len(points))
    if one_of("order", order, ORDERS) != LISTED and head != 0:
        raise ValueError(f"head must be 0 unless order is {LISTED!r}, got {shown(head)}")
    first = count("head", head, maximum=len(points) - 1)
    if order == LISTED:
        pairs = list(zip(points.tolist(), marks.tolist(), strict=True))
        population: Members = FixedSequence(pairs[:first], pairs[first:])
    else:
        population = DataSet(points, marks, standardise=False) if order == SHUFFLED else GreedyAdversary(points, marks)
    parts = _sequence(population, cost)
    truth, movable = truth_of(parts), np.flatnonzero(cost.budgets(points.shape[1])[0])
    told: dict[str, object] = {} if truth is None else {"margin": truth.margin}
    if cost.norm == L1 and movable.size == 1:
        told["direction"] = int(movable[0])
    return replace(parts, told=told)


def truth_of(parts: Parts) -> Truth | None:
    """Return what the bounds depend on, or None where the labels are not separable."""
    population, cost = parts.population, parts.cost
    margin, intercept, nonnegative = population.margin, 0.0, False
    if isinstance(population, Separable):
        intercept, nonnegative = population.bias, population.nonnegative
    elif parts.separator is not None and isinstance(population, Members):
        intercept, nonnegative = float(parts.separator[-1]), bool((parts.separator[:-1] >= 0.0).all())
        scores = population.features @ parts.separator[:-1] + intercept
        margin = float(np.min(population.labels * scores))
    if margin is None or population.noise > 0.0:
        return None
    kind = "l2" if cost.norm == L2 else "l1"
    alpha = tuple(cost.budgets(population.dim)[0].tolist())
    least = None if population.alpha is None else (population.alpha[0],)
    return Truth(kind, population.dim, population.radius, margin, intercept, alpha, nonnegative, least)
