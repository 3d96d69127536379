"""What multiclass learners share: scores of the labels, the leader and whoever follows, and rows that take a step."""

import math
from typing import Any

from agents.foundation.compiled import inlined, loop
from agents.foundation.lanes import dot
from agents.foundation.typing import Bool, Float
from learners.multiclass.observation import HIDDEN


@loop
def write_scores(weights: Float, features: Float, out: Float) -> None:
    """Write the scores ``<W^k, x>`` of all labels to ``out`` (K,)."""
    for label in range(out.shape[0]):
        out[label] = dot(weights[label], features)


@loop
def leader(scores: Float) -> int:
    """Return the label with the largest score; the lowest among ties."""
    return best_other(scores, -1)


@loop
def best_other(scores: Float, label: int) -> int:
    """Return the label with the largest score apart from ``label``; the lowest among ties."""
    best = -1
    for other in range(scores.shape[0]):
        if other != label and (best < 0 or scores[other] > scores[best]):
            best = other
    return best


@loop
def write_softmax(scores: Float, factor: float, out: Float) -> None:
    """Write the softmax of ``factor`` times the scores to ``out`` (K,), which may be longer: the rest is 0."""
    largest, total = scores[leader(scores)], 0.0
    for label in range(out.shape[0]):
        out[label] = math.exp(factor * (scores[label] - largest)) if label < scores.shape[0] else 0.0
        total += out[label]
    for label in range(out.shape[0]):
        out[label] /= total


@inlined
def write_leading(state: Any, game: int, rate: float) -> None:
    """Put all probability on the leader but ``rate``, which all K labels share alike; score the features first."""
    scores = state.scores[game]
    write_scores(state.weights[game], state.features[game], scores)
    write_mixture(leader(scores), rate, scores.shape[0], state.probabilities[game])


@loop
def write_mixture(node: int, rate: float, shared: int, out: Float) -> None:
    """Write ``(1 - rate) e_node`` plus ``rate`` spread over the first ``shared`` nodes to ``out`` (n,)."""
    for other in range(out.shape[0]):
        out[other] = rate / shared if other < shared else 0.0
    out[node] += 1.0 - rate


@loop
def observing_probability(probabilities: Float, reveals: Bool, label: int) -> float:
    """Return the probability to play a node that reveals the outcome of ``label``: P_t of Gappletron."""
    total = 0.0
    for node in range(probabilities.shape[0]):
        if reveals[node, label]:
            total += probabilities[node]
    return total


@inlined
def played_outcome(feedback: Float, action: int) -> float:
    """Return what the feedback (K,) says of the played label; it says nothing of a node that asks."""
    return float(feedback[action]) if action < feedback.shape[0] else HIDDEN


@loop
def add_to_row(matrix: Float, row: int, factor: float, features: Float) -> None:
    """Add ``factor`` times the features to one row, in place."""
    target = matrix[row]
    for i in range(features.shape[0]):
        target[i] += factor * features[i]


@loop
def squared_norm(matrix: Float) -> float:
    """Return the squared Frobenius norm."""
    total = 0.0
    for row in range(matrix.shape[0]):
        total += dot(matrix[row], matrix[row])
    return total


@loop
def shorten(matrix: Float, norm: float) -> None:
    """Bring a matrix back into the ball of the Frobenius norm, in place."""
    square = squared_norm(matrix)
    if square > norm * norm:
        shrink = norm / math.sqrt(square)
        for row in range(matrix.shape[0]):
            for i in range(matrix.shape[1]):
                matrix[row, i] *= shrink
