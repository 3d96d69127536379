"""How queries to hidden centres come: uniform, near the boundary, from a data set, or from an adversary."""

import math

import numpy as np

from agents.foundation import streams
from agents.foundation.compiled import loop
from agents.foundation.lanes import copy, dot, length
from agents.foundation.selection import rule_of
from agents.foundation.typing import Float, Key
from agents.populations.centre_source import (
    ADAPTIVE,
    BALL,
    INNER,
    NEAR_BOUNDARY,
    PERCEPTRON,
    ROWS,
    CentresDrawn,
    CentreSource,
    smallest_other,
    write_gaps,
)
from agents.populations.many_points import begin_population, draw

# Leads of queries near the boundary are spread evenly, in logarithms, between these.
SMALLEST_LEAD, LARGEST_LEAD = 1e-6, 1e-1
# Queries that an adversary tries in a round: half have a lead of the margin, the others the smallest.
CANDIDATES = 60
# Pairs of queries to find two with different labels among, and halvings of what lies between.
PAIRS, HALVINGS = 8, 60
# Random bits of a round are numbered so that each query that is tried has its own.
_STRIDE = 1024


@loop
def write_unit(vector: Float) -> None:
    """Scale a vector (d,) to norm 1."""
    norm = length(vector)
    for i in range(vector.shape[0]):
        vector[i] /= norm


@loop
def draw_uniform(key: Key, purpose: int, index: int, ball: bool, out: Float) -> None:
    """Draw a point uniform on the unit sphere, or in the unit ball."""
    streams.fill_normals(key, purpose, index, out)
    squares = dot(out, out)
    if ball:
        # Normals over the root of their squared norm plus twice an exponential number are uniform in a ball.
        squares -= 2.0 * math.log(1.0 - streams.uniform(key, purpose, index))
    norm = math.sqrt(squares)
    for i in range(out.shape[0]):
        out[i] /= norm


@loop
def write_between(source: CentreSource, start: Float, end: Float, share: float, out: Float) -> None:
    """Write the point that lies so far from ``start`` to ``end``, on the sphere where queries do."""
    for i in range(out.shape[0]):
        out[i] = (1.0 - share) * start[i] + share * end[i]
    if source.power == INNER:
        write_unit(out)


@loop
def draw_with_lead(
    source: CentreSource, drawn: CentresDrawn, game: int, key: Key, index: int, lead: float, out: Float
) -> None:
    """Draw a query whose nearest centre leads by ``lead``, or a little more: on the way from one cell to another.

    Where cells are so small that no lead is that large, or no second cell is found, the lead is another.
    """
    centres, gaps = drawn.centres[game], drawn.gaps[game]
    start, end = drawn.scratch[game, 0], drawn.scratch[game, 1]
    label, other = 0, 0
    for pair in range(PAIRS):
        for which in range(2):
            draw_uniform(
                key, streams.INDIVIDUAL, index + 2 * pair + which, source.power != INNER, start if which == 0 else end
            )
        other = write_gaps(source, centres, end, gaps)
        label = write_gaps(source, centres, start, gaps)
        if label != other:
            break
    low, high = 0.0, 1.0
    if label == other or smallest_other(gaps, label) <= lead:
        high = 0.0
    for _ in range(HALVINGS if high > 0.0 else 0):
        middle = 0.5 * (low + high)
        write_between(source, start, end, middle, out)
        if write_gaps(source, centres, out, gaps) == label and smallest_other(gaps, label) >= lead:
            low = middle
        else:
            high = middle
    write_between(source, start, end, low, out)


@loop
def draw_query(source: CentreSource, drawn: CentresDrawn, game: int, round: int, out: Float) -> None:
    """Draw the query of a round that no adversary chooses."""
    key, purpose, index = drawn.keys[game], streams.ARRIVALS, round
    if source.query == ROWS:
        copy(source.rows[streams.shuffled_index(key, streams.ARRIVALS, round, source.rows.shape[0])], out)
    else:
        if source.pool > 0:
            index = streams.random_index(key, streams.ARRIVALS, round, source.pool)
            key, purpose = drawn.origins[game], streams.REACH
        if source.query == NEAR_BOUNDARY:
            share = streams.uniform(key, streams.FEEDBACK, index)
            lead = SMALLEST_LEAD * math.pow(LARGEST_LEAD / SMALLEST_LEAD, share)
            draw_with_lead(source, drawn, game, key, index * _STRIDE, lead, out)
        else:
            draw_uniform(key, purpose, index, source.query == BALL, out)
    if source.levels > 0:
        step = 2.0 / (source.levels - 1)
        for i in range(out.shape[0]):
            out[i] = step * math.floor((out[i] + 1.0) / step + 0.5) - 1.0


@loop
def draw_candidate(source: CentreSource, drawn: CentresDrawn, game: int, round: int, number: int, out: Float) -> int:
    """Draw one of the queries that an adversary tries in a round, and return its label."""
    lead = source.margin if 2 * number < CANDIDATES else SMALLEST_LEAD
    draw_with_lead(source, drawn, game, drawn.keys[game], round * _STRIDE + 2 * PAIRS * number, lead, out)
    return write_gaps(source, drawn.centres[game], out, drawn.gaps[game])


