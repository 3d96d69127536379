"""Margins of a sample: the lecture's numbers, brute force, an independent solver, invariances and bad arguments."""

import itertools
import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import linprog, minimize

from learners.bounds import admits, generalisation, novikoff
from learners.separators.margins import attains, distance, leave_one_out, margin, max_margin, radius, soft_margin
from learners.separators.solvers import L1_PRICE

GOLDEN = json.loads((Path(__file__).parents[2] / "reference" / "data" / "strategic_golden.json").read_text())


def numbers(texts):
    return np.array([float(Fraction(text)) for text in texts])


def sample(pairs):
    return np.array([numbers(z) for z, _ in pairs]), np.array([y for _, y in pairs])


def random_sample(rng, count, dim, gap, bias):
    """Draw points at least ``gap`` from a random hyperplane, some of them exactly there."""
    normal = rng.normal(size=dim)
    normal /= np.linalg.norm(normal)
    offset = float(bias) * rng.normal() * 0.2
    points = rng.normal(size=(count, dim))
    scores = points @ normal + offset
    labels = np.where(scores >= 0.0, 1, -1)
    pushed = np.maximum(np.abs(scores), gap)
    pushed[: 3 * dim] = gap
    return points + ((pushed - np.abs(scores)) * labels)[:, None] * normal, labels


def brute_force_margin(points, labels, bias):
    """Try the normal that every small set of support points determines; None if none separates."""
    best = None
    for size in range(1, points.shape[1] + 2):
        for chosen in map(list, itertools.combinations(range(len(points)), size)):
            rows, targets = points[chosen], labels[chosen].astype(float)
            if bias:
                rows, targets = rows - rows.mean(axis=0), targets - targets.mean()
            normal = np.linalg.lstsq(rows, targets, rcond=None)[0]
            if np.linalg.norm(normal) < 1e-9:
                continue
            scores = points @ normal
            offset = -(scores[labels > 0].min() + scores[labels < 0].max()) / 2 if bias else 0.0
            found = margin(normal, offset, points, labels)
            if found > 1e-9 and (best is None or found > best):
                best = found
    return best


def assert_separates(classifier, points, labels):
    assert classifier is not None
    assert classifier.dtype == np.float64
    assert np.linalg.norm(classifier[:-1]) == pytest.approx(1.0, abs=1e-12)
    assert margin(classifier[:-1], classifier[-1], points, labels) > 0.0


class TestGoldenNumbers:
    @pytest.mark.parametrize(
        "points, case",
        [
            ("example1_alg1_l2", "example1_margin"),
            ("lecture_hand_task", "lecture_hand_task_margin"),
            ("lecture_margin_task", "lecture_margin_task"),
        ],
    )
    def test_best_margin_through_the_origin(self, points, case):
        features, labels = sample(GOLDEN[points]["points"])
        case = GOLDEN[case]
        direction = numbers(case["best_direction"])
        classifier = max_margin(features, labels, bias=False)
        assert classifier[-1] == 0.0
        np.testing.assert_allclose(classifier[:-1], direction / np.linalg.norm(direction), atol=1e-12)
        best = margin(classifier[:-1], 0.0, features, labels)
        assert best**2 == pytest.approx(float(Fraction(case["best_rho2"])), rel=1e-12)
        assert margin(direction, 0.0, features, labels) == pytest.approx(best, rel=1e-12)
        assert radius(features) ** 2 == pytest.approx(float(Fraction(case["R2"])), rel=1e-12)

    def test_lecture_margin_task(self):
        case = GOLDEN["lecture_margin_task"]
        features, labels = sample(case["points"])
        assert margin([1, 1], 0, features, labels) ** 2 == pytest.approx(float(Fraction(case["rho2_wA"])))
        assert margin([1, 2], 0, features, labels) ** 2 == pytest.approx(float(Fraction(case["rho2_wB"])))

    def test_lecture_margin_task_with_the_fifth_point(self):
        features, labels = sample([*GOLDEN["lecture_margin_task"]["points"], [["4", "-3"], 1]])
        case = GOLDEN["lecture_margin_task"]["with_x5"]
        assert margin([1, 1], 0, features, labels) ** 2 == pytest.approx(float(Fraction(case["rho2_wA"])))
        assert (margin([1, 2], 0, features, labels) > 0) == case["wB_separates"]
        classifier = max_margin(features, labels, bias=False)
        best = margin(classifier[:-1], 0.0, features, labels)
        assert best**2 == pytest.approx(float(Fraction(case["best_rho2"])), rel=1e-12)
        direction = numbers(case["best_direction"])
        np.testing.assert_allclose(classifier[:-1], direction / np.linalg.norm(direction), atol=1e-12)

    def test_lecture_distances(self):
        case = GOLDEN["lecture_distances"]
        for entry in [*case["mini"], case["multiple_choice"]]:
            expected = float(Fraction(entry["distance"]))
            assert margin(entry["w"], 0, [entry["x"]], [entry["y"]]) == pytest.approx(expected, rel=1e-12)
            np.testing.assert_allclose(distance(entry["w"], 0, [entry["x"]], [entry["y"]]), [expected], rtol=1e-12)
        features, labels = [entry["x"] for entry in case["mini"]], [entry["y"] for entry in case["mini"]]
        assert margin([3, 4], 0, features, labels) == pytest.approx(float(Fraction(case["mini_margin"])))

    def test_example_2_is_separable_with_a_bias_only(self):
        features, labels = sample(GOLDEN["example2_alg1_bias"]["points"])
        assert max_margin(features, labels, bias=False) is None
        np.testing.assert_allclose(max_margin(features, labels), [1.0, 0.0, -0.75], atol=1e-12)

    def test_example_3_is_not_separable(self):
        features, labels = sample(GOLDEN["example3_alg2"]["points"])
        assert max_margin(features, labels) is None
        wrong = labels * (features @ (rule := soft_margin(features, labels))[:-1] + rule[-1]) < 0
        assert wrong.sum() == 1


