"""Gaptron, Gappletron's predecessor for full information and bandit feedback."""

import math
from typing import Annotated, NamedTuple

import numpy as np

from agents.foundation.checks import LARGEST_SEED, count, finite_length, finite_number, one_of
from agents.foundation.compiled import compiled
from agents.foundation.typing import Bool, Float, Int, Key
from learners.feedback.graph import FeedbackGraph
from learners.multiclass.base import MulticlassLearner, per_game, self_revealing
from learners.multiclass.descent import beginning, has_the_gradients, learn_label
from learners.multiclass.losses import LOGISTIC_2, LOSSES, check_kappa, loss
from learners.multiclass.rules import distribute, update
from learners.multiclass.scores import leader, write_mixture, write_scores
from learners.strategic.rules import rule_of, stays_inside

GAPTRON_LOSSES = ("logistic_2", "smooth_hinge", "special_hinge")


class GaptronState(NamedTuple):
    """What one game has learned.

    Attributes
    ----------
    weights, features, probabilities, scores, key, episode, decided : ndarray
        See `learners.multiclass.rules`.
    descent, norm, memory, slopes, gradients : ndarray
        See `learners.multiclass.descent.beginning`.
    reveals : ndarray, shape (n, nodes, K), bool
        The feedback graph.
    loss : ndarray, shape (n,), int64
        Place in `learners.multiclass.losses.LOSSES`.
    kappa, gamma : ndarray, shape (n,)
    """

    weights: Float
    features: Float
    probabilities: Float
    scores: Float
    key: Key
    episode: Int
    decided: Int
    descent: Int
    norm: Float
    memory: Float
    slopes: Float
    gradients: Float
    reveals: Bool
    loss: Int
    kappa: Float
    gamma: Float


@compiled
def gaptron_gap(kind: int, kappa: float, scores: Float) -> float:
    """Return Gaptron's gap map: the leader's hinge loss, or 1 less its softmax where that is at least one half."""
    own = loss(kind, kappa, scores, leader(scores))
    if kind != LOGISTIC_2:
        return own
    return 1.0 - 2.0**-own if own <= 1.0 else 1.0


rule_of(GaptronState, stays_inside)(has_the_gradients)


@rule_of(GaptronState, distribute, allocates=False)
def _distribute(state: GaptronState, game: int) -> None:
    scores = state.scores[game]
    write_scores(state.weights[game], state.features[game], scores)
    rate = max(state.gamma[game], gaptron_gap(state.loss[game], state.kappa[game], scores))
    write_mixture(leader(scores), rate, scores.shape[0], state.probabilities[game])


@rule_of(GaptronState, update, allocates=False)
def _update(state: GaptronState, game: int, action: int, feedback: Float) -> None:
    learn_label(state, game, feedback)


