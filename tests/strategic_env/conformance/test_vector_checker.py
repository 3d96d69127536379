"""The checker of vector environments: a correct one passes, and every fault is found and named."""

import re
from collections.abc import Callable
from copy import deepcopy
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.spaces import Box, Dict, Discrete
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv
from gymnasium.vector.utils import batch_space

from strategic_env.conformance.vector_checker import CHECKS, VectorEnvError, check_vector_env

ROOT = Path(__file__).parents[3]
NEXT_STEP, SAME_STEP, DISABLED = AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP, AutoresetMode.DISABLED
OBSERVATIONS = Dict({"position": Box(-20, 20, (2,), np.float32), "count": Discrete(10)})
ACTIONS = Box(-1, 1, (2,), np.float64)
HORIZON = 4
# What the checker finds on SyncVectorEnv before Gymnasium 1.4.
KNOWN = [] if tuple(map(int, gymnasium.__version__.split(".")[:2])) >= (1, 4) else ["metadata", "actions"]


def moved(
    position: np.ndarray, action: np.ndarray, count: int, random: np.random.Generator
) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
    """One step of a random walk: the new position, the reward, the flags and the info."""
    noise = random.normal(size=2)
    position = position + (action + noise).astype(np.float32)
    info = {"noise": noise, "distance": float(abs(position).max()), "detail": {"left": bool(position[0] < 0)}}
    return position, float(position[0]), bool(random.random() < 0.2), count + 1 == HORIZON, info


class Walk(gymnasium.Env):
    observation_space, action_space = OBSERVATIONS, ACTIONS

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.position, self.count = self.np_random.random(2).astype(np.float32), 0
        return self.observation(), {"start": self.position.copy()}

    def step(self, action):
        self.position, *outcome = moved(self.position, action, self.count, self.np_random)
        self.count += 1
        return self.observation(), *outcome

    def observation(self):
        return {"position": self.position.copy(), "count": np.int64(self.count)}


class VectorWalk(VectorEnv):
    """N random walks, as a native vector environment should play them."""

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(self, num_envs: int, autoreset_mode: AutoresetMode):
        self.num_envs, self.mode = num_envs, autoreset_mode
        self.metadata = type(self).metadata | {"autoreset_mode": autoreset_mode}
        self.single_observation_space, self.single_action_space = OBSERVATIONS, ACTIONS
        self.observation_space, self.action_space = batch_space(OBSERVATIONS, num_envs), batch_space(ACTIONS, num_envs)
        self.randoms: list[Any] = [None] * num_envs
        self.position = np.zeros((num_envs, 2), np.float32)
        self.count = np.zeros(num_envs, np.int64)
        self.over = np.zeros(num_envs, bool)

    def reset(self, *, seed=None, options=None):
        mask = self.mask(options)
        infos: dict[str, Any] = {}
        for i, one in enumerate(self.seeds(seed)):
            if mask[i]:
                infos = self._add_info(infos, self.begin(i, one), i)
        self.forget(mask)
        return self.observations(), infos

    def step(self, actions):
        actions = self.checked(actions)
        assert self.mode is not DISABLED or not self.over.any()
        rewards, infos = np.zeros(self.num_envs), {}
        terminations, truncations = np.zeros(self.num_envs, bool), np.zeros(self.num_envs, bool)
        for i in range(self.num_envs):
            if self.mode is NEXT_STEP and self.over[i]:
                info = self.begin(i)
            else:
                rewards[i], terminations[i], truncations[i], info = self.move(i, actions[i])
                if self.mode is SAME_STEP and (terminations[i] or truncations[i]):
                    infos = self._add_info(infos, {"final_obs": self.row(i), "final_info": info}, i)
                    info = self.begin(i)
            infos = self._add_info(infos, info, i)
        self.over = terminations | truncations
        return self.observations(), rewards, terminations, truncations, infos

    def begin(self, i, seed=None):
        if seed is not None or self.randoms[i] is None:
            self.randoms[i] = np.random.default_rng(seed)
        self.position[i], self.count[i] = self.randoms[i].random(2), 0
        return {"start": self.position[i].copy()}

    def move(self, i, action):
        self.position[i], *outcome = moved(self.position[i], action, self.count[i], self.randoms[i])
        self.count[i] += 1
        return outcome

    def row(self, i):
        return {"position": self.position[i].copy(), "count": self.count[i]}

    def observations(self):
        return {"position": self.position.copy(), "count": self.count.copy()}

    def seeds(self, seed):
        if seed is None or isinstance(seed, int):
            return [seed if seed is None else seed + i for i in range(self.num_envs)]
        if len(seed) != self.num_envs:
            raise ValueError("one seed a row")
        return seed

    def mask(self, options):
        mask = (options or {}).get("reset_mask", np.ones(self.num_envs, bool))
        if mask.shape != (self.num_envs,) or mask.dtype != bool:
            raise ValueError("reset_mask")
        return mask

    def forget(self, mask):
        self.over = self.over & ~mask

    def checked(self, actions):
        if actions.shape != self.action_space.shape:
            raise ValueError("actions")
        return actions


