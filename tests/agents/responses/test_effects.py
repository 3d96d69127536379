"""What moving does to the truth: masks, labels afterwards, and what is refused."""

from typing import Any

import numpy as np
import pytest

from agents import Improvement, L2Cost, WeightedL1Cost
from agents.costs import prepare
from agents.responses.effects import Gaming, gain_of_report, improving, label_after, label_of, slope, standing

PUBLISHED, START = np.array([0.6, 0.8, -0.5]), np.array([0.2, 0.1])
SEPARATOR = np.array([1.0, 0.0, -0.3])


@pytest.mark.parametrize(
    ("cost", "mask", "score"),
    [
        (L2Cost(0.5), [1.0, 0.0], 0.08),
        (L2Cost(0.5), [0.0, 1.0], -0.1),
        (L2Cost(0.5), [0.5, 0.5], -0.01),
        (WeightedL1Cost([0.6, 0.25]), [1.0, 1.0], 0.4),
    ],
)
def test_worked_person(cost: Any, mask: list[float], score: float) -> None:
    effect = improving(np.array(mask), SEPARATOR[np.newaxis].copy(), 1.0, 0.6)
    report, budget = cost.best_response(START, PUBLISHED), cost.budgets(2)[0]
    gain = 0.3 * slope(effect, 0, prepare(cost.norm, PUBLISHED, budget), PUBLISHED)
    assert standing(effect, 0, START) + gain == pytest.approx(score)
    assert gain_of_report(effect, 0, START, report) == pytest.approx(gain, abs=1e-15)
    after = label_after(effect, standing(effect, 0, START), gain, -1.0)
    assert after == label_of(effect, 0, START, report, -1.0) == (1.0 if score > 0.0 else -1.0)


def test_a_label_that_noise_has_flipped_travels_with_the_person() -> None:
    improvement = Improvement(1.0, SEPARATOR)
    for label in (1.0, -1.0):
        assert improvement.label(START, [0.4, 0.1], label) == -label
        assert improvement.label(START, [0.2, 0.9], label) == label


def test_who_gets_to_the_separator_itself_is_positive_up_to_rounding() -> None:
    rng = np.random.default_rng(0)
    for _ in range(300):
        dim = int(rng.integers(1, 20))
        normal = rng.standard_normal(dim)
        separator = np.append(normal / np.linalg.norm(normal), rng.normal() * 0.1)
        start = rng.standard_normal(dim)
        start -= (start @ separator[:-1] + separator[-1] + rng.uniform(1e-6, 1.0)) * separator[:-1]
        report = L2Cost(1.0).best_response(start, separator)
        if (report != start).any():
            assert Improvement(1.0, separator).label(start, report, -1.0) == 1.0


def test_games_without_improvement_change_no_label() -> None:
    nothing = Gaming()
    prepared = prepare(2, PUBLISHED, np.array([0.5]))
    assert slope(nothing, 0, prepared, PUBLISHED) == standing(nothing, 0, START) == 0.0
    assert label_of(nothing, 0, START, np.array([5.0, 5.0]), -1.0) == -1.0


def test_a_classifier_without_weights_changes_nobody() -> None:
    effect, nowhere = improving(np.ones(2), SEPARATOR[np.newaxis].copy(), 1.0, 0.6), np.zeros(3)
    assert slope(effect, 0, prepare(2, nowhere, np.array([0.5])), nowhere) == 0.0
    assert slope(effect, 0, prepare(1, nowhere, np.array([0.5, 0.5])), nowhere) == 0.0


def test_shares_cannot_be_changed_from_outside() -> None:
    improvement = Improvement([1.0, 0.5], SEPARATOR)
    separator = improvement.separator
    assert separator is not None
    separator[:] = 9.0
    assert improvement.separator is not None and improvement.separator.tolist() == SEPARATOR.tolist()
    assert repr(improvement) == "Improvement([1.0, 0.5], separator=[1.0, 0.0, -0.3])" and repr(Improvement(1)) == (
        "Improvement(1.0)"
    )


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Improvement(1.1), "improvement must be shares between 0 and 1, got 1.1"),
        (lambda: Improvement([0.5, -0.1]), "improvement must be shares between 0 and 1"),
        (lambda: Improvement(np.nan), "improvement must be finite"),
        (lambda: Improvement("all"), "improvement must hold real numbers"),
        (lambda: Improvement([[1.0]]), "improvement must have"),
        (lambda: Improvement([1.0, 1.0]).mask(3), "improvement must be a number, or 3 of them, got"),
        (lambda: Improvement(1.0, [1.0, 0.0]).mask(3), "separator must have 3 weights and b, got"),
        (lambda: Improvement(1.0, [0.0, 1.0]), "separator must be .* with a weight"),
        (lambda: Improvement(1.0, [1.0]), "separator must be .* with a weight"),
        (lambda: Improvement(1.0).label([0.0], [1.0], 1.0), "separator must be given to tell labels, got none"),
    ],
)
def test_what_is_no_improvement_is_refused(make: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message) as caught:
        make()
    assert "\n" not in str(caught.value)
