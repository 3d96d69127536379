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

from learners.bounds.common import RELATIVE_SLACK as RELATIVE_SLACK
from learners.bounds.common import admits as admits
from learners.bounds.known_costs import biased_l2 as biased_l2
from learners.bounds.known_costs import correction as correction
from learners.bounds.known_costs import lemma_7 as lemma_7
from learners.bounds.known_costs import strategic_l1 as strategic_l1
from learners.bounds.known_costs import strategic_l1_scale_free as strategic_l1_scale_free
from learners.bounds.known_costs import strategic_l1_with_bias as strategic_l1_with_bias
from learners.bounds.known_costs import strategic_l1_with_bias_scale_free as strategic_l1_with_bias_scale_free
from learners.bounds.known_costs import strategic_l2 as strategic_l2
from learners.bounds.max_margin import max_margin_l1 as max_margin_l1
from learners.bounds.max_margin import max_margin_l2 as max_margin_l2
from learners.bounds.max_margin import max_margin_with_bias as max_margin_with_bias
from learners.bounds.truthful import freund_schapire as freund_schapire
from learners.bounds.truthful import generalisation as generalisation
from learners.bounds.truthful import hinge_slack as hinge_slack
from learners.bounds.truthful import margin_perceptron as margin_perceptron
from learners.bounds.truthful import novikoff as novikoff
from learners.bounds.truthful import novikoff_with_bias as novikoff_with_bias
from learners.bounds.truthful import samples_for_error as samples_for_error
from learners.bounds.unknown_costs import estimated_alpha_l2 as estimated_alpha_l2
from learners.bounds.unknown_costs import too_large_alpha_l2 as too_large_alpha_l2
from learners.bounds.unknown_costs import unknown_cost_l1_single as unknown_cost_l1_single
from learners.bounds.unknown_costs import unknown_cost_l2 as unknown_cost_l2
from learners.bounds.unknown_costs import unknown_margin_l2 as unknown_margin_l2
