"""Docstrings as reStructuredText: those of environments have headings and tables in Gymnasium's Markdown."""

import re
from collections.abc import Iterator
from typing import Any

SECTION = re.compile(r"^-{3,}$")
# What stands in backquotes stays as it is; elsewhere these characters would begin something.
MARKED = re.compile(r"(``.+?``|`[^`]+`)|([*|\\]|(?<=\w)_(?=\W|$))")


def prepare(app: Any, what: str, name: str, of: object, options: Any, lines: list[str]) -> None:
    """Rewrite the lines of a docstring before its sections are read."""
    lines[:] = rewritten(lines)


def skip(app: Any, what: str, name: str, value: object, skipped: bool, options: Any) -> bool | None:
    """Leave out what is for the package alone: the classes of states, which pages of learners show."""
    return True if name == "state_class" else None


def rewritten(lines: list[str]) -> list[str]:
    """Return the lines of a docstring with Markdown's headings and tables in reStructuredText."""
    end = next((i for i, line in enumerate(lines) if line.strip() == "Examples"), len(lines))
    found: list[str] = []
    position = 0
    while position < end:
        line = lines[position]
        if line.startswith("## "):
            found += [f".. rubric:: {line[3:]}", ""]
        elif line.startswith("|"):
            stop = next((i for i in range(position, end) if not lines[i].startswith("|")), end)
            found += ["", *list_table(lines[position:stop]), ""]
            position = stop - 1
        else:
            found.append(escaped(line))
        position += 1
    return found + lines[end:]


def escaped(line: str) -> str:
    """Return a line in which only backquotes mean something; bullets and names of parameters stay."""
    lead = re.match(r"\s*(\* )?|\*{1,2}(?=\w)", line)
    start = lead.end() if lead else 0
    if line[:2] in ("**", ">>"):  # keywords of a section, examples
        return line
    return line[:start] + MARKED.sub(lambda found: found[1] or "\\" + found[2], line[start:])


def list_table(rows: list[str]) -> Iterator[str]:
    """Yield a Markdown table as one of reStructuredText."""
    yield from (".. list-table::", "   :header-rows: 1", "")
    for cells in cells_of(rows):
        for number, cell in enumerate(cells):
            yield f"   {'* -' if number == 0 else '  -'} {escaped(cell)}"


def cells_of(rows: list[str]) -> list[list[str]]:
    """Return the cells of a Markdown table, head first, without the line below it."""
    found = [[cell.strip() for cell in row.strip().strip("|").split("|")] for row in rows]
    return [found[0], *found[2:]]
