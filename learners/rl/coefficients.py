"""Policies of few numbers: what they see does not change when a game is rotated, and neither does what they choose.

A policy that sees lengths and angles instead of features, and chooses coefficients of vectors instead of weights, is
the same in every dimension, and equivariant to rotations: turn the game, and its classifiers turn with it.
"""

import math

import numpy as np

from agents.costs import reach
from agents.foundation.compiled import compiled
from agents.foundation.lanes import dot, length
from agents.foundation.typing import Float
from learners.rl.history import BOUNDARY, LABEL, MISTAKE, MISTAKES, REVEALED, ROUNDS, History
from learners.strategic.rules import SHORTEST_WEIGHTS, write_published

INVARIANTS = (
    "part of the horizon", "logarithm of the round", "label", "mistake", "boundary",
    "share revealed", "share mistaken", "logarithm of the mistakes", "reach",
    "margin of the last", "length of the last", "length of the weights", "length of the mean", "length of the mistakes",
    "angle of last and weights", "angle of last and mean", "angle of last and mistakes",
    "angle of weights and mean", "angle of weights and mistakes", "angle of mean and mistakes",
)  # fmt: skip
COEFFICIENTS = ("step", "everything", "mistaken", "threshold")

# The best constants: ``y x~`` summed over mistakes, plus 0.35 times the sum over all rounds (`docs/`).
STEP_AFTER_MISTAKE, STEP_OTHERWISE = 1.35, 0.35
# The coefficients -1 and 1 divide and multiply the step by exp(4), add half the direction of a sum to that of the
# weights, and lower and raise the threshold by a fifth of the reach.
STEP_RANGE, DIRECTION_RANGE, THRESHOLD_RANGE = 4.0, 0.5, 0.2


@compiled
def write_invariants(history: History, norm: int, budget: Float, radius: float, horizon: float, out: Float) -> None:
    """Write what a policy sees of n games, all of it of the order of 1, to ``out`` (n, len(INVARIANTS))."""
    for game in range(out.shape[0]):
        row, outcome, counts = out[game], history.outcome[game], history.counts[game]
        weights, mean, mistaken = history.weights[game], history.everything[game], history.mistaken[game]
        last = history.last[game]
        rounds, revealed = min(counts[ROUNDS], horizon), max(counts[REVEALED], 1.0)
        row[0] = rounds / horizon
        row[1] = math.log1p(rounds) / math.log1p(horizon)
        row[2] = outcome[LABEL]
        row[3] = outcome[MISTAKE]
        row[4] = outcome[BOUNDARY]
        row[5] = counts[REVEALED] / max(counts[ROUNDS], 1.0)
        row[6] = counts[MISTAKES] / revealed
        row[7] = math.log1p(min(counts[MISTAKES], horizon)) / math.log1p(horizon)
        size = length(weights)
        raised = reach(norm, weights, budget) / size if size > 0.0 else budget.max()
        row[8] = raised / radius
        row[9] = dot(last, weights) / size / radius if size > 0.0 else 0.0
        row[10] = length(last) / radius
        row[11] = math.log1p(size / radius) / math.log1p(horizon)
        row[12] = length(mean) / revealed / radius
        row[13] = length(mistaken) / max(counts[MISTAKES], 1.0) / radius
        row[14] = cosine(last, weights)
        row[15] = cosine(last, mean)
        row[16] = cosine(last, mistaken)
        row[17] = cosine(weights, mean)
        row[18] = cosine(weights, mistaken)
        row[19] = cosine(mean, mistaken)


@compiled
def cosine(a: Float, b: Float) -> float:
    """Return the cosine of the angle between two vectors (d,); 0 where one has no direction."""
    lengths = length(a) * length(b)
    return dot(a, b) / lengths if lengths > 0.0 else 0.0


@compiled
def write_combined(history: History, norm: int, budget: Float, coefficients: Float, out: Float) -> None:
    """Add the chosen steps to the weights, in place, and write the classifiers that the coefficients make.

    Parameters
    ----------
    history : History
        Of n games.
    norm : int
        2 for l2 costs, 1 for weighted l1 costs.
    budget : ndarray, shape (1,) or (d,)
        alpha, or alpha_i.
    coefficients : ndarray, shape (n, 4)
        In the order of `COEFFICIENTS`, from -1 to 1; all 0 is the best constant setting.
    out : ndarray, shape (n, d + 1)
        Overwritten.
    """
    d = out.shape[1] - 1
    direction = np.empty(d)
    for game in range(out.shape[0]):
        weights, last = history.weights[game], history.last[game]
        step = STEP_AFTER_MISTAKE if history.outcome[game, MISTAKE] else STEP_OTHERWISE
        step *= math.exp(STEP_RANGE * coefficients[game, 0])
        for i in range(d):
            weights[i] += step * last[i]
            direction[i] = 0.0
        add_direction(direction, weights, 1.0)
        add_direction(direction, history.everything[game], DIRECTION_RANGE * coefficients[game, 1])
        add_direction(direction, history.mistaken[game], DIRECTION_RANGE * coefficients[game, 2])
        raised = reach(norm, direction, budget) * (1.0 + THRESHOLD_RANGE * coefficients[game, 3])
        write_published(direction, -raised, out[game])


@compiled
def add_direction(total: Float, vector: Float, weight: float) -> None:
    """Add the direction of a vector (d,) times a weight, in place; a vector of no length adds nothing."""
    size = length(vector)
    if size > SHORTEST_WEIGHTS:
        for i in range(total.shape[0]):
            total[i] += weight * vector[i] / size
