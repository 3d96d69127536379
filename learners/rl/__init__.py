"""Reinforcement learning: vector environments for Stable-Baselines3."""

from typing import TYPE_CHECKING

from agents.lazy import lazily

if TYPE_CHECKING:
    from learners.rl.vector_adapter import GymnasiumVecEnv as GymnasiumVecEnv
else:
    _HOMES = {"GymnasiumVecEnv": "vector_adapter"}
    __all__ = list(_HOMES)
    __getattr__ = lazily(__name__, _HOMES)
