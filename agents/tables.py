"""A CSV file as features and labels."""

import csv
import os


def read_table(path: str | os.PathLike[str], label: str, positive: str) -> tuple[list[list[float]], list[float]]:
    """Read a CSV file with a header; every column but ``label`` must be numeric.

    Parameters
    ----------
    path : str or path-like
        The file.
    label : str
        Name of the column that holds the label.
    positive : str
        The entry of that column that means +1; every other entry means -1.

    Returns
    -------
    features : list of list of float
        A row of numbers for each individual.
    labels : list of float
        -1 or +1.

    Raises
    ------
    ValueError
        For a column or an entry that is missing, no rows, rows of different lengths, or an entry that is no number.
    """
    with open(path, newline="", encoding="utf-8") as file:
        header, *body = list(csv.reader(file)) or [[]]
    if label not in header:
        raise ValueError(f"label must be one of the columns {', '.join(header)}, got {label!r}")
    if not body:
        raise ValueError(f"{os.fspath(path)} must hold at least one row, got none")
    at = header.index(label)
    for row, entries in enumerate(body, start=2):
        if len(entries) != len(header):
            raise ValueError(f"{os.fspath(path)}, row {row} must have {len(header)} fields, got {len(entries)}")
    features = [
        [_parse(entry, path, row, name) for name, entry in zip(header, entries, strict=True) if name != label]
        for row, entries in enumerate(body, start=2)
    ]
    marks = [1.0 if entries[at] == positive else -1.0 for entries in body]
    if not any(entries[at] == positive for entries in body):
        raise ValueError(f"positive must occur in the column {label!r}, got {positive!r}")
    return features, marks


def _parse(entry: str, path: str | os.PathLike[str], row: int, column: str) -> float:
    try:
        return float(entry)
    except ValueError:
        raise ValueError(f"{os.fspath(path)}, row {row}, column {column!r} must be a number, got {entry!r}") from None
