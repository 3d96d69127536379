"""Classifiers of scikit-learn and river as learners."""

import copy
from typing import Any

import numpy as np
import pytest
from river import linear_model, naive_bayes, preprocessing, tree
from sklearn import linear_model as sklinear
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.neural_network import MLPClassifier

from learners import from_estimator
from strategic_env import evaluate, scenario

LINEAR = [
    sklinear.SGDClassifier(loss="perceptron", random_state=0),
    sklinear.SGDClassifier(loss="log_loss", fit_intercept=False, random_state=0),
    sklinear.Perceptron(),
    linear_model.LogisticRegression(),
    linear_model.Perceptron(),
    linear_model.PAClassifier(),
]
NONLINEAR: list[tuple[Any, str]] = [
    (GaussianNB(), "must be linear, with one coefficient for each feature .* no attribute 'coef_'"),
    (MultinomialNB(), "must be linear"),
    (MLPClassifier(), "must be linear"),
    (sklinear.SGDRegressor(), "must learn labels -1 and \\+1 one by one, but SGDRegressor.. says: .*'classes'"),
    (
        sklinear.SGDClassifier().partial_fit([[0.0], [1.0], [2.0]], [0, 1, 2], [0, 1, 2]),
        "must learn labels -1 and \\+1 one by one",
    ),
    (tree.HoeffdingTreeClassifier(), "must be linear"),
    (naive_bayes.GaussianNB(), "must be linear"),
    (preprocessing.StandardScaler() | linear_model.LogisticRegression(), "must be linear"),
]


def observation(features: list[float], label: float, rounds: int) -> dict[str, np.ndarray[Any, Any]]:
    return {
        "features": np.array(features), "prediction": np.array([1.0]), "label": np.array([label]),
        "classifier": np.zeros(len(features) + 1), "round": np.array([float(rounds)]),
    }  # fmt: skip


@pytest.mark.parametrize("estimator", LINEAR, ids=lambda one: f"{type(one).__module__}.{type(one).__name__}")
def test_a_linear_classifier_publishes_what_it_would_predict(estimator: Any) -> None:
    rng, learner = np.random.default_rng(0), from_estimator(estimator)
    action, state = learner.predict(observation([0.0, 0.0, 0.0], 0.0, 0))
    assert (action == 0.0).all(), "it accepts everybody before it has learned"
    for t in range(1, 40):
        x = rng.standard_normal(3)
        action, state = learner.predict(observation(x.tolist(), 1.0 if x[0] > x[1] else -1.0, t), state)
    assert np.abs(action).max() <= 1.0 and (estimator.__dict__.get("coef_") is None)
    for x in rng.standard_normal((50, 3)):
        accepted = learner._kind.accepts(state.estimators[0], x)
        assert accepted == (action[:3] @ x + action[3] >= 0.0)


def test_hidden_labels_teach_nothing_and_a_batch_is_as_many_games() -> None:
    learner = from_estimator(sklinear.SGDClassifier(random_state=0))
    rows = [observation([1.0, 2.0], 1.0, 1), observation([1.0, 2.0], 0.0, 1), observation([-1.0, 0.5], -1.0, 1)]
    batch = {key: np.array([row[key] for row in rows]) for key in rows[0]}
    actions, state = learner.predict(batch)
    assert state.fitted == [True, False, True] and (actions[1] == 0.0).all()
    for row, action in zip(rows, actions, strict=True):
        np.testing.assert_array_equal(learner.predict(row)[0], action)
    forked = copy.deepcopy(state)
    _, state = learner.predict(batch | {"round": np.zeros((3, 1))}, state, np.array([True, False, False]))
    assert state.fitted == [False, False, True] and forked.fitted == [True, False, True]


def test_every_run_begins_with_the_estimator_as_it_was_given() -> None:
    estimator = sklinear.SGDClassifier(loss="perceptron", random_state=0)
    learner, game = from_estimator(estimator), scenario("KnownL2")
    together = [run.mistakes for run in evaluate([learner], game, seeds=3, rounds=80).runs]
    alone = [evaluate([learner], game, seeds=[seed], rounds=80).runs[0].mistakes for seed in range(3)]
    assert together == alone and not hasattr(estimator, "coef_")


def test_one_that_was_fitted_before_goes_on_from_there() -> None:
    fitted = sklinear.SGDClassifier(random_state=0).partial_fit([[1.0, 0.0], [-1.0, 0.0]], [1.0, -1.0], [-1.0, 1.0])
    action, _ = from_estimator(fitted).predict(observation([0.0, 0.0], 0.0, 0))
    assert action[0] > 0.0


@pytest.mark.parametrize(("estimator", "message"), NONLINEAR, ids=lambda one: str(type(one).__name__))
def test_what_is_not_linear_is_refused_with_the_reason(estimator: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        from_estimator(estimator)
    assert "\n" not in str(caught.value)


def test_what_learns_from_whole_tables_only_is_refused() -> None:
    with pytest.raises(TypeError, match="must learn from one person at a time.*LogisticRegression"):
        from_estimator(sklinear.LogisticRegression())
    with pytest.raises(TypeError, match=r"must be an object such as SGDClassifier\(\), got the class"):
        from_estimator(sklinear.SGDClassifier)


@pytest.mark.parametrize("estimator", [sklinear.SGDClassifier(), linear_model.Perceptron()])
def test_the_bench_names_the_adapter(estimator: Any) -> None:
    with pytest.raises(TypeError, match="an estimator plays as learners.from_estimator"):
        evaluate([estimator], "KnownL2", seeds=1, rounds=5)
