"""Trained policies as learners: in memory and from files, recurrent or not, beside the paper's learners."""

import copy
import json
import zipfile
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from rl_models import ALGORITHMS, DIM, ID, SMALL, built, played

import strategic_env
from learners.rl import SavedPolicy, TrainedPolicy, ViewedVectorEnv, load, save, shipped
from learners.rl.saved_policy import ABOUT, SHIPPED, WEIGHTS
from learners.rl.training import mistakes_in_games
from learners.rl.views import VIEWS
from strategic_env.bench.rollout import rollout
from strategic_env.games.scenarios import scenario
from strategic_env.report.scores import ratio_of_means

UNSEEN = 1_000_000
SCENARIO = scenario("KnownL2", dim=DIM, horizon=40)


@pytest.mark.parametrize(
    ("algorithm", "seen"), [*((name, "coefficients") for name in ALGORITHMS), ("PPO", "dict"), ("RecurrentPPO", "dict")]
)
def test_a_policy_plays_on_from_its_file(algorithm: str, seen: str, tmp_path: Path) -> None:
    model, view = built(algorithm, seen)
    save(model, tmp_path / "policy.zip", view, {"why": "a test"})
    loaded = load(tmp_path / "policy.zip")
    np.testing.assert_array_equal(played(loaded), played(TrainedPolicy(model, view)))
    assert loaded.about["algorithm"] == algorithm and loaded.about["training"]["why"] == "a test"
    assert np.ptp(played(loaded), axis=0).max() > 0.0, "nothing is tested where nothing moves"


@pytest.mark.parametrize("view", VIEWS)
def test_a_learner_does_what_the_model_does_in_its_own_environment(view: str) -> None:
    model, seen_through = built(view=view)
    env = ViewedVectorEnv(gymnasium.make_vec(ID, num_envs=3, dim=DIM, horizon=40, autoreset_mode="Disabled"), view)
    observation, _ = env.reset(seed=4)
    for published in played(TrainedPolicy(model, seen_through)):
        action, _ = model.predict(observation, deterministic=True)
        observation, *_ = env.step(action)
        np.testing.assert_array_equal(env._history.seen[:, : DIM + 1], published)


@pytest.mark.parametrize("algorithm", ["PPO", "RecurrentPPO"])
def test_games_are_learned_apart_and_an_episode_start_forgets(algorithm: str) -> None:
    learner = TrainedPolicy(*built(algorithm))
    many = played(learner)
    env = gymnasium.make_vec(ID, num_envs=3, dim=DIM)
    observation, _ = env.reset(seed=4)
    states: list[Any] = [None] * 3
    for published in many:
        rows = [{key: value[game] for key, value in observation.items()} for game in range(3)]
        answers = [learner.predict(row, state) for row, state in zip(rows, states, strict=True)]
        states = [state for _, state in answers]
        np.testing.assert_allclose([action for action, _ in answers], published, atol=1e-5)
        observation, *_ = env.step(published)
    _, state = learner.predict(observation, None)
    before = copy.deepcopy(state)
    learner.predict(observation, state, np.array([True, False, True]))
    _, fresh = learner.predict({key: value[[0]] for key, value in observation.items()}, None)
    for now, then, first in zip(state, before, fresh, strict=True):
        np.testing.assert_allclose(now[0], first[0], atol=1e-6)
        assert now.shape == then.shape
    assert state.counts[1, 1] == before.counts[1, 1] + 1.0


def test_what_a_recurrent_policy_carries_is_in_the_state() -> None:
    learner = TrainedPolicy(*built("RecurrentPPO"))
    env = gymnasium.make_vec(ID, num_envs=2, dim=DIM)
    observation, _ = env.reset(seed=0)
    _, state = learner.predict(observation, None)
    assert state.memory.shape == (2, 8) and np.abs(state.memory).min() > 0.0


@pytest.mark.parametrize("view", ["flat", "statistics"])
def test_only_coefficients_play_in_another_dimension(view: str) -> None:
    assert played(TrainedPolicy(*built()), dim=5).shape == (15, 3, 6)
    with pytest.raises(ValueError, match=r"was trained with 3 features, the game has 5"):
        played(TrainedPolicy(*built(view=view)), dim=5)


