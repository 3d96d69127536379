"""The comparison that the page on reinforcement learning prints runs, and says what the page says."""

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1]))  # the benchmarks are not installed

pytestmark = pytest.mark.slow


def test_the_comparison_prints_every_table(capsys: pytest.CaptureFixture[str]) -> None:
    from benchmarks import meta_learning

    meta_learning.main(8)
    printed = capsys.readouterr().out
    for title in ("who comes is drawn", "an adversary picks", "other games", "labels of the accepted only"):
        assert printed.count(title) == 1
    assert printed.count("d = 20: ") == 8


def test_the_constants_of_the_coefficients_are_the_best_on_training_seeds() -> None:
    from benchmarks import meta_learning
    from learners.rl.coefficients import STEP_AFTER_MISTAKE, STEP_OTHERWISE

    weight = meta_learning.best_constant(1000).weight
    assert (weight, 1.0 + weight) == pytest.approx((STEP_OTHERWISE, STEP_AFTER_MISTAKE))
