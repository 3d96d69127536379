"""The bench: learners x seeds on a scenario, saved as they finish and resumed where they stopped."""

import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, product
from pathlib import Path
from typing import Self, TypeAlias

from agents.foundation.checks import MOST_CORES, count, file_path, function_or_none, is_many, shown
from strategic_env.bench.archive import Archive
from strategic_env.bench.contestants import (
    Contestant,
    Predictor,
    SavedLearner,
    all_contestants,
    contestants_of,
    mistake_bound,
)
from strategic_env.bench.engines import Processes, WorkerDied
from strategic_env.bench.playing import Run, checkpoints_of, play, seed_numbers
from strategic_env.bench.saved import SavedScenario, read
from strategic_env.bench.tasks import answers
from strategic_env.games.scenarios import playable
from strategic_env.games.shared.scenario import BenchScenario

Task: TypeAlias = tuple[Contestant, BenchScenario, int, int, list[int]]  # what `play` is called with


@dataclass(frozen=True, repr=False)
class Results:
    """What `evaluate` returns, and `load` reads from a folder; `strategic_env.report.tables` shows and saves it.

    Attributes
    ----------
    scenario : Scenario, MulticlassScenario or SavedScenario
    rounds : int
    seeds : list of int
    checkpoints : list of int
        The rounds at which curves are kept (`checkpoints_of`).
    contestants : list of Contestant
    runs : list of Run
        Grouped by contestant, then by seed; in a folder some may be missing.
    unused_lines : int
        Lines of a folder's files that hold no run that somebody can have played: torn, damaged or changed.

    Examples
    --------
    >>> from strategic_env import evaluate
    >>> results = evaluate(["strategic-perceptron-l2"], "KnownL2", seeds=2, rounds=300)
    >>> results
    <Results on KnownL2, 300 rounds, seeds [0, 1]: strategic-perceptron-l2>
    >>> [run.mistakes for run in results.runs], results.bound(results.contestants[0])
    ([2, 4], 100.0)
    """

    scenario: BenchScenario | SavedScenario
    rounds: int
    seeds: list[int]
    checkpoints: list[int]
    contestants: list[Contestant]
    runs: list[Run]
    unused_lines: int = 0

    def __repr__(self) -> str:
        labels = ", ".join(one.label for one in self.contestants)
        return f"<Results on {self.scenario.name}, {self.rounds:,} rounds, seeds {self.seeds}: {labels}>"

    def _repr_html_(self) -> str:
        import strategic_env  # tables stand above results, which reach them by way of the face

        return strategic_env.report.sheet(self).to_html()

    def of(self, contestant: Contestant) -> list[Run]:
        """Return the runs of one contestant, by seed."""
        return [run for run in self.runs if run.learner == contestant.label]

    def bound(self, contestant: Contestant, *, printed: bool = False) -> float | None:
        """Return the theorem's bound on a contestant's mistakes; None where its assumptions fail."""
        learner, scenario = contestant.learner, self.scenario
        if isinstance(learner, SavedLearner):
            return learner.printed_bound if printed else learner.bound
        return None if isinstance(scenario, SavedScenario) else mistake_bound(learner, scenario, printed=printed)

    @classmethod
    def load(cls, folder: str | Path) -> Self:
        """Return all results that a folder holds, of every process that played there, from its files alone.

        Of a learner that changed between two evaluations, the runs of the latter. Its bound is what it was when it
        began to play; nothing is built or imported, so that learners of one's own are shown, too. What an evaluation
        has left undone is missing.

        Parameters
        ----------
        folder : path
            The ``out`` of `evaluate`.

        Returns
        -------
        Results
            Scenario and learners are such as can be shown, not played.

        Raises
        ------
        TypeError, ValueError
            If it is no path; or if the folder holds no runs, or settings of another version or that are damaged.
        OSError
            If it cannot be read.

        Examples
        --------
        >>> from tempfile import TemporaryDirectory
        >>> from strategic_env import Results, evaluate
        >>> with TemporaryDirectory() as folder:
        ...     _ = evaluate(["strategic-perceptron-l2"], "KnownL2", seeds=[4, 7], rounds=300, out=folder)
        ...     results = Results.load(folder)
        >>> results
        <Results on KnownL2, 300 rounds, seeds [4, 7]: strategic-perceptron-l2>
        """
        place = file_path("folder", folder)
        found = read(place)
        runs = [
            [replace(run, learner=label) for (of, _), run in sorted(found.runs.items()) if of == key]
            for label, (_, key) in found.learners.items()
        ]
        seeds = sorted({run.seed for played in runs for run in played})
        if not seeds:
            raise ValueError(f"{place} holds no run that has ended")
        contestants = [one for one, _ in found.learners.values()]
        return cls(
            found.scenario, found.rounds, seeds, found.checkpoints, contestants, list(chain(*runs)), found.unused
        )


