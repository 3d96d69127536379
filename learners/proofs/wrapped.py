"""A run of a learner around a learner that proves itself: the proof inside, on the rounds that it learns from."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from agents.foundation.checks import shown
from agents.foundation.typing import Float
from learners.bounds import admits
from learners.proofs.certificate import Certificate, Violation
from learners.strategic.base import Truth
from learners.strategic.observation import read
from learners.strategic.wrappers import EchoChecking, Patient, echoes


class WrappedCertificate:
    """Watches one game of a `Patient` or `EchoChecking` learner and checks what the proof of its bound claims.

    The rounds that the learner inside learns from are a game of best responses, which a `Certificate` of it checks; in
    the others it must stay as it is, and after each of its mistakes they must be few.

    Parameters
    ----------
    learner : Patient or EchoChecking
    separator : array_like, shape (d + 1,)
        As for `Certificate`.
    truth : Truth
        Of the game that is played, with its lag or delay.

    Attributes
    ----------
    violation : Violation or None
        The first invariant that failed; nothing is checked after it. Rounds are counted as they are observed.
    mistakes, learned : int
        Mistakes that it saw, and rounds in which the learner inside changed.
    inside : Certificate
        Of the learner inside.

    Raises
    ------
    TypeError
        If it is no such learner, or no proof is known for the one inside.
    ValueError
        If learner, separator and truth do not fit each other.

    Examples
    --------
    >>> from learners import Patient, Truth, WrappedCertificate
    >>> learner = Patient("strategic-perceptron-l2", rounds=1, alpha=0.5)
    >>> truth = Truth("l2", dim=1, radius=2.0, margin=1.0, intercept=0.0, alpha=(0.5,), nonnegative=True,
    ...               response="lagged", lag=1)
    >>> certificate = WrappedCertificate(learner, separator=[1.0, 0.0], truth=truth)
    >>> seen = {"features": [-2.0], "prediction": [1.0], "label": [-1.0], "classifier": [0.0, 0.0], "round": [1.0]}
    >>> state = None
    >>> for number in (1.0, 2.0):
    ...     classifier, state = learner.predict(seen | {"round": [number]}, state)
    ...     certificate.check(seen | {"round": [number]}, true_features=[-2.0], state=state)
    >>> certificate.mistakes, certificate.learned, certificate.violation
    (2, 1, None)
    """

    def __init__(self, learner: Patient | EchoChecking, separator: ArrayLike, truth: Truth) -> None:
        if not isinstance(learner, (Patient, EchoChecking)):
            raise TypeError(f"learner must be a Patient or an EchoChecking one, got {shown(learner)}")
        lag, delay = (learner.rounds, 0) if isinstance(learner, Patient) else (0, truth.delay)
        if truth.delay > delay or (truth.response == "lagged" and truth.lag > lag):
            raise ValueError(
                f"truth must have a lag of at most {lag} and a delay of at most {delay} for {learner.name}, "
                f"got {truth.lag} and {truth.delay}"
            )
        self._learner, self._truth = learner, truth
        response = "best" if truth.response == "lagged" else truth.response
        self.inside = Certificate(learner.learner, separator, truth._replace(response=response, lag=0, delay=0))
        self._wait = max(lag, delay)
        self._state = learner.initial_state(1, truth.dim)
        self._published: Float = np.zeros(truth.dim + 1)
        self.violation: Violation | None = None
        self.mistakes = self.learned = self._round = self._numbered = 0
        self._since = self._wait  # rounds without learning since the last mistake learned from
        self.checked: Counter[str] = Counter()

    def check(self, observation: Mapping[str, ArrayLike], true_features: ArrayLike, state: Any) -> None:
        """Check a round that the learner has been told of; parameters as `Certificate.check`.

        Parameters
        ----------
        observation : mapping
            What the learner saw of the round; of one game, without a leading axis.
        true_features : array_like, shape (d,)
            The hidden truth of that round.
        state : NamedTuple of arrays
            What ``predict`` returned for this observation.

        Raises
        ------
        TypeError, ValueError
            As `Certificate.check`.
        """
        seen = read(observation)
        self._learner.check_state(state, 1, self._truth.dim)
        self._round += 1
        mistake = bool(seen.label[0] not in (0.0, seen.prediction[0]))
        self.mistakes += mistake
        if isinstance(self._learner, Patient):
            learns = bool(self._state.waiting[0] == 0)
        else:
            learns = bool(echoes(self._state.echo[0], seen.classifier[0], seen.eps))
        if self.violation is None:
            self._look(observation, true_features, state, mistake, learns)
        self._state = type(state)(*(field.copy() for field in state))

    def _look(self, observation: Any, true_features: ArrayLike, state: Any, mistake: bool, learns: bool) -> None:
        """Check a round by the proof inside if the learner there learns from it, else that nothing changes."""
        inside, before = self._learner.inside(state), self._learner.inside(self._state)
        changed = sum(float((old != new).sum()) for old, new in zip(before, inside, strict=True))
        if learns:
            self._numbered += 1
            self.inside.check(dict(observation) | {"round": [float(self._numbered)]}, true_features, inside)
            if self.inside.violation is not None:
                self.violation = self.inside.violation._replace(round=self._round)
            self.learned += mistake or changed > 0
            self._since = 0 if mistake or changed else self._since
        else:
            self._claim("20 unchanged", "numbers changed in a round that is not learned from", changed, 0.0)
            self._since += 1
            self._claim("20 few rounds left out", "rounds left out after a change", self._since, self._wait)
        self._claim("20 few mistakes", "mistakes", self.mistakes, (self._wait + 1.0) * self.learned)
        bound = self._learner.bound(self._truth)
        if bound is not None:
            fits = admits(bound, self.mistakes)
            self._claim("20 bound", "mistakes beyond the bound", 0.0 if fits else self.mistakes - bound, 0.0)

    def _claim(self, name: str, quantity: str, value: float, limit: float) -> None:
        if value <= limit:
            self.checked[name] += 1
        elif self.violation is None:
            self.violation = Violation(name, self._round, {quantity: value, "at most": limit})

    def raise_if_violated(self) -> None:
        """Raise an AssertionError that tells the violation, if there is one."""
        if self.inside.violation is not None:
            self.inside.raise_if_violated()
        if self.violation is not None:
            what, round, details = self.violation
            numbers = ", ".join(f"{name} {value!r}" for name, value in details.items())
            raise AssertionError(f"invariant {what} fails in round {round}: {numbers}")
