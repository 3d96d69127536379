"""The three-stage learner: an independent reference, what its pairs cancel, what it must not read, what it learns."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from beyond_game import Array, direction, make, play
from beyond_oracle import lies_on

import learners
import strategic_env
from agents import L2Cost
from learners.catalogue import build
from strategic_env import scenario
from strategic_env.bench.rollout import rollout


class Reference:
    """The rule in plain NumPy, for features with norms up to 1; it begins with a given direction."""

    def __init__(self, start: Array, alpha: float, noise: float) -> None:
        self.w, self.centre, self.alpha, self.noise = start, start, alpha, noise
        self.stage = 0
        self.first: Array | None = None
        self.begin()

    def begin(self) -> None:
        d = len(self.w)
        self.shift, self.squares, self.used, self.sum = np.zeros(d), 0.0, 0, np.zeros(d)
        self.angle = (0.8, 0.8, *(0.25 / 2**k for k in range(20)))[self.stage]
        self.band = self.angle / np.sqrt(d + 2)
        share = min(0.5, 0.4 * (self.alpha + self.band) * np.sqrt(d + 2))
        length = (10, 20, 80 * share / self.angle**2)[min(self.stage, 2)]
        self.length = length * d / (1 - 2 * self.noise) ** 2

    def publish(self) -> Array:
        if self.stage < 2:
            return np.append(self.w if self.first is None else -self.w, 0.0)
        return np.append(self.w, -self.alpha - (0.0 if self.first is None else self.band))

    def learn(self, x: Array, prediction: float, label: float, classifier: Array) -> None:
        still = prediction > 0 and not lies_on(classifier, x, self.alpha)
        weight, s = 0.5 - self.noise - label / 2, self.w @ x
        if self.stage == 0:
            gain = label * x if still else 0 * x
            self.sum = self.sum + gain
            self.used += self.first is not None
            self.first = gain if self.first is None else None
        elif self.stage == 1 and still and s <= self.band:
            self.descend(weight * x)
        elif self.stage >= 2:
            counts = prediction > 0 and not (still and s > self.alpha + self.band)
            proxy = weight * counts * (x - s * self.w + (label > 0) * self.band * self.w)
            if self.first is None:
                self.first = proxy
            else:
                self.descend(self.first - proxy)
                self.first = None
        if self.used >= self.length:
            self.w = self.centre = self.sum / np.linalg.norm(self.sum)
            self.stage += 1
            self.begin()

    def descend(self, gradient: Array) -> None:
        """A step in the geometry of half the squared p-norm: to the mirror image, and back."""
        q = np.log(8 * len(gradient))
        self.used += 1
        self.sum = self.sum + self.w
        self.squares += np.linalg.norm(gradient, q) ** 2
        if self.squares == 0:
            return
        image = mirrored(self.shift, q / (q - 1)) - self.angle / np.sqrt((q - 1) * self.squares) * gradient
        self.shift = mirrored(image, q)
        self.shift = self.shift * min(1.0, self.angle / max(np.linalg.norm(self.shift, q / (q - 1)), 1e-300))
        self.w = (self.centre + self.shift) / np.linalg.norm(self.centre + self.shift)


def mirrored(v: Array, p: float) -> Array:
    """The gradient of half the squared p-norm."""
    norm = np.linalg.norm(v, p)
    return np.sign(v) * np.abs(v) ** (p - 1) * norm ** (2 - p) if norm > 0 else 0 * v


@pytest.mark.parametrize(
    ("dim", "alpha", "noise", "feedback", "rounds", "stage"),
    [(2, 0.02, 0.0, "apple_tasting", 1200, 3), (1, 0.3, 0.1, "full", 300, 2), (6, 0.3, 0.05, "full", 1200, 2)],
)
def test_a_plain_reference_publishes_the_same(
    dim: int, alpha: float, noise: float, feedback: str, rounds: int, stage: int
) -> None:
    env = make("KnownL2", dim=dim, alpha=alpha, noise=noise, feedback=feedback, margin=0.01, horizon=rounds)
    other = None
    for t, seen in enumerate(play(learners.ThreeStageL2(alpha, 1.0, noise, seed=3), env, rounds, 5)):
        other = Reference(direction(seen.classifier)[:-1], alpha, noise) if other is None else other
        other.learn(seen.x, seen.prediction, seen.label, seen.classifier)
        np.testing.assert_allclose(direction(seen.published), other.publish(), atol=1e-8, err_msg=f"{t}")
    assert seen.state.stage[0] == other.stage == stage


def test_no_label_of_a_rejected_individual_is_read() -> None:
    learner = learners.ThreeStageL2(0.3, 1.0, 0.1)
    env = make("KnownL2", noise=0.1, margin=0.01, horizon=800)
    observation, _ = env.reset(seed=1)
    action, state = learner.predict(observation)
    states = [state, copy.deepcopy(state), copy.deepcopy(state)]
    hidden = 0
    for _ in range(800):
        observation, _, _, _, _ = env.step(action)
        rejected = observation["prediction"][0] < 0
        hidden += rejected
        actions = []
        for i, factor in enumerate((1, -1, 0)):
            shown = observation | {"label": observation["label"] * (factor if rejected else 1)}
            action, states[i] = learner.predict(shown, states[i])
            actions.append(action)
        assert (actions[0] == actions[1]).all() and (actions[0] == actions[2]).all()
    assert hidden > 100 and states[0].stage[0] == 2


def in_batches(learner: learners.ThreeStageL2, dim: int, **options: Any) -> Any:
    """A learner's state in its first batch, between two pairs."""
    env = make("KnownL2", dim=dim, margin=0.01, horizon=5000, **options)
    return next(seen.state for seen in play(learner, env, 5000) if seen.state.stage[0] == 2)


