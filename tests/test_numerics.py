"""A mover is accepted and recognised, whatever the rounding: random movers of all sizes, none judged negative."""

from typing import Any

import numpy as np
import oracle
import pytest
from numba import njit
from numpy.typing import NDArray

from agents import FixedSequence, L2Cost, WeightedL1Cost
from agents.boundary import dot, forbidden, on_boundary, side
from learners import BiasedL1, Perceptron, StrategicPerceptronL1, StrategicPerceptronL2
from strategic_env import StrategicClassificationEnv

Array = NDArray[np.float64]
EPS = 2.0**-52
both_costs = pytest.mark.parametrize("kind", [L2Cost, WeightedL1Cost], ids=["l2", "l1"])
dims = pytest.mark.parametrize("dim", [2, 10, 100])


def log_uniform(rng: np.random.Generator, low: float, high: float, n: int) -> Array:
    return np.exp(rng.uniform(np.log(low), np.log(high), (n, 1)))


def of_length(rng: np.random.Generator, lengths: Array, dim: int) -> Array:
    """Vectors of the given lengths (n, 1), every other one heavy-tailed."""
    n = len(lengths)
    v = np.where(np.arange(n)[:, None] % 2, rng.standard_normal((n, dim)), rng.standard_t(1.2, (n, dim)))
    return lengths * v / np.linalg.norm(v, axis=1, keepdims=True)


def reach_of(kind: Any, budgets: Array, w: Array) -> Array:
    """The reach of each individual against the weights it faces, (n, 1)."""
    if kind is L2Cost:
        return budgets * np.linalg.norm(w, axis=1, keepdims=True)
    return np.max(budgets * np.abs(w), axis=1, keepdims=True)


def scenes(rng: np.random.Generator, kind: Any, dim: int, n: int) -> tuple[Any, Array, Array, Array, Array]:
    """A cost, n true features, n classifiers, the budgets (n, 1) or (n, d), and the needed shares of the reach.

    Margins of all scales: an individual needs ``share`` of its reach, from 1e-12 to 1 - 1e-12 and 1 itself. Thresholds:
    the learner's (raised by the reach), 0 (movers land near the origin), and any.
    """
    lengths = log_uniform(rng, 1e-3, 1e3, n)
    z, w = of_length(rng, lengths, dim), of_length(rng, log_uniform(rng, 1e-4, 1e4, n), dim)
    budgets = lengths * log_uniform(rng, 1e-4, 3, n)
    if kind is WeightedL1Cost:
        budgets = budgets * rng.uniform(0, 1, (n, dim)) * (rng.random((n, dim)) < 0.8)
    reach = reach_of(kind, budgets, w)
    tiny = log_uniform(rng, 1e-12, 1, n)
    share = rng.choice([1.0, 0.0], (n, 1))  # 0 or 1, up to a little
    share = np.where(rng.random((n, 1)) < 0.1, 1.0, np.abs(share - tiny))
    anything = lengths * np.linalg.norm(w, axis=1, keepdims=True) * rng.standard_normal((n, 1))
    b = np.choose(rng.integers(0, 3, (n, 1)), [-reach, 0 * reach, anything])
    # bring the true features to the wanted distance, along the normal
    z += (-b - share * reach - np.sum(w * z, axis=1, keepdims=True)) / np.sum(w * w, axis=1, keepdims=True) * w
    cost = kind(budgets[:, 0] if kind is L2Cost else budgets)
    return cost, z, np.hstack([w, b]), budgets, share[:, 0]


def clear(kind: Any, z: Array, classifiers: Array, budgets: Array) -> NDArray[np.bool_]:
    """Whose reach is a million times what may drown in rounding, (n,)."""
    w, b = classifiers[:, :-1], classifiers[:, -1]
    size = np.linalg.norm(w, axis=1) * (np.linalg.norm(z, axis=1) + budgets.max(axis=1)) + np.abs(b)
    return np.asarray(reach_of(kind, budgets, w)[:, 0] > 1e6 * (z.shape[1] + 8) * EPS * size)


@njit
def sides(classifiers: Array, reports: Array, scales: Array, eps: float) -> Array:
    """What a learner makes of each report: +1 beyond the boundary, 0 on it, -1 short of it."""
    out = np.empty(len(reports), np.int64)
    for i in range(len(reports)):
        out[i] = side(classifiers[i], reports[i], scales[i], eps)
        if on_boundary(classifiers[i], reports[i], scales[i], eps) != (out[i] == 0):
            raise AssertionError("two answers to the same question")
    return out


