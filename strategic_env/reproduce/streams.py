"""Streams against which bounds are measured: pools of separable individuals, in several orders, many games at once."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from agents.boundary import FLOAT64_EPS, forbidden
from agents.costs import respond
from agents.foundation.compiled import compiled
from agents.foundation.typing import Bool, Float, Int
from agents.populations.nature import first_error
from learners.strategic.base import Learner

POOL = 20  # individuals of a game
ORDERS = 4
# Largest norm of an individual, margin in its units, and coordinates of those who stand on a grid.
RADII, MARGINS, GRID = (0.05, 1.0, 30.0), (0.06, 0.7), 2


class Pools(NamedTuple):
    """True individuals of many games, and a hyperplane ``normal.z + offset = 0`` of each that separates them.

    Attributes
    ----------
    features : ndarray, shape (n, POOL, d)
    labels : ndarray, shape (n, POOL)
    normal : ndarray, shape (n, d)
        Of norm 1.
    offset : ndarray, shape (n,)
    """

    features: Float
    labels: Float
    normal: Float
    offset: Float

    @property
    def radius(self) -> Float:
        """R of every game (n,)."""
        return np.asarray(np.linalg.norm(self.features, axis=2).max(axis=1))

    @property
    def distances(self) -> Float:
        """Distance of every individual from the hyperplane (n, POOL)."""
        return np.asarray(np.abs(np.einsum("gpd,gd->gp", self.features, self.normal) + self.offset[:, None]))

    @property
    def margin(self) -> Float:
        """Gamma of every game (n,)."""
        return np.asarray(self.distances.min(axis=1))


def draw_pools(rng: np.random.Generator, games: int, dim: int, *, nonnegative: bool, biased: bool) -> Pools:
    """Draw pools: a third all over a ball, a third on its surface and close to the margin, a third on a grid.

    The grid brings ties and repeated individuals. ``nonnegative`` normals have no negative coordinate, ``biased``
    hyperplanes miss the origin. The members of a pool are in the order of their distance from the hyperplane.
    """
    third = games // 3
    parts = [
        _in_ball(rng, games - 2 * third, dim, nonnegative, biased, near=False),
        _in_ball(rng, third, dim, nonnegative, biased, near=True),
        _on_grid(rng, third, dim, nonnegative, biased),
    ]
    pools = Pools(*(np.concatenate(fields) for fields in zip(*parts, strict=True)))
    outwards = np.argsort(pools.distances, axis=1)
    return pools._replace(
        features=np.take_along_axis(pools.features, outwards[..., None], axis=1),
        labels=np.take_along_axis(pools.labels, outwards, axis=1),
    )


def _in_ball(rng: np.random.Generator, games: int, dim: int, nonnegative: bool, biased: bool, *, near: bool) -> Pools:
    """Draw individuals on both sides of a slab around the origin's hyperplane, then move all along its normal."""
    normal = rng.standard_normal((games, dim))
    normal = np.abs(normal) if nonnegative else normal
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    radius = rng.choice(RADII, (games, 1))
    gap = radius * rng.uniform(*MARGINS, (games, 1))
    depth = (1e-3 if near else 1.0) * rng.uniform(size=(games, POOL))
    labels = rng.choice([-1.0, 1.0], (games, POOL))
    # One individual at each pole and one at the margin: R and gamma are as drawn.
    labels[:, :2], depth[:, :3] = (-1.0, 1.0), (1.0, 1.0, 0.0)
    along = labels * (gap + depth * (radius - gap))
    across = rng.standard_normal((games, POOL, dim))
    across -= np.einsum("gpd,gd->gp", across, normal)[..., None] * normal[:, None]
    room = np.sqrt(radius**2 - along**2) * (1.0 if near or dim == 1 else rng.uniform(size=(games, POOL)) ** (1 / dim))
    lengths = np.linalg.norm(across, axis=2)
    across *= (room * (dim > 1) / np.where(lengths > 0.0, lengths, 1.0))[..., None]
    shift = radius[:, 0] * rng.uniform(-1.0, 1.0, games) if biased else np.zeros(games)
    features = (along + shift[:, None])[..., None] * normal[:, None] + across
    return Pools(features, labels, normal, -shift)


def _on_grid(rng: np.random.Generator, games: int, dim: int, nonnegative: bool, biased: bool) -> Pools:
    """Draw small integers; who would stand on the hyperplane is replaced by the one farthest from it."""
    normal = rng.integers(1, 3, (games, dim)) * (1 if nonnegative else rng.choice([-1, 1], (games, dim)))
    offset = rng.integers(-GRID, GRID + 1, games) if biased else np.zeros(games, dtype=np.int64)
    features = rng.integers(-GRID, GRID + 1, (games, POOL, dim))
    features[:, 0] = GRID * np.sign(normal)  # never on the hyperplane
    scores = np.einsum("gpd,gd->gp", features, normal) + offset[:, None]
    best = np.abs(scores).argmax(axis=1)
    everyone = np.arange(games)
    features = np.where((scores == 0)[..., None], features[everyone, best][:, None], features)
    labels = np.sign(np.einsum("gpd,gd->gp", features, normal) + offset[:, None])
    length = np.linalg.norm(normal, axis=1)
    return Pools(features.astype(float), labels.astype(float), normal / length[:, None], offset / length)