FAULTS: list[Any] = []


def fault(check: str, message: str, *modes: AutoresetMode, **arguments: Any) -> Callable[[type], type]:
    """Register a broken environment, which the check must refuse in the first of these modes (all by default)."""

    def register(broken: type) -> type:
        options = {"single": Walk, "modes": modes or tuple(AutoresetMode)} | arguments
        FAULTS.append(pytest.param(broken, check, message, options, id=f"{check}-{broken.__name__}"))
        return broken

    return register


def after_step(change: Callable[..., Any]) -> Callable[..., Any]:
    """A step with changed results, given (self, observations, rewards, terminations, truncations, infos)."""
    return lambda self, actions: change(self, *VectorWalk.step(self, actions))


@fault("metadata", 'expected metadata["autoreset_mode"] to be AutoresetMode.NEXT_STEP, found None')
class ModeMissing(VectorWalk):
    def __init__(self, **options):
        super().__init__(**options)
        self.metadata = {"render_modes": []}


@fault("metadata", "found 'NextStep'")
class ModeAsText(VectorWalk):
    def __init__(self, **options):
        super().__init__(**options)
        self.metadata["autoreset_mode"] = self.mode.value


@fault("metadata", "after environments with other modes were made, found <AutoresetMode.DISABLED: 'Disabled'>")
class ModeInTheClass(VectorWalk):
    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(self, **options):
        super().__init__(**options)
        self.metadata = type(self).metadata
        self.metadata["autoreset_mode"] = self.mode


@fault("metadata", "expected make to return a gymnasium.vector.VectorEnv, found <")
class NoVectorEnv(Walk):
    def __new__(cls, **options):
        return Walk()


@fault("metadata", "expected no exception, found TypeError(")
class ModeUnknown(VectorWalk):
    def __init__(self, num_envs):
        super().__init__(num_envs, NEXT_STEP)


@fault("spaces", "expected num_envs to be 4, found 5")
class OneTooMany(VectorWalk):
    def __init__(self, num_envs, autoreset_mode):
        super().__init__(num_envs + 1, autoreset_mode)


@fault("spaces", "expected action_space to be batch_space(single_action_space, 4) = ")
class ActionsNotBatched(VectorWalk):
    def __init__(self, **options):
        super().__init__(**options)
        self.action_space = Box(-2, 2, (self.num_envs, 2), np.float64)


@fault("spaces", "expected single_action_space to be one object, found a new one each time")
class SpacesAnew(VectorWalk):
    single_action_space = property(lambda self: deepcopy(ACTIONS), lambda self, value: None)


@fault("flags", "step 1: expected terminations to be bool of shape (4,), found int8 of shape (4,)")
class FlagsOfIntegers(VectorWalk):
    step = after_step(lambda self, o, r, term, trunc, i: (o, r, term.astype(np.int8), trunc, i))


@fault("flags", "step 1: expected truncations to be bool of shape (4,), found bool of shape (4, 1)")
class FlagsInColumns(VectorWalk):
    step = after_step(lambda self, o, r, term, trunc, i: (o, r, term, trunc[:, None], i))


@fault("flags", "step 1: expected a tuple (observations, rewards, terminations, truncations, infos), found ")
class FourResults(VectorWalk):
    step = after_step(lambda self, o, r, term, trunc, i: (o, r, term | trunc, i))


@fault("episodes", "expected every row to end 2 episodes within steps=30, found 0 in row 0", steps=30)
class NoEnd(VectorWalk):
    step = after_step(lambda self, o, r, term, trunc, i: (o, r, term & False, trunc & False, i))


