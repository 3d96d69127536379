"""What the page shows, without a page: setups, runs, worksheets, facts, links, files of points."""

import json
import math
import sys
from dataclasses import replace

import pytest
from command_line import command, with_a_fault
from hypothesis import given
from hypothesis import strategies as st

from agents import L2Cost, WeightedL1Cost
from learners import (
    BiasedL2,
    MarginPerceptron,
    Perceptron,
    SecondOrderStrategicPerceptron,
    StrategicMaxMargin,
    StrategicPerceptronL1,
    StrategicPerceptronL2,
    UnknownCostL1Single,
    UnknownCostL2,
)
from learners.strategic.assumptions import assumptions
from strategic_env import RecordedGame, Scenario, explorer
from strategic_env.explorer.examples import FIRST, NAMES, example, from_scenario
from strategic_env.explorer.facts import Facts, sentence
from strategic_env.explorer.points import points_from, points_to
from strategic_env.explorer.session import MOST_ROUNDS, Session
from strategic_env.explorer.setup import LEARNERS, MOST_POINTS, RESPONSES, Setup
from strategic_env.explorer.share import DAMAGED, pack, unpack
from strategic_env.explorer.words import fraction, root, vector
from strategic_env.explorer.worksheet import Worksheet
from strategic_env.games.strategic.builders import ORDERS

EXAMPLE_1 = ([[-1.0, 0.0], [0.0, -1.0], [-0.5, -1.0]], [-1, 1, -1])


def until_clean(session: Session, most: int = 2_000) -> Session:
    while not session.clean and session.shown < most:
        session.step()
    return session


def test_the_hand_task_ends_as_the_lecture_says() -> None:
    session = until_clean(Session(example(FIRST)))
    facts = {fact.name: fact.value for fact in (*Facts(session).of_run(), *Facts(session).of_points())}
    assert facts["mistakes"] == "5" and facts["sweep"] == "4" and facts["bound R²/ρ²"] == "10"
    assert facts["R"] == "√2 ≈ 1.4142" and facts["best margin ρ"] == "1/√5 ≈ 0.4472"
    assert sentence(session) == "Sweep 4 is clean: 5 mistakes, w = (1, -2)."
    assert not [line for line in Facts(session).proof() if line[0] != "✓"]


def test_the_worksheet_of_the_hand_task_is_the_lectures() -> None:
    worksheet = Worksheet(until_clean(Session(example(FIRST))))
    lines = worksheet.lines()
    assert worksheet.headings == ["sweep", "point", "y⟨w, x⟩", "mistake?", "w after"]
    assert lines[:2] == [["1", "x1", "0", "yes", "(1, 0)"], ["1", "x2", "-1", "yes", "(0, -1)"]]
    assert lines[6] == ["3", "x1", "0", "yes", "(1, -2)"]
    assert [line[2:4] for line in lines[-3:]] == [["1", "no"], ["1", "no"], ["2", "no"]]


def test_a_worksheet_of_moving_people_says_what_they_did() -> None:
    session = Session(example("Paper: Example 1"))
    for _ in range(3):
        session.step()
    worksheet = Worksheet(session)
    line = dict(zip(worksheet.headings, worksheet.lines()[-1], strict=True))
    assert line["true point"] == "(-1/2, -1)" and line["reported"] == "(0, -1)" and line["moved?"] == "yes"
    assert line["surrogate"] == "(0, -1)"  # the Perceptron takes it at face value


def test_a_worksheet_as_csv_holds_numbers_and_as_latex_formulas() -> None:
    session = Session(replace(example(FIRST), points=((0.75, 0.0, 1.0),)))
    session.step()
    worksheet = Worksheet(session)
    assert worksheet.to_csv().splitlines() == ["sweep,point,product,mistake,w1,w2", "1,1,0.0,1,0.75,0.0"]
    assert r"$1$ & $x_{1}$ & $0$ & yes & $(\frac{3}{4}, 0)$ \\" in worksheet.to_latex().splitlines()
    assert worksheet.to_markdown().splitlines()[-1] == "| 1 | x1 | 0 | yes | (3/4, 0) |"


