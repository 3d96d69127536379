"""Tasks for an engine: as many at once as keep it busy, and the blame found where a worker dies."""

import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from typing import Generic, TypeVar

from strategic_env.bench.engines import Engine, WorkerDied

Task = TypeVar("Task", bound=Hashable)
Answer = TypeVar("Answer")

TICK = 0.2  # seconds between two looks at the clock


def answers(
    engine: Engine,
    begin: Callable[[Task], "Future[Answer]"],
    tasks: Iterable[Task],
    *,
    tries: int = 1,
    limit: float | None = None,
    final: tuple[type[Exception], ...] = (),
) -> Generator[tuple[Task, "Future[Answer]"], None, None]:
    """Do tasks, and yield each with its future when it has ended.

    In the end the engine is stopped; whoever wants no more answers closes the generator, which ends what is at work.

    Where a worker dies, nobody knows which of the tasks that were at work killed it: each of them is begun again alone,
    and only one that fails alone has failed.

    Parameters
    ----------
    engine : Engine
    begin : callable
        Hands a task to the engine.
    tasks : iterable
        Asked for the next one when a worker is free for it.
    tries : int
        How often a task may fail before its future is yielded.
    limit : float, optional
        Seconds after which the workers are ended, if the engine can do that; a task that took longer has failed.
    final : tuple of type
        Errors that no other try would mend.
    """
    hands = _Hands(engine, begin, iter(tasks), tries, limit, final)
    try:
        while hands.busy():
            yield from hands.ended()
    except BaseException:
        engine.stop(kill=True)
        raise
    engine.stop()


@dataclass(frozen=True)
class _Begun(Generic[Task]):
    """A task at work, since when, and whether nothing else is, so that nobody else can be blamed."""

    task: Task
    since: float
    alone: bool


class _Hands(Generic[Task, Answer]):
    """What is at work, and what has to be begun again."""

    def __init__(
        self,
        engine: Engine,
        begin: Callable[[Task], "Future[Answer]"],
        tasks: Iterator[Task],
        tries: int,
        limit: float | None,
        final: tuple[type[Exception], ...],
    ) -> None:
        self._begin_one, self._tasks, self._tries, self._limit, self._final = begin, tasks, tries, limit, final
        self._engine = engine
        # Where tasks wait in a queue, the clock of a limit would run before they do.
        self._window = engine.workers * (2 if limit is None and engine.workers > 1 else 1)
        self._failed: Counter[Task] = Counter()
        self._suspects: deque[Task] = deque()  # to be begun alone
        self._innocent: deque[Task] = deque()  # ended because another one took too long
        self.running: dict[Future[Answer], _Begun[Task]] = {}

    def busy(self) -> bool:
        """Hand out what the engine has room for, or one suspect; False if nothing is left."""
        if self._suspects and not self.running:
            self._begin(self._suspects.popleft(), alone=True)
        alone = any(one.alone for one in self.running.values())
        while not alone and not self._suspects and len(self.running) < self._window:
            if self._innocent:
                self._begin(self._innocent.popleft())
                continue
            for task in self._tasks:
                self._begin(task)
                break
            else:
                break
        return bool(self.running)

    def _begin(self, task: Task, *, alone: bool = False) -> None:
        self.running[self._begin_one(task)] = _Begun(task, time.monotonic(), alone)

    def ended(self) -> Iterator[tuple[Task, "Future[Answer]"]]:
        """Wait a little, and yield what has ended for good."""
        for future in wait(self.running, TICK, FIRST_COMPLETED).done:
            begun = self.running.pop(future)
            error = future.exception()
            if isinstance(error, WorkerDied) and not begun.alone:
                self._suspects.append(begun.task)
            elif error is None or isinstance(error, self._final) or self._given_up(begun.task):
                yield begun.task, future
        if self._limit is not None:
            yield from self._end_late(self._limit)

    def _given_up(self, task: Task) -> bool:
        """Try what failed again, alone, unless it had all its tries."""
        self._failed[task] += 1
        if self._failed[task] < self._tries:
            self._suspects.append(task)
            return False
        return True

    def _end_late(self, limit: float) -> Iterator[tuple[Task, "Future[Answer]"]]:
        """End all workers if one is late; the other tasks are begun again, without blame."""
        now = time.monotonic()
        if all(now - begun.since <= limit for begun in self.running.values()):
            return
        self._engine.stop(kill=True)
        stopped, self.running = self.running, {}
        for begun in stopped.values():
            if now - begun.since <= limit:
                self._innocent.append(begun.task)
            elif self._given_up(begun.task):
                late: Future[Answer] = Future()
                late.set_exception(WorkerDied(f"took more than {limit:g} seconds"))
                yield begun.task, late
