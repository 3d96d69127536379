"""Mistake bounds: the papers' numbers, streams that attain or respect them, and bad arguments."""

import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from learners.bounds import (
    admits,
    biased_l2,
    correction,
    estimated_alpha_l2,
    freund_schapire,
    generalisation,
    hinge_slack,
    lemma_7,
    margin_perceptron,
    novikoff,
    novikoff_with_bias,
    samples_for_error,
    strategic_l1,
    strategic_l1_scale_free,
    strategic_l1_with_bias,
    strategic_l2,
    too_large_alpha_l2,
    unknown_cost_l1_single,
    unknown_cost_l2,
    unknown_margin_l2,
)
from learners.unknown import guess_budget, next_estimate, phase_budget

GOLDEN = json.loads((Path(__file__).parent / "data" / "strategic_golden.json").read_text())

# Bounds of (radius, margin) and of (radius, margin, alpha), and which of them have a printed form.
OF_MARGIN = (novikoff, unknown_cost_l2, unknown_margin_l2, unknown_cost_l1_single)
OF_ALPHA = (strategic_l2, estimated_alpha_l2, too_large_alpha_l2, lemma_7, biased_l2, strategic_l1_scale_free)
PRINTED = (unknown_cost_l2, strategic_l2, estimated_alpha_l2, too_large_alpha_l2, lemma_7, biased_l2)


def form(bound, **options):
    """Return a bound as a function of radius, margin and alpha."""
    return lambda *arguments: bound(*arguments[: 3 if bound in OF_ALPHA else 2], **options)


FORMS = [form(bound) for bound in OF_MARGIN + OF_ALPHA] + [form(bound, printed=True) for bound in PRINTED]


def number(text):
    return float(Fraction(text)) if isinstance(text, str) else float(text)


def root(text):
    return math.sqrt(number(text))


