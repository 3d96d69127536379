"""Trained policies and what does not fit them: models, views, games, actions, files; nothing of it goes unnoticed."""

import copy
import json
import os
import threading
import zipfile
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium import spaces
from rl_models import DIM, ID, SMALL, built, played
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import VecNormalize

import strategic_env
from learners.rl import GymnasiumVecEnv, SavedPolicy, TrainedPolicy, ViewedEnv, ViewedVectorEnv, load, make_view, save
from learners.rl.history import REVEALED, ROUNDS
from learners.rl.saved_policy import ABOUT, WEIGHTS
from learners.rl.views import VIEWS
from strategic_env.games.scenarios import scenario

SCENARIO = scenario("KnownL2", dim=DIM, horizon=40)
TOLD = {"cost": "l2", "alpha": 0.3, "radius": 1.0}


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """Return the file of a policy."""
    model, view = built()
    save(model, tmp_path / "policy.zip", view)
    return tmp_path / "policy.zip"


# Actions


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda shape: np.zeros((100_000, shape[1])), r"action must have shape"),
        (lambda shape: np.zeros((1, shape[1])), r"action must have shape"),
        (lambda shape: np.zeros((shape[0], 0)), r"action must have shape"),
        (lambda shape: np.zeros(shape[1]), r"action must have shape"),
        (lambda shape: np.full(shape, np.nan), r"action must be finite, got nan"),
        (lambda shape: np.full(shape, 1.1), r"action must be at most 1 in size, got 1\.1"),
        (lambda shape: None, r"action must hold real numbers"),
    ],
    ids=["many rows", "one row", "no columns", "flat", "nan", "large", "none"],
)
def test_what_is_no_action_is_refused_and_not_remembered(view: str, change: Any, message: str) -> None:
    env = ViewedVectorEnv(gymnasium.make_vec(ID, num_envs=2, dim=DIM, autoreset_mode="Disabled"), view)
    env.reset(seed=0)
    env.step(np.full(env.action_space.shape, 0.5))
    before = copy.deepcopy(env._history)
    with pytest.raises((TypeError, ValueError), match=message):
        env.step(change(env.action_space.shape))
    for now, then in zip(env._history, before, strict=True):
        np.testing.assert_array_equal(now, then)


@pytest.mark.parametrize("action", [np.zeros(2), np.zeros((1, 4)), 0.5, np.full(4, np.inf)], ids=str)
def test_one_game_refuses_what_is_no_action_and_goes_on(action: Any) -> None:
    env = ViewedEnv(gymnasium.make(ID, dim=DIM))
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"action must"):
        env.step(action)
    assert np.isfinite(env.step(np.zeros(4, dtype=np.float32))[0]).all()


# Models


def test_a_model_with_other_spaces_is_refused(tmp_path: Path) -> None:
    model, view = built()
    wide = spaces.Box(-5.0, 5.0, (4,), np.float32)
    model.policy.action_space = model.action_space = wide
    for wrong in (lambda: TrainedPolicy(model, view), lambda: save(model, tmp_path / "policy.zip", view)):
        with pytest.raises(
            ValueError, match=r"model must have the action_space Box\(-1\.0, 1\.0.*got Box\(-5\.0, 5\.0"
        ):
            wrong()
    flat, _ = built(view="flat", dim=8)
    with pytest.raises(ValueError, match=r"model must have the action_space"):
        TrainedPolicy(flat, view)
    discrete = PPO("MlpPolicy", "CartPole-v1", device="cpu")
    with pytest.raises(ValueError, match=r"model must have the observation_space"):
        TrainedPolicy(discrete, view)


@pytest.mark.parametrize("model", [None, "meta-l2", PPO], ids=str)
def test_what_does_not_predict_is_no_model(model: Any, tmp_path: Path) -> None:
    _, view = built()
    for wrong in (lambda: TrainedPolicy(model, view), lambda: save(model, tmp_path / "policy.zip", view)):
        with pytest.raises(TypeError, match=r"model must be a model of Stable-Baselines3"):
            wrong()


