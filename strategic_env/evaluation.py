"""The bench: learners x seeds on a scenario, saved as they finish and resumed where they stopped."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from agents.checks import count
from learners.base import Learner
from strategic_env.archive import Archive
from strategic_env.bench_scenario import BenchScenario
from strategic_env.contestants import Contestant, Policy, all_contestants, contestants_of
from strategic_env.playing import Run, play, seed_numbers
from strategic_env.scenarios import playable

MOST_CHECKPOINTS = 1000


@dataclass(frozen=True, repr=False)
class Results:
    """What `evaluate` returns; `strategic_env.report` shows and saves it.

    Attributes
    ----------
    scenario : Scenario or MulticlassScenario
    rounds : int
    seeds : list of int
    checkpoints : list of int
        The rounds at which curves are kept (`checkpoints_of`).
    contestants : list of Contestant
    runs : list of Run
        Grouped by contestant, then by seed.
    """

    scenario: BenchScenario
    rounds: int
    seeds: list[int]
    checkpoints: list[int]
    contestants: list[Contestant]
    runs: list[Run]

    def __repr__(self) -> str:
        labels = ", ".join(one.label for one in self.contestants)
        return f"<Results on {self.scenario.name}, {self.rounds:,} rounds, seeds {self.seeds}: {labels}>"

    def of(self, contestant: Contestant) -> list[Run]:
        """Return the runs of one contestant, by seed."""
        return [run for run in self.runs if run.learner == contestant.label]

    def bound(self, contestant: Contestant, *, printed: bool = False) -> float | None:
        """Return the theorem's bound on a contestant's mistakes; None where its assumptions fail."""
        truth, learner = self.scenario.proved, contestant.learner
        return learner.bound(truth, printed=printed) if truth is not None and isinstance(learner, Learner) else None


def evaluate(
    learners: Iterable[str | Policy | Contestant] | Mapping[str, str | Policy | Contestant] | None,
    scenario: str | BenchScenario,
    seeds: int | Sequence[int] = 10,
    rounds: int | None = None,
    *,
    out: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> Results:
    """Run learners on a scenario.

    Parameters
    ----------
    learners : iterable or mapping of str, Policy or Contestant, optional
        Names (`learners.catalogue.LEARNERS`) with parameters as on the command line (``"perceptron:bias=true"``),
        learners, or other objects with Stable-Baselines3's ``predict``; what these learn must be in the state that they
        return, for each run begins with state None. The keys of a mapping are the names that results show. By default
        every learner that the scenario tells enough.
    scenario : str, Scenario or MulticlassScenario
        What they meet.
    seeds : int or sequence of int
        How many seeds (0, 1, ...), or which; every learner meets the same individuals under the same seed.
    rounds : int, optional
        Rounds per run; the scenario's horizon by default.
    out : path, optional
        Folder that each run is saved in as it finishes; runs found there are not repeated, unless something that
        determines them has changed. An object that cannot be pickled plays anew each time.
    progress : callable, optional
        Called with the label of each run that ends.

    Returns
    -------
    Results

    Raises
    ------
    ValueError
        If a named learner is told too little by the scenario, or ``out`` holds the results of another scenario, other
        options or rounds; before any run.
    TypeError
        If an argument is of the wrong kind.
    OSError
        If ``out`` cannot be written to.
    """
    chosen = playable(scenario)
    length = chosen.horizon if rounds is None else count("rounds", rounds, minimum=1)
    chosen = chosen.lasting(length)
    numbers = seed_numbers(seeds)
    if isinstance(learners, str) or not (learners is None or isinstance(learners, Iterable)):
        raise TypeError(f"learners must be a list of names or learners, such as ['perceptron'], got {learners!r}")
    contestants = all_contestants(chosen)[0] if learners is None else contestants_of(learners, chosen)
    archive = None if out is None else Archive(Path(out), chosen, length)
    if archive is not None:
        archive.save_settings(contestants, numbers)
    checkpoints = checkpoints_of(length)
    runs = []
    for one in contestants:
        # Before it plays, which may change it.
        keys = [None if archive is None else archive.key(one, seed) for seed in numbers]
        for seed, key in zip(numbers, keys, strict=True):
            run = None if archive is None else archive.find(key, one.label, checkpoints)
            if run is None:
                run = play(one, chosen, seed, length, checkpoints)
                if archive is not None:
                    archive.add(key, run)
            runs.append(run)
            if progress is not None:
                progress(one.label)
    return Results(chosen, length, numbers, checkpoints, contestants, runs)


def checkpoints_of(rounds: int) -> list[int]:
    """Return the rounds at which curves are kept: all up to 1,000.

    Of more, the first 500, then about 500 that grow by a fixed share, so that linear and logarithmic axes are both
    well covered; the last one is always among them.
    """
    if rounds <= MOST_CHECKPOINTS:
        return list(range(1, rounds + 1))
    half = MOST_CHECKPOINTS // 2
    return [*range(1, half + 1), *sorted({round(step) for step in np.geomspace(half + 1, rounds, half).tolist()})]
