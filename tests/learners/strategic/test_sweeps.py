"""Sweeps over a sample: what counts as learning, and whom they are for."""

import numpy as np
import pytest

from agents import L2Cost
from learners import AcceptedOnlyL2, Perceptron
from learners.strategic.passes import sweep

POINTS, LABELS = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]), np.array([1.0, -1.0, -1.0])


def test_a_clock_is_nothing_that_is_learned() -> None:
    """A learner that counts its rounds comes to a clean sweep, as the Perceptron does that it is otherwise."""
    result = sweep(AcceptedOnlyL2(0.0, exploration=1e-9), POINTS, LABELS)
    assert result.clean and result.updates == sweep(Perceptron(), POINTS, LABELS).updates
    assert result.state.published[0] == 3 * result.sweeps + 1


def test_a_cost_that_differs_from_individual_to_individual_is_refused() -> None:
    with pytest.raises(ValueError, match="cost must be the same for every individual, got L2Cost"):
        sweep(Perceptron(), POINTS, LABELS, L2Cost([5.0, 0.0, 0.0]))
