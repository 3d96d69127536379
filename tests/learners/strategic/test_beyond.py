"""Learners that go beyond the paper: independent references, proved bounds, what is only measured."""

from typing import Any

import beyond_oracle as reference
import numpy as np
import pytest
from beyond_game import direction, make, play, surrogates
from theorem_games import Theorem, worst_share

import agents
import learners
import strategic_env
from learners import bounds
from learners.strategic.surrogates import write_surrogate
from strategic_env import StrategicClassificationEnv, scenario

ALPHAS, EPS = np.array([0.1, 0.4, 0.0, 0.3]), 2.0**-52


L2, L1 = {"dim": 4}, {"dim": 4, "alpha": ALPHAS.tolist()}
RULES = {
    "second order": (
        learners.SecondOrderStrategicPerceptron(0.3), lambda: reference.SecondOrder(4, 0.3, 0.1),
        "KnownL2", L2 | {"noise": 0.1},
    ),
    "gradient": (
        learners.StrategicGradient(0.3), lambda: reference.Gradient(4, 0.3, False, 5.0), "KnownL2", L2
    ),
    "gradient l1 bias": (
        learners.StrategicGradient(ALPHAS, "l1", True, 2.0), lambda: reference.Gradient(4, ALPHAS, True, 2.0),
        "KnownL1", L1 | {"noise": 0.1, "bias": 0.2},
    ),
    "step": (
        learners.GradientMaxMargin(0.3), lambda: reference.NearestStep(4, 0.3, False), "KnownL2", L2
    ),
    "step bias": (
        learners.GradientMaxMargin(0.3, bias=True), lambda: reference.NearestStep(4, 0.3, True), "BiasedL2", L2
    ),
    "step l1": (
        learners.GradientMaxMargin(ALPHAS, "l1"), lambda: reference.NearestStep(4, ALPHAS, False), "KnownL1", L1
    ),
    "step l1 bias": (
        learners.GradientMaxMargin(ALPHAS, "l1", True), lambda: reference.NearestStep(4, ALPHAS, True), "BiasedL1", L1
    ),
    "unknown l1": (
        learners.UnknownCostsL1(1.0, 0.1), lambda: reference.UnknownL1(4, 1.0, 0.1), "KnownL1", L1
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("seed", [0, 1])
def test_a_plain_reference_publishes_the_same(name: str, seed: int) -> None:
    learner, other, scenario, options = RULES[name][0], RULES[name][1](), *RULES[name][2:]
    for t, seen in enumerate(play(learner, make(scenario, **options), 600, seed)):
        other.learn(seen.x, seen.prediction, seen.label, seen.classifier)
        np.testing.assert_allclose(direction(seen.published), direction(other.publish()), atol=1e-8, err_msg=f"{t}")


@pytest.mark.parametrize("cost", [agents.L2Cost(0.4), agents.WeightedL1Cost(ALPHAS)], ids=["l2", "l1"])
def test_a_surrogate_point_lies_a_whole_reach_behind_a_negative_report_on_the_boundary(cost: agents.Cost) -> None:
    rng, moved, surrogate = np.random.default_rng(12), 0, np.empty(4)
    for _ in range(200):
        classifier, z = rng.standard_normal(5), rng.standard_normal(4)
        x, budget = cost.best_response(z, classifier), cost.budgets(4)[0]
        for label in (1.0, -1.0):
            write_surrogate(cost.norm, classifier, x, label, budget, EPS, surrogate)
            if label > 0 or (x == z).all():
                assert (surrogate == x).all()
            else:
                moved += 1
                assert cost.cost(surrogate, x) == pytest.approx(1.0)
                assert classifier[:4] @ surrogate + classifier[4] == pytest.approx(-cost.reach(classifier[:4]))
    assert moved > 10


# Second order


@pytest.mark.parametrize("noise", [0.0, 0.1, 0.4])
def test_the_second_order_bound_on_surrogate_points(noise: float) -> None:
    rng, learner = np.random.default_rng(7), learners.SecondOrderStrategicPerceptron(0.4)
    for seed in range(3):
        env = make("KnownL2", dim=3, alpha=0.4, noise=noise)
        x, y, wrong, state = surrogates(learner, reference.Reference(3, 0.4), env, 400, seed)
        A = state.factor[0].T @ state.factor[0]
        growth = np.linalg.slogdet(A)[1] - 3 * np.log(0.1)
        for u in [state.weights[0], *rng.standard_normal((200, 3)) * 10 ** rng.uniform(-2, 2, (200, 1))]:
            loss = np.maximum(0, 1 - y[wrong] * (x[wrong] @ u)).sum()
            assert wrong.sum() <= loss + np.sqrt(u @ A @ u * growth) + 1e-6


def test_five_points_lead_the_second_order_learner_across_the_separator() -> None:
    """Lemma 1 fails: w.w* < 0 on separable points, and then a surrogate point lies on the wrong side of w*."""
    separator = np.array([2.0, 4.0, -10.0, -5.0])
    points = [([0, 1, 0, 1], -1), ([1, 0, -1, 1], 1), ([1, 1, 0, 1], 1), ([0, -1, -1, 1], 1), ([1, 0, 0, 1], -1)]
    assert all(y * (np.array(z) @ separator) >= 1 for z, y in points)
    env = StrategicClassificationEnv(agents.FixedSequence(points, points), agents.L2Cost(1.0), horizon=5)
    rounds = list(play(learners.SecondOrderStrategicPerceptron(1.0), env, 5))
    assert all(seen.info["mistake"] for seen in rounds)
    assert rounds[3].state.weights[0] @ separator < -1
    last = rounds[4]
    surrogate = reference.Reference(4, 1.0).surrogate(last.x, -1, last.classifier)
    assert last.info["moved"] and surrogate @ separator > 0.5
    for _ in play(learners.StrategicPerceptronL2(1.0), env, 5):
        pass  # where Algorithm 2 keeps w.w* >= m
    assert _.state.weights[0] @ separator >= 1


# Gradient


@pytest.mark.parametrize(("cost", "alpha"), [("l2", 0.4), ("l1", np.array([0.4, 0.1, 0.0]))], ids=["l2", "l1"])
@pytest.mark.parametrize("noise", [0.0, 0.1, 0.4])
@pytest.mark.parametrize("bias", [False, True])
def test_the_regret_bound_of_gradient_descent(cost: str, alpha: Any, noise: float, bias: bool) -> None:
    rng, largest = np.random.default_rng(8), 3.0
    learner = learners.StrategicGradient(alpha, cost, bias, largest)
    env = make(f"Known{cost.upper()}", dim=3, alpha=np.asarray(alpha).tolist(), noise=noise, bias=0.1)
    x, y, wrong, state = surrogates(learner, reference.Reference(3, alpha), env, 500, 3)
    v = rng.standard_normal((300, 4)) * np.append(np.ones(3), bias)
    v[:, :3] = np.abs(v[:, :3]) if cost == "l1" else v[:, :3]
    v *= largest * rng.uniform(0, 1, (300, 1)) / np.linalg.norm(v, axis=1, keepdims=True)
    v = np.vstack([v, np.append(state.weights[0], state.intercept[0])])
    assert np.linalg.norm(v[-1]) <= largest + 1e-9
    losses = np.maximum(0, 1 - y * (v[:, :3] @ x.T + v[:, 3:])).sum(axis=1)
    regret = 4.5 * largest * np.sqrt(state.squares[0])
    assert wrong.sum() <= losses.min() + regret
    assert regret <= 4.5 * largest * np.sqrt(len(y)) * np.sqrt((x**2).sum(axis=1).max() + bias)


def test_the_remark_on_hinge_losses_holds_for_algorithm_2() -> None:
    rng = np.random.default_rng(9)
    for noise in (0.0, 0.1, 0.4):
        env = make("KnownL2", dim=3, alpha=0.4, noise=noise)
        x, y, wrong, _ = surrogates(learners.StrategicPerceptronL2(0.4), reference.Reference(3, 0.4), env, 400, 1)
        for u in rng.standard_normal((300, 3)) * 10 ** rng.uniform(-2, 2, (300, 1)):
            loss, half = np.maximum(0, 1 - y[wrong] * (x[wrong] @ u)).sum(), np.linalg.norm(u) / 2
            assert wrong.sum() <= (half + np.sqrt(half**2 + loss)) ** 2 + 1e-6


def test_gradient_descent_learns_where_algorithm_2_errs_for_ever() -> None:
    chosen = ["strategic-perceptron-l2", "strategic-gradient"]
    forever, learned = strategic_env.evaluate(chosen, "Example3", seeds=1, rounds=1000).runs
    assert forever.mistakes == 1000 and learned.mistakes < 50
    results = strategic_env.evaluate(chosen, scenario("KnownL2", dim=5, noise=0.05), seeds=4)
    perceptron, gradient = (np.mean([run.mistakes for run in results.of(one)]) for one in results.contestants)
    assert 50 < gradient < 80 < perceptron


# Accepted only


def test_accepted_only_learns_from_what_it_sees() -> None:
    for feedback in ("apple_tasting", "full"):
        learner, other = learners.AcceptedOnlyL2(0.3, 2.0, seed=4), reference.AcceptedOnly(4, 0.3)
        explored = 0
        for seen in play(learner, make("KnownL2", dim=4, feedback=feedback), 500):
            other.learn(seen.x, seen.prediction, seen.label, seen.classifier)
            np.testing.assert_allclose(seen.state.weights[0], other.w, atol=1e-9)
            explored += not seen.published[:-1].any()
        assert 50 < explored < 130, "2 / sqrt t, summed over 500 rounds, is 87"


STUCK = [((-0.1, -1.0), -1)], [((0.5, -0.8), 1), ((-0.5, -0.8), -1)]  # w* = (2, 0) separates them


def test_algorithm_2_alone_rejects_for_ever_and_exploration_ends_it() -> None:
    population = agents.FixedSequence([STUCK[0][0]], STUCK[1])
    for learner, fewest, most in (
        (learners.StrategicPerceptronL2(0.1), 1001, 1001),
        (learners.AcceptedOnlyL2(0.1, seed=1), 1, 200),
    ):
        env = StrategicClassificationEnv(population, agents.L2Cost(0.1), feedback="apple_tasting", horizon=2001)
        assert fewest <= sum(bool(seen.info["mistake"]) for seen in play(learner, env, 2001)) <= most


def test_accepted_only_keeps_its_two_bounds() -> None:
    rounds, exploration = 2000, 0.5
    mistakes = []
    for seed in range(6):
        env = make("KnownL2", dim=3, margin=0.2, feedback="apple_tasting", horizon=rounds)
        seen = list(play(learners.AcceptedOnlyL2(0.3, exploration, seed), env, rounds, seed))
        weights = np.array([one.state.weights[0] for one in seen])
        updates = 1 + np.any(np.diff(weights, axis=0) != 0, axis=1).sum()
        assert bounds.admits(bounds.strategic_l2(1.0, 0.2, 0.3), int(updates))
        mistakes.append(sum(bool(one.info["mistake"]) for one in seen))
    root = np.sqrt(rounds)
    assert np.mean(mistakes) <= (1 + root / exploration) * 25 + 2 * exploration * root


def test_every_game_and_episode_explores_in_rounds_of_its_own() -> None:
    learner = learners.AcceptedOnlyL2(0.3, 3.0, seed=2)
    observation = {"features": np.full((3, 2), 0.5), "prediction": np.ones((3, 1)), "label": -np.ones((3, 1)),
                   "classifier": np.zeros((3, 3)), "round": np.zeros((3, 1))}  # fmt: skip

    def rounds_explored(state: Any, starts: Any, games: int = 3) -> tuple[Any, Any]:
        few = {key: value[:games] for key, value in observation.items()}
        pattern = []
        for t in range(200):
            action, state = learner.predict(few | {"round": np.full((games, 1), t)}, state, starts if t == 0 else None)
            pattern.append(~action[:, :-1].any(axis=1))
        return np.array(pattern).T, state

    first, state = rounds_explored(None, None)
    alone, _ = rounds_explored(None, None, games=1)
    assert (alone[0] == first[0]).all(), "game 0 is the same in any batch"
    assert len({pattern.tobytes() for pattern in first}) == 3
    second, state = rounds_explored(state, np.array([True, False, True]))
    assert state.episode.tolist() == [1, 0, 1]
    assert (second[0] != first[0]).any() and second[1].sum() < first[1].sum()


# Unknown weighted l1 costs


@pytest.mark.parametrize("alpha", [[0.3, 0.3, 0.3], [0.6, 0.1, 0.0], [1.0, 0.0, 0.5]], ids=str)
def test_the_upper_bounds_hold_and_so_does_what_follows(alpha: list[float]) -> None:
    """No bound falls below its alpha; mistakes given the number of pulls along the wrong coordinate."""
    radius, margin, largest = 1.0, 0.1, max(alpha)
    for seed in range(4):
        env = make("KnownL1", dim=3, alpha=alpha, margin=margin)
        wrong_pulls = mistakes = low_bars = 0
        upper, weights = np.full(3, radius), np.zeros(3)
        for seen in play(learners.UnknownCostsL1(radius, margin), env, 1000, seed):
            moved_along = np.flatnonzero(seen.x != seen.info["true_features"])
            changed = (seen.state.weights[0] != weights).any()
            if changed and seen.label < 0 and seen.info["moved"]:
                wrong_pulls += int(moved_along[0] != np.argmax(upper * weights))
            mistakes += bool(seen.info["mistake"])
            low_bars += bool(seen.info["mistake"]) and not changed
            upper, weights = seen.state.upper[0].copy(), seen.state.weights[0].copy()
            assert (upper >= np.array(alpha)).all()
        assert low_bars <= 2 * 3 * radius / margin
        scale = 2.5 * (1 + np.sqrt(2)) * radius / margin
        assert mistakes - low_bars <= (scale + np.sqrt(2 * wrong_pulls * largest / margin)) ** 2
        assert wrong_pulls <= 10 and mistakes <= 60, "measured, not proved"


def test_a_greedy_adversary_runs_out_of_mistakes() -> None:
    theorem = Theorem(
        agents.WeightedL1Cost,
        lambda alpha, radius: learners.UnknownCostsL1(radius, 0.05 * radius),
        lambda R, a, w2, b2: 500 + 0 * w2,  # measured, not proved
        nonnegative=True,
    )
    rng = np.random.default_rng(10)
    for dim, ratio in ((2, 0.3), (3, 1.0), (5, 0.5)):
        worst_share(theorem, rng, dim, ratio, 6)


# Bad parameters, and the two targets

BAD = [
    (lambda: learners.SecondOrderStrategicPerceptron(0.3, 0.0), "regularisation must be at least 1e-40"),
    (lambda: learners.SecondOrderStrategicPerceptron(-1.0), "alpha must be at least 0"),
    (lambda: learners.StrategicMaxMargin(0.3, "l3"), "cost must be one of 'l2', 'l1', got 'l3'"),
    (lambda: learners.StrategicMaxMargin([0.3, 0.1]), "alpha must be a number"),
    (lambda: learners.StrategicMaxMargin([0.3, -0.1], "l1"), "alpha must be at least 0"),
    (lambda: learners.StrategicMaxMargin([0.3], "l1").initial_state(1, 2), "alpha has 1 coordinates"),
    (lambda: learners.GradientMaxMargin(0.3, bias=1), "bias must be True or False, got 1"),  # type: ignore[arg-type]
    (lambda: learners.StrategicGradient(0.3, largest_norm=0.0), "largest_norm must be greater than 0"),
    (lambda: learners.AcceptedOnlyL2(0.3, exploration=0.0), "exploration must be greater than 0"),
    (lambda: learners.AcceptedOnlyL2(0.3, seed=-1), "seed must be at least 0"),
    (lambda: learners.UnknownCostsL1(1.0, 2.0), "margin must be at most 1.0"),
    (lambda: learners.UnknownCostsL1(0.0, 1.0), "radius must be greater than 0"),
    (lambda: learners.StrategicPerceptronL1(0.3, 1.0, scale_free=1), "scale_free must be True"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("build", "message"), BAD, ids=[message for _, message in BAD])
def test_bad_parameters_are_one_clear_error(build: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        build()


def mean_mistakes(seeds: int) -> dict[str, float]:
    names = ["strategic-perceptron-l2", "second-order-strategic-perceptron", "strategic-max-margin",
             "gradient-max-margin"]  # fmt: skip
    results = strategic_env.evaluate(names, scenario("KnownL2", dim=5), seeds=seeds, rounds=1000)
    return {one.name: float(np.mean([run.mistakes for run in results.of(one)])) for one in results.contestants}


def test_mean_mistakes_on_few_seeds() -> None:
    mean = mean_mistakes(8)
    baseline = mean["strategic-perceptron-l2"]
    assert mean["second-order-strategic-perceptron"] <= 0.85 * baseline
    assert mean["strategic-max-margin"] <= 0.5 * baseline
    assert mean["gradient-max-margin"] <= 0.75 * baseline


@pytest.mark.slow
def test_mean_mistakes_reach_their_targets() -> None:
    mean = mean_mistakes(64)
    baseline = mean["strategic-perceptron-l2"]
    assert baseline == pytest.approx(13, abs=1)
    assert mean["second-order-strategic-perceptron"] <= 0.75 * baseline
    assert mean["strategic-max-margin"] <= 0.5 * baseline
