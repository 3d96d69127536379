"""What a vector environment plays, recorded call by call, and how two recordings are compared."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array, iterate
from numpy.typing import NDArray

AnyVectorEnv: TypeAlias = VectorEnv[Any, Any, Any]
AnyEnv: TypeAlias = gymnasium.Env[Any, Any]
Seed: TypeAlias = int | list[int] | None
Returned: TypeAlias = dict[str, Any]
Record: TypeAlias = tuple[str, list[Returned]]

NEXT_STEP, SAME_STEP, DISABLED = AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP, AutoresetMode.DISABLED
RESET = ("observations", "infos")
STEP = ("observations", "rewards", "terminations", "truncations", "infos")
EPISODES = 2


class VectorEnvError(AssertionError):
    """A vector environment breaks a rule: which check, in which mode, at which step, what was expected and found."""


# Playing


@dataclass(frozen=True)
class Case:
    """One environment in one mode: how to make it, and how long to play."""

    make: Callable[..., AnyVectorEnv]
    single: Callable[[], AnyEnv] | None
    modes: tuple[AutoresetMode, ...]
    mode: AutoresetMode
    num_envs: int
    steps: int
    seed: int
    made: list[AnyVectorEnv] = field(default_factory=list)

    @property
    def seeds(self) -> list[int]:
        """One seed a row; not consecutive, so that they are not those of one integer."""
        return [self.seed + 101 * row for row in range(self.num_envs)]

    @property
    def mask(self) -> NDArray[np.bool_]:
        """Rows 0, 2, 4, ..."""
        mask: NDArray[np.bool_] = np.arange(self.num_envs) % 2 == 0
        return mask

    def env(self) -> AnyVectorEnv:
        """Make the environment."""
        env = self.make(num_envs=self.num_envs, autoreset_mode=self.mode)
        demand(isinstance(env, VectorEnv), f"expected make to return a gymnasium.vector.VectorEnv, found {env!r}")
        self.made.append(env)
        return env

    def reference(self) -> AnyVectorEnv:
        """Gymnasium's own vector environment over the single form."""
        single = self.single
        if single is None:
            alone = replace(self, num_envs=1, mode=NEXT_STEP if NEXT_STEP in self.modes else DISABLED)
            single = lambda: _OneRow(alone.env())  # noqa: E731
        env = SyncVectorEnv([single] * self.num_envs, autoreset_mode=self.mode)
        self.made.append(env)
        return env

    def player(self) -> "Player":
        """Make the environment and somebody who plays it."""
        return Player(self, self.env())


class _OneRow(gymnasium.Env[Any, Any]):
    """A vector environment of one row, in a mode that leaves the reset to us, as a single environment."""

    def __init__(self, env: AnyVectorEnv) -> None:
        self.env = env
        self.observation_space, self.action_space = env.single_observation_space, env.single_action_space

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        seeds: Any = None if seed is None else [seed]
        row = Call.of("reset", RESET, self.env.reset(seed=seeds)).rows(self.env)[0]
        return row["observation"], row["info"]

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        result = self.env.step(join_actions(self.action_space, [action]))
        row = Call.of("step", STEP, result).rows(self.env)[0]
        return row["observation"], row["reward"], row["termination"], row["truncation"], row["info"]


def join_actions(space: spaces.Space[Any], actions: Sequence[Any]) -> Any:
    """Join the actions of the rows."""
    empty: Any = create_empty_array(space, len(actions))
    return concatenate(space, actions, empty)


@dataclass(frozen=True)
class Call:
    """What one reset or step returned, untouched, by its name."""

    label: str
    returned: dict[str, Any]
    actions: Any = None

    @classmethod
    def of(cls, label: str, names: Sequence[str], result: Any, actions: Any = None) -> "Call":
        """Give what was returned its names; demand that it is a tuple of as many."""
        if not isinstance(result, tuple) or len(result) != len(names):
            raise VectorEnvError(f"{label}: expected a tuple ({', '.join(names)}), found {result!r:.300}")
        return cls(label, dict(zip(names, result, strict=True)), actions)

    def __getitem__(self, name: str) -> Any:
        return self.returned[name]

    @property
    def is_step(self) -> bool:
        """Whether a step returned this, not a reset."""
        return "rewards" in self.returned

    @property
    def ended(self) -> NDArray[np.bool_]:
        """Which rows ended."""
        ended: NDArray[np.bool_] = np.logical_or(self["terminations"], self["truncations"])
        return ended

    def rows(self, env: AnyVectorEnv) -> list[Returned]:
        """Return a copy, row by row; of the infos what the masks say."""
        rows = []
        for i, observation in enumerate(iterate(env.observation_space, self["observations"])):
            row = {"observation": observation, "info": _info_of_row(self["infos"], i)}
            if self.is_step:
                row["reward"] = float(self["rewards"][i])
                row["termination"], row["truncation"] = bool(self["terminations"][i]), bool(self["truncations"][i])
            rows.append(deepcopy(row))
        return rows


def is_mask(key: str, infos: dict[str, Any]) -> bool:
    """Tell whether a key of the infos is the mask of another."""
    return key.startswith("_") and key[1:] in infos


def _info_of_row(infos: dict[str, Any], i: int) -> dict[str, Any]:
    row = {}
    for key, value in infos.items():
        mask = infos.get(f"_{key}")
        if not is_mask(key, infos) and (mask is None or mask[i]):
            row[key] = _info_of_row(value, i) if isinstance(value, dict) else value[i]
    return row


