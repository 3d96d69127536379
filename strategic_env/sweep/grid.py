"""What a sweep is asked for: scenarios times learners times seeds, as a mapping or a YAML file."""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np

from agents.foundation.checks import count, file_path, perhaps, shown
from agents.foundation.extras import missing_extra
from learners.catalogue import learner_class
from strategic_env.bench.arguments import parse_learner, parse_seeds
from strategic_env.bench.encoding import plain

KEYS = ("rounds", "seeds", "checkpoints", "scenarios", "learners", "without")
SUITES = {file.stem: file for file in sorted((Path(__file__).parent / "suites").glob("*.yaml"))}  # shipped grids
LARGEST_SEED = 2**64 - 1  # that a table of results can hold
ENTRY_KEYS = ("name", "set", "grid")
LISTS = (list, tuple, range, np.ndarray)


@dataclass(frozen=True)
class Entry:
    """A name with options: of a scenario, or of a learner."""

    name: str
    options: dict[str, object]


@dataclass(frozen=True)
class Grid:
    """A sweep in parts.

    Attributes
    ----------
    scenarios, learners : list of Entry
        Each grid as the product of its lists, one after the other. No learners: all that a scenario tells enough.
    without : dict of str
        Learners that are left out then, and why.
    seeds : list of int
        Increasing.
    rounds : int or None
        None: each scenario's horizon.
    checkpoints : list of int
        Rounds after which mistakes are noted besides.
    """

    scenarios: list[Entry]
    learners: list[Entry]
    seeds: list[int]
    rounds: int | None
    checkpoints: list[int]
    without: dict[str, str]


def read_grid(given: str | os.PathLike[str] | Mapping[str, object]) -> Grid:
    """Return what a mapping, a YAML file or one of the `SUITES` asks for.

    Raises
    ------
    TypeError, ValueError
        For unknown keys, values of another kind, or a file that is no YAML.
    OSError
        If the file cannot be read.
    ImportError
        If it is a file, and PyYAML is missing.
    """
    asked = given if isinstance(given, Mapping) else _loaded(SUITES.get(str(given)) or file_path("grid", given))
    _refuse_unknown("a sweep", asked, KEYS)
    if missing := [key for key in ("seeds", "scenarios") if key not in asked]:
        raise ValueError(f"a sweep needs {', '.join(missing)}")
    rounds = asked.get("rounds")
    checkpoints = asked.get("checkpoints") or []
    if not isinstance(checkpoints, LISTS):
        raise TypeError(f"checkpoints must be a list of rounds, got {shown(checkpoints)}")
    return Grid(
        scenarios=list(_entries("scenarios", asked["scenarios"])),
        learners=list(_entries("learners", asked["learners"])) if "learners" in asked else [],
        seeds=seeds_of(asked["seeds"]),
        rounds=None if rounds is None else count("rounds", rounds, minimum=1),
        checkpoints=sorted({count("checkpoints", mark, minimum=1) for mark in checkpoints}),
        without=_without(asked),
    )


def _without(asked: Mapping[str, object]) -> dict[str, str]:
    """Return who is left out of all learners, and why."""
    given = asked.get("without") or {}
    if not isinstance(given, Mapping):
        raise TypeError(f"without must name learners, each with the reason, got {shown(given)}")
    if given and "learners" in asked:
        raise ValueError("without is for sweeps of all learners: name some, or leave some out")
    for name in given:
        learner_class(str(name))
    return {str(name): str(why) for name, why in given.items()}


def seeds_of(seeds: object) -> list[int]:
    """Return the seeds that a number (0, 1, ...), a list, or ranges such as ``"0-4,7"`` (both ends) name, increasing.

    Raises
    ------
    TypeError, ValueError
        If they name none, one twice, or none that is a seed.
    """
    given = parse_seeds("".join(seeds.split())) if isinstance(seeds, str) else seeds
    if not isinstance(given, LISTS):
        given = range(count("seeds", given, minimum=1, maximum=10**9))
    numbers = [count("seeds", seed, maximum=LARGEST_SEED) for seed in given]
    if not numbers or len(set(numbers)) < len(numbers):
        raise ValueError(f"seeds must hold at least one seed and none twice, got {shown(seeds)}")
    return sorted(numbers)


def _loaded(file: Path) -> Mapping[str, object]:
    try:
        import yaml
    except ImportError as error:
        raise missing_extra("reading a grid", "pyyaml", "sweep") from error
    try:
        content = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ValueError(f"{file} must be YAML in UTF-8: {' '.join(str(error).split())}") from error
    if not isinstance(content, Mapping):
        raise ValueError(f"{file} must hold {', '.join(KEYS)}, got {shown(content)}")
    return content


def _entries(what: str, entries: object) -> Iterator[Entry]:
    if not isinstance(entries, list | tuple) or not entries:
        raise TypeError(f"{what} must be a list with at least one entry, got {shown(entries)}")
    for entry in entries:
        if isinstance(entry, str):
            name, options = parse_learner(entry)
            yield Entry(name, options)
        elif isinstance(entry, Mapping) and isinstance(entry.get("name"), str):
            yield from _products(what, entry)
        else:
            raise TypeError(f"each of {what} must be a name, or have one under 'name', got {shown(entry)}")


def _products(what: str, entry: Mapping[str, object]) -> Iterator[Entry]:
    """Yield an entry's options with every combination of its grid."""
    name = str(entry["name"])
    _refuse_unknown(f"{name} of {what}", entry, ENTRY_KEYS)
    fixed, grid = entry.get("set") or {}, entry.get("grid") or {}
    if not isinstance(fixed, Mapping) or not isinstance(grid, Mapping):
        raise TypeError(f"set and grid of {name} must be mappings, got {shown(fixed)} and {shown(grid)}")
    if twice := fixed.keys() & grid.keys():
        raise ValueError(f"an option of {name} must be given once, got {min(twice)!r} in set and in grid")
    for option, values in grid.items():
        if not isinstance(values, LISTS) or not len(values):
            raise TypeError(f"grid of {name} must list the values of {option}, got {shown(values)}")
    for chosen in product(*grid.values()):
        yield Entry(name, {**fixed, **dict(zip(grid, chosen, strict=True))})


def _refuse_unknown(what: str, given: Mapping[str, object], allowed: tuple[str, ...]) -> None:
    for key in given:
        if key not in allowed:
            raise ValueError(
                f"{what} has no key {key!r}; its keys are {', '.join(allowed)}{perhaps(str(key), allowed)}"
            )


def digest_of(content: object) -> str:
    """Return 16 hex digits that stand for what JSON can say, in any order of its keys."""
    return hashlib.sha256(json.dumps(plain(content), sort_keys=True).encode()).hexdigest()[:16]
