"""Learners that guess: unknown costs (Algorithm 4), unknown margin, an intercept (Algorithm 5)."""

from typing import Any

import numpy as np
import pytest
from theorem_games import EPS, POOL, Pools, Table, draw_pools, orders

from agents import FixedSequence, L2Cost, Separable, TangentAdversary, WeightedL1Cost
from learners import (
    BiasedL2,
    StrategicPerceptronL2,
    UnknownCostL1Single,
    UnknownCostL2,
    UnknownMarginL2,
    bounds,
)
from learners.strategic.biased import place_origin
from learners.strategic.phases import guess_budget, next_estimate, phase_budget
from strategic_env import StrategicClassificationEnv

EXAMPLE_2 = ([[-1.0, 0.0], [1.0, 0.0], [0.5, 0.0]], [-1, 1, -1])


def evidence(alpha: float, margin: float, radius: float, literal: bool) -> int:
    """Phases until an estimate is right, if every wrong one is found out."""
    low, high, estimate, phases = 0.0, np.inf, 0.0, 1
    while not alpha - margin / 2 <= estimate <= alpha:
        too_large = estimate > alpha
        low, high = (low, estimate) if too_large else (estimate, high)
        estimate = next_estimate(low, high, estimate, too_large, margin, radius, literal)
        phases += 1
        assert phases < 1000
    return phases


@pytest.mark.parametrize(("ratio", "printed", "resolved"), [(16, 18, 11), (1024, 72, 23)])
def test_a_bracket_saves_phases(ratio: int, printed: int, resolved: int) -> None:
    alphas = np.linspace(0, ratio, 20_001)
    most = [max(evidence(alpha, 1.0, float(ratio), literal) for alpha in alphas) for literal in (True, False)]
    assert most[0] >= printed and most[1] == resolved
    halvings = int(np.ceil(np.log2(max(1, 2 * ratio - 1))))
    assert most[1] <= 2 * halvings + 2


def test_budgets_are_the_papers() -> None:
    assert phase_budget(3.0, 0.4, 0.4, -1) == pytest.approx(324)
    assert phase_budget(3.0, 0.4, 0.4, 0) == pytest.approx(4 * 3.4**2 / 0.16)
    assert guess_budget(1.0, 1.0) == 2 * 26
    assert guess_budget(16.0, 1.0) == 12 * (65**2 + 1)


def told(pools: Pools) -> tuple[float, float]:
    """What holds for every game: the largest radius and the smallest margin."""
    return float(pools.radius.max()), float(pools.margin.min())


def watch(table: Table, pools: Pools, rounds: int, check: Any, rng: np.random.Generator) -> None:
    """Half of the games meet random members of their pool, half an adversary; ``check`` looks at every state."""
    game = np.arange(len(pools.z))
    for _ in range(rounds):
        chosen = rng.integers(0, POOL, len(game))
        wrong = table.errors(pools)
        chosen = np.where((game % 2 == 0) & wrong.any(axis=1), wrong.argmax(axis=1), chosen)
        table.play(pools.z[game, chosen], pools.labels[game, chosen])
        check(table)


@pytest.mark.parametrize("dim", [1, 2, 5, 20])
@pytest.mark.parametrize("ratio", [0.0, 0.03, 0.3, 1.0])
def test_algorithm_4_keeps_its_bracket_and_its_bound(dim: int, ratio: float) -> None:
    """Invariants 15 and 16: ``lo < alpha - gamma/2``, ``alpha < hi``, ``hi - lo > gamma/2``; phases and mistakes."""
    rng = np.random.default_rng([dim, int(100 * ratio)])
    pools = draw_pools(rng, 30, dim, 1.0, False, False)
    radius, margin = told(pools)
    alpha = ratio * float(pools.radius.min())
    table = Table(UnknownCostL2(radius, margin), L2Cost(alpha), len(pools.z), dim)
    bound = bounds.unknown_cost_l2(radius, margin)
    halvings = np.ceil(np.log2(max(1.0, 2 * radius / margin - 1)))

    def check(table: Table) -> None:
        state = table.state
        searched = state.low > 0
        assert (state.low[searched] < alpha - margin / 2 + 64 * EPS).all()
        assert (alpha < state.high).all()
        assert (state.high - state.low > margin / 2 - 64 * EPS).all()
        assert (state.phases <= 2 * halvings + 2).all()
        budget = [phase_budget(radius, estimate, margin, -1) for estimate in state.estimate]
        assert (state.phase_mistakes <= np.floor(np.array(budget) * (1 + 1e-9))).all()
        assert (table.mistakes <= bound).all()

    watch(table, pools, 600, check, rng)


