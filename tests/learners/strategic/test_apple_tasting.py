"""The strategic game with a feedback graph: nothing that it hides is shown, and no learner learns from it."""

import copy
from collections.abc import Iterator
from typing import Any

import gymnasium
import networkx
import numpy as np
import pytest

import strategic_env
from learners.feedback.graph import FeedbackGraph
from learners.strategic.base import Learner
from strategic_env.bench.contestants import all_contestants, contestant
from strategic_env.games.registration import environment_id
from strategic_env.games.scenarios import make, scenario
from strategic_env.games.strategic.builders import BUILDERS
from strategic_env.games.strategic.scenario import Scenario
from strategic_env.games.strategic.setting import FEEDBACK

ROUNDS = 120
TASTING = [[0, 0], [1, 1]]
# Of their state, what they have learned from labels.
LEARNED = ("weights", "intercept", "origin", "negative", "positive", "points", "labels", "shares", "squares")
# What a report refutes without its label: an estimate of how far people move, and then the phase begins anew.
FROM_REPORTS = ("phases", "guesses")


def rounds_of(learner: Any, game: Scenario, seed: int = 0) -> Iterator[tuple[dict[str, Any], Any, Any]]:
    """Play; yield every observation with the learner's state before and after it has seen it."""
    env, state = game.make(), None
    observation, _ = env.reset(seed=seed)
    for _ in range(ROUNDS):
        before = copy.deepcopy(state)
        action, state = learner.predict(observation, state)
        if before is not None:
            yield observation, before, copy.deepcopy(state)
        observation, *_ = env.step(action)


@pytest.mark.parametrize("name", BUILDERS)
def test_a_hidden_label_changes_no_weights(name: str) -> None:
    game = scenario(name, feedback="apple_tasting")
    hidden = 0
    for one in all_contestants(game)[0]:
        if one.learner is None:  # the reference, which is told the truth
            continue
        for observation, before, after in rounds_of(one.learner, game):
            if observation["label"] != 0.0:
                continue
            hidden += 1
            if any(not np.array_equal(getattr(before, key, 0), getattr(after, key, 0)) for key in FROM_REPORTS):
                continue
            for key in LEARNED:
                assert np.array_equal(getattr(before, key, 0), getattr(after, key, 0)), (one.label, key)
    assert hidden > ROUNDS


def test_three_stages_go_on_after_a_hidden_label_without_using_it() -> None:
    game = scenario("KnownL2", feedback="apple_tasting", noise=0.1)
    learner = contestant("three-stage-l2", game, noise=0.1).learner
    hidden = [(before, after) for seen, before, after in rounds_of(learner, game) if seen["label"] == 0.0]
    assert len(hidden) > 20
    for before, after in hidden:
        if (before.stage == after.stage).all() and not before.pending.any():
            assert np.array_equal(before.weights, after.weights) and not after.pending.any()


@pytest.mark.parametrize("name", ["KnownL2", "KnownL1", "UnknownL2", "BiasedL2", "BiasedL1"])
def test_the_theorems_bound_the_mistakes_that_are_seen(name: str) -> None:
    game = scenario(name, feedback="apple_tasting", margin=0.3)
    bounded = 0
    for one in all_contestants(game)[0]:
        bound = one.learner.bound(game.truth) if isinstance(one.learner, Learner) and game.truth else None
        if bound is None:
            continue
        bounded += 1
        seen = sum(bool(shown["label"] == -shown["prediction"]) for shown, *_ in rounds_of(one.learner, game))
        assert seen <= bound, one.label
    assert bounded


@pytest.mark.parametrize("name", BUILDERS)
def test_nothing_hidden_reaches_the_observation(name: str) -> None:
    """The same classifiers meet the same people under both graphs, and are shown the same but for hidden labels."""
    hiding = make(name, feedback="apple_tasting", reward="observed", info_level="none", population_seed=1)
    showing = make(name, feedback="full", population_seed=1)
    for env in (hiding, showing):
        env.reset(seed=3)
    source, hidden = np.random.default_rng(0), 0
    for _ in range(ROUNDS):
        action = source.uniform(-1.0, 1.0, size=hiding.action_space.shape)
        seen, reward, _, _, info = hiding.step(action)
        full, *_, told = showing.step(action)
        assert info == {} and reward == (-1.0 if told["mistake"] and told["true_label"] < 0.0 else 0.0)
        if full["round"][0] == 0.0:  # nobody's label has come in yet
            assert seen["label"][0] == full["label"][0] == 0.0
            continue
        # A lottery may let in whom the rule rejects.
        rejected = not told.get("accepted", seen["prediction"][0] > 0.0)
        assert seen["label"] == (0.0 if rejected else full["label"]) and full["label"] != 0.0
        for key in ("features", "prediction", "classifier", "round"):
            assert np.array_equal(seen[key], full[key]), key
        hidden += rejected
    assert hidden > 10


