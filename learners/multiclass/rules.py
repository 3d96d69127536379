"""What a compiled rule of a multiclass learner looks like, and what turns it into predictions.

*The class of the state selects the rule*, as in `learners.strategic.rules`: each learner writes `distribute` and
`update` for its own class of states, and everything compiled calls these. A state has at least these fields, with a
leading game axis: ``weights`` (n, K, d), ``features`` (n, d) that were last decided on, ``probabilities`` (n, nodes)
that the last action was drawn from, ``key`` (n, 2) uint64, ``episode`` (n,) and ``decided`` (n,) int64.
"""

import math
from functools import singledispatch
from typing import Any

from agents.foundation.compiled import loop, uncounted
from agents.foundation.lanes import copy
from agents.foundation.streams import uniform
from agents.foundation.typing import Float, Int, Key
from learners.multiclass.observation import inspect
from learners.policy import REFUSED
from learners.strategic.rules import INLINED, first_astray

# A purpose far from those of `agents.foundation.streams`: a learner and a game with the same seed draw independent
# numbers.
ACTIONS = 101


@singledispatch
def distribute(state: Any, game: int) -> None:
    """Write to ``state.probabilities[game]`` with what probability to play each node at ``state.features[game]``.

    Parameters
    ----------
    state : NamedTuple of arrays
        Changed in place.
    game : int
        Row of the state.
    """
    raise NotImplementedError(f"no rule distributes for a {type(state).__name__}")


@singledispatch
def update(state: Any, game: int, action: int, feedback: Float) -> None:
    """Learn from the round in which ``state.features[game]`` were decided on.

    Parameters
    ----------
    state : NamedTuple of arrays
        Changed in place; ``state.probabilities[game]`` is what `distribute` wrote.
    game : int
        Row of the state.
    action : int
        The node that was played, which need not be the one that was drawn.
    feedback : ndarray, shape (K,)
        -1 hidden, 0 not the label, 1 the label.
    """
    raise NotImplementedError(f"no rule updates for a {type(state).__name__}")


INLINED.update({distribute, update})


@loop
def decide(state: Any, game: int) -> int:
    """Return the node that one game plays at ``state.features[game]``, drawn from its distribution."""
    distribute(state, game)
    round = state.decided[game]
    state.decided[game] = round + 1
    return drawn(state.probabilities[game], state.key[game], round)


@loop
def drawn(probabilities: Float, key: Key, round: int) -> int:
    """Return the first node at which the distribution function exceeds a uniform number in [0, 1)."""
    level, total, chosen = uniform(key, ACTIONS, round), 0.0, 0
    for node in range(probabilities.shape[0]):
        if probabilities[node] > 0.0:
            total += probabilities[node]
            chosen = node  # where rounding leaves the total below the level, the last one that is possible
            if total > level:
                break
    return chosen


@uncounted
def advance(state: Any, features: Float, feedback: Float, action: Float, rounds: Float, actions: int, out: Int) -> int:
    """Let each of n games learn from its last round and write its next action to ``out`` (n,).

    Return the first game whose state is damaged or whose scores or probabilities are not finite, and go no further; -1
    if none has such; ``REFUSED``, with nothing done, if the observation holds a number that is not allowed.
    """
    if inspect(features, feedback, action, rounds, actions):
        return REFUSED
    astray = first_astray(state, features.shape[0])
    if astray >= 0:
        return astray
    for game in range(features.shape[0]):
        # A state that begins in the middle of an episode has decided nothing yet.
        if rounds[game] > 0.0 and state.decided[game] > 0 and action[game] >= 0.0:
            update(state, game, int(action[game]), feedback[game])
        copy(features[game], state.features[game])
        out[game] = decide(state, game)
        for value in state.scores[game]:
            if not math.isfinite(value):
                return game
        for value in state.probabilities[game]:
            if not math.isfinite(value):
                return game
    return -1
