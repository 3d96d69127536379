"""The bench: learners x seeds on a scenario, saved as they finish and resumed where they stopped."""

import json
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from agents.checks import count
from learners.base import Learner
from learners.catalogue import LEARNERS, build
from learners.fixed import BestFixedClassifier
from strategic_env.scenarios import Scenario
from strategic_env.scenarios import scenario as named_scenario

AnyLearner: TypeAlias = Learner[Any]
MOST_CHECKPOINTS = 1000
RUNS_FILE = "runs.jsonl"
SETTINGS_FILE = "settings.json"


@dataclass(frozen=True)
class Contestant:
    """A learner under the label that tables and plots show.

    Attributes
    ----------
    label : str
        Its name, with the parameters that were given explicitly.
    name : str
    parameters : dict
        The explicit parameters.
    learner : Learner or None
        None for the reference, which is built from each run's true points.
    """

    label: str
    name: str
    parameters: dict[str, object]
    learner: AnyLearner | None


@dataclass(frozen=True)
class Run:
    """One learner on one seed.

    Attributes
    ----------
    learner : str
        The contestant's label.
    seed : int
    mistakes, manipulations : int
        Over all rounds.
    loss : float
        Minus the sum of rewards.
    qualified : int
        Arrivals whose true label is +1.
    qualified_cost : float
        What they paid for manipulation, in total.
    curve : list of int
        Mistakes up to each of the results' checkpoints.
    cpu_seconds : float
    error : str or None
        What went wrong; the numbers then count what happened before.
    """

    learner: str
    seed: int
    mistakes: int = 0
    manipulations: int = 0
    loss: float = 0.0
    qualified: int = 0
    qualified_cost: float = 0.0
    curve: list[int] = field(default_factory=list)
    cpu_seconds: float = 0.0
    error: str | None = None


@dataclass(frozen=True)
class Results:
    """What `evaluate` returns.

    Attributes
    ----------
    scenario : Scenario
    rounds : int
    seeds : list of int
    checkpoints : list of int
        The rounds at which curves are kept: every one up to 1,000, else 1,000 evenly spaced ones.
    contestants : list of Contestant
    runs : list of Run
        Grouped by contestant, then by seed.
    """

    scenario: Scenario
    rounds: int
    seeds: list[int]
    checkpoints: list[int]
    contestants: list[Contestant]
    runs: list[Run]

    def of(self, contestant: Contestant) -> list[Run]:
        """Return the runs of one contestant, by seed."""
        return [run for run in self.runs if run.learner == contestant.label]

    def bound(self, contestant: Contestant, *, printed: bool = False) -> float | None:
        """Return the theorem's bound on a contestant's mistakes; None where its assumptions fail."""
        truth, setting = self.scenario.truth, self.scenario.setting
        if truth is None or contestant.learner is None or setting.feedback != "full":
            return None
        return contestant.learner.bound(truth, printed=printed)


