"""``strategic-env reproduce responses``: nothing unexpected comes out, and what would be is noticed."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib import image

from strategic_env.bench.contestants import contestant, mistake_bound
from strategic_env.games.scenarios import scenario
from strategic_env.reproduce import Request, phases, responses
from strategic_env.reproduce.response_bounds import GAMES, Most
from strategic_env.reproduce.response_failures import FAILURES, Outcome, played
from strategic_env.reproduce.worked_person import Answered, answers


def test_the_worked_person_is_worked_right() -> None:
    found = answers()
    assert len(found) > 15 and all(one.agrees for one in found)


@pytest.mark.slow  # every learner that meets other people is compiled anew
def test_the_quick_form_finds_all_as_it_should_be(tmp_path: Path) -> None:
    steps: list[tuple[int, int]] = []
    result = responses.reproduce(Request(tmp_path, 2, lambda done, total: steps.append((done, total)), quick=True))
    assert result.unexpected == []
    assert len(result.pages) == 5 and steps[-1][0] == steps[-1][1] == len(steps)
    (picture,) = result.files
    assert picture.name == phases.PICTURE and image.imread(picture).shape[2] == 4


@pytest.mark.slow
def test_the_whole_form_finds_all_as_it_should_be(tmp_path: Path) -> None:
    assert responses.reproduce(Request(tmp_path)).unexpected == []


@pytest.mark.slow
@pytest.mark.parametrize("failure", FAILURES, ids=lambda failure: f"{failure.scenario} {failure.learner}")
def test_a_failure_of_other_numbers_is_noticed(failure: Any) -> None:
    found = played(failure)
    assert found.agrees
    assert not played(failure._replace(least=found.mistakes + 1, most=10**9)).agrees


def test_what_is_unexpected_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(responses, "answers", lambda: [Answered("its cost", 0.6, 0.61)])
    monkeypatch.setattr(responses, "FAILURES", FAILURES[:1])
    monkeypatch.setattr(responses, "GAMES", GAMES[:1])
    monkeypatch.setattr(responses, "played", lambda failure: Outcome(1, None, False))
    monkeypatch.setattr(responses, "measured", lambda game, runs: Most(10, 9, 9.0, 8.0))
    monkeypatch.setattr(phases, "least_measured", lambda individual, margin, rounds: 0.9)
    found = responses.reproduce(Request(tmp_path, 1, quick=True)).unexpected
    assert found[0] == "the worked person: its cost"
    assert found[1] == f"{FAILURES[0].learner} on {FAILURES[0].scenario}"
    assert "exceeds its bound" in found[2] and "off the formula" in found[3] and len(found) == 5


@pytest.mark.parametrize("game", GAMES, ids=lambda game: f"{game.learner} {game.people}")
def test_every_game_has_a_bound(game: Any) -> None:
    chosen = scenario(game.scenario, **game.options)
    bound = mistake_bound(contestant(game.learner, chosen).learner, chosen)
    assert bound is not None and 0 < bound < np.inf


def test_the_least_mistakes_on_a_pair_are_those_of_the_best_threshold() -> None:
    """Of quantal responses, by a search over thresholds of the expected mistakes."""
    thresholds = np.linspace(-1.5, 4.0, 20_001)

    def moves(cost: np.ndarray, temperature: float) -> np.ndarray:
        return np.where(cost <= 0.0, 1.0, 1.0 / (1.0 + np.exp(np.minimum(-(1.0 - cost) / temperature, 700.0))))

    for margin in (0.01, 0.05, 0.3, 0.6, 0.9, 1.2):
        for temperature in (0.05, 0.2, 0.5, 1.0):
            mistakes = moves(thresholds + margin, temperature) + 1.0 - moves(thresholds - margin, temperature)
            assert phases.least_quantal(margin, temperature) == pytest.approx(mistakes.min(), abs=2e-3)