def test_what_is_no_view_is_refused(tmp_path: Path) -> None:
    model, _ = built()
    for wrong in (lambda: TrainedPolicy(model, "flat"), lambda: save(model, tmp_path / "policy.zip", None)):  # type: ignore[arg-type]
        with pytest.raises(TypeError, match=r"view must be a View"):
            wrong()


def test_observations_are_normalised_as_in_training(tmp_path: Path) -> None:
    env = ViewedVectorEnv(gymnasium.make_vec(ID, num_envs=4, dim=DIM, horizon=20, autoreset_mode="Disabled"))
    normalised = VecNormalize(GymnasiumVecEnv(env), clip_obs=2.0)
    model = PPO("MlpPolicy", normalised, n_steps=8, batch_size=32, n_epochs=1, policy_kwargs=SMALL, device="cpu")
    model.learn(64)
    save(model, tmp_path / "policy.zip", env.view)
    normalised.training = False
    observation = normalised.reset()
    learners = [TrainedPolicy(model, env.view), load(tmp_path / "policy.zip")]
    for learner in learners:
        expected, _ = model.predict(observation, deterministic=True)
        answered = learner._choose(env.view, normalised.get_original_obs(), np.zeros((4, 0)), True)
        np.testing.assert_array_equal(answered, expected)
    before = learners[0].parameters["digest"]
    normalised.obs_rms.mean += 1.0
    assert TrainedPolicy(model, env.view).parameters["digest"] != before


def test_normalised_dictionaries_are_refused() -> None:
    env = ViewedVectorEnv(gymnasium.make_vec(ID, num_envs=2, dim=DIM, horizon=20, autoreset_mode="Disabled"), "dict")
    model = PPO("MultiInputPolicy", VecNormalize(GymnasiumVecEnv(env)), policy_kwargs=SMALL, device="cpu")
    with pytest.raises(ValueError, match="model must see arrays through VecNormalize, got a dictionary"):
        TrainedPolicy(model, env.view)


def test_results_belong_to_the_weights_and_layers_that_they_were_made_with(tmp_path: Path) -> None:
    models = []
    for function in (torch.nn.Tanh, torch.nn.ReLU):
        env = ViewedVectorEnv(gymnasium.make_vec(ID, num_envs=2, dim=DIM, autoreset_mode="Disabled"), "statistics")
        kwargs = SMALL | {"activation_fn": function, "log_std_init": 0.0}
        models.append(PPO("MlpPolicy", GymnasiumVecEnv(env), policy_kwargs=kwargs, seed=0, device="cpu"))
    models[1].policy.load_state_dict(models[0].policy.state_dict())
    learners = [TrainedPolicy(model, env.view) for model in models]
    assert learners[0].parameters["digest"] != learners[1].parameters["digest"]

    def mistakes() -> list[int]:
        return [run.mistakes for run in strategic_env.evaluate(learners[:1], SCENARIO, 4, 30, out=tmp_path).runs]

    first = mistakes()
    with torch.no_grad():
        for weights in models[0].policy.action_net.parameters():
            weights.mul_(-1.0)
    assert mistakes() != first, "results of other weights were shown"


def test_activation_functions_and_classes_of_ones_own_are_kept(tmp_path: Path) -> None:
    class Mine(PPO):
        """An algorithm of one's own, with a policy of the library."""

    env = ViewedVectorEnv(gymnasium.make_vec(ID, num_envs=2, dim=DIM, autoreset_mode="Disabled"))
    kwargs = SMALL | {"activation_fn": torch.nn.ReLU}
    model = Mine("MlpPolicy", GymnasiumVecEnv(env), policy_kwargs=kwargs, seed=0, device="cpu")
    save(model, tmp_path / "policy.zip", env.view)
    loaded = load(tmp_path / "policy.zip")
    assert loaded.about["algorithm"] == "PPO" and loaded.about["policy_kwargs"]["activation_fn"] == "nn.ReLU"
    np.testing.assert_array_equal(played(loaded), played(TrainedPolicy(model, env.view)))


