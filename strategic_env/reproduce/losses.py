"""Losses of learners of centres: what a game costs them, and how they compare seed by seed."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from agents.foundation.typing import Float

LABELS, AIMED, ASKING = "labels", "aimed", "asking"


class Cell(NamedTuple):
    """A game that everybody plays.

    Attributes
    ----------
    part : str
        ``"labels"``: queries on the sphere; ``"aimed"``: queries of an adversary that knows the Perceptron;
        ``"asking"``: of one that asks whoever plays.
    dim, classes, rounds : int
    pattern : str
        Which labels are told wrongly; ``"none"`` if ``corruption``, their number, is 0.
    corruption : int
    """

    part: str
    dim: int
    classes: int
    rounds: int
    pattern: str = "none"
    corruption: int = 0


class Loss(NamedTuple):
    """One run; a line of the CSV file."""

    part: str
    dim: int
    classes: int
    rounds: int
    pattern: str
    corruption: int
    learner: str
    seed: int
    loss: float
    mistakes: int
    robust_mistakes: float
    size_of_wrong_labels: float

    @property
    def cell(self) -> Cell:
        """Where it was played."""
        return Cell(self.part, self.dim, self.classes, self.rounds, self.pattern, self.corruption)


class Interval(NamedTuple):
    """A mean over seeds, and its 95 % interval by Student's t; of one seed, the interval is the mean alone."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.mean:.2f} [{self.low:.2f}, {self.high:.2f}]"


def interval_of(values: Float) -> Interval:
    """Return the mean of values (n,) with its interval."""
    mean, size = float(values.mean()), len(values)
    if size < 2:
        return Interval(mean, mean, mean)
    from scipy.stats import t as student  # heavy

    half = float(student.ppf(0.975, size - 1)) * float(values.std(ddof=1)) / np.sqrt(size)
    return Interval(mean, mean - half, mean + half)


class Losses:
    """All runs, by cell and learner.

    Parameters
    ----------
    lines : iterable of Loss
        Of each cell and learner the same seeds.
    """

    def __init__(self, lines: Iterable[Loss]) -> None:
        self._runs: dict[Cell, dict[str, list[Loss]]] = {}
        for line in lines:
            self._runs.setdefault(line.cell, {}).setdefault(line.learner, []).append(line)

    @property
    def cells(self) -> list[Cell]:
        """All cells, as they were played."""
        return [*self._runs]

    def learners(self, cell: Cell) -> list[str]:
        """Return who played a cell."""
        return [*self._runs.get(cell, ())]

    def of(self, cell: Cell, learner: str, number: str = "loss") -> Float:
        """Return a number of every run of a learner in a cell, by seed."""
        return np.array([getattr(run, number) for run in self._runs[cell][learner]], dtype=np.float64)

    def mean(self, cell: Cell, learner: str, number: str = "loss") -> float:
        """Return the mean of a number over all runs."""
        return float(self.of(cell, learner, number).mean())

    def difference(self, cell: Cell, learner: str, rival: str) -> Interval:
        """Return by how much more a learner loses than a rival on the same seeds."""
        return interval_of(self.of(cell, learner) - self.of(cell, rival))

    def best(self, cell: Cell, learners: Sequence[str]) -> str:
        """Return who of some learners loses least in a cell, of those that played it."""
        return min((one for one in learners if one in self._runs[cell]), key=lambda one: self.mean(cell, one))
