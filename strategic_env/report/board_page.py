"""The board as files: one page that needs no other file, host or script, and a table of its numbers."""

import base64
import csv
import html
import importlib.util
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from agents.foundation.checks import file_path
from agents.foundation.files import made_folder, refuse_links, replacing, write_csv
from strategic_env.bench.encoding import plain
from strategic_env.report.board import BoardRow, Group, Standing
from strategic_env.report.layout import MISSING
from strategic_env.report.profiles import plot_intervals
from strategic_env.report.scores import Estimate, interval_text
from strategic_env.report.sheets import Line, Sheet
from strategic_env.report.summary import bound_text, counted, shortened
from strategic_env.sweep.folder import ranges_of

PAGE, NUMBERS = "board.html", "board.csv"
ESTIMATES = ("mistakes", "score", "fewer")
HEADER = (
    "scenario", "name", "options", "learner", "kind", "parameters", "rounds", "seeds", "counts",
    *(f"{name}{end}" for name in ESTIMATES for end in ("", "_low", "_high")), "bound", "versions",
)  # fmt: skip
STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #1a1a1a; background: #fff; margin: 1.5rem auto; max-width: 72rem;
  padding: 0 1rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 14px; }
th { border-bottom: 2px solid #888; }
td { border-bottom: 1px solid #ddd; white-space: nowrap; }
tbody td:first-child { position: sticky; left: 0; background: #fff; }
.wide { overflow-x: auto; }
.wide p { font-size: 14px; margin: .3rem 0; }
img { max-width: 100%; height: auto; }
summary { cursor: pointer; padding: .3rem 0; }
"""
HOW_TO_READ = (
    "Every learner met the same people under the same seeds. Numbers are interquartile means with 95% bootstrap "
    "intervals, over the seeds of a scenario or, taken together, of all scenarios that the learner played."
)


def write_board(groups: Sequence[Group], folder: str | Path, notes: Sequence[str] = ()) -> list[Path]:
    """Write the page and its numbers to a folder, and return their paths.

    Raises
    ------
    OSError
        If they cannot be written, or are links.
    """
    place = made_folder("out", file_path("out", folder))
    files = [place / PAGE, place / NUMBERS]
    refuse_links(files)
    text = page(groups, notes)
    with replacing(files[0]) as unfinished:
        unfinished.write_text(text, encoding="utf-8")
    write_csv(files[1], HEADER, (_record(row) for group in groups for row in group.rows))
    return files


def page(groups: Sequence[Group], notes: Sequence[str] = ()) -> str:
    """Return the board as an HTML page, with pictures where matplotlib is there."""
    rows = [row for group in groups for row in group.rows]
    played = sorted({json.dumps(row.versions) for row in rows})
    facts = [HOW_TO_READ, *(f"Versions: {_versions_text(json.loads(text))}." for text in played), *notes]
    parts = [f"<p>{html.escape(fact)}</p>" for fact in facts]
    for group in groups:
        parts.append(f"<h2>{html.escape(_heading(group))}</h2>")
        parts += [picture(group), _wide(standings_sheet(group)), _wide(mistakes_sheet(group))]
        parts += [
            f"<details><summary>{html.escape(shortened(name))}</summary>{_wide(scenario_sheet(group, name))}</details>"
            for name in group.scenarios
        ]
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>Board of learners</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{STYLE}</style></head><body><h1>Board of learners</h1>\n" + "\n".join(parts) + "\n</body></html>\n"
    )


def standings_sheet(group: Group) -> Sheet:
    """Return the learners of a group over all scenarios that they played, the best first."""
    headings = ["learner", "scenarios", "normalised\nscore", "fewer than\nbaseline"]
    lines = [
        Line(one.learner, [f"{one.scenarios} of {len(group.scenarios)}", *_measures(one)]) for one in group.standings
    ]
    notes = []
    if any(one.score for one in group.standings):
        notes.append("normalised score: 0 is perceptron, 1 is best-fixed-classifier, by their mean mistakes.")
    if group.baseline is not None:
        notes.append(f"fewer than baseline: probability of fewer mistakes than {group.baseline}, a tie counting half.")
    notes.append("Learners that played other scenarios are not compared by these numbers: look at each scenario.")
    return Sheet("Over all scenarios", headings, lines, notes)


def mistakes_sheet(group: Group) -> Sheet:
    """Return a group's mistakes, learners x scenarios."""
    cells = {(row.learner, row.scenario): f"{row.mistakes.value:,.1f}" for row in group.rows}
    lines = [
        Line(one.learner, [cells.get((one.learner, name), MISSING) for name in group.scenarios])
        for one in group.standings
    ]
    headings = ["learner", *(shortened(name).replace(", ", "\n") for name in group.scenarios)]
    return Sheet("Mistakes on each scenario", headings, lines, [f"{MISSING}: does not fit the scenario."])


def scenario_sheet(group: Group, name: str) -> Sheet:
    """Return all numbers of one scenario, the fewest mistakes first."""
    rows = sorted((row for row in group.rows if row.scenario == name), key=lambda row: row.mistakes)
    lines = [
        Line(
            row.learner,
            [
                interval_text(row.mistakes, ",.1f"),
                *_measures(row),
                MISSING if row.bound is None else bound_text(row.bound),
            ],
        )
        for row in rows
    ]
    what = f"{shortened(name)}: {counted(rows[0].rounds, 'round')}, seeds {_seeds_text(rows[0].seeds)}"
    headings = ["learner", "mistakes", "normalised\nscore", "fewer than\nbaseline", "bound"]
    return Sheet(what, headings, lines, [])


def picture(group: Group) -> str:
    """Return the normalised scores of a group as an image inside the page; nothing where there are none."""
    scores = {one.learner: one.score for one in group.standings if one.score is not None}
    if not scores or importlib.util.find_spec("matplotlib") is None:
        return ""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "scores.png"
        plot_intervals(scores, file, xlabel="normalised score: 0 is perceptron, 1 is best-fixed-classifier")
        content = base64.b64encode(file.read_bytes()).decode()
    return f'<img alt="Normalised scores with 95% intervals, as tabled below" src="data:image/png;base64,{content}">'


def _measures(one: BoardRow | Standing) -> list[str]:
    pairs = (one.score, ".2f"), (one.fewer, ".0%")
    return [MISSING if estimate is None else interval_text(estimate, form) for estimate, form in pairs]


def _heading(group: Group) -> str:
    against = "" if group.baseline is None else f", against {group.baseline}"
    return f"Games of {group.game} classification{against}" if group.game != "search" else "Games of contextual search"


def _wide(sheet: Sheet) -> str:
    return f'<div class="wide">{sheet.to_html()}</div>'


def _versions_text(versions: dict[str, str]) -> str:
    return ", ".join(f"{name} {version}" for name, version in versions.items())


def _seeds_text(seeds: Sequence[int]) -> str:
    ranges = ranges_of(sorted(seeds))
    return ", ".join(f"{first} to {last}" if last > first else str(first) for first, last in ranges)


def _record(row: BoardRow) -> list[object]:
    estimates = [number for name in ESTIMATES for number in getattr(row, name) or (None,) * 3]
    options, parameters, versions = (
        json.dumps(plain(part), sort_keys=True) for part in (row.options, row.parameters, row.versions)
    )
    seeds, counts = (" ".join(map(str, numbers)) for numbers in (row.seeds, row.counts))
    played = row.scenario, row.name, options, row.learner, row.kind, parameters, row.rounds, seeds, counts
    return [*played, *estimates, row.bound, versions]


def read_board(file: str | Path) -> list[BoardRow]:
    """Return the rows of a board's numbers.

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        If it holds no board, or a row without seeds or versions.
    """
    path = file_path("file", file)
    with path.open(encoding="utf-8", newline="") as lines:
        reader = csv.DictReader(lines)
        if tuple(reader.fieldnames or ()) != HEADER:
            raise ValueError(f"{path} holds no board: its columns must be {', '.join(HEADER)}")
        return list(_rows(path, reader))


def _rows(path: Path, reader: "csv.DictReader[str]") -> Iterator[BoardRow]:
    for number, said in enumerate(reader, start=2):
        try:
            options, parameters, versions = (json.loads(said[name]) for name in ("options", "parameters", "versions"))
            seeds, counts = ([int(text) for text in said[name].split()] for name in ("seeds", "counts"))
            mistakes, score, fewer = (_estimate(said, name) for name in ESTIMATES)
            rounds, bound = int(said["rounds"]), float(said["bound"]) if said["bound"] else None
        except (ValueError, TypeError) as error:
            raise ValueError(f"{path}, line {number}, is no row of a board: {error}") from error
        if mistakes is None or not versions or len(counts) != len(seeds) or not seeds:
            raise ValueError(f"{path}, line {number}, must hold mistakes, a count for each seed, and versions")
        names = said["scenario"], said["name"], options, said["learner"], said["kind"], parameters
        yield BoardRow(*names, rounds, seeds, counts, mistakes, score, fewer, bound, versions)


def _estimate(said: dict[str, str], name: str) -> Estimate | None:
    texts = [said[f"{name}{end}"] for end in ("", "_low", "_high")]
    return Estimate(*map(float, texts)) if all(texts) else None
