"""Files that are there whole or not at all."""

import errno
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

UNFINISHED = ".unfinished"  # what the name of a file ends in that is still being written


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a path to write to, which replaces ``path`` when all is written, and goes when something fails.

    Raises
    ------
    OSError
        If ``path`` is a folder, or lies in none.
    """
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "no such folder", str(path.parent))
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "is a folder, not a file", str(path))
    # Nobody else writes to a file of this name, even where several save to the same path.
    unfinished = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}{UNFINISHED}")
    try:
        yield unfinished
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
