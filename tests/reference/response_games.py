"""Many games of people who answer otherwise than by best responses, for the theorems about their learners.

Plain NumPy, independent of how environments play them.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from theorem_games import ADVERSARY_ROUNDS, EPS, ORDERS, POOL, Array, Pools, Table, accepted, draw_pools, orders

from agents import L2Cost, WeightedL1Cost
from learners import (
    BiasedL1,
    EchoChecking,
    ImprovingPerceptron,
    Learner,
    Patient,
    StrategicPerceptronL1,
    StrategicPerceptronL2,
    Truth,
)


class People(NamedTuple):
    """How people answer.

    ``mask`` is the share of a move that changes the true features; ``overshoot`` lets movers land beyond the boundary,
    by a random part of what they can still pay for; ``lag`` and ``delay`` count rounds; ``chance`` is what moving adds
    to the probability of acceptance.
    """

    mask: Array | None = None
    overshoot: bool = False
    lag: int = 0
    delay: int = 0
    chance: float = 1.0


class ResponseTable(Table):
    """A `Table` whose people answer so; a separator, ``normal`` and ``offset``, says what becomes of the improved."""

    def __init__(self, learner: Any, cost: Any, people: People, pools: Pools, games: Any, draws: Any) -> None:
        self.people, self.pools, self.draws = people, pools, draws
        self.normal, self.offset = pools.normal[games], pools.offset[games]
        self.seen: list[dict[str, Array]] = []
        super().__init__(learner, cost, len(self.normal), pools.z.shape[2])
        self.published = [self.action]
        reach = people.chance * cost.alpha
        self.cost = L2Cost(float(reach)) if cost.norm == 2 else WeightedL1Cost(reach)

    def believed(self) -> Array:
        return self.published[max(0, len(self.published) - 1 - self.people.lag)]

    def report(self, z: Array, classifiers: Array) -> Array:
        """Where people of these features (n, d) go, each for its own classifier (n, d + 1)."""
        x = self.cost.best_response(z, classifiers)
        if self.people.overshoot:
            move = x - z
            far = np.linalg.norm(move, axis=1)
            beyond = self.draws.choice([0.0, 0.5, 1.0], len(z)) * (self.cost.alpha - far)
            x = x + np.where(far > 0, np.maximum(0.0, beyond), 0)[:, None] * move / np.maximum(far, 1e-300)[:, None]
        return x

    def answered(self, z: Array, labels: Array, game: NDArray[np.int64] | slice) -> tuple[Array, Array, Array]:
        """Return reports, predictions and the labels that count."""
        x = self.report(z, self.believed()[game])
        prediction = np.where(accepted(x, self.action[game], self.scale), 1.0, -1.0)
        if self.people.mask is not None:
            normal, offset = self.normal[game], self.offset[game]
            became = z + self.people.mask * (x - z)
            size = np.max(np.linalg.norm(self.pools.z, axis=2)) + self.scale + np.abs(offset)
            sides = np.sum(normal * became, axis=1) + offset >= -2 * (z.shape[1] + 8) * EPS * size
            labels = np.where((x == z).all(axis=1), labels, np.where(sides, 1.0, -1.0))
        return x, prediction, labels

    def play(self, z: Array, labels: Array) -> None:
        x, prediction, labels = self.answered(z, labels, slice(None))
        self.mistakes += prediction != labels
        self.round += 1
        self.seen.append({
            "features": x,
            "classifier": self.action,
            "prediction": prediction[:, None],
            "label": labels[:, None],
            "round": np.full((len(z), 1), float(self.round)),
        })  # fmt: skip
        if len(self.seen) > self.people.delay:
            self.action, self.state = self.learner.predict(self.seen.pop(0), self.state)
        self.published = [*self.published[-self.people.lag :], self.action] if self.people.lag else [self.action]

    def errors(self, pools: Pools) -> NDArray[np.bool_]:
        games = len(pools.z)
        flat, game = pools.z.reshape(-1, pools.z.shape[2]), np.repeat(np.arange(games), POOL)
        _, prediction, labels = self.answered(flat, pools.labels.ravel(), game)
        return (prediction != labels).reshape(pools.labels.shape)


class ResponseTheorem(NamedTuple):
    """A learner of somebody's reach, the people whom its bound is for, and what the pools must be."""

    learner: Callable[[Array, Truth], Learner[Any]]
    people: Callable[[np.random.Generator, int], People] = lambda rng, dim: People()
    cost: str = "l2"
    nonnegative: bool = False
    biased: bool = False


def truth_of(pools: Pools, game: int, alpha: Array, people: People, theorem: ResponseTheorem) -> Truth:
    """What the bound of one game depends on."""
    dim = pools.z.shape[2]
    return Truth(
        theorem.cost, dim, float(pools.radius[game]), float(pools.margin[game]), float(pools.offset[game]),
        tuple(alpha.tolist()) if theorem.cost == "l1" else (float(alpha[0]),), theorem.nonnegative,
        response="miss" if people.overshoot else "lagged" if people.lag else "best",
        lag=people.lag, miss=(0.0, float(alpha.max())) if people.overshoot else (0.0, 0.0),
        improvement=None if people.mask is None else tuple(people.mask.tolist()),
        lottery=(1.0 - people.chance, 1.0), delay=people.delay,
    )  # fmt: skip


