"""Rows on the game with several agents: one turn of the turn-based environment, without wrappers."""

import warnings
from functools import partial
from typing import Any

import numpy as np

from benchmarks.measure import Budget, Measurement, Reach, Row, Side, Unavailable, alternate
from strategic_env.multi_agent import raw_env

# Rounds of an episode.
ROUNDS = 1000


def rows() -> list[Row]:
    """Return all rows."""
    return [
        Row(f"multi-agent/{form}/d{dim}", Reach("<=", 1.5), partial(_turn, form, dim))
        for form in ("raw_env", "env")
        for dim in (2, 10)
    ]


class Episode:
    """An episode: a reset, then everybody in turn looks at everything and acts, up to the last turns without action."""

    def __init__(self, env: Any, actions: list[Any]) -> None:
        self._env, self._actions = env, actions

    def __call__(self) -> None:
        """Play."""
        env, last, step = self._env, self._env.last, self._env.step
        env.reset(seed=0)
        for action in self._actions:
            last()
            step(action)
        while env.agents:
            last()
            step(None)


def _turn(form: str, dim: int, budget: Budget) -> Measurement:
    theirs = _rock_paper_scissors(form)
    rng = np.random.default_rng(0)
    ours = raw_env("KnownL2", dim=dim, max_cycles=ROUNDS)
    low, high = ours.spaces.bounds
    classifiers, reports = rng.uniform(-1.0, 1.0, (ROUNDS, dim + 1)), rng.uniform(low, high, (ROUNDS, dim))
    in_turn = [action for turns in zip(classifiers, reports, strict=True) for action in turns]
    return alternate(
        Side(f"raw_env, d = {dim}", Episode(ours, in_turn), 2 * ROUNDS + 2),
        Side(f"rps_v2.{form}", Episode(theirs, rng.integers(3, size=2 * ROUNDS).tolist()), 2 * ROUNDS + 2),
        budget,
        unit="turn",
    )


def _rock_paper_scissors(form: str) -> Any:
    try:
        with warnings.catch_warnings():  # deprecated since 1.27, but before it there is no other way
            warnings.simplefilter("ignore")
            from pettingzoo.classic import rps_v2
    except ImportError:
        raise Unavailable("pygame is not installed: pip install pygame") from None
    return getattr(rps_v2, form)(max_cycles=ROUNDS)
