"""The Perceptron (Algorithm 1 of the Strategic Perceptron paper): the baseline that takes reports at face value."""

from typing import NamedTuple

import numpy as np

from agents.checks import finite_number
from agents.typing import Float
from learners import bounds
from learners.base import Learner, Truth
from learners.rules import learn, publish, rule_of, write_published


class PerceptronState(NamedTuple):
    """Weights (n, d), intercept (n,), learning rate (n,), and the value of the fake coordinate (n,): 1 with a bias."""

    weights: Float
    intercept: Float
    learning_rate: Float
    fake: Float


@rule_of(PerceptronState, learn)
def _learn(
    state: PerceptronState, game: int, features: Float, prediction: float, label: float, classifier: Float, eps: float
) -> bool:
    if label == 0.0 or label == prediction:
        return False
    step = state.learning_rate[game] * label
    weights = state.weights[game]
    for i in range(features.shape[0]):
        weights[i] += step * features[i]
    state.intercept[game] += step * state.fake[game]
    return True


@rule_of(PerceptronState, publish)
def _publish(state: PerceptronState, game: int, out: Float) -> None:
    write_published(state.weights[game], state.intercept[game], out)


class Perceptron(Learner[PerceptronState]):
    """Adds ``eta y x`` to its weights on every mistake (Algorithm 1; ``w = 0`` accepts everybody).

    Parameters
    ----------
    bias : bool
        Learn an intercept as the weight of a fake coordinate of value 1 (Extension 1).
    learning_rate : float
        eta, greater than 0. Without a margin it changes nothing but the scale of the weights.
    """

    name = "perceptron"
    state_class = PerceptronState
    summary = "the classic Perceptron (Algorithm 1), which takes reports at face value"

    def __init__(self, bias: bool = False, learning_rate: float = 1.0) -> None:
        if not isinstance(bias, bool):
            raise TypeError(f"bias must be True or False, got {bias!r}")
        self.bias = bias
        self.learning_rate = finite_number("learning_rate", learning_rate, above=0.0)
        self.parameters = {"bias": bias, "learning_rate": self.learning_rate}

    def initial_state(self, games: int, dim: int) -> PerceptronState:
        """Return zero weights for each game."""
        return PerceptronState(
            np.zeros((games, dim)),
            np.zeros(games),
            np.full(games, self.learning_rate),
            np.full(games, float(self.bias)),
        )

    def bound(self, truth: Truth, *, printed: bool = False) -> float | None:
        """Return Novikoff's bound where nobody can move, else None: strategic individuals void it."""
        if truth.alpha > 0.0:
            return None
        if not self.bias:
            return bounds.novikoff(truth.radius, truth.margin) if truth.intercept == 0.0 else None
        return bounds.novikoff_with_bias(truth.radius, 1.0 / truth.margin, truth.intercept / truth.margin)
