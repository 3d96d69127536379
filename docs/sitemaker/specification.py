"""What a class docstring says of an environment, in sections and tables, held against the environment itself."""

import inspect
import re
from collections.abc import Iterator, Mapping
from typing import Any

from gymnasium import Env, spaces
from sphinx.errors import ExtensionError

Row = dict[str, str]
LEVELS = ("none", "outcome", "full")


def section(kind: type, heading: str) -> str:
    """Return the text below a heading of a class docstring, up to the next one; "" if there is none."""
    text = inspect.getdoc(kind) or ""
    found = re.search(rf"^## {heading}\n(.*?)(?=^## |^\w+\n---|\Z)", text, re.MULTILINE | re.DOTALL)
    return found[1].strip() if found else ""


def rows(text: str) -> list[Row]:
    """Return the rows of the table in a text; an empty cell at the left repeats the one above."""
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.split("\n") if line[:1] == "|"]
    if not lines:
        return []
    head, _, *body = lines
    for above, below in zip(body, body[1:], strict=False):
        below[0] = below[0] or above[0]
    return [dict(zip(head, cells, strict=True)) for cells in body]


def codes(cell: str) -> list[str]:
    """Return what stands in double backquotes."""
    return re.findall(r"``(.+?)``", cell)


def observed(kind: type) -> dict[str, tuple[str, str]]:
    """Return the shape and the meaning of each entry of an observation, as the docstring says them."""
    return {
        codes(row["key"])[0]: (codes(row["shape"])[0], row["what"]) for row in rows(section(kind, "Observation Space"))
    }


def arguments(kind: type) -> dict[str, Row]:
    """Return the rows of a class docstring's arguments by their names."""
    return {codes(row["name"])[0]: row for row in rows(section(kind, "Arguments"))}


def told(kind: type, level: str) -> set[str]:
    """Return the keys of an info that a class docstring names for a level."""
    found = [row for row in rows(section(kind, "Info")) if codes(row["``info_level``"])[0] == f'"{level}"']
    return {key for row in found for key in codes(row["keys"])}


def check(name: str, games: Mapping[str, Env[Any, Any]], sizes: Mapping[str, int]) -> None:
    """Make sure that the tables of a class docstring are true of a scenario's environment.

    Parameters
    ----------
    name : str
        Of the scenario.
    games : mapping
        Its environment for each ``info_level``.
    sizes : mapping
        What the letters in the table's shapes stand for.

    Raises
    ------
    ExtensionError
        If a table names another entry, shape or key than the environment has: the build stops.
    """
    for fault in faults(games, sizes):
        raise ExtensionError(f"{name}: {fault}")


def faults(games: Mapping[str, Env[Any, Any]], sizes: Mapping[str, int]) -> Iterator[str]:
    """Yield each difference between the tables and the environment, in a line."""
    unwrapped = games["full"].unwrapped
    kind, space = type(unwrapped), unwrapped.observation_space
    assert isinstance(space, spaces.Dict)
    said = {key: eval(shape, {}, dict(sizes)) for key, (shape, _) in observed(kind).items()}
    found = {key: part.shape for key, part in space.items()}
    if said != found:
        yield f"the table of {kind.__name__} says that observations hold {said}, and the space holds {found}"
    below = [line for line in section(kind, "Info").split("\n") if line[:1] != "|"]
    words = set(codes(" ".join(below)))  # keys that only some populations have
    for level in LEVELS:
        games[level].reset(seed=0)
        keys, said_keys = set(games[level].step(games[level].action_space.sample())[4]), told(kind, level)
        if not said_keys <= keys <= said_keys | words:
            yield f"the table of {kind.__name__} says that infos of level {level!r} hold {said_keys}, not {keys}"
