# %% [markdown]
# # A figure of each paper
#
# Four papers stand behind this package. In this tutorial you draw a figure of each in a few lines of your own, from
# the games themselves, so that you can change what is asked. `strategic-env reproduce` draws the whole set, and
# compares every printed number with what is computed.
#
# ## The Strategic Perceptron: Example 1
#
# Its Figure 1 shows why the Perceptron fails: A and C are unqualified, B is qualified, all can move 0.5, and the
# learner goes back and forth between two lines. Play the rounds, and draw what was published in each:

# %%
import matplotlib.pyplot as plt
import numpy as np

from learners import Perceptron
from strategic_env import RecordedGame, scenario

example = scenario("Example1")
game = RecordedGame(Perceptron.from_knowledge(example.knowledge), example.setting, example.proved)
lines = [game.play() for _ in range(6)]

figure, panels = plt.subplots(
    1,
    2,
    num="Two rounds of Example 1: C moves to the line and is accepted; then B is rejected",
    figsize=(7.0, 3.4),
    layout="constrained",
    sharey=True,
)
grid = np.linspace(-1.6, 1.2, 2)
for axes, line in zip(panels, lines[2:4]):
    w1, w2, bias = line.round.classifier
    if w2:
        axes.plot(grid, -(w1 * grid + bias) / w2, color="black")
    else:
        axes.axvline(-bias / w1, color="black")
    for one in lines[:3]:  # A, B, C as they are
        z, qualified = one.round.true_features, one.round.true_label > 0
        axes.plot(*z, marker="P" if qualified else "o", color="tab:blue" if qualified else "tab:red", markersize=9)
        axes.annotate("ABC"[one.member], z, xytext=(6, 6), textcoords="offset points")
    z, x = line.round.true_features, line.round.report
    if line.round.moved:
        axes.annotate("", x, z, arrowprops={"arrowstyle": "->"})
    axes.set(xlim=(-1.6, 1.2), ylim=(-1.9, 1.1), aspect="equal", title=f"{'ABC'[line.member]} comes: a mistake")
plt.show()
print([f"{'ABC'[line.member]}: {'mistake' if line.round.mistake else 'correct'}" for line in lines])

# %% [markdown]
# `strategic-env reproduce examples` draws Figures 1 to 5.
#
# ## Beyond bandit feedback: Gappletron and its rivals
#
# Its figures show error rates on synthetic data that are not separable. The paper has 10 repetitions over a grid of
# sizes; this is one cell of it, shorter. Each algorithm explores as its paper says.

# %%
from strategic_env import evaluate

bandit = scenario("Bandit", classes=6, dim=80, noise=0.05)
rivals = ["gappletron:loss=smooth_hinge", "gappletron:loss=logistic_k", "banditron", "pnewtron", "soba-diag"]
results = evaluate(rivals, bandit, seeds=3, rounds=5000)

figure, axes = plt.subplots(
    num="Error rates under bandit feedback, on labels of which a share is random",
    figsize=(6.0, 3.4),
    layout="constrained",
)
for one in results.contestants:
    curves = np.array([run.curve for run in results.of(one)]) / results.checkpoints
    axes.plot(results.checkpoints, curves.mean(axis=0), label=one.label)
    print(f"{one.label:30} {curves[:, -1].mean():.1%}")
axes.set(xlabel="round", ylabel="error rate so far", xscale="log", ylim=(0, 1))
axes.legend(fontsize=8)
plt.show()

# %% [markdown]
# `strategic-env reproduce gappletron` plays the grid, with the paper's parameter sets (`--quick` for a small form).
#
# ## Margin-independent learning: loss that stops growing
#
# This paper has no figure; its statement is one. Labels are nearest centres, and a mistake costs how much nearer the
# right centre was. An adversary that knows the Perceptron keeps it wrong for ever, with ever smaller margins: its
# loss grows like the root of the number of rounds. The loss of the paper's learner is bounded, however many rounds
# there are.

# %%
lengths = [125, 250, 500, 1000, 2000]
losses = {}
for length in lengths:
    hidden = scenario("NearestNeighbor", dim=5, centres=2, query="adversary", adversary="perceptron", horizon=length)
    results = evaluate(["multiclass-perceptron", "k-centres"], hidden, seeds=3)
    for one in results.contestants:
        losses.setdefault(one.label, []).append(np.mean([run.loss for run in results.of(one)]))

figure, axes = plt.subplots(
    num="Loss against the number of rounds: the Perceptron's grows, that of k-centres does not",
    figsize=(6.0, 3.4),
    layout="constrained",
)
for name, numbers in losses.items():
    axes.loglog(lengths, numbers, marker="o", label=name)
    print(f"{name:22}", "  ".join(f"{length}: {loss:5.2f}" for length, loss in zip(lengths, numbers)))
axes.set(xlabel="rounds", ylabel="loss")
axes.legend()
plt.show()

# %% [markdown]
# `strategic-env reproduce margin-independent` has all engines, dimensions and adversaries, and labels that lie.
#
# ## The lecture: mistakes and their bound
#
# The lecture's theorem: the Perceptron makes at most (R / margin) squared mistakes on any separable sample, in any
# order. A hundred random samples of people who cannot move, with all the sweeps that it takes:

# %%
from learners import passes
from learners.separators import margins

rng = np.random.default_rng(0)
bounds, made = [], []
for _ in range(100):
    direction = rng.normal(size=3)
    features = rng.normal(size=(20, 3))
    labels = np.where(features @ direction > 0, 1.0, -1.0)
    best = margins.max_margin(features, labels, bias=False)
    margin = margins.margin(best[:3], 0.0, features, labels)
    bounds.append((margins.radius(features) / margin) ** 2)
    made.append(passes.sweep(Perceptron(ties="lecture"), features, labels).updates)

figure, axes = plt.subplots(
    num="Mistakes of the Perceptron on a hundred samples, below the bound", figsize=(4.6, 3.6), layout="constrained"
)
axes.loglog(bounds, made, "o", markersize=4)
ends = [min(made) / 2, max(bounds)]
axes.loglog(ends, ends, color="black", label="the bound")
axes.set(xlabel="(R / margin)²", ylabel="mistakes until a sweep is clean")
axes.legend()
plt.show()
print(f"above the bound: {np.sum(np.array(made) > bounds)}; largest share of it: {np.max(np.array(made) / bounds):.2f}")

# %% [markdown]
# `strategic-env reproduce lecture` works its tasks, and [the paper](../the_paper.md) says what `reproduce bounds`
# does with every theorem.
