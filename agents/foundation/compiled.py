"""Compilation to machine code, cached on disk, with the Python signature kept for type checkers."""

from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core.options import DefaultOptions
from numba.extending import intrinsic

from agents.foundation.disk_cache import DiskCache
from agents.foundation.inner import compile_for_both

Function = TypeVar("Function", bound=Callable[..., Any])

# Numba's own option, which it does not document: without it everything works, more slowly.
WITHOUT_REFERENCES = {"_nrt": False} if hasattr(DefaultOptions, "_nrt") else {}
# For what may allocate, whoever calls it.
WITH_REFERENCES = {"_nrt": True} if WITHOUT_REFERENCES else {}

_IN_PYTHON = bool(getattr(numba.config, "DISABLE_JIT", 0))  # NUMBA_DISABLE_JIT=1


def compiled(function: Function) -> Function:
    """Compile a function at its first call (Numba, no Python objects inside) and cache it on disk where it can."""
    return _compile(function)


def inlined(function: Function) -> Function:
    """Compile a small function that allocates nothing into each of its compiled callers."""
    return _compile(function, forceinline=True, **WITHOUT_REFERENCES)


def loop(function: Function) -> Function:
    """Compile what is called often and allocates nothing; other threads run beside it.

    Nor may it call what does, but rules that say so (`agents.foundation.selection.rule_of`).
    Numba then counts no references to arrays, which takes most of the time of a round of a few features.
    """
    return _compile(function, nogil=True, error_model="numpy", **WITHOUT_REFERENCES)


def brief(function: Function) -> Function:
    """Compile as `loop` what is over before another thread could have done anything: it holds Python's lock."""
    return _compile(function, error_model="numpy", **WITHOUT_REFERENCES)


def uncounted(function: Function) -> Function:
    """Compile what allocates nothing, nor calls what does but rules that say so; divisions by 0 are errors.

    As in a `loop`, no references to arrays are counted.
    """
    return _compile(function, **WITHOUT_REFERENCES)


def released(function: Function) -> Function:
    """Compile a long computation that may allocate; other threads run beside it."""
    return _compile(function, nogil=True)


def _compile(function: Function, **options: bool | str) -> Function:
    if _IN_PYTHON:
        # Compiled code warns of nothing; random bits overflow on purpose.
        return np.errstate(all="ignore")(function)
    dispatcher = compile_for_both(function, options)
    with suppress(RuntimeError, OSError):  # no file defines the function, as in an interpreter
        dispatcher._cache = DiskCache(function)
    return cast(Function, dispatcher)


def instruction(twin: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make a generator of LLVM instructions callable from compiled code; ``NUMBA_DISABLE_JIT=1`` calls its twin.

    Parameters
    ----------
    twin : callable
        The same function, to the last bit, in Python.
    """

    def made(generator: Callable[..., Any]) -> Callable[..., Any]:
        return twin if _IN_PYTHON else cast(Callable[..., Any], intrinsic(generator))

    return made


# Asking Numba for types takes a hundred steps of a game, and every episode has a first call.
_FOUND: dict[tuple[Any, ...], Callable[..., Any]] = {}
# The flags of an array that its type depends on.
_FLAGS = sum(1 << bit for bit in (0, 1, 8, 10))  # contiguous in C's or Fortran's order, aligned, writeable


def _kind(argument: Any) -> Any:
    """Return what the type of an argument depends on."""
    if isinstance(argument, np.ndarray):
        return argument.dtype, argument.ndim, argument.flags.num & _FLAGS
    if isinstance(argument, tuple):
        return type(argument), *map(_kind, argument)
    return type(argument)


class DirectCall:
    """A compiled function for callers that know the types of their arguments: those of the first call, in every call.

    Numba asks each argument for its type in every call, which takes longer than a round of a game does; here nobody
    asks. An array of another kind would be read as one of the first call's.

    Parameters
    ----------
    function : callable
        Compiled, of a module.

    Attributes
    ----------
    call : callable
        The function.

    Examples
    --------
    >>> import numpy as np
    >>> from agents.foundation.lanes import length
    >>> norm = DirectCall(length)
    >>> norm.call(np.array([3.0, 4.0])), norm.call(np.array([8.0, 6.0, 0.0]))
    (5.0, 10.0)
    """

    __slots__ = ("_function", "call")

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self.call: Callable[..., Any] = function if _IN_PYTHON else self._first_call

    def _first_call(self, *arguments: Any) -> Any:
        key = (self._function, *map(_kind, arguments))
        if key not in _FOUND:
            # What `compile` returns is what Numba calls once it knows the types.
            found = cast(Any, self._function).compile(tuple(map(numba.typeof, arguments)))
            _FOUND[key] = found if callable(found) else self._function
        self.call = _FOUND[key]
        return self.call(*arguments)

    def __reduce__(self) -> tuple[Any, ...]:
        """Be copied as what has not been called yet; in another process, machine code is somewhere else."""
        return _direct_call, (self._function.__module__, self._function.__name__)


def _direct_call(module: str, name: str) -> DirectCall:
    return DirectCall(getattr(import_module(module), name))
