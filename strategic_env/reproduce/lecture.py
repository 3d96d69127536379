"""``reproduce lecture``: the worked tasks of the perceptron lecture as worksheets, computed and compared.

The lecture: Perceptron mistake bound (Lecture 2). Its numbers are data here; what stands next to them is computed.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from rich.table import Table
from rich.text import Text

from agents.boundary import score
from agents.foundation.typing import Float
from learners import bounds
from learners.separators import margins
from learners.strategic.passes import Sweeps, steps, sweep
from learners.strategic.perceptron import Perceptron
from strategic_env.report.layout import table
from strategic_env.reproduce.result import SILENT, Reproduced, Request, number, same, vector, verdict

HAND = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]), np.array([1.0, -1.0, -1.0])
# y <w, x> before each step, whether it is a mistake, w after it; sweep by sweep.
HAND_STEPS = (
    (0, True, (1, 0)), (-1, True, (0, -1)), (1, False, (0, -1)),
    (0, True, (1, -1)), (0, True, (0, -2)), (2, False, (0, -2)),
    (0, True, (1, -2)), (1, False, (1, -2)), (2, False, (1, -2)),
    (1, False, (1, -2)), (1, False, (1, -2)), (2, False, (1, -2)),
)  # fmt: skip
MARGIN = np.array([[3.0, 1.0], [1.0, 2.0], [-1.0, -1.0], [0.0, -2.0]]), np.array([1.0, 1.0, -1.0, -1.0])
X5 = np.array([[4.0, -3.0]]), np.array([1.0])
W_A, W_B = (1.0, 1.0), (1.0, 2.0)


class Answer(NamedTuple):
    """A question, the lecture's answer and the number that it means (None: it gives none), and what is found here.

    ``decimals`` are those of a number that the lecture rounds.
    """

    question: str
    lecture: str
    meant: ArrayLike | None
    here: ArrayLike
    decimals: int | None = None
    note: str = ""

    @property
    def agrees(self) -> bool | None:
        """Whether the lecture's answer is found; None where it gives none."""
        return None if self.meant is None else same(self.here, self.meant, self.decimals)


def reproduce(request: Request) -> Reproduced:
    """Work the lecture's tasks.

    Parameters
    ----------
    request : Request

    Returns
    -------
    Reproduced
        The worksheets. Unexpected is every number that is not the lecture's.
    """
    run, wrong = _by_hand()
    sheets = [
        ("Task 1: answers", _hand_answers()),
        ("Distances", _distances()),
        ("Task 2: margin and mistake bound", _margin_answers()),
        ("Task 3: the generalisation bound", _generalisation()),
    ]
    differing = [f"{title}: {one.question}" for title, answers in sheets for one in answers if one.agrees is False]
    return Reproduced([run, *(_sheet(*sheet) for sheet in sheets)], [], wrong + differing)


def _sheet(title: str, answers: Sequence[Answer]) -> Table:
    page = table(title, ["question", "lecture", "here", ""])
    for one in answers:
        here = number(np.asarray(one.here).item()) if np.ndim(one.here) == 0 else vector(one.here)
        page.add_row(one.question, one.lecture, here, verdict(one.agrees))
    notes = [one.note for one in answers if one.note]
    page.caption = Text("\n".join(notes)) if notes else None
    return page


def _signed(weights: ArrayLike, features: Float, labels: Float) -> Float:
    """Return ``y <w, x>`` of every point."""
    classifier = np.append(weights, 0.0)
    return np.array([label * score(classifier, point) for point, label in zip(features, labels, strict=True)])


def _by_hand() -> tuple[Table, list[str]]:
    """Run the perceptron until a sweep is clean; also say which steps are not the lecture's."""
    page = table(
        "Task 1: the perceptron by hand, from w = (0, 0)",
        ["sweep", "point", "y <w, x>", "mistake?", "w after", "lecture", ""],
    )
    weights, wrong = np.zeros(2), []
    for (step, _), (value, mistake, after) in zip(steps(Perceptron(ties="lecture"), *HAND), HAND_STEPS, strict=False):
        product = float(_signed(weights, *HAND)[step.point])
        agrees = (product, step.updated) == (value, mistake) and same(step.weights, after)
        page.add_row(
            str(step.sweep), f"x{step.point + 1}", number(product), _yes(step.updated), vector(step.weights),
            f"{value}, {_yes(mistake)}, {vector(after)}", verdict(agrees),
            end_section=step.point == len(HAND[1]) - 1,
        )  # fmt: skip
        weights = step.weights
        if not agrees:
            wrong.append(f"Task 1 (a): sweep {step.sweep}, x{step.point + 1}")
    return page, wrong


def _yes(fact: bool) -> str:
    return "yes" if fact else "no"


def _trained(eta: float) -> Sweeps:
    return sweep(Perceptron(ties="lecture", learning_rate=eta), *HAND)


