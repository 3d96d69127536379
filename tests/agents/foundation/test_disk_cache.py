"""Compiled code on disk: nothing there can fail a program, and an edit of the rules is noticed."""

import errno
import logging
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numba
import pytest

from agents.foundation import disk_cache
from agents.foundation.compiled import compiled

ROOT = Path(__file__).parents[3]
OWN = """
from typing import NamedTuple
import numpy as np
from learners.strategic.base import Learner
from learners.strategic.rules import learn, publish, rule_of, write_published

class State(NamedTuple):
    weights: np.ndarray

@rule_of(State, learn)
def _learn(state, game, features, prediction, label, classifier, eps):
    state.weights[game, 0] = 3.0
    return True

@rule_of(State, publish)
def _publish(state, game, out):
    write_published(state.weights[game], 0.0, out)

class Own(Learner[State]):
    name, state_class, summary, parameters = "own", State, "its own", {}

    def initial_state(self, games, dim):
        return State(np.zeros((games, dim)))
"""
SHOW = "import sys, numpy as np\n{}\nprint({}.predict(np.array([0.0, 0.0, 1.0, 1.0, -1.0, 1.0]))[1].weights)"
OWN_PROGRAM, OTHER_PROGRAM = (
    SHOW.format("from own import Own", "Own()"),
    SHOW.format("from learners import Perceptron", "Perceptron()"),
)


def run(program: str, folder: Path, *paths: Path) -> str:
    path = os.pathsep.join(map(str, (ROOT, *paths)))
    environment = os.environ | {"NUMBA_CACHE_DIR": str(folder / "cache"), "PYTHONPATH": path}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=environment, cwd=folder, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_learners_of_ones_own(tmp_path: Path) -> None:
    own = tmp_path / "elsewhere"
    own.mkdir()
    (own / "own.py").write_text(OWN, encoding="utf-8")
    assert run(OWN_PROGRAM, tmp_path, own) == "[[3.]]"
    assert run(OTHER_PROGRAM, tmp_path) == "[[1.]]", "where the module of the other state cannot be imported"
    (own / "own.py").write_text(OWN.replace("= 3.0", "= 2.0"), encoding="utf-8")
    assert run(OWN_PROGRAM, tmp_path, own) == "[[2.]]", "not what was compiled before the edit"


@pytest.fixture
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Any]:
    """Return what makes a compiled function as a new process would, with a cache in ``tmp_path / "cache"``."""
    source = tmp_path / "small.py"
    source.write_text("def double(number):\n    return 2 * number\n", encoding="utf-8")
    spec = spec_from_file_location("small", source)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))

    def make() -> Any:
        disk_cache._told.clear()
        return compiled(module.double)

    return make


def hits(function: Any) -> int:
    return sum(function.stats.cache_hits.values())


def kept(folder: Path) -> list[Path]:
    return [path for path in (folder / "cache").rglob("*") if path.is_file()]


