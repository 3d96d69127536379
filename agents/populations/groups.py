"""Who belongs to which group: members by a list, or anybody by shares that are drawn round by round."""

import math
from collections.abc import Sequence, Sized
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from agents.foundation import streams
from agents.foundation.checks import count, entries_of, finite_array, is_many, shown
from agents.foundation.compiled import inlined, loop
from agents.foundation.typing import Float, Int, Key
from agents.foundation.unchangeable import Unchangeable

# A column of more entries says who somebody is, not to which group they belong.
MOST_GROUPS = 30
# Shares that are written as decimals sum to 1 only nearly.
ROUNDING = 1e-9


class GroupTable(NamedTuple):
    """Who belongs to which group, for compiled code.

    Attributes
    ----------
    upto : ndarray, shape (G,)
        The shares summed up, the last one infinite.
    members : ndarray, shape (M,), int64
        The group of each row of features; without rows where groups are drawn.
    """

    upto: Float
    members: Int


@inlined
def share_of(upto: Float, number: float) -> int:
    """Return the group that a uniform ``number`` in [0, 1) falls to."""
    group = 0
    for k in range(upto.shape[0] - 1):  # without a branch, which a processor could not foresee
        group += number >= upto[k]
    return group


@inlined
def group_of(table: GroupTable, key: Key, round: int, row: int) -> int:
    """Return the group of the individual in ``row`` of the features who arrives in ``round``."""
    if table.members.shape[0] > 0:
        return int(table.members[row])
    return share_of(table.upto, streams.scalar(key, streams.GROUP, round))


@inlined
def fill_drawn(upto: Float, key: Key, first: int, groups: Int) -> None:
    """Fill ``groups`` (n,) of the rounds from ``first`` on, multiples of 4, as `group_of` draws them one by one."""
    for start in range(0, groups.shape[0], 4):
        bits = streams.philox(key, streams.GROUP, (first + start) // 4, 0)
        for word in range(4):
            groups[start + word] = share_of(upto, streams.unit(bits[word]))


@loop
def fill_groups(table: GroupTable, keys: Key, rounds: Int, index: Int, groups: Int) -> None:
    """Fill ``groups`` (N, n) of the games whose block of n rounds begins with the next one (`fill_games`).

    ``keys`` (N, 2), ``rounds`` (N,) and ``index`` (N, n) are those of the arrivals.
    """
    size, drawn = index.shape[1], table.members.shape[0] == 0
    for game in range(index.shape[0]):
        first = rounds[game]
        if first % size == 0 and drawn and size % 4 == 0:
            fill_drawn(table.upto, keys[game], first, groups[game])
        elif first % size == 0:
            for k in range(size):
                groups[game, k] = group_of(table, keys[game], first + k, index[game, k])


class Groups(Unchangeable):
    """A group for everybody, which nobody sees: results are told by it.

    Parameters
    ----------
    names : sequence of str
        Of the groups, 2 to 30.
    members : array_like of int, shape (M,), optional
        The group of each member of a population whose members are given.
    shares : array_like, shape (G,), optional
        Instead: the group of whoever arrives is drawn, each with such a probability; they sum to 1.

    Raises
    ------
    TypeError, ValueError
        If names are not texts of one line, or come twice; if neither or both of the others are given, a member's group
        is none of the names, or shares are negative or do not sum to 1.

    Examples
    --------
    >>> from agents import Groups, Separable
    >>> Groups.of(["older", "younger", "older"]).members.tolist()
    [0, 1, 0]
    >>> people = Separable(dim=2).grouped(Groups.drawn([0.25, 0.75]))
    >>> people.groups
    Groups(['0', '1'], shares=[0.25, 0.75])
    """

    def __init__(
        self, names: Sequence[str], *, members: ArrayLike | None = None, shares: ArrayLike | None = None
    ) -> None:
        self.names = _checked_names(names)
        if (members is None) == (shares is None):
            raise ValueError("groups must have either members or shares, got both or neither")
        self._members = np.empty(0, dtype=np.int64)
        self.shares: tuple[float, ...] | None = None
        if shares is not None:
            self.shares = _checked_shares(shares, len(self.names))
        elif members is not None:
            entries = entries_of("groups", np.asarray(members).tolist())
            self._members = np.array(
                [count("the group of a member", one, maximum=len(self.names) - 1) for one in entries], dtype=np.int64
            )
            if not len(self._members):
                raise ValueError("groups must hold the group of at least one member, got none")

    @classmethod
    def of(cls, entries: Sequence[object], names: Sequence[str] | None = None) -> Self:
        """Return groups of members by an entry of each, such as a column of a table; by default in sorted order."""
        texts = [str(entry) for entry in entries]
        chosen = sorted(set(texts)) if names is None else list(names)
        places = {name: place for place, name in enumerate(chosen)}
        if strange := sorted(set(texts) - set(places)):
            raise ValueError(f"the group of a member must be one of {', '.join(chosen)}, got {strange[0]}")
        return cls(chosen, members=[places[text] for text in texts])

    @classmethod
    def drawn(cls, shares: ArrayLike) -> Self:
        """Return groups that are called ``"0"``, ``"1"``, ... and drawn with these shares."""
        number = len(shares) if is_many(shares) and isinstance(shares, Sized) else 0
        if not 2 <= number <= MOST_GROUPS:
            raise ValueError(f"groups must be 2 to {MOST_GROUPS} shares that sum to 1, got {shown(shares)}")
        return cls([str(group) for group in range(number)], shares=shares)

    def __repr__(self) -> str:
        what = f"{len(self._members)} members" if self.shares is None else f"shares={list(self.shares)}"
        return f"Groups({list(self.names)}, {what})"

    @property
    def members(self) -> Int | None:
        """The group of each member (M,), in an array of the caller's own; None where groups are drawn."""
        return None if self.shares is not None else self._members.copy()

    def among(self, kept: Int) -> Self:
        """Return the groups of those members whose rows ``kept`` (m,) names; drawn groups as they are."""
        return self if self.shares is not None else type(self)(self.names, members=self._members[kept])

    def table(self) -> GroupTable:
        """Return what compiled code needs to know."""
        upto = np.cumsum(np.ones(len(self.names)) if self.shares is None else np.array(self.shares))
        upto[-1] = math.inf
        return GroupTable(upto, self._members.copy())


def _checked_names(names: Sequence[str]) -> tuple[str, ...]:
    if isinstance(names, str) or not is_many(names):
        raise TypeError(f"the groups' names must be a list of texts, got {shown(names)}")
    found = entries_of("groups", names)
    for name in found:
        if not isinstance(name, str) or not name.isprintable() or not name.strip():
            raise TypeError(f"the groups' names must be texts of one line, got {shown(name)}")
    if not 2 <= len(set(found)) == len(found) <= MOST_GROUPS:
        raise ValueError(f"groups must be 2 to {MOST_GROUPS}, none twice, got {shown(', '.join(found))}")
    return tuple(found)


def _checked_shares(shares: ArrayLike, groups: int) -> tuple[float, ...]:
    found = finite_array("groups", shares, (groups,))
    if (found < 0.0).any() or abs(found.sum() - 1.0) > ROUNDING:
        raise ValueError(f"groups must have shares of at least 0 that sum to 1, got {found.tolist()}")
    return tuple(found.tolist())
