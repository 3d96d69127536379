"""Planning: everything is checked, probed and cut before anything is played."""

import importlib.metadata
import os
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from agents.foundation.checks import file_path, finite_number, function_or_none
from agents.foundation.files import made_folder
from strategic_env.bench.contestants import all_contestants
from strategic_env.bench.versions import project_digest
from strategic_env.games.scenarios import scenario
from strategic_env.sweep.cells import Built, Cell, cell_of
from strategic_env.sweep.folder import Chunk, Folder, Plan, chunk_name
from strategic_env.sweep.grid import Entry, Grid, read_grid

DECIDE = ("numpy", "numba", "pyarrow")  # whose versions decide about bits
PROBE_GAMES, PROBE_ROUNDS, PROBE_STEPS = 64, 100, 20
ENOUGH_SECONDS = 0.02
MOST_ROWS = 100_000
ENOUGH_CHUNKS = 64  # so that workers share evenly what is soon done
SHORTEST_CHUNK = 1.0  # second, below which handing out chunks would be felt
LONGEST_CHUNK = 1e7  # seconds: a third of a year


@dataclass(frozen=True)
class Planned:
    """What a plan adds to a folder.

    Attributes
    ----------
    file : Path or None
        None if everything had been planned before.
    rows, chunks, cells : int
    left_out : list of str
        Learners that do not fit a scenario, and why.
    """

    file: Path | None
    rows: int
    chunks: int
    cells: int
    left_out: list[str]


def versions() -> dict[str, str]:
    """Return the versions that decide about bits."""
    return {name: importlib.metadata.version(name) for name in DECIDE}


def code_digest() -> str:
    """Return a hash of this package's sources, and of the versions that decide about bits."""
    return sha256(f"{project_digest()}{sorted(versions().items())}".encode()).hexdigest()


def plan(
    grid: str | os.PathLike[str] | Mapping[str, object],
    out: str | os.PathLike[str],
    *,
    chunk_seconds: float = 30.0,
    progress: Callable[[str], object] | None = None,
) -> Planned:
    """Plan a sweep: build every scenario and learner once, and cut the rows into chunks of about equal length.

    A plan is frozen. Planning again in the same folder adds what is missing, so that grids and seeds can grow.

    Parameters
    ----------
    grid : mapping or path of a YAML file
        Or the name of a suite that comes with the package: ``"standard"``. ``rounds`` (each scenario's horizon by
        default), ``seeds`` (a number, a list, or ranges such as ``"0-4,7"``),
        ``checkpoints`` (none by default), ``scenarios`` and ``learners``: lists of names, or of mappings with ``name``,
        ``set`` (options) and ``grid`` (lists of values, of which every combination is taken).
    out : path
        Made where it is missing.
    chunk_seconds : float
        How long a chunk should take, above 0, at most 1e7. A sweep that would be a few such chunks is cut finer, into
        64 or chunks of a second, so that several workers share it evenly.
    progress : callable, optional
        Called with a line now and then.

    Returns
    -------
    Planned

    Raises
    ------
    TypeError, ValueError
        If anything in the grid is unknown or wrong, or a learner fits no scenario.
    OSError
        If a file cannot be read or written.
    ImportError
        If a package is missing.
    """
    asked = read_grid(grid)
    length = finite_number("chunk_seconds", chunk_seconds, above=0.0, maximum=LONGEST_CHUNK)
    function_or_none("progress", progress, "a line")
    place = Folder(made_folder("out", file_path("out", out)))
    code = code_digest()
    cells, left_out = cells_of(asked)
    known = _planned_before(place, code)
    missing = {cell.digest: [seed for seed in asked.seeds if seed not in known.get(cell.digest, ())] for cell in cells}
    cells = [cell for cell in cells if missing[cell.digest]]
    if not cells:
        return Planned(None, 0, 0, 0, left_out)
    seconds = _seconds_per_row(cells, progress or (lambda line: None))
    whole = sum(len(missing[cell.digest]) * each for cell, each in zip(cells, seconds, strict=True))
    chunks = list(_cut(code, cells, missing, seconds, min(length, max(whole / ENOUGH_CHUNKS, SHORTEST_CHUNK))))
    file = place.add_plan(Plan(code, versions(), cells, chunks))
    return Planned(file, sum(map(len, missing.values())), len(chunks), len(cells), left_out)


