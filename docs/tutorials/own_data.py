# %% [markdown]
# # Your own data
#
# A CSV file becomes a game in one call. In this tutorial a table of loan applicants is made up and written to disk,
# read as a user would read theirs, and played; you see what goes wrong when a column points the wrong way, and when
# labels are hidden.

# %%
import numpy as np
import pandas as pd

rng = np.random.default_rng(7)
people = pd.DataFrame(
    {
        "income": rng.lognormal(1.0, 0.4, 600).round(2),
        "debt": rng.gamma(4.0, 0.5, 600).round(2),
        "years_employed": rng.integers(0, 30, 600),
        "home": rng.choice(["owns", "rents", "other"], 600, p=[0.4, 0.5, 0.1]),
        "sex": rng.choice(["f", "m"], 600),
    }
)
worth = people.income - people.debt + 0.05 * people.years_employed + 0.5 * (people.home == "owns")
people["repaid"] = np.where(worth + rng.normal(0.0, 0.5, 600) > 1.2, "yes", "no")
people.to_csv("applicants.csv", index=False)
print(people.head(4).to_string(index=False))
print(f"{np.mean(people.repaid == 'yes'):.0%} repaid")

# %% [markdown]
# ## Who can move what
#
# `alpha` says how far somebody can move a column, in its standard deviations, for what being accepted is worth; 0
# means not at all. Here an applicant can save up some income or pay back some debt, but not change for how long they
# were employed.
#
# Learners for weighted l1 costs assume that more is better in every column. More debt is not, so `orient="auto"`
# turns that column round (a list of names does the same by hand). `code="home"` brings the categories into an order.

# %%
from strategic_env import evaluate, from_table, report

lending = from_table(
    "applicants.csv",
    label="repaid",
    positive="yes",
    alpha={"income": 0.6, "debt": 0.4, "years_employed": 0.0, "home": 0.0},
    code="home",
    groups="sex",
    orient="auto",
)
print("features:", ", ".join(lending.setting.population.names))
print("categories:", lending.options["code"])

# %% [markdown]
# ## Who learns best
#
# Without a name, `evaluate` takes every learner that the scenario tells enough. Three are enough here: the
# Perceptron, which believes what it sees; the paper's learner for this cost with an intercept; and one with no number
# to set.

# %%
learners = ["perceptron:bias=true", "biased-l1", "adaptive-gradient", "best-fixed-classifier"]
results = evaluate(learners, lending, seeds=5, rounds=3000)
report.show(results)

# %% [markdown]
# Nobody reaches 0: these people are not separable, and no theorem promises a number of mistakes.
# `best-fixed-classifier` was made from the true features of everybody; the others learn from what they see, one
# applicant at a time.
#
# ## A column that points the wrong way
#
# The same table, taken as it is:

# %%
wrong = from_table(
    "applicants.csv",
    label="repaid",
    positive="yes",
    alpha={"income": 0.6, "debt": 0.4, "years_employed": 0.0, "home": 0.0},
    code="home",
    groups="sex",
    orient=[],
)
for name, one in (("turned round", lending), ("as it is", wrong)):
    played = evaluate(["biased-l1", "adaptive-gradient"], one, seeds=5, rounds=3000)
    frame = report.to_frame(played)
    counts = ", ".join(f"{row.learner} {row.mistakes_mean:.0f} mistakes" for row in frame.itertuples())
    print(f"debt {name}: {counts}")

# %% [markdown]
# ## Only those who got a loan show whether they repay
#
# `feedback="apple_tasting"` hides the labels of the rejected, as in life.

# %%
hidden = from_table(
    "applicants.csv",
    label="repaid",
    positive="yes",
    alpha={"income": 0.6, "debt": 0.4, "years_employed": 0.0, "home": 0.0},
    code="home",
    groups="sex",
    orient=["debt"],
    feedback="apple_tasting",
)
frame = report.to_frame(evaluate(["adaptive-gradient", "biased-l1"], hidden, seeds=5, rounds=3000))
for row in frame.itertuples():
    print(f"{row.learner}: {row.mistakes_mean:.0f} mistakes")

# %% [markdown]
# The same from the command line, with results that are kept and can be shown again:
#
# ```bash
# strategic-env run applicants.csv --label repaid --set positive=yes --alpha income=0.6 --alpha debt=0.4 \
#     --groups sex --set code=home --set orient=auto --out lending
# strategic-env report lending
# ```
#
# More in [Your data](../your_data.md); [partial feedback](partial_feedback.md) has a tutorial of its own.
