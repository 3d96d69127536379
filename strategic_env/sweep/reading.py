"""Finished sweeps: one table of all rows, and results that reports show."""

import json
import os
from itertools import pairwise
from pathlib import Path
from typing import Any

from agents.foundation.checks import file_path, flag
from agents.foundation.files import replacing
from strategic_env.bench.contestants import Contestant
from strategic_env.bench.evaluation import Results
from strategic_env.bench.playing import Run
from strategic_env.sweep.cells import Cell
from strategic_env.sweep.chunks import arrow, one_table, rows_of
from strategic_env.sweep.folder import PLANS, Chunk, Folder, Plan
from strategic_env.sweep.grid import digest_of
from strategic_env.sweep.planning import code_digest

ROW_GROUP = 100_000
OF_CELL = ("scenario", "options", "learner", "parameters", "rounds")


def table(out: str | os.PathLike[str], file: str | os.PathLike[str] | None = None, *, partial: bool = False) -> Path:
    """Write all rows of a sweep to one Parquet file, sorted by cell and seed.

    Its bytes depend on the plan, the code and the versions, not on who played what, when and where.

    Parameters
    ----------
    out : path
        Folder of `plan`.
    file : path, optional
        ``table.parquet`` in the folder by default.
    partial : bool
        Write what there is, although rows are missing.

    Returns
    -------
    Path

    Raises
    ------
    ValueError
        If rows are missing, or a file is damaged.
    OSError
        If a file cannot be read or written.
    """
    place = Folder(file_path("out", out))
    _, parquet = arrow()
    rows = _in_words(_sorted_rows(place, partial), _cells(place))
    target = place.path / "table.parquet" if file is None else file_path("file", file)
    with replacing(target) as unfinished:
        parquet.write_table(rows, unfinished, row_group_size=ROW_GROUP)
    return target


def read(out: str | os.PathLike[str], *, partial: bool = False) -> list[Results]:
    """Return the results of a sweep, one for each scenario with its options and rounds, as `evaluate` returns them.

    Parameters
    ----------
    out : path
        Folder of `plan`.
    partial : bool
        Return what there is, although rows are missing.

    Returns
    -------
    list of Results
        In the order of the plan; `strategic_env.report` shows each.

    Raises
    ------
    ValueError
        If rows are missing, a file is damaged, or the folder holds no plan, or plans of several versions of the
        code but none of this.
    OSError
        If a file cannot be read.
    """
    place = Folder(file_path("out", out))
    of_cell = _by_cell(_sorted_rows(place, partial))
    games: dict[str, list[Cell]] = {}
    for cell in _cells(place).values():
        if cell.digest in of_cell:
            games.setdefault(digest_of([cell.scenario, cell.options, cell.rounds, cell.checkpoints]), []).append(cell)
    return [_results(cells, of_cell) for cells in games.values()]


def found_in(folder: Path) -> tuple[list[Results], str]:
    """Return what a folder holds, whatever was played there, and what is left to be played.

    Returns
    -------
    list of Results
        Of a run, or of each scenario of a sweep as far as it has come.
    str
        What a sweep lacks, in one line; empty if nothing.

    Raises
    ------
    ValueError, OSError, ImportError
        As `read`, and `Results.load`.
    """
    if not any(folder.glob(PLANS)):
        return [Results.load(folder)], ""
    done, planned = _chunks(Folder(folder))
    return read(folder, partial=True), "" if len(done) == planned else _lacking(folder, len(done), planned)


def _by_cell(rows: Any) -> dict[str, Any]:
    """Return the rows of each cell, of a table that is sorted by cell."""
    pyarrow, _ = arrow()
    ends = pyarrow.compute.run_end_encode(rows["cell"].combine_chunks())
    starts = [0, *ends.run_ends.to_pylist()]
    return {
        digest: rows.slice(start, end - start)
        for digest, (start, end) in zip(ends.values.to_pylist(), pairwise(starts), strict=True)
    }


def _results(cells: list[Cell], rows: dict[str, Any]) -> Results:
    built = [cell.built() for cell in cells]
    scenario, first = built[0].scenario, cells[0]
    marks = sorted({*first.checkpoints, first.rounds})
    contestants: list[Contestant] = [one.contestant for one in built]
    runs = [
        _run(one.contestant.label, row, one.scenario.columns, marks)
        for one in built
        for row in rows[one.cell.digest].to_pylist()
    ]
    seeds = sorted({run.seed for run in runs})
    return Results(scenario, first.rounds, seeds, marks, contestants, runs)


def _run(label: str, row: dict[str, Any], columns: tuple[str, ...], marks: list[int]) -> Run:
    seed = int(row["seed"])
    if row["error"] is not None:
        return Run(label, seed, error=row["error"], fused=row["fused"])
    curve = dict(zip(marks, row["curve"] or [], strict=False))
    return Run(
        label,
        seed,
        row["mistakes"],
        row["loss"],
        {name: row[name] for name in columns},
        [curve.get(mark, row["mistakes"]) for mark in marks],
        fused=row["fused"],
    )


def _cells(place: Folder) -> dict[str, Cell]:
    return {cell.digest: cell for plan in place.to_read(code_digest()) for cell in plan.cells}


def _chunks(place: Folder) -> tuple[list[tuple[Plan, Chunk]], int]:
    """Return the chunks that are there, and how many there should be."""
    plans = place.to_read(code_digest())
    return [(plan, chunk) for plan in plans for chunk in place.finished(plan)], sum(len(one.chunks) for one in plans)


def _lacking(path: Path, done: int, planned: int) -> str:
    return f"{path} lacks {planned - done:,} of {planned:,} chunks: `strategic-env sweep work {path}` plays them"


def _sorted_rows(place: Folder, partial: bool) -> Any:
    """Return all rows as an Arrow table, by cell and seed."""
    done, planned = _chunks(place)
    if not done or (len(done) < planned and not flag("partial", partial)):
        raise ValueError(_lacking(place.path, len(done), planned))
    rows = one_table([rows_of(place.file_of(plan, chunk.name)) for plan, chunk in done])
    return rows.sort_by([("cell", "ascending"), ("seed", "ascending")])


def _in_words(rows: Any, cells: dict[str, Cell]) -> Any:
    """Return rows with what their cells are in words."""
    pyarrow, _ = arrow()
    index = rows["cell"].dictionary_encode().combine_chunks()
    texts = [_words_of(cells[digest]) for digest in index.dictionary.to_pylist()]
    for at, name in enumerate(OF_CELL):
        # Each text once: a million copies are heavy, and two of the same make bytes depend on chance.
        values = pyarrow.array([text[name] for text in texts]).dictionary_encode()
        column = pyarrow.DictionaryArray.from_arrays(values.indices.take(index.indices), values.dictionary)
        rows = rows.add_column(1 + at, name, column)
    return rows


def _words_of(cell: Cell) -> dict[str, Any]:
    return {
        "scenario": cell.scenario,
        "options": json.dumps(cell.options, sort_keys=True),
        "learner": cell.learner,
        "parameters": json.dumps(cell.parameters, sort_keys=True),
        "rounds": cell.rounds,
    }
