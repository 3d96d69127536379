"""Densities over centres: exact where they can be, sound under any labels, the same numbers however they are asked."""

import copy
import math
from typing import Any

import numpy as np
import pytest
from density_oracle import DiscOracle, GaussOracle, SecondOrderOracle
from hypothesis import given, settings
from hypothesis import strategies as st
from wrong_labels import Round, play, unit_rows

from learners import DensityCentres, SecondOrderCentres, bounds
from learners.search.cloud import disc_nodes
from learners.search.density import HISTORY
from learners.search.zero_sum import coordinates_of, helmert, write_centres, write_comparison
from strategic_env import check_learner, scenario
from strategic_env.conformance.learner_checker import CHECKS

SLOPE = 2.0 / 3.0


def observed(query: Any, t: int, label: int | None = None, classes: int = 2) -> dict[str, Any]:
    feedback = np.full(classes, -1.0) if label is None else np.eye(classes)[label]
    return {"features": query, "feedback": feedback, "action": [-1.0 if t == 0 else 0.0], "round": [float(t)]}


def learned(learner: Any, queries: Any, labels: Any) -> tuple[list[int], Any]:
    """Return what a learner plays on queries whose labels it is told, and its last state."""
    played, state = [], None
    for t, query in enumerate(queries):
        told = None if t == 0 else int(labels[t - 1])
        action, state = learner.predict(observed(query, t, told, learner.classes), state)
        played.append(int(action))
    return played, state


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_centres_and_their_coordinates_are_two_views_of_one_vector(classes: int) -> None:
    rng = np.random.default_rng(classes)
    basis = np.array([[helmert(label, axis) for axis in range(classes - 1)] for label in range(classes)])
    assert basis.T @ basis == pytest.approx(np.eye(classes - 1), abs=1e-15)
    centres, query, out = rng.standard_normal((classes, 4)), unit_rows(rng, 1, 4)[0], np.empty((classes, 4))
    write_centres(coordinates_of(centres), out)
    assert out == pytest.approx(centres - centres.mean(axis=0), abs=1e-14)
    comparison = np.empty((classes - 1) * 4)
    write_comparison(query, 1, 0, 1.0, comparison)
    assert np.linalg.norm(comparison) == pytest.approx(1.0)
    assert comparison @ coordinates_of(centres) == pytest.approx((centres[1] - centres[0]) @ query / math.sqrt(2.0))


def test_the_disc_is_exact_as_long_as_it_promises() -> None:
    rng = np.random.default_rng(0)
    learner, oracle = DensityCentres(2, "disc", capped=False), DiscOracle(4 * 64, 4 * 256)
    queries, label = unit_rows(rng, 252, 2), 0
    state: Any = None
    for t, query in enumerate(queries):
        # Always the label that it did not play: every round is a factor.
        action, state = learner.predict(observed(query, t, None if t == 0 else label), state)
        if t > 0:
            assert state.centroid[0] == pytest.approx(oracle.centroid, abs=1e-12)
        label = 1 - int(action)
        side = 1.0 if label == 0 else -1.0
        oracle.multiply(SLOPE * side * query)
    assert state.mistakes[0] == 251
    points, masses = disc_nodes()
    assert masses.sum() == pytest.approx(1.0) and (np.linalg.norm(points, axis=1) < 1.0).all()


@pytest.mark.parametrize("capped", [False, True])
@pytest.mark.parametrize(("dim", "classes"), [(2, 2), (3, 4)])
def test_the_normal_body_is_that_of_the_plain_rule_in_any_basis(dim: int, classes: int, capped: bool) -> None:
    rng = np.random.default_rng(dim)
    oracle, learner = GaussOracle(classes, dim, SLOPE, capped), DensityCentres(classes, capped=capped)
    queries, labels = unit_rows(rng, 200, dim) * rng.random((200, 1)), rng.integers(0, classes, 200)
    state: Any = None
    for t in range(200):
        told = None if t == 0 else int(labels[t - 1])
        _, state = learner.predict(observed(queries[t], t, told, classes), state)
        assert state.scores[0] == pytest.approx(oracle.scores(queries[t]), abs=1e-9)
        oracle.learn(queries[t], int(labels[t]))