class TestMargin:
    def test_sign_and_bias(self):
        assert margin([0, 2], -2, [[5, 3], [0, 0]], [1, -1]) == 1.0
        assert margin([0, 2], -2, [[5, 3], [0, 3]], [1, -1]) == -2.0

    @pytest.mark.parametrize("scale", [2.0**-1070, 2.0**-1000, 1e-6, 3.0, 2.0**1000])
    def test_length_of_the_weights_does_not_matter(self, scale):
        assert margin([3 * scale, 4 * scale], scale, [[1, 2]], [1]) == pytest.approx(12 / 5, rel=1e-12)

    def test_zero_weights(self):
        with pytest.raises(ValueError, match="weights must not be all zero"):
            margin([0, 0], 1, [[1, 2]], [1])


class TestDistance:
    def test_every_point_has_its_own(self):
        found = distance([0, 2], -2, [[5, 3], [0, 0], [1, 1], [0, 3]], [1, -1, 1, -1])
        np.testing.assert_array_equal(found, [2.0, 1.0, 0.0, -2.0])

    @given(seed=st.integers(0, 2**32 - 1), bias=st.floats(-3, 3))
    def test_the_margin_is_the_smallest(self, seed, bias):
        rng = np.random.default_rng(seed)
        points, labels, weights = rng.normal(size=(9, 3)), rng.choice([-1, 1], size=9), rng.normal(size=3)
        distances = distance(weights, bias, points, labels)
        assert distances.min() == margin(weights, bias, points, labels)
        # Moving every point back along the normal by its distance brings it to the hyperplane.
        feet = points - (labels * distances)[:, None] * weights / np.linalg.norm(weights)
        np.testing.assert_allclose(feet @ weights + bias, 0.0, atol=1e-12)


class TestRadius:
    @pytest.mark.parametrize("scale", [2.0**-332, 1.0, 2.0**329])
    def test_largest_norm(self, scale):
        assert radius(scale * np.array([[1.0, 1.0], [-3.0, 4.0], [0.0, 0.0]])) == 5.0 * scale

    def test_zero(self):
        assert radius([[0, 0]]) == 0.0


