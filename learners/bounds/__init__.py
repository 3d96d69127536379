"""Mistake bounds: every theorem as a function of what it depends on.

``radius`` is R, the largest norm of a true point z; ``margin`` is gamma (the lecture's rho), the smallest distance of a
true point to a separator's hyperplane; the papers' vector w* has norm 1 / gamma and ``y (z.w* + b) >= 1`` on every
point. A bound is a real number (infinite where it exceeds the float64 range) and holds for the number of mistakes:
compare with :func:`admits`.

A *printed* bound is the paper's own formula; a *sharpened* one is a smaller number that its proof gives. Where the
source is *own*, no paper has the bound.

References
----------
Novikoff (1962), On convergence proofs for perceptrons.
Freund, Schapire (1999), Large margin classification using the perceptron algorithm.
Ahmadi, Beyhaghi, Blum, Naggita (2021), The Strategic Perceptron, for all theorems, lemmas and extensions named here.
The lecture: Perceptron mistake bound (Lecture 2), for the theorems and exercises named as its own.
"""

from learners.bounds.common import RELATIVE_SLACK, admits
from learners.bounds.densities import density_centres, density_search, homothety
from learners.bounds.knowledge_sets import (
    all_pairs,
    one_scale_body,
    one_scale_ellipsoid,
    slack_ellipsoids,
    steiner_potential,
)
from learners.bounds.known_costs import (
    biased_l2,
    correction,
    lemma_7,
    strategic_l1,
    strategic_l1_scale_free,
    strategic_l1_with_bias,
    strategic_l1_with_bias_scale_free,
    strategic_l2,
)
from learners.bounds.max_margin import max_margin_l1, max_margin_l2, max_margin_with_bias
from learners.bounds.responses import (
    delayed_l2,
    improving_l1,
    improving_l2,
    improving_worst_case,
    waiting,
)
from learners.bounds.second_order import second_order_centres
from learners.bounds.truthful import (
    freund_schapire,
    generalisation,
    hinge_slack,
    margin_perceptron,
    novikoff,
    novikoff_with_bias,
    samples_for_error,
)
from learners.bounds.unknown_costs import (
    estimated_alpha_l2,
    too_large_alpha_l2,
    unknown_cost_l1_single,
    unknown_cost_l2,
    unknown_margin_l2,
)

__all__ = [
    "RELATIVE_SLACK",
    "admits",
    "all_pairs",
    "biased_l2",
    "correction",
    "delayed_l2",
    "density_centres",
    "density_search",
    "estimated_alpha_l2",
    "freund_schapire",
    "generalisation",
    "hinge_slack",
    "homothety",
    "improving_l1",
    "improving_l2",
    "improving_worst_case",
    "lemma_7",
    "margin_perceptron",
    "max_margin_l1",
    "max_margin_l2",
    "max_margin_with_bias",
    "novikoff",
    "novikoff_with_bias",
    "one_scale_body",
    "one_scale_ellipsoid",
    "samples_for_error",
    "second_order_centres",
    "slack_ellipsoids",
    "steiner_potential",
    "strategic_l1",
    "strategic_l1_scale_free",
    "strategic_l1_with_bias",
    "strategic_l1_with_bias_scale_free",
    "strategic_l2",
    "too_large_alpha_l2",
    "unknown_cost_l1_single",
    "unknown_cost_l2",
    "unknown_margin_l2",
    "waiting",
]
