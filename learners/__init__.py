"""Who publishes: the learners, their theorems' bounds, and margins of samples."""

from typing import TYPE_CHECKING

try:
    from agents.foundation.lazy import lazily
except ImportError as error:
    raise ImportError("learners needs the 'agents' of strategic_env, whose import says what is wrong") from error

DISTRIBUTION = "strategic-env"  # which this package belongs to: others install a `learners`, too

if TYPE_CHECKING:
    from learners.accepted_only import AcceptedOnlyL2 as AcceptedOnlyL2
    from learners.base import Learner as Learner
    from learners.base import Truth as Truth
    from learners.biased import BiasedL2 as BiasedL2
    from learners.certificate import Certificate as Certificate
    from learners.feedback_graph import FeedbackGraph as FeedbackGraph
    from learners.fixed import BestFixedClassifier as BestFixedClassifier
    from learners.fixed import ConstantClassifier as ConstantClassifier
    from learners.gradient import StrategicGradient as StrategicGradient
    from learners.gradient_max_margin import GradientMaxMargin as GradientMaxMargin
    from learners.max_margin import StrategicMaxMargin as StrategicMaxMargin
    from learners.multiclass.arow import Arow as Arow
    from learners.multiclass.banditron import Banditron as Banditron
    from learners.multiclass.base import MulticlassLearner as MulticlassLearner
    from learners.multiclass.gappletron import Gappletron as Gappletron
    from learners.multiclass.gaptron import Gaptron as Gaptron
    from learners.multiclass.inverse_gap_weighting import InverseGapWeighting as InverseGapWeighting
    from learners.multiclass.passive_aggressive import PassiveAggressive as PassiveAggressive
    from learners.multiclass.perceptron import MulticlassPerceptron as MulticlassPerceptron
    from learners.multiclass.perceptron import SecondOrderPerceptron as SecondOrderPerceptron
    from learners.multiclass.pnewtron import PNewtron as PNewtron
    from learners.multiclass.soba import SobaDiagonal as SobaDiagonal
    from learners.perceptron import MarginPerceptron as MarginPerceptron
    from learners.perceptron import Perceptron as Perceptron
    from learners.second_order import SecondOrderStrategicPerceptron as SecondOrderStrategicPerceptron
    from learners.strategic import BiasedL1 as BiasedL1
    from learners.strategic import StrategicPerceptronL1 as StrategicPerceptronL1
    from learners.strategic import StrategicPerceptronL2 as StrategicPerceptronL2
    from learners.three_stage import ThreeStageL2 as ThreeStageL2
    from learners.unknown import UnknownCostL1Single as UnknownCostL1Single
    from learners.unknown import UnknownCostL2 as UnknownCostL2
    from learners.unknown import UnknownMarginL2 as UnknownMarginL2
    from learners.unknown_l1 import UnknownCostsL1 as UnknownCostsL1
else:
    _HOMES = {
        "base": ("Learner", "Truth"),
        "certificate": ("Certificate",),
        "feedback_graph": ("FeedbackGraph",),
        "fixed": ("BestFixedClassifier", "ConstantClassifier"),
        "biased": ("BiasedL2",),
        "perceptron": ("MarginPerceptron", "Perceptron"),
        "strategic": ("BiasedL1", "StrategicPerceptronL1", "StrategicPerceptronL2"),
        "unknown": ("UnknownCostL1Single", "UnknownCostL2", "UnknownMarginL2"),
        "accepted_only": ("AcceptedOnlyL2",),
        "gradient": ("StrategicGradient",),
        "gradient_max_margin": ("GradientMaxMargin",),
        "max_margin": ("StrategicMaxMargin",),
        "second_order": ("SecondOrderStrategicPerceptron",),
        "three_stage": ("ThreeStageL2",),
        "unknown_l1": ("UnknownCostsL1",),
        "multiclass.arow": ("Arow",),
        "multiclass.banditron": ("Banditron",),
        "multiclass.base": ("MulticlassLearner",),
        "multiclass.gappletron": ("Gappletron",),
        "multiclass.gaptron": ("Gaptron",),
        "multiclass.inverse_gap_weighting": ("InverseGapWeighting",),
        "multiclass.passive_aggressive": ("PassiveAggressive",),
        "multiclass.perceptron": ("MulticlassPerceptron", "SecondOrderPerceptron"),
        "multiclass.pnewtron": ("PNewtron",),
        "multiclass.soba": ("SobaDiagonal",),
    }
    __all__ = [name for names in _HOMES.values() for name in names]
    __getattr__ = lazily(__name__, {name: home for home, names in _HOMES.items() for name in names})