@pytest.mark.parametrize("dim", [1, 2, 5])
def test_a_single_movable_coordinate(dim: int) -> None:
    rng = np.random.default_rng(dim)
    pools = draw_pools(rng, 30, dim, 1.0, True, False)
    radius, margin = told(pools)
    for alpha in (0.0, 0.2, 0.8):
        alphas = np.zeros(dim)
        alphas[dim - 1] = alpha
        table = Table(UnknownCostL1Single(radius, margin, dim - 1), WeightedL1Cost(alphas), len(pools.z), dim)

        def check(table: Table, alpha: float = alpha) -> None:
            assert (alpha < table.state.high).all()
            assert (table.state.weights[:, dim - 1] >= 0).all()

        watch(table, pools, 400, check, rng)
        assert (table.mistakes <= bounds.unknown_cost_l1_single(radius, margin)).all()


@pytest.mark.parametrize("dim", [1, 2, 5])
@pytest.mark.parametrize("ratio", [0.0, 0.3, 1.0])
def test_an_unknown_margin_is_halved_until_it_fits(dim: int, ratio: float) -> None:
    rng = np.random.default_rng([dim, int(10 * ratio)])
    pools = draw_pools(rng, 30, dim, 1.0, False, False)
    radius, margin = told(pools)
    alpha = ratio * float(pools.radius.min())
    table = Table(UnknownMarginL2(radius), L2Cost(alpha), len(pools.z), dim)

    def check(table: Table) -> None:
        # No guess below half of the true margin: a guess of at most the margin is never refuted.
        assert (table.state.margin > margin / 2).all()
        assert (table.state.margin * 2.0 ** (table.state.guesses - 1) == radius).all()
        assert (table.mistakes <= bounds.unknown_margin_l2(radius, margin)).all()

    watch(table, pools, 600, check, rng)


@pytest.mark.parametrize("dim", [1, 2, 5])
@pytest.mark.parametrize("ratio", [0.0, 0.3, 2.0])
def test_algorithm_5_keeps_its_origins_and_its_bound(dim: int, ratio: float) -> None:
    """Invariant 17: ``|x+ - x-| >= 2 gamma``, ``0 <= lambda < 1``, at most ``ceil(4R/gamma) - 2`` guesses."""
    rng = np.random.default_rng([dim, int(10 * ratio), 7])
    pools = draw_pools(rng, 30, dim, 1.0, False, True)
    radius, margin = told(pools)
    alpha = ratio * float(pools.radius.min())
    table = Table(BiasedL2(alpha, radius, margin), L2Cost(alpha), len(pools.z), dim)

    def check(table: Table) -> None:
        state = table.state
        learning = state.stage == 2
        spread = np.linalg.norm(state.positive - state.negative, axis=1)[learning]
        assert (spread >= 2 * margin * (1 - 1e-9)).all()
        share = state.guesses[learning] * margin / (2 * spread)
        assert (share < 1).all()
        assert (state.guesses <= np.ceil(4 * radius / margin) - 2).all()
        assert (table.mistakes <= bounds.biased_l2(radius, margin, alpha)).all()

    watch(table, pools, 400, check, rng)


