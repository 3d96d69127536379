"""Compile ahead what scenarios and their learners need, so that nobody waits for it later."""

import logging
import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from functools import cache
from multiprocessing import get_context

from agents.foundation.disk_cache import COMPILING
from strategic_env.bench.contestants import Contestant, all_contestants
from strategic_env.bench.playing import play
from strategic_env.games.scenarios import scenario
from strategic_env.games.shared.scenario import BenchScenario

# Enough that somebody errs, learns and publishes; what is compiled depends on no number.
ROUNDS = 8
GAMES = 2


def warm(names: Sequence[str], told: Callable[[str, int], object]) -> None:
    """Play a few rounds of scenarios with all their learners, in as many processes as there are processor cores.

    Parameters
    ----------
    names : sequence of str
        Of scenarios.
    told : callable
        Called with what has been compiled, and how much there is in all.

    Raises
    ------
    ValueError
        If there is no scenario of such a name.
    """
    work = [(name, contestant.label) for name in names for contestant in _contestants(name)]
    total = len(names) + len(work)
    with ProcessPoolExecutor(os.cpu_count() or 1, get_context("spawn"), _begin) as pool:

        def done(parts: Sequence["Future[str]"]) -> None:
            try:
                for part in as_completed(parts):
                    told(part.result(), total)
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise

        done([pool.submit(_step, name) for name in names])  # what all learners need, compiled once
        done([pool.submit(_play, *one) for one in work])


def _begin() -> None:
    """Leave it to the process that began this one to say that something compiles."""
    logging.getLogger("agents.foundation.disk_cache").addFilter(lambda record: record.msg != COMPILING)


@cache
def _scenario(name: str) -> BenchScenario:
    return scenario(name).lasting(ROUNDS)


@cache
def _contestants(name: str) -> list[Contestant]:
    return all_contestants(scenario(name))[0]


def _step(name: str) -> str:
    """Step a single and a vector environment."""
    env, envs = _scenario(name).make(), _scenario(name).make_vec(GAMES)
    for any_env in (env, envs):
        any_env.reset(seed=0)
        any_env.step(any_env.action_space.sample())
    return name


def _play(name: str, label: str) -> str:
    """Let a learner play as `run` does, and round by round with one game and with several."""
    table = _scenario(name)
    contestant = next(one for one in _contestants(name) if one.label == label)
    play(contestant, table, 0, ROUNDS, [ROUNDS])
    if contestant.learner is not None:
        for env in (table.make(), table.make_vec(GAMES)):
            observation, state = env.reset(seed=0)[0], None
            for _ in range(2):
                action, state = contestant.learner.predict(observation, state, None, True)
                observation = env.step(action)[0]
    return f"{name} {label}"
