"""A lottery on the rule, announced to everybody: what the rule decides is only a chance of being accepted.

If those whom the rule rejects are accepted with probability p0, and the others with p1, then moving gains p1 - p0 of
the value of being accepted: people answer as if that were all (M. Braverman and S. Garg, "The Role of Randomness and
Noise in Strategic Classification", FORC 2020).
"""

from typing import Any, NamedTuple

from agents.foundation import streams
from agents.foundation.selection import rule_of
from agents.foundation.typing import Float, Key
from agents.responses.answers import (
    Aim,
    Answer,
    admit,
    answer,
    believe,
    believed,
    draw,
    note,
    notes,
    rise_of,
    shifted,
    take_aim,
    write_answer,
)


class Lottery(NamedTuple):
    """How people answer, and who is accepted.

    Attributes
    ----------
    inner : NamedTuple
        The response of people to whom being accepted is worth ``high - low``.
    low, high : float
        Chances of those whom the rule rejects, and accepts.
    draws : ndarray, shape (N, block)
        A uniform number in [0, 1) for each round.
    """

    inner: Any
    low: float
    high: float
    draws: Float


@rule_of(Lottery, draw)
def _draw(response: Lottery, game: int, key: Key, first: int, wanted: int) -> None:
    draw(response.inner, game, key, first, wanted)
    streams.fill_scalars(key, streams.LOTTERY, first, response.draws[game, :wanted])


@rule_of(Lottery, admit)
def _admit(response: Lottery, game: int, place: int, accepted: bool) -> bool:
    chance = response.high if accepted else response.low
    return bool(response.draws[game, place] < chance)


@rule_of(Lottery, believe)
def _believe(response: Lottery, game: int, round: int, classifier: Float) -> int:
    return int(believe(response.inner, game, round, classifier))


@rule_of(Lottery, believed)
def _believed(response: Lottery, game: int, classifier: Float) -> Float:
    return believed(response.inner, game, classifier)


@rule_of(Lottery, take_aim)
def _take_aim(response: Lottery, game: int, norm: int, classifier: Float, budget: Float) -> Aim:
    return take_aim(response.inner, game, norm, classifier, budget)


@rule_of(Lottery, answer)
def _answer(
    response: Lottery,
    aim: Aim,
    game: int,
    place: int,
    classifier: Float,
    features: Float,
    budget: Float,
    alpha: float,
    label: float,
) -> Answer:
    return answer(response.inner, aim, game, place, classifier, features, budget, alpha, label)


@rule_of(Lottery, write_answer)
def _write_answer(
    response: Lottery, aim: Aim, game: int, classifier: Float, features: Float, found: Answer, report: Float
) -> None:
    write_answer(response.inner, aim, game, classifier, features, found, report)


@rule_of(Lottery, rise_of)
def _rise_of(response: Lottery, effect: Any, game: int, aim: Aim, classifier: Float) -> float:
    return float(rise_of(response.inner, effect, game, aim, classifier))


@rule_of(Lottery, shifted)
def _shifted(response: Lottery) -> bool:
    return bool(shifted(response.inner))


@rule_of(Lottery, notes)
def _notes(response: Lottery) -> bool:
    return notes(response.inner)


@rule_of(Lottery, note)
def _note(response: Lottery, game: int, accepted: bool, report: Float) -> None:
    note(response.inner, game, accepted, report)
