"""Activation functions by name, as hyper-parameters and saved policies write them: ``nn.ReLU``."""

from collections.abc import Mapping
from typing import Any

from agents.foundation.checks import shown

KEY = "activation_fn"


def with_names(policy_kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments of a policy with the name of an activation function of torch in its place."""
    import torch

    function = policy_kwargs.get(KEY)
    name = getattr(function, "__name__", "")
    known = function is not None and getattr(torch.nn, name, None) is function
    return dict(policy_kwargs) | ({KEY: f"nn.{name}"} if known else {})


def with_classes(policy_kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments of a policy with the activation function in place of its name.

    Raises
    ------
    ValueError
        If torch has none of this name.
    """
    import torch

    name = policy_kwargs.get(KEY)
    if name is None:
        return dict(policy_kwargs)
    home, _, own = str(name).partition(".")
    found = getattr(torch.nn, own, None) if home == "nn" else None
    try:
        one_for_each = found().forward(torch.zeros(1, 2)).shape == (1, 2)  # type: ignore[misc]  # what is none raises
    except Exception:
        one_for_each = False
    if not one_for_each:
        raise ValueError(f"{KEY} must be one of torch, such as nn.ReLU, got {shown(name)}")
    return dict(policy_kwargs) | {KEY: found}
