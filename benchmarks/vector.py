"""Rows on the vector environment: one step of N games."""

from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.envs.classic_control.cartpole import CartPoleVectorEnv

import strategic_env  # noqa: F401  # registers the environments
from agents.costs import L2Cost
from agents.populations.finite import FixedSequence
from benchmarks.measure import Budget, Measurement, Reach, Row, Side, alternate
from strategic_env.games.scenarios import scenario
from strategic_env.games.strategic.vector import StrategicClassificationVectorEnv

GAMES = (64, 1024, 8192)
SCENARIO, DIM = "KnownL2", 10
ENVIRONMENT = f"strategic_env/{SCENARIO}-v0"
POOL: dict[str, Any] = {"pool": 4096, "population_seed": 0}
# Whole episodes and the call that begins the next one, so that every pair counts resets as often as they occur.
# Python environments are slow: where they are a side, episodes are short on both.
HORIZON, SHORT_HORIZON, NO_RESET = 1000, 99, 2**53
# A learner publishes new classifiers every round; these few take turns.
ACTIONS = 4


def rows() -> list[Row]:
    """Return all rows."""
    table = [
        *(Row(f"vector/pool/{games}", Reach(">=", limit), partial(_pool, "none", games))
          for games, limit in zip(GAMES, (7.0, 1.5, 0.55), strict=True)),
        *(Row(f"vector/cyclic/{games}", Reach(">=", limit), partial(_cyclic, games))
          for games, limit in zip(GAMES, (8.0, 2.0, 0.85), strict=True)),
        *(Row(f"vector/fresh/{games}", Reach("<=", 1.3), partial(_fresh, games)) for games in GAMES),
        *(Row(f"vector/full/{games}", Reach(">=", limit), partial(_pool, "full", games))
          for games, limit in zip(GAMES, (4.0, 1.2, 0.5), strict=True)),
    ]  # fmt: skip
    for level in ("none", "full"):
        for games, limit in ((64, 50.0), (1024, 150.0)):
            table.append(Row(f"vector/sync-{level}/{games}", Reach(">=", limit), partial(_sync, level, games)))
    return table


class Stepping:
    """A number of calls of ``step``; the actions take turns."""

    def __init__(self, env: Any, actions: list[Any], calls: int) -> None:
        env.reset(seed=0)
        self._env, self._actions = env, [actions[call % len(actions)] for call in range(calls)]
        self._last: object = None

    def __call__(self) -> None:
        """Play."""
        step = self._env.step
        for action in self._actions:
            self._last = step(action)


def _native(games: int, **options: Any) -> StrategicClassificationVectorEnv:
    env = gym.make_vec(ENVIRONMENT, num_envs=games, dim=DIM, **options)
    assert isinstance(env, StrategicClassificationVectorEnv)
    return env


def _side(label: str, env: Any, games: int, horizon: int = HORIZON) -> Side:
    rng = np.random.default_rng(0)
    classifiers = [rng.uniform(-1.0, 1.0, (games, DIM + 1)) for _ in range(ACTIONS)]
    return Side(label, Stepping(env, classifiers, horizon + 1), horizon + 1)


def cartpole(games: int) -> Side:
    """Return the other side: Gymnasium's own vector environment."""
    env = gym.make_vec("CartPole-v1", num_envs=games)
    assert type(env) is CartPoleVectorEnv
    rng = np.random.default_rng(0)
    actions = [rng.integers(2, size=games) for _ in range(ACTIONS)]
    return Side("CartPoleVectorEnv", Stepping(env, actions, HORIZON), HORIZON)


def _pool(level: str, games: int, budget: Budget) -> Measurement:
    ours = _side(f"pool, info {level}", _native(games, info_level=level, **POOL), games)
    return alternate(cartpole(games), ours, budget, unit="step")


def _cyclic(games: int, budget: Budget) -> Measurement:
    env = scenario(SCENARIO, dim=DIM, **POOL).make()
    env.reset(seed=0)
    features, labels = env.true_points(POOL["pool"])
    members = FixedSequence(block=list(zip(features.tolist(), labels.tolist(), strict=True)))
    cyclic = StrategicClassificationVectorEnv(members, L2Cost(0.3), num_envs=games, info_level="none", horizon=NO_RESET)
    return alternate(cartpole(games), _side("cyclic, no reset, info none", cyclic, games), budget, unit="step")


def _fresh(games: int, budget: Budget) -> Measurement:
    fresh = _side("fresh individuals", _native(games, info_level="none"), games)
    pool = _side("pool", _native(games, info_level="none", **POOL), games)
    rng = np.random.default_rng(0)

    def pool_and_normals() -> None:
        pool.run()
        for _ in range(pool.units):
            rng.standard_normal((games, DIM))

    both = Side("pool, and normals by NumPy", pool_and_normals, pool.units)
    return alternate(fresh, both, budget, unit="step")


def _sync(level: str, games: int, budget: Budget) -> Measurement:
    options = {"info_level": level, "horizon": SHORT_HORIZON, **POOL}
    single = gym.make_vec(ENVIRONMENT, num_envs=games, vectorization_mode="sync", dim=DIM, **options)
    return alternate(
        _side(f"SyncVectorEnv, info {level}", single, games, SHORT_HORIZON),
        _side(f"pool, info {level}", _native(games, **options), games, SHORT_HORIZON),
        budget,
        unit="step",
    )
