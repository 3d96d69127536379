"""Parameters keep their promises over the whole range of features, from 1e-100 to 1e100."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from beyond_game import Array, play

from learners import BestFixedClassifier, Perceptron, SecondOrderStrategicPerceptron, StrategicGradient
from strategic_env import scenario

SIZES = (2.0**-326, 1.0, 2.0**332)


def mistakes(learner: Any, size: float) -> int:
    """Count the mistakes of a game in which all lengths are ``size`` times larger: nothing is rounded otherwise."""
    game = scenario("KnownL2", radius=size, margin=0.125 * size, alpha=0.25 * size)
    return sum(bool(seen.info["mistake"]) for seen in play(learner, game.make(), 200))


@pytest.mark.parametrize("bias", [False, True])
def test_a_learning_rate_changes_nothing_but_the_scale(bias: bool) -> None:
    for size in SIZES:
        counts = [mistakes(Perceptron(bias, 2.0**exponent), size) for exponent in (-132, 0, 132)]
        assert counts[0] == counts[1] == counts[2] > 0


def test_learners_learn_with_the_smallest_and_the_largest_parameters() -> None:
    for size in SIZES:
        assert mistakes(Perceptron(), size) > 20
        for largest_norm in (1e-100, 1e100):
            assert mistakes(StrategicGradient(0.25 * size, largest_norm=largest_norm), size) < 15
        for regularisation in (1e-40, 1e40):
            assert mistakes(SecondOrderStrategicPerceptron(0.25 * size, regularisation), size) < 15


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: StrategicGradient(0.3, largest_norm=1e160), "largest_norm must be at most 1e\\+100"),
        (lambda: StrategicGradient(0.3, largest_norm=1e-200), "largest_norm must be at least 1e-100"),
        (lambda: SecondOrderStrategicPerceptron(0.3, 1e-320), "regularisation must be at least 1e-40"),
        (lambda: SecondOrderStrategicPerceptron(0.3, 1e300), "regularisation must be at most 1e\\+40"),
        (lambda: Perceptron(learning_rate=1e-140), "learning_rate must be at least 1e-40"),
    ],
)
def test_parameters_out_of_range_are_one_clear_error(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


def test_a_fixed_classifier_has_any_scale() -> None:
    observation, classifier = np.zeros(8), np.array([3.0, -1.0, 0.5])
    published = BestFixedClassifier(classifier).predict(observation)[0]
    for exponent in (-1060, -600, 600, 1020):
        other = BestFixedClassifier(np.ldexp(classifier, exponent)).predict(observation)[0]
        assert (other == published).all()
    assert BestFixedClassifier([0.0, 0.0, -1e-300]).predict(observation)[0].tolist() == [0.0, 0.0, -1.0]


def least_squares(points: Array, labels: Array, regularisation: float) -> Array:
    """Return the direction of ``A^-1 b`` in exact arithmetic, by elimination."""
    d = points.shape[1]
    x = [[Fraction(value) for value in point] for point in points.tolist()]
    rows = [
        [Fraction(regularisation) * (i == j) + sum(point[i] * point[j] for point in x) for j in range(d)]
        + [sum(int(label) * point[i] for point, label in zip(x, labels, strict=True))]
        for i in range(d)
    ]
    for i in range(d):
        for k in range(d):
            if k != i:
                factor = rows[k][i] / rows[i][i]
                rows[k] = [value - factor * other for value, other in zip(rows[k], rows[i], strict=True)]
    weights = [row[-1] / row[i] for i, row in enumerate(rows)]
    largest = max(map(abs, weights))
    direction = np.array([float(value / largest) for value in weights])
    return direction / np.linalg.norm(direction)


@pytest.mark.parametrize("ratio", [1e-30, 1.0, 1e16, 1e28])
def test_second_order_weights_are_those_of_exact_arithmetic(ratio: float) -> None:
    """Whatever the ratio of the features' squares to the regularisation, with fewer points than features and more."""
    rng, regularisation = np.random.default_rng(3), 1e-20
    learner = SecondOrderStrategicPerceptron(0.0, regularisation)
    points = rng.standard_normal((12, 4)) * np.sqrt(ratio * regularisation)
    labels = rng.choice([-1.0, 1.0], 12)
    nothing = {"features": np.zeros(4), "classifier": np.zeros(5)} | dict.fromkeys(("prediction", "label"), [0.0])
    _, state = learner.predict(nothing | {"round": [0.0]})
    for at in range(12):
        seen = {"features": points[at], "label": labels[at : at + 1], "prediction": -labels[at : at + 1]}
        published, state = learner.predict(nothing | seen | {"round": [at + 1.0]}, state)
        expected = least_squares(points[: at + 1], labels[: at + 1], regularisation)
        direction = published[:-1] / np.linalg.norm(published[:-1])
        assert np.abs(direction - expected).max() < 1e-9, at
