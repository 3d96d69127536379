"""The log of a run in the lecture's columns, on the screen and as CSV, Markdown and LaTeX."""

import io
import re
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from agents.boundary import score
from agents.foundation.files import csv_writer
from agents.foundation.typing import Float
from learners.strategic.perceptron import Perceptron
from strategic_env.explorer.session import Session
from strategic_env.explorer.words import fraction, vector
from strategic_env.games.strategic.record import RecordedRound


class Line(NamedTuple):
    """One round of a run, for the columns of a worksheet."""

    session: Session
    number: int
    round: RecordedRound

    @property
    def product(self) -> float:
        """``y (<w, x> + b)`` of the report under what was known before the round."""
        before = self.round
        hyperplane = np.append(before.weights_before, before.intercept_before or 0.0)
        return float(before.round.true_label * score(hyperplane, before.round.report.copy())) + 0.0  # no negative zero


class Column(NamedTuple):
    """A column: its heading on the screen and in LaTeX, what a line shows, and its values by name for a CSV file."""

    heading: str
    latex: str
    text: Callable[[Line], str]
    raw: Callable[[Line], dict[str, object]]


def _yes(fact: bool) -> str:
    return "yes" if fact else "no"


def _place(name: str, values: Float) -> dict[str, object]:
    return {f"{name}{at}": float(value) for at, value in enumerate(values, start=1)}


def _weights(line: Line) -> dict[str, object]:
    bias = {} if line.round.intercept is None else {"b": line.round.intercept}
    return _place("w", line.round.weights) | bias


SWEEP = Column(
    "sweep", "sweep", lambda line: str(line.session.place(line.number)[0]),
    lambda line: {"sweep": line.session.place(line.number)[0]},
)  # fmt: skip
POINT = Column(
    "point", "point", lambda line: f"x{line.round.member + 1}", lambda line: {"point": line.round.member + 1}
)
TRUE = Column(
    "true point", "true point", lambda line: vector(line.round.round.true_features),
    lambda line: _place("z", line.round.round.true_features),
)  # fmt: skip
REPORTED = Column(
    "reported", "reported", lambda line: vector(line.round.round.report),
    lambda line: _place("x", line.round.round.report),
)  # fmt: skip
MOVED = Column(
    "moved?", "moved?", lambda line: _yes(line.round.round.moved), lambda line: {"moved": int(line.round.round.moved)}
)
PRODUCT = Column(
    "y⟨w, x⟩", r"$y\langle w, x\rangle$", lambda line: fraction(line.product), lambda line: {"product": line.product}
)
MISTAKE = Column(
    "mistake?", "mistake?", lambda line: _yes(line.session.is_mistake(line.round)),
    lambda line: {"mistake": int(line.session.is_mistake(line.round))},
)  # fmt: skip
UPDATED = Column(
    "learned?", "learned?", lambda line: _yes(line.round.updated), lambda line: {"updated": int(line.round.updated)}
)
SURROGATE = Column(
    "surrogate", "surrogate", lambda line: vector(line.round.surrogate),
    lambda line: _place("surrogate", line.round.surrogate),
)  # fmt: skip
AFTER = Column("w after", "$w$ after", lambda line: vector(line.round.weights, line.round.intercept), _weights)


def columns(session: Session) -> list[Column]:
    """Return the columns of a run: the lecture's, and where people may move, what they did."""
    moving = [] if session.setup.nobody_moves else [TRUE, REPORTED, MOVED]
    # Only the plain Perceptron learns from just what is called a mistake here.
    learning = [] if type(session.learner) is Perceptron else [UPDATED]
    surrogate = [SURROGATE] if moving else []
    return [SWEEP, POINT, *moving, PRODUCT, MISTAKE, *learning, *surrogate, AFTER]


class Worksheet:
    """The lines of a run as texts, each made once.

    Examples
    --------
    >>> from strategic_env.explorer.examples import FIRST, example
    >>> session = Session(example(FIRST))
    >>> _ = session.step(), session.step()
    >>> print(Worksheet(session).to_markdown())
    | sweep | point | y⟨w, x⟩ | mistake? | w after |
    | --- | --- | --- | --- | --- |
    | 1 | x1 | 0 | yes | (1, 0) |
    | 1 | x2 | -1 | yes | (0, -1) |
    <BLANKLINE>
    """

    def __init__(self, session: Session) -> None:
        self._session, self._columns = session, columns(session)
        self._texts: list[list[str]] = []

    @property
    def headings(self) -> list[str]:
        """The headings of the columns."""
        return [column.heading for column in self._columns]

    def line(self, number: int) -> list[str]:
        """Return the texts of a round, counted from 0."""
        for at in range(len(self._texts), number + 1):
            self._texts.append([column.text(self._line(at)) for column in self._columns])
        return self._texts[number]

    def _line(self, number: int) -> Line:
        return Line(self._session, number, self._session.game.rounds[number])

    def lines(self) -> list[list[str]]:
        """Return the texts of all rounds that are shown."""
        return [self.line(at) for at in range(self._session.shown)]

    def to_csv(self) -> str:
        """Return the rounds as CSV, with all digits of the numbers."""
        raw = [
            {key: value for column in self._columns for key, value in column.raw(self._line(at)).items()}
            for at in range(self._session.shown)
        ]
        file = io.StringIO()
        writer = csv_writer(file)
        writer.writerow(raw[0] if raw else self.headings)
        writer.writerows(line.values() for line in raw)
        return file.getvalue()

    def to_markdown(self) -> str:
        """Return the rounds as a Markdown table."""
        rows = [self.headings, ["---"] * len(self._columns), *self.lines()]
        return "".join(f"| {' | '.join(row)} |\n" for row in rows)

    def to_latex(self) -> str:
        """Return the rounds as a LaTeX tabular."""
        rows = [" & ".join(map(_latex, row)) + r" \\" for row in self.lines()]
        head = " & ".join(column.latex for column in self._columns) + r" \\ \hline"
        return "\n".join([rf"\begin{{tabular}}{{{'l' * len(self._columns)}}}", head, *rows, r"\end{tabular}", ""])


def _latex(text: str) -> str:
    """Return a cell in LaTeX: points by their number, fractions and signs as formulas."""
    if point := re.fullmatch(r"x(\d+)", text):
        return f"$x_{{{point[1]}}}$"
    if not re.search(r"\d|∞", text):
        return text
    formula = re.sub(r"(\d+)/(\d+)", r"\\frac{\1}{\2}", text).replace("∞", r"\infty")
    return f"${formula}$"
