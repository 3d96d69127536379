"""Every run of the two perceptron papers, round by round, against the product and the oracle."""

import math
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import oracle
import pytest
from golden import CLAIMED, GOLDEN, NUMBERS, Entry, agrees, claims, difference, number, vector

import agents
import learners
from agents.boundary import FLOAT64_EPS
from agents.costs import steepest
from learners import bounds
from learners.separators import margins
from learners.strategic.passes import steps
from learners.strategic.surrogates import write_surrogate
from strategic_env import StrategicClassificationEnv

HALF, ALPHAS = Fraction(1, 2), [Fraction(3, 5), Fraction(0)]
RADIUS = math.sqrt(1.25)  # of Example 1
ORDERS = ("ABC", "ACB", "BAC", "BCA", "CAB", "CBA")
Row = dict[str, Any]  # one round, with the keys of a trace


class Case(NamedTuple):
    """How an entry is played: ``head`` points, then ``block`` points for ever; alpha says which cost it is."""

    head: int
    block: int
    alpha: Fraction | list[Fraction]
    learner: Callable[..., Any]
    reference: Callable[..., oracle.Learner] | None
    bias: bool = False
    fake: tuple[float, ...] = ()  # coordinates that the product is given in addition


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
    "example2_alg3_fake_coordinate_literal": Case(
        0, 3, [HALF, HALF], lambda: learners.BiasedL1(0.5, 1.0, literal=True), None, bias=True
    ),
    # A pair of fake coordinates stands for an intercept of either sign; nobody can move them.
    "example2_alg3_fake_coordinate_two": Case(
        0, 3, [HALF, HALF], lambda: learners.StrategicPerceptronL1([0.5, 0.5, 0.0, 0.0], 2.0), None, fake=(1.0, -1.0)
    ),
    "example3_alg2": strategic_l2(1, 4, Fraction(5)),
    **{f"example1_alg2_{order}_ties_move": strategic_l2(0, 3, HALF) for order in ORDERS},
    **{
        f"example1_alg3_{form}_{name}": strategic_l1(alpha, RADIUS)
        for form in ("raw", "second_coordinate_flipped")
        for name, alpha in (("3d5_0", ALPHAS), ("1d2_1d2", [HALF, HALF]))
    },
}
WITH_REFERENCE = [name for name, case in CASES.items() if case.reference]
TIES_STAY = {
    "example1_alg1_l2_if_ties_stay": perceptron(1, 2, HALF),
    **{f"example1_alg2_{order}_ties_stay": strategic_l2(0, 3, HALF) for order in ORDERS},
}


def points_of(name: str, case: Case) -> list[tuple[list[Any], int]]:
    """The head and the block; the rest of the trace repeats the block."""
    rounds = [(vector(r["z"]), r["y"]) for r in GOLDEN[name]["trace"]]
    head, block = rounds[: case.head], rounds[case.head : case.head + case.block]
    for k, point in enumerate(rounds[case.head :]):
        assert point == block[k % case.block], "the trace does not repeat its block"
    return head + block


def rounds_of(name: str, case: Case) -> int:
    """How long an entry is played: some say more than their trace shows."""
    entry = GOLDEN[name]
    passes = 5 if "mistakes_in_5_passes" in entry else entry.get("sweeps", 0)
    return max(len(entry["trace"]), case.block * passes)


def exact(name: str) -> bool:
    """Whether every operation of the entry is exact in float64: all but those with a square root in the step."""
    return "alg3" not in name


# Playing the product


def cost_of(case: Case) -> Any:
    if isinstance(case.alpha, list):
        return agents.WeightedL1Cost([*(float(v) for v in case.alpha), *(0.0 for _ in case.fake)])
    return agents.L2Cost(float(case.alpha))


