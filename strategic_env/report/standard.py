"""The standard suite: played in a sweep's folder, and compared with a board that was made before."""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from strategic_env.bench.encoding import plain
from strategic_env.bench.evaluation import Results
from strategic_env.bench.playing import play
from strategic_env.bench.versions import versions
from strategic_env.report.board import BoardRow
from strategic_env.report.board_page import read_board
from strategic_env.sweep import plan, read, work
from strategic_env.sweep.cells import Cell
from strategic_env.sweep.grid import read_grid
from strategic_env.sweep.planning import cells_of

SUITE = "standard"
What = tuple[str, str, str, str, int]  # of a row: scenario, options, learner, parameters, rounds


def play_suite(
    folder: str | os.PathLike[str], progress: Callable[[int, int], object] | None = None, suite: str = SUITE
) -> tuple[list[Results], list[str]]:
    """Play what a folder lacks of the suite, on all processor cores; return the results, and who is left out and why.

    Raises
    ------
    RuntimeError
        If a run fails.
    TypeError, ValueError, OSError, ImportError
        As `strategic_env.sweep.plan`.
    """
    left_out = plan(suite, folder).left_out
    outcome = work(folder, progress=progress)
    if not outcome.done:
        why = outcome.stopped or f"{outcome.errors} rows failed, {len(outcome.lost)} chunks are lost"
        raise RuntimeError(f"{folder} is not finished: {why}")
    return read(folder), left_out


def staleness(
    file: str | Path, progress: Callable[[int, int], object] | None = None, suite: str = SUITE
) -> Iterator[str]:
    """Yield what a board says otherwise than the suite would now; nothing where it is up to date.

    A board that was made by these very sources and versions is. Otherwise, each row's first seed is played again, all
    its rounds: what changed no number there made nothing stale.

    Raises
    ------
    OSError, ValueError
        As `strategic_env.report.board_page.read_board`.
    """
    asked = read_grid(suite)
    cells = {_of_cell(cell): cell for cell in cells_of(asked)[0]}
    rows = {_of_row(row): row for row in read_board(file)}
    yield from (f"{_said(what)} is not on the board" for what in cells if what not in rows)
    yield from (f"{_said(what)} is on the board, not in the suite" for what in rows if what not in cells)
    same = [what for what in cells if what in rows]
    yield from (f"{_said(what)} was played with other seeds" for what in same if rows[what].seeds != asked.seeds)
    tell = progress or (lambda done, total: None)
    for done, what in enumerate(same):
        tell(done, len(same))
        if rows[what].versions != versions():
            yield from _difference(rows[what], cells[what])


def _difference(row: BoardRow, cell: Cell) -> Iterator[str]:
    """Yield what the first seed says otherwise."""
    made = cell.built()
    run = play(made.contestant, made.scenario, row.seeds[0], cell.rounds, cell.checkpoints)
    if run.error is not None:
        yield f"{_said(_of_row(row))} fails now: {run.error}"
    elif run.mistakes != row.counts[0]:
        yield f"{_said(_of_row(row))}: {row.counts[0]} mistakes with seed {row.seeds[0]} then, {run.mistakes} now"


def _of_row(row: BoardRow) -> What:
    return row.name, _text(row.options), row.kind, _text(row.parameters), row.rounds


def _of_cell(cell: Cell) -> What:
    return cell.scenario, _text(cell.options), cell.learner, _text(cell.parameters), cell.rounds


def _text(options: object) -> str:
    return json.dumps(plain(options), sort_keys=True)


def _said(what: What) -> str:
    name, options, learner, parameters, rounds = what
    texts = [f"{learner} {parameters}" if parameters != "{}" else learner, f"on {name}"]
    return " ".join([*texts, *([options] if options != "{}" else []), f"for {rounds:,} rounds"])
