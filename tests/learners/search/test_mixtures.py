"""The matrix lemma, and the program that finds what it promises."""

import numpy as np
import pytest
from centres_oracle import paid

from learners.search.mixtures import maximise, pays, write_paid


def gains_of(rng: np.random.Generator, classes: int, kind: str) -> np.ndarray:
    """Return a matrix with ``M + M^T >= 0``, its entries over six orders of magnitude."""
    sizes = 10.0 ** rng.uniform(-6.0, 0.0, (classes, classes))
    skew = np.triu(sizes * rng.choice([-1.0, 1.0], sizes.shape), 1)
    if kind == "tournament":
        skew = np.triu(np.sign(skew), 1)
    gains = skew - skew.T
    if kind == "positive":
        gains += sizes * (rng.random(sizes.shape) < 0.3)
    return gains


@pytest.mark.parametrize("kind", ["skew", "positive", "tournament"])
@pytest.mark.parametrize("classes", range(2, 9))
def test_a_mixture_that_is_paid_for_always_exists_and_is_found(kind: str, classes: int) -> None:
    rng = np.random.default_rng(classes)
    for _ in range(20):
        check_one(rng, classes, kind)


def check_one(rng: np.random.Generator, classes: int, kind: str) -> None:
    gains, scores = gains_of(rng, classes, kind), rng.integers(0, classes, classes).astype(float)
    found = np.full(classes, np.nan)
    assert write_paid(gains, scores, found)
    assert found.min() >= 0.0 and found.sum() == pytest.approx(1.0)
    sizes = np.abs(gains).max(axis=1)
    assert (gains @ found >= -1e-7 * np.maximum(sizes, 1e-300)).all()
    _, best = paid(gains / np.where(sizes > 0.0, sizes, 1.0)[:, np.newaxis], scores)
    assert scores @ found >= best - 1e-2  # with entries over six orders, both rest on tolerances


@pytest.mark.parametrize("classes", range(2, 9))
def test_without_the_assumption_nothing_is_found(classes: int) -> None:
    rng = np.random.default_rng(classes)
    for _ in range(20):
        skew = np.triu(rng.normal(size=(classes, classes)), 1)
        found = np.empty(classes)
        assert not write_paid(skew - skew.T - 0.3, np.ones(classes), found) and (found == 0.0).all()


def test_a_winner_of_every_pair_is_paid_and_a_cycle_is_shared() -> None:
    cycle = np.array([[0.0, 1.0, -1.0], [-1.0, 0.0, 1.0], [1.0, -1.0, 0.0]])
    assert not any(pays(cycle, label) for label in range(3))
    found = np.empty(3)
    assert write_paid(cycle, np.ones(3), found)
    np.testing.assert_allclose(found, 1.0 / 3.0)
    # Whatever the truth is, nobody loses by naming 0.
    assert [pays(np.array([[0.0, -2.0], [2.0, 0.0]]), label) for label in range(2)] == [True, False]


def test_the_simplex_method_solves_a_known_program() -> None:
    # Dantzig's example: maximise 3 x + 5 y with x <= 4, 2 y <= 12, 3 x + 2 y <= 18.
    table = np.array([[1.0, 0.0, 4.0], [0.0, 2.0, 12.0], [3.0, 2.0, 18.0], [-3.0, -5.0, 0.0]])
    basis = maximise(table, 1e-9)
    values = dict(zip(basis.tolist(), table[:-1, -1].tolist(), strict=True))
    assert (values[0], values[1], table[-1, -1]) == pytest.approx((2.0, 6.0, 36.0))
