"""Where individuals come from: fixed sequences, separable balls, data sets."""

from abc import abstractmethod
from copy import copy
from typing import Self

from agents.foundation.checks import finite_number, shown
from agents.foundation.typing import Float, Key
from agents.foundation.unchangeable import Unchangeable
from agents.populations.arrivals import Arrivals
from agents.populations.groups import Groups
from agents.populations.sources import Source


class Population(Unchangeable):
    """A source of individuals (true features and label).

    Attributes
    ----------
    dim : int
        Number of features d.
    radius : float
        R, the largest norm of true features.
    low, high : ndarray, shape (d,)
        Bounds of the true features.
    margin : float or None
        Distance that every individual keeps from a hyperplane that separates the labels, where known.
    noise : float
        Probability that a label is flipped.
    alpha : tuple of float or None
        Smallest and largest l2 reach, where individuals differ.
    groups : Groups or None
        Who belongs to which group, where results are to tell that apart (`grouped`).

    Notes
    -----
    A population of your own needs these attributes and `arrivals`. Games check them, and all that its methods return
    (`agents.populations.limits`), before compiled code reads it: what does not fit raises a TypeError or ValueError
    that names it. Those of this package cannot be changed once they are made.

    Examples
    --------
    Individuals of your own, by way of a population that is there:

    >>> import numpy as np
    >>> from agents import FixedSequence, Population
    >>> from agents.foundation.streams import game_key
    >>> class Twins(Population):
    ...     dim, radius, margin, noise = 1, 1.0, None, 0.0
    ...     low, high = np.array([-1.0]), np.array([1.0])
    ...     def arrivals(self, key, population_key=None):
    ...         return FixedSequence(block=[([-1.0], -1), ([1.0], 1)]).arrivals(key)
    >>> features, labels = Twins().arrivals(game_key(seed=0)).points(3)
    >>> labels
    array([-1.,  1., -1.])
    """

    alpha: tuple[float, float] | None = None
    groups: Groups | None = None
    dim: int
    radius: float
    low: Float
    high: Float
    margin: float | None
    noise: float

    @abstractmethod
    def arrivals(self, key: Key, population_key: Key | None = None) -> Arrivals:
        """Return the individuals of one episode.

        Parameters
        ----------
        key : ndarray, shape (2,), uint64
            The episode's key (`agents.foundation.streams.game_key`).
        population_key : ndarray, shape (2,), uint64, optional
            Draws the population itself; ``key`` by default, a fixed one to meet the same population again.
        """

    def source(self, population_key: Key | None = None) -> Source | None:
        """Return how individuals arrive in any game, in a form for compiled code.

        None, the default, where only `arrivals` knows: then the fast forms play game by game in Python.
        """
        return None

    def grouped(self, groups: Groups) -> Self:
        """Return the same population, in which everybody belongs to a group.

        Raises
        ------
        TypeError, ValueError
            If they are no groups, or of members and this population has not as many that are given.
        """
        if not isinstance(groups, Groups):
            raise TypeError(f"groups must be Groups, got {shown(groups)}")
        given = len(getattr(self, "features", ()))
        if groups.members is not None and len(groups.members) != given:
            raise ValueError(
                f"groups must be of the population's {given} members, or drawn by shares, got {len(groups.members)}"
            )
        other = copy(self)
        vars(other)["groups"] = groups
        return other


def _probability(noise: float) -> float:
    return finite_number("noise", noise, minimum=0.0, maximum=1.0)
