"""The pictures of the pages of theorems: who errs how often, and what the theorem allows."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate, islice
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from sphinx.application import Sphinx

from agents import FixedSequence, GreedyAdversary, L2Cost, LabelledData, TangentAdversary, WeightedL1Cost
from agents.foundation.pictures import blank_figure
from learners import (
    BiasedL1,
    BiasedL2,
    ContextualSearch,
    DensityCentres,
    FeedbackGraph,
    Gappletron,
    GradientMaxMargin,
    KCentres,
    Learner,
    StrategicMaxMargin,
    StrategicPerceptronL1,
    StrategicPerceptronL2,
    UnknownCostL1Single,
    bounds,
)
from learners.strategic.phases import next_estimate
from strategic_env import MulticlassScenario, MulticlassSetting, Setting, scenario
from strategic_env.reproduce.literal import DRIFT, DRIFT_MARGIN, EXAMPLE_2
from strategic_env.reproduce.rounds import play

INK, GREY = "#222222", "#6E6E6E"
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7")
FOLDER = "theorems"
Lines = Mapping[str, Sequence[float]]


def drawn(lines: Lines, limits: Mapping[str, float], what: str, along: str = "round", log: bool = False) -> Figure:
    """Draw lines over rounds, and limits across."""
    figure = blank_figure(figsize=(8.0, 4.2))
    axes = figure.add_axes((0.1, 0.14, 0.86, 0.8))
    for colour, (name, values) in zip(COLOURS, lines.items(), strict=False):
        axes.plot(np.arange(1, len(values) + 1), values, color=colour, linewidth=2.0, label=name)
    for style, (name, limit) in zip(("--", ":"), limits.items(), strict=False):
        axes.axhline(limit, color=INK, linestyle=style, linewidth=1.4, label=name)
    axes.set_xlabel(along, color=INK)
    axes.set_ylabel(what, color=INK)
    axes.set_yscale("log" if log else "linear")
    axes.tick_params(color=GREY, labelcolor=INK)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="best", fontsize=11)
    return figure


def mistakes(learner: Learner[Any], population: Any, cost: Any, rounds: int) -> list[float]:
    """Return the mistakes so far after each round."""
    game = islice(play(learner, Setting(population=population, cost=cost)), rounds)
    return [float(number) for number in accumulate(bool(played.round.mistake) for played in game)]


def theorem_1() -> Figure:
    """An adversary takes what Theorem 1 allows."""
    line = mistakes(StrategicPerceptronL2(0.5), TangentAdversary(3, 1.0, 0.05), L2Cost(0.5), 800)
    limits = {
        form: bounds.strategic_l2(1.0, 0.05, 0.5, printed=form == "as printed") for form in ("as printed", "sharpened")
    }
    return drawn({"Algorithm 2 against the tangent adversary": line}, limits, "mistakes")


def theorem_2() -> Figure:
    """The drift that never ends."""
    lines = {
        name: mistakes(
            StrategicPerceptronL1([0.1, 0.0], 1.0, literal=form),
            FixedSequence([], DRIFT),
            WeightedL1Cost([0.1, 0.0]),
            8000,
        )
        for name, form in (("as printed: in every round", True), ("after mistakes only", False))
    }
    return drawn(
        lines, {"the theorem's limit": bounds.strategic_l1(1.0, DRIFT_MARGIN, 0.1, 2, printed=True)}, "mistakes"
    )


def theorem_3() -> Figure:
    """Phases of a search that forgets, and of one that does not."""
    ratio, alphas = 1024.0, np.linspace(0.0, 1024.0, 513).tolist()
    lines = {
        name: [float(phases(alpha, ratio, literal)) for alpha in alphas]
        for name, literal in (("as printed: forgets the upper end", True), ("keeps both ends of the bracket", False))
    }
    allowed = {"phases that the proof allows": 2.0 * math.ceil(math.log2(2.0 * ratio - 1.0)) + 2.0}
    return drawn(lines, allowed, "phases", along="alpha, in units of 2 gamma, where R = 1024 gamma")


def phases(alpha: float, ratio: float, literal: bool) -> int:
    """Count phases with margin 1 if every wrong estimate is found out."""
    low, high, estimate, count = 0.0, math.inf, 0.0, 1
    while not alpha - 0.5 <= estimate <= alpha:
        too_large = estimate > alpha
        low, high = (low, estimate) if too_large else (estimate, high)
        estimate = next_estimate(low, high, estimate, too_large, 1.0, ratio, literal)
        count += 1
    return count


def theorem_4() -> Figure:
    """Origins that are too many in a small unit."""
    block = FixedSequence([], [([0.01 * x for x in features], label) for features, label in EXAMPLE_2])
    lines = {
        name: mistakes(BiasedL2(0.005, 0.01, 0.0025, literal=form), block, L2Cost(0.005), 9000)
        for name, form in (("as printed: a share of the segment apart", True), ("a distance apart", False))
    }
    return drawn(lines, {"the theorem's limit": bounds.biased_l2(0.01, 0.0025, 0.005, printed=True)}, "mistakes")


def estimated_reach() -> Figure:
    """Everybody moves a little farther than the learner thinks."""
    line = mistakes(StrategicPerceptronL2(0.475), TangentAdversary(3, 1.0, 0.05), L2Cost(0.5), 2000)
    limits = {
        form: bounds.estimated_alpha_l2(1.0, 0.05, 0.475, printed=form == "as printed")
        for form in ("as printed", "sharpened")
    }
    return drawn({"Algorithm 2, told gamma/2 too little": line}, limits, "mistakes", log=True)


def one_direction() -> Figure:
    """A greedy adversary against a search along one coordinate."""
    points = np.random.default_rng(0).uniform(-0.7, 0.7, size=(200, 2))
    scores = points @ [0.6, 0.8]
    points, labels = points[abs(scores) > 0.1], np.sign(scores[abs(scores) > 0.1])
    told = {"radius": 1.0, "margin": 0.1}
    line = mistakes(
        UnknownCostL1Single(**told, direction=0), GreedyAdversary(points, labels), WeightedL1Cost([0.3, 0.0]), 1500
    )
    limit = {"the limit": bounds.unknown_cost_l1_single(**told)}
    return drawn({"against a greedy adversary": line}, limit, "mistakes", log=True)


def l1_with_intercept() -> Figure:
    """An intercept that must be negative, and may not."""
    lines = {
        name: mistakes(
            BiasedL1([0.5, 0.5], 1.0, literal=form), FixedSequence([], EXAMPLE_2), WeightedL1Cost([0.5, 0.5]), 4000
        )
        for name, form in (("as printed: corrects the fake coordinate", True), ("leaves it alone", False))
    }
    limit = bounds.strategic_l1_with_bias(1.0, 0.5, 2, 4.0, -3.0, printed=True)
    return drawn(lines, {"the theorem's limit": limit}, "mistakes")


def max_margin() -> Figure:
    """Three learners with one bound."""
    players = {
        "Algorithm 2": StrategicPerceptronL2(0.5),
        "strategic-max-margin": StrategicMaxMargin(0.5, "l2"),
        "gradient-max-margin": GradientMaxMargin(0.5, "l2"),
    }
    lines = {
        name: mistakes(learner, TangentAdversary(3, 1.0, 0.1), L2Cost(0.5), 300) for name, learner in players.items()
    }
    return drawn(lines, {"the limit of all three": bounds.max_margin_l2(1.0, 0.1)}, "mistakes")


def perceptron() -> Figure:
    """Example 1, on which the Perceptron cycles."""
    from learners import Perceptron

    setting = scenario("Example1").setting
    players = {"Perceptron": Perceptron(), "Algorithm 2": StrategicPerceptronL2(0.5)}
    lines = {name: mistakes(learner, setting.population, setting.cost, 60) for name, learner in players.items()}
    return drawn(lines, {}, "mistakes on Example 1")


def gappletron() -> Figure:
    """A tie of two labels out of nine."""
    graph, rounds = FeedbackGraph.named("full", 9), 2000
    tie = LabelledData([[1.0]] * 4000, labels=[0, 1] * 2000, classes=9, standardise=False)
    game = MulticlassScenario("a tie", MulticlassSetting(population=tie, graph=graph), rounds, {})
    lines = {}
    for loss, least, name in (("logistic_k", math.log(2, 9), "base K, as published"), ("logistic_2", 1.0, "base 2")):
        learner = Gappletron(graph, loss=loss, norm=8.0, radius=1.0)
        errors = list(accumulate(info["mistake"] for info in infos(game, learner, rounds)))
        lines[name] = [float(error) - least * number for number, error in enumerate(errors, start=1)]
    return drawn(lines, {}, "mistakes beyond the best loss")


def infos(game: Any, learner: Any, rounds: int, seed: int = 0) -> Iterator[dict[str, Any]]:
    """Yield the infos of a learner's first rounds."""
    env, state = game.make(), None
    observation, _ = env.reset(seed=seed)
    for _ in range(rounds):
        action, state = learner.predict(observation, state)
        observation, _, _, _, info = env.step(action)
        yield info