def arrival_orders(rng: np.random.Generator, pools: Pools, sweeps: int) -> Int:
    """Return who arrives when (ORDERS * n, rounds), every game in each order.

    At random; one random order, over and over; from the margin outwards; positives and negatives in turn.
    """
    games, rounds = len(pools.labels), sweeps * POOL
    outwards = np.tile(np.arange(POOL), (games, sweeps))
    drawn = rng.integers(0, POOL, (games, rounds))
    repeated = np.tile(rng.permuted(outwards[:, :POOL], axis=1), (1, sweeps))
    by_label = np.argsort(-pools.labels, axis=1, kind="stable")
    turns = [k // 2 if k % 2 else POOL - 1 - k // 2 for k in range(POOL)]
    return np.concatenate([drawn, repeated, outwards, np.tile(by_label[:, turns], (1, sweeps))])


class Games:
    """Many games of one learner, played through its ``predict``; each may be told numbers of its own.

    Parameters
    ----------
    learner : Learner
    told : mapping of str to ndarray
        Fields of the learner's state that differ from game to game.
    norm : int
        2 for l2 costs, 1 for weighted l1.
    shape : tuple of int
        Number of games n, number of features d.
    halts : bool
        Whether a game is over when a report stands where nobody would if the told reach were right.

    Attributes
    ----------
    mistakes, updates : ndarray, shape (n,), int64
        Wrong predictions, and rounds that changed the weights.
    """

    def __init__(
        self, learner: Learner[Any], told: Mapping[str, Float], norm: int, shape: tuple[int, int], *, halts: bool
    ) -> None:
        games, dim = shape
        self.mistakes, self.updates = np.zeros(games, dtype=np.int64), np.zeros(games, dtype=np.int64)
        self._learner, self._norm, self._halts = learner, norm, halts
        self._over: Bool = np.zeros(games, dtype=bool)
        self._reports, self._accepted = np.empty(shape), np.empty(games, dtype=bool)
        self._reach = told["alpha"].reshape(games, -1).max(axis=1) if halts else np.zeros(games)
        self._round = 0
        nothing = np.zeros((games, 1))
        own = {name: np.ascontiguousarray(values) for name, values in told.items()}
        self._published = np.zeros((games, dim + 1))
        self._state = learner.initial_state(games, dim)._replace(**own)
        self._learn(np.zeros(shape), nothing, nothing)

    def play(self, features: Float, labels: Float, budgets: Float) -> None:
        """Let one individual arrive in every game: true features (n, d), labels (n,), budgets (n, 1 or d)."""
        meet(self._norm, self._published, features, budgets, self._reports, self._accepted)
        predictions = np.where(self._accepted, 1.0, -1.0)
        before, faced = self._state.weights.copy(), self._published
        self._round += 1
        self._learn(self._reports, predictions[:, None], labels[:, None])
        self.mistakes += (predictions != labels) & ~self._over
        self.updates += (self._state.weights != before).any(axis=1) & ~self._over
        if self._halts:
            note_forbidden(faced, self._reports, self._reach, self._over)

    def errors(self, pools: Pools, budgets: Float) -> Int:
        """Return the first in the pool of every game on whom it errs now (n,); -1 where there is nobody."""
        found = np.empty(len(pools.labels), dtype=np.int64)
        find_errors(self._norm, self._published, pools.features, pools.labels, budgets, found)
        return np.where(self._over, -1, found)

    def _learn(self, features: Float, prediction: Float, label: Float) -> None:
        """Show the last round to the learner, and take what it publishes next."""
        observation = {
            "features": features,
            "classifier": self._published,
            "prediction": prediction,
            "label": label,
            "round": np.full((len(features), 1), float(self._round)),
        }
        published, self._state = self._learner.predict(observation, self._state)
        self._published = np.asarray(published, dtype=np.float64)


@compiled
def meet(norm: int, classifiers: Float, features: Float, budgets: Float, reports: Float, accepted: Bool) -> None:
    """Let the individual of each of n games best-respond to its classifier; write the reports and who is accepted."""
    for game in range(features.shape[0]):
        accepted[game], _, _ = respond(norm, classifiers[game], features[game], budgets[game], reports[game])


@compiled
def find_errors(norm: int, classifiers: Float, features: Float, labels: Float, budgets: Float, found: Int) -> None:
    """Write to ``found`` (n,) the first member of each pool on whom its classifier errs, or -1."""
    report = np.empty(features.shape[2])
    for game in range(features.shape[0]):
        found[game] = first_error(norm, classifiers[game], features[game], labels[game], budgets[game], 0, report)


@compiled
def note_forbidden(classifiers: Float, reports: Float, reach: Float, over: Bool) -> None:
    """Mark the games in which a report shows that nobody moves as far as the learner was told."""
    for game in range(over.shape[0]):
        over[game] |= forbidden(classifiers[game], reports[game], reach[game], FLOAT64_EPS)
