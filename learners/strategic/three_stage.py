"""Three stages against label noise where only the labels of accepted individuals are revealed."""

import math
from typing import NamedTuple

import numpy as np

from agents.boundary import side
from agents.costs import L2
from agents.foundation.checks import LARGEST_SEED, count, finite_length, finite_number
from agents.foundation.compiled import compiled
from agents.foundation.lanes import copy, dot, length
from agents.foundation.streams import fill_normals, game_key
from agents.foundation.typing import Bool, Float, Int, Key
from learners.strategic.base import RandomizedLearner
from learners.strategic.rules import learn, publish, rule_of, write_published
from learners.strategic.surrogates import write_raised

# A purpose far from those of `agents.foundation.streams`: a learner and a game with the same seed draw independent
# numbers.
START = 101
INITIALISATION, REFINEMENT, FIRST_BATCH = range(3)
# Ours: how far, in radians, the direction may be off when the refinement and when the first batch begin.
REFINEMENT_ANGLE, BATCH_ANGLE = 0.8, 0.25
# Ours: lengths of the stages, per dimension.
INITIAL_PAIRS, REFINING_REPORTS, BATCH_PAIRS = 10.0, 20.0, 80.0
NORMAL_DENSITY = 0.4  # of a standard normal at 0


class ThreeStageState(NamedTuple):
    """What one game has learned.

    Attributes
    ----------
    weights : ndarray, shape (n, d)
        Direction that is published, of norm 1.
    centre, dual : ndarray, shape (n, d)
        Where mirror descent began in this stage, and the mirror image of how far it has come.
    total : ndarray, shape (n, d)
        Sum of labelled reports in the initialisation, afterwards of the stage's directions.
    pending : ndarray, shape (n, d)
        What a pair has added to the gradient.
    squares : ndarray, shape (n,)
        Sum of the squared norms of the stage's gradients.
    stage, used : ndarray, shape (n,), int64
        0, 1, and 2, 3, ... for the batches; how many pairs or reports it has used.
    second : ndarray, shape (n,), bool
        Whether the second individual of a pair is next.
    alpha : ndarray, shape (n, 1)
        How far individuals move.
    radius, noise : ndarray, shape (n,)
        Largest norm of true features; largest probability of a wrong label.
    episode : ndarray, shape (n,), int64
        Number of the game's episode.
    """

    weights: Float
    centre: Float
    dual: Float
    total: Float
    pending: Float
    squares: Float
    stage: Int
    used: Int
    second: Bool
    alpha: Float
    radius: Float
    noise: Float
    episode: Int


@rule_of(ThreeStageState, learn)
def _learn(
    state: ThreeStageState, game: int, features: Float, prediction: float, label: float, classifier: Float, eps: float
) -> bool:
    stage, second = state.stage[game], state.second[game]
    seen = prediction > 0.0 and label != 0.0
    # Who stands strictly beyond the boundary has not moved.
    truthful = seen and side(classifier, features, state.alpha[game, 0], eps) > 0
    if stage == REFINEMENT:
        if not truthful or dot(state.weights[game], features) > band(state, game):
            return False
        _descend(state, game, _weighted(state, game, features, label))
    elif stage == INITIALISATION:
        if truthful:
            add(label, features, state.total[game])
        state.used[game] += second
    else:
        # The second of a pair is what the first is compared with.
        if seen and not (truthful and _beyond_both(state, game, features)):
            add(-1.0 if second else 1.0, _proxy(state, game, features, label), state.pending[game])
        if second:
            _descend(state, game, state.pending[game])
            clear(state.pending[game])
    if stage != REFINEMENT:
        state.second[game] = not second
    if state.used[game] >= stage_length(state, game):
        _begin_next_stage(state, game)
    return True


@rule_of(ThreeStageState, publish)
def _publish(state: ThreeStageState, game: int, out: Float) -> None:
    weights, second = state.weights[game], state.second[game]
    if state.stage[game] >= FIRST_BATCH:
        write_raised(weights, -band(state, game) if second else 0.0, L2, state.alpha[game], out)
        return
    write_published(weights, 0.0, out)
    if second:  # of the initialisation
        for i in range(out.shape[0]):
            out[i] = -out[i]


@compiled
def angle(stage: int) -> float:
    """Return how far off, in radians, the direction may be when this stage begins."""
    return REFINEMENT_ANGLE if stage < FIRST_BATCH else BATCH_ANGLE * 2.0 ** (FIRST_BATCH - stage)


@compiled
def deviation(state: ThreeStageState, game: int) -> float:
    """Return the standard deviation, along any direction, of individuals uniform in the ball."""
    return float(state.radius[game]) / math.sqrt(state.weights.shape[1] + 2.0)


@compiled
def band(state: ThreeStageState, game: int) -> float:
    """Return up to which ``w.z`` individuals teach something: where a direction this far off is wrong about many."""
    return angle(state.stage[game]) * deviation(state, game)


