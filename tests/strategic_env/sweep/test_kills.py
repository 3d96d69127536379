"""Fifty kills of drivers and workers, at random moments: nothing is lost, and nothing is left behind."""

import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from strategic_env import sweep
from strategic_env.sweep import folder

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("default"),
    pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="processes are found in /proc"),
]

# Chunks of a third of a second in compiled code, long enough to be killed in the middle.
GRID: dict[str, Any] = {
    "rounds": 1000,
    "seeds": "0-19999",
    "scenarios": [{"name": "KnownL2", "grid": {"margin": [0.1, 0.2]}}],
    "learners": ["perceptron", "strategic-perceptron-l2"],
}
SECONDS = 300.0  # that anything may take before it counts as hanging
MARK = "SWEEP_KILLS"  # set in the environment of a driver, and thereby of whatever it starts
DRIVER = """
import sys
from strategic_env import sweep
sweep.work(sys.argv[1], engine=sys.argv[2], workers=2, shard=sys.argv[3] or None)
"""
# What a worker's command line holds, by engine; shards are drivers that work themselves.
WORKERS = {"processes": "popen_loky", "dask": "spawn_main", "ray": "ray::", "serial": "sweep.work"}


@pytest.fixture(scope="module")
def serial(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that one process played undisturbed."""
    place = tmp_path_factory.mktemp("serial")
    assert sweep.plan(GRID, place, chunk_seconds=0.3).chunks >= 20
    assert sweep.work(place, engine="serial").done
    sweep.table(place)
    return place


class Victims:
    """Drivers of one engine, and all that they started."""

    def __init__(self, place: Path, engine: str, shards: list[str]) -> None:
        self.place, self.engine, self.shards, self.mark = place, engine, shards, uuid.uuid4().hex
        self.drivers: dict[str, subprocess.Popen[bytes]] = {}
        self.errors = place / "errors.txt"

    def start(self) -> None:
        """Start the drivers that do not live."""
        environment = os.environ | {MARK: self.mark, "PYTHONPATH": str(Path(__file__).parents[3])}
        for shard in self.shards:
            if shard not in self.drivers or self.drivers[shard].poll() is not None:
                command = [sys.executable, "-c", DRIVER, str(self.place), self.engine, shard]
                with self.errors.open("ab") as errors:
                    self.drivers[shard] = subprocess.Popen(
                        command, env=environment, stdin=subprocess.DEVNULL, stdout=errors, stderr=errors
                    )

    def living(self) -> dict[int, str]:
        """The command lines of all that live, drivers included."""
        found = {}
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    marked = f"{MARK}={self.mark}".encode() in (entry / "environ").read_bytes().split(b"\0")
                    state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
                    if marked and state != "Z":
                        found[int(entry.name)] = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                except OSError:  # it ended meanwhile
                    continue
        return found

    def workers(self) -> list[int]:
        """Who may be killed beside drivers."""
        drivers = {driver.pid for driver in self.drivers.values()} if self.engine != "serial" else set()
        return sorted(pid for pid, line in self.living().items() if WORKERS[self.engine] in line and pid not in drivers)

    def chunks(self) -> int:
        """How many chunks are there."""
        return len(list(self.place.rglob("*.parquet")))

    def ended(self) -> bool:
        """Whether no driver lives."""
        return all(driver.poll() is not None for driver in self.drivers.values())

    def nothing_lives(self) -> bool:
        """Whether all drivers, and all that they started, have ended."""
        return self.ended() and not self.living()


@pytest.fixture
def victims(tmp_path: Path, serial: Path) -> Iterator[Callable[..., Victims]]:
    made: list[Victims] = []

    def make(engine: str, shards: list[str]) -> Victims:
        for file in serial.glob(folder.PLANS):
            (tmp_path / file.name).write_bytes(file.read_bytes())
        made.append(Victims(tmp_path, engine, shards))
        return made[0]

    yield make
    for one in made:
        for pid in one.living():
            os.kill(pid, signal.SIGKILL)


def wait_for(what: Callable[[], object]) -> None:
    end = time.monotonic() + SECONDS
    while not what():
        assert time.monotonic() < end, "it hangs"
        time.sleep(0.02)


def kill_one(victims: Victims, random: np.random.Generator) -> str:
    """Kill a driver or a worker, when a few more chunks are there or sooner; return which."""
    enough, soon = victims.chunks() + int(random.integers(0, 4)), time.monotonic() + random.uniform(2.0, 12.0)
    wait_for(lambda: victims.workers() or victims.ended())
    wait_for(lambda: victims.chunks() >= enough or time.monotonic() > soon)
    time.sleep(random.uniform(0.0, 0.3))
    living = [driver for driver in victims.drivers.values() if driver.poll() is None]
    workers = victims.workers()
    if not living or (workers and random.random() < 0.5):
        pids = workers
    else:
        pids = [driver.pid for driver in living]
    if not pids:
        return "nobody"
    pid = int(random.choice(pids))
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return "nobody"
    return "driver" if pid in [driver.pid for driver in living] else "worker"


@pytest.mark.parametrize(
    ("engine", "shards", "kills"),
    [
        pytest.param("processes", [""], 14, id="loky"),
        pytest.param("serial", ["0/3", "1/3", "2/3"], 14, id="shards"),
        pytest.param("dask", [""], 12, id="dask", marks=pytest.mark.cluster),
        pytest.param("ray", [""], 10, id="ray", marks=pytest.mark.cluster),
    ],
)
def test_random_kills_leave_nothing_and_lose_nothing(
    serial: Path, victims: Callable[..., Victims], engine: str, shards: list[str], kills: int
) -> None:
    pytest.importorskip("loky" if engine in ("processes", "serial") else engine)
    random, one = np.random.default_rng(kills), victims(engine, shards)
    killed: list[str] = []
    while len(killed) < kills:
        one.start()
        who = kill_one(one, random)
        if who != "nobody":
            killed.append(who)
        if who == "driver":
            for driver in one.drivers.values():
                driver.kill() if random.random() < 0.3 else None
            if one.ended():
                wait_for(one.nothing_lives)
        if one.chunks() > 15:  # nearly done: what was played is played again
            for file in list(one.place.rglob("*.parquet"))[::2]:
                file.unlink()
    one.start()
    wait_for(one.nothing_lives)
    assert "strategic_env" not in one.errors.read_text(encoding="utf-8")  # no driver failed by itself
    long_ago = time.time() - 60.0
    for file in one.place.rglob("*.unfinished"):
        os.utime(file, (long_ago,) * 2)
    assert sweep.work(one.place, engine="serial").done
    assert sweep.status(one.place).lost == {}
    assert sweep.table(one.place).read_bytes() == (serial / "table.parquet").read_bytes()
    assert not list(one.place.rglob("*.unfinished"))
    assert {"driver", "worker"} <= {*killed} or engine == "serial"
