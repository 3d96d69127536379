"""What people type after ``--set`` and ``--learner``, and texts of any origin in one line."""

import json
import re
from collections.abc import Sequence
from contextlib import suppress

from agents.foundation.checks import LARGEST_LENGTH, count

QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')


def parse_settings(settings: Sequence[str]) -> dict[str, object]:
    """Turn ``["key=value", ...]`` into keywords; values are JSON where they can be, else text.

    Raises
    ------
    ValueError
        If one is not of this form or a key comes twice.
    """
    parsed: dict[str, object] = {}
    for text in settings:
        key, equals, value = text.partition("=")
        with suppress(UnicodeError):  # where the locale knows ASCII only, UTF-8 arrives escaped
            key = key.encode(errors="surrogateescape").decode()
        if not equals or not key.isidentifier():
            raise ValueError(f"a setting must read KEY=VALUE, got {text!r}")
        if key in parsed:
            raise ValueError(f"a setting must be given once, got {key!r} twice")
        try:
            parsed[key] = json.loads(value)
        except (ValueError, RecursionError):
            parsed[key] = {"True": True, "False": False, "None": None}.get(value, value)
    return parsed


def parse_learner(text: str) -> tuple[str, dict[str, object]]:
    """Turn ``"name:key=value,key=[1,2]"`` into a name and its parameters; commas in brackets and quotes are kept."""
    name, colon, rest = text.partition(":")
    if colon and not rest:
        raise ValueError(f"a learner must read NAME or NAME:KEY=VALUE,..., got {text!r}")
    settings: list[str] = []
    for piece in rest.split(",") if rest else []:
        if settings and _is_open(settings[-1]):
            settings[-1] += f",{piece}"
        else:
            settings.append(piece)
    return name, parse_settings(settings)


def parse_seeds(text: str) -> int | list[int]:
    """Turn ``"10"`` into the number 10 of seeds, and ``"5-9"``, ``"7,"`` or ``"0,3,7-9"`` into a list of them.

    Raises
    ------
    ValueError
        If it is none of these.
    """
    if text.isdecimal():
        return int(text)
    seeds: list[int] = []
    for part in text.removesuffix(",").split(","):
        first, dash, last = part.partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()) or (dash and int(last) < int(first)):
            raise ValueError(f"seeds must be a number, or which (5-9, or 0,3,7-9), got {text!r}")
        start, stop = int(first), int(last if dash else first)
        count("seeds' number", stop - start + 1, maximum=LARGEST_LENGTH)
        seeds += range(start, stop + 1)
    return seeds


def one_line(text: str) -> str:
    """Return a text in one line, with escapes in place of what cannot be printed."""
    return "".join(one if one.isprintable() else repr(one)[1:-1] for one in " ".join(text.split()))


def _is_open(piece: str) -> bool:
    """Whether the value of ``key=value`` is a quoted text or a list that is not closed yet."""
    value = piece.partition("=")[2].lstrip()
    if not value.startswith(('"', "[")):
        return False
    outside = QUOTED.sub("", value)
    return '"' in outside or outside.count("[") > outside.count("]")
