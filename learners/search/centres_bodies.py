"""k centres by exact or sampled bodies: one for each pair, in Python."""

import itertools
import math
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.foundation.typing import Bool, Float, Int, Key
from learners.multiclass.observation import revealed_label
from learners.multiclass.rules import distribute, update
from learners.multiclass.scores import leader, write_mixture
from learners.search.bodies import LEAST_DROP, Body, are_bodies
from learners.search.centres_engines import CentresEngine
from learners.search.in_python import are_numbers
from learners.search.lifting import fits, lift
from learners.search.mixtures import pays, write_paid
from learners.search.pairs import RADIUS, pair_of, side_of
from learners.search.polytopes import ExactBody
from learners.search.samples import SampledBody
from learners.strategic.rules import stays_inside

# No exponent of a loss is larger.
LARGEST_EXPONENT = 100.0


class CentresBodiesState(NamedTuple):
    """What one game has learned: of each of the P pairs of labels, bodies around ``x_i - x_j``.

    Attributes
    ----------
    weights : ndarray, shape (n, P, D)
        The means of the points of the pairs' bodies at their explored scales.
    features, probabilities, scores, key, episode, decided : ndarray
        See `learners.multiclass.rules`; the scores are votes.
    query : ndarray, shape (n, D)
        The lifted features.
    bodies : ndarray, shape (n, P), object
        `learners.search.bodies.Body`.
    exponent, kind, every_pair, mixed : ndarray, shape (n,)
        As in `learners.search.centres_ellipsoids.CentresState`.
    """

    weights: Float
    features: Float
    probabilities: Float
    scores: Float
    key: Key
    episode: Int
    decided: Int
    query: Float
    bodies: NDArray[np.object_]
    exponent: Float
    kind: Int
    every_pair: Bool
    mixed: Int


@stays_inside.register(CentresBodiesState)
def _is_sound(state: CentresBodiesState, game: int) -> bool:
    lifted = state.query.shape[1]
    return bool(
        fits(int(state.kind[game]), state.features.shape[1], lifted)
        and 0.0 <= state.exponent[game] <= LARGEST_EXPONENT
        and are_numbers(state, game)
        and are_bodies(state.bodies[game], lifted)
    )


@distribute.register(CentresBodiesState)
def _distribute(state: CentresBodiesState, game: int) -> None:
    lift(int(state.kind[game]), state.features[game], state.query[game])
    classes = state.scores.shape[1]
    gains, scores = np.zeros((classes, classes)), state.scores[game]
    scores[:] = 0.0
    for pair, (label, other) in enumerate(itertools.combinations(range(classes), 2)):
        body, query = state.bodies[game, pair], state.query[game]
        vote, falls, costs = judge_body(body, query, float(state.exponent[game]))
        scores[label if vote >= 0.0 else other] += 1.0
        gains[label, other], gains[other, label] = falls[0] - 0.5 * costs[0], falls[1] - 0.5 * costs[1]
    best = leader(scores)
    if pays(gains, best) or not write_paid(gains, scores, state.probabilities[game]):
        write_mixture(best, 0.0, classes, state.probabilities[game])
    else:
        state.mixed[game] += 1


def judge_body(body: Body, query: Float, exponent: float) -> tuple[float, list[float], list[float]]:
    """Return a pair's vote, and for either side being right how far the potential falls and what the other may cost."""
    scale, low, high = body.explore(query)
    if scale < 0:
        return low + high, [0.0, 0.0], [0.0, 0.0]
    unit, slack = query / np.linalg.norm(query), body.slacks[scale]
    worth = (2.0 * body.thresholds[scale]) ** exponent / LEAST_DROP
    shares = [body.share(scale, side * unit, -slack) for side in (1.0, -1.0)]
    falls = [-worth * math.log(max(share, 1e-3)) for share in shares]
    vote = body.share(scale, unit, 0.0) - 0.5
    return vote, falls, [max(0.0, high) ** exponent, max(0.0, -low) ** exponent]


@update.register(CentresBodiesState)
def _update(state: CentresBodiesState, game: int, action: int, feedback: Float) -> None:
    label, classes = revealed_label(feedback), state.scores.shape[1]
    if label < 0:
        return
    for other in range(classes):
        if other != label and (state.every_pair[game] or other == action):
            body = state.bodies[game, pair_of(label, other, classes)]
            body.keep(state.query[game], side_of(label, other), 0.0)


class Bodies(CentresEngine):
    """Bodies of a kind for each pair."""

    state_class = CentresBodiesState
    compiled = False
    kind: ClassVar[type[Body]]

    def weights_shape(self, classes: int, dim: int) -> tuple[int, ...]:
        """Return the shape of the means of bodies."""
        return classes * (classes - 1) // 2, self.lift.dim(dim)

    def begin(self, begun: dict[str, Any], games: int, classes: int, dim: int) -> CentresBodiesState:
        """Return bodies around the ball of radius 2.

        Raises
        ------
        ValueError
            If the engine knows no bodies of so many dimensions.
        """
        lifted = self.lift.dim(dim)
        pairs = classes * (classes - 1) // 2
        bodies = np.empty((games, pairs), dtype=object)
        for game, pair in np.ndindex(bodies.shape):
            bodies[game, pair] = self.body(lifted, (*begun["key"][game].tolist(), pair))
        return CentresBodiesState(
            weights=np.zeros((games, pairs, lifted)),
            **begun,
            query=np.zeros((games, lifted)),
            bodies=bodies,
            exponent=np.full(games, self.exponent),
            kind=np.full(games, self.lift.kind),
            every_pair=np.full(games, self.every_pair),
            mixed=np.zeros(games, dtype=np.int64),
        )

    def body(self, dim: int, seed: tuple[int, ...]) -> Body:
        """Return one body around the ball of radius 2."""
        raise NotImplementedError

    def potential(self, state: CentresBodiesState) -> Float:
        """Return half of a bound on the expected loss of all further rounds, in the original similarity."""
        scale = self.lift.scale(state.features.shape[1]) ** self.exponent
        totals = [sum(body.potential(self.exponent) for body in row) for row in state.bodies]
        return np.asarray(np.array(totals) * scale)


class Exact(Bodies):
    """Exact polygons and polytopes."""

    guarantee = (
        "proved: the expected total loss is at most twice the potential (two centres: once), "
        "of order k^2 d log d, for any number of rounds; 2 to 4 dimensions"
    )

    def body(self, dim: int, seed: tuple[int, ...]) -> Body:
        """Return a polygon or a cube around the ball of radius 2."""
        return ExactBody(dim, RADIUS)


class Sampled(Bodies):
    """Clouds of samples."""

    guarantee = "estimated: as exact bodies, if walks mix, which is not proved; up to about 20 dimensions"

    def body(self, dim: int, seed: tuple[int, ...]) -> Body:
        """Return a cloud in the ball of radius 2."""
        return SampledBody(dim, RADIUS, seed)


ENGINES: dict[str, type[CentresEngine]] = {"exact": Exact, "sampled": Sampled}
