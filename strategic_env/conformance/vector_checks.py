"""The checks of a vector environment: each plays a case, and raises at the first fault that it finds."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces
from gymnasium.vector.utils import batch_space, iterate
from numpy.typing import NDArray

from strategic_env.conformance.recordings import (
    EPISODES,
    NEXT_STEP,
    SAME_STEP,
    Call,
    Case,
    Player,
    Seed,
    VectorEnvError,
    demand,
    demand_array,
    demand_equal,
    demand_refusal,
    demand_same_game,
    difference_between,
    is_mask,
    join_actions,
    objects_of,
    parts_of,
)


def check_metadata(case: Case) -> None:
    """``metadata["autoreset_mode"]`` tells the mode, and goes on telling it when others are made in other modes."""
    env = case.env()
    for when in ("", " after environments with other modes were made"):
        found = env.metadata.get("autoreset_mode")
        demand(found is case.mode, f'expected metadata["autoreset_mode"] to be {case.mode}{when}, found {found!r}')
        for mode in case.modes:
            replace(case, mode=mode).env()


def check_spaces(case: Case) -> None:
    """Spaces of the batch are those of one row, batched; and the same objects each time."""
    env = case.env()
    demand(env.num_envs == case.num_envs, f"expected num_envs to be {case.num_envs}, found {env.num_envs!r}")
    for name in ("observation_space", "action_space"):
        expected, found = batch_space(getattr(env, f"single_{name}"), case.num_envs), getattr(env, name)
        rule = f"batch_space(single_{name}, {case.num_envs})"
        demand(found == expected, f"expected {name} to be {rule} = {expected}, found {found}")
        for same in (name, f"single_{name}"):
            found = getattr(env, same)
            demand(getattr(env, same) is found, f"expected {same} to be one object, found a new one each time")


def check_flags(case: Case) -> None:
    """Terminations and truncations are boolean arrays with one entry a row."""
    for call in case.player().steps_of(case.seed):
        for name in ("terminations", "truncations"):
            demand_array(call.label, name, call[name], bool, (case.num_envs,))


def check_episodes(case: Case) -> None:
    """Episodes end within the steps, or the other checks would see little."""
    player = case.player()
    for _ in player.play(case.seed):
        pass
    row = int(player.ends.argmin())
    demand(
        player.ends[row] >= EPISODES,
        f"expected every row to end {EPISODES} episodes within steps={case.steps}, found {player.ends[row]} in row "
        f"{row}; give more steps or an environment with shorter episodes",
    )


def check_rewards(case: Case) -> None:
    """Rewards are a float64 array with one entry a row."""
    for call in case.player().steps_of(case.seed):
        demand_array(call.label, "rewards", call["rewards"], np.float64, (case.num_envs,))


def check_observations(case: Case) -> None:
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
        demand_array(label, name, value, space.dtype, space.shape)
    elif isinstance(space, (spaces.Dict, spaces.Tuple)):
        kind = dict if isinstance(space, spaces.Dict) else tuple
        members, parts = parts_of(space.spaces) or {}, parts_of(value) or {}
        if not isinstance(value, kind) or parts.keys() != members.keys():
            raise VectorEnvError(
                f"{label}: expected {name} to be a {kind.__name__} of {list(members)}, found {value!r:.300}"
            )
        for key, member in members.items():
            _demand_layout(label, f"{name}[{key!r}]", member, parts[key])


def check_infos(case: Case) -> None:
    """Infos are a dict of arrays, each with a boolean mask ``_key`` that tells which rows it speaks of."""
    for call in case.player().play(case.seed):
        if not isinstance(call["infos"], dict):
            raise VectorEnvError(f"{call.label}: expected infos to be a dict, found {call['infos']!r:.300}")
        _demand_masks(case, call.label, "infos", call["infos"])


def _demand_masks(case: Case, label: str, name: str, infos: dict[str, Any], nested: bool = False) -> None:
    """Demand arrays and masks; inside a nested dict the mask of the whole is enough."""
    for key, value in infos.items():
        if is_mask(key, infos):
            continue
        if not nested or f"_{key}" in infos:
            demand_array(label, f"{name}['_{key}']", infos.get(f"_{key}"), bool, (case.num_envs,))
        entry = f"{name}[{key!r}]"
        if isinstance(value, dict) and key != "final_obs":
            _demand_masks(case, label, entry, value, nested=True)
        elif not isinstance(value, np.ndarray) or value.shape[:1] != (case.num_envs,):
            raise VectorEnvError(
                f"{label}: expected {entry} to be an array of {case.num_envs} rows, found {value!r:.300}"
            )


def check_actions(case: Case) -> None:
    """Actions are left as they are; those of too few or too many rows are refused."""
    player = case.player()
    untouched = player.actions()
    for call in player.steps_of(case.seed):
        difference = difference_between("actions", next(untouched), call.actions)
        demand(difference is None, f"{call.label}: the actions were modified: {difference}")
    for rows in {case.num_envs - 1, case.num_envs + 1} - {0}:
        env = case.env()
        env.reset(seed=case.seed)
        wrong = batch_space(env.single_action_space, rows).sample()
        demand_refusal(f"step with the actions of {rows} rows", env.step, wrong)


def check_seeds(case: Case) -> None:
    """One seed is one game: in another instance, beyond a reset without a seed, and when it is given again."""
    one, other = case.player(), case.player()
    first = list(one.record(case.seed))
    demand_same_game("the same seed in another instance", first, other.record(case.seed))
    demand_same_game("the same seed, then reset(), in another instance", list(one.record()), other.record())
    demand_same_game("the same seed again in the same instance", first, one.record(case.seed))


def check_seed_list(case: Case) -> None:
    """A list of seeds, one a row, is accepted; one of another length is refused."""
    one, other = case.player(), case.player()
    demand_same_game("the same list of seeds", list(one.record(case.seeds)), other.record(case.seeds))
    demand_refusal(f"reset with {case.num_envs + 1} seeds", one.env.reset, seed=[*case.seeds, 0])


def check_variety(case: Case) -> None:
    """Given equal actions, rows differ; so do other seeds, and the game after ``reset()``."""
    player = case.player()
    games = (player.record(seed, player.equal_actions()) for seed in (case.seed, None, case.seed + 1))
    first, after, other = ([rows for _, rows in game] for game in games)
    hint = "skip 'variety' if the environment is deterministic"
    for i, j in combinations(range(case.num_envs), 2):
        same = all(difference_between("", rows[i], rows[j]) is None for rows in first)
        demand(not same, f"expected rows to play different games, found the same in rows {i} and {j}; {hint}")
    for what, game in (("reset() without a seed", after), ("another seed", other)):
        demand(difference_between("", first, game), f"expected {what} to begin another game, found the same; {hint}")


def check_autoreset(case: Case) -> None:
    """Rows that ended are treated as the mode says."""
    if case.mode is SAME_STEP:
        _check_final(case)
        return
    for call in case.player().play(case.seed):
        found = sorted({"final_obs", "final_info"} & call["infos"].keys())
        demand(not found, f"{call.label}: expected final observations and infos in SAME_STEP only, found {found}")
    if case.mode is NEXT_STEP:
        _check_idle_step(case)


def _check_final(case: Case) -> None:
    """The step of an end returns the last observation and info in ``final_obs`` and ``final_info``."""
    player = case.player()
    space = player.env.single_observation_space
    for call in player.steps_of(case.seed):
        infos, ended = call["infos"], call.ended
        for key in ("final_obs", "final_info"):
            found = infos.get(f"_{key}", np.zeros(case.num_envs, bool)) if key in infos else "no such key"
            right = np.array_equal(found, ended) if key in infos else not ended.any()
            demand(right, f"{call.label}: expected infos[{key!r}] for the rows {ended} that ended, found {found}")
        for i in np.flatnonzero(ended):
            final = infos["final_obs"][i]
            demand(final in space, f"{call.label}, row {i}: expected final_obs inside {space}, found {final!r:.300}")


def _check_idle_step(case: Case) -> None:
    """The step after an end pays 0, raises no flag and ignores the row's action."""
    player, other = case.player(), case.player()
    idle = np.zeros(case.num_envs, bool)
    calls = zip(player.record(case.seed), other.play(case.seed, _changed_actions(other)), strict=True)
    for (label, expected), call in calls:
        for i in np.flatnonzero(idle):
            found = [expected[i][key] for key in ("reward", "termination", "truncation")]
            demand(
                found == [0.0, False, False],
                f"{label}, row {i}: expected reward 0 and no flags in the step after an end, found {found}",
            )
        why = "another action in the step after an end"
        demand_equal(why, label, expected, call.rows(other.env), range(case.num_envs))
        idle = call.ended if call.is_step else idle


