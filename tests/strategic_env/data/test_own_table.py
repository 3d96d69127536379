"""A table of one's own becomes a scenario: by column names, with its coding shown and its orientation checked."""

import logging
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow
import pytest
from command_line import command
from sklearn.datasets import load_breast_cancer

from strategic_env import evaluate, from_table
from strategic_env.games.strategic import own_table

PEOPLE: dict[str, list[Any]] = {
    "savings": [1, 3, 2, 5, 4, 7],
    "age": [30, 25, 40, 35, 60, 50],
    "purpose": ["car", "car", "trip", "house", "trip", "house"],
    "sex": ["f", "m", "f", "m", "f", "m"],
    "repaid": [0, 0, 0, 1, 1, 1],
}
NUMBERS = {name: PEOPLE[name] for name in ("savings", "age", "repaid")}


@pytest.fixture(autouse=True)
def _nothing_was_said_before() -> None:
    own_table._once.cache_clear()


def test_a_frame_a_table_of_pyarrow_a_dict_and_a_file_are_the_same_scenario(tmp_path: Path) -> None:
    frame = pd.DataFrame(NUMBERS)
    frame.to_csv(tmp_path / "lending.csv", index=False)
    tables = [frame, pyarrow.table(NUMBERS), NUMBERS, str(tmp_path / "lending.csv"), tmp_path / "lending.csv"]
    found = [from_table(table, label="repaid", alpha={"savings": 0.5, "age": 0}, orient=[]) for table in tables]
    for one in found:
        population: Any = one.setting.population
        assert population.names == ("savings", "age")
        np.testing.assert_array_equal(population.features, found[0].setting.population.features)  # type: ignore[attr-defined]
        np.testing.assert_array_equal(population.labels, [-1.0, -1.0, -1.0, 1.0, 1.0, 1.0])
        assert one.knowledge["alpha"] == [0.5, 0.0] and one.horizon == 6
    assert [one.name for one in found] == ["table", "table", "table", "lending", "lending"]


@pytest.mark.parametrize("positive", [1, "1", 1.0, True, np.int64(1)])
@pytest.mark.parametrize("entries", [[0, 1, 1], [0.0, 1.0, 1.0], ["0", "1", "1"], [False, True, True]])
def test_the_positive_entry_may_be_a_number_or_a_text(positive: object, entries: list[object]) -> None:
    found = from_table({"a": [1, 2, 4], "y": entries}, label="y", positive=positive, alpha=0.1)
    assert found.setting.population.labels.tolist() == [-1.0, 1.0, 1.0]  # type: ignore[attr-defined]


def test_columns_without_a_reach_cannot_move_which_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            found = from_table(NUMBERS, label="repaid", alpha={"savings": 0.5})
    assert found.setting.budgets().tolist() == [[0.5, 0.0]]
    assert [record.getMessage() for record in caplog.records] == ["cannot move, as alpha does not name them: age"]


def test_text_is_coded_on_request_by_share_or_in_a_given_order_and_the_coding_is_shown() -> None:
    found = from_table(PEOPLE, label="repaid", alpha=0.2, code="purpose", groups="sex")
    assert found.options["code"] == {"purpose": ["car", "trip", "house"]}  # 0 of 2, 1 of 2, 2 of 2
    assert found.setting.population.names == ("savings", "age", "purpose")  # type: ignore[attr-defined]
    codes = found.setting.population.features[:, 2]  # type: ignore[attr-defined]
    assert np.unique(codes).size == 3 and codes[0] < codes[2] < codes[3]
    order = ["house", "trip", "car"]
    found = from_table(PEOPLE, label="repaid", alpha=0.2, code={"purpose": order}, drop="sex", orient=[])
    assert found.options["code"] == {"purpose": order}
    codes = found.setting.population.features[:, 2]  # type: ignore[attr-defined]
    assert codes[0] > codes[2] > codes[3]


