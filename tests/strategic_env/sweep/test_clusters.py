"""Dask and Ray play what one process plays, byte for byte, whatever dies."""

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from strategic_env import sweep
from strategic_env.sweep import chunks, folder, working

pytestmark = [pytest.mark.cluster, pytest.mark.filterwarnings("default")]

GRID: dict[str, Any] = {
    "rounds": 60,
    "seeds": "3-8",
    "scenarios": [{"name": "KnownL2", "grid": {"margin": [0.1, 0.2]}}],
    "learners": ["perceptron", "strategic-perceptron-l2"],
}


@pytest.fixture(scope="module")
def serial(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("serial")
    assert sweep.plan(GRID, place, chunk_seconds=1e-9).chunks == 24
    assert sweep.work(place, engine="serial").done
    sweep.table(place)
    return place


def copy_of(serial: Path, place: Path) -> Path:
    for file in serial.glob(folder.PLANS):
        (place / file.name).write_bytes(file.read_bytes())
    return place


def die_once(task: dict[str, Any]) -> Any:
    """End the worker at the first try of one chunk."""
    mark = Path(task["mark"])
    if task["name"] == task["bad"] and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return chunks.play_chunk(task)


die_once.__module__ = "__main__"  # so that it is sent whole: workers cannot import tests


@pytest.mark.parametrize("engine", ["dask", "ray"])
def test_the_table_is_that_of_one_process(serial: Path, tmp_path: Path, engine: str) -> None:
    place = copy_of(serial, tmp_path)
    outcome = sweep.work(place, engine=engine, workers=2)
    assert outcome.done and outcome.played == 24
    assert sweep.table(place).read_bytes() == (serial / "table.parquet").read_bytes()


@pytest.mark.parametrize("engine", ["dask", "ray"])
def test_a_worker_that_dies_costs_nothing_but_time(
    serial: Path, tmp_path: Path, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = copy_of(serial, tmp_path)
    plan = folder.Folder(place).plans[0]
    task_of = folder.Plan.task
    more = {"bad": plan.chunks[7].name, "mark": str(tmp_path / "mark")}
    monkeypatch.setattr(folder.Plan, "task", lambda plan, chunk: task_of(plan, chunk) | more)
    monkeypatch.setattr(working, "play_chunk", die_once)
    assert sweep.work(place, engine=engine, workers=2).done
    assert (tmp_path / "mark").exists()
    assert sweep.table(place).read_bytes() == (serial / "table.parquet").read_bytes()
