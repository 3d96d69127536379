"""Pages of reference: the faces of the three packages, and a page for each room with what users import from there."""

import ast
import inspect
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

PACKAGES = ("agents", "learners", "strategic_env")
ROOT = Path(__file__).parents[2]


@cache
def public_names() -> dict[str, object]:
    """Return everything that a face hands out, and what the modules among it hand out, by its name for users."""
    found: dict[str, object] = {}
    for package in PACKAGES:
        found |= dict(public_of(import_module(package)))
    return found


def public_of(module: ModuleType) -> Iterator[tuple[str, object]]:
    """Yield the public names of a module, and those of the modules among them."""
    defined = [name for name, value in vars(module).items() if getattr(value, "__module__", None) == module.__name__]
    for name in getattr(module, "__all__", [name for name in defined if not name.startswith("_")]):
        value = getattr(module, name)
        if isinstance(value, ModuleType):
            yield from public_of(value)
        else:
            yield f"{module.__name__}.{name}", value


def rooms(package: str) -> list[str]:
    """Return the rooms of a package by their import names: its folders and its files."""
    home = ROOT / package
    folders = [path.parent.name for path in home.glob("*/__init__.py")]
    files = [path.stem for path in home.glob("*.py") if not path.stem.startswith("__")]
    return [f"{package}.{name}" for name in sorted(folders + files)]


def modules(room: str) -> list[tuple[str, str]]:
    """Return the modules of a room with the first line that each says of itself; nothing is imported."""
    home = ROOT.joinpath(*room.split("."))
    files = sorted(home.rglob("*.py")) if home.is_dir() else [home.with_suffix(".py")]
    found = []
    for path in files:
        parts = path.relative_to(ROOT).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found.append((name, first_line(ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))))))
    return found


def first_line(text: str | None) -> str:
    """Return the first line of a docstring."""
    return (text or "").strip().partition("\n")[0]


def room_of(value: object, name: str) -> str:
    """Return the room in which a public thing was written."""
    home = getattr(value, "__module__", None) or name.rpartition(".")[0]
    return ".".join(home.split(".")[:2]) if home.split(".")[0] in PACKAGES else ".".join(name.split(".")[:2])


def reference_pages() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of every page."""
    by_room: dict[str, list[str]] = {}
    for name, value in public_names().items():
        by_room.setdefault(room_of(value, name), []).append(name)
    yield "reference/index", index_page(by_room)
    for package in PACKAGES:
        for room in rooms(package):
            yield f"reference/{room}", room_page(room, by_room.get(room, []))


def index_page(by_room: dict[str, list[str]]) -> str:
    """Return the page that leads to all rooms."""
    lines = ["# Reference", "", "What users import, by the room that it lives in.", ""]
    for package in PACKAGES:
        lines += [f"## `{package}`", "", first_line(import_module(package).__doc__), ""]
        lines += ["| room | what is there | to import |", "| --- | --- | --- |"]
        for room in rooms(package):
            names = ", ".join(f"`{name.rpartition('.')[2]}`" for name in sorted(by_room.get(room, [])))
            lines.append(f"| [{room}]({room}.md) | {modules(room)[0][1]} | {names} |")
        lines += ["", "```{toctree}", ":hidden:", *rooms(package), "```", ""]
    return "\n".join(lines)


def room_page(room: str, names: list[str]) -> str:
    """Return the page of a room: what users import from there, and its modules."""
    lines = [f"# {room}", "", modules(room)[0][1], ""]
    values = public_names()
    for name in sorted(names):
        lines += documented(name, values[name])
    lines += ["## Modules", "", "| module | what it holds |", "| --- | --- |"]
    lines += [f"| `{name}` | {line} |" for name, line in modules(room)]
    return "\n".join(lines) + "\n"


def documented(name: str, value: object) -> list[str]:
    """Return the lines that document a class, a function or a value."""
    if inspect.isclass(value):
        kind, options = "autoclass", ["   :members:"]
    elif callable(value):
        kind, options = "autofunction", []
    else:
        kind, options = "autodata", []
    short = name.rpartition(".")[2]
    return [f"## {short}", "", "```{eval-rst}", f".. {kind}:: {name}", *options, "```", ""]
