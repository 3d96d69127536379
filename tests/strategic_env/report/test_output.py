"""What is printed, wherever it goes: encodings that have few characters, readers who leave, disks that are full."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from agents.foundation.pictures import DrawingFailed
from strategic_env import evaluate
from strategic_env.bench.contestants import contestant
from strategic_env.bench.evaluation import Results
from strategic_env.cli import commands as cli
from strategic_env.cli import listing
from strategic_env.report import comparison, layout
from strategic_env.report import curves as plotting
from strategic_env.report import tables as report
from strategic_env.report.output import plain_console
from strategic_env.report.scores import Estimate
from strategic_env.reproduce import result

LABELS = ("\u2713 caf\u00e9 \u03b1", "\u05e9\u05dc\u05d5\u05dd", ":x: [red]", "long" * 125, "_hidden $x_{ $")
ESCAPED = {"ascii": "\\u2713 caf\\xe9 \\u03b1", "latin-1": "\\u2713 café \\u03b1", "utf-8": LABELS[0]}
ESCAPED["cp1252"] = ESCAPED["latin-1"]
RUN = ("run", "Example1", "--rounds", "5", "--seeds", "1", "--learner", "perceptron")
SAVED = {"curves.csv", "summary.csv", "mistakes.png", "learners.jsonl", "runs.jsonl", "settings.json"}
ENVIRONMENT = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


@pytest.fixture(scope="module")
def results() -> Results:
    learners = {label: f"perceptron:learning_rate={rate}" for rate, label in enumerate(LABELS, start=1)}
    return evaluate(learners, "KnownL2", seeds=2, rounds=5)


def stream(encoding: str, errors: str = "strict") -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors=errors)


def written(file: io.TextIOWrapper) -> str:
    file.flush()
    assert isinstance(file.buffer, io.BytesIO)
    return file.buffer.getvalue().decode(file.encoding)


def main(monkeypatch: pytest.MonkeyPatch, *arguments: str, **streams: object) -> object:
    """Run the command line in this process, and return its exit status."""
    for name, value in streams.items():
        monkeypatch.setattr(sys, name, value)
    monkeypatch.setattr(sys, "argv", ["strategic-env", *arguments])
    with pytest.raises(SystemExit) as left:
        cli.main()
    return left.value.code


@contextmanager
def without_reader() -> Iterator[io.TextIOWrapper]:
    """Yield a pipe that nobody reads from."""
    ours, theirs = os.pipe()
    os.close(ours)
    with open(theirs, "w", encoding="utf-8") as file:
        yield file


@pytest.mark.parametrize("encoding", ESCAPED)
def test_tables_are_printed_in_every_encoding(encoding: str, results: Results) -> None:
    estimate = Estimate(1.0, 0.0, 2.0)
    rows = [comparison.ComparedLearner(label, estimate, estimate, None, None) for label in LABELS]
    compared = comparison.Comparison(LABELS[0], ["KnownL2"], {LABELS[0]: np.ones((2, 1))}, {}, rows)
    for width in (1, 20, 600):
        for tell in (
            lambda console: report.show(results, console),
            lambda console: comparison.show(compared, console),
        ):
            file = stream(encoding)
            tell(Console(file=file, width=width))
            assert width < 600 or all(text in written(file) for text in (ESCAPED[encoding], *LABELS[2:]))


def test_columns_of_escaped_and_of_wide_labels_stand_below_each_other(results: Results) -> None:
    wide = Results(**vars(results) | {"contestants": results.contestants[:3]})
    shown = []
    for file in (stream("ascii"), stream("utf-8")):
        report.show(wide, Console(file=file, width=100))
        shown += [line for line in written(file).splitlines() if line.endswith("%") or "  0." in line]
    assert len({len(line) for line in shown[:3]}) == 1


def test_the_command_line_prints_in_every_encoding(monkeypatch: pytest.MonkeyPatch) -> None:
    for encoding in ESCAPED:
        for arguments in (("list",), ("list", "KnownL2"), ("run", "--help"), (), RUN, (*RUN, "--json")):
            out, err = stream(encoding), stream(encoding)
            assert main(monkeypatch, *arguments, stdout=out, stderr=err) == 0
            assert written(out)
        file = stream(encoding)
        assert main(monkeypatch, "list", "\u2713 caf\u00e9 \u03b1", stdout=stream(encoding), stderr=file) == 2
        assert ESCAPED[encoding] in written(file)
    file = stream("ascii", "replace")
    assert main(monkeypatch, "list", "caf\u00e9", stdout=stream("ascii"), stderr=file) == 2
    assert "caf?" in written(file), "who asks for another treatment gets it"


def test_reproductions_are_printed_in_every_encoding_after_the_copy_is_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = layout.table("\u03b1 [red] :x:", ["\u2713"])
    page.add_row("[bold] :x: \u03b1")
    copy = tmp_path / "copy.txt"
    file = stream("ascii", "backslashreplace")
    monkeypatch.setattr(sys, "stdout", file)
    result.show(result.Reproduced([page], [], []), copy)
    assert "[bold] :x: \\u03b1" in written(file) and "[bold] :x: \u03b1" in copy.read_text(encoding="utf-8")
    copy.unlink()
    monkeypatch.setattr(sys, "stdout", stream("ascii"))
    with pytest.raises(UnicodeEncodeError):
        result.show(result.Reproduced([page], [], []), copy)
    assert copy.exists()


def test_brackets_and_colons_are_printed_as_they_are(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = stream("utf-8")
    listing._show(plain_console(file=file), ":x: [red]", {":x: [red]": ":x: [red]"})
    assert written(file).count(":x: [red]") == 3
    monkeypatch.chdir(tmp_path)
    file = stream("utf-8")
    assert main(monkeypatch, *RUN, "--out", ":x: [red]", stdout=stream("utf-8"), stderr=file) == 0
    assert f"saved {Path(':x: [red]', 'curves.csv')}" in written(file)
    for arguments in (("report", "no :x: [red]\n\x1b[1m"), ("run", "no :x: [red]\n\x1b[1m")):
        file = stream("utf-8")
        assert main(monkeypatch, *arguments, stdout=stream("utf-8"), stderr=file) == 2
        assert "no :x: [red]" in written(file) and len(written(file).splitlines()) == 1 and "\x1b" not in written(file)


def test_a_reader_who_leaves_costs_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for number, arguments in enumerate((("list",), (*RUN, "--json"), RUN, ("run", "--help"))):
        out = ("--out", str(tmp_path / "out")) if number == 2 else ()
        with without_reader() as gone, without_reader() as deaf:
            assert main(monkeypatch, *arguments, *out, stdout=gone, stderr=deaf) == 0
    assert {path.name for path in (tmp_path / "out").iterdir()} == SAVED


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a disk that is full")
def test_results_are_saved_before_they_are_printed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for form in ((), ("--json",)):
        file, out = stream("utf-8"), tmp_path / "".join(("out", *form))
        with open("/dev/full", "w", encoding="utf-8") as full:
            assert main(monkeypatch, *RUN, *form, "--out", str(out), stdout=full, stderr=file) == 1
        assert {path.name for path in out.iterdir()} == SAVED
        assert "No space left on device: 'standard output'" in written(file).splitlines()[-1]
    with open("/dev/full", "w", encoding="utf-8") as full:
        file = stream("utf-8")
        assert main(monkeypatch, *RUN, "--json", stdout=file, stderr=full) == 0
        assert json.loads(written(file)), "messages are worth no work"


def test_a_table_is_printed_though_saving_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device", "curves.csv")

    monkeypatch.setattr(report, "save", fail)
    out, err = stream("utf-8"), stream("utf-8")
    assert main(monkeypatch, *RUN, "--out", str(tmp_path / "out"), stdout=out, stderr=err) == 1
    assert "perceptron" in written(out) and written(err).splitlines()[-1].endswith("device: 'curves.csv'")


def test_a_picture_that_cannot_be_drawn_costs_nothing_else(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("no\nfont")

    monkeypatch.setattr(plotting, "_draw_names", fail)
    out, err = stream("utf-8"), stream("utf-8")
    assert main(monkeypatch, *RUN, "--out", str(tmp_path / "out"), stdout=out, stderr=err) == 0
    assert "without the picture: matplotlib cannot draw it: ZeroDivisionError: no font" in written(err).splitlines()[-1]
    assert {path.name for path in (tmp_path / "out").iterdir()} == SAVED - {"mistakes.png"} and "perceptron" in written(
        out
    )


def test_a_reproduction_whose_pictures_cannot_be_drawn_keeps_its_tables() -> None:
    def fail() -> list[Path]:
        raise DrawingFailed("matplotlib cannot draw it")

    unexpected: list[str] = []
    assert result.drawn(fail, unexpected) == [] and unexpected == ["matplotlib cannot draw it"]


@pytest.mark.skipif(os.name == "nt", reason="a shell of POSIX")
def test_streams_that_are_closed_full_or_left_are_no_traceback_to_a_shell(tmp_path: Path) -> None:
    program = f"{sys.executable} -m strategic_env"
    script = f"""
    {program} --version >&-; echo $?
    {program} --version 2>&-; echo $?
    {program} fly 2>&-; echo $?
    {program} fly 2>/dev/full; echo $?
    {program} --version >/dev/full; echo $?
    ({program} --version; echo $? >status) | true; cat status
    """
    shell = subprocess.run(["sh", "-c", script], capture_output=True, text=True, env=ENVIRONMENT, cwd=tmp_path)
    assert [line for line in shell.stdout.split("\n") if line.isdecimal()] == ["0", "0", "2", "2", "1", "0"]
    assert shell.stderr.strip() == "error: [Errno 28] No space left on device: 'standard output'"


@pytest.mark.skipif(os.name == "nt", reason="names of bytes")
def test_a_folder_of_any_name_is_used_and_named_where_output_is_ascii(tmp_path: Path) -> None:
    odd = os.fsdecode(b"caf\xc3\xa9 \xff :x: [red]")
    plain = ENVIRONMENT | {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    command = [sys.executable, "-m", "strategic_env", *RUN, "--out", odd]
    done = subprocess.run(command, capture_output=True, env=plain, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert {path.name for path in (tmp_path / odd).iterdir()} == SAVED
    assert b"saved caf\\udcc3\\udca9 \\udcff :x: [red]/curves.csv" in done.stderr and done.stdout.isascii()


def test_errors_and_names_of_any_kind_are_one_line_of_text(tmp_path: Path) -> None:
    class Unspeakable(Exception):
        def __str__(self) -> str:
            raise ValueError

    class Odd:
        name = "a\nb\udcff"

        def __init__(self, error: Exception) -> None:
            self.error = error

        def predict(self, *_: object) -> tuple[object, object]:
            raise self.error

    for error, said in ((ValueError("\udcff"), "ValueError: \\udcff"), (Unspeakable(), "Unspeakable: its message")):
        done = evaluate([Odd(error)], "KnownL2", seeds=1, rounds=5)
        assert said in str(done.runs[0].error) and done.contestants[0].label == "a b\\udcff"
        assert len(report.save(done, tmp_path)) == 3
    assert contestant(Odd(ValueError()), done.scenario).label == "a b\\udcff"
