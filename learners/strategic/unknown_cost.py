"""The Strategic Perceptron when nobody says how far individuals move (Section 5): phases, each with an estimate.

Algorithm 4 runs Algorithm 2 with an estimate of alpha. A phase ends when a report stands where nobody would if the
estimate were right (it is too large), or when it makes more mistakes than a right estimate could (it is too small).
"""

from typing import ClassVar, NamedTuple

import numpy as np

from agents.boundary import forbidden
from agents.costs import L1, L2, Cost, L2Cost, WeightedL1Cost
from agents.foundation.checks import count, finite_length, flag
from agents.foundation.compiled import compiled
from agents.foundation.lanes import copy, length
from agents.foundation.typing import Bool, Float, Int
from learners import bounds
from learners.bounds import RELATIVE_SLACK
from learners.strategic.base import Learner, Truth
from learners.strategic.phases import clear_rounding_errors, guess_budget, phase_budget
from learners.strategic.phases import next_estimate as next_estimate
from learners.strategic.rules import learn, publish, rule_of, stays_inside, write_published
from learners.strategic.surrogates import may_have_moved, subtract_pull


class UnknownCostState(NamedTuple):
    """What the phases of one game have found.

    Attributes
    ----------
    weights : ndarray, shape (n, d)
        Of the current phase.
    estimate : ndarray, shape (n,)
        alpha', with which the current phase runs.
    low, high : ndarray, shape (n,)
        What earlier phases bracket alpha with; infinite while no estimate was too large.
    phase_mistakes, guess_mistakes : ndarray, shape (n,)
        Mistakes of the current phase, and of all phases with the current margin.
    phases, guesses : ndarray, shape (n,), int64
        Phases since the current margin was guessed, and margins guessed, the current ones included.
    margin : ndarray, shape (n,)
        gamma, or the current guess.
    radius : ndarray, shape (n,)
        R.
    halves : ndarray, shape (n,), bool
        Whether the margin is a guess, to be halved when it is refuted.
    literal : ndarray, shape (n,), bool
        Whether an upper end of the bracket is forgotten, as printed.
    direction : ndarray, shape (n,), int64
        The only coordinate that moves (weighted l1 costs), or -1 (l2 cost).
    """

    weights: Float
    estimate: Float
    low: Float
    high: Float
    phase_mistakes: Int
    guess_mistakes: Int
    phases: Int
    guesses: Int
    margin: Float
    radius: Float
    halves: Bool
    literal: Bool
    direction: Int


@compiled
def end_phase(state: UnknownCostState, game: int, too_large: bool) -> None:
    """Note what the phase found, and begin the next one (with half the margin where that refutes the guess)."""
    estimate, margin, radius = state.estimate[game], state.margin[game], state.radius[game]
    if too_large:
        state.high[game] = estimate
    else:
        state.low[game] = estimate
    state.phases[game] += 1
    if state.halves[game] and _refuted(state, game, too_large):
        state.margin[game] = margin / 2.0
        state.low[game], state.high[game], state.estimate[game] = 0.0, np.inf, 0.0
        state.guess_mistakes[game], state.phases[game] = 0, 1
        state.guesses[game] += 1
    else:
        state.estimate[game] = next_estimate(
            state.low[game], state.high[game], estimate, too_large, margin, radius, state.literal[game]
        )
    state.phase_mistakes[game] = 0
    for i in range(state.weights.shape[1]):
        state.weights[game, i] = 0.0


@compiled
def _refuted(state: UnknownCostState, game: int, too_large: bool) -> bool:
    """Whether no alpha can have led here if the margin were right."""
    margin = state.margin[game]
    too_many = state.guess_mistakes[game] > guess_budget(state.radius[game], margin)
    bracket_too_narrow = state.high[game] - state.low[game] <= margin / 2.0
    beyond_the_radius = not too_large and state.estimate[game] >= state.radius[game]
    return too_many or bracket_too_narrow or beyond_the_radius


@rule_of(UnknownCostState, stays_inside)
def _stays_inside(state: UnknownCostState, game: int) -> bool:
    return bool(-1 <= state.direction[game] < state.weights.shape[1])


@rule_of(UnknownCostState, learn)
def _learn(
    state: UnknownCostState,
    game: int,
    features: Float,
    prediction: float,
    label: float,
    classifier: Float,
    eps: float,
) -> bool:
    radius = state.radius[game]
    if forbidden(classifier, features, radius, eps):
        end_phase(state, game, True)
        return True
    if label == 0.0 or label == prediction:
        return False
    _add_surrogate(state, game, features, label, classifier, eps)
    state.phase_mistakes[game] += 1
    state.guess_mistakes[game] += 1
    budget = phase_budget(radius, state.estimate[game], state.margin[game], state.direction[game])
    halving = state.halves[game] and state.guess_mistakes[game] > guess_budget(radius, state.margin[game])
    if state.phase_mistakes[game] > budget * (1.0 + RELATIVE_SLACK) or halving:
        end_phase(state, game, False)
    return True


