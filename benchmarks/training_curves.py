"""How policies learned: mistakes in held-out games over the rounds of training, a line for each training.

Run it with ``python -m benchmarks.training_curves PICTURE FOLDER ...``, the folders being those of ``strategic-env
train`` on MetaL2; it needs the extras "rl" and "plot". Horizontal lines show others in the held-out games of
whole trainings.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from agents.foundation.pictures import blank_figure, drawing, picture_path
from benchmarks.meta_learning import ALPHA, Constant, on_populations
from learners import StrategicMaxMargin, StrategicPerceptronL2
from learners.rl import load
from learners.rl.coefficients import STEP_OTHERWISE
from learners.rl.training import HELD_OUT_SEEDS, MOST_HELD_OUT_GAMES
from strategic_env.report.curves import COLOURS, GREY, save_picture

OTHERS = {
    "Algorithm 2": (StrategicPerceptronL2(ALPHA), COLOURS[1]),
    "constants": (Constant(STEP_OTHERWISE), COLOURS[2]),
    "maximal margin": (StrategicMaxMargin(ALPHA), COLOURS[3]),
}


def main(picture: str, *folders: str) -> None:
    """Draw the curves."""
    picture_path(picture)
    with drawing():
        _draw(picture, folders)


def _draw(picture: str, folders: Sequence[str]) -> None:
    curves = [np.loadtxt(Path(folder) / "evaluations.csv", delimiter=",", skiprows=1) for folder in folders]
    figure = blank_figure(figsize=(8.4, 4.6))
    axes = figure.add_subplot()
    for curve in curves:
        axes.plot(curve[:, 0] / 1e6, curve[:, 1], color=COLOURS[0], linewidth=1.3, alpha=0.75)
    end = max(curve[-1, 0] for curve in curves) / 1e6
    names = {"PPO": (float(np.mean([curve[-1, 1] for curve in curves])), COLOURS[0])}
    seeds = [HELD_OUT_SEEDS + load(folder).about["training"]["seed"] for folder in folders]
    for name, (learner, colour) in OTHERS.items():
        height = float(np.mean([on_populations(learner, 5, MOST_HELD_OUT_GAMES, seed) for seed in seeds]))
        axes.axhline(height, color=colour, linewidth=1.6, linestyle="--")
        names[name] = (height, colour)
    apart = 0.0
    for name, (height, colour) in sorted(names.items(), key=lambda item: item[1][0]):
        apart = max(height, 1.06 * apart)
        axes.text(1.02 * end, apart, f"{name}  {height:.2f}", color=colour, fontsize=11, va="center")
    axes.set(xlim=(0.0, end), ylim=(3.3, 10.0), yscale="log")
    axes.set_yticks([4, 5, 6, 7, 8, 9, 10], [4, 5, 6, 7, 8, 9, 10], minor=False)
    axes.minorticks_off()
    axes.set_xlabel("million rounds of training", fontsize=12)
    axes.set_ylabel("mistakes in 200 rounds", fontsize=12)
    axes.set_title(f"{len(folders)} training seeds, held-out populations of 5 features", fontsize=13, loc="left")
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(GREY)
    axes.grid(color="#E4E4E4", linewidth=0.8)
    axes.set_axisbelow(True)
    save_picture(figure, picture)


if __name__ == "__main__":
    main(*sys.argv[1:])
