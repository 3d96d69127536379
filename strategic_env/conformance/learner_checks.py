"""The checks of learners: each plays games with one, and raises a LearnerError at the first fault."""

import copy
import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from numbers import Number
from typing import Any

import numpy as np
from gymnasium.spaces import Box
from numpy.typing import NDArray

from agents.foundation.checks import is_real, shown
from agents.foundation.streams import game_key
from learners.policy import Policy, RandomizedPolicy
from strategic_env.bench.contestants import Predictor
from strategic_env.bench.rollout import rollout
from strategic_env.games.shared.scenario import BenchScenario

GAMES = 3
# A network computes in float32, and sums a batch in another order than a single game.
ROUNDING = 1e-5
SINGLE_GAMES = (
    "answer row by row when observation['features'] has two axes; "
    "for a learner of single games, skip=['batches', 'state_axis', 'episode_start']"
)

Observation = Mapping[str, Any]


class LearnerError(AssertionError):
    """A learner breaks a rule: which check, what was expected, what was found, and what to do."""


def unlike(where: str, expected: object, found: object, advice: str) -> LearnerError:
    """Return the fault that something is found where another is expected, and what to do."""
    return LearnerError(f"{where}: expected {shown(expected)}, found {shown(found)}: {advice}")


# Playing


@dataclass(frozen=True)
class Case:
    """A learner and the scenario that it plays."""

    learner: Predictor
    scenario: BenchScenario
    rounds: int
    seed: int

    @property
    def exact(self) -> bool:
        """Whether compiled rules answer, which compute a row of a batch as they compute a single game."""
        return isinstance(self.learner, Policy) and self.learner.has_rules()

    @property
    def half(self) -> int:
        """The round after which something happens."""
        return self.rounds // 2

    def begin(self, game: int = 0, **options: object) -> tuple[Any, Observation]:
        """Return the environment of a game and its first observation."""
        env = self.scenario.lasting(self.rounds).make(**options)
        return env, env.reset(seed=self.seed, options={"game": game})[0]

    def predict(self, observation: Observation, state: Any, starts: Any = None, advice: str = "") -> tuple[Any, Any]:
        """Return the learner's action and state."""
        try:
            answer = self.learner.predict(observation, state, starts, True)
        except Exception as error:
            advice = advice or "every observation of the scenario must be answered"
            raise LearnerError(f"expected predict to raise nothing, found {error!r}: {advice}") from error
        if not isinstance(answer, tuple) or len(answer) != 2:
            raise LearnerError(f"expected predict to return the pair (action, state), found {shown(answer)}")
        return answer

    def play(self, game: int = 0) -> Iterator[tuple[Observation, Any]]:
        """Play one game; yield the observation and the action of every round."""
        env, observation = self.begin(game)
        state = None
        for _ in range(self.rounds):
            action, state = self.predict(copy.deepcopy(observation), state)
            yield observation, action
            observation, *_ = env.step(action)

    def actions(self, game: int = 0) -> NDArray[Any]:
        """Return the actions of one game, by round."""
        return np.array([np.array(action) for _, action in self.play(game)])

    def play_batch(
        self, games: int = GAMES, anew: Sequence[int] = ()
    ) -> Iterator[tuple[Observation, NDArray[Any], Any]]:
        """Play games in a batch; yield observations, actions and state of every round.

        The games ``anew`` begin anew in round ``half``; where there are any, ``episode_start`` tells it in every round.
        """
        envs, seen = map(list, zip(*map(self.begin, range(games)), strict=True))
        state = None
        for at in range(self.rounds):
            for game in anew if at == self.half else ():
                envs[game], seen[game] = self.begin(games + game)
            begins = np.array([at == 0 or (at == self.half and game in anew) for game in range(games)])
            batch = {key: np.stack([one[key] for one in seen]) for key in seen[0]}
            actions, state = self.predict(copy.deepcopy(batch), state, begins if anew else None, SINGLE_GAMES)
            if np.shape(actions) != (shape := (games, *envs[0].action_space.shape)):
                found = f"{shown(actions)}: {SINGLE_GAMES}"
                raise LearnerError(f"expected actions of shape {shape} for {games} games, found {found}")
            for action in actions:
                demand_in_space(f"round {at} of a batch", action, envs[0].action_space)
            yield batch, np.array(actions), state
            seen = [env.step(action)[0] for env, action in zip(envs, actions, strict=True)]

    def replay(self, observations: Sequence[Observation], state: Any = None) -> tuple[NDArray[Any], Any]:
        """Show the learner what somebody saw; return its actions by round, and its last state."""
        actions = []
        for observation in observations:
            action, state = self.predict(copy.deepcopy(observation), state)
            actions.append(np.array(action))
        return np.array(actions), state

    def beginning(self, observation: Observation, game: int, episode: int = 0) -> Any:
        """Return the state from which a game of a batch begins alone: None but for who draws for each game anew."""
        if not isinstance(self.learner, RandomizedPolicy):
            return None
        whole: Any = self.learner.initial_state(game + 1, np.shape(observation["features"])[-1])
        if episode:
            whole.episode[game] = episode
            self.learner.begin_episode(whole, game, game_key(self.learner.seed, game, episode))
        return type(whole)(*(field[game:].copy() for field in whole))

    def demand_alike(self, where: str, expected: NDArray[Any], found: NDArray[Any], advice: str) -> None:
        """Make sure that answers, by round, are equal: but for rounding, where no compiled rules give them."""
        for at, (one, other) in enumerate(zip(expected, found, strict=True)):
            if self.exact or not np.issubdtype(one.dtype, np.floating):
                alike = np.array_equal(one, other)
            else:
                alike = one.shape == other.shape and np.allclose(_directions(one), _directions(other), 0.0, ROUNDING)
            if not alike:
                raise unlike(f"{where}, round {at}", one, other, advice)


