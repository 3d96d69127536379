"""What a folder keeps of an evaluation: its scenario, learners and runs, read without trust and building nothing."""

import json
import os
import sys
import zlib
from collections.abc import Callable, Iterator
from dataclasses import asdict, astuple, dataclass, field, fields, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Self

from agents.foundation.checks import LARGEST_COUNT, count
from agents.foundation.files import begins_with, refuse_links, refuse_special, replacing
from strategic_env.bench.contestants import Contestant, SavedLearner, class_name
from strategic_env.bench.encoding import plain
from strategic_env.bench.playing import Run, checkpoints_of
from strategic_env.games.shared.columns import Column
from strategic_env.games.shared.scenario import BenchScenario

SETTINGS_FILE, LEARNERS_FILE, RUNS_FILE = "settings.json", "learners.jsonl", "runs.jsonl"
CURVES, SUMMARY, PICTURE = "curves.csv", "summary.csv", "mistakes.png"
# How our tables begin, in every version.
BEGINNINGS = {CURVES: b"learner,seed,", SUMMARY: b"learner,mistakes_mean,"}
# What a file may raise that holds anything at all: no JSON, no UTF-8, other kinds than expected, endless brackets.
MALFORMED = (ValueError, TypeError, KeyError, AttributeError, RecursionError)
LONGEST = 1e9  # seconds of a run: thirty years
ROUNDING = 1.0 + 1e-9  # of costs
# What says nothing about the run itself stands beside it.
RUN_FIELDS = {one.name for one in fields(Run)} - {"learner", "seed", "versions"}


@dataclass(frozen=True)
class SavedScenario:
    """What a folder keeps of a scenario: enough for tables and pictures, not to play.

    Attributes
    ----------
    name, options, game, reference
        As those of a scenario (`strategic_env.games.shared.scenario.BenchScenario`).
    no_bound : str
        Why no contestant has a bound, if none has.
    loss_is_mistakes : bool
        Whether the reward is known to be minus the mistake.
    columns : dict of str to dict
        What runs count besides mistakes and losses, and how much of it there is at most (`BenchScenario.limits`).
    table : list of Column
        What tables show of that.
    groups : list of str
        The groups that are told apart.
    group_table : list of Column
        What tables show of each.
    """

    name: str
    options: dict[str, object]
    game: str
    reference: str | None
    no_bound: str
    loss_is_mistakes: bool
    columns: dict[str, dict[str, float]]
    table: list[Column]
    groups: list[str] = field(default_factory=list)
    group_table: list[Column] = field(default_factory=list)

    @classmethod
    def of(cls, scenario: BenchScenario) -> Self:
        """Return what is to be kept of a scenario."""
        return cls(
            scenario.name,
            dict(plain(scenario.options)),  # type: ignore[call-overload]
            scenario.game,
            scenario.reference,
            scenario.why_no_bound(),
            # Another class may pay otherwise.
            vars(type(scenario)).get("loss_is_mistakes", False),
            scenario.limits(),
            list(scenario.table),
            list(scenario.groups),
            list(scenario.group_table) if scenario.groups else [],
        )

    def __post_init__(self) -> None:
        """Check what was read."""
        texts = (self.name, self.game, self.no_bound, self.reference or "")
        if not (
            all(isinstance(text, str) for text in texts)
            and type(self.loss_is_mistakes) is bool
            and isinstance(self.options, dict)
            and all(_number(times) for limits in self.columns.values() for times in limits.values())
            and all(isinstance(text, str) for column in (*self.table, *self.group_table) for text in astuple(column))
            and all(isinstance(group, str) for group in self.groups)
        ):
            raise ValueError("its scenario is none that we saved")

    def why_no_bound(self) -> str:
        """Say why no contestant has a bound on its mistakes."""
        return self.no_bound


@dataclass(frozen=True)
class Saved:
    """What a folder holds.

    Attributes
    ----------
    scenario : SavedScenario
    rounds : int
    setting : str
        A hash of what is played.
    checkpoints : list of int
    learners : dict of str to (Contestant, str)
        By label, in the order in which they came: what is known of each, and the key of its runs.
    runs : dict of (str, int) to Run
        By key and seed: the finished one or, where there is none, the last that failed.
    unused : int
        Lines that hold nothing that can have been written by us.
    """

    scenario: SavedScenario
    rounds: int
    setting: str
    checkpoints: list[int]
    learners: dict[str, tuple[Contestant, str]] = field(default_factory=dict)
    runs: dict[tuple[str, int], Run] = field(default_factory=dict)
    unused: int = 0


