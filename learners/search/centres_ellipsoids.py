"""k centres by slack ellipsoids: one family of them for each pair, compiled."""

from typing import NamedTuple

import numpy as np

from agents.foundation.compiled import compiled
from agents.foundation.typing import Bool, Float, Int, Key
from learners.multiclass.observation import revealed_label
from learners.multiclass.rules import distribute, update
from learners.multiclass.scores import leader, write_mixture
from learners.search.ellipsoids import cut_all
from learners.search.lifting import fits, lift
from learners.search.mixtures import pays, write_paid
from learners.search.pairs import judge_pair, pair_of, side_of
from learners.strategic.rules import rule_of, stays_inside


class CentresState(NamedTuple):
    """What one game has learned: of each of the P pairs of labels, ellipsoids at S scales around ``x_i - x_j``.

    Attributes
    ----------
    weights : ndarray, shape (n, P, S, D)
        Centres of the ellipsoids (`learners.search.ellipsoids`) in the space of lifted queries.
    features, probabilities, scores, key, episode, decided : ndarray
        See `learners.multiclass.rules`; the scores are votes: how many pairs a label wins.
    query : ndarray, shape (n, D)
        The lifted features (`learners.search.lifting`).
    factors : ndarray, shape (n, P, S, D, D)
    volumes : ndarray, shape (n, P, S)
    thresholds, slacks : ndarray, shape (n, S)
    exponent : ndarray, shape (n,)
        Of the loss in the lifted space.
    kind : ndarray, shape (n,), int64
        Of the lift.
    every_pair : ndarray, shape (n,), bool
        Whether each round teaches every pair of the label, not only the one that erred.
    lies : ndarray, shape (n,), int64
        Labels that contradict earlier ones.
    mixed : ndarray, shape (n,), int64
        Rounds whose label was drawn, since the vote's winner was not paid for.
    """

    weights: Float
    features: Float
    probabilities: Float
    scores: Float
    key: Key
    episode: Int
    decided: Int
    query: Float
    factors: Float
    volumes: Float
    thresholds: Float
    slacks: Float
    exponent: Float
    kind: Int
    every_pair: Bool
    lies: Int
    mixed: Int


@rule_of(CentresState, stays_inside)
def _is_lifted(state: CentresState, game: int) -> bool:
    return fits(state.kind[game], state.features.shape[1], state.query.shape[1])


@rule_of(CentresState, distribute)
def _distribute(state: CentresState, game: int) -> None:
    lift(state.kind[game], state.features[game], state.query[game])
    classes = state.scores.shape[1]
    gains, scores = np.zeros((classes, classes)), state.scores[game]
    judge_all(state, game, gains)
    best = leader(scores)
    if pays(gains, best) or not write_paid(gains, scores, state.probabilities[game]):
        write_mixture(best, 0.0, classes, state.probabilities[game])
    else:
        state.mixed[game] += 1


@compiled
def judge_all(state: CentresState, game: int, gains: Float) -> None:
    """Let all pairs vote, and write ``M = D - L / 2`` to ``gains`` (K, K): rows are the truth, columns are named."""
    scores, query = state.scores[game], state.query[game]
    room, found = np.empty(query.shape[0]), np.empty(5)
    scores[:] = 0.0
    pair = 0
    for label in range(scores.shape[0]):
        for other in range(label + 1, scores.shape[0]):
            judge_pair(
                state.weights[game, pair], state.factors[game, pair], state.thresholds[game], state.slacks[game],
                query, state.exponent[game], room, found,
            )  # fmt: skip
            scores[label if found[0] >= 0.0 else other] += 1.0
            gains[label, other] = found[1] - 0.5 * found[3]
            gains[other, label] = found[2] - 0.5 * found[4]
            pair += 1


@rule_of(CentresState, update)
def _update(state: CentresState, game: int, action: int, feedback: Float) -> None:
    label, classes = revealed_label(feedback), state.scores.shape[1]
    if label < 0:
        return
    room = np.empty(state.query.shape[1])
    for other in range(classes):
        if other != label and (state.every_pair[game] or other == action):
            pair = pair_of(label, other, classes)
            centres, factors, volumes = state.weights[game, pair], state.factors[game, pair], state.volumes[game, pair]
            side = side_of(label, other)
            state.lies[game] += cut_all(
                centres, factors, volumes, state.slacks[game], state.query[game], side, 0.0, room
            )
