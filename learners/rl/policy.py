"""Policies of Stable-Baselines3 and sb3-contrib as learners, and the files that they are kept in."""

import hashlib
import importlib.metadata
import inspect
import io
import json
import pickle
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agents.checks import shown
from agents.extras import missing_extra
from agents.typing import Float
from learners.base import Learner
from learners.observation import read
from learners.rl.history import History, begin
from learners.rl.views import VIEWS, Single, View, make_view

SHIPPED = Path(__file__).parent / "policies"
ABOUT, WEIGHTS = "policy.json", "weights.pth"
# What `predict` does not need.
OF_TRAINING = ("optimizer_class", "optimizer_kwargs")


def shipped() -> list[str]:
    """Return the names of the policies that come with the package."""
    return sorted(path.stem for path in SHIPPED.glob("*.zip"))


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
        A model of Stable-Baselines3 or sb3-contrib, or its policy: it was trained through this view.
    view : View
        As in training (``env.view`` of `learners.rl.ViewedVectorEnv`). Through ``"coefficients"`` it plays in every
        dimension, otherwise in that of training only.

    Notes
    -----
    A recurrent policy's memory is part of the state. The network computes in float32: what it answers may differ in the
    last bits between one game and a batch of games.
    """

    name = "trained-policy"
    state_class = History
    summary = "a policy in memory, trained with Stable-Baselines3"

    def __init__(self, model: Predicts, view: View) -> None:
        self._policy: Any = getattr(model, "policy", model)
        self._views = {view.dim: view}
        self._view = view
        space = getattr(self._policy, "observation_space", view.observation_space)
        if space.shape != view.observation_space.shape:
            raise ValueError(
                f"model must observe {view.width} numbers, as the view {view.name!r} shows, got {shown(space.shape)}"
            )
        self._memory_shape = _memory_shape(self._policy)
        self.parameters = {
            "view": view.name, "horizon": view.horizon, "digest": _digest(_numbers(self._policy)), **view.knowledge,
        }  # fmt: skip

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
        published = view.publish(history, self._choose(view.observe(history), history.memory, deterministic))
        published = published.astype(seen.dtype, copy=False)
        return (published if seen.batched else published[0]), history

    def _choose(self, observed: Single, memory: Float, deterministic: bool) -> NDArray[np.floating[Any]]:
        """Return the actions (n, choices); what a recurrent policy carries is read from and written to its memory."""
        layers, width = self._memory_shape
        if not layers:
            actions, _ = self._policy.predict(observed, deterministic=deterministic)
            return np.asarray(actions)
        carried = memory.reshape(len(memory), 2, layers, width).transpose(1, 2, 0, 3)
        actions, carried = self._policy.predict(observed, tuple(carried), deterministic=deterministic)
        memory[:] = np.stack(carried).transpose(2, 0, 1, 3).reshape(memory.shape)
        return np.asarray(actions)

    def _seen_in(self, dim: int) -> View:
        """Return the view on games with so many features."""
        if dim not in self._views:
            view = make_view(self._view.name, dim, self._view.horizon, self._view.knowledge)
            if view.width != self._view.width:
                raise ValueError(f"{self.name} was trained with {self._view.dim} features, the game has {dim}")
            self._views[dim] = view
        return self._views[dim]


class SavedPolicy(TrainedPolicy):
    """A policy from a file, as `save` and ``strategic-env train`` write it.

    Parameters
    ----------
    path : str or Path
        The file, or the name of a policy that comes with the package: `shipped`.
    alpha, radius, cost
        What it is told of the game; what it was told in training by default.

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        If it is no such file.
    ImportError
        If the extra "rl" is not installed.
    """

    name = "sb3"
    summary = "a policy trained with Stable-Baselines3, from a file (path=FILE)"
    welcomes = ("cost", "alpha", "radius")

    def __init__(
        self,
        path: Annotated[str | Path, f"a file, or one of {', '.join(shipped())}"],
        alpha: Annotated[ArrayLike | None, "null: what the scenario tells, else as in training"] = None,
        radius: Annotated[float | None, "null: likewise"] = None,
        cost: Annotated[str | None, "null: likewise; l2 or l1"] = None,
    ) -> None:
        content = _found(path).read_bytes()
        self.about, policy = _opened(content, path)
        told = {"alpha": alpha, "radius": radius, "cost": cost}
        knowledge = self.about["knowledge"] | {name: value for name, value in told.items() if value is not None}
        super().__init__(policy, make_view(self.about["view"], self.about["dim"], self.about["horizon"], knowledge))
        self.parameters = {"path": str(path), "digest": _digest(content), **self._view.knowledge}

    @classmethod
    def from_knowledge(cls, knowledge: Mapping[str, object], **parameters: Any) -> Self:
        """Load ``path`` and tell the policy what the scenario tells; explicit ``parameters`` override.

        Raises
        ------
        ValueError
            Without a path, or if the scenario does not tell what the policy's view needs.
        """
        if "path" not in parameters:
            raise ValueError(f"{cls.name} needs path=FILE, or one of the package's policies: {', '.join(shipped())}")
        needed = VIEWS[_about(_found(parameters["path"]).read_bytes(), parameters["path"])["view"]].requires
        told = {*knowledge, *parameters, *(("alpha",) if "alpha_min" in knowledge else ())}
        missing = [name for name in needed if name not in told]
        if missing:
            raise ValueError(f"{cls.name} must be told {', '.join(missing)}; the scenario tells {', '.join(knowledge)}")
        return super().from_knowledge(knowledge, **parameters)


def save(model: Any, path: str | Path, view: View, training: Mapping[str, object] | None = None) -> None:
    """Save a model's policy with all that is needed to play it again; the file is there at once or not at all.

    Parameters
    ----------
    model : BaseAlgorithm
        A model of Stable-Baselines3 or sb3-contrib that was trained through the view.
    path : str or Path
        A zip file: ``policy.json``, and the network's weights as a dictionary of tensors. Unlike the files of
        ``model.save``, it holds no pickled objects, so that nothing is executed when it is loaded.
    view : View
        As in training (``env.view``).
    training : mapping, optional
        What else is worth knowing: JSON values.

    Raises
    ------
    ValueError
        If the policy was made with arguments that are no JSON values, such as classes of one's own.
    """
    import torch

    kwargs = {key: value for key, value in model.policy_kwargs.items() if key not in OF_TRAINING}
    if getattr(model, "use_sde", False):
        kwargs["use_sde"] = True
    aliases = [alias for alias, policy in model.policy_aliases.items() if policy is model.policy_class]
    if not aliases:
        raise ValueError(f"model must have a policy of its library, got {shown(model.policy_class)}")
    about = {
        "algorithm": type(model).__name__, "policy": aliases[0], "policy_kwargs": kwargs,
        "view": view.name, "dim": view.dim, "horizon": view.horizon, "knowledge": view.knowledge,
        "training": dict(training or {}) | {"timesteps": int(model.num_timesteps), "versions": versions()},
    }  # fmt: skip
    try:
        text = json.dumps(about, indent=2, allow_nan=False)
    except TypeError as error:
        raise ValueError(f"policy_kwargs and training must hold JSON values only: {error}") from error
    weights = io.BytesIO()
    torch.save(model.policy.state_dict(), weights)
    target = Path(path)
    unfinished = target.with_name(f"{target.name}.unfinished")
    with zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in ((ABOUT, text.encode()), (WEIGHTS, weights.getvalue())):
            # The same policy is the same file, whenever it is saved.
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    unfinished.replace(target)


def load(path: str | Path, **knowledge: Any) -> SavedPolicy:
    """Load a policy as a learner; ``knowledge`` (``alpha``, ``radius``, ``cost``) as for `SavedPolicy`."""
    return SavedPolicy(path, **knowledge)


def versions() -> dict[str, str]:
    """Return the versions of what a training depends on."""
    packages = ("strategic-env", "stable-baselines3", "sb3-contrib", "torch", "numpy", "gymnasium")
    found = {}
    for package in packages:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def algorithm_class(name: str) -> Any:
    """Return an algorithm of Stable-Baselines3 or sb3-contrib by the name of its class.

    Raises
    ------
    ValueError
        If neither has it.
    ImportError
        If the extra "rl" is not installed.
    """
    try:
        import sb3_contrib
        import stable_baselines3
    except ModuleNotFoundError as error:
        raise missing_extra("a trained policy", error.name or "sb3-contrib", "rl") from error
    for library in (stable_baselines3, sb3_contrib):
        found = getattr(library, name, None)
        if inspect.isclass(found) and hasattr(found, "policy_aliases"):
            return found
    raise ValueError(f"algorithm must be one of Stable-Baselines3 or sb3-contrib, got {name!r}")


def _digest(content: bytes) -> str:
    """Return what tells one policy from another in results."""
    return hashlib.sha256(content).hexdigest()[:16]


def _numbers(policy: Any) -> bytes:
    """Return the weights of a network, or the pickle of whatever else predicts."""
    if not hasattr(policy, "state_dict"):
        return pickle.dumps(policy)
    return b"".join(weights.detach().cpu().numpy().tobytes() for weights in policy.state_dict().values())


def _memory_shape(policy: Any) -> tuple[int, int]:
    """Return layers and width of a recurrent policy's memory; (0, 0) for others."""
    layers, _, width = getattr(policy, "lstm_hidden_state_shape", (0, 0, 0))
    return layers, width


