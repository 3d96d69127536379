"""How an individual answers a published classifier."""

from abc import abstractmethod
from typing import ClassVar, NamedTuple, Protocol, TypeAlias

import numpy as np

from agents.costs import Cost, cost_terms
from agents.foundation.checks import LARGEST, finite_array, finite_length, finite_number, shown
from agents.foundation.typing import Float, Key
from agents.foundation.unchangeable import Unchangeable
from agents.responses.answers import answer_one, draw_games
from agents.responses.exact import Exact
from agents.responses.lottery import Lottery
from agents.responses.scalar import Scalar
from agents.responses.vector import NOISE, Vector

Response: TypeAlias = Exact | Scalar | Vector | Lottery


class Individual(Protocol):
    """A policy of individuals: sees the true features and the published classifier, returns a report.

    One of your own answers in Python, round by round: games are then played one after another, and slowly; `rollout`
    refuses. Those of this package (`CompiledIndividual`) are played in compiled code.

    Attributes
    ----------
    slack : float
        Largest distance, per coordinate, of a report from the true features beyond what the best response moves.

    Examples
    --------
    Somebody of your own, who does not move in the first ten rounds:

    >>> import numpy as np
    >>> from agents import L2Cost
    >>> from agents.foundation.streams import game_key
    >>> class Hesitant:
    ...     slack = 0.0
    ...     def report(self, features, classifier, cost, key, round):
    ...         return features if round < 10 else cost.best_response(features, classifier)
    >>> z, classifier = np.array([0.0, 0.0]), np.array([1.0, 0.0, -0.5])  # accepts x with x_1 >= 0.5
    >>> [Hesitant().report(z, classifier, L2Cost(alpha=1.0), game_key(seed=0), round) for round in (0, 10)]
    [array([0., 0.]), array([0.5, 0. ])]
    """

    slack: float

    def report(self, features: Float, classifier: Float, cost: Cost, key: Key, round: int) -> Float:
        """Return the report (d,) of the individual with true ``features`` (d,) who arrives in round ``round``."""


class Terms(NamedTuple):
    """What a compiled response must know of a game.

    Attributes
    ----------
    dim : int
    radius : float
        R, the largest norm of true features.
    reach_scale : float
        The largest distance anybody moves.
    value : float
        What being accepted is worth.
    """

    dim: int
    radius: float
    reach_scale: float
    value: float = 1.0


def vector_of(
    kind: int,
    terms: Terms,
    games: int,
    block: int,
    *,
    drawn: int = 0,
    amount: float = 0.0,
    span: int = 0,
    kept: int = 0,
    qualified_only: bool = False,
    numbers: Float | None = None,
) -> Vector:
    """Return a `Vector` of N games that draws so many numbers a round, and keeps so many classifiers or sums."""
    dim = terms.dim
    return Vector(
        kind,
        terms.value,
        amount,
        span,
        qualified_only,
        terms.reach_scale,
        terms.radius + terms.reach_scale,
        np.zeros(0) if numbers is None else numbers.copy(),
        np.zeros((games, block, drawn)),
        np.zeros((games, dim + 1)),
        np.zeros((games, dim)),
        np.zeros((games, kept, dim + 1)),
        np.zeros((games, kept + 2), dtype=np.int64),
    )


