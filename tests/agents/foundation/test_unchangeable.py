"""What this package makes cannot be changed afterwards: compiled code was told what it was."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from agents import (
    BudgetLimited,
    DataSet,
    FixedSequence,
    GaussianMixture,
    GreedyAdversary,
    Keywords,
    L2Cost,
    LabelledData,
    Noisy,
    Prototypes,
    Separable,
    TangentAdversary,
    WeightedL1Cost,
)
from learners import FeedbackGraph

POINTS = np.random.default_rng(0).uniform(-0.5, 0.5, (20, 3))
SIGNS = np.where(POINTS[:, 0] > 0, 1.0, -1.0)
MADE: list[Any] = [
    DataSet(POINTS, SIGNS),
    FixedSequence([], [([0.5, 0.5], 1.0)]),
    Separable(2, alpha=(0.1, 0.3)),
    GreedyAdversary(POINTS, SIGNS),
    TangentAdversary(),
    Prototypes(),
    Keywords(),
    GaussianMixture(),
    LabelledData(POINTS, np.arange(20) % 3),
    L2Cost(0.3),
    WeightedL1Cost([0.3, 0.1]),
    Noisy(0.1),
    BudgetLimited(0.5),
    FeedbackGraph.named("bandit", 3),
]
COPIES: dict[str, Any] = {
    "itself": lambda made: made,
    "copy": copy.copy,
    "deep copy": copy.deepcopy,
    "pickle": lambda made: pickle.loads(pickle.dumps(made)),
}


def public(made: Any) -> list[str]:
    return sorted({name.removeprefix("_") if name in ("_features", "_labels") else name for name in vars(made)})


@pytest.mark.parametrize("made", MADE, ids=lambda made: str(type(made).__name__))
@pytest.mark.parametrize("kind", COPIES)
def test_no_public_attribute_can_be_set_or_deleted_and_no_public_array_written_into(made: Any, kind: str) -> None:
    one, checked = COPIES[kind](made), 0
    for name in public(made):
        if name.startswith("_"):
            continue
        message = f"^{name} of a {type(made).__name__} cannot be changed: make another {type(made).__name__}$"
        with pytest.raises(AttributeError, match=message):
            setattr(one, name, 1)
        with pytest.raises(AttributeError, match=message):
            delattr(one, name)
        value = getattr(one, name)
        if isinstance(value, np.ndarray):
            with pytest.raises(ValueError, match="read-only"):
                value[...] = 7
        np.testing.assert_array_equal(value, getattr(made, name))
        checked += 1
    assert checked


def test_class_attributes_and_new_names_cannot_be_set_either() -> None:
    for name in ("alpha", "margin", "noise", "anything"):
        with pytest.raises(AttributeError, match=f"^{name} of a FixedSequence cannot be changed"):
            setattr(MADE[1], name, 0.5)


def test_a_subclass_of_ones_own_sets_what_it_likes() -> None:
    class Own(DataSet):
        def __init__(self) -> None:
            super().__init__(POINTS, SIGNS, standardise=False)
            self.note = "mine"
            self.features = 0.5 * self.features

    own = Own()
    own.note = "still mine"
    own.radius = 0.5
    assert own.radius == 0.5 and (own.features == 0.5 * POINTS).all() and (own.source().features == own.features).all()


def test_budgets_that_a_cost_hands_out_are_nobody_elses() -> None:
    for cost in (L2Cost(0.3), WeightedL1Cost([0.3, 0.1]), WeightedL1Cost(0.3)):
        before = cost.budgets(2).copy()
        cost.budgets(2)[:] = 100.0
        np.testing.assert_array_equal(cost.budgets(2), before)


def test_objects_say_what_they_are_and_what_numbers_they_hold() -> None:
    said = repr(TangentAdversary(dim=3, radius=2.0, margin=0.5))
    assert said == "TangentAdversary(dim=3, radius=2.0, margin=0.5)"
    assert not any("object at" in repr(made) for made in MADE)
