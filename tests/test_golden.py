"""Every worked number of the two perceptron papers that concerns the first part, against the product and the oracle."""

import json
import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import oracle
import pytest

import agents
import learners
from learners import bounds, margins
from strategic_env import StrategicClassificationEnv

GOLDEN: dict[str, dict[str, Any]] = json.loads((Path(__file__).parent / "data/strategic_golden.json").read_text())
HALF, ALPHAS = Fraction(1, 2), [Fraction(3, 5), Fraction(0)]
RADIUS = math.sqrt(1.25)  # of Example 1

EXAMPLE_1 = {"A": ((-1, 0), -1), "B": ((0, -1), 1), "C": ((-HALF, -1), -1)}
ORDERS = ("ABC", "ACB", "BAC", "BCA", "CAB", "CBA")


class Case(NamedTuple):
    """How an entry is played: ``head`` points, then ``block`` points for ever; alpha says which cost it is."""

    head: int
    block: int
    alpha: Fraction | list[Fraction]
    learner: Callable[..., Any]
    reference: Callable[..., oracle.Learner]
    bias: bool = False


def perceptron(head: int, block: int, alpha: Any, bias: bool = False) -> Case:
    return Case(
        head, block, alpha, lambda: learners.Perceptron(bias=bias), lambda a: oracle.Perceptron(2, a, bias), bias
    )


def strategic_l2(head: int, block: int, alpha: Fraction) -> Case:
    return Case(
        head,
        block,
        alpha,
        lambda: learners.StrategicPerceptronL2(float(alpha)),
        lambda a: oracle.StrategicPerceptronL2(2, alpha, a),
    )


def strategic_l1(alpha: list[Fraction], radius: float, bias: bool = False) -> Case:
    product = learners.BiasedL1 if bias else learners.StrategicPerceptronL1
    return Case(
        0,
        3,
        alpha,
        lambda: product([float(v) for v in alpha], radius),
        lambda a: oracle.StrategicPerceptronL1(alpha, radius, a, bias),
        bias,
    )


CASES = {
    "lecture_data_with_paper_tie_rule": perceptron(0, 3, Fraction(0)),
    "example1_alg1_l2": perceptron(1, 2, HALF),
    "example1_alg1_l1": perceptron(1, 2, ALPHAS),
    "example2_alg1_bias": perceptron(1, 2, HALF, bias=True),
    "example2_alg2_without_bias": strategic_l2(0, 3, HALF),
    "example2_alg3_fake_coordinate_exempt": strategic_l1([HALF, HALF], 1.0, bias=True),
    "example3_alg2": strategic_l2(1, 4, Fraction(5)),
    **{f"example1_alg2_{order}_ties_move": strategic_l2(0, 3, HALF) for order in ORDERS},
    **{
        f"example1_alg3_{form}_{name}": strategic_l1(alpha, RADIUS)
        for form in ("raw", "second_coordinate_flipped")
        for name, alpha in (("3d5_0", ALPHAS), ("1d2_1d2", [HALF, HALF]))
    },
}
TIES_STAY = {
    "example1_alg1_l2_if_ties_stay": perceptron(1, 2, HALF),
    **{f"example1_alg2_{order}_ties_stay": strategic_l2(0, 3, HALF) for order in ORDERS},
}
ELSEWHERE = {  # tested below in their own way, or (the rest) the business of other learners
    "example1_claim_w_1_half", "example3_w_1_0", "example2_if_ties_stay",
    "example1_margin", "example1_alg2_bound", "lecture_hand_task_margin", "lecture_margin_task", "lecture_distances",
    "lecture_hand_task", "lecture_eta_2", "lecture_eta_5", "lecture_eta_1/3",  # the lecture's tie rule
    "lecture_generalisation", "lecture_data_margin_perceptron_rho0_1/2", "lecture_data_margin_perceptron_rho0_1",
    "lecture_data_margin_perceptron_rho0_3",  # margin perceptron
    "example2_alg5_distance", "example2_alg5_coarse", "example2_alg5_literal",  # Algorithm 5
    "example2_alg3_fake_coordinate_literal", "example2_alg3_fake_coordinate_two",  # other forms of the bias
}  # fmt: skip


# Reading the file


def number(value: Any) -> Any:
    """A JSON integer or a string is exact; a JSON float is a float."""
    return value if isinstance(value, float) else Fraction(value)


