"""A learner and an individual are trained against each other, in turns, by proximal policy optimisation.

Run it with ``python examples/train_both.py``; it needs the extra "rl" and takes a minute or two.

Each trains against the other as it is for the moment, and neither is told that the other will answer. The true
separator is always the same, so that the learner can learn a classifier by heart; the individual's policy knows only
how far it is from being accepted. The last lines show the two without the other's training: a trained learner against
somebody who best-responds, and a trained individual against Algorithm 2.
"""

import gymnasium
import numpy as np
from train_individual import Relative, Trained

from agents import BestResponse, Truthful
from agents.foundation.extras import missing_extra
from learners import StrategicPerceptronL2
from strategic_env import scenario
from strategic_env.multi_agent import SeatEnv, play, raw_env

ROUNDS = 50
SCENARIO = scenario("KnownL2", alpha=0.5, population_seed=0, horizon=ROUNDS)


class Constant(gymnasium.ObservationWrapper):
    """Shows the learner nothing: what it publishes is the same in every round."""

    def __init__(self, env: SeatEnv) -> None:
        super().__init__(env)
        self.observation_space = gymnasium.spaces.Box(0.0, 1.0, (1,))

    def observation(self, observation):
        return np.ones(1, dtype=np.float32)


class Published:
    """The trained learner as a policy for `play`."""

    def __init__(self, model) -> None:
        self._model = model

    def predict(self, observation, state=None, episode_start=None, deterministic=True):
        action, _ = self._model.predict(np.ones(1, dtype=np.float32), deterministic=True)
        return action, state


def seat(agent: str, policies):
    """Return the training environment of an agent, against these policies."""
    wrapper = {"learner_0": Constant, "individual_0": Relative}[agent]
    return lambda: wrapper(SeatEnv(raw_env(SCENARIO), agent, policies))


def measure(learner, individual, games: int) -> tuple[float, float]:
    """Return the share of mistakes and the mean utility, in games of a seed that nobody was trained on."""
    env, policies = raw_env(SCENARIO), {"learner_0": learner, "individual_0": individual}
    records = [play(env, policies, seed=1_000_000, options={"game": game}) for game in range(games)]
    return (
        float(np.mean([record.mistakes for record in records])),
        float(np.mean([record.rewards["individual_0"] for record in records])),
    )


def make_games(agent: str, policies):
    from stable_baselines3.common.env_util import make_vec_env

    return make_vec_env(seat(agent, policies), n_envs=16, seed=0)


def make_model(agent: str, policies):
    try:
        import torch
        from stable_baselines3 import PPO
    except ModuleNotFoundError as error:
        raise missing_extra("this example", "stable-baselines3", "rl") from error
    torch.set_num_threads(1)
    return PPO(
        "MlpPolicy",
        make_games(agent, policies),
        gamma=0.0,  # neither the individual nor a learner that publishes a constant has a future to care for
        n_steps=64,
        batch_size=256,
        learning_rate=1e-3,
        policy_kwargs={"net_arch": [32, 32], "log_std_init": -1.0},
        seed=0,
        device="cpu",
    )


def main(phases: int = 8, steps: int = 16_384, games: int = 40) -> dict[str, list[tuple[float, float]]]:
    """Train in turns, print a table, and return it: share of mistakes and mean utility."""
    # Before there are models, somebody must sit there.
    models = {
        "learner_0": make_model("learner_0", {"individual_0": Truthful()}),
        "individual_0": make_model("individual_0", {"learner_0": StrategicPerceptronL2(alpha=0.5)}),
    }
    players = {"learner_0": Published(models["learner_0"]), "individual_0": Trained(models["individual_0"])}
    algorithm_2 = StrategicPerceptronL2(alpha=0.5)
    rows = [("nobody", measure(*players.values(), games))]
    for phase in range(phases):
        agent, other = ("learner_0", "individual_0") if phase % 2 == 0 else ("individual_0", "learner_0")
        models[agent].set_env(make_games(agent, {other: players[other]}))
        models[agent].learn(steps)
        rows.append((agent, measure(*players.values(), games)))
    learner, individual = players.values()
    others = [
        ("trained learner, best response", measure(learner, BestResponse(), games)),
        ("Algorithm 2, trained individual", measure(algorithm_2, individual, games)),
        ("Algorithm 2, best response", measure(algorithm_2, BestResponse(), games)),
    ]
    print(f"{'just trained':32} mistakes  utility of the individual")
    for name, (mistakes, utility) in rows + others:
        print(f"{name:32} {mistakes:8.1%} {utility:8.3f}")
    return {"in turns": [row for _, row in rows], "others": [row for _, row in others]}


if __name__ == "__main__":
    main()
