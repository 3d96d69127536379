"""Whole games of multiclass learners in compiled code, on points that were drawn before."""

from typing import Any

import numpy as np

from agents.foundation.compiled import compiled
from agents.foundation.streams import game_key
from agents.foundation.typing import Bool, Float, Int
from agents.populations.labelled import Prototypes
from learners import FeedbackGraph, MulticlassLearner
from learners.multiclass.rules import decide, update


@compiled
def play(state: Any, game: int, features: Float, labels: Int, reveals: Bool) -> int:
    """Play all rounds of one game; return the mistakes."""
    mistakes, feedback = 0, np.empty(reveals.shape[1])
    for t in range(features.shape[0]):
        state.features[game] = features[t]
        action = decide(state, game)
        mistakes += action != labels[t]
        for k in range(feedback.shape[0]):
            feedback[k] = (1.0 if k == labels[t] else 0.0) if reveals[action, k] else -1.0
        update(state, game, action, feedback)
    return mistakes


def error_rates(
    learner: MulticlassLearner[Any], graph: FeedbackGraph, noise: float, repetitions: int = 10, rounds: int = 10_000
) -> Any:
    """Return the rate of mistakes in each repetition of SynSep or SynNonSep (d = 80), the same for all learners."""
    population = Prototypes(80, graph.classes, noise=noise)
    state = learner.initial_state(repetitions, 80)
    mistakes = []
    for game in range(repetitions):
        features, labels = population.points(game_key(0, game), rounds)
        mistakes.append(play(state, game, features, labels, graph.reveals))
    return np.array(mistakes) / rounds