def alone(observations: Sequence[Observation], game: int) -> list[Observation]:
    """Return what one game of a batch saw."""
    return [{key: value[game] for key, value in batch.items()} for batch in observations]


def _directions(actions: NDArray[Any]) -> NDArray[Any]:
    """Return classifiers at one scale: only their direction matters."""
    largest = np.abs(actions).max(axis=-1, keepdims=True)
    return np.asarray(actions / np.where(largest > 0.0, largest, 1.0))


def demand_same_state(where: str, expected: Any, found: Any, game: int) -> None:
    """Make sure that a row of a state with compiled rules is the state of the game alone."""
    for name, one, other in zip(expected._fields, expected, found, strict=True):
        if not np.array_equal(one[0], other[game]):
            raise unlike(f"{where}, state.{name} of game {game}", one[0], other[game], "as that of the game alone")


def demand_in_space(where: str, action: Any, space: Any) -> None:
    """Make sure that an action lies in the action space."""
    if isinstance(space, Box) and not isinstance(action, np.ndarray):
        raise LearnerError(f"{where}: expected an array, found {shown(action)}: return np.array(...)")
    found = np.asarray(action)
    if found.shape != space.shape:
        raise LearnerError(f"{where}: expected an action of shape {space.shape}, found {shown(action)}")
    if not np.can_cast(found.dtype, space.dtype):
        raise LearnerError(f"{where}: expected an action of dtype {space.dtype}, found {found.dtype}: convert it")
    if action not in space:
        raise LearnerError(f"{where}: expected an action in {space}, found {shown(action)}: scale it into the space")


# Checks


def check_actions(case: Case) -> None:
    """Every action lies in the action space, and stays what it was."""
    env, _ = case.begin()
    kept = []
    for at, (_, action) in enumerate(case.play()):
        demand_in_space(f"round {at}", action, env.action_space)
        kept.append((action, np.array(action)))
    for at, (action, before) in enumerate(kept):
        if not np.array_equal(action, before):
            advice = "later rounds changed it; return a copy of what is learned on"
            raise unlike(f"round {at}, afterwards", before, action, advice)


def check_observations(case: Case) -> None:
    """An observation is read, not written."""
    env, observation = case.begin()
    state = None
    for at in range(case.rounds):
        given = dict(copy.deepcopy(observation))
        action, state = case.predict(given, state)
        for key in {**observation, **given}:
            if key not in given or key not in observation or not np.array_equal(given[key], observation[key]):
                raise LearnerError(
                    f"round {at}: expected observation[{key!r}] to stay as it was, found it changed: work on a copy"
                )
        observation, *_ = env.step(action)


def check_determinism(case: Case) -> None:
    """The same game twice: the same actions."""
    first, second = case.actions(), case.actions()
    for at, (one, other) in enumerate(zip(first, second, strict=True)):
        if not np.array_equal(one, other):
            advice = (
                "begin anew where state is None, keep what is learned in the state, and draw from a seed of your own, "
                "not from a global generator"
            )
            raise unlike(f"round {at} of the same game again", one, other, advice)


def check_interleaving(case: Case) -> None:
    """Games that are played in turns are played as each alone."""
    expected = [case.actions(game) for game in range(2)]
    for at, turns in enumerate(zip(case.play(0), case.play(1), strict=True)):
        for game, (_, action) in enumerate(turns):
            if not np.array_equal(expected[game][at], action):
                where = f"round {at} of game {game}, with two games in turns"
                advice = "keep what is learned in the state, not on the learner"
                raise unlike(where, expected[game][at], action, advice)


def check_copies(case: Case) -> None:
    """A copied or pickled state goes on as the state itself: a run can be forked and kept."""
    observations = [observation for observation, _ in case.play()]
    half = case.half
    ways: dict[str, Callable[[Any], Any]] = {
        "copy.deepcopy": copy.deepcopy,
        "pickle": lambda state: pickle.loads(pickle.dumps(state)),
    }
    for name, copied in ways.items():
        _, state = case.replay(observations[:half])
        try:
            fork = copied(state)
        except Exception as error:
            raise LearnerError(
                f"expected a state that {name} can copy, found {error!r}: keep arrays and numbers in it, no functions, "
                "iterators or files"
            ) from error
        expected, state = case.replay(observations[half:], state)
        found, fork = case.replay(observations[half:], fork)
        for at, (one, other) in enumerate(zip(expected, found, strict=True), start=half):
            if not np.array_equal(one, other):
                advice = "let the state hold all that is learned, and let copies share nothing"
                raise unlike(f"round {at} from a copy by {name}", one, other, advice)
        if case.exact:
            demand_same_state(f"from a copy by {name}", state, fork, 0)


