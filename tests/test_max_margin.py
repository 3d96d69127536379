"""The maximum-margin learners on surrogate points: the widest separator, and the bound that is proved for them."""

from typing import Any

import beyond_oracle as reference
import numpy as np
import pytest
from beyond_game import make, play
from test_theorems import Theorem, worst_share

import agents
import learners

ALPHAS = np.array([0.1, 0.4, 0.0, 0.3])


@pytest.mark.parametrize(("cost", "alpha"), [("l2", 0.3), ("l1", ALPHAS)], ids=["l2", "l1"])
@pytest.mark.parametrize("bias", [False, True])
def test_the_widest_separator_of_the_proxies_that_it_keeps(cost: str, alpha: Any, bias: bool) -> None:
    scenario = ("Biased" if bias else "Known") + cost.upper()
    options = {"dim": 4, "alpha": alpha if cost == "l2" else alpha.tolist(), "margin": 0.05}
    every, kept = reference.MaxMargin(4, alpha, bias), reference.MaxMargin(4, alpha, bias)
    for t, seen in enumerate(play(learners.StrategicMaxMargin(alpha, cost, bias), make(scenario, **options), 400)):
        every.learn(seen.x, seen.prediction, seen.label, seen.classifier)
        state = seen.state
        shares, labels, points = state.shares[0], state.labels[0], state.points[0]
        both = bool((labels > 0).any() and (labels < 0).any())
        groups = [labels > 0, labels < 0] if bias else [labels != 0]
        assert all(abs(shares[group].sum() - group.any()) < 1e-9 for group in groups) and shares.min() >= 0
        member = (shares * labels) @ points
        np.testing.assert_allclose(state.weights[0], np.maximum(member, 0) if cost == "l1" else member, atol=1e-9)
        if (
            both
        ):  # whoever has just been seen stands beyond the margin, which is half of |w|^2 on each side of an intercept
            score = state.weights[0] @ every.surrogate(seen.x, seen.label, seen.classifier) + state.intercept[0]
            widest = state.weights[0] @ state.weights[0] / (2 if bias else 1)
            assert seen.label * score >= 0.98 * widest
        if both and t % 80 == 79:
            kept.proxies, kept.labels = list(points[labels != 0]), list(labels[labels != 0])
            length, slack = float(np.linalg.norm(state.weights[0])), 1 - 1e-6
            assert kept.shortest() * slack <= length <= kept.shortest() / 0.99 / slack
            assert every.shortest() * slack <= length <= 1.25 * every.shortest()
    assert state.points.shape == (1, 12, 4), "memory does not grow"


@pytest.mark.parametrize("kind", [learners.StrategicMaxMargin, learners.GradientMaxMargin])
@pytest.mark.parametrize(("cost", "alpha"), [("l2", 0.3), ("l1", ALPHAS)], ids=["l2", "l1"])
@pytest.mark.parametrize("bias", [False, True])
def test_the_steps_of_the_proof(kind: Any, cost: str, alpha: Any, bias: bool) -> None:
    """w is no longer than before, and shorter by a fixed amount after a mistake; w* separates the proxies."""
    env = make(("Biased" if bias else "Known") + cost.upper(), dim=4, alpha=np.asarray(alpha).tolist(), margin=0.02)
    gained = 1 / (4 * (2 * (1 + np.max(alpha))) ** 2) if bias else 1 / (1 if cost == "l2" else 1 + np.max(alpha)) ** 2
    for seed in range(3):
        before, mistakes = np.inf, 0
        for seen in play(kind(alpha, cost, bias), env, 300, seed):
            length = float(np.linalg.norm(seen.state.weights[0]))
            if before < np.inf:
                assert 0.02 * (1 + bias) * (1 - 1e-9) <= length <= before * (1 + 1e-9)
                mistakes += bool(seen.info["mistake"])
                least = gained if seen.info["mistake"] else 0.0
                assert 1 / length**2 >= (1 / before**2 + least) * (1 - 1e-9)
            if seen.published[:-1].any():
                before = length
        assert mistakes > 0


SEPARATORS = {
    f"{name} {cost}{' bias' * bias}": Theorem(
        (lambda alpha: agents.L2Cost(float(alpha[0]))) if cost == "l2" else agents.WeightedL1Cost,
        lambda alpha, radius, kind=kind, cost=cost, bias=bias: kind(
            float(alpha[0]) if cost == "l2" else alpha, cost, bias
        ),
        {("l2", False): lambda R, a, w2, b2: R**2 * w2, ("l1", False): lambda R, a, w2, b2: (R + a) ** 2 * w2}.get(
            (cost, bias), lambda R, a, w2, b2: 4 * (R + a) ** 2 * w2 - 2
        ),
        nonnegative=cost == "l1",
        biased=bias,
    )
    for name, kind in (("exact", learners.StrategicMaxMargin), ("step", learners.GradientMaxMargin))
    for cost in ("l2", "l1")
    for bias in (False, True)
}


@pytest.mark.parametrize("name", SEPARATORS)
def test_no_stream_exceeds_the_bound_of_the_max_margin_learners(name: str) -> None:
    """Four arrival orders and a greedy adversary; budgets up to 50 R."""
    rng = np.random.default_rng([5, *name.encode()])
    for dim, ratio in ((1, 0.5), (2, 0.0), (2, 5.0), (4, 1.0), (8, 50.0)):
        worst_share(SEPARATORS[name], rng, dim, ratio, 6)


@pytest.mark.slow
@pytest.mark.parametrize("dim", range(1, 13))
@pytest.mark.parametrize("name", SEPARATORS)
def test_many_streams_do_not_exceed_the_bound_of_the_max_margin_learners(name: str, dim: int) -> None:
    rng = np.random.default_rng([6, dim, *name.encode()])
    for ratio in (0.0, 0.1, 0.5, 1.0, 5.0, 50.0):
        worst_share(SEPARATORS[name], rng, dim, ratio, 12)


def test_bounds_of_the_max_margin_learners() -> None:
    truth = learners.Truth("l2", 3, 1.0, 0.1, 0.0, (0.3,), False)
    l1 = learners.Truth("l1", 3, 1.0, 0.1, 0.2, (0.3, 0.1, 0.0), True)
    for kind in (learners.StrategicMaxMargin, learners.GradientMaxMargin):
        assert kind(0.3).bound(truth) == pytest.approx(100)
        assert kind(0.3, bias=True).bound(truth._replace(intercept=0.2)) == pytest.approx(4 * 13**2 - 2)
        assert kind([0.3, 0.1, 0.0], "l1").bound(l1._replace(intercept=0.0)) == pytest.approx(13**2)
        assert kind(0.3).bound(truth, printed=True) is None
        for change in ({"intercept": 0.2}, {"alpha": (0.4,)}, {"alpha_min": (0.1,)}, {"cost": "l1"}):
            assert kind(0.3).bound(truth._replace(**change)) is None
        assert kind([0.3, 0.1, 0.0], "l1", True).bound(l1._replace(nonnegative=False)) is None


def test_without_a_separator_the_hulls_meet_and_nothing_breaks() -> None:
    for kind in (learners.StrategicMaxMargin, learners.GradientMaxMargin):
        for bias in (False, True):
            seen = list(play(kind(0.3, bias=bias), make("KnownL2", noise=0.3), 200))
            assert np.isfinite(seen[-1].published).all()
