"""What contextual search knows the hidden point by: engines, by their names."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar, NamedTuple

import numpy as np

from agents.foundation.compiled import compiled
from agents.foundation.lanes import length
from agents.foundation.typing import Float, Int
from learners.search.ellipsoids import SLACK, cut_all, explore, first_ellipsoids, potential, thresholds_of
from learners.search.rules import guess, narrow
from learners.strategic.rules import rule_of

# The hidden point lies in the unit ball.
RADIUS = 1.0


class SearchEngine(ABC):
    """How a learner of contextual search begins, and what it promises.

    Parameters
    ----------
    exponent : float
        Of the loss.
    margin : float or None
    seed : int

    Attributes
    ----------
    state_class : type
        Whose rules are `learners.search.rules.guess` and `learners.search.rules.narrow`; its first field is
        ``weights``, and it has ``features``.
    compiled : bool
        Whether the state has compiled rules.
    guarantee : str
        What is proved, in one line.
    """

    state_class: ClassVar[type[Any]]
    compiled: ClassVar[bool] = True
    guarantee: ClassVar[str]

    def __init__(self, exponent: float, margin: float | None, seed: int) -> None:
        self.exponent, self.margin, self.seed = exponent, margin, seed

    @abstractmethod
    def begin(self, games: int, dim: int) -> Any:
        """Return the state of so many games before their first round."""

    @abstractmethod
    def potential(self, state: Any) -> Float:
        """Return (n,) what all further rounds can still cost."""


class EllipsoidSearchState(NamedTuple):
    """What one game has learned.

    Attributes
    ----------
    weights : ndarray, shape (n, S, d)
        Centres of the ellipsoids (`learners.search.ellipsoids`).
    features : ndarray, shape (n, d)
        Last guessed for.
    factors : ndarray, shape (n, S, d, d)
    volumes, thresholds, slacks : ndarray, shape (n, S)
    lies : ndarray, shape (n,), int64
        Answers that contradict earlier ones.
    """

    weights: Float
    features: Float
    factors: Float
    volumes: Float
    thresholds: Float
    slacks: Float
    lies: Int


@rule_of(EllipsoidSearchState, guess)
def _guess(state: EllipsoidSearchState, game: int) -> float:
    return ellipsoid_guess(state.weights[game], state.factors[game], state.thresholds[game], state.features[game])


@compiled
def ellipsoid_guess(centres: Float, factors: Float, thresholds: Float, query: Float) -> float:
    """Return the middle of the explored scale, as far as coarser ones and the unit ball allow it."""
    most = min(1.0, length(query))
    _, low, high, middle, _ = explore(centres, factors, thresholds, query, most, np.empty(query.shape[0]))
    # False answers may leave nothing between low and high.
    return min(max(min(max(middle, low), high), -most), most)


@rule_of(EllipsoidSearchState, narrow)
def _narrow(state: EllipsoidSearchState, game: int, guessed: float, answer: float) -> None:
    query = state.features[game]
    centres, factors, volumes = state.weights[game], state.factors[game], state.volumes[game]
    room = np.empty(query.shape[0])
    state.lies[game] += cut_all(centres, factors, volumes, state.slacks[game], query, answer, guessed, room)


class Ellipsoids(SearchEngine):
    """Slack ellipsoids at many scales."""

    state_class = EllipsoidSearchState
    guarantee = "proved: the total loss is at most the potential, of order d^2 log d, for any number of rounds"

    def _thresholds(self) -> Float:
        return thresholds_of(RADIUS)

    def begin(self, games: int, dim: int) -> EllipsoidSearchState:
        """Return ellipsoids around the unit ball."""
        thresholds = self._thresholds()
        slacks = SLACK * thresholds / dim
        centres, factors, volumes = first_ellipsoids((games,), RADIUS, slacks, dim)
        return EllipsoidSearchState(
            weights=centres,
            features=np.zeros((games, dim)),
            factors=factors,
            volumes=volumes,
            thresholds=np.tile(thresholds, (games, 1)),
            slacks=np.tile(slacks, (games, 1)),
            lies=np.zeros(games, dtype=np.int64),
        )

    def potential(self, state: EllipsoidSearchState) -> Float:
        """Return a bound on the loss of all further rounds."""
        pairs = zip(state.volumes, state.thresholds, strict=True)
        dim = state.features.shape[1]
        return np.array([potential(volumes, thresholds, self.exponent, dim) for volumes, thresholds in pairs])


class OneScale(Ellipsoids):
    """One slack ellipsoid, for a known margin."""

    guarantee = "proved: rounds whose loss exceeds the margin are at most the potential, of order d^2 log(d / margin)"

    def __init__(self, exponent: float, margin: float | None, seed: int) -> None:
        if margin is None:
            raise ValueError("engine='one-scale' must be told margin, got None")
        super().__init__(0.0, margin, seed)  # it counts rounds
        self._scale = np.array([2.0 * margin])

    def _thresholds(self) -> Float:
        return self._scale
