"""What a sweep is asked for: grids, lists, ranges, and what is refused."""

from pathlib import Path
from typing import Any

import pytest

from strategic_env.sweep.grid import Entry, digest_of, read_grid, seeds_of

GRID: dict[str, Any] = {
    "rounds": 100,
    "seeds": 3,
    "scenarios": [
        {"name": "KnownL2", "set": {"radius": 2.0}, "grid": {"dim": [2, 5], "margin": [0.1, 0.2]}},
        "KnownL1",
    ],
    "learners": ["perceptron:bias=true", {"name": "strategic-perceptron-l2"}],
}


def test_a_grid_is_a_product_and_a_list_a_union() -> None:
    asked = read_grid(GRID)
    assert asked.scenarios == [
        Entry("KnownL2", {"radius": 2.0, "dim": 2, "margin": 0.1}),
        Entry("KnownL2", {"radius": 2.0, "dim": 2, "margin": 0.2}),
        Entry("KnownL2", {"radius": 2.0, "dim": 5, "margin": 0.1}),
        Entry("KnownL2", {"radius": 2.0, "dim": 5, "margin": 0.2}),
        Entry("KnownL1", {}),
    ]
    assert asked.learners == [Entry("perceptron", {"bias": True}), Entry("strategic-perceptron-l2", {})]
    assert (asked.rounds, asked.seeds, asked.checkpoints) == (100, [0, 1, 2], [])


def test_a_file_says_the_same_as_a_mapping(tmp_path: Path) -> None:
    file = tmp_path / "grid.yaml"
    file.write_text(
        "rounds: 100\nseeds: 3\nscenarios:\n"
        "  - {name: KnownL2, set: {radius: 2.0}, grid: {dim: [2, 5], margin: [0.1, 0.2]}}\n"
        "  - KnownL1\nlearners: ['perceptron:bias=true', {name: strategic-perceptron-l2}]\n",
        encoding="utf-8",
    )
    assert read_grid(file) == read_grid(GRID)


@pytest.mark.parametrize(
    ("seeds", "numbers"),
    [
        (2, [0, 1]),
        ([7, 3], [3, 7]),
        ("5-7", [5, 6, 7]),
        ("9, 0-1", [0, 1, 9]),
        ("4", [0, 1, 2, 3]),
        ("4,", [4]),
        (range(2, 4), [2, 3]),
    ],
)
def test_seeds_are_a_number_a_list_or_ranges_with_both_ends(seeds: object, numbers: list[int]) -> None:
    assert seeds_of(seeds) == numbers


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"round": 5}, "a sweep has no key 'round'; .*did you mean 'rounds'"),
        ({"rounds": 0}, "rounds must be at least 1, got 0"),
        ({"rounds": 1.5}, "rounds must be an integer, got 1.5"),
        ({"seeds": "3-1"}, "seeds must be a number, or which \\(5-9, or 0,3,7-9\\), got '3-1'"),
        ({"seeds": "-1"}, "seeds must be a number, or which \\(5-9, or 0,3,7-9\\), got '-1'"),
        ({"seeds": []}, "seeds must hold at least one seed and none twice, got \\[\\]"),
        ({"seeds": [1, 1]}, "seeds must hold at least one seed and none twice"),
        ({"seeds": [2**64]}, "seeds must be at most 18446744073709551615"),
        ({"checkpoints": 5}, "checkpoints must be a list of rounds, got 5"),
        ({"scenarios": "KnownL2"}, "scenarios must be a list with at least one entry, got 'KnownL2'"),
        ({"learners": []}, "learners must be a list with at least one entry"),
        ({"learners": [3]}, "each of learners must be a name, or have one under 'name', got 3"),
        (
            {"scenarios": [{"name": "KnownL2", "sets": {}}]},
            "KnownL2 of scenarios has no key 'sets'; .*did you mean 'set'",
        ),
        (
            {"scenarios": [{"name": "KnownL2", "grid": {"dim": 5}}]},
            "grid of KnownL2 must list the values of dim, got 5",
        ),
        ({"scenarios": [{"name": "KnownL2", "grid": {"dim": []}}]}, "grid of KnownL2 must list the values of dim"),
        (
            {"scenarios": [{"name": "KnownL2", "set": {"dim": 2}, "grid": {"dim": [5]}}]},
            "an option of KnownL2 must be given once, got 'dim' in set and in grid",
        ),
    ],
)
def test_what_is_wrong_is_named(change: dict[str, object], message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        read_grid(GRID | change)


def test_what_is_missing_is_named() -> None:
    with pytest.raises(ValueError, match="a sweep needs seeds, scenarios"):
        read_grid({"learners": ["perceptron"]})


@pytest.mark.parametrize("content", ["- a\n- b\n", "3", "a: [", ""])
def test_files_that_hold_no_grid_are_named(tmp_path: Path, content: str) -> None:
    file = tmp_path / "grid.yaml"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(ValueError, match="grid.yaml must"):
        read_grid(file)


def test_digests_ignore_the_order_of_keys() -> None:
    assert digest_of({"a": 1, "b": [2.0, None]}) == digest_of({"b": [2.0, None], "a": 1})
    assert digest_of({"a": 1}) != digest_of({"a": 2})
