"""Games under a certificate: pools of individuals, learners with what they are told, and a nature that hunts."""

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents import L2Cost, Separable, WeightedL1Cost
from agents.costs import respond
from agents.populations.nature import farthest_negative
from learners import (
    BiasedL1,
    BiasedL2,
    ImprovingPerceptron,
    MarginPerceptron,
    Perceptron,
    StrategicPerceptronL1,
    StrategicPerceptronL2,
    Truth,
    UnknownCostL1Single,
    UnknownCostL2,
    UnknownMarginL2,
)
from learners.proofs.certificate import Certificate
from strategic_env import StrategicClassificationEnv

Array = NDArray[np.float64]
POOL, ROUNDS, LONG = 12, 40, 250


class Pool(NamedTuple):
    """Separable individuals: features, labels, and what is true of them."""

    z: Array
    labels: Array
    separator: Array
    truth: Truth


def draw_pool(
    rng: np.random.Generator, kind: str, dim: int, alpha: float, nonnegative: bool, biased: bool, least: float = 0.05
) -> Pool:
    """Points all over a ball but ``least`` of it, or small integers with many ties."""
    if kind == "ball":
        radius = rng.choice([0.05, 1.0, 30.0])
        normal, z = rng.standard_normal(dim), rng.standard_normal((8 * POOL, dim))
        z *= radius * (rng.random((8 * POOL, 1)) ** (1 / dim)) / np.linalg.norm(z, axis=1, keepdims=True)
        offset, least = biased * rng.uniform(-0.4, 0.4) * radius, least * radius
    else:
        normal, z = rng.integers(1, 3, dim) * rng.choice([-1.0, 1.0], dim), rng.integers(-2, 3, (8 * POOL, dim)) * 1.0
        offset, least = biased * rng.integers(-2, 3) / np.linalg.norm(normal), 1e-9 if least < 0.1 else 0.9
    normal = (abs(normal) if nonnegative else normal) / np.linalg.norm(normal)
    values = z @ normal + offset
    far = np.flatnonzero(abs(values) > least)[:POOL]
    z, values = np.ascontiguousarray(z[far]), values[far]
    radius, margin = np.linalg.norm(z, axis=1).max(), abs(values).min()
    cost, reaches = ("l1", dim) if nonnegative else ("l2", 1)
    truth = Truth(
        cost, dim, float(radius), float(margin), float(offset), (float(alpha * radius),) * reaches, nonnegative
    )
    return Pool(z, np.sign(values), np.append(normal, offset), truth)


class Game:
    """One game between a learner and a pool, under a certificate; ``hidden``: labels of the rejected stay hidden."""

    def __init__(
        self, learner: Any, pool: Pool, cost: Any, hidden: bool = False, certificate: type[Certificate] = Certificate
    ) -> None:
        self.learner, self.pool, self.norm, self.hidden = learner, pool, cost.norm, hidden
        self.budgets = cost.budgets(pool.truth.dim)
        self.certificate = certificate(learner, pool.separator, pool.truth)
        nothing = {"features": np.zeros(pool.truth.dim), "classifier": np.zeros(pool.truth.dim + 1)}
        zeros = dict.fromkeys(("prediction", "label", "round"), np.zeros(1))
        self.action, self.state = learner.predict(nothing | zeros)
        self.round = self.mistakes = 0

    def answer(self, member: int) -> tuple[bool, Array]:
        report, z, budget = np.empty(self.pool.truth.dim), self.pool.z[member], self.budgets[member % len(self.budgets)]
        accepted, moved, _ = respond(self.norm, self.action, z, budget, report)
        if moved and self.pool.truth.response == "miss":
            far = np.linalg.norm(report - z)
            report += 0.7 * max(0.0, budget[0] - far) * (report - z) / far
        return accepted, report

    def label(self, member: int, report: Array) -> float:
        """The label that counts: of a mover who improves, that of the point that it becomes."""
        z, improvement = self.pool.z[member], self.pool.truth.improvement
        if improvement is None or (report == z).all():
            return float(self.pool.labels[member])
        side = (z + improvement * (report - z)) @ self.pool.separator[:-1] + self.pool.separator[-1]
        return 1.0 if side >= -1e-12 * (self.pool.truth.radius + max(self.pool.truth.alpha)) else -1.0

    def play(self, member: int) -> None:
        accepted, report = self.answer(member)
        label = self.label(member, report)
        self.round += 1
        self.mistakes += (label > 0) != accepted and (accepted or not self.hidden)
        observation = {
            "features": report,
            "prediction": np.array([1.0 if accepted else -1.0]),
            "label": np.array([0.0 if self.hidden and not accepted else label]),
            "classifier": self.action,
            "round": np.array([float(self.round)]),
        }
        self.action, self.state = self.learner.predict(observation, self.state)
        self.certificate.check(observation, self.pool.z[member], self.state)

    def wrong(self) -> Iterator[int]:
        """The members on whom the published classifier errs."""
        answers = ((k, *self.answer(k)) for k in range(len(self.pool.z)))
        return (k for k, accepted, report in answers if accepted != (self.label(k, report) > 0))

    def finish(self, rng: np.random.Generator, greedy: bool, rounds: int = ROUNDS) -> Certificate:
        for _ in range(rounds):
            member = next(self.wrong(), -1) if greedy else int(rng.integers(len(self.pool.z)))
            if member < 0 or self.certificate.violation:
                break
            self.play(member)
        return self.certificate


