"""Compilation to machine code, cached on disk, with the Python signature kept for type checkers."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from numba.extending import intrinsic

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile a function at its first call (Numba, no Python objects inside) and cache it on disk where it can."""
    try:
        return cast(Function, numba.njit(cache=True)(function))
    except RuntimeError:  # neither beside the source nor in the user's cache can Numba write
        return cast(Function, numba.njit(function))


def instruction(function: Callable[..., Any]) -> Callable[..., Any]:
    """Make a generator of LLVM instructions callable from compiled code."""
    return cast(Callable[..., Any], intrinsic(function))