@compiled
def stage_length(state: ThreeStageState, game: int) -> float:
    """Return how many pairs or reports this stage uses."""
    stage = state.stage[game]
    signal = 1.0 - 2.0 * float(state.noise[game])
    scale = float(state.weights.shape[1]) / (signal * signal)
    if stage == INITIALISATION:
        return INITIAL_PAIRS * scale
    if stage == REFINEMENT:
        return REFINING_REPORTS * scale
    # The share of individuals whose label adds noise: nobody's beyond the reach and the band.
    within = (float(state.alpha[game, 0]) + band(state, game)) / deviation(state, game)
    return BATCH_PAIRS * scale * min(0.5, NORMAL_DENSITY * within) / (angle(stage) * angle(stage))


@compiled
def _weighted(state: ThreeStageState, game: int, features: Float, label: float) -> Float:
    """Return the report times its weight: on average at most 0 if w* accepts it, at least ``1 - 2 noise`` if not."""
    result = np.zeros(features.shape[0])
    add(0.5 - state.noise[game] - 0.5 * label, features, result)
    return result


@compiled
def _beyond_both(state: ThreeStageState, game: int, features: Float) -> bool:
    """Whether both rules of a pair accept this true report as it is, so that it adds nothing to their difference."""
    return bool(dot(state.weights[game], features) > state.alpha[game, 0] + band(state, game))


@compiled
def _proxy(state: ThreeStageState, game: int, features: Float, label: float) -> Float:
    """Return the weighted report, put on the near side of the band (``w.s = 0``) if negative, else on the far side."""
    weights = state.weights[game]
    point = np.zeros(features.shape[0])
    copy(features, point)
    add((band(state, game) if label > 0.0 else 0.0) - dot(weights, features), weights, point)
    return _weighted(state, game, point, label)


@compiled
def _descend(state: ThreeStageState, game: int, gradient: Float) -> None:
    """Take one step of mirror descent in the p-norm, within a ball around the stage's centre.

    ``q = ln(8 d)`` is the dual exponent of ``p = ln(8 d) / (ln(8 d) - 1)``. The step is the ball's radius over the root
    of the squared gradients: free of the features' unit.
    """
    d = gradient.shape[0]
    weights, dual, ball = state.weights[game], state.dual[game], angle(state.stage[game])
    q = math.log(8.0 * d)
    state.used[game] += 1
    add(1.0, weights, state.total[game])
    steepness = norm(gradient, q)
    if steepness == 0.0:
        return
    state.squares[game] += steepness * steepness
    add(-ball / math.sqrt((q - 1.0) * state.squares[game]), gradient, dual)
    distance = norm(dual, q)
    if distance > ball:
        for i in range(d):
            dual[i] *= ball / distance
        distance = ball
    for i in range(d):
        share = abs(dual[i]) / distance if distance > 0.0 else 0.0
        weights[i] = state.centre[game, i] + math.copysign(distance * share ** (q - 1.0), dual[i])
    write_direction(weights, weights)


@compiled
def _begin_next_stage(state: ThreeStageState, game: int) -> None:
    """Go on from the direction of the sum: of labelled reports, or of the directions that this stage has tried."""
    weights = state.weights[game]
    write_direction(state.total[game], weights)
    copy(weights, state.centre[game])
    clear(state.dual[game])
    clear(state.total[game])
    state.squares[game] = 0.0
    state.stage[game] += 1
    state.used[game] = 0


@compiled
def add(factor: float, vector: Float, out: Float) -> None:
    """Add ``factor`` times the vector to ``out``."""
    for i in range(vector.shape[0]):
        out[i] += factor * vector[i]


@compiled
def clear(out: Float) -> None:
    """Set every entry to 0."""
    for i in range(out.shape[0]):
        out[i] = 0.0


@compiled
def norm(vector: Float, exponent: float) -> float:
    """Return the norm with this exponent, without overflow."""
    largest = 0.0
    for value in vector:
        largest = max(largest, abs(value))
    if largest == 0.0:
        return 0.0
    total = 0.0
    for value in vector:
        total += (abs(value) / largest) ** exponent
    return float(largest * total ** (1.0 / exponent))


@compiled
def write_direction(vector: Float, out: Float) -> None:
    """Write the vector at norm 1; one without a direction leaves ``out`` as it is."""
    size = length(vector)
    if size > 0.0:
        for i in range(vector.shape[0]):
            out[i] = vector[i] / size


def start(key: Key, dim: int) -> Float:
    """Return a random direction (d,)."""
    direction = np.empty(dim)
    fill_normals(key, START, 0, direction)
    return np.asarray(direction / np.linalg.norm(direction))


