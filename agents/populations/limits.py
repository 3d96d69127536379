"""What a population promises of its individuals, and checks that whoever arrives keeps it.

Somebody's own population may promise and return anything: all of it is checked before it is played. What the
populations of this package return is right by construction, and not checked again.
"""

import math
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from agents.foundation.checks import (
    LARGEST,
    LARGEST_COUNT,
    check_signs,
    count,
    finite_array,
    finite_length,
    finite_number,
    finite_reaches,
    interval,
    plain_array,
    shown,
)
from agents.foundation.typing import Float, Int

HERE = f"{__name__.partition('.')[0]}."
METHODS = {"arrivals", "source", "points"}
# True features may be rounded beyond radius and bounds by so much of the radius.
ROUNDING = 1e-9


Parts = TypeVar("Parts", bound=tuple[Any, ...])


class Limits(NamedTuple):
    """What a population says of its individuals: the attributes of `agents.Population`."""

    dim: int
    radius: float
    low: Float
    high: Float
    noise: float
    alpha: tuple[float, float] | None


def is_own(population: object) -> bool:
    """Whether somebody else wrote the class of a population, or gave one a method of its own."""
    return not type(population).__module__.startswith(HERE) or not METHODS.isdisjoint(vars(population))


def refuse_own(population: object) -> None:
    """Make sure that nobody else wrote the class of a population whose source compiled code takes as it is.

    Raises
    ------
    TypeError
        If somebody did.
    """
    if is_own(population):
        kind = next(base for base in type(population).__mro__ if base.__module__.startswith(HERE)).__name__
        raise TypeError(f"population must be a {kind} without methods of your own, got {shown(population)}")


def limits_of(population: object) -> Limits:
    """Return what a population says of its individuals.

    Raises
    ------
    TypeError, ValueError
        If an attribute is missing, or is not what the population's class says of it.
    """
    dim = count("the population's dim", getattr(population, "dim", None), minimum=1, maximum=LARGEST_COUNT)
    radius = finite_length("the population's radius", getattr(population, "radius", None))
    low, high = (_bound(f"the population's {end}", getattr(population, end, None), dim) for end in ("low", "high"))
    if (low > high).any():
        raise ValueError(
            f"the population's low must be at most its high, got {shown(low.tolist())}, {shown(high.tolist())}"
        )
    noise = getattr(population, "noise", None)
    noise = finite_number("the population's noise", noise, minimum=0.0, maximum=1.0)
    margin = getattr(population, "margin", None)
    if margin is not None:
        finite_length("the population's margin", margin, above=0.0)
    alpha = getattr(population, "alpha", None)
    return Limits(dim, radius, low, high, noise, None if alpha is None else interval("the population's alpha", alpha))


def copied(parts: Parts) -> Parts:
    """Return a named tuple with copies of its arrays."""
    return type(parts)(*(part.copy() if isinstance(part, np.ndarray) else part for part in parts))


def check_unchanged(population: object, limits: Limits) -> None:
    """Make sure that a population still says of its individuals what it said before.

    Raises
    ------
    TypeError, ValueError
        If it does not.
    """
    for name, *told in zip(Limits._fields, limits, limits_of(population), strict=True):
        before, now = (np.asarray(each).tolist() for each in told)
        if before != now:
            stay, got = shown(before), shown(now)
            raise ValueError(f"the population's {name} must stay {stay} once a setting is made, got {got}")


def _bound(name: str, value: object, dim: int) -> Float:
    if not isinstance(value, np.ndarray):
        raise TypeError(f"{name} must be a NumPy array of shape ({dim},), got {shown(value)}")
    return finite_array(name, value, (dim,), largest=LARGEST)


class Block(NamedTuple):
    """Who arrives in each of n rounds: true features (n, d), labels (n,), and reaches (n, 1) or None."""

    features: Float
    labels: Float
    budgets: Float | None


class Arrived(Protocol):
    """The block of arrivals that is checked (`agents.populations.arrivals.Arrivals`)."""

    budgets: Float | None

    @property
    def index(self) -> Int:
        """Row of the features of each round."""

    @property
    def label(self) -> Float:
        """True label of each round."""


