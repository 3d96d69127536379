"""Online multiclass classification: the reference's game, in three forms that agree number for number."""

import itertools
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode
from multiclass_oracle import play

from agents import LabelledData, Prototypes, Separable
from agents.foundation import streams
from learners import FeedbackGraph
from learners.catalogue import learners_of
from strategic_env import OnlineMulticlassEnv, rollout, scenario
from strategic_env.conformance.vector_checker import check_vector_env
from strategic_env.games.multiclass.description import MULTICLASS
from strategic_env.games.multiclass.rules import MulticlassGames
from strategic_env.games.registration import environment_id

KINDS = ("mistake", "accuracy", "observed")
CUSTOM = [[0, 1, 0, 0], [0, 0, 1, 1], [0, 1, 1, 1], [1, 0, 0, 0]]  # action 2 shows all labels but one
GRAPHS = {
    **{name: FeedbackGraph.named(name, 4) for name in ("full", "bandit", "apple_tasting", "label_efficient", "cyclic")},
    "custom": FeedbackGraph(CUSTOM),
}
graphs = pytest.mark.parametrize("graph", GRAPHS)
MODES = pytest.mark.parametrize("mode", list(AutoresetMode), ids=lambda mode: mode.value)


def same(found: Any, expected: Any) -> bool:
    """Bit for bit, dtypes too."""
    if isinstance(expected, dict):
        return found.keys() == expected.keys() and all(same(found[key], expected[key]) for key in expected)
    a, b = np.asarray(found), np.asarray(expected)
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def row(observation: dict[str, Any], i: int) -> dict[str, Any]:
    return {key: value[i] for key, value in observation.items()}


def make(graph: str, **options: Any) -> OnlineMulticlassEnv:
    return OnlineMulticlassEnv(Prototypes(40, 4, noise=0.2), GRAPHS[graph], **options)


def random_actions(graph: str, rounds: int) -> list[int]:
    return np.random.default_rng(0).integers(GRAPHS[graph].nodes, size=rounds).tolist()


@pytest.mark.parametrize("kind", KINDS)
@graphs
def test_a_game_is_the_references(graph: str, kind: str) -> None:
    env, rounds, key = make(graph, reward=kind, horizon=50), 50, streams.game_key(4, 2)
    features, labels = Prototypes(40, 4, noise=0.2).points(key, rounds + 1)
    seen, info = env.reset(seed=4, options={"game": 2})
    assert info == {}
    beginning = {"action": [-1.0], "features": features[0], "feedback": [-1.0] * 4, "round": [0.0]}
    assert same(seen, {name: np.asarray(value) for name, value in beginning.items()})
    adjacency, actions = GRAPHS[graph].adjacency if graph != "custom" else CUSTOM, random_actions(graph, rounds)
    expected = play(features, labels, adjacency, actions, 4)
    for t, (action, shown) in enumerate(zip(actions, expected, strict=True)):
        seen, reward, terminated, truncated, info = env.step(action)
        assert same(seen, shown.observation), f"round {t}"
        assert (reward, terminated, truncated) == (shown.rewards[kind], False, t == rounds - 1)
        assert info == shown.info and [type(value) for value in info.values()] == [int, bool, int]
    assert all(same(a, b[:rounds]) for a, b in zip(env.true_points(rounds), (features, labels), strict=True))
    with pytest.raises(ResetNeeded, match="the episode is over"):
        env.step(0)


@graphs
def test_flat_observations_hold_the_same_numbers(graph: str) -> None:
    both = make(graph), make(graph, observation="flat")
    for seen, flat in zip(*(env.reset(seed=1)[:1] for env in both), strict=True):
        assert same(flat, np.concatenate([*seen.values()]).astype(np.float32))
    for action in random_actions(graph, 20):
        (seen, *rest), (flat, *flat_rest) = (env.step(action) for env in both)
        assert same(flat, np.concatenate([*seen.values()]).astype(np.float32)) and rest == flat_rest


