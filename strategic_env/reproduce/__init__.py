"""What the papers print, computed again: examples and figures, bounds, worked tasks, and experiments."""

from collections.abc import Callable, Sequence
from pathlib import Path

from agents.foundation.checks import one_of
from agents.foundation.files import UNFINISHED
from strategic_env.reproduce import bounds, examples, gappletron, lecture, loss_curves, margin_independent, responses
from strategic_env.reproduce.paper import FIGURE_FILES
from strategic_env.reproduce.result import Reproduced as Reproduced
from strategic_env.reproduce.result import Request as Request
from strategic_env.reproduce.result import claim, number_of_runs
from strategic_env.reproduce.result import show as show

REPRODUCTIONS: dict[str, Callable[[Request], Reproduced]] = {
    "examples": examples.reproduce,
    "bounds": bounds.reproduce,
    "lecture": lecture.reproduce,
    "responses": responses.reproduce,
    "gappletron": gappletron.reproduce,
    "margin-independent": margin_independent.reproduce,
}
# The files of each, besides its text.
FILES: dict[str, Sequence[str]] = {
    "examples": FIGURE_FILES,
    "bounds": (bounds.FILE, bounds.FILE + UNFINISHED),
    "lecture": (),
    "responses": responses.FILES,
    "gappletron": (gappletron.CSV, gappletron.CSV + UNFINISHED, *gappletron.PICTURES.values()),
    "margin-independent": (
        margin_independent.CSV,
        margin_independent.CSV + UNFINISHED,
        loss_curves.ATTACKED,
        loss_curves.CORRUPTED,
    ),
}
RANDOM = ("bounds", "responses", "gappletron", "margin-independent")  # made of random runs, whose number can be chosen
LONG = ("responses", "gappletron", "margin-independent")  # have a quick form


def reproduction(what: str, runs: int | None = None, quick: bool = False) -> Callable[[Request], Reproduced]:
    """Return what reproduces something by its name.

    Raises
    ------
    ValueError
        If there is none of this name, or none that a number of ``runs`` or a ``quick`` form is for, or for that number.
    """
    chosen = REPRODUCTIONS[one_of("WHAT", what, tuple(REPRODUCTIONS))]
    for option, given, those in (("--runs", runs is not None, RANDOM), ("--quick", quick, LONG)):
        if given and what not in those:
            raise ValueError(f"{option} is for {', '.join(those)}, which {what} is not")
    number_of_runs(runs, 1)
    return chosen


def text_in(out: Path, what: str) -> Path:
    """Return where the text of a reproduction goes, in a folder whose files it may replace (`result.claim`)."""
    copy = out / f"{what}.txt"
    claim(copy, FILES[what])
    return copy
