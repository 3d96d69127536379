"""Integers of a state that lead compiled code through its arrays: none leads it outside of them."""

import copy
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from seen_rounds import CLASSES, DIM, GAMES, NAMES, built, seen

from learners import (
    Banditron,
    FeedbackGraph,
    Gappletron,
    Gaptron,
    GradientMaxMargin,
    StrategicGradient,
    StrategicMaxMargin,
    UnknownCostL1Single,
    UnknownCostL2,
    UnknownMarginL2,
)
from learners.multiclass.descent import PARAMETER_FREE

INTEGERS = (-(2**63), -5, -1, 1, DIM, 100, 2**62)
FULL, BANDIT = (FeedbackGraph.named(name, CLASSES) for name in ("full", "bandit"))
DIRECTIONS = (DIM, DIM + 1, 2**40, -2, -(2**63))
LEADING_OUTSIDE = [
    *((learner, "direction", value) for value in DIRECTIONS for learner in (
        UnknownCostL1Single(1.0, 0.1, 0), UnknownCostL2(1.0, 0.1), UnknownMarginL2(1.0),
    )),
    *((kind(0.3, "l2"), "norm", 1) for kind in (StrategicGradient, GradientMaxMargin, StrategicMaxMargin)),
    *((learner, "descent", PARAMETER_FREE) for learner in (
        Gappletron(BANDIT), Gaptron(FULL, 1.0, 100), Banditron(BANDIT, gamma=0.1, importance_weighted=True),
    )),
]  # fmt: skip


@pytest.mark.parametrize("shown", [dict, MappingProxyType])
@pytest.mark.parametrize(("learner", "field", "value"), LEADING_OUTSIDE)
def test_an_integer_that_leads_outside_of_the_state_is_damage(learner: Any, field: str, value: int, shown: Any) -> None:
    draws = np.random.default_rng(0)
    action, state = learner.predict(seen(learner, draws, None, GAMES, 0))
    getattr(state, field)[1] = value
    before = copy.deepcopy(state)
    told = f"^state is damaged: what {learner.name} makes of it in game 1 is NaN, infinite or out of range$"
    with pytest.raises(ValueError, match=told):
        learner.predict(shown(seen(learner, draws, np.array(action, dtype=np.float64), GAMES, 1)), state)
    assert all(now.tobytes() == then.tobytes() for now, then in zip(state, before, strict=True))


@pytest.mark.parametrize("name", NAMES)
def test_any_integer_in_a_state_is_played_or_refused(name: str) -> None:
    learner, draws = built(name), np.random.default_rng(1)
    action, state = None, None
    for round in range(4):
        action, state = learner.predict(seen(learner, draws, action, GAMES, round), state)
    for field in getattr(state, "_fields"):  # noqa: B009
        if getattr(state, field).dtype == np.int64:
            for value in INTEGERS:
                last, other, later = action, copy.deepcopy(state), np.random.default_rng(2)
                getattr(other, field)[1] = value
                try:
                    for round in range(4, 7):
                        last, other = learner.predict(seen(learner, later, last, GAMES, round), other)
                        assert np.isfinite(last).all()
                except ValueError as error:
                    assert str(error).startswith("state is damaged: ") and "\n" not in str(error), (field, value)
