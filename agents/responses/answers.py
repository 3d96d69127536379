"""How people answer, in compiled code: *the class of a response selects the rule*, as a learner's state does.

A response is a NamedTuple for N games: `exact.Exact` (constants), `scalar.Scalar` (numbers drawn for each round) or
`vector.Vector` (another classifier than the published one, or a shift). Every form of the game calls `respond_as`, or
the rules beneath it.
"""

import math
from functools import singledispatch
from typing import Any, NamedTuple

from agents.boundary import scaled_score
from agents.costs import Prepared, moves, prepare, write_report
from agents.foundation.compiled import inlined, loop
from agents.foundation.selection import INLINED, PLAIN, rule_for_others
from agents.foundation.typing import Float, Int, Key
from agents.responses.effects import slope

# The round of "never again".
NEVER = 2**62
# The step of an answer whose report does not lie on the line of the classifier that ``aim`` was taken at.
OFF_THE_LINE = math.nan


class Aim(NamedTuple):
    """What answers need of a classifier alone.

    Attributes
    ----------
    prepared : Prepared
        Of the classifier that they believe in.
    exact : bool
        Whether that is the published one, bit for bit.
    norm : int
        2 for l2, 1 for weighted l1.
    factor : float
        What the published classifier is multiplied with.
    ratio : float
        By how much the published score grows where the believed one grows by 1.
    tolerance : float
        The rounding of a published score (`agents.boundary.tolerance`); 0 where nobody needs it.
    """

    prepared: Prepared
    exact: bool
    norm: int
    factor: float
    ratio: float
    tolerance: float


class Answer(NamedTuple):
    """How somebody answers.

    Attributes
    ----------
    accepted, moved : bool
    cost : float
        What it costs, in units of the value of being accepted.
    step : float
        By how much the score of the believed classifier rises; `OFF_THE_LINE` if only `write_answer` knows the report.
    """

    accepted: bool
    moved: bool
    cost: float
    step: float


@singledispatch
def draw(response: Any, game: int, key: Key, first: int, wanted: int) -> None:
    """Draw what the rounds from ``first`` on need, ``wanted`` of them; both are multiples of 4."""


@singledispatch
def believe(response: Any, game: int, round: int, classifier: Float) -> int:
    """Hear in round ``round`` what is published; return the round in which to ask again if nothing else is."""
    return NEVER


@singledispatch
def believed(response: Any, game: int, classifier: Float) -> Float:
    """Return the classifier (d + 1,) that people believe in: the published one, if there is no other rule."""
    return classifier


@singledispatch
def take_aim(response: Any, game: int, norm: int, classifier: Float, budget: Float) -> Aim:
    """Prepare answers to a published classifier (d + 1,)."""
    prepared = prepare(norm, classifier, budget)
    return Aim(prepared, True, norm, prepared.factor, 1.0, 0.0)


@singledispatch
def answer(
    response: Any,
    aim: Aim,
    game: int,
    place: int,
    classifier: Float,
    features: Float,
    budget: Float,
    alpha: float,
    label: float,
) -> Answer:
    """Let the individual of place ``place`` of a block of rounds answer; ``alpha`` as `alpha_of`.

    Its ``label`` is -1 or +1; 0 where nobody knows.
    """
    raise NotImplementedError(f"no rule answers for a {type(response).__name__}")


@singledispatch
def write_answer(
    response: Any, aim: Aim, game: int, classifier: Float, features: Float, found: Answer, report: Float
) -> None:
    """Write the report (d,) of the answer that has just been found."""
    write_report(aim.prepared, believed(response, game, classifier), features, found.step, found.moved, report)


@singledispatch
def rise_of(response: Any, effect: Any, game: int, aim: Aim, classifier: Float) -> float:
    """Return by how much a separator's score rises where that of the classifier which people follow rises by 1."""
    return slope(effect, game, aim.prepared, classifier)


@singledispatch
def shifted(response: Any) -> bool:
    """Whether reports lie elsewhere than on the line along which people aim: what they change, only they tell."""
    return False


@singledispatch
def notes(response: Any) -> bool:
    """Whether people look at what others report (`note`)."""
    return False


