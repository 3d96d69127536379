"""Named scenarios of strategic classification."""

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from agents.costs import Cost, L2Cost
from agents.foundation.checks import count, one_of
from agents.foundation.streams import game_key
from agents.foundation.typing import Int, Key
from agents.responses.announced import UnderLottery
from agents.responses.beliefs import InTheDark, Lagged, Misperceiving
from agents.responses.effects import Improvement
from agents.responses.individuals import BestResponse, BudgetLimited, Individual, Truthful
from agents.responses.miss import Missing
from learners.policy import Policy, begin
from learners.strategic.base import Truth
from learners.strategic.fixed import BestFixedClassifier
from strategic_env.games.shared.columns import Column
from strategic_env.games.shared.rollout import Rollout
from strategic_env.games.shared.scenario import (
    OF_EVERY_GAME,
    BenchScenario,
    check_description,
    check_game,
    refuse_unknown,
)
from strategic_env.games.strategic import responses
from strategic_env.games.strategic.builders import (
    BUILDERS,
    EFFECTS,
    LISTED,
    PEOPLE,
    Parts,
    grouped_as,
    of_points,
    truth_of,
)
from strategic_env.games.strategic.claims import check_truth, effect_facts, facts_of, unverified
from strategic_env.games.strategic.group_tally import GROUP_TABLE, counted_of, limits_of, names_of
from strategic_env.games.strategic.options import knowledge_of
from strategic_env.games.strategic.rollout import COLUMNS, RULE_MISTAKES, play_keys
from strategic_env.games.strategic.setting import FEEDBACK, Setting
from strategic_env.games.strategic.single import StrategicClassificationEnv
from strategic_env.games.strategic.vector import StrategicClassificationVectorEnv