def worst_response_share(
    theorem: ResponseTheorem, rng: np.random.Generator, dim: int, ratio: float, games: int
) -> tuple[float, int]:
    """Play so many games in every order; none exceeds its bound; the largest share of a bound used, and rounds."""
    radius = float(rng.choice([0.05, 1.0, 30.0]))
    pools, people = draw_pools(rng, games, dim, radius, theorem.nonnegative, theorem.biased), theorem.people(rng, dim)
    alpha = ratio * radius * rng.choice([0.3, 0.5, 1.0, 1.0], dim)
    alpha[0] = ratio * radius
    cost = WeightedL1Cost(alpha) if theorem.cost == "l1" else L2Cost(float(alpha[0]))
    whole = truth_of(pools, 0, alpha, people, theorem)._replace(radius=float(pools.radius.max()))
    learner = theorem.learner(alpha, whole)
    found = [learner.bound(truth_of(pools, game, alpha, people, theorem)) for game in range(len(pools.z))]
    assert None not in found, "no bound"
    bound = np.array(found, dtype=np.float64) * (1 + 1e-9)

    game, order = np.tile(np.arange(len(pools.z)), 4), orders(rng, pools)
    table = ResponseTable(learner, cost, people, pools, game, rng)
    for t in range(order.shape[1]):
        table.play(pools.z[game, order[:, t]], pools.labels[game, order[:, t]])
    share, rounds = table.mistakes / bound[game], order.size
    worst = int(np.argmax(share))
    assert share[worst] <= 1, f"{ORDERS[worst // len(pools.z)]}: {table.mistakes[worst]} > {bound[game[worst]]}"

    game = np.arange(len(pools.z))
    table = ResponseTable(learner, cost, people, pools, game, rng)
    for _ in range(ADVERSARY_ROUNDS):
        wrong = table.errors(pools)
        if not np.any(wrong) and not (people.lag or people.delay):
            break
        chosen, rounds = np.argmax(wrong, axis=1), rounds + len(game)
        table.play(pools.z[game, chosen], pools.labels[game, chosen])
        assert np.all(table.mistakes <= bound), ORDERS[-1]
    return float(max(share[worst], np.max(table.mistakes / bound))), rounds


def everything(rng: np.random.Generator, dim: int) -> People:
    """All features improve."""
    return People(mask=np.ones(dim))


def a_part(rng: np.random.Generator, dim: int) -> People:
    """Each feature improves by a share of its own."""
    return People(mask=rng.choice([0.0, 0.3, 0.5, 1.0], dim))


def alike(rng: np.random.Generator, dim: int) -> People:
    """All features improve by one share."""
    return People(mask=np.full(dim, rng.choice([0.2, 0.5, 1.0])))


RESPONSE_THEOREMS = {
    "improving l2": ResponseTheorem(lambda alpha, truth: ImprovingPerceptron(alpha[0]), everything),
    "improving l1": ResponseTheorem(lambda alpha, truth: ImprovingPerceptron(alpha, "l1"), everything, "l1"),
    "algorithm 2, improved alike": ResponseTheorem(lambda alpha, truth: StrategicPerceptronL2(alpha[0]), alike),
    "algorithm 2, nonnegative": ResponseTheorem(
        lambda alpha, truth: StrategicPerceptronL2(alpha[0], nonnegative=True), a_part, nonnegative=True
    ),
    "algorithm 3": ResponseTheorem(
        lambda alpha, truth: StrategicPerceptronL1(alpha, truth.radius), a_part, "l1", nonnegative=True
    ),
    "algorithm 3 with an intercept": ResponseTheorem(
        lambda alpha, truth: BiasedL1(alpha, truth.radius), a_part, "l1", nonnegative=True, biased=True
    ),
    "algorithm 2, always": ResponseTheorem(
        lambda alpha, truth: StrategicPerceptronL2(alpha[0], surrogate="always"),
        lambda rng, dim: People(overshoot=True),
    ),
    "patient": ResponseTheorem(
        lambda alpha, truth: Patient(StrategicPerceptronL2(alpha[0]), rounds=truth.lag),
        lambda rng, dim: People(lag=int(rng.integers(0, 6))),
    ),
    "patient l1": ResponseTheorem(
        lambda alpha, truth: Patient(StrategicPerceptronL1(alpha, truth.radius), rounds=truth.lag),
        lambda rng, dim: People(lag=int(rng.integers(0, 4))),
        "l1", nonnegative=True,
    ),
    "echo-checking": ResponseTheorem(
        lambda alpha, truth: EchoChecking(StrategicPerceptronL2(alpha[0])),
        lambda rng, dim: People(delay=int(rng.integers(0, 6))),
    ),
    "echo-checking, improving": ResponseTheorem(
        lambda alpha, truth: EchoChecking(ImprovingPerceptron(alpha[0])),
        lambda rng, dim: People(delay=int(rng.integers(0, 4)), mask=np.ones(dim)),
    ),
    "algorithm 2, late": ResponseTheorem(
        lambda alpha, truth: StrategicPerceptronL2(alpha[0]), lambda rng, dim: People(delay=int(rng.integers(0, 8)))
    ),
    "lottery": ResponseTheorem(
        lambda alpha, truth: StrategicPerceptronL2(alpha[0] * (truth.lottery[1] - truth.lottery[0])),
        lambda rng, dim: People(chance=float(rng.choice([0.1, 0.5, 0.9]))),
    ),
}  # fmt: skip