class TestGoldenNumbers:
    def test_theorem_1_on_example_1(self):
        case, bound = GOLDEN["example1_margin"], GOLDEN["example1_alg2_bound"]
        radius, margin = root(case["R2"]), root(case["best_rho2"])
        assert margin == pytest.approx(1 / root(case["wstar_norm2"]))
        assert strategic_l2(radius, margin, 0.5, printed=True) == pytest.approx(bound["paper"], rel=1e-9)
        assert strategic_l2(radius, margin, 0.5) == pytest.approx(number(bound["tight"]), rel=1e-9)

    def test_algorithm_2_on_example_1_respects_theorem_1(self):
        case = GOLDEN["example1_margin"]
        bound = strategic_l2(root(case["R2"]), root(case["best_rho2"]), 0.5)
        runs = [run for name, run in GOLDEN.items() if name.startswith("example1_alg2_") and "mistakes" in run]
        assert len(runs) == 12
        assert all(admits(bound, run["mistakes"]) for run in runs)

    def test_novikoff_on_the_lecture_tasks(self):
        hand, task = GOLDEN["lecture_hand_task_margin"], GOLDEN["lecture_margin_task"]
        more = task["with_x5"]
        for radius2, margin2, bound in [
            (hand["R2"], hand["rho2_of_w"], hand["bound"]),
            (task["R2"], task["rho2_wA"], task["bound_wA"]),
            (task["R2"], task["rho2_wB"], task["bound_wB"]),
            (more["R2"], more["rho2_wA"], more["bound_wA"]),
            (more["R2"], more["best_rho2"], more["best_bound"]),
        ]:
            assert novikoff(root(radius2), root(margin2)) == pytest.approx(number(bound), rel=1e-9)

    def test_learning_rate_does_not_enter_novikoff(self):
        bound = novikoff(math.sqrt(2), 1 / math.sqrt(5))
        runs = [GOLDEN["lecture_hand_task"], *(GOLDEN[f"lecture_eta_{eta}"] for eta in ("2", "5", "1/3"))]
        assert all(run["mistakes"] == 5 and admits(bound, run["mistakes"]) for run in runs)

    def test_l1_with_bias_on_example_2(self):
        # The best separator is x_1 = 3/4 with margin 1/4: w* = (4, 0), b = -3.
        assert strategic_l1_with_bias(1.0, 0.5, 2, 4.0, -3.0) == pytest.approx((2 + 1.5**2) * 25)
        assert strategic_l1_with_bias(1.0, 0.5, 2, 4.0, -3.0, printed=True) == pytest.approx((1 + 3 * 2.5**2) * 49)
        assert GOLDEN["example2_alg3_fake_coordinate_exempt"]["mistakes"] <= (2 + 1.5**2) * 25

    def test_margin_perceptron_on_the_lecture_data(self):
        data = GOLDEN["lecture_hand_task_margin"]
        radius, margin = root(data["R2"]), root(data["best_rho2"])
        for rho0 in ("1/2", "1", "3"):
            run = GOLDEN[f"lecture_data_margin_perceptron_rho0_{rho0}"]
            bound = margin_perceptron(radius, margin, number(rho0))
            assert bound == pytest.approx(number(run["bound"]), rel=1e-9)
            assert admits(bound, run["updates"])
        assert margin_perceptron(radius, margin, 0.0) == novikoff(radius, margin)

    def test_generalisation_task_of_the_lecture(self):
        case = GOLDEN["lecture_generalisation"]
        assert generalisation(2.0, 0.5, 999) == pytest.approx(number(case["n999"]), rel=1e-9)
        assert samples_for_error(2.0, 0.5, 0.005) == case["n_for_half_percent"]
        assert samples_for_error(2.0, 0.25, 0.005) == case["n_after_halving_margin"]

    def test_theorem_4_on_example_2(self):
        case = GOLDEN["example2_alg5_distance"]
        told = (float(case["R"]), number(case["gamma"]), number(case["alpha"]))
        assert lemma_7(*told, printed=True) == number(case["budget_per_guess"])
        assert biased_l2(*told, printed=True) == number(case["bound_theorem4"])
        assert biased_l2(*told) == 2 + 13 * 401 + 256
        # As many origins are given up as the proof allows, and each costs what it may.
        assert [mistakes for _, mistakes in case["failed_guesses"]] == [401] * 13
        assert admits(biased_l2(*told), case["mistakes"])


