"""Who answers a rule on which there is an announced lottery."""

import numpy as np
from numpy.typing import ArrayLike

from agents.foundation.checks import finite_array, shown
from agents.responses.individuals import CompiledIndividual, Terms, compiled_response
from agents.responses.lottery import Lottery


class UnderLottery(CompiledIndividual):
    """Answers a rule on which there is a lottery: as somebody to whom being accepted is worth ``p1 - p0``.

    Games then accept by the lottery. The prediction stays that of the rule; mistakes, and which labels are shown, go by
    who is accepted.

    Parameters
    ----------
    individual : CompiledIndividual
        How people answer without it.
    lottery : array_like, shape (2,)
        ``[p0, p1]``: with which probability those are accepted whom the rule rejects, and those whom it accepts.

    Raises
    ------
    TypeError
        If compiled code does not know how the individual answers.
    ValueError
        If not ``0 <= p0 <= p1 <= 1``.

    Examples
    --------
    >>> import numpy as np
    >>> from agents import BestResponse, L2Cost, UnderLottery
    >>> from agents.foundation.streams import game_key
    >>> z, classifier = np.array([0.0, 0.0]), np.array([1.0, 0.0, -0.5])  # accepts x with x_1 >= 0.5
    >>> for p0 in (0.4, 0.6):  # moving gains 0.6, and 0.4
    ...     one = UnderLottery(BestResponse(), lottery=[p0, 1.0])
    ...     print(one.report(z, classifier, L2Cost(alpha=1.0), game_key(seed=0), round=0))
    [0.5 0. ]
    [0. 0.]
    """

    option = "lottery"

    def __init__(self, individual: CompiledIndividual, lottery: ArrayLike) -> None:
        if not isinstance(individual, CompiledIndividual) or not compiled_response(individual):
            raise TypeError(f"individual must be one of those of this package, got {shown(individual)}")
        low, high = finite_array("lottery", lottery, (2,)).tolist()
        if not 0.0 <= low <= high <= 1.0:
            raise ValueError(f"lottery must be [p0, p1] with 0 <= p0 <= p1 <= 1, got {shown(lottery)}")
        self.individual, self.lottery = individual, (low, high)

    def __repr__(self) -> str:
        return f"UnderLottery({self.individual!r}, lottery={list(self.lottery)})"

    def slack_for(self, alpha: float) -> float:
        """Return the slack of the individual."""
        return self.individual.slack_for(alpha)

    def response(self, terms: Terms, games: int, block: int) -> Lottery:
        """Return the response of people to whom being accepted is worth less, and the lottery."""
        low, high = self.lottery
        inner = self.individual.response(terms._replace(value=terms.value * (high - low)), games, block)
        return Lottery(inner, low, high, np.zeros((games, block)))
