"""One round of contextual search, and its bookkeeping for N games. Nothing here knows Gymnasium."""

import math
from typing import NamedTuple

import numpy as np

from agents.foundation import streams
from agents.foundation.compiled import DirectCall, inlined, loop
from agents.foundation.lanes import dot
from agents.foundation.typing import Bool, Float, Int, Key
from agents.populations.centre_queries import draw_query
from agents.populations.centre_source import (
    EARLY,
    RANDOM,
    TOLD,
    WRONG_LABELS,
    CentresDrawn,
    CentreSource,
)
from agents.populations.many_points import ManyPoints
from learners.search.observation import AT_LEAST, NOTHING, TOO_HIGH
from strategic_env.games.search.setting import SearchSetting


@inlined
def draw_value(source: CentreSource, drawn: CentresDrawn, game: int, round: int, features: Float) -> float:
    """Write the query of a round to ``features`` (d,) and return the hidden value."""
    draw_query(source, drawn, game, round, features)
    return dot(drawn.centres[game, 0], features)


@inlined
def answer_of(value: float, guess: float) -> float:
    """Return what is told: -1 (the guess was too high), or +1 (the value lies at or above it)."""
    return AT_LEAST if value >= guess else TOO_HIGH


@loop
def told_answer(source: CentreSource, drawn: CentresDrawn, game: int, round: int, value: float, guess: float) -> float:
    """Count a round, and return what is told of its guess: the truth or, where corruption wants it, its opposite."""
    answer, wrong = answer_of(value, guess), False
    if source.corruption > 0:
        if source.pattern == RANDOM:
            place = streams.shuffled_index(drawn.keys[game], streams.NOISE, round, source.rounds)
            wrong = place < source.corruption
        elif source.pattern == EARLY:
            wrong = round < source.corruption
        else:
            wrong = 4 * round >= source.rounds and drawn.counted[game, WRONG_LABELS] < source.corruption
    drawn.judged[game, TOLD] = wrong
    drawn.counted[game, WRONG_LABELS] += wrong
    return -answer if wrong else answer


@inlined
def loss_of(source: CentreSource, value: float, guess: float) -> float:
    """Return what a guess costs."""
    miss = abs(value - guess)
    return miss if source.exponent == 1.0 else math.pow(miss, source.exponent)


@loop
def begin_games(source: CentreSource, drawn: CentresDrawn, games: Int, values: Float, observation: Float) -> None:
    """Show the first query to each of ``games`` (n,), in its row of ``observation`` (n, d + 3)."""
    d = source.places.shape[0]
    for row in range(games.shape[0]):
        seen = observation[row]
        seen[0] = NOTHING
        values[games[row]] = draw_value(source, drawn, games[row], 0, seen[1 : d + 1])
        seen[d + 1], seen[d + 2] = 0.0, 0.0


@inlined
def first_outside(guesses: Float, active: Bool) -> int:
    """Return the first active game whose guess is not in [-1, 1]; -1 if there is none."""
    for game in range(active.shape[0]):
        if active[game] and not abs(guesses[game]) <= 1.0:
            return game
    return -1


@loop
def play_games(
    source: CentreSource,
    drawn: CentresDrawn,
    guesses: Float,
    active: Bool,
    rounds: Int,
    mistakes: Int,
    values: Float,
    observation: Float,
    rewards: Float,
    mistake: Bool,
    true_value: Float,
    loss: Float,
    wrong_answer: Bool,
) -> int:
    """Resolve a round of each active game, and show its next query; return as `first_outside`, and do nothing if >= 0.

    ``rounds`` and ``mistakes`` (N,) are counted on, ``values`` (N,) go on to the next query; the arrays from
    ``observation`` on (`Outcomes`) are overwritten.
    """
    outside = first_outside(guesses, active)
    if outside >= 0:
        return outside
    d = source.places.shape[0]
    for game in range(rounds.shape[0]):
        seen = observation[game]
        if not active[game]:
            seen[:] = 0.0
            rewards[game], mistake[game], true_value[game], loss[game] = 0.0, False, 0.0, 0.0
            wrong_answer[game] = False
            continue
        guess, value = guesses[game], values[game]
        missed = abs(value - guess) >= source.margin
        cost = loss_of(source, value, guess)
        rewards[game], mistake[game], true_value[game], loss[game] = 0.0 - cost, missed, value, cost
        mistakes[game] += missed
        answer = told_answer(source, drawn, game, rounds[game], value, guess)
        wrong_answer[game] = drawn.judged[game, TOLD] > 0.0
        rounds[game] += 1
        seen[0], seen[d + 1], seen[d + 2] = answer, guess, rounds[game]
        values[game] = draw_value(source, drawn, game, rounds[game], seen[1 : d + 1])
    return -1


class Outcomes(NamedTuple):
    """What happened in one round of each of N games; zeros for games that did not play.

    Attributes
    ----------
    observation : ndarray, shape (N, d + 3)
        What the learner sees, laid out as `learners.search.observation.Layout` says.
    reward : ndarray, shape (N,)
    mistake : ndarray, shape (N,), bool
        Whether the guess missed by the margin or more.
    value, loss : ndarray, shape (N,)
    wrong_answer : ndarray, shape (N,), bool
    """

    observation: Float
    reward: Float
    mistake: Bool
    value: Float
    loss: Float
    wrong_answer: Bool


class SearchGames:
    """N games, each at a round of its own, all in one compiled loop.

    Parameters
    ----------
    setting : SearchSetting
    games : int
        N.
    horizon : int
        Rounds of an episode, over which wrong answers are spread.

    Attributes
    ----------
    rounds, mistakes : ndarray, shape (N,), int64
        Rounds played, and mistakes made, since each game's episode began.
    """

    def __init__(self, setting: SearchSetting, games: int, horizon: int) -> None:
        self._points, self._play = ManyPoints(setting.source(horizon), games), DirectCall(play_games)
        self._size = setting.dim + 3
        self._values = np.zeros(games)
        self.rounds = np.zeros(games, dtype=np.int64)
        self.mistakes = np.zeros(games, dtype=np.int64)

    def begin(self, games: Int, keys: Key) -> Float:
        """Let an episode begin in each of ``games`` (n,), whose keys are ``keys`` (n, 2); return what they show."""
        self._points.begin(games, keys)
        self.rounds[games] = self.mistakes[games] = 0
        observation = np.empty((len(games), self._size))
        begin_games(self._points.source, self._points.drawn, games, self._values, observation)  # type: ignore[arg-type]
        return observation

    def play(self, guesses: Float, active: Bool) -> Outcomes:
        """Make one of ``guesses`` (N,) in each ``active`` (N,) game, and resolve the round.

        Raises
        ------
        ValueError
            If the guess of an active game is not in [-1, 1]; then no game is played.
        """
        if not guesses.flags.carray:
            guesses = guesses.copy()
        games = len(guesses)
        outcomes = Outcomes(
            np.empty((games, self._size)),
            np.empty(games),
            np.empty(games, dtype=np.bool_),
            np.empty(games),
            np.empty(games),
            np.empty(games, dtype=np.bool_),
        )
        source, drawn = self._points.source, self._points.drawn
        outside = self._play.call(source, drawn, guesses, active, self.rounds, self.mistakes, self._values, *outcomes)
        if outside >= 0:
            where = f" in game {outside}" if games > 1 else ""
            raise ValueError(f"action must be a guess in [-1, 1], got {guesses[outside]}{where}")
        return outcomes
