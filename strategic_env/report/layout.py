"""How tables look: a line of numbers for each learner, and tables that would rather lose columns than break words."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from strategic_env.report.output import encodable

MISSING = "-"
WIDTH = 130  # of the widest table


def print_learners(
    console: Console, headings: Sequence[str], learners: Sequence[tuple[str, Sequence[str], Sequence[Text]]]
) -> None:
    """Print a table whose numbers are never cut: a label that leaves no room for its numbers has its own line.

    Parameters
    ----------
    console : Console
    headings : sequence of str
        Of the columns of numbers, each of one line or two.
    learners : sequence of (str, sequence of str, sequence of Text)
        The label, the numbers, and what is to be said below them.
    """
    labels = [encodable(label, console) for label, _, _ in learners]
    tops, bottoms = ([("\n" + heading).split("\n")[row] for heading in headings] for row in (-2, -1))
    columns = zip(tops, bottoms, *(numbers for _, numbers, _ in learners), strict=True)
    widths = [max(map(len, column)) for column in columns]
    longest = max(map(cell_len, labels))
    blanks = 2 if longest + sum(widths) + 2 * len(widths) <= console.width else 1
    room = max(len("learner"), min(longest, console.width - sum(widths) - blanks * len(widths)))

    def line(label: str, numbers: Sequence[str]) -> str:
        row = "".join(f"{' ' * blanks}{number:>{size}}" for number, size in zip(numbers, widths, strict=True))
        size = cell_len(label)
        return f"{label}{' ' * (room - size)}{row}" if size <= room else f"{label}\n{' ' * room}{row}"

    rule = ("-" if console.options.ascii_only else "─") * len(line("", bottoms))
    console.print(Text(f"{line('', tops)}\n{line('learner', bottoms)}", style="bold"), soft_wrap=True)
    console.print(rule, soft_wrap=True)
    for label, (_, numbers, below) in zip(labels, learners, strict=True):
        for text in (Text(line(label, numbers)), *below):
            console.print(text, soft_wrap=True)


class FittingTable(Table):
    """A table that would rather leave out columns than break words; which ones, in this order, ``spare`` names."""

    spare: Sequence[str] = ()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Render what fits, and say what is left out."""
        columns, caption, omitted = self.columns, self.caption, list[str]()
        for name in self.spare:
            if Measurement.get(console, options.update_width(10 * WIDTH), self).maximum <= options.max_width:
                break
            omitted.append(name)
            kept = [column for column in columns if column.header not in omitted]
            self.columns = [replace(column, _index=at) for at, column in enumerate(kept)]
        if omitted:
            note = f"left out, as the terminal is narrow: {', '.join(omitted)}"
            self.caption = Text("\n").join([*([Text(str(caption))] if caption else []), Text(note)])
        yield from super().__rich_console__(console, options)
        self.columns, self.caption = columns, caption


def table(title: str, columns: Sequence[str], *, right: Sequence[str] = (), spare: Sequence[str] = ()) -> Table:
    """Return an empty table.

    Columns in ``right`` are aligned to the right. Where room is short, those in ``spare`` are left out, then cells are
    folded.
    """
    style: dict[str, Any] = {
        "title_justify": "left", "box": box.SIMPLE_HEAD, "show_edge": False, "pad_edge": False,
        "padding": (0, 1, 0, 0), "header_style": "bold", "caption_justify": "left",
    }  # fmt: skip
    result = FittingTable(title=Text(title, style="bold"), **style)
    result.spare = spare
    for column in columns:
        result.add_column(column, justify="right" if column in right else "left", overflow="fold")
    return result
