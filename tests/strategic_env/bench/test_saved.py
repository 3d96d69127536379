"""What a folder of results tells: whose it is, what is believed, and that all of it is shown from files alone."""

import csv
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas
import pytest
from rich.console import Console

from agents import BestResponse, BudgetLimited, Noisy, Truthful
from learners import BestFixedClassifier, ConstantClassifier, Perceptron
from strategic_env import Results, Scenario, evaluate, scenario
from strategic_env.bench import evaluation, saved
from strategic_env.bench.contestants import contestant
from strategic_env.report import comparison
from strategic_env.report import curves as plotting
from strategic_env.report import tables as report
from strategic_env.report.summary import bound_failures, bound_of, rows

NAMES = ("settings.json", "learners.jsonl", "runs.jsonl", "curves.csv", "summary.csv", "mistakes.png")
ROUNDS = 30
ENVIRONMENT = os.environ | {"COLUMNS": "120", "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


class Own(Perceptron):
    """Somebody's own learner, with a bound that fails."""

    name = "own"

    def bound(self, truth: Any, *, printed: bool = False) -> float | None:
        raise RuntimeError("no theorem\nyet")


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """The seeds that were played, not found."""
    seeds: list[int] = []
    real = evaluation.play

    def play(one: Any, chosen: Any, seed: int, *arguments: Any) -> Any:
        seeds.append(seed)
        return real(one, chosen, seed, *arguments)

    monkeypatch.setattr(evaluation, "play", play)
    yield seeds


def run(out: Path, chosen: str | Scenario = "KnownL2") -> Results:
    return evaluate(["perceptron"], chosen, seeds=2, rounds=ROUNDS, out=out)


def rewrite(out: Path, change: Callable[[Any], Any], *, forged: bool) -> None:
    """Change the records of all runs; whoever forges a line gives it the sum that belongs to it, too."""
    records = []
    for line in (out / "runs.jsonl").read_text(encoding="utf-8").splitlines():
        record = change(json.loads(line))
        if forged and isinstance(record, dict):
            record.pop("check", None)
            record |= {"check": saved._check(record)}
        records.append(json.dumps(record) + "\n")
    (out / "runs.jsonl").write_text("".join(records), encoding="utf-8")


def values(**changes: Any) -> Callable[[Any], Any]:
    """Return what changes the values of a run; "" takes one away."""
    return lambda record: (
        record | {"run": {key: value for key, value in (record["run"] | changes).items() if value != ""}}
    )


def columns(**changes: Any) -> Callable[[Any], Any]:
    """Return what changes what a run counts besides; "" takes one away."""
    return lambda record: values(
        columns={key: value for key, value in (record["run"]["columns"] | changes).items() if value != ""}
    )(record)


def shifted(steps: Callable[[list[int]], list[int]]) -> Callable[[Any], Any]:
    """Return what changes the curve of a run, and everything else so that it agrees with its end."""

    def change(record: Any) -> Any:
        curve = steps(record["run"]["curve"])
        return values(curve=curve, mistakes=curve[-1], loss=float(curve[-1]))(record)

    return change


@pytest.mark.parametrize(
    "change",
    [
        lambda _: [], lambda _: 5, lambda _: None, lambda _: "text", lambda record: record | {"run": []},
        lambda record: {"key": record["key"], "seed": 0}, lambda record: {"run": record["run"], "seed": 0},
        lambda record: {"key": record["key"], "run": record["run"]},
        *(lambda record, wrong=wrong: record | {"seed": wrong} for wrong in (-1, True, "0", 0.0, None)),
        values(mistakes=""), values(curve=""), values(error=""), values(luck=3), values(seed=0), values(learner="me"),
        values(mistakes=-1), values(mistakes=1e9), values(mistakes="7"), values(mistakes=True),
        values(mistakes=10**400), values(loss=10**400),
        values(mistakes=31), columns(manipulations=31), columns(qualified=31), columns(qualified=-1),
        columns(qualified=0.5), columns(qualified=True), columns(luck=1), columns(qualified=""),
        values(columns=[]), values(columns=None),
        values(loss=None),
        values(loss=float("nan")), values(loss=float("-inf")), values(loss=0.5), values(loss=False),
        columns(qualified_cost=-0.5), columns(qualified_cost=1.5, manipulations=1),
        columns(qualified_cost=float("nan")),
        columns(qualified_cost=2.5, manipulations=9, qualified=2), columns(qualified_cost=1e308),
        values(cpu_seconds=float("inf")), values(cpu_seconds=1e10), values(cpu_seconds=-1.0), values(cpu_seconds=True),
        values(error=5), values(fused=1), values(fused=None),
        values(curve=[]), values(curve=5), values(curve=None), values(curve="0" * ROUNDS),
        lambda record: record | {"run": record["run"] | {"curve": record["run"]["curve"][-1:]}},
        values(curve=[0] * ROUNDS), values(curve=[0.0] * ROUNDS),
        shifted(lambda curve: curve[:-1]), shifted(lambda curve: [*curve, curve[-1]]),
        shifted(lambda curve: curve[:-2] + curve[:-3:-1] if curve[-1] > curve[-2] else [1, 0, *curve[2:]]),
        shifted(lambda curve: [2, *(max(2, count) for count in curve[1:])]),
        shifted(lambda curve: [*curve[:-1], curve[-2] + 2]), shifted(lambda curve: [True, *curve[1:]]),
    ],
)  # fmt: skip
def test_a_run_that_nobody_can_have_played_is_played_again(tmp_path: Path, played: list[int], change: Any) -> None:
    first = run(tmp_path)
    rewrite(tmp_path, change, forged=True)
    again = run(tmp_path)
    assert [one.curve for one in again.runs] == [one.curve for one in first.runs]
    assert played == [0, 1, 0, 1] and (first.unused_lines, again.unused_lines) == (0, 2)


@pytest.mark.parametrize(
    "change",
    [
        lambda record: record | {"seed": record["seed"] + 1},
        lambda record: record | {"key": record["key"] | {"learner": "learners.strategic.fixed.ConstantClassifier"}},
        columns(qualified_cost=0.0), columns(manipulations=0), values(cpu_seconds=1.0), values(fused=False),
        shifted(lambda curve: [0] * len(curve)), values(error="RuntimeError"),
        lambda record: {name: record[name] for name in ("seed", "key", "run", "check")},
    ],
)  # fmt: skip
def test_a_line_that_was_changed_is_not_believed(tmp_path: Path, played: list[int], change: Any) -> None:
    first = run(tmp_path)
    rewrite(tmp_path, change, forged=False)
    assert [one.curve for one in run(tmp_path).runs] == [one.curve for one in first.runs]
    assert played == [0, 1, 0, 1]


@pytest.mark.slow
def test_what_was_played_is_believed(tmp_path: Path, played: list[int]) -> None:
    """Even where rewards and costs are other than usual, and a loss is below 0."""

    class Accurate(Scenario):
        def make(self, **options: Any) -> Any:
            return super().make(reward="accuracy", **options)

    class Loop(Own):
        """Plays in a loop over the environment."""

        def predict(self, *arguments: Any, **keywords: Any) -> Any:
            return super().predict(*arguments, **keywords)

    known = scenario("KnownL2", alpha=0.3)
    assert isinstance(known, Scenario)
    parts = {name: getattr(known, name) for name in ("name", "setting", "horizon", "knowledge", "truth", "options")}
    games: list[Any] = [known, Accurate(**parts), scenario("GermanCredit"), scenario("Bandit", classes=3, dim=80)]
    games += [
        replace(known, setting=replace(known.setting, individual=one))
        for one in (BestResponse(), Truthful(), BudgetLimited(0.4), BudgetLimited(0.0), Noisy(0.5))
    ]
    for number, game in enumerate(games):
        learners = (
            {"gappletron": "gappletron"}
            if game.game == "multiclass"
            else {"loop": Loop(), "still": "constant-classifier"}
        )
        for _ in range(2):
            results = evaluate(learners, game, seeds=2, rounds=1100, out=tmp_path / str(number))
            assert not [one.error for one in results.runs if one.error] and results.unused_lines == 0
        assert Results.load(tmp_path / str(number)).runs == results.runs
        assert len(played) == 2 * len(learners)
        played.clear()


def test_a_note_says_how_many_lines_are_not_used(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(tmp_path)
    with (tmp_path / "runs.jsonl").open("ab") as file:
        file.write(b"{}\n\n5\n")
    with (tmp_path / "learners.jsonl").open("ab") as file:
        file.write(b'{"label": "mine"}\n')
    report.show(run(tmp_path), Console(width=120))
    assert "not used: 3 lines of the folder's files, torn, damaged or changed; evaluating" in capsys.readouterr().out
    assert Results.load(tmp_path).unused_lines == 3


def test_a_line_that_is_still_being_written_is_not_damaged(tmp_path: Path) -> None:
    run(tmp_path)
    with (tmp_path / "runs.jsonl").open("ab") as file:
        file.write(b'{"key": ')
    assert Results.load(tmp_path).unused_lines == 0


def test_a_run_without_a_key_is_not_kept(tmp_path: Path, played: list[int]) -> None:
    learner = Own()
    learner.extra = lambda: None  # type: ignore[attr-defined]
    nobody = type("Typed", (Perceptron,), {"__module__": "typed_in"})()
    results = evaluate({"typed": nobody, "perceptron": "perceptron"}, "KnownL2", seeds=2, rounds=ROUNDS, out=tmp_path)
    assert len((tmp_path / "runs.jsonl").read_text(encoding="utf-8").splitlines()) == 2
    assert Results.load(tmp_path).runs == results.runs[2:]
    evaluate({"typed": nobody}, "KnownL2", seeds=2, rounds=ROUNDS, out=tmp_path)
    assert played == [0, 1, 0, 1, 0, 1]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        *((text, "settings.json is damaged") for text in (b"", b"{", b"[]", b"5", b"null", b"\xff", b"[" * 100_000)),
        (b"{}", "settings.json lacks rounds, scenario, setting"),
        (b'{"scenario": "KnownL2"}', "settings.json lacks rounds, setting"),
        (
            b'{"scenario": "KnownL2", "options": {}, "rounds": 5, "setting": "", "seeds": [0], "learners": []}',
            "settings.json cannot be used: it is of an earlier version",
        ),
    ],
)
def test_settings_that_cannot_be_used_are_one_clear_error(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "settings.json").write_bytes(content)
    for reader in (Results.load, run):
        with pytest.raises(ValueError, match=message) as raised:
            reader(tmp_path)  # type: ignore[operator]
        assert "\n" not in str(raised.value)
    assert [path.name for path in tmp_path.iterdir()] == ["settings.json"]


