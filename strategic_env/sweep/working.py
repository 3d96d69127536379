"""Working through a plan: one loop for every engine, which loses nothing when workers, or it itself, are killed."""

import os
import signal
import socket
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from textwrap import shorten
from typing import Any

from agents.foundation.checks import MOST_CORES, count, file_path, finite_number, flag, function_or_none, shown
from strategic_env.bench.arguments import one_line
from strategic_env.bench.engines import Engine, WorkerDied, engine_named
from strategic_env.sweep.cells import SourcesChanged
from strategic_env.sweep.chunks import Played, arrow, play_chunk, rows_of, warm
from strategic_env.sweep.folder import Chunk, Folder, Plan
from strategic_env.sweep.grid import digest_of
from strategic_env.sweep.planning import code_digest, versions

LONGEST_REASON = 300  # characters of what is told of a chunk that is lost
TICK = 0.2  # seconds between two looks at the clock


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
    done = {chunk.name for plan in plans for chunk in place.finished(plan)}
    again = _with_errors(place, plans) if flag("retry_errors", retry_errors) else set()
    mine = [one for at, one in enumerate(chunks) if at % shards == number]
    todo = [one for one in mine if one[1].name not in done or one[1].name in again]
    driver = _Driver(
        place, engine_named(engine, count_of_workers, address), limit, count("tries", tries, minimum=1), again
    )
    driver.first_must_work = not flag("keep_going", keep_going) and not done
    place.remove_leftovers()
    report = progress or (lambda finished, total: None)
    with _terminated_as_interrupted():
        return driver.run(todo, lambda left: report(len(mine) - left, len(mine)))


@dataclass(frozen=True)
class _Begun:
    """A chunk at work, since when, and whether nothing else is, so that nobody else can be blamed."""

    plan: Plan
    chunk: Chunk
    since: float
    alone: bool


