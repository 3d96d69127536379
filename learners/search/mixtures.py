"""The distribution over labels that potentials pay for: ``v`` with ``M v >= 0``, by a small simplex method.

It is compiled into the rules, so that every form of a game draws from the same numbers.
"""

import numpy as np

from agents.foundation.compiled import compiled, loop
from agents.foundation.typing import Float, Int

# What is smaller than the first, once rows are scaled to 1, counts as 0; where that leads astray, the second.
TOLERANCES = (1e-9, 1e-7)


@loop
def pays(gains: Float, label: int) -> bool:
    """Whether naming one label is paid for whatever the truth: no entry of its column of M (K, K) is negative."""
    for truth in range(gains.shape[0]):
        if gains[truth, label] < 0.0:
            return False
    return True


@compiled
def write_paid(gains: Float, scores: Float, out: Float) -> bool:
    """Write the v of the simplex with ``M v >= 0`` and the largest ``<scores, v>`` to ``out``; return whether it is.

    There is one if ``M + M^T >= 0`` (minimax: else some u had ``u^T M u < 0``).

    Parameters
    ----------
    gains : ndarray, shape (K, K)
        M.
    scores : ndarray, shape (K,)
        At least 0.
    out : ndarray, shape (K,)
        Overwritten.
    """
    classes = gains.shape[0]
    for tolerance in TOLERANCES:
        table = program(gains, scores)
        basis = maximise(table, tolerance)
        out[:] = 0.0
        for row in range(classes + 1):
            if basis[row] < classes:
                out[basis[row]] = max(0.0, table[row, classes])
        total = 0.0
        for chance in out:
            total += chance
        if total > 0.5:
            out /= total
            return True
    out[:] = 0.0
    return False


@compiled
def program(gains: Float, scores: Float) -> Float:
    """Return the table (K + 2, K + 1) of ``max <1 + scores, v>`` over ``v >= 0`` with ``-M v <= 0`` and ``sum v <= 1``.

    v = 0 is where to begin, and an optimum has the sum 1 if any v but 0 is possible, since such a v may grow.
    """
    classes = gains.shape[0]
    table = np.zeros((classes + 2, classes + 1))
    for truth in range(classes):
        largest = np.abs(gains[truth]).max()
        for label in range(classes):
            table[truth, label] = -gains[truth, label] / largest if largest > 0.0 else 0.0
    for label in range(classes):
        table[classes, label] = 1.0
        table[classes + 1, label] = -(1.0 + scores[label])
    table[classes, classes] = 1.0
    return table


@compiled
def maximise(table: Float, tolerance: float) -> Int:
    """Solve a linear program in place by the simplex method; return the basic variable of each row.

    It enters where most is gained and, of rows that tie, leaves where the pivot is largest; should that go round in
    circles, Bland's rule ends it.

    Parameters
    ----------
    table : ndarray, shape (m + 1, n + 1)
        Rows ``A x <= b`` with ``b >= 0`` as ``[A, b]``, last of them ``[-c, 0]``. Variables n to n + m - 1 are slack.
    """
    rows, columns = table.shape[0] - 1, table.shape[1] - 1
    free: Int = np.arange(columns)
    basis: Int = np.arange(columns, columns + rows)
    patience = 5 * (rows + columns)
    for step in range(20 * patience):  # rounding must not go on for ever
        bland = step > patience
        column = entering(table, free, tolerance, bland)
        row = leaving(table, basis, column, tolerance, bland) if column >= 0 else -1
        if row < 0:
            break
        pivot(table, row, column)
        free[column], basis[row] = basis[row], free[column]
    return basis


@loop
def entering(table: Float, free: Int, tolerance: float, bland: bool) -> int:
    """Return the column of the variable that gains most, or of the first one that gains; -1 if none does."""
    last, best = table.shape[0] - 1, -1
    for j in range(free.shape[0]):
        if table[last, j] < -tolerance:
            first = best < 0 or (free[j] < free[best] if bland else table[last, j] < table[last, best])
            best = j if first else best
    return best


@loop
def leaving(table: Float, basis: Int, column: int, tolerance: float, bland: bool) -> int:
    """Return the row that first becomes 0 as a variable grows; of several, see `maximise`."""
    last, best = table.shape[1] - 1, -1
    for i in range(basis.shape[0]):
        if table[i, column] > tolerance:
            ahead = 1.0
            if best >= 0:
                ahead = table[best, last] * table[i, column] - table[i, last] * table[best, column]
            if ahead == 0.0:
                ahead = float(basis[best] - basis[i]) if bland else table[i, column] - table[best, column]
            best = i if ahead > 0.0 else best
    return best


@loop
def pivot(table: Float, row: int, column: int) -> None:
    """Exchange a basic and a free variable, in place."""
    inverse = 1.0 / table[row, column]
    for j in range(table.shape[1]):
        table[row, j] *= inverse
    for i in range(table.shape[0]):
        factor = table[i, column]
        if i != row and factor != 0.0:
            for j in range(table.shape[1]):
                table[i, j] -= factor * table[row, j]
            table[i, column] = -factor * inverse
    table[row, column] = inverse
