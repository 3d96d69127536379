"""The certificate accepts every run of the package's learners, and names what is wrong with broken ones."""

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from agents import L2Cost, Noisy, Separable, WeightedL1Cost
from agents.boundary import on_boundary
from agents.costs import respond
from learners import BiasedL1, ConstantClassifier, Perceptron, StrategicPerceptronL1, StrategicPerceptronL2, Truth
from learners.certificate import (
    Certificate,
    Step,
    Violation,
    alignment,
    few_mistakes,
    growth,
    progress,
    small_correction,
)
from strategic_env import StrategicClassificationEnv

Array = NDArray[np.float64]
POOL, ROUNDS, EPS = 12, 40, 2.0**-52


class Pool(NamedTuple):
    """Separable individuals: features, labels, and what is true of them."""

    z: Array
    labels: Array
    separator: Array
    truth: Truth


def draw_pool(rng: np.random.Generator, kind: str, dim: int, alpha: float, nonnegative: bool, biased: bool) -> Pool:
    """Points all over a ball, or small integers with many ties."""
    if kind == "ball":
        radius = rng.choice([0.05, 1.0, 30.0])
        normal, z = rng.standard_normal(dim), rng.standard_normal((8 * POOL, dim))
        z *= radius * (rng.random((8 * POOL, 1)) ** (1 / dim)) / np.linalg.norm(z, axis=1, keepdims=True)
        offset, least = biased * rng.uniform(-0.4, 0.4) * radius, 0.05 * radius
    else:
        normal, z = rng.integers(1, 3, dim) * rng.choice([-1.0, 1.0], dim), rng.integers(-2, 3, (8 * POOL, dim)) * 1.0
        offset, least = biased * rng.integers(-2, 3) / np.linalg.norm(normal), 1e-9
    normal = (abs(normal) if nonnegative else normal) / np.linalg.norm(normal)
    values = z @ normal + offset
    far = np.flatnonzero(abs(values) > least)[:POOL]
    z, values = np.ascontiguousarray(z[far]), values[far]
    radius, margin = np.linalg.norm(z, axis=1).max(), abs(values).min()
    truth = Truth(
        "l1" if nonnegative else "l2", dim, float(radius), float(margin), float(offset), (alpha * radius,), nonnegative
    )
    return Pool(z, np.sign(values), np.append(normal, offset), truth)


class Game:
    """One game between a learner and a pool, under a certificate; ``hidden``: labels of the rejected stay hidden."""

    def __init__(
        self, learner: Any, pool: Pool, cost: Any, hidden: bool = False, certificate: type[Certificate] = Certificate
    ) -> None:
        self.learner, self.pool, self.norm, self.hidden = learner, pool, cost.norm, hidden
        self.budget = cost.budgets(pool.truth.dim)[0]
        self.certificate = certificate(learner, pool.separator, pool.truth)
        nothing = {"features": np.zeros(pool.truth.dim), "classifier": np.zeros(pool.truth.dim + 1)}
        zeros = dict.fromkeys(("prediction", "label", "round"), np.zeros(1))
        self.action, self.state = learner.predict(nothing | zeros)
        self.round = self.mistakes = 0

    def answer(self, member: int) -> tuple[bool, Array]:
        report = np.empty(self.pool.truth.dim)
        return respond(self.norm, self.action, self.pool.z[member], self.budget, report)[0], report

    def play(self, member: int) -> None:
        (accepted, report), label = self.answer(member), self.pool.labels[member]
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
        return (k for k, label in enumerate(self.pool.labels) if self.answer(k)[0] != (label > 0))

    def finish(self, rng: np.random.Generator, greedy: bool) -> Certificate:
        for _ in range(ROUNDS):
            member = next(self.wrong(), -1) if greedy else int(rng.integers(len(self.pool.z)))
            if member < 0 or self.certificate.violation:
                break
            self.play(member)
        return self.certificate