def test_the_second_order_rule_solves_its_equations() -> None:
    rng = np.random.default_rng(1)
    oracle, learner = SecondOrderOracle(3, 4, 0.1), SecondOrderCentres(3)
    state: Any = None
    queries, labels = unit_rows(rng, 150, 4) * rng.random((150, 1)), rng.integers(0, 3, 150)
    for t in range(150):
        _, state = learner.predict(observed(queries[t], t, None if t == 0 else int(labels[t - 1]), 3), state)
        assert state.scores[0] == pytest.approx(oracle.scores(queries[t]), abs=1e-9)
        oracle.learn(queries[t], int(labels[t]))


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=5, deadline=None)
def test_no_point_gains_more_than_homothety_allows(seed: int) -> None:
    rng = np.random.default_rng(seed)
    learner, total = DensityCentres(2, "disc", capped=False), 0.0
    points = unit_rows(rng, 4000, 2) * rng.random((4000, 1)) ** rng.integers(0, 2)
    gains, factors, fixed = np.zeros(4000), 0, unit_rows(rng, 1, 2)[0]
    state: Any = None
    query, label = fixed, 0
    for t in range(120):
        action, state = learner.predict(observed(query, t, None if t == 0 else label), state)
        label = int(rng.integers(0, 2)) if seed % 2 else 1
        if label != int(action):
            factor = SLOPE * (1.0 if label == 0 else -1.0) * query
            gains += np.log1p(points @ factor) - math.log1p(state.centroid[0] @ factor)
            factors += 1
            total = max(total, gains.max())
            assert gains.max() <= bounds.homothety(2, factors)
        query = unit_rows(rng, 1, 2)[0] if seed % 2 else fixed
    assert total > 0.0


def watch_factors(learner: DensityCentres, least: float) -> tuple[Any, list[float]]:
    """Return a watcher of rounds that holds each factor against what its proof says, and what it has seen."""
    gains: list[float] = []

    def watch(seen: Round, centres: Any) -> None:
        ideal, factor = coordinates_of(centres), np.empty(seen.after.centroid.shape)
        ideal /= np.linalg.norm(ideal)
        if seen.after.factors == seen.before.factors:
            assert (seen.after.centroid == seen.before.centroid).all()
            return
        erred = seen.after.mistakes > seen.before.mistakes
        assert erred == (seen.label != seen.played)
        if erred:
            write_comparison(seen.query, seen.label, seen.played, learner.slope, factor)
            mean = 1.0 + factor @ seen.before.centroid
            assert 1.0 - learner.slope - 1e-12 <= mean <= 1.0 + 1e-12
            gain = math.log1p(factor @ ideal) - math.log(mean)
        else:
            gain = float(seen.after.gained - seen.before.gained)
        if seen.label == seen.true:
            gains.append(gain)
            assert gain >= least

    return watch, gains


@pytest.mark.parametrize(
    ("learner", "dim", "least"),
    [
        (DensityCentres(2, "disc", capped=False), 2, 0.0),
        (DensityCentres(2, "particle"), 2, -0.01),
        (DensityCentres(3, "particle", capped=False), 3, -0.01),
    ],
    ids=["disc", "particle", "particle without capped factors"],
)
@pytest.mark.parametrize("pattern", ["random", "spiteful"])
def test_true_labels_raise_the_truth_and_means_of_mistakes_stay_below_one(
    learner: DensityCentres, dim: int, least: float, pattern: str
) -> None:
    watch, gains = watch_factors(learner, least)
    play(learner, dim, pattern, 200, lies=30, watch=watch)
    assert len(gains) > 10 and max(gains) > 0.1