class TestFormulas:
    def test_exact_values(self):
        assert novikoff(6.0, 2.0) == 9.0
        assert novikoff_with_bias(2.0, 3.0, -1.0) == pytest.approx(5 * 10)
        assert strategic_l2(6.0, 2.0, 2.0) == 9.0
        assert strategic_l2(6.0, 2.0, 2.0, printed=True) == 16.0
        assert strategic_l1(6.0, 2.0, 2.0, dim=3) == pytest.approx(65 / 4)
        assert strategic_l1(6.0, 2.0, 2.0, dim=3, printed=True) == pytest.approx(257 / 4)
        assert correction(1.5, 0.25) == 1.75
        assert estimated_alpha_l2(6.0, 2.0, 2.0) == 36.0
        assert estimated_alpha_l2(6.0, 2.0, 2.0, printed=True) == 81.0
        assert too_large_alpha_l2(6.0, 2.0, 2.0) == 10.0
        assert too_large_alpha_l2(6.0, 2.0, 2.0, printed=True) == 17.0
        assert lemma_7(6.0, 2.0, 2.0) == 144.0
        assert lemma_7(6.0, 2.0, 2.0, printed=True) == 196.0
        assert strategic_l1_scale_free(6.0, 2.0, 2.0) == 25.0
        assert margin_perceptron(6.0, 2.0, 1.0, 0.5) == 10.0
        assert freund_schapire(6.0, 2.0, 2.0) == 16.0

    def test_corollary_1_has_a_square(self):
        # Two orthogonal points: two mistakes, where the bound without its square is 0.109.
        bound = estimated_alpha_l2(100.0, 100.0 / math.sqrt(2), 1.0, printed=True)
        assert bound == pytest.approx(14.87, abs=0.005)

    def test_exact_values_of_searches(self):
        assert unknown_cost_l2(1.0, 1.0, printed=True) == 2 * 26
        assert unknown_cost_l2(1.0, 1.0) == 17 + 4
        assert unknown_cost_l2(1.0, 0.4, printed=True) == 6 * 122  # 2N - 1 = 4
        assert unknown_cost_l2(1.0, 0.4) == 4 * 101 + 25
        assert unknown_cost_l1_single(1.0, 1.0) == 10 + 16
        assert unknown_cost_l1_single(1.0, 0.4) == 4 * 82 + 100
        assert unknown_margin_l2(1.0, 1.0) == 17 + 4
        assert unknown_margin_l2(1.0, 0.5) == unknown_margin_l2(1.0, 0.6) == 53 + 4 * 65 + 16
        assert unknown_margin_l2(1.0, 0.49) == 53 + 493 + 6 * 257 + 64

    def test_rounding_neither_adds_nor_loses_an_integer(self):
        assert 0.7 / 0.1 < 7.0 < 4.9 / 0.7
        for radius, margin in ((0.7, 0.1), (4.9, 0.7)):
            assert biased_l2(radius, margin, 0.0) == biased_l2(7.0, 1.0, 0.0) == 2 + 25 * 785 + 784
            assert samples_for_error(radius, margin, 0.49) == 99
            assert unknown_cost_l2(radius, margin) == unknown_cost_l2(7.0, 1.0) == 8 * 785 + 196
        assert 0.27 / 0.18 > 1.5
        assert unknown_cost_l2(0.27, 0.18) == unknown_cost_l2(1.5, 1.0) == 2 * 37 + 9  # 2N - 1 = 2

    def test_the_printed_bound_with_bias_reads_the_bias_without_sign(self):
        # As printed, with the signed b, it would be 0 here, where three mistakes occur.
        assert strategic_l1_with_bias(2.0, 0.0, 1, 1.0, -1.0, printed=True) == pytest.approx((1 + 2 * 9) * 4)

    def test_a_bound_beyond_float64_is_infinite(self):
        assert all(bound(1e200, 1e-200, 0.5) == math.inf for bound in FORMS)
        assert all(bound(1e-300, 1e-300, 0.0) < 100 for bound in FORMS)
        assert admits(math.inf, 10**9)

    @given(
        radius=st.floats(1e-3, 1e3),
        share=st.floats(1e-3, 1.0),
        alpha=st.floats(0.0, 50.0),
        dim=st.integers(1, 20),
        bias=st.floats(-10.0, 10.0),
    )
    def test_sharpened_is_never_above_printed(self, radius, share, alpha, dim, bias):
        margin = share * radius
        assert 1.0 <= strategic_l2(radius, margin, alpha) <= strategic_l2(radius, margin, alpha, printed=True)
        assert strategic_l2(radius, margin, alpha) == novikoff(radius, margin)
        assert strategic_l1(radius, margin, alpha, dim) <= strategic_l1(radius, margin, alpha, dim, printed=True)
        separator = (radius, alpha, dim, 1 / margin, bias)
        assert strategic_l1_with_bias(*separator) <= strategic_l1_with_bias(*separator, printed=True)
        truthful = novikoff_with_bias(radius, 1 / margin, bias)
        assert truthful <= strategic_l1_with_bias(radius, 0.0, dim, 1 / margin, bias)

        for bound in PRINTED:
            arguments = (radius, margin, alpha)
            assert 1.0 <= form(bound)(*arguments) <= form(bound, printed=True)(*arguments)

    @given(
        radius=st.floats(1e-3, 1e3),
        share=st.floats(1e-3, 1.0),
        alpha=st.floats(0.0, 50.0),
        growth=st.floats(1.0, 10.0),
        scale=st.sampled_from([2.0**-40, 0.125, 2.0**40]),
    )
    def test_monotone_and_the_same_in_all_units(self, radius, share, alpha, growth, scale):
        margin = share * radius
        for bound in FORMS:
            least = bound(radius, margin, alpha)
            assert bound(scale * radius, scale * margin, scale * alpha) == least
            least *= 1 - 1e-12
            assert bound(growth * radius, margin, alpha) >= least
            assert bound(radius, margin / growth, alpha) >= least
            assert bound(radius, margin, growth * alpha) >= least

    @given(
        radius=st.floats(1e-3, 1e3),
        share=st.floats(1e-3, 1.0),
        threshold=st.floats(0.0, 10.0),
        growth=st.floats(1.0, 10.0),
        error=st.floats(1e-3, 1.0),
    )
    def test_monotone_bounds_of_the_lecture(self, radius, share, threshold, growth, error):
        margin = share * radius
        least = margin_perceptron(radius, margin, threshold) * (1 - 1e-12)
        assert margin_perceptron(radius, margin, growth * threshold) >= least
        assert margin_perceptron(radius, margin / growth, threshold) >= least
        assert margin_perceptron(radius, margin, threshold, 1 / growth) >= least
        assert freund_schapire(radius, margin, threshold * growth) >= freund_schapire(radius, margin, threshold)
        assert freund_schapire(radius, margin, 0.0) == pytest.approx(novikoff(radius, margin), rel=1e-12)
        samples = samples_for_error(radius, margin, error)
        assert generalisation(radius, margin, samples) <= error * (1 + 1e-11)
        assert samples == 0 or generalisation(radius, margin, samples - 1) > error * (1 - 1e-11)


