"""Sums in one fixed order, written as instructions for eight lanes: the same bits in every caller."""

import math
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.errors import TypingError

from agents.foundation.compiled import inlined, instruction
from agents.foundation.typing import Float, Numbers

LANES = 8
MOST_FETCHED = 128  # numbers of a row: the processor sees by itself that the following ones are wanted, too


def _sum_in_python(a: Float, a_factor: float, b: Float, b_factor: float, blocks: int) -> float:
    lanes = np.zeros(LANES)
    for block in range(blocks):
        eight = slice(block * LANES, (block + 1) * LANES)
        lanes += (a[eight] * a_factor) * (b[eight] * b_factor)
    pairs = lanes[:4] + lanes[4:]
    return float((pairs[0] + pairs[2]) + (pairs[1] + pairs[3]))


@instruction(_sum_in_python)
def _sum_blocks_of_eight(typing_context: Any, a: Any, a_factor: Any, b: Any, b_factor: Any, blocks: Any) -> Any:
    """Sum products over the first ``blocks`` of eight entries: lane ``i % 8`` collects, a fixed tree adds the lanes."""
    if any(array.dtype != types.float64 or array.layout != "C" for array in (a, b)):
        raise TypingError(f"dot products are of contiguous float64 arrays, got {a} and {b}")

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        vector = ir.VectorType(ir.DoubleType(), LANES)
        left, left_factor, right, right_factor, count = arguments
        left, right = (
            context.make_array(kind)(context, builder, value).data
            for kind, value in ((signature.args[0], left), (signature.args[2], right))
        )
        factors = [_splat(builder, vector, factor) for factor in (left_factor, right_factor)]
        lanes = cgutils.alloca_once_value(  # type: ignore[no-untyped-call]
            builder, ir.Constant(vector, [0.0] * LANES)
        )
        with cgutils.for_range(builder, count) as each:
            offset = builder.mul(each.index, count.type(LANES))
            scaled = [
                builder.fmul(
                    builder.load(builder.bitcast(builder.gep(data, [offset]), vector.as_pointer()), align=8), by
                )
                for data, by in zip((left, right), factors, strict=True)
            ]
            builder.store(builder.fadd(builder.load(lanes), builder.fmul(*scaled)), lanes)
        total = builder.load(lanes)
        lane = [builder.extract_element(total, ir.Constant(ir.IntType(32), i)) for i in range(LANES)]
        pairs = [builder.fadd(lane[i], lane[i + 4]) for i in range(4)]
        return builder.fadd(builder.fadd(pairs[0], pairs[2]), builder.fadd(pairs[1], pairs[3]))

    return types.float64(a, types.float64, b, types.float64, types.intp), generate


def _splat(builder: Any, vector: Any, value: Any) -> Any:
    """Return a vector with one value in all lanes."""
    filled = ir.Constant(vector, ir.Undefined)
    for i in range(LANES):
        filled = builder.insert_element(filled, value, ir.Constant(ir.IntType(32), i))
    return filled


@inlined
def scaled_dot(a: Float, a_factor: float, b: Float, b_factor: float, d: int) -> float:
    """Dot product of the first ``d`` entries of two arrays, each times a factor, in a fixed order.

    Eight lanes over the full blocks of eight, added by a fixed tree; then what remains, in order.
    """
    whole = d - d % LANES
    total = _sum_blocks_of_eight(a, a_factor, b, b_factor, d // LANES) if whole else 0.0
    for i in range(whole, d):
        total += (a[i] * a_factor) * (b[i] * b_factor)
    return total


@inlined
def dot(a: Float, b: Float) -> float:
    """Dot product of two arrays (d,) in a fixed order (`scaled_dot`): the same bits in every caller."""
    return scaled_dot(a, 1.0, b, 1.0, a.shape[0])


@inlined
def copy(source: Numbers, target: Float) -> None:
    """Copy ``source`` (d,) into ``target`` (d,); a plain loop compiles five times faster than a slice assignment."""
    for i in range(source.shape[0]):
        target[i] = source[i]


def _prefetch_in_python(rows: Float, row: int) -> None:
    """Do nothing: it is about speed."""


@instruction(_prefetch_in_python)
def prefetch(typing_context: Any, rows: Any, row: Any) -> Any:
    """Ask for one of several ``rows`` (M, d), or its beginning: memory sends it while something else is computed."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        width = builder.extract_value(array.shape, 1)
        start = builder.gep(array.data, [builder.mul(arguments[1], width)])
        most = width.type(MOST_FETCHED)
        width = builder.select(builder.icmp_signed("<", width, most), width, most)
        address, flag = ir.IntType(8).as_pointer(), ir.IntType(32)
        function = cgutils.get_or_insert_function(  # type: ignore[no-untyped-call]
            builder.module, ir.FunctionType(ir.VoidType(), [address, flag, flag, flag]), "llvm.prefetch.p0"
        )
        # A cache line holds eight numbers. To read, to keep in the nearest cache, data:
        read, keep, data = flag(0), flag(3), flag(1)
        steps = width.type(0), width, width.type(8)
        with cgutils.for_range_slice(builder, *steps) as (column, _):
            line = builder.bitcast(builder.gep(start, [column]), address)
            builder.call(function, [line, read, keep, data])
        return context.get_dummy_value()

    return types.void(rows, types.intp), generate


@inlined
def length(vector: Float) -> float:
    """Euclidean norm (fixed order)."""
    return math.sqrt(dot(vector, vector))