@pytest.mark.parametrize(
    "change",
    [
        {"rounds": "many"}, {"rounds": 0}, {"rounds": 10**400}, {"rounds": True}, {"rounds": None},
        *({"scenario": wrong} for wrong in ({}, {"name": "KnownL2"}, {"name": 5}, {"luck": 1})),
        *(
            {"also": wrong}
            for wrong in (
                {"name": 5}, {"options": []}, {"no_bound": None},
                {"reference": 5}, {"table": 5}, {"table": [{}]}, {"table": [[1]]},
                {"columns": []}, {"columns": {"qualified": {"rounds": "1"}}},
                {"columns": {"qualified": {"rounds": True}}},
                {"loss_is_mistakes": 0}, {"luck": 1},
            )
        ),
    ],
)  # fmt: skip
def test_changed_settings_are_one_clear_error(tmp_path: Path, change: dict[str, Any]) -> None:
    run(tmp_path)
    settings = json.loads((tmp_path / "settings.json").read_bytes())
    also = change.pop("also", None)
    change = change if also is None else {"scenario": settings["scenario"] | also}
    (tmp_path / "settings.json").write_text(json.dumps(settings | change), encoding="utf-8")
    with pytest.raises(ValueError, match=r"settings\.json cannot be used: ") as raised:
        Results.load(tmp_path)
    assert "\n" not in str(raised.value)


