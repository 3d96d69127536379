"""Real people as numbers: tables whose columns are coded and oriented so that larger is better.

A table of `Column` is the one place that both the encoding and its documentation come from.

The reaches are assumptions, on a scale of five steps, in standard deviations of the coded column:

===== ========================================================================
alpha what a person can do about the column
===== ========================================================================
0     nothing: it is fixed, protected, or on somebody else's record
0.1   a little: it takes months
0.25  something: it takes money or another person's help
0.5   a fair amount: it takes a concession
1     a lot: it takes little more than paperwork
===== ========================================================================
"""

import gzip
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np

from agents.foundation.tables import check_fields, table_of
from agents.foundation.typing import Float
from agents.populations.groups import Groups

OTHERS = ("any other",)  # the level of every category that no other level names


@dataclass(frozen=True)
class Column:
    """How one column of the table becomes a number that is larger for a better person.

    Attributes
    ----------
    name : str
        Its heading in the table.
    alpha : float
        How far its owner can move it at cost 1, in standard deviations; 0 if it is immovable.
    why : str
        The reason for the reach, and for the order where that is not obvious.
    levels : tuple of tuple of str
        The categories from worst to best, coded 0, 1, 2, ...; categories in one inner tuple share a code.
        Empty for a column of numbers.
    sign : int
        For a column of numbers: +1 if more is better, -1 if less is (the code is the number times the sign).
    logarithm : bool
        For a column of numbers from 0 on with a long tail: ``log10(1 + number)`` takes the number's place.
    """

    name: str
    alpha: float
    why: str
    levels: tuple[tuple[str, ...], ...] = ()
    sign: int = 1
    logarithm: bool = False

    def encode(self, value: str, line: int) -> float:
        """Return the code of ``value``, which stands on ``line`` of the table.

        Raises
        ------
        ValueError
            If it is not one of the categories, not a finite number, or below 0 where its logarithm is asked for.
        """
        if not self.levels:
            number = self._number(value, line)
            return self.sign * (math.log10(1.0 + number) if self.logarithm else number)
        for code, level in enumerate(self.levels):
            if value in level or (level == OTHERS and not any(value in known for known in self.levels)):
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
        if self.logarithm and number < 0.0:
            raise ValueError(f"{self.name} on line {line} must be at least 0, got {value!r}")
        return number

    def coding(self) -> str:
        """Return the coding in words, as Markdown."""
        if not self.levels:
            number = "log10(1 + the number)" if self.logarithm else "the number"
            return number if self.sign > 0 else f"minus {number}"
        codes = (" or ".join(f"`{category}`" for category in level) for level in self.levels)
        return "; ".join(f"{code} = {categories}" for code, categories in enumerate(codes))


@dataclass(frozen=True)
class GroupColumn:
    """A column of the table that says who belongs to which group.

    Attributes
    ----------
    name : str
        What the groups are called together.
    column : str
        Its heading in the table.
    names : tuple of str
        Of the groups.
    group : callable
        Returns the group's name of an entry.
    """

    name: str
    column: str
    names: tuple[str, ...]
    group: Callable[[str], str] = str

    def entries(self, lines: Iterable[str]) -> list[str]:
        """Return everybody's group, from the ``lines`` of the file."""
        heading, rows = table_of(lines)
        at = heading.index(self.column)
        return [self.group(row[at]) for _, row in rows]


class CodedData(NamedTuple):
    """A coded table: n people, k columns.

    Attributes
    ----------
    features : ndarray (n, k) of float64
        The codes, larger for a better person, not yet standardised.
    labels : ndarray (n,) of float64
        -1 or +1.
    names : tuple of str
        The k column names.
    alphas : ndarray (k,) of float64
        The reach of every column in its standard deviations; 0 if it is immovable.
    """

    features: Float
    labels: Float
    names: tuple[str, ...]
    alphas: Float


@dataclass(frozen=True)
class CodedTable:
    """A CSV file of the package and the coding of its columns.

    Attributes
    ----------
    file : str
        Its name in this folder; packed with gzip if it ends in ``.gz``.
    columns : tuple of Column
        The features, in the file's order.
    label : Column
        The last column: two levels, the worse one first.
    left_out : tuple of str
        Columns of the file that are no features.
    groups : tuple of GroupColumn
        What people can be grouped by.
    """

    file: str
    columns: tuple[Column, ...]
    label: Column
    left_out: tuple[str, ...] = ()
    groups: tuple[GroupColumn, ...] = ()

    def load(self) -> CodedData:
        """Return the people that come with the package, in arrays of the caller's own."""
        data = _read(self)
        return CodedData(data.features.copy(), data.labels.copy(), data.names, data.alphas.copy())

    def lines(self) -> list[str]:
        """Return the lines of the file."""
        content = files("strategic_env").joinpath(f"data/{self.file}").read_bytes()
        return (gzip.decompress(content) if self.file.endswith(".gz") else content).decode("utf-8").splitlines()

    def parse(self, lines: Iterable[str]) -> CodedData:
        """Return the table whose ``lines`` of CSV begin with the heading of the packaged file.

        Raises
        ------
        ValueError
            If the heading differs, there is nobody, a line has a field too many or too few, or a value is unknown.
        """
        names = [column.name for column in (*self.columns, self.label)]
        heading, rows = table = table_of(lines)
        if [name for name in heading if name not in self.left_out] != names:
            raise ValueError(f"the heading must be {names}, got {heading}")
        if not rows:
            raise ValueError("the table must hold at least one row, got none")
        check_fields(table)
        coded = [(column, heading.index(column.name)) for column in (*self.columns, self.label)]
        codes = np.array([[column.encode(row[at], line) for column, at in coded] for line, row in rows])
        return CodedData(
            features=codes[:, :-1].copy(),
            labels=2.0 * codes[:, -1] - 1.0,
            names=tuple(names[:-1]),
            alphas=np.array([column.alpha for column in self.columns]),
        )

    def groups_of(self) -> dict[str, Groups]:
        """Return who belongs to which group, by the name of what they are grouped by."""
        return dict(_read_groups(self))

    def coding_table(self) -> str:
        """Return the coding of every column as a Markdown table.

        The correlation is that of the code with the label. The reach is given in standard deviations (alpha), and in
        units of the code, which is what alpha amounts to in this table.
        """
        data = self.load()
        lines = ["| column | code | correlation | alpha | in codes | why |", "| --- | --- | ---: | ---: | ---: | --- |"]
        for column, codes in zip(self.columns, data.features.T, strict=True):
            correlation = np.corrcoef(codes, data.labels)[0, 1]
            reach = f"{column.alpha:g} | {column.alpha * codes.std():,.2f}"
            lines.append(f"| `{column.name}` | {column.coding()} | {correlation:+.3f} | {reach} | {column.why} |")
        return "\n".join(lines)


@cache
def _read(table: CodedTable) -> CodedData:
    """Read a file once."""
    return table.parse(table.lines())


@cache
def _read_groups(table: CodedTable) -> dict[str, Groups]:
    """Read who belongs to which group once."""
    return {one.name: Groups.of(one.entries(table.lines()), one.names) for one in table.groups}
