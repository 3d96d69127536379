"""Similarities that are inner products of other vectors: which centre is nearest is linear in a lifted query.

Each lift has ``|q - b|_p^p - |q - a|_p^p = c <phi(q), w>``, where phi(q) is at most 1 long, w depends on the centres a
and b alone and is at most 2 long, and c is a constant. A longer phi is shortened, which changes no label.
"""

import math

from agents.foundation.checks import LARGEST_LENGTH, count, finite_number, one_of, shown
from agents.foundation.compiled import compiled, inlined, loop
from agents.foundation.lanes import copy, length
from agents.foundation.typing import Float

SIMILARITIES = ("inner", "euclidean")
INNER, EVEN_POWER, LEVELS = range(3)
LARGEST_POWER = 64.0


class Lift:
    """How queries are lifted.

    Parameters
    ----------
    similarity : str
        ``"inner"`` or ``"euclidean"``; it is not looked at if ``p`` is given.
    p : float, optional
        The norm of L^p distances, at least 1. An even one needs no ``levels``.
    levels : int, optional
        How many values, evenly spaced from -1 to 1, each coordinate of a query may have.

    Attributes
    ----------
    kind : int
        ``INNER``, ``EVEN_POWER`` (the Euclidean distance among them) or ``LEVELS``.
    power : float
        The power of the distance that is linear in the lifted query.

    Raises
    ------
    TypeError, ValueError
        If a number is out of range, or p is not even and there are no levels.
    """

    def __init__(self, similarity: str = "inner", p: float | None = None, levels: int | None = None) -> None:
        self.levels = None if levels is None else count("levels", levels, minimum=2, maximum=LARGEST_LENGTH)
        if one_of("similarity", similarity, SIMILARITIES) == "euclidean" and p is None:
            p, levels = 2, None
        self.power = 1.0 if p is None else finite_number("p", p, minimum=1.0, maximum=LARGEST_POWER)
        self.kind = INNER if p is None else EVEN_POWER if levels is None else LEVELS
        if self.kind == EVEN_POWER and self.power % 2.0:
            raise ValueError(f"p must be even where queries have no levels, got {shown(p)}")

    def dim(self, dim: int) -> int:
        """Return how many coordinates a lifted query (d,) has."""
        if self.kind == EVEN_POWER:
            return 1 + dim * (int(self.power) - 1)
        return dim * int(self.levels or 0) if self.kind == LEVELS else dim

    def scale(self, dim: int) -> float:
        """Return c: how many times larger the power of a distance is than what a lifted query (d,) sees of it."""
        if self.kind == LEVELS:
            return float(0.5 * 2.0**self.power * dim * math.sqrt(int(self.levels or 0)))
        return float(2.0**self.power) if self.kind == EVEN_POWER else 1.0


@loop
def fits(kind: int, d: int, lifted: int) -> bool:
    """Whether a query (d,) is lifted by this kind to so many coordinates."""
    if kind == EVEN_POWER:
        return lifted > d and (lifted - 1) % d == 0
    if kind == LEVELS:
        return lifted > d and lifted % d == 0
    return kind == INNER and lifted == d


@compiled
def lift(kind: int, features: Float, out: Float) -> None:
    """Write a lifted query (d,) to ``out``, whose length says the power or the levels."""
    if kind == INNER:
        copy(features, out)
    elif kind == LEVELS:
        lift_levels(features, out)
    else:
        lift_powers(features, out)
    norm = length(out)
    if norm > 1.0:
        for i in range(out.shape[0]):
            out[i] /= norm


@loop
def lift_powers(features: Float, out: Float) -> None:
    """Write ``2^(-p / 2)`` times 1 and, of each coordinate x, ``sqrt(C(p, m)) x^m`` for m from 1 to p - 1.

    All of it is times ``t^(p - 1)`` for a t that keeps ``t x`` within 1: powers of large numbers would overflow.
    """
    d, largest = features.shape[0], 1.0
    for value in features:
        largest = max(largest, abs(value))
    shrink, power = 1.0 / largest, 1 + (out.shape[0] - 1) // d
    out[0] = product(0.5, power // 2) * product(shrink, power - 1)
    for i in range(d):
        binomial = 1.0
        for m in range(1, power):
            binomial *= (power - m + 1.0) / m
            term = product(features[i] * shrink, m) * product(shrink, power - 1 - m)
            out[1 + i * (power - 1) + m - 1] = product(0.5, power // 2) * math.sqrt(binomial) * term


@inlined
def product(factor: float, times: int) -> float:
    """Return a power, by the same multiplications with and without the compiler."""
    total = 1.0
    for _ in range(times):
        total *= factor
    return total


@loop
def lift_levels(features: Float, out: Float) -> None:
    """Write a 1 for the nearest level of each coordinate, over the square root of d."""
    d = features.shape[0]
    levels = out.shape[0] // d
    for i in range(out.shape[0]):
        out[i] = 0.0
    for i in range(d):
        place = min(max(0.5 * (features[i] + 1.0), 0.0), 1.0) * (levels - 1)
        out[i * levels + int(math.floor(place + 0.5))] = 1.0 / math.sqrt(d)
