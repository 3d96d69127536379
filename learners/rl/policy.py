"""Policies of Stable-Baselines3 and sb3-contrib as learners."""

import hashlib
import pickle
from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
from gymnasium import spaces
from numpy.typing import ArrayLike, NDArray

from agents.foundation.checks import shown
from agents.foundation.typing import Bool, Float
from learners.rl.history import History, begin
from learners.rl.normalisation import Normalisation
from learners.rl.views import Single, View, make_view
from learners.strategic.base import Learner
from learners.strategic.observation import read

LARGEST_FLOAT32 = float(np.finfo(np.float32).max)


class Predicts(Protocol):
    """What is needed of a model, or of its policy: Stable-Baselines3's ``predict``."""

    def predict(
        self, observation: Any, state: Any = None, episode_start: Any = None, deterministic: bool = False
    ) -> tuple[Any, Any]:
        """Return actions, and what a recurrent policy carries."""


class TrainedPolicy(Learner[History]):
    """A trained model as a learner: it sees through a view and remembers what the view needs.

    Parameters
    ----------
    model : object
        A model of Stable-Baselines3 or sb3-contrib, or its policy: it was trained through this view. A model sees
        observations as its ``VecNormalize`` does; its policy alone, and a model that was loaded without it, do not.
    view : View
        As in training (``env.view`` of `learners.rl.ViewedVectorEnv`). Through ``"coefficients"`` it plays in every
        dimension, otherwise in that of training only.

    Raises
    ------
    TypeError
        If the model does not predict, or the view is none.
    ValueError
        If the model sees or chooses something else than the view says.

    Notes
    -----
    A recurrent policy's memory is part of the state. The network computes in float32: what it answers may differ in the
    last bits between one game and a batch of games. With ``deterministic=False`` noise is drawn anew in every round, by
    torch's generator.

    Examples
    --------
    >>> import gymnasium
    >>> from stable_baselines3 import PPO
    >>> from learners.rl import GymnasiumVecEnv, TrainedPolicy, ViewedVectorEnv
    >>> name = "strategic_env:strategic_env/KnownL2-v0"
    >>> games = ViewedVectorEnv(gymnasium.make_vec(name, num_envs=4, autoreset_mode="Disabled"), "statistics")
    >>> model = PPO("MlpPolicy", GymnasiumVecEnv(games), n_steps=8, batch_size=32, device="cpu").learn(32)
    >>> learner = TrainedPolicy(model, games.view)
    >>> observation, _ = gymnasium.make(name).reset(seed=0)
    >>> classifier, state = learner.predict(observation)
    >>> classifier.shape
    (3,)
    """

    name = "trained-policy"
    state_class = History
    summary = "a policy in memory, trained with Stable-Baselines3"

    def __init__(self, model: Predicts, view: View) -> None:
        check_fit(model, view)
        self._policy: Any = getattr(model, "policy", model)
        self._normalisation = Normalisation.of(model)
        self._view, self._knowledge = view, view.knowledge
        self._views = {view.dim: view}
        self._memory_shape = _memory_shape(self._policy)

    @property
    def parameters(self) -> dict[str, object]:  # type: ignore[override]  # the weights change while training goes on
        """What tells it from other learners, as it is now."""
        digest = digest_of(self._policy, self._normalisation)
        return {"view": self._view.name, "horizon": self._view.horizon, "digest": digest, **self._knowledge}

    def __repr__(self) -> str:
        return f"TrainedPolicy({self.parameters['digest']}, view={self._view.name!r})"

    def initial_state(self, games: int, dim: int) -> History:
        """Return the histories of games before their first round.

        Raises
        ------
        ValueError
            If the policy was trained in another dimension and cannot play in this one.
        """
        self._seen_in(dim)
        return begin(games, dim, 2 * self._memory_shape[0] * self._memory_shape[1])

    def predict(
        self,
        observation: Mapping[str, ArrayLike] | NDArray[np.floating[Any]],
        state: History | None = None,
        episode_start: ArrayLike | None = None,
        deterministic: bool = True,
    ) -> tuple[NDArray[np.floating[Any]], History]:
        """Add the last round to the history, and publish what the policy makes of it (`Learner.predict`)."""
        seen = read(observation)
        games, dim = seen.features.shape
        history = self._going_on(state, episode_start, games, dim)
        view = self._seen_in(dim)
        view.record(history, seen)
        with np.errstate(over="ignore", invalid="ignore"):
            observed = view.observe(history)
        self._check_health(_first_row(~np.isfinite(observed), ~(np.abs(history.memory) <= LARGEST_FLOAT32)))
        published = view.publish(history, self._choose(view, observed, history.memory, deterministic))
        self._check_health(_first_row(~(np.abs(published) <= 1.0)))
        published = published.astype(seen.dtype, copy=False)
        return (published if seen.batched else published[0]), history

    def _choose(self, view: View, observed: Single, memory: Float, deterministic: bool) -> NDArray[np.floating[Any]]:
        """Return the actions (n, choices); what a recurrent policy carries is read from and written to its memory."""
        if self._normalisation is not None:
            observed = self._normalisation(observed)
        if not deterministic:
            draw_noise(self._policy, len(observed))
        shown = view.shown(observed)
        layers, width = self._memory_shape
        if not layers:
            actions, _ = self._policy.predict(shown, deterministic=deterministic)
            return np.asarray(actions)
        carried = memory.reshape(len(memory), 2, layers, width).transpose(1, 2, 0, 3)
        actions, carried = self._policy.predict(shown, tuple(carried), deterministic=deterministic)
        memory[:] = np.stack(carried).transpose(2, 0, 1, 3).reshape(memory.shape)
        return np.asarray(actions)

    def _seen_in(self, dim: int) -> View:
        """Return the view on games with so many features."""
        if dim not in self._views:
            view = make_view(self._view.name, dim, self._view.horizon, self._knowledge)
            if view.width != self._view.width:
                raise ValueError(f"{self.name} was trained with {self._view.dim} features, the game has {dim}")
            self._views[dim] = view
        return self._views[dim]


