"""Learners for people who improve, overshoot, lag, or are heard of late: worked numbers, failures, what is refused."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from response_games import People, ResponseTable
from theorem_games import Pools

from agents import L2Cost
from learners import (
    AcceptedOnlyL2,
    EchoChecking,
    ImprovingPerceptron,
    Learner,
    Patient,
    StrategicMaxMargin,
    StrategicPerceptronL2,
    Truth,
    bounds,
)
from learners.catalogue import build
from strategic_env import evaluate, rollout

TRUTH = Truth("l2", 2, 1.0, 0.1, 0.0, (0.5,), False)
NOTHING = {"features": [0.0, 0.0], "prediction": [0.0], "label": [0.0], "classifier": [0.0, 0.0, 0.0], "round": [0.0]}


def table(learner: Learner[Any], people: People, alpha: float = 1.0) -> ResponseTable:
    """A game of one, around the separator of normal (0.6, 0.8)."""
    pools = Pools(np.ones((1, 1, 2)), np.ones((1, 1)), np.array([[0.6, 0.8]]), np.zeros(1))
    return ResponseTable(learner, L2Cost(alpha), people, pools, np.array([0]), None)


def play(chosen: ResponseTable, *individuals: tuple[list[float], float]) -> int:
    for features, label in individuals:
        chosen.play(np.array([features]), np.array([label]))
    return int(chosen.mistakes[0])


class TestImprovingPerceptron:
    @pytest.mark.parametrize(
        ("radius", "margin", "alpha", "bound"), [(1.0, 0.01, 0.3, 415), (1.0, 0.1, 0.3, 208), (1.0, 0.1, 0.5, 76)]
    )
    def test_the_bound_of_worked_examples(self, radius: float, margin: float, alpha: float, bound: int) -> None:
        assert int(bounds.improving_l2(radius, margin, alpha)) in (bound, bound - 1)

    def test_a_mistake_takes_away_what_w_has_along_the_report(self) -> None:
        learner, separator = ImprovingPerceptron(0.5), np.array([0.8, 0.6])
        state = learner.initial_state(1, 2)._replace(weights=np.array([[0.6, -0.3]]))
        assert state.weights[0] @ separator == pytest.approx(0.30)
        mistake = {"features": [-0.1, -0.9], "prediction": [1.0], "label": [-1.0], "classifier": [0.6, -0.3, -0.17]}
        _, state = learner.predict(mistake | {"round": [1.0]}, state)
        assert state.weights[0].round(4).tolist() == [0.6256, -0.0695]
        assert state.weights[0] @ separator == pytest.approx(0.4588, abs=1e-4)
        assert state.weights[0] @ state.weights[0] == pytest.approx(0.3962, abs=1e-4)

    def test_the_bar_stands_at_half_of_the_reach(self) -> None:
        for learner, reach in ((ImprovingPerceptron(0.5), 0.25), (ImprovingPerceptron([0.5, 0.1], "l1"), 0.15)):
            state = learner.initial_state(1, 2)._replace(weights=np.array([[0.6, -0.8]]))
            action, _ = learner.predict(NOTHING, state)
            assert action[-1] / action[0] == pytest.approx(-reach / 0.6)

    def test_it_is_told_that_moving_improves_in_every_feature(self) -> None:
        known = {"alpha": 0.5, "cost": "l2"}
        with pytest.raises(ValueError, match="improving-perceptron must be told improvement"):
            build("improving-perceptron", known)
        for wrong in (0.5, [1.0, 0.0]):
            with pytest.raises(ValueError, match="improvement must be 1 in every feature, got"):
                build("improving-perceptron", known | {"improvement": wrong})
        assert repr(build("improving-perceptron", known, improvement=[1.0, 1.0])).startswith("ImprovingPerceptron(")

    def test_the_bound_needs_what_its_proof_does(self) -> None:
        improving = TRUTH._replace(improvement=(1.0, 1.0))
        assert ImprovingPerceptron(0.5).bound(improving) == bounds.improving_l2(1.0, 0.1, 0.5)
        l1 = improving._replace(cost="l1", alpha=(0.5, 0.2))
        assert ImprovingPerceptron([0.5, 0.2], "l1").bound(l1) == bounds.improving_l1(1.0, 0.1, (0.5, 0.2))
        for other in (
            TRUTH, improving._replace(improvement=(1.0, 0.5)), improving._replace(alpha=(0.4,)), l1,
            improving._replace(intercept=0.1), improving._replace(response="quantal"),
            improving._replace(alpha_min=(0.4,)),
        ):  # fmt: skip
            assert ImprovingPerceptron(0.5).bound(other) is None
        assert ImprovingPerceptron(0.5).bound(improving, printed=True) is None
        assert ImprovingPerceptron([0.5, 0.0], "l1").bound(l1._replace(alpha=(0.5, 0.0))) is None


class TestFailures:
    """Sequences on which Algorithm 2 errs for ever, and what mends it."""

    def test_improved_in_one_feature_that_does_harm(self) -> None:
        harmed = [([0.6, -0.8], -1.0), *[([0.2, 0.16], 1.0)] * 400]
        learner = StrategicPerceptronL2(1.0)
        assert play(table(learner, People(mask=np.array([1.0, 0.0]))), *harmed) == 401
        truth = TRUTH._replace(radius=1.0, margin=0.248, alpha=(1.0,), nonnegative=True)
        assert learner.bound(truth._replace(improvement=(1.0, 0.0))) is None
        assert learner.bound(truth) == pytest.approx(16.26, abs=0.01)
        mended = StrategicPerceptronL2(1.0, nonnegative=True)
        assert play(table(mended, People(mask=np.array([1.0, 0.0]))), *harmed) <= 16
        assert mended.bound(truth._replace(improvement=(1.0, 0.0))) == learner.bound(truth)

    def test_those_who_know_the_classifier_of_the_round_before(self) -> None:
        lagging = [([-1.0, -1.0], -1.0), *[([-1.0, 1.0], 1.0), ([-1.0, 0.5], -1.0)] * 3000]
        assert play(table(StrategicPerceptronL2(1.0), People(lag=1)), *lagging) > 5000
        assert play(table(StrategicPerceptronL2(1.0), People()), *lagging) == 1
        assert play(table(Patient(StrategicPerceptronL2(1.0), rounds=1), People(lag=1)), *lagging) <= 100


class TestNonnegativeAndAlways:
    def test_weights_are_raised_to_0(self) -> None:
        learner = StrategicPerceptronL2(0.5, nonnegative=True)
        _, state = learner.predict(NOTHING)
        mistake = {"features": [-2.0, 1.0], "prediction": [1.0], "label": [-1.0], "classifier": [0.0] * 3}
        _, state = learner.predict(mistake | {"round": [1.0]}, state)
        assert state.weights.tolist() == [[2.0, 0.0]]

    def test_an_accepted_negative_far_from_the_boundary_is_pulled_back_too(self) -> None:
        mistake = {"features": [-1.0, -0.5], "prediction": [1.0], "label": [-1.0], "round": [1.0]}
        for surrogate, pulled in (("boundary", 0.0), ("always", 1.0)):
            learner = StrategicPerceptronL2(1.0, surrogate=surrogate)
            _, state = learner.predict(NOTHING)
            _, state = learner.predict(mistake | {"classifier": [0.0, 0.0, 0.0]}, state)
            before = state.weights[0].copy()
            seen = {"features": [3.0, 1.0], "classifier": [1.0, 0.0, -1.0]}
            _, state = learner.predict(mistake | seen, state)
            assert (state.weights[0] - before).tolist() == [-3.0 + pulled, -1.0]

    def test_parameters_as_told_and_refused(self) -> None:
        assert repr(StrategicPerceptronL2(0.3)) == "StrategicPerceptronL2(alpha=0.3)"
        both = StrategicPerceptronL2(0.3, nonnegative=True, surrogate="always")
        assert both.parameters == {"alpha": 0.3, "nonnegative": True, "surrogate": "always"}
        with pytest.raises(ValueError, match="surrogate must be one of 'boundary', 'always', got 'never'"):
            StrategicPerceptronL2(0.3, surrogate="never")
        with pytest.raises(TypeError, match="nonnegative must be"):
            StrategicPerceptronL2(0.3, nonnegative="much")  # type: ignore[arg-type]

    def test_bounds_where_the_theorems_hold_and_nowhere_else(self) -> None:
        plain, always = StrategicPerceptronL2(0.5), StrategicPerceptronL2(0.5, surrogate="always")
        raised = StrategicPerceptronL2(0.5, nonnegative=True)
        nonnegative = TRUTH._replace(nonnegative=True)
        usual = plain.bound(TRUTH)
        over, short = (TRUTH._replace(response="miss", miss=miss) for miss in ((0.0, 0.2), (-0.1, 0.2)))
        assert always.bound(over) == usual and plain.bound(over) is None and always.bound(short) is None
        assert always.bound(TRUTH) == usual and raised.bound(TRUTH) is None and raised.bound(nonnegative) == usual
        for improvement, found in (((0.5, 0.5), usual), ((0.5, 0.0), None)):
            assert plain.bound(TRUTH._replace(improvement=improvement)) == found
            assert raised.bound(nonnegative._replace(improvement=improvement)) == usual
        assert plain.bound(TRUTH._replace(delay=3)) == bounds.delayed_l2(1.0, 0.1, 3)
        for response in ("quantal", "truthful", "limited", "misperceived", "noisy", "lagged", "dark", "collective"):
            assert plain.bound(TRUTH._replace(response=response, lag=1)) is None
        assert plain.bound(TRUTH._replace(memory=0.5)) is None
        assert plain.bound(TRUTH._replace(delay=3, improvement=(1.0, 1.0))) is None


class TestLotteries:
    def test_a_learner_that_is_told_of_a_lottery_reckons_with_shorter_reaches(self) -> None:
        known = {"alpha": 0.5, "cost": "l2", "lottery": [0.1, 1.0]}
        learner = build("strategic-perceptron-l2", known)
        assert learner.parameters == {"alpha": 0.45}
        assert build("patient", known, learner="strategic-perceptron-l2", rounds=1).parameters["alpha"] == 0.45
        assert build("strategic-perceptron-l2", known, alpha=0.5).parameters == {"alpha": 0.5}
        truth = TRUTH._replace(lottery=(0.1, 1.0))
        assert learner.bound(truth) == StrategicPerceptronL2(0.5).bound(TRUTH)  # type: ignore[attr-defined]
        assert StrategicPerceptronL2(0.5).bound(truth) is None

    def test_whoever_is_told_of_no_lottery_errs_for_ever(self) -> None:
        people = People(chance=0.5)
        for told, mistakes in ((1.0, 200), (0.5, 1)):
            pools = Pools(np.ones((1, 1, 1)), np.ones((1, 1)), np.ones((1, 1)), np.zeros(1))
            game = ResponseTable(StrategicPerceptronL2(told), L2Cost(1.0), people, pools, np.array([0]), None)
            for features, label in [(-0.25, -1.0), *[(0.25, 1.0)] * 199]:
                game.play(np.array([[features]]), np.array([label]))
            assert game.mistakes[0] == mistakes

    def test_labels_of_the_accepted_only(self) -> None:
        """On average at most ``(R / gamma)^2 / eps + eps T`` drawn mistakes, of which eps T are the draws' own."""
        rng, T, games = np.random.default_rng(5), 2000, 60
        radius, margin, alpha = 1.0, 0.2, 0.5
        eps = radius / (margin * np.sqrt(T))
        learner, cost = StrategicPerceptronL2(alpha * (1 - eps)), L2Cost(alpha * (1 - eps))
        mistakes = np.zeros(games)
        seen = {key: np.zeros((games, 1)) for key in ("prediction", "label", "round")}
        seen |= {"features": np.zeros((games, 2)), "classifier": np.zeros((games, 3))}
        action, state = learner.predict(seen)
        for t in range(T):
            label = rng.choice([-1.0, 1.0], games)
            z = np.stack([label * rng.uniform(margin, 0.5, games), rng.uniform(-0.8, 0.8, games)], axis=1)
            x = cost.best_response(z, action)
            side = np.where(np.sum(action[:, :2] * x, axis=1) + action[:, 2] >= -1e-12, 1.0, -1.0)
            drawn = np.where((side > 0) | (rng.random(games) < eps), 1.0, -1.0)
            mistakes += drawn != label
            shown = np.where(drawn > 0, label, 0.0)
            seen = {"features": x, "classifier": action, "prediction": side[:, None], "label": shown[:, None]}
            action, state = learner.predict(seen | {"round": np.full((games, 1), t + 1.0)}, state)
        assert mistakes.mean() <= 2 * radius / margin * np.sqrt(T)


