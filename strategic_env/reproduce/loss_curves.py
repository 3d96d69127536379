"""The pictures of ``reproduce margin-independent``. Need matplotlib."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from agents.foundation.pictures import blank_figure, save_picture
from strategic_env.report.curves import COLOURS, GREY
from strategic_env.reproduce.losses import ADVERSARY, Cell, Losses, interval_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ATTACKED, CORRUPTED = "margin-independent-adversary.png", "margin-independent-wrong-labels.png"
MARKERS = "os^DvPX<"
PANEL = 4.4, 3.4  # inches


def draw_all(losses: Losses, out: Path) -> list[Path]:
    """Draw loss and robust mistakes against the number of rounds, and loss against the number of wrong labels."""
    attacked = [cell for cell in losses.cells if cell.part == ADVERSARY]
    rows = [
        {cell.rounds: cell for cell in attacked if cell.dim == dim} for dim in dict.fromkeys(c.dim for c in attacked)
    ]
    curves = [("loss", "loss"), ("robust_mistakes", "robust mistakes")]
    panels = [
        (f"{title}, d = {row[min(row)].dim}", number, row) for number, title in curves for row in rows
    ]  # a line of panels for each number
    first = _draw(losses, panels, len(rows), "rounds", "Against an adversary that asks whoever plays", out / ATTACKED)
    random = [cell for cell in losses.cells if cell.pattern == "random"]
    panels = []
    for dim, classes in dict.fromkeys((cell.dim, cell.classes) for cell in random):
        cells = [cell for cell in random if (cell.dim, cell.classes) == (dim, classes)]
        clean = cells[0]._replace(pattern="none", corruption=0)
        row = {1: clean} | {1 + cell.corruption: cell for cell in cells}
        panels.append((f"d = {dim}, K = {classes}", "loss", row))
    title = "Loss against the true labels, with random wrong labels"
    return [first, _draw(losses, panels, 3, "1 + number of wrong labels", title, out / CORRUPTED)]


def _draw(
    losses: Losses,
    panels: Sequence[tuple[str, str, Mapping[int, Cell]]],
    columns: int,
    along: str,
    title: str,
    path: Path,
) -> Path:
    """Draw panels of means with intervals; a panel has its title, its number, and a cell for each place along it."""
    columns = max(1, min(columns, len(panels)))
    rows = -(-len(panels) // columns)
    figure = blank_figure(figsize=(PANEL[0] * columns, PANEL[1] * rows + 1.3), dpi=110)
    grid = list(figure.subplots(rows, columns, squeeze=False).ravel())
    names = list(dict.fromkeys(name for *_, row in panels for name in losses.learners(row[max(row)])))
    for axes, (heading, number, row) in zip(grid, panels, strict=False):
        _panel(axes, losses, number, row, names)
        axes.set_title(heading, fontsize=10, loc="left")
        axes.set_xlabel(along, color=GREY)
    for axes in grid[len(panels) :]:
        axes.set_axis_off()
    figure.suptitle(title, fontsize=13, weight="bold", x=0.02, ha="left")
    height = PANEL[1] * rows + 1.3
    figure.legend(*grid[0].get_legend_handles_labels(), loc="lower center", ncols=max(2, 2 * columns), frameon=False)
    figure.tight_layout(rect=(0.0, 0.75 / height, 1.0, 1.0))
    return save_picture(figure, path)


def _panel(axes: "Axes", losses: Losses, number: str, row: Mapping[int, Cell], names: Sequence[str]) -> None:
    for place, name in enumerate(names):
        at = [where for where, cell in row.items() if name in losses.learners(cell)]
        if not at:
            continue
        found = [interval_of(losses.of(row[where], name, number)) for where in at]
        low = [one.mean - max(one.low, 0.5 * one.mean) for one in found]  # logarithmic axes know no 0
        high = [one.high - one.mean for one in found]
        axes.errorbar(
            at, [one.mean for one in found], [low, high], marker=MARKERS[place % len(MARKERS)], markersize=4.5,
            capsize=2.0, linewidth=1.2, color=COLOURS[place % len(COLOURS)], label=name,
        )  # fmt: skip
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.tick_params(labelsize=9, color=GREY, labelcolor=GREY)
    axes.grid(color="#E5E5E5", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(GREY)
