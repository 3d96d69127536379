"""One contestant, one seed: play and count."""

import copy
import io
import pickle
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any

import numpy as np
from gymnasium import spaces

from agents.foundation.checks import LARGEST_LENGTH, LARGEST_SEED, count, entries_of, is_many, shown
from agents.foundation.streams import game_key
from learners.policy import Policy
from strategic_env.bench.contestants import Contestant, Predictor
from strategic_env.bench.versions import versions
from strategic_env.games.shared.rollout import Rollout
from strategic_env.games.shared.scenario import BenchScenario

MOST_CHECKPOINTS = 1000
# What `learners.policy` notes on a learner, of the kinds of arrays that it met.
NOTED = ("_patterns", "_usual")
# Whose learners keep what they learn in their state: ours, and models, which may switch modes while they predict.
KEPT_APART = ("learners.", "stable_baselines3.", "sb3_contrib.")


@dataclass(frozen=True)
class Run:
    """One learner on one seed.

    Attributes
    ----------
    learner : str
        The contestant's label.
    seed : int
    mistakes : int
        Over all rounds.
    loss : float
        Minus the sum of rewards.
    columns : dict of float
        What else the game counts (`strategic_env.games.shared.scenario.BenchScenario.columns`), by name.
    curve : list of int
        Mistakes up to each of the results' checkpoints.
    cpu_seconds : float
    error : str or None
        What went wrong; the numbers then count what happened before, unless the run was played in compiled code.
    fused : bool
        Whether the rounds were played in compiled code (`strategic_env.games.strategic.rollout`); the numbers are the
        same.
    versions : dict of str
        With what it was played (`strategic_env.bench.versions`); empty where a folder does not say.
    """

    learner: str
    seed: int
    mistakes: int = 0
    loss: float = 0.0
    columns: dict[str, float] = field(default_factory=dict)
    curve: list[int] = field(default_factory=list)
    cpu_seconds: float = 0.0
    error: str | None = None
    fused: bool = False
    versions: dict[str, str] = field(default_factory=versions)


def play(
    contestant: Contestant,
    scenario: BenchScenario,
    seed: int,
    rounds: int,
    checkpoints: Sequence[int],
    *,
    raising: tuple[type[Exception], ...] = (),
) -> Run:
    """Let one contestant play ``rounds`` rounds with one seed; an error ends the run and is noted in it.

    Errors of the classes in ``raising`` are raised instead.
    """
    tally = _Tally(contestant.label, seed, checkpoints, scenario)
    start = time.process_time()
    try:
        _play(contestant, scenario, seed, rounds, tally)
    except raising:
        raise
    except Exception as error:  # a learner may fail in any way; the other runs must not be lost
        return tally.run(time.process_time() - start, _said(error))
    return tally.run(time.process_time() - start, None)


def _said(error: Exception) -> str:
    """Return what an error says, as UTF-8 can hold it."""
    try:
        text = str(error)
    except Exception:
        text = "its message cannot be read"
    return f"{type(error).__name__}: {text}".encode(errors="backslashreplace").decode()


def _play(contestant: Contestant, scenario: BenchScenario, seed: int, rounds: int, tally: "_Tally") -> None:
    learner = scenario.reference_learner(seed, rounds) if contestant.learner is None else _apart(contestant.learner)
    if isinstance(learner, Policy):
        learner = learner.for_run(seed)
    if isinstance(learner, Policy) and learner.has_rules() and scenario.in_compiled_code():
        tally.take(scenario.play(learner, game_key(seed)[np.newaxis], rounds, tally.checkpoints))
        return
    # A policy of Stable-Baselines3 that was trained on flat observations says so.
    flat = isinstance(getattr(learner, "observation_space", None), spaces.Box)
    env = scenario.lasting(rounds).make(observation="flat" if flat else "dict")
    observation, _ = env.reset(seed=seed)
    state, before = None, _content(learner)
    for _ in range(rounds):
        answer = learner.predict(observation, state, None, True)
        if not isinstance(answer, tuple) or len(answer) != 2:
            raise TypeError(f"predict must return (action, state), got {shown(answer)}")
        action, state = answer
        observation, reward, _, _, info = env.step(action)
        tally.count(float(reward), info)
    if before != _content(learner):
        warnings.warn(
            f"{contestant.label} changed while it played: what it learns must be in the state that predict returns, "
            "since it may play many games at once; each run began with a copy",
            stacklevel=5,
        )