def both(alpha: float = 0.3, **rounds: int) -> list[Learner[Any]]:
    return [
        Patient(StrategicPerceptronL2(alpha), rounds=rounds.get("rounds", 2)),
        EchoChecking("improving-perceptron", alpha=alpha),
    ]


class TestWrappers:
    def test_waiting_for_no_rounds_and_timely_labels_change_nothing(self) -> None:
        plain = rollout("strategic-perceptron-l2", "KnownL2", rounds=500, games=3)
        for name in (
            "patient:learner=strategic-perceptron-l2,rounds=0",
            "echo-checking:learner=strategic-perceptron-l2",
        ):
            found = rollout(name, "KnownL2", rounds=500, games=3)
            assert (found.mistakes == plain.mistakes).all()
            assert (found.state.weights == plain.state.weights).all()

    @pytest.mark.parametrize("learner", both(), ids=lambda learner: learner.name)
    def test_states_can_be_copied_and_kept(self, learner: Any) -> None:
        result = rollout(learner, "KnownL2", rounds=50, games=2)
        for twin in (copy.deepcopy(result.state), pickle.loads(pickle.dumps(result.state))):
            assert type(twin) is learner.state_class
            assert all((one == other).all() for one, other in zip(twin, result.state, strict=True))
        assert type(learner.inside(result.state)) is learner.learner.state_class

    def test_bounds_are_those_inside_times_the_wait(self) -> None:
        inside = StrategicPerceptronL2(0.5)
        usual = inside.bound(TRUTH)
        assert usual is not None
        lagged = TRUTH._replace(response="lagged", lag=2)
        for rounds, found in ((1, None), (2, 3 * usual), (3, 4 * usual)):
            assert Patient(inside, rounds=rounds).bound(lagged) == found
        assert Patient(inside, rounds=2).bound(TRUTH) == 3 * usual
        assert EchoChecking(inside).bound(TRUTH._replace(delay=4)) == 5 * usual
        assert EchoChecking(inside).bound(TRUTH) == usual
        assert EchoChecking(inside).bound(lagged) is None
        assert Patient(StrategicMaxMargin(0.5), rounds=0).bound(TRUTH) is None, "it learns from no mistake alone"
        assert Patient(StrategicPerceptronL2(0.4), rounds=2).bound(lagged) is None

    def test_what_the_learner_inside_knows_is_handed_on(self) -> None:
        learner = Patient("biased-l1", rounds=1, alpha=0.3, radius=1.0)
        state = learner.initial_state(1, 2)
        assert learner.intercept_of(state) == 0.0 and learner.findings(state) == {}
        assert learner.believed_cost(state) is not None

    def test_a_command_line_names_the_learner_inside_and_its_parameters(self) -> None:
        text = "patient:learner=strategic-perceptron-l2,rounds=3,nonnegative=true"
        results = evaluate([text], "KnownL2", seeds=1, rounds=50)
        (one,) = results.contestants
        assert one.label == 'patient:learner="strategic-perceptron-l2",rounds=3,nonnegative=true'
        assert one.learner.learner.nonnegative  # type: ignore[union-attr]

    @pytest.mark.parametrize(
        ("make", "message"),
        [
            (lambda: build("patient", {"alpha": 0.3}, rounds=1), "patient must be given learner=NAME"),
            (lambda: build("patient", {"alpha": 0.3}, learner="strategic-perceptron-l2"), "must be told rounds"),
            (lambda: Patient("gaptron", rounds=1), "learner must be one of constant-classifier.*, got 'gaptron'"),
            (lambda: Patient(both()[0], rounds=1), "and is built around no other"),
            (lambda: EchoChecking(AcceptedOnlyL2(0.3)), "draws nothing"),
            (lambda: EchoChecking(3), "learner must be one of strategic classification"),  # type: ignore[arg-type]
            (lambda: Patient(StrategicPerceptronL2(0.3), rounds=-1), "rounds must be at least 0, got -1"),
            (lambda: Patient(StrategicPerceptronL2(0.3), rounds=1.5), "rounds must be"),  # type: ignore[arg-type]
            (lambda: EchoChecking(StrategicPerceptronL2(0.3), alpha=1.0), "parameters are those of a learner's name"),
            (
                lambda: build("patient", {"alpha": 0.3}, learner="strategic-perceptron-l2", rounds=1, much=2),
                "strategic-perceptron-l2 has no parameter 'much'",
            ),
        ],
    )
    def test_what_is_refused(self, make: Any, message: str) -> None:
        with pytest.raises((TypeError, ValueError), match=message):
            make()

    def test_a_lag_that_the_scenario_tells_is_waited_for(self) -> None:
        learner = build("patient", {"alpha": 0.3, "cost": "l2", "lag": 4}, learner="strategic-perceptron-l2")
        assert learner.parameters["rounds"] == 4


class TestTruths:
    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"lag": -1}, "truth.lag must be at least 0"),
            ({"delay": 0.5}, "truth.delay must be"),
            ({"miss": (0.2, 0.1)}, "truth.miss must be in order"),
            ({"lottery": (0.9, 0.1)}, "truth.lottery must be in order"),
            ({"improvement": (1.0,)}, "truth.improvement must have shape"),
            ({"memory": -0.1}, "truth.memory must be at least 0"),
        ],
    )
    def test_what_a_truth_cannot_be(self, changes: dict[str, Any], message: str) -> None:
        from learners.strategic.base import checked_truth

        with pytest.raises((TypeError, ValueError), match=message):
            checked_truth(TRUTH._replace(**changes))