def _changed_actions(player: Player) -> Iterator[Any]:
    """Yield the usual actions, but others for rows that have just ended."""
    space = player.env.action_space
    for batches in zip(player.actions(), player.actions(player.case.seed + 1), strict=True):
        choices = zip(player.ended, *(iterate(space, batch) for batch in batches), strict=True)
        yield join_actions(player.env.single_action_space, [two if ended else one for ended, one, two in choices])


def check_single_form(case: Case) -> None:
    """Every row is, number for number, what the single form plays after a reset with the row's seed, and beyond."""
    own, reference = case.player(), Player(case, case.reference())
    for name in ("observation_space", "action_space"):
        expected, found = getattr(reference.env, name), getattr(own.env, name)
        demand(expected == found, f"expected {name} to be the single form's, batched: {expected}, found {found}")
    _demand_single_form(own, reference, case.seeds)
    _demand_single_form(own, reference, None)


def _demand_single_form(own: Player, reference: Player, seeds: Seed, masked: bool = False) -> None:
    why = "unlike the single form" if own.case.single else "unlike itself at num_envs=1"

    def compare(expected: Call, found: Call) -> None:
        rows = expected.rows(reference.env), found.rows(own.env)
        demand_equal(why, found.label, *rows, range(own.case.num_envs))

    compare(reference.reset(seeds), own.reset(seeds))
    actions = own.actions()
    while not reference.over:
        batch = next(actions)
        for expected, found in zip(reference.advance(batch), own.advance(batch), strict=True):
            compare(expected, found)
        if masked and reference.mask_is_due:
            compare(reference.reset(mask=own.case.mask), own.reset(mask=own.case.mask))


