"""Compiles what a setup needs in a process of its own, into the disk cache, so that nobody else waits for it."""

import asyncio
import os
import sys

from strategic_env.explorer.session import Session
from strategic_env.explorer.setup import Setup

ROUNDS = 2 * 64 + 1  # of a trial: more than one block of arrivals
_ready: set[tuple[str, ...]] = set()
_under_way: dict[tuple[str, ...], asyncio.Task[None]] = {}


def needs(setup: Setup) -> tuple[str, ...]:
    """Return what determines which compiled functions a setup needs."""
    return setup.choice.kind.__name__, setup.cost, setup.order, setup.response


def is_ready(setup: Setup) -> bool:
    """Whether a setup has been compiled for, or nothing is compiled."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") != "0" or needs(setup) in _ready


async def prepare(setup: Setup) -> None:
    """Compile what a setup needs, unless that was done or is under way; where that fails, the setup itself will."""
    if not is_ready(setup):
        key = needs(setup)
        if key not in _under_way:
            _under_way[key] = asyncio.ensure_future(_compile(setup))
        await asyncio.shield(_under_way[key])


async def _compile(setup: Setup) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", __spec__.name),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        await process.communicate(setup.to_json().encode())
    finally:
        if process.returncode is None:  # the server stops
            process.kill()
        _under_way.pop(needs(setup), None)
    _ready.add(needs(setup))


def try_out(setup: Setup) -> None:
    """Play some rounds, which compiles all that they need."""
    session = Session(setup)
    for _ in range(ROUNDS):
        session.step()


if __name__ == "__main__":
    try_out(Setup.from_json(sys.stdin.read()))
