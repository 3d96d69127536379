"""What compiled code counts of each group, where groups are asked for: the class of the tally selects what is done."""

from collections.abc import Mapping, Sequence
from functools import singledispatch
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from agents.costs import Prepared, gap_and_reach, prepare
from agents.foundation.selection import INLINED, PLAIN, rule_of
from agents.foundation.typing import Float, Int
from agents.populations.groups import Groups
from agents.responses.answers import Answer
from strategic_env.games.shared.columns import Column

# What is counted of a group: people, then costs.
PEOPLE = (
    "arrivals", "accepted", "qualified", "unqualified", "false_positives", "false_negatives", "reachable",
    "unreachable",
)  # fmt: skip
COUNTED = (*PEOPLE, "total_burden", "total_paid")

# What tables show of each group.
GROUP_TABLE = (
    Column(
        "burden",
        "\nburden",
        ".3f",
        "burden: what acceptance takes at least, on average over label +1.",
        "total_burden",
        "reachable",
        "social_gap",
    ),
    Column(
        "paid",
        "all\npaid",
        ".3f",
        "all paid: cost paid, on average over everybody.",
        "total_paid",
        "arrivals",
        "manipulation_gap",
    ),
    Column(
        "acceptance",
        "\naccepted",
        ".1%",
        "accepted: share of everybody.",
        "accepted",
        "arrivals",
        "acceptance_gap",
    ),
    Column(
        "false_positive_rate",
        "\nFPR",
        ".1%",
        "FPR: share of label -1 that is accepted.",
        "false_positives",
        "unqualified",
        "false_positive_gap",
    ),
    Column(
        "false_negative_rate",
        "\nFNR",
        ".1%",
        "FNR: share of label +1 that is rejected.",
        "false_negatives",
        "qualified",
        "false_negative_gap",
    ),
    Column(
        "unreachable_share",
        "no\nway",
        ".1%",
        "no way: share of label +1 whom no cost gets accepted; burden leaves them out.",
        "unreachable",
        "qualified",
        "unreachable_gap",
    ),
)


def name_of(counted: str, group: str) -> str:
    """Return what a column of a run is called that counts something of one group."""
    return f"{counted}[{group}]"


class Ungrouped(NamedTuple):
    """Nobody asks for groups."""

    nothing: int = 0


class Grouped(NamedTuple):
    """What is counted of N games' groups.

    Attributes
    ----------
    cells : ndarray, shape (N, G, 8), int64
        Individuals, by whether they are accepted (4), qualified (2), and able to become accepted at some cost (1).
    costs : ndarray, shape (N, G, 2)
        The least costs of acceptance of the qualified who have one; and what all paid.
    """

    cells: Int
    costs: Float


GroupTally: TypeAlias = Ungrouped | Grouped


@singledispatch
def prepare_counting(tally: Any, norm: int, classifier: Float, budget: Float) -> Prepared:
    """Prepare what counting needs of a published classifier (d + 1,)."""
    raise NotImplementedError(f"no rule counts for a {type(tally).__name__}")


@singledispatch
def count_person(
    tally: Any,
    game: int,
    groups: Int,
    place: int,
    found: Answer,
    qualified: bool,
    measure: Prepared,
    classifier: Float,
    features: Float,
    budget: Float,
) -> None:
    """Count the individual at ``place`` of a block, whose groups are ``groups`` (B,), and who answered as ``found``."""
    raise NotImplementedError(f"no rule counts for a {type(tally).__name__}")


INLINED.update({prepare_counting, count_person})
PLAIN.update({prepare_counting, count_person})


@rule_of(Ungrouped, prepare_counting)
def _prepare_nothing(tally: Any, norm: int, classifier: Float, budget: Float) -> Prepared:
    return Prepared(0.0, 0.0, 0.0, -1)


@rule_of(Ungrouped, count_person)
def _count_nobody(
    tally: Any,
    game: int,
    groups: Int,
    place: int,
    found: Answer,
    qualified: bool,
    measure: Prepared,
    classifier: Float,
    features: Float,
    budget: Float,
) -> None:
    pass


@rule_of(Grouped, prepare_counting)
def _prepare(tally: Any, norm: int, classifier: Float, budget: Float) -> Prepared:
    return prepare(norm, classifier, budget)