def test_noise_is_drawn_anew_in_every_round_and_no_loading_is_noticed(saved: Path) -> None:
    torch.manual_seed(5)
    before = torch.get_rng_state()
    learner = load(saved)
    assert torch.equal(torch.get_rng_state(), before), "loading moves torch's generator"
    env = gymnasium.make_vec(ID, num_envs=2, dim=DIM)
    env.reset(seed=0)
    observation, *_ = env.step(np.zeros((2, DIM + 1)))
    published = [learner.predict(observation, None, deterministic=False)[0] for _ in range(3)]
    assert not np.array_equal(published[0], published[1]) and not np.array_equal(published[1], published[2])
    again = copy.deepcopy(learner)
    np.testing.assert_array_equal(played(again), played(learner))


def test_a_policy_is_loaded_in_float32_whatever_torch_prefers(saved: Path) -> None:
    expected = played(load(saved))
    torch.set_default_dtype(torch.float64)
    try:
        np.testing.assert_array_equal(played(load(saved)), expected)
    finally:
        torch.set_default_dtype(torch.float32)


# Games


def test_a_policy_does_not_play_where_people_pay_another_cost(saved: Path) -> None:
    for dim in (2, DIM):
        with pytest.raises(ValueError, match=r"sb3: .*policy\.zip' was trained for l2 costs; the scenario has l1"):
            SavedPolicy.from_knowledge(scenario("KnownL1", dim=dim).knowledge, path=str(saved))


def test_weighted_costs_of_another_dimension_are_told_anew(tmp_path: Path) -> None:
    env = ViewedVectorEnv(
        gymnasium.make_vec("strategic_env/KnownL1-v0", num_envs=2, dim=2, alpha=[0.1, 0.2], autoreset_mode="Disabled")
    )
    model = PPO("MlpPolicy", GymnasiumVecEnv(env), policy_kwargs=SMALL, device="cpu")
    save(model, tmp_path / "policy.zip", env.view)
    other = scenario("KnownL1", dim=3, alpha=[0.1, 0.2, 0.4])
    learner = SavedPolicy.from_knowledge(other.knowledge, path=str(tmp_path / "policy.zip"))
    results = strategic_env.evaluate([learner], other, seeds=1, rounds=20)
    assert results.runs[0].error is None and learner.parameters["alpha"] == [0.1, 0.2, 0.4]


def test_a_flat_policy_is_told_nothing_and_plays_where_reaches_differ(tmp_path: Path) -> None:
    env = ViewedVectorEnv(
        gymnasium.make_vec("strategic_env/KnownL1-v0", num_envs=2, dim=3, autoreset_mode="Disabled"), "flat"
    )
    save(PPO("MlpPolicy", GymnasiumVecEnv(env), policy_kwargs=SMALL, device="cpu"), tmp_path / "policy.zip", env.view)
    for nonsense in ({"alpha": np.nan}, {"alpha": "abc"}, {"radius": -3.0}):
        with pytest.raises((TypeError, ValueError), match=rf"{min(nonsense)} must"):
            load(tmp_path / "policy.zip", **nonsense)  # type: ignore[arg-type]
    other = scenario("KnownL1", dim=3, alpha=[0.1, 0.2, 0.4])
    results = strategic_env.evaluate([f"sb3:path={tmp_path / 'policy.zip'}"], other, seeds=1, rounds=20)
    assert results.runs[0].error is None


def test_the_smallest_reach_serves_for_all() -> None:
    env = ViewedEnv(gymnasium.make("strategic_env/HeterogeneousL2-v0"))
    told = scenario("HeterogeneousL2").knowledge
    assert env.view.knowledge["alpha"] == told["alpha_min"]


