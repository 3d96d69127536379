"""Learners of online multiclass classification with a feedback graph."""
