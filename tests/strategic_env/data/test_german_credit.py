"""The German credit table: its coding and its documentation."""

import csv
import re
from hashlib import sha256
from importlib.resources import files
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest

from agents.populations.finite import standardised
from learners.separators.separable import separable_rows
from strategic_env.data.coded import CodedData
from strategic_env.data.german_credit import COLUMNS, GERMAN_CREDIT

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "german_credit.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
TABLE = files("strategic_env").joinpath("data/german_credit.csv")
# On record, or fixed: no applicant can move these.
IMMOVABLE = {
    "credit_history",
    "personal_status_and_sex",
    "present_residence_since",
    "age_in_years",
    "number_of_existing_credits_at_this_bank",
    "number_of_people_being_liable_to_provide_maintenance_for",
    "foreign_worker",
}


@pytest.fixture(scope="module")
def data() -> CodedData:
    return GERMAN_CREDIT.load()


@pytest.fixture(scope="module")
def lines() -> list[str]:
    return GERMAN_CREDIT.lines()


@pytest.fixture(scope="module")
def columns(lines: list[str]) -> dict[str, list[str]]:
    """The values of every column as they are written."""
    heading, *rows = csv.reader(lines)
    return {name: list(values) for name, *values in zip(heading, *rows, strict=True)}


def test_the_file_is_the_one_that_was_given() -> None:
    digest = sha256(TABLE.read_bytes()).hexdigest()
    assert digest == "80a46bcdca8152217a954a4ab08a4d7b9ab015cc9ebc24b1bf1f628b01f4542a"


def test_counts(data: CodedData) -> None:
    assert data.features.shape == (1000, 20)
    assert data.features.dtype == data.labels.dtype == data.alphas.dtype == np.float64
    assert np.count_nonzero(data.labels == 1) == 700
    assert np.count_nonzero(data.labels == -1) == 300
    assert data.names == tuple(column.name for column in COLUMNS)


def test_every_column_is_finite_and_varies(data: CodedData) -> None:
    assert np.isfinite(data.features).all()
    assert (data.features.std(axis=0) > 0).all()


def test_every_category_occurs(data: CodedData) -> None:
    for column, codes in zip(COLUMNS, data.features.T, strict=True):
        if column.levels:
            assert set(codes) == set(range(len(column.levels))), column.name


def test_larger_is_better_or_cannot_be_told(data: CodedData) -> None:
    noise = 2 / np.sqrt(len(data.labels))  # two standard errors of a correlation of 0
    for name, codes in zip(data.names, data.features.T, strict=True):
        assert np.corrcoef(codes, data.labels)[0, 1] > -noise, name


def test_first_applicant_by_hand(data: CodedData) -> None:
    # Overdrawn, 6 months, critical account, radio, 1,169 DM, unknown savings, over 7 years employed, rate 4, ...
    assert data.features[0].tolist() == [0, -6, 3, 2, -1169, 2, 4, -4, 1, 1, 4, 3, 67, 2, 2, 2, 2, -1, 1, 0]
    assert data.labels[0] == 1


def test_reaches(data: CodedData) -> None:
    assert {name for name, alpha in zip(data.names, data.alphas, strict=True) if alpha == 0} == IMMOVABLE
    assert (data.alphas >= 0).all()


def test_no_column_is_sorted(columns: dict[str, list[str]]) -> None:
    # Somebody once sorted the personal status, so that its values stood beside others than their own applicants.
    for name, values in columns.items():
        assert sum(1 for _ in groupby(values)) > 50, name


def test_personal_status_is_coded_by_the_shares_on_the_page(columns: dict[str, list[str]]) -> None:
    people = list(zip(columns["personal_status_and_sex"], columns["creditability"], strict=True))
    worse, better = next(column.levels for column in COLUMNS if column.name == "personal_status_and_sex")
    shares = {}
    for category in (*worse, *better):
        good, all_of_it = people.count((category, "good")), columns["personal_status_and_sex"].count(category)
        shares[category] = good / all_of_it
        assert f"| `{category}` | {all_of_it} | {100 * shares[category]:.1f} % |" in PAGE
    assert max(shares[category] for category in worse) < 0.7 < min(shares[category] for category in better)


def test_page_holds_the_generated_table() -> None:
    assert GERMAN_CREDIT.coding_table() in PAGE


def test_separable_rows_and_bounds_are_those_of_the_pages(data: CodedData) -> None:
    features = standardised(data.features)
    printed = re.findall(r"^\| (0\.\d+) \| (\d+) \| (\d+) \| (\d+) \| ([\d,]+) \|$", PAGE, re.MULTILINE)
    assert [float(row[0]) for row in printed] == [0.05, 0.1, 0.2, 0.3, 0.5]
    for margin, *counts, bound in printed:
        keep, separator = separable_rows(features, data.labels, float(margin))
        assert [int(count) for count in counts] == [keep.sum(), *((data.labels[keep] == y).sum() for y in (1, -1))]
        reached = (data.labels[keep] * (features[keep] @ separator[:-1] + separator[-1])).min()
        radius = np.linalg.norm(features[keep], axis=1).max()
        theorem = (2 + (radius + max(data.alphas)) ** 2) * (1 + separator[-1] ** 2) / reached**2
        assert bound == f"{theorem:,.0f}"
    assert f"On the {keep.sum()} applicants whom a separator classifies with a margin" in README


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("no checking account", "cheque", "status_of_existing_checking_account on line 4 must be one of .*'cheque'"),
        (",12,", ",a year,", "duration_in_month on line 4 must be a finite number, got 'a year'"),
        (",12,", ",nan,", "duration_in_month on line 4 must be a finite number, got 'nan'"),
        (",good", ",fair", "creditability on line 4 must be one of 'bad', 'good', got 'fair'"),
        (",12,", ",12,12,", "line 4 must have 21 fields, got 22"),
    ],
)
def test_strange_values_are_named(lines: list[str], old: str, new: str, message: str) -> None:
    strange = [*lines[:3], lines[3].replace(old, new, 1), *lines[4:]]
    with pytest.raises(ValueError, match=message):
        GERMAN_CREDIT.parse(strange)


def test_strange_tables_are_refused(lines: list[str]) -> None:
    with pytest.raises(ValueError, match="heading must be"):
        GERMAN_CREDIT.parse(lines[1:])
    with pytest.raises(ValueError, match="heading must be"):
        GERMAN_CREDIT.parse([])
    with pytest.raises(ValueError, match="at least one row"):
        GERMAN_CREDIT.parse(lines[:1])
