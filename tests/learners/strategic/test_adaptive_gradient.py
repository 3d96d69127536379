"""The learner that needs no norm or rate by hand: an independent reference, its bounds, and how well it does."""

from typing import Any

import beyond_oracle as reference
import numpy as np
import pytest
from beyond_game import direction, make, play, surrogates

from agents import GreedyAdversary, L2Cost
from learners import AdaptiveGradient
from strategic_env import StrategicClassificationEnv, rollout, scenario

ALPHAS = np.array([0.1, 0.4, 0.0, 0.3])
GAMES = {
    "l2": (AdaptiveGradient(0.3), lambda: reference.Adaptive(4, 0.3, 1.0), "KnownL2", {"noise": 0.1}),
    "l1": (
        AdaptiveGradient(ALPHAS, "l1", 2.0), lambda: reference.Adaptive(4, ALPHAS, 2.0),
        "KnownL1", {"alpha": ALPHAS.tolist(), "radius": 2.0, "noise": 0.1, "bias": 0.2},
    ),
    "apple tasting": (
        AdaptiveGradient(0.3), lambda: reference.Adaptive(4, 0.3, 1.0), "KnownL2", {"feedback": "apple_tasting"}
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", GAMES)
def test_a_plain_reference_publishes_the_same(name: str) -> None:
    learner, other, game, options = GAMES[name][0], GAMES[name][1](), *GAMES[name][2:]
    for t, seen in enumerate(play(learner, make(game, dim=4, **options), 300, 0)):
        if seen.label:
            other.learn(seen.x, seen.prediction, seen.label, seen.classifier)
        np.testing.assert_allclose(direction(seen.published), direction(other.publish()), atol=1e-7, err_msg=f"{t}")


def test_a_worked_round() -> None:
    """All descents begin at 0 and lose 1; the step of each is its rate times its norm, for the first square cancels."""
    learner = AdaptiveGradient(alpha=0.0)
    seen: dict[str, Any] = {"features": [0.6], "prediction": [1], "label": [-1], "classifier": [0, 0], "round": [1]}
    _, state = learner.predict(seen)
    size = np.hypot(0.6, 0.2)
    steps = np.outer(2.0 ** np.arange(9), [0.25, 0.5, 1.0]).ravel() / size
    np.testing.assert_allclose(state.descents[0, :, 0], -steps * 0.6)
    np.testing.assert_allclose(state.intercepts[0], -steps * 0.04)
    np.testing.assert_allclose(state.losses[0], 1.0)
    assert state.gap[0] == 0.0 and learner.mistakes_at_most(state) == 1.0
    np.testing.assert_allclose(state.weights[0], -steps.mean() * 0.6)


@pytest.mark.parametrize(("cost", "alpha"), [("l2", 0.4), ("l1", np.array([0.4, 0.1, 0.0]))], ids=["l2", "l1"])
@pytest.mark.parametrize("noise", [0.0, 0.1, 0.4])
def test_the_regret_bound(cost: str, alpha: Any, noise: float) -> None:
    """Against each descent, against every vector in each ball, and of AdaHedge by its variance."""
    rng, learner = np.random.default_rng(8), AdaptiveGradient(alpha, cost)
    env = make(f"Known{cost.upper()}", dim=3, alpha=np.asarray(alpha).tolist(), noise=noise, bias=0.1)
    x, y, wrong, state = surrogates(learner, reference.Reference(3, alpha), env, 500, 3)
    assert wrong.sum() <= learner.mistakes_at_most(state)[0] + 1e-6
    points = np.column_stack([x, np.full(len(x), 0.2)])
    v = rng.standard_normal((300, 4))
    v[:, :3] = np.abs(v[:, :3]) if cost == "l1" else v[:, :3]
    v /= np.linalg.norm(v, axis=1, keepdims=True)
    for k, loss in enumerate(state.losses[0]):
        largest, rate = 2.0 ** (k // 3), (0.25, 0.5, 1.0)[k % 3]
        u = v * largest * rng.uniform(0, 1, (300, 1))
        regret = (2 / rate + rate) * largest * np.sqrt(state.squares[0, k])
        assert loss <= np.maximum(0, 1 - y * (u @ points.T)).sum(axis=1).min() + regret
        assert np.linalg.norm(np.append(state.descents[0, k], state.intercepts[0, k] / 0.2)) <= largest * (1 + 1e-9)


def test_the_bound_holds_against_an_adversary() -> None:
    rng = np.random.default_rng(3)
    features, labels = rng.standard_normal((40, 3)), rng.choice([-1.0, 1.0], 40)
    population, learner = GreedyAdversary(features, labels), AdaptiveGradient(0.4, radius=population_radius(features))
    env = StrategicClassificationEnv(population, L2Cost(0.4), horizon=400)
    mistakes = 0
    for seen in play(learner, env, 400, 0):
        mistakes += seen.info["mistake"]
        assert mistakes <= learner.mistakes_at_most(seen.state)[0] + 1e-6
    assert mistakes > 100


def population_radius(features: np.ndarray[Any, Any]) -> float:
    return float(np.linalg.norm(features, axis=1).max())


def mean_of(learner: str, game: str, rounds: int, checkpoint: int, **options: Any) -> tuple[float, float]:
    """Return the mean mistakes of the bench's first ten seeds, up to the checkpoint and to the end."""
    from strategic_env import evaluate

    runs = evaluate([learner], scenario(game, **options), seeds=10, rounds=rounds).runs
    marks = evaluate([learner], scenario(game, **options), seeds=10, rounds=checkpoint).runs
    assert not any(run.error for run in [*runs, *marks])
    return float(np.mean([run.mistakes for run in marks])), float(np.mean([run.mistakes for run in runs]))


# The least mean mistakes of `strategic-gradient` over largest_norm in {.3, .5, .7, 1, 1.5, 2, 3, 5}, with and without
# an intercept, on the same ten seeds.
BY_HAND = {"GermanCredit": (242.9, 1158.9), "Phishing": (107.8, 522.5), "Adult": (176.0, 844.7)}


@pytest.mark.slow
@pytest.mark.parametrize("game", BY_HAND)
def test_no_norm_set_by_hand_does_much_better_on_real_data(game: str) -> None:
    early, late = mean_of("adaptive-gradient", game, 5000, 1000)
    reference_mistakes = mean_of("best-fixed-classifier", game, 5000, 1000)[1]
    assert late <= 1.03 * BY_HAND[game][1]
    assert game != "GermanCredit" or early <= 1.03 * BY_HAND[game][0]
    assert late <= {"GermanCredit": 1.15, "Phishing": 1.15, "Adult": 1.08}[game] * reference_mistakes


@pytest.mark.parametrize("dim", [2, 10])
def test_on_separable_people_it_errs_no_more_than_algorithm_2(dim: int) -> None:
    game = scenario("KnownL2", dim=dim)
    ours = rollout("adaptive-gradient", game, games=40, rounds=1000).mistakes.mean()
    theirs = rollout("strategic-perceptron-l2", game, games=40, rounds=1000).mistakes.mean()
    assert ours <= 1.6 * theirs
