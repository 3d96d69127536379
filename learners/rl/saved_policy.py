"""The files that trained policies are kept in, and learners made of them."""

import hashlib
import importlib.metadata
import inspect
import io
import json
import os
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, Self

from numpy.typing import ArrayLike

from agents.foundation.checks import count, json_value, one_of, shown
from agents.foundation.extras import missing_extra
from agents.foundation.files import replacing
from learners.rl.activations import with_classes, with_names
from learners.rl.normalisation import Normalisation
from learners.rl.policy import TrainedPolicy, check_fit, draw_noise
from learners.rl.views import VIEWS, View, make_view, told
from learners.strategic.base import with_own_reach

if TYPE_CHECKING:
    import torch

SHIPPED = Path(__file__).parent / "policies"
ABOUT, WEIGHTS = "policy.json", "weights.pth"
POLICY = "policy.zip"  # of a training, in its folder
NEEDED = {
    "algorithm": str, "policy": str, "policy_kwargs": dict, "view": str, "dim": int, "horizon": int, "knowledge": dict,
}  # fmt: skip
# No description is longer, and no policy that sees all features has more of them.
LONGEST_ABOUT, LARGEST_DIM = 2**20, 100_000
# What the file of a network's weights holds besides their numbers: some of it for the whole, some for each array.
BESIDES, BESIDES_EACH = 2**16, 2**11
# What `predict` does not need.
OF_TRAINING = ("optimizer_class", "optimizer_kwargs")


def shipped() -> list[str]:
    """Return the names of the policies that come with the package.

    Examples
    --------
    >>> from learners.rl import shipped
    >>> shipped()
    ['meta-l2', 'meta-l2-apple-tasting']
    """
    return sorted(path.stem for path in SHIPPED.glob("*.zip"))


class SavedPolicy(TrainedPolicy):
    """A policy from a file, as `save` and ``strategic-env train`` write it.

    Parameters
    ----------
    path : str or Path
        The file, the folder of a training, or the name of a policy that comes with the package: `shipped`.
    alpha, radius
        What it is told of the game; what it was told in training by default.

    Attributes
    ----------
    about : dict
        What the file says of the policy: algorithm, view, training, versions.

    Raises
    ------
    OSError
        If the file cannot be read.
    TypeError, ValueError
        If it is no such file, or told what is no reach or radius.
    ImportError
        If the extra "rl" is not installed.

    Warnings
    --------
    No theorem is about it: against an adversary it goes on erring where the Strategic Perceptron comes to rest. It
    plays as well as it was trained, in games like those of its training.

    References
    ----------
    The algorithm that ``strategic-env train`` names, as Stable-Baselines3 has it.

    Examples
    --------
    >>> from learners.rl import SavedPolicy
    >>> learner = SavedPolicy("meta-l2", alpha=0.5)
    >>> learner, learner.about["algorithm"], learner.about["view"]
    (SavedPolicy('meta-l2', alpha=0.5), 'PPO', 'coefficients')
    """

    name = "sb3"
    summary = "a policy trained with Stable-Baselines3, from a file (path=FILE); for the cost of its training"
    welcomes = ("alpha", "radius")
    defaults = ()

    def __init__(
        self,
        path: Annotated[str | Path, f"a file, a folder of train, or one of {', '.join(shipped())}"],
        alpha: Annotated[ArrayLike | None, "null: what the scenario tells; in Python, as in training"] = None,
        radius: Annotated[float | None, "null: likewise"] = None,
    ) -> None:
        with _found(path).open("rb") as file:
            self.about, policy, view, normalisation = _opened(file, path)
            file.seek(0)
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        super().__init__(policy, view)
        self._normalisation = normalisation
        known = {name: value for name, value in (("alpha", alpha), ("radius", radius)) if value is not None}
        told({"cost": "l1"} | view.knowledge | known)  # a flat policy needs none of it, and accepts no nonsense
        self._knowledge = told({name: (view.knowledge | known)[name] for name in view.requires})
        self._views = {}
        self._file: dict[str, object] = {"path": str(path), "digest": digest[:16]}
        self._told: Mapping[str, object] = known

    @property
    def parameters(self) -> dict[str, object]:  # type: ignore[override]  # as its base
        """What tells it from other learners."""
        return self._file | self._knowledge

    @property
    def arguments(self) -> dict[str, object]:
        """The keywords that load it again."""
        return {"path": self._file["path"], **self._told}

    def __repr__(self) -> str:
        explicit = "".join(f", {name}={value!r}" for name, value in self._told.items())
        return f"SavedPolicy({self._file['path']!r}{explicit})"

    @classmethod
    def from_knowledge(cls, knowledge: Mapping[str, object], **parameters: Any) -> Self:
        """Load ``path`` and tell the policy what the scenario tells; explicit ``parameters`` override.

        Raises
        ------
        ValueError
            Without a path, if the policy was trained for another cost, or if the scenario does not tell what the
            policy's view needs.
        """
        if "path" not in parameters:
            raise ValueError(f"{cls.name} needs path=FILE, or one of the package's policies: {', '.join(shipped())}")
        parameters = {name: value for name, value in parameters.items() if value is not None or name == "path"}
        path = parameters["path"]
        about = about_of(path)
        cost = about["knowledge"].get("cost")
        if cost is not None and knowledge.get("cost", cost) != cost:
            raise ValueError(
                f"{cls.name}: {shown(str(path))} was trained for {cost} costs; the scenario has {knowledge['cost']}"
            )
        known = {"cost": cost, **with_own_reach(knowledge), **parameters}
        missing = [name for name in VIEWS[about["view"]].requires if name not in known]
        if missing:
            raise ValueError(f"{cls.name} must be told {', '.join(missing)}; the scenario tells {', '.join(knowledge)}")
        return super().from_knowledge(knowledge, **parameters)


