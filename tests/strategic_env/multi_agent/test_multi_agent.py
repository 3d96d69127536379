"""The multi-agent game: PettingZoo's own tests, equality with the other forms, turns, lag, nature, policies, copies."""

import copy
import pickle
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import data_equivalence
from pettingzoo.utils.conversions import aec_to_parallel, parallel_to_aec

with warnings.catch_warnings():  # PettingZoo's tests import games of its own in a way that it deprecates
    warnings.simplefilter("ignore")
    from pettingzoo.test import (
        api_test,
        max_cycles_test,
        parallel_api_test,
        parallel_seed_test,
        render_test,
        seed_test,
    )
    from pettingzoo.test.state_test import state_test

import pettingzoo

from agents import BestResponse, GreedyAdversary, L2Cost, Noisy, Separable, Truthful, WeightedL1Cost
from agents.boundary import FLOAT64_EPS, side
from agents.responses.individuals import BudgetLimited
from learners import Perceptron
from learners.strategic.observation import Layout
from strategic_env import Scenario, Setting, multi_agent, scenario
from strategic_env.games.registration import environment_id
from strategic_env.games.strategic.description import STRATEGIC
from strategic_env.multi_agent import GreedyNature, UniformNature, env, parallel_env, play, raw_env

Env = Any
LEARNER, NATURE, INDIVIDUAL = "learner_0", "nature_0", "individual_0"

# What PettingZoo remarks on every game whose agents differ in what they see, by name; `pad_spaces` leaves nothing.
REMARKS = [
    pytest.mark.filterwarnings(f"ignore:{remark}:UserWarning")
    for remark in (
        "Observation is not a NumPy array",
        "Observation space for each agent probably should be gymnasium.spaces.box",
        "Agents have different observation space sizes",
    )
]
NATURES: list[dict[str, Any]] = [
    {},
    *({"nature": True, "nature_sees": sees} for sees in ("current", "previous", "nothing")),
]


def remarked(test: Callable[..., None]) -> Callable[..., None]:
    for mark in REMARKS:
        test = mark(test)
    return test


def custom(population: Any, cost: Any, **parts: Any) -> Scenario:
    return Scenario("custom", Setting(population=population, cost=cost, **parts), 1000, {}, None)


# PettingZoo's own tests


@pytest.mark.parametrize("nature", [False, True])
@pytest.mark.parametrize("name", STRATEGIC)
def test_official_turn_based(name: str, nature: bool) -> None:
    api_test(env(name, pad_spaces=True, nature=nature, max_cycles=6), num_cycles=8)


@remarked
@pytest.mark.parametrize("options", NATURES, ids=str)
@pytest.mark.parametrize("pad_spaces", [False, True])
@pytest.mark.parametrize(
    "options_of_scenario", [{"feedback": "apple_tasting", "pool": 5, "noise": 0.5}, {"alpha": 0.0}, {"dim": 1}], ids=str
)
def test_official_turn_based_combinations(
    options_of_scenario: dict[str, Any], pad_spaces: bool, options: dict[str, Any]
) -> None:
    for make in (env, raw_env):
        api_test(make("KnownL2", pad_spaces=pad_spaces, max_cycles=5, **options, **options_of_scenario), num_cycles=6)


@pytest.mark.parametrize("individuals", [1, 3])
@pytest.mark.parametrize("name", STRATEGIC)
def test_official_parallel(name: str, individuals: int) -> None:
    for pad_spaces in (False, True):
        parallel_api_test(parallel_env(name, individuals=individuals, pad_spaces=pad_spaces), num_cycles=6)


@pytest.mark.parametrize("options", NATURES, ids=str)
def test_official_parallel_without_lag(options: dict[str, Any]) -> None:
    for pad_spaces in (False, True):
        parallel_api_test(parallel_env(lag=0, max_cycles=4, pad_spaces=pad_spaces, **options), num_cycles=20)


@remarked
def test_official_conversions() -> None:
    for pad_spaces in (False, True):
        api_test(parallel_to_aec(parallel_env(individuals=2, pad_spaces=pad_spaces, max_cycles=5)), num_cycles=8)


@pytest.mark.parametrize("name", ["KnownL2", "HeterogeneousL2", "GermanCredit", "Example3"])
def test_official_seeds(name: str) -> None:
    for options in ({}, {"nature": True}, {"pad_spaces": True}):
        seed_test(lambda options=options: env(name, max_cycles=80, **options), num_cycles=80)
        parallel_seed_test(lambda options=options: parallel_env(name, lag=0, max_cycles=80, **options))
    parallel_seed_test(lambda: parallel_env(name, individuals=3, max_cycles=80))


@pytest.mark.parametrize("options", NATURES[:2], ids=str)
@pytest.mark.parametrize("individuals", [1, 3])
def test_official_max_cycles(options: dict[str, Any], individuals: int) -> None:
    max_cycles_test(
        SimpleNamespace(
            env=lambda max_cycles: env(max_cycles=max_cycles, **options),
            parallel_env=lambda max_cycles: parallel_env(max_cycles=max_cycles, individuals=individuals),
        )
    )


