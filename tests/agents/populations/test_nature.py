"""Adversaries who see the classifier: whom they pick, and where they place somebody, against the definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents import GreedyAdversary, L2Cost, TangentAdversary, WeightedL1Cost
from agents.costs import Cost
from agents.foundation.streams import game_key
from agents.populations.arrivals import BLOCK
from agents.populations.nature import farthest_negative

KEY = game_key(0)


def errs(cost: Cost, classifier: np.ndarray, features: np.ndarray, label: float) -> bool:
    """Whether a member is judged wrongly after the best response: accepted where its value covers what it costs."""
    weights, bias = classifier[:-1], classifier[-1]
    gap = -(weights @ features + bias)
    accepted = gap <= 0.0 or (bool(weights.any()) and gap <= cost.reach(weights))
    return accepted != (label > 0.0)


@given(seed=st.integers(0, 10**6), l1=st.booleans(), rounds=st.integers(1, 12))
def test_the_greedy_adversary_picks_the_next_error_in_line_and_else_the_next_in_line(
    seed: int, l1: bool, rounds: int
) -> None:
    rng = np.random.default_rng(seed)
    features, labels = rng.normal(size=(5, 2)), rng.choice([-1, 1], 5)
    cost = WeightedL1Cost([0.5, 0.0]) if l1 else L2Cost(0.5)
    nature, budgets = GreedyAdversary(features, labels).arrivals(KEY), cost.budgets(2)
    following = 0
    for round in range(rounds):
        classifier = rng.normal(size=3)
        line = [(following + k) % 5 for k in range(5)]
        expected = next((row for row in line if errs(cost, classifier, features[row], labels[row])), following)
        assert nature.meet(round, classifier, cost.norm, budgets) == (expected, labels[expected])  # type: ignore[attr-defined]
        following = (expected + 1) % 5


@given(seed=st.integers(0, 10**6), dim=st.integers(3, 6), margin=st.floats(0.01, 0.9), alpha=st.floats(0.0, 2.0))
def test_a_tangent_negative_just_reaches_acceptance(seed: int, dim: int, margin: float, alpha: float) -> None:
    rng, radius = np.random.default_rng(seed), 1.5
    classifier = rng.normal(size=dim + 1) * rng.choice([1e-3, 1.0, 1e3])
    features = np.full(dim, np.nan)
    placed = farthest_negative(classifier, alpha, radius, margin, features)
    size = np.linalg.norm(classifier[:dim])
    rest, sideways = np.linalg.norm(classifier[1:dim]), np.sqrt(radius**2 - margin**2)
    # Its distance is alpha where the sphere's slice at -margin has such a place.
    wanted = (-classifier[dim] - alpha * size + margin * classifier[0]) / rest
    assert placed == (abs(wanted + 1e-9 * radius * size / rest) <= sideways)
    if placed:
        assert features[0] == -margin
        assert np.linalg.norm(features) == pytest.approx(radius, rel=1e-9)
        distance = -(features @ classifier[:dim] + classifier[dim]) / size
        assert alpha - 1e-8 * radius <= distance <= alpha


@pytest.mark.parametrize("weights", [[0.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, -0.5]])
def test_without_weights_outside_the_first_axis_it_lies_on_another_axis(weights: list[float]) -> None:
    features = np.full(3, np.nan)
    assert farthest_negative(np.array(weights), 0.5, 1.0, 0.6, features)
    np.testing.assert_allclose(features, [-0.6, 0.8, 0.0])


def test_it_keeps_clear_of_the_axis_with_the_smallest_weight() -> None:
    """The rest of its length goes orthogonally to the weights: it changes no score, and gains nothing."""
    classifier, features = np.array([0.0, 3.0, 0.1, -2.0, 0.0]), np.zeros(4)
    assert farthest_negative(classifier, 0.0, 1.0, 0.6, features)
    assert features[2] > 0.79 and abs(features @ classifier[:4]) < 1e-8


def test_where_there_is_no_place_somebody_positive_comes() -> None:
    nature = TangentAdversary(3, radius=2.0, margin=0.5).arrivals(KEY)
    budgets, rejects = L2Cost(0.1).budgets(3), np.array([0.0, 1.0, 0.0, -9.0])
    row, label = nature.meet(BLOCK + 3, rejects, 2, budgets)  # type: ignore[attr-defined]
    assert (row, label, nature.features[row].tolist()) == (3, 1.0, [2.0, 0.0, 0.0])
    assert nature.separator.tolist() == [1.0, 0.0, 0.0, 0.0]  # type: ignore[union-attr]


def test_what_adversaries_refuse() -> None:
    tangent = TangentAdversary().arrivals(KEY)
    with pytest.raises(ValueError, match="a tangent adversary needs l2 costs"):
        tangent.meet(0, np.zeros(4), 1, np.ones((1, 3)))  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="nature picks who arrives when it sees the classifier"):
        tangent.points(3)
    with pytest.raises(ValueError, match="margin must be"):
        TangentAdversary(margin=1.0, radius=1.0)


def test_every_member_answers_by_its_own_reach() -> None:
    """Only the second of two equal members, both negative, reaches the boundary."""
    nature = GreedyAdversary([[0.0], [0.0]], [-1, -1]).arrivals(KEY)
    budgets = np.array([[0.1], [2.0]])
    assert nature.meet(0, np.array([1.0, -1.0]), 2, budgets) == (1, -1.0)  # type: ignore[attr-defined]


def test_what_adversaries_say_of_their_individuals() -> None:
    pool = GreedyAdversary([[3.0, 4.0], [-1.0, 9.0], [0.0, 0.0]], [1, -1, 1])
    assert (pool.dim, pool.radius, pool.noise) == (2, pytest.approx(np.sqrt(82)), 0.0)
    assert pool.low.tolist() == [-1, 0] and pool.high.tolist() == [3, 9]
    tangent = TangentAdversary(radius=2.0)
    assert (tangent.dim, tangent.noise) == (3, 0.0)
    assert tangent.low.tolist() == [-2] * 3 and tangent.high.tolist() == [2] * 3
    nature, cost = tangent.arrivals(KEY), L2Cost(0.5)
    row, label = nature.meet(0, np.zeros(4), cost.norm, cost.budgets(3))  # type: ignore[attr-defined]
    assert (row, label, np.linalg.norm(nature.features[row])) == (0, -1.0, pytest.approx(2.0))
