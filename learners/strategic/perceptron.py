"""The Perceptron (Algorithm 1 of the Strategic Perceptron paper): the baseline that takes reports at face value."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, NamedTuple

import numpy as np

from agents.foundation.checks import finite_length, finite_number, flag, one_of
from agents.foundation.lanes import dot
from agents.foundation.typing import Float
from learners import bounds
from learners.strategic.base import Learner, Truth
from learners.strategic.rules import concerns, learn, publish, rule_of, write_published


class PerceptronState(NamedTuple):
    """What one game has learned.

    Attributes
    ----------
    weights : ndarray, shape (n, d)
    intercept : ndarray, shape (n,)
    learning_rate : ndarray, shape (n,)
    fake : ndarray, shape (n,)
        Value of the fake coordinate: 1 with a bias, else 0.
    threshold : ndarray, shape (n,)
        Updates also where ``y (w.x + b)`` is at most this; minus infinity for mistakes only.
    """

    weights: Float
    intercept: Float
    learning_rate: Float
    fake: Float
    threshold: Float


@rule_of(PerceptronState, concerns)
def _concerns(state: PerceptronState, game: int, prediction: float, label: float) -> bool:
    return label != 0.0 and (label != prediction or state.threshold[game] > -np.inf)


@rule_of(PerceptronState, learn)
def _learn(
    state: PerceptronState, game: int, features: Float, prediction: float, label: float, classifier: Float, eps: float
) -> bool:
    weights = state.weights[game]
    functional_margin = label * (dot(weights, features) + state.intercept[game])
    if label == 0.0 or (label == prediction and functional_margin > state.threshold[game]):
        return False
    step = state.learning_rate[game] * label
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
        eta, from 1e-40 to 1e40. It changes nothing but the scale of the weights, whatever the size of the features.
    ties : str
        ``"paper"``: only a wrong prediction is a mistake, and a tie predicts +1. ``"lecture"``: a tie
        ``y (w.x + b) = 0`` is a mistake whatever the label.

    Warnings
    --------
    People who move void its bound: it cycles for ever on Example 1, and with an intercept on Example 2, although a
    hyperplane separates the true points.

    References
    ----------
    Novikoff (1962), On convergence proofs for perceptrons.
    Ahmadi, Beyhaghi, Blum, Naggita (2021), The Strategic Perceptron, EC: Algorithm 1, Extension 1.

    Examples
    --------
    >>> from learners import Perceptron, passes
    >>> learner = Perceptron(bias=True)
    >>> training = passes.sweep(learner, [[2.0], [-1.0], [1.0]], labels=[1, -1, -1])
    >>> training.updates, training.state.weights, training.state.intercept  # accepts x >= 2
    (4, array([[1.]]), array([-2.]))
    """

    name = "perceptron"
    only_mistakes = True
    state_class = PerceptronState
    summary = "the classic Perceptron as printed (Algorithm 1), without an intercept; bias=true learns one"
    defaults: ClassVar[tuple[Mapping[str, object], ...]] = (
        {},
        {"bias": True},
    )  # with an intercept, too, as others learn one

    def __init__(
        self, bias: bool = False, learning_rate: float = 1.0, ties: Annotated[str, "paper or lecture"] = "paper"
    ) -> None:
        threshold = 0.0 if one_of("ties", ties, ("paper", "lecture")) == "lecture" else -np.inf
        self._set(bias, learning_rate, threshold)
        self.parameters = {"bias": bias, "learning_rate": self.learning_rate, "ties": ties}

    def _set(self, bias: bool, learning_rate: float, threshold: float) -> None:
        self.bias = flag("bias", bias)
        self.learning_rate = finite_number("learning_rate", learning_rate, minimum=1e-40, maximum=1e40)
        self.threshold = threshold

    def initial_state(self, games: int, dim: int) -> PerceptronState:
        """Return zero weights for each game."""
        return PerceptronState(
            np.zeros((games, dim)),
            np.zeros(games),
            np.full(games, self.learning_rate),
            np.full(games, float(self.bias)),
            np.full(games, self.threshold),
        )

    def intercept_of(self, state: PerceptronState) -> float | None:
        """Return the weight of the fake coordinate, with a bias."""
        return float(state.intercept[0]) if self.bias else None

    def bound(self, truth: Truth, *, printed: bool = False) -> float | None:
        """Return Novikoff's bound where nobody can move, else None: strategic individuals void it."""
        game = truth.game_of()
        if game is None or any(game.alpha):
            return None
        if not self.bias:
            return bounds.novikoff(truth.radius, truth.margin) if truth.intercept == 0.0 else None
        return bounds.novikoff_with_bias(truth.radius, 1.0 / truth.margin, truth.intercept / truth.margin)


class MarginPerceptron(Perceptron):
    """Updates while ``y (w.x + b) < rho0``: ends with at least that functional margin, if it ends.

    Parameters
    ----------
    threshold : float
        rho0, greater than 0; not divided by the norm of the weights.
    bias : bool
        As for `Perceptron`.
    learning_rate : float
        eta, from 1e-40 to 1e40. Here it matters: at most ``(R^2 + 2 rho0 / eta) / rho^2`` updates.

    Warnings
    --------
    As the `Perceptron`: people who move void its bound. Where no hyperplane separates the points it never ceases to
    update.

    References
    ----------
    The lecture: Perceptron mistake bound (Lecture 2), Sheet 4, Exercise 1.

    Examples
    --------
    >>> from learners import MarginPerceptron, passes
    >>> learner = MarginPerceptron(threshold=1.0)
    >>> training = passes.sweep(learner, [[0.5], [-0.5]], labels=[1, -1])
    >>> training.updates, training.state.weights  # |w x| is 1, and was less before the last update
    (4, array([[2.]]))
    """

    name = "margin-perceptron"
    summary = "Perceptron that also updates on correct points with a small margin"
    defaults = ({},)

    def __init__(self, threshold: float = 1.0, bias: bool = False, learning_rate: float = 1.0) -> None:
        self.rho0 = rho0 = finite_length("threshold", threshold, above=0.0)
        # The rule updates at a threshold too: the next smaller number makes the comparison strict.
        self._set(bias, learning_rate, float(np.nextafter(rho0, 0.0)))
        self.parameters = {"threshold": rho0, "bias": bias, "learning_rate": self.learning_rate}

    def bound(self, truth: Truth, *, printed: bool = False) -> float | None:
        """Return the bound on updates, so on mistakes, where nobody can move and no intercept is needed; else None."""
        game = truth.game_of()
        if game is None or any(game.alpha) or self.bias or truth.intercept != 0.0:
            return None
        return bounds.margin_perceptron(truth.radius, truth.margin, self.rho0, self.learning_rate)
