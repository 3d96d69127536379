"""Halving by Chebyshev centres: the centres farthest from all that mistakes have excluded, by a linear program."""

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.foundation.checks import flag
from agents.foundation.typing import Bool, Float, Int, Key
from learners.multiclass.label_learner import LabelLearner
from learners.multiclass.observation import Reading, revealed_label
from learners.multiclass.rules import distribute, update
from learners.multiclass.scores import leader, write_mixture, write_scores
from learners.search.in_python import LARGEST, advance_in_python, are_numbers
from learners.search.lifting import LARGEST_POWER, SIMILARITIES, Lift, fits, lift
from learners.strategic.rules import stays_inside

# A margin up to this says that nothing satisfies all labels: the program reports success, with all centres alike.
COLLAPSED = 1e-6


class ChebyshevState(NamedTuple):
    """What one game has learned.

    Attributes
    ----------
    weights : ndarray, shape (n, K, D)
        The Chebyshev centre: of each label, one in the space of lifted queries.
    features, probabilities, scores, key, episode, decided : ndarray
        See `learners.multiclass.rules`.
    query : ndarray, shape (n, D)
        The lifted features.
    history : ndarray, shape (n,), object
        Tuples ``(label, *query)`` of the mistakes that still count.
    margin : ndarray, shape (n,)
        Of the last program; 1 before the first.
    kind : ndarray, shape (n,), int64
        Of the lift.
    restart : ndarray, shape (n,), bool
    collapses : ndarray, shape (n,), int64
        How often no centres satisfied all labels. Without restarts, nothing is learned after the first time.
    """

    weights: Float
    features: Float
    probabilities: Float
    scores: Float
    key: Key
    episode: Int
    decided: Int
    query: Float
    history: NDArray[np.object_]
    margin: Float
    kind: Int
    restart: Bool
    collapses: Int


@stays_inside.register(ChebyshevState)
def _is_sound(state: ChebyshevState, game: int) -> bool:
    return bool(
        fits(int(state.kind[game]), state.features.shape[1], state.query.shape[1])
        and are_numbers(state, game)
        and isinstance(state.history[game], tuple)
    )


def is_mistake(mistake: object, classes: int, lifted: int) -> bool:
    """Whether this is a label and a lifted query."""
    if not (isinstance(mistake, tuple) and len(mistake) == 1 + lifted and mistake[0] in range(classes)):
        return False
    return all(isinstance(number, float) and abs(number) <= LARGEST for number in mistake[1:])


@distribute.register(ChebyshevState)
def _distribute(state: ChebyshevState, game: int) -> None:
    lift(int(state.kind[game]), state.features[game], state.query[game])
    write_scores(state.weights[game], state.query[game], state.scores[game])
    write_mixture(leader(state.scores[game]), 0.0, state.scores.shape[1], state.probabilities[game])


@update.register(ChebyshevState)
def _update(state: ChebyshevState, game: int, action: int, feedback: Float) -> None:
    label = revealed_label(feedback)
    if label < 0 or label == leader(state.scores[game]) or not state.query[game].any():
        return
    if state.collapses[game] and not state.restart[game]:
        return
    classes, lifted = state.scores.shape[1], state.query.shape[1]
    if not all(is_mistake(earlier, classes, lifted) for earlier in state.history[game]):
        raise ValueError(f"history must hold labels with lifted queries in game {game}")
    mistake = (label, *state.query[game].tolist())
    centres, margin = chebyshev_centre((*state.history[game], mistake), classes)
    if margin <= COLLAPSED:
        state.collapses[game] += 1
        state.margin[game] = margin
        if not state.restart[game]:
            return
        state.history[game] = ()
        centres, margin = chebyshev_centre((mistake,), classes)
    state.history[game] = (*state.history[game], mistake)
    state.weights[game], state.margin[game] = centres, margin


