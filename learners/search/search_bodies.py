"""Contextual search by exact or sampled bodies, in Python."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.foundation.streams import game_key
from agents.foundation.typing import Float, Int
from learners.search.bodies import Body, are_bodies
from learners.search.in_python import are_numbers, first_unsound
from learners.search.observation import NOTHING, Reading
from learners.search.polytopes import ExactBody
from learners.search.rules import guess, narrow
from learners.search.samples import SampledBody
from learners.search.search_engines import RADIUS, SearchEngine
from learners.strategic.rules import stays_inside


class SearchBodiesState(NamedTuple):
    """What one game has learned.

    Attributes
    ----------
    weights : ndarray, shape (n, 1)
        Last guesses.
    features : ndarray, shape (n, d)
        Last guessed for.
    bodies : ndarray, shape (n,), object
        `learners.search.bodies.Body`.
    lies : ndarray, shape (n,), int64
        Answers that contradict earlier ones.
    """

    weights: Float
    features: Float
    bodies: NDArray[np.object_]
    lies: Int


@stays_inside.register(SearchBodiesState)
def _is_sound(state: SearchBodiesState, game: int) -> bool:
    return are_numbers(state, game) and are_bodies([state.bodies[game]], state.features.shape[1])


@guess.register(SearchBodiesState)
def _guess(state: SearchBodiesState, game: int) -> float:
    body, query = state.bodies[game], state.features[game]
    scale, low, high = body.explore(query)
    middle = 0.5 * (low + high) if scale < 0 else body.median(scale, query, low, high)
    guessed = min(max(middle, low), high)  # between which false answers may leave nothing
    state.weights[game, 0] = min(max(guessed, -1.0), 1.0)
    return float(state.weights[game, 0])


@narrow.register(SearchBodiesState)
def _narrow(state: SearchBodiesState, game: int, guessed: float, answer: float) -> None:
    state.bodies[game].keep(state.features[game], answer, guessed)
    state.lies[game] = state.bodies[game].lies


def advance_in_python(state: SearchBodiesState, seen: Reading) -> tuple[Float, int]:
    """Return the guesses (n, 1) of n games, and the first damaged game, -1 if there is none.

    What `learners.search.rules.advance` does, for an observation that has been inspected.
    """
    guesses = np.empty((len(seen.features), 1))
    unsound = first_unsound(state, len(guesses))
    if unsound >= 0:
        return guesses, unsound
    for game, features in enumerate(seen.features):
        if seen.rounds[game] > 0.0 and seen.answer[game] != NOTHING:
            narrow(state, game, float(seen.guess[game]), float(seen.answer[game]))
        state.features[game] = features
        guesses[game] = guess(state, game)
        if not abs(guesses[game, 0]) <= 1.0:
            return guesses, game
    return guesses, -1


class Bodies(SearchEngine):
    """A body of a kind."""

    state_class = SearchBodiesState
    compiled = False

    def body(self, dim: int, game: int) -> Body:
        """Return a body around the unit ball."""
        raise NotImplementedError

    def begin(self, games: int, dim: int) -> SearchBodiesState:
        """Return bodies around the unit ball.

        Raises
        ------
        ValueError
            If the engine knows no bodies of so many dimensions.
        """
        bodies = np.empty(games, dtype=object)
        for game in range(games):
            bodies[game] = self.body(dim, game)
        return SearchBodiesState(np.zeros((games, 1)), np.zeros((games, dim)), bodies, np.zeros(games, dtype=np.int64))

    def potential(self, state: SearchBodiesState) -> Float:
        """Return a bound on the loss of all further rounds."""
        return np.array([body.potential(self.exponent) for body in state.bodies])


class Exact(Bodies):
    """Exact polygons and polytopes."""

    guarantee = (
        "proved: the total loss is at most the potential, of order d log d, for any number of rounds; 2 to 4 dimensions"
    )

    def body(self, dim: int, game: int) -> Body:
        """Return a polygon or a cube around the unit ball."""
        return ExactBody(dim, RADIUS)


class Sampled(Bodies):
    """Clouds of samples."""

    guarantee = "estimated: as exact bodies, if walks mix, which is not proved; up to about 20 dimensions"

    def body(self, dim: int, game: int) -> Body:
        """Return a cloud in the unit ball."""
        return SampledBody(dim, RADIUS, game_key(self.seed, game).tolist())
