"""The shortest vector of a set that grows: against least squares, and what each of its steps must leave as it was."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.costs import L1, L2
from agents.foundation.typing import Float
from learners.separators.shortest_vector import (
    PRECISION,
    free_row,
    shorten,
    steepest_exchange,
    step_towards,
    write_member,
)
from learners.separators.solvers import nearest_points


class Proxies:
    """Proxies of both labels on the two sides of a hyperplane, the first of each label with the whole share."""

    def __init__(self, seed: int, rows: int = 7, dim: int = 3, bias: bool = False, empty: int = 0) -> None:
        rng = np.random.default_rng(seed)
        self.labels = np.where(np.arange(rows) % 2 == 0, 1.0, -1.0)
        self.points = rng.normal(size=(rows, dim))
        self.points[:, 0] = self.labels * (0.1 + np.abs(self.points[:, 0]))
        self.labels[rows - empty :] = 0.0
        self.shares = np.zeros(rows)
        self.shares[0], self.shares[1] = (1.0, 1.0) if bias else (0.75, 0.25)
        self.bias, self.weights = bias, np.zeros(dim)

    @property
    def sum(self) -> Float:
        """What the shares make of the proxies."""
        return (self.shares * self.labels) @ self.points

    def shorten(self, norm: int = L2) -> float:
        return shorten(self.labels, self.shares, self.points, self.weights, norm, self.bias)

    def shares_add_up(self) -> bool:
        sides = [self.labels > 0, self.labels < 0] if self.bias else [np.abs(self.labels) <= 1]
        return bool((self.shares >= 0).all()) and all(abs(self.shares[side].sum() - 1.0) < 1e-9 for side in sides)


@given(
    seed=st.integers(0, 10**6), dim=st.integers(1, 4), bias=st.booleans(), empty=st.integers(0, 3),
    scale=st.sampled_from([1e-9, 1.0, 1e9]),
)  # fmt: skip
def test_it_is_that_of_least_squares_to_its_precision(
    seed: int, dim: int, bias: bool, empty: int, scale: float
) -> None:
    """The gap bounds ``|w|^2 - w.w*``, once for each hull, and that bounds ``|w - w*|^2``."""
    proxies = Proxies(seed, dim=dim, bias=bias, empty=empty)
    proxies.points *= scale
    intercept = proxies.shorten()
    there = proxies.labels != 0.0
    points, labels = proxies.points[there], proxies.labels[there]
    shares = nearest_points(points, labels, bias)
    best = (labels * shares) @ points * (2.0 if bias else 1.0)
    allowed = (2 if bias else 1) * PRECISION * proxies.weights @ proxies.weights
    assert np.sum((proxies.weights - best) ** 2) <= allowed + 1e-12 * scale**2
    assert proxies.shares_add_up() and not proxies.shares[~there].any()
    np.testing.assert_allclose(proxies.weights, proxies.sum, atol=1e-12 * scale)
    middle = proxies.shares @ (proxies.points @ proxies.weights) / 2
    assert intercept == (pytest.approx(-middle, abs=1e-12 * scale**2) if bias else 0.0)


@given(seed=st.integers(0, 10**6), dim=st.integers(1, 4))
def test_for_l1_it_is_the_shortest_of_what_is_larger_in_some_coordinates(seed: int, dim: int) -> None:
    proxies = Proxies(seed, dim=dim)
    proxies.shorten(L1)
    weights = proxies.weights
    assert (weights == np.maximum(0.0, proxies.sum)).all() or np.allclose(weights, np.maximum(0.0, proxies.sum))
    values = proxies.labels * (proxies.points @ weights)
    # Optimal up to the gap: no proxy lies further below what the vector has.
    assert values.min() >= weights @ weights * (1.0 - PRECISION) - 1e-9 or weights @ weights < 1e-5


def test_a_proxy_far_out_does_not_end_the_search_early() -> None:
    """What is negligible is measured by the longest proxy, squared: a thousandth of it is not reached here."""
    proxies = Proxies(0, rows=4, dim=2)
    proxies.points[:] = [[100.0, 0.0], [-0.2, 0.1], [0.2, 0.1], [-100.0, 0.0]]
    proxies.shorten()
    assert np.linalg.norm(proxies.weights) == pytest.approx(0.2, rel=0.01)


def test_nothing_is_sought_below_a_thousandth_of_the_longest_proxy() -> None:
    """Hulls that touch: the search ends, though there is always a better exchange."""
    proxies = Proxies(0, rows=4, dim=2)
    proxies.points[:] = [[1.0, 0.0], [1.0, 1e-9], [-1.0, 1e-9], [1.0, 0.0]]
    proxies.shorten()
    assert np.linalg.norm(proxies.weights) < 1e-2 and proxies.shares_add_up()


@given(seed=st.integers(0, 10**6), bias=st.booleans())
def test_the_steepest_exchange_is_that_of_all_pairs(seed: int, bias: bool) -> None:
    proxies = Proxies(seed, bias=bias, empty=1)
    proxies.shares[2], proxies.shares[0] = proxies.shares[0] / 2, proxies.shares[0] / 2
    weights = np.random.default_rng(seed + 1).normal(size=3)
    values = proxies.labels * (proxies.points @ weights)
    pairs = [
        (values[high] - values[low], high, low)
        for high in np.flatnonzero(proxies.shares > 0)
        for low in np.flatnonzero(proxies.labels)
        if not bias or proxies.labels[high] == proxies.labels[low]
    ]
    gap, high, low = max(pairs)
    found = steepest_exchange(proxies.labels, proxies.shares, proxies.points, weights, bias)
    assert found == ((high, low, pytest.approx(gap)) if gap > 0 else (0, 0, 0.0))


@given(seed=st.integers(0, 10**6), bias=st.booleans())
def test_a_step_goes_to_the_shortest_vector_of_the_segment(seed: int, bias: bool) -> None:
    proxies = Proxies(seed, bias=bias)
    proxies.weights[:] = before = proxies.sum
    step_towards(proxies.labels, proxies.shares, proxies.points, proxies.weights, bias, 2)
    assert proxies.shares_add_up()
    moving = proxies.labels[2] * proxies.points[2] + (proxies.labels[1] * proxies.points[1] if bias else 0.0)
    segment = [np.linalg.norm((1 - t) * before + t * moving) for t in np.linspace(0, 1, 1001)]
    assert np.linalg.norm(proxies.sum) <= min(segment) + 1e-12
    assert proxies.shares[1] == (1.0 if bias else pytest.approx(0.25 * (1 - proxies.shares[2])))


def test_the_first_proxy_of_a_label_takes_the_whole_share() -> None:
    for bias, other in ((False, 0.0), (True, 0.0), (True, 1.0)):
        proxies = Proxies(0, bias=bias)
        proxies.shares[:] = 0.0
        proxies.shares[0] = other
        step_towards(proxies.labels, proxies.shares, proxies.points, proxies.weights, bias, 3)
        assert proxies.shares.tolist() == [other, 0, 0, 1, 0, 0, 0]


@given(seed=st.integers(0, 10**6))
def test_a_step_away_is_not_taken(seed: int) -> None:
    """A proxy beyond the vector's own hyperplane keeps no share."""
    proxies = Proxies(seed)
    proxies.weights[:] = proxies.sum
    proxies.points[4] = 2.0 * proxies.weights
    before = proxies.shares.copy()
    step_towards(proxies.labels, proxies.shares, proxies.points, proxies.weights, False, 4)
    assert (proxies.shares == before).all()


