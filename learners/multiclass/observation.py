"""How an observation of the multiclass game is laid out, and how a learner reads it."""

import math
from collections.abc import Mapping
from functools import lru_cache
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from agents.foundation.checks import LARGEST_COUNT, LARGEST_REPORT, LARGEST_SIZE, shown
from agents.foundation.compiled import loop
from agents.foundation.typing import Float, Numbers
from learners.strategic.observation import game_rows, plain_entries, real_numbers

KEYS = ("action", "features", "feedback", "round")
HIDDEN, OTHER, LABEL = -1.0, 0.0, 1.0


class Layout:
    """Where the entries of an observation lie in a vector of ``size = d + K + 2`` numbers.

    In alphabetical order, as Gymnasium flattens a dictionary: last ``action`` (1,), or -1; ``features`` (d,) to label
    now; ``feedback`` (K,) about the last round, of -1 (hidden), 0 (not the label) and 1 (the label); ``round`` (1,).

    Parameters
    ----------
    dim : int
        Number of features d.
    classes : int
        Number of labels K.
    """

    def __init__(self, dim: int, classes: int) -> None:
        self.size = dim + classes + 2
        self.action = slice(0, 1)
        self.features = slice(1, 1 + dim)
        self.feedback = slice(1 + dim, 1 + dim + classes)
        self.round = slice(1 + dim + classes, self.size)
        self._entries = (self.action, self.features, self.feedback, self.round)
        self._columns = [(slice(None), entry) for entry in self._entries]

    @classmethod
    def of(cls, vector: Numbers, classes: int) -> "Layout":
        """Return the layout of a vector (d + K + 2,) or of rows (n, d + K + 2), given K.

        Raises
        ------
        ValueError
            If no number of features has such a shape.
        """
        size = vector.shape[-1] if vector.ndim in (1, 2) else 0
        if size < classes + 3:
            raise ValueError(
                f"a flat observation of {classes} classes must have shape (d + {classes + 2},) or "
                f"(n, d + {classes + 2}), got {vector.shape}"
            )
        return cls(size - classes - 2, classes)

    def split(self, vector: Numbers) -> dict[str, Numbers]:
        """Return the entries of a vector (d + K + 2,) or of rows (n, d + K + 2), as views."""
        action, features, feedback, round = self._entries if vector.ndim == 1 else self._columns
        return {  # written out, since an environment does this in every step
            "action": vector[action],
            "features": vector[features],
            "feedback": vector[feedback],
            "round": vector[round],
        }


_layout = lru_cache(Layout)
_ENTRIES = itemgetter(*KEYS)


class Reading(NamedTuple):
    """An observation of n games as a learner needs it: float64, contiguous, checked.

    Attributes
    ----------
    features : ndarray, shape (n, d)
    feedback : ndarray, shape (n, K)
    action, rounds : ndarray, shape (n,)
    batched : bool
        Whether the observation had a leading axis of games.
    """

    features: Float
    feedback: Float
    action: Float
    rounds: Float
    batched: bool


def read(observation: Mapping[str, ArrayLike] | ArrayLike, classes: int, actions: int) -> Reading:
    """Read an observation, of one game or of n games with a leading axis, as a mapping or flat, for so many actions.

    Raises
    ------
    TypeError
        If an entry does not hold real numbers.
    ValueError
        If a key is missing, shapes do not fit, or a number is none that an environment shows.
    """
    if not isinstance(observation, Mapping):
        vector = real_numbers("observation", observation)
        observation = Layout.of(vector, classes).split(vector)
    missing = [key for key in KEYS if key not in observation]
    if missing:
        raise ValueError(f"observation must hold {', '.join(KEYS)}; it lacks {', '.join(missing)}")
    entries = {key: real_numbers(key, observation[key]) for key in KEYS}
    reported = entries["features"]
    if reported.ndim not in (1, 2) or reported.shape[-1] == 0:
        raise ValueError(f"features must have shape (d,) or (n, d), got {reported.shape}")
    if reported.size > LARGEST_SIZE:
        raise ValueError(f"features must hold at most {LARGEST_SIZE:,} numbers, got shape {reported.shape}")
    dim, games = reported.shape[-1], len(reported) if reported.ndim == 2 else 1
    features = game_rows("features", reported, games, dim)
    feedback = game_rows("feedback", entries["feedback"], games, classes)
    action, rounds = (game_rows(key, entries[key], games, 1).reshape(games) for key in ("action", "round"))
    fault = inspect(features, feedback, action, rounds, actions)
    if fault:
        key = KEYS[fault - 1]
        asks = "a node that asks" if actions > classes else "none asks"
        allowed = _ALLOWED[key].format(actions - 1, asks)
        raise ValueError(f"{key} must be {allowed}, got {shown(entries[key].tolist())}")
    return Reading(features, feedback, action, rounds, reported.ndim == 2)


def handed_out(observation: object, classes: int) -> tuple[Any, ...] | None:
    """Return the entries of `KEYS` in what environments hand out, a dictionary or flat, unchecked; else None."""
    if type(observation) is np.ndarray:
        dim = observation.shape[-1] - classes - 2 if observation.ndim else 0
        observation = _layout(dim, classes).split(observation) if dim > 0 else None
    return plain_entries(observation, _ENTRIES)


def arranged(entries: tuple[Float, ...]) -> Reading:
    """Return the reading of float64 entries of the right shapes; `inspect` has not seen it."""
    action, features, feedback, rounds = entries
    if features.ndim == 1:
        return Reading(features[np.newaxis], feedback[np.newaxis], action, rounds, False)
    return Reading(features, feedback, action[:, 0], rounds[:, 0], True)


_ALLOWED = {
    "action": "an integer from 0 to {} ({}), or -1 before the first round",
    "features": f"finite and at most {LARGEST_REPORT:g} in size",
    "feedback": "-1 where it is hidden, else 0, or 1 for one label",
    "round": f"finite and at least 0, and at most {LARGEST_COUNT:,}",
}


@loop
def inspect(features: Float, feedback: Float, action: Float, rounds: Float, actions: int) -> int:
    """Return the position in `KEYS`, from 1, of the first entry that is not allowed; 0 if there is none."""
    for game in range(features.shape[0]):
        if not (-1.0 <= action[game] < actions and action[game] == math.floor(action[game])):
            return 1
        for value in features[game]:
            if not abs(value) <= LARGEST_REPORT:
                return 2
        labels = 0
        for value in feedback[game]:
            if value not in (HIDDEN, OTHER, LABEL):
                return 3
            labels += value == LABEL
        if labels > 1:
            return 3
        if not 0.0 <= rounds[game] <= LARGEST_COUNT:
            return 4
    return 0


@loop
def revealed_label(feedback: Float) -> int:
    """Return the label that feedback (K,) determines: the 1, or the only entry that is not 0; -1 if there is none."""
    hidden, last = 0, -1
    for label in range(feedback.shape[0]):
        if feedback[label] == LABEL:
            return label
        if feedback[label] == HIDDEN:
            hidden += 1
            last = label
    return last if hidden == 1 else -1
