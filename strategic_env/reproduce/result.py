"""What a reproduction is given and gives back, and how it says that numbers agree."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from rich.console import Console, RenderableType
from rich.text import Text

from agents.foundation.checks import LARGEST_LENGTH, count
from agents.foundation.files import begins_with, made_folder, refuse_links, replacing
from agents.foundation.pictures import DrawingFailed, drawing
from strategic_env.report.layout import MISSING, WIDTH
from strategic_env.report.output import plain_console

AGREES, DIFFERS, SILENT = "agrees", "differs", MISSING
STYLES = {AGREES: "green", DIFFERS: "bold red"}


class Request(NamedTuple):
    """What a reproduction is asked for.

    Attributes
    ----------
    out : Path
        Folder for files, which exists.
    runs : int or None
        How many random runs, where there are any; None for the usual number.
    progress : callable
        Called with the steps done and the steps there are.
    quick : bool
        A small form, where there is one.
    """

    out: Path
    runs: int | None = None
    progress: Callable[[int, int], None] = lambda done, total: None
    quick: bool = False


class Reproduced(NamedTuple):
    """What came out.

    Attributes
    ----------
    pages : sequence
        What to print.
    files : sequence of Path
        What was written.
    unexpected : sequence of str
        What is not as it should be; empty if all is well.
    """

    pages: Sequence[RenderableType]
    files: Sequence[Path]
    unexpected: Sequence[str]


def number_of_runs(asked: int | None, usual: int) -> int:
    """Return how many random runs there are to be.

    Raises
    ------
    ValueError
        If there are fewer than one, or more than anybody would wait for.
    """
    return usual if asked is None else count("--runs", asked, minimum=1, maximum=LARGEST_LENGTH)


def claim(copy: Path, names: Sequence[str]) -> None:
    """Make sure that what a reproduction will write replaces only what one wrote; note so where the text will be.

    Raises
    ------
    OSError
        If the folder cannot be made, or holds links or files of these ``names`` of something else.
    """
    folder = made_folder("out", copy.parent)
    paths = [copy, *(folder / name for name in names)]
    refuse_links(paths)
    there = [path.name for path in paths if path.exists()]
    if there and not begins_with(copy, _heading(copy).encode()):
        raise FileExistsError(f"{folder} holds {', '.join(there)} of something else: choose another folder")
    if not there:
        with replacing(copy) as unfinished:
            unfinished.write_bytes(f"{_heading(copy)}\n\nNot finished.\n".encode())


def _heading(copy: Path) -> str:
    """Return how a copy begins, by which it is known as one."""
    return f"strategic-env reproduce {copy.stem}"


def show(result: Reproduced, copy: Path) -> None:
    """Leave a copy of what came out in a text file, under a heading, and print it.

    In the copy, and where nobody has a terminal of some width, lines are as long as the tables need.
    """
    with replacing(copy) as unfinished, unfinished.open("w", encoding="utf-8") as file:
        file.write(f"{_heading(copy)}\n\n")
        _print(result, plain_console(file=file, width=WIDTH))
    console = plain_console()
    _print(result, console if console.is_terminal else plain_console(width=max(console.width, WIDTH)))


def _print(result: Reproduced, console: Console) -> None:
    for page in result.pages:
        console.print(page)
        console.print()


def drawn(draw: Callable[[], list[Path]], unexpected: list[str]) -> list[Path]:
    """Return the pictures that were drawn; a failure is noted as unexpected, and costs nothing else."""
    try:
        with drawing():
            return draw()
    except (DrawingFailed, OSError) as error:
        unexpected.append(str(error))
        return []


def number(value: float) -> str:
    """Return a number as people write it: integers as such, others with at most four decimals."""
    value = float(value) + 0.0  # no negative zero
    return f"{value:,.0f}" if value.is_integer() else f"{value:.4f}".rstrip("0").rstrip(".")


def vector(values: ArrayLike) -> str:
    """Return a vector in parentheses."""
    return f"({', '.join(number(value) for value in np.asarray(values).tolist())})"


def same(here: ArrayLike, printed: ArrayLike, decimals: int | None = None) -> bool:
    """Tell whether numbers agree: up to rounding, or to the decimals that were printed."""
    gap = np.abs(np.subtract(here, printed, dtype=np.float64))
    return bool((gap <= 1e-9 * (1.0 + np.abs(printed)) + (0.0 if decimals is None else 0.5 * 10.0**-decimals)).all())


def verdict(agrees: bool | None) -> Text:
    """Return the last cell of a comparison; None where nothing was printed."""
    word = SILENT if agrees is None else AGREES if agrees else DIFFERS
    return Text(word, style=STYLES.get(word, ""))