def play_product(points: list[Any], case: Case, rounds: int, learner: Any = None) -> Iterator[Row]:
    """The game through the public interface, by the case's learner or another one."""
    learner = learner or case.learner()
    as_floats = [([*(float(v) for v in z), *case.fake], y) for z, y in points]
    population, cost = agents.FixedSequence(as_floats[: case.head], as_floats[case.head :]), cost_of(case)
    env = StrategicClassificationEnv(population, cost, horizon=rounds)
    observation, _ = env.reset(seed=0)
    action, state = learner.predict(observation)
    for t in range(rounds):
        before = np.append(state.weights[0], state.intercept[0] if case.bias else [])
        observation, reward, terminated, truncated, info = env.step(action)
        assert (terminated, truncated) == (False, t == rounds - 1)
        action, state = learner.predict(observation, state)
        prediction, label = int(observation["prediction"][0]), int(observation["label"][0])
        assert reward == -float(prediction != label)
        assert bool(info["mistake"]) == (prediction != label)
        z, x = info["true_features"], observation["features"]
        after = np.append(state.weights[0], state.intercept[0] if case.bias else [])
        point = np.append(x, np.ones(int(case.bias)))
        row = {
            "z": z[:2], "y": label, "x": x[:2], "moved": bool(info["moved"]), "pred": prediction,
            "mistake": bool(info["mistake"]), "score": label * float(before @ point), "surrogate": None, "w": after,
            "i": None, "eta": None,
        }  # fmt: skip
        alpha = cost.budgets(len(x))[0]
        if row["mistake"]:
            row["surrogate"] = point
            if not isinstance(learner, learners.Perceptron):
                write_surrogate(cost.norm, observation["classifier"], x, label, alpha, FLOAT64_EPS, point[: len(x)])
        if isinstance(learner, learners.StrategicPerceptronL1):
            row |= tie_break(before, after, label * point, alpha, row["mistake"])
        yield row


def tie_break(before: Any, after: Any, added: Any, alpha: Any, mistake: bool) -> Row:
    """Along which coordinate individuals moved, and the step that made the new one unique."""
    step = (after - np.maximum(before + added, 0.0))[: len(alpha)].max() if mistake else None
    return {"i": steepest(before[: len(alpha)], alpha) if before.any() else None, "eta": step}


def play_oracle(name: str, case: Case, arithmetic: oracle.Arithmetic, ties_move: bool = True) -> list[Row]:
    """The same by the oracle, which does not tell steps."""
    assert case.reference is not None
    order = [*range(case.head), *(case.head + k % case.block for k in range(rounds_of(name, case) - case.head))]
    alpha = case.alpha
    cost = (
        oracle.WeightedL1(arithmetic.vector(alpha), arithmetic)
        if isinstance(alpha, list)
        else oracle.L2(arithmetic.number(alpha), arithmetic)
    )
    trace = oracle.play(points_of(name, case), order, cost, case.reference(arithmetic), ties_move)
    rows, before = [], arithmetic.vector([0] * len(trace[0].w))
    for round_ in trace:
        point = [*round_.x, *([1] if case.bias else [])]
        rows.append(round_._asdict() | {"score": round_.y * oracle.dot_eight_lanes(before, point)})
        before = round_.w
    return rows


# Comparing