@dataclass(frozen=True)
class Scenario(BenchScenario):
    """A named game of strategic classification with its options.

    Attributes
    ----------
    name : str
        One of those that `strategic-env list` shows, or a name of your own.
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

    Examples
    --------
    >>> from agents import L2Cost, Separable
    >>> from strategic_env import Scenario, Setting, rollout
    >>> setting = Setting(population=Separable(dim=3), cost=L2Cost(0.5))
    >>> mine = Scenario("mine", setting, horizon=200, knowledge={"cost": "l2", "alpha": 0.5}, truth=None)
    >>> rollout("strategic-perceptron-l2", mine, games=3).mistakes.tolist()
    [5, 10, 9]
    """

    name: str
    setting: Setting
    horizon: int
    knowledge: dict[str, object]
    truth: Truth | None
    options: dict[str, object] = field(default_factory=dict)

    game = "strategic"
    reference = BestFixedClassifier.name
    game_options = (
        {
            "feedback": f"one of {', '.join(FEEDBACK)}",
            "groups": "null, shares that sum to 1, or a column of the data: results of each group, no learner sees it",
            "improvement": "null, or a number or list: the share of a move that is real, and may change the label",
            "delay": "so many rounds late is the learner told what happened",
        }
        | OF_EVERY_GAME
        | responses.OPTIONS
    )
    metadata = StrategicClassificationEnv.metadata
    builders = BUILDERS
    game_defaults = {"feedback": "full", "groups": None, "improvement": None, "delay": 0} | responses.DEFAULTS
    environment_options = ("reward", "observation", "info_level", "render_mode")
    table = (
        Column(
            "manipulators", "\nmoved", ".1%", "moved: share of arrivals that manipulated.", "manipulations", "rounds"
        ),
        Column(
            "qualified_cost",
            "cost\npaid",
            ".3f",
            "cost paid: by an average arrival of label +1; being accepted is worth 1.",
            "qualified_cost",
            "qualified",
        ),
    )
    group_table = GROUP_TABLE
    loss_is_mistakes = True
    trainable = True

    def __post_init__(self) -> None:
        """Check that the parts fit each other."""
        check_description(self, Setting)
        count("horizon", self.horizon, minimum=1)
        if self.truth is not None:
            check_truth(self.truth, self.setting)

    @property
    def columns(self) -> tuple[str, ...]:
        """What its runs count besides mistakes and losses."""
        lots = (RULE_MISTAKES,) if self.setting.draws_lots else ()
        return *COLUMNS, *lots, *names_of(self.setting.groups)

    @property
    def groups(self) -> tuple[str, ...]:
        """The names of the groups that are told apart."""
        return () if self.setting.groups is None else self.setting.groups.names

    @property
    def proved(self) -> Truth | None:
        """The truth, where the theorems' assumptions hold and it is verified."""
        return None if self._voided() else self.truth

    @classmethod
    def defaults(cls, name: str) -> dict[str, object]:
        """Return the options that a scenario takes, with the values that they have if nobody gives others."""
        return super().defaults(name) | PEOPLE.get(name, {}) | EFFECTS.get(name, {})

    @classmethod
    def named(cls, name: str, /, **options: object) -> Self:
        """Return a scenario of strategic classification by name.

        Raises
        ------
        ValueError
            For an unknown name or option, or a value outside its limits.
        """
        one_of("scenario", name, tuple(BUILDERS))
        parts = cls.built(name, options)
        people = responses.chosen_options(options, PEOPLE.get(name, {}))
        individual = responses.individual_of(people, parts.cost, parts.population.dim, parts.population.radius)
        effects = EFFECTS.get(name, {}) | options
        share, delay = effects.get("improvement"), effects.get("delay", 0)
        setting = Setting(
            population=grouped_as(parts, name, options.get("groups")),
            cost=parts.cost,
            individual=individual,
            feedback=options.get("feedback", "full"),  # type: ignore[arg-type]  # Setting checks both
            population_seed=options.get("population_seed"),  # type: ignore[arg-type]
            improvement=None if share is None else Improvement(share, parts.separator),  # type: ignore[arg-type]
            delay=delay,  # type: ignore[arg-type]
        )
        horizon = count("horizon", options.get("horizon", parts.horizon), minimum=1)
        known = knowledge_of(parts.population, parts.cost)
        knowledge = {key: value for key, value in known.items() if key not in parts.hidden} | dict(parts.told)
        knowledge |= responses.told_of(people, individual)
        if share is not None:
            knowledge["improvement"] = np.asarray(share, dtype=np.float64).tolist()
        if setting.delay:
            knowledge["delay"] = setting.delay
        return cls(name, setting, horizon, knowledge, _truth(parts, setting), dict(options))

    @classmethod
    def from_points(
        cls,
        features: ArrayLike,
        labels: ArrayLike,
        cost: Cost | None = None,
        *,
        head: int = 0,
        order: str = LISTED,
        individual: Individual | None = None,
        name: str = "points",
    ) -> Self:
        """Return a scenario of given individuals, with radius, margin and truth filled in.

        Parameters
        ----------
        features : array_like, shape (n, d)
            True features.
        labels : array_like, shape (n,)
            -1 or +1.
        cost : Cost, optional
            What moving costs; by default nobody can move.
        head : int
            So many of the first arrive once, in the beginning; the others then over and over.
        order : str
            ``"listed"``, ``"shuffled"`` anew in every pass, or ``"adversary"``: whoever the classifier errs on, if any.
        individual : Individual, optional
            How they answer; they best-respond by default.
        name : str

        Raises
        ------
        TypeError, ValueError
            If they are no sample, or an argument does not fit.

        Examples
        --------
        >>> from agents import L2Cost
        >>> from strategic_env import Scenario
        >>> scenario = Scenario.from_points([[-1.0, 0.0], [0.0, -1.0], [-0.5, -1.0]], [-1, 1, -1], L2Cost(0.5))
        >>> round(scenario.knowledge["radius"], 3), round(scenario.truth.margin, 3)
        (1.118, 0.243)
        """
        parts = of_points(features, labels, L2Cost(0.0) if cost is None else cost, head, order)
        setting = Setting(population=parts.population, cost=parts.cost, individual=individual or BestResponse())
        knowledge = knowledge_of(parts.population, parts.cost) | dict(parts.told)
        return cls(name, setting, parts.horizon, knowledge, _truth(parts, setting))

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
        other = copy(self)  # made anew, it would verify its truth again, which may take seconds
        object.__setattr__(other, "horizon", count("horizon", rounds, minimum=1))
        return other

    def check_learner(self, learner: Policy[Any]) -> None:
        """Make sure that a learner can play: begin a game and forget it.

        Raises
        ------
        ValueError
            If it is made for another game, or another number of features.
        """
        check_game(learner, self)
        begin(learner, self.setting.dim)

    def in_compiled_code(self) -> bool:
        """Whether individuals best-respond, and arrive by compiled rules."""
        return self.setting.source() is not None

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

    def counted(self, info: Mapping[str, Any]) -> dict[str, float]:
        """Return whether somebody moved, was qualified, and what that one paid; and the same of its group."""
        qualified = info.get("label_before", info["true_label"]) == 1.0
        paid = info["cost"] if qualified else 0.0
        counted = {"manipulations": bool(info["moved"]), "qualified": qualified, "qualified_cost": float(paid)}
        if self.setting.draws_lots:
            counted[RULE_MISTAKES] = bool(info["rule_mistake"])
        return counted if self.setting.groups is None else counted | counted_of(self.setting.groups, info)

    def limits(self) -> dict[str, dict[str, float]]:
        """Return how much there is of what is counted, at most: nobody pays more than being accepted is worth."""
        individual: object = self.setting.individual
        paid: dict[str, float] = {}
        most = {"manipulations": {"rounds": 1.0}, "qualified": {"rounds": 1.0}}
        if isinstance(individual, UnderLottery):
            individual, most[RULE_MISTAKES] = individual.individual, {"rounds": 1.0}
        if type(individual) in (BestResponse, Truthful, Missing, Misperceiving, Lagged, InTheDark):
            paid = {"manipulations": 1.0, "qualified": 1.0}
        elif type(individual) is BudgetLimited:
            paid = {"manipulations": individual.share, "qualified": individual.share}
        most["qualified_cost"] = paid
        return most | limits_of(self.groups, at_most_one=bool(paid))

    def reference_learner(self, seed: int, rounds: int) -> BestFixedClassifier:
        """Return the best fixed classifier of the true points that a run meets."""
        features, labels = self.setting.arrivals(game_key(seed)).points(rounds)
        return BestFixedClassifier.from_points(features, labels, self.setting.cost)

    def why_no_bound(self) -> str:
        """Say which assumption of the theorems fails."""
        return self._voided() or "no bounds: no theorem of these learners applies here"

    def _voided(self) -> str | None:
        """Say what voids the bounds of all learners; None if nothing does."""
        setting = self.setting
        if setting.feedback != "full":
            return f"no bounds: the theorems need every label, but feedback is {setting.feedback}"
        if setting.draws_lots:
            return "no bounds: the theorems are about the mistakes of the rule (rule_mistakes), and a lottery decides"
        if facts_of(setting.individual) is None:
            return f"no bounds: the theorems need best responses, but individuals are {setting.individual!r}"
        if self.truth is None:
            return "no bounds: no hyperplane is known to separate the labels"
        return unverified(setting.population)


def _truth(parts: Parts, setting: Setting) -> Truth | None:
    """Return what the bounds depend on, with how people answer; None where the labels are not separable."""
    truth = truth_of(parts)
    return None if truth is None else truth._replace(**(facts_of(setting.individual) or {}), **effect_facts(setting))
