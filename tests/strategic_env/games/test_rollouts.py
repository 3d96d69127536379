"""Fused rollouts: the same numbers whatever the threads, checkpoints, games and rounds; progress, memory, errors."""

import copy
import resource
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import strategic_env
from agents import BestResponse, GreedyAdversary, L2Cost, Separable, TangentAdversary
from learners import BestFixedClassifier, Perceptron, StrategicPerceptronL1, StrategicPerceptronL2
from strategic_env import scenario
from strategic_env.bench.rollout import rollout
from strategic_env.games.shared.rollout import MOST_GAMES, Rollout, shares_of

ROUNDS = [1, 63, 64, 65, 127, 128, 129, 257, 1000, 5000]
COUNTS = ("mistakes", "manipulations", "qualified", "qualified_cost")


def assert_equal(found: Any, expected: Any, games: Any = slice(None)) -> None:
    """Bit for bit; ``games`` are those of ``expected`` that ``found`` holds."""
    assert found.rounds == expected.rounds
    for name in (*COUNTS, "curves"):
        one, other = getattr(found, name), getattr(expected, name)[games]
        assert one.dtype == other.dtype and one.tobytes() == other.tobytes(), name
    assert found.checkpoints.tolist() == expected.checkpoints.tolist()
    for name, one, other in zip(found.state._fields, found.state, expected.state, strict=True):
        assert one.tobytes() == other[games].tobytes(), f"state.{name}"


def noisy_stream(**options: Any) -> Any:
    """A scenario in which learners go on erring, and learning."""
    return scenario("KnownL2", **{"dim": 3, "noise": 0.1} | options)


LEARNER = StrategicPerceptronL2(0.3)


# What is returned


def test_the_result_has_a_row_for_each_game() -> None:
    result = rollout(LEARNER, noisy_stream(), games=4, rounds=100, checkpoints=[10, 100])
    assert isinstance(result, strategic_env.Rollout) and result.rounds == 100
    assert rollout is strategic_env.rollout
    for name in ("mistakes", "manipulations", "qualified"):
        assert getattr(result, name).shape == (4,) and getattr(result, name).dtype == np.int64
    assert result.qualified_cost.shape == (4,) and result.qualified_cost.dtype == np.float64
    assert result.curves.shape == (4, 2) and result.curves.dtype == np.int64
    assert result.checkpoints.tolist() == [10, 100] and result.checkpoints.dtype == np.int64
    assert type(result.state) is LEARNER.state_class and result.state.weights.shape == (4, 3)
    assert len({weights.tobytes() for weights in result.state.weights}) == 4, "games differ"
    assert (result.curves[:, 1] == result.mistakes).all()
    assert (0 < result.qualified).all() and (result.qualified < 100).all()
    assert (result.qualified_cost <= np.minimum(result.manipulations, result.qualified)).all()


def test_the_scenarios_horizon_and_one_game_of_seed_0_are_played_by_default() -> None:
    assert_equal(rollout(LEARNER, noisy_stream(horizon=77)), rollout(LEARNER, noisy_stream(), 1, 77, 0))
    by_name = rollout("strategic-perceptron-l2", "KnownL2", rounds=50, seed=2)
    assert_equal(by_name, rollout(LEARNER, scenario("KnownL2"), rounds=50, seed=2))
    assert by_name.checkpoints.shape == (0,) and by_name.curves.shape == (1, 0)


def test_nothing_is_left_over_from_one_rollout_to_the_next() -> None:
    one, learner = noisy_stream(pool=20), StrategicPerceptronL2(0.3)
    before = copy.deepcopy(learner.parameters)
    first = rollout(learner, one, games=3, rounds=200)
    rollout(learner, one, games=2, rounds=20, seed=9)
    assert_equal(rollout(learner, one, games=3, rounds=200), first)
    assert learner.parameters == before
    other = rollout(learner, one, games=3, rounds=200, seed=1)
    assert not np.array_equal(other.state.weights, first.state.weights)


