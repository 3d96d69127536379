"""Rows against libraries for online learning: one pass over the same points in the same order, in one process."""

import importlib
from collections.abc import Callable
from functools import partial
from types import ModuleType
from typing import TypeAlias

from agents.foundation.typing import Float
from benchmarks.fused import chosen, in_order
from benchmarks.measure import Budget, Measurement, Reach, Row, Side, Unavailable, alternate
from strategic_env.bench.rollout import rollout

DIM = 100
# Prepares one pass over true features (n, d) and labels (n,).
Library: TypeAlias = Callable[[Float, Float], Side]


def rows() -> list[Row]:
    """Return all rows."""
    return [
        Row("libraries/scikit-learn", Reach(">=", 5.0), partial(_one_pass, _scikit_learn, 100_000)),
        Row("libraries/river", Reach(">=", 250.0), partial(_one_pass, _river, 20_000)),
        Row("libraries/vowpal-wabbit", Reach(">=", 100.0), partial(_one_pass, _vowpal_wabbit, 20_000)),
    ]


def _one_pass(library: Library, points: int, budget: Budget) -> Measurement:
    learner, table = chosen("l2", DIM)
    env = table.make()
    env.reset(seed=0)
    features, labels = env.true_points(points)
    return alternate(
        library(features, labels),
        Side(
            "fused rollout, one game", partial(rollout, learner, in_order(table, features, labels), 1, points), points
        ),
        budget,
        unit="round",
    )


def installed(module: str, distribution: str) -> ModuleType:
    try:
        return importlib.import_module(module)
    except ImportError:
        raise Unavailable(f"{distribution} is not installed: pip install {distribution}") from None


def _scikit_learn(features: Float, labels: Float) -> Side:
    perceptron = installed("sklearn.linear_model", "scikit-learn").Perceptron

    def learn() -> None:
        perceptron().partial_fit(features, labels, classes=[-1.0, 1.0])

    return Side("scikit-learn's Perceptron, partial_fit", learn, len(labels))


def _river(features: Float, labels: Float) -> Side:
    perceptron = installed("river.linear_model", "river").Perceptron
    examples = [(dict(enumerate(row)), label > 0.0) for row, label in zip(features.tolist(), labels, strict=True)]

    def learn() -> None:
        model = perceptron()
        for example, positive in examples:
            model.learn_one(example, positive)

    return Side("river's Perceptron, learn_one", learn, len(labels))


def _vowpal_wabbit(features: Float, labels: Float) -> Side:
    workspace = installed("vowpalwabbit", "vowpalwabbit").Workspace
    lines = [
        f"{label:g} | " + " ".join(f"{place}:{value:.6g}" for place, value in enumerate(row))
        for row, label in zip(features.tolist(), labels, strict=True)
    ]
    model = workspace("--quiet --loss_function hinge --sgd")

    def learn() -> None:
        for line in lines:
            model.learn(line)

    return Side("Vowpal Wabbit, learn", learn, len(labels))
