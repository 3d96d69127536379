"""One environment and several threads: a step during another thread's is refused, and no round is lost."""

import sys
import threading
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence

import strategic_env
from strategic_env.games.shared import rollout as rollouts
from strategic_env.multi_agent import parallel_env, raw_env

Env = Any


class Meanwhile:
    """An action that lets another thread do something while it is read."""

    def __init__(self, numbers: Any, other: Callable[[], object]) -> None:
        self.numbers, self._other = numbers, other
        self.error: Exception | None = None

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray[Any, Any]:
        thread = threading.Thread(target=self._try)
        thread.start()
        thread.join()
        return np.asarray(self.numbers, dtype)

    def _try(self) -> None:
        try:
            self._other()
        except Exception as error:
            self.error = error


CLASSIFIER = [0.5, 0.5, -0.1]
# How to make it; an action; how an action is sent.
FORMS: dict[str, tuple[Callable[[], Env], Any, Callable[[Any], Any]]] = {
    "single": (lambda: gymnasium.make("strategic_env/KnownL2-v0"), CLASSIFIER, lambda action: action),
    "vector": (lambda: gymnasium.make_vec("strategic_env/KnownL2-v0", 2), [CLASSIFIER] * 2, lambda action: action),
    "multiclass": (lambda: gymnasium.make("strategic_env/Bandit-v0"), 1, lambda action: action),
    "multiclass vector": (
        lambda: gymnasium.make_vec("strategic_env/Bandit-v0", 2),
        [1, 2],
        lambda action: action,
    ),
    "turns": (raw_env, CLASSIFIER, lambda action: action),
    "together": (
        parallel_env,
        CLASSIFIER,
        lambda action: {"learner_0": action, "individual_0": np.zeros(2)},
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_step_during_another_threads_is_refused_and_changes_nothing(form: str) -> None:
    make, numbers, sent = FORMS[form]
    env, twin = make(), make()
    env.reset(seed=0), twin.reset(seed=0)
    action = Meanwhile(numbers, lambda: env.step(sent(numbers)))
    played, expected = env.step(sent(action)), twin.step(sent(numbers))
    assert type(action.error) is RuntimeError
    assert "an environment belongs to one thread at a time" in str(action.error)
    assert data_equivalence(played, expected, exact=True)
    if form == "turns":
        assert env.agent_selection == twin.agent_selection == "individual_0"
        assert data_equivalence(env.last(), twin.last(), exact=True)
    else:
        assert data_equivalence(env.step(sent(numbers)), twin.step(sent(numbers)), exact=True)


@pytest.mark.parametrize("form", FORMS)
def test_threads_may_step_one_after_another_also_after_an_error(form: str) -> None:
    make, numbers, sent = FORMS[form]
    env = make()
    env.reset(seed=0)
    with pytest.raises((TypeError, ValueError)):
        env.step(sent("nonsense"))
    thread = threading.Thread(target=env.step, args=(sent(numbers),))
    thread.start()
    thread.join()
    assert env.agent_selection == "individual_0" if form == "turns" else env.step(sent(numbers))


def test_every_round_of_three_threads_is_counted_or_refused() -> None:
    env = gymnasium.make("strategic_env/KnownL2-v0", horizon=10**6).unwrapped
    env.reset(seed=0)
    action, counted, refused = np.array(CLASSIFIER), [0] * 3, [0] * 3

    def play(thread: int) -> None:
        for _ in range(3000):
            try:
                env.step(action)
                counted[thread] += 1
            except RuntimeError:
                refused[thread] += 1

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=play, args=(number,)) for number in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert sum(counted) + sum(refused) == 9000
    assert env.game.round == sum(counted)  # type: ignore[attr-defined]


def test_one_thread_plays_a_rollout_without_a_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a pool of threads was started")

    monkeypatch.setattr(rollouts, "ThreadPoolExecutor", refuse)
    played = strategic_env.rollout("perceptron", "Example3", rounds=10)
    with pytest.raises(AssertionError, match="pool"):
        strategic_env.rollout("perceptron", "Example3", rounds=10, threads=2)
    assert played.rounds == 10
