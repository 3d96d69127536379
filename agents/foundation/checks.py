"""Checks of arguments: each error names the argument, the value and what is allowed.

One range of numbers holds throughout: features and lengths (radii, margins, reaches) are at most 1e100 in size, and a
length that is not 0 is at least 1e-100. Their squares, and the ratios of any two, then stay within float64. Weights of
a classifier may have any finite scale, since only their direction matters.
"""

import json
import math
import operator
import os
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from itertools import islice
from numbers import Real
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray

SMALLEST, LARGEST = 1e-100, 1e100
# A report may lie a reach and a noise away from features in range.
LARGEST_REPORT = 3.0 * LARGEST
# More than any memory holds, and float64 knows every integer up to here.
LARGEST_COUNT = 2**53
# How many features, labels or runs there may be, and how many numbers (1 GiB) one array may hold.
LARGEST_LENGTH, LARGEST_SIZE = 2**20, 2**27
# More cores than machines have; threads and processes take memory, whether there is a core for them or not.
MOST_CORES = 1024
# A seed is four words of 32 bits.
LARGEST_SEED = 2**128 - 1


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
        If it is NaN, infinite, beyond the float64 range or outside the limits.
    """
    if not is_real(value):
        raise TypeError(f"{name} must be a number, got {shown(value)}")
    try:
        number = float(value)
    except OverflowError:  # an integer or a fraction
        number = math.inf
    limits = [
        (above is not None and number <= above, f"greater than {above}"),
        (minimum is not None and number < minimum, f"at least {minimum}"),
        (maximum is not None and number > maximum, f"at most {maximum}"),
        (below is not None and number >= below, f"less than {below}"),
    ]
    if not math.isfinite(number):
        raise ValueError(f"{name} must be finite, got {shown(value)}")
    for broken, allowed in limits:
        if broken:
            raise ValueError(f"{name} must be {allowed}, got {shown(value)}")
    return number


def is_real(value: object) -> TypeGuard[float]:
    """Whether a value is a real number: no truth value, and no time span, which NumPy counts among the integers."""
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_, np.timedelta64))


def finite_length(
    name: str, value: object, *, above: float | None = None, maximum: float = LARGEST, below: float | None = None
) -> float:
    """Return a length in the space of features: a `finite_number` that is 0 or from ``SMALLEST`` to ``LARGEST``.

    Raises
    ------
    TypeError, ValueError
        As `finite_number`.
    """
    number = finite_number(name, value, minimum=0.0, above=above, maximum=maximum, below=below)
    if 0.0 < number < SMALLEST:
        raise ValueError(f"{name} must be at least {SMALLEST} unless it is 0, got {shown(value)}")
    return number


def count(name: str, value: object, *, minimum: int = 0, maximum: int = LARGEST_COUNT) -> int:
    """Return ``value`` as an int from ``minimum`` to ``maximum``.

    Raises
    ------
    TypeError
        If it is not an integer.
    ValueError
        If it is outside the limits.
    """
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        number = None
    if number is None or isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be an integer, got {shown(value)}")
    if number < minimum:
        raise ValueError(f"{name} must be at least {minimum}, got {shown(value)}")
    if number > maximum:
        raise ValueError(f"{name} must be at most {maximum}, got {shown(value)}")
    return number


def flag(name: str, value: object) -> bool:
    """Return ``value`` if it is True or False.

    Raises
    ------
    TypeError
        If it is neither.
    """
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be True or False, got {shown(value)}")
    return bool(value)


def function_or_none(name: str, value: object, of: str) -> None:
    """Check that ``value`` can be called, if there is one.

    Raises
    ------
    TypeError
        If it cannot.
    """
    if value is not None and not callable(value):
        raise TypeError(f"{name} must be a function of {of}, got {shown(value)}")


def file_path(name: str, value: object) -> Path:
    """Return ``value`` as the path of a file or folder; nothing is not taken for the current folder.

    Raises
    ------
    TypeError
        If it is no path.
    ValueError
        If no file can be called so.
    """
    text = os.fspath(value) if isinstance(value, (str, os.PathLike)) else None
    if not isinstance(text, str):
        raise TypeError(f"{name} must be a path, got {shown(value)}")
    if not text or not can_be_named(text):
        raise ValueError(f"{name} must be the path of a file or folder, got {shown(text)}")
    return Path(text)


def can_be_named(path: str) -> bool:
    """Whether the file system has names like this: no byte of 0, and no character that its encoding lacks."""
    try:
        return b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        return False


def one_of(name: str, value: object, allowed: tuple[str, ...]) -> str:
    """Return ``value`` if it is one of the ``allowed`` names.

    Raises
    ------
    ValueError
        If it is not.
    """
    if not isinstance(value, str) or value not in allowed:
        names = ", ".join(map(repr, allowed))
        raise ValueError(f"{name} must be one of {names}, got {shown(value)}{perhaps(value, allowed)}")
    return value


def perhaps(value: object, allowed: Sequence[str]) -> str:
    """Return the question whether the nearest of the ``allowed`` names was meant; nothing if none is near."""
    names = {name.casefold(): name for name in allowed}
    near = get_close_matches(value.casefold(), names, n=1) if isinstance(value, str) else []
    return f"; did you mean {names[near[0]]!r}?" if near else ""


def finite_array(
    name: str, value: ArrayLike, shape: tuple[int | None, ...], *, largest: float = math.inf
) -> NDArray[np.float64]:
    """Return ``value`` as a new C-contiguous float64 array.

    Parameters
    ----------
    name : str
        What to call the argument in an error.
    value : array_like
        The numbers to check.
    shape : tuple of int or None
        The shape it must have; ``None`` allows any length of at least 1.
    largest : float
        How large its numbers may be, in size.

    Raises
    ------
    TypeError
        If it does not hold real numbers.
    ValueError
        If the shape differs, or a number is NaN, infinite or too large.
    """
    return _checked(name, value, _real_array(name, value), shape, largest)


def finite_rows(
    name: str, value: ArrayLike, columns: int | None = None, *, largest: float = math.inf
) -> tuple[NDArray[np.float64], bool]:
    """Return one (d,) or many (n, d) as rows (n, d), and whether there were many.

    Raises
    ------
    TypeError, ValueError
        As `finite_array`.
    """
    array = _real_array(name, value)
    if array.ndim == 2:
        return _checked(name, value, array, (None, columns), largest), True
    return _checked(name, value, array, (columns,), largest)[np.newaxis], False


def finite_features(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """Return the features of a sample (n, d), each column of which is 0 or reaches a size from 1e-100 to 1e100.

    Raises
    ------
    TypeError, ValueError
        As `finite_array`.
    """
    rows = finite_array(name, value, (None, None), largest=LARGEST)
    sizes = np.abs(rows).max(axis=0)
    tiny = np.flatnonzero((sizes > 0.0) & (sizes < SMALLEST))
    if tiny.size:
        where = column(value, int(tiny[0]))
        raise ValueError(f"{name} must reach {SMALLEST} in size unless they are 0, got {sizes[tiny[0]]} in {where}")
    return rows


def finite_reaches(name: str, value: ArrayLike, axes: int) -> NDArray[np.float64]:
    """Return a reach, or an array of reaches of up to ``axes`` axes; each is a `finite_length`.

    Raises
    ------
    TypeError, ValueError
        As `finite_array`.
    """
    array = _real_array(name, value)
    _checked(name, value, array, (None,) * min(array.ndim, axes), LARGEST)
    for broken, allowed in (
        (array < 0.0, "at least 0"),
        ((array > 0.0) & (array < SMALLEST), f"at least {SMALLEST} unless it is 0"),
    ):
        if broken.any():
            raise ValueError(f"{name} must be {allowed}, got {array[broken][0]}")
    return array


def plain_array(
    name: str, value: object, shape: tuple[int | None, ...], dtype: type[np.generic] = np.float64
) -> NDArray[Any]:
    """Return ``value`` itself, if compiled code can take it as it is: a C-contiguous NumPy array.

    Parameters
    ----------
    name : str
        What to call the argument in an error.
    value : object
        The array to check; its numbers are not looked at.
    shape : tuple of int or None
        The shape it must have; ``None`` allows any length, 0 included.
    dtype : type
        The dtype it must have.

    Raises
    ------
    TypeError
        If it is no array, one of a subclass, or has another dtype.
    ValueError
        If the shape differs, or it is not C-contiguous.
    """
    if type(value) is not np.ndarray or value.dtype != dtype:
        got = f"{type(value).__name__} of {value.dtype}" if isinstance(value, np.ndarray) else shown(value)
        raise TypeError(f"{name} must be a NumPy array of {np.dtype(dtype)}, got {got}")
    if value.shape != shape and not _fits(value, shape, 0):
        raise _misshapen(name, value, shape)
    if not value.flags.c_contiguous:
        raise ValueError(f"{name} must be C-contiguous (np.ascontiguousarray makes it so), got strides {value.strides}")
    return value


def interval(name: str, value: ArrayLike) -> tuple[float, float]:
    """Return two reaches, the smaller one first.

    Raises
    ------
    TypeError, ValueError
        As `finite_reaches`, and if there are not two, or the first is larger.
    """
    low, high = finite_array(name, finite_reaches(name, value, 1), (2,)).tolist()
    if low > high:
        raise ValueError(f"{name} must be an interval (smallest, largest), got {shown(value)}")
    return low, high


def signs(name: str, value: ArrayLike, size: int | None = None) -> NDArray[np.float64]:
    """Return labels as a new float64 array (n,) of -1 and +1.

    Raises
    ------
    ValueError
        If a label is neither, or the length differs.
    """
    labels = finite_array(name, value, (size,))
    check_signs(name, labels)
    return labels


def check_signs(name: str, labels: NDArray[np.float64]) -> None:
    """Check that labels are -1 or +1.

    Raises
    ------
    ValueError
        If one is neither.
    """
    strange = np.abs(labels) != 1.0
    if strange.any():
        raise ValueError(f"{name} must be -1 or +1, got {labels[strange][0]}")


def hyperplane(name: str, classifier: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ``[w, b]`` times the power of two that brings the largest weight into [1/2, 1): it rounds nothing.

    Raises
    ------
    ValueError
        If all weights are 0, or the bias puts the hyperplane out of the range of features.
    """
    heaviest = np.abs(classifier[:-1]).max()
    if heaviest == 0.0:
        raise ValueError(f"{name} must have weights that are not all 0, got {shown(classifier.tolist())}")
    with np.errstate(over="ignore"):
        scaled = np.ldexp(classifier, -np.frexp(heaviest)[1])
    if abs(scaled[-1]) > LARGEST:
        raise ValueError(
            f"{name} must have a bias of at most {LARGEST} times its weights, got bias {classifier[-1]}, "
            f"weights of at most {heaviest}"
        )
    return np.asarray(scaled)


