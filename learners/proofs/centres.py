"""A run against hidden centres that proves itself, however many of its labels are wrong.

It is the counterpart of `learners.proofs.certificate` for learners whose proofs bound a loss, not mistakes.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from agents.foundation.checks import finite_array, shown
from agents.foundation.typing import Float
from learners import bounds
from learners.multiclass.observation import read, revealed_label
from learners.multiclass.scores import best_other, leader
from learners.proofs.claims import ROUNDING, Claims
from learners.search.density import GAUSS, PARTICLE
from learners.search.density_centres import DensityCentres
from learners.search.lifting import INNER
from learners.search.second_order_centres import SecondOrderCentres
from learners.search.zero_sum import coordinates_of, has_direction, write_comparison, write_direction

# What the drawing of particles may add up to.
DRAWING = 0.01
# Of the state before a round.
KNOWN = ("centroid", "factors", "gained")


class CentresCertificate(Claims):
    """Watches one game of a learner of centres and checks, round by round, what the proof of its bound claims.

    Parameters
    ----------
    learner : DensityCentres or SecondOrderCentres
        For inner products.
    centres : array_like, shape (K, d)
        The hidden ones; a query's true label is that of the largest inner product.

    Attributes
    ----------
    violation : Violation or None
        The first claim that failed; nothing is checked after it.
    loss : float
        Against the true labels, so far; of densities, for queries of length 1.
    wrong : float
        How wrong the labels were, summed: what the bound pays for.
    checked : Counter of str
        How often each claim held. Of a normal density only the loss is checked, since nothing else is proved.

    Raises
    ------
    TypeError
        If no proof is known for the learner.
    ValueError
        If the centres do not fit it.

    Examples
    --------
    >>> from learners import CentresCertificate, SecondOrderCentres
    >>> learner = SecondOrderCentres(classes=2)
    >>> certificate = CentresCertificate(learner, centres=[[0.0], [1.0]])
    >>> seen = {"features": [0.5], "feedback": [-1, -1], "action": [-1], "round": [0]}
    >>> label, state = learner.predict(seen)
    >>> certificate.check(seen, state)
    >>> seen = {"features": [0.5], "feedback": [0, 1], "action": [label], "round": [1]}
    >>> label, state = learner.predict(seen, state)
    >>> certificate.check(seen, state)
    >>> certificate.loss, certificate.violation, certificate.checked["loss"]
    (0.5, None, 1)
    """

    def __init__(self, learner: DensityCentres | SecondOrderCentres, centres: ArrayLike) -> None:
        if not isinstance(learner, (DensityCentres, SecondOrderCentres)) or learner.lift.kind != INNER:
            raise TypeError(f"learner must be one for inner products whose proof is known, got {shown(learner)}")
        super().__init__()
        self._learner = learner
        self._centres = finite_array("centres", centres, (learner.classes, None))
        centred = self._centres - self._centres.mean(axis=0)
        self._norm = float(np.linalg.norm(centred))
        self._body = learner.body if isinstance(learner, DensityCentres) else ""
        self._dense = bool(self._body)
        self._ideal = coordinates_of(self._centres) / (self._norm or 1.0)
        self.loss = self.wrong = self._gained = self._gain = 0.0
        self._last: tuple[Float, Float, dict[str, Any]] | None = None

    def check(self, observation: Mapping[str, ArrayLike] | ArrayLike, state: Any) -> None:
        """Check the round that the learner has learned from in this call of ``predict``.

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
        if self._last is not None and self.violation is None and label >= 0:
            self._round += 1
            self._look(*self._last, label, state)
        known = {name: field[0].copy() for name, field in zip(state._fields, state, strict=True) if name in KNOWN}
        self._last = state.query[0].copy(), state.scores[0].copy(), known

    def _look(self, query: Float, scores: Float, before: dict[str, Any], label: int, state: Any) -> None:
        if self._dense and has_direction(query):  # its losses are those of queries of length 1
            direction = np.empty(query.shape[0])
            write_direction(query, direction)
            query = direction
        values = self._centres @ query
        true = int(np.argmax(values))
        self.loss += float(values[true] - values[leader(scores)])
        self.wrong += float(values[true] - values[label])
        if self._dense:
            self._look_at_factor(query, scores, before, label, label == true, state)
        else:
            self._claim("b' A^-1 b", float(state.target[0] @ state.target[0]), self._growth(state))
        self._claim("loss", self.loss, self.bound(state))

    def _growth(self, state: Any) -> float:
        """Return L: what ``ln det A`` has grown by, at most."""
        free = self._ideal.shape[0]
        start = float(getattr(self._learner, "regularisation")) * free  # noqa: B009
        return float(free * math.log1p(2.0 * float(state.mistakes[0]) / start))

    def _look_at_factor(
        self, query: Float, scores: Float, before: dict[str, Any], label: int, true: bool, state: Any
    ) -> None:
        """Check what the last label did to a density."""
        if state.factors[0] == before["factors"]:
            return
        erred, factor = leader(scores) != label, np.empty(self._ideal.shape[0])
        write_comparison(query, label, best_other(scores, label), float(state.slope[0]), factor)
        value, rose = 1.0 + float(factor @ self._ideal), float(state.gained[0] - before["gained"])
        self._gained += rose if true else 0.0
        if self._body == GAUSS:
            return
        log_mean = math.log1p(float(factor @ before["centroid"])) if erred else -rose
        gain = math.log(value if erred else min(1.0, value)) - log_mean
        self._gain += gain
        error = DRAWING if self._body == PARTICLE else ROUNDING
        self._claim("logarithm of a factor's mean", log_mean, error)
        self._claim("what a true label takes from the truth", -gain if true else 0.0, error)
        factors = int(state.factors[0])
        self._claim("gain of the truth", self._gain, bounds.homothety(len(factor), factors) + factors * error)

    def bound(self, state: Any) -> float:
        """Return the bound on the loss so far, a posteriori."""
        learner, dim, mistakes = self._learner, self._centres.shape[1], int(state.mistakes[0])
        if isinstance(learner, SecondOrderCentres):
            lam = learner.regularisation
            return bounds.second_order_centres(dim, learner.classes, self._norm, mistakes, lam, self.wrong)
        return bounds.density_centres(
            dim, learner.classes, self._norm, int(state.factors[0]), self.wrong, self._gained, learner.slope,
            learner.capped,
        )  # fmt: skip
