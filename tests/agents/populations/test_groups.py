"""Who belongs to which group: members by a list, or whoever arrives by shares."""

from typing import Any

import numpy as np
import pytest

from agents import DataSet, FixedSequence, Groups, L2Cost, Separable, WeightedL1Cost
from agents.costs import least_cost
from agents.foundation import streams
from agents.populations.arrivals import ManyArrivals
from agents.populations.groups import fill_groups, group_of


def test_groups_of_members_are_told_by_their_entries() -> None:
    groups = Groups.of(["b", "a", "b"])
    assert groups.names == ("a", "b") and groups.shares is None
    assert groups.members is not None and groups.members.tolist() == [1, 0, 1]
    ordered = Groups.of([3, 1, 3], ["3", "1", "2"])
    assert ordered.members is not None and ordered.members.tolist() == [0, 1, 0]
    assert ordered.among(np.array([1, 2])).members.tolist() == [1, 0]  # type: ignore[union-attr]


def test_groups_cannot_be_changed_from_outside() -> None:
    groups = Groups.of(["b", "a", "b"])
    members, table = groups.members, groups.table()
    assert members is not None
    members[:] = 0
    table.members[:] = 0
    assert groups.members is not None and groups.members.tolist() == [1, 0, 1]
    with pytest.raises(AttributeError):
        groups.names = ("x", "y")


def test_drawn_groups_come_in_their_shares_whatever_the_learner_does() -> None:
    """One number of the stream of groups for each round, which no other stream shares."""
    table, key, rounds = Groups.drawn([0.2, 0.5, 0.3]).table(), streams.game_key(3), 4000
    found = np.array([group_of(table, key, round, 0) for round in range(rounds)])
    numbers = np.array([streams.scalar(key, streams.GROUP, round) for round in range(rounds)])
    assert (found == np.searchsorted([0.2, 0.7], numbers, side="right")).all()
    for group, share in enumerate([0.2, 0.5, 0.3]):
        assert abs(np.mean(found == group) - share) < 4 * np.sqrt(share * (1 - share) / rounds)


def test_a_share_of_zero_never_comes() -> None:
    table, key = Groups.drawn([0.0, 1.0, 0.0]).table(), streams.game_key(0)
    assert {group_of(table, key, round, 0) for round in range(500)} == {1}


def test_blocks_of_games_hold_the_groups_of_single_rounds() -> None:
    keys = np.array([streams.game_key(5, game) for game in range(3)])
    index = np.arange(24, dtype=np.int64).reshape(3, 8) % 4
    for groups in (Groups.drawn([0.5, 0.5]), Groups.of("abca")):
        found, table = np.full((3, 8), -1), groups.table()
        fill_groups(table, keys, np.array([0, 8, 3]), index, found)  # the last game's block is not over
        for game, first in enumerate([0, 8]):
            assert found[game].tolist() == [
                group_of(table, keys[game], first + k, int(index[game, k])) for k in range(8)
            ]
        assert (found[2] == -1).all()


def test_reaches_are_those_of_the_groups_in_every_block() -> None:
    groups = Groups.drawn([0.25, 0.75])
    population = Separable(dim=3, alpha_of_groups=(groups, [0.4, 0.1]))
    assert population.groups is groups and population.alpha == (0.1, 0.4)
    key = streams.game_key(1)
    arrivals = ManyArrivals(population.source(), 1, 16)
    arrivals.begin(np.array([0]), key[np.newaxis])
    for first in (0, 16):
        arrivals.fill(np.array([first]), 16)
        assert arrivals.budgets is not None
        found = arrivals.budgets[arrivals.index[0], 0]
        expected = [[0.4, 0.1][group_of(groups.table(), key, first + k, 0)] for k in range(16)]
        assert found.tolist() == expected and len(set(expected)) == 2


def test_groups_without_reaches_leave_everybody_as_they_are() -> None:
    plain = Separable(dim=2, pool=10)
    for groups in (Groups.drawn([0.5, 0.5]),):
        grouped = plain.grouped(groups)
        assert grouped.groups is groups and plain.groups is None
        one, other = (each.arrivals(streams.game_key(2)).points(50) for each in (plain, grouped))
        assert one[0].tobytes() == other[0].tobytes() and one[1].tobytes() == other[1].tobytes()


