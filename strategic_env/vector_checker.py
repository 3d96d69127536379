"""A checker for Gymnasium vector environments, of any game: it knows nothing of this project's.

Row i of a vector environment is its sub-environment i. Right is what Gymnasium's `SyncVectorEnv` does with single
environments; a native vector environment is compared with that, number for number.
"""

import importlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, NamedTuple, TypeAlias

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array, iterate
from numpy.typing import NDArray

from agents.checks import count, one_of

AnyVectorEnv: TypeAlias = VectorEnv[Any, Any, Any]
AnyEnv: TypeAlias = gymnasium.Env[Any, Any]
Seed: TypeAlias = int | list[int] | None
Row: TypeAlias = dict[str, Any]
Record: TypeAlias = tuple[str, list[Row]]

NEXT_STEP, SAME_STEP, DISABLED = AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP, AutoresetMode.DISABLED
RESET = ("observations", "infos")
STEP = ("observations", "rewards", "terminations", "truncations", "infos")
EPISODES = 2


class VectorEnvError(AssertionError):
    """A vector environment breaks a rule: which check, in which mode, at which step, what was expected and found."""


def check_vector_env(
    make: str | Callable[..., AnyVectorEnv],
    *,
    single: Callable[[], AnyEnv] | None = None,
    num_envs: int = 4,
    modes: Sequence[AutoresetMode | str] = tuple(AutoresetMode),
    skip: Collection[str] = (),
    steps: int = 10_000,
    seed: int = 0,
) -> None:
    """Check a vector environment against Gymnasium's conventions, in every autoreset mode, and stop at the first fault.

    Random actions are played until every row has ended two episodes, many times over: give it short ones.

    Parameters
    ----------
    make : str or callable
        ``make(num_envs=..., autoreset_mode=...)`` returns a fresh vector environment: a class or a function. An id of
        Gymnasium's registry stands for `gymnasium.make_vec`, and `gymnasium.make` is then its single form.
    single : callable, optional
        ``single()`` returns a fresh environment of one row. After ``reset(seed=[s_0, s_1, ...])`` row i must play what
        this one plays after ``reset(seed=s_i)``, and continue as it does after each further ``reset()``. Without it the
        vector environment is compared with itself at ``num_envs=1``.
    num_envs : int
        Number of rows, at least 2; one row alone is checked besides.
    modes : sequence of AutoresetMode or str
        The autoreset modes that the environment offers.
    skip : collection of str
        Names of checks to leave out, of those in ``CHECKS``: ``["variety"]`` for a game without randomness.
    steps : int
        How many steps a check plays at most.
    seed : int
        Of the environments and of the actions.

    Raises
    ------
    VectorEnvError
        At the first fault (an AssertionError).
    TypeError, ValueError
        If an argument is of the wrong kind or value.
    """
    if isinstance(make, str):
        make, registered = _from_registry(make)
        single = single or registered
    num_envs, steps = count("num_envs", num_envs, minimum=2), count("steps", steps, minimum=2)
    seed = count("seed", seed)
    skipped = {one_of("skip", name, tuple(CHECKS)) for name in skip}
    offered = tuple(AutoresetMode(mode) for mode in modes)
    if not offered:
        raise ValueError("modes must name at least one AutoresetMode, got none")
    if single is None and set(offered) == {SAME_STEP} and not skipped >= {"single_form", "single_form_masked"}:
        raise ValueError("modes=[SAME_STEP] alone needs single=, or skip=['single_form', 'single_form_masked']")
    for mode in offered:
        for rows in (num_envs, 1):
            case = _Case(make, single, offered, mode, rows, steps, seed)
            for name in CHECKS:
                if name not in skipped:
                    _run(name, case)


def _from_registry(name: str) -> tuple[Callable[..., AnyVectorEnv], Callable[[], AnyEnv] | None]:
    """Return how to make the registered vector environment, and its single form if it has one."""
    module, _, identifier = name.rpartition(":")
    if module:
        importlib.import_module(module)
    spec = gymnasium.spec(identifier)

    def make(num_envs: int, autoreset_mode: AutoresetMode) -> AnyVectorEnv:
        if spec.vector_entry_point is None:
            return gymnasium.make_vec(spec, num_envs, vector_kwargs={"autoreset_mode": autoreset_mode})
        return gymnasium.make_vec(spec, num_envs, autoreset_mode=autoreset_mode)

    return make, None if spec.entry_point is None else lambda: gymnasium.make(spec)


