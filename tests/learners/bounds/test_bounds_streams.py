"""Streams that attain or respect the mistake bounds, played by a few lines of NumPy for each algorithm."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from learners.bounds import (
    admits,
    correction,
    estimated_alpha_l2,
    freund_schapire,
    hinge_slack,
    margin_perceptron,
    max_margin_l2,
    novikoff,
    strategic_l1,
    strategic_l1_scale_free,
    strategic_l1_with_bias,
    strategic_l1_with_bias_scale_free,
    strategic_l2,
    too_large_alpha_l2,
)


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

    @pytest.mark.parametrize("dim", [1, 2, 7])
    @pytest.mark.parametrize("alpha", [0.0, 0.5, 7.0])
    def test_orthonormal_negatives_attain_the_max_margin_bound(self, dim, alpha):
        points, mistakes = -np.eye(dim), 0
        for k, z in enumerate(points):
            weights = -points[:k].mean(axis=0) if k else np.zeros(dim)  # the shortest vector of their hull
            gap = alpha * np.linalg.norm(weights) - z @ weights
            mistakes += gap <= alpha * np.linalg.norm(weights)  # the surrogate point is z itself, as above
        assert mistakes == dim == pytest.approx(max_margin_l2(1.0, 1 / math.sqrt(dim)), rel=1e-12)

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
        else:
            bound = strategic_l1_with_bias_scale_free(radius, most, 1 / margin, bias / margin)
            assert admits(bound, mistakes_of_algorithm_3(points, labels, alpha, radius, True, scale_free=True))

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
                longest += fake
                step = longest**2 / (4 * math.hypot(np.linalg.norm(weights), bias) + 4 * longest)
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
