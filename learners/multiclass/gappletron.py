"""Gappletron explores as much as its own loss on its favourite label says, for any feedback graph."""

import math
from typing import Annotated, NamedTuple

import numpy as np

from agents.foundation.checks import LARGEST_SEED, count, finite_length, finite_number, one_of
from agents.foundation.typing import Bool, Float, Int, Key
from learners.feedback.graph import FeedbackGraph
from learners.multiclass.base import MulticlassLearner, checked_graph, per_game
from learners.multiclass.descent import DESCENTS, beginning, has_the_gradients, learn_label
from learners.multiclass.losses import LOSSES, check_kappa, gap, minimal_gap, smoothness
from learners.multiclass.rules import distribute, update
from learners.multiclass.scores import leader, write_mixture, write_scores
from learners.strategic.rules import rule_of, stays_inside

PARAMETERS = ("ones", "theory")
MOST_EXPLORATION = 0.5


class GappletronState(NamedTuple):
    """What one game has learned.

    Attributes
    ----------
    weights : ndarray, shape (n, K, d)
    features : ndarray, shape (n, d)
    probabilities : ndarray, shape (n, nodes)
    scores : ndarray, shape (n, K)
        Of the features.
    key, episode, decided : ndarray
        Random stream, see `learners.multiclass.rules`.
    descent, norm, memory, slopes, gradients : ndarray
        See `learners.multiclass.descent.beginning`.
    reveals : ndarray, shape (n, nodes, K), bool
        The feedback graph.
    revealing : ndarray, shape (n, nodes), bool
        Q: whether a node reveals all labels.
    dominating : ndarray, shape (n, nodes)
        ``1 / rho`` at the nodes of S, a smallest set that reveals every label; else 0.
    loss : ndarray, shape (n,), int64
        Place in `learners.multiclass.losses.LOSSES`.
    kappa, gamma : ndarray, shape (n,)
    minimal : ndarray, shape (n,), bool
        Whether the gap map is the smallest one.
    unrevealing : ndarray, shape (n,), int64
        Rounds so far whose leader did not reveal all labels.
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
    revealing: Bool
    dominating: Float
    loss: Int
    kappa: Float
    gamma: Float
    minimal: Bool
    unrevealing: Int


rule_of(GappletronState, stays_inside)(has_the_gradients)


@rule_of(GappletronState, distribute, allocates=False)
def _distribute(state: GappletronState, game: int) -> None:
    scores, probabilities = state.scores[game], state.probabilities[game]
    kind, kappa, nodes = state.loss[game], state.kappa[game], probabilities.shape[0]
    write_scores(state.weights[game], state.features[game], scores)
    best, exploration = leader(scores), 0.0
    if not state.revealing[game, best]:
        state.unrevealing[game] += 1
        exploration = min(MOST_EXPLORATION, state.gamma[game] / math.sqrt(state.unrevealing[game]))
    share = minimal_gap(kind, kappa, scores, nodes) if state.minimal[game] else gap(kind, kappa, scores)
    if exploration <= share:
        write_mixture(best, share, nodes, probabilities)
        return
    write_mixture(best, exploration, 0, probabilities)
    for node in range(nodes):
        probabilities[node] += exploration * state.dominating[game, node]


@rule_of(GappletronState, update, allocates=False)
def _update(state: GappletronState, game: int, action: int, feedback: Float) -> None:
    learn_label(state, game, feedback)


class Gappletron(MulticlassLearner[GappletronState]):
    """Algorithm 1 of the paper: a linear classifier that explores where its surrogate loss leaves it a gap.

    With y* the leader, gap a = its loss (at most 1) and ``gamma_t = min(1/2, gamma / sqrt N)``, N the rounds so far
    whose leader does not reveal all labels (0 in other rounds): where ``gamma_t <= a``, it plays any node with total
    probability a; else it plays a node of the smallest dominating set with total probability gamma_t; otherwise y*.
    When the label is revealed, it descends on its loss, divided by the probability that it would be.

    Parameters
    ----------
    graph : FeedbackGraph
        What each node reveals.
    loss : str
        ``"smooth_hinge"``, ``"special_hinge"``, ``"logistic_2"``, or ``"logistic_k"`` as published, which has no
        guarantee for more than 2 classes (`learners.multiclass.losses`).
    parameters : str
        ``"ones"``: gamma = 1. ``"theory"``: ``gamma = norm sqrt(rho K L) / 2`` for the domination number rho, which
        needs the radius. (Where classes are separable, ``gamma = norm sqrt(rho L)`` is enough.)
    gamma : float, optional
        Scale of the exploration, above 0, in place of either.
    descent : str
        How it descends: ``"adaptive"``, ``"projected"``, ``"parameter_free"`` or ``"fixed"``
        (`learners.multiclass.descent`).
    norm : float
        Scale of the comparator: of steps, of the ball that is projected to, or of the first weights; above 0.
    step : float, optional
        The fixed step; ``1 / (K L)`` by default (needs the radius).
    gap_map : str
        ``"loss"`` as published, or ``"minimal"``, the smallest one that keeps Lemma 1: in full information, filtering
        and label-efficient feedback it errs less often; in bandit feedback it may explore too little.
    kappa : float
        Of the special hinge, from ``1 / (K - 1)`` to below 1.
    radius : float, optional
        X, the largest norm of features, for what theory suggests.
    seed : int
        Of its draws.

    Warnings
    --------
    With ``loss="logistic_k"`` and more than two labels, as published, its theorem fails. It learns nothing from what a
    wrong answer rules out: in bandit feedback `InverseGapWeighting` errs less often.

    Notes
    -----
    For regular losses the expected surrogate regret is ``O(norm sqrt(rho K L T))`` (Theorem 1); in full information
    with the fixed step, expected mistakes are at most ``sum_t loss_t(U) + K L |U|^2 / 2`` for every U. With a query
    node the factor ``(K - 1) / K`` of Lemma 1 becomes ``(n - 1) / n``, and asking counts as a mistake.

    References
    ----------
    van der Hoeven, Fusco, Cesa-Bianchi (2021), Beyond bandit feedback in online multiclass classification, NeurIPS.

    Examples
    --------
    >>> from learners import FeedbackGraph, Gappletron
    >>> learner = Gappletron(FeedbackGraph.named("full", classes=2))
    >>> label, state = learner.predict({"features": [1.0], "feedback": [-1, -1], "action": [-1], "round": [0]})
    >>> state.probabilities
    array([[0.5, 0.5]])
    >>> seen = {"features": [1.0], "feedback": [0, 1], "action": [label], "round": [1]}
    >>> label, state = learner.predict(seen, state)
    >>> state.probabilities  # the gap is 0
    array([[0., 1.]])
    """

    name = "gappletron"
    state_class = GappletronState
    summary = "Gappletron: randomised linear classifier for any feedback graph (Algorithm 1)"
    requires = ("graph",)
    welcomes = ("radius",)
    defaults = ({}, {"gap_map": "minimal"})  # the smallest gap map errs less often where labels are seen whole

    def __init__(
        self,
        graph: FeedbackGraph,
        loss: Annotated[str, f"one of {', '.join(LOSSES)}"] = "smooth_hinge",
        parameters: Annotated[str, "ones or theory"] = "ones",
        *,
        gamma: Annotated[float | None, "null: as parameters says"] = None,
        descent: Annotated[str, f"one of {', '.join(DESCENTS)}"] = "adaptive",
        norm: float = 1.0,
        step: Annotated[float | None, "null: 1 / (K L)"] = None,
        gap_map: Annotated[str, "loss or minimal"] = "loss",
        kappa: float = 0.5,
        radius: Annotated[float | None, "null: what the scenario tells"] = None,
        seed: int = 0,
    ) -> None:
        self.graph = checked_graph(graph)
        self.classes, self.nodes = graph.classes, graph.nodes
        self.loss = one_of("loss", loss, LOSSES)
        self.descent = one_of("descent", descent, DESCENTS)
        self.gap_map = one_of("gap_map", gap_map, ("loss", "minimal"))
        self.norm = finite_length("norm", norm, above=0.0)
        self.kappa = finite_number("kappa", kappa, minimum=0.0, below=1.0)
        check_kappa(loss, self.kappa, self.classes)
        self.radius = None if radius is None else finite_length("radius", radius, above=0.0)
        self.seed = count("seed", seed, maximum=LARGEST_SEED)
        self.gamma = self._gamma(one_of("parameters", parameters, PARAMETERS), gamma)
        self.step = self._step(step)
        self.parameters = {
            "graph": graph, "loss": loss, "parameters": parameters, "gamma": gamma, "descent": descent,
            "norm": self.norm, "step": step, "gap_map": gap_map, "kappa": self.kappa, "radius": self.radius,
            "seed": self.seed,
        }  # fmt: skip

    def _gamma(self, parameters: str, gamma: float | None) -> float:
        if gamma is not None:
            return finite_number("gamma", gamma, above=0.0)
        if parameters == "ones":
            return 1.0
        return self.norm * math.sqrt(self.graph.domination_number * self.classes * self._smoothness()) / 2.0

    def _step(self, step: float | None) -> float:
        """Return what scales the descent: the fixed step, or the norm."""
        if self.descent != "fixed":
            if step is not None:
                raise ValueError(f"step belongs to descent='fixed', got step={step!r} for {self.descent!r}")
            return self.norm
        return 1.0 / (self.classes * self._smoothness()) if step is None else finite_length("step", step, above=0.0)

    def _smoothness(self) -> float:
        """Return L of inequality (3)."""
        if self.radius is None:
            raise ValueError(f"{self.name} must be told radius, the largest norm of features, for what theory suggests")
        return smoothness(self.loss, self.classes, self.radius, self.kappa)

    def initial_state(self, games: int, dim: int) -> GappletronState:
        """Return zero weights for each game."""
        nodes, graph = np.arange(self.nodes), self.graph
        return GappletronState(
            **self._beginning(games, dim),
            **beginning(self.descent, self.step, games, self.classes, dim),
            reveals=per_game(games, graph.reveals),
            revealing=per_game(games, np.isin(nodes, graph.revealing)),
            dominating=per_game(games, np.isin(nodes, graph.dominating_set) / graph.domination_number),
            loss=np.full(games, LOSSES.index(self.loss)),
            kappa=np.full(games, self.kappa),
            gamma=np.full(games, self.gamma),
            minimal=np.full(games, self.gap_map == "minimal"),
            unrevealing=np.zeros(games, dtype=np.int64),
        )
