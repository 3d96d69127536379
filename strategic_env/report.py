"""Results as a table, a JSON object, CSV files and a picture of cumulative mistakes with the theorems' bounds."""

import csv
import json
import math
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from agents.typing import Float
from learners.fixed import BestFixedClassifier, ConstantClassifier
from strategic_env.evaluation import Contestant, Results, Run
from strategic_env.registration import SCENARIOS
from strategic_env.rendering import require_plot

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CURVES, SUMMARY, PICTURE = "curves.csv", "summary.csv", "mistakes.png"
MISSING = "-"
# Colours of Okabe and Ito, which colour-blind readers tell apart; those who do not learn are grey and black.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
GREY, BLACK = "#6E6E6E", "#222222"
LINES, DASHED = ("-", "-.", ":"), "--"
# Learners that end this many times apart are told apart on logarithmic axes only.
FAR_APART = 30.0
# A bound this many times higher than the highest curve would squash the curves: linear and logarithmic axes.
ROOM, LOGARITHMIC_ROOM = 3.0, 30.0


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
    done, errors = _done(runs), [run.error for run in runs if run.error is not None]
    mistakes = [run.mistakes for run in done]
    mean = _ratio(sum(mistakes), len(mistakes))
    bound = _finite(results.bound(contestant))
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
    reference = _reference(results)
    if reference is None:
        return None
    baseline = {run.seed: run.mistakes for run in _done(results.of(reference))}
    differences = [run.mistakes - baseline[run.seed] for run in done if run.seed in baseline]
    return _ratio(sum(differences), len(differences))


def _reference(results: Results) -> Contestant | None:
    return next((one for one in results.contestants if one.learner is None), None)


def _done(runs: Iterable[Run]) -> list[Run]:
    return [run for run in runs if run.error is None]


def _ratio(total: float, number: float) -> float | None:
    return total / number if number > 0 else None


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def show(results: Results, console: Console) -> None:
    """Print the table; columns that would be empty are left out, and the caption says why."""
    summary = rows(results)
    columns = [column for column in _columns() if any(cell != MISSING for cell in map(column[1], summary))]
    cells = [[show_cell(row) for _, show_cell in columns] for row in summary]
    widths = [
        max(map(len, [*heading.split("\n"), *(line[at] for line in cells)])) for at, (heading, _) in enumerate(columns)
    ]
    room = max(12, console.width - sum(widths) - 2 * len(widths))  # what two blanks before every number leave
    caption = Text("\n" + "\n".join(_notes(results, summary)))
    caption.highlight_regex(r"(?m)^[a-z ]+:", "bold")
    table = Table(
        box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold",
        title=Text(_title(results), style="bold"), title_justify="left", caption=caption, caption_justify="left",
    )  # fmt: skip
    table.add_column("\nlearner", no_wrap=True)
    for (heading, _), width in zip(columns, widths, strict=True):
        table.add_column(heading, justify="right", no_wrap=True, min_width=width)
    for contestant, row, line in zip(results.contestants, summary, cells, strict=True):
        table.add_row(_label_cell(contestant, row, len(results.seeds), room), *line)
    console.print(table)


def _columns() -> list[tuple[str, Callable[[Row], str]]]:
    """Return the heading of every column of numbers, and how it shows a row."""
    return [
        ("mistakes\nmean", lambda row: _number(row.mistakes_mean, ",.1f")),
        ("\nmin", lambda row: _number(row.mistakes_min, ",d")),
        ("\nmax", lambda row: _number(row.mistakes_max, ",d")),
        ("\nregret", lambda row: _number(row.regret, "+,.1f")),
        ("\nbound", lambda row: _bound_text(row.bound)),
        ("bound\nused", lambda row: _number(row.bound_used, ".1%")),
        ("\nmoved", lambda row: _number(row.manipulators, ".1%")),
        ("cost\npaid", lambda row: _number(row.qualified_cost, ".3f")),
    ]


def _number(value: float | None, form: str) -> str:
    return MISSING if value is None else format(value, form)


def _bound_text(bound: float | None) -> str:
    """Show a bound on a whole number of mistakes: rounded, it is one still."""
    return _number(bound, ",.0f" if bound is None or bound < 1e7 else ".1e")