def test_flat_observations_are_understood_and_answered_in_float32() -> None:
    learner = TrainedPolicy(*built())
    env = gymnasium.make(ID, dim=DIM, observation="flat")
    observation, _ = env.reset(seed=0)
    state = None
    for _ in range(5):
        action, state = learner.predict(observation, state)
        assert action.dtype == np.float32 and action in env.action_space
        observation, *_ = env.step(action)


def test_it_takes_part_beside_the_papers_learners(tmp_path: Path) -> None:
    model, view = built()
    save(model, tmp_path / "policy.zip", view)
    players = [TrainedPolicy(model, view), load(tmp_path / "policy.zip"), "strategic-perceptron-l2"]
    results = strategic_env.evaluate(players, SCENARIO, seeds=2, rounds=30)
    assert not [run.error for run in results.runs if run.error]
    in_memory, from_file, theirs = ([run.mistakes for run in results.of(one)] for one in results.contestants)
    assert in_memory == from_file != theirs


def test_results_of_a_saved_policy_are_shown_again(tmp_path: Path) -> None:
    model, view = built()
    save(model, tmp_path / "policy.zip", view)
    players = {"mine": load(tmp_path / "policy.zip"), "further": load(tmp_path / "policy.zip", alpha=0.4)}
    results = strategic_env.evaluate(players, SCENARIO, seeds=2, rounds=20, out=tmp_path / "out")
    (tmp_path / "policy.zip").unlink()
    again = strategic_env.Results.load(tmp_path / "out")
    assert again.runs == results.runs
    assert [one.label for one in again.contestants] == ["mine", "further"]
    assert [one.parameters for one in again.contestants] == [one.parameters for one in results.contestants]


def test_a_saved_policy_is_told_what_the_scenario_tells(tmp_path: Path) -> None:
    model, view = built()
    file = tmp_path / "policy.zip"
    save(model, file, view)
    other = scenario("KnownL2", dim=7, alpha=0.1, radius=2.0)
    learner = SavedPolicy.from_knowledge(other.knowledge, path=str(file))
    assert (learner.parameters["alpha"], learner.parameters["radius"]) == (0.1, 2.0)
    assert SavedPolicy.from_knowledge(other.knowledge, path=str(file), alpha=0.2).parameters["alpha"] == 0.2
    assert load(file).parameters["alpha"] == 0.3, "as in training where nobody says"
    assert SavedPolicy.from_knowledge(other.knowledge, path=str(file), alpha=None).parameters["alpha"] == 0.1
    with pytest.raises(ValueError, match=r"sb3 must be told alpha; the scenario tells cost, radius, margin"):
        SavedPolicy.from_knowledge(scenario("UnknownL2").knowledge, path=str(file))
    with pytest.raises(ValueError, match=r"sb3 needs path=FILE"):
        SavedPolicy.from_knowledge(other.knowledge)


def test_the_same_policy_is_the_same_file_and_knows_itself(tmp_path: Path) -> None:
    model, view = built()
    files = [tmp_path / name for name in ("a.zip", "b.zip")]
    for file in files:
        save(model, file, view)
    assert files[0].read_bytes() == files[1].read_bytes()
    assert load(files[0]).parameters["digest"] == load(files[1]).parameters["digest"]
    other, _ = built("A2C")
    save(other, files[1], view)
    assert load(files[0]).parameters["digest"] != load(files[1]).parameters["digest"]


def test_a_file_holds_no_pickled_objects(tmp_path: Path) -> None:
    model, view = built()
    save(model, tmp_path / "policy.zip", view)
    with zipfile.ZipFile(tmp_path / "policy.zip") as archive:
        assert archive.namelist() == [ABOUT, WEIGHTS]
        assert json.loads(archive.read(ABOUT))["view"] == "coefficients"