def test_example_1_cycles_under_the_perceptron_and_stops_under_algorithm_2() -> None:
    setup = example("Paper: Example 1")
    cycling = until_clean(Session(replace(setup, learner="perceptron")), 300)
    stopping = until_clean(Session(replace(setup, learner="strategic-l2")), 300)
    assert not cycling.clean and cycling.tally.mistakes == 299
    assert stopping.clean and stopping.tally.mistakes == 1


def test_going_back_is_a_cursor_in_the_record() -> None:
    session = Session(example(FIRST))
    for _ in range(4):
        session.step()
    seen = [session.last]
    session.back()
    assert session.tally.mistakes == 2
    session.step()
    assert session.last is seen[0] and len(session.game.rounds) == 4 and session.tally.mistakes == 3
    session.reset()
    session.back()
    assert session.last is None and session.shown == 0 and len(session.game.rounds) == 4


def test_a_run_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("strategic_env.explorer.session.MOST_ROUNDS", 7)
    session = Session(example("Paper: Example 1"))
    assert sum(session.step() for _ in range(10)) == 7 and session.at_limit and MOST_ROUNDS >= 10_000


@pytest.mark.parametrize("name", NAMES)
def test_every_example_plays_and_survives_its_link(name: str) -> None:
    setup = example(name)
    session = Session(setup)
    for _ in range(5):
        session.step()
    assert unpack(pack(setup)) == setup and Worksheet(session).lines() and Facts(session).proof()


@pytest.mark.parametrize("learner", LEARNERS)
def test_every_learner_plays_or_says_in_one_line_why_not(learner: str) -> None:
    for cost, alpha in (("l2", (0.5,)), ("l1", (0.5, 0.0))):
        setup = replace(example("Paper: Example 1"), learner=learner, cost=cost, alpha=alpha)
        try:
            session = until_clean(Session(setup), 30)
        except ValueError as error:
            assert "made for" in str(error) or "must be told" in str(error)
        else:
            assert session.shown


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("response", RESPONSES)
def test_every_order_and_response_plays(order: str, response: str) -> None:
    setup = replace(Setup(((-1.0, 0.0, -1.0), (1.0, 0.5, 1.0)), learner="strategic-l2"), alpha=(0.5,))
    session = Session(replace(setup, order=order, response=response))
    assert session.step() and {session.last.member} <= {0, 1}


def test_recorded_rounds_name_who_arrived_also_where_an_adversary_picks() -> None:
    scenario = Scenario.from_points(*EXAMPLE_1, L2Cost(0.5), order="adversary")
    game = RecordedGame(Perceptron(), scenario.setting)
    for _ in range(6):
        line = game.play()
        assert (scenario.setting.population.features[line.member] == line.round.true_features).all()


@pytest.mark.parametrize(
    ("learner", "cost", "first"),
    [
        (StrategicPerceptronL2(1.0), L2Cost(1.0), 0.5),  # moves to 1, is taken back by 1
        (
            StrategicPerceptronL2(0.75),
            L2Cost(1.0),
            -0.1,
        ),  # moves to 0.75, is taken back by 0.75
        (SecondOrderStrategicPerceptron(1.0), L2Cost(1.0), 0.5),
        (StrategicMaxMargin([1.0, 0.0], "l1"), WeightedL1Cost([1.0, 0.0]), 0.5),
        (UnknownCostL2(3.0, 0.5), L2Cost(1.0), -0.1),  # moves to 0: the first estimate is 0
        (Perceptron(), L2Cost(1.0), -0.1),
    ],
)
def test_a_surrogate_is_what_the_learner_takes_a_report_for(learner: object, cost: object, first: float) -> None:
    scenario = Scenario.from_points([[-2.0, 0.0], [first, -2.0]], [-1, -1], cost)
    game = RecordedGame(learner, scenario.setting)
    game.play()
    line = game.play()
    assert line.round.moved and line.surrogate == pytest.approx([0.0, -2.0], abs=1e-12)
    if isinstance(learner, StrategicPerceptronL2 | Perceptron):
        assert line.weights == pytest.approx(line.weights_before - line.surrogate)


