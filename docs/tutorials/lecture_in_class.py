# %% [markdown]
# # The lecture in class
#
# For whoever teaches the Perceptron's mistake bound, and then people who react to it. The explorer is a page on which
# the class clicks points and steps through the algorithm:
#
# ```bash
# pip install "strategic-env[explorer]" && strategic-env explore
# ```
#
# This page prepares such a lesson: the same rounds as the explorer's worksheet, computed here, and what to ask at
# which step.
#
# ## First act: nobody reacts
#
# Three points, the Perceptron by hand, from w = (0, 0). In the explorer it is the task that the page opens with:
# press **Step** and let the class predict the next line of the worksheet. (As in lectures, a tie counts as a mistake
# here.)

# %%
import numpy as np

from learners import Perceptron, passes
from learners.separators import margins

features, labels = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]), np.array([1.0, -1.0, -1.0])
updates = 0
for step, _ in passes.steps(Perceptron(ties="lecture"), features, labels):
    updates += step.updated
    print(f"sweep {step.sweep}, x{step.point + 1}: {'update' if step.updated else 'correct':8} w = {step.weights}")
    if step.sweep == 4 and step.point == 2:
        break
print(updates, "mistakes")

# %% [markdown]
# **Ask:** when does it stop, and could it have gone on for longer? Let the class write down a radius R and a margin
# before you show the bound, (R / margin) squared.

# %%
weights = np.array([1.0, -2.0])
radius, margin = margins.radius(features), margins.margin(weights, 0.0, features, labels)
print(f"R = {radius:.3f}, margin of (1, -2) = {margin:.3f}, bound = {(radius / margin) ** 2:.1f}, made {updates}")

# %% [markdown]
# **Ask:** this is the margin of the separator that was found. Which separator gives the best bound? Drag the points
# in the explorer: the cards show R and the best margin of any line while you drag.
#
# ## Second act: they react
#
# Now the points are people, who can move 0.5 and want to be accepted. This is the paper's first example: the
# Perceptron goes back and forth between two lines for ever. `strategic-env explore Example1` opens it.

# %%
from strategic_env import RecordedGame, scenario

example = scenario("Example1")
game = RecordedGame(Perceptron.from_knowledge(example.knowledge), example.setting, example.proved)
for _ in range(8):
    line = game.play()
    who = "ABC"[line.member]
    seen = f"moves to {line.round.report.round(2)}" if line.round.moved else "stays"
    print(f"{who} {seen:24} {'mistake' if line.round.mistake else 'correct':8} w = {line.weights.round(2)}")

# %% [markdown]
# **Ask:** the mistake bound of the first act holds whatever the points are. Which step of its proof fails? (The
# points that the learner adds are not the points that the margin is about, and they depend on w.)
#
# ## Third act: the repair
#
# The Strategic Perceptron on the same people. Let the class find the two changes by looking at the worksheet's
# columns *reported* and *surrogate*.

# %%
from learners import StrategicPerceptronL2

learner = StrategicPerceptronL2.from_knowledge(example.knowledge)
game = RecordedGame(learner, example.setting, example.proved)
for _ in range(8):
    line = game.play()
    seen = f"moves to {line.round.report.round(2)}" if line.round.moved else "stays"
    who = "ABC"[line.member]
    print(f"{who} {seen:24} {'mistake' if line.round.mistake else 'correct':8} w = {line.weights.round(2)}")
print(f"at most {learner.bound(example.truth):.0f} mistakes, whoever comes, in whatever order")

# %% [markdown]
# Both curves, for the last slide:

# %%
import matplotlib.pyplot as plt

from strategic_env import evaluate, report

results = evaluate(["perceptron", "strategic-perceptron-l2"], example, seeds=1, rounds=300)
figure, axes = plt.subplots(
    num="Mistakes on Example 1: the Perceptron's grow for ever", figsize=(6.0, 3.2), layout="constrained"
)
report.plot(results, ax=axes)
axes.legend()
plt.show()

# %% [markdown]
# ## In the room
#
# - A link restores points and settings: make one for every exercise (**Share**), put it on the sheet; it works
#   wherever the explorer runs.
# - The worksheet downloads as CSV, Markdown or LaTeX, with fractions as one writes them by hand: the solution sheet.
# - All of the page works by keyboard, needs no network, and is served on your machine only.
# - `strategic-env reproduce lecture` works all tasks of the lecture, with the lecture's numbers beside those
#   computed.
#
# [The explorer](../explorer.md) says what everything on the page is.
