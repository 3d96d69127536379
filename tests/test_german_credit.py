"""The German credit table: its coding and its documentation."""

from hashlib import sha256
from importlib.resources import files
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest

from strategic_env.german_credit import COLUMNS, CreditData, coding_table, load, parse

PAGE = Path(__file__).parents[1] / "docs" / "german_credit.md"
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
def data() -> CreditData:
    return load()


@pytest.fixture(scope="module")
def lines() -> list[str]:
    return TABLE.read_text(encoding="utf-8").splitlines()


def test_the_file_is_the_one_that_was_given() -> None:
    digest = sha256(TABLE.read_bytes()).hexdigest()
    assert digest == "2c0bae00275c028fc853a1ea72cc7a68002c3f6876c41300c5c948711540c8c6"


def test_counts(data: CreditData) -> None:
    assert data.features.shape == (1000, 20)
    assert data.features.dtype == data.labels.dtype == data.alphas.dtype == np.float64
    assert np.count_nonzero(data.labels == 1) == 700
    assert np.count_nonzero(data.labels == -1) == 300
    assert data.names == tuple(column.name for column in COLUMNS)


def test_every_column_is_finite_and_varies(data: CreditData) -> None:
    assert np.isfinite(data.features).all()
    assert (data.features.std(axis=0) > 0).all()


def test_every_category_occurs(data: CreditData) -> None:
    for column, codes in zip(COLUMNS, data.features.T, strict=True):
        if column.levels:
            assert set(codes) == set(range(len(column.levels))), column.name


def test_larger_is_better_or_cannot_be_told(data: CreditData) -> None:
    noise = 2 / np.sqrt(len(data.labels))  # two standard errors of a correlation of 0
    for name, codes in zip(data.names, data.features.T, strict=True):
        assert np.corrcoef(codes, data.labels)[0, 1] > -noise, name


def test_first_applicant_by_hand(data: CreditData) -> None:
    # Overdrawn, 6 months, critical account, radio, 1,169 DM, unknown savings, over 7 years employed, rate 4, ...
    assert data.features[0].tolist() == [0, -6, 3, 2, -1169, 2, 4, -4, 0, 1, 4, 3, 67, 2, 2, 2, 2, -1, 1, 0]
    assert data.labels[0] == 1


def test_reaches(data: CreditData) -> None:
    assert {name for name, alpha in zip(data.names, data.alphas, strict=True) if alpha == 0} == IMMOVABLE
    assert (data.alphas >= 0).all()


def test_personal_status_is_sorted_in_this_copy(lines: list[str]) -> None:
    # The page warns of it; should the file be repaired one day, the page and the column's orientation must follow.
    column = [line.split(",") for line in lines[1:]]
    categories = [next(field for field in row if field.startswith(("male :", "female :"))) for row in column]
    assert [len(list(run)) for _, run in groupby(categories)] == [50, 310, 548, 92]


def test_page_holds_the_generated_table() -> None:
    assert coding_table() in PAGE.read_text(encoding="utf-8")


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
        parse(strange)


def test_strange_tables_are_refused(lines: list[str]) -> None:
    with pytest.raises(ValueError, match="heading must be"):
        parse(lines[1:])
    with pytest.raises(ValueError, match="heading must be"):
        parse([])
    with pytest.raises(ValueError, match="at least one applicant"):
        parse(lines[:1])
