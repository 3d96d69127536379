"""Rows on the single environment: one step through ``gymnasium.make``."""

from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np

import strategic_env  # noqa: F401  # registers the environments
from benchmarks.measure import Budget, Measurement, Reach, Row, Side, alternate

ENVIRONMENT = "strategic_env/KnownL2-v0"
# An episode of the default horizon.
STEPS = 1000


def rows() -> list[Row]:
    """Return all rows."""
    return [
        Row(f"single/{form}/d{dim}", Reach("<=", limit), partial(_step, form, dim))
        for form, limit in (("dict", 0.5), ("flat", 0.4))
        for dim in (2, 10)
    ]


class Playing:
    """A thousand steps, with a reset wherever an episode ends."""

    def __init__(self, env: Any, actions: list[Any]) -> None:
        env.reset(seed=0)
        self._env, self._actions = env, actions

    def __call__(self) -> None:
        """Play."""
        env = self._env
        for action in self._actions:
            _, _, terminated, truncated, _ = env.step(action)
            if terminated or truncated:
                env.reset()


def _step(form: str, dim: int, budget: Budget) -> Measurement:
    rng = np.random.default_rng(0)
    classifiers = rng.uniform(-1.0, 1.0, (STEPS, dim + 1)).astype(np.float32 if form == "flat" else np.float64)
    ours = gym.make(ENVIRONMENT, dim=dim, observation=form, info_level="full")
    cartpole = gym.make("CartPole-v1").unwrapped
    return alternate(
        Side(f"gym.make, {form}, info full", Playing(ours, list(classifiers)), STEPS),
        Side("CartPole-v1, raw", Playing(cartpole, list(rng.integers(2, size=STEPS))), STEPS),
        budget,
        unit="step",
    )
