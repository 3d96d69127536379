"""Learners of labels whose rules solve programs: they play in Python, game by game."""

from typing import Any

import numpy as np

from agents.foundation.typing import Int
from learners.multiclass.observation import Reading
from learners.multiclass.rules import distribute, drawn, update


def advance_in_python(state: Any, seen: Reading) -> tuple[Int, int]:
    """Return the actions (n,) of n games by the rules of their state, and the first damaged game, -1 if there is none.

    What `learners.multiclass.rules.advance` does, for an observation that has been inspected.
    """
    actions = np.empty(len(seen.features), dtype=np.int64)
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
