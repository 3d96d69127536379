"""A setting asks its parts once: what they say later reaches neither compiled code nor the rules."""

from typing import Any

import numpy as np
import pytest

from agents import DataSet, GaussianMixture, L2Cost, Separable, WeightedL1Cost
from agents.foundation.streams import game_key
from learners import FeedbackGraph
from strategic_env import Scenario, Setting, StrategicClassificationEnv, StrategicClassificationVectorEnv, rollout
from strategic_env.games.multiclass.rules import MulticlassSetting

POINTS = np.random.default_rng(0).uniform(-0.5, 0.5, (20, 3))
SIGNS = np.where(POINTS[:, 0] > 0, 1.0, -1.0)
CLASSIFIER = np.array([1.0, 1.0, -0.9])


class Fickle(WeightedL1Cost):
    """Says something else whenever it is asked again."""

    asked = 0

    def budgets(self, dim: int) -> Any:
        self.asked += 1
        if self.asked > 1:
            self.norm, self.alpha = 2, np.full((7, 7), 9.0)
            return np.full((1, 100_000), 9.0)
        return super().budgets(dim)


def played(env: Any) -> list[Any]:
    env.reset(seed=0)
    return [env.step(CLASSIFIER)[4]["cost"] for _ in range(20)]


def test_a_cost_is_asked_once_for_all_forms_of_the_game() -> None:
    honest, fickle = WeightedL1Cost(0.3), Fickle(0.3)
    setting = Setting(population=Separable(2), cost=fickle)
    assert fickle.asked == 1 and (setting.norm, setting.budgets().tolist()) == (1, [[0.3, 0.3]])
    scenarios = [
        Scenario("mine", each, 100, {"alpha": 0.3}, None)
        for each in (setting, Setting(population=Separable(2), cost=honest))
    ]
    one, other = (rollout("perceptron", scenario, games=3) for scenario in scenarios)
    np.testing.assert_array_equal(one.mistakes, other.mistakes)
    assert fickle.asked == 1


def test_a_fickle_cost_cannot_change_an_environment() -> None:
    knowledge = {"alpha": 0.3}
    env = StrategicClassificationEnv(Separable(2), Fickle(0.3), knowledge=knowledge)
    assert played(env) == played(StrategicClassificationEnv(Separable(2), WeightedL1Cost(0.3)))
    envs = StrategicClassificationVectorEnv(Separable(2), Fickle(0.3), num_envs=2, knowledge=knowledge)
    fair = StrategicClassificationVectorEnv(Separable(2), WeightedL1Cost(0.3), num_envs=2)
    for each in (envs, fair):
        each.reset(seed=0)
    actions = np.tile(CLASSIFIER, (2, 1))
    for _ in range(20):
        seen: list[Any] = [each.step(actions)[0] for each in (envs, fair)]
        np.testing.assert_array_equal(seen[0]["features"], seen[1]["features"])


def test_what_a_cost_of_ones_own_says_later_is_not_asked() -> None:
    cost = Fickle(0.3)
    env = StrategicClassificationEnv(Separable(2), cost, knowledge={"alpha": 0.3})
    cost.norm, cost.alpha = 2, np.full((7, 7), 9.0)
    assert (env.setting.norm, env.setting.reach_scale) == (1, 0.3)
    assert played(env) == played(StrategicClassificationEnv(Separable(2), WeightedL1Cost(0.3)))


def test_budgets_of_a_setting_are_copies() -> None:
    setting = Setting(population=Separable(2), cost=L2Cost(0.3))
    setting.budgets()[:] = 100.0
    assert setting.budgets().tolist() == [[0.3]]


class Own(DataSet):
    """A data set of somebody's own, which can be changed."""


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("dim", 1, r"low must have shape \(1,\), got \(3,\)"),
        ("radius", 2.0, "radius must stay 0.* once a setting is made, got 2.0"),
        ("noise", 0.5, "noise must stay 0.0 once a setting is made, got 0.5"),
        ("alpha", (0.1, 0.3), r"alpha must stay None once a setting is made, got \[0.1, 0.3\]"),
        ("low", np.full(3, -2.0), r"low must stay \[.*\] once a setting is made, got \[-2.0, -2.0, -2.0\]"),
    ],
)
def test_a_population_of_ones_own_must_say_what_it_said(name: str, value: Any, message: str) -> None:
    population = Own(POINTS, SIGNS, standardise=False)
    setting = Setting(population=population, cost=L2Cost(0.3))
    setattr(population, name, value)
    for ask in (setting.source, lambda: setting.arrivals(game_key(0))):
        with pytest.raises(ValueError, match=f"^the population's {message}$"):
            ask()


def test_a_source_of_ones_own_is_copied() -> None:
    population = Own(POINTS, SIGNS, standardise=False)
    source = Setting(population=population, cost=L2Cost(0.3)).source()
    assert source is not None
    population.source().features[:] = np.nan
    np.testing.assert_array_equal(source.features, POINTS)


class OwnMixture(GaussianMixture):
    """A mixture of somebody's own."""


@pytest.mark.parametrize(("name", "value"), [("classes", 4), ("radius", 9.0), ("noise", 0.5)])
def test_points_of_ones_own_must_be_as_they_were(name: str, value: Any) -> None:
    population = OwnMixture(3, 3)
    setting = MulticlassSetting(population=population, graph=FeedbackGraph.named("bandit", 3))
    setattr(population, name, value)
    with pytest.raises(ValueError, match=f"^the population's {name} must stay .* got {value}"):
        setting.source()


class Meddler:
    """An individual who writes into all that it is handed."""

    slack = 0.0

    def report(self, features: Any, classifier: Any, cost: Any, key: Any, moment: int) -> Any:
        key[:] = 7
        classifier[:] = 0.0
        cost.budgets(len(features))[:] = 100.0
        answer = features.copy()
        features[:] = 100.0
        return answer


class Truthful(Meddler):
    """The same without the meddling."""

    def report(self, features: Any, classifier: Any, cost: Any, key: Any, moment: int) -> Any:
        return features


def test_an_individual_is_handed_copies() -> None:
    environments: list[Any] = [
        StrategicClassificationEnv(Separable(2, noise=0.3), L2Cost(0.3), individual=individual())
        for individual in (Meddler, Truthful)
    ]
    records = []
    for env in environments:
        env.reset(seed=0)
        records.append([env.step(CLASSIFIER)[0]["features"].tolist() for _ in range(80)])
        assert env.game is not None and env.game.key.tolist() != [7, 7]
    assert records[0] == records[1]
