"""A checker for Gymnasium vector environments, of any game: it knows nothing of this project's.

Row i of a vector environment is its sub-environment i. Right is what Gymnasium's `SyncVectorEnv` does with single
environments; a native vector environment is compared with that, number for number.
"""

import importlib
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from typing import TypeVar

import gymnasium
from gymnasium.vector import AutoresetMode

from agents.foundation.checks import LARGEST_SEED, count, one_of, shown
from strategic_env.conformance import vector_checks
from strategic_env.conformance.recordings import SAME_STEP, AnyEnv, AnyVectorEnv, Case
from strategic_env.conformance.recordings import VectorEnvError as VectorEnvError

T = TypeVar("T")

CHECKS: dict[str, Callable[[Case], None]] = {
    "metadata": vector_checks.check_metadata,
    "spaces": vector_checks.check_spaces,
    "flags": vector_checks.check_flags,
    "episodes": vector_checks.check_episodes,
    "rewards": vector_checks.check_rewards,
    "observations": vector_checks.check_observations,
    "infos": vector_checks.check_infos,
    "actions": vector_checks.check_actions,
    "seeds": vector_checks.check_seeds,
    "seed_list": vector_checks.check_seed_list,
    "variety": vector_checks.check_variety,
    "autoreset": vector_checks.check_autoreset,
    "single_form": vector_checks.check_single_form,
    "reset_mask": vector_checks.check_reset_mask,
    "single_form_masked": vector_checks.check_single_form_masked,
    "memory": vector_checks.check_memory,
    "writing": vector_checks.check_writing,
    "close": vector_checks.check_close,
}


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

    Examples
    --------
    >>> from functools import partial
    >>> from strategic_env import check_vector_env, scenario
    >>> short = scenario("KnownL2", horizon=3)
    >>> single = partial(short.make, info_level="outcome")  # what the vector form tells
    >>> check_vector_env(short.make_vec, single=single, num_envs=2, modes=["NextStep"])
    """
    if isinstance(make, str):
        make, registered = _from_registry(make)
        single = single or registered
    if not callable(make):
        raise TypeError(f"make must be an id, a class or a function that makes a vector environment, got {shown(make)}")
    num_envs, steps = count("num_envs", num_envs, minimum=2), count("steps", steps, minimum=2)
    seed = count("seed", seed, maximum=LARGEST_SEED)
    skipped = {one_of("skip", name, tuple(CHECKS)) for name in _names("skip", skip)}
    values = tuple(mode.value for mode in AutoresetMode)
    offered = tuple(
        AutoresetMode(one_of("modes", getattr(mode, "value", mode), values)) for mode in _names("modes", modes)
    )
    if not offered:
        raise ValueError("modes must name at least one AutoresetMode, got none")
    if single is None and set(offered) == {SAME_STEP} and not skipped >= {"single_form", "single_form_masked"}:
        raise ValueError("modes=[SAME_STEP] alone needs single=, or skip=['single_form', 'single_form_masked']")
    for mode in offered:
        for rows in (num_envs, 1):
            case = Case(make, single, offered, mode, rows, steps, seed)
            for name in CHECKS:
                if name not in skipped:
                    _run(name, case)


def _names(argument: str, names: Iterable[T]) -> Iterable[T]:
    """Refuse a single name where several are expected: it would be read letter by letter."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise TypeError(f"{argument} must be a list of names, got {shown(names)}")
    return names


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


def _run(name: str, case: Case) -> None:
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
