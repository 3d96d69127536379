"""The board: every learner on every scenario of many results, with the measures of `strategic_env.report.scores`."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from agents.foundation.checks import shown
from agents.foundation.typing import Float
from learners.multiclass.gappletron import Gappletron
from learners.multiclass.perceptron import MulticlassPerceptron
from strategic_env.bench.contestants import Contestant
from strategic_env.bench.evaluation import Results
from strategic_env.report.comparison import NAIVE, ORACLE, plays_as
from strategic_env.report.scores import Estimate, interquartile_mean, normalised_score, probability_of_improvement
from strategic_env.report.summary import bound_of, checked_results, title

BASELINES = (NAIVE, Gappletron.name, MulticlassPerceptron.name)  # the first that took part


@dataclass(frozen=True)
class BoardRow:
    """One learner on one scenario.

    Attributes
    ----------
    scenario : str
        With its options.
    name, options
        The same in parts.
    learner : str
        The contestant's label.
    kind, parameters
        The same in parts.
    rounds : int
    seeds : list of int
    counts : list of int
        Mistakes, one for each seed.
    mistakes : Estimate
        Interquartile mean.
    score : Estimate or None
        Normalised, where the two learners that scores are normalised with took part and differ.
    fewer : Estimate or None
        Probability of fewer mistakes than the baseline.
    bound : float or None
        On mistakes, where a theorem has one.
    versions : dict of str
        With what its runs were played.
    """

    scenario: str
    name: str
    options: dict[str, object]
    learner: str
    kind: str
    parameters: dict[str, object]
    rounds: int
    seeds: list[int]
    counts: list[int]
    mistakes: Estimate
    score: Estimate | None
    fewer: Estimate | None
    bound: float | None
    versions: dict[str, str]


@dataclass(frozen=True)
class Standing:
    """One learner over the scenarios of a group that it played: the same measures over all of them.

    Attributes
    ----------
    learner : str
    scenarios : int
    score, fewer : Estimate or None
        Over those scenarios that have them.
    """

    learner: str
    scenarios: int
    score: Estimate | None
    fewer: Estimate | None


@dataclass(frozen=True)
class Group:
    """The scenarios of one game that have the same baseline.

    Attributes
    ----------
    game : str
    baseline : str or None
    scenarios : list of str
    rows : list of BoardRow
    standings : list of Standing
        The best first.
    """

    game: str
    baseline: str | None
    scenarios: list[str]
    rows: list[BoardRow]
    standings: list[Standing]


def board(results: Sequence[Results]) -> list[Group]:
    """Put the learners of many results side by side.

    Parameters
    ----------
    results : sequence of Results
        One per scenario; other learners may have played on each.

    Returns
    -------
    list of Group

    Raises
    ------
    TypeError
        If they are no sequence of `Results`.
    ValueError
        If there are none, a scenario comes twice, or a learner's runs do not say with which versions they were played,
        were played with several, are missing for a seed, failed, or are of one seed only.

    Examples
    --------
    >>> from strategic_env import evaluate
    >>> from strategic_env.report.board import board
    >>> learners = ["perceptron", "best-fixed-classifier", "strategic-perceptron-l2"]
    >>> (group,) = board([evaluate(learners, "KnownL2", seeds=3, rounds=300)])
    >>> [(one.learner, round(one.score.value, 2)) for one in group.standings]
    [('best-fixed-classifier', 1.0), ('strategic-perceptron-l2', 0.91), ('perceptron', 0.0)]
    """
    if not isinstance(results, Sequence) or not results:
        raise TypeError(f"results must be a list of what evaluate or Results.load returns, got {shown(results)}")
    scenarios = [_Scenario.of(checked_results(one)) for one in sorted(results, key=title)]
    titles = [one.title for one in scenarios]
    if twice := next((name for name in titles if titles.count(name) > 1), None):
        raise ValueError(f"results must be of different scenarios, got {twice} {titles.count(twice)} times")
    kinds = sorted(
        {(one.results.scenario.game, one.baseline) for one in scenarios},
        key=lambda kind: (kind[0] != "strategic", kind[0], str(kind[1])),
    )
    return [_group(game, baseline, scenarios) for game, baseline in kinds]


@dataclass(frozen=True)
class _Scenario:
    """The mistakes of everybody on one scenario, and whom they are measured with."""

    results: Results
    title: str
    baseline: str | None
    counts: dict[str, Float]  # mistakes (seeds,) by label
    scores: dict[str, Float]  # the same, normalised; empty where that means nothing

    @classmethod
    def of(cls, results: Results) -> "_Scenario":
        counts = {one.label: _counts(results, one) for one in results.contestants}
        baseline = next((name for name in BASELINES if name in counts), None)
        ends = [
            counts[one.label].mean()
            for name in (NAIVE, ORACLE)
            for one in results.contestants
            if results.scenario.game == "strategic" and plays_as(one, name)
        ]
        scores: dict[str, Float] = {}
        if len(ends) == 2 and ends[1] < ends[0]:
            naive, oracle = np.array(ends[:1]), np.array(ends[1:])
            scores = {label: normalised_score(one[:, None], naive, oracle)[:, 0] for label, one in counts.items()}
        return cls(results, title(results), baseline, counts, scores)

    def rows(self) -> Iterator[BoardRow]:
        results = self.results
        for one in results.contestants:
            counts, label = self.counts[one.label], one.label
            yield BoardRow(
                scenario=self.title,
                name=results.scenario.name,
                options=dict(results.scenario.options),
                learner=label,
                kind=one.name,
                parameters=one.parameters,
                rounds=results.rounds,
                seeds=[int(seed) for seed in results.seeds],
                counts=counts.astype(int).tolist(),
                mistakes=interquartile_mean(counts[:, None]),
                score=_score([self], label),
                fewer=_fewer([self], label),
                bound=bound_of(results, one),
                versions=results.of(one)[0].versions,
            )


def _counts(results: Results, one: Contestant) -> Float:
    """Return a learner's mistakes, one for each seed.

    Raises
    ------
    ValueError
        If nobody could play its runs again, or they are not all there.
    """
    runs, who = results.of(one), f"{one.label} on {title(results)}"
    if failed := next((run for run in runs if run.error is not None), None):
        raise ValueError(f"{who} failed with seed {failed.seed}: {failed.error}")
    if missing := sorted(set(results.seeds) - {run.seed for run in runs}):
        raise ValueError(f"{who} has no run with {len(missing)} of {len(results.seeds)} seeds, such as {missing[0]}")
    if len(runs) < 2:
        raise ValueError(f"{who} has a run with one seed only, which says nothing about the spread: play more")
    if not all(run.versions for run in runs):
        raise ValueError(f"{who} has runs that do not say with which versions they were played: play them again")
    played = [run.versions for run in runs]
    if other := next((versions for versions in played if versions != played[0]), None):
        raise ValueError(f"{who} has runs of different versions, {played[0]} and {other}: play them again")
    return np.array([run.mistakes for run in runs], dtype=np.float64)


def _group(game: str, baseline: str | None, scenarios: Sequence[_Scenario]) -> Group:
    chosen = [one for one in scenarios if (one.results.scenario.game, one.baseline) == (game, baseline)]
    labels = dict.fromkeys(label for one in chosen for label in one.counts)
    standings = []
    for label in labels:
        met = [one for one in chosen if label in one.counts]
        standings.append(Standing(label, len(met), _score(met, label), _fewer(met, label)))
    standings.sort(key=lambda one: (-_value(one.score), -_value(one.fewer), one.learner))
    rows = [row for one in chosen for row in one.rows()]
    return Group(game, baseline, [one.title for one in chosen], rows, standings)


def _value(estimate: Estimate | None) -> float:
    return 0.5 if estimate is None else estimate.value


def _score(scenarios: Sequence[_Scenario], label: str) -> Estimate | None:
    """Return the normalised score over scenarios; None where none has one, or they have different numbers of seeds."""
    columns = [one.scores[label] for one in scenarios if one.scores]
    return interquartile_mean(np.array(columns).T) if _alike(columns) else None


def _fewer(scenarios: Sequence[_Scenario], label: str) -> Estimate | None:
    """Return how likely a learner makes fewer mistakes than the baseline; None of itself and where there is none."""
    pairs = [(one.counts[one.baseline], one.counts[label]) for one in scenarios if one.baseline not in (None, label)]
    theirs, ours = [baseline for baseline, _ in pairs], [counts for _, counts in pairs]
    # In this order, since fewer mistakes are better.
    return probability_of_improvement(np.array(theirs).T, np.array(ours).T) if _alike(ours) else None


def _alike(columns: Sequence[Float]) -> bool:
    return len({len(column) for column in columns}) == 1
