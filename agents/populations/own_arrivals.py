"""Who arrives by the rules of somebody's own population: checked, and copied, before it is played."""

import numpy as np

from agents.foundation.checks import count, finite_array, shown, signs
from agents.foundation.typing import Float, Int
from agents.populations.arrivals import BLOCK, Arrivals
from agents.populations.limits import (
    ROUNDING,
    Limits,
    arrived_budgets,
    arrived_features,
    check_budgets,
    check_features,
    check_unchanged,
    checked_block,
    copied,
    is_own,
)
from agents.populations.nature import AdaptiveArrivals
from agents.populations.population import Population
from agents.populations.sources import Source, check_members, check_source


def played_arrivals(population: Population, arrivals: Arrivals, limits: Limits) -> Arrivals:
    """Return the arrivals that a population returned, in a form that a game can play within its limits.

    Raises
    ------
    TypeError, ValueError
        If they are no arrivals, or do not fit the population; what a block holds is checked when it is filled.
    """
    if not is_own(population):
        return arrivals
    if not isinstance(arrivals, Arrivals):
        raise TypeError(f"the population's arrivals() must return Arrivals, got {shown(arrivals)}")
    check_unchanged(population, limits)
    if isinstance(arrivals, AdaptiveArrivals):
        return OwnAdaptiveArrivals(arrivals, limits)
    return OwnArrivals(arrivals, limits)


def played_source(population: Population, source: Source | None, limits: Limits) -> Source | None:
    """Return the source that a population returned, in a form that a game can play within its limits.

    Raises
    ------
    TypeError, ValueError
        If it is no source, or holds what compiled code cannot take or what the population denies.
    """
    if source is None or not is_own(population):
        return source
    if not isinstance(source, Source):
        raise TypeError(f"the population's source() must return a Source or None, got {shown(source)}")
    check_unchanged(population, limits)
    check_source(source)
    check_members(source, limits)
    # Compiled code knows noise as a float, and nobody else knows the arrays.
    return copied(source)._replace(noise=limits.noise, caps=copied(source.caps))


class OwnArrivals(Arrivals):
    """A block of somebody's own arrivals, checked and copied after every `fill`: compiled code sees the copy only.

    Parameters
    ----------
    arrivals : Arrivals
    limits : Limits
        What their population says of them.

    Raises
    ------
    TypeError, ValueError
        If features, reaches or separator do not fit the population.
    """

    def __init__(self, arrivals: Arrivals, limits: Limits) -> None:
        self._arrivals, self._limits = arrivals, limits
        self.features, self.budgets = _room(arrivals, limits)
        self.separator = _checked_separator(arrivals.separator, limits.dim)
        self._index, self._label = np.arange(BLOCK), np.zeros(BLOCK)

    @property
    def index(self) -> Int:
        """Row of ``features`` of each round of the block."""
        return self._index

    @property
    def label(self) -> Float:
        """True label of each round of the block."""
        return self._label

    def fill(self, first: int) -> None:
        """Compute the block that begins with round ``first``, and check it.

        Raises
        ------
        TypeError, ValueError
            As `agents.populations.limits.checked_block`.
        """
        self._arrivals.fill(first)
        features, self._label[:], budgets = checked_block(self._arrivals, BLOCK, self._limits)
        self.features[:] = features
        if self.budgets is not None:
            self.budgets[:] = budgets


class OwnAdaptiveArrivals(AdaptiveArrivals):
    """Somebody's own individuals who are picked when the classifier is known, checked and copied one by one.

    Parameters
    ----------
    arrivals : AdaptiveArrivals
    limits : Limits
        What their population says of them.

    Raises
    ------
    TypeError, ValueError
        As `OwnArrivals`.
    """

    def __init__(self, arrivals: AdaptiveArrivals, limits: Limits) -> None:
        self._arrivals, self._limits = arrivals, limits
        self.features, self.budgets = _room(arrivals, limits)
        self.separator = _checked_separator(arrivals.separator, limits.dim)

    def meet(self, round: int, classifier: Float, norm: int, budgets: Float) -> tuple[int, float]:
        """Pick who arrives, and check it.

        Raises
        ------
        TypeError
            If what they pick is no row and label.
        ValueError
            If there is no such row, the label is not -1 or +1, or features or reach are out of range.
        """
        own = self._arrivals.budgets
        picked = self._arrivals.meet(round, classifier.copy(), norm, budgets.copy() if own is None else own)
        if not isinstance(picked, tuple) or len(picked) != 2:
            raise TypeError(f"the arrivals' meet() must return a row and a label, got {shown(picked)}")
        features = arrived_features(self._arrivals, self._limits)
        row = count("the row that the arrivals' meet() picks", picked[0], maximum=len(features) - 1)
        label = float(signs("the label that the arrivals' meet() picks", [picked[1]])[0])
        at = round % BLOCK
        self.features[at] = features[row]
        check_features("the arrivals' features", self.features[at : at + 1], self._limits)
        reaches = arrived_budgets(self._arrivals, len(features), self._limits)
        if self.budgets is not None and reaches is not None:
            self.budgets[at] = reaches[row]
            check_budgets("the arrivals' budgets", self.budgets[at : at + 1], self._limits)
        return at, label


def _room(arrivals: Arrivals, limits: Limits) -> tuple[Float, Float | None]:
    """Return arrays for the features and reaches of a block, if those of the arrivals have the right form."""
    budgets = arrived_budgets(arrivals, len(arrived_features(arrivals, limits)), limits)
    return np.zeros((BLOCK, limits.dim)), None if budgets is None else np.zeros((BLOCK, 1))


def _checked_separator(separator: Float | None, dim: int) -> Float | None:
    if separator is None:
        return None
    checked = finite_array("the arrivals' separator", separator, (dim + 1,))
    length = float(np.linalg.norm(checked[:-1]))
    if abs(length - 1.0) > ROUNDING:
        raise ValueError(f"the arrivals' separator must have weights of norm 1, got {length}")
    return checked
