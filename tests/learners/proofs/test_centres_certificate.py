"""Certificates of centre learners: honest runs pass under any labels, broken states and wrong rules do not."""

import copy
from typing import Any

import numpy as np
import pytest
from wrong_labels import hidden_centres, unit_rows

from learners import CentresCertificate, DensityCentres, KCentres, SecondOrderCentres

LEARNERS = [
    DensityCentres(2, "disc", capped=False),
    DensityCentres(3, "particle", particles=400),
    DensityCentres(3),
    SecondOrderCentres(3),
]


def certified(learner: Any, rounds: int, harm: Any = None, lies: float = 0.2) -> CentresCertificate:
    """Return the certificate of a run whose labels lie now and then; ``harm`` may damage the state in each round."""
    rng = np.random.default_rng(0)
    centres = hidden_centres(rng, learner.classes, 2)
    certificate, state = CentresCertificate(learner, centres), None
    told, action = np.full(learner.classes, -1.0), -1.0
    for t in range(rounds):
        query = unit_rows(rng, 1, 2)[0] * rng.uniform(0.1, 1.0)
        seen = {"features": query, "feedback": told, "action": [action], "round": [float(t)]}
        played, state = learner.predict(seen, state)
        if harm is not None:
            harm(state)
        certificate.check(seen, state)
        label = int(rng.integers(0, learner.classes)) if rng.random() < lies else int(np.argmax(centres @ query))
        told, action = np.eye(learner.classes)[label], float(played)
    return certificate


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_honest_runs_pass_however_many_labels_are_wrong(learner: Any) -> None:
    for lies in (0.0, 0.2, 1.0):
        certificate = certified(learner, 150, lies=lies)
        certificate.raise_if_violated()
        assert certificate.checked["loss"] == 149 and certificate.loss > 0.0
        assert (certificate.wrong > 0.0) == (lies > 0.0)
        kinds = {"disc": 4, "particle": 4, "gauss": 1}.get(getattr(learner, "body", ""), 2)
        assert len(certificate.checked) == kinds


def test_a_density_that_forgets_its_centroid_is_found_out() -> None:
    def harm(state: Any) -> None:
        state.weights[...] = -state.weights  # it plays the farthest centre

    certificate = certified(DensityCentres(2, "disc", capped=False), 150, harm)
    assert certificate.violation is not None and "factor's mean" in certificate.violation.invariant
    with pytest.raises(AssertionError, match="the proof fails in round [0-9]+: logarithm of a factor's mean"):
        certificate.raise_if_violated()


def test_a_second_order_rule_that_plays_the_farthest_centre_is_found_out() -> None:
    def harm(state: Any) -> None:
        state.weights[...] = -state.weights

    certificate = certified(SecondOrderCentres(2), 1500, harm, lies=0.0)
    assert certificate.violation is not None and "A^-1" in certificate.violation.invariant


def test_what_no_proof_is_known_for_is_refused() -> None:
    learner = DensityCentres(2, similarity="euclidean")
    for other in (learner, KCentres(2), None):
        with pytest.raises(TypeError, match="learner must be one for inner products whose proof is known"):
            CentresCertificate(other, np.zeros((2, 2)))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="centres must have shape"):
        CentresCertificate(DensityCentres(3), np.zeros((2, 2)))
    certificate = CentresCertificate(DensityCentres(2), np.eye(2))
    seen = {"features": [1.0, 0.0], "feedback": [-1, -1], "action": [-1], "round": [0]}
    _, state = SecondOrderCentres(2).predict(seen)
    with pytest.raises(TypeError, match="state must be a DensityCentresState"):
        certificate.check(seen, copy.deepcopy(state))
