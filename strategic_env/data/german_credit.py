"""German credit as numbers: 1,000 loan applicants whose features are oriented so that larger is better.

`COLUMNS` is the one table that both the encoding (`load`) and its documentation (`coding_table`) come from.

The reaches are assumptions, on a scale of five steps, in standard deviations of the coded column:

===== ========================================================================
alpha what an applicant can do about the column
===== ========================================================================
0     nothing: it is fixed, or the lender or a register holds it
0.1   a little: it takes months
0.25  something: it takes money or another person's help
0.5   a fair amount: it takes a concession
1     a lot: it takes little more than paperwork
===== ========================================================================
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np

from agents.foundation.tables import check_fields, table_of
from agents.foundation.typing import Float


@dataclass(frozen=True)
class Column:
    """How one column of the table becomes a number that is larger for a better applicant.

    Attributes
    ----------
    name : str
        Its heading in the table.
    alpha : float
        How far its applicant can move it at cost 1, in standard deviations; 0 if it is immovable.
    why : str
        The reason for the reach, and for the order where that is not obvious.
    levels : tuple of tuple of str
        The categories from worst to best, coded 0, 1, 2, ...; categories in one inner tuple share a code.
        Empty for a column of numbers.
    sign : int
        For a column of numbers: +1 if more is better, -1 if less is (the code is the number times the sign).
    """

    name: str
    alpha: float
    why: str
    levels: tuple[tuple[str, ...], ...] = ()
    sign: int = 1

    def encode(self, value: str, line: int) -> float:
        """Return the code of ``value``, which stands on ``line`` of the table.

        Raises
        ------
        ValueError
            If it is not one of the categories, or not a finite number.
        """
        if not self.levels:
            return self.sign * self._number(value, line)
        for code, level in enumerate(self.levels):
            if value in level:
                return float(code)
        allowed = ", ".join(repr(category) for level in self.levels for category in level)
        raise ValueError(f"{self.name} on line {line} must be one of {allowed}, got {value!r}")

    def _number(self, value: str, line: int) -> float:
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise ValueError(f"{self.name} on line {line} must be a finite number, got {value!r}")
        return number

    def coding(self) -> str:
        """Return the coding in words, as Markdown."""
        if not self.levels:
            return "the number" if self.sign > 0 else "minus the number"
        codes = (" or ".join(f"`{category}`" for category in level) for level in self.levels)
        return "; ".join(f"{code} = {categories}" for code, categories in enumerate(codes))


COLUMNS = (
    Column(
        "status_of_existing_checking_account",
        1.0,
        "Money can be moved in for a day, or an overdrawn account closed. By the label, having no account should not "
        "be best; those applicants repay most often by far, so the data decides.",
        (
            ("... < 0 DM",),
            ("0 <= ... < 200 DM",),
            ("... >= 200 DM / salary assignments for at least 1 year",),
            ("no checking account",),
        ),
    ),
    Column("duration_in_month", 0.5, "One can ask for a shorter loan, at the price of higher instalments.", sign=-1),
    Column(
        "credit_history",
        0.0,
        "On record. The labels suggest nearly the reverse order; the data decides, and does not tell the two middle "
        "ones apart.",
        (
            ("no credits taken/ all credits paid back duly",),
            ("all credits at this bank paid back duly",),
            ("delay in paying off in the past", "existing credits paid back duly till now"),
            ("critical account/ other credits existing (not at this bank)",),
        ),
    ),
    Column(
        "purpose",
        1.0,
        "What the money is for is a statement on the form. Purposes have no order of their own: three groups by "
        "their share of good loans here (below 65 %, up to 75 %, above).",
        (
            ("car (new)", "business", "education", "repairs", "others"),
            ("furniture/equipment", "domestic appliances"),
            ("radio/television", "car (used)", "retraining"),
        ),
    ),
    Column("credit_amount", 0.5, "One can ask for less than one wants.", sign=-1),
    Column(
        "savings_account_and_bonds",
        0.25,
        "Money can be borrowed from the family, but it is wanted back. Unknown savings repay like 500 to 1,000 DM, "
        "so the data puts them there.",
        (
            ("... < 100 DM",),
            ("100 <= ... < 500 DM",),
            ("500 <= ... < 1000 DM", "unknown/ no savings account"),
            ("... >= 1000 DM",),
        ),
    ),
    Column(
        "present_employment_since",
        0.1,
        "Staying in a job takes time, and the employer certifies it.",
        (("unemployed",), ("... < 1 year",), ("1 <= ... < 4 years",), ("4 <= ... < 7 years",), ("... >= 7 years",)),
    ),
    Column(
        "installment_rate_in_percentage_of_disposable_income",
        0.5,
        "Income can be rounded up, or smaller instalments agreed.",
        sign=-1,
    ),
    Column(
        "personal_status_and_sex",
        0.0,
        "Fixed, and protected. Two groups by their share of good loans (60 to 65 %, and 73 %): the data tells no more "
        "apart, and the categories do not give a sex (below).",
        (
            ("female : divorced/separated/married", "male : divorced/separated"),
            ("male : single", "male : married/widowed"),
        ),
    ),
    Column(
        "other_debtors_or_guarantors",
        0.25,
        "A guarantor has to be found and to agree.",
        (("co-applicant",), ("none",), ("guarantor",)),
    ),
    Column("present_residence_since", 0.0, "In the residents' register. Longer should be better; the data is silent."),
    Column(
        "property",
        0.25,
        "A contract with a building society can be bought; a house hardly.",
        (
            ("unknown / no property",),
            ("car or other, not in attribute Savings account/bonds",),
            ("building society savings agreement/ life insurance",),
            ("real estate",),
        ),
    ),
    Column("age_in_years", 0.0, "Fixed, and protected. Older applicants repay more often."),
    Column(
        "other_installment_plans",
        0.5,
        "Plans elsewhere can be settled first, or kept quiet.",
        (("bank",), ("stores",), ("none",)),
    ),
    Column("housing", 0.1, "Few move house for a loan.", (("for free",), ("rent",), ("own",))),
    Column(
        "number_of_existing_credits_at_this_bank",
        0.0,
        "In the lender's own books. More could mean debt or trust; the data leans to trust.",
    ),
    Column(
        "job",
        0.1,
        "A title can be embellished, a job hardly. The data leans to the reverse order, within its noise, so the "
        "meaning decides.",
        (
            ("unemployed/ unskilled - non-resident",),
            ("unskilled - resident",),
            ("skilled employee / official",),
            ("management/ self-employed/ highly qualified employee/ officer",),
        ),
    ),
    Column(
        "number_of_people_being_liable_to_provide_maintenance_for",
        0.0,
        "In the register. Fewer should be better; the data is silent.",
        sign=-1,
    ),
    Column(
        "telephone",
        1.0,
        "A telephone can be registered for a small fee.",
        (("none",), ("yes, registered under the customers name",)),
    ),
    Column("foreign_worker", 0.0, "Fixed, and protected. The 37 others repay more often.", (("yes",), ("no",))),
)
LABEL = Column("creditability", 0.0, "What the learner predicts.", (("bad",), ("good",)))


class CreditData(NamedTuple):
    """The coded table: n applicants, k columns.

    Attributes
    ----------
    features : ndarray (n, k) of float64
        The codes, larger for a better applicant, not yet standardised.
    labels : ndarray (n,) of float64
        +1 for a good loan, -1 for a bad one.
    names : tuple of str
        The k column names.
    alphas : ndarray (k,) of float64
        The reach of every column in its standard deviations; 0 if it is immovable.
    """

    features: Float
    labels: Float
    names: tuple[str, ...]
    alphas: Float


def load() -> CreditData:
    """Return the 1,000 applicants (700 good, 300 bad) that come with the package, in arrays of the caller's own."""
    data = _applicants()
    return CreditData(data.features.copy(), data.labels.copy(), data.names, data.alphas.copy())


