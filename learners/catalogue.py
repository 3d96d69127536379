"""Every learner by its name on the command line."""

import inspect
from collections.abc import Mapping
from typing import Any

from agents.foundation.checks import perhaps, shown
from learners.multiclass.arow import Arow
from learners.multiclass.banditron import Banditron
from learners.multiclass.base import MulticlassLearner
from learners.multiclass.gappletron import Gappletron
from learners.multiclass.gaptron import Gaptron
from learners.multiclass.inverse_gap_weighting import InverseGapWeighting
from learners.multiclass.passive_aggressive import PassiveAggressive
from learners.multiclass.perceptron import MulticlassPerceptron, SecondOrderPerceptron
from learners.multiclass.pnewtron import PNewtron
from learners.multiclass.soba import SobaDiagonal
from learners.rl.saved_policy import SavedPolicy
from learners.strategic.accepted_only import AcceptedOnlyL2
from learners.strategic.base import Learner
from learners.strategic.biased import BiasedL2
from learners.strategic.fixed import BestFixedClassifier, ConstantClassifier
from learners.strategic.gradient import StrategicGradient
from learners.strategic.gradient_max_margin import GradientMaxMargin
from learners.strategic.max_margin import StrategicMaxMargin
from learners.strategic.perceptron import MarginPerceptron, Perceptron
from learners.strategic.second_order import SecondOrderStrategicPerceptron
from learners.strategic.strategic_perceptron import BiasedL1, StrategicPerceptronL1, StrategicPerceptronL2
from learners.strategic.three_stage import ThreeStageL2
from learners.strategic.unknown import UnknownCostL1Single, UnknownCostL2, UnknownMarginL2
from learners.strategic.unknown_l1 import UnknownCostsL1

_CLASSES: tuple[type[Learner[Any]], ...] = (
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
)
_MULTICLASS_CLASSES: tuple[type[MulticlassLearner[Any]], ...] = (
    Gappletron,
    InverseGapWeighting,
    Gaptron,
    Banditron,
    PNewtron,
    SobaDiagonal,
    InverseGapWeighting,
    MulticlassPerceptron,
    PassiveAggressive,
    Arow,
    SecondOrderPerceptron,
)
# Of the strategic game, and of multiclass classification.
LEARNERS = {learner.name: learner for learner in _CLASSES}
MULTICLASS_LEARNERS = {learner.name: learner for learner in _MULTICLASS_CLASSES}
# Who takes part by default, with which parameters: the Perceptron also with an intercept, as others learn one.
DEFAULTS: tuple[tuple[str, Mapping[str, object]], ...] = tuple(
    (name, parameters)
    for name in LEARNERS
    for parameters in ([{}, {"bias": True}] if name == Perceptron.name else [{}])
)
# Gappletron also with the smallest gap map, which errs less often where labels are seen whole.
MULTICLASS_DEFAULTS: tuple[tuple[str, Mapping[str, object]], ...] = tuple(
    (name, parameters)
    for name in MULTICLASS_LEARNERS
    for parameters in ([{}, {"gap_map": "minimal"}] if name == Gappletron.name else [{}])
)


def learner_class(name: str) -> type[Learner[Any]] | type[MulticlassLearner[Any]]:
    """Return the class of a learner.

    Raises
    ------
    ValueError
        If there is none of this name.
    """
    classes = LEARNERS | MULTICLASS_LEARNERS | {SavedPolicy.name: SavedPolicy}
    if not isinstance(name, str) or name not in classes:
        raise ValueError(f"learner must be one of {', '.join(classes)}, got {shown(name)}{perhaps(name, [*classes])}")
    return classes[name]


def build(name: str, knowledge: Mapping[str, object], /, **parameters: object) -> Learner[Any] | MulticlassLearner[Any]:
    """Build a learner from what a scenario tells and explicit parameters.

    Raises
    ------
    ValueError
        For an unknown learner or parameter, or one that is told too little.
    """
    chosen = learner_class(name)
    allowed = tuple(inspect.signature(chosen).parameters)
    for parameter in parameters:
        if parameter not in allowed:
            names = ", ".join(allowed) or "none"
            raise ValueError(f"{name} has no parameter {parameter!r}; it has {names}{perhaps(parameter, allowed)}")
    return chosen.from_knowledge(knowledge, **parameters)