def test_official_render() -> None:
    render_test(lambda render_mode: env("KnownL2", render_mode=render_mode))
    render_test(lambda render_mode: env("GermanCredit", nature=True, pad_spaces=True, render_mode=render_mode))


@pytest.mark.parametrize("options", NATURES[:2], ids=str)
@pytest.mark.parametrize("pad_spaces", [False, True])
def test_official_state(options: dict[str, Any], pad_spaces: bool) -> None:
    state_test(env(pad_spaces=pad_spaces, **options), parallel_env(individuals=3, pad_spaces=pad_spaces))


# Random play, by hand


def snapshots(game: Env, turns: int, seed: int = 0) -> Iterator[Any]:
    """Take turns at random, whatever the form; yield everything that can be seen after each."""
    rng = np.random.default_rng(seed)
    agents = game.possible_agents
    for agent in agents:
        game.action_space(agent).seed(int(rng.integers(2**31)))
    for _ in range(turns):
        if not game.agents:
            return
        if isinstance(game, pettingzoo.ParallelEnv):
            yield game.step({agent: game.action_space(agent).sample() for agent in game.agents}), game.state()
        else:
            agent = game.agent_selection
            game.step(None if game.truncations[agent] else game.action_space(agent).sample())
            seen = {agent: game.observe(agent) for agent in game.agents}
            yield agent, seen, game.rewards, game.infos, game.truncations, game.terminations, game.state()


FORMS: list[Callable[[], Env]] = [
    lambda: raw_env("KnownL2", max_cycles=80),
    lambda: env("HeterogeneousL2", nature=True, max_cycles=60),
    lambda: env("GermanCredit", pad_spaces=True, nature=True, nature_sees="previous"),
    lambda: env(custom(GreedyAdversary([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.5]], [1, -1, 1]), L2Cost(0.3))),
    lambda: parallel_env("KnownL1", individuals=3, max_cycles=200),
    lambda: parallel_env("HeterogeneousL2", individuals=5, pad_spaces=True),
    lambda: parallel_env("KnownL2", lag=0),
]


@pytest.mark.parametrize("make", FORMS, ids=range(len(FORMS)))
def test_whole_episodes_repeat_and_differ(make: Callable[[], Env]) -> None:
    """Also across blocks of arrivals and from one episode to the next, where PettingZoo's test looks at one step."""

    def episodes(seed: int) -> list[Any]:
        game, seen = make(), []
        for reset_to in (seed, None):
            seen.append(game.reset(seed=reset_to))
            seen += snapshots(game, 150)
        return seen

    first, again, other = episodes(7), episodes(7), episodes(8)
    assert data_equivalence(first, again, exact=True)
    random = make not in (FORMS[2], FORMS[3])  # where nature picks from given people, nothing is random
    assert data_equivalence(first, other, exact=True) is not random


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda game: pickle.loads(pickle.dumps(game))])
@pytest.mark.parametrize("make", FORMS, ids=range(len(FORMS)))
def test_copies_in_mid_episode_continue_identically(make: Callable[[], Env], duplicate: Callable[[Env], Env]) -> None:
    game = make()
    game.reset(seed=3)
    for turns in (1, 66):  # in the middle of the first round, and of a later block
        list(snapshots(game, turns))
        twin = duplicate(game)
        assert data_equivalence(list(snapshots(game, 75, 1)), list(snapshots(twin, 75, 1)), exact=True)
    assert data_equivalence(game.reset(), twin.reset(), exact=True)
    assert data_equivalence(list(snapshots(game, 5)), list(snapshots(twin, 5)), exact=True)


def arrays_in(thing: Any) -> Iterator[np.ndarray]:
    if isinstance(thing, np.ndarray):
        yield thing
    elif isinstance(thing, dict):
        yield from (array for part in thing.values() for array in arrays_in(part))
    elif isinstance(thing, (tuple, list)):
        yield from (array for part in thing for array in arrays_in(part))


@pytest.mark.parametrize("make", FORMS, ids=range(len(FORMS)))
def test_nothing_that_is_returned_is_shared_and_writing_into_it_changes_nothing(make: Callable[[], Env]) -> None:
    game, clean = make(), make()
    for one in (game, clean):
        one.reset(seed=0)
    expected = [copy.deepcopy(seen) for seen in snapshots(clean, 40)]
    kept: list[np.ndarray] = []
    for seen, wanted in zip(snapshots(game, 40), expected, strict=True):
        assert data_equivalence(seen, wanted, exact=True)
        arrays = list(arrays_in(seen))
        for i, array in enumerate(arrays):
            assert not any(np.shares_memory(array, other) for other in [*kept, *arrays[i + 1 :]])
        kept = arrays
        for part in seen if not isinstance(seen[0], tuple) else seen[0]:  # as RLlib and its like do
            if isinstance(part, dict):
                for inner in part.values():
                    if isinstance(inner, dict):
                        inner["active_agent"] = "somebody"
        for array in arrays:
            array[...] = 99.0


