"""A round of N games of nearest centres: that of multiclass classification, and what it cost."""

from typing import NamedTuple

import numpy as np

from agents.foundation.typing import Bool, Float, Int
from agents.populations.centre_source import LEAD, LOSS, ROBUST, SIZE, TOLD, CentresDrawn
from strategic_env.games.multiclass.rules import MulticlassGames


class CentreOutcomes(NamedTuple):
    """What happened in one round of each of N games; zeros for games that did not play.

    Attributes
    ----------
    observation, reward, mistake, true_label
        See `strategic_env.games.multiclass.rules.Outcomes`.
    loss : ndarray, shape (N,)
        How much farther the centre that was named is than the nearest one, to the exponent.
    lead : ndarray, shape (N,)
        How much nearer the nearest centre was than any other.
    told_label : ndarray, shape (N,), int64
    robust_mistake : ndarray, shape (N,), bool
        A mistake where the lead was at least the margin.
    size_of_wrong_label : ndarray, shape (N,)
        How much farther the centre that was told is than the nearest one.
    """

    observation: Float
    reward: Float
    mistake: Bool
    true_label: Int
    loss: Float
    lead: Float
    told_label: Int
    robust_mistake: Bool
    size_of_wrong_label: Float


class CentreGames(MulticlassGames):
    """N games, each at a round of its own; see `strategic_env.games.multiclass.rules.MulticlassGames`."""

    @property
    def drawn(self) -> CentresDrawn:
        """What the games have drawn."""
        drawn: CentresDrawn = self._points.drawn  # type: ignore[assignment]  # their source is one of centres
        return drawn

    def play(self, actions: Int, active: Bool) -> CentreOutcomes:  # type: ignore[override]  # there is more to tell
        """Name one of ``actions`` (N,), int64, in each ``active`` (N,) game, and resolve the round."""
        outcomes = super().play(actions, active)
        judged = np.where(active[:, np.newaxis], self.drawn.judged, 0.0)
        told, robust = judged[:, TOLD].astype(np.int64), judged[:, ROBUST].astype(np.bool_)
        loss, lead, size = (judged[:, column].copy() for column in (LOSS, LEAD, SIZE))
        return CentreOutcomes(*outcomes, loss, lead, told, robust, size)