def test_an_empty_row_is_used_first() -> None:
    proxies = Proxies(0, empty=2)
    assert free_row(proxies.labels, proxies.shares, proxies.points, proxies.weights, 0.0) == 5


@given(seed=st.integers(0, 10**6), intercept=st.floats(-1, 1), shift=st.integers(0, 5))
def test_then_the_proxy_without_a_share_that_has_the_largest_margin(seed: int, intercept: float, shift: int) -> None:
    proxies = Proxies(seed)
    proxies.shares = np.roll(proxies.shares, shift)
    weights = np.random.default_rng(seed + 1).normal(size=3)
    margins = proxies.labels * (proxies.points @ weights + intercept)
    margins[proxies.shares > 0] = -np.inf
    assert free_row(proxies.labels, proxies.shares, proxies.points, weights, intercept) == margins.argmax()


@given(seed=st.integers(0, 10**6), rows=st.integers(3, 8))
def test_if_all_have_shares_the_two_smallest_of_the_larger_label_become_their_mean(seed: int, rows: int) -> None:
    proxies = Proxies(seed, rows=rows)
    proxies.labels *= 1.0 if seed % 2 else -1.0
    proxies.shares[:] = np.random.default_rng(seed + 1).dirichlet(np.ones(rows))
    label = 1.0 if proxies.labels.sum() >= 0 else -1.0
    least, second = sorted(np.flatnonzero(proxies.labels == label), key=lambda row: proxies.shares[row])[:2]
    sum_before, points, shares = proxies.sum, proxies.points.copy(), proxies.shares.copy()
    free = free_row(proxies.labels, proxies.shares, proxies.points, proxies.weights, 0.0)
    assert free == least
    proxies.shares[free] = 0.0
    np.testing.assert_allclose(proxies.sum, sum_before, atol=1e-12)
    assert proxies.shares[second] == shares[least] + shares[second]
    mean = (shares[least] * points[least] + shares[second] * points[second]) / (shares[least] + shares[second])
    np.testing.assert_allclose(proxies.points[second], mean, atol=1e-12)
    kept = [row for row in range(rows) if row != second]
    assert (proxies.points[kept] == points[kept]).all()


def test_members_of_the_set_have_no_negative_coordinate_for_l1_only() -> None:
    total, out = np.array([-1.0, 0.0, 2.0]), np.zeros(3)
    write_member(total, L1, out)
    assert out.tolist() == [0, 0, 2]
    write_member(total, L2, out)
    assert out.tolist() == [-1, 0, 2]
