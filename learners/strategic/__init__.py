"""Learners of the strategic game: they publish linear classifiers; a file per algorithm."""
