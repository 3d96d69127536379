"""Two convex sets that nobody can learn: points of a sphere, each in the one or the other set by the toss of a coin."""

import math
from typing import NamedTuple

import numpy as np

from agents.foundation import streams
from agents.foundation.checks import LARGEST_LENGTH, count, finite_length
from agents.foundation.compiled import loop
from agents.foundation.lanes import copy, dot
from agents.foundation.selection import rule_of
from agents.foundation.typing import Float, Int, Key
from agents.populations.centre_labels import judge_centre
from agents.populations.centre_queries import draw_uniform
from agents.populations.centre_source import RANDOM
from agents.populations.labelled import NO_ORIGIN, MulticlassPopulation
from agents.populations.many_points import begin_population, draw, judge

# The distance to a hull is exact to this share of itself, unless it takes more steps.
ACCURACY, MOST_STEPS = 1e-9, 10_000
# How far an empty set is: the diameter of what points lie in.
FAR = 2.0


class ConvexSource(NamedTuple):
    """How points come: what `agents.populations.centre_source.CentreSource` says, where it applies."""

    classes: int
    exponent: float
    margin: float
    noise: float
    corruption: int
    pattern: int
    rounds: int
    places: Int
    origin: Key

    def nothing_drawn(self, games: int) -> "ConvexDrawn":
        """Return what so many games have drawn before they begin."""
        d, sites = len(self.places), self.rounds + 1  # the last one is shown after the last round
        return ConvexDrawn(
            keys=np.zeros((games, 2), dtype=np.uint64),
            centres=np.zeros((games, 2, d)),
            gaps=np.zeros((games, 2)),
            judged=np.zeros((games, 5)),
            counted=np.zeros((games, 4)),
            sites=np.zeros((games, sites, d)),
            members=np.zeros((games, sites)),
            scratch=np.zeros((games, sites + d)),
        )


class ConvexDrawn(NamedTuple):
    """What N games have drawn, and what they count: see `agents.populations.centre_source.CentresDrawn`.

    Attributes
    ----------
    sites : ndarray, shape (N, T + 1, d)
        The points of all rounds.
    members : ndarray, shape (N, T + 1)
        Their labels.
    """

    keys: Key
    centres: Float
    gaps: Float
    judged: Float
    counted: Float
    sites: Float
    members: Float
    scratch: Float


@rule_of(ConvexSource, begin_population)
def _begin(source: ConvexSource, drawn: ConvexDrawn, game: int, scratch: Float) -> None:
    drawn.counted[game, :] = 0.0
    drawn.judged[game, :] = 0.0
    toss_all(source, drawn.keys[game], drawn.sites[game], drawn.members[game])


@loop
def toss_all(source: ConvexSource, game_key: Key, sites: Float, members: Float) -> None:
    """Draw the points of all rounds on the unit sphere across the last coordinate, and toss a coin for each."""
    for round in range(members.shape[0]):
        key = source.origin[0] if source.origin.shape[0] > 0 else game_key
        draw_uniform(key, streams.POPULATION, round, False, sites[round, : sites.shape[1] - 1])
        members[round] = 1.0 if streams.uniform(key, streams.NOISE, round) < 0.5 else 0.0


@rule_of(ConvexSource, draw)
def _draw(source: ConvexSource, drawn: ConvexDrawn, game: int, round: int, features: Float) -> int:
    return draw_site(source, drawn, game, round, features)


@loop
def draw_site(source: ConvexSource, drawn: ConvexDrawn, game: int, round: int, features: Float) -> int:
    """Write a round's point and return its label; note how far the hull of the other label's points is."""
    label = int(drawn.members[game, round])
    copy(drawn.sites[game, round], features)
    drawn.gaps[game, label] = 0.0
    sites, members, scratch = drawn.sites[game], drawn.members[game], drawn.scratch[game]
    drawn.gaps[game, 1 - label] = distance_to_hull(
        sites, members, 1.0 - label, features, scratch[: members.shape[0]], scratch[members.shape[0] :]
    )
    return label


