"""A learner of every kind that has a certificate, made of a radius and a margin."""

from collections.abc import Callable
from typing import Any

from learners import (
    BiasedL1,
    BiasedL2,
    ImprovingPerceptron,
    MarginPerceptron,
    Perceptron,
    StrategicPerceptronL1,
    StrategicPerceptronL2,
    UnknownCostL1Single,
    UnknownCostL2,
    UnknownMarginL2,
)

LEARNER: dict[str, Callable[[float, float], Any]] = {
    "Perceptron": lambda radius, margin: Perceptron(bias=True, learning_rate=0.3),
    "MarginPerceptron": lambda radius, margin: MarginPerceptron(0.5, learning_rate=0.3),
    "StrategicPerceptronL2": lambda radius, margin: StrategicPerceptronL2(0.3),
    "StrategicPerceptronL1": lambda radius, margin: StrategicPerceptronL1([0.3, 0.2], radius),
    "BiasedL1": lambda radius, margin: BiasedL1([0.3, 0.2], radius),
    "UnknownCostL2": UnknownCostL2,
    "UnknownMarginL2": lambda radius, margin: UnknownMarginL2(radius),
    "UnknownCostL1Single": lambda radius, margin: UnknownCostL1Single(radius, margin, 0),
    "ImprovingPerceptron": lambda radius, margin: ImprovingPerceptron(0.3),
    "BiasedL2": lambda radius, margin: BiasedL2(0.3, radius, margin),
}
