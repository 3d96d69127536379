"""Calls of compiled code that ask no argument for its type."""

import copy
import pickle
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import strategic_env  # noqa: F401
from agents.foundation.compiled import DirectCall
from learners import Perceptron
from strategic_env.games.strategic.rules import publishable

AGAIN = [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))]


@pytest.mark.parametrize("again", AGAIN)
def test_a_copy_asks_for_the_types_of_its_own_first_call(again: Any) -> None:
    direct, classifier = DirectCall(publishable), np.array([0.5, -1.0])
    assert direct.call(classifier) and not direct.call(2.0 * classifier)
    twin, narrow = again(direct), classifier.astype(np.float32)
    assert twin.call(narrow) and not twin.call(np.float32(2.0) * narrow)
    assert direct.call(classifier) and not direct.call(2.0 * classifier)


@pytest.mark.parametrize("again", AGAIN)
@pytest.mark.parametrize("many", [False, True])
def test_environments_and_learners_go_on_as_their_copies_do(many: bool, again: Any) -> None:
    env: Any = gym.make_vec("strategic_env/KnownL2-v0", num_envs=3) if many else gym.make("strategic_env/KnownL2-v0")
    learner, state = Perceptron(), None
    seen, _ = env.reset(seed=0)
    for _ in range(3):
        action, state = learner.predict(seen, state)
        seen = env.step(action)[0]
    ways = [(env, learner, seen, state), again((env, learner, seen, state))]
    played = []
    for place, pupil, shown, kept in ways:
        for _ in range(5):
            action, kept = pupil.predict(shown, kept)
            shown = place.step(action)[0]
        played.append([entry.tobytes() for entry in (*shown.values(), *kept)])
    assert played[0] == played[1]


@pytest.mark.parametrize("form", ["dict", "flat"])
@pytest.mark.parametrize("many", [False, True])
def test_classifiers_lie_in_memory_as_they_like(many: bool, form: str) -> None:
    def play(arranged: Any) -> list[Any]:
        options: dict[str, Any] = {"observation": form, "dim": 3}
        name = "strategic_env/KnownL2-v0"
        env: Any = gym.make_vec(name, num_envs=2, **options) if many else gym.make(name, **options)
        env.reset(seed=1)
        draws, shape, played = np.random.default_rng(2), ((2, 4) if many else (4,)), []
        for _ in range(4):
            classifier = draws.uniform(-1.0, 1.0, shape).astype(np.float32 if form == "flat" else np.float64)
            seen, reward, *_ = env.step(arranged(classifier))
            played += [np.copy(entry) for entry in (seen.values() if form == "dict" else [seen])] + [np.copy(reward)]
        return [one.tobytes() for one in played]

    def frozen(array: Any) -> Any:
        array.flags.writeable = False
        return array

    def shifted(array: Any) -> Any:
        room = np.empty(array.nbytes + 1, dtype=np.int8)[1:]
        room[:] = np.frombuffer(array.tobytes(), dtype=np.int8)
        return room.view(array.dtype).reshape(array.shape)

    usual = play(lambda array: array)
    for other in (frozen, shifted, lambda array: np.repeat(array, 2, axis=-1)[..., ::2], np.asfortranarray):
        assert play(other) == usual
