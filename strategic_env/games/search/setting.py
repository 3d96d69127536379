"""What a game of contextual search is made of: queries, a hidden point, and what a guess costs."""

from dataclasses import dataclass

from agents.foundation.checks import LARGEST_SEED, count, finite_number, one_of
from agents.foundation.streams import game_key
from agents.foundation.typing import Key
from agents.populations.centre_source import ADAPTIVE, CentreSource
from agents.populations.centres import HiddenPoint
from agents.populations.limits import refuse_own
from strategic_env.games.centres.setting import PATTERNS


@dataclass(frozen=True, kw_only=True)
class SearchSetting:
    """Which queries come, and what a guess costs.

    Attributes
    ----------
    population : HiddenPoint
        Guesses that miss by its margin or more count as mistakes.
    exponent : float
        Of the loss ``|<x, p> - guess|^exponent``, above 0.
    corruption : int
        So many answers of an episode are told wrongly.
    corruption_pattern : str
        ``"random"``: in random rounds; ``"early"``: in the first ones; ``"late"``: from a quarter of the rounds on.
    population_seed : int or None
        Meet the same point in every episode; by default it is drawn afresh.

    Examples
    --------
    >>> from agents import HiddenPoint
    >>> from strategic_env import SearchSetting
    >>> SearchSetting(population=HiddenPoint(dim=4)).dim
    4
    """

    population: HiddenPoint
    exponent: float = 1.0
    corruption: int = 0
    corruption_pattern: str = "random"
    population_seed: int | None = None

    def __post_init__(self) -> None:
        """Check that the parts are what they should be."""
        if not isinstance(self.population, HiddenPoint):
            raise TypeError(f"population must be a HiddenPoint, got {self.population!r}")
        refuse_own(self.population)
        finite_number("exponent", self.exponent, above=0.0, maximum=100.0)
        count("corruption", self.corruption)
        one_of("corruption_pattern", self.corruption_pattern, PATTERNS)
        if self.population_seed is not None:
            count("population_seed", self.population_seed, maximum=LARGEST_SEED)

    @property
    def dim(self) -> int:
        """Number of features."""
        return self.population.dim

    @property
    def asks_the_learner(self) -> bool:
        """Whether queries depend on what whoever plays would guess, which compiled rollouts alone can ask."""
        return self.population.query == "adversary"

    def check_horizon(self, horizon: int) -> None:
        """Make sure that an episode has as many rounds as answers are told wrongly.

        Raises
        ------
        ValueError
            If it has fewer.
        """
        count("corruption", self.corruption, maximum=horizon)

    def source(self, rounds: int) -> CentreSource:
        """Return how queries come in episodes of so many rounds, for compiled code."""
        key: Key | None = None if self.population_seed is None else game_key(self.population_seed)
        source = self.population.source(key)._replace(
            exponent=float(self.exponent),
            corruption=self.corruption,
            pattern=PATTERNS.index(self.corruption_pattern),
            rounds=rounds,
        )
        return source._replace(query=ADAPTIVE) if self.asks_the_learner else source