class _Driver:
    """The loop: hands out chunks, looks who is first, and finds out who is to blame."""

    def __init__(self, place: Folder, engine: Engine, limit: float | None, tries: int, again: set[str]) -> None:
        self.place, self.engine, self.limit, self.tries, self.again = place, engine, limit, tries, again
        self.outcome = Outcome()
        self.first_must_work = True
        self._deaths: Counter[str] = Counter()
        # In a broken pool nobody knows which chunk broke it: each of them then runs alone.
        self._suspects: deque[tuple[Plan, Chunk]] = deque()
        self._running: dict[Future[Played], _Begun] = {}

    def run(self, todo: list[tuple[Plan, Chunk]], report: Callable[[int], object]) -> Outcome:
        """Play chunks, beginning anywhere, so that two drivers seldom meet; ``report`` hears how many are left."""
        start = int(digest_of([socket.gethostname(), os.getpid()]), 16) % max(len(todo), 1)
        waiting = deque(todo[start:] + todo[:start])
        try:
            if waiting:
                self._warm(waiting)
            while (waiting or self._running or self._suspects) and self.outcome.stopped is None:
                report(len(waiting) + len(self._running) + len(self._suspects))
                self._hand_out(waiting)
                self._look(waiting)
            report(len(waiting) + len(self._running) + len(self._suspects))
        except KeyboardInterrupt:
            self.outcome.stopped = "interrupted; finished chunks are kept"
        finally:
            self.engine.stop(kill=bool(self._running))
        return self.outcome

    def _warm(self, waiting: "deque[tuple[Plan, Chunk]]") -> None:
        """Compile once, before many processes would all do it."""
        kinds: dict[tuple[str, str], tuple[Plan, Chunk, tuple[int, list[int]]]] = {}
        for plan, chunk in waiting:
            for at, seeds in chunk.parts:
                kinds.setdefault((plan.cells[at].scenario, plan.cells[at].learner), (plan, chunk, (at, seeds[:1])))
        for plan, chunk, part in kinds.values():
            task = plan.task(Chunk(chunk.name, [part]))
            try:
                self.engine.submit(warm, task).result()
            except Exception:  # whatever is wrong with it will be seen, and noted, when it is played
                continue

    def _hand_out(self, waiting: "deque[tuple[Plan, Chunk]]") -> None:
        """Keep the workers busy, or one of them with a suspect."""
        if self._suspects and not self._running:
            self._begin(*self._suspects.popleft(), alone=True)
        window = self.engine.workers * (2 if self.limit is None and self.engine.workers > 1 else 1)
        alone = any(one.alone for one in self._running.values())
        while waiting and not alone and not self._suspects and len(self._running) < window:
            plan, chunk = waiting.popleft()
            if chunk.name in self.again or not self.place.file_of(plan, chunk.name).exists():
                self._begin(plan, chunk, alone=False)  # no other process was faster

    def _begin(self, plan: Plan, chunk: Chunk, *, alone: bool) -> None:
        future = self.engine.submit(play_chunk, plan.task(chunk))
        self._running[future] = _Begun(plan, chunk, time.monotonic(), alone)

    def _look(self, waiting: "deque[tuple[Plan, Chunk]]") -> None:
        """Take what has ended; and end what takes too long."""
        if not self._running:
            return
        for future in wait(self._running, TICK, FIRST_COMPLETED).done:
            self._take(self._running.pop(future), future)
        if self.limit is not None:
            self._end_late(waiting, self.limit)

    def _take(self, begun: _Begun, future: "Future[Played]") -> None:
        try:
            played = future.result()
        except WorkerDied as error:
            if begun.alone:
                self._blame(begun, str(error) or "its worker died")
            else:
                self._suspects.append((begun.plan, begun.chunk))
        except SourcesChanged:
            raise
        except Exception as error:  # of the machine
            self._blame(begun, shorten(one_line(f"{type(error).__name__}: {error}"), LONGEST_REASON))
        else:
            self._keep(begun.plan, begun.chunk, played)

    def _blame(self, begun: _Begun, why: str) -> None:
        """Try a chunk again, alone, or give it up."""
        name = begun.chunk.name
        self._deaths[name] += 1
        if self._deaths[name] < self.tries:
            self._suspects.append((begun.plan, begun.chunk))
            return
        self.outcome.lost.append(f"{name}: {why}")
        file = self.place.lost_file(name)
        file.parent.mkdir(exist_ok=True)
        file.write_text(why + "\n", encoding="utf-8")

    def _end_late(self, waiting: "deque[tuple[Plan, Chunk]]", limit: float) -> None:
        """End all workers if one is late; the others' chunks wait again, without blame."""
        late = {future for future, begun in self._running.items() if time.monotonic() - begun.since > limit}
        if not late:
            return
        self.engine.stop(kill=True)
        for future, begun in self._running.items():
            if future in late:
                self._blame(begun, f"took more than {limit:g} seconds")
            else:
                waiting.appendleft((begun.plan, begun.chunk))
        self._running.clear()

    def _keep(self, plan: Plan, chunk: Chunk, played: Played) -> None:
        """Commit a chunk's rows; equal bytes from two processes are no conflict."""
        file = self.place.file_of(plan, chunk.name)
        if chunk.name in self.again:
            file.unlink(missing_ok=True)
        result = "new" if self.place.commit(file, played.content) else "same"
        if result == "same" and file.read_bytes() != played.content and not _equal(file.read_bytes(), played.content):
            result = "conflict"
            self.outcome.conflicts += 1
            self.place.commit(self.place.path / "conflicts" / f"{chunk.name}-{os.getpid()}.parquet", played.content)
        self.place.lost_file(chunk.name).unlink(missing_ok=True)
        spent = {"wall": round(played.wall, 3), "cpu": round(played.cpu, 3), "memory": round(played.memory, 1)}
        self.place.note(chunk=chunk.name, result=result, rows=played.rows, errors=played.errors, **spent, **versions())
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
