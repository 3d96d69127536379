"""The shortest vector of a convex set that grows point by point, in bounded memory.

The set's points are proxies s with labels y, one in each row of arrays: ``labels`` (rows,) with 0 for an empty row,
``points`` (rows, d), and ``shares`` (rows,) of the points in the shortest vector. Without an intercept the set is the
hull of all ``y s``, and shares add up to 1; with one it is the hull of positive proxies less that of negative ones, and
shares add up to 1 over each label. For weighted l1 costs, vectors that are larger in some coordinates belong to the
set, too: among those, the shortest has 0 where the hull's vector is negative.
"""

import numpy as np

from agents.costs import L1
from agents.foundation.compiled import compiled
from agents.foundation.lanes import dot
from agents.foundation.typing import Float

# The search ends when no exchange of shares can shorten the vector by more than about this share.
PRECISION = 1e-2
MOST_STEPS = 10_000
# Nor does it go on below this share of the longest proxy: no hyperplane worth the search separates such individuals.
NEGLIGIBLE = 1e-3


@compiled
def free_row(labels: Float, shares: Float, points: Float, weights: Float, intercept: float) -> int:
    """Return an empty row, or the row of the proxy without a share that has the largest margin.

    If all have shares, the two smallest of one label become their weighted mean, which leaves the shortest vector as it
    is and is as good a proxy as any: whatever separates the two separates it, and it is no longer than they are.
    """
    chosen, largest = -1, 0.0
    for row in range(labels.shape[0]):
        if labels[row] == 0.0:
            return row
        margin = labels[row] * (dot(weights, points[row]) + intercept)
        if shares[row] == 0.0 and (chosen < 0 or margin > largest):
            chosen, largest = row, margin
    if chosen >= 0:
        return chosen
    # At least half of the rows have one label, and there are more than two.
    label = 1.0 if labels.sum() >= 0.0 else -1.0
    least, second = -1, -1
    for row in range(labels.shape[0]):
        if labels[row] == label and (least < 0 or shares[row] < shares[least]):
            least, second = row, least
        elif labels[row] == label and (second < 0 or shares[row] < shares[second]):
            second = row
    both = shares[least] + shares[second]
    for i in range(weights.shape[0]):
        points[second, i] += shares[least] / both * (points[least, i] - points[second, i])
    shares[second] = both
    return least


@compiled
def step_towards(labels: Float, shares: Float, points: Float, weights: Float, bias: bool, new: int) -> None:
    """Give the proxy in row ``new`` its share of the shortest vector on the segment from w to it.

    With an intercept: from the mean of its label's proxies to it, while the other label's stays where it is.
    """
    d = points.shape[1]
    path, taken = np.zeros(d), 0.0
    shares[new] = 0.0
    for row in range(labels.shape[0]):
        if labels[row] == labels[new] or not bias:
            taken += shares[row]
    for i in range(d):
        start = 0.0 if bias else weights[i]
        for row in range(labels.shape[0]):
            if bias and labels[row] == labels[new]:
                start += shares[row] * labels[row] * points[row, i]
        path[i] = start - labels[new] * points[new, i]
    along = dot(weights, path)
    share = 0.0
    if taken == 0.0:
        share = 1.0
    elif along > 0.0:
        share = min(1.0, along / dot(path, path))
    for row in range(labels.shape[0]):
        if labels[row] == labels[new] or not bias:
            shares[row] *= 1.0 - share
    shares[new] = share


@compiled
def shorten(labels: Float, shares: Float, points: Float, weights: Float, norm: int, bias: bool) -> float:
    """Overwrite w with the shortest vector; return the intercept half-way between the labels (0 without one).

    Moves shares from the proxy that lengthens w most to the one that shortens it most (the method of Mitchell,
    Dem'yanov and Malozemov), by exact steps. It begins at the shares' vector, and no step lengthens it.
    """
    rows, d = points.shape
    total, longest = np.zeros(d), 0.0
    for row in range(rows):
        longest = max(longest, dot(points[row], points[row]))
        for i in range(d):
            total[i] += shares[row] * labels[row] * points[row, i]
    write_member(total, norm, weights)
    for _ in range(MOST_STEPS):
        high, low, gap = steepest_exchange(labels, shares, points, weights, bias)
        if gap <= PRECISION * max(dot(weights, weights), (NEGLIGIBLE * NEGLIGIBLE) * longest):
            break
        squared = 0.0
        for i in range(d):
            difference = labels[high] * points[high, i] - labels[low] * points[low, i]
            squared += difference * difference
        step = min(shares[high], gap / squared)
        for i in range(d):
            total[i] -= step * (labels[high] * points[high, i] - labels[low] * points[low, i])
        shares[high] -= step
        shares[low] += step
        write_member(total, norm, weights)
    middle = 0.0
    for row in range(rows):
        middle += shares[row] * dot(weights, points[row])
    return -middle / 2.0 if bias else 0.0


@compiled
def steepest_exchange(
    labels: Float, shares: Float, points: Float, weights: Float, bias: bool
) -> tuple[int, int, float]:
    """Return which proxy should lose its share to which (of the same label where there is an intercept), and their gap.

    The gap is how much more ``y w.s`` is on the first than on the second.
    """
    best_high, best_low, best_gap = 0, 0, 0.0
    for label in (1.0, -1.0):
        high, low, highest, lowest = -1, -1, 0.0, 0.0
        for row in range(labels.shape[0]):
            if labels[row] == label or (labels[row] != 0.0 and not bias):
                value = labels[row] * dot(weights, points[row])
                if low < 0 or value < lowest:
                    low, lowest = row, value
                if shares[row] > 0.0 and (high < 0 or value > highest):
                    high, highest = row, value
        if high >= 0 and highest - lowest > best_gap:
            best_high, best_low, best_gap = high, low, highest - lowest
    return best_high, best_low, best_gap


@compiled
def write_member(total: Float, norm: int, out: Float) -> None:
    """Write the shortest vector that belongs to the set if ``total`` does: for l1, without its negative coordinates."""
    for i in range(total.shape[0]):
        out[i] = max(0.0, total[i]) if norm == L1 else total[i]
