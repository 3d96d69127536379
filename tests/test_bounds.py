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
    correction,
    novikoff,
    novikoff_with_bias,
    strategic_l1,
    strategic_l1_with_bias,
    strategic_l2,
)

GOLDEN = json.loads((Path(__file__).parent / "data" / "strategic_golden.json").read_text())


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


class TestFormulas:
    def test_exact_values(self):
        assert novikoff(6.0, 2.0) == 9.0
        assert novikoff_with_bias(2.0, 3.0, -1.0) == pytest.approx(5 * 10)
        assert strategic_l2(6.0, 2.0, 2.0) == 9.0
        assert strategic_l2(6.0, 2.0, 2.0, printed=True) == 16.0
        assert strategic_l1(6.0, 2.0, 2.0, dim=3) == pytest.approx(65 / 4)
        assert strategic_l1(6.0, 2.0, 2.0, dim=3, printed=True) == pytest.approx(257 / 4)
        assert correction(1.5, 0.25) == 1.75

    def test_the_printed_bound_with_bias_reads_the_bias_without_sign(self):
        # As printed, with the signed b, it would be 0 here, where three mistakes occur.
        assert strategic_l1_with_bias(2.0, 0.0, 1, 1.0, -1.0, printed=True) == pytest.approx((1 + 2 * 9) * 4)

    def test_a_bound_beyond_float64_is_infinite(self):
        assert strategic_l2(1e200, 1e-200, 0.5) == math.inf
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

    @given(radius=st.floats(1e-3, 1e3), share=st.floats(1e-3, 1.0), scale=st.floats(1e-6, 1e6))
    def test_scale_of_the_data_does_not_enter_novikoff(self, radius, share, scale):
        margin = share * radius
        assert novikoff(scale * radius, scale * margin) == pytest.approx(novikoff(radius, margin), rel=1e-12)


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


def mistakes_of_algorithm_3(points, labels, alpha, radius, fake):
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
            step = 1 / (4 * np.linalg.norm(weights) + 8 * (radius + alpha.max()) + 2)
            weights = weights + label * surrogate
            bias += label * fake
            assert all(-weights[j] <= correction(radius, alpha[j]) + 1e-9 for j in range(dim))
            weights = np.maximum(weights, 0.0)
            chosen = int(np.argmax(alpha * weights))
            weights[chosen] += step
            assert weights @ weights + bias**2 <= before + surrogate @ surrogate + fake + 0.75 + 1e-9
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

    @pytest.mark.parametrize("name", ["radius", "margin"])
    def test_zero(self, name):
        with pytest.raises(ValueError, match=f"{name} must be greater than 0.0, got 0.0"):
            novikoff(**{"radius": 1.0, "margin": 0.5, name: 0.0})

    def test_margin_above_the_radius(self):
        for bound, others in ((novikoff, ()), (strategic_l2, (0.3,)), (strategic_l1, (0.3, 2))):
            with pytest.raises(ValueError, match="margin must be at most the radius 1.0, .*got 1.5"):
                bound(1.0, 1.5, *others)
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

    @pytest.mark.parametrize("name", ["radius", "alpha_j"])
    def test_correction(self, name):
        with pytest.raises(ValueError, match=f"{name} must be at least 0.0, got -0.5"):
            correction(**{"radius": 1.0, "alpha_j": 1.0, name: -0.5})