class Kind(NamedTuple):
    """A learner with its game; alpha has one reach for each coordinate, the first is the largest."""

    learner: Callable[[Array, float], Any]
    cost: Callable[[Array], Any] = lambda alpha: L2Cost(alpha[0])
    nonnegative: bool = False
    biased: bool = False

    def games(self, seed: int, dims: Any, alphas: Any, copies: int = 1, **options: Any) -> Iterator[Certificate]:
        """Play a game for each kind of pool and order, ``copies`` times."""
        rng = np.random.default_rng([seed, self.nonnegative, self.biased])
        for dim, ratio, _, kind, greedy in product(dims, alphas, range(copies), ("ball", "integers"), (False, True)):
            pool = draw_pool(rng, kind, dim, ratio, self.nonnegative, self.biased)
            alpha = pool.truth.alpha[0] * rng.choice([0.0, 0.5, 1.0, 1.0], dim)
            alpha[0] = pool.truth.alpha[0]
            learner = self.learner(alpha, pool.truth.radius)
            game = Game(learner, pool, self.cost(alpha), **options)
            yield game.finish(rng, greedy)
            assert game.mistakes == game.certificate.mistakes


def l1(learner: Callable[..., Any], biased: bool = False) -> Kind:
    return Kind(learner, WeightedL1Cost, nonnegative=True, biased=biased)


KINDS = {
    "Perceptron": Kind(lambda alpha, radius: Perceptron(learning_rate=0.3), lambda alpha: L2Cost(0.0)),
    "Perceptron with bias": Kind(
        lambda alpha, radius: Perceptron(bias=True), lambda alpha: L2Cost(0.0), biased=True
    ),
    "StrategicPerceptronL2": Kind(lambda alpha, radius: StrategicPerceptronL2(alpha[0])),
    "StrategicPerceptronL1": l1(StrategicPerceptronL1),
    "BiasedL1": l1(BiasedL1, biased=True),
}  # fmt: skip


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("hidden", [False, True], ids=["full", "hidden"])
def test_the_learners_keep_every_invariant(name: str, hidden: bool) -> None:
    total = 0
    for certificate in KINDS[name].games(1, (1, 2, 3, 5, 10), (0.0, 0.3, 1.0, 5.0), hidden=hidden):
        certificate.raise_if_violated()
        total += certificate.mistakes
    assert total > 100, "the games are no challenge"


def environment(kind: Kind, rng: np.random.Generator, dim: int, **options: Any) -> tuple[Any, Any, Truth]:
    population = Separable(dim, margin=0.05, nonnegative=kind.nonnegative, bias=0.3 if kind.biased else 0.0, pool=40)
    alpha = rng.uniform(0.1, 2.0, dim)
    alpha[0] = 2.0
    cost, learner = kind.cost(alpha), kind.learner(alpha, 1.0)
    truth = Truth(
        "l1" if cost.norm == 1 else "l2", dim, 1.0, 0.05, population.bias, (float(cost.alpha.max()),), kind.nonnegative
    )
    return StrategicClassificationEnv(population, cost, **options), learner, truth


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("observation", ["dict", "flat"])
@pytest.mark.parametrize("feedback", ["full", "apple_tasting"])
def test_in_the_environment_in_double_and_single_precision(name: str, observation: str, feedback: str) -> None:
    rng = np.random.default_rng(2)
    for seed in range(6):
        env, learner, truth = environment(KINDS[name], rng, 1 + 2 * seed, observation=observation, feedback=feedback)
        seen, _ = env.reset(seed=seed)
        assert env.game is not None and env.game.arrivals.separator is not None
        certificate = Certificate(learner, 7.0 * env.game.arrivals.separator, truth)  # its scale does not matter
        action, state = learner.predict(seen)
        for _ in range(150):
            seen, _, _, _, info = env.step(action)
            action, state = learner.predict(seen, state)
            certificate.check(seen, info["true_features"], state)
            certificate.raise_if_violated()


