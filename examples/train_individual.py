"""Proximal policy optimisation learns to respond to classifiers as well as somebody who can do geometry.

Run it with ``python examples/train_individual.py``; it needs the extra "rl" and takes a minute or two.

The learner is fixed: Algorithm 2, which publishes another classifier after every mistake. What it publishes and who
arrives differ from game to game, so the individual cannot learn a place by heart: it must learn when moving is worth
its cost, where to, and how far.
"""

import gymnasium
import numpy as np

from agents import BestResponse, Truthful
from agents.foundation.extras import missing_extra
from learners import StrategicPerceptronL2
from strategic_env.multi_agent import SeatEnv, play, raw_env

ALPHA = 0.5
ROUNDS = 50
LEARNER = StrategicPerceptronL2(alpha=ALPHA)


def seen(observation):
    """Return how far the classifier is away, in what the individual can afford, and its direction."""
    weights, bias = observation["classifier"][:-1], observation["classifier"][-1]
    length = np.linalg.norm(weights)
    direction = weights / length if length else np.array([1.0, 0.0])
    missing = -(weights @ observation["features"] + bias) / (length or 1.0) / observation["budget"][0]
    return np.array([missing], dtype=np.float32), direction


def reported(observation, action):
    """Return the report that moves so far towards the classifier and across, never beyond what it can afford."""
    _, (first, second) = seen(observation)
    towards, across = action / max(1.0, np.linalg.norm(action)) * observation["budget"][0]
    return observation["features"] + [first * towards - second * across, second * towards + first * across]


class Relative(gymnasium.Wrapper):
    """Everything as seen from the individual: a single distance, and a move of two numbers."""

    def __init__(self, env: SeatEnv) -> None:
        super().__init__(env)
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (1,))
        self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (2,))

    def reset(self, **options):
        self._seen, info = self.env.reset(**options)
        return seen(self._seen)[0], info

    def step(self, action):
        self._seen, reward, terminated, truncated, info = self.env.step(reported(self._seen, action))
        return seen(self._seen)[0], reward, terminated, truncated, info


class Trained:
    """The trained model as a policy for `play`."""

    def __init__(self, model) -> None:
        self._model = model

    def predict(self, observation, state=None, episode_start=None, deterministic=True):
        action, _ = self._model.predict(seen(observation)[0], deterministic=True)
        return reported(observation, action), state


def make_seat() -> Relative:
    env = raw_env("KnownL2", alpha=ALPHA, max_cycles=ROUNDS)
    return Relative(SeatEnv(env, "individual_0", {"learner_0": LEARNER}))


def train(steps: int):
    """Train on games of the seeds from 0 on."""
    try:
        import torch
        from stable_baselines3 import PPO
        from stable_baselines3.common.env_util import make_vec_env
    except ModuleNotFoundError as error:
        raise missing_extra("this example", "stable-baselines3", "rl") from error
    torch.set_num_threads(1)
    model = PPO(
        "MlpPolicy",
        make_vec_env(make_seat, n_envs=16, seed=0),
        gamma=0.0,  # whoever sits there next is somebody else
        n_steps=64,
        batch_size=256,
        learning_rate=lambda left: 2e-3 * left,
        policy_kwargs={"net_arch": [32, 32], "log_std_init": -1.0},
        seed=0,
        device="cpu",
    )
    return model.learn(steps)


def mean_utility(individual, games: int) -> float:
    """Return the mean of accepted - cost, in games of a seed that nobody was trained on."""
    env = raw_env("KnownL2", alpha=ALPHA, max_cycles=ROUNDS)
    policies = {"learner_0": LEARNER, "individual_0": individual}
    records = (play(env, policies, seed=1_000_000, options={"game": game}) for game in range(games))
    return float(np.mean([record.rewards["individual_0"] for record in records]))


def main(steps: int = 200_000, games: int = 100) -> dict[str, float]:
    """Train, and compare on unseen arrivals."""
    individuals = {"truthful": Truthful(), "trained": Trained(train(steps)), "best response": BestResponse()}
    utilities = {name: mean_utility(individual, games) for name, individual in individuals.items()}
    for name, utility in utilities.items():
        print(f"{name:14} mean utility {utility:.3f} over {games * ROUNDS:,} unseen arrivals")
    print(f"the trained individual is within {utilities['best response'] - utilities['trained']:.3f} of the best")
    return utilities


if __name__ == "__main__":
    main()
