"""The tables of ``reproduce margin-independent``."""

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from strategic_env.report.layout import MISSING, table
from strategic_env.reproduce.centre_players import ENGINES, PERCEPTRON, RIVALS
from strategic_env.reproduce.loss_targets import plain_cells
from strategic_env.reproduce.losses import AIMED, LABELS, Cell, Losses


def pages(losses: Losses, seeds: int, seconds: float) -> list[Table]:
    """Return all tables; the last one says how long it took."""
    plain = plain_cells(losses)
    dims = dict.fromkeys(cell.dim for cell in plain)
    found = [_by_classes(losses, [cell for cell in plain if cell.dim == dim]) for dim in dims]
    attacked = [cell for cell in losses.cells if cell.part != LABELS]
    found += [_comparison(losses, plain)]
    found += [
        _by_rounds(losses, [c for c in attacked if c.dim == dim]) for dim in dict.fromkeys(c.dim for c in attacked)
    ]
    lied = [cell for cell in losses.cells if cell.corruption]
    for size in dict.fromkeys((cell.dim, cell.classes) for cell in lied):
        found.append(_by_lies(losses, [cell for cell in lied if (cell.dim, cell.classes) == size]))
    found[-1].caption = Text(
        f"Means over {seeds} seeds, which all learners share; intervals of 95 % by Student's t.\n"
        f"All runs together took {_duration(seconds)} of one processor core; those that are kept are not repeated."
    )
    return found


def _by_size(cells: Sequence[Cell], numbers: int) -> list[list[Cell]]:
    """Return cells by their part and dimension, or by these and the number of centres."""
    groups: dict[tuple[object, ...], list[Cell]] = {}
    for cell in cells:
        groups.setdefault(cell[: 1 + numbers], []).append(cell)
    return [*groups.values()]


def _duration(seconds: float) -> str:
    return f"{seconds / 60.0:.0f} minutes" if seconds >= 90.0 else f"{seconds:.0f} seconds"


def _grid(losses: Losses, title: str, cells: dict[str, Cell], second: str | None) -> Table:
    """Return a table of mean losses, and of the mean of a second number: a learner a row, a cell a column."""
    page = table(title, ["learner", *cells], right=[*cells])
    for name in dict.fromkeys(name for cell in cells.values() for name in losses.learners(cell)):
        numbers = []
        for cell in cells.values():
            if name not in losses.learners(cell):
                numbers.append(MISSING)
                continue
            more = "" if second is None else f" / {losses.mean(cell, name, second):.1f}"
            numbers.append(f"{losses.mean(cell, name):.2f}{more}")
        page.add_row(name, *numbers)
    return page


def _by_classes(losses: Losses, cells: Sequence[Cell]) -> Table:
    title = f"Loss / mistakes, d = {cells[0].dim}, {cells[0].rounds:,} rounds"
    return _grid(losses, title, {f"K = {cell.classes}": cell for cell in cells}, "mistakes")


def _by_rounds(losses: Losses, cells: Sequence[Cell]) -> Table:
    whom = "the Perceptron" if cells[0].part == AIMED else "whoever plays"
    title = f"Loss / robust mistakes, an adversary of {whom}, d = {cells[0].dim}, K = 2"
    return _grid(losses, title, {f"T = {cell.rounds:,}": cell for cell in cells}, "robust_mistakes")


def _by_lies(losses: Losses, cells: Sequence[Cell]) -> Table:
    first = cells[0]
    title = f"Loss by number of wrong labels, d = {first.dim}, K = {first.classes}"
    clean = first._replace(pattern="none", corruption=0)
    columns = {"none": clean} | {f"{cell.pattern} {cell.corruption}": cell for cell in cells}
    page = _grid(losses, title, columns, None)
    sizes = [losses.mean(cell, PERCEPTRON.name, "size_of_wrong_labels") for cell in columns.values()]
    page.add_section()
    page.add_row("how wrong they are, for the Perceptron", *(f"{size:.2f}" for size in sizes))
    return page


def _comparison(losses: Losses, cells: Sequence[Cell]) -> Table:
    """Return who loses least in each cell, and by how much less than rivals."""
    columns = [
        "d, K",
        "best engine",
        "its loss",
        "of Perceptron's",
        "minus Perceptron's",
        "minus better rival's",
        "rival",
    ]
    page = table("The engine that loses least, and paired differences with 95 % intervals", columns)
    for cell in cells:
        best, rival = losses.best(cell, ENGINES), losses.best(cell, RIVALS)
        share = losses.mean(cell, best) / losses.mean(cell, PERCEPTRON.name)
        differences = (str(losses.difference(cell, best, other)) for other in (PERCEPTRON.name, rival))
        page.add_row(
            f"{cell.dim}, {cell.classes}", best, f"{losses.mean(cell, best):.2f}", f"{100.0 * share:.0f} %",
            *differences, rival,
        )  # fmt: skip
    return page