def save_settings(folder: Path, scenario: BenchScenario, rounds: int, setting: str) -> None:
    """Write what all runs of a folder have in common."""
    settings = {"rounds": rounds, "setting": setting, "scenario": asdict(SavedScenario.of(scenario))}
    with replacing(folder / SETTINGS_FILE) as unfinished:
        unfinished.write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")


def read(folder: Path) -> Saved:
    """Return what a folder holds.

    Raises
    ------
    OSError
        If there is no such folder, or no settings file in it, or something is no file or cannot be read.
    ValueError
        If the settings are damaged or of something else.
    """
    refuse_special(folder / name for name in (SETTINGS_FILE, LEARNERS_FILE, RUNS_FILE))
    said = _settings(folder)
    try:
        rounds, scenario = count("rounds", said["rounds"], minimum=1, maximum=LARGEST_COUNT), said["scenario"]
        if not isinstance(scenario, dict) or "table" not in scenario:
            raise ValueError("it is of an earlier version: choose another folder, and play again")
        tables = {name: [Column(**one) for one in scenario.get(name, [])] for name in ("table", "group_table")}
        scenario = SavedScenario(**scenario | tables)
        saved = Saved(scenario, rounds, str(said["setting"]), checkpoints_of(rounds))
    except MALFORMED as error:
        raise ValueError(f"{SETTINGS_FILE} cannot be used: {reason(error)}") from error

    def keep_learner(record: dict[str, Any]) -> None:
        one, key = contestant_of(record)
        saved.learners[one.label] = one, key  # in the place where its label came first

    def keep_run(record: dict[str, Any]) -> None:
        run = Run("", record["seed"], **record["run"], versions=dict(record.get("versions", {})))
        if record["run"].keys() != RUN_FIELDS or not plausible(run, saved):
            raise ValueError("no run that can be")
        place = key_text(record["key"]), run.seed
        if run.error is None or place not in saved.runs or saved.runs[place].error is not None:
            saved.runs[place] = run

    unused = _each(folder / LEARNERS_FILE, keep_learner) + _each(folder / RUNS_FILE, keep_run)
    return replace(saved, unused=unused)


def _settings(folder: Path) -> dict[str, Any]:
    try:
        said = json.loads(_written(folder))
        missing = {"scenario", "rounds", "setting"} - said.keys()
    except MALFORMED as error:
        raise ValueError(f"{SETTINGS_FILE} is damaged: {reason(error)}") from error
    if missing:
        raise ValueError(f"{SETTINGS_FILE} lacks {', '.join(sorted(missing))}")
    return dict(said)


def _written(folder: Path) -> bytes:
    """Return the settings file of a folder, where there is one."""
    try:
        return (folder / SETTINGS_FILE).read_bytes()
    except (FileNotFoundError, NotADirectoryError) as error:
        lacking = f"it holds no {SETTINGS_FILE}" if folder.is_dir() else "there is no such folder"
        raise type(error)(f"no results are kept in {folder}: {lacking}") from error


def contestant_of(record: dict[str, Any]) -> tuple[Contestant, str]:
    """Return a contestant as it was saved, and the key of its runs as text; nothing of it is built."""
    key, failure, label, name = (record[entry] for entry in ("key", "bound_failure", "label", "name"))
    bounds = record["bound"], record["printed_bound"]
    if not all(isinstance(text, str) for text in (key["learner"], failure or "", label, name)):
        raise TypeError("names must be text")
    if not all(bound is None or _number(bound) for bound in bounds):
        raise TypeError("bounds must be numbers")
    learner = SavedLearner(key["learner"], dict(key.get("parameters", {})), *bounds, failure)
    played = None if learner.kind == class_name(None) else learner
    return Contestant(label, name, dict(record["parameters"]), played), key_text(key)


