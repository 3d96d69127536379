"""Learners compared over several scenarios, with the measures of `strategic_env.report.scores`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from rich.console import Console
from rich.text import Text

from agents.foundation.checks import one_of, shown
from agents.foundation.typing import Float
from learners.strategic.fixed import BestFixedClassifier
from learners.strategic.perceptron import Perceptron
from strategic_env.bench.contestants import Contestant, checked_label, parameters_of
from strategic_env.bench.evaluation import Results
from strategic_env.report.layout import MISSING, print_learners
from strategic_env.report.output import encodable, plain_console
from strategic_env.report.scores import (
    RESAMPLES,
    Estimate,
    interquartile_mean,
    interval_text,
    normalised_score,
    probability_of_improvement,
    ratio_of_means,
)
from strategic_env.report.summary import counted, shortened, title

NAIVE, ORACLE = Perceptron.name, BestFixedClassifier.name


@dataclass(frozen=True)
class ComparedLearner:
    """One learner's line of the table.

    Attributes
    ----------
    learner : str
        The contestant's label.
    mistakes : Estimate
        Interquartile mean over all runs of all scenarios.
    score : Estimate
        Interquartile mean of the normalised scores.
    improvement : Estimate or None
        Probability of fewer mistakes than the baseline; None for the baseline itself, and for a recipe, whose runs are
        means of games.
    ratio : Estimate or None
        Interquartile mean over the baseline's, paired: both met the same people, run by run. None as before, and where
        the baseline's is 0 in a resample.
    """

    learner: str
    mistakes: Estimate
    score: Estimate
    improvement: Estimate | None
    ratio: Estimate | None


@dataclass(frozen=True)
class Comparison:
    """What `compare` returns.

    Attributes
    ----------
    baseline : str
    scenarios : list of str
        With their options, in the order of the columns below.
    mistakes : dict of str to ndarray (runs, scenarios) of float64
        Of every learner, by label; a run is a seed or, of a recipe, a policy.
    scores : dict of str to ndarray (runs, scenarios) of float64
        The same, normalised on every scenario between the mean mistakes of the classic Perceptron (0) and of the best
        fixed classifier (1).
    rows : list of ComparedLearner
    """

    baseline: str
    scenarios: list[str]
    mistakes: dict[str, Float]
    scores: dict[str, Float]
    rows: list[ComparedLearner]


def compare(
    results: Sequence[Results],
    baseline: str | None = None,
    *,
    trained: Mapping[str, Sequence[str]] | None = None,
    resamples: int = RESAMPLES,
) -> Comparison:
    """Compare the learners of several evaluations.

    Parameters
    ----------
    results : sequence of Results
        One per scenario, each of the same learners and of as many seeds.
    baseline : str, optional
        The label of the learner that the others should improve on, no recipe; the classic Perceptron by default.
    trained : mapping of str to sequence of str, optional
        Policies of one recipe, trained with different seeds, by the name of the recipe: they become one learner, whose
        runs are the policies, each with its mean mistakes over the seeds of the evaluation.
    resamples : int
        Of the bootstrap.

    Returns
    -------
    Comparison

    Raises
    ------
    TypeError
        If an argument is of the wrong kind.
    ValueError
        If there are no results, learners or numbers of seeds differ, a scenario comes twice or has many labels, a run
        is missing or failed, a recipe has the name of a learner or fewer than two policies of its own, the baseline,
        the classic Perceptron or the best fixed classifier does not take part, or the latter makes no fewer mistakes
        than the Perceptron on a scenario; as `strategic_env.report.scores.interquartile_mean`.

    Examples
    --------
    >>> from strategic_env import evaluate, report
    >>> learners = ["perceptron", "best-fixed-classifier", "strategic-perceptron-l2"]
    >>> compared = report.compare([evaluate(learners, "KnownL2", seeds=3, rounds=300)])
    >>> [(row.learner, round(row.score.value, 2)) for row in compared.rows]
    [('perceptron', 0.0), ('best-fixed-classifier', 1.0), ('strategic-perceptron-l2', 0.91)]
    """
    recipes = {} if trained is None else trained
    mistakes = _by_recipe(mistakes_of(results), recipes)
    ends = [_label_of(name, results, mistakes) for name in (NAIVE, ORACLE)]
    single = tuple(label for label in mistakes if label not in recipes)
    baseline = one_of("baseline", ends[0] if baseline is None else baseline, single)
    scenarios = [title(one) for one in results]
    naive, oracle = (mistakes[end].mean(axis=0) for end in ends)
    for scenario, zero, one in zip(scenarios, naive, oracle, strict=True):
        if one >= zero:
            raise ValueError(
                f"{ORACLE} must make fewer mistakes than {NAIVE}, between which scores are normalised, "
                f"got {one} and {zero} on {scenario}"
            )
    scores = {label: normalised_score(counts, naive, oracle) for label, counts in mistakes.items()}
    # A policy's mean is not compared with single games.
    alone = {baseline, *recipes}
    rows = [
        ComparedLearner(
            label,
            interquartile_mean(counts, resamples=resamples),
            interquartile_mean(scores[label], resamples=resamples),
            *((None, None) if label in alone else _beside(counts, mistakes[baseline], resamples)),
        )
        for label, counts in mistakes.items()
    ]
    return Comparison(baseline, scenarios, mistakes, scores, rows)


def _beside(mistakes: Float, baseline: Float, resamples: int) -> tuple[Estimate, Estimate | None]:
    """Return the probability of fewer mistakes than a baseline, and the ratio to its, if it errs."""
    # In this order, since fewer mistakes are better.
    improvement = probability_of_improvement(baseline, mistakes, resamples=resamples)
    try:
        return improvement, ratio_of_means(mistakes, baseline, resamples=resamples)
    except ValueError:  # nothing is a multiple of 0
        return improvement, None


def mistakes_of(results: Sequence[Results]) -> dict[str, Float]:
    """Return every learner's mistakes (seeds, scenarios), by label.

    Raises
    ------
    TypeError
        If the results are no sequence of `Results`.
    ValueError
        If there are none, learners or numbers of seeds differ, a scenario comes twice or has many labels, or a run
        is missing or failed.
    """
    if not isinstance(results, Sequence) or not all(isinstance(one, Results) for one in results):
        raise TypeError(f"results must be a list of Results, as evaluate returns, got {shown(results)}")
    if not results:
        raise ValueError("results must hold the Results of at least one scenario, got none")
    labels, seeds = _labels(results[0]), len(results[0].seeds)
    titles = [title(one) for one in results]
    for one in results:
        if one.scenario.game != Perceptron.game:
            raise ValueError(
                f"results must be of strategic classification, got {title(one)}: take strategic_env.report.scores"
            )
        if titles.count(title(one)) > 1:
            raise ValueError(
                f"results must be of different scenarios, got {title(one)} {titles.count(title(one))} times"
            )
        if set(_labels(one)) != set(labels) or len(one.seeds) != seeds:
            raise ValueError(
                f"results must have the same learners and as many seeds, got {labels} with {seeds} on "
                f"{title(results[0])}, but {_labels(one)} with {len(one.seeds)} on {title(one)}"
            )
        if len(one.runs) < len(labels) * seeds:
            raise ValueError(
                f"results must hold a run of every learner with every seed, got {len(one.runs)} of "
                f"{len(labels) * seeds} on {title(one)}"
            )
        failed = next((run for run in one.runs if run.error is not None), None)
        if failed is not None:
            where = f"{failed.learner} on {title(one)} with seed {failed.seed}"
            raise ValueError(f"results must hold no failed run, got {where}: {failed.error}")
    return {
        label: np.array([[run.mistakes for run in one.runs if run.learner == label] for one in results], np.float64).T
        for label in labels
    }


def _by_recipe(mistakes: dict[str, Float], trained: Mapping[str, Sequence[str]]) -> dict[str, Float]:
    """Return the mistakes of learners, and of recipes in place of the policies that they trained."""
    if not isinstance(trained, Mapping):
        raise TypeError(f"trained must be a mapping from recipes to lists of labels, got {shown(trained)}")
    left, recipes = dict(mistakes), {}
    for recipe, policies in trained.items():
        what = f"trained[{recipe!r}]"
        if checked_label(recipe) in mistakes:
            raise ValueError(f"{what} must not have the name of a learner")
        if not isinstance(policies, Sequence) or isinstance(policies, str) or len(policies) < 2:
            raise ValueError(f"{what} must hold at least two labels of policies, got {shown(policies)}")
        # Taken out one by one, so that no policy counts twice.
        recipes[recipe] = np.array([left.pop(one_of(what, label, tuple(left))).mean(axis=0) for label in policies])
    return left | recipes


def _label_of(name: str, results: Sequence[Results], mistakes: Mapping[str, Float]) -> str:
    """Return the label of one of the two learners that scores are normalised with, the same in all results."""
    found = [[one.label for one in each.contestants if plays_as(one, name)] for each in results]
    for label in found[0]:
        if label in mistakes and all(label in labels for labels in found):
            return label
    raise ValueError(f"results must hold {name!r}, which scores are normalised with, got {list(mistakes)}")


def plays_as(contestant: Contestant, name: str) -> bool:
    """Whether a contestant is the reference, if that is asked for, or else the Perceptron with its defaults."""
    if name == ORACLE:
        return contestant.learner is None
    return parameters_of(contestant.learner, Perceptron) == Perceptron().parameters


def _labels(results: Results) -> list[str]:
    return [one.label for one in results.contestants]


def show(comparison: Comparison, console: Console | None = None) -> None:
    """Print the table to the terminal, or to another console."""
    if not isinstance(comparison, Comparison):
        raise TypeError(f"comparison must be what compare returns, got {shown(comparison)}")
    console = console or plain_console()
    runs = " or ".join(map(str, sorted({len(counts) for counts in comparison.mistakes.values()})))
    where = counted(len(comparison.scenarios), "scenario")
    what = f"Interquartile means over {where} and {runs} runs on each, with 95% intervals"
    notes = [
        f"scenarios: {'; '.join(comparison.scenarios)}.",
        f"normalised score: 0 is {NAIVE}, 1 is {ORACLE}, by their mean mistakes on each scenario.",
        f"fewer than baseline: probability of fewer mistakes than {comparison.baseline}, a tie counting half.",
        f"times baseline: mistakes over those of {comparison.baseline}, run by run on the same people.",
    ]
    console.print(Text(what, style="bold"))
    headings = ("mistakes", "normalised\nscore", "fewer than\nbaseline", "times\nbaseline")
    print_learners(console, headings, list(map(_line, comparison.rows)))
    console.print(Text(encodable("\n".join(["", *notes]), console)))


def _line(row: ComparedLearner) -> tuple[str, list[str], list[Text]]:
    """Return a learner's label and numbers; there is nothing to say below them."""
    estimates = (row.mistakes, ",.1f"), (row.score, ".2f"), (row.improvement, ".0%"), (row.ratio, ".2f")
    numbers = [MISSING if estimate is None else interval_text(estimate, form) for estimate, form in estimates]
    return shortened(row.learner), numbers, []
