"""Some who act together, whatever is published."""

import numpy as np
from numpy.typing import ArrayLike

from agents.foundation.checks import finite_array, finite_number, one_of
from agents.responses.individuals import CompiledIndividual, Terms, vector_of
from agents.responses.vector import TOGETHER, Vector

MEMBERS = ALL, QUALIFIED = "all", "qualified"


class Collective(CompiledIndividual):
    """Best-responds, unless it belongs to a collective: whose members all add the same signal to their features.

    Parameters
    ----------
    share : float
        Chance that the individual of a round is a member.
    signal : array_like, shape (d,)
        What members add.
    members : str
        ``"all"``, or ``"qualified"``: only who has the label +1.

    References
    ----------
    M. Hardt, E. Mazumdar, C. Mendler-Duenner, T. Zrnic: Algorithmic Collective Action in Machine Learning, ICML 2023.

    Examples
    --------
    >>> import numpy as np
    >>> from agents import Collective, L2Cost
    >>> from agents.foundation.streams import game_key
    >>> everybody = Collective(share=1.0, signal=[0.0, 0.25])
    >>> z, classifier = np.array([0.0, 0.0]), np.array([1.0, 0.0, -0.5])
    >>> everybody.report(z, classifier, L2Cost(alpha=1.0), game_key(seed=0), round=0)
    array([0.  , 0.25])
    """

    option = "collective"

    def __init__(self, share: float, signal: ArrayLike, members: str = ALL) -> None:
        self.share = finite_number("share", share, minimum=0.0, maximum=1.0)
        self.signal = finite_array("signal", signal, (None,)).copy()
        self.members = one_of("members", members, MEMBERS)

    def __repr__(self) -> str:
        return f"Collective(share={self.share}, signal={self.signal.tolist()}, members={self.members!r})"

    def slack_for(self, alpha: float) -> float:
        """Return how much farther than alpha the signal carries."""
        return max(0.0, float(np.linalg.norm(self.signal)) - alpha)

    def response(self, terms: Terms, games: int, block: int) -> Vector:
        """Return a response whose members are drawn for each round.

        Raises
        ------
        ValueError
            If ``signal`` has another number of features.
        """
        if self.signal.size != terms.dim:
            raise ValueError(f"signal must hold {terms.dim} numbers, one for each feature, got {self.signal.size}")
        qualified = self.members == QUALIFIED
        chosen = {"amount": self.share, "qualified_only": qualified, "numbers": self.signal}
        return vector_of(TOGETHER, terms, games, block, drawn=1, **chosen)  # type: ignore[arg-type]