@pytest.mark.parametrize("learner", [DensityCentres(2), SecondOrderCentres(2)], ids=repr)
def test_two_labels_learn_one_direction(learner: Any) -> None:
    rng = np.random.default_rng(4)
    _, state = learned(learner, unit_rows(rng, 300, 3), rng.integers(0, 2, 300))
    assert state.weights[0, 0] == pytest.approx(-state.weights[0, 1], abs=1e-12)
    if isinstance(learner, DensityCentres):  # the disc's oracle, and the normal body's, are linear classifiers
        assert state.weights[0, 0] == pytest.approx(state.centroid[0] / math.sqrt(2.0), abs=1e-15)


@pytest.mark.parametrize("learner", [DensityCentres(4), SecondOrderCentres(4)], ids=repr)
def test_other_names_of_the_labels_change_nothing_but_the_names(learner: Any) -> None:
    rng = np.random.default_rng(5)
    queries = unit_rows(rng, 300, 3)
    labels = (queries @ rng.standard_normal((3, 4))).argmax(axis=1)
    names = np.array([0, 3, 1, 2])  # the first label keeps its name: all scores are equal at first
    played, _ = learned(learner, queries, labels)
    renamed, _ = learned(learner, queries, names[labels])
    assert renamed == names[played].tolist() and len(set(played)) == 4


def test_particles_follow_the_disc() -> None:
    rng = np.random.default_rng(6)
    queries = unit_rows(rng, 200, 2)
    labels = (queries[:, 0] + 0.5 * queries[:, 1] < 0).astype(int)
    labels[rng.random(200) < 0.2] ^= 1
    _, exact = learned(DensityCentres(2, "disc", capped=False), queries, labels)
    for seed in range(3):
        _, drawn = learned(DensityCentres(2, "particle", capped=False, seed=seed), queries, labels)
        assert drawn.moves[0] > 0 and drawn.mistakes[0] > 20
        assert np.abs(drawn.centroid - exact.centroid).max() <= 0.03


@pytest.mark.parametrize(
    "learner", [DensityCentres(3), DensityCentres(3, "particle"), DensityCentres(2, "disc", capped=False)], ids=repr
)
def test_the_length_of_a_query_changes_nothing(learner: DensityCentres) -> None:
    rng = np.random.default_rng(7)
    queries, labels = 0.1 * rng.standard_normal((150, 2)), rng.integers(0, learner.classes, 150)
    _, state = learned(learner, queries, labels)
    for exponent in (-400, -30):
        _, other = learned(learner, np.ldexp(queries, exponent), labels)
        assert other.centroid.tobytes() == state.centroid.tobytes()
    lengths = 10.0 ** rng.uniform(-3, 3, (150, 1))
    played, other = learned(learner, lengths * queries, labels)
    assert other.centroid == pytest.approx(state.centroid, abs=0.2 if learner.body == "particle" else 1e-9)


@pytest.mark.parametrize("pattern", ["random", "spiteful", "adversarial"])
def test_covariances_stay_positive_and_points_inside_the_ball(pattern: str) -> None:
    state = play(DensityCentres(3), 4, pattern, 1500, lies=200).state
    covariance = state.covariance[0]
    assert (covariance == covariance.T).all() and np.linalg.eigvalsh(covariance).min() > 0.0
    assert np.linalg.norm(state.centroid[0]) <= 1.0
    state = play(DensityCentres(3, "particle", tolerance=0.0), 4, pattern, 700, lies=200).state
    assert state.factors[0] > HISTORY or pattern != "adversarial"
    assert np.linalg.norm(state.points[0], axis=1).max() <= 1.0 and np.linalg.norm(state.centroid[0]) <= 1.0
    assert state.masses[0].sum() == pytest.approx(1.0) and (state.masses >= 0.0).all()


