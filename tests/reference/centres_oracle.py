"""Nearest centres in plain NumPy: hidden centres, streams of queries, and slack ellipsoids with the matrix A itself."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import linprog


def unit_rows(rng: np.random.Generator, *shape: int) -> Any:
    """Return vectors (..., d) uniform on the sphere."""
    rows = rng.standard_normal(shape)
    return rows / np.linalg.norm(rows, axis=-1, keepdims=True)


def in_ball(rng: np.random.Generator, *shape: int) -> Any:
    """Return vectors (..., d) uniform in the unit ball."""
    return unit_rows(rng, *shape) * rng.random((*shape[:-1], 1)) ** (1.0 / shape[-1])


def near_boundary(rng: np.random.Generator, centres: Any, margin: float) -> Any:
    """Return a query of length 1 whose two best centres (k, d) differ by about a margin, where it has two."""
    query = unit_rows(rng, centres.shape[1])
    best, second = np.argsort(-(centres @ query))[:2]
    normal = centres[best] - centres[second]
    moved = query - (query @ normal - margin) / (normal @ normal) * normal
    return moved / max(1.0, np.linalg.norm(moved))


class Round(NamedTuple):
    """One round: what was asked, right and named, what that cost, and the state in which it was named."""

    query: Any
    label: int
    action: int
    loss: float
    state: Any


def play(learner: Any, queries: Any, labels: Any, costs: Any) -> Iterator[Round]:
    """Let a learner name queries (T, d) of labels (T,); naming k costs ``costs[t, k]``."""
    classes = costs.shape[1]
    state, action, feedback = None, -1, np.full(classes, -1.0)
    for t, (query, label) in enumerate(zip(queries, labels, strict=True)):
        seen = {"features": query, "feedback": feedback, "action": [float(action)], "round": [float(t)]}
        named, state = learner.predict(seen, state)
        action, feedback = int(named), np.eye(classes)[label]
        yield Round(query, int(label), action, float(costs[t, action]), state)


def inner_game(rng: np.random.Generator, rounds: int, classes: int, dim: int, near: float = 0.0) -> tuple[Any, ...]:
    """Return centres, queries, labels and costs; a share ``near`` of the queries lies near a boundary."""
    centres = in_ball(rng, classes, dim)
    queries = unit_rows(rng, rounds, dim)
    for t in np.flatnonzero(rng.random(rounds) < near):
        queries[t] = near_boundary(rng, centres, 10.0 ** rng.uniform(-6.0, -1.0))
    similarities = queries @ centres.T
    return centres, queries, similarities.argmax(axis=1), similarities.max(axis=1, keepdims=True) - similarities


class PairEllipsoids:
    """Slack ellipsoids of one pair, with A = B B^T."""

    def __init__(self, dim: int) -> None:
        self.thresholds = 4.0 * 0.5 ** np.arange(31)
        self.slacks = self.thresholds / (8 * dim)
        self.centres = np.zeros((31, dim))
        self.matrices = np.array([(2.0 + slack) ** 2 * np.eye(dim) for slack in self.slacks])
        self.dim = dim

    def _ratio(self, depth: float) -> float:
        d = self.dim
        if depth <= -1.0 / d:
            return 0.0
        shape = 0.5 * d * np.log(d * d / (d * d - 1.0)) + 0.5 * d * np.log(1.0 - depth**2)
        return float(shape + 0.5 * np.log((d - 1.0) * (1.0 - depth) / ((d + 1.0) * (1.0 + depth))))

    def judge(self, query: Any) -> tuple[float, list[float], list[float]]:
        """Return the middle of the explored scale, and the falls and the costs of either side."""
        least = -self._ratio(-1.0 / (4 * self.dim))
        low, high = -2.0 * np.linalg.norm(query), 2.0 * np.linalg.norm(query)
        middle = 0.0
        for i, threshold in enumerate(self.thresholds):
            half, middle = np.sqrt(query @ self.matrices[i] @ query), self.centres[i] @ query
            low, high = max(low, middle - half), min(high, middle + half)
            if 2.0 * half > threshold:
                depths = [(-self.slacks[i] * np.linalg.norm(query) - side * middle) / half for side in (1, -1)]
                return (
                    middle,
                    [-2.0 * threshold * self._ratio(depth) / least for depth in depths],
                    [max(0.0, high), max(0.0, -low)],
                )
        return middle, [0.0, 0.0], [0.0, 0.0]

    def learn(self, query: Any, side: float) -> None:
        """Cut every scale by ``side <q, u> >= -z |q|``."""
        d = self.dim
        for i, slack in enumerate(self.slacks):
            half = np.sqrt(query @ self.matrices[i] @ query)
            depth = (-slack * np.linalg.norm(query) - side * self.centres[i] @ query) / half
            if depth > -1.0 / d:
                b = side * self.matrices[i] @ query / half
                shrink = 2.0 * (1.0 + d * depth) / ((d + 1.0) * (1.0 + depth))
                self.centres[i] += (1.0 + d * depth) / (d + 1.0) * b
                grown = d * d / (d * d - 1.0) * (1.0 - depth**2)
                self.matrices[i] = grown * (self.matrices[i] - shrink * np.outer(b, b))


def paid(gains: Any, scores: Any) -> tuple[Any, float]:
    """Return the v of the simplex with ``M v >= 0`` and the largest ``<scores, v>``, by HiGHS, and its value."""
    k = len(scores)
    found = linprog(-scores, A_ub=-gains, b_ub=np.zeros(k), A_eq=np.ones((1, k)), b_eq=[1.0], method="highs")
    assert found.status == 0, found.message
    return found.x, float(-found.fun)