def hidden_relabellings() -> list[tuple[str, int, list[list[int]]]]:
    """Graphs, the only action played, and groups of labels that it does not tell apart."""
    cases = [("bandit", action, [[k for k in range(4) if k != action]]) for action in range(4)]
    cases += [("apple_tasting", 0, [[0, 1, 2, 3]]), ("label_efficient", 3, [[0, 1, 2, 3]])]
    return [*cases, ("custom", 0, [[0, 2, 3]]), ("custom", 1, [[0, 1]])]


@pytest.mark.parametrize(("graph", "action", "groups"), hidden_relabellings(), ids=str)
def test_nothing_that_the_graph_hides_reaches_the_learner(graph: str, action: int, groups: list[list[int]]) -> None:
    """Worlds that differ only in what is hidden look the same, observed reward included, in every round."""
    rng = np.random.default_rng(0)
    features, labels = rng.normal(size=(40, 3)), rng.integers(4, size=40)
    streams_seen, hidden = [], set()
    for order in itertools.permutations(groups[0]):
        swapped = dict(zip(groups[0], order, strict=True))
        world = LabelledData(features, [swapped.get(label, label) for label in labels], 4, standardise=False)
        env = OnlineMulticlassEnv(world, GRAPHS[graph], reward="observed", info_level="none", horizon=40)
        hidden.add(tuple(world.labels))
        steps = [(env.reset(seed=0)[0], 0.0, False, False, {})] + [env.step(action) for _ in range(40)]
        streams_seen.append([(np.concatenate([*seen.values()]).tolist(), *rest) for seen, *rest in steps])
    assert all(stream == streams_seen[0] for stream in streams_seen[1:])
    assert len(hidden) > 1


@pytest.mark.parametrize("name", MULTICLASS)
def test_every_scenario_keeps_to_the_conventions_in_every_mode(name: str) -> None:
    one = scenario(name, horizon=3)
    making, single = partial(one.make_vec, info_level="full"), partial(one.make, info_level="full")
    check_vector_env(making, single=single, num_envs=2)


@pytest.mark.slow
@pytest.mark.parametrize(("observation", "level"), [("dict", "none"), ("flat", "outcome"), ("flat", "full")])
@pytest.mark.parametrize("name", MULTICLASS)
def test_every_id_keeps_to_the_conventions_in_every_mode(name: str, observation: str, level: str) -> None:
    options = {"horizon": 3, "observation": observation, "info_level": level}
    made = (partial(form, environment_id(name), **options) for form in (gymnasium.make_vec, gymnasium.make))
    making, single = made
    check_vector_env(making, single=single, num_envs=2)


@MODES
def test_row_i_is_game_i_of_the_seed_over_episodes(mode: AutoresetMode) -> None:
    one = scenario("LabelEfficient", dim=40, classes=4, horizon=5)
    env = one.make_vec(3, autoreset_mode=mode, info_level="full")
    alone, over = [one.make() for _ in range(3)], False
    seen, infos = env.reset(seed=11)
    assert infos == {}
    for i, single in enumerate(alone):
        assert same(row(seen, i), single.reset(seed=11, options={"game": i})[0])
    for actions in np.random.default_rng(0).integers(5, size=(17, 3)):
        if over and mode is AutoresetMode.DISABLED:
            with pytest.raises(ResetNeeded, match="the episode of game 0 is over"):
                env.step(actions)
            seen, _ = env.reset(options={"reset_mask": np.array([True, True, True])})
            assert all(same(row(seen, i), single.reset()[0]) for i, single in enumerate(alone))
        begun = over and mode is AutoresetMode.NEXT_STEP
        seen, rewards, terminated, truncated, infos = env.step(actions)
        assert not terminated.any()
        for i, single in enumerate(alone):
            if begun:
                assert same(row(seen, i), single.reset()[0]) and rewards[i] == 0.0 and not truncated[i]
                continue
            shown, reward, _, ended, info = single.step(actions[i])
            assert (rewards[i], truncated[i]) == (reward, ended)
            told = infos
            if ended and mode is AutoresetMode.SAME_STEP:
                assert same(infos["final_obs"][i], shown) and infos["_final_obs"][i]
                told, shown = infos["final_info"], single.reset()[0]
            assert same(row(seen, i), shown)
            assert {key: told[key][i] for key in info} == info and all(told[f"_{key}"][i] for key in info)
        over = bool(truncated.all())


