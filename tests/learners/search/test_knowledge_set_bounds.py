"""The bounds of knowledge sets: what they are at first is the learners' own potential."""

import numpy as np
import pytest

from learners import ContextualSearch, KCentres, TwoCentres, bounds


@pytest.mark.parametrize(
    ("exponent", "values"), [(0.5, (127.8, 211.2, 393.7, 901.9, 2034.6)), (0.25, (300.1, 481.0, 866.8, 1912.0, 4182.4))]
)
def test_the_steiner_potential_for_roots_of_the_loss(exponent: float, values: tuple[float, ...]) -> None:
    found = [bounds.steiner_potential(dim, exponent) for dim in (2, 3, 5, 10, 20)]
    assert found == pytest.approx(values, abs=0.06)


@pytest.mark.parametrize("exponent", [0.25, 1.0, 2.0])
@pytest.mark.parametrize("dim", [1, 2, 7])
def test_the_first_potential_is_the_bound(dim: int, exponent: float) -> None:
    two, search = TwoCentres(2, exponent=exponent), ContextualSearch(exponent=exponent)
    pair = bounds.slack_ellipsoids(dim, exponent)
    assert two.potential(two.initial_state(1, dim))[0] == pytest.approx(pair)
    assert search.potential(search.initial_state(1, dim))[0] == pytest.approx(
        bounds.slack_ellipsoids(dim, exponent, radius=1.0)
    )
    four = KCentres(4, exponent=exponent)
    assert 2.0 * four.potential(four.initial_state(1, dim))[0] == pytest.approx(bounds.all_pairs(4, pair))
    one = TwoCentres(2, "one-scale", margin=0.1)
    assert one.potential(one.initial_state(1, dim))[0] == pytest.approx(bounds.one_scale_ellipsoid(dim, 0.1))


def test_bounds_grow_with_the_dimension_and_refuse_what_is_none() -> None:
    assert (np.diff([bounds.slack_ellipsoids(dim) for dim in range(1, 20)]) > 0.0).all()
    for wrong in ({"dim": 0}, {"dim": 2, "exponent": 0.0}, {"dim": 2, "exponent": np.nan}):
        with pytest.raises(ValueError, match="must be"):
            bounds.slack_ellipsoids(**wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="margin must be"):
        bounds.one_scale_body(2, margin=0.0)
    with pytest.raises(ValueError, match="classes must be at least 2"):
        bounds.all_pairs(1, 1.0)
