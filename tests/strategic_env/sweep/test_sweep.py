"""Sweeps: the same rows whoever plays them, whatever is killed."""

import errno
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet
import pytest

import strategic_env
from strategic_env import sweep
from strategic_env.bench import engines
from strategic_env.cli.showing import loaded
from strategic_env.sweep import cells, chunks, folder, planning, working
from strategic_env.sweep.cells import said

GRID: dict[str, Any] = {
    "rounds": 60,
    "seeds": "3-8",
    "scenarios": [{"name": "KnownL2", "grid": {"margin": [0.1, 0.2]}}],
    "learners": ["perceptron", {"name": "strategic-perceptron-l2", "set": {}}, "best-fixed-classifier"],
}
ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("planned")
    found = sweep.plan(GRID, place, chunk_seconds=1e-9)
    assert (found.rows, found.cells, found.chunks, found.left_out) == (36, 6, 36, [])
    return place


@pytest.fixture
def copied(planned: Path, tmp_path: Path) -> Callable[[str], Path]:
    """Copies of the plan, each without results."""

    def copy(name: str) -> Path:
        place = tmp_path / name
        place.mkdir()
        for file in planned.glob("plan-*.json"):
            (place / file.name).write_bytes(file.read_bytes())
        return place

    return copy


@pytest.fixture(scope="module")
def serial(planned: Path) -> bytes:
    """The table as one process makes it."""
    assert sweep.work(planned, engine="serial").done
    return sweep.table(planned).read_bytes()


def test_seeds_with_gaps_are_kept_as_they_are() -> None:
    seeds = [0, 2, 3, 7]
    assert folder.ranges_of(seeds) == [[0, 0], [2, 3], [7, 7]] and folder.seeds_in(folder.ranges_of(seeds)) == seeds


def test_an_unfinished_sweep_is_read_only_where_that_is_asked_for(copied: Callable[[str], Path]) -> None:
    place = copied("half")
    sweep.work(place, shard="0/2")
    for shown in (sweep.read, sweep.table):
        with pytest.raises(
            ValueError, match=r"half lacks 18 of 36 chunks: `strategic-env sweep work .*half` plays them"
        ):
            shown(place)
    assert sum(len(results.runs) for results in sweep.read(place, partial=True)) == 18


def test_rows_are_those_of_evaluate(planned: Path, serial: bytes) -> None:
    assert serial
    for results in sweep.read(planned):
        options = results.scenario.options
        again = strategic_env.evaluate(
            ["perceptron", "strategic-perceptron-l2", "best-fixed-classifier"],
            strategic_env.scenario("KnownL2", **options),
            seeds=range(3, 9),
            rounds=60,
        )
        assert [(one.learner, one.seed, one.mistakes, one.loss, one.columns) for one in results.runs] == [
            (one.learner, one.seed, one.mistakes, one.loss, one.columns) for one in again.runs
        ]
        assert results.bound(results.contestants[1]) == again.bound(again.contestants[1])


def test_processes_and_shards_make_the_same_table(copied: Callable[[str], Path], serial: bytes) -> None:
    together, shared = copied("together"), copied("shared")
    outcome = sweep.work(together, workers=2)
    assert outcome.done and outcome.played == 36
    assert sweep.table(together).read_bytes() == serial
    with pytest.raises(ValueError, match="lacks 36 of 36 chunks"):
        sweep.table(shared)
    played = [sweep.work(shared, engine="serial", shard=f"{number}/3").played for number in (2, 0, 1)]
    assert sum(played) == 36 and min(played) > 0
    assert sweep.table(shared).read_bytes() == serial
    assert sweep.work(shared, engine="serial").played == 0


def test_the_table_tells_what_its_cells_are(planned: Path, serial: bytes) -> None:
    assert serial
    table = pyarrow.parquet.read_table(planned / "table.parquet").to_pandas()
    assert list(table.columns[:8]) == [
        "cell", "scenario", "options", "learner", "parameters", "rounds", "seed", "mistakes",
    ]  # fmt: skip
    assert table.sort_values(["cell", "seed"]).index.is_monotonic_increasing
    assert set(table["options"]) == {'{"margin": 0.1}', '{"margin": 0.2}'}
    assert table["error"].isna().all() and table["curve"].isna().all()