@pytest.mark.parametrize("literal", [False, True])
def test_a_wide_segment_is_jumped_over_as_printed_and_not_as_resolved(literal: bool) -> None:
    """The printed step is a share of the segment: with x+ and x- far apart it skips every good origin."""
    learner = BiasedL2(0.1, 10.0, 0.25, literal=literal)
    state = learner.initial_state(1, 1)
    state.negative[0], state.positive[0] = -10.0, 9.3
    origins = []
    for guesses in range(160):
        state.guesses[0] = guesses
        place_origin(state, 0)
        origins.append(abs(state.origin[0, 0]))
    # The separator passes through 0; an origin within gamma/2 of it is good enough (Lemma 6).
    assert (min(origins) > 0.125) == literal


@pytest.mark.parametrize("ratio", [10, 20])
@pytest.mark.parametrize("alpha", [0.0, 0.5, 3.0])
def test_an_adaptive_adversary_nearly_attains_theorem_1(ratio: int, alpha: float) -> None:
    mistakes = against_the_tangent(StrategicPerceptronL2(alpha), alpha, ratio)
    assert 0.99 * ratio**2 <= mistakes <= ratio**2


@pytest.mark.parametrize("alpha", [0.5, 3.0])
def test_an_adaptive_adversary_reaches_most_of_proposition_1(alpha: float) -> None:
    mistakes = against_the_tangent(StrategicPerceptronL2(alpha - 0.5 / 20), alpha, 20)
    assert 0.6 * 4 * 20**2 <= mistakes <= 4 * 20**2


def against_the_tangent(learner: Any, alpha: float, ratio: int) -> int:
    env = StrategicClassificationEnv(TangentAdversary(3, 1.0, 1 / ratio), L2Cost(alpha), horizon=5 * ratio**2)
    observation, _ = env.reset(seed=0)
    state, over, info = None, False, {}
    while not over:
        action, state = learner.predict(observation, state)
        observation, _, _, over, info = env.step(action)
        if info["true_label"] < 0:
            assert info["true_features"][0] == -1 / ratio
        assert np.linalg.norm(info["true_features"]) <= 1 + 1e-12
    return int(info["mistakes"])


def test_a_poison_stream_makes_every_round_a_mistake() -> None:
    env = StrategicClassificationEnv(TangentAdversary(3, 1.0, 1e-6), L2Cost(0.3), horizon=2000)
    observation, _ = env.reset(seed=0)
    learner, state = StrategicPerceptronL2(0.3), None
    for _ in range(2000):
        action, state = learner.predict(observation, state)
        observation, _, _, _, info = env.step(action)
    assert info["mistakes"] == 2000


def test_phases_can_be_read_from_the_state() -> None:
    env = StrategicClassificationEnv(Separable(2, 1.0, 0.3), L2Cost(1.0), horizon=3000)
    observation, _ = env.reset(seed=0)
    learner, state = UnknownCostL2(1.0, 0.3), None
    estimates = []
    for _ in range(3000):
        action, state = learner.predict(observation, state)
        if not estimates or estimates[-1] != state.estimate[0]:
            estimates.append(float(state.estimate[0]))
        observation, *_ = env.step(action)
    assert estimates[:3] == [0.0, 0.15, 0.3]
    assert state.phases[0] == len(estimates)


