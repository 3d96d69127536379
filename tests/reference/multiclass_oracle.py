"""An independent reference of the multiclass game and of its populations, in plain Python and NumPy.

Nothing of the game is taken from the packages under test: their random numbers are NumPy's Philox.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

POPULATION, ARRIVALS, NOISE = range(3)


class Words(NamedTuple):
    """How many words there are, for every so many features: `agents.populations.labelled_points.Words`."""

    features: int
    head: int
    least: int
    most: int
    lacking: int
    tail: int


PROTOTYPES, KEYWORDS = Words(40, 10, 1, 5, 0, 5), Words(80, 24, 4, 8, 1, 4)


def bits(key: Any, purpose: int, round: int, block: int) -> list[int]:
    """Four random words of 64 bits."""
    counter = (block + (round << 64) + (purpose << 128) - 1) % 2**256  # NumPy advances it before it generates
    words = np.array([(counter >> (64 * i)) % 2**64 for i in range(4)], dtype=np.uint64)
    return [int(word) for word in np.random.Philox(key=key, counter=words).random_raw(4)]


def below(word: int, size: int) -> int:
    """An index uniform over ``range(size)``."""
    return int((word >> 11) * 2.0**-53 * size)


def subset(key: Any, purpose: int, round: int, block: int, items: Sequence[int], number: int) -> set[int]:
    """Floyd's random subset of ``number`` items."""
    chosen: set[int] = set()
    first = len(items) - number
    for i in range(number):
        item = items[below(bits(key, purpose, round, block + i // 4)[i % 4], first + i + 1)]
        chosen.add(items[first + i] if item in chosen else item)
    return chosen


class Texts:
    """A population of texts; ``own`` are the words of every class."""

    def __init__(self, key: Any, words: Words, dim: int, classes: int, noise: float = 0.0, origin: Any = None):
        unit = dim // words.features
        self.key, self.dim, self.classes, self.noise = key, dim, classes, noise
        self.head, least, most, self.lacking, self.tail = (unit * number for number in words[1:])
        origin = key if origin is None else origin
        self.own: list[list[int]] = []
        for label in range(classes):
            attempt = 0
            while True:
                size = least + below(bits(origin, POPULATION, label, attempt << 32)[0], most - least + 1)
                own = sorted(subset(origin, POPULATION, label, (attempt << 32) + 1, range(self.head), size))
                if own not in self.own:
                    break
                attempt += 1
            self.own.append(own)

    def point(self, round: int) -> tuple[Any, int]:
        """Return features (d,) and label of one round."""
        label = below(bits(self.key, ARRIVALS, round, 0)[0], self.classes)
        own = self.own[label]
        lacking = subset(self.key, ARRIVALS, round, 1 << 20, own, self.lacking)
        tail = subset(self.key, ARRIVALS, round, 1, range(self.head, self.dim), self.tail)
        features = np.zeros(self.dim)
        features[sorted((set(own) - lacking) | tail)] = 1.0
        noise = bits(self.key, NOISE, round, 0)
        if (noise[0] >> 11) * 2.0**-53 < self.noise:
            label = below(noise[1], self.classes)
        return features, label


class Shown(NamedTuple):
    """What one step of the environment returns."""

    observation: dict[str, Any]
    rewards: dict[str, float]  # by kind
    info: dict[str, Any]


def play(features: Any, labels: Any, adjacency: Any, actions: Sequence[int], classes: int) -> list[Shown]:
    """Play the actions on points (T + 1, d), of which the last is shown only."""
    edges = np.array(adjacency, dtype=bool)[:, :classes]
    for row in edges:
        if row.sum() == classes - 1:
            row[:] = True
    shown, mistakes = [], 0
    for t, action in enumerate(actions):
        label = int(labels[t])
        feedback = np.where(edges[action], (np.arange(classes) == label).astype(float), -1.0)
        wrong = action != label
        mistakes += wrong
        seen = {k for k in range(classes) if edges[action, k]}
        known_wrong = action >= classes or (wrong and (action in seen or label in seen))
        rewards = {"mistake": -float(wrong), "accuracy": float(not wrong), "observed": -float(known_wrong)}
        observation = {
            "action": np.array([float(action)]),
            "features": np.asarray(features[t + 1]),
            "feedback": feedback,
            "round": np.array([t + 1.0]),
        }
        shown.append(Shown(observation, rewards, {"true_label": label, "mistake": wrong, "mistakes": mistakes}))
    return shown
