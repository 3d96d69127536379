"""Certificates of knowledge sets: honest runs pass on random and hard streams; damage and wrong rules do not."""

from typing import Any

import numpy as np
import pytest
from wrong_labels import hardest, hidden_centres, unit_rows

from learners import DensityCentres, KCentres, KnowledgeCertificate, TwoCentres
from learners.proofs.knowledge import FALLS, LOSS, OUTSIDE, PAID

LEARNERS = [TwoCentres(2), KCentres(3, exponent=0.5), KCentres(4), KCentres(3, "exact"), TwoCentres(2, "exact")]


def certified(learner: Any, dim: int, rounds: int, hard: bool, harm: Any = None, lies: float = 0.0) -> Any:
    """Return the certificate of a run; ``hard``: leads shrink to nothing, or queries are those that cost most."""
    rng = np.random.default_rng(dim)
    centres = hidden_centres(rng, learner.classes, dim)
    certificate, state = KnowledgeCertificate(learner, centres), None
    told, action = np.full(learner.classes, -1.0), -1.0
    for t in range(rounds):
        query = unit_rows(rng, 1, dim)[0]
        if hard:
            query = hardest(unit_rows(rng, 20, dim), centres, rng.standard_normal(centres.shape))
            across = centres[0] - centres[1]
            if t % 2:  # next to the boundary of two centres
                query -= (query @ across - 10.0 ** rng.uniform(-5.0, -1.0)) / (across @ across) * across
                query /= max(1.0, float(np.linalg.norm(query)))
        seen = {"features": query, "feedback": told, "action": [action], "round": [float(t)]}
        played, state = learner.predict(seen, state)
        if harm is not None:
            harm(state)
        certificate.check(seen, state)
        label = int(np.argmax(centres @ query))
        if rng.random() < lies:
            label = (label + 1) % learner.classes
        told, action = np.eye(learner.classes)[label], float(played)
    return certificate


@pytest.mark.parametrize("hard", [False, True])
@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_honest_runs_pass(learner: Any, hard: bool) -> None:
    rounds = 25 if learner.engine == "exact" else 150
    certificate = certified(learner, 2, rounds, hard)
    certificate.raise_if_violated()
    assert certificate.checked == {OUTSIDE: rounds, FALLS: rounds, PAID: rounds, LOSS: rounds - 1}
    assert certificate.loss > 0.0 and not certificate.void


def test_knowledge_that_nobody_had_is_found_out() -> None:
    def harm(state: Any) -> None:
        state.factors[...] *= 0.7  # it believes to know more than it does

    certificate = certified(TwoCentres(2), 3, 150, False, harm)
    assert certificate.violation is not None and certificate.violation.invariant == OUTSIDE
    with pytest.raises(AssertionError, match="the proof fails in round [0-9]+: how far a pair's true value lies"):
        certificate.raise_if_violated()


def test_a_learner_that_names_what_nobody_pays_for_is_found_out() -> None:
    def harm(state: Any) -> None:
        state.probabilities[0] = np.eye(3)[int(np.argmin(state.scores[0]))]

    certificate = certified(KCentres(3), 3, 150, False, harm)
    assert certificate.violation is not None and certificate.violation.invariant == PAID


def test_a_learner_that_learns_nothing_exceeds_its_bound() -> None:
    learner, query = TwoCentres(2), np.array([1.0, 0.0])
    certificate, told = KnowledgeCertificate(learner, [[0.9, 0.0], [-0.9, 0.0]]), [-1.0, -1.0]
    for t in range(3):
        seen = {"features": query, "feedback": told, "action": [1.0], "round": [float(t)]}
        _, state = learner.predict(seen)  # with a state that knows nothing
        state.probabilities[0] = 0.0, 1.0
        certificate._look_ahead = lambda state: None
        certificate.check(seen, state)
        told = [1.0, 0.0]
    assert certificate.violation is not None and certificate.violation.invariant == LOSS


def test_nothing_is_claimed_after_a_false_label() -> None:
    certificate = certified(KCentres(3), 2, 150, False, lies=0.3)
    certificate.raise_if_violated()
    assert certificate.void and 0 < certificate.checked[OUTSIDE] < 150


def test_what_no_proof_is_known_for_is_refused() -> None:
    refused = [
        DensityCentres(2),
        KCentres(2, "sampled"),
        KCentres(2, updates="paper"),
        KCentres(2, similarity="euclidean"),
    ]
    for other in (*refused, None):
        with pytest.raises(TypeError, match="learner must be a KCentres for inner products"):
            KnowledgeCertificate(other, np.zeros((2, 2)))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="centres must have shape"):
        KnowledgeCertificate(KCentres(3), np.zeros((2, 2)))
    with pytest.raises(ValueError, match="centres must lie in the unit ball"):
        KnowledgeCertificate(KCentres(2), 2.0 * np.eye(2))