class Gaptron(MulticlassLearner[GaptronState]):
    """Plays any label with total probability max(a, gamma), else its leader; descends in fixed steps.

    In full information gamma = 0 and steps are ``1 / (K L)``; in bandit feedback
    ``gamma = min(1, norm K sqrt(L / (2 T)))`` and steps are ``gamma / (K^2 L)``.

    Parameters
    ----------
    graph : FeedbackGraph
        Full information, or a graph where each label reveals at least whether it was right.
    radius : float
        X, the largest norm of features.
    horizon : int
        T.
    loss : str
        ``"smooth_hinge"``, ``"special_hinge"`` or ``"logistic_2"``.
    norm : float
        D, the comparator's norm, above 0.
    gamma : float, optional
        Exploration in [0, 1], in place of what theory suggests; above 0 in bandit feedback.
    step : float, optional
        Likewise.
    kappa : float
        Of the special hinge, from ``1 / (K - 1)`` to below 1.
    seed : int
        Of its draws.

    Warnings
    --------
    It must know the horizon and the radius, and plays full information or graphs in which every label shows itself, no
    others.

    Notes
    -----
    Expected mistakes are at most ``sum_t loss_t(U) + K L |U|^2 / 2`` in full information, and the surrogate regret is
    ``O(K norm sqrt(L T))`` in bandit feedback.

    References
    ----------
    van der Hoeven (2020), Exploiting the surrogate gap in online multiclass classification, NeurIPS.

    Examples
    --------
    >>> from learners import FeedbackGraph, Gaptron
    >>> learner = Gaptron(FeedbackGraph.named("full", classes=2), radius=1.0, horizon=1000)
    >>> label, state = learner.predict({"features": [1.0], "feedback": [-1, -1], "action": [-1], "round": [0]})
    >>> state.probabilities
    array([[0.5, 0.5]])
    >>> seen = {"features": [1.0], "feedback": [0, 1], "action": [label], "round": [1]}
    >>> label, state = learner.predict(seen, state)
    >>> state.probabilities  # the gap is 1/4
    array([[0.125, 0.875]])
    """

    name = "gaptron"
    state_class = GaptronState
    summary = "Gaptron: randomised linear classifier for full information and bandit feedback"
    requires = ("graph", "radius", "horizon")

    def __init__(
        self,
        graph: FeedbackGraph,
        radius: float,
        horizon: int,
        loss: Annotated[str, "logistic_2, smooth_hinge or special_hinge"] = "smooth_hinge",
        *,
        norm: float = 1.0,
        gamma: Annotated[float | None, "null: what theory suggests"] = None,
        step: Annotated[float | None, "null: what theory suggests"] = None,
        kappa: float = 0.5,
        seed: int = 0,
    ) -> None:
        self.graph = self_revealing(graph, self.name)
        self.classes, self.nodes = graph.classes, graph.nodes
        self.radius = finite_length("radius", radius, above=0.0)
        self.horizon = count("horizon", horizon, minimum=1)
        self.loss = one_of("loss", loss, GAPTRON_LOSSES)
        self.norm = finite_length("norm", norm, above=0.0)
        self.kappa = finite_number("kappa", kappa, minimum=0.0, below=1.0)
        check_kappa(loss, self.kappa, self.classes)
        self.seed = count("seed", seed, maximum=LARGEST_SEED)
        smooth = self._smoothness()
        informed = len(graph.revealing) >= self.classes
        suggested = 0.0 if informed else min(1.0, self.norm * self.classes * math.sqrt(smooth / (2.0 * self.horizon)))
        self.gamma = suggested if gamma is None else finite_number("gamma", gamma, minimum=0.0, maximum=1.0)
        if not informed and self.gamma == 0.0:
            raise ValueError("gamma must be greater than 0 in bandit feedback, got 0")
        suggested = 1.0 / self.classes if informed else self.gamma / self.classes**2
        self.step = suggested / smooth if step is None else finite_length("step", step, above=0.0)
        self.parameters = {
            "graph": graph, "radius": self.radius, "horizon": self.horizon, "loss": loss, "norm": self.norm,
            "gamma": gamma, "step": step, "kappa": self.kappa, "seed": self.seed,
        }  # fmt: skip

    def _smoothness(self) -> float:
        """Return L as in the paper, whose constant for the logistic loss is not the smallest."""
        constants = {"logistic_2": 1.0 / math.log(2.0), "smooth_hinge": 4.0, "special_hinge": 1.0 / (1.0 - self.kappa)}
        return self.radius**2 * constants[self.loss]

    def initial_state(self, games: int, dim: int) -> GaptronState:
        """Return zero weights for each game."""
        return GaptronState(
            **self._beginning(games, dim),
            **beginning("fixed", self.step, games, self.classes, dim),
            reveals=per_game(games, self.graph.reveals),
            loss=np.full(games, LOSSES.index(self.loss)),
            kappa=np.full(games, self.kappa),
            gamma=np.full(games, self.gamma),
        )