def test_weights_that_return_to_zero_are_exactly_zero() -> None:
    """Example 2 under Algorithm 5: around a wrong origin the weights cancel, and accepting everybody applies again."""
    env = StrategicClassificationEnv(FixedSequence([], list(zip(*EXAMPLE_2, strict=True))), L2Cost(0.5), horizon=2000)
    observation, _ = env.reset(seed=0)
    learner, state, zero_after_learning = BiasedL2(0.5, 1.0, 0.25), None, 0
    for _ in range(2000):
        action, state = learner.predict(observation, state)
        if state.stage[0] == 2 and state.guess_mistakes[0] > 0 and not state.weights.any():
            zero_after_learning += 1
            assert not action.any()
        observation, *_ = env.step(action)
    assert zero_after_learning > 0


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: UnknownCostL2(0.0, 0.1), "radius must be greater than 0"),
        (lambda: UnknownCostL2(1.0, 0.0), "margin must be greater than 0"),
        (lambda: UnknownCostL2(1.0, 1.5), "margin must be at most 1"),
        (lambda: UnknownCostL2(1.0, 0.1, literal=1), "literal must be True or False"),  # type: ignore[arg-type]
        (lambda: UnknownCostL1Single(1.0, 0.1, -1), "direction must be at least 0"),
        (lambda: UnknownCostL1Single(1.0, 0.1, 2).initial_state(1, 2), "direction must be less than"),
        (lambda: BiasedL2(-0.1, 1.0, 0.1), "alpha must be at least 0"),
        (lambda: BiasedL2(0.1, 1.0, float("nan")), "margin must be finite"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_bad_parameters_are_one_clear_error(build: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        build()


def families(radius: float, margin: float, alpha: float, dim: int, share: float) -> dict[str, Any]:
    """Each learner with its cost and its bound, told the largest radius and the smallest margin of its games."""
    single = np.zeros(dim)
    single[0] = alpha
    low = max(0.0, alpha - share * margin / 2)
    small = min(alpha, radius)  # Algorithm 4 needs alpha <= R
    return {
        "Proposition 1": (
            StrategicPerceptronL2(low), L2Cost(alpha), bounds.estimated_alpha_l2(radius, margin, low)),
        "Algorithm 4": (UnknownCostL2(radius, margin), L2Cost(small), bounds.unknown_cost_l2(radius, margin)),
        "unknown margin": (UnknownMarginL2(radius), L2Cost(small), bounds.unknown_margin_l2(radius, margin)),
        "one coordinate": (
            UnknownCostL1Single(radius, margin, 0), WeightedL1Cost(np.minimum(single, radius)),
            bounds.unknown_cost_l1_single(radius, margin)),
        "Algorithm 5": (BiasedL2(alpha, radius, margin), L2Cost(alpha), bounds.biased_l2(radius, margin, alpha)),
    }  # fmt: skip


def no_stream_exceeds(name: str, dim: int, ratio: float, games: int) -> int:
    """Play ``games`` games in five arrival orders; return the number of streams."""
    rng = np.random.default_rng([dim, int(100 * ratio), *name.encode()])
    pools = draw_pools(
        rng, games, dim, float(rng.choice([0.05, 1.0, 30.0])), name == "one coordinate", name == "Algorithm 5"
    )
    radius, margin = told(pools)
    learner, cost, bound = families(radius, margin, ratio * radius, dim, rng.uniform())[name]
    game, order = np.tile(np.arange(len(pools.z)), 4), orders(rng, pools)
    table = Table(learner, cost, len(game), dim)
    for t in range(order.shape[1]):
        table.play(pools.z[game, order[:, t]], pools.labels[game, order[:, t]])
    assert (table.mistakes <= bound * (1 + 1e-9)).all(), name
    adversary = Table(learner, cost, len(pools.z), dim)
    for _ in range(500):
        wrong = adversary.errors(pools)
        chosen = wrong.argmax(axis=1)
        adversary.play(pools.z[np.arange(len(pools.z)), chosen], pools.labels[np.arange(len(pools.z)), chosen])
    assert (adversary.mistakes <= bound * (1 + 1e-9)).all(), f"{name}, adversary"
    return 5 * len(pools.z)


FAMILIES = tuple(families(1.0, 0.5, 0.1, 1, 0.5))


@pytest.mark.parametrize("name", FAMILIES)
def test_no_stream_exceeds_the_bound(name: str) -> None:
    assert sum(no_stream_exceeds(name, dim, ratio, 12) for dim in (1, 3, 20) for ratio in (0.1, 1.0)) > 300


@pytest.mark.slow
@pytest.mark.parametrize("name", FAMILIES)
def test_no_stream_of_many_exceeds_the_bound(name: str) -> None:
    """Together more than 20,000 streams."""
    ratios = (0.0, 0.1, 0.5, 1.0, 5.0, 50.0)
    assert sum(no_stream_exceeds(name, dim, ratio, 25) for dim in (1, 2, 3, 5, 10, 20) for ratio in ratios) >= 4000
