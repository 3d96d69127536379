"""The certificate names what is wrong with broken learners, and accepts other implementations of healthy ones."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from certificate_games import KINDS, Array, Kind, below, biased_l2, hunt, l1, unmoved

from agents import L2Cost
from agents.boundary import on_boundary
from learners import (
    BiasedL1,
    BiasedL2,
    MarginPerceptron,
    Perceptron,
    StrategicPerceptronL1,
    StrategicPerceptronL2,
    UnknownCostL2,
)
from learners.proofs.certificate import Certificate
from learners.strategic.biased import LEARN, BiasedL2State, place_origin
from learners.strategic.unknown_cost import UnknownCostState, end_phase

EPS = 2.0**-52


def learn_l2(flaw: str, state: Any, x: Array, label: float, prediction: float, classifier: Array) -> None:
    """Algorithm 2 in plain NumPy, with a flaw."""
    if label == 0 and flaw == "guesses hidden labels":
        label = 1.0
    if label == 0 or (label == prediction and flaw != "learns every round"):
        return
    weights, alpha, direction = state.weights[0], state.alpha[0], classifier[:-1]
    length = np.linalg.norm(direction)
    if label < 0 and length > 0:
        on_plane = on_boundary(classifier, x, alpha, EPS)
        if flaw == "naive equality":
            on_plane = x @ direction / length == alpha
        if flaw == "always pulls":
            on_plane = True
        if on_plane and flaw != "no surrogate":
            x = x - (alpha / 2 if flaw == "half the pull" else alpha) * direction / length
    weights += label * x * {"double step": 2, "nearly": 1 + 1e-10}.get(flaw, 1)
    if flaw == "forgets" and label > 0:
        weights[:] = 0


def learn_l1(flaw: str, state: Any, x: Array, label: float, prediction: float, classifier: Array) -> None:
    """Algorithm 3 in plain NumPy, with a flaw."""
    weights, alpha, fake = state.weights[0], state.alpha[0], state.fake[0]
    norm = np.hypot(np.linalg.norm(weights), state.intercept[0])
    if label == 0 or (label == prediction and flaw != "corrects every round"):
        return
    if label != prediction:
        favourite = int(np.argmax(np.where(alpha > 0, alpha * classifier[:-1], -1)))
        on_plane = on_boundary(classifier, x, alpha.max(), EPS)
        if flaw == "naive equality":
            on_plane = x @ classifier[:-1] + classifier[-1] == 0
        if label < 0 and on_plane and flaw != "no surrogate":
            favourite = (favourite + 1) % len(x) if flaw == "another coordinate" else favourite
            x = x - alpha[favourite] * np.eye(len(x))[favourite]
        weights += label * x
        state.intercept[0] += label * fake
    if flaw != "no correction":
        weights[:] = np.maximum(weights, 0)
    if flaw == "corrects the fake coordinate":
        state.intercept[0] = max(state.intercept[0], 0)
    gains = np.where(alpha > 0, alpha * weights, -1)
    favourite = len(x) - 1 - int(np.argmax(gains[::-1])) if flaw == "last of ties" else int(np.argmax(gains))
    eta = 1 / (4 * norm + 8 * (state.radius[0] + fake + alpha.max()) + 2)
    eta *= {"no tie-break": 0, "double eta": 2}.get(flaw, 1)
    if flaw == "breaks ties with the fake coordinate":
        state.intercept[0] += eta
    elif alpha[favourite] > 0:
        weights[favourite] += eta


def learn_perceptron(flaw: str, state: Any, x: Array, label: float, prediction: float, classifier: Array) -> None:
    """Algorithm 1 in plain NumPy, with a flaw."""
    if label == 0 or (label == prediction and flaw != "learns every round"):
        return
    step = state.learning_rate[0] * label * (0.5 if flaw == "half the rate" else 1)
    state.weights[0] += step * x
    if flaw != "forgets the bias":
        state.intercept[0] += step * state.fake[0]


def broken(base: type, rule: Callable[..., None], flaw: str) -> Any:
    """Return a class of learners that publish like ``base`` and learn by ``rule``."""

    class Broken(base):
        def predict(self, observation: Any, state: Any = None, *_: Any) -> Any:
            if state is not None:
                label, prediction = observation["label"][0], observation["prediction"][0]
                rule(flaw, state, observation["features"], label, prediction, observation["classifier"])
            action, state = super().predict(observation | {"round": np.zeros(1)}, state)  # publishes only
            if flaw == "unraised threshold":
                action[-1] = 0.0
            return action, state

    return Broken


class Tampered:
    """Makes a class of learners with a flaw that changes the state after each round, given that before."""

    def __init__(self, base: type, flaw: Callable[[Any, Any], None]) -> None:
        self.base, self.flaw = base, flaw

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        flaw = self.flaw

        class Broken(self.base):  # type: ignore[name-defined, misc]
            def predict(self, observation: Any, state: Any = None, *_: Any) -> Any:
                before = state and state._make(field.copy() for field in state)
                action, state = super().predict(observation, state)
                if before is None:
                    return action, state
                flaw(before, state)
                return super().predict(observation | {"round": np.zeros(1)}, state)  # publishes only

        return Broken(*arguments, **options)


def impatient(before: Any, state: Any) -> None:
    """Counts every mistake twice: half the budget."""
    counter = getattr(state, "phase_mistakes", state.guess_mistakes)
    counter += (state.weights != before.weights).any() & (counter > 0)


def never_gives_up(before: Any, state: Any) -> None:
    getattr(state, "phase_mistakes", state.guess_mistakes)[:] = 0


def gives_up_early(before: Any, state: Any) -> None:
    """Gives an estimate or an origin up after two mistakes, as if it were right to."""
    if isinstance(state, BiasedL2State) and state.guess_mistakes[0] == 2:
        state.guesses[:] += 1
        place_origin(state, 0)
    elif isinstance(state, UnknownCostState) and state.phase_mistakes[0] == 2:
        end_phase(state, 0, False)


def leaves_the_segment(before: Any, state: Any) -> None:
    """Places origins a little beside the segment, from the beginning."""
    if (state.stage != before.stage).any() and state.stage[0] == LEARN:
        state.origin[0, -1] += state.margin[0] / 100.0


def halves_gamma(before: Any, state: Any) -> None:
    state.margin[:] /= 2.0


def takes_alpha_for_more(before: Any, state: Any) -> None:
    """Believes that alpha is at least .9, wherever the search stands."""
    if (state.phases != before.phases).any():
        state.low[:] = max(float(state.low[0]), 0.9)


def keeps_weights(before: Any, state: Any) -> None:
    if (getattr(state, "phases", state.guesses) != getattr(before, "phases", before.guesses)).any():
        state.weights[:] = before.weights


def ignores_the_forbidden(before: Any, state: Any) -> None:
    if (state.high != before.high).any():
        for field, old in zip(state, before, strict=True):
            field[:] = old


def forgets_hi(before: Any, state: Any) -> None:
    if (state.low != before.low).any() and np.isfinite(before.high).any():
        state.high[:] = np.inf


def takes_small_for_large(before: Any, state: Any) -> None:
    if (state.low > before.low).any():
        state.low[:], state.high[:] = before.low, before.estimate
        state.estimate[:] = (state.low + state.high) / 2


def skips_half_of_the_origins(before: Any, state: Any) -> None:
    if (state.guesses != before.guesses).any():
        state.guesses[:] += 3
        place_origin(state, 0)


def flawed_l2(flaw: str, factor: float = 1.0) -> Kind:
    return Kind(lambda alpha, truth: broken(StrategicPerceptronL2, learn_l2, flaw)(factor * alpha[0]))


def flawed_l1(flaw: str, factor: float = 1.0, biased: bool = False) -> Kind:
    base = BiasedL1 if biased else StrategicPerceptronL1
    return l1(lambda alpha, radius: broken(base, learn_l1, flaw)(factor * alpha, radius), biased)


def flawed_perceptron(flaw: str) -> Kind:
    learner = broken(Perceptron, learn_perceptron, flaw)
    return KINDS["Perceptron with bias"]._replace(learner=lambda alpha, truth: learner(bias=True, learning_rate=0.3))


HEALTHY = {
    "Algorithm 1": flawed_perceptron(""),
    "Algorithm 2": flawed_l2(""),
    "Algorithm 3": flawed_l1(""),
    "Algorithm 3 with bias": flawed_l1("", biased=True),
}
# Which invariants may fail first.
MISSED_MOVER, WRONG_L1 = {"1 progress", "2 wrong side"}, {"14 progress", "14 wrong side"}
BROKEN: dict[str, tuple[Kind, set[str]]] = {
    "1: facing movers": (KINDS["Perceptron"]._replace(cost=lambda alpha: L2Cost(alpha[0])), {"18 progress"}),
    "1: learns every round": (flawed_perceptron("learns every round"), {"18 only mistakes"}),
    "1: half the rate": (flawed_perceptron("half the rate"), {"18 addition"}),
    "1: forgets the bias": (flawed_perceptron("forgets the bias"), {"18 addition"}),
    "2: learns every round": (flawed_l2("learns every round"), {"8 only mistakes"}),
    "2: guesses hidden labels": (flawed_l2("guesses hidden labels"), {"8 only mistakes"}),
    "2: naive equality": (flawed_l2("naive equality"), MISSED_MOVER),
    "2: no surrogate": (flawed_l2("no surrogate"), MISSED_MOVER),
    "2: always pulls": (flawed_l2("always pulls"), {"2 wrong side"}),
    "2: half the pull": (flawed_l2("half the pull"), {"8 addition"}),
    "2: double step": (flawed_l2("double step"), {"8 addition"}),
    "2: nearly": (flawed_l2("nearly"), {"8 addition"}),
    "2: forgets": (flawed_l2("forgets"), {"8 addition"}),
    "2: unraised threshold": (flawed_l2("unraised threshold"), {"5 forbidden zone", "6 movers", "0 publication"}),
    "2: alpha too small": (flawed_l2("", factor=0.5), {"6 movers"}),
    "2: alpha too large": (flawed_l2("", factor=2.0), {"5 forbidden zone"}),
    "2: half an estimate too low": (Kind(below(1.0)), {"6 movers"}),
    "2: the largest alpha for all": (
        Kind(lambda alpha, truth: StrategicPerceptronL2(truth.alpha[0]), differ=0.5),
        {"5 forbidden zone", "6 movers"},
    ),
    "5: jumps over the separator": (biased_l2(literal=True), {"17 segment", "17 origins"}),
    "5: skips origins": (
        biased_l2(Tampered(BiasedL2, skips_half_of_the_origins)),
        {"17 segment", "17 origins", "17 origin counters"},
    ),
    "5: impatient": (biased_l2(Tampered(BiasedL2, impatient)), {"17 origin counters"}),
    "5: gives up early": (biased_l2(Tampered(BiasedL2, gives_up_early)), {"17 origins", "17 patience"}),
    "5: leaves the segment": (biased_l2(Tampered(BiasedL2, leaves_the_segment)), {"17 segment"}),
    "5: keeps weights": (biased_l2(Tampered(BiasedL2, keeps_weights)), {"17 patience"}),
    "5: never gives up": (biased_l2(Tampered(BiasedL2, never_gives_up)), {"17 origin counters"}),
    "margin: only mistakes": (unmoved(lambda: broken(MarginPerceptron, learn_perceptron, "")(1.0)), {"18 kept margin"}),
    "3: corrects every round": (flawed_l1("corrects every round"), {"8 only mistakes"}),
    "3: naive equality": (flawed_l1("naive equality"), WRONG_L1),
    "3: no surrogate": (flawed_l1("no surrogate"), WRONG_L1),
    "3: another coordinate": (flawed_l1("another coordinate"), {"14 addition", *WRONG_L1}),
    "3: no correction": (flawed_l1("no correction"), {"9 correction"}),
    "3: no tie-break": (flawed_l1("no tie-break"), {"10 unique direction", "14 addition"}),
    "3: double eta": (flawed_l1("double eta"), {"14 addition"}),
    "3: last of ties": (flawed_l1("last of ties"), {"14 addition"}),
    "3: alpha too small": (flawed_l1("", factor=0.5), {"11 movers"}),
    "3: alpha too large": (flawed_l1("", factor=2.0), {"5 forbidden zone"}),
    "3 with bias: no surrogate": (flawed_l1("no surrogate", biased=True), WRONG_L1),
    "3 with bias: corrects 1": (flawed_l1("corrects the fake coordinate", biased=True), {"9 correction"}),
    "3 with bias: favours 1": (flawed_l1("breaks ties with the fake coordinate", biased=True), {"9 correction"}),
}


LAPSED: dict[str, tuple[Callable[[], Any], set[str]]] = {
    "literal": (lambda: UnknownCostL2(1.0, 0.25, literal=True), {"15 bracket"}),
    "impatient": (lambda: Tampered(UnknownCostL2, impatient)(1.0, 0.25), {"16 counters"}),
    "never gives up": (lambda: Tampered(UnknownCostL2, never_gives_up)(1.0, 0.25), {"16 counters"}),
    "gives up early": (lambda: Tampered(UnknownCostL2, gives_up_early)(1.0, 0.25), {"16 patience"}),
    "halves gamma": (lambda: Tampered(UnknownCostL2, halves_gamma)(1.0, 0.25), {"0 as told"}),
    "takes alpha for more": (lambda: Tampered(UnknownCostL2, takes_alpha_for_more)(1.0, 0.25), {"15 bracket"}),
    "keeps weights": (lambda: Tampered(UnknownCostL2, keeps_weights)(1.0, 0.25), {"16 patience"}),
    "ignores the forbidden": (lambda: Tampered(UnknownCostL2, ignores_the_forbidden)(1.0, 0.25), {"16 counters"}),
    "forgets hi": (lambda: Tampered(UnknownCostL2, forgets_hi)(1.0, 0.25), {"15 bracket"}),
    "takes small for large": (
        lambda: Tampered(UnknownCostL2, takes_small_for_large)(1.0, 0.25), {"15 verdict"}
    ),
    "told too large a margin": (lambda: UnknownCostL2(1.0, 0.3), {"0 told"}),
    "told too small a radius": (lambda: UnknownCostL2(0.95, 0.25), {"0 told"}),
}  # fmt: skip


@pytest.mark.parametrize("name", LAPSED)
def test_lapsed_searches_are_caught(name: str) -> None:
    build, invariants = LAPSED[name]
    violation = hunt(build(), 0.97).violation
    assert violation is not None and violation.invariant in invariants


def games_of(kind: Kind, hidden: bool = False) -> list[Certificate]:
    return list(kind.games(3, (1, 2, 5), (0.3, 1.0), hidden=hidden))


@pytest.mark.parametrize("name", HEALTHY)
def test_other_implementations_keep_every_invariant(name: str) -> None:
    """Plain NumPy rounds otherwise; that is not held against it."""
    assert not [certificate.violation for certificate in games_of(HEALTHY[name]) if certificate.violation]


@pytest.mark.parametrize("name", BROKEN)
def test_broken_learners_are_caught(name: str) -> None:
    kind, invariants = BROKEN[name]
    caught = [certificate.violation for certificate in games_of(kind, "hidden" in name) if certificate.violation]
    assert len(caught) > 1 and {violation.invariant for violation in caught} <= invariants
