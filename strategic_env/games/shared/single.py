"""What single environments share: which episode of which game of which seed a reset begins."""

from collections.abc import Mapping
from typing import Any, TypeVar

import gymnasium as gym
from gymnasium.error import ResetNeeded

from agents.foundation.checks import count, shown
from agents.foundation.streams import game_key
from agents.foundation.typing import Key

Observed = TypeVar("Observed")
Act = TypeVar("Act")


class SeededEnv(gym.Env[Observed, Act]):
    """An environment whose episodes are those of one game of a seed, one after another."""

    _seed, _number, _episode = -1, 0, 0
    _stepping = False

    def _next_key(self, seed: int | None, options: dict[str, Any] | None) -> Key:
        """Return the key of the episode that ``reset(seed=seed, options=options)`` begins, and make it the current one.

        A seed starts over, with game 0 or ``options["game"]``; without one the next episode of the game follows.
        """
        number = self._asked_game(seed, options)
        super().reset(seed=seed)
        begins = seed is not None or self._seed < 0 or number != self._number
        if seed is not None or self._seed < 0:
            self._seed = self._base_seed()
        self._number = number
        self._episode = 0 if begins else self._episode + 1
        return game_key(self._seed, number, self._episode)

    def _no_round(self, begun: bool) -> ResetNeeded:
        """Return the error for a step without an episode that goes on."""
        return ResetNeeded("call reset() before step(): " + ("the episode is over" if begun else "no episode"))

    def _asked_game(self, seed: int | None, options: dict[str, Any] | None) -> int:
        """Return which game of the seed to play: 0 under a new seed, the current one without, unless options say."""
        if options is not None and not isinstance(options, Mapping):
            raise TypeError(f"options must be a dict, got {shown(options)}")
        unknown = [key for key in options or () if key != "game"]
        if unknown:
            raise ValueError(f"options must be among 'game', got {unknown}")
        return count("options['game']", (options or {}).get("game", self._number if seed is None else 0))

    def _base_seed(self) -> int:
        """Return the seed of Gymnasium's generator; draw one from it where a user brought a generator of their own."""
        seed = self.np_random_seed
        return seed if seed >= 0 else int(self.np_random.integers(2**63))
