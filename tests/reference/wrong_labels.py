"""Games of hidden centres whose labels lie now and then, and what the bounds on such games need to know."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

PATTERNS = ("none", "random", "early", "late", "spiteful", "adversarial")
CANDIDATES = 20
CLEAR = 0.5  # gap, in norms of the centres, of the rounds that late lies wait for

Array = Any


class Round(NamedTuple):
    """One round: states before and after it was learned, in copies that are views of one game."""

    query: Array
    label: int
    true: int
    played: int
    before: Any
    after: Any


class Played(NamedTuple):
    """What happened: ``wrong`` is A of the bounds, ``opposed`` P, ``gained`` G; ``norm`` is that of the centres."""

    loss: float
    wrong: float
    opposed: float
    gained: float
    norm: float
    state: Any


def unit_rows(rng: np.random.Generator, rows: int, dim: int) -> Array:
    found = rng.standard_normal((rows, dim))
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def hidden_centres(rng: np.random.Generator, classes: int, dim: int) -> Array:
    """Return centres that are uniform in the unit ball."""
    return unit_rows(rng, classes, dim) * rng.random((classes, 1)) ** (1.0 / dim)


def snapshot(state: Any) -> Any:
    """Return copies of what a round may change: of one game, and of the last one's numbers only."""
    small = {name: field[0].copy() for name, field in zip(state._fields, state, strict=True) if field.size < 10_000}
    return type("Snapshot", (), small)


def play(
    learner: Any,
    dim: int,
    pattern: str,
    rounds: int,
    lies: int = 0,
    seed: int = 0,
    watch: Callable[[Round, Array], None] | None = None,
) -> Played:
    """Play one game against random centres; ``watch`` is called after every round, with the hidden centres."""
    rng, classes = np.random.default_rng(seed), learner.classes
    centres = hidden_centres(rng, classes, dim)
    size = float(np.linalg.norm(centres - centres.mean(axis=0)))
    random_lies = set(rng.choice(rounds, lies, replace=False).tolist())
    state: Any = None
    feedback, action = np.full(classes, -1.0), -1.0
    loss = wrong = opposed = gained = 0.0
    last: tuple[Any, ...] | None = None
    for t in range(rounds + 1):
        query = unit_rows(rng, 1, dim)[0]
        if pattern == "adversarial" and state is not None:
            query = hardest(unit_rows(rng, CANDIDATES, dim), centres, state.weights[0])
        known = 0.0 if state is None or not hasattr(state, "gained") else float(state.gained[0])
        before = None if watch is None or state is None else snapshot(state)
        observation = {"features": query, "feedback": feedback, "action": [action], "round": [float(t)]}
        played, state = learner.predict(observation, state)
        if last is not None:
            if hasattr(state, "gained") and last[1] == last[2]:
                gained += float(state.gained[0]) - known
            if watch is not None:
                watch(Round(*last, before, snapshot(state)), centres)
        values = centres @ query
        true, worst = int(np.argmax(values)), int(np.argmin(values))
        label = true
        others = [other for other in range(classes) if other != true]
        if pattern == "random" and t in random_lies:
            label = int(rng.choice(others))
        elif (pattern == "early" and t < lies) or (pattern == "adversarial" and t in random_lies):
            label = worst
        elif (
            pattern == "late"
            and t >= rounds // 4
            and lies
            and played == true
            and values[true] > values[worst] + CLEAR * size
        ):
            label, lies = worst, lies - 1
        elif pattern == "spiteful":
            label = next(other for other in rng.permutation(classes).tolist() if other != played)
        if t < rounds:
            loss += values[true] - values[played]
            wrong += values[true] - values[label]
            if label not in (true, played):
                opposed += max(0.0, values[played] - values[label])
        last = query, label, true, int(played)
        feedback, action = np.eye(classes)[label], float(played)
    return Played(loss, wrong, opposed, gained, size, state)


def hardest(queries: Array, centres: Array, weights: Array) -> Array:
    """Return the query on which a learner with these weights loses most; among none, the least certain."""
    values, scores = queries @ centres.T, queries @ weights.T
    losses = values.max(axis=1) - values[np.arange(len(queries)), scores.argmax(axis=1)]
    gaps = np.diff(np.sort(scores, axis=1)[:, -2:], axis=1)[:, 0]
    return queries[int(np.argmax(losses) if losses.max() > 0.0 else np.argmin(gaps))]