def learn_l2(flaw: str, state: Any, x: Array, label: float, prediction: float, classifier: Array) -> None:
    """Algorithm 2 in plain NumPy, with a flaw."""
    if label == 0 and flaw == "guesses hidden labels":
        label = 1.0
    if label == 0 or (label == prediction and flaw != "learns every round"):
        return
    weights, alpha, direction = state.weights[0], state.alpha[0], classifier[:-1]
    length = np.linalg.norm(direction)
    if label < 0 and length > 0:
        on_plane = on_boundary(classifier, x, alpha, EPS)
        if flaw == "naive equality":
            on_plane = x @ direction / length == alpha
        if flaw == "always pulls":
            on_plane = True
        if on_plane and flaw != "no surrogate":
            x = x - (alpha / 2 if flaw == "half the pull" else alpha) * direction / length
    weights += label * x * {"double step": 2, "nearly": 1 + 1e-10}.get(flaw, 1)
    if flaw == "forgets" and label > 0:
        weights[:] = 0


def learn_l1(flaw: str, state: Any, x: Array, label: float, prediction: float, classifier: Array) -> None:
    """Algorithm 3 in plain NumPy, with a flaw."""
    weights, alpha, fake = state.weights[0], state.alpha[0], state.fake[0]
    norm = np.hypot(np.linalg.norm(weights), state.intercept[0])
    if label == 0 or (label == prediction and flaw != "corrects every round"):
        return
    if label != prediction:
        favourite = int(np.argmax(np.where(alpha > 0, alpha * classifier[:-1], -1)))
        on_plane = on_boundary(classifier, x, alpha.max(), EPS)
        if flaw == "naive equality":
            on_plane = x @ classifier[:-1] + classifier[-1] == 0
        if label < 0 and on_plane and flaw != "no surrogate":
            favourite = (favourite + 1) % len(x) if flaw == "another coordinate" else favourite
            x = x - alpha[favourite] * np.eye(len(x))[favourite]
        weights += label * x
        state.intercept[0] += label * fake
    if flaw != "no correction":
        weights[:] = np.maximum(weights, 0)
    if flaw == "corrects the fake coordinate":
        state.intercept[0] = max(state.intercept[0], 0)
    gains = np.where(alpha > 0, alpha * weights, -1)
    favourite = len(x) - 1 - int(np.argmax(gains[::-1])) if flaw == "last of ties" else int(np.argmax(gains))
    eta = 1 / (4 * norm + 8 * (state.radius[0] + fake + alpha.max()) + 2)
    eta *= {"no tie-break": 0, "double eta": 2}.get(flaw, 1)
    if flaw == "breaks ties with the fake coordinate":
        state.intercept[0] += eta
    elif alpha[favourite] > 0:
        weights[favourite] += eta


def learn_perceptron(flaw: str, state: Any, x: Array, label: float, prediction: float, classifier: Array) -> None:
    """Algorithm 1 in plain NumPy, with a flaw."""
    if label == 0 or (label == prediction and flaw != "learns every round"):
        return
    step = state.learning_rate[0] * label * (0.5 if flaw == "half the rate" else 1)
    state.weights[0] += step * x
    if flaw != "forgets the bias":
        state.intercept[0] += step * state.fake[0]


def broken(base: type, rule: Callable[..., None], flaw: str) -> Any:
    """Return a class of learners that publish like ``base`` and learn by ``rule``."""

    class Broken(base):
        def predict(self, observation: Any, state: Any = None, *_: Any) -> Any:
            if state is not None:
                label, prediction = observation["label"][0], observation["prediction"][0]
                rule(flaw, state, observation["features"], label, prediction, observation["classifier"])
            action, state = super().predict(observation | {"round": np.zeros(1)}, state)  # publishes only
            if flaw == "unraised threshold":
                action[-1] = 0.0
            return action, state

    return Broken


def flawed_l2(flaw: str, factor: float = 1.0) -> Kind:
    return Kind(lambda alpha, radius: broken(StrategicPerceptronL2, learn_l2, flaw)(factor * alpha[0]))