def test_masked_resets_leave_the_other_games_alone() -> None:
    one = scenario("Bandit", dim=40, classes=4, horizon=4)
    env, alone = one.make_vec(2, info_level="full"), [one.make() for _ in range(2)]
    env.reset(seed=[5, 6])
    for seed, single in zip((5, 6), alone, strict=True):
        single.reset(seed=seed)
    before, *_ = env.step([1, 2])
    shown = [single.step(action)[0] for action, single in zip((1, 2), alone, strict=True)]
    seen, _ = env.reset(seed=[9, None], options={"reset_mask": np.array([True, False])})
    assert same(row(seen, 0), alone[0].reset(seed=9)[0]) and same(row(seen, 1), shown[1])
    assert same(row(before, 0), shown[0])
    seen, *_ = env.step([3, 0])
    assert all(
        same(row(seen, i), single.step(action)[0]) for i, (action, single) in enumerate(zip((3, 0), alone, strict=True))
    )


def test_outcomes_of_games_that_do_not_play_are_zeros() -> None:
    setting = scenario("LabelEfficient", dim=40, classes=4).setting
    played = MulticlassGames(setting, "mistake", 3)
    shown = played.begin(np.arange(3), np.arange(6, dtype=np.uint64).reshape(3, 2))
    assert shown.any(axis=1).all()
    for rounds in range(1, 20):
        outcomes = played.play(np.full(3, 4), np.array([True, False, True]))  # to ask is a mistake
        assert played.rounds.tolist() == played.mistakes.tolist() == [rounds, 0, rounds]
        assert all(not column[1].any() for column in outcomes)
        assert outcomes.observation[[0, 2]].any(axis=1).all() and outcomes.reward.tolist() == [-1.0, 0.0, -1.0]


def test_a_frozen_population_is_met_in_every_episode_and_game() -> None:
    env = scenario("FullInformation", dim=40, classes=2, population_seed=3).make()
    prototypes = set()
    for seed in range(3):
        for _ in range(2):
            env.reset(seed=seed)
            features, labels = env.true_points(40)
            prototypes.add(tuple(tuple(features[labels == label][0, :10]) for label in range(2)))
    assert len(prototypes) == 1


# Three forms, one game


class Loop:
    """A loop over an environment: single, or of N games."""

    def __init__(self, learner: Any, env: Any, batched: bool, **reset: Any):
        self.actions, self.mistakes, state = [], [], None
        seen, _ = env.reset(**reset)
        truncated: Any = False
        while not np.all(truncated):
            action, state = learner.predict(seen, state)
            assert np.asarray(action).dtype == np.int64
            seen, _, _, truncated, info = env.step(action)
            self.actions.append(np.atleast_1d(action))
            self.mistakes.append(np.atleast_1d(info["mistake"]))
        self.state = learner.predict(seen, state)[1]


