"""The worked numbers of the two perceptron papers: how their file is read, and who compares which entry."""

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import oracle
import pytest

GOLDEN: dict[str, dict[str, Any]] = json.loads((Path(__file__).parent / "data/strategic_golden.json").read_text())
CLAIMED: dict[str, list[str]] = {}  # by the module of the test
# Entries that hold single numbers; all others are runs.
NUMBERS = (
    "example1_claim_w_1_half",
    "example3_w_1_0",
    "example1_margin",
    "lecture_hand_task_margin",
    "lecture_margin_task",
    "lecture_distances",
    "lecture_generalisation",
    "example1_alg2_bound",
)
WORDS = {"note", "order"}  # what an entry says in words


class Entry(dict[str, Any]):
    """An entry that knows what of it nobody has read."""

    def __init__(self, name: str) -> None:
        super().__init__(GOLDEN[name])
        self.name, self.unread = name, set(self) - WORDS

    def __getitem__(self, key: str) -> Any:
        self.unread.discard(key)
        return super().__getitem__(key)


def claims(*names: str) -> Callable[[Callable[[Entry], None]], Callable[[str], None]]:
    """Let a test compare all that these entries say: it is called with each, and must read every value."""

    def claim(test: Callable[[Entry], None]) -> Callable[[str], None]:
        CLAIMED.setdefault(test.__module__, []).extend(names)

        def claimed(name: str) -> None:
            entry = Entry(name)
            test(entry)
            assert not entry.unread, f"{name}: nothing compares {entry.unread}"

        claimed.__name__, claimed.__doc__ = test.__name__, test.__doc__
        return pytest.mark.parametrize("name", names)(claimed)

    return claim


def number(value: Any) -> Any:
    """A JSON integer or a string is exact; a JSON float is a float."""
    return value if isinstance(value, float) else Fraction(value)


def vector(value: Any) -> list[Any]:
    """A list of numbers, or ``u + v / sqrt(n)`` with its value in floats."""
    if not isinstance(value, dict):
        return [number(v) for v in value]
    n = number(value["n"])
    surds = [oracle.Surd(u, number(v) / n, n) if number(v) else number(u)
             for u, v in zip(vector(value["u"]), value["v"], strict=True)]  # fmt: skip
    assert [float(v) for v in surds] == pytest.approx(value["float"], rel=1e-9)
    return surds


def same(value: Any, expected: Any, exact: bool) -> bool:
    """Exact numbers agree exactly where the arithmetic is exact, all others to 1e-9."""
    if exact and isinstance(expected, Fraction):
        return Fraction(value) == expected
    return abs(float(value) - float(expected)) <= 1e-9 * (1 + abs(float(expected)))


def agrees(value: Any, expected: Any, exact: bool) -> bool:
    """Whether a number, a vector, a truth value or None is what the file says."""
    if expected is None or isinstance(expected, bool):
        return value is expected
    if isinstance(expected, list | dict):
        vectors = zip(value, vector(expected), strict=True)
        return value is not None and all(same(v, e, exact) for v, e in vectors)
    return value is not None and same(value, number(expected), exact)


def difference(row: dict[str, Any], expected: dict[str, Any], exact: bool) -> str:
    """What in a round of a play is not the round of the trace; empty if nothing is."""
    wrong = (key for key in expected if not agrees(row[key], expected[key], exact))
    return ", ".join(f"{key} is {row[key]}, not {expected[key]}" for key in wrong)