def check_reset_mask(case: Case) -> None:
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
        demand_equal("a row outside the mask goes on as if nothing had happened", label, expected, found, others)
        if masked.mask_is_due:
            call = masked.reset(mask=case.mask)
            before, after = (
                [{"observation": row["observation"]} for row in rows] for rows in (found, call.rows(masked.env))
            )
            demand_equal("a row outside the mask keeps its observation", call.label, before, after, others)
    env = case.env()
    env.reset(seed=case.seed)
    mask = case.mask
    env.reset(options={"reset_mask": mask})
    demand(np.array_equal(mask, case.mask), f"expected reset_mask to stay {case.mask}, found it changed to {mask}")
    for wrong in (np.ones(case.num_envs + 1, bool), np.ones(case.num_envs, np.int64)):
        what = f"a reset_mask of dtype {wrong.dtype} and shape {wrong.shape}"
        demand_refusal(what, env.reset, options={"reset_mask": wrong})


def check_single_form_masked(case: Case) -> None:
    """Rows of a mask begin what the single form plays after ``reset()``, in mid-episode and after an end."""
    _demand_single_form(case.player(), Player(case, case.reference()), case.seeds, masked=True)


def check_memory(case: Case) -> None:
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
        for part in objects_of(value):
            if isinstance(part, (dict, list)):
                owner, other = owners.setdefault(id(part), (call, name))
                demand(owner == call, f"expected fresh objects, found one {type(part).__name__} in {other} and {name}")
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


def check_writing(case: Case) -> None:
    """Writing into what was returned, or later into the actions, does not change the game."""
    kept, spoiled = case.player(), case.player()
    why = "after writing into what earlier calls returned or were given"
    for (label, expected), call in zip(kept.record(case.seed), spoiled.play(case.seed), strict=True):
        demand_equal(why, label, expected, call.rows(spoiled.env), range(case.num_envs))
        for value in (*call.returned.values(), call.actions):
            _overwrite(value)


def _overwrite(value: Any) -> None:
    """Change every number that a value holds, and empty every dict."""
    for part in list(objects_of(value)):
        if isinstance(part, dict):
            part.clear()
        elif isinstance(part, np.ndarray) and part.flags.writeable and part.dtype.kind in "biufc":
            part[...] = part == 0


def check_close(case: Case) -> None:
    """Closing twice is fine."""
    env = case.env()
    env.reset(seed=case.seed)
    env.close()
    env.close()
