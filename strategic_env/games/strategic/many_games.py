"""N games at once: in compiled code where the setting allows it, else one after another."""

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.costs import Cost, L2Cost, least_cost
from agents.foundation.compiled import DirectCall, loop
from agents.foundation.lanes import copy, prefetch
from agents.foundation.typing import Bool, Float, Int, Key
from agents.populations.arrivals import BLOCK, ManyArrivals
from agents.populations.groups import fill_groups
from agents.populations.sources import NEW, Source
from agents.responses.answers import draw_games
from agents.responses.effects import Gaming
from agents.responses.exact import Exact
from agents.responses.lottery import Lottery
from strategic_env.games.strategic.game import Game
from strategic_env.games.strategic.rules import (
    REWARDS,
    copy_publishable,
    own_row,
    pay,
    play_answer,
    publishable,
    reward,
)
from strategic_env.games.strategic.setting import FEEDBACK, Setting

# Numbers computed ahead, of all games together: so many stay in a processor's cache.
COMPUTED_AHEAD = 2**17
# Whose features are asked for while a game is played: those of so many games later.
AHEAD = 8


class Outcomes(NamedTuple):
    """What happened in one round of each of N games; zeros for games that did not play.

    Attributes
    ----------
    observation : ndarray, shape (N, 2 d + 4)
        What the learner sees, laid out as `learners.strategic.observation.Layout` says.
    reward : ndarray, shape (N,)
    moved, mistake : ndarray, shape (N,), bool
    true_features : ndarray, shape (N, d)
    true_label, cost : ndarray, shape (N,)
        The truth has no rows where nobody asks for it.
    aside : dict of ndarray, shape (N,)
        What infos tell besides, where they are to tell everything.
    """

    observation: Float
    reward: Float
    moved: Bool
    mistake: Bool
    true_features: Float
    true_label: Float
    cost: Float
    aside: dict[str, NDArray[Any]] = {}  # noqa: RUF012  (never written into)


@loop
def first_illegal(classifiers: Float, active: Bool) -> int:
    """Return the first active game whose classifier has an entry outside [-1, 1] or NaN; -1 if there is none."""
    for game in range(active.shape[0]):
        if active[game] and not publishable(classifiers[game]):
            return game
    return -1


@loop
def play_games(
    share: float,
    rules: Int,
    classifiers: Float,
    active: Bool,
    features: Float,
    index: Int,
    labels: Float,
    budgets: Float,
    counts: Int,
    observation: Float,
    rewards: Float,
    moved: Bool,
    mistake: Bool,
    true_features: Float,
    true_label: Float,
    cost: Float,
) -> int:
    """As `play_responses`, of people who pay up to a share and only game: plain numbers are read sooner than tuples."""
    return play_responses(
        Exact(share), Gaming(), rules, classifiers, active, features, index, labels, budgets, counts, observation,
        rewards, moved, mistake, true_features, true_label, cost,
    )  # fmt: skip


@loop
def play_responses(
    response: Any,
    effect: Any,
    rules: Int,
    classifiers: Float,
    active: Bool,
    features: Float,
    index: Int,
    labels: Float,
    budgets: Float,
    counts: Int,
    observation: Float,
    rewards: Float,
    moved: Bool,
    mistake: Bool,
    true_features: Float,
    true_label: Float,
    cost: Float,
) -> int:
    """Let the individual who is next answer in each active game; return as `first_illegal`, and count if -1.

    ``rules`` (3,) hold the norm, whether the rejected are labelled, and the kind of reward; ``index`` and ``labels``
    (N, n) a block of n rounds. ``counts`` (2, N), rounds and mistakes, go on; the arrays from ``observation`` on
    (`Outcomes`) are overwritten.
    """
    norm, labels_rejected, reward_kind = rules[0], rules[1] != 0, rules[2]
    games, last, told = active.shape[0], index.shape[1] - 1, cost.shape[0] > 0
    rounds, mistakes = counts[0], counts[1]
    for game in range(games):
        if game + AHEAD < games:  # waiting for one row of memory after another would take longer than playing
            prefetch(features, index[game + AHEAD, rounds[game + AHEAD] & last])
        seen = observation[game]
        if not active[game]:
            seen[:] = 0.0
            rewards[game], moved[game], mistake[game] = 0.0, False, False
            if told:
                true_features[game] = 0.0
                true_label[game], cost[game] = 0.0, 0.0
            continue
        if not copy_publishable(classifiers[game], seen):
            return game
        round = rounds[game]
        row, label = index[game, round & last], labels[game, round & last]
        place, budget = round & last, budgets[own_row(budgets, row)]
        moved[game], paid, mistake[game], after = play_answer(
            response, effect, game, place, norm, labels_rejected, classifiers[game], features[row], budget, label,
            round, seen,
        )  # fmt: skip
        rewards[game] = pay(reward_kind, seen, after, mistake[game])
        if told:
            copy(features[row], true_features[game])
            true_label[game], cost[game] = after, paid
    for game in range(games):
        rounds[game] += active[game]
        mistakes[game] += mistake[game]
    return -1


