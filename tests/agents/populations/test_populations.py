"""Populations: sequences, separable balls, data sets."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import special, stats

from agents import DataSet, FixedSequence, Separable
from agents.foundation.streams import game_key
from agents.populations.arrivals import BLOCK
from agents.populations.caps import _cap, height

KEY = game_key(0)


def heights(points: np.ndarray, separator: np.ndarray, radius: float) -> np.ndarray:
    return np.asarray(points @ separator[:-1] / radius)


def share_above(height: np.ndarray, dim: int) -> np.ndarray:
    """Share of the unit ball above a height (either sign)."""
    half = 0.5 * special.betainc((dim + 1) / 2, 0.5, 1 - height**2)
    return np.where(height >= 0, half, 1 - half)


CASES = [
    (1, 1.0, 0.1, 0.0),
    (2, 1.0, 0.1, 0.0),
    (2, 3.0, 0.01, 1.0),
    (3, 1.0, 0.1, -0.5),
    (10, 0.5, 0.2, 0.1),
    (100, 1.0, 0.1, 0.0),
    (1000, 1e6, 1e5, 0.0),
    (2, 1.0, 0.9, 0.0),
    (2, 1.0, 0.001, 0.99),
    (200, 1.0, 0.1, 0.5),
    (300, 1.0, 0.1, -0.5),
    (500, 2.0, 0.2, 1.0),
    (1000, 1.0, 0.1, 0.35),
    (2, 1e100, 1e-100, 0.0),
    (2, 2e-100, 1e-100, 0.0),
]


@pytest.mark.parametrize(("dim", "radius", "margin", "bias"), CASES)
def test_separable_individuals_are_uniform_beyond_the_margin(
    dim: int, radius: float, margin: float, bias: float
) -> None:
    arrivals = Separable(dim, radius, margin, bias=bias).arrivals(KEY)
    points, labels = arrivals.points(5000)
    separator = arrivals.separator
    assert separator is not None and np.isfinite(points).all()
    assert separator[-1] == bias
    assert np.linalg.norm(separator[:-1]) == pytest.approx(1)
    assert (labels * (points @ separator[:-1] + bias)).min() >= margin * (1 - 1e-12)
    assert np.linalg.norm(points, axis=1).max() <= radius * (1 + 1e-12)
    lowest = np.array([margin - bias, margin + bias]) / radius
    shares = share_above(lowest, dim)
    positives = int((labels > 0).sum())
    assert stats.binomtest(positives, 5000, shares[0] / shares.sum()).pvalue > 1e-5
    for sign, low in zip((1.0, -1.0), lowest, strict=True):
        own = sign * heights(points[labels == sign], separator, radius)
        if own.size > 20:
            ranks = share_above(own, dim) / share_above(np.array([low]), dim)
            assert stats.kstest(ranks, "uniform").pvalue > 1e-5


@pytest.mark.parametrize("dim", [1, 2, 3, 30, 300, 1000, 5000])
@pytest.mark.parametrize("lowest", [-0.999, -0.5, -0.25, -1e-9, 0.0, 1e-9, 0.1, 0.3])
def test_heights_are_those_of_the_ball(dim: int, lowest: float) -> None:
    """The share of the ball on the smaller side of a height, to a relative 1e-7, however small it is."""
    limits, table, slopes = _cap(lowest, dim)
    uniforms = np.sort(np.random.default_rng(0).random(2000))
    found = np.array([height(u, limits, table, slopes) for u in uniforms])
    assert (found >= lowest).all() and (np.diff(found) >= 0).all()
    tail = share_above(np.abs(np.append(found, lowest)), dim)
    share = tail[-1] if lowest >= 0 else 1 - tail[-1]
    below = (tail[-1] if lowest < 0 else 1 - tail[-1]) + share * uniforms
    expected = np.where(found >= 0, share * (1 - uniforms), below)
    np.testing.assert_allclose(tail[:-1], expected, rtol=1e-7)
    for extreme in (0.0, 2.0**-53, 1 - 2.0**-53):
        assert max(lowest, -1) <= height(extreme, limits, table, slopes) <= 1


def test_a_slice_of_the_ball_is_uniform() -> None:
    """Radius of the part orthogonal to w*, given the height: uniform after the power d - 1."""
    arrivals = Separable(4, 1.0, 0.1).arrivals(KEY)
    points, _ = arrivals.points(5000)
    assert arrivals.separator is not None
    along = points @ arrivals.separator[:-1]
    rest = np.sqrt((points**2).sum(axis=1) - along**2) / np.sqrt(1 - along**2)
    assert stats.kstest(rest**3, "uniform").pvalue > 1e-4


def test_l1_separators_have_no_negative_weight() -> None:
    for seed in range(20):
        separator = Separable(3, nonnegative=True).arrivals(game_key(seed)).separator
        assert separator is not None
        assert (separator[:-1] >= 0).all()


def test_separators_are_uniform_on_the_sphere() -> None:
    directions = []
    for seed in range(2000):
        separator = Separable(2).arrivals(game_key(seed)).separator
        assert separator is not None
        directions.append(np.arctan2(separator[1], separator[0]))
    assert stats.kstest(directions, stats.uniform(-np.pi, 2 * np.pi).cdf).pvalue > 1e-4


def test_a_pool_is_fixed_and_arrivals_are_uniform_over_it() -> None:
    arrivals = Separable(2, pool=5).arrivals(KEY)
    points, _ = arrivals.points(5000)
    distinct, counts = np.unique(points, axis=0, return_counts=True)
    assert len(distinct) == 5
    assert stats.chisquare(counts).pvalue > 1e-4


@pytest.mark.parametrize("pool", [None, 50])
def test_a_frozen_population_meets_other_arrivals_of_the_same_kind(pool: int | None) -> None:
    population = Separable(3, pool=pool)
    one, other = (population.arrivals(game_key(seed), game_key(9)) for seed in (1, 2))
    assert one.separator is not None and other.separator is not None
    assert (one.separator == other.separator).all()
    assert not (one.points(10)[0] == other.points(10)[0]).all()
    if pool:
        assert (one.features == other.features).all()


@pytest.mark.parametrize("noise", [0.0, 0.25, 1.0])
def test_label_noise_flips_that_share(noise: float) -> None:
    _, clean = Separable(2).arrivals(KEY).points(4000)
    _, noisy = Separable(2, noise=noise).arrivals(KEY).points(4000)
    assert stats.binomtest(int((clean != noisy).sum()), 4000, noise).pvalue > 1e-5


def test_any_round_can_be_computed_at_any_time() -> None:
    population = Separable(3, noise=0.2)
    points, labels = population.arrivals(KEY).points(10 * BLOCK)
    arrivals = population.arrivals(KEY)
    for first in (5 * BLOCK, 0, 3 * BLOCK):
        arrivals.fill(first)
        assert (arrivals.features[arrivals.index] == points[first : first + BLOCK]).all()
        assert (arrivals.label == labels[first : first + BLOCK]).all()


def test_a_sequence_plays_its_head_once_and_its_block_for_ever() -> None:
    population = FixedSequence([([9.0], 1)], [([1.0], 1), ([2.0], -1)])
    points, labels = population.arrivals(KEY).points(6)
    assert points[:, 0].tolist() == [9, 1, 2, 1, 2, 1]
    assert labels.tolist() == [1, 1, -1, 1, -1, 1]
    assert population.radius == 9


def test_a_data_set_is_standardised_and_passed_over_in_random_orders() -> None:
    rng = np.random.default_rng(0)
    features, labels = rng.normal(3, 2, (30, 4)), rng.choice([-1, 1], 30)
    population = DataSet(features, labels)
    assert population.features.mean(axis=0) == pytest.approx(np.zeros(4), abs=1e-12)
    assert population.features.std(axis=0) == pytest.approx(np.ones(4))
    points, marks = population.arrivals(KEY).points(60)
    for one_pass in (points[:30], points[30:]):
        assert (np.sort(one_pass, axis=0) == np.sort(population.features, axis=0)).all()
    assert not (points[:30] == points[30:]).all()
    assert marks[:30].sum() == marks[30:].sum() == labels.sum()


def test_frames_and_files_give_the_same_population_as_arrays(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0, 4.0], "b": [0, 1, 0], "y": ["yes", "no", "yes"]})
    frame.to_csv(tmp_path / "data.csv", index=False)
    arrays = DataSet(frame[["a", "b"]].to_numpy(), [1, -1, 1])
    table = DataSet(frame[["a", "b"]], [1, -1, 1])
    file = DataSet.from_csv(tmp_path / "data.csv", label="y", positive="yes")
    for other in (table, file):
        assert (other.features == arrays.features).all()
        assert (other.labels == arrays.labels).all()


def test_the_range_of_numbers_is_enough_to_standardise() -> None:
    features = np.array([[1.0, 2.0], [3.0, 1.0], [2.0, 2.0]])
    expected = DataSet(features, [1, -1, 1]).features
    for factors in ([2.0**330, 2.0**330], [2.0**-332, 2.0**-332], [2.0**330, 2.0**-332]):
        np.testing.assert_array_equal(DataSet(features * factors, [1, -1, 1]).features, expected)


def test_a_file_may_have_a_byte_order_mark_and_blank_lines(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_text("\ufeff\n\ny,a\n\nyes,1\n  \nno,2\n\n", encoding="utf-8")
    population = DataSet.from_csv(path, label="y", positive="yes", standardise=False)
    assert population.features.tolist() == [[1.0], [2.0]]
    assert population.labels.tolist() == [1.0, -1.0]
    path.write_text("y,a\n\nyes,1\n\nno,b\n", encoding="utf-8")
    with pytest.raises(ValueError, match="line 5, column 'a' must be a finite number, got 'b'"):
        DataSet.from_csv(path, label="y", positive="yes")


@pytest.mark.parametrize("scale", [5e-324, 1e-200, 1.0, 1e300])
def test_a_margin_keeps_the_rows_beyond_it(scale: float) -> None:
    population = DataSet(
        [[1.0], [0.2], [-1.0], [2.0]], [1, 1, -1, -1], standardise=False, separator=[2.0 * scale, 0.0], margin=0.5
    )
    assert population.features[:, 0].tolist() == [1.0, -1.0]
    assert population.margin == 0.5


ROW = [[1.0, 2.0], [2.0, 1.0]]
PAIRS = r"{} must be a list of pairs \(features, label\), got {}"
BAD: list[tuple[Any, str]] = [
    (lambda: Separable(0), "dim must be at least 1, got 0"),
    (lambda: Separable(2.5), "dim must be an integer, got 2.5"),  # type: ignore[arg-type]
    (lambda: Separable(margin=0.0), "margin must be greater than 0"),
    (lambda: Separable(margin=float("nan")), "margin must be finite"),
    (lambda: Separable(margin=1.0), r"\|bias\| \+ margin must be less than radius, got bias 0.0, margin 1.0 and rad"),
    (lambda: Separable(bias=-0.95), "must be less than radius, got bias -0.95, margin 0.1 and radius 1.0"),
    (lambda: Separable(bias=1e308), r"must be less than radius, got bias 1e\+308, margin 0.1 and radius 1.0"),
    (lambda: Separable(bias=float("nan")), "bias must be finite"),
    (lambda: Separable(radius=1e-200), "radius must be at least 1e-100 unless it is 0, got 1e-200"),
    (lambda: Separable(radius=1e101), r"radius must be at most 1e\+100, got 1e\+101"),
    (lambda: Separable(margin=1e-200), "margin must be at least 1e-100 unless it is 0, got 1e-200"),
    (lambda: Separable(radius=10**400), "radius must be finite, got 1000"),
    (lambda: Separable(dim=10**400), "dim must be at most 1048576, got 1000"),
    (lambda: Separable(pool=10**400), "pool must be at most 67108864, got 1000"),
    (lambda: Separable(alpha=(0.1, 1e-200)), "alpha must be at least 1e-100 unless it is 0, got 1e-200"),
    (lambda: Separable(alpha=(0.2, 0.1)), r"alpha must be an interval \(smallest, largest\), got \(0.2, 0.1\)"),
    (lambda: Separable(alpha=0.2), "alpha must have shape \\(2,\\), got \\(\\)"),  # type: ignore[arg-type]
    (lambda: Separable(nonnegative="yes"), "nonnegative must be True or False, got 'yes'"),  # type: ignore[arg-type]
    (lambda: Separable(radius=float("inf")), "radius must be finite"),
    (lambda: Separable(radius=-1.0), "radius must be greater than 0"),
    (lambda: Separable(noise=1.5), "noise must be at most 1"),
    (lambda: Separable(pool=0), "pool must be at least 1"),
    (lambda: Separable(5000, margin=0.5), "margin and bias must leave more of the ball"),
    (lambda: FixedSequence([([1.0], 1)], []), "block must hold at least one"),
    (lambda: FixedSequence([], [([1.0], 2)]), "labels must be -1 or \\+1, got 2"),
    (lambda: FixedSequence([], [([1.0], 1), ([1.0, 2.0], 1)]), "features must be a rectangular array"),
    (lambda: FixedSequence([], [([1e200], 1)]), r"features must be at most 1e\+100 in size, got 1e\+200 at index"),
    (lambda: FixedSequence([], [([1e-200], 1)]), "features must reach 1e-100 in size unless .* got 1e-200 in column 0"),
    (lambda: FixedSequence([], [(np.ma.array([1.0, 2.0], mask=[0, 1]), 1)]), "features must hold .* a masked array"),
    (lambda: FixedSequence(None, [([1.0], 1)]), PAIRS.format("head", "None")),  # type: ignore[arg-type]
    (lambda: FixedSequence([], (i for i in [([1.0], 1)])), PAIRS.format("block", "<gen")),  # type: ignore[arg-type]
    (lambda: FixedSequence([], [1, 2]), PAIRS.format("block", "1 in it")),  # type: ignore[list-item]
    (lambda: FixedSequence([], [([1.0], 1, 1)]), PAIRS.format("block", r"\(\[1.0\], 1, 1\)")),  # type: ignore[list-item]
    (lambda: FixedSequence([], "ab"), PAIRS.format("block", "'ab'")),  # type: ignore[arg-type]
    (lambda: DataSet([], []), "features must have shape"),
    (lambda: DataSet(np.empty((0, 2)), []), "features must have shape"),
    (lambda: DataSet(ROW, [1]), "labels must have shape \\(2,\\), got \\(1,\\)"),
    (lambda: DataSet(ROW, [0, 1]), "labels must be -1 or \\+1, got 0"),
    (lambda: DataSet([[1.0, np.nan], [2.0, 1.0]], [1, -1]), "features must be finite, got nan at index \\(0, 1\\)"),
    (lambda: DataSet([[1.0, 3.0], [1.0, 2.0]], [1, -1]), "constant column 0"),
    (lambda: DataSet(pd.DataFrame({"age": [1, 1], "b": [1, 2]}), [1, -1]), "constant column 'age'"),
    (lambda: DataSet([[0.3], [0.1 + 0.2], [0.3]], [1, -1, 1]), "constant column 0"),
    (lambda: DataSet([[1.0, "b"]], [1]), r"features must hold real numbers, got 'b' at index \(0, 1\) \(<U"),
    (lambda: DataSet(np.array(ROW) * 1e160, [1, -1]), r"features must be at most 1e\+100 in size, got 1e\+160"),
    (lambda: DataSet(np.array(ROW) * 1e-170, [1, -1]), "features must reach 1e-100 in size unless .* in column 0"),
    (lambda: DataSet(np.array(ROW) * [1, 1e-170], [1, -1], standardise=False), "features must reach .* in column 1"),
    (lambda: DataSet(ROW, [1, -1], standardise="no"), "standardise must be True or False"),  # type: ignore[arg-type]
    (lambda: DataSet(ROW, [1, -1], separator=[1, 0, 0], margin=1e-200), "margin must be at least 1e-100"),
    (lambda: DataSet(ROW, [1, -1], separator=[1e-300, 0, 1], margin=0.1), "separator must have a bias of at most"),
    (lambda: DataSet(ROW, [1, -1], margin=0.1), "separator and margin go together"),
    (lambda: DataSet(ROW, [1, -1], separator=[0, 0, 1], margin=0.1), "separator must have weights"),
    (lambda: DataSet(ROW, [1, -1], separator=[1, 0, 0], margin=9.0), "margin must leave at least one row"),
]


@pytest.mark.parametrize(("build", "message"), BAD, ids=[message for _, message in BAD])
def test_bad_input_is_one_clear_error(build: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        build()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "label must be one of the columns"),
        ("a,b\n1,2\n", "label must be one of the columns a, b, got 'y'"),
        ("a,y\n", "must hold at least one row"),
        ("a,y\nx,yes\n", "data.csv, line 2, column 'a' must be a finite number, got 'x'"),
        ("a,y\nnan,yes\n2,no\n", "data.csv, line 2, column 'a' must be a finite number, got 'nan'"),
        ("a,a,y\n1,2,yes\n", "data.csv must have one column of each name, got 'a' more than once"),
        ("a,y\n,yes\n", "line 2, column 'a' must be a finite number, got ''"),
        ("\n\n", "label must be one of the columns"),
        ("a,y\n" + "1" * 200_000 + ",yes\n", "data.csv must be a CSV file in UTF-8: field larger than"),
        ("a,y\n1,no\n2,no\n", "positive must occur in the column 'y', got 'yes'"),
        ("a,y\n1\n", "line 2 must have 2 fields, got 1"),
    ],
)
def test_a_bad_file_is_one_clear_error(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        DataSet.from_csv(path, label="y", positive="yes")


@pytest.mark.parametrize("content", ["a,y\n1,é\n".encode("latin-1"), "a,y\n1,yes\n".encode("utf-16")])
def test_a_file_in_another_encoding_is_one_clear_error(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="data.csv must be a CSV file in UTF-8: 'utf-8' codec can't decode"):
        DataSet.from_csv(path, label="y", positive="yes")