@pytest.mark.parametrize("seed", [2**32 - 1, 2**32, 2**128 - 1])
def test_large_seeds_are_those_of_the_single_environment(seed: int) -> None:
    one = noisy_stream(horizon=60)
    result, env = rollout(LEARNER, one, games=2, seed=seed), one.make()
    for game in range(2):
        seen, state, truncated = env.reset(seed=seed, options={"game": game})[0], None, False
        while not truncated:
            action, state = LEARNER.predict(seen, state)
            seen, _, _, truncated, info = env.step(action)
        assert info["mistakes"] == result.mistakes[game]
        assert (LEARNER.predict(seen, state)[1].weights[0] == result.state.weights[game]).all()


# Any number of rounds, games, checkpoints and threads


def test_any_number_of_rounds_is_the_beginning_of_a_longer_loop_over_the_environment() -> None:
    one = noisy_stream(horizon=max(ROUNDS))
    env, state, mistakes, states = one.make_vec(2), None, np.zeros(2, np.int64), {}
    seen, _ = env.reset(seed=5)
    for t in range(1, one.horizon + 1):
        action, state = LEARNER.predict(seen, state)
        seen, _, _, _, infos = env.step(action)
        mistakes += infos["mistake"]
        if t in ROUNDS:
            states[t] = mistakes.copy(), LEARNER.predict(seen, copy.deepcopy(state))[1]
    for rounds, (expected, known) in states.items():
        result = rollout(LEARNER, one, games=2, rounds=rounds, seed=5, checkpoints=[rounds])
        assert (result.mistakes == expected).all() and (result.curves[:, 0] == expected).all(), f"{rounds} rounds"
        for name, one_field, other in zip(known._fields, result.state, known, strict=True):
            assert one_field.tobytes() == other.tobytes(), f"{rounds} rounds: state.{name}"


@pytest.mark.parametrize("options", [{}, {"pool": 20}, {"pool": 20, "population_seed": 1}], ids=str)
def test_checkpoints_change_nothing_and_the_curve_passes_through_shorter_rollouts(options: dict[str, Any]) -> None:
    one = noisy_stream(**options)
    whole = rollout(LEARNER, one, games=3, rounds=5000, checkpoints=ROUNDS)
    for column, rounds in enumerate(ROUNDS):
        short = rollout(LEARNER, one, games=3, rounds=rounds)
        assert (whole.curves[:, column] == short.mistakes).all()
    plain = rollout(LEARNER, one, games=3, rounds=5000)
    assert_equal(plain, replace(whole, checkpoints=plain.checkpoints, curves=plain.curves))
    every = rollout(LEARNER, one, games=3, rounds=300, checkpoints=range(1, 301))
    assert (np.diff(every.curves, prepend=0) >= 0).all() and (np.diff(every.curves, prepend=0) <= 1).all()
    assert np.isin(np.array(ROUNDS)[:8], every.checkpoints).all()
    assert (every.curves[:, np.array(ROUNDS[:8]) - 1] == whole.curves[:, :8]).all()


@pytest.mark.parametrize("options", [{}, {"pool": 20, "population_seed": 1}], ids=str)
def test_a_game_does_not_depend_on_how_many_others_there_are(options: dict[str, Any]) -> None:
    one = noisy_stream(**options)
    many = rollout(LEARNER, one, games=300, rounds=130, seed=3, checkpoints=[65])
    assert len({weights.tobytes() for weights in many.state.weights}) == 300
    for games in (1, 2, 63, 64, 65, 257):
        assert_equal(rollout(LEARNER, one, games, 130, 3, checkpoints=[65]), many, slice(games))


@pytest.mark.parametrize(("games", "rounds"), [(1, 700), (2, 700), (3, 30_000), (7, 30_000), (65, 5000)])
@pytest.mark.parametrize("options", [{}, {"pool": 20, "population_seed": 1}], ids=str)
def test_threads_change_nothing(games: int, rounds: int, options: dict[str, Any]) -> None:
    """However unequal their shares of the games are."""
    arguments: dict[str, Any] = {"games": games, "rounds": rounds, "seed": 4, "checkpoints": [1, 64, 100, rounds]}
    alone = rollout(LEARNER, noisy_stream(**options), **arguments)
    for threads in (2, 3, 4, 100):
        assert_equal(rollout(LEARNER, noisy_stream(**options), threads=threads, **arguments), alone)


