"""Points from a CSV file: columns x1, x2 and label. Every error names the line."""

import csv

from agents.foundation.checks import shown
from agents.foundation.tables import check_fields, table_of
from strategic_env.explorer.setup import MOST_POINTS, Point, check_point

HEADER = ("x1", "x2", "label")
LARGEST_FILE = 100_000  # bytes


def points_from(content: bytes) -> tuple[Point, ...]:
    r"""Return the points of a CSV file in UTF-8 with the header ``x1,x2,label``.

    Raises
    ------
    ValueError
        If it is none, with the number of the line that is to blame.

    Examples
    --------
    >>> points_from(b"x1,x2,label\n1,0,1\n0.5,-1,-1\n")
    ((1.0, 0.0, 1.0), (0.5, -1.0, -1.0))
    """
    if len(content) > LARGEST_FILE:
        raise ValueError(f"the file must be at most {LARGEST_FILE:,} bytes, got {len(content):,}")
    try:
        table = header, body = table_of(content.decode("utf-8-sig").splitlines())
    except (UnicodeDecodeError, csv.Error) as error:
        raise ValueError(f"the file must be a CSV file in UTF-8: {error}") from error
    if tuple(name.strip().lower() for name in header) != HEADER:
        raise ValueError(f"line 1 must be {','.join(HEADER)}, got {shown(','.join(header))}")
    check_fields(table)
    if not body:
        raise ValueError("line 2 must hold the first point, got none")
    if len(body) > MOST_POINTS:
        raise ValueError(f"line {body[MOST_POINTS][0]} is one point too many: {MOST_POINTS} are allowed")
    return tuple(_point(line, entries) for line, entries in body)


def _point(line: int, entries: list[str]) -> Point:
    try:
        x1, x2, label = (float(entry) for entry in entries)
    except ValueError:
        raise ValueError(f"line {line} must be three numbers, got {shown(','.join(entries))}") from None
    try:
        check_point("the point", (x1, x2, label))
    except ValueError as error:
        raise ValueError(f"line {line}: {error}") from error
    return x1, x2, label


def points_to(points: tuple[Point, ...]) -> str:
    """Return points as a CSV file that `points_from` reads."""
    return "\n".join([",".join(HEADER), *(f"{x1!r},{x2!r},{label:.0f}" for x1, x2, label in points), ""])
