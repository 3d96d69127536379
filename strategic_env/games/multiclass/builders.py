"""What each multiclass scenario is made of: its points and its feedback graph.

The keywords of a builder are the scenario's own options.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from numpy.typing import ArrayLike

from agents.foundation.checks import one_of
from agents.populations.labelled import GaussianMixture, Keywords, MulticlassPopulation, Prototypes
from learners.feedback.graph import NAMED, FeedbackGraph
from strategic_env.data import spam
from strategic_env.games.shared.scenario import Noise

POPULATIONS: dict[str, Callable[..., MulticlassPopulation]] = {
    "prototypes": Prototypes,
    "keywords": Keywords,
    "mixture": GaussianMixture,
}
HORIZON = 10_000

# What `strategic-env list NAME` says of these options.
PopulationName = Annotated[str, f"one of {', '.join(POPULATIONS)}"]
Feedback = Annotated[ArrayLike, f"one of {', '.join(NAMED)}, or a matrix of 0 and 1: whether row i shows label j"]


@dataclass(frozen=True)
class MulticlassParts:
    """What a multiclass scenario is made of.

    Attributes
    ----------
    population : MulticlassPopulation
    graph : FeedbackGraph
    horizon : int
        Rounds per episode, unless somebody wants others.
    """

    population: MulticlassPopulation
    graph: FeedbackGraph
    horizon: int = HORIZON


def _feedback_graph(
    *,
    dim: int = 80,
    classes: int = 9,
    noise: Noise = 0.0,
    population: PopulationName = "prototypes",
    feedback: Feedback = "cyclic",
) -> MulticlassParts:
    kind = POPULATIONS[one_of("population", population, tuple(POPULATIONS))]
    points = kind(dim, classes, noise=noise)
    return MulticlassParts(points, FeedbackGraph.of(feedback, points.classes))


def _with_feedback(feedback: str) -> Callable[..., MulticlassParts]:
    def build(
        *, dim: int = 80, classes: int = 9, noise: Noise = 0.0, population: PopulationName = "prototypes"
    ) -> MulticlassParts:
        return _feedback_graph(dim=dim, classes=classes, noise=noise, population=population, feedback=feedback)

    return build


def _spam(*, noise: Noise = 0.0, feedback: Feedback = "apple_tasting") -> MulticlassParts:
    """One pass over the e-mails, unless told otherwise."""
    population = spam.load(noise)
    return MulticlassParts(population, FeedbackGraph.of(feedback, population.classes), len(population.labels))


MULTICLASS_BUILDERS: dict[str, Callable[..., MulticlassParts]] = {
    "FullInformation": _with_feedback("full"),
    "Bandit": _with_feedback("bandit"),
    "AppleTasting": _with_feedback("apple_tasting"),
    "LabelEfficient": _with_feedback("label_efficient"),
    "FeedbackGraph": _feedback_graph,
    "Spam": _spam,
}
