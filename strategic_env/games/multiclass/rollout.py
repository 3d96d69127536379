"""Whole games of online multiclass classification in compiled code, without Python between the rounds."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from agents.foundation.compiled import released
from agents.foundation.typing import Bool, Int, Key
from agents.populations.labelled_points import Drawn, ManyPoints, PointSource, draw_point
from learners.multiclass.rules import decide, update
from learners.policy import Policy, begin
from strategic_env.games.multiclass.rules import MulticlassSetting, reveal
from strategic_env.games.shared.rollout import Rollout, play_in_chunks, shares_of

# Rounds of the first chunk.
FIRST_CHUNK = 64


@released
def play_rounds(
    state: Any,
    source: PointSource,
    drawn: Drawn,
    reveals: Bool,
    first: int,
    last: int,
    actions: Int,
    labels: Int,
    checkpoints: Int,
    mistakes: Int,
    curves: Int,
    games: Int,
) -> None:
    """Play rounds ``first`` to ``last`` of some ``games`` (n,).

    ``actions`` and ``labels`` (N,) hold what was decided on the point that each game shows, and its label; the learner
    decides on the point after the last round, too, as it does in a loop over an environment.
    """
    feedback = np.empty(source.classes)
    due = np.searchsorted(checkpoints, first, side="right")
    for game in games:
        if first == 0:
            labels[game] = draw_point(source, drawn, game, 0, state.features[game])
            actions[game] = decide(state, game)
        place = due
        for round in range(first, last):
            action = actions[game]
            mistakes[game] += action != labels[game]
            reveal(reveals, action, labels[game], feedback)
            update(state, game, action, feedback)
            labels[game] = draw_point(source, drawn, game, round + 1, state.features[game])
            actions[game] = decide(state, game)
            if place < checkpoints.shape[0] and checkpoints[place] == round + 1:
                curves[game, place] = mistakes[game]
                place += 1


def play_keys(
    learner: Policy[Any],
    setting: MulticlassSetting,
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
    points = ManyPoints(setting.source(), games)
    points.begin(np.arange(games), keys)
    actions, labels, mistakes = np.zeros((3, games), dtype=np.int64)
    curves = np.zeros((games, len(checkpoints)), dtype=np.int64)

    def play(share: Int, first: int, last: int) -> None:
        play_rounds(
            state,
            points.source,
            points.drawn,
            setting.graph.reveals,
            first,
            last,
            actions,
            labels,
            checkpoints,
            mistakes,
            curves,
            share,
        )

    def result(played: int) -> Rollout:
        return Rollout(played, mistakes, mistakes.astype(np.float64), {}, checkpoints, curves, state)

    def report(played: int) -> object:
        return None if progress is None else progress(result(played))

    plays = [partial(play, share) for share in shares_of(games, threads)]
    return result(play_in_chunks(plays, rounds, FIRST_CHUNK, threads, report))