def _run(name: str, case: "_Case") -> None:
    """Run one check; whatever goes wrong is reported with its name and mode."""
    where = f"{name} ({case.mode.name}, num_envs={case.num_envs})"
    try:
        CHECKS[name](case)
    except VectorEnvError as fault:
        raise VectorEnvError(f"{where}: {fault}") from None
    except Exception as error:
        raise VectorEnvError(f"{where}: expected no exception, found {error!r}") from error
    finally:
        while case.made:
            with suppress(Exception):  # whether it can be closed is a check of its own
                case.made.pop().close()


def _demand(right: object, message: str) -> None:
    if not right:
        raise VectorEnvError(message)


def _demand_refusal(what: str, call: Callable[..., object], *arguments: Any, **options: Any) -> None:
    """Demand that a call with a wrong argument raises, whatever the kind of error."""
    try:
        call(*arguments, **options)
    except Exception:
        return
    raise VectorEnvError(f"expected {what} to raise an error, found that it is accepted")


# Playing


@dataclass(frozen=True)
class _Case:
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
        env = self.make(num_envs=self.num_envs, autoreset_mode=self.mode)
        _demand(isinstance(env, VectorEnv), f"expected make to return a gymnasium.vector.VectorEnv, found {env!r}")
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

    def player(self) -> "_Player":
        return _Player(self, self.env())


class _OneRow(gymnasium.Env[Any, Any]):
    """A vector environment of one row, in a mode that leaves the reset to us, as a single environment."""

    def __init__(self, env: AnyVectorEnv) -> None:
        self.env = env
        self.observation_space, self.action_space = env.single_observation_space, env.single_action_space

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        seeds: Any = None if seed is None else [seed]
        row = _Call.of("reset", RESET, self.env.reset(seed=seeds)).rows(self.env)[0]
        return row["observation"], row["info"]

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        result = self.env.step(_batch(self.action_space, [action]))
        row = _Call.of("step", STEP, result).rows(self.env)[0]
        return row["observation"], row["reward"], row["termination"], row["truncation"], row["info"]


def _batch(space: spaces.Space[Any], actions: Sequence[Any]) -> Any:
    """Join the actions of the rows."""
    empty: Any = create_empty_array(space, len(actions))
    return concatenate(space, actions, empty)


@dataclass(frozen=True)
class _Call:
    """What one reset or step returned, untouched, by its name."""

    label: str
    returned: dict[str, Any]
    actions: Any = None

    @classmethod
    def of(cls, label: str, names: Sequence[str], result: Any, actions: Any = None) -> "_Call":
        if not isinstance(result, tuple) or len(result) != len(names):
            raise VectorEnvError(f"{label}: expected a tuple ({', '.join(names)}), found {result!r:.300}")
        return cls(label, dict(zip(names, result, strict=True)), actions)

    def __getitem__(self, name: str) -> Any:
        return self.returned[name]

    @property
    def is_step(self) -> bool:
        return "rewards" in self.returned

    @property
    def ended(self) -> NDArray[np.bool_]:
        """Which rows ended."""
        ended: NDArray[np.bool_] = np.logical_or(self["terminations"], self["truncations"])
        return ended

    def rows(self, env: AnyVectorEnv) -> list[Row]:
        """Return a copy, row by row; of the infos what the masks say."""
        rows = []
        for i, observation in enumerate(iterate(env.observation_space, self["observations"])):
            row = {"observation": observation, "info": _info_of_row(self["infos"], i)}
            if self.is_step:
                row["reward"] = float(self["rewards"][i])
                row["termination"], row["truncation"] = bool(self["terminations"][i]), bool(self["truncations"][i])
            rows.append(deepcopy(row))
        return rows


def _is_mask(key: str, infos: dict[str, Any]) -> bool:
    return key.startswith("_") and key[1:] in infos