def checked_block(arrivals: Arrived, size: int, limits: Limits | None = None) -> Block:
    """Return the block of ``size`` rounds that arrivals hold, within the limits if there are any.

    Raises
    ------
    TypeError
        If ``features``, ``index``, ``label`` or ``budgets`` is no array of the dtype it should have.
    ValueError
        If shapes do not fit, an index leads out of the rows, a label is not -1 or +1, or a number is out of range.
    """
    features = arrived_features(arrivals, limits)
    index = plain_array("the arrivals' index", arrivals.index, (size,), np.int64)
    if index.min() < 0 or index.max() >= len(features):
        strange = index[(index < 0) | (index >= len(features))][0]
        raise ValueError(f"the arrivals' index must be from 0 to {len(features) - 1}, a row of features, got {strange}")
    labels = plain_array("the arrivals' label", arrivals.label, (size,))
    check_signs("the arrivals' label", labels)
    budgets = arrived_budgets(arrivals, len(features), limits)
    block = Block(features[index], labels, None if budgets is None else budgets[index])
    check_features("the arrivals' features", block.features, limits)
    if block.budgets is not None:
        check_budgets("the arrivals' budgets", block.budgets, limits)
    return block


def arrived_features(arrivals: Arrived, limits: Limits | None) -> Float:
    """Return the true features (M, d) that arrivals hold, if they are rows of the right width.

    Raises
    ------
    TypeError, ValueError
        If they are not.
    """
    name, dim = "the arrivals' features", None if limits is None else limits.dim
    features = plain_array(name, getattr(arrivals, "features", None), (None, dim))
    if not len(features):
        raise ValueError(f"{name} must hold at least one row, got none")
    return features


def arrived_budgets(arrivals: Arrived, rows: int, limits: Limits | None) -> Float | None:
    """Return the reaches (M, 1) that arrivals hold: where a population says that individuals differ, and only there.

    Raises
    ------
    TypeError, ValueError
        If they are not.
    """
    name, budgets = "the arrivals' budgets", arrivals.budgets
    if limits is not None and (budgets is None) != (limits.alpha is None):
        allowed = "None" if limits.alpha is None else "an array (M, 1)"
        raise ValueError(
            f"{name} must be {allowed} where the population's alpha is {limits.alpha}, got {shown(budgets)}"
        )
    return None if budgets is None else plain_array(name, budgets, (rows, 1))


def check_features(name: str, features: Float, limits: Limits | None) -> None:
    """Check that true features (n, d) are finite, at most 1e100 in size, and within the limits.

    Raises
    ------
    ValueError
        If they are not.
    """
    if limits is None:
        if not np.abs(features).max() <= LARGEST:  # nor is NaN
            finite_array(name, features, features.shape, largest=LARGEST)
        return
    slack = ROUNDING * limits.radius
    inside = (features >= limits.low - slack) & (features <= limits.high + slack)  # NaN is not
    if not inside.all():
        row, column = map(int, np.argwhere(~inside)[0])
        allowed = f"from the population's low {limits.low[column]} to its high {limits.high[column]}"
        raise ValueError(f"{name} must be {allowed} in column {column}, got {features[row, column]}")
    squares = np.einsum("ij,ij->i", features, features)
    far = int(squares.argmax())
    if math.sqrt(squares[far]) > limits.radius + slack:
        got = f"{shown(features[far].tolist())} of norm {math.sqrt(squares[far])}"
        raise ValueError(f"{name} must lie within the population's radius {limits.radius}, got {got}")


def check_span(name: str, lowest: float, highest: float, longest: float, limits: Limits) -> None:
    """Check that all points between two values in every coordinate, up to a norm, are within the limits.

    Raises
    ------
    ValueError
        If they are not.
    """
    slack, low, high = ROUNDING * limits.radius, limits.low.max(), limits.high.min()
    if longest > limits.radius + slack:
        raise ValueError(f"{name} must lie within the population's radius {limits.radius}, got a norm of {longest}")
    if lowest < low - slack or highest > high + slack:
        allowed = f"from the population's low {low} to its high {high}"
        raise ValueError(f"{name} must lie {allowed} in every column, got {lowest} to {highest}")


def check_budgets(name: str, budgets: Float, limits: Limits | None) -> None:
    """Check that the reaches (n, 1) of individuals lie in the population's interval.

    Raises
    ------
    ValueError
        If they do not, or are no reaches.
    """
    finite_reaches(name, budgets, 2)
    if limits is not None and limits.alpha is not None:
        outside = budgets[(budgets < limits.alpha[0]) | (budgets > limits.alpha[1])]
        if outside.size:
            raise ValueError(f"{name} must lie in the population's alpha {limits.alpha}, got {outside[0]}")