@compiled
def _add_surrogate(
    state: UnknownCostState, game: int, features: Float, label: float, classifier: Float, eps: float
) -> None:
    """Add ``y x~`` to the weights; the weight of a single movable coordinate is corrected to at least 0."""
    weights, direction, surrogate = state.weights[game], state.direction[game], np.empty(features.shape[0])
    copy(features, surrogate)
    if may_have_moved(classifier, features, label, state.radius[game], eps):
        # What everybody can move by: alpha', or alpha' in one coordinate and 0 in the others.
        budget = np.zeros(1 if direction < 0 else features.shape[0])
        budget[max(direction, 0)] = state.estimate[game]
        subtract_pull(L2 if direction < 0 else L1, classifier, budget, surrogate)
    size = length(weights) + length(surrogate)
    for i in range(weights.shape[0]):
        weights[i] += label * surrogate[i]
    if direction >= 0:
        weights[direction] = max(0.0, weights[direction])
    clear_rounding_errors(weights, size)


@rule_of(UnknownCostState, publish)
def _publish(state: UnknownCostState, game: int, out: Float) -> None:
    weights, direction = state.weights[game], state.direction[game]
    raised = length(weights) if direction < 0 else weights[direction]
    write_published(weights, -state.estimate[game] * raised, out)


class UnknownCostL2(Learner[UnknownCostState]):
    """Algorithm 4: searches for alpha with a bracket while it learns, and stops within gamma/2 below it.

    Parameters
    ----------
    radius : float
        R, the largest norm of true features.
    margin : float
        gamma, the margin of a separator through the origin; at most R.
    literal : bool
        Search as printed, which forgets estimates that were too large (and may need a square of the logarithm).

    Warnings
    --------
    It is slow: it begins as the Perceptron and leaves an estimate only after as many mistakes as a right one could
    make. Individuals who do not all reach equally far void the bound. ``literal=True`` may need more phases than one
    logarithm.

    References
    ----------
    Ahmadi, Beyhaghi, Blum, Naggita (2021), The Strategic Perceptron, EC: Algorithm 4, Theorem 3.

    Examples
    --------
    Everybody moves to the boundary, where estimate 0 learns nothing. It may make 9 mistakes; the tenth refutes it:

    >>> from agents import L2Cost
    >>> from learners import UnknownCostL2, passes
    >>> learner, cost = UnknownCostL2(radius=1.0, margin=1.0), L2Cost(1.0)
    >>> training = passes.sweep(learner, [[-1.0]], labels=[-1], cost=cost)
    >>> training.updates, training.state.estimate, training.clean
    (11, array([0.5]), True)
    """

    name = "unknown-cost-l2"
    state_class = UnknownCostState
    summary = "Strategic Perceptron for an unknown l2 cost (Algorithm 4)"
    requires: ClassVar[tuple[str, ...]] = ("radius", "margin")
    cost = "l2"
    halves = False
    direction = -1

    def __init__(self, radius: float, margin: float, *, literal: bool = False) -> None:
        self._set(radius, margin, literal)
        self.parameters = {"radius": self.radius, "margin": self.margin, "literal": literal}

    def _set(self, radius: float, margin: float, literal: bool) -> None:
        self.radius = finite_length("radius", radius, above=0.0)
        self.margin = finite_length("margin", margin, above=0.0, maximum=self.radius)
        self.literal = flag("literal", literal)

    def initial_state(self, games: int, dim: int) -> UnknownCostState:
        """Return the first phase of each game: estimate 0."""
        if self.direction >= dim:
            raise ValueError(f"direction must be less than the number of features {dim}, got {self.direction}")
        return UnknownCostState(
            weights=np.zeros((games, dim)),
            estimate=np.zeros(games),
            low=np.zeros(games),
            high=np.full(games, np.inf),
            phase_mistakes=np.zeros(games, dtype=np.int64),
            guess_mistakes=np.zeros(games, dtype=np.int64),
            phases=np.ones(games, dtype=np.int64),
            guesses=np.ones(games, dtype=np.int64),
            margin=np.full(games, self.margin),
            radius=np.full(games, self.radius),
            halves=np.full(games, self.halves),
            literal=np.full(games, self.literal),
            direction=np.full(games, self.direction, dtype=np.int64),
        )

    def believed_cost(self, state: UnknownCostState) -> Cost:
        """Return the cost with the current phase's estimate of alpha."""
        estimate = float(state.estimate[0])
        if self.direction < 0:
            return L2Cost(estimate)
        return WeightedL1Cost((estimate * np.eye(state.weights.shape[1])[self.direction]).tolist())

    def findings(self, state: UnknownCostState) -> dict[str, float]:
        """Return the phase, its estimate, what brackets alpha and, where it is guessed, the margin."""
        found = {
            "phase": float(state.phases[0]),
            "estimate": float(state.estimate[0]),
            "alpha is more than": float(state.low[0]),
            "alpha is less than": float(state.high[0]),
        }
        return found | ({"guessed margin": float(state.margin[0])} if self.halves else {})

    def bound(self, truth: Truth, *, printed: bool = False) -> float | None:
        """Return Theorem 3's bound; None for other or differing costs, or a hyperplane off the origin."""
        game = truth.game_of()
        if game is None or truth.cost != "l2" or truth.intercept != 0.0 or self.literal or not self._told_right(game):
            return None
        return bounds.unknown_cost_l2(self.radius, self.margin, printed=printed)

    def _told_right(self, truth: Truth) -> bool:
        return self.margin <= truth.margin and self._can_search(truth)

    def _can_search(self, truth: Truth) -> bool:
        """Whether there is one alpha to search for, at most R, and R as told is not too small."""
        return truth.one_cost and self.radius >= truth.radius and max(truth.alpha) <= self.radius


