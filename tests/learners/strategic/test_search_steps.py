"""Single steps of the searches: when a phase, a guess of the margin or an origin is given up, and what begins anew."""

from typing import Any

import numpy as np
import pytest

from learners import BiasedL2, UnknownCostL1Single, UnknownCostL2, UnknownMarginL2
from learners.strategic.biased import ACCEPT_ALL, ACCEPT_NOBODY, LEARN
from learners.strategic.phases import NO_WEIGHTS, clear_rounding_errors, guess_budget, next_estimate, phase_budget
from learners.strategic.unknown_cost import end_phase


def searching(learner: Any, **fields: Any) -> Any:
    """Return a state of one game in one dimension, with these fields."""
    state = learner.initial_state(1, 1)
    for name, value in ({"weights": 3.0, "phase_mistakes": 4, "guess_mistakes": 9, "phases": 3} | fields).items():
        getattr(state, name)[:] = value
    return state


def of(state: Any, *names: str) -> list[float]:
    return [float(getattr(state, name).ravel()[0]) for name in names]


def is_begun_anew(state: Any, margin: float, guesses: int) -> bool:
    names = "margin", "guesses", "low", "high", "estimate", "phases", "guess_mistakes", "phase_mistakes", "weights"
    return of(state, *names) == [margin, guesses, 0.0, np.inf, 0.0, 1, 0, 0, 0.0]


def test_a_bracket_of_half_the_margin_refutes_the_guess() -> None:
    state = searching(UnknownMarginL2(1.0), margin=0.5, guesses=2, low=0.25, estimate=0.5)
    end_phase(state, 0, True)
    assert is_begun_anew(state, 0.25, 3)


@pytest.mark.parametrize(("low", "high"), [(0.25 - 2.0**-40, np.inf), (0.25 - 2.0**-40, 1.0), (0.0, np.inf)])
def test_a_wider_bracket_is_searched_on(low: float, high: float) -> None:
    state = searching(UnknownMarginL2(1.0), margin=0.5, guesses=2, low=low, high=high, estimate=0.5)
    end_phase(state, 0, True)
    assert of(state, "margin", "guesses", "low", "high", "estimate") == [0.5, 2, low, 0.5, (low + 0.5) / 2.0]
    assert of(state, "phases", "guess_mistakes", "phase_mistakes", "weights") == [4, 9, 0, 0.0]


def test_too_small_an_estimate_is_the_next_lower_end() -> None:
    state = searching(UnknownMarginL2(1.0), margin=0.25, guesses=3, low=0.125, estimate=0.25)
    end_phase(state, 0, False)
    assert of(state, "margin", "guesses", "low", "high", "estimate") == [0.25, 3, 0.25, np.inf, 0.5]
    state = searching(UnknownMarginL2(1.0), margin=0.25, guesses=3, low=0.125, high=0.5, estimate=0.25)
    end_phase(state, 0, False)
    assert of(state, "low", "high", "estimate", "phases") == [0.25, 0.5, 0.375, 4]


@pytest.mark.parametrize(("mistakes", "refuted"), [(-1, False), (0, False), (1, True)])
def test_a_guess_survives_its_budget_of_mistakes_and_not_one_more(mistakes: int, refuted: bool) -> None:
    budget = int(guess_budget(1.0, 0.25))
    state = searching(UnknownMarginL2(1.0), margin=0.25, guesses=3, estimate=0.25, guess_mistakes=budget + mistakes)
    end_phase(state, 0, False)
    assert is_begun_anew(state, 0.125, 4) == refuted and (state.guesses[0] == 4) == refuted


@pytest.mark.parametrize(("estimate", "refuted"), [(1.0 - 2.0**-40, False), (1.0, True)])
def test_the_radius_as_too_small_an_estimate_refutes_the_guess(estimate: float, refuted: bool) -> None:
    state = searching(UnknownMarginL2(1.0), margin=0.25, guesses=3, low=0.5, estimate=estimate)
    end_phase(state, 0, False)
    assert is_begun_anew(state, 0.125, 4) == refuted and (state.guesses[0] == 4) == refuted
    state = searching(UnknownMarginL2(1.0), margin=0.25, guesses=3, low=0.0, estimate=1.0)
    end_phase(state, 0, True)
    assert of(state, "guesses", "estimate") == [3, 0.5], "the radius may be too large"


def test_a_margin_that_was_told_is_never_given_up() -> None:
    state = searching(UnknownCostL2(1.0, 0.5), low=0.25, estimate=0.5, guess_mistakes=10**6)
    end_phase(state, 0, True)
    assert of(state, "margin", "guesses", "high", "estimate") == [0.5, 1, 0.5, 0.375]


