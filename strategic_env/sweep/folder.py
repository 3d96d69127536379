"""The folder of a sweep: frozen plans, chunks of results that are there whole or not at all, and logs.

::

    plan-DIGEST.json         what to play: cells, and the chunks that they are cut into
    results/CODE/CHUNK.parquet   rows, determined by the plan and the code alone
    log/HOST-PID.jsonl       who played which chunk, and how long
    lost/CHUNK.txt           why a chunk was given up
    conflicts/CHUNK-*.parquet    what differs from the chunk that was there
"""

import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, Self

from agents.foundation.files import UNFINISHED
from strategic_env.sweep.cells import Cell
from strategic_env.sweep.grid import digest_of

FORMAT = 1
PLANS = "plan-*.json"
DAY = 86_400.0  # seconds
PAUSE = 10.0  # seconds that nobody takes to write a chunk: containers may share a name, but not their processes
PROCESSES = Path("/proc")  # where Linux tells which processes there are
MANY = 10_000  # chunks that a folder holds before they lie in subfolders


@dataclass(frozen=True)
class Chunk:
    """Rows that are played together: of each cell some seeds.

    Attributes
    ----------
    name : str
    parts : list of (int, list of int)
        The number of a cell in its plan, and seeds.
    """

    name: str
    parts: list[tuple[int, list[int]]]

    @property
    def rows(self) -> int:
        """How many rows it holds."""
        return sum(len(seeds) for _, seeds in self.parts)


