"""Damaged states of learners of centres and of contextual search: what is played is an action, or one line says so."""

import copy
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from learners.catalogue import learner_class

GAMES, DIM, CLASSES = 2, 2, 2
NUMBERS = {
    "f": (1e101, 1e308, -1e308, 1e-320, math.nan, math.inf, -math.inf),
    "i": (-(2**63), -5, -1, 0, 1, 3, 100, 2**62),
    "b": (False, True),
}
OBJECTS = (None, (), "x", 3, (1.0,), ((9, 0.1, 0.2),), ((1.0,),), ((1, math.nan, 0.1),))
CASES: list[tuple[str, dict[str, Any]]] = [
    ("two-centres", {}),
    ("k-centres", {"engine": "one-scale", "margin": 0.1, "similarity": "euclidean"}),
    ("k-centres", {"engine": "exact"}),
    ("density-centres", {}),
    ("density-centres", {"body": "particle", "particles": 20, "similarity": "euclidean"}),
    ("density-centres", {"body": "disc", "capped": False}),
    ("second-order-centres", {"p": 4}),
    ("chebyshev-halving", {}),
    ("chebyshev-halving", {"restart": True}),
    ("single-ellipsoid", {}),
    ("nearest-past-point", {"memory": 5}),
    *(("contextual-search", {"engine": engine}) for engine in ("ellipsoid", "exact", "density")),
]


def built(name: str, parameters: dict[str, Any]) -> Any:
    kind: Any = learner_class(name)
    return kind(**parameters) if kind.game == "search" else kind(classes=CLASSES, **parameters)


def shown(learner: Any, draws: np.random.Generator, last: Any, round: int) -> dict[str, Any]:
    features = draws.uniform(-0.7, 0.7, (GAMES, DIM))
    entries = {"features": features, "round": np.full((GAMES, 1), float(round))}
    if learner.game == "search":
        answer = draws.choice([-1.0, 1.0], (GAMES, 1)) if round else np.zeros((GAMES, 1))
        return entries | {"answer": answer, "guess": np.zeros((GAMES, 1)) if last is None else last}
    told = np.eye(CLASSES)[draws.integers(0, CLASSES, GAMES)]
    action = np.full((GAMES, 1), -1.0) if last is None else np.reshape(last, (GAMES, 1)).astype(np.float64)
    return entries | {"feedback": told, "action": action}


def damaged(state: Any) -> Iterator[tuple[str, Any]]:
    """Yield copies of a state with damage in the second game: in one number, or in a whole field."""
    for name, field in zip(state._fields, state, strict=True):
        first = (1, *[0] * (field.ndim - 1))
        whole = [] if field.dtype == object or not field.size else [1]
        for value in OBJECTS if field.dtype == object else NUMBERS.get(field.dtype.kind, ()):
            for where in [first, *whole] if field.size else []:
                other = copy.deepcopy(state)
                getattr(other, name)[where] = value
                yield f"{name}[{where}] = {value}", other


@pytest.mark.parametrize("rounds", [1, 6])
@pytest.mark.parametrize(("name", "parameters"), CASES, ids=str)
def test_a_damaged_state_leads_to_one_line_or_to_what_can_be_played(
    name: str, parameters: dict[str, Any], rounds: int
) -> None:
    learner = built(name, parameters)
    draws, action, state = np.random.default_rng(1), None, None
    for round in range(rounds):
        action, state = learner.predict(shown(learner, draws, action, round), state)
    refused = 0
    for what, other in damaged(state):
        last, later = action, np.random.default_rng(2)
        try:
            for round in range(rounds, rounds + 3):
                last, other = learner.predict(shown(learner, later, last, round), other)
                most = 1.0 if learner.game == "search" else CLASSES - 1
                assert (np.abs(last) <= most).all(), what
        except ValueError as error:
            assert str(error).startswith("state is damaged: ") and "\n" not in str(error), what
            refused += 1
    assert refused


@pytest.mark.parametrize("history", [((9, 0.1, 0.2),), ((1, 0.1),), ((0, math.inf, 0.1),), (3,)], ids=str)
def test_mistakes_that_nobody_made_are_refused_where_they_would_be_learned_from(history: Any) -> None:
    learner: Any = built("chebyshev-halving", {})
    base = {"features": np.array([0.5, 0.1]), "feedback": [-1, -1], "action": [-1], "round": [0]}
    action, state = learner.predict(base)
    told = np.eye(CLASSES)[1 - int(action)]
    state.history[0] = history
    with pytest.raises(ValueError, match="^state is damaged: .*history must hold labels with lifted queries in game 0"):
        learner.predict(base | {"feedback": told, "action": [float(action)], "round": [1]}, state)
