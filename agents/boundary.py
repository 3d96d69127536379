"""The arithmetic at a classifier's boundary: the one place that decides who is on which side.

An individual who moves lands *on* the boundary, up to rounding. Whoever tests that with ``==`` or ``>=`` is wrong for
about half of the movers, so every part of the package asks the functions below:

* the side of the true features decides by the *gap* ``-(w.z + b)``: an individual moves iff ``0 < gap <= reach``;
* the side of a report decides with a *tolerance* that covers the rounding of a mover, proved in ``docs/numerics.md``;
* sums run in one fixed order, so that every form of the game gets the same bits.

All functions are compiled; arrays are C-contiguous float64.
"""

import math
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils

from agents.compiled import compiled, instruction
from agents.typing import Float

LANES = 8
FLOAT64_EPS = float(np.finfo(np.float64).eps)
# Below this squared norm (and above its inverse), squares of weights lose bits to under- or overflow: rescale first.
SMALLEST_SQUARED_NORM = 2.0**-900


@instruction
def _sum_blocks_of_eight(typing_context: Any, a: Any, b: Any) -> Any:
    """Sum ``a[i] * b[i]`` over the full blocks of eight: lane ``i % 8`` collects, a fixed tree adds the lanes."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        vector = ir.VectorType(ir.DoubleType(), LANES)
        left, right = (
            context.make_array(kind)(context, builder, value)
            for kind, value in zip(signature.args, arguments, strict=True)
        )
        length = builder.extract_value(left.shape, 0)
        lanes = cgutils.alloca_once_value(  # type: ignore[no-untyped-call]
            builder, ir.Constant(vector, [0.0] * LANES)
        )
        blocks = builder.sdiv(length, length.type(LANES))
        with cgutils.for_range(builder, blocks) as loop:
            offset = builder.mul(loop.index, length.type(LANES))
            loaded = [
                builder.load(builder.bitcast(builder.gep(data, [offset]), vector.as_pointer()), align=8)
                for data in (left.data, right.data)
            ]
            builder.store(builder.fadd(builder.load(lanes), builder.fmul(*loaded)), lanes)
        total = builder.load(lanes)
        lane = [builder.extract_element(total, ir.Constant(ir.IntType(32), i)) for i in range(LANES)]
        pairs = [builder.fadd(lane[i], lane[i + 4]) for i in range(4)]
        return builder.fadd(builder.fadd(pairs[0], pairs[2]), builder.fadd(pairs[1], pairs[3]))

    return types.float64(a, b), generate


@compiled
def dot(a: Float, b: Float) -> float:
    """Dot product in a fixed order: the same bits in every caller.

    Parameters
    ----------
    a, b : ndarray, shape (d,), float64, contiguous

    Returns
    -------
    float
        Eight lanes over the full blocks of eight, added by a fixed tree; then what remains, in order.
    """
    d = a.shape[0]
    whole = d - d % LANES
    total = _sum_blocks_of_eight(a, b) if whole else 0.0
    for i in range(whole, d):
        total += a[i] * b[i]
    return total


@compiled
def copy(source: Float, target: Float) -> None:
    """Copy ``source`` (d,) into ``target`` (d,); a plain loop compiles five times faster than a slice assignment."""
    for i in range(source.shape[0]):
        target[i] = source[i]


@compiled
def length(vector: Float) -> float:
    """Euclidean norm (fixed order)."""
    return math.sqrt(dot(vector, vector))


@compiled
def score(classifier: Float, features: Float) -> float:
    """``w.x + b`` of a published classifier ``[w, b]`` (d + 1,) at features (d,)."""
    d = features.shape[0]
    return dot(classifier[:d], features) + float(classifier[d])


@compiled
def rescaled(classifier: Float) -> Float:
    """Return the classifier itself, or a power of two times it where squares of its weights under- or overflow.

    A positive multiple is the same classifier and a power of two rounds nothing. The weights come to about
    ``2**-400`` or ``2**400`` and no further, so that the intercept of a published classifier cannot overflow.
    """
    d = classifier.shape[0] - 1
    squared_norm = dot(classifier[:d], classifier[:d])
    if SMALLEST_SQUARED_NORM <= squared_norm <= 1.0 / SMALLEST_SQUARED_NORM:
        return classifier
    largest = 0.0
    for i in range(d):
        largest = max(largest, abs(classifier[i]))
    if largest == 0.0:
        return classifier
    exponent = math.frexp(largest)[1]
    factor = 2.0 ** (math.copysign(400.0, exponent) - exponent)
    result = np.empty(d + 1)
    for i in range(d + 1):
        result[i] = classifier[i] * factor
    return result


@compiled
def tolerance(
    weights_norm: float, intercept: float, report_norm: float, reach_scale: float, dim: int, eps: float
) -> float:
    """How far from 0 the score ``w.x + b`` of an individual who moved to the boundary may lie.

    ``2 (d + 8) eps (|w| (|x| + A) + |b|)``, where A is the largest distance anybody moves and eps that of the coarsest
    dtype between the environment and the learner. It is generous on purpose: a mover taken for unmoved breaks Lemma 1
    of the Strategic Perceptron, an unmoved one taken for a mover costs nothing.
    """
    return 2.0 * (dim + 8) * eps * (weights_norm * (report_norm + reach_scale) + abs(intercept))


@compiled
def side(classifier: Float, report: Float, reach_scale: float, eps: float) -> int:
    """Return on which side of the boundary a report lies, up to the rounding of a mover.

    Parameters
    ----------
    classifier : ndarray, shape (d + 1,)
        ``[w, b]`` as published.
    report : ndarray, shape (d,)
        What the individual reported.
    reach_scale : float
        The largest distance anybody moves (alpha; the radius where alpha is unknown).
    eps : float
        Machine epsilon of the coarsest dtype in between.

    Returns
    -------
    int
        +1 beyond the boundary, 0 on it, -1 short of it. With ``w = 0`` nobody moves: +1 iff ``b >= 0``.
    """
    signed, _, slack = _scores(rescaled(classifier), report, reach_scale, eps)
    if signed > slack:
        return 1
    return 0 if signed >= -slack else -1


@compiled
def _scores(classifier: Float, report: Float, reach_scale: float, eps: float) -> tuple[float, float, float]:
    """Return ``w.x + b``, ``w.x`` and their tolerance; without weights ``b >= 0`` counts as 1, ``b < 0`` as -1."""
    d = report.shape[0]
    weights_norm = length(classifier[:d])
    if weights_norm == 0.0:
        return (1.0 if classifier[d] >= 0.0 else -1.0), 0.0, 0.0
    along, intercept = dot(classifier[:d], report), float(classifier[d])
    return along + intercept, along, tolerance(weights_norm, intercept, length(report), reach_scale, d, eps)


@compiled
def on_boundary(classifier: Float, report: Float, reach_scale: float, eps: float) -> bool:
    """Whether a report lies on the boundary, as every mover's does (arguments as for `side`)."""
    return side(classifier, report, reach_scale, eps) == 0


@compiled
def forbidden(classifier: Float, report: Float, reach_scale: float, eps: float) -> bool:
    """Whether ``0 < w.x`` and ``w.x + b < 0``, both beyond the tolerance (arguments as for `side`).

    If individuals could move as far as the boundary lies above the origin's hyperplane, nobody would stand there.
    """
    signed, along, slack = _scores(rescaled(classifier), report, reach_scale, eps)
    return along > slack and signed < -slack