def _first_row(*faults: Bool) -> int:
    """Return the first row (game) in which one of the arrays (n, any) shows a fault; -1 if there is none."""
    rows = np.flatnonzero(np.concatenate(faults, axis=1).any(axis=1))
    return int(rows[0]) if rows.size else -1


def check_fit(model: object, view: View) -> None:
    """Make sure that a model, or its policy, sees and chooses what the view says.

    Raises
    ------
    TypeError
        If the model does not predict, or the view is none.
    ValueError
        If a space of it is another one.
    """
    if isinstance(model, type) or not callable(getattr(model, "predict", None)):
        raise TypeError(f"model must be a model of Stable-Baselines3, or predict like one, got {shown(model)}")
    if not isinstance(view, View):
        raise TypeError(f"view must be a View, such as env.view of a ViewedVectorEnv, got {shown(view)}")
    for name in ("observation_space", "action_space"):
        own, wanted = getattr(model, name, None), getattr(view, name)
        if isinstance(own, spaces.Space) and not _alike(own, wanted):
            raise ValueError(f"model must have the {name} {wanted} of the view {view.name!r}, got {own}")


def _alike(own: spaces.Space[Any], wanted: spaces.Space[Any]) -> bool:
    """Whether two spaces have the same entries and shapes and, where the view's are finite, the same limits."""
    if isinstance(wanted, spaces.Dict):
        entries = own.spaces if isinstance(own, spaces.Dict) else {}
        return entries.keys() == wanted.keys() and all(_alike(entries[name], wanted[name]) for name in wanted)
    assert isinstance(wanted, spaces.Box)
    if not isinstance(own, spaces.Box) or own.shape != wanted.shape:
        return False
    return not wanted.is_bounded() or bool((own.low == wanted.low).all() and (own.high == wanted.high).all())


def draw_noise(policy: object, games: int) -> None:
    """Draw anew what state-dependent exploration adds to the actions of n games; other policies draw by themselves."""
    import torch

    explorer: Any = getattr(policy, "actor", policy)
    if getattr(explorer, "use_sde", False):
        with torch.no_grad():
            explorer.reset_noise(games)


def digest_of(policy: object, normalisation: Normalisation | None) -> str:
    """Return what tells one policy from another in results: its layers, its weights, and what it sees.

    Raises
    ------
    TypeError
        If it has no weights that torch knows, and cannot be pickled.
    """
    flags = [getattr(policy, name, None) for name in ("squash_output", "use_sde")]
    seen = normalisation and normalisation.to_json()
    content = hashlib.sha256(f"{type(policy).__qualname__} {flags} {seen}".encode())
    state_dict = getattr(policy, "state_dict", None)
    if state_dict is None:
        try:
            content.update(pickle.dumps(policy))
        except Exception as error:  # pickling runs any code
            raise TypeError(
                f"model must have a state_dict, or be one that pickle can save, got {shown(policy)}"
            ) from error
    else:
        content.update(repr(policy).encode())
        for weights in state_dict().values():
            content.update(weights.detach().cpu().numpy().tobytes())
    return content.hexdigest()[:16]


def _memory_shape(policy: Any) -> tuple[int, int]:
    """Return layers and width of a recurrent policy's memory; (0, 0) for others."""
    layers, _, width = getattr(policy, "lstm_hidden_state_shape", (0, 0, 0))
    return layers, width
