"""Nature learns whom to send in order to hurt Algorithm 2, and meets the theorem's bound.

Run it with ``python examples/train_nature.py``; it needs the extra "rl" and takes a minute or two.

Nature picks who arrives from a pool of 20 and sees the classifier first. The greedy adversary of the proofs sends
anybody on whom the classifier errs. But who is sent also decides what is learned: a trained nature may look ahead, and
no nature at all can make Algorithm 2 err more often than its bound says.
"""

import gymnasium
import numpy as np

from agents import BestResponse
from agents.foundation.extras import missing_extra
from learners import StrategicPerceptronL2
from strategic_env import scenario
from strategic_env.multi_agent import GreedyNature, SeatEnv, UniformNature, play, raw_env

ROUNDS = 60
POOL = 20
LEARNER = StrategicPerceptronL2(alpha=0.3)
# Everybody's place is drawn once, so that nature always has the same pool.
SCENARIO = scenario("KnownL2", alpha=0.3, dim=5, margin=0.05, pool=POOL, population_seed=1, horizon=ROUNDS)


def distances(observation):
    """Return how far every member of the pool is from the boundary."""
    weights, bias = observation["classifier"][:-1], observation["classifier"][-1]
    gaps = observation["features"] @ weights + bias
    return (gaps / (np.linalg.norm(weights) or 1.0)).astype(np.float32)


class Distances(gymnasium.ObservationWrapper):
    """Shows nature the distances alone: the pool is always the same."""

    def __init__(self, env: SeatEnv) -> None:
        super().__init__(env)
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (POOL,))

    def observation(self, observation):
        return distances(observation)


class Trained:
    """The trained model as a policy for `play`."""

    def __init__(self, model) -> None:
        self._model = model

    def predict(self, observation, state=None, episode_start=None, deterministic=True):
        action, _ = self._model.predict(distances(observation), deterministic=True)
        return int(action), state


def make_seat() -> Distances:
    env = raw_env(SCENARIO, nature=True)
    return Distances(SeatEnv(env, "nature_0", {"learner_0": LEARNER, "individual_0": BestResponse()}))


def train(steps: int):
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
        gamma=0.99,
        n_steps=ROUNDS,
        batch_size=240,
        learning_rate=lambda left: 2e-3 * left,
        ent_coef=0.01,
        policy_kwargs={"net_arch": [64, 64]},
        seed=0,
        device="cpu",
    )
    return model.learn(steps)


def mean_mistakes(natures) -> float:
    """Return the mean of the mistakes that these natures cause in a game."""
    others = {"learner_0": LEARNER, "individual_0": BestResponse()}
    env = raw_env(SCENARIO, nature=True)
    return float(np.mean([play(env, others | {"nature_0": nature}, seed=0).mistakes.sum() for nature in natures]))


def main(steps: int = 150_000) -> dict[str, float]:
    """Train nature, and compare."""
    natures = {
        "uniform": [UniformNature(seed) for seed in range(20)],
        "greedy adversary": [GreedyNature()],
        "trained": [Trained(train(steps))],
    }
    mistakes = {name: mean_mistakes(several) for name, several in natures.items()}
    mistakes["bound"] = LEARNER.bound(SCENARIO.truth)
    for name, number in mistakes.items():
        print(f"{name:17} {number:6.1f} mistakes in {ROUNDS} rounds")
    return mistakes


if __name__ == "__main__":
    main()
