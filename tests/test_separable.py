"""The rows that a separator classifies with a margin."""

import numpy as np
import pytest

from agents.populations import standardised
from learners.separable import separable_rows
from strategic_env.german_credit import CreditData, load


@pytest.fixture(scope="module")
def data() -> CreditData:
    return load()


@pytest.mark.parametrize("margin", [0.05, 0.1, 0.2])
def test_kept_rows_are_separated_with_the_margin(data: CreditData, margin: float) -> None:
    features = standardised(data.features)
    keep, separator = separable_rows(features, data.labels, margin)
    weights, intercept = separator[:-1], separator[-1]
    assert (weights >= 0).all()
    assert np.linalg.norm(weights) == pytest.approx(1.0, rel=1e-12)
    scores = data.labels * (features * weights).sum(axis=1) + data.labels * intercept
    assert (scores[keep] >= margin * (1 - 1e-9)).all()
    assert (scores[~keep] < margin * (1 + 1e-9)).all()  # nobody is left out who would fit
    assert np.count_nonzero(keep) > 700  # more than a constant classifier gets right
    assert np.count_nonzero(data.labels[keep] < 0) > 100


def test_separable_people_are_all_kept() -> None:
    generator = np.random.default_rng(3)
    features = generator.normal(size=(80, 4))
    scores = features @ np.array([0.8, 0.6, 0.0, 0.0]) + 0.3
    clear = np.abs(scores) >= 0.25
    features, labels = features[clear], np.sign(scores[clear])
    assert separable_rows(features, labels, 0.01).keep.all()


def test_separable_rows_refuses_what_it_cannot_do(data: CreditData) -> None:
    features = standardised(data.features)
    with pytest.raises(ValueError, match="margin must be greater than 0"):
        separable_rows(features, data.labels, 0.0)
    with pytest.raises(ValueError, match="margin must be small enough"):
        separable_rows(features, data.labels, 100.0)
    with pytest.raises(ValueError, match="labels must be -1 or"):
        separable_rows(features, data.labels + 1, 0.1)
    with pytest.raises(ValueError, match="best weights of 0"):
        separable_rows([[1.0], [-1.0]], [-1, 1], 0.1)
