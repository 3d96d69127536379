"""Bounds are shown for other responses where a theorem is about them, and nowhere else."""

from typing import Any

import pytest

from agents import L2Cost, Missing, Separable
from learners import Truth
from strategic_env import Scenario, Setting, rollout, scenario
from strategic_env.bench.contestants import contestant, mistake_bound


def bound_of(learner: str, name: str, **options: Any) -> float | None:
    chosen = scenario(name, **options)
    return mistake_bound(contestant(learner, chosen).learner, chosen)


def test_overshooting_has_the_bound_of_best_responses_for_who_pulls_everybody_back() -> None:
    always = "strategic-perceptron-l2:surrogate=always"
    assert bound_of("strategic-perceptron-l2", "MissExample") is None
    assert bound_of(always, "MissExample") == pytest.approx(125.0)
    plain = bound_of("strategic-perceptron-l2", "KnownL2")
    assert bound_of(always, "KnownL2", response="miss", miss=[0.0, 0.1]) == plain
    assert bound_of(always, "KnownL2", response="miss", miss=[-0.1, 0.1]) is None


def test_who_waits_for_the_others_has_a_bound_where_they_lag() -> None:
    patient = "patient:learner=strategic-perceptron-l2,rounds=1"
    assert bound_of("strategic-perceptron-l2", "LagExample") is None
    assert bound_of(patient, "LagExample") == pytest.approx(100.0)
    assert bound_of(patient, "LagExample", lag=2) is None
    assert rollout(patient, "LagExample", rounds=6000).mistakes[0] <= 100


@pytest.mark.parametrize("response", ["quantal", "truthful", "limited", "noisy", "misperceived", "dark", "collective"])
def test_no_theorem_is_about_other_responses(response: str) -> None:
    chosen = scenario("KnownL2", response=response)
    assert chosen.proved is None and "the theorems need best responses" in chosen.why_no_bound()


def test_a_truth_of_other_responses_than_the_setting_s_is_refused() -> None:
    setting = Setting(population=Separable(2, margin=0.1), cost=L2Cost(0.5), individual=Missing(0.0, 0.2))
    truth = Truth("l2", 2, 1.0, 0.1, 0.0, (0.5,), False)
    with pytest.raises(
        ValueError, match="truth must be that of the setting: it says response best, the setting has miss"
    ):
        Scenario("mine", setting, horizon=9, knowledge={}, truth=truth)
    with pytest.raises(ValueError, match="it says miss"):
        Scenario("mine", setting, horizon=9, knowledge={}, truth=truth._replace(response="miss", miss=(0.0, 0.1)))
    right = truth._replace(response="miss", miss=(0.0, 0.2))
    assert Scenario("mine", setting, horizon=9, knowledge={}, truth=right).proved == right
