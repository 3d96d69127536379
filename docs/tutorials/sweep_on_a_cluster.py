# %% [markdown]
# # A sweep on a cluster
#
# A question with many settings, learners and seeds is a sweep: planned once, played by as many machines as there are,
# read as one table. In this tutorial you plan one, play it in shares as the tasks of a Slurm array would, let one
# fail, and analyse the table. Nothing here needs a cluster.
#
# The question: how do mistakes grow when the margin shrinks?

# %%
from strategic_env import sweep

grid = {
    "rounds": 500,
    "seeds": "0-9",
    "scenarios": [{"name": "KnownL2", "set": {"dim": 5}, "grid": {"margin": [0.4, 0.2, 0.1, 0.05]}}],
    "learners": ["perceptron", "strategic-perceptron-l2", "strategic-gradient"],
}
planned = sweep.plan(grid, "margins", chunk_seconds=0.005)
print(f"{planned.rows} rows of {planned.cells} cells, in more than one chunk: {planned.chunks > 1}")

# %% [markdown]
# Every setting was built once to check it, and the plan is frozen in a file. On a cluster, write the grid as YAML and
# plan on the login node, in a folder that all nodes see:
#
# ```bash
# strategic-env sweep plan grid.yaml --out margins
# sbatch --array=0-99 --wrap 'strategic-env sweep work margins --workers 1 --shard $SLURM_ARRAY_TASK_ID/100'
# ```
#
# There is no broker and nothing to configure: task 17 plays the chunks of share 17 and writes one file for each. Here
# three "tasks" play one after the other, and the second never starts:

# %%
for task in (0, 2):
    outcome = sweep.work("margins", engine="serial", shard=f"{task}/3")
    print(f"task {task}: share done: {outcome.done}, errors: {outcome.errors}")
try:
    sweep.read("margins")
except ValueError:
    print("no results yet: rows are missing")

# %% [markdown]
# Rows are missing, and nobody gets a table with silent holes (`partial=True` asks for one). Whoever calls `work` next
# finishes what is missing: the same array again, another machine, or you. What was played is not played again.

# %%
outcome = sweep.work("margins", engine="serial")
print("all done:", outcome.done)
print("played when asked once more:", sweep.work("margins", engine="serial").played)

# %% [markdown]
# ## More seeds
#
# A grid may grow. Planned again in the same folder, only what is new is added:

# %%
more = sweep.plan(grid | {"seeds": "0-19"}, "margins", chunk_seconds=0.005)
print(more.rows, "more rows")
print("done:", sweep.work("margins", engine="serial").done)

# %% [markdown]
# ## One table
#
# The table is a Parquet file whose bytes do not depend on who played what. It opens in pandas, DuckDB, Polars or R.

# %%
import pandas as pd

table = pd.read_parquet(sweep.table("margins"))
print(len(table), "rows;", table["learner"].nunique(), "learners")

# %% [markdown]
# The same as results of `evaluate`, one for each scenario, for pictures and reports:

# %%
import matplotlib.pyplot as plt
import numpy as np

results = sweep.read("margins")
margins = [one.scenario.options["margin"] for one in results]
figure, axes = plt.subplots(
    num="Mistakes grow as the margin shrinks, for three learners", figsize=(6.0, 3.4), layout="constrained"
)
for number, contestant in enumerate(results[0].contestants):
    means = [np.mean([run.mistakes for run in one.of(one.contestants[number])]) for one in results]
    axes.loglog(margins, means, marker="o", label=contestant.label)
    print(f"{contestant.label:26}", "  ".join(f"{margin}: {mean:6.1f}" for margin, mean in zip(margins, means)))
axes.set_xlabel("margin")
axes.set_ylabel("mistakes in 500 rounds, mean of 20 seeds")
axes.legend()
plt.show()

# %% [markdown]
# On the command line, `strategic-env sweep status margins` says how far it is, and `strategic-env report`, `compare`,
# `explore` and `board` read the folder. [Sweeps](../sweeps.md) has Dask, Ray, GNU parallel and Snakemake, and what
# happens when a worker dies.
