"""Where no learner can stop erring: a pair of individuals at the margin, whose answers are noisy.

A negative at ``-gamma`` and a positive at ``gamma`` arrive in turn, on a line, for ever. Whatever a learner publishes
is a threshold, and the best one errs on a pair so and so often.
"""

import math
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from agents.costs import L2Cost
from agents.foundation.pictures import blank_figure, save_picture
from agents.foundation.streams import game_key
from agents.foundation.typing import Float
from agents.populations.finite import FixedSequence
from agents.responses.individuals import Individual, Noisy
from agents.responses.quantal import Quantal
from learners.strategic.fixed import BestFixedClassifier
from strategic_env.games.strategic.rollout import play_keys
from strategic_env.games.strategic.setting import Setting

PICTURE = "responses-phases.png"
THRESHOLDS = np.linspace(0.0, 2.0, 21).tolist()  # in reaches; the margin itself besides
KEYS = game_key(0)[np.newaxis]
LEVELS = (0.01, 0.1, 0.3, 0.5)


class Plane(NamedTuple):
    """Margins and sizes of the noise, both in reaches, and what the best threshold errs on a pair, (sizes, margins).

    ``formula`` is what is proved, NaN where nothing is.
    """

    title: str
    noise: str
    margins: Float
    sizes: Float
    measured: Float
    formula: Float


def least_quantal(margin: float, temperature: float) -> float:
    """Return the least expected mistakes on a pair of quantal responses; both arguments in units of the reach.

    ``min(2 / (1 + e^(gamma/T)), 1 / (1 + e^((2 gamma - 1)/T)))``, of the thresholds 1 and gamma: beyond gamma, the
    expected mistakes of a threshold have no other stationary point than 1, since a move to it costs one of the pair as
    much less than 1 as it costs the other more.
    """
    a_reach_away = 2.0 / (1.0 + math.exp(min(700.0, margin / temperature)))
    at_the_margin = 1.0 / (1.0 + math.exp(min(700.0, (2.0 * margin - 1.0) / temperature)))
    return min(a_reach_away, at_the_margin)


def least_noisy(margin: float, noise: float) -> float:
    """Return the least expected mistakes on a pair of best responses whose reports are noisy; NaN in between."""
    if 2.0 * margin > 1.0 + 2.0 * noise:
        return 0.0
    return 0.5 if 2.0 * margin < 1.0 else math.nan


def planes(rounds: int, points: int, tick: Callable[[], None]) -> list[Plane]:
    """Measure both planes, on grids of so many margins and sizes, each threshold for so many rounds."""
    margins = np.linspace(0.05, 1.0, points)
    found = []
    for title, noise, make, sizes, formula in (
        ("Quantal responses", "temperature", Quantal, np.linspace(0.02, 0.5, points), least_quantal),
        ("Noisy reports", "largest noise / reach", Noisy, np.linspace(0.01, 0.4, points), least_noisy),
    ):
        measured = np.empty((points, points))
        for at, size in enumerate(sizes):
            measured[at] = [least_measured(make(float(size)), float(margin), rounds) for margin in margins]
            tick()
        proved = np.array([[formula(float(margin), float(size)) for margin in margins] for size in sizes])
        found.append(Plane(title, noise, margins, sizes, measured, proved))
    return found


def least_measured(individual: Individual, margin: float, rounds: int) -> float:
    """Return how often the best threshold errs on a pair, in so many rounds."""
    pair = FixedSequence([], [([-margin], -1.0), ([margin], 1.0)])
    setting = Setting(population=pair, cost=L2Cost(1.0), individual=individual)
    mistakes = [
        play_keys(BestFixedClassifier([1.0, -threshold]), setting, KEYS, rounds, np.array([rounds])).mistakes[0]
        for threshold in (*THRESHOLDS, margin)
    ]
    return float(min(mistakes)) / (rounds / 2.0)


def draw(found: list[Plane], folder: Path) -> list[Path]:
    """Draw the planes side by side: measured as colours, proved as lines."""
    from strategic_env.games.strategic.rendering.picture import GREY, INK  # which needs the extra "plot"

    figure = blank_figure(figsize=(11.0, 4.4), dpi=110)
    figure.suptitle("The best threshold's mistakes on a pair at the margin", fontsize=13, x=0.02, ha="left")
    for axes, plane in zip(figure.subplots(1, 2), found, strict=True):
        colours = axes.pcolormesh(plane.margins, plane.sizes, plane.measured, vmin=0.0, vmax=1.0, cmap="YlOrRd")
        fine = partial(np.linspace, num=200)
        across, up = fine(plane.margins[0], plane.margins[-1]), fine(plane.sizes[0], plane.sizes[-1])
        if plane.noise == "temperature":
            exact = np.array([[least_quantal(float(x), float(y)) for x in across] for y in up])
            lines = axes.contour(across, up, exact, levels=LEVELS, colors=INK, linewidths=1.0)
            axes.clabel(lines, fmt="%g", fontsize=8)
        else:
            axes.plot([0.5, 0.5], [up[0], up[-1]], color=INK, linewidth=1.0)
            axes.plot(0.5 + up, up, color=INK, linewidth=1.0)
            for x, text in ((0.25, "1/2"), (0.85, "0")):
                axes.text(x, up[40], text, color=INK, ha="center")
        axes.set_title(plane.title, fontsize=10, loc="left")
        axes.set_xlabel("margin / reach", color=GREY)
        axes.set_ylabel(plane.noise, color=GREY)
        axes.set_xlim(plane.margins[0], plane.margins[-1])
        axes.set_ylim(plane.sizes[0], plane.sizes[-1])
        figure.colorbar(colours, ax=axes)
    figure.tight_layout(rect=(0.0, 0.0, 1.0, 0.94))
    return [save_picture(figure, folder / PICTURE)]
