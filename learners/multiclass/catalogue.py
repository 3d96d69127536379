"""Every learner of multiclass classification, in the order of tables."""

from typing import Any

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

LEARNERS: tuple[type[MulticlassLearner[Any]], ...] = (
    Gappletron,
    InverseGapWeighting,
    Gaptron,
    Banditron,
    PNewtron,
    SobaDiagonal,
    MulticlassPerceptron,
    PassiveAggressive,
    Arow,
    SecondOrderPerceptron,
)
