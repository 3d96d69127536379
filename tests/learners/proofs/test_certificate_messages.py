"""The certificate says in words what fails and what was checked, and raises no alarm because of a unit or an origin."""

from typing import Any

import numpy as np
import pytest
from certificate_games import Game, Pool

from agents import L2Cost, WeightedL1Cost
from learners import BiasedL1, BiasedL2, Perceptron, StrategicPerceptronL1, Truth, UnknownCostL1Single, UnknownCostL2
from learners.proofs.certificate import PROOFS, Certificate, explained
from learners.proofs.invariants import MEANINGS

PAIR = np.array([[1.0, 0.0], [-1.0, 0.0]])
AXIS, SIGNS = np.array([1.0, 0.0, 0.0]), np.array([1.0, -1.0])


def test_individuals_far_from_the_origin_are_no_violation() -> None:
    """Around a guessed origin p, numbers as large as p are rounded."""
    rng, normal = np.random.default_rng(0), np.array([0.6, 0.8])
    for size in np.geomspace(10.0, 100.0, 20):
        shift = size * np.array([1.0, 2.0])
        z = rng.uniform(-1.0, 1.0, (20, 2))
        labels = np.sign(z @ normal)
        z += 0.2 * labels[:, None] * normal
        margin = float((labels * (z @ normal)).min())
        z += shift
        truth = Truth("l2", 2, float(np.linalg.norm(z, axis=1).max()), margin, float(-shift @ normal), (0.5,), True)
        pool = Pool(z, labels, np.append(normal, -shift @ normal), truth)
        game = Game(BiasedL2(0.5, truth.radius, margin), pool, L2Cost(0.5))
        game.finish(rng, greedy=False, rounds=200).raise_if_violated()


@pytest.mark.parametrize("learner", ["perceptron", "biased-l1"])
def test_the_fake_coordinate_does_not_take_the_unit_for_a_violation(learner: str) -> None:
    """The fake 1 is rounded, too, where features are a million times smaller."""
    rng, radius = np.random.default_rng(1), 1e-6
    angles = rng.uniform(0.1, 1.4, 40)
    z = radius * np.column_stack([np.cos(angles), np.sin(angles)])
    labels = np.where(np.arange(40) % 2, 1.0, -1.0)
    z *= labels[:, None]
    separator, margin = np.array([1.0, 1.0, 0.0]), float(np.abs(z.sum(axis=1)).min() / np.sqrt(2.0))
    l1 = learner == "biased-l1"
    largest = float(np.linalg.norm(z, axis=1).max())
    truth = Truth("l1" if l1 else "l2", 2, largest, margin, 0.0, (0.0, 0.0) if l1 else (0.0,), True)
    player: Any = BiasedL1(0.0, largest) if l1 else Perceptron(bias=True)
    game = Game(player, Pool(z, labels, separator, truth), WeightedL1Cost(0.0) if l1 else L2Cost(0.0))
    game.finish(rng, greedy=False, rounds=200).raise_if_violated()


def test_a_radius_that_is_told_too_small_is_noticed_for_l1_costs() -> None:
    truth = Truth("l1", 2, 1.0, 1.0, 0.0, (0.3, 0.3), True)
    game = Game(StrategicPerceptronL1(0.3, 0.5), Pool(PAIR, SIGNS, AXIS, truth), WeightedL1Cost([0.3, 0.3]))
    game.play(0)
    violation = game.certificate.violation
    assert violation is not None and violation.invariant == "0 told" and violation.details["R as told"] == 0.5
    with pytest.raises(AssertionError, match=r"R as told is not too small.*\(R: the largest norm of true points"):
        game.certificate.raise_if_violated()


def test_a_run_says_what_was_checked() -> None:
    truth = Truth("l2", 2, 1.0, 1.0, 0.0, (0.0,), True)
    game = Game(Perceptron(), Pool(PAIR, SIGNS, AXIS, truth), L2Cost(0.0))
    for member in (1, 0, 1):
        game.play(member)
    assert game.certificate.checked["0 separable"] == 6 and game.certificate.checked["18 progress"] == 1
    summary = game.certificate.summary().splitlines()
    assert summary[0] == "3 rounds, 1 mistakes"
    assert "18 progress, 1 times: Lemma 1: w* separates surrogate points" in "\n".join(summary)


def test_every_invariant_is_one_sentence_and_its_terms_are_explained() -> None:
    invariants = {rule for proof in PROOFS.values() for _, rule in proof.rounds + proof.mistakes}
    texts = [(rule.__doc__ or "").partition("\n")[0] for rule in invariants]
    assert all(text.endswith(".") for text in texts)
    assert {term for term in MEANINGS if any(f"{term}: " in explained(text) for text in texts)} == set(MEANINGS) - {
        "z", "w_new", "lambda", "movers"
    }  # fmt: skip
    assert explained("|x - pull| of z").count(":") == 3


def test_ratios_beyond_float64_are_no_error() -> None:
    truth = Truth("l2", 2, 1e100, 1e-100, 0.0, (0.3,), True)
    Certificate(UnknownCostL2(1e100, 1e-100), AXIS, truth)


def test_a_direction_that_is_no_coordinate_is_refused() -> None:
    class Astray(UnknownCostL1Single):
        def initial_state(self, games: int, dim: int) -> Any:
            return super().initial_state(games, dim)._replace(direction=np.full(games, 7))

    truth = Truth("l1", 2, 1.0, 0.1, 0.0, (0.3, 0.3), True)
    with pytest.raises(ValueError, match=r"^state.direction must be one of 2 coordinates, got 7$"):
        Certificate(Astray(1.0, 0.1, 0), AXIS, truth)
