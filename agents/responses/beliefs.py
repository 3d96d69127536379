"""Who best-responds, but to another classifier than the one that judges."""

from numpy.typing import ArrayLike

from agents.foundation.checks import count, finite_array, finite_length, shown
from agents.foundation.typing import Float
from agents.responses.individuals import CompiledIndividual, Terms, vector_of
from agents.responses.vector import DARK, LAG, PERCEIVED, SPREAD, Vector

# Rounds that are kept in memory.
MOST_ROUNDS = 10**6


class Misperceiving(CompiledIndividual):
    """Takes the classifier's weights for others: decides, moves and pays by these, and is judged by the true ones.

    Parameters
    ----------
    perception : array_like, shape (d,), optional
        What everybody multiplies each weight with; 0: overlooks it.
    misperception : float, optional
        How far off an individual's weights are, drawn for each round: a normal for each weight, all together about so
        many times as long as the true weights. One of the two is given.

    Raises
    ------
    ValueError
        If both are given, or none.

    Examples
    --------
    >>> import numpy as np
    >>> from agents import L2Cost, Misperceiving
    >>> from agents.foundation.streams import game_key
    >>> z, classifier = np.array([0.0, 0.0]), np.array([0.6, 0.8, -0.3])
    >>> blind = Misperceiving(perception=[1.0, 0.0])  # nobody sees that the second feature counts
    >>> blind.report(z, classifier, L2Cost(alpha=1.0), game_key(seed=0), round=0)
    array([0.5, 0. ])
    """

    option = "misperceived"

    def __init__(self, perception: ArrayLike | None = None, misperception: float | None = None) -> None:
        if (perception is None) == (misperception is None):
            raise ValueError(
                "one of perception and misperception must be given, "
                f"got perception={shown(perception)} and misperception={shown(misperception)}"
            )
        self.perception: Float | None = None
        if perception is not None:
            self.perception = finite_array("perception", perception, (None,)).copy()
        self.misperception = 0.0 if misperception is None else finite_length("misperception", misperception)

    def __repr__(self) -> str:
        if self.perception is None:
            return f"Misperceiving(misperception={self.misperception})"
        return f"Misperceiving(perception={self.perception.tolist()})"

    def response(self, terms: Terms, games: int, block: int) -> Vector:
        """Return a response to other weights.

        Raises
        ------
        ValueError
            If ``perception`` has another number of features.
        """
        if self.perception is None:
            return vector_of(SPREAD, terms, games, block, drawn=terms.dim, amount=self.misperception)
        if self.perception.size != terms.dim:
            raise ValueError(
                f"perception must hold {terms.dim} numbers, one for each feature, got {self.perception.size}"
            )
        return vector_of(PERCEIVED, terms, games, block, numbers=self.perception)


class Lagged(CompiledIndividual):
    """Best-responds to the classifier of some rounds ago; in the first rounds, to the very first one.

    Parameters
    ----------
    lag : int
        How many rounds ago.

    Examples
    --------
    >>> from agents import Lagged
    >>> Lagged(lag=1)
    Lagged(lag=1)
    """

    option = "lagged"

    def __init__(self, lag: int) -> None:
        self.lag = count("lag", lag, maximum=MOST_ROUNDS)

    def __repr__(self) -> str:
        return f"Lagged(lag={self.lag})"

    def response(self, terms: Terms, games: int, block: int) -> Vector:
        """Return a response with room for the classifiers that are still believed in."""
        return vector_of(LAG, terms, games, block, span=self.lag, kept=self.lag + 2)


class InTheDark(CompiledIndividual):
    """Sees reports and who was accepted, but no classifier: best-responds to what separates the last ones' means.

    In the rounds of a window everybody believes that whoever is nearer to the mean of the reports that were accepted in
    the window before, than to that of the rejected ones, is accepted; everybody is truthful if one of them is missing.

    Parameters
    ----------
    window : int
        So many rounds.

    References
    ----------
    G. Ghalme, V. Nair, I. Eilat, I. Talgam-Cohen, N. Rosenfeld: Strategic Classification in the Dark, ICML 2021.

    Examples
    --------
    >>> from agents import InTheDark
    >>> InTheDark(window=50)
    InTheDark(window=50)
    """

    option = "dark"

    def __init__(self, window: int) -> None:
        self.window = count("window", window, minimum=1)

    def __repr__(self) -> str:
        return f"InTheDark(window={self.window})"

    def response(self, terms: Terms, games: int, block: int) -> Vector:
        """Return a response that begins with nothing seen."""
        return vector_of(DARK, terms, games, block, span=self.window, kept=2)
