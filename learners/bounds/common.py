"""What all bounds share: how a bound is compared, rounded and checked."""

import math

from agents.foundation.checks import LARGEST_COUNT, count, finite_number, is_real, shown

# Formulas and margins are rounded: 4 (3.6 / 0.4)^2 is 324, but 323.99999999999994 in float64.
RELATIVE_SLACK = 1e-12


def admits(bound: float, mistakes: int) -> bool:
    """Tell whether a number of mistakes respects a bound, up to the bound's rounding.

    Parameters
    ----------
    bound : float
        What a function of this module returned; infinity admits everything.
    mistakes : int
        The number of mistakes, at least 0.

    Raises
    ------
    TypeError
        If the bound is no number, or the number of mistakes no integer.
    ValueError
        If the bound is negative or NaN, or the number of mistakes negative.

    Examples
    --------
    >>> from learners import bounds
    >>> bounds.admits(100.0, mistakes=100)
    True
    >>> bounds.admits(100.0, mistakes=101)
    False
    """
    if not is_real(bound):
        raise TypeError(f"bound must be a number, got {shown(bound)}")
    if not bound >= 0.0:
        raise ValueError(f"bound must be at least 0, got {shown(bound)}")
    return count("mistakes", mistakes) <= min(bound, LARGEST_COUNT) * (1.0 + RELATIVE_SLACK)


def square(number: float) -> float:
    """Return the square, infinite where it exceeds the float64 range."""
    return number * number  # ``**`` raises instead


def floor(number: float) -> float:
    """Return the largest integer that a number reaches up to rounding; infinity stays."""
    return float(math.floor(number * (1.0 + RELATIVE_SLACK))) if math.isfinite(number) else number


def ceiling(number: float) -> float:
    """Return the smallest integer that covers a number up to rounding; infinity stays."""
    return float(math.ceil(number * (1.0 - RELATIVE_SLACK))) if math.isfinite(number) else number


def radius_in_margins(radius: float, margin: float) -> float:
    """Return N = R / gamma, which is at least 1 for a separator through the origin or between two classes."""
    radius = finite_number("radius", radius, above=0.0)
    margin = finite_number("margin", margin, above=0.0)
    if margin > radius * (1.0 + RELATIVE_SLACK):
        raise ValueError(
            f"margin must be at most the radius {radius!r}, like that of every hyperplane through the origin "
            f"or between two classes, got {margin!r}"
        )
    return max(1.0, radius / margin)


def separator_with_bias(radius: float, weights_norm: float, bias: float) -> tuple[float, float, float]:
    """Check that some point z of the radius can satisfy ``y (z.w* + b) >= 1``."""
    radius = finite_number("radius", radius, minimum=0.0)
    weights_norm = finite_number("weights_norm", weights_norm, minimum=0.0)
    bias = finite_number("bias", bias)
    reached = radius * weights_norm + abs(bias)
    if reached < 1.0 - RELATIVE_SLACK:
        raise ValueError(
            f"weights_norm and bias must satisfy radius * weights_norm + |bias| >= 1, got "
            f"{radius!r} * {weights_norm!r} + {abs(bias)!r} = {reached!r}"
        )
    return radius, weights_norm, bias