def _info_of_row(infos: dict[str, Any], i: int) -> dict[str, Any]:
    row = {}
    for key, value in infos.items():
        mask = infos.get(f"_{key}")
        if not _is_mask(key, infos) and (mask is None or mask[i]):
            row[key] = _info_of_row(value, i) if isinstance(value, dict) else value[i]
    return row


class _Player:
    """Plays random actions until every row has ended its episodes, and resets what ended where the user has to."""

    def __init__(self, case: _Case, env: AnyVectorEnv) -> None:
        self.case, self.env = case, env
        self._begin()

    def _begin(self) -> None:
        self.steps = 0
        self.ended = np.zeros(self.case.num_envs, bool)
        self.ends = np.zeros(self.case.num_envs, int)

    @property
    def over(self) -> bool:
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
            yield _batch(space, [space.sample()] * self.case.num_envs)

    def reset(self, seed: Seed = None, mask: NDArray[np.bool_] | None = None) -> _Call:
        if mask is None:
            self._begin()
            seeds: Any = seed
            return _Call.of("reset", RESET, self.env.reset(seed=seeds))
        self.ended = self.ended & ~mask
        result = self.env.reset(options={"reset_mask": mask.copy()})
        return _Call.of(f"masked reset after step {self.steps}", RESET, result)

    def advance(self, actions: Any) -> Iterator[_Call]:
        """Step; in the disabled mode reset first what has ended."""
        if self.case.mode is DISABLED and self.ended.any():
            yield self.reset(mask=self.ended)
        self.steps += 1
        call = _Call.of(f"step {self.steps}", STEP, self.env.step(actions), actions)
        ended = call.ended  # before anybody writes into the flags
        yield call
        self.ended = ended
        self.ends += ended

    def play(self, seed: Seed = None, actions: Iterator[Any] | None = None) -> Iterator[_Call]:
        """Yield what every call returns, before the next one is made."""
        actions = actions or self.actions()
        yield self.reset(seed)
        while not self.over:
            yield from self.advance(next(actions))

    def steps_of(self, seed: int) -> Iterator[_Call]:
        return (call for call in self.play(seed) if call.is_step)

    def record(self, seed: Seed = None, actions: Iterator[Any] | None = None) -> Iterator[Record]:
        """Yield the label and a copy of what every call returns."""
        for call in self.play(seed, actions):
            yield call.label, call.rows(self.env)


# Comparing


def _parts(value: Any) -> dict[Any, Any] | None:
    """Return what a container holds, by key; None if it is none."""
    if isinstance(value, dict):
        return value
    if isinstance(value, (tuple, list)) or (isinstance(value, np.ndarray) and value.dtype == object and value.ndim):
        return dict(enumerate(value))
    return None


def _objects(value: Any) -> Iterator[Any]:
    """Yield a value and all that it holds."""
    yield value
    for part in (_parts(value) or {}).values():
        yield from _objects(part)


def _difference(name: str, expected: Any, found: Any) -> str | None:
    """Return what differs between two values, dtypes included, if anything does; NaN equals NaN."""
    parts, others = _parts(expected), _parts(found)
    if parts is None or others is None:
        a, b = np.asarray(expected), np.asarray(found)
        equal = a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind in "fc")
        return None if equal else f"expected {name} {expected!r}, found {found!r}"
    if parts.keys() != others.keys():
        return f"expected {name} with the keys {list(parts)}, found {list(others)}"
    return next(filter(None, (_difference(f"{name}[{key!r}]", parts[key], others[key]) for key in parts)), None)


def _demand_equal(why: str, label: str, expected: list[Row], found: list[Row], chosen: Iterable[int]) -> None:
    """Demand that the chosen rows of two calls are equal."""
    for i in chosen:
        for key in expected[i]:
            difference = _difference(key, expected[i][key], found[i][key])
            _demand(difference is None, f"{label}, row {i}: {why}: {difference}")


def _demand_same_game(why: str, expected: Iterable[Record], found: Iterable[Record]) -> None:
    for (label, one), (_, other) in zip(expected, found, strict=True):
        _demand_equal(why, label, one, other, range(len(one)))


