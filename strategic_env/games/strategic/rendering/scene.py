"""What there is to see of a round: the boundary, the plane in which it is drawn, and two lines of words.

One or two features are shown as they are. More are projected on the classifier's normal: the signed distance from the
boundary against the length of what remains.
"""

from typing import NamedTuple, Protocol

import numpy as np

from agents.boundary import scale
from agents.costs import Cost
from agents.foundation.typing import Float
from strategic_env.games.strategic.rules import Round
from strategic_env.games.strategic.setting import Setting

# A boundary farther away than any population reaches cannot be seen; the cap keeps squares finite.
FARTHEST = 1e150


class GameShown(Protocol):
    """What there is to say of a game besides its last round: a `Game`, or one of many."""

    @property
    def round(self) -> int:
        """How many rounds have been played."""

    @property
    def mistakes(self) -> int:
        """How many of them were mistakes."""

    def cost_of(self, round: int) -> Cost:
        """Return the manipulation cost of whoever arrived in round ``round``, the last one."""


class Boundary(NamedTuple):
    """A classifier in units of distance.

    Attributes
    ----------
    normal : ndarray, shape (d,)
        ``w / |w|``; zeros where ``w = 0``.
    offset : float
        ``b / |w|``; b where ``w = 0``.
    reach : float
        From how far away the individual who arrived reaches the boundary.
    """

    normal: Float
    offset: float
    reach: float

    @property
    def exists(self) -> bool:
        """Whether some points are accepted and others not."""
        return bool(self.normal.any())

    def distance(self, features: Float) -> float:
        """Return the signed distance of features (d,); those at 0 or more are accepted."""
        return float(self.normal @ features) + self.offset

    @property
    def verdict(self) -> str:
        """Whom a classifier without a boundary accepts."""
        return f"w = 0: {'everybody' if self.offset >= 0.0 else 'nobody'} is accepted"


def boundary_of(setting: Setting, last: Round, game: GameShown | None) -> Boundary:
    """Return the boundary that was published in a round."""
    classifier = last.classifier * scale(last.classifier)[0]
    weights, intercept = classifier[:-1], float(classifier[-1])
    norm = float(np.linalg.norm(weights))
    if norm == 0.0:
        return Boundary(weights, intercept, 0.0)
    cost = setting.cost if game is None else game.cost_of(game.round - 1)
    reach = float(np.max(cost.reach(weights / norm)))
    return Boundary(weights / norm, max(-FARTHEST, min(intercept / norm, FARTHEST)), reach)


def headline(last: Round | None, game: GameShown | None) -> str:
    """Say in one line what happened."""
    if last is None:
        return "round 0: nobody has arrived yet"
    who = "qualified" if last.true_label > 0.0 else "unqualified"
    what = f"{'moved' if last.moved else 'stayed'}, {'accepted' if last.accepted else 'rejected'}"
    verdict = "mistake" if last.mistake else "correct"
    count = "" if game is None else f" ({game.mistakes} mistake{'' if game.mistakes == 1 else 's'})"
    return f"round {last.observation[-1]:.0f}: {who}, {what} - {verdict}{count}"


def caption(last: Round | None) -> str:
    """Say what the headline and the picture do not."""
    if last is None:
        return "no classifier has been published yet"
    paid = f"paid {last.cost:.2f}, where being accepted is worth 1" if last.moved else "reported the true features"
    return paid if last.revealed else f"{paid}; the learner does not see the label"


class Frame(NamedTuple):
    """What of a plane is shown: all that stays the same from picture to picture."""

    low: tuple[float, float]
    high: tuple[float, float]
    names: tuple[str, str]
    equal: bool


class Scene(NamedTuple):
    """A plane, and the boundary and the points (true and reported features, (2, 2); none: (0, 2)) in it."""

    frame: Frame
    boundary: Boundary | None
    points: Float


def scene_of(setting: Setting, last: Round | None, game: GameShown | None) -> Scene:
    """Choose the plane to draw in."""
    dim = setting.dim
    boundary = None if last is None else boundary_of(setting, last, game)
    points = np.empty((0, dim)) if last is None else np.array([last.true_features, last.report])
    if dim > 2:
        return projection(setting, boundary, points)
    move = setting.budgets().max(axis=0) + setting.slack
    low, high = setting.population.low - move, setting.population.high + move
    if dim == 2:
        first, second = getattr(setting.population, "names", ()) or ("feature 1", "feature 2")
        return Scene(frame_of(low, high, points, (first, second), equal=True), boundary, points)
    if boundary is not None:
        boundary = boundary._replace(normal=np.append(boundary.normal, 0.0))
    points = np.column_stack([points, np.zeros(len(points))])
    return Scene(frame_of(np.append(low, -1.0), np.append(high, 1.0), points, ("the feature", "")), boundary, points)


def projection(setting: Setting, boundary: Boundary | None, points: Float) -> Scene:
    """Project points (k, d) on the normal: distance from the boundary, length of the component orthogonal to it."""
    names = ("signed distance from the boundary", "length of the component along the boundary")
    across = np.zeros(len(points))
    if boundary is not None:
        across = points @ boundary.normal
        points = points - np.outer(across, boundary.normal)
        if boundary.exists:
            across, boundary = across + boundary.offset, Boundary(np.array([1.0, 0.0]), 0.0, boundary.reach)
        else:
            names, boundary = ("", "length of the features"), boundary._replace(normal=np.zeros(2))
    points = np.column_stack([across, np.linalg.norm(points, axis=1)])
    longest = setting.population.radius + setting.reach_scale
    # One direction out of many holds little of a point's length; who stands out doubles the range.
    widest = min(1.0, 3.0 / np.sqrt(setting.dim)) * longest
    widest *= 2.0 ** np.ceil(np.log2(max(1.0, np.abs(across).max(initial=0.0) / widest)))
    frame = frame_of(np.array([-widest, 0.0]), np.array([widest, longest]), points, names)
    return Scene(frame, boundary, points)


def frame_of(low: Float, high: Float, points: Float, names: tuple[str, str], equal: bool = False) -> Frame:
    """Leave some space around bounds (2,): the same in every round, unless somebody stands outside."""
    low, high = np.min([low, *points], axis=0), np.max([high, *points], axis=0)
    span = np.where(high > low, high - low, (high - low).max() or 1.0)
    start, end = (low + high) / 2.0 - 0.55 * span, (low + high) / 2.0 + 0.55 * span
    # Only on equal scales do moves look perpendicular, but very different ranges would leave one axis no room.
    equal = equal and bool(span.max() <= 3.0 * span.min())
    return Frame((float(start[0]), float(start[1])), (float(end[0]), float(end[1])), names, equal)
