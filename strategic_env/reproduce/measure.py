"""Plays the games of a theorem and notes the largest shares of its bound that were used."""

from collections.abc import Callable

import numpy as np

from agents.foundation.typing import Float, Int
from strategic_env.reproduce.adversaries import ATTACKS
from strategic_env.reproduce.rows import NOTHING, BoundRow, Shares, row
from strategic_env.reproduce.streams import ORDERS, Games, arrival_orders, draw_pools
from strategic_env.reproduce.theorems import Case, Theorem

DIMS = (1, 2, 3, 5, 10, 20)
LARGEST_BATCH = 500  # pools that are played at once
GREEDY_ROUNDS = 400


def measure(theorem: Theorem, runs: int, tick: Callable[[], None] = lambda: None) -> BoundRow:
    """Play at least ``runs`` random streams, spread over dimensions and orders, and every adversary.

    ``tick`` is called after each of the `DIMS`. The same theorem meets the same streams every time.
    """
    random = greedy = NOTHING
    pools = -(-runs // (ORDERS * len(DIMS)))
    for dim in DIMS:
        for first in range(0, pools, LARGEST_BATCH):
            rng = np.random.default_rng([dim, first, *theorem.name.encode()])
            batch = _Batch(theorem, rng, min(LARGEST_BATCH, pools - first), dim)
            random, greedy = random.or_worse(batch.in_all_orders(rng)), greedy.or_worse(batch.greedily())
        tick()
    adversary, reached = "greedy", greedy
    if theorem.name in ATTACKS:
        attack = ATTACKS[theorem.name]()
        if attack.shares.sharpest > reached.sharpest:
            adversary, reached = attack.adversary, attack.shares
    return row(theorem.name, theorem.source, pools * ORDERS * len(DIMS), random, adversary, reached)


class _Batch:
    """Pools of one dimension with the bounds of their games."""

    def __init__(self, theorem: Theorem, rng: np.random.Generator, games: int, dim: int) -> None:
        pools = draw_pools(rng, games, dim, nonnegative=theorem.nonnegative, biased=theorem.biased)
        reaches = theorem.reaches(rng, pools)
        numbers = (
            pools.radius,
            np.minimum(pools.margin, pools.radius),  # rounding may put a lone pair beyond it
            pools.offset,
            reaches.budgets.reshape(games, -1).max(axis=1),
            reaches.told.max(axis=1),
        )
        cases = [Case(dim, *case) for case in zip(*(values.tolist() for values in numbers), strict=True)]
        self._theorem, self._pools, self._reaches = theorem, pools, reaches
        self._bounds = [
            None if bound is None else np.array([bound(case) for case in cases])
            for bound in (theorem.printed, theorem.sharpened)
        ]

    def in_all_orders(self, rng: np.random.Generator) -> Shares:
        """Play every game in each of the orders that do not look at the learner."""
        every = np.tile(np.arange(len(self._pools.labels)), ORDERS)
        games = self._games(every)
        for arriving in arrival_orders(rng, self._pools, self._theorem.sweeps).T:
            self._let_arrive(games, every, arriving)
        return self._shares(games, every)

    def greedily(self) -> Shares:
        """Let somebody arrive in every game on whom it errs, while there is anybody."""
        every = np.arange(len(self._pools.labels))
        games = self._games(every)
        for _ in range(GREEDY_ROUNDS):
            wrong = games.errors(self._pools, self._reaches.budgets)
            if (wrong < 0).all():
                break
            self._let_arrive(games, every, np.maximum(wrong, 0))  # where all are right, anybody changes nothing
        return self._shares(games, every)

    def _games(self, which: Int) -> Games:
        told = {name: values[which] for name, values in self._theorem.told(self._pools, self._reaches).items()}
        shape = len(which), self._pools.normal.shape[1]
        return Games(self._theorem.learner, told, self._theorem.norm, shape, halts=self._theorem.halts)

    def _let_arrive(self, games: Games, which: Int, members: Int) -> None:
        pools = self._pools
        games.play(pools.features[which, members], pools.labels[which, members], self._reaches.budgets[which, members])

    def _shares(self, games: Games, which: Int) -> Shares:
        counted: Float | Int = games.updates if self._theorem.counts_updates else games.mistakes
        return Shares(*(None if bound is None else float((counted / bound[which]).max()) for bound in self._bounds))
