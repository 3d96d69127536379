"""PNewtron: an online Newton step for the multiclass logistic loss in bandit feedback, with a diagonal matrix."""

from typing import Annotated, NamedTuple

import numpy as np

from agents.foundation.checks import LARGEST_SEED, count, finite_length, finite_number, one_of
from agents.foundation.compiled import compiled
from agents.foundation.lanes import dot
from agents.foundation.streams import uniform
from agents.foundation.typing import Bool, Float, Int, Key
from learners.feedback.graph import FeedbackGraph
from learners.multiclass.base import MulticlassLearner, exploration_of, self_revealing
from learners.multiclass.observation import HIDDEN, LABEL
from learners.multiclass.rules import distribute, update
from learners.multiclass.scores import played_outcome, shorten, write_scores, write_softmax
from learners.strategic.rules import rule_of

# Next to the purpose of `learners.multiclass.rules.ACTIONS`.
EXPLORED = 102


class PNewtronState(NamedTuple):
    """What one game has learned.

    Attributes
    ----------
    weights, features, probabilities, scores, key, episode, decided : ndarray
        See `learners.multiclass.rules`.
    softmax : ndarray, shape (n, K)
        Of alpha times the scores.
    slopes : ndarray, shape (n, K)
        The last gradient is these times the features.
    curvature, linear : ndarray, shape (n, K, d)
        Diagonal A and vector b; the weights are ``-b / A``, in the ball.
    gamma, alpha, beta, norm : ndarray, shape (n,)
    published : ndarray, shape (n,), bool
        Whether own rows have the published ``1 / K``.
    """

    weights: Float
    features: Float
    probabilities: Float
    scores: Float
    key: Key
    episode: Int
    decided: Int
    softmax: Float
    slopes: Float
    curvature: Float
    linear: Float
    gamma: Float
    alpha: Float
    beta: Float
    norm: Float
    published: Bool


@rule_of(PNewtronState, distribute, allocates=False)
def _distribute(state: PNewtronState, game: int) -> None:
    softmax, probabilities, gamma = state.softmax[game], state.probabilities[game], state.gamma[game]
    write_scores(state.weights[game], state.features[game], state.scores[game])
    write_softmax(state.scores[game], state.alpha[game], softmax)
    for label in range(softmax.shape[0]):
        probabilities[label] = (1.0 - gamma) * softmax[label] + gamma / softmax.shape[0]


@rule_of(PNewtronState, update, allocates=False)
def _update(state: PNewtronState, game: int, action: int, feedback: Float) -> None:
    outcome = played_outcome(feedback, action)
    if outcome == HIDDEN:
        return
    chance, share = state.probabilities[game, action], state.gamma[game] / state.scores.shape[1]
    _write_gradient(state, game, action, outcome == LABEL)
    weight = state.beta[game] * (chance if outcome == LABEL else 1.0)
    slopes, features = state.slopes[game], state.features[game]
    along = 0.0
    for label in range(slopes.shape[0]):
        along += slopes[label] * dot(state.weights[game, label], features)
    # Given the action, it came from exploring with this probability: as if that had been drawn first.
    explored = uniform(state.key[game], EXPLORED, state.decided[game]) * chance < share
    factor = 1.0 if explored else 1.0 - weight * along
    for label in range(slopes.shape[0]):
        for i in range(features.shape[0]):
            gradient = slopes[label] * features[i]
            state.curvature[game, label, i] += weight * gradient * gradient
            state.linear[game, label, i] += factor * gradient
            state.weights[game, label, i] = -state.linear[game, label, i] / state.curvature[game, label, i]
    shorten(state.weights[game], state.norm[game])


@compiled
def _write_gradient(state: PNewtronState, game: int, action: int, right: bool) -> None:
    """Write the estimated gradient's slopes; the published code has 1 / K in the own row, too."""
    slopes, classes, softmax = state.slopes[game], state.scores.shape[1], state.softmax[game]
    chance = state.probabilities[game, action]
    factor = (1.0 - softmax[action]) / chance if right else -softmax[action] / chance
    for label in range(classes):
        slopes[label] = factor / classes
    slopes[action] = -factor * (1.0 if state.published[game] else classes - 1.0) / classes


