"""Rounds that any learner of either game can be shown, one game or several."""

from typing import Any

import numpy as np

from learners.catalogue import learner_class, learners_of
from learners.feedback.graph import FeedbackGraph
from learners.policy import Policy

DIM, CLASSES, GAMES = 3, 4, 3
STRATEGIC = {
    "alpha": 0.3, "cost": "l2", "radius": 1.0, "margin": 0.1, "noise": 0.1, "direction": 0, "horizon": 1000,
    "improvement": 1.0, "lag": 2,
}  # fmt: skip
MULTICLASS = {"classes": CLASSES, "graph": FeedbackGraph.named("full", CLASSES), "horizon": 1000, "radius": 1.0}
# Learners around a learner, and which.
AROUND = {"patient": "strategic-perceptron-l2", "echo-checking": "improving-perceptron"}
NAMES = (*learners_of("strategic"), *AROUND, *learners_of("multiclass"))


def built(name: str) -> Policy[Any]:
    """Build a learner of either game by its name."""
    kind: Any = learner_class(name)
    knowledge = STRATEGIC | {"cost": kind.cost or "l2"} if kind.game == "strategic" else MULTICLASS
    more: dict[str, Any] = {"classifier": [0.5, 0.1, -0.2, 0.3]} if name == "best-fixed-classifier" else {}
    more |= {"learner": AROUND[name]} if name in AROUND else {}
    learner: Policy[Any] = kind.from_knowledge(knowledge, **more)
    return learner


def seen(
    learner: Policy[Any], draws: np.random.Generator, last: Any, games: int | None, round: int, size: float = 1.0
) -> dict[str, Any]:
    """Observe a round whose features are -size, 0 or size and whose prediction is wrong."""
    rows = games or 1
    features = draws.choice([-1.0, 0.0, 1.0], (rows, DIM)) * size
    label = draws.choice([-1.0, 1.0], (rows, 1))
    if learner.game == "strategic":
        echoed = np.zeros((rows, DIM + 1)) if last is None else np.reshape(last, (rows, DIM + 1))
        entries = {"features": features, "prediction": -label, "label": label, "classifier": echoed}
    else:
        told = np.eye(CLASSES)[draws.integers(0, CLASSES, rows)]
        action = np.full((rows, 1), -1.0) if last is None else np.reshape(last, (rows, 1))
        entries = {"features": features, "feedback": told, "action": action}
    entries["round"] = np.full((rows, 1), float(round))
    return entries if games else {key: entry[0] for key, entry in entries.items()}
