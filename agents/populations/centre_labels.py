"""What is told of the labels of queries to hidden centres, and what a wrong answer costs."""

import math

from agents.foundation import streams
from agents.foundation.compiled import loop
from agents.foundation.selection import rule_of
from agents.populations.centre_source import (
    EARLY,
    LEAD,
    LOSS,
    RANDOM,
    ROBUST,
    ROBUST_MISTAKES,
    SIZE,
    SIZE_OF_WRONG_LABELS,
    TOLD,
    WRONG_LABELS,
    CentresDrawn,
    CentreSource,
    farness,
    farthest,
    smallest_other,
)
from agents.populations.labelled_points import index_below
from agents.populations.many_points import judge


@rule_of(CentreSource, judge)
def _judge(
    source: CentreSource, drawn: CentresDrawn, game: int, round: int, action: int, label: int
) -> tuple[int, float]:
    return judge_centre(source, drawn, game, round, action, label)


@loop
def judge_centre(
    source: CentreSource, drawn: CentresDrawn, game: int, round: int, action: int, label: int
) -> tuple[int, float]:
    """Count a round, and return the label that is told and the loss; to ask costs as much as the worst label."""
    gaps, judged, counted = drawn.gaps[game], drawn.judged[game], drawn.counted[game]
    told = told_label(source, drawn, game, round, action, label)
    gap = gaps[action] if action < gaps.shape[0] else gaps[farthest(gaps)]
    loss = gap if source.exponent == 1.0 else math.pow(gap, source.exponent)
    lead = smallest_other(gaps, label)
    robust = action != label and lead >= source.margin
    judged[LOSS], judged[LEAD], judged[TOLD], judged[ROBUST], judged[SIZE] = loss, lead, told, robust, gaps[told]
    counted[LOSS] += loss
    counted[ROBUST_MISTAKES] += robust
    counted[WRONG_LABELS] += told != label
    counted[SIZE_OF_WRONG_LABELS] += gaps[told]
    return told, loss


@loop
def told_label(source: CentreSource, drawn: CentresDrawn, game: int, round: int, action: int, label: int) -> int:
    """Return the label that is told: the true one, or another where noise or corruption want it."""
    key, gaps = drawn.keys[game], drawn.gaps[game]
    if source.noise > 0.0:
        bits = streams.philox(key, streams.NOISE, round, 0)
        return index_below(bits[1], source.classes) if streams.unit(bits[0]) < source.noise else label
    if source.corruption > 0:
        if source.pattern == RANDOM:
            if streams.shuffled_index(key, streams.NOISE, round, source.rounds) < source.corruption:
                other = index_below(streams.philox(key, streams.FEEDBACK, round, 1)[0], source.classes - 1)
                return other + 1 if other >= label else other
        elif source.pattern == EARLY:
            if round < source.corruption:
                return farthest(gaps)
        elif is_time_for_a_late_one(source, drawn, game, round, action, label):
            return farthest(gaps)
    return label


@loop
def is_time_for_a_late_one(
    source: CentreSource, drawn: CentresDrawn, game: int, round: int, action: int, label: int
) -> bool:
    """Whether a wrong label is told late: after a quarter of the rounds, where the right one was named by a large gap.

    That is one of at least the largest distance of two centres over the root of the dimension, about the standard
    deviation of the gap of these two.
    """
    if 4 * round < source.rounds or action != label or drawn.counted[game, WRONG_LABELS] >= source.corruption:
        return False
    centres, gaps, widest = drawn.centres[game], drawn.gaps[game], 0.0
    for k in range(source.classes):
        for j in range(k):
            widest = max(widest, farness(2.0, centres[k], centres[j]))
    return bool(gaps[farthest(gaps)] >= widest / math.sqrt(centres.shape[1]))
