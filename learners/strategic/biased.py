"""The Strategic Perceptron with an intercept for l2 costs (Algorithm 5): Algorithm 2 around guessed origins."""

import math
from typing import NamedTuple

import numpy as np

from agents.costs import L2, Cost, L2Cost
from agents.foundation.checks import finite_length, flag
from agents.foundation.compiled import compiled
from agents.foundation.lanes import dot, length
from agents.foundation.typing import Bool, Float, Int
from learners import bounds
from learners.bounds import RELATIVE_SLACK
from learners.strategic.base import Learner, Truth
from learners.strategic.phases import clear_rounding_errors
from learners.strategic.rules import learn, publish, rule_of, write_published
from learners.strategic.surrogates import may_have_moved, subtract_pull

# Accept everybody until x- is known, then nobody until x+ is known, then learn.
ACCEPT_ALL, ACCEPT_NOBODY, LEARN = range(3)


class BiasedL2State(NamedTuple):
    """What one game has found.

    Attributes
    ----------
    weights : ndarray, shape (n, d)
        Of Algorithm 2 around the current origin.
    origin : ndarray, shape (n, d)
        p, the current guess of a point on the separator.
    negative, positive : ndarray, shape (n, d)
        x- and x+, a true negative and a true positive individual, once they are known.
    stage : ndarray, shape (n,), int64
        ``ACCEPT_ALL``, ``ACCEPT_NOBODY`` or ``LEARN``.
    guesses : ndarray, shape (n,), int64
        Origins given up.
    guess_mistakes : ndarray, shape (n,), int64
        Mistakes around the current origin.
    alpha, margin, radius : ndarray, shape (n,)
        As told.
    literal : ndarray, shape (n,), bool
        Whether origins are spaced as printed.
    """

    weights: Float
    origin: Float
    negative: Float
    positive: Float
    stage: Int
    guesses: Int
    guess_mistakes: Int
    alpha: Float
    margin: Float
    radius: Float
    literal: Bool


@compiled
def place_origin(state: BiasedL2State, game: int) -> None:
    """Set p on the segment from x- to x+, gamma/2 further for every origin that was given up.

    As printed, gamma/2 is a share of the segment instead of a length.
    """
    d = state.weights.shape[1]
    squared = 0.0
    for i in range(d):
        difference = state.positive[game, i] - state.negative[game, i]
        squared += difference * difference
    step = state.margin[game] / 2.0
    if not state.literal[game] and squared > 0.0:
        step /= math.sqrt(squared)
    share = state.guesses[game] * step
    for i in range(d):
        state.origin[game, i] = (1.0 - share) * state.negative[game, i] + share * state.positive[game, i]
        state.weights[game, i] = 0.0
    state.guess_mistakes[game] = 0


@rule_of(BiasedL2State, learn)
def _learn(
    state: BiasedL2State, game: int, features: Float, prediction: float, label: float, classifier: Float, eps: float
) -> bool:
    if label == 0.0 or label == prediction:
        return False
    d = features.shape[0]
    if state.stage[game] == ACCEPT_ALL:
        for i in range(d):
            state.negative[game, i] = features[i]
        state.stage[game] = ACCEPT_NOBODY
    elif state.stage[game] == ACCEPT_NOBODY:
        for i in range(d):
            state.positive[game, i] = features[i]
        state.stage[game] = LEARN
        place_origin(state, game)
    else:
        _learn_around_the_origin(state, game, features, label, classifier, eps)
    return True


@compiled
def _learn_around_the_origin(
    state: BiasedL2State, game: int, features: Float, label: float, classifier: Float, eps: float
) -> None:
    """Update Algorithm 2 in coordinates ``x - p``; give the origin up where it makes more mistakes than a good one."""
    weights, alpha, surrogate = state.weights[game], state.alpha[game], features - state.origin[game]
    if may_have_moved(classifier, features, label, alpha, eps):
        subtract_pull(L2, classifier, state.alpha[game : game + 1], surrogate)
    size = length(weights) + length(surrogate)
    for i in range(weights.shape[0]):
        weights[i] += label * surrogate[i]
    clear_rounding_errors(weights, size)
    state.guess_mistakes[game] += 1
    ratio = (2.0 * state.radius[game] + alpha) / state.margin[game]
    if state.guess_mistakes[game] > 4.0 * (ratio * ratio) * (1.0 + RELATIVE_SLACK):
        state.guesses[game] += 1
        place_origin(state, game)


