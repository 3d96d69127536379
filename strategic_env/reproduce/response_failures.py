"""Sequences on which a theorem's learner errs for ever, since people answer otherwise, and what mends it."""

from typing import NamedTuple

from strategic_env.bench.contestants import contestant, mistake_bound
from strategic_env.bench.rollout import rollout
from strategic_env.games.scenarios import scenario


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
PATIENT = f"patient:learner={ALGORITHM_2}"
WITHIN = "at most the bound"
FAILURES = (
    Failure("MissExample", ALGORITHM_2, 6000, "5,999", 5999, 5999),
    Failure("MissExample", f"{ALGORITHM_2}:surrogate=always", 6000, WITHIN, 0, 125),
    Failure("HarmedExample", ALGORITHM_2, 401, "401", 401, 401),
    Failure("HarmedExample", f"{ALGORITHM_2}:nonnegative=true", 401, WITHIN, 0, 16),
    Failure("LagExample", ALGORITHM_2, 6000, "more than 5,000", 5001, 6000),
    Failure("LagExample", PATIENT, 6000, WITHIN, 0, 100),
    Failure("OverlookedExample", ALGORITHM_2, 2000, "2,000", 2000, 2000),
    Failure("OverlookedExample", "best-fixed-classifier:classifier=[0.6,0.8,0.0]", 2000, "0", 0, 0),
)


def played(failure: Failure) -> Outcome:
    """Let the learner play."""
    chosen = scenario(failure.scenario)
    learner = contestant(failure.learner, chosen).learner
    bound = mistake_bound(learner, chosen)
    mistakes = int(rollout(learner, chosen, rounds=failure.rounds).mistakes[0])  # type: ignore[arg-type]
    within = bound is None or mistakes <= bound
    return Outcome(mistakes, bound, failure.least <= mistakes <= failure.most and within)
