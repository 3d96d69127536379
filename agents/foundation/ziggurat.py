"""Standard normals from uniform bits by the ziggurat (Marsaglia and Tsang, "The ziggurat method", 2000).

The density ``exp(-x^2 / 2)`` is covered by 256 layers of equal area: a random layer and a random place in it give a
normal at once, unless the place lies at the layer's edge, or in the tail of the lowest layer.
"""

import math

import numpy as np

from agents.foundation.compiled import compiled, inlined
from agents.foundation.typing import Float

LAYERS = 256
# Where the tail begins: the one place with which 256 layers close at the top of the density.
TAIL = 3.6541528853610088
# Of a layer: that of the lowest one, a rectangle and the tail.
AREA = TAIL * math.exp(-0.5 * TAIL * TAIL) + math.sqrt(0.5 * math.pi) * math.erfc(TAIL * math.sqrt(0.5))


def _widths() -> Float:
    """Return the half widths (LAYERS + 1,) from the lowest layer, which the tail stretches, to 0."""
    widths = np.zeros(LAYERS + 1)
    widths[0], widths[1] = AREA / math.exp(-0.5 * TAIL * TAIL), TAIL
    for i in range(2, LAYERS):
        top = AREA / widths[i - 1] + math.exp(-0.5 * widths[i - 1] ** 2)
        widths[i] = math.sqrt(-2.0 * math.log(top))
    return widths


WIDTHS = _widths()
DENSITIES = np.exp(-0.5 * WIDTHS**2)


@inlined
def candidate(bits: np.uint64) -> tuple[float, bool]:
    """Return the place that 64 random bits name, and whether it surely lies below the density."""
    layer = np.int64(bits & np.uint64(LAYERS - 1))
    value = float(np.int64(bits) >> 11) * 2.0**-52 * WIDTHS[layer]
    return value, abs(value) < WIDTHS[layer + 1]


@inlined
def in_tail(bits: np.uint64) -> bool:
    """Whether a place that `candidate` left open is in the tail, not at a layer's edge."""
    return bool(bits & np.uint64(LAYERS - 1) == np.uint64(0))


@compiled
def edge_or_tail(bits: np.uint64, first: float, second: float) -> tuple[float, bool]:
    """Decide, with two more uniform numbers in [0, 1), about a place that `candidate` left open.

    A refused place in the tail must be followed by another in the tail, one at an edge by any other.
    """
    layer = np.int64(bits & np.uint64(LAYERS - 1))
    value, _ = candidate(bits)
    if layer > 0:
        height = DENSITIES[layer] + first * (DENSITIES[layer + 1] - DENSITIES[layer])
        return value, height < math.exp(-0.5 * value * value)
    beyond = -math.log(1.0 - first) / TAIL
    return math.copysign(TAIL + beyond, value), -2.0 * math.log(1.0 - second) > beyond * beyond
