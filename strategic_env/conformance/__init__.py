"""Checkers of environments and learners of anybody's."""
