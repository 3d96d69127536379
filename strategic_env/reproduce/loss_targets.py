"""What the losses of the full grid of ``reproduce margin-independent`` should be like."""

from collections.abc import Iterator

from strategic_env.reproduce.centre_players import (
    ELLIPSOIDS,
    ENGINES,
    GAUSS,
    PARTICLES,
    PERCEPTRON,
    RIVALS,
)
from strategic_env.reproduce.losses import AIMED, LABELS, Cell, Losses

# The best engine loses at most this part of what the Perceptron does, in up to so many dimensions.
SHARE, LOW_DIM = 1.0 / 3.0, 5
# Of capped densities, by dimension and centres: the largest losses without wrong labels, and with 100 random ones.
DENSITIES = {(2, 2): (1.2, 2.0), (5, 2): (3.5, 5.0), (10, 2): (4.5, 7.0), (5, 3): (6.0, 8.0), (10, 3): (11.0, 15.0)}
# Robust mistakes must not go on from the first of these rounds to the second.
FLAT_FROM, FLAT_TO, FLAT = 500, 4_000, 1.0


def failures(losses: Losses) -> list[str]:
    """Return which claims fail, a line each."""
    return [*_without_lies(losses), *_with_lies(losses), *_attacked(losses)]


def is_compared(cell: Cell) -> bool:
    """Whether the best engine should lose no more than the better rival there."""
    return cell.dim <= LOW_DIM or cell.classes <= 3


def plain_cells(losses: Losses) -> list[Cell]:
    """Return the cells without wrong labels and adversaries."""
    return [cell for cell in losses.cells if cell.part == LABELS and not cell.corruption]


def _without_lies(losses: Losses) -> Iterator[str]:
    clear = compared = 0
    for cell in plain_cells(losses):
        theirs, where = losses.mean(cell, PERCEPTRON.name), f"at d = {cell.dim}, K = {cell.classes}"
        for name in ENGINES:
            if name in losses.learners(cell) and losses.mean(cell, name) >= theirs:
                yield f"{name} loses no less than the Perceptron {where}"
        best, rival = losses.best(cell, ENGINES), losses.best(cell, RIVALS)
        if cell.dim <= LOW_DIM and losses.mean(cell, best) >= SHARE * theirs:
            yield f"no engine loses less than a third of the Perceptron's loss {where}"
        if is_compared(cell):
            difference, compared = losses.difference(cell, best, rival), compared + 1
            clear += difference.high < 0.0
            if difference.mean > 0.0:
                yield f"{rival} loses less than every engine {where}"
    if 2 * clear <= compared:
        yield f"the best engine is clearly better than the better rival in {clear} of {compared} cells only"


def _with_lies(losses: Losses) -> Iterator[str]:
    for cell in losses.cells:
        if not cell.corruption:
            continue
        clean = cell._replace(pattern="none", corruption=0)
        for name in (GAUSS.name, PARTICLES.name):
            most = _most(losses, cell, clean, name)
            found = losses.mean(cell, name)
            if most is not None and found > most:
                yield f"{name} loses {found:.2f}, more than {most:.2f}, in {cell}"
    for cell in plain_cells(losses):
        most = DENSITIES.get((cell.dim, cell.classes), (None,))[0]
        for name in (GAUSS.name, PARTICLES.name):
            if most is not None and losses.mean(cell, name) > most:
                yield f"{name} loses more than {most:g} in {cell}"


def _most(losses: Losses, cell: Cell, clean: Cell, name: str) -> float | None:
    """Return what a capped density may lose in a cell with wrong labels; None where nothing is claimed."""
    if cell.pattern == "random":
        return DENSITIES[cell.dim, cell.classes][1] if cell.corruption == 100 else None
    if cell.pattern == "early":
        return 2.2 * losses.mean(cell, name, "size_of_wrong_labels") + 5.0
    return 1.3 * losses.mean(clean, name)


def _attacked(losses: Losses) -> Iterator[str]:
    for cell in losses.cells:
        if cell.part != LABELS and cell.rounds == FLAT_FROM:
            later = cell._replace(rounds=FLAT_TO)

            def more(name: str, earlier: Cell = cell, later: Cell = later) -> float:
                numbers = (losses.mean(one, name, "robust_mistakes") for one in (later, earlier))
                return next(numbers) - next(numbers)

            if more(ELLIPSOIDS.name) > FLAT:
                yield f"robust mistakes of the ellipsoids go on after {FLAT_FROM} rounds in {cell}"
            if cell.part == AIMED and more(PERCEPTRON.name) <= FLAT:
                yield f"robust mistakes of the Perceptron end after {FLAT_FROM} rounds in {cell}"
