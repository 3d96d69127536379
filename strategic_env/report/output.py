"""Where texts go: consoles that print them as they are, and standard streams that cannot cost anybody's work."""

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO

from rich.console import Console

UNFORGIVING = ("strict", "surrogateescape")  # how Python's streams treat what they cannot encode, unless told otherwise


def plain_console(**how: Any) -> Console:
    """Return a console to which brackets are brackets, and ``:x:`` no emoji; ``how`` is as of rich's."""
    return Console(markup=False, emoji=False, **how)


def encodable(text: str, console: Console) -> str:
    """Return a text with escapes in place of the characters that the console's encoding does not have."""
    return text.encode(console.encoding, "backslashreplace").decode(console.encoding)


@contextmanager
def standard_streams() -> Iterator[None]:
    """Let standard output and error write escapes for characters that they do not have, and lose their readers.

    A reader who closes early, as ``head`` does, is no failure: the rest is dropped. What else fails on standard output,
    such as a full disk, raises OSError once; messages on standard error are worth no work, and fail silently.
    """
    given = sys.stdout, sys.stderr
    lenient = _lenient(sys.stdout, fails=True), _lenient(sys.stderr, fails=False)
    sys.stdout, sys.stderr = lenient
    try:
        yield
    finally:
        sys.stdout, sys.stderr = given
        for stream in set(lenient) - set(given):
            with suppress(OSError):
                stream.close()


def _lenient(stream: TextIO | None, *, fails: bool) -> TextIO:
    """Return a stream that takes every text; ``fails`` tells whether it may raise when it cannot be written to."""
    if stream is None:  # closed, or of a program without a console
        return open(os.devnull, "w", encoding="utf-8")
    if isinstance(stream, io.TextIOWrapper):
        if stream.errors in UNFORGIVING:
            stream.reconfigure(errors="backslashreplace")
        if not stream.isatty() and isinstance(getattr(stream.buffer, "raw", stream.buffer), io.FileIO):
            stream.flush()
            content = io.BufferedWriter(_Descriptor(stream.fileno(), fails))
            return io.TextIOWrapper(content, stream.encoding, stream.errors, line_buffering=stream.line_buffering)
    return stream


class _Descriptor(io.FileIO):
    """An open file that drops what cannot be written once its reader has gone, or once it has failed."""

    def __init__(self, number: int, fails: bool) -> None:
        super().__init__(number, "w", closefd=False)
        self._fails, self._lost = fails, False

    def write(self, content: Any, /) -> int:
        """Write what can be written."""
        if not self._lost:
            try:
                return super().write(content)
            except OSError as error:
                self._lost = True
                if self._fails and not isinstance(error, BrokenPipeError):
                    raise OSError(error.errno, error.strerror, "standard output") from error
        return memoryview(content).nbytes
