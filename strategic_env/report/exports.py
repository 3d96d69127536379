"""The table of results in other forms: frames of pandas, Markdown and LaTeX, of one scenario or of several."""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from agents.foundation.checks import one_of, shown
from agents.foundation.extras import missing_extra
from strategic_env.bench.evaluation import Results
from strategic_env.report.layout import MISSING
from strategic_env.report.summary import checked_results, rows, shown_name, title
from strategic_env.report.tables import columns_of, records

if TYPE_CHECKING:
    from pandas import DataFrame

FRAMES = ("table", "runs", "curves")
# What LaTeX reads as a command, and how it is written.
SPECIAL = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
SPECIAL |= {character: f"\\{character}" for character in "&%$#_{}"}


class Cells(NamedTuple):
    """A table as texts: headings, and a line of cells for each learner; texts first, then numbers."""

    headings: list[str]
    lines: list[list[str]]
    texts: int


def to_frame(results: Results | Sequence[Results], what: str = "table") -> "DataFrame":
    """Return results as a frame of pandas.

    Parameters
    ----------
    results : Results or sequence of Results
    what : str
        ``"table"``: a row for each learner, with the numbers of the table, unrounded; ``"runs"``: a row for each
        learner and seed; ``"curves"``: one for each checkpoint of each run.

    Returns
    -------
    DataFrame
        Its first column is the scenario.

    Raises
    ------
    TypeError, ValueError
        If an argument is of another kind.
    ImportError
        If pandas is missing.

    Examples
    --------
    >>> from strategic_env import evaluate, report
    >>> results = evaluate(["perceptron", "strategic-perceptron-l2"], "KnownL2", seeds=2, rounds=300)
    >>> report.to_frame(results)[["learner", "mistakes_mean"]]
                       learner  mistakes_mean
    0               perceptron           41.5
    1  strategic-perceptron-l2            3.0
    >>> report.to_frame(results, "runs").groupby("learner").mistakes.max().to_dict()
    {'perceptron': 43, 'strategic-perceptron-l2': 4}
    """
    several = _several(results)
    chosen = one_of("what", what, FRAMES)
    try:
        import pandas
    except ImportError as error:
        raise missing_extra("a frame", "pandas", "data") from error
    makers = {"table": _of_learners, "runs": _of_runs, "curves": _of_curves}
    return pandas.DataFrame([{"scenario": title(one)} | line for one in several for line in makers[chosen](one)])


def to_markdown(results: Results | Sequence[Results]) -> str:
    """Return the table, as `show` prints it, in Markdown; of several results with a column for the scenario.

    Examples
    --------
    >>> from strategic_env import evaluate, report
    >>> results = evaluate(["perceptron", "strategic-perceptron-l2"], "KnownL2", seeds=2, rounds=300)
    >>> print(report.to_markdown(results))
    | learner | mean | min | max | bound | bound used | moved | cost paid |
    | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
    | perceptron | 41.5 | 40 | 43 | - | - | 14.3% | 0.011 |
    | strategic-perceptron-l2 | 3.0 | 2 | 4 | 100 | 3.0% | 14.7% | 0.097 |
    """
    cells = _cells(_several(results))
    rule = ["---"] * cells.texts + ["---:"] * (len(cells.headings) - cells.texts)
    lines = [[cell.replace("|", r"\|") for cell in line] for line in [cells.headings, rule, *cells.lines]]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def to_latex(results: Results | Sequence[Results]) -> str:
    r"""Return the table, as `show` prints it, as LaTeX's ``tabular`` with the rules of the package booktabs.

    Examples
    --------
    >>> from strategic_env import evaluate, report
    >>> results = evaluate(["strategic-perceptron-l2"], "KnownL2", seeds=2, rounds=300)
    >>> print(report.to_latex(results))
    \begin{tabular}{lrrrrrrr}
    \toprule
    learner & mean & min & max & bound & bound used & moved & cost paid \\
    \midrule
    strategic-perceptron-l2 & 3.0 & 2 & 4 & 100 & 3.0\% & 14.7\% & 0.097 \\
    \bottomrule
    \end{tabular}
    """
    cells = _cells(_several(results))
    columns = "l" * cells.texts + "r" * (len(cells.headings) - cells.texts)
    head, *body = [
        " & ".join(["--" if cell == MISSING else _escaped(cell) for cell in line]) + r" \\"
        for line in [cells.headings, *cells.lines]
    ]
    parts = [
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        head,
        r"\midrule",
        *body,
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(parts)


def _escaped(text: str) -> str:
    return re.sub(r"[\\~^&%$#_{}]", lambda found: SPECIAL[found[0]], text)


def _several(results: Results | Sequence[Results]) -> list[Results]:
    if isinstance(results, Results):
        return [results]
    if not isinstance(results, Sequence) or isinstance(results, str) or not results:
        raise TypeError(
            f"results must be what evaluate or Results.load returns, or a list of such, got {shown(results)}"
        )
    return [checked_results(one) for one in results]


def _cells(several: Sequence[Results]) -> Cells:
    """Return the table of all results: columns that would be empty are left out."""
    summaries = [rows(one) for one in several]
    columns = columns_of(several, [row for summary in summaries for row in summary])
    first = ["scenario"] if len(several) > 1 else []
    headings = [*first, "learner", *(" ".join(heading.split()) for heading, _ in columns)]
    lines = [
        [*([title(one)] if first else []), shown_name(contestant), *(show(row) for _, show in columns)]
        for one, summary in zip(several, summaries, strict=True)
        for contestant, row in zip(one.contestants, summary, strict=True)
    ]
    return Cells(headings, lines, len(first) + 1)


def _of_learners(results: Results) -> Iterator[dict[str, Any]]:
    names, lines = records(results)
    yield from ({name: line[name] for name in names} for line in lines)


def _of_runs(results: Results) -> Iterator[dict[str, Any]]:
    for run in results.runs:
        counted = {"mistakes": run.mistakes, "loss": run.loss, **run.columns}
        yield {"learner": run.learner, "seed": run.seed, **counted, "cpu_seconds": run.cpu_seconds, "error": run.error}


def _of_curves(results: Results) -> Iterator[dict[str, Any]]:
    for run in results.runs:
        for step, mistakes in zip(results.checkpoints, run.curve, strict=False):  # of a failed run it ends early
            yield {"learner": run.learner, "seed": run.seed, "round": step, "mistakes": mistakes}
