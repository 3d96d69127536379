"""Best responses to a rule that is drawn from two after people have moved."""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from agents.boundary import FLOAT64_EPS, scaled_score
from agents.costs import L2, prepare, respond
from agents.foundation.checks import LARGEST, finite_array, finite_length, finite_number
from agents.foundation.typing import Float


class MixtureAnswer(NamedTuple):
    """How somebody answers two rules.

    Attributes
    ----------
    report : ndarray, shape (d,)
    moved : bool
    chance : float
        With which probability it is accepted.
    cost : float
        Of the move, in units of the value of being accepted.
    """

    report: Float
    moved: bool
    chance: float
    cost: float


class _Rule(NamedTuple):
    """One of the rules, as seen from where somebody stands: it is accepted iff ``gap <= 0``."""

    classifier: Float
    unit: Float
    gap: float  # a distance; infinite where nothing leads to acceptance


class _Target(NamedTuple):
    """Where to go, whom that pleases (a probability), and how far it is."""

    chance: float
    distance: float
    report: Float


def best_response_to_mixture(
    z: ArrayLike, first: ArrayLike, second: ArrayLike, chance: float, alpha: float
) -> MixtureAnswer:
    """Return the best response under an l2 cost if one of two rules will be drawn, and people know with which chance.

    Somebody stays, or moves to the nearest point that pleases the first rule, the second, or both, whichever has the
    largest probability of acceptance less the cost. Among equals the larger probability wins, then moving, then the
    first rule. All is decided on the distances, never on a report.

    Parameters
    ----------
    z : array_like, shape (d,)
        True features.
    first, second : array_like, shape (d + 1,)
        The rules, ``[w, b]`` at any scale: accept x iff ``w.x + b >= 0``.
    chance : float
        The probability of the first rule, from 0 to 1.
    alpha : float
        How far the value of being accepted carries, at least 0.

    Raises
    ------
    ValueError
        If an argument is NaN, infinite, of another shape or outside its limits.

    Notes
    -----
    With unit normals of inner product c and distances g1, g2 from acceptance, the step across plane 1 ends in the
    second half-space, too, iff ``g2 <= c g1``, up to rounding; if neither step ends in both, the nearest point of both
    lies where the planes meet, ``sqrt((g1^2 - 2 c g1 g2 + g2^2) / (1 - c^2))`` away. Source: own; announced
    randomisation is that of Braverman and Garg (2020).

    Examples
    --------
    Pleasing both rules is worth its price, 0.85, though neither is alone:

    >>> from agents import best_response_to_mixture
    >>> answer = best_response_to_mixture([0.2, 0.1], [1.0, 0.0, -0.5], [0.0, 1.0, -0.4], chance=0.6, alpha=0.5)
    >>> answer.report, answer.chance, round(answer.chance - answer.cost, 4)
    (array([0.5, 0.4]), 1.0, 0.1515)
    """
    start = finite_array("z", z, (None,), largest=LARGEST)
    rules = tuple(
        _seen_from(start, finite_array(name, rule, (start.size + 1,)))
        for name, rule in (("first", first), ("second", second))
    )
    chance = finite_number("chance", chance, minimum=0.0, maximum=1.0)
    alpha = finite_length("alpha", alpha)
    chances = (chance, 1.0 - chance)
    here = sum(one for one, rule in zip(chances, rules, strict=True) if rule.gap <= 0.0)
    best = _Target(here, 0.0, start)
    for target in _targets(start, rules, chances):
        gain = target.chance - best.chance
        worth = (target.chance - here) * alpha
        # As good as the best so far, or better; by distances, so that alpha may be 0.
        further = target.distance - best.distance
        better = further < gain * alpha or (further == gain * alpha and (gain > 0.0 or best.report is start))
        if target.distance <= worth and target.chance > here and better:
            best = target
    moved = best.report is not start
    return MixtureAnswer(best.report.copy(), moved, best.chance, best.distance / alpha if moved else 0.0)


def _seen_from(start: Float, classifier: Float) -> _Rule:
    prepared = prepare(L2, classifier, np.ones(1))
    gap = -scaled_score(classifier, prepared.factor, start)
    if prepared.growth == 0.0:
        return _Rule(classifier, np.zeros(start.size), math.inf if gap > 0.0 else -math.inf)
    unit = classifier[:-1] * prepared.factor / prepared.growth
    return _Rule(classifier, unit, gap / prepared.growth)


def _targets(start: Float, rules: tuple[_Rule, ...], chances: tuple[float, float]) -> Iterator[_Target]:
    """Yield the nearest point that pleases the first rule, the second, and both, of those not pleased yet."""
    one, other = rules
    cosine, size = float(one.unit @ other.unit), float(np.linalg.norm(start))
    alone = []
    for rule, rival, chance in ((one, other, chances[0]), (other, one, chances[1])):
        if 0.0 < rule.gap < math.inf:
            rounding = 2.0 * (start.size + 8) * FLOAT64_EPS * (size + rule.gap + abs(rival.gap))
            pleases = rival.gap - cosine * rule.gap <= (rounding if rival.gap < math.inf else 0.0)  # where it ends
            report = np.empty(start.size)
            respond(L2, rule.classifier, start, np.array([2.0 * rule.gap]), report)  # which is far enough
            yield _Target(1.0 if pleases else chance, rule.gap, report)
            alone.append(pleases)
    sine = 1.0 - cosine * cosine
    finite = abs(one.gap) < math.inf and abs(other.gap) < math.inf
    if alone and not any(alone) and finite and sine > 0.0:
        steps = (one.gap - cosine * other.gap) / sine, (other.gap - cosine * one.gap) / sine
        squared = (one.gap * one.gap - 2.0 * cosine * one.gap * other.gap + other.gap * other.gap) / sine
        yield _Target(1.0, math.sqrt(squared), start + steps[0] * one.unit + steps[1] * other.unit)
