"""With what a run is played: without that, nobody can play it again."""

import hashlib
import importlib.metadata
from functools import cache
from importlib.util import find_spec
from pathlib import Path

PACKAGES = ("agents", "learners", "strategic_env")
DECIDE = ("numpy", "numba")  # whose versions decide about bits


def versions() -> dict[str, str]:
    """Return the versions of this package, of its sources (a hash), and of what else decides about bits."""
    return dict(_versions())


@cache
def _versions() -> dict[str, str]:
    try:
        own = importlib.metadata.version("strategic-env")
    except importlib.metadata.PackageNotFoundError:  # a checkout that nobody installed
        own = "not installed"
    others = {name: importlib.metadata.version(name) for name in DECIDE}
    return {"strategic-env": own, "sources": project_digest()[:12], **others}


@cache
def project_digest() -> str:
    """Return a hash of the sources of this project: a change anywhere may change a result."""
    specs = [find_spec(package) for package in PACKAGES]
    folders = [Path(folder) for spec in specs if spec for folder in spec.submodule_search_locations or ()]
    sources = [path for folder in folders for path in sorted(folder.rglob("*.py"))]
    digests = "".join(hashlib.sha256(path.read_bytes()).hexdigest() for path in sources)
    return hashlib.sha256(digests.encode()).hexdigest()
