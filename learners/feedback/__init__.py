"""Feedback graphs: which labels a learner gets to see after which action."""
