"""Sweeps over a sample until one changes nothing: how the perceptron of the lecture is trained."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from agents.costs import Cost, L2Cost, respond
from agents.foundation.checks import count, finite_features, shown, signs
from agents.foundation.typing import Float, Numbers
from learners.strategic.base import Learner


class Step(NamedTuple):
    """One point of one sweep.

    Attributes
    ----------
    sweep : int
        From 1.
    point : int
        Index into the sample.
    report : ndarray, shape (d,)
        What the learner saw.
    prediction : float
        -1 or +1.
    updated : bool
        Whether the learner changed.
    weights : ndarray, shape (d,)
        After the step; the intercept, where the learner has one, is in the state.

    Examples
    --------
    >>> from learners import Perceptron, passes
    >>> step, state = next(passes.steps(Perceptron(), features=[[-2.0, 0.0]], labels=[-1]))
    >>> step.sweep, step.point, step.prediction, step.updated, step.weights
    (1, 0, 1.0, True, array([2., 0.]))
    """

    sweep: int
    point: int
    report: Float
    prediction: float
    updated: bool
    weights: Float


class Sweeps(NamedTuple):
    """A finished training.

    Attributes
    ----------
    state : NamedTuple of arrays
        Of the one game that was played.
    updates : int
        Steps that changed the learner.
    sweeps : int
        Including the last one, which changed nothing where ``clean``.
    clean : bool

    Examples
    --------
    >>> from learners import Perceptron, passes
    >>> training = passes.sweep(Perceptron(), features=[[-2.0, 0.0], [1.0, 1.0]], labels=[-1, 1])
    >>> training.updates, training.sweeps, training.clean
    (1, 2, True)
    >>> training.state.weights[0]
    array([2., 0.])
    """

    state: Any
    updates: int
    sweeps: int
    clean: bool


class Knowledge:
    """What a learner knows, to tell whether it has learned something.

    Parameters
    ----------
    fresh, begun : NamedTuple of arrays
        Its state before and after it published for the first time. What differs, before there is anything to learn, is
        a clock, such as the number of classifiers published.

    Examples
    --------
    >>> from learners import Perceptron
    >>> from learners.strategic.passes import Knowledge
    >>> state = Perceptron().initial_state(games=1, dim=2)
    >>> knowledge = Knowledge(state, state)
    >>> state.weights[0, 0] = 1.0
    >>> knowledge.changed(state), knowledge.changed(state)
    (True, False)
    """

    def __init__(self, fresh: Any, begun: Any) -> None:
        self._fields = [at for at, (old, new) in enumerate(zip(fresh, begun, strict=True)) if (old == new).all()]
        self._known = [begun[at].copy() for at in self._fields]

    def changed(self, state: Any) -> bool:
        """Whether anything is known that was not at the last question."""
        known, self._known = self._known, [state[at].copy() for at in self._fields]
        return any((old != new).any() for old, new in zip(known, self._known, strict=True))


def steps(
    learner: Learner[Any], features: ArrayLike, labels: ArrayLike, cost: Cost | None = None
) -> Iterator[tuple[Step, Any]]:
    """Let the points of a sample arrive in their order, over and over; yield each step and the state after it.

    Parameters
    ----------
    learner : Learner
    features : array_like, shape (n, d)
        True features.
    labels : array_like, shape (n,)
        -1 or +1.
    cost : Cost, optional
        Individuals best-respond under it; by default nobody can move.

    Raises
    ------
    TypeError, ValueError
        If features and labels are no sample, or the cost differs from individual to individual.

    Examples
    --------
    Individual 0 moves to the boundary, where a Perceptron learns nothing from it, and errs on it for ever:

    >>> from itertools import islice
    >>> from agents import L2Cost
    >>> from learners import Perceptron, passes
    >>> sample = passes.steps(Perceptron(), features=[[-2.0], [1.0]], labels=[-1, 1], cost=L2Cost(3.0))
    >>> for step, state in islice(sample, 4):
    ...     print(step.sweep, step.point, step.report, step.prediction, step.weights)
    1 0 [-2.] 1.0 [2.]
    1 1 [1.] 1.0 [2.]
    2 0 [0.] 1.0 [2.]
    2 1 [1.] 1.0 [2.]
    """
    if not isinstance(learner, Learner):
        raise TypeError(f"learner must be one of this package for the strategic game, got {shown(learner)}")
    points = finite_features("features", features)
    marks = signs("labels", labels, len(points))
    cost = cost if cost is not None else L2Cost(0.0)
    if not isinstance(cost, Cost):
        raise TypeError(f"cost must be a Cost, got {shown(cost)}")
    budgets = cost.budgets(points.shape[1])
    if len(budgets) != 1:
        raise ValueError(f"cost must be the same for every individual, got {shown(cost)}")
    classifier, state = learner.predict(
        _observation(np.zeros(points.shape[1]), 0.0, 0.0, np.zeros(points.shape[1] + 1), 0)
    )
    knowledge = Knowledge(learner.initial_state(1, points.shape[1]), state)
    for number in range(2**62):
        sweep, index = divmod(number, len(points))
        report = np.empty(points.shape[1])
        accepted, _, _ = respond(cost.norm, np.asarray(classifier, np.float64), points[index], budgets[0], report)
        prediction = 1.0 if accepted else -1.0
        published = classifier
        classifier, state = learner.predict(
            _observation(report, prediction, marks[index], published, number + 1), state
        )
        yield Step(sweep + 1, index, report, prediction, knowledge.changed(state), state[0][0].copy()), state


def sweep(
    learner: Learner[Any], features: ArrayLike, labels: ArrayLike, cost: Cost | None = None, *, limit: int = 10_000
) -> Sweeps:
    """Train on a sample until a whole sweep changes nothing, or for ``limit`` sweeps.

    Parameters are those of `steps`; see `Sweeps` for what is returned.

    Examples
    --------
    >>> from learners import Perceptron, passes
    >>> passes.sweep(Perceptron(), features=[[-2.0, 0.0], [1.0, 1.0]], labels=[-1, 1])[1:]
    (1, 2, True)
    >>> passes.sweep(Perceptron(), features=[[-1.0], [-1.0]], labels=[-1, 1], limit=10).clean
    False
    """
    count("limit", limit, minimum=1)
    size = len(signs("labels", labels))
    updates = since_update = 0
    for step, state in steps(learner, features, labels, cost):
        updates += step.updated
        since_update = 0 if step.updated else since_update + 1
        if step.point == size - 1:
            clean = since_update >= size
            if clean or step.sweep == limit:
                return Sweeps(state, updates, step.sweep, clean)
    raise AssertionError("steps() never ends")


def _observation(
    features: Float, prediction: float, label: float, classifier: Numbers, played: int
) -> dict[str, Numbers]:
    return {
        "features": features,
        "prediction": np.array([prediction]),
        "label": np.array([label]),
        "classifier": classifier,
        "round": np.array([float(played)]),
    }