def _label_cell(contestant: Contestant, row: Row, seeds: int, width: int) -> Text:
    text = Text("\n".join(_wrapped(_shown(contestant), width)))
    if row.failed:
        text.append("\n" + "\n".join(textwrap.wrap(f"{row.failed} of {seeds} failed", width)), style="red")
    return text


def _wrapped(label: str, width: int) -> list[str]:
    """Break a label at its hyphens where it must be, and put its parameters on lines of their own."""
    name, _, parameters = label.partition(":")
    details = textwrap.wrap(parameters.replace(", ", ",").replace(",", ", "), width - 2)
    return [*textwrap.wrap(name, width), *(f"  {line}" for line in details)]


def _shown(contestant: Contestant) -> str:
    """Return what tables and pictures call a contestant."""
    if contestant.learner is None:
        return "reference"
    if isinstance(contestant.learner, ConstantClassifier):
        return "accept all" if contestant.learner.accept else "accept nobody"
    return contestant.label


def _title(results: Results) -> str:
    options = results.scenario.options.items()
    return ", ".join([results.scenario.name, *(f"{key}={json.dumps(_plain(value))}" for key, value in options)])


def _notes(results: Results, summary: Sequence[Row]) -> list[str]:
    """Return the lines of the table's caption."""
    notes = [f"mistakes: in {results.rounds:,} rounds, over {_seeds(results)}."]
    if _reference(results) is None:
        notes.append(f"no regret: the reference ({BestFixedClassifier.name}) takes no part.")
    else:
        notes.append(f"reference: {BestFixedClassifier.name}, made from the true points; not always the best.")
        notes.append("regret: mean mistakes minus the reference's.")
    if any(row.bound is not None for row in summary):
        notes.append(f"bound: the theorem's on mistakes, sharpened; {MISSING} where none applies.")
        notes.append("bound used: mean mistakes / bound.")
    else:
        notes.append(f"{_why_no_bound(results)}.")
    notes.append("moved: share of arrivals that manipulated.")
    notes.append("cost paid: by an average arrival of label +1; being accepted is worth 1.")
    return notes + [f"{_failure(row, results)}: {' '.join((row.error or '').split())}" for row in summary if row.failed]


def _seeds(results: Results) -> str:
    return f"{len(results.seeds)} seeds" if len(results.seeds) > 1 else "1 seed"


def _failure(row: Row, results: Results) -> str:
    return f"{row.learner} failed on {row.failed} of {_seeds(results)}"


def _why_no_bound(results: Results) -> str:
    feedback = results.scenario.setting.feedback
    if feedback != "full":
        return f"no bounds: the theorems need every label, but feedback is {feedback}"
    if results.scenario.truth is None:
        return "no bounds: no hyperplane is known to separate the labels"
    return "no bounds: no theorem of these learners applies here"


def to_json(results: Results) -> dict[str, object]:
    """Return the object that ``strategic-env run --json`` prints.

    Numbers of a run that failed, and bounds that do not apply or are infinite, are None.

    Returns
    -------
    dict
        ``scenario``, ``options``, ``rounds``, ``seeds`` and ``results``: for each learner its name, explicit
        ``parameters``, ``bound``, ``printed_bound``, ``error`` and, one per seed, ``mistakes``, ``loss``,
        ``manipulations``, ``cpu_seconds``.
    """
    return {
        "scenario": results.scenario.name,
        "options": _plain(results.scenario.options),
        "rounds": results.rounds,
        "seeds": _plain(results.seeds),
        "results": [_entry(results, contestant) for contestant in results.contestants],
    }


def _entry(results: Results, contestant: Contestant) -> dict[str, object]:
    runs = results.of(contestant)

    def per_seed(value: Callable[[Run], float]) -> list[object]:
        return [None if run.error is not None else _plain(value(run)) for run in runs]

    return {
        "learner": contestant.name,
        "parameters": _plain(contestant.parameters),
        "mistakes": per_seed(lambda run: run.mistakes),
        "loss": per_seed(lambda run: run.loss),
        "manipulations": per_seed(lambda run: run.manipulations),
        "bound": _finite(results.bound(contestant)),
        "printed_bound": _finite(results.bound(contestant, printed=True)),
        "cpu_seconds": per_seed(lambda run: run.cpu_seconds),
        "error": next((run.error for run in runs if run.error is not None), None),
    }