def test_a_grown_grid_plays_only_what_is_new(copied: Callable[[str], Path]) -> None:
    place = copied("grown")
    assert sweep.plan(GRID, place).file is None
    more = sweep.plan(GRID | {"seeds": "3-9"}, place)
    assert (more.rows, more.cells, more.chunks) == (6, 6, 1)
    assert sweep.work(place, engine="serial").played == 37
    assert [results.seeds for results in sweep.read(place)] == [list(range(3, 10))] * 2


def test_curves_are_kept_where_they_are_asked_for(tmp_path: Path) -> None:
    grid = GRID | {"checkpoints": [20, 60], "learners": ["perceptron"], "scenarios": ["KnownL2"]}
    sweep.plan(grid, tmp_path)
    assert sweep.work(tmp_path, engine="serial").done
    (results,) = sweep.read(tmp_path)
    again = strategic_env.rollout("perceptron", "KnownL2", seeds=range(3, 9), rounds=60, checkpoints=[20, 60])
    assert results.checkpoints == [20, 60]
    assert np.array_equal([run.curve for run in results.runs], again.curves)


def test_games_that_count_in_another_order_than_columns_stand_are_played(tmp_path: Path) -> None:
    sweep.plan(
        {"rounds": 20, "seeds": 2, "scenarios": ["NearestNeighbor"], "learners": ["multiclass-perceptron"]},
        tmp_path,
    )
    assert sweep.work(tmp_path, engine="serial").done
    (results,) = sweep.read(tmp_path)
    columns = results.scenario.columns
    assert list(columns) != sorted(columns)
    assert all(list(run.columns) == list(columns) for run in results.runs)


def test_learners_that_fit_nowhere_are_refused_and_pairs_that_do_not_fit_listed(tmp_path: Path) -> None:
    found = sweep.plan(GRID | {"scenarios": ["KnownL2", "KnownL1"]}, tmp_path)
    assert len(found.left_out) == 1
    assert found.left_out[0].startswith("strategic-perceptron-l2 on KnownL1: strategic-perceptron-l2 is made for l2")
    with pytest.raises(ValueError, match="learner 'biased-l1' fits no scenario of the sweep: biased-l1 on KnownL2: "):
        sweep.plan(GRID | {"learners": ["biased-l1"]}, tmp_path)
    with pytest.raises(
        ValueError, match="learner 'percepton' fits no scenario of the sweep: .*did you mean 'perceptron'"
    ):
        sweep.plan(GRID | {"learners": ["percepton"]}, tmp_path)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"engine": "threads"}, "engine must be one of"),
        ({"workers": 0}, "workers must be at least 1, got 0"),
        ({"shard": "3/3"}, "shard must read I/N, from 0/N to N-1/N, got '3/3'"),
        ({"shard": "1"}, "shard must read I/N"),
        ({"limit": 5.0, "engine": "serial"}, "limit needs the engine processes, whose workers can be ended, got 5.0"),
        ({"limit": 0.0}, "limit must be greater than 0"),
        ({"tries": 0}, "tries must be at least 1"),
        ({"address": "tcp://a:1"}, "address is for the engines dask and ray, got 'tcp://a:1' for processes"),
    ],
)
def test_wrong_arguments_are_named(planned: Path, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        sweep.work(planned, **arguments)


def test_other_code_writes_nothing(copied: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    place = copied("other")
    monkeypatch.setattr(planning, "project_digest", lambda: "other sources")
    with pytest.raises(ValueError, match="was planned with other code, or other versions of NumPy, Numba or PyArrow"):
        sweep.work(place, engine="serial")
    assert not (place / "results").exists()


def test_what_was_played_stays_readable_with_other_code(
    planned: Path, serial: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planning, "project_digest", lambda: "other sources")
    assert sweep.table(planned, tmp_path / "again.parquet").read_bytes() == serial
    assert len(sweep.read(planned)) == 2


def test_a_worker_with_other_code_stops_the_work(
    copied: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    place = copied("changed")
    plan = folder.Folder(place).plans[0]
    monkeypatch.setattr(planning, "code_digest", lambda: "other")
    with pytest.raises(chunks.SourcesChanged, match="other code, or other versions"):
        chunks.play_chunk(plan.task(plan.chunks[0]))


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"format": 7}', '{"format": 1, "chunks": [["a", [[5, [[0, 1]]]]]]}']
)
def test_damaged_plans_are_named(tmp_path: Path, content: str) -> None:
    (tmp_path / "plan-0.json").write_text(content, encoding="utf-8")
    with pytest.raises(ValueError, match="plan-0.json is no plan of a sweep"):
        sweep.status(tmp_path)


def test_a_plan_that_was_edited_is_named(copied: Callable[[str], Path]) -> None:
    place = copied("edited")
    (plan,) = place.glob("plan-*.json")
    plan.write_text(plan.read_text(encoding="utf-8").replace('"rounds": 60', '"rounds": 61'), encoding="utf-8")
    with pytest.raises(ValueError, match=f"{plan.name} is no plan of a sweep: .*edited"):
        sweep.status(place)


def spoil_a_page(content: bytes) -> bytes:
    at = len(content) // 4  # numbers of a page, not the description at the end
    return content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]