class TestSearches:
    """The phases of a bracketing search, enumerated: each as expensive as it may be."""

    RATIOS = (1.0, 1.2, 1.5, 1.7, 2.0, 2.5, 3.0, 4.5, 5.0, 7.3, 8.0, 16.5, 100.0)

    @pytest.mark.parametrize("ratio", RATIOS)
    @pytest.mark.parametrize("direction", [-1, 0])
    def test_every_alpha_respects_the_bound(self, ratio, direction):
        bound = unknown_cost_l2(ratio, 1.0) if direction < 0 else unknown_cost_l1_single(ratio, 1.0)
        for alpha in np.linspace(0.0, ratio, 2001):
            low, high, estimate, mistakes = 0.0, math.inf, 0.0, 0
            while not estimate <= alpha <= estimate + 0.5:
                too_large = estimate > alpha
                if too_large:
                    high = estimate
                    mistakes += math.floor((ratio + (0.0 if direction < 0 else estimate)) ** 2) + 1
                else:
                    low = estimate
                    mistakes += math.floor(phase_budget.py_func(ratio, estimate, 1.0, direction)) + 1
                estimate = next_estimate.py_func(low, high, estimate, too_large, 1.0, ratio, False)
            last = phase_budget.py_func(ratio, estimate, 1.0, direction)
            mistakes += math.floor(4.0 * ratio**2 if direction < 0 else last)
            assert mistakes <= bound

    @pytest.mark.parametrize("ratio", RATIOS)
    def test_the_printed_bound_is_the_budget_of_a_guess(self, ratio):
        assert unknown_cost_l2(ratio, 1.0, printed=True) == guess_budget.py_func(ratio, 1.0)

    @pytest.mark.parametrize("power", range(7))
    def test_a_wrong_guess_costs_at_most_its_budget_and_one(self, power):
        radius = 2.0**power

        def costliest(low, high, estimate):
            """Return the mistakes and the phases from here on, whatever the evidence says."""
            here = math.floor(phase_budget.py_func(radius, estimate, 1.0, -1)) + 1
            worst = (0, 0)
            for too_large in (False, True)[: 1 + (estimate > 0.0)]:
                ends = (low, estimate) if too_large else (estimate, high)
                refuted = ends[1] - ends[0] <= 0.5 or (not too_large and estimate >= radius)
                following = next_estimate.py_func(*ends, estimate, too_large, 1.0, radius, False)
                later = (0, 0) if refuted else costliest(*ends, following)
                worst = max(worst, (here + later[0], 1 + later[1]))
            return worst

        mistakes, phases = costliest(0.0, math.inf, 0.0)
        assert phases <= 2 * power + 3
        assert mistakes <= phases * ((4 * radius + 1) ** 2 + 1)
        assert mistakes <= unknown_cost_l2(radius, 1.0, printed=True) + 1