def _apart(learner: Predictor) -> Predictor:
    """Return a copy of what somebody else wrote, so that nothing it keeps on itself reaches the next run."""
    if type(learner).__module__.startswith(KEPT_APART):
        return learner
    try:
        return copy.deepcopy(learner)
    except Exception:  # copying runs any code
        return learner


def _content(learner: Predictor) -> bytes | None:
    """Return all that an object of somebody else's holds; None where that cannot be told."""
    if type(learner).__module__.startswith(KEPT_APART):
        return None
    try:
        _Content(content := io.BytesIO(), protocol=4).dump(learner if isinstance(learner, Policy) else vars(learner))
    except Exception:  # pickling runs any code
        return None
    return content.getvalue()


class _Content(pickle.Pickler):
    """Writes what tells an object from what it was, to be compared, not loaded."""

    def reducer_override(self, part: object) -> Any:
        """Leave out what a learner of this package notes, wherever it is part of another."""
        if not isinstance(part, Policy):
            return NotImplemented
        return object, (), {name: value for name, value in vars(part).items() if name not in NOTED}


class _Tally:
    """Counts one run."""

    def __init__(self, label: str, seed: int, checkpoints: Sequence[int], scenario: BenchScenario) -> None:
        self._label, self._seed, self._scenario = label, seed, scenario
        self.checkpoints = np.array(checkpoints, dtype=np.int64)
        self._marks = set(checkpoints)
        self._fused = False
        self._rounds = self._mistakes = 0
        self._loss = 0.0
        self._columns: dict[str, float] = dict.fromkeys(scenario.columns, 0)
        self._curve: list[int] = []

    def count(self, reward: float, info: dict[str, Any]) -> None:
        """Count one round."""
        self._rounds += 1
        self._mistakes += bool(info["mistake"])
        self._loss -= reward
        for name, number in self._scenario.counted(info).items():
            self._columns[name] += number
        if self._rounds in self._marks:
            self._curve.append(self._mistakes)

    def take(self, played: Rollout) -> None:
        """Take over what compiled code counted of one game."""
        self._fused = True
        self._mistakes, self._loss = int(played.mistakes[0]), float(played.loss[0])
        self._columns = {name: counted[0].item() for name, counted in played.columns.items()}
        self._curve = played.curves[0].tolist()

    def run(self, cpu_seconds: float, error: str | None) -> Run:
        """Return what was counted."""
        numbers = self._mistakes, self._loss, self._columns, self._curve
        return Run(self._label, self._seed, *numbers, cpu_seconds, error, self._fused)


def checkpoints_of(rounds: int) -> list[int]:
    """Return the rounds at which curves are kept: all up to 1,000.

    Of more, the first 500, then about 500 that grow by a fixed share, so that linear and logarithmic axes are both
    well covered; the last one is always among them.
    """
    if rounds <= MOST_CHECKPOINTS:
        return list(range(1, rounds + 1))
    half = MOST_CHECKPOINTS // 2
    return [*range(1, half + 1), *sorted({round(step) for step in np.geomspace(half + 1, rounds, half).tolist()})]


def seed_numbers(seeds: int | Sequence[int]) -> list[int]:
    """Return how many seeds (0, 1, ...), or which, as a list without repetitions.

    Raises
    ------
    TypeError
        If they are no integers.
    ValueError
        If there are none, one is negative, or one comes twice.
    """
    if isinstance(seeds, Integral):
        return list(range(count("seeds", seeds, minimum=1, maximum=LARGEST_LENGTH)))
    if not is_many(seeds):
        raise TypeError(f"seeds must be an integer or a sequence of integers, got {shown(seeds)}")
    numbers = [count("seeds", seed, maximum=LARGEST_SEED) for seed in entries_of("seeds", seeds)]
    if not numbers or len(set(numbers)) < len(numbers):
        raise ValueError(f"seeds must hold at least one seed and none twice, got {numbers}")
    return numbers