def cells_of(asked: Grid) -> tuple[list[Cell], list[str]]:
    """Return the cells by learner, so that what one compiles or loads serves many; and who does not fit where."""
    if not asked.learners:
        return _cells_of_all(asked)
    found: list[dict[str, Cell]] = [{} for _ in asked.learners]
    why: list[list[str]] = [[] for _ in asked.learners]
    for place in asked.scenarios:  # each is built once, for all learners
        for at, player in enumerate(asked.learners):
            try:
                cell = cell_of(place, player, asked.rounds, asked.checkpoints)
            except ValueError as error:
                why[at].append(f"{player.name} on {place.name}: {error}")
            else:
                found[at].setdefault(cell.digest, cell)
    for player, fitting, reasons in zip(asked.learners, found, why, strict=True):
        if not fitting:
            raise ValueError(f"learner {player.name!r} fits no scenario of the sweep: {reasons[0]}")
    cells = {digest: cell for fitting in found for digest, cell in fitting.items()}
    return list(cells.values()), list(dict.fromkeys(reason for reasons in why for reason in reasons))


def _cells_of_all(asked: Grid) -> tuple[list[Cell], list[str]]:
    """Return the cells of all learners that a scenario tells enough, and who is left out."""
    found: dict[str, Cell] = {}
    others: set[str] = set()
    for place in asked.scenarios:
        fitting, skipped = all_contestants(scenario(place.name, **place.options))
        others.update(skipped)
        for one in fitting:
            if one.name not in asked.without:
                cell = cell_of(place, Entry(one.name, one.parameters), asked.rounds, asked.checkpoints)
                found.setdefault(cell.digest, cell)
    cells = sorted(found.values(), key=lambda cell: cell.learner)
    untold = sorted(others - {cell.learner for cell in cells} - set(asked.without))
    reasons = asked.without | dict.fromkeys(untold, "no scenario here tells it enough")
    return cells, [f"{name}: {why}" for name, why in reasons.items()]


def _planned_before(place: Folder, code: str) -> dict[str, set[int]]:
    """Return the seeds of each cell that plans of the same code hold."""
    known: dict[str, set[int]] = {}
    for old in (one for one in place.plans if one.code == code):
        for chunk in old.chunks:
            for at, seeds in chunk.parts:
                known.setdefault(old.cells[at].digest, set()).update(seeds)
    return known


def _seconds_per_row(cells: list[Cell], progress: Callable[[str], object]) -> list[float]:
    """Return how long a row of each cell takes: measured once for learner, scenario and number of features."""
    rates: dict[tuple[str, str, object], float] = {}
    found = []
    for cell in cells:
        kind = cell.learner, cell.scenario, cell.options.get("dim")
        if kind not in rates:
            built = cell.built()
            progress(f"measuring {built.contestant.label} on {cell.scenario}")
            rates[kind] = _seconds_per_round(built)
        found.append(rates[kind] * cell.rounds)
    return found


def _seconds_per_round(built: Built) -> float:
    batches = built.in_batches()
    games, longest = (PROBE_GAMES, PROBE_ROUNDS) if batches else (1, PROBE_STEPS)
    _played_in(built, 1, 1)  # compiles
    for rounds in (longest, 10 * longest) if batches else (longest,):
        rounds = min(rounds, built.cell.rounds)
        seconds = _played_in(built, games, rounds)
        if seconds > ENOUGH_SECONDS:  # else what a start costs would count
            break
    return seconds / (games * rounds)


def _played_in(built: Built, games: int, rounds: int) -> float:
    short = replace(built.cell, rounds=rounds, checkpoints=[])
    probe = Built(short, built.scenario.lasting(rounds), built.contestant)
    start = time.perf_counter()
    probe.play(list(range(games)))
    return time.perf_counter() - start


def _cut(
    code: str, cells: list[Cell], missing: dict[str, list[int]], seconds: list[float], length: float
) -> Iterator[Chunk]:
    """Yield chunks that take about ``length`` seconds each; a longer row is one alone."""
    parts: list[tuple[int, list[int]]] = []
    left, rows = length, 0
    for at, cell in enumerate(cells):
        seeds = missing[cell.digest]
        while seeds:
            fitting = min(int(left / seconds[at]) if seconds[at] > 0.0 else len(seeds), MOST_ROWS - rows)
            if fitting < 1 and parts:
                yield Chunk(chunk_name(code, cells, parts), parts)
                parts, left, rows = [], length, 0
                continue
            taken, seeds = seeds[: max(fitting, 1)], seeds[max(fitting, 1) :]
            parts.append((at, taken))
            left -= len(taken) * seconds[at]
            rows += len(taken)
    if parts:
        yield Chunk(chunk_name(code, cells, parts), parts)
