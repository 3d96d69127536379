"""N games of the same kind as one Gymnasium vector environment, in compiled code."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeGuard

import gymnasium as gym
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from agents.checks import count, one_of
from agents.costs import Cost
from agents.individuals import Individual
from agents.populations import Population
from agents.streams import LARGEST_SEED, game_keys, seed_words
from agents.typing import Bool, Float, Int, Key
from strategic_env.game import Round
from strategic_env.games import Games, Outcomes, games_of
from strategic_env.interface import RENDER_MODES, Action, Interface, Knowledge, Observation

Infos = dict[str, Any]
MODES = {mode.value: mode for mode in AutoresetMode}


class StrategicClassificationVectorEnv(VectorEnv[Observation, Action, NDArray[Any]]):
    """N independent games of strategic classification, stepped together.

    Game i plays what `strategic_env.single.StrategicClassificationEnv` plays with the same options, number for number:
    after ``reset(seed=s)`` with ``reset(seed=s, options={"game": i})``, after a list of seeds with game 0 of its own.
    Spaces, rewards and options are those of the single environment; observations, rewards and flags have a leading
    axis of games. Individuals who best-respond, from the populations of this package, are played in compiled code;
    other ones take a loop in Python over N games.

    Parameters
    ----------
    population, cost, individual, feedback, reward, horizon, population_seed, observation, knowledge, render_mode
        See `strategic_env.single.StrategicClassificationEnv`.
    num_envs : int
        N, at least 1.
    info_level : str
        ``"none"``, ``"outcome"`` (default) or ``"full"``; every key of the infos comes with a mask ``_key``.
    autoreset_mode : AutoresetMode or str
        What follows the last round of an episode. ``"NextStep"`` (default): the next step ignores the action and shows
        the reset. ``"SameStep"``: the step itself shows the reset; ``infos["final_obs"]`` and ``infos["final_info"]``
        hold the last round. ``"Disabled"``: the game waits for ``reset(options={"reset_mask": mask})``.

    Notes
    -----
    In ``"SameStep"`` mode, whoever learns from observations alone never learns from the last round of an episode.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012
        "render_modes": [*RENDER_MODES],
        "render_fps": 4,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        population: Population,
        cost: Cost,
        *,
        num_envs: int = 1,
        individual: Individual | None = None,
        feedback: str = "full",
        reward: str = "mistake",
        horizon: int = 1000,
        population_seed: int | None = None,
        observation: str = "dict",
        info_level: str = "outcome",
        knowledge: Knowledge | None = None,
        render_mode: str | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
    ) -> None:
        self.num_envs = count("num_envs", num_envs, minimum=1)
        self.interface = face = Interface(
            population,
            cost,
            individual=individual,
            feedback=feedback,
            reward=reward,
            horizon=horizon,
            population_seed=population_seed,
            observation=observation,
            info_level=info_level,
            knowledge=knowledge,
            render_mode=render_mode,
        )
        self.setting, self.knowledge, self.horizon = face.setting, face.knowledge, face.horizon
        self.render_mode = face.render_mode
        self.single_observation_space, self.single_action_space = face.observation_space, face.action_space
        self.observation_space = batch_space(face.observation_space, self.num_envs)
        self.action_space = batch_space(face.action_space, self.num_envs)
        self.autoreset_mode = _mode(autoreset_mode)
        self.metadata = type(self).metadata | {"autoreset_mode": self.autoreset_mode}
        self._action_shape = (self.num_envs, population.dim + 1)
        # Pictures show the whole truth.
        self._truth_level = face.info_level if face.render_mode is None else "full"
        self._games: Games | None = None
        self._last: Outcomes | None = None
        self._shown = np.zeros((self.num_envs, face.layout.size))
        self._all, self._none = np.ones(self.num_envs, dtype=np.bool_), np.zeros(self.num_envs, dtype=np.bool_)
        # Games whose episode is over.
        self._over, self._anything_over, self._rounds_to_go = self._none, False, 0

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, Infos]:
        """Begin an episode in every game, or in some.

        Parameters
        ----------
        seed : int or sequence of int, optional
            An int gives every game its own individuals: game i plays game i of the seed. A sequence holds a seed for
            each game (None: go on with its own). Without a seed, the next episode of the same seeds follows.
        options : dict, optional
            ``{"reset_mask": mask}``: only the games of this boolean array (N,) begin anew.

        Returns
        -------
        observations, infos
            Zeros where an episode begins, the latest observation elsewhere; no infos.
        """
        rows = np.flatnonzero(self._asked(options))
        single = _is_one(seed)
        seeds = self._asked_seeds(seed)
        super().reset(seed=seeds[0] if single else None)
        if self._games is None:
            if len(rows) < self.num_envs:
                raise ResetNeeded("call reset() without a mask first: no episode has begun")
            self._games = games_of(self.setting, self.interface.reward, self.num_envs, self._truth_level)
            self._episodes = Episodes(self.num_envs, self._base_seed())
        self._episodes.begin(rows, seeds, shared=single)
        self._begin(rows)
        shown = self._shown.copy()
        shown[rows] = 0.0
        self._shown = shown
        if len(rows) == self.num_envs:
            self._last = None
        return self.interface.observe(shown), {}

    def step(self, actions: Action) -> tuple[Observation, Float, Bool, Bool, Infos]:
        """Publish one classifier in each game (N, d + 1) and play one round.

        Raises
        ------
        ValueError
            If actions have another shape, are not finite or lie outside the box; then no game is played.
        gymnasium.error.ResetNeeded
            Before the first reset, and where autoreset is disabled and the episode of a game is over.
        """
        games, face = self._games, self.interface
        if games is None:
            raise ResetNeeded("call reset() before step(): no episode")
        active, idle = self._active(), self._anything_over
        published: Any = face.published(actions, self._action_shape)
        outcomes = games.play(published.astype(np.float64) if face.flat else published, active)
        self._last, self._shown = outcomes, outcomes.observation
        if idle:
            self._next_episodes(np.flatnonzero(~active))
        self._rounds_to_go -= 1
        if self._rounds_to_go <= 0:
            self._over = games.rounds >= self.horizon
            self._anything_over = bool(self._over.any())
            self._count_rounds_to_go()
        truncated = self._over.copy()
        infos = make_infos(face.info_level, outcomes, games.mistakes, active)
        if self._anything_over and self.autoreset_mode == AutoresetMode.SAME_STEP:
            infos = self._reset_in_the_same_step(outcomes, active, truncated)
        terminated = np.zeros(self.num_envs, dtype=np.bool_)
        return face.observe(self._shown), outcomes.reward, terminated, truncated, infos

    def render(self) -> tuple[Any, ...] | None:
        """Draw the last round of every game: images (H, W, 3), texts, or (human) the first game on the screen."""
        if self.render_mode is None:
            gym.logger.warn("render() was called without a render_mode; pass one when making the environment")
            return None
        from strategic_env import rendering

        drawn = range(1 if self.render_mode == "human" else self.num_envs)
        return tuple(rendering.render(self.render_mode, self.setting, *self._standing(game)) for game in drawn)

    def close_extras(self, **kwargs: Any) -> None:
        """Close the window, if there is one."""
        if self.render_mode == "human":
            from strategic_env import rendering

            rendering.close()

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

    def _reset_in_the_same_step(self, outcomes: Outcomes, active: Bool, over: Bool) -> Infos:
        """Begin the next episode of the games that are over; return infos with their last round apart."""
        assert self._games is not None
        face, mistakes = self.interface, self._games.mistakes.copy()
        rows = np.flatnonzero(over)
        final = np.full(self.num_envs, None, dtype=object)
        for row in rows:
            final[row] = face.observe(outcomes.observation[row].copy())
        infos = make_infos(face.info_level, outcomes, mistakes, active & ~over)
        infos |= {"final_obs": final, "_final_obs": over.copy()}
        infos |= {"final_info": make_infos(face.info_level, outcomes, mistakes, over), "_final_info": over.copy()}
        self._shown = outcomes.observation
        self._shown[rows] = 0.0
        self._next_episodes(rows)
        return infos

    def _next_episodes(self, rows: Int) -> None:
        self._episodes.begin(rows, [None] * self.num_envs)
        self._begin(rows)

    def _begin(self, rows: Int) -> None:
        assert self._games is not None
        self._games.begin(rows, self._episodes.keys(rows))
        self._over = self._over.copy()
        self._over[rows] = False
        self._anything_over = bool(self._over.any())
        self._count_rounds_to_go()

    def _count_rounds_to_go(self) -> None:
        """Find the step after which to look next whether an episode is over."""
        assert self._games is not None
        going = self._games.rounds[~self._over]
        self._rounds_to_go = self.horizon - int(going.max()) if len(going) else 0

    def _asked(self, options: dict[str, Any] | None) -> Bool:
        """Return which games to reset (N,)."""
        if options is not None and not isinstance(options, Mapping):
            raise TypeError(f"options must be a dict, got {options!r}")
        unknown = [key for key in options or () if key != "reset_mask"]
        if unknown:
            raise ValueError(f"options must be among 'reset_mask', got {unknown}")
        if not options:
            return self._all
        mask = options["reset_mask"]
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (self.num_envs,):
            raise ValueError(f"options['reset_mask'] must be a boolean array of shape ({self.num_envs},), got {mask!r}")
        if not mask.any():
            raise ValueError("options['reset_mask'] must name at least one game, got none")
        return mask

    def _asked_seeds(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        """Return a seed for each game; None: go on."""
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, int) or isinstance(seed, str) or _is_one(seed):
            return [count("seed", seed, maximum=LARGEST_SEED)] * self.num_envs
        if len(seed) != self.num_envs:
            raise ValueError(f"seed must hold one seed for each of {self.num_envs} games, got {len(seed)}")
        return [None if one is None else count("seed", one, maximum=LARGEST_SEED) for one in seed]

    def _base_seed(self) -> int:
        """Return the seed of Gymnasium's generator; draw one from it where a user brought a generator of their own."""
        seed = self.np_random_seed
        return seed if isinstance(seed, int) and seed >= 0 else int(self.np_random.integers(2**63))

    def _standing(self, game: int) -> tuple[Round | None, "Standing | None"]:
        """Return the last round of a game, and what a picture says besides."""
        if self._games is None or self._last is None or not self._games.rounds[game]:
            return None, None
        one = self._last
        played = Round(
            one.observation[game],
            one.true_features[game],
            float(one.true_label[game]),
            bool(one.moved[game]),
            float(one.cost[game]),
            bool(one.mistake[game]),
        )
        games = self._games
        return played, Standing(int(games.rounds[game]), int(games.mistakes[game]), games.cost_of(game))


