"""The bench: same individuals for everybody, saved as it goes, resumed, honest about failures."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents import BestResponse, Cost, L2Cost, Noisy, Separable, Truthful
from agents.foundation.typing import Float, Key
from agents.populations.arrivals import Arrivals
from learners import ConstantClassifier, Learner, Perceptron, StrategicPerceptronL2
from learners.catalogue import build, learners_of
from learners.strategic.accepted_only import AcceptedOnlyL2
from strategic_env import Results, Setting, evaluate, rollout, scenario
from strategic_env.bench import evaluation
from strategic_env.bench.contestants import contestant
from strategic_env.report.summary import reference_of


class Failing(Perceptron):
    """Fails after some rounds."""

    name = "failing"

    def predict(self, *arguments: Any, **keywords: Any) -> Any:
        action, state = super().predict(*arguments, **keywords)
        if np.abs(state.weights).sum() > 1:
            raise RuntimeError("out of ideas")
        return action, state


def test_by_default_every_learner_that_is_told_enough_takes_part() -> None:
    for name, own, other in (
        ("KnownL2", "strategic-perceptron-l2", "strategic-perceptron-l1"),
        ("GermanCredit", "biased-l1", "strategic-perceptron-l2"),
        ("UnknownL2", "unknown-cost-l2", "strategic-perceptron-l2"),
    ):
        labels = [one.label for one in evaluate(None, name, seeds=1, rounds=20).contestants]
        assert labels[:4] == ["constant-classifier", "best-fixed-classifier", "perceptron", "perceptron:bias=true"]
        assert own in labels and other not in labels


def test_every_learner_meets_the_same_individuals() -> None:
    results = evaluate([ConstantClassifier(), ConstantClassifier(accept=False)], "KnownL2", seeds=[3, 8], rounds=500)
    accept, reject = (results.of(one) for one in results.contestants)
    for one, other in zip(accept, reject, strict=True):
        assert one.columns["qualified"] == other.columns["qualified"] == other.mistakes == 500 - one.mistakes


def test_curves_and_counts_add_up() -> None:
    results = evaluate(["perceptron"], "KnownL2", seeds=2, rounds=2500)
    for run in results.runs:
        assert run.curve[-1] == run.mistakes == run.loss
        assert all(step >= 0 for step in np.diff(run.curve))
        assert 0 <= run.columns["qualified_cost"] <= run.columns["qualified"]


@pytest.mark.parametrize("rounds", [1, 2, 999, 1000, 1001, 2500, 10**6, 10**9])
def test_checkpoints_are_dense_at_first_and_hold_the_last_round(rounds: int) -> None:
    steps = evaluation.checkpoints_of(rounds)
    assert steps == sorted(set(steps)) and len(steps) <= 1000
    dense = rounds if rounds <= 1000 else 500
    assert steps[:dense] == list(range(1, dense + 1)) and steps[-1] == rounds
    if rounds >= 10**6:
        ratios = np.divide(steps[501:], steps[500:-1])
        assert len(steps) == 1000 and ratios.max() < 1.05 and ratios[-100:].std() < 1e-4


def test_results_do_not_depend_on_who_else_takes_part_or_in_which_order() -> None:
    alone = evaluate(["perceptron"], "KnownL2", seeds=[5], rounds=200).runs[0]
    among = evaluate(["constant-classifier", "perceptron"], "KnownL2", seeds=[9, 5], rounds=200).runs[-1]
    assert (alone.mistakes, alone.curve, alone.columns) == (among.mistakes, among.curve, among.columns)


def test_bounds_are_shown_only_where_their_assumptions_hold() -> None:
    def bounds(name: str, **options: Any) -> tuple[float | None, float | None]:
        results = evaluate(["strategic-perceptron-l2"], scenario(name, **options), seeds=1, rounds=1)
        one = results.contestants[0]
        return results.bound(one), results.bound(one, printed=True)

    assert bounds("KnownL2") == pytest.approx((100, 169))
    assert bounds("Example1") == pytest.approx((85 / 4, 44.50657780874821))
    assert bounds("KnownL2", feedback="apple_tasting") == (None, None)
    assert bounds("KnownL2", noise=0.1) == (None, None)
    assert bounds("KnownL2", bias=0.2) == (None, None)
    assert bounds("Example2") == bounds("Example3") == (None, None)


def test_bounds_need_individuals_who_best_respond() -> None:
    class Careful(BestResponse):
        """Responds in another way."""

    game = scenario("KnownL2")
    for individual, bounded in ((BestResponse(), True), (Noisy(0.1), False), (Truthful(), False), (Careful(), False)):
        other = replace(game, setting=replace(game.setting, individual=individual))
        results = evaluate(["strategic-perceptron-l2"], other, seeds=1, rounds=1)
        assert (results.bound(results.contestants[0]) is not None) is bounded


def test_l1_bounds_need_the_true_reaches_and_a_non_negative_separator() -> None:
    def bound(learner: str, name: str, **parameters: Any) -> float | None:
        chosen = scenario(name)
        one = contestant(learner, chosen, **parameters)
        return evaluate([one], chosen, seeds=1, rounds=1).bound(one)

    assert bound("strategic-perceptron-l1", "KnownL1") == pytest.approx((1 + 1.3**2) * 100)
    assert bound("strategic-perceptron-l1", "KnownL1", alpha=[0.1, 0.3]) is None
    assert bound("strategic-perceptron-l1", "Example1L1") is None


def test_a_learner_that_fails_keeps_its_place_and_loses_nobody_elses_runs() -> None:
    results = evaluate([Failing(), Perceptron()], "KnownL2", seeds=2, rounds=300)
    failed, fine = (results.of(one) for one in results.contestants)
    assert all(run.error == "RuntimeError: out of ideas" for run in failed)
    assert all(run.error is None and run.mistakes > 20 for run in fine)


class Own:
    """A learner of a user: the Perceptron in a few lines."""

    def predict(
        self, observation: Any, state: Any = None, episode_start: Any = None, deterministic: bool = True
    ) -> tuple[Any, Any]:
        weights = np.zeros_like(observation["features"]) if state is None else state
        if observation["label"][0] != observation["prediction"][0]:
            weights = weights + observation["label"][0] * observation["features"]
        return np.append(weights, 0.0) / max(1.0, np.abs(weights).max()), weights


def test_whatever_predicts_can_take_part() -> None:
    named = Own()
    named.name = "mine"  # type: ignore[attr-defined]
    results = evaluate([Own(), named, Perceptron()], "KnownL2", seeds=2, rounds=300)
    assert [one.label for one in results.contestants[:2]] == ["Own", "mine"]
    mistakes = [[run.mistakes for run in results.of(one)] for one in results.contestants]
    assert mistakes[0] == mistakes[1] == mistakes[2] and min(mistakes[0]) > 10
    assert results.contestants[0].parameters == {}
    assert results.bound(results.contestants[0]) is None


@pytest.mark.parametrize(("observation", "policy"), [("flat", "MlpPolicy"), ("dict", "MultiInputPolicy")])
def test_policies_of_stable_baselines_can_take_part(observation: str, policy: str) -> None:
    stable_baselines3 = pytest.importorskip("stable_baselines3")
    env = scenario("KnownL2").make(observation=observation)
    model = stable_baselines3.PPO(policy, env, n_steps=64, batch_size=64, seed=0, device="cpu")
    first, again = (evaluate([model], "KnownL2", seeds=1, rounds=50) for _ in range(2))
    assert first.contestants[0].label == "PPO"
    assert first.runs[0].error is None
    assert first.runs[0].curve == again.runs[0].curve


def test_a_model_that_saw_normalised_observations_is_refused() -> None:
    stable_baselines3 = pytest.importorskip("stable_baselines3")
    from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize

    env = VecNormalize(DummyVecEnv([lambda: scenario("KnownL2").make(observation="flat")]))
    model = stable_baselines3.PPO("MlpPolicy", env, device="cpu")
    with pytest.raises(
        ValueError, match=r"normalised observations \(VecNormalize\).* pass learners\.rl\.TrainedPolicy"
    ):
        evaluate([model], "KnownL2", seeds=1, rounds=5)


def test_learners_may_be_named_and_have_parameters_as_on_the_command_line(tmp_path: Path) -> None:
    named = {"mine": Own(), "steep": "perceptron:learning_rate=2,bias=true", "reference": "best-fixed-classifier"}
    results = evaluate(named, "KnownL2", seeds=2, rounds=40)
    assert [one.label for one in results.contestants] == list(named)
    assert results.contestants[1].parameters == {"learning_rate": 2, "bias": True}
    assert reference_of(results) is results.contestants[2]
    assert {run.learner for run in results.runs} == set(named)
    evaluate({"steep": named["steep"]}, "KnownL2", seeds=2, rounds=40, out=tmp_path)
    (kept,) = Results.load(tmp_path).contestants
    assert (kept.label, kept.parameters) == ("steep", {"learning_rate": 2, "bias": True})
    with pytest.raises(TypeError, match=r"labels of learners must be text, got 3"):
        evaluate({3: "perceptron"}, "KnownL2", seeds=1, rounds=5)  # type: ignore[dict-item]
    for strange in ("", "  ", "a\nb", "\ud800", "\x1b[31m"):
        with pytest.raises(ValueError, match=r"labels of learners must be text that can be printed in one line"):
            evaluate({strange: "perceptron"}, "KnownL2", seeds=1, rounds=5)


def test_a_parameter_is_given_once() -> None:
    with pytest.raises(ValueError, match=r"a parameter must be given once, got 'bias' in 'perceptron:bias=true'"):
        contestant("perceptron:bias=true", scenario("KnownL2"), bias=False)


def test_a_contestant_of_another_scenario_is_checked_again() -> None:
    prepared = contestant("strategic-perceptron-l1", scenario("KnownL1", alpha=[0.1, 0.2]))
    with pytest.raises(ValueError, match=r"alpha has 2 coordinates, but the features have 5"):
        evaluate([prepared], scenario("KnownL1", dim=5), seeds=1, rounds=5)


def test_results_are_short_to_read() -> None:
    text = repr(evaluate(["perceptron"], "KnownL2", seeds=2, rounds=1000))
    assert text == "<Results on KnownL2, 1,000 rounds, seeds [0, 1]: perceptron>"


def test_parameters_rebuild_every_learner() -> None:
    told = {
        "radius": 1.0,
        "margin": 0.1,
        "noise": 0.2,
        "direction": 0,
        "alpha": [0.3, 0.2],
        "classifier": [1.0, 0.0, 0.0],
        "improvement": 1.0,
    }
    for name, kind in learners_of("strategic").items():
        knowledge = told | ({} if kind.cost == "l1" else {"alpha": 0.3, "cost": "l2"})
        learner = build(name, knowledge)
        assert build(name, {}, **learner.parameters).parameters == learner.parameters


def test_finished_runs_are_not_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = evaluate(["perceptron"], "KnownL2", seeds=2, rounds=100, out=tmp_path)
    monkeypatch.setattr(evaluation, "play", lambda *_: pytest.fail("a finished run was repeated"))
    again = evaluate(["perceptron"], "KnownL2", seeds=2, rounds=100, out=tmp_path)
    assert again.runs == first.runs


def test_an_interrupted_evaluation_goes_on_where_it_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    learners = ["constant-classifier", "perceptron"]
    whole = evaluate(learners, "KnownL2", seeds=3, rounds=50)
    real, played = evaluation.play, []

    def interrupted(*arguments: Any) -> Any:
        if len(played) == 4:
            raise KeyboardInterrupt
        played.append(arguments)
        return real(*arguments)

    monkeypatch.setattr(evaluation, "play", interrupted)
    with pytest.raises(KeyboardInterrupt):
        evaluate(learners, "KnownL2", seeds=3, rounds=50, out=tmp_path)
    with (tmp_path / "runs.jsonl").open("a") as file:
        file.write('{"key": "unfini')  # a line that was being written
    played.clear()
    resumed = evaluate(learners, "KnownL2", seeds=3, rounds=50, out=tmp_path)
    assert len(played) == 2
    assert [run.mistakes for run in resumed.runs] == [run.mistakes for run in whole.runs]


def test_failed_runs_are_tried_again(tmp_path: Path) -> None:
    for _ in range(2):
        evaluate([Failing()], "KnownL2", seeds=1, rounds=300, out=tmp_path)
    assert len((tmp_path / "runs.jsonl").read_text().splitlines()) == 2


def test_settings_come_back(tmp_path: Path) -> None:
    chosen = scenario("KnownL2", dim=3, alpha=0.2)
    learner = contestant("perceptron", chosen, learning_rate=2.0)
    evaluate([learner, "strategic-perceptron-l2"], chosen, seeds=[4, 2], rounds=30, out=tmp_path)
    kept = Results.load(tmp_path)
    assert (kept.scenario.name, kept.scenario.options) == ("KnownL2", {"dim": 3, "alpha": 0.2})
    assert (kept.seeds, kept.rounds) == ([2, 4], 30)
    assert [one.label for one in kept.contestants] == ["perceptron:learning_rate=2.0", "strategic-perceptron-l2"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((["perceptron"], "Nowhere"), "scenario must be one of"),
        ((["nobody"], "KnownL2"), "learner must be one of"),
        (([], "KnownL2"), "learners must hold at least one"),
        ((["perceptron", "perceptron"], "KnownL2"), "learners must differ"),
        ((["strategic-perceptron-l1"], "KnownL2"), "made for l1 costs"),
        ((["perceptron"], "KnownL2", 0), "seeds must be at least 1"),
        ((["perceptron"], "KnownL2", []), "seeds must hold at least one"),
        ((["perceptron"], "KnownL2", [1, 1]), "seeds must hold at least one seed and none twice"),
        ((["perceptron"], "KnownL2", [-1]), "seeds must be at least 0"),
        ((["perceptron"], "KnownL2", 1, 0), "rounds must be at least 1"),
        (([Own(), Own()], "KnownL2"), "learners must differ, got 'Own' 2 times"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_bad_values_are_one_clear_error(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        evaluate(*arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("perceptron", "KnownL2"), "learners must be a list of names or learners, .* got 'perceptron'"),
        ((Perceptron(), "KnownL2"), "learners must be a list of names or learners"),
        (([5], "KnownL2"), "a learner must be a name, or an object with a method predict.* got 5"),
        (([Perceptron], "KnownL2"), "a learner must be .* got <class"),
        ((["perceptron"], 5), "scenario must be a name or a Scenario, got 5"),
        ((["perceptron"], None), "scenario must be a name or a Scenario, got None"),
        ((["perceptron"], "KnownL2", None), "seeds must be an integer or a sequence of integers, got None"),
        ((["perceptron"], "KnownL2", 1.5), "seeds must be an integer or a sequence of integers, got 1.5"),
        ((["perceptron"], "KnownL2", [1.5]), "seeds must be an integer, got 1.5"),
        ((["perceptron"], "KnownL2", True), "seeds must be an integer, got True"),
        ((["perceptron"], "KnownL2", 1, 2.5), "rounds must be an integer, got 2.5"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_bad_kinds_are_one_clear_error(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        evaluate(*arguments)


@pytest.mark.parametrize("seeds", [np.int64(2), [0, 1], np.arange(2), range(2), (np.int64(0), 1)], ids=repr)
def test_seeds_may_be_numpys(seeds: Any) -> None:
    assert evaluate(["perceptron"], "KnownL2", seeds=seeds, rounds=1).seeds == [0, 1]


def test_the_papers_examples_separate_the_learners() -> None:
    """The classic Perceptron errs in a constant fraction of 10,000 rounds where the strategic ones stop."""
    results = evaluate(["perceptron", "strategic-perceptron-l2"], "Example1", seeds=1, rounds=10_000)
    perceptron, strategic = (run.mistakes for run in results.runs)
    assert perceptron == 9_999 and strategic == 1
    results = evaluate(["perceptron", "strategic-perceptron-l1", "biased-l1"], "Example1L1", seeds=1, rounds=10_000)
    perceptron, strategic, biased = (run.mistakes for run in results.runs)
    assert perceptron == 9_999 and strategic == 1 and biased <= 5
    erring: list[tuple[Any, str, int]] = [
        (Perceptron(bias=True), "Example2", 9_000),
        (StrategicPerceptronL2(5.0), "Example3", 10_000),
    ]
    for learner, name, rounds in erring:
        curve = evaluate([learner], name, seeds=1, rounds=10_000).runs[0].curve
        assert curve[-1] >= rounds
        assert curve[-1] - curve[len(curve) // 2] > 4_000, "and it goes on erring"
    assert json.dumps(results.scenario.options) == "{}"


def test_a_learner_that_draws_draws_anew_in_every_run() -> None:
    learner = AcceptedOnlyL2(0.3, exploration=1.0)
    keys = {learner.for_run(seed).initial_state(1, 2).key.tobytes() for seed in range(20)}
    assert len(keys) == 20
    assert learner.for_run(3).parameters == learner.for_run(3).parameters
    assert AcceptedOnlyL2(0.3, seed=1).for_run(3).seed != learner.for_run(3).seed


@pytest.mark.parametrize(
    "changed",
    [{"cost": L2Cost(2.0)}, {"population": Separable(3)}, {"population": Separable(noise=0.1)}],
    ids=["cost", "dim", "noise"],
)
def test_a_scenario_with_another_setting_does_not_keep_its_truth(changed: dict[str, Any]) -> None:
    known = scenario("KnownL2")
    setting = replace(known.setting, **changed)
    with pytest.raises(ValueError, match="truth must be that of the setting"):
        replace(known, setting=setting)
    assert replace(known, setting=setting, truth=None).truth is None


def test_compiled_games_count_what_the_environment_counts() -> None:
    """The same learner, once in compiled code, once (as any other object that predicts) round by round."""

    class Wrapped:
        def __init__(self, learner: Learner[Any]) -> None:
            self.predict, self.name = learner.predict, "wrapped"

    for name, learner in (("GermanCredit", Perceptron(bias=True)), ("KnownL2", StrategicPerceptronL2(0.3))):
        results = evaluate([learner, Wrapped(learner)], name, seeds=2, rounds=150)
        fused, looped = (results.of(one) for one in results.contestants)
        assert all(run.fused for run in fused) and not any(run.fused for run in looped)
        for one, other in zip(fused, looped, strict=True):
            assert replace(one, learner="", cpu_seconds=0.0, fused=False) == replace(other, learner="", cpu_seconds=0.0)


class Drifting(Separable):
    """Arrives in a way of its own, and does not say so in `source`."""

    def arrivals(self, key: Key, population_key: Key | None = None) -> Arrivals:
        drawn = super().arrivals(key, population_key)
        drawn.features *= 1.0
        return drawn


def test_a_population_that_arrives_in_its_own_way_is_asked_itself() -> None:
    assert Setting(population=Drifting(2), cost=L2Cost(0.3)).source() is None
    assert Setting(population=Separable(2), cost=L2Cost(0.3)).source() is not None
    assert Setting(population=Separable(2), cost=L2Cost(0.3), individual=Truthful()).source() is not None


def test_individuals_who_answer_in_their_own_way_are_asked_themselves() -> None:
    class Careful(Truthful):
        def report(self, features: Float, classifier: Float, cost: Cost, key: Key, round: int) -> Float:
            return features.copy()

    assert Setting(population=Separable(2), cost=L2Cost(0.3), individual=Careful()).source() is None


@pytest.mark.parametrize("name", ["KnownL2", "KnownL1"])
@pytest.mark.parametrize("pool", [None, 3])
def test_what_is_not_published_anew_would_not_have_changed(name: str, pool: int | None) -> None:
    """A compiled game publishes only when `learn` says so, a loop in every round."""
    game = scenario(name, pool=pool)
    learner = contestant("gradient-max-margin", game).learner
    assert isinstance(learner, Learner)
    env, state, mistakes = game.make_vec(30), None, np.zeros(30, dtype=np.int64)
    observations, _ = env.reset(seed=7)
    for _ in range(60):
        classifiers, state = learner.predict(observations, state)
        observations, _, _, _, infos = env.step(classifiers)
        mistakes += infos["mistake"]
    assert (rollout(learner, game, games=30, rounds=60, seed=7).mistakes == mistakes).all()
