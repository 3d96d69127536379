"""Moving that improves people, in four forms of one game: labels afterwards, the no-harm lemma, and the failure."""

from typing import Any

import numpy as np
import pytest

from agents import BestResponse, DataSet, FixedSequence, Improvement, L2Cost, Noisy, Separable, Truthful
from agents.responses.effects import label_of
from learners import Perceptron
from learners.catalogue import learners_of
from strategic_env import Setting, rollout, scenario
from strategic_env.games.strategic.scenario import Scenario
from strategic_env.multi_agent import env, parallel_env, play

GAMES, SEED = 2, 7
slow = pytest.mark.slow
TOLD = ("true_label", "label_before", "improved", "harmed", "mistake", "moved", "cost")


def learner_of(name: str, one: Any) -> Any:
    return learners_of("strategic")[name].from_knowledge(one.knowledge)


def told(one: Any, learner: Any) -> dict[str, Any]:
    """Play a vector environment and single ones; return what was told (T, N) after comparing it bit for bit."""
    envs, state, steps = one.make_vec(GAMES, info_level="full", reward="hinge"), None, []
    seen, _ = envs.reset(seed=SEED)
    for _ in range(one.horizon):
        action, state = learner.predict(seen, state)
        seen, rewards, _, _, infos = envs.step(action)
        steps.append({name: infos[name] for name in TOLD} | {"reward": rewards, "label": seen["label"][:, 0]})
    found = {name: np.array([each[name] for each in steps]) for name in steps[0]}
    for game in range(GAMES):
        single, state = one.make(reward="hinge"), None
        seen, _ = single.reset(seed=SEED, options={"game": game})
        for round in range(one.horizon):
            action, state = learner.predict(seen, state)
            seen, reward, _, _, info = single.step(action)
            for name, value in (info | {"reward": reward, "label": seen["label"][0]}).items():
                assert name not in found or found[name][round, game] == value, (name, round, game)
    return found


CASES: list[tuple[str, dict[str, Any], str]] = [
    ("ImprovingL2", {"dim": 3, "horizon": 150}, "improving-perceptron"),
    ("ImprovingL1", {"dim": 3, "horizon": 150}, "improving-perceptron"),
    ("ImprovingL2", {"improvement": [0.3, 1.0], "noise": 0.2, "pool": 30, "horizon": 150}, "perceptron"),
    ("HarmedExample", {"horizon": 70}, "perceptron"),
    ("HeterogeneousL2", {"improvement": 0.5, "horizon": 100, "feedback": "apple_tasting"}, "perceptron"),
    ("GermanCredit", {"separable": True, "improvement": 0.5, "horizon": 150, "groups": "age"}, "perceptron"),
    ("KnownL1", {"improvement": [1.0, 0.0], "response": "miss", "miss": [-0.1, 0.1], "horizon": 100}, "perceptron"),
]


# Kernels of their own.
RARE = [
    ("ImprovingL2", {"response": "lagged", "lag": 2, "horizon": 100}, "perceptron"),
    ("ImprovingL2", {"response": "misperceived", "misperception": 0.5, "horizon": 100}, "perceptron"),
    ("ImprovingL2", {"response": "collective", "collective": 0.5, "signal": [0.2, 0.1], "horizon": 100}, "perceptron"),
    ("ImprovingL2", {"improvement": [1.0, 0.1], "response": "noisy", "horizon": 100}, "perceptron"),
    ("ImprovingL1", {"response": "dark", "window": 10, "horizon": 100}, "perceptron"),
    ("ImprovingL2", {"bias": 0.2, "population_seed": 4, "pool": 30, "horizon": 100}, "perceptron"),
    ("QuantalL2", {"improvement": 1.0, "horizon": 100}, "perceptron"),
]


@pytest.mark.parametrize(
    ("name", "options", "learner"), [*CASES, *(pytest.param(*case, marks=slow) for case in RARE)], ids=str
)
def test_all_forms_tell_the_same_labels(name: str, options: dict[str, Any], learner: str) -> None:
    one = scenario(name, **options)
    player = learner_of(learner, one)
    infos, result = told(one, player), rollout(player, one, GAMES, seed=SEED)
    assert (result.mistakes == infos["mistake"].sum(axis=0)).all()
    assert (result.qualified == (infos["label_before"] > 0).sum(axis=0)).all()
    assert (result.manipulations == infos["moved"].sum(axis=0)).all()
    changed = infos["label_before"] != infos["true_label"]
    assert (changed == infos["improved"] | infos["harmed"]).all() and not changed[~infos["moved"]].any()
    assert (infos["improved"] == (infos["label_before"] < infos["true_label"])).all()
    shown = infos["label"] != 0.0
    assert (infos["label"] == infos["true_label"])[shown].all() and (shown.all() or one.setting.feedback != "full")
    if one.groups:
        wrong = [result.columns[f"false_positives[{group}]"] for group in one.groups]
        assert sum(wrong) == pytest.approx(((infos["label_before"] < 0) & _accepted(infos)).sum(axis=0))


