"""Finished runs in a folder, so that an interrupted evaluation goes on where it stopped."""

import hashlib
import inspect
import json
import math
import os
import pickle
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, fields, replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from agents.checks import count
from agents.files import replacing
from learners.policy import Policy
from strategic_env.bench_scenario import BenchScenario
from strategic_env.contestants import Contestant, check_labels, checked_label, contestant
from strategic_env.encoding import plain
from strategic_env.playing import Run, seed_numbers
from strategic_env.scenarios import scenario as named_scenario

RUNS_FILE = "runs.jsonl"
SETTINGS_FILE = "settings.json"
PACKAGES = ("agents", "learners", "strategic_env")
# What a file may raise that holds anything at all: no JSON, no UTF-8, other kinds than expected, endless brackets.
MALFORMED = (ValueError, TypeError, KeyError, AttributeError, RecursionError)


class Archive:
    """The runs of one scenario in a folder, one JSON line each, under everything that determines them.

    Parameters
    ----------
    folder : Path
        Made where it is missing.
    scenario : Scenario or MulticlassScenario
    rounds : int

    Raises
    ------
    OSError
        If the folder cannot be made or written to.
    ValueError
        If it holds results of another scenario, other options or rounds, or if the scenario cannot be pickled.
    """

    def __init__(self, folder: Path, scenario: BenchScenario, rounds: int) -> None:
        self._folder = folder
        self._setting = scenario.setting
        self._settings = _settings(scenario, rounds)
        folder.mkdir(parents=True, exist_ok=True)
        if (folder / SETTINGS_FILE).exists():
            _refuse_others(folder, self._settings)
        with (folder / RUNS_FILE).open("ab+") as file:
            if file.tell() > 0:
                file.seek(-1, os.SEEK_END)
                if file.read() != b"\n":
                    file.write(b"\n")  # after a line that an interrupted run left unfinished
        self._runs = dict(_saved_runs(folder / RUNS_FILE, rounds))

    def save_settings(self, contestants: Sequence[Contestant], seeds: Sequence[int]) -> None:
        """Save what `load_settings` needs, at once or not at all."""
        learners = [
            {"label": one.label, "name": one.name, "parameters": plain(one.parameters), "class": _class_name(one)}
            for one in contestants
        ]
        settings = self._settings | {"seeds": list(seeds), "learners": learners}
        with replacing(self._folder / SETTINGS_FILE) as unfinished:
            unfinished.write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")

    def key(self, contestant: Contestant, seed: int) -> str | None:
        """Return everything that determines a run, before it begins; None where that cannot be told.

        A learner is known by its class and its parameters, another object that predicts by all that it holds; and both
        by their source (`_source`), together with whom they meet.
        """
        learner, setting = contestant.learner, self._setting
        known: dict[str, object] = {"learner": _class_name(contestant), "seed": seed}
        try:
            known["source"] = _source(
                type(learner), getattr(learner, "state_class", object), *map(type, _parts(setting))
            )
            if isinstance(learner, Policy):
                known["parameters"] = plain(learner.parameters)
            else:
                known["content"] = _digest(pickle.dumps(learner, protocol=4))
        except Exception:  # pickling runs any code, and a class may have no source
            return None
        return json.dumps(self._settings | known, sort_keys=True)

    def find(self, key: str | None, label: str, checkpoints: Sequence[int]) -> Run | None:
        """Return a finished run, if there is one, under the label that its learner has now."""
        run = None if key is None else self._runs.get(key)
        return replace(run, learner=label) if run is not None and len(run.curve) == len(checkpoints) else None

    def add(self, key: str | None, run: Run) -> None:
        """Save a run."""
        if key is not None:
            with (self._folder / RUNS_FILE).open("a", encoding="utf-8") as file:
                file.write(json.dumps({"key": key, "run": asdict(run)}) + "\n")


def load_settings(folder: Path) -> tuple[BenchScenario, list[Contestant], list[int], int]:
    """Return the scenario, contestants, seeds and rounds of the results in a folder.

    Raises
    ------
    OSError, ValueError
        If it holds none, or results of a scenario or learner that the command line cannot build.
    """
    saved = _saved_settings(folder)
    try:
        chosen = named_scenario(saved["scenario"], **saved["options"])
        seeds, rounds = seed_numbers(list(saved["seeds"])), count("rounds", saved["rounds"], minimum=1)
        chosen = chosen.lasting(rounds)
        contestants = [_rebuilt(one, chosen) for one in saved["learners"]]
        check_labels(contestants)
    except MALFORMED as error:
        raise ValueError(f"{SETTINGS_FILE} cannot be used: {_reason(error)}") from error
    _refuse_others(folder, _settings(chosen, rounds))
    return chosen, contestants, seeds, rounds


