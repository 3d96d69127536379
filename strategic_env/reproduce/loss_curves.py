"""The pictures of ``reproduce margin-independent``. Need matplotlib."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from agents.foundation.pictures import blank_figure, save_picture
from strategic_env.report.curves import COLOURS, GREY
from strategic_env.reproduce.losses import AIMED, ASKING, LABELS, Cell, Losses, interval_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ATTACKED, CORRUPTED = "margin-independent-adversary.png", "margin-independent-wrong-labels.png"
WHOM = {AIMED: "Perceptron", ASKING: "whoever plays"}
MARKERS = "os^DvPX<"
PANEL, LEGEND_ENTRY = (4.4, 3.4), 2.4  # inches


def draw_all(losses: Losses, out: Path) -> list[Path]:
    """Draw loss and robust mistakes against the number of rounds, and loss against the number of wrong labels."""
    attacked = [cell for cell in losses.cells if cell.part != LABELS]
    sizes = [*dict.fromkeys((cell.part, cell.dim) for cell in attacked)]
    panels = []
    for number, called in (("loss", "loss"), ("robust_mistakes", "robust mistakes")):  # a line of panels each
        for part, dim in sizes:
            row = {cell.rounds: cell for cell in attacked if (cell.part, cell.dim) == (part, dim)}
            panels.append((f"{called}, adversary of {WHOM[part]}, d = {dim}", number, row))
    first = _draw(losses, panels, len(sizes), "rounds", "Losses to adversaries", out / ATTACKED)
    random = [cell for cell in losses.cells if cell.pattern == "random"]
    panels = []
    for dim, classes in dict.fromkeys((cell.dim, cell.classes) for cell in random):
        cells = [cell for cell in random if (cell.dim, cell.classes) == (dim, classes)]
        clean = cells[0]._replace(pattern="none", corruption=0)
        row = {1: clean} | {1 + cell.corruption: cell for cell in cells}
        panels.append((f"d = {dim}, K = {classes}", "loss", row))
    title = "Loss against the true labels, with random wrong labels"
    return [first, _draw(losses, panels, 3, "wrong labels", title, out / CORRUPTED)]


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
    width, height = PANEL[0] * max(columns, 2), PANEL[1] * rows + 1.3
    figure = blank_figure(figsize=(width, height), dpi=110)
    grid = list(figure.subplots(rows, columns, squeeze=False).ravel())
    names = list(dict.fromkeys(name for *_, row in panels for name in losses.learners(row[max(row)])))
    for axes, (heading, number, row) in zip(grid, panels, strict=False):
        _panel(axes, losses, number, row, names)
        axes.set_title(heading, fontsize=10, loc="left")
        axes.set_xlabel(along, color=GREY)
    for axes in grid[len(panels) :]:
        axes.set_axis_off()
    figure.suptitle(title, fontsize=13, weight="bold", x=0.02, ha="left")
    legend = max(1, int(width / LEGEND_ENTRY))
    figure.legend(*grid[0].get_legend_handles_labels(), loc="lower center", ncols=legend, frameon=False)
    figure.tight_layout(rect=(0.0, (0.2 + 0.22 * -(-len(names) // legend)) / height, 1.0, 1.0))
    return save_picture(figure, path)


def _panel(axes: "Axes", losses: Losses, number: str, row: Mapping[int, Cell], names: Sequence[str]) -> None:
    from matplotlib.ticker import NullFormatter, StrMethodFormatter

    corrupted = any(cell.corruption for cell in row.values())
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
    axes.set_xticks([*row], [f"{cell.corruption if corrupted else cell.rounds:,}" for cell in row.values()])
    for axis in (axes.xaxis, axes.yaxis):  # the usual labels are formulas, which are not parsed here
        axis.set_minor_formatter(NullFormatter())
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axes.tick_params(labelsize=9, color=GREY, labelcolor=GREY)
    axes.grid(color="#E5E5E5", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(GREY)
