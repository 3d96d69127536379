"""Every learner of margin-independent learning, in the order of tables."""

from typing import Any

from learners.policy import Policy
from learners.search.centres import KCentres, TwoCentres
from learners.search.contextual import ContextualSearch

LEARNERS: tuple[type[Policy[Any]], ...] = (ContextualSearch, TwoCentres, KCentres)
