"""Every learner of margin-independent learning, in the order of tables."""

from typing import Any

from learners.policy import Policy
from learners.search.centres import KCentres, TwoCentres
from learners.search.chebyshev import ChebyshevHalving
from learners.search.contextual import ContextualSearch
from learners.search.density_centres import DensityCentres
from learners.search.nearest_past_point import NearestPastPoint
from learners.search.second_order_centres import SecondOrderCentres
from learners.search.single_ellipsoid import SingleEllipsoid

LEARNERS: tuple[type[Policy[Any]], ...] = (
    ContextualSearch,
    TwoCentres,
    KCentres,
    DensityCentres,
    SecondOrderCentres,
    ChebyshevHalving,
    SingleEllipsoid,
    NearestPastPoint,
)
