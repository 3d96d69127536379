"""A picture of a round of each environment, drawn by the package where it can, while a learner plays."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from agents.foundation.pictures import blank_figure
from learners.policy import Policy
from strategic_env.bench.contestants import all_contestants, mistake_bound
from strategic_env.games.scenarios import scenario
from strategic_env.games.shared.scenario import BenchScenario

ROUNDS, AT_LEAST, FAR = 200, 5, 0.4  # of a game; rounds before the one that is shown; a cost worth looking at
INK, GREY, BLUE, ORANGE = "#222222", "#9A9A9A", "#0072B2", "#D55E00"
PARTLY = ("constant-classifier", "best-fixed-classifier")  # learn nothing that a picture could show
CAPTIONS = {
    "strategic": "A round, as `render()` draws it: the published classifier, who arrived, and the report.",
    "nearest centres": "A round, as `render()` draws it: what is nearest where, the query, and what the learner names.",
    "multiclass": "A round: how likely each label was to be named, which one was, and what the feedback showed.",
    "search": "The first rounds: what was guessed, and the value that only the answer speaks of.",
}


def caption(chosen: BenchScenario) -> str:
    """Say what the picture of a scenario shows."""
    return CAPTIONS[looks(chosen)]


def looks(chosen: BenchScenario) -> str:
    """Return how a round of a scenario is drawn."""
    return "nearest centres" if chosen.metadata["render_modes"] == ["rgb_array"] else chosen.game


def draw(name: str, path: Path) -> None:
    """Save the picture of a round of a scenario."""
    chosen = scenario(name)
    how = looks(chosen)
    if how == "multiclass":
        save(labels(chosen), path)
    elif how == "search":
        save(guesses(chosen), path)
    else:
        from matplotlib import image

        image.imsave(path, rendered(chosen))


def save(figure: Figure, path: Path) -> None:
    """Write a figure to a file."""
    figure.savefig(path, dpi=100)


def player(chosen: BenchScenario) -> Policy[Any]:
    """Return who plays: the first whose theorem holds here, else the first that learns."""
    playing = [
        one.learner for one in all_contestants(chosen)[0] if isinstance(one.learner, Policy) and one.name not in PARTLY
    ]
    return next((one for one in playing if mistake_bound(one, chosen) is not None), playing[0])


def played(chosen: BenchScenario, env: Any) -> Iterator[tuple[Any, Any, dict[str, Any], Any]]:
    """Yield the action, the observation and the info of one round after another, and what was learned before it."""
    learner, state = player(chosen), None
    observation, info = env.reset(seed=1)
    for _ in range(ROUNDS):
        action, state = learner.predict(observation, state)
        observation, _, _, over, info = env.step(action)
        yield action, observation, info, (learner, state)
        if over:
            return


def rendered(chosen: BenchScenario) -> Any:
    """Return the pixels of the first round after a few in which somebody moved far, or of the last one."""
    env = chosen.make(render_mode="rgb_array")
    for number, (_, _, info, learned) in enumerate(played(chosen, env)):
        if number >= AT_LEAST and info.get("cost", FAR) >= FAR:
            if hasattr(env, "watch"):
                env.watch(*learned)
            break
    return env.render()  # type: ignore[attr-defined]


def labels(chosen: BenchScenario) -> Figure:
    """Draw a round of labels: bars of the learner's probabilities, and what each label's feedback was."""
    rounds = list(zip(range(ROUNDS), played(chosen, chosen.make()), strict=False))
    _, (action, observation, info, (learner, state)) = rounds[-1]
    drawn = np.asarray(getattr(state, "probabilities", np.zeros((1, 0))))[0]
    figure = blank_figure(figsize=(8.0, 4.2))
    axes = figure.add_axes((0.08, 0.24, 0.88, 0.62))
    shown, names = observation["feedback"], [str(k) for k in range(len(observation["feedback"]))]
    nodes = max(len(shown), len(drawn))
    names += ["ask"] * (nodes - len(shown))
    axes.bar(range(len(drawn)), drawn, color=[BLUE if node == action else "#BFD8E8" for node in range(len(drawn))])
    signs = {-1.0: "hidden", 0.0: "no", 1.0: "yes"}
    ticks = [f"{name}\n{signs[float(shown[k])] if k < len(shown) else ''}" for k, name in enumerate(names)]
    axes.set_xticks(range(nodes), ticks, color=INK)
    axes.set_ylabel("probability of being played", color=INK)
    axes.spines[["top", "right"]].set_visible(False)
    title = f"round {int(observation['round'][0])}: played {names[int(action)]}, the label is {info['true_label']}"
    figure.text(0.08, 0.91, title, fontsize=13, color=INK, weight="bold")
    figure.text(0.08, 0.03, "label, and whether the feedback says that it is the one", fontsize=11, color=GREY)
    return figure


def guesses(chosen: BenchScenario) -> Figure:
    """Draw the first rounds of a search: guesses and values."""
    rounds = [
        (float(np.ravel(action)[0]), info["value"])
        for _, (action, _, info, _) in zip(range(40), played(chosen, chosen.make()), strict=False)
    ]
    guessed, true = np.transpose(rounds)
    at = np.arange(1, len(guessed) + 1)
    figure = blank_figure(figsize=(8.0, 4.2))
    axes = figure.add_axes((0.09, 0.14, 0.88, 0.8))
    axes.vlines(at, guessed, true, color=GREY, linewidth=1.2)
    axes.plot(at, true, "o", markersize=8, markerfacecolor="white", color=INK, label="value of the inner product")
    axes.plot(at, guessed, "o", markersize=6, color=BLUE, label="guess")
    axes.set_xlabel("round", color=INK)
    axes.set_ylim(-1.05, 1.05)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    return figure
