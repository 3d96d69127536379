"""Learners of labels whose rules solve programs: they play in Python, game by game."""

from typing import Any

import numpy as np

from agents.foundation.typing import Float, Int
from learners.multiclass.observation import Reading
from learners.multiclass.rules import distribute, drawn, update
from learners.strategic.rules import stays_inside

# Numbers of a state are smaller, and their squares no infinities.
LARGEST = 1e100


def are_numbers(state: Any, game: int) -> bool:
    """Whether all numbers of one game's state are finite, and of a size that can be computed with."""
    fields: list[Float] = [field for field in state if field.dtype.kind == "f"]
    return all(bool((np.abs(field[game]) <= LARGEST).all()) for field in fields)


def first_unsound(state: Any, games: int) -> int:
    """Return the first of n games whose state no rule can work with; -1 if there is none."""
    return next((game for game in range(games) if not stays_inside(state, game)), -1)


def advance_in_python(state: Any, seen: Reading) -> tuple[Int, int]:
    """Return the actions (n,) of n games by the rules of their state, and the first damaged game, -1 if there is none.

    What `learners.multiclass.rules.advance` does, for an observation that has been inspected.
    """
    actions = np.empty(len(seen.features), dtype=np.int64)
    unsound = first_unsound(state, len(actions))
    if unsound >= 0:
        return actions, unsound
    for game, features in enumerate(seen.features):
        if seen.rounds[game] > 0.0 and state.decided[game] > 0 and seen.action[game] >= 0.0:
            update(state, game, int(seen.action[game]), seen.feedback[game])
        state.features[game] = features
        distribute(state, game)
        if not (np.isfinite(state.scores[game]).all() and np.isfinite(state.probabilities[game]).all()):
            return actions, game
        actions[game] = drawn(state.probabilities[game], state.key[game], int(state.decided[game]))
        state.decided[game] += 1
    return actions, -1
