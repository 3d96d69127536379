"""A CSV file as features and labels."""

import csv
import math
import os
from collections.abc import Iterable, Sequence
from typing import TypeAlias

# A header, and the entries of every other line with the number of the line.
Table: TypeAlias = tuple[list[str], list[tuple[int, list[str]]]]


def read_table(path: str | os.PathLike[str], label: str, positive: object) -> tuple[list[list[float]], list[float]]:
    """Read a CSV file (UTF-8) with a header; every column but ``label`` must be numeric. Blank lines do not count.

    Parameters
    ----------
    path : str or path-like
        The file.
    label : str
        Name of the column that holds the label.
    positive : object
        The entry of that column that means +1, as a text or a number (`means`); every other entry means -1.

    Returns
    -------
    features : list of list of float
        A row of numbers for each individual.
    labels : list of float
        -1 or +1.

    Raises
    ------
    ValueError
        For a file that is no CSV in UTF-8, a column or an entry that is missing, two columns of one name, no rows,
        rows of different lengths, or an entry that is no finite number.
    """
    file = os.fspath(path)
    header, body = csv_table(file)
    if label not in header:
        raise ValueError(f"label must be one of the columns {', '.join(header)}, got {label!r}")
    refuse_twice(header, file)
    if not body:
        raise ValueError(f"{file} must hold at least one row, got none")
    check_fields((header, body), f"{file}, ")
    at = header.index(label)
    features = [
        [_parse(entry, file, line, name) for name, entry in zip(header, entries, strict=True) if name != label]
        for line, entries in body
    ]
    marks = [1.0 if means(entries[at], positive) else -1.0 for _, entries in body]
    if 1.0 not in marks:
        raise ValueError(f"positive must occur in the column {label!r}, got {positive!r}")
    return features, marks


def table_of(lines: Iterable[str]) -> Table:
    """Return what the lines of a CSV file say; blank ones do not count."""
    reader = csv.reader(lines)
    (_, header), *body = [
        (reader.line_num, entries) for entries in reader if len(entries) > 1 or "".join(entries).strip()
    ] or [(1, [])]
    return header, body


def check_fields(table: Table, where: str = "") -> None:
    """Make sure that every line has as many entries as the header."""
    header, body = table
    for line, entries in body:
        if len(entries) != len(header):
            raise ValueError(f"{where}line {line} must have {len(header)} fields, got {len(entries)}")


def refuse_twice(names: Sequence[str], where: str) -> None:
    """Make sure that no two columns have the same name."""
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise ValueError(f"{where} must have one column of each name, got {twice[0]!r} more than once")


def means(entry: object, positive: object) -> bool:
    """Whether an entry is the wanted one, as a text or as a number: 1, 1.0, True and "1" mean the same."""
    if str(entry) == str(positive):
        return True
    try:
        return float(entry) == float(positive)  # type: ignore[arg-type]  # what is no number raises
    except (TypeError, ValueError, OverflowError):
        return False


def csv_table(file: str) -> Table:
    """Return what a CSV file in UTF-8 says.

    Raises
    ------
    ValueError
        If it is none.
    OSError
        If it cannot be read.
    """
    if os.path.exists(file) and not os.path.isfile(file) and not os.path.isdir(file):  # a pipe may be silent for ever
        raise OSError(f"{file} must be a CSV file, got a pipe, socket or device")
    with open(file, newline="", encoding="utf-8-sig") as text:  # a byte-order mark is no part of the first name
        try:
            return table_of(text)
        except (csv.Error, UnicodeDecodeError) as error:
            raise ValueError(f"{file} must be a CSV file in UTF-8: {error}") from error


def _parse(entry: str, file: str, line: int, column: str) -> float:
    try:
        number = float(entry)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f"{file}, line {line}, column {column!r} must be a finite number, got {entry!r}")
    return number
