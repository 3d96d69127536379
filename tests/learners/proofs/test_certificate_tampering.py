"""The certificate notices every change of a state, an observation or a truth that is not the learner's own doing."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from certificate_games import Array, Game, Pool
from certified_learners import LEARNER

from agents import L2Cost, WeightedL1Cost
from learners import (
    Certificate,
    Truth,
)

NORMAL = np.array([0.6, 0.8])


def people(offset: float, seed: int = 0) -> tuple[Array, Array, float]:
    """Twenty points of the unit ball, a third of it apart from a line; labels and margin."""
    rng = np.random.default_rng(seed)
    z = rng.uniform(-0.7, 0.7, (400, 2))
    values = z @ NORMAL + offset
    z = np.ascontiguousarray(z[abs(values) > 0.3][:20])
    return z, np.sign(z @ NORMAL + offset), float(abs(z @ NORMAL + offset).min())


LEARNERS = tuple(LEARNER)


def game(name: str, certificate: type[Certificate] = Certificate) -> Game:
    """Begin the game of one of the learners whose proof is known, told what is true."""
    offset = 0.1 if name in ("BiasedL1", "BiasedL2") else 0.0
    z, labels, margin = people(offset)
    radius = float(np.linalg.norm(z, axis=1).max())
    reaches = {"Perceptron": (0.0,), "MarginPerceptron": (0.0,), "UnknownCostL1Single": (0.3, 0.0)}
    learner = LEARNER[name](radius, margin)
    alpha = reaches.get(name, (0.3, 0.2) if learner.cost == "l1" else (0.3,))
    truth = Truth(learner.cost or "l2", 2, radius, margin, offset, alpha, True)
    truth = truth._replace(improvement=(1.0, 1.0) if name == "ImprovingPerceptron" else None)
    pool = Pool(z, labels, np.append(NORMAL, offset), truth)
    cost = WeightedL1Cost(alpha) if learner.cost == "l1" else L2Cost(alpha[0])
    return Game(learner, pool, cost, certificate=certificate)


class Tampering(Certificate):
    """Looks at a doctored copy of what it is shown, from a round on that is no mistake."""

    doctor: Callable[[Any, Any], None]

    def check(self, observation: Any, true_features: Any, state: Any) -> None:
        shown = {key: np.array(value, dtype=np.float64) for key, value in observation.items()}
        copied = state._make(field.copy() for field in state)
        self.doctor(shown, copied)
        super().check(shown, true_features, copied)


def nothing(shown: Any, state: Any) -> None:
    """Change nothing."""


def play(name: str, doctor: Callable[[Any, Any], None], rounds: int = 25) -> Certificate:
    """Play a game, of which the certificate sees the last rounds doctored."""
    played = game(name, Tampering)
    assert isinstance(played.certificate, Tampering)
    rng = np.random.default_rng(1)
    played.certificate.doctor = nothing
    for _ in range(rounds):
        wrong = next(played.wrong(), None)
        played.play(int(rng.integers(20)) if wrong is None or rng.random() < 0.5 else wrong)
    played.certificate.raise_if_violated()
    played.certificate.doctor = doctor
    for member in range(20):
        if not played.certificate.violation:
            played.play(member)
    return played.certificate


def changes(value: Any) -> dict[str, Callable[[Any], Any]]:
    """Return what may be done to a field, by its name."""
    if value.dtype == np.bool_:
        return {"other": lambda old: ~old}
    if value.dtype == np.int64:
        return {"one more": lambda old: old + 1, "one less": lambda old: old - 1, "a million": lambda old: old + 10**6}
    return {
        "halved": lambda old: np.where(np.isfinite(old) & (old != 0.0), old / 2.0, 0.4),
        "tripled": lambda old: np.where(np.isfinite(old) & (old != 0.0), old * 3.0, 0.7),
        "a little more": lambda old: np.where(np.isfinite(old), old + 1e-3, 0.3),
        "negative": lambda old: -1.0 - np.where(np.isfinite(old), abs(old), 0.0),
        "not a number": lambda old: old * np.nan,
        "huge": lambda old: np.where(np.isfinite(old), old + 1e300, 1e300),
        "infinite": lambda old: np.where(np.isfinite(old), np.inf, -old),
    }


FIELDS = [(name, field) for name in LEARNERS for field in LEARNER[name](1.0, 0.3).state_class._fields]


@pytest.mark.parametrize("name", LEARNERS)
def test_honest_games_pass(name: str) -> None:
    assert play(name, nothing).violation is None


@pytest.mark.parametrize(("name", "field"), FIELDS)
def test_a_change_of_any_field_of_a_state_is_a_violation(name: str, field: str) -> None:
    """No field is exempt: whatever a state holds decides about what is published, learned or given up later."""
    for change, doctored in changes(getattr(LEARNER[name](1.0, 0.3).initial_state(1, 2), field)).items():

        def tamper(shown: Any, state: Any, doctored: Any = doctored) -> None:
            getattr(state, field)[:] = doctored(getattr(state, field))

        certificate = play(name, tamper)
        assert certificate.violation is not None, change
        with pytest.raises(AssertionError, match=r"^invariant \d+ [a-z ]+ fails in round \d+: "):
            certificate.raise_if_violated()


def flipped(shown: Any, state: Any) -> None:
    shown["prediction"] *= -1.0


def relabelled(shown: Any, state: Any) -> None:
    shown["label"] *= -1.0


def republished(shown: Any, state: Any) -> None:
    shown["classifier"][0] += 0.25


def raised(shown: Any, state: Any) -> None:
    shown["classifier"][-1] -= 0.125


def moved(shown: Any, state: Any) -> None:
    shown["features"] += 0.25


@pytest.mark.parametrize("doctor", [flipped, relabelled, republished, raised, moved])
@pytest.mark.parametrize("name", LEARNERS)
def test_an_observation_that_contradicts_the_game_is_a_violation(name: str, doctor: Any) -> None:
    assert play(name, doctor).violation is not None


@pytest.mark.parametrize(("more", "flaw"), [(1, None), (2, "16 counters")])
def test_a_guess_that_is_given_up_is_counted_once(more: int, flaw: str | None) -> None:
    """Too large a guess may be given up early: no bound suffers."""

    def give_up(shown: Any, state: Any) -> None:
        for name, value in {"low": 0.0, "high": np.inf, "estimate": 0.0, "phases": 1}.items():
            getattr(state, name)[:] = value
        for name in ("weights", "phase_mistakes", "guess_mistakes"):
            getattr(state, name)[:] = 0
        state.margin[:] /= 2.0
        state.guesses[:] += more

    played = game("UnknownMarginL2", Tampering)
    assert isinstance(played.certificate, Tampering)
    played.certificate.doctor = give_up
    played.play(0)
    violation = played.certificate.violation
    assert (violation and violation.invariant) == flaw
