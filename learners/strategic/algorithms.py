"""The algorithms of strategic classification that have a name, which others may be built around."""

from typing import Any

from learners.strategic.accepted_only import AcceptedOnlyL2
from learners.strategic.adaptive_gradient import AdaptiveGradient
from learners.strategic.base import Learner
from learners.strategic.biased import BiasedL2
from learners.strategic.fixed import BestFixedClassifier, ConstantClassifier
from learners.strategic.gradient import StrategicGradient
from learners.strategic.gradient_max_margin import GradientMaxMargin
from learners.strategic.improving import ImprovingPerceptron
from learners.strategic.max_margin import StrategicMaxMargin
from learners.strategic.perceptron import MarginPerceptron, Perceptron
from learners.strategic.second_order import SecondOrderStrategicPerceptron
from learners.strategic.strategic_perceptron import BiasedL1, StrategicPerceptronL1, StrategicPerceptronL2
from learners.strategic.three_stage import ThreeStageL2
from learners.strategic.unknown_cost import UnknownCostL1Single, UnknownCostL2, UnknownMarginL2
from learners.strategic.unknown_costs_l1 import UnknownCostsL1

ALGORITHMS: tuple[type[Learner[Any]], ...] = (
    ConstantClassifier,
    BestFixedClassifier,
    Perceptron,
    MarginPerceptron,
    StrategicPerceptronL2,
    UnknownCostL2,
    UnknownMarginL2,
    BiasedL2,
    StrategicPerceptronL1,
    UnknownCostL1Single,
    BiasedL1,
    SecondOrderStrategicPerceptron,
    StrategicMaxMargin,
    GradientMaxMargin,
    StrategicGradient,
    AcceptedOnlyL2,
    UnknownCostsL1,
    ThreeStageL2,
    AdaptiveGradient,
    ImprovingPerceptron,
)
