"""What single environments share: which episode of which game of which seed a reset begins."""

from typing import Any, TypeVar

import gymnasium as gym
from gymnasium.error import ResetNeeded

from agents.foundation.typing import Key
from strategic_env.games.shared.episodes import Episodes, asked_game, checked_seed, seed_of

Observed = TypeVar("Observed")
Act = TypeVar("Act")


class SeededEnv(gym.Env[Observed, Act]):
    """An environment whose episodes are those of one game of a seed, one after another."""

    _stepping = False
    _episodes: Episodes | None = None

    def _next_key(self, seed: int | None, options: dict[str, Any] | None) -> Key:
        """Return the key of the episode that ``reset(seed=seed, options=options)`` begins.

        A seed starts over, with game 0 or ``options["game"]``; without one the next episode of the game follows.
        """
        number = asked_game(options)
        unknown = [key for key in options or () if key != "game"]
        if unknown:
            raise ValueError(f"options must be among 'game', got {unknown}")
        seed = checked_seed(seed)
        super().reset(seed=seed)
        if self._episodes is None:
            self._episodes = Episodes(1, seed_of(self))
        return self._episodes.begin_alone(None if seed is None else seed_of(self), number)

    def _no_round(self, begun: bool) -> ResetNeeded:
        """Return the error for a step without an episode that goes on."""
        return ResetNeeded("call reset() before step(): " + ("the episode is over" if begun else "no episode"))
