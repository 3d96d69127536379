"""A checker for learners, this package's and anybody's: what the bench and the environments rely on."""

import copy
import pickle
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.foundation.checks import count, one_of
from learners.policy import Policy
from strategic_env.bench.contestants import Policy as Predicts
from strategic_env.bench.rollout import rollout
from strategic_env.games.scenarios import playable
from strategic_env.games.shared.scenario import BenchScenario

GAMES = 3


class LearnerError(AssertionError):
    """A learner breaks a rule: which check, what was expected, what was found, and what to do."""


@dataclass(frozen=True)
class Case:
    """A learner and the scenario that it plays."""

    learner: Predicts
    scenario: BenchScenario
    rounds: int
    seed: int

    def play(
        self, game: int = 0, predict: Callable[..., tuple[Any, Any]] | None = None
    ) -> Iterator[tuple[Any, Any, Any]]:
        """Play one game; yield the observation, the action and the state of every round."""
        env = self.scenario.lasting(self.rounds).make()
        observation, _ = env.reset(seed=self.seed, options={"game": game})
        state = None
        for _ in range(self.rounds):
            action, state = (predict or self.learner.predict)(observation, state, None, True)
            yield observation, action, state
            observation, *_ = env.step(action)

    def actions(self, game: int = 0) -> NDArray[Any]:
        """Return the actions of one game, by round."""
        return np.array([action for _, action, _ in self.play(game)])


def check_actions(case: Case) -> None:
    """Every action lies in the action space."""
    space = case.scenario.make().action_space
    for at, (_, action, _) in enumerate(case.play()):
        if action not in space:
            raise LearnerError(f"round {at}: expected an action in {space}, found {action!r:.200}")


def check_observations(case: Case) -> None:
    """An observation is read, not written: copy what you want to change."""

    def predict(observation: Any, *others: Any) -> tuple[Any, Any]:
        before = copy.deepcopy(observation)
        answer = case.learner.predict(observation, *others)
        for key, value in before.items():
            if not np.array_equal(observation[key], value):
                raise LearnerError(f"expected observation[{key!r}] to stay as it was, found it changed: work on a copy")
        return answer

    for _ in case.play(predict=predict):
        pass


def check_determinism(case: Case) -> None:
    """The same game twice: the same actions; what was learned stands in the state, not on the learner."""
    first, second = case.actions(), case.actions()
    if not np.array_equal(first, second):
        at = int(np.argmax((first != second).reshape(len(first), -1).any(axis=1)))
        raise LearnerError(
            f"round {at}: expected the action of a first game with state=None, {first[at]!r}, found {second[at]!r}: "
            "keep what is learned in the state, draw from a seed, and begin anew where state is None"
        )


def check_copies(case: Case) -> None:
    """A copied or pickled state goes on as the state itself: a run can be forked and kept."""
    plays = list(case.play())
    observation = plays[-1][0]
    states = [one for *_, one in case.play()][-2:-1] or [None]
    forks = [copy.deepcopy(states[0]), pickle.loads(pickle.dumps(states[0])), states[0]]
    answers = [case.learner.predict(observation, fork, None, True)[0] for fork in forks]
    for answer in answers[1:]:
        if not np.array_equal(answers[0], answer):
            raise LearnerError("expected copies of a state to answer alike: let the state hold all that was learned")


def _together(case: Case) -> Iterator[tuple[Any, NDArray[Any]]]:
    """Play games in a batch; yield the state, and what was answered, of every round."""
    envs = [case.scenario.lasting(case.rounds).make() for _ in range(GAMES)]
    seen = [env.reset(seed=case.seed, options={"game": game})[0] for game, env in enumerate(envs)]
    state = None
    for _ in range(case.rounds):
        batch = {key: np.stack([one[key] for one in seen]) for key in seen[0]}
        actions, state = case.learner.predict(batch, state, None, True)
        if len(np.asarray(actions)) != GAMES:
            raise LearnerError(f"expected {GAMES} actions for {GAMES} games, found {actions!r:.200}")
        yield state, np.asarray(actions)
        seen = [env.step(action)[0] for env, action in zip(envs, actions, strict=True)]


def check_batches(case: Case) -> None:
    """Observations with a leading axis of games are answered as those of each game alone."""
    batch = np.stack([actions for _, actions in _together(case)], axis=1)
    draws = isinstance(case.learner, Policy) and "seed" in case.learner.parameters
    for game in range(1 if draws else GAMES):  # who draws has a stream for each row
        if not np.array_equal(batch[game], case.actions(game)):
            raise LearnerError(
                f"game {game} of a batch: expected the actions of the same game alone, found others: learn row by row "
                "when observation['features'] has two axes"
            )


