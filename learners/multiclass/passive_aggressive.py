"""Passive-Aggressive learners: as small a step as mends the last round's margin."""

from typing import Annotated, NamedTuple

import numpy as np

from agents.foundation.checks import finite_number, one_of
from agents.foundation.lanes import dot
from agents.foundation.typing import Float, Int, Key
from learners.multiclass.label_learner import LabelLearner, play_leader
from learners.multiclass.losses import margin
from learners.multiclass.observation import revealed_label
from learners.multiclass.rules import distribute, update
from learners.multiclass.scores import add_to_row, best_other
from learners.strategic.rules import rule_of

VARIANTS = ("I", "II")
FIRST, SECOND = range(2)


class PassiveAggressiveState(NamedTuple):
    """What one game has learned.

    Attributes
    ----------
    weights, features, probabilities, scores, key, episode, decided : ndarray
        See `learners.multiclass.rules`.
    variant : ndarray, shape (n,), int64
        Place in `VARIANTS`.
    aggressiveness : ndarray, shape (n,)
        C.
    """

    weights: Float
    features: Float
    probabilities: Float
    scores: Float
    key: Key
    episode: Int
    decided: Int
    variant: Int
    aggressiveness: Float


rule_of(PassiveAggressiveState, distribute, allocates=False)(play_leader)


@rule_of(PassiveAggressiveState, update, allocates=False)
def _update(state: PassiveAggressiveState, game: int, action: int, feedback: Float) -> None:
    label, scores, features = revealed_label(feedback), state.scores[game], state.features[game]
    if label < 0:
        return
    hinge, square = max(0.0, 1.0 - margin(scores, label)), 2.0 * dot(features, features)
    if hinge == 0.0 or square == 0.0:
        return
    if state.variant[game] == FIRST:
        step = min(state.aggressiveness[game], hinge / square)
    else:
        step = hinge / (square + 0.5 / state.aggressiveness[game])
    add_to_row(state.weights[game], label, step, features)
    add_to_row(state.weights[game], best_other(scores, label), -step, features)


class PassiveAggressive(LabelLearner[PassiveAggressiveState]):
    """Where the label's margin is below 1, it moves x from the best other label's weights to the label's.

    With l the hinge loss, the step is ``min(C, l / (2 |x|^2))`` (PA-I) or ``l / (2 |x|^2 + 1 / (2 C))`` (PA-II).

    Parameters
    ----------
    classes : int
        Number of labels K.
    variant : str
        ``"I"`` or ``"II"``.
    aggressiveness : float
        C, above 0.

    Warnings
    --------
    It needs to be shown the label in every round, and follows wrong ones: a step is as long as aggressiveness allows,
    however late it comes.

    References
    ----------
    Crammer, Dekel, Keshet, Shalev-Shwartz, Singer (2006), Online passive-aggressive algorithms, JMLR 7.

    Examples
    --------
    >>> from learners import PassiveAggressive
    >>> learner = PassiveAggressive(classes=3)
    >>> label, state = learner.predict({"features": [1.0, 0.0], "feedback": [-1, -1, -1], "action": [-1], "round": [0]})
    >>> seen = {"features": [0.0, 1.0], "feedback": [0, 0, 1], "action": [label], "round": [1]}
    >>> label, state = learner.predict(seen, state)
    >>> state.weights[0]
    array([[-0.5,  0. ],
           [ 0. ,  0. ],
           [ 0.5,  0. ]])
    """

    name = "passive-aggressive"
    state_class = PassiveAggressiveState
    summary = "Passive-Aggressive learner (PA-I, PA-II), for full information"

    def __init__(self, classes: int, variant: Annotated[str, "I or II"] = "I", aggressiveness: float = 1.0) -> None:
        super().__init__(classes)
        self.variant = one_of("variant", variant, VARIANTS)
        self.aggressiveness = finite_number("aggressiveness", aggressiveness, above=0.0)
        self.parameters |= {"variant": variant, "aggressiveness": self.aggressiveness}

    def initial_state(self, games: int, dim: int) -> PassiveAggressiveState:
        """Return zero weights for each game."""
        return PassiveAggressiveState(
            **self._beginning(games, dim),
            variant=np.full(games, VARIANTS.index(self.variant)),
            aggressiveness=np.full(games, self.aggressiveness),
        )