@pytest.mark.parametrize(
    ("name", "game", "options"),
    [
        ("gappletron", "LabelEfficient", {}),
        ("gappletron", "FeedbackGraph", {"feedback": CUSTOM, "population": "mixture"}),
        ("banditron", "Bandit", {"population_seed": 2}),
        pytest.param("inverse-gap-weighting", "FeedbackGraph", {}, marks=pytest.mark.slow),
        pytest.param("pnewtron", "Bandit", {}, marks=pytest.mark.slow),
        pytest.param("soba-diag", "Bandit", {}, marks=pytest.mark.slow),
        pytest.param("gaptron", "FullInformation", {}, marks=pytest.mark.slow),
        pytest.param("multiclass-perceptron", "FullInformation", {}, marks=pytest.mark.slow),
        pytest.param("passive-aggressive", "FullInformation", {}, marks=pytest.mark.slow),
        pytest.param("arow", "FullInformation", {}, marks=pytest.mark.slow),
        pytest.param("second-order-perceptron", "AppleTasting", {}, marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_three_forms_play_one_game(name: str, game: str, options: dict[str, Any]) -> None:
    one = scenario(game, dim=40, classes=4, noise=0.1, horizon=150, **options)
    learner = learners_of("multiclass")[name].from_knowledge(one.knowledge)
    many = Loop(learner, one.make_vec(3), batched=True, seed=7)
    alone = Loop(learner, one.make(), batched=False, seed=7)  # a learner has a stream for each row: the first is this
    assert same(np.array(many.actions)[:, 0], np.array(alone.actions)[:, 0])
    for field, found, expected in zip(many.state._fields, many.state, alone.state, strict=True):
        assert same(found[:1], expected), f"state.{field}"
    mistakes = np.array(many.mistakes)
    assert mistakes.any() and not mistakes.all()
    for threads in (1, 2):
        result = rollout(learner, one, 3, seed=7, checkpoints=range(1, 151), threads=threads)
        assert (result.mistakes == mistakes.sum(axis=0)).all() and result.rounds == 150
        assert (result.curves == mistakes.cumsum(axis=0).T).all()
        assert not result.columns
        for field, found, expected in zip(many.state._fields, result.state, many.state, strict=True):
            assert same(found, expected), f"state.{field} with {threads} threads"


def test_a_rollout_can_be_stopped_and_tells_its_progress() -> None:
    heard: list[int] = []

    def progress(so_far: Any) -> bool:
        heard.append(so_far.rounds)
        return len(heard) < 2

    result = rollout(
        "gappletron", "Bandit", games=2, rounds=100_000_000, checkpoints=[10, 100_000_000], progress=progress
    )
    assert len(heard) == 2 and heard[0] == 64 and result.rounds == heard[1]
    assert (result.curves[:, 0] > 0).all() and not result.curves[:, 1].any()


def test_a_learner_is_told_how_long_a_run_lasts() -> None:
    long = scenario("Bandit")
    assert (long.horizon, long.knowledge["horizon"]) == (10_000, 10_000)
    short = long.lasting(50)
    assert (short.horizon, short.knowledge["horizon"], short.options) == (50, 50, {})
    assert short.make().knowledge["horizon"] == 50 and long.knowledge["horizon"] == 10_000


# Real e-mails


def test_spam_is_one_pass_over_real_emails() -> None:
    one = scenario("Spam")
    population = one.setting.population
    assert (one.horizon, population.dim, population.classes) == (4597, 58, 2)
    assert np.bincount(population.labels).tolist() == [1812, 2785], "spam, wanted"
    assert population.features[:, :57].mean(axis=0) == pytest.approx(0.0, abs=1e-12)
    assert population.features[:, :57].std(axis=0) == pytest.approx(1.0)
    assert (population.features[:, 57] == 1.0).all()
    env = one.make()
    for action, labelled in ((1, True), (0, False)):
        env.reset(seed=0)
        assert bool((env.step(action)[0]["feedback"] >= 0.0).all()) is labelled, "only a delivered e-mail is labelled"


# What is refused


@pytest.mark.parametrize("form", ["single", "vector"])
@pytest.mark.parametrize(
    ("action", "error", "message"),
    [
        (4, ValueError, "action must be from 0 to 3, got 4"),
        (-1, ValueError, "action must be from 0 to 3, got -1"),
        (0.5, TypeError, "action must hold integers, got"),
        (True, TypeError, "action must hold integers, got"),
        ([[0]], ValueError, "action must have shape"),
        ("0", TypeError, "action must hold integers, got"),
        (np.uint64(2**64 - 1), ValueError, "action must hold 64-bit integers with a sign, got .*18446744073709551615"),
    ],
    ids=str,
)
def test_what_is_no_action_is_refused_and_not_played(form: str, action: Any, error: Any, message: str) -> None:
    one = scenario("Bandit", dim=40, classes=4)
    env = one.make(info_level="full") if form == "single" else one.make_vec(2, info_level="full")
    env.reset(seed=0)
    asked = action if form == "single" else [action, action]
    with pytest.raises(error, match=message) as raised:
        env.step(asked)
    assert ("in game 0" in str(raised.value)) == (form == "vector" and message.startswith("action must be from"))
    *_, info = env.step(0 if form == "single" else [0, 0])
    assert np.max(info["mistakes"]) <= 1


def test_masked_actions_are_refused() -> None:
    env = scenario("Bandit", dim=40, classes=4).make_vec(2)
    env.reset(seed=0)
    with pytest.raises(TypeError, match="action must hold integers, got masked_array"):
        env.step(np.ma.masked_array([0, 1], mask=[False, True]))


def test_steps_before_a_reset_are_refused() -> None:
    one = scenario("Bandit", dim=40)
    for env, action in ((one.make(), 0), (one.make_vec(2), [0, 0])):
        with pytest.raises(ResetNeeded, match="no episode"):
            env.step(action)
    with pytest.raises(ResetNeeded, match="no episode"):
        one.make().true_points(3)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"population": Separable()}, TypeError, "population must be a MulticlassPopulation"),
        ({"graph": "bandit"}, TypeError, "graph must be a FeedbackGraph, got 'bandit'"),
        ({"graph": FeedbackGraph.named("full", 3)}, ValueError, "graph must be of the 4 classes of the population"),
        ({"population_seed": -1}, ValueError, "population_seed must be at least 0"),
        ({"reward": "hinge"}, ValueError, "reward must be one of 'mistake', 'accuracy', 'observed', got 'hinge'"),
        ({"horizon": 0}, ValueError, "horizon must be at least 1"),
        ({"observation": "text"}, ValueError, "observation must be one of"),
        ({"info_level": "all"}, ValueError, "info_level must be one of"),
        ({"knowledge": 3}, TypeError, "knowledge must be a mapping"),
    ],
    ids=lambda value: ",".join(value) if isinstance(value, dict) else "",
)
def test_wrong_options_are_refused(options: dict[str, Any], error: Any, message: str) -> None:
    parts = {"population": Prototypes(40, 4), "graph": GRAPHS["bandit"]} | options
    with pytest.raises(error, match=message):
        OnlineMulticlassEnv(**parts)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        (
            "Bandit",
            {"feedback": "full"},
            "Bandit has no option 'feedback'; its options are classes, dim, horizon, noise",
        ),
        ("Bandit", {"population": "texts"}, "population must be one of 'prototypes', 'keywords', 'mixture'"),
        ("Bandit", {"classes": 1}, "classes must be at least 2"),
        ("FeedbackGraph", {"feedback": "nothing"}, "must be one of 'full', 'bandit'"),
        ("FeedbackGraph", {"feedback": [[1]]}, "feedback must have 9 nodes, one for each class"),
        ("FeedbackGraph", {"feedback": [[1, 1], [1, 1]]}, "feedback must have 9 nodes, one for each class, or 10"),
        ("FeedbackGraph", {"feedback": "random"}, "feedback must be one of 'full', 'bandit'"),
        ("Bandit", {"horizon": 10**30}, f"horizon must be at most {2**53}"),
        ("Spam", {"dim": 3}, "Spam has no option 'dim'"),
    ],
    ids=str,
)
def test_wrong_options_of_a_scenario_are_refused(name: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        scenario(name, **options)
