"""Finished runs in a folder, so that an interrupted evaluation goes on where it stopped."""

import hashlib
import inspect
import json
import pickle
import sys
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

from agents.foundation.files import made_folder
from learners.policy import Policy
from strategic_env.bench import saved
from strategic_env.bench.contestants import Contestant, class_name, mistake_bound
from strategic_env.bench.encoding import finite, plain
from strategic_env.bench.playing import Run
from strategic_env.bench.versions import PACKAGES, project_digest
from strategic_env.games.shared.scenario import BenchScenario


class Archive:
    """The runs of one scenario in a folder, one JSON line each, under everything that determines them.

    Several processes may add to one folder at the same time: what they have in common is written before anything else,
    all that follows is lines at the end of a file.

    Parameters
    ----------
    folder : Path
        Made where it is missing.
    scenario : Scenario or MulticlassScenario
    rounds : int

    Attributes
    ----------
    unused : int
        Lines of the folder that are not as they were written, or hold what nobody can have played.

    Raises
    ------
    OSError
        If the folder cannot be made or written to, or holds links, or files of something else that results replace.
    ValueError
        If it holds results of another scenario, other options or rounds, or if the scenario cannot be pickled.
    """

    def __init__(self, folder: Path, scenario: BenchScenario, rounds: int) -> None:
        self._folder, self._scenario = folder, scenario
        self._settings = _settings(scenario, rounds)
        saved.refuse_strangers(made_folder("out", folder))
        if not saved.has_settings(folder):
            saved.save_settings(folder, scenario, rounds, self._settings["setting"])
        found = saved.read(folder)
        _refuse_others(folder, found, self._settings)
        for name in (saved.LEARNERS_FILE, saved.RUNS_FILE):
            saved.end_last_line(folder / name)
        self._learners, self._runs, self.unused = found.learners, found.runs, found.unused

    def declare(self, contestant: Contestant) -> dict[str, Any] | None:
        """Note who begins to play, and return the key of its runs: everything that determines them but the seed.

        A learner is known by its class and its parameters, another object that predicts by all that it holds; and both
        by their source (`source_digest`), together with whom they meet. None where that cannot be told: then nothing is
        kept.
        """
        key = self.key(contestant)
        if key is not None:
            record = _record(contestant, self._scenario, key)
            if saved.contestant_of(record) != self._learners.get(contestant.label):
                saved.append(self._folder / saved.LEARNERS_FILE, record)
        return key

    def key(self, contestant: Contestant) -> dict[str, Any] | None:
        """Return the key of a contestant's runs."""
        learner, setting = contestant.learner, self._scenario.setting
        known: dict[str, object] = {"learner": class_name(learner)}
        try:
            known["source"] = source_digest(
                type(learner), getattr(learner, "state_class", object), *map(type, _parts(setting))
            )
            if isinstance(learner, Policy):
                known["parameters"] = plain(learner.parameters)
            else:
                known["content"] = _digest(pickle.dumps(learner, protocol=4))
        except Exception:  # pickling runs any code, and a class may have no source
            return None
        return self._settings | known

    def find(self, key: dict[str, Any] | None, seed: int, label: str) -> Run | None:
        """Return a finished run, if there is one, under the label that its learner has now."""
        run = None if key is None else self._runs.get((saved.key_text(key), seed))
        return None if run is None or run.error is not None else replace(run, learner=label)

    def add(self, key: dict[str, Any] | None, run: Run) -> None:
        """Save a run."""
        if key is not None:
            values = {name: value for name, value in asdict(run).items() if name in saved.RUN_FIELDS}
            record = {"key": key, "seed": run.seed, "versions": run.versions, "run": values}
            saved.append(self._folder / saved.RUNS_FILE, record)


def _record(contestant: Contestant, scenario: BenchScenario, key: dict[str, Any]) -> dict[str, object]:
    """Return what a folder keeps of a contestant; a learner of anybody's may fail in any way, and play nevertheless."""
    bounds: list[float | None] = [None, None]
    failure = None
    try:
        bounds = [finite(mistake_bound(contestant.learner, scenario, printed=printed)) for printed in (False, True)]
    except Exception as error:
        failure = f"{type(error).__name__}: {error}"
    return {
        "label": contestant.label,
        "name": contestant.name,
        "parameters": plain(contestant.parameters),
        "bound": plain(bounds[0]),
        "printed_bound": plain(bounds[1]),
        "bound_failure": failure,
        "key": key,
    }


def _settings(scenario: BenchScenario, rounds: int) -> dict[str, Any]:
    """Return what all runs of a folder have in common."""
    try:
        content = pickle.dumps(_parts(scenario.setting), protocol=4)
    except Exception as error:  # pickling runs any code
        raise ValueError(f"results can be kept only of a setting that can be pickled: {saved.reason(error)}") from error
    return {
        "scenario": scenario.name,
        "options": plain(scenario.options),
        "rounds": rounds,
        "setting": _digest(content),
    }


def _parts(setting: Any) -> list[Any]:
    """Return what a setting is made of, without what it has computed of that."""
    return [getattr(setting, field.name) for field in fields(setting)]


def _refuse_others(folder: Path, found: saved.Saved, settings: dict[str, Any]) -> None:
    """Refuse a folder with results of something else, which the new table and picture would replace."""
    there = {"scenario": found.scenario.name, "options": found.scenario.options, "rounds": found.rounds}
    different = [
        f"{name} {json.dumps(value)} instead of {json.dumps(settings[name])}"
        for name, value in there.items()
        if value != settings[name]
    ]
    if not different and found.setting != settings["setting"]:
        different = ["another population, cost or individual, or another version of them"]
    if different:
        raise ValueError(f"{folder} holds results of something else: {', '.join(different)}")


def source_digest(*classes: type) -> str:
    """Return a hash of this project's sources, and of every other module that a class or a base of it is defined in.

    What these modules import is not looked at. A class that was typed into a notebook has no module but itself.

    Raises
    ------
    OSError, TypeError
        If a class has no source.
    """
    bases = {base for one in classes for base in one.__mro__ if base.__module__ != "builtins"}
    others = {_digest(_written(base)) for base in bases if base.__module__.partition(".")[0] not in PACKAGES}
    return _digest("".join([project_digest(), *sorted(others)]).encode())


def _written(kind: type) -> bytes:
    """Return what a class is written in: its module's file, if it has one."""
    file = getattr(sys.modules.get(kind.__module__), "__file__", None)
    return Path(file).read_bytes() if file else inspect.getsource(kind).encode()


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