class TestLeaveOneOut:
    @staticmethod
    def trained(points, labels):
        """Sweep as the lecture does; return the weights and the number of mistakes."""
        weights, mistakes, clean = np.zeros(points.shape[1]), 0, False
        while not clean:
            clean = True
            for z, label in zip(points, labels, strict=True):
                if label * (weights @ z) <= 0.0:
                    weights, mistakes, clean = weights + label * z, mistakes + 1, False
        return weights, mistakes

    @given(seed=st.integers(0, 2**32 - 1), count=st.integers(1, 25), dim=st.integers(1, 4))
    def test_every_training_and_the_number_of_mistakes(self, seed, count, dim):
        points, labels = random_sample(np.random.default_rng(seed), count, dim, 0.1, False)
        points = np.round(points * 2**20) / 2**20  # so that sums are exact in any order
        classifier = max_margin(points, labels, bias=False)
        assume(classifier is not None)
        wrong = 0
        for k in range(count):
            weights, _ = self.trained(np.delete(points, k, axis=0), np.delete(labels, k))
            wrong += labels[k] * (weights @ points[k]) <= 0.0
        share = leave_one_out(points, labels)
        assert share == wrong / count
        # Theorem 2's proof, step by step.
        largest, best = radius(points), margin(classifier[:-1], 0.0, points, labels)
        mistakes = self.trained(points, labels)[1]
        assert wrong <= mistakes
        assert admits(novikoff(largest, best), mistakes)
        assert share <= generalisation(largest, best, count - 1) * (1 + 1e-9)

    def test_lecture_data(self):
        # Without x1, the weights end as (-1, -1), wrong on x1; without x2, as (1, -1), a tie on x2; without x3, right.
        points, labels = sample(GOLDEN["lecture_hand_task"]["points"])
        assert leave_one_out(points, labels) == pytest.approx(2 / 3)

    def test_one_point(self):
        assert leave_one_out([[3, 4]], [1]) == 1.0

    @pytest.mark.parametrize("points, labels", [([[3], [5]], [1, -1]), ([[0, 0]], [1])])
    def test_no_separator_through_the_origin(self, points, labels):
        with pytest.raises(ValueError, match="features must be separable by a hyperplane through the origin"):
            leave_one_out(points, labels)