def _hand_answers() -> list[Answer]:
    w = (1.0, -2.0)
    radius, margin = margins.radius(HAND[0]), margins.margin(w, 0.0, *HAND)
    once, twice, five = (_trained(eta) for eta in (1.0, 2.0, 5.0))
    return [
        Answer("(a) mistakes", "5", 5, once.updates),
        Answer("(a) final w", "(1, -2)", w, once.state.weights[0]),
        Answer("(a) sweeps, with the clean one", "4", 4, once.sweeps),
        Answer("(b) R", "sqrt(2)", math.sqrt(2.0), radius),
        Answer("(b) y <w*, x> of w* = (1, -2)", "1, 1, 2", (1, 1, 2), _signed(w, *HAND)),
        Answer("(b) margin of w*", "1/sqrt(5)", 1.0 / math.sqrt(5.0), margin),
        Answer("(b) bound R^2 / rho^2", "10", 10, bounds.novikoff(radius, margin)),
        Answer("(c) mistakes with eta = 2", "5", 5, twice.updates),
        Answer("(c) final w with eta = 2", "(2, -4)", (2, -4), twice.state.weights[0]),
        Answer("mistakes with eta = 5", "the same", once.updates, five.updates),
        Answer("final w with eta = 5", "5 times larger", 5.0 * once.state.weights[0], five.state.weights[0]),
    ]


def _distances() -> list[Answer]:
    w, points = (3.0, 4.0), (np.array([[1.0, 2.0], [1.0, -1.0]]), np.array([1.0, -1.0]))
    first, second = margins.distance(w, 0.0, *points).tolist()
    choice = margins.distance((2.0, 0.0), 0.0, [[-3.0, 1.0]], [-1.0]).item()
    scaled = margins.margin((30.0, 40.0), 0.0, *points)
    return [
        Answer("distance of (1, 2), y = +1, from w = (3, 4)", "2.2", 2.2, first),
        Answer("distance of (1, -1), y = -1", "0.2", 0.2, second),
        Answer("margin of w on the two", "0.2", 0.2, margins.margin(w, 0.0, *points)),
        Answer("margin of 10 w", "the same", 0.2, scaled),
        Answer("distance of (-3, 1), y = -1, from w = (2, 0)", "3", 3, choice),
    ]


def _margin_answers() -> list[Answer]:
    more = np.concatenate([MARGIN[0], X5[0]]), np.concatenate([MARGIN[1], X5[1]])
    radius, wider = margins.radius(MARGIN[0]), margins.radius(more[0])
    of_a, of_b, with_x5 = (margins.margin(w, 0.0, *data) for w, data in ((W_A, MARGIN), (W_B, MARGIN), (W_A, more)))
    best = margins.max_margin(*more, bias=False)
    assert best is not None
    widest = margins.margin(best[:-1], 0.0, *more)
    note = (
        f"With x5, 50 is the bound that w_A gives. The line of w = {vector(best[:-1])} has margin {number(widest)} and"
        f" gives {number(bounds.novikoff(wider, widest))}."
    )
    return [
        Answer("(a) y <w_A, x>", "4, 3, 2, 2", (4, 3, 2, 2), _signed(W_A, *MARGIN)),
        Answer("(a) margin of w_A = (1, 1)", "sqrt(2)", math.sqrt(2.0), of_a),
        Answer("(a) y <w_B, x>", "5, 5, 3, 4", (5, 5, 3, 4), _signed(W_B, *MARGIN)),
        Answer("(a) margin of w_B = (1, 2)", "1.34", 1.34, of_b, 2),
        Answer("(b) R", "sqrt(10)", math.sqrt(10.0), radius),
        Answer("(b) bound of w_A, the better one", "5", 5, bounds.novikoff(radius, of_a)),
        Answer("(b) bound of w_B", "5.6", 5.6, bounds.novikoff(radius, of_b), 1),
        Answer("(c) y <w_A, x5>: still separated", "1", (1,), _signed(W_A, *X5)),
        Answer("(c) margin of w_A with x5", "0.71", 0.71, with_x5, 2),
        Answer("(c) R with x5", "5", 5, wider),
        Answer("(c) bound of w_A with x5", "50", 50, bounds.novikoff(wider, with_x5)),
        Answer("best bound with x5", SILENT, None, bounds.novikoff(wider, widest), note=note),
    ]


def _generalisation() -> list[Answer]:
    radius, margin, error = 2.0, 0.5, 0.005
    return [
        Answer("(a) test error for n = 999", "0.016", 0.016, bounds.generalisation(radius, margin, 999)),
        Answer("(b) n for an error of 0.5%", "3199", 3199, bounds.samples_for_error(radius, margin, error)),
        Answer("(c) n with the margin halved", "12799", 12799, bounds.samples_for_error(radius, margin / 2.0, error)),
    ]