class PNewtron(MulticlassLearner[PNewtronState]):
    """Draws from a softmax mixed with exploration, and takes Newton steps on its estimated logistic loss.

    Parameters
    ----------
    graph : FeedbackGraph
        One where each label reveals at least whether it was right, such as bandit feedback.
    horizon : int, optional
        T, for ``gamma = T^(-1/3)``.
    gamma : float, optional
        Exploration, in (0, 1].
    alpha : float
        Scale of the scores in the softmax, above 0.
    beta : float
        Curvature that a gradient adds, above 0.
    norm : float
        D, radius of the ball that holds the weights, above 0.
    form : str
        ``"exact"``: the gradient of the paper, with ``(K - 1) / K`` in the played label's own row; ``"published"``:
        that of the widely used implementation, with ``1 / K`` there.
    seed : int
        Of its draws.

    Warnings
    --------
    Its curvature is diagonal here, which the proof of the full matrix does not cover; ``form="published"`` is not the
    gradient of the paper. It explores at one rate for ever.

    References
    ----------
    Hazan, Kale (2011), Newtron: an efficient bandit algorithm for online multiclass prediction, NeurIPS. The default
    parameters, and the published form, are those of Orabona's library DOGMA.

    Examples
    --------
    >>> from learners import FeedbackGraph, PNewtron
    >>> graph = FeedbackGraph.named("bandit", classes=4)
    >>> learner = PNewtron(graph, horizon=1000)
    >>> label, state = learner.predict({"features": [1.0], "feedback": [-1, -1, -1, -1], "action": [-1], "round": [0]})
    >>> round(learner.gamma, 6), state.probabilities
    (0.1, array([[0.25, 0.25, 0.25, 0.25]]))
    """

    name = "pnewtron"
    state_class = PNewtronState
    summary = "PNewtron: diagonal online Newton steps on the logistic loss, for bandit feedback"
    requires = ("graph",)
    welcomes = ("horizon",)

    def __init__(
        self,
        graph: FeedbackGraph,
        horizon: Annotated[int | None, "null: what the scenario tells"] = None,
        gamma: Annotated[float | None, "null: T^(-1/3)"] = None,
        alpha: float = 10.0,
        beta: float = 0.01,
        norm: float = 1.0,
        form: Annotated[str, "exact or published"] = "exact",
        seed: int = 0,
    ) -> None:
        self.graph = self_revealing(graph, self.name)
        self.classes, self.nodes = graph.classes, graph.nodes
        self.gamma = exploration_of(self.name, gamma, horizon, -1.0 / 3.0)
        self.alpha = finite_number("alpha", alpha, above=0.0)
        self.beta = finite_number("beta", beta, above=0.0)
        self.norm = finite_length("norm", norm, above=0.0)
        self.form = one_of("form", form, ("exact", "published"))
        self.seed = count("seed", seed, maximum=LARGEST_SEED)
        self.parameters = {
            "graph": graph, "horizon": horizon, "gamma": gamma, "alpha": self.alpha, "beta": self.beta,
            "norm": self.norm, "form": form, "seed": self.seed,
        }  # fmt: skip

    def initial_state(self, games: int, dim: int) -> PNewtronState:
        """Return zero weights for each game, and a curvature of ``1 / norm``."""
        shape = (games, self.classes, dim)
        return PNewtronState(
            **self._beginning(games, dim),
            softmax=np.zeros((games, self.classes)),
            slopes=np.zeros((games, self.classes)),
            curvature=np.full(shape, 1.0 / self.norm),
            linear=np.zeros(shape),
            gamma=np.full(games, self.gamma),
            alpha=np.full(games, self.alpha),
            beta=np.full(games, self.beta),
            norm=np.full(games, self.norm),
            published=np.full(games, self.form == "published"),
        )
