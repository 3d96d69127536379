"""Hyper-parameters of algorithms: YAML files in the format of rl-zoo3, an entry per environment and a default."""

import ast
import copy
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agents.foundation.checks import LARGEST_LENGTH, count, finite_number, one_of, perhaps, shown
from agents.foundation.extras import missing_extra
from learners.rl.activations import with_classes
from learners.rl.limits import LIMITS, WHOLE, check_limits, check_normalize
from learners.rl.saved_policy import algorithm_class
from learners.rl.views import VIEWS

FOLDER = Path(__file__).parent / "hyperparameters"
# As rl-zoo3 names them, and the class of each.
ALGORITHMS = {"ppo": "PPO", "ppo_lstm": "RecurrentPPO", "sac": "SAC", "tqc": "TQC"}
SCHEDULED = ("learning_rate", "clip_range", "clip_range_vf")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
WRAPPER = "learners.rl.ViewedEnv"
# What training chooses itself, or has no place for.
TAKEN = (
    "env", "seed", "device", "verbose", "tensorboard_log", "stats_window_size", "_init_setup_model", "action_noise",
    "rollout_buffer_class", "rollout_buffer_kwargs", "replay_buffer_class", "replay_buffer_kwargs",
)  # fmt: skip
MOST_VALUES = 10_000
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
        Arguments of Stable-Baselines3's ``VecNormalize``; empty: nothing is normalised. The zoo's True stands for both
        observations and rewards.
    options : dict
        ``env_kwargs``: options of the environment.
    arguments : dict
        The other entries: arguments of the algorithm, schedules such as ``lin_3e-4`` still as text.

    Examples
    --------
    >>> from learners.rl import Settings
    >>> chosen = Settings("ppo", "flat", timesteps=1000, games=4, normalize={}, options={"horizon": 100},
    ...                   arguments={"policy": "MlpPolicy", "learning_rate": "lin_3e-4"})
    >>> chosen.built()["learning_rate"](0.5)  # when half of the training remains
    0.00015
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
        return arguments | {"policy_kwargs": with_classes(arguments.get("policy_kwargs", {}))}


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
    TypeError, ValueError
        If the environment is no id of Gymnasium, the file has no such entry, or the entry says what is not understood
        here.

    Examples
    --------
    >>> from learners.rl import read_settings
    >>> settings = read_settings("ppo", "strategic_env/KnownL2-v0")
    >>> settings.view, settings.timesteps, settings.games, settings.arguments["policy"]
    ('statistics', 300000, 64, 'MlpPolicy')
    """
    one_of("algorithm", algorithm, tuple(ALGORITHMS))
    if environment != DEFAULT and not re.fullmatch(r".+-v\d+", environment):
        raise ValueError(f"environment must be an id such as strategic_env/KnownL2-v0, got {shown(environment)}")
    path = FOLDER / f"{algorithm}.yml" if file is None else Path(file)
    if not path.is_file():
        what = "which is no file" if path.exists() else "where there is none"
        raise FileNotFoundError(f"hyper-parameters must be a YAML file, got {shown(str(file))}, {what}")
    entries = _parsed(path)
    name = environment if environment in entries else DEFAULT
    if name not in entries:
        raise ValueError(f"{path} must have an entry {environment} or {DEFAULT}, got {shown(list(entries))}")
    return settings(algorithm, _mapping(f"{path}: the entry {name}", entries[name]))


def settings(algorithm: str, entry: Mapping[str, Any]) -> Settings:
    """Return the settings that an entry of rl-zoo3's format says.

    Raises
    ------
    TypeError, ValueError
        If a value is of another kind or an argument is none of the algorithm.
    """
    kind = algorithm_class(ALGORITHMS[one_of("algorithm", algorithm, tuple(ALGORITHMS))])
    rest = {name: _written(name, value) for name, value in entry.items()}
    timesteps = count("n_timesteps", rest.pop("n_timesteps", None), minimum=1)
    games = count("n_envs", rest.pop("n_envs", 1), minimum=1, maximum=LARGEST_LENGTH)
    view = _view(rest.pop("env_wrapper", None))
    options = _mapping("env_kwargs", rest.pop("env_kwargs", {}))
    normalize = _normalize(rest.pop("normalize", False), rest.get("gamma", 0.99))
    allowed = [name for name in inspect.signature(kind).parameters if name not in TAKEN]
    for name in rest:
        if name not in allowed:
            names = ", ".join(allowed)
            raise ValueError(
                f"{algorithm} has no hyper-parameter {name!r} here; it has {names}{perhaps(name, allowed)}"
            )
    with_classes(_mapping("policy_kwargs", rest.get("policy_kwargs", {})))
    one_of("policy", rest.get("policy"), tuple(name for name in kind.policy_aliases if name.startswith("Mlp")))
    scheduled = {name: value for name, value in rest.items() if name in SCHEDULED and isinstance(value, str)}
    for name, text in scheduled.items():
        schedule(name, text)
    numbers = {name: value for name, value in rest.items() if name not in scheduled}
    check_limits(numbers, games, off_policy="learning_starts" in allowed)
    return Settings(algorithm, view, timesteps, games, normalize, options, rest)


def schedule(name: str, text: str) -> Callable[[float], float]:
    """Return the schedule that ``lin_3e-4`` stands for: from that value down to 0 in a straight line.

    Raises
    ------
    ValueError
        If the text reads otherwise, or the value is not above 0.
    """
    kind, _, value = text.partition("_")
    if kind != "lin" or not NUMBER.fullmatch(value):
        raise ValueError(f"{name} must be a number or a schedule such as lin_3e-4, got {text!r}")
    start = finite_number(name, float(value), above=0.0)

    def remaining_part(left: float) -> float:
        return start * max(left, 0.0)  # the last round of a rollout may lie beyond the end

    return remaining_part


def _parsed(path: Path) -> dict[str, Any]:
    try:
        import yaml
    except ModuleNotFoundError as error:
        raise missing_extra("reading hyper-parameters", "PyYAML", "rl") from error

    class Strict(yaml.SafeLoader):
        """Refuses a name that comes twice in a mapping."""

        def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
            names = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
            for name in names:
                if names.count(name) > 1:
                    raise yaml.constructor.ConstructorError(None, None, f"{name!r} comes twice", node.start_mark)
            return super().construct_mapping(node, deep)

    try:
        entries = yaml.load(path.read_text(encoding="utf-8"), Strict)
    except (yaml.YAMLError, RecursionError, ValueError, LookupError, AttributeError, TypeError) as error:
        raise ValueError(f"{path} must be a YAML file: {' '.join(str(error).split())}") from error
    return _mapping(str(path), entries)


def _view(wrapper: object) -> str:
    """Return the view that ``env_wrapper`` names; without one, observations stay flat."""
    if wrapper is None:
        return "flat"
    (only,) = wrapper if isinstance(wrapper, list) and len(wrapper) == 1 else (wrapper,)
    arguments = only.get(WRAPPER) if isinstance(only, Mapping) and len(only) == 1 else None
    if isinstance(arguments, Mapping) and list(arguments) == ["view"]:
        return one_of("view", arguments["view"], tuple(VIEWS))
    raise ValueError(f"env_wrapper must be {WRAPPER} with its view, got {shown(wrapper)}")


def _normalize(value: object, gamma: object) -> dict[str, Any]:
    """Return the arguments of ``VecNormalize``, with the algorithm's discount as in rl-zoo3; none for False."""
    if value is False:
        return {}
    arguments = {} if value is True else _mapping("normalize", value)
    check_normalize(arguments)
    return arguments | {"gamma": gamma}


