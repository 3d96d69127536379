"""The house rules, held by a test: one-way arrows, no global randomness, a cheap import, a tidy top level."""

import ast
import importlib
import subprocess
import sys
from collections.abc import Iterator
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# What each package must not import.
FORBIDDEN = {"agents": {"learners", "strategic_env"}, "learners": {"strategic_env"}, "strategic_env": set()}

# Inside strategic_env a module may import earlier ones only. Its __init__ re-exports everything, so it comes last.
# Modules not named here may stand anywhere, as long as no chain of imports through them leads to a later module.
ORDER = (
    "game", "games", "scene", "picture", "rendering", "interface", "single_base", "single",
    "vector_base", "vector",
    "multiclass.game", "multiclass.interface", "multiclass.single", "multiclass.vector", "bench_scenario",
    "multiclass.builders", "multiclass.scenarios", "rollout_base", "multiclass.rollouts", "builders",
    "scenarios", "contestants", "multi_agent.rounds", "multi_agent.spaces", "multi_agent.table", "multi_agent.turns",
    "multi_agent.simultaneous", "multi_agent.policies", "multi_agent.recording", "multi_agent", "rollouts",
    "playing", "saved", "archive", "evaluation", "summary", "scores", "comparison", "plotting", "profiles", "report",
    "listing", "reproduce", "train", "cli", "",
)  # fmt: skip

TOP = {
    "agents", "learners", "strategic_env", "tests", "examples", "docs", "benchmarks",
    "pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "CITATION.cff",
    ".ci", ".git", ".gitignore", ".github",
}  # fmt: skip

# What numpy.random offers without touching its global state.
EXPLICIT_RANDOMNESS = {"BitGenerator", "Generator", "PCG64", "Philox", "SeedSequence", "default_rng"}


def module_name(path: Path) -> str:
    """``strategic_env/games/strategic/rules.py`` -> ``strategic_env.games.strategic.rules``, a package's ``__init__.py`` -> the package."""
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


def reachable(module: str) -> dict[str, str]:
    """Return every module of the project that chains of imports lead to, each with the chain."""
    chains = {module: module}
    queue = [module]
    for current in queue:
        for target in imports(current, MODULES[current]):
            if target in MODULES and target not in chains:
                chains[target] = f"{chains[current]} -> {target}"
                queue.append(target)
    return chains


@pytest.mark.parametrize("module", MODULES)
def test_packages_import_downwards_only(module: str) -> None:
    imported = {name.partition(".")[0] for name in imports(module, MODULES[module])}
    assert not imported & FORBIDDEN[module.partition(".")[0]]


@pytest.mark.parametrize("place", range(len(ORDER) - 1), ids=ORDER[:-1])
def test_strategic_env_keeps_its_order(place: int) -> None:
    later = {f"strategic_env.{name}".rstrip(".") for name in ORDER[place + 1 :]}
    module = f"strategic_env.{ORDER[place]}"
    assert module in MODULES, f"{module} is named in ORDER and does not exist"
    wrong = [chain for target, chain in reachable(module).items() if target in later]
    assert not wrong, "a module imports a later one: " + "; ".join(wrong)


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
        assert "__name__" in dir(module)


def test_top_level_holds_only_what_the_design_names() -> None:
    lines = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    ignored = [line.strip("/") for line in lines if line and not line.startswith("#")]
    unknown = [
        path.name
        for path in ROOT.iterdir()
        if path.name not in TOP and not any(fnmatch(path.name, pattern) for pattern in ignored)
    ]
    assert not unknown, f"not in the design's list of top-level names: {sorted(unknown)}"
