"""One round as a picture, in a window, or in a few lines of text; matplotlib is imported only to draw."""

import sys

import numpy as np
from numpy.typing import NDArray

from agents.foundation.pictures import drawing
from agents.foundation.typing import Float
from strategic_env.games.strategic.rendering.scene import GameShown, boundary_of, caption, headline
from strategic_env.games.strategic.rules import Round
from strategic_env.games.strategic.setting import Setting

WINDOW, FRAMES_PER_SECOND = "strategic_env", 4
HALF_STRIP = 30  # columns of text on either side of the boundary


def render(mode: str, setting: Setting, last: Round | None, game: GameShown | None) -> NDArray[np.uint8] | str | None:
    """Show a round.

    Parameters
    ----------
    mode : str
        ``"rgb_array"``, ``"ansi"`` or ``"human"``.
    setting : Setting
        The rules.
    last : Round or None
        The round; None before the first.
    game : GameShown or None
        The game whose latest round ``last`` is.

    Returns
    -------
    ndarray (H, W, 3) of uint8, str or None
        The picture; the text; or None after showing the picture in a window (without a display: printing the text).

    Raises
    ------
    ImportError
        If matplotlib is missing and ``mode`` is not ``"ansi"``.
    DrawingFailed
        If it fails.
    """
    if mode == "ansi":
        return text(setting, last, game)
    with drawing():
        if mode == "rgb_array":
            from strategic_env.games.strategic.rendering import picture

            return picture.pixels(setting, last, game)
        if not show(setting, last, game):
            print(text(setting, last, game))
    return None


def show(setting: Setting, last: Round | None, game: GameShown | None) -> bool:
    """Draw a round in the window; return False where no window can be opened."""
    from matplotlib import pyplot

    from strategic_env.games.strategic.rendering import picture

    if not pyplot.fignum_exists(WINDOW):
        try:
            opened = pyplot.figure(WINDOW, figsize=picture.INCHES, dpi=picture.DOTS_PER_INCH, facecolor="white")
        except ImportError:  # a window system was asked for, and there is no display
            return False
        if opened.canvas.required_interactive_framework is None:
            pyplot.close(opened)
            return False
    figure = pyplot.figure(WINDOW)
    figure.clear()
    picture.draw(figure, setting, last, game)
    with pyplot.rc_context({"figure.raise_window": False}):  # leave the focus with whoever has it
        pyplot.pause(1.0 / FRAMES_PER_SECOND)
    return True


def close() -> None:
    """Close the window, if there is one."""
    if "matplotlib.pyplot" in sys.modules:
        from matplotlib import pyplot

        pyplot.close(WINDOW)


def text(setting: Setting, last: Round | None, game: GameShown | None) -> str:
    """Return a round in a few lines of text."""
    if last is None:
        return f"{headline(last, game)}\n  {caption(last)}"
    boundary = boundary_of(setting, last, game)
    farthest = setting.population.radius + setting.reach_scale
    true, report = (boundary.distance(point) for point in (last.true_features, last.report))
    report = 0.0 if abs(report) < 1e-9 * farthest else report  # a mover's rounding is nothing to look at
    lines = [
        headline(last, game),
        f"  {caption(last)}",
        f"  published  w = {numbers(last.classifier[:-1])}, b = {last.classifier[-1]:.4g}",
        f"  true       {numbers(last.true_features)}, label {last.true_label:+.0f}",
        f"  reported   {numbers(last.report)}, prediction {1 if last.accepted else -1:+d}",
    ]
    if not boundary.exists:
        return "\n".join([*lines, f"  {boundary.verdict}"])
    distances = f"  distance   true {true:+.4g}, reported {report:+.4g}, reach {boundary.reach:.4g}"
    return "\n".join([*lines, distances, *strip(true, report, boundary.reach, farthest)])


def numbers(vector: Float) -> str:
    """Return a vector in one line, the middle of a long one left out."""
    return np.array2string(vector, precision=4, threshold=12, edgeitems=5, max_line_width=10_000, separator=", ")


def strip(true: float, report: float, reach: float, farthest: float) -> tuple[str, str]:
    """Draw signed distances from the boundary, which is in the middle of a line that ends at ``farthest``."""
    cell = max(farthest, abs(true), abs(report)) / HALF_STRIP

    def column(distance: float) -> int:
        # Rounded away from the boundary, so that only what lies on it is drawn on it.
        return HALF_STRIP + int(np.sign(distance) * min(np.ceil(abs(distance) / cell), HALF_STRIP))

    first = column(-reach)
    line = list("." * first + "~" * (HALF_STRIP - first) + "|" + "+" * HALF_STRIP)
    line[column(true)] = "T"
    line[column(report)] = "B" if column(report) == column(true) else "R"
    signs = ". rejected  ~ within reach  | boundary  + accepted  T true  R reported  B both"
    return f"  {''.join(line)}", f"  {signs}"
