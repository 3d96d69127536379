"""Which assumptions of its theorem hold for a learner, found by asking its own `Learner.bound`.

Every assumption is a way to mend a truth. With all mended there is a bound, if a theorem is known at all. An assumption
*matters* if breaking it alone takes the bound away, and *holds* if putting the actual truth back does not.
"""

from typing import Any, NamedTuple

from learners.strategic.base import Learner, Truth


class Assumption(NamedTuple):
    """An assumption of a learner's theorem in words, and whether it holds."""

    sentence: str
    holds: bool


class _Part(NamedTuple):
    sentence: str
    fields: tuple[str, ...]
    mended: Truth
    broken: Truth


def assumptions(learner: Learner[Any], truth: Truth) -> list[Assumption]:
    """Return the assumptions on individuals that matter to a learner's mistake bound; none where no theorem is known.

    Parameters
    ----------
    learner : Learner
    truth : Truth
        Of what the learner meets; of its own kind of cost.

    Examples
    --------
    >>> from learners import StrategicPerceptronL2, Truth
    >>> from learners.strategic.assumptions import assumptions
    >>> truth = Truth("l2", dim=2, radius=1.0, margin=0.5, intercept=0.2, alpha=(0.3,), nonnegative=False)
    >>> for assumption in assumptions(StrategicPerceptronL2(alpha=0.3), truth):
    ...     print(assumption.holds, assumption.sentence)
    False a hyperplane through the origin separates the true points
    True everybody reaches as far as the learner was told
    """
    parts = _parts(learner, truth)
    ideal = truth
    for part in parts:
        ideal = _with(ideal, part.fields, part.mended)
    if _bound(learner, ideal) is None:
        return []
    return [
        Assumption(part.sentence, _bound(learner, _with(ideal, part.fields, truth)) is not None)
        for part in parts
        if _bound(learner, _with(ideal, part.fields, part.broken)) is None
    ]


def _bound(learner: Learner[Any], truth: Truth) -> float | None:
    return learner.bound(truth)


def _with(truth: Truth, fields: tuple[str, ...], other: Truth) -> Truth:
    """Return a truth with some fields of another."""
    return truth._replace(**{name: getattr(other, name) for name in fields})


def _parts(learner: Learner[Any], truth: Truth) -> list[_Part]:
    radius, margin = (float(getattr(learner, name, getattr(truth, name))) for name in ("radius", "margin"))
    reaches, sentence = _reaches(learner, truth)
    farther = tuple(reach + radius + 1.0 for reach in reaches)
    return [
        _Part(
            "a hyperplane through the origin separates the true points",
            ("intercept",),
            truth._replace(intercept=0.0),
            truth._replace(intercept=margin / 2.0),
        ),
        _Part(
            sentence,
            ("alpha", "alpha_min"),
            truth._replace(alpha=reaches, alpha_min=None),
            truth._replace(alpha=farther, alpha_min=None),
        ),
        _Part(
            "no weight of the separator is negative",
            ("nonnegative",),
            truth._replace(nonnegative=True),
            truth._replace(nonnegative=False),
        ),
        _Part(
            "the separator's margin is at least what the learner was told",
            ("margin",),
            truth._replace(margin=margin),
            truth._replace(margin=margin / 2.0),
        ),
        _Part(
            "no true point is longer than the learner was told",
            ("radius",),
            truth._replace(radius=radius),
            truth._replace(radius=2.0 * radius),
        ),
    ]


def _reaches(learner: Learner[Any], truth: Truth) -> tuple[tuple[float, ...], str]:
    """Return reaches that a theorem allows, and how far that lets individuals reach, in words."""
    cost = learner.believed_cost(learner.initial_state(1, truth.dim))
    if cost is None:
        return tuple(0.0 for _ in truth.alpha), "nobody can move"
    reaches = tuple(cost.budgets(truth.dim)[0].tolist())
    if "alpha" in learner.requires:
        return reaches, "everybody reaches as far as the learner was told"
    return tuple(0.0 for _ in truth.alpha), "all reach equally far, at most as far as the radius"