def _settings(scenario: BenchScenario, rounds: int) -> dict[str, Any]:
    """Return what all runs of a folder have in common."""
    try:
        content = pickle.dumps(_parts(scenario.setting), protocol=4)
    except Exception as error:  # pickling runs any code
        raise ValueError(f"results can be kept only of a setting that can be pickled: {_reason(error)}") from error
    return {
        "scenario": scenario.name,
        "options": plain(scenario.options),
        "rounds": rounds,
        "setting": _digest(content),
    }


def _parts(setting: Any) -> list[Any]:
    """Return what a setting is made of, without what it has computed of that."""
    return [getattr(setting, field.name) for field in fields(setting)]


def _saved_settings(folder: Path) -> dict[str, Any]:
    try:
        saved = json.loads((folder / SETTINGS_FILE).read_bytes())
        missing = {"scenario", "options", "rounds", "setting", "seeds", "learners"} - saved.keys()
    except MALFORMED as error:
        raise ValueError(f"{SETTINGS_FILE} is damaged: {_reason(error)}") from error
    if missing:
        raise ValueError(f"{SETTINGS_FILE} lacks {', '.join(sorted(missing))}")
    return dict(saved)


def _refuse_others(folder: Path, settings: dict[str, Any]) -> None:
    """Refuse a folder with results of something else, which the new table and picture would replace."""
    saved = _saved_settings(folder)
    different = [
        f"{name} {json.dumps(saved[name])} instead of {json.dumps(settings[name])}"
        for name in ("scenario", "options", "rounds")
        if saved[name] != settings[name]
    ]
    if not different and saved["setting"] != settings["setting"]:
        different = ["another population, cost or individual, or another version of them"]
    if different:
        raise ValueError(f"{folder} holds results of something else: {', '.join(different)}")


def _rebuilt(saved: dict[str, Any], scenario: BenchScenario) -> Contestant:
    one = contestant(str(saved["name"]), scenario, **saved["parameters"])
    if _class_name(one) != saved["class"]:
        raise ValueError(f"the command line has no learner {saved['class']}")
    return replace(one, label=checked_label(saved["label"]))


def _class_name(contestant: Contestant) -> str:
    if contestant.learner is None:
        return "reference"
    kind = type(contestant.learner)
    return f"{kind.__module__}.{kind.__qualname__}"


def _saved_runs(path: Path, rounds: int) -> Iterator[tuple[str, Run]]:
    """Yield every finished run with its key, from the lines that can be trusted."""
    for line in path.read_bytes().split(b"\n"):
        try:
            record = json.loads(line)
            key, values = record["key"], record["run"]
            if values.keys() == {field.name for field in fields(Run)} and _plausible(run := Run(**values), rounds):
                yield str(key), run
        except MALFORMED:
            continue


def _plausible(run: Run, rounds: int) -> bool:
    """Tell whether a run read from a file can be one that finished."""
    counts = [run.seed, run.mistakes, run.manipulations, run.qualified, *run.curve]
    amounts = [run.loss, run.qualified_cost, run.cpu_seconds]
    return (
        isinstance(run.learner, str)
        and run.error is None
        and all(type(number) is int and number >= 0 for number in counts)
        and all(type(number) in (int, float) and 0.0 <= number < math.inf for number in amounts)
        and max(run.mistakes, run.manipulations, run.qualified) <= rounds
        and list(run.curve) == sorted(run.curve)
        and run.curve[-1:] == [run.mistakes]
    )


def _source(*classes: type) -> str:
    """Return a hash of this project's sources, and of every other module that a class or a base of it is defined in.

    What these modules import is not looked at. A class that was typed into a notebook has no module but itself.

    Raises
    ------
    OSError, TypeError
        If a class has no source.
    """
    bases = {base for one in classes for base in one.__mro__ if base.__module__ != "builtins"}
    others = {_digest(_written(base)) for base in bases if base.__module__.partition(".")[0] not in PACKAGES}
    return _digest("".join([_project(), *sorted(others)]).encode())


def _written(kind: type) -> bytes:
    """Return what a class is written in: its module's file, if it has one."""
    file = getattr(sys.modules.get(kind.__module__), "__file__", None)
    return Path(file).read_bytes() if file else inspect.getsource(kind).encode()


@cache
def _project() -> str:
    """Return a hash of the sources of this project: a change anywhere may change a result."""
    specs = [find_spec(package) for package in PACKAGES]
    folders = [Path(folder) for spec in specs if spec for folder in spec.submodule_search_locations or ()]
    sources = [path for folder in folders for path in sorted(folder.rglob("*.py"))]
    return _digest("".join(_digest(path.read_bytes()) for path in sources).encode())


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _reason(error: BaseException) -> str:
    """Say what is wrong in one line: a KeyError says a name only."""
    text = " ".join(str(error).split())
    return f"no {text}" if isinstance(error, KeyError) else text or type(error).__name__
