"""Online multiclass classification with a feedback graph: what a round shows depends on the label that was named."""
