"""What hyper-parameters may be: numbers that Stable-Baselines3 would take and fail on hours later."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeAlias

from agents.checks import count, finite_number, flag

Check: TypeAlias = Callable[[str, Any], object]

at_least_1: Check = partial(count, minimum=1)
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
    "sde_sample_freq": partial(finite_number, minimum=-1),
    "gradient_steps": partial(finite_number, minimum=-1),
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
# Some of them may also be left to the algorithm, or fall along a schedule.
TEXTS = ("ent_coef", "target_entropy", "learning_rate", "clip_range", "clip_range_vf")


def check_limits(arguments: Mapping[str, Any]) -> None:
    """Make sure that the arguments of an algorithm are such numbers; None, and text where it is allowed, pass.

    Raises
    ------
    TypeError, ValueError
        If one is not.
    """
    for name, value in arguments.items():
        if name in LIMITS and value is not None and not (name in TEXTS and isinstance(value, str)):
            LIMITS[name](name, value)