def json_value(name: str, value: object) -> object:
    """Return ``value`` if JSON can hold it.

    Raises
    ------
    ValueError
        If it cannot.
    """
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"{name} must hold JSON values only, got {shown(value)}") from error
    return value


def size_of(value: object) -> int:
    """Return how many entries a value has; more than any memory holds where Python cannot count them, else 0."""
    try:
        return len(value)  # type: ignore[arg-type]
    except OverflowError:  # such as those of a range
        return LARGEST_COUNT
    except TypeError:
        return 0


def entries_of(name: str, value: Iterable[Any], maximum: int = LARGEST_LENGTH) -> list[Any]:
    """Return the entries of a sequence, whose size is looked at before it is walked, or of an iterator.

    Raises
    ------
    ValueError
        If there are more than the maximum.
    """
    found = [] if size_of(value) > maximum else list(islice(value, maximum + 1))
    if max(size_of(value), len(found)) > maximum:
        raise ValueError(f"{name} must hold at most {maximum:,} entries, got {shown(value)}")
    return found


def is_many(value: object) -> TypeGuard[Iterable[Any]]:
    """Whether a value has entries to go through: an array of no axes is iterable by its class only."""
    try:
        iter(value)  # type: ignore[call-overload]
    except TypeError:
        return False
    return True


