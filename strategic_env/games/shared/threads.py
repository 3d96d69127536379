"""An environment belongs to one thread at a time."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

Step = TypeVar("Step", bound=Callable[..., Any])


def busy() -> RuntimeError:
    """Return the error for a step while another thread takes one: rounds would be lost, and nobody would see."""
    return RuntimeError(
        "step() must wait until another thread's has ended: an environment belongs to one thread at a time"
    )


def one_thread(step: Step) -> Step:
    """Refuse a step while another thread takes one."""

    # Any number of arguments, under any name, would take a single environment a 20th of its step.
    @wraps(step)
    def alone(self: Any, action: Any) -> Any:
        if self._stepping:
            raise busy()
        self._stepping = True
        try:
            return step(self, action)
        finally:
            self._stepping = False

    return alone  # type: ignore[return-value]
