"""Best responses are optimal: against exact arithmetic, against scipy's solvers and against brute force."""

from fractions import Fraction
from typing import Any

import numpy as np
import oracle
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import linprog, minimize

from agents import L2Cost, Noisy, WeightedL1Cost
from agents.boundary import on_boundary, side
from agents.checks import LARGEST, SMALLEST
from agents.costs import steepest

settings.register_profile("numeric", deadline=None, max_examples=150, derandomize=True)
settings.load_profile("numeric")

Array = NDArray[np.float64]
EPS = float(np.finfo(np.float64).eps)
COSTS = [L2Cost, WeightedL1Cost]
both_costs = pytest.mark.parametrize("kind", COSTS, ids=["l2", "l1"])


def build(kind: Any, alpha: Array) -> Any:
    """The cost with this budget: a number for l2 (the first of ``alpha``), a number per coordinate for l1."""
    return kind(float(alpha[0])) if kind is L2Cost else kind(alpha)


def reference(kind: Any, alpha: Array) -> oracle.L2 | oracle.WeightedL1:
    exact = oracle.EXACT
    return oracle.L2(Fraction(alpha[0]), exact) if kind is L2Cost else oracle.WeightedL1(exact.vector(alpha), exact)


def exact_response(kind: Any, alpha: Array, z: Array, classifier: Array) -> tuple[Array, bool]:
    vector = oracle.EXACT.vector
    x, moved = oracle.best_response(vector(z), vector(classifier), reference(kind, alpha))
    return np.array([float(v) for v in x]), moved


def score(x: Array, classifier: Array) -> float:
    """``(w.x + b) / |w|``: how far beyond the boundary a point lies."""
    w, b = classifier[:-1], classifier[-1]
    return float((w @ x + b) / np.linalg.norm(w))


def scale_of(z: Array, alpha: Array, classifier: Array) -> float:
    """The size to which rounding errors of a response are proportional."""
    w, b = classifier[:-1], classifier[-1]
    return float(np.linalg.norm(z) + np.max(alpha) + abs(b) / np.linalg.norm(w))


def vectors(dim: int, low: float, high: float) -> st.SearchStrategy[Array]:
    elements = st.floats(low, high, allow_subnormal=False)
    return st.lists(elements, min_size=dim, max_size=dim).map(lambda v: np.array(v, dtype=np.float64))


ALPHAS = st.one_of(st.just(0.0), st.floats(SMALLEST, 20))


@st.composite
def scenes(draw: Any, max_dim: int = 6, smallest: float = 0.0) -> tuple[Array, Array, Array, float]:
    """True features, weights, budgets, and the share of its reach that an individual needs to be accepted."""
    dim = draw(st.integers(1, max_dim))
    z, w, alpha = draw(vectors(dim, -50, 50)), draw(vectors(dim, -10, 10)), draw(vectors(dim, smallest, 20))
    alpha[alpha < SMALLEST] = 0.0
    assume(np.max(np.abs(w)) > max(smallest, 1e-6))
    share = draw(st.one_of(st.floats(-0.5, 2.0), st.sampled_from([0.0, 1e-9, 0.5, 1.0, 1.001])))
    return z, w, alpha, share


def classifier_for(cost: Any, z: Array, w: Array, share: float) -> Array:
    """The bias for which moving costs this individual ``share``."""
    return np.append(w, -(w @ z) - share * float(cost.reach(w)))


@both_costs
@given(scene=scenes())
def test_agrees_with_exact_arithmetic(kind: Any, scene: Any) -> None:
    z, w, alpha, share = scene
    cost = build(kind, alpha)
    classifier = classifier_for(cost, z, w, share)
    x = cost.best_response(z, classifier)
    slack = 50 * EPS * scale_of(z, alpha, classifier)
    reach = float(cost.reach(w)) / np.linalg.norm(w)
    assume(abs(-score(z, classifier) - reach) > slack)  # within rounding of cost 1 both answers are right
    if kind is WeightedL1Cost and reach > 0:
        gains = np.sort(alpha * np.abs(w))
        assume(len(w) == 1 or gains[-2] < gains[-1] * (1 - 4 * EPS))  # and so are all coordinates that gain as much
        slack *= np.linalg.norm(w) / abs(w[np.argmax(alpha * np.abs(w))])
    expected, _ = exact_response(kind, alpha, z, classifier)
    assert np.linalg.norm(x - expected) <= slack


