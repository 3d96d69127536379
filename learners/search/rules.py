"""What a compiled rule of contextual search looks like, and the loop that applies it to many games.

*The class of the state selects the rule*, as in `learners.strategic.rules`: each engine writes `guess` and `narrow` for
its own class of states, and everything compiled calls these. A state has at least the field ``features`` (n, d), which
were last guessed for.
"""

from functools import singledispatch
from typing import Any

from agents.foundation.compiled import compiled
from agents.foundation.lanes import copy
from agents.foundation.typing import Float
from learners.policy import REFUSED
from learners.search.observation import NOTHING, inspect
from learners.strategic.rules import INLINED, first_astray


@singledispatch
def guess(state: Any, game: int) -> float:
    """Return the guess of the hidden value at ``state.features[game]``, in [-1, 1].

    Parameters
    ----------
    state : NamedTuple of arrays
        Changed in place.
    game : int
        Row of the state.
    """
    raise NotImplementedError(f"no rule guesses for a {type(state).__name__}")


@singledispatch
def narrow(state: Any, game: int, guessed: float, answer: float) -> None:
    """Learn where the hidden value at ``state.features[game]`` lies.

    Parameters
    ----------
    state : NamedTuple of arrays
        Changed in place.
    game : int
        Row of the state.
    guessed : float
        The guess, which need not be the learner's own.
    answer : float
        -1: the value lies below the guess; +1: at or above it.
    """
    raise NotImplementedError(f"no rule narrows for a {type(state).__name__}")


INLINED.update({guess, narrow})


@compiled
def advance(state: Any, features: Float, answer: Float, guessed: Float, rounds: Float, out: Float) -> int:
    """Let each of n games learn from its last round and write its next guess to ``out`` (n, 1).

    Return the first game whose state is damaged or whose guess is none, and go no further; -1 if there is none;
    ``REFUSED``, with nothing done, if the observation holds a number that is not allowed.
    """
    if inspect(features, answer, guessed, rounds):
        return REFUSED
    astray = first_astray(state, features.shape[0])
    if astray >= 0:
        return astray
    for game in range(features.shape[0]):
        if rounds[game] > 0.0 and answer[game] != NOTHING:
            narrow(state, game, guessed[game], answer[game])
        copy(features[game], state.features[game])
        out[game, 0] = guess(state, game)
        if not abs(out[game, 0]) <= 1.0:
            return game
    return -1
