"""One chunk: from what is planned to the bytes of its file, the same on every engine."""

import io
import json
import time
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from agents.foundation.extras import missing_extra
from strategic_env.bench.playing import Run
from strategic_env.games.shared.rollout import Rollout
from strategic_env.sweep.cells import Built, Cell, SourcesChanged, said
from strategic_env.sweep.folder import seeds_in

FIRST = ("cell", "seed", "mistakes", "loss")
LAST = ("fused", "curve", "error")


@dataclass(frozen=True)
class Played:
    """What a worker returns.

    Attributes
    ----------
    content : bytes
        The file.
    rows, errors : int
    wall, cpu : float
        Seconds.
    memory : float
        Of the process at its largest, in MB.
    """

    content: bytes
    rows: int
    errors: int
    wall: float
    cpu: float
    memory: float


def arrow() -> tuple[Any, Any]:
    """Return PyArrow and its part for Parquet files."""
    try:
        import pyarrow
        import pyarrow.compute
        import pyarrow.parquet
    except ImportError as error:
        raise missing_extra("a sweep", "pyarrow", "sweep") from error
    return pyarrow, pyarrow.parquet


def play_chunk(task: dict[str, Any]) -> Played:
    """Play a task (`strategic_env.sweep.folder.Plan.task`).

    Raises
    ------
    SourcesChanged
        If this process has other code than the plan was made with.
    MemoryError, OSError
        If the machine fails.
    """
    from strategic_env.sweep.planning import code_digest

    if task["code"] != code_digest():
        raise SourcesChanged("this process has other code, or other versions, than the plan was made with")
    wall, cpu = time.perf_counter(), time.process_time()
    parts = []
    for described, ranges in task["cells"]:
        built = _built(json.dumps(described))
        parts += [_rows(built.cell, seeds, played) for seeds, played in built.play(seeds_in(ranges))]
    rows = one_table(parts).combine_chunks()
    errors = len(rows) - rows["error"].null_count
    content = _file(rows)
    spent = time.perf_counter() - wall, time.process_time() - cpu
    return Played(content, len(rows), errors, *spent, _largest_memory())


def warm(task: dict[str, Any]) -> None:
    """Compile what a task needs: one round of one game of each cell; what fails, fails later, where it is noted."""
    for described, ranges in task["cells"]:
        short = described | {"rounds": 1, "checkpoints": []}
        Cell(**short).built().play(seeds_in(ranges)[:1])


def _rows(cell: Cell, seeds: list[int], played: Rollout | list[Run]) -> Any:
    """Return what came of seeds as an Arrow table: of rollouts column by column, since a sweep has millions of rows."""
    pyarrow, _ = arrow()
    if not isinstance(played, Rollout):
        rows = [_row(cell, run) for run in played]
        return pyarrow.Table.from_pylist(rows, schema=_schema({name for row in rows for name in row}))
    games, marks = played.curves.shape
    ends = pyarrow.array(np.arange(0, games * marks + 1, max(marks, 1), dtype=np.int32))
    columns = {
        "cell": pyarrow.repeat(cell.digest, games),
        "seed": seeds,
        "mistakes": played.mistakes,
        "loss": played.loss,
        **played.columns,
        "fused": pyarrow.repeat(True, games),
        "curve": pyarrow.ListArray.from_arrays(ends, played.curves.ravel()) if marks else pyarrow.nulls(games),
        "error": pyarrow.nulls(games),
    }
    schema = _schema(columns)
    return pyarrow.table(columns).select(schema.names).cast(schema)  # a game counts in an order of its own


def _row(cell: Cell, run: Run) -> dict[str, Any]:
    failed = run.error is not None
    numbers = {"mistakes": run.mistakes, "loss": run.loss, **run.columns}
    return {
        "cell": cell.digest,
        "seed": run.seed,
        **({} if failed else numbers),
        "fused": run.fused,
        "curve": run.curve if cell.checkpoints and not failed else None,
        "error": said(run.error),
    }


def _schema(names: Iterable[str]) -> Any:
    """Return the columns in an order that does not depend on who comes first, and their types."""
    pyarrow, _ = arrow()
    fixed = {
        "cell": pyarrow.string(), "seed": pyarrow.uint64(), "mistakes": pyarrow.int64(), "loss": pyarrow.float64(),
        "fused": pyarrow.bool_(), "curve": pyarrow.list_(pyarrow.int64()), "error": pyarrow.string(),
    }  # fmt: skip
    counted = sorted({*names} - {*FIRST, *LAST})
    return pyarrow.schema([(name, fixed.get(name, pyarrow.float64())) for name in (*FIRST, *counted, *LAST)])


def one_table(parts: list[Any]) -> Any:
    """Return the rows of several Arrow tables; numbers that a game does not count are null."""
    pyarrow, _ = arrow()
    rows = pyarrow.concat_tables(parts, promote_options="default")
    return rows.select(_schema(rows.column_names).names)


def _file(rows: Any) -> bytes:
    """Return rows as a Parquet file."""
    _, parquet = arrow()
    written = io.BytesIO()
    parquet.write_table(rows, written, write_page_checksum=True)
    return written.getvalue()


def rows_of(file: Path, columns: list[str] | None = None) -> Any:
    """Return the rows of a chunk's file, or some columns of them, as an Arrow table.

    Raises
    ------
    ValueError
        If it is damaged.
    OSError
        If it cannot be read.
    """
    pyarrow, parquet = arrow()
    try:
        with parquet.ParquetFile(file, page_checksum_verification=True) as opened:
            return opened.read(columns, use_threads=False)  # threads would keep memory each, and files are small
    except (pyarrow.ArrowException, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:  # PyArrow calls damage so, too, but has no number
            raise
        raise ValueError(f"{file} is damaged: remove it, and work on") from error


@lru_cache(maxsize=256)
def _built(described: str) -> Built:
    """Return a cell, given as JSON, ready to play: built once per process."""
    return Cell(**json.loads(described)).built()


def _largest_memory() -> float:
    try:
        import resource
    except ImportError:  # not on this system
        return 0.0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0
