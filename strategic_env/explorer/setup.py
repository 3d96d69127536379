"""What is explored: points in the plane, how people answer, and who learns. All of it can be sent as JSON."""

import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, NamedTuple

import numpy as np

from agents.costs import Cost, L2Cost, WeightedL1Cost
from agents.foundation.checks import count, finite_length, finite_number, flag, one_of, shown
from agents.responses.beliefs import InTheDark, Lagged, Misperceiving
from agents.responses.individuals import BestResponse, BudgetLimited, Individual, Noisy, Truthful
from agents.responses.miss import Missing
from agents.responses.quantal import Quantal
from learners.catalogue import build
from learners.strategic.base import Learner
from learners.strategic.biased import BiasedL2
from learners.strategic.max_margin import StrategicMaxMargin
from learners.strategic.perceptron import MarginPerceptron, Perceptron
from learners.strategic.second_order import SecondOrderStrategicPerceptron
from learners.strategic.strategic_perceptron import BiasedL1, StrategicPerceptronL1, StrategicPerceptronL2
from learners.strategic.unknown_cost import UnknownCostL1Single, UnknownCostL2, UnknownMarginL2
from learners.strategic.unknown_costs_l1 import UnknownCostsL1
from strategic_env.games.strategic.builders import LISTED, ORDERS
from strategic_env.games.strategic.scenario import Scenario

MOST_POINTS = 500
LARGEST_COORDINATE = 1e6
POSITIVE, NEGATIVE = 1.0, -1.0
Point = tuple[float, float, float]  # x1, x2, label


class Choice(NamedTuple):
    """A learner to choose: what the page calls it, its class, and the parameters that are part of the choice."""

    title: str
    kind: type[Learner[Any]]
    parameters: Mapping[str, object] = {}


LITERAL: Mapping[str, object] = {"literal": True}
LEARNERS = {
    "perceptron-lecture": Choice("Perceptron, a tie is a mistake (lecture)", Perceptron, {"ties": "lecture"}),
    "perceptron": Choice("Perceptron, a tie accepts (paper)", Perceptron),
    "margin-perceptron": Choice("Margin perceptron", MarginPerceptron),
    "strategic-l2": Choice("Strategic Perceptron, l2 (Algorithm 2)", StrategicPerceptronL2),
    "strategic-l1": Choice("Strategic Perceptron, weighted l1 (Algorithm 3)", StrategicPerceptronL1),
    "strategic-l1-printed": Choice("Algorithm 3 as printed", StrategicPerceptronL1, LITERAL),
    "unknown-l2": Choice("Unknown l2 cost (Algorithm 4)", UnknownCostL2),
    "unknown-margin-l2": Choice("Unknown l2 cost and margin", UnknownMarginL2),
    "unknown-l1-single": Choice("Unknown l1 cost of one coordinate", UnknownCostL1Single),
    "unknown-l1": Choice("Unknown weighted l1 costs", UnknownCostsL1),
    "biased-l2": Choice("With a bias, l2 (Algorithm 5)", BiasedL2),
    "biased-l2-printed": Choice("Algorithm 5 as printed", BiasedL2, LITERAL),
    "biased-l1": Choice("With a bias, weighted l1 (Section 7)", BiasedL1),
    "biased-l1-printed": Choice("Section 7 as printed", BiasedL1, LITERAL),
    "second-order": Choice("Second-order Strategic Perceptron", SecondOrderStrategicPerceptron),
    "max-margin": Choice("Strategic maximum margin", StrategicMaxMargin),
}


class Answer(NamedTuple):
    """A way in which people answer: what the page calls it, what its amount is, if it has one, and what makes it."""

    title: str
    amount: str
    make: Callable[[float], Individual]


RESPONSES = {
    "best": Answer("Best response", "", lambda amount: BestResponse()),
    "truthful": Answer("Truthful: nobody moves", "", lambda amount: Truthful()),
    "limited": Answer("Pays a share of the value only", "share", BudgetLimited),
    "noisy": Answer("Misses by noise", "noise", Noisy),
    "quantal": Answer("Moves more often the better it pays", "temperature", Quantal),
    "miss": Answer("Lands beyond the boundary", "at most", lambda amount: Missing(0.0, amount)),
    "misperceived": Answer("Misjudges the weights", "error", lambda amount: Misperceiving(misperception=amount)),
    "lagged": Answer("Answers the classifier of one round ago", "", lambda amount: Lagged(1)),
    "dark": Answer("Sees only the reports of the last ten rounds", "", lambda amount: InTheDark(10)),
}
COSTS: Mapping[str, Callable[[Any], Cost]] = {"l2": L2Cost, "l1": WeightedL1Cost}


