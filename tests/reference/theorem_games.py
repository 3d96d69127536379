"""Many games of separable points, and what a theorem's bound is compared with."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents import L2Cost, WeightedL1Cost
from learners import BiasedL1, Perceptron, StrategicPerceptronL1, StrategicPerceptronL2

Array = NDArray[np.float64]


EPS = 2.0**-52


ORDERS = ("as drawn", "repeated", "sorted by margin", "alternating labels", "greedy adversary")


POOL, SWEEPS, ADVERSARY_ROUNDS = 20, 12, 500


class Pools(NamedTuple):
    """Separable points of many games, (games, POOL, dim), with their labels and the separators that achieve ``margin``.

    ``normal.z + offset`` has the label's sign and at least the margin, with ``|normal| = 1``.
    """

    z: Array
    labels: Array
    normal: Array
    offset: Array

    @property
    def margin(self) -> Array:
        return np.min(np.abs(self.values), axis=1)

    @property
    def values(self) -> Array:
        return np.einsum("gpd,gd->gp", self.z, self.normal) + self.offset[:, None]

    @property
    def radius(self) -> Array:
        return np.max(np.linalg.norm(self.z, axis=2), axis=1)


def draw_pools(rng: np.random.Generator, games: int, dim: int, radius: float, nonnegative: bool, biased: bool) -> Pools:
    """A third each: all over the ball, all on its surface and close to the margin, and small integers (many ties)."""
    normal = rng.standard_normal((games, dim))
    normal[::3] = rng.integers(1, 3, (len(normal[::3]), dim)) * rng.choice([-1, 1], (len(normal[::3]), dim))
    if nonnegative:
        normal = np.abs(normal)
    length = np.linalg.norm(normal, axis=1, keepdims=True)
    unit = normal / length
    gap = radius * rng.uniform(0.06, 0.7, (games, 1))
    depth = np.where(np.arange(games)[:, None] % 3 == 1, 1e-3, 1) * rng.uniform(0, 1, (games, POOL))
    labels = np.where(rng.random((games, POOL)) < 0.5, -1.0, 1.0)
    labels[:, :2] = -1, 1
    along = labels * (gap + depth * (radius - gap))
    across = rng.standard_normal((games, POOL, dim))
    across -= np.einsum("gpd,gd->gp", across, unit)[..., None] * unit[:, None]
    room = np.sqrt(radius**2 - along**2) / np.maximum(np.linalg.norm(across, axis=2), 1e-300)
    room *= np.where(np.arange(games)[:, None] % 3 == 1, 1, rng.random((games, POOL)) ** (1 / dim))
    z = along[..., None] * unit[:, None] + (room[..., None] * across if dim > 1 else 0)
    z[::3] = rng.integers(-2, 3, z[::3].shape)
    offset = np.zeros(games)
    if biased:  # the same points around another origin
        centre = radius * rng.uniform(-1, 1) * unit
        centre[::3] = 0
        z, offset = z + centre[:, None], -np.sum(centre * unit, axis=1)
        offset[::3] = rng.integers(-2, 3, len(offset[::3])) / length[::3, 0]
    values = np.einsum("gpd,gd->gp", z, unit) + offset[:, None]
    values[::3] = np.rint(values[::3] * length[::3]) / length[::3]
    on_the_separator = values == 0  # integers only: replace them by a point that is not
    replacement = np.argmax(np.abs(values), axis=1)
    keep = np.abs(values[np.arange(games), replacement]) > 0
    z = np.where(on_the_separator[..., None], z[np.arange(games), replacement][:, None], z)
    values = np.where(on_the_separator, values[np.arange(games), replacement][:, None], values)
    return Pools(z[keep], np.sign(values)[keep], unit[keep], offset[keep])


def orders(rng: np.random.Generator, pools: Pools) -> Array:
    """Indices (4 games, rounds): every game in each of the four arrival orders that do not look at the learner."""
    games, rounds = len(pools.z), POOL * SWEEPS
    drawn = rng.integers(0, POOL, (games, rounds))
    repeated = np.tile(np.arange(POOL), (games, SWEEPS))
    by_margin = np.tile(np.argsort(np.abs(pools.values), axis=1), (1, SWEEPS))
    by_label = np.argsort(-pools.labels, axis=1, kind="stable")  # all positives, then all negatives
    alternating = np.tile(by_label[:, [k // 2 if k % 2 else POOL - 1 - k // 2 for k in range(POOL)]], (1, SWEEPS))
    return np.concatenate([drawn, repeated, by_margin, alternating])


def accepted(x: Array, classifiers: Array, scale: float) -> NDArray[np.bool_]:
    """The judgement of a report: ``w.x + b >= 0`` up to the tolerance for movers."""
    w, b = classifiers[:, :-1], classifiers[:, -1]
    size = np.linalg.norm(w, axis=1) * (np.linalg.norm(x, axis=1) + scale) + np.abs(b)
    return np.asarray(np.sum(w * x, axis=1) + b >= -2 * (x.shape[1] + 8) * EPS * size)


class Table:
    """Many games of one learner at once, through its public interface."""

    def __init__(self, learner: Any, cost: Any, games: int, dim: int) -> None:
        self.learner, self.cost, self.round = learner, cost, 0
        self.scale = float(np.max(cost.alpha))
        self.mistakes = np.zeros(games, dtype=np.int64)
        nothing = np.zeros((games, 1))
        self.action, self.state = learner.predict(
            {"features": np.zeros((games, dim)), "classifier": np.zeros((games, dim + 1)),
             "prediction": nothing, "label": nothing, "round": nothing}
        )  # fmt: skip

    def play(self, z: Array, labels: Array) -> None:
        x = self.cost.best_response(z, self.action)
        prediction = np.where(accepted(x, self.action, self.scale), 1.0, -1.0)
        self.mistakes += prediction != labels
        self.round += 1
        observation = {
            "features": x,
            "classifier": self.action,
            "prediction": prediction[:, None],
            "label": labels[:, None],
            "round": np.full((len(z), 1), float(self.round)),
        }
        self.action, self.state = self.learner.predict(observation, self.state)

    def errors(self, pools: Pools) -> NDArray[np.bool_]:
        """On which points of its pool every game's published classifier errs, (games, POOL)."""
        flat, classifiers = pools.z.reshape(-1, pools.z.shape[2]), np.repeat(self.action, POOL, axis=0)
        judged = accepted(self.cost.best_response(flat, classifiers), classifiers, self.scale)
        return np.where(judged, 1.0, -1.0).reshape(pools.labels.shape) != pools.labels