def flawed_l1(flaw: str, factor: float = 1.0, biased: bool = False) -> Kind:
    base = BiasedL1 if biased else StrategicPerceptronL1
    return l1(lambda alpha, radius: broken(base, learn_l1, flaw)(factor * alpha, radius), biased)


def flawed_perceptron(flaw: str) -> Kind:
    learner = broken(Perceptron, learn_perceptron, flaw)
    return KINDS["Perceptron with bias"]._replace(learner=lambda alpha, radius: learner(bias=True, learning_rate=0.3))


HEALTHY = {
    "Algorithm 1": flawed_perceptron(""),
    "Algorithm 2": flawed_l2(""),
    "Algorithm 3": flawed_l1(""),
    "Algorithm 3 with bias": flawed_l1("", biased=True),
}
# Which invariants may fail first.
MISSED_MOVER, WRONG_L1 = {"1 progress", "2 wrong side"}, {"14 progress", "14 wrong side"}
BROKEN: dict[str, tuple[Kind, set[str]]] = {
    "1: facing movers": (KINDS["Perceptron"]._replace(cost=lambda alpha: L2Cost(alpha[0])), {"18 progress"}),
    "1: learns every round": (flawed_perceptron("learns every round"), {"18 only mistakes"}),
    "1: half the rate": (flawed_perceptron("half the rate"), {"18 addition"}),
    "1: forgets the bias": (flawed_perceptron("forgets the bias"), {"18 addition"}),
    "2: learns every round": (flawed_l2("learns every round"), {"8 only mistakes"}),
    "2: guesses hidden labels": (flawed_l2("guesses hidden labels"), {"8 only mistakes"}),
    "2: naive equality": (flawed_l2("naive equality"), MISSED_MOVER),
    "2: no surrogate": (flawed_l2("no surrogate"), MISSED_MOVER),
    "2: always pulls": (flawed_l2("always pulls"), {"2 wrong side"}),
    "2: half the pull": (flawed_l2("half the pull"), {"8 addition"}),
    "2: double step": (flawed_l2("double step"), {"8 addition"}),
    "2: nearly": (flawed_l2("nearly"), {"8 addition"}),
    "2: forgets": (flawed_l2("forgets"), {"8 addition"}),
    "2: unraised threshold": (flawed_l2("unraised threshold"), {"5 forbidden zone", "6 movers", "2 wrong side"}),
    "2: alpha too small": (flawed_l2("", factor=0.5), {"6 movers"}),
    "2: alpha too large": (flawed_l2("", factor=2.0), {"5 forbidden zone"}),
    "3: corrects every round": (flawed_l1("corrects every round"), {"8 only mistakes"}),
    "3: naive equality": (flawed_l1("naive equality"), WRONG_L1),
    "3: no surrogate": (flawed_l1("no surrogate"), WRONG_L1),
    "3: another coordinate": (flawed_l1("another coordinate"), {"14 addition", *WRONG_L1}),
    "3: no correction": (flawed_l1("no correction"), {"9 correction"}),
    "3: no tie-break": (flawed_l1("no tie-break"), {"10 unique direction", "14 addition"}),
    "3: double eta": (flawed_l1("double eta"), {"14 addition"}),
    "3: last of ties": (flawed_l1("last of ties"), {"14 addition"}),
    "3: alpha too small": (flawed_l1("", factor=0.5), {"11 movers"}),
    "3: alpha too large": (flawed_l1("", factor=2.0), {"5 forbidden zone"}),
    "3 with bias: no surrogate": (flawed_l1("no surrogate", biased=True), WRONG_L1),
    "3 with bias: corrects 1": (flawed_l1("corrects the fake coordinate", biased=True), {"9 correction"}),
    "3 with bias: favours 1": (flawed_l1("breaks ties with the fake coordinate", biased=True), {"9 correction"}),
}


