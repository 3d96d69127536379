"""Whole games of online multiclass classification in compiled code, without Python between the rounds."""

from collections.abc import Callable
from functools import partial, singledispatch
from typing import Any

import numpy as np

from agents.foundation.compiled import loop
from agents.foundation.selection import PLAIN, rule_for_others, rule_of
from agents.foundation.typing import Bool, Float, Int, Key
from agents.populations.centre_queries import CANDIDATES, draw_candidate
from agents.populations.centre_source import ADAPTIVE, CentresDrawn, CentreSource
from agents.populations.many_points import Coming, Drawing, ManyPoints, draw, judge
from learners.multiclass.rules import decide, distribute, update
from learners.multiclass.scores import leader
from learners.policy import Policy, begin
from strategic_env.games.multiclass.rules import MulticlassSetting, reveal
from strategic_env.games.shared.rollout import Rollout, play_in_chunks, shares_of

# Rounds of the first chunk.
FIRST_CHUNK = 64


@singledispatch
def face(source: Any, drawn: Any, state: Any, game: int, round: int) -> int:
    """Write the point of a round to ``state.features[game]`` and return its label; who chooses it may ask the learner.

    Without a rule of its own, a source asks nobody.
    """
    return draw(source, drawn, game, round, state.features[game])


PLAIN.add(face)


@rule_of(CentreSource, face)
def _face(source: CentreSource, drawn: CentresDrawn, state: Any, game: int, round: int) -> int:
    """Let an adversary take the first of its queries that the learner would most likely get wrong, or else the last."""
    if source.query != ADAPTIVE:
        return draw(source, drawn, game, round, state.features[game])
    label = 0
    for number in range(CANDIDATES):
        label = draw_candidate(source, drawn, game, round, number, state.features[game])
        distribute(state, game)
        if leader(state.probabilities[game]) != label:
            break
    return label


rule_for_others(face)


@loop
def play_rounds(
    state: Any,
    source: Coming,
    drawn: Drawing,
    reveals: Bool,
    first: int,
    last: int,
    actions: Int,
    labels: Int,
    checkpoints: Int,
    mistakes: Int,
    curves: Int,
    due: int,
    games: Int,
    feedback: Float,
) -> None:
    """Play rounds ``first`` to ``last`` of some ``games`` (n,).

    ``actions`` and ``labels`` (N,) hold what was decided on the point that each game shows, and its label; the learner
    decides on the point after the last round, too, as it does in a loop over an environment. ``due`` is the place of
    the first checkpoint after ``first``; ``feedback`` (K,) is overwritten.
    """
    for game in games:
        if first == 0:
            labels[game] = face(source, drawn, state, game, 0)
            actions[game] = decide(state, game)
        place = due
        for round in range(first, last):
            action = actions[game]
            mistakes[game] += action != labels[game]
            told, _ = judge(source, drawn, game, round, action, labels[game])
            reveal(reveals, action, told, feedback)
            update(state, game, action, feedback)
            labels[game] = face(source, drawn, state, game, round + 1)
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
            int(np.searchsorted(checkpoints, first, side="right")),
            share,
            np.empty(points.source.classes),
        )

    def result(played: int) -> Rollout:
        losses, columns = setting.counted(points.drawn, mistakes)
        return Rollout(played, mistakes, losses, columns, checkpoints, curves, state)

    def report(played: int) -> object:
        return None if progress is None else progress(result(played))

    plays = [partial(play, share) for share in shares_of(games, threads)]
    return result(play_in_chunks(plays, rounds, FIRST_CHUNK, threads, report))
