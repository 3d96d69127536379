"""Who arrives, what manipulation costs them, how they answer, and which labels the learner gets to see."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from agents.costs import L2, Cost, cost_terms
from agents.foundation.checks import LARGEST_SEED, count, finite_length, one_of, shown
from agents.foundation.streams import game_key
from agents.foundation.typing import Float, Int, Key
from agents.populations.arrivals import Arrivals, ManyArrivals
from agents.populations.groups import Groups
from agents.populations.limits import Limits, is_own, limits_of
from agents.populations.own_arrivals import played_arrivals, played_source
from agents.populations.population import Population
from agents.populations.separable import Separable
from agents.populations.sources import Source
from agents.responses.announced import UnderLottery
from agents.responses.effects import Effect, Gaming, Improvement, Improving, improving
from agents.responses.exact import Exact
from agents.responses.individuals import (
    BestResponse,
    CompiledIndividual,
    Individual,
    Response,
    Terms,
    compiled_response,
)
from learners.feedback.graph import Feedback, FeedbackGraph
from strategic_env.games.strategic.delay import LARGEST_DELAY

# Feedback graphs over the two predictions: node 0 rejects, node 1 accepts.
GRAPHS = {name: FeedbackGraph.named(name, 2) for name in ("full", "apple_tasting")}


# May the learner see the label of an individual whom it rejected? It always sees that of the accepted.
FEEDBACK = {name: bool(graph.reveals[0].all()) for name, graph in GRAPHS.items()}


# Beyond this many radii, the rounding of a mover's place reaches the size of the population.
LARGEST_REACH = 1e4


def feedback_name(feedback: Feedback) -> str:
    """Return the name of a feedback graph over the two predictions: a key of `FEEDBACK`.

    Raises
    ------
    TypeError, ValueError
        If it is none, or hides the labels of the accepted.
    """
    if isinstance(feedback, str):
        return one_of("feedback", feedback, tuple(FEEDBACK))
    try:
        graph = FeedbackGraph.of(feedback, 2)
    except (TypeError, ValueError) as error:
        raise type(error)(f"feedback must be 'full', 'apple_tasting' or a graph of 2 classes: {error}") from error
    for name, known in GRAPHS.items():
        if graph == known:
            return name
    raise ValueError(
        "feedback must show the labels of the accepted (node 1), and have no query node, "
        f"got {graph.reveals.astype(int).tolist()}"
    )


def _groups_of(population: Population) -> Groups | None:
    groups = population.groups
    if groups is None:
        return None
    if not isinstance(groups, Groups):
        raise TypeError(f"the population's groups must be Groups, got {shown(groups)}")
    if groups.members is not None and is_own(population):
        raise ValueError(
            "the groups of a population of your own must be drawn by shares: only of given members is it known who "
            f"arrives, got {groups!r}"
        )
    return groups


class _Terms(NamedTuple):
    limits: Limits
    groups: Groups | None
    norm: int
    budgets: Float
    reach_scale: float
    slack: float


@dataclass(frozen=True, kw_only=True)
class Setting:
    """Who arrives, what manipulation costs them, how they answer, and which labels the learner gets to see.

    Attributes
    ----------
    population : Population
    cost : Cost
    individual : Individual
    feedback : str
        ``"full"``, or ``"apple_tasting"``: only the accepted are labelled. A `FeedbackGraph` or adjacency over the two
        predictions (node 0 rejects, node 1 accepts) is taken, too, and kept as the name of what it shows.
    population_seed : int or None
        Meet the same population in every episode; by default it is drawn afresh.
    improvement : Improvement or None
        What is real of a move, and may change the label; by default nothing is.
    delay : int
        So many rounds late is the learner told what happened.

    Examples
    --------
    >>> from agents import Separable, WeightedL1Cost
    >>> from strategic_env import Setting
    >>> setting = Setting(population=Separable(dim=2), cost=WeightedL1Cost([0.5, 0.0]), feedback="apple_tasting")
    >>> setting.individual, setting.reach_scale
    (BestResponse(), 0.5)
    """

    population: Population
    cost: Cost
    individual: Individual = BestResponse()
    feedback: str = "full"
    population_seed: int | None = None
    improvement: Improvement | None = None
    delay: int = 0

    def __post_init__(self) -> None:
        """Check that the parts are what they should be, and fit each other."""
        for name, part, kind in (("population", self.population, Population), ("cost", self.cost, Cost)):
            if not isinstance(part, kind):
                raise TypeError(f"{name} must be a {kind.__name__}, got {shown(part)}")
        if isinstance(self.individual, type) or not hasattr(self.individual, "report"):
            raise TypeError(
                f"individual must have a method report(), like BestResponse(), got {shown(self.individual)}"
            )
        object.__setattr__(self, "feedback", feedback_name(self.feedback))
        if self.population_seed is not None:
            count("population_seed", self.population_seed, maximum=LARGEST_SEED)
        self._terms  # noqa: B018  (asked now, and kept)
        self._check_improvement()
        count("delay", self.delay, maximum=LARGEST_DELAY)

    @cached_property
    def _terms(self) -> "_Terms":
        """What the parts say, asked once and checked: compiled code is told this, whatever they say later."""
        population, cost = self.population, self.cost
        limits = limits_of(population)
        terms = cost_terms(cost, limits.dim)
        slack = self._asked_slack(float(terms.alpha.max()))
        if len(terms.budgets) != 1:
            raise ValueError(
                f"alpha must be the same for every individual, got {shown(cost)}; populations may differ in it"
            )
        own, largest = limits.alpha, float(terms.alpha.max())
        if own is not None and (terms.norm != L2 or largest != own[1]):
            raise ValueError(f"cost must be L2Cost({own[1]}), the largest alpha of the population, got {shown(cost)}")
        if limits.radius > 0.0 and largest + slack > LARGEST_REACH * limits.radius:
            raise ValueError(
                f"alpha must be at most {LARGEST_REACH:g} times the radius {limits.radius:g} of the population, "
                f"so that rounding does not hide where people stand, got {largest + slack:g}"
            )
        return _Terms(limits, _groups_of(population), terms.norm, terms.budgets, largest + slack, slack)

    def _asked_slack(self, alpha: float) -> float:
        individual: object = self.individual
        if isinstance(individual, CompiledIndividual):
            slack: object = individual.slack_for(alpha)
        else:
            slack = getattr(individual, "slack", None)
        return finite_length("the individual's slack", slack)

    @property
    def dim(self) -> int:
        """Number of features, as it was when the setting was made."""
        return self._terms.limits.dim

    @property
    def norm(self) -> int:
        """The cost's norm, as it was when the setting was made."""
        return self._terms.norm

    def budgets(self) -> Float:
        """Return a copy of the cost's budgets, as they were when the setting was made: (1, 1), or (1, dim) for l1."""
        return self._terms.budgets.copy()

    @property
    def groups(self) -> Groups | None:
        """Who belongs to which group, as it was when the setting was made."""
        return self._terms.groups

    @property
    def told_aside(self) -> dict[str, type]:
        """What infos tell of a round besides its outcome, and of which kind: names and types."""
        told: dict[str, type] = {} if self.groups is None else {"group": int, "least_cost": float}
        told |= {} if self.improvement is None else {"label_before": float, "improved": bool, "harmed": bool}
        return told | ({"accepted": bool, "rule_mistake": bool} if self.draws_lots else {})

    @property
    def draws_lots(self) -> bool:
        """Whether a lottery decides who is accepted."""
        return isinstance(self.individual, UnderLottery)

    @property
    def reach_scale(self) -> float:
        """The largest distance anybody moves."""
        return self._terms.reach_scale

    @property
    def slack(self) -> float:
        """How far a report lies beyond what a best response moves, at most."""
        return self._terms.slack

    def response(self, games: int, block: int) -> Response:
        """Return how people answer in N games, for compiled code, with room for so many rounds (`compiled_response`).

        Somebody who answers in Python does so after compiled code has played a best response.
        """
        individual: object = self.individual
        if not isinstance(individual, CompiledIndividual) or not compiled_response(individual):
            return Exact(1.0)
        limits = self._terms.limits
        return individual.response(Terms(limits.dim, limits.radius, self.reach_scale), games, block)

    def _check_improvement(self) -> None:
        improvement, population = self.improvement, self.population
        if improvement is None:
            return
        if not isinstance(improvement, Improvement):
            raise TypeError(f"improvement must be an Improvement, got {shown(improvement)}")
        improvement.mask(self.dim)
        own = isinstance(population, Separable) or getattr(population, "separator", None) is not None
        if improvement.separator is None and not own:
            raise ValueError(
                f"improvement needs a separator, which says what label people have where they get to: {population!r} "
                "has none, and Improvement(separator=) gives one"
            )

    def effect_on(self, arrivals: Arrivals) -> Effect:
        """Return what moving changes in one game with these individuals.

        Raises
        ------
        ValueError
            If nobody knows the separator.
        """
        improvement = self.improvement
        if improvement is None:
            return Gaming()
        separator = arrivals.separator if improvement.separator is None else improvement.separator
        if separator is None:
            raise ValueError("improvement needs a separator, and these individuals have none")
        return self._improving(improvement, separator[np.newaxis].copy(), 0)

    def effect_of(self, source: Source, games: int, rows: int = 0) -> Effect:
        """Return what moving changes in N games of one source, with room for so many scores known ahead.

        Where each game has a separator of its own, `tell_separators` tells it.
        """
        improvement = self.improvement
        if improvement is None:
            return Gaming()
        if improvement.separator is not None or len(source.features):
            effect = self.effect_on(self.arrivals(game_key(0)))
            return effect._replace(scores=np.zeros(rows)) if isinstance(effect, Improving) else effect
        separators = np.zeros((games, self.dim + 1))
        separators[:, 0] = 1.0  # until it is drawn: of the same norm
        separators[:, -1] = getattr(self.population, "bias", 0.0)
        return self._improving(improvement, separators, rows)

    def tell_separators(self, effect: Effect, arrivals: ManyArrivals, games: Int) -> None:
        """Tell an effect the separators of ``games`` (n,) that have just begun, where each has its own."""
        drawn = self.improvement is not None and self.improvement.separator is None and arrivals.computed
        if drawn and isinstance(effect, Improving):
            effect.separators[games, :-1] = arrivals.directions[games]

    def _improving(self, improvement: Improvement, separators: Float, rows: int) -> Improving:
        mask, limits = improvement.mask(self.dim), self._terms.limits
        return improving(mask, separators, limits.radius, self.reach_scale, rows)

    def arrivals(self, key: Key) -> Arrivals:
        """Return the individuals of the episode with this key."""
        return played_arrivals(
            self.population, self.population.arrivals(key.copy(), self._population_key), self._terms.limits
        )

    def source(self) -> Source | None:
        """Return how individuals arrive, for compiled code; None where only Python knows that, or how they answer."""
        kinds = (self.population, *type(self.population).__mro__)
        arrives, compiled = (
            next(place for place, kind in enumerate(kinds) if name in vars(kind)) for name in ("arrivals", "source")
        )
        # Who arrives in another way than its parent, without saying so in `source`, must be asked itself.
        if compiled > arrives or not compiled_response(self.individual):
            return None
        return self.population_source()

    def population_source(self) -> Source | None:
        """Return how individuals arrive by the population's own `source`, however they answer."""
        return played_source(self.population, self.population.source(self._population_key), self._terms.limits)

    @property
    def _population_key(self) -> Key | None:
        return None if self.population_seed is None else game_key(self.population_seed)
