"""The checker of learners: sound ones pass, and every fault is found, named, and told how to mend."""

import random
import re
from collections import namedtuple
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from rl_models import built
from stable_baselines3 import PPO

from learners import Arow, Perceptron, StrategicPerceptronL2
from learners.rl import TrainedPolicy
from strategic_env import check_learner, rollout, scenario
from strategic_env.conformance import learner_checks
from strategic_env.conformance.learner_checker import CHECKS, LearnerError

ROOT = Path(__file__).parents[3]
SINGLE_GAMES_ONLY = ["batches", "state_axis", "episode_start"]


class Sound:
    """The Perceptron, of single games and of batches; what breaks a rule overrides one of its parts."""

    def predict(self, observation, state=None, episode_start=None, deterministic=True):
        seen = {key: np.atleast_2d(value) for key, value in observation.items()}
        state = self.begin(seen["features"]) if state is None else state
        if episode_start is not None:
            state = self.begin_anew(state, episode_start)
        state = self.learn(state, seen)
        published = self.publish(state)
        return (published if np.ndim(observation["features"]) == 2 else published[0]), self.kept(state)

    def begin(self, features):
        return np.zeros_like(features)

    def begin_anew(self, state, starts):
        return np.where(starts[:, np.newaxis], 0.0, state)

    def errors(self, seen):
        told = (seen["label"] != 0) & (seen["label"] != seen["prediction"])
        return np.where(told, seen["label"] * seen["features"], 0.0)

    def learn(self, state, seen):
        return state + self.errors(seen)

    def publish(self, state):
        scaled = state / np.maximum(1.0, np.abs(state).max(axis=1, keepdims=True))
        return np.hstack([scaled, np.zeros((len(state), 1))])

    def kept(self, state):
        return state


class OnItself(Sound):
    weights: Any = 0.0

    def learn(self, state, seen):
        self.weights = self.weights + self.errors(seen).sum(axis=0)
        return np.zeros_like(state) + self.weights


class OnItselfUntilTheReset(Sound):
    weights: Any = None

    def learn(self, state, seen):
        began = self.weights is None or len(self.weights) != len(state)
        self.weights = np.where((seen["round"] == 0) | began, 0.0, 0.0 if began else self.weights) + self.errors(seen)
        return self.weights.copy()

    def begin_anew(self, state, starts):
        return state


class Noisy(Sound):
    def __init__(self, draw):
        self.draw = draw

    def publish(self, state):
        return np.clip(super().publish(state) + 0.1 * self.draw(), -1.0, 1.0)


class Writes(Sound):
    def predict(self, observation, *others, **more):
        answer = super().predict(observation, *others, **more)
        observation["features"] *= 2.0
        return answer


class Drops(Sound):
    def predict(self, observation, *others, **more):
        answer = super().predict(observation, *others, **more)
        observation.pop("label")
        return answer


class WithoutAxis(Sound):
    """Keeps the number of rounds besides, once for all games."""

    def __init__(self, make):
        self.make = make

    def begin(self, features):
        return self.make(super().begin(features), 0)

    def begin_anew(self, state, starts):
        weights, rounds = self.parts(state)
        return self.make(super().begin_anew(weights, starts), rounds)

    def parts(self, state):
        if isinstance(state, dict):
            return tuple(state.values())
        return state if isinstance(state, tuple) else (state.weights, state.rounds)

    def learn(self, state, seen):
        weights, rounds = self.parts(state)
        return self.make(super().learn(weights, seen), rounds + 1)

    def publish(self, state):
        return super().publish(self.parts(state)[0])


class Mixes(Sound):
    def learn(self, state, seen):
        return state + self.errors(seen).mean(axis=0)


class IgnoresStarts(Sound):
    def begin_anew(self, state, starts):
        return state


class ForgetsEverything(Sound):
    def begin_anew(self, state, starts):
        return np.zeros_like(state) if starts.any() else state


class ForgetsTheOthers(Sound):
    def begin_anew(self, state, starts):
        return super().begin_anew(state, ~starts)


