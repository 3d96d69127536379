"""What learners of centres know each pair by: engines, by their names."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np

from agents.foundation.typing import Float
from learners.search.centres_ellipsoids import CentresState
from learners.search.ellipsoids import SLACK, first_ellipsoids, potential, thresholds_of
from learners.search.lifting import Lift
from learners.search.pairs import RADIUS


class CentresEngine(ABC):
    """How a learner of centres begins, and what it promises.

    Parameters
    ----------
    exponent : float
        Of the loss.
    margin : float or None
    lift : Lift
        How queries are lifted.
    every_pair : bool
        Whether a label teaches all its pairs.

    Attributes
    ----------
    state_class : type
        Its first field is ``weights``, and it has those of `learners.multiclass.rules`.
    compiled : bool
        Whether the state has compiled rules.
    guarantee : str
        What is proved, in one line.
    """

    state_class: ClassVar[type[Any]]
    compiled: ClassVar[bool] = True
    guarantee: ClassVar[str]

    def __init__(self, exponent: float, margin: float | None, lift: Lift, every_pair: bool) -> None:
        self.margin, self.lift, self.every_pair = margin, lift, every_pair
        self.exponent = exponent / lift.power

    @abstractmethod
    def weights_shape(self, classes: int, dim: int) -> tuple[int, ...]:
        """Return the shape of one game's weights."""

    @abstractmethod
    def begin(self, begun: dict[str, Any], games: int, classes: int, dim: int) -> Any:
        """Return the state of so many games before their first round; ``begun`` has the fields of all learners."""

    @abstractmethod
    def potential(self, state: Any) -> Float:
        """Return (n,) the potential of all pairs."""


class Ellipsoids(CentresEngine):
    """Slack ellipsoids at many scales."""

    state_class = CentresState
    slack = SLACK
    guarantee = (
        "proved: the expected total loss is at most twice the potential (two centres: once), "
        "of order k^2 d^2 log d, for any number of rounds"
    )

    def thresholds(self, dim: int) -> Float:
        """Return the widths (S,) from which on scales are explored."""
        return thresholds_of(RADIUS)

    def weights_shape(self, classes: int, dim: int) -> tuple[int, ...]:
        """Return the shape of the centres of ellipsoids."""
        return classes * (classes - 1) // 2, len(self.thresholds(dim)), self.lift.dim(dim)

    def begin(self, begun: dict[str, Any], games: int, classes: int, dim: int) -> CentresState:
        """Return ellipsoids around the ball of radius 2."""
        lifted, thresholds = self.lift.dim(dim), self.thresholds(dim)
        slacks = self.slack * thresholds / lifted
        pairs = classes * (classes - 1) // 2
        centres, factors, volumes = first_ellipsoids((games, pairs), RADIUS, slacks, lifted)
        return CentresState(
            weights=centres,
            **begun,
            query=np.zeros((games, lifted)),
            factors=factors,
            volumes=volumes,
            thresholds=np.tile(thresholds, (games, 1)),
            slacks=np.tile(slacks, (games, 1)),
            exponent=np.full(games, self.exponent),
            kind=np.full(games, self.lift.kind),
            every_pair=np.full(games, self.every_pair),
            lies=np.zeros(games, dtype=np.int64),
            mixed=np.zeros(games, dtype=np.int64),
        )

    def potential(self, state: CentresState) -> Float:
        """Return half of a bound on the expected loss of all further rounds, in the original similarity."""
        lifted, scale = state.query.shape[1], self.lift.scale(state.features.shape[1]) ** self.exponent
        rows = zip(state.volumes, state.thresholds, strict=True)
        totals = [
            sum(potential(volumes, thresholds, self.exponent, lifted) for volumes in pairs)
            for pairs, thresholds in rows
        ]
        return np.asarray(np.array(totals) * scale)


class OneScale(Ellipsoids):
    """One slack ellipsoid for each pair, for a known margin."""

    guarantee = (
        "proved: expected mistakes beyond the margin are at most twice the potential (two centres: once), "
        "of order k^2 d^2 log(d / margin)"
    )

    def __init__(self, exponent: float, margin: float | None, lift: Lift, every_pair: bool) -> None:
        if margin is None:
            raise ValueError("engine='one-scale' must be told margin, got None")
        super().__init__(0.0, margin, lift, every_pair)  # it counts mistakes

    def thresholds(self, dim: int) -> Float:
        """Return twice the margin in the lifted space."""
        return np.array([2.0 * float(self.margin or 0.0) ** self.lift.power / self.lift.scale(dim)])
