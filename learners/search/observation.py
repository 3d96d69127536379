"""How an observation of contextual search is laid out, and how a learner reads it."""

from collections.abc import Mapping
from functools import lru_cache
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from agents.foundation.checks import LARGEST_COUNT, shown
from agents.foundation.compiled import loop
from agents.foundation.typing import Float, Numbers
from learners.strategic.observation import game_rows, plain_entries, real_numbers

KEYS = ("answer", "features", "guess", "round")
TOO_HIGH, NOTHING, AT_LEAST = -1.0, 0.0, 1.0
# Queries are at most 1 long, up to rounding.
LONGEST_QUERY = 1.0 + 1e-6


class Layout:
    """Where the entries of an observation lie in a vector of ``size = d + 3`` numbers.

    In alphabetical order, as Gymnasium flattens a dictionary: ``answer`` (1,) to the last guess, of -1 (it was too
    high), 0 (nothing yet) and +1 (the hidden value lies at or above it); ``features`` (d,) to guess for now; last
    ``guess`` (1,), in [-1, 1]; ``round`` (1,).

    Parameters
    ----------
    dim : int
        Number of features d.
    """

    def __init__(self, dim: int) -> None:
        self.size = dim + 3
        self.answer = slice(0, 1)
        self.features = slice(1, 1 + dim)
        self.guess = slice(1 + dim, 2 + dim)
        self.round = slice(2 + dim, self.size)
        self._entries = (self.answer, self.features, self.guess, self.round)
        self._columns = [(slice(None), entry) for entry in self._entries]

    @classmethod
    def of(cls, vector: Numbers) -> "Layout":
        """Return the layout of a vector (d + 3,) or of rows (n, d + 3).

        Raises
        ------
        ValueError
            If no number of features has such a shape.
        """
        size = vector.shape[-1] if vector.ndim in (1, 2) else 0
        if size < 4:
            raise ValueError(f"a flat observation must have shape (d + 3,) or (n, d + 3), got {vector.shape}")
        return cls(size - 3)

    def split(self, vector: Numbers) -> dict[str, Numbers]:
        """Return the entries of a vector (d + 3,) or of rows (n, d + 3), as views."""
        answer, features, guess, round = self._entries if vector.ndim == 1 else self._columns
        return {"answer": vector[answer], "features": vector[features], "guess": vector[guess], "round": vector[round]}


_layout = lru_cache(Layout)
_ENTRIES = itemgetter(*KEYS)


class Reading(NamedTuple):
    """An observation of n games as a learner needs it: float64, contiguous, checked.

    Attributes
    ----------
    features : ndarray, shape (n, d)
    answer, guess, rounds : ndarray, shape (n,)
    batched : bool
        Whether the observation had a leading axis of games.
    """

    features: Float
    answer: Float
    guess: Float
    rounds: Float
    batched: bool


def read(observation: Mapping[str, ArrayLike] | ArrayLike) -> Reading:
    """Read an observation, of one game or of n games with a leading axis, as a mapping or flat.

    Raises
    ------
    TypeError
        If an entry does not hold real numbers.
    ValueError
        If a key is missing, shapes do not fit, or a number is none that an environment shows.
    """
    if not isinstance(observation, Mapping):
        vector = real_numbers("observation", observation)
        observation = Layout.of(vector).split(vector)
    missing = [key for key in KEYS if key not in observation]
    if missing:
        raise ValueError(f"observation must hold {', '.join(KEYS)}; it lacks {', '.join(missing)}")
    entries = {key: real_numbers(key, observation[key]) for key in KEYS}
    asked = entries["features"]
    if asked.ndim not in (1, 2) or asked.shape[-1] == 0:
        raise ValueError(f"features must have shape (d,) or (n, d), got {asked.shape}")
    dim, games = asked.shape[-1], len(asked) if asked.ndim == 2 else 1
    features = game_rows("features", asked, games, dim)
    answer, guess, rounds = (
        game_rows(key, entries[key], games, 1).reshape(games) for key in ("answer", "guess", "round")
    )
    fault = inspect(features, answer, guess, rounds)
    if fault:
        key = KEYS[fault - 1]
        raise ValueError(f"{key} must be {_ALLOWED[key]}, got {shown(entries[key].tolist())}")
    return Reading(features, answer, guess, rounds, asked.ndim == 2)


def handed_out(observation: object) -> tuple[Any, ...] | None:
    """Return the entries of `KEYS` in what environments hand out, a dictionary or flat, unchecked; else None."""
    if type(observation) is np.ndarray:
        dim = observation.shape[-1] - 3 if observation.ndim else 0
        observation = _layout(dim).split(observation) if dim > 0 else None
    return plain_entries(observation, _ENTRIES)


def arranged(entries: tuple[Float, ...]) -> Reading:
    """Return the reading of float64 entries of the right shapes; `inspect` has not seen it."""
    answer, features, guess, rounds = entries
    if features.ndim == 1:
        return Reading(features[np.newaxis], answer, guess, rounds, False)
    return Reading(features, answer[:, 0], guess[:, 0], rounds[:, 0], True)


_ALLOWED = {
    "answer": "-1 (too high), 0 (nothing yet) or +1 (at or above the guess)",
    "features": "finite and at most 1 long",
    "guess": "in [-1, 1]",
    "round": f"finite and at least 0, and at most {LARGEST_COUNT:,}",
}


@loop
def inspect(features: Float, answer: Float, guess: Float, rounds: Float) -> int:
    """Return the position in `KEYS`, from 1, of the first entry that is not allowed; 0 if there is none."""
    for game in range(features.shape[0]):
        if answer[game] not in (TOO_HIGH, NOTHING, AT_LEAST):
            return 1
        square = 0.0
        for value in features[game]:
            square += value * value
        if not square <= LONGEST_QUERY * LONGEST_QUERY:
            return 2
        if not abs(guess[game]) <= 1.0:
            return 3
        if not 0.0 <= rounds[game] <= LARGEST_COUNT:
            return 4
    return 0
