"""Give every state of the sources a Numba cache of its own.

The cache notices an edit of the sources, but not a change of Numba's environment variables; and test runs before and
after an edit, side by side, would replace each other's compiled code.
"""

import hashlib
import os
import shutil
import time
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import settings

# The first example of a test may compile.
settings.register_profile("compiled", deadline=None)
settings.load_profile("compiled")

PACKAGES = ("agents", "learners", "strategic_env")
CACHES = Path(__file__).parents[1] / ".numba_cache"
IN_USE = 3600.0  # seconds: a test run beside this one may still write to a younger cache


def source_digest() -> str:
    """Return a hash of the packages that the tests import, and of Numba's settings."""
    digest = hashlib.sha256()
    for package in PACKAGES:
        spec = find_spec(package)
        if spec is None or not spec.submodule_search_locations:
            raise pytest.UsageError(f"cannot import {package}: install the project first, pip install -e '.[test]'")
        folder = Path(spec.submodule_search_locations[0])
        for source in sorted(folder.rglob("*.py")):
            digest.update(f"{package}/{source.relative_to(folder).as_posix()}\n".encode() + source.read_bytes())
    for name, value in sorted(os.environ.items()):
        if name.startswith("NUMBA_") and name != "NUMBA_CACHE_DIR":
            digest.update(f"{name}={value}\n".encode())
    return digest.hexdigest()[:16]


if "PYTEST_XDIST_WORKER" not in os.environ:  # workers inherit the variable
    cache = CACHES / source_digest()
    cache.mkdir(parents=True, exist_ok=True)
    os.utime(cache)
    for other in CACHES.iterdir():
        if other != cache and time.time() - other.stat().st_mtime > IN_USE:
            shutil.rmtree(other, ignore_errors=True)
    os.environ["NUMBA_CACHE_DIR"] = str(cache)