OWN_MODULE = """
import sys
from learners import BestFixedClassifier, ConstantClassifier, Perceptron

class Mine(Perceptron):
    name = "perceptron"

class Plain:
    def __init__(self):
        self.inner = Perceptron(bias=True)
    def predict(self, observation, state=None, episode_start=None, deterministic=True):
        return self.inner.predict(observation, state)
"""


def test_results_of_ones_own_learners_are_shown_again_and_nothing_is_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "own_module_of_saved_results.py"
    source.write_text(OWN_MODULE, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    own = __import__(source.stem)
    learners = {
        "mine": own.Mine(), "plain": own.Plain(), "named": "strategic-perceptron-l2", "failing bound": Own(),
        "none": ConstantClassifier(False), "reference": "best-fixed-classifier", "classic": "perceptron",
    }  # fmt: skip
    game = replace(scenario("KnownL2", alpha=0.3), name="a game of one's own")
    results = evaluate(learners, game, seeds=3, rounds=ROUNDS, out=tmp_path / "out")
    source.unlink()
    program = """
import sys
from rich.console import Console
from strategic_env import Results
from strategic_env.report import tables as report
class Blocked:
    def find_spec(self, name, path=None, target=None):
        assert not name.startswith("own_module"), name
sys.meta_path.insert(0, Blocked())
import learners.policy
learners.policy.Policy.from_knowledge = None
results = Results.load("out")
report.show(results, Console(width=120))
report.save(results, "out")
"""
    shown = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, timeout=300
    )
    assert shown.returncode == 0, shown.stderr
    console = Console(width=120, record=True, file=open(os.devnull, "w"))  # noqa: SIM115
    report.show(results, console)
    console.file.close()
    assert shown.stdout == console.export_text()
    kept = Results.load(tmp_path / "out")
    assert rows(kept) == rows(results) and kept.runs == results.runs
    assert report.to_json(kept) == report.to_json(results)
    assert bound_failures(kept) == bound_failures(results) != []
    assert plotting.looks_of(kept.contestants) == plotting.looks_of(results.contestants)
    assert "mistakes.png" in {path.name for path in (tmp_path / "out").iterdir()}