@fault("rewards", "step 1: expected rewards to be float64 of shape (4,), found float32 of shape (4,)")
class RewardsOfFloat32(VectorWalk):
    step = after_step(lambda self, o, r, *rest: (o, r.astype(np.float32), *rest))


@fault("rewards", "step 1: expected rewards to be float64 of shape (4,), found list [")
class RewardsInAList(VectorWalk):
    step = after_step(lambda self, o, r, *rest: (o, r.tolist(), *rest))


@fault(
    "observations",
    "reset: expected observations['position'] to be float32 of shape (4, 2), found float64 of shape (4, 2)",
)
class ObservationsOfFloat64(VectorWalk):
    def observations(self):
        return super().observations() | {"position": self.position.astype(np.float64)}


@fault("observations", "step 1: expected observations inside Dict(")
class ObservationsOutside(VectorWalk):
    def observations(self):
        return super().observations() | {"count": self.count * 10}


@fault("observations", "reset: expected observations to be a dict of ['count', 'position'], found ")
class ObservationsIncomplete(VectorWalk):
    def observations(self):
        return {"position": self.position.copy()}


@fault("infos", "step 1: expected infos to be a dict, found [")
class InfosInAList(VectorWalk):
    step = after_step(lambda self, *result: (*result[:-1], [{} for _ in range(self.num_envs)]))


@fault("infos", "step 1: expected infos['_noise'] to be bool of shape (4,), found NoneType None")
class MaskMissing(VectorWalk):
    def step(self, actions):
        *rest, infos = super().step(actions)
        return *rest, {key: value for key, value in infos.items() if key != "_noise"}


@fault("infos", "reset: expected infos['_start'] to be bool of shape (4,), found int64 of shape (4,)")
class MaskOfIntegers(VectorWalk):
    def reset(self, **options):
        observations, infos = super().reset(**options)
        return observations, infos | {"_start": infos["_start"].astype(np.int64)}


@fault("infos", "reset: expected infos['seed'] to be an array of 4 rows, found 7")
class InfoOfAll(VectorWalk):
    def reset(self, **options):
        observations, infos = super().reset(**options)
        return observations, infos | {"seed": 7, "_seed": infos["_start"]}


@fault("actions", "step 1: the actions were modified: expected actions array(")
class ActionsModified(VectorWalk):
    def checked(self, actions):
        np.round(actions, 1, out=super().checked(actions))
        return actions


@fault("actions", "expected step with the actions of 3 rows to raise an error, found that it is accepted")
class ActionsOfTooFew(VectorWalk):
    def checked(self, actions):
        return np.resize(actions, self.action_space.shape)


@fault("seeds", "reset, row 0: the same seed in another instance: expected observation['position']")
class Unseeded(VectorWalk):
    def seeds(self, seed):
        return [np.random.SeedSequence().entropy for _ in range(self.num_envs)]


@fault("seeds", "the same seed, then reset(), in another instance: expected observation['position']")
class UnseededLater(VectorWalk):
    def seeds(self, seed):
        return super().seeds(np.random.SeedSequence().entropy if seed is None else seed)


@fault("seeds", "row 0: the same seed again in the same instance: expected", NEXT_STEP)
class EndsOutliveTheSeed(VectorWalk):
    def forget(self, mask):
        pass


@fault("seed_list", "expected no exception, found TypeError(")
class NoListOfSeeds(VectorWalk):
    def seeds(self, seed):
        return [None if seed is None else seed + i for i in range(self.num_envs)]


@fault("seed_list", "expected reset with 5 seeds to raise an error, found that it is accepted")
class AnyListOfSeeds(VectorWalk):
    def seeds(self, seed):
        return super().seeds(seed[: self.num_envs] if isinstance(seed, list) else seed)


@fault("variety", "expected rows to play different games, found the same in rows 0 and 1; skip")
class RowsAlike(VectorWalk):
    def seeds(self, seed):
        return [seed] * self.num_envs if isinstance(seed, int) else super().seeds(seed)


@fault("variety", "expected reset() without a seed to begin another game, found the same")
class TheSameAgain(VectorWalk):
    def seeds(self, seed):
        self.first = super().seeds(self.first if seed is None else seed)
        return self.first


@fault("variety", "expected another seed to begin another game, found the same")
class SeedIgnored(VectorWalk):
    def seeds(self, seed):
        return super().seeds(0 if isinstance(seed, int) else seed)