@loop
def fill_least_costs(
    norm: int, classifiers: Float, active: Bool, features: Float, rows: Int, budgets: Float, costs: Float
) -> None:
    """Fill ``costs`` (N,) with the `least_cost` of the individuals in ``rows`` (N,) of the features; 0 if inactive."""
    for game in range(active.shape[0]):
        budget = budgets[own_row(budgets, rows[game])]
        costs[game] = least_cost(norm, classifiers[game], features[rows[game]], budget) if active[game] else 0.0


class OutcomeArrays:
    """Arrays to write outcomes on, fresh ones for what somebody asks for.

    Parameters
    ----------
    games, dim : int
        N and d.
    info_level : str
        ``"none"``: only observations and rewards are asked for; ``"outcome"``: who moved and what was a mistake, too;
        ``"full"``: everything.
    """

    def __init__(self, games: int, dim: int, info_level: str) -> None:
        self._level, self._games, self._dim = info_level, games, dim
        self._size = 2 * dim + 4
        self._flags = np.empty(games, dtype=np.bool_), np.empty(games, dtype=np.bool_)
        self._untold = np.empty((0, dim)), np.empty(0), np.empty(0)

    def fresh(self) -> tuple[Float, Float, Bool, Bool, Float, Float, Float]:
        """Return arrays of no meaning yet, in the order of `Outcomes`."""
        games = self._games
        observation, reward = np.empty((games, self._size)), np.empty(games)
        if self._level == "none":
            return observation, reward, *self._flags, *self._untold
        moved, mistake = np.empty(games, dtype=np.bool_), np.empty(games, dtype=np.bool_)
        if self._level == "outcome":
            return observation, reward, moved, mistake, *self._untold
        return observation, reward, moved, mistake, np.empty((games, self._dim)), np.empty(games), np.empty(games)


class Games(ABC):
    """N games, each at a round of its own.

    Attributes
    ----------
    rounds, mistakes : ndarray, shape (N,), int64
        Rounds played, and mistakes made, since each game's episode began.
    """

    def __init__(self, games: int) -> None:
        self._counts = np.zeros((2, games), dtype=np.int64)

    # Views, made when asked for: a copy of this object would not keep them views.
    @property
    def rounds(self) -> Int:
        """Rounds played."""
        return np.asarray(self._counts[0])

    @property
    def mistakes(self) -> Int:
        """Mistakes made."""
        return np.asarray(self._counts[1])

    @abstractmethod
    def begin(self, games: Int, keys: Key) -> None:
        """Let an episode begin in each of ``games`` (n,), whose keys are ``keys`` (n, 2)."""

    @abstractmethod
    def play(self, classifiers: Float, active: Bool) -> Outcomes:
        """Publish ``classifiers`` (N, d + 1), one in each ``active`` (N,) game, and resolve the round.

        Raises
        ------
        ValueError
            If a number in the row of an active game is NaN or outside [-1, 1]; then no game is played.
        """

    @abstractmethod
    def cost_of(self, game: int) -> Cost:
        """Return the manipulation cost of the individual whom a game met last."""


def _refuse(classifiers: Float, game: int) -> None:
    if game >= 0:
        raise ValueError(
            f"a published classifier must have entries in [-1, 1], got {classifiers[game].tolist()} in game {game}"
        )