class TestMaxMargin:
    @pytest.mark.parametrize("bias", [True, False])
    @pytest.mark.parametrize("seed", range(12))
    def test_brute_force(self, seed, bias):
        rng = np.random.default_rng(seed)
        dim = 1 + seed % 3
        points, labels = random_sample(rng, 9, dim, 0.1, bias)
        labels[:2] = [1, -1]  # both classes; the sample may not be separable any more
        expected = brute_force_margin(points, labels, bias)
        classifier = max_margin(points, labels, bias=bias)
        if expected is None:
            assert classifier is None
        else:
            assert_separates(classifier, points, labels)
            assert margin(classifier[:-1], classifier[-1], points, labels) == pytest.approx(expected, rel=1e-9)

    @pytest.mark.parametrize("bias", [True, False])
    @pytest.mark.parametrize("count, dim, gap", [(30, 2, 0.3), (40, 5, 0.05), (60, 10, 0.2)])
    def test_quadratic_program(self, count, dim, gap, bias):
        points, labels = random_sample(np.random.default_rng(count), count, dim, gap, bias)
        classifier = max_margin(points, labels, bias=bias)
        assert_separates(classifier, points, labels)
        best = margin(classifier[:-1], classifier[-1], points, labels)
        rows = labels[:, None] * (np.column_stack([points, np.ones(count)]) if bias else points)
        solution = minimize(
            lambda v: v[:dim] @ v[:dim] / 2,
            np.zeros(rows.shape[1]),
            jac=lambda v: np.append(v[:dim], np.zeros(v.size - dim)),
            constraints={"type": "ineq", "fun": lambda v: rows @ v - 1, "jac": lambda v: rows},
            method="SLSQP",
            options={"ftol": 1e-10, "maxiter": 1000},
        )
        assert solution.success
        assert (rows @ solution.x).min() == pytest.approx(1.0, abs=1e-6)
        assert best == pytest.approx(1 / np.linalg.norm(solution.x[:dim]), rel=1e-6)
        np.testing.assert_allclose((classifier / best)[: rows.shape[1]], solution.x, rtol=1e-3, atol=1e-3)

    @pytest.mark.parametrize("bias", [True, False])
    @pytest.mark.parametrize("count, dim", [(10_000, 10), (1_000, 100)])
    @pytest.mark.parametrize("gap", [0.05, 1e-5])
    def test_large_samples_meet_their_certificate(self, count, dim, gap, bias):
        points, labels = random_sample(np.random.default_rng(1), count, dim, gap, bias)
        classifier = max_margin(points, labels, bias=bias)
        assert_separates(classifier, points, labels)
        assert margin(classifier[:-1], classifier[-1], points, labels) >= gap * (1 - 1e-6)
        labels[labels.argmax()] = -1
        labels[-2:] *= -1
        assert max_margin(points, labels, bias=bias) is None

    @given(
        points=arrays(np.float64, st.tuples(st.integers(2, 8), st.integers(1, 3)), elements=st.integers(-3, 3)),
        data=st.data(),
        bias=st.booleans(),
    )
    def test_small_grids(self, points, data, bias):
        labels = data.draw(arrays(np.int64, len(points), elements=st.sampled_from([-1, 1])))
        classifier = max_margin(points, labels, bias=bias)
        if bias and abs(labels.sum()) == len(labels):
            assert_separates(classifier, points, labels)
            return
        expected = brute_force_margin(points, labels, bias)
        assert (classifier is None) == (expected is None)
        if classifier is not None:
            assert_separates(classifier, points, labels)
            best = margin(classifier[:-1], classifier[-1], points, labels)
            assert best == pytest.approx(expected, rel=1e-9)

    @given(
        seed=st.integers(0, 2**32 - 1),
        bias=st.booleans(),
        scale=st.sampled_from([1e-6, 0.37, 1e6]),
        shift=st.floats(-5, 5),
    )
    def test_invariances(self, seed, bias, scale, shift):
        rng = np.random.default_rng(seed)
        points, labels = random_sample(rng, 20, 3, 0.1, bias)
        assume(abs(labels.sum()) < len(labels))
        shift = shift if bias else 0.0
        classifier = max_margin(points, labels, bias=bias)
        order = rng.integers(0, 20, size=50)
        order[:20] = rng.permutation(20)  # another order, and some points more than once
        moved = max_margin(scale * (points[order] + shift), -labels[order], bias=bias)
        np.testing.assert_allclose(moved[:-1], -classifier[:-1], atol=1e-7)
        expected = -classifier[-1] + shift * classifier[:-1].sum()
        assert moved[-1] / scale == pytest.approx(expected, abs=1e-6)

    def test_one_dimension(self):
        np.testing.assert_allclose(max_margin([[3], [7], [-1]], [1, 1, -1]), [1.0, -1.0], atol=1e-12)
        np.testing.assert_allclose(max_margin([[3], [5]], [1, -1]), [-1.0, 4.0], atol=1e-12)
        np.testing.assert_allclose(max_margin([[3], [-5]], [1, -1], bias=False), [1.0, 0.0], atol=1e-12)
        assert max_margin([[3], [5]], [1, -1], bias=False) is None

    def test_heavy_tails_meet_their_certificate(self):
        rng = np.random.default_rng(0)
        for _ in range(300):
            points = rng.standard_t(1, size=(22, 7))
            scores = points @ rng.normal(size=7)
            labels = np.where(scores >= np.median(scores), 1, -1)
            assert_separates(max_margin(points, labels), points, labels)

    def test_far_from_the_origin(self):
        np.testing.assert_allclose(max_margin([[1e9 + 2, 1e9], [1e9, 1e9]], [1, -1]), [1, 0, -1e9 - 1], rtol=1e-12)

    def test_long_repetition(self):
        block, signs = np.array([[0.0, -1.0], [-0.5, -1.0], [-1.0, 0.0]]), np.array([1, -1, -1])
        once = max_margin(block, signs)
        np.testing.assert_array_equal(max_margin(np.tile(block, (10_000, 1)), np.tile(signs, 10_000)), once)

    @pytest.mark.parametrize("bias", [True, False])
    def test_contradictory_labels(self, bias):
        assert max_margin([[1, 2], [3, 4], [1, 2]], [1, 1, -1], bias=bias) is None
        assert max_margin([[0, 0], [0, 0]], [1, -1], bias=bias) is None
        assert max_margin([[0.0, 0.0], [-0.0, 0.0]], [1, -1], bias=bias) is None

    @pytest.mark.parametrize("label", [-1, 1])
    @pytest.mark.parametrize("points", [[[0, 0]], [[3, 4], [-3, -4]], [[1e-8, 0], [0, 1e-8]]])
    def test_one_class(self, points, label):
        labels = [label] * len(points)
        classifier = max_margin(points, labels)
        assert_separates(classifier, np.array(points), np.array(labels))
        radius = np.linalg.norm(points, axis=1).max()
        assert margin(classifier[:-1], classifier[-1], points, labels) >= radius
        np.testing.assert_array_equal(soft_margin(points, labels), classifier)

    def test_one_class_through_the_origin(self):
        np.testing.assert_allclose(max_margin([[3, 4]], [1], bias=False), [0.6, 0.8, 0.0], atol=1e-12)
        assert max_margin([[3, 4], [-3, -4]], [1, 1], bias=False) is None


