"""How an individual answers a published classifier."""

from typing import Protocol

import numpy as np

from agents.costs import L2, Cost, L2Cost, WeightedL1Cost
from agents.foundation import streams
from agents.foundation.checks import finite_length, finite_number
from agents.foundation.typing import Float, Key
from agents.foundation.unchangeable import Unchangeable


class Individual(Protocol):
    """A policy of individuals: sees the true features and the published classifier, returns a report.

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


class BestResponse(Unchangeable):
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

    slack = 0.0

    def __repr__(self) -> str:
        return "BestResponse()"

    def report(self, features: Float, classifier: Float, cost: Cost, key: Key, round: int) -> Float:
        """Return the best response (d,)."""
        return cost.best_response(features, classifier)


class Truthful(Unchangeable):
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

    slack = 0.0

    def __repr__(self) -> str:
        return "Truthful()"

    def report(self, features: Float, classifier: Float, cost: Cost, key: Key, round: int) -> Float:
        """Return the true features (d,)."""
        return features.copy()


class Noisy(Unchangeable):
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

    def __init__(self, scale: float) -> None:
        self.slack = finite_length("scale", scale)

    def __repr__(self) -> str:
        return f"Noisy(scale={self.slack})"

    def report(self, features: Float, classifier: Float, cost: Cost, key: Key, round: int) -> Float:
        """Return the best response plus noise (d,)."""
        answer = cost.best_response(features, classifier)
        movable = np.broadcast_to(cost.budgets(features.size)[0] > 0.0, features.shape)
        draws = np.empty(features.size)
        streams.fill_uniforms(key, streams.INDIVIDUAL, round, draws)
        return np.where(movable, answer + self.slack * (2.0 * draws - 1.0), answer)


class BudgetLimited(Unchangeable):
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

    slack = 0.0

    def __init__(self, share: float) -> None:
        self.share = finite_number("share", share, minimum=0.0, maximum=1.0)

    def __repr__(self) -> str:
        return f"BudgetLimited(share={self.share})"

    def report(self, features: Float, classifier: Float, cost: Cost, key: Key, round: int) -> Float:
        """Return the best response (d,) if it costs at most the share, else the true features."""
        alpha = self.share * cost.alpha
        affordable = L2Cost(alpha) if cost.norm == L2 else WeightedL1Cost(alpha)
        return affordable.best_response(features, classifier)
