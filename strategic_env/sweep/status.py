"""How far a sweep has come, for anybody who looks while others work."""

import os
from dataclasses import dataclass

from agents.foundation.checks import file_path
from strategic_env.sweep.chunks import rows_of
from strategic_env.sweep.folder import Folder
from strategic_env.sweep.planning import code_digest


@dataclass(frozen=True)
class Status:
    """Counts of a folder.

    Attributes
    ----------
    rows, finished_rows : int
    chunks, finished_chunks : int
    errors : int
        Finished rows whose learner or scenario failed.
    lost : dict of str
        Chunks that were given up, and why.
    conflicts : int
        Files that differ from chunks that were there.
    old_plans : int
        Plans of other code, which `work` leaves alone.
    """

    rows: int
    finished_rows: int
    chunks: int
    finished_chunks: int
    errors: int
    lost: dict[str, str]
    conflicts: int
    old_plans: int

    @property
    def done(self) -> bool:
        """Whether every row is there."""
        return self.finished_rows == self.rows


def status(out: str | os.PathLike[str]) -> Status:
    """Return how far a sweep has come.

    Parameters
    ----------
    out : path
        Folder of `plan`.

    Raises
    ------
    ValueError
        If it holds no plan of this code, or a file is damaged.
    OSError
        If it cannot be read.
    """
    place = Folder(file_path("out", out))
    plans = place.of_code(code_digest())
    done = [(plan, chunk) for plan in plans for chunk in place.finished(plan)]
    errors = 0
    for plan, chunk in done:
        column = rows_of(place.file_of(plan, chunk.name), ["error"])["error"]
        errors += len(column) - column.null_count
    names = {chunk.name for plan in plans for chunk in plan.chunks}
    lost = {
        file.stem: file.read_text(encoding="utf-8").strip()
        for file in sorted((place.path / "lost").glob("*.txt"))
        if file.stem in names
    }
    return Status(
        rows=sum(chunk.rows for plan in plans for chunk in plan.chunks),
        finished_rows=sum(chunk.rows for _, chunk in done),
        chunks=len(names),
        finished_chunks=len(done),
        errors=errors,
        lost=lost,
        conflicts=len(place.conflicts()),
        old_plans=len(place.plans) - len(plans),
    )
