"""Learners around learners under their certificate: honest games, doctored ones, what does not fit."""

from typing import Any

import numpy as np
import pytest
from certificate_games import draw_pool

from agents import L2Cost
from agents.costs import respond
from learners import (
    Certificate,
    EchoChecking,
    Patient,
    StrategicMaxMargin,
    StrategicPerceptronL2,
    Truth,
    WrappedCertificate,
)
from strategic_env import scenario
from strategic_env.bench.contestants import contestant


class WrappedGame:
    """One game of people who lag, or whose learner is told late."""

    def __init__(self, learner: Any, seed: int, lag: int = 0, delay: int = 0, dim: int = 3) -> None:
        self.rng = np.random.default_rng(seed)
        self.pool = draw_pool(self.rng, "ball", dim, 0.5, False, False)
        truth = self.pool.truth._replace(response="lagged" if lag else "best", lag=lag, delay=delay)
        self.learner, self.lag, self.delay = learner(truth.alpha[0]), lag, delay
        self.cost, self.dim = L2Cost(truth.alpha[0]), dim
        self.certificate = WrappedCertificate(self.learner, self.pool.separator, truth)
        zeros = {"prediction": [0.0], "label": [0.0], "round": [0.0]}
        nothing = {"features": np.zeros(dim), "classifier": np.zeros(dim + 1)} | zeros
        action, self.state = self.learner.predict(nothing)
        self.published, self.seen = [action], []
        self.doctor: Any = None

    def play(self, rounds: int) -> WrappedCertificate:
        for number in range(1, rounds + 1):
            member, report = int(self.rng.integers(len(self.pool.z))), np.empty(self.dim)
            z, current = self.pool.z[member], self.published[-1]
            respond(
                2, self.published[max(0, len(self.published) - 1 - self.lag)], z, self.cost.budgets(self.dim)[0], report
            )
            accepted, _, _ = respond(2, current, report, np.zeros(1), np.empty(self.dim))
            accepted |= bool(report @ current[:-1] + current[-1] >= -1e-12 * np.linalg.norm(current[:-1]))
            seen = {"features": report, "prediction": [1.0 if accepted else -1.0], "label": [self.pool.labels[member]]}
            self.seen.append((seen | {"classifier": current, "round": [float(number)]}, z))
            if len(self.seen) > self.delay:
                shown, true = self.seen.pop(0)
                action, self.state = self.learner.predict(shown, self.state)
                if self.doctor is not None:
                    self.doctor(self.state)
                self.certificate.check(shown, true, self.state)
            self.published.append(action if len(self.published) + 1 > self.delay + 1 else current)
        return self.certificate


HONEST: dict[str, tuple[Any, dict[str, int]]] = {
    "patient": (lambda alpha: Patient(StrategicPerceptronL2(alpha), rounds=2), {"lag": 2}),
    "patient, longer than needed": (lambda alpha: Patient(StrategicPerceptronL2(alpha), rounds=3), {"lag": 1}),
    "patient, nobody lags": (lambda alpha: Patient(StrategicPerceptronL2(alpha), rounds=3), {}),
    "echo-checking": (lambda alpha: EchoChecking(StrategicPerceptronL2(alpha)), {"delay": 4}),
    "echo-checking, timely": (lambda alpha: EchoChecking(StrategicPerceptronL2(alpha)), {}),
}


@pytest.mark.parametrize("name", HONEST)
def test_honest_games_keep_every_invariant(name: str) -> None:
    learner, people = HONEST[name]
    mistakes = left_out = 0
    for seed in range(6):
        certificate = WrappedGame(learner, seed, **people).play(150)
        certificate.raise_if_violated()
        mistakes, left_out = mistakes + certificate.learned, left_out + certificate.checked["20 unchanged"]
    assert mistakes > 20 and (left_out > 20 or "timely" in name), "the games are no challenge"


def test_a_learner_that_does_not_wait_is_found_out() -> None:
    """People lag by 1, and the learner waits for no round: its surrogate points are nobody's."""

    class Hasty(Patient):
        def _beside(self, games: int, dim: int) -> dict[str, Any]:
            return super()._beside(games, dim) | {"patience": np.zeros(games, dtype=np.int64)}

    found = [
        WrappedGame(lambda alpha: Hasty(StrategicPerceptronL2(alpha), rounds=1), seed, lag=1).play(200).violation
        for seed in range(6)
    ]
    assert any(found)


def test_weights_that_change_in_a_round_left_out_are_a_violation() -> None:
    game = WrappedGame(lambda alpha: Patient(StrategicPerceptronL2(alpha), rounds=5), 0)

    def doctor(state: Any) -> None:
        if 0 < state.waiting[0] < 5:
            state.weights[0, 0] += 0.1

    game.doctor = doctor
    certificate = game.play(100)
    assert certificate.violation is not None and certificate.violation.invariant == "20 unchanged"
    with pytest.raises(AssertionError, match="invariant 20 unchanged fails in round"):
        certificate.raise_if_violated()


def test_a_learner_that_waits_for_ever_is_found_out() -> None:
    game = WrappedGame(lambda alpha: Patient(StrategicPerceptronL2(alpha), rounds=2), 0)

    def doctor(state: Any) -> None:
        state.waiting[0] = max(state.waiting[0], 1)

    game.doctor = doctor
    certificate = game.play(100)
    assert certificate.violation is not None and certificate.violation.invariant == "20 few rounds left out"


L2 = Truth("l2", 2, 1.0, 0.1, 0.0, (0.3,), False)
LAGGED = L2._replace(response="lagged", lag=2)
AXIS = [1.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("learner", "truth", "message"),
    [
        (StrategicPerceptronL2(0.3), L2, "learner must be a Patient or an EchoChecking one"),
        (Patient(StrategicMaxMargin(0.3), rounds=1), L2, "learner must be one whose proof is known"),
        (Patient(StrategicPerceptronL2(0.3), rounds=1), LAGGED, "a lag of at most 1 .*, got 2 and 0"),
        (Patient(StrategicPerceptronL2(0.3), rounds=1), L2._replace(delay=2), "a delay of at most 0"),
        (EchoChecking(StrategicPerceptronL2(0.3)), LAGGED, "a lag of at most 0"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(learner: Any, truth: Truth, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        WrappedCertificate(learner, AXIS, truth)


def test_improving_people_of_an_environment_keep_every_invariant() -> None:
    chosen = scenario("ImprovingL2", dim=3)
    env, learner = chosen.make(), contestant("improving-perceptron", chosen).learner
    observation, _ = env.reset(seed=3)
    assert env.game is not None and chosen.truth is not None and env.game.arrivals.separator is not None
    certificate = Certificate(learner, env.game.arrivals.separator, chosen.truth)  # type: ignore[arg-type]
    action, state = learner.predict(observation, None, None, True)
    for _ in range(150):
        observation, _, _, _, info = env.step(action)
        action, state = learner.predict(observation, state, None, True)
        certificate.check(observation, info["true_features"], state)  # type: ignore[arg-type]
    certificate.raise_if_violated()
    assert certificate.mistakes > 0