@fault("autoreset", "expected final observations and infos in SAME_STEP only, found ['final_obs']", NEXT_STEP)
class FinalInNextStep(VectorWalk):
    def step(self, actions):
        *rest, infos = super().step(actions)
        return *rest, infos | {"final_obs": self.count.copy(), "_final_obs": self.over.copy()}


@fault("autoreset", "expected reward 0 and no flags in the step after an end, found [1.0, False, False]", NEXT_STEP)
class IdleStepPaid(VectorWalk):
    def step(self, actions):
        idle = self.over
        observations, rewards, *rest = super().step(actions)
        return observations, np.where(idle, 1.0, rewards), *rest


@fault("autoreset", "another action in the step after an end: expected observation['position'] array(", NEXT_STEP)
class IdleStepPlayed(VectorWalk):
    def step(self, actions):
        idle = self.over
        observations, *rest = super().step(actions)
        self.position[idle] += actions[idle].astype(np.float32)
        return self.observations(), *rest


@fault(
    "autoreset",
    "step 1: expected infos['final_obs'] for the rows [False False False  True] that ended, found no such key",
    SAME_STEP,
)
class FinalMissing(VectorWalk):
    def step(self, actions):
        *rest, infos = super().step(actions)
        return *rest, {key: value for key, value in infos.items() if "final_obs" not in key}


@fault("autoreset", "expected infos['final_info'] for the rows", SAME_STEP)
class FinalInfoOfAll(VectorWalk):
    def step(self, actions):
        *rest, infos = super().step(actions)
        return *rest, infos | ({"_final_info": np.ones(self.num_envs, bool)} if "final_info" in infos else {})


@fault("autoreset", "step 1, row 3: expected final_obs inside Dict(", SAME_STEP)
class FinalOutside(VectorWalk):
    def row(self, i):
        return super().row(i) | {"count": np.int64(99)}


@fault("reset_mask", "masked reset after step 1, row 1: a row outside the mask keeps its observation")
class MaskIgnored(VectorWalk):
    def mask(self, options):
        return super().mask(options) | True


@fault("reset_mask", "a row outside the mask goes on as if nothing had happened: expected", NEXT_STEP)
class EndsForgottenOutsideTheMask(VectorWalk):
    def forget(self, mask):
        self.over = self.over & False


@fault("reset_mask", "a row outside the mask goes on as if nothing had happened: expected", skip=["single_form"])
class OneStreamForAll(VectorWalk):
    def begin(self, i, seed=None):
        if i > 0 and self.randoms[0] is not None:
            self.randoms[i], seed = self.randoms[0], None
        return super().begin(i, seed)


@fault(
    "reset_mask", "expected reset_mask to stay [ True False  True False], found it changed to [False False False False]"
)
class MaskEmptied(VectorWalk):
    def reset(self, *, seed=None, options=None):
        result = super().reset(seed=seed, options=options)
        self.mask(options)[:] = False
        return result


@fault("reset_mask", "expected a reset_mask of dtype bool and shape (5,) to raise an error, found that it is accepted")
class AnyMaskShape(VectorWalk):
    def mask(self, options):
        return super().mask(options and {"reset_mask": options["reset_mask"][: self.num_envs]})


@fault("reset_mask", "expected a reset_mask of dtype int64 and shape (4,) to raise an error, found that it is accepted")
class AnyMaskType(VectorWalk):
    def mask(self, options):
        return super().mask(options and {"reset_mask": np.asarray(options["reset_mask"], bool)})


@fault("memory", "memory shared by observations of reset of one instance and observations of step 1 of one instance")
class BufferReused(VectorWalk):
    def observations(self):
        return super().observations() | {"position": self.position}


@fault("memory", "memory shared by rewards of step 1 of one instance and rewards of step 4 of one instance")
class RingOfBuffers(VectorWalk):
    turn = 0

    def __init__(self, **options):
        super().__init__(**options)
        self.ring = np.zeros((self.num_envs, 3))

    def step(self, actions):
        observations, rewards, *rest = super().step(actions)
        self.turn = (self.turn + 1) % 3
        self.ring[:, self.turn] = rewards
        return observations, self.ring[:, self.turn], *rest


@fault("memory", "memory shared by infos of step 1 of one instance and infos of step", SAME_STEP)
class FinalBufferReused(VectorWalk):
    final = None

    def row(self, i):
        self.final = np.zeros_like(self.position) if self.final is None else self.final
        self.final[i] = self.position[i]
        return super().row(i) | {"position": self.final[i]}