def evaluate(
    learners: Iterable[str | Predictor | Contestant] | Mapping[str, str | Predictor | Contestant] | None,
    scenario: str | BenchScenario,
    seeds: int | Sequence[int] = 10,
    rounds: int | None = None,
    *,
    out: str | Path | None = None,
    jobs: int = 1,
    progress: Callable[[str], None] | None = None,
) -> Results:
    """Run learners on a scenario.

    Parameters
    ----------
    learners : iterable or mapping of str, Predictor or Contestant, optional
        Names (`learners.catalogue.all_learners`) with parameters as on the command line (``"perceptron:bias=true"``),
        learners, or other objects with Stable-Baselines3's ``predict``; what these learn must be in the state that they
        return, for each run begins with state None and, of somebody else's object, with a copy. The keys of a mapping
        are the names that results show. By default every learner that the scenario tells enough.
    scenario : str, Scenario or MulticlassScenario
        What they meet.
    seeds : int or sequence of int
        How many seeds (0, 1, ...), or which; every learner meets the same individuals under the same seed.
    rounds : int, optional
        Rounds per run; the scenario's horizon by default.
    out : path, optional
        Folder that each run is saved in as it finishes; runs found there are not repeated, unless something that
        determines them has changed. Several processes may share it, for other seeds or learners: `Results.load` returns
        the runs of all. An object that cannot be pickled plays anew each time, and its runs are not kept.
    jobs : int
        Processes that play at the same time; more than one need the extra ``sweep``. The numbers are the same.
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
        If an argument is of the wrong kind, or a learner was read from saved results.
    OSError
        If ``out`` cannot be written to, or holds links, or files of something else that results would replace.

    Examples
    --------
    >>> from learners import Perceptron
    >>> from strategic_env import evaluate
    >>> results = evaluate({"mine": Perceptron(), "theirs": "strategic-perceptron-l2"}, "KnownL2", seeds=2, rounds=300)
    >>> [(run.learner, run.seed, run.mistakes) for run in results.runs]
    [('mine', 0, 43), ('mine', 1, 40), ('theirs', 0, 2), ('theirs', 1, 4)]
    """
    chosen = playable(scenario)
    length = chosen.horizon if rounds is None else count("rounds", rounds, minimum=1)
    chosen = chosen.lasting(length)
    numbers, processes = seed_numbers(seeds), count("jobs", jobs, minimum=1, maximum=MOST_CORES)
    if isinstance(learners, str) or not (learners is None or is_many(learners)):
        raise TypeError(f"learners must be a list of names or learners, such as ['perceptron'], got {shown(learners)}")
    function_or_none("progress", progress, "the label of a run that ends")
    contestants = all_contestants(chosen)[0] if learners is None else contestants_of(learners, chosen)
    archive = None if out is None else Archive(file_path("out", out), chosen, length)
    checkpoints = checkpoints_of(length)
    found: dict[tuple[int, int], Run] = {}
    missing = []
    keys = [None if archive is None else archive.declare(one) for one in contestants]  # before they play
    for at, seed in product(range(len(contestants)), numbers):
        run = None if archive is None else archive.find(keys[at], seed, contestants[at].label)
        if run is None:
            missing.append((at, seed))
        else:
            found[at, seed] = run
    tell = progress or (lambda label: None)
    for at, _ in found:
        tell(contestants[at].label)
    tasks = [(contestants[at], chosen, seed, length, checkpoints) for at, seed in missing]
    for number, run in _played(tasks, processes):
        at, seed = missing[number]
        found[at, seed] = run
        if archive is not None:
            archive.add(keys[at], run)
        tell(contestants[at].label)
    runs = [found[at, seed] for at, seed in product(range(len(contestants)), numbers)]
    unused = 0 if archive is None else archive.unused
    return Results(chosen, length, numbers, checkpoints, contestants, runs, unused)


def _played(tasks: list[Task], jobs: int) -> Iterator[tuple[int, Run]]:
    """Yield the number of each task and its run, as they end."""
    if jobs == 1 or len(tasks) < 2:
        yield from ((number, play(*task)) for number, task in enumerate(tasks))
        return
    engine = Processes(min(jobs, len(tasks)))
    for number, future in answers(engine, lambda number: engine.submit(play, *tasks[number]), range(len(tasks))):
        try:
            yield number, future.result()
        except pickle.PicklingError:  # what cannot be sent plays here
            yield number, play(*tasks[number])
        except WorkerDied as error:
            one, _, seed, *_ = tasks[number]
            yield number, Run(one.label, seed, error=f"its process died: {error}")