@pytest.mark.parametrize("make", FORMS, ids=range(len(FORMS)))
def test_everything_seen_lies_in_its_space_at_the_extremes(make: Callable[[], Env]) -> None:
    game = make()
    game.reset(seed=1)
    rng = np.random.default_rng(0)
    for agent in game.possible_agents:
        space = game.action_space(agent)
        if isinstance(space, gymnasium.spaces.Box):
            space.sample = lambda space=space: np.where(rng.random(space.shape) < 0.5, space.low, space.high)
    for seen in snapshots(game, 60):
        observations = seen[1] if isinstance(seen[0], str) else seen[0][0]
        for agent, observation in observations.items():
            assert observation in game.observation_space(agent)
            assert game.observation_space(agent) is game.observation_space(agent)
        assert seen[-1] in game.state_space


# One game in four forms


def single_rounds(game: Scenario, policy: Any, rounds: int, seed: int, number: int = 0) -> list[Any]:
    alone = game.make()
    observation, _ = alone.reset(seed=seed, options={"game": number})
    state, played = None, []
    for _ in range(rounds):
        action, state = policy.predict(observation, state)
        observation, reward, _, _, info = alone.step(action)
        assert alone.last is not None
        happened = Layout(game.setting.dim).split(alone.last.observation)  # which the learner may be told late
        played.append(happened | info | {"reward": reward})
    return played


def assert_same_rounds(record: Any, rounds: list[Any]) -> None:
    for theirs, ours in (
        ("classifier", record.classifiers),
        ("features", record.reports),
        ("label", record.labels[:, np.newaxis]),
        ("prediction", record.predictions[:, np.newaxis]),
        ("true_features", record.true_features),
        ("true_label", record.true_labels),
        ("moved", record.moved),
        ("mistake", record.mistakes),
        ("cost", record.costs),
        ("reward", record.rewards[LEARNER]),
    ):
        assert (np.array([played[theirs] for played in rounds]) == ours).all(), theirs
    accepted = (record.true_labels > 0) != record.mistakes
    assert (record.rewards[INDIVIDUAL] == accepted - record.costs).all()


def forms(game: Scenario) -> list[Env]:
    return [raw_env(game), env(game, pad_spaces=True), parallel_env(game, lag=0)]


@pytest.mark.parametrize("feedback", ["full", "apple_tasting"])
@pytest.mark.parametrize("name", STRATEGIC)
def test_the_answers_of_a_scenario_give_the_rounds_of_the_single_environment(name: str, feedback: str) -> None:
    game = scenario(name, feedback=feedback)
    rounds = single_rounds(game, Perceptron(bias=True), 150, seed=5)
    for form in forms(game):
        policies = {LEARNER: Perceptron(bias=True), INDIVIDUAL: game.setting.individual}
        assert_same_rounds(play(form, policies, rounds=150, seed=5), rounds)


@pytest.mark.parametrize("individual", [Truthful(), Noisy(0.1), BudgetLimited(0.5)], ids=repr)
@pytest.mark.parametrize("name", ["KnownL2", "HeterogeneousL2", "GermanCredit"])
def test_other_individuals_give_the_rounds_of_the_single_environment(name: str, individual: Any) -> None:
    game = scenario(name)
    game = replace(game, setting=replace(game.setting, individual=individual))
    rounds = single_rounds(game, Perceptron(bias=True), 100, seed=2)
    for form in forms(game):
        record = play(form, {LEARNER: Perceptron(bias=True), INDIVIDUAL: individual}, rounds=100, seed=2)
        assert_same_rounds(record, rounds)


def test_the_vector_environment_gives_the_same_rounds_game_by_game() -> None:
    game, rng = scenario("KnownL2", dim=3), np.random.default_rng(0)
    actions = rng.uniform(-1.0, 1.0, (70, 4))
    together = game.make_vec(2)
    together.reset(seed=4)
    steps = [together.step(np.stack([action, action]))[0] for action in actions]
    for number in range(2):
        turns = env(game)
        record = play(
            turns, {LEARNER: Scripted(actions), INDIVIDUAL: BestResponse()}, rounds=70, seed=4, options={"game": number}
        )
        assert (record.reports == [seen["features"][number] for seen in steps]).all()
        assert (record.predictions == [seen["prediction"][number, 0] for seen in steps]).all()


class Scripted:
    """Does what is written down."""

    def __init__(self, actions: Any) -> None:
        self.actions, self.seen = actions, []

    def predict(self, observation: Any, state: Any, episode_start: Any, deterministic: bool, /) -> tuple[Any, Any]:
        self.seen.append(observation)
        return self.actions[state or 0], (state or 0) + 1


def test_games_and_episodes_are_those_of_the_single_environment() -> None:
    alone, turns = scenario("KnownL2").make(), raw_env("KnownL2")
    for seed, options in (
        (3, None),
        (None, None),
        (None, {"game": 2}),
        (None, {"seen": 1}),
        (4, {"game": 1}),
        (None, None),
        (0, None),
        (None, None),
    ):
        alone.reset(seed=seed, options={key: value for key, value in (options or {}).items() if key == "game"})
        turns.reset(seed=seed, options=options)
        assert turns.game is not None and alone.game is not None
        assert (turns.game.key == alone.game.key).all()


