"""Responses as options of scenarios: who answers, what learners are told, what is refused."""

from typing import Any

import numpy as np
import pytest

from agents import BestResponse, Collective, InTheDark, Missing, Quantal, UnderLottery
from strategic_env import evaluate, rollout, scenario
from strategic_env.games.strategic.responses import RESPONSES


@pytest.mark.parametrize(
    ("name", "individual", "told"),
    [
        ("QuantalL2", Quantal(0.2), {"temperature": 0.2}),
        ("DarkL2", InTheDark(50), {"window": 50}),
        ("CollectiveL2", Collective(0.1, [0.3, 0.0]), {"collective": 0.1, "signal": [0.3, 0.0], "members": "all"}),
        ("OverlookedExample", None, {"perception": [1.0, 0.0]}),
        ("MissExample", Missing(0.5, 0.5), {"miss": [0.5, 0.5]}),
        ("LagExample", None, {"lag": 1}),
        ("LotteryL2", UnderLottery(BestResponse(), [0.1, 1.0]), {"lottery": [0.1, 1.0]}),
    ],
)
def test_ids_say_how_people_answer_and_tell_it(name: str, individual: Any, told: dict[str, Any]) -> None:
    chosen = scenario(name)
    assert individual is None or repr(chosen.setting.individual) == repr(individual)
    assert chosen.knowledge.items() >= told.items() and "alpha" in chosen.knowledge
    results = evaluate(["strategic-perceptron-l2"], chosen, seeds=1, rounds=2)
    assert results.bound(results.contestants[0]) is None


@pytest.mark.parametrize("response", RESPONSES)
@pytest.mark.parametrize("name", ["KnownL1", "GermanCredit", "HeterogeneousL2"])
def test_every_scenario_takes_every_response(name: str, response: str) -> None:
    chosen = scenario(name, response=response)
    assert chosen.setting.individual.option == response and chosen.in_compiled_code()
    own = set(RESPONSES[response].options) - {"perception"}
    assert own <= set(chosen.knowledge)


def test_parameters_go_with_the_response_of_the_id() -> None:
    assert repr(scenario("QuantalL2", temperature=0.5).setting.individual) == "Quantal(temperature=0.5)"
    assert repr(scenario("QuantalL2", response="best").setting.individual) == "BestResponse()"
    assert repr(scenario("KnownL2", response="miss").setting.individual) == "Missing(low=0.0, high=0.1)"


def test_where_algorithm_2_errs_for_ever() -> None:
    for name, rounds, least in (
        ("OverlookedExample", 2000, 2000),
        ("MissExample", 6000, 5999),
        ("LagExample", 6000, 5001),
    ):
        assert rollout("strategic-perceptron-l2", name, rounds=rounds).mistakes[0] >= least
    assert rollout("perceptron", "OverlookedExample", rounds=2000).mistakes[0] <= 1
    assert rollout("strategic-perceptron-l2", "LagExample", rounds=6000).mistakes[0] > 50
    assert rollout("strategic-perceptron-l2", scenario("LagExample", lag=0), rounds=6000).mistakes[0] == 1


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"response": "kind"}, ValueError, "response must be one of 'best', .*, got 'kind'"),
        ({"temperature": 0.2}, ValueError, "temperature goes with response=quantal, got .* with response=best"),
        ({"response": "miss", "lag": 1}, ValueError, "lag goes with response=lagged, got lag=1 with response=miss"),
        ({"response": "limited", "share": 1.1}, ValueError, "share must be at most 1.0, got 1.1"),
        ({"response": "quantal", "temperature": -1}, ValueError, "temperature must be at least 0.0, got -1"),
        ({"response": "quantal", "temperature": np.nan}, ValueError, "temperature must be finite, got nan"),
        ({"response": "quantal", "temperature": 1e4}, ValueError, "temperature must let nobody move farther than"),
        ({"response": "misperceived", "perception": [1.0]}, ValueError, "perception must "),
        ({"response": "misperceived", "perception": [1, 0], "misperception": 0.1}, ValueError, "one of perception and"),
        ({"response": "misperceived", "misperception": -0.1}, ValueError, "misperception must be at least 0.0"),
        ({"response": "miss", "miss": [0.2, 0.1]}, ValueError, r"miss must be \[low, high\] with -0.3 <= low"),
        ({"response": "miss", "miss": [0.0, 0.31]}, ValueError, "miss must be .*<= 0.3, got"),
        ({"response": "miss", "miss": 0.1}, ValueError, "miss must "),
        ({"response": "noisy", "report_noise": -0.1}, ValueError, "report_noise must be at least 0.0, got -0.1"),
        ({"response": "lagged", "lag": -1}, ValueError, "lag must be at least 0, got -1"),
        ({"response": "lagged", "lag": 1.5}, TypeError, "lag must be an integer, got 1.5"),
        ({"response": "dark", "window": 0}, ValueError, "window must be at least 1, got 0"),
        ({"response": "collective", "collective": 1.5}, ValueError, "collective must be at most 1.0, got 1.5"),
        ({"response": "collective", "signal": [0.31, 0.0]}, ValueError, "signal must cost its members at most 1, got"),
        ({"response": "collective", "signal": [0.1]}, ValueError, "signal must have shape"),
        ({"response": "collective", "members": "some"}, ValueError, "members must be one of 'all', 'qualified'"),
    ],
    ids=str,
)
def test_what_does_not_fit_is_one_clear_line(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=f"^{message}") as refusal:
        scenario("KnownL2", **options)
    assert "\n" not in str(refusal.value)
