"""The picture of ``reproduce gappletron``: a panel for each number of classes and features. Needs matplotlib."""

from collections.abc import Sequence
from pathlib import Path

from matplotlib.axes import Axes

from agents.foundation.pictures import blank_figure, save_picture
from strategic_env.report.curves import BLACK, COLOURS, GREY
from strategic_env.reproduce.rates import Rate

OURS = "inverse-gap weighting"  # black stars in every picture
MARKERS = "os^DvPX<"
PANEL, LEGEND_ENTRY = (3.6, 2.6), 2.4  # inches
SPREAD = 0.62  # of the room between two noise levels, for the algorithms side by side


def draw(rates: Sequence[Rate], title: str, path: Path) -> Path:
    """Draw mean error rates of one feedback as points, with whiskers to the least and the largest repetition."""
    classes, dims = (sorted({rate[place] for rate in rates}) for place in (1, 2))
    names = list(dict.fromkeys(rate.algorithm for rate in rates))
    width, height = PANEL[0] * max(len(dims), 2) + 0.6, PANEL[1] * len(classes) + 1.4
    figure = blank_figure(figsize=(width, height), dpi=110)
    grid = figure.subplots(len(classes), len(dims), squeeze=False, sharex=True, sharey=True)
    for row, number in zip(grid, classes, strict=True):
        for axes, dim in zip(row, dims, strict=True):
            _panel(axes, [rate for rate in rates if (rate.classes, rate.dim) == (number, dim)], names)
            axes.set_title(f"K = {number}, d = {dim}", fontsize=10, loc="left")
    grid[0, 0].set_ylim(0.0, min(1.0, 1.05 * max(rate.most for rate in rates)))
    for axes in grid[-1]:
        axes.set_xlabel("label noise", color=GREY)
    for axes in grid[:, 0]:
        axes.set_ylabel("error rate", color=GREY)
    size = f"{rates[0].rounds:,} rounds; mean, least and largest of {rates[0].repetitions} repetitions"
    figure.suptitle(f"{title}: error rates", fontsize=13, weight="bold", x=0.02, ha="left")
    figure.text(0.98, 1.0 - 0.2 / height, size, fontsize=9, color=GREY, ha="right", va="center")
    columns = int(width / LEGEND_ENTRY)
    lines = -(-len(names) // columns)
    figure.legend(*grid[0, 0].get_legend_handles_labels(), loc="lower center", ncols=columns, frameon=False)
    figure.tight_layout(rect=(0.0, (0.2 + 0.22 * lines) / height, 1.0, 1.0 - 0.1 / height))
    return save_picture(figure, path)


def _panel(axes: Axes, rates: Sequence[Rate], names: Sequence[str]) -> None:
    noises = sorted({rate.noise for rate in rates})
    for place, name in enumerate(names):
        shift = SPREAD * ((place + 0.5) / len(names) - 0.5)
        mine = [rate for rate in rates if rate.algorithm == name]
        mark, colour = ("*", BLACK) if name == OURS else (MARKERS[place], COLOURS[place])
        at = [noises.index(rate.noise) + shift for rate in mine]
        whiskers = [[rate.mean - rate.least for rate in mine], [rate.most - rate.mean for rate in mine]]
        axes.errorbar(
            at,
            [rate.mean for rate in mine],
            whiskers,
            fmt=mark,
            markersize=7.0 if name == OURS else 4.5,
            capsize=2.5,
            linewidth=1.1,
            color=colour,
            label=name,
        )
    axes.set_xticks(range(len(noises)), [f"{noise:g}" for noise in noises])
    axes.tick_params(labelsize=9, color=GREY, labelcolor=GREY)
    axes.grid(axis="y", color="#E5E5E5", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(GREY)
