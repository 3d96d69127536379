"""A learner of one's own may begin as it likes, as long as the compiled rules that it inherits find their arrays."""

from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

from learners import Learner
from learners.catalogue import learner_class, learners_of
from learners.feedback.graph import FeedbackGraph
from learners.strategic.strategic_perceptron import StrategicL2State
from strategic_env import rollout

KNOWLEDGE = {
    "alpha": 0.3, "radius": 1.0, "margin": 0.1, "direction": 0, "noise": 0.1, "rounds": 100, "horizon": 100,
    "improvement": 1.0,
    "classes": 3, "classifier": [0.6, 0.8, 0.0], "graph": FeedbackGraph.named("bandit", 3),
}  # fmt: skip
MADE_FOR = [(game, name) for game in ("strategic", "multiclass") for name in sorted(learners_of(game))]


@pytest.mark.parametrize(("game", "name"), MADE_FOR)
def test_every_field_that_a_subclass_begins_with_must_have_the_shape_and_dtype_of_its_rules(
    game: str, name: str
) -> None:
    parent = learner_class(name)
    for field in parent.state_class._fields:  # type: ignore[attr-defined]
        for spoil in (lambda array: array[..., np.newaxis], lambda array: array.astype(np.complex128)):

            class Spoilt(parent):  # type: ignore[misc, valid-type]
                def initial_state(self, games: int, dim: int, field: str = field, spoil: Any = spoil) -> Any:
                    begun = super().initial_state(games, dim)
                    return begun._replace(**{field: spoil(getattr(begun, field))})

            learner = Spoilt.from_knowledge(KNOWLEDGE | {"cost": getattr(parent, "cost", None) or "l2"})
            with pytest.raises(ValueError, match=rf"^{name} must begin with (\w+ )?{field} of shape \(games.*\), got"):
                learner.check_state(learner.initial_state(4, 2), 4, 2)


@pytest.mark.parametrize(("game", "name"), MADE_FOR)
def test_a_subclass_may_begin_with_other_numbers(game: str, name: str) -> None:
    class Ahead(learner_class(name)):  # type: ignore[misc]
        def initial_state(self, games: int, dim: int) -> Any:
            begun = super().initial_state(games, dim)
            return begun._replace(weights=np.ones_like(begun.weights))

    learner = Ahead.from_knowledge(KNOWLEDGE | {"cost": getattr(Ahead, "cost", None) or "l2"})
    learner.check_state(learner.initial_state(4, 2), 4, 2)


def test_whoever_takes_a_state_without_inheriting_the_rules_arrays_is_refused() -> None:
    class Mine(Learner[StrategicL2State]):
        name, state_class, parameters = "mine", StrategicL2State, MappingProxyType({})  # type: ignore[assignment]

        def initial_state(self, games: int, dim: int) -> StrategicL2State:
            return StrategicL2State(np.zeros((games, dim)), np.zeros(0), np.zeros(0, bool), np.zeros(0, bool))

    told = r"^Mine must inherit from a learner that has StrategicL2State, or have its own state$"
    nothing = {"features": [0.0], "prediction": [0.0], "label": [0.0], "classifier": [0.0, 0.0], "round": [0.0]}
    for play in (lambda: Mine().predict(nothing), lambda: rollout(Mine(), "KnownL2", rounds=3)):
        with pytest.raises(TypeError, match=told):
            play()
