"""Random numbers as a function of (key, purpose, round): nothing is stored, and any round can be computed at any time.

The generator is Philox 4x64-10 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011),
bit for bit that of `numpy.random.Philox`. A *key* (2,) uint64 belongs to one game; the counter holds
``(block, round, purpose, 0)``, so streams of different games, purposes and rounds never overlap.
"""

from typing import Any, TypeAlias

import numpy as np
from llvmlite import ir
from numba import types
from numpy.typing import NDArray

from agents.foundation import ziggurat
from agents.foundation.checks import LARGEST_SEED as LARGEST_SEED
from agents.foundation.compiled import compiled, inlined, instruction
from agents.foundation.typing import Float, Int, Key

Words: TypeAlias = NDArray[np.uint32]
FourWords: TypeAlias = tuple[np.uint64, np.uint64, np.uint64, np.uint64]

POPULATION, ARRIVALS, NOISE, FEEDBACK, INDIVIDUAL, REACH = range(6)
# Of what is one number a round: see `scalar`.
REACTION, LANDING, PERCEPTION, LOTTERY, COLLECTIVE, GROUP = range(6, 12)

_MULTIPLIER_0, _MULTIPLIER_1 = np.uint64(0xD2E7470EE14C6C93), np.uint64(0xCA5A826395121157)
_WEYL_0, _WEYL_1 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBB67AE8584CAA73B)
_ROUNDS_OF_PHILOX = 10
_MOST_ATTEMPTS = 1000
# The constants of NumPy's SeedSequence.
_POOL_FACTOR, _POOL_STEP = np.uint32(0x43B0D7E5), np.uint32(0x931E8875)
_KEY_FACTOR, _KEY_STEP = np.uint32(0x8B51F9DD), np.uint32(0x58F38DED)
_MIX_TARGET, _MIX_WORD = np.uint32(0xCA01F9DD), np.uint32(0x4973F715)
# With 4 or 6 stages the orders of a handful of individuals are visibly uneven; with 8 and more they are not.
_STAGES_OF_SHUFFLE = 10


def game_key(seed: int, game: int = 0, episode: int = 0) -> Key:
    """Return the key (2,) uint64 of one episode of one game: ``SeedSequence(seed, spawn_key=(game,))``.

    Later episodes of the game append their number to the spawn key, so a run of several episodes is reproducible.
    """
    spawn_key = (game, episode) if episode else (game,)
    return np.random.SeedSequence(seed, spawn_key=spawn_key).generate_state(2, np.uint64).astype(np.uint64)


@compiled
def game_keys(seeds: Words, games: Int, episodes: Int, keys: Key) -> None:
    """Write the key of one episode of each of n games to ``keys`` (n, 2): the same as `game_key`, far faster.

    This is NumPy's ``SeedSequence`` (M. E. O'Neill's design), whose 128 bits of pool make each key.

    Parameters
    ----------
    seeds : ndarray, shape (n, 4), uint32
        Seeds below 2**128 in words, the lowest first (`seed_words`).
    games, episodes : ndarray, shape (n,), int64
        Numbers below 2**32.
    keys : ndarray, shape (n, 2), uint64
        Overwritten.
    """
    pool = np.empty(4, dtype=np.uint32)
    for row in range(games.shape[0]):
        factor = _POOL_FACTOR
        for i in range(4):
            pool[i], factor = _hashed(seeds[row, i], factor, _POOL_STEP)
        for source in range(4):
            for target in range(4):
                if source != target:
                    word, factor = _hashed(pool[source], factor, _POOL_STEP)
                    pool[target] = _mixed(pool[target], word)
        for extra in range(2 if episodes[row] > 0 else 1):
            for target in range(4):
                word, factor = _hashed(np.uint32((games[row], episodes[row])[extra]), factor, _POOL_STEP)
                pool[target] = _mixed(pool[target], word)
        factor = _KEY_FACTOR
        for i in range(2):
            low, factor = _hashed(pool[2 * i], factor, _KEY_STEP)
            high, factor = _hashed(pool[2 * i + 1], factor, _KEY_STEP)
            keys[row, i] = np.uint64(low) | (np.uint64(high) << np.uint64(32))


