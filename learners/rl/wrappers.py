"""The game as a policy in training meets it: through a view."""

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv, VectorWrapper
from gymnasium.vector.utils import batch_space

from agents.foundation.checks import shown
from agents.foundation.typing import Bool, Float, Numbers
from learners.rl.views import Shown, View, make_view
from learners.strategic.base import with_own_reach
from learners.strategic.observation import read

Info = dict[str, Any]


def view_of(env: gym.Env[Any, Any] | VectorEnv[Any, Any, Any], name: str) -> View:
    """Return the view of this name on an environment of this package, single or vector.

    Raises
    ------
    TypeError
        If it is no environment of strategic classification, with its ``knowledge`` and its ``horizon``.
    """
    game: Any = env.unwrapped
    actions = getattr(game, "single_action_space", game.action_space)
    if not (hasattr(game, "knowledge") and hasattr(game, "horizon") and isinstance(actions, spaces.Box)):
        raise TypeError(f"env must be an environment of strategic classification, got {shown(env)}")
    return make_view(name, actions.shape[0] - 1, game.horizon, with_own_reach(game.knowledge))


class ViewedEnv(gym.Wrapper[Shown, Numbers, Any, Any], gym.utils.RecordConstructorArgs):
    """One game through a view.

    Parameters
    ----------
    env : gymnasium.Env
        A game of strategic classification.
    view : str
        ``"flat"``, ``"dict"``, ``"statistics"`` or ``"coefficients"`` (`learners.rl.views`).

    Examples
    --------
    >>> import gymnasium
    >>> import numpy as np
    >>> from learners.rl import ViewedEnv
    >>> env = ViewedEnv(gymnasium.make("strategic_env:strategic_env/KnownL2-v0"), "statistics")
    >>> _ = env.reset(seed=0)
    >>> observation, reward, *_ = env.step(np.array([1.0, 0.0, -0.75]))
    >>> observation.shape, observation.dtype.name, reward
    ((14,), 'float32', -1.0)
    """

    def __init__(self, env: gym.Env[Any, Any], view: str = "coefficients") -> None:
        gym.utils.RecordConstructorArgs.__init__(self, view=view)
        super().__init__(env)
        self.view = view_of(env, view)
        self.observation_space, self.action_space = self.view.observation_space, self.view.action_space
        self._history = self.view.begin(1)

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[Shown, Info]:
        """Begin an episode with an empty history."""
        _, info = self.env.reset(seed=seed, options=options)
        self._history = self.view.begin(1)
        return self.view.shown(self.view.observe(self._history)[0]), info

    def step(self, action: Numbers) -> tuple[Shown, Any, bool, bool, Info]:
        """Play one round.

        Raises
        ------
        TypeError, ValueError
            If the action is none of the action space.
        """
        chosen = np.asarray(action)
        if chosen.shape != self.action_space.shape:
            raise ValueError(f"action must have shape {self.action_space.shape}, got {chosen.shape}")
        (published,) = self.view.publish(self._history, chosen[np.newaxis])
        observation, reward, terminated, truncated, info = self.env.step(published)
        self.view.record(self._history, read(observation))
        return self.view.shown(self.view.observe(self._history)[0]), reward, terminated, truncated, info


class ViewedVectorEnv(VectorWrapper):
    """N games through a view, for `learners.rl.GymnasiumVecEnv`.

    Parameters
    ----------
    env : gymnasium.vector.VectorEnv
        Games of strategic classification, with autoreset mode ``DISABLED``: the view must see the last round, too.
    view : str
        ``"flat"``, ``"dict"``, ``"statistics"`` or ``"coefficients"`` (`learners.rl.views`).

    Raises
    ------
    ValueError
        If the environment resets finished games itself.

    Examples
    --------
    >>> import gymnasium
    >>> from learners.rl import ViewedVectorEnv
    >>> games = gymnasium.make_vec("strategic_env:strategic_env/KnownL2-v0", num_envs=3, autoreset_mode="Disabled")
    >>> observations, _ = ViewedVectorEnv(games, "statistics").reset(seed=0)
    >>> observations.shape
    (3, 14)
    """

    def __init__(self, env: VectorEnv[Any, Any, Any], view: str = "coefficients") -> None:
        super().__init__(env)
        if env.metadata.get("autoreset_mode") != AutoresetMode.DISABLED:
            raise ValueError(
                f"env must have autoreset mode DISABLED, got {env.metadata.get('autoreset_mode')}: "
                "pass autoreset_mode='Disabled' to gymnasium.make_vec"
            )
        self.view = view_of(env, view)
        self.single_observation_space, self.single_action_space = self.view.observation_space, self.view.action_space
        self.observation_space = batch_space(self.view.observation_space, self.num_envs)
        self.action_space = batch_space(self.view.action_space, self.num_envs)
        self._history = self.view.begin(self.num_envs)

    def reset(self, *, seed: int | list[int | None] | None = None, options: Info | None = None) -> tuple[Shown, Info]:
        """Begin episodes with empty histories, in all games or in those of ``options["reset_mask"]``."""
        _, infos = self.env.reset(seed=seed, options=options)  # type: ignore[arg-type]  # a list, too
        mask = (options or {}).get("reset_mask", np.ones(self.num_envs, dtype=np.bool_))
        for array in self._history:
            array[mask] = 0.0
        return self.view.shown(self.view.observe(self._history)), infos

    def step(self, actions: Numbers) -> tuple[Shown, Float, Bool, Bool, Info]:
        """Play one round in each game.

        Raises
        ------
        TypeError, ValueError
            If the actions are none of the action space; then no game is played.
        """
        published = self.view.publish(self._history, actions)
        observation, rewards, terminated, truncated, infos = self.env.step(published)
        self.view.record(self._history, read(observation))
        return self.view.shown(self.view.observe(self._history)), rewards, terminated, truncated, infos