def column(table: object, number: int) -> str:
    """Return what to call a column: by its name if the table has names."""
    names = list(getattr(table, "columns", ()))
    return f"column {names[number]!r}" if number < len(names) else f"column {number}"


def shown(value: object) -> str:
    """Return the value for an error: on one line, and cut where it is long."""
    try:
        text = repr(value)
    except ValueError:  # Python does not print such integers
        return "a number of thousands of digits"
    except Exception:  # lists too deep to print, or objects that are broken
        return f"a {type(value).__name__} that cannot be printed"
    line = " ".join(text.split()) if "\n" in text else text
    return line if len(line) <= 100 else f"{line[:100]}..."


def _real_array(name: str, value: ArrayLike) -> NDArray[np.float64]:
    if size_of(value) > LARGEST_SIZE:
        raise ValueError(f"{name} must hold at most {LARGEST_SIZE:,} entries, got {shown(value)}")
    try:
        if _masked(value):
            raise TypeError(f"{name} must hold real numbers, got a masked array: fill or drop what is masked")
        raw = np.asarray(value)
    except (ValueError, RecursionError) as error:  # a list may hold itself
        raise ValueError(f"{name} must be a rectangular array, got {shown(value)}") from error
    if raw.dtype.kind not in "iuf":
        raise _refusal(name, value, raw.dtype)
    with np.errstate(over="ignore"):  # a long double becomes infinite, and is refused as such
        return np.array(raw, dtype=np.float64, order="C")