def test_threads_change_nothing_for_the_other_kinds_of_arrivals_and_feedback() -> None:
    perceptron = Perceptron(bias=True)
    for name, options in (
        ("KnownL1", {"dim": 10, "pool": 30, "feedback": "apple_tasting"}),
        ("GermanCredit", {"noise": 0.1}),
        ("HeterogeneousL2", {"population_seed": 2}),
        ("Example2", {}),
    ):
        one = scenario(name, **options)
        alone = rollout(perceptron, one, games=10, rounds=2500)
        assert_equal(rollout(perceptron, one, games=10, rounds=2500, threads=2), alone)
        assert alone.mistakes.min() > 0


def test_two_rollouts_may_run_beside_each_other() -> None:
    one, results = noisy_stream(), [None] * 4
    expected = [rollout(LEARNER, one, games=8, rounds=20_000, seed=seed) for seed in range(4)]

    def run(seed: int) -> None:
        results[seed] = rollout(LEARNER, one, games=8, rounds=20_000, seed=seed, threads=2)  # type: ignore[call-overload]

    threads = [threading.Thread(target=run, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for found, wanted in zip(results, expected, strict=True):
        assert_equal(found, wanted)


# Progress


@pytest.mark.parametrize("threads", [1, 2])
def test_progress_reports_more_and_more_rounds_and_changes_nothing(threads: int) -> None:
    seen: list[tuple[int, list[int], list[int]]] = []

    def progress(so_far: Rollout) -> None:
        seen.append((so_far.rounds, so_far.mistakes.tolist(), so_far.curves[:, 0].tolist()))

    arguments: dict[str, Any] = {"games": 3, "rounds": 200_000, "checkpoints": [1000, 150_000], "threads": threads}
    result = rollout(LEARNER, noisy_stream(), progress=progress, **arguments)
    assert_equal(result, rollout(LEARNER, noisy_stream(), **arguments))
    rounds = [played for played, *_ in seen]
    assert len(seen) >= 3 and rounds == sorted(set(rounds)) and rounds[-1] == 200_000
    assert seen[-1][1] == result.mistakes.tolist()
    for (played, mistakes, curve), (_, more, _) in zip(seen, seen[1:], strict=False):
        assert mistakes == rollout(LEARNER, noisy_stream(), 3, played).mistakes.tolist()
        assert all(a <= b for a, b in zip(mistakes, more, strict=True))
        assert curve == (result.curves[:, 0].tolist() if played >= 1000 else [0, 0, 0])


@pytest.mark.parametrize("threads", [1, 2])
def test_progress_may_end_the_rollout_with_all_that_was_played(threads: int) -> None:
    calls = []

    def enough(so_far: Rollout) -> bool:
        calls.append(so_far.rounds)
        return len(calls) < 2

    result = rollout(LEARNER, noisy_stream(), 3, 10**12, threads=threads, progress=enough, checkpoints=[64, 10**12])
    assert result.rounds == calls[-1] < 10**12 and len(calls) == 2
    shorter = rollout(LEARNER, noisy_stream(), 3, result.rounds, checkpoints=[64])
    assert result.curves.tolist() == [[mistakes, 0] for mistakes in shorter.curves[:, 0]]
    assert_equal(replace(result, checkpoints=shorter.checkpoints, curves=shorter.curves), shorter)


def test_a_comparison_of_what_is_counted_may_end_a_rollout() -> None:
    result = rollout(LEARNER, noisy_stream(), 2, 10**6, progress=lambda so_far: so_far.mistakes.max() < 10)
    assert result.rounds < 10**6, "NumPy's False is a False"
    assert rollout(LEARNER, noisy_stream(), 2, 50_000, progress=lambda so_far: True).rounds == 50_000


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError])
def test_what_progress_raises_ends_the_rollout(error: type[BaseException], threads: int) -> None:
    calls = []

    def interrupted(so_far: Rollout) -> None:
        calls.append(so_far.rounds)
        if len(calls) == 2:
            raise error

    running = threading.active_count()
    with pytest.raises(error):
        rollout(LEARNER, noisy_stream(), 3, 10**12, threads=threads, progress=interrupted)
    assert len(calls) == 2 and threading.active_count() == running, "no thread goes on"


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_ends_an_endless_rollout(threads: int) -> None:
    program = f"""
import strategic_env
from strategic_env import scenario
from strategic_env.bench.rollout import rollout
rollout("strategic-perceptron-l2", "KnownL2", 2, 100)
print("ready", flush=True)
rollout("strategic-perceptron-l2", "KnownL2", 2, 10**15, threads={threads})
"""
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=3)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode != 0 and errors.strip().endswith("KeyboardInterrupt")


