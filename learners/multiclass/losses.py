"""Surrogate losses of multiclass learners, as functions of the scores ``s_k = <W^k, x>``.

With the margin ``m(y) = s_y - max_{k != y} s_k`` and the leader ``y*``:

* ``logistic_k``: ``-log_K`` of the softmax, as published. *Not regular for K > 2*: at ``(1/2, 1/2, 0, ..)`` the left
  side of inequality (2) is ``log_K 2 < 1``, and for K > 4 a tie of two labels costs every learner linear surrogate
  regret;
* ``logistic_2``: the same to the base 2, the largest base that keeps (2) for all K, with its gap map clipped at 1;
* ``smooth_hinge``: ``1 - 2 m`` below 0, ``(1 - m)^2`` up to 1, then 0 (Rennie and Srebro, 2005, times 2);
* ``special_hinge``: ``max(0, 1 - m)``, but 0 where the leader is the label with a margin above kappa (equation 5).
  Regular for ``1 / (K - 1) <= kappa < 1``, so never for K = 2.

References
----------
van der Hoeven, Fusco, Cesa-Bianchi (2021), Beyond bandit feedback in online multiclass classification: inequalities (2)
and (3), Lemma 1, equation (5).
"""

import math

from agents.foundation.compiled import inlined, loop
from agents.foundation.typing import Float
from learners.multiclass.scores import best_other, leader, write_softmax

LOSSES = ("logistic_k", "logistic_2", "smooth_hinge", "special_hinge")
LOGISTIC_K, LOGISTIC_2, SMOOTH_HINGE, SPECIAL_HINGE = range(4)
# The largest value of (1 - q)^2 / (-ln q).
LOGISTIC_SMOOTHNESS = 0.4072644


@loop
def margin(scores: Float, label: int) -> float:
    """Return how far a label's score (K,) lies above the best other one."""
    return float(scores[label] - scores[best_other(scores, label)])


@inlined
def logarithm_of_base(kind: int, classes: int) -> float:
    """Return ln K or ln 2, which a logistic loss is measured in."""
    return math.log(classes) if kind == LOGISTIC_K else math.log(2.0)


@loop
def loss(kind: int, kappa: float, scores: Float, label: int) -> float:
    """Return the loss of scores (K,) on a label, at least 0.

    Parameters
    ----------
    kind : int
        Place in `LOSSES`.
    kappa : float
        Margin above which the special hinge is 0.
    scores : ndarray, shape (K,)
    label : int
    """
    if kind in (LOGISTIC_K, LOGISTIC_2):
        largest, total = scores[leader(scores)], 0.0
        for score in scores:
            total += math.exp(score - largest)
        surprise = largest - scores[label] + math.log(total)
        return float(surprise / logarithm_of_base(kind, scores.shape[0]))
    above = margin(scores, label)
    if kind == SMOOTH_HINGE:
        missing = max(0.0, 1.0 - above)
        return 1.0 - 2.0 * above if above <= 0.0 else missing * missing
    return 0.0 if above > kappa and leader(scores) == label else max(0.0, 1.0 - above)


@loop
def gap(kind: int, kappa: float, scores: Float) -> float:
    """Return the gap map in [0, 1]: the leader's loss, clipped at 1 (only base 2 needs that)."""
    return min(1.0, loss(kind, kappa, scores, leader(scores)))


@loop
def minimal_gap(kind: int, kappa: float, scores: Float, nodes: int) -> float:
    """Return the smallest gap map that keeps Lemma 1: ``n - (n - 1) loss(runner-up)``, clipped to [0, 1].

    Not in the paper; whether its regret bound survives in bandit feedback is open.
    """
    runner_up = best_other(scores, leader(scores))
    return min(1.0, max(0.0, nodes - (nodes - 1) * loss(kind, kappa, scores, runner_up)))


@loop
def write_slopes(kind: int, kappa: float, scores: Float, label: int, out: Float) -> None:
    """Write the loss's derivatives with respect to the scores to ``out`` (K,); the gradient is ``out`` times ``x``."""
    if kind in (LOGISTIC_K, LOGISTIC_2):
        write_softmax(scores, 1.0, out)
        out[label] -= 1.0
        base = logarithm_of_base(kind, scores.shape[0])
        for other in range(out.shape[0]):
            out[other] /= base
        return
    above, slope = margin(scores, label), 0.0
    if kind == SMOOTH_HINGE:
        slope = 2.0 * min(1.0, max(0.0, 1.0 - above))
    elif above < 1.0 and not (above > kappa and leader(scores) == label):
        slope = 1.0
    for other in range(out.shape[0]):
        out[other] = 0.0
    out[best_other(scores, label)] = slope
    out[label] = -slope


def smoothness(loss_name: str, classes: int, radius: float, kappa: float) -> float:
    """Return L of inequality (3), ``|gradient|^2 <= 2 L loss``, for features no longer than the radius."""
    return (
        radius**2
        * {
            "logistic_k": LOGISTIC_SMOOTHNESS / math.log(classes),
            "logistic_2": LOGISTIC_SMOOTHNESS / math.log(2.0),
            "smooth_hinge": 4.0,
            "special_hinge": 1.0 / (1.0 - kappa),
        }[loss_name]
    )


def check_kappa(loss_name: str, kappa: float, classes: int) -> None:
    """Make sure that the special hinge is regular.

    Raises
    ------
    ValueError
        If it is not, as for two classes.
    """
    if loss_name == "special_hinge" and kappa < 1.0 / (classes - 1):
        allowed = (
            "no kappa below 1 fits 2 classes" if classes == 2 else f"kappa must be at least {1 / (classes - 1):.3g}"
        )
        raise ValueError(f"loss='special_hinge' obeys inequality (2) only from 1/(K - 1) on: {allowed}, got {kappa}")
