# %% [markdown]
# # Train a policy that beats a theorem, and see where it loses
#
# Theorem 1 bounds the mistakes of the Strategic Perceptron (Algorithm 2) whoever comes. Where people come at random,
# that is too careful, and a trained policy can do better. In this tutorial you train one with PPO for a few minutes,
# compare it on populations that it has never seen, and then let an adversary pick who comes.
#
# ## A task of meta-learning
#
# In `MetaL2` every episode of 200 rounds has another population. A policy cannot know the classifier; it must learn
# how to learn. It sees lengths, angles and counts that no rotation changes (the view `coefficients`) and chooses how
# much of the last report to add.

# %%
from dataclasses import replace

import strategic_env  # registers the environments
from learners.rl import load, read_settings, train

whole = read_settings("ppo", "strategic_env/MetaL2-v0")
short = replace(whole, timesteps=3_072_000)
print(f"{short.timesteps:,} rounds instead of {whole.timesteps:,}, in {short.games} games side by side")
folder = train(short, "strategic_env/MetaL2-v0", "trained", seed=0)

# %% [markdown]
# `strategic-env train ppo MetaL2 --out trained` does the same. An interrupted training goes on where it was. Seeds of
# training are far from those of evaluation: nobody below was seen before.
#
# ## Where people come at random, it wins

# %%
from strategic_env import report
from strategic_env.report.scores import ratio_of_means

policy = load(folder)
players = {"trained": policy, "Algorithm 2": "strategic-perceptron-l2", "maximal margin": "strategic-max-margin"}
results = strategic_env.evaluate(players, "MetaL2", seeds=100)
report.show(results)

mistakes = {one.label: [[run.mistakes] for run in results.of(one)] for one in results.contestants}
for name in ("trained", "maximal margin"):
    ratio = ratio_of_means(mistakes[name], mistakes["Algorithm 2"])
    print(f"{name} errs {ratio.value:.2f} [{ratio.low:.2f}, {ratio.high:.2f}] times as often as Algorithm 2")

# %% [markdown]
# The intervals are over populations, not over trainings: one training says nothing about the next. [Reinforcement
# learning](../reinforcement_learning.md) has ten.
#
# Where the gain comes from: Algorithm 2 learns from mistakes alone, the policy from every round.
#
# ## Where somebody picks who comes, it loses
#
# Theorem 1 holds for any order. The greedy adversary sees the published classifier and picks, from 100 individuals,
# somebody on whom it errs.

# %%
import numpy as np

from agents import BestResponse
from strategic_env.multi_agent import GreedyNature, env, play

game = env("KnownL2", dim=5, margin=0.1, alpha=0.3, nature=True, pool=100, max_cycles=200)
attacked = {}
for name, learner in (("trained", policy), ("Algorithm 2", results.contestants[1].learner)):
    seats = {"learner_0": learner, "individual_0": BestResponse(), "nature_0": GreedyNature()}
    records = [play(game, seats, rounds=200, seed=0, options={"game": pool}) for pool in range(20)]
    attacked[name] = np.array([[record.mistakes.sum()] for record in records])
    print(f"{name:12} {attacked[name].mean():.1f} mistakes against the adversary, mean of 20 pools")
ratio = ratio_of_means(attacked["trained"], attacked["Algorithm 2"])
print(f"trained errs {ratio.value:.2f} [{ratio.low:.2f}, {ratio.high:.2f}] times as often")

# %% [markdown]
# ## Side by side

# %%
import matplotlib.pyplot as plt

groups = {
    "at random": [np.mean(mistakes[name]) for name in ("trained", "Algorithm 2")],
    "an adversary picks": [attacked[name].mean() for name in ("trained", "Algorithm 2")],
}
figure, axes = plt.subplots(
    num="Mistakes of the trained policy and of Algorithm 2, at random and against an adversary",
    figsize=(6.0, 3.2),
    layout="constrained",
)
for number, name in enumerate(("trained", "Algorithm 2")):
    axes.bar(np.arange(2) + 0.38 * number, [means[number] for means in groups.values()], 0.36, label=name)
axes.set_xticks(np.arange(2) + 0.19, list(groups))
axes.set_ylabel("mistakes in 200 rounds")
axes.legend()
plt.show()

assert np.mean(mistakes["trained"]) < np.mean(mistakes["Algorithm 2"])
assert attacked["trained"].mean() > attacked["Algorithm 2"].mean()

# %% [markdown]
# The policy trusts averages, and an adversary makes them lie. Train one where episodes are short, alike and not
# hostile; take the theorem's algorithm where somebody may pick who comes, or where you must promise something.
#
# Next: [two learning sides](two_learning_sides.md), where individuals learn, too.