class TestSoftMargin:
    @staticmethod
    def objective(classifier, points, labels, weights):
        """Return the least loss over the lengths of a classifier, in the scaled features."""
        half = (points.max(axis=0) - points.min(axis=0)) / 2
        weights = weights / weights.mean()
        scores = labels * (points @ classifier[:-1] + classifier[-1])
        price = L1_PRICE * np.abs(classifier[:-1] * half).sum()
        lengths = np.append(1 / scores[scores > 1e-12], 0.0)  # the loss is linear between these
        return min(weights @ np.maximum(0, 1 - length * scores) + price * length for length in lengths)

    @pytest.mark.parametrize("seed", range(5))
    def test_primal_linear_program(self, seed):
        rng = np.random.default_rng(seed)
        count, dim = 60, 3
        points = rng.normal(size=(count, dim)) * [1.0, 100.0, 0.01] + 4.0
        labels = np.where(points[:, 0] + rng.normal(size=count) > 4.0, 1, -1)
        weights = rng.integers(1, 5, size=count).astype(float)
        centre, half = (points.max(axis=0) + points.min(axis=0)) / 2, (points.max(axis=0) - points.min(axis=0)) / 2
        scaled = labels[:, None] * (points - centre) / half
        solution = linprog(
            np.concatenate([np.full(2 * dim, L1_PRICE), [0.0], weights / weights.mean()]),
            A_ub=-np.column_stack([scaled, -scaled, labels, np.eye(count)]),
            b_ub=-np.ones(count),
            bounds=[(0, None)] * (2 * dim) + [(None, None)] + [(0, None)] * count,
        )
        found = self.objective(soft_margin(points, labels, weights), points, labels, weights)
        assert found == pytest.approx(solution.fun, rel=1e-6)

    def test_weights_count_repetitions(self):
        rng = np.random.default_rng(0)
        points = rng.normal(size=(30, 2))
        labels = np.where(points[:, 0] + rng.normal(size=30) > 0.0, 1, -1)
        weights = rng.integers(0, 4, size=30)
        repeated = soft_margin(np.repeat(points, weights, axis=0), np.repeat(labels, weights))
        np.testing.assert_allclose(soft_margin(points, labels, weights), repeated, atol=1e-9)

    @pytest.mark.parametrize("scale", [1e-6, 1e6])
    def test_scale(self, scale):
        rng = np.random.default_rng(3)
        points = rng.normal(size=(50, 3)) + 1.0
        labels = np.where(points[:, 0] + rng.normal(size=50) > 1.0, 1, -1)
        classifier, scaled = soft_margin(points, labels), soft_margin(scale * points, labels)
        np.testing.assert_allclose(scaled / [1, 1, 1, scale], classifier, atol=1e-9)

    @given(seed=st.integers(0, 2**32 - 1))
    def test_separable_samples_are_separated(self, seed):
        points, labels = random_sample(np.random.default_rng(seed), 30, 3, 0.1, True)
        assert_separates(soft_margin(points, labels), points, labels)

    def test_constant_rule(self):
        points, labels = [[1, 2], [1, 2], [1, 2], [5, 1]], [1, -1, -1, -1]
        classifier = soft_margin(points, labels)
        assert np.linalg.norm(classifier[:-1]) == 1.0
        assert (np.array(points) @ classifier[:-1] + classifier[-1] < 0).all()

    def test_constant_feature_gets_no_weight(self):
        classifier = soft_margin([[1, 7], [2, 7], [3, 7], [4, 7]], [1, -1, 1, -1])
        assert classifier[1] == 0.0

    def test_bad_weights(self):
        points, labels = [[1, 2], [2, 1]], [1, -1]
        with pytest.raises(ValueError, match=r"weights must be at most 1e\+100 in size, got 1e\+308 at index \(1,\)"):
            soft_margin(points, labels, [1, 1e308])
        for weights in ([1, -1], [0, 0]):
            with pytest.raises(ValueError, match="weights must be at least 0 and not all 0"):
                soft_margin(points, labels, weights)
        with pytest.raises(ValueError, match="weights must have shape"):
            soft_margin(points, labels, [1])