def test_saved_bounds_are_those_of_the_time(tmp_path: Path) -> None:
    results = evaluate(["strategic-perceptron-l2", "perceptron"], "KnownL2", seeds=1, rounds=ROUNDS, out=tmp_path)
    kept = Results.load(tmp_path)
    for now, then in zip(results.contestants, kept.contestants, strict=True):
        for printed in (False, True):
            assert bound_of(kept, then, printed=printed) == bound_of(results, now, printed=printed)
    assert bound_of(kept, kept.contestants[0]) is not None


def test_what_was_saved_is_compared_like_what_was_played(tmp_path: Path) -> None:
    learners = ["perceptron", "best-fixed-classifier", "strategic-perceptron-l2"]
    results = evaluate(learners, scenario("KnownL2", alpha=0.3), seeds=4, rounds=300, out=tmp_path)
    again = comparison.compare([Results.load(tmp_path)], resamples=50)
    assert again.rows == comparison.compare([results], resamples=50).rows
    evaluate(["perceptron"], scenario("KnownL2", alpha=0.3), seeds=[9], rounds=300, out=tmp_path)
    with pytest.raises(ValueError, match="results must hold a run of every learner with every seed, got 13 of 15"):
        comparison.compare([Results.load(tmp_path)])


def test_a_learner_is_not_taken_for_the_reference_whose_class_it_has(tmp_path: Path) -> None:
    evaluate([BestFixedClassifier([1.0, 0.0, 0.0])], "KnownL2", seeds=1, rounds=ROUNDS, out=tmp_path)
    assert Results.load(tmp_path).contestants[0].learner is not None
    evaluate(["best-fixed-classifier"], "KnownL2", seeds=1, rounds=ROUNDS, out=tmp_path)
    assert Results.load(tmp_path).contestants[1].learner is None


def test_saved_learners_do_not_play(tmp_path: Path) -> None:
    run(tmp_path)
    kept = Results.load(tmp_path)
    with pytest.raises(TypeError, match="learners must be able to play, got 'perceptron' as results keep it"):
        evaluate(kept.contestants, "KnownL2", seeds=1, rounds=5)
    with pytest.raises(TypeError, match="scenario must be a name or a Scenario"):
        evaluate(["perceptron"], kept.scenario, seeds=1, rounds=5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="can be shown, not played"):
        kept.contestants[0].learner.predict(None, None, None, True)  # type: ignore[union-attr]


def test_a_folder_shows_all_seeds_and_learners_and_says_what_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    evaluate(["perceptron", "best-fixed-classifier"], "KnownL2", seeds=[5, 2], rounds=ROUNDS, out=tmp_path)
    evaluate(["strategic-perceptron-l2", "perceptron"], "KnownL2", seeds=[7], rounds=ROUNDS, out=tmp_path)
    kept = Results.load(tmp_path)
    assert kept.seeds == [2, 5, 7]
    labels = ["perceptron", "best-fixed-classifier", "strategic-perceptron-l2"]
    assert [one.label for one in kept.contestants] == labels
    assert [(row.runs, row.missing) for row in rows(kept)] == [(3, 0), (2, 1), (1, 2)]
    report.show(kept, Console(width=120))
    shown = capsys.readouterr().out
    assert "over 3 seeds" in shown and "  1 of 3 seeds not played" in shown and "  2 of 3 seeds not played" in shown
    entries: Any = report.to_json(kept)["results"]
    assert [[count is None for count in entry["mistakes"]] for entry in entries] == [
        [False, False, False], [False, False, True], [True, True, False],
    ]  # fmt: skip
    report.save(kept, tmp_path)
    curves = pandas.read_csv(tmp_path / "curves.csv")
    assert curves.groupby("learner")["seed"].nunique().to_dict() == dict(zip(labels, (3, 2, 1), strict=True))
    assert pandas.read_csv(tmp_path / "summary.csv")["missing"].tolist() == [0, 1, 2]


