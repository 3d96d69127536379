"""Recursive least squares in triangular form: what is learned stays positive definite, whatever rounding does."""

import math

import numpy as np

from agents.foundation.compiled import compiled
from agents.foundation.lanes import copy, length
from agents.foundation.typing import Float
from learners.strategic.second_order import append_row, solve_triangular


@compiled
def whiten(factor: Float, features: Float, out: Float) -> None:
    """Write the solution z of ``U^T z = x`` to ``out`` (d,), so that ``|z|^2 = x' (U^T U)^-1 x``.

    Parameters
    ----------
    factor : ndarray, shape (d, d)
        U, upper triangular.
    features : ndarray, shape (d,)
        x.
    out : ndarray, shape (d,)
        Overwritten.
    """
    copy(features, out)
    for i in range(out.shape[0]):
        value = out[i] / factor[i, i]
        out[i] = value
        for j in range(i + 1, out.shape[0]):
            out[j] -= factor[i, j] * value


@compiled
def write_gain(factor: Float, whitened: Float, out: Float) -> None:
    """Write ``A^-1 x`` with ``A = U^T U + x x^T`` to ``out`` (d,): how weights move for each unit of error.

    Parameters
    ----------
    factor : ndarray, shape (d, d)
        U, before x is appended.
    whitened : ndarray, shape (d,)
        ``U^-T x``.
    out : ndarray, shape (d,)
        Overwritten.
    """
    scale = np.hypot(1.0, safe_length(whitened))
    solve_triangular(factor, whitened / scale, out)
    for i in range(out.shape[0]):
        out[i] /= scale


@compiled
def safe_length(vector: Float) -> float:
    """Return the Euclidean norm, also where squares leave float64: features may exceed any radius that was told."""
    norm = length(vector)
    if math.isinf(norm):
        largest = np.abs(vector).max()
        norm = largest * length(vector / largest)
    return norm


@compiled
def append_features(factor: Float, features: Float) -> None:
    """Turn U (d, d) into the factor of ``U^T U + x x^T``, in place."""
    nothing = np.zeros(features.shape[0])  # the weights have moved already
    append_row(factor, nothing, features.copy(), 0.0)