def check_state_axis(case: Case) -> None:
    """Every array of the state has a leading axis of games."""
    for state, _ in _together(case):
        for name, array in _arrays("state", state):
            if array.ndim == 0 or len(array) != GAMES:
                raise LearnerError(
                    f"{name}: expected an array whose first axis is the {GAMES} games, found {array!r:.200}"
                )


def _arrays(name: str, value: Any) -> Iterator[tuple[str, NDArray[Any]]]:
    """Yield every array that a state holds, with its name."""
    if isinstance(value, np.ndarray):
        yield name, value
    elif isinstance(value, (tuple, list)):
        fields = getattr(value, "_fields", range(len(value)))
        for field, part in zip(fields, value, strict=True):
            yield from _arrays(f"{name}.{field}", part)
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from _arrays(f"{name}[{key!r}]", part)


def check_episode_start(case: Case) -> None:
    """``episode_start`` lets a game begin anew, and leaves the other games alone."""
    first, _ = case.scenario.lasting(case.rounds).make().reset(seed=case.seed)
    *_, (state, _) = _together(case)
    batch = {key: np.stack([value] * GAMES) for key, value in first.items()}
    fresh, _ = case.learner.predict(batch, None, None, True)
    going_on, _ = case.learner.predict(batch, copy.deepcopy(state), None, True)
    starts = np.arange(GAMES) == 1
    mixed, _ = case.learner.predict(batch, copy.deepcopy(state), starts, True)
    draws = isinstance(case.learner, Policy) and "seed" in case.learner.parameters
    if not draws and not np.array_equal(np.asarray(mixed)[1], np.asarray(fresh)[1]):
        raise LearnerError(
            "expected a game with episode_start to answer as with state=None: forget what it had learned"
        )
    if not np.array_equal(np.asarray(mixed)[~starts], np.asarray(going_on)[~starts]):
        raise LearnerError("expected games without episode_start to go on as before, found other actions")


def check_parameters(case: Case) -> None:
    """A learner of this package's kind refuses parameters that are NaN, infinite or of another kind."""
    if not isinstance(case.learner, Policy):
        return
    kind, parameters = type(case.learner), case.learner.arguments
    numbers = [
        name
        for name, value in parameters.items()
        if isinstance(value, Real) and not isinstance(value, (bool, np.bool_))
    ]
    for name in numbers:
        refused: tuple[object, ...] = (np.nan, np.inf, "much", [[]])
        for bad in refused:
            try:
                kind(**parameters | {name: bad})
            except (TypeError, ValueError):
                continue
            raise LearnerError(
                f"expected {name}={bad!r} to be refused with a TypeError or ValueError: check it when built"
            )


def check_rules(case: Case) -> None:
    """Compiled rules play as `predict` does."""
    learner, scenario = case.learner, case.scenario.lasting(case.rounds)
    if not (isinstance(learner, Policy) and learner.has_rules() and scenario.in_compiled_code()):
        return
    env = scenario.make(info_level="full")
    observation, _ = env.reset(seed=case.seed)
    state, mistakes = None, 0
    for _ in range(case.rounds):
        action, state = learner.predict(observation, state)
        observation, _, _, _, info = env.step(action)
        mistakes += bool(info["mistake"])
    found = int(rollout(learner, scenario, seed=case.seed).mistakes[0])
    if found != mistakes:
        raise LearnerError(f"expected the {mistakes} mistakes of a loop over predict in a rollout, found {found}")


CHECKS: dict[str, Callable[[Case], None]] = {
    "actions": check_actions,
    "observations": check_observations,
    "determinism": check_determinism,
    "copies": check_copies,
    "batches": check_batches,
    "state_axis": check_state_axis,
    "episode_start": check_episode_start,
    "parameters": check_parameters,
    "rules": check_rules,
}


def check_learner(
    learner: Predicts,
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
        raise TypeError(f"learner must be an object with a method predict, got {learner!r}")
    if isinstance(skip, str):
        raise TypeError(f"skip must be a list of names, got {skip!r}")
    skipped = {one_of("skip", name, tuple(CHECKS)) for name in skip}
    if isinstance(learner, Policy):
        chosen.check_learner(learner)
    case = Case(learner, chosen, count("rounds", rounds, minimum=2), count("seed", seed))
    for name, check in CHECKS.items():
        if name in skipped:
            continue
        try:
            check(case)
        except LearnerError as fault:
            raise LearnerError(f"{name}: {fault}") from None
        except Exception as error:
            raise LearnerError(f"{name}: expected no exception, found {error!r}") from error
