"""What a table and a picture of results share: the numbers of every contestant over its seeds, and the words."""

import json
import math
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from learners.fixed import ConstantClassifier
from strategic_env.evaluation import Contestant, Results, Run


@dataclass(frozen=True)
class Row:
    """One learner's line of the table; numbers are None where there is nothing to count.

    Attributes
    ----------
    learner : str
        The contestant's label.
    mistakes_mean, mistakes_min, mistakes_max : float or int or None
        Over the seeds that did not fail, like everything below.
    regret : float or None
        Mean of the differences to the reference's mistakes under the same seed; may be negative.
    bound : float or None
        The theorem's, sharpened.
    bound_used : float or None
        Mean mistakes / bound.
    manipulators : float or None
        Share of arrivals that moved.
    qualified_cost : float or None
        What an arrival whose true label is +1 paid on average for manipulation.
    failed : int
        Number of seeds that failed.
    error : str or None
        The first failure.
    """

    learner: str
    mistakes_mean: float | None
    mistakes_min: int | None
    mistakes_max: int | None
    regret: float | None
    bound: float | None
    bound_used: float | None
    manipulators: float | None
    qualified_cost: float | None
    failed: int
    error: str | None


def rows(results: Results) -> list[Row]:
    """Summarise every contestant, in their order."""
    return [_row(results, contestant) for contestant in results.contestants]


def _row(results: Results, contestant: Contestant) -> Row:
    runs = results.of(contestant)
    done, errors = finished(runs), [run.error for run in runs if run.error is not None]
    mistakes = [run.mistakes for run in done]
    mean = _ratio(sum(mistakes), len(mistakes))
    bound = finite(results.bound(contestant))
    return Row(
        learner=contestant.label,
        mistakes_mean=mean,
        mistakes_min=min(mistakes, default=None),
        mistakes_max=max(mistakes, default=None),
        regret=_regret(results, done),
        bound=bound,
        bound_used=None if mean is None or bound is None else _ratio(mean, bound),
        manipulators=_ratio(sum(run.manipulations for run in done), len(done) * results.rounds),
        qualified_cost=_ratio(sum(run.qualified_cost for run in done), sum(run.qualified for run in done)),
        failed=len(errors),
        error=errors[0] if errors else None,
    )


def _regret(results: Results, done: Sequence[Run]) -> float | None:
    reference = reference_of(results)
    if reference is None:
        return None
    baseline = {run.seed: run.mistakes for run in finished(results.of(reference))}
    differences = [run.mistakes - baseline[run.seed] for run in done if run.seed in baseline]
    return _ratio(sum(differences), len(differences))


def reference_of(results: Results) -> Contestant | None:
    """Return the contestant that the others' regret is against, if it takes part."""
    return next((one for one in results.contestants if one.learner is None), None)


def finished(runs: Iterable[Run]) -> list[Run]:
    """Return the runs that did not fail."""
    return [run for run in runs if run.error is None]


def _ratio(total: float, number: float) -> float | None:
    return total / number if number > 0 else None


def finite(value: float | None) -> float | None:
    """Return a number, or None where it is infinite or NaN."""
    return value if value is not None and math.isfinite(value) else None


def plain(value: object) -> object:
    """Return what JSON can encode: arrays as lists, NaN and infinity as None, other objects as text."""
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float):
        return finite(value)
    return value if value is None or isinstance(value, bool | int | str) else repr(value)


def title(results: Results) -> str:
    """Return the scenario with its options."""
    options = results.scenario.options.items()
    return ", ".join([results.scenario.name, *(f"{key}={json.dumps(plain(value))}" for key, value in options)])


def shown_name(contestant: Contestant) -> str:
    """Return what tables and pictures call a contestant."""
    if contestant.learner is None:
        return "reference"
    if isinstance(contestant.learner, ConstantClassifier):
        return "accept all" if contestant.learner.accept else "accept nobody"
    return contestant.label


def wrapped(label: str, width: int) -> list[str]:
    """Break a label at its hyphens where it must be, and put its parameters on lines of their own."""
    name, _, parameters = label.partition(":")
    details = textwrap.wrap(parameters.replace(", ", ",").replace(",", ", "), width - 2)
    return [*textwrap.wrap(name, width), *(f"  {line}" for line in details)]


def bound_text(bound: float) -> str:
    """Write a bound on a whole number of mistakes: rounded, it is one still."""
    return format(bound, ",.0f" if bound < 1e7 else ".1e")


def seeds_text(results: Results) -> str:
    """Say over how many seeds the numbers are."""
    return f"{len(results.seeds)} seeds" if len(results.seeds) > 1 else "1 seed"


def failure_text(row: Row, results: Results) -> str:
    """Say how often a contestant failed."""
    return f"{row.learner} failed on {row.failed} of {seeds_text(results)}"


def why_no_bound(results: Results) -> str:
    """Say why no contestant has a bound."""
    feedback = results.scenario.setting.feedback
    if feedback != "full":
        return f"no bounds: the theorems need every label, but feedback is {feedback}"
    if results.scenario.truth is None:
        return "no bounds: no hyperplane is known to separate the labels"
    return "no bounds: no theorem of these learners applies here"