def _written(name: str, value: object) -> object:
    """Return a value as it is, or what text stands for: 3e-4, a text to YAML, or the zoo's ``dict(net_arch=[64])``.

    Nothing is executed.

    Raises
    ------
    ValueError
        If it holds a number that is not finite, something of another kind, or text that is no mapping.
    """
    if name in ("policy_kwargs", "normalize") and isinstance(value, str):
        try:
            value = _literal(ast.parse(value.strip(), mode="eval").body)
        except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError) as error:
            why = f": {error}" if isinstance(error, ValueError) else ""
            raise ValueError(f"{name} must be a mapping, or text such as dict(a=1), got {shown(value)}{why}") from error
    try:
        _check_plain(name, value, iter(range(MOST_VALUES)))
    except RecursionError as error:
        raise ValueError(f"{name} must not hold itself") from error
    value = _numbers_of(name, value)
    return int(value) if isinstance(value, float) and value.is_integer() and LIMITS.get(name, count) in WHOLE else value


def _numbers_of(name: str, value: object) -> object:
    """Return a value with finite numbers such as 3e-4 in the place of such text."""
    if isinstance(value, str):
        return finite_number(name, float(value)) if NUMBER.fullmatch(value) and "e" in value.lower() else value
    if isinstance(value, Mapping):
        return {key: _numbers_of(name, one) for key, one in value.items()}
    return [_numbers_of(name, one) for one in value] if isinstance(value, list) else value


def _literal(node: ast.expr) -> object:
    """Return the value of an expression of literals, ``dict(name=...)`` and ``nn.Name``."""
    match node:
        case ast.Call(func=ast.Name(id="dict"), args=[], keywords=keywords) if _all_named(keywords):
            return {str(keyword.arg): _literal(keyword.value) for keyword in keywords}
        case ast.Dict(keys=keys, values=values) if len({ast.unparse(key or node) for key in keys}) == len(keys):
            return {str(ast.literal_eval(key or node)): _literal(one) for key, one in zip(keys, values, strict=True)}
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            return [_literal(one) for one in elements]
        case ast.Attribute(value=ast.Name(id="nn"), attr=name):
            return f"nn.{name}"
    try:
        return ast.literal_eval(node)
    except ValueError:
        raise ValueError(f"{ast.unparse(node)} is no literal") from None


def _all_named(keywords: list[ast.keyword]) -> bool:
    """Whether every argument has a name of its own."""
    names = [one.arg for one in keywords]
    return None not in names and len(set(names)) == len(names)


def _check_plain(name: str, value: object, left: Iterator[int]) -> None:
    """Make sure that a value is one of JSON, with no more values in it than ``left`` yields."""
    if next(left, None) is None:
        raise ValueError(f"{name} must hold at most {MOST_VALUES:,} values")
    if isinstance(value, Mapping):
        for key, one in value.items():
            if not isinstance(key, str):
                raise ValueError(f"{name} must have names as keys, got {shown(key)}")
            _check_plain(name, one, left)
    elif isinstance(value, list):
        for one in value:
            _check_plain(name, one, left)
    elif isinstance(value, float):
        finite_number(name, value)
    elif not (value is None or isinstance(value, (bool, int, str))):
        raise ValueError(f"{name} must hold numbers, text, lists and mappings, got {shown(value)}")


def _mapping(name: str, value: object) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise ValueError(f"{name} must be a mapping, got {shown(value)}")
    return dict(value)