def plausible(run: Run, saved: Saved) -> bool:
    """Tell whether a run that was read can be one that was played: finished, or failed on the way."""
    scenario, curve, marks = saved.scenario, run.curve, saved.checkpoints[: len(run.curve)]
    numbers = run.columns | {"mistakes": run.mistakes, "rounds": saved.rounds}
    counts = [run.seed, run.mistakes, *curve, *(run.columns[name] for name in _whole(scenario))]
    growths = zip(pairwise([0, *curve]), pairwise([0, *marks]), strict=False)
    return (
        all(type(number) is int and number >= 0 for number in counts)
        and _number(run.loss)
        and run.columns.keys() == scenario.columns.keys()
        and all(_number(amount) and amount >= 0.0 for amount in (*run.columns.values(), run.cpu_seconds))
        and type(run.fused) is bool
        and all(isinstance(text, str) for text in (*run.versions, *run.versions.values()))
        and type(run.error) in (str, type(None))
        and run.mistakes <= saved.rounds
        and len(curve) == len(marks)
        and all(0 <= later - now <= then - before for (now, later), (before, then) in growths)
        and (run.error is not None or (len(curve) == len(saved.checkpoints) and curve[-1] == run.mistakes))
        and (run.loss == run.mistakes or not scenario.loss_is_mistakes)
        and all(
            run.columns[name] <= numbers[other] * times * ROUNDING
            for name, limits in scenario.columns.items()
            for other, times in limits.items()
        )
        and run.cpu_seconds <= LONGEST
    )


def _whole(scenario: SavedScenario) -> list[str]:
    """Return what counts rounds."""
    return [name for name, limits in scenario.columns.items() if "rounds" in limits]


def _number(value: object) -> bool:
    """Whether a value is a number that float64 can hold; True, NaN and infinity are none."""
    return isinstance(value, int | float) and type(value) is not bool and abs(value) <= sys.float_info.max


def key_text(key: object) -> str:
    """Return a key as text, the same whatever the order of its entries."""
    return json.dumps(key, sort_keys=True)


def append(path: Path, record: dict[str, object]) -> None:
    """Write a record at the end of a file to which other processes write at the same time."""
    line = (json.dumps(record | {"check": _check(record)}) + "\n").encode()
    # All in one write, between which lines of others cannot come.
    with path.open("ab", buffering=len(line) + 1) as file:
        file.write(line)


def end_last_line(path: Path) -> None:
    """End a line that somebody who was killed left unfinished."""
    with path.open("ab+") as file:
        if file.tell() > 0:
            file.seek(-1, os.SEEK_END)
            if file.read() != b"\n":
                file.write(b"\n")


def _each(path: Path, keep: Callable[[dict[str, Any]], None]) -> int:
    """Hand on every record of a file that is as it was written, and return how many lines are none."""
    unused = 0
    for line in _lines(path):
        try:
            record = json.loads(line)
            if record.pop("check") != _check(record):
                raise ValueError("changed")
            keep(record)
        except MALFORMED:
            unused += 1
    return unused


def _lines(path: Path) -> Iterator[bytes]:
    """Yield the lines that are there, not one at the end that somebody may still be writing."""
    if path.exists():
        yield from filter(bytes.strip, path.read_bytes().split(b"\n")[:-1])


def _check(record: dict[str, object]) -> int:
    """Return a sum that tells a changed line, not a forged one."""
    return zlib.crc32(json.dumps(record).encode())


def has_settings(folder: Path) -> bool:
    """Tell whether somebody keeps results in a folder.

    Raises
    ------
    FileExistsError
        If nobody does, and there are files that results would replace.
    """
    # In this order, for another process may be about to begin: it writes its settings first.
    there = [name for name in (LEARNERS_FILE, RUNS_FILE, CURVES, SUMMARY, PICTURE) if (folder / name).exists()]
    claimed = (folder / SETTINGS_FILE).exists()
    if there and not claimed:
        raise FileExistsError(f"{folder} holds {', '.join(there)} without {SETTINGS_FILE}: choose another folder")
    return claimed


def refuse_strangers(folder: Path) -> None:
    """Make sure that files which results would replace are tables and a picture of ours, and no links.

    Raises
    ------
    FileExistsError
        If they are not.
    """
    refuse_links(folder / name for name in (SETTINGS_FILE, LEARNERS_FILE, RUNS_FILE, CURVES, SUMMARY, PICTURE))
    there = {name: beginning for name, beginning in BEGINNINGS.items() if (folder / name).exists()}
    strange = [name for name, beginning in there.items() if not begins_with(folder / name, beginning)]
    if (folder / PICTURE).exists() and not any((folder / name).exists() for name in (SETTINGS_FILE, CURVES)):
        strange.append(PICTURE)
    if strange:
        raise FileExistsError(f"{folder} holds {', '.join(strange)} of something else: choose another folder")


def reason(error: BaseException) -> str:
    """Say what is wrong in one line: a KeyError says a name only."""
    text = " ".join(str(error).split())
    return f"no {text}" if isinstance(error, KeyError) else text or type(error).__name__
