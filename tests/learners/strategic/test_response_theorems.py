"""The bounds for people who answer otherwise hold on random and adversarial streams."""

import numpy as np
import pytest
from response_games import RESPONSE_THEOREMS, worst_response_share


@pytest.mark.parametrize("name", RESPONSE_THEOREMS)
def test_no_stream_exceeds_the_bound(name: str) -> None:
    rng = np.random.default_rng([1, *name.encode()])
    shares = [
        worst_response_share(RESPONSE_THEOREMS[name], rng, dim, ratio, 6)[0] for dim, ratio in ((2, 1.0), (3, 0.3))
    ]
    assert max(shares) > 0.01, "the streams are no challenge"


@pytest.mark.slow
@pytest.mark.parametrize("name", RESPONSE_THEOREMS)
def test_a_million_rounds(name: str) -> None:
    rng, rounds = np.random.default_rng([2, *name.encode()]), 0
    while rounds < 1_000_000:
        dim, ratio = int(rng.integers(1, 11)), float(rng.choice([0.05, 0.1, 0.3, 0.5, 1.0, 2.0, 5.0]))
        rounds += worst_response_share(RESPONSE_THEOREMS[name], rng, dim, ratio, 24)[1]
