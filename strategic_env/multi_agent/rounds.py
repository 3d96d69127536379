"""Rounds whose arrivals and reports are chosen from outside; the arithmetic is that of `games.strategic.rules`.

Nothing here knows PettingZoo.
"""

from typing import Any, NamedTuple, TypeAlias

import numpy as np

from agents.costs import L2, Cost, L2Cost
from agents.foundation import streams
from agents.foundation.compiled import DirectCall, brief
from agents.foundation.lanes import copy
from agents.foundation.typing import Float, Int, Key
from agents.populations.arrivals import BLOCK, draw_direction, draw_pool
from agents.populations.nature import AdaptiveArrivals
from agents.responses.answers import admit, answer_seat, draw_games, note_one
from agents.responses.effects import Gaming, label_after, standing
from agents.responses.exact import Exact
from agents.responses.lottery import Lottery
from agents.responses.vector import Vector
from strategic_env.games.strategic.rules import Outcome, judge_answer, own_row, write_outcome
from strategic_env.games.strategic.setting import FEEDBACK, Setting

# Where everybody is new there is no pool: nature then picks among the first so many who would have arrived.
POOL = 100
# Rounds drawn at a time.
_DRAWN = 4


@brief
def resolve_report(
    share: float,
    norm: int,
    labels_rejected: bool,
    reach_scale: float,
    classifier: Float,
    true_features: Float,
    label: float,
    budget: Float,
    round: int,
    movable: Int,
    bounds: Float,
    positions: Float,
    report: Float,
    observation: Float,
) -> tuple[int, bool, float, bool, float]:
    """As `resolve_answer`, of people who pay up to a share and only game: plain numbers are read sooner than tuples."""
    return resolve_answer(
        Exact(share), Gaming(), 0, norm, labels_rejected, reach_scale, classifier, true_features, label, budget, round,
        movable, bounds, positions, report, observation,
    )  # fmt: skip


@brief
def resolve_answer(
    response: Any,
    effect: Any,
    place: int,
    norm: int,
    labels_rejected: bool,
    reach_scale: float,
    classifier: Float,
    true_features: Float,
    label: float,
    budget: Float,
    round: int,
    movable: Int,
    bounds: Float,
    positions: Float,
    report: Float,
    observation: Float,
) -> tuple[int, bool, float, bool, float]:
    """Resolve a round; return (fault, moved, cost, mistake, label afterwards).

    Parameters
    ----------
    response, effect, place
        How people are expected to answer, in one game, what moving changes (`effects`), and where in a block of
        rounds this one stands.
    norm, labels_rejected, reach_scale
        See `strategic_env.Setting`.
    classifier, true_features, label, budget, round
        What the individual of round ``round`` faces, and who it is.
    movable : ndarray, shape (m,), int64
        Coordinates that somebody can move.
    bounds : ndarray, shape (2, m)
        Lowest and highest values of theirs.
    positions : ndarray, shape (m,)
        Where they are reported. The first that is out of bounds (or NaN) is the ``fault``, else -1.
    report : ndarray, shape (d,)
        Overwritten with the whole report: the truth, where this individual cannot move.
    observation : ndarray, shape (2 d + 4,)
        Overwritten with what the learner sees.
    """
    d = true_features.shape[0]
    copy(true_features, report)
    for k in range(movable.shape[0]):
        if not bounds[0, k] <= positions[k] <= bounds[1, k]:
            return k, False, 0.0, False, label
        if budget[0 if norm == L2 else movable[k]] > 0.0:
            report[movable[k]] = positions[k]
    copy(classifier, observation)
    observed = observation[d + 1 : 2 * d + 1]
    accepted, moved, cost, gain = judge_answer(
        response, effect, place, round, norm, reach_scale, classifier, true_features, budget, label, report, observed
    )
    after = label_after(effect, standing(effect, 0, true_features), gain, label)
    admitted = admit(response, 0, place, accepted)
    return -1, moved, cost, write_outcome(accepted, admitted, after, labels_rejected, round, observation), after


# Who has arrived: the round, true features (d,), label, budget (1 or d,). A tuple with names would cost time.
Arrival: TypeAlias = tuple[int, Float, float, Float]


class Pool(NamedTuple):
    """Whom nature can pick: ``features`` (M, d), ``labels`` (M,), ``budgets`` (M, 1 or d)."""

    features: Float
    labels: Float
    budgets: Float


