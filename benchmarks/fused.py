"""Rows on fused rollouts: against bare dot products, against the loop in Python, and two threads against one."""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from agents.foundation.compiled import loop
from agents.foundation.lanes import scaled_dot
from agents.foundation.streams import game_key
from agents.foundation.typing import Float, Int
from agents.populations.arrivals import ManyArrivals
from agents.populations.finite import FixedSequence
from benchmarks.measure import Budget, Measurement, Reach, Row, Side, alternate
from learners.catalogue import build
from learners.strategic.base import Learner
from strategic_env.bench.rollout import rollout
from strategic_env.games.scenarios import scenario
from strategic_env.games.strategic.scenario import Scenario

GAMES, ROUNDS, POOL, MARGIN = 64, 1000, 4096, 0.1
# Algorithms 2 and 3: the scenario, and the learner.
ALGORITHMS = {"l2": ("KnownL2", "strategic-perceptron-l2"), "l1": ("KnownL1", "strategic-perceptron-l1")}
SPEEDS = {2: 0.35, 10: 0.35, 100: 0.5, 1000: 0.6}


def rows() -> list[Row]:
    """Return all rows."""
    table = [
        Row(f"fused/floor-{order}/{algorithm}/d{dim}", Reach(">=", limit), partial(_floor, order, algorithm, dim))
        for order in ("drawn", "cyclic")
        for algorithm in ALGORITHMS
        for dim, limit in SPEEDS.items()
    ]
    table += [
        Row(f"fused/loop/{algorithm}/d{dim}", Reach(">=", 150.0), partial(_python, algorithm, dim))
        for algorithm in ALGORITHMS
        for dim in (2, 10, 100)
    ]
    table += [
        Row(f"fused/threads/{games}", Reach(">=", 1.7), partial(_threads, games, rounds))
        for games, rounds in ((64, 100_000), (1024, 10_000))
    ]
    return table


def chosen(algorithm: str, dim: int) -> tuple[Learner[Any], Scenario]:
    """Return the learner of an algorithm and the scenario that it is made for, with the pool."""
    name, learner = ALGORITHMS[algorithm]
    table = scenario(name, dim=dim, pool=POOL, population_seed=0, margin=MARGIN)
    return build(learner, table.knowledge), table


def in_order(table: Scenario, features: Float, labels: Float) -> Scenario:
    """Return the scenario with these individuals, who arrive in order, over and over."""
    members = FixedSequence(block=list(zip(list(features), labels.tolist(), strict=True)))
    return replace(table, setting=replace(table.setting, population=members))


@loop
def dot_products(weights: Float, features: Float, index: Int, rounds: int) -> float:
    """One dot product per round of each game: the least that a round can cost."""
    total = 0.0
    for game in range(index.shape[0]):
        for round in range(rounds):
            total += scaled_dot(weights[game], 1.0, features[index[game, round]], 1.0, features.shape[1])
    return total


class Floor:
    """The same arrivals as the rollout's, and one dot product for each; it begins its games anew, as a rollout does."""

    def __init__(self, table: Scenario) -> None:
        source = table.setting.source()
        assert source is not None
        self._source, self._block = source, 1 << (ROUNDS - 1).bit_length()
        self._keys = np.array([game_key(0, game) for game in range(GAMES)])
        self._weights = np.random.default_rng(0).normal(size=(GAMES, source.features.shape[1]))

    def __call__(self) -> float:
        """Let individuals arrive, and score them."""
        arrivals = ManyArrivals(self._source, GAMES, self._block)
        arrivals.begin(np.arange(GAMES), self._keys)
        arrivals.fill(np.zeros(GAMES, dtype=np.int64), ROUNDS)
        return dot_products(self._weights, arrivals.features, arrivals.index, ROUNDS)


def _floor(order: str, algorithm: str, dim: int, budget: Budget) -> Measurement:
    learner, table = chosen(algorithm, dim)
    if order == "cyclic":
        source = table.setting.source()
        assert source is not None
        table = in_order(table, source.features, source.labels)
    units = GAMES * ROUNDS
    return alternate(
        Side(f"dot products, arrivals {order}", Floor(table), units),
        Side("fused rollout", partial(rollout, learner, table, GAMES, ROUNDS), units),
        budget,
        unit="round",
    )


class PythonLoop:
    """One game of a learner, round by round."""

    def __init__(self, learner: Learner[Any], table: Scenario) -> None:
        self._learner, self._env = learner, table.make()

    def __call__(self) -> int:
        """Play an episode and count the mistakes."""
        learner, env = self._learner, self._env
        observation, info = env.reset(seed=0)
        state, over, mistakes = None, False, 0
        while not over:
            action, state = learner.predict(observation, state)
            observation, _, _, over, info = env.step(action)
            mistakes += bool(info["mistake"])
        return mistakes


def _python(algorithm: str, dim: int, budget: Budget) -> Measurement:
    learner, table = chosen(algorithm, dim)
    return alternate(
        Side("loop over the environment", PythonLoop(learner, table), table.horizon),
        Side("fused rollout", partial(rollout, learner, table, GAMES, ROUNDS), GAMES * ROUNDS),
        budget,
        unit="round",
    )


def _threads(games: int, rounds: int, budget: Budget) -> Measurement:
    learner, table = chosen("l2", 10)
    one, two = (
        Side(f"{threads} thread(s)", partial(rollout, learner, table, games, rounds, threads=threads), games * rounds)
        for threads in (1, 2)
    )
    return alternate(one, two, budget, unit="round", clock="wall", threads="1 and 2")
