"""The names of the scenarios in PettingZoo's registry, where the installed version has one."""

from collections.abc import Callable

import pettingzoo

from strategic_env.games.registration import environment_id
from strategic_env.games.strategic.description import STRATEGIC

ENTRY_POINTS = {"aec": "strategic_env.multi_agent:env", "parallel": "strategic_env.multi_agent:parallel_env"}


def register_all() -> None:
    """Register every scenario once, turn by turn and parallel."""
    register: Callable[..., None] | None = getattr(pettingzoo, "register", None)
    if register is None:  # before 1.27
        return
    for kind, entry_point in ENTRY_POINTS.items():
        registry = getattr(pettingzoo, f"{kind}_registry")
        for name in STRATEGIC:
            if environment_id(name) not in registry:
                register(kind, environment_id(name), entry_point, kwargs={"scenario": name})
