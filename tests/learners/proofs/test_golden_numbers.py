"""Every single number of the two perceptron papers: margins, bounds, and what one classifier gets wrong."""

import math
from typing import Any

import numpy as np
from golden import CLAIMED, GOLDEN, NUMBERS, Entry, agrees, claims

import agents
from learners import bounds
from learners.separators import margins
from strategic_env import StrategicClassificationEnv

EXAMPLE_1 = {"A": ((-1, 0), -1), "B": ((0, -1), 1), "C": ((-0.5, -1), -1)}
LECTURE = [([1, 0], 1), ([1, 1], -1), ([0, 1], -1)]
MARGIN_TASK = [([3, 1], 1), ([1, 2], 1), ([-1, -1], -1), ([0, -2], -1)]
WITH_X5 = [*MARGIN_TASK, ([4, -3], 1)]
W_A, W_B = [1, 1], [1, 2]


# Claims about one classifier


def errors(points: list[Any], classifier: list[float], alpha: float) -> list[int]:
    """Indices of the points on which a fixed classifier errs."""
    rounds = len(points)
    env = StrategicClassificationEnv(agents.FixedSequence(points, points), agents.L2Cost(alpha), horizon=rounds)
    env.reset(seed=0)
    return [t for t in range(rounds) if env.step(np.array(classifier))[4]["mistake"]]


@claims("example1_claim_w_1_half")
def test_example_1_has_a_perfect_classifier(entry: Entry) -> None:
    points = [([float(v) for v in z], y) for z, y in EXAMPLE_1.values()]
    assert errors(points, [1.0, 0.5, 0.0], 0.5) == entry["errors"]
    far = agents.L2Cost(1e3)  # everybody moves, so that costs are distances
    for (z, _), square in zip(points, entry["distances_sq"], strict=True):
        report = far.best_response(np.array(z), np.array([1.0, 0.5, 0.0]))
        assert agrees((1e3 * far.cost(np.array(z), report)) ** 2, square, False)


@claims("example3_w_1_0")
def test_example_3_by_hand(entry: Entry) -> None:
    points = [([float(v) for v in z], y) for z, y in GOLDEN["example3_alg2"]["points"]]
    assert errors(points, [1.0, 0.0, 0.0], 0.0) == entry["errors_threshold_0_truthful"]
    assert errors(points, [0.125, 0.0, -0.625], 5.0) == entry["errors_threshold_alpha_strategic"]
    assert errors(points, [1.0, 0.0, 0.0], 5.0) == entry["errors_threshold_0_strategic"]


# Margins and bounds


def arrays(points: list[Any]) -> tuple[Any, Any]:
    return np.array([[float(v) for v in z] for z, _ in points]), np.array([y for _, y in points], dtype=np.float64)


def check_best_margin(points: list[Any], entry: Any) -> None:
    """Compare R, the best direction and its margin."""
    features, labels = arrays(points)
    assert agrees(margins.radius(features) ** 2, entry["R2"], False)
    classifier = margins.max_margin(features, labels, bias=False)
    assert classifier is not None
    best = margins.margin(classifier[:-1], 0.0, features, labels)
    assert agrees(best**2, entry["best_rho2"], False)
    assert agrees(best * classifier[:-1], entry["best_direction"], False)  # as long as the margin


def check_margin(points: list[Any], w: list[float], square: Any, bound: Any) -> None:
    """Compare the margin of a given w, and Novikoff's bound with it."""
    features, labels = arrays(points)
    margin = margins.margin(w, 0.0, features, labels)
    assert agrees(margin**2, square, False)
    assert agrees(bounds.novikoff(margins.radius(features), margin), bound, False)


@claims("example1_margin")
def test_the_best_margin_of_example_1(entry: Entry) -> None:
    points = list(EXAMPLE_1.values())
    check_best_margin(points, entry)
    classifier = margins.max_margin(*arrays(points), bias=False)
    assert classifier is not None
    assert agrees(margins.margin(classifier[:-1], 0.0, *arrays(points)) ** -2, entry["wstar_norm2"], False)


@claims("lecture_hand_task_margin")
def test_margins_of_the_lectures_hand_task(entry: Entry) -> None:
    check_best_margin(LECTURE, entry)
    check_margin(LECTURE, [1, -2], entry["rho2_of_w"], entry["bound"])


@claims("lecture_margin_task")
def test_margins_of_the_lectures_margin_task(entry: Entry) -> None:
    assert [(list(z), y) for z, y in entry["points"]] == MARGIN_TASK
    check_best_margin(MARGIN_TASK, entry)
    for w, scores, square, bound in (
        (W_A, "scores_wA", "rho2_wA", "bound_wA"),
        (W_B, "scores_wB", "rho2_wB", "bound_wB"),
    ):
        distances = margins.distance(w, 0.0, *arrays(MARGIN_TASK))
        assert agrees(distances * np.linalg.norm(w), [float(score) for score in entry[scores]], False)
        check_margin(MARGIN_TASK, w, entry[square], entry[bound])
    more = entry["with_x5"]
    check_best_margin(WITH_X5, more)
    check_margin(WITH_X5, W_A, more["rho2_wA"], more["bound_wA"])
    best = margins.max_margin(*arrays(WITH_X5), bias=False)
    assert best is not None
    check_margin(WITH_X5, list(best[:-1]), more["best_rho2"], more["best_bound"])
    assert (margins.margin(W_B, 0.0, *arrays(WITH_X5)) > 0) == more["wB_separates"]


@claims("lecture_distances")
def test_distances_of_the_lecture(entry: Entry) -> None:
    mini = entry["mini"]
    for case in [*mini, entry["multiple_choice"]]:
        assert agrees(margins.margin(case["w"], 0.0, *arrays([(case["x"], case["y"])])), case["distance"], False)
    together = arrays([(case["x"], case["y"]) for case in mini])
    assert agrees(margins.margin([3, 4], 0.0, *together), entry["mini_margin"], False)


@claims("lecture_generalisation")
def test_generalisation_task_of_the_lecture(entry: Entry) -> None:
    assert agrees(bounds.generalisation(2.0, 0.5, 999), entry["n999"], False)
    assert bounds.samples_for_error(2.0, 0.5, 0.005) == entry["n_for_half_percent"]
    assert bounds.samples_for_error(2.0, 0.25, 0.005) == entry["n_after_halving_margin"]


@claims("example1_alg2_bound")
def test_theorem_1_on_example_1(entry: Entry) -> None:
    radius, margin = math.sqrt(1.25), math.sqrt(1 / 17)
    assert agrees(bounds.strategic_l2(radius, margin, 0.5, printed=True), entry["paper"], False)
    assert agrees(bounds.strategic_l2(radius, margin, 0.5), entry["tight"], False)


def test_every_number_is_claimed_by_exactly_one_test() -> None:
    assert sorted(CLAIMED[__name__]) == sorted(NUMBERS)