class Payload:
    """Unpickled, it leaves a trace."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.trace,)


def zeros_inside(content: bytes, _: Path) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes(100) + content[middle + 100 :]


DAMAGES: dict[str, Callable[[bytes, Path], bytes]] = {
    "empty": lambda content, _: b"",
    "cut short": lambda content, _: content[: len(content) // 2],
    "shorter than a digest": lambda content, _: content[:5],
    "garbage": lambda content, _: bytes(range(256)) * 8,
    "zeros inside": zeros_inside,
    "somebody's pickle": lambda content, trace: pickle.dumps(Payload(trace)),
    "somebody's pickle behind the digest": lambda content, trace: content[:32] + pickle.dumps(Payload(trace)),
    "the version of another Numba": lambda content, _: pickle.dumps("0.1.0") + content,
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_file_is_a_miss_and_is_replaced_without_being_unpickled(
    damage: Callable[[bytes, Path], bytes], fresh: Callable[[], Any], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert fresh()(3) == 6
    (file,) = kept(tmp_path)
    file.write_bytes(damage(file.read_bytes(), tmp_path / "trace"))
    function = fresh()
    assert function(3) == 6 and hits(function) == 0
    again = fresh()
    assert again(3) == 6 and hits(again) == 1, "the damaged file was replaced"
    assert not (tmp_path / "trace").exists()
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


def test_a_file_that_cannot_be_read_is_a_miss(
    fresh: Callable[[], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> bytes:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    assert fresh()(3) == 6
    with monkeypatch.context() as patched:
        patched.setattr(Path, "read_bytes", refuse)
        function = fresh()
        assert function(3) == 6 and hits(function) == 0
    assert hits(fresh()) == 0


def test_a_full_disk_costs_the_cache_and_one_warning_that_names_the_folder(
    fresh: Callable[[], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(path: Path, content: bytes) -> int:
        with path.open("wb") as file:
            file.write(content[:10])
        raise OSError(errno.ENOSPC, "No space left on device")

    function = fresh()
    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_bytes", full)
        assert function(3) == 6 and function(3.0) == 6.0
    (warning,) = (record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING)
    assert f"cannot keep compiled code in {tmp_path / 'cache'}" in warning
    assert "No space left on device" in warning and "NUMBA_CACHE_DIR" in warning
    assert not kept(tmp_path), "what was begun is gone"


def test_a_file_or_a_folder_in_the_way_costs_the_cache_only(
    fresh: Callable[[], Any], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert fresh()(3) == 6
    (file,) = kept(tmp_path)
    file.unlink()
    file.mkdir()
    assert fresh()(3) == 6
    file.rmdir()
    function = fresh()
    file.parent.rmdir()
    file.parent.write_text("no folder", encoding="utf-8")
    assert function(3) == 6
    assert sum(str(file.parent) in record.getMessage() for record in caplog.records) == 2


def test_what_other_sources_made_is_not_loaded(
    fresh: Callable[[], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert fresh()(3) == 6
    with monkeypatch.context() as patched:
        patched.setattr(disk_cache, "_sources", lambda: b"an edit in another file")
        function = fresh()
        assert function(3) == 6 and hits(function) == 0
    assert len(kept(tmp_path)) == 1, "what is stale is replaced"
    with monkeypatch.context() as patched:
        patched.setattr(numba, "__version__", "0.1.0")
        function = fresh()
        assert function(3) == 6 and hits(function) == 0
    assert len(kept(tmp_path)) == 2, "two versions of Numba live side by side"


def test_every_source_of_the_compiled_rooms_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for room in disk_cache.COMPILED:
        assert any((disk_cache.HOME / room).rglob("*.py")), f"no sources in {room}"
        (tmp_path / room / "inner").mkdir(parents=True)
        (tmp_path / room / "inner" / "module.py").write_text(room, encoding="utf-8")
    monkeypatch.setattr(disk_cache, "HOME", tmp_path)
    digests = {disk_cache._sources.__wrapped__()}
    for room in disk_cache.COMPILED:
        (tmp_path / room / "inner" / "module.py").write_text("edited", encoding="utf-8")
        digests.add(disk_cache._sources.__wrapped__())
    assert len(digests) == 1 + len(disk_cache.COMPILED)


def test_recompiling_forgets_what_was_kept(fresh: Callable[[], Any], tmp_path: Path) -> None:
    function = fresh()
    assert function(3) == 6
    function.recompile()
    assert hits(function) == 0 and len(kept(tmp_path)) == 1


SMALL = """
from agents.foundation.compiled import compiled

@compiled
def double(number):
    return 2 * number

@compiled
def triple(number):
    return 3 * number