def test_a_full_memory_becomes_a_normal_density_of_the_same_mean() -> None:
    learner, rounds = DensityCentres(2, "particle", capped=False), HISTORY + 40
    state: Any = None
    rng = np.random.default_rng(8)
    direction = np.array([0.6, 0.8])
    kept: list[Any] = []
    label = 0
    for t in range(rounds):
        query = unit_rows(rng, 1, 2)[0]
        action, state = learner.predict(observed(query, t, None if t == 0 else label), state)
        label = 1 - int(action) if t % 2 else int(query @ direction < 0)
        kept.append((int(state.remembered[0]), state.centroid[0].copy()))
    assert state.mistakes[0] <= HISTORY or any(b[0] < a[0] for a, b in zip(kept, kept[1:], strict=False))
    for before, after in zip(kept, kept[1:], strict=False):
        if after[0] < before[0]:
            assert np.abs(after[1] - before[1]).max() <= 0.05


BATCHED = [DensityCentres(3), DensityCentres(3, "particle", particles=64), SecondOrderCentres(3)]


@pytest.mark.parametrize("learner", BATCHED, ids=repr)
def test_a_batch_plays_as_single_games_do(learner: Any) -> None:
    rng = np.random.default_rng(9)
    queries, labels = rng.standard_normal((120, 3, 4)), rng.integers(0, 3, (120, 3))
    state: Any = None
    actions = []
    for t in range(120):
        told = np.full((3, 3), -1.0) if t == 0 else np.eye(3)[labels[t - 1]]
        seen = {"features": queries[t], "feedback": told, "action": np.full((3, 1), -float(t == 0))}
        action, state = learner.predict(seen | {"round": np.full((3, 1), float(t))}, state)
        actions.append(action)
    single, alone = learned(learner, queries[:, 0], labels[:, 0])  # a learner has a stream for each row
    assert single == np.array(actions)[:, 0].tolist()
    assert all(one.tobytes() == many[:1].tobytes() for one, many in zip(alone, state, strict=True))


@pytest.mark.parametrize("learner", [DensityCentres(2, "particle", particles=64), SecondOrderCentres(2)], ids=repr)
def test_whole_games_in_compiled_code_are_those_of_a_loop(learner: Any) -> None:
    chosen: Any = scenario("FullInformation", dim=40, classes=2)
    check_learner(learner, chosen, rounds=60, skip=CHECKS.keys() - {"rules"})


def test_particles_are_drawn_anew_in_every_run_and_episode() -> None:
    learner = DensityCentres(2, "particle", particles=16)
    first = learner.initial_state(2, 3).points
    assert not (first[0] == first[1]).any()
    assert learner.for_run(1).seed != learner.for_run(2).seed and DensityCentres(2).for_run(3).seed == 0
    query = np.ones((2, 3))
    seen = {"features": query, "feedback": np.full((2, 2), -1.0), "action": [[-1.0]] * 2, "round": [[0.0]] * 2}
    _, state = learner.predict(seen)
    _, again = learner.predict(seen, copy.deepcopy(state), episode_start=[False, True])
    assert (again.points[0] == first[0]).all() and not (again.points[1] == first[1]).any()
    assert np.linalg.norm(again.points, axis=2).max() <= 1.0


