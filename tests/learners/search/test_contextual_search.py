"""Contextual search: the hidden point is never excluded, and the loss never exceeds what is proved."""

import copy
from typing import Any

import numpy as np
import pytest

from learners import ContextualSearch
from learners.catalogue import build, learner_class
from learners.search.ellipsoids import thresholds_of

DIMENSIONS = (1, 2, 3, 6)
MARGIN = 0.1


def unit_rows(rng: np.random.Generator, games: int, dim: int) -> Any:
    rows = rng.standard_normal((games, dim))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def hidden_points(rng: np.random.Generator, games: int, dim: int) -> Any:
    return unit_rows(rng, games, dim) * rng.random((games, 1)) ** (1.0 / dim)


class Search:
    """Some games of contextual search, played in a batch."""

    def __init__(self, learner: ContextualSearch, games: int, dim: int, seed: int = 0) -> None:
        self.learner, self.rng = learner, np.random.default_rng(seed)
        self.points = hidden_points(self.rng, games, dim)
        self.state: Any = None
        self.guess, self.answer, self.round = np.zeros((games, 1)), np.zeros((games, 1)), 0

    def ask(self, queries: Any) -> Any:
        """Return the loss of each game's guess for its query."""
        seen = {"features": queries, "guess": self.guess, "answer": self.answer}
        seen["round"] = np.full((len(queries), 1), float(self.round))
        self.guess, self.state = self.learner.predict(seen, self.state)
        values = (queries * self.points).sum(axis=1, keepdims=True)
        self.answer, self.round = np.where(values >= self.guess, 1.0, -1.0), self.round + 1
        return np.abs(self.guess - values)[:, 0]

    def random(self) -> Any:
        return unit_rows(self.rng, *self.points.shape)

    def worst_of(self, candidates: int) -> Any:
        """Return for each game the query, of some random ones, whose guess is worst."""
        queries, worst = self.random(), np.full(len(self.points), -1.0)
        for _ in range(candidates):
            tried = self.random()
            twin = copy.deepcopy(self)
            loss = twin.ask(tried)
            queries = np.where((loss > worst)[:, np.newaxis], tried, queries)
            worst = np.maximum(loss, worst)
        return queries


@pytest.mark.parametrize("engine", ["ellipsoid", "one-scale"])
@pytest.mark.parametrize("dim", DIMENSIONS)
def test_the_hidden_point_and_its_slack_stay_in_every_ellipsoid(engine: str, dim: int) -> None:
    game = Search(ContextualSearch(engine=engine, margin=MARGIN), 3, dim)
    for _ in range(300):
        game.ask(game.random())
    assert (game.state.lies == 0).all()
    for row, point in enumerate(game.points):
        for centre, factor, slack in zip(
            game.state.weights[row], game.state.factors[row], game.state.slacks[row], strict=True
        ):
            # The farthest point of the ball of radius z, in the ellipsoid's own coordinates.
            root = np.linalg.inv(factor)
            for direction in (*np.eye(dim), *-np.eye(dim), *unit_rows(game.rng, 20, dim)):
                assert np.linalg.norm(root @ (point + slack * direction - centre)) <= 1.0 + 1e-6