def chebyshev_centre(mistakes: tuple[tuple[float, ...], ...], classes: int) -> tuple[Float, float]:
    """Return the centres (K, D) of the largest ball in the cube where every mistake's label wins, and its radius.

    The ball lies in ``[-1, 1]^(K D)``, and ``<q, x_label - x_other> >= sqrt(2) |q| radius`` for every other label.
    """
    from scipy.optimize import linprog  # heavy

    dim, rows = len(mistakes[0]) - 1, []
    for label, *query in mistakes:
        for other in range(classes):
            if other != label:
                row = np.zeros((classes, dim))
                row[int(label)], row[other] = np.negative(query), query
                rows.append(np.append(row, np.sqrt(2.0) * np.linalg.norm(query)))
    size = classes * dim
    cube = np.hstack([np.vstack([np.eye(size), -np.eye(size)]), np.ones((2 * size, 1))])
    limits = np.concatenate([np.zeros(len(rows)), np.ones(2 * size)])
    bounds = [(-1.0, 1.0)] * size + [(0.0, 1.0)]
    found = linprog(np.append(np.zeros(size), -1.0), np.vstack([rows, cube]), limits, bounds=bounds, method="highs")
    if found.x is None:
        return np.zeros((classes, dim)), 0.0
    return found.x[:size].reshape(classes, dim), float(found.x[size])


class ChebyshevHalving(LabelLearner[ChebyshevState]):
    """Names the nearest of the centres that lie farthest from everything that its mistakes have excluded.

    Each mistake costs a linear program in ``K D`` variables, so it plays in Python. One false label may leave no
    centres at all: the program then succeeds with all of them alike, which the margin shows (``state.margin``,
    ``state.collapses``).

    Parameters
    ----------
    classes : int
        Number of labels K.
    similarity, p, levels
        As for `KCentres`.
    restart : bool
        Whether to forget everything when no centres are left; else it learns nothing more.

    Warnings
    --------
    Nothing is proved of it. One wrong label may leave no centres at all; then it learns nothing more unless
    ``restart=True``. It plays in Python, a linear program for each mistake.

    Notes
    -----
    A rival: with a margin, halving makes ``O(K d log(1 / margin))`` mistakes by centres of gravity; nothing is proved
    of Chebyshev centres, nor of the loss.

    References
    ----------
    The rival that halves by Chebyshev centres in place of centres of gravity; this package's own form.

    Examples
    --------
    >>> from learners import ChebyshevHalving
    >>> learner = ChebyshevHalving(classes=2)
    >>> label, state = learner.predict({"features": [1.0, 0.0], "feedback": [-1, -1], "action": [-1], "round": [0]})
    >>> label, state = learner.predict({"features": [0.8, 0.6], "feedback": [0, 1], "action": [0], "round": [1]}, state)
    >>> int(label), state.margin.round(3)
    (1, array([0.586]))
    """

    name = "chebyshev-halving"
    state_class = ChebyshevState
    summary = "halving by the Chebyshev centre of what mistakes leave, by linear programs (in Python)"
    welcomes = ("similarity", "p", "levels")
    defaults = ()  # a scenario of centres names it

    def __init__(
        self,
        classes: int,
        similarity: Annotated[str, f"one of {', '.join(SIMILARITIES)}"] = "inner",
        p: Annotated[float | None, f"null: as similarity says; up to {LARGEST_POWER:g}"] = None,
        levels: Annotated[int | None, "null: queries may lie anywhere"] = None,
        restart: bool = False,
    ) -> None:
        super().__init__(classes)
        self.lift = Lift(similarity, p, levels)
        self.restart = flag("restart", restart)
        self.parameters |= {"similarity": similarity, "p": p, "levels": levels, "restart": restart}

    def has_rules(self) -> bool:
        """Whether it has compiled rules: no, it solves programs."""
        return False

    def _handed_out(self, observation: Any) -> tuple[Any, ...] | None:
        return None

    def _advance(self, state: ChebyshevState, seen: Reading, rules: Callable[..., int]) -> tuple[Int, int]:
        return advance_in_python(state, seen)

    def _weights_shape(self, dim: int) -> tuple[int, ...]:
        return self.classes, self.lift.dim(dim)

    def initial_state(self, games: int, dim: int) -> ChebyshevState:
        """Return all centres in the middle."""
        lifted = self.lift.dim(dim)
        history = np.empty(games, dtype=object)
        history[:] = [()] * games
        return ChebyshevState(
            **self._beginning(games, dim) | {"weights": np.zeros((games, self.classes, lifted))},
            query=np.zeros((games, lifted)),
            history=history,
            margin=np.ones(games),
            kind=np.full(games, self.lift.kind),
            restart=np.full(games, self.restart),
            collapses=np.zeros(games, dtype=np.int64),
        )
