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
    """Make sure that none of these files is a link, through which a file elsewhere would be written.

    Raises
    ------
    FileExistsError
        If one is.
    """
    for path in paths:
        if path.is_symlink():
            raise FileExistsError(f"{path} is a link, and nothing is written through links: remove it")
