"""Online convex optimisation behind one function, `descend`: what a learner of importance-weighted losses learns with.

A gradient here is ``factor * slopes (x) features``, with one slope for each label. A state that descends has the fields
of `beginning`, and gains its next weights from `descend`:

* ``adaptive``: steps of ``norm / sqrt(1e-8 + sum of squared gradients)``, the current one included, without projection:
  the paper's choice;
* ``fixed``: steps of one size;
* ``projected``: steps of ``sqrt(2) norm / sqrt(sum of squared gradients)``, then back into the ball of radius ``norm``:
  regret at most ``2 sqrt(2) norm sqrt(sum)`` against everything in the ball (Zinkevich, 2003; Streeter and McMahan,
  2010);
* ``parameter_free``: FreeGrad (Mhammedi and Koolen, 2020, Definition 4): regret ``O(|U| sqrt(sum log(1 + |U| sum)))``
  against every U, whatever its norm and whatever the gradients' sizes. Their largest size so far serves as the hint,
  and a gradient above it is shortened to it (Cutkosky, 2019).
"""

import math
from typing import Any

import numpy as np

from agents.foundation.compiled import inlined, loop
from agents.foundation.lanes import length
from agents.foundation.typing import Float
from learners.multiclass.losses import write_slopes
from learners.multiclass.observation import revealed_label
from learners.multiclass.scores import add_to_row, observing_probability, shorten, squared_norm

DESCENTS = ("adaptive", "fixed", "projected", "parameter_free")
ADAPTIVE, FIXED, PROJECTED, PARAMETER_FREE = range(4)
SMALLEST_SUM = 1e-8
# Weights beyond exp(200) would let scores overflow.
LARGEST_EXPONENT = 200.0


# Places in the memory of a descent.
SQUARES, LARGEST, FIRST = range(3)


def beginning(kind: str, norm: float, games: int, classes: int, dim: int) -> dict[str, Any]:
    """Return the fields of a state that descends, before the first step.

    ``descent`` (n,) int64, place in `DESCENTS`; ``norm`` (n,), the scale of steps or weights (``fixed``: the step);
    ``memory`` (n, 3), of gradients so far: the sum of their squared sizes, the largest size, the first one; ``slopes``
    (n, K), of the last gradient; ``gradients`` (n, K, d), their sum, or (n, 0, 0) where nobody needs it.
    """
    summed = (games, classes, dim) if kind == "parameter_free" else (games, 0, 0)
    return {
        "descent": np.full(games, DESCENTS.index(kind), dtype=np.int64),
        "norm": np.full(games, norm),
        "memory": np.zeros((games, 3)),
        "slopes": np.zeros((games, classes)),
        "gradients": np.zeros(summed),
    }


def has_the_gradients(state: Any, game: int) -> bool:
    """Whether the sum of gradients is there if the kind of descent needs it: a rule for `stays_inside`."""
    return bool(state.descent[game] != PARAMETER_FREE or state.gradients.shape[1] > 0)


@inlined
def learn_label(state: Any, game: int, feedback: Float) -> None:
    """Descend on the loss of the label, if the feedback (K,) tells it, over the probability that the graph would."""
    label = revealed_label(feedback)
    if label < 0:
        return
    chance = observing_probability(state.probabilities[game], state.reveals[game], label)
    if chance > 0.0:  # else somebody else chose the action
        write_slopes(state.loss[game], state.kappa[game], state.scores[game], label, state.slopes[game])
        learn_gradient(state, game, 1.0 / chance)


@inlined
def learn_gradient(state: Any, game: int, factor: float) -> None:
    """Learn from the gradient ``factor * state.slopes[game] (x) state.features[game]``."""
    descend(
        state.descent[game],
        state.norm[game],
        state.memory[game],
        state.slopes[game],
        state.features[game],
        factor,
        state.gradients[game],
        state.weights[game],
    )


@loop
def descend(
    kind: int,
    norm: float,
    memory: Float,
    slopes: Float,
    features: Float,
    factor: float,
    gradients: Float,
    weights: Float,
) -> None:
    """Change the weights (K, d) after the gradient ``factor * slopes (x) features``, as `beginning` names the rest."""
    size = factor * length(slopes) * length(features)
    if size == 0.0:
        return
    if kind == PARAMETER_FREE:
        _bet(norm, memory, slopes, features, factor, size, gradients, weights)
        return
    memory[SQUARES] += size * size
    step = factor * norm
    if kind == ADAPTIVE:
        step /= math.sqrt(SMALLEST_SUM + memory[SQUARES])
    elif kind == PROJECTED:
        step *= math.sqrt(2.0 / memory[SQUARES])
    for label in range(slopes.shape[0]):
        if slopes[label] != 0.0:
            add_to_row(weights, label, -step * slopes[label], features)
    if kind == PROJECTED:
        shorten(weights, norm)


@loop
def _bet(
    norm: float,
    memory: Float,
    slopes: Float,
    features: Float,
    factor: float,
    size: float,
    gradients: Float,
    weights: Float,
) -> None:
    """Take FreeGrad's step: the weights are a function of the gradients' sum, their squares and their largest size."""
    if memory[FIRST] == 0.0:
        memory[:] = size
        memory[SQUARES] = size * size
    kept = min(1.0, memory[LARGEST] / size)
    memory[LARGEST] = max(memory[LARGEST], size)
    memory[SQUARES] += (kept * size) * (kept * size)
    for label in range(slopes.shape[0]):
        add_to_row(gradients, label, kept * factor * slopes[label], features)
    square, variance = squared_norm(gradients), memory[SQUARES]
    along = memory[LARGEST] * math.sqrt(square)
    total = variance + along
    # By ratios: fourth powers of small gradients would vanish.
    scale = norm * math.exp(min(LARGEST_EXPONENT, square / (2.0 * total))) * (2.0 * variance + along) / (2.0 * total)
    scale *= memory[FIRST] / total * (memory[FIRST] / math.sqrt(variance))
    for label in range(slopes.shape[0]):
        for i in range(features.shape[0]):
            weights[label, i] = -scale * gradients[label, i]
