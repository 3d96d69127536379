"""The command line in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

ENVIRONMENT = os.environ | {"COLUMNS": "120", "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


PROGRAM = [sys.executable, "-m", "strategic_env"]


def command(
    *arguments: str, folder: Path | None = None, program: list[str] = PROGRAM
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*program, *arguments], capture_output=True, text=True, cwd=folder, env=ENVIRONMENT, timeout=300
    )


def with_a_fault(fault: str) -> list[str]:
    """Return a program that is the command line after some statements."""
    return [sys.executable, "-c", f"{fault}\nfrom strategic_env.cli.commands import main\nmain()"]