def centres() -> Figure:
    """What lies cost sets, and densities: means of two games."""
    rounds, games, lines = 1000, range(2), {}
    for lies in (0, 5):
        game = scenario("NearestNeighbor", dim=3, centres=2, corruption=lies, horizon=rounds)
        for name, learner in (("sets", KCentres(classes=2)), ("densities", DensityCentres(classes=2))):
            losses = [[info["loss"] for info in infos(game, learner, rounds, seed)] for seed in games]
            lines[f"{name}, {lies} of {rounds:,} labels wrong"] = np.cumsum(np.mean(losses, axis=0)).tolist()
    return drawn(lines, {}, "loss")


def search() -> Figure:
    """What is lost, and what may still be."""
    learner, rounds = ContextualSearch(), 400
    env, state, lost, line = scenario("ContextualSearch").make(), None, 0.0, []
    observation, _ = env.reset(seed=0)
    potential = []
    for _ in range(rounds):
        guess, state = learner.predict(observation, state)
        potential.append(float(learner.potential(state)[0]))
        observation, _, _, _, info = env.step(guess)
        lost += info["loss"]
        line.append(lost)
    return drawn({"lost so far": line, "potential: what may still be lost": potential}, {}, "loss", log=True)


PICTURES: dict[str, Callable[[], Figure]] = {
    one.__name__: one
    for one in (
        theorem_1, theorem_2, theorem_3, theorem_4, estimated_reach, one_direction, l1_with_intercept, max_margin,
        perceptron, gappletron, centres, search,
    )
}  # fmt: skip


def draw_all(folder: Path) -> None:
    """Draw the picture of every page."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, draw in PICTURES.items():
        draw().savefig(folder / f"{name}.png", dpi=100)


def place(app: Sphinx, name: str, source: list[str]) -> None:
    """Put the picture of a theorem's page in front of its second heading, and say in words what it shows."""
    room, _, page = name.partition("/")
    if room == FOLDER and page in PICTURES:
        said = (PICTURES[page].__doc__ or "").strip()
        figure = f"```{{figure}} images/{page}.png\n:alt: {said}\n\n{said}\n```\n\n"
        before, heading, after = source[0].partition("\n## ")
        source[0] = f"{before}\n{figure}{heading}{after}"
