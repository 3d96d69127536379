"""Pieces of pages in Markdown."""

import json
import re
from collections.abc import Iterable, Sequence

from strategic_env.bench.encoding import plain
from strategic_env.report.summary import shortened

SINGLE = re.compile(r"(?<!`)`(?!`)([^`\n]+)`(?!`)")


def table(head: Sequence[str], body: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of a table, with a blank line at either end."""
    lines = ["| " + " | ".join(cells) + " |" for cells in (head, ["---"] * len(head), *map(escaped, body))]
    return ["", *lines, ""]


def escaped(cells: Sequence[str]) -> list[str]:
    """Return cells in which no character ends the cell."""
    return [re.sub(r"(?<!\\)\|", r"\\|", " ".join(cell.split())) for cell in cells]


def linked(text: str) -> str:
    """Return a docstring's text whose names in single backquotes are links where there is something to lead to."""
    return SINGLE.sub(r"{named}`\1`", text)


def value(of: object) -> str:
    """Return a value as users write it on the command line."""
    return f"`{shortened(json.dumps(plain(of)))}`"


def paragraphs(text: str) -> str:
    """Return a docstring's text with its line breaks inside paragraphs gone, so that a page may break them."""
    return linked(text)
