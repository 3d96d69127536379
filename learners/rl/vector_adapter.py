"""Any native Gymnasium vector environment as the ``VecEnv`` that Stable-Baselines3 trains on."""

import warnings
from collections.abc import Sequence
from typing import Any, TypeAlias

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv, VectorWrapper
from numpy.typing import NDArray

from agents.foundation.checks import LARGEST_SEED, count, shown
from agents.foundation.extras import missing_extra

try:
    from stable_baselines3.common.vec_env.base_vec_env import VecEnv, VecEnvIndices, VecEnvStepReturn
except ModuleNotFoundError as error:
    raise missing_extra("learners.rl", "stable-baselines3", "rl") from error

Array: TypeAlias = NDArray[Any]
Observation: TypeAlias = Array | dict[str, Array]
Info: TypeAlias = dict[str, Any]

PLAIN = (spaces.Box, spaces.Discrete, spaces.MultiDiscrete, spaces.MultiBinary)


class GymnasiumVecEnv(VecEnv):
    """Let Stable-Baselines3 step the n games of a Gymnasium vector environment at once.

    It promises what ``DummyVecEnv`` does: float32 rewards (n,); in the infos of a finished game
    ``terminal_observation`` and ``TimeLimit.truncated``, from which policies bootstrap; in ``reset_infos`` what the
    last reset said. ``VecMonitor`` on top counts returns and lengths; the ``episode`` entries of Gymnasium's
    ``RecordEpisodeStatistics`` are passed on too (it miscounts a `SyncVectorEnv` in mode ``DISABLED``).

    The games share one object. ``get_attr`` and ``env_method`` ask it (its wrappers from the outside in) and answer
    every index alike, ``set_attr`` and ``env_method`` refuse a part of the games, ``env_is_wrapped`` is False.

    Parameters
    ----------
    vector_env : gymnasium.vector.VectorEnv
        Its ``metadata["autoreset_mode"]`` must be ``SAME_STEP`` or ``DISABLED``; then finished games are reset here,
        by ``reset(options={"reset_mask": mask})``. Observations are arrays, or dictionaries of arrays.

    Raises
    ------
    TypeError
        If it is no vector environment, or its observations are of another kind.
    ValueError
        If it resets finished games in the next step, or does not say when.

    Examples
    --------
    >>> import gymnasium
    >>> from learners.rl import GymnasiumVecEnv
    >>> options = {"autoreset_mode": "SameStep"}
    >>> games = gymnasium.make_vec("CartPole-v1", num_envs=4, vectorization_mode="sync", vector_kwargs=options)
    >>> env = GymnasiumVecEnv(games)  # then PPO("MlpPolicy", env).learn(100_000)
    >>> env.reset().shape
    (4, 4)
    """

    def __init__(self, vector_env: VectorEnv[Any, Any, Any]) -> None:
        if not isinstance(vector_env, VectorEnv):
            raise TypeError(f"vector_env must be a gymnasium.vector.VectorEnv, got {shown(vector_env)}")
        self.vector_env = vector_env
        self._same_step = resets_in_the_same_step(vector_env)
        check_observations(vector_env.single_observation_space)
        super().__init__(vector_env.num_envs, vector_env.single_observation_space, vector_env.single_action_space)
        self.metadata = dict(vector_env.metadata)

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Set the seed of the next reset.

        The vector environment gets this one number and derives the games' streams from it by its own rule, whatever
        the list says that is returned (``seed + i``, Stable-Baselines3's rule).

        Raises
        ------
        TypeError, ValueError
            If it is neither None nor an integer of at least 0.
        """
        return super().seed(None if seed is None else count("seed", seed, maximum=LARGEST_SEED))

    def set_options(self, options: list[dict[str, Any]] | dict[str, Any] | None = None) -> None:
        """Set the options of the next reset, one dictionary for all games.

        Raises
        ------
        TypeError
            If it is neither None nor a dictionary.
        """
        if options is not None and not isinstance(options, dict):
            raise TypeError(f"options must be one dict, for all games of a vector environment, got {shown(options)}")
        super().set_options(options)

    def reset(self) -> Observation:
        """Begin all games; return the observation (n, ...), of arrays that nothing overwrites."""
        observation, infos = self.vector_env.reset(seed=self._seeds[0], options=self._options[0] or None)
        self._reset_seeds()
        self._reset_options()
        self.reset_infos = infos_by_game(infos, self.num_envs)
        return copied(observation)

    def step_async(self, actions: Array) -> None:
        """Remember the actions (n, ...) for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> VecEnvStepReturn:
        """Step all games; return observation (n, ...), rewards and dones (n,), and one info per game.

        Raises
        ------
        ValueError
            If the vector environment reports no last observation of a finished game, or infos that are not by game.
        """
        stepped, rewards, terminated, truncated, infos = self.vector_env.step(self._actions)
        observation, by_game = copied(stepped), infos_by_game(infos, self.num_envs)
        finished = np.logical_or(terminated, truncated)
        if finished.any() and self._same_step:
            self._part_from_reset(by_game, finished)
        elif finished.any():
            self._reset_finished(observation, by_game, finished)
        cut = np.logical_and(truncated, np.logical_not(terminated))
        for info, was_cut in zip(by_game, cut.tolist(), strict=True):
            info["TimeLimit.truncated"] = was_cut
        return observation, np.array(rewards, dtype=np.float32), finished, by_game

    def _part_from_reset(self, by_game: list[Info], finished: Array) -> None:
        """Replace the infos of finished games, which speak of the reset, by those of the last step."""
        for game in np.flatnonzero(finished).tolist():
            begun = by_game[game]
            last, info = begun.pop("final_obs", None), begun.pop("final_info", {})
            if last is None:
                raise ValueError(
                    f"{self.vector_env} must report the last observation of finished games in infos['final_obs'], "
                    f"got nothing for game {game}"
                )
            if "episode" in begun:  # a wrapper's, about the game that is over
                info["episode"] = begun.pop("episode")
            by_game[game] = info | {"terminal_observation": copied(last)}
            self.reset_infos[game] = begun

    def _reset_finished(self, observation: Observation, by_game: list[Info], finished: Array) -> None:
        """Keep the last observations of finished games, and put the first ones of the next games in their place."""
        begun, infos = self.vector_env.reset(options={"reset_mask": finished})
        begun_by_game = infos_by_game(infos, self.num_envs)
        for game in np.flatnonzero(finished).tolist():
            by_game[game]["terminal_observation"] = row(observation, game)
            self.reset_infos[game] = begun_by_game[game]
        overwrite(observation, finished, begun)

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Return the vector environment's attribute, once for each index."""
        value = getattr(self._holder(attr_name), attr_name)
        return [value for _ in self._games(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Set an attribute of the vector environment; indices can only name all games."""
        self._all_games(indices)
        setattr(self._holder(attr_name), attr_name, value)

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call a method of the vector environment once; return its answer for each index, which can only name all."""
        games = self._all_games(indices)
        answer = getattr(self._holder(method_name), method_name)(*method_args, **method_kwargs)
        return [answer for _ in games]

    def env_is_wrapped(
        self, wrapper_class: type[gym.Wrapper[Any, Any, Any, Any]], indices: VecEnvIndices = None
    ) -> list[bool]:
        """Return False for each index: no game of a vector environment has a wrapper of its own."""
        return [False for _ in self._games(indices)]

    def get_images(self) -> Sequence[Array | None]:
        """Return the picture of each game, where ``render_mode`` is ``"rgb_array"``."""
        if self.render_mode != "rgb_array":
            warnings.warn(f"get_images needs render_mode='rgb_array', got {self.render_mode!r}", stacklevel=2)
            return [None for _ in range(self.num_envs)]
        images: Any = self.vector_env.render()
        return list(images)

    def close(self) -> None:
        """Close the vector environment."""
        self.vector_env.close()

    def _holder(self, name: str) -> VectorEnv[Any, Any, Any]:
        """Return the outermost wrapper that has the attribute, else the vector environment inside."""
        holder = self.vector_env
        while isinstance(holder, VectorWrapper) and not hasattr(holder, name):
            holder = holder.env
        return holder

    def _games(self, indices: VecEnvIndices) -> list[int]:
        return [count("indices", game, maximum=self.num_envs - 1) for game in self._get_indices(indices)]

    def _all_games(self, indices: VecEnvIndices) -> list[int]:
        games = self._games(indices)
        if set(games) != set(range(self.num_envs)):
            raise ValueError(f"indices must name all {self.num_envs} games, which share one environment, got {games}")
        return games


def resets_in_the_same_step(vector_env: VectorEnv[Any, Any, Any]) -> bool:
    """Return whether finished games are reset in the same step; else they never are.

    Raises
    ------
    ValueError
        If they are reset in the next step, which Stable-Baselines3 would train on, or nobody says when.
    """
    mode = vector_env.metadata.get("autoreset_mode")
    if mode not in (AutoresetMode.SAME_STEP, AutoresetMode.DISABLED):
        raise ValueError(
            f"vector_env must have autoreset mode SAME_STEP or DISABLED, got {mode}: pass autoreset_mode='SameStep' "
            "to gymnasium.make_vec, or, where there is no native vector environment that takes it, "
            "vectorization_mode='sync', vector_kwargs={'autoreset_mode': 'SameStep'}"
        )
    return bool(mode == AutoresetMode.SAME_STEP)


def check_observations(space: spaces.Space[Any]) -> None:
    """Raise a TypeError unless observations are arrays or dictionaries of arrays, as Stable-Baselines3 needs."""
    parts = space.spaces.values() if isinstance(space, spaces.Dict) else [space]
    for part in parts:
        if not isinstance(part, PLAIN):
            raise TypeError(
                "vector_env must have observations in a Box, Discrete, MultiDiscrete or MultiBinary, or in a Dict of "
                f"these, got {shown(part)}"
            )


def infos_by_game(infos: Info, games: int) -> list[Info]:
    """Return the info of each game, with the entries that the masks ``_key`` of a vector environment's infos grant it.

    Parameters
    ----------
    infos : dict
        Arrays (n, ...), or dictionaries of such; without a mask (n,), an entry is everybody's.
    games : int
        The number of games n.

    Returns
    -------
    list of dict
        Numbers as Python's, rows of arrays as NumPy's, all of them new.

    Raises
    ------
    ValueError
        If an entry does not have one row per game.
    """
    by_game: list[Info] = [{} for _ in range(games)]
    for key, values in infos.items():
        if key.startswith("_") and key[1:] in infos:
            continue
        if isinstance(values, dict):
            entries: list[Any] = infos_by_game(values, games)
        elif np.shape(values)[:1] == (games,):
            rows = np.array(values)
            entries = rows.tolist() if rows.ndim == 1 else list(rows)
        else:
            raise ValueError(f"infos[{key!r}] must have shape ({games}, ...), got {np.shape(values)}")
        for game in np.flatnonzero(infos.get(f"_{key}", np.ones(games))).tolist():
            by_game[game][key] = entries[game]
    return by_game


def copied(observation: Any) -> Observation:
    """Return an observation in arrays of its own."""
    if isinstance(observation, dict):
        return {key: np.array(values) for key, values in observation.items()}
    return np.array(observation)


def row(observation: Observation, game: int) -> Observation:
    """Return one game's part of an observation, in arrays of its own."""
    if isinstance(observation, dict):
        return {key: np.array(values[game]) for key, values in observation.items()}
    return np.array(observation[game])


def overwrite(observation: Observation, finished: Array, begun: Any) -> None:
    """Put the rows of finished games into an observation in place; what a reset says of other games does not count."""
    if isinstance(observation, dict):
        for key, values in observation.items():
            values[finished] = begun[key][finished]
    else:
        observation[finished] = begun[finished]
