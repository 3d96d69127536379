"""Points with one of K labels, as compiled rules: each a function of (key, round) and of what the key drew before.

A `PointSource` says how the points of a population come, in any game; `Drawn` holds what N games have drawn of it.
"""

import math
from typing import NamedTuple

import numpy as np

from agents.foundation import streams
from agents.foundation.checks import LARGEST_COUNT, LARGEST_LENGTH, count, finite_length, plain_array, shown
from agents.foundation.compiled import compiled, inlined, loop
from agents.foundation.lanes import copy, length
from agents.foundation.selection import rule_of
from agents.foundation.typing import Float, Int, Key
from agents.populations.limits import Limits, check_features, check_span
from agents.populations.many_points import begin_population, draw, judge

WORDS, MIXTURE, DATA = range(3)
# Random bits of one point: block 0 its label, from 1 on the words of its tail, from here on those that it lacks.
LACKING = 1 << 20


class Words(NamedTuple):
    """How points of 0 and 1 are made: each class owns some words of a head, and everybody uses some of a tail.

    Attributes
    ----------
    head : int
        Number of features that classes own words among; the others are the tail.
    least, most : int
        How many words a class owns: uniform over this range.
    lacking : int
        How many words of its class a point lacks.
    tail : int
        How many words of the tail a point uses.
    """

    head: int
    least: int
    most: int
    lacking: int
    tail: int


NO_WORDS = Words(0, 0, 0, 0, 0)


class PointSource(NamedTuple):
    """How points come: all that compiled code needs to know of a population.

    Attributes
    ----------
    kind : int
        ``WORDS``, ``MIXTURE`` (normal around a centre of each class) or ``DATA`` (given rows, pass after pass).
    classes : int
        K.
    noise : float
        Probability that a label is replaced by one drawn uniformly from all K.
    words : Words
    spread, radius : float
        Of a mixture: standard deviation of each coordinate, and the largest norm.
    places : ndarray, shape (d,), int64
        0, 1, ..., d - 1.
    features : ndarray, shape (M, d)
        The given rows; (0, d) where points are computed.
    labels : ndarray, shape (M,), int64
    origin : ndarray, shape (1 or 0, 2), uint64
        The key that the population is drawn from; the game's own where there is none.
    """

    kind: int
    classes: int
    noise: float
    words: Words
    spread: float
    radius: float
    places: Int
    features: Float
    labels: Int
    origin: Key

    def nothing_drawn(self, games: int) -> "Drawn":
        """Return what so many games have drawn before they begin.

        Raises
        ------
        TypeError, ValueError
            If compiled code would leave the arrays of the source.
        """
        check_point_source(self)
        classes, dim = self.classes, len(self.places)
        return Drawn(
            keys=np.zeros((games, 2), dtype=np.uint64),
            owned=np.zeros((games, classes, self.words.most), dtype=np.int64),
            sizes=np.zeros((games, classes), dtype=np.int64),
            centres=np.zeros((games, classes if self.kind == MIXTURE else 0, dim)),
        )


class Drawn(NamedTuple):
    """What N games have drawn of a population.

    Attributes
    ----------
    keys : ndarray, shape (N, 2), uint64
    owned : ndarray, shape (N, K, words.most), int64
        The words of every class, ascending; the first ``sizes`` count.
    sizes : ndarray, shape (N, K), int64
    centres : ndarray, shape (N, K, d)
        (N, 0, d) where it is no mixture.
    """

    keys: Key
    owned: Int
    sizes: Int
    centres: Float


@inlined
def index_below(bits: np.uint64, size: int) -> int:
    """Turn 64 random bits into an index uniform over ``range(size)``."""
    return int(streams.unit(bits) * size)


