"""Compiled code gives back every array that it is handed or makes, also where it counts no references to them."""

from typing import Any

import pytest
from numba.core.runtime import _nrt_python, rtsys

from strategic_env import scenario
from strategic_env.bench.contestants import all_contestants, contestant
from strategic_env.bench.rollout import rollout
from strategic_env.games.registration import scenario_names

Held = tuple[int, int]


@pytest.fixture(autouse=True)
def counted() -> None:
    _nrt_python.memsys_enable_stats()


def held() -> Held:
    """Return how many blocks of memory, and how many arrays, compiled code holds now."""
    now = rtsys.get_allocation_stats()
    return now.alloc - now.free, now.mi_alloc - now.mi_free


def check(learner: Any, game: Any) -> None:
    """Play rollouts, and rounds in a loop, none of which may leave anything behind but the first."""
    rollout(learner, game, games=2, rounds=3, checkpoints=[1])
    before = held()
    rollout(learner, game, games=2, rounds=70, checkpoints=[1, 30])
    assert held() == before, "a rollout"
    env, state = game.make(), None
    seen, _ = env.reset(seed=0)
    for t in range(40):
        action, state = learner.predict(seen, state)
        seen = env.step(action)[0]
        if t == 5:
            before = held()
    assert held() == before, "predict and step"


@pytest.mark.parametrize(
    ("name", "game"),
    [
        ("strategic-perceptron-l2", "KnownL2"),
        ("gappletron", "Bandit"),
        pytest.param("k-centres", "NearestNeighbor", marks=pytest.mark.slow),  # half a minute of compiling
    ],
)
def test_a_rollout_and_a_loop_leave_no_array_behind(name: str, game: str) -> None:
    one = scenario(game)
    check(contestant(name, one).learner, one)


@pytest.mark.slow
def test_no_learner_leaves_an_array_behind() -> None:
    seen = set()
    for name in scenario_names():
        game: Any = scenario(name)
        for rival in all_contestants(game)[0]:
            learner = rival.learner
            kind = type(learner), type(game), type(game.setting)
            if learner is not None and learner.has_rules() and game.in_compiled_code() and kind not in seen:
                seen.add(kind)
                check(learner, game)
    assert len(seen) > 30
