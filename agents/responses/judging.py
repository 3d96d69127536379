"""How a report from anywhere is judged and priced, as it stands."""

import math

import numpy as np

from agents.boundary import FLOAT64_EPS, scale, scaled_score, side
from agents.costs import L2
from agents.foundation.compiled import inlined, loop
from agents.foundation.typing import Float


@loop
def judge(classifier: Float, true_features: Float, report: Float, reach_scale: float) -> bool:
    """Whether a report from anywhere is accepted: exactly if it is the truth, else up to a mover's rounding.

    Agrees with every best response.
    """
    for i in range(report.shape[0]):
        if report[i] != true_features[i]:
            return side(classifier, report, reach_scale, FLOAT64_EPS) >= 0
    factor, _ = scale(classifier)
    return scaled_score(classifier, factor, true_features) >= 0.0


@inlined
def price(norm: int, true_features: Float, report: Float, budget: Float) -> float:
    """Return what a report costs; infinite if what cannot move did."""
    total = 0.0
    for i in range(report.shape[0]):
        distance = abs(report[i] - true_features[i])
        if norm == L2:
            total = float(np.hypot(total, distance))  # squares of tiny moves would vanish
        elif distance > 0.0:
            total += distance / budget[i] if budget[i] > 0.0 else math.inf
    if norm == L2 and total > 0.0:
        return total / budget[0] if budget[0] > 0.0 else math.inf
    return total
