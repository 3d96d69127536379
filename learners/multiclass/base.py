"""The interface of a multiclass learner: it names labels."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agents.foundation.checks import count, finite_number, shown
from agents.foundation.streams import game_key
from agents.foundation.typing import Int, Key
from learners.feedback.graph import FeedbackGraph
from learners.multiclass.observation import Reading, arranged, handed_out, read
from learners.multiclass.rules import advance
from learners.policy import RandomizedPolicy, RuledPolicy

State = TypeVar("State", bound=tuple[NDArray[Any], ...])


class MulticlassLearner(RandomizedPolicy[State], RuledPolicy[State]):
    """A policy that names the label of the features that it is shown, or asks for it.

    Attributes
    ----------
    classes : int
        Number of labels K.
    nodes : int
        Number of actions: K, or K + 1 with a node that asks.

    Examples
    --------
    Two games at once:

    >>> from learners import MulticlassPerceptron
    >>> learner = MulticlassPerceptron(classes=2)
    >>> nothing = {"features": [[1.0]] * 2, "feedback": [[-1, -1]] * 2, "action": [[-1]] * 2, "round": [[0]] * 2}
    >>> labels, state = learner.predict(nothing)
    >>> labels
    array([0, 0])
    >>> seen = {"features": [[1.0]] * 2, "feedback": [[0, 1], [1, 0]], "action": [[0]] * 2, "round": [[1]] * 2}
    >>> labels, state = learner.predict(seen, state)
    >>> labels
    array([1, 0])
    """

    game = "multiclass"
    classes: int
    nodes: int

    @classmethod
    def made_for(cls, graph: FeedbackGraph) -> bool:
        """Whether it is meant for what this graph reveals; others learn little there, and are no rivals by default."""
        return True

    def predict(
        self,
        observation: Mapping[str, ArrayLike] | NDArray[np.floating[Any]],
        state: State | None = None,
        episode_start: ArrayLike | None = None,
        deterministic: bool = True,
    ) -> tuple[np.int64 | Int, State]:
        """Learn from what the last round revealed, and act on the features that the observation shows.

        Parameters
        ----------
        observation : mapping or ndarray
            Of one game, or of n games with a leading axis; a mapping with the environment's keys or its flat form.
        state : NamedTuple of arrays, optional
            What the previous call returned; None begins anew. It is changed in place: copy what you want to keep
            (``copy.deepcopy(state)``). Its ``probabilities`` (n, nodes) are what the returned actions were drawn from.
        episode_start : array_like, shape (n,), bool, optional
            Games that begin anew.
        deterministic : bool
            Part of the interface; the exploration that an algorithm is made of stays on.

        Returns
        -------
        action : int64 or ndarray of int64, shape (n,)
        state : NamedTuple of arrays
            First axis: the game.

        Raises
        ------
        TypeError
            If the observation or the state is of another kind.
        ValueError
            If a shape does not fit, a number is none that an environment shows, or the state is damaged.
        """
        return self._follow_rules(observation, state, episode_start)

    by_rules, rules = predict, staticmethod(advance)
    _arranged = staticmethod(arranged)

    @property
    def _heard_of(self) -> int:
        """How many actions an observation may name: rules look an action's probability up, so its own alone."""
        return self.nodes

    def _read(self, observation: Any) -> Reading:
        return read(observation, self.classes, self._heard_of)

    def _handed_out(self, observation: Any) -> tuple[Any, ...] | None:
        return handed_out(observation, self.classes)

    def _columns(self, dim: int) -> tuple[int, ...]:
        return 1, dim, self.classes, 1

    def _advance(self, state: State, seen: Reading, rules: Callable[..., int]) -> tuple[Int, int]:
        features, feedback, last, rounds, _ = seen
        actions = np.empty(len(features), dtype=np.int64)
        return actions, rules(state, features, feedback, last, rounds, self._heard_of, actions)

    def begin_episode(self, state: State, game: int, key: Key) -> None:
        """Give a new episode a random stream of its own."""
        getattr(state, "key")[game] = key  # noqa: B009  (a State is any named tuple)

    def _weights_shape(self, dim: int) -> tuple[int, ...]:
        return (self.classes, dim)

    def _beginning(self, games: int, dim: int) -> dict[str, Any]:
        """Return the fields that every state has, before the first round."""
        return {
            "weights": np.zeros((games, self.classes, dim)),
            "features": np.zeros((games, dim)),
            "probabilities": np.zeros((games, self.nodes)),
            "scores": np.zeros((games, self.classes)),
            "key": np.array([game_key(self.seed, game) for game in range(games)]),
            "episode": np.zeros(games, dtype=np.int64),
            "decided": np.zeros(games, dtype=np.int64),
        }


def per_game(games: int, value: ArrayLike) -> Any:
    """Return a parameter, a number or an array, once for each game with a leading axis."""
    array = np.asarray(value)
    return np.repeat(array[np.newaxis], games, axis=0)


def checked_graph(graph: object) -> FeedbackGraph:
    """Return the feedback graph.

    Raises
    ------
    TypeError
        If it is none.
    """
    if not isinstance(graph, FeedbackGraph):
        raise TypeError(f"graph must be a FeedbackGraph, such as FeedbackGraph.named('bandit', 9), got {shown(graph)}")
    return graph


def self_revealing(graph: object, name: str) -> FeedbackGraph:
    """Return the feedback graph of a learner that hears whether it was right, as in bandit feedback.

    Raises
    ------
    TypeError
        If it is no graph.
    ValueError
        If some label does not reveal its own outcome.
    """
    checked = checked_graph(graph)
    blind = np.flatnonzero(~np.diagonal(checked.reveals))
    if blind.size:
        raise ValueError(
            f"{name} must hear whether it was right; graph hides that where it plays {blind[0]}: {graph!r}"
        )
    return checked


def exploration_of(name: str, gamma: float | None, horizon: int | None, power: float) -> float:
    """Return how much a learner explores: gamma, or that power of the horizon.

    Raises
    ------
    TypeError, ValueError
        If both are missing, or one is out of range.
    """
    if gamma is not None:
        return finite_number("gamma", gamma, above=0.0, maximum=1.0)
    if horizon is None:
        raise ValueError(f"{name} must be told gamma, or the horizon that it depends on")
    return float(count("horizon", horizon, minimum=1) ** power)