# Who may play


class Overriding(Perceptron):
    """What it publishes is not what its rules say."""

    def predict(self, *arguments: Any, **keywords: Any) -> Any:
        action, state = super().predict(*arguments, **keywords)
        return -action, state


class Renamed(Perceptron):
    """Changes nothing of how it plays."""


def changed() -> Perceptron:
    """A learner whose method, not whose class, has been replaced."""
    learner = Perceptron()
    learner.predict = Overriding().predict  # type: ignore[method-assign]
    return learner


class Foreign:
    """A policy that is none of this package's learners."""

    def predict(self, observation: Any, state: Any = None, *_: Any, **__: Any) -> Any:
        return np.zeros(4), state


@pytest.mark.parametrize(
    "learner",
    [Overriding(), changed(), Foreign(), Perceptron, None, 5],
    ids=["overriding", "changed", "foreign", "class", "none", "number"],
)
def test_learners_without_compiled_rules_are_refused(learner: Any) -> None:
    with pytest.raises(TypeError, match="learner must have compiled rules"):
        rollout(learner, noisy_stream())


def test_a_subclass_that_predicts_as_its_parent_may_play() -> None:
    assert_equal(rollout(Renamed(), noisy_stream(), 2, 100), rollout(Perceptron(), noisy_stream(), 2, 100))


class Elsewhere(Separable):
    """Its individuals are those of another key, which its parent's compiled form does not know."""

    def arrivals(self, key: Any, population_key: Any = None) -> Any:
        return super().arrivals(key ^ np.uint64(1), population_key)


class InPython(BestResponse):
    """Answers as its parent, in Python."""

    def report(self, features: Any, classifier: Any, cost: Any, key: Any, round: int) -> Any:
        return cost.best_response(features, classifier)


def test_individuals_who_are_played_in_python_are_refused() -> None:
    one = noisy_stream()
    points = np.random.default_rng(0).uniform(-1, 1, (20, 3))
    for change in (
        {"population": GreedyAdversary(points, np.where(points[:, 0] > 0, 1, -1))},
        {"population": TangentAdversary()},
        {"population": Elsewhere(3)},
        {"individual": InPython()},
    ):
        with pytest.raises(ValueError, match="scenario must have individuals who answer and arrive by compiled"):
            rollout(LEARNER, replace(one, setting=replace(one.setting, **change)))