def check_movers(rng: np.random.Generator, kind: Any, dim: int, n: int) -> int:
    """Nobody who moves is judged negative or taken for unmoved; how many have moved."""
    cost, z, classifiers, budgets, share = scenes(rng, kind, dim, n)
    scales = budgets.max(axis=1)
    x = cost.best_response(z, classifiers)
    moved = np.any(x != z, axis=1)
    seen = sides(classifiers, x, scales, EPS)
    assert np.count_nonzero(moved & (seen < 0)) == 0, "movers judged negative"
    assert np.count_nonzero(moved & (seen > 0)) == 0, "movers taken for unmoved"
    naive = np.sum(classifiers[:, :-1] * x, axis=1) + classifiers[:, -1] < 0
    assert np.mean(naive[moved]) > 0.2, "too easy: a plain comparison would do"
    # those that need no more than their reach are accepted, even where the step is too short to be seen
    assert np.all(seen[clear(kind, z, classifiers, budgets) & (share < 1 - 1e-5)] >= 0)
    return int(np.count_nonzero(moved))


@both_costs
@dims
def test_every_mover_is_accepted_and_recognised(kind: Any, dim: int) -> None:
    rng = np.random.default_rng([1, dim])
    moved = sum(check_movers(rng, kind, dim, 10_000) for _ in range(5))
    assert moved > 25_000