def _found(path: str | Path) -> Path:
    named = SHIPPED / f"{path}.zip"
    return named if str(path) in shipped() else Path(path)


def _about(content: bytes, path: str | Path) -> dict[str, Any]:
    """Return what a file says of its policy."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            about: dict[str, Any] = json.loads(archive.read(ABOUT))
            needed = ("algorithm", "policy", "policy_kwargs", "view", "dim", "horizon", "knowledge")
            missing = [name for name in needed if name not in about]
    except (zipfile.BadZipFile, KeyError, ValueError, TypeError) as error:
        raise ValueError(f"path must name a policy that learners.rl.save wrote, got {shown(str(path))}") from error
    if missing or about["view"] not in VIEWS:
        raise ValueError(f"path must name a policy that learners.rl.save wrote, got {shown(str(path))}")
    return about


def _opened(content: bytes, path: str | Path) -> tuple[dict[str, Any], Any]:
    """Return what a file says, and its policy, built anew with the saved weights."""
    about = _about(content, path)
    algorithm = algorithm_class(about["algorithm"])
    import torch

    view = make_view(about["view"], about["dim"], about["horizon"], about["knowledge"])
    policy_class = algorithm.policy_aliases[about["policy"]]
    spaces = {"observation_space": view.observation_space, "action_space": view.action_space}
    # Only optimisers use the learning rate; policies without one take none.
    rate = {"lr_schedule": lambda _: 0.0} if "lr_schedule" in inspect.signature(policy_class).parameters else {}
    policy = policy_class(**spaces, **rate, **about["policy_kwargs"])
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        weights = torch.load(io.BytesIO(archive.read(WEIGHTS)), map_location="cpu", weights_only=True)
    policy.load_state_dict(weights)
    policy.set_training_mode(False)
    return about, policy