def check(entry: Entry, case: Case, rows: list[Row], exact_here: bool, untold: Iterable[str] = ()) -> None:
    """Compare the trace, round by round, and what the entry says of the whole run."""
    swept, trace = "sweeps" in entry, entry["trace"]
    assert len(rows) == rounds_of(entry.name, case)
    for k, (row, expected) in enumerate(zip(rows, trace, strict=False)):
        place = {"t": k % case.block, "sweep": k // case.block + 1} if swept else {"t": k}
        told = {key: value for key, value in expected.items() if key not in untold}
        assert not (wrong := difference(row | place, told, exact_here)), f"round {k}: {wrong}"
    mistakes = [row["mistake"] for row in rows]
    for key in entry.keys() & {"mistakes", "updates", "mistakes_in_5_passes"}:
        assert sum(mistakes) == entry[key]
    if swept:
        sweeps = [any(mistakes[k : k + case.block]) for k in range(0, len(rows), case.block)]
        assert len(sweeps) == entry["sweeps"] and all(sweeps[:-1]), "it does not stop before the first clean sweep"
        assert not sweeps[-1] == (entry["converged"] if "converged" in entry else True)
        assert agrees(rows[-1]["w"], entry["w"], exact_here)
    for key in entry.keys() & {"alpha", "alphas"}:
        assert case.alpha == (vector(entry[key]) if key == "alphas" else number(entry[key]))
    if "points" in entry:
        assert points_of(entry.name, case) == [(vector(z), y) for z, y in entry["points"]]


@claims(*CASES)
def test_the_product_plays_the_trace(entry: Entry) -> None:
    case, points = CASES[entry.name], points_of(entry.name, CASES[entry.name])
    check(entry, case, list(play_product(points, case, rounds_of(entry.name, case))), exact(entry.name))
    if "assumption_w_star_nonneg" in entry:
        best = margins.max_margin([[float(v) for v in z] for z, _ in points], [y for _, y in points], bias=False)
        assert best is not None and (best >= -1e-9).all() == entry["assumption_w_star_nonneg"]


@pytest.mark.parametrize("name", WITH_REFERENCE)
@pytest.mark.parametrize("arithmetic", [oracle.EXACT, oracle.FLOAT64], ids=["exact", "float64"])
def test_the_oracle_plays_the_trace(name: str, arithmetic: oracle.Arithmetic) -> None:
    rows = play_oracle(name, CASES[name], arithmetic)
    check(Entry(name), CASES[name], rows, arithmetic is oracle.EXACT or exact(name), ("i", "eta"))


@claims(*TIES_STAY)
def test_the_opposite_tie_rule_gives_another_game(entry: Entry) -> None:
    case = TIES_STAY[entry.name]
    check(entry, case, play_oracle(entry.name, case, oracle.EXACT, ties_move=False), True)
    rows = play_product(points_of(entry.name, case), case, len(entry["trace"]))
    told = [{key: expected[key] for key in ("x", "moved", "pred", "w")} for expected in entry["trace"]]
    assert any(difference(row, expected, False) for row, expected in zip(rows, told, strict=True)), "ties stay"


@claims("example2_if_ties_stay")
def test_example_2_cycles_only_because_ties_move(entry: Entry) -> None:
    name = "example2_alg1_bias"
    trace = play_oracle(name, CASES[name], oracle.EXACT, ties_move=False)
    assert sum(row["mistake"] for row in trace) == entry["mistakes"] == 1
    assert trace[-1]["w"] == vector(entry["w"])
    assert GOLDEN[name]["mistakes"] == 12


# The lecture's perceptrons, by sweeps until one changes nothing


def play_sweeps(learner: Any, points: list[Any]) -> list[Row]:
    """Train to the first clean sweep; ``mistake`` stands for an update."""
    rows: list[Row] = []
    features, labels = np.array([z for z, _ in points], dtype=np.float64), [y for _, y in points]
    before = np.zeros(features.shape[1])
    for step, _ in islice(steps(learner, features, labels), 1000):
        z, y = features[step.point], labels[step.point]
        rows.append({
            "z": z, "y": y, "x": step.report, "moved": bool((step.report != z).any()), "pred": int(step.prediction),
            "mistake": step.updated, "score": y * float(before @ step.report),
            "surrogate": step.report if step.updated else None, "w": step.weights,
        })  # fmt: skip
        before = step.weights
        if step.point == len(points) - 1 and not any(row["mistake"] for row in rows[-len(points) :]):
            return rows
    raise AssertionError("no sweep is clean")


def lecture(alpha: Fraction = Fraction(0)) -> Case:
    return Case(0, 3, alpha, learners.Perceptron, None)


LECTURE = GOLDEN["lecture_hand_task"]["points"]


@claims("lecture_hand_task")
def test_the_lectures_perceptron_by_hand(entry: Entry) -> None:
    check(entry, lecture(), play_sweeps(learners.Perceptron(ties="lecture"), entry["points"]), True)


@claims("lecture_eta_2", "lecture_eta_5", "lecture_eta_1/3")
def test_the_learning_rate_only_stretches_the_weights(entry: Entry) -> None:
    rate = number(entry["eta"])
    rows = play_sweeps(learners.Perceptron(ties="lecture", learning_rate=float(rate)), LECTURE)
    assert [row["mistake"] for row in rows] == entry["mistake_pattern"]
    assert sum(row["mistake"] for row in rows) == entry["mistakes"]
    assert agrees(rows[-1]["w"], entry["w"], rate.denominator == 1)
    assert vector(entry["w"]) == [rate * v for v in vector(GOLDEN["lecture_hand_task"]["w"])]


@claims(*(f"lecture_data_margin_perceptron_rho0_{rho0}" for rho0 in ("1/2", "1", "3")))
def test_the_margin_perceptron_stops_with_its_margin(entry: Entry) -> None:
    threshold = float(number(entry["rho0"]))
    rows = play_sweeps(learners.MarginPerceptron(threshold), LECTURE)
    check(entry, lecture(), rows, True)
    assert min(row["score"] for row in rows[-3:]) >= threshold
    sample = GOLDEN["lecture_hand_task_margin"]
    radius, margin = (math.sqrt(number(sample[key])) for key in ("R2", "best_rho2"))
    assert agrees(bounds.margin_perceptron(radius, margin, threshold), entry["bound"], False)


# Algorithm 5


@claims("example2_alg5_distance", "example2_alg5_literal", "example2_alg5_coarse")
def test_example_2_is_solved_by_algorithm_5(entry: Entry) -> None:
    """The printed step, gamma/2 of a segment of length 2, is the coarse one: gamma on the segment."""
    told = tuple(float(number(entry[key])) for key in ("alpha", "R", "gamma"))
    learner = learners.BiasedL2(*told, literal=not entry.name.endswith("distance"))
    features, labels = [[-1.0, 0.0], [1.0, 0.0], [0.5, 0.0]], [-1, 1, -1]
    given_up: list[tuple[float, int]] = []
    updates = around = since_update = 0
    share = 0.0
    for step, state in islice(steps(learner, features, labels, agents.L2Cost(told[0])), 12_000):
        updates, since_update = updates + step.updated, 0 if step.updated else since_update + 1
        if state.guesses[0] > len(given_up):
            given_up.append((share, around + 1))
        around, share = int(state.guess_mistakes[0]), (state.origin[0, 0] + 1.0) / 2.0  # x- = -1 and x+ = 1
        if step.point == 2 and since_update >= 3:
            break
    assert given_up == [(float(number(lam)), count) for lam, count in entry["failed_guesses"]]
    assert (updates, step.sweep, True) == (entry["mistakes"], entry["sweeps"], entry["converged"])
    assert agrees(share, entry["final_lambda"], True)
    assert agrees(state.origin[0], entry["final_p"], True) and agrees(state.weights[0], entry["w"], True)
    alpha, radius, margin = told
    assert agrees(bounds.lemma_7(radius, margin, alpha, printed=True), entry["budget_per_guess"], False)
    assert agrees(bounds.biased_l2(radius, margin, alpha, printed=True), entry["bound_theorem4"], False)
    assert bounds.admits(bounds.biased_l2(radius, margin, alpha), updates)


# Longer runs


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
    late = islice(play_product(points, case, 10_000), 5_000, None)
    assert sum(row["mistake"] for row in late) >= 5_000 // 4
    if remedy is not None:
        late = islice(play_product(points, case, 10_000, remedy), 5_000, None)
        assert not any(row["mistake"] for row in late)


def test_every_run_is_claimed_by_exactly_one_test() -> None:
    assert sorted(CLAIMED[__name__]) == sorted(set(GOLDEN) - set(NUMBERS))