@pytest.mark.parametrize("alpha", [0.0, 0.05, 0.5])
def test_a_pair_of_like_individuals_counts_if_they_stand_in_the_band_and_not_otherwise(alpha: float) -> None:
    learner, rng, d = learners.ThreeStageL2(alpha, 1.0, 0.1), np.random.default_rng(0), 3
    begun = in_batches(learner, d, alpha=alpha)
    w, band = begun.weights[0].copy(), 0.25 / np.sqrt(d + 2)
    observation = {"features": np.zeros(d), "label": np.zeros(1), "prediction": np.zeros(1),
                   "classifier": np.zeros(d + 1), "round": np.zeros(1)}  # fmt: skip
    counted = 0
    for label in (-1.0, 1.0) * 200:
        z = rng.uniform(-1, 1, d) / np.sqrt(d)
        z = z + (rng.uniform(-0.7, 0.7) - z @ w) * w
        action, state = learner.predict(observation, copy.deepcopy(begun))
        for _ in range(2):
            x = L2Cost(alpha).best_response(z, action)
            accepted = action[:-1] @ x + action[-1] >= -1e-12
            met = {"features": x, "label": np.array([label]), "prediction": np.array([1.0 if accepted else -1.0])}
            action, state = learner.predict(observation | met | {"classifier": action, "round": np.ones(1)}, state)
        gradient = np.sqrt(state.squares[0])
        s = z @ w
        if min(abs(s), abs(s - band)) < 1e-9:
            continue
        if not 0 < s < band:
            assert gradient < 1e-12
            continue
        counted += 1
        weight = 0.4 - label / 2
        proxy = z + ((label > 0) * band - s) * w
        np.testing.assert_allclose(gradient, np.linalg.norm(weight * proxy, np.log(8 * d)), rtol=1e-9)
        u = rng.standard_normal(d)
        u *= np.sign(u @ w)
        assert label * (u @ proxy) >= label * (u @ z) - 1e-12, "the proxy is at least as far on the label's side"
    assert counted > 20


def test_the_unit_of_the_features_does_not_matter() -> None:
    learner, larger = learners.ThreeStageL2(0.3, 1.0, 0.1), learners.ThreeStageL2(0.3 * 2**20, 2.0**20, 0.1)
    env, state = make("KnownL2", noise=0.1, horizon=600), None
    observation, _ = env.reset(seed=2)
    action, own = learner.predict(observation)
    for _ in range(600):
        bigger = observation | {
            "features": observation["features"] * 2**20,
            "classifier": observation["classifier"] * [1, 1, 2**20],
        }
        scaled, state = larger.predict(bigger, state)
        assert (direction(scaled)[:-1] == direction(action)[:-1]).all()
        observation, _, _, _, _ = env.step(action)
        action, own = learner.predict(observation, own)
    assert own.stage[0] == 2


def test_a_saved_state_goes_on_as_if_nothing_had_happened() -> None:
    learner = learners.ThreeStageL2(0.3, 1.0, 0.1, seed=1)
    env = make("KnownL2", noise=0.1, margin=0.01, feedback="apple_tasting", horizon=500)
    observation, _ = env.reset(seed=0)
    action, state = learner.predict(observation)
    for t in range(500):
        observation, _, _, _, _ = env.step(action)
        saved = type(state)(*pickle.loads(pickle.dumps(tuple(state)))) if t % 50 == 0 else copy.deepcopy(state)
        again, _ = learners.ThreeStageL2(0.3, 1.0, 0.1, seed=1).predict(observation, saved)
        action, state = learner.predict(observation, state)
        assert (action == again).all()


