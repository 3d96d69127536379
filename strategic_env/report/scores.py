"""Measures of scores over runs and tasks, each with a 95% interval from a stratified bootstrap.

Scores have shape (runs, tasks). A task is a scenario; a run is a seed, or a policy that was trained with one. A
resample draws, within every task on its own, as many of its runs as there are, with replacement; an interval goes from
the 2.5th to the 97.5th percentile of the measure over the resamples. The same seed gives the same interval.

References
----------
Agarwal, Schwarzer, Castro, Courville, Bellemare: Deep Reinforcement Learning at the Edge of the Statistical Precipice.
NeurIPS 2021. The measures are theirs, except the ratio of interquartile means.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from agents.foundation.checks import LARGEST, LARGEST_LENGTH, LARGEST_SEED, LARGEST_SIZE, SMALLEST, count, finite_array
from agents.foundation.typing import Float, Int

RESAMPLES = 2000
PERCENTILES = (2.5, 97.5)
# How many scores are resampled at once; bounds the memory.
BLOCK = 2_000_000


class Estimate(NamedTuple):
    """A measure and its 95% interval.

    Attributes
    ----------
    value, low, high : float
    """

    value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Profile:
    """The shares of runs above thresholds, with 95% intervals for each threshold on its own.

    Attributes
    ----------
    thresholds, share, low, high : ndarray (thresholds,) of float64
    """

    thresholds: Float
    share: Float
    low: Float
    high: Float


def interquartile_mean(scores: ArrayLike, *, resamples: int = RESAMPLES, seed: int = 0) -> Estimate:
    """Return the mean of the middle half of all runs of all tasks.

    Parameters
    ----------
    scores : array_like (runs, tasks)
        At least two runs.
    resamples : int
    seed : int
        Of the resampling.

    Returns
    -------
    Estimate

    Raises
    ------
    TypeError
        If an argument is of the wrong kind.
    ValueError
        If the scores have another shape or are NaN, infinite or beyond 1e100 in size, or there are fewer than two runs
        or no resamples.
    """
    checked = _scores("scores", scores)
    draws = _draws([checked], resamples, seed)
    return _estimate(_middle_mean(checked), [_middle_mean(_drawn(checked, chosen)) for (chosen,) in draws])


def probability_of_improvement(
    scores: ArrayLike, baseline: ArrayLike, *, resamples: int = RESAMPLES, seed: int = 0
) -> Estimate:
    """Return how likely a run has a higher score than one of the baseline on the same task, averaged over tasks.

    Of one task this is the Mann-Whitney statistic over the number of pairs: every run against every run of the
    baseline, an equal score counting half. Where less is better, exchange the two arguments.

    Parameters
    ----------
    scores : array_like (runs, tasks)
    baseline : array_like (other runs, tasks)
        Resampled independently of the scores.
    resamples, seed : int
        As `interquartile_mean`.

    Returns
    -------
    Estimate

    Raises
    ------
    TypeError, ValueError
        As `interquartile_mean`; or if the numbers of tasks differ.
    """
    ours, theirs = _scores("scores", scores), _scores("baseline", baseline)
    if ours.shape[1] != theirs.shape[1]:
        raise ValueError(f"baseline must hold the {ours.shape[1]} tasks of the scores, got {theirs.shape[1]}")
    draws = _draws([ours, theirs], resamples, seed)
    resampled = [_share_won(_drawn(ours, chosen), _drawn(theirs, others)) for chosen, others in draws]
    return _estimate(_share_won(ours, theirs), resampled)


def ratio_of_means(scores: ArrayLike, baseline: ArrayLike, *, resamples: int = RESAMPLES, seed: int = 0) -> Estimate:
    """Return the interquartile mean over that of a baseline which met the same populations.

    The two are paired: a resample draws the same runs of both.

    Parameters
    ----------
    scores, baseline : array_like (runs, tasks)
        Run i of both met the same individuals in each task.
    resamples, seed : int
        As `interquartile_mean`.

    Returns
    -------
    Estimate

    Raises
    ------
    TypeError, ValueError
        As `interquartile_mean`; or if the shapes differ, or the baseline's mean is not above 1e-100 in every resample.
    """
    ours, theirs = _scores("scores", scores), _scores("baseline", baseline)
    if ours.shape != theirs.shape:
        raise ValueError(f"baseline must have the scores' shape {ours.shape}, run by run, got {theirs.shape}")
    draws = _draws([ours], resamples, seed)
    resampled = [_ratio(_drawn(ours, chosen), _drawn(theirs, chosen)) for (chosen,) in draws]
    return _estimate(_ratio(ours, theirs), resampled)


def performance_profile(
    scores: ArrayLike, thresholds: ArrayLike, *, resamples: int = RESAMPLES, seed: int = 0
) -> Profile:
    """Return the share of all runs of all tasks whose score is above each threshold.

    Parameters
    ----------
    scores : array_like (runs, tasks)
    thresholds : array_like (thresholds,)
    resamples, seed : int
        As `interquartile_mean`.

    Returns
    -------
    Profile

    Raises
    ------
    TypeError, ValueError
        As `interquartile_mean`, for the thresholds too.
    """
    checked, limits = _scores("scores", scores), finite_array("thresholds", thresholds, (None,))
    draws = _draws([checked], resamples, seed, kept=len(limits))
    resampled = np.concatenate([_shares_above(_drawn(checked, chosen), limits) for (chosen,) in draws])
    low, high = np.percentile(resampled, PERCENTILES, axis=0)
    return Profile(limits, _shares_above(checked, limits), low, high)


def normalised_score(scores: ArrayLike, naive: ArrayLike, oracle: ArrayLike) -> Float:
    """Return where scores lie between a naive learner, which has 0, and an oracle, which has 1.

    Mistakes, of which fewer are better, need no change of sign: the oracle's are below the naive learner's, so that
    fewer mistakes become a higher score. It may be negative or above 1.

    Parameters
    ----------
    scores : array_like (runs, tasks)
    naive, oracle : array_like (tasks,)
        Their mean scores, or mistakes, on every task.

    Returns
    -------
    ndarray (runs, tasks) of float64
        ``(scores - naive) / (oracle - naive)``.

    Raises
    ------
    TypeError
        If an argument does not hold numbers.
    ValueError
        If shapes differ, numbers are not finite or beyond 1e100 in size, or naive learner and oracle are equal on a
        task, or nearly so.
    """
    checked = finite_array("scores", scores, (None, None), largest=LARGEST)
    ends = (("naive", naive), ("oracle", oracle))
    zero, one = (finite_array(name, value, (checked.shape[1],), largest=LARGEST) for name, value in ends)
    equal = np.flatnonzero(zero == one)
    if equal.size:
        task = int(equal[0])
        raise ValueError(f"oracle must differ from naive on every task, got {one[task]} for both on task {task}")
    with np.errstate(over="ignore"):
        normalised = (checked - zero) / (one - zero)
    return finite_array("scores, normalised between naive and oracle,", normalised, normalised.shape)


def interval_text(estimate: Estimate, form: str) -> str:
    """Write an estimate with its interval: ``0.42 [0.39, 0.45]``."""
    value, low, high = (format(number, form) for number in estimate)
    return f"{value} [{low}, {high}]"


def _scores(name: str, value: ArrayLike) -> Float:
    checked = finite_array(name, value, (None, None), largest=LARGEST)
    if len(checked) < 2:
        raise ValueError(f"{name} must hold at least 2 runs, since one says nothing about their spread, got 1")
    return checked


def _draws(groups: Sequence[Float], resamples: int, seed: int, kept: int = 1) -> Iterator[list[Int]]:
    """Yield, for a block of resamples at a time, which runs of each group they hold: (block, runs, tasks).

    So many numbers are ``kept`` of each resample.
    """
    left = count("resamples", resamples, minimum=1, maximum=min(LARGEST_LENGTH, LARGEST_SIZE // kept))
    generator = np.random.default_rng(count("seed", seed, maximum=LARGEST_SEED))
    most = max(1, BLOCK // sum(group.size for group in groups))
    while left:
        block = min(left, most)
        yield [generator.integers(len(group), size=(block, *group.shape)) for group in groups]
        left -= block


def _drawn(scores: Float, chosen: Int) -> Float:
    return np.take_along_axis(scores[np.newaxis], chosen, axis=1)


def _estimate(value: Float, resampled: Sequence[Float]) -> Estimate:
    low, high = np.percentile(np.concatenate(resampled), PERCENTILES)
    return Estimate(float(value), float(low), float(high))


def _middle_mean(scores: Float) -> Float:
    """Return the interquartile mean of (..., runs, tasks)."""
    from scipy.stats import trim_mean  # on first use: importing scipy is slow

    return np.asarray(trim_mean(scores.reshape(*scores.shape[:-2], -1), 0.25, axis=-1))


def _share_won(scores: Float, baseline: Float) -> Float:
    """Return the share of pairs of (..., runs, tasks) that the scores win, from the sum of their ranks."""
    from scipy.stats import rankdata  # on first use: importing scipy is slow

    ours, theirs = scores.shape[-2], baseline.shape[-2]
    ranks = rankdata(np.concatenate([scores, baseline], axis=-2), axis=-2)[..., :ours, :]
    won = (ranks.sum(axis=-2) - ours * (ours + 1) / 2) / (ours * theirs)
    return np.asarray(won.mean(axis=-1))


def _ratio(scores: Float, baseline: Float) -> Float:
    below = _middle_mean(baseline)
    if np.any(below < SMALLEST):
        least = float(np.min(below))
        raise ValueError(f"baseline must have an interquartile mean above {SMALLEST} in every resample, got {least}")
    return _middle_mean(scores) / below


def _shares_above(scores: Float, thresholds: Float) -> Float:
    """Return the shares (..., thresholds) of (..., runs, tasks)."""
    return np.stack([(scores > threshold).mean(axis=(-2, -1)) for threshold in thresholds], axis=-1)