class CompiledIndividual(Unchangeable):
    """Somebody whose answers compiled code knows: every form of the game plays them without Python.

    A subclass that has a `report` of its own, and no `response`, answers in Python again.

    Attributes
    ----------
    option : str
        What scenarios call it.
    """

    option: ClassVar[str]
    slack = 0.0

    @abstractmethod
    def response(self, terms: Terms, games: int, block: int) -> Response:
        """Return the response of N games, with room for a block of so many rounds (at least 4)."""

    def slack_for(self, alpha: float) -> float:
        """Return how far a report lies beyond what a best response moves, at most, for the largest alpha."""
        return self.slack

    def report(self, features: Float, classifier: Float, cost: Cost, key: Key, round: int) -> Float:
        """Return the report (d,) in round ``round``, as if the classifier had been published all the time."""
        start = finite_array("z", features, (None,), largest=LARGEST)
        published = finite_array("classifier", classifier, (start.size + 1,))
        norm, alpha, budgets = cost_terms(cost, start.size)
        if len(budgets) != 1:
            raise ValueError(f"alpha must be one individual's, got {shown(cost)}")
        largest = float(alpha.max())
        terms = Terms(start.size, float(np.linalg.norm(start)), largest + self.slack_for(largest))
        response = self.response(terms, 1, 4)
        draw_games(response, key[np.newaxis], np.array([round // 4 * 4]), 4, 4)
        report = np.empty(start.size)
        answer_one(response, round % 4, round, norm, published, start, budgets[0], report)
        return report


def compiled_response(individual: object) -> bool:
    """Whether compiled code knows how somebody answers: its class, not a subclass with a `report`, says how."""
    kinds = (individual, *type(individual).__mro__)
    reports, compiled = (
        next((place for place, kind in enumerate(kinds) if name in getattr(kind, "__dict__", ())), len(kinds))
        for name in ("report", "response")
    )
    return compiled < len(kinds) and compiled <= reports


class BestResponse(CompiledIndividual):
    """Moves to the cheapest accepted point if that costs at most the value of being accepted.

    Examples
    --------
    >>> import numpy as np
    >>> from agents import BestResponse, L2Cost
    >>> from agents.foundation.streams import game_key
    >>> z, classifier = np.array([0.0, 0.0]), np.array([1.0, 0.0, -0.5])  # accepts x with x_1 >= 0.5
    >>> BestResponse().report(z, classifier, L2Cost(alpha=1.0), game_key(seed=0), round=0)
    array([0.5, 0. ])
    """

    option = "best"

    def __repr__(self) -> str:
        return "BestResponse()"

    def report(self, features: Float, classifier: Float, cost: Cost, key: Key, round: int) -> Float:
        """Return the best response (d,)."""
        return cost.best_response(features, classifier)

    def response(self, terms: Terms, games: int, block: int) -> Exact:
        """Return an exact response."""
        return Exact(terms.value)


class Truthful(CompiledIndividual):
    """Reports the true features, whatever the classifier.

    Examples
    --------
    >>> import numpy as np
    >>> from agents import L2Cost, Truthful
    >>> from agents.foundation.streams import game_key
    >>> z, classifier = np.array([0.0, 0.0]), np.array([1.0, 0.0, -0.5])  # accepts x with x_1 >= 0.5
    >>> Truthful().report(z, classifier, L2Cost(alpha=1.0), game_key(seed=0), round=0)
    array([0., 0.])
    """

    option = "truthful"

    def __repr__(self) -> str:
        return "Truthful()"

    def report(self, features: Float, classifier: Float, cost: Cost, key: Key, round: int) -> Float:
        """Return the true features (d,)."""
        return features.copy()

    def response(self, terms: Terms, games: int, block: int) -> Exact:
        """Return an exact response of people who pay nothing."""
        return Exact(0.0)


class Noisy(CompiledIndividual):
    """Best-responds, but misses by independent uniform noise in every coordinate that can move.

    Parameters
    ----------
    scale : float
        The noise of a coordinate lies in ``[-scale, scale]``, in units of the features.

    Examples
    --------
    >>> import numpy as np
    >>> from agents import L2Cost, Noisy
    >>> from agents.foundation.streams import game_key
    >>> z, classifier = np.array([0.0, 0.0]), np.array([1.0, 0.0, -0.5])  # accepts x with x_1 >= 0.5
    >>> report = Noisy(scale=0.1).report(z, classifier, L2Cost(alpha=1.0), game_key(seed=0), round=0)
    >>> bool((abs(report - [0.5, 0.0]) <= 0.1).all())
    True
    """

    option = "noisy"

    def __init__(self, scale: float) -> None:
        self.slack = finite_length("scale", scale)

    def __repr__(self) -> str:
        return f"Noisy(scale={self.slack})"

    def response(self, terms: Terms, games: int, block: int) -> Vector:
        """Return a response with noise drawn for each round."""
        return vector_of(NOISE, terms, games, block, drawn=terms.dim, amount=self.slack)


class BudgetLimited(CompiledIndividual):
    """Best-responds, but pays at most a share of what being accepted is worth; who cannot afford that stays.

    Parameters
    ----------
    share : float
        From 0 (never moves) to 1 (the best response).

    Examples
    --------
    >>> import numpy as np
    >>> from agents import BudgetLimited, L2Cost
    >>> from agents.foundation.streams import game_key
    >>> z, classifier = np.array([0.0, 0.0]), np.array([1.0, 0.0, -0.5])  # accepts x with x_1 >= 0.5
    >>> [BudgetLimited(share).report(z, classifier, L2Cost(alpha=1.0), game_key(seed=0), 0) for share in (0.25, 0.75)]
    [array([0., 0.]), array([0.5, 0. ])]
    """

    option = "limited"

    def __init__(self, share: float) -> None:
        self.share = finite_number("share", share, minimum=0.0, maximum=1.0)

    def __repr__(self) -> str:
        return f"BudgetLimited(share={self.share})"

    def response(self, terms: Terms, games: int, block: int) -> Exact:
        """Return an exact response of people who pay up to the share."""
        return Exact(self.share * terms.value)
