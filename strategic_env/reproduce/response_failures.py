"""Sequences on which a theorem's learner errs for ever, since people answer otherwise, and what mends it."""

from typing import NamedTuple

from agents.costs import L2Cost
from agents.responses.announced import UnderLottery
from agents.responses.individuals import BestResponse
from strategic_env.bench.contestants import contestant, mistake_bound
from strategic_env.bench.rollout import rollout
from strategic_env.games.scenarios import scenario
from strategic_env.games.strategic.rollout import RULE_MISTAKES
from strategic_env.games.strategic.scenario import Scenario


class Failure(NamedTuple):
    """A learner on a sequence.

    Attributes
    ----------
    scenario, learner : str
    rounds : int
    claim : str
        What is known of its mistakes.
    least, most : int
        Between which numbers they must lie.
    """

    scenario: str
    learner: str
    rounds: int
    claim: str
    least: int
    most: int


class Outcome(NamedTuple):
    """What came out: mistakes, the bound of a theorem if one applies, and whether all is as claimed."""

    mistakes: int
    bound: float | None
    agrees: bool


ALGORITHM_2 = "strategic-perceptron-l2"
LOTTERY = "-0.25-, then 0.25+; lottery=[0.5,1]"
PATIENT = f"patient:learner={ALGORITHM_2}"
WITHIN = "at most the bound"
FAILURES = (
    Failure("MissExample", ALGORITHM_2, 6000, "5,999", 5999, 5999),
    Failure("MissExample", f"{ALGORITHM_2}:surrogate=always", 6000, WITHIN, 0, 125),
    Failure("HarmedExample", ALGORITHM_2, 401, "401", 401, 401),
    Failure("HarmedExample", f"{ALGORITHM_2}:nonnegative=true", 401, WITHIN, 0, 16),
    Failure("LagExample", ALGORITHM_2, 6000, "more than 5,000", 5001, 6000),
    Failure("LagExample", PATIENT, 6000, WITHIN, 0, 100),
    Failure(LOTTERY, f"{ALGORITHM_2}:alpha=1.0", 200, "200 of the rule", 200, 200),
    Failure(LOTTERY, f"{ALGORITHM_2}:alpha=0.5", 200, "1 of the rule", 1, 1),
    Failure("OverlookedExample", ALGORITHM_2, 2000, "2,000", 2000, 2000),
    Failure("OverlookedExample", "best-fixed-classifier:classifier=[0.6,0.8,0.0]", 2000, "0", 0, 0),
)


def played(failure: Failure) -> Outcome:
    """Let the learner play; where a lottery decides, mistakes are those of the rule."""
    chosen = under_lottery() if failure.scenario == LOTTERY else scenario(failure.scenario)
    learner = contestant(failure.learner, chosen).learner
    bound = mistake_bound(learner, chosen)
    result = rollout(learner, chosen, rounds=failure.rounds)  # type: ignore[arg-type]
    mistakes = int(result.columns.get(RULE_MISTAKES, result.mistakes)[0])
    within = bound is None or mistakes <= bound
    return Outcome(mistakes, bound, failure.least <= mistakes <= failure.most and within)


def under_lottery() -> Scenario:
    """Return the sequence on which whoever is told the full reach errs for ever: moving gains half of the value."""
    people = UnderLottery(BestResponse(), lottery=[0.5, 1.0])
    return Scenario.from_points([[-0.25], [0.25]], [-1.0, 1.0], L2Cost(1.0), head=1, individual=people)