def test_a_sweep_that_teaches_something_is_not_clean() -> None:
    session = until_clean(Session(replace(example(FIRST), learner="margin-perceptron")))
    assert session.clean and session.tally.updates > session.tally.mistakes
    assert not any(line.updated for line in session.rounds[-session.block :])


def test_the_estimate_of_a_search_is_told_with_its_phase() -> None:
    scenario = Scenario.from_points([[-1.0, 0.0]], [-1], L2Cost(1.0))
    game = RecordedGame(UnknownCostL2(radius=1.0, margin=1.0), scenario.setting)
    findings = [game.play().findings for _ in range(12)]
    assert findings[0]["phase"] == 1.0 and findings[0]["estimate"] == 0.0
    assert findings[-1]["phase"] == 2.0 and findings[-1]["estimate"] == 0.5


def test_points_make_a_scenario_with_radius_margin_and_truth() -> None:
    scenario = Scenario.from_points(*EXAMPLE_1, WeightedL1Cost([0.5, 0.0]), head=1)
    assert scenario.knowledge["direction"] == 0 and scenario.setting.population.head == 1
    assert scenario.truth is not None and scenario.truth.margin == pytest.approx(1 / math.sqrt(17))
    assert scenario.knowledge["margin"] == scenario.truth.margin and scenario.proved == scenario.truth
    assert UnknownCostL1Single.from_knowledge(scenario.knowledge).direction == 0