"""
CALLS = "from small import double, triple; print(double(2), triple(2.0))"


def started(folder: Path, program: str = CALLS, **options: Any) -> "subprocess.Popen[str]":
    """Start a program that treats every Python warning as an error, with a cache of its own."""
    (folder / "small.py").write_text(SMALL, encoding="utf-8")
    environment = {"NUMBA_CACHE_DIR": str(folder / "cache"), "PYTHONPATH": os.pathsep.join([str(ROOT), str(folder)])}
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": os.environ | environment} | options
    return subprocess.Popen([sys.executable, "-W", "error", "-c", program], text=True, cwd=folder, **options)


def test_files_that_cannot_grow_fail_no_program(tmp_path: Path) -> None:
    limited = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)); {CALLS}"
    out, err = started(tmp_path, limited).communicate(timeout=120)
    assert out == "4 6.0\n"
    assert len(err.splitlines()) == 1 and err.startswith(f"cannot keep compiled code in {tmp_path / 'cache'}")


def test_where_no_folder_can_be_written_code_is_compiled_and_the_folder_named(tmp_path: Path) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("no folder", encoding="utf-8")
    environment = os.environ | {
        "NUMBA_CACHE_DIR": "", "XDG_CACHE_HOME": str(blocked), "PYTHONPATH": os.pathsep.join([str(ROOT), str(tmp_path)])
    }  # fmt: skip
    (tmp_path / "__pycache__").write_text("no folder", encoding="utf-8")
    out, err = started(tmp_path, env=environment).communicate(timeout=120)
    assert out == "4 6.0\n"
    assert len(err.splitlines()) == 1 and err.startswith(f"cannot keep compiled code in {blocked / 'numba'}")


def test_code_is_kept_in_the_users_folder_and_not_among_the_sources(tmp_path: Path) -> None:
    environment = os.environ | {
        "NUMBA_CACHE_DIR": "", "XDG_CACHE_HOME": str(tmp_path / "user"), "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(tmp_path)]),
    }  # fmt: skip
    assert started(tmp_path, env=environment).communicate(timeout=120) == ("4 6.0\n", "")
    assert {path.suffix for path in (tmp_path / "user" / "numba").rglob("*") if path.is_file()} == {".nbc"}
    assert {path.name for path in tmp_path.iterdir()} == {"user", "small.py"}


def test_processes_that_compile_at_once_keep_the_code_of_all(tmp_path: Path) -> None:
    show = "from small import double; print([double(x) for x in {}], sum(double.stats.cache_hits.values()))"
    programs = [started(tmp_path, show.format(numbers)) for numbers in ("[1, 1.0]", "[1.0, 1j]", "[1j, 1]")]
    results = [program.communicate(timeout=120) for program in programs]
    assert [out.rpartition(" ")[0] for out, _ in results] == ["[2, 2.0]", "[2.0, 2j]", "[2j, 2]"]
    assert [err for _, err in results] == ["", "", ""]
    out, _ = started(tmp_path, show.format("[1, 1.0, 1j]")).communicate(timeout=120)
    assert out == "[2, 2.0, 2j] 3\n"
    assert {path.suffix for path in kept(tmp_path)} == {".nbc"} and len(kept(tmp_path)) == 3


def on_a_terminal(folder: Path) -> tuple[str, str]:
    """Return what a program prints when its stderr is a terminal: stdout, stderr."""
    terminal, end = os.openpty()
    program = started(folder, stderr=end)
    out, _ = program.communicate(timeout=120)
    os.set_blocking(terminal, False)
    try:
        return out, os.read(terminal, 10_000).decode()
    except BlockingIOError:
        return out, ""
    finally:
        os.close(end)
        os.close(terminal)


def test_a_terminal_is_told_once_that_something_compiles_and_only_then(tmp_path: Path) -> None:
    assert started(tmp_path).communicate(timeout=120) == ("4 6.0\n", ""), "nothing where nobody sees it"
    for file in kept(tmp_path):
        file.unlink()
    out, err = on_a_terminal(tmp_path)
    assert out == "4 6.0\n"
    assert err.split("\r\n") == [disk_cache.COMPILING, ""]
    assert on_a_terminal(tmp_path) == ("4 6.0\n", "")


@pytest.mark.slow
def test_the_command_line_says_once_that_something_compiles_and_only_then(tmp_path: Path) -> None:
    command = "from strategic_env.cli.commands import main; import sys; sys.argv[1:] = {}; main()"
    arguments = ["run", "Example1", "--learner", "perceptron", "--seeds", "1", "--rounds", "5", "--out", "results"]
    errors = [started(tmp_path, command.format(argv)).communicate(timeout=300)[1] for argv in (arguments, arguments)]
    report = started(tmp_path, command.format(["report", "results"])).communicate(timeout=300)[1]
    assert [text.count("compiling") for text in (*errors, report)] == [1, 0, 0]