class Kind(NamedTuple):
    """A learner with its game; alpha has one reach for each coordinate, the first is the largest."""

    learner: Callable[[Array, Truth], Any]
    cost: Callable[[Array], Any] = lambda alpha: L2Cost(alpha[0])
    nonnegative: bool = False
    biased: bool = False
    differ: float = 0.0  # by how many margins the alphas of individuals differ
    least: float = 0.05  # distance from the separator, in radii
    improvement: float | None = None  # the share of a move that changes the true features
    overshoots: bool = False  # movers land beyond the boundary
    rounds: int = ROUNDS

    @property
    def usual(self) -> bool:
        """Whether people best-respond, and stay who they are."""
        return self.improvement is None and not self.overshoots

    def truth_of(self, truth: Truth, cost: Any) -> Truth:
        """Return what is true of people of this cost who answer so."""
        if self.differ:
            reaches, least = (cost.alpha.max(),), (cost.alpha.min(),)
        else:
            reaches, least = tuple(cost.budgets(truth.dim)[0].tolist()), None
        truth = truth._replace(cost=f"l{cost.norm}", alpha=reaches, alpha_min=least)
        if self.improvement is not None:
            truth = truth._replace(improvement=(self.improvement,) * truth.dim)
        return truth._replace(response="miss", miss=(0.0, max(reaches))) if self.overshoots else truth

    def games(self, seed: int, dims: Any, alphas: Any, copies: int = 1, **options: Any) -> Iterator[Certificate]:
        """Play a game for each kind of pool and order, ``copies`` times."""
        rng = np.random.default_rng([seed, self.nonnegative, self.biased])
        for dim, ratio, _, kind, greedy in product(dims, alphas, range(copies), ("ball", "integers"), (False, True)):
            pool = draw_pool(rng, kind, dim, ratio, self.nonnegative, self.biased, self.least)
            alpha = pool.truth.alpha[0] * rng.choice([0.0, 0.5, 1.0, 1.0], dim)
            alpha[0] = pool.truth.alpha[0]
            cost = self.cost(alpha)
            if self.differ:
                cost = L2Cost(np.maximum(0.0, alpha[0] - self.differ * pool.truth.margin * rng.random(len(pool.z))))
            truth = self.truth_of(pool.truth, cost)
            game = Game(self.learner(alpha, truth), pool._replace(truth=truth), cost, **options)
            yield game.finish(rng, greedy, self.rounds)
            assert game.mistakes <= game.certificate.mistakes
            assert game.mistakes == game.certificate.mistakes or type(game.state).__name__ == "PerceptronState"


def l1(learner: Callable[..., Any], biased: bool = False) -> Kind:
    return Kind(lambda alpha, truth: learner(alpha, truth.radius), WeightedL1Cost, nonnegative=True, biased=biased)


def below(margins: float) -> Callable[[Array, Truth], Any]:
    """An estimate so many margins below alpha."""
    return lambda alpha, truth: StrategicPerceptronL2(max(0.0, alpha[0] - margins * truth.margin))


def smallest(alpha: Array, truth: Truth) -> Any:
    assert truth.alpha_min is not None
    return StrategicPerceptronL2(truth.alpha_min[0])


def only_first(alpha: Array) -> WeightedL1Cost:
    return WeightedL1Cost(alpha * (np.arange(len(alpha)) == 0))


def unmoved(learner: Callable[[], Any], biased: bool = False) -> Kind:
    return Kind(lambda alpha, truth: learner(), lambda alpha: L2Cost(0.0), biased=biased)


def search(learner: Callable[..., Any], *last: Any, **options: Any) -> Callable[[Array, Truth], Any]:
    return lambda alpha, truth: learner(truth.radius, truth.margin, *last, **options)


def biased_l2(learner: Callable[..., Any] = BiasedL2, **options: Any) -> Kind:
    return Kind(
        lambda alpha, truth: learner(alpha[0], truth.radius, truth.margin, **options),
        biased=True, least=0.5, rounds=LONG,
    )  # fmt: skip