class OpenGame:
    """One game that is played from outside: who arrives sees the classifier, and what is reported is judged.

    Parameters
    ----------
    setting, key
        See `strategic_env.games.strategic.game.Game`.
    movable : ndarray, shape (m,), int64
    bounds : ndarray, shape (2, m)
        See `resolve_report`.
    picked : bool
        Whether somebody outside picks who arrives, from the game's pool.

    Attributes
    ----------
    round, mistakes : int
        Rounds that are over, and how many of them were mistakes.
    pool : Pool or None
    """

    def __init__(self, setting: Setting, key: Key, movable: Int, bounds: Float, picked: bool = False) -> None:
        self.setting, self.key = setting, key
        self.round = self.mistakes = 0
        self.pool = pool_of(setting, key) if picked else None
        self._arrivals = setting.arrivals(key)
        self._adaptive = isinstance(self._arrivals, AdaptiveArrivals)
        dim, own = setting.dim, self._arrivals.budgets
        self._budgets = setting.budgets() if own is None else own
        self._size, self._report = 2 * dim + 4, np.empty(dim)
        self._norm, self._reach_scale = setting.norm, setting.reach_scale
        self._labels_rejected = FEEDBACK[setting.feedback]
        self._movable, self._bounds = movable, bounds
        self._response = response = setting.response(1, _DRAWN)
        self._effect = setting.effect_on(self._arrivals)
        self._plain = isinstance(response, Exact) and isinstance(self._effect, Gaming)
        self._resolve = DirectCall(resolve_report if self._plain else resolve_answer)
        self._drawn = -1
        self._labels: dict[int, float] | None = {} if isinstance(response, Vector | Lottery) else None
        self._arrived = 0
        self._block: list[Arrival] = []
        self._last_budget = self._budgets[0]

    def arrive(self, classifier: Float) -> Arrival:
        """Let the next individual arrive, who faces ``classifier`` (d + 1,)."""
        round = self._arrived
        at = round % BLOCK
        if self._adaptive:
            arrival = self._met(round, classifier)
        else:
            if at == 0:
                self._block = self._next_block(round)
            arrival = self._block[at]
        if self._labels is not None:
            self._labels[round] = arrival[2]
        self._arrived = round + 1
        return arrival

    def _next_block(self, first: int) -> list[Arrival]:
        """Return a block of arrivals, in arrays of its own: the source computes the next one into the same memory."""
        arrivals = self._arrivals
        arrivals.fill(first)
        features, labels = arrivals.features[arrivals.index], arrivals.label.tolist()
        budgets = [self._budgets[0]] * BLOCK if arrivals.budgets is None else self._budgets[arrivals.index]
        return list(zip(range(first, first + BLOCK), features, labels, budgets, strict=True))

    def _met(self, round: int, classifier: Float) -> Arrival:
        """Let the population pick who arrives."""
        arrivals = self._arrivals
        assert isinstance(arrivals, AdaptiveArrivals)
        row, label = arrivals.meet(round, classifier, self._norm, self._budgets)
        return round, arrivals.features[row].copy(), label, self._budgets[own_row(self._budgets, row)].copy()

    def pick(self, member: int) -> Arrival:
        """Let a member of the pool arrive."""
        assert self.pool is not None
        round, label, noise = self._arrived, float(self.pool.labels[member]), self.setting.population.noise
        if noise > 0.0 and streams.uniform(self.key, streams.NOISE, round) < noise:
            label = -label
        if self._labels is not None:
            self._labels[round] = label
        self._arrived = round + 1
        return round, self.pool.features[member].copy(), label, self.pool.budgets[member].copy()

    def resolve(self, arrival: Arrival, classifier: Float, positions: Float) -> Outcome:
        """Return what reporting ``positions`` (m,) to a classifier (d + 1,) leads to; `settle` makes it count.

        Raises
        ------
        ValueError
            If a number is NaN or out of bounds.
        """
        round, true_features, label, budget = arrival
        observation = np.empty(self._size)
        fault, moved, cost, mistake, after = self._resolve.call(
            *self._expected(round),
            self._norm,
            self._labels_rejected,
            self._reach_scale,
            classifier,
            true_features,
            label,
            budget,
            round,
            self._movable,
            self._bounds,
            positions,
            self._report,
            observation,
        )
        if fault >= 0:
            low, high = self._bounds[:, fault].tolist()
            raise ValueError(
                f"a report must have feature {self._movable[fault]} in [{low}, {high}], got {float(positions[fault])}"
            )
        return observation, true_features, after, moved, cost, mistake

    def _expected(self, round: int) -> tuple[Any, ...]:
        """Return how people are expected to answer in a round, as what resolves it takes it."""
        response = self._response
        if self._plain and isinstance(response, Exact):
            return (response.share,)
        first = round - round % _DRAWN
        if first != self._drawn:
            draw_games(response, self.key[np.newaxis], np.full(1, first), _DRAWN, _DRAWN)
            self._drawn = first
        return response, self._effect, round % _DRAWN

    def answer(self, round: int, classifier: Float, features: Float, budget: Float) -> Float:
        """Return what the scenario's own people report in a round that has not been resolved yet."""
        self._expected(round)
        response, place, report = self._response, round % _DRAWN, np.empty(features.size)
        label = 0.0 if self._labels is None else self._labels[round]
        answer_seat(response, place, round, self._norm, classifier, features, budget, label, report)
        return report

    def settle(self, arrival: Arrival, outcome: Outcome) -> None:
        """Count a round that is over."""
        if self._labels is not None:
            observation, truth, label, _, _, mistake = outcome
            accepted = (label > 0.0) != mistake
            note_one(self._response, accepted, observation[truth.size + 1 : 2 * truth.size + 1])
            del self._labels[arrival[0]]
        self.round += 1
        self.mistakes += outcome[-1]
        self._last_budget = arrival[3]

    def cost_of(self, round: int) -> Cost:
        """Return the manipulation cost of whoever played the last round."""
        return self.setting.cost if self.setting.population.alpha is None else L2Cost(self._last_budget[0])


def pool_of(setting: Setting, key: Key) -> Pool:
    """Return everybody who can arrive in a game; where everybody is new, the first `POOL` who would.

    Raises
    ------
    ValueError
        If only the population itself knows who arrives.
    """
    population = setting.population
    source = setting.population_source()
    if source is None:
        raise ValueError(f"nature must pick from a pool of individuals, and {type(population).__name__} has none")
    features, labels, budgets = source.features, source.labels, source.budgets
    if not len(features):
        size, dim = source.size or POOL, setting.dim
        features, labels, direction = np.empty((size, dim)), np.empty(size), np.empty(dim)
        budgets = np.empty((0 if population.alpha is None else size, 1))
        draw_direction(source.origin[0] if len(source.origin) else key, source.nonnegative, direction)
        draw_pool(source, key, direction, features, labels, budgets)
    if not len(budgets):
        shared = setting.budgets()
        budgets = np.broadcast_to(shared, (len(labels), shared.shape[1])).copy()
    return Pool(features, labels, budgets)
