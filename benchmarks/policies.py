"""Rows on learners in Python: ``predict`` alone, and the loop of ``predict`` and ``step``, over a step of CartPole."""

from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np

from benchmarks.fused import PythonLoop, chosen
from benchmarks.measure import Budget, Measurement, Reach, Row, Side, alternate
from benchmarks.multiclass import gappletron
from benchmarks.single import STEPS, Playing
from benchmarks.vector import DIM, cartpole
from learners.policy import Policy

# Rounds of which a learner of many games hears.
FEW = 100


def rows() -> list[Row]:
    """Return all rows."""
    return [
        Row("predict/one/d10", Reach("<=", 0.5), _one),
        Row("predict/one/gappletron", Reach("<=", 2.0), _gappletron),
        Row("predict/many/64", Reach("<=", 0.5), partial(_many, 64)),
        Row("predict/many/1024", Reach("<=", 1.0), partial(_many, 1024)),
        Row("predict/loop/d10", Reach("<=", 1.2), _loop),
    ]


class Hearing:
    """A learner that hears of the rounds of its own game, over and over."""

    def __init__(self, learner: Policy[Any], env: Any, rounds: int) -> None:
        self._learner, self._observations = learner, list[Any]()
        observation, state = env.reset(seed=0)[0], None
        for _ in range(rounds):
            self._observations.append(observation)
            action, state = learner.predict(observation, state)
            observation = env.step(action)[0]

    def __call__(self) -> None:
        """Predict in every round."""
        predict, state = self._learner.predict, None
        for observation in self._observations:
            _, state = predict(observation, state)


def _cartpole() -> Side:
    actions = list(np.random.default_rng(0).integers(2, size=STEPS))
    return Side("CartPole-v1, raw", Playing(gym.make("CartPole-v1").unwrapped, actions), STEPS)


def _one(budget: Budget) -> Measurement:
    learner, table = chosen("l2", DIM)
    ours = Side("predict, one game", Hearing(learner, table.make(), STEPS), STEPS)
    return alternate(ours, _cartpole(), budget, unit="call")


def _gappletron(budget: Budget) -> Measurement:
    learner, table = gappletron(horizon=STEPS)
    ours = Side("predict of Gappletron, one game", Hearing(learner, table.make(), STEPS), STEPS)
    return alternate(ours, _cartpole(), budget, unit="call")


def _many(games: int, budget: Budget) -> Measurement:
    learner, table = chosen("l2", DIM)
    ours = Side(f"predict, {games} games", Hearing(learner, table.make_vec(games), FEW), FEW)
    return alternate(ours, cartpole(games), budget, unit="call")


def _loop(budget: Budget) -> Measurement:
    learner, table = chosen("l2", DIM)
    ours = Side("predict and step", PythonLoop(learner, table), table.horizon)
    return alternate(ours, _cartpole(), budget, unit="round")
