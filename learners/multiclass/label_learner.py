"""What learners for full information share: they play their leader, and learn where the label is known."""

from typing import Any, Self

from agents.foundation.checks import LARGEST_LENGTH, count
from learners.feedback.graph import FeedbackGraph
from learners.multiclass.base import MulticlassLearner, State
from learners.multiclass.scores import write_leading


def play_leader(state: Any, game: int) -> None:
    """Play the label with the largest score: a rule for `learners.multiclass.rules.distribute`."""
    write_leading(state, game, 0.0)


class LabelLearner(MulticlassLearner[State]):
    """A learner that needs the label, and plays the label with the largest score (the lowest among ties).

    Where the graph hides labels, it learns from the rounds whose feedback determines the label, and from no others: a
    1, or all labels but one excluded. It never asks.

    Parameters
    ----------
    classes : int
        Number of labels K.
    """

    requires = ("classes",)

    def __init__(self, classes: int) -> None:
        self.classes = self.nodes = count("classes", classes, minimum=2, maximum=LARGEST_LENGTH)
        self.seed = 0
        self.parameters = {"classes": self.classes}

    def for_run(self, seed: int) -> Self:
        """Return the learner itself: it draws nothing."""
        return self

    @property
    def _heard_of(self) -> int:
        """What somebody else asked teaches it, too: its rules do not look at the action."""
        return self.classes + 1

    @classmethod
    def made_for(cls, graph: FeedbackGraph) -> bool:
        """Whether every label reveals all labels."""
        return bool(graph.reveals[: graph.classes].all())
