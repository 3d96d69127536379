"""Checks of arguments: each error names the argument, the value and what is allowed."""

import math
import operator
from numbers import Real
from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray


def finite_number(
    name: str,
    value: object,
    *,
    minimum: float | None = None,
    above: float | None = None,
    maximum: float | None = None,
    below: float | None = None,
) -> float:
    """Return ``value`` as a float.

    Parameters
    ----------
    name : str
        What to call the argument in an error.
    value : object
        The number to check.
    minimum, above, maximum, below : float, optional
        Inclusive (``minimum``, ``maximum``) and exclusive (``above``, ``below``) limits.

    Raises
    ------
    TypeError
        If it is not a real number.
    ValueError
        If it is NaN, infinite or outside the limits.
    """
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a number, got {value!r}")
    number = float(value)
    limits = [
        (minimum is not None and number < minimum, f"at least {minimum}"),
        (above is not None and number <= above, f"greater than {above}"),
        (maximum is not None and number > maximum, f"at most {maximum}"),
        (below is not None and number >= below, f"less than {below}"),
    ]
    if not math.isfinite(number):
        raise ValueError(f"{name} must be finite, got {value!r}")
    for broken, allowed in limits:
        if broken:
            raise ValueError(f"{name} must be {allowed}, got {value!r}")
    return number


def count(name: str, value: object, *, minimum: int = 0, maximum: int | None = None) -> int:
    """Return ``value`` as an int of at least ``minimum`` (and at most ``maximum``).

    Raises
    ------
    TypeError
        If it is not an integer.
    ValueError
        If it is outside the limits.
    """
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, SupportsIndex):
        raise TypeError(f"{name} must be an integer, got {value!r}")
    number = operator.index(value)
    if number < minimum:
        raise ValueError(f"{name} must be at least {minimum}, got {value!r}")
    if maximum is not None and number > maximum:
        raise ValueError(f"{name} must be at most {maximum}, got {value!r}")
    return number


def one_of(name: str, value: object, allowed: tuple[str, ...]) -> str:
    """Return ``value`` if it is one of the ``allowed`` names.

    Raises
    ------
    ValueError
        If it is not.
    """
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}, got {value!r}")
    return value


def finite_array(name: str, value: ArrayLike, shape: tuple[int | None, ...]) -> NDArray[np.float64]:
    """Return ``value`` as a new C-contiguous float64 array.

    Parameters
    ----------
    name : str
        What to call the argument in an error.
    value : array_like
        The numbers to check.
    shape : tuple of int or None
        The shape it must have; ``None`` allows any length of at least 1.

    Raises
    ------
    TypeError
        If it does not hold real numbers.
    ValueError
        If the shape differs or a number is NaN or infinite.
    """
    array = _real_array(name, value)
    fits = array.ndim == len(shape) and all(
        length == wanted if wanted is not None else length > 0
        for length, wanted in zip(array.shape, shape, strict=True)
    )
    if not fits:
        wanted_shape = "(" + ", ".join("any" if length is None else str(length) for length in shape) + ")"
        raise ValueError(f"{name} must have shape {wanted_shape}, got {array.shape}")
    if not np.isfinite(array).all():
        first = tuple(map(int, np.argwhere(~np.isfinite(array))[0]))
        raise ValueError(f"{name} must be finite, got {array[first]}" + (f" at index {first}" if first else ""))
    return array


def finite_rows(name: str, value: ArrayLike, columns: int | None = None) -> tuple[NDArray[np.float64], bool]:
    """Return one (d,) or many (n, d) as rows (n, d), and whether there were many.

    Raises
    ------
    TypeError, ValueError
        As `finite_array`.
    """
    array = _real_array(name, value)
    if array.ndim == 2:
        return finite_array(name, array, (None, columns)), True
    return finite_array(name, array, (columns,))[np.newaxis], False


def _real_array(name: str, value: ArrayLike) -> NDArray[np.float64]:
    try:
        raw = np.asarray(value)
    except ValueError as error:
        raise ValueError(f"{name} must be a rectangular array, got {value!r}") from error
    if raw.dtype.kind not in "iuf":
        raise TypeError(f"{name} must hold real numbers, got {raw.ravel()[0] if raw.size else value!r} ({raw.dtype})")
    return np.array(raw, dtype=np.float64, order="C")


def signs(name: str, value: ArrayLike, length: int | None = None) -> NDArray[np.float64]:
    """Return labels as a new float64 array (n,) of -1 and +1.

    Raises
    ------
    ValueError
        If a label is neither, or the length differs.
    """
    labels = finite_array(name, value, (length,))
    strange = labels[(labels != 1.0) & (labels != -1.0)]
    if strange.size:
        raise ValueError(f"{name} must be -1 or +1, got {strange[0]}")
    return labels
