"""Who knows the classifier, and pays up to a fixed share of the value of being accepted."""

from typing import NamedTuple

from agents.foundation.selection import rule_of
from agents.foundation.typing import Float
from agents.responses.answers import Aim, Answer, affords, along_the_line, answer, gap_of


class Exact(NamedTuple):
    """Constants of an exact response.

    Attributes
    ----------
    share : float
        What people pay at most: 1 for best responses, 0 where nobody moves.
    """

    share: float


@rule_of(Exact, answer)
def _answer(
    response: Exact,
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
    accepted, moved = affords(response.share, alpha, growth, gap)
    return Answer(accepted, moved, along_the_line(gap, 0.0, moved, alpha * growth), gap)
