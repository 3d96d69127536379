"""One ellipsoid for each pair of centres, explored above a threshold: the rival that must know the horizon."""

from typing import Annotated

import numpy as np

from agents.foundation.checks import count, finite_number
from agents.foundation.typing import Float
from learners.search.centres import KCentres
from learners.search.centres_engines import OneScale
from learners.search.lifting import LARGEST_POWER, SIMILARITIES, Lift


class Threshold(OneScale):
    """One ellipsoid without a slack to speak of, for a threshold, or ``D^2 / T``."""

    slack = 1e-12
    guarantee = "proved: mistakes that cost more than the threshold are at most the potential, twice for k centres"

    def __init__(self, threshold: float | None, horizon: int, lift: Lift) -> None:
        super().__init__(0.0, 1.0, lift, True)
        self._threshold, self._horizon = threshold, horizon

    def thresholds(self, dim: int) -> Float:
        """Return the threshold (1,)."""
        return np.array([self._threshold or min(1.0, self.lift.dim(dim) ** 2 / self._horizon)])


class SingleEllipsoid(KCentres):
    """Knows each pair by one ellipsoid, which bounds nothing below its threshold.

    Parameters
    ----------
    classes : int
        Number of labels K.
    threshold : float, optional
        From which width on a query is explored, above 0; ``D^2 / T`` by default, at most 1.
    horizon : int
        T.
    similarity, p, levels, seed
        As for `KCentres`.

    Warnings
    --------
    It must know the horizon, or a threshold, below which it learns nothing: its loss there adds up. One wrong label
    voids it.

    References
    ----------
    Cohen, Lobel, Paes Leme (2020), Feature-based dynamic pricing, Management Science 66(11), whose cuts are through the
    centre; here they are where the label says.

    Examples
    --------
    >>> from learners import SingleEllipsoid
    >>> learner = SingleEllipsoid(classes=2, horizon=100)
    >>> label, state = learner.predict({"features": [1.0, 0.0], "feedback": [-1, -1], "action": [-1], "round": [0]})
    >>> state.thresholds
    array([[0.04]])
    """

    name = "single-ellipsoid"
    summary = "nearest of k centres by one ellipsoid for each pair, explored above a threshold"
    welcomes = ("horizon", "similarity", "p", "levels")

    def __init__(
        self,
        classes: int,
        threshold: Annotated[float | None, "null: D^2 / horizon"] = None,
        horizon: int = 1000,
        similarity: Annotated[str, f"one of {', '.join(SIMILARITIES)}"] = "inner",
        p: Annotated[float | None, f"null: as similarity says; up to {LARGEST_POWER:g}"] = None,
        levels: Annotated[int | None, "null: queries may lie anywhere"] = None,
        seed: int = 0,
    ) -> None:
        super().__init__(classes, similarity=similarity, p=p, levels=levels, seed=seed)
        self.threshold = None if threshold is None else finite_number("threshold", threshold, above=0.0, maximum=4.0)
        self.horizon = count("horizon", horizon, minimum=1)
        self._knowledge = Threshold(self.threshold, self.horizon, self.lift)
        self.parameters = {
            "classes": classes, "threshold": self.threshold, "horizon": self.horizon, "similarity": similarity,
            "p": p, "levels": levels, "seed": self.seed,
        }  # fmt: skip

    def _maker(self) -> type[KCentres]:
        """Return this class: it begins its states."""
        return SingleEllipsoid
