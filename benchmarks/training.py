"""Rows on training: proximal policy optimisation end to end, on the native vector form and on single environments."""

import importlib
from functools import partial
from typing import Any

import gymnasium as gym

import strategic_env  # noqa: F401  # registers the environments
from benchmarks.measure import Budget, Measurement, Reach, Row, Side, Unavailable, alternate

ENVIRONMENT, OPTIONS = "strategic_env/KnownL2-v0", {"dim": 5, "horizon": 200, "info_level": "none"}
GAMES = (64, 256)
ROUNDS = 50
# A small network, two passes over each rollout: what is left is the game.
PPO: dict[str, Any] = {
    "n_steps": ROUNDS,
    "n_epochs": 2,
    "seed": 0,
    "device": "cpu",
    "policy_kwargs": {"net_arch": [32]},
}


def rows() -> list[Row]:
    """Return all rows."""
    return [Row(f"training/ppo/{games}", Reach(">=", 2.0), partial(_ppo, games)) for games in GAMES]


def _ppo(games: int, budget: Budget) -> Measurement:
    try:
        algorithms = importlib.import_module("stable_baselines3")
        vectors = importlib.import_module("stable_baselines3.common.vec_env")
    except ImportError:
        raise Unavailable("Stable-Baselines3 is not installed: pip install 'strategic-env[rl]'") from None
    from learners.rl import GymnasiumVecEnv, ViewedEnv, ViewedVectorEnv

    def single() -> ViewedEnv:
        return ViewedEnv(gym.make(ENVIRONMENT, disable_env_checker=True, **OPTIONS))

    native = gym.make_vec(ENVIRONMENT, num_envs=games, autoreset_mode="Disabled", **OPTIONS)
    sides = []
    for label, env in (
        (f"PPO on DummyVecEnv, {games} games", vectors.DummyVecEnv([single] * games)),
        (f"PPO on the native form, {games} games", GymnasiumVecEnv(ViewedVectorEnv(native))),
    ):
        model = algorithms.PPO("MlpPolicy", env, batch_size=ROUNDS * games // 4, **PPO)
        sides.append(Side(label, partial(model.learn, ROUNDS * games), ROUNDS * games))
    return alternate(sides[0], sides[1], budget, unit="round")