@loop
def mark_random(
    key: Key, purpose: int, round: int, block: int, places: Int, size: int, number: int, value: float, target: Float
) -> None:
    """Set ``target`` to ``value`` at ``number`` of the first ``size`` places, a subset drawn uniformly.

    R. W. Floyd's way (Bentley and Floyd, "A sample of brilliance", CACM 1987): one draw for each place that is marked.
    None may have the value before.
    """
    for start in range(0, number, 4):
        bits = streams.philox(key, purpose, round, block + start // 4)
        for word in range(min(4, number - start)):
            last = size - number + start + word
            place = places[index_below(bits[word], last + 1)]
            target[places[last] if target[place] == value else place] = value


@compiled
def own_words(source: PointSource, key: Key, owned: Int, sizes: Int, scratch: Float) -> None:
    """Draw the words of every class, no two alike, to ``owned`` (K, most) and ``sizes`` (K,)."""
    words = source.words
    for label in range(source.classes):
        attempt, repeated = 0, True
        while repeated:
            block = attempt << 32
            bits = streams.philox(key, streams.POPULATION, label, block)
            size = words.least + index_below(bits[0], words.most - words.least + 1)
            scratch[:] = 0.0
            mark_random(key, streams.POPULATION, label, block + 1, source.places, words.head, size, 1.0, scratch)
            found = 0
            for place in range(words.head):
                if scratch[place] == 1.0:
                    owned[label, found] = place
                    found += 1
            sizes[label] = size
            repeated = _owned_before(owned, sizes, label)
            attempt += 1


@compiled
def _owned_before(owned: Int, sizes: Int, label: int) -> bool:
    """Whether an earlier class owns the same words."""
    for other in range(label):
        same = sizes[other] == sizes[label]
        for i in range(sizes[label]):
            same &= owned[other, i] == owned[label, i]
        if same:
            return True
    return False


@compiled
def begin_game(source: PointSource, drawn: Drawn, game: int, scratch: Float) -> None:
    """Draw the population of one game; ``scratch`` (d,) is overwritten."""
    key = source.origin[0] if source.origin.shape[0] > 0 else drawn.keys[game]
    if source.kind == WORDS:
        own_words(source, key, drawn.owned[game], drawn.sizes[game], scratch)
    elif source.kind == MIXTURE:
        for label in range(source.classes):
            centre = drawn.centres[game, label]
            streams.fill_normals(key, streams.POPULATION, label, centre)
            norm = length(centre)
            for i in range(centre.shape[0]):
                centre[i] /= norm


@loop
def draw_point(source: PointSource, drawn: Drawn, game: int, round: int, features: Float) -> int:
    """Write the point of one round to ``features`` (d,) and return its label, from 0 to K - 1, noise included."""
    key = drawn.keys[game]
    if source.kind == DATA:
        row = streams.shuffled_index(key, streams.ARRIVALS, round, source.labels.shape[0])
        copy(source.features[row], features)
        label = source.labels[row]
    else:
        label = index_below(streams.philox(key, streams.ARRIVALS, round, 0)[0], source.classes)
        if source.kind == WORDS:
            write_words(source, key, round, drawn.owned[game, label], drawn.sizes[game, label], features)
        else:
            write_near(source, key, round, drawn.centres[game, label], features)
    if source.noise > 0.0:
        bits = streams.philox(key, streams.NOISE, round, 0)
        if streams.unit(bits[0]) < source.noise:
            label = index_below(bits[1], source.classes)
    return int(label)


@loop
def write_words(source: PointSource, key: Key, round: int, owned: Int, size: int, features: Float) -> None:
    """Write a point of a class that owns ``size`` words."""
    words, tail = source.words, source.places[source.words.head :]
    features[:] = 0.0
    for i in range(size):
        features[owned[i]] = 1.0
    mark_random(key, streams.ARRIVALS, round, LACKING, owned, size, words.lacking, 0.0, features)
    mark_random(key, streams.ARRIVALS, round, 1, tail, tail.shape[0], words.tail, 1.0, features)


@loop
def write_near(source: PointSource, key: Key, round: int, centre: Float, features: Float) -> None:
    """Write a point normal around a centre, drawn back to the ball of the radius where it lies beyond."""
    streams.fill_normals(key, streams.ARRIVALS, round, features)
    for i in range(features.shape[0]):
        features[i] = centre[i] + source.spread * features[i]
    norm = length(features)
    if norm > source.radius:
        for i in range(features.shape[0]):
            features[i] *= source.radius / norm


@rule_of(PointSource, begin_population)
def _begin(source: PointSource, drawn: Drawn, game: int, scratch: Float) -> None:
    begin_game(source, drawn, game, scratch)


@rule_of(PointSource, draw)
def _draw(source: PointSource, drawn: Drawn, game: int, round: int, features: Float) -> int:
    return draw_point(source, drawn, game, round, features)


@rule_of(PointSource, judge)
def _judge(source: PointSource, drawn: Drawn, game: int, round: int, action: int, label: int) -> tuple[int, float]:
    return label, 0.0 if action == label else 1.0


def check_point_source(source: PointSource) -> None:
    """Check that compiled code stays inside the arrays of a source.

    What the given rows are is not looked at (`check_points`): it takes time, and no number among them leads astray.

    Raises
    ------
    TypeError, ValueError
        If an attribute is not what `PointSource` says.
    """
    places = plain_array("the source's places", source.places, (None,), np.int64)
    if not len(places) or (places != np.arange(len(places))).any():
        raise ValueError(f"the source's places must be 0, 1, ..., d - 1, got {shown(places.tolist())}")
    kind = count("the source's kind", source.kind, maximum=DATA)
    rows = len(plain_array("the source's features", source.features, (None, len(places))))
    plain_array("the source's labels", source.labels, (rows,), np.int64)
    if (rows > 0) != (kind == DATA):
        raise ValueError(f"the source's features must have rows if its kind is {DATA} (DATA) and only then, got {rows}")
    if len(plain_array("the source's origin", source.origin, (None, 2), np.uint64)) > 1:
        raise ValueError(f"the source's origin must have one row at most, got {len(source.origin)}")
    if not isinstance(source.words, Words):
        raise TypeError(f"the source's words must be Words, got {shown(source.words)}")
    head = count("the words' head", source.words.head, maximum=len(places))
    most = count("the words' most", source.words.most, maximum=head)
    least = count("the words' least", source.words.least, maximum=most)
    count("the words' lacking", source.words.lacking, maximum=least)
    count("the words' tail", source.words.tail, maximum=len(places) - head)
    count("the source's classes", source.classes, minimum=2, maximum=LARGEST_COUNT)


def classes_of(words: Words) -> int:
    """Return how many classes may own words, so that one with words of its own is always found soon."""
    return min(LARGEST_LENGTH, math.comb(words.head, words.most) // 2)


def check_points(source: PointSource, limits: Limits, classes: int) -> None:
    """Check a source that passed `check_point_source` against what its population says, point by point.

    Raises
    ------
    TypeError
        If a number is of another kind.
    ValueError
        If a point is out of range, a label is none of 0 to K - 1, or width, classes or noise contradict the population.
    """
    for name, found, wanted in (
        ("number of places", len(source.places), limits.dim),
        ("classes", source.classes, classes),
        ("noise", source.noise, limits.noise),
    ):
        if found != wanted:
            raise ValueError(f"the source's {name} must be {wanted}, as the population says, got {found}")
    finite_length("the source's spread", source.spread)
    finite_length("the source's radius", source.radius)
    if source.kind == DATA:
        check_features("the source's features", source.features, limits)
        check_classes("the source's labels", source.labels, classes)
    elif source.kind == MIXTURE:
        check_span("the source's points", -source.radius, source.radius, source.radius, limits)
    else:
        words = source.words
        count("the source's classes", source.classes, maximum=classes_of(words))
        check_span("the source's points", 0.0, 1.0, math.sqrt(words.most - words.lacking + words.tail), limits)


def check_classes(name: str, labels: Int, classes: int) -> None:
    """Check that labels (n,) are from 0 to K - 1.

    Raises
    ------
    ValueError
        If one is not.
    """
    strange = labels[(labels < 0) | (labels >= classes)]
    if strange.size:
        raise ValueError(f"{name} must be from 0 to {classes - 1}, got {strange[0]}")
