"""Whole games of contextual search in compiled code, without Python between the rounds."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from agents.foundation import streams
from agents.foundation.compiled import compiled, released
from agents.foundation.lanes import dot
from agents.foundation.typing import Float, Int, Key
from agents.populations.centre_queries import CANDIDATES, draw_uniform
from agents.populations.centre_source import (
    ADAPTIVE,
    WRONG_LABELS,
    CentresDrawn,
    CentreSource,
)
from agents.populations.many_points import ManyPoints
from learners.policy import Policy, begin
from learners.search.rules import guess, narrow
from strategic_env.games.search.rules import draw_value, loss_of, told_answer
from strategic_env.games.search.setting import SearchSetting
from strategic_env.games.shared.rollout import Rollout, play_in_chunks, shares_of

# Rounds of the first chunk.
FIRST_CHUNK = 64


@compiled
def next_guess(state: Any, source: CentreSource, drawn: CentresDrawn, game: int, round: int) -> tuple[float, float]:
    """Draw the query of a round, and return the learner's guess and the value.

    An adversary that asks the learner takes the first of its candidates whose guess misses most.
    """
    features = state.features[game]
    if source.query != ADAPTIVE:
        value = draw_value(source, drawn, game, round, features)
        return guess(state, game), value
    key, best, most = drawn.keys[game], 0, -1.0
    for number in range(CANDIDATES):
        draw_uniform(key, streams.INDIVIDUAL, round * CANDIDATES + number, False, features)
        miss = abs(dot(drawn.centres[game, 0], features) - guess(state, game))
        if miss > most:
            best, most = number, miss
    draw_uniform(key, streams.INDIVIDUAL, round * CANDIDATES + best, False, features)
    return guess(state, game), dot(drawn.centres[game, 0], features)


@released
def play_rounds(
    state: Any,
    source: CentreSource,
    drawn: CentresDrawn,
    first: int,
    last: int,
    guesses: Float,
    values: Float,
    checkpoints: Int,
    mistakes: Int,
    losses: Float,
    curves: Int,
    games: Int,
) -> None:
    """Play rounds ``first`` to ``last`` of some ``games`` (n,).

    ``guesses`` and ``values`` (N,) hold what was guessed for the query that each game shows, and its value; the learner
    guesses for the query after the last round, too, as it does in a loop over an environment.
    """
    due = np.searchsorted(checkpoints, first, side="right")
    for game in games:
        if first == 0:
            guesses[game], values[game] = next_guess(state, source, drawn, game, 0)
        place = due
        for round in range(first, last):
            guessed, value = guesses[game], values[game]
            mistakes[game] += abs(value - guessed) >= source.margin
            losses[game] += loss_of(source, value, guessed)
            narrow(state, game, guessed, told_answer(source, drawn, game, round, value, guessed))
            guesses[game], values[game] = next_guess(state, source, drawn, game, round + 1)
            if place < checkpoints.shape[0] and checkpoints[place] == round + 1:
                curves[game, place] = mistakes[game]
                place += 1


def play_keys(
    learner: Policy[Any],
    setting: SearchSetting,
    keys: Key,
    rounds: int,
    checkpoints: Int,
    threads: int = 1,
    progress: Callable[[Rollout], object] | None = None,
) -> Rollout:
    """Play the episodes whose keys (N, 2) are given; arguments as for `strategic_env.rollout`, checked."""
    games, dim = len(keys), setting.dim
    state = begin(learner, dim, games)
    learner.check_state(state, games, dim)
    points = ManyPoints(setting.source(rounds), games)
    points.begin(np.arange(games), keys)
    guesses, values, losses = np.zeros((3, games))
    mistakes = np.zeros(games, dtype=np.int64)
    curves = np.zeros((games, len(checkpoints)), dtype=np.int64)

    def play(share: Int, first: int, last: int) -> None:
        play_rounds(
            state,
            points.source,  # type: ignore[arg-type]
            points.drawn,  # type: ignore[arg-type]
            first,
            last,
            guesses,
            values,
            checkpoints,
            mistakes,
            losses,
            curves,
            share,
        )

    def result(played: int) -> Rollout:
        counted: Float = points.drawn.counted  # type: ignore[attr-defined]
        columns = {"wrong_answers": counted[:, WRONG_LABELS].astype(np.int64)}
        return Rollout(played, mistakes, losses, columns, checkpoints, curves, state)

    def report(played: int) -> object:
        return None if progress is None else progress(result(played))

    plays = [partial(play, share) for share in shares_of(games, threads)]
    return result(play_in_chunks(plays, rounds, FIRST_CHUNK, threads, report))
