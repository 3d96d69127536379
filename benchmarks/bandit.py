"""Errors, not speed: inverse-gap weighting beside Vowpal Wabbit's SquareCB, ``python -m benchmarks.bandit``.

Bandit feedback on the synthetic texts of Gappletron (d = 80), K = 6, 9, 12 and noise 0, .05, .1. Both sides label the
same points, draw by draw; ours with its default parameters in every cell, Vowpal Wabbit with the defaults of
``--squarecb`` on two forms of the same example: ``pairs`` has a weight for each pair of a feature and a label, ``both``
also one for each feature alone, which says nothing about which label is better.

Every finished draw is a line of the CSV file; the same command goes on where an interrupt stopped it.
"""

import argparse
import csv
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from agents.foundation.files import csv_writer
from agents.foundation.streams import game_key
from agents.foundation.typing import Float, Int
from agents.populations.labelled import Prototypes
from benchmarks.libraries import installed
from benchmarks.measure import Unavailable
from learners.multiclass.inverse_gap_weighting import InverseGapWeighting
from strategic_env import rollout, scenario

CLASSES, NOISES = (6, 9, 12), (0.0, 0.05, 0.1)
SEED, OURS = 0, "inverse-gap-weighting"
FORMS = {"vw-pairs": "-q sa --ignore_linear s", "vw-both": "-q sa"}
COLUMNS = ("classes", "noise", "draw", "rounds", "side", "mistakes")
TARGET = 0.95
Cell: TypeAlias = tuple[int, float]
Workspace: TypeAlias = Callable[[str], Any]


def main() -> int:
    """Parse the command line, play what is missing, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bandit", description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=10, metavar="N")
    parser.add_argument("--rounds", type=int, default=10_000, metavar="T")
    parser.add_argument("--out", type=Path, default=Path("results") / "bandit.csv", metavar="FILE")
    options = parser.parse_args()
    try:
        workspace = installed("vowpalwabbit", "vowpalwabbit").Workspace
    except Unavailable as reason:
        print(f"ours alone: {reason}", file=sys.stderr)
        workspace = None
    try:
        return _compare(workspace, options.draws, options.rounds, options.out)
    except KeyboardInterrupt:
        return 130


def _compare(workspace: Workspace | None, draws: int, rounds: int, path: Path) -> int:
    print(f"{'K':>3} {'noise':>5}  {OURS:>28}  " + "  ".join(f"{form:>28} ratio" for form in FORMS))
    missed = 0
    for cell in ((classes, noise) for classes in CLASSES for noise in NOISES):
        kept = _read(path, cell, draws, rounds)
        for draw, side, mistakes in _missing(workspace, cell, draws, rounds, kept):
            kept[side, draw] = mistakes
            _append(path, (*cell, draw, rounds, side, mistakes))
        errors = {
            side: np.array([kept[side, draw] for draw in range(draws)]) / rounds
            for side in (OURS, *FORMS)
            if (side, draws - 1) in kept
        }
        ratios = {side: errors[OURS].mean() / errors[side].mean() for side in FORMS if side in errors}
        missed += any(ratio > TARGET for ratio in ratios.values())
        shown = "  ".join(f"{_spread(errors[side])} {ratio:5.3f}" for side, ratio in ratios.items())
        print(f"{cell[0]:3} {cell[1]:5.2f}  {_spread(errors[OURS])}  {shown}", flush=True)
    print(f"mean [least, most] of {draws} draws of {rounds} rounds; {missed} cells above {TARGET}")
    return 0


def _missing(
    workspace: Workspace | None, cell: Cell, draws: int, rounds: int, kept: dict[tuple[str, int], int]
) -> Iterator[tuple[int, str, int]]:
    """Play what is not in the file yet."""
    classes, noise = cell
    if any((OURS, draw) not in kept for draw in range(draws)):
        table = scenario("Bandit", classes=classes, noise=noise)
        learner = InverseGapWeighting.from_knowledge(table.knowledge)
        for draw, mistakes in enumerate(rollout(learner, table, games=draws, rounds=rounds, seed=SEED).mistakes):
            yield draw, OURS, int(mistakes)
    if workspace is None:
        return
    for draw in range(draws):
        points, labels = Prototypes(80, classes, noise=noise).points(game_key(SEED, draw), rounds)
        for form in FORMS:
            if (form, draw) not in kept:
                yield draw, form, play_squarecb(workspace, FORMS[form], classes, points, labels, draw)


def play_squarecb(workspace: Workspace, form: str, classes: int, points: Float, labels: Int, draw: int) -> int:
    """Return the mistakes of SquareCB on one draw."""
    model = workspace(f"--cb_explore_adf --squarecb {form} --quiet --random_seed {draw + 1}")
    source = np.random.default_rng([SEED, draw])
    actions, mistakes = [f"|a {label}" for label in range(classes)], 0
    for features, label in zip(points, labels.tolist(), strict=True):
        shared = "shared |s " + " ".join(map(str, np.flatnonzero(features)))
        chances = np.array(model.predict([shared, *actions]))
        action = int(source.choice(classes, p=chances / chances.sum()))
        wrong = int(action != label)
        played = f"0:{wrong}:{chances[action]:.9g} {actions[action]}"
        model.learn([shared, *actions[:action], played, *actions[action + 1 :]])
        mistakes += wrong
    model.finish()
    return mistakes


def _read(path: Path, cell: Cell, draws: int, rounds: int) -> dict[tuple[str, int], int]:
    """Return the mistakes of a cell that the file holds, by side and draw."""
    if not path.exists():
        return {}
    with path.open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if (int(row["classes"]), float(row["noise"])) == cell]
    return {
        (row["side"], int(row["draw"])): int(row["mistakes"])
        for row in rows
        if int(row["rounds"]) == rounds and int(row["draw"]) < draws
    }


def _append(path: Path, row: tuple[object, ...]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    begins = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv_writer(file)
        if begins:
            writer.writerow(COLUMNS)
        writer.writerow(row)


def _spread(errors: Float) -> str:
    return f"{errors.mean():10.4f} [{errors.min():.4f}, {errors.max():.4f}]"


if __name__ == "__main__":
    sys.exit(main())
