"""A line of the table of error rates."""

from typing import NamedTuple


class Rate(NamedTuple):
    """Error rates of one algorithm with one parameter set in one cell; a line of the CSV file."""

    feedback: str
    classes: int
    dim: int
    noise: float
    algorithm: str
    learner: str
    mean: float
    least: float
    most: float
    repetitions: int
    rounds: int
    shown: bool
