"""A checker for learners, this package's and anybody's: what the bench and the environments rely on."""

from collections.abc import Callable, Collection

from agents.foundation.checks import LARGEST_SEED, count, one_of, shown
from learners.policy import Policy
from strategic_env.bench.contestants import Predictor
from strategic_env.conformance import learner_checks
from strategic_env.conformance.learner_checks import Case
from strategic_env.conformance.learner_checks import LearnerError as LearnerError
from strategic_env.games.scenarios import playable
from strategic_env.games.shared.scenario import BenchScenario

CHECKS: dict[str, Callable[[Case], None]] = {
    "actions": learner_checks.check_actions,
    "observations": learner_checks.check_observations,
    "determinism": learner_checks.check_determinism,
    "interleaving": learner_checks.check_interleaving,
    "copies": learner_checks.check_copies,
    "batches": learner_checks.check_batches,
    "state_axis": learner_checks.check_state_axis,
    "episode_start": learner_checks.check_episode_start,
    "parameters": learner_checks.check_parameters,
    "rules": learner_checks.check_rules,
}


def check_learner(
    learner: Predictor,
    scenario: str | BenchScenario = "KnownL2",
    *,
    skip: Collection[str] = (),
    rounds: int = 60,
    seed: int = 0,
) -> None:
    """Check a learner against what the bench and the environments rely on, and stop at the first fault.

    Parameters
    ----------
    learner : object
        Whatever has ``predict(observation, state, episode_start, deterministic)``.
    scenario : str, Scenario or MulticlassScenario
        What it plays.
    skip : collection of str
        Names of checks to leave out, of those in ``CHECKS``: ``["batches", "state_axis", "episode_start"]`` for one
        that plays single games only.
    rounds : int
        Rounds of a game, at least 2.
    seed : int
        Of the games.

    Raises
    ------
    LearnerError
        At the first fault (an AssertionError).
    TypeError, ValueError
        If an argument is of the wrong kind or value.

    Examples
    --------
    >>> from learners import StrategicPerceptronL2
    >>> from strategic_env import check_learner
    >>> check_learner(StrategicPerceptronL2(alpha=0.3), "KnownL2")
    """
    chosen = playable(scenario)
    if isinstance(learner, type) or not callable(getattr(learner, "predict", None)):
        raise TypeError(f"learner must be an object with a method predict, got {shown(learner)}")
    if isinstance(skip, str) or not isinstance(skip, Collection):
        raise TypeError(f"skip must be a list of names, got {shown(skip)}")
    skipped = {one_of("skip", name, tuple(CHECKS)) for name in skip}
    if isinstance(learner, Policy):
        chosen.check_learner(learner)
    rounds, seed = count("rounds", rounds, minimum=2), count("seed", seed, maximum=LARGEST_SEED)
    case = Case(learner, chosen, rounds, seed)
    for name, check in CHECKS.items():
        if name in skipped:
            continue
        try:
            check(case)
        except LearnerError as fault:
            raise LearnerError(f"{name}: {fault}") from fault.__cause__
        except Exception as error:
            raise LearnerError(f"{name}: expected no exception, found {error!r}") from error
