"""A table of one's own as numbers: columns by name, of a frame of pandas, a table of pyarrow, a dict or a CSV file."""

import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from agents.foundation.checks import is_real, perhaps, shown
from agents.foundation.tables import check_fields, csv_table, means, refuse_twice
from agents.foundation.typing import Float

# Which columns of text become numbers: names, or a mapping that gives the order of each, from worst to best.
Code: TypeAlias = str | Sequence[str] | Mapping[str, Sequence[object] | None]
# A column of more categories says who somebody is: an order taken from the labels would give them away.
MOST_CATEGORIES = 30
MISSING_TEXTS = frozenset({"", "na", "n/a", "nan", "null", "none", "<na>"})


@dataclass(frozen=True)
class OwnTable:
    """A table as numbers: n individuals, d columns.

    Attributes
    ----------
    names : tuple of str
        Of the d columns.
    features : ndarray (n, d) of float64
    labels : ndarray (n,) of float64
        -1 or +1.
    coding : dict of str to list of str
        The categories of every column of text, from code 0 on.
    groups : list of str
        The entries of the column that says who belongs to which group, if one does.
    """

    names: tuple[str, ...]
    features: Float
    labels: Float
    coding: dict[str, list[str]]
    groups: list[str]


@dataclass(frozen=True)
class _Columns:
    """A table as it came: entries by column, and what to call a row in an error."""

    entries: dict[str, list[Any]]
    where: Callable[[int], str]


def read_own(
    table: object,
    label: str,
    positive: object = 1,
    *,
    code: Code = (),
    left_out: Sequence[str] = (),
    groups: str | None = None,
) -> OwnTable:
    """Read a table of one's own.

    Parameters
    ----------
    table : path, DataFrame, pyarrow.Table or mapping of str to sequence
        A CSV file (UTF-8) with a header, or columns by name.
    label : str
        The column that holds the label.
    positive : object
        The entry of that column that means +1, as a text or a number; every other entry means -1.
    code : str, sequence of str, or mapping of str to sequence
        Columns of text to make numbers of: 0, 1, 2, ... in the order that a mapping gives (worst first), or else in the
        order of their shares of positive labels.
    left_out : sequence of str
        Columns that are no features.
    groups : str, optional
        A column that says who belongs to which group, and is no feature either.

    Returns
    -------
    OwnTable

    Raises
    ------
    TypeError
        If the table is none, or a name is no text.
    ValueError
        If a column is missing or comes twice, a value is missing or no number (with its row and column), or all labels
        are the same.
    OSError
        If the file cannot be read.
    """
    columns = _columns_of(table)
    orders, of_groups = _orders(code), [] if groups is None else [groups]
    for name, given in (("label", [label]), ("drop", left_out), ("groups", of_groups), ("code", orders)):
        for one in given:
            column_named(name, one, columns.entries)
    labels = _labels(columns, label, positive)
    kept = [name for name in columns.entries if name not in (label, *left_out, *of_groups)]
    if not kept:
        raise ValueError(f"the table must have a column besides the label, got {', '.join(columns.entries)}")
    features, coding = np.empty((len(labels), len(kept))), {}
    for at, name in enumerate(kept):
        if name in orders:
            features[:, at], coding[name] = _coded(columns, name, orders[name], labels)
        else:
            features[:, at] = [_number(columns, name, row, entry) for row, entry in enumerate(columns.entries[name])]
    entries = [text for name in of_groups for text in _texts(columns, name)]
    return OwnTable(tuple(kept), features, labels, coding, entries)


def column_named(argument: str, name: object, names: Sequence[str] | Mapping[str, object]) -> str:
    """Return a name if it is one of the table's columns.

    Raises
    ------
    ValueError
        If it is not.
    """
    if not isinstance(name, str) or name not in names:
        near = perhaps(name, tuple(names))
        raise ValueError(f"{argument} must name columns of {', '.join(names)}, got {shown(name)}{near}")
    return name


