"""Learners, bounds and reaches of one's own: played as they are, or refused in one line."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import command

from agents import DataSet, L2Cost
from learners import Truth
from strategic_env import Scenario, Setting, evaluate, rollout, scenario
from strategic_env.cli.choices import chosen_learner

OWN = """
import numpy as np

class AcceptAll:
    def __init__(self, alpha, steps=1):
        self.alpha, self.steps = alpha, steps

    def predict(self, observation, state=None, episode_start=None, deterministic=True):
        return np.zeros(observation["features"].size + 1), state

    def bound(self, truth):
        return 7.5 * self.steps

nothing = 3
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "own_pieces_of_a_test.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def test_a_class_of_ones_own_is_told_what_its_constructor_names_and_its_bound_is_shown(folder: Path) -> None:
    game = scenario("KnownL2")
    one = chosen_learner("own_pieces_of_a_test:AcceptAll:steps=2", game)
    assert one.label == "own_pieces_of_a_test:AcceptAll:steps=2"
    assert one.learner.alpha == 0.3 and one.learner.steps == 2  # type: ignore[union-attr]
    results = evaluate([one], game, seeds=1, rounds=10)
    assert results.bound(one) == 15.0 and results.bound(one, printed=True) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("own_pieces_of_a_test:Other", "own_pieces_of_a_test has no class 'Other'"),
        ("own_pieces_of_a_test:nothing", "has no class 'nothing'"),
        ("no_module_of_this_name:Own", "No module named 'no_module_of_this_name'"),
        ("own_pieces_of_a_test:AcceptAll:step=2", "has no option 'step'"),
        ("perceptron:bas=true", "perceptron has no parameter 'bas'"),
        ("collections:Counter", "a learner must be a name, or an object with a method predict"),
    ],
)
def test_what_is_no_learner_is_refused(folder: Path, text: str, message: str) -> None:
    with pytest.raises((ValueError, TypeError, ImportError), match=message):
        chosen_learner(text, scenario("KnownL2"))


def test_an_estimator_and_a_learner_of_this_package_can_be_named_by_their_classes(folder: Path) -> None:
    game = scenario("KnownL2")
    one = chosen_learner("sklearn.linear_model:SGDClassifier:loss=perceptron", game)
    assert one.name == "SGDClassifier(loss='perceptron')"
    assert chosen_learner("learners:StrategicPerceptronL2", game).learner.parameters["alpha"] == 0.3  # type: ignore[union-attr]


def test_the_command_line_plays_a_class_of_the_current_folder_and_a_report_imports_nothing(folder: Path) -> None:
    learner = "own_pieces_of_a_test:AcceptAll"
    told = command(
        "run", "KnownL2", "--learner", learner, "--seeds", "1", "--rounds", "20", "--out", "out", folder=folder
    )
    assert told.returncode == 0, told.stderr
    (folder / "own_pieces_of_a_test.py").write_text("raise SystemExit('imported')")
    told = command("report", "out", folder=folder)
    assert told.returncode == 0 and learner in told.stdout and "imported" not in told.stdout + told.stderr


def test_a_bound_that_is_no_number_is_told_not_shown() -> None:
    class Odd:
        def predict(self, observation: Any, state: Any, episode_start: Any, deterministic: bool) -> tuple[Any, Any]:
            return np.zeros(3), state

        def bound(self, truth: Truth) -> Any:
            return "many"

    results = evaluate([Odd()], "KnownL2", seeds=1, rounds=5)
    with pytest.raises(TypeError, match="the bound of .*Odd must be a number, got 'many'"):
        results.bound(results.contestants[0])


@pytest.mark.parametrize("rounds", [50])
def test_members_may_reach_differently_far_in_every_form(rounds: int) -> None:
    rng = np.random.default_rng(5)
    features = rng.uniform(-1.0, 1.0, (40, 2))
    features = features[np.abs(features[:, 0]) > 0.3]
    labels, alpha = np.sign(features[:, 0]), rng.uniform(0.1, 0.12, len(features))
    population = DataSet(features, labels, standardise=False, alpha=alpha)
    margin, radius = float(np.abs(features[:, 0]).min()), population.radius
    largest = (float(alpha.max()),)
    truth = Truth("l2", 2, radius, margin, 0.0, largest, False, (float(alpha.min()),))
    knowledge = {"cost": "l2", "alpha_min": float(alpha.min()), "alpha_max": largest[0], "radius": radius}
    game = Scenario("mine", Setting(population=population, cost=L2Cost(largest[0])), rounds, knowledge, truth)
    results = evaluate(["strategic-perceptron-l2"], game, seeds=2)
    bound = results.bound(results.contestants[0])
    assert bound is not None and all(run.fused and run.mistakes <= bound for run in results.runs)
    played = rollout("strategic-perceptron-l2", game, games=1, rounds=rounds, seed=0)
    env, reaches = game.make(), dict(zip(map(tuple, features.tolist()), alpha, strict=True))
    observation, _ = env.reset(seed=0)
    learner, state, mistakes = results.contestants[0].learner, None, 0
    for _ in range(rounds):
        action, state = learner.predict(observation, state, None, True)  # type: ignore[union-attr]
        observation, _, _, _, info = env.step(action)
        mistakes += info["mistake"]
        if info["moved"]:
            moved = np.linalg.norm(observation["features"] - info["true_features"])
            assert moved <= reaches[tuple(info["true_features"].tolist())] * (1 + 1e-9)
    assert mistakes == played.mistakes[0]


def test_reaches_of_members_must_fit_the_cost_and_the_rows() -> None:
    with pytest.raises(ValueError, match=r"alpha must have shape \(2,\)"):
        DataSet([[0.0], [1.0]], [-1, 1], alpha=[0.1])
    with pytest.raises(ValueError, match="alpha must be above 0 for somebody"):
        DataSet([[0.0], [1.0]], [-1, 1], alpha=[0.0, 0.0])
    population = DataSet([[0.0], [1.0]], [-1, 1], alpha=[0.1, 0.2])
    with pytest.raises(ValueError, match=r"cost must be L2Cost\(0.2\), the largest alpha of the population"):
        Setting(population=population, cost=L2Cost(0.3))
