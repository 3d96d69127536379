"""All pairs of k centres, each with a knowledge set of their difference: ``w = x_i - x_j`` for i < j."""

from agents.foundation.compiled import inlined, loop
from agents.foundation.lanes import length
from agents.foundation.typing import Float
from learners.search.ellipsoids import depth_of, explore, least_drop, log_ratio

# Centres lie in the unit ball, and so do lifted ones: differences are at most 2 long.
RADIUS = 2.0


@inlined
def pair_of(label: int, other: int, classes: int) -> int:
    """Return the place of a pair of different labels among all pairs in the order (0, 1), (0, 2), ..., (1, 2), ..."""
    low, high = min(label, other), max(label, other)
    return low * (2 * classes - low - 1) // 2 + high - low - 1


@inlined
def side_of(label: int, other: int) -> float:
    """Return on which side of 0 the pair's value lies where ``label`` is right."""
    return 1.0 if label < other else -1.0


@loop
def judge_pair(
    centres: Float,
    factors: Float,
    thresholds: Float,
    slacks: Float,
    query: Float,
    exponent: float,
    room: Float,
    found: Float,
) -> None:
    """Write to ``found`` (5,) what the ellipsoids of one pair (i, j) say of a query.

    First the middle of the explored scale, whose sign is the vote. Then, for either label being right, how far the
    potential would fall at the explored scale (i right, j right), and how much naming the other one can cost.
    """
    d, most = query.shape[0], RADIUS * length(query)
    scale, low, high, middle, half = explore(centres, factors, thresholds, query, most, room)
    found[0] = middle
    for entry in range(1, 5):
        found[entry] = 0.0
    if scale < 0:
        return
    worth = (2.0 * thresholds[scale]) ** exponent / least_drop(d)
    for place in range(2):
        side = 1.0 - 2.0 * place
        depth = depth_of(middle, half, side, 0.0, slacks[scale] * length(query))
        found[1 + place] = -worth * log_ratio(min(depth, 1.0 - 1e-15), d)
        farthest = high if place == 0 else -low
        found[3 + place] = farthest**exponent if farthest > 0.0 else 0.0