def test_the_least_cost_of_acceptance_goes_on_beyond_1() -> None:
    classifier, point = np.array([0.6, 0.8, -0.5]), np.array([0.2, 0.1])  # a gap of 0.3
    for cost, expected in (
        (L2Cost(0.5), 0.6),
        (L2Cost(0.15), 2.0),
        (L2Cost(0.0), np.inf),
        (WeightedL1Cost([0.6, 0.25]), 0.3 / 0.36),
        (WeightedL1Cost([0.0, 0.0]), np.inf),
    ):
        budget = cost.budgets(2)[0]
        assert least_cost(cost.norm, classifier, point, budget) == pytest.approx(expected)
        assert least_cost(cost.norm, classifier, np.array([1.0, 1.0]), budget) == 0.0


TWO = Groups.drawn([0.5, 0.5])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Groups(["a", "b"]), "groups must have either members or shares, got both or neither"),
        (lambda: Groups(["a", "b"], members=[0], shares=[1, 0]), "either members or shares"),
        (lambda: Groups("ab", members=[0]), "the groups' names must be a list of texts, got 'ab'"),
        (lambda: Groups(["a", 2], members=[0]), "texts of one line, got 2"),  # type: ignore[list-item]
        (lambda: Groups(["a", "b\n"], members=[0]), "texts of one line"),
        (lambda: Groups(["a"], members=[0]), "groups must be 2 to 30, none twice, got 'a'"),
        (lambda: Groups(["a", "a"], members=[0]), "groups must be 2 to 30, none twice"),
        (lambda: Groups(["a", "b"], members=[0, 2]), "the group of a member must be"),
        (lambda: Groups(["a", "b"], members=[0.5]), "the group of a member must be"),
        (lambda: Groups(["a", "b"], members=[]), "groups must hold the group of at least one member, got none"),
        (lambda: Groups.of(["a", "c"], ["a", "b"]), "the group of a member must be one of a, b, got c"),
        (lambda: Groups.of(range(31)), "groups must be 2 to 30"),
        (lambda: Groups.drawn([0.5, 0.6]), r"groups must have shares of at least 0 that sum to 1, got \[0.5, 0.6\]"),
        (lambda: Groups.drawn([1.5, -0.5]), "groups must have shares of at least 0 that sum to 1"),
        (lambda: Groups.drawn([np.nan, 1.0]), "groups must be finite"),
        (lambda: Groups.drawn("ab"), "groups must hold real numbers"),
        (lambda: Groups.drawn([1.0]), r"groups must be 2 to 30 shares that sum to 1, got \[1.0\]"),
        (lambda: Groups.drawn(0.5), "groups must be 2 to 30 shares that sum to 1, got 0.5"),
        (lambda: Groups.drawn(np.array(0.5)), "groups must be 2 to 30 shares that sum to 1"),
        (lambda: Groups.drawn([0.01] * 100), "groups must be 2 to 30 shares that sum to 1"),
        (lambda: Separable().grouped("sex"), "groups must be Groups, got 'sex'"),  # type: ignore[arg-type]
        (lambda: Separable().grouped(Groups.of("ab")), "the population's 0 members, or drawn by shares, got 2"),
        (lambda: DataSet([[0.0], [1.0]], [1, -1]).grouped(Groups.of("aba")), "the population's 2 members.*got 3"),
        (lambda: FixedSequence([], [((0.0,), 1)]).grouped(Groups.of("ab")), "the population's 1 members"),
        (lambda: Separable(alpha_of_groups=(TWO, [0.3])), r"one reach for each of 2 groups, got \[0.3\]"),
        (lambda: Separable(alpha_of_groups=(TWO, [0.3, -0.1])), "alpha must be"),
        (lambda: Separable(alpha_of_groups=(TWO, [0.0, 0.0])), "alpha must be above 0 for some group, got zeros"),
        (lambda: Separable(alpha_of_groups=(Groups.of("ab"), [0.3, 0.1])), "groups that are drawn by shares"),
        (lambda: Separable(alpha_of_groups=(TWO, [0.3, 0.1]), pool=3), "alpha_of_groups leaves no alpha and no pool"),
        (lambda: Separable(alpha_of_groups=(TWO, [0.3, 0.1])).grouped(TWO), "groups must stay those whose reaches"),
    ],
)
def test_what_are_no_groups_is_refused(make: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message) as caught:
        make()
    assert "\n" not in str(caught.value)
