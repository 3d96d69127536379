"""The algorithms as printed fail where the print is wrong, and the resolved ones hold on the same streams."""

from typing import Any

import numpy as np
import pytest
from golden import GOLDEN

from agents import FixedSequence, L2Cost, WeightedL1Cost
from learners import BiasedL1, BiasedL2, Learner, StrategicPerceptronL1, bounds
from learners.strategic.passes import sweep
from strategic_env import StrategicClassificationEnv

EXAMPLE_2, LABELS = np.array([[-1.0, 0.0], [1.0, 0.0], [0.5, 0.0]]), [-1, 1, -1]


def mistakes(learner: Learner[Any], rounds: int) -> tuple[int, int]:
    """Mistakes in the first half and in all rounds, against two individuals who take turns: (9, 13) separates them."""
    individuals = FixedSequence([], [([1.0, 0.0], 1), ([0.3, -0.9], -1)])
    env = StrategicClassificationEnv(individuals, WeightedL1Cost([0.1, 0.0]), horizon=rounds)
    observation, _ = env.reset(seed=0)
    state, count, first_half = None, 0, 0
    for t in range(rounds):
        action, state = learner.predict(observation, state)
        observation, _, _, _, info = env.step(action)
        count += info["mistake"]
        first_half = count if t == rounds // 2 else first_half
    return first_half, count


def test_correcting_and_breaking_ties_in_every_round_breaks_theorem_2() -> None:
    """Erratum E1: the tie-break drifts along the first axis in every round, mistakes never end, and pass the bound."""
    bound = bounds.strategic_l1(1.0, 9.0 / 250.0**0.5, 0.1, 2)
    first_half, printed = mistakes(StrategicPerceptronL1([0.1, 0.0], 1.0, literal=True), 10_000)
    assert printed > 2 * bound and printed > first_half
    first_half, resolved = mistakes(StrategicPerceptronL1([0.1, 0.0], 1.0), 10_000)
    assert resolved <= bound and resolved == first_half


def test_correcting_the_fake_coordinate_loops_for_ever() -> None:
    """Erratum E2: Example 2 has a negative intercept, which the correction clips."""
    golden = GOLDEN["example2_alg3_fake_coordinate_literal"]
    printed = sweep(
        BiasedL1([0.5, 0.0], 1.0, literal=True), EXAMPLE_2, LABELS, WeightedL1Cost([0.5, 0.0]), limit=golden["sweeps"]
    )
    assert (printed.updates, printed.sweeps, printed.clean) == (golden["mistakes"], golden["sweeps"], False)
    found = [*printed.state.weights[0], printed.state.intercept[0]]
    assert found == pytest.approx(golden["w"], rel=1e-9, abs=1e-9)
    assert sweep(BiasedL1([0.5, 0.0], 1.0), EXAMPLE_2, LABELS, WeightedL1Cost([0.5, 0.0])).clean


def test_a_step_without_a_unit_breaks_theorem_4_on_small_data() -> None:
    """Erratum E3: the same data in units a hundred times larger."""
    scale = 0.01
    bound = bounds.biased_l2(scale, scale / 4, scale / 2, printed=True)
    assert bound == pytest.approx(6400)
    cost = L2Cost(scale / 2)
    printed = sweep(BiasedL2(scale / 2, scale, scale / 4, literal=True), scale * EXAMPLE_2, LABELS, cost, limit=4000)
    assert not printed.clean and printed.updates > bound
    resolved = sweep(BiasedL2(scale / 2, scale, scale / 4), scale * EXAMPLE_2, LABELS, cost)
    assert resolved.clean and resolved.updates <= bound


def test_the_scale_free_step_does_not_care_about_units() -> None:
    """Erratum E11: the printed step swamps small data."""
    rng = np.random.default_rng(3)
    points = rng.uniform(-1, 1, (12, 2))
    points = points[np.abs(points @ [1.0, 2.0]) > 0.4]
    labels = np.sign(points @ [1.0, 2.0])
    radius = float(np.linalg.norm(points, axis=1).max())
    counts: dict[bool, list[int]] = {True: [], False: []}
    for scale in (1.0, 0.1, 0.01):
        for free, found in counts.items():
            learner = StrategicPerceptronL1([0.2 * scale, 0.2 * scale], radius * scale, scale_free=free)
            result = sweep(learner, scale * points, labels, WeightedL1Cost([0.2 * scale, 0.2 * scale]), limit=20_000)
            assert result.clean
            found.append(result.updates)
    assert len(set(counts[True])) == 1
    assert counts[False][2] > 5 * counts[False][0]