def test_every_game_and_episode_begins_with_a_direction_of_its_own() -> None:
    learner = learners.ThreeStageL2(0.3, 1.0, 0.1, seed=2)
    observation = {"features": np.full((3, 4), 0.5), "prediction": np.ones((3, 1)), "label": np.ones((3, 1)),
                   "classifier": np.zeros((3, 5)), "round": np.zeros((3, 1))}  # fmt: skip
    first, state = learner.predict(observation)
    alone, _ = learner.predict({key: value[:1] for key, value in observation.items()})
    assert (alone[0] == first[0]).all(), "game 0 is the same in any batch"
    assert len(np.unique(first, axis=0)) == 3
    second, state = learner.predict(observation, state, np.array([True, False, True]))
    third, state = learner.predict(observation, state, np.array([True, False, False]))
    assert state.episode.tolist() == [2, 0, 1]
    assert (second[1] == first[1]).all() and (third[2] == second[2]).all()
    assert len(np.unique(np.vstack([first, second[[0, 2]], third[:1]]), axis=0)) == 6
    other, _ = learners.ThreeStageL2(0.3, 1.0, 0.1, seed=3).predict(observation)
    assert (other != first).any(axis=1).all()
    runs = [learner.for_run(seed).predict(observation)[0] for seed in (0, 0, 1)]
    assert (runs[0] == runs[1]).all() and (runs[0] != runs[2]).any(axis=1).all()


@pytest.mark.parametrize("dim", [1, 2, 6])
def test_it_learns_the_separator_from_noisy_labels(dim: int) -> None:
    rounds = 8000
    env = make("KnownL2", dim=dim, noise=0.1, alpha=0.1, margin=0.01, feedback="apple_tasting", horizon=rounds)
    points, labels, mistakes = [], [], 0
    for seen in play(learners.ThreeStageL2(0.1, 1.0, 0.1), env, rounds, 4):
        points.append(seen.info["true_features"])
        labels.append(seen.info["true_label"])
        mistakes += seen.info["mistake"]
    truth = np.array(labels) @ np.array(points)  # along w*, for individuals uniform in a ball
    cosine = truth @ seen.state.centre[0] / np.linalg.norm(truth)
    assert seen.state.stage[0] >= 3 and cosine > 0.97
    assert mistakes < 0.1 * rounds + 700, "a fixed classifier errs on a tenth"


def test_label_noise_breaks_algorithm_2_and_not_the_three_stages() -> None:
    rounds, noise = 10_000, 0.2
    game = scenario("KnownL2", noise=noise, margin=0.01, feedback="apple_tasting", horizon=rounds)
    contestants = [learners.ThreeStageL2(0.3, 1.0, noise), "strategic-perceptron-l2"]
    results = strategic_env.evaluate(contestants, game, seeds=3)
    stages, perceptron = (np.mean([run.mistakes for run in results.of(one)]) for one in results.contestants)
    assert 4 * (stages - noise * rounds) < perceptron - noise * rounds


def test_the_fused_form_makes_the_same_mistakes() -> None:
    learner = learners.ThreeStageL2(0.3, 1.0, 0.2, seed=1)
    env = make("KnownL2", noise=0.2, margin=0.01, feedback="apple_tasting", horizon=1500)
    mistakes = sum(bool(seen.info["mistake"]) for seen in play(learner, env, 1500, 7))
    game = scenario("KnownL2", noise=0.2, margin=0.01, feedback="apple_tasting")
    assert rollout(learner, game, rounds=1500, seed=7).mistakes.tolist() == [mistakes]


BAD = [
    ((-0.3, 1.0, 0.1), "alpha must be at least 0"),
    ((0.3, 0.0, 0.1), "radius must be greater than 0"),
    ((0.3, 1.0, 0.5), "noise must be less than 0.5, got 0.5"),
    ((0.3, 1.0, -0.1), "noise must be at least 0"),
    ((0.3, 1.0, np.nan), "noise must be finite"),
    ((0.3, 1.0, "much"), "noise must be a number"),
    ((0.3, 1.0, 0.1, -1), "seed must be at least 0"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD, ids=[message for _, message in BAD])
def test_bad_parameters_are_one_clear_error(arguments: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        learners.ThreeStageL2(*arguments)


def test_it_must_be_told_the_noise_and_refuses_other_costs_and_states() -> None:
    told = {"cost": "l2", "alpha": 0.3, "radius": 1.0}
    with pytest.raises(ValueError, match="three-stage-l2 must be told noise"):
        build("three-stage-l2", told)
    with pytest.raises(ValueError, match="made for l2 costs"):
        build("three-stage-l2", told | {"cost": "l1"}, noise=0.1)
    learner = build("three-stage-l2", told, noise=0.1)
    observation, _ = make("KnownL2").reset(seed=0)
    _, foreign = learners.StrategicPerceptronL2(0.3).predict(observation)
    with pytest.raises(TypeError, match="must be a ThreeStageState of three-stage-l2"):
        learner.predict(observation, foreign)