def test_a_reset_forgets_the_last_rounds_in_both_forms() -> None:
    turns, together = raw_env("KnownL2"), parallel_env("KnownL2", individuals=2)
    for _ in range(2):
        turns.reset(seed=1)
        observations, _ = together.reset(seed=1)
        assert turns.last_rounds == together.unwrapped.last_rounds == []
        turns.step(np.array([1.0, 0.0, -0.1]))
        turns.step(turns.observe("individual_0")["features"])
        together.step({agent: together.action_space(agent).sample() for agent in observations})
        assert (len(turns.last_rounds), len(together.unwrapped.last_rounds)) == (1, 2)


# Turns


def test_the_cycle_of_turns_and_what_is_seen_and_paid() -> None:
    game = raw_env("KnownL2", dim=3, alpha=0.5, max_cycles=2)
    game.reset(seed=0)
    truth, labels = game.setting.arrivals(game.game.key).points(2)
    classifier = np.array([1.0, 0.0, 0.0, -0.25])
    report = np.array([0.25, 0.5, 0.0])
    for round in range(2):
        assert game.agent_selection == LEARNER
        learner = game.observe(LEARNER)
        assert learner["round"] == round and (round or not any(part.any() for part in learner.values()))
        game.step(classifier)
        assert game.agent_selection == INDIVIDUAL and game.rewards == {LEARNER: 0.0, INDIVIDUAL: 0.0}
        seen = game.observe(INDIVIDUAL)
        assert (seen["features"] == truth[round]).all() and seen["budget"] == [0.5]
        assert (seen["classifier"] == classifier).all()
        assert game.infos[INDIVIDUAL] == {"arrival": round, "discount": 0.0} and game.infos[LEARNER] == {}
        game.step(report)
        learner = game.observe(LEARNER)
        assert (learner["features"] == report).all() and learner["prediction"] == [1.0]
        assert learner["label"] == labels[round]
        cost = np.linalg.norm(report - truth[round]) / 0.5
        assert game.rewards[INDIVIDUAL] == pytest.approx(1.0 - cost, abs=1e-15)
        assert game.rewards[LEARNER] == (0.0 if labels[round] > 0 else -1.0)
        assert game.last(observe=False)[1] == game.rewards[LEARNER]
    assert game.truncations == {LEARNER: True, INDIVIDUAL: True} and not any(game.terminations.values())
    with pytest.raises(ValueError, match="only valid action is None"):
        game.step(classifier)
    for agent in (LEARNER, INDIVIDUAL):
        assert game.agent_selection == agent
        game.step(None)
    with pytest.raises(ResetNeeded, match="reset"):
        game.step(None)


@pytest.mark.parametrize(
    "other",
    [
        lambda report: np.repeat(report, 2)[::2],
        lambda report: report[::-1].copy()[::-1],
        lambda report: np.frombuffer(report.tobytes()),  # not writable
        lambda report: report.astype(">f8"),
        list,
    ],
    ids=range(5),
)
def test_a_report_may_be_any_array_and_stays_as_it_was(other: Callable[[Any], Any]) -> None:
    game, report = raw_env("KnownL2"), np.array([0.25, -0.5])
    game.reset(seed=0)
    game.step(np.array([1.0, 0.5, -0.1]))
    given = other(report)
    assert reported(game, given) == reported(game, report)
    assert list(given) == report.tolist()


@pytest.mark.parametrize("attribute", ["agent_selection", "rewards", "terminations", "truncations", "infos"])
def test_what_an_episode_has_is_not_there_before_the_first_reset(attribute: str) -> None:
    game = raw_env()
    with pytest.raises(AttributeError, match=rf"call reset\(\) before {attribute}"):
        getattr(game, attribute)
    game.reset()
    assert getattr(game, attribute)
    with pytest.raises(AttributeError, match="'StrategicClassificationAECEnv' object has no attribute 'colour'"):
        getattr(game, "colour")  # noqa: B009


@pytest.mark.parametrize("call", [lambda game: game.last(), lambda game: next(iter(game.agent_iter()))])
def test_a_loop_before_the_first_reset_is_refused(call: Callable[[Env], Any]) -> None:
    with pytest.raises(ResetNeeded, match=r"call reset\(\) before (last|agent_iter)\(\)"):
        call(raw_env())


def test_turns_before_the_first_reset_are_refused() -> None:
    with pytest.raises(ResetNeeded, match="reset"):
        raw_env().step(np.zeros(3))
    with pytest.raises(ResetNeeded, match="reset"):
        parallel_env().step({})
    for look in (raw_env().state, parallel_env().state, lambda: raw_env().observe(LEARNER)):
        with pytest.raises(ResetNeeded, match="call reset\\(\\) before"):
            look()