class TestAdmits:
    def test_rounded_bound_of_324(self):
        bound = 4 * (3 + 0.4 + 0.2) ** 2 / 0.4**2
        assert bound < 324
        assert admits(bound, 324)
        assert not admits(bound, 325)

    @pytest.mark.parametrize("bound", [-1.0, math.nan])
    def test_bad_bound(self, bound):
        with pytest.raises(ValueError, match=f"bound must be at least 0, got {bound}"):
            admits(bound, 3)

    def test_bad_mistakes(self):
        with pytest.raises(ValueError, match="mistakes must be at least 0, got -1"):
            admits(3.0, -1)
        with pytest.raises(TypeError, match="mistakes must be an integer, got 1.5"):
            admits(3.0, 1.5)


class TestStreams:
    """Independent references of the algorithms, in a few lines of NumPy."""

    @pytest.mark.parametrize("dim", [1, 2, 7])
    @pytest.mark.parametrize("alpha", [0.0, 0.5, 7.0])
    def test_orthonormal_negatives_attain_the_sharpened_theorem_1(self, dim, alpha):
        weights = np.zeros(dim)
        mistakes = 0
        for z in -np.eye(dim):
            norm = np.linalg.norm(weights)
            gap = alpha - z @ weights / norm if norm > 0.0 else 0.0
            accepted = gap <= alpha  # cost at most 1, or no cost at all
            if accepted:
                weights -= z  # the surrogate of a mover is the projection of z, here z itself
                mistakes += 1
        bound = strategic_l2(1.0, 1 / math.sqrt(dim), alpha)
        assert mistakes == dim
        assert bound == pytest.approx(dim, rel=1e-12)
        assert admits(bound, mistakes)
        assert not admits(bound, mistakes + 1)

    @pytest.mark.parametrize("dim", [1, 2, 7])
    def test_orthonormal_negatives_attain_novikoff(self, dim):
        weights = np.zeros(dim)
        mistakes = 0
        for z in -np.eye(dim):
            if weights @ z >= 0.0:
                weights -= z
                mistakes += 1
        assert mistakes == dim
        assert admits(novikoff(1.0, 1 / math.sqrt(dim)), mistakes)

    @pytest.mark.parametrize("seed", range(60))
    def test_l1_bounds_on_random_streams(self, seed):
        rng = np.random.default_rng(seed)
        dim = int(rng.integers(1, 5))
        normal = np.abs(rng.normal(size=dim))
        normal /= np.linalg.norm(normal)
        bias = 0.0 if seed % 3 == 0 else float(rng.normal() * 0.5)
        points = rng.uniform(-1, 1, (40, dim))
        scores = points @ normal + bias
        labels = np.where(scores >= 0, 1.0, -1.0)
        margin = float(rng.uniform(0.02, 0.2))
        points += ((np.maximum(np.abs(scores), margin) - np.abs(scores)) * labels)[:, None] * normal
        radius = float(np.linalg.norm(points, axis=1).max())
        alpha = rng.uniform(0, 1, dim) * (rng.uniform(size=dim) < 0.8)
        mistakes = mistakes_of_algorithm_3(points, labels, alpha, radius, fake=bias != 0.0)
        most = float(alpha.max())
        if bias == 0.0:
            assert admits(strategic_l1(radius, margin, most, dim), mistakes)
        else:
            assert admits(strategic_l1_with_bias(radius, most, dim, 1 / margin, bias / margin), mistakes)
        if bias == 0.0:
            for scale in (1.0, 1e-6):
                told = (scale * points, labels, scale * alpha, scale * radius, False, True)
                bound = strategic_l1_scale_free(scale * radius, scale * margin, scale * most)
                assert admits(bound, mistakes_of_algorithm_3(*told))

    @pytest.mark.parametrize("seed", range(40))
    def test_wrong_estimates_of_alpha(self, seed):
        rng = np.random.default_rng(seed)
        points, labels, margin = separable(rng, dim=int(rng.integers(1, 5)))
        radius = float(np.linalg.norm(points, axis=1).max())
        alpha = float(rng.uniform(0, 3))
        reaches = alpha + rng.uniform(0, margin / 2, len(points))
        mistakes, ended = mistakes_of_algorithm_2(points, labels, reaches, alpha)
        assert not ended and admits(estimated_alpha_l2(radius, margin, alpha), mistakes)
        larger = alpha + margin
        mistakes, _ = mistakes_of_algorithm_2(points, labels, np.full(len(points), alpha), larger)
        assert admits(too_large_alpha_l2(radius, margin, larger), mistakes)

    @pytest.mark.parametrize("seed", range(20))
    def test_margin_perceptron_on_random_streams(self, seed):
        rng = np.random.default_rng(seed)
        points, labels, margin = separable(rng, dim=int(rng.integers(1, 6)))
        threshold, rate = rng.uniform(0.1, 3.0, size=2)
        weights, updates, clean = np.zeros(points.shape[1]), 0, False
        while not clean:
            clean = True
            for z, label in zip(points, labels, strict=True):
                if label * (weights @ z) < threshold:
                    weights, updates, clean = weights + rate * label * z, updates + 1, False
        radius = float(np.linalg.norm(points, axis=1).max())
        assert admits(margin_perceptron(radius, margin, float(threshold), float(rate)), updates)

    def test_freund_schapire_on_the_orthonormal_basis(self):
        # With w = (1, .., 1) not brought to norm 1, D would be 0 and the bound 1; nine updates occur.
        slack = hinge_slack(np.ones(9), np.eye(9), np.ones(9), 1.0)
        assert slack == pytest.approx(2.0, rel=1e-12)
        assert freund_schapire(1.0, 1.0, slack) == pytest.approx(9.0, rel=1e-12)

    def test_freund_schapire_counts_every_pass(self):
        once = hinge_slack([1.0], [[1.0], [1.0]], [1, -1], 1.0)
        assert once == 2.0
        assert freund_schapire(1.0, 1.0, once) == 9.0  # 200 updates in 100 passes
        passes = hinge_slack([1.0], np.ones((200, 1)), np.tile([1, -1], 100), 1.0)
        assert admits(freund_schapire(1.0, 1.0, passes), 200)

    @given(seed=st.integers(0, 2**32 - 1), margin=st.floats(0.05, 2.0))
    def test_freund_schapire_on_random_labels(self, seed, margin):
        rng = np.random.default_rng(seed)
        points, labels = rng.normal(size=(30, 3)), rng.choice([-1.0, 1.0], size=30)
        weights, updates = np.zeros(3), 0
        for z, label in zip(points, labels, strict=True):
            if label * (weights @ z) <= 0.0:
                weights, updates = weights + label * z, updates + 1
        radius = float(np.linalg.norm(points, axis=1).max())
        slack = hinge_slack(rng.normal(size=3), points, labels, margin)
        assert admits(freund_schapire(radius, margin, slack), updates)