class Theorem(NamedTuple):
    """A learner with its game and its bound; ``alpha`` is a number, or one per coordinate."""

    cost: Callable[[Array], Any]
    learner: Callable[[Array, float], Any]
    bound: Callable[[Array, Array, Array, Array], Array]  # of R, max alpha, |w*|^2 and the intercept's square
    nonnegative: bool = False
    biased: bool = False


THEOREMS = {
    "Novikoff": Theorem(
        lambda alpha: L2Cost(0.0), lambda alpha, radius: Perceptron(), lambda R, a, w2, b2: R**2 * w2
    ),
    "Novikoff with bias": Theorem(
        lambda alpha: L2Cost(0.0),
        lambda alpha, radius: Perceptron(bias=True, learning_rate=0.3),
        lambda R, a, w2, b2: (R**2 + 1) * (w2 + b2),
        biased=True,
    ),
    "Theorem 1": Theorem(
        lambda alpha: L2Cost(float(alpha[0])),
        lambda alpha, radius: StrategicPerceptronL2(float(alpha[0])),
        lambda R, a, w2, b2: R**2 * w2,
    ),
    "Theorem 2": Theorem(
        WeightedL1Cost, StrategicPerceptronL1, lambda R, a, w2, b2: (1 + (R + a) ** 2) * w2, nonnegative=True
    ),
    "Theorem 2 with bias": Theorem(
        WeightedL1Cost, BiasedL1, lambda R, a, w2, b2: (2 + (R + a) ** 2) * (w2 + b2),
        nonnegative=True, biased=True,
    ),
}  # fmt: skip


def worst_share(theorem: Theorem, rng: np.random.Generator, dim: int, ratio: float, games: int) -> float:
    """Play ``games`` games in every order; no game exceeds its bound; the largest share of a bound that is used."""
    radius = float(rng.choice([0.05, 1.0, 30.0]))
    pools = draw_pools(rng, games, dim, radius, theorem.nonnegative, theorem.biased)
    alpha = ratio * radius * rng.choice([0.0, 0.5, 1.0, 1.0], dim)
    alpha[0] = ratio * radius
    bound = theorem.bound(
        pools.radius, np.max(alpha), 1 / pools.margin**2, (pools.offset / pools.margin) ** 2
    ) * (1 + 1e-9)  # fmt: skip
    cost, learner = theorem.cost(alpha), theorem.learner(alpha, float(np.max(pools.radius)))

    table = Table(learner, cost, 4 * len(pools.z), dim)
    game, order = np.tile(np.arange(len(pools.z)), 4), orders(rng, pools)
    for t in range(order.shape[1]):
        table.play(pools.z[game, order[:, t]], pools.labels[game, order[:, t]])
    share = table.mistakes / bound[game]
    worst = int(np.argmax(share))
    assert share[worst] <= 1, f"{ORDERS[worst // len(pools.z)]}: {table.mistakes[worst]} > {bound[game[worst]]}"

    table, game = Table(learner, cost, len(pools.z), dim), np.arange(len(pools.z))
    for _ in range(ADVERSARY_ROUNDS):
        wrong = table.errors(pools)
        if not np.any(wrong):
            break
        # the first error, or, in games without one, any point at all: it changes nothing
        chosen = np.argmax(wrong, axis=1)
        table.play(pools.z[game, chosen], pools.labels[game, chosen])
        assert np.all(table.mistakes <= bound), ORDERS[-1]
    return float(max(share[worst], np.max(table.mistakes / bound)))
