"""Every named learner of a game with scenarios passes every check of learners, where the scenario tells it enough."""

import pickle
from typing import Any

import numpy as np
import pytest

from agents import GaussianMixture
from learners import BestFixedClassifier, FeedbackGraph
from learners.catalogue import all_learners
from learners.policy import Policy
from strategic_env import MulticlassScenario, MulticlassSetting, check_learner, scenario
from strategic_env.bench.contestants import contestant
from strategic_env.conformance.learner_checker import CHECKS
from strategic_env.games.registration import GAMES
from strategic_env.games.shared.scenario import BenchScenario

# Where a learner plays: the first scenario that tells it enough.
SCENARIOS = [
    scenario("KnownL2"),
    scenario("KnownL1"),
    scenario("UnknownL1Single"),
    scenario("Bandit", classes=3),
    scenario("FullInformation", classes=3),
    scenario("FullInformation", classes=2),
    scenario("ContextualSearch"),
    MulticlassScenario(
        "few features",
        MulticlassSetting(population=GaussianMixture(dim=2, classes=3), graph=FeedbackGraph.named("full", 3)),
        horizon=100,
        knowledge={"classes": 3},
    ),
]
# What the command line must be told besides, and forms that do not take part by default.
PARAMETERS: dict[str, list[dict[str, object]]] = {
    "constant-classifier": [{}, {"accept": False}],
    "perceptron": [{}, {"bias": True, "learning_rate": 0.5}],
    "gradient-max-margin": [{}, {"bias": True}],
    "two-centres": [{}],
    "k-centres": [
        {},
        {"engine": "one-scale", "margin": 0.1, "updates": "paper"},
        {"engine": "exact"},
        {"engine": "sampled"},
    ],
    "single-ellipsoid": [{"threshold": 0.1}],
    "chebyshev-halving": [{"restart": True}],
    "three-stage-l2": [{"noise": 0.1}],
    "improving-perceptron": [{"improvement": 1.0}],
    "patient": [{"learner": "strategic-perceptron-l2", "rounds": 3}],
    "echo-checking": [{"learner": "strategic-perceptron-l2"}],
    "gappletron": [{}, {"descent": "projected", "norm": 0.8}, {"descent": "parameter_free"}],
    "density-centres": [{}, {"capped": False, "similarity": "euclidean"}],
    "second-order-centres": [{}],
    "nearest-past-point": [{"memory": 50}],
    "sb3": [{"path": "meta-l2"}],
}
# Forms for other costs than those of the first scenario.
ELSEWHERE: list[tuple[str, str, dict[str, object]]] = [
    ("biased-l2", "BiasedL2", {}),
    ("strategic-perceptron-l2", "KnownL2", {"surrogate": "always"}),
    ("improving-perceptron", "KnownL1", {"improvement": [1.0, 1.0]}),
    ("patient", "KnownL1", {"learner": "biased-l1", "rounds": 2}),
    ("strategic-max-margin", "KnownL1", {"bias": True}),
    ("strategic-gradient", "KnownL1", {}),
    ("adaptive-gradient", "KnownL1", {}),
    ("gappletron", "FullInformation", {}),
    ("gaptron", "FullInformation", {}),
    ("inverse-gap-weighting", "FullInformation", {}),
]


def playing(name: str, parameters: dict[str, object]) -> tuple[Policy[Any], BenchScenario]:
    """Return a named learner and the first scenario that tells it enough."""
    if name == "best-fixed-classifier":  # the bench builds it from true points
        return BestFixedClassifier([0.6, 0.8, -0.3]), SCENARIOS[0]
    for chosen in SCENARIOS:
        try:
            learner = contestant(name, chosen, **parameters).learner
        except ValueError:
            continue
        if chosen.suits(type(learner)):  # type: ignore[arg-type]
            return learner, chosen  # type: ignore[return-value]
    raise AssertionError(f"no scenario tells {name} enough: name one in SCENARIOS, or what is missing in PARAMETERS")


def cases() -> dict[str, tuple[Policy[Any], BenchScenario]]:
    """Return learners and their scenarios by what they are called."""
    found = {}
    for name, kind in NAMED.items():
        for parameters in PARAMETERS.get(name, [dict(one) for one in kind.defaults]):
            learner, chosen = playing(name, parameters)
            found[f"{name}{parameters or ''}-{chosen.name}"] = learner, chosen
    for name, place, parameters in ELSEWHERE:
        chosen = scenario(place)
        found[f"{name}{parameters or ''}-{place}"] = contestant(name, chosen, **parameters).learner, chosen
    return found


NAMED = {name: kind for name, kind in all_learners().items() if kind.game in {game.name for game in GAMES}}
CASES = cases()


def test_every_named_learner_is_among_them() -> None:
    assert {learner.name for learner, _ in CASES.values()} == set(NAMED)


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("case", CASES)
def test_every_learner_passes_every_check(case: str, check: str) -> None:
    learner, chosen = CASES[case]
    rounds = 60 if learner.has_rules() else 20  # a network takes its time
    check_learner(learner, chosen, rounds=rounds, skip=CHECKS.keys() - {check})


@pytest.mark.parametrize("case", CASES)
def test_every_learner_learns_something_that_the_checks_can_miss(case: str) -> None:
    """Half a game is enough, for an episode start to have something to forget."""
    learner, chosen = CASES[case]
    env = chosen.make()
    observation, _ = env.reset(seed=0)
    states: list[Any] = []
    state = None
    for _ in range(30):
        action, state = learner.predict(observation, state)
        states.append([np.array(field) for field in state])
        observation, *_ = env.step(action)
    changed = any((first != last).any() for first, last in zip(states[0], states[-1], strict=True))
    assert changed or learner.name in ("constant-classifier", "best-fixed-classifier")


@pytest.mark.parametrize("case", CASES)
def test_a_pickled_learner_plays_as_itself(case: str) -> None:
    learner, chosen = CASES[case]
    env = chosen.make()
    observation, _ = env.reset(seed=0)
    twin = pickle.loads(pickle.dumps(learner))
    assert repr(twin) == repr(learner)
    state, other = None, None
    for _ in range(10):
        action, state = learner.predict(observation, state)
        again, other = twin.predict(observation, other)
        assert np.array_equal(action, again)
        assert all(np.array_equal(one, same) for one, same in zip(state, other, strict=True))
        observation, *_ = env.step(action)
