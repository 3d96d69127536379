"""Contextual search: guesses of the values of a hidden point, which are told to be too high or not."""