def _demand_array(label: str, name: str, value: Any, dtype: Any, shape: tuple[int, ...] | None) -> None:
    """Demand an array of exactly this dtype and shape."""
    is_array = isinstance(value, np.ndarray)
    if not is_array or value.dtype != dtype or value.shape != shape:
        found = f"{value.dtype} of shape {value.shape}" if is_array else f"{type(value).__name__} {value!r:.300}"
        raise VectorEnvError(f"{label}: expected {name} to be {np.dtype(dtype)} of shape {shape}, found {found}")


# The checks


def _check_metadata(case: _Case) -> None:
    """``metadata["autoreset_mode"]`` tells the mode, and goes on telling it when others are made in other modes."""
    env = case.env()
    for when in ("", " after environments with other modes were made"):
        found = env.metadata.get("autoreset_mode")
        _demand(found is case.mode, f'expected metadata["autoreset_mode"] to be {case.mode}{when}, found {found!r}')
        for mode in case.modes:
            replace(case, mode=mode).env()


def _check_spaces(case: _Case) -> None:
    """Spaces of the batch are those of one row, batched; and the same objects each time."""
    env = case.env()
    _demand(env.num_envs == case.num_envs, f"expected num_envs to be {case.num_envs}, found {env.num_envs!r}")
    for name in ("observation_space", "action_space"):
        expected, found = batch_space(getattr(env, f"single_{name}"), case.num_envs), getattr(env, name)
        rule = f"batch_space(single_{name}, {case.num_envs})"
        _demand(found == expected, f"expected {name} to be {rule} = {expected}, found {found}")
        for same in (name, f"single_{name}"):
            found = getattr(env, same)
            _demand(getattr(env, same) is found, f"expected {same} to be one object, found a new one each time")


def _check_flags(case: _Case) -> None:
    """Terminations and truncations are boolean arrays with one entry a row."""
    for call in case.player().steps_of(case.seed):
        for name in ("terminations", "truncations"):
            _demand_array(call.label, name, call[name], bool, (case.num_envs,))


def _check_episodes(case: _Case) -> None:
    """Episodes end within the steps, or the other checks would see little."""
    player = case.player()
    for _ in player.play(case.seed):
        pass
    row = int(player.ends.argmin())
    _demand(
        player.ends[row] >= EPISODES,
        f"expected every row to end {EPISODES} episodes within steps={case.steps}, found {player.ends[row]} in row "
        f"{row}; give more steps or an environment with shorter episodes",
    )


def _check_rewards(case: _Case) -> None:
    """Rewards are a float64 array with one entry a row."""
    for call in case.player().steps_of(case.seed):
        _demand_array(call.label, "rewards", call["rewards"], np.float64, (case.num_envs,))


def _check_observations(case: _Case) -> None:
    """Observations have the containers, shapes and dtypes of their space, and lie inside it."""
    player = case.player()
    space = player.env.observation_space
    for call in player.play(case.seed):
        _demand_layout(call.label, "observations", space, call["observations"])
        if call["observations"] not in space:
            raise VectorEnvError(
                f"{call.label}: expected observations inside {space}, found {call['observations']!r:.300}"
            )


def _demand_layout(label: str, name: str, space: spaces.Space[Any], value: Any) -> None:
    """Demand the containers, shapes and dtypes of a batched space."""
    if isinstance(space, (spaces.Box, spaces.MultiDiscrete, spaces.MultiBinary)):
        _demand_array(label, name, value, space.dtype, space.shape)
    elif isinstance(space, (spaces.Dict, spaces.Tuple)):
        kind = dict if isinstance(space, spaces.Dict) else tuple
        members, parts = _parts(space.spaces) or {}, _parts(value) or {}
        if not isinstance(value, kind) or parts.keys() != members.keys():
            raise VectorEnvError(
                f"{label}: expected {name} to be a {kind.__name__} of {list(members)}, found {value!r:.300}"
            )
        for key, member in members.items():
            _demand_layout(label, f"{name}[{key!r}]", member, parts[key])


def _check_infos(case: _Case) -> None:
    """Infos are a dict of arrays, each with a boolean mask ``_key`` that tells which rows it speaks of."""
    for call in case.player().play(case.seed):
        if not isinstance(call["infos"], dict):
            raise VectorEnvError(f"{call.label}: expected infos to be a dict, found {call['infos']!r:.300}")
        _demand_masks(case, call.label, "infos", call["infos"])


