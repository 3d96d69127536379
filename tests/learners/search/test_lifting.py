"""Distances are linear in lifted queries: the identity, the lengths, and what is refused."""

import math
from typing import Any

import numpy as np
import pytest
from centres_oracle import in_ball

from learners.search.lifting import Lift, fits, lift


def lifted(how: Lift, query: Any) -> Any:
    out = np.empty(how.dim(len(query)))
    lift(how.kind, np.asarray(query, dtype=float), out)
    return out


def lifted_centre(how: Lift, centre: Any) -> Any:
    """Return psi(a), such that ``|q - b|^p - |q - a|^p`` is scale times ``<phi(q), psi(a) - psi(b)>``."""
    p, d = int(how.power), len(centre)
    if how.levels:
        grid = np.linspace(-1.0, 1.0, how.levels)
        powers = np.abs(grid[np.newaxis] - np.asarray(centre)[:, np.newaxis]) ** how.power
        return -powers.ravel() * math.sqrt(d) / how.scale(d)
    terms = [[math.sqrt(math.comb(p, m)) * (-1) ** (p - m + 1) * a ** (p - m) for m in range(1, p)] for a in centre]
    return np.concatenate([[-sum(a**p for a in centre)], *terms]) * 2.0 ** (p / 2) / how.scale(d)


@pytest.mark.parametrize("how", [Lift("euclidean"), Lift(p=2), Lift(p=4), Lift(p=6), Lift(p=1, levels=5)], ids=vars)
@pytest.mark.parametrize("dim", [1, 2, 5])
def test_differences_of_powers_of_distances_are_linear_in_the_lifted_query(how: Lift, dim: int) -> None:
    rng = np.random.default_rng(dim)
    for query, first, second in in_ball(rng, 200, 3, dim):
        if how.levels:
            query = np.round((query + 1.0) * 0.5 * (how.levels - 1)) * 2.0 / (how.levels - 1) - 1.0
        phi, pull = lifted(how, query), lifted_centre(how, first) - lifted_centre(how, second)
        gap = (np.abs(query - second) ** how.power - np.abs(query - first) ** how.power).sum()
        assert how.scale(dim) * phi @ pull == pytest.approx(gap, abs=1e-12)
        assert np.linalg.norm(phi) <= 1.0 + 1e-12 and np.linalg.norm(pull) <= 2.0 + 1e-12


@pytest.mark.parametrize("how", [Lift(), Lift("euclidean"), Lift(p=8), Lift(p=3, levels=4)], ids=vars)
def test_lifted_queries_are_short_and_finite_however_long_the_query(how: Lift) -> None:
    rng = np.random.default_rng(0)
    for size in (1e-320, 1.0, 3.0, 1e20, 1e100):
        phi = lifted(how, rng.standard_normal(3) * size)
        assert np.isfinite(phi).all() and np.linalg.norm(phi) <= 1.0 + 1e-12


def test_a_long_query_compares_centres_as_the_distances_do() -> None:
    rng = np.random.default_rng(1)
    for how in (Lift("euclidean"), Lift(p=4)):
        for _ in range(50):
            query, (first, second) = 7.0 * rng.standard_normal(3), in_ball(rng, 2, 3)
            gap = (np.abs(query - second) ** how.power - np.abs(query - first) ** how.power).sum()
            assert np.sign(lifted(how, query) @ (lifted_centre(how, first) - lifted_centre(how, second))) == np.sign(
                gap
            )


def test_dimensions_fit_their_kind_alone() -> None:
    for how in (Lift(), Lift("euclidean"), Lift(p=4), Lift(p=1, levels=7)):
        assert [n for n in range(1, 22) if fits(how.kind, 3, n) and n == how.dim(3)] == [how.dim(3)]
    assert not fits(-1, 3, 3) and not fits(99, 3, 3) and not fits(0, 3, 4)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"similarity": "cosine"}, "similarity must be one of 'inner', 'euclidean', got 'cosine'"),
        ({"p": 3}, "p must be even where queries have no levels, got 3"),
        ({"p": 0.5}, "p must be at least 1"),
        ({"p": 1, "levels": 1}, "levels must be at least 2"),
        ({"p": 65}, "p must be at most 64"),
        ({"p": "two"}, "p must be a number"),
    ],
)
def test_what_cannot_be_lifted_is_refused(arguments: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=f"^{message}"):
        Lift(**arguments)