@both_costs
@given(scene=scenes())
def test_never_worse_than_staying_and_never_too_dear(kind: Any, scene: Any) -> None:
    z, w, alpha, share = scene
    cost = build(kind, alpha)
    classifier = classifier_for(cost, z, w, share)
    x = cost.best_response(z, classifier)
    if np.array_equal(x, z):
        return
    assert score(z, classifier) < EPS * 50 * scale_of(z, alpha, classifier), "moved although accepted"
    # the report is rounded to a float, and an ulp of it costs ulp / alpha_i
    moved = np.flatnonzero(x != z)
    budget = alpha[:1] if kind is L2Cost else alpha[moved]
    assert float(cost.cost(z, x)) <= 1 + 8 * EPS * (1 + np.max(np.abs(x[moved])) / np.min(budget))
    scale = float(alpha[0] if kind is L2Cost else np.max(alpha))
    assert side(classifier, x, scale, EPS) >= 0, "judged negative"
    assert on_boundary(classifier, x, scale, EPS), "not recognised"


@settings(max_examples=60)
@given(scene=scenes(max_dim=4, smallest=0.1))
def test_l2_against_slsqp(scene: Any) -> None:
    z, w, alpha, share = scene
    cost = L2Cost(float(alpha[0]))
    classifier = classifier_for(cost, z, w, share)
    assume(1e-6 < share and abs(share - 1) > 1e-6)
    x = cost.best_response(z, classifier)
    unit, gap = w / np.linalg.norm(w), -score(z, classifier) / alpha[0]  # in units of alpha
    nearest = minimize(
        lambda step: step @ step / 2,
        np.zeros_like(z),
        jac=lambda step: step,
        method="SLSQP",
        constraints={"type": "ineq", "fun": lambda step: unit @ step - gap, "jac": lambda _: unit},
        options={"ftol": 1e-12},
    )
    assert nearest.success
    expected = z + alpha[0] * nearest.x if np.linalg.norm(nearest.x) <= 1 else z
    np.testing.assert_allclose(x, expected, atol=1e-6 * scale_of(z, alpha, classifier))


@settings(max_examples=60)
@given(scene=scenes(smallest=0.1))
def test_l1_against_a_linear_programme(scene: Any) -> None:
    z, w, alpha, share = scene
    cost = WeightedL1Cost(alpha)
    classifier = classifier_for(cost, z, w, share)
    assume(1e-6 < share and abs(share - 1) > 1e-6)
    x = cost.best_response(z, classifier)
    gap = -(w @ z + classifier[-1])
    cheapest = linprog(
        np.concatenate([1 / alpha, 1 / alpha]), A_ub=-np.concatenate([w, -w])[None], b_ub=[-gap], bounds=(0, None)
    )
    assert cheapest.success
    if cheapest.fun <= 1:
        assert float(cost.cost(z, x)) == pytest.approx(cheapest.fun, rel=1e-6, abs=1e-9)
        assert np.count_nonzero(x != z) == 1, "the cheapest point is along one axis"
        assert score(x, classifier) == pytest.approx(0, abs=1e-9 * scale_of(z, alpha, classifier))
    else:
        assert np.array_equal(x, z)