def _accepted(infos: dict[str, Any]) -> Any:
    return (infos["true_label"] > 0) != infos["mistake"]


@pytest.mark.parametrize("individual", [BestResponse(), Noisy(0.1), Truthful()], ids=repr)
@pytest.mark.parametrize("name", ["ImprovingL2", "ImprovingL1", "HarmedExample"])
def test_many_agents_play_the_same_game_also_with_reports_of_their_own(name: str, individual: Any) -> None:
    plain = scenario(name, horizon=80)
    setting = Setting(
        population=plain.setting.population,
        cost=plain.setting.cost,
        individual=individual,
        improvement=plain.setting.improvement,
    )
    one = Scenario("game", setting, 80, plain.knowledge, None, {})
    single, state, labels, mistakes = one.make(), None, [], []
    seen, _ = single.reset(seed=SEED)
    learner = Perceptron()
    for _ in range(80):
        action, state = learner.predict(seen, state)
        seen, _, _, _, info = single.step(action)
        labels.append(info["true_label"]), mistakes.append(info["mistake"])
    for game in (env(one), parallel_env(one, lag=0)):
        record = play(game, {"learner_0": Perceptron(), "individual_0": individual}, rounds=80, seed=SEED)
        assert record.true_labels.tolist() == labels and record.mistakes.tolist() == mistakes


def test_any_report_changes_the_label_as_where_it_leads() -> None:
    one = scenario("ImprovingL2", improvement=[1.0, 0.5], horizon=60)
    single = one.make()
    setting = one.setting

    class Anywhere:
        slack = 0.3

        def report(self, features: Any, classifier: Any, cost: Any, key: Any, round: int) -> Any:
            return features + 0.1 * np.random.default_rng(round).standard_normal(2)

    own = Setting(
        population=setting.population, cost=setting.cost, individual=Anywhere(), improvement=setting.improvement
    )
    single, rng = Scenario("own", own, 60, {}, None, {}).make(), np.random.default_rng(1)
    single.reset(seed=3)
    changed = 0
    for _ in range(60):
        seen, _, _, _, info = single.step(rng.uniform(-1.0, 1.0, 3))
        game = single.game
        assert game is not None
        after = label_of(game._effect, 0, info["true_features"], seen["features"], info["label_before"])
        assert info["true_label"] == after == seen["label"][0]
        changed += after != info["label_before"]
    assert changed > 0


# What holds, and what does not


@pytest.mark.parametrize("name", ["KnownL2", "KnownL1", "GermanCredit"])
def test_no_improvement_or_no_reach_are_todays_bits(name: str) -> None:
    options = {"horizon": 300} | ({"separable": True} if name == "GermanCredit" else {"noise": 0.1})
    plain = scenario(name, **options)
    learner = Perceptron()
    before, zero = (rollout(learner, each, 2) for each in (plain, scenario(name, **options, improvement=0.0)))
    assert before.state.weights.tobytes() == zero.state.weights.tobytes() and (before.mistakes == zero.mistakes).all()
    still = [rollout(learner, scenario(name, **options, alpha=0.0, improvement=m), 2) for m in (None, 1.0)]
    assert still[0].state.weights.tobytes() == still[1].state.weights.tobytes()


def test_a_mask_of_zeros_keeps_the_theorems() -> None:
    plain, zero = scenario("KnownL2"), scenario("KnownL2", improvement=0.0)
    assert plain.truth == zero.truth


@pytest.mark.parametrize(("share", "rounds"), [(1.0, 4_000), (0.3, 4_000)])
def test_nobody_is_harmed_if_all_features_improve_alike_and_w_does_not_turn_away(share: float, rounds: int) -> None:
    one = scenario("ImprovingL2", improvement=share, horizon=rounds, population_seed=1)
    separator = one.setting.population.arrivals(np.zeros(2, np.uint64), np.array([1, 2], np.uint64)).separator
    single, rng = one.make(), np.random.default_rng(0)
    single.reset(seed=0)
    game = single.game
    assert game is not None and game.arrivals.separator is not None and separator is not None
    normal = game.arrivals.separator[:-1]
    harmed = 0
    for _ in range(300):
        weights = rng.uniform(-1.0, 1.0, 2)
        along = weights @ normal >= 0.0
        *_, info = single.step(np.append(weights, rng.uniform(-0.5, 0.2)))
        assert not (along and info["harmed"])
        harmed += info["harmed"]
    assert harmed > 0


