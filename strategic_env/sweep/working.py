"""Working through a plan: one loop for every engine, which loses nothing when workers, or it itself, are killed."""

import os
import signal
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from textwrap import shorten
from typing import Any

from agents.foundation.checks import MOST_CORES, count, file_path, finite_number, flag, function_or_none, shown
from strategic_env.bench.arguments import one_line
from strategic_env.bench.engines import Engine, WorkerDied, engine_named
from strategic_env.bench.tasks import answers
from strategic_env.sweep.cells import SourcesChanged
from strategic_env.sweep.chunks import Played, arrow, play_chunk, rows_of, warm
from strategic_env.sweep.folder import Chunk, Folder, Plan
from strategic_env.sweep.grid import digest_of
from strategic_env.sweep.planning import code_digest, versions

LONGEST_REASON = 300  # characters of what is told of a chunk that is lost


@dataclass
class Outcome:
    """What became of the work.

    Attributes
    ----------
    played : int
        Chunks that this call added.
    errors : int
        Rows, of these chunks, whose learner or scenario failed.
    lost : list of str
        Chunks that were given up, and why.
    conflicts : int
        Chunks whose rows differ from those that were there.
    stopped : str or None
        Why the work ended early.
    """

    played: int = 0
    errors: int = 0
    lost: list[str] = field(default_factory=list)
    conflicts: int = 0
    stopped: str | None = None

    @property
    def done(self) -> bool:
        """Whether everything that was to be done is done, without a fault."""
        return not (self.errors or self.lost or self.conflicts or self.stopped)


def work(
    out: str | os.PathLike[str],
    *,
    engine: str = "processes",
    workers: int | None = None,
    address: str | None = None,
    shard: str | None = None,
    limit: float | None = None,
    tries: int = 3,
    retry_errors: bool = False,
    keep_going: bool = False,
    progress: Callable[[int, int], object] | None = None,
) -> Outcome:
    """Play what the plans of a folder hold and its results lack.

    Any number of processes, on any number of machines, may work in one folder at the same time. Each chunk is played at
    least once, and its rows are there whole or not at all.

    Parameters
    ----------
    out : path
        Folder of `plan`.
    engine : str
        ``"processes"``, ``"serial"``, ``"dask"`` or ``"ray"``.
    workers : int, optional
        The number of cores by default; a cluster that has an address decides itself.
    address : str, optional
        Of Dask's scheduler or Ray's head.
    shard : str, optional
        ``"I/N"``, from ``"0/N"`` to ``"N-1/N"``: only this share of the chunks.
    limit : float, optional
        Seconds after which a chunk's worker is ended; with the engine ``"processes"`` only.
    tries : int
        How often a chunk whose worker died is begun before it counts as lost.
    retry_errors : bool
        Play again the chunks in which a row failed.
    keep_going : bool
        Go on although nothing in the first chunk worked.
    progress : callable, optional
        Called with the chunks that are finished, and how many there are.

    Returns
    -------
    Outcome

    Raises
    ------
    TypeError, ValueError
        If an argument is wrong, there is no plan, or the code is not the one that it was planned with.
    OSError
        If results cannot be written, for want of room or otherwise.
    ImportError
        If an engine's package is missing.
    """
    count_of_workers = (
        (os.cpu_count() or 1) if workers is None else count("workers", workers, minimum=1, maximum=MOST_CORES)
    )
    if limit is not None:
        limit = finite_number("limit", limit, above=0.0)
        if engine != "processes":
            raise ValueError(f"limit needs the engine processes, whose workers can be ended, got {limit} for {engine}")
    function_or_none("progress", progress, "the finished chunks and all of them")
    number, shards = _shard(shard)
    place = Folder(file_path("out", out))
    plans = place.of_code(code_digest())
    arrow()
    chunks = sorted(((plan, chunk) for plan in plans for chunk in plan.chunks), key=lambda one: one[1].name)
    mine = {chunk.name: (plan, chunk) for plan, chunk in chunks[number::shards]}
    done = {chunk.name for plan in plans for chunk in place.finished(plan)}
    again = _with_errors(place, plans) if flag("retry_errors", retry_errors) else set()
    first_must_work = not flag("keep_going", keep_going) and not done
    keeper = _Keeper(place, mine, again, first_must_work)
    tries = count("tries", tries, minimum=1)
    place.remove_leftovers()
    chosen = engine_named(engine, count_of_workers, address)
    with _terminated_as_interrupted():
        return _driven(keeper, chosen, _from_anywhere(done - again, mine), tries, limit, progress)


def _from_anywhere(done: set[str], mine: Iterable[str]) -> list[str]:
    """Return the chunks that are to be played, beginning anywhere, so that two drivers seldom meet."""
    todo = [name for name in mine if name not in done]
    start = int(digest_of([socket.gethostname(), os.getpid()]), 16) % max(len(todo), 1)
    return todo[start:] + todo[:start]


