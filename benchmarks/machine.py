"""What a measurement depends on besides the code: the machine, versions, thread counts."""

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = ("strategic-env", "numpy", "numba", "llvmlite", "gymnasium", "scikit-learn", "river", "vowpalwabbit")
# What is single-threaded must stay so on both sides: CPU time adds up over threads.
ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}


def describe() -> dict[str, object]:
    """Return what to print and save beside the ratios."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "load": load(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "versions": {name: _version(name) for name in PACKAGES},
        "threads": {name: os.environ.get(name) for name in ONE_THREAD},
    }


def load() -> float | None:
    """Return how many processes wanted to run at once in the last minute, where the system tells."""
    return round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None


def _processor() -> str:
    """Return the processor's name as the system knows it."""
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