@loop
def draw_centre(key: Key, place: int, out: Float) -> None:
    """Draw one of the centres of a population."""
    draw_uniform(key, streams.POPULATION, place, True, out)


@rule_of(CentreSource, begin_population)
def _begin(source: CentreSource, drawn: CentresDrawn, game: int, scratch: Float) -> None:
    origin = drawn.origins[game]
    for i in range(2):
        origin[i] = source.origin[0, i] if source.origin.shape[0] > 0 else drawn.keys[game, i]
    for k in range(source.classes):
        draw_centre(origin, k, drawn.centres[game, k])
    drawn.counted[game, :] = 0.0
    drawn.judged[game, :] = 0.0
    drawn.weights[game, :, :] = 0.0
    drawn.scratch[game, :, :] = 0.0


@rule_of(CentreSource, draw)
def _draw(source: CentreSource, drawn: CentresDrawn, game: int, round: int, features: Float) -> int:
    if source.query == PERCEPTRON:
        return aim(source, drawn, game, round, features)
    return draw_labelled(source, drawn, game, round, features)


@loop
def draw_labelled(source: CentreSource, drawn: CentresDrawn, game: int, round: int, features: Float) -> int:
    """Draw a round's query and return its label; an adversary of whoever plays has its first candidate come."""
    if source.query == ADAPTIVE:
        return draw_candidate(source, drawn, game, round, 0, features)
    draw_query(source, drawn, game, round, features)
    return write_gaps(source, drawn.centres[game], features, drawn.gaps[game])


@loop
def aim(source: CentreSource, drawn: CentresDrawn, game: int, round: int, features: Float) -> int:
    """Draw a query that a multiclass Perceptron gets wrong, after it has learned from the true label of the last one.

    Large leads come first: whenever it can be wrong at the margin, it is.
    """
    weights, centres, last = drawn.weights[game], drawn.centres[game], drawn.scratch[game, 2]
    if round > 0:
        label, played = write_gaps(source, centres, last, drawn.gaps[game]), leading(weights, last)
        if label != played:
            for i in range(last.shape[0]):
                weights[label, i] += last[i]
                weights[played, i] -= last[i]
    if source.classes == 2 and source.power == INNER and last.shape[0] > 2:
        aim_at_two(source, drawn, game, round, features)
        label = write_gaps(source, centres, features, drawn.gaps[game])
    else:
        label = 0
        for number in range(CANDIDATES):
            label = draw_candidate(source, drawn, game, round, number, features)
            if leading(weights, features) != label:
                break
    copy(features, last)
    return label


@loop
def leading(weights: Float, features: Float) -> int:
    """Return the label with the largest score ``<W_k, q>``; the lowest among ties."""
    best, most = 0, -np.inf
    for k in range(weights.shape[0]):
        score = dot(weights[k], features)
        if score > most:
            best, most = k, score
    return best


@loop
def aim_at_two(source: CentreSource, drawn: CentresDrawn, game: int, round: int, out: Float) -> None:
    """Write the query that brings a Perceptron of two centres the most robust mistakes: about ``sqrt(T) / margin``.

    With w = x_0 - x_1 and the Perceptron's u, a query ``-(lead / |w|) w/|w| + c e/|e| + (rest) r`` has label 1, where
    e is the part of u across w and r is across both. The smallest c at which ``<u, q>`` is not negative makes the
    Perceptron answer 0, and its squared norm grow by as much as it can; where c would be too large at the margin, a
    query with the smallest lead makes e grow.
    """
    centres, weights = drawn.centres[game], drawn.weights[game]
    true, across = drawn.scratch[game, 0], drawn.scratch[game, 1]
    for i in range(out.shape[0]):
        true[i] = centres[0, i] - centres[1, i]
        across[i] = weights[0, i] - weights[1, i]
    norm = length(true)
    write_unit(true)
    along = dot(across, true)
    remove(true, along, across)
    error = length(across)
    lead, height, share = source.margin, 0.0, 0.0
    for _ in range(2):
        height = min(1.0, lead * (1.0 + 1e-9) / norm)
        share = (height * along + 1e-9) / error if error > 0.0 else 0.0
        if share * share + height * height <= 1.0:
            break
        lead = SMALLEST_LEAD
    rest = math.sqrt(max(0.0, 1.0 - height * height))
    share = min(max(share, 0.0), rest)
    streams.fill_normals(drawn.keys[game], streams.ARRIVALS, round, out)
    remove(true, dot(out, true), out)
    if error > 0.0:
        write_unit(across)
        remove(across, dot(out, across), out)
    rest = math.sqrt(max(0.0, rest * rest - share * share)) / length(out)
    for i in range(out.shape[0]):
        out[i] = rest * out[i] + share * across[i] - height * true[i]


@loop
def remove(direction: Float, amount: float, vector: Float) -> None:
    """Take ``amount`` times a direction (d,) from a vector (d,)."""
    for i in range(vector.shape[0]):
        vector[i] -= amount * direction[i]
