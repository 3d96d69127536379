"""Who moves along the same line as a best response, by two numbers a round: how far at most, and where it lands.

Such a response is decided on the gap and the two numbers, never on the report.
"""

import math
from typing import NamedTuple

from agents.boundary import FLOAT64_EPS, tolerance
from agents.costs import prepare
from agents.foundation import streams
from agents.foundation.selection import rule_of
from agents.foundation.typing import Float, Key
from agents.responses.answers import Aim, Answer, affords, along_the_line, answer, draw, gap_of, take_aim


class Scalar(NamedTuple):
    """Two numbers for each round of a block, and what they are drawn from.

    Attributes
    ----------
    value : float
        What being accepted is worth.
    temperature : float
        How undecided people are; 0: they move iff it pays.
    low, high : float
        How far beyond the boundary movers land.
    size, reach_scale : float
        Largest norm of true features, and the largest distance anybody moves.
    factor : ndarray, shape (N, block)
        What somebody pays at most.
    landing : ndarray, shape (N, block)
        How far beyond the boundary it lands, if it can pay for that.
    """

    value: float
    temperature: float
    low: float
    high: float
    size: float
    reach_scale: float
    factor: Float
    landing: Float


@rule_of(Scalar, draw)
def _draw(response: Scalar, game: int, key: Key, first: int, wanted: int) -> None:
    value, temperature, low, high = response.value, response.temperature, response.low, response.high
    factor, landing = response.factor[game], response.landing[game]
    for start in range(0, wanted, 4):
        if temperature > 0.0:
            bits = streams.philox(key, streams.REACTION, (first + start) // 4, 0)
            for word in range(4):
                factor[start + word] = max(0.0, value - temperature * math.log(streams.odds(bits[word])))
        else:
            factor[start : start + 4] = value
        if low < high:
            bits = streams.philox(key, streams.LANDING, (first + start) // 4, 0)
            for word in range(4):
                landing[start + word] = low + (high - low) * streams.unit(bits[word])
        else:
            landing[start : start + 4] = low


@rule_of(Scalar, take_aim)
def _take_aim(response: Scalar, game: int, norm: int, classifier: Float, budget: Float) -> Aim:
    prepared = prepare(norm, classifier, budget)
    d = classifier.shape[0] - 1
    length, intercept = math.sqrt(prepared.squared_norm), classifier[d] * prepared.factor
    slack = tolerance(length, intercept, response.size, response.reach_scale, d, FLOAT64_EPS)
    return Aim(prepared, True, norm, prepared.factor, 1.0, slack)


@rule_of(Scalar, answer)
def _answer(
    response: Scalar,
    aim: Aim,
    game: int,
    place: int,
    classifier: Float,
    features: Float,
    budget: Float,
    alpha: float,
    label: float,
) -> Answer:
    gap, growth = gap_of(aim, classifier, features), aim.prepared.growth
    reach = alpha * growth
    _, moved = affords(response.factor[game, place], alpha, growth, gap)
    # Nobody lands beyond what the value pays for, nor moves backwards.
    omega = min(response.landing[game, place] * growth, max(response.value * reach - gap, 0.0))
    omega = max(omega, -gap)
    omega = 0.0 if abs(omega) <= aim.tolerance else omega
    accepted = (gap <= 0.0) | (moved & (omega >= 0.0))
    return Answer(accepted, moved, along_the_line(gap, omega, moved, reach), gap + omega)
