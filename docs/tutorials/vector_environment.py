# %% [markdown]
# # A vector environment in ten minutes
#
# A thousand games at once are one object, in compiled code, with the interface of Gymnasium's vector environments. In
# this tutorial you step one, see that its games are those of the single form, learn what happens when an episode
# ends, and hand it to Stable-Baselines3.

# %%
import gymnasium
import numpy as np

import strategic_env

games = gymnasium.make_vec("strategic_env/KnownL2-v0", num_envs=1024, dim=10, horizon=200)
observations, infos = games.reset(seed=0)
for name, values in observations.items():
    print(f"{name:10} {values.shape}")

# %% [markdown]
# An action is one classifier for each game. Here everybody publishes at random:

# %%
rng = np.random.default_rng(0)
classifiers = rng.uniform(-1.0, 1.0, (1024, 11))
observations, rewards, terminations, truncations, infos = games.step(classifiers)
print(f"{-rewards.sum():.0f} mistakes, {infos['moved'].sum()} of 1,024 individuals moved")

# %% [markdown]
# ## Game 7 is game 7
#
# Who arrives depends on the seed and the number of the game, never on how many games are played beside it. So game 7
# of the vector is what a single environment plays when it is told so, number for number:

# %%
games = gymnasium.make_vec("strategic_env/KnownL2-v0", num_envs=8, dim=3, horizon=100)
alone = gymnasium.make("strategic_env/KnownL2-v0", dim=3, horizon=100)
together, _ = games.reset(seed=5)
single, _ = alone.reset(seed=5, options={"game": 7})
equal = True
for _ in range(50):
    actions = rng.uniform(-1.0, 1.0, (8, 4))
    together, *_ = games.step(actions)
    single, *_ = alone.step(actions[7])
    equal &= all(np.array_equal(together[name][7], single[name]) for name in single)
print("equal in 50 rounds:", equal)

# %% [markdown]
# ## Learners take batches
#
# Every learner of the package answers a batch of observations with a batch of classifiers. When an episode ends, the
# game begins anew with other people, and the learner must forget what it knew of the last ones: `episode_start` tells
# it where.

# %%
from learners import StrategicPerceptronL2


def mistakes_of(forgets):
    games = gymnasium.make_vec("strategic_env/KnownL2-v0", num_envs=256, dim=5, horizon=100, alpha=0.3)
    observations, _ = games.reset(seed=1)
    learner, state, starts, total = StrategicPerceptronL2(alpha=0.3), None, None, 0.0
    for _ in range(404):  # four episodes of every game, and a step after each that shows the reset
        classifiers, state = learner.predict(observations, state, starts if forgets else None)
        observations, rewards, *_ = games.step(classifiers)
        starts = observations["round"][:, 0] == 0
        total -= rewards.sum()
    return total / 256 / 4


print(f"{mistakes_of(True):.2f} mistakes in an episode")
print(f"{mistakes_of(False):.2f} where the learner is never told that the people are others")

# %% [markdown]
# The default, `autoreset_mode="NextStep"`, shows the last observation of an episode, then resets in a step of its
# own. With `"SameStep"` the reset comes at once and the last observation is in `infos["final_obs"]`; with
# `"Disabled"` nothing is reset, and `reset(options={"reset_mask": mask})` begins chosen games anew.
#
# ## Stable-Baselines3
#
# `GymnasiumVecEnv` wraps any vector environment of Gymnasium for Stable-Baselines3, without a Python loop over the
# games. `observation="flat"` gives one float32 vector. This training is far too short to learn anything; it shows how
# the parts fit.

# %%
from stable_baselines3 import PPO

from learners.rl import GymnasiumVecEnv

flat = gymnasium.make_vec(
    "strategic_env/KnownL2-v0", num_envs=32, observation="flat", horizon=50, autoreset_mode="SameStep"
)
model = PPO("MlpPolicy", GymnasiumVecEnv(flat), n_steps=16, batch_size=128, n_epochs=1, seed=0, device="cpu")
model.learn(total_timesteps=1024)
print(model.num_timesteps, "rounds of training")

# %% [markdown]
# ## No Python at all
#
# Learners with compiled rules play whole games without Python between the rounds:

# %%
played = strategic_env.rollout("strategic-perceptron-l2", "KnownL2", games=1000, rounds=1000, seed=0)
print(f"a million rounds: {played.mistakes.mean():.2f} mistakes in a game, at most {played.mistakes.max()}")

# %% [markdown]
# [Many games, fast](../many_games.md) has the rounds per second of each form, and `python -m benchmarks` measures
# them on your machine. [Training a policy that beats a theorem](beat_a_theorem.md) is built on what you saw here.