@fault(
    "memory",
    "found memory shared by infos of step 1 of one instance and actions of step 1 of one instance",
    DISABLED,
    single=None,
)
class ActionsEchoed(VectorWalk):
    def step(self, actions):
        *rest, infos = super().step(actions)
        return *rest, infos | {"action": actions, "_action": np.ones(self.num_envs, bool)}


CONSTANT: dict[str, Any] = {}


@fault(
    "memory",
    "expected fresh objects, found one dict in infos of reset of one instance and infos of reset of another instance",
    skip=["single_form", "single_form_masked"],
)
class InfosShared(VectorWalk):
    def reset(self, **options):
        return super().reset(**options)[0], CONSTANT


@fault("writing", "step 1, row 0: after writing into what earlier calls returned or were given")
class StateHandedOut(VectorWalk):
    def observations(self):
        self.position = self.position.copy()
        return super().observations() | {"position": self.position}


@fault(
    "writing",
    "step 2, row 0: after writing into what earlier calls returned or were given: expected reward",
    SAME_STEP,
    skip=["single_form", "single_form_masked"],
)
class ActionsKept(VectorWalk):
    kept = None

    def step(self, actions):
        last, self.kept = self.kept, actions
        observations, rewards, *rest = super().step(actions)
        return observations, rewards if last is None else rewards + last[:, 0], *rest

    def reset(self, *, seed=None, options=None):
        self.kept = self.kept if options else None
        return super().reset(seed=seed, options=options)


@fault("single_form", "reset, row 0: unlike the single form: expected observation['position']")
class OtherStart(VectorWalk):
    def begin(self, i, seed=None):
        info = super().begin(i, seed)
        self.position[i] /= 2
        return info


@fault("single_form", "unlike the single form: expected info['distance'] ")
class OtherInfo(VectorWalk):
    def move(self, i, action):
        *outcome, info = super().move(i, action)
        return *outcome, info | {"distance": info["distance"] + 1e-12}


@fault(
    "single_form",
    "unlike the single form: expected info with the keys ['noise', 'distance', 'detail'], found ['noise', 'distance'",
)
class MoreInfo(VectorWalk):
    def move(self, i, action):
        *outcome, info = super().move(i, action)
        return *outcome, info | {"row": i}


@fault("single_form", "unlike the single form: expected termination True, found False")
class TerminationTruncates(VectorWalk):
    step = after_step(lambda self, o, r, term, trunc, i: (o, r, term & False, term | trunc, i))


@fault("single_form_masked", "step 5, row 0: unlike the single form: expected", NEXT_STEP)
class EndsOutliveTheMask(VectorWalk):
    def forget(self, mask):
        super().forget(mask & mask.all())


@fault("single_form", "unlike the single form: expected info['final_obs']", SAME_STEP)
class FinalIsTheReset(VectorWalk):
    def step(self, actions):
        *rest, infos = super().step(actions)
        for i in np.flatnonzero(infos.get("_final_obs", [])):
            infos["final_obs"][i] = self.row(i)
        return *rest, infos


@fault("single_form", "unlike the single form: expected observation['", SAME_STEP)
class FinalIsTheObservation(VectorWalk):
    def step(self, actions):
        observations, *rest, infos = super().step(actions)
        for i in np.flatnonzero(infos.get("_final_obs", [])):
            for key, value in infos["final_obs"][i].items():
                observations[key][i] = value
        return observations, *rest, infos


@fault("autoreset", "expected reward 0 and no flags in the step after an end, found [", NEXT_STEP)
class ResetInTheSameStep(VectorWalk):
    def step(self, actions):
        _, *rest = super().step(actions)
        for i in np.flatnonzero(self.over):
            self.begin(i)
        self.over = self.over & False
        return self.observations(), *rest


@fault("single_form", "step 4, row 0: unlike the single form: expected observation['", DISABLED)
class ResetWhereDisabled(ResetInTheSameStep):
    pass


@fault("single_form_masked", "masked reset after step 1, row 0: unlike the single form: expected observation['")
class ResetsNobody(VectorWalk):
    def mask(self, options):
        mask = super().mask(options)
        return mask & False if options else mask


@fault("single_form", "step 1, row 0: unlike itself at num_envs=1: expected reward ", single=None)
class RewardsDivided(VectorWalk):
    step = after_step(lambda self, o, r, *rest: (o, r / self.num_envs, *rest))


