"""Inverse-gap weighting over online least squares: a bandit learner (SquareCB), for any feedback graph."""

import math
from typing import NamedTuple

import numpy as np

from agents.foundation.checks import LARGEST_SEED, count, finite_length, finite_number, flag
from agents.foundation.compiled import compiled
from agents.foundation.lanes import dot
from agents.foundation.typing import Bool, Float, Int, Key
from learners.feedback.graph import FeedbackGraph
from learners.multiclass.base import MulticlassLearner, checked_graph, per_game
from learners.multiclass.gap_weights import write_cautious_gaps, write_costs, write_inverse_gap
from learners.multiclass.least_squares import append_features, safe_length, whiten, write_gain
from learners.multiclass.observation import HIDDEN, LABEL, OTHER, revealed_label
from learners.multiclass.rules import distribute, update
from learners.multiclass.scores import add_to_row, leader, write_scores
from learners.strategic.rules import rule_of

# Two standard deviations of an outcome, which is 0 or 1.
DOUBT = 1.0


class InverseGapState(NamedTuple):
    """What one game has learned.

    Attributes
    ----------
    weights, features, probabilities, scores, key, episode, decided : ndarray
        See `learners.multiclass.rules`; row k of the weights is the ridge regression of the known outcomes of label k.
    factor : ndarray, shape (n, C, d, d)
        U, upper triangular: ``U^T U`` is the ridge plus the sum of ``x x^T`` over the rounds that a label learned from.
        C is 1 if all labels always learn together, else K.
    whitened : ndarray, shape (n, C, d)
        ``U^-T x`` of the features.
    reveals : ndarray, shape (n, nodes, K), bool
        The feedback graph.
    gamma, confidence : ndarray, shape (n,)
    deduce : ndarray, shape (n,), bool
    shown_weights, shown_factor, shown_whitened : ndarray, shapes (n, S, d), (n, S, d, d), (n, S, d)
        The same, of the outcomes that were shown alone. S is K where others are deduced, else 0.
    """

    weights: Float
    features: Float
    probabilities: Float
    scores: Float
    key: Key
    episode: Int
    decided: Int
    factor: Float
    whitened: Float
    reveals: Bool
    gamma: Float
    confidence: Float
    deduce: Bool
    shown_weights: Float
    shown_factor: Float
    shown_whitened: Float


@rule_of(InverseGapState, distribute)
def _distribute(state: InverseGapState, game: int) -> None:
    features, scores, whitened = state.features[game], state.scores[game], state.whitened[game]
    write_scores(state.weights[game], features, scores)
    for place in range(whitened.shape[0]):
        whiten(state.factor[game, place], features, whitened[place])
    for label in range(state.shown_weights.shape[1]):
        raise_score(state, game, label)
    best, classes = leader(scores), scores.shape[0]
    costs, gaps = np.empty(state.probabilities.shape[1]), np.empty(classes)
    write_costs(scores, best, costs)
    write_cautious_gaps(costs, whitened, best, state.confidence[game], gaps)
    patience = math.sqrt(state.decided[game] + 1.0)
    gamma = state.gamma[game] * classes * patience
    write_inverse_gap(state.reveals[game], best, gaps, costs, gamma, patience, state.probabilities[game])


@compiled
def raise_score(state: InverseGapState, game: int, label: int) -> None:
    """Raise the score of a label that deduced outcomes make too small, to a lower bound from those that were shown."""
    features, whitened = state.features[game], state.shown_whitened[game, label]
    whiten(state.shown_factor[game, label], features, whitened)
    fair = dot(state.shown_weights[game, label], features) - DOUBT * safe_length(whitened)
    state.scores[game, label] = max(state.scores[game, label], fair)


@rule_of(InverseGapState, update)
def _update(state: InverseGapState, game: int, action: int, feedback: Float) -> None:
    features, outcomes = state.features[game], feedback.copy()
    if state.deduce[game]:
        deduce_outcomes(outcomes)
    learn_outcomes(state.weights[game], state.factor[game], state.whitened[game], features, outcomes)
    learn_outcomes(state.shown_weights[game], state.shown_factor[game], state.shown_whitened[game], features, feedback)