def test_a_query_without_direction_teaches_nothing_and_is_named_first() -> None:
    rng = np.random.default_rng(10)
    for learner in (DensityCentres(3), DensityCentres(3, "particle", particles=64)):
        _, state = learned(learner, rng.standard_normal((50, 2)), rng.integers(0, 3, 50))
        before = copy.deepcopy(state)
        for t, size in enumerate((0.0, 1e-160, 1e-310)):
            label, state = learner.predict(observed(np.full(2, size), 50 + 2 * t, None, 3), state)
            assert label == 0
            _, state = learner.predict(observed(np.zeros(2), 51 + 2 * t, 2, 3), state)
        assert state.centroid.tobytes() == before.centroid.tobytes()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: DensityCentres(1), "classes must be at least 2"),
        (lambda: DensityCentres(2, "ball"), "body must be one of 'gauss', 'particle', 'disc', got 'ball'"),
        (lambda: DensityCentres(2, slope=1.0), "slope must be less than 1"),
        (lambda: DensityCentres(2, slope=0.0), "slope must be greater than 0"),
        (lambda: DensityCentres(2, slope=math.nan), "slope must be finite"),
        (lambda: DensityCentres(2, tolerance=-0.1), "tolerance must be at least 0"),
        (lambda: DensityCentres(2, "particle", particles=7), "particles must be at least 8"),
        (lambda: DensityCentres(2, capped=1), "capped must be True or False"),  # type: ignore[arg-type]
        (
            lambda: DensityCentres(2, "disc"),
            "body='disc' must have 2 classes and capped=False, got 2 classes and capped",
        ),
        (lambda: DensityCentres(3, "disc", capped=False), "body='disc' must have 2 classes"),
        (lambda: DensityCentres(2, "disc", capped=False).initial_state(1, 3), r"features of 2, got 1 \* 3"),
        (lambda: DensityCentres(3, "particle").initial_state(1, 21), r"features of at most 40, got 2 \* 21"),
        (lambda: SecondOrderCentres(2, 0.0), "regularisation must be at least 1e-40"),
    ],
)
def test_bad_parameters_are_one_clear_error(make: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        make()


@pytest.mark.parametrize("learner", BATCHED, ids=repr)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"features": [math.nan, 0.0]}, "features must be finite"),
        ({"features": [math.inf, 0.0]}, "features must be finite"),
        ({"features": [1.0]}, "state must hold 1 games with 1 features"),
        ({"feedback": [0.0, 1.0]}, "feedback must have shape"),
        ({"feedback": [0.0, 2.0, 0.0]}, "feedback must be -1 where it is hidden"),
    ],
)
def test_what_is_refused_leaves_the_state_as_it_was(learner: Any, change: dict[str, Any], message: str) -> None:
    rng = np.random.default_rng(11)
    _, state = learned(learner, rng.standard_normal((20, 2)), rng.integers(0, 3, 20))
    before = copy.deepcopy(state)
    with pytest.raises(ValueError, match=f"^{message}"):
        learner.predict(observed(np.ones(2), 20, 1, 3) | change, state)
    assert all(now.tobytes() == then.tobytes() for now, then in zip(state, before, strict=True))


@pytest.mark.parametrize("kind", [DensityCentres, SecondOrderCentres])
def test_distances_are_learned_as_inner_products_of_lifted_queries(kind: Any) -> None:
    rng = np.random.default_rng(12)
    centres, queries = 0.6 * rng.standard_normal((3, 2)), rng.uniform(-0.7, 0.7, (600, 2))
    labels = np.linalg.norm(queries[:, np.newaxis] - centres, axis=2).argmin(axis=1)
    told = [learned(kind(3, similarity=similarity), queries, labels)[0] for similarity in ("inner", "euclidean")]
    inner, euclidean = (np.count_nonzero(np.array(played)[300:] != labels[300:]) for played in told)
    assert 2 * euclidean < inner
    lifted = np.column_stack([np.full(600, 0.5), math.sqrt(0.5) * queries])
    assert learned(kind(3), lifted, labels)[0] == told[1]


@given(st.data())
@settings(max_examples=15, deadline=None)
def test_no_label_sequence_raises(data: st.DataObject) -> None:
    learner = data.draw(st.sampled_from(BATCHED))
    size, repeated = data.draw(st.sampled_from([1e-150, 1.0, 1e100])), data.draw(st.booleans())
    labels = data.draw(st.lists(st.integers(0, 2), min_size=1, max_size=60))
    rng = np.random.default_rng(len(labels))
    queries = np.repeat(rng.standard_normal((1, 3)), len(labels), axis=0)
    if not repeated:
        queries = rng.choice([-1.0, 0.0, 1.0], (len(labels), 3))
    played, state = learned(learner, size * queries, labels)
    assert set(played) <= {0, 1, 2} and np.isfinite(state.weights).all()