@compiled
def _hashed(word: np.uint32, factor: np.uint32, step: np.uint32) -> tuple[np.uint32, np.uint32]:
    """Return the hash of one word, and the factor for the next."""
    following = np.uint32(factor * step)
    word = np.uint32(np.uint32(word ^ factor) * following)
    return np.uint32(word ^ (word >> np.uint32(16))), following


@compiled
def _mixed(target: np.uint32, word: np.uint32) -> np.uint32:
    """Return one word of the pool with another mixed into it."""
    mixed = np.uint32(np.uint32(_MIX_TARGET * target) - np.uint32(_MIX_WORD * word))
    return np.uint32(mixed ^ (mixed >> np.uint32(16)))


def seed_words(seed: int) -> NDArray[np.uint32]:
    """Return a seed below 2**128 as four words (4,) uint32, the lowest first."""
    return np.array([(seed >> (32 * i)) & 0xFFFFFFFF for i in range(4)], dtype=np.uint32)


def _product_in_python(a: np.uint64, b: np.uint64) -> tuple[np.uint64, np.uint64]:
    upper, lower = divmod(int(a) * int(b), 2**64)
    return np.uint64(upper), np.uint64(lower)


@instruction(_product_in_python)
def _product(typing_context: Any, a: Any, b: Any) -> Any:
    """Upper and lower 64 bits of the 128-bit product of two uint64: one multiplication gives both."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        wide, word = ir.IntType(128), ir.IntType(64)
        product = builder.mul(*(builder.zext(value, wide) for value in arguments))
        halves = builder.lshr(product, ir.Constant(wide, 64)), product
        return context.make_tuple(builder, signature.return_type, [builder.trunc(half, word) for half in halves])

    both = types.UniTuple(types.uint64, 2)  # type: ignore[no-untyped-call]
    return both(types.uint64, types.uint64), generate


@inlined
def philox(key: Key, purpose: int, round: int, block: int) -> FourWords:
    """Four uint64 at the counter ``(block, round, purpose, 0)``; ``round`` is a round or an individual's index."""
    c0, c1, c2, c3 = np.uint64(block), np.uint64(round), np.uint64(purpose), np.uint64(0)
    k0, k1 = key[0], key[1]
    for _ in range(_ROUNDS_OF_PHILOX):
        high_0, low_0 = _product(_MULTIPLIER_0, c0)
        high_1, low_1 = _product(_MULTIPLIER_1, c2)
        c0, c1, c2, c3 = high_1 ^ c1 ^ k0, low_1, high_0 ^ c3 ^ k1, low_0
        k0 += _WEYL_0
        k1 += _WEYL_1
    return c0, c1, c2, c3


@inlined
def unit(bits: np.uint64) -> float:
    """Turn 64 random bits into a uniform number in [0, 1)."""
    return float((bits >> np.uint64(11)) * 2.0**-53)


@inlined
def odds(bits: np.uint64) -> float:
    """Turn 64 random bits into ``u / (1 - u)`` of a uniform number ``u = (k + 1/2) 2^-53``, which is never 0 nor 1."""
    twice = np.int64(bits >> np.uint64(11)) * 2 + 1
    return float(twice) / float(2**54 - twice)


@inlined
def uniform(key: Key, purpose: int, round: int) -> float:
    """One uniform number in [0, 1)."""
    return unit(philox(key, purpose, round, 0)[0])