def evaluate(
    learners: Iterable[str | AnyLearner | Contestant] | None,
    scenario: str | Scenario,
    seeds: int | Sequence[int] = 10,
    rounds: int | None = None,
    *,
    out: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> Results:
    """Run learners on a scenario.

    Parameters
    ----------
    learners : iterable of str, Learner or Contestant, optional
        Names (`learners.catalogue.LEARNERS`) or learners; by default every one that the scenario tells enough.
    scenario : str or Scenario
        What they meet.
    seeds : int or sequence of int
        How many seeds (0, 1, ...), or which; every learner meets the same individuals under the same seed.
    rounds : int, optional
        Rounds per run; the scenario's horizon by default.
    out : path, optional
        Folder that each run is saved in as it finishes; runs found there with the same settings are not repeated.
    progress : callable, optional
        Called with the label of each run that ends.

    Returns
    -------
    Results

    Raises
    ------
    ValueError
        If a named learner is told too little by the scenario, before any run.
    """
    chosen = named_scenario(scenario) if isinstance(scenario, str) else scenario
    length = chosen.horizon if rounds is None else count("rounds", rounds, minimum=1)
    numbers = _seeds(seeds)
    contestants = all_contestants(chosen)[0] if learners is None else [contestant(one, chosen) for one in learners]
    check_labels(contestants)
    checkpoints = sorted({round(step) for step in np.linspace(1, length, min(length, MOST_CHECKPOINTS))})
    archive = _Archive(None if out is None else Path(out), chosen, length)
    archive.save_settings(contestants, numbers)
    runs = []
    for one in contestants:
        for seed in numbers:
            run = archive.find(one, seed)
            if run is None:
                run = play(one, chosen, seed, length, checkpoints)
                archive.add(one, run)
            runs.append(run)
            if progress is not None:
                progress(one.label)
    return Results(chosen, length, numbers, checkpoints, contestants, runs)


def contestant(learner: str | AnyLearner | Contestant, scenario: Scenario, **parameters: object) -> Contestant:
    """Return a learner, or a named one built from what the scenario tells, ready to take part.

    Raises
    ------
    ValueError
        As `learners.catalogue.build`.
    """
    if isinstance(learner, Contestant):
        return learner
    if isinstance(learner, Learner):
        return Contestant(repr(learner), learner.name, learner.parameters, learner)
    shown = ",".join(f"{key}={json.dumps(value)}" for key, value in parameters.items())
    label = f"{learner}:{shown}" if shown else learner
    if learner == BestFixedClassifier.name and not parameters:
        return Contestant(label, learner, {}, None)
    return Contestant(label, learner, parameters, build(learner, scenario.knowledge, **parameters))


def all_contestants(scenario: Scenario) -> tuple[list[Contestant], list[str]]:
    """Return every learner that the scenario tells enough, and why the others are skipped."""
    chosen, skipped = [], []
    for name in LEARNERS:
        try:
            chosen.append(contestant(name, scenario))
        except ValueError as error:
            skipped.append(str(error))
    return chosen, skipped


def check_labels(contestants: Sequence[Contestant]) -> None:
    """Make sure that results can tell the contestants apart.

    Raises
    ------
    ValueError
        If two have the same label, or there are none.
    """
    labels = [one.label for one in contestants]
    if not labels:
        raise ValueError("learners must hold at least one learner, got none")
    for label in labels:
        if labels.count(label) > 1:
            raise ValueError(f"learners must differ, got {label!r} {labels.count(label)} times")


def load_settings(folder: Path) -> tuple[Scenario, list[Contestant], list[int], int]:
    """Return the scenario, contestants, seeds and rounds of the results in a folder.

    Raises
    ------
    OSError, ValueError
        If it holds none, or a learner that has no name on the command line.
    """
    settings = json.loads((folder / SETTINGS_FILE).read_text(encoding="utf-8"))
    chosen = named_scenario(settings["scenario"], **settings["options"])
    contestants = [contestant(one["name"], chosen, **one["parameters"]) for one in settings["learners"]]
    return chosen, contestants, settings["seeds"], settings["rounds"]


def play(contestant: Contestant, scenario: Scenario, seed: int, rounds: int, checkpoints: Sequence[int]) -> Run:
    """Let one contestant play ``rounds`` rounds with one seed; an error ends the run and is noted in it."""
    tally = _Tally(contestant.label, seed, checkpoints)
    start = time.process_time()
    try:
        _play(contestant, scenario, seed, rounds, tally)
    except Exception as error:  # a learner may fail in any way; the other runs must not be lost
        return tally.run(time.process_time() - start, f"{type(error).__name__}: {error}")
    return tally.run(time.process_time() - start, None)


def _play(contestant: Contestant, scenario: Scenario, seed: int, rounds: int, tally: "_Tally") -> None:
    env = replace(scenario, horizon=rounds).make()
    observation, _ = env.reset(seed=seed)
    learner = contestant.learner
    if learner is None:
        learner = BestFixedClassifier.from_points(*env.true_points(rounds), scenario.setting.cost)
    state = None
    for _ in range(rounds):
        action, state = learner.predict(observation, state)
        observation, reward, _, _, info = env.step(action)
        tally.count(float(reward), info)


class _Tally:
    """Counts one run."""

    def __init__(self, label: str, seed: int, checkpoints: Sequence[int]) -> None:
        self._label, self._seed = label, seed
        self._checkpoints = set(checkpoints)
        self._rounds = self._mistakes = self._manipulations = self._qualified = 0
        self._loss = self._qualified_cost = 0.0
        self._curve: list[int] = []

    def count(self, reward: float, info: dict[str, object]) -> None:
        """Count one round."""
        self._rounds += 1
        self._mistakes += bool(info["mistake"])
        self._manipulations += bool(info["moved"])
        self._loss -= reward
        if info["true_label"] == 1.0:
            self._qualified += 1
            self._qualified_cost += float(info["cost"])  # type: ignore[arg-type]
        if self._rounds in self._checkpoints:
            self._curve.append(self._mistakes)

    def run(self, cpu_seconds: float, error: str | None) -> Run:
        """Return what was counted."""
        return Run(
            self._label,
            self._seed,
            self._mistakes,
            self._manipulations,
            self._loss,
            self._qualified,
            self._qualified_cost,
            self._curve,
            cpu_seconds,
            error,
        )


class _Archive:
    """Finished runs in a folder, one JSON line each, under the settings that determine them."""

    def __init__(self, folder: Path | None, scenario: Scenario, rounds: int) -> None:
        self._path = None if folder is None else folder / RUNS_FILE
        self._settings = {"scenario": scenario.name, "options": scenario.options, "rounds": rounds}
        self._runs: dict[str, Run] = {}
        if self._path is not None and self._path.exists():
            self._read(self._path)

    def _read(self, path: Path) -> None:
        for line in path.read_text(encoding="utf-8").splitlines():
            try:
                record = json.loads(line)
            except json.JSONDecodeError:
                continue  # a line that an interrupted run left unfinished
            self._runs[record["key"]] = Run(**record["run"])

    def _key(self, contestant: Contestant, seed: int) -> str:
        parameters = contestant.learner.parameters if contestant.learner is not None else {}
        return json.dumps(self._settings | {"learner": contestant.name, "parameters": parameters, "seed": seed})

    def save_settings(self, contestants: Sequence[Contestant], seeds: list[int]) -> None:
        """Save what `load_settings` needs."""
        if self._path is None:
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        learners = [{"name": one.name, "parameters": one.parameters} for one in contestants]
        settings = self._settings | {"seeds": seeds, "learners": learners}
        (self._path.parent / SETTINGS_FILE).write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")

    def find(self, contestant: Contestant, seed: int) -> Run | None:
        """Return a finished run without error, if there is one."""
        run = self._runs.get(self._key(contestant, seed))
        return run if run is not None and run.error is None and run.learner == contestant.label else None

    def add(self, contestant: Contestant, run: Run) -> None:
        """Save a run."""
        if self._path is None:
            return
        record = {"key": self._key(contestant, run.seed), "run": asdict(run)}
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")


def _seeds(seeds: int | Sequence[int]) -> list[int]:
    """Return seeds as a list without repetitions."""
    if isinstance(seeds, int):
        return list(range(count("seeds", seeds, minimum=1)))
    numbers = [count("seeds", seed) for seed in seeds]
    if not numbers or len(set(numbers)) < len(numbers):
        raise ValueError(f"seeds must hold at least one seed and none twice, got {numbers}")
    return numbers