KINDS = {
    "Perceptron": unmoved(lambda: Perceptron(learning_rate=0.3)),
    "Perceptron with bias": unmoved(lambda: Perceptron(bias=True), biased=True),
    "Perceptron, lecture": unmoved(lambda: Perceptron(bias=True, learning_rate=0.3, ties="lecture"), biased=True),
    "MarginPerceptron": unmoved(lambda: MarginPerceptron(2.0, learning_rate=0.3)),
    "MarginPerceptron with bias": unmoved(lambda: MarginPerceptron(1.0, bias=True), biased=True),
    "StrategicPerceptronL2": Kind(lambda alpha, truth: StrategicPerceptronL2(alpha[0])),
    "StrategicPerceptronL2, estimate": Kind(below(0.3)),
    "StrategicPerceptronL2, worst estimate": Kind(below(0.5)),
    "StrategicPerceptronL2, heterogeneous": Kind(smallest, differ=0.5),
    "StrategicPerceptronL2, overshot": Kind(
        lambda alpha, truth: StrategicPerceptronL2(alpha[0], surrogate="always"), overshoots=True
    ),
    "StrategicPerceptronL2, improved": Kind(
        lambda alpha, truth: StrategicPerceptronL2(alpha[0]), improvement=0.5
    ),
    "StrategicPerceptronL2, nonnegative": Kind(
        lambda alpha, truth: StrategicPerceptronL2(alpha[0], nonnegative=True),
        lambda alpha: L2Cost(alpha[0]), nonnegative=True, improvement=0.5,
    ),
    "StrategicPerceptronL1": l1(StrategicPerceptronL1),
    "BiasedL1": l1(BiasedL1, biased=True),
    "ImprovingPerceptron": Kind(lambda alpha, truth: ImprovingPerceptron(alpha[0]), improvement=1.0),
    "ImprovingPerceptron, l1": Kind(
        lambda alpha, truth: ImprovingPerceptron(truth.alpha, "l1"),
        lambda alpha: WeightedL1Cost(np.maximum(alpha, alpha[0] / 4.0)), improvement=1.0,
    ),
}  # fmt: skip
# They need long games; alpha must be at most R.
SEARCHES = {
    "UnknownCostL2": Kind(search(UnknownCostL2), least=0.4, rounds=LONG),
    "UnknownCostL2, cautious": Kind(
        lambda alpha, truth: UnknownCostL2(1.2 * truth.radius, 0.8 * truth.margin), least=0.4, rounds=LONG
    ),
    "UnknownMarginL2": Kind(lambda alpha, truth: UnknownMarginL2(truth.radius), least=0.4, rounds=LONG),
    "UnknownCostL1Single": Kind(search(UnknownCostL1Single, 0), only_first, True, least=0.4, rounds=LONG),
    "BiasedL2": biased_l2(),
}


def environment(kind: Kind, rng: np.random.Generator, dim: int, **options: Any) -> tuple[Any, Any, Truth]:
    margin = 0.05 if kind.least < 0.1 else 0.3
    population = Separable(dim, margin=margin, nonnegative=kind.nonnegative, bias=0.3 if kind.biased else 0.0, pool=40)
    alpha = rng.uniform(0.1, 1.0, dim)
    alpha[0] = 1.0
    cost = kind.cost(alpha)
    reaches = tuple(float(reach) for reach in cost.budgets(dim)[0])
    truth = Truth(f"l{cost.norm}", dim, 1.0, margin, population.bias, reaches, kind.nonnegative)
    truth = truth._replace(alpha_min=reaches)
    return StrategicClassificationEnv(population, cost, **options), kind.learner(alpha, truth), truth


def hunt(learner: Any, alpha: float, rounds: int = 800) -> Certificate:
    """Nature refutes every estimate in three dimensions: shows that it is too large, or errors without progress."""
    rng, margin = np.random.default_rng(0), 0.25
    z = rng.standard_normal((4000, 3))
    z *= rng.random((4000, 1)) / np.linalg.norm(z, axis=1, keepdims=True)
    z = z[abs(z[:, 0]) >= margin]
    single = learner.cost == "l1"
    truth = Truth(learner.cost, 3, 1.0, margin, 0.0, (alpha, 0.0, 0.0) if single else (alpha,), True)
    pool = Pool(z, np.sign(z[:, 0]), np.eye(4)[0], truth)
    game = Game(learner, pool, WeightedL1Cost(truth.alpha) if single else L2Cost(alpha))
    tangent = np.empty(3)
    for _ in range(rounds):
        estimate, weights = float(game.state.estimate[0]), game.action[:-1]
        direction = np.eye(3)[0] * (weights[0] > 0) if single else weights / (np.linalg.norm(weights) or 1.0)
        scores = z @ weights
        free = (estimate - alpha) * float(weights @ direction)  # nobody with a higher score reports a lower one
        evidence = (scores > 1e-9) & (scores < free - 1e-9)
        errors = (scores >= free) != (pool.labels > 0)
        if estimate < alpha and not single and farthest_negative(game.action, alpha, 1.0, margin, tangent):
            z[0], pool.labels[0] = tangent, -1.0
            game.play(0)
        else:
            game.play(int(np.argmax(evidence * 2 + errors)))
        if game.certificate.violation:
            break
    return game.certificate
