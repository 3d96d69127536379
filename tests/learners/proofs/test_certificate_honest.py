"""The certificate is silent on honest games, whatever their unit or rounding, and refuses what does not fit."""

from typing import Any

import numpy as np
import pytest
from certificate_games import KINDS, SEARCHES, Game, Pool, draw_pool
from certified_learners import LEARNER
from hypothesis import given, settings
from hypothesis import strategies as st

from agents import L2Cost
from learners import (
    BiasedL1,
    BiasedL2,
    Certificate,
    MarginPerceptron,
    Perceptron,
    StrategicPerceptronL1,
    StrategicPerceptronL2,
    Truth,
    margins,
)

EVERY = KINDS | SEARCHES


class Rounded(Game):
    """What is published and reported goes through float32, and arrives in float64 or float32."""

    dtype: Any = np.float64

    def answer(self, member: int) -> Any:
        self.action = self.action.astype(np.float32).astype(np.float64)
        accepted, report = super().answer(member)
        return accepted, report.astype(np.float32).astype(self.dtype)


class Single(Rounded):
    dtype = np.float32


def scaled(pool: Pool, unit: float) -> Pool:
    """The same people measured in another unit."""
    truth = pool.truth._replace(
        radius=unit * pool.truth.radius, margin=unit * pool.truth.margin, intercept=unit * pool.truth.intercept,
        alpha=tuple(unit * reach for reach in pool.truth.alpha),
    )  # fmt: skip
    separator = np.append(pool.separator[:-1], unit * pool.separator[-1])
    return pool._replace(z=unit * pool.z, separator=separator, truth=truth)


@settings(max_examples=60)
@given(
    name=st.sampled_from([name for name in EVERY if not EVERY[name].differ]),
    seed=st.integers(0, 2**32 - 1),
    dim=st.integers(1, 8),
    ratio=st.sampled_from([0.0, 0.01, 0.3, 1.0, 5.0]),
    kind=st.sampled_from(["ball", "integers"]),
    power=st.integers(-80, 80),
    greedy=st.booleans(),
    form=st.sampled_from([Game, Rounded, Single]),
)
def test_no_alarm_in_an_honest_game(
    name: str, seed: int, dim: int, ratio: float, kind: str, power: int, greedy: bool, form: type[Game]
) -> None:
    chosen, rng = EVERY[name], np.random.default_rng(seed)
    if form is not Game:
        power //= 4  # the range of float32
    ratio = min(ratio, 1.0) if "Unknown" in name else ratio
    pool = draw_pool(rng, kind, dim, ratio, chosen.nonnegative, chosen.biased, chosen.least)
    pool = scaled(pool, 10.0**power)
    alpha = pool.truth.alpha[0] * rng.choice([0.0, 0.5, 1.0, 1.0], dim)
    alpha[0] = pool.truth.alpha[0]
    cost = chosen.cost(alpha)
    truth = chosen.truth_of(pool.truth, cost)
    form(chosen.learner(alpha, truth), pool._replace(truth=truth), cost).finish(rng, greedy, 100).raise_if_violated()


def test_numbers_that_all_fit_float32_are_judged_with_its_tolerance_as_the_learner_does() -> None:
    """Reported: '2 wrong side' of two points a learner rightly takes for movers, whatever their dtype."""
    z, labels = np.array([[-1.0, 0.0], [0.5 + 2.0**-20, -1.0]]), -np.ones(2)
    best = margins.max_margin(z, labels, bias=False)
    assert best is not None
    truth = Truth("l2", 2, margins.radius(z), margins.margin(best[:-1], 0.0, z, labels), 0.0, (0.5,), False)
    game = Game(StrategicPerceptronL2(0.5), Pool(z, labels, best, truth), L2Cost(0.5))
    for member in (0, 1, 1):
        game.play(member)
    game.certificate.raise_if_violated()
    assert game.mistakes > 1 and game.certificate.checked["2 wrong side"] == game.mistakes


AXIS, TILTED = np.array([1.0, 0.0, 0.0]), np.array([1.0, 0.0, -0.2])
L2_TRUTH = Truth("l2", 2, 1.0, 0.1, 0.0, (0.3,), False)
L1_TRUTH = L2_TRUTH._replace(cost="l1", alpha=(0.3, 0.3), nonnegative=True)


@pytest.mark.parametrize(
    ("learner", "separator", "truth", "message"),
    [
        (BiasedL1(0.3, 1.0), TILTED, L1_TRUTH, "separator must have the truth's intercept 0.0 .*, got -0.2"),
        (BiasedL2(0.3, 1.0, 0.1), AXIS, L2_TRUTH._replace(intercept=0.2), "separator must have the truth's intercept"),
        (StrategicPerceptronL2(0.3), TILTED, L2_TRUTH._replace(intercept=-0.2), "learner must learn an intercept"),
        (StrategicPerceptronL1(0.3, 1.0), TILTED, L1_TRUTH._replace(intercept=-0.2), "learner must learn an intercept"),
        (Perceptron(), TILTED, L2_TRUTH._replace(intercept=-0.2), "learner must learn an intercept"),
        (Perceptron(), AXIS[:-1], L2_TRUTH, "separator must have shape"),
        (StrategicPerceptronL2(0.3), AXIS, L1_TRUTH, "learner must be made for l1 costs"),
        (StrategicPerceptronL1([0.3, 0.3, 0.3], 1.0), AXIS, L1_TRUTH, "alpha has 3 coordinates"),
        (MarginPerceptron(), AXIS, L2_TRUTH._replace(margin=2.0), "truth.margin must be at most"),
        (MarginPerceptron(), AXIS, L2_TRUTH._replace(margin=float("nan")), "truth.margin must be finite"),
        (MarginPerceptron(), AXIS, L2_TRUTH._replace(margin=0.0), "truth.margin must be greater than 0"),
        (MarginPerceptron(), AXIS, L2_TRUTH._replace(radius=-1.0), "truth.radius must be at least 0"),
        (MarginPerceptron(), AXIS, L2_TRUTH._replace(cost="l3"), "truth.cost must be"),
        (MarginPerceptron(), AXIS, L2_TRUTH._replace(alpha=(0.3, 0.3)), "truth.alpha must have shape"),
        (MarginPerceptron(), AXIS, L2_TRUTH._replace(alpha=(-0.3,)), "truth.alpha must be at least 0"),
        (MarginPerceptron(), AXIS, L2_TRUTH._replace(alpha_min=(0.4,)), "at least truth.alpha_min"),
        (MarginPerceptron(), AXIS, L1_TRUTH._replace(alpha=(0.3,)), "truth.alpha must have shape"),
    ],
)
def test_learner_separator_and_truth_must_agree(learner: Any, separator: Any, truth: Truth, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Certificate(learner, separator, truth)


def test_a_truth_is_a_truth() -> None:
    with pytest.raises(TypeError, match="truth must be a Truth"):
        Certificate(Perceptron(), AXIS, tuple(L2_TRUTH))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", LEARNER)
def test_a_state_of_another_kind_is_one_clear_error(name: str) -> None:
    game = Game(StrategicPerceptronL2(0.3), Pool(np.eye(2), np.ones(2), AXIS, L2_TRUTH), L2Cost(0.3))
    other = LEARNER[name](1.0, 0.3).initial_state(1, 2)
    if name == "StrategicPerceptronL2":
        other = LEARNER[name](1.0, 0.3).initial_state(1, 3)
    flat = np.zeros(8)
    flat[-3:] = 1.0
    with pytest.raises((TypeError, ValueError), match=r"^state must (be a|hold)"):
        game.certificate.check(flat, np.zeros(2), other)
