"""Contextual search by a density: it loses less than is proved of an exact one, false answers or not."""

import math
from typing import Any

import numpy as np
import pytest
from wrong_labels import hidden_centres, unit_rows

from learners import ContextualSearch, bounds
from learners.search.gauss import multiply_gauss


def played(dim: int, rounds: int, lies: int, pattern: str, seed: int) -> tuple[float, float, Any]:
    """Return the loss, the loss in rounds with a false answer, and the last state."""
    rng = np.random.default_rng(seed)
    learner, point = ContextualSearch(engine="density"), hidden_centres(rng, 1, dim)[0]
    false = set(range(lies)) if pattern == "early" else set(rng.choice(rounds, lies, replace=False).tolist())
    state: Any = None
    guess, answer, loss, lost = np.zeros(1), 0.0, 0.0, 0.0
    for t in range(rounds):
        query = unit_rows(rng, 1, dim)[0] * rng.random() ** 0.5
        guess, state = learner.predict(
            {"features": query, "guess": guess, "answer": [answer], "round": [float(t)]}, state
        )
        miss = abs(float(guess[0]) - query @ point)
        loss, lost = loss + miss, lost + miss * (t in false)
        answer = (1.0 if query @ point >= guess[0] else -1.0) * (-1.0 if t in false else 1.0)
    return loss, lost, state


@pytest.mark.parametrize(("pattern", "lies"), [("random", 0), ("random", 40), ("early", 40)])
@pytest.mark.parametrize("dim", [1, 2, 5])
def test_the_loss_is_at_most_that_of_the_theorem(dim: int, pattern: str, lies: int) -> None:
    for seed in range(3):
        loss, lost, state = played(dim, 300, lies, pattern, seed)
        assert loss <= bounds.density_search(dim, 300, lost)
        assert loss <= 12.0 * dim or lies
        assert np.linalg.eigvalsh(state.covariance[0]).min() > 0.0 and np.linalg.norm(state.weights[0]) <= 1.0


def test_an_answer_tilts_the_density_as_its_formula_says() -> None:
    learner = ContextualSearch(engine="density")
    query, guess = np.array([0.6, -0.3, 0.2]), 0.25
    _, state = learner.predict({"features": query, "guess": [0.0], "answer": [0], "round": [0]})
    seen = {"features": query, "guess": [guess], "answer": [-1], "round": [1]}
    _, state = learner.predict(seen, state)
    eta = -2.0 / 3.0 / (np.linalg.norm(query) + guess)
    mean, covariance = np.zeros(3), np.eye(3) / 5.0
    multiply_gauss(mean, covariance, eta * query / (1.0 - eta * guess), False, 2.0)
    assert state.weights[0] == pytest.approx(mean, abs=1e-15) and mean @ query < -0.05
    assert state.covariance[0] == pytest.approx(covariance, abs=1e-15)


def test_it_says_what_it_does_not_guarantee() -> None:
    learner = ContextualSearch(engine="density")
    assert learner.guarantee.startswith("measured") and "nothing is proved" in learner.guarantee
    assert learner.potential(learner.initial_state(2, 3)).tolist() == [math.inf] * 2
    _, state = learner.predict({"features": np.zeros(2), "guess": [0.5], "answer": [1], "round": [3]})
    assert (state.weights == 0.0).all()


@pytest.mark.parametrize(
    ("make", "value"),
    [
        (lambda: bounds.homothety(0, 5), "dim must be at least 1"),
        (lambda: bounds.density_search(2, 5, lost=-1.0), "lost must be at least 0"),
        (lambda: bounds.density_centres(2, 1, 1.0, 5), "classes must be at least 2"),
        (lambda: bounds.density_centres(2, 2, 1.0, 5, slope=1.0), "slope must be less than 1"),
        (lambda: bounds.second_order_centres(2, 2, 1.0, 5, wrong=1.0, opposed=2.0), "opposed must be at most 1.0"),
        (lambda: bounds.second_order_centres(2, 2, 1.0, -1), "mistakes must be at least 0"),
    ],
)
def test_bounds_refuse_what_they_do_not_hold_for(make: Any, value: str) -> None:
    with pytest.raises(ValueError, match=value):
        make()


def test_golden_bounds() -> None:
    assert bounds.density_search(5, 2000) == pytest.approx(3.915 * 5 * math.log(math.e * 401), rel=1e-3)
    with_lies = bounds.density_search(5, 2000, lost=10.0) - bounds.density_search(5, 2000)
    assert with_lies == pytest.approx(31.51, abs=0.01)
    # Slopes and their constants as tabulated: 1 / ln(1 + b), and rho.
    for slope, factor, price in ((0.5, 2.47, 1.71), (2.0 / 3.0, 1.96, 2.15), (0.8, 1.70, 2.74), (0.9, 1.56, 3.59)):
        one = bounds.density_centres(1, 2, 1.0 / math.sqrt(2.0), 0, slope=slope)
        assert one == pytest.approx(factor, abs=0.006)
        lied = bounds.density_centres(1, 2, 0.0, 0, wrong=1.0, slope=slope)
        assert lied == pytest.approx(price, abs=0.006)
        assert bounds.density_centres(1, 2, 0.0, 0, 1.0, slope=slope, capped=True) == pytest.approx(1.0 + lied)
    assert bounds.second_order_centres(10, 5, math.sqrt(5.0), 2000) == pytest.approx(570.0, abs=15.0)
