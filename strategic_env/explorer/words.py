"""Numbers as people write them: fractions and roots where they are exact. For display only."""

import math
from collections.abc import Iterable
from fractions import Fraction

from strategic_env.reproduce.result import number

LARGEST_DENOMINATOR = 1000
ROUNDING = 1e-14  # of lengths and margins


def fraction(value: float) -> str:
    """Return a float as a fraction if one with a denominator up to 1,000 equals it, else with four decimals.

    Examples
    --------
    >>> fraction(0.75), fraction(-1 / 3), fraction(2.0), fraction(math.pi)
    ('3/4', '-1/3', '2', '3.1416')
    """
    if not math.isfinite(value):
        return "∞" if value > 0.0 else "-∞" if value < 0.0 else "?"
    near = Fraction(value).limit_denominator(LARGEST_DENOMINATOR)
    return str(near) if float(near) == value else number(value)


def root(value: float) -> str:
    """Return a length, which is the root of a fraction up to rounding, as such.

    Examples
    --------
    >>> root(math.sqrt(2.0)), root(1.0 / math.sqrt(5.0)), root(1.5), root(math.pi)
    ('√2 ≈ 1.4142', '1/√5 ≈ 0.4472', '3/2', '3.1416')
    """
    exact = fraction(value)
    if not math.isfinite(value) or float(Fraction(value).limit_denominator(LARGEST_DENOMINATOR)) == value:
        return exact
    square = Fraction(value * value).limit_denominator(LARGEST_DENOMINATOR)
    found = 0 < square.numerator <= LARGEST_DENOMINATOR and math.isclose(math.sqrt(square), value, rel_tol=ROUNDING)
    if not found:
        return exact
    over, under = (_root_of(part) for part in square.as_integer_ratio())
    return f"{over if under == '1' else f'{over}/{under}'} ≈ {number(value)}"


def _root_of(part: int) -> str:
    whole = math.isqrt(part)
    return str(whole) if whole * whole == part else f"√{part}"


def vector(values: Iterable[float], intercept: float | None = None) -> str:
    """Return a point or weights in parentheses, with the intercept after a semicolon where there is one.

    Examples
    --------
    >>> vector([1.0, -0.5]), vector([1.0, 0.0], -1.0)
    ('(1, -1/2)', '(1, 0; -1)')
    """
    inside = ", ".join(map(fraction, values))
    return f"({inside})" if intercept is None else f"({inside}; {fraction(intercept)})"


def many(number_of: int, what: str) -> str:
    """Return a number of things.

    Examples
    --------
    >>> many(1, "mistake"), many(5, "mistake")
    ('1 mistake', '5 mistakes')
    """
    return f"{number_of:,} {what}" if number_of == 1 else f"{number_of:,} {what}{'es' if what[-1] == 's' else 's'}"
