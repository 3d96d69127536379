"""What JSON can hold of options, parameters and results."""

import math
from collections.abc import Mapping

import numpy as np

from learners.feedback.graph import FeedbackGraph


def finite(value: float | None) -> float | None:
    """Return a number, or None where it is infinite or NaN."""
    return value if value is not None and math.isfinite(value) else None


def plain(value: object) -> object:
    """Return what JSON can encode: arrays and graphs as lists, NaN and infinity as None, other objects as text."""
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, FeedbackGraph):
        return plain(value.adjacency.astype(int))
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float):
        return finite(value)
    return value if value is None or isinstance(value, bool | int | str) else repr(value)