@both_costs
@settings(max_examples=60)
@given(scene=scenes(max_dim=3), seed=st.integers(0, 2**32 - 1))
def test_nothing_in_the_cost_ball_is_better(kind: Any, scene: Any, seed: int) -> None:
    z, w, alpha, share = scene
    cost = build(kind, alpha)
    classifier = classifier_for(cost, z, w, share)
    x = cost.best_response(z, classifier)
    slack = 50 * EPS * scale_of(z, alpha, classifier)
    utility = float(score(x, classifier) >= -slack) - float(cost.cost(z, x))
    rng, n, dim = np.random.default_rng(seed), 4000, len(z)
    price = rng.uniform(0, 1, (n, 1))
    if kind is L2Cost:
        direction = rng.standard_normal((n, dim))
        step = alpha[0] * direction / np.linalg.norm(direction, axis=1, keepdims=True)
    else:
        step = alpha * rng.dirichlet(np.full(dim, 0.5), n) * rng.choice([-1, 1], (n, dim))
    accepted = (z + price * step) @ w + classifier[-1] > slack * np.linalg.norm(w)
    best = np.max(accepted - price[:, 0])
    assert utility >= best - 1e-6
    assert utility >= float(score(z, classifier) >= slack) - 1e-6


# Ties: small integers, where float64 and exact arithmetic must take the same decision


@both_costs
@given(
    st.sampled_from([(3, 4), (-4, 3), (5, -12), (1, 1), (2, -1), (0, 2), (8, 15)]),
    st.tuples(st.integers(-20, 20), st.integers(-20, 20)),
    st.sampled_from([(1, 1), (2, 1), (1, 2), (0.5, 0.25), (3, 0), (0, 3), (0, 0)]),
    st.integers(-80, 80),
)
def test_ties_are_decided_exactly(kind: Any, w: Any, z: Any, alpha: Any, b: int) -> None:
    features, classifier, budget = np.array(z, float), np.array([*w, b], float), np.array(alpha, float)
    expected, moved = exact_response(kind, budget, features, classifier)
    x = build(kind, budget).best_response(features, classifier)
    assert (not np.array_equal(x, features)) == moved
    np.testing.assert_allclose(x, expected, rtol=1e-14, atol=1e-14)


def test_cost_exactly_one_moves_and_a_little_more_does_not() -> None:
    z, w = np.zeros(2), np.array([3.0, 4.0])
    for cost, reach in ((L2Cost(2.0), 10.0), (WeightedL1Cost([2.0, 2.0]), 8.0)):
        assert float(cost.reach(w)) == reach
        assert float(cost.cost(z, cost.best_response(z, np.append(w, -reach)))) == 1.0
        assert np.array_equal(cost.best_response(z, np.append(w, -np.nextafter(reach, 11))), z)
        assert np.array_equal(cost.best_response(z, np.append(w, 0.0)), z), "on the boundary one is accepted"


