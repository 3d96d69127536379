"""Checks of arguments: one clear error each, and one range of numbers."""

from fractions import Fraction
from typing import Any

import numba
import numpy as np
import pandas as pd
import pytest

from agents.foundation.checks import (
    count,
    finite_array,
    finite_features,
    finite_length,
    finite_number,
    finite_reaches,
    finite_rows,
    flag,
    hyperplane,
    one_of,
    signs,
)
from agents.foundation.compiled import compiled

FRAME = pd.DataFrame({"age": [1.0, 2.0], "name": ["x", "y"]})
NUMBERS = pd.DataFrame({"age": [1.0, 2.0], "income": [np.nan, 1e200]})
LONG_DOUBLE = np.longdouble("1e400") if np.finfo(np.longdouble).max > 1e308 else np.longdouble("inf")

BAD: list[tuple[Any, type[Exception], str]] = [
    (lambda: finite_number("a", "1"), TypeError, "a must be a number, got '1'"),
    (lambda: finite_number("a", True), TypeError, "a must be a number, got True"),
    (lambda: finite_number("a", 1j), TypeError, "a must be a number, got 1j"),
    (lambda: finite_number("a", 10**400), ValueError, "a must be finite, got 1000"),
    (lambda: finite_number("a", -(10**400)), ValueError, "a must be finite, got -1000"),
    (lambda: finite_number("a", 10**5000), ValueError, "a must be finite, got a number of thousands of digits"),
    (lambda: finite_number("a", Fraction(10**400)), ValueError, "a must be finite, got Fraction"),
    (lambda: finite_number("a", LONG_DOUBLE), ValueError, "a must be finite, got np.longdouble"),
    (lambda: finite_number("a", -1, above=0.0, minimum=0.0), ValueError, "a must be greater than 0.0, got -1"),
    (lambda: finite_length("a", 1e101), ValueError, r"a must be at most 1e\+100, got 1e\+101"),
    (lambda: finite_length("a", 1e-101), ValueError, "a must be at least 1e-100 unless it is 0, got 1e-101"),
    (lambda: finite_length("a", -1), ValueError, "a must be at least 0.0, got -1"),
    (lambda: finite_length("a", 2, maximum=1.0), ValueError, "a must be at most 1.0, got 2"),
    (lambda: count("a", 10**5000, maximum=9), ValueError, "a must be at most 9, got a number of thousands of digits"),
    (lambda: count("a", 1.0), TypeError, "a must be an integer, got 1.0"),
    (lambda: count("a", np.array([1, 2])), TypeError, r"a must be an integer, got array\(\[1, 2\]\)"),
    (lambda: flag("a", 1), TypeError, "a must be True or False, got 1"),
    (lambda: flag("a", None), TypeError, "a must be True or False, got None"),
    (lambda: one_of("a", 3, ("x", "y")), ValueError, "a must be one of 'x', 'y', got 3"),
    (lambda: finite_array("a", [1, 2], (3,)), ValueError, r"a must have shape \(3,\), got \(2,\)"),
    (lambda: finite_array("a", 1.0, (None, 2)), ValueError, r"a must have shape \(any, 2\), got \(\)"),
    (lambda: finite_array("a", [1.0], ()), ValueError, r"a must have shape \(\), got \(1,\)"),
    (lambda: finite_array("a", [[1], [2, 3]], (None, None)), ValueError, "a must be a rectangular array, got "),
    (lambda: finite_array("a", [1.0, None], (None,)), TypeError, r"real numbers, got None at index \(1,\) \(object\)"),
    (lambda: finite_array("a", [1, "x"], (None,)), TypeError, r"a must hold real numbers, got 'x' at index \(1,\)"),
    (lambda: finite_array("a", [1, 2j], (None,)), TypeError, r"a must hold real numbers, got 2j at index \(1,\)"),
    (lambda: finite_array("a", [True], (None,)), TypeError, r"a must hold real numbers, got True at index \(0,\)"),
    (lambda: finite_array("a", np.array([1], object), (None,)), TypeError, "real numbers, got an array of object"),
    (lambda: finite_array("a", [1, 10**400], (None,)), ValueError, "a must hold floats or 64-bit integers, got 1000"),
    (lambda: finite_array("a", np.array([LONG_DOUBLE]), (None,)), ValueError, "a must be finite, got inf at index"),
    (lambda: finite_array("a", np.ma.array([1.0]), (None,)), TypeError, "a must hold real numbers, got a masked array"),
    (lambda: finite_array("a", [1.0, np.ma.masked], (None,)), TypeError, "got a masked array"),
    (lambda: finite_array("a", [np.ma.array([1, 2], mask=[0, 1])], (None, 2)), TypeError, "got a masked array"),
    (lambda: finite_rows("a", np.ma.array([[1.0]])), TypeError, "got a masked array"),
    (lambda: finite_array("a", FRAME, (None, 2)), TypeError, r"got 'x' at index \(0, 1\), column 'name' \(object\)"),
    (lambda: finite_rows("a", NUMBERS), ValueError, r"a must be finite, got nan at index \(0, 1\), column 'income'"),
    (
        lambda: finite_features("a", NUMBERS.fillna(1.0)),
        ValueError,
        r"a must be at most 1e\+100 in size, got 1e\+200 at index \(1, 1\), column 'income'",
    ),
    (
        lambda: finite_features("a", NUMBERS[["age"]] * 1e-200),
        ValueError,
        "a must reach 1e-100 in size unless they are 0, got 2e-200 in column 'age'",
    ),
    (lambda: finite_reaches("a", [1e-200, 1.0], 1), ValueError, "a must be at least 1e-100 unless it is 0, got 1e-200"),
    (lambda: finite_reaches("a", [-1e-200, 1.0], 1), ValueError, "a must be at least 0, got -1e-200"),
    (lambda: signs("a", [1e200, 1]), ValueError, r"a must be -1 or \+1, got 1e\+200"),
    (lambda: hyperplane("a", np.array([0.0, 1.0])), ValueError, r"a must have weights .* not all 0, got \[0.0, 1.0\]"),
    (lambda: hyperplane("a", np.array([1e-300, 1.0])), ValueError, "a must have a bias of at most .* got bias 1.0"),
]


@pytest.mark.parametrize(("check", "error", "message"), BAD)
def test_bad_input_is_one_clear_error(check: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        check()


def test_what_is_allowed_comes_back() -> None:
    assert finite_number("a", np.float32(0.5)) == 0.5
    assert [finite_length("a", value) for value in (0, 1e-100, 1e100)] == [0.0, 1e-100, 1e100]
    assert flag("a", np.bool_(True)) is True
    assert finite_array("a", [[1e300, 5e-324]], (None, 2)).tolist() == [[1e300, 5e-324]]
    assert finite_features("a", [[0.0, 1e-200], [0.0, 1e-100]]).tolist() == [[0.0, 1e-200], [0.0, 1e-100]]
    assert finite_reaches("a", 2, 1).shape == ()
    assert finite_reaches("a", [[0, 1e100]], 2).tolist() == [[0.0, 1e100]]
    for scale in (2.0**-1073, 2.0**-600, 1.0, 2.0**1000):
        assert hyperplane("a", scale * np.array([2.0, 1.0])).tolist() == [0.5, 0.25]


def test_without_a_folder_to_cache_in_functions_compile_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("numba.core.caching.CacheImpl._locator_classes", [])

    def double(x: float) -> float:
        return 2.0 * x

    with pytest.raises(RuntimeError, match="no locator available"):
        numba.njit(cache=True)(double)
    assert compiled(double)(1.5) == 3.0