def _masked(value: object) -> bool:
    return isinstance(value, np.ma.MaskedArray) or (isinstance(value, (list, tuple)) and any(map(_masked, value)))


def _refusal(name: str, value: object, dtype: np.dtype[Any]) -> TypeError | ValueError:
    """Return the error for what NumPy takes for no numbers: it quotes the first entry that is to blame."""
    for index, entry in np.ndenumerate(np.asarray(value, dtype=object)):
        if not is_real(entry):
            return TypeError(f"{name} must hold real numbers, got {shown(entry)}{_place(value, index)} ({dtype})")
        if isinstance(entry, int) and entry.bit_length() > 64:
            return ValueError(f"{name} must hold floats or 64-bit integers, got {shown(entry)}{_place(value, index)}")
    what = "objects: astype(float) makes it one of numbers" if dtype.kind == "O" else dtype
    return TypeError(f"{name} must hold real numbers, got an array of {what}")


def _place(value: object, index: tuple[int, ...]) -> str:
    named = f", {column(value, index[1])}" if len(index) == 2 and hasattr(value, "columns") else ""
    return f" at index {index}{named}" if index else ""


def _checked(
    name: str, value: object, array: NDArray[np.float64], shape: tuple[int | None, ...], largest: float
) -> NDArray[np.float64]:
    """Return the array, made from ``value``, if it has the shape and its numbers are finite and not too large."""
    if not _fits(array, shape, 1):
        raise _misshapen(name, array, shape)
    for broken, allowed in (
        (~np.isfinite(array), "finite"),
        (np.abs(array) > largest, f"at most {largest:g} in size"),
    ):
        if broken.any():
            first = tuple(map(int, np.argwhere(broken)[0]))
            raise ValueError(f"{name} must be {allowed}, got {array[first]}{_place(value, first)}")
    return array


def _fits(array: NDArray[Any], shape: tuple[int | None, ...], least: int) -> bool:
    """Whether an array has this shape, where ``None`` allows any length of at least ``least``."""
    if array.ndim != len(shape):
        return False
    for found, wanted in zip(array.shape, shape, strict=True):  # `all` over a generator takes twice as long
        if found < least if wanted is None else found != wanted:
            return False
    return True


def _misshapen(name: str, array: NDArray[Any], shape: tuple[int | None, ...]) -> ValueError:
    wanted_shape = ", ".join("any" if wanted is None else str(wanted) for wanted in shape)
    return ValueError(f"{name} must have shape ({wanted_shape}{',' * (len(shape) == 1)}), got {array.shape}")