def test_a_breast_cancer_column_that_points_the_wrong_way_is_named_and_turned() -> None:
    frame = load_breast_cancer(as_frame=True).frame
    with pytest.warns(UserWarning, match="in mean texture, mean area, .* smaller seems better .*orient='auto'"):
        as_they_come = from_table(frame, label="target", alpha=0.3)
    turned = from_table(frame, label="target", alpha=0.3, orient="auto")
    assert turned.setting.population.names[:2] == ("mean radius", "-mean texture")  # type: ignore[attr-defined]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # nothing more to say
        named = from_table(frame, label="target", alpha=0.3, orient=[name for name in frame if name != "target"])
        from_table(frame, label="target", alpha=0.3, orient=[])
    wrong, auto, own = (evaluate(["biased-l1"], one, seeds=1).runs[0].mistakes for one in (as_they_come, turned, named))
    assert wrong > 300 and auto < 40 and own < 40


def test_l2_costs_have_no_orientation_to_check() -> None:
    found = from_table(NUMBERS | {"repaid": [1, 1, 1, 0, 0, 0]}, label="repaid", alpha=0.5, cost="l2")
    assert found.knowledge["cost"] == "l2" and found.knowledge["alpha"] == 0.5


def test_where_a_constant_rule_is_best_the_means_say_which_way_a_column_points() -> None:
    same = {"a": [1.0, 2.0] * 50, "y": [1, 0] * 5 + [1, 1] * 45}
    assert from_table(same, label="y", alpha=0.1, orient="auto").options["turned"] == ["a"]


