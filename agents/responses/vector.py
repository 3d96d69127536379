"""Who answers another classifier than the published one, or is shifted: such reports are judged as they stand."""

import math
from typing import Any, NamedTuple

from agents.boundary import FLOAT64_EPS, scale, scaled_score, tolerance
from agents.costs import L2, prepare, write_report
from agents.foundation import streams
from agents.foundation.compiled import inlined, loop
from agents.foundation.lanes import copy, scaled_dot
from agents.foundation.selection import rule_of
from agents.foundation.typing import Float, Int, Key
from agents.responses.answers import (
    NEVER,
    OFF_THE_LINE,
    Aim,
    Answer,
    affords,
    along_the_line,
    answer,
    believe,
    believed,
    draw,
    gap_of,
    note,
    notes,
    rise_of,
    shifted,
    take_aim,
    write_answer,
)
from agents.responses.effects import slope
from agents.responses.judging import judge, price

# Everybody misjudges alike; each in its own way; misses by noise; is behind; sees reports only; some act together.
PERCEIVED, SPREAD, NOISE, LAG, DARK, TOGETHER = range(6)


class Vector(NamedTuple):
    """What people believe in, and by how much they are shifted.

    Attributes
    ----------
    kind : int
        One of those above.
    value : float
        What being accepted is worth.
    amount : float
        Standard deviation of a misperception; largest noise; chance to act together.
    span : int
        Rounds that people are behind, or of a window.
    qualified_only : bool
        Whether only those of label +1 act together.
    reach_scale, farthest : float
        The largest distance anybody moves, and the largest norm of a report.
    numbers : ndarray, shape (d,)
        What each weight is multiplied with, or the shift of those who act together.
    draws : ndarray, shape (N, block, 1 or d)
        What is drawn for each round.
    belief : ndarray, shape (N, d + 1)
        The classifier that people believe in.
    room : ndarray, shape (N, d)
        The last report, of the kinds whose report decides.
    heard : ndarray, shape (N, n, d + 1)
        Of those who are behind: classifiers that are not forgotten yet. Where only reports are seen, n = 2: sums of the
        rejected and of the accepted ones, and how many there are.
    times : ndarray, shape (N, n + 2), int64
        Since when they were published; then the places of the oldest and the newest. Or, first, the last window.
    """

    kind: int
    value: float
    amount: float
    span: int
    qualified_only: bool
    reach_scale: float
    farthest: float
    numbers: Float
    draws: Float
    belief: Float
    room: Float
    heard: Float
    times: Int


@rule_of(Vector, draw)
def _draw(response: Vector, game: int, key: Key, first: int, wanted: int) -> None:
    draws = response.draws[game]
    if response.kind == TOGETHER:
        streams.fill_scalars(key, streams.COLLECTIVE, first, draws[:wanted, 0])
    for k in range(wanted):
        if response.kind == NOISE:
            streams.fill_uniforms(key, streams.INDIVIDUAL, first + k, draws[k])
        elif response.kind == SPREAD:
            streams.fill_normals(key, streams.PERCEPTION, first + k, draws[k])


@rule_of(Vector, believe)
def _believe(response: Vector, game: int, round: int, classifier: Float) -> int:
    belief = response.belief[game]
    if response.kind == LAG:
        return hear(response.heard[game], response.times[game], response.span, round, classifier, belief)
    if response.kind == DARK:
        return close_window(response.heard[game], response.times[game], response.span, round, belief)
    copy(classifier, belief)
    if response.kind == PERCEIVED:
        for i in range(response.numbers.shape[0]):
            belief[i] *= response.numbers[i]
    return NEVER


@loop
def hear(heard: Float, times: Int, lag: int, round: int, classifier: Float, belief: Float) -> int:
    """Hear of a classifier; write the one of ``lag`` rounds ago, or of round 0; return the round of the next one."""
    size = heard.shape[0]
    oldest, newest = int(times[size]), int(times[size + 1])
    if round == 0:
        oldest = newest = 0
        times[0] = 0
        copy(classifier, heard[0])
    elif not _same(heard[newest], classifier):
        if times[newest] != round:
            newest = (newest + 1) % size
        times[newest] = round
        copy(classifier, heard[newest])
    while oldest != newest and times[(oldest + 1) % size] <= round - lag:
        oldest = (oldest + 1) % size
    times[size], times[size + 1] = oldest, newest
    copy(heard[oldest], belief)
    return NEVER if oldest == newest else int(times[(oldest + 1) % size] + lag)


