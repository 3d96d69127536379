"""How pictures are made: with matplotlib's own settings, whatever a user's are, as PNG, PDF or SVG."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agents.foundation.checks import can_be_named, shown
from agents.foundation.extras import missing_extra
from agents.foundation.files import replacing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SEPARATORS = tuple(filter(None, (os.sep, os.altsep)))
FORMATS = (".png", ".pdf", ".svg")
BACKEND = "MPLBACKEND"  # a window system of the user's choice, in the environment


class DrawingFailed(RuntimeError):
    """A picture that matplotlib could not draw; the message is one line."""


@contextmanager
def drawing() -> Iterator[None]:
    """Draw with matplotlib's own settings, and texts as they are: a dollar is a dollar.

    Raises
    ------
    ImportError
        If matplotlib is missing.
    DrawingFailed
        If it fails.
    """
    require_matplotlib()
    from matplotlib import rc_context, style

    try:
        with style.context("default"), rc_context({"text.parse_math": False}):
            yield
    except (ImportError, OSError, MemoryError, DrawingFailed):
        raise
    except Exception as error:
        raise _failed("draw it", error) from error


def picture_path(path: str | Path) -> Path:
    """Return where a picture goes; its suffix says the format.

    Raises
    ------
    TypeError, ValueError
        If it is no path, or ends otherwise.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"path must be a str or a Path, got {shown(path)}")
    chosen = Path(path)
    if not can_be_named(str(path)):
        raise ValueError(f"path must be a file's, got {shown(str(path))}")
    if str(os.fspath(path)).endswith(SEPARATORS):  # which `Path` drops
        raise ValueError(f"path must be a file's, not a folder's, got {shown(os.fspath(path))}")
    if chosen.suffix.lower() not in FORMATS:
        raise ValueError(f"path must end in {', '.join(FORMATS[:-1])} or {FORMATS[-1]}, got {shown(str(path))}")
    return chosen


def blank_figure(**how: Any) -> "Figure":
    """Return an empty white figure that needs no window; ``how`` is as of matplotlib's."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(facecolor="white", **how)
    FigureCanvasAgg(figure)
    return figure


def save_picture(figure: "Figure", path: str | Path, **how: Any) -> Path:
    """Save a picture, at once or not at all; ``how`` is as of ``savefig``.

    Raises
    ------
    TypeError, ValueError
        As `picture_path`.
    OSError
        If it cannot be written.
    """
    chosen = picture_path(path)
    with replacing(chosen) as unfinished:
        figure.savefig(unfinished, format=chosen.suffix[1:].lower(), **how)
    return chosen


def require_matplotlib() -> None:
    """Import matplotlib, even where the environment asks for a window system that there is not.

    Raises
    ------
    ImportError
        If it is missing; the message says what to install.
    DrawingFailed
        If it cannot be imported otherwise, such as for a file of settings that it cannot read.
    """
    if sys.modules.get("matplotlib") is not None:
        return
    wanted = os.environ.pop(BACKEND, None)
    try:
        import matplotlib
    except ImportError as error:
        raise missing_extra("drawing", "matplotlib", "plot") from error
    except Exception as error:
        raise _failed("be imported", error) from error
    finally:
        if wanted is not None:
            os.environ[BACKEND] = wanted
    if wanted:
        with suppress(ValueError):
            matplotlib.rcParams["backend"] = wanted


def _failed(what: str, error: Exception) -> DrawingFailed:
    return DrawingFailed(f"matplotlib cannot {what}: {' '.join(f'{type(error).__name__}: {error}'.split())}")