def learn(learner: Any, state: Any, x: list[float], label: float, classifier: list[float]) -> Any:
    """Let the learner see a mistake on a report under a classifier."""
    shown = {
        "features": np.array(x), "label": np.array([label]), "prediction": np.array([-label]), "round": np.array([1.0]),
        "classifier": np.array(classifier),
    }  # fmt: skip
    return learner.predict(shown, state)[1]


@pytest.mark.parametrize(("before", "after"), [(48, (49, 1)), (49, (0, 2))])
def test_a_phase_survives_its_budget_and_not_one_mistake_more(before: int, after: tuple[int, int]) -> None:
    """4 (.3 + 0 + .05)^2 / .1^2 is 49, but a little less in float64."""
    assert phase_budget(0.3, 0.0, 0.1, -1) < 49.0
    learner = UnknownCostL2(0.3, 0.1)
    state = searching(learner, weights=-1.0, phase_mistakes=before, phases=1)
    state = learn(learner, state, [0.2], 1.0, [-0.5, 0.0])
    assert of(state, "phase_mistakes", "phases", "estimate") == [*after, 0.0 if after[0] else 0.05]
    assert of(state, "low", "guess_mistakes") == [0.0, 10]


@pytest.mark.parametrize(("mistakes", "margin"), [(-1, 1.0), (0, 0.5)])
def test_a_guess_is_given_up_in_the_midst_of_a_phase(mistakes: int, margin: float) -> None:
    learner, budget = UnknownMarginL2(1.0), int(guess_budget(1.0, 1.0))
    state = searching(learner, phases=1, phase_mistakes=0, guess_mistakes=budget + mistakes)
    state = learn(learner, state, [-0.5], -1.0, [0.5, 0.0])
    assert of(state, "margin", "guess_mistakes") == [margin, 0 if margin < 1.0 else budget]
    told = UnknownCostL2(1.0, 1.0)
    state = searching(told, phases=1, phase_mistakes=0, guess_mistakes=budget)
    assert of(learn(told, state, [-0.5], -1.0, [0.5, 0.0]), "phases", "guess_mistakes") == [1, budget + 1]


def test_evidence_that_an_estimate_is_too_large_needs_no_label_and_is_no_mistake() -> None:
    learner = UnknownCostL2(1.0, 0.25)
    shown = {
        "features": np.array([0.25]), "label": np.zeros(1), "prediction": -np.ones(1), "round": np.ones(1),
        "classifier": np.array([0.5, -0.25]),
    }  # fmt: skip
    state = learner.predict(shown, searching(learner, weights=1.0, estimate=0.5, low=0.125))[1]
    assert of(state, "high", "low", "estimate", "phases", "phase_mistakes") == [0.5, 0.125, 0.3125, 4, 0]
    assert of(state, "guess_mistakes", "weights") == [9, 0.0]


def test_the_only_movable_coordinate_is_corrected_and_pulled_and_no_other() -> None:
    learner = UnknownCostL1Single(1.0, 0.25, 1)
    state = learner.initial_state(1, 2)
    state.weights[:], state.estimate[:] = [0.25, 0.5], 0.125
    state = learn(learner, state, [0.5, 0.75], -1.0, [0.5, 0.25, -0.4375])  # on the boundary
    assert state.weights[0].tolist() == [-0.25, 0.0]  # .5 - (.75 - .125) < 0
    state.weights[:] = [0.25, 0.875]
    state = learn(learner, state, [0.5, 0.75], -1.0, [0.5, 0.25, 0.0])  # above it
    assert state.weights[0].tolist() == [-0.25, 0.125]


def test_the_arithmetic_of_phases() -> None:
    assert phase_budget(1.0, 0.5, 0.5, -1) == 4.0 * 3.5**2
    assert phase_budget(1.0, 0.125, 0.5, 0) == 4.0 * 2.5**2
    assert phase_budget(1.0, 0.5, 0.5, 0) == 4.0 * 3.0**2
    assert guess_budget(2.0, 1.0) == 6.0 * 82.0 and guess_budget(1.0, 1.0) == 2.0 * 26.0
    assert next_estimate(0.0, np.inf, 0.0, False, 0.5, 1.0, False) == 0.25
    assert next_estimate(0.3, np.inf, 0.3, False, 0.5, 1.0, False) == 0.6
    assert next_estimate(0.7, np.inf, 0.7, False, 0.5, 1.0, False) == 1.0
    assert next_estimate(0.2, 0.6, 0.2, False, 0.5, 1.0, False) == 0.4
    assert next_estimate(0.2, 0.6, 0.2, False, 0.5, 1.0, True) == 0.4  # as printed it doubles
    assert next_estimate(0.2, 0.9, 0.6, True, 0.5, 1.0, True) == 0.4
    for share, cleared in ((0.9, True), (1.1, False)):
        weights = np.array([3.0, 4.0]) * share * NO_WEIGHTS / 5.0
        clear_rounding_errors(weights, 1.0)
        assert (not weights.any()) == cleared


