"""``reproduce bounds``: which share of every bound random streams and adversaries use."""

from collections.abc import Callable, Iterator

from rich.table import Table
from rich.text import Text

from agents.foundation.files import UNFINISHED, csv_writer, refuse_links
from strategic_env.report.layout import table
from strategic_env.reproduce.literal import LITERAL
from strategic_env.reproduce.measure import DIMS, measure
from strategic_env.reproduce.result import SILENT, Reproduced, Request, number_of_runs
from strategic_env.reproduce.rows import (
    ATTAINED,
    ATTAINED_FROM,
    HOLDS,
    LOOSE,
    LOOSE_BELOW,
    VIOLATED,
    BoundRow,
    Shares,
    conclude,
)
from strategic_env.reproduce.samples import STREAMS_PER_SAMPLE, freund_schapire, leave_one_out
from strategic_env.reproduce.theorems import THEOREMS

RUNS = 3000
FILE = "bounds.csv"
STYLES = {ATTAINED: "bold green", HOLDS: "green", LOOSE: "yellow", VIOLATED: "bold red"}


def reproduce(request: Request) -> Reproduced:
    """Measure every bound, and show statements that fail as printed.

    Parameters
    ----------
    request : Request
        ``runs`` is the number of random streams for each bound, 3,000 by default.

    Returns
    -------
    Reproduced
        The table; ``bounds.csv``. Every line is written as soon as it is known, to ``bounds.csv.unfinished``, which an
        interrupt leaves. Unexpected is a resolved bound that is violated, and a statement that should fail as printed
        and does not.
    """
    runs = number_of_runs(request.runs, RUNS)
    total, done = len(THEOREMS) * len(DIMS) + 2 + len(LITERAL), 0

    def tick() -> None:
        nonlocal done
        done += 1
        request.progress(done, total)

    path = request.out / FILE
    resolved: list[BoundRow] = []
    literal: list[BoundRow] = []
    unfinished = path.with_name(path.name + UNFINISHED)
    refuse_links([path, unfinished])
    with unfinished.open("w", encoding="utf-8", newline="") as file:
        writer = csv_writer(file)
        for lines, measured in ((resolved, _resolved(runs, tick)), (literal, _literal(tick))):
            for line in measured:
                if not resolved:
                    writer.writerow(BoundRow._fields)
                lines.append(line)
                writer.writerow(line)
                file.flush()
    unfinished.replace(path)
    unexpected = [f"{line.bound} is violated" for line in resolved if line.verdict == VIOLATED]
    unexpected += [f"{line.bound} does not fail as printed" for line in literal if not _fails_as_printed(line)]
    return Reproduced(_pages(resolved, literal), [path], unexpected)


def _resolved(runs: int, tick: Callable[[], None]) -> Iterator[BoundRow]:
    for theorem in THEOREMS:
        yield measure(theorem, runs, tick)
    for of_a_sample in (freund_schapire, leave_one_out):
        yield of_a_sample(runs)
        tick()


def _literal(tick: Callable[[], None]) -> Iterator[BoundRow]:
    for instance in LITERAL:
        yield instance()
        tick()


def _fails_as_printed(line: BoundRow) -> bool:
    """Whether the printed form exceeds its bound and the resolved one does not."""
    return conclude(Shares(line.printed, None)) == VIOLATED != conclude(Shares(line.adversary_printed, None))


def _pages(resolved: list[BoundRow], literal: list[BoundRow]) -> tuple[Table, Table]:
    """Return the table of bounds, and that of what fails as printed."""
    numbers = ["runs", "m / printed", "m / sharpened", "adversary reaches"]
    columns = ["bound", "source", *numbers, "verdict"]
    first = table("Mistakes m / bound: the largest share that was used", columns, right=numbers, spare=columns[1:4])
    for line in resolved:
        shares = _share(line.printed), _share(line.sharpened), f"{line.adversary} {_share(_reached(line))}"
        first.add_row(line.bound, line.source, f"{line.runs:,}", *shares, _verdict(line))
    first.caption = Text(
        "runs: random streams, at least as many as asked for; in the last two rows random samples, of which the last"
        f" costs {STREAMS_PER_SAMPLE} streams' work.\n"
        "m / printed, m / sharpened: their largest share of the bound as printed, and sharpened.\n"
        "adversary reaches: of the sharpened bound, or of the printed one where there is no other.\n"
        "tangent: a negative at the margin, on the sphere of R, just within reach: Algorithm 2 learns least from it.\n"
        "greedy: anybody of a random pool on whom the learner errs now. orthonormal: unit vectors, all of one label.\n"
        f"attained: {ATTAINED_FROM:.0%} of the sharpest formula or more. loose: less than {LOOSE_BELOW:.0%}."
    )
    numbers = ["m / bound", "resolved"]
    columns = ["statement", "source", "instance", *numbers, "verdict"]
    title = "Taken literally: statements that fail as printed, each on one instance"
    second = table(title, columns, right=numbers, spare=columns[1:3])
    for line in literal:
        printed, corrected = _share(line.printed), _share(line.adversary_printed)
        second.add_row(line.bound, line.source, line.instance, printed, corrected, _verdict(line))
    second.caption = Text("resolved: the share that the corrected statement reaches on the same instance.")
    return first, second


def _verdict(line: BoundRow) -> Text:
    return Text(line.verdict, style=STYLES[line.verdict])


def _share(share: float | None) -> str:
    return SILENT if share is None else f"{share:.3f}"


def _reached(line: BoundRow) -> float | None:
    return line.adversary_printed if line.adversary_sharpened is None else line.adversary_sharpened