@pytest.mark.parametrize(
    ("feedback", "name"),
    [
        (FeedbackGraph.named("full", 2), "full"),
        (FeedbackGraph.named("bandit", 2), "full"),  # of two labels: whether it was right tells which it is
        ([[0, 1], [1, 0]], "full"),
        (FeedbackGraph.named("apple_tasting", 2), "apple_tasting"),
        (TASTING, "apple_tasting"),
        ([[0, 0], [0, 1]], "apple_tasting"),
        (np.array(TASTING, dtype=bool), "apple_tasting"),
        (networkx.DiGraph([(1, 0), (1, 1)]), "apple_tasting"),
    ],
    ids=["full", "bandit", "cycle", "apple_tasting", "list", "one_edge", "flags", "networkx"],
)
def test_a_graph_plays_as_the_name_of_what_it_shows(feedback: Any, name: str) -> None:
    game = scenario("KnownL2", feedback=feedback)
    assert game.setting.feedback == name
    env = game.make()
    env.reset(seed=0)
    observation, *_ = env.step(np.array([0.0, 0.0, -1.0]))  # rejects everybody
    assert (observation["label"] == 0.0) == (name == "apple_tasting")


def test_graphs_go_through_every_door() -> None:
    one = gymnasium.make(environment_id("KnownL2"), feedback=TASTING)
    many = gymnasium.make_vec(environment_id("KnownL2"), num_envs=2, feedback=FeedbackGraph(TASTING))
    for env, action in ((one, np.array([0.0, 0.0, -1.0])), (many, np.tile([0.0, 0.0, -1.0], (2, 1)))):
        env.reset(seed=0)
        assert not np.any(env.step(action)[0]["label"])
    by_graph, by_name = (
        strategic_env.evaluate(["strategic-perceptron-l2"], scenario("KnownL2", feedback=feedback), seeds=1, rounds=50)
        for feedback in (TASTING, "apple_tasting")
    )
    assert [run.mistakes for run in by_graph.runs] == [run.mistakes for run in by_name.runs]


def test_the_flags_of_the_game_are_those_of_the_graphs() -> None:
    assert {name: FeedbackGraph.named(name, 2).reveals.tolist() for name in FEEDBACK} == {
        "full": [[True, True], [True, True]],
        "apple_tasting": [[False, False], [True, True]],
    }
    assert FEEDBACK == {"full": True, "apple_tasting": False}


@pytest.mark.parametrize(
    ("feedback", "kind", "message"),
    [
        ("bandit", ValueError, "feedback must be one of 'full', 'apple_tasting', got 'bandit'"),
        ([[1, 1], [0, 0]], ValueError, r"feedback must show the labels of the accepted .* got \[\[1, 1\], \[0, 0\]\]"),
        (FeedbackGraph.named("label_efficient", 2), ValueError, "have no query node"),
        (
            FeedbackGraph.named("full", 3),
            ValueError,
            "must be a graph of 2 classes, got <FeedbackGraph full: 3 classes",
        ),
        ([[1, 0], [0, np.nan]], ValueError, "feedback must be .*: adjacency must be finite, got nan"),
        (np.eye(4), ValueError, "feedback must have 2 nodes, one for each class, or 3 with a query, got 4"),
        ([[0, 0], [0, 0]], ValueError, "feedback must be .*: adjacency must show every label"),
        (None, TypeError, "feedback must be .*: adjacency must hold real numbers, got None"),
    ],
    ids=["name", "rejected_only", "query", "three_classes", "nan", "four_classes", "empty", "none"],
)
def test_feedback_that_makes_no_game_is_refused(feedback: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        scenario("KnownL2", feedback=feedback)
