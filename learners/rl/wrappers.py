"""The game as a policy in training meets it: through a view."""

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv, VectorWrapper
from gymnasium.vector.utils import batch_space

from agents.checks import shown
from agents.typing import Bool, Float, Numbers
from learners.observation import read
from learners.rl.views import Single, View, make_view

Info = dict[str, Any]


def view_of(env: gym.Env[Any, Any] | VectorEnv[Any, Any, Any], name: str) -> View:
    """Return the view of this name on an environment of this package, single or vector.

    Raises
    ------
    TypeError
        If the environment has no ``knowledge`` and no ``horizon``.
    """
    game: Any = env.unwrapped
    if not (hasattr(game, "knowledge") and hasattr(game, "horizon")):
        raise TypeError(f"env must be an environment of strategic classification, got {shown(env)}")
    actions = getattr(game, "single_action_space", game.action_space)
    return make_view(name, actions.shape[0] - 1, game.horizon, game.knowledge)


class ViewedEnv(gym.Wrapper[Single, Numbers, Any, Any]):
    """One game through a view.

    Parameters
    ----------
    env : gymnasium.Env
        A game of strategic classification.
    view : str
        ``"flat"``, ``"statistics"`` or ``"coefficients"`` (`learners.rl.views`).
    """

    def __init__(self, env: gym.Env[Any, Any], view: str = "coefficients") -> None:
        super().__init__(env)
        self.view = view_of(env, view)
        self.observation_space, self.action_space = self.view.observation_space, self.view.action_space
        self._history = self.view.begin(1)

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[Single, Info]:
        """Begin an episode with an empty history."""
        _, info = self.env.reset(seed=seed, options=options)
        self._history = self.view.begin(1)
        return self.view.observe(self._history)[0], info

    def step(self, action: Numbers) -> tuple[Single, Any, bool, bool, Info]:
        """Play one round."""
        (published,) = self.view.publish(self._history, np.asarray(action)[np.newaxis])
        shown, reward, terminated, truncated, info = self.env.step(published)
        self.view.record(self._history, read(shown))
        return self.view.observe(self._history)[0], reward, terminated, truncated, info


class ViewedVectorEnv(VectorWrapper):
    """N games through a view, for `learners.rl.GymnasiumVecEnv`.

    Parameters
    ----------
    env : gymnasium.vector.VectorEnv
        Games of strategic classification, with autoreset mode ``DISABLED``: the view must see the last round, too.
    view : str
        ``"flat"``, ``"statistics"`` or ``"coefficients"`` (`learners.rl.views`).

    Raises
    ------
    ValueError
        If the environment resets finished games itself.
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

    def reset(self, *, seed: int | list[int | None] | None = None, options: Info | None = None) -> tuple[Single, Info]:
        """Begin episodes with empty histories, in all games or in those of ``options["reset_mask"]``."""
        _, infos = self.env.reset(seed=seed, options=options)  # type: ignore[arg-type]  # a list, too
        mask = (options or {}).get("reset_mask", np.ones(self.num_envs, dtype=np.bool_))
        for array in self._history:
            array[mask] = 0.0
        return self.view.observe(self._history), infos

    def step(self, actions: Numbers) -> tuple[Single, Float, Bool, Bool, Info]:
        """Play one round in each game."""
        published = self.view.publish(self._history, actions)
        shown, rewards, terminated, truncated, infos = self.env.step(published)
        self.view.record(self._history, read(shown))
        return self.view.observe(self._history), rewards, terminated, truncated, infos