def _is_one(seed: object) -> TypeGuard[int | None]:
    """Whether a seed is for all games, not a list of one for each."""
    return not isinstance(seed, Sequence) and getattr(seed, "ndim", 0) == 0


class Standing(NamedTuple):
    """What a picture says of a game besides its last round (`strategic_env.scene.Standing`)."""

    round: int
    mistakes: int
    cost: Cost

    def cost_of(self, moment: int) -> Cost:
        """Return the manipulation cost of whoever came last."""
        return self.cost


class Episodes:
    """Which episode, of which game of which seed, each of N games plays.

    Parameters
    ----------
    games : int
        N.
    seed : int
        Of the games that are never given another.
    """

    def __init__(self, games: int, seed: int) -> None:
        self._seeds = np.tile(seed_words(seed), (games, 1))
        self._numbers = np.arange(games)
        # The first episode is yet to begin.
        self._episodes = np.full(games, -1)

    def begin(self, rows: Int, seeds: Sequence[int | None], shared: bool = False) -> None:
        """Let the next episode begin in ``rows``; the first one of a new seed where ``seeds`` (N,) hold one.

        Of a ``shared`` seed, game i plays game i; of its own one, game 0.
        """
        self._episodes[rows] += 1
        for row in rows.tolist():
            if (seed := seeds[row]) is not None:
                self._seeds[row] = seed_words(seed)
                self._numbers[row] = row if shared else 0
                self._episodes[row] = 0

    def keys(self, rows: Int) -> Key:
        """Return the keys (n, 2) of the episodes that ``rows`` (n,) play."""
        keys = np.empty((len(rows), 2), dtype=np.uint64)
        game_keys(self._seeds[rows], self._numbers[rows], self._episodes[rows], keys)
        return keys


def make_infos(level: str, outcomes: Outcomes, mistakes: Int, known: Bool) -> Infos:
    """Return the hidden truth of the ``known`` games (N,), as much of it as ``level`` says, with one mask for all keys.

    Where nothing is known there are no keys, as in Gymnasium's vector environments.
    """
    if level == "none" or not known.any():
        return {}
    infos: Infos = {"moved": outcomes.moved, "mistake": outcomes.mistake}
    if level == "full":
        infos |= {
            "true_features": outcomes.true_features,
            "true_label": outcomes.true_label,
            "cost": outcomes.cost,
            "mistakes": mistakes.copy(),
        }
    if not known.all():
        infos = {key: one.copy() for key, one in infos.items()}
        for one in infos.values():
            one[~known] = 0
    mask = known.copy()
    return infos | {f"_{key}": mask for key in infos}


def _mode(autoreset_mode: AutoresetMode | str) -> AutoresetMode:
    if isinstance(autoreset_mode, AutoresetMode):
        return autoreset_mode
    return MODES[one_of("autoreset_mode", autoreset_mode, tuple(MODES))]