@inlined
def scalar(key: Key, purpose: int, round: int) -> float:
    """Return the uniform number in [0, 1) of one round; four rounds share a block of random bits (`random_index`)."""
    return unit(philox(key, purpose, round // 4, 0)[round % 4])


@inlined
def fill_scalars(key: Key, purpose: int, first: int, out: Float) -> None:
    """Fill ``out`` (n,) with the `scalar` of the rounds from ``first`` on; both are multiples of 4."""
    for k in range(0, out.shape[0], 4):
        bits = philox(key, purpose, (first + k) // 4, 0)
        for word in range(4):
            out[k + word] = unit(bits[word])


@compiled
def fill_uniforms(key: Key, purpose: int, round: int, out: Float) -> None:
    """Fill ``out`` (d,) with uniform numbers in [0, 1), from block 1 on; block 0 is the caller's."""
    d = out.shape[0]
    for start in range(0, d, 4):
        first, second, third, fourth = philox(key, purpose, round, 1 + start // 4)
        out[start] = unit(first)
        if start + 1 < d:
            out[start + 1] = unit(second)
        if start + 2 < d:
            out[start + 2] = unit(third)
        if start + 3 < d:
            out[start + 3] = unit(fourth)


@inlined
def fill_normals(key: Key, purpose: int, round: int, out: Float) -> None:
    """Fill ``out`` (d,) with standard normals (`foundation.ziggurat`) from block 1 on; block 0 is the caller's."""
    d = out.shape[0]
    for start in range(0, d, 4):
        # Written out: a loop over the four words would take them from memory.
        first, second, third, fourth = philox(key, purpose, round, 1 + start // 4)
        out[start] = _normal(key, purpose, round, start, first)
        if start + 1 < d:
            out[start + 1] = _normal(key, purpose, round, start + 1, second)
        if start + 2 < d:
            out[start + 2] = _normal(key, purpose, round, start + 2, third)
        if start + 3 < d:
            out[start + 3] = _normal(key, purpose, round, start + 3, fourth)


@inlined
def _normal(key: Key, purpose: int, round: int, place: int, bits: np.uint64) -> float:
    """Return the normal at ``place`` that these bits give, or further ones where they leave it open."""
    value, inside = ziggurat.candidate(bits)
    return value if inside else _outside(key, purpose, round, place, bits)


@compiled
def _outside(key: Key, purpose: int, round: int, place: int, bits: np.uint64) -> float:
    """Return the normal at ``place`` whose bits hit an edge or the tail; further bits come from blocks of its own."""
    for attempt in range(_MOST_ATTEMPTS):
        more = philox(key, purpose, round, ((1 + place) << 32) + attempt)
        value, accepted = ziggurat.edge_or_tail(bits, unit(more[0]), unit(more[1]))
        if accepted:
            return value
        if ziggurat.in_tail(bits):
            continue  # a tail that was chosen stays chosen; elsewhere everything is drawn anew
        bits = more[2]
        value, inside = ziggurat.candidate(bits)
        if inside:
            return value
    return 0.0  # less likely than a broken computer


@inlined
def random_index(key: Key, purpose: int, round: int, size: int) -> int:
    """Return an index uniform over ``range(size)``, independent from round to round.

    Four rounds share a block of random bits: round t takes word ``t % 4`` of number ``t // 4``.
    """
    return _index(philox(key, purpose, round // 4, 0)[round % 4], size)


@inlined
def _index(bits: np.uint64, size: int) -> int:
    return int(np.int64(_product(bits, np.uint64(size))[0]))


@inlined
def fill_random_indices(key: Key, purpose: int, first: int, size: int, out: Int) -> None:
    """Fill ``out`` (n,) with the `random_index` of the rounds from ``first`` on; both are multiples of 4."""
    for k in range(0, out.shape[0], 4):
        bits = philox(key, purpose, (first + k) // 4, 0)
        for word in range(4):
            out[k + word] = _index(bits[word], size)


@compiled
def shuffled_index(key: Key, purpose: int, round: int, size: int) -> int:
    """Return the ``round``-th index of endless passes over ``range(size)``, each pass in its own random order.

    A keyed Feistel network permutes the next larger power of four; walking its cycle stays inside ``range(size)``
    (Black and Rogaway, "Ciphers with arbitrary finite domains", 2002). Constant memory, and any round at once.
    """
    one_pass, index = round // size, np.uint64(round % size)
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
