"""How individuals arrive, in a form for compiled code, and checks of a form that somebody else wrote."""

from typing import NamedTuple

import numpy as np

from agents.foundation.checks import LARGEST, LARGEST_COUNT, check_signs, count, flag, plain_array, shown
from agents.foundation.typing import Float, Key
from agents.populations.caps import NO_CAPS, Caps
from agents.populations.limits import Limits, check_budgets, check_features, check_span

IN_ORDER, AT_RANDOM, SHUFFLED, NEW = range(4)


class Source(NamedTuple):
    """How individuals arrive: all that compiled code needs to know of a population.

    Attributes
    ----------
    order : int
        How members arrive (`fill_members`), or ``NEW`` where everybody is a new individual.
    head : int
        See `fill_members`.
    size : int
        Number of members; 0 where everybody is new.
    noise : float
        Probability that a label is flipped.
    features : ndarray, shape (size, d)
        True features of the members; (0, d) where they are computed when they arrive, from the caps of a ball.
    labels : ndarray, shape (size,)
    budgets : ndarray, shape (size, 1)
        alpha of each member, where individuals differ; else without rows.
    caps : Caps
        See `agents.populations.caps`.
    nonnegative : bool
        Whether the direction of the caps has no negative coordinate.
    reaches : ndarray, shape (2,)
        The interval that individuals draw their alpha from; zeros where they do not differ.
    origin : ndarray, shape (1 or 0, 2), uint64
        The key that w* is drawn from; the game's own where there is none.
    tiers : ndarray, shape (2, G)
        Of new individuals whose reach is that of their group: the groups' shares summed up
        (`agents.populations.groups`), and their reaches; without columns elsewhere.
    """

    order: int
    head: int
    size: int
    noise: float
    features: Float
    labels: Float
    budgets: Float
    caps: Caps
    nonnegative: bool
    reaches: Float
    origin: Key
    tiers: Float = np.empty((2, 0))


def members(features: Float, labels: Float, order: int, head: int = 0, noise: float = 0.0) -> Source:
    """Return the source of a finite population: its ``features`` (M, d) and ``labels`` (M,)."""
    return Source(
        order, head, len(labels), noise, features, labels, np.empty((0, 1)),
        NO_CAPS, False, np.zeros(2), np.empty((0, 2), np.uint64),
    )  # fmt: skip


def check_source(source: Source) -> None:
    """Check that compiled code stays inside the arrays of a source.

    What the members are is not looked at (`check_members`): it takes time, and no number among them leads astray.

    Raises
    ------
    TypeError, ValueError
        If an attribute is not what `Source` says.
    """
    features = plain_array("the source's features", source.features, (None, None))
    rows, dim = features.shape
    if not dim:
        raise ValueError(f"the source's features must have at least one column, got shape {features.shape}")
    plain_array("the source's labels", source.labels, (rows,))
    least, largest = plain_array("the source's reaches", source.reaches, (2,)).tolist()
    if not 0.0 <= least <= largest <= LARGEST:
        raise ValueError(f"the source's reaches must be an interval from 0 to {LARGEST}, got {[least, largest]}")
    budgets = plain_array("the source's budgets", source.budgets, (rows if largest > 0.0 else 0, 1))
    for name, array in (("features", features), ("budgets", budgets)):
        if not array.flags.writeable:  # compiled code that computes individuals writes into arrays of this type
            raise ValueError(f"the source's {name} must be writeable (a copy is), got a read-only array")
    if len(plain_array("the source's origin", source.origin, (None, 2), np.uint64)) > 1:
        raise ValueError(f"the source's origin must have one row at most, got {len(source.origin)}")
    upto, group_reaches = plain_array("the source's tiers", source.tiers, (2, None))
    if source.tiers.shape[1] and not (
        upto[-1] == np.inf and ((least <= group_reaches) & (group_reaches <= largest)).all()
    ):
        raise ValueError(
            f"the source's tiers must end at infinity, with reaches within its own, got {shown(source.tiers)}"
        )
    if not isinstance(source.caps, Caps):
        raise TypeError(f"the source's caps must be Caps, got {shown(source.caps)}")
    order = count("the source's order", source.order, maximum=NEW)
    size = count("the source's size", source.size, minimum=0 if order == NEW else 1, maximum=LARGEST_COUNT)
    if order == NEW and rows + size:
        got = f"{max(rows, size)} of them"
        raise ValueError(f"the source's order must not be {NEW} (NEW) where it has members, got {got}")
    if rows and size != rows:
        raise ValueError(f"the source's size must be {rows}, as many as there are features, got {size}")
    count("the source's head", source.head, maximum=max(0, size - 1))


def check_members(source: Source, limits: Limits) -> None:
    """Check a source that passed `check_source` against what its population says, member by member.

    Raises
    ------
    TypeError
        If a number is of another kind.
    ValueError
        If a member is out of range or not labelled -1 or +1, or width, reaches or noise contradict the population.
    """
    flag("the source's nonnegative", source.nonnegative)
    rows, dim = source.features.shape
    if dim != limits.dim:
        raise ValueError(f"the source's features must have {limits.dim} columns, the population's dim, got {dim}")
    if source.noise != limits.noise:
        raise ValueError(f"the source's noise must be that of the population, {limits.noise}, got {source.noise}")
    reaches = tuple(source.reaches.tolist())
    if reaches != (limits.alpha or (0.0, 0.0)):
        raise ValueError(f"the source's reaches must be the population's alpha, {limits.alpha}, got {reaches}")
    if rows:
        check_features("the source's features", source.features, limits)
        if limits.alpha is not None:
            check_budgets("the source's budgets", source.budgets, limits)
        check_signs("the source's labels", source.labels)
        return
    _check_caps(source.caps, limits)


def _check_caps(caps: Caps, limits: Limits) -> None:
    """Check caps that individuals are computed from: that they can be looked up, and lie within the limits."""
    for name, number in (("radius", caps.radius), ("positive_share", caps.positive_share)):
        if not isinstance(number, float):
            raise TypeError(f"the caps' {name} must be a float, got {shown(number)}")
    shares = plain_array("the caps' limits", caps.limits, (2, 4))[:, 1:3]
    heights = plain_array("the caps' heights", caps.heights, (2, None))
    slopes = plain_array("the caps' slopes", caps.slopes, heights.shape)
    if heights.shape[1] < 2:
        raise ValueError(f"the caps' heights must have at least two columns, got shape {heights.shape}")
    for name, table in (("limits", caps.limits), ("heights", heights), ("slopes", slopes)):
        if not np.isfinite(table).all():
            raise ValueError(f"the caps' {name} must be finite, got {table[~np.isfinite(table)][0]}")
    if not (shares >= 0.0).all() or not (shares[:, 0] > 0.0).all():
        raise ValueError(f"the caps' limits must hold shares of a ball, got {shown(shares.tolist())}")
    check_span("the source's caps", -caps.radius, caps.radius, caps.radius, limits)