def separable(rng, dim, count=40):
    """Draw points that a hyperplane through the origin separates, and its margin."""
    normal = rng.normal(size=dim)
    normal /= np.linalg.norm(normal)
    points = rng.uniform(-1, 1, (count, dim))
    scores = points @ normal
    labels = np.where(scores >= 0, 1.0, -1.0)
    margin = float(rng.uniform(0.05, 0.2))
    return points + ((np.maximum(np.abs(scores), margin) - np.abs(scores)) * labels)[:, None] * normal, labels, margin


def mistakes_of_algorithm_2(points, labels, reaches, estimate):
    """Sweep until a sweep is clean or a report lies where nobody would; also tell whether one did."""
    weights, mistakes, clean = np.zeros(points.shape[1]), 0, False
    while not clean:
        clean = True
        for z, label, reach in zip(points, labels, reaches, strict=True):
            norm = np.linalg.norm(weights)
            along = z @ weights / norm if norm > 0.0 else math.inf
            gap = estimate - along
            surrogate = z
            if 0.0 <= gap <= reach:  # on the boundary, in the end
                accepted = True
                if label < 0.0:
                    surrogate = z - along * weights / norm
            else:
                accepted = gap < 0.0
                if 0.0 < along < estimate:
                    return mistakes + (accepted != (label > 0.0)), True
            if accepted != (label > 0.0):
                weights, mistakes, clean = weights + label * surrogate, mistakes + 1, False
    return mistakes, False


