"""Measures over runs and tasks: rliable's own numbers, a brute-force bootstrap, properties, refusals."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from agents.foundation.typing import Float
from strategic_env.report import scores as module
from strategic_env.report.scores import (
    Estimate,
    interquartile_mean,
    normalised_score,
    performance_profile,
    probability_of_improvement,
    ratio_of_means,
)

# By rliable 1.2.0 with 50,000 resamples (NumPy 2.4.6, pandas 2.3.3): get_interval_estimates of aggregate_iqm and of
# probability_of_improvement, create_performance_profile; value, low, high.
RLIABLE = json.loads((Path(__file__).parents[2] / "reference" / "data" / "rliable.json").read_text(encoding="utf-8"))
X, Y = np.array(RLIABLE["x"]), np.array(RLIABLE["y"])
# Two bootstraps of 50,000 and 20,000 resamples agree to about this share of the interval's length.
CLOSE = 0.02
MANY = 20_000

tables = arrays(np.float64, st.tuples(st.integers(2, 6), st.integers(1, 4)), elements=st.integers(-20, 20))


def assert_like_rliable(found: Estimate, reference: list[float]) -> None:
    assert found.value == pytest.approx(reference[0], rel=1e-12)
    assert found[1:] == pytest.approx(reference[1:], abs=CLOSE * (reference[2] - reference[1]))


def test_interquartile_mean_is_rliables() -> None:
    assert_like_rliable(interquartile_mean(X, resamples=MANY), RLIABLE["iqm"])
    assert_like_rliable(interquartile_mean(Y, resamples=MANY), RLIABLE["iqm_y"])


def test_probability_of_improvement_is_rliables_with_unequal_runs_and_ties() -> None:
    assert_like_rliable(probability_of_improvement(X, Y, resamples=MANY), RLIABLE["improvement"])


def test_performance_profile_is_rliables() -> None:
    found = performance_profile(X, RLIABLE["thresholds"], resamples=MANY)
    np.testing.assert_allclose(found.share, RLIABLE["share"], rtol=1e-12)
    # Shares of 40 runs are multiples of 1/40: a percentile of another bootstrap may be the next one.
    np.testing.assert_allclose(found.low, RLIABLE["low"], atol=1 / 40 + 1e-12)
    np.testing.assert_allclose(found.high, RLIABLE["high"], atol=1 / 40 + 1e-12)


def middle(values: list[float]) -> float:
    cut = len(values) // 4
    kept = sorted(values)[cut : len(values) - cut]
    return sum(kept) / len(kept)


def pairs_won(ours: Float, theirs: Float) -> float:
    tasks = range(ours.shape[1])
    won = [[(a > b) + (a == b) / 2 for a in ours[:, task] for b in theirs[:, task]] for task in tasks]
    return float(np.mean([np.mean(one) for one in won]))


def brute_force(statistic: Callable[..., float], *groups: Float, paired: bool = False) -> list[float]:
    """Resample one task and one run at a time, with the draws of the product."""
    generator = np.random.default_rng(5)
    shapes = [group.shape for group in (groups[:1] if paired else groups)]
    draws = [generator.integers(shape[0], size=(50, *shape)) for shape in shapes]
    draws = draws * len(groups) if paired else draws
    values = []
    for at in range(50):
        taken = [
            np.array(
                [[group[drawn[at, run, task], task] for task in range(group.shape[1])] for run in range(len(group))]
            )
            for group, drawn in zip(groups, draws, strict=True)
        ]
        values.append(statistic(*taken))
    return [statistic(*groups), *np.percentile(values, [2.5, 97.5])]


def test_every_interval_is_that_of_a_loop_over_the_resamples() -> None:
    once = {"resamples": 50, "seed": 5}
    paired = X[:8] + Y
    assert list(interquartile_mean(X, **once)) == pytest.approx(brute_force(lambda x: middle(x.ravel().tolist()), X))
    assert list(probability_of_improvement(X, Y, **once)) == pytest.approx(brute_force(pairs_won, X, Y))
    ratio = brute_force(lambda x, y: middle(x.ravel().tolist()) / middle(y.ravel().tolist()), paired, Y, paired=True)
    assert list(ratio_of_means(paired, Y, **once)) == pytest.approx(ratio)
    profile = performance_profile(X, [1.5], **once)
    assert [profile.share[0], profile.low[0], profile.high[0]] == pytest.approx(
        brute_force(lambda x: float(np.mean(x > 1.5)), X)
    )


def test_intervals_contain_the_truth_about_as_often_as_they_say() -> None:
    generator = np.random.default_rng(0)
    estimates = [interquartile_mean(generator.normal(3.0, size=(20, 3)), resamples=300) for _ in range(300)]
    hits = np.mean([one.low <= 3.0 <= one.high for one in estimates])
    assert 0.90 <= hits <= 0.98


def test_tasks_are_resampled_apart() -> None:
    runs_do_not_differ = np.tile([1.0, 5.0, 9.0, 30.0], (6, 1))
    assert interquartile_mean(runs_do_not_differ) == (7.0, 7.0, 7.0)


def test_pairing_cancels_what_populations_have_in_common() -> None:
    hardness = np.random.default_rng(1).gamma(2.0, size=(30, 1))
    paired, shuffled = (ratio_of_means(0.5 * hardness, base) for base in (hardness, hardness[::-1]))
    assert paired == pytest.approx((0.5, 0.5, 0.5))
    assert shuffled.value == pytest.approx(0.5) and shuffled.high - shuffled.low > 0.1


def test_a_seed_fixes_the_interval_and_blocks_do_not_change_it(monkeypatch: pytest.MonkeyPatch) -> None:
    first = interquartile_mean(X, resamples=200, seed=3)
    assert interquartile_mean(X, resamples=200, seed=3) == first
    assert interquartile_mean(X, resamples=200, seed=4) != first
    monkeypatch.setattr(module, "BLOCK", 7 * X.size)
    assert interquartile_mean(X, resamples=200, seed=3) == pytest.approx(first)


@settings(max_examples=40)
@given(tables, st.randoms(use_true_random=False))
def test_interquartile_mean_forgets_the_order_and_follows_the_scale(scores: Float, random: Any) -> None:
    found = interquartile_mean(scores, resamples=50)
    assert scores.min() <= found.low <= found.high <= scores.max()
    mixed = scores.ravel().tolist()
    random.shuffle(mixed)
    assert interquartile_mean(np.reshape(mixed, scores.shape), resamples=1).value == pytest.approx(found.value)
    assert interquartile_mean(3 * scores + 1, resamples=50) == pytest.approx([3 * one + 1 for one in found])


@settings(max_examples=40)
@given(tables)
def test_intervals_contain_the_estimate(scores: Float) -> None:
    profile = performance_profile(scores, [-5.0, 0.0, 5.0], resamples=300)
    assert (profile.low <= profile.share).all() and (profile.share <= profile.high).all()
    improvement = probability_of_improvement(scores, scores[::-1] + 1, resamples=300)
    assert improvement.low - 1e-9 <= improvement.value <= improvement.high + 1e-9
    mean = interquartile_mean(scores, resamples=300)
    assert mean.low - 1e-9 <= mean.value <= mean.high + 1e-9


@settings(max_examples=40)
@given(tables)
def test_improvement_of_equal_samples_is_one_half_and_of_exchanged_ones_the_rest(scores: Float) -> None:
    assert probability_of_improvement(scores, scores, resamples=20).value == pytest.approx(0.5)
    shifted = scores + 3.0
    there, back = (
        probability_of_improvement(*pair, resamples=1).value for pair in ((scores, shifted), (shifted, scores))
    )
    assert there + back == pytest.approx(1.0) and back >= 0.5
    assert probability_of_improvement(scores + 100, scores, resamples=20) == (1.0, 1.0, 1.0)


def test_a_profile_falls_from_one_to_zero_and_a_score_is_not_above_itself() -> None:
    profile = performance_profile([[1.0], [2.0]], [0.0, 1.0, 1.5, 2.0], resamples=50)
    assert profile.share.tolist() == [1.0, 0.5, 0.5, 0.0]


def test_normalised_score_is_zero_for_the_naive_and_one_for_the_oracle() -> None:
    mistakes = np.array([[40.0, 10.0], [10.0, 30.0]])
    found = normalised_score(mistakes, naive=[40.0, 30.0], oracle=[10.0, 10.0])
    assert found.tolist() == [[0.0, 1.0], [1.0, 0.0]]
    assert (normalised_score(mistakes - 1, [40.0, 30.0], [10.0, 10.0]) > found).all()  # fewer mistakes


BAD = {
    "nan": ([[1.0], [float("nan")]], ValueError, "scores must be finite, got nan at index (1, 0)"),
    "infinite": ([[1.0], [float("inf")]], ValueError, "scores must be finite"),
    "huge": ([[1.0], [1e200]], ValueError, "scores must be at most 1e+100 in size"),
    "empty": ([], ValueError, "scores must have shape (any, any), got (0,)"),
    "no tasks": (np.zeros((3, 0)), ValueError, "scores must have shape (any, any), got (3, 0)"),
    "ragged": ([[1.0, 2.0], [1.0]], ValueError, "scores must be a rectangular array"),
    "one axis": ([1.0, 2.0], ValueError, "scores must have shape (any, any), got (2,)"),
    "one run": ([[1.0, 2.0]], ValueError, "scores must hold at least 2 runs"),
    "words": ([["a"], ["b"]], TypeError, "scores must hold real numbers"),
}
MEASURES = {
    "interquartile_mean": interquartile_mean,
    "performance_profile": lambda scores: performance_profile(scores, [0.5]),
    "probability_of_improvement": lambda scores: probability_of_improvement(scores, [[1.0], [2.0]]),
    "ratio_of_means": lambda scores: ratio_of_means(scores, [[1.0], [2.0]]),
}


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("bad", BAD)
def test_bad_scores_are_refused(measure: str, bad: str) -> None:
    value, kind, message = BAD[bad]
    with pytest.raises(kind, match=re.escape(message)):
        MEASURES[measure](value)


def test_bad_arguments_are_refused() -> None:
    good = [[1.0], [2.0]]
    refusals: list[tuple[Callable[[], object], type[Exception], str]] = [
        (lambda: interquartile_mean(good, resamples=0), ValueError, "resamples must be at least 1, got 0"),
        (lambda: interquartile_mean(good, resamples=1.5), TypeError, "resamples must be an integer"),  # type: ignore
        (lambda: interquartile_mean(good, seed=-1), ValueError, "seed must be at least 0, got -1"),
        (lambda: probability_of_improvement(good, [[1.0, 2.0]] * 2), ValueError, "baseline must hold the 1 tasks"),
        (lambda: probability_of_improvement(good, [[1.0]]), ValueError, "baseline must hold at least 2 runs"),
        (lambda: ratio_of_means(good, [[1.0]] * 3), ValueError, "baseline must have the scores' shape (2, 1)"),
        (
            lambda: ratio_of_means(good, [[0.0], [1.0]]),
            ValueError,
            "baseline must have an interquartile mean above 1e-100",
        ),
        (lambda: ratio_of_means([[1e100]] * 2, [[1e-300]] * 2), ValueError, "baseline must have an interquartile mean"),
        (lambda: normalised_score([[1e300]], [-1e308], [1e308]), ValueError, "scores must be at most 1e+100 in size"),
        (
            lambda: normalised_score([[1e100]], [0.0], [5e-324]),
            ValueError,
            "normalised between naive and oracle, must be",
        ),
        (lambda: performance_profile(good, []), ValueError, "thresholds must have shape (any,), got (0,)"),
        (lambda: performance_profile(good, [np.nan]), ValueError, "thresholds must be finite"),
        (lambda: normalised_score(good, [3.0], [3.0]), ValueError, "oracle must differ from naive on every task"),
        (lambda: normalised_score(good, [3.0, 2.0], [1.0]), ValueError, "naive must have shape (1,), got (2,)"),
        (lambda: normalised_score(good, [np.nan], [1.0]), ValueError, "naive must be finite"),
    ]
    for call, kind, message in refusals:
        with pytest.raises(kind, match=re.escape(message)):
            call()
