# %% [markdown]
# # Your first learner
#
# Applicants read the rules and adapt to them. In this tutorial you play one such game by hand, write a learner of ten
# lines, see why it fails, and repair it with one idea of a paper.
#
# ## One round
#
# The learner publishes a classifier `[w_1, w_2, b]`, which accepts `x` when `w.x + b >= 0`. An individual arrives,
# sees it, and moves just far enough to be accepted, if that costs at most what being accepted is worth (here: a
# distance of 0.3). The learner sees where the individual went, not where it came from.

# %%
import gymnasium
import numpy as np

import strategic_env

env = gymnasium.make("strategic_env/KnownL2-v0", dim=2, margin=0.1, alpha=0.3, horizon=1000)
observation, info = env.reset(seed=3)

classifier = np.array([1.0, 0.0, -0.2])  # accept where the first feature is at least 0.2
moved = 0
for _ in range(10):
    observation, reward, terminated, truncated, info = env.step(classifier)
    if info["moved"]:
        moved += 1
        print("came as", info["true_features"].round(3), "seen at", observation["features"].round(3))
print(moved, "of 10 individuals moved,", info["mistakes"], "mistakes")

# %% [markdown]
# Whoever moved stands exactly on the line: the first feature is 0.2. So the points on the line are crowded with
# people whose true features nobody knows, qualified and unqualified. `info` holds the truth for analysis; a learner
# never sees it.
#
# ## Ten lines
#
# A learner has the `predict` of Stable-Baselines3. It learns from what the observation says of the last round, and
# answers with the next classifier. This is the Perceptron, which knows nothing of people who react: after a mistake,
# it adds `label * features`.


# %%
class Naive:
    """The Perceptron: learns from mistakes, takes every report for the truth."""

    def predict(self, observation, state=None, episode_start=None, deterministic=True):
        weights = np.zeros(2) if state is None else state
        label, prediction = observation["label"][0], observation["prediction"][0]
        if label not in (0, prediction):
            weights = weights + label * self.point(observation)
        return self.classifier(weights), weights

    def point(self, observation):
        return observation["features"]

    def classifier(self, weights):
        published = np.append(weights, 0.0)
        return published / max(1.0, np.abs(published).max())  # the environment wants numbers between -1 and 1


def play(learner, seed):
    """Play a game, and return the mistakes after each round."""
    observation, info = env.reset(seed=seed)
    state, over, mistakes = None, False, []
    while not over:
        action, state = learner.predict(observation, state)
        observation, reward, terminated, over, info = env.step(action)
        mistakes.append(info["mistakes"])
    return mistakes


for seed in range(3):
    print("seed", seed, "-", play(Naive(), seed)[-1], "mistakes in 1,000 rounds")

# %% [markdown]
# Individuals are separable here: some line separates the qualified from the others, with room on both sides. The
# Perceptron's famous theorem then promises few mistakes, but it does not hold for people who move: they all come to
# stand on the published line.
#
# ## One idea
#
# The Strategic Perceptron does two things. It **raises the bar** by the distance that people can move, so that those
# who just reach it are those who were at the line already. And when an individual on the bar turns out unqualified,
# it learns from the **surrogate point**, as if the individual had moved the whole distance.


# %%
class Strategic(Naive):
    """Raises the bar, and takes the unqualified who reach it for people who moved all the way."""

    alpha = 0.3

    def point(self, observation):
        features, published, label = observation["features"], observation["classifier"], observation["label"][0]
        length = np.linalg.norm(published[:2])
        on_the_bar = length > 0 and abs(published[:2] @ features + published[2]) < 1e-9
        return features - self.alpha * published[:2] / length if on_the_bar and label < 0 else features

    def classifier(self, weights):
        published = np.append(weights, -self.alpha * np.linalg.norm(weights))
        return published / max(1.0, np.abs(published).max())


for seed in range(3):
    print("seed", seed, "-", play(Strategic(), seed)[-1], "mistakes in 1,000 rounds")

# %% [markdown]
# Theorem 1 of the paper bounds its mistakes, whoever comes and in whatever order. The same learner comes with the
# package, with compiled rules and with its bound; here both are drawn over ten seeds.

# %%
import matplotlib.pyplot as plt

from strategic_env import evaluate, report

learners = {"ten lines": Naive(), "with the idea": Strategic(), "the package's": "strategic-perceptron-l2"}
results = evaluate(learners, strategic_env.scenario("KnownL2", alpha=0.3), seeds=10, rounds=1000)
report.show(results)

figure, axes = plt.subplots(
    num="Mistakes of the three learners, over ten seeds", figsize=(6.5, 3.4), layout="constrained"
)
report.plot(results, ax=axes)
axes.legend(fontsize=8)
plt.show()

# %% [markdown]
# ## Where to go next
#
# - `strategic_env.check_learner` [plays with your learner and says what it does wrong](../check_learner.md).
# - [Your learner](../your_learner.md): compiled rules, estimators of scikit-learn, the command line.
# - [The paper](../the_paper.md): what Theorem 1 says, and where its printed form fails.
# - Next tutorial: [your own data](own_data.md).
