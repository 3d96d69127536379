"""Exact and sampled bodies: volumes add up, the truth stays inside, and losses are paid for."""

from typing import Any

import numpy as np
import pytest
from centres_oracle import in_ball, inner_game, play, unit_rows

from learners import ChebyshevHalving, ContextualSearch, KCentres, TwoCentres
from learners.search.chebyshev import COLLAPSED, chebyshev_centre
from learners.search.polytopes import ExactBody, clipped, volume
from learners.search.samples import SampledBody


@pytest.mark.parametrize(("dim", "tolerance"), [(2, 1e-13), (3, 1e-12), (4, 1e-11)])
def test_what_a_cut_leaves_and_what_it_takes_add_up(dim: int, tolerance: float) -> None:
    rng, body = np.random.default_rng(dim), ExactBody(dim, 1.0)
    whole = body._whole(0)
    for normal in unit_rows(rng, 12, dim):
        bound = float(np.quantile(whole.vertices @ normal, 0.4))
        parts = [clipped(whole, side * normal, side * bound) for side in (1.0, -1.0)]
        volumes = [volume(part.vertices) for part in parts if part is not None]
        assert len(volumes) == 2 and sum(volumes) == pytest.approx(volume(whole.vertices), rel=tolerance)
        whole = parts[0] or whole


@pytest.mark.parametrize("engine", ["exact", "sampled"])
@pytest.mark.parametrize("dim", [2, 3])
def test_the_hidden_point_stays_and_guesses_are_paid_for(engine: str, dim: int) -> None:
    rng = np.random.default_rng(dim)
    (point,), learner = in_ball(rng, 1, dim), ContextualSearch(engine=engine)
    first = learner.potential(learner.initial_state(1, dim))[0]
    guess, answer, total, state = np.zeros(1), np.zeros(1), 0.0, None
    for t, query in enumerate(unit_rows(rng, 40, dim)):
        told: dict[str, Any] = {"features": query, "guess": guess, "answer": answer, "round": [float(t)]}
        guess, state = learner.predict(told, state)
        value = float(query @ point)
        total, answer = total + abs(guess[0] - value), np.array([1.0 if value >= guess[0] else -1.0])
        assert t < 20 or abs(guess[0] - value) < 0.5
    body = state.bodies[0]
    assert state.lies[0] == 0 and len(body.scales) > 1
    for found, slack in zip(body.scales, body.slacks, strict=False):
        for normal, bound in zip(found.normals, found.bounds, strict=True):
            assert normal @ point - slack >= bound - 1e-9
    assert total <= first and learner.potential(state)[0] < first


@pytest.mark.parametrize(
    ("engine", "dim", "classes"), [("exact", 2, 3), ("exact", 3, 2), ("sampled", 2, 3), ("sampled", 5, 2)]
)
def test_centres_are_learned_and_paid_for(engine: str, dim: int, classes: int) -> None:
    _, queries, labels, costs = inner_game(np.random.default_rng(1), 80, classes, dim, near=0.3)
    learner = KCentres(classes, engine)
    assert not learner.has_rules() and KCentres(classes).has_rules()
    before, total = learner.potential(learner.initial_state(1, dim))[0], 0.0
    for played in play(learner, queries, labels, costs):
        total += played.loss
    assert total <= 2.0 * (before - learner.potential(played.state)[0])
    assert engine == "sampled" or not any(body.lies for body in played.state.bodies[0])


def test_the_exact_potential_pays_for_every_mistake() -> None:
    _, queries, labels, costs = inner_game(np.random.default_rng(2), 60, 2, 2, near=0.5)
    learner = TwoCentres(2, "exact")
    left, due = learner.potential(learner.initial_state(1, 2))[0], 0.0
    for played in play(learner, queries, labels, costs):
        now = learner.potential(played.state)[0]
        assert left - now >= due - 1e-8
        left, due = now, played.loss


def test_a_cloud_is_spread_as_the_exact_body_is() -> None:
    rng, exact, cloud = np.random.default_rng(3), ExactBody(3, 1.0), SampledBody(3, 1.0, 0)
    # The same body: the cube is cut down to where the ball of the cloud hardly matters.
    for axis in (*np.eye(3), *-np.eye(3)):
        for body in (exact, cloud):
            body._at(0)
            body.keep(axis, 1.0, -0.3)
    for normal in unit_rows(rng, 10, 3):
        for body in (exact, cloud):
            body.keep(normal, 1.0, -0.15)
    for normal in unit_rows(rng, 10, 3):
        assert cloud.share(0, normal, 0.0) == pytest.approx(exact.share(0, normal, 0.0), abs=0.2)


def test_bodies_of_other_dimensions_are_refused() -> None:
    with pytest.raises(ValueError, match="ExactBody must have from 2 to 4 dimensions, got 5"):
        KCentres(3, "exact").initial_state(1, 5)


def test_a_chebyshev_centre_is_the_middle_of_what_is_left() -> None:
    centres, radius = chebyshev_centre(((1, 1.0),), 2)  # x_2 >= x_1 in the square
    assert radius == pytest.approx(2.0 / (2.0 + np.sqrt(2.0))) and centres[1, 0] > centres[0, 0]


@pytest.mark.parametrize("restart", [False, True])
def test_halving_notices_its_collapse_by_the_margin(restart: bool) -> None:
    rng, learner = np.random.default_rng(0), ChebyshevHalving(2, restart=restart)
    _, queries, labels, costs = inner_game(rng, 120, 2, 2)
    wrong = labels.copy()
    wrong[5:120:6] = 1 - wrong[5:120:6]
    *_, honest = play(learner, queries, labels, costs)
    *_, misled = play(learner, queries, wrong, costs)
    assert honest.state.collapses[0] == 0 and honest.state.margin[0] > COLLAPSED
    assert misled.state.collapses[0] >= 1 and (restart or misled.state.collapses[0] == 1)
    assert (misled.state.margin[0] > COLLAPSED) == restart