def test_what_cannot_be_kept_is_refused(tmp_path: Path) -> None:
    import torch

    model, view = built()
    model.policy_kwargs = SMALL | {"activation_fn": type("Mine", (torch.nn.ReLU,), {})}
    with pytest.raises(ValueError, match=r"must hold JSON values only"):
        save(model, tmp_path / "policy.zip", view)
    assert not list(tmp_path.iterdir())
    with pytest.raises(ValueError, match=r"model must have the observation_space Box.*20.* of the view 'coefficients'"):
        TrainedPolicy(built(view="flat")[0], view)


@pytest.mark.parametrize("content", [b"", b"PK", b"{}"], ids=["empty", "cut", "text"])
def test_another_file_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "policy.zip").write_bytes(content)
    with pytest.raises(ValueError, match=r"path must name a policy that learners\.rl\.save wrote"):
        load(tmp_path / "policy.zip")
    with pytest.raises(OSError):
        load(tmp_path / "nothing.zip")


def test_a_zip_file_of_something_else_is_refused(tmp_path: Path) -> None:
    model, _ = built()
    model.save(tmp_path / "model.zip")
    with pytest.raises(ValueError, match=r"path must name a policy that learners\.rl\.save wrote"):
        load(tmp_path / "model.zip")


def test_the_packages_policies_are_small_and_say_where_they_come_from() -> None:
    assert len(shipped()) >= 2
    assert sum(path.stat().st_size for path in SHIPPED.iterdir()) < 2**20
    for name in shipped():
        training = load(name).about["training"]
        assert {"environment", "options", "seed", "settings", "timesteps", "versions"} <= training.keys()
        card = (SHIPPED / f"{name}.md").read_text(encoding="utf-8")
        assert f"seed {training['seed']}" in card and f"{training['timesteps']:,} rounds" in card


@pytest.mark.parametrize(("dim", "most"), [(5, 0.5), (10, 0.55), (20, 0.6)])
def test_the_packages_policy_errs_less_than_the_papers_algorithm(dim: int, most: float) -> None:
    options = {"dim": dim, "horizon": 200}
    ours = mistakes_in_games(load("meta-l2"), ID, 200, UNSEEN, **options)[:, np.newaxis]
    table = scenario("KnownL2", **options)
    theirs = rollout("strategic-perceptron-l2", table, games=200, seed=UNSEEN).mistakes[:, np.newaxis]
    assert ratio_of_means(ours, theirs).high < most


DAMAGES = pytest.mark.parametrize("number", [np.nan, np.inf, 1e308], ids=str)


@DAMAGES
@pytest.mark.parametrize("view", VIEWS)
def test_a_damaged_history_is_refused_or_played_within_the_box(view: str, number: float) -> None:
    learner = TrainedPolicy(*built(view=view))
    observation = {"features": np.ones((2, DIM)), "classifier": np.full((2, DIM + 1), 0.1), "round": np.ones((2, 1))}
    observation |= {"label": np.ones((2, 1)), "prediction": -np.ones((2, 1))}
    _, fresh = learner.predict(observation)
    refusals = 0
    for place in range(len(fresh)):
        state = copy.deepcopy(fresh)
        state[place][1] = number
        try:
            published, _ = learner.predict(observation, state)
        except ValueError as error:
            assert str(error).startswith("state is damaged: what trained-policy makes of it in game 1 is")
            refusals += 1
        else:
            assert (np.abs(published) <= 1.0).all()
    assert refusals > 0 or view in ("flat", "dict")  # which remembers nothing but the last observation


@DAMAGES
def test_a_damaged_memory_is_refused(number: float) -> None:
    learner = TrainedPolicy(*built("RecurrentPPO"))
    observation = np.zeros(2 * DIM + 4, dtype=np.float32)
    _, state = learner.predict(observation)
    state.memory[:] = number
    with pytest.raises(ValueError, match="^state is damaged"):
        learner.predict(observation, state)


def test_classifiers_that_float32_cannot_hold_are_refused() -> None:
    learner = TrainedPolicy(*built(view="flat"))
    observation = np.zeros(2 * DIM + 4)
    observation[0] = 1e40
    with pytest.raises(ValueError, match=r"^classifier must be at most 1e\+30 in size here, got 1e\+40$"):
        learner.predict(observation)