def games_of(kind: Kind, hidden: bool = False) -> list[Certificate]:
    return list(kind.games(3, (1, 2, 5), (0.3, 1.0), hidden=hidden))


@pytest.mark.parametrize("name", HEALTHY)
def test_other_implementations_keep_every_invariant(name: str) -> None:
    """Plain NumPy rounds otherwise; that is not held against it."""
    assert not [certificate.violation for certificate in games_of(HEALTHY[name]) if certificate.violation]


@pytest.mark.parametrize("name", BROKEN)
def test_broken_learners_are_caught(name: str) -> None:
    kind, invariants = BROKEN[name]
    caught = [certificate.violation for certificate in games_of(kind, "hidden" in name) if certificate.violation]
    assert len(caught) > 1 and {violation.invariant for violation in caught} <= invariants


class Recorder(Certificate):
    """Keeps the last step of a mistake."""

    step: Step

    def _first_violation(self, step: Step, eps: float) -> Violation | None:
        self.step = step if step.mistake else self.step
        return super()._first_violation(step, eps)


def orthonormal(learner: Any, cost: Any, certificate: type[Certificate] = Certificate) -> Any:
    """Play ``z_i = -e_i``, all negative, in 7 dimensions: for l2 every inequality of the theorem is an equality."""
    truth = Truth(learner.cost, 7, 1.0, 7**-0.5, 0.0, (float(cost.alpha),), True)
    pool = Pool(-np.eye(7), -np.ones(7), np.append(np.ones(7), 0.0), truth)
    game = Game(learner, pool, cost, certificate=certificate)
    return game.finish(np.random.default_rng(0), greedy=True)


@pytest.mark.parametrize("alpha", [0.0, 7.0])
def test_a_run_that_attains_the_bound(alpha: float) -> None:
    certificate = orthonormal(StrategicPerceptronL2(alpha), L2Cost(alpha))
    certificate.raise_if_violated()
    assert certificate.mistakes == 7


def scaled(field: str, factor: float) -> Callable[[Step], Step]:
    return lambda step: step._replace(**{field: factor * getattr(step, field)})


def negative_weights(step: Step) -> Step:
    return step._replace(before=step.before._replace(weights=step.before.weights - 3.0))


L2, L1 = (StrategicPerceptronL2(0.5), L2Cost(0.5)), (StrategicPerceptronL1(0.5, 1.0), WeightedL1Cost(0.5))
A_LITTLE = 1e-9


@pytest.mark.parametrize(
    ("game", "invariant", "doctor"),
    [
        (L2, progress, scaled("surrogate", 1 - A_LITTLE)),
        (L2, alignment, scaled("after", 1 - A_LITTLE)),
        (L2, growth, scaled("surrogate", 1 + A_LITTLE)),
        (L2, growth, scaled("after", 1 + A_LITTLE)),
        (L2, growth, scaled("squares", 1 - A_LITTLE)),
        (L2, few_mistakes, scaled("limit", 1 - A_LITTLE)),
        (L1, growth, scaled("after", 2.0)),
        (L1, small_correction, negative_weights),
    ],
)
def test_single_invariants(game: Any, invariant: Any, doctor: Callable[[Step], Step]) -> None:
    """Consequences of the others, which never fail first: doctored steps show that they are checked, and tightly."""
    certificate = orthonormal(*game, Recorder)
    certificate._proof = certificate._proof._replace(rounds=(), mistakes=((1, invariant),))
    assert certificate._first_violation(certificate.step, EPS) is None
    assert certificate._first_violation(doctor(certificate.step), EPS) is not None


