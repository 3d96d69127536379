"""What results tell of groups: the same numbers in every form, what tables and files show, and what is refused."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from typer.testing import CliRunner

from agents import DataSet, FixedSequence, Groups, L2Cost, Noisy, Population, Separable
from agents.foundation.streams import game_key
from learners import ConstantClassifier, Perceptron
from learners.catalogue import learners_of
from strategic_env import Setting, evaluate, from_table, report, rollout, scenario
from strategic_env.bench.contestants import contestant
from strategic_env.cli.commands import app
from strategic_env.games.strategic.group_tally import COUNTED, name_of, names_of
from strategic_env.games.strategic.scenario import Scenario
from strategic_env.report.group_rows import by_group, gaps, of_everybody

GAMES, SEED = 2, 7


def told(one: Any, learner: Any) -> dict[str, Any]:
    """Play a vector environment and single ones; return infos (T, N) after comparing them bit for bit."""
    env, state, steps = one.make_vec(GAMES, info_level="full"), None, []
    seen, _ = env.reset(seed=SEED)
    for _ in range(one.horizon):
        action, state = learner.predict(seen, state)
        seen, *_, infos = env.step(action)
        steps.append(infos)
    names = ("group", "least_cost", "cost", "mistake", "true_label")
    found = {name: np.array([each[name] for each in steps]) for name in names}
    for game in range(GAMES):
        single, state = one.make(), None
        seen, _ = single.reset(seed=SEED, options={"game": game})
        for round in range(one.horizon):
            action, state = learner.predict(seen, state)
            seen, *_, info = single.step(action)
            for name in names:
                assert found[name][round, game] == info[name], (name, round, game)
    return found


def by_hand(groups: Groups, infos: dict[str, Any]) -> dict[str, Any]:
    """Count every group of games (T, N) in plain NumPy, round by round."""
    positive, least, paid = infos["true_label"] > 0, infos["least_cost"], infos["cost"]
    accepted = positive != infos["mistake"].astype(bool)
    counted = {}
    for at, group in enumerate(groups.names):
        here, able = infos["group"] == at, np.isfinite(least)
        sums = {
            "arrivals": here,
            "accepted": here & accepted,
            "qualified": here & positive,
            "unqualified": here & ~positive,
            "false_positives": here & accepted & ~positive,
            "false_negatives": here & ~accepted & positive,
            "reachable": here & positive & able,
            "unreachable": here & positive & ~able,
            "total_burden": np.where(here & positive & able, least, 0.0),
            "total_paid": np.where(here, paid, 0.0),
        }
        assert list(sums) == list(COUNTED)
        for name, rounds in sums.items():
            total = np.zeros(GAMES) if rounds.dtype == float else np.zeros(GAMES, dtype=np.int64)
            for one in rounds:  # in the order of the rounds
                total += one
            counted[name_of(name, group)] = total
    return counted


CASES: list[tuple[str, dict[str, Any], str]] = [
    ("GroupsL2", {"horizon": 200}, "margin-perceptron"),
    ("GroupsL2", {"horizon": 70, "dim": 10, "groups": [0.2, 0.3, 0.5], "alpha": [0.4, 0.0, 0.1]}, "perceptron"),
    ("Adult", {"horizon": 200, "groups": "race", "feedback": "apple_tasting"}, "biased-l1"),
    ("GermanCredit", {"horizon": 130, "groups": "age", "separable": True}, "biased-l1"),
    ("KnownL2", {"horizon": 70, "pool": 20, "groups": [0.5, 0.5], "noise": 0.2}, "strategic-perceptron-l2"),
    ("Example1", {"horizon": 64, "groups": [0.5, 0.5]}, "perceptron"),
    ("QuantalL2", {"horizon": 70, "groups": [0.5, 0.5]}, "perceptron"),
    ("Adult", {"horizon": 70, "groups": "sex", "response": "miss", "miss": [-0.05, 0.1]}, "biased-l1"),
]


@pytest.mark.parametrize(("name", "options", "learner"), CASES, ids=[case[0] for case in CASES])
def test_every_form_counts_the_same_of_each_group(name: str, options: dict[str, Any], learner: str) -> None:
    one = scenario(name, **options)
    groups = one.setting.groups
    assert groups is not None
    player = learners_of("strategic")[learner].from_knowledge(one.knowledge)
    infos = told(one, player)
    if "response" not in options and name != "QuantalL2":  # best responses pay the least cost, if it is at most 1
        paid = infos["cost"] > 0
        assert (infos["least_cost"][paid] == infos["cost"][paid]).all() and (infos["least_cost"][paid] <= 1).all()
    result, counted = rollout(player, one, GAMES, seed=SEED), by_hand(groups, infos)
    for column, expected in counted.items():
        found = result.columns[column]
        assert found.dtype == expected.dtype and found.tobytes() == expected.tobytes(), column
    # The groups' sums are the totals.
    for column, total in (("qualified", result.qualified), ("arrivals", np.full(GAMES, one.horizon))):
        assert (sum(result.columns[name_of(column, group)] for group in groups.names) == total).all()
    wrong = sum(
        result.columns[name_of(column, group)]
        for group in groups.names
        for column in ("false_positives", "false_negatives")
    )
    assert (wrong == result.mistakes).all() and result.mistakes.any()


@pytest.mark.parametrize("name", ["KnownL2", "GermanCredit"])
def test_groups_change_nothing_of_the_game(name: str) -> None:
    learner, options = Perceptron(), {"horizon": 300, "noise": 0.1}
    plain, grouped = scenario(name, **options), scenario(name, **options, groups=[0.3, 0.7])
    one, other = (rollout(learner, each, 2, checkpoints=[100, 300]) for each in (plain, grouped))
    assert one.curves.tobytes() == other.curves.tobytes()
    assert one.qualified_cost.tobytes() == other.qualified_cost.tobytes()
    assert (one.manipulations == other.manipulations).all()
    assert plain.knowledge == grouped.knowledge and set(other.columns) - set(one.columns) == set(
        names_of(grouped.setting.groups)
    )


def test_groups_are_those_of_members_whatever_threads_play_and_of_people_in_python() -> None:
    one = scenario("Adult", groups="sex", horizon=150)
    first, second = (rollout(Perceptron(), one, 5, threads=threads) for threads in (1, 2))
    assert all((first.columns[name] == second.columns[name]).all() for name in first.columns)
    setting = Setting(
        population=Separable(pool=10).grouped(Groups.drawn([0.5, 0.5])), cost=L2Cost(0.3), individual=Noisy(0.05)
    )
    noisy = Scenario("noisy", setting, 60, {}, None, {})
    infos = told(noisy, Perceptron())
    assert set(infos["group"].ravel()) == {0, 1}


# What the numbers are


def fixed(classifier: list[float], people: list[tuple[float, int, str, float]]) -> Any:
    """Return results of a fixed classifier [w, b] on one feature: people (z, label, group, alpha), each once."""
    members = FixedSequence([], [((z, 0.0), label) for z, label, _, _ in people])
    population = members.grouped(Groups.of([group for _, _, group, _ in people]))
    one = Scenario("hand", Setting(population=population, cost=L2Cost(people[0][3])), len(people), {}, None, {})
    learner = learners_of("strategic")["best-fixed-classifier"](classifier=np.array(classifier))
    return rollout(learner, one, 1)


def test_worked_example() -> None:
    """[1, 0, -.5]; group 0 of reach .5: .1+ and .4+; group 1 of reach .25: -.2- and .3+. Burdens .5 and .8."""
    first = fixed([1.0, 0.0, -0.5], [(0.1, 1, "0", 0.5), (0.4, 1, "0", 0.5), (9.0, 1, "1", 0.5)]).columns
    second = fixed([1.0, 0.0, -0.5], [(-0.2, -1, "1", 0.25), (0.3, 1, "1", 0.25), (9.0, 1, "0", 0.25)]).columns
    burden = [
        float(columns[f"total_burden[{group}]"][0] / columns[f"reachable[{group}]"][0])
        for group, columns in enumerate((first, second))
    ]
    paid = [
        float(columns[f"total_paid[{group}]"][0] / columns[f"arrivals[{group}]"][0])
        for group, columns in enumerate((first, second))
    ]
    assert burden == pytest.approx([0.5, 0.8]) and paid == pytest.approx([0.5, 0.4])


@pytest.mark.parametrize("cost", ["GroupsL2", "Adult"])
def test_a_higher_threshold_never_lowers_a_burden(cost: str) -> None:
    one = scenario(cost, horizon=400) if cost == "GroupsL2" else scenario(cost, groups="sex", horizon=400)
    rng, dim = np.random.default_rng(4), one.setting.dim
    make = learners_of("strategic")["best-fixed-classifier"]
    for _ in range(5):
        weights = rng.uniform(-0.5, 0.5, dim)
        burdens = []
        for bias in (0.5, 0.1, -0.1, -0.5, -1.0):
            columns = rollout(make(classifier=np.append(weights, bias)), one, 1).columns
            burdens.append([columns[f"total_burden[{group}]"][0] for group in one.groups])
        assert (np.diff(burdens, axis=0) >= 0.0).all()


# What tables and files show


@pytest.fixture(scope="module")
def results() -> Any:
    one = scenario("Adult", groups="sex", horizon=200)
    learners = [contestant(name, one) for name in ("best-fixed-classifier", "perceptron", "constant-classifier")]
    return evaluate(learners, one, seeds=2)


def printed(results: Any, **options: Any) -> str:
    file = io.StringIO()
    report.show(results, Console(file=file, width=100), **options)
    return file.getvalue()


def test_the_table_has_a_row_for_each_group_and_one_for_the_gap(results: Any) -> None:
    text = printed(results, groups=True)
    lines = [line.split() for line in text.splitlines()]
    names = [line[0] for line in lines if line and line[0] in ("Female", "Male", "gap")]
    assert names == ["Female", "Male", "gap"] * 3
    assert "burden: what acceptance takes at least, on average over label +1." in text
    assert "Female" not in printed(results)


def test_measures_are_the_quotients_of_the_counts_of_all_runs(results: Any) -> None:
    learner = results.contestants[1]
    runs, measured = results.of(learner), by_group(results, learner)
    assert list(measured) == ["Female", "Male"]
    for group, numbers in measured.items():
        for name, above, below in (
            ("burden", "total_burden", "reachable"),
            ("paid", "total_paid", "arrivals"),
            ("acceptance", "accepted", "arrivals"),
            ("false_positive_rate", "false_positives", "unqualified"),
            ("false_negative_rate", "false_negatives", "qualified"),
        ):
            expected = [sum(run.columns[f"{what}[{group}]"] for run in runs) for what in (above, below)]
            assert numbers[name] == expected[0] / expected[1]
    for name, gap in gaps(results, learner).items():
        values = [numbers[name] for numbers in measured.values()]
        assert gap == max(values) - min(values)
    everybody = of_everybody(results, learner)
    assert everybody["acceptance"] == pytest.approx(
        sum(run.columns[f"accepted[{group}]"] for run in runs for group in measured) / 400
    )


def test_files_tell_every_measure(results: Any, tmp_path: Path) -> None:
    report.save(results, tmp_path)
    with (tmp_path / "summary.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    told: Any = json.loads(json.dumps(report.to_json(results)))
    entries = {entry["learner"]: entry for entry in told["results"]}
    for row, learner in zip(rows, results.contestants, strict=True):
        measured, apart = by_group(results, learner), gaps(results, learner)
        entry = entries[learner.label]
        for name, value in [("burden[Male]", measured["Male"]["burden"]), ("social_gap", apart["burden"])]:
            assert float(row[name]) == entry[name] == value
    assert entry["total_burden[Male]"] == [run.columns["total_burden[Male]"] for run in results.of(learner)]


def test_nobody_to_measure_shows_as_missing() -> None:
    one = scenario("KnownL2", groups=[1.0, 0.0], horizon=50)
    some = evaluate(["constant-classifier"], one, seeds=1)
    learner = some.contestants[0]
    assert set(by_group(some, learner)["1"].values()) == {None} and set(gaps(some, learner).values()) == {None}
    assert "–" in printed(some, groups=True) or "-" in printed(some, groups=True)


def test_runs_of_groups_are_read_again(tmp_path: Path) -> None:
    command = ["run", "GermanCredit", "--groups", "age", "--rounds", "60", "--seeds", "1", "--learner", "perceptron"]
    first = CliRunner().invoke(app, [*command, "--out", str(tmp_path / "runs")])
    assert first.exit_code == 0, first.output
    assert "25 and younger" in first.output
    again = CliRunner().invoke(app, ["report", str(tmp_path / "runs"), "--groups"])
    assert again.exit_code == 0 and "25 and younger" in again.output
    plain = CliRunner().invoke(app, ["report", str(tmp_path / "runs")])
    assert plain.exit_code == 0 and "25 and younger" not in plain.output


def test_a_table_of_ones_own_has_groups(tmp_path: Path) -> None:
    rows = [(k % 5, (k * 7) % 3, "ab"[k % 2], int(k % 5 > 2)) for k in range(40)]
    path = tmp_path / "people.csv"
    path.write_text("u,v,who,y\n" + "\n".join(",".join(map(str, row)) for row in rows) + "\n", encoding="utf-8")
    one = from_table(path, label="y", alpha=0.2, groups="who")
    assert one.groups == ("a", "b") and one.setting.dim == 2
    columns = rollout(ConstantClassifier(), one, 1, 400).columns
    assert columns["arrivals[a]"][0] + columns["arrivals[b]"][0] == 400
    assert from_table(path, label="y", alpha=0.2, groups=[0.5, 0.5], drop="who").groups == ("0", "1")


# What is refused


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("Adult", {"groups": "age"}, "groups must be one of 'sex', 'race', got 'age'"),
        ("GermanCredit", {"groups": "sex"}, "groups must be one of 'age', got 'sex'"),
        ("KnownL2", {"groups": "sex"}, "groups must be shares that sum to 1 in KnownL2"),
        ("KnownL2", {"groups": [0.5, 0.4]}, r"groups must have shares of at least 0 that sum to 1, got \[0.5, 0.4\]"),
        ("KnownL2", {"groups": [1.0]}, "groups must be 2 to 30"),
        ("KnownL2", {"groups": 0.5}, "groups must"),
        ("GroupsL2", {"groups": "sex"}, "groups must"),
        ("GroupsL2", {"groups": None}, "groups must"),
        ("GroupsL2", {"groups": [0.5, 0.5], "alpha": [0.3]}, "one reach for each of 2 groups"),
        ("Example1", {"groups": True}, "groups must"),
    ],
)
def test_groups_that_a_scenario_has_not_are_refused(name: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message) as caught:
        scenario(name, **options)
    assert "\n" not in str(caught.value)


def test_members_of_a_population_of_ones_own_cannot_be_grouped() -> None:
    class Mine(Population):
        def __init__(self) -> None:
            inner = Separable()
            self.dim, self.radius, self.low, self.high = 2, 1.0, inner.low, inner.high
            self.margin, self.noise = None, 0.0
            self.groups = Groups.of("ab")

        def arrivals(self, key: Any, population_key: Any = None) -> Any:
            return Separable().arrivals(key, population_key)

    with pytest.raises(ValueError, match="the groups of a population of your own must be drawn by shares"):
        Setting(population=Mine(), cost=L2Cost(0.3))


def test_a_table_without_groups_shows_none() -> None:
    one = evaluate(["constant-classifier"], scenario("KnownL2", horizon=20), seeds=1)
    with pytest.raises(ValueError, match="results must be of a scenario with groups"):
        report.sheet(one, groups=True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "KnownL2", "--groups", "sex"], "groups must be shares that sum to 1 in KnownL2"),
        (["run", "Adult", "--groups", "sex", "--set", "groups=race"], "groups must be given as --groups"),
        (["run", "KnownL2", "--groups", "[0.5,0.6]"], "groups must have shares"),
    ],
)
def test_the_command_line_refuses_in_one_line(arguments: list[str], message: str) -> None:
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2 and message in result.output.replace("\n", " ")


def test_groups_are_drawn_by_a_stream_of_their_own() -> None:
    """So that they are those of any other scenario with the same seed."""
    first = told(scenario("KnownL2", groups=[0.5, 0.5], horizon=30), Perceptron())["group"]
    second = told(scenario("GroupsL2", horizon=30), Perceptron())["group"]
    assert (first == second).all()
    assert len(DataSet([[0.0], [1.0]], [1, -1]).arrivals(game_key(0)).points(3)[0]) == 3
