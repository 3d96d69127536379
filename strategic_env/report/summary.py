"""What a table and a picture of results share: the numbers of every contestant over its seeds, and the words."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from agents.foundation.checks import shown
from learners.strategic.fixed import ConstantClassifier
from strategic_env.bench.contestants import Contestant, SavedLearner
from strategic_env.bench.encoding import finite, plain
from strategic_env.bench.evaluation import Results
from strategic_env.bench.playing import Run

HOW_THE_REFERENCE_IS_MADE = "widest separator of the true points (soft-margin if there is none), raised by the reach"


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
    columns : dict of float or None
        What the game adds (`strategic_env.games.shared.scenario.BenchScenario.table`), by name.
    failed : int
        Number of seeds that failed.
    error : str or None
        The first failure.
    runs : int
        Number of seeds that did not fail: what the numbers are over.
    missing : int
        Number of seeds that a folder holds of others, not of this learner.
    """

    learner: str
    mistakes_mean: float | None
    mistakes_min: int | None
    mistakes_max: int | None
    regret: float | None
    bound: float | None
    bound_used: float | None
    columns: dict[str, float | None]
    failed: int
    error: str | None
    runs: int = 0
    missing: int = 0


def checked_results(results: object) -> Results:
    """Return the results.

    Raises
    ------
    TypeError
        If they are none.
    """
    if not isinstance(results, Results):
        raise TypeError(f"results must be what evaluate or Results.load returns, got {shown(results)}")
    return results


def rows(results: Results) -> list[Row]:
    """Summarise every contestant, in their order."""
    return [_row(results, contestant) for contestant in results.contestants]


def _row(results: Results, contestant: Contestant) -> Row:
    runs = results.of(contestant)
    done, errors = finished(runs), [run.error for run in runs if run.error is not None]
    mistakes = [run.mistakes for run in done]
    mean = _ratio(sum(mistakes), len(mistakes))
    bound = bound_of(results, contestant)
    numbers: dict[str, float] = {"mistakes": sum(mistakes), "rounds": len(done) * results.rounds, "runs": len(done)}
    numbers["loss"] = sum(run.loss for run in done)
    numbers |= {name: sum(run.columns[name] for run in done) for name in results.scenario.columns}
    return Row(
        learner=contestant.label,
        mistakes_mean=mean,
        mistakes_min=min(mistakes, default=None),
        mistakes_max=max(mistakes, default=None),
        regret=_regret(results, done),
        bound=bound,
        bound_used=None if mean is None or bound is None else _ratio(mean, bound),
        columns={one.name: _ratio(numbers[one.total], numbers[one.over]) for one in results.scenario.table},
        failed=len(errors),
        error=errors[0] if errors else None,
        runs=len(done),
        missing=len(results.seeds) - len(runs),
    )


def bound_of(results: Results, contestant: Contestant, *, printed: bool = False) -> float | None:
    """Return the bound on a contestant's mistakes; None where none applies, it is infinite, or it fails."""
    try:
        return finite(results.bound(contestant, printed=printed))
    except Exception:  # a learner of anybody's may fail in any way; the finished runs must not be lost
        return None


def bound_failures(results: Results) -> list[str]:
    """Say whose bound cannot be computed, and why."""
    texts = []
    for contestant in results.contestants:
        learner = contestant.learner
        failure = learner.bound_failure if isinstance(learner, SavedLearner) else None
        try:
            results.bound(contestant)
        except Exception as error:
            failure = f"{type(error).__name__}: {error}"
        if failure is not None:
            texts.append(f"bound of {contestant.label}: fails with {failure}")
    return texts


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


def title(results: Results) -> str:
    """Return the scenario with its options, long lists shortened."""
    options = results.scenario.options.items()
    texts = [f"{key}={json.dumps(plain(value))}" for key, value in options]
    return shortened(", ".join([results.scenario.name, *texts]))


def shown_name(contestant: Contestant) -> str:
    """Return what tables and pictures call a contestant: its name on the command line, with a word where it is odd."""
    if contestant.learner is None:
        return f"{contestant.label} (reference)"
    if contestant.label == ConstantClassifier.name:
        return f"{contestant.label} (accepts all)"
    return shortened(contestant.label)


def shortened(text: str) -> str:
    """Cut every list of more than 40 characters, and say how many numbers, or lists of numbers, it holds."""

    def cut(found: re.Match[str]) -> str:
        numbers = found[1].split(",")
        return f"[{','.join(numbers[:2])}, ... {len(numbers)} numbers]"

    def cut_rows(found: re.Match[str]) -> str:
        return f"[{found[1]}, ... {found[0].count('[') - 1} lists]" if len(found[0]) > 40 else found[0]

    return re.sub(r"\[([^][]{40,})\]", cut, re.sub(r"\[(\[[^][]*\])(?:, \[[^][]*\])+\]", cut_rows, text))


def bound_text(bound: float) -> str:
    """Write a bound on a whole number of mistakes: rounded, it is one still."""
    return format(bound, ",.0f" if bound < 1e7 else ".1e")


def seeds_text(results: Results) -> str:
    """Say over how many seeds the numbers are."""
    return counted(len(results.seeds), "seed")


def counted(number: int, what: str) -> str:
    """Write a number of things: ``1 round``, ``1,000 rounds``."""
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def failure_text(row: Row, results: Results) -> str:
    """Say how often a contestant failed."""
    return f"{row.learner} failed on {row.failed} of {seeds_text(results)}"


def missing_text(row: Row, results: Results) -> str:
    """Say of how many seeds a contestant has no run."""
    return f"{row.missing} of {seeds_text(results)} not played"


def how_played(results: Results) -> str:
    """Say which learners' games ran in compiled code and which in a loop over the environment."""
    done = finished(results.runs)
    looped = sorted({run.learner for run in done if not run.fused})
    if not looped:
        return "in compiled code, with the same numbers as a loop over the environment"
    if all(not run.fused for run in done):
        return "in a loop over the environment"
    return f"in compiled code, but {', '.join(looped)} in a loop over the environment; that changes no number"
