"""Inverse-gap weighting of one round: from scores to a distribution over the nodes of any feedback graph."""

import math

import numpy as np

from agents.foundation.compiled import compiled
from agents.foundation.typing import Bool, Float
from learners.multiclass.least_squares import safe_length
from learners.multiclass.scores import best_other, leader


@compiled
def write_costs(scores: Float, best: int, out: Float) -> None:
    """Write to ``out`` (nodes,) how much likelier the leader is right than each node, by scores clipped to [0, 1]."""
    highest = min(1.0, max(0.0, scores[best]))
    for node in range(out.shape[0]):
        out[node] = highest - min(1.0, max(0.0, scores[node])) if node < scores.shape[0] else highest


@compiled
def write_cautious_gaps(costs: Float, whitened: Float, best: int, confidence: float, out: Float) -> None:
    """Write to ``out`` (K,) how far each label lies behind at least, given the uncertainty; the leader, as the next."""
    uncertainty = confidence * safe_length(whitened[best % whitened.shape[0]])
    for label in range(out.shape[0]):
        own = confidence * safe_length(whitened[label % whitened.shape[0]])
        out[label] = max(0.0, costs[label] - own - uncertainty)
    out[best] = out[best_other(-out, best)]


@compiled
def write_inverse_gap(
    reveals: Bool, best: int, gaps: Float, costs: Float, gamma: float, patience: float, out: Float
) -> None:
    """Write the distribution of inverse-gap weighting, carried over to nodes that reveal.

    Parameters
    ----------
    reveals : ndarray, shape (nodes, K), bool
        Labels whose outcome each node shows.
    best : int
        The leader.
    gaps : ndarray, shape (K,)
        How far each label lies behind the leader; the leader's own entry is the smallest of the others.
    costs : ndarray, shape (nodes,)
        How much likelier the leader is right than each node.
    gamma : float
        Scale of the gaps.
    patience : float
        Scale of the costs of showing a label that does not show itself; at most gamma.
    out : ndarray, shape (nodes,)
        Overwritten. Each label is shown with at least its `demand`.
    """
    classes = gaps.shape[0]
    limits, demands, owner = np.empty(classes), np.empty(classes), np.full(classes, -1)
    for label in range(classes):
        scale = gamma if reveals[label, label] else patience
        limits[label] = math.sqrt(scale * _cheapest(reveals, costs, label))
        # Playing the leader shows its labels for nothing.
        hidden = not reveals[best, label]
        demands[label] = demand(classes, gamma * gaps[label], limits[label]) if hidden else 0.0
    players, urgent = 1, leader(demands)
    while demands[urgent] > 0.0:
        node = _most_worth(reveals, costs, demands, urgent, gamma)
        players += 1
        for label in range(classes):
            if reveals[node, label] and demands[label] > 0.0:
                owner[label], demands[label] = node, 0.0
        urgent = leader(demands)
    out[:] = 0.0
    for label in range(classes):
        if owner[label] >= 0:
            wanted = demand(players, gamma * gaps[label], limits[label])
            out[owner[label]] = max(out[owner[label]], wanted)
    total = 0.0
    for node in range(out.shape[0]):
        total += out[node]
    out[best] = 1.0 - total


@compiled
def demand(players: int, gap: float, limit: float) -> float:
    """Return the probability with which a label must be shown: the inverse of its scaled gap plus the players.

    It is at most the inverse of ``limit``, the square root of the scaled cost of the cheapest node that shows it:
    looking more often costs more than it can tell.
    """
    return 1.0 / max(players + gap, limit)


@compiled
def _cheapest(reveals: Bool, costs: Float, label: int) -> float:
    """Return the smallest cost of a node that shows a label."""
    least = math.inf
    for node in range(costs.shape[0]):
        if reveals[node, label]:
            least = min(least, costs[node])
    return least


@compiled
def _most_worth(reveals: Bool, costs: Float, demands: Float, label: int, gamma: float) -> int:
    """Return the node, of those that show ``label``, that meets most demand for what it costs."""
    chosen, most = -1, 0.0
    for node in range(costs.shape[0]):
        if reveals[node, label]:
            met = 0.0
            for other in range(demands.shape[0]):
                if reveals[node, other]:
                    met += demands[other]
            worth = met / (1.0 + gamma * costs[node])  # a cost below 1 / gamma cannot be told from none
            if worth > most:
                chosen, most = node, worth
    return chosen
