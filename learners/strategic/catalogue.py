"""The learners of strategic classification that have a name."""

from typing import Any

from learners.strategic.algorithms import ALGORITHMS
from learners.strategic.base import Learner
from learners.strategic.wrappers import EchoChecking, Patient

LEARNERS: tuple[type[Learner[Any]], ...] = (*ALGORITHMS, Patient, EchoChecking)
