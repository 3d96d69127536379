"""What a policy remembers of a game: sums of ``y x~`` over its rounds, which turn with the game when it is rotated."""

from typing import NamedTuple

import numpy as np

from agents.boundary import on_boundary
from agents.foundation.compiled import compiled
from agents.foundation.typing import Float
from learners.strategic.observation import Reading, rounding
from learners.strategic.surrogates import write_surrogate

# Columns of `History.outcome` and of `History.counts`.
LABEL, MISTAKE, BOUNDARY = range(3)
ROUNDS, REVEALED, MISTAKES = range(3)


class History(NamedTuple):
    """The rounds of n games so far; ``x~`` is the surrogate point of a report (`learners.strategic.surrogates`).

    Attributes
    ----------
    weights : ndarray, shape (n, d)
        What the policy has made of the rounds itself: it adds as much of each ``y x~`` as it chooses.
    everything, mistaken : ndarray, shape (n, d)
        Sum of ``y x~`` over all rounds whose label was revealed, and over the mistakes among them.
    last : ndarray, shape (n, d)
        ``y x~`` of the last round; 0 where its label was hidden.
    outcome : ndarray, shape (n, 3)
        Of the last round: its label (0 if hidden), whether it was a mistake, whether the report lay on the boundary.
    counts : ndarray, shape (n, 3)
        Rounds, revealed labels, mistakes among these.
    seen : ndarray, shape (n, 2 d + 4)
        The last observation (`learners.strategic.observation.Layout`).
    memory : ndarray, shape (n, m)
        What a recurrent network carries from round to round; m = 0 for other policies.
    """

    weights: Float
    everything: Float
    mistaken: Float
    last: Float
    outcome: Float
    counts: Float
    seen: Float
    memory: Float


def begin(games: int, dim: int, memory: int = 0) -> History:
    """Return the histories of ``games`` games with ``dim`` features before their first round."""
    widths = (dim, dim, dim, dim, 3, 3, 2 * dim + 4, memory)
    return History(*(np.zeros((games, width)) for width in widths))


def record(history: History, norm: int, budget: Float, seen: Reading) -> None:
    """Add the round that an observation shows to the histories of its n games, in place; round 0 shows none.

    Parameters
    ----------
    history : History
    norm : int
        2 for l2 costs, 1 for weighted l1 costs.
    budget : ndarray, shape (1,) or (d,)
        alpha, or alpha_i.
    seen : Reading
    """
    label, prediction, rounds = seen.label, seen.prediction, seen.rounds
    columns = (seen.classifier, seen.features, label[:, None], prediction[:, None], rounds[:, None])
    np.concatenate(columns, axis=1, out=history.seen)
    _record(history, norm, budget, seen.features, prediction, label, seen.classifier, rounds, seen.eps)


@compiled
def _record(
    history: History,
    norm: int,
    budget: Float,
    features: Float,
    prediction: Float,
    label: Float,
    classifier: Float,
    rounds: Float,
    eps: float,
) -> None:
    d = features.shape[1]
    for game in range(features.shape[0]):
        outcome, counts, last = history.outcome[game], history.counts[game], history.last[game]
        outcome[:] = 0.0
        last[:] = 0.0
        if rounds[game] == 0.0:
            continue
        precision = rounding(features[game], classifier[game], eps)
        outcome[LABEL] = label[game]
        outcome[BOUNDARY] = on_boundary(classifier[game], features[game], budget.max(), precision)
        counts[ROUNDS] += 1.0
        if label[game] == 0.0:
            continue
        write_surrogate(norm, classifier[game], features[game], label[game], budget, precision, last)
        counts[REVEALED] += 1.0
        for i in range(d):
            last[i] *= label[game]
            history.everything[game, i] += last[i]
        if label[game] != prediction[game]:
            outcome[MISTAKE] = 1.0
            counts[MISTAKES] += 1.0
            for i in range(d):
                history.mistaken[game, i] += last[i]