def test_algorithm_5_finds_its_segment_and_walks_along_it() -> None:
    learner = BiasedL2(0.25, 1.0, 0.25)
    state = learner.initial_state(1, 1)
    assert of(state, "stage") == [ACCEPT_ALL]
    state = learn(learner, state, [-0.5], -1.0, [0.0, 0.0])
    assert of(state, "stage", "negative", "positive", "guess_mistakes") == [ACCEPT_NOBODY, -0.5, 0.0, 0]
    state = learn(learner, state, [0.5], 1.0, [0.0, -1.0])
    assert of(state, "stage", "negative", "positive", "origin", "guesses") == [LEARN, -0.5, 0.5, -0.5, 0]
    state = learn(learner, state, [0.25], -1.0, [0.0, 0.0])
    assert of(state, "weights", "guess_mistakes") == [-0.75, 1]
    state.weights[:] = 0.5
    state = learn(learner, state, [0.25], -1.0, [0.5, -0.125])  # on the boundary: back by alpha, then less p
    assert of(state, "weights", "guess_mistakes") == [0.5 - (0.25 - 0.25 + 0.5), 2]
    budget = 4 * 9**2
    for before, after in ((budget - 1, [budget, 0, -0.5]), (budget, [0, 1, -0.375])):
        state.guess_mistakes[:] = before
        state = learn(learner, state, [0.25], 1.0, [-0.5, 0.0])
        assert of(state, "guess_mistakes", "guesses", "origin") == after
    assert of(state, "weights") == [0.0]


@pytest.mark.parametrize("prediction", [-1.0, 1.0])
def test_a_hidden_label_teaches_the_searches_nothing(prediction: float) -> None:
    for learner in (UnknownCostL2(1.0, 0.25), UnknownMarginL2(1.0), UnknownCostL1Single(1.0, 0.25, 0)):
        state = searching(learner)
        before = [field.copy() for field in state]
        shown = np.array([0.5, 0.0, 0.5, 0.0, prediction, 1.0])
        state = learner.predict(shown, state)[1]
        assert all((new == old).all() for new, old in zip(state, before, strict=True)), learner
    biased = BiasedL2(0.25, 1.0, 0.25)
    for stage in (ACCEPT_ALL, ACCEPT_NOBODY, LEARN):
        state = biased.initial_state(1, 1)
        state.stage[:] = stage
        state = biased.predict(np.array([0.5, 0.0, 0.5, 0.0, prediction, 1.0]), state)[1]
        assert of(state, "stage", "negative", "positive", "guess_mistakes", "weights") == [stage, 0.0, 0.0, 0, 0.0]


def published(learner: Any, state: Any) -> list[float]:
    """Return what the learner publishes of a state, with the larger of its weights brought to 1."""
    dim = state.weights.shape[1]
    action = learner.predict(np.zeros(2 * dim + 4), state)[0]
    heaviest = np.abs(action[:-1]).max() or 1.0
    return [float(value) for value in action / heaviest]


def test_the_searches_raise_their_threshold_by_the_estimate() -> None:
    state = UnknownCostL2(10.0, 0.25).initial_state(1, 2)
    state.weights[:], state.estimate[:] = [3.0, 4.0], 0.5
    assert published(UnknownCostL2(10.0, 0.25), state) == [0.75, 1.0, -0.625]
    assert published(UnknownCostL1Single(10.0, 0.25, 0), state._replace(direction=np.zeros(1, np.int64))) == [
        0.75, 1.0, -0.375
    ]  # fmt: skip
    learner = BiasedL2(0.5, 10.0, 0.25)
    biased = learner.initial_state(1, 2)
    assert published(learner, biased) == [0.0, 0.0, 0.0]
    biased.stage[:] = ACCEPT_NOBODY
    assert published(learner, biased) == [0.0, 0.0, -1.0]
    biased.stage[:], biased.weights[:], biased.origin[:] = LEARN, [3.0, 4.0], [1.0, 1.0]
    assert published(learner, biased) == [0.75, 1.0, -1.75 - 0.625]


def test_weights_that_cancel_are_no_direction() -> None:
    """Of a sum that is 0 without rounding, nothing is left."""
    learner = UnknownCostL2(1.0, 0.25)
    state = learn(learner, searching(learner, weights=0.1 + 0.2), [-0.3], 1.0, [0.0, -1.0])
    assert of(state, "weights") == [0.0]
    biased = BiasedL2(0.25, 1.0, 0.25)
    state = biased.initial_state(1, 1)
    state.stage[:], state.weights[:] = LEARN, 0.1 + 0.2
    state = learn(biased, state, [-0.3], 1.0, [0.0, -1.0])
    assert of(state, "weights", "guess_mistakes") == [0.0, 1]