def _demand_masks(case: _Case, label: str, name: str, infos: dict[str, Any], nested: bool = False) -> None:
    """Demand arrays and masks; inside a nested dict the mask of the whole is enough."""
    for key, value in infos.items():
        if _is_mask(key, infos):
            continue
        if not nested or f"_{key}" in infos:
            _demand_array(label, f"{name}['_{key}']", infos.get(f"_{key}"), bool, (case.num_envs,))
        entry = f"{name}[{key!r}]"
        if isinstance(value, dict) and key != "final_obs":
            _demand_masks(case, label, entry, value, nested=True)
        elif not isinstance(value, np.ndarray) or value.shape[:1] != (case.num_envs,):
            raise VectorEnvError(
                f"{label}: expected {entry} to be an array of {case.num_envs} rows, found {value!r:.300}"
            )


def _check_actions(case: _Case) -> None:
    """Actions are left as they are; those of too few or too many rows are refused."""
    player = case.player()
    untouched = player.actions()
    for call in player.steps_of(case.seed):
        difference = _difference("actions", next(untouched), call.actions)
        _demand(difference is None, f"{call.label}: the actions were modified: {difference}")
    for rows in {case.num_envs - 1, case.num_envs + 1} - {0}:
        env = case.env()
        env.reset(seed=case.seed)
        wrong = batch_space(env.single_action_space, rows).sample()
        _demand_refusal(f"step with the actions of {rows} rows", env.step, wrong)


def _check_seeds(case: _Case) -> None:
    """One seed is one game: in another instance, beyond a reset without a seed, and when it is given again."""
    one, other = case.player(), case.player()
    first = list(one.record(case.seed))
    _demand_same_game("the same seed in another instance", first, other.record(case.seed))
    _demand_same_game("the same seed, then reset(), in another instance", list(one.record()), other.record())
    _demand_same_game("the same seed again in the same instance", first, one.record(case.seed))


def _check_seed_list(case: _Case) -> None:
    """A list of seeds, one a row, is accepted; one of another length is refused."""
    one, other = case.player(), case.player()
    _demand_same_game("the same list of seeds", list(one.record(case.seeds)), other.record(case.seeds))
    _demand_refusal(f"reset with {case.num_envs + 1} seeds", one.env.reset, seed=[*case.seeds, 0])


def _check_variety(case: _Case) -> None:
    """Given equal actions, rows differ; so do other seeds, and the game after ``reset()``."""
    player = case.player()
    games = (player.record(seed, player.equal_actions()) for seed in (case.seed, None, case.seed + 1))
    first, after, other = ([rows for _, rows in game] for game in games)
    hint = "skip 'variety' if the environment is deterministic"
    for i, j in combinations(range(case.num_envs), 2):
        same = all(_difference("", rows[i], rows[j]) is None for rows in first)
        _demand(not same, f"expected rows to play different games, found the same in rows {i} and {j}; {hint}")
    for what, game in (("reset() without a seed", after), ("another seed", other)):
        _demand(_difference("", first, game), f"expected {what} to begin another game, found the same; {hint}")


def _check_autoreset(case: _Case) -> None:
    """Rows that ended are treated as the mode says."""
    if case.mode is SAME_STEP:
        _check_final(case)
        return
    for call in case.player().play(case.seed):
        found = sorted({"final_obs", "final_info"} & call["infos"].keys())
        _demand(not found, f"{call.label}: expected final observations and infos in SAME_STEP only, found {found}")
    if case.mode is NEXT_STEP:
        _check_idle_step(case)


def _check_final(case: _Case) -> None:
    """The step of an end returns the last observation and info in ``final_obs`` and ``final_info``."""
    player = case.player()
    space = player.env.single_observation_space
    for call in player.steps_of(case.seed):
        infos, ended = call["infos"], call.ended
        for key in ("final_obs", "final_info"):
            found = infos.get(f"_{key}", np.zeros(case.num_envs, bool)) if key in infos else "no such key"
            right = np.array_equal(found, ended) if key in infos else not ended.any()
            _demand(right, f"{call.label}: expected infos[{key!r}] for the rows {ended} that ended, found {found}")
        for i in np.flatnonzero(ended):
            final = infos["final_obs"][i]
            _demand(final in space, f"{call.label}, row {i}: expected final_obs inside {space}, found {final!r:.300}")


