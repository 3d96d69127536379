"""SuperSuit makes a vector environment for Stable-Baselines3 out of the parallel game: one policy for everybody.

Run it with ``python examples/adapters/with_supersuit.py``; it needs ``pip install supersuit stable-baselines3``.

Each of G games has a learner and n individuals, so there are G (n + 1) rows. The padded observation says whose row it
is. Leave out ``PPO(seed=...)``: SuperSuit's environments cannot be seeded after they are made.
"""

import numpy as np
import supersuit
from stable_baselines3 import PPO

from strategic_env.multi_agent import parallel_env

GAMES, INDIVIDUALS, ROUNDS = 2, 3, 20


def make():
    game = parallel_env("KnownL2", individuals=INDIVIDUALS, max_cycles=ROUNDS, pad_spaces=True)
    rows = supersuit.pettingzoo_env_to_vec_env_v1(game)
    return supersuit.concat_vec_envs_v1(rows, GAMES, num_cpus=1, base_class="stable_baselines3")


def main(steps: int = 512) -> None:
    """Play an episode at random, and train on several."""
    rows = make()
    observations = rows.reset()
    assert observations.shape == (GAMES * (INDIVIDUALS + 1), *rows.observation_space.shape)
    paid = np.zeros((GAMES, INDIVIDUALS + 1))
    for step in range(ROUNDS):
        actions = np.stack([rows.action_space.sample() for _ in range(rows.num_envs)])
        observations, rewards, dones, infos = rows.step(actions)
        paid += rewards.reshape(paid.shape)
        assert dones.all() == (step == ROUNDS - 1) and dones.any() == dones.all()
    mistakes = -paid[:, 0]
    assert (mistakes == mistakes.round()).all() and (0 <= mistakes).all() and (mistakes <= INDIVIDUALS * ROUNDS).all()
    assert {"arrival", "terminal_observation"} <= infos[1].keys()
    print("an episode of each game at random:", mistakes.astype(int).tolist(), "mistakes of", INDIVIDUALS * ROUNDS)

    model = PPO("MlpPolicy", make(), n_steps=steps // rows.num_envs, batch_size=64, gamma=0.0, device="cpu")
    model.learn(steps)
    assert model.num_timesteps == steps
    print("trained for", model.num_timesteps, "actions")


if __name__ == "__main__":
    main()
