"""Rules that the class of a named tuple selects, in compiled code and where nothing is compiled.

A *stub* is a function of `functools.singledispatch` whose first argument is the named tuple; each class of tuples
registers its own rule for it (`rule_of`), and everything compiled calls the stub.
"""

from collections.abc import Callable
from inspect import signature
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from numba import types
from numba.extending import overload

from agents.foundation.compiled import WITH_REFERENCES, WITHOUT_REFERENCES
from agents.foundation.inner import OPTIONS

if TYPE_CHECKING:
    from functools import _SingleDispatchCallable

Rule = TypeVar("Rule", bound=Callable[..., Any])
Stub: TypeAlias = "_SingleDispatchCallable[Any]"

# Stubs whose rules are compiled into every caller: a call would hand over each array of the tuple.
INLINED: set[Stub] = set()
# Stubs none of whose rules allocates anything.
PLAIN: set[Stub] = set()
# Stubs that have a rule for everybody, and the classes of tuples that have their own.
_RULED: dict[Stub, set[type]] = {}
_NAMED_TUPLES = (types.NamedTuple, types.NamedUniTuple)


def rule_of(tuple_class: type, stub: Stub, *, allocates: bool = True) -> Callable[[Rule], Rule]:
    """Register a function as the rule ``stub`` of a class of named tuples.

    One that ``allocates`` no array, nor calls what does, saves counting references to all arrays of the tuple.
    """
    if stub in _RULED:
        _RULED[stub].add(tuple_class)

    def register(rule: Rule) -> Rule:
        def matches(kind: Any) -> bool:
            return isinstance(kind, _NAMED_TUPLES) and kind.instance_class is tuple_class

        _overload(stub, rule, matches, allocates and stub not in PLAIN)
        stub.register(tuple_class, rule)
        return rule

    return register


def rule_for_others(stub: Stub) -> None:
    """Let the stub itself be the rule of every class without one of its own."""
    ruled = _RULED.setdefault(stub, set())

    def matches(kind: Any) -> bool:
        return isinstance(kind, _NAMED_TUPLES) and kind.instance_class not in ruled

    _overload(stub, stub.dispatch(object), matches, stub not in PLAIN)


def _overload(stub: Stub, rule: Callable[..., Any], matches: Callable[[Any], bool], allocates: bool) -> None:
    """Let compiled code call ``rule`` for ``stub`` where the type of the tuple matches."""

    def choose(one: Any, *_: Any) -> Callable[..., Any] | None:
        return rule if matches(one) else None

    # Numba compares the two signatures, annotations included.
    choose.__signature__ = signature(rule)  # type: ignore[attr-defined]
    # What is asked in every round is worth no call; the others are long.
    options: Any = {"forceinline": stub in INLINED} | (WITH_REFERENCES if allocates else WITHOUT_REFERENCES)
    if stub not in PLAIN:  # whatever calls it
        options["error_model"] = "python"
    overload(stub, inline="never", jit_options=options | OPTIONS)(choose)