def reported(game: Env, report: Any) -> tuple[float, float]:
    """Let the individual report in a copy of the game; return the prediction and its reward."""
    game = copy.deepcopy(game)
    game.step(report)
    return float(game.observe(LEARNER)["prediction"][0]), game.rewards[INDIVIDUAL]


@pytest.mark.parametrize("cost", [L2Cost(0.3), WeightedL1Cost([0.4, 0.2, 0.1])], ids=repr)
def test_reports_are_judged_as_they_stand_up_to_a_movers_rounding(cost: Any) -> None:
    game = raw_env(custom(Separable(3), cost))
    game.reset(seed=0)
    rng = np.random.default_rng(0)
    movers = 0
    for _ in range(300):
        classifier = rng.uniform(-1.0, 1.0, 4)
        game.step(classifier)
        truth = game.observe(INDIVIDUAL)["features"]
        answer = cost.best_response(truth, classifier)
        score = classifier @ np.append(truth, 1.0)
        assert reported(game, truth) == ((1.0, 1.0) if score >= 0.0 else (-1.0, 0.0))
        if (answer != truth).any():
            movers += 1
            outwards = classifier[:3] / np.linalg.norm(classifier[:3])
            assert side(classifier, answer, float(cost.alpha.max()), FLOAT64_EPS) == 0
            assert reported(game, answer)[0] == 1.0
            assert reported(game, answer + 1e-9 * outwards)[0] == 1.0
            assert reported(game, answer - 1e-9 * outwards)[0] == -1.0
            assert reported(game, answer)[1] == pytest.approx(1.0 - cost.cost(truth, answer), abs=1e-12)
        beyond = np.clip(truth + rng.uniform(-1.0, 1.0, 3), *game.spaces.bounds)
        prediction, paid = reported(game, beyond)
        assert prediction == (1.0 if classifier @ np.append(beyond, 1.0) >= 0.0 else -1.0)
        assert paid == pytest.approx((prediction > 0) - cost.cost(truth, beyond), rel=1e-12, abs=1e-12)
        game.step(answer)
    assert movers > 20


def test_what_cannot_move_is_reported_as_it_is() -> None:
    game = raw_env(custom(Separable(3), WeightedL1Cost([0.4, 0.0, 0.1])))
    assert game.action_space(INDIVIDUAL).shape == (2,)
    assert game.spaces.movable.tolist() == [0, 2]
    game.reset(seed=0)
    game.step(np.array([0.1, 0.2, 0.3, 0.0]))
    truth = game.observe(INDIVIDUAL)["features"]
    game.step(np.array([0.5, -0.5]))
    assert game.observe(LEARNER)["features"].tolist() == [0.5, truth[1], -0.5]
    nobody = raw_env("KnownL2", alpha=0.0)
    nobody.reset(seed=0)
    nobody.step(np.array([1.0, 0.0, 0.0]))
    truth = nobody.observe(INDIVIDUAL)["features"]
    nobody.step(np.empty(0))
    assert (nobody.observe(LEARNER)["features"] == truth).all() and nobody.rewards[INDIVIDUAL] in (0.0, 1.0)


BAD_CLASSIFIERS = [
    ([0.0, 0.0], "must have shape \\(3,\\), got \\(2,\\)"),
    (np.zeros(2), "must have shape \\(3,\\), got \\(2,\\)"),
    (np.array([0.0, np.nan, 0.0]), "entries in \\[-1, 1\\], got .*nan"),
    ([0.0, np.inf, 0.0], "must be finite, got inf"),
    (np.array([0.0, 0.0, 1.0000001]), "entries in \\[-1, 1\\]"),
    (["a", "b", "c"], "must hold real numbers"),
    (None, "must hold real numbers"),
]
BAD_REPORTS = [
    (np.zeros(3), "must have shape \\(2,\\), got \\(3,\\)"),
    (np.array([0.0, np.nan]), "feature 1 in \\[.*\\], got nan"),
    ([np.inf, 0.0], "must be finite, got inf"),
    (np.array([-1.5, 0.0]), "feature 0 in \\[-1.3.*\\], got -1.5"),
    ([True, False], "must hold real numbers"),
    (None, "must hold real numbers"),
]


@pytest.mark.parametrize(("action", "message"), BAD_CLASSIFIERS, ids=range(len(BAD_CLASSIFIERS)))
def test_a_bad_classifier_is_one_clear_error_and_no_turn(action: Any, message: str) -> None:
    refused(action, message, LEARNER)


@pytest.mark.parametrize(("action", "message"), BAD_REPORTS, ids=range(len(BAD_REPORTS)))
def test_a_bad_report_is_one_clear_error_and_no_turn(action: Any, message: str) -> None:
    refused(action, message, INDIVIDUAL)