@dataclass(frozen=True)
class Plan:
    """What to play, frozen.

    Attributes
    ----------
    code : str
        A hash of this package's sources and of the versions that decide about bits.
    versions : dict of str
    cells : list of Cell
    chunks : list of Chunk
    """

    code: str
    versions: dict[str, str]
    cells: list[Cell]
    chunks: list[Chunk]

    def task(self, chunk: Chunk) -> dict[str, Any]:
        """Return a chunk as JSON that needs no other file."""
        cells = [[asdict(self.cells[at]), ranges_of(seeds)] for at, seeds in chunk.parts]
        return {"code": self.code, "name": chunk.name, "cells": cells}

    def to_json(self) -> str:
        """Return the text of its file."""
        chunks = [[chunk.name, [[at, ranges_of(seeds)] for at, seeds in chunk.parts]] for chunk in self.chunks]
        cells = [asdict(cell) for cell in self.cells]
        content = {"format": FORMAT, "code": self.code, "versions": self.versions, "cells": cells, "chunks": chunks}
        return json.dumps(content, allow_nan=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return what a file says.

        Raises
        ------
        ValueError, TypeError, KeyError, AttributeError
            If it is no plan.
        """
        content = json.loads(text)
        if content["format"] != FORMAT:
            raise ValueError(f"its format is {content['format']}, not {FORMAT}")
        chunks = [Chunk(name, [(at, seeds_in(ranges)) for at, ranges in parts]) for name, parts in content["chunks"]]
        cells = [Cell(**cell) for cell in content["cells"]]
        if not all(0 <= at < len(cells) for chunk in chunks for at, _ in chunk.parts):
            raise ValueError("a chunk names a cell that is not there")
        return cls(content["code"], content["versions"], cells, chunks)


class Folder:
    """What a sweep's folder holds.

    Parameters
    ----------
    path : Path

    Raises
    ------
    ValueError
        If a plan in it is damaged, or of another version.
    OSError
        If it cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @cached_property
    def plans(self) -> list[Plan]:
        """Its plans, in no order that matters."""
        found = []
        for file in sorted(self.path.glob(PLANS)):
            try:
                text = file.read_text(encoding="utf-8")
                found.append(Plan.from_json(text))
                if file.name != _name_of(text):
                    raise ValueError("it was edited since")
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
                raise ValueError(f"{file} is no plan of a sweep: {type(error).__name__}: {error}") from error
        return found

    def add_plan(self, plan: Plan) -> Path:
        """Write a plan, unless the same one is there."""
        text = plan.to_json()
        file = self.path / _name_of(text)
        if not file.exists():
            self.commit(file, text.encode())
        self.__dict__.pop("plans", None)
        return file

    def of_code(self, code: str) -> list[Plan]:
        """Return the plans that were made with this code.

        Raises
        ------
        ValueError
            If there are none.
        """
        if not self.plans:
            raise ValueError(f"{self.path} holds no plan: make one with `strategic-env sweep plan`")
        found = [plan for plan in self.plans if plan.code == code]
        if not found:
            raise ValueError(
                f"{self.path} was planned with other code, or other versions of NumPy, Numba or PyArrow: "
                "plan again, or install what it was planned with"
            )
        return found

    def to_read(self, code: str) -> list[Plan]:
        """Return the plans of this code or, where all are of one other code, those: what is played stays readable.

        Raises
        ------
        ValueError
            If there are none.
        """
        codes = {plan.code for plan in self.plans}
        return self.of_code(codes.pop() if len(codes) == 1 else code)

    def file_of(self, plan: Plan, chunk: str) -> Path:
        """Return where a chunk's rows lie."""
        place = self.path / "results" / plan.code[:8]
        return (place / chunk[:2] if len(plan.chunks) > MANY else place) / f"{chunk}.parquet"

    def lost_file(self, chunk: str) -> Path:
        """Return where it is said why a chunk was given up."""
        return self.path / "lost" / f"{chunk}.txt"

    def finished(self, plan: Plan) -> Iterator[Chunk]:
        """Yield the chunks of a plan whose rows are there."""
        there = {file.stem for file in (self.path / "results" / plan.code[:8]).rglob("*.parquet")}
        return (chunk for chunk in plan.chunks if chunk.name in there)

    def commit(self, file: Path, content: bytes) -> bool:
        """Write a file that nobody sees before it is whole; False if another process was first.

        Raises
        ------
        OSError
            If there is no room, or it cannot be written.
        """
        file.parent.mkdir(parents=True, exist_ok=True)
        unfinished = file.with_name(f"{file.name}.{_writer(os.getpid())}{UNFINISHED}")
        try:
            with unfinished.open("xb") as writing:
                writing.write(content)
                writing.flush()
                os.fsync(writing.fileno())
            return _name(unfinished, file)
        finally:
            unfinished.unlink(missing_ok=True)

    def note(self, **what: object) -> None:
        """Add a line to this process's log."""
        file = self.path / "log" / f"{_writer(os.getpid())}.jsonl"
        file.parent.mkdir(exist_ok=True)
        with file.open("a", encoding="utf-8") as log:
            log.write(json.dumps(what) + "\n")

    def remove_leftovers(self) -> None:
        """Remove what processes of this machine that are gone left half-written, and whatever is older than a day."""
        for file in self.path.rglob(f"*{UNFINISHED}"):
            with suppress(OSError):
                age = time.time() - file.stat().st_mtime
                if age > DAY or (age > PAUSE and _writer_is_gone(file)):
                    file.unlink()

    def conflicts(self) -> list[Path]:
        """Return what differs from chunks that were there."""
        return sorted((self.path / "conflicts").glob("*.parquet"))


def _writer(process: int) -> str:
    return f"{socket.gethostname()}-{process}"


def _writer_is_gone(unfinished: Path) -> bool:
    """Whether a process of this machine began a file, and lives no more; False where nobody can tell."""
    process = unfinished.name.removesuffix(UNFINISHED).rpartition("-")[2]
    ours = process.isdecimal() and unfinished.name.endswith(f".{_writer(int(process))}{UNFINISHED}")
    return ours and PROCESSES.joinpath("self").exists() and not PROCESSES.joinpath(process).exists()


def _name_of(plan: str) -> str:
    """Return what the file of a plan with this text is called."""
    return f"plan-{sha256(plan.encode()).hexdigest()[:16]}.json"


def _name(unfinished: Path, file: Path) -> bool:
    """Give a whole file its name, unless the name is taken."""
    try:
        os.link(unfinished, file)
    except FileExistsError:
        return False
    except OSError:  # a file system without hard links
        if file.exists():
            return False
        unfinished.rename(file)
    with suppress(OSError):  # not every system can do this to folders
        folder = os.open(file.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    return True


def chunk_name(code: str, cells: list[Cell], parts: list[tuple[int, list[int]]]) -> str:
    """Return what a chunk is called: the same for the same rows and code."""
    return digest_of([code, [[cells[at].digest, ranges_of(seeds)] for at, seeds in parts]])


def ranges_of(seeds: list[int]) -> list[list[int]]:
    """Return increasing seeds as ranges, both ends counted."""
    ranges: list[list[int]] = []
    for seed in seeds:
        if ranges and seed == ranges[-1][1] + 1:
            ranges[-1][1] = seed
        else:
            ranges.append([seed, seed])
    return ranges


def seeds_in(ranges: list[list[int]]) -> list[int]:
    """Return the seeds of ranges."""
    return [seed for first, last in ranges for seed in range(first, last + 1)]
