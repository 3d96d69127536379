"""Hyper-parameters of algorithms: YAML files in the format of rl-zoo3, an entry per environment and a default."""

import copy
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agents.checks import count, one_of, shown
from agents.extras import missing_extra
from learners.rl.policy import algorithm_class
from learners.rl.views import VIEWS

FOLDER = Path(__file__).parent / "hyperparameters"
# As rl-zoo3 names them, and the class of each.
ALGORITHMS = {"ppo": "PPO", "ppo_lstm": "RecurrentPPO", "sac": "SAC", "tqc": "TQC"}
SCHEDULED = ("learning_rate", "clip_range", "clip_range_vf")
WRAPPER = "learners.rl.ViewedEnv"
DEFAULT = "default"


@dataclass(frozen=True)
class Settings:
    """How to train.

    Attributes
    ----------
    algorithm : str
        A key of `ALGORITHMS`.
    view : str
        What the policy sees and does (`learners.rl.views`): the argument of the entry's ``env_wrapper``.
    timesteps, games : int
        ``n_timesteps`` and ``n_envs``: rounds in total, and games at a time.
    normalize : dict
        Arguments of Stable-Baselines3's ``VecNormalize``; empty: nothing is normalised.
    options : dict
        ``env_kwargs``: options of the environment.
    arguments : dict
        The other entries: arguments of the algorithm, schedules such as ``lin_3e-4`` still as text.
    """

    algorithm: str
    view: str
    timesteps: int
    games: int
    normalize: dict[str, Any]
    options: dict[str, Any]
    arguments: dict[str, Any] = field(default_factory=dict)

    def built(self) -> dict[str, Any]:
        """Return the arguments of the algorithm, schedules as functions of the part of training that remains."""
        arguments = copy.deepcopy(self.arguments)  # algorithms write into them
        for name in SCHEDULED:
            if isinstance(value := arguments.get(name), str):
                arguments[name] = schedule(name, value)
        if isinstance(arguments.get("train_freq"), list):
            arguments["train_freq"] = tuple(arguments["train_freq"])
        return arguments


def read_settings(algorithm: str, environment: str, file: str | Path | None = None) -> Settings:
    """Read the hyper-parameters of an algorithm for an environment.

    Parameters
    ----------
    algorithm : str
        ``"ppo"``, ``"ppo_lstm"``, ``"sac"`` or ``"tqc"``.
    environment : str
        Its id, such as ``"strategic_env/KnownL2-v0"``: the entry to read, else ``default``.
    file : str or Path, optional
        A YAML file; that of the package by default.

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        If the file has no such entry, or the entry says what is not understood here.
    """
    one_of("algorithm", algorithm, tuple(ALGORITHMS))
    path = FOLDER / f"{algorithm}.yml" if file is None else Path(file)
    entries = _parsed(path)
    entry = entries.get(environment, entries.get(DEFAULT))
    if not isinstance(entry, Mapping):
        raise ValueError(f"{path} must have an entry {environment} or {DEFAULT}, got {shown(list(entries))}")
    return settings(algorithm, entry)


def settings(algorithm: str, entry: Mapping[str, Any]) -> Settings:
    """Return the settings that an entry of rl-zoo3's format says.

    Raises
    ------
    ValueError
        If a value is of another kind or an argument is none of the algorithm.
    """
    kind = ALGORITHMS[one_of("algorithm", algorithm, tuple(ALGORITHMS))]
    rest = dict(entry)
    timesteps = count("n_timesteps", _whole(rest.pop("n_timesteps", None)), minimum=1)
    games = count("n_envs", rest.pop("n_envs", 1), minimum=1)
    view = _view(rest.pop("env_wrapper", None))
    options = _mapping("env_kwargs", rest.pop("env_kwargs", {}))
    normalize = _normalize(rest.pop("normalize", False), rest.get("gamma", 0.99))
    allowed = tuple(inspect.signature(algorithm_class(kind)).parameters)
    for name in rest:
        if name not in allowed or name in ("env", "seed", "device", "verbose", "_init_setup_model"):
            raise ValueError(f"{algorithm} has no hyper-parameter {name!r} here; it has {', '.join(allowed)}")
    for name in SCHEDULED:
        if isinstance(rest.get(name), str):
            schedule(name, rest[name])
    return Settings(algorithm, view, timesteps, games, normalize, options, rest)


def schedule(name: str, text: str) -> Callable[[float], float]:
    """Return the schedule that ``lin_3e-4`` stands for: from that value down to 0 in a straight line.

    Raises
    ------
    ValueError
        If the text reads otherwise.
    """
    kind, _, value = text.partition("_")
    try:
        start = float(value)
    except ValueError:
        kind = ""
    if kind != "lin":
        raise ValueError(f"{name} must be a number or a schedule such as lin_3e-4, got {text!r}")

    def remaining_part(left: float) -> float:
        return start * left

    return remaining_part


def _parsed(path: Path) -> dict[str, Any]:
    try:
        import yaml
    except ModuleNotFoundError as error:
        raise missing_extra("reading hyper-parameters", "PyYAML", "rl") from error
    try:
        entries = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} must be a YAML file: {' '.join(str(error).split())}") from error
    return _mapping(str(path), entries)


def _view(wrapper: object) -> str:
    """Return the view that ``env_wrapper`` names; without one, observations stay flat."""
    if wrapper is None:
        return "flat"
    (only,) = wrapper if isinstance(wrapper, list) and len(wrapper) == 1 else (wrapper,)
    if isinstance(only, Mapping) and list(only) == [WRAPPER] and list(only[WRAPPER]) == ["view"]:
        return one_of("view", only[WRAPPER]["view"], tuple(VIEWS))
    raise ValueError(f"env_wrapper must be {WRAPPER} with its view, got {shown(wrapper)}")


def _normalize(value: object, gamma: object) -> dict[str, Any]:
    """Return the arguments of ``VecNormalize``, with the algorithm's discount as in rl-zoo3; none for False."""
    if value is False:
        return {}
    if not isinstance(value, Mapping) or value.get("norm_obs") is not False:
        raise ValueError(f"normalize must say norm_obs: false, for views normalise what is seen, got {shown(value)}")
    return dict(value) | {"gamma": gamma}


def _whole(number: object) -> object:
    """Return 1e6, which YAML reads as a float, as the integer that it is."""
    return int(number) if isinstance(number, float) and number.is_integer() else number


def _mapping(name: str, value: object) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise ValueError(f"{name} must be a mapping, got {shown(value)}")
    return dict(value)