@singledispatch
def note(response: Any, game: int, accepted: bool, report: Float) -> None:
    """Note that a report (d,) was accepted, or not."""


@singledispatch
def admit(response: Any, game: int, place: int, accepted: bool) -> bool:
    """Whether somebody gets in whom the rule accepts, or not: a lottery may decide otherwise (`lottery.Lottery`)."""
    return accepted


INLINED.update({believed, take_aim, answer, write_answer, rise_of, shifted, notes, note, admit})
PLAIN.update({draw, believe, believed, take_aim, answer, write_answer, rise_of, shifted, notes, note, admit})
for _stub in (draw, believe, believed, take_aim, write_answer, rise_of, shifted, notes, note, admit):
    rule_for_others(_stub)


@inlined
def alpha_of(aim: Aim, budget: Float) -> float:
    """Return how far an individual moves for a cost of 1, along the line on which it moves."""
    return float(budget[max(aim.prepared.chosen, 0)])


@inlined
def gap_of(aim: Aim, classifier: Float, features: Float) -> float:
    """Return how far somebody is from acceptance by the classifier that ``aim`` was taken at."""
    return -scaled_score(classifier, aim.prepared.factor, features)


@inlined
def along_the_line(gap: float, omega: float, moved: bool, reach: float) -> float:
    """Return what it costs to move across the gap and by ``omega`` beyond; without a branch."""
    return (max(0.0, gap + omega) if moved else 0.0) / (reach if reach > 0.0 else 1.0)


@inlined
def affords(share: float, alpha: float, growth: float, gap: float) -> tuple[bool, bool]:
    """Return whether somebody who pays up to a ``share`` is accepted if it can be, and whether it moves for that."""
    affordable = (share * alpha) * growth
    return gap <= affordable, moves(gap, affordable)


@inlined
def respond_as(
    response: Any,
    game: int,
    place: int,
    round: int,
    norm: int,
    classifier: Float,
    features: Float,
    budget: Float,
    label: float,
    report: Float,
) -> tuple[Answer, Aim]:
    """Let the individual of round ``round`` of one game, at ``place`` in its block, answer; return that and its aim.

    Parameters
    ----------
    response : NamedTuple
        How people answer.
    game, place, round : int
    norm : int
        2 for l2, 1 for weighted l1.
    classifier : ndarray, shape (d + 1,)
        ``[w, b]`` as published.
    features : ndarray, shape (d,)
        Where the individual stands.
    budget : ndarray, shape (1,) or (d,)
        alpha, or alpha_i.
    label : float
        -1 or +1; 0 where nobody knows.
    report : ndarray, shape (d,)
        Overwritten with the answer.
    """
    believe(response, game, round, classifier)
    aim = take_aim(response, game, norm, classifier, budget)
    found = answer(response, aim, game, place, classifier, features, budget, alpha_of(aim, budget), label)
    write_answer(response, aim, game, classifier, features, found, report)
    return found, aim


@loop
def draw_games(response: Any, keys: Key, rounds: Int, size: int, wanted: int) -> None:
    """Draw for all games that stand at the first round of a block of ``size`` rounds (`arrivals.fill_games`)."""
    for game in range(rounds.shape[0]):
        if rounds[game] & (size - 1) == 0:
            draw(response, game, keys[game], rounds[game], wanted)


@loop
def note_one(response: Any, accepted: bool, report: Float) -> None:
    """Let everybody of the only game see that a report (d,) was accepted, or not."""
    note(response, 0, accepted, report)


@loop
def answer_seat(
    response: Any,
    place: int,
    round: int,
    norm: int,
    classifier: Float,
    features: Float,
    budget: Float,
    label: float,
    report: Float,
) -> Answer:
    """Let one individual of the only game answer (`respond_as`)."""
    found, _ = respond_as(response, 0, place, round, norm, classifier, features, budget, label, report)
    return found


@loop
def answer_one(
    response: Any, place: int, round: int, norm: int, classifier: Float, features: Float, budget: Float, report: Float
) -> Answer:
    """As `answer_seat`, as if the classifier had been published all the time, and nobody knew the label."""
    believe(response, 0, 0, classifier)
    found, _ = respond_as(response, 0, place, round, norm, classifier, features, budget, 0.0, report)
    return found