@pytest.mark.slow
@both_costs
@dims
def test_ten_million_movers(kind: Any, dim: int) -> None:
    rng, moved = np.random.default_rng([2, dim]), 0
    while moved < 10_000_000 // 6:
        moved += check_movers(rng, kind, dim, 1_000_000 // dim)


@both_costs
@dims
def test_movers_seen_in_single_precision(kind: Any, dim: int) -> None:
    """The classifier is rounded before the response, the report after it; the learner knows the coarser eps."""
    rng = np.random.default_rng([3, dim])
    cost, z, classifiers, budgets, _ = scenes(rng, kind, dim, 10_000)
    published = classifiers.astype(np.float32).astype(np.float64)
    x = cost.best_response(z, published)
    moved = np.any(x != z, axis=1)
    assert np.count_nonzero(moved) > 1000
    reports = x.astype(np.float32).astype(np.float64)
    assert np.all(sides(published, reports, budgets.max(axis=1), 2.0**-23)[moved] == 0)


@both_costs
@dims
def test_those_out_of_reach_are_rejected_and_the_accepted_stay(kind: Any, dim: int) -> None:
    """Judged from the report alone, both ways of deciding agree."""
    rng, n = np.random.default_rng([4, dim]), 10_000
    cost, z, classifiers, budgets, share = scenes(rng, kind, dim, n)
    w, scales = classifiers[:, :-1], budgets.max(axis=1)
    reach = reach_of(kind, budgets, w)[:, 0]
    decided = clear(kind, z, classifiers, budgets)
    assert np.count_nonzero(decided) > n // 2
    for gap, expected in ((1.5 * reach, -1), (-0.5 * reach, 1)):  # short of the boundary, or beyond it
        shifted = np.column_stack([w, classifiers[:, -1] + share * reach - gap])
        x = cost.best_response(z, shifted)
        assert np.array_equal(x[decided], z[decided])
        assert np.all(sides(shifted, x, scales, EPS)[decided] == expected)


@both_costs
@dims
def test_in_the_environment(kind: Any, dim: int) -> None:
    rng, n = np.random.default_rng([5, dim]), 300
    alpha = np.full(dim, 0.3) if kind is WeightedL1Cost else np.array(0.3)
    cost = kind(alpha)
    z = of_length(rng, log_uniform(rng, 1e-2, 1e2, n), dim)
    w = of_length(rng, log_uniform(rng, 1e-4, 1, n), dim)
    share = np.where(rng.random(n) < 0.2, 1.0, rng.uniform(-0.2, 1.2, n))
    classifiers = np.column_stack([w, -np.sum(w * z, axis=1) - share * reach_of(kind, np.full((n, 1), 0.3), w)[:, 0]])
    classifiers = np.ldexp(classifiers, -1 - np.frexp(np.abs(classifiers).max(axis=1, keepdims=True))[1])
    population = FixedSequence([], [(row, int(label)) for row, label in zip(z, rng.choice([-1, 1], n), strict=True)])
    env = StrategicClassificationEnv(population, cost, horizon=n)
    env.reset(seed=0)
    movers = 0
    for t in range(n):
        observation, _, _, _, info = env.step(classifiers[t])
        assert np.array_equal(observation["classifier"], classifiers[t])
        assert np.array_equal(info["true_features"], z[t])
        accepted = observation["prediction"][0] > 0
        assert accepted == (side(classifiers[t], observation["features"], 0.3, EPS) >= 0), "the two rules disagree"
        assert np.array_equal(observation["features"], cost.best_response(z[t], classifiers[t]))
        if info["moved"]:
            movers += 1
            assert accepted
            assert on_boundary(observation["classifier"], observation["features"], 0.3, EPS)
    assert movers > n // 3


# Sums in a fixed order


@pytest.mark.parametrize("eps", [2.0**-52, 2.0**-23])
@pytest.mark.parametrize(("norm", "intercept", "reach"), [(1.0, 0.0, 1.0), (1.0, 0.0, 0.25), (0.5, -1.0, 2.0)])
@pytest.mark.parametrize("dim", [1, 3, 17])
def test_the_boundary_is_as_wide_as_the_page_says(
    dim: int, norm: float, intercept: float, reach: float, eps: float
) -> None:
    along, up = np.eye(dim)[0], -intercept / norm
    classifier = np.append(norm * along, intercept)
    width = 2 * (dim + 8) * eps * (norm * (abs(up) + reach) + abs(intercept))
    for sign in (1, -1):
        for share, place in ((0.97, 0), (1.03, sign)):
            report = (up + sign * share * width / norm) * along
            assert side(classifier, report, reach, eps) == place
            assert on_boundary(classifier, report, reach, eps) == (place == 0)


def test_forbidden_is_between_the_origins_hyperplane_and_the_boundary() -> None:
    classifier, eps = np.array([0.5, 0.0, -0.5]), 2.0**-52  # accepts from x_1 = 1 on
    width = 2 * 10 * eps * (0.5 * (1.0 + 1.0) + 0.5) / 0.5  # at the boundary; at the origin 2/3 of it
    for first, expected in (
        (0.5, True), (-0.5, False), (1.5, False), (1.0, False), (0.0, False),
        (1.0 - 0.97 * width, False), (1.0 - 1.03 * width, True), (0.6 * width, False), (0.7 * width, True),
    ):  # fmt: skip
        assert forbidden(classifier, np.array([first, 0.0]), 1.0, eps) == expected, first


@pytest.mark.parametrize("dim", [*range(1, 41), 100, 1000])
def test_the_dot_product_has_one_order(dim: int) -> None:
    rng = np.random.default_rng(dim)
    for draw in (rng.standard_normal, rng.standard_cauchy):
        for _ in range(20):
            a, b = draw(dim + 1), draw(dim + 1)
            for left, right in ((a[:-1], b[:-1]), (a[1:], b[:-1])):  # with and without a common alignment
                expected = oracle.dot_eight_lanes(left.tolist(), right.tolist())
                assert dot(np.ascontiguousarray(left), np.ascontiguousarray(right)) == expected
                assert dot(left, right) == expected


def test_the_order_matters() -> None:
    """Where a plain sum gives another number, so that the test above has something to see."""
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((2, 100))
    assert dot(a, b) != sum((a * b).tolist())


# The learners, against the reference in the same arithmetic


ALPHA = [0.3, 0.0, 0.2, 0.3, 0.5]
PAIRS: dict[str, tuple[Any, Any]] = {
    "perceptron": (Perceptron(), lambda: oracle.Perceptron(5, oracle.FLOAT64)),
    "perceptron with bias": (
        Perceptron(bias=True, learning_rate=0.3),
        lambda: oracle.Perceptron(5, oracle.FLOAT64, bias=True, learning_rate=0.3),
    ),
    "algorithm 2": (StrategicPerceptronL2(0.3), lambda: oracle.StrategicPerceptronL2(5, 0.3, oracle.FLOAT64)),
    "algorithm 3": (
        StrategicPerceptronL1(ALPHA, 2.0),
        lambda: oracle.StrategicPerceptronL1(ALPHA, 2.0, oracle.FLOAT64),
    ),
    "algorithm 3 with bias": (
        BiasedL1(ALPHA, 2.0),
        lambda: oracle.StrategicPerceptronL1(ALPHA, 2.0, oracle.FLOAT64, bias=True),
    ),
}


@both_costs
@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("noise", [0.0, 0.2])
def test_random_streams_agree_with_the_reference(kind: Any, name: str, noise: float) -> None:
    """Round by round, against the costs that the learner expects and against others."""
    rng, n = np.random.default_rng([6, *name.encode()]), 400
    learner, reference = PAIRS[name][0], PAIRS[name][1]()
    if kind is L2Cost:
        cost, individuals = L2Cost(0.3), oracle.L2(0.3, oracle.FLOAT64)
    else:
        cost, individuals = WeightedL1Cost(ALPHA), oracle.WeightedL1(ALPHA, oracle.FLOAT64)
    z, u = rng.uniform(-1, 1, (40, 5)), np.array([0.5, 0.1, 0.6, 0.3, 0.4])
    labels = np.where((z @ u > 0) ^ (rng.random(40) < noise), 1, -1)
    points = [(row.tolist(), int(label)) for row, label in zip(z, labels, strict=True)]
    trace = oracle.play(points, [t % 40 for t in range(n)], individuals, reference)
    env = StrategicClassificationEnv(FixedSequence([], points), cost, horizon=n)
    action, state = learner.predict(env.reset(seed=0)[0])
    for t, expected in enumerate(trace):
        observation, _, _, _, info = env.step(action)
        action, state = learner.predict(observation, state)
        weights = [*state.weights[0], *([state.intercept[0]] if len(expected.w) > 5 else [])]
        outcome = (bool(info["moved"]), observation["prediction"][0], bool(info["mistake"]))
        assert outcome == (expected.moved, expected.pred, expected.mistake), f"round {t}"
        np.testing.assert_allclose(observation["features"], expected.x, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(weights, expected.w, rtol=1e-9, atol=1e-9)
    assert sum(r.mistake for r in trace) > 3


# Publishing


def observation_after(features: Array, classifier: Array, prediction: int, label: int, t: int) -> dict[str, Array]:
    as_array = {"prediction": prediction, "label": label, "round": t}
    return {"features": features, "classifier": classifier} | {k: np.array([v], float) for k, v in as_array.items()}


@pytest.mark.parametrize(
    "learner",
    [
        *[Perceptron(bias=True, learning_rate=rate) for rate in (1e-40, 1e-9, 1.0, 1 / 3, 1e9, 1e40)],
        StrategicPerceptronL2(0.7),
        StrategicPerceptronL1([0.7, 0.0, 0.2, 1.0, 0.5], 3.0),
        BiasedL1([0.7, 0.0, 0.2, 1.0, 0.5], 3.0),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_publishing_rounds_nothing(learner: Any) -> None:
    """An action is the learner's classifier times a power of two, bit for bit, inside the box."""
    rng, dim = np.random.default_rng(8), 5
    action, state = learner.predict(observation_after(np.zeros(dim), np.zeros(dim + 1), 0, 0, 0))
    for t in range(1, 200):
        features = rng.standard_t(1.5, dim)
        prediction = 1 if features @ action[:-1] + action[-1] >= 0 else -1
        label = int(rng.choice([-1, 1]))
        action, state = learner.predict(observation_after(features, action, prediction, label, t), state)
        assert np.max(np.abs(action)) <= 1
        weights = np.array(state.weights[0])
        if not np.any(weights):
            assert not np.any(action[:-1])
            continue
        exponent = np.frexp(np.max(np.abs(action[:-1])))[1] - np.frexp(np.max(np.abs(weights)))[1]
        assert np.array_equal(np.ldexp(weights, exponent), action[:-1])
        if isinstance(learner, Perceptron):
            assert np.ldexp(state.intercept[0], exponent) == action[-1]


# At distance exactly alpha: the table in docs/numerics.md


def share_that_stays(weights: Array, bias: Array, points: Array, alpha: Array) -> float:
    """How many of the individuals, each at distance exactly alpha below its own boundary, do not move."""
    classifiers = np.column_stack([weights, bias])
    cases = zip(points, classifiers, alpha, strict=True)
    return float(np.mean([np.array_equal(L2Cost(reach).best_response(z, w), z) for z, w, reach in cases]))


@pytest.mark.parametrize(("bits", "low", "high"), [(20, 0.0, 0.0), (40, 0.09, 0.14)])
def test_rounding_decides_about_ties_of_long_numbers_only(bits: int, low: float, high: float) -> None:
    m, a = np.random.default_rng(bits).integers(2 ** (bits - 1), 2**bits, (2, 3000, 1)).astype(np.float64)
    triple = np.array([3.0, 4.0])
    assert low <= share_that_stays(m * triple, np.zeros(3000), -a * triple, 5.0 * a[:, 0]) <= high


def test_about_one_in_fifty_stays_at_a_rounded_alpha() -> None:
    rng, n = np.random.default_rng(0), 3000
    pairs = np.array([(p, q) for p in range(-40, 41) for q in range(-40, 41) if p or q], dtype=np.float64)
    norms = np.hypot(*pairs.T)
    pairs = pairs[(norms == np.floor(norms)) & (norms <= 41)]
    weights, points = pairs[rng.integers(0, len(pairs), n)], rng.integers(-20, 21, (n, 2)).astype(np.float64)
    gap = rng.integers(1, 200, n).astype(np.float64)
    bias, norm = -gap - (weights * points).sum(axis=1), np.hypot(*weights.T)
    assert 0.01 <= share_that_stays(weights, bias, points, gap / norm) <= 0.03
    by_distance = -bias / norm - gap / norm <= (weights * points).sum(axis=1) / norm
    assert 0.08 <= np.mean(~by_distance) <= 0.16
