"""Functions that compiled code calls: Numba translates them, and leaves it to their callers to optimise them.

Numba would optimise each of them, make machine code of it with a wrapper or two, and keep that on disk, only for their
callers to take the instructions over and to optimise them again: half of the time of a first call. This reaches into
Numba, so it is on for the versions that it has been tried with; with others everything is compiled as Numba does it.
"""

# mypy: disable-error-code="no-untyped-call,attr-defined,misc"

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numba
from numba import _dynfunc
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.registry import CPUDispatcher
from numba.core.types import RecursiveCall, unliteral

VERSIONS = ("0.68",)
KNOWN = numba.__version__.rpartition(".")[0] in VERSIONS


class _Instructions(JITCodeLibrary):
    """What callers link into their code, as it was translated."""

    def _optimize_final_module(self) -> None:
        """Leave that to the callers."""

    def _finalize_final_module(self) -> None:
        """Make no machine code."""
        self._finalized = True


class _Translation(Compiler):
    """Numba's steps up to the instructions."""

    def __init__(self, typing: Any, target: Any, library: Any, arguments: Any, returned: Any, flags: Any, local: Any):
        flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        super().__init__(typing, target, _Instructions(target.codegen(), "inner"), arguments, returned, flags, local)

    def compile_extra(self, function: Callable[..., Any]) -> Any:
        """Translate a function, and let compiled callers find it."""
        result, state = super().compile_extra(function), self.state
        described, library = result.fndesc, result.library
        if any(isinstance(kind, RecursiveCall) for kind in described.typemap.values()):
            # It looks for itself among what is loaded.
            flags = state.flags.copy()
            flags.no_compile = False
            loaded = Compiler(state.typingctx, state.targetctx, None, state.args, state.return_type, flags, {})
            return loaded.compile_extra(function)
        # Numba knows an implementation by what Python would call: here the address 0.
        entry = _dynfunc.make_function(
            described.lookup_module(), described.qualname, "", 0, result.environment, (library,)
        )
        state.targetctx.insert_user_function(entry, described, [library])
        return result._replace(entry_point=entry)


# For the functions of `numba.extending.overload`, which Python never calls.
OPTIONS: dict[str, Any] = {"pipeline_class": _Translation} if KNOWN else {}


class TwoFaced(CPUDispatcher):
    """A compiled function whose compiled callers get it as it was translated."""

    @cached_property
    def inner(self) -> CPUDispatcher:
        """What compiled code calls; what Python calls it does not know."""
        return CPUDispatcher(self.py_func, targetoptions=self.targetoptions, pipeline_class=_Translation)

    def add_overload(self, result: Any) -> None:
        """Take what was compiled, and give it the environments of the functions inside: they may raise errors."""
        for environment in result._find_referenced_environments():
            result.codegen.set_env(environment.env_name, environment)
        super().add_overload(result)

    @property
    def is_compiling(self) -> Any:
        """Whether it is being compiled or translated: a call of it is a recursion then."""
        return super().is_compiling or self.inner.is_compiling

    def get_call_template(self, arguments: Any, named: Any) -> Any:
        """Say what a call from compiled code returns; a literal is a number like others, and compiled as one."""
        arguments, named = map(unliteral, arguments), {name: unliteral(kind) for name, kind in named.items()}
        return self.inner.get_call_template(tuple(arguments), named)

    def get_overload(self, signature: Any) -> Any:
        """Return what compiled code calls."""
        return self.inner.get_overload(signature)


def compile_for_both(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    """Return what Python and compiled code call, with Numba's ``options``."""
    if KNOWN:
        return TwoFaced(function, targetoptions={"nopython": True, "boundscheck": None} | options)
    return numba.njit(**options)(function)
