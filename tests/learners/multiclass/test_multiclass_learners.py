"""Multiclass learners: number for number like their plain NumPy reference, and policies with an explicit state."""

import copy
from collections.abc import Callable
from typing import Any

import multiclass_learner_oracle as oracle
import numpy as np
import pytest
from multiclass_learner_oracle import feedback_of

from agents.foundation.streams import uniform
from learners import (
    Arow,
    Banditron,
    FeedbackGraph,
    Gappletron,
    Gaptron,
    MulticlassLearner,
    MulticlassPerceptron,
    PassiveAggressive,
    PNewtron,
    SecondOrderPerceptron,
    SobaDiagonal,
)
from learners.catalogue import build, learners_of
from learners.multiclass.observation import Layout
from learners.multiclass.rules import ACTIONS

K, D = 4, 6
GRAPHS = {name: FeedbackGraph.named(name, K) for name in ("full", "bandit", "apple_tasting", "label_efficient")}
GRAPHS["random"] = FeedbackGraph.named("random", K, probability=0.4, seed=3)
FULL, BANDIT = GRAPHS["full"], GRAPHS["bandit"]
Case = tuple[MulticlassLearner[Any], FeedbackGraph, Callable[..., Any]]


def gappletron(graph: str, **parameters: Any) -> Case:
    return Gappletron(GRAPHS[graph], **parameters), GRAPHS[graph], oracle.Gappletron


def on_bandit(learner: MulticlassLearner[Any], reference: Callable[..., Any]) -> Case:
    return learner, BANDIT, reference


CASES: dict[str, Case] = {
    **{f"gappletron-{name}": gappletron(name) for name in GRAPHS},
    **{
        f"gappletron-{loss}": gappletron("random", loss=loss, gamma=0.7)
        for loss in ("logistic_k", "logistic_2", "special_hinge")
    },
    "gappletron-minimal": gappletron("apple_tasting", gap_map="minimal"),
    "gappletron-theory": gappletron("bandit", parameters="theory", radius=0.1, norm=0.5),
    "gappletron-fixed": gappletron("full", descent="fixed", radius=5.0),
    "gappletron-projected": gappletron("bandit", descent="projected", norm=0.8),
    "gappletron-parameter_free": gappletron("bandit", descent="parameter_free"),
    **{
        f"gaptron-{loss}": on_bandit(Gaptron(BANDIT, 5.0, 300, loss), oracle.Gaptron)
        for loss in ("smooth_hinge", "special_hinge", "logistic_2")
    },
    "gaptron-full": (Gaptron(FULL, 5.0, 300), FULL, oracle.Gaptron),
    # A small radius makes long steps: the leader's softmax soon exceeds one half.
    "gaptron-sure": (Gaptron(FULL, 0.5, 300, "logistic_2"), FULL, oracle.Gaptron),
    "banditron": on_bandit(Banditron(BANDIT, 300), oracle.Banditron),
    "banditron-weighted": on_bandit(Banditron(BANDIT, gamma=0.3, importance_weighted=True), oracle.Banditron),
    "pnewtron": on_bandit(PNewtron(BANDIT, 300), oracle.PNewtron),
    "pnewtron-published": on_bandit(PNewtron(BANDIT, 300, form="published", alpha=2.0), oracle.PNewtron),
    "pnewtron-norm": on_bandit(PNewtron(BANDIT, 300, beta=0.05, norm=2.5), oracle.PNewtron),
    "soba": on_bandit(SobaDiagonal(BANDIT, gamma=0.3), oracle.Soba),
    "soba-adaptive": on_bandit(SobaDiagonal(BANDIT, exploration="adaptive"), oracle.Soba),
    # With a strong regularisation little is gained, and the rate falls below 1 within these rounds.
    "soba-adaptive-falling": on_bandit(
        SobaDiagonal(BANDIT, exploration="adaptive", regularisation=1000.0), oracle.Soba
    ),
    "perceptron": (MulticlassPerceptron(K), FULL, oracle.Perceptron),
    "perceptron-uniform": (MulticlassPerceptron(K, "uniform"), FULL, oracle.Perceptron),
    "perceptron-one_vs_all": (MulticlassPerceptron(K, "one_vs_all"), FULL, oracle.Perceptron),
    "passive-aggressive-1": (PassiveAggressive(K, aggressiveness=0.1), FULL, oracle.PassiveAggressive),
    "passive-aggressive-2": (PassiveAggressive(K, "II"), GRAPHS["random"], oracle.PassiveAggressive),
    "arow": (Arow(K), FULL, oracle.Arow),
    "second-order": (SecondOrderPerceptron(K, 2.0), FULL, oracle.SecondOrder),
}
# One case for each class of states.
KINDS = ["gappletron-bandit", "gaptron-full", "banditron", "pnewtron", "soba", "perceptron", "passive-aggressive-1"]
KINDS += ["arow", "second-order"]


