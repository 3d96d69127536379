"""What the Strategic Perceptron paper prints of its three examples, as data.

Ahmadi, Beyhaghi, Blum, Naggita (2021), The Strategic Perceptron: Examples 1 and 2 (Section 2.3), Example 3 (Section 8).
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from numpy.typing import ArrayLike

from learners.strategic.base import Learner
from learners.strategic.biased import BiasedL2
from learners.strategic.perceptron import Perceptron
from learners.strategic.strategic_perceptron import StrategicPerceptronL1, StrategicPerceptronL2
from strategic_env.games.strategic.scenario import Scenario

FIGURE_FILES = tuple(f"figure_{number}.png" for number in range(1, 6))


class Said(NamedTuple):
    """What the paper says of a round; None where it says nothing. Weights include the intercept, where there is one."""

    report: ArrayLike | None = None
    moved: bool | None = None
    prediction: int | None = None
    mistake: bool | None = None
    surrogate: ArrayLike | None = None
    weights: ArrayLike | None = None


class Player(NamedTuple):
    """A learner for a scenario, with its name in the paper."""

    name: str
    build: Callable[[Scenario], Learner[Any]]


class Example(NamedTuple):
    """An example of the paper.

    Attributes
    ----------
    name, scenario : str
    members : tuple of str
        Names of those who arrive, in the order of the scenario.
    fails : Player
        The learner that errs for ever.
    solves : Player or None
        The one that does not, if there is one.
    first, cycle : tuple of Said
        Of the first rounds, and of those that then repeat.
    no_bound : str
        Why no theorem bounds the mistakes of the one that solves it; empty if one does.
    shown : int
        Rounds to print.
    """

    name: str
    scenario: str
    members: tuple[str, ...]
    fails: Player
    solves: Player | None
    first: tuple[Said, ...]
    cycle: tuple[Said, ...]
    no_bound: str = ""
    shown: int = 6

    def said(self, round: int) -> Said:
        """Return what the paper says of a round, counted from 0."""
        if round < len(self.first):
            return self.first[round]
        return self.cycle[(round - len(self.first)) % len(self.cycle)]


PERCEPTRON = Player("the classic Perceptron (Algorithm 1)", lambda scenario: Perceptron())
PERCEPTRON_WITH_BIAS = Player("the Perceptron with a bias (Extension 1)", lambda scenario: Perceptron(bias=True))
ALGORITHM_2 = Player("Algorithm 2", lambda scenario: StrategicPerceptronL2.from_knowledge(scenario.knowledge))
ALGORITHM_3 = Player("Algorithm 3", lambda scenario: StrategicPerceptronL1.from_knowledge(scenario.knowledge))


def _algorithm_5(scenario: Scenario) -> BiasedL2:
    """Tell Algorithm 5 the margin, too: no scenario of a fixed sequence tells it."""
    assert scenario.truth is not None
    return BiasedL2.from_knowledge(scenario.knowledge, margin=scenario.truth.margin)


EXAMPLES = (
    Example(
        "Example 1",
        "Example1",
        ("A", "B", "C"),
        PERCEPTRON,
        ALGORITHM_2,
        first=(Said(weights=(1, 0)), Said(moved=False, prediction=1)),
        cycle=(
            Said(report=(0, -1), moved=True, prediction=1, mistake=True, weights=(1, 1)),
            Said(moved=False, prediction=-1, mistake=True, weights=(1, 0)),
        ),
    ),
    Example(
        "Example 1 with weighted l1 costs",
        "Example1L1",
        ("A", "B", "C"),
        PERCEPTRON,
        ALGORITHM_3,
        first=(),
        cycle=(Said(),),
        no_bound="Theorem 2 asks for a separator without negative weights, and every separator has one here",
    ),
    Example(
        "Example 2",
        "Example2",
        ("A", "B", "C"),
        PERCEPTRON_WITH_BIAS,
        Player("Algorithm 5", _algorithm_5),
        first=(Said(weights=(1, 0, -1)), Said(moved=False, prediction=1)),
        cycle=(
            Said(report=(1, 0), moved=True, prediction=1, mistake=True, weights=(0, 0, -2)),
            Said(moved=False, prediction=-1, mistake=True, weights=(1, 0, -1)),
        ),
    ),
    Example(
        "Example 3",
        "Example3",
        ("z0", "z1", "z2", "z3", "z4"),
        ALGORITHM_2,
        None,
        first=(Said(weights=(-4, -3)),),
        cycle=(
            Said((-1, -7), False, 1, True, (3, -4), (-7, 1)),
            Said((3, 2), False, -1, True, (3, 2), (-4, 3)),
            Said((-1, 7), False, 1, True, (3, 4), (-7, -1)),
            Said((3, -2), False, -1, True, (3, -2), (-4, -3)),
        ),
        shown=9,
    ),
)
