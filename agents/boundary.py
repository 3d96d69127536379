"""The arithmetic at a classifier's boundary: the one place that decides who is on which side.

An individual who moves lands *on* the boundary, up to rounding. Whoever tests that with ``==`` or ``>=`` is wrong for
about half of the movers, so every part of the package asks the functions below:

* the side of the true features decides by the *gap* ``-(w.z + b)``: an individual moves iff ``0 < gap <= reach``;
* the side of a report decides with a *tolerance* that covers the rounding of a mover, proved in ``docs/numerics.md``;
* sums run in one fixed order, so that every form of the game gets the same bits.

All functions are compiled; arrays are C-contiguous float64.
"""

import math

import numpy as np

from agents.foundation.compiled import inlined, loop
from agents.foundation.lanes import length, scaled_dot
from agents.foundation.typing import Float

FLOAT64_EPS = float(np.finfo(np.float64).eps)
# Below this squared norm (and above its inverse), squares of weights lose bits to under- or overflow: rescale first.
SMALLEST_SQUARED_NORM = 2.0**-900


@inlined
def scaled_score(classifier: Float, factor: float, features: Float) -> float:
    """``w.x + b`` of a classifier ``[w, b]`` (d + 1,), times a factor, at features (d,)."""
    d = features.shape[0]
    return scaled_dot(classifier, factor, features, 1.0, d) + float(classifier[d] * factor)


@inlined
def score(classifier: Float, features: Float) -> float:
    """``w.x + b`` of a published classifier ``[w, b]`` (d + 1,) at features (d,)."""
    return scaled_score(classifier, 1.0, features)


@inlined
def scale(classifier: Float) -> tuple[float, float]:
    """Return a factor for the classifier, and the squared norm of its weights times that factor.

    The factor is 1 unless squares of the weights under- or overflow; then it is a power of two that brings the weights
    to about ``2**-400`` or ``2**400`` and no further, so that the intercept of a published classifier cannot overflow.
    A positive multiple is the same classifier, and a power of two rounds nothing.
    """
    d = classifier.shape[0] - 1
    squared_norm = scaled_dot(classifier, 1.0, classifier, 1.0, d)
    if SMALLEST_SQUARED_NORM <= squared_norm <= 1.0 / SMALLEST_SQUARED_NORM:
        return 1.0, squared_norm
    factor = _rescaling(classifier)
    return factor, scaled_dot(classifier, factor, classifier, factor, d)


@loop
def _rescaling(classifier: Float) -> float:
    largest = 0.0
    for i in range(classifier.shape[0] - 1):
        largest = max(largest, abs(classifier[i]))
    if largest == 0.0:
        return 1.0
    exponent = math.frexp(largest)[1]
    return float(2.0 ** (math.copysign(400.0, exponent) - exponent))


@loop
def tolerance(
    weights_norm: float, intercept: float, report_norm: float, reach_scale: float, dim: int, eps: float
) -> float:
    """How far from 0 the score ``w.x + b`` of an individual who moved to the boundary may lie.

    ``2 (d + 8) eps (|w| (|x| + A) + |b|)``, where A is the largest distance anybody moves and eps that of the coarsest
    dtype between the environment and the learner. It is generous on purpose: a mover taken for unmoved breaks Lemma 1
    of the Strategic Perceptron, an unmoved one taken for a mover costs nothing.
    """
    return 2.0 * (dim + 8) * eps * (weights_norm * (report_norm + reach_scale) + abs(intercept))


@loop
def side(classifier: Float, report: Float, reach_scale: float, eps: float) -> int:
    """Return on which side of the boundary a report lies, up to the rounding of a mover.

    Parameters
    ----------
    classifier : ndarray, shape (d + 1,)
        ``[w, b]`` as published.
    report : ndarray, shape (d,)
        What the individual reported.
    reach_scale : float
        The largest distance anybody moves (alpha; the radius where alpha is unknown).
    eps : float
        Machine epsilon of the coarsest dtype in between.

    Returns
    -------
    int
        +1 beyond the boundary, 0 on it, -1 short of it. With ``w = 0`` nobody moves: +1 iff ``b >= 0``.
    """
    signed, _, slack = _scores(classifier, report, reach_scale, eps)
    if signed > slack:
        return 1
    return 0 if signed >= -slack else -1


@loop
def _scores(classifier: Float, report: Float, reach_scale: float, eps: float) -> tuple[float, float, float]:
    """Return ``w.x + b``, ``w.x`` and their tolerance; without weights ``b >= 0`` counts as 1, ``b < 0`` as -1.

    All three are those of the classifier times its factor (`scale`).
    """
    d = report.shape[0]
    factor, squared_norm = scale(classifier)
    if squared_norm == 0.0:
        return (1.0 if classifier[d] >= 0.0 else -1.0), 0.0, 0.0
    along, intercept = scaled_dot(classifier, factor, report, 1.0, d), float(classifier[d] * factor)
    slack = tolerance(math.sqrt(squared_norm), intercept, length(report), reach_scale, d, eps)
    return along + intercept, along, slack


@loop
def on_boundary(classifier: Float, report: Float, reach_scale: float, eps: float) -> bool:
    """Whether a report lies on the boundary, as every mover's does (arguments as for `side`)."""
    return side(classifier, report, reach_scale, eps) == 0


@loop
def forbidden(classifier: Float, report: Float, reach_scale: float, eps: float) -> bool:
    """Whether ``0 < w.x`` and ``w.x + b < 0``, both beyond the tolerance (arguments as for `side`).

    If individuals could move as far as the boundary lies above the origin's hyperplane, nobody would stand there.
    """
    signed, along, slack = _scores(classifier, report, reach_scale, eps)
    return along > slack and signed < -slack