def _plain(value: object) -> object:
    """Return what JSON can encode: arrays as lists, NaN and infinity as None, other objects as text."""
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float):
        return _finite(value)
    return value if value is None or isinstance(value, bool | int | str) else repr(value)


def write_curves(results: Results, path: str | Path) -> None:
    """Write every curve as CSV: learner, seed, round, mistakes up to that round."""
    with Path(path).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("learner", "seed", "round", "mistakes"))
        for run in results.runs:
            # The curve of a run that failed stops early.
            points = zip(results.checkpoints, run.curve, strict=False)
            writer.writerows((run.learner, run.seed, step, mistakes) for step, mistakes in points)


def write_summary(results: Results, path: str | Path) -> None:
    """Write the table as CSV, one line per learner, the fields of `Row`; empty where a number is None."""
    with Path(path).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Row)])
        writer.writeheader()
        writer.writerows(asdict(row) for row in rows(results))


def save(results: Results, folder: str | Path) -> list[Path]:
    """Write the curves, the table and the picture to a folder, and return their paths.

    Raises
    ------
    ImportError
        If matplotlib is missing.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    writers = {CURVES: write_curves, SUMMARY: write_summary, PICTURE: plot}
    for name, write in writers.items():
        write(results, folder / name)
    return [folder / name for name in writers]


def plot(results: Results, path: str | Path) -> None:
    """Draw cumulative mistakes with the theorems' bounds, as one PNG.

    Axes are logarithmic where some learners stop and others err for ever. A bound far above all curves is only told.

    Raises
    ------
    ImportError
        If matplotlib is missing.
    """
    require_plot()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.6, 5.6), facecolor="white")
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0.08, 0.12, 0.62, 0.74))
    curves = _curves(results)
    logarithmic = _far_apart(curves)
    highest = max([1.0, *(float(curve.most[-1]) for curve in curves)])
    limit = highest * (LOGARITHMIC_ROOM if logarithmic else ROOM)
    bounds = [curve for curve in curves if curve.bound is not None and curve.bound <= limit]
    top = max([highest, *(curve.bound or 0.0 for curve in bounds)])
    _draw_axes(axes, results, top, logarithmic)
    for curve in curves:
        _draw_curve(axes, results.checkpoints, curve, from_origin=not logarithmic)
    for curve in bounds:
        axes.axhline(curve.bound or 0.0, color=curve.colour, linewidth=1.1, linestyle=(0, (1, 1.5)))
    _draw_names(axes, curves, bounds)
    figure.savefig(path, dpi=150, bbox_inches="tight", pad_inches=0.15)


@dataclass(frozen=True)
class _Curve:
    """What the picture shows of one contestant; ``mean``, ``least``, ``most`` over seeds have shape (checkpoints,)."""

    name: str
    colour: str
    style: str
    mean: Float
    least: Float
    most: Float
    bound: float | None


def _curves(results: Results) -> list[_Curve]:
    """Summarise the runs that did not fail; a contestant without any is left out."""
    curves, learning = [], 0
    for contestant in results.contestants:
        colour, style = COLOURS[learning % len(COLOURS)], LINES[learning // len(COLOURS) % len(LINES)]
        if contestant.learner is None:
            colour, style = BLACK, DASHED
        elif isinstance(contestant.learner, ConstantClassifier):
            colour, style = GREY, LINES[0 if contestant.learner.accept else -1]
        else:
            learning += 1
        seeds = np.array([run.curve for run in _done(results.of(contestant))], dtype=np.float64)
        if len(seeds):
            spread = seeds.mean(axis=0), seeds.min(axis=0), seeds.max(axis=0)
            curves.append(_Curve(_shown(contestant), colour, style, *spread, _finite(results.bound(contestant))))
    return curves


def _far_apart(curves: Sequence[_Curve]) -> bool:
    """Tell whether linear axes would show some learners as a flat line at the bottom."""
    last = [float(curve.mean[-1]) for curve in curves if curve.style != DASHED]
    return bool(last) and max(last) > FAR_APART * max(1.0, min(last))


def _draw_axes(axes: "Axes", results: Results, top: float, logarithmic: bool) -> None:
    from matplotlib.ticker import FuncFormatter

    if logarithmic:
        axes.set_xscale("log")
        axes.set_yscale("symlog", linthresh=1.0, linscale=0.5)  # 0 mistakes have a place, too
        axes.set_ylim(-0.15, 1.3 * top)
    else:
        axes.set_ylim(-0.02 * top, 1.04 * top)
    axes.set_xlim(1 if logarithmic else 0, max(2, results.rounds))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
    axes.set_xlabel("round", fontsize=12)
    axes.set_ylabel("mistakes so far", fontsize=12)
    axes.tick_params(labelsize=11)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(GREY)
    axes.grid(color="#E4E4E4", linewidth=0.8)
    axes.set_axisbelow(True)
    lines = _subtitle(results)
    axes.text(0.0, 1.02, "\n".join(lines), transform=axes.transAxes, fontsize=10.5, color=GREY, va="bottom")
    axes.set_title(_title(results), loc="left", fontsize=15, fontweight="bold", pad=8 + 15 * len(lines))


def _subtitle(results: Results) -> list[str]:
    """Return what the scenario is, what is drawn, and what is not."""
    summary = rows(results)
    lines = [SCENARIOS[results.scenario.name]] if results.scenario.name in SCENARIOS else []
    lines.append("1 seed" if len(results.seeds) == 1 else f"mean of {_seeds(results)}, band from minimum to maximum")
    if _reference(results) is not None:
        lines[-1] += "; reference: a fixed classifier made from the true points"
    if not any(row.bound is not None for row in summary):
        lines.append(_why_no_bound(results))
    return lines + [_failure(row, results) for row in summary if row.failed]


def _draw_curve(axes: "Axes", checkpoints: Sequence[int], curve: _Curve, *, from_origin: bool) -> None:
    start = [0.0] if from_origin else []
    rounds, mean, least, most = (
        np.array([*start, *values]) for values in (checkpoints, curve.mean, curve.least, curve.most)
    )
    axes.fill_between(rounds, least, most, color=curve.colour, alpha=0.16, linewidth=0)
    axes.plot(rounds, mean, color=curve.colour, linestyle=curve.style, linewidth=2.0)


def _draw_names(axes: "Axes", curves: Sequence[_Curve], bounds: Sequence[_Curve]) -> None:
    """Write each curve's name and last mean, and each bound, right of the axes at its height or close to it."""
    names = []
    for curve in curves:
        lines = _wrapped(curve.name, 36)
        lines[0] += f"  {curve.mean[-1]:,.1f}"
        if curve in bounds:
            text = "\n".join(_wrapped(f"bound of {curve.name}", 36))
            names.append((curve.bound or 0.0, f"{text}  {_bound_text(curve.bound)}", curve.colour, "normal"))
        elif curve.bound is not None:
            lines.append(f"(bound {_bound_text(curve.bound)})")
        names.append((float(curve.mean[-1]), "\n".join(lines), curve.colour, "bold"))
    names.sort()
    to_axes = axes.transData + axes.transAxes.inverted()
    heights = [float(to_axes.transform((1.0, value))[1]) for value, *_ in names]
    places = _apart(heights, [0.055 * (1 + text.count("\n")) for _, text, *_ in names])
    frame = axes.transAxes
    for (_, text, colour, weight), height, place in zip(names, heights, places, strict=True):
        axes.plot([1.005, 1.03], [height, place], transform=frame, color=colour, linewidth=1.0, clip_on=False)
        axes.text(1.04, place, text, transform=frame, color=colour, fontsize=11, fontweight=weight, va="center")


def _apart(heights: Sequence[float], sizes: Sequence[float]) -> list[float]:
    """Move ascending heights apart, so that labels of these sizes do not overlap and none is above the axes."""
    gaps = [(lower + upper) / 2 for lower, upper in pairwise(sizes)]
    places = list(heights)
    for at, gap in enumerate(gaps):
        places[at + 1] = max(places[at + 1], places[at] + gap)
    for at in reversed(range(len(places))):
        places[at] = min(places[at], places[at + 1] - gaps[at] if at < len(gaps) else 1.0)
    return places
