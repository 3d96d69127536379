"""Compiled callers take functions as they were translated: less to compile, and nothing else is different."""

import sys
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import numba
import numpy as np
import pytest
from numba.core.registry import CPUDispatcher

from agents.foundation import inner
from agents.foundation.compiled import WITHOUT_REFERENCES

FUNCTIONS = """
import numpy as np
from agents.foundation.compiled import compiled, inlined, loop, released

@inlined
def half(number):
    return number / 2

@loop
def total(numbers):
    sum = 0.0
    for number in numbers:
        sum += half(number)
    return sum

@released
def doubled(numbers):
    return total(4 * numbers)

@compiled
def factorial(number):
    return number * factorial(number - 1) if number > 1 else 1

@compiled
def combinations(n, k):
    return factorial(n) // (factorial(k) * factorial(n - k))

@compiled
def checked(number):
    if number > 3:
        raise ValueError("not so many as", number)
    return number

@compiled
def checked_twice(number):
    return checked(number) + checked(number - 1)
"""
NUMBERS = [0.1, 0.2, 0.3, 1e300, -1e300, 7.0]


@pytest.fixture
def functions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Any]:
    """Return what defines the functions above as a new process would, with a cache in ``tmp_path / "cache"``."""
    source = tmp_path / "functions.py"
    source.write_text(FUNCTIONS, encoding="utf-8")
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))

    def define() -> ModuleType:
        spec = spec_from_file_location("functions", source)
        assert spec is not None and spec.loader is not None
        module = module_from_spec(spec)
        monkeypatch.setitem(sys.modules, "functions", module)
        spec.loader.exec_module(module)
        return module

    return define


def kept(folder: Path) -> set[str]:
    """Names of the functions that the cache holds."""
    return {path.name.split("-")[0].removeprefix("functions.") for path in (folder / "cache").rglob("*.nbc")}


def outcome(function: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return function(*arguments)
    except Exception as error:
        return type(error), str(error).partition("\n")[0]


def outcomes(functions: Any) -> list[Any]:
    return [
        outcome(functions.doubled, np.array(NUMBERS)).hex(),
        outcome(functions.half, 3.0),
        outcome(functions.half, 3),
        outcome(functions.combinations, 6, 3),
        outcome(functions.factorial, 5),
        outcome(functions.checked_twice, 2),
        outcome(functions.checked_twice, 9),
        outcome(functions.checked, 9),
        outcome(functions.half, "three"),
        outcome(functions.half),
    ]


def test_it_is_on_for_the_numba_that_is_installed() -> None:
    """Before adding a version: the tests of this file, and ``python -m benchmarks 'fused/floor*'`` before and after."""
    assert inner.VERSIONS == ("0.68",)
    assert inner.KNOWN, f"Numba {numba.__version__} compiles everything by itself: the first call takes twice as long"


def test_what_only_compiled_code_calls_is_neither_compiled_on_its_own_nor_kept(functions: Any, tmp_path: Path) -> None:
    defined = functions()
    assert defined.doubled(np.array([1.0, 2.0])) == 6.0
    assert not defined.total.signatures and not defined.half.signatures
    assert kept(tmp_path) == {"doubled"}
    assert defined.half(3.0) == 1.5
    assert len(defined.half.signatures) == 1 and kept(tmp_path) == {"doubled", "half"}


def test_results_and_errors_are_those_of_functions_compiled_by_numba_alone(
    functions: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    translated = outcomes(functions())
    assert outcomes(functions()) == translated, "read from disk"
    monkeypatch.setattr(inner, "KNOWN", False)
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "another"))
    alone = functions()
    assert type(alone.half) is CPUDispatcher
    assert outcomes(alone) == translated
    assert translated[6] == (ValueError, "('not so many as', 9)") and translated[3] == 20


def test_options_are_those_that_numba_s_own_decorator_passes() -> None:
    def double(number: float) -> float:
        return 2 * number

    options = {"nogil": True, "error_model": "numpy", **WITHOUT_REFERENCES}
    assert inner.compile_for_both(double, options).targetoptions == numba.njit(**options)(double).targetoptions