def test_a_violation_tells_the_numbers() -> None:
    """The negative z = -1 moves to the origin, where the Perceptron cannot learn from it."""
    truth = Truth("l2", 1, 1.0, 1.0, 0.0, (2.0,), False)
    pool = Pool(np.array([[-1.0], [1.0]]), np.array([-1.0, 1.0]), np.array([1.0, 0.0]), truth)
    game = Game(Perceptron(), pool, L2Cost(2.0))
    for _ in range(3):
        game.play(0)
    certificate = game.certificate
    assert certificate.violation is not None and certificate.mistakes == 3
    invariant, moment, details = certificate.violation
    assert (invariant, moment) == ("18 progress", 2)
    assert details == {"y x~.w*": 0.0, "at least": 1.0, "slack": pytest.approx(0.0, abs=1e-12)}
    with pytest.raises(
        AssertionError, match=r"invariant 18 progress fails in round 2: y x~\.w\* -?0\.0, at least 1\.0"
    ):
        certificate.raise_if_violated()


@pytest.mark.parametrize(
    ("quantity", "change"),
    [
        ("y z.w*", lambda pool: pool._replace(labels=-pool.labels)),
        ("y z.w*", lambda pool: pool._replace(truth=pool.truth._replace(margin=0.9 * pool.truth.radius))),
        ("|z|", lambda pool: pool._replace(truth=pool.truth._replace(radius=0.5 * pool.truth.radius))),
        ("min w*_j", lambda pool: pool._replace(labels=-pool.labels, separator=-pool.separator)),
    ],
)
def test_the_theorems_assumptions_are_checked(quantity: str, change: Callable[[Pool], Pool]) -> None:
    """Flipped labels, a margin that is not kept, a radius that is exceeded, a separator with negative weights."""
    rng = np.random.default_rng(4)
    pool = draw_pool(rng, "ball", 3, 0.5, True, False)
    learner = StrategicPerceptronL1(pool.truth.alpha[0], pool.truth.radius)
    violation = Game(learner, change(pool), WeightedL1Cost(pool.truth.alpha[0])).finish(rng, greedy=False).violation
    assert violation is not None and violation.invariant == "0 separable" and quantity in violation.details


def test_individuals_must_best_respond() -> None:
    env, learner, truth = environment(
        KINDS["StrategicPerceptronL2"], np.random.default_rng(0), 3, individual=Noisy(0.1)
    )
    seen, _ = env.reset(seed=0)
    certificate = Certificate(learner, env.game.arrivals.separator, truth)
    action, state = learner.predict(seen)
    for _ in range(100):
        seen, _, _, _, info = env.step(action)
        action, state = learner.predict(seen, state)
        certificate.check(seen, info["true_features"], state)
    assert certificate.violation is not None
    assert certificate.violation.invariant in ("5 forbidden zone", "6 movers")


def test_bad_arguments() -> None:
    truth = Truth("l2", 2, 1.0, 0.1, 0.0, (0.3,), False)
    learner, separator = StrategicPerceptronL2(0.3), np.array([1.0, 0.0, 0.0])
    with pytest.raises(TypeError, match="learner must be one whose proof is known, got ConstantClassifier"):
        Certificate(ConstantClassifier(), separator, truth)
    with pytest.raises(ValueError, match="learner must be made for l2 costs, got StrategicPerceptronL1"):
        Certificate(StrategicPerceptronL1(0.3, 1.0), separator, truth)
    with pytest.raises(ValueError, match="separator must have shape"):
        Certificate(learner, separator[:2], truth)
    with pytest.raises(ValueError, match="separator must have weights that are not all 0"):
        Certificate(learner, 0 * separator, truth)
    game = Game(learner, Pool(np.eye(2), np.ones(2), separator, truth), L2Cost(0.3))
    flat = np.zeros(8)
    with pytest.raises(ValueError, match="observation must be of round 1, got round 0"):
        game.certificate.check(flat, np.zeros(2), game.state)
    flat[-1] = 1.0
    with pytest.raises(ValueError, match="true_features must have shape"):
        game.certificate.check(flat, np.zeros(3), game.state)
    with pytest.raises(ValueError, match="^features must have shape"):
        batch = {"features": np.zeros((1, 2)), "label": 0.0, "prediction": 1.0, "round": 1.0}
        game.certificate.check(batch, np.zeros(2), game.state)