class TestBadArguments:
    @pytest.mark.parametrize(
        "solve",
        [
            max_margin,
            soft_margin,
            leave_one_out,
            lambda z, y: margin([1, 1], 0, z, y),
            lambda z, y: distance([1, 1], 0, z, y),
        ],
    )
    @pytest.mark.parametrize(
        "features, labels, message",
        [
            ([[1, np.nan], [0, 1]], [1, -1], "features must be finite, got nan at index"),
            ([[1, np.inf], [0, 1]], [1, -1], "features must be finite, got inf at index"),
            ([1, 2], [1, -1], "features must have shape"),
            (np.zeros((0, 2)), [], "features must have shape"),
            ([[1, 2], [0, 1]], [1], "labels must have shape"),
            ([[1, 2], [0, 1]], [1, 0], r"labels must be -1 or \+1, got 0"),
            ([[1, 2e200], [0, 1]], [1, -1], r"features must be at most 1e\+100 in size, got 2e\+200 at index \(0, 1\)"),
            ([[1, 2e-200], [0, 0]], [1, -1], "features must reach 1e-100 in size .*, got 2e-200 in column 1"),
        ],
    )
    def test_samples(self, solve, features, labels, message):
        with pytest.raises(ValueError, match=message):
            solve(features, labels)

    def test_features_without_labels(self):
        with pytest.raises(ValueError, match="features must be finite, got inf at index"):
            radius([[1, np.inf]])
        with pytest.raises(ValueError, match="features must have shape"):
            radius([1, 2])
        with pytest.raises(TypeError, match="features must hold real numbers"):
            radius([["a"]])

    def test_weights_of_another_dimension(self):
        with pytest.raises(ValueError, match="weights must have shape"):
            margin([1, 2, 3], 0, [[1, 2]], [1])
        with pytest.raises(ValueError, match="bias must be finite, got nan"):
            margin([1, 2], np.nan, [[1, 2]], [1])

    def test_a_bias_out_of_proportion(self):
        with pytest.raises(ValueError, match=r"hyperplane must have a bias of at most 1e\+100 times its weights, got"):
            distance([1e-300], 1e300, [[1]], [1])

    def test_flags(self):
        with pytest.raises(TypeError, match="bias must be True or False, got 'no'"):
            max_margin([[1], [2]], [1, -1], bias="no")


class TestRange:
    """Features from 1e-100 to 1e100, also side by side: the same answers as at scale 1, and no warning."""

    @pytest.mark.parametrize("bias", [True, False])
    @pytest.mark.parametrize("scale", [2.0**-331, 2.0**330])
    def test_largest_margin(self, scale, bias):
        points, labels = random_sample(np.random.default_rng(0), 20, 3, 0.1, bias)
        plain, scaled = max_margin(points, labels, bias=bias), max_margin(scale * points, labels, bias=bias)
        np.testing.assert_allclose(scaled / [1, 1, 1, scale], plain, atol=1e-12)
        best = margin(plain[:-1], plain[-1], points, labels)
        assert margin(scaled[:-1], scaled[-1], scale * points, labels) == pytest.approx(scale * best)
        if not bias:
            assert leave_one_out(scale * points, labels) == leave_one_out(points, labels)

    @pytest.mark.parametrize("scales", [[2.0**-331] * 2, [2.0**330] * 2, [2.0**330, 2.0**-331]])
    def test_soft_margin(self, scales):
        rng = np.random.default_rng(0)
        points = rng.normal(size=(30, 2))
        labels = np.where(points.sum(axis=1) + rng.normal(size=30) > 0.0, 1, -1)
        plain, scaled = soft_margin(points, labels), soft_margin(scales * points, labels)
        assert np.linalg.norm(scaled[:-1]) == pytest.approx(1.0)
        scores = (scales * points) @ scaled[:-1] + scaled[-1]
        np.testing.assert_allclose(
            scores / scores[0], (points @ plain[:-1] + plain[-1]) / (points[0] @ plain[:-1] + plain[-1])
        )


def test_no_hyperplane_through_the_origin_keeps_a_margin_from_it():
    assert not attains(np.zeros((3, 2)), [1, -1, 1], 1e-100)
    assert attains(np.zeros((3, 2)), [1, 1, 1], 0.1, intercept=0.1)
    assert not attains(np.zeros((3, 2)), [1, -1, 1], 0.1, intercept=0.1)