BAD_ARGUMENTS: list[tuple[dict[str, Any], str]] = [
    ({"learner": "percept"}, "learner must be one of"),
    ({"learner": "strategic-perceptron-l1"}, "strategic-perceptron-l1 is made for l1 costs"),
    ({"learner": "best-fixed-classifier"}, "best-fixed-classifier"),
    ({"learner": StrategicPerceptronL1([0.3, 0.3], 1.0)}, "alpha has 2 coordinates, but the features have 3"),
    ({"learner": BestFixedClassifier([1.0, 2.0, 3.0])}, "classifier must have shape"),
    ({"scenario": "Known"}, "scenario must be one of"),
    ({"scenario": L2Cost(0.3)}, "scenario must be a name or a Scenario"),
    ({"games": 0}, "games must be at least 1, got 0"),
    ({"games": 1.0}, "games must be an integer"),
    ({"rounds": 0}, "rounds must be at least 1, got 0"),
    ({"rounds": True}, "rounds must be an integer"),
    ({"seed": -1}, "seed must be at least 0, got -1"),
    ({"seed": 2**128}, "seed must be at most"),
    ({"seed": None}, "seed must be an integer"),
    ({"seed": [1, 2]}, "seed must be an integer"),
    ({"threads": 0}, "threads must be at least 1, got 0"),
    ({"threads": "2"}, "threads must be an integer"),
    ({"checkpoints": [5, 3]}, r"checkpoints must increase, got \[5, 3\]"),
    ({"checkpoints": [3, 3]}, r"checkpoints must increase, got \[3, 3\]"),
    ({"checkpoints": [0]}, "checkpoints must be at least 1, got 0"),
    ({"checkpoints": [10, 51]}, "checkpoints must be at most 50, got 51"),
    ({"checkpoints": [1.5]}, "checkpoints must be an integer, got 1.5"),
    ({"checkpoints": [np.nan]}, "checkpoints must be an integer, got nan"),
    ({"checkpoints": [True]}, "checkpoints must be an integer, got True"),
    ({"checkpoints": 5}, "checkpoints must be a sequence of integers, got 5"),
    ({"progress": 5}, "progress must be a function of the rollout so far, got 5"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD_ARGUMENTS, ids=range(len(BAD_ARGUMENTS)))
def test_a_bad_argument_is_one_clear_error(arguments: dict[str, Any], message: str) -> None:
    called: list[Rollout] = []
    given = {"learner": LEARNER, "scenario": noisy_stream(), "rounds": 50, "progress": called.append} | arguments
    with pytest.raises((ValueError, TypeError), match=message):
        rollout(**given)
    assert not called


def test_a_learner_that_is_told_too_little_is_refused() -> None:
    with pytest.raises(ValueError, match="strategic-perceptron-l2 must be told alpha"):
        rollout("strategic-perceptron-l2", "UnknownL2")


# Memory


def resident() -> int:
    """Bytes of this process in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


ALLOCATED = """
import tracemalloc
from strategic_env import rollout, scenario
from learners import StrategicPerceptronL2
tracemalloc.start()
for rounds in (400_000, 20_000, 400_000):  # the first one fills caches, Numba's own of some hundred calls among them
    tracemalloc.reset_peak()
    rollout({learner!r}, scenario("KnownL2", **{options!r}), games=2, rounds=rounds, checkpoints=[10, 20_000])
    print(tracemalloc.get_traced_memory()[1])
"""


@pytest.mark.parametrize("options", [{}, {"pool": 64, "population_seed": 1}], ids=str)
def test_what_python_allocates_does_not_grow_with_the_rounds(options: dict[str, Any]) -> None:
    # In a process of its own, whose memory no other test has shaped.
    program = ALLOCATED.format(learner=LEARNER, options=options)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    peaks = [int(line) for line in done.stdout.split()]
    assert peaks[2] <= 1.05 * peaks[1] + 4096


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux")
@pytest.mark.parametrize("options", [{}, {"pool": 4096, "population_seed": 1}], ids=str)
@pytest.mark.parametrize("threads", [1, 2])
def test_a_hundred_million_rounds_take_the_memory_of_a_million(options: dict[str, Any], threads: int) -> None:
    one, most = scenario("KnownL2", **options), {}
    for total in (10**6, 10**6, 10**8):
        sizes: list[int] = []
        rollout(LEARNER, one, 4, total // 4, threads=threads, progress=lambda _, sizes=sizes: sizes.append(resident()))
        most[total] = max(*sizes, resident())
    assert most[10**8] <= 1.05 * most[10**6]


@pytest.mark.parametrize(("games", "threads", "parts"), [(1, 4, 1), (3, 2, 2), (256, 1, 1), (257, 1, 2), (1000, 2, 4)])
def test_every_thread_has_games_and_no_call_plays_too_many(games: int, threads: int, parts: int) -> None:
    shares = shares_of(games, threads)
    assert len(shares) == parts and max(map(len, shares)) <= MOST_GAMES == 256
    assert np.concatenate(shares).tolist() == list(range(games))
