"""Algorithm 3 with a tie-breaking step that grows with the data."""

from typing import Any

import numpy as np
import pytest
from beyond_game import play
from theorem_games import Theorem, worst_share

import agents
import learners
from strategic_env import StrategicClassificationEnv

BALANCED = [([-0.5, 1.0], 1), ([1.0, -0.5], 1), ([0.5, -1.0], -1), ([-1.0, 0.5], -1)]  # w* = (2, 2)


def game(points: list[Any], alpha: float, rounds: int) -> Any:
    population = agents.FixedSequence(points, points)
    return StrategicClassificationEnv(population, agents.WeightedL1Cost(alpha), horizon=rounds)


@pytest.mark.parametrize("bias", [False, True])
def test_no_stream_exceeds_the_scale_free_bound(bias: bool) -> None:
    kind: Any = learners.BiasedL1 if bias else learners.StrategicPerceptronL1
    theorem = Theorem(
        agents.WeightedL1Cost,
        lambda alpha, radius: kind(alpha, radius, scale_free=True),
        lambda R, a, w2, b2: 1.5625 * (R.max() + bias + a) ** 2 * (w2 + b2),
        nonnegative=True,
        biased=bias,
    )
    rng = np.random.default_rng(11)
    for dim, ratio in ((1, 0.5), (2, 0.0), (3, 5.0), (6, 1.0), (10, 50.0)):
        worst_share(theorem, rng, dim, ratio, 8)


def test_a_scale_free_step_does_not_depend_on_the_unit() -> None:
    counts: dict[bool, list[int]] = {False: [], True: []}
    for scale in (1.0, 2.0**-4, 2.0**-8):
        points = [([scale * value for value in z], y) for z, y in BALANCED]
        for scale_free in counts:
            learner = learners.StrategicPerceptronL1(0.3 * scale, 1.5 * scale, scale_free=scale_free)
            rounds = play(learner, game(points, 0.3 * scale, 6000), 6000)
            counts[scale_free].append(sum(bool(seen.info["mistake"]) for seen in rounds))
    assert len(set(counts[True])) == 1 and counts[True][0] < 20
    assert counts[False][2] > 10 * counts[False][0]


def test_the_bounds_of_the_learners() -> None:
    truth = learners.Truth("l1", 2, 1.0, 0.1, 0.0, (0.3, 0.3), True)
    free = learners.StrategicPerceptronL1(0.3, 1.0, scale_free=True)
    assert free.bound(truth) == pytest.approx(1.5625 * 13**2) and free.bound(truth, printed=True) is None
    biased = learners.BiasedL1(0.3, 1.0, scale_free=True).bound(truth._replace(intercept=0.2))
    assert biased == pytest.approx(1.5625 * 2.3**2 * (100 + 4))


@pytest.mark.parametrize("kind", [learners.StrategicPerceptronL1, learners.BiasedL1])
def test_the_certificate_knows_the_step(kind: Any) -> None:
    learner = kind(0.3, 1.2, scale_free=True)
    truth = learners.Truth("l1", 2, np.sqrt(1.25), 0.5 / np.sqrt(2), 0.0, (0.3, 0.3), True)
    certificate = learners.Certificate(learner, [1.0, 1.0, 0.0], truth)
    for t, seen in enumerate(play(learner, game(BALANCED, 0.3, 200), 200)):
        told = {"prediction": [seen.prediction], "label": [seen.label], "round": [t + 1]}
        observation = {"features": seen.x, "classifier": seen.classifier} | told
        certificate.check(observation, seen.info["true_features"], seen.state)
    certificate.raise_if_violated()