def vector(value: Any) -> list[Any]:
    """A list of numbers, or ``u + v / sqrt(n)``."""
    if isinstance(value, dict):
        n = number(value["n"])
        return [oracle.Surd(u, number(v) / n, n) if number(v) else number(u)
                for u, v in zip(vector(value["u"]), value["v"], strict=True)]  # fmt: skip
    return [number(v) for v in value]


def points_of(name: str, case: Case) -> list[tuple[list[Any], int]]:
    """The head and the block; the rest of the trace repeats the block."""
    rounds = [(vector(r["z"]), r["y"]) for r in GOLDEN[name]["trace"]]
    head, block = rounds[: case.head], rounds[case.head : case.head + case.block]
    for k, point in enumerate(rounds[case.head :]):
        assert point == block[k % case.block], "the trace does not repeat its block"
    return head + block


def same(value: Any, expected: Any, exact: bool) -> bool:
    """Exact numbers agree exactly where the arithmetic is exact, all others to 1e-9."""
    if exact and isinstance(expected, Fraction):
        return Fraction(value) == expected
    return abs(float(value) - float(expected)) <= 1e-9 * (1 + abs(float(expected)))


def agrees(round_: oracle.Round, expected: dict[str, Any], exact: bool) -> bool:
    """Whether a round of a play is the round of the trace; a surrogate is compared if the play knows it."""
    pairs = [(round_.x, vector(expected["x"])), (round_.w, vector(expected["w"]))]
    if round_.surrogate is not None and expected["surrogate"] is not None:
        pairs.append((round_.surrogate, vector(expected["surrogate"])))
    numbers = all(len(a) == len(b) and all(same(v, e, exact) for v, e in zip(a, b, strict=True)) for a, b in pairs)
    return numbers and all(getattr(round_, key) == expected[key] for key in ("y", "moved", "pred", "mistake"))


def exact(name: str) -> bool:
    """Whether every operation of the entry is exact in float64: all but those with a square root in the step."""
    return "alg3" not in name


# Playing the product


def cost_of(alpha: Any) -> Any:
    if isinstance(alpha, list):
        return agents.WeightedL1Cost([float(v) for v in alpha])
    return agents.L2Cost(float(alpha))


def play_product(points: list[Any], case: Case, rounds: int, learner: Any = None) -> Iterator[oracle.Round]:
    """The game through the public interface, by the case's learner or another one."""
    learner = learner or case.learner()
    as_floats = [([float(v) for v in z], y) for z, y in points]
    population = agents.FixedSequence(as_floats[: case.head], as_floats[case.head :])
    env = StrategicClassificationEnv(population, cost_of(case.alpha), horizon=rounds)
    observation, _ = env.reset(seed=0)
    action, state = learner.predict(observation)
    for t in range(rounds):
        observation, reward, terminated, truncated, info = env.step(action)
        assert (terminated, truncated) == (False, t == rounds - 1)
        action, state = learner.predict(observation, state)
        weights = [*state.weights[0], state.intercept[0]] if case.bias else list(state.weights[0])
        prediction, label = int(observation["prediction"][0]), int(observation["label"][0])
        assert reward == -float(prediction != label)
        assert bool(info["mistake"]) == (prediction != label)
        yield oracle.Round(list(info["true_features"]), label, list(observation["features"]), bool(info["moved"]),
                           prediction, bool(info["mistake"]), None, weights)  # fmt: skip


def trace_of_product(name: str, case: Case) -> list[oracle.Round]:
    return list(play_product(points_of(name, case), case, len(GOLDEN[name]["trace"])))


def trace_of_oracle(name: str, case: Case, arithmetic: oracle.Arithmetic, ties_move: bool = True) -> list[oracle.Round]:
    points, rounds = points_of(name, case), len(GOLDEN[name]["trace"])
    order = [*range(case.head), *(case.head + k % case.block for k in range(rounds - case.head))]
    alpha = case.alpha
    cost = (
        oracle.WeightedL1(arithmetic.vector(alpha), arithmetic)
        if isinstance(alpha, list)
        else oracle.L2(arithmetic.number(alpha), arithmetic)
    )
    return oracle.play(points, order, cost, case.reference(arithmetic), ties_move)


