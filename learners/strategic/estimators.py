"""Linear classifiers of scikit-learn and river as learners: fitted round by round, their coefficients published."""

import copy
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agents.foundation.checks import shown
from agents.foundation.typing import Float
from learners.strategic.observation import read

# Points that a classifier is tried on before any run, with labels -1 and +1 in turn.
TRIALS = 8


class EstimatorState(NamedTuple):
    """One estimator for each game, and whether it has learned anything."""

    estimators: list[Any]
    fitted: list[bool]


class _Kind(ABC):
    """What a library's classifiers have in common: labels in, coefficients out."""

    @abstractmethod
    def learn(self, estimator: Any, features: Float, label: float) -> Any:
        """Return the estimator after one labelled point."""

    @abstractmethod
    def coefficients(self, estimator: Any, dim: int) -> tuple[Float, float]:
        """Return weights (d,) and intercept; raise AttributeError where there are none."""

    @abstractmethod
    def accepts(self, estimator: Any, features: Float) -> bool:
        """Return what it predicts itself."""


class _ScikitLearn(_Kind):
    def learn(self, estimator: Any, features: Float, label: float) -> Any:
        return estimator.partial_fit(features[np.newaxis], [label], classes=[-1.0, 1.0])

    def coefficients(self, estimator: Any, dim: int) -> tuple[Float, float]:
        weights = np.array(estimator.coef_, dtype=np.float64).reshape(dim)
        return weights, float(np.reshape(estimator.intercept_, ()))

    def accepts(self, estimator: Any, features: Float) -> bool:
        return bool(estimator.predict(features[np.newaxis])[0] == 1.0)


class _River(_Kind):
    def learn(self, estimator: Any, features: Float, label: float) -> Any:
        estimator.learn_one(dict(enumerate(features.tolist())), label > 0.0)
        return estimator

    def coefficients(self, estimator: Any, dim: int) -> tuple[Float, float]:
        weights, intercept = estimator.weights, estimator.intercept
        return np.array([float(weights.get(at, 0.0)) for at in range(dim)]), float(intercept)

    def accepts(self, estimator: Any, features: Float) -> bool:
        return bool(estimator.predict_one(dict(enumerate(features.tolist()))))


class EstimatorLearner:
    """A classifier of scikit-learn or river as a learner; `from_estimator` makes and describes it."""

    def __init__(self, estimator: Any, kind: _Kind) -> None:
        self._estimator, self._kind = estimator, kind
        own = " ".join(repr(estimator).split())
        self.name = own if len(own) <= 60 else type(estimator).__name__

    def __repr__(self) -> str:
        return f"from_estimator({self.name})"

    def predict(
        self,
        observation: Mapping[str, ArrayLike] | NDArray[np.floating[Any]],
        state: EstimatorState | None = None,
        episode_start: ArrayLike | None = None,
        deterministic: bool = True,
    ) -> tuple[NDArray[np.floating[Any]], EstimatorState]:
        """Fit the last report to its label, where it is shown, and publish the coefficients.

        Parameters, returns and errors are those of `learners.Learner.predict`; the state holds the fitted estimators.
        """
        seen = read(observation)
        games, dim = seen.features.shape
        if state is None:
            state = EstimatorState([copy.deepcopy(self._estimator) for _ in range(games)], [False] * games)
        starts = np.broadcast_to(np.asarray(False if episode_start is None else episode_start, dtype=bool), (games,))
        published = np.zeros((games, dim + 1))
        for game in range(games):
            if starts[game]:
                state.estimators[game], state.fitted[game] = copy.deepcopy(self._estimator), False
            if seen.rounds[game] > 0.0 and seen.label[game] != 0.0:
                estimator = state.estimators[game]
                state.estimators[game] = self._kind.learn(estimator, seen.features[game], float(seen.label[game]))
                state.fitted[game] = True
            if state.fitted[game] or _is_fitted(state.estimators[game]):
                published[game] = _in_the_box(*self._kind.coefficients(state.estimators[game], dim))
        published = published.astype(seen.dtype)
        return (published if seen.batched else published[0]), state


