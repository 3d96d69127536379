"""Contextual search: a learner that guesses values, one interface over several ways to know the hidden point."""

from collections.abc import Callable
from typing import Annotated, Any

from agents.foundation.checks import LARGEST_SEED, count, finite_number, one_of
from agents.foundation.typing import Float
from learners.policy import Policy
from learners.search.base import SearchLearner
from learners.search.density_search import Density
from learners.search.observation import Reading, handed_out
from learners.search.search_bodies import Exact, Sampled, advance_in_python
from learners.search.search_engines import Ellipsoids, OneScale, SearchEngine

ENGINES: dict[str, type[SearchEngine]] = {
    "ellipsoid": Ellipsoids, "one-scale": OneScale, "exact": Exact, "sampled": Sampled,
    "density": Density,
}  # fmt: skip


class ContextualSearch(SearchLearner[Any]):
    """Guesses such that either answer takes a share of what the hidden point may still be.

    Parameters
    ----------
    engine : str
        What it knows the point by. ``"ellipsoid"``: slack ellipsoids at 31 scales, in any dimension. ``"one-scale"``:
        the one scale that a known margin needs. ``"exact"``: polytopes of 2 to 4 dimensions; ``"sampled"``: clouds of
        samples, up to about 20 dimensions; these two play in Python. ``"density"``: a normal density that answers tilt,
        in any dimension, for answers some of which are false.
    margin : float, optional
        How small losses need be for one scale, above 0.
    exponent : float
        The power of the loss that the potential bounds; the guesses do not depend on it.
    seed : int
        Of the draws of engines that sample.

    Warnings
    --------
    One false answer voids what is proved of all engines but the density: the point is cut away, and nothing notices.
    Exact bodies play in 2 to 4 dimensions only.

    Notes
    -----
    `guarantee` says what is proved of the engine. Of the ellipsoids: the total loss is of order ``d^2 log d``, whatever
    the number of rounds. One false answer voids it; what a density loses, it only adds to.

    References
    ----------
    Liu, Paes Leme, Schneider (2021), Optimal contextual pricing and extensions, SODA, for the potential; the ellipsoids
    are own.

    Examples
    --------
    >>> from learners import ContextualSearch
    >>> learner = ContextualSearch()
    >>> learner.guarantee
    'proved: the total loss is at most the potential, of order d^2 log d, for any number of rounds'
    >>> guess, state = learner.predict({"features": [1.0, 0.0], "guess": [0.0], "answer": [0], "round": [0]})
    >>> before = learner.potential(state)
    >>> told = {"features": [0.0, 1.0], "guess": guess, "answer": [-1], "round": [1]}
    >>> guess, state = learner.predict(told, state)
    >>> bool(learner.potential(state)[0] < before[0])
    True
    """

    name = "contextual-search"
    state_class = ENGINES["ellipsoid"].state_class
    summary = "contextual search by knowledge sets: guesses a hidden point's values"
    welcomes = ("margin", "exponent")

    def __init__(
        self,
        engine: Annotated[str, f"one of {', '.join(ENGINES)}"] = "ellipsoid",
        margin: Annotated[float | None, "null: what the scenario tells"] = None,
        exponent: float = 1.0,
        seed: int = 0,
    ) -> None:
        self.engine = one_of("engine", engine, tuple(ENGINES))
        self.margin = None if margin is None else finite_number("margin", margin, above=0.0, maximum=1.0)
        self.exponent = finite_number("exponent", exponent, above=0.0, maximum=100.0)
        self.seed = count("seed", seed, maximum=LARGEST_SEED)
        self.parameters = {"engine": engine, "margin": self.margin, "exponent": self.exponent, "seed": self.seed}
        self._knowledge = ENGINES[engine](self.exponent, self.margin, self.seed)
        self.state_class = self._knowledge.state_class  # type: ignore[misc]  # each engine has its own

    @property
    def guarantee(self) -> str:
        """What is proved, in one line."""
        return self._knowledge.guarantee

    def has_rules(self) -> bool:
        """Whether its engine is compiled, too."""
        return self._knowledge.compiled and super().has_rules()

    def _handed_out(self, observation: Any) -> tuple[Any, ...] | None:
        return handed_out(observation) if self._knowledge.compiled else None

    def _advance(self, state: Any, seen: Reading, rules: Callable[..., int]) -> tuple[Float, int]:
        return super()._advance(state, seen, rules) if self._knowledge.compiled else advance_in_python(state, seen)

    def _maker(self) -> type[Policy[Any]]:
        """Return this class: it begins the states of all engines."""
        return ContextualSearch

    def _weights_shape(self, dim: int) -> tuple[int, ...]:
        return tuple(self._knowledge.begin(1, dim).weights.shape[1:])

    def initial_state(self, games: int, dim: int) -> Any:
        """Return the state of a point that may lie anywhere in the unit ball."""
        return self._knowledge.begin(games, dim)

    def potential(self, state: Any) -> Float:
        """Return (n,) what all further rounds can still cost, in the terms of `guarantee`.

        Raises
        ------
        TypeError
            If the state is another engine's.
        """
        if not isinstance(state, self.state_class):
            raise TypeError(f"state must be a {self.state_class.__name__}, got {type(state).__name__}")
        return self._knowledge.potential(state)
