"""What vector environments share: resets, autoreset in every mode, seeds and infos, around N games that play."""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeGuard, TypeVar

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from agents.foundation.checks import LARGEST_SIZE, count, one_of, shown, size_of
from agents.foundation.streams import LARGEST_SEED
from agents.foundation.typing import Bool, Float, Int, Key
from strategic_env.games.shared.episodes import Episodes, seed_of
from strategic_env.games.shared.threads import busy

Infos = dict[str, Any]
Observed = TypeVar("Observed")
Act = TypeVar("Act")
MODES = {mode.value: mode for mode in AutoresetMode}
_DISABLED = AutoresetMode.DISABLED  # looking a member up takes longer than asking whether it is the mode


class Played(Protocol):
    """What happened in one round of each of N games."""

    @property
    def observation(self) -> Float:
        """What the learner sees, one row a game; zeros for games that did not play."""

    @property
    def reward(self) -> Float:
        """Of each game (N,)."""


class ManyGames(Protocol):
    """N games, each at a round of its own."""

    @property
    def rounds(self) -> Int:
        """Rounds played (N,)."""

    @property
    def mistakes(self) -> Int:
        """Mistakes made (N,)."""


class GamesEnv(VectorEnv[Observed, Act, NDArray[Any]]):
    """N games, stepped together; a subclass says what is played.

    Parameters
    ----------
    num_envs : int
        N, at least 1.
    observation_space, action_space : Space
        Of one game.
    autoreset_mode : AutoresetMode or str
    size : int
        How many numbers a game shows.
    show : callable
        What makes observations, of one game or of rows of them, of their numbers.
    """

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012
    horizon: int
    _stepping = False

    def __init__(
        self,
        num_envs: int,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        autoreset_mode: AutoresetMode | str,
        size: int,
        show: Callable[[Float], Observed],
    ) -> None:
        self.num_envs = count("num_envs", num_envs, minimum=1, maximum=LARGEST_SIZE // size)
        self.single_observation_space, self.single_action_space = observation_space, action_space
        self.observation_space = batch_space(observation_space, self.num_envs)
        self.action_space = batch_space(action_space, self.num_envs)
        self.autoreset_mode = autoreset_mode_of(autoreset_mode)
        self.metadata = type(self).metadata | {"autoreset_mode": self.autoreset_mode}
        self._show = show
        self._games: Any = None
        self._last: Any = None
        self._shown = np.zeros((self.num_envs, size))
        self._all, self._none = np.ones(self.num_envs, dtype=np.bool_), np.zeros(self.num_envs, dtype=np.bool_)
        # Games whose episode is over.
        self._over, self._anything_over, self._rounds_to_go = self._none, False, 0

    @abstractmethod
    def _make_games(self) -> ManyGames:
        """Return N games whose episodes are yet to begin."""

    @abstractmethod
    def _begin_games(self, rows: Int, keys: Key) -> Float | float:
        """Let an episode begin in ``rows`` (n,), with ``keys`` (n, 2); return what these games show."""

    @abstractmethod
    def _play(self, actions: Act, active: Bool) -> Played:
        """Check the actions and play a round of each ``active`` (N,) game."""

    @abstractmethod
    def _truth(self, played: Any, mistakes: Int) -> dict[str, NDArray[Any]]:
        """Return the hidden truth of a round, as much as infos are to tell: arrays (N, ...)."""

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observed, Infos]:
        """Begin an episode in every game, or in some.

        Parameters
        ----------
        seed : int or sequence of int, optional
            An int gives every game an episode of its own: game i plays game i of the seed. A sequence holds a seed for
            each game (None: go on with its own). Without a seed, the next episode of the same seeds follows.
        options : dict, optional
            ``{"reset_mask": mask}``: only the games of this boolean array (N,) begin anew.

        Returns
        -------
        observations, infos
            What is seen before the first round where an episode begins, the latest observation elsewhere; no infos.
        """
        rows = np.flatnonzero(self._asked(options))
        single = _is_one(seed)
        seeds = self._asked_seeds(seed)
        super().reset(seed=seeds[0] if single else None)
        if self._games is None:
            if len(rows) < self.num_envs:
                raise ResetNeeded("call reset() without a mask first: no episode has begun")
            self._games = self._make_games()
            self._episodes = Episodes(self.num_envs, seed_of(self))
        numbers = [row if single and seed is not None else None for row in rows.tolist()]
        keys = self._episodes.begin(rows, [seeds[row] for row in rows.tolist()], numbers)
        shown = self._shown.copy()
        shown[rows] = self._begin(rows, keys)
        self._shown = shown
        if len(rows) == self.num_envs:
            self._last = None
        return self._show(shown.copy()), {}

    def step(self, actions: Act) -> tuple[Observed, Float, Bool, Bool, Infos]:
        """Play one round of each game.

        Raises
        ------
        TypeError, ValueError
            If the actions are none; then no game is played.
        gymnasium.error.ResetNeeded
            Before the first reset, and where autoreset is disabled and the episode of a game is over.
        RuntimeError
            While another thread takes a step.
        """
        if self._stepping:
            raise busy()
        self._stepping = True
        try:
            # The usual call: everybody plays, and no episode ends.
            if self._rounds_to_go > 1 and not self._anything_over:
                played = self._play(actions, self._all)
                self._rounds_to_go -= 1
                self._last, self._shown = played, played.observation
                nobody = self._none
                return self._handed_out(), played.reward, nobody.copy(), nobody.copy(), self._told(played)
            return self._step(actions)
        finally:
            self._stepping = False

    def _step(self, actions: Act) -> tuple[Observed, Float, Bool, Bool, Infos]:
        """Play one round of each game, where episodes begin or end."""
        games = self._games
        if games is None:
            raise ResetNeeded("call reset() before step(): no episode")
        active, idle = self._active(), self._anything_over
        played = self._play(actions, active)
        self._last, self._shown = played, played.observation
        if idle:
            self._next_episodes(np.flatnonzero(~active))
        self._rounds_to_go -= 1
        if self._rounds_to_go <= 0:
            self._over = games.rounds >= self.horizon
            self._anything_over = bool(self._over.any())
            self._count_rounds_to_go()
        truncated = self._over.copy()
        if self._anything_over and self.autoreset_mode == AutoresetMode.SAME_STEP:
            infos = self._reset_in_the_same_step(played, active, truncated)
        else:
            infos = self._infos(played, active)
        return self._handed_out(), played.reward, self._none.copy(), truncated, infos

    def _handed_out(self) -> Observed:
        # A partial reset shows it again, whatever users write into what they get.
        return self._show(self._shown.copy() if self.autoreset_mode is _DISABLED else self._shown)

    def _active(self) -> Bool:
        """Return which games play in this step; the others, whose episode is over, are reset by it."""
        if not self._anything_over:
            return self._all
        if self.autoreset_mode == AutoresetMode.DISABLED:
            raise ResetNeeded(
                f"the episode of game {int(self._over.argmax())} is over: "
                'call reset(options={"reset_mask": mask}) before step()'
            )
        return ~self._over

    def _reset_in_the_same_step(self, played: Played, active: Bool, over: Bool) -> Infos:
        """Begin the next episode of the games that are over; return infos with their last round apart."""
        rows = np.flatnonzero(over)
        final = np.full(self.num_envs, None, dtype=object)
        for row in rows:
            final[row] = self._show(played.observation[row].copy())
        infos = self._infos(played, active & ~over)
        infos |= {"final_obs": final, "_final_obs": over.copy()}
        infos |= {"final_info": self._infos(played, over), "_final_info": over.copy()}
        self._next_episodes(rows)
        return infos

    def _infos(self, played: Played, known: Bool) -> Infos:
        """Return the hidden truth of the ``known`` games (N,), with one mask for all keys.

        Where nothing is known there are no keys, as in Gymnasium's vector environments.
        """
        if known is self._all:  # asking the array takes longer than everything else here
            return self._told(played)
        infos: Infos = self._truth(played, self._games.mistakes)
        if not infos or not known.any():
            return {}
        if not known.all():
            infos = {key: one.copy() for key, one in infos.items()}
            for one in infos.values():
                one[~known] = 0
        return infos | _masks(infos, known)

    def _told(self, played: Played) -> Infos:
        """Return the hidden truth of all games."""
        infos: Infos = self._truth(played, self._games.mistakes)
        return infos | _masks(infos, self._all) if infos else infos

    def _next_episodes(self, rows: Int) -> None:
        """Let the next episode begin in ``rows``, and show it."""
        self._shown[rows] = self._begin(rows, self._episodes.follow(rows))

    def _begin(self, rows: Int, keys: Key) -> Float | float:
        shown = self._begin_games(rows, keys)
        self._over = self._over.copy()
        self._over[rows] = False
        self._anything_over = bool(self._over.any())
        self._count_rounds_to_go()
        return shown

    def _count_rounds_to_go(self) -> None:
        """Find the step after which to look next whether an episode is over."""
        going = self._games.rounds[~self._over]
        self._rounds_to_go = self.horizon - int(going.max()) if len(going) else 0

    def _asked(self, options: dict[str, Any] | None) -> Bool:
        """Return which games to reset (N,)."""
        if options is not None and not isinstance(options, Mapping):
            raise TypeError(f"options must be a dict, got {shown(options)}")
        unknown = [key for key in options or () if key != "reset_mask"]
        if unknown:
            raise ValueError(f"options must be among 'reset_mask', got {unknown}")
        if not options:
            return self._all
        mask = options["reset_mask"]
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (self.num_envs,):
            raise ValueError(
                f"options['reset_mask'] must be a boolean array of shape ({self.num_envs},), got {shown(mask)}"
            )
        if not mask.any():
            raise ValueError("options['reset_mask'] must name at least one game, got none")
        return mask

    def _asked_seeds(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        """Return a seed for each game; None: go on."""
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, int) or isinstance(seed, str) or _is_one(seed):
            return [count("seed", seed, maximum=LARGEST_SEED)] * self.num_envs
        if size_of(seed) != self.num_envs:
            raise ValueError(f"seed must hold one seed for each of {self.num_envs} games, got {size_of(seed)}")
        return [None if one is None else count("seed", one, maximum=LARGEST_SEED) for one in seed]


def _masks(infos: Infos, known: Bool) -> Infos:
    """Return the masks that say of which games infos tell."""
    mask = known.copy()
    return {f"_{key}": mask for key in infos}


def _is_one(seed: object) -> TypeGuard[int | None]:
    """Whether a seed is for all games, not a list of one for each."""
    return not isinstance(seed, Sequence) and getattr(seed, "ndim", 0) == 0


def autoreset_mode_of(autoreset_mode: AutoresetMode | str) -> AutoresetMode:
    """Return a mode by its name or itself.

    Raises
    ------
    ValueError
        If there is none of this name.
    """
    if isinstance(autoreset_mode, AutoresetMode):
        return autoreset_mode
    return MODES[one_of("autoreset_mode", autoreset_mode, tuple(MODES))]