def mistakes_of_algorithm_3(points, labels, alpha, radius, fake, scale_free=False):
    """Sweep until a sweep is clean; check Lemma 3 and the growth of the squared norm at every update."""
    dim = points.shape[1]
    weights, bias, chosen, mistakes = np.zeros(dim), 0.0, 0, 0
    for _ in range(10_000):
        clean = True
        for z, label in zip(points, labels, strict=True):
            surrogate = z
            if weights.any():
                reach = alpha[chosen] * weights[chosen]
                gap = reach - (z @ weights + bias)  # to the raised threshold
                accepted = gap <= reach
                if accepted and gap >= 0.0 and label < 0.0:
                    surrogate = z - (1 - gap / reach if reach > 0.0 else 0.0) * alpha[chosen] * np.eye(dim)[chosen]
            else:
                accepted = bias >= 0.0
            if accepted == (label > 0.0):
                continue
            clean = False
            mistakes += 1
            before = weights @ weights + bias**2
            longest = radius + alpha.max()
            step = 1 / (4 * np.linalg.norm(weights) + 8 * longest + 2)
            if scale_free:
                step = longest**2 / (4 * np.linalg.norm(weights) + 4 * longest)
            weights = weights + label * surrogate
            bias += label * fake
            assert all(-weights[j] <= correction(radius, alpha[j]) + 1e-9 for j in range(dim))
            weights = np.maximum(weights, 0.0)
            chosen = int(np.argmax(alpha * weights))
            weights[chosen] += step
            growth = 0.5625 * longest**2 if scale_free else 0.75
            assert weights @ weights + bias**2 <= before + surrogate @ surrogate + fake + growth + 1e-9
        if clean:
            return mistakes
    raise AssertionError("the algorithm did not converge")


