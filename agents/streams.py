"""Random numbers as a function of (key, purpose, round): nothing is stored, and any round can be computed at any time.

The generator is Philox 4x64-10 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011),
bit for bit that of `numpy.random.Philox`. A *key* (2,) uint64 belongs to one game; the counter holds
``(block, round, purpose, 0)``, so streams of different games, purposes and rounds never overlap.
"""

import math
from typing import Any, TypeAlias

import numpy as np
from llvmlite import ir
from numba import types

from agents.compiled import compiled, instruction
from agents.typing import Float, Key

FourWords: TypeAlias = tuple[np.uint64, np.uint64, np.uint64, np.uint64]

POPULATION, ARRIVALS, NOISE, FEEDBACK, INDIVIDUAL, REACH = range(6)

_MULTIPLIER_0, _MULTIPLIER_1 = np.uint64(0xD2E7470EE14C6C93), np.uint64(0xCA5A826395121157)
_WEYL_0, _WEYL_1 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBB67AE8584CAA73B)
_ROUNDS_OF_PHILOX = 10
# With 4 or 6 stages the orders of a handful of individuals are visibly uneven; with 8 and more they are not.
_STAGES_OF_SHUFFLE = 10


def game_key(seed: int, game: int = 0, episode: int = 0) -> Key:
    """Return the key (2,) uint64 of one episode of one game: ``SeedSequence(seed, spawn_key=(game,))``.

    Later episodes of the game append their number to the spawn key, so a run of several episodes is reproducible.
    """
    spawn_key = (game, episode) if episode else (game,)
    return np.random.SeedSequence(seed, spawn_key=spawn_key).generate_state(2, np.uint64).astype(np.uint64)


@instruction
def _high_product(typing_context: Any, a: Any, b: Any) -> Any:
    """Upper 64 bits of the 128-bit product of two uint64."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        wide = ir.IntType(128)
        product = builder.mul(*(builder.zext(value, wide) for value in arguments))
        return builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), ir.IntType(64))

    return types.uint64(types.uint64, types.uint64), generate


@compiled
def philox(key: Key, purpose: int, moment: int, block: int) -> FourWords:
    """Four uint64 at the counter ``(block, moment, purpose, 0)``; ``moment`` is a round or an individual's index."""
    c0, c1, c2, c3 = np.uint64(block), np.uint64(moment), np.uint64(purpose), np.uint64(0)
    k0, k1 = key[0], key[1]
    for _ in range(_ROUNDS_OF_PHILOX):
        high_0, low_0 = _high_product(_MULTIPLIER_0, c0), _MULTIPLIER_0 * c0
        high_1, low_1 = _high_product(_MULTIPLIER_1, c2), _MULTIPLIER_1 * c2
        c0, c1, c2, c3 = high_1 ^ c1 ^ k0, low_1, high_0 ^ c3 ^ k1, low_0
        k0 += _WEYL_0
        k1 += _WEYL_1
    return c0, c1, c2, c3


@compiled
def unit(bits: np.uint64) -> float:
    """Turn 64 random bits into a uniform number in [0, 1)."""
    return float((bits >> np.uint64(11)) * 2.0**-53)


@compiled
def uniform(key: Key, purpose: int, moment: int) -> float:
    """One uniform number in [0, 1)."""
    return unit(philox(key, purpose, moment, 0)[0])


@compiled
def fill_uniforms(key: Key, purpose: int, moment: int, out: Float) -> None:
    """Fill ``out`` (d,) with uniform numbers in [0, 1), from block 1 on; block 0 is the caller's."""
    for i in range(out.shape[0]):
        out[i] = unit(philox(key, purpose, moment, 1 + i // 4)[i % 4])


@compiled
def fill_normals(key: Key, purpose: int, moment: int, out: Float) -> None:
    """Fill ``out`` (d,) with standard normals (Box and Muller) from block 1 on; block 0 is the caller's."""
    d = out.shape[0]
    for start in range(0, d, 4):
        bits = philox(key, purpose, moment, 1 + start // 4)
        for pair in range(2):
            i = start + 2 * pair
            if i >= d:
                return
            spread = math.sqrt(-2.0 * math.log(1.0 - unit(bits[2 * pair])))
            angle = 2.0 * math.pi * unit(bits[2 * pair + 1])
            out[i] = spread * math.cos(angle)
            if i + 1 < d:
                out[i + 1] = spread * math.sin(angle)


@compiled
def random_index(key: Key, purpose: int, moment: int, size: int) -> int:
    """Return an index uniform over ``range(size)``, independent from round to round."""
    return int(np.int64(_high_product(philox(key, purpose, moment, 0)[0], np.uint64(size))))


@compiled
def shuffled_index(key: Key, purpose: int, moment: int, size: int) -> int:
    """Return the ``moment``-th index of endless passes over ``range(size)``, each pass in its own random order.

    A keyed Feistel network permutes the next larger power of four; walking its cycle stays inside ``range(size)``
    (Black and Rogaway, "Ciphers with arbitrary finite domains", 2002). Constant memory, and any round at once.
    """
    one_pass, index = moment // size, np.uint64(moment % size)
    half = 1
    while (1 << (2 * half)) < size:
        half += 1
    mask = np.uint64((1 << half) - 1)
    while True:
        left, right = index >> np.uint64(half), index & mask
        for stage in range(_STAGES_OF_SHUFFLE):
            mixed = philox(key, purpose, one_pass, (stage << 32) + int(right))[0]
            left, right = right, left ^ (mixed & mask)
        index = (left << np.uint64(half)) | right
        if index < size:
            return int(np.int64(index))