@compiled
def learn_outcomes(weights: Float, factor: Float, whitened: Float, features: Float, outcomes: Float) -> None:
    """Let regressions (S, d) learn from the outcomes (K,) that are not hidden; C factors serve them in turn."""
    places, gain = factor.shape[0], np.empty(features.shape[0])
    for place in range(places):
        if outcomes[place] != HIDDEN:
            write_gain(factor[place], whitened[place], gain)
            append_features(factor[place], features)
            for label in range(place, weights.shape[0], places):
                if outcomes[label] != HIDDEN:
                    add_to_row(weights, label, outcomes[label] - dot(weights[label], features), gain)


@compiled
def deduce_outcomes(outcomes: Float) -> None:
    """Fill in what is hidden in feedback (K,) although the label is known."""
    known = revealed_label(outcomes)
    if known >= 0:
        outcomes[:] = OTHER
        outcomes[known] = LABEL


class InverseGapWeighting(MulticlassLearner[InverseGapState]):
    """SquareCB with one ridge regression for each label, for any feedback graph.

    The score of label k, clipped to [0, 1], estimates the probability that k is the label. The leader b has the largest
    one. In bandit feedback another label k is played with probability ``1 / (K + g_t gap_k)``, where
    ``g_t = gamma K sqrt(t)``, and b with the rest. Its gap is the difference of the two scores, less ``confidence``
    times their standard deviations ``sqrt(x' A_k^-1 x)``, and at least 0.

    In other graphs the same weights say with what probability a label's outcome must be *shown*. What b shows costs
    nothing. For the rest, nodes are added greedily by demand met for the cost, each with the largest demand that it
    meets; K becomes the number of nodes that share the play. With c the cost of the cheapest node that shows it, a
    label is demanded with at most ``1 / sqrt(c sqrt(t))``, or ``1 / sqrt(c g_t)`` if it shows itself; asking costs as
    much as a wrong label.

    A game takes memory, and a round time, of order ``K d^2``.

    Parameters
    ----------
    graph : FeedbackGraph
        What each node reveals.
    gamma : float
        How fast exploration fades, above 0.
    confidence : float
        How many standard deviations gaps are shortened by, at least 0.
    ridge : float
        What each A begins with, times the identity, in units of the squared radius; from 1e-10 to 1e10.
    deduce : bool
        Whether outcomes that are hidden but follow from the known label are learned from, too: after a right answer,
        nothing else was the label. See the notes.
    radius : float
        Largest norm of features, by order of magnitude.
    seed : int
        Of its draws.

    Warnings
    --------
    Its proof needs probabilities of labels that are linear in the features. A game takes memory of order ``K d^2``;
    where a label does not show itself, mistakes beyond the best grow as ``T^(3/4)``.

    Notes
    -----
    *Proved*, with ``confidence=0`` and ``deduce=False``, if the probability of each label is linear in x with weights
    of norm at most B and lies in [0, 1]: the expected mistakes exceed those of the best answers by
    ``O(sum_t K / g_t + g_T K R)`` if every label shows itself: of order ``sqrt(T) log T``. Here
    ``R = ridge radius^2 B^2 + d ln(1 + T / (d ridge))``.

    - One round: with ``G = 2 g_t`` and q_k the probability that k is shown,
      ``sum_i p_i c_i - gap_a + sum_k (p_k - 1[k = a])^2 / (G q_k) <= 3 K / (2 g_t)`` for each label a, so that the
      regret of the round is at most this plus ``G / 4 sum_k q_k (error of score k)^2`` (Foster and Rakhlin, Lemma 3, in
      the form of Zhang et al.). This holds since q is at least the demand, and since a node is chosen only if it costs
      at most ``m (1 / g_t + gap)`` where it meets the demand of m labels.
    - All rounds: the squared loss of clipped ridge regression exceeds that of any weights u by at most
      ``ridge radius^2 |u|^2 + ln det(A_T / A_0)`` (Azoury and Warmuth 2001; Vovk 2001), for each label.

    If some label does not show itself, the round costs ``O(K^2 / t^(1/4))`` and the same argument gives ``T^(3/4)``;
    scales of order ``t^(2/3)`` in place of ``sqrt(t)`` would give ``T^(2/3)``, the best possible.

    *Only measured*: what ``confidence`` and ``deduce`` gain. In bandit feedback on the texts of Gappletron, ``deduce``
    saves half to two thirds of the mistakes beyond the noise. Deduced outcomes are not a fair sample: a label other
    than b is then seen as wrong more often than it is, and b could stay the leader for ever. So a score is raised to a
    lower confidence bound from a second regression, of the label's shown outcomes alone; without it, the learner did
    settle on a label that was right in three rounds of ten instead of one that was right in six.

    References
    ----------
    Foster, Rakhlin (2020), Beyond UCB: optimal and efficient contextual bandits with regression oracles, ICML.

    Zhang, Zhang, Vrousgou, Luo, Mineiro (2023), Practical contextual bandits with feedback graphs, NeurIPS, whose
    convex program the greedy choice replaces.

    Examples
    --------
    >>> from learners import FeedbackGraph, InverseGapWeighting
    >>> learner = InverseGapWeighting(FeedbackGraph.named("label_efficient", classes=2))  # action 2 asks
    >>> action, state = learner.predict({"features": [1.0], "feedback": [-1, -1], "action": [-1], "round": [0]})
    >>> state.probabilities
    array([[0.5, 0. , 0.5]])
    >>> seen = {"features": [1.0], "feedback": [0, 1], "action": [2], "round": [1]}
    >>> action, state = learner.predict(seen, state)
    >>> state.weights[0].round(3)  # 1 / (1 + ridge)
    array([[0.  ],
           [0.98]])
    """

    name = "inverse-gap-weighting"
    state_class = InverseGapState
    summary = "inverse-gap weighting over least squares (SquareCB), for any feedback graph"
    requires = ("graph",)
    welcomes = ("radius",)

    def __init__(
        self,
        graph: FeedbackGraph,
        gamma: float = 6.0,
        *,
        confidence: float = 0.1,
        ridge: float = 0.02,
        deduce: bool = True,
        radius: float = 1.0,
        seed: int = 0,
    ) -> None:
        self.graph = checked_graph(graph)
        self.classes, self.nodes = graph.classes, graph.nodes
        self.gamma = finite_number("gamma", gamma, above=0.0, maximum=1e100)
        self.confidence = finite_number("confidence", confidence, minimum=0.0, maximum=1e100)
        self.ridge = finite_number("ridge", ridge, minimum=1e-10, maximum=1e10)
        self.deduce = flag("deduce", deduce)
        self.radius = finite_length("radius", radius, above=0.0)
        self.seed = count("seed", seed, maximum=LARGEST_SEED)
        self.parameters = {
            "graph": graph, "gamma": self.gamma, "confidence": self.confidence, "ridge": self.ridge, "deduce": deduce,
            "radius": self.radius, "seed": self.seed,
        }  # fmt: skip

    def initial_state(self, games: int, dim: int) -> InverseGapState:
        """Return zero weights for each game."""
        together = bool((self.graph.reveals.all(axis=1) | ~self.graph.reveals.any(axis=1)).all())
        places = 1 if together else self.classes
        shown = self.classes if self.deduce and not together else 0
        start = math.sqrt(self.ridge) * self.radius * np.eye(dim)
        return InverseGapState(
            **self._beginning(games, dim),
            factor=np.tile(start, (games, places, 1, 1)),
            whitened=np.zeros((games, places, dim)),
            reveals=per_game(games, self.graph.reveals),
            gamma=np.full(games, self.gamma),
            confidence=np.full(games, self.confidence),
            deduce=np.full(games, self.deduce),
            shown_weights=np.zeros((games, shown, dim)),
            shown_factor=np.tile(start, (games, shown, 1, 1)),
            shown_whitened=np.zeros((games, shown, dim)),
        )
