"""The house rules, held by a test: one-way arrows, no global randomness, a cheap import, a tidy top level."""

import ast
import importlib
import subprocess
import sys
from collections.abc import Iterator
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from types import ModuleType

import networkx
import pytest

from agents.foundation.disk_cache import COMPILED

ROOT = Path(__file__).parents[1]
# What each package must not import.
FORBIDDEN = {"agents": {"learners", "strategic_env"}, "learners": {"strategic_env"}, "strategic_env": set()}

# The rooms of each package, from the ground up: a file may import its own room and those named before it.
# ``learners`` stands on the whole of ``agents``, ``strategic_env`` on both.
ROOMS = {
    "agents": ("foundation", "boundary", "costs", "responses", "populations"),
    "learners": (
        "separators", "bounds", "feedback", "policy", "strategic", "multiclass", "search", "proofs", "rl", "catalogue",
    ),
    "strategic_env": (
        "data", "games", "bench", "sweep", "conformance", "report", "multi_agent", "reproduce", "explorer", "cli",
    ),
}  # fmt: skip
MOST_ROOMS = 10

TOP = {
    "agents", "learners", "strategic_env", "tests", "examples", "docs", "benchmarks",
    "pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "CITATION.cff",
    ".ci", ".git", ".gitignore", ".github",
}  # fmt: skip

# What numpy.random offers without touching its global state.
EXPLICIT_RANDOMNESS = {"BitGenerator", "Generator", "PCG64", "Philox", "SeedSequence", "default_rng"}


