"""Who moves more often the better it pays, but not always when it does: a quantal response."""

import numpy as np

from agents.foundation.checks import finite_length
from agents.responses.individuals import CompiledIndividual, Terms
from agents.responses.scalar import Scalar

# Of the odds u / (1 - u) of a random number the logarithm lies within so much of 0.
LARGEST_LOG_ODDS = 37.43


class Quantal(CompiledIndividual):
    """Moves across the boundary with probability ``1 / (1 + exp(-(1 - c) / temperature))`` if that costs c.

    Which is: somebody pays at most ``1 - temperature log(u / (1 - u))`` with u uniform in (0, 1), drawn for each round.

    Parameters
    ----------
    temperature : float
        How undecided people are, in units of the value of being accepted; 0: they best-respond.

    Examples
    --------
    >>> import numpy as np
    >>> from agents import L2Cost, Quantal
    >>> from agents.foundation.streams import game_key
    >>> z, classifier = np.array([0.0, 0.0]), np.array([1.0, 0.0, -0.5])  # accepts x with x_1 >= 0.5
    >>> cost, key = L2Cost(alpha=0.5), game_key(seed=0)  # moving costs just what it is worth
    >>> reports = [Quantal(0.2).report(z, classifier, cost, key, round) for round in range(1000)]
    >>> bool(0.45 < np.mean([report[0] == 0.5 for report in reports]) < 0.55)
    True
    """

    option = "quantal"

    def __init__(self, temperature: float) -> None:
        self.temperature = finite_length("temperature", temperature)

    def __repr__(self) -> str:
        return f"Quantal(temperature={self.temperature})"

    def slack_for(self, alpha: float) -> float:
        """Return how much farther than alpha the most undecided move."""
        return alpha * LARGEST_LOG_ODDS * self.temperature

    def response(self, terms: Terms, games: int, block: int) -> Scalar:
        """Return a response with what people pay drawn for each round."""
        room = np.zeros((2, games, block))
        return Scalar(terms.value, self.temperature, 0.0, 0.0, terms.radius, terms.reach_scale, *room)
