"""Mistake bounds: the papers' numbers, exact values, and what holds for all arguments."""

import math
from fractions import Fraction

import numpy as np
import pytest
from bound_forms import FORMS, PRINTED, form
from golden import GOLDEN
from hypothesis import given
from hypothesis import strategies as st

from learners.bounds import (
    admits,
    biased_l2,
    correction,
    estimated_alpha_l2,
    freund_schapire,
    generalisation,
    lemma_7,
    margin_perceptron,
    max_margin_l1,
    max_margin_l2,
    max_margin_with_bias,
    novikoff,
    novikoff_with_bias,
    samples_for_error,
    strategic_l1,
    strategic_l1_scale_free,
    strategic_l1_with_bias,
    strategic_l1_with_bias_scale_free,
    strategic_l2,
    too_large_alpha_l2,
    unknown_cost_l1_single,
    unknown_cost_l2,
    unknown_margin_l2,
)
from learners.strategic.phases import guess_budget, next_estimate, phase_budget


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
        assert strategic_l1_with_bias_scale_free(2.0, 1.0, 3.0, -4.0) == pytest.approx(25 * 25)
        assert max_margin_l2(6.0, 2.0) == 9.0
        assert max_margin_l1(6.0, 2.0, 2.0) == 16.0
        assert max_margin_with_bias(6.0, 2.0, 2.0) == 62.0
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

        # The maximum-margin learners' are no larger either, and with an intercept they lack a factor of R / gamma.
        assert max_margin_l2(radius, margin) == strategic_l2(radius, margin, alpha)
        assert max_margin_l1(radius, margin, alpha) <= strategic_l1(radius, margin, alpha, dim)
        assert max_margin_with_bias(radius, margin, alpha) <= biased_l2(radius, margin, alpha)
        free = strategic_l1_with_bias_scale_free(radius, alpha, 1 / margin, bias)
        assert free >= strategic_l1_scale_free(radius, margin, alpha)

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