@dataclass(frozen=True)
class Setup:
    """Points, people and a learner, checked.

    Attributes
    ----------
    points : tuple of (x1, x2, label)
        Label -1 or +1.
    head : int
        So many of the first arrive once, in the beginning; the others then over and over.
    order : str
        One of `strategic_env.games.strategic.builders.ORDERS`.
    learner : str
        A key of `LEARNERS`.
    bias : bool
    learning_rate, threshold : float
        Of the learners that have such a parameter.
    cost : str
        ``"l2"`` or ``"l1"``.
    alpha : tuple of float
        One number for all coordinates or, for l1, two.
    response : str
        A key of `RESPONSES`.
    amount : float
        Of the responses that have one.

    Raises
    ------
    TypeError, ValueError
        If something is outside its limits; in one line.
    """

    points: tuple[Point, ...] = ()
    head: int = 0
    order: str = LISTED
    learner: str = "perceptron-lecture"
    bias: bool = False
    learning_rate: float = 1.0
    threshold: float = 1.0
    cost: str = "l2"
    alpha: tuple[float, ...] = (0.0,)
    response: str = "best"
    amount: float = 0.5

    def __post_init__(self) -> None:
        """Check every field, and that the learner can be told enough to play."""
        if not isinstance(self.points, tuple) or len(self.points) > MOST_POINTS:
            raise ValueError(f"points must be at most {MOST_POINTS}, got {shown(self.points)}")
        for number, point in enumerate(self.points, start=1):
            check_point(f"point {number}", point)
        count("head", self.head, maximum=max(0, len(self.points) - 1))
        one_of("order", self.order, ORDERS)
        one_of("learner", self.learner, tuple(LEARNERS))
        flag("bias", self.bias)
        finite_number("learning rate", self.learning_rate, minimum=1e-6, maximum=1e6)
        finite_length("threshold", self.threshold, above=0.0, maximum=LARGEST_COORDINATE)
        one_of("cost", self.cost, tuple(COSTS))
        one_of("response", self.response, tuple(RESPONSES))
        finite_number("amount", self.amount, minimum=0.0, maximum=1.0)
        most = 2 if self.cost == "l1" else 1
        if not isinstance(self.alpha, tuple) or not 1 <= len(self.alpha) <= most:
            allowed = "one number, or two with a comma" if most == 2 else "one number for l2 costs"
            raise ValueError(f"alpha must be {allowed}, got {shown(self.alpha)}")
        for value in self.alpha:
            finite_length("alpha", value, maximum=LARGEST_COORDINATE)

    @property
    def choice(self) -> Choice:
        """The learner that is chosen."""
        return LEARNERS[self.learner]

    @property
    def nobody_moves(self) -> bool:
        """Whether reports are the truth: the lecture's game."""
        return self.response == "truthful" or not any(self.alpha)

    def parameters(self) -> dict[str, object]:
        """Return what the learner is built with besides what it is told."""
        own = inspect.signature(self.choice.kind).parameters
        chosen = {"bias": self.bias, "learning_rate": self.learning_rate, "threshold": self.threshold}
        return {name: value for name, value in chosen.items() if name in own} | dict(self.choice.parameters)

    def scenario(self) -> Scenario:
        """Return the game of these points.

        Raises
        ------
        ValueError
            If there are none, or the reach does not fit them.
        """
        if not self.points:
            raise ValueError("there are no points: click in the plane, or load an example")
        table = np.array(self.points)
        alpha: Any = self.alpha[0] if len(self.alpha) == 1 else list(self.alpha)
        cost, individual = COSTS[self.cost](alpha), RESPONSES[self.response].make(self.amount)
        return Scenario.from_points(
            table[:, :2], table[:, 2], cost, head=self.head, order=self.order, individual=individual
        )

    def build_learner(self, scenario: Scenario) -> Learner[Any]:
        """Return the learner, told what the scenario tells.

        Raises
        ------
        ValueError
            If that is too little, or it is made for another cost.
        """
        learner: Any = build(self.choice.kind.name, scenario.knowledge, **self.parameters())
        scenario.check_learner(learner)
        return learner  # type: ignore[no-any-return]

    def to_json(self) -> str:
        """Return the setup as text."""
        return json.dumps(asdict(self), separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> "Setup":
        """Return the setup that a text describes.

        Raises
        ------
        TypeError, ValueError
            If it describes none.
        """
        entries = json.loads(text)
        names = {field.name for field in fields(cls)}
        if not isinstance(entries, dict) or not set(entries) <= names:
            raise ValueError(f"a setup must hold {', '.join(sorted(names))}, got {shown(entries)}")
        for name in {"points", "alpha"} & set(entries):
            entries[name] = _tuples(entries[name])
        return cls(**entries)


def check_point(name: str, point: object) -> None:
    """Make sure that a point lies in the plane, and has a label.

    Raises
    ------
    TypeError, ValueError
        If it does not.
    """
    if not isinstance(point, tuple) or len(point) != 3:
        raise TypeError(f"{name} must be x1, x2 and a label, got {shown(point)}")
    for what, value in zip(("x1", "x2"), point, strict=False):
        number = finite_number(f"{what} of {name}", value, minimum=-LARGEST_COORDINATE, maximum=LARGEST_COORDINATE)
        if 0.0 < abs(number) < 1.0 / LARGEST_COORDINATE:
            raise ValueError(f"{what} of {name} must be 0 or at least 1e-06 in size, got {shown(value)}")
    if finite_number(f"the label of {name}", point[2]) not in (NEGATIVE, POSITIVE):
        raise ValueError(f"the label of {name} must be -1 or +1, got {shown(point[2])}")


def _tuples(value: object) -> object:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