def check(name: str, trace: list[oracle.Round], exact_here: bool) -> None:
    entry = GOLDEN[name]
    for t, (round_, expected) in enumerate(zip(trace, entry["trace"], strict=True)):
        assert agrees(round_, expected, exact_here), f"round {t}: {round_} is not {expected}"
    if "mistakes" in entry:
        assert sum(r.mistake for r in trace) == entry["mistakes"]
    if "sweeps" in entry:
        assert len(trace) == 3 * entry["sweeps"] and not any(r.mistake for r in trace[-3:])
        assert all(same(v, number(e), exact_here) for v, e in zip(trace[-1].w, entry["w"], strict=True))


def test_every_entry_is_accounted_for() -> None:
    assert set(GOLDEN) == CASES.keys() | TIES_STAY.keys() | ELSEWHERE


@pytest.mark.parametrize("name", CASES)
def test_the_product_plays_the_trace(name: str) -> None:
    check(name, trace_of_product(name, CASES[name]), exact(name))


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("arithmetic", [oracle.EXACT, oracle.FLOAT64], ids=["exact", "float64"])
def test_the_oracle_plays_the_trace(name: str, arithmetic: oracle.Arithmetic) -> None:
    check(name, trace_of_oracle(name, CASES[name], arithmetic), arithmetic is oracle.EXACT or exact(name))


@pytest.mark.parametrize("name", TIES_STAY)
def test_the_opposite_tie_rule_gives_another_game(name: str) -> None:
    check(name, trace_of_oracle(name, TIES_STAY[name], oracle.EXACT, ties_move=False), True)
    pairs = zip(trace_of_product(name, TIES_STAY[name]), GOLDEN[name]["trace"], strict=True)
    assert not all(agrees(round_, expected, False) for round_, expected in pairs), "the product lets ties stay"


def test_example_2_cycles_only_because_ties_move() -> None:
    name, entry = "example2_alg1_bias", GOLDEN["example2_if_ties_stay"]
    trace = trace_of_oracle(name, CASES[name], oracle.EXACT, ties_move=False)
    assert sum(r.mistake for r in trace) == entry["mistakes"] == 1
    assert trace[-1].w == vector(entry["w"])
    assert sum(r.mistake for r in trace_of_product(name, CASES[name])) == 12


def test_example_2_costs_algorithm_2_one_mistake_per_pass() -> None:
    name = "example2_alg2_without_bias"
    trace = play_product(points_of(name, CASES[name]), CASES[name], 15)
    assert sum(r.mistake for r in trace) == GOLDEN[name]["mistakes_in_5_passes"]


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("example1_alg1_l2", learners.StrategicPerceptronL2(0.5)),
        ("example1_alg1_l1", learners.StrategicPerceptronL1([0.6, 0.0], RADIUS)),
        ("example2_alg1_bias", None),
        ("example3_alg2", None),
    ],
)
def test_ten_thousand_rounds(name: str, remedy: Any) -> None:
    """The example's learner errs for ever; where there is a remedy, it stops."""
    case, points = CASES[name], points_of(name, CASES[name])
    assert sum(r.mistake for r in islice(play_product(points, case, 10_000), 5_000, None)) >= 5_000 // 4
    if remedy is not None:
        assert not any(r.mistake for r in islice(play_product(points, case, 10_000, remedy), 5_000, None))


# Claims about one classifier


def errors(points: list[Any], classifier: list[float], alpha: float) -> list[int]:
    """Indices of the points on which a fixed classifier errs."""
    rounds = len(points)
    env = StrategicClassificationEnv(agents.FixedSequence(points, points), agents.L2Cost(alpha), horizon=rounds)
    env.reset(seed=0)
    return [t for t in range(rounds) if env.step(np.array(classifier))[4]["mistake"]]


def test_example_1_has_a_perfect_classifier() -> None:
    entry = GOLDEN["example1_claim_w_1_half"]
    points = [([float(v) for v in z], y) for z, y in EXAMPLE_1.values()]
    assert errors(points, [1.0, 0.5, 0.0], 0.5) == entry["errors"]
    far = agents.L2Cost(1e3)  # everybody moves, so that costs are distances
    for (z, _), square in zip(points, entry["distances_sq"], strict=True):
        report = far.best_response(np.array(z), np.array([1.0, 0.5, 0.0]))
        assert same((1e3 * far.cost(np.array(z), report)) ** 2, number(square), False)


