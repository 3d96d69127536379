"""``reproduce margin-independent``: losses of learners of centres, to adversaries and under wrong labels, too."""

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple

from agents.foundation.files import UNFINISHED, csv_writer, refuse_links
from agents.foundation.pictures import require_matplotlib
from strategic_env.bench.contestants import contestant
from strategic_env.bench.evaluation import evaluate
from strategic_env.games.centres.scenario import CentreScenario
from strategic_env.reproduce import loss_curves
from strategic_env.reproduce.centre_players import players_of
from strategic_env.reproduce.loss_pages import pages
from strategic_env.reproduce.loss_targets import failures
from strategic_env.reproduce.losses import AIMED, ASKING, LABELS, Cell, Loss, Losses
from strategic_env.reproduce.result import Reproduced, Request, drawn, number_of_runs

CSV = "margin-independent.csv"
RUNS_FOLDER = "margin-independent-runs"
ADVERSARIES = {AIMED: "perceptron", ASKING: "adaptive"}


class Grid(NamedTuple):
    """How much is computed.

    Attributes
    ----------
    dims, classes : sequence of int
        Of games without wrong labels, every pair.
    rounds : int
        Of all games but those of adversaries.
    attacked, lengths : sequence of int
        Dimensions and rounds of games with adversaries and two centres.
    corrupted : sequence of (int, int)
        Dimensions and centres of games with wrong labels.
    lies : sequence of (str, int)
        Which labels are wrong there, and how many.
    repetitions : int
        Seeds.
    """

    dims: Sequence[int]
    classes: Sequence[int]
    rounds: int
    attacked: Sequence[int]
    lengths: Sequence[int]
    corrupted: Sequence[tuple[int, int]]
    lies: Sequence[tuple[str, int]]
    repetitions: int

    def cells(self) -> list[Cell]:
        """Return every cell, those without wrong labels first."""
        plain = [Cell(LABELS, dim, classes, self.rounds) for dim, classes in product(self.dims, self.classes)]
        attacks = product((AIMED, ASKING), self.attacked, self.lengths)
        asked = [Cell(part, dim, 2, rounds) for part, dim, rounds in attacks]
        told = [Cell(LABELS, *size, self.rounds, *lies) for size, lies in product(self.corrupted, self.lies)]
        return [*plain, *asked, *told]


FULL = Grid(
    dims=(2, 3, 5, 10),
    classes=(2, 3, 5),
    rounds=2_000,
    attacked=(5, 10),
    lengths=(250, 500, 1_000, 2_000, 4_000),
    corrupted=((2, 2), (5, 2), (10, 2), (5, 3), (10, 3)),
    lies=(("random", 10), ("random", 30), ("random", 100), ("early", 50), ("late", 10)),
    repetitions=10,
)
QUICK = Grid(
    dims=(2, 5),
    classes=(2, 3),
    rounds=500,
    attacked=(5,),
    lengths=(250, 500, 1_000),
    corrupted=((2, 2), (5, 2)),
    lies=(("random", 10), ("random", 50), ("early", 20)),
    repetitions=3,
)


def reproduce(request: Request) -> Reproduced:
    """Play every learner in every cell, and draw the losses.

    Parameters
    ----------
    request : Request
        ``runs`` is the number of seeds, 10 by default, 3 if ``quick``.

    Returns
    -------
    Reproduced
        Tables of losses and mistakes; a line for every run in ``margin-independent.csv``, and two pictures. Finished
        runs are kept in a folder and not repeated, so that an interrupted command goes on. Unexpected is, of the full
        grid, each claim of `strategic_env.reproduce.loss_targets` that fails.
    """
    require_matplotlib()
    grid = QUICK if request.quick else FULL
    grid = grid._replace(repetitions=number_of_runs(request.runs, grid.repetitions))
    path = request.out / CSV
    unfinished = path.with_name(path.name + UNFINISHED)
    lines: list[Loss] = []
    seconds = 0.0
    refuse_links([path, unfinished])
    with unfinished.open("w", encoding="utf-8", newline="") as file:
        writer = csv_writer(file)
        writer.writerow(Loss._fields)
        for played, taken in _runs(grid, request):
            lines += played
            seconds += taken
            writer.writerows(played)
            file.flush()
    unfinished.replace(path)
    losses = Losses(lines)
    unexpected = [] if request.quick else failures(losses)
    pictures = drawn(lambda: loss_curves.draw_all(losses, request.out), unexpected)
    return Reproduced(pages(losses, grid.repetitions, seconds), [path, *pictures], unexpected)


def _runs(grid: Grid, request: Request) -> Iterator[tuple[list[Loss], float]]:
    """Play cell after cell; yield its runs, and the seconds that they took."""
    total, done = grid.repetitions * sum(len(players_of(cell)) for cell in grid.cells()), 0

    def tick(_: str) -> None:
        nonlocal done
        done += 1
        request.progress(done, total)

    for cell in grid.cells():
        name = "-".join(map(str, cell)).replace(" ", "-")
        yield _play(cell, grid.repetitions, request.out / RUNS_FOLDER / name, tick)


def scenario_of(cell: Cell) -> CentreScenario:
    """Return what is played in a cell."""
    options: dict[str, object] = {"dim": cell.dim, "centres": cell.classes, "horizon": cell.rounds}
    if cell.part in ADVERSARIES:
        options |= {"query": "adversary", "adversary": ADVERSARIES[cell.part]}
    if cell.corruption:
        options |= {"corruption": cell.corruption, "corruption_pattern": cell.pattern}
    return CentreScenario.named("NearestNeighbor", **options)


def _play(cell: Cell, seeds: int, folder: Path, tick: Callable[[str], None]) -> tuple[list[Loss], float]:
    """Return the runs of one cell, and the seconds that they took; those found in the folder are not repeated."""
    chosen = scenario_of(cell)
    players = {one.name: contestant(one.learner, chosen, **one.parameters) for one in players_of(cell)}
    results = evaluate([*players.values()], chosen, seeds, out=folder, progress=tick)
    lines, seconds = [], 0.0
    for name, one in players.items():
        for run in results.of(one):
            if run.error is not None:
                raise RuntimeError(f"{one.label} failed on {cell} with seed {run.seed}: {run.error}")
            counted = run.columns["robust_mistakes"], run.columns["size_of_wrong_labels"]
            lines.append(Loss(*cell, name, run.seed, run.loss, run.mistakes, *counted))
            seconds += run.cpu_seconds
    return lines, seconds