class Player:
    """Plays random actions until every row has ended its episodes, and resets what ended where the user has to."""

    def __init__(self, case: Case, env: AnyVectorEnv) -> None:
        self.case, self.env = case, env
        self._begin()

    def _begin(self) -> None:
        self.steps = 0
        self.ended = np.zeros(self.case.num_envs, bool)
        self.ends = np.zeros(self.case.num_envs, int)

    @property
    def over(self) -> bool:
        """Whether every row has ended its episodes, or the steps are used up."""
        return self.steps >= self.case.steps or bool(self.ends.min() >= EPISODES)

    @property
    def mask_is_due(self) -> bool:
        """Masks are tried in mid-episode, and after the first end of a row inside the mask and of one outside."""
        return self.steps == 1 or bool((self.ended & (self.ends == 1))[:2].any())

    def actions(self, seed: int | None = None) -> Iterator[Any]:
        """Yield random actions, the same for the same seed."""
        space = batch_space(self.env.single_action_space, self.case.num_envs)
        space.seed(self.case.seed if seed is None else seed)
        while True:
            yield space.sample()

    def equal_actions(self) -> Iterator[Any]:
        """Yield random actions, the same for all rows."""
        space = deepcopy(self.env.single_action_space)
        space.seed(self.case.seed)
        while True:
            yield join_actions(space, [space.sample()] * self.case.num_envs)

    def reset(self, seed: Seed = None, mask: NDArray[np.bool_] | None = None) -> Call:
        """Reset everything, or the rows of a mask."""
        if mask is None:
            self._begin()
            seeds: Any = seed
            return Call.of("reset", RESET, self.env.reset(seed=seeds))
        self.ended = self.ended & ~mask
        result = self.env.reset(options={"reset_mask": mask.copy()})
        return Call.of(f"masked reset after step {self.steps}", RESET, result)

    def advance(self, actions: Any) -> Iterator[Call]:
        """Step; in the disabled mode reset first what has ended."""
        if self.case.mode is DISABLED and self.ended.any():
            yield self.reset(mask=self.ended)
        self.steps += 1
        call = Call.of(f"step {self.steps}", STEP, self.env.step(actions), actions)
        ended = call.ended  # before anybody writes into the flags
        yield call
        self.ended = ended
        self.ends += ended

    def play(self, seed: Seed = None, actions: Iterator[Any] | None = None) -> Iterator[Call]:
        """Yield what every call returns, before the next one is made."""
        actions = actions or self.actions()
        yield self.reset(seed)
        while not self.over:
            yield from self.advance(next(actions))

    def steps_of(self, seed: int) -> Iterator[Call]:
        """Play, and yield what the steps return, without the resets."""
        return (call for call in self.play(seed) if call.is_step)

    def record(self, seed: Seed = None, actions: Iterator[Any] | None = None) -> Iterator[Record]:
        """Yield the label and a copy of what every call returns."""
        for call in self.play(seed, actions):
            yield call.label, call.rows(self.env)


# Comparing


def demand(right: object, message: str) -> None:
    """Raise a VectorEnvError with this message unless all is right."""
    if not right:
        raise VectorEnvError(message)


def demand_refusal(what: str, call: Callable[..., object], *arguments: Any, **options: Any) -> None:
    """Demand that a call with a wrong argument raises, whatever the kind of error."""
    try:
        call(*arguments, **options)
    except Exception:
        return
    raise VectorEnvError(f"expected {what} to raise an error, found that it is accepted")


def parts_of(value: Any) -> dict[Any, Any] | None:
    """Return what a container holds, by key; None if it is none."""
    if isinstance(value, dict):
        return value
    if isinstance(value, (tuple, list)) or (isinstance(value, np.ndarray) and value.dtype == object and value.ndim):
        return dict(enumerate(value))
    return None


def objects_of(value: Any) -> Iterator[Any]:
    """Yield a value and all that it holds."""
    yield value
    for part in (parts_of(value) or {}).values():
        yield from objects_of(part)


def difference_between(name: str, expected: Any, found: Any) -> str | None:
    """Return what differs between two values, dtypes included, if anything does; NaN equals NaN."""
    parts, others = parts_of(expected), parts_of(found)
    if parts is None or others is None:
        a, b = np.asarray(expected), np.asarray(found)
        equal = a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind in "fc")
        with np.printoptions(precision=17):
            return None if equal else f"expected {name} {expected!r}, found {found!r}"
    if parts.keys() != others.keys():
        return f"expected {name} with the keys {list(parts)}, found {list(others)}"
    return next(filter(None, (difference_between(f"{name}[{key!r}]", parts[key], others[key]) for key in parts)), None)


def demand_equal(why: str, label: str, expected: list[Returned], found: list[Returned], chosen: Iterable[int]) -> None:
    """Demand that the chosen rows of two calls are equal."""
    for i in chosen:
        for key in expected[i]:
            difference = difference_between(key, expected[i][key], found[i][key])
            demand(difference is None, f"{label}, row {i}: {why}: {difference}")


def demand_same_game(why: str, expected: Iterable[Record], found: Iterable[Record]) -> None:
    """Demand that two recordings are equal, call by call and in every row."""
    for (label, one), (_, other) in zip(expected, found, strict=True):
        demand_equal(why, label, one, other, range(len(one)))


def demand_array(label: str, name: str, value: Any, dtype: Any, shape: tuple[int, ...] | None) -> None:
    """Demand an array of exactly this dtype and shape."""
    is_array = isinstance(value, np.ndarray)
    if not is_array or value.dtype != dtype or value.shape != shape:
        found = f"{value.dtype} of shape {value.shape}" if is_array else f"{type(value).__name__} {value!r:.300}"
        raise VectorEnvError(f"{label}: expected {name} to be {np.dtype(dtype)} of shape {shape}, found {found}")