def test_another_game_is_refused() -> None:
    with pytest.raises(TypeError, match=r"env must be an environment of strategic classification"):
        ViewedEnv(gymnasium.make("strategic_env/Bandit-v0"))


@pytest.mark.parametrize(
    ("view", "change", "message"),
    [
        ("flat", {"radius": 1e90}, r"radius must be from 1e-30 to 1e\+30 here, got 1e\+90"),
        ("flat", {"radius": 1e-60}, r"radius must be from 1e-30"),
        ("coefficients", {"alpha": 1e90}, r"alpha must be at most 1e\+30 here, got 1e\+90"),
        ("statistics", {"radius": 1e-90}, r"alpha must be at most 1e-60 here, got 0\.3"),
        ("flat", {"alpha": -1.0}, r"alpha must be at least 0"),
        ("flat", {"cost": "l3"}, r"cost must be one of"),
    ],
)
def test_a_view_is_told_what_float32_can_show(view: str, change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_view(view, DIM, 100, TOLD | change)


@pytest.mark.parametrize("size", [1e-90, 1e90])
def test_the_unit_of_length_does_not_matter(size: float, saved: Path) -> None:
    def mistakes(unit: float) -> list[int]:
        chosen = scenario("KnownL2", dim=DIM, radius=unit, margin=0.1 * unit, alpha=0.3 * unit)
        learner = SavedPolicy.from_knowledge(chosen.knowledge, path=str(saved))
        return [run.mistakes for run in strategic_env.evaluate([learner], chosen, 3, 40).runs]

    assert mistakes(size) == mistakes(1.0)


def test_features_too_large_are_refused_and_not_remembered() -> None:
    learner = TrainedPolicy(*built())
    observation, _ = gymnasium.make_vec(ID, num_envs=2, dim=DIM).reset(seed=0)
    _, state = learner.predict(observation, None)
    before = copy.deepcopy(state)
    with pytest.raises(ValueError, match=r"features must be at most 1e\+30 in size here, got 1e\+60"):
        learner.predict(observation | {"features": np.full((2, DIM), 1e60), "round": np.ones((2, 1))}, state)
    for now, then in zip(state, before, strict=True):
        np.testing.assert_array_equal(now, then)


def test_shares_stay_shares_where_episodes_follow_each_other() -> None:
    learner = TrainedPolicy(*built())
    env = gymnasium.make_vec(ID, num_envs=2, dim=DIM, horizon=5)
    observation, _ = env.reset(seed=0)
    state = None
    for _ in range(30):
        action, state = learner.predict(observation, state)
        observation, *_ = env.step(action)
    assert state is not None and (state.counts[:, REVEALED] <= state.counts[:, ROUNDS]).all()
    assert state.counts[0, ROUNDS] == 25.0, "rounds of five episodes, each followed by a step that resets"


# Files


def with_members(saved: Path, **changes: bytes | None) -> Path:
    """Return a copy of a file with other members; None: without it."""
    names = {"about": ABOUT, "weights": WEIGHTS}
    with zipfile.ZipFile(saved) as archive:
        members = {name: archive.read(name) for name in names.values()}
    members |= {names[key]: value for key, value in changes.items()}  # type: ignore[dict-item]
    path = saved.with_name("changed.zip")
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            if content is not None:
                archive.writestr(name, content)
    return path


def about_with(saved: Path, **changes: object) -> bytes:
    with zipfile.ZipFile(saved) as archive:
        return json.dumps(json.loads(archive.read(ABOUT)) | changes).encode()


@pytest.mark.parametrize(
    "change",
    [
        {"view": []}, {"view": "all"}, {"policy": "x"}, {"algorithm": 5}, {"algorithm": "DQN2"}, {"dim": 10**9},
        {"dim": 2.5}, {"dim": 0}, {"horizon": "long"}, {"horizon": -1}, {"knowledge": None}, {"knowledge": {}},
        {"policy_kwargs": {"net_arch": "wide"}}, {"policy_kwargs": {"activation_fn": "os.system"}},
        {"policy_kwargs": {"net_arch": [9]}}, {"normalisation": {"mean": [0.0]}}, {"normalisation": 3},
    ],
    ids=str,
)  # fmt: skip
def test_a_file_that_says_nonsense_is_refused(change: dict[str, Any], saved: Path) -> None:
    with pytest.raises(ValueError, match=r"path must name a policy that learners\.rl\.save wrote, got .*changed\.zip"):
        load(with_members(saved, about=about_with(saved, **change)))


@pytest.mark.parametrize(
    "kind", ["flipped", "no weights", "empty weights", "pickle", "nan", "integers", "list", "long"]
)
def test_a_damaged_file_is_refused(kind: str, saved: Path) -> None:
    def packed(change: Any) -> bytes:
        weights = change({name: one.clone() for name, one in load(saved)._policy.state_dict().items()})
        torch.save(weights, saved.with_name("weights"))
        return saved.with_name("weights").read_bytes()

    if kind == "flipped":
        content = bytearray(saved.read_bytes())
        content[len(content) // 2] ^= 0xFF
        path = saved.with_name("changed.zip")
        path.write_bytes(content)
    else:
        changes: dict[str, bytes | None] = {
            "no weights": None,
            "empty weights": b"",
            "pickle": b"cos\nsystem\n(S'true'\ntR.",
            "nan": packed(lambda weights: weights | {"log_std": weights["log_std"] * np.nan}),
            "integers": packed(lambda weights: {name: one.int() for name, one in weights.items()}),
        }
        about = {"list": b'["view", "dim"]', "long": b" " * 2**21}
        path = with_members(saved, **({"about": about[kind]} if kind in about else {"weights": changes[kind]}))
    with pytest.raises(ValueError, match=r"path must name a policy that learners\.rl\.save wrote, got .*changed\.zip"):
        load(path)


@pytest.mark.parametrize(
    ("path", "error", "message"),
    [
        (
            "meta-l3",
            FileNotFoundError,
            "path must name a file, or one of meta-l2, meta-l2-apple-tasting; got 'meta-l3'",
        ),
        ("", FileNotFoundError, "path must name a file"),
        (1, TypeError, "path must be a str or a Path, got 1"),
        (None, TypeError, "path must be a str or a Path, got None"),
    ],
)
def test_what_is_no_path_is_refused(path: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        load(path)


def test_a_pipe_is_refused_at_once(tmp_path: Path) -> None:
    for name in ("pipe", "policy.zip"):
        os.mkfifo(tmp_path / name)
    for path in (tmp_path / "pipe", tmp_path):
        with pytest.raises(FileNotFoundError, match=r"^path must name a file, or one of meta-l2, .*; got "):
            load(path)


def test_a_path_may_begin_at_home(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(saved.parent))
    assert load("~/policy.zip").parameters["path"] == "~/policy.zip"


def test_whatever_fails_leaves_no_files(tmp_path: Path) -> None:
    model, view = built()
    (tmp_path / "folder").mkdir()
    circular: dict[str, object] = {}
    circular["self"] = circular
    for path, training, error in (
        (tmp_path / "folder", {}, IsADirectoryError),
        (tmp_path / "nowhere" / "policy.zip", {}, FileNotFoundError),
        (tmp_path / "policy.zip", {"score": np.nan}, ValueError),
        (tmp_path / "policy.zip", circular, ValueError),
        (tmp_path / "policy.zip", "abc", TypeError),
    ):
        with pytest.raises(error):
            save(model, path, view, training)  # type: ignore[arg-type]
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_several_may_save_to_one_path_at_once(tmp_path: Path) -> None:
    model, view = built()
    faults: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(5):
                save(model, tmp_path / "policy.zip", view)
        except BaseException as error:
            faults.append(error)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults and [path.name for path in tmp_path.iterdir()] == ["policy.zip"]
    load(tmp_path / "policy.zip")
