"""Learners that do not learn: constants, and the reference that knows the run's true points."""

from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from agents.costs import Cost
from agents.foundation.checks import finite_rows, flag
from agents.foundation.typing import Float
from learners.strategic.base import Learner
from learners.strategic.rules import concerns, learn, publish, rule_of, write_published


class FixedState(NamedTuple):
    """Weights (n, d) and intercept (n,) that each game publishes for ever."""

    weights: Float
    intercept: Float


@rule_of(FixedState, concerns)
def _concerns(state: FixedState, game: int, prediction: float, label: float) -> bool:
    return False


@rule_of(FixedState, learn)
def _learn(
    state: FixedState, game: int, features: Float, prediction: float, label: float, classifier: Float, eps: float
) -> bool:
    return False


@rule_of(FixedState, publish)
def _publish(state: FixedState, game: int, out: Float) -> None:
    write_published(state.weights[game], state.intercept[game], out)


class ConstantClassifier(Learner[FixedState]):
    """Accepts everybody, or nobody.

    Parameters
    ----------
    accept : bool

    Warnings
    --------
    It errs on everybody of the other label, for ever.

    Examples
    --------
    >>> from learners import ConstantClassifier
    >>> nothing = {"features": [0.0], "prediction": [0.0], "label": [0.0], "classifier": [0.0, 0.0], "round": [0.0]}
    >>> classifier, state = ConstantClassifier(accept=False).predict(nothing)
    >>> classifier
    array([ 0., -1.])
    """

    name = "constant-classifier"
    state_class = FixedState
    summary = "accepts everybody (accept=false: nobody)"

    def __init__(self, accept: bool = True) -> None:
        self.accept = flag("accept", accept)
        self.parameters = {"accept": accept}

    def initial_state(self, games: int, dim: int) -> FixedState:
        """Return the constant classifier of each game."""
        return FixedState(np.zeros((games, dim)), np.full(games, 0.0 if self.accept else -1.0))


class BestFixedClassifier(Learner[FixedState]):
    """The reference: a fixed classifier found from the run's true points, which no learner sees.

    Their maximum-margin separator, or a linear soft-margin one where none exists, raised by what individuals can reach:
    then it labels every best response as the unraised one labels the true points. Without errors where a separator
    exists; elsewhere a learner may do better, since finding the classifier with the fewest mistakes is hard.

    Parameters
    ----------
    classifier : array_like, shape (d + 1,) or (n, d + 1)
        ``[w, b]`` at any scale, one for all games or one each.

    Warnings
    --------
    It needs what nobody knows: the true points. Where no hyperplane separates them, it is not the classifier with the
    fewest mistakes, and a learner may err less often.

    Examples
    --------
    >>> from agents import L2Cost
    >>> from learners import BestFixedClassifier
    >>> learner = BestFixedClassifier.from_points([[0.0, 0.0], [2.0, 0.0]], labels=[-1, 1], cost=L2Cost(0.5))
    >>> learner.classifier  # x_1 >= 1, raised by 0.5
    array([[ 1. ,  0. , -1.5]])
    """

    name = "best-fixed-classifier"
    state_class = FixedState
    summary = "reference: a fixed classifier that knows the run's true points"
    requires = ("classifier",)

    def __init__(self, classifier: ArrayLike) -> None:
        self.classifier, _ = finite_rows("classifier", classifier)
        self.parameters = {"classifier": self.classifier.tolist()}

    @classmethod
    def from_points(cls, features: ArrayLike, labels: ArrayLike, cost: Cost) -> Self:
        """Find the reference for true ``features`` (n, d) and ``labels`` (n,) whose owners pay ``cost`` to move."""
        from learners.separators import margins

        separator = margins.max_margin(features, labels)
        if separator is None:
            separator = margins.soft_margin(features, labels)
        raised = separator.copy()
        raised[-1] -= np.max(cost.reach(separator[:-1]))
        return cls(raised)

    def initial_state(self, games: int, dim: int) -> FixedState:
        """Return the classifier of each game.

        Raises
        ------
        ValueError
            If it has another number of features, or there are neither one nor ``games`` of them.
        """
        rows = len(self.classifier)
        if rows not in (1, games) or self.classifier.shape[1] != dim + 1:
            raise ValueError(
                f"classifier must have shape ({dim + 1},) or ({games}, {dim + 1}), got {self.classifier.shape}"
            )
        _, exponents = np.frexp(np.abs(self.classifier).max(axis=1, keepdims=True))
        each = np.broadcast_to(np.ldexp(self.classifier, -exponents), (games, dim + 1))
        return FixedState(each[:, :-1].copy(), each[:, -1].copy())
