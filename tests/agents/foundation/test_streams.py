"""Random numbers are functions of (key, purpose, round): bit for bit NumPy's Philox, disjoint, uniform."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from agents.foundation import streams

WORD = st.integers(0, 2**64 - 1)


@given(seed=st.integers(0, 2**128), game=st.integers(0, 2**31), purpose=st.integers(0, 4), round=WORD, block=WORD)
def test_philox_is_numpys_bit_for_bit(seed: int, game: int, purpose: int, round: int, block: int) -> None:
    key = streams.game_key(seed, game)
    # NumPy advances the counter before it generates.
    counter = (block + (round << 64) + (purpose << 128) - 1) % 2**256
    words = np.array([(counter >> (64 * i)) % 2**64 for i in range(4)], dtype=np.uint64)
    expected = np.random.Philox(key=key, counter=words).random_raw(4)
    got = streams.philox(key, purpose, np.uint64(round), np.uint64(block))
    assert [int(word) for word in got] == expected.tolist()


def test_games_seeds_and_episodes_have_different_keys() -> None:
    keys = [
        tuple(streams.game_key(seed, game, episode)) for seed in range(8) for game in range(8) for episode in range(8)
    ]
    assert len(set(keys)) == 512


def test_the_key_is_what_the_design_says() -> None:
    expected = np.random.SeedSequence(7, spawn_key=(3,)).generate_state(2, np.uint64)
    assert streams.game_key(7, 3).tolist() == expected.tolist()


@pytest.mark.parametrize("size", [*range(1, 40), 64, 65, 100, 1000])
def test_every_pass_is_a_permutation(size: int) -> None:
    key = streams.game_key(1)
    for first in (0, size, 7 * size):
        order = [streams.shuffled_index(key, streams.ARRIVALS, first + i, size) for i in range(size)]
        assert sorted(order) == list(range(size))


def test_orders_of_a_pass_are_equally_likely() -> None:
    counts: Counter[tuple[int, ...]] = Counter()
    key = streams.game_key(2)
    for one_pass in range(12_000):
        counts[tuple(streams.shuffled_index(key, streams.ARRIVALS, 4 * one_pass + i, 4) for i in range(4))] += 1
    observed = [counts[order] for order in permutations(range(4))]
    assert stats.chisquare(observed).pvalue > 1e-4


def test_random_indices_are_uniform() -> None:
    key = streams.game_key(3)
    draws = [streams.random_index(key, streams.ARRIVALS, t, 7) for t in range(14_000)]
    assert stats.chisquare(np.bincount(draws, minlength=7)).pvalue > 1e-4


def test_one_number_a_round_is_a_word_of_a_block_that_four_rounds_share() -> None:
    key, ahead = streams.game_key(6), np.empty(8)
    streams.fill_scalars(key, streams.GROUP, 12, ahead)
    for k, drawn in enumerate(ahead):
        word = int(streams.philox(key, streams.GROUP, np.uint64((12 + k) // 4), np.uint64(0))[(12 + k) % 4])
        assert drawn == streams.scalar(key, streams.GROUP, 12 + k) == (word >> 11) * 2.0**-53


@pytest.mark.parametrize("dim", [1, 2, 3, 4, 5, 8, 1001])
def test_normals_do_not_depend_on_how_many_are_drawn(dim: int) -> None:
    key, out, longer = streams.game_key(4), np.empty(dim), np.empty(dim + 3)
    streams.fill_normals(key, streams.POPULATION, 9, out)
    streams.fill_normals(key, streams.POPULATION, 9, longer)
    assert (out == longer[:dim]).all()


def test_normals_are_normal() -> None:
    out = np.empty(50_000)
    streams.fill_normals(streams.game_key(5), streams.POPULATION, 0, out)
    assert stats.kstest(out, "norm").pvalue > 1e-4
    assert abs(np.corrcoef(out[::2], out[1::2])[0, 1]) < 0.02
