"""Where work is done: in this process, in processes beside it, on a Dask or a Ray cluster. All speak of futures."""

import os
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, Protocol, TypeVar

from agents.foundation.checks import one_of
from agents.foundation.extras import missing_extra

Answer = TypeVar("Answer")

ENGINES = ("processes", "serial", "dask", "ray")
# Numerical libraries start a thread per core in every process unless told otherwise.
ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")}
STARTS = 3  # of a cluster on this machine
LOOKS_FOR_ITS_PARENT = 1.0  # seconds between two looks of a worker


class WorkerDied(RuntimeError):
    """A worker ended before its work did; nobody knows whose fault it was unless it had one task only."""


class Engine(Protocol):
    """What does the work.

    Attributes
    ----------
    workers : int
        Tasks that are done at the same time.
    """

    workers: int

    def submit(self, function: Callable[..., Answer], *arguments: object) -> "Future[Answer]":
        """Begin a task; where a worker dies, its future raises `WorkerDied`."""

    def stop(self, *, kill: bool = False) -> None:
        """Let all workers end or, if told so, end them whatever they do."""


class Serial:
    """The process itself, one task after the other."""

    workers = 1

    def submit(self, function: Callable[..., Answer], *arguments: object) -> "Future[Answer]":
        """Do a task, and return when it is done."""
        future: Future[Answer] = Future()
        try:
            future.set_result(function(*arguments))
        except Exception as error:
            future.set_exception(error)
        return future

    def stop(self, *, kill: bool = False) -> None:
        """Do nothing."""


class Processes:
    """Processes on this machine (loky), which end with the process that started them.

    Parameters
    ----------
    workers : int
    """

    def __init__(self, workers: int) -> None:
        try:
            import loky
        except ImportError as error:
            raise missing_extra("more than one process", "loky", "sweep") from error
        self.workers = workers
        self._loky = loky
        self._executor: Any = None

    def submit(self, function: Callable[..., Answer], *arguments: object) -> "Future[Answer]":
        """Begin a task in one of the processes."""
        from loky.process_executor import BrokenProcessPool, ShutdownExecutorError

        dead = (BrokenProcessPool, ShutdownExecutorError)
        if self._executor is None:
            self._executor = self._loky.ProcessPoolExecutor(
                self.workers, initializer=stand_by, initargs=(os.getpid(),), env=ONE_THREAD
            )
        try:
            return _translated(self._executor.submit(function, *arguments), dead)
        except dead:
            self.stop(kill=True)
            return self.submit(function, *arguments)

    def stop(self, *, kill: bool = False) -> None:
        """End the processes."""
        if self._executor is not None:
            self._executor.shutdown(wait=True, kill_workers=kill)
            self._executor = None


class Dask:
    """Workers of a Dask cluster, or of one that is started on this machine.

    Parameters
    ----------
    workers : int
        Where there is no address.
    address : str, optional
        Of the scheduler.
    """

    def __init__(self, workers: int, address: str | None = None) -> None:
        try:
            import dask
            import distributed
        except ImportError as error:
            raise missing_extra("the engine dask", "dask and distributed", "dask") from error
        # Whoever happens to share a worker with a chunk that kills it is not to blame.
        dask.config.set({"distributed.scheduler.allowed-failures": 1000})
        self._cluster = _local_cluster(distributed, workers) if address is None else None
        self._client = distributed.Client(self._cluster if address is None else address)
        self._dead = (distributed.scheduler.KilledWorker, distributed.CancelledError)
        self.workers = max(1, sum(self._client.nthreads().values()))

    def submit(self, function: Callable[..., Answer], *arguments: object) -> "Future[Answer]":
        """Begin a task on the cluster."""
        future: Future[Answer] = Future()
        begun = self._client.submit(function, *arguments, pure=False, retries=0)

        def end(ended: Any) -> None:
            with suppress(Exception):  # cancelled meanwhile
                error = ended.exception() if ended.status != "finished" else None
                if error is None:
                    future.set_result(ended.result())
                else:
                    future.set_exception(WorkerDied(str(error)) if isinstance(error, self._dead) else error)

        begun.add_done_callback(end)
        return future

    def stop(self, *, kill: bool = False) -> None:
        """Leave the cluster, and end it if it was started here."""
        self._client.close()
        if self._cluster is not None:
            self._cluster.close()


def _local_cluster(distributed: Any, workers: int) -> Any:
    """Start Dask workers on this machine; again, should one of them be killed before it has started."""
    how = {"n_workers": workers, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    for _ in range(STARTS - 1):
        with suppress(RuntimeError):
            return distributed.LocalCluster(**how, env=ONE_THREAD)
    return distributed.LocalCluster(**how, env=ONE_THREAD)


class Ray:
    """Workers of a Ray cluster, or of one that is started on this machine.

    Parameters
    ----------
    workers : int
        Where there is no address.
    address : str, optional
        Of the head.
    """

    def __init__(self, workers: int, address: str | None = None) -> None:
        try:
            import ray
        except ImportError as error:
            raise missing_extra("the engine ray", "ray", "ray") from error
        self._ray = ray
        how: dict[str, Any] = (
            {"num_cpus": workers, "include_dashboard": False} if address is None else {"address": address}
        )
        ray.init(**how, log_to_driver=False, runtime_env={"env_vars": ONE_THREAD})
        self.workers = max(1, int(ray.cluster_resources().get("CPU", workers)))

    def submit(self, function: Callable[..., Answer], *arguments: object) -> "Future[Answer]":
        """Begin a task on the cluster."""
        remote = self._ray.remote(max_retries=0)(function)
        future: Future[Answer] = remote.remote(*arguments).future()
        return _translated(future, (self._ray.exceptions.WorkerCrashedError, self._ray.exceptions.NodeDiedError))

    def stop(self, *, kill: bool = False) -> None:
        """Leave the cluster, and end it if it was started here."""
        self._ray.shutdown()


def engine_named(name: str, workers: int, address: str | None) -> Engine:
    """Return an engine by name.

    Raises
    ------
    ValueError
        If there is none of this name, or an address is given for one that needs none.
    ImportError
        If its package is missing.
    """
    one_of("engine", name, ENGINES)
    if address is not None and name not in ("dask", "ray"):
        raise ValueError(f"address is for the engines dask and ray, got {address!r} for {name}")
    if name == "serial":
        return Serial()
    if name == "processes":
        return Processes(workers)
    return Dask(workers, address) if name == "dask" else Ray(workers, address)


def stand_by(parent: int) -> None:
    """Prepare a worker: interrupts are the driver's to answer, and nobody works for one that is gone."""
    for what in (signal.SIGINT, signal.SIGTERM):
        signal.signal(what, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(LOOKS_FOR_ITS_PARENT)
    os._exit(1)


def _translated(begun: "Future[Answer]", dead: tuple[type[BaseException], ...]) -> "Future[Answer]":
    """Return a future that calls every way in which a worker dies by one name."""
    future: Future[Answer] = Future()

    def end(ended: "Future[Answer]") -> None:
        if ended.cancelled():
            future.set_exception(WorkerDied("cancelled"))
        elif (error := ended.exception()) is None:
            future.set_result(ended.result())
        else:
            future.set_exception(WorkerDied(str(error)) if isinstance(error, dead) else error)

    begun.add_done_callback(end)
    return future