class TestBadArguments:
    @pytest.mark.parametrize("name", ["radius", "margin", "alpha"])
    @pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, -1.0])
    def test_separators_through_the_origin(self, name, value):
        arguments = {"radius": 1.0, "margin": 0.5, "alpha": 0.3, name: value}
        with pytest.raises(ValueError, match=f"{name} must be .*, got {value}"):
            strategic_l2(**arguments)
        with pytest.raises(ValueError, match=f"{name} must be .*, got {value}"):
            strategic_l1(**arguments, dim=2)
        if name != "alpha":
            del arguments["alpha"]
            with pytest.raises(ValueError, match=f"{name} must be .*, got {value}"):
                novikoff(**arguments)

        for bound in OF_ALPHA:
            with pytest.raises(ValueError, match=f"{name} must be .*, got {value}"):
                bound(**{"radius": 1.0, "margin": 0.5, "alpha": 0.3, name: value})
        for bound in OF_MARGIN if name != "alpha" else ():
            with pytest.raises(ValueError, match=f"{name} must be .*, got {value}"):
                bound(**{"radius": 1.0, "margin": 0.5, name: value})

    @pytest.mark.parametrize(
        "bound, arguments, message",
        [
            (margin_perceptron, (1.0, 0.5, -1.0), "threshold must be at least 0.0, got -1.0"),
            (margin_perceptron, (1.0, 0.5, 1.0, 0.0), "learning_rate must be greater than 0.0, got 0.0"),
            (freund_schapire, (0.0, 0.5, 1.0), "radius must be greater than 0.0, got 0.0"),
            (freund_schapire, (1.0, 0.5, -1.0), "slack must be at least 0.0, got -1.0"),
            (freund_schapire, (1.0, 2.5, 1.0), "slack must be at least margin - radius = 2.5 - 1.0, got 1.0"),
            (hinge_slack, ([1.0], [[1.0]], [1], 0.0), "margin must be greater than 0.0, got 0.0"),
            (hinge_slack, ([0.0], [[1.0]], [1], 1.0), "weights must not be all zero"),
            (generalisation, (1.0, 0.5, -1), "samples must be at least 0, got -1"),
            (samples_for_error, (1.0, 0.5, 0.0), "error must be greater than 0.0, got 0.0"),
            (samples_for_error, (1.0, 0.5, 1.5), "error must be at most 1.0, got 1.5"),
            (samples_for_error, (1e200, 1.0, 0.5), "must lie within the float64 range, got radius 1e"),
        ],
    )
    def test_bounds_of_the_lecture(self, bound, arguments, message):
        with pytest.raises(ValueError, match=message):
            bound(*arguments)

    @pytest.mark.parametrize("name", ["radius", "margin"])
    def test_zero(self, name):
        with pytest.raises(ValueError, match=f"{name} must be greater than 0.0, got 0.0"):
            novikoff(**{"radius": 1.0, "margin": 0.5, name: 0.0})

    def test_margin_above_the_radius(self):
        lecture = (lambda r, m, a: margin_perceptron(r, m, 1.0), lambda r, m, a: generalisation(r, m, 9))
        for bound in (*FORMS, *lecture, lambda r, m, a: strategic_l1(r, m, a, 2)):
            with pytest.raises(ValueError, match="margin must be at most the radius 1.0, .*got 1.5"):
                bound(1.0, 1.5, 0.3)
        assert novikoff(1.0, 1.0 + 1e-15) == 1.0  # rounded

    @pytest.mark.parametrize("name", ["radius", "weights_norm", "bias", "alpha"])
    @pytest.mark.parametrize("value", [math.nan, math.inf])
    def test_separators_with_bias(self, name, value):
        arguments = {"radius": 1.0, "weights_norm": 2.0, "bias": -0.5, "alpha": 0.3}
        arguments[name] = value
        with pytest.raises(ValueError, match=f"{name} must be finite, got {value}"):
            strategic_l1_with_bias(**arguments, dim=2)
        if name != "alpha":
            del arguments["alpha"]
            with pytest.raises(ValueError, match=f"{name} must be finite, got {value}"):
                novikoff_with_bias(**arguments)

    def test_separator_that_no_point_can_satisfy(self):
        with pytest.raises(ValueError, match=r"radius \* weights_norm \+ \|bias\| >= 1, got 1.0 \* 0.5 \+ 0.2 = 0.7"):
            novikoff_with_bias(1.0, 0.5, -0.2)
        with pytest.raises(ValueError, match="weights_norm must be at least 0.0, got -1.0"):
            novikoff_with_bias(1.0, -1.0, 3.0)

    def test_dimension(self):
        with pytest.raises(ValueError, match="dim must be at least 1, got 0"):
            strategic_l1(1.0, 0.5, 0.3, dim=0)
        with pytest.raises(TypeError, match="dim must be an integer, got 2.0"):
            strategic_l1_with_bias(1.0, 0.3, 2.0, 2.0, 0.1)

    def test_kinds(self):
        with pytest.raises(TypeError, match="radius must be a number, got '1'"):
            novikoff("1", 0.5)
        with pytest.raises(TypeError, match="margin must be a number, got True"):
            novikoff(1.0, True)
        with pytest.raises(TypeError, match="samples must be an integer, got 9.0"):
            generalisation(1.0, 0.5, 9.0)

    @pytest.mark.parametrize("name", ["radius", "alpha_j"])
    def test_correction(self, name):
        with pytest.raises(ValueError, match=f"{name} must be at least 0.0, got -0.5"):
            correction(**{"radius": 1.0, "alpha_j": 1.0, name: -0.5})