@both_costs
@given(st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_one_moves_exactly_as_far_as_the_reach(kind: Any, dim: int, seed: int) -> None:
    """The reach that a cost tells is, bit for bit, the one that decides: from the origin the gap is minus the bias."""
    rng = np.random.default_rng(seed)
    w, origin, cost = rng.standard_normal(dim), np.zeros(dim), build(kind, rng.uniform(0.1, 2, dim))
    reach = float(cost.reach(w))
    assert np.any(cost.best_response(origin, np.append(w, -reach)))
    assert not np.any(cost.best_response(origin, np.append(w, -np.nextafter(reach, np.inf))))


def test_l1_ties_go_to_the_lowest_index() -> None:
    for w, alpha, expected in [
        ([1.0, 1.0, 1.0], [1.0, 1.0, 1.0], [0.5, 0.0, 0.0]),
        ([-1.0, 1.0, 1.0], [1.0, 1.0, 1.0], [-0.5, 0.0, 0.0]),
        ([1.0, 2.0, 4.0], [1.0, 2.0, 1.0], [0.0, 0.25, 0.0]),
        ([4.0, 1.0, -2.0], [0.0, 1.0, 0.5], [0.0, 0.5, 0.0]),
    ]:
        x = WeightedL1Cost(alpha).best_response(np.zeros(3), np.array([*w, -0.5]))
        assert x.tolist() == expected


def test_where_nobody_gains_by_moving_the_first_that_can_move_is_the_steepest() -> None:
    for weights, alpha, chosen in [
        ([0.0, 0.0, 0.0], [0.0, 0.3, 0.5], 1),
        ([1.0, 0.0, 0.0], [0.0, 0.0, 1e-9], 2),
        ([1.0, 1.0, 1.0], [0.0, 0.0, 0.0], -1),
    ]:
        assert steepest(np.array(weights), np.array(alpha)) == chosen


# The scale of a classifier


@both_costs
@given(
    st.lists(st.integers(-1000, 1000), min_size=2, max_size=5).filter(any),
    st.integers(-(10**5), 10**5),
    st.integers(-1074, 900),
    st.integers(0, 2**32 - 1),
)
def test_a_power_of_two_changes_nothing(kind: Any, w: Any, b: int, exponent: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    z, cost = rng.normal(0, 30, (20, len(w))), build(kind, rng.uniform(0, 60, len(w)))
    plain = np.array([*w, b], dtype=np.float64)
    assert np.array_equal(cost.best_response(z, np.ldexp(plain, exponent)), cost.best_response(z, plain))


@both_costs
@pytest.mark.parametrize("factor", [1e100, 1e-100, 1e-300, 2.0**-1074])
def test_huge_and_tiny_weights(kind: Any, factor: float) -> None:
    rng = np.random.default_rng(5)
    w, alpha = np.array([3.0, -1.0, 2.0]), np.array([1.0, 0.5, 2.0])
    cost, z = build(kind, alpha), rng.normal(0, 1, (200, 3))
    plain = np.append(w, -2.0)
    x = cost.best_response(z, factor * plain)
    assert 0 < np.count_nonzero(np.any(x != z, axis=1)) < 200
    np.testing.assert_allclose(x, cost.best_response(z, plain), rtol=1e-12, atol=1e-12)


@both_costs
def test_a_bias_out_of_all_proportion(kind: Any) -> None:
    z, cost = np.array([[1.0, -1.0], [0.0, 0.0]]), build(kind, np.array([1.0, 1.0]))
    for b in (1.0, -1.0, 1e300, -1e300):
        assert np.array_equal(cost.best_response(z, np.array([5e-324, 5e-324, b])), z)


@both_costs
@pytest.mark.parametrize("bias", [1.0, 0.0, -1.0])
def test_nobody_moves_when_the_weights_are_zero(kind: Any, bias: float) -> None:
    z = np.random.default_rng(0).normal(size=(10, 3))
    assert np.array_equal(build(kind, np.ones(3)).best_response(z, np.array([0, 0, 0, bias])), z)


# Budgets


def test_the_immovable_do_not_move() -> None:
    rng = np.random.default_rng(1)
    z, classifier = rng.normal(size=(500, 3)), np.array([1.0, 3.0, -0.5, -0.25])
    assert np.array_equal(L2Cost(0.0).best_response(z, classifier), z)
    assert np.array_equal(WeightedL1Cost([0.0, 0.0, 0.0]).best_response(z, classifier), z)
    x = WeightedL1Cost([1.0, 0.0, 0.5]).best_response(z, classifier)
    assert np.array_equal(x[:, 1], z[:, 1])
    assert np.any(x[:, 0] != z[:, 0])


def test_costs_and_reaches() -> None:
    z, x, w = np.array([1.0, 2.0]), np.array([4.0, -2.0]), np.array([3.0, -4.0])
    assert float(L2Cost(2.5).cost(z, x)) == 2.0
    assert float(L2Cost(2.5).reach(w)) == 12.5
    assert float(WeightedL1Cost([1.0, 2.0]).cost(z, x)) == 5.0
    assert float(WeightedL1Cost([1.0, 2.0]).reach(w)) == 8.0
    for frozen in (L2Cost(0.0), WeightedL1Cost([3.0, 0.0])):
        assert float(frozen.cost(z, z)) == 0.0
        assert float(frozen.cost(z, x)) == np.inf
    alphas = np.array([0.0, 1.0, 2.0])
    np.testing.assert_array_equal(L2Cost(alphas).reach(w), 5 * alphas)
    np.testing.assert_array_equal(WeightedL1Cost(np.outer(alphas, [1, 0.5])).reach(w), 3 * alphas)


# The range of numbers


@both_costs
@pytest.mark.parametrize("scale", [5e-324, 1e-300, SMALLEST, 1.0, LARGEST, 1e300])
@pytest.mark.parametrize("alpha", [SMALLEST, 1.0, LARGEST])
@pytest.mark.parametrize("size", [0.0, 5e-324, SMALLEST, 1.0, LARGEST])
def test_no_number_in_range_gives_nan_or_a_warning(kind: Any, scale: float, alpha: float, size: float) -> None:
    cost, z = build(kind, np.array([alpha, alpha])), size * np.array([[1.0, -1.0], [0.5, 1.0]])
    for b in (0.0, -5e-324, -1.0, -size, -alpha * min(scale, 1.0), -1e308, 1e308):
        for weights in ([scale, -scale], [scale, 0.0], [0.0, 5e-324]):
            x = cost.best_response(z, np.array([*weights, b]))
            assert np.isfinite(x).all()
            assert np.isfinite(cost.cost(z, x)).all()
    assert cost.cost(z, -z).shape == (2,) and np.isfinite(cost.cost(z, -z)).all()


def test_a_reach_beyond_float64_is_an_error() -> None:
    assert L2Cost(1e100).reach([3e200, 4e200]) == pytest.approx(5e300)
    with pytest.raises(ValueError, match=r"w must have a reach within the float64 range, got 1e\+300"):
        L2Cost(1e100).reach([1e300])


@pytest.mark.parametrize("size", [1e-90, 1e-200, 5e-324])
def test_the_smallest_move_counts(size: float) -> None:
    for frozen in (L2Cost(0.0), WeightedL1Cost([0.0, 0.0])):
        assert frozen.cost([0, 0], [size, size]) == np.inf
        assert frozen.cost([0, 0], [0, -size]) == np.inf
    assert L2Cost(1.0).cost([0, 0], [size, 0]) == size


BAD: list[tuple[Any, type[Exception], str]] = [
    (lambda: L2Cost([[1, 2], [3]]), ValueError, r"alpha must be a rectangular array, got \[\[1, 2\], \[3\]\]"),
    (lambda: WeightedL1Cost([[1, 2], [3]]), ValueError, "alpha must be a rectangular array"),
    (lambda: L2Cost([[1.0]]), ValueError, r"alpha must have shape \(any,\), got \(1, 1\)"),
    (lambda: WeightedL1Cost([[[1.0]]]), ValueError, r"alpha must have shape \(any, any\), got \(1, 1, 1\)"),
    (lambda: L2Cost(1e201), ValueError, r"alpha must be at most 1e\+100 in size, got 1e\+201"),
    (lambda: L2Cost(1e-201), ValueError, "alpha must be at least 1e-100 unless it is 0, got 1e-201"),
    (lambda: L2Cost(10**400), ValueError, "alpha must hold floats or 64-bit integers, got 1000"),
    (lambda: L2Cost(-1.0), ValueError, "alpha must be at least 0, got -1.0"),
    (lambda: WeightedL1Cost([1.0, float("nan")]), ValueError, r"alpha must be finite, got nan at index \(1,\)"),
    (lambda: L2Cost(True), TypeError, r"alpha must hold real numbers, got True \(bool\)"),
    (lambda: WeightedL1Cost(np.ma.array([1.0, 2.0])), TypeError, "alpha must hold real numbers, got a masked array"),
    (lambda: WeightedL1Cost([1.0, 2.0]).budgets(3), ValueError, "alpha has 2 coordinates, but the features have 3"),
    (lambda: Noisy(1e200), ValueError, r"scale must be at most 1e\+100"),
    *[
        (call, ValueError, message)
        for cost, other in ((L2Cost([1.0, 2.0, 3.0]), L2Cost(1.0)), (WeightedL1Cost(np.ones((3, 2))), L2Cost(1.0)))
        for call, message in (
            (
                lambda c=cost: c.best_response(np.ones((2, 2)), [1, 1, -5]),
                "alpha must hold one row, .* each of 2 ind.* 3",
            ),
            (
                lambda c=cost: c.cost(np.ones((2, 2)), np.ones((2, 2))),
                "alpha must hold one row, .* each of 2 ind.* got 3",
            ),
            (lambda c=cost: c.cost([1, 1], [1, 2]), "alpha must hold one row, or one for each of 1 individuals, got 3"),
            (
                lambda c=other: c.best_response([1, 1e308], [1, 1, -5]),
                r"z must be at most 1e\+100 in size, got 1e\+308",
            ),
            (
                lambda c=other: c.cost([1, 1], [1, 1e308]),
                r"x must be at most 3e\+100 in size, got 1e\+308 at index \(1,",
            ),
            (lambda c=other: c.cost([1, 1], [1, 2, 3]), r"x must have shape \(2,\), got \(3,\)"),
            (lambda c=other: c.best_response([1, 1], [1, 1]), r"classifier must have shape \(3,\), got \(2,\)"),
        )
    ],
]


@pytest.mark.parametrize(("call", "error", "message"), BAD)
def test_bad_input_is_one_clear_error(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


@both_costs
@given(st.integers(1, 20), st.integers(1, 12), st.integers(0, 2**32 - 1))
def test_a_batch_is_its_rows(kind: Any, dim: int, n: int, seed: int) -> None:
    """Bit for bit, with one budget or classifier for all and with one for each."""
    rng = np.random.default_rng(seed)
    z, classifiers = rng.standard_cauchy((n, dim)), rng.standard_cauchy((n, dim + 1))
    alphas = rng.uniform(0, 5, (n, dim)) * rng.integers(0, 2, (n, dim))
    own = kind(alphas[:, 0]) if kind is L2Cost else kind(alphas)
    for cost, single in ((build(kind, alphas[0]), lambda i: build(kind, alphas[0])),
                         (own, lambda i: build(kind, alphas[i]))):  # fmt: skip
        for published in (classifiers[0], classifiers):
            x = cost.best_response(z, published)
            prices = cost.cost(z, x)
            assert x.shape == z.shape and prices.shape == (n,)
            for i in range(n):
                row = single(i).best_response(z[i], published if published.ndim == 1 else published[i])
                assert row.shape == (dim,)
                assert np.array_equal(row, x[i])
                assert float(single(i).cost(z[i], row)) == prices[i]


@both_costs
@given(st.floats(-100, 100), st.floats(-5, 5).filter(lambda v: abs(v) > 1e-3), st.floats(-50, 50), ALPHAS)
def test_on_the_line(kind: Any, z: float, w: float, b: float, alpha: float) -> None:
    """In one dimension both costs are the same, and the boundary is a point."""
    x = float(build(kind, np.array([alpha])).best_response(np.array([z]), np.array([w, b]))[0])
    boundary, distance = -b / w, abs(z + b / w)
    slack = 50 * EPS * (abs(z) + abs(boundary) + alpha)
    if w * z + b >= 0 or distance > alpha + slack:
        assert x == z or abs(x - z) <= slack
    elif distance < alpha - slack:
        assert abs(x - boundary) <= slack


@both_costs
def test_the_arguments_stay_as_they_were(kind: Any) -> None:
    rng = np.random.default_rng(2)
    z, classifier, alpha = rng.normal(size=(5, 2)), np.array([1.0, 1.0, -0.5]), np.ones(2)
    before = z.copy(), classifier.copy(), alpha.copy()
    x = build(kind, alpha).best_response(z, classifier)
    assert not np.shares_memory(x, z)
    for value, kept in zip((z, classifier, alpha), before, strict=True):
        assert np.array_equal(value, kept)
