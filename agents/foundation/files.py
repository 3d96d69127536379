"""Files that are there whole or not at all, and nobody else's."""

import csv
import errno
import os
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

# CSV as every file of this package has it: the same bytes on every system.
csv_writer = partial(csv.writer, lineterminator="\n")
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
    refuse_special([path])
    # Nobody else writes to a file of this name, even where several save to the same path.
    unfinished = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}{UNFINISHED}")
    try:
        yield unfinished
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def write_csv(path: Path, header: Iterable[str], rows: Iterable[Iterable[object]]) -> None:
    """Write a CSV file in UTF-8, at once or not at all; None is an empty field."""
    with replacing(path) as unfinished, unfinished.open("w", encoding="utf-8", newline="") as file:
        writer = csv_writer(file)
        writer.writerow(header)
        writer.writerows(rows)


def refuse_links(paths: Iterable[Path]) -> None:
    """Make sure that each of these is a plain file or not there: through a link a file elsewhere would be written.

    Raises
    ------
    FileExistsError
        If one is a link, or as `refuse_special`.
    """
    for path in paths:
        if path.is_symlink():
            raise FileExistsError(f"{path} is a link, and nothing is written through links: remove it")
        refuse_special([path])


def refuse_special(paths: Iterable[Path]) -> None:
    """Make sure that each of these is a file or not there: who reads a pipe or a device may wait for ever.

    Raises
    ------
    FileExistsError
        If one is a folder, a pipe, a socket or a device.
    """
    for path in paths:
        if path.exists() and not path.is_file():
            kind = "a folder" if path.is_dir() else "a pipe, socket or device"
            raise FileExistsError(f"{path} must be a file, got {kind}: remove it, or choose another folder")


def made_folder(name: str, path: Path) -> Path:
    """Make a folder, and those above it, where it is missing.

    Raises
    ------
    NotADirectoryError
        If the path leads to a file, or through one.
    OSError
        If it cannot be made.
    """
    blocking = next((one for one in (path, *path.parents) if os.path.lexists(one)), path)
    if os.path.lexists(blocking) and not blocking.is_dir():
        raise NotADirectoryError(f"{name} must be a folder, there or new, got {path}: {blocking} is no folder")
    path.mkdir(parents=True, exist_ok=True)
    return path


def begins_with(path: Path, beginning: bytes) -> bool:
    """Whether a file is there and begins so."""
    if not path.exists():
        return False
    with path.open("rb") as file:
        return file.read(len(beginning)) == beginning
