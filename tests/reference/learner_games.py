"""Learners of the strategic game, the scenarios that they are tried on, and a loop that plays them."""

from typing import Any

import gymnasium

from learners import (
    AdaptiveGradient,
    BestFixedClassifier,
    BiasedL1,
    ConstantClassifier,
    EchoChecking,
    GradientMaxMargin,
    ImprovingPerceptron,
    Learner,
    Patient,
    Perceptron,
    SecondOrderStrategicPerceptron,
    StrategicGradient,
    StrategicMaxMargin,
    StrategicPerceptronL1,
    StrategicPerceptronL2,
    UnknownCostsL1,
)
from strategic_env.games.registration import environment_id

LEARNERS_AND_SCENARIOS: list[tuple[Learner[Any], str]] = [
    (Perceptron(), "KnownL2"),
    (Perceptron(bias=True, learning_rate=0.5), "KnownL2"),
    (StrategicPerceptronL2(0.3), "KnownL2"),
    (StrategicPerceptronL1(0.3, 1.0), "KnownL1"),
    (BiasedL1([0.3, 0.3], 1.0), "KnownL1"),
    (ConstantClassifier(), "KnownL2"),
    (ConstantClassifier(accept=False), "KnownL2"),
    (BestFixedClassifier([0.6, 0.8, -0.3]), "KnownL2"),
    (SecondOrderStrategicPerceptron(0.3), "KnownL2"),
    (StrategicMaxMargin(0.3), "KnownL2"),
    (StrategicMaxMargin(0.3, "l1", bias=True), "KnownL1"),
    (GradientMaxMargin(0.3, bias=True), "KnownL2"),
    (StrategicGradient([0.3, 0.1], "l1"), "KnownL1"),
    (AdaptiveGradient(0.3), "KnownL2"),
    (UnknownCostsL1(1.0, 0.1), "KnownL1"),
    (ImprovingPerceptron(0.3), "KnownL2"),
    (Patient("strategic-perceptron-l2", rounds=2, alpha=0.3), "KnownL2"),
    (EchoChecking("strategic-perceptron-l1", alpha=0.3, radius=1.0), "KnownL1"),
]


def run(learner: Learner[Any], scenario: str, rounds: int, seed: int = 0, **options: Any) -> tuple[Any, list[Any]]:
    env = gymnasium.make(environment_id(scenario), **options)
    observation, _ = env.reset(seed=seed)
    state, record = None, []
    for _ in range(rounds):
        action, state = learner.predict(observation, state)
        observation, _, _, _, info = env.step(action)
        record.append((action, info["mistake"]))
    return state, record