def _columns_of(table: Any) -> _Columns:
    if isinstance(table, (str, os.PathLike)):
        return _from_csv(os.fspath(table))
    if hasattr(table, "to_pydict") and hasattr(table, "column_names"):  # pyarrow
        names, columns = list(table.column_names), table.to_pydict().values()
    elif hasattr(table, "iloc") and hasattr(table, "columns"):  # pandas
        names = list(table.columns)
        columns = [table.iloc[:, at].tolist() for at in range(len(names))]
    elif isinstance(table, Mapping):
        names, columns = list(table), [np.asarray(column, dtype=object).tolist() for column in table.values()]
    else:
        raise TypeError(
            "table must be the path of a CSV file, a frame of pandas, a table of pyarrow, or a dict of columns, "
            f"got {shown(table)}"
        )
    for name in names:
        if not isinstance(name, str) or not name.isprintable() or not name.strip():
            raise TypeError(f"columns must be named by texts of one line, got {shown(name)}")
    refuse_twice(names, "the table")
    entries = dict(zip(names, columns, strict=True))
    if len(lengths := {len(column) for column in entries.values()}) != 1 or lengths == {0}:
        raise ValueError(f"the table must hold at least one row, and columns of one length, got {sorted(lengths)}")
    return _Columns(entries, "row {}".format)


def _from_csv(file: str) -> _Columns:
    header, body = table = csv_table(file)
    refuse_twice(header, file)
    if not body:
        raise ValueError(f"{file} must hold at least one row, got none")
    check_fields(table, f"{file}, ")
    columns = zip(*(row for _, row in body), strict=True)
    return _Columns(dict(zip(header, map(list, columns), strict=True)), lambda row: f"{file}, line {body[row][0]}")


def _orders(code: Code) -> dict[str, Sequence[object] | None]:
    if isinstance(code, Mapping):
        return dict(code)
    return dict.fromkeys([code] if isinstance(code, str) else code)


def _labels(columns: _Columns, label: str, positive: object) -> Float:
    entries = columns.entries[label]
    for row, entry in enumerate(entries):
        _refuse_missing(columns, label, row, entry)
    labels = np.array([1.0 if means(entry, positive) else -1.0 for entry in entries])
    if abs(labels.sum()) == labels.size:
        found = list(dict.fromkeys(str(entry) for entry in entries))
        raise ValueError(
            f"positive must be one of the entries of {label!r}, of which there must be others, too: "
            f"{shown(', '.join(found))}; got {positive!r}"
        )
    return labels


def _coded(
    columns: _Columns, name: str, order: Sequence[object] | None, labels: Float
) -> tuple[list[float], list[str]]:
    """Return the codes of a column, and its categories from code 0 on."""
    named = [] if order is None else [str(level) for level in order]
    texts = _texts(columns, name, named)
    levels = _by_share(name, texts, labels) if order is None else named
    codes = {level: float(code) for code, level in enumerate(levels)}
    for row, text in enumerate(texts):
        if text not in codes:
            allowed = shown(", ".join(levels))
            raise ValueError(f"{columns.where(row)}, column {name!r} must be one of {allowed}, got {text!r}")
    return [codes[text] for text in texts], levels


def _texts(columns: _Columns, name: str, named: Sequence[str] = ()) -> list[str]:
    for row, entry in enumerate(columns.entries[name]):
        if not (isinstance(entry, str) and entry in named):  # a category that its owner calls "none" is not missing
            _refuse_missing(columns, name, row, entry)
    return [str(entry) for entry in columns.entries[name]]


def _by_share(name: str, texts: Sequence[str], labels: Float) -> list[str]:
    """Return the categories of a column, in the order of their shares of positive labels."""
    entries, levels = np.array(texts), sorted(set(texts))
    if len(levels) > MOST_CATEGORIES:
        raise ValueError(
            f"code must name columns of at most {MOST_CATEGORIES} categories, got {len(levels):,} in {name!r}: "
            f"give their order yourself, or leave the column out (drop)"
        )
    return sorted(levels, key=lambda level: float(labels[entries == level].mean()))


def _number(columns: _Columns, name: str, row: int, entry: object) -> float:
    _refuse_missing(columns, name, row, entry)
    number = math.nan
    if is_real(entry) or isinstance(entry, (bool, np.bool_, str)):
        try:
            number = float(entry)
        except (ValueError, OverflowError):
            number = math.nan
    if not math.isfinite(number):
        raise ValueError(
            f"{columns.where(row)}, column {name!r} must be a finite number, got {shown(entry)}; "
            f"code=[{name!r}] makes numbers of text, drop=[{name!r}] leaves the column out"
        )
    return number


def _refuse_missing(columns: _Columns, name: str, row: int, entry: object) -> None:
    text = isinstance(entry, str) and entry.strip().casefold() in MISSING_TEXTS
    if text or entry is None or type(entry).__name__ in ("NAType", "NaTType") or entry != entry:
        raise ValueError(
            f"{columns.where(row)}, column {name!r} must not be missing, got {shown(entry)}: "
            "fill it, or leave out the row or the column"
        )