def test_inseparable_points_have_no_truth() -> None:
    scenario = Scenario.from_points([[1.0], [1.0]], [1, -1])
    assert scenario.truth is None and "margin" not in scenario.knowledge


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"head": 3}, "head must be at most 2, got 3"),
        ({"head": 1, "order": "shuffled"}, "head must be 0 unless order is 'listed', got 1"),
        ({"order": "sorted"}, "order must be one of 'listed', 'shuffled', 'adversary', got 'sorted'"),
    ],
)
def test_what_fits_no_points_is_refused(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Scenario.from_points(*EXAMPLE_1, **arguments)


def test_a_record_without_a_truth_or_a_theorem_watches_nothing() -> None:
    scenario = Scenario.from_points(*EXAMPLE_1, L2Cost(0.5))
    assert RecordedGame(Perceptron(), scenario.setting, scenario.proved).certificate is None
    assert RecordedGame(StrategicPerceptronL2(0.5), scenario.setting).certificate is None
    watched = RecordedGame(StrategicPerceptronL2(0.5), scenario.setting, scenario.proved)
    watched.play()
    assert watched.certificate is not None and watched.rounds[0].violation is None


def test_assumptions_that_fail_are_those_that_take_the_bound_away() -> None:
    truth = Scenario.from_points(*EXAMPLE_1, L2Cost(0.5)).truth
    assert truth is not None

    def failing(learner: object, **other: object) -> list[str]:
        return [one.sentence for one in assumptions(learner, truth._replace(**other)) if not one.holds]

    assert failing(Perceptron()) == failing(MarginPerceptron()) == ["nobody can move"]
    assert failing(StrategicPerceptronL2(0.5)) == []
    assert failing(StrategicPerceptronL2(0.9)) == ["everybody reaches as far as the learner was told"]
    assert failing(StrategicPerceptronL2(0.5), intercept=0.1) == [
        "a hyperplane through the origin separates the true points"
    ]
    assert failing(BiasedL2(0.5, 1.2, 0.9)) == ["the separator's margin is at least what the learner was told"]
    assert assumptions(SecondOrderStrategicPerceptron(0.5), truth) == []
    l1 = truth._replace(cost="l1", alpha=(0.5, 0.5), nonnegative=False)
    found = [one.sentence for one in assumptions(StrategicPerceptronL1([0.5, 0.5], 2.0), l1) if not one.holds]
    assert found == ["no weight of the separator is negative"]


@given(st.fractions(max_denominator=1000, min_value=-50, max_value=50))
def test_a_float_that_equals_a_fraction_is_shown_as_one(value: object) -> None:
    assert fraction(float(value)) == str(value)


def test_other_numbers_have_four_decimals() -> None:
    assert fraction(math.pi) == "3.1416" and fraction(0.1 + 0.2) == "0.3" and fraction(math.inf) == "∞"
    assert root(math.sqrt(5) / 2) == "√5/2 ≈ 1.118" and root(1234.5678) == "1234.5678" and root(0.0) == "0"
    assert vector([-0.0, 1 / 3], 0.5) == "(0, 1/3; 1/2)"


@given(st.data())
def test_a_link_that_was_changed_has_one_clear_message(data: st.DataObject) -> None:
    link = pack(example(FIRST))
    at = data.draw(st.integers(0, len(link) - 1))
    letter = data.draw(st.sampled_from([one for one in "AZaz09-_%é" if one != link[at]]))
    changed = link[:at] + letter + link[at + 1 :]
    try:
        assert unpack(changed) == example(FIRST)  # the last letter may hold bits that nobody reads
    except ValueError as error:
        assert str(error) == DAMAGED


@pytest.mark.parametrize(
    "entries",
    [
        {"points": [[1, 2]]}, {"points": [[1, 2, 3]]}, {"points": [[1e300, 0, 1]]}, {"points": "x"}, {"alpha": [-1]},
        {"learner": "os.system"}, {"bias": 1}, {"points": [[0, 0, 1]] * (MOST_POINTS + 1)}, {"more": 1}, [1],
        {"head": 2, "points": [[0, 0, 1]]}, {"alpha": [[1]]}, {"points": [[True, 0, 1]]},
    ],
)  # fmt: skip
def test_what_describes_no_setup_is_refused(entries: object) -> None:
    with pytest.raises((ValueError, TypeError)):
        Setup.from_json(json.dumps(entries))


def test_points_survive_their_file() -> None:
    points = ((1.0, 0.0, 1.0), (-0.1, 2.5e-3, -1.0))
    assert points_from(points_to(points).encode()) == points


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"x,y,label\n1,0,1\n", "line 1 must be x1,x2,label, got 'x,y,label'"),
        (b"x1,x2,label\n", "line 2 must hold the first point, got none"),
        (b"x1,x2,label\n1,0,1\n1,0\n", "line 3 must have 3 fields, got 2"),
        (b"x1,x2,label\n1,0,1\n\n1,zero,1\n", "line 4 must be three numbers, got '1,zero,1'"),
        (b"x1,x2,label\n1,nan,1\n", "line 2: x2 of the point must be finite, got nan"),
        (b"x1,x2,label\n1,0,0\n", "line 2: the label of the point must be -1 or \\+1, got 0.0"),
        (b"x1,x2,label\n" + b"1,0,1\n" * (MOST_POINTS + 1), f"line {MOST_POINTS + 2} is one point too many"),
        (b"\xff\xfe", "the file must be a CSV file in UTF-8"),
        (b"x" * 200_000, "the file must be at most 100,000 bytes"),
    ],
)
def test_a_bad_file_of_points_has_a_message_that_names_the_line(content: bytes, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        points_from(content)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("GermanCredit", "the explorer shows two features; GermanCredit has"),
        ("HeterogeneousL2", "reach equally far"),
        ("Bandit", "scenario must be one of"),
    ],
)
def test_scenarios_that_are_not_in_the_plane_are_refused(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        from_scenario(name)


def test_without_panel_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "panel", None)
    with pytest.raises(ImportError, match=r'explorer needs Panel and Bokeh: pip install "strategic-env\[explorer\]"'):
        explorer.view()


def test_the_command_without_panel_says_what_to_install_in_one_line() -> None:
    done = command("explore", program=with_a_fault("import sys; sys.modules['panel'] = None"))
    assert done.returncode == 2 and done.stdout == "" and done.stderr.count("\n") == 1
    assert 'pip install "strategic-env[explorer]"' in done.stderr
