"""What policies see and do: the statistics are right, rotations change nothing, coefficients of 0 are the constants."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from numpy.typing import NDArray
from stable_baselines3.common.env_checker import check_env

import strategic_env  # noqa: F401
from learners.rl import ViewedEnv, ViewedVectorEnv, make_view
from learners.rl.coefficients import COEFFICIENTS, INVARIANTS, STEP_AFTER_MISTAKE, STEP_OTHERWISE
from learners.rl.history import History
from learners.rl.views import VIEWS, View
from learners.strategic.observation import read

KNOWN = {"cost": "l2", "alpha": 0.3, "radius": 1.0}
ID = "strategic_env/KnownL2-v0"
Games = list[dict[str, NDArray[np.float64]]]


def vector(games: int = 3, **options: Any) -> ViewedVectorEnv:
    view = options.pop("view", "coefficients")
    told = {"dim": 3, "horizon": 30, "autoreset_mode": "Disabled", **options}
    return ViewedVectorEnv(gymnasium.make_vec(ID, num_envs=games, **told), view)


def observations(rounds: int = 25, games: int = 2, dim: int = 3, **options: Any) -> Games:
    """Play random classifiers through raw games; return what a learner is shown after each round."""
    env = gymnasium.make_vec(ID, num_envs=games, dim=dim, **options)
    rng = np.random.default_rng(0)
    shown = [env.reset(seed=1)[0]]
    for _ in range(rounds):
        actions = rng.uniform(-1.0, 1.0, (games, dim + 1)) * [*[1.0] * dim, 0.2]
        shown.append(env.step(actions)[0])
    return shown


def remembered(view: View, shown: Games) -> History:
    history = view.begin(len(shown[0]["features"]))
    for one in shown:
        view.record(history, read(one))
    return history


def surrogates(one: dict[str, NDArray[np.float64]], game: int) -> NDArray[np.float64]:
    """Return ``y x~`` of a round by Definition 1, in plain NumPy; 0 where the label is hidden."""
    w, b = one["classifier"][game, :-1], one["classifier"][game, -1]
    x, y = one["features"][game], one["label"][game, 0]
    if y < 0.0 and w.any() and abs(w @ x + b) < 1e-12:
        x = x - KNOWN["alpha"] * w / np.linalg.norm(w)
    return y * x


@pytest.mark.parametrize("feedback", ["full", "apple_tasting"])
def test_the_history_sums_surrogate_points(feedback: str) -> None:
    shown = observations(feedback=feedback)
    history = remembered(make_view("coefficients", 3, 30, KNOWN), shown)
    moved = 0
    for game in range(2):
        points = [surrogates(one, game) for one in shown[1:]]
        labels = [one["label"][game, 0] for one in shown[1:]]
        wrong = [one["label"][game, 0] == -one["prediction"][game, 0] for one in shown[1:]]
        assert history.everything[game] == pytest.approx(np.sum(points, axis=0))
        assert history.mistaken[game] == pytest.approx(np.sum(np.array(points)[wrong], axis=0))
        assert history.last[game] == pytest.approx(points[-1])
        assert history.counts[game].tolist() == [25.0, np.count_nonzero(labels), sum(wrong)]
        moved += sum(
            not np.allclose(one["label"][game] * one["features"][game], surrogates(one, game)) for one in shown
        )
    assert moved > 0, "no round tests the surrogate points"
    assert (np.count_nonzero(labels) == 25) == (feedback == "full")


WEIGHTED = {"cost": "l1", "alpha": [0.2, 0.5, 0.1], "radius": 2.0}
LONGER = {"cost": "l2", "alpha": 0.4, "radius": 2.0}


def cosine(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    lengths = np.linalg.norm(a) * np.linalg.norm(b)
    return float(a @ b / lengths) if lengths > 0.0 else 0.0


def reach(told: dict[str, Any], w: NDArray[np.float64]) -> float:
    """Return how far the best reply moves a point in the direction of w, times |w|."""
    if told["cost"] == "l2":
        return float(told["alpha"] * np.linalg.norm(w))
    return float(np.max(np.array(told["alpha"]) * np.abs(w)))


def invariants(history: History, game: int, told: dict[str, Any], horizon: int) -> dict[str, float]:
    """Return what a policy of coefficients sees of a game, by the names, in plain NumPy."""
    w, mean, wrong, last = (getattr(history, key)[game] for key in ("weights", "everything", "mistaken", "last"))
    (label, mistake, boundary), (rounds, revealed, mistakes) = history.outcome[game], history.counts[game]
    radius, early, size = told["radius"], min(rounds, horizon), np.linalg.norm(w)
    logarithm = np.log1p(horizon)
    return {
        "part of the horizon": early / horizon,
        "logarithm of the round": np.log1p(early) / logarithm,
        "label": label,
        "mistake": mistake,
        "boundary": boundary,
        "share revealed": revealed / max(rounds, 1.0),
        "share mistaken": mistakes / max(revealed, 1.0),
        "logarithm of the mistakes": np.log1p(min(mistakes, horizon)) / logarithm,
        "reach": (reach(told, w) / size if size else np.max(told["alpha"])) / radius,
        "margin of the last": last @ w / size / radius if size else 0.0,
        "length of the last": np.linalg.norm(last) / radius,
        "length of the weights": np.log1p(size / radius) / logarithm,
        "length of the mean": np.linalg.norm(mean) / max(revealed, 1.0) / radius,
        "length of the mistakes": np.linalg.norm(wrong) / max(mistakes, 1.0) / radius,
        "angle of last and weights": cosine(last, w),
        "angle of last and mean": cosine(last, mean),
        "angle of last and mistakes": cosine(last, wrong),
        "angle of weights and mean": cosine(w, mean),
        "angle of weights and mistakes": cosine(w, wrong),
        "angle of mean and mistakes": cosine(mean, wrong),
    }


@pytest.mark.parametrize("told", [KNOWN, LONGER, WEIGHTED], ids=["l2", "l2_longer", "l1"])
def test_a_policy_of_coefficients_sees_what_the_names_say_and_does_what_it_chooses(told: dict[str, Any]) -> None:
    view, horizon = make_view("coefficients", 3, 20, told), 20
    history, rng = view.begin(2), np.random.default_rng(6)
    for one in observations(25, feedback="apple_tasting", radius=told["radius"], margin=0.1 * told["radius"]):
        view.record(history, read(one))
        seen = view.observe(history)
        for game in range(2):
            expected = invariants(history, game, told, horizon)
            assert list(expected) == list(INVARIANTS)
            np.testing.assert_allclose(seen[game], list(expected.values()), atol=1e-6)
        chosen, before = rng.uniform(-1.0, 1.0, (2, 4)), history.weights.copy()
        published = view.publish(history, chosen)
        for game, (step, everything, mistaken, threshold) in enumerate(chosen):
            counted = 1.35 if history.outcome[game, 1] else 0.35
            weights = before[game] + counted * np.exp(4.0 * step) * history.last[game]
            np.testing.assert_allclose(history.weights[game], weights, rtol=1e-12)
            parts = (
                (1.0, weights),
                (0.5 * everything, history.everything[game]),
                (0.5 * mistaken, history.mistaken[game]),
            )
            lengths = [np.linalg.norm(vector) for _, vector in parts]
            w = sum(
                (share * vector / length for (share, vector), length in zip(parts, lengths, strict=True) if length),
                start=np.zeros(3),
            )
            expected_classifier = np.append(w, -(1.0 + 0.2 * threshold) * reach(told, w))
            scale = np.linalg.norm(published[game]) / max(np.linalg.norm(expected_classifier), 1e-300)
            np.testing.assert_allclose(published[game], scale * expected_classifier, atol=1e-12)


@pytest.mark.parametrize("feedback", ["full", "apple_tasting"])
def test_statistics_are_the_observation_in_units_and_the_means(feedback: str) -> None:
    view = make_view("statistics", 3, 20, LONGER)
    history = view.begin(2)
    for one in observations(25, feedback=feedback, radius=2.0, margin=0.2):
        view.record(history, read(one))
    seen, (rounds, revealed, mistakes) = view.observe(history), history.counts.T
    assert (rounds == 25.0).all() and (mistakes > 0.0).all() and ((revealed < rounds).all() == (feedback != "full"))
    expected = np.hstack(
        [
            one["classifier"], one["features"] / 2.0, one["label"], one["prediction"], np.ones((2, 1)),
            history.everything / revealed[:, None] / 2.0, history.mistaken / mistakes[:, None] / 2.0,
            (revealed / rounds)[:, None], (mistakes / revealed)[:, None],
        ]
    )  # fmt: skip
    np.testing.assert_allclose(seen, expected, atol=1e-6)


def turned(shown: Games, turn: NDArray[np.float64]) -> Games:
    """Return the same games under a linear map (k, d) with orthonormal columns."""
    rotated = []
    for one in shown:
        weights, intercept = one["classifier"][:, :-1] @ turn.T, one["classifier"][:, -1:]
        rotated.append(one | {"features": one["features"] @ turn.T, "classifier": np.hstack([weights, intercept])})
    return rotated


@pytest.mark.parametrize("dim", [3, 5], ids=["rotated", "in_a_larger_space"])
def test_a_policy_of_coefficients_is_equivariant(dim: int) -> None:
    rng = np.random.default_rng(2)
    turn = np.linalg.qr(rng.standard_normal((dim, 3)))[0]
    views = make_view("coefficients", 3, 30, KNOWN), make_view("coefficients", dim, 30, KNOWN)
    shown = observations(10)
    here, there = views[0].begin(2), views[1].begin(2)
    for one, other in zip(shown, turned(shown, turn), strict=True):
        views[0].record(here, read(one))
        views[1].record(there, read(other))
        np.testing.assert_allclose(views[0].observe(here), views[1].observe(there), atol=1e-6)
        actions = rng.uniform(-1.0, 1.0, (2, len(COEFFICIENTS)))
        published, published_there = views[0].publish(here, actions), views[1].publish(there, actions)
        np.testing.assert_allclose(published[:, :-1] @ turn.T, published_there[:, :-1], atol=1e-12)
        np.testing.assert_allclose(published[:, -1], published_there[:, -1], atol=1e-12)


def test_what_a_policy_sees_has_one_scale_whatever_the_unit() -> None:
    shown = observations(10)
    scaled = [one | {"features": 64.0 * one["features"], "classifier": one["classifier"].copy()} for one in shown]
    for one in scaled:
        one["classifier"][:, :-1] /= 64.0
    here = make_view("coefficients", 3, 30, KNOWN)
    there = make_view("coefficients", 3, 30, {"cost": "l2", "alpha": 64.0 * 0.3, "radius": 64.0})
    seen = here.observe(remembered(here, shown))
    np.testing.assert_allclose(seen, there.observe(remembered(there, scaled)), atol=1e-6)
    assert np.abs(seen).max() <= 1.0 + KNOWN["alpha"]


def test_coefficients_of_zero_are_the_best_constants() -> None:
    env = vector()
    env.reset(seed=0)
    mistaken, everything = np.zeros((3, 3)), np.zeros((3, 3))
    inner = env.env
    for _ in range(30):
        weights = (STEP_AFTER_MISTAKE - STEP_OTHERWISE) * mistaken + STEP_OTHERWISE * everything
        published = env.view.publish(env._history, np.zeros((3, len(COEFFICIENTS))))
        norms = np.linalg.norm(weights, axis=1, keepdims=True)
        expected = np.hstack([weights, -KNOWN["alpha"] * norms])
        lengths = np.linalg.norm(published[:, :-1], axis=1, keepdims=True)
        np.testing.assert_allclose(published * norms, expected * lengths, atol=1e-9)
        one, *_ = inner.step(published)
        env.view.record(env._history, read(one))
        points = np.array([surrogates(one, game) for game in range(3)])
        everything += points
        mistaken += points * (one["label"] == -one["prediction"])


def first_of(seen: Any) -> Any:
    return {name: entry[0] for name, entry in seen.items()} if isinstance(seen, dict) else seen[0]


def same(one: Any, other: Any) -> None:
    for left, right in zip(one.values(), other.values(), strict=True) if isinstance(one, dict) else [(one, other)]:
        np.testing.assert_array_equal(left, right)


@pytest.mark.parametrize("view", VIEWS)
def test_one_game_is_the_first_of_many(view: str) -> None:
    many = vector(view=view)
    single = ViewedEnv(gymnasium.make(ID, dim=3, horizon=30), view)
    rng = np.random.default_rng(3)
    same(first_of(many.reset(seed=5)[0]), single.reset(seed=5)[0])
    for _ in range(30):
        actions = rng.uniform(-1.0, 1.0, many.action_space.shape).astype(np.float32)
        seen, rewards, _, truncated, _ = many.step(actions)
        alone, reward, _, over, _ = single.step(actions[0])
        same(first_of(seen), alone)
        assert rewards[0] == reward and truncated[0] == over and first_of(seen) in single.observation_space
    assert over


@pytest.mark.parametrize("view", VIEWS)
def test_stable_baselines3_checks_a_single_game(view: str) -> None:
    check_env(ViewedEnv(gymnasium.make(ID), view))


def test_the_flat_view_is_the_flat_observation() -> None:
    viewed = ViewedEnv(gymnasium.make(ID), "flat")
    flat = gymnasium.make(ID, observation="flat")
    viewed.reset(seed=0), flat.reset(seed=0)
    action = np.array([0.5, 0.25, 0.1], dtype=np.float32)
    np.testing.assert_array_equal(viewed.step(action)[0], flat.step(action)[0])


def test_a_reset_of_some_games_forgets_only_those() -> None:
    env = vector()
    env.reset(seed=0)
    for _ in range(3):
        seen, *_ = env.step(np.full(env.action_space.shape, 0.1, dtype=np.float32))
    again, _ = env.reset(options={"reset_mask": np.array([False, True, False])})
    np.testing.assert_array_equal(again[[0, 2]], seen[[0, 2]])
    fresh, _ = vector().reset(seed=0)
    np.testing.assert_array_equal(again[1], fresh[1])


@pytest.mark.parametrize("feedback", ["full", "apple_tasting"])
def test_whatever_a_policy_chooses_can_be_published(feedback: str) -> None:
    env = vector(feedback=feedback, horizon=200)
    env.reset(seed=0)
    rng = np.random.default_rng(4)
    for _ in range(200):
        extreme = rng.choice([-1.0, 0.0, 1.0], env.action_space.shape).astype(np.float32)
        seen, *_ = env.step(extreme)
        assert np.isfinite(seen).all()


def test_wrong_arguments_are_named() -> None:
    with pytest.raises(
        ValueError, match=r"view must be one of 'flat', 'dict', 'statistics', 'coefficients', got 'angles'"
    ):
        make_view("angles", 3, 30, KNOWN)
    with pytest.raises(ValueError, match=r"must be told alpha, radius"):
        make_view("coefficients", 3, 30, {"cost": "l2"})
    with pytest.raises(TypeError, match=r"environment of strategic classification, got <TimeLimit"):
        ViewedEnv(gymnasium.make("CartPole-v1"))
    with pytest.raises(ValueError, match=r"autoreset mode DISABLED, got AutoresetMode\.NEXT_STEP"):
        ViewedVectorEnv(gymnasium.make_vec(ID, num_envs=2))
