"""The best response to a rule that is drawn from two: against a search over the plane, and at its edges."""

import numpy as np
import pytest

from agents import L2Cost, best_response_to_mixture

RNG = np.random.default_rng(0)
ANGLES, SHARES = np.meshgrid(np.linspace(0, 2 * np.pi, 721), np.linspace(0, 1, 201))
DISC = np.stack([SHARES * np.cos(ANGLES), SHARES * np.sin(ANGLES)], axis=-1).reshape(-1, 2)


def chance_of(x: np.ndarray, rules: tuple[np.ndarray, ...], chance: float, slack: float) -> np.ndarray:
    """With which probability reports (n, 2) are accepted, up to so far beyond the planes."""
    return sum(
        probability * (x @ w[:2] + w[2] >= -slack * np.linalg.norm(w[:2]))
        for w, probability in zip(rules, (chance, 1 - chance), strict=True)
    )


@pytest.mark.parametrize("seed", range(60))
def test_no_point_of_the_plane_is_better(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(5):
        z, alpha, chance = rng.uniform(-1, 1, 2), float(rng.uniform(0.1, 2)), float(rng.choice([0, 0.2, 0.5, 0.8, 1]))
        rules = tuple(np.append(rng.standard_normal(2), rng.uniform(-1, 0.5)) for _ in range(2))
        answer = best_response_to_mixture(z, *rules, chance=chance, alpha=alpha)
        assert answer.cost == pytest.approx(np.linalg.norm(answer.report - z) / alpha, abs=1e-9)
        assert chance_of(answer.report[None], rules, chance, 1e-9)[0] == pytest.approx(answer.chance)
        assert answer.cost <= answer.chance + 1e-12
        places = z + alpha * DISC
        utility = chance_of(places, rules, chance, 0.0) - np.linalg.norm(places - z, axis=1) / alpha
        assert utility.max() <= answer.chance - answer.cost + 1e-9
        near = chance_of(places, rules, chance, 0.02 * alpha) - np.linalg.norm(places - z, axis=1) / alpha
        assert near.max() >= answer.chance - answer.cost - 0.03


def test_the_worked_person_and_the_utilities_that_it_compares() -> None:
    z, first, second = [0.2, 0.1], [1.0, 0.0, -0.5], [0.0, 1.0, -0.4]
    answer = best_response_to_mixture(z, first, second, chance=0.6, alpha=0.5)
    assert answer.report == pytest.approx([0.5, 0.4]) and answer.moved and answer.chance == 1.0
    assert answer.chance - answer.cost == pytest.approx(0.1515, abs=1e-4)
    assert not best_response_to_mixture(z, first, second, chance=0.6, alpha=0.3).moved


def test_one_rule_is_a_best_response_bit_for_bit() -> None:
    for _ in range(300):
        z, classifier = RNG.uniform(-1, 1, 3), np.append(RNG.standard_normal(3), RNG.uniform(-1, 0.5))
        expected = L2Cost(0.5).best_response(z, classifier)
        for rules, chance in (((classifier, RNG.standard_normal(4)), 1.0), ((RNG.standard_normal(4), classifier), 0.0)):
            found = best_response_to_mixture(z, *rules, chance=chance, alpha=0.5)
            assert np.array_equal(found.report, expected)
        twice = best_response_to_mixture(z, classifier, classifier, chance=0.3, alpha=0.5)
        assert np.array_equal(twice.report, expected)


@pytest.mark.parametrize(
    ("first", "second", "chance", "alpha", "report", "probability"),
    [
        ([1.0, -0.5], [1.0, -0.5], 0.5, 0.5, 0.5, 1.0),  # a price of exactly what it gains: moves
        ([1.0, -0.5], [1.0, -0.25], 0.5, 0.5, 0.5, 1.0),  # the higher probability wins
        ([1.0, -0.25], [-1.0, -0.25], 0.5, 0.5, 0.25, 0.5),  # moving wins, then the first rule
        ([1.0, -0.25], [-1.0, -0.25], 0.4, 0.625, -0.25, 0.6),  # two that cannot both be pleased
        ([0.0, 0.0], [1.0, -0.25], 0.5, 0.5, 0.25, 1.0),  # one accepts everybody
        ([0.0, -1.0], [1.0, -0.25], 0.5, 0.5, 0.25, 0.5),  # one accepts nobody
        ([0.0, -1.0], [0.0, -1.0], 0.5, 0.5, 0.0, 0.0),
        ([1.0, -0.25], [1.0, -0.25], 0.5, 0.0, 0.0, 0.0),  # nobody can move
        ([1.0, 0.25], [1.0, -0.25], 0.5, 0.5, 0.25, 1.0),  # accepted by one already
    ],
)
def test_ties_and_edges(
    first: list[float], second: list[float], chance: float, alpha: float, report: float, probability: float
) -> None:
    answer = best_response_to_mixture([0.0], first, second, chance=chance, alpha=alpha)
    assert answer.report.tolist() == [report] and answer.chance == probability


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"z": [np.nan, 0.0]}, "z must be finite"),
        ({"first": [1.0, 0.0]}, "first must have shape"),
        ({"second": [1.0, 0.0, np.inf]}, "second must be finite"),
        ({"chance": 1.5}, "chance must be at most 1.0, got 1.5"),
        ({"alpha": -1.0}, "alpha must be at least 0"),
    ],
)
def test_bad_arguments_are_named(change: dict[str, object], message: str) -> None:
    usual = {"z": [0.2, 0.1], "first": [1.0, 0.0, -0.5], "second": [0.0, 1.0, -0.4], "chance": 0.6, "alpha": 0.5}
    with pytest.raises(ValueError, match=message):
        best_response_to_mixture(**usual | change)  # type: ignore[arg-type]
