# %% [markdown]
# # Two learning sides, with PettingZoo
#
# In the Gymnasium environments only the learner learns; individuals best-respond. Here the individual is an agent,
# too: in this tutorial you step PettingZoo's loop by hand, put policies in both seats, and let an individual that
# knows nothing find out by trial how far to move, while the learner learns about the individual.

# %%
import numpy as np

from agents import BestResponse, Truthful
from learners import Perceptron, StrategicPerceptronL2
from strategic_env.multi_agent import env, play

game = env("KnownL2", alpha=0.3, dim=2)
game.reset(seed=4)
for number, agent in enumerate(game.agent_iter(max_iter=6)):
    observation, reward, termination, truncation, info = game.last()
    if agent == "learner_0":
        action = np.array([1.0, 0.0, -0.2])  # accept where the first feature is at least 0.2
    else:
        action = observation["features"]  # tell the truth
        print(f"round {number // 2}: the individual is at {action.round(2)} and stays there")
    game.step(action)

# %% [markdown]
# The learner publishes, the individual sees the classifier and reports a point, then the round resolves: the learner
# is paid -1 for a mistake, the individual 1 if it is accepted, minus what the move cost.
#
# ## Anybody against anybody
#
# `play` runs an episode between policies and returns its record.

# %%
pairs = [
    (learner, person)
    for learner in (Perceptron(), StrategicPerceptronL2(0.3))
    for person in (Truthful(), BestResponse())
]
for learner, person in pairs:
    record = play(env("KnownL2", alpha=0.3, dim=2), {"learner_0": learner, "individual_0": person}, rounds=500, seed=0)
    names = f"{learner.name} meets {type(person).__name__}"
    print(f"{names:45} {record.mistakes.sum():3d} mistakes, utility {record.rewards['individual_0'].mean():.3f}")

# %% [markdown]
# ## An individual that learns
#
# This one does not know what a best response is. Whenever it is rejected as it stands, it tries one of a few
# multiples of the way to the line: 0 (stay), 0.9, 1.0 or 1.3 times. Which one pays depends on how far away the line
# is, so it keeps the average pay of each choice for each of three distances, and mostly takes the best so far. It
# sits in the seat of everybody who arrives and remembers across rounds, as a population would that talks.


# %%
class Trying:
    """Learns by trial how far to move, in bands of distance."""

    steps = np.array([0.0, 0.9, 1.0, 1.3])
    bands = np.array([0.15, 0.3])  # distances up to 0.15, up to 0.3, beyond

    def __init__(self, alpha, seed):
        self.alpha, self.rng = alpha, np.random.default_rng(seed)
        self.paid, self.tried = np.zeros((3, 4)), np.zeros((3, 4))

    def predict(self, observation, state=None, episode_start=None, deterministic=True):
        weights, bias = observation["classifier"][:-1], observation["classifier"][-1]
        features, length = observation["features"], np.linalg.norm(weights)
        distance = -(weights @ features + bias) / length if length > 0 else -1.0
        if distance <= 0:  # accepted already
            return features, state
        band = np.searchsorted(self.bands, distance)
        means = self.paid[band] / np.maximum(self.tried[band], 1)
        means[self.tried[band] == 0] = 1.0  # what was never tried may be good
        choice = self.rng.integers(4) if self.rng.random() < 0.1 else means.argmax()
        report = features + self.steps[choice] * distance * weights / length * (1 + 1e-9)
        accepted = weights @ report + bias >= 0
        self.paid[band, choice] += accepted - self.steps[choice] * distance / self.alpha
        self.tried[band, choice] += 1
        return report, state


trying = Trying(alpha=0.3, seed=0)
for episode in range(4):
    players = {"learner_0": StrategicPerceptronL2(0.3), "individual_0": trying}
    record = play(env("KnownL2", alpha=0.3, dim=2), players, rounds=500, seed=10 + episode)
    print(f"episode {episode}: {record.mistakes.sum()} mistakes, utility {record.rewards['individual_0'].mean():.3f}")

means = trying.paid / np.maximum(trying.tried, 1)
for band, name in enumerate(("near", "farther", "out of reach")):
    best = trying.steps[means[band].argmax()]
    print(f"{name:12} mean pay {means[band].round(2)} -> moves {best:.1f} times the way")

# %% [markdown]
# The trials find the best response: move exactly to the line where that pays, and stay where it does not. The
# learner's theorem is about best responses, so while the individual still tries, its mistakes are not bounded by it.
#
# ## A third seat
#
# With `nature=True` somebody picks who comes. The greedy adversary of the theorems picks people on whom the published
# classifier errs:

# %%
from strategic_env.multi_agent import GreedyNature, UniformNature

game = env("KnownL2", alpha=0.3, dim=2, nature=True, pool=50)
for nature in (UniformNature(seed=0), GreedyNature()):
    players = {"learner_0": StrategicPerceptronL2(0.3), "individual_0": BestResponse(), "nature_0": nature}
    record = play(game, players, rounds=500, seed=0)
    print(f"{type(nature).__name__}: {record.mistakes.sum()} mistakes")

# %% [markdown]
# [Several agents](../multi_agent.md) has the parallel form, seats for training with any library of single agents
# (`SeatEnv`), and examples in which PPO trains an individual, nature, and both sides in turns.
