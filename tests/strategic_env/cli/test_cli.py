"""The command line, as a person runs it: in a process of its own."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command_line import ENVIRONMENT, command, with_a_fault
from rich.console import Console

from learners.catalogue import learners_of
from strategic_env import scenario
from strategic_env.bench.arguments import parse_learner, parse_settings
from strategic_env.cli import listing
from strategic_env.games.registration import scenario_names


def test_list_shows_every_name_with_one_line() -> None:
    result = command("list")
    assert result.returncode == 0
    for name in ("KnownL2", "GermanCredit", "perceptron", "biased-l1", "best-fixed-classifier", "Spam", "gappletron"):
        assert any(line.split()[:1] == [name] for line in result.stdout.splitlines())


def test_list_shows_one_scenario_or_learner() -> None:
    shown = {
        name: command("list", name).stdout for name in ("KnownL2", "GermanCredit", "biased-l1", "best-fixed-classifier")
    }
    pairs = {name: [line.split(maxsplit=1) for line in text.splitlines()] for name, text in shown.items()}
    options = (["margin", "0.1"], ["feedback", '"full"  (one of full, apple_tasting)'], ["cost", '"l2"'])
    for line in options:
        assert line in [[part.strip() for part in pair] for pair in pairs["KnownL2"]]
    assert "reward, observation, info_level, render_mode" in shown["KnownL2"]
    assert "20 numbers]" in shown["GermanCredit"]
    for text in ("scale_free    false", "radius        what the scenario tells", "Section 7", "learners.BiasedL1"):
        assert text in shown["biased-l1"]
    assert "from the run's true points" in shown["best-fixed-classifier"]


def test_list_knows_classes_and_says_what_form_alpha_has(capsys: pytest.CaptureFixture[str]) -> None:
    def shown(name: str) -> str:
        listing.show_one(name, Console(width=150))
        return capsys.readouterr().out

    assert shown("UnknownCostL2") == shown("unknown-cost-l2") and "None" not in shown("UnknownCostL2")
    assert "The learner of this name is biased-l2." in shown("BiasedL2")
    assert "0.3  (a number)" in shown("KnownL2")
    assert "0.3  (a number for all coordinates, or a list of one each)" in shown("KnownL1")
    assert "[0.3, 0.35]  (an interval, [smallest, largest])" in shown("HeterogeneousL2")


def test_list_says_what_every_option_without_a_value_means(capsys: pytest.CaptureFixture[str]) -> None:
    for name in (*scenario_names(), *learners_of("strategic"), *learners_of("multiclass"), "sb3"):
        listing.show_one(name, Console(width=200))
        unexplained = [line for line in capsys.readouterr().out.splitlines() if line.rstrip().endswith(" null")]
        assert not unexplained, name


@pytest.mark.parametrize(
    ("name", "alpha", "message"),
    [
        ("UnknownL1Single", True, "alpha must be a number, got True"),
        ("UnknownL1Single", [0.3], "alpha must be a number, got"),
        ("KnownL2", [0.3], "alpha must be a number, got"),
        ("Example3", "abc", "alpha must be a number, got 'abc'"),
        ("KnownL1", "abc", "alpha must hold real numbers, got 'abc'"),
        ("HeterogeneousL2", 0.3, "alpha must be an interval .smallest, largest., got 0.3"),
        ("HeterogeneousL2", "abc", "alpha must be an interval"),
    ],
    ids=str,
)
def test_alpha_of_another_form_is_one_clear_error(name: str, alpha: object, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        scenario(name, alpha=alpha)


def test_every_scenario_and_learner_can_be_shown() -> None:
    program = "from strategic_env.cli import listing\nfrom rich.console import Console\nimport sys\n"
    program += "for name in sys.argv[1:]: listing.show_one(name, Console())"
    names = [*scenario_names(), *learners_of("strategic"), *learners_of("multiclass")]
    result = command(*names, program=[sys.executable, "-c", program])
    assert result.returncode == 0, result.stderr
    assert all(f"{name}: " in result.stdout for name in names)


@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help_shows_examples(option: str) -> None:
    result = command("run", option)
    assert result.returncode == 0
    assert "strategic-env run GermanCredit --out results" in result.stdout


def test_version() -> None:
    assert command("--version").stdout.startswith("strategic-env 0.")


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
    left_out = [line for line in first.stderr.splitlines() if line.startswith("without ")]
    assert len(left_out) == 1 and "biased-l1" in left_out[0] and "unknown-cost-l2" in left_out[0]
    assert "compiling" not in again.stderr + shown.stderr, "all is compiled, and nothing is left to compute"


def test_notes_of_the_packages_are_lines_on_stderr() -> None:
    fault = (
        "import logging; from strategic_env.cli import listing; from agents.foundation import disk_cache; "
        "listing.show_all = lambda console: logging.getLogger(disk_cache.__name__).info('compiling %s', '[x]')"
    )
    result = command("list", program=with_a_fault(fault))
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "compiling [x]\n")


def test_a_folder_takes_more_learners_and_seeds_but_no_other_settings(tmp_path: Path) -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return command("run", "Example1", "--learner", "perceptron", "--out", "results", *arguments, folder=tmp_path)

    assert run("--rounds", "50", "--seeds", "1").returncode == 0
    added = run("--rounds", "50", "--seeds", "3", "--learner", "strategic-perceptron-l2")
    assert added.returncode == 0, added.stderr
    rows = [line.split()[0] for line in added.stdout.partition("─\n")[2].partition("\n\n")[0].splitlines()]
    assert rows == ["perceptron", "strategic-perceptron-l2", "best-fixed-classifier"], "regret needs the reference"
    assert "over 3 seeds" in added.stdout
    other = run("--rounds", "60")
    assert other.returncode == 2
    assert "--out: results holds results of something else: rounds 50 instead of 60" in other.stderr
    (tmp_path / "results" / "settings.json").write_text("{", encoding="utf-8")
    for damaged in (run("--rounds", "50"), command("report", "results", folder=tmp_path)):
        assert damaged.returncode == 2
        assert "settings.json is damaged" in damaged.stderr and len(damaged.stderr.splitlines()) == 1


def test_named_learners_are_alone_in_json(tmp_path: Path) -> None:
    result = command("run", "Example1", "--rounds", "5", "--seeds", "1", "--learner", "perceptron", "--json")
    assert [one["learner"] for one in json.loads(result.stdout)["results"]] == ["perceptron"]


def test_without_matplotlib_all_but_the_picture_is_saved(tmp_path: Path) -> None:
    program = with_a_fault("import sys; sys.modules['matplotlib'] = None")
    arguments = ("run", "Example1", "--rounds", "5", "--seeds", "1", "--learner", "perceptron", "--out", "results")
    result = command(*arguments, folder=tmp_path, program=program)
    assert result.returncode == 0, result.stderr
    assert 'without the picture: drawing needs matplotlib: pip install "strategic-env[plot]"' in result.stderr
    saved = {path.name for path in (tmp_path / "results").iterdir()}
    assert saved == {"curves.csv", "summary.csv", "runs.jsonl", "learners.jsonl", "settings.json"}


@pytest.mark.parametrize(
    ("error", "message"),
    [("OSError(28, 'No space left on device')", "No space left"), ("MemoryError()", "not enough memory")],
)
def test_what_the_machine_refuses_is_one_line_and_status_1(error: str, message: str, tmp_path: Path) -> None:
    fault = f"""
