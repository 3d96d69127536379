"""The rows that a separator classifies with a margin."""

import re
import tracemalloc
from typing import Any

import numpy as np
import pytest

from agents.populations.finite import standardised
from learners.separators.separable import separable_rows
from strategic_env.data import coded, spam
from strategic_env.data.coded import CodedData
from strategic_env.data.german_credit import GERMAN_CREDIT
from strategic_env.games.scenarios import scenario
from strategic_env.games.strategic import builders


@pytest.fixture(scope="module")
def data() -> CodedData:
    return GERMAN_CREDIT.load()


@pytest.mark.parametrize("margin", [0.05, 0.1, 0.2])
def test_kept_rows_are_separated_with_the_margin(data: CodedData, margin: float) -> None:
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


def test_separable_rows_refuses_what_it_cannot_do(data: CodedData) -> None:
    features = standardised(data.features)
    with pytest.raises(ValueError, match="margin must be greater than 0"):
        separable_rows(features, data.labels, 0.0)
    with pytest.raises(ValueError, match="margin must be small enough"):
        separable_rows(features, data.labels, 100.0)
    with pytest.raises(ValueError, match="labels must be -1 or"):
        separable_rows(features, data.labels + 1, 0.1)
    with pytest.raises(ValueError, match="best weights of 0"):
        separable_rows([[1.0], [-1.0]], [-1, 1], 0.1)


@pytest.mark.parametrize("size", [1e-12, 1e15, 1e100])
def test_sizes_that_the_solver_does_not_know_are_refused(size: float) -> None:
    with pytest.raises(
        ValueError, match=rf"^features must be standardised: from 1e-09 to 1e\+14 in size, got {re.escape(str(size))}$"
    ):
        separable_rows([[size, 0.0], [-size, 0.0]], [1, -1], 0.1)
    assert separable_rows([[1e14, 0.0], [-1e14, 0.0]], [1, -1], 0.1).keep.all()


def test_memory_grows_with_the_rows_not_with_their_square() -> None:
    generator = np.random.default_rng(0)
    features = generator.normal(size=(4000, 3))
    labels = np.where(features.sum(axis=1) > 0.0, 1, -1)
    separable_rows(features[:10], labels[:10], 0.01)  # what is imported on first use does not count
    tracemalloc.start()
    separable_rows(features, labels, 0.1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4000 * 4000  # one byte for each entry of the matrix that would tell slacks apart


def test_data_are_read_and_separated_once(monkeypatch: pytest.MonkeyPatch) -> None:
    games: list[tuple[str, dict[str, Any]]] = [
        ("Spam", {}),
        ("GermanCredit", {}),
        ("GermanCredit", {"separable": True}),
    ]
    first: list[Any] = [scenario(name, **options) for name, options in games]
    for module, name in ((spam, "gzip"), (coded, "table_of"), (builders, "separable_rows")):
        monkeypatch.setattr(module, name, None)
    for one, (name, options) in zip(first, games, strict=True):
        other: Any = scenario(name, **options)
        assert (one.setting.population.features == other.setting.population.features).all()


def test_what_is_read_once_is_nobodys_to_change() -> None:
    for name, options in (("Spam", {}), ("GermanCredit", {}), ("GermanCredit", {"separable": True})):
        one: Any = scenario(name, **options).setting.population
        features, labels = one.features.copy(), one.labels.copy()
        for array in (one.features, one.labels):
            with pytest.raises(ValueError, match="read-only"):
                array[:] = 1
        other: Any = scenario(name, **options).setting.population
        assert (other.features == features).all() and (other.labels == labels).all()
    load = GERMAN_CREDIT.load
    load().features[:] = load().labels[:] = load().alphas[:] = 7.0
    assert not (load().features == 7.0).all() and load().alphas.max() == 1.0