def test_a_failed_run_is_shown_until_it_is_finished(tmp_path: Path) -> None:
    class Moody(Own):
        fails = True

        def predict(self, *arguments: Any, **keywords: Any) -> Any:
            if type(self).fails:
                raise RuntimeError("not today")
            return super().predict(*arguments, **keywords)

    for fails, errors in ((True, ["RuntimeError: not today"] * 2), (False, [None] * 2), (True, [None] * 2)):
        Moody.fails = fails
        evaluate([Moody()], "KnownL2", seeds=2, rounds=ROUNDS, out=tmp_path)
        assert [one.error for one in Results.load(tmp_path).runs] == errors


def test_a_changed_learner_shows_its_latest_runs_only(tmp_path: Path) -> None:
    evaluate({"mine": Perceptron()}, "KnownL2", seeds=3, rounds=ROUNDS, out=tmp_path)
    latest = evaluate({"mine": Perceptron(bias=True)}, "KnownL2", seeds=2, rounds=ROUNDS, out=tmp_path)
    assert Results.load(tmp_path).runs == latest.runs
    back = evaluate({"mine": Perceptron()}, "KnownL2", seeds=1, rounds=ROUNDS, out=tmp_path)
    assert Results.load(tmp_path).runs[:1] == back.runs and len(Results.load(tmp_path).runs) == 3


def test_a_folder_without_runs_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(evaluation, "play", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path)
    with pytest.raises(ValueError, match="holds no run that has ended"):
        Results.load(tmp_path)


def test_a_place_without_results_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("precious", encoding="utf-8")
    for place, error, lacking in (
        (tmp_path, FileNotFoundError, "it holds no settings.json"),
        (tmp_path / "nowhere", FileNotFoundError, "there is no such folder"),
        (tmp_path / "file", NotADirectoryError, "there is no such folder"),
    ):
        with pytest.raises(error, match=rf"^no results are kept in {place}: {lacking}$"):
            Results.load(place)


AT_ONCE = """
import sys
from strategic_env import evaluate
first, folder = int(sys.argv[1]), sys.argv[2]
sys.stdin.readline()  # all begin together
learners = ["perceptron", "best-fixed-classifier", "strategic-perceptron-l2", f"perceptron:learning_rate={first + 2}"]
evaluate(learners, "KnownL2", range(first, first + 40), 2000, out=folder)
"""


@pytest.mark.slow
def test_processes_that_share_a_folder_lose_nothing(tmp_path: Path) -> None:
    starts = (0, 40, 80)
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", AT_ONCE, str(first), str(tmp_path / "out")],
            stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT,
        )
        for first in starts
    ]  # fmt: skip
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    for process in processes:
        _, complaints = process.communicate(timeout=300)
        assert process.returncode == 0, complaints
    kept = Results.load(tmp_path / "out")
    assert kept.seeds == list(range(120)) and kept.unused_lines == 0
    assert sorted((row.runs, row.missing) for row in rows(kept)) == [(40, 80)] * 3 + [(120, 0)] * 3


def strangers(name: str) -> list[bytes]:
    return [b"mine\n", b""] if name != "mistakes.png" else [b"mine\n"]


@pytest.mark.parametrize("name", ["curves.csv", "summary.csv", "mistakes.png"])
def test_files_of_others_are_not_replaced(tmp_path: Path, played: list[int], name: str) -> None:
    results = run(tmp_path / "mine")
    played.clear()
    for content in strangers(name):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(FileExistsError, match=rf"holds {name} .*choose another folder"):
            run(tmp_path)
        with pytest.raises(FileExistsError, match=rf"holds {name} of something else: choose another folder"):
            report.save(results, tmp_path)
        assert (tmp_path / name).read_bytes() == content
        assert {path.name for path in tmp_path.iterdir()} == {name, "mine"} and not played


