"""What the papers print, computed again: examples and figures, bounds, and the lecture's worked tasks."""

from collections.abc import Callable

from agents.checks import one_of
from strategic_env.reproduce import bounds, examples, lecture
from strategic_env.reproduce.result import UNFINISHED as UNFINISHED
from strategic_env.reproduce.result import Reproduced as Reproduced
from strategic_env.reproduce.result import Request as Request
from strategic_env.reproduce.result import show as show

REPRODUCTIONS: dict[str, Callable[[Request], Reproduced]] = {
    "examples": examples.reproduce,
    "bounds": bounds.reproduce,
    "lecture": lecture.reproduce,
}
RANDOM = ("bounds",)  # made of random runs, whose number can be chosen


def reproduction(what: str, runs: int | None = None) -> Callable[[Request], Reproduced]:
    """Return what reproduces something by its name.

    Raises
    ------
    ValueError
        If there is none of this name, or none that a number of ``runs`` is for.
    """
    chosen = REPRODUCTIONS[one_of("WHAT", what, tuple(REPRODUCTIONS))]
    if runs is not None and what not in RANDOM:
        raise ValueError(f"--runs is for {', '.join(RANDOM)}, which {what} is not")
    return chosen