def _check_idle_step(case: _Case) -> None:
    """The step after an end pays 0, raises no flag and ignores the row's action."""
    player, other = case.player(), case.player()
    idle = np.zeros(case.num_envs, bool)
    calls = zip(player.record(case.seed), other.play(case.seed, _changed_actions(other)), strict=True)
    for (label, expected), call in calls:
        for i in np.flatnonzero(idle):
            found = [expected[i][key] for key in ("reward", "termination", "truncation")]
            _demand(
                found == [0.0, False, False],
                f"{label}, row {i}: expected reward 0 and no flags in the step after an end, found {found}",
            )
        why = "another action in the step after an end"
        _demand_equal(why, label, expected, call.rows(other.env), range(case.num_envs))
        idle = call.ended if call.is_step else idle


def _changed_actions(player: _Player) -> Iterator[Any]:
    """Yield the usual actions, but others for rows that have just ended."""
    space = player.env.action_space
    for batches in zip(player.actions(), player.actions(player.case.seed + 1), strict=True):
        choices = zip(player.ended, *(iterate(space, batch) for batch in batches), strict=True)
        yield _batch(player.env.single_action_space, [two if ended else one for ended, one, two in choices])


def _check_single_form(case: _Case) -> None:
    """Every row is, number for number, what the single form plays after a reset with the row's seed, and beyond."""
    own, reference = case.player(), _Player(case, case.reference())
    for name in ("observation_space", "action_space"):
        expected, found = getattr(reference.env, name), getattr(own.env, name)
        _demand(expected == found, f"expected {name} to be the single form's, batched: {expected}, found {found}")
    _demand_single_form(own, reference, case.seeds)
    _demand_single_form(own, reference, None)


def _demand_single_form(own: _Player, reference: _Player, seeds: Seed, masked: bool = False) -> None:
    why = "unlike the single form" if own.case.single else "unlike itself at num_envs=1"

    def compare(expected: _Call, found: _Call) -> None:
        rows = expected.rows(reference.env), found.rows(own.env)
        _demand_equal(why, found.label, *rows, range(own.case.num_envs))

    compare(reference.reset(seeds), own.reset(seeds))
    actions = own.actions()
    while not reference.over:
        batch = next(actions)
        for expected, found in zip(reference.advance(batch), own.advance(batch), strict=True):
            compare(expected, found)
        if masked and reference.mask_is_due:
            compare(reference.reset(mask=own.case.mask), own.reset(mask=own.case.mask))


def _check_reset_mask(case: _Case) -> None:
    """``reset(options={"reset_mask": mask})`` leaves the other rows as they are; a wrong mask is refused."""
    kept, masked = case.player(), case.player()
    others = np.flatnonzero(~case.mask)
    kept.reset(case.seed)
    masked.reset(case.seed)
    actions = kept.actions()
    while not masked.over:
        batch = next(actions)
        *_, expected = (call.rows(kept.env) for call in kept.advance(batch))
        *_, (label, found) = ((call.label, call.rows(masked.env)) for call in masked.advance(batch))
        _demand_equal("a row outside the mask goes on as if nothing had happened", label, expected, found, others)
        if masked.mask_is_due:
            call = masked.reset(mask=case.mask)
            before, after = (
                [{"observation": row["observation"]} for row in rows] for rows in (found, call.rows(masked.env))
            )
            _demand_equal("a row outside the mask keeps its observation", call.label, before, after, others)
    env = case.env()
    env.reset(seed=case.seed)
    mask = case.mask
    env.reset(options={"reset_mask": mask})
    _demand(np.array_equal(mask, case.mask), f"expected reset_mask to stay {case.mask}, found it changed to {mask}")
    for wrong in (np.ones(case.num_envs + 1, bool), np.ones(case.num_envs, np.int64)):
        what = f"a reset_mask of dtype {wrong.dtype} and shape {wrong.shape}"
        _demand_refusal(what, env.reset, options={"reset_mask": wrong})


