"""Nearest centres by the second-order perceptron: least squares over the mistakes."""

import math
from typing import Annotated, NamedTuple

import numpy as np

from agents.foundation.checks import finite_number
from agents.foundation.typing import Float, Int, Key
from learners.multiclass.label_learner import LabelLearner
from learners.multiclass.observation import revealed_label
from learners.multiclass.rules import distribute, update
from learners.multiclass.scores import leader, write_mixture, write_scores
from learners.search.lifting import LARGEST_POWER, SIMILARITIES, Lift, fits, lift
from learners.strategic.rules import rule_of, stays_inside
from learners.strategic.second_order import append_row, solve_triangular


class SecondOrderCentresState(NamedTuple):
    """What one game has learned.

    Attributes
    ----------
    weights, features, probabilities, scores, key, episode, decided : ndarray
        See `learners.multiclass.rules`; the weights are ``A^-1 b``.
    query, kind : ndarray, shapes (n, D) and (n,), int64
        The lifted features, and how they are lifted (`learners.search.lifting`).
    factor : ndarray, shape (n, K D, K D)
        U, upper triangular, with ``U^T U = A``.
    target : ndarray, shape (n, K D)
        ``U A^-1 b``.
    mistakes : ndarray, shape (n,), int64
        How often it has learned.
    """

    weights: Float
    features: Float
    probabilities: Float
    scores: Float
    key: Key
    episode: Int
    decided: Int
    query: Float
    kind: Int
    factor: Float
    target: Float
    mistakes: Int


@rule_of(SecondOrderCentresState, stays_inside)
def _stays_inside(state: SecondOrderCentresState, game: int) -> bool:
    return fits(state.kind[game], state.features.shape[1], state.query.shape[1])


@rule_of(SecondOrderCentresState, distribute, allocates=False)
def _distribute(state: SecondOrderCentresState, game: int) -> None:
    scores, query = state.scores[game], state.query[game]
    lift(state.kind[game], state.features[game], query)
    write_scores(state.weights[game], query, scores)
    write_mixture(leader(scores), 0.0, scores.shape[0], state.probabilities[game])


@rule_of(SecondOrderCentresState, update)
def _update(state: SecondOrderCentresState, game: int, action: int, feedback: Float) -> None:
    label, played, query = revealed_label(feedback), leader(state.scores[game]), state.query[game]
    if label < 0 or label == played:
        return
    d, comparison = query.shape[0], np.zeros(state.target.shape[1])
    for i in range(d):
        comparison[label * d + i] = query[i]
        comparison[played * d + i] = -query[i]
    append_row(state.factor[game], state.target[game], comparison, 1.0)
    solve_triangular(state.factor[game], state.target[game], state.weights[game].reshape(comparison.shape[0]))
    state.mistakes[game] += 1


class SecondOrderCentres(LabelLearner[SecondOrderCentresState]):
    """Plays the nearest of the centres ``A^-1 b``; a mistake adds ``g = (e_y - e_i) (x) q`` to b and ``g g^T`` to A.

    Parameters
    ----------
    classes : int
        Number of labels K.
    regularisation : float
        What A begins with, times the identity, from 1e-40 to 1e40; queries are at most 1 long, or else
        shortened.
    similarity, p, levels
        As for `KCentres`.

    Warnings
    --------
    Its loss grows with the logarithm of its mistakes, where that of sets, told the truth, stays bounded. A round with a
    mistake takes time of order ``(K d)^2``.

    Notes
    -----
    Its loss is at most ``2 L + sqrt(lam L) |X|``, where ``L = (K - 1) d ln(1 + 2 n / (lam (K - 1)
    d))``, X are the centres without their mean, and n counts the mistakes (`learners.bounds.second_order_centres`,
    with and without wrong labels). No other rule here has as small a proved bound; it grows like ln n.

    References
    ----------
    Cesa-Bianchi, Conconi, Gentile (2005), A second-order perceptron algorithm, SIAM Journal on Computing 34(3), for the
    rule; the bound for centres is this project's own.

    Examples
    --------
    >>> from learners import SecondOrderCentres
    >>> learner = SecondOrderCentres(classes=2, regularisation=0.5)
    >>> label, state = learner.predict({"features": [1.0, 0.0], "feedback": [-1, -1], "action": [-1], "round": [0]})
    >>> seen = {"features": [1.0, 0.0], "feedback": [0, 1], "action": [label], "round": [1]}
    >>> label, state = learner.predict(seen, state)
    >>> int(label), state.weights  # 1 / (0.5 + 2)
    (1, array([[[-0.4,  0. ],
            [ 0.4,  0. ]]]))
    """

    name = "second-order-centres"
    state_class = SecondOrderCentresState
    summary = "nearest centres by the second-order perceptron over all of them together"
    welcomes = ("similarity", "p", "levels")
    defaults = ()  # a scenario of centres names it

    def __init__(
        self,
        classes: int,
        regularisation: float = 0.1,
        similarity: Annotated[str, f"one of {', '.join(SIMILARITIES)}"] = "inner",
        p: Annotated[float | None, f"null: as similarity says; up to {LARGEST_POWER:g}"] = None,
        levels: Annotated[int | None, "null: queries may lie anywhere"] = None,
    ) -> None:
        super().__init__(classes)
        self.lift = Lift(similarity, p, levels)
        self.regularisation = finite_number("regularisation", regularisation, minimum=1e-40, maximum=1e40)
        self.parameters |= {
            "regularisation": self.regularisation, "similarity": similarity, "p": p, "levels": levels
        }  # fmt: skip

    def _weights_shape(self, dim: int) -> tuple[int, ...]:
        return self.classes, self.lift.dim(dim)

    def initial_state(self, games: int, dim: int) -> SecondOrderCentresState:
        """Return centres at the origin for each game."""
        lifted = self.lift.dim(dim)
        size = self.classes * lifted
        factor = math.sqrt(self.regularisation) * np.eye(size)
        return SecondOrderCentresState(
            **self._beginning(games, dim) | {"weights": np.zeros((games, self.classes, lifted))},
            query=np.zeros((games, lifted)),
            kind=np.full(games, self.lift.kind),
            factor=np.repeat(factor[np.newaxis], games, axis=0),
            target=np.zeros((games, size)),
            mistakes=np.zeros(games, dtype=np.int64),
        )