def about_of(path: str | Path) -> dict[str, Any]:
    """Return what a policy's file says of it: algorithm, view, training, versions.

    Raises
    ------
    OSError, TypeError, ValueError
        As `SavedPolicy`.
    """
    with _found(path).open("rb") as file:
        return _about_of(file, path)


def load(path: str | Path, alpha: ArrayLike | None = None, radius: float | None = None) -> SavedPolicy:
    """Load a policy as a learner; see `SavedPolicy`.

    Examples
    --------
    >>> import gymnasium
    >>> from learners.rl import load
    >>> learner = load("meta-l2")
    >>> observation, _ = gymnasium.make("strategic_env:strategic_env/KnownL2-v0", dim=5).reset(seed=0)
    >>> classifier, state = learner.predict(observation)
    >>> classifier.shape
    (6,)
    """
    return SavedPolicy(path, alpha, radius)


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
    OSError
        If the file cannot be written.
    TypeError
        If the model is none.
    ValueError
        If it does not fit the view, or was made with arguments that are no JSON values, such as classes of one's own.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import gymnasium
    >>> from stable_baselines3 import PPO
    >>> from learners.rl import ViewedEnv, load, save
    >>> env = ViewedEnv(gymnasium.make("strategic_env:strategic_env/KnownL2-v0"), "statistics")
    >>> model = PPO("MlpPolicy", env, n_steps=8, batch_size=8, device="cpu").learn(8)
    >>> with TemporaryDirectory() as folder:
    ...     save(model, Path(folder) / "mine.zip", env.view, {"note": "hardly trained"})
    ...     learner = load(Path(folder) / "mine.zip")
    >>> learner.about["training"]["timesteps"], learner.about["training"]["note"]
    (8, 'hardly trained')
    """
    torch = require_libraries()
    from stable_baselines3.common.base_class import BaseAlgorithm

    if not isinstance(model, BaseAlgorithm):
        raise TypeError(f"model must be a model of Stable-Baselines3 or sb3-contrib, got {shown(model)}")
    check_fit(model, view)
    weights = io.BytesIO()
    torch.save(model.policy.state_dict(), weights)
    about = _described(model, view, {} if training is None else training)
    with replacing(Path(path)) as unfinished, zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in ((ABOUT, about.encode()), (WEIGHTS, weights.getvalue())):
            # The same policy is the same file, whenever it is saved.
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)


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


def require_libraries() -> Any:
    """Import what trained policies need; return torch.

    Raises
    ------
    ImportError
        If the extra "rl" is not installed.
    """
    try:
        import sb3_contrib  # noqa: F401
        import stable_baselines3  # noqa: F401
        import torch
    except ModuleNotFoundError as error:
        raise missing_extra("a trained policy", error.name or "stable-baselines3", "rl") from error
    return torch


def algorithm_class(name: str) -> Any:
    """Return an algorithm of Stable-Baselines3 or sb3-contrib by the name of its class.

    Raises
    ------
    ValueError
        If neither has it.
    ImportError
        If the extra "rl" is not installed.
    """
    require_libraries()
    import sb3_contrib
    import stable_baselines3

    for library in (stable_baselines3, sb3_contrib):
        found = getattr(library, name, None)
        if inspect.isclass(found) and hasattr(found, "policy_aliases"):
            return found
    raise ValueError(f"algorithm must be one of Stable-Baselines3 or sb3-contrib, got {name!r}")


def _described(model: Any, view: View, training: Mapping[str, object]) -> str:
    """Return what a file says of its policy."""
    kwargs = with_names({key: value for key, value in model.policy_kwargs.items() if key not in OF_TRAINING})
    if getattr(model, "use_sde", False):
        kwargs["use_sde"] = True
    aliases = [alias for alias, policy in model.policy_aliases.items() if policy is model.policy_class]
    if not aliases:
        raise ValueError(f"model must have a policy of its library, got {shown(model.policy_class)}")
    if not isinstance(training, Mapping):
        raise TypeError(f"training must be a mapping, got {shown(training)}")
    normalisation = Normalisation.of(model)
    about: dict[str, Any] = {
        "algorithm": _library_class(type(model)).__name__, "policy": aliases[0], "policy_kwargs": kwargs,
        "view": view.name, "dim": view.dim, "horizon": view.horizon, "knowledge": view.knowledge,
        "normalisation": None if normalisation is None else normalisation.to_json(),
        "training": dict(training) | {"timesteps": int(model.num_timesteps), "versions": versions()},
    }  # fmt: skip
    for what in ("policy_kwargs", "training"):
        for name, value in about[what].items():
            json_value(f"{what}[{name!r}]", value)
    return json.dumps(about, indent=2)


def _library_class(kind: type) -> type:
    """Return the class of Stable-Baselines3 or sb3-contrib that an algorithm is, or is derived from."""
    libraries = ("stable_baselines3.", "sb3_contrib.")
    return next(one for one in kind.__mro__ if one.__module__.startswith(libraries))


def _found(path: str | Path) -> Path:
    """Return the file of a policy."""
    if not isinstance(path, (str, Path)):
        raise TypeError(f"path must be a str or a Path, got {shown(path)}")
    if str(path) in shipped():
        return SHIPPED / f"{path}.zip"
    file = Path(os.path.expanduser(path))  # Path's own method raises where there is no such user
    if (file / POLICY).is_file():
        return file / POLICY
    if not file.is_file():
        raise FileNotFoundError(f"path must name a file, or one of {', '.join(shipped())}; got {shown(str(path))}")
    return file


@contextmanager
def _reading(path: str | Path) -> Iterator[None]:
    """Turn whatever a damaged or foreign file makes zipfile, json and torch raise into one error."""
    try:
        yield
    except (ImportError, MemoryError):
        raise
    except Exception as error:
        found = f"{shown(str(path))}, which is damaged or of another kind"
        raise ValueError(f"path must name a policy that learners.rl.save wrote, got {found}") from error


def _about_of(file: BinaryIO, path: str | Path) -> dict[str, Any]:
    """Return what a file says of its policy."""
    with _reading(path), zipfile.ZipFile(file) as archive:
        about: dict[str, Any] = json.loads(_part(archive, ABOUT, LONGEST_ABOUT))
        for name, kind in NEEDED.items():
            if not isinstance(about[name], kind):
                raise TypeError(f"{name} must be a {kind.__name__}, got {shown(about[name])}")
        one_of("view", about["view"], tuple(VIEWS))
        count("dim", about["dim"], minimum=1, maximum=LARGEST_DIM)
    return about


def _part(archive: zipfile.ZipFile, name: str, most: int) -> bytes:
    """Return a part of a file, of at most so many bytes; no more is unpacked."""
    if archive.getinfo(name).file_size > most:
        raise ValueError(f"{name} must have at most {most:,} bytes, got {archive.getinfo(name).file_size:,}")
    return archive.read(name)


def _opened(file: BinaryIO, path: str | Path) -> tuple[dict[str, Any], Any, View, Normalisation | None]:
    """Return what a file says, its policy, built anew with the saved weights, its view and normalisation."""
    about = _about_of(file, path)
    torch = require_libraries()
    # Weights are drawn before the saved ones replace them: whoever else draws must not notice.
    with _reading(path), torch.random.fork_rng(devices=[]), zipfile.ZipFile(file) as archive:
        view = make_view(about["view"], about["dim"], about["horizon"], about["knowledge"])
        said = about.get("normalisation")
        normalisation = None if said is None else Normalisation.from_json(said, view.width)
        with _no_larger_than(archive.getinfo(WEIGHTS).file_size):
            policy = _built(about, view)
        weights = _weights(archive, policy.state_dict())
        policy.load_state_dict(weights)
        policy.set_training_mode(False)
        draw_noise(policy, 1)
    return about, policy, view, normalisation


def _built(about: Mapping[str, Any], view: View) -> Any:
    """Return a policy with weights of no meaning."""
    policy_class = algorithm_class(about["algorithm"]).policy_aliases[about["policy"]]
    seen_and_chosen = {"observation_space": view.observation_space, "action_space": view.action_space}
    # Only optimisers use the learning rate; policies without one take none.
    rate = {"lr_schedule": lambda _: 0.0} if "lr_schedule" in inspect.signature(policy_class).parameters else {}
    return policy_class(**seen_and_chosen, **rate, **with_classes(about["policy_kwargs"])).float()


def _no_larger_than(size: int) -> Any:
    """Return a context in which a network of more bytes than its weights are said to have is not built."""
    import torch
    from torch.overrides import TorchFunctionMode

    class Bounded(TorchFunctionMode):
        left = 2 * size + BESIDES

        def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            made = function(*args, **(kwargs or {}))
            if function is torch.empty:  # memory for a layer, not touched yet
                self.left -= made.nbytes
                if self.left < 0:
                    raise ValueError(f"{WEIGHTS} must hold the weights of the network, got {size:,} bytes")
            return made

    return Bounded()


def _weights(archive: zipfile.ZipFile, wanted: "Mapping[str, torch.Tensor]") -> "dict[str, torch.Tensor]":
    """Return the weights, which must be finite and of the kinds and shapes that a policy has."""
    import torch

    most = BESIDES + sum(BESIDES_EACH + one.nbytes for one in wanted.values())
    content = io.BytesIO(_part(archive, WEIGHTS, most))
    with zipfile.ZipFile(content) as packed:  # which torch unpacks
        if sum(one.file_size for one in packed.infolist()) > most:
            raise ValueError(f"{WEIGHTS} must unpack to at most {most:,} bytes")
    content.seek(0)
    weights: dict[str, torch.Tensor] = torch.load(content, map_location="cpu", weights_only=True)
    for name, one in weights.items():
        kind = wanted[name].dtype, wanted[name].shape
        if (one.dtype, one.shape) != kind or not one.isfinite().all():
            raise ValueError(f"{name} must hold finite numbers of {kind[0]} in the shape {tuple(kind[1])}")
    return weights