class UnknownMarginL2(UnknownCostL2):
    """Algorithm 4 with a guessed margin: R, halved whenever the guess is refuted.

    A guess is refuted by more mistakes than all its phases may make, or by a bracket that holds no alpha.

    Parameters
    ----------
    radius : float
        R, the largest norm of true features.

    Warnings
    --------
    A guess that a wrong label refutes is never tried again, and every guess costs its mistakes first: the bound is
    several times that of `UnknownCostL2`.

    References
    ----------
    Ahmadi, Beyhaghi, Blum, Naggita (2021), The Strategic Perceptron, EC: Section 5.1.

    Examples
    --------
    >>> from agents import L2Cost
    >>> from learners import UnknownMarginL2, passes
    >>> learner, cost = UnknownMarginL2(radius=1.0), L2Cost(1.0)
    >>> training = passes.sweep(learner, [[-1.0]], labels=[-1], cost=cost)
    >>> training.updates, training.state.estimate, training.state.margin  # the first guess, R, was right
    (11, array([0.5]), array([1.]))
    """

    name = "unknown-margin-l2"
    summary = "Strategic Perceptron for an unknown l2 cost and margin (Section 5.1)"
    requires = ("radius",)
    halves = True

    def __init__(self, radius: float) -> None:
        self._set(radius, radius, False)
        self.parameters = {"radius": self.radius}

    def bound(self, truth: Truth, *, printed: bool = False) -> float | None:
        """Return the sum of the guesses' bounds; None for other or differing costs, or a hyperplane off the origin."""
        game = truth.game_of()
        if game is None or truth.cost != "l2" or truth.intercept != 0.0 or printed or not self._can_search(game):
            return None
        return bounds.unknown_margin_l2(self.radius, truth.margin)


class UnknownCostL1Single(UnknownCostL2):
    """Algorithm 4 for weighted l1 costs of which only one coordinate is finite (Section 5.2).

    Accepts ``w.x >= a' w_k`` for the movable coordinate k, and corrects only ``w_k`` to at least 0; no tie-break.

    Parameters
    ----------
    radius : float
        R, the largest norm of true features.
    margin : float
        gamma, the margin of a separator through the origin with ``w*_k >= 0``.
    direction : int
        k, counted from 0.
    literal : bool
        As for `UnknownCostL2`.

    Warnings
    --------
    A second coordinate that moves voids the bound: `UnknownCostsL1` plays that, without one. It is as slow as
    `UnknownCostL2`.

    References
    ----------
    Ahmadi, Beyhaghi, Blum, Naggita (2021), The Strategic Perceptron, EC: Section 5.2; the bound is worked out here.

    Examples
    --------
    >>> from agents import WeightedL1Cost
    >>> from learners import UnknownCostL1Single, passes
    >>> learner, cost = UnknownCostL1Single(radius=1.0, margin=1.0, direction=0), WeightedL1Cost([1.0, 0.0])
    >>> training = passes.sweep(learner, [[-1.0, 0.0]], labels=[-1], cost=cost)
    >>> training.updates, training.state.estimate, training.clean
    (11, array([0.5]), True)
    """

    name = "unknown-cost-l1-single"
    summary = "Strategic Perceptron for an unknown weighted l1 cost of one coordinate (Section 5.2)"
    requires = ("radius", "margin", "direction")
    cost = "l1"

    def __init__(self, radius: float, margin: float, direction: int, *, literal: bool = False) -> None:
        self._set(radius, margin, literal)
        self.direction = count("direction", direction)
        self.parameters = {
            "radius": self.radius, "margin": self.margin, "direction": self.direction, "literal": literal,
        }  # fmt: skip

    def bound(self, truth: Truth, *, printed: bool = False) -> float | None:
        """Return the bound of the phases; None for other costs, more movable coordinates or an intercept."""
        others = [alpha for i, alpha in enumerate(truth.alpha) if i != self.direction]
        game = truth.game_of()
        if game is None or truth.cost != "l1" or truth.intercept != 0.0 or any(others) or printed or self.literal:
            return None
        if not truth.nonnegative or not self._told_right(game):
            return None
        return bounds.unknown_cost_l1_single(self.radius, self.margin)