def check_batches(case: Case) -> None:
    """Observations with a leading axis of games are answered as those of each game alone."""
    observations, actions, states = zip(*case.play_batch(), strict=True)
    for game in range(GAMES):
        expected, state = case.replay(alone(observations, game), case.beginning(observations[0], game))
        found = np.array([row[game] for row in actions])
        case.demand_alike(f"game {game} of a batch", expected, found, "let every row learn from its own row alone")
        if case.exact:
            demand_same_state("after a batch", state, states[-1], game)


def check_state_axis(case: Case) -> None:
    """Every array and number of the state has a leading axis of games."""
    for games in (GAMES, GAMES + 1):  # no axis of another meaning is as long both times
        for _, _, state in case.play_batch(games):
            for name, part in _parts("state", state):
                if np.ndim(part) == 0 or len(part) != games:
                    raise LearnerError(
                        f"{name}: expected an array whose first axis is the {games} games, found {shown(part)}: keep a "
                        "row for every game"
                    )


def _parts(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield every array and number that a state holds, with its name."""
    if hasattr(value, "shape") or isinstance(value, Number):
        yield name, value
    elif isinstance(value, (tuple, list)):
        fields = getattr(value, "_fields", None)
        for at, part in enumerate(value):
            yield from _parts(f"{name}[{at}]" if fields is None else f"{name}.{fields[at]}", part)
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield from _parts(f"{name}[{key!r}]", part)
    elif hasattr(value, "__dict__"):
        for field, part in vars(value).items():
            yield from _parts(f"{name}.{field}", part)


def check_episode_start(case: Case) -> None:
    """``episode_start`` lets games begin anew, and leaves the others alone."""
    half = case.half
    for anew in ([1], range(GAMES)):
        observations, actions, states = zip(*case.play_batch(anew=anew), strict=True)
        undisturbed, _ = case.replay(observations)
        others = ~np.isin(np.arange(GAMES), anew)
        expected, found = undisturbed[:, others], np.array(actions)[:, others]
        where = f"where game 1 begins anew in round {half}, the other games"
        case.demand_alike(where, expected, found, "let them go on as without it")
        for game in anew:
            begun = alone(observations[half:], game)
            expected, state = case.replay(begun, case.beginning(begun[0], game, episode=1))
            found = np.array([row[game] for row in actions[half:]])
            where = f"where game {game} begins anew in round {half}, this game since then"
            advice = "forget all of a row whose episode_start is True, as with state=None"
            case.demand_alike(where, expected, found, advice)
            if case.exact:
                demand_same_state(where, state, states[-1], game)


def check_parameters(case: Case) -> None:
    """A learner of this package's kind refuses parameters that are NaN, infinite or of another kind."""
    if not isinstance(case.learner, Policy):
        return
    kind, arguments = type(case.learner), case.learner.arguments
    for name, value in arguments.items():
        for bad in _spoilt(value):
            try:
                kind(**arguments | {name: bad})
            except (TypeError, ValueError):
                continue
            except Exception as error:
                found = repr(error)
            else:
                found = "none"
            raise LearnerError(
                f"{name}={shown(bad)}: expected a TypeError or ValueError, found {found}: check {name} when the "
                "learner is built"
            )


def _spoilt(value: object) -> list[object]:
    """Return what no parameter may be that can be this value."""
    if is_real(value):
        return [np.nan, np.inf, "much", [[]]]
    if isinstance(value, (bool, np.bool_)):
        return [np.nan, "much"]
    if isinstance(value, str):
        return [np.nan, [[]]]
    if value is None:
        return [np.nan]
    try:
        numbers = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        return [np.nan]
    return [np.full_like(numbers, np.nan), np.full_like(numbers, np.inf), "much"] if numbers.size else [np.nan]


def check_rules(case: Case) -> None:
    """Compiled rules play as ``predict`` does: every round of every game of a rollout."""
    learner, scenario = case.learner, case.scenario.lasting(case.rounds)
    if not (isinstance(learner, Policy) and learner.has_rules() and scenario.in_compiled_code()):
        return
    played = rollout(learner, scenario, games=GAMES, seed=case.seed, checkpoints=range(1, case.rounds + 1))
    for game in range(GAMES):
        env, observation = case.begin(game, info_level="full")
        state, mistakes = case.beginning(observation, game), 0
        for at in range(case.rounds):
            action, state = case.predict(observation, state)
            observation, _, _, _, info = env.step(action)
            mistakes += bool(info["mistake"])
            if (found := int(played.curves[game, at])) != mistakes:
                raise LearnerError(
                    f"round {at} of game {game}: expected the {mistakes} mistakes of a loop over predict, found "
                    f"{found} in a rollout: let predict do what the rules do, or override predict itself, and rollouts "
                    "refuse the learner"
                )
        _, state = case.predict(observation, state)
        demand_same_state("after a rollout", state, played.state, game)