@pytest.mark.parametrize(
    "damage",
    [lambda content: b"", lambda content: content[:-9], lambda content: b"\0" * len(content), spoil_a_page],
    ids=["empty", "cut", "zeros", "one bit"],
)
def test_damaged_chunks_are_named_and_are_played_again_once_removed(
    copied: Callable[[str], Path], serial: bytes, damage: Callable[[bytes], bytes]
) -> None:
    place = copied("damaged")
    sweep.work(place, engine="serial")
    chunk = min((place / "results").rglob("*.parquet"))
    chunk.write_bytes(damage(chunk.read_bytes()))
    with pytest.raises(ValueError, match=f"{chunk.name} is damaged: remove it, and work on"):
        sweep.table(place)
    chunk.unlink()
    assert sweep.work(place, engine="serial").done
    assert sweep.table(place).read_bytes() == serial


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"grid": 3}, "grid must be a path"),
        ({"grid": GRID, "chunk_seconds": 1e308}, "chunk_seconds must be at most 10000000"),
        ({"grid": GRID, "progress": ""}, "progress must be a function"),
    ],
)
def test_wrong_arguments_of_a_plan_are_named(tmp_path: Path, wrong: dict[str, Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        sweep.plan(out=tmp_path, **wrong)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [({"workers": 2**31}, "workers must be at most 1024"), ({"progress": 0}, "progress must be a function")],
)
def test_wrong_arguments_of_work_are_named(planned: Path, wrong: dict[str, Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        sweep.work(planned, engine="serial", **wrong)


def test_a_folder_without_a_plan_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="holds no plan: make one with `strategic-env sweep plan`"):
        sweep.work(tmp_path, engine="serial")


def test_status_counts_what_is_there(copied: Callable[[str], Path]) -> None:
    place = copied("status")
    assert not (before := sweep.status(place)).done
    assert (before.rows, before.finished_rows, before.chunks, before.finished_chunks) == (36, 0, 36, 0)
    sweep.work(place, engine="serial", shard="0/2")
    half = sweep.status(place)
    assert half.finished_chunks == half.finished_rows == 18 and half.errors == half.conflicts == 0


def test_rows_that_fail_say_why_and_are_played_again_on_request(
    copied: Callable[[str], Path], serial: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = copied("failing")
    with monkeypatch.context() as patched:
        play_with(patched, failed)
        outcome = sweep.work(place, engine="serial", keep_going=True)
        assert (outcome.errors, outcome.done) == (6, False)
    table = pyarrow.parquet.read_table(sweep.table(place)).to_pandas()
    wrong = table[table["error"].notna()]
    assert set(wrong["seed"]) == {5} and wrong["mistakes"].isna().all()
    assert set(wrong["error"]) == {"ValueError: no such thing at ... in ..."}
    assert sweep.status(place).errors == 6
    assert sweep.work(place, engine="serial").played == 0
    assert sweep.work(place, engine="serial", retry_errors=True).played == 6
    assert sweep.table(place).read_bytes() == serial


def play_with(patched: pytest.MonkeyPatch, change: Callable[[Any], Any]) -> None:
    """Change what comes of every run."""
    played = cells.play
    patched.setattr(cells.Built, "in_batches", lambda built: False)
    patched.setattr(cells, "play", lambda *what, **how: change(played(*what, **how)))


def failed(run: Any) -> Any:
    why = "ValueError: no such thing at 0x7f00aa in /home/somebody/code.py"
    return run if run.seed != 5 else replace(run, error=why)


def test_texts_of_errors_name_no_machine() -> None:
    assert said("E: <object at 0x7F1c> in /tmp/x/y.py: 3/4 of a/b") == "E: <object at ...> in ...: 3/4 of a/b"
    assert said(None) is None


def test_nothing_but_errors_in_the_first_chunk_stops_the_work(
    copied: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    place = copied("wrong")
    play_with(monkeypatch, lambda run: replace(run, error="E: always"))
    outcome = sweep.work(place, engine="serial")
    assert outcome.played == 1 and outcome.stopped == (
        "nothing in the first chunk worked; --keep-going goes on all the same"
    )


def test_errors_of_the_machine_fail_a_chunk_which_is_lost_after_its_tries(
    copied: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    place = copied("lost")
    plan = folder.Folder(place).plans[0]
    bad = plan.chunks[3].name
    real, begun = chunks.play_chunk, []

    def play(task: dict[str, Any]) -> chunks.Played:
        if task["name"] == bad:
            begun.append(bad)
            raise MemoryError("no room")
        return real(task)

    monkeypatch.setattr(working, "play_chunk", play)
    outcome = sweep.work(place, engine="serial", tries=2)
    assert outcome.lost == [f"{bad}: MemoryError: no room"] and len(begun) == 2 and outcome.played == 35
    assert sweep.status(place).lost == {bad: "MemoryError: no room"}
    monkeypatch.undo()
    assert sweep.work(place, engine="serial").done
    assert sweep.status(place).lost == {}


def test_a_full_disk_stops_at_once_and_leaves_no_part_of_a_file(
    copied: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    place = copied("full")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        sweep.work(place, engine="serial")
    assert not [file for file in place.rglob("*") if file.is_file() and not file.name.startswith("plan-")]


def test_file_systems_without_hard_links_keep_files_whole_too(
    copied: Callable[[str], Path], serial: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unable(*_: object) -> None:
        raise OSError(errno.EPERM, "no hard links here")

    place = copied("links")
    monkeypatch.setattr(os, "link", unable)
    assert sweep.work(place, engine="serial").done
    assert sweep.table(place).read_bytes() == serial


@pytest.mark.parametrize("equal", [True, False])
def test_rows_that_differ_from_those_that_are_there_are_kept_beside_them(
    copied: Callable[[str], Path], equal: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = copied("conflict")
    one = folder.Folder(place)
    plan = one.plans[0]
    chunk = plan.chunks[0]
    content = chunks.play_chunk(plan.task(plan.chunks[0 if equal else 1])).content
    real = chunks.play_chunk

    def be_slower(task: dict[str, Any]) -> chunks.Played:
        if task["name"] == chunk.name:
            one.commit(one.file_of(plan, chunk.name), content)
        return real(task)

    monkeypatch.setattr(working, "play_chunk", be_slower)
    outcome = sweep.work(place, engine="serial")
    assert outcome.conflicts == len(one.conflicts()) == sweep.status(place).conflicts == (0 if equal else 1)
    assert outcome.done == equal
    assert one.file_of(plan, chunk.name).read_bytes() == content


def kill_now_and_then(task: dict[str, Any]) -> Any:
    """Kill the worker at the first try of every seventh chunk."""
    mark = Path(os.environ["SWEEP_TEST_MARKS"]) / task["name"]
    if int(task["name"], 16) % 7 == 0 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return chunks.play_chunk(task)


def kill_always(task: dict[str, Any]) -> Any:
    """Kill the worker of one chunk, always."""
    if task["name"] == os.environ["SWEEP_TEST_BAD"]:
        os.kill(os.getpid(), signal.SIGKILL)
    return chunks.play_chunk(task)


def hang(task: dict[str, Any]) -> Any:
    """Never end one chunk."""
    if task["name"] == os.environ["SWEEP_TEST_BAD"]:
        time.sleep(600)
    return chunks.play_chunk(task)


@pytest.mark.slow
def test_killed_workers_cost_nothing_but_time(
    copied: Callable[[str], Path], serial: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marks = tmp_path / "marks"
    marks.mkdir()
    monkeypatch.setenv("SWEEP_TEST_MARKS", str(marks))
    monkeypatch.setattr(working, "play_chunk", kill_now_and_then)
    place = copied("killed")
    assert sweep.work(place, workers=2).done
    assert list(marks.iterdir())
    assert sweep.table(place).read_bytes() == serial


@pytest.mark.slow
@pytest.mark.parametrize("fault", [kill_always, hang], ids=["kills", "hangs"])
def test_only_the_chunk_that_kills_or_hangs_is_lost(
    copied: Callable[[str], Path], fault: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = copied("fault")
    bad = folder.Folder(place).plans[0].chunks[5].name
    monkeypatch.setenv("SWEEP_TEST_BAD", bad)
    monkeypatch.setattr(working, "play_chunk", fault)
    outcome = sweep.work(place, workers=2, tries=1, limit=20.0 if fault is hang else None)
    assert [one.partition(":")[0] for one in outcome.lost] == [bad]
    assert outcome.played == 35


DRIVER = "import sys; from strategic_env import sweep; sys.exit(not sweep.work(sys.argv[1], workers=2).done)"


def started(place: Path) -> "subprocess.Popen[str]":
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        [sys.executable, "-c", DRIVER, str(place)], text=True, env=environment, start_new_session=True
    )


def workers_of(session: int) -> list[int]:
    """The living processes of a session."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[3]) == session and fields[0] != "Z":
                found.append(int(entry.name))
    return found


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are found in /proc")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_killed_driver_leaves_no_process_and_the_next_one_finishes(
    copied: Callable[[str], Path], serial: bytes, how: signal.Signals
) -> None:
    place = copied("driver")
    driver = started(place)
    deadline = time.monotonic() + 120.0
    while not list(place.rglob("*.parquet")) and driver.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    driver.send_signal(how)
    driver.wait(timeout=60)
    while workers_of(driver.pid) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not workers_of(driver.pid)
    assert sweep.work(place, engine="serial").done
    assert sweep.table(place).read_bytes() == serial


def test_leftovers_go_once_their_writer_is_gone_or_after_a_day(copied: Callable[[str], Path]) -> None:
    place = copied("old")
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    host, here = socket.gethostname(), os.getpid()
    leftovers = {
        f"a.{host}-{here}.unfinished": 60.0,
        "a.elsewhere-1.unfinished": 60.0,
        f"b.{host}-{gone.pid}.unfinished": 1.0,
        f"a.{host}-{gone.pid}.unfinished": 60.0,
        "b.elsewhere-1.unfinished": 90_000.0,
    }
    for name, age in leftovers.items():
        (place / name).touch()
        os.utime(place / name, (time.time() - age,) * 2)
    sweep.work(place, engine="serial", shard="0/36")
    stay = list(leftovers)[: 3 if Path("/proc/self").exists() else 4]
    assert sorted(file.name for file in place.glob("*.unfinished")) == sorted(stay)


def test_logs_say_who_played_what(planned: Path, serial: bytes) -> None:
    assert serial
    (file,) = (planned / "log").iterdir()
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert len({line["chunk"] for line in lines}) == 36
    assert all(line["rows"] == 1 and line["result"] == "new" and line["numpy"] == np.__version__ for line in lines)


def test_missing_packages_name_their_extra(planned: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for engine, package, extra in (("processes", "loky", "sweep"), ("dask", "dask", "dask"), ("ray", "ray", "ray")):
        monkeypatch.setitem(sys.modules, package, None)
        with pytest.raises(ImportError, match=rf"strategic-env\[{extra}\]"):
            engines.engine_named(engine, 2, None)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"a sweep needs pyarrow: pip install \"strategic-env\[sweep\]\""):
        sweep.table(planned)


def test_the_command_line_plans_works_and_reports(tmp_path: Path) -> None:
    grid = tmp_path / "grid.yaml"
    grid.write_text("rounds: 60\nseeds: 2\nscenarios: [KnownL2, KnownL1]\nlearners: [perceptron, biased-l1]\n")
    place = tmp_path / "swept"

    def command(*words: str) -> "subprocess.CompletedProcess[str]":
        program = "from strategic_env.cli.commands import main; main()"
        environment = os.environ | {"PYTHONPATH": str(ROOT), "COLUMNS": "100"}
        return subprocess.run(
            [sys.executable, "-c", program, *words], text=True, capture_output=True, env=environment, timeout=300
        )

    planned = command("sweep", "plan", str(grid), "--out", str(place))
    assert planned.returncode == 0 and planned.stdout.startswith("6 rows of 3 cells in 1 chunks: "), planned
    assert "left out: biased-l1 on KnownL2: " in planned.stderr
    early = command("sweep", "table", str(place))
    assert early.returncode == 2 and "lacks 1 of 1 chunks" in early.stderr and "Traceback" not in early.stderr
    worked = command("sweep", "work", str(place), "--engine", "serial")
    assert worked.returncode == 0 and worked.stderr.endswith("1 chunks played\n"), worked
    assert command("sweep", "status", str(place)).stdout == "6 of 6 rows, 1 of 1 chunks\n"
    assert json.loads(command("sweep", "status", str(place), "--json").stdout)["finished_rows"] == 6
    assert command("sweep", "table", str(place)).stdout == f"{place / 'table.parquet'}\n"
    picture = str(tmp_path / "swept.png")
    shown = command("report", str(place), "--picture", picture)
    assert shown.returncode == 0 and "KnownL2: mistakes in 60 rounds" in shown.stdout
    assert "biased-l1" in shown.stdout and shown.stderr == f"saved {picture}\n"
    for file in place.rglob("*.parquet"):
        file.unlink()
    nothing = command("report", str(place))
    assert nothing.returncode == 2 and "lacks 1 of 1 chunks: `strategic-env sweep work " in nothing.stderr


def test_reports_of_an_unfinished_sweep_show_what_is_there_and_say_what_is_left(
    copied: Callable[[str], Path], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    place = copied("unfinished")
    sweep.work(place, engine="serial", shard="0/3")
    results = loaded(place)
    assert sum(len(one.runs) for one in results) == 12
    assert "lacks 24 of 36 chunks: `strategic-env sweep work" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"a sweep needs pyarrow: pip install"):
        loaded(place)


@pytest.mark.slow
def test_a_million_rows_are_planned_and_written_in_little_time_and_memory(tmp_path: Path) -> None:
    program = """
import resource, sys, time
from strategic_env import sweep
grid = {"rounds": 10, "seeds": 10_000, "learners": ["perceptron", "strategic-perceptron-l2"], "scenarios": [
    {"name": "KnownL2", "grid": {"margin": [0.01 * (1 + at) for at in range(50)]}}]}
start = time.process_time()
if sys.argv[1] == "plan":
    assert sweep.plan(grid, sys.argv[2]).rows == 1_000_000
elif sys.argv[1] == "work":
    assert sweep.work(sys.argv[2], engine="serial").done
else:
    sweep.table(sys.argv[2])
print(time.process_time() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""

    def spent(what: str, folder: Path = tmp_path) -> tuple[float, float]:
        environment = os.environ | {"PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-c", program, what, str(folder)]
        done = subprocess.run(command, text=True, capture_output=True, env=environment)
        assert done.returncode == 0, done.stderr
        seconds, memory = map(float, done.stdout.split())
        return seconds, memory

    spent("plan", tmp_path / "compiled")
    seconds, memory = spent("plan")
    assert seconds < 10.0 and memory < 500.0
    spent("work")
    seconds, memory = spent("table")
    assert seconds < 10.0 and memory < 500.0
