"""Contextual search: one game in three forms, and answers and losses by their definition."""

from typing import Any

import numpy as np
import pytest

from agents import HiddenCentres
from learners.catalogue import build
from strategic_env import SearchSetting, evaluate, rollout, scenario
from strategic_env.games.shared.episodes import keys_of_games

GAMES, SEED, ROUNDS = 3, 7, 80
OPTIONS: list[dict[str, Any]] = [
    {},
    {"dim": 5, "query": "ball", "exponent": 0.5},
    {"dim": 2, "pool": 6, "population_seed": 4, "margin": 0.02},
    {"corruption": 7},
    {"corruption": 7, "corruption_pattern": "early", "query": "data", "data": "german_credit"},
    {"corruption": 7, "corruption_pattern": "late"},
]


def loop(env: Any, learner: Any, reset: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    seen, state = env.reset(seed=SEED, **reset)[0], None
    found: dict[str, list[Any]] = {}
    for _ in range(ROUNDS):
        query = seen["features"].copy()
        action, state = learner.predict(seen, state)
        seen, reward, _, _, info = env.step(action)
        told = {key: one for key, one in info.items() if key[0] != "_"}
        told |= {
            "query": query,
            "guess": np.asarray(action)[..., 0],
            "answer": seen["answer"][..., 0],
            "reward": reward,
        }
        for key, one in told.items():
            found.setdefault(key, []).append(one)
    return {key: np.array(ones) for key, ones in found.items()}, learner.predict(seen, state)[1]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_single_vector_and_rollout_are_one_game(options: dict[str, Any]) -> None:
    one = scenario("ContextualSearch", horizon=ROUNDS, **options)
    learner: Any = build("contextual-search", one.knowledge)
    many, state = loop(one.make_vec(GAMES, info_level="full"), learner, {})
    for game in range(GAMES):
        alone, _ = loop(one.make(), learner, {"options": {"game": game}})
        for key, numbers in alone.items():
            assert (many[key][:, game] == numbers).all(), f"{key} of game {game}"
    played = rollout(learner, one, GAMES, seed=SEED, checkpoints=[ROUNDS])
    losses = np.zeros(GAMES)
    for loss in many["loss"]:
        losses += loss
    assert (played.loss == losses).all() and (losses > 0.0).all()
    assert (played.mistakes == many["mistake"].sum(axis=0)).all() and (played.curves[:, 0] == played.mistakes).all()
    assert (played.wrong_answers == many["wrong_answer"].sum(axis=0)).all()
    for own, other in zip(played.state, state, strict=True):
        assert (own == other).all()


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_answers_and_losses_are_those_of_the_hidden_point(options: dict[str, Any]) -> None:
    one = scenario("ContextualSearch", horizon=ROUNDS, **options)
    found, _ = loop(one.make(), build("contextual-search", one.knowledge), {})
    seed = options.get("population_seed", SEED)
    (point,) = one.setting.population.hidden(keys_of_games(seed, 1)[0])
    values = found["query"] @ point
    assert np.linalg.norm(point) <= 1.0 and found["value"] == pytest.approx(values)
    wrong = found["wrong_answer"]
    assert (found["answer"] == np.where((found["value"] >= found["guess"]) != wrong, 1.0, -1.0)).all()
    pattern, places = options.get("corruption_pattern"), np.flatnonzero(wrong)
    assert len(places) == options.get("corruption", 0)
    assert pattern is None or (places == np.arange(7) + (pattern == "late") * ROUNDS // 4).all()
    misses = np.abs(found["value"] - found["guess"])
    assert found["loss"] == pytest.approx(misses ** options.get("exponent", 1.0))
    assert (found["reward"] == -found["loss"]).all()
    assert (found["mistake"] == (misses >= options.get("margin", 0.1))).all()


def test_guesses_outside_are_refused_and_change_nothing() -> None:
    env = scenario("ContextualSearch").make_vec(2)
    env.reset(seed=0)
    for guess, message in ((1.5, r"in \[-1, 1\], got 1.5 in game 1"), (np.nan, "got nan in game 1")):
        with pytest.raises(ValueError, match=message):
            env.step(np.array([[0.0], [guess]]))
    with pytest.raises(ValueError, match=r"action must have shape \(2, 1\), got \(2,\)"):
        env.step(np.zeros(2))
    assert env.step(np.zeros((2, 1)))[0]["round"].tolist() == [[1.0], [1.0]]


def test_settings_of_ones_own_are_checked() -> None:
    with pytest.raises(TypeError, match="population must be a HiddenPoint"):
        SearchSetting(population=HiddenCentres())  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="data must be given for query='data' and for no other, got query='data'"):
        scenario("ContextualSearch", query="data")
    with pytest.raises(ValueError, match="corruption must be at most 4, got 5"):
        scenario("ContextualSearch", corruption=5, horizon=4)
    with pytest.raises(ValueError, match="corruption_pattern must be one of 'random', 'early', 'late', got 'never'"):
        scenario("ContextualSearch", corruption_pattern="never")


def test_an_adversary_asks_for_guesses_and_takes_the_worst() -> None:
    """Ellipsoids lose more to it than to random queries, and yet no more than their potential."""
    asked, plain = (scenario("ContextualSearch", horizon=ROUNDS, query=query) for query in ("adversary", "sphere"))
    learner: Any = build("contextual-search", asked.knowledge)
    losses = rollout(learner, asked, GAMES, seed=SEED).loss
    assert losses.sum() > rollout(learner, plain, GAMES, seed=SEED).loss.sum()
    assert (losses <= learner.potential(learner.initial_state(1, 3))).all()
    with pytest.raises(ValueError, match="query must not be 'adversary' in an environment"):
        asked.make()
    with pytest.raises(ValueError, match="must have compiled rules, which query='adversary' asks"):
        evaluate(["contextual-search:engine=exact"], asked, seeds=1)


def test_the_bench_plays_it() -> None:
    results = evaluate(["contextual-search"], "ContextualSearch", seeds=2, rounds=60)
    assert all(run.error is None and run.fused and run.loss > 0.0 for run in results.runs)
    with pytest.raises(ValueError, match="multiclass-perceptron is a learner of multiclass classification"):
        evaluate(["multiclass-perceptron"], "ContextualSearch", seeds=1, rounds=5)