class CompiledGames(Games):
    """Games of individuals who answer, and arrive, by compiled rules, all in one compiled loop."""

    def __init__(self, setting: Setting, source: Source, reward_kind: str, games: int, info_level: str) -> None:
        super().__init__(games)
        dim = setting.dim
        self._arrays = OutcomeArrays(games, dim, info_level)
        # Computed individuals take room; of members, four rounds share their random bits.
        groups = setting.groups
        response = setting.response(games, BLOCK)
        exact = isinstance(response, Exact)
        block, shortest = BLOCK, 1 if source.order == NEW and exact else 4
        room = games * (1 if len(source.features) else dim)
        while block > shortest and block * room > COMPUTED_AHEAD:
            block //= 2
        self._arrivals = ManyArrivals(source, games, block)
        self._setting = setting
        arrivals = self._arrivals
        budgets = setting.budgets() if arrivals.budgets is None else arrivals.budgets
        self._known = 0
        # What is played in every round, and what it gets before and after the classifiers.
        self._response = response if block == BLOCK else setting.response(games, block)
        self._effect = setting.effect_of(source, games)
        self._draws, self._play = not exact, DirectCall(play_responses)
        self._answering: tuple[Any, ...] = self._response, self._effect
        if isinstance(response, Exact) and isinstance(self._effect, Gaming):
            self._play, self._answering = DirectCall(play_games), (response.share,)
        self._rules = np.array([setting.norm, FEEDBACK[setting.feedback], REWARDS.index(reward_kind)])
        self._table = arrivals.features, arrivals.index, arrivals.label, budgets, self._counts
        self._groups = None if groups is None or info_level != "full" else groups.table()
        self._group = np.zeros((games if self._groups else 0, block), dtype=np.int64)
        self._tells_aside = info_level == "full" and bool(setting.told_aside)

    def begin(self, games: Int, keys: Key) -> None:
        """Let an episode begin in each of ``games``."""
        self._arrivals.begin(games, keys)
        self._setting.tell_separators(self._effect, self._arrivals, games)
        self._counts[:, games] = 0
        self._known = 0

    def play(self, classifiers: Float, active: Bool) -> Outcomes:
        """Publish and resolve."""
        if not self._known:
            self._known = self._arrivals.fill(self.rounds)
            if self._draws:
                size = self._arrivals.index.shape[1]
                draw_games(self._response, self._arrivals.keys, self.rounds, size, size)
            if self._groups is not None:
                fill_groups(self._groups, self._arrivals.keys, self.rounds, self._arrivals.index, self._group)
        if not classifiers.flags.carray:
            classifiers = classifiers.copy()
        arrays = self._arrays.fresh()
        illegal = self._play.call(*self._answering, self._rules, classifiers, active, *self._table, *arrays)
        if illegal >= 0:
            _refuse(classifiers, illegal)
        self._known -= 1
        if not self._tells_aside:
            return tuple.__new__(Outcomes, (*arrays, {}))  # as `Outcomes(*arrays)`, in a third of the time
        outcomes = Outcomes(*arrays)
        return outcomes._replace(aside=self._aside(outcomes, classifiers, active))

    def _aside(self, outcomes: Outcomes, classifiers: Float, active: Bool) -> dict[str, NDArray[Any]]:
        """Return what infos tell besides of the round that was played last."""
        after = outcomes.true_label
        features, index, labels, budgets, _ = self._table
        games, at = np.arange(len(active)), (self.rounds - active) % index.shape[1]
        told: dict[str, NDArray[Any]] = {}
        if self._groups is not None:
            group, costs = self._group[games, at], np.empty(len(active))
            fill_least_costs(self._setting.norm, classifiers, active, features, index[games, at], budgets, costs)
            told |= {"group": np.where(active, group, 0), "least_cost": costs}
        if not isinstance(self._effect, Gaming):
            before = np.where(active, labels[games, at], 0.0)
            told |= {"label_before": before, "improved": before < after, "harmed": before > after}
        if isinstance(self._response, Lottery):
            predicted, positive = outcomes.observation[:, -2] > 0.0, after > 0.0
            told["accepted"] = (positive != outcomes.mistake) & active
            told["rule_mistake"] = (predicted != positive) & active
        return told

    def cost_of(self, game: int) -> Cost:
        """Return the cost of the individual met last."""
        own = self._arrivals.budgets
        if own is None:
            return self._setting.cost
        index = self._arrivals.index
        return L2Cost(own[index[game, (self.rounds[game] - 1) % index.shape[1]], 0])


class SeparateGames(Games):
    """Games whose individuals answer, or arrive, by rules in Python: `Game` objects in a row."""

    def __init__(self, setting: Setting, reward_kind: str, games: int, info_level: str) -> None:
        super().__init__(games)
        self._arrays = OutcomeArrays(games, setting.dim, "full")
        self._setting, self._reward_kind, self._tells_all = setting, reward_kind, info_level == "full"
        self._games: list[Game | None] = [None] * games

    def begin(self, games: Int, keys: Key) -> None:
        """Let an episode begin in each of ``games``."""
        for game, key in zip(games.tolist(), keys, strict=True):
            self._games[game] = Game(self._setting, key)
        self._counts[:, games] = 0

    def play(self, classifiers: Float, active: Bool) -> Outcomes:
        """Publish and resolve."""
        _refuse(classifiers, first_illegal(classifiers, active))
        arrays = self._arrays.fresh()
        told = self._setting.told_aside if self._tells_all else {}
        aside: dict[str, NDArray[Any]] = {key: np.zeros(len(self._games), kind) for key, kind in told.items()}
        for row, game in enumerate(self._games):
            values: tuple[Any, ...] = (0.0,) * len(arrays)
            if game is not None and active[row]:
                observation, true_features, label, moved, cost, mistake = played = game.play(classifiers[row])
                values = (observation, reward(self._reward_kind, played), moved, mistake, true_features, label, cost)
                self.rounds[row], self.mistakes[row] = game.round, game.mistakes
                for key, one in game.aside(played).items() if aside else ():
                    aside[key][row] = one
            for array, value in zip(arrays, values, strict=True):
                array[row] = value
        return Outcomes(*arrays, aside)

    def cost_of(self, game: int) -> Cost:
        """Return the cost of the individual met last."""
        one = self._games[game]
        return self._setting.cost if one is None else one.cost_of(one.round - 1)


def games_of(setting: Setting, reward_kind: str, games: int, info_level: str) -> Games:
    """Return N games in the fastest form that the setting allows; ``info_level`` as for `OutcomeArrays`."""
    source = setting.source()
    if source is None:
        return SeparateGames(setting, reward_kind, games, info_level)
    return CompiledGames(setting, source, reward_kind, games, info_level)