@loop
def close_window(sums: Float, times: Int, window: int, round: int, belief: Float) -> int:
    """Write what a window's reports suggest once it is over, and begin the next; return the round when that ends.

    Of means c+ and c- of the accepted and the rejected that is ``w = c+ - c-`` and ``b = (|c-|^2 - |c+|^2) / 2``;
    zeros, which accept everybody, if nobody was accepted, or nobody rejected, or both means are the same.
    """
    number, d = round // window, belief.shape[0] - 1
    if round > 0 and number <= times[0]:
        return (int(times[0]) + 1) * window
    belief[:] = 0.0
    rejected, accepted = sums[0, d], sums[1, d]
    if round > 0 and number == times[0] + 1 and rejected > 0.0 and accepted > 0.0:
        moving, bias = False, 0.0
        for i in range(d):
            low, high = sums[0, i] / rejected, sums[1, i] / accepted
            belief[i] = high - low
            moving |= belief[i] != 0.0
            bias += low * low - high * high
        belief[d] = bias / 2.0 if moving else 0.0
    sums[:] = 0.0
    times[0] = number
    return (number + 1) * window


@rule_of(Vector, believed)
def _believed(response: Vector, game: int, classifier: Float) -> Float:
    belief: Float = response.belief[game]
    return belief


@rule_of(Vector, take_aim)
def _take_aim(response: Vector, game: int, norm: int, classifier: Float, budget: Float) -> Aim:
    return aim_at(response.belief[game], norm, classifier, budget, response.farthest, response.reach_scale)


@inlined
def aim_at(belief: Float, norm: int, classifier: Float, budget: Float, farthest: float, reach_scale: float) -> Aim:
    """Prepare answers to a published classifier (d + 1,) by those who believe in another one (d + 1,)."""
    d = classifier.shape[0] - 1
    prepared = prepare(norm, belief, budget)
    factor, squared_norm = scale(classifier)
    slack = tolerance(math.sqrt(squared_norm), classifier[d] * factor, farthest, reach_scale, d, FLOAT64_EPS)
    chosen, ratio = prepared.chosen, 0.0
    if norm == L2 and prepared.squared_norm > 0.0:
        ratio = scaled_dot(classifier, factor, belief, prepared.factor, d) / prepared.squared_norm
    elif norm != L2 and prepared.growth > 0.0:
        ratio = classifier[chosen] * factor / (belief[chosen] * prepared.factor)
    return Aim(prepared, _same(belief, classifier), norm, factor, ratio, slack)


@rule_of(Vector, answer)
def _answer(
    response: Vector,
    aim: Aim,
    game: int,
    place: int,
    classifier: Float,
    features: Float,
    budget: Float,
    alpha: float,
    label: float,
) -> Answer:
    kind = response.kind
    if kind == NOISE or kind == SPREAD:
        return _off_the_line(response, aim, game, place, classifier, features, budget, alpha)
    if kind == TOGETHER and response.draws[game, place, 0] < response.amount:
        if label > 0.0 or not response.qualified_only:
            return _together(response, aim, response.room[game], classifier, features, budget)
    belief = response.belief[game]
    gap, growth = gap_of(aim, belief, features), aim.prepared.growth
    accepted, moved = affords(response.value, alpha, growth, gap)
    cost = along_the_line(gap, 0.0, moved, alpha * growth)
    if not aim.exact:
        accepted = _judged(response, aim, game, classifier, features, gap, moved)
    return Answer(accepted, moved, cost, gap)


