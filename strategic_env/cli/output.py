"""What every command says on stderr, the status that it ends with, and where it writes."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from strategic_env.bench.arguments import one_line
from strategic_env.report.output import plain_console

DONE, FAILED, WRONG_USAGE = range(3)
NOTHING = "nothing had finished"
errors = plain_console(stderr=True, soft_wrap=True, highlight=False)


def note(message: str) -> None:
    """Say something that is no fault."""
    errors.print(one_line(message), style="dim")


def failed(message: str, status: int) -> int:
    """Say what failed, and return the status."""
    errors.print(one_line(message), style="red")
    return status


@contextmanager
def usage(prefix: str = "", *, but: tuple[type[Exception], ...] = ()) -> Iterator[None]:
    """Turn what wrong arguments raise into one line and status 2; what ``but`` names is no wrong argument."""
    try:
        yield
    except but:
        raise
    except (ValueError, TypeError, OSError, ImportError) as error:
        raise typer.BadParameter(f"{prefix}{error}") from error


def folder_named(text: str) -> Path:
    """Return the folder that ``--out`` names."""
    if not text:
        raise typer.BadParameter("--out must name a folder, got ''")
    return Path(text)


def progress_bar() -> Progress:
    """Return a progress bar, which shows only where somebody sees it move."""
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=errors, transient=True, disable=not errors.is_terminal)
