"""What a compiled rule of a learner looks like, and the loop that applies it to many games.

A learner's state is a NamedTuple of arrays whose first axis is the game. *The class of the state selects the rule*:
each learner overloads `learn` and `publish` for its own class, one that learns from few rounds `concerns`, one whose
state holds an index `stays_inside`, and everything compiled calls these. Python calls the same rules where nothing is
compiled (``NUMBA_DISABLE_JIT=1``).
"""

import math
from functools import singledispatch
from typing import Any

from agents.foundation.compiled import loop, uncounted
from agents.foundation.lanes import length
from agents.foundation.selection import INLINED as INLINED
from agents.foundation.selection import PLAIN, rule_for_others
from agents.foundation.selection import rule_of as rule_of
from agents.foundation.typing import Float
from learners.policy import REFUSED
from learners.strategic.observation import inspect, rounding

# Shorter weights than this are taken for none, so that scaling into the action box rounds nothing.
SHORTEST_WEIGHTS = 1e-150


@singledispatch
def learn(
    state: Any, game: int, features: Float, prediction: float, label: float, classifier: Float, eps: float
) -> bool:
    """Learn from one round of one game; return whether what it publishes may have changed.

    Parameters
    ----------
    state : NamedTuple of arrays
        Changed in place.
    game : int
        Row of the state.
    features : ndarray, shape (d,)
        The report.
    prediction, label : float
        -1 or +1; label 0 is hidden.
    classifier : ndarray, shape (d + 1,)
        What was published.
    eps : float
        Machine epsilon of the coarsest dtype that the numbers went through.
    """
    raise NotImplementedError(f"no rule learns for a {type(state).__name__}")


@singledispatch
def publish(state: Any, game: int, out: Float) -> None:
    """Write the classifier that one game publishes next to ``out`` (d + 1,), inside the action box."""
    raise NotImplementedError(f"no rule publishes for a {type(state).__name__}")


@singledispatch
def concerns(state: Any, game: int, prediction: float, label: float) -> bool:
    """Whether `learn` might change anything after a round with this prediction and label (0: hidden).

    Without a rule of its own, every round concerns a learner. One that learns from mistakes alone saves the fast form
    from working out a report that nobody reads.
    """
    return True


@singledispatch
def stays_inside(state: Any, game: int) -> bool:
    """Whether the integers in one game's state lead the other rules to no place outside of its arrays.

    Without a rule of its own, a learner has no such integers. Asked of every state that comes from outside.
    """
    return True


INLINED.update({concerns, stays_inside})
PLAIN.update({concerns, stays_inside})
for _stub in (concerns, stays_inside):
    rule_for_others(_stub)


@loop
def write_published(weights: Float, intercept: float, out: Float) -> None:
    """Write ``[w, b]`` times a power of two that brings it into the action box: nothing is rounded.

    Only the direction matters. Without weights, an intercept of at least 0 accepts everybody (all zeros), a negative
    one nobody (``[0 .. 0, -1]``).
    """
    d = weights.shape[0]
    norm = length(weights)
    if norm < SHORTEST_WEIGHTS:
        for i in range(d):
            out[i] = 0.0
        out[d] = -1.0 if intercept < 0.0 else abs(intercept) * 0.0  # NaN stays NaN, which `advance` refuses
        return
    # One more than the exponent: a norm that was rounded to just below a power of two must not leave the box.
    factor = math.ldexp(1.0, -(math.frexp(max(norm, abs(intercept)))[1] + 1))
    for i in range(d):
        out[i] = weights[i] * factor
    out[d] = intercept * factor


@loop
def first_astray(state: Any, games: int) -> int:
    """Return the first of n games whose state does not keep the rules inside of its arrays; -1 if there is none."""
    for game in range(games):
        if not stays_inside(state, game):
            return game
    return -1


@uncounted
def advance(
    state: Any,
    features: Float,
    prediction: Float,
    label: Float,
    classifier: Float,
    rounds: Float,
    eps: float,
    out: Float,
) -> int:
    """Let each of n games learn from its last round and publish its next classifier to ``out`` (n, d + 1).

    Return the first game whose state is damaged or that would publish what is not finite and in [-1, 1], and go no
    further; -1 if none would; ``REFUSED``, with nothing done, if the observation holds a number that is not allowed.
    """
    if inspect(features, classifier, prediction, label, rounds):
        return REFUSED
    astray = first_astray(state, features.shape[0])
    if astray >= 0:
        return astray
    for game in range(features.shape[0]):
        if rounds[game] > 0.0:
            precision = rounding(features[game], classifier[game], eps)
            learn(state, game, features[game], prediction[game], label[game], classifier[game], precision)
        publish(state, game, out[game])
        for value in out[game]:
            if not abs(value) <= 1.0:
                return game
    return -1
