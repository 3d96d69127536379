"""The command line, as a person runs it: in a process of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from strategic_env.cli import parse_learner, parse_settings


def command(*arguments: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from strategic_env.cli import main; main()", *arguments],
        capture_output=True,
        text=True,
        cwd=folder,
        env=os.environ | {"COLUMNS": "120", "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        timeout=300,
    )


def test_list_shows_every_name_with_one_line() -> None:
    result = command("list")
    assert result.returncode == 0
    for name in ("KnownL2", "GermanCredit", "perceptron", "biased-l1", "best-fixed-classifier"):
        assert any(line.split()[:1] == [name] for line in result.stdout.splitlines())


def test_without_a_command_it_explains_itself() -> None:
    result = command()
    assert result.returncode == 0
    assert "run" in result.stdout and "list" in result.stdout


def test_json_is_the_designs_object() -> None:
    result = command(
        "run", "KnownL2", "--set", "dim=3", "--learner", "perceptron:bias=true", "--learner", "strategic-perceptron-l2",
        "--learner", "best-fixed-classifier", "--seeds", "2", "--rounds", "100", "--json",
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    printed = json.loads(result.stdout)
    assert printed["scenario"] == "KnownL2"
    assert (printed["options"], printed["rounds"], printed["seeds"]) == ({"dim": 3}, 100, [0, 1])
    first, second, reference = printed["results"]
    assert first["learner"] == "perceptron" and first["parameters"] == {"bias": True}
    assert len(first["mistakes"]) == len(first["loss"]) == len(first["manipulations"]) == 2
    assert first["bound"] is None
    assert second["bound"] == pytest.approx(100) and second["printed_bound"] == pytest.approx(169)
    assert reference["mistakes"] == [0, 0]


def test_a_run_leaves_curves_and_a_picture_and_is_shown_again(tmp_path: Path) -> None:
    arguments = ("run", "Example1", "--rounds", "50", "--seeds", "2", "--out", "results")
    first = command(*arguments, folder=tmp_path)
    assert first.returncode == 0, first.stderr
    assert {path.suffix for path in (tmp_path / "results").iterdir()} >= {".csv", ".png", ".jsonl"}
    again = command(*arguments, folder=tmp_path)
    shown = command("report", "results", folder=tmp_path)
    assert first.stdout == again.stdout == shown.stdout
    assert "skipped: biased-l1 is made for l1 costs" in first.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("run", "Nowhere"), "scenario must be one of 'KnownL2'"),
        (("run",), "SCENARIO"),
        (("fly",), "fly"),
        (("run", "KnownL2", "--set", "dim"), "a setting must read KEY=VALUE, got 'dim'"),
        (("run", "KnownL2", "--set", "dim=0"), "dim must be at least 1, got 0"),
        (("run", "KnownL2", "--set", "size=2"), "KnownL2 has no option 'size'"),
        (("run", "KnownL2", "--learner", "nobody"), "learner must be one of"),
        (("run", "KnownL2", "--learner", "strategic-perceptron-l1"), "made for l1 costs; the scenario has l2"),
        (("run", "KnownL2", "--learner", "perceptron:eta=2"), "perceptron has no parameter 'eta'"),
        (("run", "KnownL2", "--learner", "perceptron:learning_rate=0"), "learning_rate must be greater than 0"),
        (("run", "KnownL2", "--seeds", "0"), "--seeds"),
        (("run", "KnownL2", "--rounds", "none"), "--rounds"),
        (("report", "."), "DIR must hold the results of a run"),
        (("report", "missing"), "missing"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_wrong_usage_is_one_line_and_status_2(arguments: tuple[str, ...], message: str, tmp_path: Path) -> None:
    result = command(*arguments, folder=tmp_path)
    assert result.returncode == 2
    assert result.stdout == ""
    assert message in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert "Traceback" not in result.stderr


def test_settings_are_json_or_text() -> None:
    assert parse_settings(["a=1", "b=[1, 2]", "c=text", "d=true", "e=False", "f=null"]) == {
        "a": 1, "b": [1, 2], "c": "text", "d": True, "e": False, "f": None,
    }  # fmt: skip
    with pytest.raises(ValueError, match="'a' twice"):
        parse_settings(["a=1", "a=2"])


def test_commas_inside_brackets_do_not_separate_parameters() -> None:
    assert parse_learner("name") == ("name", {})
    assert parse_learner("name:alpha=[0.6,0],radius=2") == ("name", {"alpha": [0.6, 0], "radius": 2})
