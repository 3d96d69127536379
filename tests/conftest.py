"""Give every state of the sources a Numba cache of its own.

The cache notices an edit of the sources, but not a change of Numba's environment variables; and test runs before and
after an edit, side by side, would replace each other's compiled code.
"""

import hashlib
import os
import shutil
import time
from pathlib import Path

import numba
from hypothesis import settings

from agents.foundation.disk_cache import COMPILED, HOME

# The first example of a test may compile.
settings.register_profile("compiled", deadline=None)
settings.load_profile("compiled")

CACHES = Path(__file__).parents[1] / ".numba_cache"
IN_USE = 3600.0  # seconds: a test run beside this one may still write to a younger cache


def source_digest() -> str:
    """Return a hash of the sources that are compiled, and of Numba's settings."""
    digest = hashlib.sha256()
    for source in sorted(file for room in COMPILED for file in (HOME / room).rglob("*.py")):
        digest.update(f"{source.relative_to(HOME).as_posix()}\n".encode() + source.read_bytes())
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
    numba.config.reload_config()
