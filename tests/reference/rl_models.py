"""Untrained models, and what they publish, for the tests of trained policies."""

import copy
from typing import Any

import gymnasium
import numpy as np
from sb3_contrib import TQC, RecurrentPPO
from stable_baselines3 import A2C, PPO, SAC

from learners.rl import GymnasiumVecEnv, View, ViewedVectorEnv
from learners.strategic.base import Learner

ID, DIM = "strategic_env/KnownL2-v0", 3
SMALL = {"net_arch": [8]}
ALGORITHMS: dict[str, tuple[Any, str, dict[str, Any]]] = {
    "PPO": (PPO, "MlpPolicy", {"use_sde": True, "policy_kwargs": SMALL}),
    "A2C": (A2C, "MlpPolicy", {"policy_kwargs": SMALL}),
    "SAC": (SAC, "MlpPolicy", {"policy_kwargs": SMALL}),
    "TQC": (TQC, "MlpPolicy", {"policy_kwargs": SMALL | {"n_critics": 1}}),
    "RecurrentPPO": (RecurrentPPO, "MlpLstmPolicy", {"policy_kwargs": SMALL | {"lstm_hidden_size": 4}}),
}


def built(algorithm: str = "PPO", view: str = "coefficients", **options: Any) -> tuple[Any, View]:
    """Return an untrained model whose weights are not small, and its view."""
    told = {"dim": DIM, "horizon": 40, "autoreset_mode": "Disabled", **options}
    env = ViewedVectorEnv(gymnasium.make_vec(ID, num_envs=2, **told), view)
    kind, policy, arguments = ALGORITHMS[algorithm]
    policy = policy.replace("Mlp", "MultiInput") if view == "dict" else policy
    model = kind(policy, GymnasiumVecEnv(env), seed=0, device="cpu", **copy.deepcopy(arguments))
    import torch

    with torch.no_grad():
        for number, weights in enumerate(model.policy.parameters()):
            weights.copy_(torch.sin(torch.arange(weights.numel(), dtype=weights.dtype) + number).reshape(weights.shape))
    return model, env.view


def played(learner: Learner[Any], rounds: int = 15, games: int = 3, dim: int = DIM) -> np.ndarray[Any, Any]:
    """Return what a learner publishes in some games (rounds, games, dim + 1)."""
    env = gymnasium.make_vec(ID, num_envs=games, dim=dim)
    observation, _ = env.reset(seed=4)
    state, published = None, []
    for _ in range(rounds):
        action, state = learner.predict(observation, state)
        observation, *_ = env.step(action)
        published.append(action)
    return np.array(published)