@loop
def _off_the_line(
    response: Vector,
    aim: Aim,
    game: int,
    place: int,
    classifier: Float,
    features: Float,
    budget: Float,
    alpha: float,
) -> Answer:
    """Let somebody answer who is off by numbers drawn for each feature; the report is written to the room."""
    belief, room, draws = response.belief[game], response.room[game], response.draws[game, place]
    if response.kind == SPREAD:
        _misperceive(classifier, response.amount, draws, belief)
        aim = aim_at(belief, aim.norm, classifier, budget, response.farthest, response.reach_scale)
        alpha = budget[max(aim.prepared.chosen, 0)]
    gap, growth = gap_of(aim, belief, features), aim.prepared.growth
    accepted, moved = affords(response.value, alpha, growth, gap)
    cost = along_the_line(gap, 0.0, moved, alpha * growth)
    write_report(aim.prepared, belief, features, gap, moved, room)
    if response.kind == NOISE and _shake(response.amount, aim.norm, draws, budget, room):
        return _as_it_stands(response, aim, room, classifier, features, budget)
    if not aim.exact:
        accepted = _judged(response, aim, game, classifier, features, gap, moved)
    return Answer(accepted, moved, cost, OFF_THE_LINE)


@inlined
def _judged(response: Vector, aim: Aim, game: int, classifier: Float, features: Float, gap: float, moved: bool) -> bool:
    """Whether somebody who moves for another classifier is accepted; near the boundary the report decides."""
    # Without a branch, which a processor could not foresee; only what lies very near the boundary is looked at twice.
    score = scaled_score(classifier, aim.factor, features) + gap * (aim.ratio if moved else 0.0)
    if moved & (abs(score) <= 4.0 * aim.tolerance):
        room = response.room[game]
        write_report(aim.prepared, response.belief[game], features, gap, moved, room)
        return judge(classifier, features, room, response.reach_scale)
    return score >= 0.0


@inlined
def _shake(noise: float, norm: int, draws: Float, budget: Float, report: Float) -> bool:
    """Add noise to a report where a feature can move; return whether anything changed."""
    changed = False
    for i in range(report.shape[0]):
        if budget[0 if norm == L2 else i] > 0.0:
            noisy = report[i] + noise * (2.0 * draws[i] - 1.0)
            if noisy != report[i]:  # a zero keeps its sign
                changed, report[i] = True, noisy
    return changed


@loop
def _together(response: Vector, aim: Aim, room: Float, classifier: Float, features: Float, budget: Float) -> Answer:
    for i in range(room.shape[0]):
        room[i] = features[i] + response.numbers[i]
    return _as_it_stands(response, aim, room, classifier, features, budget)


@inlined
def _as_it_stands(
    response: Vector, aim: Aim, report: Float, classifier: Float, features: Float, budget: Float
) -> Answer:
    accepted = judge(classifier, features, report, response.reach_scale)
    moved = not _same(report, features)
    return Answer(accepted, moved, price(aim.norm, features, report, budget), OFF_THE_LINE)


@inlined
def _misperceive(classifier: Float, spread: float, draws: Float, belief: Float) -> None:
    """Write the classifier with normals added to its weights, all together about ``spread`` times as long as these."""
    d = draws.shape[0]
    factor, squared_norm = scale(classifier)
    error = spread * math.sqrt(squared_norm) / math.sqrt(d)
    for i in range(d):
        shift, weight = error * draws[i], classifier[i] * factor
        belief[i] = weight + shift if shift != 0.0 else weight  # a zero keeps its sign
    belief[d] = classifier[d] * factor


@inlined
def _same(one: Float, other: Float) -> bool:
    same = True
    for i in range(one.shape[0]):
        same &= one[i] == other[i]
    return same


@rule_of(Vector, write_answer)
def _write_answer(
    response: Vector, aim: Aim, game: int, classifier: Float, features: Float, found: Answer, report: Float
) -> None:
    if math.isnan(found.step):
        copy(response.room[game], report)
    else:
        write_report(aim.prepared, response.belief[game], features, found.step, found.moved, report)


@rule_of(Vector, rise_of)
def _rise_of(response: Vector, effect: Any, game: int, aim: Aim, classifier: Float) -> float:
    return float(slope(effect, game, aim.prepared, response.belief[game]))


@rule_of(Vector, shifted)
def _shifted(response: Vector) -> bool:
    return response.kind == SPREAD or response.kind == NOISE or response.kind == TOGETHER


@rule_of(Vector, notes)
def _notes(response: Vector) -> bool:
    return response.kind == DARK


@rule_of(Vector, note)
def _note(response: Vector, game: int, accepted: bool, report: Float) -> None:
    if response.kind == DARK:
        sums, d = response.heard[game, 1 if accepted else 0], report.shape[0]
        for i in range(d):
            sums[i] += report[i]
        sums[d] += 1.0