def module_name(path: Path) -> str:
    """``agents/costs.py`` -> ``agents.costs``, a package's ``__init__.py`` -> the package."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for package in FORBIDDEN for path in sorted((ROOT / package).rglob("*.py"))}


@cache
def syntax(path: Path) -> ast.Module:
    """Parse a source file once."""
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def imports(module: str, path: Path) -> Iterator[str]:
    """Yield every module that a source imports anywhere, inside functions too, as absolute dotted names."""
    package = module if path.stem == "__init__" else module.rpartition(".")[0]
    for node in ast.walk(syntax(path)):
        match node:
            case ast.Import(names=names):
                yield from (name.name for name in names)
            case ast.ImportFrom(module=source, names=names, level=level):
                base = package.split(".")[: package.count(".") + 2 - level] if level else []
                origin = ".".join([*base, *([source] if source else [])])
                for name in names:
                    if not name.name.startswith("__"):  # such as __version__
                        submodule = f"{origin}.{name.name}"
                        yield submodule if submodule in MODULES else origin
            case ast.Call(func=ast.Attribute(attr="import_module") | ast.Name(id="import_module" | "__import__")):
                match node.args:
                    case [ast.Constant(value=str(target)), *_]:
                        yield f"{package}{target}" if target.startswith(".") else target


@pytest.mark.parametrize("module", MODULES)
def test_packages_import_downwards_only(module: str) -> None:
    imported = {name.partition(".")[0] for name in imports(module, MODULES[module])}
    assert not imported & FORBIDDEN[module.partition(".")[0]]


def room_of(module: str) -> str | None:
    """``strategic_env.games.shared.spaces`` -> ``games``; None for a package itself and what runs it."""
    return next((part for part in module.split(".")[1:2] if not part.startswith("__")), None)


@pytest.mark.parametrize("package", ROOMS)
def test_a_package_has_the_rooms_of_the_plan_and_no_more_than_ten(package: str) -> None:
    found = {room_of(module) for module in MODULES if module.partition(".")[0] == package} - {None}
    assert found == set(ROOMS[package]) and len(found) <= MOST_ROOMS


@pytest.mark.parametrize("module", MODULES)
def test_rooms_import_downwards_only(module: str) -> None:
    package, room = module.partition(".")[0], room_of(module)
    if room is None:  # the face of a package hands on names of all its rooms
        return
    above = ROOMS[package][ROOMS[package].index(room) + 1 :]
    wrong = [
        name for name in imports(module, MODULES[module]) if name.startswith(f"{package}.") and room_of(name) in above
    ]
    assert not wrong, f"{module} imports a room above its own: {wrong}"


def test_no_file_imports_itself_through_others() -> None:
    arrows = {
        module: [name for name in imports(module, path) if name in MODULES and path_is_no_face(name)]
        for module, path in MODULES.items()
        if path_is_no_face(module)
    }
    assert not list(networkx.simple_cycles(networkx.DiGraph(arrows)))


def path_is_no_face(module: str) -> bool:
    """Whether a module is a file with code of its own, not the ``__init__`` of a room."""
    return MODULES[module].name != "__init__.py"


@pytest.mark.parametrize("module", MODULES)
def test_what_is_compiled_lies_where_the_stamp_of_compiled_code_looks(module: str) -> None:
    place = MODULES[module].relative_to(ROOT)
    used = {"agents.foundation.compiled", "numba"} & set(imports(module, MODULES[module]))
    assert not used or any(place.is_relative_to(room) for room in COMPILED)


def global_randomness(tree: ast.Module) -> Iterator[str]:
    """Yield each use of a random state that no seed of ours controls."""
    for node in ast.walk(tree):
        found: list[str] = []
        match node:
            case ast.Attribute(value=ast.Attribute(value=ast.Name(id="np" | "numpy"), attr="random"), attr=name):
                found = [f"np.random.{name}"] if name not in EXPLICIT_RANDOMNESS else []
            case ast.ImportFrom(module="numpy.random", names=names):
                found = [f"numpy.random.{name.name}" for name in names if name.name not in EXPLICIT_RANDOMNESS]
            case ast.ImportFrom(module="numpy", names=names):
                found = ["numpy.random under a name of its own" for name in names if name.name == "random"]
            case ast.Import(names=names):
                renamed = {name.name for name in names if name.asname}
                found = sorted({name.name for name in names} & {"random"} | renamed & {"numpy.random"})
            case ast.ImportFrom(module="random"):
                found = ["random"]
            case ast.Call(func=ast.Attribute(attr="default_rng") | ast.Name(id="default_rng"), args=[], keywords=[]):
                found = ["default_rng() without a seed"]
        yield from (f"line {node.lineno}: {what}" for what in found)


@pytest.mark.parametrize("module", MODULES)
def test_no_global_randomness(module: str) -> None:
    assert not list(global_randomness(syntax(MODULES[module])))


def test_a_plain_import_is_cheap() -> None:
    heavy = ("numba", "scipy", "networkx", "matplotlib", "typer", "pandas", "torch")
    program = f"import sys, strategic_env; print(*(name for name in {heavy} if name in sys.modules))"
    completed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert completed.returncode == 0, completed.stderr
    assert completed.stdout.split() == [], "import strategic_env loads what it should load on first use"


def test_dir_lists_what_loads_on_first_use() -> None:
    for package in FORBIDDEN:
        module = importlib.import_module(package)
        assert set(module.__all__) <= set(dir(module))


@pytest.mark.parametrize("package", FORBIDDEN)
def test_a_module_that_a_face_names_can_be_the_first_one_imported(package: str) -> None:
    face = importlib.import_module(package)
    for name in (name for name in face.__all__ if isinstance(getattr(face, name), ModuleType)):
        command = [sys.executable, "-c", f"from {package} import {name}"]
        completed = subprocess.run(command, capture_output=True, text=True, timeout=120)
        assert completed.returncode == 0, completed.stderr


def test_top_level_holds_only_what_the_design_names() -> None:
    lines = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    ignored = [line.strip("/") for line in lines if line and not line.startswith("#")]
    unknown = [
        path.name
        for path in ROOT.iterdir()
        if path.name not in TOP and not any(fnmatch(path.name, pattern) for pattern in ignored)
    ]
    assert not unknown, f"not in the design's list of top-level names: {sorted(unknown)}"