def test_algorithm_2_errs_for_ever_though_the_raised_separator_never_does() -> None:
    """Moving along (-0.6, 0.8) takes a positive person from the separator's side: its mistakes never end."""
    one = scenario("HarmedExample", horizon=401)
    learner = learner_of("strategic-perceptron-l2", one)
    assert rollout(learner, one, 1).mistakes[0] == 401 and learner.bound(one.truth) is None
    raised = learners_of("strategic")["best-fixed-classifier"](classifier=[0.6, 0.8, -1.0])
    assert rollout(raised, one, 1).mistakes[0] == 0
    for gaming in (None, 0.0):
        one = scenario("HarmedExample", horizon=401, improvement=gaming)
        assert rollout(learner, one, 1).mistakes[0] <= learner.bound(one.truth) < 17


BOUNDED = [
    ("ImprovingL2", "strategic-perceptron-l2", {}),
    ("ImprovingL2", "improving-perceptron", {}),
    ("ImprovingL1", "improving-perceptron", {}),
    ("ImprovingL2", "strategic-perceptron-l2", {"improvement": 0.4}),
    pytest.param("ImprovingL1", "strategic-perceptron-l1", {"improvement": [1.0, 0.2]}, marks=slow),
]


@pytest.mark.parametrize(
    ("rounds", "games"), [pytest.param(2_000, 4, id="short"), pytest.param(1_000_000, 3, id="long", marks=slow)]
)
@pytest.mark.parametrize(("name", "learner", "options"), BOUNDED)
def test_no_bound_is_violated(name: str, learner: str, options: dict[str, Any], rounds: int, games: int) -> None:
    for dim in (2, 5):
        shares = {"improvement": [1.0] + [0.2] * (dim - 1)} if "improvement" in options and dim > 2 else {}
        if not isinstance(options.get("improvement", 0.4), list):
            shares = {}
        one = scenario(name, dim=dim, horizon=rounds, **options | shares)
        player = learner_of(learner, one)
        bound = player.bound(one.truth)
        assert bound is not None and np.isfinite(bound)
        mistakes = rollout(player, one, games, seed=5).mistakes
        assert (mistakes <= bound).all()


def test_the_improving_perceptron_errs_less_often_where_the_margin_is_small() -> None:
    one = scenario("ImprovingL2", dim=5, margin=0.001, horizon=3000)
    mine, theirs = (
        rollout(learner_of(name, one), one, 20).mistakes.mean()
        for name in ("improving-perceptron", "strategic-perceptron-l2")
    )
    assert mine < theirs


# What is refused


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("KnownL2", {"improvement": 1.5}, "improvement must be shares between 0 and 1, got 1.5"),
        ("KnownL2", {"improvement": [1.0, 1.0, 1.0]}, "improvement must be a number, or 2 of them, got"),
        ("KnownL2", {"improvement": float("nan")}, "improvement must be finite"),
        ("KnownL2", {"improvement": "all"}, "improvement must hold real numbers"),
        ("GermanCredit", {"improvement": 1.0}, "improvement needs a separator"),
    ],
)
def test_what_is_no_improvement_is_refused(name: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message) as caught:
        scenario(name, **options)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 300


def test_a_setting_needs_an_improvement_with_a_separator() -> None:
    given: Any = {"cost": L2Cost(0.3)}
    with pytest.raises(TypeError, match="improvement must be an Improvement, got 0.5"):
        Setting(population=Separable(), improvement=0.5, **given)  # type: ignore[arg-type]
    people = FixedSequence([], [((0.5, 0.0), 1), ((-0.5, 0.0), -1)])
    with pytest.raises(ValueError, match="improvement needs a separator"):
        Setting(population=people, improvement=Improvement(1.0), **given)
    assert Setting(population=people, improvement=Improvement(1.0, [1.0, 0.0, 0.0]), **given).improvement is not None
    data = DataSet([[0.5, 0.0], [-0.5, 0.0]], [1, -1], standardise=False)
    with pytest.raises(ValueError, match="improvement needs a separator"):
        Setting(population=data, improvement=Improvement(1.0), **given)