def points(seed: int, rounds: int) -> tuple[Any, Any]:
    """Draw points (rounds, D) and labels that mostly follow the largest of the first K features."""
    rng = np.random.default_rng(seed)
    features = rng.standard_normal((rounds, D))
    noisy = features[:, :K] + 0.3 * rng.standard_normal((rounds, K))
    return features, noisy.argmax(axis=1)


def seen(x: Any, t: int, action: int = -1, feedback: Any = None) -> dict[str, Any]:
    told = np.full(K, -1.0) if feedback is None else feedback
    return {"features": x, "action": [float(action)], "feedback": told, "round": [float(t)]}


@pytest.mark.parametrize("name", CASES)
def test_every_learner_is_its_reference_number_for_number(name: str) -> None:
    learner, graph, kind = CASES[name]
    features, labels = points(1, 300)
    state: Any = None

    def explored() -> float:
        return float(uniform(state.key[0], ACTIONS + 1, int(state.decided[0])))

    reference = kind(learner, D)
    reference.explored = explored
    observation, mistakes = seen(features[0], 0), 0
    for t in range(300):
        action, state = learner.predict(observation, state)
        expected = reference.distribution(features[t])
        np.testing.assert_allclose(state.probabilities[0], expected, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(state.weights[0], reference.W, rtol=1e-7, atol=1e-10)
        level = uniform(state.key[0], ACTIONS, t)
        assert np.cumsum(expected)[action] > level - 1e-9
        assert action == 0 or np.cumsum(expected)[action - 1] <= level + 1e-9
        feedback = feedback_of(graph, int(action), labels[t])
        mistakes += action != labels[t]
        reference.learn(int(action), feedback)
        observation = seen(features[min(t + 1, 299)], t + 1, action, feedback)
    assert np.abs(reference.W).max() > 0, "nothing was learned"


def play(learner: MulticlassLearner[Any], graph: FeedbackGraph, rounds: int, seed: int = 2) -> tuple[Any, Any]:
    """Play some rounds; return the last observation, which nobody learned from yet, and the state."""
    features, labels = points(seed, rounds + 1)
    state: Any = None
    observation = seen(features[0], 0)
    for t in range(rounds):
        action, state = learner.predict(observation, state)
        observation = seen(features[t + 1], t + 1, int(action), feedback_of(graph, int(action), labels[t]))
    return observation, state


@pytest.mark.parametrize("name", KINDS)
def test_labels_are_int64_alone_and_in_a_batch(name: str) -> None:
    learner, _, _ = CASES[name]
    one = seen(np.ones(D), 0)
    action, _ = learner.predict(one)
    actions, _ = learner.predict({key: np.array([value] * 3) for key, value in one.items()})
    assert isinstance(action, np.int64)
    assert actions.dtype == np.int64 and actions.shape == (3,)


def test_an_episode_begins_anew_with_other_draws() -> None:
    learner, graph, _ = CASES["gappletron-bandit"]
    observation, state = play(learner, graph, 40)
    both = {key: np.array([value, value]) for key, value in observation.items()}
    _, pair = learner.predict(both, type(state)(*(np.repeat(field, 2, axis=0) for field in state)), [True, False])
    assert (pair.weights[0] == 0).all() and (pair.weights[1] != 0).any()
    assert pair.episode.tolist() == [1, 0] and pair.decided.tolist() == [1, 41]
    assert (pair.key[0] != state.key[0]).all() and (pair.key[1] == state.key[0]).all()


def test_every_run_of_the_bench_draws_anew() -> None:
    learner = Gappletron(BANDIT, seed=5)
    keys = [tuple(learner.for_run(run).initial_state(1, D).key[0]) for run in (0, 0, 1)]
    assert keys[0] == keys[1] != keys[2]
    assert learner.for_run(1).parameters == learner.parameters | {"seed": learner.for_run(1).seed}
    for name in KINDS:
        assert type(CASES[name][0].for_run(1)) is type(CASES[name][0])


def test_the_flat_form_is_gymnasium_s() -> None:
    from gymnasium.spaces import Box, Dict, flatten

    observation = {key: np.asarray(value, dtype=float) for key, value in seen(np.arange(D), 3, 2).items()}
    space = Dict({key: Box(-9, 9, value.shape, np.float64) for key, value in observation.items()})
    flat = flatten(space, observation)
    layout = Layout(D, K)
    assert flat.shape == (layout.size,) == (D + K + 2,)
    for key, value in layout.split(flat).items():
        assert (value == observation[key]).all() and (layout.split(np.array([flat]))[key][0] == value).all()
    learner, graph, _ = CASES["gappletron-bandit"]
    last, state = play(learner, graph, 20)
    flat = flatten(space, {key: np.asarray(value, dtype=float) for key, value in last.items()})
    mapped, one = learner.predict(last, copy.deepcopy(state))
    flattened, two = learner.predict(flat, state)
    assert mapped == flattened and (one.weights == two.weights).all()


def test_nothing_is_learned_at_reset_or_from_hidden_labels() -> None:
    for name in KINDS:
        learner, graph, _ = CASES[name]
        observation, state = play(learner, graph, 30)
        for change in ({"round": [0.0]}, {"feedback": np.full(K, -1.0)}):
            before = state.weights.copy()
            _, after = learner.predict(observation | change, copy.deepcopy(state))
            assert (after.weights == before).all(), name


def test_a_state_that_begins_in_the_middle_of_an_episode_has_nothing_to_learn_from() -> None:
    _, state = Arow(K).predict(seen(np.ones(D), 7, 1, [0, 0, 1, 0]))
    assert (state.weights == 0).all() and state.decided[0] == 1


def test_a_label_is_known_once_all_others_are_excluded() -> None:
    for feedback, known in (([0, 0, -1, 0], True), ([0, -1, -1, 0], False), ([-1, -1, 1, -1], True)):
        _, state = MulticlassPerceptron(K).predict(seen(np.ones(D), 0))
        _, state = MulticlassPerceptron(K).predict(seen(np.ones(D), 1, 0, feedback), state)
        assert (state.weights[0, 2] == known).all()


def test_full_information_learners_hear_from_a_query_that_somebody_else_asked() -> None:
    _, state = Arow(K).predict(seen(np.ones(D), 0))
    _, state = Arow(K).predict(seen(np.ones(D), 1, K, [0, 0, 0, 1]), state)
    assert (state.weights[0, 3] > 0).all()


def test_an_action_that_was_overridden_is_learned_from_as_played() -> None:
    learner = Banditron(BANDIT, gamma=0.2)
    for played in range(K):
        _, state = learner.predict(seen(np.ones(D), 0))
        feedback = feedback_of(BANDIT, played, played)
        chance = state.probabilities[0, played]
        _, state = learner.predict(seen(np.ones(D), 1, played, feedback), state)
        expected = np.zeros(K)
        expected[0] -= 1
        expected[played] += 1 / chance
        np.testing.assert_allclose(state.weights[0, :, 0], expected)


def test_a_query_that_somebody_else_asked_teaches_gappletron_as_its_own() -> None:
    learner = Gappletron(GRAPHS["label_efficient"])
    states = []
    for played in (K, 0):
        _, state = learner.predict(seen(np.ones(D), 0))
        feedback = feedback_of(learner.graph, played, 2)
        _, state = learner.predict(seen(np.ones(D), 1, played, feedback), state)
        states.append(state)
    assert (states[0].weights[0, 2] > 0).all() and (states[1].weights == 0).all()


GOOD = seen(np.zeros(D), 1, 0, [0, 1, 0, 0])
BAD_OBSERVATIONS: list[tuple[Any, str]] = [
    (np.zeros(K + 2), "must have shape \\(d \\+ 6,\\)"),
    ({"features": np.zeros(D)}, "it lacks action, feedback, round"),
    (GOOD | {"features": 1.0}, "features must have shape"),
    (GOOD | {"features": [np.nan] * D}, "features must be finite"),
    (GOOD | {"features": ["1"] * D}, "features must hold real numbers"),
    (GOOD | {"feedback": [0, 1, 0]}, "feedback must have shape \\(4,\\)"),
    (GOOD | {"feedback": [0, 1, 0, 2]}, "feedback must be -1 where it is hidden"),
    (GOOD | {"feedback": [0, 1, 1, 0]}, "or 1 for one label"),
    (GOOD | {"feedback": [0, 1, np.nan, 0]}, "feedback must be"),
    (GOOD | {"action": [5.0]}, "action must be an integer from 0 to 4 "),
    (GOOD | {"action": [0.5]}, "action must be an integer"),
    (GOOD | {"action": [-2.0]}, "action must be an integer"),
    (GOOD | {"round": [-1.0]}, "round must be finite and at least 0"),
]


@pytest.mark.parametrize(("observation", "message"), BAD_OBSERVATIONS, ids=range(len(BAD_OBSERVATIONS)))
def test_a_bad_observation_is_one_clear_error(observation: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        Arow(K).predict(observation)


def test_a_state_of_another_kind_is_refused() -> None:
    _, state = Arow(K).predict(seen(np.ones(D), 0))
    with pytest.raises(TypeError, match="state must be a GappletronState of gappletron, got ArowState"):
        Gappletron(BANDIT).predict(seen(np.ones(D), 0), state)
    with pytest.raises(ValueError, match="state.weights must have shape"):
        Arow(K).predict(seen(np.ones(D + 1), 0), state)
    with pytest.raises(ValueError, match="state.weights must have shape"):
        Arow(K + 1).predict(seen(np.ones(D), 0) | {"feedback": -np.ones(K + 1)}, state)


TWO = FeedbackGraph.named("full", 2)
BAD_PARAMETERS = [
    (lambda: Gappletron("bandit"), "graph must be a FeedbackGraph"),  # type: ignore[arg-type]
    (lambda: Gappletron(BANDIT, "hinge"), "loss must be one of 'logistic_k', 'logistic_2', 'smooth_hinge'"),
    (lambda: Gappletron(BANDIT, parameters="two"), "parameters must be one of 'ones', 'theory'"),
    (lambda: Gappletron(BANDIT, parameters="theory"), "gappletron must be told radius"),
    (lambda: Gappletron(BANDIT, gamma=0.0), "gamma must be greater than 0"),
    (lambda: Gappletron(BANDIT, step=1.0), "step belongs to descent='fixed'"),
    (lambda: Gappletron(BANDIT, descent="fixed"), "gappletron must be told radius"),
    (lambda: Gappletron(TWO, "special_hinge"), "no kappa below 1 fits 2 classes"),
    (lambda: Gappletron(BANDIT, "special_hinge", kappa=0.3), "kappa must be at least 0.333"),
    (lambda: Gaptron(TWO, 1.0, 9, "special_hinge"), "no kappa below 1 fits 2 classes"),
    (lambda: Gaptron(BANDIT, 1.0, 9, "logistic_k"), "loss must be one of 'logistic_2', 'smooth_hinge'"),
    (lambda: Gaptron(BANDIT, 1.0, 9, gamma=0.0), "gamma must be greater than 0 in bandit feedback"),
    (lambda: Banditron(BANDIT), "banditron must be told gamma, or the horizon"),
    (lambda: Banditron(BANDIT, 10**400), f"horizon must be at most {2**53}"),
    (lambda: Gaptron(BANDIT, 2.0, 10**400), f"horizon must be at most {2**53}"),
    (
        lambda: Banditron(GRAPHS["apple_tasting"], 9),
        "must hear whether it was right; graph hides that where it plays 0",
    ),
    (lambda: PNewtron(BANDIT, 9, form="other"), "form must be one of 'exact', 'published'"),
    (lambda: SobaDiagonal(BANDIT, gamma=0.1, exploration="adaptive"), "gamma belongs to exploration='fixed'"),
    (lambda: PassiveAggressive(1), "classes must be at least 2"),
    (lambda: build("gaptron", {"graph": BANDIT}), "gaptron must be told radius, horizon"),
]


@pytest.mark.parametrize(("make", "message"), BAD_PARAMETERS, ids=[message for _, message in BAD_PARAMETERS])
def test_bad_parameters_are_one_clear_error(make: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        make()


def test_every_learner_is_built_from_what_a_scenario_tells() -> None:
    told = {"graph": BANDIT, "classes": K, "radius": 2.0, "horizon": 1000}
    for name, kind in learners_of("multiclass").items():
        learner = build(name, told)
        assert learner.name == name and kind.game == "multiclass" and "\n" not in kind.summary
        assert build(name, {}, **learner.parameters).parameters == learner.parameters
        assert name in learners_of("multiclass") and repr(learner).startswith(kind.__name__)
    assert build("banditron", told).gamma == pytest.approx(0.1)  # type: ignore[union-attr]
    theory = build("gappletron", told, parameters="theory")
    assert theory.gamma == pytest.approx(np.sqrt(K * K * 16) / 2)  # type: ignore[union-attr]


def test_gaptron_explores_and_steps_as_its_theory_says() -> None:
    bandit = Gaptron(BANDIT, 2.0, 100_000, norm=0.5)  # L = 4 X^2
    assert bandit.gamma == pytest.approx(0.5 * K * np.sqrt(16 / 200_000))
    assert bandit.step == pytest.approx(bandit.gamma / (16 * K**2))
    assert Gaptron(BANDIT, 2.0, 10).gamma == 1.0
    full = Gaptron(FULL, 2.0, 100, "special_hinge", kappa=0.75)  # L = X^2 / (1 - kappa)
    assert (full.gamma, full.step) == (0.0, pytest.approx(1 / (16 * K)))
    assert SobaDiagonal(BANDIT, 100).gamma == pytest.approx(0.1)
    assert PNewtron(BANDIT, 1000).gamma == pytest.approx(0.1)


def test_learners_for_full_information_say_so() -> None:
    made_for = {name for name, kind in learners_of("multiclass").items() if kind.made_for(BANDIT)}
    assert made_for == {"gappletron", "gaptron", "banditron", "pnewtron", "soba-diag", "inverse-gap-weighting"}
    assert all(kind.made_for(FULL) for kind in learners_of("multiclass").values())


@pytest.mark.parametrize("size", [1e-100, 1e100])
def test_tiny_and_huge_features_and_ties_stay_finite(size: float) -> None:
    for name in (*KINDS, "gappletron-parameter_free"):
        learner, graph, _ = CASES[name]
        state: Any = None
        observation = seen(np.zeros(D), 0)
        for t in range(1, 40):
            action, state = learner.predict(observation, state)
            x = np.full(D, size) if t % 3 else np.zeros(D)
            observation = seen(x, t, int(action), feedback_of(graph, int(action), t % K))
        assert all(np.isfinite(field).all() for field in state), name
        assert state.probabilities[0].sum() == pytest.approx(1.0)