def test_our_own_files_are_replaced(tmp_path: Path) -> None:
    results = run(tmp_path / "runs")
    for folder in (tmp_path / "runs", tmp_path / "plain"):
        first = [path.read_bytes() for path in report.save(results, folder)]
        assert [path.read_bytes() for path in report.save(results, folder)][:2] == first[:2]
    (tmp_path / "plain" / "curves.csv").write_bytes(b"learner,seed,round,mistakes\r\n")  # of an earlier version
    report.save(results, tmp_path / "plain")
    with pytest.raises(FileExistsError, match=r"holds curves\.csv, summary\.csv, mistakes\.png without settings\.json"):
        run(tmp_path / "plain")


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege")
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("begun", [False, True])
def test_nothing_is_written_through_a_link(tmp_path: Path, played: list[int], name: str, begun: bool) -> None:
    target, folder = tmp_path / "elsewhere", tmp_path / "out"
    results = run(tmp_path / "other")
    folder.mkdir()
    if begun:
        report.save(run(folder), folder)
        target.write_bytes((folder / name).read_bytes())
        (folder / name).unlink()
    before = target.read_bytes() if begun else None
    played.clear()
    (folder / name).symlink_to(target)
    for work in (lambda: run(folder), lambda: report.save(results, folder)):
        with pytest.raises(FileExistsError, match=rf"{name} is a link, and nothing is written through links"):
            work()
    assert (target.read_bytes() if target.exists() else None) == before and not played


def _pipe(path: Path) -> None:
    os.mkfifo(path)


@pytest.mark.skipif(os.name == "nt", reason="pipes of another kind")
@pytest.mark.parametrize("make", [_pipe, Path.mkdir])
@pytest.mark.parametrize("name", NAMES)
def test_what_is_no_plain_file_is_refused_before_any_work(
    name: str, make: Callable[[Path], None], tmp_path: Path, played: list[int]
) -> None:
    results = run(tmp_path / "out")
    played.clear()
    (tmp_path / "out" / name).unlink(missing_ok=True)
    make(tmp_path / "out" / name)
    works: list[Callable[[], object]] = [lambda: run(tmp_path / "out"), lambda: report.save(results, tmp_path / "out")]
    if name.endswith(("json", "jsonl")):
        works.append(lambda: Results.load(tmp_path / "out"))
    for work in works:
        with pytest.raises(FileExistsError, match=rf"{name} must be a file, got a (folder|pipe, socket or device): "):
            work()
    assert not played


@pytest.mark.skipif(os.name == "nt", reason="pipes of another kind")
def test_no_table_or_picture_replaces_a_pipe(tmp_path: Path) -> None:
    results = run(tmp_path / "out")
    os.mkfifo(tmp_path / "pipe.png")
    for write in (report.plot, report.write_curves, report.write_summary):
        with pytest.raises(FileExistsError, match=r"pipe.png must be a file, got a pipe"):
            write(results, tmp_path / "pipe.png")
    assert (tmp_path / "pipe.png").is_fifo()


@pytest.mark.parametrize("place", ["file", "file/below"])
def test_results_need_a_folder(place: str, tmp_path: Path, played: list[int]) -> None:
    results = run(tmp_path / "out")
    played.clear()
    (tmp_path / "file").write_text("precious", encoding="utf-8")
    with pytest.raises(NotADirectoryError, match=r"out must be a folder, there or new, got .*: .*file is no folder"):
        run(tmp_path / place)
    with pytest.raises(NotADirectoryError, match=r"folder must be a folder, there or new, got .*file is no folder"):
        report.save(results, tmp_path / place)
    assert not played and (tmp_path / "file").read_text(encoding="utf-8") == "precious"


def test_a_table_that_fails_leaves_the_one_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    results = run(tmp_path)
    report.save(results, tmp_path)
    before = (tmp_path / "curves.csv").read_bytes()
    odd = replace(results.runs[1], learner="\ud800")
    with pytest.raises(UnicodeEncodeError):
        report.write_curves(replace(results, runs=[results.runs[0], odd]), tmp_path / "curves.csv")
    assert (tmp_path / "curves.csv").read_bytes() == before
    assert not [path for path in tmp_path.iterdir() if "unfinished" in path.name]