@rule_of(BiasedL2State, publish)
def _publish(state: BiasedL2State, game: int, out: Float) -> None:
    weights = state.weights[game]
    if state.stage[game] == ACCEPT_NOBODY:
        write_published(weights, -1.0, out)
    else:
        raised = state.alpha[game] * length(weights)
        write_published(weights, -dot(weights, state.origin[game]) - raised, out)


class BiasedL2(Learner[BiasedL2State]):
    """Algorithm 5: finds a true negative and a true positive individual, then tries origins between them.

    Parameters
    ----------
    alpha : float
        How far an individual moves for the value of being accepted, at least 0.
    radius : float
        R, the largest norm of true features.
    margin : float
        gamma, the margin of a separator; at most R.
    literal : bool
        Space origins as printed, by a share gamma/2 of the segment, which may jump over all good ones.

    Warnings
    --------
    It must see an individual of either label, and for the positive one rejects everybody: where only the accepted are
    labelled it never gets further. Told a margin above the true one, it may pass all good origins. Its bound is a cube
    where `StrategicMaxMargin` has a square.

    References
    ----------
    Ahmadi, Beyhaghi, Blum, Naggita (2021), The Strategic Perceptron, EC: Algorithm 5, Theorem 4.

    Examples
    --------
    Two mistakes find both individuals, 101 refute the first one as an origin, and one is enough at the next origin:

    >>> from agents import L2Cost
    >>> from learners import BiasedL2, passes
    >>> learner, cost = BiasedL2(alpha=0.5, radius=1.0, margin=0.5), L2Cost(0.5)
    >>> training = passes.sweep(learner, [[-1.0, 0.0], [1.0, 0.0]], labels=[-1, 1], cost=cost)
    >>> training.updates, training.state.origin
    (104, array([[-0.75,  0.  ]]))
    """

    name = "biased-l2"
    only_mistakes = True
    state_class = BiasedL2State
    summary = "Strategic Perceptron for l2 costs with an intercept (Algorithm 5)"
    requires = ("alpha", "radius", "margin")
    cost = "l2"

    def __init__(self, alpha: float, radius: float, margin: float, *, literal: bool = False) -> None:
        self.alpha = finite_length("alpha", alpha)
        self.radius = finite_length("radius", radius, above=0.0)
        self.margin = finite_length("margin", margin, above=0.0, maximum=self.radius)
        self.literal = flag("literal", literal)
        self.parameters = {
            "alpha": self.alpha, "radius": self.radius, "margin": self.margin, "literal": literal,
        }  # fmt: skip

    def initial_state(self, games: int, dim: int) -> BiasedL2State:
        """Return the state of each game in which nothing has been found."""
        return BiasedL2State(
            weights=np.zeros((games, dim)),
            origin=np.zeros((games, dim)),
            negative=np.zeros((games, dim)),
            positive=np.zeros((games, dim)),
            stage=np.full(games, ACCEPT_ALL),
            guesses=np.zeros(games, dtype=np.int64),
            guess_mistakes=np.zeros(games, dtype=np.int64),
            alpha=np.full(games, self.alpha),
            margin=np.full(games, self.margin),
            radius=np.full(games, self.radius),
            literal=np.full(games, self.literal),
        )

    def believed_cost(self, state: BiasedL2State) -> Cost:
        """Return the cost that it was told."""
        return L2Cost(self.alpha)

    def intercept_of(self, state: BiasedL2State) -> float:
        """Return ``-w.p``, since the weights are those around the origin p."""
        return float(-state.weights[0] @ state.origin[0])

    def findings(self, state: BiasedL2State) -> dict[str, float]:
        """Return the stage, from 1, the origins given up, and the current one."""
        found = {"stage": float(state.stage[0] + 1), "origins given up": float(state.guesses[0])}
        return found | {f"p_{i}": value for i, value in enumerate(state.origin[0].tolist(), start=1)}

    def bound(self, truth: Truth, *, printed: bool = False) -> float | None:
        """Return Theorem 4's bound; None for other or differing costs or where it was told too much or too little."""
        game = truth.game_of()
        if game is None or truth.cost != "l2" or self.literal or not game.one_cost:
            return None
        if game.alpha != (self.alpha,) or self.radius < truth.radius or self.margin > truth.margin:
            return None
        return bounds.biased_l2(self.radius, self.margin, self.alpha, printed=printed)
