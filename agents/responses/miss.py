"""Who aims at the boundary and lands beside it."""

import numpy as np

from agents.foundation.checks import finite_number
from agents.responses.individuals import CompiledIndividual, Terms
from agents.responses.scalar import Scalar


class Missing(CompiledIndividual):
    """Moves when a best response does, but lands beyond the boundary, or short of it, by a distance drawn each round.

    Nobody pays more than being accepted is worth for landing beyond it, nor moves backwards.

    Parameters
    ----------
    low, high : float
        The distance beyond the boundary is uniform in ``[low, high]``; below 0 is short of it.

    Raises
    ------
    ValueError
        If ``low`` exceeds ``high``.

    Examples
    --------
    >>> import numpy as np
    >>> from agents import L2Cost, Missing
    >>> from agents.foundation.streams import game_key
    >>> z, classifier = np.array([0.0, 0.0]), np.array([1.0, 0.0, -0.5])  # accepts x with x_1 >= 0.5
    >>> report = Missing(0.1, 0.2).report(z, classifier, L2Cost(alpha=1.0), game_key(seed=0), round=0)
    >>> bool(0.6 <= report[0] <= 0.7)
    True
    """

    option = "miss"

    def __init__(self, low: float, high: float) -> None:
        self.low, self.high = finite_number("low", low), finite_number("high", high)
        if self.low > self.high:
            raise ValueError(f"low must be at most high, got low {low} and high {high}")

    def __repr__(self) -> str:
        return f"Missing(low={self.low}, high={self.high})"

    def slack_for(self, alpha: float) -> float:
        """Return how far people land from the boundary, at most."""
        return max(abs(self.low), abs(self.high))

    def response(self, terms: Terms, games: int, block: int) -> Scalar:
        """Return a response with places of landing drawn for each round."""
        room = np.zeros((2, games, block))
        return Scalar(terms.value, 0.0, self.low, self.high, terms.radius, terms.reach_scale, *room)