def test_tables_end_their_lines_alike_everywhere(tmp_path: Path) -> None:
    *tables, _ = report.save(run(tmp_path), tmp_path)
    for table in tables:
        assert b"\r" not in table.read_bytes() and table.read_bytes().endswith(b"\n")


def test_pandas_reads_every_label_as_it_is(tmp_path: Path) -> None:
    labels = ["na", "Nan", "NA ", "a,b", 'say "x"', "#", " x", "none", "NULL?", "perceptron:bias=true", "-", "ö"]
    results = evaluate(dict.fromkeys(labels, "perceptron"), "KnownL2", seeds=1, rounds=2)
    curves, summary, _ = report.save(results, tmp_path)
    assert pandas.read_csv(curves)["learner"].unique().tolist() == labels
    assert pandas.read_csv(summary)["learner"].tolist() == labels


def test_a_label_that_pandas_would_lose_is_refused() -> None:
    from pandas._libs.parsers import STR_NA_VALUES

    class NA(Own):
        name = "NA"

        def __repr__(self) -> str:
            return "NA"

    for label in sorted(STR_NA_VALUES - {""}):
        with pytest.raises(ValueError, match="no learner can be called .* which pandas reads .* as a missing value"):
            evaluate({label: "perceptron"}, "KnownL2", seeds=1, rounds=2)
    with pytest.raises(ValueError, match="no learner can be called 'NA'"):
        evaluate([NA()], "KnownL2", seeds=1, rounds=2)


@pytest.mark.parametrize(("out", "kind"), [("", ValueError), ("a\0b", ValueError), (3, TypeError), (b"x", TypeError)])
def test_a_folder_is_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, out: Any, kind: type[Exception]) -> None:
    results = run(tmp_path / "out")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(kind, match="out must be "):
        evaluate(["perceptron"], "KnownL2", seeds=1, rounds=2, out=out)
    for work in (Results.load, lambda folder: report.save(results, folder)):
        with pytest.raises(kind, match="folder must be "):
            work(out)
    for write in (report.write_curves, report.write_summary):
        with pytest.raises(kind, match="path must be "):
            write(results, out)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_the_contestants_key_is_all_that_determines_its_runs(tmp_path: Path) -> None:
    run(tmp_path)
    (record,) = map(json.loads, (tmp_path / "learners.jsonl").read_text(encoding="utf-8").splitlines())
    assert record["label"] == "perceptron" and record["key"]["learner"] == "learners.strategic.perceptron.Perceptron"
    told = contestant("perceptron", scenario("KnownL2")).learner
    assert record["key"]["parameters"] == told.parameters  # type: ignore[union-attr]
    run(tmp_path)
    assert len((tmp_path / "learners.jsonl").read_text(encoding="utf-8").splitlines()) == 1, "once"


def test_the_command_reports_what_several_left(tmp_path: Path) -> None:
    def command(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "strategic_env", *arguments],
            cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, timeout=300,
        )  # fmt: skip

    evaluate({"mine": Own()}, "KnownL2", seeds=[7], rounds=ROUNDS, out=tmp_path / "out")
    played = command(
        "run", "KnownL2", "--rounds", str(ROUNDS), "--seeds", "2", "--learner", "perceptron", "--out", "out"
    )
    assert played.returncode == 0 and "over 2 seeds" in played.stdout, played.stderr
    with (tmp_path / "out" / "curves.csv").open(encoding="utf-8", newline="") as file:
        assert {(row["learner"], row["seed"]) for row in csv.DictReader(file)} == {
            ("mine", "7"), *((name, seed) for name in ("perceptron", "best-fixed-classifier") for seed in "01"),
        }  # fmt: skip
    with (tmp_path / "out" / "runs.jsonl").open("ab") as lines:
        lines.write(b"torn\n")
    (tmp_path / "out" / "curves.csv").write_text("somebody's notes", encoding="utf-8")
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    shown = command("report", "out", "--json")
    assert json.loads(shown.stdout)["seeds"] == [0, 1, 7] and shown.returncode == 0
    assert "not used: 1 line of the folder's files" in shown.stderr
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == before, "a report only reads"
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "curves.csv").write_text("precious", encoding="utf-8")
    refused = command("run", "KnownL2", "--out", "theirs")
    assert refused.returncode == 2 and len(refused.stderr.strip().splitlines()[-1:]) == 1
    assert "--out: theirs holds curves.csv" in refused.stderr and not refused.stdout