def refused(action: Any, message: str, agent: str) -> None:
    good = {LEARNER: np.array([0.5, 0.5, -0.1]), INDIVIDUAL: np.zeros(2)}
    turns, together = raw_env("KnownL2"), parallel_env("KnownL2")
    for game in (turns, together):
        game.reset(seed=0)
    if agent == INDIVIDUAL:
        turns.step(good[LEARNER])
    before = copy.deepcopy(turns), copy.deepcopy(together)
    with pytest.raises((TypeError, ValueError), match=message):
        turns.step(action)
    with pytest.raises((TypeError, ValueError), match=message):
        together.step(good | {agent: action})
    for game, twin in zip((turns, together), before, strict=True):
        assert data_equivalence(list(snapshots(game, 5)), list(snapshots(twin, 5)), exact=True)


@pytest.mark.parametrize(
    ("action", "message"),
    [(100, "nature's pick must be at most 99"), (-1, "at least 0"), (1.0, "must be an integer"), (None, "an integer")],
    ids=str,
)
def test_a_bad_pick_is_one_clear_error_and_no_turn(action: Any, message: str) -> None:
    game = raw_env("KnownL2", nature=True)
    game.reset(seed=0)
    game.step(np.zeros(3))
    with pytest.raises((TypeError, ValueError), match=message):
        game.step(action)
    assert game.agent_selection == NATURE
    game.step(99)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: env("KnownL3"), "scenario must be one of"),
        (lambda: env("KnownL2", colour=1), "KnownL2 has no option 'colour'"),
        (lambda: env(scenario("KnownL2"), dim=3), "options go with the name of a scenario, got dim with KnownL2"),
        (lambda: env(max_cycles=0), "max_cycles must be at least 1"),
        (lambda: env(nature=1), "nature must be True or False"),
        (lambda: env(nature_sees="all"), "nature_sees must be one of 'current', 'previous', 'nothing'"),
        (lambda: env(pad_spaces="yes"), "pad_spaces must be True or False"),
        (lambda: env(render_mode="svg"), "render_mode must be one of"),
        (lambda: parallel_env(individuals=0), "individuals must be at least 1"),
        (lambda: parallel_env(lag=2), "lag must be at most 1"),
        (lambda: parallel_env(lag=0, individuals=2), "individuals must be 1 with lag=0"),
        (lambda: parallel_env(nature=True), "KnownL2 has no option 'nature'"),
        (lambda: env(custom(GreedyAdversary([[1.0]], [1]), L2Cost(0.3)), nature=True), "GreedyAdversary has none"),
    ],
    ids=range(13),
)
def test_bad_options_are_one_clear_error(make: Callable[[], Env], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        make()


def test_only_who_plays_observes() -> None:
    game = raw_env()
    game.reset()
    with pytest.raises(ValueError, match="agent must be one of 'learner_0', 'individual_0', got 'nature_0'"):
        game.observe(NATURE)


def test_it_does_not_pretend_to_be_parallel() -> None:
    assert env().metadata["is_parallelizable"] is False
    with pytest.raises(AssertionError, match="not generally safe"):
        aec_to_parallel(env())


# Nature


@pytest.mark.parametrize("pad_spaces", [False, True])
def test_nature_picks_and_sees_what_nature_sees_says(pad_spaces: bool) -> None:
    for sees in ("current", "previous", "nothing"):
        game = raw_env("KnownL2", pool=7, nature=True, nature_sees=sees, pad_spaces=pad_spaces)
        game.reset(seed=0)
        previous, rng = np.zeros(3), np.random.default_rng(0)
        for round in range(10):
            published = rng.uniform(-1.0, 1.0, 3)
            game.step(published)
            assert game.agent_selection == NATURE
            seen = game.spaces.unpad(NATURE, game.observe(NATURE))
            shown = {"current": published, "previous": previous, "nothing": np.zeros(3)}[sees]
            assert (seen["classifier"] == shown).all() and seen["round"] == round
            assert seen["features"].shape == (7, 2) and seen["budgets"].tolist() == [[0.3]] * 7
            member = int(rng.integers(7))
            game.step(game.spaces.pad(NATURE, member))
            individual = game.spaces.unpad(INDIVIDUAL, game.observe(INDIVIDUAL))
            assert (individual["features"] == seen["features"][member]).all()
            game.step(game.spaces.pad(INDIVIDUAL, individual["features"]))
            learner = game.spaces.unpad(LEARNER, game.observe(LEARNER))
            assert learner["label"] == seen["labels"][member]
            assert game.rewards[NATURE] == -game.rewards[LEARNER]
            previous = published


def test_the_pool_is_everybody_who_can_arrive() -> None:
    for options in ({"pool": 30}, {"pool": 30, "population_seed": 1}, {}):
        game, size = raw_env("KnownL2", nature=True, **options), options.get("pool", 100)
        game.reset(seed=3)
        assert game.action_space(NATURE).n == size
        who = {tuple(row) for row in game.observe(NATURE)["features"]}
        arrive = {tuple(row) for row in game.setting.arrivals(game.game.key).points(size if not options else 2000)[0]}
        assert who == arrive


def test_uniform_nature_with_the_seed_of_the_game_is_the_game_without_nature() -> None:
    policies = {LEARNER: Perceptron(), INDIVIDUAL: BestResponse()}
    plain = play(env("KnownL2", pool=20, noise=0.3), policies, rounds=100, seed=6)
    for pad_spaces in (False, True):
        game = env("KnownL2", pool=20, noise=0.3, nature=True, pad_spaces=pad_spaces)
        picked = play(game, policies | {NATURE: UniformNature(seed=6)}, rounds=100, seed=6)
        for name in ("classifiers", "true_features", "true_labels", "reports", "costs"):
            assert (getattr(picked, name) == getattr(plain, name)).all()


@pytest.mark.parametrize("name", ["KnownL2", "KnownL1", "HeterogeneousL2"])
def test_greedy_nature_is_the_adversary_of_the_theorems(name: str) -> None:
    game = raw_env(name, nature=True, population_seed=2)
    game.reset(seed=0)
    pool = game.game.pool
    policies = {LEARNER: Perceptron(), INDIVIDUAL: BestResponse()}
    picked = play(game, policies | {NATURE: GreedyNature()}, rounds=100, seed=0)
    assert (picked.rewards[NATURE] == -picked.rewards[LEARNER]).all()
    if name == "HeterogeneousL2":  # the population has no budgets of its own
        assert picked.mistakes.any()
        return
    adversary = custom(GreedyAdversary(pool.features, pool.labels), game.setting.cost)
    assert_same_rounds(picked, single_rounds(adversary, Perceptron(), 100, seed=0))
    assert_same_rounds(
        play(env(adversary), policies, rounds=100, seed=0), single_rounds(adversary, Perceptron(), 100, seed=0)
    )


# Everybody at once


@pytest.mark.parametrize("individuals", [1, 3])
def test_a_classifier_is_faced_one_step_after_it_was_sent(individuals: int) -> None:
    game = parallel_env("KnownL2", individuals=individuals, max_cycles=30)
    seats = game.possible_agents[1:]
    observations, infos = game.reset(seed=1)
    truth, labels = game.setting.arrivals(game.game.key).points(31 * individuals)
    alone = scenario("KnownL2").make()
    alone.reset(seed=1)
    rng, sent = np.random.default_rng(0), [np.zeros(3)]
    for step in range(30):
        for k, seat in enumerate(seats):
            assert (observations[seat]["classifier"] == sent[-1]).all()
            assert (observations[seat]["features"] == truth[step * individuals + k]).all()
            assert infos[seat] == {"arrival": step * individuals + k, "discount": 0.0}
        answers = {seat: L2Cost(0.3).best_response(observations[seat]["features"], sent[-1]) for seat in seats}
        sent.append(rng.uniform(-1.0, 1.0, 3))
        observations, rewards, terminations, truncations, infos = game.step(answers | {LEARNER: sent[-1]})
        steps = [alone.step(sent[-2]) for _ in seats]
        learner = observations[LEARNER]
        assert (learner["classifier"] == sent[-2]).all() and learner["round"] == (step + 1) * individuals
        for key in ("features", "label", "prediction"):
            assert (learner[key].reshape(individuals, -1) == [played[0][key] for played in steps]).all()
        assert rewards[LEARNER] == sum(played[1] for played in steps)
        for seat, (seen, _, _, _, info) in zip(seats, steps, strict=True):
            assert rewards[seat] == (seen["prediction"][0] > 0) - info["cost"]
        assert not any(terminations.values()) and set(truncations.values()) == {step == 29}
    assert game.agents == []


def test_the_first_classifier_accepts_everybody() -> None:
    game = parallel_env("KnownL2", individuals=4)
    record = play(game, {LEARNER: Perceptron()} | dict.fromkeys(game.possible_agents[1:], BestResponse()), rounds=2)
    assert not record.classifiers[:4].any() and (record.predictions[:4] == 1.0).all() and not record.moved[:4].any()


def test_a_horizon_counts_individuals_and_max_cycles_deployments() -> None:
    assert parallel_env("KnownL2", horizon=10, individuals=4).max_cycles == 3
    assert parallel_env("KnownL2", horizon=10, individuals=4, max_cycles=10).max_cycles == 10
    assert env("KnownL2", horizon=10).unwrapped.max_cycles == 10


def test_actions_are_for_everybody() -> None:
    game = parallel_env(individuals=2)
    game.reset()
    with pytest.raises(ValueError, match="actions must be for learner_0, individual_0, individual_1, got learner_0"):
        game.step({LEARNER: np.zeros(3)})
    with pytest.raises(TypeError, match="actions must be a mapping from agents to actions, got None"):
        game.step(None)


# Policies


def test_a_learner_gets_n_reports_one_after_another() -> None:
    game = parallel_env("KnownL2", individuals=3)
    learner = Scripted(np.zeros((100, 3)))
    record = play(game, {LEARNER: learner} | dict.fromkeys(game.possible_agents[1:], Truthful()), rounds=4, seed=0)
    assert [float(seen["round"][0]) for seen in learner.seen] == list(range(10))
    for k, seen in enumerate(learner.seen[1:]):
        assert (seen["features"] == record.reports[k]).all()
        assert seen["label"] == record.labels[k] and seen["prediction"] == record.predictions[k]


@pytest.mark.parametrize("pad_spaces", [False, True])
def test_a_policy_that_says_what_it_was_made_for_gets_it_untranslated(pad_spaces: bool) -> None:
    class Trained:
        def __init__(self, game: Env, agent: str) -> None:
            self.observation_space, self.action_space = game.observation_space(agent), game.action_space(agent)

        def predict(self, observation: Any, state: Any, episode_start: Any, deterministic: bool, /) -> tuple[Any, Any]:
            assert observation in self.observation_space
            return self.action_space.sample(), state

    for game in (env(nature=True, pad_spaces=pad_spaces), parallel_env(individuals=2, pad_spaces=pad_spaces)):
        policies = {agent: Trained(game, agent) for agent in game.possible_agents}
        assert len(play(game, policies, rounds=5).rewards[LEARNER]) == 5


def test_an_individual_may_predict() -> None:
    class Halfway:
        def predict(self, observation: Any, *_: Any) -> tuple[Any, Any]:
            return 0.5 * observation["features"], None

    for game in (env("KnownL2"), env("KnownL2", pad_spaces=True)):
        record = play(game, {LEARNER: Perceptron(), INDIVIDUAL: Halfway()}, rounds=50, seed=0)
        assert (record.reports == 0.5 * record.true_features).all() and record.moved.all()


def test_noise_is_kept_within_bounds_that_were_not_made_for_it() -> None:
    for pad_spaces in (False, True):
        game = env("KnownL2", pad_spaces=pad_spaces)
        record = play(game, {LEARNER: Perceptron(), INDIVIDUAL: Noisy(0.7)}, rounds=200, seed=0)
        bounds = game.unwrapped.spaces.bounds
        assert (bounds[0] <= record.reports).all() and (record.reports <= bounds[1]).all()


def test_a_limited_budget() -> None:
    rng = np.random.default_rng(0)
    for cost in (L2Cost(0.4), WeightedL1Cost([0.4, 0.0, 0.1])):
        halves = type(cost)(0.5 * cost.alpha)
        for _ in range(200):
            features, classifier = rng.uniform(-1, 1, 3), rng.uniform(-1, 1, 4)
            answer = BudgetLimited(0.5).report(features, classifier, cost, np.zeros(2, np.uint64), 0)
            assert cost.cost(features, answer) <= 0.5 + 1e-12
            assert (answer == halves.best_response(features, classifier)).all()
            everything = BudgetLimited(1.0).report(features, classifier, cost, np.zeros(2, np.uint64), 0)
            assert (everything == cost.best_response(features, classifier)).all()
    for share, message in ((-0.1, "at least 0"), (1.1, "at most 1"), ("a", "a number")):
        with pytest.raises((TypeError, ValueError), match=f"share must be {message}"):
            BudgetLimited(share)  # type: ignore[arg-type]


class Forgetful:
    def predict(self, *_: Any) -> Any:
        return np.zeros(3)


@pytest.mark.parametrize(
    ("policies", "rounds", "message"),
    [
        ({LEARNER: Perceptron()}, 5, "policies must be for learner_0, individual_0, got learner_0"),
        ({LEARNER: Perceptron(), "somebody": BestResponse()}, 5, "policies must be for"),
        ({LEARNER: BestResponse(), INDIVIDUAL: BestResponse()}, 5, "policy of learner_0 must have a method predict"),
        ({LEARNER: Perceptron(), INDIVIDUAL: BestResponse}, 5, "policy of individual_0 must have a method predict"),
        ({LEARNER: Perceptron(), INDIVIDUAL: BestResponse()}, 1001, "rounds must be at most 1000"),
        (None, 5, "policies must be a mapping from agents to policies, got None"),
        (
            {LEARNER: Forgetful(), INDIVIDUAL: BestResponse()},
            5,
            "learner_0 must return an action and a state, got array",
        ),
    ],
    ids=range(7),
)
def test_bad_policies_are_one_clear_error(policies: dict[str, Any], rounds: int, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        play(env(), policies, rounds=rounds)


def test_only_games_of_this_package_are_played() -> None:
    with pytest.raises(TypeError, match="env must be an environment made by strategic_env.multi_agent"):
        play(gymnasium.make(environment_id("KnownL2")), {})  # type: ignore[arg-type]


# The registry


@pytest.mark.skipif(not hasattr(pettingzoo, "register"), reason="this PettingZoo has no registry")
def test_every_scenario_is_registered() -> None:
    for name in STRATEGIC:
        for kind, known in (("aec", pettingzoo.aec_registry), ("parallel", pettingzoo.parallel_registry)):
            assert environment_id(name) in known
            made = pettingzoo.make(kind, environment_id(name), max_cycles=5, feedback="apple_tasting")
            assert made.unwrapped.scenario.name == name and made.unwrapped.max_cycles == 5
    multi_agent.registration.register_all()  # a second time: nothing happens
