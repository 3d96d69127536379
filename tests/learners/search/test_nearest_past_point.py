"""The nearest past point: the labels of a plain search, and a loss that the distances pay for."""

from typing import Any

import numpy as np
import pytest

from learners import NearestPastPoint


@pytest.mark.parametrize("memory", [10_000, 15])
def test_it_plays_the_label_of_the_nearest_point_that_it_remembers(memory: int) -> None:
    rng, learner = np.random.default_rng(0), NearestPastPoint(3, memory)
    points, labels = rng.standard_normal((80, 2)), rng.integers(0, 3, 80)
    state: Any = None
    for t in range(80):
        told = np.full(3, -1.0) if t == 0 else np.eye(3)[labels[t - 1]]
        action, state = learner.predict(
            {"features": points[t], "feedback": told, "action": [-float(t == 0)], "round": [float(t)]}, state
        )
        known = range(max(0, t - memory), t)
        nearest = min(known, key=lambda past: np.linalg.norm(points[past] - points[t]), default=None)
        assert action == (0 if nearest is None else labels[nearest])


def test_a_label_that_is_hidden_is_no_point() -> None:
    learner, nothing = NearestPastPoint(3), [-1.0, -1.0, -1.0]
    _, state = learner.predict({"features": [1.0], "feedback": nothing, "action": [-1], "round": [0]})
    _, state = learner.predict({"features": [2.0], "feedback": [-1, 0, -1], "action": [1], "round": [1]}, state)
    assert state.seen[0] == 0
    label, state = learner.predict({"features": [3.0], "feedback": [0, 0, -1], "action": [1], "round": [2]}, state)
    assert state.seen[0] == 1 and label == 2


def test_an_integer_that_is_no_label_is_damage() -> None:
    learner = NearestPastPoint(2, memory=4)
    seen = {"features": [1.0], "feedback": [0, 1], "action": [0], "round": [1]}
    _, state = learner.predict(seen)
    for field, value in (("labels", 2), ("labels", -1), ("seen", -1)):
        _, broken = learner.predict(seen)
        getattr(broken, field)[0] = value
        with pytest.raises(ValueError, match="state is damaged"):
            learner.predict(seen, broken)
    with pytest.raises(ValueError, match="memory must be at least 1"):
        NearestPastPoint(2, memory=0)
