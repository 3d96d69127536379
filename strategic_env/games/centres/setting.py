"""What a game of nearest centres is made of: queries, hidden centres, and which labels are told wrongly."""

from dataclasses import dataclass, field

import numpy as np

from agents.foundation.checks import count, finite_number, one_of
from agents.foundation.typing import Float, Int
from agents.populations.centre_source import (
    ADAPTIVE,
    LOSS,
    ROBUST_MISTAKES,
    SIZE_OF_WRONG_LABELS,
    WRONG_LABELS,
    CentresDrawn,
    CentreSource,
)
from agents.populations.centres import HiddenCentres
from agents.populations.convex_sets import CoinFlips, ConvexSource
from agents.populations.limits import refuse_own
from learners.feedback.graph import FeedbackGraph
from strategic_env.games.multiclass.rules import MulticlassSetting

ADVERSARIES = ("perceptron", "adaptive")
PATTERNS = ("random", "early", "late")


@dataclass(frozen=True, kw_only=True)
class CentreSetting(MulticlassSetting):
    """Which queries come, what a wrong label costs, and which labels are told wrongly. All labels are told.

    Attributes
    ----------
    population : HiddenCentres or CoinFlips
    horizon : int
        Rounds of an episode, over which wrong labels are spread.
    exponent : float
        Of the loss ``|delta(q, x_i) - delta(q, x_*)|^exponent``, above 0.
    adversary : str
        Whom queries of an adversary are aimed at: ``"perceptron"``, or ``"adaptive"``, whoever plays.
    corruption : int
        So many labels of an episode are told wrongly; the loss is against the true ones.
    corruption_pattern : str
        ``"random"``: in random rounds, a random wrong label; ``"early"``: in the first rounds, the worst one;
        ``"late"``: after a quarter of the rounds, the worst one where the right one was named and the worst costs much.
    population_seed : int or None
        Meet the same centres (and pool of queries) in every episode; by default they are drawn afresh.
    graph : FeedbackGraph
        Full information.

    Examples
    --------
    >>> from agents import HiddenCentres
    >>> from strategic_env import CentreSetting
    >>> CentreSetting(population=HiddenCentres(centres=2), horizon=100, corruption=5).graph
    <FeedbackGraph full: 2 classes>
    """

    population: HiddenCentres | CoinFlips
    horizon: int
    exponent: float = 1.0
    adversary: str = "perceptron"
    corruption: int = 0
    corruption_pattern: str = "random"
    graph: FeedbackGraph = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Check that the parts are what they should be, and fit each other."""
        population = self.population
        if not isinstance(population, HiddenCentres | CoinFlips):
            raise TypeError(f"population must be a HiddenCentres or CoinFlips, got {population!r}")
        refuse_own(population)
        object.__setattr__(self, "graph", FeedbackGraph.named("full", population.classes))
        count("horizon", self.horizon, minimum=1)
        finite_number("exponent", self.exponent, above=0.0, maximum=100.0)
        one_of("corruption_pattern", self.corruption_pattern, PATTERNS)
        if one_of("adversary", self.adversary, ADVERSARIES) == "adaptive" and population.query != "adversary":
            raise ValueError(f"adversary='adaptive' must come with query='adversary', got query={population.query!r}")
        count("corruption", self.corruption, maximum=self.horizon)
        if self.corruption and population.noise:
            raise ValueError(f"noise and corruption exclude each other, got {population.noise} and {self.corruption}")
        super().__post_init__()

    @property
    def asks_the_learner(self) -> bool:
        """Whether queries depend on what whoever plays would answer, which compiled rollouts alone can ask."""
        return self.adversary == "adaptive"

    def counted(self, drawn: CentresDrawn, mistakes: Int) -> tuple[Float, dict[str, Float | Int]]:
        """Return the losses (N,) of N games that were played so far, and what else they count, by name."""
        return drawn.counted[:, LOSS], {
            "robust_mistakes": drawn.counted[:, ROBUST_MISTAKES].astype(np.int64),
            "wrong_labels": drawn.counted[:, WRONG_LABELS].astype(np.int64),
            "size_of_wrong_labels": drawn.counted[:, SIZE_OF_WRONG_LABELS],
        }

    def source(self) -> CentreSource | ConvexSource:
        """Return how queries come, for compiled code."""
        source = self.population.source(self._population_key)._replace(
            exponent=float(self.exponent),
            corruption=self.corruption,
            pattern=PATTERNS.index(self.corruption_pattern),
            rounds=self.horizon,
        )
        if isinstance(source, CentreSource) and self.asks_the_learner:
            return source._replace(query=ADAPTIVE)
        return source
