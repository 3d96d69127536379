"""One cell of a sweep: a learner on a scenario for so many rounds, as JSON can say it; and how it is played."""

import json
import re
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from agents.foundation.streams import game_key
from learners.policy import Policy
from strategic_env.bench.archive import source_digest
from strategic_env.bench.contestants import Contestant, contestant
from strategic_env.bench.encoding import plain
from strategic_env.bench.playing import Run, play
from strategic_env.games.scenarios import kind_of, scenario
from strategic_env.games.shared.rollout import MOST_GAMES, Rollout
from strategic_env.games.shared.scenario import BenchScenario
from strategic_env.sweep.grid import Entry, digest_of

# Errors of the machine, not of a learner: they fail a chunk, and are no result.
OF_THE_MACHINE = (MemoryError, OSError)
_PLACES = re.compile(r"0x[0-9a-fA-F]+|(?<![\w.])(?:[A-Za-z]:)?[/\\](?:[^\s'\":,]+[/\\])+[^\s'\":,]*")


class SourcesChanged(ValueError):
    """A cell would be played by other code than it was planned with."""


@dataclass(frozen=True)
class Cell:
    """What is the same in all rows of a cell.

    Attributes
    ----------
    scenario : str
    options : dict
        Those that were given.
    learner : str
    parameters : dict
        Those that were given.
    rounds : int
    checkpoints : list of int
    source : str
        A hash of the files outside this package that decide what happens, and of a saved policy; empty if none do.
    digest : str
        What rows know the cell by: options that were not given count with their defaults.
    """

    scenario: str
    options: dict[str, Any]
    learner: str
    parameters: dict[str, Any]
    rounds: int
    checkpoints: list[int]
    source: str
    digest: str

    def built(self) -> "Built":
        """Return who plays what.

        Raises
        ------
        SourcesChanged
            If that is not what was planned.
        """
        made = _scenario(self.scenario, self.options).lasting(self.rounds)
        one = contestant(self.learner, made, **self.parameters)
        if _source_of(one, made) != self.source:
            raise SourcesChanged(f"{one.label} on {self.scenario} was planned with other sources than these")
        return Built(self, made, one)


@dataclass(frozen=True)
class Built:
    """A cell, ready to play."""

    cell: Cell
    scenario: BenchScenario
    contestant: Contestant

    def play(self, seeds: list[int]) -> "list[tuple[list[int], Rollout | list[Run]]]":
        """Return seeds, and what came of them, the same as of `strategic_env.evaluate`; what fails is noted in a run.

        Raises
        ------
        MemoryError, OSError
            If the machine fails, not the learner.
        """
        if not self.in_batches():
            return [(seeds, self._one_by_one(seeds))]
        batches = [seeds[first : first + MOST_GAMES] for first in range(0, len(seeds), MOST_GAMES)]
        return [(batch, self._together(batch)) for batch in batches]

    def in_batches(self) -> bool:
        """Whether many seeds are played at once: by a learner with compiled rules that draws nothing for a run."""
        learner = self.contestant.learner
        if not isinstance(learner, Policy) or not learner.has_rules() or not self.scenario.in_compiled_code():
            return False
        return learner.for_run(0) is learner

    def _together(self, seeds: list[int]) -> Rollout | list[Run]:
        keys = np.stack([game_key(seed) for seed in seeds])
        marks = np.array(self.cell.checkpoints, dtype=np.int64)
        try:
            return self.scenario.play(self.contestant.learner, keys, self.cell.rounds, marks)  # type: ignore[arg-type]
        except OF_THE_MACHINE:
            raise
        except Exception:  # of one game: find out of which
            return self._one_by_one(seeds)

    def _one_by_one(self, seeds: list[int]) -> list[Run]:
        cell, how = self.cell, {"raising": OF_THE_MACHINE}
        return [play(self.contestant, self.scenario, seed, cell.rounds, cell.checkpoints, **how) for seed in seeds]


def cell_of(place: Entry, player: Entry, rounds: int | None, checkpoints: list[int]) -> Cell:
    """Return the cell of a scenario and a learner.

    Raises
    ------
    TypeError, ValueError
        If they do not fit, or an option is wrong.
    """
    made = _scenario(place.name, place.options)
    length = made.horizon if rounds is None else rounds
    made = made.lasting(length)
    one = contestant(player.name, made, **player.options)
    if isinstance(one.learner, Policy) and not made.suits(type(one.learner)):
        raise ValueError(f"{one.label} learns from what {place.name} hides")
    marks = [mark for mark in checkpoints if mark <= length]
    source = _source_of(one, made)
    told = _defaults(place.name) | place.options | {"horizon": length}
    parameters = one.learner.parameters if isinstance(one.learner, Policy) else player.options
    content = [place.name, told, player.name, parameters, length, marks, source]
    names: dict[str, Any] = {"scenario": place.name, "learner": player.name}
    options = {"options": plain(place.options), "parameters": plain(player.options)}
    return Cell(**names | options, rounds=length, checkpoints=marks, source=source, digest=digest_of(content))


def said(text: str | None) -> str | None:
    """Return what an error says, the same on every machine: without addresses and paths."""
    return None if text is None else _PLACES.sub("...", text)


def _scenario(name: str, options: dict[str, Any]) -> BenchScenario:
    return _built_scenario(name, json.dumps(plain(options), sort_keys=True))


@lru_cache(maxsize=64)
def _built_scenario(name: str, options: str) -> BenchScenario:
    """Return a scenario from options as JSON, built once for all learners that meet it."""
    return scenario(name, **json.loads(options))


@cache
def _defaults(name: str) -> dict[str, object]:
    return kind_of(name).defaults(name)


def _source_of(one: Contestant, made: BenchScenario) -> str:
    """Return a hash of what others wrote or trained; empty if all is of this package."""
    learner, parts = one.learner, []
    classes = [type(part) for part in (learner, made.setting.population) if part is not None]
    if any(kind.__module__.partition(".")[0] not in ("agents", "learners", "strategic_env") for kind in classes):
        parts.append(source_digest(*classes))
    if isinstance(learner, Policy) and (path := learner.parameters.get("path")) and Path(str(path)).is_file():
        parts.append(sha256(Path(str(path)).read_bytes()).hexdigest())
    return "".join(parts)