@fault("close", "expected no exception, found RuntimeError('closed already')")
class ClosedOnce(VectorWalk):
    def close(self, **options):
        if self.closed:
            raise RuntimeError("closed already")
        super().close(**options)


@fault("observations", "reset: expected observations['position'] to be float32 of shape (1, 2)")
class OneRowSqueezed(VectorWalk):
    def observations(self):
        return super().observations() | {"position": self.position.copy().squeeze()}


@pytest.mark.parametrize(("broken", "check", "message", "options"), FAULTS)
def test_every_fault_is_found_and_named(broken: type, check: str, message: str, options: dict[str, Any]) -> None:
    with pytest.raises(VectorEnvError) as caught:
        check_vector_env(broken, **options)
    found = str(caught.value)
    assert found.startswith(f"{check} ({options['modes'][0].name}, num_envs=")
    assert message in found


def test_every_check_finds_a_fault() -> None:
    assert {param.values[1] for param in FAULTS} == set(CHECKS)


@pytest.mark.parametrize("single", [Walk, None], ids=["beside its single form", "alone"])
def test_a_correct_environment_passes_in_all_modes(single: Callable[[], gymnasium.Env] | None) -> None:
    check_vector_env(VectorWalk, single=single)


def test_sync_vector_env_passes_in_all_modes() -> None:
    def make(num_envs: int, autoreset_mode: AutoresetMode) -> SyncVectorEnv:
        return SyncVectorEnv([partial(gymnasium.make, "CartPole-v1")] * num_envs, autoreset_mode=autoreset_mode)

    check_vector_env(make, num_envs=3, skip=KNOWN)


def test_an_id_without_a_native_form_stands_for_sync_vector_env() -> None:
    check_vector_env("gymnasium:Acrobot-v1", num_envs=2, modes=["SameStep"], steps=5, skip=["episodes", *KNOWN])


def test_an_id_with_a_native_form_stands_for_it_and_its_single_form(monkeypatch: pytest.MonkeyPatch) -> None:
    for native, name in ((VectorWalk, "Walk-v0"), (OtherStart, "OtherWalk-v0")):
        spec = EnvSpec(name, entry_point=Walk, vector_entry_point=native)
        monkeypatch.setitem(gymnasium.registry, name, spec)
    check_vector_env("Walk-v0", num_envs=2, modes=["SameStep"])
    with pytest.raises(VectorEnvError, match="unlike the single form"):
        check_vector_env("OtherWalk-v0", num_envs=2, modes=["SameStep"])


@pytest.mark.parametrize(
    ("skip", "message"),
    [
        ([], "rewards (NEXT_STEP, num_envs=4): step 1: expected rewards to be float64 of shape (4,), found float32"),
        (["rewards"], "seed_list (NEXT_STEP, num_envs=4): expected no exception, found Error("),
        (
            ["rewards", "seed_list", "single_form"],
            "reset_mask (NEXT_STEP, num_envs=4): masked reset after step 1, row 1: a row outside the mask keeps",
        ),
    ],
    ids=["all checks", "without rewards", "without seeds of rows"],
)
def test_what_it_finds_on_gymnasiums_native_cartpole(skip: list[str], message: str) -> None:
    def make(num_envs: int, autoreset_mode: AutoresetMode) -> VectorEnv:
        return gymnasium.make_vec("CartPole-v1", num_envs)

    with pytest.raises(VectorEnvError) as caught:
        check_vector_env(make, single=partial(gymnasium.make, "CartPole-v1"), modes=["NextStep"], skip=skip)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_envs": 1}, "num_envs must be at least 2, got 1"),
        ({"steps": 0}, "steps must be at least 2, got 0"),
        ({"seed": -1}, "seed must be at least 0, got -1"),
        ({"modes": []}, "modes must name at least one AutoresetMode"),
        ({"modes": ["Never"]}, "modes must be one of 'NextStep', 'SameStep', 'Disabled', got 'Never'"),
        ({"skip": ["speed"]}, "skip must be one of"),
        ({"modes": ["SameStep"]}, "needs single="),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else None,
)
def test_wrong_arguments_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        check_vector_env(VectorWalk, **arguments)


def test_the_documentation_names_every_check_in_order() -> None:
    page = (ROOT / "docs" / "check_vector_env.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE) == list(CHECKS)
