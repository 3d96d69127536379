"""Numba's disk cache, kept apart for every class of states: one learner cannot spoil the others' compiled code."""

# mypy: disable-error-code="no-untyped-call,attr-defined"

import hashlib
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from numba.core import sigutils, types
from numba.core.caching import FunctionCache, IndexDataCacheFile


class DiskCache(FunctionCache):
    """Numba's disk cache, with an index for each set of classes of named tuples that a function is compiled for.

    To load an index is to import every class that it names: in one index for all, a state whose module is gone would
    keep the compiled code of all other learners from being loaded. The files that define the classes, and so the rules
    of a learner, are part of the stamp that says whether an index still holds.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)

    def _load_overload(self, signature: Any, target: Any) -> Any:
        return super()._load_overload(signature, target) if self._open(signature) else None

    def _save_overload(self, signature: Any, compilation: Any) -> None:
        if self._open(signature):
            super()._save_overload(signature, compilation)

    def _open(self, signature: Any) -> bool:
        """Choose the index; return False for classes that no file defines: next time they may mean anything."""
        arguments, _ = sigutils.normalize_signature(signature)
        classes = sorted({(kind.__module__, kind.__qualname__) for kind in _classes(arguments)})
        files = [getattr(sys.modules[module], "__file__", None) for module, _ in classes]
        name = hashlib.sha256(repr([classes, files]).encode()).hexdigest()[:8]
        stamp = self._impl.locator.get_source_stamp(), [Path(file).read_bytes() for file in files if file]
        self._cache_file = IndexDataCacheFile(self._cache_path, f"{self._impl.filename_base}-{name}", stamp)
        return None not in files


def _classes(kinds: Iterable[types.Type]) -> Iterator[type]:
    """Yield the classes of the named tuples among the types of arguments, nested ones too."""
    for kind in kinds:
        if isinstance(kind, types.BaseNamedTuple):
            yield kind.instance_class
        if isinstance(kind, types.BaseTuple):
            yield from _classes(kind.types)
