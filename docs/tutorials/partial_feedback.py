# %% [markdown]
# # Partial feedback
#
# Whoever is rejected is never labelled: a lender does not learn whether an applicant whom it turned away would have
# repaid. In this tutorial you hide labels in both games, see a learner get stuck because of it, and find out which
# learners do not.
#
# ## A graph says what is shown

# %%
import numpy as np

from learners import FeedbackGraph

for name in ("full", "bandit", "apple_tasting", "label_efficient"):
    graph = FeedbackGraph.named(name, 4)
    print(f"{name:16} reveals everything: {graph.revealing!s:15} {graph.observability} observable")
print(FeedbackGraph.named("apple_tasting", 4).adjacency.astype(int))

# %% [markdown]
# Row i holds what action i shows. Under apple tasting the last action shows every label, and the others nothing. In
# the strategic game there are two actions, to reject and to accept, and to accept shows the label.
#
# ## What a learner loses
#
# `label` is 0 in the observation where it is hidden. Learners update on what they are shown:

# %%
from strategic_env import evaluate, scenario

learners = ["perceptron:bias=true", "strategic-perceptron-l2", "accepted-only-l2"]
for feedback in ("full", "apple_tasting"):
    results = evaluate(learners, scenario("KnownL2", alpha=0.3, feedback=feedback), seeds=8, rounds=2000)
    for one in results.contestants:
        mistakes = np.mean([run.mistakes for run in results.of(one)])
        print(f"{feedback:14} {one.label:26} {mistakes:7.1f} mistakes")

# %% [markdown]
# With an intercept, the Perceptron comes to accept few people or nobody, and is never shown a label of those whom it
# turns away: it cannot learn that it is wrong. A line through the origin always accepts one side, so that little is
# lost on random arrivals.
#
# Let us look at one game. In every 250 rounds: how many were accepted, how many labels seen, and where were the
# mistakes?

# %%
import gymnasium

from learners import Perceptron

env = gymnasium.make("strategic_env/KnownL2-v0", alpha=0.3, feedback="apple_tasting", horizon=1000)
observation, info = env.reset(seed=1)
learner, state, rounds = Perceptron(bias=True), None, []
for _ in range(1000):
    classifier, state = learner.predict(observation, state)
    observation, reward, terminated, truncated, info = env.step(classifier)
    rounds.append((observation["prediction"][0] > 0, observation["label"][0] != 0, info["mistake"]))
for first in range(0, 1000, 250):
    accepted, labels, mistake = np.array(rounds[first : first + 250]).T
    print(
        f"rounds {first:3d} to {first + 249}: {accepted.sum()} accepted, {labels.sum()} labels; "
        f"mistakes: {(mistake & accepted).sum()} of the accepted, {(mistake & ~accepted).sum()} of the rejected"
    )

# %% [markdown]
# **A trap.** `reward` and `info` are for the analysis: they tell of every round whether it was a mistake, and so the
# hidden label. A policy that is trained on rewards must not see them: `reward="observed"` pays only what the learner
# can know, and `info_level="none"` tells nothing.

# %%
honest = gymnasium.make(
    "strategic_env/KnownL2-v0", alpha=0.3, feedback="apple_tasting", reward="observed", info_level="none"
)
honest.reset(seed=1)
observation, reward, terminated, truncated, info = honest.step(np.array([0.0, 0.0, -1.0]))  # nobody is accepted
print("rejected; reward", reward, "label", observation["label"], "info", info)

# %% [markdown]
# ## Many labels
#
# The other game has K labels and no manipulation. Gappletron explores as much as its own uncertainty asks for, under
# any graph:

# %%
import matplotlib.pyplot as plt

rates = {}
for name in ("FullInformation", "Bandit", "AppleTasting"):
    results = evaluate(["gappletron"], scenario(name, classes=5, noise=0.05), seeds=5, rounds=4000)
    rates[name] = np.mean([run.curve for run in results.runs], axis=0)
    print(f"{name:16} {rates[name][-1] / 4000:.1%} mistakes")

figure, axes = plt.subplots(
    num="Mistakes of Gappletron under three feedback graphs", figsize=(6.0, 3.2), layout="constrained"
)
for name, curve in rates.items():
    axes.plot(results.checkpoints, curve, label=name)
axes.set_xlabel("round")
axes.set_ylabel("mistakes, mean of 5 seeds")
axes.legend()
plt.show()

# %% [markdown]
# More: [feedback graphs](../feedback_graphs.md), [many labels](../multiclass.md), and [learners made for the labels
# of the accepted](../beyond_the_paper.md#accepted-only-l2).
