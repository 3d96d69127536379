"""How an observation of the game is laid out, and how a learner reads it."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from agents.foundation.checks import LARGEST, LARGEST_COUNT, LARGEST_REPORT, LARGEST_SIZE, shown
from agents.foundation.compiled import inlined, loop
from agents.foundation.typing import Float, Numbers
from learners.policy import FEATURES

FLOAT32_EPS, FLOAT64_EPS = float(np.finfo(np.float32).eps), float(np.finfo(np.float64).eps)
FLOAT64: np.dtype[np.floating[Any]] = np.dtype(np.float64)
KEYS = ("classifier", "features", "label", "prediction", "round")


class Layout:
    """Where the entries of an observation lie in a vector of ``size = 2 d + 4`` numbers.

    In alphabetical order, as Gymnasium flattens a dictionary: ``classifier`` (d + 1,) as published, ``features`` (d,)
    as reported, revealed ``label`` (1,), ``prediction`` (1,), ``round`` (1,).

    Parameters
    ----------
    dim : int
        Number of features d.
    """

    def __init__(self, dim: int) -> None:
        self.size = 2 * dim + 4
        self.classifier = slice(0, dim + 1)
        self.features = slice(dim + 1, 2 * dim + 1)
        self.label = slice(2 * dim + 1, 2 * dim + 2)
        self.prediction = slice(2 * dim + 2, 2 * dim + 3)
        self.round = slice(2 * dim + 3, 2 * dim + 4)
        self._entries = (self.classifier, self.features, self.label, self.prediction, self.round)
        self._columns = [(slice(None), entry) for entry in self._entries]

    @classmethod
    def of(cls, vector: Numbers) -> "Layout":
        """Return the layout of a vector (2 d + 4,) or of rows (n, 2 d + 4).

        Raises
        ------
        ValueError
            If no number of features has such a shape.
        """
        size = vector.shape[-1] if vector.ndim in (1, 2) else 0
        if size < 6 or size % 2:
            raise ValueError(f"a flat observation must have shape (2 d + 4,) or (n, 2 d + 4), got {vector.shape}")
        return cls((size - 4) // 2)

    def split(self, vector: Numbers) -> dict[str, Numbers]:
        """Return the entries of a vector (2 d + 4,) or of rows (n, 2 d + 4), as views."""
        classifier, features, label, prediction, round = self._entries if vector.ndim == 1 else self._columns
        return {  # written out, since an environment does this in every step
            "classifier": vector[classifier],
            "features": vector[features],
            "label": vector[label],
            "prediction": vector[prediction],
            "round": vector[round],
        }


_layout = lru_cache(Layout)
_ENTRIES = itemgetter(*KEYS)


class Reading(NamedTuple):
    """An observation of n games as a learner needs it: float64, contiguous, checked.

    Attributes
    ----------
    features : ndarray, shape (n, d)
    prediction, label, rounds : ndarray, shape (n,)
    classifier : ndarray, shape (n, d + 1)
    eps : float
        Machine epsilon of the coarsest dtype among features and classifier.
    batched : bool
        Whether the observation had a leading axis of games.
    dtype : dtype
        Of the answer: float32 if the features are, else float64.
    """

    features: Float
    prediction: Float
    label: Float
    classifier: Float
    rounds: Float
    eps: float
    batched: bool
    dtype: np.dtype[np.floating[Any]]


def read(observation: Mapping[str, ArrayLike] | ArrayLike) -> Reading:
    """Read an observation, of one game or of n games with a leading axis, as a mapping or flat.

    Raises
    ------
    TypeError
        If an entry does not hold real numbers.
    ValueError
        If a key is missing, shapes do not fit, or a number is not finite, too large or, as a label or prediction,
        strange.
    """
    if not isinstance(observation, Mapping):
        vector = real_numbers("observation", observation)
        observation = Layout.of(vector).split(vector)
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
    classifier = game_rows("classifier", entries["classifier"], games, dim + 1)
    prediction, label, rounds = (
        game_rows(key, entries[key], games, 1).reshape(games) for key in ("prediction", "label", "round")
    )
    fault = inspect(features, classifier, prediction, label, rounds)
    if fault:
        key = KEYS[fault - 1]
        raise ValueError(f"{key} must be {_ALLOWED[key]}, got {shown(entries[key].tolist())}")
    eps = max(_eps(entry.dtype) for entry in (reported, entries["classifier"]))
    dtype = np.dtype(np.float32) if reported.dtype == np.float32 else FLOAT64
    return Reading(features, prediction, label, classifier, rounds, eps, reported.ndim == 2, dtype)


def handed_out(observation: object) -> tuple[Any, ...] | None:
    """Return the entries of `KEYS` in what environments hand out, a dictionary or flat, unchecked; else None."""
    if type(observation) is np.ndarray:
        size = observation.shape[-1] if observation.ndim else 0
        observation = _layout((size - 4) // 2).split(observation) if size > 5 and size % 2 == 0 else None
    return plain_entries(observation, _ENTRIES)


def plain_entries(observation: object, entries_of: Callable[[Any], tuple[Any, ...]]) -> tuple[Any, ...] | None:
    """Return entries of a dictionary, unchecked but for its features; those of n games contiguous. Else None."""
    if type(observation) is not dict:
        return None
    try:
        entries = entries_of(observation)
    except KeyError:
        return None
    if type(entries[FEATURES]) is not np.ndarray or entries[FEATURES].size > LARGEST_SIZE:
        return None
    if entries[FEATURES].ndim == 1:
        return entries
    return tuple(np.ascontiguousarray(entry) if type(entry) is np.ndarray else entry for entry in entries)


def arranged(entries: tuple[Float, ...]) -> Reading:
    """Return the reading of float64 entries of the right shapes; `inspect` has not seen it."""
    classifier, features, label, prediction, rounds = entries
    if features.ndim == 1:
        features, classifier, batched = features[np.newaxis], classifier[np.newaxis], False
    else:
        label, prediction, rounds, batched = label[:, 0], prediction[:, 0], rounds[:, 0], True
    # As `Reading(...)`, in a third of the time.
    return tuple.__new__(Reading, (features, prediction, label, classifier, rounds, FLOAT64_EPS, batched, FLOAT64))


_ALLOWED = {
    "classifier": f"finite and at most {LARGEST:g} in size",
    "features": f"finite and at most {LARGEST_REPORT:g} in size",
    "label": "-1, +1, or 0 where it is hidden",
    "prediction": "-1 or +1, or 0 before the first round",
    "round": f"finite and at least 0, and at most {LARGEST_COUNT:,}",
}


@loop
def inspect(features: Float, classifier: Float, prediction: Float, label: Float, rounds: Float) -> int:
    """Return the position in `KEYS`, from 1, of the first entry that is not allowed; 0 if there is none."""
    for game in range(features.shape[0]):
        for value in classifier[game]:
            if not abs(value) <= LARGEST:
                return 1
        for value in features[game]:
            if not abs(value) <= LARGEST_REPORT:
                return 2
        if label[game] != 0.0 and abs(label[game]) != 1.0:
            return 3
        if prediction[game] != 0.0 and abs(prediction[game]) != 1.0:
            return 4
        if not 0.0 <= rounds[game] <= LARGEST_COUNT:
            return 5
    return 0


@inlined
def rounding(features: Float, classifier: Float, eps: float) -> float:
    """Return the machine epsilon of the coarsest numbers that a report (d,) and a classifier (d + 1,) went through.

    That is float32's if all are float32 numbers, whatever the dtype that they arrive in: then they were rounded on the
    way, and movers lie on the boundary only up to float32's rounding. Else it is ``eps``, that of their dtype.
    """
    for value in classifier:
        if value != np.float32(value):
            return eps
    for value in features:
        if value != np.float32(value):
            return eps
    return max(eps, FLOAT32_EPS)


def _eps(dtype: np.dtype[Any]) -> float:
    return float(np.finfo(dtype).eps) if dtype.kind == "f" else FLOAT64_EPS


def real_numbers(name: str, value: object) -> Numbers:
    """Return an array of real numbers in the dtype that it has; long doubles as float64."""
    try:
        array = np.asarray(value)
    except (ValueError, RecursionError) as error:  # a list may hold itself
        raise ValueError(f"{name} must be a rectangular array, got {shown(value)}") from error
    if isinstance(value, np.ma.MaskedArray) or array.dtype.kind not in "fiu":
        raise TypeError(f"{name} must hold real numbers, got {type(value).__name__} of {array.dtype}")
    if array.dtype.itemsize > 8:
        with np.errstate(over="ignore"):  # what becomes infinite is refused as such
            return array.astype(np.float64)
    return array


def game_rows(name: str, array: Numbers, games: int, columns: int) -> Float:
    """Return one entry of an observation as (games, columns), float64 and contiguous."""
    if array.size != games * columns or array.ndim == 0 or array.shape[-1] != columns:
        raise ValueError(f"{name} must have shape ({columns},) or ({games}, {columns}), got {array.shape}")
    rows = np.ascontiguousarray(array, dtype=np.float64)
    # Functions would be compiled anew for arrays that are read-only or not aligned.
    return (rows if rows.flags.carray else rows.copy()).reshape(games, columns)