def _check_single_form_masked(case: _Case) -> None:
    """Rows of a mask begin what the single form plays after ``reset()``, in mid-episode and after an end."""
    _demand_single_form(case.player(), _Player(case, case.reference()), case.seeds, masked=True)


def _check_memory(case: _Case) -> None:
    """What a call returns shares no memory with what others return, in this instance or another, nor with actions."""
    values: list[tuple[int, str, Any]] = []
    for instance in ("one instance", "another instance"):
        for call in case.player().play(case.seed):
            number, where = len(values), f"{call.label} of {instance}"
            values += [(number, f"{name} of {where}", value) for name, value in call.returned.items()]
            values += [(number + 1, f"actions of {where}", call.actions)]
    _demand_disjoint(values)


def _demand_disjoint(values: list[tuple[int, str, Any]]) -> None:
    """Demand that values of different calls, given as (call, name, value), share no dict, list or memory of arrays."""
    owners: dict[int, tuple[int, str]] = {}
    spans: list[_Span] = []
    for call, name, value in values:
        for part in _objects(value):
            if isinstance(part, (dict, list)):
                owner, other = owners.setdefault(id(part), (call, name))
                _demand(owner == call, f"expected fresh objects, found one {type(part).__name__} in {other} and {name}")
            elif isinstance(part, np.ndarray) and part.size:
                spans.append(_Span(*_addresses(part), call, name, part))
    spans.sort(key=lambda span: span.start)
    earliest = min(_shared(spans), default=None)
    if earliest:
        raise VectorEnvError(f"expected fresh arrays, found memory shared by {' and '.join(earliest[2:])}")


class _Span(NamedTuple):
    start: int
    end: int
    call: int
    name: str
    array: NDArray[Any]


def _shared(spans: list[_Span]) -> Iterator[tuple[int, int, str, str]]:
    """Yield which calls share memory, the earlier one first; the spans come in the order of their addresses."""
    for place, one in enumerate(spans):
        for later in range(place + 1, len(spans)):
            other = spans[later]
            if other.start >= one.end:
                break
            if one.call != other.call and np.shares_memory(one.array, other.array):
                first, second = sorted((one, other), key=lambda span: span.call)
                yield first.call, second.call, first.name, second.name


def _addresses(array: NDArray[Any]) -> tuple[int, int]:
    """Return the first address of an array and the one after its last."""
    reaches = [(length - 1) * stride for length, stride in zip(array.shape, array.strides, strict=True)]
    below, above = sum(min(reach, 0) for reach in reaches), sum(max(reach, 0) for reach in reaches)
    return array.ctypes.data + below, array.ctypes.data + above + array.itemsize


def _check_writing(case: _Case) -> None:
    """Writing into what was returned, or later into the actions, does not change the game."""
    kept, spoiled = case.player(), case.player()
    why = "after writing into what earlier calls returned or were given"
    for (label, expected), call in zip(kept.record(case.seed), spoiled.play(case.seed), strict=True):
        _demand_equal(why, label, expected, call.rows(spoiled.env), range(case.num_envs))
        for value in (*call.returned.values(), call.actions):
            _overwrite(value)


def _overwrite(value: Any) -> None:
    """Change every number that a value holds, and empty every dict."""
    for part in list(_objects(value)):
        if isinstance(part, dict):
            part.clear()
        elif isinstance(part, np.ndarray) and part.flags.writeable and part.dtype.kind in "biufc":
            part[...] = part == 0


def _check_close(case: _Case) -> None:
    """Closing twice is fine."""
    env = case.env()
    env.reset(seed=case.seed)
    env.close()
    env.close()


CHECKS: dict[str, Callable[[_Case], None]] = {
    "metadata": _check_metadata,
    "spaces": _check_spaces,
    "flags": _check_flags,
    "episodes": _check_episodes,
    "rewards": _check_rewards,
    "observations": _check_observations,
    "infos": _check_infos,
    "actions": _check_actions,
    "seeds": _check_seeds,
    "seed_list": _check_seed_list,
    "variety": _check_variety,
    "autoreset": _check_autoreset,
    "single_form": _check_single_form,
    "reset_mask": _check_reset_mask,
    "single_form_masked": _check_single_form_masked,
    "memory": _check_memory,
    "writing": _check_writing,
    "close": _check_close,
}