class ForgetsHalf(Sound):
    def begin_anew(self, state, starts):
        return np.hstack([super().begin_anew(state, starts)[:, :1], state[:, 1:]])


class Publishes(Sound):
    """Publishes something else than it should."""

    def __init__(self, change):
        self.change = change

    def publish(self, state):
        return self.change(super().publish(state))


class PublishesAList(Sound):
    def predict(self, observation, *others, **more):
        action, state = super().predict(observation, *others, **more)
        return action.tolist(), state


class PublishesItsMemory(Sound):
    """Returns the array that it goes on learning on."""

    def begin(self, features):
        return np.zeros((len(features), features.shape[1] + 1))

    def learn(self, state, seen):
        state[:, :-1] += 0.05 * self.errors(seen)
        return np.clip(state, -1.0, 1.0, out=state)

    def publish(self, state):
        return state


class Lambda(Sound):
    """Keeps its weights in a function."""

    def kept(self, state):
        return lambda: state

    def learn(self, state, seen):
        return super().learn(state() if callable(state) else state, seen)

    def begin_anew(self, state, starts):
        return super().begin_anew(state() if callable(state) else state, starts)


class Shared(np.ndarray):
    """An array whose copies are itself."""

    def __deepcopy__(self, memory):
        return self


class CopiesShare(Sound):
    def begin(self, features):
        return np.zeros(features.shape).view(Shared)

    def begin_anew(self, state, starts):
        return super().begin_anew(state, starts).view(Shared)

    def learn(self, state, seen):
        state += self.errors(seen)
        return state


class Raises(Sound):
    def learn(self, state, seen):
        if seen["round"].max() > 3:
            raise ZeroDivisionError("the third round is the last")
        return super().learn(state, seen)


class AnswersAlone(Sound):
    def predict(self, observation, *others, **more):
        return super().predict(observation, *others, **more)[0]


class OneForAll(Sound):
    def predict(self, observation, *others, **more):
        action, state = super().predict(observation, *others, **more)
        return (action[0] if action.ndim == 2 else action), state


class Trusting(Perceptron):
    """Checks nothing of what it is told."""

    name = "trusting"

    def __init__(self, learning_rate: Any = 1.0) -> None:
        super().__init__()
        self.parameters = {"learning_rate": learning_rate}


class TrustingWithArrays(Perceptron):
    def __init__(self, centre: Any = (0.0, 1.0)) -> None:
        super().__init__()
        if isinstance(centre, str):
            raise TypeError("centre must hold numbers")
        self.parameters = {"centre": centre}


class Divides(Perceptron):
    def __init__(self, learning_rate: float = 1.0) -> None:
        super().__init__()
        if not np.isfinite(learning_rate):
            raise ZeroDivisionError("by nothing")
        self.parameters = {"learning_rate": learning_rate}


class SlowlyCounts(Perceptron):
    """Its `predict` forgets nothing at an episode's start but the weights."""

    def _continued(self, state: Any, episode_start: Any, games: int, dim: int) -> Any:
        if state is not None and episode_start is not None:
            state.weights[np.asarray(episode_start)] = 1e-9
        return super()._continued(state, None, games, dim)


class Guesses:
    """Answers with what it is told to."""

    def __init__(self, label):
        self.label = label

    def predict(self, observation, state=None, episode_start=None, deterministic=True):
        many = np.ndim(observation["features"]) == 2
        return (np.array([self.label] * len(observation["features"])) if many else self.label), None


class Held:
    def __init__(self, weights, rounds):
        self.weights, self.rounds = weights, rounds


Named = namedtuple("Named", ["weights", "rounds"])


