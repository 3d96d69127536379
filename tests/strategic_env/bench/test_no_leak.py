"""Nothing that an object keeps on itself reaches the next run."""

import threading
import warnings
from typing import Any

import numpy as np
import pytest

from strategic_env import evaluate


class Forgetful:
    """A perceptron that keeps what it learned where it should not."""

    def __init__(self) -> None:
        self.weights: Any = 0.0

    def predict(self, observation: Any, state: Any, episode_start: Any, deterministic: bool) -> tuple[Any, Any]:
        features, label, prediction = observation["features"], observation["label"][0], observation["prediction"][0]
        if label not in (0.0, prediction):
            self.weights = self.weights + label * features
        published = np.append(self.weights * np.ones_like(features), 0.0)
        return published / max(1.0, np.abs(published).max()), state


class InState(Forgetful):
    """The same, as it should be."""

    def predict(self, observation: Any, state: Any, episode_start: Any, deterministic: bool) -> tuple[Any, Any]:
        own = Forgetful()
        own.weights = 0.0 if state is None else state
        return own.predict(observation, None, None, True)[0], own.weights


def mistakes(learner: Any) -> list[int]:
    return [run.mistakes for run in evaluate({"mine": learner}, "KnownL2", seeds=3, rounds=300).runs]


def test_a_learner_that_learns_on_itself_plays_every_run_afresh_and_is_told() -> None:
    learner = Forgetful()
    with pytest.warns(UserWarning, match="mine changed while it played: what it learns must be in the state"):
        found = mistakes(learner)
    assert found == mistakes(InState()) == [43, 40, 44]
    assert learner.weights == 0.0, "the object itself stays as it was"


def test_a_learner_that_keeps_its_state_apart_is_not_told_anything() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mistakes(InState())


def test_what_cannot_be_copied_plays_itself() -> None:
    learner = InState()
    learner.lock = threading.Lock()  # type: ignore[attr-defined]
    assert mistakes(learner) == [43, 40, 44]