def test_example_3_by_hand() -> None:
    entry = GOLDEN["example3_w_1_0"]
    points = [([float(v) for v in z], y) for z, y in GOLDEN["example3_alg2"]["points"]]
    assert errors(points, [1.0, 0.0, 0.0], 0.0) == entry["errors_threshold_0_truthful"]
    assert errors(points, [0.125, 0.0, -0.625], 5.0) == entry["errors_threshold_alpha_strategic"]
    assert errors(points, [1.0, 0.0, 0.0], 5.0) == entry["errors_threshold_0_strategic"]


# Margins and bounds

LECTURE = [([1, 0], 1), ([1, 1], -1), ([0, 1], -1)]
MARGIN_TASK = [([3, 1], 1), ([1, 2], 1), ([-1, -1], -1), ([0, -2], -1)]
X5 = ([4, -3], 1)
W_A, W_B = [1, 1], [1, 2]
BEST = {  # entry: its points, and where the entry is
    "lecture_hand_task_margin": (LECTURE, GOLDEN["lecture_hand_task_margin"]),
    "lecture_margin_task": (MARGIN_TASK, GOLDEN["lecture_margin_task"]),
    "lecture_margin_task with x5": ([*MARGIN_TASK, X5], GOLDEN["lecture_margin_task"]["with_x5"]),
    "example1_margin": (list(EXAMPLE_1.values()), GOLDEN["example1_margin"]),
}


def arrays(points: list[Any]) -> tuple[Any, Any]:
    return np.array([[float(v) for v in z] for z, _ in points]), np.array([y for _, y in points], dtype=np.float64)


@pytest.mark.parametrize("name", BEST)
def test_the_best_margin(name: str) -> None:
    points, entry = BEST[name]
    features, labels = arrays(points)
    assert np.max(np.sum(features**2, axis=1)) == number(entry["R2"])
    classifier = margins.max_margin(features, labels, bias=False)
    assert classifier is not None
    direction = np.array(vector(entry["best_direction"]), dtype=np.float64)  # of any length
    np.testing.assert_allclose(classifier, [*direction / np.linalg.norm(direction), 0.0], atol=1e-9)
    best = margins.margin(classifier[:-1], 0.0, features, labels)
    assert same(best**2, number(entry["best_rho2"]), False)
    if "wstar_norm2" in entry:
        assert same(best**-2, number(entry["wstar_norm2"]), False)
    if "best_bound" in entry:
        assert same(bounds.novikoff(5.0, best), number(entry["best_bound"]), False)


def test_margins_and_novikoff_of_the_lecture() -> None:
    hand, task = GOLDEN["lecture_hand_task_margin"], GOLDEN["lecture_margin_task"]
    with_x5, all_points = task["with_x5"], [*MARGIN_TASK, X5]
    for points, w, square, bound in [
        (LECTURE, [1, -2], hand["rho2_of_w"], hand["bound"]),
        (MARGIN_TASK, W_A, task["rho2_wA"], task["bound_wA"]),
        (MARGIN_TASK, W_B, task["rho2_wB"], task["bound_wB"]),
        (all_points, W_A, with_x5["rho2_wA"], with_x5["bound_wA"]),
    ]:
        features, labels = arrays(points)
        margin = margins.margin(w, 0.0, features, labels)
        assert same(margin**2, number(square), False)
        radius = np.max(np.linalg.norm(features, axis=1))
        assert same(bounds.novikoff(float(radius), margin), number(bound), False)
    assert not with_x5["wB_separates"]
    assert margins.margin(W_B, 0.0, *arrays(all_points)) < 0
    mini = GOLDEN["lecture_distances"]["mini"]
    for case in [*mini, GOLDEN["lecture_distances"]["multiple_choice"]]:
        assert same(margins.margin(case["w"], 0.0, *arrays([(case["x"], case["y"])])), number(case["distance"]), False)
    together = arrays([(case["x"], case["y"]) for case in mini])
    assert same(margins.margin([3, 4], 0.0, *together), number(GOLDEN["lecture_distances"]["mini_margin"]), False)


def test_theorem_1_on_example_1() -> None:
    entry, margin = GOLDEN["example1_alg2_bound"], math.sqrt(1 / 17)
    assert same(bounds.strategic_l2(RADIUS, margin, 0.5, printed=True), entry["paper"], False)
    assert same(bounds.strategic_l2(RADIUS, margin, 0.5), number(entry["tight"]), False)
