"""Games for the tests of learners that go beyond the paper, round by round through the public interface."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import gymnasium
import numpy as np
from numpy.typing import NDArray

from strategic_env.games.registration import environment_id

Array = NDArray[np.float64]


class Seen(NamedTuple):
    """A round as the learner sees it, what it publishes next, and a copy of its new state."""

    x: Array
    prediction: float
    label: float
    classifier: Array
    published: Array
    state: Any
    info: dict[str, Any]


def play(learner: Any, env: Any, rounds: int, seed: int = 0) -> Iterator[Seen]:
    observation, _ = env.reset(seed=seed)
    action, state = learner.predict(observation)
    for _ in range(rounds):
        observation, _, _, _, info = env.step(action)
        action, state = learner.predict(observation, state)
        copied = type(state)(*(field.copy() for field in state))
        yield Seen(observation["features"].copy(), float(observation["prediction"][0]), float(observation["label"][0]),
                   observation["classifier"].copy(), action, copied, info)  # fmt: skip


def make(scenario: str, **options: Any) -> Any:
    return gymnasium.make(environment_id(scenario), **options)


def direction(classifier: Array) -> Array:
    """The classifier at norm 1 of its weights; without any, only whom it accepts."""
    norm = np.linalg.norm(classifier[:-1])
    return classifier / norm if norm > 0 else np.append(classifier[:-1], np.sign(classifier[-1]))


def surrogates(learner: Any, fresh: Any, env: Any, rounds: int, seed: int) -> tuple[Array, Array, Array, Any]:
    """Surrogate points (rounds, d), labels and whether the round was a mistake, and the last state."""
    points, labels, mistakes = [], [], []
    for seen in play(learner, env, rounds, seed):
        points.append(fresh.surrogate(seen.x, seen.label, seen.classifier))
        labels.append(seen.label)
        mistakes.append(seen.prediction != seen.label)
    return np.array(points), np.array(labels), np.array(mistakes), seen.state
