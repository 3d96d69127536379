"""Nearest centres by a density over all of them together, which wrong labels cannot empty."""

from typing import Annotated, NamedTuple, Self

import numpy as np

from agents.foundation.checks import LARGEST_SEED, count, finite_number, flag, one_of
from agents.foundation.streams import game_key
from agents.foundation.typing import Bool, Float, Int, Key
from learners.multiclass.label_learner import LabelLearner
from learners.multiclass.observation import revealed_label
from learners.multiclass.rules import distribute, update
from learners.multiclass.scores import best_other, leader, write_mixture, write_scores
from learners.search.cloud import scatter
from learners.search.density import (
    BODIES,
    DISC,
    FEWEST_PARTICLES,
    LARGEST_PARTICLE_DIMENSION,
    PARTICLE,
    body_fields,
    multiply,
)
from learners.search.lifting import LARGEST_POWER, SIMILARITIES, Lift, fits, lift
from learners.search.zero_sum import has_direction, write_centres, write_comparison, write_direction
from learners.strategic.rules import rule_of, stays_inside

ANY_MEAN = 2.0  # factors are shorter than 1, so that no mean exceeds it
TOLERANCES = {PARTICLE: 0.005}


class DensityCentresState(NamedTuple):
    """What one game has learned.

    Attributes
    ----------
    weights, features, probabilities, scores, key, episode, decided : ndarray
        See `learners.multiclass.rules`; the weights are the centres at the centroid, their mean subtracted.
    query, kind : ndarray, shapes (n, D') and (n,), int64
        The lifted features, and how they are lifted (`learners.search.lifting`).
    slope, most : ndarray, shape (n,)
        b, and the largest mean of a capped factor that is used (0: none is).
    mistakes, factors : ndarray, shape (n,), int64
        How many affine factors there have been, and how many of both kinds.
    gained : ndarray, shape (n,)
        Sum of ``-ln Z`` over the capped factors, which a bound a posteriori subtracts.
    centroid, covariance, points, masses, history, caps, remembered, anchor, whitening, moves : ndarray
        The density: see `learners.search.density.body_fields`.
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
    slope: Float
    most: Float
    mistakes: Int
    factors: Int
    gained: Float
    centroid: Float
    covariance: Float
    points: Float
    masses: Float
    history: Float
    caps: Bool
    remembered: Int
    anchor: Float
    whitening: Float
    moves: Int


@rule_of(DensityCentresState, stays_inside)
def _stays_inside(state: DensityCentresState, game: int) -> bool:
    lifted = fits(state.kind[game], state.features.shape[1], state.query.shape[1])
    return bool(lifted and 0 <= state.remembered[game] < max(1, state.history.shape[1]))


@rule_of(DensityCentresState, distribute, allocates=False)
def _distribute(state: DensityCentresState, game: int) -> None:
    scores, query = state.scores[game], state.query[game]
    lift(state.kind[game], state.features[game], query)
    if has_direction(query):
        write_scores(state.weights[game], query, scores)
    else:
        scores[:] = 0.0
    write_mixture(leader(scores), 0.0, scores.shape[0], state.probabilities[game])


@rule_of(DensityCentresState, update)
def _update(state: DensityCentresState, game: int, action: int, feedback: Float) -> None:
    label, scores, query = revealed_label(feedback), state.scores[game], state.query[game]
    right = leader(scores) == label
    if label < 0 or (right and state.most[game] == 0.0) or not has_direction(query):
        return
    direction, factor = np.empty(query.shape[0]), np.empty(state.centroid.shape[1])
    write_direction(query, direction)
    # Whom the label is compared with: who was played in its stead, or else the runner-up.
    write_comparison(direction, label, best_other(scores, label), state.slope[game], factor)
    fall = multiply(state, game, factor, right, state.most[game] if right else ANY_MEAN)
    state.mistakes[game] += not right
    state.factors[game] += not right or fall != 0.0
    state.gained[game] -= fall if right else 0.0
    write_centres(state.centroid[game], state.weights[game])


class DensityCentres(LabelLearner[DensityCentresState]):
    """Plays the label of the nearest centre at the centroid of a density over the centres, which labels reshape.

    The density begins uniform over the unit ball of all centres of mean zero, ``D = (K - 1) d`` coordinates. With
    ``g = (E_y - E_j) / sqrt 2 (x) q / |q|``, a mistake (j was played) multiplies it by ``1 + b <g, x>``; a correct
    round (j is the runner-up) by ``min(1, 1 + b <g, x>)``. A wrong label lowers the truth, but never to 0.

    Parameters
    ----------
    classes : int
        Number of labels K.
    body : str
        ``"gauss"``, a normal density in its place: the cheapest, and the best that is measured, without a proof;
        ``"particle"``, a cloud of points drawn from it: proved up to the error of the drawing, for D up to 40;
        ``"disc"``: exact for up to 253 mistakes, for 2 labels of 2 features, without the capped factors.
    capped : bool
        Whether correct rounds teach it, too. Without them it loses about what the wrong labels hide, like a Perceptron;
        with them far less, but more after a burst of wrong labels at the start.
    slope : float
        b, between 0 and 1.
    particles : int
        How many points a cloud has, at least 8.
    tolerance : float, optional
        Capped factors whose mean is less than this below 1 are left out; 0.005 for particles, else 0.
    similarity, p, levels
        As for `KCentres`.
    seed : int
        Of the particles.

    Warnings
    --------
    Nothing is proved of ``body="gauss"``, the default; the exact body is for two labels of two features. A burst of
    wrong labels at the start costs capped factors more than they gain later.

    Notes
    -----
    Without capped factors, over any queries and labels and with n mistakes against the labels that it saw, the loss
    against the true labels is at most ``sqrt 2 |X| / ln(1 + b) D ln(e (1 + n / D)) + rho A``, where X are the centres
    without their mean, A sums how much nearer the true centre was than the wrong label's, and
    ``rho = ln(1 / (1 - b)) / ln(1 + b)`` (`learners.bounds.density_centres`).

    References
    ----------
    Paes Leme, Podimata, Schneider (2022), Corruption-robust contextual search through density updates, COLT, whose
    abstract has the idea for guesses; the form for centres and its proof are this project's own.

    Examples
    --------
    >>> from learners import DensityCentres
    >>> learner = DensityCentres(classes=2, body="disc", capped=False)
    >>> label, state = learner.predict({"features": [1.0, 0.0], "feedback": [-1, -1], "action": [-1], "round": [0]})
    >>> seen = {"features": [1.0, 0.0], "feedback": [0, 1], "action": [label], "round": [1]}
    >>> label, state = learner.predict(seen, state)
    >>> int(label), round(float(state.centroid[0, 0]), 3)  # a quarter of the slope
    (1, -0.167)
    """

    name = "density-centres"
    state_class = DensityCentresState
    summary = "nearest centres by a density, which wrong labels cannot empty"
    welcomes = ("similarity", "p", "levels")
    defaults = ()  # a scenario of centres names it

    def __init__(
        self,
        classes: int,
        body: Annotated[str, f"one of {', '.join(BODIES)}"] = "gauss",
        capped: bool = True,
        slope: float = 2.0 / 3.0,
        particles: int = 1000,
        tolerance: Annotated[float | None, "null: 0.005 for particles, else 0"] = None,
        similarity: Annotated[str, f"one of {', '.join(SIMILARITIES)}"] = "inner",
        p: Annotated[float | None, f"null: as similarity says; up to {LARGEST_POWER:g}"] = None,
        levels: Annotated[int | None, "null: queries may lie anywhere"] = None,
        seed: int = 0,
    ) -> None:
        super().__init__(classes)
        self.lift = Lift(similarity, p, levels)
        self.body = one_of("body", body, BODIES)
        self.capped = flag("capped", capped)
        self.slope = finite_number("slope", slope, above=0.0, below=1.0)
        self.particles = count("particles", particles, minimum=FEWEST_PARTICLES, maximum=100_000)
        self.tolerance = TOLERANCES.get(body, 0.0) if tolerance is None else tolerance
        self.tolerance = finite_number("tolerance", self.tolerance, minimum=0.0, below=1.0)
        self.seed = count("seed", seed, maximum=LARGEST_SEED)
        if body == DISC and (classes != 2 or capped):
            got = f"{classes} classes and capped={capped}"
            raise ValueError(f"body='disc' must have 2 classes and capped=False, got {got}")
        self.parameters |= {
            "body": body, "capped": capped, "slope": self.slope, "particles": self.particles, "tolerance": tolerance,
            "similarity": similarity, "p": p, "levels": levels, "seed": self.seed,
        }  # fmt: skip

    def for_run(self, seed: int) -> Self:
        """Return the learner with other particles in every run of the bench; without any, itself."""
        return super(LabelLearner, self).for_run(seed) if self.body == PARTICLE else self

    def begin_episode(self, state: DensityCentresState, game: int, key: Key) -> None:
        """Give a new episode particles of its own."""
        super().begin_episode(state, game, key)
        if self.body == PARTICLE:
            scatter(key, state.points[game])

    def _weights_shape(self, dim: int) -> tuple[int, ...]:
        return self.classes, self.lift.dim(dim)

    def initial_state(self, games: int, dim: int) -> DensityCentresState:
        """Return the uniform density for each game."""
        lifted = self.lift.dim(dim)
        free = (self.classes - 1) * lifted
        most = {DISC: 2, PARTICLE: LARGEST_PARTICLE_DIMENSION}.get(self.body, free)
        if free > most or (self.body == DISC and free < most):
            raise ValueError(
                f"body={self.body!r} is for (classes - 1) * features of {'at most ' * (self.body == PARTICLE)}{most}, "
                f"got {self.classes - 1} * {lifted}"
            )
        return DensityCentresState(
            **self._beginning(games, dim) | {"weights": np.zeros((games, self.classes, lifted))},
            query=np.zeros((games, lifted)),
            kind=np.full(games, self.lift.kind),
            **body_fields(self.body, self.particles, [game_key(self.seed, game) for game in range(games)], free),
            slope=np.full(games, self.slope),
            most=np.full(games, 1.0 - self.tolerance if self.capped else 0.0),
            mistakes=np.zeros(games, dtype=np.int64),
            factors=np.zeros(games, dtype=np.int64),
            gained=np.zeros(games),
        )