from strategic_env.bench import archive
def refuse(*_): raise {error}
archive.Archive.add = refuse
"""
    arguments = ("run", "Example1", "--rounds", "5", "--seeds", "1", "--learner", "perceptron", "--out", "results")
    result = command(*arguments, folder=tmp_path, program=with_a_fault(fault))
    assert result.returncode == 1
    assert message in result.stderr and "Traceback" not in result.stderr


@pytest.mark.parametrize(("fault", "kept"), [(0, "nothing had finished"), (2, "finished runs are kept in results")])
def test_an_interrupted_run_says_what_is_left(fault: int, kept: str, tmp_path: Path) -> None:
    program = f"""
import os, signal
from strategic_env.bench import evaluation
play, begun = evaluation.play, []
def interrupted(*arguments):
    begun.append(arguments)
    if len(begun) > {fault}:
        os.kill(os.getpid(), signal.SIGINT)
    return play(*arguments)
evaluation.play = interrupted
"""
    arguments = ("run", "Example1", "--rounds", "5", "--seeds", "4", "--learner", "perceptron", "--out", "results")
    result = command(*arguments, folder=tmp_path, program=with_a_fault(program))
    assert result.returncode == 1
    assert f"interrupted: {kept}" in result.stderr and "Traceback" not in result.stderr
    resumed = command(*arguments, folder=tmp_path)
    assert resumed.returncode == 0, resumed.stderr


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize("seconds", [1.0, 2.5])
def test_an_early_interruption_is_one_line(seconds: float, tmp_path: Path) -> None:
    """While it still imports or compiles."""
    arguments = ["run", "GermanCredit", "--seeds", "500", "--rounds", "10000000000"]
    process = subprocess.Popen(
        with_a_fault("import gymnasium; print(flush=True)") + arguments,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path, env=ENVIRONMENT,
    )  # fmt: skip
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(seconds)
    stderr = ""
    for _ in range(20):
        # An interrupt that arrives inside one of the compiler's callbacks is lost: a person presses again.
        process.send_signal(signal.SIGINT)
        try:
            _, stderr = process.communicate(timeout=6)
            break
        except subprocess.TimeoutExpired:
            continue
    process.kill()
    assert process.returncode == 1
    assert stderr.strip().splitlines()[-1].startswith("interrupted: nothing")
    # The compiler itself reports the one that it lost.
    assert "Traceback" not in stderr or "Exception ignored" in stderr


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
        (("run", "KnownL2", "--learner", "perceptron:learning_rate=0"), "learning_rate must be at least 1e-40"),
        (("run", "KnownL2", "--seeds", "0"), "--seeds"),
        (("run", "KnownL2", "--rounds", "none"), "--rounds"),
        (("run", "KnownL2", "--set", "name=x"), "KnownL2 has no option 'name'"),
        (("run", "KnownL2", "--learner", "perceptron:learner=1"), "perceptron has no parameter 'learner'"),
        (("run", "KnownL2", "--learner", "perceptron:scenario=1"), "perceptron has no parameter 'scenario'"),
        (("run", "KnownL2", "--learner", "perceptron:name=1"), "perceptron has no parameter 'name'"),
        (("run", "KnownL2", "--learner", "perceptron:knowledge=1"), "perceptron has no parameter 'knowledge'"),
        (("run", "KnownL2", "--learner", "perceptron:self=1"), "perceptron has no parameter 'self'"),
        (("run", "KnownL2", "--learner", "perceptron", "--learner", "perceptron"), "learners must differ"),
        (("run", "KnownL2", "--learner", "best-fixed-classifier:classifier=[[1,0],[1]]"), "classifier must be a rect"),
        (("run", "KnownL2", "--out", ""), "--out must name a folder, got ''"),
        (
            ("run", "Example1", "--learner", "perceptron", "--out", "file"),
            "out must be a folder, there or new, got file: file is no folder",
        ),
        (
            ("run", "Example1", "--learner", "perceptron", "--out", "file/inside"),
            "out must be a folder, there or new, got file/inside: file is no folder",
        ),
        (
            ("run", "Example1", "--learner", "perceptron", "--out", "/dev/null/inside"),
            "out must be a folder, there or new, got /dev/null/inside: /dev/null is no folder",
        ),
        (("run", "Example1", "--learner", "perceptron", "--out", "odd"), "odd holds runs.jsonl without settings.json"),
        (("run", "KnownL1", "--learner", "strategic-perceptron-l1:alpha=[1,2,3]"), "alpha has 3 coordinates, but"),
        (("run", "KnownL1", "--learner", "unknown-cost-l2"), "unknown-cost-l2 is made for l2 costs"),
        (
            ("run", "Bandit", "--learner", "perceptron"),
            "perceptron is a learner of strategic classification; Bandit is",
        ),
        (
            ("run", "KnownL2", "--learner", "gappletron"),
            "gappletron is a learner of multiclass classification; KnownL2",
        ),
        (("run", "Bandit", "--set", "margin=1"), "Bandit has no option 'margin'; its options are classes, dim"),
        (("list", "nobody"), "NAME must be a scenario or a learner that `strategic-env list` shows, got 'nobody'"),
        (("list", "Percep"), "shows, got 'Percep'; did you mean 'Perceptron'?"),
        (("list", "germancredit"), "shows, got 'germancredit'; did you mean 'GermanCredit'?"),
        (("report", "."), "DIR must hold the results of a run"),
        (("report", "missing"), "missing"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_wrong_usage_is_one_line_and_status_2(arguments: tuple[str, ...], message: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "runs.jsonl").touch()
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
    assert parse_learner("name:classifier=[[1,0,0],[1,0,0]],a=1") == (
        "name", {"classifier": [[1, 0, 0], [1, 0, 0]], "a": 1}
    )  # fmt: skip
    with pytest.raises(ValueError, match="must read KEY=VALUE, got '2'"):
        parse_learner("name:a=1,2")


@pytest.mark.parametrize("what", ["bounds", "gappletron"])
def test_a_number_of_runs_that_nobody_would_wait_for_is_a_wrong_argument(what: str, tmp_path: Path) -> None:
    result = command("reproduce", what, "--runs", str(2**63), "--out", str(tmp_path / "out"))
    assert (result.returncode, result.stderr) == (2, f"error: --runs must be at most 1048576, got {2**63}\n")
    assert not list(tmp_path.iterdir())


def test_a_number_of_jobs_that_no_machine_could_serve_is_a_wrong_argument() -> None:
    result = command("run", "KnownL2", "--jobs", str(10**20), "--rounds", "3", "--seeds", "1")
    assert (result.returncode, result.stderr) == (2, f"error: --jobs must be at most 1024, got {10**20}\n")
