"""Packages whose names load on first use, so that importing them stays cheap."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module


def lazily(package: str, homes: Mapping[str, str]) -> Callable[[str], object]:
    """Return a module ``__getattr__`` that finds each name in its home, a module of ``package``, when asked.

    The package's `dir` lists the names from now on.
    """

    def find(name: str) -> object:
        if name in homes:
            return getattr(import_module(f"{package}.{homes[name]}"), name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    module = sys.modules[package]
    setattr(module, "__dir__", lambda: sorted({*vars(module), *homes}))  # noqa: B010  (mypy refuses an assignment)
    return find