@pytest.mark.parametrize("exponent", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("dim", DIMENSIONS)
@pytest.mark.parametrize("stream", ["random", "worst"])
def test_the_loss_of_every_round_is_paid_by_the_potential(dim: int, exponent: float, stream: str) -> None:
    learner = ContextualSearch(exponent=exponent)
    game = Search(learner, 2, dim, seed=dim)
    left = learner.potential(learner.initial_state(2, dim))
    due, finest = np.zeros(2), thresholds_of(1.0)[-1] ** exponent  # what is thinner is not explored
    for _ in range(40 if stream == "worst" else 300):
        loss = game.ask(game.random() if stream == "random" else game.worst_of(5))
        now = learner.potential(game.state)  # the last round is learned, this one is not
        assert (left - now >= due - finest).all()
        left, due = now, loss**exponent


@pytest.mark.parametrize(("dim", "potential"), [(2, 301), (3, 801), (5, 2616), (10, 12476)])
def test_the_first_potential_is_half_of_that_of_two_centres(dim: int, potential: int) -> None:
    learner = ContextualSearch()
    assert learner.potential(learner.initial_state(1, dim))[0] == pytest.approx(potential, abs=0.6)


@pytest.mark.parametrize("dim", [2, 5])
def test_one_scale_exceeds_the_margin_in_no_more_rounds_than_proved(dim: int) -> None:
    learner = ContextualSearch(engine="one-scale", margin=MARGIN)
    game = Search(learner, 2, dim)
    allowed = learner.potential(learner.initial_state(2, dim))
    beyond = sum((game.ask(game.worst_of(8)) > MARGIN).astype(int) for _ in range(100))
    assert 0 < beyond.max() and (beyond <= allowed).all()
    assert (beyond <= allowed - learner.potential(game.state) + 1).all()


def test_a_batch_guesses_as_single_games_do() -> None:
    batch, dim = Search(ContextualSearch(), 3, 4), 4
    queries = [batch.random() for _ in range(50)]
    guesses = [(batch.ask(query), batch.guess.copy())[1] for query in queries]
    for row in range(3):
        single = Search(ContextualSearch(), 1, dim)
        single.points = batch.points[row : row + 1]
        for query, guess in zip(queries, guesses, strict=True):
            single.ask(query[row : row + 1])
            assert single.guess.tobytes() == guess[row : row + 1].tobytes()


def test_false_answers_are_counted_and_raise_nothing() -> None:
    game = Search(ContextualSearch(), 2, 3)
    for _ in range(400):
        game.ask(game.random())
        game.answer = game.rng.choice([-1.0, 1.0], game.answer.shape)
    assert (game.state.lies > 0).all() and (np.abs(game.guess) <= 1.0).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"answer": [0.5]}, "answer must be -1"),
        ({"features": [1.0, 1.0]}, "features must be finite and at most 1 long"),
        ({"features": [np.nan, 0.0]}, "features must be finite"),
        ({"guess": [1.5]}, "guess must be in"),
        ({"round": [-1.0]}, "round must be finite"),
        ({"features": 1.0}, "features must have shape"),
        ({"answer": ["yes"]}, "answer must hold real numbers"),
    ],
)
def test_a_bad_observation_is_one_clear_error(change: dict[str, Any], message: str) -> None:
    base = {"features": [0.6, 0.8], "guess": [0.0], "answer": [1.0], "round": [1.0]}
    with pytest.raises((ValueError, TypeError), match=f"^{message}"):
        ContextualSearch().predict(base | change)
    with pytest.raises(ValueError, match="it lacks answer, guess, round"):
        ContextualSearch().predict({"features": [1.0]})


def test_flat_observations_are_read_alike() -> None:
    learner = ContextualSearch()
    told = {"features": [0.6, 0.8], "guess": [0.25], "answer": [-1.0], "round": [3.0]}
    guess, _ = learner.predict(told)
    flat, _ = learner.predict(np.concatenate([told[key] for key in sorted(told)]))
    assert flat == guess and guess.shape == (1,)


def test_it_is_built_by_its_name_and_says_what_it_lacks() -> None:
    assert learner_class("contextual-search") is ContextualSearch
    assert build("contextual-search", {"margin": 0.2}).parameters["margin"] == 0.2
    with pytest.raises(ValueError, match="engine='one-scale' must be told margin"):
        build("contextual-search", {}, engine="one-scale")
    with pytest.raises(ValueError, match="engine must be one of 'ellipsoid'"):
        ContextualSearch(engine="elipsoid")
    with pytest.raises(TypeError, match="state must be a EllipsoidSearchState, got tuple"):
        ContextualSearch().potential(())


@pytest.mark.parametrize("engine", ["ellipsoid", "one-scale", "exact", "sampled", "density"])
def test_no_sequence_of_answers_leads_to_what_is_no_guess(engine: str) -> None:
    learner, rng = ContextualSearch(engine=engine, margin=MARGIN), np.random.default_rng(0)
    guess, state = None, None
    for round in range(40):
        query = np.eye(3)[0] if round % 2 else rng.normal(size=3)
        told = -1.0 if round < 20 else 1.0  # whatever was guessed
        seen = {
            "features": query / np.linalg.norm(query), "guess": [0.0] if guess is None else guess,
            "answer": [told if round else 0.0], "round": [round],
        }  # fmt: skip
        guess, state = learner.predict(seen, state)
        assert abs(guess[0]) <= 1.0