@rule_of(Grouped, count_person)
def _count_member(
    tally: Any,
    game: int,
    groups: Int,
    place: int,
    found: Answer,
    qualified: bool,
    measure: Prepared,
    classifier: Float,
    features: Float,
    budget: Float,
) -> None:
    # Of a best response the compiler has both already.
    gap, reach = gap_and_reach(measure, classifier, features, budget)
    group, able = np.uint64(groups[np.uint64(place)]), (gap <= 0.0) | (reach > 0.0)
    tally.cells[game, group, (4 if found.accepted else 0) + (2 if qualified else 0) + (1 if able else 0)] += 1
    # Without a branch, which a processor could not foresee.
    least = (gap if (gap > 0.0) & qualified else 0.0) / (reach if reach > 0.0 else 1.0)
    tally.costs[game, group, 0] += least if able else 0.0
    tally.costs[game, group, 1] += found.cost


def tally_of(groups: Groups | None, games: int) -> GroupTally:
    """Return a tally of N games that has counted nobody."""
    if groups is None:
        return Ungrouped()
    number = len(groups.names)
    return Grouped(np.zeros((games, number, 8), dtype=np.int64), np.zeros((games, number, 2)))


def columns_of(groups: Groups | None, tally: GroupTally) -> dict[str, NDArray[Any]]:
    """Return what was counted, by column: arrays (N,)."""
    if groups is None or isinstance(tally, Ungrouped):
        return {}
    games = len(tally.cells)
    cells = tally.cells.reshape(games, -1, 2, 2, 2)  # group, accepted, qualified, able
    people = {
        "arrivals": cells.sum(axis=(2, 3, 4)),
        "accepted": cells[:, :, 1].sum(axis=(2, 3)),
        "qualified": cells[:, :, :, 1].sum(axis=(2, 3)),
        "unqualified": cells[:, :, :, 0].sum(axis=(2, 3)),
        "false_positives": cells[:, :, 1, 0].sum(axis=2),
        "false_negatives": cells[:, :, 0, 1].sum(axis=2),
        "reachable": cells[:, :, :, 1, 1].sum(axis=2),
        "unreachable": cells[:, :, :, 1, 0].sum(axis=2),
        "total_burden": tally.costs[:, :, 0],
        "total_paid": tally.costs[:, :, 1],
    }
    return {
        name_of(counted, group): people[counted][:, at] for at, group in enumerate(groups.names) for counted in COUNTED
    }


def counted_of(groups: Groups, info: Mapping[str, Any]) -> dict[str, float]:
    """Return what one round adds to the columns, from its full info."""
    label, group = info["true_label"] == 1.0, groups.names[info["group"]]
    accepted, least = label != bool(info["mistake"]), float(info["least_cost"])
    qualified = info.get("label_before", info["true_label"]) == 1.0
    able = least < np.inf
    counted: dict[str, float] = {
        "arrivals": True,
        "accepted": accepted,
        "qualified": qualified,
        "unqualified": not qualified,
        "false_positives": accepted and not qualified,
        "false_negatives": qualified and not accepted,
        "reachable": qualified and able,
        "unreachable": qualified and not able,
        "total_burden": least if qualified and able else 0.0,
        "total_paid": float(info["cost"]),
    }
    return {name_of(name, group): number for name, number in counted.items()}


def names_of(groups: Groups | None) -> tuple[str, ...]:
    """Return the names of all columns that groups add."""
    return () if groups is None else tuple(name_of(counted, group) for group in groups.names for counted in COUNTED)


def limits_of(groups: Sequence[str], *, at_most_one: bool) -> dict[str, dict[str, float]]:
    """Return how much there is of each column at most; ``at_most_one``: nobody pays more than acceptance is worth."""
    limits: dict[str, dict[str, float]] = {}
    for group in groups:
        for counted in PEOPLE:
            most = {} if counted == "arrivals" else {name_of("arrivals", group): 1.0}
            limits[name_of(counted, group)] = {"rounds": 1.0} | most
        limits[name_of("total_burden", group)] = {}
        limits[name_of("total_paid", group)] = {name_of("arrivals", group): 1.0} if at_most_one else {}
    return limits