class ThreeStageL2(RandomizedLearner[ThreeStageState]):
    """Learns a separator through the origin from noisy labels of accepted individuals, for known l2 costs.

    *Initialisation*: with a random w it publishes ``w.x >= 0`` and ``-w.x >= 0`` in turn, and sums ``y x`` over the
    reports strictly beyond the boundary, which are true. *Refinement*: it publishes ``w.x >= 0`` and learns, by mirror
    descent, from the true reports with ``0 < w.x <= b``. *Batches*: it publishes ``w.x >= alpha`` to one individual and
    ``w.x >= alpha + b`` to the next. Of two like ones with ``0 <= w.z < b`` the first is accepted and the second is
    not; all others are accepted by both, or by neither. So the difference of what the two add is, in the mean, the
    gradient of those in the band, although nobody knows who they are. Where they stand along w does not matter: each
    accepted report is put on the near side of the band if it is negative, on the far side if it is positive. Every
    batch halves the angle and the band.

    It reads no label of a rejected individual. It does not use the horizon.

    Parameters
    ----------
    alpha : float
        How far an individual moves for the value of being accepted, at least 0.
    radius : float
        R, the largest norm of true features, greater than 0.
    noise : float
        Upper bound on the probability of a wrong label, whatever the features: at least 0, less than 1/2.
    seed : int
        Of the direction that it begins with.

    Warnings
    --------
    Its constants were found on individuals uniform in a ball, of whom nothing is proved here; elsewhere a stage may end
    too early, and later ones make good for twice their angle only. It must be told a bound on the noise, below 1/2, and
    finds separators through the origin alone.

    Notes
    -----
    *Proved in the source, not here*: for independent arrivals and Massart noise, under the source's assumptions, regret
    against the raised true separator of the order ``sqrt T``, up to logarithms and constants. That theorem does not
    cover this learner: its constants are *ours*, found on individuals uniform in a ball.

    * the direction is taken to be within 0.8 of w* after the initialisation, within 0.25 after the refinement, half of
      that after each batch; these are also the radii, in the p-norm, of the balls in which mirror descent stays;
    * the band is ``b = angle R / sqrt(d + 2)``, the last two factors being the deviation of a uniform ball;
    * with ``D = d / (1 - 2 noise)^2``, initialisation and refinement use ``10 D`` pairs and ``20 D`` reports, a batch
      ``80 D share / angle^2`` pairs, where share is the part of all individuals with ``0 <= w.z < alpha + b``. Nothing
      grows with ln T: a stage fails with some small probability, and batches can only make good for twice their angle;
    * steps of mirror descent are the radius over the root of the squared gradients so far.

    *Measured*: ``docs/beyond_the_paper.md``.

    References
    ----------
    Online strategic classification with noise and partial feedback, NeurIPS 2025: stages, proxies, exponent.
    Zhang, Shen, Awasthi (2020), Efficient active learning of sparse halfspaces with arbitrary bounded noise, NeurIPS:
    mirror descent in a band, and its gradient.

    Examples
    --------
    >>> from learners import ThreeStageL2
    >>> nothing = {"features": [0.0] * 2, "prediction": [0.0], "label": [0.0], "classifier": [0.0] * 3, "round": [0.0]}
    >>> learner = ThreeStageL2(alpha=0.5, radius=1.0, noise=0.1)
    >>> first, state = learner.predict(nothing)
    >>> seen = {"features": [0.5, 0.5], "prediction": [1.0], "label": [1.0], "classifier": first, "round": [1.0]}
    >>> second, state = learner.predict(seen, state)
    >>> bool((second == -first).all())  # the initialisation looks at both sides in turn
    True
    """

    name = "three-stage-l2"
    state_class = ThreeStageState
    summary = "three stages against noisy labels of the accepted only, known l2 costs"
    requires = ("alpha", "radius", "noise")
    cost = "l2"

    def __init__(self, alpha: float, radius: float, noise: float, seed: int = 0) -> None:
        self.alpha = finite_length("alpha", alpha)
        self.radius = finite_length("radius", radius, above=0.0)
        self.noise = finite_number("noise", noise, minimum=0.0, below=0.5)
        self.seed = count("seed", seed, maximum=LARGEST_SEED)
        self.parameters = {"alpha": self.alpha, "radius": self.radius, "noise": self.noise, "seed": self.seed}

    def initial_state(self, games: int, dim: int) -> ThreeStageState:
        """Return a random direction for each game, in its first episode."""
        return ThreeStageState(
            weights=np.array([start(game_key(self.seed, game), dim) for game in range(games)]),
            centre=np.zeros((games, dim)),
            dual=np.zeros((games, dim)),
            total=np.zeros((games, dim)),
            pending=np.zeros((games, dim)),
            squares=np.zeros(games),
            stage=np.zeros(games, dtype=np.int64),
            used=np.zeros(games, dtype=np.int64),
            second=np.zeros(games, dtype=np.bool_),
            alpha=np.full((games, 1), self.alpha),
            radius=np.full(games, self.radius),
            noise=np.full(games, self.noise),
            episode=np.zeros(games, dtype=np.int64),
        )

    def begin_episode(self, state: ThreeStageState, game: int, key: Key) -> None:
        """Give a new episode a direction of its own."""
        state.weights[game] = start(key, state.weights.shape[1])
