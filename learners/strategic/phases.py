"""The arithmetic of a search in phases: how long to trust an estimate, which one comes next."""

import math

import numpy as np

from agents.foundation.compiled import compiled
from agents.foundation.lanes import length
from agents.foundation.typing import Float

# Weights that short, against what they are the sum of, are rounding errors of a sum that is 0.
NO_WEIGHTS = 1e-12


@compiled
def phase_budget(radius: float, estimate: float, margin: float, direction: int) -> float:
    """Return how many mistakes a phase makes at most if its estimate is right.

    ``4 (R + a' + gamma/2)^2 / gamma^2`` (Proposition 1); for one movable coordinate ``4 (R + max(a', gamma/2))^2 /
    gamma^2``.
    """
    move = estimate + margin / 2.0 if direction < 0 else max(estimate, margin / 2.0)
    ratio = (radius + move) / margin
    return 4.0 * (ratio * ratio)


@compiled
def guess_budget(radius: float, margin: float) -> float:
    """Return how many mistakes all phases make at most if the margin is right.

    ``(2 ceil(log2 max(1, 2N - 1)) + 2) (floor((4N + 1)^2) + 1)`` with ``N = R / gamma``: the phases of a bracketing
    search times the mistakes of each.
    """
    ratio = radius / margin
    halvings = math.ceil(math.log2(max(1.0, 2.0 * ratio - 1.0)))
    return (2.0 * halvings + 2.0) * (math.floor((4.0 * ratio + 1.0) * (4.0 * ratio + 1.0)) + 1.0)


@compiled
def next_estimate(
    low: float, high: float, estimate: float, too_large: bool, margin: float, radius: float, literal: bool
) -> float:
    """Return the estimate of the next phase; ``low`` and ``high`` know what the last one found.

    The middle of the bracket, or twice the estimate while it has no upper end. Printed: half way to the last estimate
    that was too small if it was too large, else always twice.
    """
    if literal:
        middle = too_large
        high = estimate
    else:
        middle = high < np.inf
    if middle:
        return (low + high) / 2.0
    return min(max(2.0 * estimate, margin / 2.0), radius)


@compiled
def clear_rounding_errors(weights: Float, size: float) -> None:
    """Set weights to 0 that are but rounding errors of a sum of terms of that size.

    Around a wrong guess the terms may cancel; what is left would be taken for a direction.
    """
    if length(weights) <= NO_WEIGHTS * size:
        for i in range(weights.shape[0]):
            weights[i] = 0.0