# Who breaks one rule, which checks notice, and what the first of them says.
FAULTS: dict[str, tuple[Any, list[str], str]] = {
    "keeps what it learned on itself": (
        OnItself(),
        ["determinism", "interleaving", "copies", "batches", "episode_start"],
        "round 0 of the same game again: expected .* found .*: begin anew where state is None, keep what is learned in "
        "the state",
    ),
    "keeps it on itself until the reset": (
        OnItselfUntilTheReset(),
        ["interleaving", "copies"],
        "round .* with two games in turns: expected .* found .*: keep what is learned in the state, not on the learner",
    ),
    "draws from NumPy's global generator": (
        Noisy(np.random.standard_normal),
        ["determinism", "interleaving", "copies", "batches", "episode_start"],
        "round 0 of the same game again.* draw from a seed of your own, not from a global generator",
    ),
    "draws from Python's global generator": (
        Noisy(random.random),
        ["determinism", "interleaving", "copies", "batches", "episode_start"],
        "draw from a seed of your own, not from a global generator",
    ),
    "draws from a generator of its own that no state begins": (
        Noisy(np.random.default_rng(0).standard_normal),
        ["determinism", "interleaving", "copies", "batches", "episode_start"],
        "begin anew where state is None",
    ),
    "writes into the observation": (
        Writes(),
        ["observations"],
        r"round 1: expected observation\['features'\] to stay as it was, found it changed: work on a copy",
    ),
    "takes an entry out of the observation": (
        Drops(),
        ["observations"],
        r"round 0: expected observation\['label'\] to stay as it was",
    ),
    "has a number in a tuple": (
        WithoutAxis(lambda weights, rounds: (weights, rounds)),
        ["state_axis"],
        r"state\[1\]: expected an array whose first axis is the 3 games, found 1: keep a row for every game",
    ),
    "has a number in a named tuple": (WithoutAxis(Named), ["state_axis"], "state.rounds: expected an array"),
    "has a number in an object": (WithoutAxis(Held), ["state_axis"], "state.rounds: expected an array"),
    "has an array of three in a dictionary": (
        WithoutAxis(lambda weights, rounds: {"weights": weights, "rounds": np.zeros(3) + rounds}),
        ["state_axis"],
        r"state\['rounds'\]: expected an array whose first axis is the 4 games, found array",
    ),
    "mixes the rows of a batch": (
        Mixes(),
        ["batches", "episode_start"],
        "game 0 of a batch, round .*: expected .* found .*: let every row learn from its own row alone",
    ),
    "answers a batch with one action": (
        OneForAll(),
        ["batches", "state_axis", "episode_start"],
        r"expected actions of shape \(3, 3\) for 3 games, found array.*: answer row by row",
    ),
    "ignores episode_start": (
        IgnoresStarts(),
        ["episode_start"],
        "where game 1 begins anew in round 30, this game since then, round 0: expected .* found .*: forget "
        "all of a row whose episode_start is True, as with state=None",
    ),
    "forgets all games where one begins": (
        ForgetsEverything(),
        ["episode_start"],
        "where game 1 begins anew in round 30, the other games, round 30: expected .* found .*: let them go on as "
        "without it",
    ),
    "forgets the games that go on": (ForgetsTheOthers(), ["episode_start"], "the other games, round .*: expected"),
    "forgets half of a game that begins": (ForgetsHalf(), ["episode_start"], "this game since then, round 0: expected"),
    "keeps weights in a function": (
        Lambda(),
        ["copies"],
        "expected a state that pickle can copy, found .*: keep arrays and numbers in it, no functions",
    ),
    "shares a state with its copies": (
        CopiesShare(),
        ["copies"],
        r"round .* from a copy by copy.deepcopy: expected .*: let the state hold .* and let copies share nothing",
    ),
    "publishes the array that it learns on": (
        PublishesItsMemory(),
        ["actions"],
        "round .*, afterwards: expected .* found .*: later rounds changed it; return a copy of what is learned on",
    ),
    "accepts a number that is NaN": (
        Trusting(),
        ["parameters"],
        "learning_rate=nan: expected a TypeError or ValueError, found none: check learning_rate when the learner is",
    ),
    "accepts numbers that are NaN": (TrustingWithArrays(), ["parameters"], r"centre=array\(\[nan, nan\]\): expected"),
    "fails at a number that is NaN": (Divides(), ["parameters"], r"learning_rate=nan: .*, found ZeroDivisionError"),
    "forgets the weights up to a trifle": (SlowlyCounts(), ["episode_start"], "this game since then"),
}