def from_estimator(estimator: Any) -> EstimatorLearner:
    """Return a linear classifier of scikit-learn or river as a learner.

    It learns what the reports and labels say (``partial_fit``, ``learn_one``), one round at a time, and publishes its
    coefficients: it knows nothing of people who react. Before it has seen a label it accepts everybody. Each run begins
    with a copy of the estimator as it was given: one that has been fitted before goes on from there.

    Parameters
    ----------
    estimator : object
        A classifier with ``partial_fit``, ``coef_`` and ``intercept_``, as `sklearn.linear_model.SGDClassifier`, or
        with ``learn_one``, ``weights`` and ``intercept``, as `river.linear_model.LogisticRegression`.

    Returns
    -------
    EstimatorLearner
        An object that predicts, for `strategic_env.evaluate`.

    Raises
    ------
    TypeError
        If it is none of these.
    ValueError
        If its decisions are no linear function of the features.

    Examples
    --------
    >>> from sklearn.linear_model import SGDClassifier
    >>> from learners import from_estimator
    >>> from strategic_env import evaluate
    >>> learner = from_estimator(SGDClassifier(loss="perceptron", random_state=0))
    >>> results = evaluate([learner], "KnownL2", seeds=1, rounds=50)
    >>> results.runs[0].learner, results.runs[0].error
    ("SGDClassifier(loss='perceptron', random_state=0)", None)
    """
    if isinstance(estimator, type):
        raise TypeError(f"estimator must be an object such as {estimator.__name__}(), got the class")
    if callable(getattr(estimator, "partial_fit", None)):
        kind: _Kind = _ScikitLearn()
    elif callable(getattr(estimator, "learn_one", None)):
        kind = _River()
    else:
        raise TypeError(
            "estimator must learn from one person at a time: a classifier with partial_fit (scikit-learn) or learn_one "
            f"(river), got {shown(estimator)}"
        )
    _check_linear(estimator, kind)
    return EstimatorLearner(copy.deepcopy(estimator), kind)


def learns_by_itself(learner: object) -> bool:
    """Whether an object is an estimator, which predicts but is no learner yet."""
    return any(callable(getattr(learner, method, None)) for method in ("partial_fit", "learn_one"))


def _check_linear(estimator: Any, kind: _Kind) -> None:
    """Try a copy of an estimator on a few points, and compare its predictions with its coefficients."""
    dim, name = int(getattr(estimator, "n_features_in_", 2)), shown(estimator)
    points = np.random.default_rng(0).uniform(0.0, 1.0, (TRIALS, dim))  # some classifiers take no negative numbers
    tried = copy.deepcopy(estimator)
    try:
        for at, point in enumerate(points):
            tried = kind.learn(tried, point, 1.0 if at % 2 else -1.0)
    except Exception as error:  # whatever it is that a library says of what does not fit
        reason = " ".join(str(error).split())
        raise ValueError(f"estimator must learn labels -1 and +1 one by one, but {name} says: {reason}") from error
    try:
        weights, intercept = kind.coefficients(tried, dim)
    except (AttributeError, TypeError, ValueError) as error:
        raise ValueError(
            f"estimator must be linear, with one coefficient for each feature and an intercept to publish, got {name}: "
            f"{' '.join(str(error).split())}"
        ) from error
    for point in points:
        score = float(weights @ point + intercept)
        if abs(score) > 1e-9 and kind.accepts(tried, point) != (score > 0.0):
            raise ValueError(f"estimator must accept where w.x + b > 0, by its own coefficients, got {name}")


def _is_fitted(estimator: Any) -> bool:
    """Whether it was fitted before it came: scikit-learn's then have coefficients, river's some weights."""
    return hasattr(estimator, "coef_") or bool(getattr(estimator, "weights", None))


def _in_the_box(weights: Float, intercept: float) -> Float:
    """Return ``[w, b]`` times a power of two that brings it into [-1, 1]: nothing is rounded."""
    classifier = np.append(weights, intercept)
    if not np.isfinite(classifier).all():
        raise ValueError(f"the estimator's coefficients must be finite, got {classifier.tolist()}")
    if not weights.any():
        return np.append(weights, 0.0 if intercept >= 0.0 else -1.0)
    return np.asarray(np.ldexp(classifier, -np.frexp(np.abs(classifier).max())[1]))