def _driven(
    keeper: "_Keeper",
    engine: Engine,
    todo: list[str],
    tries: int,
    limit: float | None,
    progress: Callable[[int, int], object] | None,
) -> Outcome:
    """Let an engine play chunks, and keep what it plays."""
    outcome, total = keeper.outcome, len(keeper.chunks)
    left = set(todo)

    def report() -> None:
        if progress is not None:
            progress(total - len(left), total)

    def missing() -> Iterator[str]:
        report()
        _warm(engine, [keeper.chunks[name] for name in todo])
        for name in todo:
            if keeper.is_missing(name):
                yield name
            else:  # another process was faster
                left.discard(name)

    def begin(name: str) -> "Future[Played]":
        plan, chunk = keeper.chunks[name]
        return engine.submit(play_chunk, plan.task(chunk))

    try:
        with closing(answers(engine, begin, missing(), tries=tries, limit=limit, final=(SourcesChanged,))) as ended:
            for name, future in ended:
                keeper.take(name, future)
                left.discard(name)
                report()
                if outcome.stopped is not None:
                    break
            report()
    except KeyboardInterrupt:
        outcome.stopped = "interrupted; finished chunks are kept"
    return outcome


def _warm(engine: Engine, todo: list[tuple[Plan, Chunk]]) -> None:
    """Compile once, before many processes would all do it."""
    kinds: dict[tuple[str, str], tuple[Plan, Chunk, tuple[int, list[int]]]] = {}
    for plan, chunk in todo:
        for at, seeds in chunk.parts:
            kinds.setdefault((plan.cells[at].scenario, plan.cells[at].learner), (plan, chunk, (at, seeds[:1])))
    for plan, chunk, part in kinds.values():
        task = plan.task(Chunk(chunk.name, [part]))
        try:
            engine.submit(warm, task).result()
        except Exception:  # whatever is wrong with it will be seen, and noted, when it is played
            continue


class _Keeper:
    """Writes what was played, and why what was lost was lost."""

    def __init__(
        self, place: Folder, chunks: dict[str, tuple[Plan, Chunk]], again: set[str], first_must_work: bool
    ) -> None:
        self.place, self.chunks, self.again, self.first_must_work = place, chunks, again, first_must_work
        self.outcome = Outcome()

    def is_missing(self, name: str) -> bool:
        """Whether a chunk is still to be played."""
        plan, _ = self.chunks[name]
        return name in self.again or not self.place.file_of(plan, name).exists()

    def take(self, name: str, future: "Future[Played]") -> None:
        """Keep what was played, or note why it was not."""
        try:
            played = future.result()
        except WorkerDied as error:
            self._lose(name, str(error) or "its worker died")
        except SourcesChanged:
            raise
        except Exception as error:  # of the machine
            self._lose(name, shorten(one_line(f"{type(error).__name__}: {error}"), LONGEST_REASON))
        else:
            self._keep(name, played)

    def _lose(self, name: str, why: str) -> None:
        self.outcome.lost.append(f"{name}: {why}")
        file = self.place.lost_file(name)
        file.parent.mkdir(exist_ok=True)
        file.write_text(why + "\n", encoding="utf-8")

    def _keep(self, name: str, played: Played) -> None:
        """Commit a chunk's rows; equal bytes from two processes are no conflict."""
        file = self.place.file_of(self.chunks[name][0], name)
        if name in self.again:
            file.unlink(missing_ok=True)
        result = "new" if self.place.commit(file, played.content) else "same"
        if result == "same" and file.read_bytes() != played.content and not _equal(file.read_bytes(), played.content):
            result = "conflict"
            self.outcome.conflicts += 1
            self.place.commit(self.place.path / "conflicts" / f"{name}-{os.getpid()}.parquet", played.content)
        self.place.lost_file(name).unlink(missing_ok=True)
        spent = {"wall": round(played.wall, 3), "cpu": round(played.cpu, 3), "memory": round(played.memory, 1)}
        self.place.note(chunk=name, result=result, rows=played.rows, errors=played.errors, **spent, **versions())
        self.outcome.played += 1
        self.outcome.errors += played.errors
        if self.first_must_work and played.errors == played.rows:
            self.outcome.stopped = "nothing in the first chunk worked; --keep-going goes on all the same"
        self.first_must_work = False


def _equal(one: bytes, other: bytes) -> bool:
    """Whether two files hold the same rows, whatever wrote them."""
    import io

    _, parquet = arrow()
    return bool(parquet.read_table(io.BytesIO(one)).equals(parquet.read_table(io.BytesIO(other))))


def _with_errors(place: Folder, plans: list[Plan]) -> set[str]:
    """Return the chunks that hold a row with an error."""
    files = [place.file_of(plan, chunk.name) for plan in plans for chunk in place.finished(plan)]
    return {file.stem for file in files if (errors := rows_of(file, ["error"])["error"]).null_count < len(errors)}


def _shard(shard: str | None) -> tuple[int, int]:
    if shard is None:
        return 0, 1
    number, slash, total = shard.partition("/") if isinstance(shard, str) else ("", "", "")
    if not (slash and number.isdecimal() and total.isdecimal() and int(number) < int(total)):
        raise ValueError(f"shard must read I/N, from 0/N to N-1/N, got {shown(shard)}")
    return int(number), int(total)


@contextmanager
def _terminated_as_interrupted() -> Iterator[None]:
    """Let SIGTERM end the work as Ctrl-C does."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