@loop
def distance_to_hull(sites: Float, members: Float, label: float, point: Float, shares: Float, way: Float) -> float:
    """Return how far a point (d,) is from the hull of the sites with a label (Mitchell, Dem'yanov, Malozemov, 1974).

    ``shares`` (M,) and ``way`` (d,) are overwritten: how the nearest point of the hull is mixed, and the way to it.
    Each step moves share from the site of the mixture that lies farthest along the way to the nearest of all.
    """
    nearest, least = -1, np.inf
    for site in range(members.shape[0]):
        shares[site] = 0.0
        if members[site] == label:
            square = dot(sites[site], sites[site]) - 2.0 * dot(sites[site], point)
            if square < least:
                nearest, least = site, square
    if nearest < 0:
        return FAR
    shares[nearest] = 1.0
    for i in range(way.shape[0]):
        way[i] = sites[nearest, i] - point[i]
    for _ in range(MOST_STEPS):
        enter, leave, low, high = nearest, nearest, np.inf, -np.inf
        for site in range(members.shape[0]):
            if members[site] == label:
                along = dot(sites[site], way)
                if along < low:
                    enter, low = site, along
                if shares[site] > 0.0 and along > high:
                    leave, high = site, along
        square = dot(way, way)
        if square - (low - dot(point, way)) <= ACCURACY * square:
            break
        width = 0.0
        for i in range(way.shape[0]):
            step = sites[enter, i] - sites[leave, i]
            width += step * step
        moved = min(shares[leave], (high - low) / width)
        shares[leave] -= moved
        shares[enter] += moved
        for i in range(way.shape[0]):
            way[i] += moved * (sites[enter, i] - sites[leave, i])
    return math.sqrt(dot(way, way))


@rule_of(ConvexSource, judge)
def _judge(
    source: ConvexSource, drawn: ConvexDrawn, game: int, round: int, action: int, label: int
) -> tuple[int, float]:
    return judge_centre(source, drawn, game, round, action, label)  # type: ignore[arg-type]  # it has what is asked of it


class CoinFlips(MulticlassPopulation):
    """Points of two convex sets that make every learner's loss grow with the rounds, from five dimensions on.

    The points lie on the unit sphere of the hyperplane where the last coordinate is 0, uniformly, and a fair coin puts
    each into one of two sets, the hulls of the points with either label. Lifted by heights that vanish, each point onto
    the middle of the hyperplanes that separate the earlier ones, the two sets do not touch, and either label stays
    possible until it is told: half of all answers are wrong, whoever plays. A wrong one costs the distance to the hull
    of the other set, of order ``T^(-2 / (d - 2))``, so that T rounds cost ``T^((d - 4) / (d - 2))``. Here the heights
    have vanished: float64 could not show them after some rounds, and no distance changes.

    Parameters
    ----------
    dim : int
        Number of features d, at least 3.
    margin : float
        Mistakes that cost at least this are robust.

    Raises
    ------
    TypeError, ValueError
        For numbers out of range.

    References
    ----------
    Paes Leme, Podimata, Schneider (2021), Margin-independent online multiclass learning via convex geometry, NeurIPS,
    Section 5.

    Examples
    --------
    >>> import numpy as np
    >>> from agents import CoinFlips
    >>> from agents.foundation.streams import game_key
    >>> points, labels = CoinFlips(dim=6).points(game_key(seed=0), rounds=100)
    >>> np.linalg.norm(points, axis=1).round(9).tolist() == [1.0] * 100, bool(points[:, -1].any())
    (True, False)
    """

    query = "sphere"
    classes = 2
    noise = 0.0

    def __init__(self, dim: int = 6, *, margin: float = 0.1) -> None:
        self.dim = count("dim", dim, minimum=3, maximum=LARGEST_LENGTH)
        self.margin = finite_length("margin", margin, above=0.0)
        self.radius = 1.0
        self.high = np.ones(self.dim)
        self.low = -self.high

    def source(self, population_key: Key | None = None) -> ConvexSource:
        """Return how points come in an episode of one round."""
        return ConvexSource(
            classes=self.classes,
            exponent=1.0,
            margin=self.margin,
            noise=0.0,
            corruption=0,
            pattern=RANDOM,
            rounds=1,
            places=np.arange(self.dim),
            origin=NO_ORIGIN if population_key is None else population_key[np.newaxis],
        )

    def points(self, key: Key, rounds: int, population_key: Key | None = None) -> tuple[Float, Int]:
        """Return the points (rounds, d) and labels (rounds,), int64, of the episode with this key."""
        sites, members = np.zeros((rounds, self.dim)), np.zeros(rounds)
        toss_all(self.source(population_key), key, sites, members)
        return sites, members.astype(np.int64)
