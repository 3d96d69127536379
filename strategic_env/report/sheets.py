"""A table as a value: the terminal prints it, a notebook and the explorer show it as HTML."""

import html
from collections.abc import Sequence
from typing import NamedTuple

from rich.text import Text

from strategic_env.bench.encoding import plain
from strategic_env.games.shared.scenario import BenchScenario
from strategic_env.report.summary import shortened

STYLE = "text-align: {side}; padding: 2px 10px; white-space: pre-line; vertical-align: bottom"


class Line(NamedTuple):
    """A line of a table: whose it is, the cells, and what is to be said below them."""

    name: str
    cells: Sequence[str]
    below: Sequence[Text] = ()


class Sheet(NamedTuple):
    """A table: title, headings (of the names, then of the cells), lines, and notes."""

    title: str
    headings: Sequence[str]
    lines: Sequence[Line]
    notes: Sequence[str]

    def to_html(self) -> str:
        """Return the table as HTML that needs no style sheet."""
        head = "".join(_cell("th", text, at > 0) for at, text in enumerate(self.headings))
        body = "".join(self._row(line) for line in self.lines)
        notes = "".join(f"<p>{html.escape(note)}</p>" for note in self.notes)
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        return f"<div><p><b>{html.escape(self.title)}</b></p>{table}{notes}</div>"

    def _row(self, line: Line) -> str:
        cells = "".join(_cell("td", text, at > 0) for at, text in enumerate((line.name, *line.cells)))
        below = "".join(
            f'<tr><td colspan="{len(self.headings)}">{html.escape(text.plain)}</td></tr>' for text in line.below
        )
        return f"<tr>{cells}</tr>{below}"


def _cell(kind: str, text: str, number: bool) -> str:
    style = STYLE.format(side="right" if number else "left")
    return f'<{kind} style="{style}">{html.escape(text.strip())}</{kind}>'


def scenario_sheet(scenario: BenchScenario) -> Sheet:
    """Return what a scenario is as a table: its options, and what it tells a learner.

    Examples
    --------
    >>> from strategic_env import report, scenario
    >>> [line[:2] for line in report.scenario_sheet(scenario("KnownL2", dim=3)).lines[:3]]
    [('rounds of an episode', ['1,000']), ('option dim', ['3']), ('tells cost', ['l2'])]
    """
    options = [Line(f"option {name}", [_text(value)]) for name, value in scenario.options.items()]
    told = [Line(f"tells {name}", [_text(value)]) for name, value in scenario.knowledge.items()]
    lines = [Line("rounds of an episode", [f"{scenario.horizon:,}"]), *options, *told]
    notes = [] if scenario.proved is not None else [f"{scenario.why_no_bound()}."]
    return Sheet(f"{scenario.name}, a scenario of {scenario.game} classification", ("", ""), lines, notes)


def _text(value: object) -> str:
    return shortened(str(plain(value)))