def noticed_by(learner: Any, place: Any = "KnownL2") -> list[str]:
    """Return the checks that a learner does not pass."""
    found = []
    for name in CHECKS:
        try:
            check_learner(learner, place, skip=CHECKS.keys() - {name})
        except LearnerError:
            found.append(name)
    return found


def test_a_sound_learner_passes() -> None:
    check_learner(Sound())
    check_learner(Sound(), scenario("KnownL1", dim=3), rounds=20, seed=7)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_noticed_by_the_checks_that_it_concerns_and_by_no_other(fault: str) -> None:
    learner, checks, message = FAULTS[fault]
    assert noticed_by(learner) == checks
    with pytest.raises(LearnerError, match=f"^{checks[0]}: .*{message}") as caught:
        check_learner(learner)
    assert "\n" not in str(caught.value)
    check_learner(learner, skip=checks)


def test_rules_that_play_otherwise_than_predict_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rollout of another learner stands for them."""
    other = lambda learner, *given, **more: rollout(StrategicPerceptronL2(0.3), *given, **more)  # noqa: E731
    monkeypatch.setattr(learner_checks, "rollout", other)
    with pytest.raises(
        LearnerError, match="^rules: round .* mistakes of a loop over predict, found .* in a rollout: let"
    ):
        check_learner(Perceptron())


# Who publishes what nobody can play: no check can go on.
UNPLAYABLE: dict[str, tuple[Any, str]] = {
    "a number outside the space": (
        Publishes(lambda action: 1.5 + action),
        r"actions: round 0: expected an action in Box.*, found array\(.*: scale it into the space",
    ),
    "NaN": (Publishes(lambda action: action * np.nan), "actions: round 0: expected an action in Box"),
    "another shape": (
        Publishes(lambda action: action[:, :-1]),
        r"actions: round 0: expected an action of shape \(3,\)",
    ),
    "another dtype": (
        Publishes(lambda action: action.astype(complex)),
        "actions: round 0: expected an action of dtype float64, found complex128: convert it",
    ),
    "text": (Publishes(lambda action: action.astype(str)), "actions: round 0: expected an action of dtype float64"),
    "a list": (PublishesAList(), r"actions: round 0: expected an array, found \[0.0, 0.0, 0.0\]: return np.array"),
    "an error": (
        Raises(),
        r"actions: expected predict to raise nothing, found ZeroDivisionError\('the third round is the last'\)",
    ),
    "an action without a state": (
        AnswersAlone(),
        r"actions: expected predict to return the pair \(action, state\), found array",
    ),
}


@pytest.mark.parametrize("what", UNPLAYABLE)
def test_who_publishes_what_nobody_can_play_is_told(what: str) -> None:
    learner, message = UNPLAYABLE[what]
    with pytest.raises(LearnerError, match=message) as caught:
        check_learner(learner)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("label", "message"),
    [
        (9, r"expected an action in Discrete\(9\), found 9"),
        (1.0, "expected an action of dtype int64, found float64: convert it"),
        (np.array([1]), r"expected an action of shape \(\), found array"),
    ],
    ids=["out of range", "a float", "an array"],
)
def test_labels_are_checked_as_classifiers_are(label: Any, message: str) -> None:
    check_learner(Guesses(0), "Bandit")
    with pytest.raises(LearnerError, match=f"^actions: round 0: {message}"):
        check_learner(Guesses(label), "Bandit")


def test_an_error_in_predict_is_the_cause_of_the_fault() -> None:
    with pytest.raises(LearnerError) as caught:
        check_learner(Raises())
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def shown_learner() -> Any:
    """Return the learner that the documentation shows first."""
    page = (ROOT / "docs" / "your_learner.md").read_text(encoding="utf-8")
    (source,) = re.findall(r"^class Cautious:\n(?:(?: .*)?\n)+", page, re.MULTILINE)
    names: dict[str, Any] = {"np": np}
    exec(source, names)
    return names["Cautious"]()


def test_the_learner_of_the_documentation_plays_single_games() -> None:
    check_learner(shown_learner(), skip=SINGLE_GAMES_ONLY)
    with pytest.raises(LearnerError, match=r"^batches: .*skip=\['batches', 'state_axis', 'episode_start'\]"):
        check_learner(shown_learner())


def test_a_model_of_stable_baselines3_passes() -> None:
    model = PPO(
        "MultiInputPolicy", gymnasium.make("strategic_env/KnownL2-v0", horizon=20), n_steps=8, batch_size=8, seed=0
    )
    check_learner(model, rounds=20)


@pytest.mark.parametrize("algorithm", ["PPO", "SAC", "RecurrentPPO"])
def test_a_trained_policy_passes(algorithm: str) -> None:
    check_learner(TrainedPolicy(*built(algorithm)), scenario("KnownL2", dim=3), rounds=20)


def test_a_learner_of_this_kind_passes() -> None:
    check_learner(StrategicPerceptronL2(0.3))


@pytest.mark.parametrize("name", CHECKS)
def test_a_check_that_is_skipped_does_not_run(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = []
    for other in CHECKS:
        monkeypatch.setitem(CHECKS, other, lambda case, other=other: ran.append(other))
    check_learner(Sound(), skip=[name])
    assert ran == [other for other in CHECKS if other != name]


def test_a_fault_of_the_scenario_is_reported_with_the_check(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CHECKS, "actions", lambda case: {}["nothing"])
    with pytest.raises(LearnerError, match="^actions: expected no exception, found KeyError"):
        check_learner(Sound())


check_sound = partial(check_learner, Sound())
WRONG_ARGUMENTS: dict[str, tuple[Any, type[Exception], str]] = {
    "a class": (lambda: check_learner(Sound), TypeError, "learner must be an object with a method predict, got <class"),
    "a name": (lambda: check_learner("perceptron"), TypeError, "learner must be an object with a method predict"),
    "no scenario": (lambda: check_sound("KnownL3"), ValueError, "scenario must be one of .*, got 'KnownL3'"),
    "an environment": (lambda: check_sound(gymnasium.Env()), TypeError, "scenario must be a name or a Scenario"),
    "another game": (lambda: check_learner(Arow(3), "KnownL2"), ValueError, "arow is a learner of multiclass"),
    "a name to skip": (lambda: check_sound(skip="rules"), TypeError, "skip must be a list of names, got 'rules'"),
    "a number to skip": (lambda: check_sound(skip=3), TypeError, "skip must be a list of names, got 3"),
    "no check to skip": (
        lambda: check_sound(skip=["rule"]),
        ValueError,
        "skip must be one of 'actions', .*, got 'rule'",
    ),
    "one round": (lambda: check_sound(rounds=1), ValueError, "rounds must be at least 2, got 1"),
    "half a round": (lambda: check_sound(rounds=2.5), TypeError, "rounds must be an integer, got 2.5"),
    "a negative seed": (lambda: check_sound(seed=-1), ValueError, "seed must be at least 0, got -1"),
    "a huge seed": (lambda: check_sound(seed=2**128), ValueError, "seed must be at most"),
}


@pytest.mark.parametrize("argument", WRONG_ARGUMENTS)
def test_wrong_arguments_are_one_clear_error(argument: str) -> None:
    call, kind, message = WRONG_ARGUMENTS[argument]
    with pytest.raises(kind, match=message):
        call()


def test_the_documentation_names_every_check_in_order() -> None:
    page = (ROOT / "docs" / "check_learner.md").read_text(encoding="utf-8")
    assert re.findall(r"^\*\*`(\w+)`\*\*", page, re.MULTILINE) == list(CHECKS)
