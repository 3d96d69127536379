"""The bounds that depend on radius, margin and perhaps alpha, in all their forms."""

from learners.bounds import (
    biased_l2,
    estimated_alpha_l2,
    lemma_7,
    max_margin_l1,
    max_margin_l2,
    max_margin_with_bias,
    novikoff,
    strategic_l1_scale_free,
    strategic_l2,
    too_large_alpha_l2,
    unknown_cost_l1_single,
    unknown_cost_l2,
    unknown_margin_l2,
)

# Bounds of (radius, margin) and of (radius, margin, alpha), and which of them have a printed form.
OF_MARGIN = (novikoff, unknown_cost_l2, unknown_margin_l2, unknown_cost_l1_single, max_margin_l2)
OF_ALPHA = (
    strategic_l2, estimated_alpha_l2, too_large_alpha_l2, lemma_7, biased_l2, strategic_l1_scale_free, max_margin_l1,
    max_margin_with_bias,
)  # fmt: skip
PRINTED = (unknown_cost_l2, strategic_l2, estimated_alpha_l2, too_large_alpha_l2, lemma_7, biased_l2)


def form(bound, **options):
    """Return a bound as a function of radius, margin and alpha."""
    return lambda *arguments: bound(*arguments[: 3 if bound in OF_ALPHA else 2], **options)


FORMS = [form(bound) for bound in OF_MARGIN + OF_ALPHA] + [form(bound, printed=True) for bound in PRINTED]
