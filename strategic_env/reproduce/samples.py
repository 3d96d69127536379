"""The two bounds of the lecture that are about a sample instead of an endless stream."""

import numpy as np

from agents.costs import L2
from agents.foundation.typing import Float
from learners import bounds
from learners.separators import margins
from learners.strategic.passes import sweep
from learners.strategic.perceptron import Perceptron
from strategic_env.reproduce.adversaries import novikoff
from strategic_env.reproduce.rows import BoundRow, Shares, row
from strategic_env.reproduce.streams import POOL, Games, draw_pools

DIMS = (1, 2, 3, 5, 10)
NOISE = (0.0, 0.05, 0.2)  # shares of flipped labels
# Margins that Freund and Schapire's bound is taken at, in units of R: the smallest bound counts.
MARGINS = np.geomspace(0.05, 2.0, 12)
STREAMS_PER_SAMPLE = 20  # what a sample of `leave_one_out` costs


def freund_schapire(runs: int) -> BoundRow:
    """Let individuals with some wrong labels arrive once each."""
    worst, played = 0.0, 0
    for dim in DIMS:
        rng = np.random.default_rng([dim, 1])
        pools = draw_pools(rng, -(-runs // len(DIMS)), dim, nonnegative=False, biased=False)
        flipped = rng.uniform(size=pools.labels.shape) < rng.choice(NOISE, (len(pools.labels), 1))
        labels = pools.labels * np.where(flipped, -1.0, 1.0)
        games = Games(Perceptron(), {}, L2, pools.normal.shape, halts=False)
        for k in range(POOL):
            games.play(np.ascontiguousarray(pools.features[:, k]), labels[:, k], np.zeros((len(labels), 1)))
        least = [_smallest_bound(*sample) for sample in zip(pools.normal, pools.features, labels, strict=True)]
        worst, played = max(worst, float((games.mistakes / least).max())), played + len(least)
    reached = novikoff().shares  # where nothing falls short, the bound is Novikoff's; one pass is enough to attain it
    return row("Freund-Schapire, single pass", "lecture, outlook", played, Shares(worst, None), "orthonormal", reached)


def _smallest_bound(normal: Float, features: Float, labels: Float) -> float:
    """Return the bound at the best margin for the hyperplane that separated before the labels were changed."""
    radius = margins.radius(features)
    return min(
        bounds.freund_schapire(radius, margin, bounds.hinge_slack(normal, features, labels, margin))
        for margin in (MARGINS * radius).tolist()
    )


def leave_one_out(runs: int) -> BoundRow:
    """Count leave-one-out errors against the mistakes of the perceptron on the whole sample."""
    worst, played = 0.0, 0
    for dim in DIMS:
        rng = np.random.default_rng([dim, 2])
        pools = draw_pools(rng, -(-runs // (STREAMS_PER_SAMPLE * len(DIMS))), dim, nonnegative=False, biased=False)
        for features, labels in zip(pools.features, pools.labels, strict=True):
            size = int(rng.integers(2, POOL + 1))
            worst, played = max(worst, _share_of_errors(features[:size], labels[:size])), played + 1
    orthonormal = Shares(_share_of_errors(np.eye(POOL), np.ones(POOL)), None)
    return row(
        "leave-one-out errors / M", "lecture, Theorem 2", played, Shares(worst, None), "orthonormal", orthonormal
    )


def _share_of_errors(features: Float, labels: Float) -> float:
    errors = round(margins.leave_one_out(features, labels) * len(labels))
    return errors / sweep(Perceptron(ties="lecture"), features, labels).updates
