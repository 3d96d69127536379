"""What hyper-parameters may be: numbers that Stable-Baselines3 would take, and fail on hours later."""

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeAlias

from agents.foundation.checks import count, finite_number, flag, one_of, perhaps, shown

Check: TypeAlias = Callable[[str, Any], object]

at_least_1: Check = partial(count, minimum=1)
at_least_minus_1: Check = partial(count, minimum=-1)
share: Check = partial(finite_number, minimum=0.0, maximum=1.0)
positive: Check = partial(finite_number, above=0.0)
not_negative: Check = partial(finite_number, minimum=0.0)
LIMITS: Mapping[str, Check] = {
    "n_steps": at_least_1,
    "batch_size": at_least_1,
    "n_epochs": at_least_1,
    "buffer_size": at_least_1,
    "target_update_interval": at_least_1,
    "learning_starts": count,
    "top_quantiles_to_drop_per_net": count,
    "sde_sample_freq": at_least_minus_1,
    "gradient_steps": at_least_minus_1,
    "gamma": share,
    "gae_lambda": share,
    "tau": share,
    "learning_rate": positive,
    "clip_range": positive,
    "clip_range_vf": positive,
    "max_grad_norm": positive,
    "target_kl": positive,
    "ent_coef": not_negative,
    "vf_coef": not_negative,
    "target_entropy": finite_number,
    "use_sde": flag,
    "use_sde_at_warmup": flag,
    "normalize_advantage": flag,
    "optimize_memory_usage": flag,
}
WHOLE = (count, at_least_1, at_least_minus_1)
OF_NORMALIZE: Mapping[str, Check] = {
    "norm_obs": flag, "norm_reward": flag, "clip_obs": positive, "clip_reward": positive, "epsilon": positive,
}  # fmt: skip
OPTIONAL = ("clip_range_vf", "target_kl")
# A soft actor finds these itself.
AUTOMATIC = {"ent_coef": r"auto(_\d+(\.\d*)?)?", "target_entropy": "auto"}
ACTOR_AND_VALUE, ACTOR_AND_CRITIC = ("pi", "vf"), ("pi", "qf")


def check_limits(arguments: Mapping[str, Any], games: int, *, off_policy: bool) -> None:
    """Make sure that the arguments of an algorithm are such numbers; schedules pass.

    Raises
    ------
    TypeError, ValueError
        If one is not.
    """
    for name, value in arguments.items():
        automatic = off_policy and isinstance(value, str) and re.fullmatch(AUTOMATIC.get(name, "(?!)"), value)
        if name not in LIMITS or automatic or (value is None and name in OPTIONAL):
            continue
        LIMITS[name](name, value)
    if arguments.get("gradient_steps") == 0:
        raise ValueError("gradient_steps must be -1 or at least 1, got 0")
    check_frequency(arguments.get("train_freq", 1), games)
    check_networks(
        arguments.get("policy_kwargs", {}).get("net_arch"), ACTOR_AND_CRITIC if off_policy else ACTOR_AND_VALUE
    )


def check_normalize(arguments: Mapping[str, Any]) -> None:
    """Make sure that the arguments of ``VecNormalize`` are some of `OF_NORMALIZE`.

    Raises
    ------
    TypeError, ValueError
        If one is not.
    """
    for name, value in arguments.items():
        one_of("normalize", name, tuple(OF_NORMALIZE))
        OF_NORMALIZE[name](f"normalize.{name}", value)


def check_frequency(frequency: object, games: int) -> None:
    """Make sure that ``train_freq`` is a number of steps, or ``[number, unit]``.

    Raises
    ------
    TypeError, ValueError
        If it is not, or counts the episodes of several games.
    """
    number, unit = frequency if isinstance(frequency, list) and len(frequency) == 2 else (frequency, "step")
    at_least_1("train_freq", number)
    one_of("train_freq", unit, ("step", "episode"))
    if unit == "episode" and games > 1:
        raise ValueError(f"train_freq must count steps where n_envs is {games}, got {shown(frequency)}")


def check_networks(layers: object, names: tuple[str, ...]) -> None:
    """Make sure that ``net_arch`` is a list of widths, or a mapping from ``names`` to such lists.

    Raises
    ------
    TypeError, ValueError
        If it is not.
    """
    named = layers if isinstance(layers, Mapping) else {"": layers or []}
    for name, widths in named.items():
        if name not in names and name:
            raise ValueError(f"net_arch must name {' and '.join(names)}, got {name!r}{perhaps(name, names)}")
        if not isinstance(widths, list):
            raise TypeError(f"net_arch must hold lists of widths, got {shown(widths)}")
        for width in widths:
            at_least_1("net_arch", width)
