"""An episode that begins makes a learner forget: all of that game, and nothing of the others."""

import copy
from typing import Any

import gymnasium
import numpy as np
import pytest
from test_learners import LEARNERS_AND_SCENARIOS, run

from learners import (
    BestFixedClassifier,
    BiasedL2,
    ConstantClassifier,
    Learner,
    MarginPerceptron,
    UnknownCostL1Single,
    UnknownCostL2,
    UnknownMarginL2,
)
from strategic_env.games.registration import environment_id

SEARCHES: list[tuple[Learner[Any], str]] = [
    (MarginPerceptron(), "KnownL2"),
    (UnknownCostL2(1.0, 0.1), "UnknownL2"),
    (UnknownMarginL2(1.0), "UnknownL2"),
    (UnknownCostL1Single(1.0, 0.1, 0), "UnknownL1Single"),
    (BiasedL2(0.3, 1.0, 0.1), "BiasedL2"),
]


@pytest.mark.parametrize(("learner", "scenario"), LEARNERS_AND_SCENARIOS + SEARCHES, ids=str)
def test_a_game_that_begins_is_forgotten_and_the_others_go_on(learner: Learner[Any], scenario: str) -> None:
    played, _ = run(learner, scenario, 80)
    env = gymnasium.make(environment_id(scenario))
    observation, _ = env.reset(seed=5)
    fresh_action, fresh = learner.predict(observation)
    later_action, later = learner.predict(observation, copy.deepcopy(played))
    if not isinstance(learner, (ConstantClassifier, BestFixedClassifier)):
        assert any((new != old).any() for new, old in zip(fresh, later, strict=True)), "nothing was learned"
    both = {key: np.stack([value] * 2) for key, value in observation.items()}
    for starts in ([True, False], [False, True], [True, True], [False, False], None):
        state = type(played)(*(np.repeat(field, 2, axis=0) for field in played))
        actions, state = learner.predict(both, state, None if starts is None else np.array(starts))
        for game, begins in enumerate(starts or [False, False]):
            assert (actions[game] == (fresh_action if begins else later_action)).all()
            for field, expected in zip(state, fresh if begins else later, strict=True):
                assert (field[game] == expected[0]).all()
