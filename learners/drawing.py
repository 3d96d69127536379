"""Learners that draw: one random stream for each game, and a new one in every episode."""

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from agents.foundation.streams import game_key
from agents.foundation.typing import Key
from learners.base import Learner
from learners.policy import Policy, State


class DrawingPolicy(Policy[State]):
    """A policy whose state has a field ``episode`` (n,), int64, besides what it draws.

    Attributes
    ----------
    seed : int
        Of all its draws; also one of its ``parameters``.
    """

    seed: int

    @abstractmethod
    def begin_episode(self, state: State, game: int, key: Key) -> None:
        """Write into a game's row of the state what the episode with this key draws at its start."""

    def for_run(self, seed: int) -> Self:
        """Return the same learner with other draws in every run of the bench."""
        draws = int(np.random.SeedSequence([self.seed, seed]).generate_state(1)[0])
        parameters: dict[str, Any] = self.parameters | {"seed": draws}
        return type(self)(**parameters)

    def _continued(self, state: State | None, episode_start: ArrayLike | None, games: int, dim: int) -> State:
        """Let every new episode of a game draw anew."""
        episodes = None if state is None else self._episodes(state).copy()
        current = super()._continued(state, episode_start, games, dim)
        if episodes is not None and episode_start is not None:
            starts = np.broadcast_to(np.asarray(episode_start, dtype=bool), (games,))
            numbers = self._episodes(current)
            numbers[:] = episodes + starts
            for game in np.flatnonzero(starts).tolist():
                self.begin_episode(current, game, game_key(self.seed, game, int(numbers[game])))
        return current

    def _episodes(self, state: State) -> Any:
        return getattr(state, "episode")  # noqa: B009  (a State is any named tuple)


class DrawingLearner(DrawingPolicy[State], Learner[State]):
    """A learner of the strategic game that draws."""
