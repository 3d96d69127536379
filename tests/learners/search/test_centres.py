"""Nearest centres by ellipsoids of pairs: the invariants of the proof, its bound, and an independent reference."""

import itertools
from typing import Any

import numpy as np
import pytest
from centres_oracle import PairEllipsoids, in_ball, inner_game, paid, play, unit_rows

from learners import KCentres, SingleEllipsoid, TwoCentres
from learners.catalogue import build
from learners.search.centres_ellipsoids import judge_all

SIZES = [(1, 2), (2, 3), (3, 3), (3, 5), (6, 2)]


def pairs_of(classes: int) -> list[tuple[int, int]]:
    return list(itertools.combinations(range(classes), 2))


@pytest.mark.parametrize("updates", ["all", "paper"])
@pytest.mark.parametrize(("dim", "classes"), [(2, 3), (3, 4)])
def test_an_independent_reference_names_the_same_labels(dim: int, classes: int, updates: str) -> None:
    _, queries, labels, costs = inner_game(np.random.default_rng(dim), 150, classes, dim, near=0.3)
    sets = {pair: PairEllipsoids(dim) for pair in pairs_of(classes)}
    for played in play(KCentres(classes, updates=updates), queries, labels, costs):
        gains, votes = np.zeros((classes, classes)), np.zeros(classes)
        for (i, j), known in sets.items():
            middle, falls, worst = known.judge(played.query)
            votes[i if middle >= 0.0 else j] += 1.0
            gains[i, j], gains[j, i] = falls[0] - 0.5 * worst[0], falls[1] - 0.5 * worst[1]
        best = int(votes.argmax())
        expected = np.eye(classes)[best]
        if gains[:, best].min() < 0.0:
            expected, value = paid(gains / np.abs(gains).max(), votes)
            assert votes @ played.state.probabilities[0] == pytest.approx(value, abs=1e-5)
        else:
            np.testing.assert_array_equal(played.state.probabilities[0], expected)
        for other in range(classes):
            if other != played.label and (updates == "all" or other == played.action):
                i, j = sorted((other, played.label))
                sets[i, j].learn(played.query, 1.0 if played.label == i else -1.0)


@pytest.mark.parametrize("updates", ["all", "paper"])
@pytest.mark.parametrize(("dim", "classes"), SIZES)
def test_the_invariants_of_the_proof_hold_in_every_round(dim: int, classes: int, updates: str) -> None:
    centres, queries, labels, costs = inner_game(np.random.default_rng(classes), 200, classes, dim, near=0.5)
    learner = KCentres(classes, updates=updates)
    gains, rng = np.zeros((classes, classes)), np.random.default_rng(0)
    for t, played in enumerate(play(learner, queries, labels, costs)):
        state, (v,) = played.state, played.state.probabilities
        judge_all(state, 0, gains)
        largest = np.abs(gains).max() + 1e-12
        assert (gains + gains.T >= -1e-12 * largest).all()
        assert (gains @ v >= -1e-9 * largest).all() and v.sum() == pytest.approx(1.0)
        if t % 40 == 0:
            for pair, (i, j) in enumerate(pairs_of(classes)):
                difference = centres[i] - centres[j]
                scales = state.weights[0, pair], state.factors[0, pair], state.slacks[0]
                for centre, factor, slack in zip(*scales, strict=True):
                    far = difference + slack * np.concatenate([np.eye(dim), unit_rows(rng, 10, dim)])
                    assert np.linalg.norm(np.linalg.solve(factor, (far - centre).T), axis=0).max() <= 1.0 + 1e-6
    assert state.lies[0] == 0


@pytest.mark.parametrize("exponent", [0.25, 0.5, 1.0, 2.0])
@pytest.mark.parametrize("dim", [1, 2, 5])
def test_the_potential_of_two_centres_pays_for_every_mistake(dim: int, exponent: float) -> None:
    _, queries, labels, costs = inner_game(np.random.default_rng(dim), 300, 2, dim, near=0.5)
    learner = TwoCentres(2, exponent=exponent)
    left, due = learner.potential(learner.initial_state(1, dim))[0], 0.0
    for played in play(learner, queries, labels, costs):
        now = learner.potential(played.state)[0]
        assert left - now >= due - 1e-8**exponent
        left, due = now, played.loss**exponent


@pytest.mark.parametrize("updates", ["all", "paper"])
def test_the_expected_loss_is_paid_twice_by_all_potentials(updates: str) -> None:
    classes, dim = 4, 2
    _, queries, labels, costs = inner_game(np.random.default_rng(3), 400, classes, dim, near=0.5)
    learner, total = KCentres(classes, updates=updates), 0.0
    first = learner.potential(learner.initial_state(1, dim))[0]
    for played, cost in zip(play(learner, queries, labels, costs), costs, strict=True):
        total += float(played.state.probabilities[0] @ cost)
    assert 0.0 < total <= 2.0 * (first - learner.potential(played.state)[0])


def test_the_votes_of_two_centres_are_never_mixed() -> None:
    _, queries, labels, costs = inner_game(np.random.default_rng(5), 400, 2, 4, near=0.7)
    *_, last = play(KCentres(2), queries, labels, costs)
    assert last.state.mixed[0] == 0


