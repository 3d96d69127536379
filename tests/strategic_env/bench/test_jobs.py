"""Several processes play the runs of one evaluation."""

import os
import signal
from pathlib import Path
from typing import Any

import pytest

import strategic_env
from strategic_env import Results, evaluate
from strategic_env.bench import evaluation
from strategic_env.bench.engines import Processes


class Deadly:
    """Ends its process in the third round of the game that begins with the point of one seed."""

    name = "deadly"

    def predict(self, observation: Any, state: Any, episode_start: Any, deterministic: bool) -> tuple[Any, Any]:
        if os.getpid() != int(os.environ["JOBS_TEST_DRIVER"]) and int(observation["round"][0]) == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return [0.0, 0.0, 0.0], state


def numbers(results: Results) -> list[tuple[object, ...]]:
    return [(run.learner, run.seed, run.mistakes, run.loss, run.columns, run.curve, run.error) for run in results.runs]


def test_several_processes_play_the_same_runs_and_keep_them(tmp_path: Path) -> None:
    learners = ["perceptron", "strategic-perceptron-l2"]
    alone = evaluate(learners, "KnownL2", seeds=2, rounds=50)
    told: list[str] = []
    together = evaluate(learners, "KnownL2", seeds=2, rounds=50, out=tmp_path, jobs=2, progress=told.append)
    assert numbers(alone) == numbers(together) == numbers(evaluate(learners, "KnownL2", 2, 50, out=tmp_path))
    assert sorted(told) == sorted(run.learner for run in alone.runs)


def test_what_cannot_be_sent_plays_here() -> None:
    class Local:
        def __reduce__(self) -> Any:
            raise TypeError("nobody else's")

        def predict(self, observation: Any, state: Any, episode_start: Any, deterministic: bool) -> tuple[Any, Any]:
            return [0.0, 0.0, 0.0], state

    results = evaluate([Local()], "KnownL2", seeds=2, rounds=5, jobs=2)
    assert [run.error for run in results.runs] == [None, None]


@pytest.mark.slow
def test_a_process_that_dies_costs_its_own_run_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JOBS_TEST_DRIVER", str(os.getpid()))
    results = evaluate({"deadly": Deadly(), "fine": "perceptron"}, "KnownL2", seeds=2, rounds=50, jobs=2)
    assert [(run.error or "")[:16] for run in results.runs] == ["its process died", "its process died", "", ""]


def test_no_more_processes_than_runs_are_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    class Counted(Processes):
        def __init__(self, workers: int) -> None:
            asked.append(workers)
            super().__init__(min(workers, 2))

    monkeypatch.setattr(evaluation, "Processes", Counted)
    evaluate(["perceptron"], "KnownL2", seeds=2, rounds=5, jobs=1024)
    evaluate(["perceptron"], "KnownL2", seeds=3, rounds=5, jobs=2)
    evaluate(["perceptron"], "KnownL2", seeds=1, rounds=5, jobs=1024)  # one run needs no process
    assert asked == [2, 2]


@pytest.mark.parametrize("jobs", [0, -1, 1.5, 1025, 2**70])
def test_wrong_numbers_of_jobs_are_named(jobs: Any) -> None:
    with pytest.raises((ValueError, TypeError), match="jobs must be"):
        evaluate(["perceptron"], "KnownL2", seeds=2, rounds=5, jobs=jobs)


def test_rollouts_of_seeds_are_those_of_evaluate() -> None:
    played = strategic_env.rollout("perceptron", "KnownL2", seeds=[7, 2], rounds=50)
    runs = evaluate(["perceptron"], "KnownL2", seeds=[7, 2], rounds=50).runs
    assert played.mistakes.tolist() == [run.mistakes for run in runs]
    for other in ({"games": 2}, {"seed": 1}):
        with pytest.raises(ValueError, match=f"seeds says which games are played, and leaves no {next(iter(other))}"):
            strategic_env.rollout("perceptron", "KnownL2", seeds=[1], rounds=5, **other)
    with pytest.raises(TypeError, match="seeds must be a sequence of integers, got 3; games says how many"):
        strategic_env.rollout("perceptron", "KnownL2", seeds=3, rounds=5)  # type: ignore[arg-type]
