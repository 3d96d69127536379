"""The interface of a learner of contextual search: it guesses values."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agents.foundation.typing import Float
from learners.policy import RuledPolicy, State
from learners.search.observation import Reading, arranged, handed_out, read
from learners.search.rules import advance


class SearchLearner(RuledPolicy[State]):
    """A policy that guesses ``<x, p>`` for a hidden point p of the unit ball, and hears on which side it lies.

    Examples
    --------
    >>> from learners import ContextualSearch
    >>> learner = ContextualSearch()
    >>> nothing = {"features": [1.0], "guess": [0.0], "answer": [0], "round": [0]}
    >>> guess, state = learner.predict(nothing)
    >>> told = {"features": [1.0], "guess": guess, "answer": [1], "round": [1]}
    >>> guess, state = learner.predict(told, state)
    >>> guess.round(3)
    array([0.5])
    """

    game = "search"

    def predict(
        self,
        observation: Mapping[str, ArrayLike] | NDArray[np.floating[Any]],
        state: State | None = None,
        episode_start: ArrayLike | None = None,
        deterministic: bool = True,
    ) -> tuple[Float, State]:
        """Learn from the answer to the last guess, and guess for the features that the observation shows.

        Parameters
        ----------
        observation : mapping or ndarray
            Of one game, or of n games with a leading axis; a mapping with the environment's keys or its flat form.
        state : NamedTuple of arrays, optional
            What the previous call returned; None begins anew. It is changed in place: copy what you want to keep
            (``copy.deepcopy(state)``).
        episode_start : array_like, shape (n,), bool, optional
            Games that begin anew.
        deterministic : bool
            Part of the interface; the draws that an algorithm is made of stay.

        Returns
        -------
        guess : ndarray, shape (1,) or (n, 1)
            In [-1, 1].
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
    _read, _arranged = staticmethod(read), staticmethod(arranged)

    def _handed_out(self, observation: Any) -> tuple[Any, ...] | None:
        return handed_out(observation)

    def _columns(self, dim: int) -> tuple[int, ...]:
        return 1, dim, 1, 1

    def _advance(self, state: State, seen: Reading, rules: Callable[..., int]) -> tuple[Float, int]:
        guesses = np.empty((len(seen.features), 1))
        return guesses, rules(state, seen.features, seen.answer, seen.guess, seen.rounds, guesses)
