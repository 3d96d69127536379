"""A run of k centres by knowledge sets that proves itself, as long as no label lies."""

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from agents.foundation.checks import finite_array, shown
from agents.foundation.typing import Float
from learners.multiclass.observation import read, revealed_label
from learners.proofs.claims import Claims
from learners.search.centres import KCentres
from learners.search.centres_bodies import CentresBodiesState, judge_body
from learners.search.ellipsoids import explore
from learners.search.lifting import INNER
from learners.search.pairs import RADIUS, judge_pair, pair_of

# Names of the claims, in the order of their check.
OUTSIDE = "how far a pair's true value lies outside of what is known"
FALLS = "minus the least M + M^T"
PAID = "minus the least gain of the mixture"
LOSS = "expected loss"


class KnowledgeCertificate(Claims):
    """Watches one game of a learner of centres and checks, round by round, what the proof of its bound claims.

    A pair's knowledge set holds the true difference of its centres (`OUTSIDE`); with ``M = D - L / 2``, no entry of
    ``M + M^T`` is negative (`FALLS`), nor one of ``M v`` for the labels' chances v (`PAID`); and all that the learner
    could expect to lose so far is at most what its potential has fallen by, twice that for more than two centres
    (`LOSS`), and the finest threshold for each round. After the first false label nothing is claimed.

    Parameters
    ----------
    learner : KCentres
        For inner products, with exact bodies or ellipsoids at many scales, all of whose pairs are taught.
    centres : array_like, shape (K, d)
        The hidden ones, in the unit ball.

    Attributes
    ----------
    violation : Violation or None
        The first claim that failed; nothing is checked after it.
    loss : float
        What the learner could expect to lose so far, over its own draws, to the learner's exponent.
    void : bool
        Whether a label has been false.
    checked : Counter of str
        How often each claim held.

    Raises
    ------
    TypeError
        If no proof is known for the learner.
    ValueError
        If the centres do not fit it.

    Examples
    --------
    >>> from learners import KCentres, KnowledgeCertificate
    >>> learner = KCentres(classes=2)
    >>> certificate = KnowledgeCertificate(learner, centres=[[0.0], [1.0]])
    >>> seen = {"features": [0.5], "feedback": [-1, -1], "action": [-1], "round": [0]}
    >>> label, state = learner.predict(seen)
    >>> certificate.check(seen, state)
    >>> seen = {"features": [0.5], "feedback": [0, 1], "action": [label], "round": [1]}
    >>> label, state = learner.predict(seen, state)
    >>> certificate.check(seen, state)
    >>> certificate.loss, certificate.violation, certificate.checked["expected loss"]
    (0.5, None, 1)
    """

    def __init__(self, learner: KCentres, centres: ArrayLike) -> None:
        super().__init__()
        known = isinstance(learner, KCentres) and learner.lift.kind == INNER and learner.updates == "all"
        if not known or type(learner).name == "single-ellipsoid" or learner.engine not in ("ellipsoid", "exact"):
            raise TypeError(
                "learner must be a KCentres for inner products, with engine 'ellipsoid' or 'exact' and updates='all', "
                f"got {shown(learner)}"
            )
        self._learner = learner
        self._centres = finite_array("centres", centres, (learner.classes, None))
        if np.linalg.norm(self._centres, axis=1).max() > 1.0 + 1e-9:
            raise ValueError(f"centres must lie in the unit ball, got {shown(self._centres.tolist())}")
        self._factor = 2.0 if learner.classes > 2 else 1.0
        self._first = 0.0
        self._last: tuple[Float, Float] | None = None
        self.loss, self.void = 0.0, False

    def check(self, observation: Mapping[str, ArrayLike] | ArrayLike, state: Any) -> None:
        """Check the round that the learner has learned from in this call of ``predict``, and what it plays next.

        Parameters
        ----------
        observation : mapping or ndarray
            What the learner saw, of one game.
        state : NamedTuple of arrays
            What ``predict`` returned.

        Raises
        ------
        TypeError, ValueError
            If the observation or the state is not of the learner's game.
        """
        seen = read(observation, self._learner.classes, self._learner.classes + 1)
        self._learner.check_state(state, 1, self._centres.shape[1])
        label = revealed_label(seen.feedback[0])
        if self._last is None:
            self._first = float(self._learner.potential(state)[0])
        elif label >= 0 and not self.void and self.violation is None:
            self._round += 1
            self._look(*self._last, label, state)
        self._last = state.query[0].copy(), state.probabilities[0].copy()
        if not self.void and self.violation is None:
            self._look_ahead(state)

    def _look(self, query: Float, chances: Float, label: int, state: Any) -> None:
        """Check what a label has taught."""
        values = self._centres @ query
        if values[label] < values.max():
            self.void = True
            return
        self.loss += float(chances @ (values.max() - values) ** self._learner.exponent)
        fallen = self._first - float(self._learner.potential(state)[0])
        thresholds = state.bodies[0, 0].thresholds if isinstance(state, CentresBodiesState) else state.thresholds[0]
        unpaid = self._round * float(2.0 * thresholds[-1]) ** self._learner.exponent
        self._claim(LOSS, self.loss, self._factor * fallen + unpaid)

    def _look_ahead(self, state: Any) -> None:
        """Check what the state knows of the query that it answers, and its answer."""
        query, classes = state.query[0], self._learner.classes
        gains, outside, scale = np.zeros((classes, classes)), -np.inf, 0.0
        for label, other in combinations(range(classes), 2):
            value = float((self._centres[label] - self._centres[other]) @ query)
            low, high, (first, second) = _known(state, pair_of(label, other, classes), query)
            outside = max(outside, low - value, value - high)
            gains[label, other], gains[other, label] = first, second
            scale = max(scale, abs(first), abs(second))
        self._claim(OUTSIDE, outside, 0.0)
        least = (gains + gains.T)[~np.eye(classes, dtype=bool)].min()
        self._claim(FALLS, -float(least) / max(scale, 1.0), 0.0)
        self._claim(PAID, -float((gains @ state.probabilities[0]).min()) / max(scale, 1.0), 0.0)


def _known(state: Any, pair: int, query: Float) -> tuple[float, float, tuple[float, float]]:
    """Return between what a pair's value lies, and its two entries of M."""
    if isinstance(state, CentresBodiesState):
        body = state.bodies[0, pair]
        _, low, high = body.explore(query)
        _, falls, costs = judge_body(body, query, float(state.exponent[0]))
        return low, high, (falls[0] - 0.5 * costs[0], falls[1] - 0.5 * costs[1])
    room, found = np.empty(query.shape[0]), np.empty(5)
    ellipsoids = state.weights[0, pair], state.factors[0, pair], state.thresholds[0]
    _, low, high, _, _ = explore(*ellipsoids, query, RADIUS * float(np.linalg.norm(query)), room)
    judge_pair(*ellipsoids, state.slacks[0], query, float(state.exponent[0]), room, found)
    return float(low), float(high), (float(found[1] - 0.5 * found[3]), float(found[2] - 0.5 * found[4]))
