"""An announced lottery on the rule: how far people move, who is accepted, which labels are shown, what is counted."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from agents import BestResponse, BudgetLimited, FixedSequence, L2Cost, Truthful, UnderLottery
from learners import StrategicPerceptronL2
from strategic_env import StrategicClassificationEnv, evaluate, rollout, scenario

PERSON, PUBLISHED = (0.2, 0.1), np.array([0.6, 0.8, -0.5])


@pytest.mark.parametrize(("low", "moves"), [(0.1, True), (0.39, True), (0.41, False), (0.5, False)])
def test_moving_gains_the_difference_of_the_chances(low: float, moves: bool) -> None:
    """The worked person is 0.3 away, and gets 0.5 for the whole value."""
    env = StrategicClassificationEnv(
        FixedSequence([], [(PERSON, -1.0)]), L2Cost(0.5), individual=UnderLottery(BestResponse(), [low, 1.0])
    )
    env.reset(seed=0)
    observation, _, _, _, info = env.step(PUBLISHED)
    assert info["moved"] == moves and info["cost"] == pytest.approx(0.6 if moves else 0.0)
    assert observation["prediction"][0] == (1.0 if moves else -1.0)


def test_the_draw_decides_what_is_a_mistake_and_the_rule_what_is_predicted() -> None:
    game = scenario("KnownL2", lottery=[0.3, 0.8], feedback="apple_tasting", horizon=4000)
    env, drawn = game.make(), {-1.0: [], 1.0: []}  # type: ignore[var-annotated]
    env.reset(seed=1)
    for _ in range(game.horizon):
        observation, reward, _, _, info = env.step(np.array([0.6, 0.8, -0.1]))
        predicted, accepted, label = observation["prediction"][0], info["accepted"], info["true_label"]
        assert info["mistake"] == (accepted != (label > 0)) == (reward < 0)
        assert info["rule_mistake"] == (predicted != label)
        assert observation["label"][0] == (label if accepted else 0.0)
        drawn[predicted].append(accepted)
    assert np.mean(drawn[1.0]) == pytest.approx(0.8, abs=0.04)
    assert np.mean(drawn[-1.0]) == pytest.approx(0.3, abs=0.04)


@pytest.mark.parametrize("response", ["best"])
def test_a_lottery_that_leaves_all_to_the_rule_changes_nothing(response: str) -> None:
    plain, other = (scenario("KnownL2", response=response, **options) for options in ({}, {"lottery": [0, 1]}))
    assert repr(plain.setting.individual) == repr(other.setting.individual)
    always = replace(plain.setting, individual=UnderLottery(plain.setting.individual, [0.0, 1.0]))
    one, two = (rollout("perceptron", replace(plain, setting=each, truth=None)) for each in (plain.setting, always))
    assert one.mistakes == two.mistakes == two.columns["rule_mistakes"]
    assert one.columns["qualified_cost"] == two.columns["qualified_cost"]


def test_nobody_moves_where_both_sides_have_the_same_chance() -> None:
    assert rollout("perceptron", scenario("KnownL2", lottery=[0.5, 0.5])).columns["manipulations"] == 0


def test_the_rule_keeps_the_bound_of_who_is_told_the_shorter_reach_and_errs_for_ever_else() -> None:
    """One dimension: -0.25 with label -1, then +0.25 with label +1 for ever."""
    population = FixedSequence([((-0.25,), -1.0)], [((0.25,), 1.0)])
    base = scenario("LotteryL2", dim=1, lottery=[0.5, 1.0], alpha=1.0)
    game = replace(base, setting=replace(base.setting, population=population), truth=None)
    told = rollout(StrategicPerceptronL2(1.0), game, rounds=200)
    assert told.columns["rule_mistakes"] == 200 and 70 <= told.mistakes[0] <= 130
    assert rollout(StrategicPerceptronL2(0.5), game, rounds=200).columns["rule_mistakes"] == 1
    assert (
        rollout("strategic-perceptron-l2", "LotteryL2", games=20, rounds=20_000).columns["rule_mistakes"].max() <= 100
    )


def test_what_a_loop_counts_is_what_a_rollout_counts() -> None:
    class Loop(StrategicPerceptronL2):
        """Is not played in compiled code."""

        def predict(self, *arguments: Any, **keywords: Any) -> Any:
            return super().predict(*arguments, **keywords)

    results = evaluate({"loop": Loop(0.27), "fused": StrategicPerceptronL2(0.27)}, "LotteryL2", seeds=3, rounds=300)
    loop, fused = (results.of(one) for one in results.contestants)
    for one, other in zip(loop, fused, strict=True):
        assert one.fused != other.fused and one.mistakes == other.mistakes and one.columns == other.columns
        assert one.columns["rule_mistakes"] < one.mistakes
    assert results.bound(results.contestants[0]) is None


@pytest.mark.parametrize(
    "lottery", [[0.2, 0.1], [-0.1, 1.0], [0.1, 1.1], [0.1], 0.1, [0.1, np.nan], [0.1, 0.2, 0.3]], ids=str
)
def test_what_is_no_lottery_is_refused(lottery: Any) -> None:
    with pytest.raises((ValueError, TypeError), match="^lottery must "):
        scenario("KnownL2", lottery=lottery)


def test_only_individuals_of_this_package_answer_lotteries() -> None:
    class Own(Truthful):
        def report(self, *arguments: Any) -> Any:
            return np.zeros(2)

    with pytest.raises(TypeError, match="^individual must be one of those of this package, got "):
        UnderLottery(Own(), [0.1, 1.0])
    assert (
        repr(UnderLottery(BudgetLimited(0.5), [0.1, 1])) == "UnderLottery(BudgetLimited(share=0.5), lottery=[0.1, 1.0])"
    )
