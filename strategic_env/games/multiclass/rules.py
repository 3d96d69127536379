"""One round of online multiclass classification, and its bookkeeping for N games. Nothing here knows Gymnasium.

A point comes, the learner names one of K labels (or asks), and sees of every label that its action points to in the
feedback graph whether it is the right one.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from agents.foundation.checks import LARGEST_SEED, count, shown
from agents.foundation.compiled import DirectCall, inlined, loop
from agents.foundation.streams import game_key
from agents.foundation.typing import Bool, Float, Int, Key
from agents.populations.labelled import MulticlassPopulation, multiclass_limits, played_point_source, played_points
from agents.populations.limits import Limits
from agents.populations.many_points import Coming, Drawing, ManyPoints, draw, judge
from learners.feedback.graph import FeedbackGraph
from learners.multiclass.observation import HIDDEN, LABEL, OTHER

REWARDS = ("mistake", "accuracy", "observed")
# Where a wrong label costs more or less than another.
REWARDS_OF_LOSSES = ("loss", *REWARDS)
PAID = (*REWARDS, "loss")
_MISTAKE, _ACCURACY, _OBSERVED, _LOSS = range(4)


@inlined
def reveal(reveals: Bool, action: int, label: int, feedback: Float) -> None:
    """Write what an action shows of the label to ``feedback`` (K,); ``reveals`` (n, K) is the completed graph."""
    for k in range(feedback.shape[0]):
        told = LABEL if k == label else OTHER
        feedback[k] = told if reveals[action, k] else HIDDEN


@inlined
def shown_wrong(action: int, feedback: Float) -> bool:
    """Whether the feedback (K,) shows that the action was a mistake; to ask, the node after all labels, always is."""
    if action >= feedback.shape[0] or feedback[action] == OTHER:
        return True
    wrong = False
    for k in range(feedback.shape[0]):
        wrong |= feedback[k] == LABEL and k != action
    return wrong


@inlined
def pay(kind: int, action: int, feedback: Float, mistake: bool, loss: float) -> float:
    """Return the reward of a round, by its place in `PAID`."""
    if kind == _LOSS:
        return 0.0 - loss  # never -0.0
    if kind == _ACCURACY:
        return 0.0 if mistake else 1.0
    wrong = shown_wrong(action, feedback) if kind == _OBSERVED else mistake
    return -1.0 if wrong else 0.0


@loop
def begin_games(source: Coming, drawn: Drawing, games: Int, labels: Int, observation: Float) -> None:
    """Show the first point to each of ``games`` (n,), in its row of ``observation`` (n, d + K + 2).

    ``labels`` (N,) hold the label of the point that each game shows.
    """
    d, classes = source.places.shape[0], source.classes
    for row in range(games.shape[0]):
        seen = observation[row]
        seen[0] = -1.0
        labels[games[row]] = draw(source, drawn, games[row], 0, seen[1 : d + 1])
        seen[d + 1 : d + 1 + classes] = HIDDEN
        seen[d + 1 + classes] = 0.0


@inlined
def first_illegal(nodes: int, actions: Int, active: Bool) -> int:
    """Return the first active game whose action is none of ``nodes``; -1 if there is none."""
    for game in range(active.shape[0]):
        if active[game] and not 0 <= actions[game] < nodes:
            return game
    return -1


@loop
def play_games(
    nodes: int,
    source: Coming,
    drawn: Drawing,
    reveals: Bool,
    reward_kind: int,
    actions: Int,
    active: Bool,
    rounds: Int,
    mistakes: Int,
    labels: Int,
    observation: Float,
    rewards: Float,
    mistake: Bool,
    true_label: Int,
) -> int:
    """Resolve a round of each active game, and show its next point; return as `first_illegal`, and do nothing if >= 0.

    ``rounds`` and ``mistakes`` (N,) are counted on, ``labels`` (N,) go on to the next point; the arrays from
    ``observation`` on (`Outcomes`) are overwritten.
    """
    illegal = first_illegal(nodes, actions, active)
    if illegal >= 0:
        return illegal
    d, classes = source.places.shape[0], source.classes
    for game in range(rounds.shape[0]):
        seen = observation[game]
        if not active[game]:
            seen[:] = 0.0
            rewards[game], mistake[game], true_label[game] = 0.0, False, 0
            continue
        action, label = actions[game], labels[game]
        feedback = seen[d + 1 : d + 1 + classes]
        told, loss = judge(source, drawn, game, rounds[game], action, label)
        reveal(reveals, action, told, feedback)
        wrong = action != label
        true_label[game], mistake[game] = label, wrong
        rewards[game] = pay(reward_kind, action, feedback, wrong, loss)
        mistakes[game] += wrong
        rounds[game] += 1
        seen[0], seen[d + 1 + classes] = action, rounds[game]
        labels[game] = draw(source, drawn, game, rounds[game], seen[1 : d + 1])
    return -1


@dataclass(frozen=True, kw_only=True)
class MulticlassSetting:
    """Which points come, and what actions show of their labels.

    Attributes
    ----------
    population : MulticlassPopulation
    graph : FeedbackGraph
        Its first K nodes are the labels of the population.
    population_seed : int or None
        Meet the same population in every episode; by default it is drawn afresh.

    Examples
    --------
    >>> from agents import GaussianMixture
    >>> from learners import FeedbackGraph
    >>> from strategic_env import MulticlassSetting
    >>> MulticlassSetting(population=GaussianMixture(dim=2, classes=3), graph=FeedbackGraph.named("bandit", 3)).graph
    <FeedbackGraph bandit: 3 classes>
    """

    population: MulticlassPopulation
    graph: FeedbackGraph
    population_seed: int | None = None

    def __post_init__(self) -> None:
        """Check that the parts are what they should be, and fit each other."""
        if not isinstance(self.population, MulticlassPopulation):
            raise TypeError(f"population must be a MulticlassPopulation, got {shown(self.population)}")
        if not isinstance(self.graph, FeedbackGraph):
            raise TypeError(f"graph must be a FeedbackGraph, got {shown(self.graph)}")
        self._limits  # noqa: B018  (asked now, and kept)
        if self.graph.classes != self.population.classes:
            raise ValueError(
                f"graph must be of the {self.population.classes} classes of the population, got {shown(self.graph)}"
            )
        if self.population_seed is not None:
            count("population_seed", self.population_seed, maximum=LARGEST_SEED)

    @cached_property
    def _limits(self) -> Limits:
        return multiclass_limits(self.population)

    @property
    def dim(self) -> int:
        """Number of features, as it was when the setting was made."""
        return self._limits.dim

    def source(self) -> Coming:
        """Return how points come, for compiled code."""
        source = played_point_source(self.population, self.population.source(self._population_key), self._limits)
        if source.classes != self.graph.classes:
            raise ValueError(f"the population's classes must stay {self.graph.classes}, got {source.classes}")
        return source

    def counted(self, drawn: Any, mistakes: Int) -> tuple[Float, dict[str, Float | Int]]:
        """Return the losses (N,) of N games that were played so far, and what else they count, by name."""
        return mistakes.astype(np.float64), {}

    def points(self, key: Key, rounds: int) -> tuple[Float, Int]:
        """Return the points (rounds, d) and labels (rounds,) of the episode with this key."""
        return played_points(self.population, self.population.points(key, rounds, self._population_key), rounds)

    @property
    def _population_key(self) -> Key | None:
        return None if self.population_seed is None else game_key(self.population_seed)


class Outcomes(NamedTuple):
    """What happened in one round of each of N games; zeros for games that did not play.

    Attributes
    ----------
    observation : ndarray, shape (N, d + K + 2)
        What the learner sees, laid out as `learners.multiclass.observation.Layout` says.
    reward : ndarray, shape (N,)
    mistake : ndarray, shape (N,), bool
    true_label : ndarray, shape (N,), int64
    """

    observation: Float
    reward: Float
    mistake: Bool
    true_label: Int


class MulticlassGames:
    """N games, each at a round of its own, all in one compiled loop.

    Parameters
    ----------
    setting : MulticlassSetting
    reward_kind : str
        One of `PAID`.
    games : int
        N.

    Attributes
    ----------
    rounds, mistakes : ndarray, shape (N,), int64
        Rounds played, and mistakes made, since each game's episode began.
    """

    def __init__(self, setting: MulticlassSetting, reward_kind: str, games: int) -> None:
        self._graph = setting.graph
        self._points, self._play = ManyPoints(setting.source(), games), DirectCall(play_games)
        self._reward_kind = PAID.index(reward_kind)
        self._size = setting.dim + setting.graph.classes + 2
        self._labels = np.zeros(games, dtype=np.int64)
        self.rounds = np.zeros(games, dtype=np.int64)
        self.mistakes = np.zeros(games, dtype=np.int64)

    def begin(self, games: Int, keys: Key) -> Float:
        """Let an episode begin in each of ``games`` (n,), whose keys are ``keys`` (n, 2); return what they show."""
        self._points.begin(games, keys)
        self.rounds[games] = self.mistakes[games] = 0
        observation = np.empty((len(games), self._size))
        begin_games(self._points.source, self._points.drawn, games, self._labels, observation)
        return observation

    def play(self, actions: Int, active: Bool) -> Outcomes:
        """Take one of ``actions`` (N,), int64, in each ``active`` (N,) game, and resolve the round.

        Raises
        ------
        ValueError
            If the action of an active game is none of the graph's nodes; then no game is played.
        """
        if not actions.flags.carray:
            actions = actions.copy()
        games = len(actions)
        outcomes = Outcomes(
            np.empty((games, self._size)),
            np.empty(games),
            np.empty(games, dtype=np.bool_),
            np.empty(games, dtype=np.int64),
        )
        illegal = self._play.call(
            self._graph.nodes,
            self._points.source,
            self._points.drawn,
            self._graph.reveals,
            self._reward_kind,
            actions,
            active,
            self.rounds,
            self.mistakes,
            self._labels,
            *outcomes,
        )
        if illegal >= 0:
            where = f" in game {illegal}" if games > 1 else ""
            raise ValueError(f"action must be from 0 to {self._graph.nodes - 1}, got {actions[illegal]}{where}")
        return outcomes
