"""Compiled code on disk: read only if it is what was written for these sources, and never a reason to fail."""

# mypy: disable-error-code="no-untyped-call,attr-defined,misc"

import hashlib
import logging
import pickle
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba.core import sigutils, types
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.serialize import dumps

from agents.foundation.files import replacing

HOME = Path(__file__).parents[2]
# Where compiled functions live, which call one another and are stamped as one (tests/test_architecture.py).
COMPILED = ("agents", "learners", "strategic_env/games", "strategic_env/multi_agent", "strategic_env/reproduce")
COMPILING = "compiling for the first use: up to a minute of computing; later runs find the compiled code on disk"
NOT_KEPT = (
    "cannot keep compiled code in %s (%s), so that every run compiles it anew: "
    "make room there, or set NUMBA_CACHE_DIR to a folder of yours that can be written"
)

_log = logging.getLogger(__name__)
_told: set[str] = set()
# Numba's places in their order, but beside the sources last: what lies there outlives an uninstallation.
_PLACES = sorted(CompileResultCacheImpl._locator_classes, key=lambda place: "InTree" in place.__name__)
_UserFolder: Any = next(place for place in _PLACES if "UserWide" in place.__name__)


class _Unwritable(_UserFolder):
    """The user's folder although it cannot be written, so that there is a name to complain of."""

    def ensure_cache_path(self) -> None:
        """Accept the folder as it is."""


class _Files(CompileResultCacheImpl):
    """Where files lie and what is in them."""

    _locator_classes = [*_PLACES, _Unwritable]


class DiskCache(FunctionCache):
    """Numba's disk cache, with a file for every signature that a function is compiled for, and no index.

    A file begins with a digest of its content, of the sources that are compiled here, and of the files that define the
    classes of named tuples among the arguments, and so the rules of a learner. What is cut short, damaged, or made of
    other sources is not even unpickled: it counts as missing, and is replaced. What cannot be written is not kept.
    """

    _impl_class = _Files

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)

    def load_overload(self, signature: Any, target: Any) -> Any:
        """Return what was compiled for a signature; None, and a line on a terminal, where it has to be compiled."""
        found = None
        try:
            found = super().load_overload(signature, target)
        except Exception:
            _log.debug("cannot load %s from %s", self._name, self._cache_path, exc_info=True)
        if found is None:
            seen = sys.stderr is not None and sys.stderr.isatty()
            _tell_once(logging.WARNING if seen else logging.INFO, COMPILING)
        return found

    def save_overload(self, signature: Any, compilation: Any) -> None:
        """Keep what was compiled for a signature, where that is possible."""
        try:
            super().save_overload(signature, compilation)
        except Exception as error:
            _tell_once(logging.WARNING, NOT_KEPT, self._cache_path, error)

    def flush(self) -> None:
        """Forget what was compiled of this function."""
        for file in Path(self._cache_path).glob(f"{self._impl.filename_base}-*.nbc"):
            with suppress(OSError):
                file.unlink()

    def _load_overload(self, signature: Any, target: Any) -> Any:
        place = self._place(signature, target.codegen())
        if place is None or not place[0].exists():
            return None
        file, stamp = place
        content = file.read_bytes()
        digest, code = content[: len(stamp)], content[len(stamp) :]
        return self._impl.rebuild(target, pickle.loads(code)) if digest == _digest(stamp, code) else None

    def _save_overload(self, signature: Any, compilation: Any) -> None:
        place = self._place(signature, compilation.codegen)
        if place is None or not self._impl.check_cachable(compilation):
            return
        file, stamp = place
        code = dumps(self._impl.reduce(compilation))
        file.parent.mkdir(parents=True, exist_ok=True)
        with replacing(file) as unfinished:
            unfinished.write_bytes(_digest(stamp, code) + code)

    def _place(self, signature: Any, codegen: Any) -> tuple[Path, bytes] | None:
        """Return the file and its stamp; None for classes that no file defines: next time they may mean anything."""
        arguments, _ = sigutils.normalize_signature(signature)
        classes = [(kind.__module__, kind.__qualname__) for kind in _classes(arguments)]
        files = [getattr(sys.modules.get(module), "__file__", None) or "" for module, _ in classes]
        if not all(Path(file).is_file() for file in files):
            return None
        key = [numba.__version__, self._index_key(signature, codegen), classes, files]
        name = f"{self._impl.filename_base}-{_digest(repr(key).encode()).hex()[:16]}.nbc"
        own = repr(self._impl.locator.get_source_stamp()).encode()
        return Path(self._cache_path) / name, _digest(_sources(), own, *(Path(file).read_bytes() for file in files))


def _tell_once(level: int, message: str, *arguments: object) -> None:
    """Log a message unless this process has: where nobody has set up logging, warnings are lines on stderr."""
    if message not in _told:
        _told.add(message)
        _log.log(level, message, *arguments)


def _digest(*parts: bytes) -> bytes:
    return hashlib.sha256(b"".join(parts)).digest()


@cache
def _sources() -> bytes:
    """Return a digest of the sources that are compiled: compiled code holds functions of other files, too."""
    return _digest(*(file.read_bytes() for room in COMPILED for file in sorted((HOME / room).rglob("*.py"))))


def _classes(kinds: Iterable[types.Type]) -> Iterator[type]:
    """Yield the classes of the named tuples among the types of arguments, nested ones too."""
    for kind in kinds:
        if isinstance(kind, types.BaseNamedTuple):
            yield kind.instance_class
        if isinstance(kind, types.BaseTuple):
            yield from _classes(kind.types)