@pytest.mark.parametrize(
    "learner", [KCentres(3, "one-scale", margin=0.1), KCentres(3, "one-scale", "paper", margin=0.1)]
)
def test_one_scale_errs_beyond_the_margin_no_more_than_proved(learner: KCentres) -> None:
    _, queries, labels, costs = inner_game(np.random.default_rng(8), 500, 3, 3, near=0.5)
    robust = sum(played.loss >= 0.1 for played in play(learner, queries, labels, costs))
    assert robust <= 2.0 * learner.potential(learner.initial_state(1, 3))[0]


@pytest.mark.parametrize(
    ("p", "levels"), [(2, None), (4, None), (1, 8), (3.5, 8)], ids=lambda value: "none" if value is None else str(value)
)
def test_other_distances_are_learned(p: float, levels: int | None) -> None:
    rng = np.random.default_rng(4)
    centres, queries = in_ball(rng, 3, 2), in_ball(rng, 600, 2)
    if levels:
        queries = np.round((queries + 1.0) * 0.5 * (levels - 1)) * 2.0 / (levels - 1) - 1.0
    distances = (np.abs(queries[:, np.newaxis] - centres) ** p).sum(axis=2) ** (1.0 / p)
    labels, costs = distances.argmin(axis=1), distances - distances.min(axis=1, keepdims=True)
    learner = KCentres(3, p=p, levels=levels)
    rounds = list(play(learner, queries, labels, costs))
    mistakes = [played.action != played.label for played in rounds]
    assert sum(mistakes[300:]) <= 0.2 * 300 and sum(mistakes) < 0.5 * len(mistakes)
    assert rounds[-1].state.lies[0] == 0
    assert sum(played.loss for played in rounds) <= 2.0 * learner.potential(learner.initial_state(1, 2))[0]


def test_euclidean_is_the_second_power() -> None:
    _, queries, labels, costs = inner_game(np.random.default_rng(0), 60, 3, 2)
    named = [
        [played.action for played in play(learner, queries, labels, costs)]
        for learner in (KCentres(3, similarity="euclidean"), KCentres(3, p=2))
    ]
    assert named[0] == named[1]


def test_a_hidden_label_teaches_nothing_and_no_label_raises() -> None:
    rng, learner = np.random.default_rng(2), KCentres(3)
    hidden: dict[str, Any] = {"feedback": [-1.0, -1.0, 0.0], "action": [2.0], "round": [1.0]}
    _, state = learner.predict({"features": [0.6, 0.8], "feedback": [-1] * 3, "action": [-1], "round": [0]})
    known = state.weights, state.factors, state.volumes
    before = [field.copy() for field in known]
    _, state = learner.predict(hidden | {"features": [0.6, 0.8]}, state)
    assert all((now == then).all() for now, then in zip(known, before, strict=True))
    queries, labels = unit_rows(rng, 300, 2), rng.integers(0, 3, 300)
    *_, last = play(learner, queries, labels, np.zeros((300, 3)))
    assert np.isfinite(last.state.factors).all()


def test_batches_name_what_single_games_do() -> None:
    rng, learner = np.random.default_rng(6), KCentres(4)
    games, state, singles = 3, None, [None] * 3
    action, feedback = np.full((games, 1), -1.0), np.full((games, 4), -1.0)
    for t in range(60):
        seen = {"features": unit_rows(rng, games, 2), "feedback": feedback, "action": action}
        seen["round"] = np.full((games, 1), float(t))
        named, state = learner.predict(seen, state)
        for game in range(1):  # later games of a batch have streams of their own
            label, singles[game] = learner.predict({key: rows[game] for key, rows in seen.items()}, singles[game])
            assert label == named[game] and (singles[game].factors == state.factors[game]).all()
        action, feedback = named[:, np.newaxis].astype(float), np.eye(4)[rng.integers(0, 4, games)]


def test_they_are_built_by_name_and_take_what_a_scenario_tells() -> None:
    told = {"classes": 3, "similarity": "euclidean", "exponent": 2.0, "margin": 0.1, "horizon": 100}
    learner = build("k-centres", told, engine="one-scale")
    assert learner.parameters["similarity"] == "euclidean" and learner.parameters["exponent"] == 2.0
    with pytest.raises(ValueError, match="classes must be at most 2, got 3"):
        build("two-centres", told)
    with pytest.raises(ValueError, match="engine='one-scale' must be told margin"):
        KCentres(3, "one-scale")
    with pytest.raises(TypeError, match="state must be a CentresState, got tuple"):
        KCentres(3).potential(())
    with pytest.raises(ValueError, match="updates must be one of 'all', 'paper'"):
        KCentres(3, updates="none")


def test_a_single_ellipsoid_bounds_its_mistakes_above_the_threshold() -> None:
    _, queries, labels, costs = inner_game(np.random.default_rng(9), 400, 3, 2, near=0.5)
    learner = SingleEllipsoid(3, horizon=400)
    rounds = list(play(learner, queries, labels, costs))
    assert rounds[-1].state.thresholds.tolist() == [[0.01]] and rounds[-1].state.lies[0] == 0
    above = sum(played.loss > 0.01 for played in rounds)
    assert 0 < above <= 2.0 * learner.potential(learner.initial_state(1, 2))[0]
    assert above <= 40