@pytest.mark.parametrize(
    ("change", "arguments", "message"),
    [
        ({"age": [30, None, 40, 35, 60, 50]}, {}, "row 1, column 'age' must not be missing, got None"),
        ({"age": [30, float("nan"), 40, 35, 60, 50]}, {}, "row 1, column 'age' must not be missing, got nan"),
        ({"repaid": [0, 0, None, 1, 1, 1]}, {}, "row 2, column 'repaid' must not be missing"),
        ({"age": [30, "old", 40, 35, 60, 50]}, {}, r"row 1, column 'age' must be a finite number, got 'old'; code="),
        ({"age": [30, 10**400, 40, 35, 60, 50]}, {}, "row 1, column 'age' must be a finite number"),
        ({"age": [3] * 6}, {}, "got a constant column 'age'"),
        ({"age": [3] * 5}, {}, "columns of one length"),
        ({"repaid": [2] * 6}, {}, "positive must be one of the entries of 'repaid'.*: '2'; got 1"),
        ({"repaid": [1] * 6}, {}, "of which there must be others, too"),
        ({}, {"label": "paid"}, "label must name columns of savings, age, repaid, got 'paid'"),
        ({}, {"alpha": {"saving": 0.1}}, "alpha must name columns of .* did you mean 'savings'?"),
        ({}, {"alpha": {"savings": -0.1}}, "alpha of 'savings' must be at least 0"),
        ({}, {"alpha": {"repaid": 0.1}}, "alpha must name columns of savings, age, got 'repaid'"),
        ({}, {"alpha": {"age": 0.1}, "cost": "l2"}, "alpha must be one number for l2 costs"),
        ({}, {"cost": "l3"}, "cost must be one of 'l1', 'l2', got 'l3'"),
        ({}, {"drop": "sex"}, "drop must name columns of"),
        ({}, {"orient": ["old"]}, "orient must name columns of savings, age, got 'old'"),
        ({}, {"drop": ["age", "savings"]}, "the table must have a column besides the label"),
        ({"age": list("abcdef")}, {"code": {"age": list("abcde")}}, "row 5, column 'age' must be one of .*, got 'f'"),
    ],
)
def test_what_does_not_fit_is_one_line_with_row_and_column(
    change: dict[str, Any], arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises((ValueError, TypeError), match=message) as caught:
        from_table(NUMBERS | change, **{"label": "repaid", "alpha": 0.1, "orient": []} | arguments)
    assert "\n" not in str(caught.value)


def test_a_missing_entry_of_a_frame_or_file_is_named(tmp_path: Path) -> None:
    frame = pd.DataFrame(NUMBERS).astype("Int64")
    frame.loc[3, "age"] = pd.NA
    with pytest.raises(ValueError, match="row 3, column 'age' must not be missing, got <NA>"):
        from_table(frame, label="repaid", alpha=0.1)
    (tmp_path / "a.csv").write_text("age,repaid\n\n30,1\n,0\n")
    with pytest.raises(ValueError, match="a.csv, line 4, column 'age' must not be missing, got ''"):
        from_table(tmp_path / "a.csv", label="repaid", alpha=0.1)
    with pytest.raises(TypeError, match="table must be the path of a CSV file, a frame of pandas"):
        from_table([1, 2], label="repaid", alpha=0.1)


def test_a_column_of_many_categories_is_not_coded_by_its_labels() -> None:
    names = {"who": [f"person {number}" for number in range(40)], "y": [0, 1] * 20}
    with pytest.raises(ValueError, match="code must name columns of at most 30 categories, got 40 in 'who'"):
        from_table(names, label="y", alpha=0.1, code="who")


def test_pictures_of_two_features_show_the_columns() -> None:
    from strategic_env.games.strategic.rendering.scene import scene_of

    assert scene_of(from_table(NUMBERS, label="repaid", alpha=0.1).setting, None, None).frame.names == (
        "savings",
        "age",
    )


def test_a_table_meets_learners_on_the_command_line(tmp_path: Path) -> None:
    pd.DataFrame(PEOPLE).to_csv(tmp_path / "lending.csv", index=False)
    arguments = ("run", "lending.csv", "--label", "repaid", "--alpha", "savings=0.5", "--groups", "sex")
    code = ("--set", "code=purpose")
    told = command(*arguments, *code, "--learner", "biased-l1", "--seeds", "2", folder=tmp_path)
    assert told.returncode == 0, told.stderr
    assert "cannot move, as alpha does not name them: age, purpose" in told.stderr
    assert 'lending, label="repaid", alpha={"savings": 0.5}' in " ".join(told.stdout.split())
    assert "biased-l1" in told.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("a.csv",), "a table needs --label COLUMN"),
        (("KnownL2", "--label", "y"), "--label and --alpha are for a table"),
        (
            ("a.csv", "--label", "y", "--alpha", "b"),
            "--alpha must read COLUMN=REACH, or REACH for every column, got 'b'",
        ),
        (("a.csv", "--label", "y", "--alpha", "b=1", "--alpha", "b=2"), "--alpha must name a column once"),
        (("a.csv", "--label", "y", "--set", "label=y"), "label must be given as --label"),
        (("a.csv", "--label", "y", "--set", "dim=3"), "a.csv has no option 'dim'"),
        (("a.csv", "--label", "y"), "No such file"),
    ],
)
def test_wrong_usage_with_a_table_is_one_line(arguments: tuple[str, ...], message: str, tmp_path: Path) -> None:
    from strategic_env.bench.arguments import parse_settings
    from strategic_env.cli.choices import chosen_scenario

    name, *rest = arguments
    given: dict[str, list[str]] = {"--label": [], "--alpha": [], "--set": []}
    for option, value in zip(rest[::2], rest[1::2], strict=True):
        given[option].append(value)
    with pytest.raises((ValueError, OSError), match=message):
        chosen_scenario(
            name if name == "KnownL2" else str(tmp_path / name),
            parse_settings(given["--set"]),
            next(iter(given["--label"]), None),
            given["--alpha"],
            None,
            lambda text: None,
        )


@pytest.mark.parametrize("name", ["", 0, []])
def test_a_name_is_a_text(name: object) -> None:
    with pytest.raises(TypeError, match="name must be a text that is not empty"):
        from_table(pd.DataFrame(NUMBERS), label="repaid", alpha=0.5, name=name)  # type: ignore[arg-type]


def test_a_category_that_is_named_is_not_missing_whatever_it_is_called() -> None:
    table = {"repaid": [0, 1, 0, 1], "savings": [1.0, 2.0, 0.5, 3.0], "job": ["none", "full", "none", "full"]}
    with pytest.raises(ValueError, match="row 0, column 'job' must not be missing, got 'none'"):
        from_table(table, label="repaid", alpha=0.5, code="job")
    made = from_table(table, label="repaid", alpha=0.5, code={"job": ["none", "full"]})
    assert made.options["code"] == {"job": ["none", "full"]}
