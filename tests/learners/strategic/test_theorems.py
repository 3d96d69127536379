"""The mistake bounds hold on random and adversarial streams, in their sharpened forms."""

import numpy as np
import pytest
from theorem_games import THEOREMS, Table, worst_share

from agents import L2Cost
from learners import StrategicPerceptronL2


@pytest.mark.parametrize("name", THEOREMS)
@pytest.mark.parametrize("dim", [1, 2, 3, 5, 10, 20])
def test_no_stream_exceeds_the_bound(name: str, dim: int) -> None:
    """Six budgets times six dimensions times five orders times 24 games: 4,320 streams for each theorem."""
    rng = np.random.default_rng([dim, *name.encode()])
    shares = [worst_share(THEOREMS[name], rng, dim, ratio, 24) for ratio in (0.0, 0.1, 0.5, 1.0, 5.0, 50.0)]
    assert max(shares) > 0.02, "the streams are no challenge"


@pytest.mark.slow
@pytest.mark.parametrize("name", THEOREMS)
@pytest.mark.parametrize("dim", range(1, 21))
def test_twenty_thousand_streams(name: str, dim: int) -> None:
    rng = np.random.default_rng([2, dim, *name.encode()])
    for ratio in (0.0, 0.01, 0.1, 0.3, 0.5, 1.0, 2.0, 5.0, 50.0, float(rng.uniform(0, 50))):
        worst_share(THEOREMS[name], rng, dim, ratio, 21)


@pytest.mark.parametrize("alpha", [0.0, 0.5, 7.0])
@pytest.mark.parametrize("dim", [1, 2, 5, 17])
def test_orthonormal_negatives_attain_theorem_1(alpha: float, dim: int) -> None:
    """``z_i = -e_i`` all negative: R = 1 and ``|w*|^2 = d``, and each of the d is a mistake, whatever the budget."""
    table = Table(StrategicPerceptronL2(alpha), L2Cost(alpha), 1, dim)
    for _ in range(3):
        for i in range(dim):
            table.play(-np.eye(dim)[i : i + 1], np.array([-1.0]))
    assert table.mistakes[0] == dim
