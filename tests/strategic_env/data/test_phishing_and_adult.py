"""Two more tables of real data: their coding and their documentation."""

import re
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

import strategic_env
from agents.populations.finite import standardised
from learners.separators.separable import separable_rows
from strategic_env.data.adult import ADULT
from strategic_env.data.coded import CodedTable, Column
from strategic_env.data.phishing import PHISHING

PAGE = (Path(__file__).parents[3] / "docs" / "phishing_and_adult.md").read_text(encoding="utf-8")
TABLES = pytest.mark.parametrize("table", [PHISHING, ADULT], ids=lambda table: table.file)
DIGESTS = {
    "phishing.csv": "306c7ce96cfe6405e1dad07e755ae387f1bd7f6ae37fdd62c485e2957c103a3c",
    "adult_sample.csv.gz": "4ccd0877771a0f76e538b8cfda509190f8e44c1a6c4a481ffdf55604225ffa44",
}
SHAPES = {"phishing.csv": (1250, 9, 548), "adult_sample.csv.gz": (4000, 9, 1013)}


@TABLES
def test_the_file_is_the_one_that_was_given(table: CodedTable) -> None:
    content = files("strategic_env").joinpath(f"data/{table.file}").read_bytes()
    assert sha256(content).hexdigest() == DIGESTS[table.file]


@TABLES
def test_counts(table: CodedTable) -> None:
    data = table.load()
    assert (*data.features.shape, np.count_nonzero(data.labels == 1)) == SHAPES[table.file]
    assert set(data.labels) == {-1.0, 1.0}
    assert np.isfinite(data.features).all() and (data.features.std(axis=0) > 0).all()


@TABLES
def test_larger_is_better(table: CodedTable) -> None:
    data = table.load()
    for name, codes in zip(data.names, data.features.T, strict=True):
        assert np.corrcoef(codes, data.labels)[0, 1] > 0.0, name


def test_first_rows_by_hand() -> None:
    # No sign of phishing but a long address of digits on a young domain, and some visitors.
    assert PHISHING.load().features[0].tolist() == [0, 0, 0, 0, 0, 0.5, -1, -1, -1]
    # 28 years, private, 13 years of school, married, professional, no gains or losses, 40 hours, not from the US.
    assert ADULT.load().features[0].tolist() == [28, 1, 13, 1, 4, 0, 0, 40, 0]


def test_no_feature_tells_sex_race_or_relationship() -> None:
    assert not {"sex", "race", "relationship"} & set(ADULT.load().names)


@TABLES
def test_page_holds_the_generated_table(table: CodedTable) -> None:
    assert table.coding_table() in PAGE


@TABLES
def test_separable_rows_are_those_of_the_page(table: CodedTable) -> None:
    data = table.load()
    title = {"phishing.csv": "## Phishing", "adult_sample.csv.gz": "## Adult"}[table.file]
    section = PAGE.partition(title)[2].partition("\n## ")[0]
    printed = re.findall(r"^\| (\d\.\d) \| (\d+) \| (\d+) \| (\d+) \|$", section, re.MULTILINE)
    assert len(printed) >= 2
    for margin, *counts in printed:
        keep = separable_rows(standardised(data.features), data.labels, float(margin)).keep
        assert [int(count) for count in counts] == [keep.sum(), *((data.labels[keep] == y).sum() for y in (1, -1))]


def test_sites_that_look_alike_carry_both_labels_as_the_page_says() -> None:
    data = PHISHING.load()
    kinds, index = np.unique(data.features, axis=0, return_inverse=True)
    honest = np.bincount(index, data.labels > 0, len(kinds))
    total = np.bincount(index, minlength=len(kinds))
    mixed = (honest > 0) & (honest < total)
    errors = int(np.minimum(honest, total - honest).sum())
    assert (
        f"Only {len(kinds)} rows differ, and {mixed.sum()} of these carry\nboth labels ({total[mixed].sum()} sites)"
        in PAGE
    )
    assert f"errs on at least {errors} of" in PAGE


@pytest.mark.slow
def test_mistakes_are_those_of_the_page() -> None:
    rows = re.findall(r"^\| `(.+)` \| ([\d,.]+) \| ([\d,.]+) \|$", PAGE, re.MULTILINE)
    assert len(rows) == 5
    for at, name in enumerate(("Phishing", "Adult"), start=1):
        results = strategic_env.evaluate([row[0] for row in rows], name, seeds=10, rounds=5000)
        means = np.reshape([run.mistakes for run in results.runs], (len(rows), 10)).mean(axis=1)
        for row, mean in zip(rows, means, strict=True):
            assert row[at] == (f"{mean:,.0f}" if mean >= 1000.0 else f"{mean:,.1f}"), (name, row[0])


def test_others_are_everybody_whom_no_level_names_and_logarithms_need_numbers_from_0_on() -> None:
    assert ADULT.columns[-1].encode("Atlantis", 2) == 0.0
    assert ADULT.columns[-1].encode("United-States", 2) == 1.0
    gain = Column("gain", 0.0, "", logarithm=True)
    assert gain.encode("99", 2) == 2.0
    with pytest.raises(ValueError, match="gain on line 7 must be at least 0, got '-1'"):
        gain.encode("-1", 7)


@pytest.mark.parametrize("name", ["Phishing", "Adult"])
def test_the_scenarios_play_and_show_a_bound_where_rows_are_separable(name: str) -> None:
    plain = strategic_env.scenario(name)
    assert plain.knowledge["alpha"] == strategic_env.scenario(name, separable=True).knowledge["alpha"]
    assert plain.truth is None
    truth = strategic_env.scenario(name, separable=True).truth
    assert truth is not None and truth.margin >= 0.1 * (1 - 1e-9) and truth.nonnegative
    with pytest.raises(ValueError, match="margin needs separable=True"):
        strategic_env.scenario(name, margin=0.2)
