"""Contextual search by a normal density over the hidden point, which false answers cannot empty."""

from typing import NamedTuple

import numpy as np

from agents.foundation.lanes import dot, length
from agents.foundation.typing import Float
from learners.search.gauss import multiply_gauss
from learners.search.rules import guess, narrow
from learners.search.search_engines import SearchEngine
from learners.search.zero_sum import has_direction, write_direction
from learners.strategic.rules import rule_of

SLOPE = 2.0 / 3.0  # b
ANY_MEAN = 2.0


class DensitySearchState(NamedTuple):
    """What one game has learned.

    Attributes
    ----------
    weights : ndarray, shape (n, d)
        The mean of the density.
    features : ndarray, shape (n, d)
        Last guessed for.
    covariance : ndarray, shape (n, d, d)
    """

    weights: Float
    features: Float
    covariance: Float


@rule_of(DensitySearchState, guess)
def _guess(state: DensitySearchState, game: int) -> float:
    return float(min(max(dot(state.weights[game], state.features[game]), -1.0), 1.0))


@rule_of(DensitySearchState, narrow)
def _narrow(state: DensitySearchState, game: int, guessed: float, answer: float) -> None:
    query = state.features[game]
    if not has_direction(query):
        return
    factor, size = np.empty(query.shape[0]), length(query)
    write_direction(query, factor)
    # 1 + eta y (<u, x> - guess), as a multiple of a factor that is 1 at the origin.
    eta = SLOPE * answer / (size + abs(guessed))
    for i in range(query.shape[0]):
        factor[i] *= eta * size / (1.0 - eta * guessed)
    multiply_gauss(state.weights[game], state.covariance[game], factor, False, ANY_MEAN)


class Density(SearchEngine):
    """A density that answers tilt by ``1 + eta y (<u, x> - guess)`` with ``eta = b / (|u| + |guess|)``."""

    state_class = DensitySearchState
    guarantee = (
        "measured: an exact density would lose at most 3.92 d ln(e (1 + T / d)) + 3.15 times what false answers lose; "
        "of the normal density in its place, nothing is proved"
    )

    def begin(self, games: int, dim: int) -> DensitySearchState:
        """Return the density with the mean and covariance of the unit ball."""
        return DensitySearchState(
            weights=np.zeros((games, dim)),
            features=np.zeros((games, dim)),
            covariance=np.repeat(np.eye(dim)[np.newaxis] / (dim + 2.0), games, axis=0),
        )

    def potential(self, state: DensitySearchState) -> Float:
        """Return infinities: its bound grows with the logarithm of the number of rounds."""
        return np.full(len(state.weights), np.inf)