@cache
def _applicants() -> CreditData:
    """Read the applicants once."""
    return parse(files("strategic_env").joinpath("data/german_credit.csv").read_text(encoding="utf-8").splitlines())


def parse(lines: Iterable[str]) -> CreditData:
    """Return the table whose ``lines`` of CSV begin with the heading of the packaged file.

    Raises
    ------
    ValueError
        If the heading differs, there is no applicant, a line has a field too many or too few, or a value is unknown.
    """
    columns = (*COLUMNS, LABEL)
    names = [column.name for column in columns]
    heading, rows = table = table_of(lines)
    if heading != names:
        raise ValueError(f"the heading must be {names}, got {heading}")
    if not rows:
        raise ValueError("the table must hold at least one applicant, got none")
    check_fields(table)
    codes = np.array(
        [[column.encode(value, line) for column, value in zip(columns, row, strict=True)] for line, row in rows]
    )
    return CreditData(
        features=codes[:, :-1].copy(),
        labels=2.0 * codes[:, -1] - 1.0,
        names=tuple(names[:-1]),
        alphas=np.array([column.alpha for column in COLUMNS]),
    )


def coding_table() -> str:
    """Return the coding of every column as a Markdown table.

    The correlation is that of the code with the label. The reach is given in standard deviations (alpha), and in
    units of the code, which is what alpha amounts to in this table.
    """
    data = load()
    lines = ["| column | code | correlation | alpha | in codes | why |", "| --- | --- | ---: | ---: | ---: | --- |"]
    for column, codes in zip(COLUMNS, data.features.T, strict=True):
        correlation = np.corrcoef(codes, data.labels)[0, 1]
        reach = f"{column.alpha:g} | {column.alpha * codes.std():,.2f}"
        lines.append(f"| `{column.name}` | {column.coding()} | {correlation:+.3f} | {reach} | {column.why} |")
    return "\n".join(lines)
